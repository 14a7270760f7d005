// The implicit midpoint rule with constraints:
//   v_m = v + h/2 M^-1 F + M^-1 J(x_m)^T lambda,  x_m = x + h/2 v_m,  x' = x + h v_m     with C(x', t') = C(x, t)
//   v'  = v_m + h/2 M^-1 F + M^-1 (J(x_m)^T lambda + J(x')^T mu)                         with J(x') v' + b = 0
// The first line is solved by Newton's method. Each iteration solves all rows at the current estimate of x_m. Locks and
// limits have b = (C(x', t') - C(x, t)) / h - J v_m, so they hold at the end of the substep. Springs have their force
// at x_m. During the iteration the geometric stiffness of joints under load (stiffness.h) is added to the bodies'
// inertia, because the iteration would not converge for light links. The bounds of limits and motors form a
// complementarity problem (exact.h). The second half repeats the joint impulses J(x_m)^T lambda of the first half, and
// mu projects the velocities on the constraints at x'. The projection is the only loss of energy. If the loss would be
// too large, the substep is cut into parts.
// Dampers are implicit at the end of each half.
// In an island with applied forces, these forces and gravity act wholly in the first half.
// source: Hairer, Lubich, Wanner, "Geometric Numerical Integration" (2006), II.1.3, VII.1
#include "solvers/direct.h"

#include <string.h>

// Newton's method ends when the largest change of a velocity is below ENOUGH times the largest velocity (at least
// 1 m/s), or after MAX_STEPS iterations. The solution is valid if the last change is below NEAR times the largest
// velocity.
#define ENOUGH 1e-9
#define NEAR 1e-6
#define MAX_STEPS 30

// If the projection would remove more than this part of the kinetic energy, the substep is cut into parts.
#define LOSSY 5e-6

// A spring is fast if its phase advances by more than this in a substep [rad], or if it is overdamped.
#define FAST_SPRING 2


// Return whether a row prescribes the position at the end of the substep, not a velocity.
static bool is_position(const ImpiSolve *solve, const ImpiRow *row) {
  bool sided = row->kind == IMP_ROW_LOWER_LIMIT || row->kind == IMP_ROW_UPPER_LIMIT;
  bool kind = sided || row->kind == IMP_ROW_LOCK || row->kind == IMP_ROW_SERVO;
  return kind && row->mass > 0 && impi_reference_is_rigid(row) && !impi_joint_is_velocity(&solve->joints[row->owner]);
}


// Return whether a row is a spring or a damper.
static bool is_spring(const ImpiRow *row) { return impi_row_is_soft_drive(row) && row->kind != IMP_ROW_ARMATURE; }


// Return whether the applied forces on a body of a row act wholly in the first half of the substep.
static bool is_pushed(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  const ImpiJoint *joint = &solve->joints[row->owner];
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    if (ref->halves[solve->bodies[impi_joint_body(joint, i)].lane] == IMPI_PUSHED_HALVES) {
      return true;
    }
  }
  return false;
}


// Return whether the whole impulse of a row acts in the first half: true for springs and rows with a finite bound, in
// islands whose applied forces act wholly in the first half.
static bool acts_at_once(const ImpiSolve *solve, const ImpiRow *row) {
  bool endless = row->lower == -HUGE_VAL && row->upper == HUGE_VAL;
  return (is_spring(row) || (!endless && !impi_reference_is_rigid(row))) && is_pushed(solve, row);
}


// A spring's constants, and whether it is slow (FAST_SPRING).
typedef struct Spring {
  double stiffness, damping;
  bool slow;
} Spring;


static Spring spring_of(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  Spring spring;
  const ImpDrive *set = impi_reference_drive(solve, row);
  impi_row_constants(row, set, &spring.stiffness, &spring.damping);
  double mass = row->mass + set->armature, turn = 4 * ref->h * ref->h * spring.stiffness / mass;
  double critical = 4 * spring.stiffness * mass * (1 + 1e-9);
  spring.slow = turn < FAST_SPRING * FAST_SPRING && spring.damping * spring.damping <= critical;
  return spring;
}


// Make a row soft, as a spring and a damper: lambda = -h (stiffness (c + ahead (J v + b)) + damping (J v + b)). The
// spring acts on the error predicted from c for the time `ahead` [s].
static void make_soft(ImpiRow *row, double stiffness, double damping, double c, double h, double ahead) {
  double gain = h * (damping + ahead * stiffness) / row->mass;
  row->scale = gain / (1 + gain);
  row->keep = 1 / (1 + gain);
  row->push = h * stiffness * c / (1 + gain);
}


// Set up a spring row for the first half, with the error c at the start of the substep.
static void pull(const ImpiSolve *solve, ImpiRow *row, double c) {
  const ImpiReference *ref = solve->scratch;
  Spring spring = spring_of(solve, row);
  if (!is_pushed(solve, row)) {
    make_soft(row, spring.stiffness, spring.damping, c, ref->h, spring.slow ? ref->h : 2 * ref->h);
    return;
  }
  const ImpDrive *set = impi_reference_drive(solve, row);
  ImpiSpringStep step =
      impi_spring_step_beside(spring.stiffness, spring.damping, 1 / row->mass, set->armature, c, 2 * ref->h);
  row->scale = step.scale;
  row->keep = step.keep;
  row->push = step.push;
}


