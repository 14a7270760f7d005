#include "model/row.h"


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
  ImpVec2 on_a = impi_free_part(a, j[0], j[1]), on_b = impi_free_part(b, j[3], j[4]);
  double k = a->inv_mass * impi_length_sq(on_a) + a->inv_inertia * j[2] * j[2] + b->inv_mass * impi_length_sq(on_b) +
             b->inv_inertia * j[5] * j[5];
  for (int i = 0; i < row->more_count; ++i) {
    const double *t = row->more[i].j;
    const ImpiBody *body = &bodies[row->more[i].body];
    k += body->inv_mass * impi_length_sq(impi_free_part(body, t[0], t[1])) + body->inv_inertia * t[2] * t[2];
  }
  return k > 0 ? 1 / k : 0;
}


static void hold(const ImpiBody *body, double *j, double slope) {
  if (body->locks != 0) {
    ImpVec2 held = impi_hold_direction(body, j[0], j[1], slope);
    j[0] = held.x;
    j[1] = held.y;
  }
}


void impi_row_hold(ImpiRow *row, const ImpiBody *bodies, double slope) {
  hold(&bodies[row->body_a], row->j, slope);
  hold(&bodies[row->body_b], row->j + 3, slope);
  for (int i = 0; i < row->more_count; ++i) {
    hold(&bodies[row->more[i].body], row->more[i].j, slope);
  }
}


