// User-defined constraints: joints whose coordinates are the results of a tape, or rows that the user writes.
#include "world/calls.h"
#include "world/checks.h"
#include "world/joints.h"
#include "world/sleep.h"

#include <string.h>


ImpConstraintDef imp_constraint_def(void) {
  return (ImpConstraintDef){.drive = imp_drive(), .break_force = HUGE_VAL, .collide = true};
}


// Find the bodies of a constraint. Each must occur once, and at least one must be dynamic.
static ImpStatus find_bodies(const ImpWorld *world, const ImpConstraintDef *def, int32_t *slots) {
  if (def->body_count < 1 || def->body_count > IMP_MAX_CONSTRAINT_BODIES) {
    return impi_fail(IMP_ERR_ARGUMENT, "constraint '%s' needs 1 to %d bodies, got %d", impi_called(def->name),
                     IMP_MAX_CONSTRAINT_BODIES, def->body_count);
  }
  bool moves = false;
  for (int i = 0; i < def->body_count; ++i) {
    IMPI_FIND_BODY(world, def->bodies[i], slot);
    for (int k = 0; k < i; ++k) {
      if (slots[k] == slot) {
        return impi_fail(IMP_ERR_ARGUMENT, "constraint '%s': bodies %d and %d are the same", impi_called(def->name),
                         k + 1, i + 1);
      }
    }
    slots[i] = slot;
    moves = moves || impi_is_dynamic(&world->bodies.data[slot]);
  }
  return moves ? IMP_OK
               : impi_fail(IMP_ERR_ARGUMENT, "constraint '%s': at least one of its bodies must be dynamic",
                           impi_called(def->name));
}


static void *take(ImpWorld *world, size_t size, bool *room) {
  void *memory = size > 0 && *room ? impi_resize(&world->heap, NULL, 0, size) : NULL;
  *room = *room && (size == 0 || memory != NULL);
  if (memory != NULL) {
    memset(memory, 0, size);
  }
  return memory;
}


// Allocate all memory of a constraint, filled with zeros. Null when out of memory.
static ImpiCustom *make_custom(ImpWorld *world, const ImpConstraintDef *def, const int32_t *slots, int capacity) {
  bool room = true;
  ImpiCustom *custom = take(world, sizeof *custom, &room);
  if (custom == NULL) {
    return NULL;
  }
  size_t bodies = (size_t)def->body_count, rows = (size_t)capacity;
  bool by_rows = def->max_rows > 0;
  custom->body_count = def->body_count;
  custom->capacity = capacity;
  custom->dynamic = def->dynamic && !by_rows;
  custom->param_count = def->param_count;
  custom->bodies = take(world, bodies * sizeof *custom->bodies, &room);
  custom->coordinates = take(world, rows * sizeof *custom->coordinates, &room);
  custom->params = take(world, (size_t)def->param_count * sizeof *custom->params, &room);
  custom->rows = take(world, by_rows ? rows * sizeof *custom->rows : 0, &room);
  custom->rows_j = take(world, by_rows ? 3 * rows * bodies * sizeof *custom->rows_j : 0, &room);
  custom->motions = take(world, by_rows ? 0 : bodies * sizeof *custom->motions, &room);
  custom->centers = take(world, by_rows ? 0 : bodies * sizeof *custom->centers, &room);
  if (!room) {
    impi_custom_free(&world->heap, custom);
    return NULL;
  }
  memcpy(custom->bodies, slots, bodies * sizeof *slots);
  for (int i = 0; i < capacity; ++i) {
    custom->coordinates[i].drive = -1;
  }
  for (int i = 0; i < def->param_count; ++i) {
    custom->params[i] = def->params[i];
  }
  return custom;
}


