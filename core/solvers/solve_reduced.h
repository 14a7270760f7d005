// What the parts of the solver `reduced` share; solve_reduced.c tells the whole.
#ifndef IMPI_SOLVE_REDUCED_H
#define IMPI_SOLVE_REDUCED_H

#include "solvers/linkage.h"
#include "solvers/reference.h"

typedef enum ImpiRowRole {
  IMPI_ROLE_IDLE,   // does nothing in this substep
  IMPI_ROLE_TREE,   // a lock that the coordinates keep by themselves; its impulse is found afterwards
  IMPI_ROLE_FORCE,  // a given force
  IMPI_ROLE_SPRING, // a force of pose and velocity
  IMPI_ROLE_DRIVE,  // becomes one of the next two
  IMPI_ROLE_BLOCK,  // an equality that is solved at once with the others of its unit
  IMPI_ROLE_SWEPT,  // solved by sweeps
} ImpiRowRole;

// Beside each row of the reference solvers.
typedef struct ImpiReducedRow {
  uint8_t role;
  bool dropped;  // it follows from the rows before it
  int32_t place; // of its effects
  double most;   // b for the sake of C, so that no body gets faster than IMPI_LOCK_SPEED by it
  double mass;   // m_C beside its own bodies alone, while the row has that on the tree
  double work;   // that it did in the substep [J]
} ImpiReducedRow;

// Beside each unit of the linkage.
typedef struct ImpiReducedUnit {
  bool rough;           // rows act on it; else its motion is smooth
  bool pressed;         // among them inequalities
  bool acts;            // rows act on it for certain: limits that are not reached act ahead
  bool quick;           // turns too fast for the bias
  bool factored;        // at the present pose
  bool weak;            // a lock of its block follows from others, or nearly
  bool closes;          // errors of its block are being corrected, see impi_reduced_close
  int32_t first, count; // its rows that are solved at once, in `block`
} ImpiReducedUnit;

// What a tree that hangs on nothing has in all, kept at its root.
typedef struct ImpiTreeSum {
  double mass, x, y;  // and its centre [m]
  ImpiTwist momentum; // about the centre; w: spin [N s, N m s]
  double inertia;     // about the centre [kg m^2]; 0: a part of it cannot turn
} ImpiTreeSum;

// Beside each link.
typedef struct ImpiReducedLink {
  ImpiTwist freely;                 // velocity before any impulse of the substep
  ImpiTwist bias;                   // when the substep began
  ImpiTwist force;                  // on the body, at one stage
  double q[3], rate[3];             // when the (part of the) substep began
  double slope_q[3], slope_rate[3]; // weighted sums over the stages
  double lock[3];                   // impulses of the joint's locks
  ImpiTwist wrench;                 // impulse on the joint's b
  double applied, damped;           // work [J]
  ImpiTreeSum sum;                  // of roots: what the tree should have
  ImpiTreeSum stage;                // the same: forces at one stage
} ImpiReducedLink;

typedef struct ImpiReduced {
  ImpiReference ref; // first: what the shared stages take for the whole
  ImpiLinkage linkage;
  IMPI_ARRAY(ImpiReducedRow) rows;     // by row
  IMPI_ARRAY(ImpiReducedUnit) units;   // by unit
  IMPI_ARRAY(ImpiReducedLink) links;   // by link
  IMPI_ARRAY(int32_t) block;           // rows, by ImpiReducedUnit.first
  IMPI_ARRAY(double) shares;           // coefficients of a block's rows in the combination that one row was reduced by
  ImpiRowArray shown;                  // copy of the solved rows, while `ref` holds rows at another pose
  IMPI_ARRAY(ImpiRowTerm) shown_terms; // their parts on further bodies
  IMPI_ARRAY(double) effects;          // by ImpiReducedRow.place, see solve_reduced_rows.c
  IMPI_ARRAY(bool) forces_first; // of bodies of which the substep's fields ask for it, by lane: their unit is rough
  IMPI_ARRAY(double) tension;    // stiffness against turning, of awake bodies, by lane [N m]
  IMPI_ARRAY(ImpiMotion) before; // of awake bodies when the stage at hand began, by lane
  IMPI_ARRAY(ImpiMotion) start;  // the same, when what may be done again began
  int effect_count;
} ImpiReduced;

// The k-th body of a row, as a link (-1: none), and its part of J; of impi_row_parts.
static inline int impi_row_parts(const ImpiRow *row) { return 2 + row->more_count; }
static inline int32_t impi_row_link(const ImpiSolve *solve, const ImpiRow *row, int k, const double **out_j) {
  const ImpiReduced *reduced = solve->scratch;
  *out_j = k < 2 ? row->j + 3 * k : row->more[k - 2].j;
  int32_t body = k == 0 ? row->body_a : k == 1 ? row->body_b : row->more[k - 2].body;
  return impi_link_of(solve, &reduced->linkage, body);
}
// The link that hangs on the joint of a row, null: the joint carries none.
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
// The unit of the k-th body, -1: none, or that of an earlier one too.
int32_t impi_row_unit(const ImpiSolve *solve, const ImpiRow *row, int k);

// solve_reduced_plan.c: roles and effects of the rows; which units are rough.
void impi_reduced_plan_rows(ImpiSolve *solve);
// Blocks and effects of locks alone, at poses for which the rows have just been recomputed.
void impi_reduced_plan_locks(ImpiSolve *solve);

// solve_reduced_rows.c: rows on trees.
#define IMPI_REDUCED_BLOCK 96 // see there
// `handlers`: for all drives that substep handlers may add; IMP_ERR_LIMIT where that is too much.
ImpStatus impi_reduced_reserve_rows(ImpiSolve *solve, bool handlers);
// Effects and mass of a row, made orthogonal to the first `before` rows of its unit's block, -1: all. One that follows
// from those becomes idle.
void impi_reduced_prepare_row(ImpiSolve *solve, int row, int before);
// Take x J of a row from the loads of the links: what the row brings their joints need not.
void impi_reduced_unload(ImpiSolve *solve, const ImpiRow *row, double x);
void impi_reduced_solve_rows(ImpiSolve *solve); // on the velocities of motions
// Newton's method on the errors of units where a lock follows from others, or nearly: these must not grow until rows
// seem independent. Poses change, velocities do not; t is the time of these poses.
void impi_reduced_close(ImpiSolve *solve, double t);

// solve_reduced_smooth.c: accelerations that bodies have where no row acts on their units, as twist + bias of the links.
void impi_reduced_foresee(ImpiSolve *solve);
// Move the units that are not rough by h, with all that stands beside them; bodies that no
// impulse moves are taken along.
void impi_reduced_move_smooth(ImpiSolve *solve);

// Sums of the trees of a unit that hang on nothing, to their roots' `sum`.
void impi_reduced_sum(ImpiSolve *solve, const ImpiUnit *unit);
// Turn and shift them as a whole so that they have the momenta `sum` says.
void impi_reduced_settle(ImpiSolve *solve, const ImpiUnit *unit);

#endif
