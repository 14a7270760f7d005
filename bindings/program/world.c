// The class world.
#include <pthread.h>

#include "objects/body.h"
#include "objects/constraint.h"
#include "objects/cursor.h"
#include "objects/field.h"
#include "objects/joint.h"
#include "objects/material.h"
#include "objects/object.h"
#include "objects/query.h"
#include "objects/row.h"
#include "objects/world.h"
#include "state/record.h"
#include "state/snapshot.h"
#include "state/state.h"


static int close_box(lua_State *L, WorldBox *box) {
  if (!box->world) return 0;
  if (box->stepping) return bind_error(L, "world:destroy: called inside a handler of the same world");
  if (box->tracing) return bind_error(L, "world:destroy: called inside a %s's function", box->traced);
  if (box->saving) return bind_error(L, "world:destroy: called inside a __save or __load of the world's state");
  bind_end_recording(L, 1);
  if (!box->borrowed) imp_world_destroy(box->world);
  box->world = NULL;
  return 0;
}


// __close and __gc.
static int world_close(lua_State *L) { return close_box(L, luaL_checkudata(L, 1, bind_world_class.registry)); }


// world:destroy(); a second call does nothing
static int world_destroy(lua_State *L) { return close_box(L, bind_self(L)); }


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------

BIND_GETTER(get_solver, lua_pushstring(L, imp_solver_name((int)imp_world_solver(((WorldBox *)self)->world))))


static void set_solver(lua_State *L, void *self) {
  int kind = bind_choice(L, 3, "world.solver", imp_solver_name);
  if (imp_world_set_solver(((WorldBox *)self)->world, (ImpSolverKind)kind) != IMP_OK) {
    bind_refused(L, &bind_world_class, "world.solver");
  }
}


BIND_GETTER(get_order, lua_pushstring(L, imp_order_name((int)imp_world_order(((WorldBox *)self)->world))))


static void set_order(lua_State *L, void *self) {
  int order = bind_choice(L, 3, "world.order", imp_order_name);
  if (imp_world_set_order(((WorldBox *)self)->world, (ImpOrder)order) != IMP_OK) {
    bind_refused(L, &bind_world_class, "world.order");
  }
}


BIND_GETTER(get_profiling, lua_pushboolean(L, ((WorldBox *)self)->profiling))


static void set_profiling(lua_State *L, void *self) {
  WorldBox *box = self;
  if (lua_type(L, 3) != LUA_TBOOLEAN) bind_error(L, "world.profiling must be true or false, got %s", bind_got(L, 3));
  box->profiling = lua_toboolean(L, 3);
  box->lua_time = 0;
}


BIND_GETTER(get_tick, lua_pushinteger(L, (lua_Integer)imp_world_tick(((WorldBox *)self)->world)))


// world.hash
static int get_hash(lua_State *L, void *self) {
  uint64_t hash = imp_world_hash(((WorldBox *)self)->world);
  bind_push_hex(L, &hash, 1);
  return 1;
}


