// The stages of one step of a world, in order.
#include <string.h>

#include "base/constants.h"
#include "base/float_state.h"
#include "snapshot/world_valid.h"
#include "step/continuous.h"
#include "step/step.h"
#include "world/audit.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/contacts.h"
#include "world/events.h"
#include "world/joints.h"
#include "world/pairs.h"
#include "world/sleep.h"
#include "world/touching.h"

// ---------------------------------------------------------------------------------------------------------------------
// Stages
// ---------------------------------------------------------------------------------------------------------------------


// Return true if the body is still inside the world's bounds after one step of free flight.
static bool stays(const ImpWorld *world, const ImpiBody *body, const ImpiMotion *m) {
  double dt = world->settings.dt, limit = IMPI_MAX_COORDINATE / dt;
  ImpVec2 a = impi_body_free_acceleration(body, world->settings.gravity);
  double alpha = body->inv_inertia * body->torque;
  return fabs(m->vx + dt * a.x) < limit && fabs(m->vy + dt * a.y) < limit && fabs(m->w + dt * alpha) < limit;
}


// Disable bodies that would leave the world's bounds within this step.
static ImpStatus drop_runaways(ImpWorld *world) {
  const ImpVec2 g = world->settings.gravity;
  double dt = world->settings.dt;
  // Largest change of velocity by gravity in a step [m/s].
  double fall = dt * (fabs(g.x) + fabs(g.y)) * imp_body_property(IMP_BODY_GRAVITY_SCALE)->upper;
  double limit = 0.5 * IMPI_MAX_COORDINATE / dt - fall;
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    const ImpiMotion *m = &world->motions.data[slot];
    bool slow = fabs(m->vx) + fabs(m->vy) + fabs(m->w) < limit; // false for NaN
    if (!slow && !stays(world, &world->bodies.data[slot], m)) {
      impi_fault(world, slot, m, "integrate");
    }
  }
  for (int i = 0; i < world->push.forced.count; ++i) {
    int32_t slot = world->push.forced.data[i];
    const ImpiBody *body = &world->bodies.data[slot];
    bool moves = body->awake && body->enabled && body->serial <= world->step_bodies;
    if (moves && !stays(world, body, &world->motions.data[slot])) {
      impi_fault(world, slot, &world->motions.data[slot], "integrate");
    }
  }
  return impi_update_lists(world);
}


// Update the solver's array pointers, because a callback may have reallocated the world's arrays.
static void point_at_world(ImpiSolve *solve, ImpWorld *world) {
  solve->bodies = world->bodies.data;
  solve->motions = world->motions.data;
  solve->contacts = world->contacts.data;
  solve->joints = world->joints.data;
  solve->drives = world->drives.data;
}


// Call the constraint callback, which writes the rows of a joint for the substep that ends at t.
static void refresh(ImpiSolve *solve, int32_t slot, double t) {
  ImpWorld *world = solve->owner;
  world->substep.time = t - world->substep.length;
  world->pose_stamp++;
  if (world->callback.constraint != NULL && world->joint_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE &&
      impi_undo_is_sane(world, &world->joints.data[slot])) {
    world->callback.constraint(world, impi_joint_handle(world, slot), t, world->callback.constraint_user);
  }
  point_at_world(solve, world);
}


// Return true if the body may take a change of velocity. Record a body that would leave the world's bounds as an
// offending body.
static bool is_given(ImpWorld *world, int32_t slot, double vx, double vy, double w) {
  const ImpiBody *body = &world->bodies.data[slot];
  bool takes_part = body->awake && body->serial <= world->step_bodies;
  if (takes_part && impi_throws_out(body, vx, vy, w, world->substep.length)) {
    impi_note_offender(world, slot, "substep");
    return false;
  }
  return body->enabled;
}


