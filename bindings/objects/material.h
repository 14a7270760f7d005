// Materials (world:material), friction and restitution of pairs (world:mix, world:mix_rule), and shape.material.
#ifndef IMPEL_BINDINGS_MATERIAL_H
#define IMPEL_BINDINGS_MATERIAL_H

#include "base/options.h"

/// Methods of the class world, and bind_mix_evaluate (world, material, material, rule) -> number or nil
int bind_world_material(lua_State *L);
int bind_world_mix(lua_State *L);
int bind_world_mixed(lua_State *L);
int bind_world_mix_rule(lua_State *L);
int bind_world_mix_rules(lua_State *L);
int bind_mix_evaluate(lua_State *L);
bool bind_has_mix_rules(lua_State *L, int world);
extern const Options bind_material_options, bind_mix_options, bind_listed_material_options, bind_listed_mix_options;
/// bind_read_materials applies the options `materials` and `mixes` of the option table at index 1;
/// bind_set_material_lists writes the world's present materials and mixes to a table, without empty lists.
void bind_read_materials(lua_State *L, ImpWorld *world);
void bind_set_material_lists(lua_State *L, int table, const ImpWorld *world);
/// Return the name of material number `material`, or null for an unknown number.
const char *bind_material_name(const ImpWorld *world, int material);
/// The property `material` of a shape. bind_read_material applies the option `material` of the table at index 2, before
/// the other options are read.
int bind_get_material(lua_State *L, void *self);
void bind_set_material(lua_State *L, void *self);
void bind_read_material(lua_State *L, const ImpWorld *world, const char *call, ImpShapeDef *def);

#endif
