// Quadratic programs against brute force and the conditions of optimality.
#include <string.h>

#include "failing_memory.h"
#include "impel.h"

#include "check.h"

#include "qp_cases.h"


// ---------------------------------------------------------------------------------------------------------------------
// Linear equations and brute force
// ---------------------------------------------------------------------------------------------------------------------

enum { MOST = N + M };


// Solve k equations by Gaussian elimination with full pivoting; return false if they are singular.
static bool gauss(double *a, double *b, int k) {
  int column_of[MOST];
  for (int i = 0; i < k; ++i) column_of[i] = i;
  for (int p = 0; p < k; ++p) {
    int row = p, column = p;
    for (int i = p; i < k; ++i) {
      for (int j = p; j < k; ++j) {
        if (fabs(a[i * k + j]) > fabs(a[row * k + column])) row = i, column = j;
      }
    }
    if (fabs(a[row * k + column]) < 1e-9) return false;
    for (int j = 0; j < k; ++j) {
      double t = a[p * k + j];
      a[p * k + j] = a[row * k + j];
      a[row * k + j] = t;
    }
    double t = b[p];
    b[p] = b[row];
    b[row] = t;
    for (int i = 0; i < k; ++i) {
      t = a[i * k + p];
      a[i * k + p] = a[i * k + column];
      a[i * k + column] = t;
    }
    int c = column_of[p];
    column_of[p] = column_of[column];
    column_of[column] = c;
    for (int i = p + 1; i < k; ++i) {
      double factor = a[i * k + p] / a[p * k + p];
      for (int j = p; j < k; ++j) a[i * k + j] -= factor * a[p * k + j];
      b[i] -= factor * b[p];
    }
  }
  double x[MOST];
  for (int p = k - 1; p >= 0; --p) {
    double sum = b[p];
    for (int j = p + 1; j < k; ++j) sum -= a[p * k + j] * x[column_of[j]];
    x[column_of[p]] = sum / a[p * k + p];
  }
  memcpy(b, x, (size_t)k * sizeof *x);
  return true;
}


// Minimise with fixed rows: [H A'; A 0] [x; -u] = [-g; values].
static bool hold(const Case *c, const int *rows, const double *values, int count, double *x) {
  static double a[MOST * MOST], b[MOST];
  int n = c->n, k = n + count;
  memset(a, 0, sizeof a);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a[i * k + j] = c->h[i * n + j];
    b[i] = -c->g[i];
  }
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < n; ++j) a[(n + i) * k + j] = a[j * k + n + i] = c->a[rows[i] * n + j];
    b[n + i] = values[i];
  }
  if (!gauss(a, b, k)) return false;
  memcpy(x, b, (size_t)n * sizeof *x);
  return true;
}


static double objective(const Case *c, const double *x) {
  double sum = 0;
  for (int i = 0; i < c->n; ++i) {
    double hx = 0;
    for (int k = 0; k < c->n; ++k) hx += c->h[i * c->n + k] * x[k];
    sum += (hx / 2 + c->g[i]) * x[i];
  }
  return sum;
}


// Let each row be free, at its lower or at its upper bound. Return the least value among the choices that satisfy all
// bounds; infinite if there is none.
static double brute_force(const Case *c) {
  double best = HUGE_VAL;
  int choices = 1;
  for (int i = 0; i < c->m; ++i) choices *= 3;
  for (int choice = 0; choice < choices; ++choice) {
    int rows[M], count = 0;
    double values[M], x[N];
    bool legal = true;
    for (int i = 0, rest = choice; i < c->m; ++i, rest /= 3) {
      if (rest % 3 == 0) continue;
      values[count] = rest % 3 == 1 ? c->lower[i] : c->upper[i];
      legal = legal && isfinite(values[count]) && count < c->n;
      rows[count++] = i;
    }
    if (!legal || !hold(c, rows, values, count, x)) continue;
    for (int i = 0; i < c->m; ++i) {
      double value = row_value(c, i, x);
      legal = legal && value > c->lower[i] - 1e-9 && value < c->upper[i] + 1e-9; // rounding of gauss()
    }
    if (legal) best = fmin(best, objective(c, x));
  }
  return best;
}


