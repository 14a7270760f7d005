// Invalid joints cause errors with helpful messages, and change nothing.
#include <stdlib.h>

#include "rig.h"

// ---------------------------------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------------------------------

typedef struct State {
  uint64_t hash;
  ImpCounts counts;
} State;


static State state_of(const ImpWorld *world) { return (State){imp_world_hash(world), imp_world_counts(world)}; }


static void check_same(const ImpWorld *world, State before, const char *what, int line) {
  State now = state_of(world);
  bool same = now.hash == before.hash && now.counts.joints == before.counts.joints &&
              now.counts.bodies == before.counts.bodies && now.counts.awake == before.counts.awake;
  check_that(same, __FILE__, line, what);
}


// Check that a call was refused with a status, and that its message contains both words.
static void check_refused(ImpStatus got, ImpStatus expected, const char *first, const char *second, int line) {
  const char *text = imp_last_error();
  bool said = strstr(text, first) != NULL && strstr(text, second) != NULL;
  if (got == expected && said) return;
  check_that(false, __FILE__, line, got == expected ? text : imp_status_name(got));
  if (check_printed < 5) printf("  expected %s with '%s' and '%s'\n", imp_status_name(expected), first, second);
}

#define REFUSED(call, status, first, second) check_refused((call), (status), (first), (second), __LINE__)


// Check that a definition is refused without any change.
static void refuse_def(ImpWorld *world, ImpJointDef def, ImpStatus status, const char *first, const char *second,
                       int line) {
  State before = state_of(world);
  ImpJoint joint = {77};
  check_refused(imp_joint_create(world, &def, &joint), status, first, second, line);
  check_that(joint.id == 77, __FILE__, line, "the output was touched");
  check_same(world, before, "a refused joint changed the world", line);
}

#define REFUSE(world, def, status, first, second) refuse_def((world), (def), (status), (first), (second), __LINE__)


static void a_joint_needs_two_bodies_at_least_one_of_them_dynamic(void) {
  ImpWorld *world = make_rig(0, 60, 0, g), *other = make_rig(0, 60, 0, g);
  ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 1, 0, 1, 1), gone = add_mass(world, 0, 0, 1, 1);
  ImpBody still = add_body(world, IMP_BODY_STATIC, 0, 0, 0), driven = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0);
  ImpBody foreign = add_mass(other, 0, 0, 1, 1), ground = ground_of(world);
  MUST(imp_body_destroy(world, gone));
  for (int kind = 0; imp_joint_kind(kind) != NULL; ++kind) {
    ImpJointKind k = (ImpJointKind)kind;
    unsigned options = imp_joint_kind(kind)->options;
    if (kind == IMP_JOINT_CONSTRAINT || options & IMP_TAKES_TERMS) continue;
    const char *name = imp_joint_kind(kind)->name;
    REFUSE(world, imp_joint_def(k, a, (ImpBody){0}), IMP_ERR_HANDLE, "body", "null");
    REFUSE(world, imp_joint_def(k, a, gone), IMP_ERR_HANDLE, "destroyed", "body");
    REFUSE(world, imp_joint_def(k, a, foreign), IMP_ERR_WORLD, "body", "another world");
    if (options & IMP_TAKES_ONE_BODY) {
      REFUSE(world, imp_joint_def(k, (ImpBody){0}, still), IMP_ERR_ARGUMENT, name, "dynamic");
      REFUSE(world, imp_joint_def(k, (ImpBody){0}, ground), IMP_ERR_ARGUMENT, name, "itself");
      continue;
    }
    REFUSE(world, imp_joint_def(k, a, a), IMP_ERR_ARGUMENT, name, "itself");
    REFUSE(world, imp_joint_def(k, still, ground), IMP_ERR_ARGUMENT, name, "dynamic");
    REFUSE(world, imp_joint_def(k, ground, driven), IMP_ERR_ARGUMENT, name, "dynamic");
    REFUSE(world, imp_joint_def(k, (ImpBody){0}, b), IMP_ERR_HANDLE, "body", "null");
    REFUSE(world, imp_joint_def(k, gone, b), IMP_ERR_HANDLE, "destroyed", "body");
    REFUSE(world, imp_joint_def(k, foreign, b), IMP_ERR_WORLD, "body", "another world");
  }
  REFUSE(world, imp_joint_def(IMP_JOINT_CONSTRAINT, a, b), IMP_ERR_ARGUMENT, "kind", "");
  REFUSE(world, imp_joint_def((ImpJointKind)99, a, b), IMP_ERR_ARGUMENT, "kind", "99");
  imp_world_destroy(world);
  imp_world_destroy(other);
}


