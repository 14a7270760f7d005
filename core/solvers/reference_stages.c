// The stages of a reference solver's step, see reference.h.
#include <string.h>

#include "solvers/reference.h"


void impi_reference_read(const ImpiSolve *solve, int32_t body, ImpiMotion *out_motion) {
  *out_motion = solve->motions[body];
}


void impi_reference_push(ImpiSolve *solve, int32_t body, double dvx, double dvy, double dw) {
  ImpiMotion *motion = &solve->motions[body];
  motion->vx += dvx;
  motion->vy += dvy;
  motion->w += dw;
}


const ImpiRow *impi_reference_recorded(const void *scratch) { return ((const ImpiReference *)scratch)->rows.data; }


void impi_reference_begin(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  ref->h = solve->settings->dt / ref->substeps;
  ref->history.count = 0;
  ref->swept = false;
  ref->parts = 1;
  ref->part = 0;
  ref->halves = NULL;
  ref->split = ref->second = false;
  ref->random = solve->seed ^ (solve->stamp * 0x9e3779b97f4a7c15u);
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->bodies[solve->awake[i]].lane = i + 1;
    ref->start.data[i + 1] = solve->motions[solve->awake[i]];
  }
  for (int i = 0; i < solve->active_joint_count; ++i) {
    ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
    joint->dropped = solve->solver->ranks ? joint->dropped : 0;
    joint->contradicts = false;
  }
}


void impi_reference_listen(ImpiSolve *solve, int substep) {
  ImpiReference *ref = solve->scratch;
  ref->t = solve->time + substep * ref->h;
  if (solve->before_substep != NULL) {
    impi_reference_start_rotors(solve); // rotors get the speeds of coordinates before handlers push bodies
    solve->before_substep(solve, ref->h);
  }
  ref->substep = substep;
  impi_reference_start_rotors(solve); // rotors whose armatures the handlers have just set
  if (solve->push_fields != NULL) {
    double h = solve->solver->halves ? 0.5 * ref->h : ref->h;
    solve->push_fields(solve, h, ref->t, ref->t + h);
  }
}


// Return the time for which forces act on a body in the current half or substep [s].
static double force_time(const ImpiReference *ref, const ImpiBody *body) {
  bool at_once = ref->split && ref->halves[body->lane] == IMPI_PUSHED_HALVES;
  return !at_once ? ref->h : ref->second ? 0 : 2 * ref->h;
}


void impi_reference_force(ImpiSolve *solve, int32_t slot) {
  ImpiReference *ref = solve->scratch;
  ImpiMotion *motion = &solve->motions[slot];
  const ImpiBody *body = &solve->bodies[slot];
  if (impi_reference_has_body(ref, body)) {
    ref->began.data[body->lane] = *motion;
    impi_body_integrate_velocity(body, motion, solve->settings->gravity, force_time(ref, body));
  }
}


void impi_reference_note_speeds(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    ref->rows.data[i].before = impi_row_speed(&ref->rows.data[i], solve->motions);
  }
}


void impi_reference_forces(ImpiSolve *solve) {
  for (int i = 0; i < solve->awake_count; ++i) {
    impi_reference_force(solve, solve->awake[i]);
  }
  impi_reference_note_speeds(solve);
}


void impi_reference_warm_start(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    impi_row_apply(&ref->rows.data[i], solve->bodies, solve->motions, ref->rows.data[i].lambda);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Sweeps
// ---------------------------------------------------------------------------------------------------------------------


// Return the next number of the splitmix64 generator.
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}


static void set_order(ImpiSolve *solve, bool first) {
  ImpiReference *ref = solve->scratch;
  int count = ref->rows.count;
  int32_t *order = ref->order.data;
  ImpOrder kind = solve->settings->order;
  for (int i = 0; i < count && first; ++i) {
    order[i] = kind == IMP_ORDER_BACKWARD ? count - 1 - i : i;
  }
  for (int i = count - 1; i > 0 && kind == IMP_ORDER_SHUFFLED; --i) {
    int k = (int)(next_random(&ref->random) % (uint64_t)(i + 1));
    int32_t swap = order[i];
    order[i] = order[k];
    order[k] = swap;
  }
}


