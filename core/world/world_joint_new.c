// Creation of joints: definitions, checks, and the coordinates and drives that each kind has.
#include "base/constants.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/joints.h"

#include <string.h>


ImpJointDef imp_joint_def(ImpJointKind kind, ImpBody body_a, ImpBody body_b) {
  ImpJointDef def = {
      .kind = kind,
      .body_a = body_a,
      .body_b = body_b,
      .axis = {1, 0},
      .reference_angle = (double)NAN,
      .length = (double)NAN,
      .ratio = 1,
      .target_angle = (double)NAN,
      .direction = 1,
      .max_force = (double)NAN,
      .max_torque = (double)NAN,
      .hertz = 5,
      .damping_ratio = 1,
      .break_force = HUGE_VAL,
      .break_torque = HUGE_VAL,
  };
  for (int i = 0; i < IMPI_INLINE_COORDINATES; ++i) {
    def.drive[i] = imp_drive();
  }
  return def;
}


// ---------------------------------------------------------------------------------------------------------------------
// Checks
// ---------------------------------------------------------------------------------------------------------------------


static ImpStatus check_numbers(const ImpJointDef *def) {
  const ImpJointKindInfo *kind = impi_kind((uint8_t)def->kind);
  const double anchor_a = def->place_a == IMP_PLACE_LOCAL ? IMP_MAX_ARM : IMPI_MAX_COORDINATE;
  const double anchor_b = def->place_b == IMP_PLACE_LOCAL ? IMP_MAX_ARM : IMPI_MAX_COORDINATE;
  const double turn = 2 * IMP_MAX_ANGLE; // largest angle of a body relative to another body [rad]
  const struct {
    double value, lower, upper;
    bool optional, infinite;
    const char *name;
  } numbers[] = {
      {def->anchor_a.x, -anchor_a, anchor_a, false, false, "anchor_a"},
      {def->anchor_a.y, -anchor_a, anchor_a, false, false, "anchor_a"},
      {def->anchor_b.x, -anchor_b, anchor_b, false, false, "anchor_b"},
      {def->anchor_b.y, -anchor_b, anchor_b, false, false, "anchor_b"},
      {def->ground_a.x, -IMPI_MAX_COORDINATE, IMPI_MAX_COORDINATE, false, false, "ground_a"},
      {def->ground_a.y, -IMPI_MAX_COORDINATE, IMPI_MAX_COORDINATE, false, false, "ground_a"},
      {def->ground_b.x, -IMPI_MAX_COORDINATE, IMPI_MAX_COORDINATE, false, false, "ground_b"},
      {def->ground_b.y, -IMPI_MAX_COORDINATE, IMPI_MAX_COORDINATE, false, false, "ground_b"},
      {def->target.x, -IMPI_MAX_COORDINATE, IMPI_MAX_COORDINATE, false, false, "target"},
      {def->target.y, -IMPI_MAX_COORDINATE, IMPI_MAX_COORDINATE, false, false, "target"},
      {def->reference_angle, -turn, turn, true, false, "reference_angle"},
      {def->target_angle, -turn, turn, true, false, "target_angle"},
      {def->length, 0, IMP_MAX_DRIVE, true, false, "length"},
      {def->ratio, -IMP_MAX_RATIO, IMP_MAX_RATIO, false, false, "ratio"},
      {def->pitch, 0, IMP_MAX_RATIO, false, false, "pitch"},
      {def->max_force, 0, IMP_MAX_DRIVE, true, true, "max_force"},
      {def->max_torque, 0, IMP_MAX_DRIVE, true, true, "max_torque"},
      {def->hertz, 1 / IMP_MAX_RATIO, IMP_MAX_RATIO, false, false, "hertz"},
      {def->damping_ratio, 0, IMP_MAX_RATIO, false, false, "damping_ratio"},
      {def->break_force, 0, imp_joint_property(IMP_JOINT_BREAK_FORCE)->upper, false, true, "break_force"},
      {def->break_torque, 0, imp_joint_property(IMP_JOINT_BREAK_TORQUE)->upper, false, true, "break_torque"},
  };
  for (int i = 0; i < IMPI_COUNT(numbers); ++i) {
    double value = numbers[i].value;
    bool absent = value != value && numbers[i].optional, fits = value >= numbers[i].lower && value <= numbers[i].upper;
    if (!absent && !fits && !(numbers[i].infinite && value == HUGE_VAL)) {
      return impi_fail(IMP_ERR_ARGUMENT, "%s.%s must be a number from %g to %g, got %g", kind->name, numbers[i].name,
                       numbers[i].lower, numbers[i].upper, value);
    }
  }
  if (!(impi_length(def->axis) > 1e-9 && impi_length(def->axis) < 1e9)) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s.axis must have a length between 1e-9 and 1e9", kind->name);
  }
  if (kind->options & IMP_TAKES_RATIO && def->ratio == 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s.ratio must not be 0", kind->name);
  }
  if (def->direction != 1 && def->direction != -1) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s.direction must be 1 or -1", kind->name);
  }
  for (int i = 0; i < IMPI_INLINE_COORDINATES && kind->coordinates[i] != NULL; ++i) {
    ImpDrive drive = def->drive[i];
    drive.rest = drive.rest == drive.rest ? drive.rest : 0; // NaN is allowed: it means the value at creation
    ImpStatus status = impi_check_drive(&drive, def->name, kind->coordinates[i]);
    if (status != IMP_OK) {
      return status;
    }
  }
  return IMP_OK;
}


