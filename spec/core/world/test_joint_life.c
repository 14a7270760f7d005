// Lifetime of joints: breaking, destruction, contacts of joined bodies, changes inside a step.
#include "rig.h"

// ---------------------------------------------------------------------------------------------------------------------
// An action of a handler in one substep
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Act Act;
struct Act {
  void (*act)(ImpWorld *world, Act *self);
  int at, substep; // substep in which the handler acts; current substep
  ImpBody body, floor;
  ImpJoint joint, other;
  double seen;
};


static void act_in_substep(ImpWorld *world, double h, void *user) {
  (void)h;
  Act *self = user;
  if (self->substep++ == self->at) self->act(world, self);
}


static void step_with(ImpWorld *world, Act *self) {
  self->substep = 0;
  imp_world_set_substep_callback(world, act_in_substep, self);
  run(world, 1);
  imp_world_set_substep_callback(world, NULL, NULL);
  CHECK(self->substep > self->at);
}


static const ImpEvent *event_of(const ImpWorld *world, ImpEventKind kind, int index) {
  static const ImpEvent none = {0};
  int count = 0;
  const ImpEvent *events = imp_world_events(world, kind, &count);
  return index < count ? &events[index] : &none;
}


static int joint_count(const ImpWorld *world) { return imp_world_counts(world).joints; }


// ---------------------------------------------------------------------------------------------------------------------
// Breaking
// ---------------------------------------------------------------------------------------------------------------------


static ImpJoint rod_of_100(ImpWorld *world, ImpBody *out_body) {
  *out_body = add_mass(world, 1, 0, 2, 0.1);
  ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, ground_of(world), *out_body);
  def.break_force = 100;
  return add_joint(world, def);
}


// The force rises to 99 N in 1 s, and the rod holds. At 101 N the rod breaks within a step.
static void a_joint_breaks_at_its_force(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody body;
    ImpJoint rod = rod_of_100(world, &body);
    for (int i = 1; i <= 120; ++i) {
      MUST(imp_body_apply_force(world, body, vec(i < 60 ? 99 * i / 60.0 : 99, 0)));
      run(world, 1);
    }
    CHECK(joint_get(world, rod, IMP_JOINT_BROKEN) == 0);
    EXPECT(reaction_of(world, rod).x, -99, 0.01, "reaction after the ramp [N], expected -99");
    MUST(imp_body_apply_force(world, body, vec(101, 0)));
    run(world, 1);
    CHECK(joint_get(world, rod, IMP_JOINT_BROKEN) == 1);
    CHECK(event_count(world, IMP_EVENT_JOINT_BREAK) == 1);
    const ImpEvent *event = event_of(world, IMP_EVENT_JOINT_BREAK, 0);
    CHECK(event->joint.id == rod.id);
    // With the soft solver, the force has not reached 101 N yet.
    EXPECT(event->force, 101, 1, "force in the break event, a step after the load rose from 99 N to 101 N [N]");
    CHECK(event->force > 100);

    // After the break the joint has no rows, and the body moves freely.
    double v = velocity(world, body).x;
    MUST(imp_body_apply_force(world, body, vec(101, 0)));
    run(world, 1);
    CHECK_NEAR(velocity(world, body).x - v, 101.0 / 2 / 60, 1e-6); // float
    int first = 0, count = -1;
    MUST(imp_joint_rows(world, rod, &first, &count));
    CHECK(count == 0);
    CHECK(imp_joint_is_valid(world, rod) && joint_count(world) == 1);
    CHECK_NEAR(force_of(world, rod), 0, 0);
    CHECK_NEAR(reaction_of(world, rod).x, 0, 0);
    MUST(imp_joint_break(world, rod, false));
    run(world, 1);
    CHECK(event_count(world, IMP_EVENT_JOINT_BREAK) == 0);
    MUST(imp_joint_destroy(world, rod));
    CHECK(!imp_joint_is_valid(world, rod) && joint_count(world) == 0);
    imp_world_destroy(world);
  }
}


