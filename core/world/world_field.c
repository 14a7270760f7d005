// Force fields of a world: creation and destruction, settings, and the bodies that they act on.
#include "base/constants.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/fields.h"
#include "world/sleep.h"

#include <string.h>


// ---------------------------------------------------------------------------------------------------------------------
// The bodies that a field acts on
// ---------------------------------------------------------------------------------------------------------------------


int32_t impi_field_next_body(const ImpWorld *world, const ImpiForceField *field, int32_t body) {
  if (field->only) {
    return impi_sparse_next(&field->members, body);
  }
  do {
    body = body < 0 ? world->first_body : world->bodies.data[body].next;
  } while (body >= 0 && impi_sparse_has(&field->members, body));
  return body;
}


// Wake the bodies that a field acts on, unless it is an explosion.
static void wake_all(ImpWorld *world, int32_t slot) {
  const ImpiForceField *field = &world->field.list.data[slot];
  world->field.dirty = true;
  if (field->kind == IMP_FIELD_EXPLOSION) {
    return;
  }
  for (int32_t body = impi_field_next_body(world, field, -1); body >= 0;
       body = impi_field_next_body(world, field, body)) {
    const ImpiMotion *m = &world->motions.data[body];
    if (impi_field_is_inside(field, m->x, m->y)) {
      impi_world_wake(world, body);
    }
  }
}


static void wake_if_on(ImpWorld *world, int32_t slot) {
  if (impi_field_is_on(&world->field.list.data[slot])) {
    wake_all(world, slot);
  }
}


static bool reserve_member(ImpiHeap *heap, ImpWorld *world, ImpiForceField *field, int32_t body) {
  if (!impi_reserve(heap, &world->field.listed, body + 1)) {
    return false;
  }
  while (world->field.listed.count <= body) {
    world->field.listed.data[world->field.listed.count++] = (ImpiSparse){.data = NULL};
  }
  return impi_sparse_reserve(heap, &field->members) && impi_sparse_reserve(heap, &world->field.listed.data[body]);
}


bool impi_fields_list(ImpiHeap *heap, ImpWorld *world) {
  for (int32_t slot = world->field.first; slot >= 0; slot = world->field.list.data[slot].next) {
    ImpiForceField *field = &world->field.list.data[slot];
    for (int32_t body = impi_sparse_next(&field->members, -1); body >= 0;
         body = impi_sparse_next(&field->members, body)) {
      if (!reserve_member(heap, world, field, body)) {
        return false;
      }
      impi_sparse_put(&world->field.listed.data[body], slot);
    }
  }
  return true;
}


void impi_fields_unlist(ImpiHeap *heap, ImpWorld *world) {
  for (int i = 0; i < world->field.listed.count; ++i) {
    impi_array_free(heap, &world->field.listed.data[i]);
  }
  impi_array_free(heap, &world->field.listed);
}


// Remove a field that is being destroyed from the lists of its bodies.
static void leave_lists(ImpWorld *world, int32_t slot) {
  const ImpiSparse *members = &world->field.list.data[slot].members;
  for (int32_t body = impi_sparse_next(members, -1); body >= 0; body = impi_sparse_next(members, body)) {
    impi_sparse_remove(&world->field.listed.data[body], slot);
  }
}


void impi_fields_forget(ImpWorld *world, int32_t body) {
  if (body < world->field.listed.count) {
    ImpiSparse *fields = &world->field.listed.data[body];
    for (int32_t slot = impi_sparse_next(fields, -1); slot >= 0; slot = impi_sparse_next(fields, slot)) {
      impi_sparse_remove(&world->field.list.data[slot].members, body);
    }
    impi_array_free(&world->heap, fields);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Checks
// ---------------------------------------------------------------------------------------------------------------------


static ImpStatus no_such(int kind, const char *name) {
  return impi_fail(IMP_ERR_ARGUMENT, "field.%s: a field of kind %s does not have this property", name,
                   imp_field_kind_name(kind));
}


static ImpStatus check_vector(int vector, ImpVec2 value) {
  const ImpPropertyInfo *info = imp_field_vector_info(vector);
  // The comparisons reject NaN.
  if (!(value.x >= info->lower && value.x <= info->upper && value.y >= info->lower && value.y <= info->upper)) {
    return impi_fail(IMP_ERR_ARGUMENT, "field.%s must be two numbers from %g to %g %s, got (%g, %g)", info->name,
                     info->lower, info->upper, info->unit, value.x, value.y);
  }
  return IMP_OK;
}


static ImpStatus check_region(ImpAabb region) {
  bool sound = region.lower.x <= region.upper.x && region.lower.y <= region.upper.y;
  sound = sound && impi_max(fabs(region.lower.x), fabs(region.lower.y)) <= IMPI_HUGE &&
          impi_max(fabs(region.upper.x), fabs(region.upper.y)) <= IMPI_HUGE;
  if (!sound) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     "field.region must be the lower left and the upper right corner, got (%g, %g) and (%g, %g)",
                     region.lower.x, region.lower.y, region.upper.x, region.upper.y);
  }
  return IMP_OK;
}


