#include "row.h"


double impi_row_speed(const ImpiRow *row, const ImpiMotion *motions) {
  const ImpiMotion *a = &motions[row->body_a], *b = &motions[row->body_b];
  const double *j = row->j;
  double speed = j[0] * a->vx + j[1] * a->vy + j[2] * a->w + j[3] * b->vx + j[4] * b->vy + j[5] * b->w;
  for (int i = 0; i < row->more_count; ++i) {
    const ImpiRowTerm *term = &row->more[i];
    const ImpiMotion *m = &motions[term->body];
    speed += term->j[0] * m->vx + term->j[1] * m->vy + term->j[2] * m->w;
  }
  return speed;
}


double impi_row_mass(const ImpiRow *row, const ImpiBody *bodies) {
  const ImpiBody *a = &bodies[row->body_a], *b = &bodies[row->body_b];
  const double *j = row->j;
  ImpVec2 on_a = impi_free_direction(a, j[0], j[1]), on_b = impi_free_direction(b, j[3], j[4]);
  double k = a->inv_mass * impi_length_sq(on_a) + a->inv_inertia * j[2] * j[2] + b->inv_mass * impi_length_sq(on_b) +
             b->inv_inertia * j[5] * j[5];
  for (int i = 0; i < row->more_count; ++i) {
    const double *t = row->more[i].j;
    const ImpiBody *body = &bodies[row->more[i].body];
    k += body->inv_mass * impi_length_sq(impi_free_direction(body, t[0], t[1])) + body->inv_inertia * t[2] * t[2];
  }
  return k > 0 ? 1 / k : 0;
}


static void push(const ImpiBody *body, ImpiMotion *motion, const double *j, double lambda) {
  ImpVec2 part = impi_free_direction(body, j[0], j[1]);
  motion->vx += body->inv_mass * part.x * lambda;
  motion->vy += body->inv_mass * part.y * lambda;
  motion->w += body->inv_inertia * j[2] * lambda;
}


void impi_row_apply(const ImpiRow *row, const ImpiBody *bodies, ImpiMotion *motions, double lambda) {
  push(&bodies[row->body_a], &motions[row->body_a], row->j, lambda);
  push(&bodies[row->body_b], &motions[row->body_b], row->j + 3, lambda);
  for (int i = 0; i < row->more_count; ++i) {
    int32_t body = row->more[i].body;
    push(&bodies[body], &motions[body], row->more[i].j, lambda);
  }
}


double impi_row_work(const ImpiRow *row, const ImpiMotion *motions) {
  return row->lambda != 0 ? 0.5 * row->lambda * (row->before + impi_row_speed(row, motions)) : 0;
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


double impi_row_update(ImpiRow *rows, int32_t row, const ImpiMotion *motions, bool accumulate) {
  ImpiRow *r = &rows[row];
  impi_row_update_bounds(rows, row);
  double correction = -r->mass * r->scale * (impi_row_speed(r, motions) + r->bias) - r->keep * r->lambda - r->push;
  double applied;
  if (accumulate) {
    double old = r->lambda;
    r->lambda = impi_clamp(old + correction, r->lower, r->upper);
    applied = r->lambda - old;
  } else {
    applied = impi_clamp(correction, r->lower, r->upper);
    r->lambda += applied;
  }
  return applied;
}


double impi_row_solve(ImpiRow *rows, int32_t row, const ImpiBody *bodies, ImpiMotion *motions, bool accumulate) {
  double applied = impi_row_update(rows, row, motions, accumulate);
  impi_row_apply(&rows[row], bodies, motions, applied);
  return applied;
}
