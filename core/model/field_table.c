// Tables of the kinds of fields and of their properties.
#include "model/field.h"
#include "model/property_lines.h"

#define PLACE -IMPI_MAX_COORDINATE, IMPI_MAX_COORDINATE

#define DEFINITION ImpFieldDef
static const ImpPropertyInfo properties[] = {
    [IMP_FIELD_ID] = {"id", IMP_INTEGER, false, 1, IMPI_MAX_COUNT, "1", "creation number among the fields, from 1", 0},
    VALUE(IMP_FIELD_ENABLED, "enabled", IMP_BOOLEAN, true, TRUTH, "", "false: the field does not act; true by default"),
    VALUE(IMP_FIELD_STRENGTH, "strength", IMP_NUMBER, true, ANY, "m^(1+power)/s^2",
          "of an attractor: acceleration at a distance of 1 m; negative: bodies are repelled"),
    VALUE(IMP_FIELD_POWER, "power", IMP_NUMBER, true, -10, 10, "1",
          "of an attractor: exponent of its law, acceleration proportional to 1 / r^power; 2 by default"),
    VALUE(IMP_FIELD_SOFTENING, "softening", IMP_NUMBER, true, NOT_NEGATIVE, "m",
          "of an attractor: length that bounds the acceleration near the centre: the law has r = sqrt(distance^2 + "
          "softening^2); 0 by default"),
    VALUE(IMP_FIELD_RANGE, "range", IMP_NUMBER, true, 0, HUGE_VAL, "m",
          "largest distance from the centre at which the field acts; infinite by default"),
    VALUE(IMP_FIELD_STIFFNESS, "stiffness", IMP_NUMBER, true, NOT_NEGATIVE, "N/m",
          "of a spring: force for each metre of deflection; 0 by default"),
    VALUE(IMP_FIELD_DAMPING, "damping", IMP_NUMBER, true, NOT_NEGATIVE, "N s/m",
          "of a spring given by stiffness: damping force / speed of the body; the force opposes every motion, not only "
          "motion along the spring; 0 by default"),
    VALUE(IMP_FIELD_HERTZ, "hertz", IMP_NUMBER, true, RATIO, "Hz",
          "of a spring, instead of stiffness: undamped natural frequency, the same for bodies of every mass"),
    VALUE(IMP_FIELD_DAMPING_RATIO, "damping_ratio", IMP_NUMBER, true, RATIO, "1",
          "of a spring given by hertz: damping ratio; 1: critical damping; 0 by default"),
    VALUE(IMP_FIELD_REST_LENGTH, "rest_length", IMP_NUMBER, true, NOT_NEGATIVE, "m",
          "of a spring: length at which it exerts no force; 0 by default"),
    VALUE(IMP_FIELD_LINEAR, "linear", IMP_NUMBER, true, NOT_NEGATIVE, "kg/s",
          "linear drag: force / speed relative to the medium; of water: force per m^2 of submerged area / speed; 0 by "
          "default"),
    VALUE(IMP_FIELD_QUADRATIC, "quadratic", IMP_NUMBER, true, NOT_NEGATIVE, "kg/m",
          "quadratic drag: force / (speed relative to the medium)^2; of water: force per m^2 of submerged area / "
          "speed^2; 0 by default"),
    VALUE(IMP_FIELD_ANGULAR, "angular", IMP_NUMBER, true, NOT_NEGATIVE, "N m s",
          "rotational drag: torque / angular speed; the torque opposes the rotation; 0 by default"),
    VALUE(IMP_FIELD_CIRCULATION, "circulation", IMP_NUMBER, true, ANY, "m^2/s",
          "of a vortex: 2 pi r times the tangential speed of the medium at a large distance r from the centre; "
          "positive: counter-clockwise"),
    VALUE(IMP_FIELD_INFLOW, "inflow", IMP_NUMBER, true, ANY, "m^2/s",
          "of a vortex: 2 pi r times the speed of the medium towards the centre, at a large distance r from it; 0 by "
          "default"),
    VALUE(IMP_FIELD_CORE, "core", IMP_NUMBER, true, 1 / IMP_MAX_RATIO, IMPI_MAX_NUMBER, "m",
          "of a vortex: radius inside which the speed of the medium decreases, to 0 at the centre; of an explosion: "
          "distance from the centre below which the impulse does not increase further; 0.1 by default"),
    VALUE(IMP_FIELD_DENSITY, "density", IMP_NUMBER, true, NOT_NEGATIVE, "kg/m^2",
          "density of the medium, as mass per area like the density of shapes; for wind 1.2 by default (air, 1 m "
          "deep); required for water"),
    VALUE(IMP_FIELD_COEFFICIENT, "coefficient", IMP_NUMBER, true, RATIO, "1",
          "of wind: pressure on an edge perpendicular to the wind / (1/2 density speed^2); 1 by default"),
    VALUE(IMP_FIELD_GUST, "gust", IMP_NUMBER, true, 0, 100, "1",
          "of wind: largest change of the wind's velocity in gusts, as a fraction of the velocity; 0 by default"),
    VALUE(IMP_FIELD_GUST_HERTZ, "gust_hertz", IMP_NUMBER, true, RATIO, "Hz",
          "of wind: approximate frequency of gusts; 0.5 by default"),
    VALUE(IMP_FIELD_SEED, "seed", IMP_INTEGER, true, 0, IMPI_MAX_COUNT, "1",
          "of wind: seed of the gusts; 0 by default"),
    VALUE(IMP_FIELD_LEVEL, "level", IMP_NUMBER, true, PLACE, "m", "of water: y of the surface at rest; 0 by default"),
    VALUE(IMP_FIELD_WAVE_AMPLITUDE, "wave_amplitude", IMP_NUMBER, true, NOT_NEGATIVE, "m",
          "of water: height of wave crests above `level`; waves do not break; 0 by default"),
    VALUE(IMP_FIELD_WAVE_LENGTH, "wave_length", IMP_NUMBER, true, 1e-3, IMPI_MAX_NUMBER, "m",
          "of water: distance between crests; 10 by default"),
    VALUE(IMP_FIELD_WAVE_SPEED, "wave_speed", IMP_NUMBER, true, ANY, "m/s",
          "of water: velocity of wave crests to the right; by default that of waves on deep water, sqrt(g wave_length "
          "/ (2 pi))"),
    VALUE(IMP_FIELD_IMPULSE, "impulse", IMP_NUMBER, true, ANY, "N s",
          "of an explosion: impulse on a shape that is 1 m away from the centre and 1 m wide across the direction of "
          "the blast"),
    VALUE(IMP_FIELD_START, "start", IMP_NUMBER, true, -IMP_MAX_TIME, IMP_MAX_TIME, "s",
          "of an explosion: time at which it begins; the present time by default, and if the given time is past. "
          "Setting `start` starts the explosion again. While the field is disabled the explosion goes on without "
          "acting, so that part of the impulse is lost"),
    VALUE(IMP_FIELD_DURATION, "duration", IMP_NUMBER, true, 0, IMP_MAX_TIME, "s",
          "of an explosion: time during which the impulse acts, at a constant rate; by default 0: it acts all at once"),
    VALUE(IMP_FIELD_PROGRESS, "progress", IMP_NUMBER, true, 0, 1, "1",
          "of an explosion: fraction of the impulse that has acted so far; 0 by default"),
    VALUE(IMP_FIELD_POINT_WIDTH, "point_width", IMP_NUMBER, true, NOT_NEGATIVE, "m",
          "of wind and explosions: width that a body without shapes is given; 0.1 by default"),
    VALUE(IMP_FIELD_IMPLICIT, "implicit", IMP_BOOLEAN, true, TRUTH, "",
          "of a custom field with a traced law: integrate implicitly with the derivatives of the law, which is stable "
          "for every stiffness; not allowed for a dynamic field; false by default"),
};
IMPI_COVERS(properties, IMP_FIELD_PROPERTY_COUNT);