// NaN and infinity are refused in every number of a definition, for every kind, except where the table allows them: NaN
// means "as created", infinity means "unbounded".
static void every_number_of_a_definition_is_checked(void) {
  ImpWorld *world = make_rig(0, 60, 0, g);
  ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 1, 0, 1, 1);
  ImpJointDef def;
  struct {
    double *number;
    bool may_be_nan, may_be_infinite;
    const char *name;
  } fields[] = {
      {&def.anchor_a.x, false, false, "anchor_a"},
      {&def.anchor_a.y, false, false, "anchor_a"},
      {&def.anchor_b.x, false, false, "anchor_b"},
      {&def.anchor_b.y, false, false, "anchor_b"},
      {&def.axis.x, false, false, "axis"},
      {&def.axis.y, false, false, "axis"},
      {&def.reference_angle, true, false, "reference_angle"},
      {&def.length, true, false, "length"},
      {&def.ratio, false, false, "ratio"},
      {&def.ground_a.x, false, false, "ground_a"},
      {&def.ground_a.y, false, false, "ground_a"},
      {&def.ground_b.x, false, false, "ground_b"},
      {&def.ground_b.y, false, false, "ground_b"},
      {&def.target.x, false, false, "target"},
      {&def.target.y, false, false, "target"},
      {&def.target_angle, true, false, "target_angle"},
      {&def.pitch, false, false, "pitch"},
      {&def.max_force, true, true, "max_force"},
      {&def.max_torque, true, true, "max_torque"},
      {&def.hertz, false, false, "hertz"},
      {&def.damping_ratio, false, false, "damping_ratio"},
      {&def.break_force, false, true, "break_force"},
      {&def.break_torque, false, true, "break_torque"},
  };
  for (int kind = 0; kind < IMP_JOINT_CONSTRAINT; ++kind) {
    if (imp_joint_kind(kind)->options & IMP_TAKES_TERMS) continue;
    for (int i = 0; i < (int)(sizeof fields / sizeof *fields); ++i) {
      for (int bad = 0; bad < 3; ++bad) {
        if ((bad == 0 && fields[i].may_be_nan) || (bad == 1 && fields[i].may_be_infinite)) continue;
        def = imp_joint_def((ImpJointKind)kind, a, b);
        def.has_target = true;
        *fields[i].number = bad == 0 ? (double)NAN : bad == 1 ? HUGE_VAL : -HUGE_VAL;
        REFUSE(world, def, IMP_ERR_ARGUMENT, imp_joint_kind(kind)->name, fields[i].name);
      }
    }
  }
  def = imp_joint_def(IMP_JOINT_PRISMATIC, a, b);
  def.axis = vec(0, 0);
  REFUSE(world, def, IMP_ERR_ARGUMENT, "prismatic.axis", "length");
  def = imp_joint_def(IMP_JOINT_PULLEY, a, b);
  def.ratio = 0;
  REFUSE(world, def, IMP_ERR_ARGUMENT, "pulley.ratio", "0");
  def = imp_joint_def(IMP_JOINT_RATCHET, a, b);
  def.direction = 0;
  REFUSE(world, def, IMP_ERR_ARGUMENT, "ratchet.direction", "1 or -1");
  def.direction = 1;
  def.pitch = -0.1;
  REFUSE(world, def, IMP_ERR_ARGUMENT, "ratchet.pitch", "-0.1");
  def = imp_joint_def(IMP_JOINT_FRICTION, a, b);
  def.max_force = -1;
  REFUSE(world, def, IMP_ERR_ARGUMENT, "friction.max_force", "-1");
  def = imp_joint_def(IMP_JOINT_WELD, a, b);
  def.break_torque = -1;
  REFUSE(world, def, IMP_ERR_ARGUMENT, "weld.break_torque", "-1");
  def = imp_joint_def(IMP_JOINT_ROPE, a, b);
  def.length = -1;
  REFUSE(world, def, IMP_ERR_ARGUMENT, "rope.length", "-1");
  imp_world_destroy(world);
}


