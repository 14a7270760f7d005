// Coordinates: the value against a formula in long double; Jacobian, rate and second derivative against differences.
#include "random_joints.h"
#include "tape_case.h"

enum { TRIALS = 100, RIG_BODIES = 4 };

// What a coordinate measures.
typedef enum Family { X, Y, ANGLE, DISTANCE, PULLEY, FAMILY_COUNT } Family;
static const char *const family_names[] = {"x", "y", "angle", "distance", "pulley", "gear, rack", "tape", "rate tape"};
enum { SUM = FAMILY_COUNT, TAPE, RATE_TAPE, REPORTS };

typedef struct Measure {
  Family family;
  ImpBody a, b;
  // Anchors in the frames of bodies a and b, from their origins; axis in the frame of body a; world points of a pulley
  ImpVec2 local_a, local_b, local_axis, ground_a, ground_b;
  double reference, ratio;
} Measure;

// Largest relative errors of a family.
typedef struct Worst {
  double value, jacobian, rate, curvature;
  int compared;
} Worst;
static Worst worst_of[REPORTS];


// ---------------------------------------------------------------------------------------------------------------------
// Formulas
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Point {
  Real x, y;
} Point;


static Point turned(Real angle, Point p) {
  return (Point){cosl(angle) * p.x - sinl(angle) * p.y, sinl(angle) * p.x + cosl(angle) * p.y};
}


// Return the world position of a point whose position relative to the body's origin is `local`.
static Point point_of(ImpWorld *world, ImpBody body, ImpVec2 local) {
  const ImpiMotion *m = motion_of(world, body);
  ImpVec2 center = world->bodies.data[slot_of(world, body)].local_center;
  Point c = turned((Real)m->angle, (Point){(Real)center.x, (Real)center.y});
  Point p = turned((Real)m->angle, (Point){(Real)local.x, (Real)local.y});
  return (Point){(Real)m->x - c.x + p.x, (Real)m->y - c.y + p.y};
}


static Real length_to(Point p, ImpVec2 q) { return hypotl(p.x - (Real)q.x, p.y - (Real)q.y); }


static Real formula(ImpWorld *world, const Measure *m) {
  Point a = point_of(world, m->a, m->local_a), b = point_of(world, m->b, m->local_b);
  Real angle_a = (Real)motion_of(world, m->a)->angle;
  Point axis = turned(angle_a, (Point){(Real)m->local_axis.x, (Real)m->local_axis.y});
  switch (m->family) {
  case X:
    return axis.x * (b.x - a.x) + axis.y * (b.y - a.y);
  case Y: // component along the left perpendicular of the axis
    return -axis.y * (b.x - a.x) + axis.x * (b.y - a.y);
  case ANGLE:
    return (Real)motion_of(world, m->b)->angle - angle_a - (Real)m->reference;
  case DISTANCE:
    return hypotl(b.x - a.x, b.y - a.y);
  default:
    return length_to(a, m->ground_a) + (Real)m->ratio * length_to(b, m->ground_b);
  }
}


// Return what the coordinate of a joint measures.
static Measure measure_of(const ImpWorld *world, const ImpJointDef *def, int index) {
  const ImpJointKindInfo *kind = imp_joint_kind((int)def->kind);
  char first = kind->coordinates[index][0];
  Measure m = {.a = def->body_a, .b = def->body_b, .ratio = def->ratio};
  m.family = first == 'x' ? X : first == 'y' ? Y : first == 'a' ? ANGLE : first == 'd' ? DISTANCE : PULLEY;
  ImpTransform a, b;
  MUST(imp_body_transform(world, m.a, &a));
  MUST(imp_body_transform(world, m.b, &b));
  ImpVec2 at_b = def->place_b == IMP_PLACE_WORLD   ? def->anchor_b
                 : def->place_b == IMP_PLACE_LOCAL ? impi_apply(b, def->anchor_b)
                                                   : b.p;
  bool one_anchor = kind->options & IMP_TAKES_ANCHOR && !(kind->options & IMP_TAKES_TARGET);
  ImpVec2 at_a = def->place_a == IMP_PLACE_WORLD   ? def->anchor_a
                 : def->place_a == IMP_PLACE_LOCAL ? impi_apply(a, def->anchor_a)
                 : one_anchor                      ? at_b
                                                   : a.p;
  m.local_a = impi_inv_apply(a, at_a);
  m.local_b = impi_inv_apply(b, at_b);
  double length = hypot(def->axis.x, def->axis.y);
  m.local_axis = vec(def->axis.x / length, def->axis.y / length);
  if (def->place_axis != IMP_PLACE_LOCAL) m.local_axis = impi_inv_rotate(a.q, m.local_axis);
  m.ground_a = def->ground_a;
  m.ground_b = def->ground_b;
  double turned_by = body_get(world, m.b, IMP_BODY_ANGLE) - body_get(world, m.a, IMP_BODY_ANGLE);
  m.reference = def->reference_angle == def->reference_angle ? def->reference_angle : turned_by;
  return m;
}


