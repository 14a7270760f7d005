#include "model/block.h"

// Smallest ratio of a pivot to the diagonal number K_ii. A row i with a smaller ratio depends on the rows before it.
#define LEAST_PIVOT 1e-9


double impi_block_coupling(const ImpiRow *a, const ImpiRow *b, const ImpiBody *bodies) {
  const ImpiBody *p = &bodies[a->body_a], *q = &bodies[a->body_b];
  ImpVec2 on_p = impi_free_part(p, a->j[0], a->j[1]), on_q = impi_free_part(q, a->j[3], a->j[4]);
  double sum = p->inv_mass * (on_p.x * b->j[0] + on_p.y * b->j[1]) + p->inv_inertia * a->j[2] * b->j[2] +
               q->inv_mass * (on_q.x * b->j[3] + on_q.y * b->j[4]) + q->inv_inertia * a->j[5] * b->j[5];
  for (int i = 0; i < a->more_count; ++i) {
    const ImpiBody *body = &bodies[a->more[i].body];
    const double *s = a->more[i].j, *t = b->more[i].j;
    ImpVec2 part = impi_free_part(body, s[0], s[1]);
    sum += body->inv_mass * (part.x * t[0] + part.y * t[1]) + body->inv_inertia * s[2] * t[2];
  }
  return sum;
}


void impi_block_factor(ImpiBlock *block, const ImpiRow *const *rows, int count, const ImpiBody *bodies) {
  block->count = count;
  for (int i = 0; i < count; ++i) {
    double pivot = impi_block_coupling(rows[i], rows[i], bodies), whole = pivot;
    double *own = block->factor[i];
    for (int b = 0; b < i; ++b) {
      const double *other = block->factor[b];
      double l = impi_block_coupling(rows[i], rows[b], bodies);
      for (int c = 0; c < b; ++c) {
        l -= own[c] * block->factor[c][c] * other[c];
      }
      own[b] = other[b] > 0 ? l / other[b] : 0;
      pivot -= own[b] * own[b] * other[b];
    }
    own[i] = pivot > LEAST_PIVOT * whole ? pivot : 0;
  }
}


void impi_block_forward(const ImpiBlock *block, double *x) {
  for (int i = 0; i < block->count; ++i) {
    for (int b = 0; b < i; ++b) {
      x[i] -= block->factor[i][b] * x[b];
    }
  }
}


void impi_block_solve(const ImpiBlock *block, double *x) {
  impi_block_forward(block, x);
  for (int i = block->count - 1; i >= 0; --i) {
    double pivot = block->factor[i][i];
    x[i] = pivot > 0 ? x[i] / pivot : 0;
    for (int b = i + 1; b < block->count && pivot > 0; ++b) {
      x[i] -= block->factor[b][i] * x[b];
    }
  }
}
