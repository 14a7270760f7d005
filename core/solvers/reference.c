#include "solvers/reference.h"

#include <string.h>

#include "base/constants.h"


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------


void impi_reference_free(ImpiHeap *heap, ImpiReference *ref) {
  impi_array_free(heap, &ref->rows);
  impi_array_free(heap, &ref->fixes);
  impi_array_free(heap, &ref->terms);
  impi_array_free(heap, &ref->fix_terms);
  impi_array_free(heap, &ref->start);
  impi_array_free(heap, &ref->began);
  impi_array_free(heap, &ref->kept);
  impi_array_free(heap, &ref->order);
  impi_array_free(heap, &ref->rates);
  impi_array_free(heap, &ref->impulses);
  impi_array_free(heap, &ref->history);
  impi_array_free(heap, &ref->samples.numbers);
}


void impi_reference_destroy(ImpiHeap *heap, void *scratch) {
  if (scratch != NULL) {
    impi_reference_free(heap, scratch);
    impi_resize(heap, scratch, sizeof(ImpiReference), 0);
  }
}


// Return the largest number of rows in the step. `out_terms`: largest number of terms (ImpiRowTerm) of all these rows.
static int row_room(const ImpiSolve *solve, int *out_terms) {
  int rows = solve->active_count * IMPI_MAX_CONTACT_ROWS;
  *out_terms = 0;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    rows += impi_joint_step_rows(&solve->joints[solve->active_joints[i]], solve->before_substep != NULL);
    *out_terms += impi_joint_term_room(&solve->joints[solve->active_joints[i]]);
  }
  return rows;
}


static int history_room(const ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  double sweeps = (double)ref->iterations * ref->substeps;
  return !solve->settings->history ? 0 : sweeps > IMP_MAX_HISTORY ? IMP_MAX_HISTORY : (int)sweeps;
}


ImpStatus impi_reference_reserve(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  ImpiHeap *heap = solve->heap;
  int terms, rows = row_room(solve, &terms);
  bool room = true;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
    room = room && impi_sample_reserve(heap, &ref->samples, joint) &&
           impi_reserve(heap, &ref->rates, impi_joint_capacity(joint));
  }
  ref->substeps = impi_substeps(solve->solver, solve->settings);
  ref->iterations = impi_iterations(solve->solver, solve->settings);
  room = room && impi_reserve(heap, &ref->rows, rows) && impi_reserve(heap, &ref->impulses, rows) &&
         impi_reserve(heap, &ref->order, rows) && impi_reserve(heap, &ref->terms, terms) &&
         impi_reserve(heap, &ref->start, solve->awake_count + 1) &&
         impi_reserve(heap, &ref->began, solve->awake_count + 1) &&
         impi_reserve(heap, &ref->history, history_room(solve));
  return room ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


