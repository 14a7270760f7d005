// The tables of properties of worlds, shapes, joints and contacts. Bindings, checks and documentation use these tables.
#include "base/task.h"
#include "model/property_lines.h"
#include "world/checks.h"

#define STRUCT ImpWorld
static const ImpiProperty world_table[] = {
    [IMP_WORLD_TIME] = STORED(time, "time", IMP_NUMBER, false, 0, IMP_MAX_TIME, "s",
                              "simulated time; in a substep handler, the time at the start of the substep"),
    [IMP_WORLD_TICK] = STORED(tick, "tick", IMP_INTEGER, false, 0, IMP_MAX_TICK, "1", "number of steps made"),
    [IMP_WORLD_DT] = STORED(settings.dt, "dt", IMP_NUMBER, true, IMPI_MIN_DT, IMPI_MAX_DT, "s", "length of a step"),
    [IMP_WORLD_SUBSTEPS] =
        STORED(settings.substeps, "substeps", IMP_INTEGER, true, 1, IMPI_MAX_SUBSTEPS, "1",
               "number of substeps in a step; by default 4 for soft, 8 for xpbd, 1 for other solvers. If dt is above "
               "1/30 s, the default is multiplied by dt / (1/30 s) and rounded up"),
    [IMP_WORLD_ITERATIONS] = STORED(
        settings.iterations, "iterations", IMP_INTEGER, true, 1, 100000, "1",
        "number of sweeps over the rows in a substep; by default 2 for soft and xpbd, 10 for si, ngs and split, 30 for "
        "reduced. The solvers direct, acceleration and rattle ignore it: they sweep as often as necessary"),
    [IMP_WORLD_THREADS] =
        STORED(threads, "threads", IMP_INTEGER, true, 1, IMPI_MAX_THREADS, "1",
               "largest number of threads of a step; results do not depend on it, and snapshots do not contain it"),
    [IMP_WORLD_SLEEP] = STORED(sleep_enabled, "sleep", IMP_BOOLEAN, true, TRUTH, "",
                               "bodies at rest fall asleep and are no longer simulated. At rest means: slower than "
                               "0.05 m/s for 0.5 s, and not expected to move by 1 mm or 1 mrad"),
    [IMP_WORLD_CONTINUOUS] = STORED(continuous, "continuous", IMP_BOOLEAN, true, TRUTH, "",
                                    "continuous collision: a fast body is stopped by static and kinematic bodies in "
                                    "its path; a bullet also by dynamic bodies"),
    [IMP_WORLD_CONTINUOUS_PART] =
        STORED(continuous_part, "continuous_part", IMP_NUMBER, true, 0.01, 0.9, "1",
               "continuous collision is computed for a body that moves farther in a step than this fraction of its "
               "inner radius, the smallest distance from the centroid of one of its convex pieces to the edge of the "
               "piece. A sliding body may penetrate another body by the same length before it is stopped"),
    [IMP_WORLD_SMOOTH_INTERNAL_EDGES] =
        STORED(smooth_internal_edges, "smooth_internal_edges", IMP_BOOLEAN, true, TRUTH, "",
               "bodies do not catch on internal edges: pieces of shapes that touch and cannot move relative to each "
               "other, such as tiles of a floor or parts of a body, form one surface; rounded pieces (with a radius) "
               "form one surface only if they would touch without the rounding"),
    [IMP_WORLD_HIT_SPEED] = STORED(hit_speed, "hit_speed", IMP_NUMBER, true, NOT_NEGATIVE, "m/s",
                                   "a contact makes a hit event if the shapes approach each other faster than this"),
    [IMP_WORLD_CONTACT_HERTZ] = STORED(settings.contact_hertz, "contact_hertz", IMP_NUMBER, true, 1e-3, 1e12, "Hz",
                                       "natural frequency of contacts in the solver soft. The default is a quarter of "
                                       "the substep rate; a larger value acts like the default"),
    [IMP_WORLD_CONTACT_DAMPING_RATIO] = STORED(settings.contact_damping_ratio, "contact_damping_ratio", IMP_NUMBER,
                                               true, 1e-3, 1e3, "1", "damping ratio of contacts in the solver soft"),
    [IMP_WORLD_LOCK_HERTZ] = STORED(settings.lock_hertz, "lock_hertz", IMP_NUMBER, true, 1e-3, 1e12, "Hz",
                                    "natural frequency of locks, servos and limits in the solver soft. The default is "
                                    "a quarter of the substep rate; a larger value acts like the default"),
    [IMP_WORLD_LOCK_DAMPING_RATIO] = STORED(settings.lock_damping_ratio, "lock_damping_ratio", IMP_NUMBER, true, 1e-3,
                                            1e3, "1", "damping ratio of locks, servos and limits in the solver soft"),
    [IMP_WORLD_PUSH_SPEED] =
        STORED(settings.push_speed, "push_speed", IMP_NUMBER, true, NOT_NEGATIVE, "m/s",
               "largest speed at which contacts in the solvers soft and xpbd separate overlapping shapes. soft "
               "corrects a deep overlap at a third of this speed, without adding velocity"),
    [IMP_WORLD_BAUMGARTE] = STORED(settings.baumgarte, "baumgarte", IMP_NUMBER, true, 0, 4, "1",
                                   "fraction of the position error that the solvers si, split and reduced correct in a "
                                   "step. soft ignores it; other solvers use it only for rows with a bounded force"),
    [IMP_WORLD_SLOP] =
        STORED(settings.slop, "slop", IMP_NUMBER, true, NOT_NEGATIVE, "m",
               "overlap of contacts that is not corrected; the solver soft ignores it and corrects all overlap"),
    [IMP_WORLD_WARM_START] = STORED(
        settings.warm_start, "warm_start", IMP_BOOLEAN, true, TRUTH, "",
        "true: solvers start from the accumulated impulses of the step before; false: they start from zero impulses"),
    [IMP_WORLD_ACCUMULATE] = STORED(
        settings.accumulate, "accumulate", IMP_BOOLEAN, true, TRUTH, "",
        "true: the solvers si, ngs, split and reduced clamp accumulated impulses. false: they clamp each correction of "
        "an impulse, which is wrong but useful for comparison; then every solver except soft starts from zero "
        "impulses"),
    [IMP_WORLD_RELAX] =
        STORED(settings.relax, "relax", IMP_BOOLEAN, true, TRUTH, "",
               "true: after positions have moved, the solvers soft and xpbd solve the rows once more, without bias"),
    [IMP_WORLD_TOLERANCE_IMPULSE] =
        STORED(settings.tolerance_impulse, "tolerance_impulse", IMP_NUMBER, true, NOT_NEGATIVE, "N s",
               "the solver stops after a sweep in which every correction of an impulse is smaller than this value; 0: "
               "never. The solver soft does not test this"),
    [IMP_WORLD_TOLERANCE_VELOCITY] =
        STORED(settings.tolerance_velocity, "tolerance_velocity", IMP_NUMBER, true, NOT_NEGATIVE, "m/s",
               "the solver stops after a sweep in which the velocity error of every row is smaller than this value; 0: "
               "never. The solver soft does not test this"),
    [IMP_WORLD_TOLERANCE_CHANGE] =
        STORED(settings.tolerance_change, "tolerance_change", IMP_NUMBER, true, NOT_NEGATIVE, "1",
               "the solver stops if further sweeps are expected to change each impulse by less than this fraction of "
               "the impulse; 0: never. The solver soft does not test this"),
    [IMP_WORLD_POSITION_ITERATIONS] =
        STORED(settings.position_iterations, "position_iterations", IMP_INTEGER, true, 0, 1000, "1",
               "largest number of position corrections in a substep, for solvers that project positions; 0: positions "
               "are not corrected"),
    [IMP_WORLD_GEOMETRIC_STIFFNESS] =
        STORED(settings.geometric_stiffness, "geometric_stiffness", IMP_BOOLEAN, true, TRUTH, "",
               "true: the solvers direct and acceleration stabilise light links under tension; false: such links can "
               "become unstable"),
    [IMP_WORLD_HISTORY] = STORED(settings.history, "history", IMP_BOOLEAN, true, TRUTH, "",
                                 "store the corrections of each sweep, for world:convergence; the solver soft and the "
                                 "direct solvers store nothing"),
    [IMP_WORLD_AUDITING] = STORED(settings.auditing, "auditing", IMP_BOOLEAN, true, TRUTH, "",
                                  "compute the energy ledger of world:audit; setting it starts a new ledger"),
    [IMP_WORLD_LANES] = STORED(settings.lanes, "lanes", IMP_INTEGER, true, 0, 16, "1",
                               "number of SIMD lanes in the solver soft: 1, 4, 8 or 16, at most as many as the machine "
                               "has. 0: the value of the environment variable IMPEL_LANES if it is set, else the "
                               "largest of the machine. Results do not depend on it"),
    [IMP_WORLD_SEED] = STORED(seed, "seed", IMP_INTEGER, true, 0, IMPI_MAX_COUNT, "1",
                              "seed of world:random; setting it restarts the sequence"),
    [IMP_WORLD_MAX_BODIES] = STORED(
        max_bodies, "max_bodies", IMP_INTEGER, true, 0, 2147483647, "1",
        "largest number of bodies, not counting the world's ground; making more bodies is an error; 0: no limit"),
    [IMP_WORLD_MAX_SHAPES] = STORED(max_shapes, "max_shapes", IMP_INTEGER, true, 0, 2147483647, "1",
                                    "largest number of shapes; making more shapes is an error; 0: no limit"),
    [IMP_WORLD_MAX_JOINTS] = STORED(max_joints, "max_joints", IMP_INTEGER, true, 0, 2147483647, "1",
                                    "largest number of joints; making more joints is an error; 0: no limit"),
    [IMP_WORLD_MAX_CONTACTS] = STORED(max_contacts, "max_contacts", IMP_INTEGER, true, 0, 2147483647, "1",
                                      "largest number of pairs of convex pieces that are near enough to touch. A step "
                                      "that finds more pairs raises an error and is not made; 0: no limit"),
    [IMP_WORLD_LAST_DT] =
        STORED(last_dt, "last_dt", IMP_NUMBER, false, 0, IMPI_MAX_DT, "s",
               "length of the last step; force readings are impulses divided by this length. 0 before the first step"),
    [IMP_WORLD_MIDPOINT] = STORED(settings.midpoint, "midpoint", IMP_BOOLEAN, true, TRUTH, "",
                                  "true: the solver direct integrates by the implicit midpoint rule, which conserves "
                                  "energy; false: by the semi-implicit Euler method"),
};
IMPI_COVERS(world_table, IMP_WORLD_PROPERTY_COUNT);
#undef STRUCT


