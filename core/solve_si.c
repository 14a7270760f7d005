// Level 5. Sequential impulses in double: the oracle of the row specs.
//
//   1    integrate applied forces      v' = v + h M^-1 F
//   1.5  apply the stored impulses     v' += M^-1 J^T lambda
//   2    sweep over the rows           d = -m_C (J v' + b),  lambda' = clamp(lambda + d),  v' += M^-1 J^T (lambda' - lambda)
//   2.5  store the impulses
//   3    integrate positions           x += h v'
// Rows are those of the joints, in creation order, then those of the contacts. What b asks for:
//   contact, while the surfaces touch (C <= 0): the larger of
//     bounce      e * (speed of approach before the step), when that is above the threshold
//     push-out    beta / h * (overlap beyond the slop)
//   lock, servo   beta / h * C, and the rate at which the target moves
//   limit         beta / h * C, while it is exceeded
//   motor         its speed;  springs and forces: no correction
//   what depends on time: (C(q, t + h) - C(q, t)) / h
// So overlap is left to the slop, and a fast contact or limit overshoots by at most one step: that is the lesson of the
// slides.
// source: Catto, "Modeling and Solving Constraints" (GDC 2009)
#include "constants.h"
#include "contact_rows.h"
#include "joint_rows.h"
#include "solver.h"

typedef struct ImpiSi {
  IMPI_ARRAY(ImpiRow) rows;
  IMPI_ARRAY(ImpiRowTerm) terms;
  IMPI_ARRAY(ImpiMotion) start; // of each awake body, by lane
  IMPI_ARRAY(double) speed;     // J v of each row before the substep's forces
  IMPI_ARRAY(double) rates;     // what time does to the coordinates of one joint
  ImpiSampleRoom samples;
  int term_count;
} ImpiSi;


static void *si_create(ImpiHeap *heap) {
  ImpiSi *si = impi_resize(heap, NULL, 0, sizeof *si);
  if (si != NULL) {
    *si = (ImpiSi){0};
  }
  return si;
}


static void si_destroy(ImpiHeap *heap, void *scratch) {
  ImpiSi *si = scratch;
  if (si != NULL) {
    impi_array_free(heap, &si->rows);
    impi_array_free(heap, &si->start);
    impi_array_free(heap, &si->speed);
    impi_array_free(heap, &si->terms);
    impi_array_free(heap, &si->rates);
    impi_array_free(heap, &si->samples.numbers);
    impi_resize(heap, si, sizeof *si, 0);
  }
}


static bool si_reserve(ImpiSolve *solve) {
  ImpiSi *si = solve->scratch;
  int rows = solve->active_count * IMPI_MAX_CONTACT_ROWS, terms = 0;
  bool room = true;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
    rows += impi_joint_row_room(joint);
    terms += impi_joint_term_room(joint);
    room = room && impi_sample_reserve(solve->heap, &si->samples, joint) &&
           impi_reserve(solve->heap, &si->rates, impi_joint_capacity(joint));
  }
  return room && impi_reserve(solve->heap, &si->rows, rows) && impi_reserve(solve->heap, &si->speed, rows) &&
         impi_reserve(solve->heap, &si->terms, terms) && impi_reserve(solve->heap, &si->start, solve->awake_count + 1);
}


static void si_read(const ImpiSolve *solve, int32_t body, ImpiMotion *out_motion) {
  *out_motion = solve->motions[body];
}


static void si_push(ImpiSolve *solve, int32_t body, double dvx, double dvy, double dw) {
  ImpiMotion *motion = &solve->motions[body];
  motion->vx += dvx;
  motion->vy += dvy;
  motion->w += dw;
}


static const ImpiMotion *start_of(const ImpiSolve *solve, int32_t body) {
  const ImpiSi *si = solve->scratch;
  int32_t lane = solve->bodies[body].lane;
  return lane > 0 ? &si->start.data[lane] : &solve->motions[body];
}


// Whoever was made or given a drive since the step was planned waits for the next one.
static bool has_room(const ImpiSi *si, const ImpiJoint *joint) {
  return si->rows.count + impi_joint_row_room(joint) <= si->rows.capacity &&
         si->term_count + impi_joint_term_room(joint) <= si->terms.capacity;
}