static int coordinates_of(const ImpJointKindInfo *kind) {
  int count = 0;
  while (count < IMPI_INLINE_COORDINATES && kind->coordinates[count] != NULL) {
    count++;
  }
  return count;
}


// Return an error if a drive is given for a missing coordinate.
static ImpStatus check_drives(const ImpJointDef *def) {
  const ImpJointKindInfo *kind = impi_kind((uint8_t)def->kind);
  for (int i = coordinates_of(kind); i < IMPI_INLINE_COORDINATES; ++i) {
    if (impi_drive_needs_record(&def->drive[i]) || def->drive[i].on != 0) {
      return impi_fail(IMP_ERR_ARGUMENT, "a drive is given for a coordinate that a %s does not have: coordinate %d",
                       kind->name, i + 1);
    }
  }
  return IMP_OK;
}


enum { GROUND_TO_BE = -1 }; // in place of the slot of a ground body that is not created yet


static ImpStatus check_pair(const ImpWorld *world, const char *kind, int32_t a, int32_t b) {
  if (a == b) {
    return impi_fail(IMP_ERR_ARGUMENT, "a %s joins two different bodies, not a body to itself", kind);
  }
  bool moves_a = a != GROUND_TO_BE && impi_is_dynamic(&world->bodies.data[a]);
  if (!moves_a && !impi_is_dynamic(&world->bodies.data[b])) {
    return impi_fail(IMP_ERR_ARGUMENT, "a %s needs a dynamic body: both of its bodies are static or kinematic", kind);
  }
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Creation
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus impi_world_ground(ImpWorld *world, ImpBody *out_body) {
  if (world->ground < 0) {
    ImpBodyDef def = imp_body_def();
    def.type = IMP_BODY_STATIC;
    def.name = "ground";
    ImpBody body;
    uint64_t serial = world->body_serial;
    int most = world->max_bodies; // the limit on the number of bodies does not apply to the ground
    world->max_bodies = 0;
    ImpStatus status = impi_body_create(world, &def, &body);
    world->max_bodies = most;
    if (status != IMP_OK) {
      return status;
    }
    int32_t slot = impi_pool_find(&world->body_pool, body.id, world->tag);
    ImpiBody *ground = &world->bodies.data[slot];
    impi_names_remove(&world->body_names, slot);
    world->last_body = ground->previous; // remove the ground, which is the last body, from the list
    *(ground->previous >= 0 ? &world->bodies.data[ground->previous].next : &world->first_body) = -1;
    ground->previous = -1;
    ground->serial = 0;
    world->body_serial = serial;
    world->ground = slot;
  }
  *out_body = impi_body_handle(world, world->ground);
  return IMP_OK;
}


// Compute the anchors, the axis and the reference angle in the frames of the bodies.
static void place_anchors(const ImpWorld *world, const ImpJointDef *def, int32_t a, int32_t b,
                          ImpiJointFrames *frames) {
  const ImpJointKindInfo *kind = impi_kind((uint8_t)def->kind);
  ImpiMotion motion_a = {0}, motion_b = impi_body_motion(world, b);
  ImpTransform frame_a = {.q = {.c = 1}};
  if (a != GROUND_TO_BE) {
    motion_a = impi_body_motion(world, a);
    frame_a = impi_body_frame(&world->bodies.data[a], &motion_a);
  }
  ImpTransform frame_b = impi_body_frame(&world->bodies.data[b], &motion_b);
  ImpVec2 at_b = def->place_b == IMP_PLACE_WORLD   ? def->anchor_b
                 : def->place_b == IMP_PLACE_LOCAL ? impi_apply(frame_b, def->anchor_b)
                                                   : frame_b.p;
  frames->local_b = def->place_b == IMP_PLACE_LOCAL ? def->anchor_b : impi_inv_apply(frame_b, at_b);
  // Kinds with two anchors or a target use A's origin if no anchor is given.
  bool two = kind->options & (IMP_TAKES_ANCHORS | IMP_TAKES_TARGET);
  if (def->place_a == IMP_PLACE_LOCAL) {
    frames->local_a = def->anchor_a;
  } else if (def->place_a == IMP_PLACE_WORLD) {
    frames->local_a = impi_inv_apply(frame_a, def->anchor_a);
  } else {
    frames->local_a = two ? impi_vec(0, 0) : impi_inv_apply(frame_a, at_b);
  }
  ImpVec2 axis = impi_direction(def->axis);
  if (def->place_axis != IMP_PLACE_LOCAL) {
    axis = impi_inv_rotate(frame_a.q, axis);
  }
  frames->axis = (ImpRot){axis.x, axis.y};
  frames->reference =
      def->reference_angle == def->reference_angle ? def->reference_angle : motion_b.angle - motion_a.angle;
  frames->ratio = def->ratio;
  frames->ground_a = def->ground_a;
  frames->ground_b = def->ground_b;
}


// Clamp a number that is derived from poses or masses to the range of a drive.
static double cut(double value) { return impi_clamp(value, -IMP_MAX_DRIVE, IMP_MAX_DRIVE); }


// Check that numbers derived from the poses of the bodies are in the ranges of a definition.
static ImpStatus check_frames(const ImpJointKindInfo *kind, const ImpiJointFrames *frames) {
  if (!impi_is_finite(impi_length(frames->local_a) + impi_length(frames->local_b) + frames->axis.c + frames->axis.s +
                      frames->reference)) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     "a %s cannot be made: the position or the angle of one of its bodies is not finite", kind->name);
  }
  ImpStatus status = impi_check_vector(frames->local_a, IMP_MAX_ARM, "the anchor in the frame of body a", "m");
  if (status == IMP_OK) {
    status = impi_check_vector(frames->local_b, IMP_MAX_ARM, "the anchor in the frame of body b", "m");
  }
  if (status == IMP_OK && fabs(frames->reference) > 2 * IMP_MAX_ANGLE) {
    status = impi_fail(IMP_ERR_ARGUMENT,
                       "%s.reference_angle: the two bodies are rotated too far relative to each other, by %g rad",
                       kind->name, frames->reference);
  }
  return status;
}


