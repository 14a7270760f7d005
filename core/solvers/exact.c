#include "solvers/exact.h"

#include "base/constants.h"

#include <string.h>

// Largest number of steps of one solve.
#define MAX_STEPS 200

// Before each step, SWEEPS projected sweeps find the rows that are not at a bound. The number of sweeps doubles, up to
// about MAX_SWEEPS, after a step that did not reduce phi (exact.h).
#define SWEEPS 3
#define MAX_SWEEPS 128

// Relative increase of A's diagonal in islands with bounds. It lets dependent rows, such as the four legs of a table,
// share their load.
#define DAMPING 1e-4

// A clamped step that does not reduce phi is halved, down to about this part of the full step.
#define SHORTEST 0.01

// A solve ends when |w| of all free rows is at most TOLERANCE * scale_of().
#define TOLERANCE 1e-13

// A solve ends after MAX_STALLS consecutive steps (MAX_LINEAR_STALLS if no row has bounds) that each reduce the
// residual by less than a tenth: rows contradict each other, or friction does not converge.
#define MAX_STALLS 20
#define MAX_LINEAR_STALLS 2


// ---------------------------------------------------------------------------------------------------------------------
// The plan
// ---------------------------------------------------------------------------------------------------------------------


void impi_exact_free(ImpiHeap *heap, ImpiExact *exact) {
  impi_factor_free(heap, &exact->factor);
  impi_array_free(heap, &exact->block_rows);
  impi_array_free(heap, &exact->first_row);
  impi_array_free(heap, &exact->clique_first);
  impi_array_free(heap, &exact->cliques);
  impi_array_free(heap, &exact->place);
  impi_array_free(heap, &exact->fixed);
  impi_array_free(heap, &exact->has_bounds);
  impi_array_free(heap, &exact->loose);
  impi_array_free(heap, &exact->x);
  impi_array_free(heap, &exact->rows);
  impi_array_free(heap, &exact->start);
  impi_islands_free(heap, &exact->islands);
}


static int block_count(const ImpiSolve *solve) { return solve->active_joint_count + solve->active_count; }


static int body_count(const ImpiSolve *solve, int block) {
  return block < solve->active_joint_count ? impi_joint_body_count(&solve->joints[solve->active_joints[block]]) : 2;
}


static int32_t body_of(const ImpiSolve *solve, int block, int index) {
  if (block < solve->active_joint_count) {
    return impi_joint_body(&solve->joints[solve->active_joints[block]], index);
  }
  const ImpiContact *contact = &solve->contacts[solve->active[block - solve->active_joint_count]];
  return index == 0 ? contact->body_a : contact->body_b;
}


// Return the index of a body among the awake bodies, which is also the index of the list of all rows at the body; -1:
// impulses do not move the body.
static int32_t clique_of(const ImpiSolve *solve, int32_t slot) {
  const ImpiBody *body = &solve->bodies[slot];
  return body->inv_mass > 0 ? body->lane - 1 : -1;
}


// List the blocks (joints and contacts) at each body by counting sort.
static void list_cliques(const ImpiSolve *solve, ImpiExact *exact) {
  int32_t *first = exact->clique_first.data;
  for (int i = 0; i <= solve->awake_count; ++i) {
    first[i] = 0;
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (int block = block_count(solve) - 1; block >= 0; --block) {
      for (int k = 0; k < body_count(solve, block); ++k) {
        int32_t clique = clique_of(solve, body_of(solve, block, k));
        if (clique >= 0 && pass == 0) {
          first[clique]++;
        } else if (clique >= 0) {
          exact->cliques.data[--first[clique]] = block;
        }
      }
    }
    for (int i = 0; i < solve->awake_count && pass == 0; ++i) {
      first[i + 1] += first[i];
    }
    if (pass == 0) { // first[awake_count] is the end of the last body's list
      first[solve->awake_count] = solve->awake_count > 0 ? first[solve->awake_count - 1] : 0;
    }
  }
}