static void make_joint_rows(ImpiSolve *solve, int32_t slot, double t, double h, bool first) {
  ImpiSi *si = solve->scratch;
  const ImpiSettings *settings = solve->settings;
  ImpiJoint *joint = &solve->joints[slot];
  joint->first_row = si->rows.count;
  joint->row_count = 0;
  joint->row_stamp = solve->stamp;
  if (first) {
    impi_joint_begin(joint, solve->drives);
  }
  if (!has_room(si, joint)) {
    return;
  }
  ImpiPoses poses = {solve->bodies, solve->motions, NULL};
  ImpiSamples samples = impi_sample_room(&si->samples, joint);
  bool rate = impi_joint_is_timed(joint) || impi_joint_is_velocity(joint);
  if (rate) {
    impi_joint_rates(joint, &poses, t + h, h, samples.value, si->rates.data);
  }
  impi_joint_sample(solve->joints, joint, &poses, t, 0.1 / h, samples);
  if (joint->kind == IMP_JOINT_RATCHET && joint->few[0].drive >= 0) {
    impi_ratchet_advance(joint, &solve->drives[joint->few[0].drive], samples.value[0]);
  }
  ImpiRow *rows = si->rows.data + si->rows.count;
  int made = impi_joint_rows(solve->joints, solve->drives, slot, &samples, solve->bodies, h, rows,
                             si->terms.data + si->term_count);
  for (int k = 0; k < made; ++k) {
    ImpiRow *row = &rows[k];
    row->bias += rate ? si->rates.data[row->index] : 0;
    if (row->kind == IMP_ROW_FORCE) {
      continue;
    }
    if (row->kind == IMP_ROW_SPRING && row->mass > 0) {
      solve->drives[impi_joint_coordinate(joint, row->index)->drive].mass = row->swings;
    }
    int side = impi_row_side(joint, row);
    if (side * row->c > 0) { // an inequality that holds
      row->lower = row->upper = 0;
    } else if (side != 0 || impi_row_has_error(joint, row)) {
      row->bias += settings->baumgarte / settings->dt * row->c;
    }
    double sum = row->c + row->bias + row->mass;
    for (int j = 0; j < 6; ++j) {
      sum += row->j[j];
    }
    if (!impi_is_finite(sum)) { // a function that has no value here: nothing acts
      row->mass = row->bias = row->c = row->push = 0;
      row->lower = row->upper = 0;
      for (int j = 0; j < 6; ++j) {
        row->j[j] = 0;
      }
      row->more_count = 0;
    }
    row->lambda = impi_clamp(settings->warm_start && settings->accumulate ? row->lambda : 0, row->lower, row->upper);
  }
  si->rows.count += made;
  si->term_count += impi_joint_term_room(joint);
  joint->row_count = made;
}


static void make_contact_rows(ImpiSolve *solve, int32_t slot) {
  ImpiSi *si = solve->scratch;
  const ImpiSettings *settings = solve->settings;
  ImpiContact *contact = &solve->contacts[slot];
  int32_t base = si->rows.count;
  ImpiRow *rows = si->rows.data + base;
  int made = impi_contact_rows(contact, solve->bodies, solve->motions, start_of(solve, contact->body_a),
                               start_of(solve, contact->body_b), base, rows);
  for (int k = 0; k < made; ++k) {
    ImpiRow *row = &rows[k];
    double speed = impi_row_speed(row, solve->motions);
    si->speed.data[base + k] = speed;
    row->owner = slot;
    if (row->kind == IMP_ROW_NORMAL) {
      double bounce = -speed > contact->restitution_threshold ? -contact->restitution * speed : 0;
      double push = settings->baumgarte / settings->dt * impi_max(-row->c - settings->slop, 0);
      row->bias = -impi_max(bounce, push);
      if (row->c > 0) { // keeps its place with bounds of zero, so that indices stay simple
        row->upper = 0;
        row->lambda = 0;
      }
    }
    if (!settings->warm_start || !settings->accumulate) { // what was clamped the wrong way is no total to start from
      row->lambda = 0;
    }
  }
  contact->first_row = base;
  contact->row_count = made;
  contact->row_stamp = (uint32_t)solve->stamp;
  si->rows.count += made;
}


// Rows at the present poses.
static void make_rows(ImpiSolve *solve, double t, double h, bool first) {
  ImpiSi *si = solve->scratch;
  si->rows.count = si->term_count = 0;
  // Rows point into the joints and drives, which a callback may move: all callbacks come first.
  for (int i = 0; i < solve->active_joint_count && solve->refresh != NULL; ++i) {
    if (impi_joint_is_called(&solve->joints[solve->active_joints[i]])) {
      solve->refresh(solve, solve->active_joints[i], t + h);
    }
  }
  for (int i = 0; i < solve->active_joint_count; ++i) {
    make_joint_rows(solve, solve->active_joints[i], t, h, first);
  }
  for (int i = 0; i < solve->active_count; ++i) {
    make_contact_rows(solve, solve->active[i]);
  }
}


