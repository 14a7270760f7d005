// Sums over the world: energy, momentum, counts, residual, and the hash of the dynamic state.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/float_state.h"
#include "world/bodies.h"
#include "world/contacts.h"
#include "world/joints.h"
#include "world/movers.h"
#include "world/pairs.h"
#include "world/touching.h"

#include <string.h>


ImpBody imp_world_next_body(const ImpWorld *world, ImpBody previous) {
  int32_t slot = world->first_body;
  if (previous.id != 0) {
    int32_t at = impi_pool_find(&world->body_pool, previous.id, world->tag);
    slot = at < 0 ? -1 : world->bodies.data[at].next;
  }
  while (slot >= 0 && world->body_pool.slots.data[slot].next_free != IMPI_SLOT_LIVE) {
    slot = world->bodies.data[slot].next; // skip bodies that were destroyed inside this step
  }
  return slot < 0 ? (ImpBody){0} : impi_body_handle(world, slot);
}


// Build the table of names before its first use; false when out of memory.
static bool know_bodies(ImpWorld *world) {
  ImpiNames *names = &world->body_names;
  if (names->chains.count > 0 || !impi_names_make(&world->heap, names, world->bodies.count)) {
    return names->chains.count > 0;
  }
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    impi_names_add(&world->heap, names, slot, world->bodies.data[slot].serial, world->bodies.data[slot].name);
  }
  return names->chains.count > 0;
}


ImpBody imp_world_find_body(const ImpWorld *world, const char *name) {
  ImpBody body = {0};
  if (name == NULL) {
    return body;
  }
  ImpWorld *cache = (ImpWorld *)(uintptr_t)world; // the table of names is a cache, so it may change in a const world
  if (know_bodies(cache)) {
    int32_t slot = impi_names_find(&cache->body_names, &world->body_pool, name);
    return slot < 0 ? body : impi_body_handle(world, slot);
  }
  while ((body = imp_world_next_body(world, body)).id != 0) {
    const char *own = world->bodies.data[impi_pool_find(&world->body_pool, body.id, world->tag)].name;
    if (own != NULL && strcmp(own, name) == 0) {
      break;
    }
  }
  return body;
}


ImpEnergy imp_world_energy(const ImpWorld *world) {
  ImpEnergy energy = {.joint_work = world->work_joints, .contact_work = world->work_contacts};
  ImpVec2 g = world->settings.gravity;
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    const ImpiBody *body = &world->bodies.data[slot];
    ImpiMotion m = impi_body_motion(world, slot);
    energy.kinetic += 0.5 * (body->mass * (m.vx * m.vx + m.vy * m.vy) + body->inertia * m.w * m.w);
    energy.potential -= body->mass * body->gravity_scale * (g.x * m.x + g.y * m.y);
  }
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    // The memory for samples is a cache, so it may change although the world is const.
    energy.potential += impi_joint_energy((ImpWorld *)(uintptr_t)world, slot);
    energy.kinetic += impi_joint_rotor_energy((ImpWorld *)(uintptr_t)world, slot);
  }
  return energy;
}


ImpMomentum imp_world_momentum(const ImpWorld *world) {
  ImpMomentum sum = {0, 0, 0};
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    const ImpiBody *body = &world->bodies.data[slot];
    ImpiMotion m = impi_body_motion(world, slot);
    sum.x += body->mass * m.vx;
    sum.y += body->mass * m.vy;
    sum.angular += body->inertia * m.w + body->mass * (m.x * m.vy - m.y * m.vx);
  }
  return sum;
}


ImpCounts imp_world_counts(const ImpWorld *world) {
  ImpCounts counts = {
      .bodies = world->body_pool.live - (world->ground >= 0),
      .joints = world->joint_pool.live,
      .fields = world->field.pool.live,
      .movers = world->mover.list.count - world->mover.gaps,
      .shapes = world->shape_pool.live,
      .rows = world->solve.report.rows,
      .colours = world->solve.report.colours,
      .islands = world->sleep.island_count,
      .bytes = world->heap.bytes,
  };
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    counts.awake += world->bodies.data[slot].awake;
  }
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    counts.contacts += world->contact_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE &&
                       (world->contacts.data[slot].flags & IMPI_CONTACT_TOUCHING) != 0;
  }
  return counts;
}


ImpProfile imp_world_profile(const ImpWorld *world) { return world->profile; }