// Apply the impulses that handlers and callbacks queued.
static void apply_pushes(ImpiSolve *solve) {
  ImpWorld *world = solve->owner;
  for (int i = 0; i < world->push.pushed.count; ++i) {
    const ImpiPush *given = &world->push.pushed.data[i];
    int32_t slot = given->body;
    ImpiBody *body = &solve->bodies[slot];
    ImpVec2 push = impi_free_part(body, given->impulse.x, given->impulse.y);
    double dvx = body->inv_mass * push.x, dvy = body->inv_mass * push.y;
    double dw = body->inv_inertia * given->angular;
    body->pushed = 0;
    ImpiMotion before = impi_body_motion(world, slot);
    if (!is_given(world, slot, before.vx + dvx, before.vy + dvy, before.w + dw)) {
      continue;
    }
    if (body->lane > 0) {
      impi_solver((int)world->solver)->push(solve, slot, dvx, dvy, dw);
    } else {
      solve->motions[slot].vx = impi_bound_speed(before.vx + dvx);
      solve->motions[slot].vy = impi_bound_speed(before.vy + dvy);
      solve->motions[slot].w = impi_bound_speed(before.w + dw);
    }
    // The energy of bodies created in this step is entered at the end of the step.
    if (solve->ledger != NULL && body->serial <= world->audit.last_body) {
      ImpiMotion after = impi_body_motion(world, slot);
      impi_ledger_jump(solve->ledger, IMP_ENERGY_APPLIED, slot, body, &before, &after);
    }
    impi_world_wake(world, slot); // a sleeping body moves from the next step on
  }
  world->push.pushed.count = 0;
}


// Run the handlers before a substep. Handlers may reallocate the world's arrays.
static void before_substep(ImpiSolve *solve, double h) {
  ImpWorld *world = solve->owner;
  world->substep.length = h;
  world->substep.time = world->time + h * world->substep.index++;
  world->pose_stamp++;
  world->substep.running = true;
  if (world->callback.substep != NULL) {
    world->callback.substep(world, h, world->callback.substep_user);
  }
  if (world->field.called > 0) {
    impi_fields_call(world);
  }
  world->substep.running = false;
  point_at_world(solve, world);
  apply_pushes(solve);
}


// Scale the accumulated impulses, which are kept per substep, to a new substep length h.
static void fit_impulses(ImpWorld *world, double h) {
  double factor = world->impulse_step > 0 ? h / world->impulse_step : 1;
  world->impulse_step = h;
  if (factor == 1) {
    return;
  }
  impi_joints_edited(world);
  world->solve.kept = false;
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    ImpiJoint *joint = &world->joints.data[slot];
    for (int i = 0; i < impi_joint_capacity(joint); ++i) {
      ImpiCoordinate *coordinate = impi_joint_coordinate(joint, i);
      coordinate->result.lambda *= factor;
      for (int k = 0; coordinate->drive >= 0 && k < IMPI_DRIVE_ROWS; ++k) {
        world->drives.data[coordinate->drive].row[k].lambda *= factor;
      }
    }
  }
  for (int i = 0; i < world->contacts.count; ++i) {
    impi_contact_now(world, i);
    ImpiContact *contact = &world->contacts.data[i];
    contact->lambda_r *= factor;
    for (int k = 0; k < contact->count; ++k) {
      contact->points[k].lambda_n *= factor;
      contact->points[k].lambda_t *= factor;
    }
    impi_lane_contacts_store_impulses(&world->narrow.lane_contacts, contact);
  }
}


// Upper limit of the stiffness of soft rows [Hz]. The limit converges to 0.25 / h for a substep length h.
//   STIFFER: time constant of an increase [s]
//   SOFTER: time constant of a decrease [s]
//   TOO_STIFF: largest ratio of the limit to 0.25 / h
#define STIFFER 20.0
#define SOFTER 5.0
#define TOO_STIFF 2.0
static double next_stiffest(const ImpWorld *world) {
  double limit = 0.25 / world->substep.length, now = world->stiffest;
  if (world->solver != IMP_SOLVER_SOFT || now == 0 || now == limit) {
    return world->solver == IMP_SOLVER_SOFT ? limit : now;
  }
  double dt = world->settings.dt;
  double next =
      now < limit ? impi_min(now * imp_exp(dt / STIFFER), limit) : impi_max(now * imp_exp(-dt / SOFTER), limit);
  return impi_min(next, TOO_STIFF * limit);
}


