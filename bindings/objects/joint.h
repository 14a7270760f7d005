// Joints: their constructor, break_if, and what a step does with those that broke.
#ifndef IMPEL_BINDINGS_JOINT_H
#define IMPEL_BINDINGS_JOINT_H

#include "base/options.h"

extern const Class bind_joint_class, bind_coordinate_class;
extern const Members bind_joint_members, bind_coordinate_members;

/// A gear may couple two constraints.
enum { BIND_MAX_JOINT_BODIES = 2 * IMP_MAX_CONSTRAINT_BODIES };

/// world:revolute(a, b, {...}) and its siblings: the kind is that of the options.
int bind_world_joint(lua_State *L);
/// The entry of the constructor of a kind, made from the core's table of kinds; its options are made with it.
Entry bind_joint_entry(int kind);
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
int bind_joint_definition(lua_State *L);

#endif
