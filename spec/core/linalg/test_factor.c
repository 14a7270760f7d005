// The sparse factor against dense elimination in long double.
#include "factor_case.h"

static ImpiHeap heap;


// ---------------------------------------------------------------------------------------------------------------------
// Right-hand sides
// ---------------------------------------------------------------------------------------------------------------------


// Return the largest component of A x - b, divided by the largest component of b.
static double residual(const Linkage *c, const double *x, const double *b) {
  Real *a = dense_of(c), worst = 0, largest = 0;
  for (int i = 0; i < c->rows; ++i) {
    Real sum = -(Real)b[i];
    for (int j = 0; j < c->rows; ++j) {
      sum += a[i * c->rows + j] * (Real)x[j];
    }
    worst = fmaxl(worst, fabsl(sum));
    largest = fmaxl(largest, fabsl((Real)b[i]));
  }
  free(a);
  return (double)(worst / largest);
}


// Compute b = J v of random v: A x = b has a solution.
static void consistent(const Linkage *c, double *b) {
  double(*v)[3] = calloc((size_t)c->bodies, sizeof *v);
  for (int k = 0; k < 3 * c->bodies; ++k) {
    v[k / 3][k % 3] = random_in(-1, 1);
  }
  for (int i = 0, row = 0; i < c->links; ++i) {
    for (int r = 0; r < c->link[i].rows; ++r, ++row) {
      b[row] = 0;
      for (int k = 0; k < 3 * c->link[i].sides; ++k) {
        b[row] += c->link[i].side[k / 3].j[r][k % 3] * v[c->link[i].side[k / 3].body][k % 3];
      }
    }
  }
  free(v);
}


// ---------------------------------------------------------------------------------------------------------------------
// Solutions
// ---------------------------------------------------------------------------------------------------------------------


// Add 0.1 to the diagonal, so that linearly dependent rows become independent.
static void soften(ImpiFactor *factor, Real *a, const Linkage *c) {
  for (int i = 0, row = 0; i < c->links; ++i) {
    for (int r = 0; r < c->link[i].rows; ++r, ++row) {
      impi_factor_add(factor, i, r, i, r, 0.1);
      a[row * c->rows + row] += 0.1L;
    }
  }
}


// Return the relative error of x. Rows marked `fixed` are removed.
static double compare_with_dense(ImpiFactor *factor, const Linkage *c, const Real *a, const bool *fixed) {
  int n = c->rows;
  double *x = calloc((size_t)n, sizeof *x);
  Real *y = calloc((size_t)n, sizeof *y), *copy = calloc((size_t)(n * n), sizeof *copy), worst = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = (Real)(x[i] = random_in(-1, 1));
    for (int j = 0; j < n; ++j) {
      copy[i * n + j] = fixed[i] || fixed[j] ? (Real)(i == j) : a[i * n + j];
    }
  }
  solve_dense(copy, y, n);
  CHECK(impi_factor_run(factor, fixed) == 0);
  impi_factor_solve(factor, x);
  for (int i = 0; i < n; ++i) {
    worst = fmaxl(worst, fabsl((Real)x[i] - y[i]));
    largest = fmaxl(largest, fabsl(y[i]));
    CHECK(!fixed[i] || (Real)x[i] == y[i]); // x of a fixed row is unchanged
  }
  free(x);
  free(y);
  free(copy);
  return (double)(worst / largest);
}


static void solutions_equal_those_of_dense_elimination(void) {
  double worst = 0;
  for (int t = 0; t < 200; ++t) {
    int bodies = (int)random_in(1, 30), links = (int)random_in(1, 25);
    Linkage c = random_linkage(bodies, links);
    ImpiFactor factor = plan_of(&heap, &c);
    fill(&factor, &c);
    Real *a = dense_of(&c);
    soften(&factor, a, &c);
    bool *fixed = calloc((size_t)c.rows, sizeof *fixed);
    for (int again = 0; again < 4; ++again) { // same A, a new random set of fixed rows
      worst = fmax(worst, compare_with_dense(&factor, &c, a, fixed));
      for (int i = 0; i < c.rows; ++i) {
        fixed[i] = random_in(0, 3) < again;
      }
    }
    free(fixed);
    free(a);
    impi_factor_free(&heap, &factor);
    free_linkage(&c);
  }
  CHECK(worst < 1e-12); // rounding times the condition number, which is a few hundred
  measured("worst relative error against dense elimination, expected 1e-12", worst);
}


