// User-defined constraints: their constructor, and the calls of their functions in a step.
#ifndef IMPEL_BINDINGS_CONSTRAINT_H
#define IMPEL_BINDINGS_CONSTRAINT_H

#include "base/options.h"

/// world:constraint(a, b, ..., {...}), joint.param, joint:retrace().
int bind_world_constraint(lua_State *L);
extern const Options bind_constraint_options;
int bind_get_param(lua_State *L, void *self);
int bind_joint_retrace(lua_State *L);
/// Call a constraint's function, under lua_pcall, with (world, joint id, t).
int bind_constraint_evaluate(lua_State *L);
void bind_constraint_failed(WorldBox *box); ///< clean up after an error in bind_constraint_evaluate
void bind_forget_constraint(lua_State *L, int owner, ImpJoint joint); ///< release the function of a destroyed joint
/// Create the metatable of constraint.param, once per Lua state.
void bind_register_param(lua_State *L);

#endif
