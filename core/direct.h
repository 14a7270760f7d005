// Level 5. What the solvers with a factor share: their memory, and positions corrected by it.
#ifndef IMPI_DIRECT_H
#define IMPI_DIRECT_H

#include "exact.h"
#include "stiffness.h"

typedef struct ImpiDirect {
  ImpiReference reference; // first: the stages find it here
  ImpiExact exact;
  ImpiStiffness stiffness;
} ImpiDirect;

void *impi_direct_create(ImpiHeap *heap);
void impi_direct_destroy(ImpiHeap *heap, void *scratch);
ImpStatus impi_direct_reserve(ImpiSolve *solve);

// Solve the rows of the substep exactly and keep the report's worst distance. `drop`: see ImpiExact.
void impi_direct_solve_rows(ImpiSolve *solve, double drop);
// Newton's method on what is left of the errors at time t: J d = -error for all of them together, at most
// `position_iterations` times.
void impi_direct_project(ImpiSolve *solve, double t);

#endif
