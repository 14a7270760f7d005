// Extended position-based dynamics in small steps, for every row that there is.
//
//   1    v += h M^-1 F,  of force rows too;  x = x_0 + h v
//   2    sweeps over joints and contacts; at each, C and J are taken anew where the bodies are now, and of each row
//          d lambda_x = -(C + alpha~ lambda_x) / (J M^-1 J^T + alpha~),   alpha~ = alpha / h^2
//          x += M^-1 J^T d lambda_x
//   3    v = (x - x_0) / h
//   4    velocities of what touches: bounce, friction within the impulses that were really needed
// lambda_x is in N s^2 or N m s^2. This file keeps lambda = lambda_x / h, the impulse, and moves the velocities along,
// v += M^-1 J^T d lambda, x = x_0 + h v: then 3 holds at all times, and a row of positions is a row of velocities with
//   J v + b = C(x) / h
// lambda is kept within the row's bounds, and is what joints and contacts report.
//   lock, limit, servo, contact    alpha = 0; an inequality that is not reached stays open
//   armature, damping              velocities, soft by impi_row_soften
//   spring                         alpha = 1 / k, and damping as Macklin adds it, which is the implicit step of a spring
//                                    lambda = -h (k C + c C_dot),   C, C_dot at the end of the substep
//   motor, friction, rolling,      what they ask for as a velocity, J (x - x_0) + h b = 0: they share the sweeps, so that
//   velocities, rows of the user     a motor does not work against a lock that is only looked at in the next substep
//   with a largest force           as a velocity too, which corrects C by beta / dt: an arm that is thrown at its target
//                                    by all the force of its servo must brake before it is there
// Where this is not the papers' solver, and why:
//   - Contacts start from their last impulses (`warm_start`), and overlap within the slop is kept, not corrected: such
//     rows remember no position, so that nothing but the last impulse brings them near to what they need. Without, a
//     stack of five shivers at 0.06 m/s and one of ten falls. Joints start from 0: an error that is corrected is
//     a velocity, v = (x - x_0) / h, and with it goes the next prediction. To start from the last impulse too doubles
//     that, and sweeps which leave more than half of an error then diverge.
//   - Overlap that the substep began with goes at push_speed at most.
//   - With `relax` stage 4 takes all rows but springs, with J where the bodies arrived and without C: what the correction
//     of an old error left as velocity is gone again, and a pendulum loses a quarter less. Without `relax` a body that
//     begins beyond its limit leaves it at C / h.
//
// What it costs: J is that of the substep's end, so motion is damped in the first order of h. 1 m pendulum, let go level,
// 10 s: 2.3 of 9.8 J. What springs lose is w h / 2 as damping ratio.
//
// 8 substeps of 2 sweeps: h^2 is what errors go with, so that substeps are worth more than sweeps (2019); the second
// sweep is for rows that share their bodies, as the two of a hinge, of which one sweep leaves up to a third.
// source: Macklin, Mueller, Chentanez, "XPBD" (2016); Macklin et al., "Small Steps in Physics Simulation" (2019);
//         Mueller et al., "Detailed Rigid Body Simulation with Extended Position Based Dynamics" (2020)
#include "solvers/reference.h"


// ---------------------------------------------------------------------------------------------------------------------
// One row
// ---------------------------------------------------------------------------------------------------------------------


// Where a body is by its velocity since the substep began.
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


// Velocities of the row's bodies changed by `applied`, from the speed `before` on: enter the work. Each impulse has its
// own J, so that only single works add up to the change of energy, and not those at the mean of the substep's velocities:
// what holds a load works against gravity here.
static void enter_work(ImpiSolve *solve, ImpiRow *row, double applied, double before) {
  double work = 0.5 * applied * (before + impi_row_speed(row, solve->motions));
  *row->done += impi_is_finite(work) ? work : 0;
  row->entered += row->rotor != NULL && impi_is_finite(work) ? work : 0;
  if (solve->ledger != NULL) {
    ImpiRow part = *row;
    part.lambda = applied;
    part.fix = row->error != 0 ? row->fix : 0; // a way that was still free is no error
    impi_ledger_row(solve->ledger, &part, work, solve->bodies, solve->motions);
  }
}


// Those of the rows that drive one coordinate which relax solves, or all.
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


// lambda = -(h k C + h c C_dot) at the substep's end, for C = x + h C_dot:
//   lambda = -(K C_dot + h k x),   K = h^2 k + h c,   C_dot = J v + rate
static void set_spring(const ImpiSolve *solve, ImpiRow *row, double speed) {
  const ImpiReference *ref = solve->scratch;
  const ImpiJoint *joint = &solve->joints[row->owner];
  const ImpDrive *set = &solve->drives[impi_joint_coordinate_const(joint, row->index)->drive].set;
  double stiffness, damping, h = ref->h;
  if (row->mass <= 0) { // nothing can move: its scale is that of a row that does nothing
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


// Overlap that may be there at the substep's end: what it began with within the slop, and of what is deeper as much as
// may not be pushed out yet.
static double overlap_left(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  double slop = solve->settings->slop, began = row->c_before;
  return impi_min(impi_min(impi_max(began, -slop), began + ref->h * impi_push_speed(solve->settings)), 0);
}


// What has a largest force, and what is no position, asks for a velocity.
static bool holds_position(const ImpiSolve *solve, const ImpiRow *row) {
  bool rate = row->noted != NULL && impi_joint_is_velocity(&solve->joints[row->owner]);
  bool speed = row->kind == IMP_ROW_MOTOR || row->kind == IMP_ROW_FRICTION || row->kind == IMP_ROW_ROLLING;
  return !rate && !speed && impi_reference_is_rigid(row);
}


// Make rows of positions ask for J v + bias = C / h, C at the present poses; `fix` is what that changes of their bias.
static void aim_row(ImpiSolve *solve, ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  double speed = impi_row_speed(row, solve->motions), asked = row->bias - row->fix;
  if (impi_row_is_soft_drive(row)) {
    set_spring(solve, row, speed);
  } else if (holds_position(solve, row)) {
    double left = row->kind == IMP_ROW_NORMAL ? overlap_left(solve, row) : 0, way = (row->c - left) / ref->h;
    row->fix = row->kind == IMP_ROW_USER    ? way                     // only its owner knows C elsewhere
               : row->kind == IMP_ROW_SERVO ? way - speed - row->rate // its target moves on in the substep
                                            : way - speed - asked;
    row->bias = asked + row->fix;
  }
}


// C and J of all rows of the owner of one, where the bodies are now.
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


// Limits with a largest force are velocities here, and act ahead as those; others are met where they are.
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


// An inequality that was not reached stays open; all others ask for what they ask for without C.
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


// The first lock of a joint's rows; null: none.
static const ImpiRow *lock_of(const ImpiSolve *solve, const ImpiJoint *joint) {
  const ImpiReference *ref = solve->scratch;
  for (int i = joint->first_row; i < joint->first_row + joint->row_count; ++i) {
    if (ref->rows.data[i].kind == IMP_ROW_LOCK) {
      return &ref->rows.data[i];
    }
  }
  return NULL;
}


// The work of all rows is entered already. That of an armature was of impulses that answer what locks just did to the
// coordinate; its own is of the mean of the substep's speeds, as the rotor's is, and its joint's locks take the rest.
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
