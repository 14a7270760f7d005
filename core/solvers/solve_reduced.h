// Shared by the files of the solver `reduced`, which is described in solve_reduced.c.
#ifndef IMPI_SOLVE_REDUCED_H
#define IMPI_SOLVE_REDUCED_H

#include "solvers/linkage.h"
#include "solvers/reference.h"

typedef enum ImpiRowRole {
  IMPI_ROLE_IDLE,   // no effect in this substep
  IMPI_ROLE_TREE,   // a lock or armature that the coordinates contain; its impulse is computed afterwards
  IMPI_ROLE_FORCE,  // a given force
  IMPI_ROLE_SPRING, // a force that depends on pose and velocity
  IMPI_ROLE_DRIVE,  // a motor or servo, before it gets one of the next two roles
  IMPI_ROLE_BLOCK,  // an equality that is solved together with all equalities of its trees
  IMPI_ROLE_SWEPT,  // solved by sweeps
} ImpiRowRole;

// Additional data of each row.
typedef struct ImpiReducedRow {
  uint8_t role;
  bool dropped;  // a lock that is dependent on the rows before it
  int32_t place; // index in ImpiReduced.effects of the row's effects (velocity changes per unit impulse); -1: none
  double most;   // bound on the part of b that corrects C; with it, this part moves bodies at most at IMPI_LOCK_SPEED
  double mass;   // effective mass from the row's own bodies alone; ImpiRow.mass is that of the whole trees
  double work;   // work of the row in the substep [J]
} ImpiReducedRow;

// Additional data of each ImpiTreeGroup, a set of trees that are solved together. They are integrated either by
// Runge-Kutta or by symplectic Euler (`euler`).
typedef struct ImpiReducedGroup {
  bool euler;            // rows act on the group, or fields or strong damping require implicit integration
  bool has_inequalities; // the acting rows include inequalities
  bool has_rows;         // rows act on the group, so its limits act before they are reached
  bool turns_fast;       // a body turns too fast for the bias, see QUICK in solve_reduced.c
  bool factored;         // articulated inertia is valid for the present pose
  bool weak;             // a lock of the group's block is dependent, or nearly dependent, on the rows before it
  bool corrects_errors;  // errors of the group's block are being corrected, see impi_reduced_correct_errors
  int32_t first, count;  // block of the group: rows that are solved together, as a range of ImpiReduced.block
} ImpiReducedGroup;

// Totals of a floating tree, stored at its root.
typedef struct ImpiTreeSum {
  double mass, x, y;  // mass and centre of mass [kg, m]
  ImpiTwist momentum; // momentum, and angular momentum about the centre of mass [N s, N m s]
  double inertia;     // inertia about the centre of mass [kg m^2]; 0: torques do not turn one of the bodies
} ImpiTreeSum;

// Additional data of each link.
typedef struct ImpiReducedLink {
  ImpiTwist unconstrained;          // velocity after applied forces, before impulses of rows
  ImpiTwist bias;                   // bias of the link at the substep's start
  ImpiTwist force;                  // force on the body at one Runge-Kutta stage
  double q[3], rate[3];             // coordinates and speeds at the start of the substep or of its part
  double slope_q[3], slope_rate[3]; // weighted sums of the derivatives over the stages
  double lock[3];                   // impulses of the joint's locks
  ImpiTwist wrench;                 // impulse on the joint's b
  double applied, damped;           // work of applied forces, and of damping [J]
  ImpiTreeSum sum;                  // for roots: totals of the tree, with the momenta that it should have
  ImpiTreeSum stage;                // for roots: total force at one stage
} ImpiReducedLink;

