// What the files of the Lua module share. Level: above impel.h and lua.h, nothing else of the core; world_box.h is
// what a world is here.
//
// The parts, lowest first:
//   names    did-you-mean, and foreign: the names other engines use
//   check    errors at the caller's line, checked arguments
//   class    registration tables, property and method dispatch, impel.core.api()
//   options  strict option tables
//   drive    the option tables of drives
//   object   what a world keeps on the Lua side, handles, iterators
//   trace    values, views and functions that record what a constraint's function does (trace.h)
//   body shape contact joint coordinate field row event handlers world module   one registration table each
//   inspect  what is asked of a whole world;  snapshot  saving it and going back
//
// Every object is a full userdata that begins with a Handle. A handle's first user value is the `shelf` of its world:
// one Lua table with everything that belongs to the world (the SHELF_ slots below), so a handle keeps its world alive
// and the world's userdata is the only owner of C memory.
#ifndef IMPEL_BINDINGS_H
#define IMPEL_BINDINGS_H

#include <lauxlib.h>
#include <lua.h>
#include <math.h>

#include "base/world_box.h"

/// A body, shape, joint or field.
typedef struct Object {
  Handle handle;
  uint64_t number; ///< of its creation, its property `id`; 0 when it was dead already
} Object;

/// User values of a handle. The third is there for joints: { coordinate, ... }, those that were asked for by number; and
/// for coordinates: their joint. So the two live as long as either is held.
enum { UV_SHELF = 1, UV_NAME = 2, UV_COORDINATES = 3, UV_JOINT = 3 };

/// A gear may couple two constraints.
enum { BIND_MAX_JOINT_BODIES = 2 * IMP_MAX_CONSTRAINT_BODIES };

/// A coordinate: handle.id is its joint's.
typedef struct CoordinateObject {
  Handle handle;
  int index; ///< from 0
} CoordinateObject;


// ---------------------------------------------------------------------------------------------------------------------
// names
// ---------------------------------------------------------------------------------------------------------------------

/// The nearest of several names to a misspelt word. Start with { .word = ... }, offer each name, read `best`.
typedef struct Nearest {
  const char *word;
  const char *best; ///< null when nothing is near enough
  int distance;
} Nearest;

void bind_offer(Nearest *nearest, const char *name);
/// What we call a thing that other engines call `name` ("body:apply_force(fx, fy)"), or null.
const char *bind_foreign(const char *class_name, const char *name);
/// The same for a key of an option table ("velocity = { vx, vy }"); `scope` is "world", "body", "shape", "circle", ...
const char *bind_foreign_option(const char *scope, const char *name);
/// impel.core.foreign_names() -> { { kind = "member" or "option", scope, name, ours }, ... }, for specs
int bind_foreign_names(lua_State *L);
/// camelCase and PascalCase to snake_case; cut to `size`.
void bind_snake(const char *name, char *out, size_t size);


// ---------------------------------------------------------------------------------------------------------------------
// check
// ---------------------------------------------------------------------------------------------------------------------

/// The nearest Lua function from a level of the stack on that is none of impel's own, or where there is none (or none
/// within the step that runs) the nearest one: its source and line. False where no Lua runs.
bool bind_find_caller(lua_State *L, int level, lua_Debug *found);
/// Push "file:line: " of whoever called, or "".
void bind_push_position(lua_State *L);
/// impel.core.set_home(prefix): sources that begin so are impel's own; errors are told at the lines of who calls them.
int bind_set_home(lua_State *L);
/// The function in which handlers run: nobody called them. Once a state.
void bind_set_step(lua_State *L, lua_CFunction step);
/// Raise "file:line: message".
int bind_error(lua_State *L, const char *format, ...);
/// Push "file:line: " of where the function at a stack index begins; of a C function the caller's.
void bind_push_definition(lua_State *L, int function);
/// Raise "file:line: message" with the place where the function at a stack index begins: a step called it
/// and it returned what it must not.
int bind_function_error(lua_State *L, int function, const char *format, ...);
/// Push what was given, for a message: "nan", "'abc' (string)", "nil", "a table", "a body".
const char *bind_got(lua_State *L, int index);
/// Push what a number should have been: "a finite number in [0, 1] [m]".
const char *bind_expected(lua_State *L, bool integer, double lower, double upper, const char *unit);
/// Raise for an argument that is no finite number.
double bind_bad_number(lua_State *L, int index, const char *name, const char *unit);
/// Raise: an iterator function was called by something else than a loop.
int bind_no_loop(lua_State *L);