static void small_programs_agree_with_brute_force(void) {
  int infeasible = 0;
  for (int t = 0; t < 600; ++t) {
    int n = 1 + whole(4), m = whole(6);
    Case c = random_case(n, m, 0.1);
    add_bounds(&c, t % 2 == 0);
    for (int i = 0; i < n; ++i) { // remove the bounds of x, which brute_force() does not support
      c.x_lower[i] = -HUGE_VAL;
      c.x_upper[i] = HUGE_VAL;
    }
    for (int i = 0; i < m && t % 5 == 0; ++i) { // arbitrary bounds, often contradictory
      c.lower[i] = uniform();
      c.upper[i] = c.lower[i] + 0.3 * (uniform() + 1);
    }
    ImpQp *qp = new_qp(n, m);
    ImpQpResult r = solve(qp, &c);
    double best = brute_force(&c);
    CHECK((r.state == IMP_QP_SOLVED) == (best < HUGE_VAL));
    // The bounds are checked to 1e-9 in brute_force().
    if (r.state == IMP_QP_SOLVED) CHECK_NEAR(r.value, best, 1e-8 * (1 + fabs(best)));
    infeasible += r.state == IMP_QP_INFEASIBLE;
    imp_qp_destroy(qp);
  }
  CHECK(infeasible > 20 && infeasible < 300);
}


static void equations_alone_are_the_linear_solution(void) {
  for (int t = 0; t < 300; ++t) {
    int n = 2 + whole(N - 2), m = whole(n);
    Case c = random_case(n, m, 0.1);
    int rows[M];
    for (int i = 0; i < m; ++i) {
      rows[i] = i;
      c.lower[i] = c.upper[i] = uniform();
    }
    double x[N];
    if (!hold(&c, rows, c.lower, m, x)) continue;
    ImpQp *qp = new_qp(n, m);
    ImpQpResult r = solve(qp, &c);
    CHECK(r.state == IMP_QP_SOLVED && r.iterations == m);
    double size = 1, off = 0;
    for (int i = 0; i < n; ++i) size = fmax(size, fabs(x[i])), off = fmax(off, fabs(x[i] - r.x[i]));
    CHECK(off < 1e-10 * size); // the accuracy that is required
    imp_qp_destroy(qp);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The conditions of optimality
// ---------------------------------------------------------------------------------------------------------------------

static void random_programs_are_solved_to_rounding(void) {
  int active = 0;
  for (int t = 0; t < 10000; ++t) {
    int n = 1 + whole(N), m = whole(M + 1);
    Case c = random_case(n, m, t % 3 == 0 ? 1e-3 : 0.1);
    add_bounds(&c, t % 2 == 0);
    ImpQp *qp = new_qp(n, m);
    ImpQpResult r = solve(qp, &c);
    CHECK(r.state == IMP_QP_SOLVED);
    double off = optimality(&c, &r);
    // Tolerance: rounding times the condition number of H, which is up to 1e5.
    CHECK(off < 1e-9);
    CHECK(fabs(off - r.residual) < 1e-12); // the residual that the solver reports is correct
    for (int i = 0; i < m; ++i) active += r.rows[i] != 0;
    imp_qp_destroy(qp);
  }
  CHECK(active > 20000);
}


// Magnitudes as in the control of torques: weights from 1e-6 to 1e4, rows in newtons and in metres.
static void programs_of_different_units_are_solved(void) {
  for (int t = 0; t < 1000; ++t) {
    int n = 2 + whole(N - 2), m = whole(M + 1);
    double units[N];
    Case c = random_case(n, m, 0.1), plain;
    add_bounds(&c, false);
    plain = c;
    for (int i = 0; i < n; ++i) units[i] = exp(5 * uniform());
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) c.h[i * n + k] *= units[i] * units[k];
      c.g[i] *= units[i];
      c.x_lower[i] /= units[i];
      c.x_upper[i] /= units[i];
    }
    for (int i = 0; i < m; ++i) {
      double unit = exp(5 * uniform());
      for (int k = 0; k < n; ++k) c.a[i * n + k] *= unit * units[k];
      c.lower[i] *= unit;
      c.upper[i] *= unit;
    }
    ImpQp *qp = new_qp(n, m);
    ImpQpResult r = solve(qp, &plain);
    double value = r.value;
    r = solve(qp, &c);
    CHECK(r.state == IMP_QP_SOLVED);
    CHECK_NEAR(r.value, value, 1e-8); // the same program in other units, so the difference is rounding
    imp_qp_destroy(qp);
  }
}


