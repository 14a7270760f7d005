// One step of a world, as a table of contents. Each stage takes what it needs from the world; impulses flow
// back to the contacts in the solver's store and nowhere else.
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


// Whether it is still in the world when it has gone on by itself for a step.
static bool stays(const ImpWorld *world, const ImpiBody *body, const ImpiMotion *m) {
  double dt = world->settings.dt, limit = IMPI_MAX_COORDINATE / dt;
  ImpVec2 a = impi_body_free_acceleration(body, world->settings.gravity);
  double alpha = body->inv_inertia * body->torque;
  return fabs(m->vx + dt * a.x) < limit && fabs(m->vy + dt * a.y) < limit && fabs(m->w + dt * alpha) < limit;
}


// Bodies that would leave the world within this step are taken out before they touch a row. Only forces and velocities make
// as much of a speed as that, unless gravity is out of all proportion.
static ImpStatus drop_runaways(ImpWorld *world) {
  const ImpVec2 g = world->settings.gravity;
  double dt = world->settings.dt;
  double fall = dt * (fabs(g.x) + fabs(g.y)) * imp_body_property(IMP_BODY_GRAVITY_SCALE)->upper; // at most [m/s]
  double limit = 0.5 * IMPI_MAX_COORDINATE / dt - fall;
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    const ImpiMotion *m = &world->motions.data[slot];
    bool slow = fabs(m->vx) + fabs(m->vy) + fabs(m->w) < limit; // NaN is not
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


// The arrays may have moved while somebody else ran.
static void point_at_world(ImpiSolve *solve, ImpWorld *world) {
  solve->bodies = world->bodies.data;
  solve->motions = world->motions.data;
  solve->contacts = world->contacts.data;
  solve->joints = world->joints.data;
  solve->drives = world->drives.data;
}


// Let the caller write the rows of a joint for the substep that ends at t.
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


// What would throw its body out of the world within the substep is not given: the body is a culprit instead. One that
// sleeps has no part in the step: it is looked at when the next one begins.
static bool is_given(ImpWorld *world, int32_t slot, double vx, double vy, double w) {
  const ImpiBody *body = &world->bodies.data[slot];
  bool takes_part = body->awake && body->serial <= world->step_bodies;
  if (takes_part && impi_throws_out(body, vx, vy, w, world->substep.length)) {
    impi_note_culprit(world, slot, "substep");
    return false;
  }
  return body->enabled;
}


// What was pushed inside handlers and callbacks acts now.
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
    if (solve->ledger != NULL && body->serial <= world->audit.last_body) { // what is new is entered as it will be
      ImpiMotion after = impi_body_motion(world, slot);
      impi_ledger_jump(solve->ledger, IMP_ENERGY_APPLIED, slot, body, &before, &after);
    }
    impi_world_wake(world, slot); // one that sleeps takes part from the next step
  }
  world->push.pushed.count = 0;
}


// Between substeps: let the handlers run. The arrays may have moved.
static void before_substep(ImpiSolve *solve, double h) {
  ImpWorld *world = solve->owner;
  world->substep.length = h;
  world->substep.time = world->time + h * world->substep.index++;
  world->pose_stamp++;
  world->substep.running = true;
  if (world->callback.substep != NULL) { // there may be none, or a handler may have removed it
    world->callback.substep(world, h, world->callback.substep_user);
  }
  if (world->field.called > 0) {
    impi_fields_call(world);
  }
  world->substep.running = false;
  point_at_world(solve, world);
  apply_pushes(solve);
}


// Impulses are kept per substep: where its length changes, so do they.
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
      coordinate->effort.lambda *= factor;
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
    impi_lane_contacts_press(&world->narrow.lane_contacts, contact);
  }
}


// How stiff rows of soft are at most, in the step that begins. What a row bears at rest is its error times its stiffness;
// a stiffness that jumped with the substep would throw what is at rest, or let it drop. So it goes to a quarter of a
// turn a substep, the limit of Gauss-Seidel, by a part e in STIFFER seconds upwards and in SOFTER downwards. Above the
// limit an arch begins to shake after seconds; of more than TOO_STIFF times the limit nothing is left.
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
  bool asks = world->callback.field != NULL && world->field.called > 0;
  bool pushed = world->push.pushed.count > 0; // by callbacks before: it acts in the first substep
  bool listens = called || asks || pushed || world->callback.substep != NULL;
  if (listens && (!impi_reserve(&world->heap, &world->joint.pose_room, world->bodies.count + 1) ||
                  !impi_reserve_first_drives(world))) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (impi_fields_begin(world) != IMP_OK || impi_limits_begin(world) != IMP_OK) {
    return IMP_ERR_NOMEM;
  }
  bool wild = impi_undo_wants(world, listens);
  world->undo.held = false;
  world->undo.first_wild = -1;
  world->undo.culprits.count = 0;
  if (!impi_reserve(&world->heap, &world->undo.culprits, world->awake.count) || (wild && !impi_undo_reserve(world))) {
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
      .kept = world->joint.efforts_kept,
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
  // The ledger begins before bodies have lanes: what they would read there is not filled yet.
  ImpStatus status = world->settings.auditing ? impi_audit_before(world) : IMP_OK;
  if (status == IMP_OK) {
    status = solver->reserve(&world->solve);
    world->joint.efforts_kept = world->solve.kept;
  }
  if (status != IMP_OK) {
    return status;
  }
  world->solved_by = world->solver; // not before: what the last step recorded is with the solver that made it
  fit_impulses(world, world->substep.length);
  if (wild) { // callbacks see contacts and joints as they were when the step began, too
    impi_contacts_now(world);
    impi_settle_joint(world, -1);
    impi_undo_keep(world);
  }
  world->joint.efforts_kept = world->joint.edited = world->joint.drives_edited = false;
  solver->solve(&world->solve);
  world->joint.efforts_kept = solver->settle != NULL;
  if (world->joint.edited) { // by handlers
    impi_joints_edited(world);
  }
  apply_pushes(&world->solve); // of callbacks after the last substep
  return IMP_OK;
}


