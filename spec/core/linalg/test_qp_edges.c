// Quadratic programs at the limits of double precision.
#include <string.h>

#include "impel.h"

#include "check.h"

#include "qp_cases.h"


// All bounds are active at one point, up to 1e10 away from the unconstrained minimum, so the program is feasible. Then
// the bounds x_0 <= at[0] and x_0 >= at[0] + 1 make the program infeasible.
static void programs_with_a_far_minimum_are_feasible(void) {
  const double one = 1, g = 20777481.271116044, a = 0.48905101506101478, b = -0.16445675715109309, x = b / a;
  ImpQp *qp = new_qp(1, 1);
  ImpQpResult r;
  ImpQpProblem problem = {.h = &one, .g = &g, .a = &a, .lower = &b, .upper = &b, .x_upper = &x};
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_SOLVED);
  CHECK_NEAR(r.x[0], x, 1e-15); // rounding
  imp_qp_destroy(qp);
  for (int t = 0; t < 9000; ++t) {
    int n = 1 + whole(3), m = 1 + whole(5);
    double far = pow(10, 2 + t % 9), at[N];
    Case c = random_case(n, m, 0.1);
    memset(c.h, 0, sizeof c.h);
    for (int i = 0; i < n; ++i) {
      c.h[i * n + i] = 1;
      c.g[i] *= far;
      at[i] = uniform();
      int sort = whole(3);
      if (sort == 0) c.x_lower[i] = at[i];
      if (sort == 1) c.x_upper[i] = at[i];
    }
    for (int i = 0; i < m; ++i) {
      double value = row_value(&c, i, at);
      int sort = whole(3);
      if (sort != 0) c.lower[i] = value;
      if (sort != 1) c.upper[i] = value;
    }
    qp = new_qp(n, m);
    r = solve(qp, &c);
    CHECK(r.state == IMP_QP_SOLVED);
    if (far <= 1e7) {
      c.x_upper[0] = at[0];
      c.x_lower[0] = -HUGE_VAL;
      for (int k = 0; k < n; ++k) c.a[k] = k == 0; // x_0 >= at + 1
      c.lower[0] = at[0] + 1;
      c.upper[0] = t % 2 == 0 ? at[0] + 1 : HUGE_VAL;
      CHECK(solve(qp, &c).state == IMP_QP_INFEASIBLE);
    }
    imp_qp_destroy(qp);
  }
}


// A point with more active bounds than nonzero multipliers.
static void active_bounds_with_zero_multipliers_are_harmless(void) {
  for (int t = 0; t < 4000; ++t) {
    int n = 2 + whole(10), m = n + whole(N);
    bool integers = t % 2 == 0; // integers, so that ties between bounds are exact
    double at[N];
    Case c = random_case(n, m, 0.1);
    if (integers) {
      for (int i = 0; i < n * n; ++i) c.h[i] = i % (n + 1) == 0;
      for (int i = 0; i < m * n; ++i) c.a[i] = whole(3) - 1;
    }
    for (int i = 0; i < n; ++i) at[i] = integers ? whole(5) - 2 : uniform();
    for (int i = 0; i < n; ++i) {
      c.g[i] = 0;
      for (int k = 0; k < n; ++k) c.g[i] -= c.h[i * n + k] * at[k];
    }
    for (int i = 0; i < m; ++i) {
      double u = whole(2) * (integers ? whole(4) : uniform() + 1);
      c.lower[i] = row_value(&c, i, at);
      for (int k = 0; k < n; ++k) c.g[k] += u * c.a[i * n + k];
    }
    ImpQp *qp = new_qp(n, m);
    ImpQpResult r = solve(qp, &c);
    CHECK(r.state == IMP_QP_SOLVED);
    CHECK(optimality(&c, &r) < 1e-8 && r.residual < 1e-8); // rounding, amplified by bounds that are nearly parallel
    imp_qp_destroy(qp);
  }
}


// At (1, 1, 0, 0) the fourth bound, 2 x2 - x1 >= 1, depends on the first three, until the fifth bound moves the point.
static void dependent_bounds_are_checked_again(void) {
  const double h[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, g[] = {1e-6 - 1, 500, -400, 0},
               a[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, -1, 0, -1, 2, 0, 0, 1e-6, 1, 1, 1e-9},
               lower[] = {1, 1, 0, 1 + 2e-9, 1 + 1e-6 + 5e-10};
  ImpQp *qp = new_qp(4, 5);
  ImpQpResult r;
  ImpQpProblem problem = {.h = h, .g = g, .a = a, .lower = lower};
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_SOLVED);
  CHECK(r.residual < 1e-8); // 1e-8: noise below which a bound counts as dependent
  imp_qp_destroy(qp);
}


static void rows_are_independent_of_their_unit(void) {
  for (int power = -290; power <= 290; power += 10) {
    const double h = 1, a = pow(10, power);
    ImpQp *qp = new_qp(1, 1);
    ImpQpResult r;
    ImpQpProblem problem = {.h = &h, .a = &a, .lower = &a};
    CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_SOLVED);
    CHECK_NEAR(r.x[0], 1, 1e-15); // rounding
    imp_qp_destroy(qp);
  }
}


static void overflow_is_reported(void) {
  const double tiny = 1e-300, huge = 1e300, large = 1e200, one = 1, minus = -1e300, most = 1e308;
  ImpQp *qp = new_qp(1, 1);
  ImpQpResult r;
  ImpQpProblem problem = {.h = &tiny, .g = &huge, .a = &one};
  // The unconstrained minimum -g / h is infinite. i = 0: no bound, 1: a lower bound, 2: an equation.
  for (int i = 0; i < 3; ++i) {
    problem.lower = i > 0 ? &one : NULL;
    problem.upper = i > 1 ? &one : NULL;
    CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_OVERFLOW);
    CHECK(r.residual == HUGE_VAL && r.value == 0);
  }
  problem = (ImpQpProblem){.h = &one, .g = &large, .a = &one}; // x is -1e200, the objective would be -5e399
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_OVERFLOW);
  problem = (ImpQpProblem){.h = &huge, .a = &tiny, .lower = &one}; // x would be 1e300, H x 1e600
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_OVERFLOW);
  problem = (ImpQpProblem){.h = &large, .a = &tiny, .lower = &tiny}; // x is 1, its multiplier 1e500
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_OVERFLOW);
  problem = (ImpQpProblem){.h = &most, .g = &minus, .a = &one}; // H + H' is infinite
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_SOLVED);
  CHECK_NEAR(r.x[0], 1e-8, 1e-23); // rounding
  CHECK(strcmp(imp_qp_state_name(IMP_QP_OVERFLOW), "overflow") == 0);
  imp_qp_destroy(qp);
}


int main(void) {
  RUN(programs_with_a_far_minimum_are_feasible);
  RUN(active_bounds_with_zero_multipliers_are_harmless);
  RUN(dependent_bounds_are_checked_again);
  RUN(rows_are_independent_of_their_unit);
  RUN(overflow_is_reported);
  return check_report("qp edges");
}
