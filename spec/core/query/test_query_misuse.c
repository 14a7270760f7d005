// Queries with bad arguments or without memory return an error, write no outputs, and leave the world valid.
#include "failing_memory.h"
#include "scene.h"

static const ImpVec2 sky = {0, 10}, ground = {0, -10};


typedef struct Stage {
  ImpWorld *world;
  ImpBody floor, ball;
  ImpShape flat, round;
} Stage;

static Stage stage_in(Memory *memory) {
  Stage s = {0};
  ImpWorldDef def = imp_world_def();
  ImpBodyDef body = imp_body_def();
  ImpShapeDef shape = imp_shape_def();
  if (memory != NULL) def.allocator = (ImpAllocator){reallocate, memory};
  MUST(imp_world_create(&def, &s.world));
  body.type = IMP_BODY_STATIC;
  MUST(imp_body_create(s.world, &body, &s.floor));
  MUST(imp_body_add_box(s.world, s.floor, &shape, 20, 1, vec(0, -0.5), 0, 0, &s.flat));
  body.type = IMP_BODY_DYNAMIC;
  body.position = vec(0, 3);
  MUST(imp_body_create(s.world, &body, &s.ball));
  MUST(imp_body_add_circle(s.world, s.ball, &shape, vec(0, 0), 0.5, &s.round));
  return s;
}


static void wrong_numbers_are_refused_and_nothing_is_written(void) {
  Stage s = stage_in(NULL);
  const double bad[] = {NAN, INFINITY, -INFINITY, 1.1e7, -1e300};
  ImpVec2 tip = {1, 2};
  ImpHit hit, before;
  memset(&hit, 7, sizeof hit);
  before = hit;
  bool any = true;
  int count = -7;
  ImpTravel none = {0};
  ImpImpact impact;
  for (int i = 0; i < 5; ++i) {
    ImpVec2 x = {bad[i], 0}, y = {0, bad[i]};
    ImpRay rays[2] = {{sky, ground}, {sky, y}};
    ImpProbe probe = {.points = &tip, .count = 1, .position = y}, far = {.points = &y, .count = 1};
    ImpProbe fat = {.points = &tip, .count = 1, .radius = bad[i]}, turned = {.points = &tip, .count = 1};
    ImpTravel away = {.travel = x}, turning = {.turn = bad[i]};
    turned.angle = bad[i];
    CHECK(imp_world_raycast(s.world, x, sky, NULL, &hit) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_raycast(s.world, sky, y, NULL, &hit) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_raycast_any(s.world, sky, x, NULL, &any) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_raycast_all(s.world, y, sky, NULL, &count) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_raycast_many(s.world, rays, 2, NULL, &hit, &count) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_shapecast(s.world, &probe, tip, NULL, &hit) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_shapecast(s.world, &far, tip, NULL, &hit) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_shapecast(s.world, &fat, tip, NULL, &hit) == IMP_ERR_ARGUMENT);
    if (bad[i] != 1.1e7) { // as an angle 1.1e7 is valid
      CHECK(imp_world_overlap(s.world, &turned, NULL, &count) == IMP_ERR_ARGUMENT);
    }
    turned.angle = 0;
    CHECK(imp_world_shapecast(s.world, &turned, x, NULL, &hit) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_overlap_point(s.world, y, NULL, &count) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_overlap_circle(s.world, x, 1, NULL, &count) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_overlap_circle(s.world, tip, bad[i], NULL, &count) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_overlap_box(s.world, (ImpAabb){x, tip}, NULL, &count) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_overlap_box(s.world, (ImpAabb){{0, 0}, y}, NULL, &count) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_time_of_impact(s.world, s.flat, away, s.round, none, 0, &impact) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_time_of_impact(s.world, s.flat, none, s.round, turning, 0, &impact) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_time_of_impact(s.world, s.flat, none, s.round, none, bad[i], &impact) == IMP_ERR_ARGUMENT);
  }
  CHECK(imp_world_overlap_box(s.world, (ImpAabb){{1, 0}, {0, 1}}, NULL, &count) == IMP_ERR_ARGUMENT);
  CHECK(strstr(imp_last_error(), "lower corner") != NULL);
  CHECK(memcmp(&hit, &before, sizeof hit) == 0 && any && count == -7);
  MUST(imp_world_raycast(s.world, sky, ground, NULL, &hit));
  CHECK(hit.shape.id == s.round.id);
  imp_world_destroy(s.world);
}


