// Every drive on every coordinate of every kind of joint: a drive holds a load, moves against a load, and yields at its
// bound.
#include "rig.h"

typedef struct Bench {
  ImpWorld *world;
  ImpJoint joint;
  int index;
  double start; // initial value of the coordinate
} Bench;


// Return how many coordinates of a kind are free if coordinate `index` is driven.
static int free_count(const ImpJointKindInfo *kind, int index) {
  int count = 0;
  for (int i = 0; i < 3 && kind->coordinates[i] != NULL; ++i) {
    count += i == index || !(kind->locked >> i & 1u);
  }
  return count;
}


static ImpCoordinate turning(ImpWorld *world, double x, double inertia) {
  ImpBody wheel = add_mass(world, x, 0, 1, inertia);
  return (ImpCoordinate){add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), wheel, x, 0)), 2};
}


// Create a world without gravity. A joint with the drive on its coordinate `index` connects a body of 2 kg to the
// ground.
static Bench build(int solver, ImpJointKind kind, int index, ImpDrive drive) {
  const ImpJointKindInfo *info = imp_joint_kind((int)kind);
  Bench bench = {.world = make_rig(solver, 60, 0, 0), .index = index};
  ImpWorld *world = bench.world;
  ImpJointDef def;
  if (info->options & IMP_TAKES_TERMS) {
    def = imp_joint_def(kind, (ImpBody){0}, (ImpBody){0});
    def.term[0] = turning(world, 0, 0.5);
    def.term[1] = turning(world, 3, 1.5);
    def.ratio = 1.5;
  } else {
    ImpBody body = add_mass(world, 1.2, 0.7, 2, 0.5);
    double off = free_count(info, index) == 1 && !(info->options & IMP_TAKES_ANCHORS) ? 0.3 : 0;
    def = joint_at(kind, info->options & IMP_TAKES_ONE_BODY ? (ImpBody){0} : ground_of(world), body, 1.2 - off, 0.7);
    if (info->options & IMP_TAKES_ANCHORS) def.anchor_a = vec(0.2, -0.1);
    if (info->options & IMP_TAKES_AXIS) def.axis = vec(0.6, 0.8);
    def.ground_a = vec(0, 2);
    def.ground_b = vec(1, 2);
  }
  def.drive[index] = drive;
  // Without a drive the coordinate is free, because `free` removes the default drive of the kind.
  if (drive.on == 0) def.free |= 1u << index;
  bench.joint = add_joint(world, def);
  bench.start = coordinate_of(world, bench.joint, index).value;
  return bench;
}


// Apply a generalised force to the coordinate for `steps` steps.
static ImpCoordinateInfo load(Bench *bench, double force, int steps) {
  ImpBody bodies[4];
  double j[12] = {0};
  ImpCoordinate coordinate = {bench->joint, bench->index};
  for (int i = 0; i < steps; ++i) {
    int count = 0, width = 0;
    MUST(imp_joint_bodies(bench->world, bench->joint, bodies, 4, &count));
    MUST(imp_coordinate_jacobian(bench->world, coordinate, j, 12, &width));
    for (int k = 0; k < count && force != 0; ++k) {
      if (body_get(bench->world, bodies[k], IMP_BODY_MASS) == 0) continue;
      MUST(imp_body_apply_force(bench->world, bodies[k], vec(force * j[3 * k], force * j[3 * k + 1])));
      MUST(imp_body_apply_torque(bench->world, bodies[k], force * j[3 * k + 2]));
    }
    run(bench->world, 1);
  }
  return coordinate_of(bench->world, bench->joint, bench->index);
}


typedef struct Worst {
  double hold, place, sag, speed, cap, push, rotor, damping, friction;
} Worst;


static void part(Bench *bench) { MUST(imp_world_destroy(bench->world)); }


static const double L = 5, tolerance = 0.005; // load [N or N m]; relative tolerance


