// Functions that create a joint, a drive or a tape in one line, for the specs of joints. Every call is checked.
#ifndef IMPI_RIG_H
#define IMPI_RIG_H

#include "scene.h"

static const double g = 9.81, pi = 3.14159265358979323846;

// Check that `got` is `expected` within `tolerance`. With the option --show, print `got`.
#define EXPECT(got, expected, tolerance, what) \
  do { \
    double got_ = (got); \
    CHECK_NEAR(got_, (expected), (tolerance)); \
    measured((what), got_); \
  } while (0)


// ---------------------------------------------------------------------------------------------------------------------
// Worlds and bodies
// ---------------------------------------------------------------------------------------------------------------------


static inline bool say_solver(int solver) {
  if (show_measured) printf(" %s\n", imp_solver_name(solver));
  return true;
}

#define FOR_SOLVERS(solver) for (int solver = 0; solver < MAIN_SOLVERS && say_solver(solver); ++solver)
#define FOR_EVERY_SOLVER(solver) for (int solver = 0; solver < IMP_SOLVER_COUNT && say_solver(solver); ++solver)


// Make a world without sleep. `substeps` 0: the default of the solver.
static inline ImpWorld *make_rig(int solver, double rate, int substeps, double gravity) {
  ImpWorld *world = make_world((ImpSolverKind)solver, 1 / rate, gravity);
  set_world(world, IMP_WORLD_SLEEP, 0);
  if (substeps > 0) set_world(world, IMP_WORLD_SUBSTEPS, substeps);
  return world;
}


static inline ImpBody ground_of(ImpWorld *world) {
  ImpBody ground = {0};
  MUST(imp_world_ground(world, &ground));
  return ground;
}


// Add a body without shapes. With inertia 0 torque does not turn the body.
static inline ImpBody add_mass(ImpWorld *world, double x, double y, double mass, double inertia) {
  ImpBodyDef def = imp_body_def();
  def.position = vec(x, y);
  def.mass = mass;
  def.inertia = inertia;
  ImpBody body = {0};
  MUST(imp_body_create(world, &def, &body));
  return body;
}


static inline double energy_of(const ImpWorld *world) {
  ImpEnergy energy = imp_world_energy(world);
  return energy.kinetic + energy.potential;
}


// ---------------------------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------------------------


// Return a definition with the anchors of both bodies at the same world point.
static inline ImpJointDef joint_at(ImpJointKind kind, ImpBody a, ImpBody b, double x, double y) {
  ImpJointDef def = imp_joint_def(kind, a, b);
  def.place_a = def.place_b = IMP_PLACE_WORLD;
  def.anchor_a = def.anchor_b = vec(x, y);
  return def;
}


static inline ImpJoint add_joint(ImpWorld *world, ImpJointDef def) {
  ImpJoint joint = {0};
  MUST(imp_joint_create(world, &def, &joint));
  return joint;
}


// Add a rod or a rope from a world point on the ground to the origin of a body.
static inline ImpJoint hang(ImpWorld *world, ImpJointKind kind, ImpBody body, double x, double y) {
  ImpJointDef def = imp_joint_def(kind, ground_of(world), body);
  def.place_a = IMP_PLACE_WORLD;
  def.anchor_a = vec(x, y);
  return add_joint(world, def);
}


static inline ImpJoint couple(ImpWorld *world, ImpJointKind kind, ImpCoordinate q1, ImpCoordinate q2, double ratio) {
  ImpJointDef def = imp_joint_def(kind, (ImpBody){0}, (ImpBody){0});
  def.term[0] = q1;
  def.term[1] = q2;
  def.ratio = ratio;
  return add_joint(world, def);
}


static inline double joint_get(const ImpWorld *world, ImpJoint joint, ImpJointProperty property) {
  double value = (double)NAN;
  MUST(imp_joint_get(world, joint, property, &value));
  return value;
}


static inline double value_of(const ImpWorld *world, ImpJoint joint) {
  return joint_get(world, joint, IMP_JOINT_VALUE);
}


static inline double force_of(const ImpWorld *world, ImpJoint joint) {
  return joint_get(world, joint, IMP_JOINT_FORCE);
}


static inline ImpReaction reaction_of(const ImpWorld *world, ImpJoint joint) {
  ImpReaction reaction = {(double)NAN, (double)NAN, (double)NAN};
  MUST(imp_joint_reaction(world, joint, &reaction));
  return reaction;
}


