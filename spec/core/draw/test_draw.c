// The draw list in C: errors, and a valid list if memory runs out at any moment.
#include "base/base.h"

#include "failing_memory.h"
#include "rig.h"

static ImpWorld *make_scene(void) {
  ImpWorld *world = NULL;
  ImpWorldDef def = imp_world_def();
  MUST(imp_world_create(&def, &world));
  ImpShapeDef shape_def = imp_shape_def();
  ImpShape shape;
  MUST(imp_body_add_box(world, add_body(world, IMP_BODY_STATIC, 0, -0.5, 0), &shape_def, 20, 1, (ImpVec2){0, 0}, 0, 0,
                        &shape));
  for (int i = 0; i < 20; ++i) {
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 0, 0.5 + i, 0);
    MUST(imp_body_set_name(world, body, "crate"));
    MUST(imp_body_add_box(world, body, &shape_def, 1, 1, (ImpVec2){0, 0}, 0, 0, &shape));
  }
  for (int i = 0; i < 10; ++i) MUST(imp_world_step(world));
  return world;
}


static ImpDrawOptions everything(void) {
  ImpDrawOptions options = imp_draw_options();
  options.contacts = options.normals = options.forces = options.rows = options.boxes = true;
  options.centers = options.velocities = options.names = options.friction = true;
  return options;
}


// Check that every item's points and text are inside the list's arrays.
static void check_whole(const ImpDrawList *list) {
  int count, points = 0;
  const ImpDrawItem *items = imp_draw_items(list, &count);
  for (int i = 0; i < count; ++i) {
    CHECK(items[i].first >= 0 && items[i].count >= 0);
    if (items[i].first + items[i].count > points) points = items[i].first + items[i].count;
    CHECK((items[i].kind == IMP_DRAW_TEXT) == (items[i].text >= 0));
    if (items[i].text >= 0) CHECK(imp_draw_texts(list)[items[i].text] == 'c');
  }
  for (int i = 0; i < points; ++i) CHECK(isfinite(imp_draw_points(list)[i].x) && isfinite(imp_draw_points(list)[i].y));
}


static void out_of_memory_leaves_a_valid_list(void) {
  ImpWorld *world = make_scene();
  ImpDrawOptions options = everything();
  bool failed = true;
  long at = 0;
  while (failed) {
    Memory memory = {.fail_at = ++at};
    ImpAllocator allocator = {reallocate, &memory};
    ImpDrawList *list = NULL;
    failed = false;
    if (imp_draw_create(&allocator, &list) == IMP_OK) {
      ImpStatus status = imp_draw_world(list, world, &options);
      failed = status != IMP_OK;
      CHECK(status == IMP_OK || status == IMP_ERR_NOMEM);
      check_whole(list);
      imp_draw_clear(list);
      // The allocator fails only once, so the second call succeeds.
      CHECK(imp_draw_world(list, world, &options) == IMP_OK);
      check_whole(list);
    } else {
      failed = true;
      CHECK(list == NULL);
    }
    imp_draw_destroy(list);
    CHECK(memory.bytes == 0);
  }
  CHECK(at > 10);
  imp_world_destroy(world);
}


// A joint of each kind that connects two bodies, a gear, and a broken joint.
static ImpWorld *make_machine(void) {
  static const ImpJointKind kinds[] = {IMP_JOINT_REVOLUTE, IMP_JOINT_PRISMATIC, IMP_JOINT_WELD,     IMP_JOINT_WHEEL,
                                       IMP_JOINT_PIN_SLOT, IMP_JOINT_DISTANCE,  IMP_JOINT_ROPE,     IMP_JOINT_FRICTION,
                                       IMP_JOINT_REVOLUTE, IMP_JOINT_REVOLUTE,  IMP_JOINT_REVOLUTE, IMP_JOINT_WELD};
  ImpWorld *world = make_rig(IMP_SOLVER_SOFT, 60, 0, -9.81);
  ImpJoint joints[IMPI_COUNT(kinds)];
  for (int i = 0; i < IMPI_COUNT(kinds); ++i) {
    joints[i] = hang(world, kinds[i], add_mass(world, 3 * i + 0.5, -1, 2, 1), 3 * i, 0);
  }
  couple(world, IMP_JOINT_GEAR, (ImpCoordinate){joints[8], 0}, (ImpCoordinate){joints[9], 0}, 2);
  set_drive(world, joints[10], 0, spring_of(40, 1));
  MUST(imp_joint_set(world, joints[11], IMP_JOINT_BREAK_FORCE, 1e-3));
  run(world, 5);
  CHECK(joint_get(world, joints[11], IMP_JOINT_BROKEN) == 1);
  return world;
}


static void every_failed_request_for_memory_is_reported(void) {
  enum { MOST = 400 };
  ImpWorld *worlds[] = {make_scene(), make_machine()};
  ImpDrawOptions options = everything();
  ImpDrawItem dot = {.kind = IMP_DRAW_FILL, .count = 1, .radius = 1};
  int failures = 0;
  for (int n = 0; n < MOST; ++n) {
    for (int later = 1; later <= 2; ++later) {
      Memory memory = {0};
      ImpAllocator allocator = {reallocate, &memory};
      ImpDrawList *list = NULL;
      MUST(imp_draw_create(&allocator, &list));
      for (int i = 0; i < n; ++i) MUST(imp_draw_add(list, &dot, &(ImpVec2){0, 0}, NULL, NULL));
      memory.fail_at = memory.requests + later;
      ImpStatus status = imp_draw_world(list, worlds[n % 2], &options);
      CHECK(status == (memory.failed ? IMP_ERR_NOMEM : IMP_OK));
      failures += memory.failed;
      imp_draw_destroy(list);
    }
  }
  CHECK(failures > MOST);
  imp_world_destroy(worlds[0]);
  imp_world_destroy(worlds[1]);
}


