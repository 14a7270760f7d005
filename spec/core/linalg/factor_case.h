// Linkages with the matrix A = J M^-1 J^T. Each Link holds the rows of J for one constraint between up to 3 bodies.
#ifndef IMPI_FACTOR_CASE_H
#define IMPI_FACTOR_CASE_H

#include <stdlib.h>

#include "linalg/factor.h"
#include "scene.h"

typedef long double Real;

enum { MAX_ROWS = 5, MAX_SIDES = 3 };

typedef struct Side {
  int body;
  double j[MAX_ROWS][3]; // columns: vx, vy, w   (row, 3)
} Side;

typedef struct Link {
  int rows, sides;
  Side side[MAX_SIDES];
} Link;

typedef struct Linkage {
  int bodies, links, rows;
  double (*inverse)[3]; // 1 / mass, 1 / mass, 1 / inertia   (bodies)
  Link *link;
  int32_t *row_count, *first, *members; // arguments of impi_factor_plan
} Linkage;


static inline Linkage make_linkage(int bodies, int links) {
  Linkage c = {.bodies = bodies, .links = links};
  c.inverse = calloc((size_t)bodies + 1, sizeof *c.inverse);
  c.link = calloc((size_t)links + 1, sizeof *c.link);
  c.row_count = calloc((size_t)links + 1, sizeof *c.row_count);
  c.first = calloc((size_t)bodies + 1, sizeof *c.first);
  c.members = calloc((size_t)links * MAX_SIDES + 1, sizeof *c.members);
  for (int b = 0; b < bodies; ++b) {
    c.inverse[b][0] = c.inverse[b][1] = 1;
    c.inverse[b][2] = 12; // 1 / inertia of a rod of 1 m and 1 kg
  }
  return c;
}


static inline void free_linkage(Linkage *c) {
  free(c->inverse);
  free(c->link);
  free(c->row_count);
  free(c->first);
  free(c->members);
}


// Fill `first`, `members` and `row_count`: the links of each body, ascending.
static inline void list_links(Linkage *c) {
  int count = 0;
  c->rows = 0;
  for (int b = 0; b < c->bodies; ++b) {
    c->first[b] = count;
    for (int i = 0; i < c->links; ++i) {
      for (int s = 0; s < c->link[i].sides; ++s) {
        if (c->link[i].side[s].body == b) c->members[count++] = i;
      }
    }
  }
  c->first[c->bodies] = count;
  for (int i = 0; i < c->links; ++i) {
    c->row_count[i] = c->link[i].rows;
    c->rows += c->link[i].rows;
  }
}


// Add a body to a link. The link's rows lock the body's point at `arm` from its centre of mass and, with 3 rows, its
// angle. `sign`: -1 for the first body of a link, 1 for the second.
static inline void add_side(Link *link, int body, double sign, ImpVec2 arm) {
  if (body < 0) return; // the ground has no columns in J
  Side *side = &link->side[link->sides++];
  *side = (Side){.body = body, .j = {{sign, 0, -sign * arm.y}, {0, sign, sign * arm.x}, {0, 0, sign}}};
}


// Return a pin (2 rows) or weld (3 rows) of two bodies; body -1 is the ground.
static inline Link joint_of(int rows, int a, ImpVec2 arm_a, int b, ImpVec2 arm_b) {
  Link link = {.rows = rows};
  add_side(&link, a, -1, arm_a);
  add_side(&link, b, 1, arm_b);
  return link;
}


// ---------------------------------------------------------------------------------------------------------------------
// Linkages
// ---------------------------------------------------------------------------------------------------------------------


// A hanging chain; each rod is turned by `bend` relative to the rod above it. `closed`: both ends hang.
// `from_free_end`: links are numbered from the free end.
static inline Linkage chain_of(int rods, int rows, double bend, bool from_free_end, bool closed) {
  Linkage c = make_linkage(rods, rods + closed);
  ImpVec2 before = vec(0, 0);
  for (int i = 0; i < rods; ++i) {
    ImpVec2 half = vec(cos(bend * i) / 2, sin(bend * i) / 2);
    c.link[from_free_end ? rods - 1 - i : i] = joint_of(rows, i - 1, before, i, vec(-half.x, -half.y));
    before = half;
  }
  if (closed) c.link[rods] = joint_of(rows, rods - 1, before, -1, vec(0, 0));
  list_links(&c);
  return c;
}


// The first rod hangs from the ground, each other rod from a random earlier rod.
static inline Linkage random_tree(int rods, int rows) {
  Linkage c = make_linkage(rods, rods);
  for (int i = 0; i < rods; ++i) {
    int parent = i == 0 ? -1 : (int)random_in(0, i);
    double angle = random_in(0, 6);
    c.link[i] = joint_of(rows, parent, vec(random_in(-0.5, 0.5), 0), i, vec(cos(angle) / 2, sin(angle) / 2));
  }
  list_links(&c);
  return c;
}


// Each of n links connects one rod to a common hub.
static inline Linkage star_of(int links, int rows) {
  Linkage c = make_linkage(links + 1, links);
  for (int i = 0; i < links; ++i) {
    c.link[i] = joint_of(rows, 0, vec(cos(i), sin(i)), i + 1, vec(0.5, 0));
  }
  list_links(&c);
  return c;
}


