// Small dense quadratic programs by a dual active-set method.
//
//   minimise 1/2 x'H x + g'x   subject to  n_i'x >= b_i,  n_i'x = b_i
//
// The method begins at the minimum without bounds. It repeatedly adds the most violated bound to the active set and
// moves to the minimum on the active bounds. During the move it removes bounds whose multipliers would become negative.
// Each added bound increases the value, so no active set occurs twice.
//   H = L L',  J = L^-T Q,  L^-1 N = Q [R; 0]    N: normals of the q active bounds
//   d = J'n,   z = J_2 d_2,  r = R^-1 d_1        J_1: first q columns of J, J_2: other columns
// Along z the active bounds remain satisfied and n'x grows by |d_2|^2; the multipliers of the active bounds change by
// -r, the multiplier of n by 1.
//   source: Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex quadratic programs",
//   Mathematical Programming 27 (1983)
// Normals are unit vectors. A bound whose normal is a linear combination of active normals has d_2 = 0 except for
// rounding.
#include <string.h>

#include "base/heap.h"
#include "base/maths.h"

// Smallest ratio of a pivot of H to the diagonal number H_kk. By rounding, a pivot of 0 becomes about 1e-15 * H_kk.
#define PIVOT 1e-13
// A normal is in the span of the active normals if its component outside the span is at most this fraction of its
// length. Rounding errors are smaller.
#define DEPENDENT 1e-11
// Smallest violation of a bound that is corrected, for numbers of size 1. It is above rounding errors.
#define PASSED 1e-11
// If the normal of a bound is a combination of active normals, and the bound contradicts the active bounds by at most
// this, the bound is redundant.
#define CONTRADICTS 1e-9
// For a normal n = sum r_k n_k of active normals n_k, ROUNDING * sum |r_k| is added to CONTRADICTS.
#define ROUNDING 1e-14
// Number of refinement steps at the end of a solve, and before a contradiction is reported.
#define REFINEMENTS 2

typedef enum Side {
  SIDE_FREE,
  SIDE_LOWER, // active at its lower bound
  SIDE_UPPER,
  SIDE_EQUAL,
  SIDE_FOLLOWS // not active, because the normal is a combination of active normals
} Side;

// One side of a row (index from 0) or of a bound of x (index from m).
typedef struct Normal {
  int index;
  double sign; // 1 at the lower side, -1 at the upper
} Normal;

struct ImpQp {
  ImpiHeap heap;
  int n, m;
  ImpQpProblem problem;
  double *h;     // symmetric   (n, n)
  double *l;     // Cholesky factor L, row by row, the half below the diagonal   (n, n)
  double *j;     // matrix J, column after column   (n, n)
  double *r;     // matrix R, column after column, the half above the diagonal   (n, n)
  double *x, *g; // (n)
  double *d, *z, *dr;
  double *u;          // multipliers of the active unit normals   (n)
  double *scale;      // 1 / |row|, 0 for a row of zeros   (m + n)
  double *multiplier; // multipliers in the problem's own units   (m + n)
  double *y;          // scratch   (n)
  Normal *active;     // (n)
  int *side;          // (m + n)
  int count;          // number of active normals, q
  int equal;          // number of active equations; they are at the front of `active`
  int iterations;
  size_t bytes;
};


const char *imp_qp_state_name(int state) {
  static const char *const names[] = {
      [IMP_QP_SOLVED] = "solved",   [IMP_QP_INFEASIBLE] = "infeasible", [IMP_QP_NOT_CONVEX] = "not convex",
      [IMP_QP_STOPPED] = "stopped", [IMP_QP_OVERFLOW] = "overflow",
  };
  IMPI_COVERS(names, IMP_QP_STATE_COUNT);
  return state >= 0 && state < IMP_QP_STATE_COUNT ? names[state] : NULL;
}


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------

// Take `count` doubles from the front of the allocated memory `block`.
static double *take(double **block, size_t count) {
  double *taken = *block;
  *block += count;
  return taken;
}


