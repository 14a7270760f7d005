// impel: small dense quadratic programs. Included by impel.h.
//
//   minimise    1/2 x'H x + g'x
//   subject to  lower <= A x <= upper,  x_lower <= x <= x_upper
//
// Solving allocates no memory. The same input gives the same bits on every machine.
// source: Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex quadratic programs" (1983)
#ifndef IMPEL_QP_H
#define IMPEL_QP_H

typedef enum ImpQpState {
  IMP_QP_SOLVED,     ///< x is the unique minimum
  IMP_QP_INFEASIBLE, ///< no x satisfies all bounds
  IMP_QP_NOT_CONVEX, ///< H is not positive definite: there is no minimum, or more than one
  IMP_QP_STOPPED,    ///< max_iterations was reached
  IMP_QP_OVERFLOW,   ///< x, the value or a multiplier is too large for a double
  IMP_QP_STATE_COUNT
} ImpQpState;
/// Return a state's name: "solved", "infeasible", "not convex", "stopped", "overflow".
IMP_API const char *imp_qp_state_name(int state);

/// A program. A null `g` is 0; a null array of bounds means no bounds; `a` may be null if m is 0. Bounds may be
/// infinite; an equation has equal lower and upper bounds. The arrays are read during the call only.
typedef struct ImpQpProblem {
  const double *h;                 ///< matrix H, row by row; its symmetric part is used   (n, n)
  const double *g;                 ///< (n)
  const double *a;                 ///< matrix A, row by row   (m, n)
  const double *lower, *upper;     ///< bounds of A x   (m)
  const double *x_lower, *x_upper; ///< bounds of x   (n)
  /// >= 0, added to the diagonal of H: makes a semidefinite H positive definite
  double regularise;
  int max_iterations; ///< largest number of changes of the active set; 0: 100 + 10 (n + m)
} ImpQpProblem;

/// Solution of a program, meaningful only in the state IMP_QP_SOLVED. The arrays belong to the solver and are valid
/// until its next solve.
typedef struct ImpQpResult {
  ImpQpState state;
  int iterations;       ///< number of changes of the active set
  const double *x;      ///< (n)
  const double *rows;   ///< multipliers y of the rows: > 0 at the lower bound, < 0 at the upper   (m)
  const double *bounds; ///< multipliers z of the bounds of x; H x + g = A'y + z   (n)
  double value;         ///< 1/2 x'H x + g'x
  /// largest error of an optimality condition, in the units of the problem. Conditions: H x + g = A'y + z; x and A x
  /// are within their bounds; multiplier * distance from the bound = 0
  double residual;
} ImpQpResult;

/// Largest numbers of variables and of rows.
#define IMP_QP_MAX_VARIABLES 1000
#define IMP_QP_MAX_ROWS 10000

/// A solver, an opaque type.
typedef struct ImpQp ImpQp;

/// Make a solver for n >= 1 variables and m >= 0 rows. `allocator` may be null: the C library. Errors:
/// IMP_ERR_ARGUMENT; IMP_ERR_LIMIT above IMP_QP_MAX_...; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_qp_create(const ImpAllocator *allocator, int n, int m, ImpQp **out_qp);
/// Free a solver. Null is a no-op.
IMP_API void imp_qp_destroy(ImpQp *qp);
/// Solve a program of the solver's size. Errors: a missing array, a non-finite number, a NaN bound. A lower bound above
/// its upper bound gives the state IMP_QP_INFEASIBLE.
IMP_API ImpStatus imp_qp_solve(ImpQp *qp, const ImpQpProblem *problem, ImpQpResult *out_result);

#endif