ImpStatus impi_reference_reserve_fixes(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  int terms, rows = row_room(solve, &terms);
  bool room = impi_reserve(solve->heap, &ref->fixes, rows) && impi_reserve(solve->heap, &ref->fix_terms, terms) &&
              impi_reserve(solve->heap, &ref->kept, solve->awake_count + 1);
  return room ? impi_reference_reserve(solve) : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


// ---------------------------------------------------------------------------------------------------------------------
// Rows
// ---------------------------------------------------------------------------------------------------------------------


bool impi_reference_has_block(const ImpiSolve *solve, int block) {
  const ImpiReference *ref = solve->scratch;
  if (ref->halves == NULL) {
    return true;
  }
  int joints = solve->active_joint_count;
  const ImpiJoint *joint = block < joints ? &solve->joints[solve->active_joints[block]] : NULL;
  const ImpiContact *contact = joint == NULL ? &solve->contacts[solve->active[block - joints]] : NULL;
  int count = joint != NULL ? impi_joint_body_count(joint) : 2;
  for (int i = 0; i < count; ++i) {
    int32_t slot = joint != NULL ? impi_joint_body(joint, i) : i == 0 ? contact->body_a : contact->body_b;
    const ImpiBody *body = &solve->bodies[slot];
    if (body->lane > 0 && ref->halves[body->lane] != IMPI_WHOLE) {
      return ref->in_halves;
    }
  }
  return !ref->in_halves;
}


typedef struct List {
  ImpiRow *rows;
  ImpiRowTerm *terms;
  int *row_count, *term_count;
  int row_capacity, term_capacity;
} List;


static List rows_of(ImpiReference *ref) {
  return (List){ref->rows.data,   ref->terms.data,    &ref->rows.count,
                &ref->term_count, ref->rows.capacity, ref->terms.capacity};
}


static List fixes_of(ImpiReference *ref) {
  return (List){ref->fixes.data,      ref->fix_terms.data, &ref->fixes.count,
                &ref->fix_term_count, ref->fixes.capacity, ref->fix_terms.capacity};
}


static const ImpiMotion *start_of(const ImpiSolve *solve, int32_t body) {
  const ImpiReference *ref = solve->scratch;
  int32_t lane = solve->bodies[body].lane;
  return lane > 0 ? &ref->start.data[lane] : &solve->motions[body];
}


bool impi_reference_is_rigid(const ImpiRow *row) {
  bool below = row->lower == 0 || row->lower == -HUGE_VAL, above = row->upper == 0 || row->upper == HUGE_VAL;
  return below && above && row->lower < row->upper;
}


// Disable a row with non-finite values, which a user's function may return.
static void drop_if_implausible(ImpiRow *row) {
  double sum = row->c + row->bias + row->mass;
  for (int k = 0; k < 6; ++k) {
    sum += row->j[k];
  }
  if (impi_is_finite(sum)) {
    return;
  }
  row->mass = row->bias = row->c = row->error = row->push = 0;
  row->lower = row->upper = 0;
  row->open = true;
  memset(row->j, 0, sizeof row->j);
  row->more_count = 0;
}


// Gap up to which a limit or a contact is closed [m or rad], because rounding of the pose must not release a resting
// body.
#define ROUNDING 1e-12


// Set the error of a row, and whether the row is open (impulse 0).
static void check_joint_row(const ImpiJoint *joint, ImpiRow *row) {
  int side = impi_row_side(joint, row);
  row->open = side * row->c > ROUNDING;
  if (row->open) {
    row->lower = row->upper = 0;
  } else if (side != 0 || impi_row_has_error(joint, row)) {
    row->error = row->c;
  }
}


// Append the rows of a joint to the list, with b as impi_joint_rows sets it. Return the number of rows.
static int list_joint(ImpiSolve *solve, List list, int block, const ImpiSamples *samples) {
  ImpiReference *ref = solve->scratch;
  int32_t slot = solve->active_joints[block];
  ImpiJoint *joint = &solve->joints[slot];
  ImpiRow *rows = list.rows + *list.row_count;
  int made = impi_joint_rows(solve->joints, solve->drives, slot, samples, solve->bodies, ref->h, rows,
                             list.terms + *list.term_count);
  *list.row_count += made;
  *list.term_count += impi_joint_term_room(joint);
  for (int k = 0; k < made; ++k) {
    rows[k].block = block;
    if (rows[k].kind != IMP_ROW_FORCE) {
      check_joint_row(joint, &rows[k]);
    }
  }
  return made;
}


// Return whether the list has room for the rows of a joint.
static bool has_room(const List *list, const ImpiJoint *joint) {
  return *list->row_count + impi_joint_row_room(joint) <= list->row_capacity &&
         *list->term_count + impi_joint_term_room(joint) <= list->term_capacity;
}


static ImpiSamples sample(ImpiSolve *solve, const ImpiJoint *joint, double t) {
  ImpiReference *ref = solve->scratch;
  ImpiPoses poses = {solve->bodies, solve->motions, NULL};
  ImpiSamples samples = impi_sample_room(&ref->samples, joint);
  impi_joint_sample(solve->joints, joint, &poses, t, HUGE_VAL, samples);
  return samples;
}


// Return the warm-start impulse.
static double start_from(const ImpiSettings *settings, const ImpiRow *row, double kept) {
  return impi_clamp(settings->warm_start && settings->accumulate ? kept : 0, row->lower, row->upper);
}


static void make_joint_rows(ImpiSolve *solve, int block) {
  ImpiReference *ref = solve->scratch;
  const ImpiSettings *settings = solve->settings;
  ImpiJoint *joint = &solve->joints[solve->active_joints[block]];
  List list = rows_of(ref);
  int first = ref->rows.count;
  joint->first_row = first;
  joint->row_count = 0;
  joint->row_stamp = solve->stamp;
  if (!impi_reference_has_block(solve, block)) {
    return;
  }
  if (ref->substep == 0 && ref->part == 0 && !ref->at_end) {
    impi_joint_begin(joint, solve->drives);
  }
  if (!has_room(&list, joint)) {
    return;
  }
  bool rate = impi_joint_is_timed(joint) || impi_joint_is_velocity(joint);
  if (rate) {
    ImpiPoses poses = {solve->bodies, solve->motions, NULL};
    ImpiSamples room = impi_sample_room(&ref->samples, joint);
    impi_joint_rates(joint, &poses, ref->t + (ref->at_end ? 0.5 : 1) * ref->h, ref->h, room.value, ref->rates.data);
  }
  ImpiSamples samples = sample(solve, joint, ref->t);
  if (joint->kind == IMP_JOINT_RATCHET && joint->inline_coordinates[0].drive >= 0) {
    impi_ratchet_advance(joint, &solve->drives[joint->inline_coordinates[0].drive], samples.value[0]);
  }
  joint->row_count = list_joint(solve, list, block, &samples);
  for (int k = 0; k < joint->row_count; ++k) {
    ImpiRow *row = &ref->rows.data[first + k];
    row->curvature = samples.curvature[row->index];
    row->approach_speed = -impi_row_speed(row, solve->motions);
    row->rate = rate ? ref->rates.data[row->index] : 0;
    row->bias += row->rate;
    if (row->kind == IMP_ROW_FORCE) {
      continue;
    }
    if (row->kind == IMP_ROW_SPRING && row->mass > 0) {
      solve->drives[impi_joint_coordinate(joint, row->index)->drive].mass = row->swings;
    }
    drop_if_implausible(row);
    row->lambda = start_from(settings, row, row->lambda / ref->parts);
  }
}


static void check_contact_row(const ImpiSettings *settings, ImpiRow *row) {
  if (row->kind != IMP_ROW_NORMAL) {
    return;
  }
  row->error = impi_min(row->c + settings->slop, 0);
  if (row->c > ROUNDING) { // an open row stays in the list, so that a contact always makes the same rows
    row->open = true;
    row->upper = 0;
    row->lambda = 0;
  }
}


// Return whether a contact connects a body that is integrated in halves (ImpiReference.in_halves) with a body that is
// integrated as a whole.
static bool mixes_passes(const ImpiSolve *solve, const ImpiContact *contact) {
  const ImpiReference *ref = solve->scratch;
  const ImpiBody *a = &solve->bodies[contact->body_a], *b = &solve->bodies[contact->body_b];
  return ref->in_halves && ((a->inv_mass > 0 && !impi_reference_has_body(ref, a)) ||
                            (b->inv_mass > 0 && !impi_reference_has_body(ref, b)));
}


static int list_contact(ImpiSolve *solve, List list, int index) {
  int32_t slot = solve->active[index];
  ImpiContact *contact = &solve->contacts[slot];
  ImpiRow *rows = list.rows + *list.row_count;
  int made = impi_contact_rows(contact, solve->bodies, solve->motions, start_of(solve, contact->body_a),
                               start_of(solve, contact->body_b), *list.row_count, rows);
  bool waits = mixes_passes(solve, contact);
  *list.row_count += made;
  for (int k = 0; k < made; ++k) {
    rows[k].owner = slot;
    rows[k].block = solve->active_joint_count + index;
    check_contact_row(solve->settings, &rows[k]);
    if (waits) {
      rows[k].open = true;
      rows[k].upper = rows[k].error = 0;
      rows[k].lambda = 0;
    }
  }
  return made;
}


// Keep a contact active while its gap is within the slop, because rounding must not deactivate a contact at rest.
static void hold_small_gap(const ImpiReference *ref, const ImpiSettings *settings, ImpiRow *row) {
  if (row->open && row->kind == IMP_ROW_NORMAL && row->c <= settings->slop && row->bounce == 0) {
    row->open = false;
    row->upper = HUGE_VAL;
    row->lambda = *row->store / ref->parts;
    row->bias = row->c / ref->h;
  }
}


static void make_contact_rows(ImpiSolve *solve, int index) {
  ImpiReference *ref = solve->scratch;
  const ImpiSettings *settings = solve->settings;
  ImpiContact *contact = &solve->contacts[solve->active[index]];
  contact->first_row = ref->rows.count;
  contact->row_stamp = (uint32_t)solve->stamp;
  contact->row_count = 0;
  if (!impi_reference_has_block(solve, solve->active_joint_count + index)) {
    return;
  }
  contact->row_count = (int8_t)list_contact(solve, rows_of(ref), index);
  double threshold = impi_restitution_threshold(contact, solve->bodies, settings->gravity, ref->h);
  for (int k = 0; k < contact->row_count; ++k) {
    ImpiRow *row = &ref->rows.data[contact->first_row + k];
    row->c_before = row->c;
    row->lambda /= ref->parts;
    row->approach_speed = -impi_row_speed(row, solve->motions);
    if (row->kind == IMP_ROW_NORMAL && row->approach_speed > threshold) {
      row->bounce = contact->restitution * row->approach_speed;
      row->bias = -row->bounce;
    }
    if (!mixes_passes(solve, contact)) {
      hold_small_gap(ref, settings, row);
    }
    if (!settings->warm_start || !settings->accumulate) {
      row->lambda = 0;
    }
  }
}


void impi_reference_refresh(ImpiSolve *solve, int32_t joint, double t) {
  if (solve->refresh != NULL && impi_joint_is_called(&solve->joints[joint])) {
    solve->refresh(solve, joint, t);
  }
}


// Call the callbacks of all joints. This must precede the rows, which point into arrays that a callback may reallocate.
static void call_back(ImpiSolve *solve, double t) {
  for (int i = 0; i < solve->active_joint_count; ++i) {
    if (impi_reference_has_block(solve, i)) {
      impi_reference_refresh(solve, solve->active_joints[i], t);
    }
  }
}


double impi_reference_value(ImpiSolve *solve, const ImpiRow *row, double t) {
  return sample(solve, &solve->joints[row->owner], t).value[row->index];
}


// Set the speed of each rotor (the turning mass of a drive with armature) to the speed of its coordinate, if it is not
// known yet (ImpiDrive.spins). Drop rotors whose coordinate cannot turn them now.
void impi_reference_start_rotors(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
    for (int k = 0; k < joint->count; ++k) {
      int32_t drive = impi_joint_coordinate_const(joint, k)->drive;
      if (drive < 0 || solve->drives[drive].set.armature <= 0) {
        continue;
      }
      if (!impi_joint_has_rotor(joint, solve->drives, solve->bodies, k)) {
        impi_drive_drop_rotor(&solve->drives[drive]);
      } else if (!solve->drives[drive].spins) {
        ImpiSamples samples = sample(solve, joint, ref->t);
        ImpiPoses poses = {solve->bodies, solve->motions, NULL};
        solve->drives[drive].rotor = impi_joint_speed(joint, &poses, &samples, k);
        solve->drives[drive].spins = true;
      }
    }
  }
}


