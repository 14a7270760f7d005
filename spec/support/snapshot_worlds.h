// Small worlds with objects of every kind, for specs that change snapshots.
#ifndef IMPI_SNAPSHOT_WORLDS_H
#define IMPI_SNAPSHOT_WORLDS_H

#include "snapshot_scenes.h"
#include "stress_operations.h"

enum { BUILT_WORLDS = 6, RANDOM_WORLDS = 10, FUZZED_WORLDS = BUILT_WORLDS + RANDOM_WORLDS };


static inline void add_fields(ImpWorld *world) {
  ImpField made;
  for (int i = 0; i < IMP_FIELD_CUSTOM; ++i) {
    ImpFieldDef def = imp_field_def((ImpFieldKind)i);
    def.name = "field";
    def.value[IMP_FIELD_STRENGTH] = def.value[IMP_FIELD_LINEAR] = def.value[IMP_FIELD_CIRCULATION] = 0.1;
    def.value[IMP_FIELD_DENSITY] = def.value[IMP_FIELD_STIFFNESS] = def.value[IMP_FIELD_IMPULSE] = 0.2;
    def.value[IMP_FIELD_SOFTENING] = 1;
    def.value[IMP_FIELD_DURATION] = 2;
    def.bounded = i % 2 == 0;
    def.region = (ImpAabb){{-20, -20}, {20, 20}};
    ImpBody body = imp_world_next_body(world, (ImpBody){0});
    def.bodies = &body;
    def.body_count = i % 3 == 0;
    check_that(imp_field_create(world, &def, &made) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  }
  const ImpNode nodes[] = {
      {.op = IMP_OP_X},
      {.op = IMP_OP_VX},
      {.op = IMP_OP_PARAM},
      {.op = IMP_OP_MUL, .a = 1, .b = 2},
      {.op = IMP_OP_SINE, .a = 0},
      {.op = IMP_OP_ADD, .a = 3, .b = 4},
      {.op = IMP_OP_TIME},
      {.op = IMP_OP_COSINE, .a = 6},
  };
  const int32_t results[] = {5, 7};
  const double param = -0.1;
  ImpFieldDef def = imp_field_def(IMP_FIELD_CUSTOM);
  def.tape = (ImpTapeDef){nodes, 8, results, 2, true};
  def.params = &param;
  def.param_count = 1;
  check_that(imp_field_create(world, &def, &made) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  def = imp_field_def(IMP_FIELD_CUSTOM); // a custom field whose callback is never set
  def.dynamic = true;
  check_that(imp_field_create(world, &def, &made) == IMP_OK, __FILE__, __LINE__, imp_last_error());
}


// Shapes of every kind, materials, one-way shapes and sensors, moving kinematic bodies.
static inline void build_museum(ImpWorld *world) {
  const ImpVec2 ring[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
  const ImpVec2 line[] = {{6, 0}, {2, -0.3}, {-2, 0.1}, {-6, 0}};
  const int counts[] = {4, 4};
  const double heights[] = {0, 0.4, 0.1, (double)NAN, 0.2, 0.3};
  ImpMaterialDef material_def = imp_material_def();
  int rubber = 0, ice = 0;
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  material_def.friction = 1;
  MUST(imp_world_set_material(world, "rubber", &material_def, &rubber));
  material_def.friction = 0.01;
  MUST(imp_world_set_material(world, "ice", &material_def, &ice));
  def.name = "form";
  def.material = rubber;
  ImpBody floor = add_named(world, "floor", IMP_BODY_STATIC, 0, 0);
  MUST(imp_body_add_chain(world, floor, &def, line, 4, false, &shape));
  MUST(imp_body_add_heights(world, floor, &def, vec(6, 0), 0.5, heights, 6, &shape));
  MUST(imp_body_add_segment(world, floor, &def, vec(-8, 0), vec(-6, 0), &shape));
  def.material = ice;
  ImpBody frame = add_named(world, "frame", IMP_BODY_DYNAMIC, 0, 1.5);
  MUST(imp_body_add_polygon_with_holes(world, frame, &def, ring, counts, 2, 0, &shape));
  for (int i = 0; i < 6; ++i) {
    add_piece(world, add_named(world, "piece", i == 5 ? IMP_BODY_PARTICLE : IMP_BODY_DYNAMIC, i - 3, 3.2), i);
  }
  def = imp_shape_def();
  def.one_way = vec(0, 1);
  def.pre_solve = true;
  ImpBody lift = add_named(world, "lift", IMP_BODY_KINEMATIC, 3, 0.8);
  MUST(imp_body_add_box(world, lift, &def, 2, 0.2, vec(0, 0), 0, 0, &shape));
  def = imp_shape_def();
  def.sensor = true;
  MUST(imp_body_add_circle(world, lift, &def, vec(0, 0.5), 0.7, &shape));
  MUST(imp_body_set(world, frame, IMP_BODY_LOCK_X, 1));
  MUST(imp_body_set(world, frame, IMP_BODY_MAX_SPEED, 20));
  add_fields(world);
}


// Return a world that was changed by random calls, which the seed determines.
static inline ImpWorld *random_world(uint64_t seed) {
  static Player player;
  player = (Player){.name = "random"};
  player.world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  random_state = seed * 7919 + 1;
  add_ground(player.world, imp_shape_def(), 0);
  for (int i = 0; i < 8; ++i) make_body(&player);
  for (int step = 0; step < 40; ++step) {
    for (int i = roll(6); i > 0; --i) operate(&player);
    ImpStatus status = imp_world_step(player.world);
    CHECK(status == IMP_OK);
  }
  operate(&player);
  return player.world;
}


static inline ImpWorld *fuzzed_world(int index) {
  if (index >= BUILT_WORLDS) return random_world((uint64_t)index);
  static void (*const builders[BUILT_WORLDS])(ImpWorld *) = {build_heap,   build_bridge, build_range,
                                                             build_museum, build_heap,   build_bridge};
  static void (*const acts[BUILT_WORLDS])(ImpWorld *, int) = {stir_heap, work_bridge, shoot, NULL, stir_heap, NULL};
  static const int lengths[BUILT_WORLDS] = {50, 75, 60, 40, 290, 3};
  ImpWorld *world = scene_world(index == 1 ? IMP_SOLVER_SI : IMP_SOLVER_SOFT);
  builders[index](world);
  if (builders[index] == build_range) imp_world_set_substep_callback(world, push_within, NULL);
  for (int i = 0; i < lengths[index]; ++i) {
    if (acts[index] != NULL) acts[index](world, i);
    if (index == 3) MUST(imp_body_move_to(world, named(world, "lift"), vec(3, 0.8 + 0.01 * i)));
    run(world, 1);
  }
  imp_world_set_substep_callback(world, NULL, NULL);
  imp_world_set_constraint_callback(world, NULL, NULL);
  if (index == 3) MUST(imp_body_apply_force(world, named(world, "frame"), vec(0, 3)));
  return world;
}

#endif
