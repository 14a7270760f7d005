// Materials: named sets of shape properties, and the mix of each pair of materials.
#include <string.h>

#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/pairs.h"
#include "world/sleep.h"


ImpMaterialDef imp_material_def(void) {
  return (ImpMaterialDef){(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
}


static const ImpMix no_mix = {(double)NAN, (double)NAN};


int imp_world_material_count(const ImpWorld *world) { return world->materials.list.count; }


int imp_world_find_material(const ImpWorld *world, const char *name) {
  for (int i = 0; i < world->materials.list.count; ++i) {
    if (strcmp(world->materials.list.data[i].name, name) == 0) {
      return i + 1;
    }
  }
  return 0;
}


static ImpStatus check_number(const ImpWorld *world, int material, int least) {
  if (material < least || material > world->materials.list.count) {
    return impi_fail(IMP_ERR_ARGUMENT, "no material has the number %d", material);
  }
  return IMP_OK;
}


static ImpStatus check_outside(const ImpWorld *world) {
  return world->stepping ? impi_fail(IMP_ERR_STATE, "materials of the world cannot be changed inside a step") : IMP_OK;
}


// Check that a number is NaN (not given) or in the range of the shape's property.
static ImpStatus check_said(ImpShapeProperty property, double value) {
  return isnan(value) ? IMP_OK : impi_check_property(imp_shape_property((int)property), value, "material");
}


static ImpStatus check_def(const ImpMaterialDef *def) {
  const struct {
    ImpShapeProperty property;
    double value;
  } numbers[] = {
      {IMP_SHAPE_DENSITY, def->density},
      {IMP_SHAPE_FRICTION, def->friction},
      {IMP_SHAPE_RESTITUTION, def->restitution},
      {IMP_SHAPE_ROLLING_RESISTANCE, def->rolling_resistance},
      {IMP_SHAPE_SURFACE_SPEED, def->surface_speed},
      {IMP_SHAPE_RESTITUTION_THRESHOLD, def->restitution_threshold},
      {IMP_SHAPE_HIT_SPEED, def->hit_speed},
  };
  ImpStatus status = IMP_OK;
  for (int i = 0; i < IMPI_COUNT(numbers) && status == IMP_OK; ++i) {
    status = check_said(numbers[i].property, numbers[i].value);
  }
  return status;
}


static ImpStatus add_material(ImpWorld *world, const char *name, const ImpMaterialDef *def) {
  ImpiMaterials *materials = &world->materials;
  int32_t count = materials->list.count;
  if (count == IMP_MAX_MATERIALS) {
    return impi_fail(IMP_ERR_LIMIT, "a world can have at most %d materials", IMP_MAX_MATERIALS);
  }
  char *copy = NULL;
  if (!impi_reserve(&world->heap, &materials->list, count + 1) ||
      !impi_reserve(&world->heap, &materials->mixes, materials->mixes.count + count + 1) ||
      !impi_copy_string(&world->heap, name, &copy)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  materials->list.data[materials->list.count++] = (ImpiNamedMaterial){copy, *def};
  for (int32_t i = 0; i <= count; ++i) {
    materials->mixes.data[materials->mixes.count++] = (ImpiMix){.fixed = no_mix, .ruled = no_mix};
  }
  return IMP_OK;
}


ImpStatus impi_world_set_material(ImpWorld *world, const char *name, const ImpMaterialDef *def, int *out_material) {
  ImpStatus status = check_outside(world);
  if (status == IMP_OK && (name == NULL || name[0] == 0)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "a material needs a name");
  }
  if (status == IMP_OK) {
    status = check_def(def);
  }
  int number = status == IMP_OK ? imp_world_find_material(world, name) : 0;
  if (status == IMP_OK && number == 0) {
    status = add_material(world, name, def);
    number = world->materials.list.count;
  }
  if (status == IMP_OK) {
    world->materials.list.data[number - 1].def = *def;
    *out_material = number;
  }
  return status;
}


ImpStatus imp_world_material(const ImpWorld *world, int material, const char **out_name, ImpMaterialDef *out_def) {
  ImpStatus status = check_number(world, material, 1);
  if (status == IMP_OK) {
    *out_name = world->materials.list.data[material - 1].name;
    *out_def = world->materials.list.data[material - 1].def;
  }
  return status;
}


ImpStatus imp_material_apply(const ImpWorld *world, int material, ImpShapeDef *def) {
  ImpStatus status = check_number(world, material, 0);
  if (status == IMP_OK) {
    def->material = material;
  }
  if (status == IMP_OK && material > 0) {
    const ImpMaterialDef *said = &world->materials.list.data[material - 1].def;
    impi_take_given(&def->density, said->density);
    impi_take_given(&def->friction, said->friction);
    impi_take_given(&def->restitution, said->restitution);
    impi_take_given(&def->rolling_resistance, said->rolling_resistance);
    impi_take_given(&def->surface_speed, said->surface_speed);
    impi_take_given(&def->restitution_threshold, said->restitution_threshold);
    impi_take_given(&def->hit_speed, said->hit_speed);
  }
  return status;
}


// ---------------------------------------------------------------------------------------------------------------------
// Materials of shapes
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus imp_shape_material(const ImpWorld *world, ImpShape handle, int *out_material) {
  IMPI_FIND_SHAPE(world, handle, slot);
  *out_material = world->shapes.data[slot].material_id;
  return IMP_OK;
}


void impi_shape_finish_set_material(ImpWorld *world, int32_t slot, int32_t material) {
  ImpiShape *shape = &world->shapes.data[slot];
  ImpiMaterial *numbers = &shape->material, before = *numbers;
  double density = shape->density;
  bool same = shape->material_id == material;
  shape->material_id = material;
  if (material > 0) {
    const ImpMaterialDef *said = &world->materials.list.data[material - 1].def;
    impi_take_given(&numbers->friction, said->friction);
    impi_take_given(&numbers->restitution, said->restitution);
    impi_take_given(&numbers->rolling_resistance, said->rolling_resistance);
    impi_take_given(&numbers->surface_speed, said->surface_speed);
    impi_take_given(&numbers->restitution_threshold, said->restitution_threshold);
    impi_take_given(&numbers->hit_speed, said->hit_speed);
    impi_take_given(&shape->density, said->density);
  }
  if (same && shape->density == density && memcmp(numbers, &before, sizeof before) == 0) {
    return;
  }
  world->bouncing += (numbers->restitution > 0) - (before.restitution > 0);
  impi_shape_update_mass(world, slot);
  impi_shape_wake(world, slot);
  impi_shape_mix(world, slot);
}


ImpStatus impi_shape_set_material(ImpWorld *world, ImpShape handle, int material) {
  IMPI_FIND_SHAPE(world, handle, slot);
  ImpStatus status = check_number(world, material, 0);
  const ImpiShape *shape = &world->shapes.data[slot];
  double density =
      material > 0 && status == IMP_OK ? world->materials.list.data[material - 1].def.density : (double)NAN;
  if (!isnan(density)) {
    status =
        impi_check_density(&world->bodies.data[shape->body], density, shape->geometry.figure->mass.area, shape->sensor);
    if (status == IMP_OK) {
      status = impi_check_mass(world, shape->body, world->bodies.data[shape->body].type, slot, NULL, density);
    }
  }
  if (status != IMP_OK) {
    return status;
  }
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_SET_MATERIAL, .slot = slot, .property = material});
  }
  impi_shape_finish_set_material(world, slot, material);
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Mixing
// ---------------------------------------------------------------------------------------------------------------------


