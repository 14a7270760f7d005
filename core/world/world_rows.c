// Rows for inspection. The list is made on demand: from the rows that the solver recorded in the last step. Rows of
// other joints and contacts are computed at the final poses of the step.
#include <string.h>

#include "model/contact_rows.h"
#include "model/joint_rows.h"
#include "world/contacts.h"
#include "world/joints.h"
#include "world/touching.h"
#include "world/travel.h"


const char *imp_row_kind_name(int kind) {
  static const char *const names[] = {
      [IMP_ROW_NORMAL] = "normal",
      [IMP_ROW_FRICTION] = "friction",
      [IMP_ROW_ROLLING] = "rolling",
      [IMP_ROW_LOCK] = "lock",
      [IMP_ROW_LOWER_LIMIT] = "lower_limit",
      [IMP_ROW_UPPER_LIMIT] = "upper_limit",
      [IMP_ROW_MOTOR] = "motor",
      [IMP_ROW_SERVO] = "servo",
      [IMP_ROW_SPRING] = "spring",
      [IMP_ROW_FORCE] = "force",
      [IMP_ROW_USER] = "user",
      [IMP_ROW_ARMATURE] = "armature",
      [IMP_ROW_DAMPING] = "damping",
      [IMP_ROW_DRY_FRICTION] = "dry_friction",
  };
  IMPI_COVERS(names, IMP_ROW_KIND_COUNT);
  return kind >= 0 && kind < IMP_ROW_KIND_COUNT ? names[kind] : NULL;
}


static double substep_of(const ImpWorld *world) {
  double own = world->settings.dt / impi_substeps(impi_solver((int)world->solved_by), &world->settings);
  return world->impulse_step > 0 ? world->impulse_step : own;
}


static const ImpiRow *recorded(const ImpWorld *world) {
  const ImpiSolver *solver = impi_solver((int)world->solved_by);
  return solver->rows != NULL && world->tick > 0 ? solver->rows(world->scratch[world->solved_by]) : NULL;
}


static const ImpiRow *joint_recorded(const ImpWorld *world, const ImpiJoint *joint) {
  const ImpiRow *records = recorded(world);
  bool kept = records != NULL && joint->row_stamp == world->tick && joint->row_count > 0;
  return kept ? records + joint->first_row : NULL;
}


// ---------------------------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------------------------


static const ImpiRowResult *result_of(const ImpWorld *world, const ImpiJoint *joint, ImpRowKind kind, int index) {
  static const ImpiDriveRow drive_rows[] = {
      [IMP_ROW_LOWER_LIMIT] = IMPI_DRIVE_LOWER,     [IMP_ROW_UPPER_LIMIT] = IMPI_DRIVE_UPPER,
      [IMP_ROW_MOTOR] = IMPI_DRIVE_MOTOR,           [IMP_ROW_SERVO] = IMPI_DRIVE_SERVO,
      [IMP_ROW_SPRING] = IMPI_DRIVE_SPRING,         [IMP_ROW_FORCE] = IMPI_DRIVE_FORCE,
      [IMP_ROW_ARMATURE] = IMPI_DRIVE_ARMATURE,     [IMP_ROW_DAMPING] = IMPI_DRIVE_DAMPING,
      [IMP_ROW_DRY_FRICTION] = IMPI_DRIVE_FRICTION,
  };
  IMPI_COVERS(drive_rows, IMP_ROW_KIND_COUNT);
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  bool own = kind == IMP_ROW_LOCK || kind == IMP_ROW_USER || coordinate->drive < 0;
  return own ? &coordinate->result : &world->drives.data[coordinate->drive].row[drive_rows[kind]];
}


static bool at_bound(double lambda, double bound) {
  return fabs(bound) < HUGE_VAL && fabs(lambda - bound) <= 1e-6 * fabs(bound);
}