// Ten equations: three are independent, the others are sums of these three. Later an equation contradicts them.
static void redundant_equations_are_dropped(void) {
  for (int t = 0; t < 200; ++t) {
    Case c = random_case(8, 10, 0.1);
    double x[N];
    for (int i = 0; i < 8; ++i) x[i] = uniform();
    for (int i = 3; i < 10; ++i) {
      double p = uniform(), q = uniform(), s = 100 * uniform();
      for (int k = 0; k < 8; ++k) c.a[i * 8 + k] = p * c.a[k] + q * c.a[8 + k] + s * c.a[16 + k];
    }
    for (int i = 0; i < 10; ++i) c.lower[i] = c.upper[i] = row_value(&c, i, x);
    ImpQp *qp = new_qp(8, 10);
    ImpQpResult r = solve(qp, &c);
    CHECK(r.state == IMP_QP_SOLVED && r.iterations == 3);
    CHECK(optimality(&c, &r) < 1e-9);
    c.lower[9] = c.upper[9] += 1e-3;
    CHECK(solve(qp, &c).state == IMP_QP_INFEASIBLE);
    imp_qp_destroy(qp);
  }
}


// The three rows of a group are parallel up to noise. The solver returns a solution at every noise level.
static void nearly_parallel_rows_are_feasible(void) {
  for (int t = 0; t < 2400; ++t) {
    int n = 2 + whole(12), m = 3 * n;
    double noise = pow(10, -14 + t % 12), x[N];
    Case c = random_case(n, m, 0.1);
    for (int i = 0; i < n; ++i) x[i] = uniform();
    for (int i = 0; i < m; ++i) {
      int first = i - i % 3;
      for (int k = 0; k < n && i > first; ++k) {
        c.a[i * n + k] = (i % 3 == 1 ? 1 : -1) * c.a[first * n + k] + noise * uniform();
      }
      double value = row_value(&c, i, x);
      bool equation = i / 3 < n - 1 && whole(3) == 0;
      c.lower[i] = value - (equation || whole(2) == 0 ? 0 : 0.2);
      if (equation) c.upper[i] = value;
    }
    ImpQp *qp = new_qp(n, m);
    ImpQpResult r = solve(qp, &c);
    CHECK(r.state == IMP_QP_SOLVED);
    // With noise between 1e-13 and 1e-6 multipliers reach 1 / noise, so the residual may be larger.
    CHECK(r.residual < 1e-6 || (noise > 1e-13 && noise < 1e-6));
    imp_qp_destroy(qp);
  }
}


