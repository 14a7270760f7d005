// Getters and properties of joints.
#include <string.h>

#include "base/constants.h"
#include "base/float_state.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/joints.h"


// ---------------------------------------------------------------------------------------------------------------------
// Samples
// ---------------------------------------------------------------------------------------------------------------------


// Copy the poses of a joint's bodies from the solver's arrays.
static void look(ImpWorld *world, const ImpiJoint *joint) {
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    int32_t body = impi_joint_body(joint, i), lane = world->bodies.data[body].lane;
    if (lane > 0) {
      world->joint.pose_room.data[lane] = impi_body_motion(world, body);
    }
  }
}


// Return the time of the state that getters report [s].
static double time_now(const ImpWorld *world) { return world->stepping ? world->substep.time : world->time; }


bool impi_world_sample(ImpWorld *world, int32_t slot, ImpiSamples *out_samples) {
  return impi_sample_joint(world, &world->joints.data[slot], out_samples);
}


bool impi_sample_joint(ImpWorld *world, const ImpiJoint *joint, ImpiSamples *out_samples) {
  bool lanes = world->stepping && world->joint.pose_room.capacity > 0;
  if (!impi_sample_reserve(&world->heap, &world->joint.samples, joint)) {
    return false;
  }
  if (lanes) {
    look(world, joint);
    for (int term = 0; joint->kinds[0] == IMP_COORDINATE_SUM && term < 2; ++term) {
      look(world, &world->joints.data[joint->custom->term[term].joint]);
    }
  }
  ImpiPoses poses = {world->bodies.data, world->motions.data, lanes ? world->joint.pose_room.data : NULL};
  *out_samples = impi_sample_room(&world->joint.samples, joint);
  impi_joint_sample(world->joints.data, joint, &poses, time_now(world), HUGE_VAL, *out_samples);
  return true;
}


double impi_sample_speed(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate) {
  int count = impi_joint_body_count(joint);
  const double *j = samples->j + 3 * count * coordinate;
  double speed = impi_joint_is_velocity(joint) ? samples->value[coordinate] : 0;
  for (int i = 0; i < count; ++i) {
    ImpiMotion m = impi_body_motion(world, impi_joint_body(joint, i));
    speed += j[3 * i] * m.vx + j[3 * i + 1] * m.vy + j[3 * i + 2] * m.w;
  }
  return speed;
}


double impi_sample_mass(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate) {
  int count = impi_joint_body_count(joint);
  const double *j = samples->j + 3 * count * coordinate;
  double k = 0;
  for (int i = 0; i < count; ++i) {
    const ImpiBody *body = &world->bodies.data[impi_joint_body(joint, i)];
    k += body->inv_mass * impi_length_sq(impi_free_part(body, j[3 * i], j[3 * i + 1])) +
         body->inv_inertia * j[3 * i + 2] * j[3 * i + 2];
  }
  const ImpiCoordinate *own = impi_joint_coordinate_const(joint, coordinate);
  return k > 0 ? 1 / k + (own->drive >= 0 ? world->drives.data[own->drive].set.armature : 0) : 0;
}


static void add_result(ImpiRowSum *sum, const ImpiRowResult *result) {
  sum->total += result->total;
  sum->step_work += result->step_work;
  sum->work += result->work;
}


static ImpiRowSum result_of(const ImpWorld *world, const ImpiJoint *joint, int index) {
  impi_flush_joint(world, (int32_t)(joint - world->joints.data));
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  ImpiRowSum sum = {0, 0, 0};
  add_result(&sum, &coordinate->result);
  for (int i = 0; coordinate->drive >= 0 && i < IMPI_DRIVE_ROWS; ++i) {
    add_result(&sum, &world->drives.data[coordinate->drive].row[i]);
  }
  return sum;
}


