// A few rows on the same bodies, solved at once. Their matrix K = J M^-1 J^T, small and dense, is factored as L D L^T.
#ifndef IMPI_BLOCK_H
#define IMPI_BLOCK_H

#include "model/row.h"

#define IMPI_BLOCK_ROWS 6 // a weld has 3 rows; user functions may make more

typedef struct ImpiBlock {
  int count;
  double factor[IMPI_BLOCK_ROWS][IMPI_BLOCK_ROWS]; // L below the diagonal, D on it; 0 for a dependent row
} ImpiBlock;

// Return J_a M^-1 J_b^T of two rows of one joint.
double impi_block_coupling(const ImpiRow *a, const ImpiRow *b, const ImpiBody *bodies);
// Factor K of the rows.   (count), at most IMPI_BLOCK_ROWS
void impi_block_factor(ImpiBlock *block, const ImpiRow *const *rows, int count, const ImpiBody *bodies);
// Replace x by L^-1 x.   (count)
void impi_block_forward(const ImpiBlock *block, double *x);
// Replace x by K^-1 x; the result is 0 for dependent rows.   (count)
void impi_block_solve(const ImpiBlock *block, double *x);

#endif