#define STRUCT ImpiShape
#define DEFINITION ImpShapeDef
const ImpiProperty impi_shape_properties[] = {
    [IMP_SHAPE_DENSITY] = BOTH(density, density, "density", IMP_NUMBER, true, NOT_NEGATIVE, "kg/m^2",
                               "mass per area; no effect on segments, chains and heights"),
    [IMP_SHAPE_FRICTION] =
        BOTH(material.friction, friction, "friction", IMP_NUMBER, true, FRICTION_RANGE, "1",
             "coefficient of Coulomb friction; a contact of shapes with the values a and b has sqrt(a b)"),
    [IMP_SHAPE_RESTITUTION] =
        BOTH(material.restitution, restitution, "restitution", IMP_NUMBER, true, RESTITUTION_RANGE, "1",
             "coefficient of restitution; a contact has the larger value of its two shapes"),
    [IMP_SHAPE_RESTITUTION_THRESHOLD] =
        BOTH(material.restitution_threshold, restitution_threshold, "restitution_threshold", IMP_NUMBER, true,
             NOT_NEGATIVE, "m/s",
             "approach speed below which a contact does not bounce; a contact has the smaller value of its two shapes. "
             "nil: the shape sets no value. If both shapes have nil, the value of the contact is the normal speed that "
             "gravity and the applied forces add in two substeps"),
    [IMP_SHAPE_ROLLING_RESISTANCE] = BOTH(
        material.rolling_resistance, rolling_resistance, "rolling_resistance", IMP_NUMBER, true, RATIO, "1",
        "largest torque / (r * normal force). r is the larger radius of the two shapes; the radius of a box or polygon "
        "is its rounding, 0 for sharp corners. A contact has the larger value of its two shapes"),
    [IMP_SHAPE_SURFACE_SPEED] =
        BOTH(material.surface_speed, surface_speed, "surface_speed", IMP_NUMBER, true, SIGNED_RATIO, "m/s",
             "speed of the surface, as of a conveyor belt, along the outward normal turned by -90 degrees. A contact "
             "has the sum of the values of its two shapes"),
    [IMP_SHAPE_HIT_SPEED] = BOTH(material.hit_speed, hit_speed, "hit_speed", IMP_NUMBER, true, NOT_NEGATIVE, "m/s",
                                 "approach speed above which a contact makes a hit event; a contact has the smaller "
                                 "value of its two shapes. nil: the value of world.hit_speed"),
    [IMP_SHAPE_SENSOR] = BOTH(sensor, sensor, "sensor", IMP_BOOLEAN, true, TRUTH, "",
                              "the shape reports overlaps with shapes that are not sensors, and does not collide. "
                              "Overlaps of two static shapes are not reported. A sensor has mass"),
    [IMP_SHAPE_PRE_SOLVE] =
        BOTH(pre_solve, pre_solve, "pre_solve", IMP_BOOLEAN, true, TRUTH, "",
             "pre_solve handlers are called for contacts of the shape, before the solver treats the contacts"),
    [IMP_SHAPE_GROUP] = BOTH(filter.group, group, "group", IMP_INTEGER, true, -2147483647, 2147483647, "1",
                             "number of a group: shapes of the same group always collide if the number is above 0, "
                             "never if it is below 0; 0: no group"),
    [IMP_SHAPE_RADIUS] =
        COMPUTED("radius", IMP_NUMBER, false, NOT_NEGATIVE, "m", "radius of a circle, a capsule or rounded corners"),
    [IMP_SHAPE_AREA] = COMPUTED("area", IMP_NUMBER, false, NOT_NEGATIVE, "m^2", "0 for segments and chains"),
    [IMP_SHAPE_ID] =
        STORED(serial, "id", IMP_INTEGER, false, 1, IMPI_MAX_COUNT, "1", "creation number in the world, from 1"),
};
IMPI_COVERS(impi_shape_properties, IMP_SHAPE_PROPERTY_COUNT);
#undef STRUCT
#undef DEFINITION


