// Drives of a coordinate as option tables (limit, motor, servo, spring, force).
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "objects/drive.h"

#define NONE ((double)NAN)

// Forces are in N or N m, depending on the coordinate; infinity means no limit.
#define FORCE .lower = 0, .upper = HUGE_VAL, .unit = "N or N m"
#define END .lower = -HUGE_VAL, .upper = HUGE_VAL, .unit = "m or rad"
#define RATE .unit = "m/s or rad/s"
#define VALUE .unit = "m or rad"

#define AT(member) .offset = offsetof(LimitOptions, member)
static const Field limit_fields[] = {
    {.name = "lower", .kind = FIELD_NUMBER, AT(lower), END, .position = 1, .doc = "smallest value; none by default"},
    {.name = "upper", .kind = FIELD_NUMBER, AT(upper), END, .position = 2, .doc = "largest value; none by default"},
    {.name = "max_force",
     .kind = FIELD_NUMBER,
     AT(max_force),
     FORCE,
     .doc = "largest force of the limit; infinite by default"},
    {.name = NULL},
};

#undef AT
#define AT(member) .offset = offsetof(MotorOptions, member)
static const Field motor_fields[] = {
    {.name = "speed", .kind = FIELD_NUMBER, AT(speed), RATE, .required = true, .doc = "target rate"},
    {.name = "max_force", .kind = FIELD_NUMBER, AT(max_force), FORCE, .doc = "largest force; infinite by default"},
    {.name = NULL},
};

#undef AT
#define AT(member) .offset = offsetof(ServoOptions, member)
static const Field servo_fields[] = {
    {.name = "target", .kind = FIELD_NUMBER, AT(target), VALUE, .required = true, .doc = "target value"},
    {.name = "max_force", .kind = FIELD_NUMBER, AT(max_force), FORCE, .doc = "largest force; infinite by default"},
    {.name = "speed", .kind = FIELD_NUMBER, AT(speed), RATE, .doc = "rate at which the target moves; 0 by default"},
    {.name = NULL},
};

#undef AT
#define AT(member) .offset = offsetof(SpringOptions, member)
#define HERTZ \
  { \
    .name = "hertz", .kind = FIELD_NUMBER, AT(hertz), .lower = 1e-9, .upper = 1e12, .unit = "Hz", \
    .doc = "natural frequency of the spring with the coordinate's effective mass; an alternative to stiffness" \
  }
#define RATIO \
  { \
    .name = "damping_ratio", .kind = FIELD_NUMBER, AT(damping_ratio), .upper = 1e12, .unit = "1", \
    .doc = "damping ratio of a spring that is given by hertz; 1 is critical, 0 by default" \
  }
static const Field spring_fields[] = {
    {.name = "stiffness",
     .kind = FIELD_NUMBER,
     AT(stiffness),
     .upper = IMP_MAX_DRIVE,
     .unit = "N/m or N m/rad",
     .doc = "force per unit of deflection"},
    {.name = "damping",
     .kind = FIELD_NUMBER,
     AT(damping),
     .upper = IMP_MAX_DRIVE,
     .unit = "N s/m or N m s/rad",
     .doc = "damping of a spring that is given by stiffness: force per unit of rate; 0 by default"},
    HERTZ,
    RATIO,
    {.name = "target", .kind = FIELD_NUMBER, AT(target), VALUE, .doc = "value at which the spring exerts no force"},
    {.name = "target_speed",
     .kind = FIELD_NUMBER,
     AT(target_speed),
     RATE,
     .doc = "rate of the coordinate at which the damping exerts no force. `target` does not move at this rate. 0 by "
            "default"},
    {.name = "max_force", .kind = FIELD_NUMBER, AT(max_force), FORCE, .doc = "largest force; infinite by default"},
    {.name = NULL},
};
static const Field soft_fields[] = {HERTZ, RATIO, {.name = NULL}};

const Options bind_limit_options = {.fields = limit_fields, .scope = "limit"};
const Options bind_motor_options = {.fields = motor_fields, .scope = "motor"};
const Options bind_servo_options = {.fields = servo_fields, .scope = "servo"};
const Options bind_spring_options = {.fields = spring_fields, .scope = "spring"};
const Options bind_soft_options = {.fields = soft_fields, .scope = "soft"};

