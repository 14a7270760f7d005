// The class row: a constraint row as the solver last used it, and iterators over rows. Row objects are pooled.
#include "objects/row.h"
#include "objects/joint.h"
#include "objects/object.h"
#include "objects/world.h"

typedef struct RowObject {
  Handle handle;  // handle.id is the id of the joint or contact
  uint64_t epoch; // epoch in which this object was last pushed
  ImpRowKind kind;
  int index; // number of the coordinate or contact point, from 0
  bool of_contact;
  int place; // index in the core's list at the last look-up
} RowObject;

enum { REUSE_TRIES = 4 };


static bool owner_lives(const ImpWorld *world, bool of_contact, uint64_t id) {
  return of_contact ? imp_contact_is_valid(world, (ImpContact){id}) : imp_joint_is_valid(world, (ImpJoint){id});
}


static uint64_t owner_of(const ImpRowInfo *info) { return info->joint.id != 0 ? info->joint.id : info->contact.id; }


static bool is_row(const RowObject *row, const ImpRowInfo *info) {
  return row->handle.id == owner_of(info) && row->of_contact == (info->joint.id == 0) && row->kind == info->kind &&
         row->index == info->index;
}


// Return the row in the core's list of rows, or null. If the core has rebuilt the list, `place` may be out of date.
static const ImpRowInfo *find_row(RowObject *row) {
  const WorldBox *box = row->handle.box;
  const ImpRowInfo *rows;
  int all, first, count;
  if (!box->world || row->epoch != box->epoch || !owner_lives(box->world, row->of_contact, row->handle.id)) return NULL;
  if (imp_world_rows(box->world, &rows, &all) != IMP_OK) return NULL;
  if (row->place < all && is_row(row, &rows[row->place])) return &rows[row->place];
  ImpStatus status = row->of_contact ? imp_contact_rows(box->world, (ImpContact){row->handle.id}, &first, &count)
                                     : imp_joint_rows(box->world, (ImpJoint){row->handle.id}, &first, &count);
  for (int i = 0; status == IMP_OK && i < count; i++) {
    if (!is_row(row, &rows[first + i])) continue;
    row->place = first + i;
    return &rows[first + i];
  }
  return NULL;
}


static bool row_is_valid(const void *self) { return find_row((void *)(uintptr_t)self) != NULL; }


static void row_require(lua_State *L, void *self, const Entry *entry) {
  (void)entry;
  const RowObject *row = self;
  if (find_row(self)) return;
  if (row->handle.box->world && row->epoch != row->handle.box->epoch) {
    bind_error(L,
               "attempt to use a row after its step (a row object is valid until the next step; after %d steps it may "
               "be reused for another row; store the values that you need instead)",
               POOL_REST);
  }
  bind_error(L, "attempt to use a row that no longer exists: its %s was destroyed, or got new rows",
             row->of_contact ? "contact" : "joint");
}


static const Class row_class = {
    .name = "row",
    .registry = "impel.row",
    .require = row_require,
    .is_valid = row_is_valid,
};


// ---------------------------------------------------------------------------------------------------------------------
// The pool
// ---------------------------------------------------------------------------------------------------------------------

// Return the key (53 bits) of a row. Two keys are equal with a probability of about 10^-15.
static lua_Integer key_of(bool of_contact, uint64_t owner, ImpRowKind kind, int index) {
  uint64_t spread = (of_contact ? ~owner : owner) * 0x9e3779b97f4a7c15u; // hash that spreads neighbouring ids
  return (lua_Integer)((spread >> 12) + (uint64_t)kind * IMP_MAX_CONSTRAINT_ROWS + (uint64_t)index);
}


// Push a pooled object that was not pushed for POOL_REST steps, and remove it from the map; or return null.
static RowObject *reuse_row(lua_State *L, int pool, int map, WorldBox *box) {
  for (int i = 0; i < REUSE_TRIES && i < box->row_count; i++) {
    box->row_hand = box->row_hand % box->row_count + 1;
    lua_rawgeti(L, pool, box->row_hand);
    RowObject *row = lua_touserdata(L, -1);
    if (row->epoch + POOL_REST <= box->epoch) {
      lua_pushnil(L);
      lua_rawseti(L, map, key_of(row->of_contact, row->handle.id, row->kind, row->index));
      return row;
    }
    lua_pop(L, 1);
  }
  return NULL;
}