static void keep_backup(ImpWorld *world);


// Until nobody who has rows blows up in it, or too many have.
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


// The fewest bodies that are worth a thread.
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


// A body that is, or was, beyond the coordinates that are exact.
static void warn_if_far(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  bool far = impi_max(fabs(m->x), fabs(m->y)) > IMPI_WARN_COORDINATE;
  if (far && !body->far) {
    impi_event_body(world, IMP_EVENT_WARNING, slot, "a body is beyond 1e6 m from the origin: it is exact no longer");
  }
  body->far = far;
}


// Disable the i-th awake body where it was when the step began.
static void fault_at_start(ImpWorld *world, int i, const char *stage) {
  ImpiMotion good = world->backup.data[i];
  impi_fault_after_solve(world, world->awake.data[i], &good, stage);
  impi_body_refit(world, world->awake.data[i]);
}


// One that was found out before the rows felt anything of it: its neighbours are sound.
static void fault_culprit(ImpWorld *world, const ImpiCulprit *culprit) {
  for (int i = 0; i < world->awake.count; ++i) {
    if (world->awake.data[i] == culprit->body && world->bodies.data[culprit->body].enabled) {
      fault_at_start(world, i, culprit->stage);
    }
  }
}


// Whether the numbers of a body after it was solved need a second look.
static bool is_odd(const ImpiBody *body, const ImpiMotion *m) {
  bool near = fabs(m->x) <= IMPI_WARN_COORDINATE && fabs(m->y) <= IMPI_WARN_COORDINATE;
  double size = fabs(m->vx) + fabs(m->vy) + fabs(m->w) + fabs(m->angle);
  return !near || body->far || !(size < IMP_MAX_ANGLE); // nor is NaN near
}


// What comes of the i-th awake body after it was solved, as bits beside i.
enum { ODD = 1, FAST = 2, OUTGROWN = 4, BITS = 8 };


