// Level 5. The direct solver: all rows of a substep at once, through a factor of J M^-1 J^T, integrated by the implicit
// midpoint rule, which keeps energy.
//
//   v_m = v + h/2 M^-1 F + M^-1 J(x_m)^T lambda,  x_m = x + h/2 v_m,  x' = x + h v_m      lambda such that C(x', t') = C(x, t)
//   v'  = v_m + h/2 M^-1 F + M^-1 (J(x_m)^T lambda + J(x')^T mu)                           mu such that J(x') v' + b = 0
// The first line is solved by Newton's method: each step is a solve of all rows at the middle that it has come to, locks
// and limits with b = (C(x', t') - C(x, t)) / h - J v_m, so that they hold where the substep ends, springs with their pull
// at the middle. What the turning of J adds, which light links under tension need to come to an end at all, is in the
// bodies' inertia meanwhile (stiffness.h) and not in the solution. Bounds (limits, motors, contacts, friction) are a
// complementarity problem around the same factor in either half (exact.h). Of contacts and of rows that the user writes J
// is that of the substep's start, and their impulse is found anew in the second half.
// The second half repeats what the first did along joints, at the middle, and mu is only what is still missing: that is
// where energy goes, always out, for it is a projection. Damping acts at the end of each half, for the midpoint rule would
// let a strong damper ring.
// What errors are left at the end is corrected by Newton's method with the same factor, C(x' + M^-1 J^T mu) = 0.
// Where the first line has no solution that Newton's method finds, and with midpoint = false, the substep is one of
// semi-implicit Euler:
//   v' = v + h M^-1 F + M^-1 J(x)^T lambda,  J v' + b = 0,  x' = x + h v'
// It has the directions of the substep's start, and its projection takes m_C (J v)^2 / 2 from each row; the ledger shows
// the price of the inertia that it adds for light links.
// source: Hairer, Lubich, Wanner, "Geometric Numerical Integration" (2006), II.1.3, VII.1; Catto, "Modeling and Solving
//         Constraints" (GDC 2009), global solution; Baraff, "Linear-time dynamics using Lagrange multipliers" (1996)
#include "direct.h"

#include <string.h>

// Newton's method ends when no velocity changes by more than this part of the fastest [m/s, rad/s], or after so many
// steps; what has come to within the second is taken for a solution then.
#define ENOUGH 1e-9
#define NEAR 1e-6
#define MAX_STEPS 30

// Springs that turn by more than this in a substep [rad], three of which are less than a period, and those that are
// overdamped, are too fast to be seen swinging.
#define FAST_SPRING 2


// Whether b of a row is about where it ends, not about how fast.
static bool is_position(const ImpiSolve *solve, const ImpiRow *row) {
  bool sided = row->kind == IMP_ROW_LOWER_LIMIT || row->kind == IMP_ROW_UPPER_LIMIT;
  bool kind = sided || row->kind == IMP_ROW_LOCK || row->kind == IMP_ROW_SERVO;
  return kind && row->mass > 0 && impi_reference_is_rigid(row) && !impi_joint_is_velocity(&solve->joints[row->owner]);
}


// Whether a row is one of a joint and knows itself at any pose.
static bool is_smooth(const ImpiSolve *solve, const ImpiRow *row) {
  return row->noted != NULL && solve->joints[row->owner].kinds[0] != IMPI_COORDINATE_USER;
}


// A spring's constants, and the time in which it acts: each half, or where it is too fast to be seen swinging the first
// half for the whole substep, which is implicit Euler and takes the swinging away.
typedef struct Spring {
  double stiffness, damping;
  bool slow;
  double h;
} Spring;


static Spring spring_of(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  int32_t drive = impi_joint_coordinate_const(&solve->joints[row->owner], row->index)->drive;
  Spring spring;
  impi_spring_constants(&solve->drives[drive].set, row->swings, &spring.stiffness, &spring.damping);
  double turn = 4 * ref->h * ref->h * spring.stiffness / row->mass;
  spring.slow = turn < FAST_SPRING * FAST_SPRING && spring.damping * spring.damping <= 4 * spring.stiffness * row->mass;
  spring.h = spring.slow ? ref->h : 2 * ref->h;
  return spring;
}


static bool is_spring(const ImpiRow *row) { return row->kind == IMP_ROW_SPRING && row->mass > 0; }


// A row becomes soft: lambda = -(h (damping + h stiffness) (J v + b) + h stiffness c).
static void make_soft(ImpiRow *row, double stiffness, double damping, double c, double h) {
  double gain = h * (damping + h * stiffness) / row->mass;
  row->scale = gain / (1 + gain);
  row->keep = 1 / (1 + gain);
  row->push = h * stiffness * c / (1 + gain);
}