// Push the object of the row at a place of the core's list.
static void push_row(lua_State *L, int owner, const ImpRowInfo *info, int place) {
  WorldBox *box = ((Handle *)lua_touserdata(L, owner))->box;
  int top = lua_gettop(L), map = top + 1, pool = top + 2;
  bool of_contact = info->joint.id == 0;
  lua_Integer key = key_of(of_contact, owner_of(info), info->kind, info->index);
  bind_world_table(L, owner, SLOT_ROWS);
  lua_rawgeti(L, map, key);
  RowObject *row = lua_touserdata(L, -1);
  if (!row || !is_row(row, info)) {
    lua_pop(L, 1);
    bind_world_table(L, owner, SLOT_ROW_POOL);
    row = reuse_row(L, pool, map, box);
    if (!row) {
      row = bind_new_object(L, owner, &row_class, sizeof *row);
      row->epoch = UINT64_MAX - POOL_REST; // an incomplete object is neither valid nor reused
      lua_pushvalue(L, -1);
      lua_rawseti(L, pool, box->row_count + 1);
      box->row_count++;
    }
    row->handle.id = owner_of(info);
    row->of_contact = of_contact;
    row->kind = info->kind;
    row->index = info->index;
    lua_pushvalue(L, -1);
    lua_rawseti(L, map, key);
  }
  row->epoch = box->epoch;
  row->place = place;
  lua_replace(L, map);
  lua_settop(L, map);
}


// ---------------------------------------------------------------------------------------------------------------------
// Iterators. The state of the loop is the world, joint or contact; the control variable is the last row.
// ---------------------------------------------------------------------------------------------------------------------

// Iterate over rows `first` to `first + count - 1`: push the row that follows the row at stack index 2, or row `first`
// if index 2 is nil. Skip the rows of destroyed joints and contacts.
static int push_next(lua_State *L, const ImpRowInfo *rows, int first, int count) {
  const Handle *owner = lua_touserdata(L, 1);
  RowObject *last = luaL_testudata(L, 2, row_class.registry);
  int at = first;
  if (!last && !lua_isnoneornil(L, 2)) return bind_no_loop(L);
  if (last) {
    if (last->handle.box != owner->box) return bind_error(L, "the previous row belongs to another world");
    row_require(L, last, NULL);
    at = last->place + 1;
  }
  while (at < first + count && !owner_lives(owner->box->world, rows[at].joint.id == 0, owner_of(&rows[at]))) at++;
  if (at < first || at >= first + count) return 0;
  push_row(L, 1, &rows[at], at);
  return 1;
}


// Return the rows of the last step; raise inside a step.
static const ImpRowInfo *list_rows(lua_State *L, ImpWorld *world, int *out_count) {
  const ImpRowInfo *rows = NULL;
  if (imp_world_rows(world, &rows, out_count) != IMP_OK) bind_error(L, "%s", imp_last_error());
  return rows;
}


static int next_world_row(lua_State *L) {
  WorldBox *box = luaL_testudata(L, 1, bind_world_class.registry);
  int count = 0;
  if (!box) return bind_no_loop(L);
  if (!box->world) return bind_dead(L, 1, "world");
  const ImpRowInfo *rows = list_rows(L, box->world, &count);
  return push_next(L, rows, 0, count);
}


static int next_joint_row(lua_State *L) {
  Handle *self = luaL_testudata(L, 1, bind_joint_class.registry);
  int all = 0, first = 0, count = 0;
  if (!self) return bind_no_loop(L);
  if (!bind_joint_class.is_valid(self)) return 0; // destroyed during the loop
  const ImpRowInfo *rows = list_rows(L, self->box->world, &all);
  imp_joint_rows(self->box->world, (ImpJoint){self->id}, &first, &count);
  return push_next(L, rows, first, count);
}


static int next_contact_row(lua_State *L) {
  Handle *self = luaL_testudata(L, 1, bind_contact_class.registry);
  int all = 0, first = 0, count = 0;
  if (!self) return bind_no_loop(L);
  bind_require(L, &bind_contact_class, self, NULL);
  const ImpRowInfo *rows = list_rows(L, self->box->world, &all);
  imp_contact_rows(self->box->world, (ImpContact){self->id}, &first, &count);
  return push_next(L, rows, first, count);
}


