// Sequential impulses without bias, then non-linear Gauss-Seidel on positions: Box2D 2, dyn4j.
//
//   1    velocities as si, but b contains only bounce, motors, target speeds and ∂C/∂t; it does not correct C
//   2    x += h v
//   3    up to position_iterations times, for contacts, then joints, each at the poses that the last correction gave:
//          contact point   d = M^-1 J^T m_C min(part * overlap beyond the slop, largest push)
//          joint           d = -M^-1 J^T K^-1 C,   K = J M^-1 J^T of all its locks
//          then again, with each limit that is violated treated as a lock
//        until every error is below its tolerance. Velocities are not changed.
// Joints take full Newton steps. Contacts are corrected slowly, because fast corrections would throw the bodies of a
// heap.
// Step 3 skips user rows, and it skips servos and limits with limited force: for these rows b corrects C, as in si.
// A limit acts before it is reached, J v + C / h >= 0.
//
// Cost: a 1 m pendulum released at a horizontal position loses 5.2 of 9.8 J in 10 s at 60 Hz, because velocities are
// solved for the poses before the step.
// source: Catto, Box2D 2.4, b2_island.cpp (notes on position correction), b2_contact_solver.cpp, b2_revolute_joint.cpp
#include "model/block.h"
#include "solvers/reference.h"

// The part of a contact's error that one pass corrects, as in Box2D.
#define CONTACT_PART 0.2
// The largest push of a contact [m], as in Box2D.
#define LARGEST_PUSH 0.2
// The largest angle by which a joint's correction turns a body [rad], because J does not predict larger rotations.
#define LARGEST_TURN 0.5
// A joint counts as corrected if its errors are below this [m, rad].
#define JOINT_TOLERANCE 1e-9
// A contact counts as corrected if its overlap beyond the slop is at most this many slops, as in Box2D.
#define CONTACT_TOLERANCE 2.0


// Move a body by `part` of its displacement, which is stored as its velocity, and set the displacement to 0.
static void correct_body(ImpiSolve *solve, int32_t slot, double part) {
  ImpiMotion *motion = &solve->motions[slot];
  if (solve->bodies[slot].inv_mass > 0) {
    impi_body_integrate_position(&solve->bodies[slot], motion, part);
    motion->vx = motion->vy = motion->w = 0;
  }
}


// Move all bodies of a row by the same part of their displacements. Each body turns by at most LARGEST_TURN.
static void correct_position(ImpiSolve *solve, const ImpiRow *row) {
  double turn = impi_max(fabs(solve->motions[row->body_a].w), fabs(solve->motions[row->body_b].w));
  for (int i = 0; i < row->more_count; ++i) {
    turn = impi_max(turn, fabs(solve->motions[row->more[i].body].w));
  }
  double part = turn > LARGEST_TURN ? LARGEST_TURN / turn : 1;
  correct_body(solve, row->body_a, part);
  correct_body(solve, row->body_b, part);
  for (int i = 0; i < row->more_count; ++i) {
    correct_body(solve, row->more[i].body, part);
  }
}


// Take one Newton step for the rows [first, last) of `fixes`.
static void correct_block(ImpiSolve *solve, int first, int last) {
  ImpiReference *ref = solve->scratch;
  const ImpiRow *rows[IMPI_BLOCK_ROWS];
  double lambda[IMPI_BLOCK_ROWS];
  for (int i = first; i < last; ++i) {
    rows[i - first] = &ref->fixes.data[i];
    lambda[i - first] = -ref->fixes.data[i].error;
  }
  ImpiBlock block;
  impi_block_factor(&block, rows, last - first, solve->bodies);
  impi_block_solve(&block, lambda);
  for (int i = 0; i < last - first; ++i) {
    impi_row_apply(rows[i], solve->bodies, solve->motions, lambda[i]);
  }
  correct_position(solve, rows[0]);
}


