// Constraints of one's own: their constructor, and their functions in a step.
#ifndef IMPEL_BINDINGS_CONSTRAINT_H
#define IMPEL_BINDINGS_CONSTRAINT_H

#include "base/options.h"

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