static inline ImpCoordinateInfo coordinate_of(const ImpWorld *world, ImpJoint joint, int index) {
  ImpCoordinateInfo info = {0};
  MUST(imp_coordinate_info(world, (ImpCoordinate){joint, index}, &info));
  return info;
}


// Return a joint's row of a kind in the last step. Without such a row the force is NaN.
static inline ImpRowInfo row_of(ImpWorld *world, ImpJoint joint, ImpRowKind kind) {
  const ImpRowInfo *rows = NULL;
  int all = 0, first = 0, count = 0;
  MUST(imp_world_rows(world, &rows, &all));
  MUST(imp_joint_rows(world, joint, &first, &count));
  for (int i = first; i < first + count; ++i) {
    if (rows[i].kind == kind) return rows[i];
  }
  return (ImpRowInfo){.force = (double)NAN};
}


// ---------------------------------------------------------------------------------------------------------------------
// Drives
// ---------------------------------------------------------------------------------------------------------------------


static inline ImpDrive a_drive(ImpDriveKind kind) {
  ImpDrive drive = imp_drive();
  drive.on = 1u << kind;
  return drive;
}


static inline ImpDrive lock_at(double value) {
  ImpDrive drive = a_drive(IMP_DRIVE_LOCK);
  drive.lock = value;
  return drive;
}


static inline ImpDrive limit_to(double lower, double upper) {
  ImpDrive drive = a_drive(IMP_DRIVE_LIMIT);
  drive.lower = lower;
  drive.upper = upper;
  return drive;
}


static inline ImpDrive motor_of(double speed, double most) {
  ImpDrive drive = a_drive(IMP_DRIVE_MOTOR);
  drive.speed = speed;
  drive.motor_max = most;
  return drive;
}


static inline ImpDrive servo_to(double target, double most) {
  ImpDrive drive = a_drive(IMP_DRIVE_SERVO);
  drive.target = target;
  drive.servo_max = most;
  return drive;
}


static inline ImpDrive spring_of(double stiffness, double damping) {
  ImpDrive drive = a_drive(IMP_DRIVE_SPRING);
  drive.stiffness = stiffness;
  drive.damping = damping;
  return drive;
}


static inline ImpDrive spring_at(double hertz, double damping_ratio) {
  ImpDrive drive = a_drive(IMP_DRIVE_SPRING);
  drive.hertz = hertz;
  drive.damping_ratio = damping_ratio;
  return drive;
}


static inline ImpDrive push_of(double force) {
  ImpDrive drive = a_drive(IMP_DRIVE_FORCE);
  drive.force = force;
  return drive;
}


static inline void set_drive(ImpWorld *world, ImpJoint joint, int index, ImpDrive drive) {
  MUST(imp_coordinate_set_drive(world, (ImpCoordinate){joint, index}, &drive));
}


// ---------------------------------------------------------------------------------------------------------------------
// Custom constraints
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Tape {
  ImpNode nodes[32];
  int count;
} Tape;


static inline int32_t put(Tape *tape, ImpOp op, int32_t a, int32_t b) {
  CHECK(tape->count < 32);
  tape->nodes[tape->count] = (ImpNode){.op = op, .a = a, .b = b, .c = -1};
  return tape->count++;
}


static inline int32_t number(Tape *tape, double value) {
  int32_t node = put(tape, IMP_OP_CONSTANT, -1, -1);
  tape->nodes[node].value = value;
  return node;
}


// Append nodes that compute x^2 + y^2, where (x, y) is the position of the first body. Return the last node.
static inline int32_t put_square(Tape *tape) {
  int32_t x = put(tape, IMP_OP_X, 0, -1), y = put(tape, IMP_OP_Y, 0, -1);
  return put(tape, IMP_OP_ADD, put(tape, IMP_OP_MUL, x, x), put(tape, IMP_OP_MUL, y, y));
}


// Add a constraint of one body. Its value C is the tape's last node. If `drive` is off, C is locked at 0.
static inline ImpJoint add_tape(ImpWorld *world, ImpBody body, const Tape *tape, ImpDrive drive) {
  ImpConstraintDef def = imp_constraint_def();
  const int32_t result = tape->count - 1;
  def.bodies = &body;
  def.body_count = 1;
  def.tape = (ImpTapeDef){.nodes = tape->nodes, .node_count = tape->count, .results = &result, .result_count = 1};
  def.drive = drive;
  ImpJoint joint = {0};
  MUST(imp_constraint_create(world, &def, &joint));
  return joint;
}


#endif
