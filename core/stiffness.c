#include "stiffness.h"

#include <string.h>

// Below this h^2 k / I the spring is left to itself: the explicit form is stable to 4 and loses nothing.
#define STIFF 1.0


void impi_stiffness_free(ImpiHeap *heap, ImpiStiffness *stiffness) {
  impi_array_free(heap, &stiffness->stiffness);
  impi_array_free(heap, &stiffness->inertia);
  impi_array_free(heap, &stiffness->poses);
}


ImpStatus impi_stiffness_reserve(ImpiSolve *solve, ImpiStiffness *stiffness) {
  int lanes = solve->awake_count + 1;
  bool room = impi_reserve(solve->heap, &stiffness->stiffness, lanes) &&
              impi_reserve(solve->heap, &stiffness->inertia, lanes) &&
              impi_reserve(solve->heap, &stiffness->poses, lanes);
  return room ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


// What one joint's tension adds to the bodies that it holds: the second derivative of each coordinate by the angle of
// one body is its J'v while that body alone turns, at 1 rad/s.
static void add_joint(ImpiSolve *solve, ImpiStiffness *stiffness, const ImpiJoint *joint) {
  ImpiReference *ref = solve->scratch;
  ImpiPoses poses = {solve->bodies, solve->motions, stiffness->poses.data};
  ImpiSamples samples = impi_sample_room(&ref->samples, joint);
  const ImpiRow *rows = ref->rows.data + joint->first_row;
  for (int k = 0; k < impi_joint_body_count(joint); ++k) {
    const ImpiBody *body = &solve->bodies[impi_joint_body(joint, k)];
    if (body->lane == 0 || body->inv_inertia == 0) {
      continue;
    }
    stiffness->poses.data[body->lane].w = 1;
    impi_joint_sample(solve->joints, joint, &poses, ref->t, HUGE_VAL, samples);
    stiffness->poses.data[body->lane].w = 0;
    double sum = 0;
    for (int i = 0; i < joint->row_count; ++i) {
      bool lock = rows[i].kind == IMP_ROW_LOCK || rows[i].kind == IMP_ROW_UPPER_LIMIT; // a taut rope is a limit
      sum -= lock ? rows[i].lambda / ref->h * samples.curvature[rows[i].index] : 0;
    }
    stiffness->stiffness.data[body->lane] += impi_is_finite(sum) ? impi_max(sum, 0) : 0;
  }
}


static void make_heavier(ImpiSolve *solve, ImpiStiffness *stiffness, int32_t slot) {
  const ImpiReference *ref = solve->scratch;
  ImpiBody *body = &solve->bodies[slot];
  double added = ref->h * ref->h * stiffness->stiffness.data[body->lane];
  if (body->inv_inertia == 0 || added * body->inv_inertia <= STIFF) {
    return;
  }
  ImpiMotion *motion = &solve->motions[slot], before = *motion;
  stiffness->inertia.data[body->lane] = body->inertia;
  motion->w *= body->inertia / (body->inertia + added);
  if (solve->ledger != NULL) {
    impi_ledger_jump(solve->ledger, IMP_ENERGY_STIFFNESS, slot, body, &before, motion);
  }
  body->inertia += added;
  body->inv_inertia = 1 / body->inertia;
  stiffness->heavier++;
}


void impi_stiffness_begin(ImpiSolve *solve, ImpiStiffness *stiffness) {
  ImpiReference *ref = solve->scratch;
  stiffness->heavier = 0;
  for (int i = 0; i < solve->awake_count; ++i) {
    ImpiMotion *pose = &stiffness->poses.data[i + 1];
    *pose = solve->motions[solve->awake[i]];
    pose->vx = pose->vy = pose->w = 0;
    stiffness->stiffness.data[i + 1] = stiffness->inertia.data[i + 1] = 0;
  }
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
    if (joint->row_count > 0 && !impi_joint_is_velocity(joint)) {
      add_joint(solve, stiffness, joint);
    }
  }
  for (int i = 0; i < solve->awake_count; ++i) {
    make_heavier(solve, stiffness, solve->awake[i]);
  }
  for (int i = 0; i < ref->rows.count && stiffness->heavier > 0; ++i) {
    if (ref->rows.data[i].kind != IMP_ROW_SPRING) { // a spring's step was made for the mass it has
      ref->rows.data[i].mass = impi_row_mass(&ref->rows.data[i], solve->bodies);
    }
  }
}


void impi_stiffness_end(ImpiSolve *solve, ImpiStiffness *stiffness) {
  for (int i = 0; i < solve->awake_count && stiffness->heavier > 0; ++i) {
    ImpiBody *body = &solve->bodies[solve->awake[i]];
    double inertia = stiffness->inertia.data[body->lane];
    if (inertia == 0) {
      continue;
    }
    if (solve->ledger != NULL) { // what was entered for the heavier body is taken back
      ImpiMotion still = {0}, now = {.w = solve->motions[solve->awake[i]].w};
      impi_ledger_jump(solve->ledger, IMP_ENERGY_STIFFNESS, solve->awake[i], body, &now, &still);
      body->inertia = inertia;
      impi_ledger_jump(solve->ledger, IMP_ENERGY_STIFFNESS, solve->awake[i], body, &still, &now);
    }
    body->inertia = inertia;
    body->inv_inertia = 1 / inertia;
  }
}