// Return the velocity error of the motor and limits of a coordinate under the soft solver [m/s or rad/s].
static double drives_left(const ImpWorld *world, const ImpiCoordinate *coordinate, double value, double speed) {
  if (coordinate->drive < 0 || coordinate->locked) {
    return 0;
  }
  const ImpiDrive *drive = &world->drives.data[coordinate->drive];
  const ImpDrive *set = &drive->set;
  double dt = world->settings.dt, h = dt / impi_substeps(impi_solver((int)world->solved_by), &world->settings);
  double below = (set->lower - value) / h, above = (set->upper - value) / h, left = 0, most = dt * (1 - 1e-6);
  if (impi_drive_makes(set, IMPI_DRIVE_MOTOR) && fabs(drive->row[IMPI_DRIVE_MOTOR].total) < most * set->motor_max) {
    bool stopped = impi_limit_stops_motor(set);
    double required = stopped ? impi_clamp(set->speed, impi_min(below, 0), impi_max(above, 0)) : set->speed;
    left = fabs(speed - required);
  }
  for (int k = 0; k < 2; ++k) {
    ImpiDriveRow row = k == 0 ? IMPI_DRIVE_LOWER : IMPI_DRIVE_UPPER;
    double beyond = k == 0 ? impi_min(below, 0) - speed : speed - impi_max(above, 0),
           total = fabs(drive->row[row].total);
    bool supports = impi_drive_makes(set, row) && total > 0 && total < most * set->limit_max;
    left = supports ? impi_max(left, beyond) : left;
  }
  return left;
}


// Add the residual of a joint: velocity errors of its locks, unless the solver reported them, and position errors.
static void add_joint_residual(ImpWorld *world, int32_t slot, ImpResidual *residual) {
  impi_flush_joint(world, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  ImpiSamples samples;
  residual->open += joint->open;
  if (joint->broken || !impi_world_sample(world, slot, &samples)) {
    return;
  }
  bool rate = impi_joint_is_velocity(joint), said = world->solve.report.velocity >= 0;
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    if (!said && !rate && world->solved_by == IMP_SOLVER_SOFT) {
      double speed = impi_sample_speed(world, joint, &samples, i);
      residual->velocity = impi_max(residual->velocity, drives_left(world, coordinate, samples.value[i], speed));
    }
    if (!coordinate->locked) {
      continue;
    }
    double left = said ? 0 : fabs(impi_sample_speed(world, joint, &samples, i) + (rate ? 0 : coordinate->result.bias));
    residual->velocity = impi_max(residual->velocity, left);
    residual->separation = impi_max(residual->separation, rate ? 0 : fabs(samples.value[i] - coordinate->lock));
  }
}


// Return the velocity with which errors are compared [m/s]: the largest velocity that gravity adds to an awake body in
// a substep. If it is 0: the largest velocity change along a row by the row's impulse of the last substep.
// *out_speed: largest speed of an awake body [m/s or rad/s].
static double velocity_scale(ImpWorld *world, double *out_speed) {
  int substeps = impi_substeps(impi_solver((int)world->solved_by), &world->settings);
  double h = world->impulse_step > 0 ? world->impulse_step : world->settings.dt / substeps;
  double gravity = impi_length(world->settings.gravity), scale = 0, speed = 0, impulses = 0;
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    const ImpiBody *body = &world->bodies.data[slot];
    if (body->awake && body->inv_mass > 0) {
      ImpiMotion m = impi_body_motion(world, slot);
      scale = impi_max(scale, h * gravity * fabs(body->gravity_scale));
      speed = impi_max(speed, impi_max(impi_length((ImpVec2){m.vx, m.vy}), fabs(m.w)));
    }
  }
  *out_speed = speed;
  for (int32_t slot = world->first_joint; slot >= 0 && scale == 0; slot = world->joints.data[slot].next) {
    const ImpiJoint *joint = &world->joints.data[slot];
    ImpiSamples samples;
    bool acts = !joint->broken && impi_world_sample(world, slot, &samples);
    for (int i = 0; i < joint->count && acts; ++i) {
      const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
      double mass = impi_sample_mass(world, joint, &samples, i), impulse = fabs(coordinate->result.lambda);
      for (int k = 0; k < IMPI_DRIVE_ROWS && coordinate->drive >= 0; ++k) {
        impulse = impi_max(impulse, fabs(world->drives.data[coordinate->drive].row[k].lambda));
      }
      impulses = impi_max(impulses, mass > 0 ? impulse / mass : 0);
    }
  }
  for (int32_t slot = 0; slot < world->contacts.count && scale == 0; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    bool lives = world->contact_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE;
    for (int k = 0; k < contact->count && lives; ++k) {
      double inverse = world->bodies.data[contact->body_a].inv_mass + world->bodies.data[contact->body_b].inv_mass;
      impulses = impi_max(impulses, contact->points[k].lambda_n * inverse);
    }
  }
  return scale > 0 ? scale : impulses;
}


