// Shared by the reference solvers: the rows of a substep, and the common stages of a step. A solver is a list of
// stages, common ones and its own.
//
//   impi_reference_begin                sets h, and ImpiBody.lane: the index among the awake bodies + 1
//   for each substep:
//     impi_reference_listen             calls substep handlers; t is the substep's start
//     the stages of ImpiSolver.substep, here those of si:
//     impi_reference_rows               builds rows at the present poses; b does not include a correction of C
//     impi_reference_forces             v += h a, records speeds
//     impi_reference_warm_start         v += M^-1 J^T lambda
//     impi_reference_sweep              Gauss-Seidel over the rows until a stop criterion holds
//     impi_reference_store              writes impulses and work to joints and contacts
//     impi_reference_move               x += h v
//     impi_reference_shift              x += correction of C, without a change of v (not in si)
//   impi_reference_end
#ifndef IMPI_REFERENCE_H
#define IMPI_REFERENCE_H

#include "model/contact_rows.h"
#include "model/joint_rows.h"
#include "model/solver.h"

typedef IMPI_ARRAY(ImpiRow) ImpiRowArray;

// How a substep integrates a body: as a whole; in two halves; or in two halves, with the applied forces of the whole
// substep in the first half.
typedef enum ImpiHalf { IMPI_WHOLE, IMPI_HALVES, IMPI_PUSHED_HALVES } ImpiHalf;

typedef struct ImpiReference {
  ImpiRowArray rows;                 // rows of joints in creation order, then of contacts
  ImpiRowArray fixes;                // rows of the remaining position errors, see impi_reference_errors
  IMPI_ARRAY(ImpiRowTerm) terms;     // memory of ImpiRow.more of all `rows`
  IMPI_ARRAY(ImpiRowTerm) fix_terms; // memory of ImpiRow.more of all `fixes`
  IMPI_ARRAY(ImpiMotion) start;      // motion of each awake body when the step began, by lane
  IMPI_ARRAY(ImpiMotion) began;      // motion of each awake body before the forces of the substep, by lane
  IMPI_ARRAY(ImpiMotion) kept;  // saved motion of each awake body, by lane; used by impi_reference_swap and solvers
  IMPI_ARRAY(int32_t) order;    // rows in the order of sweeping
  IMPI_ARRAY(double) rates;     // results of impi_joint_rates for one joint
  IMPI_ARRAY(double) impulses;  // impulses of the current sweep, by row; scratch of solvers without sweeps
  IMPI_ARRAY(ImpSweep) history; // records of the sweeps of the step, if settings->history
  ImpiSampleRoom samples;
  int term_count, fix_term_count;
  int substeps, iterations, substep;
  bool swept;             // sweeps solve the rows of the step, including springs
  bool at_end;            // rows are built at the end of the substep
  double h, t;            // length of the substep or of its current part, and present time [s]
  const ImpiHalf *halves; // how the substep integrates each body, by lane; null: IMPI_WHOLE for all
  // true: this pass is for bodies that are integrated in halves; false: for all other bodies
  bool in_halves;
  bool split, second; // split: h is the length of a half. second: the current half is the second one
  int parts, part;    // number of equal parts of the substep, and current part; stored impulses are totals of all parts
  uint64_t random;    // state of the shuffle of rows
} ImpiReference;

// Number of additions and multiplications of impi_row_solve: for a row of two bodies, and per further body of a row.
#define IMPI_ROW_FLOPS 40
#define IMPI_TERM_FLOPS 15

// Functions that free and reserve the memory of an ImpiReference.
void impi_reference_destroy(ImpiHeap *heap, void *scratch);
void impi_reference_free(ImpiHeap *heap, ImpiReference *ref); // free only the arrays
ImpStatus impi_reference_reserve(ImpiSolve *solve);
ImpStatus impi_reference_reserve_fixes(ImpiSolve *solve); // also reserves `fixes`, for solvers that correct positions

// Functions of the ImpiSolver interface, for any solver that keeps velocities in `motions`.
void impi_reference_read(const ImpiSolve *solve, int32_t body, ImpiMotion *out_motion);
void impi_reference_push(ImpiSolve *solve, int32_t body, double dvx, double dvy, double dw);
const ImpiRow *impi_reference_recorded(const void *scratch);
// Solve a step: begin, then listen and the solver's `substep` for each substep, then end.
void impi_reference_solve(ImpiSolve *solve);

// Members of ImpiSolver that the reference solvers share, except `reduced`.
#define IMPI_REFERENCE_SOLVER \
  .solve = impi_reference_solve, .read = impi_reference_read, .push = impi_reference_push, \
  .rows = impi_reference_recorded

// Return whether a body takes part in the current pass over a substep, see ImpiReference.halves.
static inline bool impi_reference_has_body(const ImpiReference *ref, const ImpiBody *body) {
  return ref->halves == NULL || (ref->halves[body->lane] != IMPI_WHOLE) == ref->in_halves;
}
// Return whether a block (active joint or, after the joints, active contact) takes part in the current pass.
bool impi_reference_has_block(const ImpiSolve *solve, int block);

// Return the drive of a row's coordinate.
static inline const ImpDrive *impi_reference_drive(const ImpiSolve *solve, const ImpiRow *row) {
  return &solve->drives[impi_joint_coordinate_const(&solve->joints[row->owner], row->index)->drive].set;
}