void impi_reference_rows(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  ref->rows.count = ref->term_count = 0;
  call_back(solve, ref->at_end ? ref->t : ref->t + ref->h);
  for (int i = 0; i < solve->active_joint_count; ++i) {
    make_joint_rows(solve, i);
  }
  for (int i = 0; i < solve->active_count; ++i) {
    make_contact_rows(solve, i);
  }
  solve->report.rows = ref->rows.count;
}


void impi_reference_rows_at_end(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  ref->at_end = true;
  impi_reference_rows(solve);
  ref->at_end = false;
}


void impi_reference_baumgarte(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  double rate = solve->settings->baumgarte / solve->settings->dt;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    double push = rate * row->error;
    if (row->kind != IMP_ROW_NORMAL) {
      row->fix = push;
      row->bias += push;
    } else if (row->error < 0 && push < row->bias) { // the larger of bounce and push-out
      row->bias = row->fix = push;
      row->bounce = 0;
    }
  }
}


void impi_reference_push_forces(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  double rate = solve->settings->baumgarte / solve->settings->dt;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    bool force = row->noted != NULL && !impi_reference_is_rigid(row);
    if (force || row->kind == IMP_ROW_USER) {
      row->fix = rate * row->error;
      row->bias += row->fix;
    }
  }
}


