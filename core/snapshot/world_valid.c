// Validation of the world itself, its pools, settings, materials and lists.
#include "snapshot/world_valid.h"
#include "world/movers.h"

#include <stdlib.h>
#include <string.h>


bool impi_invalid(ImpiValidity *validity, const char *object, int32_t index, const char *what) {
  validity->invalid = (ImpiInvalid){object, what, index, false};
  return false;
}


static void add_bounds(const ImpiLayout *layout, size_t base, ImpiBounds *bounds) {
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    bool bounded = field->kind == IMPI_FIELD_PLAIN && field->lower < field->upper;
    size_t step = bounded ? (size_t)impi_number_size(field->number) : 0;
    for (size_t at = 0; bounded && at < field->size; at += step) {
      IMP_ASSERT(bounds->count < IMPI_COUNT(bounds->list));
      bounds->list[bounds->count].name = field->shown != NULL ? field->shown : field->name;
      bounds->list[bounds->count].offset = base + field->offset + at;
      bounds->list[bounds->count].number = field->number;
      bounds->list[bounds->count].lower = field->lower;
      bounds->list[bounds->count++].upper = field->upper;
    }
    for (size_t at = 0; field->kind == IMPI_FIELD_PARTS && at < field->size; at += field->parts->size) {
      add_bounds(field->parts, base + field->offset + at, bounds);
    }
  }
}


ImpiBounds impi_bounds_of(const ImpiLayout *layout) {
  ImpiBounds bounds;
  bounds.count = 0;
  add_bounds(layout, 0, &bounds);
  return bounds;
}


const char *impi_out_of_bounds(const ImpiBounds *bounds, const void *object) {
  for (int i = 0; i < bounds->count; ++i) {
    double value = impi_number_read(bounds->list[i].number, (const char *)object + bounds->list[i].offset);
    if (!impi_within(value, bounds->list[i].lower, bounds->list[i].upper)) {
      return bounds->list[i].name;
    }
  }
  return NULL;
}


// Check that every slot is live, in the free list exactly once, or retired.
static bool pool_is_valid(ImpiValidity *validity, const ImpiPool *pool, int count, const char *object) {
  IMPI_VALID(pool->used == count && count <= pool->slots.count && pool->slots.count <= IMPI_MAX_SLOTS, object, -1,
             "the number of slots does not match the number of objects");
  int32_t live = 0, free = 0, listed = 0;
  for (int32_t slot = 0; slot < pool->slots.count; ++slot) {
    const ImpiSlot *s = &pool->slots.data[slot];
    bool lives = slot < pool->used && s->next_free == IMPI_SLOT_LIVE,
         retired = s->next_free == IMPI_SLOT_PENDING_DESTROY;
    IMPI_VALID(s->generation > 0 && s->generation <= IMPI_MAX_GENERATION && s->highest <= IMPI_MAX_GENERATION &&
                   (lives ? s->generation <= s->highest : s->generation <= s->highest + 1),
               object, slot, "the generation number in its handle is out of range");
    IMPI_VALID(slot >= pool->used || lives || retired || (s->next_free >= -1 && s->next_free < pool->used), object,
               slot, "the slot is unused, but has no valid successor in the list of unused slots");
    live += lives;
    free += slot < pool->used && !lives && !retired;
  }
  for (int32_t slot = pool->free_head; slot >= 0 && listed <= free; slot = pool->slots.data[slot].next_free) {
    IMPI_VALID(slot < pool->used && pool->slots.data[slot].next_free >= -1, object, slot,
               "the list of unused slots has a slot that is in use");
    ++listed;
  }
  IMPI_VALID(pool->free_head >= -1 && listed == free && pool->live == live, object, -1,
             "some unused slots are missing from the list of unused slots");
  return true;
}


static bool pools_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  return pool_is_valid(validity, &world->body_pool, world->bodies.count, "body") &&
         pool_is_valid(validity, &world->shape_pool, world->shapes.count, "shape") &&
         pool_is_valid(validity, &world->contact_pool, world->contacts.count, "contact") &&
         pool_is_valid(validity, &world->joint_pool, world->joints.count, "joint") &&
         pool_is_valid(validity, &world->field.pool, world->field.list.count, "field");
}


