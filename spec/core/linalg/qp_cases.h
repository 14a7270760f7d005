// Random quadratic programs with bounds of every kind, and a check of the conditions of optimality.
#ifndef IMPI_SPEC_QP_CASES_H
#define IMPI_SPEC_QP_CASES_H

#include <stdint.h>

#include "impel.h"

#include "check.h"

enum { N = 24, M = 40 };

typedef struct Case {
  int n, m;
  double h[N * N], g[N], a[M * N], lower[M], upper[M], x_lower[N], x_upper[N];
} Case;

static uint64_t state = 88172645463325252u;


// xorshift64: uniform in [-1, 1)
static inline double uniform(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 4503599627370496.0 - 1;
}


static inline int whole(int below) { return (int)((uniform() + 1) / 2 * below); }


static inline ImpQpProblem problem_of(const Case *c) {
  return (ImpQpProblem){.h = c->h,
                        .g = c->g,
                        .a = c->a,
                        .lower = c->lower,
                        .upper = c->upper,
                        .x_lower = c->x_lower,
                        .x_upper = c->x_upper};
}


// Return a program with H = B B' + part I. B and g are random in [-1, 1).
static inline Case random_case(int n, int m, double part) {
  Case c = {.n = n, .m = m};
  double b[N * N];
  for (int i = 0; i < n * n; ++i) b[i] = uniform();
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      for (int l = 0; l < n; ++l) c.h[i * n + k] += b[i * n + l] * b[k * n + l];
    }
    c.h[i * n + i] += part;
    c.g[i] = uniform();
    c.x_lower[i] = -HUGE_VAL;
    c.x_upper[i] = HUGE_VAL;
  }
  for (int i = 0; i < m; ++i) {
    c.lower[i] = -HUGE_VAL;
    c.upper[i] = HUGE_VAL;
    for (int k = 0; k < n; ++k) c.a[i * n + k] = uniform();
  }
  return c;
}


static inline double row_value(const Case *c, int row, const double *x) {
  double sum = 0;
  for (int k = 0; k < c->n; ++k) sum += c->a[row * c->n + k] * x[k];
  return sum;
}


// Add bounds of every kind that hold at a random point. `degenerate`: some inequalities are active at this point.
static inline void add_bounds(Case *c, bool degenerate) {
  int n = c->n, equations = 0;
  double x[N];
  for (int i = 0; i < n; ++i) x[i] = uniform();
  for (int i = 0; i < c->m; ++i) {
    double *row = c->a + i * n;
    if (i >= 2 && whole(4) == 0) { // the new row is a combination of two earlier rows
      double p = uniform(), q = whole(2) * uniform();
      for (int k = 0; k < n; ++k) row[k] = p * c->a[whole(1) * n + k] + q * c->a[1 * n + k];
    }
    double value = row_value(c, i, x), room = degenerate && whole(2) == 0 ? 0 : 0.2 * (uniform() + 1);
    int sort = whole(6);
    if (sort < 2) {
      c->lower[i] = value - room;
    } else if (sort < 4) {
      c->upper[i] = value + room;
    } else if (sort == 4) {
      c->lower[i] = value - room;
      c->upper[i] = value + 0.2 * (uniform() + 1);
    } else if (equations < n - 1) {
      c->lower[i] = c->upper[i] = value;
      ++equations;
    }
  }
  for (int i = 0; i < n; ++i) {
    if (whole(2) == 0) c->x_lower[i] = x[i] - (degenerate && whole(2) == 0 ? 0 : 0.2 * (uniform() + 1));
    if (whole(2) == 0) c->x_upper[i] = x[i] + 0.2 * (uniform() + 1);
  }
}


// Return the largest violation of the conditions of optimality.
static inline double optimality(const Case *c, const ImpQpResult *r) {
  double worst = 0;
  for (int i = 0; i < c->n; ++i) {
    double e = c->g[i] - r->bounds[i];
    for (int k = 0; k < c->n; ++k) e += c->h[i * c->n + k] * r->x[k];
    for (int k = 0; k < c->m; ++k) e -= c->a[k * c->n + i] * r->rows[k];
    worst = fmax(worst, fabs(e));
  }
  for (int i = 0; i < c->m + c->n; ++i) {
    bool row = i < c->m;
    double value = row ? row_value(c, i, r->x) : r->x[i - c->m];
    double lower = row ? c->lower[i] : c->x_lower[i - c->m], upper = row ? c->upper[i] : c->x_upper[i - c->m];
    double multiplier = row ? r->rows[i] : r->bounds[i - c->m];
    worst = fmax(worst, fmax(lower - value, value - upper));
    if (multiplier > 0) worst = fmax(worst, multiplier * fabs(value - lower)); // infinite if there is no lower bound
    if (multiplier < 0) worst = fmax(worst, -multiplier * fabs(value - upper));
  }
  return worst;
}


static inline ImpQp *new_qp(int n, int m) {
  ImpQp *qp = NULL;
  CHECK(imp_qp_create(NULL, n, m, &qp) == IMP_OK);
  return qp;
}


static inline ImpQpResult solve(ImpQp *qp, const Case *c) {
  ImpQpProblem problem = problem_of(c);
  ImpQpResult result;
  CHECK(imp_qp_solve(qp, &problem, &result) == IMP_OK);
  return result;
}

#endif