#define OF_OWN "the joint's own coordinate: "

static const ImpiProperty joint_table[] = {
    [IMP_JOINT_ID] = COMPUTED("id", IMP_INTEGER, false, 1, IMPI_MAX_COUNT, "1", "creation number in the world, from 1"),
    [IMP_JOINT_VALUE] = COMPUTED("value", IMP_NUMBER, false, ANY, "m or rad", OF_OWN "value of b relative to a"),
    [IMP_JOINT_SPEED] = COMPUTED("speed", IMP_NUMBER, false, ANY, "m/s or rad/s", OF_OWN "rate"),
    [IMP_JOINT_FORCE] = COMPUTED("force", IMP_NUMBER, false, ANY, "N or N m",
                                 OF_OWN "sum of the forces or torques of all drives on b, averaged over the last step"),
    [IMP_JOINT_TARGET] = COMPUTED("target", IMP_NUMBER, true, ANY, "m or rad",
                                  "target of the servo; without a servo, target of the spring"),
    [IMP_JOINT_MOTOR_SPEED] =
        COMPUTED("motor_speed", IMP_NUMBER, true, ANY, "m/s or rad/s", "target rate of the motor"),
    [IMP_JOINT_MAX_FORCE] =
        COMPUTED("max_force", IMP_NUMBER, true, 0, HUGE_VAL, "N or N m",
                 "largest force or torque of the motor; without a motor, of the servo; without both, of the spring"),
    [IMP_JOINT_SEPARATION] =
        COMPUTED("separation", IMP_NUMBER, false, NOT_NEGATIVE, "m or rad", "largest error of the locked coordinates"),
    [IMP_JOINT_BROKEN] = COMPUTED("broken", IMP_BOOLEAN, false, TRUTH, "", "the joint is broken and does not act"),
    [IMP_JOINT_BREAK_FORCE] = COMPUTED("break_force", IMP_NUMBER, true, BREAK_RANGE, "N",
                                       "the joint breaks when its reaction force is larger than this"),
    [IMP_JOINT_BREAK_TORQUE] = COMPUTED("break_torque", IMP_NUMBER, true, BREAK_RANGE, "N m",
                                        "the joint breaks when its reaction torque is larger than this"),
    [IMP_JOINT_COLLIDE] =
        COMPUTED("collide", IMP_BOOLEAN, false, TRUTH, "", "the bodies of the joint collide with each other"),
    [IMP_JOINT_GAP] = COMPUTED("gap", IMP_NUMBER, false, NOT_NEGATIVE, "m",
                               "error of the locks, and of the limits with infinite max_force, as a length: errors of "
                               "angles and of functions are converted to lengths"),
};
IMPI_COVERS(joint_table, IMP_JOINT_PROPERTY_COUNT);


