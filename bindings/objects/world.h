// Worlds: creation, and the methods of the class world that have no header of their own.
#ifndef IMPEL_BINDINGS_WORLD_H
#define IMPEL_BINDINGS_WORLD_H

#include "base/options.h"

extern const Class bind_world_class;
extern const Members bind_world_members;

/// impel.world{...}, world:options(), world.fault.
int bind_world_new(lua_State *L);
extern const Options bind_world_options;
int bind_world_definition(lua_State *L);
int bind_get_fault(lua_State *L, void *self);
void bind_set_fault(lua_State *L, void *self);
/// Fill the entries of bind_world_members before the class is registered. Thread-safe; further calls do nothing.
void bind_make_world_entries(void);
/// Push the userdata of a world, without a core world.
WorldBox *bind_push_world(lua_State *L);

/// handlers.c, subscription.c, event.c
int bind_world_step(lua_State *L);
int bind_world_on(lua_State *L);
extern const Options bind_on_options;
int bind_world_events(lua_State *L);

/// bodies.c, random.c
int bind_world_read(lua_State *L);
int bind_world_write(lua_State *L);
int bind_world_random(lua_State *L);

/// mover.c: world:mover{...}
int bind_world_mover(lua_State *L);
extern const Options bind_mover_options;

/// inspect.c: world:energy() and other properties of a whole world.
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

#endif
