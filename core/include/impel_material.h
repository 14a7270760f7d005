// impel: materials, names that shapes share for what they are made of. A chapter of impel.h, which includes it; do not
// include it alone.
#ifndef IMPEL_MATERIAL_H
#define IMPEL_MATERIAL_H

/// What a material says about the shapes made of it; NaN: nothing.
typedef struct ImpMaterialDef {
  double density;               ///< [kg/m^2]
  double friction;              ///< as in ImpShapeDef, like the rest
  double restitution;           ///< 0..1
  double rolling_resistance;    ///< 1
  double surface_speed;         ///< [m/s]
  double restitution_threshold; ///< [m/s]
  double hit_speed;             ///< [m/s]
} ImpMaterialDef;
/// One that says nothing.
IMP_API ImpMaterialDef imp_material_def(void);

#define IMP_MAX_MATERIALS 256

/// Declare a material; its number is 1 or above. One of that name is declared anew: what is made of it already stays as it
/// is. Error: a number that no shape may have, more than IMP_MAX_MATERIALS, inside a step.
IMP_CALL ImpStatus imp_world_set_material(ImpWorld *world, const char *name, const ImpMaterialDef *def,
                                          int *out_material);
IMP_API int imp_world_material_count(const ImpWorld *world);
/// The number of a material, or 0.
IMP_API int imp_world_find_material(const ImpWorld *world, const char *name);
IMP_API ImpStatus imp_world_material(const ImpWorld *world, int material, const char **out_name,
                                     ImpMaterialDef *out_def);
/// Write what the material says into a shape's definition, and that the shape is made of it.
IMP_API ImpStatus imp_material_apply(const ImpWorld *world, int material, ImpShapeDef *def);
/// The number of the shape's material, 0: none.
IMP_API ImpStatus imp_shape_material(const ImpWorld *world, ImpShape shape, int *out_material);
/// It takes over what the material says. 0: it is of none, and keeps its numbers.
IMP_CALL ImpStatus imp_shape_set_material(ImpWorld *world, ImpShape shape, int material);

/// How two materials mix; NaN: as shapes without a material do.
typedef struct ImpMix {
  double friction;    ///< Coulomb coefficient
  double restitution; ///< 0..1
} ImpMix;

/// Two materials mix like this, whatever the callback would say. Error: no such material, a number out of range, inside
/// a step.
IMP_CALL ImpStatus imp_world_set_mix(ImpWorld *world, int material_a, int material_b, const ImpMix *mix);
/// What is fixed, and what two shapes of these materials get, as far as it is known: the callback is not called for it.
IMP_API ImpStatus imp_world_mix(const ImpWorld *world, int material_a, int material_b, ImpMix *out_fixed,
                                ImpMix *out_mix);

/// Called once for each pair of materials, when shapes of them first come near each other, at the start of a step, the
/// material declared first as the first; also for a material with itself. `mix` is NaN, to be filled in. Null removes it.
typedef void (*ImpMixFn)(ImpWorld *world, int material_a, int material_b, ImpMix *mix, void *user);
IMP_CALL void imp_world_set_mix_callback(ImpWorld *world, ImpMixFn callback, void *user);
/// The callback would now say something else: all pairs are asked about anew, when they are next needed. Not inside a
/// step.
IMP_CALL ImpStatus imp_world_forget_mixes(ImpWorld *world);

#endif
