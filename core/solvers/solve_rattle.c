// RATTLE: velocity Verlet for constrained motion, of second order and symplectic on locks.
//
//   v_half = v + h/2 M^-1 (F(x) + J(x)^T lambda),  x' = x + h v_half      lambda such that C(x', t') = 0
//   v'     = v_half + h/2 M^-1 F(x') + M^-1 J(x')^T mu                    mu such that J(x') v' + b = 0
// Each half is a kick of h/2 at the present pose, with the rows of a substep of h/2. Springs and rows with bounds
// (limits, motors, contacts, friction) are solved at the velocity level in both halves. The first half also solves the
// locks at the velocity level, with J v_half = 0, as the start of Newton's method for C(x', t') = 0. Newton's method
// uses the factor of J(x) M^-1 J(x)^T.
// Force fields act before each kick, for h/2 too.
// Impacts are neither symplectic nor of second order. Overlap of contacts and limits is corrected as in the other
// direct solvers.
// The rotor of a coordinate (armature R, speed s) is one more body, coupled to the coordinate by J v = s, with s' = s -
// lambda / R. The impulse of a row over the substep is the sum of both halves.
// source: Andersen, "Rattle: a 'velocity' version of the Shake algorithm" (1983); Hairer, Lubich, Wanner, "Geometric
//         Numerical Integration" (2006), VII.1.4
#include "solvers/direct.h"

// Newton's method on positions ends at this error [m or rad], or after this many steps.
#define ENOUGH 1e-14
#define MAX_STEPS 50

// Dampers whose rate times h / 2 is below this are explicit in the first half.
#define GENTLE 0.5

// If Newton's method leaves more than this error [m or rad] in an island, the result is undone, because the locks
// contradict each other.
#define CONTRADICTS 1e-9

// A Newton step that overshoots is halved, down to about this part of the full step.
#define SHORTEST 1e-3


// Return whether a row is an equation for positions, C(x', t') = 0.
static bool is_equation(const ImpiSolve *solve, const ImpiRow *row) {
  if (row->noted == NULL || row->mass <= 0) {
    return false;
  }
  bool endless = row->lower == -HUGE_VAL && row->upper == HUGE_VAL;
  bool lock = row->kind == IMP_ROW_LOCK || row->kind == IMP_ROW_ARMATURE || (row->kind == IMP_ROW_SERVO && endless);
  bool dropped = row->kind == IMP_ROW_LOCK && row->index < 32 && solve->joints[row->owner].dropped >> row->index & 1u;
  return lock && !dropped && !impi_joint_is_velocity(&solve->joints[row->owner]);
}


// Return the difference between a coordinate and its rotor, which has turned by h (s - lambda / R).
static double lag_of_rotor(ImpiSolve *solve, const ImpiRow *row, double t, double h) {
  double speed = row->rotor->rotor - row->lambda / row->rotor->set.armature;
  return impi_reference_value(solve, row, t) - row->c - h * speed;
}


static bool stands_before(const ImpiRow *fix, const ImpiRow *row) {
  return fix->block < row->block || (fix->block == row->block &&
                                     (fix->index < row->index || (fix->index == row->index && fix->kind != row->kind)));
}


// Join the bodies of equations into islands. Newton's method converges or ends separately for each island.
static void find_islands(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  const ImpiRowArray *rows = &direct->reference.rows;
  impi_direct_begin_islands(solve);
  for (int i = 0; i < rows->count; ++i) {
    if (is_equation(solve, &rows->data[i])) {
      impi_exact_join(solve, &direct->islands, &rows->data[i]);
    }
  }
  for (int i = 0; i <= solve->awake_count; ++i) {
    direct->errors.data[i].worst = HUGE_VAL;
    direct->errors.data[i].state = IMPI_ITERATING;
  }
}