// Check that a spring has either stiffness and damping, or hertz and damping ratio.
static ImpStatus check_spring(const double *value) {
  double stiffness = value[IMP_FIELD_STIFFNESS], damping = value[IMP_FIELD_DAMPING];
  double hertz = value[IMP_FIELD_HERTZ], ratio = value[IMP_FIELD_DAMPING_RATIO];
  if ((stiffness > 0 || damping > 0) == (hertz > 0 || ratio > 0)) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     "a field of kind spring needs either stiffness and damping, or hertz and damping_ratio; got "
                     "stiffness %g N/m, damping %g N s/m, hertz %g Hz, damping_ratio %g",
                     stiffness, damping, hertz, ratio);
  }
  return IMP_OK;
}


static ImpStatus check_values(int kind, bool dynamic, const double *value) {
  if (dynamic && value[IMP_FIELD_IMPLICIT] != 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "field.implicit needs the derivatives of the law, and a dynamic field has none: "
                                       "leave out 'implicit', or leave out 'dynamic' so that the law is traced");
  }
  if (kind == IMP_FIELD_BUOYANCY && !(value[IMP_FIELD_DENSITY] > 0)) {
    return impi_fail(IMP_ERR_ARGUMENT, "field.density of water must be above 0 kg/m^2, got %g",
                     value[IMP_FIELD_DENSITY]);
  }
  return kind == IMP_FIELD_SPRING ? check_spring(value) : IMP_OK;
}


static ImpStatus check_param(double value) {
  return impi_is_finite(value) ? IMP_OK
                               : impi_fail(IMP_ERR_ARGUMENT, "a parameter must be a finite number, got %g", value);
}


static double now(const ImpWorld *world) { return world->stepping ? world->substep.time : world->time; }


// If an explosion's progress is smaller than its start time implies, delay the start so that the explosion continues
// from its progress.
static void delay(const ImpWorld *world, double *value) {
  double t = now(world), *start = &value[IMP_FIELD_START];
  double begin = t - value[IMP_FIELD_DURATION] * value[IMP_FIELD_PROGRESS];
  // The tolerance covers the rounding of the start of an explosion that was recreated half-way.
  if (value[IMP_FIELD_PROGRESS] < 1 && *start < begin - 1e-9 * (1 + t)) {
    *start = begin;
  }
}


// If the start time or wave speed of a definition is NaN, set it to its default, which depends on the world.
static void complete(const ImpWorld *world, ImpFieldDef *def) {
  double *start = &def->value[IMP_FIELD_START], *speed = &def->value[IMP_FIELD_WAVE_SPEED];
  if (*start != *start) {
    *start = now(world);
  }
  if (*speed != *speed) {
    *speed = sqrt(impi_length(world->settings.gravity) * def->value[IMP_FIELD_WAVE_LENGTH] / (2 * IMPI_PI));
  }
}


static ImpStatus check_def(const ImpWorld *world, const ImpFieldDef *def) {
  int kind = (int)def->kind;
  if (imp_field_kind(kind) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "no kind of field has the number %d", kind);
  }
  for (int i = 0; i < IMP_FIELD_PROPERTY_COUNT; ++i) {
    ImpStatus status =
        impi_field_is_given(kind, i) ? impi_check_property(imp_field_property(i), def->value[i], "field") : IMP_OK;
    if (status != IMP_OK) {
      return status;
    }
  }
  for (int i = 0; i < IMP_FIELD_VECTOR_COUNT; ++i) {
    ImpStatus status = impi_field_has_vector(kind, i) ? check_vector(i, def->vector[i]) : IMP_OK;
    if (status != IMP_OK) {
      return status;
    }
  }
  for (int i = 0; i < def->body_count; ++i) {
    IMPI_FIND_BODY(world, def->bodies[i], slot);
    (void)slot;
  }
  for (int i = 0; i < def->param_count; ++i) {
    ImpStatus status = check_param(def->params[i]);
    if (status != IMP_OK) {
      return status;
    }
  }
  ImpStatus status = def->bounded ? check_region(def->region) : IMP_OK;
  return status == IMP_OK ? check_values(kind, def->dynamic, def->value) : status;
}