// Blocks and single entries give the dense matrix.
static void entries_are_added_in_blocks_or_one_by_one(void) {
  Linkage c = random_linkage(12, 10);
  ImpiFactor blocks = plan_of(&heap, &c), single = plan_of(&heap, &c);
  Real *a = dense_of(&c);
  fill(&blocks, &c);
  for (int pass = 0; pass < 2; ++pass) {
    for (int m = 0; m < c.rows * c.rows; ++m) {
      // p and q: row and column in A. The loops turn them into row and column in the block of links i and j.
      int p = m / c.rows, q = m % c.rows, i = 0, j = 0;
      while (p >= c.link[i].rows) p -= c.link[i++].rows;
      while (q >= c.link[j].rows) q -= c.link[j++].rows;
      // Add each pair of rows once. Links without a common body have no block in A.
      if (a[m] == 0 || m / c.rows < m % c.rows) continue;
      if (pass == 0) {
        m % 2 ? impi_factor_add(&single, i, p, j, q, (double)a[m]) : impi_factor_add(&single, j, q, i, p, (double)a[m]);
      } else {
        ImpiFactorBlock one = impi_factor_block(&blocks, i, j), other = impi_factor_block(&single, j, i);
        int at = i == j ? p * other.step_i + q * other.step_j : q * other.step_i + p * other.step_j;
        CHECK_NEAR(one.value[p * one.step_i + q * one.step_j], (double)a[m], 2e-14); // rounding of a few additions
        CHECK(other.value[at] == (double)a[m]);
      }
    }
  }
  free(a);
  impi_factor_free(&heap, &blocks);
  impi_factor_free(&heap, &single);
  free_linkage(&c);
}


// ---------------------------------------------------------------------------------------------------------------------
// Rank
// ---------------------------------------------------------------------------------------------------------------------


// Factor A. Check the number of dropped rows and the solution.
static double check_rank(const Linkage *c, int redundant) {
  ImpiFactor factor = plan_of(&heap, c);
  fill(&factor, c);
  int dropped = impi_factor_run(&factor, NULL);
  CHECK_NEAR(dropped, redundant, 0);
  double *b = calloc((size_t)c->rows, sizeof *b), *x = calloc((size_t)c->rows, sizeof *x);
  consistent(c, b);
  memcpy(x, b, (size_t)c->rows * sizeof *x);
  impi_factor_solve(&factor, x);
  for (int i = 0; i < c->links; ++i) {
    for (int r = 0; r < c->link[i].rows; ++r) {
      if (impi_factor_dropped(&factor, i, r)) CHECK(--dropped >= 0 && x[impi_factor_row(&factor, i) + r] == 0);
    }
  }
  CHECK(dropped == 0);
  double error = residual(c, x, b);
  free(b);
  free(x);
  impi_factor_free(&heap, &factor);
  return error;
}


static void rows_beyond_the_degrees_of_freedom_are_dropped(void) {
  double worst = 0;
  for (int t = 0; t < 50; ++t) {
    int bodies = (int)random_in(1, 8);
    Linkage c = random_linkage(bodies, 6 * bodies + 4);
    for (int b = 0; b < bodies; ++b) { // the three rows of each link lock a single body
      c.link[b].rows = 3;
      c.link[b].sides = 1;
      c.link[b].side[0].body = b;
    }
    list_links(&c);
    worst = fmax(worst, check_rank(&c, c.rows - 3 * bodies));
    free_linkage(&c);
  }
  CHECK(worst < 1e-9);
  measured("rows beyond the degrees of freedom: worst residual", worst);
}


static void a_duplicate_of_every_link_is_dropped(void) {
  double worst = 0;
  for (int rows = 2; rows <= 3; ++rows) {
    Linkage chain = chain_of(1000 / rows, rows, 0.02, false, false), tree = random_tree(300, rows);
    Linkage chains = doubled(&chain), trees = doubled(&tree);
    worst = fmax(worst, check_rank(&chains, chain.rows));
    worst = fmax(worst, check_rank(&trees, tree.rows));
    free_linkage(&chain);
    free_linkage(&tree);
    free_linkage(&chains);
    free_linkage(&trees);
  }
  CHECK(worst < 1e-11);
  measured("every link twice: worst residual", worst);
}