static void infeasible_programs_are_reported(void) {
  for (int t = 0; t < 300; ++t) {
    int n = 1 + whole(N), m = 3 + whole(M - 2);
    Case c = random_case(n, m, 0.1);
    add_bounds(&c, t % 2 == 0);
    int i = whole(m), k = (i + 1 + whole(m - 1)) % m; // rows i and k contradict each other
    for (int j = 0; j < n; ++j) c.a[i * n + j] = -2 * c.a[k * n + j];
    c.lower[k] = 0.5;
    c.upper[k] = HUGE_VAL;
    c.lower[i] = -0.99;
    c.upper[i] = HUGE_VAL;
    ImpQp *qp = new_qp(n, m);
    ImpQpResult r = solve(qp, &c);
    CHECK(r.state == IMP_QP_INFEASIBLE && r.residual == HUGE_VAL);
    imp_qp_destroy(qp);
  }
  Case c = random_case(2, 1, 1);
  ImpQp *qp = new_qp(2, 1);
  c.x_lower[0] = 1;
  c.x_upper[0] = 0.5;
  CHECK(solve(qp, &c).state == IMP_QP_INFEASIBLE);
  c = random_case(2, 1, 1);
  c.a[0] = c.a[1] = 0; // 0 x >= 1
  c.lower[0] = 1;
  CHECK(solve(qp, &c).state == IMP_QP_INFEASIBLE);
  c.lower[0] = -1;
  CHECK(solve(qp, &c).state == IMP_QP_SOLVED);
  c.lower[0] = HUGE_VAL;
  CHECK(solve(qp, &c).state == IMP_QP_INFEASIBLE);
  for (int i = 0; i < 4; ++i) { // lower and upper bound are the same infinity
    c = random_case(2, 1, 1);
    double *lower = i < 2 ? c.lower : c.x_lower, *upper = i < 2 ? c.upper : c.x_upper;
    *lower = *upper = i % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
    CHECK(solve(qp, &c).state == IMP_QP_INFEASIBLE);
  }
  imp_qp_destroy(qp);
}


// The minimum of (x - 3)^2 + (y - 2)^2 with x + y <= 3 and 0 <= x <= 1.5 is at (1.5, 1.5), with multipliers -1 and -2.
static void a_corner_is_found_by_hand(void) {
  const double h[] = {2, 0, 0, 2}, g[] = {-6, -4}, a[] = {1, 1}, upper[] = {3}, x_lower[] = {0, -HUGE_VAL},
               x_upper[] = {1.5, HUGE_VAL};
  ImpQp *qp = new_qp(2, 1);
  ImpQpProblem problem = {.h = h, .g = g, .a = a, .upper = upper, .x_lower = x_lower, .x_upper = x_upper};
  ImpQpResult r;
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_SOLVED);
  CHECK_NEAR(r.x[0], 1.5, 1e-15); // rounding
  CHECK_NEAR(r.x[1], 1.5, 1e-15);
  CHECK_NEAR(r.rows[0], -1, 1e-14);
  CHECK_NEAR(r.bounds[0], -2, 1e-14);
  CHECK(r.bounds[1] == 0 && r.iterations == 2);
  CHECK_NEAR(r.value, 4.5 - 15, 1e-14);
  problem.max_iterations = 1;
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_STOPPED);
  imp_qp_destroy(qp);
}


static void only_positive_definite_programs_are_solved(void) {
  const double flat[] = {1, 1, 1, 1}, saddle[] = {1, 0, 0, -1}, skew[] = {2, 5, -5, 2}, g[] = {-1, -1};
  ImpQp *qp = new_qp(2, 0);
  ImpQpResult r;
  ImpQpProblem problem = {.h = flat, .g = g};
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_NOT_CONVEX);
  problem.regularise = 1e-6;
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_SOLVED);
  CHECK_NEAR(r.x[0], 0.5, 1e-6); // the shortest x of all minima, up to the effect of `regularise`
  problem.h = saddle;
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_NOT_CONVEX);
  problem.h = skew; // x'H x = 2 x'x
  problem.regularise = 0;
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_SOLVED);
  CHECK_NEAR(r.x[1], 0.5, 1e-15); // rounding
  for (int t = 0; t < 100; ++t) { // H has rank 1, except for rounding errors of either sign
    double p = uniform(), q = uniform(), flatter[] = {p * p, p * q, p * q, q * q};
    problem.h = flatter;
    CHECK(imp_qp_solve(qp, &problem, &r) == IMP_OK && r.state == IMP_QP_NOT_CONVEX);
    CHECK(r.x[0] == 0 && r.x[1] == 0); // no value of the previous program is left
  }
  imp_qp_destroy(qp);
}