static ImpStatus solve_rows(ImpWorld *world) {
  const ImpiSolver *solver = impi_solver((int)world->solver);
  bool called = world->callback.constraint != NULL && world->joint.called > 0;
  bool field_callback = world->callback.field != NULL && world->field.called > 0;
  // Impulses that callbacks queued before the solve act in the first substep.
  bool pushed = world->push.pushed.count > 0;
  bool listens = called || field_callback || pushed || world->callback.substep != NULL;
  if (listens && (!impi_reserve(&world->heap, &world->joint.pose_room, world->bodies.count + 1) ||
                  !impi_reserve_first_drives(world))) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (impi_fields_begin(world) != IMP_OK || impi_limits_begin(world) != IMP_OK) {
    return IMP_ERR_NOMEM;
  }
  bool implausible = impi_undo_is_needed(world, listens);
  world->undo.held = false;
  world->undo.first_implausible = -1;
  world->undo.offenders.count = 0;
  if (!impi_reserve(&world->heap, &world->undo.offenders, world->awake.count) ||
      (implausible && !impi_undo_reserve(world))) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (world->solved_by != world->solver) {
    impi_joints_edited(world);
  }
  world->solve = (ImpiSolve){
      .heap = &world->heap,
      .team = &world->team,
      .settings = &world->settings,
      .bodies = world->bodies.data,
      .motions = world->motions.data,
      .body_count = world->bodies.count,
      .contacts = world->contacts.data,
      .lane_contacts = &world->narrow.lane_contacts,
      .hit_speed = world->hit_speed,
      .awake = world->awake.data,
      .awake_count = world->awake.count,
      .active = world->narrow.active.data,
      .active_count = world->narrow.active.count,
      .joints = world->joints.data,
      .joint_count = world->joints.count,
      .drives = world->drives.data,
      .active_joints = world->joint.awake.data,
      .active_joint_count = world->joint.awake.count,
      .kept = world->joint.results_kept,
      .drives_edited = world->joint.drives_edited,
      .time = world->time,
      .stiffest = next_stiffest(world),
      .solver = solver,
      .ledger = world->settings.auditing ? &world->audit.ledger : NULL,
      .seed = world->seed,
      .stamp = world->tick + 1,
      .refresh = called ? refresh : NULL,
      .scratch = world->scratch[world->solver],
      .stage_time = world->profile.stage,
      .report.velocity = -1,
      .before_substep = listens ? before_substep : NULL,
      .push_fields = listens || world->field.first >= 0 || world->push.limited.count > 0 ? impi_fields_push : NULL,
      .owner = world,
  };
  // Start the ledger before `reserve`: after `reserve`, velocities are read from solver memory that `solve` fills
  // later.
  ImpStatus status = world->settings.auditing ? impi_audit_before(world) : IMP_OK;
  if (status == IMP_OK) {
    status = solver->reserve(&world->solve);
    world->joint.results_kept = world->solve.kept;
  }
  if (status != IMP_OK) {
    return status;
  }
  // No later call can fail. Until here the recorded rows were those of the step before.
  world->solved_by = world->solver;
  fit_impulses(world, world->substep.length);
  // Copy results from the solver's memory to contacts and joints.
  if (implausible) {
    impi_contacts_now(world);
    impi_flush_joint(world, -1);
    impi_undo_keep(world);
  }
  world->joint.results_kept = world->joint.edited = world->joint.drives_edited = false;
  solver->solve(&world->solve);
  world->joint.results_kept = solver->flush != NULL;
  if (world->joint.edited) { // handlers changed joints
    impi_joints_edited(world);
  }
  apply_pushes(&world->solve); // impulses of callbacks that ran after the last substep
  return IMP_OK;
}


static void keep_backup(ImpWorld *world);


// Solve the rows. While the result is non-finite, solve again without the offending bodies, at most IMPI_MOST_FAULTS
// times.
static ImpStatus solve(ImpWorld *world) {
  ImpStatus status = solve_rows(world);
  for (int round = 0; status == IMP_OK && round < IMPI_MOST_FAULTS && impi_undo(world); ++round) {
    status = impi_update_lists(world);
    if (status == IMP_OK) {
      status = impi_gather_active(world);
    }
    if (status == IMP_OK) {
      keep_backup(world);
      status = solve_rows(world);
    }
  }
  if (status == IMP_OK) {
    impi_limits_end(&world->solve);
    if (world->settings.auditing) {
      impi_audit_after(world);
    }
  }
  return status;
}


// Smallest number of bodies for which another thread saves time.
#define BODY_GRAIN 256