static void check_holders(int s, ImpJointKind kind, int i, Worst *worst) {
  Bench plain = build(s, kind, i, push_of(0));
  double q = plain.start;
  part(&plain);
  const ImpDrive holders[] = {lock_at(q + 0.05), servo_to(q + 0.05, HUGE_VAL), limit_to(q - 9, q), limit_to(q, q + 9),
                              limit_to(q, q)};
  const double places[] = {q + 0.05, q + 0.05, q, q, q}, sides[] = {1, 1, 1, -1, 1};
  for (int k = 0; k < 5; ++k) {
    Bench bench = build(s, kind, i, holders[k]);
    ImpCoordinateInfo now = load(&bench, sides[k] * L, 240);
    CHECK_NEAR(now.force, -sides[k] * L, tolerance * L);
    CHECK_NEAR(now.value, places[k], 1e-3); // with solver soft the limit yields by load / (m (2 pi 60 Hz)^2) = 70 um
    worst->hold = fmax(worst->hold, fabs(now.force / L + sides[k]));
    worst->place = fmax(worst->place, fabs(now.value - places[k]));
    part(&bench);
  }
}


static void check_movers(int s, ImpJointKind kind, int i, Worst *worst) {
  Bench bench = build(s, kind, i, motor_of(0.2, HUGE_VAL)); // without a bound
  ImpCoordinateInfo now = load(&bench, L, 60);
  CHECK_NEAR(now.force, -L, tolerance * L);
  CHECK_NEAR(now.speed, 0.2, 1e-5);
  worst->hold = fmax(worst->hold, fabs(now.force / L + 1));
  worst->speed = fmax(worst->speed, fabs(now.speed - 0.2));
  part(&bench);

  bench = build(s, kind, i, motor_of(0, L / 2)); // a motor too weak for the load
  now = load(&bench, L, 5);
  CHECK_NEAR(now.force, -L / 2, 1e-6 * L);
  CHECK(now.speed > 0);
  worst->cap = fmax(worst->cap, fabs(now.force / L + 0.5));
  part(&bench);

  bench = build(s, kind, i, servo_to(bench.start, L / 2));
  now = load(&bench, L, 5);
  CHECK_NEAR(now.force, -L / 2, 1e-6 * L);
  worst->cap = fmax(worst->cap, fabs(now.force / L + 0.5));
  part(&bench);

  ImpDrive limit = limit_to(bench.start, bench.start);
  limit.limit_max = L / 2;
  bench = build(s, kind, i, limit);
  now = load(&bench, L, 5);
  CHECK_NEAR(now.force, -L / 2, 1e-6 * L);
  worst->cap = fmax(worst->cap, fabs(now.force / L + 0.5));
  part(&bench);

  ImpDrive spring = spring_of(200, 30);
  spring.rest = bench.start;
  bench = build(s, kind, i, spring);
  now = load(&bench, L, 600);
  CHECK_NEAR((now.value - bench.start) / (L / 200), 1, tolerance);
  CHECK_NEAR(now.force, -L, tolerance * L);
  CHECK_NEAR(imp_world_energy(bench.world).potential / (0.5 * L * L / 200), 1, 2 * tolerance);
  worst->sag = fmax(worst->sag, fabs((now.value - bench.start) / (L / 200) - 1));
  part(&bench);

  bench = build(s, kind, i, push_of(-L)); // the force balances the load
  now = load(&bench, L, 60);
  CHECK_NEAR(now.force, -L, 1e-6 * L);
  CHECK_NEAR(now.speed, 0, 1e-5);
  double mass = now.mass;
  now = load(&bench, 0, 1); // speed f dt / m after one step
  if (free_count(imp_joint_kind((int)kind), i) == 3 || imp_joint_kind((int)kind)->coordinates[1] == NULL) {
    CHECK_NEAR(now.speed * mass * 60 / -L, 1, tolerance);
    worst->push = fmax(worst->push, fabs(now.speed * mass * 60 / -L - 1));
  }
  part(&bench);
}