static void push(const ImpiBody *body, ImpiMotion *motion, const double *j, double lambda) {
  ImpVec2 part = impi_free_part(body, j[0], j[1]);
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


// ---------------------------------------------------------------------------------------------------------------------
// Rows that drive one coordinate
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Drives {
  ImpiRow *const *rows;
  int count;
  double bias[IMPI_MOST_TOGETHER];
  double now, old; // now: speed of the coordinate; old: sum of the rows' impulses before the update
} Drives;


// Set the bias (negative target speed) of each row. If two rows can push against each other without bound, the later
// row overrides the earlier row.
static void set_biases(Drives *drives) {
  for (int i = 0; i < drives->count; ++i) {
    const ImpiRow *row = drives->rows[i];
    drives->bias[i] = row->bias;
    for (int k = i + 1; k < drives->count && row->keep <= 0; ++k) {
      const ImpiRow *limit = drives->rows[k];
      if (limit->lower == 0 && limit->upper == HUGE_VAL && row->lower == -HUGE_VAL) {
        drives->bias[i] = impi_min(drives->bias[i], limit->bias);
      } else if (limit->upper == 0 && limit->lower == -HUGE_VAL && row->upper == HUGE_VAL) {
        drives->bias[i] = impi_max(drives->bias[i], limit->bias);
      }
    }
  }
}


// Return the impulse of row i as a function of the coordinate's speed. The function of a rigid row jumps at the target
// speed; `side` selects the value below (-1) or above (1) the target.
static double impulse_at(const Drives *drives, int i, double speed, int side) {
  const ImpiRow *row = drives->rows[i];
  double gain = row->mass * row->scale, past = speed + drives->bias[i], lambda = row->lambda;
  if (row->keep > 0) {
    lambda = -(gain * past + row->push) / row->keep;
  } else if (gain > 0) {
    lambda = (past == 0 ? side : past) > 0 ? -HUGE_VAL : HUGE_VAL;
  }
  return impi_clamp(lambda, row->lower, row->upper);
}


// Find the speeds at which the impulse of row i changes its slope. Return their number.
static int breakpoints(const Drives *drives, int i, double *out) {
  const ImpiRow *row = drives->rows[i];
  double gain = row->mass * row->scale;
  if (gain <= 0 || row->lower >= row->upper) {
    return 0;
  }
  if (row->keep <= 0) {
    out[0] = -drives->bias[i];
    return 1;
  }
  int found = 0;
  for (int k = 0; k < 2; ++k) {
    double bound = k == 0 ? row->upper : row->lower;
    if (fabs(bound) < HUGE_VAL) {
      out[found++] = -(row->keep * bound + row->push) / gain - drives->bias[i];
    }
  }
  return found;
}


// Return the sum of the rows' impulses at a speed, minus the sum that brings the coordinate to this speed.
static double surplus(const Drives *drives, double speed, int side) {
  double sum = -drives->old - drives->rows[0]->mass * (speed - drives->now);
  for (int i = 0; i < drives->count; ++i) {
    double lambda = impulse_at(drives, i, speed, side);
    // If rows have infinite impulses, the sum is that of the last such row: the sum of opposite infinities is NaN.
    sum = fabs(lambda) < HUGE_VAL ? sum + lambda : lambda;
  }
  return sum;
}


// Return the speed at which surplus() is 0. surplus() is piecewise linear and falls as the speed rises.
static double speed_together(const Drives *drives) {
  double lowest = -HUGE_VAL, highest = HUGE_VAL;
  for (int i = 0; i < drives->count; ++i) {
    double points[2];
    for (int k = breakpoints(drives, i, points) - 1; k >= 0; --k) {
      lowest = points[k] > lowest && surplus(drives, points[k], -1) >= 0 ? points[k] : lowest;
      highest = points[k] < highest && surplus(drives, points[k], 1) <= 0 ? points[k] : highest;
    }
  }
  if (lowest >= highest) {
    return highest;
  }
  bool begins = lowest > -HUGE_VAL, ends = highest < HUGE_VAL;
  double from = begins ? lowest : ends ? highest : drives->now;
  int side = begins ? 1 : -1;
  double inside = begins && ends ? 0.5 * (lowest + highest) : from + side * (1 + fabs(from));
  double slope = drives->rows[0]->mass;
  for (int i = 0; i < drives->count; ++i) {
    const ImpiRow *row = drives->rows[i];
    double lambda = impulse_at(drives, i, inside, 1);
    bool gives = row->keep > 0 && lambda > row->lower && lambda < row->upper;
    slope += gives ? row->mass * row->scale / row->keep : 0;
  }
  return impi_clamp(from + surplus(drives, from, side) / slope, lowest, highest);
}


// Return whether rigid row i is at its target speed, where it can have any impulse within its bounds.
static bool is_there(const Drives *drives, int i, double speed) {
  const ImpiRow *row = drives->rows[i];
  return row->keep <= 0 && row->mass * row->scale > 0 && speed + drives->bias[i] == 0;
}


double impi_rows_update(ImpiRow *const *rows, int count, const ImpiMotion *motions) {
  Drives drives = {.rows = rows, .count = count, .now = impi_row_speed(rows[0], motions)};
  if (rows[0]->mass <= 0) {
    return 0;
  }
  for (int i = 0; i < count; ++i) {
    drives.old += rows[i]->lambda;
  }
  set_biases(&drives);
  double speed = speed_together(&drives), applied = rows[0]->mass * (speed - drives.now), left = drives.old + applied;
  for (int i = 0; i < count; ++i) {
    double lambda = is_there(&drives, i, speed) ? 0 : impulse_at(&drives, i, speed, 1);
    // 0 if infinite: a later row overrides this row
    rows[i]->lambda = fabs(lambda) < HUGE_VAL ? lambda : 0;
    left -= rows[i]->lambda;
  }
  for (int i = 0; i < count; ++i) {
    if (is_there(&drives, i, speed)) {
      rows[i]->lambda = impi_clamp(left, rows[i]->lower, rows[i]->upper);
      left -= rows[i]->lambda;
    }
  }
  return applied;
}


double impi_row_left(const ImpiRow *row, const ImpiMotion *motions) {
  double gain = row->mass * row->scale;
  if (gain <= 0 || row->lower >= row->upper) {
    return 0;
  }
  double left = impi_row_speed(row, motions) + row->bias + (row->keep * row->lambda + row->push) / gain;
  bool held = (left > 0 && row->lambda <= row->lower) || (left < 0 && row->lambda >= row->upper);
  return held ? 0 : fabs(left);
}