static void keep_range(void *context, int first, int count, int worker) {
  (void)worker;
  ImpWorld *world = context;
  for (int i = first; i < first + count; ++i) {
    world->backup.data[i] = world->motions.data[world->awake.data[i]];
  }
}


static void keep_backup(ImpWorld *world) {
  impi_parallel(&world->team, world->awake.count, BODY_GRAIN, keep_range, world);
}


// Warn each time a body leaves the range of exact coordinates.
static void warn_if_far(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  bool far = impi_max(fabs(m->x), fabs(m->y)) > IMPI_WARN_COORDINATE;
  if (far && !body->far) {
    impi_event_body(world, IMP_EVENT_WARNING, slot,
                    "a body is more than 1e6 m from the origin: its motion is no longer exact");
  }
  body->far = far;
}


// Disable the i-th awake body at its pose from the beginning of the step.
static void fault_at_start(ImpWorld *world, int i, const char *stage) {
  ImpiMotion good = world->backup.data[i];
  impi_fault_after_solve(world, world->awake.data[i], &good, stage);
  impi_body_refit(world, world->awake.data[i]);
}


// Disable an offending body.
static void fault_offender(ImpWorld *world, const ImpiOffender *offender) {
  for (int i = 0; i < world->awake.count; ++i) {
    if (world->awake.data[i] == offender->body && world->bodies.data[offender->body].enabled) {
      fault_at_start(world, i, offender->stage);
    }
  }
}


// Return true if the state of a body after the solve must be checked more closely.
static bool is_odd(const ImpiBody *body, const ImpiMotion *m) {
  bool near = fabs(m->x) <= IMPI_WARN_COORDINATE && fabs(m->y) <= IMPI_WARN_COORDINATE;
  double size = fabs(m->vx) + fabs(m->vy) + fabs(m->w) + fabs(m->angle);
  return !near || body->far || !(size < IMP_MAX_ANGLE); // true for NaN, whose comparisons are false
}


// Result of check_range for an awake body: a sum of these flags, less than BITS. check_range writes
// i * BITS + result to ccd.outgrown, where i is the index of the body in `awake`.
enum { ODD = 1, FAST = 2, OUTGROWN = 4, BITS = 8 };


static int32_t check_body_state(ImpWorld *world, int i) {
  int32_t slot = world->awake.data[i];
  ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *start = &world->backup.data[i], *m = &world->motions.data[slot];
  bool fast = world->continuous && impi_moved_far(world, body, start, m);
  if (fast != body->fast) {
    body->fast = fast;
  }
  if (fast) {
    body->swept = true;
  }
  return (fast ? FAST : 0) | (impi_body_has_slack(body, start, m) ? 0 : OUTGROWN);
}


// Reset and disable a body with an invalid state, or warn of a body far from the origin.
static void look_at_odd(ImpWorld *world, int i) {
  int32_t slot = world->awake.data[i];
  if (!impi_motion_is_sane(&world->motions.data[slot])) {
    fault_at_start(world, i, "solve");
  }
  warn_if_far(world, slot);
}


// Check awake bodies first .. first + count - 1. The entries of `outgrown` from index `first` on list the nonzero
// results; -1 ends the entries if there are fewer than `count`.
static void check_range(void *context, int first, int count, int worker) {
  (void)worker;
  ImpWorld *world = context;
  int32_t *list = world->ccd.outgrown.data + first;
  int found = 0;
  for (int i = first; i < first + count; ++i) {
    int32_t slot = world->awake.data[i];
    bool odd = is_odd(&world->bodies.data[slot], &world->motions.data[slot]);
    int32_t what = odd ? ODD : check_body_state(world, i);
    if (what != 0) {
      list[found++] = i * BITS + what;
    }
  }
  if (found < count) {
    list[found] = -1;
  }
}


// Process the results of check_range in the order of bodies: look closely at ODD bodies, list FAST bodies
// in `swept`, and list OUTGROWN bodies in `outgrown` (they may have left their boxes).
static void gather_checked(ImpWorld *world, int first, int end) {
  for (int place = first; place < end && world->ccd.outgrown.data[place] >= 0; ++place) {
    int i = world->ccd.outgrown.data[place] / BITS, what = world->ccd.outgrown.data[place] % BITS;
    if (what & ODD) {
      look_at_odd(world, i);
      what = check_body_state(world, i);
    }
    if (what & FAST) {
      world->ccd.swept.data[world->ccd.swept.count++] = world->awake.data[i];
    }
    if (what & OUTGROWN) {
      world->ccd.outgrown.data[world->ccd.outgrown.count++] = world->awake.data[i];
    }
  }
}


