// Open joints: every solver warns once when a joint opens, and counts the joint as open until it closes. Also the gap
// of each kind of coordinate.
#include "rig.h"

// A bar of 1 m by 0.2 m. The size of a joint is twice the distance from the bar's centre to a corner.
#define SIZE 1.0198039027185569


static ImpBody add_bar(ImpWorld *world, double x) {
  ImpBody bar = add_body(world, IMP_BODY_DYNAMIC, x, 0, 0);
  ImpShapeDef def = material(1, 0.5, 0);
  def.mask = 0;
  add_box(world, bar, def, 1, 0.2);
  return bar;
}


static ImpJoint pin_at(ImpWorld *world, ImpBody bar, double x) {
  return add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), bar, x, 0));
}


// Return whether a warning is about a lock that is not held.
static bool is_of_lock(const ImpEvent *event) { return strncmp(event->text, "a lock is not held", 18) == 0; }


// Return the joint's gap as the warning of the last step reports it, or 0 without a warning. Check that there is at
// most one warning.
static double warned(const ImpWorld *world, ImpJoint joint) {
  int count = 0, found = 0;
  const ImpEvent *events = imp_world_events(world, IMP_EVENT_WARNING, &count);
  double length = 0;
  for (int i = 0; i < count; ++i) {
    bool of_it = events[i].joint.id == joint.id && !is_of_lock(&events[i]);
    found += of_it;
    length = of_it ? events[i].length : length;
  }
  CHECK(found <= 1);
  return length;
}


static int open_in(ImpWorld *world) { return imp_world_residual(world).open; }


// A bar on two pins. `off` [m] moves the lock of the second pin along the bar.
typedef struct Pinned {
  ImpWorld *world;
  ImpJoint pins[2];
  bool open[2];
  int warnings;
} Pinned;

static Pinned make_pinned(int solver, double off) {
  Pinned p = {.world = make_rig(solver, 60, 0, 0)};
  ImpBody bar = add_bar(p.world, 0.5);
  p.pins[0] = pin_at(p.world, bar, 0);
  p.pins[1] = pin_at(p.world, bar, 1);
  set_drive(p.world, p.pins[1], 0, lock_at(off));
  return p;
}


// Check that each joint with a large gap has a warning with this gap. Check that the residual counts the open joints.
static void run_pinned(Pinned *p, int steps) {
  for (int step = 0; step < steps; ++step) {
    run(p->world, 1);
    int count = 0;
    for (int i = 0; i < 2; ++i) {
      double length = warned(p->world, p->pins[i]), gap = joint_get(p->world, p->pins[i], IMP_JOINT_GAP);
      CHECK(!(length > 0 && p->open[i]));
      CHECK(length == 0 || length == gap);
      CHECK(length > 0 || p->open[i] || gap <= 0.05 * SIZE);
      p->warnings += length > 0;
      p->open[i] = (p->open[i] || length > 0) && gap >= 0.01 * SIZE;
      count += p->open[i];
    }
    CHECK(open_in(p->world) == count);
  }
}


static void contradictory_pins_are_open_until_they_agree(void) {
  FOR_EVERY_SOLVER(s) {
    Pinned p = make_pinned(s, 0.3);
    run_pinned(&p, 120);
    int first = p.warnings;
    CHECK(first >= 1 && first <= 2);
    CHECK(open_in(p.world) >= 1);
    set_drive(p.world, p.pins[1], 0, lock_at(0));
    run_pinned(&p, 120);
    CHECK(open_in(p.world) == 0);
    first = p.warnings; // one pin may open while the other pin closes
    set_drive(p.world, p.pins[1], 0, lock_at(-0.3));
    run_pinned(&p, 120);
    CHECK(p.warnings > first && p.warnings <= first + 2);
    imp_world_destroy(p.world);
  }
}


static void consistent_joints_give_no_warning(void) {
  FOR_EVERY_SOLVER(s) {
    Pinned p = make_pinned(s, 0.009); // less than a hundredth of the joint's size
    run_pinned(&p, 60);
    CHECK(p.warnings == 0);
    imp_world_destroy(p.world);
  }
}


// These solvers drop a redundant lock. They warn when the lock becomes violated, and not again until it was satisfied.
static void a_contradictory_lock_is_named_once(void) {
  static const int solvers[] = {IMP_SOLVER_DIRECT, IMP_SOLVER_ACCELERATION, IMP_SOLVER_REDUCED, IMP_SOLVER_RATTLE};
  for (int s = 0; s < 4; ++s) {
    for (double off = 1e-5; off < 1e-2; off *= 30) {
      Pinned p = make_pinned(solvers[s], off);
      int named = 0;
      for (int step = 0; step < 180; ++step) {
        if (step == 60 || step == 120) set_drive(p.world, p.pins[1], 0, lock_at(step == 60 ? 0 : -off));
        run(p.world, 1);
        int count = 0;
        const ImpEvent *events = imp_world_events(p.world, IMP_EVENT_WARNING, &count);
        for (int i = 0; i < count; ++i) {
          CHECK(is_of_lock(&events[i]) && events[i].length > 0.1 * off && events[i].length < 1.1 * off);
          CHECK(events[i].joint.id == p.pins[0].id || events[i].joint.id == p.pins[1].id);
        }
        named += count;
        CHECK(step < 2 || named == (step < 120 ? 1 : step < 122 ? named : 2));
      }
      imp_world_destroy(p.world);
    }
  }
}