// Set the largest number of rows of each block; with `handlers`, including the rows of drives that handlers may add.
// Return the sum.
static int count_rows(const ImpiSolve *solve, ImpiExact *exact, bool handlers) {
  int rows = 0;
  for (int block = 0; block < block_count(solve); ++block) {
    bool joint = block < solve->active_joint_count;
    int32_t slot = joint ? solve->active_joints[block] : -1;
    exact->block_rows.data[block] =
        joint ? impi_joint_step_rows(&solve->joints[slot], handlers) : IMPI_MAX_CONTACT_ROWS;
    rows += exact->block_rows.data[block];
  }
  return rows;
}


static ImpStatus plan(ImpiSolve *solve, ImpiExact *exact) {
  return impi_factor_plan(solve->heap, &exact->factor, block_count(solve), exact->block_rows.data, solve->awake_count,
                          exact->clique_first.data, exact->cliques.data);
}


// Reserve the memory of a plan with all drives that handlers may add within the step. If its factor would be too large,
// set ImpiSolve.rows_fixed, which delays the rows of new drives to the next step.
static ImpStatus reserve_for_handlers(ImpiSolve *solve, ImpiExact *exact, int rows) {
  if (solve->before_substep == NULL || count_rows(solve, exact, true) == rows) {
    return IMP_OK;
  }
  ImpStatus status = plan(solve, exact);
  solve->rows_fixed = status == IMP_ERR_LIMIT;
  count_rows(solve, exact, false);
  return status == IMP_ERR_LIMIT ? IMP_OK : status;
}


ImpStatus impi_exact_reserve(ImpiSolve *solve, ImpiExact *exact) {
  ImpiHeap *heap = solve->heap;
  int blocks = block_count(solve), members = 0;
  bool room = impi_reserve(heap, &exact->block_rows, blocks) && impi_reserve(heap, &exact->first_row, blocks + 1) &&
              impi_reserve(heap, &exact->clique_first, solve->awake_count + 1);
  if (!room) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  for (int block = 0; block < blocks; ++block) {
    members += body_count(solve, block);
  }
  int most = solve->before_substep != NULL ? count_rows(solve, exact, true) : 0, rows = count_rows(solve, exact, false);
  most = most > rows ? most : rows;
  room = impi_reserve(heap, &exact->cliques, members) && impi_reserve(heap, &exact->place, most) &&
         impi_reserve(heap, &exact->fixed, most) && impi_reserve(heap, &exact->loose, most) &&
         impi_reserve(heap, &exact->x, most) && impi_reserve(heap, &exact->rows, most) &&
         impi_reserve(heap, &exact->start, solve->awake_count) &&
         impi_islands_reserve(heap, &exact->islands, solve->awake_count + 1) &&
         impi_reserve(heap, &exact->has_bounds, solve->awake_count + 1);
  if (!room) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  for (int i = 0; i < solve->awake_count; ++i) { // as in impi_reference_begin
    solve->bodies[solve->awake[i]].lane = i + 1;
  }
  list_cliques(solve, exact);
  ImpStatus status = reserve_for_handlers(solve, exact, rows);
  status = status == IMP_OK ? plan(solve, exact) : status;
  if (status == IMP_ERR_LIMIT) {
    impi_fail(
        status,
        "solver '%s' cannot solve these %d rows: they are coupled too densely, so the factor of their matrix would "
        "be too large; use 'soft' or 'si'",
        solve->solver->name, rows);
  }
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->bodies[solve->awake[i]].lane = 0;
  }
  return status;
}


// ---------------------------------------------------------------------------------------------------------------------
// The matrix
// ---------------------------------------------------------------------------------------------------------------------


// Write the three elements of a row's J for a body.
static void part_of(const ImpiRow *row, int32_t body, double *out_j) {
  out_j[0] = out_j[1] = out_j[2] = 0;
  for (int k = 0; k < 3; ++k) {
    out_j[k] += row->body_a == body ? row->j[k] : 0;
    out_j[k] += row->body_b == body ? row->j[3 + k] : 0;
    for (int i = 0; i < row->more_count; ++i) {
      out_j[k] += row->more[i].body == body ? row->more[i].j[k] : 0;
    }
  }
}