typedef struct ImpiReduced {
  ImpiReference ref; // must be first: the shared stages cast `scratch` to ImpiReference
  ImpiLinkage linkage;
  IMPI_ARRAY(ImpiReducedRow) rows;        // additional data of ref.rows, in the same order
  IMPI_ARRAY(ImpiReducedGroup) groups;    // additional data of linkage.groups, in the same order
  IMPI_ARRAY(ImpiReducedLink) links;      // additional data of linkage.links, in the same order
  IMPI_ARRAY(int32_t) block;              // rows that a group solves together, at ImpiReducedGroup.first and after it
  IMPI_ARRAY(double) shares;              // scratch of largest_share: coefficients of the rows of a block
  ImpiRowArray reported;                  // copy of the solved rows, while `ref` holds rows at another pose
  IMPI_ARRAY(ImpiRowTerm) reported_terms; // terms of `reported` on third and further bodies
  IMPI_ARRAY(double) effects;             // effects of rows, from ImpiReducedRow.place on, see solve_reduced_rows.c
  // By lane: an implicit force field acts on the body in this substep. Such a body's tree is integrated by Euler.
  IMPI_ARRAY(bool) forces_first;
  IMPI_ARRAY(double) tension;    // rotational stiffness of awake bodies by joint forces, by lane [N m]
  IMPI_ARRAY(ImpiMotion) before; // motions of awake bodies at the start of the current stage, by lane
  IMPI_ARRAY(ImpiMotion) start;  // motions of awake bodies at the start of a computation that may be repeated, by lane
  int effect_count;
} ImpiReduced;

// Number of bodies of a row.
static inline int impi_row_parts(const ImpiRow *row) { return 2 + row->more_count; }
// Return the link of the k-th body of a row (-1: none) and the body's part of J.
static inline int32_t impi_row_link(const ImpiSolve *solve, const ImpiRow *row, int k, const double **out_j) {
  const ImpiReduced *reduced = solve->scratch;
  *out_j = k < 2 ? row->j + 3 * k : row->more[k - 2].j;
  int32_t body = k == 0 ? row->body_a : k == 1 ? row->body_b : row->more[k - 2].body;
  return impi_link_of(solve, &reduced->linkage, body);
}
// Return the link that is attached by the joint of a row; null: the joint is not in the tree.
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
// Return the index of the ImpiTreeGroup of the k-th body of a row; -1: the body has none, or the same one as an earlier
// body of the row.
int32_t impi_row_group(const ImpiSolve *solve, const ImpiRow *row, int k);

// solve_reduced_plan.c: find the roles of the rows, their effects (velocity changes per unit impulse), and the trees
// that must be integrated by symplectic Euler (`euler`).
void impi_reduced_plan_rows(ImpiSolve *solve);
// Find blocks and effects for the locks alone, at poses for which the rows have just been recomputed.
void impi_reduced_plan_locks(ImpiSolve *solve);

// solve_reduced_rows.c: rows on trees.
#define IMPI_REDUCED_BLOCK 96 // largest number of rows that an ImpiTreeGroup solves together
// Reserve memory; with `handlers`, also for all drives that substep handlers may add. Return IMP_ERR_LIMIT if that is
// too much memory.
ImpStatus impi_reduced_reserve_rows(ImpiSolve *solve, bool handlers);
// Compute the velocity changes per unit impulse (effects) and the effective mass of a row, after orthogonalising the
// row against the first `before` rows of the block of its trees (-1: all). A row that is dependent on these rows
// becomes idle.
void impi_reduced_prepare_row(ImpiSolve *solve, int row, int before);
// Subtract x J of a row from the loads of the links: the row supplies this impulse, so the joints need not supply it.
void impi_reduced_unload(ImpiSolve *solve, const ImpiRow *row, double x);
// Solve all rows on the velocities in `motions`.
void impi_reduced_solve_rows(ImpiSolve *solve);
// Correct the errors of trees whose ImpiReducedGroup has `weak` set, by Newton's method. Uncorrected, the errors of
// dependent locks would grow until the rows seem independent. Poses change, velocities do not; t is the time of these
// poses.
void impi_reduced_correct_errors(ImpiSolve *solve, double t);

// solve_reduced_runge_kutta.c: compute the accelerations of bodies in trees that are integrated by Runge-Kutta, as
// twist + bias of the links.
void impi_reduced_predict_accelerations(ImpiSolve *solve);
// Integrate trees by Runge-Kutta over h (all trees that are not `euler`), and compute the impulses and the work of
// their rows. Bodies that impulses do not move advance too.
void impi_reduced_move_runge_kutta(ImpiSolve *solve);

// Compute the totals of the floating trees of a group, and store them in `sum` of the roots.
void impi_reduced_sum(ImpiSolve *solve, const ImpiTreeGroup *group);
// Add to each floating tree the velocity of a rigid motion that gives the tree the momenta in `sum`.
void impi_reduced_match_momentum(ImpiSolve *solve, const ImpiTreeGroup *group);

#endif