ImpStatus imp_qp_create(const ImpAllocator *allocator, int n, int m, ImpQp **out_qp) {
  if (n < 1 || m < 0)
    return impi_fail(IMP_ERR_ARGUMENT, "a quadratic program must have at least 1 variable and at least 0 rows");
  if (n > IMP_QP_MAX_VARIABLES || m > IMP_QP_MAX_ROWS) {
    return impi_fail(IMP_ERR_LIMIT, "a quadratic program can have at most %d variables and %d rows",
                     IMP_QP_MAX_VARIABLES, IMP_QP_MAX_ROWS);
  }
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  if (allocator != NULL && allocator->reallocate != NULL) heap.allocator = *allocator;
  size_t size = (size_t)n, all = (size_t)(n + m), numbers = 4 * size * size + 7 * size + 2 * all;
  size_t bytes = sizeof(ImpQp) + numbers * sizeof(double) + size * sizeof(Normal) + all * sizeof(int);
  ImpQp *qp = impi_resize(&heap, NULL, 0, bytes);
  if (qp == NULL) return impi_fail(IMP_ERR_NOMEM, "out of memory for a quadratic program of %d variables", n);
  memset(qp, 0, bytes);
  *qp = (ImpQp){.heap = heap, .n = n, .m = m, .bytes = bytes};
  double *block = (double *)(qp + 1);
  qp->h = take(&block, size * size);
  qp->l = take(&block, size * size);
  qp->j = take(&block, size * size);
  qp->r = take(&block, size * size);
  qp->x = take(&block, size);
  qp->g = take(&block, size);
  qp->d = take(&block, size);
  qp->z = take(&block, size);
  qp->dr = take(&block, size);
  qp->u = take(&block, size);
  qp->y = take(&block, size);
  qp->scale = take(&block, all);
  qp->multiplier = take(&block, all);
  qp->active = (Normal *)block;
  qp->side = (int *)(qp->active + n);
  *out_qp = qp;
  return IMP_OK;
}


void imp_qp_destroy(ImpQp *qp) {
  if (qp == NULL) return;
  ImpiHeap heap = qp->heap;
  impi_resize(&heap, qp, qp->bytes, 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// The problem
// ---------------------------------------------------------------------------------------------------------------------

static double dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}


// to += factor * from
static void add_to(double *restrict to, const double *restrict from, double factor, int count) {
  for (int i = 0; i < count; ++i) to[i] += factor * from[i];
}


static ImpStatus check_numbers(const char *name, const double *numbers, int count, bool infinite) {
  for (int i = 0; numbers != NULL && i < count; ++i) {
    if (!(infinite ? numbers[i] == numbers[i] : impi_is_finite(numbers[i]))) {
      return impi_fail(IMP_ERR_ARGUMENT, "element %d of %s cannot be %g", i + 1, name, numbers[i]);
    }
  }
  return IMP_OK;
}


static ImpStatus check_problem(const ImpQp *qp, const ImpQpProblem *p) {
  if (p->h == NULL) return impi_fail(IMP_ERR_ARGUMENT, "a quadratic program needs the matrix H");
  if (qp->m > 0 && p->a == NULL)
    return impi_fail(IMP_ERR_ARGUMENT, "a quadratic program of %d rows needs the matrix A", qp->m);
  if (!impi_is_finite(p->regularise) || p->regularise < 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "regularise must be a finite number >= 0, got %g", p->regularise);
  }
  const struct {
    const char *name;
    const double *numbers;
    int count;
    bool infinite;
  } arrays[] = {{"H", p->h, qp->n * qp->n, false},   {"g", p->g, qp->n, false},
                {"A", p->a, qp->m * qp->n, false},   {"lower", p->lower, qp->m, true},
                {"upper", p->upper, qp->m, true},    {"x_lower", p->x_lower, qp->n, true},
                {"x_upper", p->x_upper, qp->n, true}};
  ImpStatus status = IMP_OK;
  for (int i = 0; i < IMPI_COUNT(arrays) && status == IMP_OK; ++i) {
    status = check_numbers(arrays[i].name, arrays[i].numbers, arrays[i].count, arrays[i].infinite);
  }
  return status;
}


// Return a bound of a row or of x in the problem's own units.
static double bound_of(const ImpQp *qp, int index, double sign) {
  const ImpQpProblem *p = &qp->problem;
  const double *of = index < qp->m ? (sign > 0 ? p->lower : p->upper) : (sign > 0 ? p->x_lower : p->x_upper);
  if (of == NULL) return sign > 0 ? -HUGE_VAL : HUGE_VAL;
  return of[index < qp->m ? index : index - qp->m];
}