void impi_reference_meet(ImpiSolve *solve, ImpiRow *row, double h) {
  bool lower = row->kind == IMP_ROW_LOWER_LIMIT, upper = row->kind == IMP_ROW_UPPER_LIMIT;
  if (!row->open || row->mass <= 0 || (!lower && !upper)) {
    return;
  }
  const ImpiReference *ref = solve->scratch;
  const ImpiJoint *joint = &solve->joints[row->owner];
  double most = ref->h * solve->drives[impi_joint_coordinate_const(joint, row->index)->drive].set.limit_max;
  row->open = false;
  row->lower = lower ? 0 : -most;
  row->upper = lower ? most : 0;
  row->bias += row->c / h;
  row->lambda = start_from(solve->settings, row, *row->store / ref->parts);
}


void impi_reference_look_ahead(ImpiSolve *solve, double h) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    impi_reference_meet(solve, &ref->rows.data[i], h);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Rows recomputed at the present poses
// ---------------------------------------------------------------------------------------------------------------------


// Copy J and the values that depend on J. If the row is a rigid `position` row, copy its bounds, too.
static void take_geometry(ImpiRow *row, ImpiRow *fresh, bool position) {
  drop_if_implausible(fresh);
  memcpy(row->j, fresh->j, sizeof row->j);
  row->c = fresh->c;
  row->mass = fresh->mass;
  row->more_count = fresh->more_count;
  if (position && impi_reference_is_rigid(fresh)) {
    row->lower = fresh->lower;
    row->upper = fresh->upper;
  }
}