// Compute the errors of the equations at the present poses and time t. Write each error times -1 to x of the factor,
// and the largest |error| of each island to `left`. `rows` and `fixes` must be in the same order.
static void read_errors(ImpiSolve *solve, double t, double h) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  impi_reference_errors(solve, t);
  for (int i = 0; i <= solve->awake_count; ++i) {
    direct->errors.data[i].left = 0;
  }
  int at = 0;
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    double *x = &direct->exact.x.data[direct->exact.place.data[i]];
    *x = 0;
    if (!is_equation(solve, row)) {
      continue;
    }
    if (row->rotor != NULL) {
      *x = -lag_of_rotor(solve, row, t, h);
    } else {
      while (at < ref->fixes.count && stands_before(&ref->fixes.data[at], row)) {
        at++;
      }
      *x = at < ref->fixes.count && ref->fixes.data[at].block == row->block ? -ref->fixes.data[at].error : 0;
    }
    double *left = &impi_direct_errors(solve, row)->left;
    *left = impi_max(*left, fabs(*x));
  }
}


// Compute the Newton step of the equations of iterating islands, and write it to `impulses`.
static void find_step(ImpiSolve *solve, double h) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  double *x = direct->exact.x.data;
  const int32_t *place = direct->exact.place.data;
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    bool open = is_equation(solve, row) && impi_direct_errors(solve, row)->state == IMPI_ITERATING;
    x[place[i]] = open ? x[place[i]] : 0;
  }
  impi_factor_solve(&direct->exact.factor, x);
  for (int i = 0; i < ref->rows.count; ++i) {
    ref->impulses.data[i] = x[place[i]] / h;
  }
}


// Add `part` of the Newton step in `impulses` to lambda of each equation, and move the bodies.
static void take(ImpiSolve *solve, double part, double h) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    double change = part * ref->impulses.data[i];
    ref->rows.data[i].lambda += change;
    impi_row_apply(&ref->rows.data[i], solve->bodies, solve->motions, change);
  }
  impi_direct_place(solve, h);
}


// Set `impulses` to 0, except in iterating islands where the Newton step did not decrease the largest error. Return
// whether there is such an island.
static bool keep_too_far(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  bool any = false;
  for (int i = 0; i < ref->rows.count; ++i) {
    bool keeps = is_equation(solve, &ref->rows.data[i]);
    if (keeps) {
      const ImpiErrors *errors = impi_direct_errors(solve, &ref->rows.data[i]);
      keeps = errors->state == IMPI_ITERATING && !(errors->left < errors->worst);
    }
    ref->impulses.data[i] = keeps ? ref->impulses.data[i] : 0;
    any = any || keeps;
  }
  return any;
}


// End the iteration of islands whose largest error is small enough or did not decrease; copy `left` to `worst`. Return
// whether an island still iterates.
static bool look(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  bool any = false;
  for (int i = 0; i <= solve->awake_count; ++i) {
    ImpiErrors *errors = &direct->errors.data[i];
    bool open = errors->state == IMPI_ITERATING && errors->left > ENOUGH && errors->left < errors->worst;
    errors->state = open ? IMPI_ITERATING : IMPI_CONVERGED;
    errors->worst = errors->left;
    any = any || open;
  }
  return any;
}


// In islands where Newton's method left errors, restore the impulses, and move the bodies by the velocities before
// Newton's method.
static void give_up(ImpiSolve *solve, double h) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    if (is_equation(solve, row) && impi_direct_errors(solve, row)->worst > CONTRADICTS) {
      row->lambda = direct->exact.rows.data[i].start;
    }
  }
  for (int i = 0; i < solve->awake_count; ++i) {
    if (direct->errors.data[impi_islands_root(&direct->islands, i + 1)].worst > CONTRADICTS) {
      solve->motions[solve->awake[i]] = direct->tried.data[i + 1];
    }
  }
  impi_direct_place(solve, h);
}


// Find lambda such that C(x', t') = 0, and move the bodies to x'.
static void move_on_constraints(ImpiSolve *solve, double h) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  ImpiExact *exact = &direct->exact;
  double end = ref->t + h;
  impi_reference_keep(solve, ref->kept.data);
  impi_exact_begin(solve, exact, &ref->rows);
  for (int i = 0; i < ref->rows.count; ++i) {
    exact->fixed.data[exact->place.data[i]] = !is_equation(solve, &ref->rows.data[i]);
  }
  for (int i = 0; i < ref->rows.count; ++i) {
    exact->rows.data[i].start = ref->rows.data[i].lambda;
  }
  impi_exact_factor(exact);
  find_islands(solve);
  impi_reference_keep(solve, direct->tried.data);
  impi_direct_place(solve, h);
  read_errors(solve, end, h);
  for (int n = 0; n < MAX_STEPS && look(solve); ++n) {
    find_step(solve, h);
    take(solve, 1, h);
    read_errors(solve, end, h);
    for (double part = 1; part > SHORTEST && keep_too_far(solve); part *= 0.5) {
      take(solve, -0.5 * part, h);
      read_errors(solve, end, h);
    }
    solve->report.sweeps++;
  }
  look(solve);
  give_up(solve, h);
  solve->report.flops += exact->factor.flops;
  impi_reference_enter_falls(solve, IMP_ENERGY_INTEGRATION, ref->kept.data);
}


