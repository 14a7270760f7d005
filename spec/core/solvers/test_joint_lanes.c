// Joints in SIMD lanes of the soft solver, compared with the same joints solved one by one.
#include "random_joints.h"
#include "world/joints.h"

// DRIVEN: number of joints with drives, small because opposing drives in loops amplify a difference in the last bit.
enum { BODIES = 24, JOINTS = 40, DRIVEN = 6 };

static const ImpJointKind kinds[] = {IMP_JOINT_REVOLUTE, IMP_JOINT_PRISMATIC, IMP_JOINT_WELD,
                                     IMP_JOINT_PIN_SLOT, IMP_JOINT_DISTANCE,  IMP_JOINT_LINEAR};


// A spring, a motor and a limit, some with a largest force.
static ImpDrive random_drive(void) {
  ImpDrive drive = imp_drive();
  drive.on = one_in(2) ? 1u << IMP_DRIVE_LIMIT : 0;
  drive.on |= one_in(2) ? 1u << IMP_DRIVE_MOTOR : 0;
  drive.on |= one_in(2) ? 1u << IMP_DRIVE_SPRING : 0;
  double beyond = random_in(0.01, 0.05);
  int side = roll(3);
  drive.lower = side == 1 ? beyond : one_in(4) ? -HUGE_VAL : random_in(-3, -2);
  drive.upper = side == 2 ? -beyond : one_in(4) ? HUGE_VAL : random_in(2, 3);
  drive.speed = random_in(-2, 2);
  drive.rest = random_in(-0.02, 0.02);
  bool by_mass = one_in(2);
  drive.hertz = by_mass ? random_in(0.5, 40) : 0;
  drive.damping_ratio = by_mass ? random_in(0, 0.9) : 0;
  drive.stiffness = by_mass ? 0 : random_scale(0.1, 100);
  drive.damping = by_mass ? 0 : random_scale(0.01, 1);
  if (one_in(2)) drive.limit_max = random_in(0.1, 20);
  if (side != 0 || one_in(2)) drive.motor_max = random_in(0.1, 20);
  if (one_in(2)) drive.spring_max = random_in(0.1, 20);
  return drive;
}


// Joints between random pairs of bodies. The joints contradict each other slightly.
static ImpWorld *tangle(bool driven) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpBody bodies[BODIES];
  MUST(imp_world_ground(world, &bodies[0]));
  for (int i = 1; i < BODIES; ++i) {
    bodies[i] = random_body(world);
  }
  MUST(imp_body_set_type(world, bodies[1], IMP_BODY_KINEMATIC));
  for (int i = 0; i < (driven ? DRIVEN : JOINTS); ++i) {
    int a = roll(BODIES), b = 2 + roll(BODIES - 2);
    if (a == b) continue;
    ImpJointDef def =
        random_def(driven ? IMP_JOINT_REVOLUTE : (int)kinds[roll(IMPI_COUNT(kinds))], bodies[a], bodies[b]);
    def.reference_angle = def.length = (double)NAN;
    ImpJoint handle = add_joint(world, &def);
    ImpiJoint *joint = &world->joints.data[joint_slot(world, handle)];
    for (int k = 0; k < joint->count; ++k) {
      if (!joint->inline_coordinates[k].locked) continue;
      joint->inline_coordinates[k].result.lambda = random_in(-0.05, 0.05);
      joint->inline_coordinates[k].lock += one_in(2) ? random_in(-0.02, 0.02) : 0;
    }
    if (driven) {
      ImpDrive drive = random_drive();
      MUST(imp_coordinate_set_drive(world, (ImpCoordinate){handle, 2}, &drive));
    }
  }
  for (int i = 1; i < BODIES; ++i) {
    MUST(imp_body_set_velocity(world, bodies[i], random_vec(-1, 1)));
    MUST(imp_body_set(world, bodies[i], IMP_BODY_ANGULAR_VELOCITY, random_in(-3, 3)));
  }
  return world;
}


static ImpWorld *copy_of(const ImpWorld *world) {
  void *bytes = NULL;
  size_t size = 0;
  MUST(imp_world_snapshot(world, &bytes, &size));
  ImpWorld *copy = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  MUST(imp_world_restore(copy, bytes, size));
  imp_snapshot_free(bytes);
  return copy;
}


// Largest differences between two worlds; motions and impulses are about 1.
typedef struct Apart {
  double motion, impulse, wrench, work;
} Apart;


static double apart(double a, double b, double size) { return fabs(a - b) / fmax(size, fmax(fabs(a), fabs(b))); }