static int32_t judge_body(ImpWorld *world, int i) {
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


// A body whose numbers may not hold: it is put back, or told of.
static void look_at_odd(ImpWorld *world, int i) {
  int32_t slot = world->awake.data[i];
  if (!impi_motion_is_sane(&world->motions.data[slot])) {
    fault_at_start(world, i, "solve");
  }
  warn_if_far(world, slot);
}


// Bodies first .. first + count - 1: those of which something comes are put down from place `first` of the list on, and a
// -1 behind them where there is room.
static void judge_range(void *context, int first, int count, int worker) {
  (void)worker;
  ImpWorld *world = context;
  int32_t *list = world->ccd.outgrown.data + first;
  int found = 0;
  for (int i = first; i < first + count; ++i) {
    int32_t slot = world->awake.data[i];
    bool odd = is_odd(&world->bodies.data[slot], &world->motions.data[slot]);
    int32_t what = odd ? ODD : judge_body(world, i);
    if (what != 0) {
      list[found++] = i * BITS + what;
    }
  }
  if (found < count) {
    list[found] = -1;
  }
}


// In the order of bodies: who is odd is looked at, who is fast or has left its boxes put down.
static void gather_judged(ImpWorld *world, int first, int end) {
  for (int place = first; place < end && world->ccd.outgrown.data[place] >= 0; ++place) {
    int i = world->ccd.outgrown.data[place] / BITS, what = world->ccd.outgrown.data[place] % BITS;
    if (what & ODD) {
      look_at_odd(world, i);
      what = judge_body(world, i);
    }
    if (what & FAST) {
      world->ccd.swept.data[world->ccd.swept.count++] = world->awake.data[i];
    }
    if (what & OUTGROWN) {
      world->ccd.outgrown.data[world->ccd.outgrown.count++] = world->awake.data[i];
    }
  }
}


static void judge_bodies(ImpWorld *world) {
  int count = world->awake.count, threads = world->team.threads;
  impi_parallel(&world->team, count, BODY_GRAIN, judge_range, world);
  for (int worker = 0; worker < threads; ++worker) {
    gather_judged(world, impi_range_first(threads, count, BODY_GRAIN, worker),
                  impi_range_first(threads, count, BODY_GRAIN, worker + 1));
  }
}


// Boxes follow their bodies; who went far is put down for the continuous stage.
static void finalize(ImpWorld *world) {
  impi_steer_end(world);
  world->ccd.swept.count = world->ccd.outgrown.count = 0;
  judge_bodies(world);
  impi_bodies_refit(world, world->ccd.outgrown.data, world->ccd.outgrown.count);
  world->ccd.expects_meeting = world->ccd.swept.count > 0;
  for (int i = 0; i < world->undo.culprits.count; ++i) {
    fault_culprit(world, &world->undo.culprits.data[i]);
  }
  for (int i = 0; i < world->push.forced.count; ++i) {
    ImpiBody *body = &world->bodies.data[world->push.forced.data[i]];
    body->force = impi_vec(0, 0);
    body->torque = 0;
  }
  world->push.forced.count = 0;
}


// What is hit on its way may blow up as what rows hold may.
static void meet_on_the_way(ImpWorld *world) {
  if (!impi_continuous(world)) { // nobody has met anything
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
      !impi_reserve(&world->heap, &world->ccd.struck_at, count)) {
    return false;
  }
  while (world->ccd.awake_places.count < count) {
    world->ccd.awake_places.data[world->ccd.awake_places.count++] = 0;
  }
  while (world->ccd.struck_at.count < count) {
    world->ccd.struck_at.data[world->ccd.struck_at.count++] = 0;
  }
  return true;
}


// All that can fail, before any body moves.
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
  for (bool again = true; status == IMP_OK && again;) { // what wakes has contacts of its own to look at
    world->sleep.woken = false;
    if (!impi_contacts_reserve(world) || (world->callback.pre_solve != NULL &&
                                          !impi_reserve(&world->heap, &world->narrow.asked, world->contacts.count))) {
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    bool whole = impi_update_contacts(world);
    if (world->narrow.asked.count > 0) {
      impi_pre_solve(world);
    }
    if (!whole) {
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    if (world->joint.list_fresh) { // only then can somebody new hang on what is awake
      world->joint.list_fresh = false;
      impi_wake_joined(world);
    }
    again = world->sleep.woken;
    status = impi_update_lists(world);
  }
  bool room =
      status != IMP_OK ||
      (impi_backup_reserve(world) && impi_reserve(&world->heap, &world->ccd.swept, world->bodies.count) &&
       impi_reserve(&world->heap, &world->ccd.candidates, 2 * world->broadphase.proxies.count) && // see ImpiRunner
       impi_bits_reserve(&world->heap, &world->ccd.swept_set, world->bodies.count) && reserve_places(world) &&
       impi_reserve(&world->heap, &world->ccd.outgrown, world->awake.count) &&
       impi_reserve(&world->heap, &world->joint.opening.list, world->joints.count) &&
       (!world->ccd.expects_meeting || impi_continuous_reserve(world)) &&
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
  impi_steer_begin(world); // before movers: they look at how platforms will go
  ImpStatus status = impi_movers_step(world);
  if (status == IMP_OK) {
    status = prepare(world, &clock);
  }
  world->narrow.stale.count = 0; // the narrow phase has set IMPI_CONTACT_FRESH again
  double *times = world->profile.stage;
  if (status == IMP_OK) {
    status = impi_gather_active(world);
  }
  if (status == IMP_OK) {
    keep_backup(world);
    double before = impi_clock();
    times[IMP_STAGE_ISLANDS] = before - clock;
    status = solve(world);
    // What the solver does not tell of is its memory and settings: it counts as preparing.
    double told = times[IMP_STAGE_PREPARE] + times[IMP_STAGE_SOLVE] + times[IMP_STAGE_STORE];
    clock = impi_clock();
    times[IMP_STAGE_PREPARE] += impi_max(clock - before - told, 0);
    world->profile.clusters = world->solve.report.cluster_time;
  }
  if (status != IMP_OK) {
    impi_movers_undo(world);
    impi_steer_undo(world);
    impi_events_undo(world);
    world->stepping = false;
    impi_run_commands(world); // of callbacks that were called before it failed
    return status;
  }
  world->stiffest = world->solve.stiffest;
  world->last_dt = world->settings.dt;
  finalize(world);
  if (world->ccd.swept.count > 0) {
    meet_on_the_way(world);
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
  impi_events_settle(world);
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


// Threads that the work of this step is worth, by what had rows in the last one.
static int useful_threads(const ImpWorld *world) {
  int constraints = world->narrow.active.count + world->joint.awake.count;
  return constraints < IMPI_PARALLEL_CONSTRAINTS ? 1 : world->threads;
}


ImpStatus impi_world_step(ImpWorld *world) {
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "a step is under way: a handler cannot step its own world");
  }
  if (world->tick >= IMP_MAX_TICK || impi_time_after(world) > IMP_MAX_TIME) {
    return impi_fail(IMP_ERR_LIMIT, "the world's clock is at its end: no step follows tick %g at %g s",
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