static void a_welded_loop_has_three_rows_too_many(void) {
  double worst = 0;
  for (int n = 3; n <= 100; n += n < 10 ? 1 : 10) {
    Linkage c = chain_of(n, 3, 2 * 3.14159265358979323846 / n, false, true);
    worst = fmax(worst, check_rank(&c, 3));
    free_linkage(&c);
  }
  for (int n = 2; n <= 12; n += 5) {
    Linkage c = grid_of(n, 3);
    worst = fmax(worst, check_rank(&c, 3 * (n - 1) * (n - 1)));
    free_linkage(&c);
  }
  CHECK(worst < 1e-9);
  measured("welded loops: worst residual", worst);
}


// n welded rods hang from the ground; elimination starts at the free end. The last row locks the angle of the top rod.
// The diagonal element of this row in A is 12, the inverse moment of inertia of one rod. Its pivot is 3 / n^3, the
// inverse moment of inertia of all rods about the ground.
static void a_small_pivot_of_a_true_row_is_kept(void) {
  for (int n = 10; n <= 1000; n *= 10) {
    Linkage c = chain_of(n, 3, 0, true, false);
    ImpiFactor factor = plan_of(&heap, &c);
    fill(&factor, &c);
    CHECK(impi_factor_run(&factor, NULL) == 0);
    double pivot = 1 / factor.inverse.data[impi_factor_row(&factor, n - 1) + 2];
    double expected = 3 / pow(n, 3), error = fabs(pivot / expected - 1);
    CHECK(error < 1e-6); // rounding of the lever arms of up to 1000 rods
    measured("smallest pivot of an independent row / its diagonal element of A", pivot / 12);
    measured("relative error of this pivot", error);
    impi_factor_free(&heap, &factor);
    free_linkage(&c);
  }
}


static void a_row_without_effect_is_dropped(void) {
  Linkage c = chain_of(3, 2, 0.5, false, false);
  memset(c.link[1].side, 0, sizeof c.link[1].side);
  c.link[1].side[1].body = 1;
  ImpiFactor factor = plan_of(&heap, &c);
  fill(&factor, &c);
  CHECK(impi_factor_run(&factor, NULL) == 2);
  CHECK(impi_factor_dropped(&factor, 1, 0) && impi_factor_dropped(&factor, 1, 1) &&
        !impi_factor_dropped(&factor, 0, 0));
  bool fixed[6] = {false, false, true}; // a fixed row is not counted as dropped
  CHECK(impi_factor_run(&factor, fixed) == 1 && !impi_factor_dropped(&factor, 1, 0));
  impi_factor_free(&heap, &factor);
  free_linkage(&c);
}


// ---------------------------------------------------------------------------------------------------------------------
// Order and pattern
// ---------------------------------------------------------------------------------------------------------------------


// Return which links are coupled, that is, have rows on a common body   (links, links)
static bool *coupled_of(const Linkage *c) {
  bool *coupled = calloc((size_t)(c->links * c->links), sizeof *coupled);
  for (int b = 0; b < c->bodies; ++b) {
    for (int m = c->first[b]; m < c->first[b + 1]; ++m) {
      for (int n = c->first[b]; n < c->first[b + 1]; ++n) {
        int i = c->members[m], j = c->members[n];
        coupled[i * c->links + j] = i != j && c->link[i].rows > 0 && c->link[j].rows > 0;
      }
    }
  }
  return coupled;
}


// Eliminate a link: all links coupled to it become coupled to each other. Return their number of rows. `only_count`:
// change nothing.
static int couple(bool *coupled, const Linkage *c, int link, bool only_count) {
  int rows = 0, n = c->links;
  for (int i = 0; i < n; ++i) {
    if (!coupled[link * n + i]) continue;
    rows += c->link[i].rows;
    for (int j = 0; j < n && !only_count; ++j) {
      coupled[i * n + j] |= j != i && coupled[link * n + j];
    }
    if (!only_count) coupled[i * n + link] = false;
  }
  return rows;
}