// ---------------------------------------------------------------------------------------------------------------------
// class
// ---------------------------------------------------------------------------------------------------------------------

typedef const ImpPropertyInfo *(*PropertyTable)(int property);

typedef enum FieldKind {
  FIELD_NUMBER,  ///< double
  FIELD_INTEGER, ///< int32_t
  FIELD_BITS,    ///< uint64_t, see bind_bits
  FIELD_BOOLEAN, ///< bool
  FIELD_STRING,  ///< const char *, lives as long as the option table is on the stack
  FIELD_CHOICE,  ///< int, the index of a name
  FIELD_VEC2,    ///< ImpVec2 from { x, y }
  FIELD_POINTS,  ///< Points from { { x, y }, ... }
  FIELD_TABLE,   ///< an option table: a struct that begins with `bool given`
  FIELD_ANY      ///< not stored: the caller fetches it
} FieldKind;

typedef struct Options Options;

typedef struct Points {
  const ImpVec2 *at;
  int count;
} Points;

/// One key of an option table and where its value goes.
typedef struct Field {
  const char *name;
  FieldKind kind;
  size_t offset;
  PropertyTable table; ///< range and unit come from table(property) when not null
  int property;
  double lower, upper; ///< else from here, inclusive, also infinity; 0, 0: any finite number
  const char *unit;
  const char *doc;            ///< in the place of what `table` says
  const char *(*choice)(int); ///< the names of a FIELD_CHOICE, null after the last
  int position;               ///< t[position] is taken too, when > 0
  bool required;
  const Options *nested; ///< of a FIELD_TABLE
  const char *type;      ///< of a FIELD_ANY in the reference, "any" by default
  unsigned needs;        ///< what Options.takes looks at
} Field;

/// The keys that a constructor takes: its fields, and the writable ones of `properties`.
struct Options {
  const Field *fields; ///< ends with a null name
  PropertyTable properties;
  const char *scope;                                         ///< of foreign names; null: from the call, or "shape"
  bool (*takes)(const Options *options, const Field *field); ///< null: all fields
  int joint;                                                 ///< ImpJointKind + 1 of a joint's constructor, else 0
  int field;                                                 ///< ImpFieldKind + 1 of a field's constructor, else 0
};

/// One property or method of a class.
typedef struct Entry {
  const char *name;
  lua_CFunction call;                    ///< a method
  int (*get)(lua_State *L, void *self);  ///< a property made here: pushes one value
  void (*set)(lua_State *L, void *self); ///< reads the new value from stack index 3
  const char *type;                      ///< of a property: "number", "string", "body", ...
  const char *signature;                 ///< of a method: "(x, y) -> nx, ny"
  const char *unit;
  const char *doc;
  const Options *options;
  const Options *const *takes; ///< of a method: the tables that other parameters of it are, a null after the last
  unsigned only;               ///< events: bits of the kinds that have this field; 0 means all
  PropertyTable table;         ///< a property made here: its range is table(property)'s, when not null
  int property;
} Entry;

/// What an object is: how messages call it, where the core keeps its properties and whether it can be used.
typedef struct Class {
  const char *name;
  const char *registry;     ///< key of the metatable
  PropertyTable properties; ///< of the core, or null
  ImpStatus (*get)(const ImpWorld *world, uint64_t id, int property, double *out_value);
  ImpStatus (*set)(ImpWorld *world, uint64_t id, int property, double value);
  bool (*is_valid)(const void *self);
  void (*require)(lua_State *L, void *self, const Entry *entry); ///< see bind_require; null: raises unless it is valid
  int values;                                                    ///< user values of an object, 0 stands for 2
} Class;

/// What objects of a class can.
typedef struct Members {
  const Class *class;
  const Entry *entries; ///< ends with a null name
  lua_CFunction tostring;
  lua_CFunction close; ///< __gc and __close, or null
} Members;

extern const Class bind_world_class, bind_body_class, bind_shape_class, bind_contact_class, bind_joint_class,
    bind_coordinate_class, bind_field_class, bind_mover_class;
