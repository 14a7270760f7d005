// Level 3. The constraint row: what every solver sees.
//
// A row is one scalar velocity constraint on up to two bodies,
//   J v + b = 0   (or >= 0, or as near to 0 as its bounds let it),   v = (vx_a, vy_a, w_a, vx_b, vy_b, w_b)
// kept by an impulse lambda along J^T, lower <= lambda <= upper, where lambda is the total over the (sub)step.
//   m_C = 1 / (J M^-1 J^T)                 effective mass
//   d_lambda = -m_C (J v + b)              the impulse that makes the row exact   (m_C d(C_dot) = lambda)
// source: Catto, "Modeling and Solving Constraints" (GDC 2009); signs: counter-clockwise positive, normal from a to b.
#ifndef IMPI_ROW_H
#define IMPI_ROW_H

#include "body.h"

typedef enum ImpiRowKind {
  IMPI_ROW_NORMAL,   // non-penetration, lambda >= 0
  IMPI_ROW_FRICTION, // tangent speed, |lambda| <= mu * lambda of its normal row
  IMPI_ROW_ROLLING,  // relative angular velocity, |lambda| <= (rolling radius) * sum of its contact's normal lambdas
} ImpiRowKind;

typedef struct ImpiRow {
  ImpiRowKind kind;
  int32_t body_a, body_b; // slots
  double j[6];            // (vx_a, vy_a, w_a, vx_b, vy_b, w_b)
  double c;               // position error, for reports and position biases [m or rad]
  double bias;            // b [m/s or rad/s]
  double lower, upper;    // of lambda [N s or N m s]; friction and rolling rows: from their bound
  double lambda;          // accumulated
  double mass;            // m_C, 0 when nothing that the row touches can move
  int32_t bound_row;      // first of the normal rows that bound this one, -1: lower and upper stand
  int32_t bound_count;    // how many, consecutive
  double bound_scale;     // the bound is bound_scale * their lambdas' sum
  double *store;          // where lambda is kept between steps
  double *total;          // where lambda is summed over the step
  double *approach;       // normal rows: where the speed of approach before the step is noted; else null
} ImpiRow;

// J v of the row at the bodies' velocities.
double impi_row_speed(const ImpiRow *row, const ImpiMotion *motions);
// m_C from J and the bodies' inverse masses.
double impi_row_mass(const ImpiRow *row, const ImpiBody *bodies);
// Add M^-1 J^T lambda to the bodies' velocities.
void impi_row_apply(const ImpiRow *row, const ImpiBody *bodies, ImpiMotion *motions, double lambda);
// Bring a bounded row's lower and upper up to date with the rows that bound it.
void impi_row_update_bounds(ImpiRow *rows, int32_t row);
// One sequential-impulse update: the corrective impulse, clamped in total when `accumulate`, else (the wrong way, for
// teaching) by itself. Returns the impulse applied.
double impi_row_solve(ImpiRow *rows, int32_t row, const ImpiBody *bodies, ImpiMotion *motions, bool accumulate);

#endif
