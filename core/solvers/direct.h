// Shared by the solvers that factor J M^-1 J^T (direct, acceleration, rattle): memory and position correction.
#ifndef IMPI_DIRECT_H
#define IMPI_DIRECT_H

#include "model/island.h"
#include "solvers/exact.h"
#include "solvers/stiffness.h"

// State of the position correction of an island.
typedef enum ImpiErrorState {
  IMPI_CONVERGED,    // corrected, or nothing to correct
  IMPI_STALLED,      // Newton's method left most of the error
  IMPI_CONTRADICTS,  // the errors grew, and all rows are equalities: the sum of squared errors is minimized
  IMPI_INCONSISTENT, // the errors grew, and there are limits or contacts: repeat without nearly dependent rows
  IMPI_REJECTED,     // the last correction did not reduce the errors, and is undone
  IMPI_MINIMIZED,    // the poses are at the minimum of the sum of squared errors
  IMPI_ITERATING,    // RATTLE: Newton's method has not ended
  IMPI_FIT_COUNT
} ImpiErrorState;

// Position errors of an island, stored at the lowest lane of its bodies (ImpiBody.lane: index among the awake bodies +
// 1).
typedef struct ImpiErrors {
  double worst, left; // largest |error| before and after a correction [m or rad]; in least squares, sums of m_C error^2
  double damping;     // in least squares: relative increase of the diagonal of J M^-1 J^T
  int32_t row;        // the lock with the largest error, index in `fixes`; -1: none
  bool sided;         // the island has limits, contacts or user rows
  ImpiErrorState state;
} ImpiErrors;

typedef struct ImpiDirect {
  ImpiReference reference; // must be first: the shared stages cast `scratch` to ImpiReference
  ImpiExact exact;
  ImpiStiffness stiffness;
  // Arrays "by lane" have the index ImpiBody.lane: the body's index among the awake bodies + 1.
  IMPI_ARRAY(ImpiMotion) tried;  // motion of each awake body before a correction that may be undone, by lane
  ImpiIslands islands;           // by lane: sets of bodies coupled by rows; lane 0: bodies that impulses do not move
  IMPI_ARRAY(ImpiErrors) errors; // errors of islands, by lane
  // By lane. begun: motion at the start of the substep. start: motion at the start of the current part of the substep.
  // forced: velocity after the forces of the first half. middle: midpoint velocity v_m.
  IMPI_ARRAY(ImpiMotion) begun, start, forced, middle;
  IMPI_ARRAY(ImpiHalf) halves;
  IMPI_ARRAY(int32_t) island;         // root of each awake body's island, by lane
  IMPI_ARRAY(uint8_t) marks;          // properties of the islands while they are built, by lane
  IMPI_ARRAY(double) kinetic, joules; // kinetic energy of each island and its expected loss [J], by lane of the root
  // Rows of the other pass. A substep has a pass for bodies integrated in halves, and a pass for all other bodies.
  ImpiRowArray other_rows;
  IMPI_ARRAY(ImpiRowTerm) other_terms;
} ImpiDirect;

// Return whether bodies in joints are integrated by the midpoint rule, see solve_direct.c.
static inline bool impi_direct_is_midpoint(const ImpiSolve *solve) {
  return solve->solver == &impi_solver_direct && solve->settings->midpoint && solve->active_joint_count > 0;
}

void impi_direct_destroy(ImpiHeap *heap, void *scratch);
ImpStatus impi_direct_reserve(ImpiSolve *solve);

// Solve all velocity rows of the substep. Update the largest residual of the report.
void impi_direct_solve_rows(ImpiSolve *solve);
// Correct the position errors at time t by Newton's method: J d = -error for all rows together, in at most
// impi_position_iterations iterations.
void impi_direct_project(ImpiSolve *solve, double t);

// Reset islands and errors: each body becomes an island without errors.
void impi_direct_begin_islands(ImpiSolve *solve);
// Return the errors of the island of a row.
ImpiErrors *impi_direct_errors(ImpiSolve *solve, const ImpiRow *row);

// Integrate the current part of a substep by the midpoint rule, for bodies that are integrated in halves
// (ImpiReference.halves). Return false if no solution was found or, with `may_cut`, if the solution would lose too much
// energy; nothing is stored then, and the caller restores the motions.
bool impi_direct_by_midpoint(ImpiSolve *solve, bool may_cut);


// The functions below are for substeps in two halves, each with its own rows.

// Set the poses to those in `kept`, advanced by h times the present velocities.
void impi_direct_place(ImpiSolve *solve, double h);
// Prepare the rows of the second half, which are already built: copy the impulses of the first half to ref->impulses.
// If a row's approach speed was higher in the first half, the second half does not store its own.
void impi_direct_keep_first_half(ImpiReference *ref);
// Add ref->impulses (of the first half) to the impulses of the second half, and double the bounds of the rows.
void impi_direct_join_halves(ImpiReference *ref);

#endif
