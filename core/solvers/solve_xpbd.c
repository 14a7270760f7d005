// Extended position-based dynamics (XPBD) in small steps, for all kinds of rows.
//
//   1    v += h M^-1 F,  where F includes force rows;  x = x_0 + h v
//   2    sweeps over joints and contacts; C and J of each are recomputed at the present poses, and for each row
//          d lambda_x = -(C + alpha~ lambda_x) / (J M^-1 J^T + alpha~),   alpha~ = alpha / h^2
//          x += M^-1 J^T d lambda_x
//   3    v = (x - x_0) / h
//   4    velocities of contacts: bounce, and friction bounded by the normal impulses of the sweeps
// lambda_x is in N s^2 or N m s^2. This file stores lambda = lambda_x / h, the impulse, and updates velocities, v +=
// M^-1 J^T d lambda, x = x_0 + h v: then 3 holds at all times, and a position row is a velocity row with
//   J v + b = C(x) / h
// lambda is clamped to the row's bounds, and is the impulse that joints and contacts report.
//   lock, limit, servo, contact    alpha = 0; an inequality that is not reached stays open
//   armature, damping              velocity rows, soft by impi_row_soften
//   spring                         alpha = 1 / k, and damping as in Macklin, which is the implicit step of a spring
//                                    lambda = -h (k C + c C_dot),   C, C_dot at the end of the substep
//   motor, friction, rolling,      velocity rows, J (x - x_0) + h b = 0. They are part of the sweeps, so that a motor
//   velocities, user rows            does not work against a lock that is solved only in the next substep
//   rows whose force is limited    velocity rows too, which correct C by beta / dt: an arm that is driven to its target
//                                    with the full force of its servo must brake before it arrives
// Differences from the solver of these papers, and reasons:
//   - Overlap within the slop is not corrected, so contacts at rest have no position error. Therefore contacts start
//     from their last impulses (`warm_start`). Joints start from 0, because the velocity v = (x - x_0) / h already
//     contains their corrections.
//   - Overlap at the substep's start is corrected at push_speed at most.
//   - With `relax` stage 4 includes all rows but springs, with J at the new poses and without C: this removes the
//     velocity that corrections of old errors caused.
//
// Cost: J is taken at the substep's end, which damps motion in proportion to h. A 1 m pendulum released at a horizontal
// position loses 2.3 of 9.8 J in 10 s. Springs of angular frequency w get an additional damping ratio of w h / 2.
// source: Macklin, Mueller, Chentanez, "XPBD" (2016); Macklin et al., "Small Steps in Physics Simulation" (2019);
//         Mueller et al., "Detailed Rigid Body Simulation with Extended Position Based Dynamics" (2020)
#include "solvers/reference.h"


// ---------------------------------------------------------------------------------------------------------------------
// One row
// ---------------------------------------------------------------------------------------------------------------------


// Set the pose of a body to its pose at the start of the substep, moved by the present velocity.
static void place(ImpiSolve *solve, int32_t slot) {
  const ImpiReference *ref = solve->scratch;
  const ImpiBody *body = &solve->bodies[slot];
  if (body->inv_mass > 0 && body->lane > 0) {
    const ImpiMotion *from = &ref->kept.data[body->lane];
    ImpiMotion *motion = &solve->motions[slot], at = *from;
    at.vx = motion->vx;
    at.vy = motion->vy;
    at.w = motion->w;
    impi_body_integrate_position(body, &at, ref->h);
    *motion = at;
  }
}


static void place_all_of(ImpiSolve *solve, const ImpiRow *row) {
  place(solve, row->body_a);
  place(solve, row->body_b);
  for (int i = 0; i < row->more_count; ++i) {
    place(solve, row->more[i].body);
  }
}


// Enter the work of the impulse `applied`. `before`: speed of the row before the impulse.
static void enter_work(ImpiSolve *solve, ImpiRow *row, double applied, double before) {
  double work = 0.5 * applied * (before + impi_row_speed(row, solve->motions));
  *row->done += impi_is_finite(work) ? work : 0;
  row->entered += row->rotor != NULL && impi_is_finite(work) ? work : 0;
  if (solve->ledger != NULL) {
    ImpiRow part = *row;
    part.lambda = applied;
    part.fix = row->error != 0 ? row->fix : 0; // the distance to a limit or surface is not an error
    impi_ledger_row(solve->ledger, &part, work, solve->bodies, solve->motions);
  }
}


// Collect the rows that drive one coordinate, with `relax` only those that relaxation solves. Return their number.
static int drives_of(ImpiReference *ref, int32_t i, bool relax, ImpiRow **out_drives) {
  int count = 0;
  for (int k = 0; k < ref->rows.data[i].together; ++k) {
    ImpiRow *row = &ref->rows.data[i + k];
    bool force = row->kind == IMP_ROW_SPRING || row->kind == IMP_ROW_FORCE;
    if (!relax || (!row->open && !force)) {
      out_drives[count++] = row;
    }
  }
  return count;
}