static void set_velocities(ImpiSolve *solve, const ImpiMotion *from) {
  for (int i = 0; i < solve->awake_count; ++i) {
    ImpiMotion *motion = &solve->motions[solve->awake[i]];
    motion->vx = from[i + 1].vx;
    motion->vy = from[i + 1].vy;
    motion->w = from[i + 1].w;
  }
}


// For each row that prescribes a position, store the constant part of its b in `impulses`: -C(x, t) / h plus the speed
// of the drive.
static void note_beginnings(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    bool sided = row->kind == IMP_ROW_LOWER_LIMIT || row->kind == IMP_ROW_UPPER_LIMIT;
    ref->impulses.data[i] = sided ? -row->error / (2 * ref->h) : row->bias - row->rate - row->c / (2 * ref->h);
  }
}


// Recompute J, b and softness of the rows at the midpoint x_m = x + h/2 v_m; v_m are the present velocities.
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
      pull(solve, row, row->c - ref->h * (speed + row->bias));
    } else if (impi_row_is_soft_drive(row)) {
      impi_row_soften(row, &row->rotor->set, row->rotor->set.armature, ref->h);
    }
  }
}


// Solve the rows, from the velocities in `forced` and the present impulses, and store the new v_m in `middle`. Return
// the largest change of v_m divided by the largest velocity.
static double improve(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiMotion *middle = direct->middle.data;
  set_velocities(solve, direct->forced.data);
  impi_stiffness_toward(solve, &direct->stiffness, middle);
  impi_reference_warm_start(solve);
  impi_direct_solve_rows(solve);
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


// Return ImpiBody.lane of the root body of a row's island; 0: impulses move none of its bodies.
static int32_t island_at(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiDirect *direct = solve->scratch;
  const ImpiJoint *joint = &solve->joints[row->owner];
  int32_t island = 0;
  for (int i = 0; i < impi_joint_body_count(joint) && island == 0; ++i) {
    const ImpiBody *body = &solve->bodies[impi_joint_body(joint, i)];
    island = body->inv_mass > 0 ? direct->island.data[body->lane] : 0;
  }
  return island;
}


// Return the part of its kinetic energy that an island loses in the second half of the substep, for the island with the
// largest part. The loss is u^T (J M^-1 J^T)^-1 u / 2, where u = J (2 v_m - v) is the speed of the locks at the end.
// The rows are rebuilt at the midpoint afterwards.
static double lost(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  ImpiExact *exact = &direct->exact;
  double h = 2 * ref->h, *kinetic = direct->kinetic.data, *joules = direct->joules.data;
  impi_direct_place(solve, h);
  for (int i = 0; i <= solve->awake_count; ++i) {
    kinetic[i] = joules[i] = 0;
  }
  for (int i = 0; i < solve->awake_count; ++i) {
    const ImpiBody *body = &solve->bodies[solve->awake[i]];
    const ImpiMotion *begun = &ref->kept.data[i + 1];
    ImpiMotion *m = &solve->motions[solve->awake[i]];
    if (direct->halves.data[i + 1] == IMPI_HALVES) {
      kinetic[direct->island.data[i + 1]] +=
          0.5 * (body->mass * (m->vx * m->vx + m->vy * m->vy) + body->inertia * m->w * m->w);
      m->vx += m->vx - begun->vx;
      m->vy += m->vy - begun->vy;
      m->w += m->w - begun->w;
    }
  }
  impi_reference_joints_again(solve, ref->t + h);
  impi_exact_begin(solve, exact, &ref->rows);
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    int32_t place = exact->place.data[i];
    bool lock = row->kind == IMP_ROW_LOCK && row->mass > 0 && row->rate == 0 && !is_pushed(solve, row);
    exact->fixed.data[place] = !lock;
    exact->x.data[place] = lock ? impi_row_speed(row, solve->motions) : 0;
  }
  int redundant = exact->redundant;
  impi_exact_factor(exact);
  exact->redundant = redundant;
  impi_factor_solve(&exact->factor, exact->x.data);
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    if (!exact->fixed.data[exact->place.data[i]]) {
      joules[island_at(solve, row)] += 0.5 * impi_row_speed(row, solve->motions) * exact->x.data[exact->place.data[i]];
    }
  }
  double worst = 0;
  for (int i = 1; i <= solve->awake_count; ++i) {
    double part = joules[i] == 0 ? 0 : joules[i] / kinetic[i];
    worst = part > worst || part != part ? part : worst;
  }
  set_velocities(solve, direct->middle.data);
  look_at_middle(solve);
  return worst;
}