// ---------------------------------------------------------------------------------------------------------------------
// Creation and destruction
// ---------------------------------------------------------------------------------------------------------------------


static void free_parts(ImpiHeap *heap, ImpiForceField *field) {
  impi_field_free_work(heap, field);
  impi_tape_free(heap, &field->tape);
  if (field->params != NULL) {
    (void)impi_resize(heap, field->params, (size_t)field->param_count * sizeof *field->params, 0);
    field->params = NULL;
  }
  impi_array_free(heap, &field->members);
  impi_free_string(heap, field->name);
  field->name = NULL;
}


// Store the traced function of a custom field as a tape, and reserve memory to evaluate the tape.
static ImpStatus make_tape(ImpiHeap *heap, const ImpTapeDef *def, ImpiForceField *field) {
  ImpTapeDef velocity = *def; // a tape for velocities may read both poses and velocities
  velocity.velocity = true;
  if (def->result_count != 2 && def->result_count != 3) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     "the function of a field must return fx, fy and optionally a torque, got %d results",
                     def->result_count);
  }
  ImpStatus status = impi_tape_create(heap, &velocity, 1, field->param_count + 2, &field->tape);
  if (status == IMP_OK && !impi_field_reserve_work(heap, field)) {
    impi_tape_free(heap, &field->tape);
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  return status;
}


