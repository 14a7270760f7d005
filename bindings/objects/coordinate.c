// The class coordinate: a joint coordinate, its value and the drives that act on it.
#include <math.h>
#include <stddef.h>

#include "objects/drive.h"
#include "objects/joint.h"
#include "objects/object.h"


static ImpCoordinate coordinate_of(const void *self) {
  const CoordinateObject *object = self;
  return (ImpCoordinate){{object->handle.id}, object->index};
}


static ImpWorld *world_of(const void *self) { return ((const Handle *)self)->box->world; }


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------

static ImpCoordinateInfo info_of(lua_State *L, const void *self, const char *where) {
  ImpCoordinateInfo info;
  if (imp_coordinate_info(world_of(self), coordinate_of(self), &info) != IMP_OK) {
    bind_refused(L, &bind_coordinate_class, where);
  }
  return info;
}


BIND_GETTER(get_value, lua_pushnumber(L, info_of(L, self, "coordinate.value").value))
BIND_GETTER(get_speed, lua_pushnumber(L, info_of(L, self, "coordinate.speed").speed))
BIND_GETTER(get_force, lua_pushnumber(L, info_of(L, self, "coordinate.force").force))
BIND_GETTER(get_mass, lua_pushnumber(L, info_of(L, self, "coordinate.mass").mass))
BIND_GETTER(get_power, lua_pushnumber(L, info_of(L, self, "coordinate.power").power))
BIND_GETTER(get_work, lua_pushnumber(L, info_of(L, self, "coordinate.work").work))


// coordinate.name
static int get_name(lua_State *L, void *self) {
  (void)self;
  lua_getiuservalue(L, 1, UV_NAME);
  return 1;
}


// coordinate.joint
static int get_joint(lua_State *L, void *self) {
  (void)self;
  lua_getiuservalue(L, 1, UV_JOINT);
  return 1;
}


// coordinate:state() -> value, speed
static int coordinate_state(lua_State *L) {
  void *self = bind_self_raw(L);
  ImpWorld *world = world_of(self);
  double value, speed;
  if (!world || imp_coordinate_state(world, coordinate_of(self), &value, &speed) != IMP_OK) {
    bind_require(L, &bind_coordinate_class, self, NULL);
    return bind_refused(L, &bind_coordinate_class, bind_caller(L));
  }
  lua_pushnumber(L, value);
  lua_pushnumber(L, speed);
  return 2;
}


// ---------------------------------------------------------------------------------------------------------------------
// Derivatives
// ---------------------------------------------------------------------------------------------------------------------

// coordinate:jacobian() -> jx, jy, ja of each body of joint:bodies()
static int coordinate_jacobian(lua_State *L) {
  void *self = bind_check(L, &bind_coordinate_class);
  double j[3 * BIND_MAX_JOINT_BODIES];
  int count = 0;
  bind_status(L, imp_coordinate_jacobian(world_of(self), coordinate_of(self), j, 3 * BIND_MAX_JOINT_BODIES, &count));
  if (count > 3 * BIND_MAX_JOINT_BODIES) count = 3 * BIND_MAX_JOINT_BODIES;
  luaL_checkstack(L, count, NULL);
  for (int i = 0; i < count; i++) lua_pushnumber(L, j[i]);
  return count;
}