static double exert(ImpiSolve *solve, int32_t i, bool relax) {
  ImpiReference *ref = solve->scratch;
  ImpiRow *row = &ref->rows.data[i], *drives[IMPI_DRIVE_ROWS];
  double before = impi_row_speed(row, solve->motions), old[IMPI_DRIVE_ROWS] = {row->lambda}, applied = 0;
  int count = drives_of(ref, i, relax, drives);
  for (int k = 0; k < count; ++k) {
    old[k] = drives[k]->lambda;
  }
  if (count == 1) {
    applied =
        impi_row_solve(ref->rows.data, (int32_t)(drives[0] - ref->rows.data), solve->bodies, solve->motions, true);
  } else if (count > 1) {
    applied = impi_rows_update(drives, count, solve->motions);
    impi_row_apply(row, solve->bodies, solve->motions, applied);
  }
  for (int k = 0; k < count; ++k) {
    if (drives[k]->lambda != old[k]) {
      enter_work(solve, drives[k], drives[k]->lambda - old[k], before);
    }
  }
  return applied;
}


// ---------------------------------------------------------------------------------------------------------------------
// Positions
// ---------------------------------------------------------------------------------------------------------------------


// Set up a soft row. For a spring, lambda = -(h k C + h c C_dot) at the end of the substep, with C = x + h C_dot:
//   lambda = -(K C_dot + h k x),   K = h^2 k + h c,   C_dot = J v + rate
static void set_spring(const ImpiSolve *solve, ImpiRow *row, double speed) {
  const ImpiReference *ref = solve->scratch;
  const ImpiJoint *joint = &solve->joints[row->owner];
  const ImpDrive *set = &solve->drives[impi_joint_coordinate_const(joint, row->index)->drive].set;
  double stiffness, damping, h = ref->h;
  if (row->mass <= 0) {
    return;
  }
  if (row->kind != IMP_ROW_SPRING) {
    impi_row_soften(row, set, set->armature, h);
    return;
  }
  impi_spring_constants(set, row->swings, &stiffness, &damping);
  double gain = h * (h * stiffness + damping) / row->mass;
  double x = row->c - h * (speed + row->rate);
  row->scale = gain / (1 + gain);
  row->keep = 1 / (1 + gain);
  row->push = h * stiffness * x / (1 + gain);
}


// Return the C allowed at the end of the substep (negative: overlap): the initial overlap if it is within the slop,
// else the overlap after a correction at push_speed.
static double overlap_left(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  double slop = solve->settings->slop, began = row->c_before;
  return impi_min(impi_min(impi_max(began, -slop), began + ref->h * impi_push_speed(solve->settings)), 0);
}


// Return whether a row is a position row. Motors, friction, rolling, velocity coordinates and rows whose force is
// limited are velocity rows.
static bool holds_position(const ImpiSolve *solve, const ImpiRow *row) {
  bool rate = row->noted != NULL && impi_joint_is_velocity(&solve->joints[row->owner]);
  bool speed = row->kind == IMP_ROW_MOTOR || row->kind == IMP_ROW_FRICTION || row->kind == IMP_ROW_ROLLING;
  return !rate && !speed && impi_reference_is_rigid(row);
}


// Set the bias of a position row so that J v + bias = C / h for the present velocities v and C at the present poses.
// `fix`: the part of the bias that this function adds.
static void aim_row(ImpiSolve *solve, ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  double speed = impi_row_speed(row, solve->motions), required = row->bias - row->fix;
  if (impi_row_is_soft_drive(row)) {
    set_spring(solve, row, speed);
  } else if (holds_position(solve, row)) {
    double left = row->kind == IMP_ROW_NORMAL ? overlap_left(solve, row) : 0, way = (row->c - left) / ref->h;
    // C of a user row is known only at the start of the substep; the target of a servo moves during the substep
    row->fix = row->kind == IMP_ROW_USER    ? way
               : row->kind == IMP_ROW_SERVO ? way - speed - row->rate
                                            : way - speed - required;
    row->bias = required + row->fix;
  }
}


// Recompute C and J of all rows of a joint or contact at the present poses.
static void look_again(ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  if (row->noted != NULL) {
    impi_reference_joint_again(solve, row->owner, ref->t + ref->h);
  } else {
    impi_reference_contact_again(solve, row->owner);
  }
}