// Evaluate values and derivatives at the present poses, and reject a tape whose results cannot be used.
static ImpStatus try_tape(ImpWorld *world, const ImpiJoint *joint) {
  const char *name = impi_called(joint->name);
  ImpiSamples samples;
  if (!impi_sample_joint(world, joint, &samples)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  int width = 3 * impi_joint_body_count(joint);
  for (int i = 0; i < joint->count; ++i) {
    if (!impi_is_finite(samples.value[i])) {
      return impi_fail(IMP_ERR_ARGUMENT, "constraint '%s': result %d is not finite at the present poses", name, i + 1);
    }
    for (int k = 0; k < width; ++k) {
      if (!impi_is_finite(samples.j[i * width + k])) {
        return impi_fail(IMP_ERR_ARGUMENT,
                         "constraint '%s': the derivative of result %d is not finite at the present poses (a root or a "
                         "quotient at 0?)",
                         name, i + 1);
      }
    }
    if (impi_sample_mass(world, joint, &samples, i) == 0) {
      return impi_fail(IMP_ERR_ARGUMENT,
                       "constraint '%s': no motion of a dynamic body changes result %d at the present poses (its "
                       "gradient is zero, or too large)",
                       name, i + 1);
    }
  }
  return IMP_OK;
}


static ImpStatus check_linear(ImpWorld *world, const ImpiJoint *joint) {
  const ImpiCustom *custom = joint->custom;
  for (int i = 0; i < custom->body_count; ++i) {
    custom->motions[i] = &world->motions.data[custom->bodies[i]];
    custom->centers[i] = world->bodies.data[custom->bodies[i]].local_center;
  }
  ImpiTapeInput input = {custom->motions, custom->centers, custom->params, world->time};
  if (!impi_tape_is_linear(&custom->tape, &input)) {
    return impi_fail(IMP_ERR_ARGUMENT, "constraint '%s': a velocity function must be linear in the velocities",
                     impi_called(joint->name));
  }
  return IMP_OK;
}


static void set_count(ImpiJoint *joint, int count) { joint->count = (uint8_t)count; }


ImpStatus impi_constraint_create(ImpWorld *world, const ImpConstraintDef *def, ImpJoint *out_joint) {
  int32_t slots[IMP_MAX_CONSTRAINT_BODIES];
  bool by_rows = def->max_rows > 0;
  int capacity = by_rows ? def->max_rows : def->tape.result_count;
  ImpStatus status = find_bodies(world, def, slots);
  ImpDrive drive = by_rows ? imp_drive() : def->drive;
  if (by_rows || drive.on == 0) {
    drive.on = 1u << IMP_DRIVE_LOCK;
  }
  if (status == IMP_OK && (capacity < 1 || capacity > IMP_MAX_CONSTRAINT_ROWS)) {
    status = impi_fail(IMP_ERR_ARGUMENT,
                       "constraint '%s': the number of results of its function (or max_rows, if the function adds "
                       "rows) must be 1 to %d, got %d",
                       impi_called(def->name), IMP_MAX_CONSTRAINT_ROWS, capacity);
  }
  if (status == IMP_OK && (def->param_count < 0 || (def->param_count > 0 && def->params == NULL))) {
    status = impi_fail(IMP_ERR_ARGUMENT,
                       "constraint '%s': param_count must be >= 0, and params must not be null if param_count is above "
                       "0, got param_count %d",
                       impi_called(def->name), def->param_count);
  }
  if (status == IMP_OK) {
    status = impi_check_drive(&drive, def->name, "C");
  }
  if (status == IMP_OK && !(def->break_force >= 0)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "constraint '%s': break_force must be >= 0, got %g", impi_called(def->name),
                       def->break_force);
  }
  for (int i = 0; i < def->param_count && status == IMP_OK; ++i) {
    if (!impi_is_finite(def->params[i])) {
      status =
          impi_fail(IMP_ERR_ARGUMENT, "constraint '%s': parameter %d is not finite", impi_called(def->name), i + 1);
    }
  }
  if (status == IMP_OK) {
    status = impi_joint_room(world, def->body_count, capacity);
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpiJoint fresh = {
      .body_a = slots[0],
      .body_b = slots[def->body_count - 1],
      .kind = IMP_JOINT_CONSTRAINT,
      .kinds = {by_rows ? IMP_COORDINATE_USER : IMP_COORDINATE_TAPE},
      .collide = def->collide,
      .break_force = def->break_force,
      .break_torque = HUGE_VAL,
      .first_edge = -1,
      .user_data = def->user_data,
      .custom = make_custom(world, def, slots, capacity),
  };
  if (fresh.custom == NULL || !impi_sample_reserve(&world->heap, &world->joint.samples, &fresh) ||
      !impi_copy_string(&world->heap, def->name, &fresh.name)) {
    impi_custom_free(&world->heap, fresh.custom);
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  set_count(&fresh, by_rows ? 0 : capacity);
  if (!by_rows) {
    status = impi_tape_create(&world->heap, &def->tape, def->body_count, def->param_count, &fresh.custom->tape);
  }
  if (status == IMP_OK && !by_rows && def->tape.velocity) {
    status = check_linear(world, &fresh);
  }
  if (status == IMP_OK && !by_rows) {
    status = try_tape(world, &fresh);
  }
  if (status != IMP_OK) {
    impi_free_string(&world->heap, fresh.name);
    impi_custom_free(&world->heap, fresh.custom);
    return status;
  }
  int32_t slot = impi_joint_add(world, fresh, slots, def->body_count);
  for (int i = 0; i < capacity; ++i) {
    impi_joint_finish_set_drive(world, slot, i, &drive);
  }
  *out_joint = impi_joint_start(world, slot);
  return IMP_OK;
}


// Find a constraint of the given kind: by rows (`by_rows`) or by a function.
static ImpStatus find_custom(const ImpWorld *world, ImpJoint handle, bool by_rows, int32_t *out_slot) {
  IMPI_FIND_JOINT(world, handle, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  ImpCoordinateKind kind = by_rows ? IMP_COORDINATE_USER : IMP_COORDINATE_TAPE;
  if (joint->kind != IMP_JOINT_CONSTRAINT || joint->kinds[0] != kind) {
    return impi_fail(IMP_ERR_ARGUMENT, "joint '%s' is not a constraint by %s", impi_called(joint->name),
                     by_rows ? "rows" : "a function");
  }
  *out_slot = slot;
  return IMP_OK;
}


ImpStatus impi_constraint_set_tape(ImpWorld *world, ImpJoint handle, const ImpTapeDef *def) {
  int32_t slot = -1;
  ImpStatus status = find_custom(world, handle, false, &slot);
  if (status != IMP_OK) {
    return status;
  }
  ImpiCustom *custom = world->joints.data[slot].custom;
  if (def->result_count != custom->capacity) {
    return impi_fail(IMP_ERR_ARGUMENT, "constraint '%s' must have %d results, got %d",
                     impi_called(world->joints.data[slot].name), custom->capacity, def->result_count);
  }
  if (def->velocity != custom->tape.velocity) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     "constraint '%s' was created with a function of %s; its new function must have the same "
                     "ImpTapeDef.velocity",
                     impi_called(world->joints.data[slot].name), custom->tape.velocity ? "velocities" : "poses");
  }
  ImpiTape fresh, old = custom->tape;
  status = impi_tape_create(&world->heap, def, custom->body_count, custom->param_count, &fresh);
  if (status != IMP_OK) {
    return status;
  }
  custom->tape = fresh;
  if (def->velocity) {
    status = check_linear(world, &world->joints.data[slot]);
  }
  if (status != IMP_OK) {
    custom->tape = old;
    impi_tape_free(&world->heap, &fresh);
  }
  if (status == IMP_OK) {
    impi_tape_free(&world->heap, &old);
    world->solve.drives_changed = true;
    if (!world->stepping) {
      impi_joint_wake(world, slot);
    }
  }
  return status;
}


// Record a constraint with implausibly large rows, so that the step can be undone.
static void note_implausible_rows(ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  const ImpiCustom *custom = joint->custom;
  ImpiUndo *undo = &world->undo;
  bool implausible = false;
  for (int i = 0; i < joint->count; ++i) {
    implausible = implausible || fabs(custom->rows[i].bias) > IMPI_IMPLAUSIBLE ||
                  (custom->rows[i].has_c && fabs(custom->rows[i].c) > IMPI_IMPLAUSIBLE);
    for (int k = 0; k < 3 * custom->body_count; ++k) {
      implausible = implausible || fabs(custom->rows_j[3 * custom->body_count * i + k]) > IMPI_IMPLAUSIBLE;
    }
  }
  undo->first_implausible = implausible && undo->first_implausible < 0 ? slot : undo->first_implausible;
}


ImpStatus impi_constraint_set_rows(ImpWorld *world, ImpJoint handle, const ImpUserRow *rows, int count) {
  int32_t slot = -1;
  ImpStatus status = find_custom(world, handle, true, &slot);
  if (status != IMP_OK) {
    return status;
  }
  ImpiJoint *joint = &world->joints.data[slot];
  ImpiCustom *custom = joint->custom;
  const char *name = impi_called(joint->name);
  int width = 3 * custom->body_count;
  if (count < 0 || count > custom->capacity) {
    return impi_fail(IMP_ERR_LIMIT, "constraint '%s' may have %d rows at most, got %d", name, custom->capacity, count);
  }
  for (int i = 0; i < count; ++i) {
    const ImpUserRow *row = &rows[i];
    bool fits = impi_is_finite(row->bias) && (!row->has_c || impi_is_finite(row->c)) && row->lower <= row->upper;
    for (int k = 0; k < width; ++k) {
      fits = fits && impi_is_finite(row->j[k]);
    }
    if (!fits) {
      return impi_fail(IMP_ERR_ARGUMENT,
                       "constraint '%s': the numbers of row %d must be finite, and its lower bound must not be above "
                       "its upper bound",
                       name, i + 1);
    }
  }
  for (int i = 0; i < count; ++i) {
    custom->rows[i] = (ImpiUserValues){rows[i].bias, rows[i].c, rows[i].lower, rows[i].upper, rows[i].has_c};
    memcpy(custom->rows_j + i * width, rows[i].j, (size_t)width * sizeof *custom->rows_j);
  }
  note_implausible_rows(world, slot);
  for (int i = count; i < custom->capacity; ++i) { // an unused row starts from the impulse 0 when it is used again
    custom->coordinates[i].result.lambda = 0;
  }
  set_count(joint, count);
  world->row.valid = false;
  if (!world->stepping) {
    impi_joint_wake(world, slot);
  }
  return IMP_OK;
}


static ImpStatus find_param(const ImpWorld *world, ImpJoint handle, int index, double **out_param) {
  IMPI_FIND_JOINT(world, handle, slot);
  ImpiCustom *custom = world->joints.data[slot].custom;
  if (custom == NULL || index < 0 || index >= custom->param_count) {
    return impi_fail(IMP_ERR_ARGUMENT, "the joint has no parameter %d", index + 1);
  }
  *out_param = &custom->params[index];
  return IMP_OK;
}


ImpStatus imp_constraint_param(const ImpWorld *world, ImpJoint handle, int index, double *out_value) {
  double *param = NULL;
  ImpStatus status = find_param(world, handle, index, &param);
  if (status == IMP_OK) {
    *out_value = *param;
  }
  return status;
}


ImpStatus impi_constraint_set_param(ImpWorld *world, ImpJoint handle, int index, double value) {
  double *param = NULL;
  ImpStatus status = find_param(world, handle, index, &param);
  if (status == IMP_OK && !impi_is_finite(value)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "a parameter must be a finite number, got %g", value);
  }
  if (status == IMP_OK) {
    *param = value;
    world->solve.drives_changed = true;
    if (!world->stepping) {
      impi_joint_wake(world, impi_pool_find(&world->joint_pool, handle.id, world->tag));
    }
  }
  return status;
}