// Set the error of the step, and whether the step converged.
static void set_convergence(ImpWorld *world, ImpResidual *residual) {
  double speed, scale = velocity_scale(world, &speed), left = residual->velocity - IMPI_SPEED_ROUNDING * speed;
  if (left > 0) {
    residual->error = scale > 0 ? left / scale : HUGE_VAL;
  }
  residual->converged = residual->error <= IMP_CONVERGED && strcmp(residual->reason, "stalled") != 0;
  const ImpiSettings *set = &world->settings;
  bool fixed = set->tolerance_impulse == 0 && set->tolerance_velocity == 0 && set->tolerance_change == 0;
  if (residual->converged && strcmp(residual->reason, "iterations") == 0 &&
      (fixed || world->solved_by == IMP_SOLVER_SOFT)) {
    residual->reason = "converged";
  }
}


// The penetration includes sleeping contacts. The other errors include only contacts that the last step solved.
ImpResidual imp_world_residual(ImpWorld *world) {
  const ImpiSolverReport *report = &world->solve.report;
  ImpResidual residual = {.velocity = impi_max(impi_max(report->velocity, report->bounded), 0),
                          .sweeps = report->sweeps,
                          .contraction = report->contraction,
                          .solved_to = report->solved_to,
                          .redundant = report->redundant,
                          .flops = report->flops,
                          .reason = report->reason != NULL ? report->reason : "none"};
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = impi_contact_now(world, slot);
    if (world->contact_pool.slots.data[slot].next_free != IMPI_SLOT_LIVE || contact->flags & IMPI_CONTACT_IDLE) {
      continue;
    }
    bool solved = world->bodies.data[contact->body_a].awake || world->bodies.data[contact->body_b].awake;
    for (int k = 0; k < contact->count; ++k) {
      const ImpiContactPoint *point = &contact->points[k];
      double speed = -impi_contact_approach(contact, point, &world->motions.data[contact->body_a],
                                            &world->motions.data[contact->body_b]);
      residual.penetration = impi_max(residual.penetration, -point->separation);
      bool hit = contact->restitution > 0 && point->approach > impi_world_restitution_threshold(world, contact);
      if (solved && point->lambda_n > 0 && !hit) {
        residual.velocity = impi_max(residual.velocity, fabs(speed));
        residual.complementarity = impi_max(residual.complementarity, fabs(speed) * point->total_n);
      }
    }
  }
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    add_joint_residual(world, slot, &residual);
  }
  set_convergence(world, &residual);
  return residual;
}


const ImpSweep *imp_world_sweeps(const ImpWorld *world, int *out_count) {
  *out_count = world->solve.report.history_count;
  return world->solve.report.history;
}


static void hash_number(XXH3_state_t *state, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  // Hash -0 as 0. Test the bits: in denormals-are-zero mode, `value == 0` holds for subnormal numbers, too.
  bits = bits << 1 == 0 ? 0 : bits;
  XXH3_64bits_update(state, &bits, sizeof bits);
}


static void hash_integer(XXH3_state_t *state, uint64_t value) { XXH3_64bits_update(state, &value, sizeof value); }


static void hash_joint(XXH3_state_t *state, const ImpWorld *world, const ImpiJoint *joint) {
  hash_integer(state, joint->serial);
  hash_integer(state, joint->broken);
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    hash_number(state, coordinate->result.lambda);
    const ImpiDrive *drive = coordinate->drive >= 0 ? &world->drives.data[coordinate->drive] : NULL;
    int rows = drive == NULL ? 0 : impi_drive_is_mechanical(&drive->set) ? IMPI_DRIVE_ROWS : IMPI_DRIVE_ARMATURE;
    for (int k = 0; k < rows; ++k) {
      hash_number(state, drive->row[k].lambda);
    }
    if (rows == IMPI_DRIVE_ROWS) {
      hash_number(state, drive->rotor);
    }
  }
}