// Properties of a contact that a pre_solve callback can change.
static const ImpiProperty contact_table[] = {
    [IMP_CONTACT_ENABLED] =
        COMPUTED("enabled", IMP_BOOLEAN, true, TRUTH, "", "false: the contact does not act in this step"),
    [IMP_CONTACT_FRICTION] = COMPUTED("friction", IMP_NUMBER, true, FRICTION_RANGE, "1", "Coulomb coefficient"),
    [IMP_CONTACT_RESTITUTION] =
        COMPUTED("restitution", IMP_NUMBER, true, RESTITUTION_RANGE, "1", "coefficient of restitution"),
    [IMP_CONTACT_ROLLING_RESISTANCE] =
        COMPUTED("rolling_resistance", IMP_NUMBER, true, RATIO, "m",
                 "coefficient of rolling resistance times the larger radius of the two shapes"),
    [IMP_CONTACT_SURFACE_SPEED] =
        COMPUTED("surface_speed", IMP_NUMBER, true, SIGNED_RATIO, "m/s",
                 "sum of the surface_speed of both shapes; its direction is the normal turned by -90 degrees"),
};
IMPI_COVERS(contact_table, IMP_CONTACT_PROPERTY_COUNT);


static const ImpPropertyInfo *entry(const ImpiProperty *table, int count, int property) {
  return property >= 0 && property < count ? &table[property].info : NULL;
}