static void a_drive_on_a_missing_coordinate_is_refused(void) {
  ImpWorld *world = make_rig(0, 60, 0, g);
  ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 1, 0, 1, 1);
  ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, a, b);
  def.drive[2] = motor_of(1, 1); // a distance joint has one coordinate
  REFUSE(world, def, IMP_ERR_ARGUMENT, "distance", "coordinate");
  imp_world_destroy(world);
}


static void every_number_of_a_drive_is_checked(void) {
  ImpWorld *world = make_rig(0, 60, 0, g);
  ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 1, 0, 1, 1);
  ImpJointDef def = imp_joint_def(IMP_JOINT_REVOLUTE, a, b);
  def.name = "elbow";
  ImpJoint joint = add_joint(world, def);
  ImpCoordinate angle = {joint, 2};
  ImpDrive d;
  struct {
    double *number;
    ImpDriveKind kind;
    bool may_be_infinite, not_negative;
    const char *word;
  } fields[] = {
      {&d.lock, IMP_DRIVE_LOCK, false, false, "lock"},
      {&d.lower, IMP_DRIVE_LIMIT, true, false, "lower"},
      {&d.upper, IMP_DRIVE_LIMIT, true, false, "upper"},
      {&d.limit_max, IMP_DRIVE_LIMIT, true, true, "max_force"},
      {&d.speed, IMP_DRIVE_MOTOR, false, false, "speed"},
      {&d.motor_max, IMP_DRIVE_MOTOR, true, true, "max_force"},
      {&d.target, IMP_DRIVE_SERVO, false, false, "target"},
      {&d.target_speed, IMP_DRIVE_SERVO, false, false, "speed"},
      {&d.servo_max, IMP_DRIVE_SERVO, true, true, "max_force"},
      {&d.stiffness, IMP_DRIVE_SPRING, false, true, "stiffness"},
      {&d.damping, IMP_DRIVE_SPRING, false, true, "damping"},
      {&d.hertz, IMP_DRIVE_SPRING, false, true, "hertz"},
      {&d.damping_ratio, IMP_DRIVE_SPRING, false, true, "damping_ratio"},
      {&d.rest, IMP_DRIVE_SPRING, false, false, "target"},
      {&d.spring_max, IMP_DRIVE_SPRING, true, true, "max_force"},
      {&d.force, IMP_DRIVE_FORCE, false, false, "force"},
  };
  for (int i = 0; i < (int)(sizeof fields / sizeof *fields); ++i) {
    for (int bad = 0; bad < 4; ++bad) {
      const double numbers[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, -1};
      bool fine = (bad == 1 && fields[i].may_be_infinite) ||
                  (bad == 2 && fields[i].may_be_infinite && !fields[i].not_negative) ||
                  (bad == 3 && !fields[i].not_negative);
      if (fine) continue;
      d = a_drive(fields[i].kind);
      *fields[i].number = numbers[bad];
      State before = state_of(world);
      REFUSED(imp_coordinate_set_drive(world, angle, &d), IMP_ERR_ARGUMENT, "'elbow', angle", fields[i].word);
      if (fields[i].number != &d.rest || bad != 0) { // NaN means "as created"
        def.drive[2] = d;
        REFUSE(world, def, IMP_ERR_ARGUMENT, "'elbow', angle", fields[i].word);
      }
      check_same(world, before, "a refused drive changed the world", __LINE__);
      d.on = 0; // a drive that is off is not checked
      MUST(imp_coordinate_set_drive(world, angle, &d));
    }
  }
  d = motor_of(-2e15, 1);
  REFUSED(imp_coordinate_set_drive(world, angle, &d), IMP_ERR_ARGUMENT, "speed must be a finite number (at most 1e+15)",
          "got -2e+15");
  d = limit_to(2, 1);
  REFUSED(imp_coordinate_set_drive(world, angle, &d), IMP_ERR_ARGUMENT, "lower 2", "upper 1");
  d = limit_to(HUGE_VAL, -HUGE_VAL);
  REFUSED(imp_coordinate_set_drive(world, angle, &d), IMP_ERR_ARGUMENT, "lower", "upper");
  d = spring_at(5, 1);
  d.stiffness = 1;
  REFUSED(imp_coordinate_set_drive(world, angle, &d), IMP_ERR_ARGUMENT, "stiffness", "hertz");
  d = imp_drive();
  d.on = 1u << IMP_DRIVE_COUNT;
  REFUSED(imp_coordinate_set_drive(world, angle, &d), IMP_ERR_ARGUMENT, "unknown drive", "elbow");
  for (int i = -1; i <= 3; i += 4) {
    d = imp_drive();
    REFUSED(imp_coordinate_set_drive(world, (ImpCoordinate){joint, i}, &d), IMP_ERR_ARGUMENT, "'elbow'", "coordinate");
  }
  imp_world_destroy(world);
}


