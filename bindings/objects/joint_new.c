// The constructors of joints, such as world:revolute, derived from the core's table of kinds.
#include <math.h>
#include <stddef.h>

#include "objects/body.h"
#include "objects/data.h"
#include "objects/drive.h"
#include "objects/joint.h"
#include "objects/object.h"

// All options of joints. A vector that is not given is NaN.
typedef struct JointOptions {
  ImpJointDef def;
  ImpVec2 anchor, anchor_a, anchor_b, local_anchor_a, local_anchor_b;
  ImpVec2 axis, local_axis, target;
  DriveOptions own;                             // drives given for the joint, not for a named coordinate
  SpringOptions soft;                           // spring of a joint without joint.value; acts on each coordinate
  DriveOptions coordinate[IMP_COORDINATE_TAPE]; // drives of each coordinate, by ImpCoordinateKind
} JointOptions;

// Bits of Field.needs: the kind of joint must have one of them.
// Bits 0 to 15 are the core's IMP_TAKES_ bits. The others follow from the kind's coordinates and anchors.
enum {
  NEEDS_COORDINATE = 1 << 16, // bit of the first ImpCoordinateKind; the bit of kind k is NEEDS_COORDINATE << k
  NEEDS_OWN = 1 << 24,        // joint.value measures one of the joint's coordinates
  NEEDS_NO_OWN = 1 << 25,
  NEEDS_LOCAL_A = 1 << 26, // the joint has an anchor on body a
  NEEDS_ANGLE_TARGET = 1 << 27,
  NEEDS_TORQUE_BOUND = 1 << 28,
};


static unsigned needs_met(const ImpJointKindInfo *kind) {
  unsigned bits = kind->options | (kind->own >= 0 ? NEEDS_OWN : NEEDS_NO_OWN);
  bool two = (kind->options & IMP_TAKES_ONE_BODY) == 0;
  if (two && kind->options & (IMP_TAKES_ANCHOR | IMP_TAKES_ANCHORS)) bits |= NEEDS_LOCAL_A;
  if (two && kind->options & IMP_TAKES_TARGET) bits |= NEEDS_ANGLE_TARGET;
  if (two && kind->options & IMP_TAKES_BOUNDS) bits |= NEEDS_TORQUE_BOUND;
  return bits;
}


// Return the key of a field. The key of a coordinate's drives is the coordinate's name.
static const char *takes(const Options *options, const Field *field) {
  const ImpJointKindInfo *kind = imp_joint_kind(options->joint - 1);
  for (int i = 0; field->renamed && i < 3 && kind->coordinates[i]; i++) {
    if (field->needs == (unsigned)NEEDS_COORDINATE << kind->kinds[i]) return kind->coordinates[i];
  }
  return field->needs == 0 || field->needs & needs_met(kind) ? field->name : NULL;
}