// coordinate:curvature() -> number
static int coordinate_curvature(lua_State *L) {
  void *self = bind_check(L, &bind_coordinate_class);
  double curvature = 0;
  bind_status(L, imp_coordinate_curvature(world_of(self), coordinate_of(self), &curvature));
  lua_pushnumber(L, curvature);
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Drives. Setting a drive replaces a lock, as in a constructor; removing a drive leaves the other drives.
// ---------------------------------------------------------------------------------------------------------------------

static ImpDrive drive_of(lua_State *L, const void *self) {
  ImpDrive drive = imp_drive();
  bind_status(L, imp_coordinate_drive(world_of(self), coordinate_of(self), &drive));
  return drive;
}


static int set_drive(lua_State *L, const void *self, const ImpDrive *drive) {
  bind_status(L, imp_coordinate_set_drive(world_of(self), coordinate_of(self), drive));
  return 0;
}


// Return the default target of a spring. If the coordinate has a spring, keep the target of that spring. Otherwise use
// the present value of a distance, pulley or sum coordinate, and 0 for every other coordinate.
static double rest_of(lua_State *L, const void *self, const ImpDrive *drive) {
  if (drive->on >> IMP_DRIVE_SPRING & 1u) return drive->rest;
  ImpCoordinate coordinate = coordinate_of(self);
  ImpJointKind kind = IMP_JOINT_CONSTRAINT;
  imp_joint_kind_of(world_of(self), coordinate.joint, &kind);
  const ImpJointKindInfo *info = imp_joint_kind((int)kind);
  bool measured = info->coordinates[0] && info->kinds[coordinate.index] >= IMP_COORDINATE_DISTANCE;
  return measured ? info_of(L, self, "coordinate:set_spring").value : 0;
}


// Add the given drives, or remove a kind of drive.
static int add_or_remove(lua_State *L, const void *self, ImpDriveKind kind, const DriveOptions *given) {
  ImpDrive drive = drive_of(L, self);
  if (given) {
    drive.on &= ~(1u << IMP_DRIVE_LOCK);
    bind_add_drive(&drive, given, given->spring.given ? rest_of(L, self, &drive) : 0);
  } else {
    drive.on &= ~(1u << kind);
  }
  return set_drive(L, self, &drive);
}


// coordinate:set_motor([{ speed, max_force }])
static int coordinate_set_motor(lua_State *L) {
  void *self = bind_check(L, &bind_coordinate_class);
  DriveOptions given = bind_drive_none();
  if (lua_isnoneornil(L, 2)) return add_or_remove(L, self, IMP_DRIVE_MOTOR, NULL);
  given.motor.given = true;
  bind_options(L, 2, bind_caller(L), &bind_motor_options, &given.motor);
  return add_or_remove(L, self, IMP_DRIVE_MOTOR, &given);
}


// coordinate:set_servo([{ target, speed, max_force }])
static int coordinate_set_servo(lua_State *L) {
  void *self = bind_check(L, &bind_coordinate_class);
  DriveOptions given = bind_drive_none();
  if (lua_isnoneornil(L, 2)) return add_or_remove(L, self, IMP_DRIVE_SERVO, NULL);
  given.servo.given = true;
  bind_options(L, 2, bind_caller(L), &bind_servo_options, &given.servo);
  return add_or_remove(L, self, IMP_DRIVE_SERVO, &given);
}


// coordinate:set_spring([{ stiffness, damping, hertz, damping_ratio, target, max_force }])
static int coordinate_set_spring(lua_State *L) {
  void *self = bind_check(L, &bind_coordinate_class);
  DriveOptions given = bind_drive_none();
  if (lua_isnoneornil(L, 2)) return add_or_remove(L, self, IMP_DRIVE_SPRING, NULL);
  const char *call = bind_caller(L);
  given.spring.given = true;
  bind_options(L, 2, call, &bind_spring_options, &given.spring);
  bind_check_spring(L, call, &given.spring);
  return add_or_remove(L, self, IMP_DRIVE_SPRING, &given);
}


// Return one end of a limit: a number, which may be infinite, or `none` for nil.
static double limit_end(lua_State *L, int index, const char *name, double none) {
  double value = lua_tonumber(L, index);
  if (lua_isnoneornil(L, index)) return none;
  if (lua_type(L, index) != LUA_TNUMBER || isnan(value)) {
    bind_error(L, "%s: argument '%s' must be %s, got %s", bind_caller(L), name,
               bind_expected(L, false, -HUGE_VAL, HUGE_VAL, "m or rad"), bind_got(L, index));
  }
  return value;
}


// coordinate:set_limit([lower, upper])
static int coordinate_set_limit(lua_State *L) {
  void *self = bind_check(L, &bind_coordinate_class);
  DriveOptions given = bind_drive_none();
  if (lua_isnoneornil(L, 2) && lua_isnoneornil(L, 3)) return add_or_remove(L, self, IMP_DRIVE_LIMIT, NULL);
  given.limit = (LimitOptions){true, limit_end(L, 2, "lower", -HUGE_VAL), limit_end(L, 3, "upper", HUGE_VAL), HUGE_VAL};
  bind_check_limit(L, bind_caller(L), &given.limit);
  return add_or_remove(L, self, IMP_DRIVE_LIMIT, &given);
}


// coordinate:set_force([force])
static int coordinate_set_force(lua_State *L) {
  void *self = bind_self(L);
  ImpWorld *world = world_of(self);
  if (lua_isnoneornil(L, 2)) {
    bind_require(L, &bind_coordinate_class, self, NULL);
    return add_or_remove(L, self, IMP_DRIVE_FORCE, NULL);
  }
  if (!world ||
      imp_coordinate_set_force(world, coordinate_of(self), bind_number(L, 2, "force", "N or N m")) != IMP_OK) {
    bind_require(L, &bind_coordinate_class, self, NULL);
    return bind_refused(L, &bind_coordinate_class, bind_caller(L));
  }
  return 0;
}


// coordinate:set_target(target)
static int coordinate_set_target(lua_State *L) {
  void *self = bind_self(L);
  ImpWorld *world = world_of(self);
  if (!world ||
      imp_coordinate_set_target(world, coordinate_of(self), bind_number(L, 2, "target", "m or rad")) != IMP_OK) {
    bind_require(L, &bind_coordinate_class, self, NULL);
    return bind_refused(L, &bind_coordinate_class, bind_caller(L));
  }
  return 0;
}


// coordinate:set_lock([value]): lock at the value, by default the present value; false removes the lock
static int coordinate_set_lock(lua_State *L) {
  void *self = bind_check(L, &bind_coordinate_class);
  ImpDrive drive = drive_of(L, self);
  if (lua_isboolean(L, 2) && !lua_toboolean(L, 2)) {
    drive.on &= ~(1u << IMP_DRIVE_LOCK);
  } else {
    drive.on |= 1u << IMP_DRIVE_LOCK;
    drive.lock =
        lua_isnoneornil(L, 2) ? info_of(L, self, "coordinate:set_lock").value : bind_number(L, 2, "value", "m or rad");
  }
  return set_drive(L, self, &drive);
}


// coordinate:release(): remove all drives and the lock
static int coordinate_release(lua_State *L) {
  void *self = bind_check(L, &bind_coordinate_class);
  ImpDrive drive = imp_drive(), present = drive_of(L, self);
  drive.armature = present.armature;
  drive.viscous_damping = present.viscous_damping;
  drive.dry_friction = present.dry_friction;
  return set_drive(L, self, &drive);
}


// ---------------------------------------------------------------------------------------------------------------------
// Armature, damping and friction of a coordinate
// ---------------------------------------------------------------------------------------------------------------------

enum { ARMATURE, DAMPING, FRICTION };
static const ImpPropertyInfo mechanical[] = {
    {"armature", IMP_NUMBER, true, 0, IMP_MAX_DRIVE, "kg or kg m^2",
     "reflected inertia of a rotor that turns with the coordinate: square of the gear ratio times the rotor's inertia; "
     "it resists acceleration of the coordinate and has no weight. 0 by default",
     0},
    {"damping", IMP_NUMBER, true, 0, IMP_MAX_DRIVE, "N s/m or N m s/rad",
     "viscous damping: force per unit of rate; 0 by default", 0},
    {"friction", IMP_NUMBER, true, 0, IMP_MAX_DRIVE, "N or N m",
     "dry (Coulomb) friction: largest force that resists the motion or holds the coordinate at rest; 0 by default", 0},
};


static double *number_of(ImpDrive *drive, int which) {
  return which == ARMATURE ? &drive->armature : which == DAMPING ? &drive->viscous_damping : &drive->dry_friction;
}


static int get_mechanical(lua_State *L, const void *self, int which) {
  ImpDrive drive = drive_of(L, self);
  lua_pushnumber(L, *number_of(&drive, which));
  return 1;
}


static void set_mechanical(lua_State *L, const void *self, int which) {
  ImpDrive drive = drive_of(L, self);
  const char *where = lua_pushfstring(L, "coordinate.%s", mechanical[which].name);
  *number_of(&drive, which) = bind_property_value(L, 3, &mechanical[which], where);
  set_drive(L, self, &drive);
}


static const ImpPropertyInfo *mechanical_property(int which) { return &mechanical[which]; }


// coordinate.armature
static int get_armature(lua_State *L, void *self) { return get_mechanical(L, self, ARMATURE); }


static void set_armature(lua_State *L, void *self) { set_mechanical(L, self, ARMATURE); }


// coordinate.damping
static int get_damping(lua_State *L, void *self) { return get_mechanical(L, self, DAMPING); }


static void set_damping(lua_State *L, void *self) { set_mechanical(L, self, DAMPING); }


// coordinate.friction
static int get_friction(lua_State *L, void *self) { return get_mechanical(L, self, FRICTION); }


static void set_friction(lua_State *L, void *self) { set_mechanical(L, self, FRICTION); }


// coordinate:drives([table]) -> table
static int coordinate_drives(lua_State *L) {
  void *self = bind_check(L, &bind_coordinate_class);
  lua_settop(L, 2);
  if (!lua_isnil(L, 2) && !lua_istable(L, 2)) {
    return bind_error(L, "%s: argument 'table' must be a table to fill or nil, got %s", bind_caller(L), bind_got(L, 2));
  }
  ImpDrive drive = drive_of(L, self);
  bind_push_drive(L, lua_istable(L, 2) ? 2 : 0, &drive);
  return 1;
}


// tostring(coordinate)
static int coordinate_tostring(lua_State *L) {
  luaL_checkudata(L, 1, bind_coordinate_class.registry);
  lua_getiuservalue(L, 1, UV_NAME);
  lua_getiuservalue(L, 1, UV_JOINT);
  lua_pushfstring(L, "%s of %s", lua_tostring(L, 2), luaL_tolstring(L, 3, NULL));
  return 1;
}


static const Entry coordinate_entries[] = {
    {.name = "value", .type = "number", .unit = "m or rad", .get = get_value, .doc = "present value"},
    {.name = "speed", .type = "number", .unit = "m/s or rad/s", .get = get_speed, .doc = "rate of change of the value"},
    {.name = "force",
     .type = "number",
     .unit = "N or N m",
     .get = get_force,
     .doc = "force on body_b in the direction in which the value grows, mean over the last step: sum of the forces of "
            "all drives, of the lock and of the rotor. For example, a motor with force T and an armature R give T - R "
            "q''. joint:rows() gives each part"},
    {.name = "mass",
     .type = "number",
     .unit = "kg or kg m^2",
     .get = get_mass,
     .doc = "sum of the effective mass and the armature: force along this coordinate / acceleration that this force "
            "alone would cause; 0 if no body of the coordinate can move"},
    {.name = "armature",
     .type = "number",
     .unit = "kg or kg m^2",
     .get = get_armature,
     .set = set_armature,
     .table = mechanical_property,
     .property = ARMATURE,
     .doc =
         "reflected inertia of a rotor that turns with the coordinate: square of the gear ratio times the rotor's "
         "inertia. It resists acceleration of the coordinate and has no weight. The rotor stores its own speed, which "
         "is initially that of the coordinate; setting the velocity of a dynamic body also sets the rotor's speed. An "
         "armature below 1e-9 of the inertia that the coordinate moves acts as 0. If a substep handler sets the "
         "armature, it acts in the same substep, with two exceptions: if the coordinate had no drive before, or if the "
         "solver \"soft\" solves several joints together and this joint is one of them, the armature acts from the "
         "next step on. Source: Featherstone, \"Rigid Body Dynamics Algorithms\" (2008), 9.6"},
    {.name = "damping",
     .type = "number",
     .unit = "N s/m or N m s/rad",
     .get = get_damping,
     .set = set_damping,
     .table = mechanical_property,
     .property = DAMPING,
     .doc = "viscous damping: force per unit of rate"},
    {.name = "friction",
     .type = "number",
     .unit = "N or N m",
     .get = get_friction,
     .set = set_friction,
     .table = mechanical_property,
     .property = FRICTION,
     .doc = "dry (Coulomb) friction: largest force that resists the motion or holds the coordinate at rest. Friction "
            "is a constraint row with bounds. The solver \"reduced\" has accuracy of order 4 in dt if the world has no "
            "constraint rows, and of order 1 if it has a row of friction. In a step in which the motion reverses or "
            "stops, every solver has at most order 1"},
    {.name = "power",
     .type = "number",
     .unit = "W",
     .get = get_power,
     .doc = "sum of the power of all drives and of the lock, mean over the last step"},
    {.name = "work",
     .type = "number",
     .unit = "J",
     .get = get_work,
     .doc = "sum of the work of all drives and of the lock since the joint was created"},
    {.name = "name",
     .type = "string",
     .get = get_name,
     .doc = "\"x\", \"y\", \"angle\", \"distance\" or \"sum\"; for a constraint \"1\", \"2\", ..."},
    {.name = "joint", .type = "joint", .get = get_joint, .doc = "the joint of the coordinate"},
    {.name = "world", .type = "world", .get = bind_get_world, .doc = "the world of the joint"},
    {.name = "state",
     .call = coordinate_state,
     .signature = "() -> value, speed",
     .unit = "m or rad, m/s or rad/s",
     .doc = "value and speed. One call is faster than reading both properties, which matters in code that runs in "
            "every substep"},
    {.name = "jacobian",
     .call = coordinate_jacobian,
     .signature = "() -> ...",
     .doc = "Jacobian of the value: for each body of joint:bodies(), its derivatives by x and y of the centre of mass "
            "and by the angle; six numbers for two bodies"},
    {.name = "curvature",
     .call = coordinate_curvature,
     .signature = "() -> number",
     .unit = "m/s^2 or rad/s^2",
     .doc = "second time derivative of the value if the velocities of the bodies were constant"},
    {.name = "set_limit",
     .call = coordinate_set_limit,
     .signature = "([lower, upper])",
     .unit = "m or rad",
     .doc = "keep the value in [lower, upper]; nil or math.huge: no limit at that end; without arguments the limit is "
            "removed. In a substep handler the change acts in that substep, like any change of a drive"},
    {.name = "set_motor",
     .call = coordinate_set_motor,
     .signature = "([{...}])",
     .options = &bind_motor_options,
     .doc = "drive the rate of change of the value; without arguments the motor is removed; in a substep handler the "
            "change acts in that substep"},
    {.name = "set_servo",
     .call = coordinate_set_servo,
     .signature = "([{...}])",
     .options = &bind_servo_options,
     .doc = "drive the value to a target; without arguments the servo is removed; in a substep handler the change acts "
            "in that substep"},
    {.name = "set_spring",
     .call = coordinate_set_spring,
     .signature = "([{...}])",
     .options = &bind_spring_options,
     .doc = "pull the value to `target`, with stiffness and damping, or with hertz and damping_ratio. If the "
            "coordinate has a spring already, the default of `target` is the target of that spring. Otherwise the "
            "default is the present value of a distance or sum, and 0 for every other coordinate. Without arguments "
            "the spring is removed; in a substep handler the change acts in that substep"},
    {.name = "set_force",
     .call = coordinate_set_force,
     .signature = "([force])",
     .unit = "N or N m",
     .doc = "apply a constant force in this and all later steps; without arguments the force is removed; in a substep "
            "handler the change acts in that substep"},
    {.name = "set_target",
     .call = coordinate_set_target,
     .signature = "(target)",
     .unit = "m or rad",
     .doc = "set the target of the servo, or, if the coordinate has no servo, the target of the spring"},
    {.name = "set_lock",
     .call = coordinate_set_lock,
     .signature = "([value])",
     .unit = "m or rad",
     .doc =
         "hold the coordinate at this value, by default its present value, against all forces. set_lock(false) unlocks "
         "the coordinate; setting a drive also unlocks it. Inside a step the call takes effect at the end of the step"},
    {.name = "release",
     .call = coordinate_release,
     .signature = "()",
     .doc = "remove all drives and the lock; armature, damping and friction stay. In a substep handler the drives end "
            "in that substep, the lock ends at the end of the step"},
    {.name = "drives",
     .call = coordinate_drives,
     .signature = "([table]) -> table",
     .doc = "drives of the coordinate, as a table of options for a joint's constructor: lock, limit, motor, servo, "
            "spring, force, armature, damping, friction"},
    {.name = "is_valid",
     .call = bind_is_valid,
     .signature = "() -> boolean",
     .doc = "false once its joint is destroyed"},
    {.name = NULL},
};


const Members bind_coordinate_members = {&bind_coordinate_class, coordinate_entries, coordinate_tostring, NULL};