double impi_joint_energy(ImpWorld *world, int32_t slot) {
  impi_flush_joint(world, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  ImpiSamples samples;
  double energy = 0;
  for (int i = 0; i < joint->count && !joint->broken; ++i) {
    int32_t drive = impi_joint_coordinate_const(joint, i)->drive;
    const ImpDrive *set = drive >= 0 ? &world->drives.data[drive].set : NULL;
    if (set == NULL || !(set->on >> IMP_DRIVE_SPRING & 1u) || !impi_world_sample(world, slot, &samples)) {
      continue;
    }
    double mass = world->drives.data[drive].mass, stiffness, damping;
    mass = mass > 0 ? mass : impi_sample_mass(world, joint, &samples, i);
    impi_spring_constants(set, mass, &stiffness, &damping);
    double x = samples.value[i] - set->rest;
    energy += 0.5 * stiffness * x * x;
  }
  return energy;
}


// Return the kinetic energy of a joint's rotors [J], 0 for a broken or disabled joint.
double impi_joint_rotor_energy(ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  double energy = 0;
  for (int i = 0; i < joint->count && !joint->broken && !impi_joint_is_disabled(world, joint); ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    ImpiSamples samples;
    if (!impi_joint_has_rotor(joint, world->drives.data, world->bodies.data, i)) {
      continue;
    }
    const ImpiDrive *drive = &world->drives.data[coordinate->drive];
    double speed = drive->rotor;
    if (!drive->spins && impi_world_sample(world, slot, &samples)) {
      speed = impi_sample_speed(world, joint, &samples, i);
    }
    energy += 0.5 * drive->set.armature * speed * speed;
  }
  return energy;
}


// Return the reaction of a joint. `wrench` is the sum of the impulses of all substeps.
static ImpReaction reaction_of(const ImpWorld *world, int32_t slot) {
  impi_flush_joint(world, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  double inv_dt = 1 / impi_last_dt(world);
  ImpReaction sum = {inv_dt * joint->wrench[0], inv_dt * joint->wrench[1], inv_dt * joint->wrench[2]};
  if (joint->custom == NULL) {
    sum.torque = 0;
    for (int i = 0; i < joint->count; ++i) {
      bool turns = joint->kinds[i] == IMP_COORDINATE_ANGLE;
      sum.torque += turns ? inv_dt * result_of(world, joint, i).total : 0;
    }
  }
  return sum;
}


ImpiLoad impi_joint_load(ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  if (joint->custom == NULL) {
    ImpReaction r = reaction_of(world, slot);
    return (ImpiLoad){impi_length(impi_vec(r.x, r.y)), fabs(r.torque)};
  }
  ImpiLoad load = {0, 0};
  for (int i = 0; i < joint->count; ++i) {
    double force = fabs(result_of(world, joint, i).total) / impi_last_dt(world);
    load.force = load.torque = impi_max(load.force, force);
  }
  return load;
}


// ---------------------------------------------------------------------------------------------------------------------
// Iteration
// ---------------------------------------------------------------------------------------------------------------------


static bool is_live(const ImpWorld *world, int32_t slot) {
  return world->joint_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE;
}


ImpJoint imp_world_next_joint(const ImpWorld *world, ImpJoint previous) {
  int32_t slot = world->first_joint;
  if (previous.id != 0) {
    int32_t at = impi_pool_find(&world->joint_pool, previous.id, world->tag);
    slot = at < 0 ? -1 : world->joints.data[at].next;
  }
  while (slot >= 0 && !is_live(world, slot)) {
    slot = world->joints.data[slot].next; // skip joints that were destroyed inside this step
  }
  return slot < 0 ? (ImpJoint){0} : impi_joint_handle(world, slot);
}


// The newest joint is at the front of a body's list.
ImpJoint imp_body_next_joint(const ImpWorld *world, ImpBody handle, ImpJoint previous) {
  int32_t body = impi_pool_find(&world->body_pool, handle.id, world->tag), edge = -1;
  const ImpiJointEdge *edges = world->joint_edges.data;
  if (body < 0) {
    return (ImpJoint){0};
  }
  if (previous.id == 0) {
    for (int32_t e = world->bodies.data[body].first_joint; e >= 0; e = edges[e].next) {
      edge = e;
    }
  } else {
    int32_t at = impi_pool_find(&world->joint_pool, previous.id, world->tag);
    for (int32_t e = at >= 0 ? world->joints.data[at].first_edge : -1; e >= 0; e = edges[e].sibling) {
      edge = edges[e].body == body ? edges[e].previous : edge;
    }
  }
  while (edge >= 0 && !is_live(world, edges[edge].joint)) {
    edge = edges[edge].previous;
  }
  return edge < 0 ? (ImpJoint){0} : impi_joint_handle(world, edges[edge].joint);
}


// Build the table of joint names before its first use; false when out of memory.
static bool know_joints(ImpWorld *world) {
  ImpiNames *names = &world->joint_names;
  if (names->chains.count > 0 || !impi_names_make(&world->heap, names, world->joints.count)) {
    return names->chains.count > 0;
  }
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    impi_names_add(&world->heap, names, slot, world->joints.data[slot].serial, world->joints.data[slot].name);
  }
  return names->chains.count > 0;
}


ImpJoint imp_world_find_joint(const ImpWorld *world, const char *name) {
  ImpJoint joint = {0};
  if (name == NULL) {
    return joint;
  }
  ImpWorld *cache = (ImpWorld *)(uintptr_t)world; // the table of names is a cache, so it may change in a const world
  if (know_joints(cache)) {
    int32_t slot = impi_names_find(&cache->joint_names, &world->joint_pool, name);
    return slot < 0 ? joint : impi_joint_handle(world, slot);
  }
  while ((joint = imp_world_next_joint(world, joint)).id != 0) {
    const char *own = world->joints.data[impi_pool_find(&world->joint_pool, joint.id, world->tag)].name;
    if (own != NULL && strcmp(own, name) == 0) {
      break;
    }
  }
  return joint;
}


bool imp_joint_is_valid(const ImpWorld *world, ImpJoint joint) {
  return impi_pool_find(&world->joint_pool, joint.id, world->tag) >= 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Coordinates
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus impi_coordinate_name(const ImpiJoint *joint, int index, const char **out_name) {
  static const char *const numbers[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};
  if (index < 0 || index >= joint->count) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s '%s' has no coordinate %d", impi_kind(joint->kind)->name,
                     impi_called(joint->name), index + 1);
  }
  if (joint->kind != IMP_JOINT_CONSTRAINT) {
    *out_name = impi_kind(joint->kind)->coordinates[index];
  } else {
    *out_name = index < IMPI_COUNT(numbers) ? numbers[index] : "beyond 10";
  }
  return IMP_OK;
}


