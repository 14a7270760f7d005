// The tables of properties of worlds, shapes, joints and contacts: name, kind, range, unit and meaning. Bindings,
// checks and documentation are made from them. The tables of bodies are in model/body_table.c, of fields in
// model/field_table.c, of movers in world_mover.c.
#include "base/task.h"
#include "model/property_lines.h"
#include "world/checks.h"

#define STRUCT ImpWorld
static const ImpiProperty world_table[] = {
    [IMP_WORLD_TIME] =
        STORED(time, "time", IMP_NUMBER, false, 0, IMP_MAX_TIME, "s",
               "simulated time since the world was made; in a substep handler that of the substep's start"),
    [IMP_WORLD_TICK] = STORED(tick, "tick", IMP_INTEGER, false, 0, IMP_MAX_TICK, "1", "steps since the world was made"),
    [IMP_WORLD_DT] = STORED(settings.dt, "dt", IMP_NUMBER, true, IMPI_MIN_DT, IMPI_MAX_DT, "s", "length of a step"),
    [IMP_WORLD_SUBSTEPS] =
        STORED(settings.substeps, "substeps", IMP_INTEGER, true, 1, IMPI_MAX_SUBSTEPS, "1",
               "substeps of a step; unless set, the solver's own: soft 4, xpbd 8, all others 1; so many times more "
               "as dt is 1/30 s, rounded up"),
    [IMP_WORLD_ITERATIONS] =
        STORED(settings.iterations, "iterations", IMP_INTEGER, true, 1, 100000, "1",
               "sweeps over the rows of a substep; unless set, the solver's own: soft and xpbd 2, si, ngs and "
               "split 10, reduced 30; direct, acceleration and rattle sweep as they need"),
    [IMP_WORLD_THREADS] =
        STORED(threads, "threads", IMP_INTEGER, true, 1, IMPI_MAX_THREADS, "1",
               "threads that a step of many bodies uses; no number changes a result, and a snapshot has none"),
    [IMP_WORLD_SLEEP] =
        STORED(sleep_enabled, "sleep", IMP_BOOLEAN, true, TRUTH, "",
               "bodies fall asleep, and cost nothing, when they have been slower than 0.05 m/s for half a "
               "second and would move less than 1 mm or 1 mrad if nothing changed"),
    [IMP_WORLD_CONTINUOUS] = STORED(continuous, "continuous", IMP_BOOLEAN, true, TRUTH, "",
                                    "what goes far in a step meets static and kinematic bodies on its way; bullets "
                                    "dynamic ones too"),
    [IMP_WORLD_CONTINUOUS_PART] = STORED(
        continuous_part, "continuous_part", IMP_NUMBER, true, 0.01, 0.9, "1",
        "a body's way is looked at when it goes farther in a step than this part of its inner radius; sliding, it "
        "may sink as deep into what comes before it is stopped"),
    [IMP_WORLD_SMOOTH_SEAMS] = STORED(
        smooth_seams, "smooth_seams", IMP_BOOLEAN, true, TRUTH, "",
        "pieces that touch and cannot move against each other, as tiles of a floor or parts of a body, are one "
        "surface: nothing catches on the sides that they turn to each other; pieces with a radius must touch by the "
        "cores that it rounds: those that touch by their rounds only keep the groove between them"),
    [IMP_WORLD_HIT_SPEED] =
        STORED(hit_speed, "hit_speed", IMP_NUMBER, true, NOT_NEGATIVE, "m/s", "approach above this makes a hit event"),
    [IMP_WORLD_CONTACT_HERTZ] =
        STORED(settings.contact_hertz, "contact_hertz", IMP_NUMBER, true, 1e-3, 1e12, "Hz",
               "stiffness of soft contacts; never above a quarter of the substep rate, which is the default"),
    [IMP_WORLD_CONTACT_DAMPING_RATIO] = STORED(settings.contact_damping_ratio, "contact_damping_ratio", IMP_NUMBER,
                                               true, 1e-3, 1e3, "1", "damping of soft contacts"),
    [IMP_WORLD_LOCK_HERTZ] =
        STORED(settings.lock_hertz, "lock_hertz", IMP_NUMBER, true, 1e-3, 1e12, "Hz",
               "stiffness of soft's locks, servos and limits; never above a quarter of the substep "
               "rate, which is the default"),
    [IMP_WORLD_LOCK_DAMPING_RATIO] = STORED(settings.lock_damping_ratio, "lock_damping_ratio", IMP_NUMBER, true, 1e-3,
                                            1e3, "1", "damping of soft's locks"),
    [IMP_WORLD_PUSH_SPEED] =
        STORED(settings.push_speed, "push_speed", IMP_NUMBER, true, NOT_NEGATIVE, "m/s",
               "contacts of soft and xpbd push overlap apart no faster than this; soft moves bodies out of a deep "
               "overlap at a third of it, without giving them speed"),
    [IMP_WORLD_BAUMGARTE] =
        STORED(settings.baumgarte, "baumgarte", IMP_NUMBER, true, 0, 4, "1",
               "part of the position error that si, split and reduced correct a step; of other solvers in double, of "
               "what has a largest force"),
    [IMP_WORLD_SLOP] = STORED(settings.slop, "slop", IMP_NUMBER, true, NOT_NEGATIVE, "m",
                              "overlap that solvers in double leave alone"),
    [IMP_WORLD_WARM_START] = STORED(settings.warm_start, "warm_start", IMP_BOOLEAN, true, TRUTH, "",
                                    "start from the impulses of the step before"),
    [IMP_WORLD_ACCUMULATE] =
        STORED(settings.accumulate, "accumulate", IMP_BOOLEAN, true, TRUTH, "",
               "sweeps clamp total impulses; false clamps each correction, which is wrong: si, ngs, "
               "split, reduced; others then start from 0"),
    [IMP_WORLD_RELAX] = STORED(settings.relax, "relax", IMP_BOOLEAN, true, TRUTH, "",
                               "soft and xpbd solve again without bias after positions moved"),
    [IMP_WORLD_TOLERANCE_IMPULSE] =
        STORED(settings.tolerance_impulse, "tolerance_impulse", IMP_NUMBER, true, NOT_NEGATIVE, "N s",
               "solvers in double that sweep stop when no impulse of a sweep was larger; 0: never"),
    [IMP_WORLD_TOLERANCE_VELOCITY] =
        STORED(settings.tolerance_velocity, "tolerance_velocity", IMP_NUMBER, true, NOT_NEGATIVE, "m/s",
               "solvers in double that sweep stop when no row was farther from its target; 0: never"),
    [IMP_WORLD_TOLERANCE_CHANGE] =
        STORED(settings.tolerance_change, "tolerance_change", IMP_NUMBER, true, NOT_NEGATIVE, "1",
               "sweeps stop when no impulse is expected to change by more than this part of "
               "itself; 0: never"),
    [IMP_WORLD_POSITION_ITERATIONS] =
        STORED(settings.position_iterations, "position_iterations", IMP_INTEGER, true, 0, 1000, "1",
               "most corrections of positions a substep, of the solvers that project; 0: none"),
    [IMP_WORLD_GEOMETRIC_STIFFNESS] =
        STORED(settings.geometric_stiffness, "geometric_stiffness", IMP_BOOLEAN, true, TRUTH, "",
               "direct and acceleration hold light links under tension; false: they explode"),
    [IMP_WORLD_HISTORY] = STORED(settings.history, "history", IMP_BOOLEAN, true, TRUTH, "",
                                 "note what each sweep did, for world:convergence; not of soft and the direct solvers"),
    [IMP_WORLD_AUDITING] = STORED(settings.auditing, "auditing", IMP_BOOLEAN, true, TRUTH, "",
                                  "keep the ledger of energy, for world:audit; setting it starts a new one"),
    [IMP_WORLD_LANES] =
        STORED(settings.lanes, "lanes", IMP_INTEGER, true, 0, 16, "1",
               "width of soft's lanes: 1, 4, 8, 16 where the machine has them, 0 for what IMPEL_LANES in the "
               "environment says "
               "or the machine's widest; no width changes a result"),
    [IMP_WORLD_SEED] = STORED(seed, "seed", IMP_INTEGER, true, 0, IMPI_MAX_COUNT, "1",
                              "of world:random; setting it restarts the sequence"),
    [IMP_WORLD_MAX_BODIES] =
        STORED(max_bodies, "max_bodies", IMP_INTEGER, true, 0, 2147483647, "1",
               "most bodies beside the ground: making more is an error; 0: as many as there is room for"),
    [IMP_WORLD_MAX_SHAPES] =
        STORED(max_shapes, "max_shapes", IMP_INTEGER, true, 0, 2147483647, "1", "the same of shapes"),
    [IMP_WORLD_MAX_JOINTS] =
        STORED(max_joints, "max_joints", IMP_INTEGER, true, 0, 2147483647, "1", "the same of joints"),
    [IMP_WORLD_MAX_CONTACTS] =
        STORED(max_contacts, "max_contacts", IMP_INTEGER, true, 0, 2147483647, "1",
               "most pairs of pieces that are near enough to touch: a step that finds more is an error "
               "and is not made"),
    [IMP_WORLD_LAST_DT] =
        STORED(last_dt, "last_dt", IMP_NUMBER, false, 0, IMPI_MAX_DT, "s",
               "length of the last step: forces that are read are its impulses divided by it; 0: no step "
               "yet"),
    [IMP_WORLD_MIDPOINT] =
        STORED(settings.midpoint, "midpoint", IMP_BOOLEAN, true, TRUTH, "",
               "direct integrates by the midpoint rule, which keeps energy; false: by semi-implicit Euler"),
};
IMPI_COVERS(world_table, IMP_WORLD_PROPERTY_COUNT);
#undef STRUCT