// Mix all contacts of materials `a` and `b` again; a = 0: all contacts. `wakes`: wake the bodies.
static void mix_all(ImpWorld *world, int a, int b, bool wakes) {
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    if (world->contact_pool.slots.data[slot].next_free != IMPI_SLOT_LIVE) {
      continue;
    }
    int32_t p = world->shapes.data[contact->shape_a].material_id, q = world->shapes.data[contact->shape_b].material_id;
    bool meant = a == 0 ? p != 0 && q != 0 : (p == a && q == b) || (p == b && q == a);
    if (!meant) {
      continue;
    }
    impi_world_mix(world, slot);
    if (wakes && contact->flags & IMPI_CONTACT_TOUCHING && !(contact->flags & IMPI_CONTACT_SENSOR)) {
      impi_world_wake(world, contact->body_a);
      impi_world_wake(world, contact->body_b);
    }
  }
}


static ImpMix in_range(ImpMix mix) {
  bool friction = check_said(IMP_SHAPE_FRICTION, mix.friction) == IMP_OK;
  bool restitution = check_said(IMP_SHAPE_RESTITUTION, mix.restitution) == IMP_OK;
  return (ImpMix){friction ? mix.friction : (double)NAN, restitution ? mix.restitution : (double)NAN};
}


void impi_mix_pairs(ImpWorld *world) {
  if (!world->unmixed || world->callback.mix == NULL) {
    return;
  }
  // The callback cannot reallocate the list of materials, because no material is declared inside a step.
  ImpiMaterials *materials = &world->materials;
  for (int b = 1; b <= materials->list.count; ++b) {
    for (int a = 1; a <= b; ++a) {
      ImpiMix *mix = &materials->mixes.data[impi_mix_place(a, b)];
      if (!mix->wanted || mix->from_callback) {
        continue;
      }
      ImpMix said = no_mix;
      world->callback.mix(world, a, b, &said, world->callback.mix_user);
      mix->ruled = in_range(said);
      mix->from_callback = true;
    }
  }
  world->unmixed = false;
  mix_all(world, 0, 0, false);
}


