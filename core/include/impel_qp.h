// impel: quadratic programs, small and dense. A chapter of impel.h, which includes it; do not include it alone.
//
//   minimise    1/2 x'H x + g'x
//   subject to  lower <= A x <= upper,  x_lower <= x <= x_upper
//
// This is what a controller solves in each step that wants the best torques within what motors and soles can bear. A
// solver is made once for n variables and m rows and takes no memory afterwards. The same numbers give the same bits on
// every machine: only + - * / and square roots are used.
#ifndef IMPEL_QP_H
#define IMPEL_QP_H

/// What a solution came to.
typedef enum ImpQpState {
  IMP_QP_SOLVED,     ///< x is the one minimum
  IMP_QP_INFEASIBLE, ///< no x keeps all bounds
  IMP_QP_NOT_CONVEX, ///< H is not positive definite: there is no minimum, or more than one
  IMP_QP_STOPPED,    ///< max_iterations came first
  IMP_QP_OVERFLOW,   ///< x, its value or a multiplier is too large for a number
  IMP_QP_STATE_COUNT
} ImpQpState;
/// The state's name in Lua ("solved", "infeasible", "not convex", "stopped", "overflow"), or null out of range.
IMP_API const char *imp_qp_state_name(int state);

/// A program. Null where nothing is: no linear part, no rows, no bounds. Bounds may be infinite; equal ones are an
/// equation. The arrays are only read, and only during the call.
typedef struct ImpQpProblem {
  const double *h;                 ///< row by row, its symmetric part counts   (n, n)
  const double *g;                 ///< (n)
  const double *a;                 ///< row by row   (m, n)
  const double *lower, *upper;     ///< of A x   (m)
  const double *x_lower, *x_upper; ///< of x   (n)
  double regularise;               ///< >= 0, added to H's diagonal, so that a semidefinite H is positive definite
  int max_iterations;              ///< changes of the set of bounds that are met; 0 stands for 100 + 10 (n + m)
} ImpQpProblem;

/// The outcome. The arrays are the solver's own, valid until it solves again; what they hold means something in the
/// state IMP_QP_SOLVED alone.
typedef struct ImpQpResult {
  ImpQpState state;
  int iterations;       ///< bounds taken into the set of those that are met, or out of it
  const double *x;      ///< (n)
  const double *rows;   ///< multipliers of the rows: > 0 at their lower bound, < 0 at their upper   (m)
  const double *bounds; ///< the same of x's bounds; H x + g = A' rows + bounds   (n)
  double value;         ///< 1/2 x'H x + g'x
  double residual;      ///< the worst of the conditions of optimality, in the problem's own units: of the equation
                        ///< above, of a bound that is passed, of a multiplier times its distance from its bound
} ImpQpResult;

/// The most variables, and the most rows.
#define IMP_QP_MAX_VARIABLES 1000
#define IMP_QP_MAX_ROWS 10000

typedef struct ImpQp ImpQp;

/// Make a solver for n >= 1 variables and m >= 0 rows. Null fields of the allocator, or a null allocator, mean the C
/// library's.
IMP_API ImpStatus imp_qp_create(const ImpAllocator *allocator, int n, int m, ImpQp **out_qp);
/// Free a solver. Null is a no-op.
IMP_API void imp_qp_destroy(ImpQp *qp);
/// Solve a program of the solver's size. IMP_ERR_ARGUMENT for a number that is not finite and for a nan among the
/// bounds. A lower bound above its upper one is no error: no x keeps both.
IMP_API ImpStatus imp_qp_solve(ImpQp *qp, const ImpQpProblem *problem, ImpQpResult *out_result);

#endif