// Add to A the coupling of two blocks through a body.
static void add_pair(const ImpiSolve *solve, ImpiExact *exact, const ImpiRowArray *rows, int32_t slot, int block_i,
                     int block_j) {
  const ImpiBody *body = &solve->bodies[slot];
  const int32_t *first = exact->first_row.data;
  if (first[block_i] == first[block_i + 1] || first[block_j] == first[block_j + 1]) {
    return;
  }
  ImpiFactorBlock at = impi_factor_block(&exact->factor, block_i, block_j);
  for (int i = first[block_i]; i < first[block_i + 1]; ++i) {
    double a[3];
    part_of(&rows->data[i], slot, a);
    ImpVec2 moves = impi_free_part(body, a[0], a[1]);
    a[0] = moves.x * body->inv_mass;
    a[1] = moves.y * body->inv_mass;
    a[2] *= body->inv_inertia;
    for (int j = first[block_j]; j < first[block_j + 1]; ++j) {
      double b[3];
      part_of(&rows->data[j], slot, b);
      at.value[(i - first[block_i]) * at.step_i + (j - first[block_j]) * at.step_j] +=
          a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
  }
}


static void make_matrix(ImpiSolve *solve, ImpiExact *exact, const ImpiRowArray *rows) {
  impi_factor_clear(&exact->factor);
  for (int clique = 0; clique < solve->awake_count; ++clique) {
    const int32_t *members = exact->cliques.data;
    int32_t begin = exact->clique_first.data[clique], end = exact->clique_first.data[clique + 1];
    for (int32_t i = begin; i < end; ++i) {
      for (int32_t j = i; j < end; ++j) {
        add_pair(solve, exact, rows, solve->awake[clique], members[i], members[j]);
      }
    }
  }
  for (int i = 0; i < rows->count; ++i) {
    int block = rows->data[i].block, row = i - exact->first_row.data[block];
    impi_factor_add(&exact->factor, block, row, block, row, exact->rows.data[i].compliance);
  }
}


// Set the relative increase of A's diagonal in islands with bounds.
static void damp(ImpiExact *exact, const ImpiRowArray *rows, double damping) {
  if (damping == exact->damping) {
    return;
  }
  for (int i = 0; i < rows->count; ++i) {
    const ImpiRow *row = &rows->data[i];
    int at = i - exact->first_row.data[row->block];
    double added = row->mass > 0 && exact->rows.data[i].bounded ? (damping - exact->damping) / row->mass : 0;
    impi_factor_add(&exact->factor, row->block, at, row->block, at, added);
  }
  exact->damping = damping;
  exact->factored = false;
}


// Return the compliance and offset of a row. A soft row is solved by
//   lambda' = lambda - m s (J v + b) - keep lambda - push.
// The solution is J v + b + push / (m s) + keep / (m s) lambda = 0.
static ImpiExactRow describe(const ImpiRow *row) {
  double gain = row->mass * row->scale;
  ImpiExactRow made = {.given = gain <= 1e-12 * row->mass || row->kind == IMP_ROW_FORCE};
  if (!made.given) {
    made.compliance = row->keep / gain;
    made.offset = row->bias + row->push / gain;
  }
  return made;
}


// Return whether the plan has room for each row.
static bool has_places(const ImpiExact *exact, const ImpiRowArray *rows) {
  for (int i = 0, first = 0; i < rows->count; ++i) {
    first = rows->data[i].block != rows->data[first].block ? i : first;
    if (i - first >= exact->block_rows.data[rows->data[i].block]) {
      return false;
    }
  }
  return true;
}


// Return the relative pivot up to which a row is redundant: the square of an angle. The angle is the error of the lock
// divided by the size of its joint.
static double looseness(const ImpiSolve *solve, const ImpiRow *row) {
  if (row->kind != IMP_ROW_LOCK || solve->joints[row->owner].unheld == 0) {
    return IMPI_REDUNDANT;
  }
  double angle = IMPI_UNHELD_ANGLE * solve->joints[row->owner].unheld;
  return impi_clamp(angle * angle, IMPI_REDUNDANT, IMPI_MOST_UNHELD);
}


void impi_exact_begin(ImpiSolve *solve, ImpiExact *exact, const ImpiRowArray *rows) {
  int blocks = block_count(solve), row = 0;
  if (solve->before_substep != NULL && !has_places(exact, rows)) {
    count_rows(solve, exact, true);
    plan(solve, exact); // cannot fail: memory was reserved in impi_exact_reserve
  }
  for (int block = 0; block < blocks; ++block) {
    exact->first_row.data[block] = row;
    for (; row < rows->count && rows->data[row].block == block; ++row) {
      exact->place.data[row] = impi_factor_row(&exact->factor, block) + row - exact->first_row.data[block];
      exact->rows.data[row] = describe(&rows->data[row]);
      exact->loose.data[exact->place.data[row]] = looseness(solve, &rows->data[row]);
    }
  }
  exact->first_row.data[blocks] = row;
  // rows that were reserved for drives that do not exist stay fixed
  for (int i = 0; i < exact->factor.rows; ++i) {
    exact->fixed.data[i] = true;
    exact->x.data[i] = 0;
  }
  exact->factored = false;
  exact->damping = 0;
  make_matrix(solve, exact, rows);
}


void impi_exact_factor(ImpiExact *exact) {
  exact->redundant = exact->nearly > 0 ? impi_factor_run_soft(&exact->factor, exact->fixed.data, exact->nearly)
                                       : impi_factor_run_loose(&exact->factor, exact->fixed.data, exact->loose.data);
  exact->factored = true;
}


// ---------------------------------------------------------------------------------------------------------------------
// The solve
// ---------------------------------------------------------------------------------------------------------------------


static double gradient(const ImpiSolve *solve, const ImpiExact *exact, const ImpiRowArray *rows, int i) {
  const ImpiRow *row = &rows->data[i];
  const ImpiExactRow *own = &exact->rows.data[i];
  return impi_row_speed(row, solve->motions) + own->offset + own->compliance * row->lambda;
}


static void set_lambda(ImpiSolve *solve, ImpiRow *row, double lambda) {
  impi_row_apply(row, solve->bodies, solve->motions, lambda - row->lambda);
  row->lambda = lambda;
}


// Clamp every impulse to its present bounds, and set the impulses that are given (ImpiExactRow.given).
static void enforce(ImpiSolve *solve, const ImpiExact *exact, ImpiRowArray *rows) {
  for (int i = 0; i < rows->count; ++i) {
    ImpiRow *row = &rows->data[i];
    impi_row_update_bounds(rows->data, i);
    bool spring = exact->rows.data[i].given && row->keep > 0;
    double lambda = impi_clamp(spring ? -row->push / row->keep : row->lambda, row->lower, row->upper);
    if (lambda != row->lambda) {
      set_lambda(solve, row, lambda);
    }
  }
}


// Return the residual of a row: 0 if lambda = lower and w >= 0, or lambda = upper and w <= 0; otherwise |w|. For a
// contact row, at most (lambda - lower) / m_C if w > 0, (upper - lambda) / m_C if w <= 0 (m_C: effective mass), because
// the bounds of contact rows change by rounding errors.
static double distance(const ImpiRow *row, const ImpiExactRow *own) {
  if (own->given || row->lower >= row->upper || row->mass <= 0) {
    return 0;
  }
  if (row->noted != NULL) {
    bool held = (row->lambda <= row->lower && own->w >= 0) || (row->lambda >= row->upper && own->w <= 0);
    return held ? 0 : fabs(own->w);
  }
  double room = own->w > 0 ? row->lambda - row->lower : row->upper - row->lambda;
  return impi_min(fabs(own->w), room / row->mass);
}


static double larger(double worst, double left) { return left > worst || left != left ? left : worst; }


// Compute w of every row and the set of fixed rows; reset `factored` if the set has changed. Return the largest
// residual.
static double look(ImpiSolve *solve, ImpiExact *exact, ImpiRowArray *rows) {
  double worst = exact->left = 0;
  for (int i = 0; i < rows->count; ++i) {
    const ImpiRow *row = &rows->data[i];
    ImpiExactRow *own = &exact->rows.data[i];
    own->w = gradient(solve, exact, rows, i);
    bool held = (row->lambda <= row->lower && own->w >= 0) || (row->lambda >= row->upper && own->w <= 0);
    bool fixed = own->given || row->lower >= row->upper || row->mass <= 0 || held;
    bool *was = &exact->fixed.data[exact->place.data[i]];
    exact->factored = exact->factored && *was == fixed;
    *was = fixed;
    double left = distance(row, own);
    worst = larger(worst, left);
    exact->left = own->bounded ? larger(exact->left, left) : exact->left;
  }
  return worst;
}


// Set lambda := old + part * x, clamped to the bounds of each row. Return the change of phi.
static double move(ImpiSolve *solve, const ImpiExact *exact, ImpiRowArray *rows, double part) {
  for (int i = 0; i < rows->count; ++i) {
    ImpiRow *row = &rows->data[i];
    double x = exact->x.data[exact->place.data[i]];
    if (x != 0) {
      set_lambda(solve, row, impi_clamp(exact->rows.data[i].old + part * x, row->lower, row->upper));
    }
  }
  double change = 0;
  for (int i = 0; i < rows->count; ++i) {
    double gone = rows->data[i].lambda - exact->rows.data[i].old;
    change += gone != 0 ? 0.5 * gone * (exact->rows.data[i].w + gradient(solve, exact, rows, i)) : 0;
  }
  return change;
}


// Return whether the full step x stays inside the bounds.
static bool fits(const ImpiExact *exact, const ImpiRowArray *rows) {
  for (int i = 0; i < rows->count; ++i) {
    const ImpiRow *row = &rows->data[i];
    double end = exact->rows.data[i].old + exact->x.data[exact->place.data[i]];
    if (!(end >= row->lower && end <= row->upper)) {
      return false;
    }
  }
  return true;
}


// Take the step to the minimum of phi over the free rows. A step that leaves the bounds is clamped, and halved until
// phi falls. Return the part of the step that is taken.
static double step(ImpiSolve *solve, ImpiExact *exact, ImpiRowArray *rows) {
  for (int i = 0; i < rows->count; ++i) {
    int32_t place = exact->place.data[i];
    exact->rows.data[i].old = rows->data[i].lambda;
    exact->x.data[place] = exact->fixed.data[place] ? 0 : -exact->rows.data[i].w;
  }
  impi_factor_solve(&exact->factor, exact->x.data);
  bool whole = fits(exact, rows);
  double part = 1, change = move(solve, exact, rows, 1);
  while (!whole && part > 0 && !(change < 0)) {
    part = part > SHORTEST ? 0.5 * part : 0;
    change = move(solve, exact, rows, part);
  }
  return part;
}


// Return the lane of a row's body; 0 if impulses do not move the body.
static int32_t lane_of(const ImpiSolve *solve, const ImpiRow *row, int index) {
  int32_t slot = index == 0 ? row->body_a : index == 1 ? row->body_b : row->more[index - 2].body;
  const ImpiBody *body = &solve->bodies[slot];
  return body->inv_mass > 0 ? body->lane : 0;
}


int32_t impi_exact_join(const ImpiSolve *solve, ImpiIslands *islands, const ImpiRow *row) {
  int32_t first = 0;
  for (int i = 0; i < row->more_count + 2; ++i) {
    int32_t lane = lane_of(solve, row, i);
    if (lane > 0 && first > 0) {
      impi_islands_join(islands, first, lane);
    }
    first = first > 0 ? first : lane;
  }
  return first;
}


int32_t impi_exact_island(const ImpiSolve *solve, ImpiIslands *islands, const ImpiRow *row) {
  int32_t lane = 0;
  for (int i = 0; i < row->more_count + 2 && lane == 0; ++i) {
    lane = lane_of(solve, row, i);
  }
  return impi_islands_root(islands, lane);
}


// Set `bounded` of all rows in islands with at least one bounded row. Return whether any row has bounds.
static bool find_bounds(ImpiSolve *solve, ImpiExact *exact, const ImpiRowArray *rows) {
  bool any = false;
  for (int i = 0; i < rows->count; ++i) {
    const ImpiRow *row = &rows->data[i];
    exact->rows.data[i].bounded = row->lower > -HUGE_VAL || row->upper < HUGE_VAL;
    any = any || exact->rows.data[i].bounded;
  }
  if (!any) {
    return false;
  }
  impi_islands_begin(solve->heap, &exact->islands, solve->awake_count + 1); // cannot fail: memory is reserved
  for (int i = 0; i < rows->count; ++i) {
    impi_exact_join(solve, &exact->islands, &rows->data[i]);
  }
  bool *bounded = exact->has_bounds.data;
  memset(bounded, 0, (size_t)(solve->awake_count + 1) * sizeof *bounded);
  for (int i = 0; i < rows->count; ++i) {
    int32_t island = impi_exact_island(solve, &exact->islands, &rows->data[i]);
    bounded[island] = bounded[island] || exact->rows.data[i].bounded;
  }
  for (int i = 0; i < rows->count; ++i) {
    exact->rows.data[i].bounded = bounded[impi_exact_island(solve, &exact->islands, &rows->data[i])];
  }
  return true;
}


// Return the scale of rounding errors in a velocity: the maximum over the rows of the sum of |terms| of J v + b and, if
// `bounded`, of |lambda| / m_C (m_C: effective mass of the row).
static double scale_of(const ImpiSolve *solve, const ImpiRowArray *rows, bool bounded) {
  double scale = 0;
  for (int i = 0; i < rows->count; ++i) {
    const ImpiRow *row = &rows->data[i];
    const ImpiMotion *a = &solve->motions[row->body_a], *b = &solve->motions[row->body_b];
    double speed = fabs(row->j[0] * a->vx) + fabs(row->j[1] * a->vy) + fabs(row->j[2] * a->w) +
                   fabs(row->j[3] * b->vx) + fabs(row->j[4] * b->vy) + fabs(row->j[5] * b->w) + fabs(row->bias);
    scale = impi_max(scale, speed);
    scale = impi_max(scale, bounded && row->mass > 0 ? fabs(row->lambda) / row->mass : 0);
  }
  return scale;
}


static void sweep(ImpiSolve *solve, const ImpiExact *exact, ImpiRowArray *rows, int sweeps) {
  for (int k = 0; k < sweeps; ++k) {
    for (int i = 0; i < rows->count; ++i) {
      if (exact->rows.data[i].bounded) {
        impi_reference_solve_row(solve, rows, i);
      }
    }
  }
}


static void note_start(const ImpiSolve *solve, ImpiExact *exact, const ImpiRowArray *rows) {
  for (int i = 0; i < solve->awake_count; ++i) {
    exact->start.data[i] = solve->motions[solve->awake[i]];
  }
  for (int i = 0; i < rows->count; ++i) {
    exact->rows.data[i].start = rows->data[i].lambda;
  }
}


// Recompute the velocities from the final impulses, because intermediate impulses may have been large.
static void reapply(ImpiSolve *solve, const ImpiExact *exact, const ImpiRowArray *rows) {
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->motions[solve->awake[i]] = exact->start.data[i];
  }
  for (int i = 0; i < rows->count; ++i) {
    const ImpiRow *row = &rows->data[i];
    impi_row_apply(row, solve->bodies, solve->motions, row->lambda - exact->rows.data[i].start);
  }
}