// n by n plates, each linked to its neighbours, and the first plate to the ground.
static inline Linkage grid_of(int n, int rows) {
  Linkage c = make_linkage(n * n, 2 * n * (n - 1) + 1);
  int count = 0;
  c.link[count++] = joint_of(rows, -1, vec(0, 0), 0, vec(-0.5, 0));
  for (int b = 0; b < n * n; ++b) {
    if (b / n + 1 < n) c.link[count++] = joint_of(rows, b, vec(0.5, 0), b + n, vec(-0.5, 0));
    if (b % n + 1 < n) c.link[count++] = joint_of(rows, b, vec(0, 0.5), b + 1, vec(0, -0.5));
  }
  list_links(&c);
  return c;
}


// Links of 1 to 5 random rows on 1 to 3 different random bodies.
static inline Linkage random_linkage(int bodies, int links) {
  Linkage c = make_linkage(bodies, links);
  for (int b = 0; b < bodies; ++b) {
    for (int k = 0; k < 3; ++k) {
      c.inverse[b][k] = random_in(0.5, 2);
    }
  }
  for (int i = 0; i < links; ++i) {
    Link *link = &c.link[i];
    link->rows = (int)random_in(1, 6);
    link->sides = (int)random_in(1, bodies < MAX_SIDES ? bodies + 1 : MAX_SIDES + 1);
    int body = (int)random_in(0, bodies), stride = (int)random_in(1, fmax((bodies - 1) / 2 + 1, 2));
    for (int s = 0; s < link->sides; ++s) {
      Side *side = &link->side[s];
      side->body = (body + s * stride) % bodies;
      for (int k = 0; k < MAX_ROWS * 3; ++k) {
        side->j[k / 3][k % 3] = random_in(-1, 1);
      }
    }
  }
  list_links(&c);
  return c;
}


// A linkage with two copies of every link: all links, and all links again.
static inline Linkage doubled(const Linkage *c) {
  Linkage twice = make_linkage(c->bodies, 2 * c->links);
  memcpy(twice.inverse, c->inverse, (size_t)c->bodies * sizeof *c->inverse);
  for (int i = 0; i < 2 * c->links; ++i) {
    twice.link[i] = c->link[i % c->links];
  }
  list_links(&twice);
  return twice;
}


// ---------------------------------------------------------------------------------------------------------------------
// Matrices
// ---------------------------------------------------------------------------------------------------------------------


static inline ImpiFactor plan_of(ImpiHeap *heap, const Linkage *c) {
  ImpiFactor factor = {0};
  check_that(impi_factor_plan(heap, &factor, c->links, c->row_count, c->bodies, c->first, c->members) == IMP_OK,
             __FILE__, __LINE__, imp_last_error());
  return factor;
}


static inline double entry_of(const Linkage *c, const Side *a, int row_a, const Side *b, int row_b) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    sum += a->j[row_a][k] * c->inverse[a->body][k] * b->j[row_b][k];
  }
  return sum;
}


// Add the contribution of body b to the block of links i and j.
static inline void fill_pair(ImpiFactor *factor, const Linkage *c, int b, int i, int j) {
  ImpiFactorBlock block = impi_factor_block(factor, i, j);
  const Link *p = &c->link[i], *q = &c->link[j];
  for (int s = 0; s < p->sides; ++s) {
    for (int t = 0; t < q->sides; ++t) {
      for (int k = 0; k < p->rows && p->side[s].body == b && q->side[t].body == b; ++k) {
        for (int l = 0; l < q->rows; ++l) {
          block.value[k * block.step_i + l * block.step_j] += entry_of(c, &p->side[s], k, &q->side[t], l);
        }
      }
    }
  }
}


// Fill A as a caller does: for each body, add each pair of the body's links once.
static inline void fill(ImpiFactor *factor, const Linkage *c) {
  impi_factor_clear(factor);
  for (int b = 0; b < c->bodies; ++b) {
    for (int m = c->first[b]; m < c->first[b + 1]; ++m) {
      for (int n = c->first[b]; n <= m; ++n) {
        fill_pair(factor, c, b, c->members[m], c->members[n]);
      }
    }
  }
}

// Return A, dense, in natural order   (rows, rows)
static inline Real *dense_of(const Linkage *c) {
  Real *a = calloc((size_t)(c->rows * c->rows) + 1, sizeof *a);
  for (int i = 0, p = 0; i < c->links; p += c->link[i++].rows) {
    for (int j = 0, q = 0; j < c->links; q += c->link[j++].rows) {
      for (int s = 0; s < c->link[i].sides * c->link[j].sides; ++s) {
        const Side *one = &c->link[i].side[s % c->link[i].sides], *other = &c->link[j].side[s / c->link[i].sides];
        for (int k = 0; k < c->link[i].rows * c->link[j].rows && one->body == other->body; ++k) {
          int row = k % c->link[i].rows, column = k / c->link[i].rows;
          a[(p + row) * c->rows + q + column] += (Real)entry_of(c, one, row, other, column);
        }
      }
    }
  }
  return a;
}


// x := a^-1 x by elimination with row pivoting; overwrites a.
static inline void solve_dense(Real *a, Real *x, int n) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i) {
      if (fabsl(a[i * n + k]) > fabsl(a[best * n + k])) best = i;
    }
    for (int j = 0; j < n; ++j) {
      Real swap = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = swap;
    }
    Real swap = x[k];
    x[k] = x[best];
    x[best] = swap;
    for (int i = k + 1; i < n; ++i) {
      Real factor = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
      }
      x[i] -= factor * x[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) {
      x[i] -= a[i * n + j] * x[j];
    }
    x[i] /= a[i * n + i];
  }
}


#endif