#define AT(member) .offset = offsetof(JointOptions, member)
#define POINT(key, what, text) \
  { .name = #key, .kind = FIELD_VEC2, AT(key), .unit = "m", .needs = what, .doc = text }
#define DRIVE(key, options, text) \
  { .name = #key, .kind = FIELD_TABLE, AT(own.key), .nested = &options, .needs = NEEDS_OWN, .doc = text }
#define COORDINATE(key, id, text) \
  { \
    .name = #key, .renamed = true, .kind = FIELD_TABLE, AT(coordinate[id]), .nested = &bind_drive_options, \
    .needs = NEEDS_COORDINATE << id, .doc = "drives of the coordinate " text \
  }
#define BOUND(key, member, what, of, text) \
  { .name = #key, .kind = FIELD_NUMBER, AT(member), .upper = HUGE_VAL, .unit = of, .needs = what, .doc = text }

#define MECHANICAL(key, of, text) \
  { \
    .name = #key, .kind = FIELD_NUMBER, AT(own.key), .upper = IMP_MAX_DRIVE, .unit = of, .needs = NEEDS_OWN, \
    .doc = text "; 0 by default" \
  }

static const Field joint_fields[] = {
    {.name = "joint1",
     .kind = FIELD_ANY,
     .required = true,
     .needs = IMP_TAKES_TERMS,
     .doc = "first coordinate: a coordinate, or a joint, which means the joint's own coordinate"},
    {.name = "joint2",
     .kind = FIELD_ANY,
     .required = true,
     .needs = IMP_TAKES_TERMS,
     .doc = "second coordinate: a coordinate, or a joint, which means the joint's own coordinate"},
    POINT(anchor, IMP_TAKES_ANCHOR, "anchor on both bodies, in world coordinates; b's position by default"),
    POINT(anchor_a, IMP_TAKES_ANCHORS, "anchor on a, in world coordinates; a's position by default"),
    POINT(anchor_b, IMP_TAKES_ANCHORS, "anchor on b, in world coordinates; b's position by default"),
    POINT(local_anchor_a, NEEDS_LOCAL_A, "the anchor on a, in a's frame"),
    POINT(local_anchor_b, IMP_TAKES_ANCHOR | IMP_TAKES_ANCHORS, "the anchor on b, in b's frame"),
    {.name = "axis",
     .kind = FIELD_VEC2,
     AT(axis),
     .needs = IMP_TAKES_AXIS,
     .doc = "direction of the coordinate x, in world coordinates at creation; { 1, 0 } by default. The axis turns with "
            "body a"},
    {.name = "local_axis",
     .kind = FIELD_VEC2,
     AT(local_axis),
     .needs = IMP_TAKES_AXIS,
     .doc = "direction of the coordinate x, in a's frame"},
    {.name = "reference_angle",
     .kind = FIELD_NUMBER,
     AT(def.reference_angle),
     .lower = -2 * IMP_MAX_ANGLE,
     .upper = 2 * IMP_MAX_ANGLE,
     .unit = "rad",
     .needs = IMP_TAKES_REFERENCE,
     .doc = "angle of b relative to a at which the coordinate `angle` is 0; by default the angle at creation"},
    {.name = "length",
     .kind = FIELD_NUMBER,
     AT(def.length),
     .upper = IMP_MAX_DRIVE,
     .unit = "m",
     .needs = IMP_TAKES_LENGTH,
     .doc = "length; of a rope, the largest length; by default the distance between the anchors at creation"},
    {.name = "ratio",
     .kind = FIELD_NUMBER,
     AT(def.ratio),
     .lower = -IMP_MAX_RATIO,
     .upper = IMP_MAX_RATIO,
     .needs = IMP_TAKES_RATIO,
     .unit = "1",
     .doc = "factor of the second coordinate in the sum q1 + ratio q2 that the joint keeps constant; for a pulley q1 "
            "and q2 are the lengths of the rope to a and to b; 1 by default"},
    {.name = "ground_a",
     .kind = FIELD_VEC2,
     AT(def.ground_a),
     .unit = "m",
     .required = true,
     .needs = IMP_TAKES_GROUNDS,
     .doc = "world point of the pulley from which the rope runs to a's anchor"},
    {.name = "ground_b",
     .kind = FIELD_VEC2,
     AT(def.ground_b),
     .unit = "m",
     .required = true,
     .needs = IMP_TAKES_GROUNDS,
     .doc = "world point of the pulley from which the rope runs to b's anchor"},
    POINT(target, IMP_TAKES_TARGET,
          "target position of b's anchor: in a's frame for a pose joint, in world coordinates for a drag joint; by "
          "default the anchor's position at creation"),
    {.name = "target_angle",
     .kind = FIELD_NUMBER,
     AT(def.target_angle),
     .lower = -2 * IMP_MAX_ANGLE,
     .upper = 2 * IMP_MAX_ANGLE,
     .unit = "rad",
     .needs = NEEDS_ANGLE_TARGET,
     .doc = "target of the coordinate `angle`; by default the angle at creation"},
    {.name = "pitch",
     .kind = FIELD_NUMBER,
     AT(def.pitch),
     .upper = IMP_MAX_RATIO,
     .unit = "rad",
     .needs = IMP_TAKES_PITCH,
     .doc = "angle between teeth: the ratchet holds the joint at the multiples of this angle. If it is 0, the default, "
            "the ratchet holds the joint at every angle"},
    {.name = "direction",
     .kind = FIELD_INTEGER,
     AT(def.direction),
     .lower = -1,
     .upper = 1,
     .needs = IMP_TAKES_PITCH,
     .unit = "1",
     .doc = "direction in which the ratchet can turn. 1, the default: the angle can only increase; -1: it can only "
            "decrease"},
    BOUND(max_force, def.max_force, IMP_TAKES_BOUNDS, "N",
          "largest force along x and along y. Default: infinite; for a drag joint, 100 times the weight of the body"),
    BOUND(max_torque, def.max_torque, NEEDS_TORQUE_BOUND, "N m",
          "largest torque about the anchor; infinite by default"),
    {.name = "hertz",
     .kind = FIELD_NUMBER,
     AT(def.hertz),
     .lower = 1 / IMP_MAX_RATIO,
     .upper = IMP_MAX_RATIO,
     .unit = "Hz",
     .needs = IMP_TAKES_ONE_BODY,
     .doc = "natural frequency of the spring that pulls the body; 5 by default"},
    {.name = "damping_ratio",
     .kind = FIELD_NUMBER,
     AT(def.damping_ratio),
     .upper = IMP_MAX_RATIO,
     .unit = "1",
     .needs = IMP_TAKES_ONE_BODY,
     .doc = "damping ratio of the spring that pulls the body; 1 (critical) by default"},
    DRIVE(limit, bind_limit_options, "{ lower, upper }: range of the joint's own coordinate"),
    DRIVE(motor, bind_motor_options,
          "drives the rate of the joint's own coordinate (of a wheel joint: the rate of the coordinate `angle`)"),
    DRIVE(servo, bind_servo_options, "drives the joint's own coordinate to a value"),
    DRIVE(spring, bind_spring_options, "pulls the joint's own coordinate to a value"),
    {.name = "spring",
     .kind = FIELD_TABLE,
     AT(soft),
     .nested = &bind_soft_options,
     .needs = NEEDS_NO_OWN,
     .doc = "holds all coordinates of the joint by springs instead of rigidly"},
    {.name = "force",
     .kind = FIELD_NUMBER,
     AT(own.force),
     .unit = "N or N m",
     .needs = NEEDS_OWN,
     .doc = "constant force on the joint's own coordinate"},
    MECHANICAL(armature, "kg or kg m^2",
               "reflected inertia of a rotor that turns with the joint's own coordinate (in a wheel joint: with the "
               "coordinate `angle`)"),
    MECHANICAL(damping, "N s/m or N m s/rad",
               "viscous damping of the joint's own coordinate (of a wheel joint: of the coordinate `angle`)"),
    MECHANICAL(friction, "N or N m",
               "dry friction of the joint's own coordinate (of a wheel joint: of the coordinate `angle`): largest "
               "force that resists motion"),
    COORDINATE(x, IMP_COORDINATE_X, "x: position of b's anchor relative to a's along the axis"),
    COORDINATE(y, IMP_COORDINATE_Y, "y: position of b's anchor relative to a's across the axis"),
    COORDINATE(angle, IMP_COORDINATE_ANGLE, "angle: rotation of b relative to a"),
    COORDINATE(distance, IMP_COORDINATE_DISTANCE, "distance: distance between the anchors"),
    COORDINATE(sum, IMP_COORDINATE_PULLEY, "sum: weighted sum of the two coordinates that the joint couples"),
    COORDINATE(sum, IMP_COORDINATE_SUM, "sum: weighted sum of the two coordinates that the joint couples"),
    BOUND(break_force, def.break_force, 0, "N",
          "the joint breaks if its reaction force is larger than this; never by default"),
    BOUND(break_torque, def.break_torque, 0, "N m",
          "the joint breaks if its reaction torque is larger than this; never by default"),
    {.name = "break_if",
     .kind = FIELD_ANY,
     .doc = "function(joint) -> boolean, called after every step, before the event handlers: true breaks the joint"},
    {.name = "collide",
     .kind = FIELD_BOOLEAN,
     AT(def.collide),
     .doc = "whether the two bodies collide; false by default"},
    {.name = "broken",
     .kind = FIELD_BOOLEAN,
     AT(def.broken),
     .doc = "create the joint broken: it does not act, and no event reports it; false by default"},
    {.name = "name", .kind = FIELD_STRING, AT(def.name), .doc = "name of the joint for world:find and messages"},
    {.name = "data", .kind = FIELD_ANY, .doc = "any Lua value"},
    {.name = NULL},
};

// Options of each joint kind, filled by bind_joint_entry.
static Options options_of[IMP_JOINT_CONSTRAINT];


Entry bind_joint_entry(int kind) {
  const ImpJointKindInfo *info = imp_joint_kind(kind);
  options_of[kind] = (Options){.fields = joint_fields, .scope = "joint", .takes = takes, .joint = kind + 1};
  return (Entry){.name = info->name,
                 .call = bind_world_joint,
                 .signature = info->options & IMP_TAKES_TERMS      ? "{...} -> joint"
                              : info->options & IMP_TAKES_ONE_BODY ? "(body, {...}) -> joint"
                                                                   : "(a, b, {...}) -> joint",
                 .options = &options_of[kind]};
}


// ---------------------------------------------------------------------------------------------------------------------
// Arguments
// ---------------------------------------------------------------------------------------------------------------------

// Return the coordinate in a gear's field `key`. A joint in this field stands for the joint's own coordinate.
static ImpCoordinate term(lua_State *L, int table, const char *call, const char *key) {
  const WorldBox *box = lua_touserdata(L, 1);
  lua_pushstring(L, key);
  lua_rawget(L, table);
  int index = lua_gettop(L);
  const Handle *joint = luaL_testudata(L, index, bind_joint_class.registry);
  const CoordinateObject *coordinate = luaL_testudata(L, index, bind_coordinate_class.registry);
  const Handle *handle = joint ? joint : coordinate ? &coordinate->handle : NULL;
  if (!handle) {
    bind_error(L, "%s: field '%s' must be a joint or a coordinate, got %s", call, key, bind_got(L, index));
  }
  if (handle->box != box) bind_error(L, "%s: field '%s' is of another world", call, key);
  ImpJoint id = {handle->id};
  ImpJointKind kind;
  if (imp_joint_kind_of(box->world, id, &kind) != IMP_OK) {
    if (coordinate) lua_getiuservalue(L, index, UV_JOINT);
    bind_dead(L, lua_gettop(L), "joint");
  }
  const ImpJointKindInfo *info = imp_joint_kind((int)kind);
  if (joint && info->own < 0) {
    bind_error(
        L, "%s: field '%s': a %s has no coordinate of its own (give one of its coordinates: joint:coordinate('%s'))",
        call, key, info->name, info->coordinates[0]);
  }
  lua_settop(L, index - 1);
  return (ImpCoordinate){id, joint ? info->own : coordinate->index};
}


static bool is_given(ImpVec2 v) { return !isnan(v.x); }


// Set a vector and its frame from the given option: `world_key` (in world coordinates) or `local_key` (in the body's
// frame). Raise if both are given; change nothing if neither is given.
static void place(lua_State *L, const char *call, const ImpVec2 *at_world, const char *world_key,
                  const ImpVec2 *at_local, const char *local_key, ImpPlace *out_place, ImpVec2 *out_vector) {
  if (is_given(*at_world) && is_given(*at_local)) {
    bind_error(L, "%s takes '%s' (in the world) or '%s' (in the body's frame), not both", call, world_key, local_key);
  }
  if (!is_given(*at_world) && !is_given(*at_local)) return;
  *out_place = is_given(*at_world) ? IMP_PLACE_WORLD : IMP_PLACE_LOCAL;
  *out_vector = is_given(*at_world) ? *at_world : *at_local;
}


static void read_places(lua_State *L, const char *call, unsigned options, JointOptions *o) {
  ImpJointDef *def = &o->def;
  if (options & IMP_TAKES_ANCHOR) {
    if (is_given(o->anchor) && is_given(o->local_anchor_a)) {
      bind_error(L, "%s takes 'anchor' (in the world) or 'local_anchor_a' (in the body's frame), not both", call);
    }
    place(L, call, &o->anchor, "anchor", &o->local_anchor_b, "local_anchor_b", &def->place_b, &def->anchor_b);
    place(L, call, &o->anchor_a, "anchor_a", &o->local_anchor_a, "local_anchor_a", &def->place_a, &def->anchor_a);
  } else {
    place(L, call, &o->anchor_a, "anchor_a", &o->local_anchor_a, "local_anchor_a", &def->place_a, &def->anchor_a);
    place(L, call, &o->anchor_b, "anchor_b", &o->local_anchor_b, "local_anchor_b", &def->place_b, &def->anchor_b);
  }
  place(L, call, &o->axis, "axis", &o->local_axis, "local_axis", &def->place_axis, &def->axis);
  def->has_target = is_given(o->target);
  if (def->has_target) def->target = o->target;
}


// ---------------------------------------------------------------------------------------------------------------------
// Drives
// ---------------------------------------------------------------------------------------------------------------------

static DriveOptions *coordinate_options(JointOptions *o, const ImpJointKindInfo *kind, int index) {
  return &o->coordinate[kind->kinds[index]];
}


// Raise if drives are given for a joint without joint.value.
static void refuse_own_drives(lua_State *L, int table, const char *call, const ImpJointKindInfo *kind) {
  static const char *const keys[] = {"limit", "motor", "servo", "force"};
  for (size_t i = 0; kind->own < 0 && i < sizeof keys / sizeof *keys; i++) {
    lua_pushstring(L, keys[i]);
    if (lua_rawget(L, table) != LUA_TNIL) {
      bind_error(L,
                 "%s: field '%s': a %s has no coordinate of its own (write x = { %s = ... }, y = ... or angle = ...)",
                 call, keys[i], kind->name, keys[i]);
    }
    lua_pop(L, 1);
  }
}


// Return `own`: whether a drive is given under the joint's own key. Raise if it is also given for its coordinate
// (`named`).
static bool given_once(lua_State *L, const char *call, const char *key, bool own, bool named, const char *name) {
  if (own && named) {
    bind_error(L, "%s: field '%s' is given twice: as an option of the joint and inside option '%s'", call, key, name);
  }
  return own;
}


// Move the drives that are options of the joint itself (limit, motor, spring, ...) to the coordinates they act on.
static void distribute(lua_State *L, const char *call, const ImpJointKindInfo *kind, JointOptions *o) {
  if (kind->own < 0) {
    for (int i = 0; o->soft.given && i < 3 && kind->coordinates[i]; i++) {
      DriveOptions *to = coordinate_options(o, kind, i);
      if (given_once(L, call, "spring", true, to->spring.given, kind->coordinates[i])) to->spring = o->soft;
    }
    return;
  }
  const DriveOptions *own = &o->own;
  const char *name = kind->coordinates[kind->own];
  const char *motor_name = kind->coordinates[kind->motor], *spring_name = kind->coordinates[kind->spring];
  DriveOptions *to = coordinate_options(o, kind, kind->own);
  DriveOptions *motor = coordinate_options(o, kind, kind->motor), *spring = coordinate_options(o, kind, kind->spring);
  if (given_once(L, call, "limit", own->limit.given, to->limit.given, name)) to->limit = own->limit;
  if (given_once(L, call, "servo", own->servo.given, to->servo.given, name)) to->servo = own->servo;
  if (given_once(L, call, "force", !isnan(own->force), !isnan(to->force), name)) to->force = own->force;
  const struct {
    const char *key;
    double own;
    double *to;
  } numbers[] = {{"armature", own->armature, &motor->armature},
                 {"damping", own->damping, &motor->damping},
                 {"friction", own->friction, &motor->friction}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (given_once(L, call, numbers[i].key, !isnan(numbers[i].own), !isnan(*numbers[i].to), motor_name)) {
      *numbers[i].to = numbers[i].own;
    }
  }
  if (given_once(L, call, "motor", own->motor.given, motor->motor.given, motor_name)) motor->motor = own->motor;
  if (given_once(L, call, "spring", own->spring.given, spring->spring.given, spring_name)) spring->spring = own->spring;
}


// Return the default target of a spring. Lengths and sums: NaN, which stands for the value at creation; other
// coordinates: the joint's option target or target_angle; 0 if the kind of joint has no such option.
static double rest_of(const ImpJointKindInfo *kind, const JointOptions *o, int index) {
  ImpCoordinateKind measures = kind->kinds[index];
  if (measures >= IMP_COORDINATE_DISTANCE) return (double)NAN;
  if (!(kind->options & IMP_TAKES_TARGET)) return 0;
  return measures == IMP_COORDINATE_ANGLE ? o->def.target_angle
         : measures == IMP_COORDINATE_X   ? o->target.x
                                          : o->target.y;
}


static void read_drives(lua_State *L, const char *call, const ImpJointKindInfo *kind, JointOptions *o) {
  bind_check_drive(L, call, &o->own);
  bind_check_spring(L, lua_pushfstring(L, "%s: spring", call), &o->soft);
  for (int i = 0; i < 3 && kind->coordinates[i]; i++) {
    const char *name = kind->coordinates[i];
    bind_check_drive(L, lua_pushfstring(L, "%s: %s", call, name), coordinate_options(o, kind, i));
  }
  distribute(L, call, kind, o);
  for (int i = 0; i < 3 && kind->coordinates[i]; i++) {
    bind_add_drive(&o->def.drive[i], coordinate_options(o, kind, i), rest_of(kind, o, i));
    if (coordinate_options(o, kind, i)->free) o->def.free |= 1u << i;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Creation
// ---------------------------------------------------------------------------------------------------------------------

void bind_check_break_if(lua_State *L, int table) {
  lua_pushliteral(L, "break_if");
  if (lua_rawget(L, table) != LUA_TNIL && !lua_isfunction(L, -1)) {
    bind_error(L, "%s: field 'break_if' must be a function, got %s", bind_caller(L), bind_got(L, -1));
  }
  lua_pop(L, 1);
}


int bind_finish_joint(lua_State *L, int table, ImpJoint joint) {
  WorldBox *box = lua_touserdata(L, 1);
  bind_push_joint(L, 1, joint);
  bind_keep_option(L, table, "data", SLOT_JOINT_DATA, joint.id);
  lua_pushliteral(L, "break_if");
  if (lua_rawget(L, table) != LUA_TNIL) {
    bind_world_table(L, 1, SLOT_PREDICATES);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 2 * box->predicates + 2);
    lua_pushinteger(L, bind_key(joint.id));
    lua_rawseti(L, -2, 2 * box->predicates + 1);
    box->predicates++;
  }
  lua_pop(L, 1);
  return 1;
}


static JointOptions no_options(ImpJointDef def) {
  ImpVec2 none = {(double)NAN, (double)NAN};
  JointOptions o = {.def = def,
                    .anchor = none,
                    .anchor_a = none,
                    .anchor_b = none,
                    .local_anchor_a = none,
                    .local_anchor_b = none,
                    .axis = none,
                    .local_axis = none,
                    .target = none,
                    .own = bind_drive_none(),
                    .soft = bind_drive_none().spring};
  for (int k = 0; k < IMP_COORDINATE_TAPE; k++) o.coordinate[k] = bind_drive_none();
  return o;
}


// world:revolute(a, b, {...}) -> joint, world:drag(body, {...}), world:gear {...}: the running method determines the
// kind
int bind_world_joint(lua_State *L) {
  const Options *options = bind_entry(L)->options;
  WorldBox *box = bind_check_world(L);
  ImpJointKind kind = (ImpJointKind)(options->joint - 1);
  const ImpJointKindInfo *info = imp_joint_kind((int)kind);
  ImpBody a = {0}, b = {0};
  int table = 2;
  if (info->options & IMP_TAKES_ONE_BODY) {
    b.id = bind_argument(L, table++, &bind_body_class, "body");
  } else if (!(info->options & IMP_TAKES_TERMS)) {
    a.id = bind_argument(L, table++, &bind_body_class, "body 'a'");
    b.id = bind_argument(L, table++, &bind_body_class, "body 'b'");
  }
  lua_settop(L, table);
  const char *call = bind_caller(L);
  if (table == 2 && luaL_testudata(L, 2, bind_body_class.registry)) {
    return bind_error(L, "%s couples two coordinates and takes no bodies: %s { joint1 = ..., joint2 = ... }", call,
                      call);
  }
  JointOptions o = no_options(imp_joint_def(kind, a, b));
  if (lua_istable(L, table)) refuse_own_drives(L, table, call, info);
  bind_options(L, table, call, options, &o);
  bind_check_break_if(L, table);
  read_places(L, call, info->options, &o);
  read_drives(L, call, info, &o);
  if (info->options & IMP_TAKES_TERMS) {
    o.def.term[0] = term(L, table, call, "joint1");
    o.def.term[1] = term(L, table, call, "joint2");
  }
  ImpJoint joint;
  bind_status(L, imp_joint_create(box->world, &o.def, &joint));
  return bind_finish_joint(L, table, joint);
}


// ---------------------------------------------------------------------------------------------------------------------
// Reading back
// ---------------------------------------------------------------------------------------------------------------------

// Return whether `drive` is the default drive of this coordinate in a new joint of this kind. If the kind has the
// option `length`, set *out_length to the length for which `drive` is the default.
static bool is_of_kind(const ImpJointKindInfo *kind, const ImpDrive *drive, int index, double *out_length) {
  if (drive->armature > 0 || drive->viscous_damping > 0 || drive->dry_friction > 0) return false;
  bool measured = kind->options & IMP_TAKES_LENGTH, sum = kind->kinds[index] >= IMP_COORDINATE_PULLEY;
  if (kind->locked >> index & 1u && drive->on == 1u << IMP_DRIVE_LOCK) {
    if (measured) *out_length = drive->lock;
    // A new pulley, gear or rack is locked at its present sum, so its options must contain the lock, even at 0.
    return measured ? drive->lock >= 0 : drive->lock == 0 && !sum;
  }
  bool rope = !kind->locked && measured && drive->on == 1u << IMP_DRIVE_LIMIT && drive->lower == -HUGE_VAL &&
              drive->upper >= 0 && drive->limit_max == HUGE_VAL;
  if (rope) *out_length = drive->upper;
  return rope;
}


// Inverse of `distribute`: move the drives of coordinates to the options of the joint itself (limit, motor, ...).
static void gather(const ImpJointKindInfo *kind, JointOptions *o) {
  if (kind->own < 0) return;
  const DriveOptions none = bind_drive_none();
  DriveOptions *own = coordinate_options(o, kind, kind->own), *motor = coordinate_options(o, kind, kind->motor);
  DriveOptions *spring = coordinate_options(o, kind, kind->spring);
  o->own.limit = own->limit;
  o->own.servo = own->servo;
  o->own.force = own->force;
  o->own.motor = motor->motor;
  o->own.armature = motor->armature;
  o->own.damping = motor->damping;
  o->own.friction = motor->friction;
  o->own.spring = spring->spring;
  own->limit = none.limit;
  own->servo = none.servo;
  own->force = none.force;
  motor->motor = none.motor;
  motor->armature = motor->damping = motor->friction = none.armature;
  spring->spring = none.spring;
}


static void give_drives(const ImpJointKindInfo *kind, JointOptions *o) {
  for (int i = 0; i < 3 && kind->coordinates[i]; i++) {
    DriveOptions *to = coordinate_options(o, kind, i);
    double length = o->def.length;
    if (is_of_kind(kind, &o->def.drive[i], i, &length)) {
      o->def.length = length;
      continue;
    }
    *to = bind_drive_given(&o->def.drive[i]);
    to->free = o->def.free >> i & 1u;
  }
  gather(kind, o);
  for (int i = 0; i < 3 && kind->coordinates[i]; i++) {
    DriveOptions *to = coordinate_options(o, kind, i);
    to->given = to->limit.given || to->motor.given || to->servo.given || to->spring.given || !isnan(to->force) ||
                !isnan(to->lock) || !isnan(to->armature) || !isnan(to->damping) || !isnan(to->friction) || to->free;
  }
}


// Set the local anchors and the local axis, in the frames of the bodies.
static void give_places(JointOptions *o) {
  o->local_anchor_a = o->def.anchor_a;
  o->local_anchor_b = o->def.anchor_b;
  o->local_axis = o->def.axis;
}


// Set table[key] to the coordinate, or to its joint if joint.value measures it.
static void set_term(lua_State *L, int table, const char *key, ImpCoordinate term) {
  const WorldBox *box = ((const Handle *)lua_touserdata(L, 1))->box;
  ImpJointKind kind = IMP_JOINT_REVOLUTE;
  imp_joint_kind_of(box->world, term.joint, &kind);
  bind_push_joint(L, 1, term.joint);
  if (imp_joint_kind((int)kind)->own != term.index) bind_push_coordinate(L, lua_gettop(L), term.index);
  lua_setfield(L, table, key);
  lua_settop(L, table);
}


bool bind_push_predicate(lua_State *L, int owner, int place, ImpJoint *out_joint) {
  const WorldBox *box = ((const Handle *)lua_touserdata(L, owner))->box;
  if (place >= box->predicates) return false;
  bind_world_table(L, owner, SLOT_PREDICATES);
  lua_rawgeti(L, -1, 2 * place + 1);
  *out_joint = (ImpJoint){imp_world_handle(box->world, (uint64_t)lua_tointeger(L, -1))};
  lua_rawgeti(L, -2, 2 * place + 2);
  lua_replace(L, -3);
  lua_pop(L, 1);
  return true;
}


// Set table.break_if to the joint's break_if function, if any.
static void set_break_if(lua_State *L, int table, const Handle *self) {
  ImpJoint joint;
  for (int place = 0; bind_push_predicate(L, 1, place, &joint); place++) {
    if (joint.id == self->id) lua_setfield(L, table, "break_if");
    lua_settop(L, table);
  }
}


// joint:options() -> table
int bind_joint_definition(lua_State *L) {
  Handle *self = bind_check(L, &bind_joint_class);
  ImpJointDef def;
  bind_status(L, imp_joint_definition(self->box->world, (ImpJoint){self->id}, &def));
  const ImpJointKindInfo *kind = imp_joint_kind((int)def.kind);
  JointOptions o = no_options(def), none = no_options(imp_joint_def(def.kind, (ImpBody){0}, (ImpBody){0}));
  give_places(&o);
  give_drives(kind, &o);
  bind_push_options(L, &options_of[def.kind], &o, &none);
  int table = lua_gettop(L);
  if (kind->options & IMP_TAKES_TERMS) {
    set_term(L, table, "joint1", def.term[0]);
    set_term(L, table, "joint2", def.term[1]);
  }
  set_break_if(L, table, self);
  bind_get_data(L, self, SLOT_JOINT_DATA);
  lua_setfield(L, table, "data");
  lua_settop(L, table);
  return 1;
}