// Return true if a value of the last step is in a range. 0 is valid, and means that the world has not made a step yet.
static bool given_within(double value, double lower, double upper) {
  return value == 0 || impi_within(value, lower, upper);
}


// Check all properties of the world as getters return them.
static bool settings_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  const ImpiSettings *s = &world->settings;
  IMPI_VALID(impi_solver((int)world->solver) != NULL && impi_solver((int)world->solved_by) != NULL, "world", -1,
             "unknown solver");
  const ImpiBounds bounds = impi_bounds_of(&impi_settings_layout);
  const char *unfit = impi_out_of_bounds(&bounds, s);
  IMPI_VALID(unfit == NULL, "setting", -1, unfit);
  for (int i = 0; i < IMP_WORLD_PROPERTY_COUNT; ++i) {
    const ImpPropertyInfo *info = imp_world_property(i);
    double value = 0;
    bool any = i == IMP_WORLD_SEED || i == IMP_WORLD_THREADS; // any seed is legal; the number of threads is not state
    IMPI_VALID(any || (imp_world_get(world, (ImpWorldProperty)i, &value) == IMP_OK && impi_fits(info, value)),
               "setting", -1, info->name);
  }
  IMPI_VALID(imp_order_name((int)s->order) != NULL, "setting", -1, "order");
  return true;
}


const ImpPropertyInfo *impi_unfit_property(const ImpiProperty *table, int count, const void *object) {
  double value;
  for (int i = 0; i < count; ++i) {
    if (table[i].info.writable && impi_property_read(&table[i], object, &value) && !impi_fits(&table[i].info, value)) {
      return &table[i].info;
    }
  }
  return NULL;
}


// Return true if a value is in the range of a shape property, or is NaN (the material does not set the property).
static bool none_or_fits(ImpShapeProperty property, double value) {
  return value != value || impi_fits(imp_shape_property((int)property), value);
}


static bool materials_are_valid(ImpiValidity *validity) {
  const ImpiMaterials *materials = &validity->world->materials;
  int32_t count = materials->list.count;
  IMPI_VALID(count <= IMP_MAX_MATERIALS && materials->mixes.count == count * (count + 1) / 2, "material", -1,
             "the number of stored mixes differs from the number of pairs of materials");
  for (int32_t i = 0; i < count; ++i) {
    const ImpiNamedMaterial *material = &materials->list.data[i];
    const ImpMaterialDef *d = &material->def;
    IMPI_VALID(material->name != NULL && none_or_fits(IMP_SHAPE_DENSITY, d->density) &&
                   none_or_fits(IMP_SHAPE_FRICTION, d->friction) &&
                   none_or_fits(IMP_SHAPE_RESTITUTION, d->restitution) &&
                   none_or_fits(IMP_SHAPE_ROLLING_RESISTANCE, d->rolling_resistance) &&
                   none_or_fits(IMP_SHAPE_SURFACE_SPEED, d->surface_speed) &&
                   none_or_fits(IMP_SHAPE_RESTITUTION_THRESHOLD, d->restitution_threshold) &&
                   none_or_fits(IMP_SHAPE_HIT_SPEED, d->hit_speed),
               "material", i, "a property of the material is out of range");
  }
  for (int32_t i = 0; i < materials->mixes.count; ++i) {
    const ImpMix mixes[] = {materials->mixes.data[i].fixed, materials->mixes.data[i].ruled};
    for (int k = 0; k < 2; ++k) {
      IMPI_VALID(none_or_fits(IMP_SHAPE_FRICTION, mixes[k].friction) &&
                     none_or_fits(IMP_SHAPE_RESTITUTION, mixes[k].restitution),
                 "mix of materials", i, "the friction or restitution of the mix is out of range");
    }
  }
  return true;
}


