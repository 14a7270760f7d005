// What the solvers with a factor share: their memory, and positions corrected by it.
#ifndef IMPI_DIRECT_H
#define IMPI_DIRECT_H

#include "model/island.h"
#include "solvers/exact.h"
#include "solvers/stiffness.h"

// The result of correcting the position errors of an island.
typedef enum ImpiFit {
  IMPI_FITS,
  IMPI_STUCK,       // Newton's method left most of them
  IMPI_CONTRADICTS, // they grew, and all rows are equalities: to the least sum of their squares
  IMPI_GIVES_WAY,   // they grew, and limits or contacts take part: once more without what nearly follows
  IMPI_WORSE,       // and that made them larger: to be put back
  IMPI_SETTLED,     // at the least sum of squares
  IMPI_OPEN,        // RATTLE: Newton's method has not ended
  IMPI_FIT_COUNT
} ImpiFit;

// The errors of an island, kept at its first body.
typedef struct ImpiErrors {
  double worst, left; // the largest before and after a correction [m or rad], or the sums of squares by mass
  double damping;     // part by which A's diagonal is larger
  int32_t row;        // with the largest error, -1: none
  bool sided;         // limits, contacts or rows of the user's take part
  ImpiFit state;
} ImpiErrors;

typedef struct ImpiDirect {
  ImpiReference reference; // first: the stages find it here
  ImpiExact exact;
  ImpiStiffness stiffness;
  IMPI_ARRAY(ImpiMotion) tried;  // of each awake body before a correction that may be taken back, by lane
  ImpiIslands islands;           // of the bodies that rows hold together, by lane; 0: what no impulse moves
  IMPI_ARRAY(ImpiErrors) errors; // by lane
  // Midpoint rule, of each awake body by lane: motion at the start of the substep and of its present part, velocity after
  // the forces of the first half, and v_m.
  IMPI_ARRAY(ImpiMotion) begun, start, forced, middle;
  IMPI_ARRAY(ImpiHalf) halves;
  IMPI_ARRAY(int32_t) island;         // a body of each awake body's island, by lane
  IMPI_ARRAY(uint8_t) marks;          // what its island has, while islands are sought
  IMPI_ARRAY(double) kinetic, joules; // of an island, and what it is going to lose, by its body's lane [J]
  ImpiRowArray other_rows;            // of the pass over a substep that is not at hand
  IMPI_ARRAY(ImpiRowTerm) other_terms;
} ImpiDirect;

// Whether bodies in joints are integrated by the midpoint rule: see solve_direct.c.
static inline bool impi_direct_is_midpoint(const ImpiSolve *solve) {
  return solve->solver == &impi_solver_direct && solve->settings->midpoint && solve->active_joint_count > 0;
}

void impi_direct_destroy(ImpiHeap *heap, void *scratch);
ImpStatus impi_direct_reserve(ImpiSolve *solve);

// Solve the rows of the substep exactly and keep the report's worst distance.
void impi_direct_solve_rows(ImpiSolve *solve);
// Newton's method on what is left of the errors at time t: J d = -error for all of them together, at most
// impi_position_iterations times.
void impi_direct_project(ImpiSolve *solve, double t);

// Reset islands and errors: each body is an island without errors. The errors of the island of a row.
void impi_direct_begin_islands(ImpiSolve *solve);
ImpiErrors *impi_direct_errors(ImpiSolve *solve, const ImpiRow *row);

// The part of a substep at hand by the midpoint rule, of bodies that are taken in halves, see ImpiReference.halves. False:
// it was not found, or would lose too much energy where it may be cut, and nothing has happened but to poses.
bool impi_direct_by_midpoint(ImpiSolve *solve, bool may_cut);

// For substeps in two halves, each with rows of its own. Put the bodies where their velocities take them in h from the
// poses in `kept`.
void impi_direct_place(ImpiSolve *solve, double h);
// The rows of the second half are made, nothing of them is solved: what the first did is put into `impulses`, and what it
// has met the second only keeps apart.
void impi_direct_keep_first_half(ImpiReference *ref);
// Add `impulses` to the rows of the second half, and double their bounds: rows are kept and shown for the whole substep.
void impi_direct_join_halves(ImpiReference *ref);

#endif