// Solve the first half for v_m. Afterwards the velocities are v_m, the rows are built at the midpoint, and the poses
// are those at the start of the substep. Return false if the iteration does not converge or, with `may_cut`, if the
// substep would lose too much energy.
static bool find_middle(ImpiSolve *solve, bool may_cut) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  note_beginnings(solve);
  impi_reference_keep(solve, ref->kept.data);
  impi_reference_keep(solve, direct->middle.data);
  impi_reference_forces(solve);
  impi_reference_keep(solve, direct->forced.data);
  ImpiSolverReport report = solve->report;
  double change = 1;
  for (int n = 0; n < MAX_STEPS && change > ENOUGH; ++n) {
    set_velocities(solve, direct->middle.data);
    look_at_middle(solve);
    solve->report.solved_to = report.solved_to;
    change = improve(solve);
  }
  if (!(change <= NEAR) || (may_cut && !(lost(solve) <= LOSSY))) {
    solve->report.solved_to = report.solved_to;
    solve->report.reason = report.reason;
    return false;
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
  return true;
}


// Return the impulse that a row repeats in the second half of the substep: the row's impulse in the first half; of a
// slow spring, only the spring's part; 0 for contacts, fast springs and rows with acts_at_once().
static double repeated(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  if (row->noted == NULL || acts_at_once(solve, row)) {
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


// Copy the rows of the first half to `fixes`, with the impulses that the second half repeats.
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


// Set the bounds of the rows in the second half. For a row with acts_at_once(): 2 lower - l and 2 upper - l, where l is
// the row's impulse in the first half. For other rows: lower - r and upper - r, where r is the row's repeated().
static void leave_bounds(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->fixes.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    bool at_once = row->noted != NULL && acts_at_once(solve, row);
    double times = at_once ? 2 : 1, taken = at_once ? ref->impulses.data[i] : ref->fixes.data[i].lambda;
    row->lower = times * row->lower - taken;
    row->upper = times * row->upper - taken;
  }
}


// Undo leave_bounds.
static void give_bounds_back(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->fixes.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    bool at_once = ref->fixes.data[i].noted != NULL && acts_at_once(solve, &ref->fixes.data[i]);
    double times = at_once ? 0.5 : 1, taken = at_once ? ref->impulses.data[i] : ref->fixes.data[i].lambda;
    row->lower = times * (row->lower + taken);
    row->upper = times * (row->upper + taken);
  }
}


// Prepare the rows of the second half. A row solves for its impulse beyond repeated(), with the initial guess 0. A slow
// spring becomes a damper.
static void leave_repeated(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->lambda = row->noted != NULL ? 0 : row->lambda;
    if (row->rotor != NULL) { // b = -s; lambda changes the rotor's speed s by -lambda / armature
      row->bias += ref->fixes.data[i].lambda / row->rotor->set.armature;
    }
    if (is_spring(row)) {
      Spring spring = spring_of(solve, row);
      bool at_once = acts_at_once(solve, row);
      make_soft(row, spring.slow || at_once ? 0 : spring.stiffness, at_once ? 0 : spring.damping, row->c, ref->h,
                2 * ref->h);
    }
  }
  leave_bounds(solve);
  for (int i = 0; i < ref->rows.count; ++i) {
    ref->impulses.data[i] += ref->fixes.data[i].lambda;
  }
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
  impi_direct_solve_rows(solve);
  for (int i = 0; i < ref->fixes.count; ++i) {
    ImpiRow *row = &ref->fixes.data[i];
    if (row->lambda != 0) {
      impi_reference_store_row(solve, row, impi_row_work(row, solve->motions));
      impi_reference_enter_row(solve, row);
    }
  }
  impi_reference_store(solve);
  give_bounds_back(solve);
  impi_direct_join_halves(ref);
}


// Set the impulses and bounds of the first half. A force acts wholly in the first half; other impulses start from half
// of the stored impulse. Rows with acts_at_once() have the bounds of the whole substep.
static void begin_first_half(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->lambda *= row->kind == IMP_ROW_FORCE ? 2 : 0.5;
  }
  impi_reference_push_forces(solve);
  impi_reference_look_ahead(solve, 2 * ref->h); // positions advance over both halves
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    bool at_once = row->noted != NULL && acts_at_once(solve, row);
    row->lower *= at_once ? 2 : 1;
    row->upper *= at_once ? 2 : 1;
  }
}


bool impi_direct_by_midpoint(ImpiSolve *solve, bool may_cut) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  double h = ref->h, t = ref->t;
  ref->h = 0.5 * h;
  ref->split = true;
  impi_reference_rows(solve);
  begin_first_half(solve);
  bool found = find_middle(solve, may_cut);
  if (found) {
    impi_reference_store(solve);
    keep_rows(solve);
    ref->h = h;
    impi_reference_move(solve);
    ref->h = 0.5 * h;
    ref->t += h;
    ref->second = true;
    impi_reference_rows_at_end(solve);
    impi_direct_keep_first_half(ref);
    impi_reference_push_forces(solve);
    impi_reference_look_ahead(solve, h);
    leave_repeated(solve);
    finish_second_half(solve);
    impi_direct_project(solve, ref->t);
    ref->second = false;
  }
  ref->h = h;
  ref->t = t;
  ref->split = false;
  return found;
}