static void hash_mover(XXH3_state_t *state, const ImpWorld *world, const ImpiMover *mover) {
  const double numbers[] = {mover->own.x,           mover->own.y,          mover->base,           mover->drop_time,
                            mover->press,           mover->fall_speed,     mover->ground.local.x, mover->ground.local.y,
                            mover->pressed.local.x, mover->pressed.local.y};
  hash_integer(state, world->bodies.data[mover->body].serial);
  hash_integer(state, mover->ground.serial);
  for (int i = 0; i < IMP_MOVER_PROPERTY_COUNT; ++i) {
    hash_number(state, mover->value[i]);
  }
  for (int i = 0; i < IMPI_COUNT(numbers); ++i) {
    hash_number(state, numbers[i]);
  }
}


static void hash_body(XXH3_state_t *state, const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion m = impi_body_motion(world, slot);
  const double numbers[] = {m.x, m.y, m.angle, m.vx, m.vy, m.w, body->sleep_time};
  hash_integer(state, body->serial);
  hash_integer(state, (uint64_t)body->type << 2 | (uint64_t)body->awake << 1 | (uint64_t)body->enabled);
  for (int i = 0; i < IMPI_COUNT(numbers); ++i) {
    hash_number(state, numbers[i]);
  }
  if (body->kinematic_target > 0) {
    const ImpiKinematicTarget *kinematic_target = &world->push.kinematic_targets.data[body->kinematic_target - 1];
    hash_integer(state, (uint64_t)kinematic_target->has_target << 1 | (uint64_t)kinematic_target->reached);
    hash_number(state, kinematic_target->has_target ? kinematic_target->to.x : 0);
    hash_number(state, kinematic_target->has_target ? kinematic_target->to.y : 0);
    hash_number(state, kinematic_target->has_target ? kinematic_target->angle : 0);
  }
}


ImpStatus imp_body_hash(const ImpWorld *world, ImpBody handle, uint64_t *out_hash) {
  IMPI_FIND_BODY(world, handle, slot);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  hash_body(&state, world, slot);
  *out_hash = XXH3_64bits_digest(&state);
  return IMP_OK;
}


static void note_part(unsigned char *parts, int i, const XXH3_state_t *state) {
  if (parts != NULL) {
    parts[i] = (unsigned char)(XXH3_64bits_digest(state) >> 56);
  }
}


static uint64_t hash_world(const ImpWorld *world, unsigned char *parts) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  impi_flush_joint(world, -1);
  hash_integer(&state, world->tick);
  hash_number(&state, world->settings.dt);
  hash_number(&state, world->settings.gravity.x);
  hash_number(&state, world->settings.gravity.y);
  for (int i = 0; i < IMPI_COUNT(world->random); ++i) {
    hash_integer(&state, world->random[i]);
  }
  note_part(parts, 0, &state);
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    hash_body(&state, world, slot);
  }
  note_part(parts, 1, &state);
  impi_movers_close_gaps(world);
  for (int32_t i = 0; i < world->mover.list.count; ++i) {
    hash_mover(&state, world, &world->mover.list.data[i]);
  }
  note_part(parts, 2, &state);
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    hash_joint(&state, world, &world->joints.data[slot]);
  }
  note_part(parts, 3, &state);
  // The sorted list is a cache, so it may be built in a const world.
  ImpWorld *cache = (ImpWorld *)(uintptr_t)world;
  if (impi_world_sort_touching(cache)) {
    for (int i = 0; i < world->touching.list.count; ++i) {
      const ImpiContact *contact = impi_contact_now(world, world->touching.list.data[i]);
      hash_integer(&state, world->shapes.data[contact->shape_a].serial);
      hash_integer(&state, world->shapes.data[contact->shape_b].serial);
      hash_integer(&state, (uint64_t)contact->child_a << 32 | (uint64_t)contact->child_b);
      for (int k = 0; k < contact->count; ++k) {
        hash_integer(&state, contact->points[k].feature);
        hash_number(&state, contact->points[k].lambda_n);
        hash_number(&state, contact->points[k].lambda_t);
      }
      hash_number(&state, contact->lambda_r);
    }
  }
  return XXH3_64bits_digest(&state);
}


// Hash in the default floating-point environment: in denormals-are-zero mode, subnormal floats would convert to 0.
uint64_t impi_world_hash_parts(const ImpWorld *world, unsigned char *parts) {
  uint64_t float_state = impi_float_state_enter();
  uint64_t hash = hash_world(world, parts);
  impi_float_state_leave(float_state);
  return hash;
}


uint64_t imp_world_hash(const ImpWorld *world) { return impi_world_hash_parts(world, NULL); }
