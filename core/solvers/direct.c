#include "solvers/direct.h"

#include <string.h>

// Position errors below this are not corrected [m or rad].
#define ENOUGH 1e-12

// Newton's method on positions ends after this many consecutive iterations that do not reduce the largest error.
#define MAX_STALLS 4

// A row is nearly dependent on other rows if its pivot is below NEARLY times the row's diagonal element of J M^-1 J^T.
#define NEARLY 1e-6

// Levenberg-Marquardt damping, a relative increase of the diagonal of A = J M^-1 J^T: the initial value, and the value
// at which the iteration ends.
#define FIRST_DAMPING 0.1
#define MOST_DAMPING 100

// The locks contradict each other if Newton's method leaves more than this part of the largest error.
#define STUCK 0.5

// A damped step that leaves more than this part of the sum of squared errors is undone.
#define WORTH 0.98

// A solve with a smaller residual is reported as "solved" [m/s].
#define SOLVED 1e-8


void impi_direct_destroy(ImpiHeap *heap, void *scratch) {
  ImpiDirect *direct = scratch;
  if (direct != NULL) {
    impi_reference_free(heap, &direct->reference);
    impi_exact_free(heap, &direct->exact);
    impi_stiffness_free(heap, &direct->stiffness);
    impi_array_free(heap, &direct->tried);
    impi_islands_free(heap, &direct->islands);
    impi_array_free(heap, &direct->errors);
    impi_array_free(heap, &direct->begun);
    impi_array_free(heap, &direct->start);
    impi_array_free(heap, &direct->forced);
    impi_array_free(heap, &direct->middle);
    impi_array_free(heap, &direct->halves);
    impi_array_free(heap, &direct->island);
    impi_array_free(heap, &direct->marks);
    impi_array_free(heap, &direct->kinetic);
    impi_array_free(heap, &direct->joules);
    impi_array_free(heap, &direct->other_rows);
    impi_array_free(heap, &direct->other_terms);
    impi_resize(heap, direct, sizeof *direct, 0);
  }
}


static bool reserve_midpoint(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  const ImpiReference *ref = &direct->reference;
  ImpiHeap *heap = solve->heap;
  int lanes = solve->awake_count + 1;
  return impi_reserve(heap, &direct->begun, lanes) && impi_reserve(heap, &direct->start, lanes) &&
         impi_reserve(heap, &direct->forced, lanes) && impi_reserve(heap, &direct->middle, lanes) &&
         impi_reserve(heap, &direct->halves, lanes) && impi_reserve(heap, &direct->island, lanes) &&
         impi_reserve(heap, &direct->marks, lanes) && impi_reserve(heap, &direct->kinetic, lanes) &&
         impi_reserve(heap, &direct->joules, lanes) && impi_reserve(heap, &direct->other_rows, ref->rows.capacity) &&
         impi_reserve(heap, &direct->other_terms, ref->terms.capacity);
}


ImpStatus impi_direct_reserve(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpStatus status = impi_reference_reserve_fixes(solve);
  if (status == IMP_OK) {
    status = impi_stiffness_reserve(solve, &direct->stiffness);
  }
  int lanes = solve->awake_count + 1;
  bool room = impi_reserve(solve->heap, &direct->tried, lanes) && impi_reserve(solve->heap, &direct->errors, lanes) &&
              impi_islands_reserve(solve->heap, &direct->islands, lanes);
  if (status == IMP_OK && !room) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (status == IMP_OK && impi_direct_is_midpoint(solve) && !reserve_midpoint(solve)) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  return status == IMP_OK ? impi_exact_reserve(solve, &direct->exact) : status;
}


// ---------------------------------------------------------------------------------------------------------------------
// Islands: errors are evaluated per island, so that contradicting locks in one island do not affect another
// ---------------------------------------------------------------------------------------------------------------------


void impi_direct_begin_islands(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  impi_islands_begin(solve->heap, &direct->islands, solve->awake_count + 1); // cannot fail: memory is reserved
  memset(direct->errors.data, 0, (size_t)(solve->awake_count + 1) * sizeof *direct->errors.data);
}


ImpiErrors *impi_direct_errors(ImpiSolve *solve, const ImpiRow *row) {
  ImpiDirect *direct = solve->scratch;
  return &direct->errors.data[impi_exact_island(solve, &direct->islands, row)];
}


// Return whether a row is a limit, a contact or a user row: neither an equality nor a drive.
static bool is_sided(const ImpiRow *row) {
  return row->kind == IMP_ROW_NORMAL || row->kind == IMP_ROW_USER || row->kind == IMP_ROW_LOWER_LIMIT ||
         row->kind == IMP_ROW_UPPER_LIMIT;
}