static void wrong_shapes_are_refused(void) {
  Stage s = stage_in(NULL);
  ImpVec2 twice[2] = {{1, 1}, {1, 1}}, hollow[4] = {{0, 0}, {2, 0}, {0.1, 0.1}, {0, 2}}, many[IMP_MAX_VERTICES + 1];
  memset(many, 0, sizeof many);
  int count = -7;
  CHECK(imp_world_overlap(s.world, &(ImpProbe){.points = many}, NULL, &count) == IMP_ERR_ARGUMENT);
  CHECK(imp_world_overlap(s.world, &(ImpProbe){.points = many, .count = -1}, NULL, &count) == IMP_ERR_ARGUMENT);
  CHECK(imp_world_overlap(s.world, &(ImpProbe){.points = many, .count = IMP_MAX_VERTICES + 1}, NULL, &count) ==
        IMP_ERR_ARGUMENT);
  CHECK(imp_world_overlap(s.world, &(ImpProbe){.points = twice, .count = 2}, NULL, &count) == IMP_ERR_ARGUMENT);
  CHECK(imp_world_overlap(s.world, &(ImpProbe){.points = hollow, .count = 4}, NULL, &count) == IMP_ERR_ARGUMENT);
  CHECK(count == -7);
  imp_world_destroy(s.world);
}


static void invalid_handles_are_refused(void) {
  Stage s = stage_in(NULL), other = stage_in(NULL);
  ImpClosest closest;
  ImpImpact impact;
  ImpTravel none = {0};
  ImpHit hit;
  int count;
  CHECK(imp_world_closest(s.world, s.round, other.flat, &closest) != IMP_OK);
  MUST(imp_shape_destroy(s.world, s.round));
  CHECK(imp_world_closest(s.world, s.round, s.flat, &closest) == IMP_ERR_HANDLE);
  CHECK(imp_world_closest(s.world, s.flat, s.round, &closest) == IMP_ERR_HANDLE);
  CHECK(imp_world_time_of_impact(s.world, s.flat, none, s.round, none, 0, &impact) == IMP_ERR_HANDLE);
  CHECK(imp_world_overlap(s.world, &(ImpProbe){.shape = s.round}, NULL, &count) == IMP_ERR_HANDLE);
  CHECK(imp_world_shapecast(s.world, &(ImpProbe){.shape = s.round}, sky, NULL, &hit) == IMP_ERR_HANDLE);
  // Destroyed shapes in the list of ignored shapes match nothing.
  ImpQueryFilter filter = imp_query_filter();
  filter.ignored_shapes = &s.round;
  filter.ignored_shape_count = 1;
  MUST(imp_world_raycast(s.world, sky, ground, &filter, &hit));
  CHECK(hit.shape.id == s.flat.id);
  imp_world_destroy(s.world);
  imp_world_destroy(other.world);
}


static bool yes(ImpWorld *world, ImpShape shape, void *user) {
  (void)user;
  return imp_shape_is_valid(world, shape);
}


