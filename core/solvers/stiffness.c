#include "solvers/stiffness.h"

#include <string.h>

// Up to this h^2 k / I (stiffness.h) no inertia is added. Explicit integration is stable up to 4.
#define STIFF 1.0

// If impi_stiffness_toward adds h^2 k < 0 (compression) to an inertia I, it adds at least -LIGHTER * I.
#define LIGHTER 0.5


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


// Add the stiffness of one joint to its bodies. The second derivative of a coordinate with respect to the angle of a
// body is J'v at the velocities in `poses`: the body turns at 1 rad/s, and all others are at rest.
// With `still`, forces keep their directions in the world, and compression (k < 0) is not ignored. The second
// derivative of a coordinate x or y with respect to the angle of A then has the opposite sign.
static void add_joint(ImpiSolve *solve, ImpiStiffness *stiffness, const ImpiJoint *joint, bool still) {
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
      bool lock = rows[i].kind == IMP_ROW_LOCK || rows[i].kind == IMP_ROW_UPPER_LIMIT; // a taut rope is an upper limit
      bool turns = still && k == 0 && joint->custom == NULL && joint->kinds[rows[i].index] <= IMP_COORDINATE_Y;
      sum -= lock ? rows[i].lambda / ref->h * samples.curvature[rows[i].index] * (turns ? -1 : 1) : 0;
    }
    stiffness->stiffness.data[body->lane] += impi_is_finite(sum) ? impi_max(sum, still ? sum : 0) : 0;
  }
}


// Set the inertia of a body, and enter the change of its kinetic energy in the ledger. old_w, w: angular velocity
// before and after the change.
static void change_inertia(ImpiSolve *solve, const ImpiStiffness *stiffness, int32_t slot, double inertia, double old_w,
                           double w) {
  ImpiBody *body = &solve->bodies[slot];
  if (solve->ledger != NULL && !stiffness->iterating) {
    double joules = 0.5 * (inertia * w * w - body->inertia * old_w * old_w);
    impi_ledger_enter(solve->ledger, IMP_ENERGY_STIFFNESS, joules, IMPI_OWNER_BODY, slot);
  }
  body->inertia = inertia;
  body->inv_inertia = 1 / inertia;
}


static void make_heavier(ImpiSolve *solve, ImpiStiffness *stiffness, int32_t slot) {
  const ImpiReference *ref = solve->scratch;
  ImpiBody *body = &solve->bodies[slot];
  double added = ref->h * ref->h * stiffness->stiffness.data[body->lane];
  if (body->inv_inertia == 0 || added * body->inv_inertia <= STIFF) {
    return;
  }
  stiffness->inertia.data[body->lane] = body->inertia;
  double old = solve->motions[slot].w, w = old * body->inertia / (body->inertia + added);
  change_inertia(solve, stiffness, slot, body->inertia + added, old, w);
  solve->motions[slot].w = w;
  stiffness->heavier++;
}


// Recompute the masses of all rows but soft drives from the masses of the bodies.
static void set_masses(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  for (int i = 0; i < ref->rows.count; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->mass = impi_row_is_soft_drive(row) ? row->mass : impi_row_mass(row, solve->bodies);
  }
}


static void add_joints(ImpiSolve *solve, ImpiStiffness *stiffness, bool still) {
  for (int i = 0; i < solve->awake_count; ++i) {
    ImpiMotion *pose = &stiffness->poses.data[i + 1];
    *pose = solve->motions[solve->awake[i]];
    pose->vx = pose->vy = pose->w = 0;
    stiffness->stiffness.data[i + 1] = stiffness->inertia.data[i + 1] = 0;
  }
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
    if (joint->row_count > 0 && !impi_joint_is_velocity(joint)) {
      add_joint(solve, stiffness, joint, still);
    }
  }
}


void impi_stiffness_begin(ImpiSolve *solve, ImpiStiffness *stiffness) {
  ImpiReference *ref = solve->scratch;
  stiffness->heavier = 0;
  stiffness->iterating = false;
  if (!solve->settings->geometric_stiffness) {
    return;
  }
  add_joints(solve, stiffness, false);
  for (int i = 0; i < solve->awake_count; ++i) {
    make_heavier(solve, stiffness, solve->awake[i]);
  }
  for (int i = 0; i < ref->rows.count && stiffness->heavier > 0; ++i) {
    ImpiRow *row = &ref->rows.data[i];
    row->approach_speed = -impi_row_speed(row, solve->motions);
  }
  if (stiffness->heavier > 0) {
    set_masses(solve);
  }
}


void impi_stiffness_toward(ImpiSolve *solve, ImpiStiffness *stiffness, const ImpiMotion *middle) {
  const ImpiReference *ref = solve->scratch;
  stiffness->heavier = 0;
  stiffness->iterating = true;
  add_joints(solve, stiffness, true);
  for (int i = 0; i < solve->awake_count; ++i) {
    ImpiBody *body = &solve->bodies[solve->awake[i]];
    ImpiMotion *motion = &solve->motions[solve->awake[i]];
    double added = ref->h * ref->h * stiffness->stiffness.data[body->lane];
    if (body->inv_inertia == 0 || added == 0) {
      continue;
    }
    added = impi_max(added, -LIGHTER * body->inertia);
    stiffness->inertia.data[body->lane] = body->inertia;
    double w = (body->inertia * motion->w + added * middle[body->lane].w) / (body->inertia + added);
    change_inertia(solve, stiffness, solve->awake[i], body->inertia + added, motion->w, w);
    motion->w = w;
    stiffness->heavier++;
  }
  set_masses(solve);
}


void impi_stiffness_end(ImpiSolve *solve, ImpiStiffness *stiffness) {
  for (int i = 0; i < solve->awake_count && stiffness->heavier > 0; ++i) {
    int32_t slot = solve->awake[i];
    double inertia = stiffness->inertia.data[solve->bodies[slot].lane];
    if (inertia > 0) {
      change_inertia(solve, stiffness, slot, inertia, solve->motions[slot].w, solve->motions[slot].w);
    }
  }
  if (stiffness->heavier > 0) {
    set_masses(solve);
  }
}