// Join the bodies of each row into islands. Update ImpiErrors of one of the bodies: `sided`, and the largest error,
// which is `left` if `after` (the positions were corrected), otherwise `worst`.
static void note_rows(ImpiSolve *solve, const ImpiRowArray *rows, bool after) {
  ImpiDirect *direct = solve->scratch;
  for (int i = 0; i < rows->count; ++i) {
    const ImpiRow *row = &rows->data[i];
    ImpiErrors *errors = &direct->errors.data[impi_exact_join(solve, &direct->islands, row)];
    double *worst = after ? &errors->left : &errors->worst, size = fabs(row->error);
    *worst = size > *worst || size != size ? size : *worst;
    errors->sided = errors->sided || is_sided(row);
  }
}


// Combine the errors (ImpiErrors) of an island at its root.
static void sum_up(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  for (int i = solve->awake_count; i > 0; --i) {
    const ImpiErrors *from = &direct->errors.data[i];
    ImpiErrors *to = &direct->errors.data[impi_islands_root(&direct->islands, i)];
    to->worst = from->worst > to->worst || from->worst != from->worst ? from->worst : to->worst;
    to->left = from->left > to->left || from->left != from->left ? from->left : to->left;
    to->sided = to->sided || from->sided;
  }
}


// Set ImpiJoint.dropped to the locks that the last factorization dropped. A factorization with a damped diagonal drops
// no lock. In islands with limits or contacts no lock is marked.
static void note_dropped(ImpiSolve *solve) {
  const ImpiDirect *direct = solve->scratch;
  const ImpiReference *ref = &direct->reference;
  const ImpiExact *exact = &direct->exact;
  impi_direct_begin_islands(solve);
  note_rows(solve, &ref->rows, false);
  sum_up(solve);
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    if (row->kind == IMP_ROW_LOCK && row->index < 32) {
      uint32_t *dropped = &solve->joints[row->owner].dropped, bit = 1u << row->index;
      bool is = exact->factor.inverse.data[exact->place.data[i]] == 0 && !impi_direct_errors(solve, row)->sided;
      *dropped = is ? *dropped | bit : *dropped & ~bit;
    }
  }
}


void impi_direct_solve_rows(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  int factored = solve->report.sweeps;
  double left = impi_exact_solve(solve, &direct->exact, &direct->reference.rows);
  if (solve->report.sweeps > factored) {
    note_dropped(solve);
  }
  solve->report.solved_to = impi_max(solve->report.solved_to, left);
  solve->report.reason = solve->report.solved_to < SOLVED ? "solved" : "stalled";
}


// ---------------------------------------------------------------------------------------------------------------------
// Positions
// ---------------------------------------------------------------------------------------------------------------------


// Compute the position errors at time t of the islands whose ImpiErrors.state is `state` (IMPI_CONVERGED: of all
// islands). Return the largest |error|.
static double errors_of(ImpiSolve *solve, double t, ImpiErrorState state) {
  ImpiReference *ref = solve->scratch;
  double worst = impi_reference_errors(solve, t);
  if (state == IMPI_CONVERGED) {
    return worst;
  }
  worst = 0;
  for (int i = 0; i < ref->fixes.count; ++i) {
    ImpiRow *row = &ref->fixes.data[i];
    if (impi_direct_errors(solve, row)->state != state) {
      row->error = row->bias = row->scale = 0;
      row->lower = -HUGE_VAL;
      row->upper = HUGE_VAL;
    }
    worst = impi_max(worst, fabs(row->error));
  }
  return worst;
}


// Run Newton's method from the errors in `fixes`, the largest of which is `worst`. Return the largest error that
// remains.
static double iterate(ImpiSolve *solve, double t, double worst, ImpiErrorState state) {
  ImpiDirect *direct = solve->scratch;
  int iterations = impi_position_iterations(solve->solver, solve->settings);
  for (int i = 0, stalls = 0; i < iterations && worst > ENOUGH && stalls < MAX_STALLS; ++i) {
    impi_reference_swap(solve);
    impi_exact_solve(solve, &direct->exact, &direct->reference.fixes);
    impi_reference_shift(solve);
    double last = worst;
    worst = errors_of(solve, t, state);
    stalls = worst < last ? 0 : stalls + 1;
  }
  return worst;
}