extern const Members bind_world_members, bind_body_members, bind_shape_members, bind_contact_members,
    bind_joint_members, bind_coordinate_members, bind_row_members, bind_event_members, bind_handler_members,
    bind_field_members, bind_mover_members, bind_qp_members;

/// Make the metatable of a class, once a state.
void bind_register(lua_State *L, const Members *members);
/// Push classes, a null after the last, with their entries and properties as plain tables, and functions as "impel".
///   { world = { { name, kind, type, unit, doc, writable, lower, upper, signature, options, coordinates } ... }, ... }
void bind_push_api(lua_State *L, const Members *const *classes, const Entry *functions);
/// What a method has for upvalues: a closure with the same runs under its name.
enum { BIND_METHOD_UPVALUES = 3 };
/// "body:set_position", of the method that runs.
const char *bind_caller(lua_State *L);
/// The table's line of the method that runs.
const Entry *bind_entry(lua_State *L);
int bind_bad_self(lua_State *L);
/// Raise the core's last error about a call or property, naming the object at index 1: "body:apply_force on 'ground':
/// a static body feels no force". Without a class there is no object.
int bind_refused(lua_State *L, const Class *class, const char *where);
/// Raise for an error of the core in the running method; does nothing on IMP_OK.
void bind_status(lua_State *L, ImpStatus status);
/// object:is_valid(), of every class.
int bind_is_valid(lua_State *L);
/// Raise "attempt to use destroyed body 'crate'" for the object at the index.
int bind_dead(lua_State *L, int index, const char *class_name);


/// The receiver of a method, its class checked: upvalue 1 is the address of the class's metatable, which only C can
/// give to a userdata. Leaves the metatable on the stack, which spares getters without arguments a pop.
static inline void *bind_self_raw(lua_State *L) {
  if (!lua_getmetatable(L, 1) || lua_topointer(L, -1) != lua_touserdata(L, lua_upvalueindex(1))) bind_bad_self(L);
  return lua_touserdata(L, 1);
}

static inline void *bind_self(lua_State *L) {
  void *self = bind_self_raw(L);
  lua_pop(L, 1);
  return self;
}

/// Raise unless the object of a class, which is at index 1, can be used; `entry`: for that property, or null.
static inline void bind_require(lua_State *L, const Class *class, void *self, const Entry *entry) {
  if (class->require) {
    class->require(L, self, entry);
  } else if (!class->is_valid(self)) {
    bind_dead(L, 1, class->name);
  }
}

/// The receiver of a method of the class, which can be used.
static inline void *bind_check(lua_State *L, const Class *class) {
  void *self = bind_self(L);
  bind_require(L, class, self, NULL);
  return self;
}

/// What Lua has of a handle: its key, which a number of any Lua holds exactly.
static inline lua_Integer bind_key(uint64_t id) { return (lua_Integer)IMP_KEY(id); }

/// The handle of the key at an index, in the world of the object at another one.
static inline uint64_t bind_handle(lua_State *L, int owner, int index) {
  return imp_world_handle(((const Handle *)lua_touserdata(L, owner))->box->world, (uint64_t)lua_tointeger(L, index));
}

/// A finite argument of the running method; raises with the method, the argument's name and its unit.
static inline double bind_number(lua_State *L, int index, const char *name, const char *unit) {
  if (lua_type(L, index) != LUA_TNUMBER) return bind_bad_number(L, index, name, unit);
  double value = lua_tonumber(L, index);
  return isfinite(value) ? value : bind_bad_number(L, index, name, unit);
}

static inline ImpVec2 bind_vec2(lua_State *L, int index, const char *unit) {
  double x = bind_number(L, index, "x", unit);
  double y = bind_number(L, index + 1, "y", unit);
  return (ImpVec2){x, y};
}


// ---------------------------------------------------------------------------------------------------------------------
// options
// ---------------------------------------------------------------------------------------------------------------------