// A gear couples two different coordinates. The coordinate of another gear is refused.
static void a_gear_refuses_coordinates_that_cannot_be_coupled(void) {
  ImpWorld *world = make_rig(0, 60, 0, g), *other = make_rig(0, 60, 0, g);
  ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 1, 0, 1, 1), foreign = add_mass(other, 0, 0, 1, 1);
  ImpJoint pin_a = add_joint(world, imp_joint_def(IMP_JOINT_REVOLUTE, ground_of(world), a));
  ImpJoint pin_b = add_joint(world, imp_joint_def(IMP_JOINT_REVOLUTE, ground_of(world), b));
  ImpJoint far = add_joint(other, imp_joint_def(IMP_JOINT_REVOLUTE, ground_of(other), foreign));
  ImpJoint gear = couple(world, IMP_JOINT_GEAR, (ImpCoordinate){pin_a, 2}, (ImpCoordinate){pin_b, 2}, 1);
  ImpJointDef def = imp_joint_def(IMP_JOINT_GEAR, (ImpBody){0}, (ImpBody){0});
  const struct {
    ImpCoordinate q1, q2;
    ImpStatus status;
    const char *first, *second;
  } wrong[] = {
      {{pin_a, 2}, {pin_a, 2}, IMP_ERR_ARGUMENT, "gear", "given twice"},
      {{pin_a, 2}, {gear, 0}, IMP_ERR_ARGUMENT, "gear", "not a gear"},
      {{pin_a, 2}, {pin_b, 3}, IMP_ERR_ARGUMENT, "gear", "coordinate 4"},
      {{pin_a, -1}, {pin_b, 2}, IMP_ERR_ARGUMENT, "gear", "coordinate"},
      {{pin_a, 2}, {{0}, 0}, IMP_ERR_HANDLE, "joint", "null"},
      {{pin_a, 2}, {far, 2}, IMP_ERR_WORLD, "joint", "another world"},
  };
  for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); ++i) {
    def.term[0] = wrong[i].q1;
    def.term[1] = wrong[i].q2;
    REFUSE(world, def, wrong[i].status, wrong[i].first, wrong[i].second);
  }
  def.term[0] = (ImpCoordinate){pin_a, 2};
  def.term[1] = (ImpCoordinate){pin_b, 2};
  def.ratio = 0;
  REFUSE(world, def, IMP_ERR_ARGUMENT, "gear.ratio", "0");
  MUST(imp_joint_destroy(world, pin_b));
  def.ratio = 1;
  REFUSE(world, def, IMP_ERR_HANDLE, "destroyed", "joint");
  imp_world_destroy(world);
  imp_world_destroy(other);
}