static double given(double value, double otherwise) { return value == value ? value : otherwise; }


// Return the default drive of a coordinate. `sampled`: value at creation.
static ImpDrive drive_of_kind(const ImpWorld *world, const ImpJointDef *def, const ImpiJoint *joint, int index,
                              double sampled) {
  double value = cut(sampled);
  const ImpJointKindInfo *kind = impi_kind((uint8_t)def->kind);
  ImpDrive drive = imp_drive();
  bool angle = joint->kinds[index] == IMP_COORDINATE_ANGLE;
  double most = given(angle ? def->max_torque : def->max_force, HUGE_VAL);
  if (kind->locked >> index & 1u) {
    drive.on = 1u << IMP_DRIVE_LOCK;
    bool measured = joint->kinds[index] >= IMP_COORDINATE_DISTANCE; // coordinates x, y and angle are locked at 0
    drive.lock = joint->kinds[index] == IMP_COORDINATE_DISTANCE ? given(def->length, value) : measured ? value : 0;
  }
  switch (def->kind) {
  case IMP_JOINT_ROPE:
    drive.on = 1u << IMP_DRIVE_LIMIT;
    drive.upper = given(def->length, value);
    break;
  case IMP_JOINT_POSE:
    drive.on = 1u << IMP_DRIVE_SERVO;
    drive.target = angle             ? given(def->target_angle, value)
                   : def->has_target ? (index == 0 ? def->target.x : def->target.y)
                                     : value;
    drive.servo_max = most;
    break;
  case IMP_JOINT_DRAG: {
    const ImpiBody *body = &world->bodies.data[joint->body_b];
    double g = impi_length(world->settings.gravity);
    drive.on = 1u << IMP_DRIVE_SPRING;
    drive.hertz = def->hertz;
    drive.damping_ratio = def->damping_ratio;
    drive.rest = def->has_target ? (index == 0 ? def->target.x : def->target.y) : value;
    drive.spring_max = given(def->max_force, cut(100 * body->mass * (g > 0 ? g : 9.81)));
    break;
  }
  case IMP_JOINT_FRICTION:
    drive.on = 1u << IMP_DRIVE_MOTOR;
    drive.motor_max = most;
    break;
  case IMP_JOINT_RATCHET:
    drive.on = 1u << IMP_DRIVE_LIMIT;
    *(def->direction > 0 ? &drive.lower : &drive.upper) = value;
    break;
  default:
    break;
  }
  return drive;
}