/// Read the option table at the index into `out`; raises for unknown keys and bad values, prefixed by `call`. Pushes
/// one scratch value for each FIELD_POINTS.
void bind_options(lua_State *L, int index, const char *call, const Options *options, void *out);
/// Push the option table that bind_options would read as `values`, without what is as in `defaults`. Keys that are
/// FIELD_ANY, and `properties`, are the caller's.
void bind_push_options(lua_State *L, const Options *options, const void *values, const void *defaults);
/// { { x, y }, ... } into a scratch userdata that is pushed, and back to a table.
Points bind_points(lua_State *L, int index, const char *where);
void bind_push_points(lua_State *L, Points points);
/// Whether the value at the index is legal for a property of the core, and the number that travels.
bool bind_property_fits(lua_State *L, int index, const ImpPropertyInfo *info, double *out_value);
/// The same, but raises; `where` is "body.angle" or "impel.world: field 'dt'".
double bind_property_value(lua_State *L, int index, const ImpPropertyInfo *info, const char *where);
void bind_push_property(lua_State *L, const ImpPropertyInfo *info, double value);
/// All 64 bits of an integer, or of a float that is one: -1 and 1 << 63 are legal.
uint64_t bind_bits(lua_State *L, int index, const char *where);
/// Push words as hex digits, 16 each.
void bind_push_hex(lua_State *L, const uint64_t *words, int count);
/// The argument `path` of the running method.
const char *bind_path(lua_State *L, int index);
/// A name: a string without zero bytes, or null for nil.
const char *bind_name(lua_State *L, int index, const char *where);
/// The index of the name at the stack index among the choices; raises and lists them.
int bind_choice(lua_State *L, int index, const char *where, const char *(*choice)(int));


// ---------------------------------------------------------------------------------------------------------------------
// drive: what limit, motor, servo, spring and force say, in constructors and in coordinate:set_...
// ---------------------------------------------------------------------------------------------------------------------

typedef struct LimitOptions {
  bool given;
  double lower, upper, max_force;
} LimitOptions;

typedef struct MotorOptions {
  bool given;
  double speed, max_force;
} MotorOptions;

typedef struct ServoOptions {
  bool given;
  double target, speed, max_force;
} ServoOptions;

typedef struct SpringOptions {
  bool given;
  double stiffness, damping, hertz, damping_ratio, target; ///< NaN: not given
  double max_force, target_speed;
} SpringOptions;

/// The drives of one coordinate.
typedef struct DriveOptions {
  bool given;
  LimitOptions limit;
  MotorOptions motor;
  ServoOptions servo;
  SpringOptions spring;
  double force;                       ///< NaN: not given
  double lock;                        ///< NaN: not given
  double armature, damping, friction; ///< NaN: not given
  bool free;
} DriveOptions;

extern const Options bind_limit_options, bind_motor_options, bind_servo_options, bind_spring_options,
    bind_soft_options /* hertz and damping_ratio alone */, bind_drive_options;
/// Nothing given; what may be left out has its default.
DriveOptions bind_drive_none(void);
/// Raise for a limit without ends, and for a spring that is not either stiffness with damping or hertz with
/// damping_ratio. `where` names the table: "world:revolute: angle.spring".
void bind_check_limit(lua_State *L, const char *where, const LimitOptions *limit);
void bind_check_spring(lua_State *L, const char *where, const SpringOptions *spring);
/// Both for a coordinate's drives; `where` names them: "world:revolute: angle", or the call.
void bind_check_drive(lua_State *L, const char *where, const DriveOptions *options);
/// Add what is given to a drive, in the place of what was there of the same kind. `rest` is where a spring without
/// target rests.
void bind_add_drive(ImpDrive *drive, const DriveOptions *options, double rest);
/// What is on, as options.
DriveOptions bind_drive_given(const ImpDrive *drive);
/// Push a table of what acts, as the constructors take it; into the table at the index when it is > 0.
void bind_push_drive(lua_State *L, int table, const ImpDrive *drive);


// ---------------------------------------------------------------------------------------------------------------------
// draw, qp
// ---------------------------------------------------------------------------------------------------------------------

/// Open the module impel.drawing.
int bind_open_drawing(lua_State *L);
/// impel.core.qp(n, m) -> qp, which belongs to no world.
int bind_qp_new(lua_State *L);


// ---------------------------------------------------------------------------------------------------------------------
// object
// ---------------------------------------------------------------------------------------------------------------------