// Every call with a joint refuses a null handle, a destroyed joint, and a joint of another world.
static void an_invalid_joint_handle_is_refused(void) {
  ImpWorld *world = make_rig(0, 60, 0, g), *other = make_rig(0, 60, 0, g);
  ImpBody a = add_mass(world, 0, 0, 1, 1), foreign = add_mass(other, 0, 0, 1, 1);
  ImpJoint gone = hang(world, IMP_JOINT_ROPE, a, 0, 1), far = hang(other, IMP_JOINT_ROPE, foreign, 0, 1);
  MUST(imp_joint_destroy(world, gone));
  State before = state_of(world);
  for (int i = 0; i < 3; ++i) {
    ImpJoint joint = i == 0 ? (ImpJoint){0} : i == 1 ? gone : far;
    ImpStatus status = i == 2 ? IMP_ERR_WORLD : IMP_ERR_HANDLE;
    const char *word = i == 0 ? "null" : i == 1 ? "destroyed" : "another world";
    double number, j[12];
    int count;
    const char *name;
    void *data;
    ImpJointKind kind;
    ImpBody bodies[4];
    ImpVec2 p, q;
    ImpReaction reaction;
    ImpCoordinateInfo info;
    ImpCoordinate c = {joint, 0};
    ImpDrive drive = imp_drive();
    ImpTapeDef tape = {0};
    const ImpStatus got[] = {
        imp_joint_destroy(world, joint),
        imp_joint_get(world, joint, IMP_JOINT_VALUE, &number),
        imp_joint_set(world, joint, IMP_JOINT_BREAK_FORCE, 1),
        imp_joint_kind_of(world, joint, &kind),
        imp_joint_name(world, joint, &name),
        imp_joint_set_name(world, joint, "x"),
        imp_joint_user_data(world, joint, &data),
        imp_joint_bodies(world, joint, bodies, 4, &count),
        imp_joint_anchors(world, joint, &p, &q),
        imp_joint_set_target(world, joint, vec(0, 0)),
        imp_joint_reaction(world, joint, &reaction),
        imp_joint_break(world, joint, false),
        imp_joint_coordinate_count(world, joint, &count),
        imp_coordinate_info(world, c, &info),
        imp_coordinate_state(world, c, &number, &number),
        imp_coordinate_set_force(world, c, 1),
        imp_coordinate_set_target(world, c, 1),
        imp_joint_state(world, joint, &number, &number),
        imp_coordinate_jacobian(world, c, j, 12, &count),
        imp_coordinate_curvature(world, c, &number),
        imp_coordinate_drive(world, c, &drive),
        imp_coordinate_set_drive(world, c, &drive),
        imp_constraint_set_tape(world, joint, &tape),
        imp_constraint_set_rows(world, joint, NULL, 0),
        imp_constraint_param(world, joint, 0, &number),
        imp_constraint_set_param(world, joint, 0, 1),
        imp_joint_rows(world, joint, &count, &count),
    };
    for (int k = 0; k < (int)(sizeof got / sizeof *got); ++k) {
      CHECK(got[k] == status);
    }
    REFUSED(imp_joint_destroy(world, joint), status, "joint", word);
    CHECK(!imp_joint_is_valid(world, joint));
  }
  check_same(world, before, "a refused call changed the world", __LINE__);
  imp_world_destroy(world);
  imp_world_destroy(other);
}