// The row's part in what its joint exerts on the last of its bodies.
static void add_wrench(ImpiJoint *joint, const ImpiRow *row) {
  const double *j = row->more_count > 0 ? row->more[row->more_count - 1].j : row->j + 3;
  for (int k = 0; k < 3; ++k) {
    joint->wrench[k] += row->lambda * j[k];
  }
}


static void store_rows(ImpiSolve *solve, bool first) {
  ImpiSi *si = solve->scratch;
  for (int i = 0; i < si->rows.count; ++i) {
    ImpiRow *row = &si->rows.data[i];
    double work = impi_row_work(row, solve->motions);
    row->lambda = impi_is_finite(row->lambda) ? row->lambda : 0; // what blew up with its body is forgotten
    *row->store = row->lambda;
    *row->total += row->lambda;
    *row->done += impi_is_finite(work) ? work : 0;
    if (row->noted != NULL) {
      *row->noted = row->bias;
      add_wrench(&solve->joints[row->owner], row);
    }
    if (row->approach != NULL && first) {
      *row->approach = -si->speed.data[i];
    }
  }
}


// Sweep until done. Returns why it stopped.
static const char *sweep(ImpiSolve *solve, int iterations) {
  ImpiSi *si = solve->scratch;
  const ImpiSettings *settings = solve->settings;
  ImpiRow *rows = si->rows.data;
  for (int sweeps = 1; sweeps <= iterations; ++sweeps) {
    double worst_impulse = 0, worst_error = 0;
    for (int i = 0; i < si->rows.count; ++i) {
      double applied = impi_row_solve(rows, i, solve->bodies, solve->motions, settings->accumulate);
      worst_impulse = impi_max(worst_impulse, fabs(applied));
      worst_error = impi_max(worst_error, rows[i].mass > 0 ? fabs(applied) / rows[i].mass : 0);
    }
    solve->report.sweeps++;
    if (settings->tolerance_impulse > 0 && worst_impulse < settings->tolerance_impulse) {
      return "impulse";
    }
    if (settings->tolerance_velocity > 0 && worst_error < settings->tolerance_velocity) {
      return "velocity";
    }
  }
  return "iterations";
}


static const ImpiRow *si_rows(const void *scratch) { return ((const ImpiSi *)scratch)->rows.data; }


static void si_solve(ImpiSolve *solve) {
  ImpiSi *si = solve->scratch;
  const ImpiSettings *settings = solve->settings;
  int substeps = impi_substeps(&impi_solver_si, settings);
  int iterations = impi_iterations(&impi_solver_si, settings);
  double h = settings->dt / substeps;
  double clock = impi_clock();
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->bodies[solve->awake[i]].lane = i + 1;
    si->start.data[i + 1] = solve->motions[solve->awake[i]];
  }
  for (int substep = 0; substep < substeps; ++substep) {
    if (solve->before_substep != NULL) {
      solve->before_substep(solve, h);
    }
    make_rows(solve, solve->time + substep * h, h, substep == 0);
    for (int i = 0; i < solve->awake_count; ++i) {
      int32_t body = solve->awake[i];
      impi_body_integrate_velocity(&solve->bodies[body], &solve->motions[body], settings->gravity, h);
    }
    for (int i = 0; i < si->rows.count; ++i) {
      si->rows.data[i].before = impi_row_speed(&si->rows.data[i], solve->motions);
    }
    for (int i = 0; i < si->rows.count; ++i) {
      impi_row_apply(&si->rows.data[i], solve->bodies, solve->motions, si->rows.data[i].lambda);
    }
    solve->report.reason = sweep(solve, iterations);
    store_rows(solve, substep == 0);
    for (int i = 0; i < solve->awake_count; ++i) {
      int32_t body = solve->awake[i];
      impi_body_integrate_position(&solve->bodies[body], &solve->motions[body], h);
    }
    for (int i = 0; i < solve->active_joint_count; ++i) {
      impi_joint_move_targets(&solve->joints[solve->active_joints[i]], solve->drives, h);
    }
  }
  for (int i = 0; i < solve->active_joint_count; ++i) {
    solve->report.joint_work += impi_joint_finish(&solve->joints[solve->active_joints[i]], solve->drives);
  }
  solve->report.rows = si->rows.count;
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->bodies[solve->awake[i]].lane = 0;
  }
  solve->stage_time[IMP_STAGE_SOLVE] += impi_clock() - clock;
}


const ImpiSolver impi_solver_si = {
    .name = "si",
    .default_substeps = 1,
    .default_iterations = 10,
    .reserve = si_reserve,
    .solve = si_solve,
    .read = si_read,
    .push = si_push,
    .rows = si_rows,
    .create = si_create,
    .destroy = si_destroy,
};
