// Block: a few constraint rows on the same bodies, solved at once. Their matrix K = J M^-1 J^T is dense, and factored
// as L D L^T.
#ifndef IMPI_BLOCK_H
#define IMPI_BLOCK_H

#include "model/row.h"

#define IMPI_BLOCK_ROWS 6 // largest number of rows in a block

typedef struct ImpiBlock {
  int count;
  // L below the diagonal, D on the diagonal; D is 0 for a dependent row.
  double factor[IMPI_BLOCK_ROWS][IMPI_BLOCK_ROWS];
} ImpiBlock;

// Return J_a M^-1 J_b^T of two rows of one joint.
double impi_block_coupling(const ImpiRow *a, const ImpiRow *b, const ImpiBody *bodies);
// Factor the matrix K of `count` rows, at most IMPI_BLOCK_ROWS.
void impi_block_factor(ImpiBlock *block, const ImpiRow *const *rows, int count, const ImpiBody *bodies);
// Replace x, an array of `count` numbers, by L^-1 x.
void impi_block_forward(const ImpiBlock *block, double *x);
// Replace x, an array of `count` numbers, by K^-1 x; elements of dependent rows become 0.
void impi_block_solve(const ImpiBlock *block, double *x);

#endif
