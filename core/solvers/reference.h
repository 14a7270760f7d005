// What the reference solvers share: the rows of a substep in double, and the stages of the step that are the
// same for all of them. A solver is a list of these stages with its own in between; see solve_si.c for the plainest.
//
//   impi_reference_begin                lanes, iterations, h
//   for each substep:
//     impi_reference_listen             handlers run; t is the substep's start
//     what ImpiSolver.substep does, of si:
//     impi_reference_rows               rows at the present poses; b is what is asked for without correcting C
//     impi_reference_forces             v += h a, speeds noted
//     impi_reference_warm_start         v += M^-1 J^T lambda
//     impi_reference_sweep              Gauss-Seidel over the rows until a stop criterion holds
//     impi_reference_store              impulses and work go back to joints and contacts
//     impi_reference_move               x += h v
//     impi_reference_shift              x += what corrects C, without touching v
//   impi_reference_end
#ifndef IMPI_REFERENCE_H
#define IMPI_REFERENCE_H

#include "model/contact_rows.h"
#include "model/joint_rows.h"
#include "model/solver.h"

typedef IMPI_ARRAY(ImpiRow) ImpiRowArray;

// How a substep takes a body: all of it, in halves, or in halves where forces act in the first for both.
typedef enum ImpiHalf { IMPI_WHOLE, IMPI_HALVES, IMPI_PUSHED_HALVES } ImpiHalf;

typedef struct ImpiReference {
  ImpiRowArray rows;             // of joints in creation order, then of contacts; what world:rows() shows
  ImpiRowArray fixes;            // of the errors that are left after positions moved, see impi_reference_errors
  IMPI_ARRAY(ImpiRowTerm) terms; // further bodies of `rows`
  IMPI_ARRAY(ImpiRowTerm) fix_terms;
  IMPI_ARRAY(ImpiMotion) start; // of each awake body when the step began, by lane
  IMPI_ARRAY(ImpiMotion) began; // of each awake body before the substep's forces, by lane
  IMPI_ARRAY(ImpiMotion) kept;  // put aside by impi_reference_swap, or where the substep began, by lane
  IMPI_ARRAY(int32_t) order;    // in which rows are swept
  IMPI_ARRAY(double) rates;     // what time does to the coordinates of one joint
  IMPI_ARRAY(double) impulses;  // what the present sweep applied, by row
  IMPI_ARRAY(ImpSweep) history; // of the step's sweeps, when asked for
  ImpiSampleRoom samples;
  int term_count, fix_term_count;
  int substeps, iterations, substep;
  bool swept;             // the step's rows are solved by sweeps, springs too
  bool at_end;            // rows are made for the second time in the substep
  double h, t;            // of the substep, or of the part of it at hand [s]
  const ImpiHalf *halves; // of bodies by lane: which part of a substep in halves is at hand; null: it is a whole one
  bool in_halves;         // at hand are the bodies and rows of a substep in halves, and not those of a whole one
  bool split, second;     // h is that of a half, and it is the second one
  int parts, part;        // equal ones that the substep is cut into: impulses are kept for a whole one
  uint64_t random;        // state of the shuffle
} ImpiReference;

// Additions and multiplications of impi_row_solve: J v, the correction, its clamp, M^-1 J^T; and for each further body.
#define IMPI_ROW_FLOPS 40
#define IMPI_TERM_FLOPS 15

// Memory. A solver whose rows need more reserves it beside.
void impi_reference_destroy(ImpiHeap *heap, void *scratch);
void impi_reference_free(ImpiHeap *heap, ImpiReference *ref); // what it holds, where it is part of something else
ImpStatus impi_reference_reserve(ImpiSolve *solve);
ImpStatus impi_reference_reserve_fixes(ImpiSolve *solve); // for solvers that correct positions

// The rest of the ImpiSolver interface, for any solver that keeps velocities in `motions`.
void impi_reference_read(const ImpiSolve *solve, int32_t body, ImpiMotion *out_motion);
void impi_reference_push(ImpiSolve *solve, int32_t body, double dvx, double dvy, double dw);
const ImpiRow *impi_reference_recorded(const void *scratch);
// The step: begin, `substep` of the solver after listen in each substep, end.
void impi_reference_solve(ImpiSolve *solve);

// The part of its ImpiSolver that all but the reduced one have alike.
#define IMPI_REFERENCE_SOLVER \
  .solve = impi_reference_solve, .read = impi_reference_read, .push = impi_reference_push, \
  .rows = impi_reference_recorded

// Whether what is at hand has part in the present pass over a substep, see ImpiReference.halves: a body; an active joint
// or, behind them, an active contact.
static inline bool impi_reference_has_body(const ImpiReference *ref, const ImpiBody *body) {
  return ref->halves == NULL || (ref->halves[body->lane] != IMPI_WHOLE) == ref->in_halves;
}
bool impi_reference_has_block(const ImpiSolve *solve, int block);

// The drive of the coordinate that a row belongs to.
static inline const ImpDrive *impi_reference_drive(const ImpiSolve *solve, const ImpiRow *row) {
  return &solve->drives[impi_joint_coordinate_const(&solve->joints[row->owner], row->index)->drive].set;
}