// Return the expected relative change of an impulse in all further sweeps. If each change is q times the change before,
// the sum of all further changes is q / (1 - q) of the last change.
static double change_left(const ImpiReference *ref, double contraction) {
  if (!(contraction > 0 && contraction < 1)) {
    return contraction == 0 ? 0 : HUGE_VAL;
  }
  double worst = 0;
  for (int i = 0; i < ref->rows.count; ++i) {
    double left = fabs(ref->impulses.data[i]) * contraction / (1 - contraction), lambda = 0;
    for (int k = 0; k < ref->rows.data[i].together && left > 0; ++k) {
      lambda += fabs(ref->rows.data[i + k].lambda);
    }
    worst = left > 0 ? impi_max(worst, left / lambda) : worst;
  }
  return worst;
}


static const char *reason_to_stop(const ImpiSettings *settings, const ImpSweep *sweep, double left) {
  if (settings->tolerance_impulse > 0 && sweep->impulse < settings->tolerance_impulse) {
    return "impulse";
  }
  if (settings->tolerance_velocity > 0 && sweep->velocity < settings->tolerance_velocity) {
    return "velocity";
  }
  if (settings->tolerance_change > 0 && left < settings->tolerance_change) {
    return "change";
  }
  return NULL;
}


double impi_reference_solve_row(ImpiSolve *solve, ImpiRowArray *rows, int32_t i) {
  ImpiRow *row = &rows->data[i], *drives[IMPI_DRIVE_ROWS];
  if (row->together == 1 || !solve->settings->accumulate) {
    return impi_row_solve(rows->data, i, solve->bodies, solve->motions, solve->settings->accumulate);
  }
  for (int k = 0; k < row->together; ++k) {
    drives[k] = row + k;
  }
  double applied = row->together > 0 ? impi_rows_update(drives, row->together, solve->motions) : 0;
  impi_row_apply(row, solve->bodies, solve->motions, applied);
  return applied;
}


static double visit_row(ImpiSolve *solve, int32_t row, int32_t previous) {
  (void)previous;
  ImpiReference *ref = solve->scratch;
  solve->report.flops += IMPI_ROW_FLOPS + (uint64_t)ref->rows.data[row].more_count * IMPI_TERM_FLOPS;
  return impi_reference_solve_row(solve, &ref->rows, row);
}


static ImpSweep sweep_once(ImpiSolve *solve, ImpiRowVisit *visit) {
  ImpiReference *ref = solve->scratch;
  const ImpiRow *rows = ref->rows.data;
  ImpSweep sweep = {.substep = ref->substep + 1};
  double sum = 0;
  for (int k = 0; k < ref->rows.count; ++k) {
    int32_t i = ref->order.data[k];
    double applied = visit(solve, i, k > 0 ? ref->order.data[k - 1] : -1);
    ref->impulses.data[i] = applied;
    sweep.impulse = impi_max(sweep.impulse, fabs(applied));
    sweep.velocity = impi_max(sweep.velocity, rows[i].mass > 0 ? fabs(applied) / rows[i].mass : 0);
    sum += applied * applied;
  }
  sweep.change = sqrt(sum);
  return sweep;
}


void impi_reference_sweep_by(ImpiSolve *solve, int iterations, ImpiRowVisit *visit) {
  ImpiReference *ref = solve->scratch;
  double last = 0;
  solve->report.contraction = 0;
  solve->report.reason = "iterations";
  for (int n = 0; n < iterations; ++n) {
    set_order(solve, n == 0);
    ImpSweep sweep = sweep_once(solve, visit);
    solve->report.sweeps++;
    solve->report.contraction = last > 0 ? sweep.change / last : 0;
    if (ref->history.count < ref->history.capacity && solve->settings->history) {
      ref->history.data[ref->history.count++] = sweep;
    }
    double left = n > 0 || sweep.change == 0 ? change_left(ref, solve->report.contraction) : HUGE_VAL;
    const char *reason = reason_to_stop(solve->settings, &sweep, left);
    if (reason != NULL) {
      solve->report.reason = reason;
      return;
    }
    last = sweep.change;
  }
}


void impi_reference_sweep(ImpiSolve *solve, int iterations) {
  ImpiReference *ref = solve->scratch;
  ref->swept = true;
  impi_reference_sweep_by(solve, iterations, visit_row);
}


// ---------------------------------------------------------------------------------------------------------------------
// Store and move
// ---------------------------------------------------------------------------------------------------------------------


