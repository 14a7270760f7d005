// Level 5. The direct solver: all rows of a substep at once, through a factor of J M^-1 J^T.
//
//   v* = v + h M^-1 F
//   J M^-1 J^T lambda = -(J v* + b),  v' = v* + M^-1 J^T lambda           locks
//   bounds of limits, motors, contacts and friction as a complementarity problem around the same factor (exact.h)
//   x' = x + h v',  then C(x' + M^-1 J^T mu) = 0 by Newton's method with the same factor
// What sequential impulses come to after thousands of sweeps on a chain comes here in a time that is linear in its links,
// to rounding. It is no better in time than they are: the directions are those of the substep's start, a projection
// costs energy (each row removes m_C (J v)^2 / 2), and light links under tension need the geometric stiffness of
// stiffness.h, for which the ledger shows the price.
// source: Catto, "Modeling and Solving Constraints" (GDC 2009), global solution; Baraff, "Linear-time dynamics using
//         Lagrange multipliers" (1996)
#include "direct.h"


static void direct_solve(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  double clock = impi_clock();
  impi_reference_begin(solve);
  for (int substep = 0; substep < ref->substeps; ++substep) {
    impi_reference_listen(solve, substep);
    impi_reference_rows(solve);
    impi_reference_push_forces(solve);
    impi_reference_look_ahead(solve, ref->h);
    impi_stiffness_begin(solve, &direct->stiffness);
    impi_reference_forces(solve);
    impi_reference_warm_start(solve);
    impi_direct_solve_rows(solve, IMPI_FACTOR_DROP);
    impi_reference_store(solve);
    impi_stiffness_end(solve, &direct->stiffness);
    impi_reference_move(solve);
    impi_direct_project(solve, ref->t + ref->h);
  }
  impi_reference_end(solve);
  solve->stage_time[IMP_STAGE_SOLVE] += impi_clock() - clock;
}


const ImpiSolver impi_solver_direct = {
    .name = "direct",
    .default_substeps = 1,
    .default_iterations = 1,
    .default_position_iterations = 20,
    .reserve = impi_direct_reserve,
    .solve = direct_solve,
    .read = impi_reference_read,
    .push = impi_reference_push,
    .rows = impi_reference_recorded,
    .create = impi_direct_create,
    .destroy = impi_direct_destroy,
};