// Return whether difference quotients are accurate. The higher derivatives of a length are too large near length 0.
static bool is_smooth(ImpWorld *world, const Measure *m) {
  Point a = point_of(world, m->a, m->local_a), b = point_of(world, m->b, m->local_b);
  if (m->family == PULLEY) return length_to(a, m->ground_a) > 0.5L && length_to(b, m->ground_b) > 0.5L;
  return m->family != DISTANCE || hypotl(b.x - a.x, b.y - a.y) > 0.5L;
}


// ---------------------------------------------------------------------------------------------------------------------
// Difference quotients
// ---------------------------------------------------------------------------------------------------------------------

enum { MOST_BODIES = 8 };

// A coordinate and all bodies that its value may depend on.
typedef struct Probe {
  ImpWorld *world;
  ImpCoordinate coordinate;
  int bodies;
  int32_t slots[MOST_BODIES];
  ImpiMotion at[MOST_BODIES];
} Probe;


static Probe probe_of(ImpWorld *world, ImpCoordinate coordinate) {
  Probe probe = {.world = world, .coordinate = coordinate};
  ImpBody bodies[MOST_BODIES];
  MUST(imp_joint_bodies(world, coordinate.joint, bodies, MOST_BODIES, &probe.bodies));
  for (int i = 0; i < probe.bodies; ++i) {
    probe.slots[i] = slot_of(world, bodies[i]);
    probe.at[i] = world->motions.data[probe.slots[i]];
  }
  return probe;
}


// Return the coordinate's value with every body moved by `by` along `direction` (3 numbers per body).
static double value_along(const Probe *probe, const double *direction, double by) {
  for (int i = 0; i < probe->bodies; ++i) {
    const ImpiMotion *from = &probe->at[i];
    pose(&probe->world->motions.data[probe->slots[i]], from->x + by * direction[3 * i],
         from->y + by * direction[3 * i + 1], from->angle + by * direction[3 * i + 2]);
  }
  double value = info_of(probe->world, probe->coordinate).value;
  for (int i = 0; i < probe->bodies; ++i) {
    probe->world->motions.data[probe->slots[i]] = probe->at[i];
  }
  return value;
}


// Central differences of fourth order.
//   slope(): error step^4 times the fifth derivative, rounding 1e-15 / step
//   bend():  error step^4 times the sixth derivative, rounding 1e-15 / step^2
static const double step = 2e-3;

static double slope(const Probe *probe, const double *direction) {
  double near = value_along(probe, direction, step) - value_along(probe, direction, -step);
  double far = value_along(probe, direction, 2 * step) - value_along(probe, direction, -2 * step);
  return (8 * near - far) / (12 * step);
}


static double bend(const Probe *probe, const double *direction) {
  double near = value_along(probe, direction, step) + value_along(probe, direction, -step);
  double far = value_along(probe, direction, 2 * step) + value_along(probe, direction, -2 * step);
  return (16 * near - far - 30 * value_along(probe, direction, 0)) / (12 * step * step);
}


static double relative(double got, double expected) { return fabs(got - expected) / fmax(1, fabs(expected)); }