static void set_velocities(ImpiSolve *solve, const ImpiMotion *from) {
  for (int i = 0; i < solve->awake_count; ++i) {
    ImpiMotion *motion = &solve->motions[solve->awake[i]];
    motion->vx = from[i + 1].vx;
    motion->vy = from[i + 1].vy;
    motion->w = from[i + 1].w;
  }
}


// What b of position rows is beside C(x') / h - J v_m, in `impulses`: minus where the row begins, and what its drive
// asks for. What time does is in C(x').
static void note_beginnings(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    bool sided = row->kind == IMP_ROW_LOWER_LIMIT || row->kind == IMP_ROW_UPPER_LIMIT;
    ref->impulses.data[i] = sided ? -row->error / (2 * ref->h) : row->bias - row->rate - row->c / (2 * ref->h);
  }
}


// The rows at the middle that v_m leads to, and what they ask for there. The bodies have v_m.
static void look_at_middle(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  double h = 2 * ref->h;
  impi_direct_place(solve, h);
  impi_reference_joints_again(solve, ref->t + h);
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->bias = is_position(solve, row) ? row->c / h + ref->impulses.data[i] : row->bias;
  }
  impi_direct_place(solve, ref->h);
  impi_reference_joints_again(solve, ref->t + ref->h);
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    double speed = impi_row_speed(row, solve->motions);
    if (is_position(solve, row)) {
      row->bias -= speed;
    } else if (is_spring(row)) {
      Spring spring = spring_of(solve, row);
      make_soft(row, spring.stiffness, spring.damping, row->c - ref->h * (speed + row->bias), spring.h);
    }
  }
}


// Solve the rows from the forced velocities, with the impulses that they have. Returns by which part of the fastest
// velocity v_m changes, and is now the new one.
static double improve(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiMotion *middle = direct->middle.data;
  set_velocities(solve, direct->forced.data);
  impi_stiffness_toward(solve, &direct->stiffness, middle);
  impi_reference_warm_start(solve);
  impi_direct_solve_rows(solve, IMPI_FACTOR_DROP);
  impi_stiffness_end(solve, &direct->stiffness);
  double change = 0, fastest = 1;
  for (int i = 0; i < solve->awake_count; ++i) {
    const ImpiMotion *now = &solve->motions[solve->awake[i]];
    ImpiMotion *old = &middle[i + 1];
    double left = fabs(now->vx - old->vx) + fabs(now->vy - old->vy) + fabs(now->w - old->w);
    change = left > change || left != left ? left : change;
    fastest = impi_max(fastest, fabs(now->vx) + fabs(now->vy) + fabs(now->w));
    *old = *now;
  }
  return change / fastest;
}


// The first half up to v_m, with the rows as they are at the middle and the bodies where the substep began. False: it has
// not been found.
static bool find_middle(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  impi_reference_push_forces(solve);
  impi_reference_look_ahead(solve, 2 * ref->h); // positions move by both halves
  note_beginnings(solve);
  for (int i = 0; i < solve->awake_count; ++i) {
    ref->kept.data[i + 1] = direct->middle.data[i + 1] = solve->motions[solve->awake[i]];
  }
  impi_reference_forces(solve);
  for (int i = 0; i < solve->awake_count; ++i) {
    direct->forced.data[i + 1] = solve->motions[solve->awake[i]];
  }
  double change = 1;
  for (int n = 0; n < MAX_STEPS && change > ENOUGH; ++n) {
    set_velocities(solve, direct->middle.data);
    look_at_middle(solve);
    change = improve(solve);
  }
  set_velocities(solve, ref->kept.data);
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->approach_speed = row->noted != NULL ? -impi_row_speed(row, solve->motions) : row->approach_speed;
  }
  set_velocities(solve, direct->forced.data);
  impi_reference_note_speeds(solve);
  set_velocities(solve, direct->middle.data);
  impi_direct_place(solve, 0);
  return change <= NEAR;
}


// The impulse by which a row acts in the second half as it did in the first: all of it, but for what a damper took and
// what acted for both.
static double repeated(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  if (!is_smooth(solve, row) || row->kind == IMP_ROW_FORCE) {
    return 0;
  }
  if (!is_spring(row)) {
    return row->lambda;
  }
  Spring spring = spring_of(solve, row);
  bool bound = row->lambda <= row->lower || row->lambda >= row->upper;
  double damper = ref->h * spring.damping * (impi_row_speed(row, solve->motions) + row->bias);
  return !spring.slow ? 0 : bound ? row->lambda : row->lambda + damper;
}


// Put the rows of the first half aside, as `fixes`, with the impulses that the second repeats.
static void keep_rows(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  ref->fixes.count = ref->rows.count;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *kept = &ref->fixes.data[i];
    *kept = ref->rows.data[i];
    kept->lambda = repeated(solve, kept);
    kept->approach_speed = -impi_row_speed(kept, solve->motions);
    if (kept->more_count > 0) {
      kept->more = ref->fix_terms.data + (kept->more - ref->terms.data);
    }
  }
  if (ref->term_count > 0) {
    memcpy(ref->fix_terms.data, ref->terms.data, (size_t)ref->term_count * sizeof *ref->terms.data);
  }
}