#define STRUCT ImpiShape
#define DEFINITION ImpShapeDef
const ImpiProperty impi_shape_properties[] = {
    [IMP_SHAPE_DENSITY] = BOTH(density, density, "density", IMP_NUMBER, true, NOT_NEGATIVE, "kg/m^2", "mass per area"),
    [IMP_SHAPE_FRICTION] = BOTH(material.friction, friction, "friction", IMP_NUMBER, true, FRICTION_RANGE, "1",
                                "Coulomb coefficient; two mix as sqrt(a b)"),
    [IMP_SHAPE_RESTITUTION] = BOTH(material.restitution, restitution, "restitution", IMP_NUMBER, true,
                                   RESTITUTION_RANGE, "1", "bounce; two mix as the larger"),
    [IMP_SHAPE_RESTITUTION_THRESHOLD] =
        BOTH(material.restitution_threshold, restitution_threshold, "restitution_threshold", IMP_NUMBER, true,
             NOT_NEGATIVE, "m/s",
             "a slower approach does not bounce; two mix as the smaller of those given; "
             "nil: what the bodies gain along the normal in two substeps, by gravity "
             "and the forces applied for the whole step"),
    [IMP_SHAPE_ROLLING_RESISTANCE] =
        BOTH(material.rolling_resistance, rolling_resistance, "rolling_resistance", IMP_NUMBER, true, RATIO, "1",
             "torque at most this times radius times normal force; two mix as the larger"),
    [IMP_SHAPE_SURFACE_SPEED] = BOTH(material.surface_speed, surface_speed, "surface_speed", IMP_NUMBER, true,
                                     SIGNED_RATIO, "m/s", "along the outward normal turned by -90 degrees; two add"),
    [IMP_SHAPE_HIT_SPEED] =
        BOTH(material.hit_speed, hit_speed, "hit_speed", IMP_NUMBER, true, NOT_NEGATIVE, "m/s",
             "approach above this makes a hit event; two mix as the smaller of those given; nil: as "
             "world.hit_speed"),
    [IMP_SHAPE_SENSOR] = BOTH(sensor, sensor, "sensor", IMP_BOOLEAN, true, TRUTH, "",
                              "reports overlaps with what is no sensor, not of static with static, and collides with "
                              "nothing; its mass counts"),
    [IMP_SHAPE_PRE_SOLVE] = BOTH(pre_solve, pre_solve, "pre_solve", IMP_BOOLEAN, true, TRUTH, "",
                                 "its contacts are shown to the pre_solve handlers before they act"),
    [IMP_SHAPE_GROUP] = BOTH(filter.group, group, "group", IMP_INTEGER, true, -2147483647, 2147483647, "1",
                             "same non-zero group: positive always meet, negative never"),
    [IMP_SHAPE_RADIUS] =
        COMPUTED("radius", IMP_NUMBER, false, NOT_NEGATIVE, "m", "of the circle, capsule or rounded corner"),
    [IMP_SHAPE_AREA] = COMPUTED("area", IMP_NUMBER, false, NOT_NEGATIVE, "m^2", "0 for segments and chains"),
    [IMP_SHAPE_ID] =
        STORED(serial, "id", IMP_INTEGER, false, 1, IMPI_MAX_COUNT, "1", "number of its creation in the world"),
};
IMPI_COVERS(impi_shape_properties, IMP_SHAPE_PROPERTY_COUNT);
#undef STRUCT
#undef DEFINITION