// Return the number of elements of L if the links are eliminated in natural order.
static int natural_numbers(const Linkage *c) {
  bool *coupled = coupled_of(c);
  int numbers = 0;
  for (int i = 0; i < c->links; ++i) {
    numbers += c->link[i].rows * (c->link[i].rows + couple(coupled, c, i, false));
  }
  free(coupled);
  return numbers;
}


// Eliminate by brute force, and check the blocks of each panel (block column of L). `least`: check also that each
// eliminated link has the fewest coupled rows.
static void check_pattern(const Linkage *c, bool least) {
  ImpiFactor factor = plan_of(&heap, c);
  bool *coupled = coupled_of(c), *done = calloc((size_t)c->links, sizeof *done);
  int numbers = 0;
  CHECK(factor.panels.count == c->links);
  for (int k = 0; k < c->links; ++k) {
    const ImpiFactorPanel *panel = &factor.panels.data[k];
    int degree = couple(coupled, c, panel->block, true), e = panel->first_entry, row = 0;
    CHECK(!done[panel->block] && factor.panel_of.data[panel->block] == k && panel->width == c->link[panel->block].rows);
    done[panel->block] = true;
    for (int i = 0; i < c->links && least; ++i) {
      int other = done[i] ? degree + 1 : couple(coupled, c, i, true);
      CHECK(i < panel->block ? other > degree : other >= degree);
    }
    for (int l = k; l < c->links; ++l) {
      if (l > k && !coupled[panel->block * c->links + factor.panels.data[l].block]) continue;
      CHECK(e < panel->end_entry && factor.entries.data[e].panel == l && factor.entries.data[e].row == row);
      row += factor.panels.data[l].width;
      ++e;
    }
    CHECK(e == panel->end_entry && panel->height == row && panel->number == numbers);
    numbers += panel->width * row;
    couple(coupled, c, panel->block, false);
  }
  CHECK(factor.a.count == numbers && factor.l.count == numbers);
  free(coupled);
  free(done);
  impi_factor_free(&heap, &factor);
}


static void patterns_equal_those_of_elimination(void) {
  for (int t = 0; t < 100; ++t) {
    int bodies = (int)random_in(1, 40), links = (int)random_in(1, 40);
    Linkage c = random_linkage(bodies, links);
    for (int i = 0; i < c.links; ++i) {
      if (random_in(0, 10) < 1) c.link[i].rows = 0;
      if (random_in(0, 10) < 1) { // a link occurs twice in the list of a body
        c.link[i].sides = 2;
        c.link[i].side[1] = c.link[i].side[0];
      }
    }
    list_links(&c);
    check_pattern(&c, false);
    free_linkage(&c);
  }
}


static void trees_are_eliminated_by_minimum_degree(void) {
  for (int t = 0; t < 10; ++t) {
    Linkage c = random_tree(100, 2);
    for (int i = 0; i < c.links; ++i) {
      Link *link = &c.link[i];
      link->rows = (int)random_in(1, 4);
      if (random_in(0, 3) < 1) link->side[link->sides++] = link->side[0]; // a repeated body counts once
    }
    list_links(&c);
    check_pattern(&c, true);
    free_linkage(&c);
  }
}


static void a_grid_fills_far_less_than_in_natural_order(void) {
  Linkage c = grid_of(24, 2);
  ImpiFactor factor = plan_of(&heap, &c);
  double part = (double)factor.l.count / natural_numbers(&c);
  CHECK(part < 0.5); // a typical ratio, not guaranteed: minimum degree is a heuristic
  measured("elements of L for a 24 x 24 grid: minimum degree / natural order", part);
  impi_factor_free(&heap, &factor);
  free_linkage(&c);
}