// Make dampers explicit in the first half. They are implicit in the second half (trapezoidal rule). Strong dampers are
// implicit in both halves.
static void damp_first_half(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    if (row->kind != IMP_ROW_DAMPING || row->mass <= 0) {
      continue;
    }
    const ImpDrive *set = impi_reference_drive(solve, row);
    double gain = ref->h * set->viscous_damping;
    if (gain < GENTLE * (row->mass + set->armature)) {
      row->lambda = row->lower = row->upper = gain * row->approach_speed;
    }
  }
}


// Set up springs. The force of a spring is evaluated at the present pose:
//   lambda = -pull - gain v',   pull = h/2 stiffness (q - target),   gain = h/2 damping
// Weak damping is explicit in the first half: -gain v, with v before any force. The force of a stiff spring is
// evaluated at the pose predicted for the end of the whole substep: gain = h/2 (damping + h stiffness).
static void aim_springs(ImpiSolve *solve, bool first) {
  ImpiReference *ref = solve->scratch; // its h is half a substep
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    if (row->kind != IMP_ROW_SPRING || row->mass <= 0) {
      continue;
    }
    const ImpDrive *set = impi_reference_drive(solve, row);
    double stiffness, damping, mass = row->mass + set->armature;
    impi_spring_constants(set, row->swings, &stiffness, &damping);
    bool stiff = stiffness * ref->h * ref->h >= IMPI_SLOW_SPRING * IMPI_SLOW_SPRING * mass;
    double gain = ref->h * damping, pull = ref->h * stiffness * row->c;
    if (stiff) {
      gain = ref->h * (damping + 2 * ref->h * stiffness);
    } else if (first && gain < GENTLE * mass) {
      pull += gain * (row->bias - row->approach_speed);
      gain = 0;
    }
    gain /= row->mass;
    row->scale = gain / (1 + gain);
    row->keep = 1 / (1 + gain);
    row->push = pull / (1 + gain);
  }
}


// Apply a kick of ref->h at the present pose: forces, and all rows at the velocity level.
static void kick(ImpiSolve *solve) {
  impi_reference_push_forces(solve);
  // positions advance over both halves
  impi_reference_look_ahead(solve, 2 * ((const ImpiReference *)solve->scratch)->h);
  impi_reference_forces(solve);
  impi_reference_warm_start(solve);
  impi_direct_solve_rows(solve);
}


static void rattle_substep(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  double h = ref->h;
  ref->h = 0.5 * h;
  impi_reference_rows(solve);
  for (int i = 0; i < ref->rows.count; ++i) {
    ref->rows.data[i].lambda *= ref->rows.data[i].kind == IMP_ROW_FORCE ? 1 : 0.5;
  }
  damp_first_half(solve);
  aim_springs(solve, true);
  kick(solve);
  impi_reference_move_targets(solve);
  impi_reference_move_targets(solve);
  move_on_constraints(solve, h);
  impi_reference_store(solve);
  ref->t += h;
  if (solve->push_fields != NULL) {
    solve->push_fields(solve, ref->h, ref->t, ref->t);
  }
  impi_reference_rows_at_end(solve);
  impi_direct_keep_first_half(ref);
  aim_springs(solve, false);
  kick(solve);
  impi_reference_store(solve);
  impi_direct_join_halves(ref);
  impi_direct_project(solve, ref->t);
  ref->h = h;
}


const ImpiSolver impi_solver_rattle = {
    .name = "rattle",
    .ranks = true,
    .halves = true,
    .default_substeps = 1,
    .default_iterations = 1,
    .default_position_iterations = 20,
    .reserve = impi_direct_reserve,
    .substep = rattle_substep,
    IMPI_REFERENCE_SOLVER,
    .scratch = sizeof(ImpiDirect),
    .destroy = impi_direct_destroy,
};