static void a_cleared_list_needs_no_more_memory(void) {
  ImpWorld *world = make_scene();
  ImpDrawOptions options = everything();
  Memory memory = {0};
  ImpAllocator allocator = {reallocate, &memory};
  ImpDrawList *list = NULL;
  MUST(imp_draw_create(&allocator, &list));
  MUST(imp_draw_world(list, world, &options));
  long requests = memory.requests;
  for (int i = 0; i < 100; ++i) {
    imp_draw_clear(list);
    MUST(imp_draw_world(list, world, &options));
  }
  CHECK(memory.requests == requests);
  imp_draw_destroy(list);
  imp_world_destroy(world);
}


// Without memory for the poses, the body is drawn at its current pose.
static void poses_are_unchanged_without_memory(void) {
  Memory memories[2] = {{0}, {0}};
  ImpAllocator allocators[2] = {{reallocate, &memories[0]}, {reallocate, &memories[1]}};
  ImpPoses *poses = NULL;
  ImpWorld *world = NULL;
  ImpWorldDef def = imp_world_def();
  def.allocator = allocators[0];
  MUST(imp_world_create(&def, &world));
  MUST(imp_poses_create(&allocators[1], &poses));
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 1, 2, 0);
  MUST(imp_body_set_velocity(world, body, (ImpVec2){6, 0}));
  for (int n = 1; n >= 0; --n) {
    memories[n].fail_at = memories[n].requests + 1;
    CHECK(imp_poses_store(poses, world) == IMP_ERR_NOMEM);
    MUST(imp_world_step(world));
    ImpTransform now, drawn;
    MUST(imp_poses_set_fraction(poses, 0.5));
    MUST(imp_body_transform(world, body, &now));
    MUST(imp_poses_body(poses, world, body, &drawn, NULL));
    CHECK(now.p.x == drawn.p.x && now.p.y == drawn.p.y);
    memories[n].fail_at = 0;
  }
  MUST(imp_poses_store(poses, world));
  imp_poses_destroy(poses);
  CHECK(memories[1].bytes == 0);
  imp_poses_destroy(NULL);
  imp_world_destroy(world);
  CHECK(memories[0].bytes == 0);
}


static void a_color_can_be_set_for_existing_items_only(void) {
  ImpWorld *world = make_scene();
  ImpDrawList *list = NULL;
  ImpDrawOptions options = everything();
  MUST(imp_draw_create(NULL, &list));
  MUST(imp_draw_world(list, world, &options));
  int count;
  const ImpDrawItem *items = imp_draw_items(list, &count);
  MUST(imp_draw_set_color(list, count - 1, 0x112233ff));
  CHECK(items[count - 1].color == 0x112233ff && items[count - 2].color != 0x112233ff);
  CHECK(imp_draw_set_color(list, count, 0) == IMP_ERR_ARGUMENT);
  CHECK(imp_draw_set_color(list, -1, 0) == IMP_ERR_ARGUMENT);
  imp_draw_destroy(list);
  imp_world_destroy(world);
}


// A stack is one island. Its size is returned even if the arrays are short.
static void islands_are_counted_without_room_for_them(void) {
  ImpWorld *world = make_scene();
  ImpBody bodies[30];
  int32_t islands[30];
  int count = -1;
  MUST(imp_world_islands(world, NULL, NULL, 0, &count));
  CHECK(count == 20);
  for (int i = 0; i < 30; ++i) islands[i] = -1;
  MUST(imp_world_islands(world, bodies, islands, 5, &count));
  CHECK(count == 20 && islands[4] == 0 && islands[5] == -1);
  ImpBody lonely = add_body(world, IMP_BODY_DYNAMIC, 50, 0, 0);
  MUST(imp_world_islands(world, bodies, islands, 30, &count));
  CHECK(count == 21 && islands[19] == 0 && islands[20] == 1 && bodies[20].id == lonely.id);
  imp_world_destroy(world);
}


static void every_value_of_the_enums_has_a_name(void) {
  for (int i = 0; i < IMP_STYLE_COUNT; ++i) CHECK(imp_draw_style_name(i) != NULL);
  for (int i = 0; i < IMP_DRAW_KIND_COUNT; ++i) CHECK(imp_draw_kind_name(i) != NULL);
  CHECK(imp_draw_style_name(-1) == NULL && imp_draw_style_name(IMP_STYLE_COUNT) == NULL);
  CHECK(imp_draw_kind_name(-1) == NULL && imp_draw_kind_name(IMP_DRAW_KIND_COUNT) == NULL);
}


int main(void) {
  RUN(out_of_memory_leaves_a_valid_list);
  RUN(every_failed_request_for_memory_is_reported);
  RUN(a_cleared_list_needs_no_more_memory);
  RUN(poses_are_unchanged_without_memory);
  RUN(a_color_can_be_set_for_existing_items_only);
  RUN(islands_are_counted_without_room_for_them);
  RUN(every_value_of_the_enums_has_a_name);
  return check_report("draw");
}
