// The direct solver at the acceleration level: lambda is a force.
//
//   C(x) = 0,  J v = 0  =>  J a + J'v = 0,  M a = F + J^T lambda
//   J M^-1 J^T lambda = -(J'v + J M^-1 F)                                 locks
//   v' = v + h (M^-1 (F + J^T lambda)),  x' = x + h v'
// v' and x' are the values after the substep; J' is the time derivative of J. The second line times h is the row of a
// lock, with J v before any force:
//   J v' + b = 0,  b = h J'v - J v
// Rows at the velocity level are part of the same solve: limits, motors, contacts and friction, rows that depend on
// time, and velocity constraints.
// The equations do not correct errors of C and J v. Therefore positions are projected by Newton's method, and the error
// of a speed is removed in the next step. position_iterations = 0 turns off both corrections, as in the lecture (see
// source).
// A substep whose rows increase the kinetic energy too much is repeated at the velocity level, where J v' = 0, because
// the locks of a fully stretched mechanism cannot all satisfy J a = -J'v.
// The projection moves bodies but no rotors (armature, speed s). For the coordinate of a rotor, v' is therefore the
// velocity along the chord from x to x':
//   C(x') = C(x) + h J v' + h^2 / 2 J'v = C(x) + h s'   =>   J v' = s' - h/2 J'v
// to second order. Drives of the coordinate act on the rotor, so their rows prescribe s' too.
// If C is quadratic in x, the trajectory equals that of the velocity level.
// source: Lecture VI, "Constraints and Controllers", global solution at the acceleration level (its slide lacks the
//         minus sign of the second line); Witkin, "Physically based modeling: constrained dynamics" (1997)
#include "solvers/direct.h"

// Rows that increase the kinetic energy by more than this factor are repeated at the velocity level.
#define TOO_MUCH 2


static bool is_accelerated(const ImpiJoint *joint, const ImpiRow *row) {
  bool lock = row->kind == IMP_ROW_LOCK;
  return lock && !impi_joint_is_timed(joint) && !impi_joint_is_velocity(joint) && !impi_joint_is_called(joint);
}


static void take_accelerations(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
    for (int k = 0; k < joint->row_count; ++k) {
      ImpiRow *row = &ref->rows.data[joint->first_row + k];
      double speed = -row->approach_speed, bend = ref->h * row->curvature;
      double wrong = speed - impi_clamp(speed, impi_min(0, bend), impi_max(0, bend));
      if (is_accelerated(joint, row)) {
        row->fix = impi_position_iterations(solve->solver, solve->settings) > 0 ? wrong : 0;
        row->bias = bend - speed + row->fix;
      }
    }
  }
}


// Add part * h/2 J'v to the bias of all rows of coordinates with a rotor. part = 1: the rows prescribe s' instead of
// v'. part = -1: undo this.
static void drive_rotors(ImpiSolve *solve, double part) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *armature = &ref->rows.data[i];
    if (armature->rotor == NULL) {
      continue;
    }
    const ImpiJoint *joint = &solve->joints[armature->owner];
    if (impi_joint_is_timed(joint) || impi_joint_is_velocity(joint) || impi_joint_is_called(joint)) {
      continue;
    }
    for (int k = 0; k < joint->row_count; ++k) {
      ImpiRow *row = &ref->rows.data[joint->first_row + k];
      row->bias += row->index == armature->index ? 0.5 * part * ref->h * row->curvature : 0;
    }
  }
}


// Return the kinetic energy of the bodies and the rotors [J]. If `after`, the rotors' speeds include the impulses of
// their rows.
static double kinetic_energy(const ImpiSolve *solve, bool after) {
  const ImpiReference *ref = solve->scratch;
  double sum = 0;
  for (int i = 0; i < solve->awake_count; ++i) {
    const ImpiBody *body = &solve->bodies[solve->awake[i]];
    const ImpiMotion *m = &solve->motions[solve->awake[i]];
    sum += 0.5 * (body->mass * (m->vx * m->vx + m->vy * m->vy) + body->inertia * m->w * m->w);
  }
  for (int i = 0; i < ref->rows.count; ++i) {
    const ImpiRow *row = &ref->rows.data[i];
    if (row->rotor != NULL) {
      double inertia = row->rotor->set.armature, s = row->rotor->rotor - (after ? row->lambda / inertia : 0);
      sum += 0.5 * inertia * s * s;
    }
  }
  return sum;
}


// Solve the rows at the acceleration level or, if the energy increases too much, at the velocity level.
static void solve_rows(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  impi_reference_keep(solve, ref->kept.data);
  for (int i = 0; i < ref->rows.count; ++i) {
    ref->impulses.data[i] = ref->rows.data[i].lambda;
  }
  double before = kinetic_energy(solve, false);
  impi_reference_warm_start(solve);
  impi_direct_solve_rows(solve);
  if (kinetic_energy(solve, true) <= TOO_MUCH * before) {
    return;
  }
  impi_reference_go_back(solve, ref->kept.data);
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->lambda = ref->impulses.data[i];
    if (row->noted != NULL && is_accelerated(&solve->joints[row->owner], row)) {
      row->bias = row->rate;
      row->fix = 0;
    }
  }
  drive_rotors(solve, -1);
  impi_reference_warm_start(solve);
  impi_direct_solve_rows(solve);
}


static void acceleration_substep(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  const ImpiReference *ref = &direct->reference;
  impi_reference_rows(solve);
  impi_reference_push_forces(solve);
  impi_reference_look_ahead(solve, ref->h);
  take_accelerations(solve);
  drive_rotors(solve, 1);
  impi_stiffness_begin(solve, &direct->stiffness);
  impi_reference_forces(solve);
  solve_rows(solve);
  impi_reference_store(solve);
  impi_stiffness_end(solve, &direct->stiffness);
  impi_reference_move(solve);
  impi_direct_project(solve, ref->t + ref->h);
}


const ImpiSolver impi_solver_acceleration = {
    .name = "acceleration",
    .ranks = true,
    .default_substeps = 1,
    .default_iterations = 1,
    .default_position_iterations = 20,
    .reserve = impi_direct_reserve,
    .substep = acceleration_substep,
    IMPI_REFERENCE_SOLVER,
    .scratch = sizeof(ImpiDirect),
    .destroy = impi_direct_destroy,
};