static void compare(ImpWorld *one, ImpWorld *other, Apart *worst) {
  impi_flush_joint(one, -1);
  impi_flush_joint(other, -1);
  for (int i = 0; i < one->motions.count; ++i) {
    const double *a = (const double *)&one->motions.data[i], *b = (const double *)&other->motions.data[i];
    for (size_t k = 0; k < sizeof(ImpiMotion) / sizeof(double); ++k) {
      worst->motion = fmax(worst->motion, apart(a[k], b[k], 1));
    }
  }
  for (int i = 0; i < one->joints.count; ++i) {
    const ImpiJoint *a = &one->joints.data[i], *b = &other->joints.data[i];
    for (int k = 0; k < a->count; ++k) {
      const ImpiRowResult *e = &a->inline_coordinates[k].result, *f = &b->inline_coordinates[k].result;
      worst->impulse = fmax(worst->impulse, apart(e->lambda, f->lambda, 1));
      worst->impulse = fmax(worst->impulse, apart(e->total, f->total, 1));
    }
    for (int k = 0; k < IMPI_DRIVE_ROWS && a->inline_coordinates[2].drive >= 0; ++k) {
      const ImpiRowResult *e = &one->drives.data[a->inline_coordinates[2].drive].row[k],
                          *f = &other->drives.data[b->inline_coordinates[2].drive].row[k];
      worst->impulse = fmax(worst->impulse, apart(e->lambda, f->lambda, 1));
      worst->impulse = fmax(worst->impulse, apart(e->total, f->total, 1));
      worst->work = fmax(worst->work, apart(e->step_work, f->step_work, 1));
      worst->work = fmax(worst->work, apart(e->work, f->work, 1));
      worst->wrench = fmax(worst->wrench, apart(e->bias, f->bias, 1));
    }
    for (int k = 0; k < 3; ++k) {
      worst->wrench = fmax(worst->wrench, apart(a->wrench[k], b->wrench[k], 1));
    }
  }
  worst->work = fmax(worst->work, apart(one->work_joints, other->work_joints, 1));
}


static void lanes_agree_with_joints_solved_one_by_one(void) {
  Apart worst = {0, 0, 0, 0};
  for (int trial = 0; trial < 60; ++trial) {
    ImpWorld *lanes = tangle(trial % 2), *alone = copy_of(lanes);
    alone->settings.joints_one_by_one = true;
    for (int step = 0; step < 3; ++step) {
      run(lanes, 1);
      run(alone, 1);
    }
    compare(lanes, alone, &worst);
    imp_world_destroy(lanes);
    imp_world_destroy(alone);
  }
  // The SIMD lanes compute in floats: about a hundred roundings of 6e-8 per step, amplified by contradicting joints.
  check_worst(worst.motion, 2e-5, "largest difference of motion from the scalar solver, expected 2e-5");
  check_worst(worst.impulse, 2e-5, "largest difference of impulses from the scalar solver, expected 2e-5");
  check_worst(worst.wrench, 2e-5, "largest difference of wrenches from the scalar solver, expected 2e-5");
  check_worst(worst.work, 2e-5, "largest difference of work from the scalar solver, expected 2e-5");
}


static void no_lane_width_changes_a_bit(void) {
  static const int widths[] = {0, 4, 8, 16};
  for (int trial = 0; trial < 10; ++trial) {
    ImpWorld *first = tangle(trial % 2);
    uint64_t hashes[IMPI_COUNT(widths)];
    double works[IMPI_COUNT(widths)];
    for (int i = 0; i < IMPI_COUNT(widths); ++i) {
      ImpWorld *world = copy_of(first);
      set_world(world, IMP_WORLD_LANES, widths[i]);
      run(world, 100);
      works[i] = world->work_joints;
      hashes[i] = imp_world_hash(world);
      CHECK(hashes[i] == hashes[0]);
      CHECK(works[i] == works[0]);
      imp_world_destroy(world);
    }
    imp_world_destroy(first);
  }
}


// Change parameters of the first joint that has a drive.
static void change_numbers(ImpWorld *world, int step) {
  int32_t slot = world->first_joint;
  while (slot >= 0 && world->joints.data[slot].inline_coordinates[2].drive < 0) {
    slot = world->joints.data[slot].next;
  }
  if (slot < 0) return;
  ImpDrive drive = world->drives.data[world->joints.data[slot].inline_coordinates[2].drive].set;
  drive.speed = step * 0.05;
  drive.rest = step * 0.001;
  MUST(imp_coordinate_set_drive(world, (ImpCoordinate){impi_joint_handle(world, slot), 2}, &drive));
}


// Lane blocks are copies of joint data for the SIMD lanes. Results do not depend on how long the blocks stay in memory.
static void kept_lane_blocks_change_no_bit(void) {
  for (int trial = 0; trial < 10; ++trial) {
    ImpWorld *kept = tangle(trial % 2), *read = copy_of(kept), *rebuilt = copy_of(kept);
    for (int step = 0; step < 60; ++step) {
      if (trial % 2 && step % 7 == 3) {
        change_numbers(kept, step);
        change_numbers(read, step);
        change_numbers(rebuilt, step);
      }
      run(kept, 1);
      run(read, 1);
      run(rebuilt, 1);
      impi_flush_joint(read, -1);
      impi_joints_edited(rebuilt);
    }
    Apart worst = {0, 0, 0, 0};
    compare(kept, read, &worst);
    compare(kept, rebuilt, &worst);
    CHECK(worst.motion == 0 && worst.impulse == 0 && worst.wrench == 0 && worst.work == 0);
    for (int i = 0; i < kept->joints.count; ++i) {
      for (int k = 0; k < IMPI_INLINE_COORDINATES; ++k) {
        CHECK(kept->joints.data[i].inline_coordinates[k].result.work ==
              rebuilt->joints.data[i].inline_coordinates[k].result.work);
      }
    }
    CHECK(imp_world_hash(kept) == imp_world_hash(rebuilt));
    imp_world_destroy(kept);
    imp_world_destroy(read);
    imp_world_destroy(rebuilt);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(lanes_agree_with_joints_solved_one_by_one);
  RUN(no_lane_width_changes_a_bit);
  RUN(kept_lane_blocks_change_no_bit);
  return check_report("joint lanes");
}