// A force that rises through 100 N breaks the rod in the same step or in the next step.
static void a_growing_force_breaks_a_joint_at_its_break_force(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody body;
    ImpJoint rod = rod_of_100(world, &body);
    int broke = 0;
    for (int i = 1; i <= 70 && broke == 0; ++i) {
      MUST(imp_body_apply_force(world, body, vec(120 * i / 60.0, 0)));
      run(world, 1);
      broke = joint_get(world, rod, IMP_JOINT_BROKEN) == 1 ? i : 0;
    }
    EXPECT(broke, 51, 1, "step of the break at a force of 2 N times the step, expected 51 +- 1");
    imp_world_destroy(world);
  }
}


static void a_weld_breaks_at_its_torque(void) {
  for (int later = 0; later < 2; ++later) {
    FOR_SOLVERS(s) {
      ImpWorld *world = make_rig(s, 60, 0, 0);
      ImpBody beam = add_mass(world, 0.5, 0, 1, 0.1);
      ImpJointDef def = joint_at(IMP_JOINT_WELD, ground_of(world), beam, 0, 0);
      if (!later) def.break_torque = 10;
      ImpJoint weld = add_joint(world, def);
      if (later) MUST(imp_joint_set(world, weld, IMP_JOINT_BREAK_TORQUE, 10));
      for (int i = 0; i < 120; ++i) {
        MUST(imp_body_apply_torque(world, beam, 9.9 * fmin(1, i / 60.0)));
        run(world, 1);
      }
      CHECK(joint_get(world, weld, IMP_JOINT_BROKEN) == 0);
      for (int i = 0; i < 3; ++i) {
        MUST(imp_body_apply_torque(world, beam, 10.2));
        run(world, 1);
        if (joint_get(world, weld, IMP_JOINT_BROKEN) == 1) break;
      }
      CHECK(joint_get(world, weld, IMP_JOINT_BROKEN) == 1);
      EXPECT(event_of(world, IMP_EVENT_JOINT_BREAK, 0)->torque, 10.2, 0.05,
             "weld: torque in the break event [N m], expected 10.2");
      imp_world_destroy(world);
    }
  }
}