/// Push slot `slot` of the shelf of the object at `owner`.
void bind_shelf(lua_State *L, int owner, int slot);
/// Push a new object of a class that belongs to the world of `owner`.
void *bind_new_object(lua_State *L, int owner, const Class *class, size_t size);
/// Push the one userdata of the object that a slot of the shelf, SHELF_BODIES to SHELF_MOVERS, keeps; nil for 0.
void bind_push_object(lua_State *L, int owner, int slot, uint64_t id);
static inline void bind_push_body(lua_State *L, int owner, ImpBody body) {
  bind_push_object(L, owner, SHELF_BODIES, body.id);
}
static inline void bind_push_shape(lua_State *L, int owner, ImpShape shape) {
  bind_push_object(L, owner, SHELF_SHAPES, shape.id);
}
static inline void bind_push_joint(lua_State *L, int owner, ImpJoint joint) {
  bind_push_object(L, owner, SHELF_JOINTS, joint.id);
}
/// Whether such an object lives; its name, or null.
bool bind_lives(const ImpWorld *world, int slot, uint64_t id);
const char *bind_name_of(const ImpWorld *world, int slot, uint64_t id);
/// Push the one userdata of a coordinate, counted from 0, of the living joint at the index.
void bind_push_coordinate(lua_State *L, int joint, int index);
/// Push the name of a coordinate, counted from 0: of a constraint its number from 1, as a word.
void bind_push_coordinate_name(lua_State *L, ImpWorld *world, ImpJoint joint, int index);
/// Push the pooled object of a contact, valid until the next step.
void bind_push_contact(lua_State *L, int owner, ImpContact contact);
/// A step is over: give the events of a kind their places.
void bind_place_events(WorldBox *box, ImpEventKind kind);
/// Push the pooled object of an event of the last step; the kind's table in SHELF_EVENTS is at the index `pool`.
void *bind_push_event(lua_State *L, WorldBox *box, int owner, int pool, ImpEventKind kind, int index,
                      const ImpEvent *event);
/// Write the name that a destroyed object is remembered by: the string or nil at the top, which is popped.
void bind_remember_name(lua_State *L, int object);
/// The property `name` of an object that remembers its own.
int bind_get_name(lua_State *L, void *self);
/// The property `world` of what lives in one: the same userdata as ever.
int bind_get_world(lua_State *L, void *self);
/// The serial of the table or function at an index in snapshots of its world: 0 or a new one if it has none.
uint64_t bind_serial_of(lua_State *L, int world, int index);
uint64_t bind_keep_serial(lua_State *L, int world, int index);
void bind_set_serial(lua_State *L, int world, int index, uint64_t serial);
/// The property `data` of an object: what is kept by its id in a slot of the shelf.
int bind_get_data(lua_State *L, const Handle *self, int slot);
void bind_set_data(lua_State *L, const Handle *self, int slot);

// Looks (look.c), kept by the id of a body or shape in a slot of the shelf.
extern const Options bind_look_options;
/// Push the stored form of the option table at the index, nil for nil; `call` is for error messages.
void bind_read_look(lua_State *L, int index, const char *call);
/// Pop a stored form and keep it for an object; its world is that of the object at index 1.
void bind_keep_look(lua_State *L, int slot, uint64_t id);
/// Push the look of the object as an option table, or nil.
int bind_push_look(lua_State *L, const Handle *self, int slot);
/// Read the stored form at the index; false for any other value.
bool bind_take_look(lua_State *L, int index, ImpLook *out);

typedef enum CursorKind {
  CURSOR_BODIES,
  CURSOR_CONTACTS,
  CURSOR_JOINTS,
  CURSOR_FIELDS,
  CURSOR_MOVERS,
  CURSOR_SHAPES_OF,
  CURSOR_CONTACTS_OF,
  CURSOR_JOINTS_OF,
  CURSOR_OVERLAPS_OF
} CursorKind;
/// Push the three values of a generic for over what is there now, in creation order; what dies on the way is skipped.
int bind_iterate(lua_State *L, const Handle *owner, CursorKind kind);
/// The same over the shapes in a sensor.
int bind_iterate_overlaps(lua_State *L, const Handle *shape);
void bind_register_cursor(lua_State *L);