static void all_kinds(ImpWorld *world, ImpShape round, ImpStatus *out_worst) {
  ImpQueryFilter filter = imp_query_filter();
  filter.accept = yes;
  ImpHit hit;
  int count;
  bool any;
  ImpProbe probe = {.shape = round};
  ImpStatus status[] = {imp_world_raycast(world, sky, ground, NULL, &hit),
                        imp_world_raycast(world, sky, ground, &filter, &hit),
                        imp_world_raycast_any(world, sky, ground, &filter, &any),
                        imp_world_raycast_all(world, sky, ground, NULL, &count),
                        imp_world_overlap_box(world, (ImpAabb){ground, sky}, NULL, &count),
                        imp_world_overlap_point(world, vec(0, -0.5), NULL, &count),
                        imp_world_shapecast(world, &probe, vec(0, -9), NULL, &hit)};
  for (int i = 0; i < 7; ++i) {
    CHECK(status[i] == IMP_OK || status[i] == IMP_ERR_NOMEM);
    if (status[i] != IMP_OK) *out_worst = status[i];
  }
}


typedef struct Handler {
  ImpShape round;
  ImpBody ball;
  ImpStatus worst;
} Handler;

static void ask_in_substep(ImpWorld *world, double h, void *user) {
  (void)h;
  Handler *handler = user;
  all_kinds(world, handler->round, &handler->worst);
  // The ball leaves its enlarged bounding box.
  ImpStatus pushed = imp_body_apply_impulse(world, handler->ball, vec(500, 0));
  CHECK(pushed == IMP_OK || pushed == IMP_ERR_NOMEM);
}


static void out_of_memory_leaves_the_world_valid(void) {
  bool failed_outside = false, failed_inside = false;
  for (long at = 1; at < 40; ++at) {
    Memory memory = {0};
    Stage s = stage_in(&memory);
    ImpStatus outside = IMP_OK;
    Handler handler = {s.round, s.ball, IMP_OK};
    memory.requests = 0;
    memory.fail_at = at;
    all_kinds(s.world, s.round, &outside);
    imp_world_set_substep_callback(s.world, ask_in_substep, &handler);
    ImpStatus stepped = imp_world_step(s.world);
    CHECK(stepped == IMP_OK || stepped == IMP_ERR_NOMEM);
    memory.fail_at = 0;
    ImpHit hit;
    int count;
    MUST(imp_world_raycast_all(s.world, vec(-1, -0.5), vec(1, -0.5), NULL, &count));
    CHECK(count == 1 && imp_world_hits(s.world, &count)[0].shape.id == s.flat.id);
    MUST(imp_world_raycast(s.world, sky, ground, NULL, &hit));
    CHECK(hit.shape.id != 0);
    failed_outside = failed_outside || outside == IMP_ERR_NOMEM;
    failed_inside = failed_inside || handler.worst == IMP_ERR_NOMEM;
    imp_world_destroy(s.world);
    CHECK(memory.bytes == 0);
  }
  CHECK(failed_outside && failed_inside);
}


// A predicate that makes a query. The inner query does not change the results of the outer query.
static bool ask_another(ImpWorld *world, ImpShape shape, void *user) {
  int *depth = user, count;
  ImpQueryFilter filter = imp_query_filter();
  filter.accept = ask_another;
  filter.user = depth;
  CHECK(imp_shape_is_valid(world, shape));
  if (++*depth < 5) {
    MUST(imp_world_overlap_box(world, (ImpAabb){{-20, -20}, {20, 20}}, &filter, &count));
    CHECK(count == 2);
  }
  --*depth;
  return true;
}


static void queries_can_be_nested(void) {
  Stage s = stage_in(NULL);
  ImpQueryFilter filter = imp_query_filter();
  int depth = 0, count = 0;
  filter.accept = ask_another;
  filter.user = &depth;
  MUST(imp_world_raycast_all(s.world, sky, ground, &filter, &count));
  const ImpHit *hits = imp_world_hits(s.world, &count);
  CHECK(count == 2 && hits[0].shape.id == s.round.id && hits[1].shape.id == s.flat.id);
  imp_world_destroy(s.world);
}


int main(void) {
  RUN(wrong_numbers_are_refused_and_nothing_is_written);
  RUN(wrong_shapes_are_refused);
  RUN(invalid_handles_are_refused);
  RUN(out_of_memory_leaves_the_world_valid);
  RUN(queries_can_be_nested);
  return check_report("query_misuse");
}