static void joint_again(ImpiSolve *solve, int32_t slot, double t, bool position) {
  ImpiReference *ref = solve->scratch;
  ImpiJoint *joint = &solve->joints[slot];
  if (joint->row_count == 0 || joint->kinds[0] == IMP_COORDINATE_USER) {
    return;
  }
  ImpiRow *rows = &ref->rows.data[joint->first_row];
  int more = impi_joint_term_room(joint) / impi_joint_capacity(joint); // terms per row, for bodies after the first two
  ImpiRowTerm *terms = ref->terms.data;
  if (more > 0) {
    terms += rows[0].more - ref->terms.data - rows[0].index * more;
  }
  ImpiSamples samples = sample(solve, joint, t);
  impi_joint_rows(solve->joints, solve->drives, slot, &samples, solve->bodies, ref->h, ref->fixes.data, terms);
  for (int k = 0; k < joint->row_count; ++k) {
    take_geometry(&rows[k], &ref->fixes.data[k], position && !impi_joint_is_velocity(joint));
  }
}


void impi_reference_joint_again(ImpiSolve *solve, int32_t slot, double t) { joint_again(solve, slot, t, true); }


void impi_reference_joints_again(ImpiSolve *solve, double t) {
  call_back(solve, t);
  for (int i = 0; i < solve->active_joint_count; ++i) {
    joint_again(solve, solve->active_joints[i], t, false);
  }
}


