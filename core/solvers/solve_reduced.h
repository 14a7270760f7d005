// Shared by the files of the solver `reduced` (solve_reduced.c).
#ifndef IMPI_SOLVE_REDUCED_H
#define IMPI_SOLVE_REDUCED_H

#include "solvers/linkage.h"
#include "solvers/reference.h"

typedef enum ImpiRowRole {
  IMPI_ROLE_IDLE,   // no effect in this substep
  IMPI_ROLE_TREE,   // a lock or armature that the coordinates contain
  IMPI_ROLE_FORCE,  // a force that a drive prescribes
  IMPI_ROLE_SPRING, // a force that depends on pose and velocity
  IMPI_ROLE_DRIVE,  // a motor or servo, before it becomes IMPI_ROLE_BLOCK or IMPI_ROLE_SWEPT
  IMPI_ROLE_BLOCK,  // an equality that is solved together with all equalities of its trees
  IMPI_ROLE_SWEPT,  // solved by sweeps
} ImpiRowRole;

// Additional data of each row.
typedef struct ImpiReducedRow {
  uint8_t role;
  bool dropped;  // a lock that is dependent on the rows before it
  int32_t place; // index of the row's effects (velocity changes per unit impulse) in ImpiReduced.effects; -1: none
  double most;   // bound on the part of b that corrects C; the speed of the correction is at most IMPI_LOCK_SPEED
  double mass;   // effective mass as if no joints held the row's bodies
  double work;   // work of the row in the substep [J]
} ImpiReducedRow;

// Additional data of each ImpiTreeGroup, a set of trees that are solved together, by Runge-Kutta or by symplectic Euler
// (`euler`).
typedef struct ImpiReducedGroup {
  bool euler;            // integrated by symplectic Euler
  bool has_inequalities; // some acting rows are inequalities
  bool has_rows;         // rows act on the group
  bool turns_fast;       // a body turns by more than QUICK (solve_reduced.c)
  bool factored;         // articulated inertia is valid for the present pose
  bool weak;             // a lock of the block is dependent, or nearly dependent, on the rows before it
  bool corrects_errors;  // the errors of the block are being corrected
  int32_t first, count;  // block of the group: range in ImpiReduced.block of the rows that are solved together
} ImpiReducedGroup;

// Mass, momentum and inertia of a floating tree, stored at its root.
typedef struct ImpiTreeSum {
  double mass, x, y;  // mass and centre of mass [kg, m]
  ImpiTwist momentum; // momentum, and angular momentum about the centre of mass [N s, N m s]
  double inertia;     // inertia about the centre of mass [kg m^2]; 0: a body of the tree does not turn
} ImpiTreeSum;

// Additional data of each link.
typedef struct ImpiReducedLink {
  ImpiTwist unconstrained;          // velocity after applied forces, before impulses of rows
  ImpiTwist bias;                   // ImpiLink.bias (an acceleration) at the start of the substep
  ImpiTwist force;                  // force on the body at one Runge-Kutta stage
  double q[3], rate[3];             // coordinates and speeds at the start of the substep or of its part
  double slope_q[3], slope_rate[3]; // weighted sums of the derivatives over the Runge-Kutta stages
  double lock[3];                   // impulses of the locks of the joint
  ImpiTwist wrench;                 // impulse of the joint on its body b
  double applied, damped;           // work of applied forces, and of damping [J]
  ImpiTreeSum sum;                  // for roots: totals of the tree; target of impi_reduced_match_momentum
  ImpiTreeSum stage;                // for roots: total force at one stage
} ImpiReducedLink;

typedef struct ImpiReduced {
  ImpiReference ref; // must be first: the shared stages cast `scratch` to ImpiReference
  ImpiLinkage linkage;
  IMPI_ARRAY(ImpiReducedRow) rows;     // additional data of ref.rows, in the same order
  IMPI_ARRAY(ImpiReducedGroup) groups; // additional data of linkage.groups, in the same order
  IMPI_ARRAY(ImpiReducedLink) links;   // additional data of linkage.links, in the same order
  IMPI_ARRAY(int32_t) block; // rows that are solved together: the range of a group begins at ImpiReducedGroup.first
  IMPI_ARRAY(double) shares; // coefficients of a block's rows in the combination that was subtracted from one row
  ImpiRowArray reported;     // copy of the solved rows; `ref` holds rows at another pose
  IMPI_ARRAY(ImpiRowTerm) reported_terms; // terms of the rows in `reported` for all bodies after the first two
  IMPI_ARRAY(double) effects;             // effects of all rows; those of a row begin at ImpiReducedRow.place
  // By lane: an implicit force field acts on the body in this substep.
  IMPI_ARRAY(bool) forces_first;
  IMPI_ARRAY(double) tension;    // rotational stiffness of each awake body due to joint forces, by lane [N m]
  IMPI_ARRAY(ImpiMotion) before; // motions of awake bodies at the start of the current stage, by lane
  IMPI_ARRAY(ImpiMotion) start;  // motions of awake bodies at the start of a computation that may be repeated, by lane
  int effect_count;
} ImpiReduced;