static void a_break_by_call_gives_its_event_at_once_or_after_the_step(void) {
  for (int now = 0; now < 2; ++now) {
    ImpWorld *world = make_rig(0, 60, 0, g);
    ImpBody load = add_mass(world, 0, -1, 2, 0.1);
    ImpJoint rod = hang(world, IMP_JOINT_DISTANCE, load, 0, 0);
    run(world, 60);
    MUST(imp_joint_break(world, rod, now == 1));
    CHECK(joint_get(world, rod, IMP_JOINT_BROKEN) == 1);
    CHECK(event_count(world, IMP_EVENT_JOINT_BREAK) == now);
    if (!now) run(world, 1);
    CHECK(event_count(world, IMP_EVENT_JOINT_BREAK) == 1);
    CHECK_NEAR(event_of(world, IMP_EVENT_JOINT_BREAK, 0)->force, 2 * g, 0.01);
    run(world, 1);
    CHECK(event_count(world, IMP_EVENT_JOINT_BREAK) == 0);
    CHECK(velocity(world, load).y < -0.1);
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Destroying
// ---------------------------------------------------------------------------------------------------------------------

// Two wheels, their gear, and a rod to the first wheel.
typedef struct Works {
  ImpWorld *world;
  ImpBody a, b;
  ImpJoint pin_a, pin_b, gear, rod;
} Works;


static Works make_works(int solver) {
  Works w = {.world = make_rig(solver, 60, 0, 0)};
  w.a = add_mass(w.world, 0, 0, 1, 1);
  w.b = add_mass(w.world, 3, 0, 1, 1);
  w.pin_a = add_joint(w.world, joint_at(IMP_JOINT_REVOLUTE, ground_of(w.world), w.a, 0, 0));
  w.pin_b = add_joint(w.world, joint_at(IMP_JOINT_REVOLUTE, ground_of(w.world), w.b, 3, 0));
  w.gear = couple(w.world, IMP_JOINT_GEAR, (ImpCoordinate){w.pin_a, 2}, (ImpCoordinate){w.pin_b, 2}, 1);
  MUST(imp_joint_set_name(w.world, w.gear, "gear"));
  MUST(imp_joint_set_name(w.world, w.pin_a, "pin"));
  w.rod = hang(w.world, IMP_JOINT_ROPE, w.a, 1, 1);
  set_velocity(w.world, w.a, 0, 0, 1);
  run(w.world, 10);
  CHECK_NEAR(spin(w.world, w.b), -spin(w.world, w.a), 1e-5);
  return w;
}


static void check_destroyed(const ImpWorld *world, int index, ImpJoint joint, double id, const char *name) {
  const ImpEvent *event = event_of(world, IMP_EVENT_JOINT_DESTROYED, index);
  CHECK(event->joint.id == joint.id && (double)event->id_a == id);
  CHECK(name == NULL ? event->text == NULL : event->text != NULL && strcmp(event->text, name) == 0);
}


// Return the number of valid joints of a body.
static int joints_of(const ImpWorld *world, ImpBody body) {
  int count = 0;
  ImpJoint joint = imp_body_next_joint(world, body, (ImpJoint){0});
  for (; joint.id != 0; joint = imp_body_next_joint(world, body, joint)) {
    CHECK(imp_joint_is_valid(world, joint));
    ++count;
  }
  return count;
}


static void destroy_pin(ImpWorld *world, Act *self) {
  int before = joints_of(world, self->body), on_ground = joints_of(world, ground_of(world));
  MUST(imp_joint_destroy(world, self->joint));
  // The gear (`other`) uses the pin's coordinate, so the gear is destroyed together with the pin.
  CHECK(!imp_joint_is_valid(world, self->joint) && !imp_joint_is_valid(world, self->other));
  CHECK(joints_of(world, self->body) < before && joints_of(world, ground_of(world)) < on_ground);
}


static void destroy_body(ImpWorld *world, Act *self) {
  MUST(imp_body_destroy(world, self->body));
  CHECK(!imp_joint_is_valid(world, self->joint));
  ImpJoint left = imp_world_next_joint(world, (ImpJoint){0});
  CHECK(left.id == self->other.id && imp_world_next_joint(world, left).id == 0);
}


// A gear is destroyed with either of its joints. An event reports the destroyed gear.
static void a_gear_is_destroyed_with_its_joint(void) {
  for (int inside = 0; inside < 2; ++inside) {
    FOR_SOLVERS(s) {
      Works w = make_works(s);
      if (inside) {
        step_with(w.world,
                  &(Act){.act = destroy_pin, .at = s == 0 ? 2 : 0, .body = w.a, .joint = w.pin_a, .other = w.gear});
      } else {
        MUST(imp_joint_destroy(w.world, w.pin_a));
        CHECK(!imp_joint_is_valid(w.world, w.pin_a) && !imp_joint_is_valid(w.world, w.gear));
        run(w.world, 1);
      }
      CHECK(!imp_joint_is_valid(w.world, w.pin_a) && !imp_joint_is_valid(w.world, w.gear));
      CHECK(imp_joint_is_valid(w.world, w.pin_b) && imp_joint_is_valid(w.world, w.rod) && joint_count(w.world) == 2);
      CHECK(event_count(w.world, IMP_EVENT_JOINT_DESTROYED) == 1);
      check_destroyed(w.world, 0, w.gear, 3, "gear");
      double v = spin(w.world, w.b);
      MUST(imp_body_apply_torque(w.world, w.a, 5));
      run(w.world, 1);
      CHECK_NEAR(spin(w.world, w.b), v, 1e-7); // the wheels turn independently
      CHECK(event_count(w.world, IMP_EVENT_JOINT_DESTROYED) == 0);
      imp_world_destroy(w.world);
    }
  }
}


// All joints of a body are destroyed with the body, in the order of creation, and so are their gears.
static void joints_are_destroyed_with_their_body(void) {
  for (int inside = 0; inside < 2; ++inside) {
    FOR_SOLVERS(s) {
      Works w = make_works(s);
      if (inside) {
        step_with(w.world, &(Act){.act = destroy_body, .body = w.a, .joint = w.pin_a, .other = w.pin_b});
      } else {
        MUST(imp_body_destroy(w.world, w.a));
        CHECK(!imp_joint_is_valid(w.world, w.pin_a) && !imp_joint_is_valid(w.world, w.gear));
        run(w.world, 1);
      }
      CHECK(imp_joint_is_valid(w.world, w.pin_b) && joint_count(w.world) == 1);
      CHECK(event_count(w.world, IMP_EVENT_JOINT_DESTROYED) == 3);
      check_destroyed(w.world, 0, w.pin_a, 1, "pin");
      check_destroyed(w.world, 1, w.gear, 3, "gear");
      check_destroyed(w.world, 2, w.rod, 4, NULL);
      CHECK(imp_world_next_joint(w.world, (ImpJoint){0}).id == w.pin_b.id);
      CHECK(imp_body_next_joint(w.world, w.b, (ImpJoint){0}).id == w.pin_b.id);
      CHECK(imp_body_next_joint(w.world, w.b, w.pin_b).id == 0);
      CHECK(imp_world_find_joint(w.world, "pin").id == 0);
      run(w.world, 1);
      CHECK(event_count(w.world, IMP_EVENT_JOINT_DESTROYED) == 0);
      imp_world_destroy(w.world);
    }
  }
}


static void a_joint_exerts_no_force_while_its_body_is_static(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody load = add_mass(world, 0, -1, 2, 0.1);
    ImpJoint rod = hang(world, IMP_JOINT_DISTANCE, load, 0, 0);
    run(world, 30);
    MUST(imp_body_set_type(world, load, IMP_BODY_STATIC));
    run(world, 30);
    CHECK(imp_joint_is_valid(world, rod));
    CHECK_NEAR(force_of(world, rod), 0, 0);
    MUST(imp_body_set_type(world, load, IMP_BODY_DYNAMIC));
    run(world, 60);
    CHECK_NEAR(force_of(world, rod), -body_get(world, load, IMP_BODY_MASS) * g, 0.01);
    MUST(imp_body_set(world, load, IMP_BODY_MASS, 7));
    run(world, 60);
    CHECK_NEAR(force_of(world, rod), -7 * g, 0.03);
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Collisions of joined bodies
// ---------------------------------------------------------------------------------------------------------------------


// Drop a box onto a floor to which it is tied by a slack rope. `what`: what happens to the rope during the fall.
static double drop_on_tied_box(int solver, bool collide, int what) {
  ImpWorld *world = make_rig(solver, 60, 0, g);
  ImpBody floor = add_body(world, IMP_BODY_STATIC, 0, -0.5, 0);
  add_box(world, floor, material(1, 0.5, 0), 4, 1);
  ImpBody box = drop_box(world, material(1, 0.5, 0), 0, 1.5);
  ImpJointDef def = imp_joint_def(IMP_JOINT_ROPE, floor, box);
  def.length = 50;
  def.collide = collide;
  ImpJoint rope = add_joint(world, def);
  run(world, 15);
  if (what == 1) MUST(imp_joint_break(world, rope, false));
  if (what == 2) MUST(imp_joint_destroy(world, rope));
  run(world, what == 3 ? 15 : 60); // in case 3 box and floor overlap
  if (what == 3) MUST(imp_joint_destroy(world, rope));
  if (what == 3) run(world, 90);
  double y = position(world, box).y;
  imp_world_destroy(world);
  return y;
}


static void jointed_bodies_collide_only_if_collide_is_set(void) {
  FOR_SOLVERS(s) {
    CHECK(drop_on_tied_box(s, false, 0) < -2);            // the box falls through the floor
    CHECK_NEAR(drop_on_tied_box(s, true, 0), 0.5, 0.01);  // the box rests with an overlap
    CHECK_NEAR(drop_on_tied_box(s, false, 1), 0.5, 0.01); // rope broken in the air: the box rests
    CHECK_NEAR(drop_on_tied_box(s, false, 2), 0.5, 0.01); // rope destroyed in the air: the box rests
    CHECK_NEAR(drop_on_tied_box(s, false, 3), 0.5, 0.02); // rope destroyed during an overlap: the box leaves the floor
  }
}


static void make_rope(ImpWorld *world, Act *self) {
  ImpJointDef def = imp_joint_def(IMP_JOINT_ROPE, self->floor, self->body);
  def.length = 50;
  MUST(imp_joint_create(world, &def, &self->joint));
}


// A joint between touching bodies ends their contact. The contact returns when all joints are destroyed.
static void a_joint_ends_the_contact_of_its_bodies(void) {
  for (int inside = 0; inside < 2; ++inside) {
    FOR_SOLVERS(s) {
      ImpWorld *world = make_rig(s, 60, 0, g);
      ImpBody floor = add_body(world, IMP_BODY_STATIC, 0, -0.5, 0);
      add_box(world, floor, material(1, 0.5, 0), 4, 1);
      ImpBody box = drop_box(world, material(1, 0.5, 0), 0, 0.5);
      run(world, 30);
      CHECK(imp_world_counts(world).contacts == 1);
      Act self = {.act = make_rope, .body = box, .floor = floor};
      inside ? step_with(world, &self) : make_rope(world, &self);
      ImpJointDef def = imp_joint_def(IMP_JOINT_ROPE, floor, box);
      def.collide = true;
      def.length = 60;
      ImpJoint other = add_joint(world, def);
      run(world, 10);
      CHECK(imp_world_counts(world).contacts == 0);
      CHECK(position(world, box).y < 0.45);
      MUST(imp_joint_destroy(world, other));
      run(world, 1);
      CHECK(imp_world_counts(world).contacts == 0);
      MUST(imp_joint_destroy(world, self.joint));
      run(world, 60);
      CHECK(imp_world_counts(world).contacts == 1);
      imp_world_destroy(world);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Inside a step
// ---------------------------------------------------------------------------------------------------------------------


static void make_rod(ImpWorld *world, Act *self) {
  ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, ground_of(world), self->body);
  MUST(imp_joint_create(world, &def, &self->joint));
  CHECK(imp_joint_is_valid(world, self->joint));
  self->seen = value_of(world, self->joint);
}


// The joint acts from the next step on.
static void a_joint_made_in_a_substep_acts_from_the_next_step(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 4, g);
    ImpBody load = add_mass(world, 0, -1, 2, 0.1), free = add_mass(world, 5, -1, 2, 0.1);
    Act self = {.act = make_rod, .at = 1, .body = load};
    step_with(world, &self);
    CHECK_NEAR(position(world, load).y, position(world, free).y, 0);
    double h = 1.0 / 240;
    CHECK_NEAR(self.seen, 1 + g * h * h, 1e-7); // symplectic Euler after one substep
    run(world, 60);
    // The soft solver's joints yield under load.
    EXPECT(value_of(world, self.joint), self.seen, 1e-3, "created in a substep: length after 1 s [m]");
    CHECK_NEAR(force_of(world, self.joint), -2 * g, 0.02);
    imp_world_destroy(world);
  }
}


static void faster(ImpWorld *world, Act *self) {
  self->seen = joint_get(world, self->joint, IMP_JOINT_SPEED);
  set_drive(world, self->joint, 2, motor_of(3, 1000));
}


static void longer(ImpWorld *world, Act *self) { set_drive(world, self->joint, 0, lock_at(1.001)); }

static void no_motor(ImpWorld *world, Act *self) { set_drive(world, self->joint, 2, imp_drive()); }

static void new_motor(ImpWorld *world, Act *self) { set_drive(world, self->joint, 2, motor_of(5, 1000)); }


// A changed drive acts from the same substep on. An added or removed drive acts from the next step on at the latest.
static void a_drive_set_in_a_substep_acts_at_once(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 4, 0);
    ImpBody wheel = add_mass(world, 0, 0, 1, 0.5);
    ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, ground_of(world), wheel, 0, 0);
    def.drive[2] = motor_of(1, 1000);
    Act self = {.act = faster, .at = 2, .joint = add_joint(world, def)};
    run(world, 10);
    step_with(world, &self);
    CHECK_NEAR(self.seen, 1, 1e-6);
    EXPECT(spin(world, wheel), 3, 1e-6,
           "motor set in substep 3 of 4: speed after the step [rad/s], expected 3"); // float
    EXPECT(force_of(world, self.joint), 0.5 * 2 * 60, 1e-3,
           "motor set in substep 3 of 4: mean torque of the step [N m], expected 60");
    self.act = no_motor;
    step_with(world, &self);
    MUST(imp_body_set(world, wheel, IMP_BODY_ANGULAR_VELOCITY, 2));
    run(world, 1);
    CHECK_NEAR(spin(world, wheel), 2, 1e-6);
    CHECK_NEAR(force_of(world, self.joint), 0, 0);
    self.act = new_motor;
    step_with(world, &self);
    run(world, 1);
    CHECK_NEAR(spin(world, wheel), 5, 1e-6);
    imp_world_destroy(world);

    world = make_rig(s, 60, 4, 0);
    ImpBody load = add_mass(world, 1, 0, 2, 0.1);
    self = (Act){.act = longer, .at = 2, .joint = hang(world, IMP_JOINT_DISTANCE, load, 0, 0)};
    run(world, 1);
    step_with(world, &self);
    CHECK(value_of(world, self.joint) > 1 + 1e-5);
    run(world, 60);
    CHECK_NEAR(value_of(world, self.joint), 1.001, 1e-5);
    imp_world_destroy(world);
  }
}