// A broken or destroyed joint is not open, and makes no warning.
static void broken_and_destroyed_joints_are_not_counted(void) {
  FOR_EVERY_SOLVER(s) {
    for (int how = 0; how < 3; ++how) {
      Pinned p = make_pinned(s, 0.3);
      run_pinned(&p, 60);
      CHECK(open_in(p.world) >= 1);
      for (int i = 0; i < 2; ++i) {
        if (how == 0) {
          MUST(imp_joint_break(p.world, p.pins[i], false));
        } else if (how == 1) {
          MUST(imp_joint_destroy(p.world, p.pins[i]));
        } else {
          MUST(imp_joint_set(p.world, p.pins[i], IMP_JOINT_BREAK_FORCE, 0)); // the joint breaks at any force
        }
      }
      run(p.world, 3);
      CHECK(how == 2 || open_in(p.world) == 0);
      CHECK(event_count(p.world, IMP_EVENT_WARNING) == 0);
      imp_world_destroy(p.world);
    }
  }
}


static void a_snapshot_contains_the_warnings_given(void) {
  FOR_EVERY_SOLVER(s) {
    Pinned p = make_pinned(s, 0.3);
    run_pinned(&p, 30);
    int open = open_in(p.world);
    void *bytes;
    size_t size;
    MUST(imp_world_snapshot(p.world, &bytes, &size));
    Pinned other = make_pinned(s, 0);
    run(other.world, 1);
    MUST(imp_world_restore(other.world, bytes, size));
    imp_snapshot_free(bytes);
    CHECK(open >= 1 && open_in(other.world) == open);
    for (int i = 0; i < 60; ++i) {
      run(other.world, 1);
      CHECK(event_count(other.world, IMP_EVENT_WARNING) == 0);
    }
    CHECK(open_in(other.world) == open);
    imp_world_destroy(p.world);
    imp_world_destroy(other.world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The gap in closed form, at given poses
// ---------------------------------------------------------------------------------------------------------------------


static double gap_of(const ImpWorld *world, ImpJoint joint) { return joint_get(world, joint, IMP_JOINT_GAP); }


static void the_separation_of_each_kind_of_joint_is_closed_form(void) {
  ImpWorld *world = make_rig(IMP_SOLVER_SOFT, 60, 0, 0);
  ImpBody bar = add_bar(world, 0);
  ImpJoint pin = hang(world, IMP_JOINT_REVOLUTE, bar, 0, 0), weld = hang(world, IMP_JOINT_WELD, bar, 0, 0);
  ImpJoint slider = hang(world, IMP_JOINT_PRISMATIC, bar, 0, 0), rod = hang(world, IMP_JOINT_DISTANCE, bar, -1, 0);
  set_drive(world, slider, 0, limit_to(-1, 0.01));
  MUST(imp_body_set_pose(world, bar, vec(0.03, 0.04), 0));
  CHECK_NEAR(gap_of(world, pin), 0.05, 1e-15);
  CHECK_NEAR(gap_of(world, weld), 0.05, 1e-15);
  CHECK_NEAR(gap_of(world, slider), hypot(0.02, 0.04), 1e-15); // 20 mm beyond its limit, 40 mm off its axis
  CHECK_NEAR(gap_of(world, rod), hypot(1.03, 0.04) - 1, 1e-15);
  ImpDrive weak = limit_to(-1, 0.01);
  weak.limit_max = 10;
  set_drive(world, slider, 0, weak);
  // A limit of finite force may be exceeded, so the gap contains only the distance from the axis.
  CHECK_NEAR(gap_of(world, slider), 0.04, 1e-15);
  MUST(imp_body_set_pose(world, bar, vec(0, 0), 0.2));
  CHECK_NEAR(gap_of(world, pin), 0, 1e-15);
  CHECK_NEAR(gap_of(world, weld), 0.2 * SIZE / 2, 1e-12); // displacement of the bar's corners
  MUST(imp_joint_destroy(world, weld));
  imp_world_destroy(world);
}


// The gap of a constraint function C is the distance from the body to the nearest place with C = 0.
static void the_separation_of_a_function_is_a_length(void) {
  for (int e = -6; e <= 6; e += 3) {
    ImpWorld *world = make_rig(IMP_SOLVER_SOFT, 60, 0, 0);
    ImpBody body = add_bar(world, 0);
    Tape tape = {0};
    put(&tape, IMP_OP_X, 0, -1);
    int32_t x = tape.count - 1, unit = number(&tape, pow(10, e));
    put(&tape, IMP_OP_MUL, x, unit);
    ImpJoint joint = add_tape(world, body, &tape, imp_drive());
    MUST(imp_body_set_position(world, body, vec(0.07, 0.5)));
    CHECK_NEAR(gap_of(world, joint), 0.07, 1e-14);
    run(world, 1);
    CHECK((warned(world, joint) > 0) == (gap_of(world, joint) > 0.05 * SIZE));
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(contradictory_pins_are_open_until_they_agree);
  RUN(consistent_joints_give_no_warning);
  RUN(a_contradictory_lock_is_named_once);
  RUN(broken_and_destroyed_joints_are_not_counted);
  RUN(a_snapshot_contains_the_warnings_given);
  RUN(the_separation_of_each_kind_of_joint_is_closed_form);
  RUN(the_separation_of_a_function_is_a_length);
  return check_report("open joints");
}
