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


// world:find(name) -> body or joint or nil. Bodies and joints are numbered separately, so bodies come first.
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
     .doc = "%s: from the next step on, on the same state"},
    {.name = "order",
     .type = "choice",
     .get = get_order,
     .set = set_order,
     .choice = imp_order_name,
     .doc = "in which sweeps visit the rows: %s by the seed; soft goes by colours, direct solvers by none"},
    {.name = "fault",
     .type = "choice",
     .get = bind_get_fault,
     .set = bind_set_fault,
     .doc =
         "what a step does about a body whose numbers blew up, which is put back to where it was and disabled either "
         "way: \"quarantine\": it goes on without the body and makes an event; \"stop\": when it is over, and its "
         "handlers have run, world:step raises an error that names body, stage and tick"},
    {.name = "profiling",
     .type = "boolean",
     .get = get_profiling,
     .set = set_profiling,
     .doc = "world:profile() also tells the time in handlers and other functions of Lua; false by default, as it takes "
            "50 ns for each that the core calls inside a step; changes no result"},
    {.name = "tick",
     .type = "integer",
     .get = get_tick,
     .unit = "1",
     .doc = "steps since the world was made; no step follows 2^53"},
    {.name = "hash", .type = "string", .get = get_hash, .doc = "16 hex digits of the whole dynamic state"},
    {.name = "step",
     .call = bind_world_step,
     .signature = "([n])",
     .doc =
         "n fixed steps of dt, 1 by default; a handler's error is raised when its step is over and the other handlers "
         "have run: its text ends with the handler's traceback, other values come as they are"},
    {.name = "body",
     .call = bind_world_body,
     .signature = "{...} -> body",
     .options = &bind_body_options,
     .doc = "make a body"},
    {.name = "ground",
     .type = "body",
     .get = get_ground,
     .doc = "a static body at the origin, for joints with the world; in no list, and cannot be destroyed"},
    {.call = bind_world_joint},
    {.name = "constraint",
     .call = bind_world_constraint,
     .signature = "(body, ..., {...}) -> joint",
     .options = &bind_constraint_options,
     .doc = "a joint of one's own: C(a, b, ..., t, param), C_dot or rows"},
    {.name = "field",
     .call = bind_world_field,
     .signature = "{...} -> field",
     .options = &bind_field_options,
     .doc = "a force field over many bodies, evaluated by the core before every substep; which fields a kind takes "
            "says impel.field"},
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
     .doc = "a character that walks: an upright capsule that climbs slopes and steps, is carried by what it stands on "
            "and passes through nothing; it moves itself in every step, after the \"step\" handlers"},
    {.name = "movers", .call = world_movers, .signature = "() -> iterator", .doc = "all movers in creation order"},
    {.name = "contacts",
     .call = world_contacts,
     .signature = "() -> iterator",
     .doc = "all touching contacts, by the creation of their shapes"},
    {.name = "find",
     .call = world_find,
     .signature = "(name) -> body or joint",
     .doc = "the first body of that name, else the first joint, or nil"},
    {.name = "material",
     .call = bind_world_material,
     .signature = "(name, {...})",
     .options = &bind_material_options,
     .doc = "declare a material: what shapes made of it get unless they are given it; of shapes that exist nothing "
            "changes, and what rules have answered for it stands: declared again it asks none of them again"},
    {.name = "mix",
     .call = bind_world_mix,
     .signature = "(material_a, material_b, {...})",
     .options = &bind_mix_options,
     .doc = "fix what shapes of two materials get between them; what is left out mixes by the rules again"},
    {.name = "mix_rule",
     .call = bind_world_mix_rule,
     .signature = "(name, fn)",
     .doc =
         "fn(a, b) -> number or nil is the \"friction\" or \"restitution\" of two materials, tables with their name "
         "and numbers: called once a pair, when shapes of them first come near; nil: as shapes without material mix; "
         "one that raises is told of by world:step that once, and its pair mixes so too; no fn: the rule goes"},
    {.name = "mix_rules",
     .call = bind_world_mix_rules,
     .signature = "() -> friction_rule, restitution_rule",
     .doc = "the functions that world:mix_rule set, or nil"},
    {.name = "mixed",
     .call = bind_world_mixed,
     .signature = "(material_a, material_b) -> friction, restitution",
     .doc =
         "what is fixed or was answered by rules so far for shapes of two materials; nil: they mix as shapes without"},
    {.name = "on",
     .call = bind_world_on,
     .signature = "(event, fn [, {...}]) -> handler",
     .options = &bind_on_options,
     .doc = "call fn for \"step\" (with dt), \"substep\" (h), \"pre_solve\" (a contact that is going to act) or every "
            "event of a kind (event.kind lists them). A step calls the \"step\" handlers, then before each substep the "
            "\"substep\" "
            "handlers, and at its end those of its events; handlers of one of these in the order of registration, "
            "controllers' as they are made"},
    {.name = "events",
     .call = bind_world_events,
     .signature = "(name) -> iterator",
     .doc = "the last step's events of a kind"},
    {.name = "gravity", .call = world_gravity, .signature = "() -> x, y", .unit = "m/s^2", .doc = "acceleration"},
    {.name = "set_gravity", .call = world_set_gravity, .signature = "(x, y)", .unit = "m/s^2", .doc = "and wake all"},
    {.name = "random",
     .call = bind_world_random,
     .signature = "([m [, n]]) -> number",
     .doc = "as math.random, seeded by world.seed; for m = 0 an integer of 53 random bits"},
    {.name = "energy",
     .call = bind_world_energy,
     .signature = "() -> kinetic, potential, joint_work, contact_work",
     .unit = "J",
     .doc =
         "of all dynamic bodies, potential with what springs store; and the work that the rows of joints and of "
         "contacts have done since the world was made. The work of rows does not close the balance: a row is charged "
         "for what gravity and other loads add in a substep and it takes off again, which for a lock is no energy "
         "that the bodies had. The balance is that of world:audit(); what one motor, spring or damper did is "
         "coordinate.work"},
    {.name = "momentum",
     .call = bind_world_momentum,
     .signature = "() -> px, py, angular",
     .unit = "N s, N s, N m s",
     .doc = "of all dynamic bodies, about the world's origin"},
    {.name = "rows",
     .call = bind_world_rows,
     .signature = "() -> iterator",
     .doc = "the constraint rows of the last step: of joints by their creation, then of contacts by their shapes'"},
    {.name = "mobility",
     .call = bind_world_mobility,
     .signature = "() -> mobility, redundant, freedom, rank",
     .doc =
         "freedom - rank: of the dynamic bodies, and of the Jacobian of what joints lock; redundant lists the locked "
         "coordinates that follow from others"},
    {.name = "weak_locks",
     .call = bind_world_weak_locks,
     .signature = "() -> table",
     .unit = "-, m, rad",
     .doc =
         "locks with large forces, near a dead centre or at the root of a long lever, at most 8, the worst first: "
         "lock (coordinate), left (part of its row that other locks do not keep), amplification (force by load on the "
         "fastest point), angle and way (of the fastest body to the dead centre, or infinite), joints (involved)"},
    {.name = "nullspace",
     .call = bind_world_nullspace,
     .signature = "() -> basis, bodies",
     .doc = "the motions that joints allow: each vector of basis has vx, vy, w for each of bodies, in one list"},
    {.name = "doctor",
     .call = bind_world_doctor,
     .signature = "() -> table",
     .doc = "what the world is like to solve: mobility, redundant locks, mass ratio, sweeps to 1 %, stiff springs, "
            "tension, suggested solver and why, warnings; by impel.doctor, not inside a step"},
    {.name = "options",
     .call = bind_world_definition,
     .signature = "() -> table",
     .doc = "what impel.world{...} would take to make one that is set as this one is now"},
    {.name = "export",
     .call = bind_world_export,
     .signature = "([{...}]) -> table, list",
     .options = &bind_export_options,
     .doc =
         "the world as plain data that impel.load_data makes it from again, and what was left out; by impel.data, not "
         "inside a step"},
    {.name = "snapshot",
     .call = bind_world_snapshot,
     .signature = "([{...}]) -> string",
     .options = &bind_snapshot_options,
     .doc = "the whole state as bytes, for this version of impel: the core's to the bit, what world:state registered, "
            "data of objects as far as it is plain, and which handlers and functions there are. What functions close "
            "over is no state, nor is math.random outside impel run: impel.rng is; in a step for its step and event "
            "handlers alone: a restore of that drops the events still to be told, and step handlers come again"},
    {.name = "restore",
     .call = bind_world_restore,
     .signature = "(snapshot)",
     .doc = "go back to a snapshot of this world, or of one that was made by the same calls: what lived then is alive "
            "again, what was made since is dead, handlers and what world:state registered too; where that cannot be "
            "nothing changes, but errors of a __load come when all else is back; in a step for its step and event "
            "handlers alone. 2^24 objects or contacts that began in one place since the snapshot are too many: take it "
            "again now and then"},
    {.name = "save",
     .call = bind_world_save,
     .signature = "(path) -> true or nil, message",
     .doc = "write a snapshot to a file, whole or not at all: what was there stays until the disk has it"},
    {.name = "load",
     .call = bind_world_load,
     .signature = "(path) -> true or nil, message",
     .doc = "restore a snapshot from a file; nil where it cannot be read, is damaged or does not fit: then nothing "
            "changes"},
    {.name = "state",
     .call = bind_world_state,
     .signature = "(table [, {...}]) -> table",
     .options = &bind_state_options,
     .doc = "what the table holds, and tables in it, goes into snapshots and comes back with them, in the same tables: "
            "numbers, booleans, strings, objects of this world, dead ones too, other worlds that live; of an object "
            "whose metatable has __save(object) and __load(object, saved) what the first gives. Again it does nothing, "
            "but a restore of a snapshot from before forgets it. Controllers do it by themselves"},
    {.name = "forget_state",
     .call = bind_world_forget_state,
     .signature = "(table)",
     .doc = "the table is no part of snapshots from now on"},
    {.name = "record",
     .call = bind_world_record,
     .signature = "([path [, {...}]]) -> recording or nil, message",
     .options = &bind_record_options,
     .doc = "write all that changes the world from now on into a file, which replaces what was there: impel.recording "
            "and impel replay play it again, without the script; until its close(), the end of the world or another "
            "begins; not inside a step. Without a path it is kept in memory until recording:take() takes it"},
    {.name = "difference",
     .call = bind_world_difference,
     .signature = "(other) -> difference or nil",
     .doc =
         "the first number in which the world differs from another one, or from the state in a snapshot: object "
         "(\"body\", \"contact\", ...), name, id (other, name_b: of a contact's second shape and body), field, a and "
         "b; "
         "bodies in the order of creation come first; a and b are missing where they are texts; nil: nothing differs"},
    {.name = "read",
     .call = bind_world_read,
     .signature = "(bodies [, buffer [, what]]) -> buffer",
     .doc =
         "quantities of a list of bodies as one flat list of numbers, without garbage where the list is given: all "
         "numbers of the first body, then of the second, ...; what names them in their order: position (2 numbers), "
         "center (2), angle, velocity (2), angular_velocity, contact_force (2); by default \"position angle velocity "
         "angular_velocity\"; numbers of the buffer beyond them stay"},
    {.name = "write",
     .call = bind_world_write,
     .signature = "(bodies, buffer [, what])",
     .doc = "set quantities of a list of bodies from such a list as their setters would, all or, on an error, nothing; "
            "beside those of read, but contact_force, they are force (2), torque, impulse (2), angular_impulse, which "
            "are applied; position and angle are one teleport"},
    {.name = "raycast",
     .call = bind_world_raycast,
     .signature = "(x1, y1, x2, y2 [, filter [, hit]]) -> hit or nil",
     .unit = "m",
     .takes = filter_tables,
     .doc =
         "the first shape on the way: { body, shape, x, y, nx, ny, fraction }, in the table `hit` if given; inside a "
         "solid from the start: fraction 0, normal 0, 0"},
    {.name = "raycast_any",
     .call = bind_world_raycast_any,
     .signature = "(x1, y1, x2, y2 [, filter]) -> boolean",
     .unit = "m",
     .takes = filter_tables,
     .doc = "whether anything is on the way; cheaper than raycast"},
    {.name = "raycast_all",
     .call = bind_world_raycast_all,
     .signature = "(x1, y1, x2, y2 [, filter [, list]]) -> list",
     .unit = "m",
     .takes = filter_tables,
     .doc = "a hit for each shape on the way, where the ray first meets it, by fraction, then by creation; a list that "
            "is given is filled again with its tables"},
    {.name = "raycast_many",
     .call = bind_world_raycast_many,
     .signature = "(rays, results [, filter]) -> number",
     .unit = "m",
     .takes = filter_tables,
     .doc = "rays { x1, y1, x2, y2, ... } in one call: fills the lists fraction, x, y, nx, ny and shape of results, by "
            "ray; a ray that meets nothing has fraction 1, its end and shape false; gives the number of hits"},
    {.name = "shapecast",
     .call = bind_world_shapecast,
     .signature = "(shape, dx, dy [, filter [, hit]]) -> hit or nil",
     .unit = "m",
     .takes = form_tables,
     .doc =
         "what a shape meets first on its way, without turning: one of the world, whose body is left out, or a table: "
         "{ radius, position }, { width, height, position, angle, radius }, { points, position, angle, radius } or "
         "{ from, to, radius }; overlapping from the start: fraction 0"},
    {.name = "shapecast_all",
     .call = bind_world_shapecast_all,
     .signature = "(shape, dx, dy [, filter [, list]]) -> list",
     .unit = "m",
     .takes = form_tables,
     .doc = "a hit for each shape that a shape meets on its way, as if the others were not there, by fraction, then by "
            "creation; shape and list as of shapecast and raycast_all"},
    {.name = "overlap_point",
     .call = bind_world_overlap_point,
     .signature = "(x, y [, filter [, list]]) -> list",
     .unit = "m",
     .takes = filter_tables,
     .doc = "the shapes that contain a point, by creation; in `list` if given"},
    {.name = "overlap_box",
     .call = bind_world_overlap_box,
     .signature = "(x1, y1, x2, y2 [, filter [, list]]) -> list",
     .unit = "m",
     .takes = filter_tables,
     .doc = "the shapes, not their boxes, that overlap or touch the box between two corners, by creation"},
    {.name = "overlap_circle",
     .call = bind_world_overlap_circle,
     .signature = "(x, y, radius [, filter [, list]]) -> list",
     .unit = "m",
     .takes = filter_tables,
     .doc = "the shapes that overlap or touch a circle, by creation"},
    {.name = "overlap_shape",
     .call = bind_world_overlap_shape,
     .signature = "(shape [, filter [, list]]) -> list",
     .unit = "m",
     .takes = form_tables,
     .doc = "the shapes that overlap or touch a shape, by creation; the shape as shapecast takes it"},
    {.name = "shape_at",
     .call = bind_world_shape_at,
     .signature = "(x, y [, filter]) -> shape or nil",
     .unit = "m",
     .takes = filter_tables,
     .doc = "of the shapes that contain a point the one made last, which is drawn on top"},
    {.name = "nearest",
     .call = bind_world_nearest,
     .signature = "(x, y [, radius [, filter [, hit]]]) -> hit or nil",
     .unit = "m",
     .takes = filter_tables,
     .doc = "the shape whose surface is nearest to a point, no farther than the radius: { body, shape, x, y, nx, ny, "
            "distance }, x, y on its surface; inside: the distance is negative, and the deepest counts"},
    {.name = "closest",
     .call = bind_world_closest,
     .signature = "(shape_a, shape_b) -> distance, xa, ya, xb, yb, nx, ny",
     .unit = "m",
     .doc = "distance of two shapes, negative when they overlap, the closest points of their surfaces and the normal "
            "from a to b"},
    {.name = "time_of_impact",
     .call = bind_world_time_of_impact,
     .signature = "(shape_a, motion_a, shape_b [, motion_b [, target]]) -> t, x, y, nx, ny or nil",
     .takes = motion_tables,
     .doc =
         "when, from 0 to 1, two shapes would first be `target` [m] apart (0 by default) if their bodies moved so; a "
         "motion is { travel = { dx, dy }, turn } or nil; the point between them and the normal from a to b then; nil "
         "if never; nothing moves"},
    {.name = "counts",
     .call = bind_world_counts,
     .signature = "([table]) -> table",
     .doc = "bodies, awake, shapes, contacts, joints, fields, movers, rows, islands, colours, bytes, lua_bytes"},
    {.name = "islands",
     .call = bind_world_islands,
     .signature = "() -> list",
     .doc = "the islands, which fall asleep as one: each a list of dynamic bodies and particles that touch or that "
            "joints connect, in creation order; computed by each call"},
    {.name = "profile",
     .call = bind_world_profile,
     .signature = "([table]) -> table",
     .unit = "s",
     .doc =
         "time of each stage of the last step, and step for all of the core; clusters: the part of solve that went to "
         "joints that `soft` solves together; with world.profiling also lua, the time "
         "in functions of Lua, of which those of \"step\" and of events are beside step and the others in it"},
    {.name = "residual",
     .call = bind_world_residual,
     .signature = "([table]) -> table",
     .doc =
         "how well the last step was solved. velocity: what rows are off by [m/s, rad/s], springs too, but under soft "
         "and xpbd (there direct is what to compare with); error: velocity as a part "
         "of what gravity adds in a substep (without it, of the largest velocity of an impulse); converged: error is "
         "at most 0.01 and the solver has not stalled; reason: 'converged', after all sweeps; 'iterations', all were "
         "made before it converged or "
         "met a tolerance; 'impulse', 'velocity', 'change': that tolerance was met; 'solved', 'stalled': direct "
         "solves, the last where no forces meet all rows, as where bounds or locks contradict each other; 'none'. "
         "open: "
         "how many joints are farther apart than 5 % of their size, or drift apart though their rows are solved, until "
         "they are below 1 % again (a \"warning\" names each; a lock that is not held is not counted before that). "
         "penetration, separation, complementarity, contraction (of the impulses a sweep), solved_to, sweeps, "
         "redundant (rows that follow from others), flops"},
    {.name = "convergence",
     .call = bind_world_convergence,
     .signature = "() -> list",
     .doc = "the sweeps of the last step, while history is on: substep, impulse, velocity, change of each"},
    {.name = "audit",
     .call = bind_world_audit,
     .signature = "([table]) -> table",
     .unit = "J",
     .doc = "the ledger of energy since auditing was set: before, after, what each cause added, and who added most in "
            "one step as worst, worst_cause, worst_owner; step: the same of the last step"},
    {.name = "destroy", .call = world_destroy, .signature = "()", .doc = "free it with everything in it"},
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
