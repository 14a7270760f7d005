// The constraint row: what every solver sees.
//
// A row is one scalar velocity constraint on two bodies (or more: `more`),
//   J v + b = 0   (or >= 0, or as near to 0 as its bounds let it),   v = (vx_a, vy_a, w_a, vx_b, vy_b, w_b)
// kept by an impulse lambda along J^T, lower <= lambda <= upper, where lambda is the total over the (sub)step.
//   m_C = 1 / (J M^-1 J^T)                 effective mass
//   d_lambda = -m_C (J v + b)              the impulse that makes the row exact   (m_C d(C_dot) = lambda)
// A soft row gives way: d_lambda = -m_C scale (J v + b) - keep lambda - push. A spring's scale + keep is 1, and push is
// its pull at rest; a rigid row has scale 1, keep 0, push 0.
// source: Catto, "Modeling and Solving Constraints" (GDC 2009); signs: counter-clockwise positive, normal from a to b.
#ifndef IMPI_ROW_H
#define IMPI_ROW_H

#include "model/body.h"

// The part of a row on one more body.
typedef struct ImpiRowTerm {
  int32_t body;
  double j[3];
} ImpiRowTerm;

typedef struct ImpiRow {
  ImpRowKind kind;
  bool open;              // an inequality that holds by itself: nothing acts
  int32_t owner, index;   // slot of its joint or contact; its coordinate or point
  int32_t block;          // its owner among the active joints, or behind them among the active contacts
  int32_t body_a, body_b; // slots
  int32_t more_count;
  int32_t together;        // rows from this one on that drive the same coordinate, 0: it is none of them but the first
  ImpiRowTerm *more;       // on further bodies   (more_count)
  double j[6];             // (vx_a, vy_a, w_a, vx_b, vy_b, w_b)
  double c;                // position error, for reports and position biases [m or rad]
  double error;            // the part of c that a solver should take away: 0 of what is open or has none [m or rad]
  double bias;             // b [m/s or rad/s]
  double fix;              // the part of b that corrects `error`
  double bounce;           // normal rows: the speed that restitution asks for [m/s]
  double c_before;         // normal rows: c when the substep began [m]
  double approach_speed;   // -J v before the substep's forces [m/s]
  double rate;             // the part of b that time alone makes, or a velocity constraint at rest
  double curvature;        // rows of joints: J'v, second derivative at constant velocities [unit of c / s^2]
  double scale, keep;      // how soft it is
  double push;             // [N s or N m s]
  double lower, upper;     // of lambda [N s or N m s]; friction and rolling rows: from their bound
  double lambda;           // accumulated
  double mass;             // m_C, 0 when nothing that the row touches can move
  double swings;           // of a spring: the mass that swings on it, beside its joint's locks
  double before;           // J v before any impulse of the substep
  double entered;          // of an armature under xpbd: work that its impulses of the substep did on bodies so far [J]
  int32_t bound_row;       // first of the normal rows that bound this one, -1: lower and upper stand
  int32_t bound_count;     // how many, consecutive
  double bound_scale;      // the bound is bound_scale * their lambdas' sum
  double *store;           // where lambda is kept between steps
  double *total;           // where lambda is summed over the step
  double *noted;           // where b is noted for reports; null: nowhere
  double *done;            // where work is summed over the step; null: nowhere
  double *approach;        // normal rows: where the speed of approach before the step is noted; else null
  struct ImpiDrive *rotor; // of an armature: the drive that has the rotor's speed; else null
} ImpiRow;

// A rigid row on two bodies without impulse, bounds or bias.
static inline ImpiRow impi_row(ImpRowKind kind, int32_t owner, int32_t index, int32_t body_a, int32_t body_b) {
  return (ImpiRow){.kind = kind,
                   .owner = owner,
                   .index = index,
                   .body_a = body_a,
                   .body_b = body_b,
                   .together = 1,
                   .scale = 1,
                   .lower = -HUGE_VAL,
                   .upper = HUGE_VAL,
                   .bound_row = -1};
}

// J v of the row at the bodies' velocities.
double impi_row_speed(const ImpiRow *row, const ImpiMotion *motions);
// m_C from J and the bodies' inverse masses.
double impi_row_mass(const ImpiRow *row, const ImpiBody *bodies);
// Leave out of J what would push a body across a locked axis along which the row is, but for less than `slope`.
void impi_row_hold(ImpiRow *row, const ImpiBody *bodies, double slope);
// Add M^-1 J^T lambda to the bodies' velocities.
void impi_row_apply(const ImpiRow *row, const ImpiBody *bodies, ImpiMotion *motions, double lambda);
// What the row's whole impulse did, given its speed before any impulse acted (`before`) and its speed now: lambda times
// their mean. Over all rows that adds up to the change of kinetic energy, and no row's share depends on the order.
double impi_row_work(const ImpiRow *row, const ImpiMotion *motions);
// Bring a bounded row's lower and upper up to date with the rows that bound it.
void impi_row_update_bounds(ImpiRow *rows, int32_t row);
// The first half of the next: lambda changes, the bodies do not yet. Returns the impulse to apply.
double impi_row_update(ImpiRow *rows, int32_t row, const ImpiMotion *motions, bool accumulate);
#define IMPI_MOST_TOGETHER 9
// The same of `count` rows, at most so many, that drive one coordinate (the same J and mass), together: a motor that presses on a limit and
// the limit are one equation, in which one after the other would wind up. The speed of the coordinate at which the
// impulses that the rows give at it,
//   rigid row      its upper bound below -b, its lower bound above it
//   soft row       -(mass scale (speed + b) + push) / keep, within its bounds
// are those that make this speed. What they give falls as the speed rises, so there is one, found between the breakpoints.
// Of rows that ask for that very speed the first takes what it may, as limits are last. Returns the impulse to apply.
double impi_rows_update(ImpiRow *const *rows, int count, const ImpiMotion *motions);
// How far a row is from what it asks for [m/s or rad/s]: |J v + b|, what softness gives way included; 0 at a bound that
// keeps it from there, and of what has no mass.
double impi_row_left(const ImpiRow *row, const ImpiMotion *motions);
// One sequential-impulse update: the corrective impulse, clamped in total when `accumulate`, else (the wrong way, for
// teaching) by itself. Returns the impulse applied.
double impi_row_solve(ImpiRow *rows, int32_t row, const ImpiBody *bodies, ImpiMotion *motions, bool accumulate);

#endif