static void add_info(ImpWorld *world, const ImpiRow *row, ImpRowInfo info) {
  double h = substep_of(world);
  info.kind = row->kind;
  info.index = row->index;
  info.value = row->c;
  info.speed = impi_row_speed(row, world->motions.data);
  info.force = info.impulse / impi_last_dt(world);
  info.mass = row->mass;
  info.lower = row->lower / h;
  info.upper = row->upper / h;
  info.power /= impi_last_dt(world);
  // A motor against a limit is clamped, although its lambda is within bounds.
  double substeps = impi_last_dt(world) / h;
  info.clamped = at_bound(row->lambda, row->lower) || at_bound(row->lambda, row->upper) ||
                 (row->noted != NULL && row->kind == IMP_ROW_MOTOR &&
                  (at_bound(info.impulse, substeps * row->lower) || at_bound(info.impulse, substeps * row->upper)));
  int at = world->row.list.count++;
  world->row.list.data[at] = info;
  world->row.room.data[at] = *row;
  if (row->more_count > 0) {
    ImpiRowTerm *terms = world->row.terms.data + world->row.terms.count;
    memcpy(terms, row->more, (size_t)row->more_count * sizeof *terms);
    world->row.room.data[at].more = terms;
    world->row.terms.count += row->more_count;
  }
}