#undef AT
#define AT(member) .offset = offsetof(DriveOptions, member)
static const Field drive_fields[] = {
    {.name = "limit",
     .kind = FIELD_TABLE,
     AT(limit),
     .nested = &bind_limit_options,
     .doc = "{ lower, upper }: range of the coordinate"},
    {.name = "motor",
     .kind = FIELD_TABLE,
     AT(motor),
     .nested = &bind_motor_options,
     .doc = "drives the rate of the coordinate"},
    {.name = "servo",
     .kind = FIELD_TABLE,
     AT(servo),
     .nested = &bind_servo_options,
     .doc = "drives the coordinate to a value"},
    {.name = "spring",
     .kind = FIELD_TABLE,
     AT(spring),
     .nested = &bind_spring_options,
     .doc = "pulls the coordinate to a value"},
    {.name = "force", .kind = FIELD_NUMBER, AT(force), .unit = "N or N m", .doc = "constant force on the coordinate"},
    {.name = "armature",
     .kind = FIELD_NUMBER,
     AT(armature),
     .upper = IMP_MAX_DRIVE,
     .unit = "kg or kg m^2",
     .doc = "reflected inertia of a rotor that turns with the coordinate: square of the gear ratio times the rotor's "
            "inertia; 0 by default"},
    {.name = "damping",
     .kind = FIELD_NUMBER,
     AT(damping),
     .upper = IMP_MAX_DRIVE,
     .unit = "N s/m or N m s/rad",
     .doc = "viscous damping: force per unit of rate; 0 by default"},
    {.name = "friction",
     .kind = FIELD_NUMBER,
     AT(friction),
     .upper = IMP_MAX_DRIVE,
     .unit = "N or N m",
     .doc =
         "dry (Coulomb) friction: largest force that resists the motion or holds the coordinate at rest; 0 by default"},
    {.name = "lock",
     .kind = FIELD_NUMBER,
     AT(lock),
     VALUE,
     .doc = "value at which a lock holds the coordinate against all forces; the default depends on the kind of joint"},
    {.name = "free",
     .kind = FIELD_BOOLEAN,
     AT(free),
     .doc = "remove the lock or drive that the kind of joint has by default; false by default"},
    {.name = NULL},
};

const Options bind_drive_options = {.fields = drive_fields, .scope = "drive"};


DriveOptions bind_drive_none(void) {
  return (DriveOptions){
      .limit = {.lower = -HUGE_VAL, .upper = HUGE_VAL, .max_force = HUGE_VAL},
      .motor = {.max_force = HUGE_VAL},
      .servo = {.max_force = HUGE_VAL},
      .spring = {.stiffness = NONE,
                 .damping = NONE,
                 .hertz = NONE,
                 .damping_ratio = NONE,
                 .target = NONE,
                 .max_force = HUGE_VAL},
      .force = NONE,
      .lock = NONE,
      .armature = NONE,
      .damping = NONE,
      .friction = NONE,
  };
}


void bind_check_limit(lua_State *L, const char *where, const LimitOptions *limit) {
  if (!limit->given || limit->lower > -HUGE_VAL || limit->upper < HUGE_VAL) return;
  bind_error(L, "%s must be { lower, upper } [m or rad], at least one of them finite", where);
}


void bind_check_spring(lua_State *L, const char *where, const SpringOptions *spring) {
  bool stiff = !isnan(spring->stiffness), hertz = !isnan(spring->hertz);
  if (!spring->given) return;
  if (stiff && hertz) bind_error(L, "%s takes stiffness or hertz, not both", where);
  if (!stiff && !hertz) {
    bind_error(L, "%s needs stiffness (with damping) or hertz (with damping_ratio)%s", where,
               isnan(spring->damping) ? "" : "; for a damper without a spring give stiffness = 0");
  }
  if (stiff && !isnan(spring->damping_ratio)) {
    bind_error(L, "%s: field 'damping_ratio' needs hertz; with stiffness use damping [N s/m or N m s/rad]", where);
  }
  if (hertz && !isnan(spring->damping)) {
    bind_error(L, "%s: field 'damping' needs stiffness; with hertz use damping_ratio (1 is critical)", where);
  }
}