// Rows of the second half begin with what is repeated of them: what is left of their bounds is theirs.
static void begin_beyond(ImpiReference *ref, double sign) {
  for (int i = 0; i < ref->fixes.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->lower -= sign * ref->fixes.data[i].lambda;
    row->upper -= sign * ref->fixes.data[i].lambda;
  }
}


// Whether the second half has the rows of the first: a function of the user's may have given a joint another drive.
static bool has_same_rows(const ImpiReference *ref) {
  bool same = ref->fixes.count == ref->rows.count;
  for (int i = 0; i < ref->rows.count && same; ++i) {
    const ImpiRow *a = &ref->fixes.data[i], *b = &ref->rows.data[i];
    same = a->block == b->block && a->index == b->index && a->kind == b->kind;
  }
  return same;
}


// Rows that the first half repeats start at 0 beyond it, and of springs only the damper is left.
static void leave_repeated(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  if (!has_same_rows(ref)) { // nothing is repeated, all is found anew
    ref->fixes.count = 0;
    return;
  }
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->lambda = is_smooth(solve, row) ? 0 : row->lambda;
    if (is_spring(row)) {
      Spring spring = spring_of(solve, row);
      make_soft(row, 0, spring.slow ? spring.damping : 0, 0, ref->h);
    }
    if (row->kind == IMP_ROW_FORCE) {
      row->lower = row->upper = 0;
    }
    ref->impulses.data[i] += ref->fixes.data[i].lambda;
  }
  begin_beyond(ref, 1);
}


static void finish_second_half(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  impi_reference_forces(solve);
  for (int i = 0; i < ref->fixes.count; ++i) {
    ref->fixes.data[i].before = impi_row_speed(&ref->fixes.data[i], solve->motions);
  }
  for (int i = 0; i < ref->fixes.count; ++i) {
    impi_row_apply(&ref->fixes.data[i], solve->bodies, solve->motions, ref->fixes.data[i].lambda);
  }
  impi_reference_warm_start(solve);
  impi_direct_solve_rows(solve, IMPI_FACTOR_DROP);
  for (int i = 0; i < ref->fixes.count; ++i) {
    ImpiRow *row = &ref->fixes.data[i];
    if (row->lambda != 0) {
      impi_reference_store_row(solve, row, impi_row_work(row, solve->motions));
      impi_reference_enter_row(solve, row);
    }
  }
  impi_reference_store(solve);
  begin_beyond(ref, -1);
  impi_direct_join_halves(ref);
}


// What the user applies along joints acts in the first half for both, kept impulses are of the whole substep.
static void begin_first_half(ImpiReference *ref) {
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    bool force = row->kind == IMP_ROW_FORCE;
    row->lambda *= force ? 2 : 0.5;
    row->lower *= force ? 2 : 1;
    row->upper *= force ? 2 : 1;
  }
}


// A substep of the midpoint rule. False: nothing has happened.
static bool by_midpoint(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  double h = ref->h;
  ref->h = 0.5 * h;
  ref->push = 2;
  impi_reference_rows(solve);
  begin_first_half(ref);
  if (!find_middle(solve)) {
    set_velocities(solve, ref->kept.data);
    ref->h = h;
    ref->push = 1;
    return false;
  }
  impi_reference_store(solve);
  keep_rows(solve);
  ref->push = 0;
  ref->h = h;
  impi_reference_move(solve);
  ref->h = 0.5 * h;
  ref->t += h;
  if (solve->push_fields != NULL) {
    solve->push_fields(solve, ref->h, ref->t, ref->t); // the second half ends now
  }
  impi_reference_rows_at_end(solve);
  impi_direct_keep_first_half(ref);
  impi_reference_push_forces(solve);
  impi_reference_look_ahead(solve, h);
  leave_repeated(solve);
  finish_second_half(solve);
  ref->h = h;
  ref->push = 1;
  impi_direct_project(solve, ref->t);
  return true;
}


static void by_euler(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
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


static void direct_solve(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  double clock = impi_clock();
  impi_reference_begin(solve);
  for (int substep = 0; substep < ref->substeps; ++substep) {
    impi_reference_listen(solve, substep);
    if (impi_reference_is_midpoint(solve) && by_midpoint(solve)) {
      continue;
    }
    if (impi_reference_is_midpoint(solve) && solve->push_fields != NULL) { // only half of it has pushed
      solve->push_fields(solve, 0.5 * ref->h, ref->t, ref->t + ref->h);
    }
    by_euler(solve);
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