// Stages, in order.
void impi_reference_begin(ImpiSolve *solve);
void impi_reference_listen(ImpiSolve *solve, int substep);
void impi_reference_start_rotors(ImpiSolve *solve); // part of impi_reference_listen
void impi_reference_rows(ImpiSolve *solve);
// Build the rows again, with t at the end of the substep. The partial derivative of a coordinate C by time is the
// central difference (C(q, t + h / 2) - C(q, t - h / 2)) / h.
void impi_reference_rows_at_end(ImpiSolve *solve);
// Return whether all bounds of a row are 0 or infinite.
bool impi_reference_is_rigid(const ImpiRow *row);
// Let rows correct their errors through velocity: locks, servos and exceeded limits by beta / dt * error, contacts by
// the larger of bounce and beta / dt * overlap beyond the slop.
void impi_reference_baumgarte(ImpiSolve *solve);
// Like impi_reference_baumgarte, but only for user rows, and for servos and limits whose force is limited.
void impi_reference_push_forces(ImpiSolve *solve);
// Let all limits act before they are reached, J v >= -c / h. h is the time for which positions move with the
// velocities.
void impi_reference_look_ahead(ImpiSolve *solve, double h);
void impi_reference_meet(ImpiSolve *solve, ImpiRow *row, double h); // part of impi_reference_look_ahead, for one row
void impi_reference_forces(ImpiSolve *solve);
void impi_reference_force(ImpiSolve *solve, int32_t body); // part of impi_reference_forces, for one body
void impi_reference_note_speeds(ImpiSolve *solve);         // part of impi_reference_forces, records J v of all rows
void impi_reference_warm_start(ImpiSolve *solve);
// Solve velocities like the solver si, without correcting position errors.
void impi_reference_solve_velocities(ImpiSolve *solve);
// Solve one row of a list. If it is the first of several rows that drive one coordinate, solve all of these rows.
// Return the impulse applied.
double impi_reference_solve_row(ImpiSolve *solve, ImpiRowArray *rows, int32_t row);
// Sweep over the rows at most `iterations` times. The report gets the number of sweeps, and why they stopped.
void impi_reference_sweep(ImpiSolve *solve, int iterations);
// Like impi_reference_sweep, but solve each row by `visit`. It gets the row and the previous row of the sweep (-1:
// none), and returns the impulse that it applied.
typedef double ImpiRowVisit(ImpiSolve *solve, int32_t row, int32_t previous);
void impi_reference_sweep_by(ImpiSolve *solve, int iterations, ImpiRowVisit *visit);
// Part of impi_reference_store: enter the work of the applied forces in the energy ledger. A solver that enters each
// impulse itself calls this right after impi_reference_forces.
void impi_reference_enter_forces(ImpiSolve *solve);
void impi_reference_enter_force(ImpiSolve *solve, int32_t body); // part of impi_reference_enter_forces, for one body
void impi_reference_enter_row(ImpiSolve *solve, const ImpiRow *row); // part of impi_reference_store, for one row
void impi_reference_store(ImpiSolve *solve);
// Store one row with its `work` [J], which is not entered in the ledger.
void impi_reference_store_row(ImpiSolve *solve, ImpiRow *row, double work);
void impi_reference_move(ImpiSolve *solve);
void impi_reference_move_targets(ImpiSolve *solve); // part of impi_reference_move: moves the targets of servos
void impi_reference_end(ImpiSolve *solve);
// Scale impulses and bounds of the rows from a part of the substep to the whole substep.
void impi_reference_show_whole(ImpiReference *ref);
// Return how far a row is from its target velocity [m/s or rad/s].
double impi_reference_left(const ImpiSolve *solve, const ImpiRow *row);

// Build `fixes`, the rows of position errors at the present poses and time t: locks, servos, and violated limits and
// contacts. Displacements d with J d = -error (or >=) correct the errors. Return the largest |error|.
double impi_reference_errors(ImpiSolve *solve, double t);
// Build `fixes` for only one active joint or contact. Return the number of rows.
int impi_reference_joint_errors(ImpiSolve *solve, int index, double t);
int impi_reference_contact_errors(ImpiSolve *solve, int index);
// Build `fixes` from the errors in `rows`. Touching contacts also get a row, because their bodies must not approach.
void impi_reference_row_errors(ImpiSolve *solve);
// Return the value of a row's coordinate at the present poses and time t.
double impi_reference_value(ImpiSolve *solve, const ImpiRow *row, double t);
// Call ImpiSolve.refresh for a joint whose functions only the caller can evaluate.
void impi_reference_refresh(ImpiSolve *solve, int32_t joint, double t);
// Recompute the rows of a joint or contact (by slot): J, c and mass at the present poses and time t, and the bounds of
// rigid rows. User rows are not changed.
void impi_reference_joint_again(ImpiSolve *solve, int32_t joint, double t);
void impi_reference_contact_again(ImpiSolve *solve, int32_t contact);
// Recompute J, c and mass, not bounds and b, of the rows of all joints at the present poses and time t.
void impi_reference_joints_again(ImpiSolve *solve, double t);
// Copy the motions of all awake bodies to an array by lane, and back.
void impi_reference_keep(const ImpiSolve *solve, ImpiMotion *out_motions);
void impi_reference_go_back(ImpiSolve *solve, const ImpiMotion *motions);
// Enter the change of potential energy of all awake bodies since `before` (by lane) in the energy ledger.
void impi_reference_enter_falls(ImpiSolve *solve, ImpEnergyCause cause, const ImpiMotion *before);
// Save the velocities of all awake bodies and set them to 0. Rows then act on displacements.
void impi_reference_swap(ImpiSolve *solve);
// Move positions by the displacements since impi_reference_swap, restore the velocities, and enter the change of
// potential energy in the energy ledger.
void impi_reference_shift(ImpiSolve *solve);

// Sweep over `fixes` once, forward. Return the largest correction |J d + error|.
double impi_reference_sweep_fixes(ImpiSolve *solve);

#endif