void bind_check_drive(lua_State *L, const char *where, const DriveOptions *options) {
  const char *format = strstr(where, ": ") ? "%s.%s" : "%s: %s";
  if (options->limit.given) bind_check_limit(L, lua_pushfstring(L, format, where, "limit"), &options->limit);
  if (options->spring.given) bind_check_spring(L, lua_pushfstring(L, format, where, "spring"), &options->spring);
  if (options->free && !isnan(options->lock)) bind_error(L, "%s takes 'lock' or 'free', not both", where);
}


static double number_or(double value, double otherwise) { return isnan(value) ? otherwise : value; }


void bind_add_drive(ImpDrive *drive, const DriveOptions *options, double rest) {
  const SpringOptions *spring = &options->spring;
  if (options->limit.given) {
    drive->on |= 1u << IMP_DRIVE_LIMIT;
    drive->lower = options->limit.lower;
    drive->upper = options->limit.upper;
    drive->limit_max = options->limit.max_force;
  }
  if (options->motor.given) {
    drive->on |= 1u << IMP_DRIVE_MOTOR;
    drive->speed = options->motor.speed;
    drive->motor_max = options->motor.max_force;
  }
  if (options->servo.given) {
    drive->on |= 1u << IMP_DRIVE_SERVO;
    drive->target = options->servo.target;
    drive->target_speed = options->servo.speed;
    drive->servo_max = options->servo.max_force;
  }
  if (spring->given) {
    drive->on |= 1u << IMP_DRIVE_SPRING;
    drive->stiffness = number_or(spring->stiffness, 0);
    drive->damping = number_or(spring->damping, 0);
    drive->hertz = number_or(spring->hertz, 0);
    drive->damping_ratio = number_or(spring->damping_ratio, 0);
    drive->rest = number_or(spring->target, rest);
    drive->rest_speed = spring->target_speed;
    drive->spring_max = spring->max_force;
  }
  if (!isnan(options->force)) {
    drive->on |= 1u << IMP_DRIVE_FORCE;
    drive->force = options->force;
  }
  if (!isnan(options->lock)) {
    drive->on |= 1u << IMP_DRIVE_LOCK;
    drive->lock = options->lock;
  }
  drive->armature = number_or(options->armature, drive->armature);
  drive->viscous_damping = number_or(options->damping, drive->viscous_damping);
  drive->dry_friction = number_or(options->friction, drive->dry_friction);
}


DriveOptions bind_drive_given(const ImpDrive *drive) {
  DriveOptions o = bind_drive_none();
  o.armature = drive->armature > 0 ? drive->armature : NONE;
  o.damping = drive->viscous_damping > 0 ? drive->viscous_damping : NONE;
  o.friction = drive->dry_friction > 0 ? drive->dry_friction : NONE;
  o.given = drive->on != 0 || drive->armature > 0 || drive->viscous_damping > 0 || drive->dry_friction > 0;
  if (drive->on >> IMP_DRIVE_LIMIT & 1u) o.limit = (LimitOptions){true, drive->lower, drive->upper, drive->limit_max};
  if (drive->on >> IMP_DRIVE_MOTOR & 1u) o.motor = (MotorOptions){true, drive->speed, drive->motor_max};
  if (drive->on >> IMP_DRIVE_SERVO & 1u) {
    o.servo = (ServoOptions){true, drive->target, drive->target_speed, drive->servo_max};
  }
  if (drive->on >> IMP_DRIVE_SPRING & 1u) {
    bool hertz = drive->hertz > 0;
    o.spring = (SpringOptions){.given = true,
                               .stiffness = hertz ? NONE : drive->stiffness,
                               .damping = hertz || drive->damping == 0 ? NONE : drive->damping,
                               .hertz = hertz ? drive->hertz : NONE,
                               .damping_ratio = !hertz || drive->damping_ratio == 0 ? NONE : drive->damping_ratio,
                               .target = drive->rest,
                               .target_speed = drive->rest_speed,
                               .max_force = drive->spring_max};
  }
  if (drive->on >> IMP_DRIVE_FORCE & 1u) o.force = drive->force;
  if (drive->on >> IMP_DRIVE_LOCK & 1u) o.lock = drive->lock;
  return o;
}