// Restore the motions of bodies whose island is in `state`.
static void bring_back(ImpiSolve *solve, const ImpiMotion *poses, ImpiErrorState state) {
  ImpiDirect *direct = solve->scratch;
  for (int i = 0; i < solve->awake_count; ++i) {
    int32_t slot = solve->awake[i];
    if (direct->errors.data[impi_islands_root(&direct->islands, i + 1)].state != state) {
      continue;
    }
    if (solve->ledger != NULL) {
      impi_ledger_fall(solve->ledger, IMP_ENERGY_PROJECTION, slot, &solve->bodies[slot], &solve->motions[slot],
                       &poses[i + 1], solve->settings->gravity);
    }
    solve->motions[slot] = poses[i + 1];
  }
}


// Compute the sum of m_C error^2 of each island (m_C: effective mass of a row), and write it to ImpiErrors.worst or,
// with `after`, to ImpiErrors.left.
static void sum_squares(ImpiSolve *solve, bool after) {
  ImpiDirect *direct = solve->scratch;
  const ImpiReference *ref = &direct->reference;
  for (int i = 0; i <= solve->awake_count; ++i) {
    *(after ? &direct->errors.data[i].left : &direct->errors.data[i].worst) = 0;
  }
  for (int i = 0; i < ref->fixes.count; ++i) {
    const ImpiRow *row = &ref->fixes.data[i];
    ImpiErrors *errors = impi_direct_errors(solve, row);
    *(after ? &errors->left : &errors->worst) += row->mass * row->error * row->error;
  }
}


// Take one Levenberg-Marquardt step, (A + damping diag A) lambda = -error, with a separate damping for each island.
static void step_damped(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  for (int i = 0; i < ref->fixes.count; ++i) {
    ImpiRow *row = &ref->fixes.data[i];
    row->keep = row->scale > 0 ? impi_direct_errors(solve, row)->damping : 0;
  }
  impi_reference_swap(solve);
  impi_exact_solve(solve, &direct->exact, &ref->fixes);
  impi_reference_shift(solve);
}


// In each island whose state is `state`, set ImpiJoint.contradicts of the joint with the largest lock error.
static void name_worst(ImpiSolve *solve, ImpiErrorState state) {
  ImpiDirect *direct = solve->scratch;
  const ImpiReference *ref = &direct->reference;
  for (int i = 0; i <= solve->awake_count; ++i) {
    direct->errors.data[i].row = -1;
  }
  for (int i = 0; i < ref->fixes.count; ++i) {
    const ImpiRow *row = &ref->fixes.data[i];
    int32_t *worst = &impi_direct_errors(solve, row)->row;
    bool worse = *worst < 0 || fabs(row->error) > fabs(ref->fixes.data[*worst].error);
    *worst = row->kind == IMP_ROW_LOCK && worse ? i : *worst;
  }
  for (int i = 1; i <= solve->awake_count; ++i) {
    const ImpiErrors *errors = &direct->errors.data[i];
    if (errors->state == state && errors->row >= 0) {
      solve->joints[ref->fixes.data[errors->row].owner].contradicts = true;
    }
  }
}


// Minimize the sum of squared errors of islands whose errors contradict each other (IMPI_CONTRADICTS), starting at the
// present poses. Mark the joint with the largest error of each island.
static void compromise(ImpiSolve *solve, double t) {
  ImpiDirect *direct = solve->scratch;
  ImpiErrors *errors = direct->errors.data;
  ImpiMotion *tried = direct->tried.data;
  int steps = impi_position_iterations(solve->solver, solve->settings);
  for (int i = 0; i <= solve->awake_count; ++i) {
    errors[i].damping = FIRST_DAMPING;
  }
  for (bool open = true; steps > 0 && open; --steps) {
    errors_of(solve, t, IMPI_CONTRADICTS);
    sum_squares(solve, false);
    impi_reference_keep(solve, tried);
    step_damped(solve);
    errors_of(solve, t, IMPI_CONTRADICTS);
    sum_squares(solve, true);
    for (int i = 1; i <= solve->awake_count; ++i) {
      bool better = errors[i].left < WORTH * errors[i].worst;
      errors[i].damping *= better ? 0.3 : 5;
      errors[i].state = errors[i].state == IMPI_CONTRADICTS && !better ? IMPI_REJECTED : errors[i].state;
    }
    bring_back(solve, tried, IMPI_REJECTED);
    open = false;
    for (int i = 1; i <= solve->awake_count; ++i) {
      ImpiErrorState next = errors[i].damping < MOST_DAMPING ? IMPI_CONTRADICTS : IMPI_MINIMIZED;
      errors[i].state = errors[i].state == IMPI_REJECTED ? next : errors[i].state;
      open = open || errors[i].state == IMPI_CONTRADICTS;
    }
  }
  errors_of(solve, t, IMPI_MINIMIZED);
  name_worst(solve, IMPI_MINIMIZED);
}