// ---------------------------------------------------------------------------------------------------------------------
// Misuse and memory
// ---------------------------------------------------------------------------------------------------------------------

static void wrong_programs_are_refused(void) {
  ImpQp *qp = NULL;
  CHECK(imp_qp_create(NULL, 0, 0, &qp) == IMP_ERR_ARGUMENT && imp_qp_create(NULL, 1, -1, &qp) == IMP_ERR_ARGUMENT);
  CHECK(imp_qp_create(NULL, IMP_QP_MAX_VARIABLES + 1, 0, &qp) == IMP_ERR_LIMIT && qp == NULL);
  CHECK(imp_qp_create(NULL, 1, IMP_QP_MAX_ROWS + 1, &qp) == IMP_ERR_LIMIT);
  qp = new_qp(3, 2);
  Case c = random_case(3, 2, 1);
  double *const numbers[] = {c.h, c.g, c.a, c.lower, c.upper, c.x_lower, c.x_upper};
  ImpQpProblem problem = problem_of(&c);
  ImpQpResult r = {.iterations = -7};
  for (int i = 0; i < 7; ++i) {
    double before = numbers[i][1];
    numbers[i][1] = (double)NAN;
    CHECK(imp_qp_solve(qp, &problem, &r) == IMP_ERR_ARGUMENT && r.iterations == -7);
    numbers[i][1] = HUGE_VAL;
    CHECK((imp_qp_solve(qp, &problem, &r) == IMP_ERR_ARGUMENT) == (i < 3));
    numbers[i][1] = before;
    r.iterations = -7;
  }
  numbers[2][4] = (double)NAN;
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_ERR_ARGUMENT);
  CHECK(strcmp(imp_last_error(), "element 5 of A cannot be nan") == 0);
  problem.a = NULL;
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_ERR_ARGUMENT);
  problem = (ImpQpProblem){.a = c.g};
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_ERR_ARGUMENT);
  problem = (ImpQpProblem){.h = c.h, .a = c.h, .regularise = -1};
  CHECK(imp_qp_solve(qp, &problem, &r) == IMP_ERR_ARGUMENT);
  imp_qp_destroy(qp);
  imp_qp_destroy(NULL);
  CHECK(strcmp(imp_qp_state_name(IMP_QP_INFEASIBLE), "infeasible") == 0 &&
        imp_qp_state_name(IMP_QP_STATE_COUNT) == NULL);
}


static void a_solver_allocates_once_and_keeps_no_state(void) {
  Memory memory = {.fail_at = 1};
  ImpAllocator allocator = {reallocate, &memory};
  ImpQp *qp = NULL;
  CHECK(imp_qp_create(&allocator, 10, 12, &qp) == IMP_ERR_NOMEM && qp == NULL);
  memory.fail_at = 0;
  CHECK(imp_qp_create(&allocator, 10, 12, &qp) == IMP_OK);
  long requests = memory.requests;
  Case c = random_case(10, 12, 0.1), other = random_case(10, 12, 0.1);
  add_bounds(&c, true);
  add_bounds(&other, false);
  double x[10];
  memcpy(x, solve(qp, &c).x, sizeof x);
  solve(qp, &other);
  CHECK(memcmp(x, solve(qp, &c).x, sizeof x) == 0);
  CHECK(memory.requests == requests);
  imp_qp_destroy(qp);
  CHECK(memory.bytes == 0);
}


int main(void) {
  RUN(small_programs_agree_with_brute_force);
  RUN(equations_alone_are_the_linear_solution);
  RUN(random_programs_are_solved_to_rounding);
  RUN(programs_of_different_units_are_solved);
  RUN(redundant_equations_are_dropped);
  RUN(nearly_parallel_rows_are_feasible);
  RUN(infeasible_programs_are_reported);
  RUN(a_corner_is_found_by_hand);
  RUN(only_positive_definite_programs_are_solved);
  RUN(wrong_programs_are_refused);
  RUN(a_solver_allocates_once_and_keeps_no_state);
  return check_report("qp");
}