// Build `fixes` from the errors of a joint: its locks and, with `limits`, its violated limits. Return whether a limit
// is violated.
static bool joint_errors(ImpiSolve *solve, int index, double t, bool limits) {
  ImpiReference *ref = solve->scratch;
  impi_reference_refresh(solve, solve->active_joints[index], t);
  impi_reference_joint_errors(solve, index, t);
  bool violated = false;
  int kept = 0;
  for (int i = 0; i < ref->fixes.count; ++i) {
    const ImpiRow *row = &ref->fixes.data[i];
    bool lock = row->lower == -HUGE_VAL && row->upper == HUGE_VAL;
    violated = violated || !lock;
    if (lock || limits) {
      ref->fixes.data[kept++] = *row;
    }
  }
  ref->fixes.count = kept;
  return violated;
}


static double worst_error(const ImpiReference *ref) {
  double worst = 0;
  for (int i = 0; i < ref->fixes.count; ++i) {
    worst = impi_max(worst, fabs(ref->fixes.data[i].error));
  }
  return worst;
}


// Correct the errors of a joint. Return the largest error before the correction [m, rad].
static double correct_rows(ImpiSolve *solve, int index, double t, bool limits) {
  ImpiReference *ref = solve->scratch;
  joint_errors(solve, index, t, limits);
  double worst = worst_error(ref);
  for (int first = 0; first < ref->fixes.count; first += IMPI_BLOCK_ROWS) {
    if (first > 0) {
      joint_errors(solve, index, t, limits);
    }
    int count = ref->fixes.count, last = first + IMPI_BLOCK_ROWS;
    if (first < count) {
      correct_block(solve, first, last < count ? last : count);
    }
  }
  return worst;
}


static double correct_joint(ImpiSolve *solve, int index, double t) {
  double worst = correct_rows(solve, index, t, false);
  return joint_errors(solve, index, t, true) ? impi_max(worst, correct_rows(solve, index, t, true)) : worst;
}


// Correct the overlap of a contact. Return the largest overlap beyond the slop before the correction [m].
static double correct_contact(ImpiSolve *solve, int index) {
  ImpiReference *ref = solve->scratch;
  double worst = 0;
  for (int point = 0; point < solve->contacts[solve->active[index]].count; ++point) {
    impi_reference_contact_errors(solve, index);
    for (int i = 0; i < ref->fixes.count; ++i) {
      const ImpiRow *row = &ref->fixes.data[i];
      if (row->index == point) {
        worst = impi_max(worst, -row->error);
        double push = impi_min(-CONTACT_PART * row->error, LARGEST_PUSH);
        impi_row_apply(row, solve->bodies, solve->motions, row->mass * push);
        correct_position(solve, row);
      }
    }
  }
  return worst;
}


static void project_positions(ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  impi_reference_swap(solve);
  bool done = false;
  for (int n = 0; n < impi_position_iterations(solve->solver, solve->settings) && !done; ++n) {
    double overlap = 0, gap = 0;
    for (int i = 0; i < solve->active_count; ++i) {
      overlap = impi_max(overlap, correct_contact(solve, i));
    }
    for (int i = 0; i < solve->active_joint_count; ++i) {
      gap = impi_max(gap, correct_joint(solve, i, ref->t + ref->h));
    }
    done = overlap <= CONTACT_TOLERANCE * solve->settings->slop && gap < JOINT_TOLERANCE;
  }
  impi_reference_shift(solve);
}


static void ngs_substep(ImpiSolve *solve) {
  impi_reference_solve_velocities(solve);
  impi_reference_move(solve);
  project_positions(solve);
}


const ImpiSolver impi_solver_ngs = {
    .name = "ngs",
    .default_substeps = 1,
    .default_iterations = 10,
    .default_position_iterations = 3,
    .reserve = impi_reference_reserve_fixes,
    .substep = ngs_substep,
    IMPI_REFERENCE_SOLVER,
    .scratch = sizeof(ImpiReference),
    .destroy = impi_reference_destroy,
};