static const ImpPropertyInfo vectors[] = {
    [IMP_FIELD_ACCELERATION] = {"acceleration", IMP_NUMBER, true, PLACE, "m/s^2",
                                "acceleration of every body; { 0, 0 } by default", 0},
    [IMP_FIELD_FORCE] = {"force", IMP_NUMBER, true, ANY, "N", "force on every body; { 0, 0 } by default", 0},
    [IMP_FIELD_CENTER] = {"center", IMP_NUMBER, true, PLACE, "m", "centre of the field; { 0, 0 } by default", 0},
    [IMP_FIELD_VELOCITY] = {"velocity", IMP_NUMBER, true, PLACE, "m/s", "velocity of the medium; { 0, 0 } by default",
                            0},
};
IMPI_COVERS(vectors, IMP_FIELD_VECTOR_COUNT);

#define HAS(property) (1ull << IMP_FIELD_##property)
#define COMMON (HAS(ID) | HAS(ENABLED))
#define VECTOR(vector) (1u << IMP_FIELD_##vector)

const ImpiForceFieldKind impi_field_kinds[] = {
    [IMP_FIELD_UNIFORM] = {{"uniform", COMMON, VECTOR(ACCELERATION) | VECTOR(FORCE),
                            "the same acceleration, or the same force, on every body"},
                           impi_field_uniform},
    [IMP_FIELD_ATTRACTOR] = {{"attractor", COMMON | HAS(STRENGTH) | HAS(POWER) | HAS(SOFTENING) | HAS(RANGE),
                              VECTOR(CENTER), "acceleration strength / r^power towards a point"},
                             impi_field_attractor},
    [IMP_FIELD_SPRING] = {{"spring",
                           COMMON | HAS(STIFFNESS) | HAS(DAMPING) | HAS(HERTZ) | HAS(DAMPING_RATIO) | HAS(REST_LENGTH),
                           VECTOR(CENTER), "a damped spring between each body's centre of mass and a point"},
                          impi_field_spring},
    [IMP_FIELD_DRAG] = {{"drag", COMMON | HAS(LINEAR) | HAS(QUADRATIC) | HAS(ANGULAR), VECTOR(VELOCITY),
                         "drag in a medium of uniform velocity u: the force on a body of velocity v is -(linear + "
                         "quadratic |v - u|) (v - u)"},
                        impi_field_drag},
    [IMP_FIELD_VORTEX] = {{"vortex",
                           COMMON | HAS(LINEAR) | HAS(QUADRATIC) | HAS(CIRCULATION) | HAS(INFLOW) | HAS(CORE) |
                               HAS(RANGE),
                           VECTOR(CENTER), "drag in a medium that rotates about a point and flows towards it"},
                          impi_field_vortex},
    [IMP_FIELD_WIND] = {{"wind",
                         COMMON | HAS(DENSITY) | HAS(COEFFICIENT) | HAS(GUST) | HAS(GUST_HERTZ) | HAS(SEED) |
                             HAS(POINT_WIDTH),
                         VECTOR(VELOCITY),
                         "wind of velocity u relative to the shape: each edge that faces the wind, with normal n, gets "
                         "the force 1/2 density coefficient length (n.u)^2 at its middle; a circle gets 2/3 of the "
                         "force on an edge as long as its diameter"},
                        impi_field_wind},
    [IMP_FIELD_BUOYANCY] =
        {{"buoyancy",
          COMMON | HAS(DENSITY) | HAS(LEVEL) | HAS(LINEAR) | HAS(QUADRATIC) | HAS(WAVE_AMPLITUDE) | HAS(WAVE_LENGTH) |
              HAS(WAVE_SPEED),
          VECTOR(VELOCITY),
          "water below a surface, with waves: buoyancy and drag on the part of each shape below the surface"},
         impi_field_buoyancy},
    [IMP_FIELD_EXPLOSION] = {{"explosion",
                              COMMON | HAS(IMPULSE) | HAS(CORE) | HAS(RANGE) | HAS(START) | HAS(DURATION) |
                                  HAS(PROGRESS) | HAS(POINT_WIDTH),
                              VECTOR(CENTER),
                              "an impulse away from a point: at the distance r a shape gets impulse / r for each metre "
                              "of its width across the direction of the blast"},
                             impi_field_explosion},
    [IMP_FIELD_CUSTOM] = {{"custom", COMMON | HAS(IMPLICIT), 0,
                           "a force that the user defines: a function of a body, time and parameters"},
                          impi_field_custom},
};
IMPI_COVERS(impi_field_kinds, IMP_FIELD_KIND_COUNT);