static void properties_and_targets_are_checked(void) {
  ImpWorld *world = make_rig(0, 60, 0, g);
  ImpBody a = add_mass(world, 0, -1, 1, 1);
  ImpJoint weld = add_joint(world, imp_joint_def(IMP_JOINT_WELD, ground_of(world), a));
  ImpJoint drag = add_joint(world, imp_joint_def(IMP_JOINT_DRAG, (ImpBody){0}, a));
  ImpJoint pin = add_joint(world, imp_joint_def(IMP_JOINT_REVOLUTE, ground_of(world), a));
  double value = 5;
  REFUSED(imp_joint_get(world, weld, IMP_JOINT_VALUE, &value), IMP_ERR_ARGUMENT, "weld", "coordinate");
  REFUSED(imp_joint_get(world, weld, IMP_JOINT_FORCE, &value), IMP_ERR_ARGUMENT, "joint.force", "coordinate");
  REFUSED(imp_joint_get(world, pin, IMP_JOINT_TARGET, &value), IMP_ERR_ARGUMENT, "revolute", "servo or spring");
  REFUSED(imp_joint_get(world, pin, IMP_JOINT_MOTOR_SPEED, &value), IMP_ERR_ARGUMENT, "motor_speed", "motor");
  CHECK(value == 5);
  REFUSED(imp_joint_set(world, pin, IMP_JOINT_MAX_FORCE, 3), IMP_ERR_ARGUMENT, "max_force", "motor");
  REFUSED(imp_joint_set(world, pin, IMP_JOINT_VALUE, 3), IMP_ERR_ARGUMENT, "joint.value", "read-only");
  REFUSED(imp_joint_set(world, pin, IMP_JOINT_BREAK_FORCE, (double)NAN), IMP_ERR_ARGUMENT, "break_force", "N");
  REFUSED(imp_joint_set(world, pin, IMP_JOINT_BREAK_FORCE, -1), IMP_ERR_ARGUMENT, "break_force", "-1");
  REFUSED(imp_joint_set(world, pin, (ImpJointProperty)99, 1), IMP_ERR_ARGUMENT, "property", "joint");
  REFUSED(imp_joint_set_target(world, pin, vec(0, 0)), IMP_ERR_ARGUMENT, "revolute", "target");
  REFUSED(imp_joint_set_target(world, drag, vec((double)NAN, 0)), IMP_ERR_ARGUMENT, "target", "finite");
  REFUSED(imp_joint_set_target(world, drag, vec(0, HUGE_VAL)), IMP_ERR_ARGUMENT, "target", "finite");
  CHECK(imp_joint_property(-1) == NULL && imp_joint_property(IMP_JOINT_PROPERTY_COUNT) == NULL);
  CHECK(imp_joint_kind(-1) == NULL && imp_joint_kind(IMP_JOINT_KIND_COUNT) == NULL);
  CHECK(imp_drive_name(-1) == NULL && imp_drive_name(IMP_DRIVE_COUNT) == NULL);
  imp_world_destroy(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Custom constraints
// ---------------------------------------------------------------------------------------------------------------------


static void refuse_constraint(ImpWorld *world, ImpConstraintDef def, ImpStatus status, const char *first,
                              const char *second, int line) {
  State before = state_of(world);
  ImpJoint joint = {77};
  def.name = "wire";
  check_refused(imp_constraint_create(world, &def, &joint), status, first, second, line);
  check_that(joint.id == 77, __FILE__, line, "the output was touched");
  check_same(world, before, "a refused constraint changed the world", line);
}

#define REFUSE_CONSTRAINT(def, status, first, second) \
  refuse_constraint(world, (def), (status), (first), (second), __LINE__)


static void a_wrong_constraint_is_refused(void) {
  ImpWorld *world = make_rig(0, 60, 0, g), *other = make_rig(0, 60, 0, g);
  ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 1, 0, 1, 1), foreign = add_mass(other, 0, 0, 1, 1);
  ImpBody twice[2] = {b, b}, still = ground_of(world);
  Tape tape = {0};
  int32_t square = put_square(&tape), root = put(&tape, IMP_OP_SQRT, square, -1), one = number(&tape, 1);
  int32_t broken = put(&tape, IMP_OP_LOG, put(&tape, IMP_OP_SUB, square, square), -1);
  ImpConstraintDef good = imp_constraint_def(), def;
  good.bodies = &b;
  good.body_count = 1;
  good.tape = (ImpTapeDef){.nodes = tape.nodes, .node_count = tape.count, .results = &root, .result_count = 1};

  def = good;
  def.drive.lock = 2e15; // the value to which C is locked if no drive is on
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "the value of a lock must be a finite number", "got 2e+15");
  def = good;
  def.body_count = 0;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "'wire'", "bodies");
  def.body_count = IMP_MAX_CONSTRAINT_BODIES + 1;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "'wire'", "65");
  def.bodies = twice;
  def.body_count = 2;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "'wire'", "the same");
  def = good;
  def.bodies = &still;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "'wire'", "must be dynamic");
  def.bodies = &foreign;
  REFUSE_CONSTRAINT(def, IMP_ERR_WORLD, "body", "another world");
  def = good;
  def.bodies = &a; // body a is at the origin, where sqrt(x^2 + y^2) has no derivative
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "derivative of result 1", "not finite");
  def.tape.results = &square;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "result 1", "gradient is zero");
  def = good;
  def.tape.results = &broken;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "result 1", "not finite");
  def.tape.results = &one;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "result 1", "gradient is zero");
  def = good;
  def.tape.result_count = 0;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "'wire'", "got 0");
  def = good;
  def.break_force = (double)NAN;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "'wire'", "break_force");
  const double bad = (double)NAN;
  def = good;
  def.params = &bad;
  def.param_count = 1;
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "'wire'", "parameter 1");
  def = good;
  def.drive = limit_to(2, 1);
  REFUSE_CONSTRAINT(def, IMP_ERR_ARGUMENT, "'wire'", "lower 2");

  ImpJoint wire = {0}, rows = {0};
  MUST(imp_constraint_create(world, &good, &wire));
  def = good;
  def.max_rows = 1;
  MUST(imp_constraint_create(world, &def, &rows));
  const double j[3] = {1, 0, 0}, not_finite[3] = {1, bad, 0};
  const ImpUserRow fine = {j, 0, 0, false, -1, 1}, wrong[] = {{not_finite, 0, 0, false, -1, 1},
                                                              {j, bad, 0, false, -1, 1},
                                                              {j, 0, bad, true, -1, 1},
                                                              {j, 0, 0, false, 1, -1},
                                                              {j, 0, 0, false, bad, 1}};
  const ImpUserRow two[] = {fine, fine};
  for (int i = 0; i < 5; ++i)
    REFUSED(imp_constraint_set_rows(world, rows, &wrong[i], 1), IMP_ERR_ARGUMENT, "row 1", "");
  REFUSED(imp_constraint_set_rows(world, rows, two, 2), IMP_ERR_LIMIT, "1 rows", "got 2");
  REFUSED(imp_constraint_set_rows(world, wire, &fine, 1), IMP_ERR_ARGUMENT, "not a constraint by", "rows");
  REFUSED(imp_constraint_set_tape(world, rows, &good.tape), IMP_ERR_ARGUMENT, "not a constraint by", "function");
  REFUSED(imp_constraint_set_param(world, wire, 0, 1), IMP_ERR_ARGUMENT, "parameter", "1");
  imp_world_destroy(world);
  imp_world_destroy(other);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_joint_needs_two_bodies_at_least_one_of_them_dynamic);
  RUN(every_number_of_a_definition_is_checked);
  RUN(a_drive_on_a_missing_coordinate_is_refused);
  RUN(every_number_of_a_drive_is_checked);
  RUN(a_gear_refuses_coordinates_that_cannot_be_coupled);
  RUN(an_invalid_joint_handle_is_refused);
  RUN(properties_and_targets_are_checked);
  RUN(a_wrong_constraint_is_refused);
  return check_report("joint misuse");
}
