// Random bodies and joints of every kind, for the specs of joints. Reads and writes internals of the world.
#ifndef IMPI_RANDOM_JOINTS_H
#define IMPI_RANDOM_JOINTS_H

#include "model/joint_rows.h"
#include "scene.h"
#include "world/world.h"

static inline int roll(int sides) { return (int)random_in(0, sides); }
static inline bool one_in(int n) { return roll(n) == 0; }


static inline ImpVec2 random_vec(double lower, double upper) {
  double x = random_in(lower, upper);
  return vec(x, random_in(lower, upper));
}


// Return a random number between `lower` and `upper` whose logarithm is uniformly distributed.
static inline double random_scale(double lower, double upper) {
  return imp_exp(random_in(imp_log(lower), imp_log(upper)));
}


static inline int32_t slot_of(const ImpWorld *world, ImpBody body) {
  return impi_pool_find(&world->body_pool, body.id, world->tag);
}


static inline int32_t joint_slot(const ImpWorld *world, ImpJoint joint) {
  return impi_pool_find(&world->joint_pool, joint.id, world->tag);
}


static inline ImpiMotion *motion_of(ImpWorld *world, ImpBody body) {
  return &world->motions.data[slot_of(world, body)];
}


// Set the position of the centre of mass and the angle of a body of any type.
static inline void pose(ImpiMotion *m, double x, double y, double angle) {
  m->x = x;
  m->y = y;
  m->angle = angle;
  impi_sincos(angle, &m->s, &m->c);
}


// Add a body of given mass and inertia, whose centre of mass is not at the origin. With inertia 0 torque does not turn
// the body. The shape of the body does not collide.
static inline ImpBody add_mass(ImpWorld *world, ImpBodyType type, ImpVec2 at, double angle, ImpVec2 center, double mass,
                               double inertia) {
  ImpBodyDef def = imp_body_def();
  def.type = type;
  def.position = at;
  def.angle = angle;
  def.mass = type >= IMP_BODY_DYNAMIC ? mass : 0;
  def.inertia = type == IMP_BODY_DYNAMIC ? inertia : 0;
  ImpBody body = {0};
  MUST(imp_body_create(world, &def, &body));
  if (center.x != 0 || center.y != 0) {
    ImpShapeDef ghost = imp_shape_def();
    ghost.mask = 0;
    ImpShape shape;
    MUST(imp_body_add_circle(world, body, &ghost, center, 0.1, &shape));
  }
  return body;
}


static inline ImpBody random_body(ImpWorld *world) {
  ImpVec2 at = random_vec(-2, 2), center = random_vec(-0.7, 0.7);
  double angle = random_in(-9, 9), mass = random_scale(0.3, 3);
  return add_mass(world, IMP_BODY_DYNAMIC, at, angle, center, mass, random_scale(0.1, 1));
}


// Give a body a random pose and velocity, without making a step.
static inline void scatter(ImpWorld *world, ImpBody body) {
  ImpiMotion *m = motion_of(world, body);
  ImpVec2 at = random_vec(-2, 2), v = random_vec(-2, 2);
  pose(m, at.x, at.y, random_in(-9, 9));
  m->vx = v.x;
  m->vy = v.y;
  m->w = random_in(-2, 2);
  world->row.valid = false;
}


static inline ImpJoint add_joint(ImpWorld *world, const ImpJointDef *def) {
  ImpJoint joint = {0};
  MUST(imp_joint_create(world, def, &joint));
  return joint;
}


static inline unsigned options_of(int kind) { return imp_joint_kind(kind)->options; }


// Return a definition with random values for the options of the kind. For gears and racks call random_gear.
static inline ImpJointDef random_def(int kind, ImpBody a, ImpBody b) {
  ImpJointDef def = imp_joint_def((ImpJointKind)kind, a, b);
  unsigned options = options_of(kind);
  ImpVec2 anchor_a = random_vec(-1.5, 1.5), anchor_b = random_vec(-1.5, 1.5), axis = random_vec(-1, 1);
  ImpVec2 ground_a = random_vec(-4, 4), ground_b = random_vec(-4, 4);
  def.place_b = (ImpPlace)roll(3);
  def.anchor_b = def.place_b == IMP_PLACE_DEFAULT ? def.anchor_b : anchor_b;
  if (options & IMP_TAKES_ANCHORS) {
    def.place_a = (ImpPlace)roll(3);
    def.anchor_a = def.place_a == IMP_PLACE_DEFAULT ? def.anchor_a : anchor_a;
  }
  if (options & IMP_TAKES_AXIS && one_in(2)) {
    def.place_axis = one_in(2) ? IMP_PLACE_WORLD : IMP_PLACE_LOCAL;
    def.axis = axis;
  }
  if (options & IMP_TAKES_REFERENCE && one_in(2)) def.reference_angle = random_in(-7, 7);
  if (options & IMP_TAKES_LENGTH && one_in(2)) def.length = random_in(0, 3);
  if (options & IMP_TAKES_RATIO) def.ratio = random_in(0.2, 3) * (one_in(2) ? 1 : -1);
  if (options & IMP_TAKES_GROUNDS) {
    def.ground_a = ground_a;
    def.ground_b = ground_b;
  }
  return def;
}


static inline ImpCoordinate at_random(const ImpWorld *world, ImpJoint joint) {
  int count = 0;
  MUST(imp_joint_coordinate_count(world, joint, &count));
  return (ImpCoordinate){joint, roll(count)};
}


// Return the definition of a gear or rack that couples two coordinates, with a random ratio.
static inline ImpJointDef random_gear(int kind, ImpCoordinate one, ImpCoordinate two) {
  ImpJointDef def = imp_joint_def((ImpJointKind)kind, (ImpBody){0}, (ImpBody){0});
  def.ratio = random_in(0.2, 3) * (one_in(2) ? 1 : -1);
  def.term[0] = one;
  def.term[1] = two;
  return def;
}


static inline ImpCoordinateInfo info_of(const ImpWorld *world, ImpCoordinate coordinate) {
  ImpCoordinateInfo info = {0};
  MUST(imp_coordinate_info(world, coordinate, &info));
  return info;
}


static inline double joint_get(const ImpWorld *world, ImpJoint joint, ImpJointProperty property) {
  double value = (double)NAN;
  MUST(imp_joint_get(world, joint, property, &value));
  return value;
}


static inline void check_worst(double worst, double tolerance, const char *what) {
  CHECK_NEAR(worst, 0, tolerance);
  measured(what, worst);
}

#endif