// Compute the samples of a joint's coordinates. The world's memory for samples is a cache.
ImpStatus impi_coordinate_sample_of(const ImpWorld *world, int32_t slot, int index, ImpiSamples *out_samples) {
  const char *name;
  ImpStatus status = impi_coordinate_name(&world->joints.data[slot], index, &name);
  if (status == IMP_OK && !impi_world_sample((ImpWorld *)(uintptr_t)world, slot, out_samples)) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  return status;
}


ImpStatus imp_joint_coordinate_count(const ImpWorld *world, ImpJoint handle, int *out_count) {
  IMPI_FIND_JOINT(world, handle, slot);
  *out_count = world->joints.data[slot].count;
  return IMP_OK;
}


ImpStatus imp_coordinate_info(const ImpWorld *world, ImpCoordinate handle, ImpCoordinateInfo *out_info) {
  IMPI_FIND_JOINT(world, handle.joint, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  ImpiSamples samples;
  ImpStatus status = impi_coordinate_sample_of(world, slot, handle.index, &samples);
  if (status != IMP_OK) {
    return status;
  }
  ImpiRowSum result = result_of(world, joint, handle.index);
  double dt = impi_last_dt(world);
  *out_info = (ImpCoordinateInfo){
      .value = impi_joint_is_velocity(joint) ? 0 : samples.value[handle.index],
      .speed = impi_sample_speed(world, joint, &samples, handle.index),
      .force = result.total / dt,
      .mass = impi_sample_mass(world, joint, &samples, handle.index),
      .power = result.step_work / dt,
      .work = result.work,
  };
  return impi_coordinate_name(joint, handle.index, &out_info->name);
}


ImpStatus imp_coordinate_jacobian(const ImpWorld *world, ImpCoordinate handle, double *j, int capacity,
                                  int *out_count) {
  IMPI_FIND_JOINT(world, handle.joint, slot);
  ImpiSamples samples;
  ImpStatus status = impi_coordinate_sample_of(world, slot, handle.index, &samples);
  if (status == IMP_OK) {
    int width = 3 * impi_joint_body_count(&world->joints.data[slot]);
    for (int i = 0; i < width && i < capacity; ++i) {
      j[i] = samples.j[handle.index * width + i];
    }
    *out_count = width;
  }
  return status;
}


ImpStatus imp_coordinate_curvature(const ImpWorld *world, ImpCoordinate handle, double *out_curvature) {
  IMPI_FIND_JOINT(world, handle.joint, slot);
  ImpiSamples samples;
  ImpStatus status = impi_coordinate_sample_of(world, slot, handle.index, &samples);
  if (status == IMP_OK) {
    *out_curvature = samples.curvature[handle.index];
  }
  return status;
}


ImpDrive impi_drive_of(const ImpWorld *world, const ImpiJoint *joint, int index) {
  const ImpDrive *queued = impi_queued_drive(world, (int32_t)(joint - world->joints.data), index);
  if (queued != NULL) {
    return *queued;
  }
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  ImpDrive drive = coordinate->drive >= 0 ? world->drives.data[coordinate->drive].set : imp_drive();
  drive.on |= coordinate->locked ? 1u << IMP_DRIVE_LOCK : 0;
  drive.lock = coordinate->lock;
  return drive;
}


ImpStatus imp_coordinate_drive(const ImpWorld *world, ImpCoordinate handle, ImpDrive *out_drive) {
  IMPI_FIND_JOINT(world, handle.joint, slot);
  const char *name;
  ImpStatus status = impi_coordinate_name(&world->joints.data[slot], handle.index, &name);
  if (status == IMP_OK) {
    *out_drive = impi_drive_of(world, &world->joints.data[slot], handle.index);
  }
  return status;
}


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus impi_own_coordinate(const ImpiJoint *joint, const char *property, int *out_index) {
  const ImpJointKindInfo *kind = impi_kind(joint->kind);
  *out_index = kind->own;
  if (kind->own < 0 || joint->count == 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "joint.%s: a %s has no coordinate of its own (use joint:coordinate(\"x\"))",
                     property, kind->name);
  }
  return IMP_OK;
}


