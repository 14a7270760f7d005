// Mobility: degrees of freedom less the rank of the locked rows, redundant rows, and the remaining motions.
#include <stdlib.h>

#include "scene.h"

enum { MAX_BODIES = 64, MAX_NUMBERS = 3 * MAX_BODIES * 3 * MAX_BODIES };


static ImpWorld *empty_world(void) { return make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81); }


// Add a bar, which does not collide, between two points.
static ImpBody add_bar(ImpWorld *world, double x1, double y1, double x2, double y2) {
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, (x1 + x2) / 2, (y1 + y2) / 2, atan2(y2 - y1, x2 - x1));
  ImpShapeDef def = imp_shape_def();
  def.mask = 0;
  add_box(world, body, def, hypot(x2 - x1, y2 - y1), 0.1);
  return body;
}


static ImpJoint add_joint(ImpWorld *world, ImpJointDef def) {
  ImpJoint joint = {0};
  def.collide = true;
  check_that(imp_joint_create(world, &def, &joint) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  return joint;
}


static ImpJoint join(ImpWorld *world, ImpJointKind kind, ImpBody a, ImpBody b, double x, double y) {
  ImpJointDef def = imp_joint_def(kind, a, b);
  def.place_a = def.place_b = IMP_PLACE_WORLD;
  def.anchor_a = def.anchor_b = vec(x, y);
  return add_joint(world, def);
}


static ImpJoint pin(ImpWorld *world, ImpBody a, ImpBody b, double x, double y) {
  return join(world, IMP_JOINT_REVOLUTE, a, b, x, y);
}


static ImpBody ground_of(ImpWorld *world) {
  ImpBody ground = {0};
  MUST(imp_world_ground(world, &ground));
  return ground;
}


static ImpMobility mobility_of(ImpWorld *world) {
  ImpMobility found = {-1, -1, -1, -1, -1, -1};
  check_that(imp_world_mobility(world, &found) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  return found;
}


static bool is_redundant(ImpWorld *world, ImpJoint joint) {
  ImpCoordinate coordinate = {{0}, -1};
  for (int i = 0; imp_world_redundant(world, i, &coordinate) == IMP_OK; ++i) {
    if (coordinate.joint.id == joint.id) return true;
  }
  return false;
}


// ---------------------------------------------------------------------------------------------------------------------
// The null space
// ---------------------------------------------------------------------------------------------------------------------


// Return the index of a body among the dynamic ones in creation order, or -1.
static int place_of(const ImpWorld *world, ImpBody wanted) {
  int place = 0;
  ImpBody body = {0};
  while ((body = imp_world_next_body(world, body)).id != 0) {
    ImpBodyType type = IMP_BODY_STATIC;
    MUST(imp_body_type(world, body, &type));
    if (body.id == wanted.id) return type >= IMP_BODY_DYNAMIC ? place : -1;
    place += type >= IMP_BODY_DYNAMIC;
  }
  return -1;
}


// Return the largest |J n| of all locked coordinates and basis vectors.
static double worst_product(ImpWorld *world, const double *basis, int vectors, int bodies) {
  double worst = 0;
  ImpJoint joint = {0};
  while ((joint = imp_world_next_joint(world, joint)).id != 0) {
    ImpBody held[8];
    double j[24];
    int count = 0, numbers = 0, sides = 0;
    MUST(imp_joint_coordinate_count(world, joint, &count));
    MUST(imp_joint_bodies(world, joint, held, 8, &sides));
    for (int i = 0; i < count; ++i) {
      ImpDrive drive;
      MUST(imp_coordinate_drive(world, (ImpCoordinate){joint, i}, &drive));
      if (!(drive.on >> IMP_DRIVE_LOCK & 1u)) continue;
      MUST(imp_coordinate_jacobian(world, (ImpCoordinate){joint, i}, j, 24, &numbers));
      for (int k = 0; k < vectors; ++k) {
        double product = 0;
        for (int side = 0; side < sides; ++side) {
          int place = place_of(world, held[side]);
          for (int c = 0; c < 3 && place >= 0; ++c) {
            product += j[3 * side + c] * basis[k * 3 * bodies + 3 * place + c];
          }
        }
        worst = fmax(worst, fabs(product));
      }
    }
  }
  return worst;
}


// Return the largest entry of |N^T G N - 1| with G = diag(1, 1, rho^2) for each body and its radius of gyration rho.
static double worst_metric(const ImpWorld *world, const double *basis, int vectors, int bodies) {
  double weight[MAX_BODIES], worst = 0;
  ImpBody body = {0};
  while ((body = imp_world_next_body(world, body)).id != 0) {
    int place = place_of(world, body);
    if (place >= 0) weight[place] = body_get(world, body, IMP_BODY_INERTIA) / body_get(world, body, IMP_BODY_MASS);
  }
  for (int a = 0; a < vectors; ++a) {
    for (int b = 0; b < vectors; ++b) {
      double sum = a == b ? -1 : 0;
      for (int i = 0; i < bodies; ++i) {
        const double *p = basis + a * 3 * bodies + 3 * i, *q = basis + b * 3 * bodies + 3 * i;
        sum += p[0] * q[0] + p[1] * q[1] + weight[i] * p[2] * q[2];
      }
      worst = fmax(worst, fabs(sum));
    }
  }
  return worst;
}


// Check that the basis N has as many vectors as the mobility, is orthonormal, and satisfies J N = 0.
static void check_nullspace(ImpWorld *world, int mobility) {
  static double basis[MAX_NUMBERS];
  int vectors = -1, bodies = -1;
  CHECK(imp_world_nullspace(world, basis, MAX_NUMBERS, &vectors, &bodies) == IMP_OK);
  CHECK(vectors == mobility && vectors * 3 * bodies <= MAX_NUMBERS);
  double product = worst_product(world, basis, vectors, bodies), metric = worst_metric(world, basis, vectors, bodies);
  CHECK(product <= 1e-12); // the required accuracy of J N = 0
  CHECK(metric <= 1e-12);  // two passes of Gram-Schmidt leave rounding of 1e-15
  measured("worst |J N|, expected 1e-12", product);
  measured("worst |N^T N - 1|", metric);
}


static void check_mobility(ImpWorld *world, int freedom, int rank, int rows) {
  ImpMobility found = mobility_of(world);
  CHECK(found.freedom == freedom && found.rank == rank && found.mobility == freedom - rank);
  CHECK(found.rows == rows && found.redundant == rows - rank);
  check_nullspace(world, freedom - rank);
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies and kinds
// ---------------------------------------------------------------------------------------------------------------------


static void a_free_body_has_three_degrees_of_freedom_and_a_particle_two(void) {
  ImpWorld *world = empty_world();
  check_mobility(world, 0, 0, 0);
  add_bar(world, 0, 0, 1, 0);
  check_mobility(world, 3, 0, 0);
  add_body(world, IMP_BODY_PARTICLE, 3, 0, 0);
  check_mobility(world, 5, 0, 0);
  ImpBody upright = add_bar(world, 0, 3, 1, 3);
  MUST(imp_body_set(world, upright, IMP_BODY_FIXED_ROTATION, 1));
  check_mobility(world, 7, 0, 0);
  add_body(world, IMP_BODY_STATIC, 0, 5, 0);
  add_body(world, IMP_BODY_KINEMATIC, 0, 6, 0);
  check_mobility(world, 7, 0, 0);
  imp_world_destroy(world);
}


static void each_kind_removes_as_many_freedoms_as_it_has_locks(void) {
  const struct {
    ImpJointKind kind;
    int takes;
  } kinds[] = {
      {IMP_JOINT_REVOLUTE, 2}, {IMP_JOINT_PRISMATIC, 2}, {IMP_JOINT_WELD, 3},   {IMP_JOINT_PIN_SLOT, 1},
      {IMP_JOINT_WHEEL, 1},    {IMP_JOINT_DISTANCE, 1},  {IMP_JOINT_ROPE, 0},   {IMP_JOINT_POSE, 0},
      {IMP_JOINT_RATCHET, 0},  {IMP_JOINT_FRICTION, 0},  {IMP_JOINT_PULLEY, 1},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    ImpWorld *world = empty_world();
    ImpBody a = add_bar(world, 0, 0, 1, 0), b = add_bar(world, 1, 0, 2, 0.5);
    ImpJointDef def = imp_joint_def(kinds[i].kind, a, b);
    def.place_a = def.place_b = IMP_PLACE_LOCAL; // the distance has a direction only if the anchors are apart
    if (imp_joint_kind((int)kinds[i].kind)->options & IMP_TAKES_ANCHOR) {
      def.place_a = IMP_PLACE_DEFAULT;
    }
    def.ground_a = vec(0.3, 4);
    def.ground_b = vec(1.7, 4);
    def.pitch = kinds[i].kind == IMP_JOINT_RATCHET ? 0.1 : 0;
    add_joint(world, def);
    check_mobility(world, 6, kinds[i].takes, kinds[i].takes);
    imp_world_destroy(world);
  }
}


static void a_gear_removes_one_freedom_of_two_pinned_wheels(void) {
  ImpWorld *world = empty_world();
  ImpBody ground = ground_of(world), a = drop_disc(world, imp_shape_def(), 0, 0, 0.5);
  ImpBody b = drop_disc(world, imp_shape_def(), 3, 0, 1);
  ImpJointDef def = imp_joint_def(IMP_JOINT_GEAR, (ImpBody){0}, (ImpBody){0});
  def.term[0] = (ImpCoordinate){pin(world, ground, a, 0, 0), 2};
  def.term[1] = (ImpCoordinate){pin(world, ground, b, 3, 0), 2};
  def.ratio = 2;
  check_mobility(world, 6, 4, 4);
  add_joint(world, def);
  check_mobility(world, 6, 5, 5);
  double basis[6];
  int vectors = 0, bodies = 0;
  MUST(imp_world_nullspace(world, basis, 6, &vectors, &bodies));
  CHECK(vectors == 1 && bodies == 2);
  CHECK_NEAR(basis[2] + 2 * basis[5], 0, 1e-12); // the equation of the gear
  imp_world_destroy(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Linkages
// ---------------------------------------------------------------------------------------------------------------------


static void a_four_bar_has_one_freedom(void) {
  ImpWorld *world = empty_world();
  ImpBody ground = ground_of(world);
  ImpBody crank = add_bar(world, 0, 0, 0.3, 0.8), coupler = add_bar(world, 0.3, 0.8, 2.4, 1.5);
  ImpBody rocker = add_bar(world, 2.4, 1.5, 2, 0);
  pin(world, ground, crank, 0, 0);
  pin(world, crank, coupler, 0.3, 0.8);
  pin(world, coupler, rocker, 2.4, 1.5);
  pin(world, rocker, ground, 2, 0);
  check_mobility(world, 9, 8, 8);
  run(world, 60);
  check_mobility(world, 9, 8, 8);
  imp_world_destroy(world);
}


static void two_bars_and_the_ground_make_a_rigid_triangle(void) {
  ImpWorld *world = empty_world();
  ImpBody ground = ground_of(world), a = add_bar(world, 0, 0, 1, 1.5), b = add_bar(world, 1, 1.5, 2, 0);
  pin(world, ground, a, 0, 0);
  pin(world, a, b, 1, 1.5);
  pin(world, b, ground, 2, 0);
  check_mobility(world, 6, 6, 6);
  imp_world_destroy(world);
}


static void a_second_pin_at_the_same_place_is_redundant(void) {
  ImpWorld *world = empty_world();
  ImpBody ground = ground_of(world), bar = add_bar(world, 0, 0, 1, 0.3);
  ImpJoint first = pin(world, ground, bar, 0, 0), second = pin(world, ground, bar, 0, 0);
  check_mobility(world, 3, 2, 4);
  CHECK(is_redundant(world, second) && !is_redundant(world, first));
  ImpCoordinate coordinate = {{0}, -1};
  for (int i = 0; i < 2; ++i) {
    MUST(imp_world_redundant(world, i, &coordinate));
    CHECK(coordinate.joint.id == second.id && coordinate.index == i);
  }
  CHECK(imp_world_redundant(world, 2, &coordinate) == IMP_ERR_ARGUMENT && coordinate.index == 1);
  imp_world_destroy(world);
}


// Three parallel bars of one length. The third pair of pins is redundant in one direction.
static void a_parallelogram_with_an_extra_bar_still_moves(void) {
  ImpWorld *world = empty_world();
  ImpBody ground = ground_of(world), top = add_bar(world, 0.3, 1, 2.3, 1);
  ImpJoint last = {0};
  for (int i = 0; i < 3; ++i) {
    ImpBody bar = add_bar(world, i, 0, i + 0.3, 1);
    pin(world, ground, bar, i, 0);
    last = pin(world, bar, top, i + 0.3, 1);
  }
  check_mobility(world, 12, 11, 12);
  CHECK(is_redundant(world, last));
  MUST(imp_joint_destroy(world, last));
  check_mobility(world, 12, 10, 10);
  imp_world_destroy(world);
}


// A last bar whose length differs by `off` [m] locks the linkage. If the directions of two rows differ by less than
// 3e-7 rad (IMPI_REDUNDANT), one of the rows is redundant, and the linkage moves.
static void an_extra_bar_of_another_length_locks_the_parallelogram(void) {
  for (double off = 1e-9; off < 0.1; off *= 10) {
    if (off > 5e-8 && off < 5e-6) continue; // too near the limit of redundancy
    ImpWorld *world = empty_world();
    ImpBody ground = ground_of(world), top = add_bar(world, 0.3, 1, 2.3, 1);
    for (int i = 0; i < 3; ++i) {
      double foot = i + (i == 2 ? off : 0);
      ImpBody bar = add_bar(world, foot, 0, i + 0.3, 1);
      pin(world, ground, bar, foot, 0);
      pin(world, bar, top, i + 0.3, 1);
    }
    ImpMobility found = mobility_of(world);
    CHECK(found.rank == (off > 1e-7 ? 12 : 11) && found.redundant == 12 - found.rank);
    imp_world_destroy(world);
  }
}


static void a_lock_of_a_fixed_rotation_is_redundant(void) {
  ImpWorld *world = empty_world();
  ImpBody ground = ground_of(world), bar = add_bar(world, 0, 0, 1, 0);
  MUST(imp_body_set(world, bar, IMP_BODY_FIXED_ROTATION, 1));
  join(world, IMP_JOINT_WELD, ground, bar, 0.5, 0); // the bar cannot rotate, so the lock of the angle is redundant
  check_mobility(world, 2, 2, 3);
  imp_world_destroy(world);
}


// Linkages from centimetres to tens of kilometres. Redundancy does not depend on the unit of length.
static void units_do_not_change_the_rank(void) {
  for (double scale = 1e-2; scale < 1e4; scale *= 10) {
    ImpWorld *world = empty_world();
    ImpBody ground = ground_of(world), bar = add_bar(world, 0, 0, 2 * scale, scale);
    join(world, IMP_JOINT_WELD, ground, bar, 0, 0);
    join(world, IMP_JOINT_WELD, ground, bar, 2 * scale, scale);
    check_mobility(world, 3, 3, 6);
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Custom constraints
// ---------------------------------------------------------------------------------------------------------------------


static void give_rows(ImpWorld *world, ImpJoint joint, double upper) {
  const double along[] = {1, 0, 0}, across[] = {0, 1, 0.5};
  const ImpUserRow rows[] = {
      {.j = along, .lower = -(double)INFINITY, .upper = (double)INFINITY},
      {.j = across, .lower = -upper, .upper = upper},
  };
  MUST(imp_constraint_set_rows(world, joint, rows, 2));
}


static void tapes_and_unbounded_rows_remove_freedoms(void) {
  ImpWorld *world = empty_world();
  ImpBody bead = add_bar(world, 0, 0, 1, 0), skate = add_bar(world, 4, 0, 5, 0);
  ImpConstraintDef def = imp_constraint_def();
  const ImpNode wire[] = {{.op = IMP_OP_X}, {.op = IMP_OP_Y}, {.op = IMP_OP_MUL}, {.op = IMP_OP_SUB, .a = 1, .b = 2}};
  const ImpNode edge[] = {{.op = IMP_OP_SIN},
                          {.op = IMP_OP_COS},
                          {.op = IMP_OP_VX},
                          {.op = IMP_OP_VY},
                          {.op = IMP_OP_MUL, .a = 0, .b = 2},
                          {.op = IMP_OP_MUL, .a = 1, .b = 3},
                          {.op = IMP_OP_SUB, .a = 5, .b = 4}};
  const int32_t last[] = {3, 6};
  def.bodies = &bead;
  def.body_count = 1;
  def.tape = (ImpTapeDef){wire, 4, &last[0], 1, false};
  ImpJoint joint;
  check_that(imp_constraint_create(world, &def, &joint) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  check_mobility(world, 6, 1, 1);
  def.bodies = &skate; // the skate has no speed across its blade
  def.tape = (ImpTapeDef){edge, 7, &last[1], 1, true};
  check_that(imp_constraint_create(world, &def, &joint) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  check_mobility(world, 6, 2, 2);
  def.tape = (ImpTapeDef){0};
  def.max_rows = 2;
  check_that(imp_constraint_create(world, &def, &joint) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  CHECK(mobility_of(world).rank == 2);
  give_rows(world, joint, 10); // a row of bounded force is no lock
  CHECK(mobility_of(world).rank == 3 && mobility_of(world).rows == 3);
  give_rows(world, joint, (double)INFINITY);
  CHECK(mobility_of(world).rank == 4 && mobility_of(world).rows == 4);
  imp_world_destroy(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Active rows, islands, limits
// ---------------------------------------------------------------------------------------------------------------------


static void broken_joints_and_other_drives_remove_no_freedom(void) {
  ImpWorld *world = empty_world();
  ImpBody ground = ground_of(world), bar = add_bar(world, 0, 0, 1, 0);
  ImpJoint joint = pin(world, ground, bar, 0, 0);
  check_mobility(world, 3, 2, 2);
  ImpDrive motor = imp_drive();
  motor.on = 1u << IMP_DRIVE_MOTOR;
  motor.speed = 1;
  MUST(imp_coordinate_set_drive(world, (ImpCoordinate){joint, 2}, &motor));
  check_mobility(world, 3, 2, 2);
  motor.on = 1u << IMP_DRIVE_LOCK;
  MUST(imp_coordinate_set_drive(world, (ImpCoordinate){joint, 2}, &motor));
  check_mobility(world, 3, 3, 3);
  MUST(imp_joint_break(world, joint, false));
  ImpMobility broken = mobility_of(world);
  CHECK(broken.mobility == 3 && broken.rows == 0);
  imp_world_destroy(world);
}


static void the_mobility_of_islands_adds_up(void) {
  ImpWorld *world = empty_world();
  ImpBody ground = ground_of(world), bars[12];
  for (int i = 0; i < 12; ++i) { // the bodies of a pendulum are not adjacent in creation order
    bars[i] = add_bar(world, i, 0, i + 1, 0);
  }
  for (int i = 0; i < 6; ++i) {
    pin(world, bars[i], bars[11 - i], i + 1, 0);
    pin(world, ground, bars[i], i, 0);
  }
  check_mobility(world, 36, 24, 24);
  imp_world_destroy(world);
}


static void the_null_space_is_truncated_to_the_given_room(void) {
  ImpWorld *world = empty_world();
  ImpBody ground = ground_of(world), bar = add_bar(world, 0, 0, 1, 0);
  add_bar(world, 0, 5, 1, 5);
  pin(world, ground, bar, 0, 0);
  double whole[24], part[24];
  int vectors = -1, bodies = -1;
  MUST(imp_world_nullspace(world, NULL, 0, &vectors, &bodies));
  CHECK(vectors == 4 && bodies == 2);
  MUST(imp_world_nullspace(world, whole, 24, &vectors, &bodies));
  for (int room = 0; room <= 24; ++room) {
    for (int i = 0; i < 24; ++i) {
      part[i] = 77;
    }
    MUST(imp_world_nullspace(world, part, room, &vectors, &bodies));
    CHECK(vectors == 4 && bodies == 2);
    for (int i = 0; i < 24; ++i) {
      CHECK(part[i] == (i < room ? whole[i] : 77));
    }
  }
  imp_world_destroy(world);
}


// A chain of many links has a large matrix with rounding errors.
static void a_long_chain_swings_at_every_link(void) {
  ImpWorld *world = empty_world();
  ImpBody previous = ground_of(world);
  for (int i = 0; i < MAX_BODIES; ++i) {
    ImpBody bar = add_bar(world, i, 0.1 * (i % 2), i + 1, 0.1 * ((i + 1) % 2));
    pin(world, previous, bar, i, 0.1 * (i % 2));
    previous = bar;
  }
  check_mobility(world, 3 * MAX_BODIES, 2 * MAX_BODIES, 2 * MAX_BODIES);
  imp_world_destroy(world);
}


static void an_island_of_too_many_freedoms_is_refused(void) {
  ImpWorld *world = empty_world();
  ImpBody previous = ground_of(world);
  int needed = IMP_MAX_MOBILITY_FREEDOM / 2 + 1;
  ImpMobility found = {.freedom = -1};
  for (int i = 0; i < needed; ++i) {
    ImpBody particle = add_body(world, IMP_BODY_PARTICLE, i + 1, 0, 0);
    ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, previous, particle);
    if (i > 0) add_joint(world, def);
    previous = particle;
  }
  CHECK(imp_world_mobility(world, &found) == IMP_ERR_LIMIT && found.freedom == -1);
  CHECK(strstr(imp_last_error(), "3000") != NULL);
  imp_world_destroy(world);
}


// An allocator; `user` is the number of requests that still succeed.
static void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
  long *left = user;
  (void)old_size;
  if (new_size == 0) {
    free(old);
    return NULL;
  }
  return (*left)-- > 0 ? realloc(old, new_size) : NULL;
}


static void running_out_of_memory_changes_nothing(void) {
  long left = 1000000;
  ImpWorldDef def = imp_world_def();
  def.allocator = (ImpAllocator){reallocate, &left};
  ImpWorld *world = NULL;
  MUST(imp_world_create(&def, &world));
  ImpBody ground = ground_of(world), bar = add_bar(world, 0, 0, 1, 0);
  pin(world, ground, bar, 0, 0);
  pin(world, ground, bar, 0, 0);
  ImpMobility found = mobility_of(world);
  size_t bytes = imp_world_counts(world).bytes;
  double basis[9];
  int vectors = -1, bodies = -1, failures = 0;
  for (ImpStatus status = IMP_ERR_NOMEM; status == IMP_ERR_NOMEM; ++failures) {
    ImpMobility again = {.rank = -1};
    left = failures;
    status = imp_world_mobility(world, &again);
    CHECK(status == IMP_OK ? again.rank == found.rank : again.rank == -1);
    left = failures;
    status = imp_world_nullspace(world, basis, 9, &vectors, &bodies) == IMP_OK ? status : IMP_ERR_NOMEM;
    CHECK(imp_world_counts(world).bytes == bytes);
    ImpCoordinate kept;
    CHECK(imp_world_redundant(world, 1, &kept) == IMP_OK); // rows of the last successful call
  }
  CHECK(failures > 3 && vectors == 1 && bodies == 1);
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_free_body_has_three_degrees_of_freedom_and_a_particle_two);
  RUN(each_kind_removes_as_many_freedoms_as_it_has_locks);
  RUN(a_gear_removes_one_freedom_of_two_pinned_wheels);
  RUN(a_four_bar_has_one_freedom);
  RUN(two_bars_and_the_ground_make_a_rigid_triangle);
  RUN(a_second_pin_at_the_same_place_is_redundant);
  RUN(a_parallelogram_with_an_extra_bar_still_moves);
  RUN(an_extra_bar_of_another_length_locks_the_parallelogram);
  RUN(a_lock_of_a_fixed_rotation_is_redundant);
  RUN(units_do_not_change_the_rank);
  RUN(tapes_and_unbounded_rows_remove_freedoms);
  RUN(broken_joints_and_other_drives_remove_no_freedom);
  RUN(the_mobility_of_islands_adds_up);
  RUN(the_null_space_is_truncated_to_the_given_room);
  RUN(a_long_chain_swings_at_every_link);
  RUN(an_island_of_too_many_freedoms_is_refused);
  RUN(running_out_of_memory_changes_nothing);
  return check_report("mobility");
}