// Return the value of a row, or of a component of x.
static double value_of(const ImpQp *qp, int index) {
  return index < qp->m ? dot(qp->problem.a + (size_t)index * (size_t)qp->n, qp->x, qp->n) : qp->x[index - qp->m];
}


// Return the distance from a bound to x along the unit normal, positive inside.
static double slack_of(const ImpQp *qp, Normal p) {
  return p.sign * (value_of(qp, p.index) - bound_of(qp, p.index, p.sign)) * qp->scale[p.index];
}


// Return the size of the numbers whose difference is the slack. The rounding error of the slack is proportional to this
// size.
static double size_of(const ImpQp *qp, Normal p, double largest) {
  return 1 + largest + fabs(bound_of(qp, p.index, p.sign)) * qp->scale[p.index];
}


static double largest_of(const double *numbers, int count) {
  double largest = 0;
  for (int i = 0; i < count; ++i) largest = impi_max(largest, fabs(numbers[i]));
  return largest;
}


// to += factor * the unit normal
static void add_normal(const ImpQp *qp, Normal p, double factor, double *to) {
  double scaled = factor * p.sign * qp->scale[p.index];
  if (p.index < qp->m) {
    add_to(to, qp->problem.a + (size_t)p.index * (size_t)qp->n, scaled, qp->n);
  } else {
    to[p.index - qp->m] += scaled;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// H, and the start
// ---------------------------------------------------------------------------------------------------------------------

// Compute L and J = L^-T. False where H is not positive definite.
static bool factorise(ImpQp *qp) {
  int n = qp->n;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) qp->h[i * n + k] = qp->problem.h[i * n + k] / 2 + qp->problem.h[k * n + i] / 2;
    qp->h[i * n + i] += qp->problem.regularise;
  }
  memset(qp->j, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; ++i) {
    double *row = qp->l + i * n;
    for (int k = 0; k < i; ++k) {
      row[k] = (qp->h[i * n + k] - dot(row, qp->l + k * n, k)) / qp->l[k * n + k];
    }
    double pivot = qp->h[i * n + i] - dot(row, row, i);
    if (!(pivot > PIVOT * qp->h[i * n + i])) return false;
    row[i] = sqrt(pivot);
    double *column = qp->j + i * n;
    column[i] = 1;
    for (int k = 0; k < i; ++k) add_to(column, qp->j + k * n, -row[k], k + 1);
    for (int k = 0; k <= i; ++k) column[k] /= row[i];
  }
  return true;
}


