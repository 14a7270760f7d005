// The constraint row: the common form in which solvers get joints and contacts.
//
// A row is one scalar velocity constraint on two bodies (or more: `more`),
//   J v + b = 0   (or >= 0, or as close to 0 as its bounds allow),   v = (vx_a, vy_a, w_a, vx_b, vy_b, w_b)
// enforced by an impulse lambda along J^T, lower <= lambda <= upper, where lambda is the total over the (sub)step.
//   m_C = 1 / (J M^-1 J^T)                 effective mass
//   d_lambda = -m_C (J v + b)              the impulse that makes the row exact   (m_C d(C_dot) = lambda)
// A soft row is compliant: d_lambda = -m_C scale (J v + b) - keep lambda - push. For a spring, scale + keep = 1 and
// push is proportional to its displacement; a rigid row has scale 1, keep 0, push 0.
// source: Catto, "Modeling and Solving Constraints" (GDC 2009); signs: counter-clockwise positive, normal from a to b.
#ifndef IMPI_ROW_H
#define IMPI_ROW_H

#include "model/body.h"

typedef struct ImpiRowTerm {
  int32_t body;
  double j[3];
} ImpiRowTerm;

typedef struct ImpiRow {
  ImpRowKind kind;
  bool open;              // an inequality that is satisfied without an impulse
  int32_t owner, index;   // slot of the row's joint or contact; index of the coordinate or point
  int32_t block;          // index of the row's joint or contact: active joints first, followed by active contacts
  int32_t body_a, body_b; // slots
  int32_t more_count;
  // number of rows from this row on that drive the same coordinate; 0 in further rows of the coordinate
  int32_t together;
  ImpiRowTerm *more;     // parts on further bodies   (more_count)
  double j[6];           // (vx_a, vy_a, w_a, vx_b, vy_b, w_b)
  double c;              // position error [m or rad]
  double error;          // part of c to correct [m or rad]; 0 for inactive rows and rows without an error
  double bias;           // b [m/s or rad/s]
  double fix;            // part of b that corrects `error`
  double bounce;         // normal rows: separation speed required by restitution [m/s]
  double c_before;       // normal rows: c at the start of the substep [m]
  double approach_speed; // -J v before the substep's forces [m/s or rad/s]
  double rate; // part of b: the coordinate's rate at velocity 0 (constraints that depend on time, velocity constraints)
  double curvature;   // rows of joints: J'v, second derivative at constant velocities [unit of c / s^2]
  double scale, keep; // softness, see the head of this file
  double push;        // softness, see the head of this file [N s or N m s]
  // Bounds of lambda [N s or N m s]; those of friction and rolling rows follow from bound_row.
  double lower, upper;
  double lambda; // accumulated impulse [N s or N m s]
  double mass;   // m_C, 0 if no body of the row can move
  // springs: oscillating mass [kg or kg m^2] = armature + effective mass of the coordinate while the joint's locks hold
  double swings;
  double before;           // J v before any impulse of the substep
  double entered;          // rows of armature in `xpbd`: work of their impulses on bodies in this substep [J]
  int32_t bound_row;       // first normal row that bounds this row; -1: lower and upper are constant
  int32_t bound_count;     // number of rows that bound this row, from bound_row on
  double bound_scale;      // bound = bound_scale * sum of lambda of the rows that bound this row
  double *store;           // where lambda is stored between steps
  double *total;           // where lambda is summed over the step
  double *noted;           // where b is stored for reports; contacts: null
  double *done;            // where work is summed over the step; null: nowhere
  double *approach;        // normal rows: where approach_speed is stored; else null
  struct ImpiDrive *rotor; // rows of armatures: the drive of the coordinate; other rows: null
} ImpiRow;

// Return a rigid row on two bodies without impulse, bounds or bias.
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

// Return J v of the row at the bodies' velocities.
double impi_row_speed(const ImpiRow *row, const ImpiMotion *motions);
// Return m_C, from J and the bodies' inverse masses.
double impi_row_mass(const ImpiRow *row, const ImpiBody *bodies);
// If a body has a locked axis, and the component of the linear part of J across this axis is less than `slope` times
// the component along it, set the component across to 0.
void impi_row_hold(ImpiRow *row, const ImpiBody *bodies, double slope);
// Add M^-1 J^T lambda to the bodies' velocities.
void impi_row_apply(const ImpiRow *row, const ImpiBody *bodies, ImpiMotion *motions, double lambda);
// Return the work of the row's whole impulse: lambda times the mean of the row's speed J v before any impulse
// (`before`) and J v now. The sum over all rows is the change of kinetic energy.
double impi_row_work(const ImpiRow *row, const ImpiMotion *motions);
// Update lower and upper of a row from the rows that bound it (friction: normal rows).
void impi_row_update_bounds(ImpiRow *rows, int32_t row);
// Compute the corrective impulse and update lambda, but not the bodies. Return the impulse to apply.
double impi_row_update(ImpiRow *rows, int32_t row, const ImpiMotion *motions, bool accumulate);
#define IMPI_MOST_TOGETHER 9
// Update together `count` rows (at most IMPI_MOST_TOGETHER) that drive one coordinate and have the same J and mass.
// If a motor that presses on a limit were updated before the limit, both impulses would grow without bound. The impulse
// of each row is a function of the coordinate's speed:
//   rigid row      its upper bound at speeds below -b, its lower bound at speeds above -b
//   soft row       -(mass scale (speed + b) + push) / keep, within its bounds
// At the new speed the sum of the rows' impulses equals the impulse that produces this speed. The sum falls as the
// speed rises, so there is one solution, found between the breakpoints. Rigid rows at their target -b, where they can
// have any impulse within their bounds, share the rest of the sum in order; limits are last. Return the impulse to
// apply.
double impi_rows_update(ImpiRow *const *rows, int count, const ImpiMotion *motions);
// Return the distance of a row from its target [m/s or rad/s]: |J v + b|, softness included; 0 if a bound keeps the row
// from its target, or if the row's mass is 0.
double impi_row_left(const ImpiRow *row, const ImpiMotion *motions);
// Make one sequential-impulse update and apply the impulse to the bodies. With `accumulate` the accumulated impulse is
// clamped to the bounds, else the corrective impulse (incorrect; for teaching). Return the impulse applied.
double impi_row_solve(ImpiRow *rows, int32_t row, const ImpiBody *bodies, ImpiMotion *motions, bool accumulate);

#endif