static int iterate(lua_State *L, const Class *class, lua_CFunction next) {
  Handle *self = bind_check(L, class);
  const ImpRowInfo *rows;
  int count;
  bind_status(L, imp_world_rows(self->box->world, &rows, &count));
  lua_settop(L, 1);
  lua_pushcfunction(L, next);
  lua_insert(L, 1);
  return 2;
}


// for row in world:rows()
int bind_world_rows(lua_State *L) { return iterate(L, &bind_world_class, next_world_row); }


// for row in joint:rows()
int bind_joint_rows(lua_State *L) { return iterate(L, &bind_joint_class, next_joint_row); }


// for row in contact:rows()
int bind_contact_rows(lua_State *L) { return iterate(L, &bind_contact_class, next_contact_row); }


// ---------------------------------------------------------------------------------------------------------------------
// Properties. row_require has already found the row.
// ---------------------------------------------------------------------------------------------------------------------

// row.kind
static int get_kind(lua_State *L, void *self) {
  lua_pushstring(L, imp_row_kind_name((int)((RowObject *)self)->kind));
  return 1;
}


// row.owner
static int get_owner(lua_State *L, void *self) {
  const RowObject *row = self;
  if (row->of_contact) {
    bind_push_contact(L, 1, (ImpContact){row->handle.id});
  } else {
    bind_push_joint(L, 1, (ImpJoint){row->handle.id});
  }
  return 1;
}


// row.coordinate
static int get_coordinate(lua_State *L, void *self) {
  const RowObject *row = self;
  if (row->of_contact) {
    lua_pushnil(L);
  } else {
    bind_push_coordinate_name(L, row->handle.box->world, (ImpJoint){row->handle.id}, row->index);
  }
  return 1;
}


// row.point: nil for joints, and for rolling resistance, which acts at no particular point
static int get_point(lua_State *L, void *self) {
  const RowObject *row = self;
  if (row->of_contact && row->kind != IMP_ROW_ROLLING) {
    lua_pushinteger(L, row->index + 1);
  } else {
    lua_pushnil(L);
  }
  return 1;
}


#define NUMBER(member) \
  static int get_##member(lua_State *L, void *self) { \
    lua_pushnumber(L, find_row(self)->member); \
    return 1; \
  }

NUMBER(value)
NUMBER(speed)
NUMBER(bias)
NUMBER(impulse)
NUMBER(force)
NUMBER(mass)
NUMBER(lower)
NUMBER(upper)
NUMBER(power)
NUMBER(work)