void impi_reference_contact_again(ImpiSolve *solve, int32_t slot) {
  ImpiReference *ref = solve->scratch;
  ImpiContact *contact = &solve->contacts[slot];
  impi_contact_rows(contact, solve->bodies, solve->motions, start_of(solve, contact->body_a),
                    start_of(solve, contact->body_b), contact->first_row, ref->fixes.data);
  for (int k = 0; k < contact->row_count; ++k) {
    ImpiRow *row = &ref->rows.data[contact->first_row + k];
    take_geometry(row, &ref->fixes.data[k], row->kind == IMP_ROW_NORMAL);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Position errors
// ---------------------------------------------------------------------------------------------------------------------


// Of the last `made` rows of `fixes`, keep the rigid equalities (locks, servos) and the limits and contacts with an
// error, as rows for displacements d: J d = -error. With `touching`, keep contacts within the slop, too. Return the
// number of rows kept.
static int keep_errors(ImpiReference *ref, int made, bool touching) {
  int kept = ref->fixes.count - made;
  for (int i = ref->fixes.count - made; i < ref->fixes.count; ++i) {
    ImpiRow row = ref->fixes.data[i];
    bool lower = row.lower == 0, upper = row.upper == 0, lock = !lower && !upper;
    bool corrects = row.kind == IMP_ROW_LOCK || row.kind == IMP_ROW_SERVO || row.kind == IMP_ROW_LOWER_LIMIT ||
                    row.kind == IMP_ROW_UPPER_LIMIT || row.kind == IMP_ROW_NORMAL;
    bool held = lock || row.error != 0 || (touching && row.kind == IMP_ROW_NORMAL);
    if (!corrects || row.open || row.mass <= 0 || !impi_reference_is_rigid(&row) || !held) {
      continue;
    }
    drop_if_implausible(&row);
    row.lower = lock || upper ? -HUGE_VAL : 0;
    row.upper = lock || lower ? HUGE_VAL : 0;
    row.bias = row.error;
    row.scale = 1;
    row.together = 1;
    row.keep = row.push = row.lambda = 0;
    row.bound_row = -1;
    ref->fixes.data[kept++] = row;
  }
  made = kept - (ref->fixes.count - made);
  ref->fixes.count = kept;
  return made;
}


// Set `open` of the rows of redundant locks, because their position errors are not corrected.
static void leave_dropped(const ImpiJoint *joint, ImpiRow *rows, int count) {
  for (int i = 0; i < count && joint->dropped != 0; ++i) {
    bool dropped = rows[i].index < 32 && joint->dropped >> rows[i].index & 1u;
    rows[i].open = rows[i].open || (rows[i].kind == IMP_ROW_LOCK && dropped);
  }
}


static int add_joint_errors(ImpiSolve *solve, int block, double t) {
  ImpiReference *ref = solve->scratch;
  ImpiJoint *joint = &solve->joints[solve->active_joints[block]];
  List list = fixes_of(ref);
  if (!impi_reference_has_block(solve, block) || !has_room(&list, joint) || impi_joint_is_velocity(joint)) {
    return 0;
  }
  ImpiSamples samples = sample(solve, joint, t);
  int made = list_joint(solve, list, block, &samples);
  leave_dropped(joint, ref->fixes.data + ref->fixes.count - made, made);
  return keep_errors(ref, made, false);
}


int impi_reference_joint_errors(ImpiSolve *solve, int index, double t) {
  ImpiReference *ref = solve->scratch;
  ref->fixes.count = ref->fix_term_count = 0;
  return add_joint_errors(solve, index, t);
}


int impi_reference_contact_errors(ImpiSolve *solve, int index) {
  ImpiReference *ref = solve->scratch;
  ref->fixes.count = ref->fix_term_count = 0;
  return keep_errors(ref, list_contact(solve, fixes_of(ref), index), false);
}


void impi_reference_row_errors(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  if (ref->rows.count > 0) {
    memcpy(ref->fixes.data, ref->rows.data, (size_t)ref->rows.count * sizeof *ref->fixes.data);
  }
  ref->fixes.count = ref->rows.count;
  keep_errors(ref, ref->rows.count, true);
}


double impi_reference_errors(ImpiSolve *solve, double t) {
  ImpiReference *ref = solve->scratch;
  ref->fixes.count = ref->fix_term_count = 0;
  call_back(solve, t);
  for (int i = 0; i < solve->active_joint_count; ++i) {
    add_joint_errors(solve, i, t);
  }
  for (int i = 0; i < solve->active_count; ++i) {
    if (impi_reference_has_block(solve, solve->active_joint_count + i)) {
      keep_errors(ref, list_contact(solve, fixes_of(ref), i), false);
    }
  }
  double worst = 0;
  for (int i = 0; i < ref->fixes.count; ++i) {
    worst = impi_max(worst, fabs(ref->fixes.data[i].error));
  }
  return worst;
}