static ImpStatus make_custom(ImpiHeap *heap, const ImpFieldDef *def, ImpiForceField *field) {
  field->dynamic = def->dynamic;
  if (def->param_count > 0) {
    field->params = impi_resize(heap, NULL, 0, (size_t)def->param_count * sizeof *field->params);
    if (field->params == NULL) {
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    field->param_count = def->param_count;
    memcpy(field->params, def->params, (size_t)def->param_count * sizeof *field->params);
  }
  return def->dynamic ? IMP_OK : make_tape(heap, &def->tape, field);
}


// Reserve all memory that a new field needs. The memory that the field owns is stored in `field`.
static ImpStatus make_room(ImpWorld *world, const ImpFieldDef *def, ImpiForceField *field) {
  ImpStatus status = impi_pool_reserve(&world->heap, &world->field.pool);
  if (status != IMP_OK) {
    return status;
  }
  bool room = impi_reserve(&world->heap, &world->field.list, impi_pool_peek(&world->field.pool) + 1) &&
              impi_copy_string(&world->heap, def->name, &field->name);
  for (int i = 0; i < def->body_count && room; ++i) {
    int32_t body = impi_pool_find(&world->body_pool, def->bodies[i].id, world->tag);
    room = reserve_member(&world->heap, world, field, body);
    if (room) {
      impi_sparse_put(&field->members, body);
    }
  }
  status = room ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
  if (status == IMP_OK && def->kind == IMP_FIELD_CUSTOM) {
    status = make_custom(&world->heap, def, field);
  }
  if (status != IMP_OK) {
    free_parts(&world->heap, field);
  }
  return status;
}


ImpStatus impi_field_create(ImpWorld *world, const ImpFieldDef *given, ImpField *out_field) {
  ImpFieldDef completed = *given, *def = &completed;
  complete(world, def);
  ImpStatus status = check_def(world, def);
  if (status != IMP_OK) {
    return status;
  }
  ImpiForceField fresh = {
      .region = def->region,
      .kind = (int32_t)def->kind,
      .only = def->only,
      .bounded = def->bounded,
      .previous = world->field.last,
      .next = -1,
      .user_data = def->user_data,
  };
  for (int i = 0; i < IMP_FIELD_PROPERTY_COUNT; ++i) {
    fresh.value[i] = impi_field_is_given((int)def->kind, i) ? def->value[i] : 0;
  }
  if (fresh.kind == IMP_FIELD_EXPLOSION) {
    delay(world, fresh.value);
  }
  for (int i = 0; i < IMP_FIELD_VECTOR_COUNT; ++i) {
    fresh.vector[i] = impi_field_has_vector((int)def->kind, i) ? def->vector[i] : impi_vec(0, 0);
  }
  status = make_room(world, def, &fresh);
  if (status != IMP_OK) {
    return status;
  }
  int32_t slot = impi_pool_take(&world->field.pool);
  if (slot == world->field.list.count) {
    world->field.list.count = slot + 1;
  }
  fresh.serial = ++world->field.serial;
  world->field.called += fresh.dynamic;
  world->field.list.data[slot] = fresh;
  for (int32_t body = impi_sparse_next(&fresh.members, -1); body >= 0; body = impi_sparse_next(&fresh.members, body)) {
    impi_sparse_put(&world->field.listed.data[body], slot);
  }
  *(world->field.last >= 0 ? &world->field.list.data[world->field.last].next : &world->field.first) = slot;
  world->field.last = slot;
  wake_if_on(world, slot);
  *out_field = impi_field_handle(world, slot);
  return IMP_OK;
}


ImpStatus impi_field_destroy(ImpWorld *world, ImpField handle) {
  IMPI_FIND_FIELD(world, handle, slot);
  ImpiForceField *field = &world->field.list.data[slot];
  wake_if_on(world, slot);
  *(field->previous >= 0 ? &world->field.list.data[field->previous].next : &world->field.first) = field->next;
  *(field->next >= 0 ? &world->field.list.data[field->next].previous : &world->field.last) = field->previous;
  world->field.called -= field->dynamic;
  leave_lists(world, slot);
  free_parts(&world->heap, field);
  *field = (ImpiForceField){.previous = -1, .next = -1};
  impi_pool_release(&world->field.pool, slot);
  return IMP_OK;
}


bool imp_field_is_valid(const ImpWorld *world, ImpField field) {
  return impi_pool_find(&world->field.pool, field.id, world->tag) >= 0;
}


ImpField imp_world_next_field(const ImpWorld *world, ImpField previous) {
  int32_t slot = impi_pool_find(&world->field.pool, previous.id, world->tag);
  int32_t next = previous.id == 0 ? world->field.first : slot >= 0 ? world->field.list.data[slot].next : -1;
  return (ImpField){next >= 0 ? impi_pool_id(&world->field.pool, next, world->tag) : 0};
}


void impi_fields_free(ImpWorld *world) {
  for (int32_t slot = world->field.first; slot >= 0; slot = world->field.list.data[slot].next) {
    free_parts(&world->heap, &world->field.list.data[slot]);
  }
  impi_array_free(&world->heap, &world->field.list);
  impi_fields_unlist(&world->heap, world);
  impi_array_free(&world->heap, &world->field.affected);
  impi_array_free(&world->heap, &world->field.acting_fields);
  impi_array_free(&world->heap, &world->field.acting_ends);
  impi_array_free(&world->heap, &world->field.affected_at);
  impi_pool_free(&world->heap, &world->field.pool);
}


// ---------------------------------------------------------------------------------------------------------------------
// Getters and setters
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus imp_field_kind_of(const ImpWorld *world, ImpField handle, ImpFieldKind *out_kind) {
  IMPI_FIND_FIELD(world, handle, slot);
  *out_kind = (ImpFieldKind)world->field.list.data[slot].kind;
  return IMP_OK;
}


ImpStatus imp_field_name(const ImpWorld *world, ImpField handle, const char **out_name) {
  IMPI_FIND_FIELD(world, handle, slot);
  *out_name = world->field.list.data[slot].name;
  return IMP_OK;
}


ImpStatus impi_field_set_name(ImpWorld *world, ImpField handle, const char *name) {
  IMPI_FIND_FIELD(world, handle, slot);
  return impi_rename(&world->heap, NULL, slot, 0, &world->field.list.data[slot].name, name);
}


ImpStatus imp_field_user_data(const ImpWorld *world, ImpField handle, void **out_user_data) {
  IMPI_FIND_FIELD(world, handle, slot);
  *out_user_data = world->field.list.data[slot].user_data;
  return IMP_OK;
}


ImpStatus imp_field_get(const ImpWorld *world, ImpField handle, ImpFieldProperty property, double *out_value) {
  IMPI_FIND_FIELD(world, handle, slot);
  const ImpiForceField *field = &world->field.list.data[slot];
  if (imp_field_property((int)property) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "a field has no such property");
  }
  if (!impi_field_takes(field->kind, (int)property)) {
    return no_such(field->kind, imp_field_property((int)property)->name);
  }
  *out_value = property == IMP_FIELD_ID ? (double)field->serial : field->value[property];
  return IMP_OK;
}