static void check_derivatives(ImpWorld *world, ImpCoordinate coordinate, Worst *worst) {
  Probe probe = probe_of(world, coordinate);
  double j[3 * MOST_BODIES], v[3 * MOST_BODIES], rate = 0, curvature = 0;
  int width = 0;
  MUST(imp_coordinate_jacobian(world, coordinate, j, 3 * MOST_BODIES, &width));
  CHECK(width == 3 * probe.bodies);
  for (int i = 0; i < width; ++i) {
    const ImpiMotion *m = &probe.at[i / 3];
    double unit[3 * MOST_BODIES] = {0};
    unit[i] = 1;
    v[i] = i % 3 == 0 ? m->vx : i % 3 == 1 ? m->vy : m->w;
    rate += j[i] * v[i];
    worst->jacobian = fmax(worst->jacobian, relative(j[i], slope(&probe, unit)));
  }
  MUST(imp_coordinate_curvature(world, coordinate, &curvature));
  // The reported speed and `rate` are sums of the same products, so only rounding differs.
  CHECK_NEAR(info_of(world, coordinate).speed, rate, 1e-13 * (1 + fabs(rate)) * width);
  worst->rate = fmax(worst->rate, relative(rate, slope(&probe, v)));
  worst->curvature = fmax(worst->curvature, relative(curvature, bend(&probe, v)));
  worst->compared++;
}


static void check_value(ImpWorld *world, ImpCoordinate coordinate, Real expected, Worst *worst) {
  double value = info_of(world, coordinate).value;
  worst->value = fmax(worst->value, fabs((double)((Real)value - expected)));
}


// ---------------------------------------------------------------------------------------------------------------------
// Every kind
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Rig {
  ImpWorld *world;
  ImpBody bodies[RIG_BODIES], ground;
} Rig;


// A rig whose first body is sometimes static or kinematic.
static Rig make_rig(void) {
  Rig rig = {.world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81)};
  MUST(imp_world_ground(rig.world, &rig.ground));
  for (int i = 0; i < RIG_BODIES; ++i) {
    rig.bodies[i] = random_body(rig.world);
  }
  if (one_in(4)) MUST(imp_body_set_type(rig.world, rig.bodies[0], one_in(2) ? IMP_BODY_STATIC : IMP_BODY_KINEMATIC));
  return rig;
}


// A joint of two bodies and the quantities that its coordinates measure.
typedef struct Part {
  ImpJoint joint;
  Measure measures[IMPI_INLINE_COORDINATES];
  int count;
} Part;


static Part add_part(Rig *rig, int kind) {
  int b = 1 + roll(RIG_BODIES - 1), a = (b + 1 + roll(RIG_BODIES - 1)) % RIG_BODIES;
  bool grounded = options_of(kind) & IMP_TAKES_ONE_BODY || one_in(6);
  Part part = {0};
  ImpJointDef def;
  do {
    def = random_def(kind, grounded ? rig->ground : rig->bodies[a], rig->bodies[b]);
    part.measures[0] = measure_of(rig->world, &def, 0);
  } while (grounded && !is_smooth(rig->world, &part.measures[0]));
  while (part.count < IMPI_INLINE_COORDINATES && imp_joint_kind(kind)->coordinates[part.count] != NULL) {
    part.measures[part.count] = measure_of(rig->world, &def, part.count);
    part.count++;
  }
  part.joint = add_joint(rig->world, &def);
  return part;
}


static void scatter_smoothly(Rig *rig, const Part *parts, int count) {
  bool smooth;
  do {
    for (int i = 0; i < RIG_BODIES; ++i) {
      scatter(rig->world, rig->bodies[i]);
    }
    smooth = true;
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < parts[i].count; ++k) {
        smooth = smooth && is_smooth(rig->world, &parts[i].measures[k]);
      }
    }
  } while (!smooth);
}


static void joints_measure_the_formulas_of_the_manual(void) {
  for (int kind = 0; kind < IMP_JOINT_CONSTRAINT; ++kind) {
    for (int trial = 0; trial < TRIALS && !(options_of(kind) & IMP_TAKES_TERMS); ++trial) {
      Rig rig = make_rig();
      Part part = add_part(&rig, kind);
      scatter_smoothly(&rig, &part, 1);
      for (int i = 0; i < part.count; ++i) {
        Worst *worst = &worst_of[part.measures[i].family];
        check_value(rig.world, (ImpCoordinate){part.joint, i}, formula(rig.world, &part.measures[i]), worst);
        check_derivatives(rig.world, (ImpCoordinate){part.joint, i}, worst);
      }
      imp_world_destroy(rig.world);
    }
  }
}