// Add the impulse of a row on the joint's last body to ImpiJoint.wrench.
static void add_wrench(ImpiJoint *joint, const ImpiRow *row) {
  const double *j = row->more_count > 0 ? row->more[row->more_count - 1].j : row->j + 3;
  for (int k = 0; k < 3; ++k) {
    joint->wrench[k] += row->lambda * j[k];
  }
}


void impi_reference_enter_row(ImpiSolve *solve, const ImpiRow *row) {
  if (solve->ledger != NULL) {
    double mean = 0.5 * (impi_row_speed(row, solve->motions) - row->approach_speed);
    impi_ledger_row(solve->ledger, row, row->lambda * mean, solve->bodies, solve->motions);
  }
}


void impi_reference_enter_force(ImpiSolve *solve, int32_t slot) {
  const ImpiReference *ref = solve->scratch;
  const ImpiBody *body = &solve->bodies[slot];
  if (solve->ledger != NULL && impi_reference_has_body(ref, body)) {
    impi_ledger_forces(solve->ledger, slot, body, &ref->began.data[body->lane], &solve->motions[slot],
                       solve->settings->gravity, force_time(ref, body));
  }
}


void impi_reference_enter_forces(ImpiSolve *solve) {
  for (int i = 0; i < solve->awake_count; ++i) {
    impi_reference_enter_force(solve, solve->awake[i]);
  }
}


// Apply the impulse -lambda to the rotor of a row's armature. Return the kinetic energy that the rotor gains [J].
static double turn_rotor(ImpiSolve *solve, const ImpiRow *row) {
  double inertia = row->rotor->set.armature, before = row->rotor->rotor, after = before - row->lambda / inertia;
  double gain = 0.5 * inertia * (after * after - before * before);
  if (row->mass <= 0) {
    impi_drive_drop_rotor(row->rotor);
    return 0;
  }
  row->rotor->rotor = after;
  if (solve->ledger != NULL) {
    impi_ledger_row(solve->ledger, row, gain, solve->bodies, solve->motions);
  }
  return gain;
}


void impi_reference_store_row(ImpiSolve *solve, ImpiRow *row, double work) {
  const ImpiReference *ref = solve->scratch;
  bool stuck = row->rotor != NULL && row->mass <= 0;
  row->lambda = impi_is_finite(row->lambda) && !stuck ? row->lambda : 0;
  *row->store = row->lambda * ref->parts;
  *row->total += row->lambda;
  work += row->rotor != NULL ? turn_rotor(solve, row) : 0;
  *row->done += impi_is_finite(work) ? work : 0;
  if (row->noted != NULL) {
    *row->noted = row->bias;
    add_wrench(&solve->joints[row->owner], row);
  }
  if (row->approach != NULL && ref->substep == 0 && ref->part == 0) {
    *row->approach = row->approach_speed;
  }
}


void impi_reference_store(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    double work = impi_row_work(row, solve->motions);
    impi_reference_store_row(solve, row, work);
    impi_reference_enter_row(solve, row);
  }
  impi_reference_enter_forces(solve);
}


void impi_reference_move_targets(ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    if (impi_reference_has_block(solve, i)) {
      impi_joint_move_targets(&solve->joints[solve->active_joints[i]], solve->drives, ref->h);
    }
  }
}


void impi_reference_move(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < solve->awake_count; ++i) {
    const ImpiBody *body = &solve->bodies[solve->awake[i]];
    ImpiMotion *motion = &solve->motions[solve->awake[i]], before = *motion;
    if (!impi_reference_has_body(ref, body) && body->inv_mass > 0) { // bodies of infinite mass move in both passes
      continue;
    }
    impi_body_integrate_position(body, motion, ref->h);
    if (solve->ledger != NULL) {
      impi_ledger_fall(solve->ledger, IMP_ENERGY_INTEGRATION, solve->awake[i], body, &before, motion,
                       solve->settings->gravity);
    }
  }
  impi_reference_move_targets(solve);
}


// Return the error of a spring: the sum of all changes in further sweeps. If each change is q times the change before,
// the sum is 1 / (1 - q) times the next change.
static double spring_left(const ImpiSolve *solve, const ImpiRow *row) {
  double left = row->scale * impi_row_left(row, solve->motions), q = solve->report.contraction;
  return left > 0 ? left / impi_max(1 - q, 1e-12) : 0;
}