// row.clamped
static int get_clamped(lua_State *L, void *self) {
  lua_pushboolean(L, find_row(self)->clamped);
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Methods
// ---------------------------------------------------------------------------------------------------------------------

static int read_jacobian(lua_State *L, ImpBody bodies[BIND_MAX_JOINT_BODIES], double j[3 * BIND_MAX_JOINT_BODIES]) {
  const RowObject *row = bind_check(L, &row_class);
  int count = 0;
  bind_status(L, imp_row_jacobian(row->handle.box->world, row->place, bodies, j, BIND_MAX_JOINT_BODIES, &count));
  luaL_checkstack(L, 3 * count + LUA_MINSTACK, NULL);
  return count;
}


// row:jacobian() -> jx, jy, ja of each body of row:bodies()
static int row_jacobian(lua_State *L) {
  ImpBody bodies[BIND_MAX_JOINT_BODIES];
  double j[3 * BIND_MAX_JOINT_BODIES];
  int count = 3 * read_jacobian(L, bodies, j);
  for (int i = 0; i < count; i++) lua_pushnumber(L, j[i]);
  return count;
}


// row:bodies() -> body, body, ...
static int row_bodies(lua_State *L) {
  ImpBody bodies[BIND_MAX_JOINT_BODIES];
  double j[3 * BIND_MAX_JOINT_BODIES];
  int count = read_jacobian(L, bodies, j);
  for (int i = 0; i < count; i++) bind_push_body(L, 1, bodies[i]);
  return count;
}


// tostring(row)
static int row_tostring(lua_State *L) {
  RowObject *self = luaL_checkudata(L, 1, row_class.registry);
  if (!find_row(self)) {
    lua_pushliteral(L, "row of an earlier step");
    return 1;
  }
  lua_pushfstring(L, "%s row of ", imp_row_kind_name((int)self->kind));
  if (self->of_contact) {
    if (self->kind != IMP_ROW_ROLLING) lua_pushfstring(L, "point %d of ", self->index + 1);
  } else {
    get_coordinate(L, self);
    lua_pushliteral(L, " of ");
  }
  get_owner(L, self);
  luaL_tolstring(L, -1, NULL);
  lua_remove(L, -2);
  lua_concat(L, lua_gettop(L) - 1);
  return 1;
}


#define LENGTH_OR_ANGLE "m or rad"
#define FORCE_OR_TORQUE "N or N m"

static const Entry row_entries[] = {
    {.name = "kind",
     .type = "string",
     .get = get_kind,
     .doc = "\"normal\", \"friction\" or \"rolling\" of a contact; \"lock\", \"lower_limit\", \"upper_limit\", "
            "\"motor\", \"servo\", \"spring\", \"force\", \"user\", \"armature\", \"damping\" or \"dry_friction\" of a "
            "joint"},
    {.name = "owner",
     .type = "joint or contact",
     .get = get_owner,
     .doc = "the joint or contact that the row belongs to"},
    {.name = "coordinate",
     .type = "string",
     .get = get_coordinate,
     .doc = "name of the joint's coordinate that the row acts on; nil for a contact"},
    {.name = "point",
     .type = "integer",
     .get = get_point,
     .doc = "number of the contact's point; nil for a joint and for rolling resistance"},
    {.name = "value",
     .type = "number",
     .unit = LENGTH_OR_ANGLE,
     .get = get_value,
     .doc = "position error C, which the row drives to 0; 0 for rows without a position, such as those of a motor or "
            "of friction"},
    {.name = "speed",
     .type = "number",
     .unit = "m/s or rad/s",
     .get = get_speed,
     .doc = "J v after the step: the rate of change of `value`"},
    {.name = "bias",
     .type = "number",
     .unit = "m/s or rad/s",
     .get = get_bias,
     .doc = "bias velocity b in the last substep: the row drives J v + b to 0"},
    {.name = "impulse",
     .type = "number",
     .unit = "N s or N m s",
     .get = get_impulse,
     .doc = "impulse of the row, summed over the last step"},
    {.name = "force", .type = "number", .unit = FORCE_OR_TORQUE, .get = get_force, .doc = "impulse / dt"},
    {.name = "mass",
     .type = "number",
     .unit = "kg or kg m^2",
     .get = get_mass,
     .doc = "effective mass 1 / (J M^-1 J^T), with the inverse M^-1 of the bodies' masses and inertias; 0 if no body "
            "that the row acts on can move"},
    {.name = "lower",
     .type = "number",
     .unit = FORCE_OR_TORQUE,
     .get = get_lower,
     .doc = "smallest force that the row may exert"},
    {.name = "upper",
     .type = "number",
     .unit = FORCE_OR_TORQUE,
     .get = get_upper,
     .doc = "largest force that the row may exert"},
    {.name = "clamped",
     .type = "boolean",
     .get = get_clamped,
     .doc = "whether the row's force is at `lower` or `upper`"},
    {.name = "power",
     .type = "number",
     .unit = "W",
     .get = get_power,
     .doc = "work of the row's impulses in the last step, divided by dt; the work of an impulse is the impulse times "
            "the mean of J v before and after it"},
    {.name = "work",
     .type = "number",
     .unit = "J",
     .get = get_work,
     .doc = "work of the row since the joint was created or the contact began. In each substep a lock removes the "
            "speed that loads have just added, which counts as work of the lock. So the work of all rows does not "
            "balance the energy of the world; world:audit() gives a balance"},
    {.name = "jacobian",
     .call = row_jacobian,
     .signature = "() -> ...",
     .doc = "Jacobian J of the row: for each body of row:bodies() three numbers, the derivatives by x and y of the "
            "centre of mass and by the angle"},
    {.name = "bodies",
     .call = row_bodies,
     .signature = "() -> body, body, ...",
     .doc = "bodies of the row, in the order of jacobian()"},
    {.name = "is_valid",
     .call = bind_is_valid,
     .signature = "() -> boolean",
     .doc = "whether the row may be used. A step makes it invalid until an iterator returns it again. After its joint "
            "was destroyed or its contact has ended it stays invalid"},
    {.name = NULL},
};


const Members bind_row_members = {&row_class, row_entries, row_tostring, NULL};