const ImpPropertyInfo *imp_field_property(int property) {
  return property >= 0 && property < IMP_FIELD_PROPERTY_COUNT ? &properties[property] : NULL;
}


const ImpPropertyInfo *imp_field_vector_info(int vector) {
  return vector >= 0 && vector < IMP_FIELD_VECTOR_COUNT ? &vectors[vector] : NULL;
}


const ImpFieldKindInfo *imp_field_kind(int kind) {
  return kind >= 0 && kind < IMP_FIELD_KIND_COUNT ? &impi_field_kinds[kind].info : NULL;
}


const char *imp_field_kind_name(int kind) {
  const ImpFieldKindInfo *info = imp_field_kind(kind);
  return info != NULL ? info->name : NULL;
}


bool impi_field_takes(int kind, int property) { return (impi_field_kinds[kind].info.properties >> property & 1u) != 0; }


bool impi_field_is_given(int kind, int property) {
  return impi_field_takes(kind, property) && imp_field_property(property)->writable;
}


bool impi_field_has_vector(int kind, int vector) { return (impi_field_kinds[kind].info.vectors >> vector & 1u) != 0; }


ImpFieldDef imp_field_def(ImpFieldKind kind) {
  ImpFieldDef def = {.kind = kind};
  def.value[IMP_FIELD_ENABLED] = 1;
  def.value[IMP_FIELD_POWER] = 2;
  def.value[IMP_FIELD_RANGE] = HUGE_VAL;
  def.value[IMP_FIELD_CORE] = def.value[IMP_FIELD_POINT_WIDTH] = 0.1;
  def.value[IMP_FIELD_DENSITY] = kind == IMP_FIELD_WIND ? 1.2 : 0;
  def.value[IMP_FIELD_COEFFICIENT] = 1;
  def.value[IMP_FIELD_GUST_HERTZ] = 0.5;
  def.value[IMP_FIELD_WAVE_LENGTH] = 10;
  def.value[IMP_FIELD_WAVE_SPEED] = def.value[IMP_FIELD_START] = (double)NAN;
  return def;
}
