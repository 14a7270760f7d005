// impel: materials (named sets of values that shapes share), and how two materials mix. Included by impel.h.
#ifndef IMPEL_MATERIAL_H
#define IMPEL_MATERIAL_H

/// Values that a material sets in its shapes, as in ImpShapeDef. NaN: not set.
typedef struct ImpMaterialDef {
  double density;               ///< [kg/m^2]
  double friction;              ///< Coulomb coefficient
  double restitution;           ///< 0..1
  double rolling_resistance;    ///< torque / (radius * normal force)
  double surface_speed;         ///< [m/s]
  double restitution_threshold; ///< [m/s]
  double hit_speed;             ///< [m/s]
} ImpMaterialDef;
/// Return a definition that sets no value.
IMP_API ImpMaterialDef imp_material_def(void);

/// Largest number of materials in a world.
#define IMP_MAX_MATERIALS 256

/// Declare a material and return its number, from 1. If the name exists, its definition is replaced; existing shapes
/// keep their values. Errors: no name; a value that a shape does not accept; IMP_ERR_LIMIT above IMP_MAX_MATERIALS;
/// IMP_ERR_STATE inside a step.
IMP_CALL ImpStatus imp_world_set_material(ImpWorld *world, const char *name, const ImpMaterialDef *def,
                                          int *out_material);
IMP_API int imp_world_material_count(const ImpWorld *world);
/// Return the number of the material with this name, or 0.
IMP_API int imp_world_find_material(const ImpWorld *world, const char *name);
/// Read name and definition of a material. The string is valid as long as the world.
IMP_API ImpStatus imp_world_material(const ImpWorld *world, int material, const char **out_name,
                                     ImpMaterialDef *out_def);
/// Write the number of a material and its values into a shape's definition. 0 (no material) writes only the number.
IMP_API ImpStatus imp_material_apply(const ImpWorld *world, int material, ImpShapeDef *def);
/// Read the number of the shape's material, 0: none.
IMP_API ImpStatus imp_shape_material(const ImpWorld *world, ImpShape shape, int *out_material);
/// Set the shape's material and take over its values. 0: no material, the values stay. A change wakes the body and the
/// bodies that touch the shape.
IMP_CALL ImpStatus imp_shape_set_material(ImpWorld *world, ImpShape shape, int material);

/// Values of a contact between two materials. NaN: mixed from the values of the shapes.
typedef struct ImpMix {
  double friction;    ///< Coulomb coefficient
  double restitution; ///< 0..1
} ImpMix;

/// Set the values of contacts between two materials; values that are not NaN take precedence over the results of the
/// mix callback. Errors: no such material; a value out of range; IMP_ERR_STATE inside a step.
IMP_CALL ImpStatus imp_world_set_mix(ImpWorld *world, int material_a, int material_b, const ImpMix *mix);
/// Read the values of contacts between two materials. `out_fixed`: the values set by imp_world_set_mix. `out_mix`: the
/// values in effect, including stored results of the mix callback. Does not call the callback.
IMP_API ImpStatus imp_world_mix(const ImpWorld *world, int material_a, int material_b, ImpMix *out_fixed,
                                ImpMix *out_mix);

/// Function that mixes two materials. It is called at the start of a step, once for each pair of materials (including a
/// material with itself) when their shapes first come near each other. material_a: the material that was declared
/// first. `mix` holds NaN before the call; the function sets the values that it determines. A value out of range counts
/// as NaN.
typedef void (*ImpMixFn)(ImpWorld *world, int material_a, int material_b, ImpMix *mix, void *user);
/// Set the mix callback; null removes it. Stored results remain in effect.
IMP_CALL void imp_world_set_mix_callback(ImpWorld *world, ImpMixFn callback, void *user);
/// Discard the results of the mix callback, which is called again for each pair of materials. Error: IMP_ERR_STATE
/// inside a step.
IMP_CALL ImpStatus imp_world_forget_mixes(ImpWorld *world);

#endif