static void check_bodies(ImpWorld *world) {
  int count = world->awake.count, threads = world->team.threads;
  impi_parallel(&world->team, count, BODY_GRAIN, check_range, world);
  for (int worker = 0; worker < threads; ++worker) {
    gather_checked(world, impi_range_first(threads, count, BODY_GRAIN, worker),
                   impi_range_first(threads, count, BODY_GRAIN, worker + 1));
  }
}


// Refit the boxes of moved bodies, and list fast bodies for the continuous stage.
static void finalize(ImpWorld *world) {
  impi_kinematic_targets_end(world);
  world->ccd.swept.count = world->ccd.outgrown.count = 0;
  check_bodies(world);
  impi_bodies_refit(world, world->ccd.outgrown.data, world->ccd.outgrown.count);
  world->ccd.expects_toi_events = world->ccd.swept.count > 0;
  for (int i = 0; i < world->undo.offenders.count; ++i) {
    fault_offender(world, &world->undo.offenders.data[i]);
  }
  for (int i = 0; i < world->push.forced.count; ++i) {
    ImpiBody *body = &world->bodies.data[world->push.forced.data[i]];
    body->force = impi_vec(0, 0);
    body->torque = 0;
  }
  world->push.forced.count = 0;
}


// Run the continuous stage, and disable bodies whose state becomes non-finite in this stage.
static void run_continuous_stage(ImpWorld *world) {
  if (!impi_continuous(world)) { // no time-of-impact event happened
    return;
  }
  for (int i = 0; i < world->awake.count; ++i) {
    if (!impi_motion_is_sane(&world->motions.data[world->awake.data[i]])) {
      fault_at_start(world, i, "finalize");
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The step
// ---------------------------------------------------------------------------------------------------------------------


static bool reserve_places(ImpWorld *world) {
  int32_t count = world->bodies.count;
  if (!impi_reserve(&world->heap, &world->ccd.awake_places, count) ||
      !impi_reserve(&world->heap, &world->ccd.hit_body_at, count)) {
    return false;
  }
  while (world->ccd.awake_places.count < count) {
    world->ccd.awake_places.data[world->ccd.awake_places.count++] = 0;
  }
  while (world->ccd.hit_body_at.count < count) {
    world->ccd.hit_body_at.data[world->ccd.hit_body_at.count++] = 0;
  }
  return true;
}


// Do everything that can fail, before any body moves.
static ImpStatus prepare(ImpWorld *world, double *clock) {
  double *times = world->profile.stage;
  impi_fields_wake(world);
  ImpStatus status = impi_update_pairs(world);
  if (status == IMP_OK) {
    status = impi_update_lists(world);
  }
  if (status == IMP_OK) {
    status = drop_runaways(world);
  }
  double now = impi_clock();
  times[IMP_STAGE_BROADPHASE] = now - *clock;
  *clock = now;
  for (bool again = true; status == IMP_OK && again;) { // the contacts of woken bodies need an update, too
    world->sleep.woken = false;
    if (!impi_contacts_reserve(world) ||
        (world->callback.pre_solve != NULL &&
         !impi_reserve(&world->heap, &world->narrow.pre_solve_contacts, world->contacts.count))) {
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    bool whole = impi_update_contacts(world);
    if (world->narrow.pre_solve_contacts.count > 0) {
      impi_pre_solve(world);
    }
    if (!whole) {
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    if (world->joint.list_fresh) { // only a rebuilt list can contain joints to sleeping bodies
      world->joint.list_fresh = false;
      impi_wake_joined(world);
    }
    again = world->sleep.woken;
    status = impi_update_lists(world);
  }
  bool room = status != IMP_OK ||
              (impi_backup_reserve(world) && impi_reserve(&world->heap, &world->ccd.swept, world->bodies.count) &&
               impi_reserve(&world->heap, &world->ccd.candidates,
                            2 * world->broadphase.proxies.count) && // the search along a path may find a proxy twice
               impi_bits_reserve(&world->heap, &world->ccd.swept_set, world->bodies.count) &&
               reserve_places(world) && impi_reserve(&world->heap, &world->ccd.outgrown, world->awake.count) &&
               impi_reserve(&world->heap, &world->joint.opening.list, world->joints.count) &&
               (!world->ccd.expects_toi_events || impi_continuous_reserve(world)) &&
               impi_islands_reserve(&world->heap, &world->sleep.islands, world->awake.count));
  if (!room) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  now = impi_clock();
  times[IMP_STAGE_NARROWPHASE] = now - *clock;
  *clock = now;
  return status;
}


static ImpStatus step(ImpWorld *world) {
  double start = impi_clock(), clock = start;
  memset(&world->profile, 0, sizeof world->profile);
  impi_events_begin_step(world);
  world->stepping = true;
  world->step_bodies = world->body_serial;
  world->step_shapes = world->shape_serial;
  world->step_joints = world->joint_serial;
  world->substep.length = world->settings.dt / impi_substeps(impi_solver((int)world->solver), &world->settings);
  world->substep.time = world->time;
  world->substep.index = 0;
  impi_kinematic_targets_begin(world); // movers need the motion of platforms
  ImpStatus status = impi_movers_step(world);
  if (status == IMP_OK) {
    status = prepare(world, &clock);
  }
  world->narrow.stale.count = 0; // the narrow phase has updated the contacts of stale bodies
  double *times = world->profile.stage;
  if (status == IMP_OK) {
    status = impi_gather_active(world);
  }
  if (status == IMP_OK) {
    keep_backup(world);
    double before = impi_clock();
    times[IMP_STAGE_ISLANDS] = before - clock;
    status = solve(world);
    // Add the time in solve() that belongs to none of the three stages below to IMP_STAGE_PREPARE.
    double told = times[IMP_STAGE_PREPARE] + times[IMP_STAGE_SOLVE] + times[IMP_STAGE_STORE];
    clock = impi_clock();
    times[IMP_STAGE_PREPARE] += impi_max(clock - before - told, 0);
    world->profile.clusters = world->solve.report.cluster_time;
  }
  if (status != IMP_OK) {
    impi_movers_undo(world);
    impi_kinematic_targets_undo(world);
    impi_events_undo(world);
    world->stepping = false;
    impi_run_commands(world); // calls queued by callbacks that ran before the step failed
    return status;
  }
  world->stiffest = world->solve.stiffest;
  world->last_dt = world->settings.dt;
  finalize(world);
  if (world->ccd.swept.count > 0) {
    run_continuous_stage(world);
  }
  impi_sweep_sensors(world);
  impi_report_impacts(world);
  world->work_joints += world->solve.report.joint_work;
  impi_break_joints(world);
  impi_report_open_joints(world);
  double now = impi_clock();
  times[IMP_STAGE_FINALIZE] = now - clock;
  clock = now;
  impi_world_update_sleep(world);
  impi_run_commands(world);
  impi_events_finish(world);
  impi_touching_changed(world);
  world->row.valid = false;
  world->time = impi_time_after(world);
  world->tick++;
  world->stepping = false;
  now = impi_clock();
  times[IMP_STAGE_SLEEP] = now - clock;
  world->profile.step = now - start;
  return IMP_OK;
}


static int useful_threads(const ImpWorld *world) {
  int constraints = world->narrow.active.count + world->joint.awake.count;
  return constraints < IMPI_PARALLEL_CONSTRAINTS ? 1 : world->threads;
}


ImpStatus impi_world_step(ImpWorld *world) {
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "a step is in progress: a handler cannot step its own world");
  }
  if (world->tick >= IMP_MAX_TICK || impi_time_after(world) > IMP_MAX_TIME) {
    return impi_fail(IMP_ERR_LIMIT,
                     "a step would exceed the largest tick or time of a world: no step follows tick %g at %g s",
                     (double)world->tick, world->time);
  }
  uint64_t float_state = impi_float_state_enter();
  impi_team_begin(&world->team, useful_threads(world));
  ImpStatus status = step(world);
  impi_team_end(&world->team);
#if defined(IMPI_CHECKED)
  ImpiInvalid invalid;
  IMP_ASSERT(impi_world_is_valid(world, &invalid) || invalid.no_memory);
#endif
  impi_float_state_leave(float_state);
  return status;
}