bool imp_property_is_optional(const ImpPropertyInfo *info) {
  return info == &impi_shape_properties[IMP_SHAPE_HIT_SPEED].info ||
         info == &impi_shape_properties[IMP_SHAPE_RESTITUTION_THRESHOLD].info;
}


ImpStatus impi_check_property(const ImpPropertyInfo *info, double value, const char *owner) {
  if (info == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "a %s has no such property", owner);
  }
  if (!info->writable) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s.%s is read-only", owner, info->name);
  }
  if (imp_property_is_optional(info) && isnan(value)) {
    return IMP_OK;
  }
  const char *unit = info->unit;
  // The comparisons reject NaN.
  bool inside = value >= info->lower && value <= info->upper;
  if (!inside || (info->kind != IMP_NUMBER && value != (double)(int64_t)value)) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s.%s must be %s from %g to %g%s%s, got %g", owner, info->name,
                     info->kind == IMP_NUMBER ? "a number" : "an integer", info->lower, info->upper,
                     unit[0] != 0 && unit[0] != '1' ? " " : "", unit[0] == '1' && unit[1] == 0 ? "" : unit, value);
  }
  return IMP_OK;
}


ImpStatus impi_check_definition(const ImpiProperty *table, int count, const void *definition, const void *defaults,
                                const char *owner) {
  for (int i = 0; i < count; ++i) {
    const ImpPropertyInfo *info = &table[i].info;
    if (info->definition == 0 || info->kind == IMP_BOOLEAN) {
      continue;
    }
    ImpiNumber number = info->kind == IMP_NUMBER ? IMPI_NUMBER_REAL : IMPI_NUMBER_INT;
    size_t at = info->definition - 1;
    double value = impi_number_read(number, (const char *)definition + at);
    bool is_default = value == impi_number_read(number, (const char *)defaults + at);
    ImpStatus status = is_default ? IMP_OK : impi_check_property(info, value, owner);
    if (status != IMP_OK) {
      return status;
    }
  }
  return IMP_OK;
}


const ImpiProperty *impi_world_property(ImpWorldProperty property) { return &world_table[property]; }


const ImpPropertyInfo *imp_world_property(int property) {
  return entry(world_table, IMPI_COUNT(world_table), property);
}


const ImpPropertyInfo *imp_body_property(int property) {
  return entry(impi_body_properties, IMPI_COUNT(impi_body_properties), property);
}


const ImpPropertyInfo *imp_joint_property(int property) {
  return entry(joint_table, IMPI_COUNT(joint_table), property);
}


const ImpPropertyInfo *imp_contact_property(int property) {
  return entry(contact_table, IMPI_COUNT(contact_table), property);
}


const ImpPropertyInfo *imp_shape_property(int property) {
  return entry(impi_shape_properties, IMPI_COUNT(impi_shape_properties), property);
}