/// The living world that is the receiver of the method that runs.
WorldBox *bind_check_world(lua_State *L);
/// The id of the living object of a class at the stack index, of the world of the one at index 1; raises and names the
/// argument: "body 'b'", "argument 'shape'".
uint64_t bind_argument(lua_State *L, int index, const Class *class, const char *name);
/// Raise where the call stands in a __save or __load of the world's own state.
void bind_refuse_saving(lua_State *L, const WorldBox *box);
/// impel.world{...}, world:body{...}, world:step, world:on, world:events, world:read, world:write.
int bind_world_new(lua_State *L);
int bind_get_fault(lua_State *L, void *self); ///< world.fault
void bind_set_fault(lua_State *L, void *self);
extern const Options bind_world_options, bind_on_options;
int bind_world_body(lua_State *L);
extern const Options bind_body_options;
/// world:options() and its siblings: what the constructor of the object would take to make it as it is now.
int bind_world_definition(lua_State *L);
int bind_body_definition(lua_State *L);
int bind_shape_definition(lua_State *L);
int bind_joint_definition(lua_State *L);
int bind_world_random(lua_State *L);
int bind_world_step(lua_State *L);
int bind_world_on(lua_State *L);
/// Take the dead out of the lists of handlers, and put what a restore brought back into its place.
void bind_squeeze_handlers(lua_State *L, int world);
int bind_world_events(lua_State *L);
int bind_world_read(lua_State *L);
int bind_world_write(lua_State *L);

/// The property `filter` of a shape and the method refilter; (world, shape id, shape id): ask it for the core, in a step,
/// under lua_pcall.
int bind_get_filter(lua_State *L, void *self);
void bind_set_filter(lua_State *L, void *self);
int bind_shape_refilter(lua_State *L);
int bind_filter_evaluate(lua_State *L);
/// Raise unless `filter` of the option table at index 2 is a function or nothing; whether it is one.
bool bind_read_filter(lua_State *L, const char *call);

/// world:material, world:mix, world:mixed, world:mix_rule; (world, material, material, rule) -> number, under lua_pcall.
int bind_world_material(lua_State *L);
int bind_world_mix(lua_State *L);
int bind_world_mixed(lua_State *L);
int bind_world_mix_rule(lua_State *L);
int bind_world_mix_rules(lua_State *L);
int bind_mix_evaluate(lua_State *L);
bool bind_has_mix_rules(lua_State *L, int world);
extern const Options bind_material_options, bind_mix_options, bind_listed_material_options, bind_listed_mix_options;
/// The lists `materials` and `mixes`: out of the option table at index 1, and into a table.
void bind_read_materials(lua_State *L, ImpWorld *world);
void bind_set_material_lists(lua_State *L, int table, const ImpWorld *world);
/// The name of a material, null: there is none of that number; the number of a name, raises when there is none.
const char *bind_material_name(const ImpWorld *world, int material);
int bind_find_material(lua_State *L, const ImpWorld *world, const char *where, const char *name);
/// The property `material` of a shape; what it says, from the option table at index 2, before the rest is read.
int bind_get_material(lua_State *L, void *self);
void bind_set_material(lua_State *L, void *self);
void bind_read_material(lua_State *L, const ImpWorld *world, const char *call, ImpShapeDef *def);

/// b:circle{...} and its five siblings.
int bind_body_circle(lua_State *L);
int bind_body_box(lua_State *L);
int bind_body_polygon(lua_State *L);
int bind_body_capsule(lua_State *L);
int bind_body_segment(lua_State *L);
int bind_body_chain(lua_State *L);
int bind_body_heights(lua_State *L);
extern const Options bind_circle_options, bind_box_options, bind_polygon_options, bind_capsule_options,
    bind_segment_options, bind_chain_options, bind_heights_options;

// shape_terrain.c: of the option table at stack index 2; they leave scratch on the stack
typedef struct Rings {
  const ImpVec2 *at; // of all rings, one after the other
  const int *counts;
  int count;
} Rings;
typedef struct Heights {
  const double *at; // NaN for none
  int count;
} Heights;
Rings bind_holes(lua_State *L, Points outline);
Heights bind_heights(lua_State *L);
// Push the list of a shape; their number.
int bind_push_holes(lua_State *L, const Handle *self);
int bind_push_heights(lua_State *L, const Handle *self);

