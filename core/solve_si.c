// Level 5. Sequential impulses in double: the oracle of the row specs.
//
//   1    integrate applied forces      v' = v + h M^-1 F
//   1.5  apply the stored impulses     v' += M^-1 J^T lambda
// 2    sweep over the rows           d = -m_C (J v' + b),  lambda' = clamp(lambda + d),  v' += M^-1 J^T (lambda' -
// lambda)
//   2.5  store the impulses
//   3    integrate positions           x += h v'
// A contact row is active while the surfaces touch (C <= 0). Its bias asks for the larger of
//   bounce      e * (speed of approach before the step), when that is above the threshold
//   push-out    beta / h * (overlap beyond the slop)
// so overlap is left to the slop, and a fast contact overshoots by at most one step: that is the lesson of the slides.
// source: Catto, "Modeling and Solving Constraints" (GDC 2009)
#include "constants.h"
#include "contact_rows.h"
#include "solver.h"

typedef struct ImpiSi {
  IMPI_ARRAY(ImpiRow) rows;
  IMPI_ARRAY(ImpiMotion) start; // of each awake body, by lane
  IMPI_ARRAY(double) speed;     // J v of each row before the substep's forces
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
    impi_resize(heap, si, sizeof *si, 0);
  }
}


static bool si_reserve(ImpiSolve *solve) {
  ImpiSi *si = solve->scratch;
  int rows = solve->active_count * IMPI_MAX_CONTACT_ROWS;
  return impi_reserve(solve->heap, &si->rows, rows) && impi_reserve(solve->heap, &si->speed, rows) &&
         impi_reserve(solve->heap, &si->start, solve->awake_count + 1);
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


// Rows at the present poses. What is not active keeps its place with bounds of zero, so that indices stay simple.
static void make_rows(ImpiSolve *solve) {
  ImpiSi *si = solve->scratch;
  const ImpiSettings *settings = solve->settings;
  si->rows.count = 0;
  for (int i = 0; i < solve->active_count; ++i) {
    ImpiContact *contact = &solve->contacts[solve->active[i]];
    int32_t base = si->rows.count;
    ImpiRow *rows = si->rows.data + base;
    int made = impi_contact_rows(contact, solve->bodies, solve->motions, start_of(solve, contact->body_a),
                                 start_of(solve, contact->body_b), base, rows);
    for (int k = 0; k < made; ++k) {
      ImpiRow *row = &rows[k];
      double speed = impi_row_speed(row, solve->motions);
      si->speed.data[base + k] = speed;
      if (row->kind == IMPI_ROW_NORMAL) {
        double bounce = -speed > contact->restitution_threshold ? -contact->restitution * speed : 0;
        double push = settings->baumgarte / settings->dt * impi_max(-row->c - settings->slop, 0);
        row->bias = -impi_max(bounce, push);
        if (row->c > 0) {
          row->upper = 0;
          row->lambda = 0;
        }
      }
      if (!settings->warm_start || !settings->accumulate) { // what was clamped the wrong way is no total to start from
        row->lambda = 0;
      }
    }
    si->rows.count += made;
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
    make_rows(solve);
    for (int i = 0; i < solve->awake_count; ++i) {
      int32_t body = solve->awake[i];
      impi_body_integrate_velocity(&solve->bodies[body], &solve->motions[body], settings->gravity, h);
    }
    for (int i = 0; i < si->rows.count; ++i) {
      impi_row_apply(&si->rows.data[i], solve->bodies, solve->motions, si->rows.data[i].lambda);
    }
    solve->report.reason = sweep(solve, iterations);
    for (int i = 0; i < si->rows.count; ++i) {
      ImpiRow *row = &si->rows.data[i];
      *row->store = row->lambda;
      *row->total += row->lambda;
      if (row->approach != NULL && substep == 0) {
        *row->approach = -si->speed.data[i];
      }
    }
    for (int i = 0; i < solve->awake_count; ++i) {
      int32_t body = solve->awake[i];
      impi_body_integrate_position(&solve->bodies[body], &solve->motions[body], h);
    }
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
    .create = si_create,
    .destroy = si_destroy,
};