// world.ground
static int get_ground(lua_State *L, void *self) {
  ImpBody ground;
  if (imp_world_ground(((WorldBox *)self)->world, &ground) != IMP_OK) {
    return bind_refused(L, &bind_world_class, "world.ground");
  }
  bind_push_body(L, 1, ground);
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies, joints and contacts
// ---------------------------------------------------------------------------------------------------------------------

// for body in world:bodies()
static int world_bodies(lua_State *L) { return bind_iterate(L, &bind_check_world(L)->handle, CURSOR_BODIES); }


// for joint in world:joints()
static int world_joints(lua_State *L) { return bind_iterate(L, &bind_check_world(L)->handle, CURSOR_JOINTS); }


// for field in world:fields()
static int world_fields_of(lua_State *L) { return bind_iterate(L, &bind_check_world(L)->handle, CURSOR_FIELDS); }


// for mover in world:movers()
static int world_movers(lua_State *L) { return bind_iterate(L, &bind_check_world(L)->handle, CURSOR_MOVERS); }


// for contact in world:contacts()
static int world_contacts(lua_State *L) { return bind_iterate(L, &bind_check_world(L)->handle, CURSOR_CONTACTS); }


// world:find(name) -> body or joint or nil. Bodies are searched first.
static int world_find(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  if (lua_type(L, 2) != LUA_TSTRING) {
    return bind_error(L, "world:find: argument 'name' must be a string, got %s", bind_got(L, 2));
  }
  ImpBody body = imp_world_find_body(box->world, lua_tostring(L, 2));
  if (body.id != 0) {
    bind_push_body(L, 1, body);
  } else {
    bind_push_joint(L, 1, imp_world_find_joint(box->world, lua_tostring(L, 2)));
  }
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Gravity, random numbers
// ---------------------------------------------------------------------------------------------------------------------

// world:gravity() -> gx, gy
static int world_gravity(lua_State *L) {
  ImpVec2 gravity = imp_world_gravity(bind_check_world(L)->world);
  return bind_push_vec2(L, gravity);
}


// world:set_gravity(x, y)
static int world_set_gravity(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  bind_status(L, imp_world_set_gravity(box->world, bind_vec2(L, 2, "m/s^2")));
  return 0;
}


// tostring(world)
static int world_tostring(lua_State *L) {
  WorldBox *box = luaL_checkudata(L, 1, bind_world_class.registry);
  if (!box->world) {
    lua_pushliteral(L, "destroyed world");
    return 1;
  }
  lua_pushfstring(L, "world at tick %I with %d bodies", (LUAI_UACINT)imp_world_tick(box->world),
                  imp_world_counts(box->world).bodies);
  return 1;
}


// Option tables of the parameters of queries.
static const Options *const filter_tables[] = {&bind_filter_options, NULL};
static const Options *const form_tables[] = {&bind_form_options, &bind_filter_options, NULL};
static const Options *const motion_tables[] = {&bind_motion_options, NULL};

// The entry without a name is replaced by the constructors of joints.
static const Entry listed[] = {
    {.name = "solver",
     .type = "choice",
     .get = get_solver,
     .set = set_solver,
     .choice = imp_solver_name,
     .doc = "solver of the constraint rows: %s. A change takes effect in the next step and keeps the state and the "
            "warm-start impulses"},
    {.name = "order",
     .type = "choice",
     .get = get_order,
     .set = set_order,
     .choice = imp_order_name,
     .doc = "order in which a sweep visits the constraint rows: %s; the order \"shuffled\" depends on world.seed and "
            "world.tick. The order has no effect on the solver soft, which visits the rows by the colours of the "
            "constraint graph, and on direct solvers, which make no sweeps"},
    {.name = "fault",
     .type = "choice",
     .get = bind_get_fault,
     .set = bind_set_fault,
     .doc = "what a step does after the state of a body became non-finite. The body is reset to its last valid pose "
            "and disabled, and a \"fault\" event is made. \"quarantine\": the simulation continues without the body; "
            "\"stop\": after the handlers have run, world:step also raises an error that names body, stage and tick"},
    {.name = "profiling",
     .type = "boolean",
     .get = get_profiling,
     .set = set_profiling,
     .doc = "whether world:profile() also measures the time in handlers and other Lua functions; false by default. "
            "Costs 50 ns for each function that the core calls inside a step; results do not depend on it"},
    {.name = "tick",
     .type = "integer",
     .get = get_tick,
     .unit = "1",
     .doc = "number of steps made, plus the option `tick` of impel.world{...}; world:step raises an error at 2^53"},
    {.name = "hash", .type = "string", .get = get_hash, .doc = "hash of the dynamic state, 16 hex digits"},
    {.name = "step",
     .call = bind_world_step,
     .signature = "([n])",
     .doc = "make n steps of length dt; n is 1 by default. If a handler raises an error, the step is completed and the "
            "remaining handlers run; then world:step raises the error. The traceback of the handler is appended to an "
            "error message; an error value that is not a string is passed on unchanged"},
    {.name = "body",
     .call = bind_world_body,
     .signature = "{...} -> body",
     .options = &bind_body_options,
     .doc = "create a body"},
    {.name = "ground",
     .type = "body",
     .get = get_ground,
     .doc = "static body at the origin, for joints between a body and the world. No list of bodies contains it, and it "
            "cannot be destroyed"},
    {.call = bind_world_joint},
    {.name = "constraint",
     .call = bind_world_constraint,
     .signature = "(body, ..., {...}) -> joint",
     .options = &bind_constraint_options,
     .doc = "create a joint from a constraint function of your own: C(a, b, ..., t, param), C_dot or rows"},
    {.name = "field",
     .call = bind_world_field,
     .signature = "{...} -> field",
     .options = &bind_field_options,
     .doc = "create a force field that acts on many bodies; the core evaluates it before every substep. impel.field "
            "lists the options of each kind of field"},
    {.name = "bodies", .call = world_bodies, .signature = "() -> iterator", .doc = "all bodies in creation order"},
    {.name = "joints", .call = world_joints, .signature = "() -> iterator", .doc = "all joints in creation order"},
    {.name = "fields",
     .call = world_fields_of,
     .signature = "() -> iterator",
     .doc = "all force fields in creation order"},
    {.name = "mover",
     .call = bind_world_mover,
     .signature = "{...} -> mover",
     .options = &bind_mover_options,
     .doc = "create a character that walks: an upright capsule that climbs slopes and steps, is carried by the ground "
            "that it stands on, and passes through nothing. It moves in every step, after the \"step\" handlers"},
    {.name = "movers", .call = world_movers, .signature = "() -> iterator", .doc = "all movers in creation order"},
    {.name = "contacts",
     .call = world_contacts,
     .signature = "() -> iterator",
     .doc = "all touching contacts, ordered by the creation of their shapes"},
    {.name = "find",
     .call = world_find,
     .signature = "(name) -> body or joint",
     .doc = "first body with that name; without such a body, the first joint with that name; nil if there is neither"},
    {.name = "material",
     .call = bind_world_material,
     .signature = "(name, {...})",
     .options = &bind_material_options,
     .doc =
         "declare a material: default values for the options of shapes that are made of it. Declaring a material "
         "again affects new shapes only. Values that a mix rule has already returned for the material stay in effect"},
    {.name = "mix",
     .call = bind_world_mix,
     .signature = "(material_a, material_b, {...})",
     .options = &bind_mix_options,
     .doc = "set friction and restitution between shapes of two materials. Each call replaces both values. A value "
            "that is left out comes from the mix rule; if the rule gives no value, it is mixed from the two shapes"},
    {.name = "mix_rule",
     .call = bind_world_mix_rule,
     .signature = "(name, fn)",
     .doc = "set the rule for \"friction\" or \"restitution\" of two materials: fn(a, b) -> number or nil. a and b are "
            "tables with the name and the values of the two materials. fn is called once for each pair of materials, "
            "when two shapes of these materials first come near each other. If fn returns nil or raises an error, the "
            "value is mixed from the two shapes, as for shapes without material; world:step raises the error, once for "
            "the pair. fn = nil removes the rule"},
    {.name = "mix_rules",
     .call = bind_world_mix_rules,
     .signature = "() -> friction_rule, restitution_rule",
     .doc = "the functions that world:mix_rule set, or nil"},
    {.name = "mixed",
     .call = bind_world_mixed,
     .signature = "(material_a, material_b) -> friction, restitution",
     .doc = "friction and restitution between shapes of two materials, each set by world:mix or, if world:mix has not "
            "set it, returned by a mix rule. nil: neither; the value is mixed from the two shapes, as for shapes "
            "without material"},
    {.name = "on",
     .call = bind_world_on,
     .signature = "(event, fn [, {...}]) -> handler",
     .options = &bind_on_options,
     .doc = "call fn for \"step\" (with dt), \"substep\" (with h), \"pre_solve\" (with a contact, before the solver "
            "treats it) or every event of a kind (event.kind lists the kinds). A step calls the \"step\" handlers, "
            "then the \"substep\" handlers before each substep, and at its end the handlers of its events. Handlers of "
            "one kind run in the order of registration; a controller registers its handlers when it is created"},
    {.name = "events",
     .call = bind_world_events,
     .signature = "(name) -> iterator",
     .doc = "events of a kind in the last step"},
    {.name = "gravity",
     .call = world_gravity,
     .signature = "() -> x, y",
     .unit = "m/s^2",
     .doc = "acceleration of gravity"},
    {.name = "set_gravity",
     .call = world_set_gravity,
     .signature = "(x, y)",
     .unit = "m/s^2",
     .doc = "set the acceleration of gravity; a change wakes all bodies"},
    {.name = "random",
     .call = bind_world_random,
     .signature = "([m [, n]]) -> number",
     .doc = "next random number of the world's generator, which world.seed initializes. The arguments are those of "
            "math.random: without arguments a number in [0, 1), else an integer in [1, m] or [m, n]; for m = 0 an "
            "integer of 53 random bits"},
    {.name = "energy",
     .call = bind_world_energy,
     .signature = "() -> kinetic, potential, joint_work, contact_work",
     .unit = "J",
     .doc =
         "kinetic energy of dynamic bodies and of rotors (armature); potential energy, including the energy stored in "
         "springs; work of the rows of joints, and of contacts, since the world was made. The work of rows does not "
         "balance the energy, because it includes work of locks: in each substep the locks remove velocity that loads "
         "have just added. world:audit() gives a balance; coordinate.work gives the work of one motor, spring or "
         "damper"},
    {.name = "momentum",
     .call = bind_world_momentum,
     .signature = "() -> px, py, angular",
     .unit = "N s, N s, N m s",
     .doc = "linear and angular momentum of all dynamic bodies, about the world's origin"},
    {.name = "rows",
     .call = bind_world_rows,
     .signature = "() -> iterator",
     .doc = "constraint rows of the last step: rows of joints in creation order, then rows of contacts in creation "
            "order of their shapes"},
    {.name = "mobility",
     .call = bind_world_mobility,
     .signature = "() -> mobility, redundant, freedom, rank",
     .doc = "mobility of the joints: freedom - rank. freedom: degrees of freedom of the dynamic bodies. rank: rank of "
            "the Jacobian of the coordinates that joints lock. redundant: list of the locked coordinates that are "
            "linear combinations of other locked coordinates"},
    {.name = "weak_locks",
     .call = bind_world_weak_locks,
     .signature = "() -> table",
     .unit = "-, rad, m",
     .doc = "list of weak locks, at most 8, the worst first: locks that bear large forces, because they are near a "
            "dead centre or at the root of a long lever. Each weak lock prevents one motion; the fields describe this "
            "motion. Fields: lock: the locked coordinate. left: part of the lock's row that is independent of the rows "
            "of other locks, from 0 to 1. amplification: force of the lock under a force of 1 at the point that would "
            "move fastest. angle: angle by which the body that would turn fastest turns until the dead centre; way: "
            "distance that the point that would move fastest moves until the dead centre; both are infinite if there "
            "is no dead centre. joints: joints of other locks; the lock's row is nearly a linear combination of the "
            "rows of these locks"},
    {.name = "nullspace",
     .call = bind_world_nullspace,
     .signature = "() -> basis, bodies",
     .doc = "basis of the motions that the joints allow. Each vector of the basis is a list of numbers: vx, vy and "
            "angular velocity of each body in the list `bodies`"},
    {.name = "doctor",
     .call = bind_world_doctor,
     .signature = "() -> table",
     .doc = "report on how difficult the world is to solve: mobility, redundant locks, mass ratio, number of sweeps "
            "that reduce the error to 1 %, stiff springs, links under tension, suggested solver and the reason, "
            "warnings. The module impel.doctor makes the report. Raises an error inside a step"},
    {.name = "options",
     .call = bind_world_definition,
     .signature = "() -> table",
     .doc = "options of impel.world{...} that make a new world with the present settings of this world"},
    {.name = "export",
     .call = bind_world_export,
     .signature = "([{...}]) -> table, list",
     .options = &bind_export_options,
     .doc = "the world as plain data, from which impel.load_data makes it again, and a list of what was left out. The "
            "module impel.data makes the data. Raises an error inside a step"},
    {.name = "snapshot",
     .call = bind_world_snapshot,
     .signature = "([{...}]) -> string",
     .options = &bind_snapshot_options,
     .doc = "the whole state as bytes: the core's state, exact to the bit; tables that world:state registered; the "
            "data fields of objects, without values that are not plain data; which handlers and functions exist. "
            "Upvalues of functions are not saved. math.random is saved only under impel run; use impel.rng. Only the "
            "same version of impel can restore the snapshot. Inside a step only \"step\" and event handlers can take a "
            "snapshot. When such a snapshot is restored, the remaining events of that step are dropped, and the "
            "\"step\" handlers run again"},
    {.name = "restore",
     .call = bind_world_restore,
     .signature = "(snapshot)",
     .doc = "restore a snapshot of this world, or of a world that was made by the same calls. Objects that existed "
            "when the snapshot was taken are valid again; objects that were created after the snapshot become invalid. "
            "Handlers and tables of world:state are restored too. If world:restore raises an error, nothing has "
            "changed. Exception: an error of a __load is raised after all tables, handlers and objects were restored. "
            "Inside a step only \"step\" and event handlers can call world:restore. A snapshot cannot be restored "
            "after 2^24 objects or contacts were created and destroyed in one storage slot, so a long run should take "
            "new snapshots"},
    {.name = "save",
     .call = bind_world_save,
     .signature = "(path) -> true or nil, message",
     .doc = "write a snapshot to a file. The old file is replaced only when the new one is completely on disk"},
    {.name = "load",
     .call = bind_world_load,
     .signature = "(path) -> true or nil, message",
     .doc = "restore a snapshot from a file. If the file cannot be read, is damaged or does not fit this world, "
            "world:load returns nil and a message, and nothing changes"},
    {.name = "state",
     .call = bind_world_state,
     .signature = "(table [, {...}]) -> table",
     .options = &bind_state_options,
     .doc = "register a table, with the tables in it, as state: snapshots save its values, and a restore writes them "
            "into the same tables. Allowed values: numbers, booleans, strings, objects of this world (also destroyed "
            "ones), other worlds that are not destroyed. For an object whose metatable has __save(object) and "
            "__load(object, saved), a snapshot contains the result of __save, and a restore passes it to __load. "
            "Registering a table again has no effect. If a snapshot is restored that was taken before the table was "
            "registered, the registration ends. Controllers register themselves"},
    {.name = "forget_state",
     .call = bind_world_forget_state,
     .signature = "(table)",
     .doc = "undo world:state for a table: later snapshots do not contain the table"},
    {.name = "record",
     .call = bind_world_record,
     .signature = "([path [, {...}]]) -> recording or nil, message",
     .options = &bind_record_options,
     .doc = "record all changes of the world from now on in a file, which is replaced. impel.recording and impel "
            "replay play the recording without the script. The recording ends with recording:close(), with the world, "
            "or when another recording of the world begins. Without a path the recording is kept in memory; "
            "recording:take() returns it. Raises an error inside a step"},
    {.name = "difference",
     .call = bind_world_difference,
     .signature = "(other) -> difference or nil",
     .doc = "find the first number in which the world differs from another world, or from the state in a snapshot; nil "
            "if there is no difference. The clocks are compared first, then bodies in creation order, then other "
            "objects. Fields of the difference: object (\"body\", \"contact\", ...), name, id, field, a and b (the "
            "value in this world and the value in the other; missing if the field is a text); for a contact also "
            "`other` (id of the second shape) and name_b (name of the second body)"},
    {.name = "read",
     .call = bind_world_read,
     .signature = "(bodies [, buffer [, what]]) -> buffer",
     .doc =
         "read quantities of bodies into one flat list: all numbers of the first body, then all of the second, and so "
         "on. The string `what` names the quantities in their order: position (2 numbers), center (2), angle, velocity "
         "(2), angular_velocity, contact_force (2); \"position angle velocity angular_velocity\" by default. Filling a "
         "given buffer makes no garbage; if the buffer is longer than the result, the rest of it is kept"},
    {.name = "write",
     .call = bind_world_write,
     .signature = "(bodies, buffer [, what])",
     .doc = "set quantities of bodies from a flat list of numbers in the order of world:read; the effect is that of "
            "the setters of each body. After an error nothing has changed. `what` also accepts force (2), torque, "
            "impulse (2) and angular_impulse, which act like body:apply_force and so on; it does not accept "
            "contact_force. If `what` has position and angle, one teleport sets both"},
    {.name = "raycast",
     .call = bind_world_raycast,
     .signature = "(x1, y1, x2, y2 [, filter [, hit]]) -> hit or nil",
     .unit = "m",
     .takes = filter_tables,
     .doc = "first shape on the segment from x1, y1 to x2, y2: { body, shape, x, y, nx, ny, fraction }, in the table "
            "`hit` if given. A ray that starts inside a solid hits it with fraction 0 and normal 0, 0"},
    {.name = "raycast_any",
     .call = bind_world_raycast_any,
     .signature = "(x1, y1, x2, y2 [, filter]) -> boolean",
     .unit = "m",
     .takes = filter_tables,
     .doc = "whether there is any shape on the segment; faster than raycast"},
    {.name = "raycast_all",
     .call = bind_world_raycast_all,
     .signature = "(x1, y1, x2, y2 [, filter [, list]]) -> list",
     .unit = "m",
     .takes = filter_tables,
     .doc = "a hit for each shape on the segment, at the point where the ray enters the shape; sorted by fraction, "
            "hits of equal fraction in creation order of the shapes. A list that is given is filled with the new hits; "
            "the tables in it are reused"},
    {.name = "raycast_many",
     .call = bind_world_raycast_many,
     .signature = "(rays, results [, filter]) -> number",
     .unit = "m",
     .takes = filter_tables,
     .doc = "cast many rays { x1, y1, x2, y2, ... } in one call; returns the number of hits. Fills the lists fraction, "
            "x, y, nx, ny and shape of `results`: item i is for ray i. A ray without a hit gets fraction 1, the "
            "position of its end in x and y, and shape = false"},
    {.name = "shapecast",
     .call = bind_world_shapecast,
     .signature = "(shape, dx, dy [, filter [, hit]]) -> hit or nil",
     .unit = "m",
     .takes = form_tables,
     .doc = "first hit of a shape that moves by dx, dy without rotation. The shape is a table, { radius, position }, { "
            "width, height, position, angle, radius }, { points, position, angle, radius } or { from, to, radius }, or "
            "it is a shape of the world; then the shapes of its own body are not hit. A shape that the moving shape "
            "overlaps at the start is hit with fraction 0"},
    {.name = "shapecast_all",
     .call = bind_world_shapecast_all,
     .signature = "(shape, dx, dy [, filter [, list]]) -> list",
     .unit = "m",
     .takes = form_tables,
     .doc = "a hit for each shape that the moving shape would hit if the other shapes did not exist; sorted by "
            "fraction, hits of equal fraction in creation order of the shapes. `shape` is given as for "
            "world:shapecast, `list` as for world:raycast_all"},
    {.name = "overlap_point",
     .call = bind_world_overlap_point,
     .signature = "(x, y [, filter [, list]]) -> list",
     .unit = "m",
     .takes = filter_tables,
     .doc = "list of the shapes that contain a point, in creation order. Fills `list` if given"},
    {.name = "overlap_box",
     .call = bind_world_overlap_box,
     .signature = "(x1, y1, x2, y2 [, filter [, list]]) -> list",
     .unit = "m",
     .takes = filter_tables,
     .doc = "shapes that overlap or touch the box between two corners, in creation order. Shapes are tested by their "
            "own geometry, not by their bounding boxes"},
    {.name = "overlap_circle",
     .call = bind_world_overlap_circle,
     .signature = "(x, y, radius [, filter [, list]]) -> list",
     .unit = "m",
     .takes = filter_tables,
     .doc = "shapes that overlap or touch a circle, in creation order"},
    {.name = "overlap_shape",
     .call = bind_world_overlap_shape,
     .signature = "(shape [, filter [, list]]) -> list",
     .unit = "m",
     .takes = form_tables,
     .doc = "shapes that overlap or touch a given shape, in creation order. `shape` is given as for world:shapecast"},
    {.name = "shape_at",
     .call = bind_world_shape_at,
     .signature = "(x, y [, filter]) -> shape or nil",
     .unit = "m",
     .takes = filter_tables,
     .doc = "shape that contains a point; if several shapes do, the one that was created last, which is drawn on top"},
    {.name = "nearest",
     .call = bind_world_nearest,
     .signature = "(x, y [, radius [, filter [, hit]]]) -> hit or nil",
     .unit = "m",
     .takes = filter_tables,
     .doc = "shape whose surface is nearest to a point, within the radius (infinite by default): { body, shape, x, y, "
            "nx, ny, distance } with the closest point x, y of its surface. Inside a shape the distance is negative; "
            "if several shapes contain the point, the result is the shape in which the point is deepest"},
    {.name = "closest",
     .call = bind_world_closest,
     .signature = "(shape_a, shape_b) -> distance, xa, ya, xb, yb, nx, ny",
     .unit = "m",
     .doc = "distance between two shapes, negative if they overlap; the two points of their surfaces that are closest "
            "to each other; the unit normal from shape_a to shape_b"},
    {.name = "time_of_impact",
     .call = bind_world_time_of_impact,
     .signature = "(shape_a, motion_a, shape_b [, motion_b [, target]]) -> t, x, y, nx, ny or nil",
     .takes = motion_tables,
     .doc = "time, as a fraction 0 to 1 of the motions, at which two shapes would first be at the distance `target` "
            "[m] (0 by default) if their bodies made the given motions; the point between the shapes and the unit "
            "normal from shape_a to shape_b at that time; nil if the shapes would not come that close. A motion is { "
            "travel = { dx, dy }, turn = angle }, or nil for a body at rest. The call does not move the bodies"},
    {.name = "counts",
     .call = bind_world_counts,
     .signature = "([table]) -> table",
     .doc = "table with the number of bodies, shapes, contacts, joints, fields, movers, rows, islands; awake: number "
            "of awake bodies; colours: number of colours of the constraint graph; bytes: memory of the world; "
            "lua_bytes: memory of Lua"},
    {.name = "islands",
     .call = bind_world_islands,
     .signature = "() -> list",
     .doc = "list of the islands; the bodies of an island fall asleep together. Each island is a list of the dynamic "
            "bodies and particles that "
            "touching contacts or joints connect, in creation order. Computed at each call"},
    {.name = "profile",
     .call = bind_world_profile,
     .signature = "([table]) -> table",
     .unit = "s",
     .doc =
         "time of each stage of the last step, in a field with the name of the stage. More fields: step: time of the "
         "core's whole step, without handlers of \"step\" and of events. clusters: part of the stage `solve`, for "
         "clusters of joints. lua: time in all Lua functions, if world.profiling is true"},
    {.name = "residual",
     .call = bind_world_residual,
     .signature = "([table]) -> table",
     .doc =
         "how well the last step was solved. Fields of the table: velocity: largest velocity error of a constraint row "
         "[m/s, rad/s]; without springs if the solver is soft or xpbd, and without servos if it is soft. error: "
         "`velocity` divided by the velocity that gravity adds in a substep; without gravity, by the largest velocity "
         "that the impulse of a row adds. converged: true if `error` is at most 0.01 and the solver has not stalled. "
         "reason: why the solver stopped. 'converged': all iterations were made, and the step has converged; "
         "'iterations': all iterations were made, but the step has not converged, or a tolerance was not met; "
         "'impulse', 'velocity' or 'change': the tolerance of this name was met; 'solved': a direct solver found the "
         "solution; 'stalled': a direct solver found no forces that satisfy all rows, as when bounds or locks "
         "contradict each other; 'none': nothing was solved. open: number of joints with a large error (open joints). "
         "A joint opens if its error exceeds 5 % of the joint's size (about the diameter of the smallest body that it "
         "moves), or if the error grows although the joint's rows are solved. The joint closes when the error falls "
         "below 1 %. A \"warning\" event reports each opening. If the solver does not hold a lock of the joint, only "
         "an error above 5 % opens the joint. penetration: largest overlap [m]. separation: largest error of a locked "
         "coordinate [m, rad]. complementarity: largest |impulse * velocity error| of a contact [J]. contraction: "
         "change of the impulses in the last sweep divided by their change in the sweep before. solved_to: largest "
         "velocity error that a direct solver left. sweeps: number of sweeps. redundant: number of rows that are "
         "linear combinations of other rows. flops: number of additions and multiplications"},
    {.name = "convergence",
     .call = bind_world_convergence,
     .signature = "() -> list",
     .doc =
         "list of the sweeps of the last step, if world.history is true. Fields of each sweep: substep: number of the "
         "substep; impulse: largest correction of an impulse [N s, N m s]; velocity: largest velocity error of a row, "
         "before the row is corrected [m/s, rad/s]; change: Euclidean norm of the corrections of all impulses"},
    {.name = "audit",
     .call = bind_world_audit,
     .signature = "([table]) -> table",
     .unit = "J",
     .doc = "energy ledger since world.auditing was set. before, after: energy of the world at the start and at the "
            "end of the ledger; for each cause, the energy that it added; worst: largest energy that one row or body "
            "added in one step, with worst_cause (its cause) and worst_owner (the joint, contact or body). step: the "
            "same ledger for the last step alone"},
    {.name = "destroy", .call = world_destroy, .signature = "()", .doc = "free the world with everything in it"},
    {.name = "is_valid", .call = bind_is_valid, .signature = "() -> boolean", .doc = "false once destroyed"},
    {.name = NULL},
};

// `listed`, with the constructors of joints inserted. Written once, then read-only.
static Entry entries[sizeof listed / sizeof *listed - 1 + IMP_JOINT_CONSTRAINT];


static void make_entries(void) {
  Entry *to = entries;
  for (const Entry *from = listed; from->call || from->name; from++) {
    if (from->name) *to++ = *from;
    for (int kind = 0; !from->name && kind < IMP_JOINT_CONSTRAINT; kind++) *to++ = bind_joint_entry(kind);
  }
}


void bind_make_world_entries(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_entries);
}


const Members bind_world_members = {&bind_world_class, entries, world_tostring, world_close};
