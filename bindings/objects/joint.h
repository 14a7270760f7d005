// Joints: their constructor, break_if, and the clean-up after joints are destroyed in a step.
#ifndef IMPEL_BINDINGS_JOINT_H
#define IMPEL_BINDINGS_JOINT_H

#include "base/options.h"

extern const Class bind_joint_class, bind_coordinate_class;
extern const Members bind_joint_members, bind_coordinate_members;

/// The joint with the most bodies is a gear that couples two constraints.
enum { BIND_MAX_JOINT_BODIES = 2 * IMP_MAX_CONSTRAINT_BODIES };

/// world:revolute(a, b, {...}) and the other constructors. Options.joint of the called method gives the kind of joint.
int bind_world_joint(lua_State *L);
/// Return the method entry for the constructor of a kind of joint. Initialize the Options to which the entry points.
Entry bind_joint_entry(int kind);
/// Push the new joint; store `data` and `break_if` of the option table at index `table`.
int bind_finish_joint(lua_State *L, int table, ImpJoint joint);
/// Push break_if function number `place` (0, 1, ...) in the world of `owner` and get its joint, which may be destroyed.
/// If the world has no function of this number, return false and push nothing.
bool bind_push_predicate(lua_State *L, int owner, int place, ImpJoint *out_joint);
/// Raise unless `break_if` of the option table at the index is a function or nil.
void bind_check_break_if(lua_State *L, int table);
/// Call the break_if functions of joints after a step.
/// `traceback`, `error`: stack indices of the message handler and the first error
void bind_ask_predicates(lua_State *L, int world, int traceback, int error);
/// Release the joint.data of destroyed joints.
void bind_forget_joints(lua_State *L, int world);
int bind_joint_definition(lua_State *L);

#endif