#define OF_OWN "of the joint's own coordinate, "

static const ImpiProperty joint_table[] = {
    [IMP_JOINT_ID] = COMPUTED("id", IMP_INTEGER, false, 1, IMPI_MAX_COUNT, "1", "number of its creation in the world"),
    [IMP_JOINT_VALUE] = COMPUTED("value", IMP_NUMBER, false, ANY, "m or rad", OF_OWN "from a to b"),
    [IMP_JOINT_SPEED] = COMPUTED("speed", IMP_NUMBER, false, ANY, "m/s or rad/s", OF_OWN "its rate"),
    [IMP_JOINT_FORCE] = COMPUTED("force", IMP_NUMBER, false, ANY, "N or N m",
                                 OF_OWN "on b, the sum of all drives, mean over the last step"),
    [IMP_JOINT_TARGET] =
        COMPUTED("target", IMP_NUMBER, true, ANY, "m or rad", "of its servo, or where its spring rests"),
    [IMP_JOINT_MOTOR_SPEED] =
        COMPUTED("motor_speed", IMP_NUMBER, true, ANY, "m/s or rad/s", "what the motor drives to"),
    [IMP_JOINT_MAX_FORCE] = COMPUTED("max_force", IMP_NUMBER, true, 0, HUGE_VAL, "N or N m",
                                     "most of its motor, else of its servo, else of its spring"),
    [IMP_JOINT_SEPARATION] =
        COMPUTED("separation", IMP_NUMBER, false, NOT_NEGATIVE, "m or rad", "worst error of its locked coordinates"),
    [IMP_JOINT_BROKEN] = COMPUTED("broken", IMP_BOOLEAN, false, TRUTH, "", "it bore too much and acts no longer"),
    [IMP_JOINT_BREAK_FORCE] =
        COMPUTED("break_force", IMP_NUMBER, true, BREAK_RANGE, "N", "it breaks when its reaction force is larger"),
    [IMP_JOINT_BREAK_TORQUE] =
        COMPUTED("break_torque", IMP_NUMBER, true, BREAK_RANGE, "N m", "it breaks when its reaction torque is larger"),
    [IMP_JOINT_COLLIDE] = COMPUTED("collide", IMP_BOOLEAN, false, TRUTH, "", "its bodies meet each other"),
    [IMP_JOINT_GAP] = COMPUTED("gap", IMP_NUMBER, false, NOT_NEGATIVE, "m",
                               "how far its bodies are from what its locks and firm limits allow"),
};
IMPI_COVERS(joint_table, IMP_JOINT_PROPERTY_COUNT);