double impi_reference_left(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  bool counts = row->kind != IMP_ROW_LOCK && row->kind != IMP_ROW_FORCE && row->kind != IMP_ROW_NORMAL && !row->open;
  if (impi_row_is_soft_drive(row)) {
    return counts && ref->swept ? spring_left(solve, row) : 0;
  }
  double left = counts ? impi_row_left(row, solve->motions) : 0;
  if (row->bound_row >= 0 && row->mass > 0) { // an impulse within rounding of a moving bound is at the bound
    left = impi_min(left, impi_min(row->lambda - row->lower, row->upper - row->lambda) / row->mass);
  }
  return left;
}


void impi_reference_end(ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    bool lock = row->kind == IMP_ROW_LOCK && row->mass > 0;
    double left = lock ? fabs(impi_row_speed(row, solve->motions) + row->bias) : 0;
    solve->report.velocity = impi_max(solve->report.velocity, left);
    solve->report.bounded = impi_max(solve->report.bounded, impi_reference_left(solve, row));
  }
  solve->report.history = ref->history.data;
  solve->report.history_count = ref->history.count;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    solve->report.joint_work += impi_joint_finish(&solve->joints[solve->active_joints[i]], solve->drives);
  }
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->bodies[solve->awake[i]].lane = 0;
  }
}


void impi_reference_show_whole(ImpiReference *ref) {
  for (int i = 0; i < ref->rows.count && ref->parts > 1; ++i) {
    ref->rows.data[i].lambda *= ref->parts;
    ref->rows.data[i].lower *= ref->parts;
    ref->rows.data[i].upper *= ref->parts;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The step
// ---------------------------------------------------------------------------------------------------------------------


void impi_reference_solve_velocities(ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  impi_reference_rows(solve);
  impi_reference_push_forces(solve);
  impi_reference_look_ahead(solve, ref->h);
  impi_reference_forces(solve);
  impi_reference_warm_start(solve);
  impi_reference_sweep(solve, ref->iterations);
  impi_reference_store(solve);
}


void impi_reference_solve(ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  double clock = impi_clock();
  impi_reference_begin(solve);
  for (int substep = 0; substep < ref->substeps; ++substep) {
    impi_reference_listen(solve, substep);
    solve->solver->substep(solve);
  }
  impi_reference_end(solve);
  solve->stage_time[IMP_STAGE_SOLVE] += impi_clock() - clock;
}


// ---------------------------------------------------------------------------------------------------------------------
// Motions and displacements
// ---------------------------------------------------------------------------------------------------------------------


void impi_reference_keep(const ImpiSolve *solve, ImpiMotion *out_motions) {
  for (int i = 0; i < solve->awake_count; ++i) {
    out_motions[i + 1] = solve->motions[solve->awake[i]];
  }
}


void impi_reference_go_back(ImpiSolve *solve, const ImpiMotion *motions) {
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->motions[solve->awake[i]] = motions[i + 1];
  }
}


void impi_reference_enter_falls(ImpiSolve *solve, ImpEnergyCause cause, const ImpiMotion *before) {
  for (int i = 0; i < solve->awake_count && solve->ledger != NULL; ++i) {
    int32_t slot = solve->awake[i];
    impi_ledger_fall(solve->ledger, cause, slot, &solve->bodies[slot], &before[i + 1], &solve->motions[slot],
                     solve->settings->gravity);
  }
}


void impi_reference_swap(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  impi_reference_keep(solve, ref->kept.data);
  for (int i = 0; i < solve->awake_count; ++i) {
    ImpiMotion *motion = &solve->motions[solve->awake[i]];
    motion->vx = motion->vy = motion->w = 0;
  }
}


void impi_reference_shift(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < solve->awake_count; ++i) {
    const ImpiMotion *kept = &ref->kept.data[i + 1];
    ImpiMotion *motion = &solve->motions[solve->awake[i]];
    impi_body_integrate_position(&solve->bodies[solve->awake[i]], motion, 1);
    motion->vx = kept->vx;
    motion->vy = kept->vy;
    motion->w = kept->w;
  }
  impi_reference_enter_falls(solve, IMP_ENERGY_PROJECTION, ref->kept.data);
}


double impi_reference_sweep_fixes(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  double worst = 0;
  for (int i = 0; i < ref->fixes.count; ++i) {
    double applied = impi_row_solve(ref->fixes.data, i, solve->bodies, solve->motions, true);
    worst = impi_max(worst, fabs(applied) / ref->fixes.data[i].mass);
  }
  return worst;
}