// Start at the minimum without bounds.
static void begin(ImpQp *qp) {
  int n = qp->n;
  for (int i = 0; i < n; ++i) {
    qp->g[i] = qp->problem.g != NULL ? qp->problem.g[i] : 0;
    qp->x[i] = 0;
  }
  for (int k = 0; k < n; ++k) {
    const double *column = qp->j + k * n;
    add_to(qp->x, column, -dot(column, qp->g, k + 1), k + 1);
  }
  for (int i = 0; i < qp->m + n; ++i) {
    double length = 1;
    if (i < qp->m) {
      const double *row = qp->problem.a + (size_t)i * (size_t)n;
      double largest = largest_of(row, n), sum = 0;
      for (int k = 0; k < n && largest > 0; ++k) sum += (row[k] / largest) * (row[k] / largest);
      length = largest * sqrt(sum);
    }
    qp->scale[i] = length > 0 ? 1 / length : 0;
    qp->side[i] = SIDE_FREE;
  }
  qp->count = qp->equal = qp->iterations = 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// The set of active bounds
// ---------------------------------------------------------------------------------------------------------------------

// Rotate (a, b) to (length, 0): c a + s b = length.
static double rotation(double a, double b, double *out_c, double *out_s) {
  double size = impi_max(fabs(a), fabs(b)), p = a / size, q = b / size, length = sqrt(p * p + q * q);
  *out_c = p / length;
  *out_s = q / length;
  return size * length;
}


static void rotate(double *restrict a, double *restrict b, double c, double s, int count) {
  for (int i = 0; i < count; ++i) {
    double p = a[i], q = b[i];
    a[i] = c * p + s * q;
    b[i] = c * q - s * p;
  }
}


// Compute d, z and r for a normal that is not active. Returns |d_2|^2, or 0 if the normal is a linear combination of
// active normals.
static double look_along(ImpQp *qp, Normal p) {
  int n = qp->n, q = qp->count;
  memset(qp->y, 0, (size_t)n * sizeof(double));
  memset(qp->z, 0, (size_t)n * sizeof(double));
  add_normal(qp, p, 1, qp->y);
  for (int k = 0; k < n; ++k) qp->d[k] = dot(qp->j + k * n, qp->y, n);
  for (int k = q; k < n; ++k) add_to(qp->z, qp->j + k * n, qp->d[k], n);
  for (int k = 0; k < q; ++k) qp->dr[k] = qp->d[k];
  for (int k = q - 1; k >= 0; --k) {
    qp->dr[k] /= qp->r[k * n + k];
    add_to(qp->dr, qp->r + k * n, -qp->dr[k], k);
  }
  double outside = dot(qp->d + q, qp->d + q, n - q);
  return outside > DEPENDENT * DEPENDENT * dot(qp->d, qp->d, n) ? outside : 0;
}


// Add the normal of the last look_along to the active set.
static void take_in(ImpQp *qp, Normal p, double multiplier, Side side) {
  int n = qp->n, q = qp->count;
  for (int k = n - 1; k > q; --k) {
    if (qp->d[k] == 0) continue;
    double c, s;
    qp->d[k - 1] = rotation(qp->d[k - 1], qp->d[k], &c, &s);
    rotate(qp->j + (k - 1) * n, qp->j + k * n, c, s, n);
  }
  memcpy(qp->r + q * n, qp->d, (size_t)(q + 1) * sizeof(double));
  qp->active[q] = p;
  qp->u[q] = multiplier;
  qp->side[p.index] = (int)side;
  ++qp->count;
  ++qp->iterations;
}


// Remove the active normal at an index.
static void let_go(ImpQp *qp, int place) {
  int n = qp->n;
  qp->side[qp->active[place].index] = SIDE_FREE;
  --qp->count;
  ++qp->iterations;
  for (int k = place; k < qp->count; ++k) {
    double *column = qp->r + k * n;
    memcpy(column, column + n, (size_t)(k + 2) * sizeof(double));
    qp->active[k] = qp->active[k + 1];
    qp->u[k] = qp->u[k + 1];
  }
  // rotate R: each later column has one number below the diagonal
  for (int k = place; k < qp->count; ++k) {
    double c, s;
    double *column = qp->r + k * n;
    column[k] = rotation(column[k], column[k + 1], &c, &s);
    for (int i = k + 1; i < qp->count; ++i) rotate(qp->r + i * n + k, qp->r + i * n + k + 1, c, s, 1);
    rotate(qp->j + k * n, qp->j + (k + 1) * n, c, s, n);
  }
}


// Move x by t along z and update the multipliers.
static void move(ImpQp *qp, double t, double outside) {
  if (outside > 0) add_to(qp->x, qp->z, t, qp->n);
  add_to(qp->u, qp->dr, -t, qp->count);
}


// y = -(H x + g - N u): the residual of the stationarity condition, negated.
static void unbalance(ImpQp *qp) {
  for (int i = 0; i < qp->n; ++i) qp->y[i] = -qp->g[i] - dot(qp->h + i * qp->n, qp->x, qp->n);
  for (int k = 0; k < qp->count; ++k) add_normal(qp, qp->active[k], qp->u[k], qp->y);
}


// Correct rounding errors of x and u by one Newton step. It uses the current R and J and treats active bounds as
// equations. e = -(H x + g - N u), as computed by unbalance.
//   R'y_1 = -slack,  y_2 = J_2'e,  du = R^-1 (y_1 - J_1'e),  dx = J y
static void refine(ImpQp *qp) {
  int n = qp->n, q = qp->count;
  unbalance(qp);
  for (int k = 0; k < n; ++k) qp->d[k] = dot(qp->j + k * n, qp->y, n);
  for (int k = 0; k < q; ++k) {
    const double *column = qp->r + k * n;
    qp->z[k] = (-slack_of(qp, qp->active[k]) - dot(column, qp->z, k)) / column[k];
    qp->dr[k] = qp->z[k] - qp->d[k];
  }
  for (int k = q - 1; k >= 0; --k) {
    qp->dr[k] /= qp->r[k * n + k];
    add_to(qp->dr, qp->r + k * n, -qp->dr[k], k);
  }
  for (int k = 0; k < n; ++k) add_to(qp->x, qp->j + k * n, k < q ? qp->z[k] : qp->d[k], n);
  for (int k = 0; k < q; ++k) {
    qp->u[k] += qp->dr[k];
    if (k >= qp->equal) qp->u[k] = impi_max(0, qp->u[k]);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The method
// ---------------------------------------------------------------------------------------------------------------------

// Return the largest violation of the bound p that may be a rounding error. The normal of p is a linear combination
// sum r_k n_k of the active normals n_k.
static double allowance(const ImpQp *qp, Normal p) {
  double sum = 0;
  for (int k = 0; k < qp->count; ++k) sum += fabs(qp->dr[k]);
  return (CONTRADICTS + ROUNDING * sum) * size_of(qp, p, largest_of(qp->x, qp->n));
}


// Return the slack of a bound that seems to contradict the active bounds, after refinement of x: rounding errors from
// the start of the solve may still be in x. Recomputes z and r.
static double refined_slack(ImpQp *qp, Normal p) {
  for (int i = 0; i < REFINEMENTS; ++i) refine(qp);
  look_along(qp, p);
  return slack_of(qp, p);
}


// Add the equations, one after another. False if an equation contradicts earlier equations.
static bool meet_equations(ImpQp *qp) {
  for (int i = 0; i < qp->m + qp->n; ++i) {
    Normal p = {i, 1};
    double lower = bound_of(qp, i, 1), upper = bound_of(qp, i, -1);
    if (lower > upper || lower == HUGE_VAL || upper == -HUGE_VAL) return false;
    if (qp->scale[i] == 0) { // a row of zeros
      qp->side[i] = SIDE_FOLLOWS;
      if (lower > CONTRADICTS || upper < -CONTRADICTS) return false;
    }
    if (lower != upper || qp->scale[i] == 0) continue;
    double outside = look_along(qp, p), slack = slack_of(qp, p);
    if (outside == 0) {
      if (fabs(slack) > allowance(qp, p)) slack = refined_slack(qp, p);
      if (fabs(slack) > allowance(qp, p)) return false;
      qp->side[i] = SIDE_FOLLOWS;
      continue;
    }
    move(qp, -slack / outside, outside);
    take_in(qp, p, -slack / outside, SIDE_EQUAL);
    qp->equal = qp->count;
  }
  return true;
}


// Return the most violated bound; index -1 if none is violated.
static Normal most_passed(const ImpQp *qp) {
  Normal worst = {-1, 1};
  double most = 0, largest = largest_of(qp->x, qp->n);
  for (int i = 0; i < qp->m + qp->n; ++i) {
    if (qp->side[i] != SIDE_FREE) continue;
    for (int side = 0; side < 2; ++side) {
      Normal p = {i, side == 0 ? 1 : -1};
      if (!impi_is_finite(bound_of(qp, i, p.sign))) continue;
      double passed = -slack_of(qp, p);
      if (passed > most && passed > PASSED * size_of(qp, p, largest)) {
        most = passed;
        worst = p;
      }
    }
  }
  return worst;
}


// Return the active bound whose multiplier becomes 0 first as x moves along z, or -1. The multipliers change by -r per
// unit of length. `out_t`: length at which the multiplier becomes 0.
static int first_zero(const ImpQp *qp, double *out_t) {
  int first = -1;
  double rounding = 1e-14 * (1 + largest_of(qp->dr, qp->count));
  *out_t = HUGE_VAL;
  for (int k = qp->equal; k < qp->count; ++k) {
    if (qp->dr[k] > rounding && qp->u[k] / qp->dr[k] < *out_t) {
      *out_t = impi_max(0, qp->u[k] / qp->dr[k]);
      first = k;
    }
  }
  return first;
}


// Move x until the bound p is satisfied, and make it active. IMP_QP_INFEASIBLE if this is impossible, IMP_QP_OVERFLOW
// if the step is too large for a double.
static ImpQpState meet(ImpQp *qp, Normal p) {
  double multiplier = 0;
  for (bool again = false;; again = true) {
    double outside = look_along(qp, p), slack = impi_min(0, slack_of(qp, p)), t_zero;
    if (outside == 0 && !again && -slack > allowance(qp, p)) slack = impi_min(0, refined_slack(qp, p));
    if (outside == 0 && !again && -slack <= allowance(qp, p)) {
      qp->side[p.index] = SIDE_FOLLOWS;
      return IMP_QP_SOLVED;
    }
    int zero = first_zero(qp, &t_zero);
    double t_met = outside > 0 ? -slack / outside : HUGE_VAL;
    if (zero < 0 && !(t_met < HUGE_VAL)) return outside > 0 ? IMP_QP_OVERFLOW : IMP_QP_INFEASIBLE;
    move(qp, impi_min(t_zero, t_met), outside);
    multiplier += impi_min(t_zero, t_met);
    if (t_met <= t_zero) {
      take_in(qp, p, multiplier, p.sign > 0 ? SIDE_LOWER : SIDE_UPPER);
      // rows that were combinations of the old active set may be independent now
      for (int i = 0; i < qp->m + qp->n; ++i) {
        bool open = qp->side[i] == SIDE_FOLLOWS && qp->scale[i] > 0 && bound_of(qp, i, 1) < bound_of(qp, i, -1);
        if (open) qp->side[i] = SIDE_FREE;
      }
      return IMP_QP_SOLVED;
    }
    let_go(qp, zero);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The end
// ---------------------------------------------------------------------------------------------------------------------

// Compute the residual, the value and the multipliers in the problem's own units. False if one of them or x is not
// finite.
static bool check_answer(ImpQp *qp, ImpQpResult *out) {
  int n = qp->n, m = qp->m;
  unbalance(qp);
  out->residual = largest_of(qp->y, n);
  for (int k = 0; k < qp->count; ++k) {
    Normal p = qp->active[k];
    qp->multiplier[p.index] = p.sign * qp->u[k] * qp->scale[p.index];
  }
  for (int i = 0; i < m + n; ++i) {
    double value = value_of(qp, i), lower = bound_of(qp, i, 1), upper = bound_of(qp, i, -1);
    double bound = qp->multiplier[i] > 0 ? lower : upper;
    out->residual = impi_max(out->residual, impi_max(lower - value, value - upper));
    if (qp->multiplier[i] != 0) out->residual = impi_max(out->residual, fabs(qp->multiplier[i] * (value - bound)));
  }
  for (int i = 0; i < n; ++i) out->value += (dot(qp->h + i * n, qp->x, n) / 2 + qp->g[i]) * qp->x[i];
  return impi_is_finite(out->value) && impi_is_finite(largest_of(qp->multiplier, m + n));
}


static void report(ImpQp *qp, ImpQpState state, ImpQpResult *out) {
  int n = qp->n, m = qp->m;
  *out = (ImpQpResult){.state = state, .iterations = qp->iterations, .x = qp->x, .residual = HUGE_VAL};
  memset(qp->multiplier, 0, (size_t)(m + n) * sizeof(double));
  out->rows = qp->multiplier;
  out->bounds = qp->multiplier + m;
  if (state == IMP_QP_NOT_CONVEX) memset(qp->x, 0, (size_t)n * sizeof(double));
  if (state != IMP_QP_SOLVED || check_answer(qp, out)) return;
  out->state = IMP_QP_OVERFLOW;
  out->residual = HUGE_VAL;
  out->value = 0;
}


ImpStatus imp_qp_solve(ImpQp *qp, const ImpQpProblem *problem, ImpQpResult *out_result) {
  ImpStatus status = check_problem(qp, problem);
  if (status != IMP_OK) return status;
  qp->problem = *problem;
  qp->count = qp->iterations = 0;
  ImpQpState state = IMP_QP_SOLVED;
  int most = problem->max_iterations > 0 ? problem->max_iterations : 100 + 10 * (qp->n + qp->m);
  if (!factorise(qp)) {
    state = IMP_QP_NOT_CONVEX;
  } else {
    begin(qp);
    if (!meet_equations(qp)) state = IMP_QP_INFEASIBLE;
    for (Normal p; state == IMP_QP_SOLVED && (p = most_passed(qp)).index >= 0;) {
      state = qp->iterations < most ? meet(qp, p) : IMP_QP_STOPPED;
    }
    for (int i = 0; i < REFINEMENTS && state == IMP_QP_SOLVED; ++i) refine(qp);
  }
  report(qp, state, out_result);
  qp->problem = (ImpQpProblem){0};
  return IMP_OK;
}