// Stages, in order.
void impi_reference_begin(ImpiSolve *solve);
void impi_reference_listen(ImpiSolve *solve, int substep);
void impi_reference_start_rotors(ImpiSolve *solve); // part of listen
void impi_reference_rows(ImpiSolve *solve);
// The same once more in the substep, when t has become its end: what time does is taken around t.
void impi_reference_rows_at_end(ImpiSolve *solve);
// Whether only its sides bound a row: what it holds it holds whatever force it takes.
bool impi_reference_is_rigid(const ImpiRow *row);
// Let rows correct their errors through velocity: beta / dt * error of locks, servos and exceeded limits, and the larger
// of bounce and beta / dt * overlap beyond the slop of contacts.
void impi_reference_baumgarte(ImpiSolve *solve);
// The same for what is a force and not geometry, and so cannot be corrected by moving bodies: servos and limits with
// a largest force and rows of the user's with bounds or C of their own.
void impi_reference_push_forces(ImpiSolve *solve);
// Let limits that are not reached act ahead: J v >= -c / h, so that they are met and not overshot, and a taut rope does
// not go slack for a step because its length is right. h is what positions move by with these velocities. All, or one.
void impi_reference_look_ahead(ImpiSolve *solve, double h);
void impi_reference_meet(ImpiSolve *solve, ImpiRow *row, double h);
void impi_reference_forces(ImpiSolve *solve);
void impi_reference_force(ImpiSolve *solve, int32_t body); // one body's part of it
void impi_reference_note_speeds(ImpiSolve *solve);         // and the rows' part
void impi_reference_warm_start(ImpiSolve *solve);
// Velocities as si finds them, from rows to store, but that errors of positions are left to what comes after.
void impi_reference_solve_velocities(ImpiSolve *solve);
// Solve one row of a list, or with the first of those that drive one coordinate all of them. Returns the impulse applied.
double impi_reference_solve_row(ImpiSolve *solve, ImpiRowArray *rows, int32_t row);
// At most `iterations` sweeps over the rows; the report says how many and why they stopped.
void impi_reference_sweep(ImpiSolve *solve, int iterations);
// The same with rows that are solved by `visit`: it is given the row and the one before it in this sweep, or -1, and
// returns the impulse that it applied.
typedef double ImpiRowVisit(ImpiSolve *solve, int32_t row, int32_t previous);
void impi_reference_sweep_by(ImpiSolve *solve, int iterations, ImpiRowVisit *visit);
// What forces did since impi_reference_forces, in the ledger: part of store. A solver that enters each impulse by itself
// calls it right after the forces.
void impi_reference_enter_forces(ImpiSolve *solve);
void impi_reference_enter_force(ImpiSolve *solve, int32_t body);     // on one body
void impi_reference_enter_row(ImpiSolve *solve, const ImpiRow *row); // what a row did since then; part of store too
void impi_reference_store(ImpiSolve *solve);
// Of one row, what it did is `work`; the ledger does not hear of it.
void impi_reference_store_row(ImpiSolve *solve, ImpiRow *row, double work);
void impi_reference_move(ImpiSolve *solve);
void impi_reference_move_targets(ImpiSolve *solve); // of servos; part of move
void impi_reference_end(ImpiSolve *solve);
// Rows of a substep that was cut into parts are shown as of the whole one.
void impi_reference_show_whole(ImpiReference *ref);
// How far a row is from what it asks for, which the report's `bounded` is the worst of [m/s or rad/s].
double impi_reference_left(const ImpiSolve *solve, const ImpiRow *row);

// What is left to correct at the present poses, at time t: rows of locks and servos, limits and contacts that are
// violated, as `fixes`; J d = -error (or >=) moves the bodies by d so that they hold. Returns the worst |error|.
double impi_reference_errors(ImpiSolve *solve, double t);
// The same of one active joint or contact alone, at the front of `fixes`. Returns how many rows.
int impi_reference_joint_errors(ImpiSolve *solve, int index, double t);
int impi_reference_contact_errors(ImpiSolve *solve, int index);
// The errors of `rows` themselves, at the poses that they were made for; and contacts that touch, which must not close.
void impi_reference_row_errors(ImpiSolve *solve);
// The value of a row's coordinate at the present poses and time t.
double impi_reference_value(ImpiSolve *solve, const ImpiRow *row, double t);
// A function that only the caller can evaluate is brought up to date.
void impi_reference_refresh(ImpiSolve *solve, int32_t joint, double t);
// The rows of a joint, or of a contact, as they are now: J, c and mass at the present poses and time t, and bounds; rows
// that the user writes stay. By slot.
void impi_reference_joint_again(ImpiSolve *solve, int32_t joint, double t);
void impi_reference_contact_again(ImpiSolve *solve, int32_t contact);
// J, c and mass of the rows of all joints at the present poses and time t; bounds and what is asked for stay.
void impi_reference_joints_again(ImpiSolve *solve, double t);
// The motions of all awake bodies into an array by lane, and back.
void impi_reference_keep(const ImpiSolve *solve, ImpiMotion *out_motions);
void impi_reference_go_back(ImpiSolve *solve, const ImpiMotion *motions);
// How far all awake bodies fell since `before`, by lane, in the ledger.
void impi_reference_enter_falls(ImpiSolve *solve, ImpEnergyCause cause, const ImpiMotion *before);
// Put the velocities of all awake bodies aside and make them 0, so that row functions work on displacements; and back:
// positions move by what was found, velocities are those that were put aside. The ledger hears how far bodies fell from
// the one to the other.
void impi_reference_swap(ImpiSolve *solve);
void impi_reference_shift(ImpiSolve *solve);

// Sweep over rows of displacements once, forward. Returns the largest correction |J d + error| that was met.
double impi_reference_sweep_fixes(ImpiSolve *solve);

#endif