static bool lists_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    IMPI_VALID(slot >= 0 && slot < world->bodies.count && (i == 0 || world->awake.data[i - 1] < slot), "awake body", i,
               "awake bodies are not sorted by slot");
  }
  for (int i = 0; i < world->joint.awake.count; ++i) {
    int32_t slot = world->joint.awake.data[i];
    IMPI_VALID(slot >= 0 && slot < world->joints.count, "awake joint", i,
               "the list of awake joints has a joint that does not exist");
  }
  for (int i = 0; i < world->push.forced.count; ++i) {
    int32_t slot = world->push.forced.data[i];
    IMPI_VALID(slot >= 0 && slot < world->bodies.count, "body with a force", i,
               "the list of bodies with a force has a body that does not exist");
  }
  for (int i = 0; i < world->filter.results.count; ++i) {
    const ImpiFilterResult *filter_result = &world->filter.results.data[i];
    IMPI_VALID(filter_result->shape_a >= 0 && filter_result->shape_a < world->shapes.count &&
                   filter_result->shape_b >= 0 && filter_result->shape_b < world->shapes.count &&
                   filter_result->shape_a != filter_result->shape_b,
               "filter result", i, "a stored filter result is for shapes that do not exist");
  }
  return true;
}


static bool numbers_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  const uint64_t serials[] = {world->body_serial, world->shape_serial, world->joint_serial, world->field.serial,
                              world->filter.shape_version};
  for (int i = 0; i < IMPI_COUNT(serials); ++i) {
    IMPI_VALID((double)serials[i] <= IMPI_MAX_COUNT, "world", -1, "a count of created objects is above 2^53 - 1");
  }
  IMPI_VALID((world->random[0] | world->random[1] | world->random[2] | world->random[3]) != 0, "world", -1,
             "the state of the random number generator is all zeros");
  IMPI_VALID(impi_within(world->time_base, 0, IMP_MAX_TIME) && world->tick_base <= world->tick, "world", -1,
             "the time or tick is out of range");
  const double shortest = IMPI_MIN_DT / IMPI_MAX_SUBSTEPS;
  IMPI_VALID(given_within(world->impulse_step, shortest, IMPI_MAX_DT), "world", -1,
             "the length of the last substep is out of range");
  // 0.25 / IMPI_MAX_DT <= stiffest <= 2 * 0.25 / h, with the length h of a substep (next_stiffest in step.c)
  IMPI_VALID(given_within(world->last_dt, IMPI_MIN_DT, IMPI_MAX_DT) &&
                 given_within(world->stiffest, 0.25 / IMPI_MAX_DT, 0.5 / shortest),
             "world", -1,
             "the length of the last step, or the contact frequency that the solver soft used in it, is out of range");
  IMPI_VALID(world->sleep.any_resting >= 0 && world->sleep.any_resting <= world->bodies.count &&
                 world->sleep.island_count >= 0 && world->sleep.island_count <= world->bodies.count,
             "world", -1, "the number of islands or of resting bodies is out of range");
  return true;
}


static size_t most(size_t a, size_t b) { return a > b ? a : b; }


bool impi_world_is_valid(const ImpWorld *world, ImpiInvalid *out_invalid) {
  impi_movers_close_gaps(world);
  ImpiValidity validity = {.world = world};
  validity.room_count = most(most((size_t)world->bodies.count, (size_t)world->joint_edges.count),
                             most((size_t)world->drives.count, (size_t)world->joints.count)) +
                        1;
  validity.room = calloc(validity.room_count, sizeof *validity.room);
  bool valid = validity.room != NULL;
  validity.invalid.no_memory = !valid;
  valid = valid && pools_are_valid(&validity) && settings_are_valid(&validity) && numbers_are_valid(&validity) &&
          materials_are_valid(&validity) && lists_are_valid(&validity) && impi_bodies_are_valid(&validity) &&
          impi_shapes_are_valid(&validity) && impi_proxies_are_valid(&validity) && impi_movers_are_valid(&validity) &&
          impi_contacts_are_valid(&validity) && impi_joints_are_valid(&validity) && impi_fields_are_valid(&validity);
  free(validity.room);
  *out_invalid = validity.invalid;
  return valid;
}