double impi_exact_solve(ImpiSolve *solve, ImpiExact *exact, ImpiRowArray *rows) {
  impi_exact_begin(solve, exact, rows);
  bool bounded = find_bounds(solve, exact, rows);
  double enough = TOLERANCE * scale_of(solve, rows, bounded), best = HUGE_VAL;
  note_start(solve, exact, rows);
  enforce(solve, exact, rows);
  double worst = look(solve, exact, rows);
  int stalls = 0, sweeps = SWEEPS, patience = bounded ? MAX_STALLS : MAX_LINEAR_STALLS;
  for (int n = 0; n < MAX_STEPS && worst > enough && stalls < patience; ++n) {
    if (bounded) {
      sweep(solve, exact, rows, sweeps);
      look(solve, exact, rows);
      damp(exact, rows, exact->factored ? 0 : DAMPING);
    }
    if (!exact->factored) {
      impi_exact_factor(exact);
      solve->report.sweeps++;
    }
    double part = step(solve, exact, rows);
    sweeps = part > 0 && stalls == 0 ? SWEEPS : sweeps < MAX_SWEEPS ? 2 * sweeps : sweeps;
    enforce(solve, exact, rows);
    worst = look(solve, exact, rows);
    stalls = worst < 0.9 * best ? 0 : stalls + 1;
    best = impi_min(best, worst);
  }
  reapply(solve, exact, rows);
  if (!(exact->left <= enough)) { // not converged: end with sweeps
    sweep(solve, exact, rows, MAX_SWEEPS);
    worst = look(solve, exact, rows);
  }
  solve->report.redundant = exact->redundant;
  solve->report.flops += exact->factor.flops;
  return worst;
}