// Repeat Newton's method without corrections along nearly dependent rows, in islands with limits or contacts.
static void iterate_without_nearly(ImpiSolve *solve, double t, const ImpiMotion *poses) {
  ImpiDirect *direct = solve->scratch;
  const ImpiReference *ref = &direct->reference;
  ImpiErrors *errors = direct->errors.data;
  direct->exact.nearly = NEARLY;
  iterate(solve, t, errors_of(solve, t, IMPI_INCONSISTENT), IMPI_INCONSISTENT);
  direct->exact.nearly = 0;
  for (int i = 0; i <= solve->awake_count; ++i) {
    errors[i].left = 0;
  }
  for (int i = 0; i < ref->fixes.count; ++i) {
    ImpiErrors *of = impi_direct_errors(solve, &ref->fixes.data[i]);
    double size = fabs(ref->fixes.data[i].error);
    of->left = size > of->left || size != size ? size : of->left;
  }
  for (int i = 1; i <= solve->awake_count; ++i) {
    bool worse = errors[i].state == IMPI_INCONSISTENT && !(errors[i].left <= errors[i].worst);
    errors[i].state = worse ? IMPI_REJECTED : errors[i].state;
  }
  bring_back(solve, poses, IMPI_REJECTED);
}


// Return the state of an island after Newton's method. Errors of IMPI_MAX_COORDINATE or more are not corrected.
static ImpiErrorState classify(const ImpiErrors *errors) {
  if (errors->left <= ENOUGH) {
    return IMPI_CONVERGED;
  }
  if (errors->left <= errors->worst) {
    return errors->left > STUCK * errors->worst ? IMPI_STALLED : IMPI_CONVERGED;
  }
  bool implausible = !(errors->worst < IMPI_MAX_COORDINATE);
  return implausible ? IMPI_CONVERGED : errors->sided ? IMPI_INCONSISTENT : IMPI_CONTRADICTS;
}


// Correct the position errors by Newton's method.
void impi_direct_project(ImpiSolve *solve, double t) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  ImpiMotion *poses = direct->stiffness.poses.data;
  int redundant = direct->exact.redundant, sweeps = solve->report.sweeps;
  if (impi_position_iterations(solve->solver, solve->settings) == 0) {
    return;
  }
  impi_direct_begin_islands(solve);
  impi_reference_keep(solve, poses);
  double worst = errors_of(solve, t, IMPI_CONVERGED);
  note_rows(solve, &ref->fixes, false);
  iterate(solve, t, worst, IMPI_CONVERGED);
  note_rows(solve, &ref->fixes, true);
  sum_up(solve);
  int counts[IMPI_FIT_COUNT] = {0};
  for (int i = 1; i <= solve->awake_count; ++i) {
    ImpiErrors *errors = &direct->errors.data[i];
    errors->state = impi_islands_root(&direct->islands, i) == i ? classify(errors) : IMPI_CONVERGED;
    counts[errors->state]++;
  }
  if (counts[IMPI_STALLED] > 0) {
    name_worst(solve, IMPI_STALLED);
  }
  bring_back(solve, poses, IMPI_INCONSISTENT);
  bring_back(solve, poses, IMPI_CONTRADICTS);
  if (counts[IMPI_INCONSISTENT] > 0) {
    iterate_without_nearly(solve, t, poses);
  }
  if (counts[IMPI_CONTRADICTS] > 0) {
    compromise(solve, t);
  }
  solve->report.redundant = direct->exact.redundant = redundant;
  solve->report.sweeps = sweeps;
}


// ---------------------------------------------------------------------------------------------------------------------
// Substeps in two halves
// ---------------------------------------------------------------------------------------------------------------------


void impi_direct_place(ImpiSolve *solve, double h) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < solve->awake_count; ++i) {
    int32_t slot = solve->awake[i];
    ImpiMotion *motion = &solve->motions[slot], moved = ref->kept.data[i + 1];
    moved.vx = motion->vx;
    moved.vy = motion->vy;
    moved.w = motion->w;
    impi_body_integrate_position(&solve->bodies[slot], &moved, h);
    *motion = moved;
  }
}


void impi_direct_keep_first_half(ImpiReference *ref) {
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    ref->impulses.data[i] = *row->store / ref->parts;
    bool met = row->approach != NULL && *row->approach > row->approach_speed;
    row->approach = met ? NULL : row->approach;
  }
}


void impi_direct_join_halves(ImpiReference *ref) {
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->lambda += ref->impulses.data[i];
    *row->store = row->lambda * ref->parts;
    row->lower *= 2;
    row->upper *= 2;
    impi_row_update_bounds(ref->rows.data, i); // bounds of a friction row follow from its normal row, at a lower i
  }
}
