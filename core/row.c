#include "row.h"


double impi_row_speed(const ImpiRow *row, const ImpiMotion *motions) {
  const ImpiMotion *a = &motions[row->body_a], *b = &motions[row->body_b];
  const double *j = row->j;
  return j[0] * a->vx + j[1] * a->vy + j[2] * a->w + j[3] * b->vx + j[4] * b->vy + j[5] * b->w;
}


double impi_row_mass(const ImpiRow *row, const ImpiBody *bodies) {
  const ImpiBody *a = &bodies[row->body_a], *b = &bodies[row->body_b];
  const double *j = row->j;
  double k = a->inv_mass * (j[0] * j[0] + j[1] * j[1]) + a->inv_inertia * j[2] * j[2] +
             b->inv_mass * (j[3] * j[3] + j[4] * j[4]) + b->inv_inertia * j[5] * j[5];
  return k > 0 ? 1 / k : 0;
}


void impi_row_apply(const ImpiRow *row, const ImpiBody *bodies, ImpiMotion *motions, double lambda) {
  ImpiMotion *a = &motions[row->body_a], *b = &motions[row->body_b];
  const ImpiBody *body_a = &bodies[row->body_a], *body_b = &bodies[row->body_b];
  const double *j = row->j;
  a->vx += body_a->inv_mass * j[0] * lambda;
  a->vy += body_a->inv_mass * j[1] * lambda;
  a->w += body_a->inv_inertia * j[2] * lambda;
  b->vx += body_b->inv_mass * j[3] * lambda;
  b->vy += body_b->inv_mass * j[4] * lambda;
  b->w += body_b->inv_inertia * j[5] * lambda;
}


void impi_row_update_bounds(ImpiRow *rows, int32_t row) {
  ImpiRow *r = &rows[row];
  if (r->bound_row < 0) {
    return;
  }
  double sum = 0;
  for (int i = 0; i < r->bound_count; ++i) {
    sum += rows[r->bound_row + i].lambda;
  }
  r->upper = r->bound_scale * sum;
  r->lower = -r->upper;
}


double impi_row_solve(ImpiRow *rows, int32_t row, const ImpiBody *bodies, ImpiMotion *motions, bool accumulate) {
  ImpiRow *r = &rows[row];
  impi_row_update_bounds(rows, row);
  double correction = -r->mass * (impi_row_speed(r, motions) + r->bias);
  double applied;
  if (accumulate) {
    double old = r->lambda;
    r->lambda = impi_clamp(old + correction, r->lower, r->upper);
    applied = r->lambda - old;
  } else {
    applied = impi_clamp(correction, r->lower, r->upper);
    r->lambda += applied;
  }
  impi_row_apply(r, bodies, motions, applied);
  return applied;
}