static void uncoupled_links_are_solved_separately(void) {
  const int32_t first[1] = {0}, rows[3] = {2, 0, 1};
  ImpiFactor factor = {0};
  double x[3] = {3, 5, 7};
  impi_factor_solve(&factor, x); // solving with an empty factor does nothing
  MUST(impi_factor_plan(&heap, &factor, 0, NULL, 0, first, NULL));
  CHECK(impi_factor_run(&factor, NULL) == 0);
  impi_factor_solve(&factor, x);
  CHECK(x[0] == 3 && x[1] == 5 && x[2] == 7 && factor.rows == 0);
  MUST(impi_factor_plan(&heap, &factor, 3, rows, 0, first, NULL));
  CHECK(factor.rows == 3 && impi_factor_row(&factor, 1) == 2 && impi_factor_row(&factor, 2) == 2);
  impi_factor_add(&factor, 0, 0, 0, 0, 4);
  impi_factor_add(&factor, 0, 0, 0, 1, 2);
  impi_factor_add(&factor, 0, 1, 0, 1, 2);
  impi_factor_add(&factor, 2, 0, 2, 0, 8);
  CHECK(impi_factor_run(&factor, NULL) == 0);
  impi_factor_solve(&factor, x);
  CHECK(x[0] == -1 && x[1] == 3.5 && x[2] == 0.875); // exact: 4 x + 2 y = 3, 2 x + 2 y = 5, 8 z = 7
  impi_factor_free(&heap, &factor);
}


// ---------------------------------------------------------------------------------------------------------------------
// Cost
// ---------------------------------------------------------------------------------------------------------------------


// Number of operations of one factorization and one solution; number of elements of L.
typedef struct Cost {
  double operations, numbers;
} Cost;


static Cost cost_of(Linkage c) {
  ImpiFactor factor = plan_of(&heap, &c);
  fill(&factor, &c);
  CHECK(impi_factor_run(&factor, NULL) == 0);
  double *x = calloc((size_t)c.rows, sizeof *x), *b = calloc((size_t)c.rows, sizeof *b);
  consistent(&c, b);
  memcpy(x, b, (size_t)c.rows * sizeof *x);
  impi_factor_solve(&factor, x);
  double error = residual(&c, x, b);
  CHECK(error < 1e-10); // the accuracy that is required
  measured("residual", error);
  Cost cost = {(double)factor.flops, factor.l.count};
  free(x);
  free(b);
  impi_factor_free(&heap, &factor);
  free_linkage(&c);
  return cost;
}


static void check_linear(Cost half, Cost whole, const char *what) {
  CHECK(whole.operations / half.operations < 2.3);
  CHECK(whole.numbers / half.numbers < 2.3);
  measured(what, whole.operations / half.operations);
}


static void chains_and_trees_cost_linear_work(void) {
  Cost half = cost_of(chain_of(1000, 2, 0.01, false, false)), whole = cost_of(chain_of(2000, 2, 0.01, false, false));
  check_linear(half, whole, "ops(2000) / ops(1000) of a chain, expected < 2.3");
  CHECK(half.numbers == 1000 * 4 + 999 * 4 && whole.numbers == 2000 * 4 + 1999 * 4); // no fill-in
  half = cost_of(random_tree(1000, 2));
  whole = cost_of(random_tree(2000, 2));
  check_linear(half, whole, "ops(2000) / ops(1000) of trees");
}