static double separation(const ImpiJoint *joint, const ImpiSamples *samples) {
  double worst = 0;
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    if (coordinate->locked && !impi_joint_is_velocity(joint)) {
      worst = impi_max(worst, fabs(samples->value[i] - coordinate->lock));
    }
  }
  return worst;
}


// Return a pointer to the number in `drive` that stores a property of its motor, servo or spring, or null.
static double *setting_of(ImpDrive *drive, ImpJointProperty property) {
  bool motor = drive->on >> IMP_DRIVE_MOTOR & 1u, servo = drive->on >> IMP_DRIVE_SERVO & 1u;
  bool spring = drive->on >> IMP_DRIVE_SPRING & 1u;
  if (property == IMP_JOINT_TARGET) {
    return servo ? &drive->target : spring ? &drive->rest : NULL;
  }
  if (property == IMP_JOINT_MOTOR_SPEED) {
    return motor ? &drive->speed : NULL;
  }
  return motor ? &drive->motor_max : servo ? &drive->servo_max : spring ? &drive->spring_max : NULL;
}


int impi_joint_driven_coordinate(const ImpiJoint *joint, ImpJointProperty property) {
  const ImpJointKindInfo *kind = impi_kind(joint->kind);
  return property == IMP_JOINT_TARGET ? kind->own : kind->motor;
}


ImpStatus impi_joint_find_setting(const ImpWorld *world, const ImpiJoint *joint, ImpJointProperty property,
                                  ImpDrive *out_drive, double **out_number) {
  const char *name = imp_joint_property((int)property)->name;
  int own;
  ImpStatus status = impi_own_coordinate(joint, name, &own);
  if (status != IMP_OK) {
    return status;
  }
  *out_drive = impi_drive_of(world, joint, impi_joint_driven_coordinate(joint, property));
  *out_number = setting_of(out_drive, property);
  if (*out_number == NULL) {
    const char *what = property == IMP_JOINT_TARGET        ? "servo or spring"
                       : property == IMP_JOINT_MOTOR_SPEED ? "motor"
                                                           : "motor, servo or spring";
    return impi_fail(IMP_ERR_ARGUMENT, "joint.%s: this %s has no %s", name, impi_kind(joint->kind)->name, what);
  }
  return IMP_OK;
}