// Armature adds to the mass. Damping gives the terminal speed L / c. Friction holds a load below its bound, and brakes
// a larger load.
static void check_mechanics(int s, ImpJointKind kind, int i, Worst *worst) {
  bool alone = free_count(imp_joint_kind((int)kind), i) == 3 || imp_joint_kind((int)kind)->coordinates[1] == NULL;
  ImpDrive drive = imp_drive();
  drive.armature = 4;
  Bench bench = build(s, kind, i, drive);
  double mass = coordinate_of(bench.world, bench.joint, bench.index).mass;
  ImpCoordinateInfo now = load(&bench, L, 6);
  if (alone) { // nothing else constrains the coordinate
    CHECK_NEAR(now.speed * mass * 10 / L, 1, tolerance);
    CHECK_NEAR(now.force, -L * 4 / mass, tolerance * L); // the part of the load that accelerates the rotor
    CHECK_NEAR(imp_world_energy(bench.world).kinetic / (0.5 * mass * now.speed * now.speed), 1, 2 * tolerance);
    worst->rotor = fmax(worst->rotor, fabs(now.speed * mass * 10 / L - 1));
  }
  part(&bench);

  drive = imp_drive();
  drive.viscous_damping = 50;
  bench = build(s, kind, i, drive);
  now = load(&bench, L, 120);
  CHECK_NEAR(now.speed * 50 / L, 1, tolerance);
  CHECK_NEAR(now.force, -L, tolerance * L);
  worst->damping = fmax(worst->damping, fabs(now.speed * 50 / L - 1));
  part(&bench);

  drive = imp_drive();
  drive.dry_friction = 1.01 * L;
  bench = build(s, kind, i, drive);
  now = load(&bench, L, 120);
  CHECK_NEAR(now.force, -L, tolerance * L);
  CHECK_NEAR(now.value, bench.start, 1e-3);
  worst->friction = fmax(worst->friction, fabs(now.value - bench.start));
  part(&bench);
  drive.dry_friction = 0.5 * L;
  bench = build(s, kind, i, drive);
  now = load(&bench, L, 5);
  CHECK_NEAR(now.force, -L / 2, 1e-6 * L);
  CHECK(now.speed > 0);
  part(&bench);
}


static void every_drive_does_its_work_on_every_coordinate(void) {
  FOR_EVERY_SOLVER(s) {
    Worst worst = {0};
    for (int kind = 0; imp_joint_kind(kind) != NULL; ++kind) {
      for (int i = 0; i < 3 && imp_joint_kind(kind)->coordinates[i] != NULL; ++i) {
        int before = check_printed;
        check_holders(s, (ImpJointKind)kind, i, &worst);
        check_movers(s, (ImpJointKind)kind, i, &worst);
        check_mechanics(s, (ImpJointKind)kind, i, &worst);
        if (check_printed > before && before < 5) {
          printf("  %s, %s, %s\n", imp_solver_name(s), imp_joint_kind(kind)->name,
                 imp_joint_kind(kind)->coordinates[i]);
        }
      }
    }
    measured("worst force of lock, servo, limit, motor / load - 1, expected 0.5 %", worst.hold);
    measured("worst position error of lock, servo, limit [m, rad]", worst.place);
    measured("worst speed of a motor under load - 0.2, expected 1e-5", worst.speed);
    measured("worst force at a bound / load - 1/2", worst.cap);
    measured("worst sag of a spring / (load / k) - 1, expected 0.5 %", worst.sag);
    measured("worst speed with armature / (f t / (m + R)) - 1, expected 0.5 %", worst.rotor);
    measured("worst speed under damping / (f / c) - 1, expected 0.5 %", worst.damping);
    measured("worst displacement under static friction [m, rad]", worst.friction);
    measured("worst speed by a force / (f t / m) - 1, expected 0.5 %", worst.push);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(every_drive_does_its_work_on_every_coordinate);
  return check_report("every drive");
}
