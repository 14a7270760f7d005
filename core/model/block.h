// A few rows of the same bodies at once: K = J M^-1 J^T of them, small and dense, as L D L^T.
#ifndef IMPI_BLOCK_H
#define IMPI_BLOCK_H

#include "model/row.h"

#define IMPI_BLOCK_ROWS 6 // a weld has 3; more come from functions of the user's own

typedef struct ImpiBlock {
  int count;
  double factor[IMPI_BLOCK_ROWS][IMPI_BLOCK_ROWS]; // L below the diagonal; D on it, 0 of a row that follows from others
} ImpiBlock;

// J_a M^-1 J_b^T of two rows of one joint.
double impi_block_coupling(const ImpiRow *a, const ImpiRow *b, const ImpiBody *bodies);
// Factor the rows' K.   (count), at most IMPI_BLOCK_ROWS
void impi_block_factor(ImpiBlock *block, const ImpiRow *const *rows, int count, const ImpiBody *bodies);
// x becomes L^-1 x.   (count)
void impi_block_forward(const ImpiBlock *block, double *x);
// x becomes K^-1 x, 0 of the rows that follow from others.   (count)
void impi_block_solve(const ImpiBlock *block, double *x);

#endif