ImpStatus imp_joint_get(const ImpWorld *world, ImpJoint handle, ImpJointProperty property, double *out_value) {
  IMPI_FIND_JOINT(world, handle, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  ImpiSamples samples;
  ImpDrive drive;
  double *number;
  int own;
  ImpStatus status = IMP_OK;
  switch (property) {
  case IMP_JOINT_ID:
    *out_value = (double)joint->serial;
    return IMP_OK;
  case IMP_JOINT_BROKEN:
    *out_value = joint->broken;
    return IMP_OK;
  case IMP_JOINT_BREAK_FORCE:
    *out_value = joint->break_force;
    return IMP_OK;
  case IMP_JOINT_BREAK_TORQUE:
    *out_value = joint->break_torque;
    return IMP_OK;
  case IMP_JOINT_COLLIDE:
    *out_value = joint->collide;
    return IMP_OK;
  case IMP_JOINT_VALUE:
  case IMP_JOINT_SPEED:
  case IMP_JOINT_FORCE:
    status = impi_own_coordinate(joint, imp_joint_property((int)property)->name, &own);
    if (status == IMP_OK && property == IMP_JOINT_FORCE) {
      *out_value = result_of(world, joint, own).total / impi_last_dt(world);
      return IMP_OK;
    }
    if (status == IMP_OK) {
      status = impi_coordinate_sample_of(world, slot, own, &samples);
    }
    if (status == IMP_OK) {
      bool rate = impi_joint_is_velocity(joint);
      *out_value = property == IMP_JOINT_SPEED ? impi_sample_speed(world, joint, &samples, own)
                   : rate                      ? 0
                                               : samples.value[own];
    }
    return status;
  case IMP_JOINT_GAP:
  case IMP_JOINT_SEPARATION:
    if (joint->count == 0) {
      *out_value = 0;
      return IMP_OK;
    }
    status = impi_coordinate_sample_of(world, slot, 0, &samples);
    if (status == IMP_OK) {
      double size = impi_joint_size(joint, world->bodies.data);
      *out_value = property == IMP_JOINT_GAP ? impi_joint_gap(joint, world->drives.data, &samples, size)
                                             : separation(joint, &samples);
    }
    return status;
  case IMP_JOINT_TARGET:
  case IMP_JOINT_MOTOR_SPEED:
  case IMP_JOINT_MAX_FORCE:
    status = impi_joint_find_setting(world, joint, property, &drive, &number);
    if (status == IMP_OK) {
      *out_value = *number;
    }
    return status;
  case IMP_JOINT_PROPERTY_COUNT:
    break;
  }
  return impi_fail(IMP_ERR_ARGUMENT, "a joint has no such property");
}


ImpStatus imp_joint_kind_of(const ImpWorld *world, ImpJoint handle, ImpJointKind *out_kind) {
  IMPI_FIND_JOINT(world, handle, slot);
  *out_kind = (ImpJointKind)world->joints.data[slot].kind;
  return IMP_OK;
}


ImpStatus imp_joint_name(const ImpWorld *world, ImpJoint handle, const char **out_name) {
  IMPI_FIND_JOINT(world, handle, slot);
  *out_name = world->joints.data[slot].name;
  return IMP_OK;
}


ImpStatus impi_joint_set_name(ImpWorld *world, ImpJoint handle, const char *name) {
  IMPI_FIND_JOINT(world, handle, slot);
  ImpiJoint *joint = &world->joints.data[slot];
  return impi_rename(&world->heap, &world->joint_names, slot, joint->serial, &joint->name, name);
}


ImpStatus imp_joint_user_data(const ImpWorld *world, ImpJoint handle, void **out_user_data) {
  IMPI_FIND_JOINT(world, handle, slot);
  *out_user_data = world->joints.data[slot].user_data;
  return IMP_OK;
}


ImpStatus imp_joint_bodies(const ImpWorld *world, ImpJoint handle, ImpBody *bodies, int capacity, int *out_count) {
  IMPI_FIND_JOINT(world, handle, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  *out_count = impi_joint_body_count(joint);
  for (int i = 0; i < *out_count && i < capacity; ++i) {
    bodies[i] = impi_body_handle(world, impi_joint_body(joint, i));
  }
  return IMP_OK;
}


ImpStatus imp_joint_anchors(const ImpWorld *world, ImpJoint handle, ImpVec2 *out_a, ImpVec2 *out_b) {
  IMPI_FIND_JOINT(world, handle, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  ImpiMotion a = impi_body_motion(world, joint->body_a), b = impi_body_motion(world, joint->body_b);
  bool none = joint->custom != NULL;
  *out_a = none ? impi_vec(a.x, a.y) : impi_anchor(joint->frames.local_a, &world->bodies.data[joint->body_a], &a);
  *out_b = none ? impi_vec(b.x, b.y) : impi_anchor(joint->frames.local_b, &world->bodies.data[joint->body_b], &b);
  return IMP_OK;
}


ImpStatus imp_joint_reaction(const ImpWorld *world, ImpJoint handle, ImpReaction *out_reaction) {
  IMPI_FIND_JOINT(world, handle, slot);
  *out_reaction = reaction_of(world, slot);
  return IMP_OK;
}


bool impi_joint_is_disabled(const ImpWorld *world, const ImpiJoint *joint) {
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    if (!world->bodies.data[impi_joint_body(joint, i)].enabled) {
      return true; // a joint does not act if one of its bodies is disabled
    }
  }
  return false;
}


void impi_flush_joint(const ImpWorld *world, int32_t joint) {
  const ImpiSolver *solver = impi_solver((int)world->solved_by);
  if (world->joint.results_kept) {
    uint64_t float_state = impi_float_state_enter(); // the caller may have changed the floating-point state
    solver->flush(world->scratch[world->solved_by], world->joints.data, world->drives.data, joint);
    impi_float_state_leave(float_state);
  }
}


void impi_joints_edited(ImpWorld *world) {
  impi_flush_joint(world, -1);
  world->joint.results_kept = false;
  world->joint.edited = true;
}


void impi_body_rotors_follow(ImpWorld *world, int32_t body) {
  for (int32_t e = world->bodies.data[body].first_joint; e >= 0; e = world->joint_edges.data[e].next) {
    ImpiJoint *joint = &world->joints.data[world->joint_edges.data[e].joint];
    for (int i = 0; i < joint->count; ++i) {
      int32_t drive = impi_joint_coordinate(joint, i)->drive;
      if (drive >= 0) {
        world->drives.data[drive].spins = false;
      }
    }
  }
}


void impi_start_rotor(ImpWorld *world, int32_t slot, int index) {
  const ImpiJoint *joint = &world->joints.data[slot];
  ImpiSamples samples;
  if (!impi_joint_has_rotor(joint, world->drives.data, world->bodies.data, index) ||
      !impi_world_sample(world, slot, &samples)) {
    return;
  }
  ImpiDrive *drive = &world->drives.data[impi_joint_coordinate_const(joint, index)->drive];
  double speed = impi_sample_speed(world, joint, &samples, index);
  drive->spins = impi_is_finite(speed);
  drive->rotor = drive->spins ? speed : 0;
}


void impi_body_rotors_start(ImpWorld *world, int32_t body) {
  for (int32_t e = world->bodies.data[body].first_joint; e >= 0; e = world->joint_edges.data[e].next) {
    int32_t slot = world->joint_edges.data[e].joint;
    const ImpiJoint *joint = &world->joints.data[slot];
    for (int i = 0; i < joint->count; ++i) {
      int32_t drive = impi_joint_coordinate_const(joint, i)->drive;
      if (drive >= 0 && !world->drives.data[drive].spins) {
        impi_start_rotor(world, slot, i);
      }
    }
  }
}