// All links share the hub, so each of the n links is coupled to all later links.
static void a_star_fills_a_dense_triangle(void) {
  for (int n = 10; n <= 100; n *= 10) {
    CHECK(cost_of(star_of(n, 2)).numbers == 4 * n * (n + 1) / 2);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Reuse and memory
// ---------------------------------------------------------------------------------------------------------------------


static void solve_into(ImpiFactor *factor, const Linkage *c, double *x) {
  for (int i = 0; i < c->rows; ++i) {
    x[i] = i % 7 - 3;
  }
  fill(factor, c);
  impi_factor_run(factor, NULL);
  impi_factor_solve(factor, x);
}


// A reused factor keeps no values from its previous plan, and a smaller plan allocates nothing.
static void a_plan_is_independent_of_the_one_before(void) {
  Linkage large = grid_of(12, 2), small = grid_of(7, 2);
  ImpiFactor used = plan_of(&heap, &large), fresh = plan_of(&heap, &small);
  double *x = calloc((size_t)large.rows, sizeof *x), *y = calloc((size_t)large.rows, sizeof *y);
  solve_into(&used, &large, x);
  size_t bytes = heap.bytes;
  const double *numbers = used.l.data;
  MUST(impi_factor_plan(&heap, &used, small.links, small.row_count, small.bodies, small.first, small.members));
  solve_into(&used, &small, x);
  solve_into(&fresh, &small, y);
  CHECK(heap.bytes == bytes && used.l.data == numbers);
  CHECK(memcmp(x, y, (size_t)small.rows * sizeof *x) == 0 && used.flops == fresh.flops);
  CHECK(memcmp(used.entries.data, fresh.entries.data, (size_t)fresh.entries.count * sizeof *fresh.entries.data) == 0);
  free(x);
  free(y);
  impi_factor_free(&heap, &used);
  impi_factor_free(&heap, &fresh);
  free_linkage(&large);
  free_linkage(&small);
}


// Succeed `*user` times, then fail.
static void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
  int *left = user;
  if (new_size > 0 && (*left)-- <= 0) return NULL;
  ImpAllocator plain = impi_default_allocator();
  return plain.reallocate(plain.user, old, old_size, new_size);
}


static bool is_empty(const ImpiFactor *factor) {
  return factor->rows == 0 && factor->panels.count == 0 && factor->l.count == 0;
}


static void out_of_memory_leaves_an_empty_factor(void) {
  Linkage small = chain_of(5, 2, 0.1, false, false), large = grid_of(12, 2);
  for (int before = 0; before < 2; ++before) { // plan `large` in an empty factor, or in a factor with a small plan
    ImpStatus status = IMP_ERR_NOMEM;
    int given = 0;
    for (; status != IMP_OK && given < 100; ++given) {
      int left = 100;
      ImpiHeap poor = {.allocator = {reallocate, &left}};
      ImpiFactor factor = {0};
      if (before) factor = plan_of(&poor, &small);
      left = given;
      status = impi_factor_plan(&poor, &factor, large.links, large.row_count, large.bodies, large.first, large.members);
      CHECK(status == IMP_OK || (status == IMP_ERR_NOMEM && is_empty(&factor)));
      CHECK(status == IMP_OK || strcmp(imp_last_error(), "out of memory for the factor of a matrix of 530 rows") == 0);
      left = 100;
      MUST(impi_factor_plan(&poor, &factor, small.links, small.row_count, small.bodies, small.first, small.members));
      impi_factor_free(&poor, &factor);
      CHECK(poor.bytes == 0);
    }
    CHECK(given > 10 && given < 100);
  }
  free_linkage(&small);
  free_linkage(&large);
}


static void a_factor_beyond_the_limit_is_refused(void) {
  Linkage c = star_of(1000, 5); // 25 * 1000 * 1001 / 2 entries
  ImpiFactor factor = {0};
  CHECK(impi_factor_plan(&heap, &factor, c.links, c.row_count, c.bodies, c.first, c.members) == IMP_ERR_LIMIT);
  CHECK(strcmp(imp_last_error(), "the factor of a matrix of 5000 rows would have more than 8388608 numbers") == 0);
  CHECK(is_empty(&factor));
  impi_factor_free(&heap, &factor);
  free_linkage(&c);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  heap.allocator = impi_default_allocator();
  RUN(solutions_equal_those_of_dense_elimination);
  RUN(entries_are_added_in_blocks_or_one_by_one);
  RUN(rows_beyond_the_degrees_of_freedom_are_dropped);
  RUN(a_duplicate_of_every_link_is_dropped);
  RUN(a_welded_loop_has_three_rows_too_many);
  RUN(a_small_pivot_of_a_true_row_is_kept);
  RUN(a_row_without_effect_is_dropped);
  RUN(patterns_equal_those_of_elimination);
  RUN(trees_are_eliminated_by_minimum_degree);
  RUN(a_grid_fills_far_less_than_in_natural_order);
  RUN(uncoupled_links_are_solved_separately);
  RUN(chains_and_trees_cost_linear_work);
  RUN(a_star_fills_a_dense_triangle);
  RUN(a_plan_is_independent_of_the_one_before);
  RUN(out_of_memory_leaves_an_empty_factor);
  RUN(a_factor_beyond_the_limit_is_refused);
  CHECK(heap.bytes == 0);
  return check_report("factor");
}