ImpStatus impi_world_set_mix(ImpWorld *world, int material_a, int material_b, const ImpMix *mix) {
  ImpStatus status = check_outside(world);
  status = status == IMP_OK ? check_number(world, material_a, 1) : status;
  status = status == IMP_OK ? check_number(world, material_b, 1) : status;
  status = status == IMP_OK ? check_said(IMP_SHAPE_FRICTION, mix->friction) : status;
  status = status == IMP_OK ? check_said(IMP_SHAPE_RESTITUTION, mix->restitution) : status;
  if (status != IMP_OK) {
    return status;
  }
  world->materials.mixes.data[impi_mix_place(material_a, material_b)].fixed = *mix;
  mix_all(world, material_a, material_b, true);
  return IMP_OK;
}


ImpStatus imp_world_mix(const ImpWorld *world, int material_a, int material_b, ImpMix *out_fixed, ImpMix *out_mix) {
  ImpStatus status = check_number(world, material_a, 1);
  if (status == IMP_OK) {
    status = check_number(world, material_b, 1);
  }
  if (status == IMP_OK) {
    const ImpiMix *mix = &world->materials.mixes.data[impi_mix_place(material_a, material_b)];
    *out_fixed = mix->fixed;
    *out_mix = impi_mix_known(mix);
  }
  return status;
}


ImpStatus impi_world_forget_mixes(ImpWorld *world) {
  ImpStatus status = check_outside(world);
  for (int i = 0; i < world->materials.mixes.count && status == IMP_OK; ++i) {
    ImpiMix *mix = &world->materials.mixes.data[i];
    mix->ruled = no_mix;
    mix->from_callback = false;
  }
  if (status == IMP_OK) {
    mix_all(world, 0, 0, true);
  }
  return status;
}


void impi_materials_free(ImpiHeap *heap, ImpiMaterials *materials) {
  for (int i = 0; i < materials->list.count; ++i) {
    impi_free_string(heap, materials->list.data[i].name);
  }
  impi_array_free(heap, &materials->list);
  impi_array_free(heap, &materials->mixes);
}