// Gears and racks of any two coordinates, over two, three or four bodies.
static void gears_and_racks_are_sums_of_coordinates(void) {
  for (int kind = IMP_JOINT_GEAR; kind <= IMP_JOINT_RACK; ++kind) {
    for (int trial = 0; trial < 3 * TRIALS; ++trial) {
      Rig rig = make_rig();
      Part parts[2];
      for (int i = 0; i < 2; ++i) {
        int part_kind;
        do {
          part_kind = roll(IMP_JOINT_CONSTRAINT);
        } while (options_of(part_kind) & IMP_TAKES_TERMS);
        parts[i] = add_part(&rig, part_kind);
      }
      ImpCoordinate one = at_random(rig.world, parts[0].joint), two = at_random(rig.world, parts[1].joint);
      ImpJointDef def = random_gear(kind, one, two);
      ImpJoint gear = add_joint(rig.world, &def);
      scatter_smoothly(&rig, parts, 2);
      Real expected = formula(rig.world, &parts[0].measures[one.index]) +
                      (Real)def.ratio * formula(rig.world, &parts[1].measures[two.index]);
      check_value(rig.world, (ImpCoordinate){gear, 0}, expected, &worst_of[SUM]);
      check_derivatives(rig.world, (ImpCoordinate){gear, 0}, &worst_of[SUM]);
      imp_world_destroy(rig.world);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Tapes
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Nodes {
  int32_t x, y;
} Nodes;


static int32_t times(Case *c, double factor, int32_t node) { return binary(c, IMP_OP_MUL, constant(c, factor), node); }


// Append the nodes of a local vector that rotates with a body.
static Nodes vector_nodes(Case *c, int body, ImpVec2 local) {
  int32_t cosine = leaf(c, IMP_OP_COS, body), sine = leaf(c, IMP_OP_SIN, body);
  return (Nodes){binary(c, IMP_OP_SUB, times(c, local.x, cosine), times(c, local.y, sine)),
                 binary(c, IMP_OP_ADD, times(c, local.x, sine), times(c, local.y, cosine))};
}


static Nodes point_nodes(Case *c, int body, ImpVec2 local) {
  Nodes r = vector_nodes(c, body, local);
  return (Nodes){binary(c, IMP_OP_ADD, leaf(c, IMP_OP_X, body), r.x),
                 binary(c, IMP_OP_ADD, leaf(c, IMP_OP_Y, body), r.y)};
}


static int32_t length_node(Case *c, Nodes a, Nodes b) {
  int32_t dx = binary(c, IMP_OP_SUB, b.x, a.x), dy = binary(c, IMP_OP_SUB, b.y, a.y);
  return unary(c, IMP_OP_SQRT, binary(c, IMP_OP_ADD, binary(c, IMP_OP_MUL, dx, dx), binary(c, IMP_OP_MUL, dy, dy)));
}


static Nodes constant_nodes(Case *c, ImpVec2 p) { return (Nodes){constant(c, p.x), constant(c, p.y)}; }


// Append the nodes of the coordinate that `m` describes. Return the last node.
static int32_t measure_node(Case *c, const Measure *m) {
  Nodes a = point_nodes(c, 0, m->local_a), b = point_nodes(c, 1, m->local_b);
  Nodes u = vector_nodes(c, 0, m->family == Y ? impi_left(m->local_axis) : m->local_axis);
  int32_t turn = binary(c, IMP_OP_SUB, leaf(c, IMP_OP_ANGLE, 1), leaf(c, IMP_OP_ANGLE, 0));
  switch (m->family) {
  case X:
  case Y:
    return binary(c, IMP_OP_ADD, binary(c, IMP_OP_MUL, u.x, binary(c, IMP_OP_SUB, b.x, a.x)),
                  binary(c, IMP_OP_MUL, u.y, binary(c, IMP_OP_SUB, b.y, a.y)));
  case ANGLE:
    return binary(c, IMP_OP_SUB, turn, constant(c, m->reference));
  case DISTANCE:
    return length_node(c, a, b);
  default:
    return binary(c, IMP_OP_ADD, length_node(c, constant_nodes(c, m->ground_a), a),
                  times(c, m->ratio, length_node(c, constant_nodes(c, m->ground_b), b)));
  }
}


static ImpJoint add_tape(ImpWorld *world, const Case *c, const ImpBody *bodies) {
  ImpConstraintDef def = imp_constraint_def();
  def.tape = definition(c);
  def.bodies = bodies;
  def.body_count = c->bodies;
  ImpJoint joint = {0};
  MUST(imp_constraint_create(world, &def, &joint));
  return joint;
}


// A tape that measures the same quantity as a built-in coordinate has the same value, J and J'v.
static void tapes_have_the_derivatives_of_built_in_rows(void) {
  double worst = 0;
  for (int trial = 0; trial < TRIALS * FAMILY_COUNT; ++trial) {
    static const ImpJointKind kinds[FAMILY_COUNT] = {IMP_JOINT_POSE, IMP_JOINT_POSE, IMP_JOINT_POSE, IMP_JOINT_DISTANCE,
                                                     IMP_JOINT_PULLEY};
    Rig rig = make_rig();
    Part part = add_part(&rig, (int)kinds[trial % FAMILY_COUNT]);
    int index = trial % FAMILY_COUNT < IMPI_INLINE_COORDINATES ? trial % FAMILY_COUNT : 0;
    const Measure *m = &part.measures[index];
    Case c = {.bodies = 2};
    finish(&c, measure_node(&c, m));
    scatter_smoothly(&rig, &part, 1);
    ImpJoint tape = add_tape(rig.world, &c, (ImpBody[]){m->a, m->b});
    check_value(rig.world, (ImpCoordinate){tape, 0}, formula(rig.world, m), &worst_of[TAPE]);
    check_derivatives(rig.world, (ImpCoordinate){tape, 0}, &worst_of[TAPE]);
    double j[2][6], bends[2];
    for (int i = 0; i < 2; ++i) {
      ImpCoordinate coordinate = {i == 0 ? part.joint : tape, i == 0 ? index : 0};
      int width = 0;
      MUST(imp_coordinate_jacobian(rig.world, coordinate, j[i], 6, &width));
      MUST(imp_coordinate_curvature(rig.world, coordinate, &bends[i]));
    }
    for (int k = 0; k < 6; ++k) {
      worst = fmax(worst, fabs(j[0][k] - j[1][k]));
    }
    worst = fmax(worst, fabs(bends[0] - bends[1]));
    imp_world_destroy(rig.world);
  }
  check_worst(worst, 1e-10, "worst difference of J, J'v between tape and built-in coordinate, expected 1e-10");
}


// A velocity constraint n . v(p) + slide t = 0, with a direction n that is fixed in the body. Its coordinate has no
// value. The speed is J v + slide t.
static void velocity_tapes_have_speeds_and_no_value(void) {
  for (int trial = 0; trial < TRIALS; ++trial) {
    Rig rig = make_rig();
    ImpBody body = rig.bodies[1];
    ImpVec2 n = random_vec(-1, 1);
    double lever = random_in(-1, 1), slide = random_in(-1, 1);
    Case c = {.bodies = 1, .velocity = true};
    Nodes u = vector_nodes(&c, 0, n);
    int32_t across = binary(&c, IMP_OP_ADD, binary(&c, IMP_OP_MUL, u.x, leaf(&c, IMP_OP_VX, 0)),
                            binary(&c, IMP_OP_MUL, u.y, leaf(&c, IMP_OP_VY, 0)));
    int32_t turning = binary(&c, IMP_OP_ADD, across, times(&c, lever, leaf(&c, IMP_OP_ANGULAR_VELOCITY, 0)));
    finish(&c, binary(&c, IMP_OP_ADD, turning, times(&c, slide, leaf(&c, IMP_OP_TIME, -1))));
    ImpJoint joint = add_tape(rig.world, &c, &body);
    run(rig.world, 1); // the step makes the time greater than 0
    scatter(rig.world, body);
    const ImpiMotion *m = motion_of(rig.world, body);
    double t = 0, j[3];
    int width = 0;
    MUST(imp_world_get(rig.world, IMP_WORLD_TIME, &t));
    MUST(imp_coordinate_jacobian(rig.world, (ImpCoordinate){joint, 0}, j, 3, &width));
    ImpVec2 expected = impi_rotate((ImpRot){m->c, m->s}, n);
    Worst *worst = &worst_of[RATE_TAPE];
    worst->jacobian = fmax(worst->jacobian, hypot(hypot(j[0] - expected.x, j[1] - expected.y), j[2] - lever));
    double speed = expected.x * m->vx + expected.y * m->vy + lever * m->w + slide * t;
    ImpCoordinateInfo info = info_of(rig.world, (ImpCoordinate){joint, 0});
    worst->rate = fmax(worst->rate, fabs(info.speed - speed));
    CHECK(info.value == 0 && width == 3);
    worst->compared++;
    imp_world_destroy(rig.world);
  }
}


static void derivatives_agree_with_finite_differences(void) {
  for (int i = 0; i < REPORTS; ++i) {
    const Worst *worst = &worst_of[i];
    char what[80];
    CHECK(worst->compared >= TRIALS);
    snprintf(what, sizeof what, "%s: compared, expected 100 or more", family_names[i]);
    measured(what, worst->compared);
    snprintf(what, sizeof what, "%s: worst |C - formula|, expected 1e-13", family_names[i]);
    // Rounding in a dozen operations on lengths of 10 m or angles of 20 rad, 2e-15 each.
    check_worst(worst->value, 1e-13, what);
    snprintf(what, sizeof what, "%s: worst |J - difference|, expected 1e-6", family_names[i]);
    check_worst(worst->jacobian, 1e-6, what);
    snprintf(what, sizeof what, "%s: worst |J v - difference|, expected 1e-6", family_names[i]);
    check_worst(worst->rate, 1e-6, what);
    snprintf(what, sizeof what, "%s: worst |J'v - second difference|, expected 1e-6", family_names[i]);
    check_worst(worst->curvature, 1e-6, what);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Degenerate cases
// ---------------------------------------------------------------------------------------------------------------------


static bool all_finite(const double *numbers, int count) {
  bool finite = true;
  for (int i = 0; i < count; ++i) {
    finite = finite && impi_is_finite(numbers[i]);
  }
  return finite;
}


// Joints whose anchors coincide or are so close that their squared distance underflows: the joint's direction is a unit
// vector, and a step gives finite numbers.
static void coincident_anchors_have_a_direction(void) {
  static const double apart[] = {0, 1e-300, 1e-160, 1e-13, 1e-11};
  for (int i = 0; i < 2 * 3 * IMPI_COUNT(apart); ++i) {
    static const ImpJointKind kinds[] = {IMP_JOINT_DISTANCE, IMP_JOINT_ROPE, IMP_JOINT_PULLEY};
    double gap = apart[i / 6];
    ImpWorld *world = make_world(i % 2 == 0 ? IMP_SOLVER_SOFT : IMP_SOLVER_SI, 1.0 / 60, 9.81);
    ImpBody a = add_mass(world, IMP_BODY_DYNAMIC, vec(0, 0), 0.3, vec(0, 0.2), 1, 1);
    ImpBody b = add_mass(world, IMP_BODY_DYNAMIC, vec(gap, 0), 0, vec(0, 0), 2, 1);
    ImpJointDef def = imp_joint_def(kinds[i / 2 % 3], a, b);
    def.ground_b = vec(0, 0); // the anchors of the pulley on the side of body b coincide too
    ImpCoordinate coordinate = {add_joint(world, &def), 0};
    for (int moving = 0; moving < 2; ++moving) {
      double j[6] = {0}, curvature = (double)NAN;
      int width = 0;
      MUST(imp_coordinate_jacobian(world, coordinate, j, 6, &width));
      MUST(imp_coordinate_curvature(world, coordinate, &curvature));
      ImpCoordinateInfo info = info_of(world, coordinate);
      CHECK(all_finite(j, 6) && impi_is_finite(curvature) && impi_is_finite(info.value) && info.mass > 0);
      // The derivative by the position of body b has the length 1.
      CHECK_NEAR(hypot(j[3], j[4]), 1, 1e-15);
      set_velocity(world, b, 1, -2, 3);
    }
    for (int k = 0; k < 60; ++k) {
      run(world, 1);
      CHECK(event_count(world, IMP_EVENT_FAULT) == 0);
    }
    CHECK(impi_vec_is_finite(position(world, b)) && fabs(position(world, b).x) < 10);
    imp_world_destroy(world);
  }
}


// A distance joint and a tape with C = |x| - L have J = x / |x|.
static void the_jacobian_of_a_length_is_a_unit_vector(void) {
  double worst = 0, worst_length = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    ImpWorld *world = make_world(IMP_SOLVER_SI, 1.0 / 60, 9.81);
    ImpBody ground, bob;
    MUST(imp_world_ground(world, &ground));
    ImpVec2 direction = random_vec(-1, 1), at = impi_scale(random_scale(1e-6, 1e6), direction);
    bob = add_mass(world, IMP_BODY_PARTICLE, at, 0, vec(0, 0), 1, 0);
    ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, ground, bob);
    Case c = {.bodies = 1};
    Nodes x = {leaf(&c, IMP_OP_X, 0), leaf(&c, IMP_OP_Y, 0)};
    finish(&c, binary(&c, IMP_OP_SUB, length_node(&c, constant_nodes(&c, vec(0, 0)), x), constant(&c, 2)));
    ImpJoint joints[] = {add_joint(world, &def), add_tape(world, &c, &bob)};
    Real length = hypotl((Real)at.x, (Real)at.y);
    for (int i = 0; i < 2; ++i) {
      double j[6];
      int width = 0;
      MUST(imp_coordinate_jacobian(world, (ImpCoordinate){joints[i], 0}, j, 6, &width));
      Real jx = (Real)j[width - 3], jy = (Real)j[width - 2];
      worst = fmax(worst, (double)hypotl(jx - (Real)at.x / length, jy - (Real)at.y / length));
      worst_length = fmax(worst_length, (double)fabsl(hypotl(jx, jy) - 1));
    }
    imp_world_destroy(world);
  }
  check_worst(worst, 1e-15, "worst |J - x / |x||, expected 1e-15");
  check_worst(worst_length, 1e-15, "worst ||J| - 1|, expected 1e-15");
}


// Angular velocities w are clamped to max_turn. If all velocities double, terms v w of J'v double, because w stays
// clamped, and terms w^2 r do not change.
static void curvature_is_proportional_to_clamped_rotations(void) {
  static const uint8_t kinds[] = {IMP_COORDINATE_X, IMP_COORDINATE_Y, IMP_COORDINATE_ANGLE, IMP_COORDINATE_DISTANCE,
                                  IMP_COORDINATE_PULLEY};
  const double max_turn = 6;
  for (int trial = 0; trial < TRIALS; ++trial) {
    ImpWorld *world = make_world(IMP_SOLVER_SI, 1.0 / 60, 9.81);
    ImpBody bodies[] = {random_body(world), random_body(world)};
    ImpiJointFrames frames = {.local_a = random_vec(-1, 1),
                              .local_b = random_vec(-1, 1),
                              .axis = impi_rot(random_in(-3, 3)),
                              .ratio = 2,
                              .ground_a = {3, 5},
                              .ground_b = {-3, 5}};
    ImpiSample free[5], slow[5], fast[5], faster[5];
    ImpiSample *const samples[] = {free, slow, fast, faster};
    static const double scales[] = {1, 1, 1e5, 2e5};
    ImpiMotion m[2];
    for (int i = 0; i < 2; ++i) {
      scatter(world, bodies[i]);
    }
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 2; ++k) {
        m[k] = *motion_of(world, bodies[k]);
        m[k].vx *= scales[i];
        m[k].vy *= scales[i];
        m[k].w *= scales[i];
      }
      impi_coordinate_sample(&frames, kinds, 5, world->bodies.data[slot_of(world, bodies[0])].local_center, &m[0],
                             world->bodies.data[slot_of(world, bodies[1])].local_center, &m[1],
                             i == 0 ? HUGE_VAL : 1e3 * (i == 1) + max_turn * (i > 1), samples[i]);
    }
    for (int i = 0; i < 5; ++i) {
      // Bound of the terms w^2 r in J'v for two bodies: |w| <= max_turn, r <= 10 m.
      double slack = 2 * max_turn * max_turn * 10;
      // A clamp at 1e3 rad/s has no effect on x, y and angle.
      CHECK(i > 2 || free[i].curvature == slow[i].curvature);
      CHECK_NEAR(faster[i].curvature, 2 * fast[i].curvature, slack);
      CHECK(free[i].value == fast[i].value && memcmp(free[i].j, fast[i].j, sizeof free[i].j) == 0);
    }
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  heap.allocator = impi_default_allocator();
  RUN(joints_measure_the_formulas_of_the_manual);
  RUN(gears_and_racks_are_sums_of_coordinates);
  RUN(tapes_have_the_derivatives_of_built_in_rows);
  RUN(velocity_tapes_have_speeds_and_no_value);
  RUN(derivatives_agree_with_finite_differences);
  RUN(coincident_anchors_have_a_direction);
  RUN(the_jacobian_of_a_length_is_a_unit_vector);
  RUN(curvature_is_proportional_to_clamped_rotations);
  return check_report("coordinates");
}