ImpStatus impi_field_set(ImpWorld *world, ImpField handle, ImpFieldProperty property, double value) {
  IMPI_FIND_FIELD(world, handle, slot);
  ImpiForceField *field = &world->field.list.data[slot];
  ImpStatus status = impi_check_property(imp_field_property((int)property), value, "field");
  if (status == IMP_OK && !impi_field_takes(field->kind, (int)property)) {
    status = no_such(field->kind, imp_field_property((int)property)->name);
  }
  if (status != IMP_OK || field->value[property] == value) {
    return status;
  }
  double before = field->value[property];
  field->value[property] = value;
  if (property == IMP_FIELD_START) { // the explosion starts again
    field->value[IMP_FIELD_PROGRESS] = 0;
  }
  status = check_values(field->kind, field->dynamic, field->value);
  if (status != IMP_OK) {
    field->value[property] = before;
    return status;
  }
  if (property == IMP_FIELD_START || property == IMP_FIELD_DURATION || property == IMP_FIELD_PROGRESS) {
    delay(world, field->value);
  }
  if (impi_field_is_on(field) || property == IMP_FIELD_ENABLED) {
    wake_all(world, slot);
  }
  return IMP_OK;
}


ImpStatus imp_field_vector(const ImpWorld *world, ImpField handle, ImpFieldVector vector, ImpVec2 *out_vector) {
  IMPI_FIND_FIELD(world, handle, slot);
  const ImpiForceField *field = &world->field.list.data[slot];
  if (imp_field_vector_info((int)vector) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "a field has no such vector");
  }
  if (!impi_field_has_vector(field->kind, (int)vector)) {
    return no_such(field->kind, imp_field_vector_info((int)vector)->name);
  }
  *out_vector = field->vector[vector];
  return IMP_OK;
}


ImpStatus impi_field_set_vector(ImpWorld *world, ImpField handle, ImpFieldVector vector, ImpVec2 value) {
  ImpVec2 before;
  ImpStatus status = imp_field_vector(world, handle, vector, &before);
  if (status == IMP_OK) {
    status = check_vector((int)vector, value);
  }
  if (status != IMP_OK || (before.x == value.x && before.y == value.y)) {
    return status;
  }
  int32_t slot = impi_pool_find(&world->field.pool, handle.id, world->tag);
  world->field.list.data[slot].vector[vector] = value;
  wake_if_on(world, slot);
  return IMP_OK;
}


ImpStatus imp_field_region(const ImpWorld *world, ImpField handle, bool *out_bounded, ImpAabb *out_region) {
  IMPI_FIND_FIELD(world, handle, slot);
  *out_bounded = world->field.list.data[slot].bounded;
  *out_region = world->field.list.data[slot].region;
  return IMP_OK;
}


ImpStatus impi_field_set_region(ImpWorld *world, ImpField handle, const ImpAabb *region) {
  IMPI_FIND_FIELD(world, handle, slot);
  ImpiForceField *field = &world->field.list.data[slot];
  ImpStatus status = region != NULL ? check_region(*region) : IMP_OK;
  if (status != IMP_OK) {
    return status;
  }
  ImpAabb none = {{0, 0}, {0, 0}}, wanted = region != NULL ? *region : none;
  bool same = field->bounded == (region != NULL) && memcmp(&field->region, &wanted, sizeof wanted) == 0;
  if (same) {
    return IMP_OK;
  }
  wake_if_on(world, slot);
  field->bounded = region != NULL;
  field->region = wanted; // also wake bodies in the new region
  wake_if_on(world, slot);
  return IMP_OK;
}


ImpStatus imp_field_acts_on(const ImpWorld *world, ImpField handle, ImpBody body, bool *out_acts) {
  IMPI_FIND_FIELD(world, handle, slot);
  IMPI_FIND_BODY(world, body, body_slot);
  *out_acts = impi_field_acts_on(&world->field.list.data[slot], body_slot);
  return IMP_OK;
}