// ---------------------------------------------------------------------------------------------------------------------
// Reading back
// ---------------------------------------------------------------------------------------------------------------------

static void put(lua_State *L, const char *key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}


// Push the table at `key` of the table at the top; create a missing table.
static void open_table(lua_State *L, const char *key) {
  if (lua_getfield(L, -1, key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, key);
}


// If a drive of this kind is on, push its option table and return true. Else set the option to nil, return false.
static bool open_drive(lua_State *L, const ImpDrive *drive, ImpDriveKind kind) {
  if (drive->on >> kind & 1u) {
    open_table(L, imp_drive_name((int)kind));
    return true;
  }
  lua_pushnil(L);
  lua_setfield(L, -2, imp_drive_name((int)kind));
  return false;
}


static void put_or_clear(lua_State *L, const ImpDrive *drive, ImpDriveKind kind, double value) {
  if (drive->on >> kind & 1u) {
    lua_pushnumber(L, value);
  } else {
    lua_pushnil(L);
  }
  lua_setfield(L, -2, imp_drive_name((int)kind));
}


static void put_positive(lua_State *L, const char *key, double value) {
  if (value > 0) {
    lua_pushnumber(L, value);
  } else {
    lua_pushnil(L);
  }
  lua_setfield(L, -2, key);
}


// Fill the option table of a spring given by stiffness or by hertz.
static void put_spring(lua_State *L, const ImpDrive *drive) {
  bool hertz = drive->hertz > 0;
  const struct {
    const char *key;
    bool shown;
    double value;
  } parts[] = {{"stiffness", !hertz, drive->stiffness}, {"damping", !hertz, drive->damping},
               {"hertz", hertz, drive->hertz},          {"damping_ratio", hertz, drive->damping_ratio},
               {"target", true, drive->rest},           {"target_speed", drive->rest_speed != 0, drive->rest_speed},
               {"max_force", true, drive->spring_max}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (parts[i].shown) {
      lua_pushnumber(L, parts[i].value);
    } else {
      lua_pushnil(L);
    }
    lua_setfield(L, -2, parts[i].key);
  }
}


void bind_push_drive(lua_State *L, int table, const ImpDrive *drive) {
  if (table > 0) {
    lua_pushvalue(L, table);
  } else {
    lua_newtable(L);
  }
  put_or_clear(L, drive, IMP_DRIVE_LOCK, drive->lock);
  put_or_clear(L, drive, IMP_DRIVE_FORCE, drive->force);
  put_positive(L, "armature", drive->armature);
  put_positive(L, "damping", drive->viscous_damping);
  put_positive(L, "friction", drive->dry_friction);
  if (open_drive(L, drive, IMP_DRIVE_LIMIT)) {
    lua_pushnumber(L, drive->lower);
    lua_rawseti(L, -2, 1);
    lua_pushnumber(L, drive->upper);
    lua_rawseti(L, -2, 2);
    if (drive->limit_max < HUGE_VAL) { // an infinite force, the default, is not written
      put(L, "max_force", drive->limit_max);
    } else {
      lua_pushnil(L);
      lua_setfield(L, -2, "max_force");
    }
    lua_pop(L, 1);
  }
  if (open_drive(L, drive, IMP_DRIVE_MOTOR)) {
    put(L, "speed", drive->speed);
    put(L, "max_force", drive->motor_max);
    lua_pop(L, 1);
  }
  if (open_drive(L, drive, IMP_DRIVE_SERVO)) {
    put(L, "target", drive->target);
    put(L, "speed", drive->target_speed);
    put(L, "max_force", drive->servo_max);
    lua_pop(L, 1);
  }
  if (open_drive(L, drive, IMP_DRIVE_SPRING)) {
    put_spring(L, drive);
    lua_pop(L, 1);
  }
}