// Properties that a pre_solve callback may change of a contact.
static const ImpiProperty contact_table[] = {
    [IMP_CONTACT_ENABLED] = COMPUTED("enabled", IMP_BOOLEAN, true, TRUTH, "", "it bears what it has to"),
    [IMP_CONTACT_FRICTION] = COMPUTED("friction", IMP_NUMBER, true, FRICTION_RANGE, "1", "Coulomb coefficient"),
    [IMP_CONTACT_RESTITUTION] = COMPUTED("restitution", IMP_NUMBER, true, RESTITUTION_RANGE, "1", "bounce"),
    [IMP_CONTACT_ROLLING_RESISTANCE] =
        COMPUTED("rolling_resistance", IMP_NUMBER, true, RATIO, "m", "rolling resistance times radius"),
    [IMP_CONTACT_SURFACE_SPEED] = COMPUTED("surface_speed", IMP_NUMBER, true, SIGNED_RATIO, "m/s",
                                           "of a's and b's surfaces along the normal turned by -90 degrees"),
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
    return impi_fail(IMP_ERR_ARGUMENT, "no such property of a %s", owner);
  }
  if (!info->writable) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s.%s is read-only", owner, info->name);
  }
  if (imp_property_is_optional(info) && isnan(value)) {
    return IMP_OK;
  }
  const char *unit = info->unit;
  // Written so that NaN fails.
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