ImpStatus impi_field_set_acts_on(ImpWorld *world, ImpField handle, ImpBody body, bool acts) {
  IMPI_FIND_FIELD(world, handle, slot);
  IMPI_FIND_BODY(world, body, body_slot);
  ImpiForceField *field = &world->field.list.data[slot];
  if (impi_field_acts_on(field, body_slot) == acts) {
    return IMP_OK;
  }
  if (acts != field->only) {
    impi_sparse_remove(&field->members, body_slot);
    impi_sparse_remove(&world->field.listed.data[body_slot], slot);
  } else if (reserve_member(&world->heap, world, field, body_slot)) {
    impi_sparse_put(&field->members, body_slot);
    impi_sparse_put(&world->field.listed.data[body_slot], slot);
  } else {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->field.dirty = true;
  const ImpiMotion *m = &world->motions.data[body_slot];
  if (impi_field_is_on(field) && impi_field_is_inside(field, m->x, m->y)) {
    impi_world_wake(world, body_slot);
  }
  return IMP_OK;
}


ImpBody imp_field_next_listed(const ImpWorld *world, ImpField handle, ImpBody previous) {
  int32_t slot = impi_pool_find(&world->field.pool, handle.id, world->tag);
  int32_t body = previous.id == 0 ? -1 : impi_pool_find(&world->body_pool, previous.id, world->tag);
  bool ended = slot < 0 || (previous.id != 0 && body < 0);
  int32_t next = ended ? -1 : impi_sparse_next(&world->field.list.data[slot].members, body);
  return (ImpBody){next >= 0 ? impi_body_handle(world, next).id : 0};
}


static ImpStatus find_param(const ImpWorld *world, ImpField handle, int index, double **out_param) {
  IMPI_FIND_FIELD(world, handle, slot);
  const ImpiForceField *field = &world->field.list.data[slot];
  if (index < 0 || index >= field->param_count) {
    return impi_fail(IMP_ERR_ARGUMENT, "the field has no parameter %d", index + 1);
  }
  *out_param = &field->params[index];
  return IMP_OK;
}


ImpStatus imp_field_param(const ImpWorld *world, ImpField handle, int index, double *out_value) {
  double *param = NULL;
  ImpStatus status = find_param(world, handle, index, &param);
  if (status == IMP_OK) {
    *out_value = *param;
  }
  return status;
}


ImpStatus impi_field_set_param(ImpWorld *world, ImpField handle, int index, double value) {
  double *param = NULL;
  ImpStatus status = find_param(world, handle, index, &param);
  if (status == IMP_OK) {
    status = check_param(value);
  }
  if (status == IMP_OK && *param != value) {
    int32_t slot = impi_pool_find(&world->field.pool, handle.id, world->tag);
    *param = value;
    wake_if_on(world, slot);
  }
  return status;
}


ImpStatus impi_field_set_tape(ImpWorld *world, ImpField handle, const ImpTapeDef *tape) {
  IMPI_FIND_FIELD(world, handle, slot);
  ImpiForceField *field = &world->field.list.data[slot];
  if (field->tape.constants == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "this field has no tape: only a custom field that is not dynamic has one");
  }
  ImpiForceField fresh = {.param_count = field->param_count};
  ImpStatus status = make_tape(&world->heap, tape, &fresh);
  if (status != IMP_OK) {
    return status;
  }
  impi_field_free_work(&world->heap, field);
  impi_tape_free(&world->heap, &field->tape);
  field->tape = fresh.tape;
  field->work = fresh.work;
  wake_if_on(world, slot);
  return IMP_OK;
}


ImpStatus imp_field_definition(const ImpWorld *world, ImpField handle, ImpFieldDef *out_def) {
  IMPI_FIND_FIELD(world, handle, slot);
  const ImpiForceField *field = &world->field.list.data[slot];
  if (field->kind == IMP_FIELD_CUSTOM) {
    return impi_fail(IMP_ERR_ARGUMENT, "field '%s' is custom: its function cannot be part of a definition",
                     impi_called(field->name));
  }
  ImpFieldDef def = imp_field_def((ImpFieldKind)field->kind);
  def.name = field->name;
  for (int i = 0; i < IMP_FIELD_PROPERTY_COUNT; ++i) {
    def.value[i] = impi_field_is_given(field->kind, i) ? field->value[i] : def.value[i];
  }
  for (int i = 0; i < IMP_FIELD_VECTOR_COUNT; ++i) {
    def.vector[i] = field->vector[i];
  }
  def.bounded = field->bounded;
  def.region = field->region;
  def.only = field->only;
  def.user_data = field->user_data;
  *out_def = def;
  return IMP_OK;
}