/// world:revolute(a, b, {...}) and its siblings: the kind is that of the options.
int bind_world_joint(lua_State *L);
extern const Options bind_joint_options[IMP_JOINT_CONSTRAINT]; ///< by ImpJointKind
/// Push a new joint, made by the method that runs, with `data` and `break_if` of the option table at the index.
int bind_finish_joint(lua_State *L, int table, ImpJoint joint);
/// Push predicate number `place` of the world of `owner`, and whose it is, which may be dead. False, and nothing: there are
/// no more.
bool bind_push_predicate(lua_State *L, int owner, int place, ImpJoint *out_joint);
/// Raise unless `break_if` of the option table at the index is a function or nothing.
void bind_check_break_if(lua_State *L, int table);
/// Ask the predicates, after a step; the traceback function is at the index, and the first error's place.
void bind_ask_predicates(lua_State *L, int world, int traceback, int error);
/// Let go what joint.data held of the joints that died.
void bind_forget_joints(lua_State *L, int world);
// body.c: bodies that were destroyed.
int bind_ended(lua_State *L);
/// Note that a body of the object's world was.
void bind_note_end(lua_State *L, int owner, uint64_t body);
/// Forget the notes: a restore may have brought those bodies back.
void bind_forget_ends(WorldBox *box);

/// world:field {...}; field:options().
int bind_world_field(lua_State *L);
extern const Options bind_field_options; ///< of all kinds
int bind_field_definition(lua_State *L);
/// The law of a custom field: read it from the option table at index 2 and push its record, to be kept for the field.
void bind_read_law(lua_State *L, const char *call, ImpFieldDef *def);
void bind_keep_law(lua_State *L, int record, ImpField field);
int bind_get_field_param(lua_State *L, void *self);
int bind_field_retrace(lua_State *L);
/// (world, field id, body id): ask the law for the core, in a step, under lua_pcall.
int bind_field_evaluate(lua_State *L);
/// Let go what belonged to a field that died.
void bind_forget_field(lua_State *L, int owner, ImpField field);

/// world:mover {...}.
int bind_world_mover(lua_State *L);
extern const Options bind_mover_options;

/// world:rows() and its siblings.
int bind_world_rows(lua_State *L);
int bind_joint_rows(lua_State *L);
int bind_contact_rows(lua_State *L);
/// world:energy() and what else is asked of a whole world.
int bind_world_energy(lua_State *L);
int bind_world_momentum(lua_State *L);
int bind_world_counts(lua_State *L);
int bind_world_islands(lua_State *L);
int bind_world_profile(lua_State *L);
int bind_world_residual(lua_State *L);
int bind_world_convergence(lua_State *L);
int bind_world_audit(lua_State *L);
int bind_world_mobility(lua_State *L);
int bind_world_nullspace(lua_State *L);
int bind_world_weak_locks(lua_State *L);
int bind_world_doctor(lua_State *L);
int bind_world_export(lua_State *L);
extern const Options bind_export_options;

/// world:snapshot(), world:restore(snapshot), world:save(path), world:load(path).
int bind_world_snapshot(lua_State *L);
int bind_world_restore(lua_State *L);
/// How many of the bytes of a snapshot are the core's: the first ones; raises for a damaged part of Lua.
size_t bind_core_part(lua_State *L, const char *bytes, size_t size);
int bind_snapshot_info(lua_State *L);
int bind_world_save(lua_State *L);
int bind_world_load(lua_State *L);
/// world:state(table), world:forget_state(table).
int bind_world_state(lua_State *L);
int bind_world_forget_state(lua_State *L);
extern const Options bind_state_options, bind_snapshot_options;
/// world:difference(other).
int bind_world_difference(lua_State *L);

/// impel.where(c, a, b), impel.value(x).
int bind_where(lua_State *L);
int bind_value(lua_State *L);

/// world:constraint(a, b, ..., {...}), joint.param, joint:retrace().
int bind_world_constraint(lua_State *L);
extern const Options bind_constraint_options;
int bind_get_param(lua_State *L, void *self);
int bind_joint_retrace(lua_State *L);
/// (world, joint id, t): call the function of a constraint for the core, in a step, under lua_pcall.
int bind_constraint_evaluate(lua_State *L);
void bind_constraint_failed(WorldBox *box);                           ///< that raised
void bind_forget_constraint(lua_State *L, int owner, ImpJoint joint); ///< let go the function of a joint that died
/// Make the metatable of constraint.param, once a state.
void bind_register_param(lua_State *L);

#endif
