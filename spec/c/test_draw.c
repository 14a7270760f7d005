// The draw list in C: what is refused, and out of memory at any moment leaves a whole list.
#include "failing_memory.h"
#include "scene.h"

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
  options.centers = options.velocities = options.names = true;
  return options;
}


// Every item's points and text lie inside the list's.
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


static void out_of_memory_leaves_a_whole_list(void) {
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
      CHECK(imp_draw_world(list, world, &options) == IMP_OK); // the next time there is memory again
      check_whole(list);
    } else {
      failed = true;
      CHECK(list == NULL);
    }
    imp_draw_destroy(list);
    CHECK(memory.bytes == 0);
  }
  CHECK(at > 10); // it failed at many places before it went through
  imp_world_destroy(world);
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


static void names_end_where_the_enums_end(void) {
  for (int i = 0; i < IMP_STYLE_COUNT; ++i) CHECK(imp_draw_style_name(i) != NULL);
  for (int i = 0; i < IMP_DRAW_KIND_COUNT; ++i) CHECK(imp_draw_kind_name(i) != NULL);
  CHECK(imp_draw_style_name(-1) == NULL && imp_draw_style_name(IMP_STYLE_COUNT) == NULL);
  CHECK(imp_draw_kind_name(-1) == NULL && imp_draw_kind_name(IMP_DRAW_KIND_COUNT) == NULL);
}


int main(void) {
  RUN(out_of_memory_leaves_a_whole_list);
  RUN(a_cleared_list_needs_no_more_memory);
  RUN(names_end_where_the_enums_end);
  return check_report("draw");
}
