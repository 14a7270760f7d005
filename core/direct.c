#include "direct.h"

#include <string.h>

// Errors below this are left [m or rad]: a thousandth of what rounding makes of a position at 1 km.
#define ENOUGH 1e-12

// Corrections of positions in a row that make errors larger, after which they end.
#define MAX_STALLS 4

// Pivot of a row that nearly follows from others, relative to its J M^-1 J^T. An error along it would be corrected
// by one over that.
#define NEARLY 1e-6

// How much larger than itself A's diagonal is at first where errors contradict each other, and where it ends.
#define FIRST_DAMPING 0.1
#define MOST_DAMPING 100

// Where Newton's method leaves more than this part of the worst error, locks contradict each other.
#define STUCK 0.5

// A damped step leaves no more than this part of the sum of squares, or it is taken back: a linkage that does not fit
// would creep along its free motion to where it fits a little better.
#define WORTH 0.98

// A solve that leaves no more than this says that it is solved [m/s].
#define SOLVED 1e-8


void *impi_direct_create(ImpiHeap *heap) {
  ImpiDirect *direct = impi_resize(heap, NULL, 0, sizeof *direct);
  if (direct != NULL) {
    memset(direct, 0, sizeof *direct);
  }
  return direct;
}


void impi_direct_destroy(ImpiHeap *heap, void *scratch) {
  ImpiDirect *direct = scratch;
  if (direct != NULL) {
    impi_reference_free(heap, &direct->reference);
    impi_exact_free(heap, &direct->exact);
    impi_stiffness_free(heap, &direct->stiffness);
    impi_array_free(heap, &direct->tried);
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


void impi_direct_motions(const ImpiSolve *solve, ImpiMotion *out_motions) {
  for (int i = 0; i < solve->awake_count; ++i) {
    out_motions[i + 1] = solve->motions[solve->awake[i]];
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
  if (status == IMP_OK && !impi_reserve(solve->heap, &direct->tried, solve->awake_count + 1)) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (status == IMP_OK && impi_direct_is_midpoint(solve) && !reserve_midpoint(solve)) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  return status == IMP_OK ? impi_exact_reserve(solve, &direct->exact) : status;
}


// Whether all rows are equalities or drives: no limit, contact or row of the user takes part.
static bool are_equalities(const ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    if (row->kind == IMP_ROW_NORMAL || row->kind == IMP_ROW_USER || row->kind == IMP_ROW_LOWER_LIMIT ||
        row->kind == IMP_ROW_UPPER_LIMIT) {
      return false;
    }
  }
  return true;
}


// Tell the joints which of their locks the last factor dropped. With A's diagonal damped it drops none. Beside limits and
// contacts none counts: which rows are at their bounds changes from substep to substep, and with that what follows from what.
static void note_dropped(ImpiSolve *solve) {
  const ImpiDirect *direct = solve->scratch;
  const ImpiReference *ref = &direct->reference;
  const ImpiExact *exact = &direct->exact;
  bool counts = are_equalities(solve);
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    if (row->kind == IMP_ROW_LOCK && row->index < 32) {
      uint32_t *dropped = &solve->joints[row->owner].dropped, bit = 1u << row->index;
      bool is = counts && exact->factor.inverse.data[exact->place.data[i]] == 0;
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


// Newton's method from the errors that `fixes` holds, of which `worst` is the largest. Returns what is left of it.
static double iterate(ImpiSolve *solve, double t, double worst) {
  ImpiDirect *direct = solve->scratch;
  int iterations = impi_position_iterations(solve->solver, solve->settings);
  for (int i = 0, stalls = 0; i < iterations && worst > ENOUGH && stalls < MAX_STALLS; ++i) {
    impi_reference_swap(solve);
    impi_exact_solve(solve, &direct->exact, &direct->reference.fixes);
    impi_reference_shift(solve);
    double last = worst;
    worst = impi_reference_errors(solve, t);
    stalls = worst < last ? 0 : stalls + 1; // a first step too far does not count
  }
  return worst;
}


static void bring_back(ImpiSolve *solve, const ImpiMotion *poses) {
  for (int i = 0; i < solve->awake_count; ++i) {
    int32_t slot = solve->awake[i];
    if (solve->ledger != NULL) {
      impi_ledger_fall(solve->ledger, IMP_ENERGY_PROJECTION, slot, &solve->bodies[slot], &solve->motions[slot],
                       &poses[i + 1], solve->settings->gravity);
    }
    solve->motions[slot] = poses[i + 1];
  }
}


// The squares of the errors of all locks, each by the mass that it moves.
static double sum_of_squares(const ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  double sum = 0;
  for (int i = 0; i < ref->fixes.count; ++i) {
    sum += ref->fixes.data[i].mass * ref->fixes.data[i].error * ref->fixes.data[i].error;
  }
  return sum;
}


// One step of Levenberg and Marquardt's method: (A + damping diag A) lambda = -error.
static void step_damped(ImpiSolve *solve, double damping) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  for (int i = 0; i < ref->fixes.count; ++i) {
    ref->fixes.data[i].keep = damping;
  }
  impi_reference_swap(solve);
  impi_exact_solve(solve, &direct->exact, &ref->fixes);
  impi_reference_shift(solve);
}


// The joint with the largest error that is left, for the warning.
static void name_worst(ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  const ImpiRow *worst = NULL;
  for (int i = 0; i < ref->fixes.count; ++i) {
    const ImpiRow *row = &ref->fixes.data[i];
    bool worse = worst == NULL || fabs(row->error) > fabs(worst->error);
    worst = row->kind == IMP_ROW_LOCK && worse ? row : worst;
  }
  if (worst != NULL) {
    solve->joints[worst->owner].contradicts = true;
  }
}


// Errors that contradict each other: to the poses near by where the sum of their squares is least. There J^T lambda = 0
// for what is left of them, so the rows of velocities are dependent too, and the mechanism moves as the others let it.
// Returns whether they are there.
static bool compromise(ImpiSolve *solve, double t) {
  ImpiDirect *direct = solve->scratch;
  ImpiMotion *tried = direct->tried.data;
  int steps = impi_position_iterations(solve->solver, solve->settings);
  double damping = FIRST_DAMPING;
  impi_reference_errors(solve, t);
  for (int i = 0; i < steps && damping < MOST_DAMPING; ++i) {
    double before = sum_of_squares(solve);
    impi_direct_motions(solve, tried);
    step_damped(solve, damping);
    impi_reference_errors(solve, t);
    bool better = sum_of_squares(solve) < WORTH * before;
    if (!better) {
      bring_back(solve, tried);
      impi_reference_errors(solve, t);
    }
    damping *= better ? 0.3 : 5;
  }
  return damping >= MOST_DAMPING;
}


// If Newton's method makes errors larger they contradict each other. Where limits and contacts take part it is tried once
// more without corrections along rows that nearly follow from others: what an inequality would give way to is not in the
// sum of squares.
void impi_direct_project(ImpiSolve *solve, double t) {
  ImpiDirect *direct = solve->scratch;
  ImpiMotion *poses = direct->stiffness.poses.data;
  int redundant = direct->exact.redundant, sweeps = solve->report.sweeps;
  if (impi_position_iterations(solve->solver, solve->settings) == 0) {
    return;
  }
  impi_direct_motions(solve, poses);
  double worst = impi_reference_errors(solve, t);
  double left = iterate(solve, t, worst);
  if (left <= worst && left > STUCK * worst && worst > ENOUGH) {
    name_worst(solve);
  }
  if (!(left <= worst) && worst < IMPI_MAX_COORDINATE) { // an absurd law is for the undo of the step to find
    bring_back(solve, poses);
    if (are_equalities(solve)) {
      if (compromise(solve, t)) {
        name_worst(solve);
      }
    } else {
      direct->exact.nearly = NEARLY;
      if (!(iterate(solve, t, impi_reference_errors(solve, t)) <= worst)) {
        bring_back(solve, poses);
      }
      direct->exact.nearly = 0;
    }
  }
  solve->report.redundant = direct->exact.redundant = redundant; // of the velocities
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
    impi_row_update_bounds(ref->rows.data, i); // of friction: its normals, which stand before it, are joined already
  }
}