static double project_row(ImpiSolve *solve, int32_t i, int32_t previous) {
  ImpiReference *ref = solve->scratch;
  ImpiRow *row = &ref->rows.data[i];
  if (previous < 0 || row->block != ref->rows.data[previous].block) {
    bool joint = row->noted != NULL;
    int first = joint ? solve->joints[row->owner].first_row : solve->contacts[row->owner].first_row;
    int count = joint ? solve->joints[row->owner].row_count : solve->contacts[row->owner].row_count;
    look_again(solve, row);
    for (int k = first; k < first + count; ++k) {
      aim_row(solve, &ref->rows.data[k]);
    }
  }
  double applied = exert(solve, i, false);
  if (applied != 0) {
    place_all_of(solve, row);
  }
  return applied;
}


// Let limits whose force is limited act before they are reached. They are velocity rows in this solver.
static void meet_forces(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    bool limit = row->kind == IMP_ROW_LOWER_LIMIT || row->kind == IMP_ROW_UPPER_LIMIT;
    if (limit &&
        solve->drives[impi_joint_coordinate_const(&solve->joints[row->owner], row->index)->drive].set.limit_max <
            HUGE_VAL) {
      impi_reference_meet(solve, row, ref->h);
    }
  }
}


static void predict(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    if (row->noted != NULL && row->kind != IMP_ROW_FORCE) {
      row->lambda = 0;
    }
    row->bias = row->kind == IMP_ROW_NORMAL ? -row->bounce : row->bias;
    double before = impi_row_speed(row, solve->motions);
    impi_row_apply(row, solve->bodies, solve->motions, row->lambda);
    enter_work(solve, row, row->lambda, before);
  }
  impi_reference_keep(solve, ref->kept.data);
  for (int i = 0; i < solve->awake_count; ++i) {
    int32_t slot = solve->awake[i];
    impi_body_integrate_position(&solve->bodies[slot], &solve->motions[slot], ref->h);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Velocities
// ---------------------------------------------------------------------------------------------------------------------


// Prepare a row for stage 4: remove the correction of C from its bias. An inequality without impulse stays inactive.
static void let_go(const ImpiSolve *solve, ImpiRow *row) {
  bool inequality = row->lower == 0 || row->upper == 0;
  if (holds_position(solve, row)) {
    row->bias -= row->fix;
    row->fix = 0;
  }
  row->open = inequality && row->lambda == 0 && row->bound_row < 0;
}


static void solve_velocities(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    if (i == 0 || ref->rows.data[i].block != ref->rows.data[i - 1].block) {
      look_again(solve, &ref->rows.data[i]);
    }
  }
  for (int i = 0; i < ref->rows.count; ++i) {
    let_go(solve, &ref->rows.data[i]);
  }
  for (int n = 0; n < ref->iterations; ++n) {
    for (int k = 0; k < ref->rows.count; ++k) {
      int32_t i = ref->order.data[k];
      const ImpiRow *row = &ref->rows.data[i];
      if (solve->settings->relax || row->noted == NULL) {
        exert(solve, i, true);
      }
    }
  }
}


// Return the first lock row of a joint, or null.
static const ImpiRow *lock_of(const ImpiSolve *solve, const ImpiJoint *joint) {
  const ImpiReference *ref = solve->scratch;
  for (int i = joint->first_row; i < joint->first_row + joint->row_count; ++i) {
    if (ref->rows.data[i].kind == IMP_ROW_LOCK) {
      return &ref->rows.data[i];
    }
  }
  return NULL;
}


// Store all rows; enter_work has entered their work. The work of an armature row becomes its impulse times the mean
// speed of the substep. The rest of the work entered for the row is moved to the first lock row of the joint.
static void store(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    const ImpiRow *lock = row->rotor != NULL ? lock_of(solve, &solve->joints[row->owner]) : NULL;
    double left = lock != NULL ? row->entered - impi_row_work(row, solve->motions) : 0;
    left = impi_is_finite(left) ? left : 0;
    impi_reference_store_row(solve, row, -left);
    if (lock != NULL) {
      *lock->done += left;
    }
  }
}


static void xpbd_substep(ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  impi_reference_rows(solve);
  impi_reference_push_forces(solve);
  meet_forces(solve);
  impi_reference_forces(solve);
  impi_reference_enter_forces(solve);
  predict(solve);
  impi_reference_sweep_by(solve, ref->iterations, project_row);
  impi_reference_enter_falls(solve, IMP_ENERGY_INTEGRATION, ref->kept.data);
  solve_velocities(solve);
  store(solve);
  impi_reference_move_targets(solve);
}


const ImpiSolver impi_solver_xpbd = {
    .name = "xpbd",
    .default_substeps = 8,
    .default_iterations = 2,
    .reserve = impi_reference_reserve_fixes,
    .substep = xpbd_substep,
    IMPI_REFERENCE_SOLVER,
    .scratch = sizeof(ImpiReference),
    .destroy = impi_reference_destroy,
};
