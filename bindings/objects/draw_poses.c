// impel.drawing.poses(): poses of bodies before a step, for interpolation with the present poses.
//
//   local poses = drawing.poses()
//   poses:note(world)                        -- before each step
//   world:step()
//   poses:set_fraction(0.25)                 -- 0: the stored poses, 1: the present ones
//   d:world(world, options, poses)
//   local x, y, angle = poses:pose(body)
#include "base/quota.h"
#include "objects/body.h"
#include "objects/draw.h"
#include "objects/world.h"


#define CLASS "impel.poses"

typedef struct Poses {
  ImpPoses *poses;
} Poses;


static ImpPoses *check_poses(lua_State *L, int index) {
  ImpPoses *poses = ((Poses *)luaL_checkudata(L, index, CLASS))->poses;
  if (poses == NULL) bind_error(L, "attempt to use poses that were garbage-collected");
  return poses;
}


const ImpPoses *draw_poses_at(lua_State *L, int index) {
  return lua_isnoneornil(L, index) ? NULL : check_poses(L, index);
}


// Return the body at index 2, which must be valid.
static const Handle *body_at(lua_State *L, const char *call) {
  const Handle *body = luaL_testudata(L, 2, bind_body_class.registry);
  if (body == NULL) bind_error(L, "poses:%s: argument 'body' must be a body, got %s", call, bind_got(L, 2));
  if (!bind_body_class.is_valid(body)) bind_dead(L, 2, "body");
  return body;
}


// poses:note(world): store the pose of every body
static int poses_note(lua_State *L) {
  ImpPoses *poses = check_poses(L, 1);
  const WorldBox *box = luaL_testudata(L, 2, bind_world_class.registry);
  if (box == NULL) return bind_error(L, "poses:note: argument 'world' must be a world, got %s", bind_got(L, 2));
  if (box->world == NULL) return bind_error(L, "poses:note: the world was destroyed");
  if (imp_poses_store(poses, box->world) != IMP_OK) return bind_error(L, "poses:note: %s", imp_last_error());
  return 0;
}


// poses:set_fraction(fraction): 0 is the stored pose, 1 the present pose
static int poses_set_fraction(lua_State *L) {
  ImpPoses *poses = check_poses(L, 1);
  if (lua_type(L, 2) != LUA_TNUMBER) {
    return bind_error(L, "poses:set_fraction: argument 'fraction' must be a number, got %s", bind_got(L, 2));
  }
  if (imp_poses_set_fraction(poses, lua_tonumber(L, 2)) != IMP_OK) {
    return bind_error(L, "poses:set_fraction: %s", imp_last_error());
  }
  return 0;
}


// poses:pose(body) -> x, y, angle: the interpolated pose
static int poses_pose(lua_State *L) {
  const ImpPoses *poses = check_poses(L, 1);
  const Handle *body = body_at(L, "pose");
  ImpTransform frame = {{0, 0}, {1, 0}};
  double angle = 0;
  imp_poses_body(poses, body->box->world, (ImpBody){body->id}, &frame, &angle);
  bind_push_vec2(L, frame.p);
  lua_pushnumber(L, angle);
  return 3;
}


static ImpVec2 rotate(ImpRot q, ImpVec2 v) { return (ImpVec2){q.c * v.x - q.s * v.y, q.s * v.x + q.c * v.y}; }


// Push the position of a body-fixed point. If `to_drawn`, arguments 3 and 4 are the position at the present pose,
// and the result is the position at the interpolated pose of the body; otherwise the other way round.
static int push_moved(lua_State *L, const char *call, bool to_drawn) {
  const ImpPoses *poses = check_poses(L, 1);
  const Handle *body = body_at(L, call);
  ImpVec2 p = {luaL_checknumber(L, 3), luaL_checknumber(L, 4)};
  ImpTransform from = {{0, 0}, {1, 0}}, to = from;
  imp_body_transform(body->box->world, (ImpBody){body->id}, to_drawn ? &from : &to);
  imp_poses_body(poses, body->box->world, (ImpBody){body->id}, to_drawn ? &to : &from, NULL);
  bool same = from.p.x == to.p.x && from.p.y == to.p.y && from.q.c == to.q.c && from.q.s == to.q.s;
  if (!same) {
    ImpVec2 local = rotate((ImpRot){from.q.c, -from.q.s}, (ImpVec2){p.x - from.p.x, p.y - from.p.y});
    ImpVec2 turned = rotate(to.q, local);
    p = (ImpVec2){to.p.x + turned.x, to.p.y + turned.y};
  }
  return bind_push_vec2(L, p);
}


// poses:to_drawn(body, x, y) -> x, y: interpolated position of the body's point whose present position is x, y
static int poses_to_drawn(lua_State *L) { return push_moved(L, "to_drawn", true); }


// poses:from_drawn(body, x, y) -> x, y: the inverse of poses:to_drawn
static int poses_from_drawn(lua_State *L) { return push_moved(L, "from_drawn", false); }


static int poses_close(lua_State *L) {
  Poses *self = luaL_checkudata(L, 1, CLASS);
  ImpPoses *poses = self->poses;
  self->poses = NULL;
  imp_poses_destroy(poses);
  return 0;
}


int draw_poses_new(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"note", poses_note},         {"set_fraction", poses_set_fraction}, {"pose", poses_pose},
      {"to_drawn", poses_to_drawn}, {"from_drawn", poses_from_drawn},     {NULL, NULL}};
  Poses *self = lua_newuserdatauv(L, sizeof *self, 0);
  self->poses = NULL;
  if (luaL_newmetatable(L, CLASS)) {
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, poses_close);
    lua_setfield(L, -2, "__gc");
    lua_pushliteral(L, "poses");
    lua_setfield(L, -2, "__metatable");
  }
  lua_setmetatable(L, -2);
  ImpAllocator allocator = bind_allocator();
  if (imp_poses_create(&allocator, &self->poses) != IMP_OK) {
    return bind_error(L, "drawing.poses: %s", imp_last_error());
  }
  return 1;
}