static void list_joint(ImpWorld *world, int32_t slot) {
  impi_flush_joint(world, slot);
  ImpiJoint *joint = &world->joints.data[slot];
  const ImpiRow *rows = joint_recorded(world, joint);
  ImpiSamples samples;
  int count = joint->row_count;
  // Make each row in the place where add_info stores it. Thus add_info overwrites no row that is still to be read.
  if (rows == NULL) {
    ImpiRow *made = world->row.room.data + world->row.list.count;
    if (!impi_world_sample(world, slot, &samples)) {
      return;
    }
    ImpiRowTerm *terms = world->row.terms.data + world->row.terms.count;
    count = impi_joint_rows(world->joints.data, world->drives.data, slot, &samples, world->bodies.data,
                            substep_of(world), made, terms);
    world->row.terms.count += impi_joint_term_room(joint);
    for (int i = 0; i < count; ++i) {
      made[i].bias = result_of(world, joint, made[i].kind, made[i].index)->bias;
    }
    rows = made;
  }
  for (int i = 0; i < count; ++i) {
    ImpiRow row = rows[i];
    const ImpiRowResult *result = result_of(world, joint, row.kind, row.index);
    row.lambda = result->lambda;
    add_info(world, &row,
             (ImpRowInfo){.joint = impi_joint_handle(world, slot),
                          .bias = row.bias,
                          .impulse = result->total,
                          .power = result->step_work,
                          .work = result->work});
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Contacts
// ---------------------------------------------------------------------------------------------------------------------


static void list_contact(ImpWorld *world, int32_t slot, const ImpiRow *records) {
  impi_contact_now(world, slot);
  ImpiContact *contact = &world->contacts.data[slot]; // the contact is not const, because rows point into it
  ImpiRow rows[IMPI_MAX_CONTACT_ROWS];
  int count;
  if (contact->flags & IMPI_CONTACT_IDLE) {
    return;
  }
  uint32_t stamp = contact->run > 0 ? world->narrow.lane_contacts.stamp : contact->stamp;
  bool fresh = stamp == (uint32_t)world->tick;
  if (records != NULL && contact->row_stamp == (uint32_t)world->tick && contact->row_count > 0) {
    count = contact->row_count;
    memcpy(rows, records + contact->first_row, (size_t)count * sizeof *rows);
  } else {
    const ImpiMotion *a = &world->motions.data[contact->body_a], *b = &world->motions.data[contact->body_b];
    count = impi_contact_rows(contact, world->bodies.data, world->motions.data,
                              fresh ? impi_world_start(world, contact->body_a) : a,
                              fresh ? impi_world_start(world, contact->body_b) : b, 0, rows);
    for (int i = 0; i < count; ++i) {
      impi_row_update_bounds(rows, i);
    }
  }
  for (int i = 0; i < count; ++i) {
    const ImpiContactPoint *point = &contact->points[rows[i].index];
    ImpRowInfo info = {.contact = impi_contact_handle(world, slot), .bias = rows[i].bias};
    if (rows[i].kind == IMP_ROW_NORMAL) {
      info.impulse = point->total_n;
      info.power = point->step_n;
      info.work = point->work_n;
    } else if (rows[i].kind == IMP_ROW_FRICTION) {
      info.impulse = point->total_t;
      info.power = point->step_t;
      info.work = point->work_t;
    } else {
      info.impulse = contact->total_r;
      info.power = contact->step_r;
      info.work = contact->work_r;
    }
    add_info(world, &rows[i], info);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The list
// ---------------------------------------------------------------------------------------------------------------------


static bool reserve_list(ImpWorld *world) {
  int rows = world->touching.list.count * IMPI_MAX_CONTACT_ROWS, terms = 0;
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    int room = impi_joint_row_room(&world->joints.data[slot]), kept = world->joints.data[slot].row_count;
    room = room > kept ? room : kept; // drives may have been removed since the last step made rows
    rows += room;
    terms += impi_joint_term_room(&world->joints.data[slot]) + room * impi_joint_body_count(&world->joints.data[slot]);
  }
  return impi_reserve(&world->heap, &world->row.starts, world->touching.list.count + 1) &&
         impi_reserve(&world->heap, &world->row.list, rows) && impi_reserve(&world->heap, &world->row.room, rows) &&
         impi_reserve(&world->heap, &world->row.terms, terms);
}


static ImpStatus update_list(ImpWorld *world) {
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "rows cannot be read inside a step");
  }
  if (world->row.valid) {
    return IMP_OK;
  }
  if (!impi_world_sort_touching(world) || !reserve_list(world)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->row.list.count = world->row.terms.count = 0;
  const ImpiRow *records = recorded(world);
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    ImpiJoint *joint = &world->joints.data[slot];
    joint->list_first = world->row.list.count;
    if (!joint->broken) {
      list_joint(world, slot);
    }
    joint->list_count = world->row.list.count - joint->list_first;
  }
  for (int i = 0; i < world->touching.list.count; ++i) {
    world->row.starts.data[i] = world->row.list.count;
    list_contact(world, world->touching.list.data[i], records);
    world->row.starts.data[i + 1] = world->row.list.count;
  }
  world->row.valid = true;
  return IMP_OK;
}


ImpStatus imp_world_rows(ImpWorld *world, const ImpRowInfo **out_rows, int *out_count) {
  ImpStatus status = update_list(world);
  if (status == IMP_OK) {
    *out_rows = world->row.list.data;
    *out_count = world->row.list.count;
  }
  return status;
}


ImpStatus imp_joint_rows(ImpWorld *world, ImpJoint handle, int *out_first, int *out_count) {
  IMPI_FIND_JOINT(world, handle, slot);
  ImpStatus status = update_list(world);
  if (status == IMP_OK) {
    *out_first = world->joints.data[slot].list_first;
    *out_count = world->joints.data[slot].list_count;
  }
  return status;
}


ImpStatus imp_contact_rows(ImpWorld *world, ImpContact handle, int *out_first, int *out_count) {
  int32_t slot = impi_pool_find(&world->contact_pool, handle.id, world->tag);
  if (slot < 0) {
    return impi_pool_fail(handle.id, world->tag, "contact");
  }
  ImpStatus status = update_list(world);
  if (status == IMP_OK) {
    bool listed = world->contacts.data[slot].flags & IMPI_CONTACT_TOUCHING;
    const int32_t *start = listed ? &world->row.starts.data[world->touching.ranks.data[slot]] : NULL;
    *out_first = listed ? start[0] : 0;
    *out_count = listed ? start[1] - start[0] : 0;
  }
  return status;
}


ImpStatus imp_row_jacobian(ImpWorld *world, int index, ImpBody *bodies, double *j, int body_capacity, int *out_count) {
  ImpStatus status = update_list(world);
  if (status != IMP_OK) {
    return status;
  }
  if (index < 0 || index >= world->row.list.count) {
    return impi_fail(IMP_ERR_ARGUMENT, "the world has no row %d", index + 1);
  }
  const ImpiRow *row = &world->row.room.data[index];
  bool alone = row->body_a == row->body_b; // a row of one body names the body twice
  int count = 0;
  for (int i = alone ? 1 : 0; i < 2 + row->more_count; ++i) {
    int32_t body = i == 0 ? row->body_a : i == 1 ? row->body_b : row->more[i - 2].body;
    const double *part = i < 2 ? row->j + 3 * i : row->more[i - 2].j;
    if (count < body_capacity) {
      bodies[count] = impi_body_handle(world, body);
      memcpy(j + 3 * count, part, 3 * sizeof *j);
    }
    count++;
  }
  *out_count = count;
  return IMP_OK;
}