static void break_rod(ImpWorld *world, Act *self) { MUST(imp_joint_break(world, self->joint, false)); }


static void a_joint_broken_in_a_substep_gives_its_event_after_the_step(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 4, g);
    ImpBody load = add_mass(world, 0, -1, 2, 0.1);
    Act self = {.act = break_rod, .at = 1, .joint = hang(world, IMP_JOINT_DISTANCE, load, 0, 0)};
    run(world, 60);
    step_with(world, &self);
    CHECK(joint_get(world, self.joint, IMP_JOINT_BROKEN) == 1);
    CHECK(event_count(world, IMP_EVENT_JOINT_BREAK) == 1);
    double v = velocity(world, load).y;
    run(world, 1);
    CHECK_NEAR(velocity(world, load).y - v, -g / 60, 1e-6);
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_joint_breaks_at_its_force);
  RUN(a_growing_force_breaks_a_joint_at_its_break_force);
  RUN(a_weld_breaks_at_its_torque);
  RUN(a_break_by_call_gives_its_event_at_once_or_after_the_step);
  RUN(a_gear_is_destroyed_with_its_joint);
  RUN(joints_are_destroyed_with_their_body);
  RUN(a_joint_exerts_no_force_while_its_body_is_static);
  RUN(jointed_bodies_collide_only_if_collide_is_set);
  RUN(a_joint_ends_the_contact_of_its_bodies);
  RUN(a_joint_made_in_a_substep_acts_from_the_next_step);
  RUN(a_drive_set_in_a_substep_acts_at_once);
  RUN(a_joint_broken_in_a_substep_gives_its_event_after_the_step);
  return check_report("joint life");
}