static inline int impi_row_parts(const ImpiRow *row) { return 2 + row->more_count; }
// Return the link of the k-th body of a row (-1: none), and the part of J of this body.
static inline int32_t impi_row_link(const ImpiSolve *solve, const ImpiRow *row, int k, const double **out_j) {
  const ImpiReduced *reduced = solve->scratch;
  *out_j = k < 2 ? row->j + 3 * k : row->more[k - 2].j;
  int32_t body = k == 0 ? row->body_a : k == 1 ? row->body_b : row->more[k - 2].body;
  return impi_link_of(solve, &reduced->linkage, body);
}
// Return the link that the joint of a row attaches; null: the joint is not in the tree.
static inline const ImpiLink *impi_row_own_link(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReduced *reduced = solve->scratch;
  for (int k = 0; k < 2; ++k) {
    const double *j;
    int32_t link = impi_row_link(solve, row, k, &j);
    if (link >= 0 && reduced->linkage.links.data[link].joint == row->owner) {
      return &reduced->linkage.links.data[link];
    }
  }
  return NULL;
}
// Return the index of the ImpiTreeGroup of the k-th body of a row. -1: the body is in no tree, or an earlier body of
// the row is in the same group.
int32_t impi_row_group(const ImpiSolve *solve, const ImpiRow *row, int k);

// solve_reduced_plan.c: find the roles of the rows, their effects (velocity changes per unit impulse), and the trees
// integrated by symplectic Euler (`euler`).
void impi_reduced_plan_rows(ImpiSolve *solve);
// Find blocks and effects of the locks, whose rows must have been recomputed at the present poses.
void impi_reduced_plan_locks(ImpiSolve *solve);

// solve_reduced_rows.c: rows on trees.
#define IMPI_REDUCED_BLOCK 96 // largest number of rows that an ImpiTreeGroup solves together
// Reserve memory; with `handlers`, also for all drives that handlers may add. IMP_ERR_LIMIT if that is too much memory.
ImpStatus impi_reduced_reserve_rows(ImpiSolve *solve, bool handlers);
// Compute the effects (velocity changes per unit impulse) and the effective mass of a row, after orthogonalising the
// row against the first `before` rows of the block (-1: all). A row that is dependent on these becomes idle.
void impi_reduced_prepare_row(ImpiSolve *solve, int row, int before);
// Subtract x J of a row from the loads of the links.
void impi_reduced_unload(ImpiSolve *solve, const ImpiRow *row, double x);
// Solve all rows on the velocities in `motions`.
void impi_reduced_solve_rows(ImpiSolve *solve);
// Correct the errors of trees with ImpiReducedGroup.weak by Newton's method. Poses change, velocities do not. t: time
// of the poses.
void impi_reduced_correct_errors(ImpiSolve *solve, double t);

// solve_reduced_runge_kutta.c: compute the accelerations of bodies in trees integrated by Runge-Kutta. The acceleration
// of a body is ImpiLink.twist + ImpiLink.bias.
void impi_reduced_predict_accelerations(ImpiSolve *solve);
// Integrate all trees that are not marked `euler` by Runge-Kutta over h, and compute the impulses and the work of their
// rows. Also moves awake bodies that are in no tree, such as kinematic bodies.
void impi_reduced_move_runge_kutta(ImpiSolve *solve);

// Compute the totals of the floating trees of a group, and store them in `sum` of the roots.
void impi_reduced_sum(ImpiSolve *solve, const ImpiTreeGroup *group);
// Change the momenta of each floating tree to those in `sum`, by a rigid motion.
void impi_reduced_match_momentum(ImpiSolve *solve, const ImpiTreeGroup *group);

#endif