// Find the terms of a gear: the two coordinates, and the bodies on which the coordinates depend.
static ImpStatus make_sum(ImpWorld *world, const ImpJointDef *def, ImpiJoint *joint, int32_t *bodies, int *out_count) {
  const char *name = impi_kind((uint8_t)def->kind)->name;
  int count = 0;
  bool moves = false;
  ImpiCustom custom = {.capacity = 1};
  for (int term = 0; term < 2; ++term) {
    ImpCoordinate wanted = def->term[term];
    IMPI_FIND_JOINT(world, wanted.joint, slot);
    const ImpiJoint *part = &world->joints.data[slot];
    if (wanted.index < 0 || wanted.index >= part->count) {
      return impi_fail(IMP_ERR_ARGUMENT, "%s: joint %d has no coordinate %d", name, term + 1, wanted.index + 1);
    }
    ImpCoordinateKind kind = impi_coordinate_kind(part, wanted.index);
    bool small =
        part->custom == NULL || (part->custom->capacity <= IMPI_INLINE_COORDINATES && part->custom->body_count <= 2);
    if (kind == IMP_COORDINATE_SUM || kind == IMP_COORDINATE_USER || !small || impi_joint_is_velocity(part)) {
      return impi_fail(IMP_ERR_ARGUMENT,
                       "%s: joint %d cannot be coupled: it must be a joint of two bodies, but not a gear, and not a "
                       "constraint given by rows or by rates (C_dot)",
                       name, term + 1);
    }
    custom.term[term].joint = slot;
    custom.term[term].coordinate = wanted.index;
    for (int side = 0; side < impi_joint_body_count(part); ++side) {
      int32_t body = impi_joint_body(part, side);
      int at = 0;
      while (at < count && bodies[at] != body) {
        at++;
      }
      bodies[at] = body;
      count = at == count ? count + 1 : count;
      custom.term[term].side[side] = at;
      moves = moves || impi_is_dynamic(&world->bodies.data[body]);
    }
  }
  if (custom.term[0].joint == custom.term[1].joint && custom.term[0].coordinate == custom.term[1].coordinate) {
    return impi_fail(IMP_ERR_ARGUMENT, "a %s couples two different coordinates, but the same coordinate is given twice",
                     name);
  }
  if (!moves) {
    return impi_fail(IMP_ERR_ARGUMENT, "a %s needs a dynamic body: all bodies that it couples are static or kinematic",
                     name);
  }
  ImpiHeap *heap = &world->heap;
  custom.body_count = count;
  custom.bodies = impi_resize(heap, NULL, 0, (size_t)count * sizeof *custom.bodies);
  custom.coordinates = impi_resize(heap, NULL, 0, sizeof *custom.coordinates);
  joint->custom = impi_resize(heap, NULL, 0, sizeof custom);
  if (custom.bodies == NULL || custom.coordinates == NULL || joint->custom == NULL) {
    impi_resize(heap, custom.bodies, (size_t)count * sizeof *custom.bodies, 0);
    impi_resize(heap, custom.coordinates, sizeof *custom.coordinates, 0);
    impi_resize(heap, joint->custom, sizeof custom, 0);
    joint->custom = NULL;
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  memcpy(custom.bodies, bodies, (size_t)count * sizeof *bodies);
  custom.coordinates[0] = (ImpiCoordinate){.drive = -1};
  *joint->custom = custom;
  joint->body_a = bodies[0];
  joint->body_b = bodies[count - 1];
  joint->frames.ratio = def->ratio;
  *out_count = count;
  return IMP_OK;
}


// Find the two bodies of a definition. Kinds of joints with one body have the ground as A.
static ImpStatus find_bodies(const ImpWorld *world, const ImpJointDef *def, int32_t *bodies) {
  const ImpJointKindInfo *kind = impi_kind((uint8_t)def->kind);
  IMPI_FIND_BODY(world, def->body_b, b);
  bodies[0] = world->ground >= 0 ? world->ground : GROUND_TO_BE;
  bodies[1] = b;
  if (!(kind->options & IMP_TAKES_ONE_BODY)) {
    IMPI_FIND_BODY(world, def->body_a, a);
    bodies[0] = a;
  }
  return check_pair(world, kind->name, bodies[0], bodies[1]);
}


// Create the ground body if bodies[0] is GROUND_TO_BE.
static ImpStatus make_ground(ImpWorld *world, ImpiJoint *joint, int32_t *bodies) {
  ImpBody ground;
  if (bodies[0] != GROUND_TO_BE) {
    return IMP_OK;
  }
  ImpStatus status = impi_world_ground(world, &ground);
  joint->body_a = bodies[0] = world->ground;
  return status;
}


static ImpStatus make_joint(ImpWorld *world, const ImpJointDef *def, ImpiJoint *joint, int32_t *bodies,
                            int *out_count) {
  const ImpJointKindInfo *kind = impi_kind((uint8_t)def->kind);
  *joint = (ImpiJoint){
      .kind = (uint8_t)def->kind,
      .count = (uint8_t)coordinates_of(kind),
      .collide = def->collide,
      .broken = def->broken,
      .pitch = def->pitch,
      .direction = def->direction,
      .break_force = def->break_force,
      .break_torque = def->break_torque,
      .first_edge = -1,
      .user_data = def->user_data,
  };
  for (int i = 0; i < IMPI_INLINE_COORDINATES; ++i) {
    joint->inline_coordinates[i].drive = -1;
    if (i < joint->count) {
      joint->kinds[i] = (uint8_t)kind->kinds[i];
    }
  }
  if (kind->options & IMP_TAKES_TERMS) {
    return make_sum(world, def, joint, bodies, out_count);
  }
  ImpStatus status = find_bodies(world, def, bodies);
  if (status == IMP_OK) {
    joint->body_a = bodies[0];
    joint->body_b = bodies[1];
    place_anchors(world, def, bodies[0], bodies[1], &joint->frames);
    *out_count = 2;
    status = check_frames(kind, &joint->frames);
  }
  return status;
}


ImpStatus impi_joint_create(ImpWorld *world, const ImpJointDef *def, ImpJoint *out_joint) {
  if (imp_joint_kind((int)def->kind) == NULL || def->kind == IMP_JOINT_CONSTRAINT) {
    return impi_fail(IMP_ERR_ARGUMENT, "no joint can be made of kind %d", (int)def->kind);
  }
  ImpStatus status = check_drives(def);
  status = status == IMP_OK ? check_numbers(def) : status;
  ImpiJoint fresh;
  int32_t bodies[2 * IMPI_INLINE_COORDINATES];
  int count = 0;
  if (status == IMP_OK) {
    status = impi_joint_room(world, IMPI_COUNT(bodies), IMPI_INLINE_COORDINATES);
  }
  if (status == IMP_OK) {
    status = make_joint(world, def, &fresh, bodies, &count);
  }
  if (status != IMP_OK) {
    return status;
  }
  if (!impi_sample_reserve(&world->heap, &world->joint.samples, &fresh) ||
      !impi_copy_string(&world->heap, def->name, &fresh.name)) {
    impi_custom_free(&world->heap, fresh.custom);
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  status = make_ground(world, &fresh, bodies); // create the ground last, after all checks
  if (status != IMP_OK) {
    impi_free_string(&world->heap, fresh.name);
    impi_custom_free(&world->heap, fresh.custom);
    return status;
  }
  int32_t slot = impi_joint_add(world, fresh, bodies, count);
  for (int term = 0; fresh.custom != NULL && term < 2; ++term) {
    world->joints.data[fresh.custom->term[term].joint].dependents++;
  }
  ImpiSamples samples;
  double values[IMPI_INLINE_COORDINATES] = {0};
  if (impi_world_sample(world, slot, &samples)) {
    memcpy(values, samples.value, (size_t)fresh.count * sizeof *values);
  }
  for (int i = 0; i < fresh.count; ++i) {
    bool replaced = def->drive[i].on != 0 || def->free >> i & 1u;
    ImpDrive drive = replaced ? def->drive[i] : drive_of_kind(world, def, &fresh, i, values[i]);
    drive.armature = def->drive[i].armature;
    drive.viscous_damping = def->drive[i].viscous_damping;
    drive.dry_friction = def->drive[i].dry_friction;
    if (drive.rest != drive.rest) {
      drive.rest = cut(def->kind == IMP_JOINT_DISTANCE ? given(def->length, values[i]) : values[i]);
    }
    impi_joint_finish_set_drive(world, slot, i, &drive);
  }
  *out_joint = impi_joint_start(world, slot);
  return IMP_OK;
}
