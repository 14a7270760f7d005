// Joints of the soft solver: their order, their records, and the biases and bounds of drives.
#include "solvers/soft/soft_joints.h"

#include <string.h>

#include "base/constants.h"
#include "model/colour.h"
#include "solvers/soft/soft_joint_record.h"


// Return whether a joint has at most two bodies and at most PAIR_LOCKS coordinates.
static bool is_pair(const ImpiJoint *joint) {
  return impi_joint_body_count(joint) <= 2 && impi_joint_capacity(joint) <= PAIR_LOCKS;
}


// Return the number of coordinates with a rotor.
static int rotors_of(const ImpiSolve *solve, const ImpiJoint *joint) {
  int rotors = 0;
  for (int i = 0; i < joint->count; ++i) {
    rotors += impi_joint_has_rotor(joint, solve->drives, solve->bodies, i);
  }
  return rotors;
}


// Return the number of bodies in a record: at least 2, and at least the number of rotors.
static int bodies_in(const ImpiSolve *solve, const ImpiJoint *joint) {
  int count = impi_joint_body_count(joint), rotors = rotors_of(solve, joint);
  count = count < 2 ? 2 : count;
  return count < rotors ? rotors : count;
}


static uint32_t stride_of(const ImpiJoint *joint, int bodies) {
  return is_pair(joint) && bodies == 2 ? PAIR_STRIDE : stride_for(bodies, impi_joint_capacity(joint));
}


static size_t record_size(const ImpiJoint *joint, int n, int room) {
  size_t size = sizeof(Head) + (size_t)n * (sizeof(int32_t) + sizeof(Part)) + (size_t)room * stride_of(joint, n);
  return (size + 7) & ~(size_t)7;
}


void impi_soft_joints_free(ImpiHeap *heap, ImpiSoftJoints *joints) {
  impi_resize(heap, joints->memory, joints->memory_size, 0);
  impi_array_free(heap, &joints->order);
  impi_array_free(heap, &joints->colour);
  impi_array_free(heap, &joints->restless);
  impi_array_free(heap, &joints->extras);
  impi_array_free(heap, &joints->frames);
  impi_array_free(heap, &joints->rotors);
  impi_array_free(heap, &joints->now);
  impi_array_free(heap, &joints->later);
  impi_array_free(heap, &joints->before);
  impi_array_free(heap, &joints->mean);
  impi_array_free(heap, &joints->samples.numbers);
  impi_joint_lanes_free(heap, &joints->lanes);
  impi_clusters_free(heap, &joints->clusters);
}


// ---------------------------------------------------------------------------------------------------------------------
// Order and memory
// ---------------------------------------------------------------------------------------------------------------------


static int32_t moving_lane(const ImpiSolve *solve, int32_t body) {
  return solve->bodies[body].inv_mass > 0 ? solve->bodies[body].lane : 0;
}


#define PLACES (IMPI_COLOURS + 3)
#define TOGETHER (IMPI_COLOURS + 2)

// Return the place of a joint in the order of solving: TOGETHER for joints of clusters, 0 for other joints for which
// is_pair is false, 1 for pairs without a colour, 2 + colour for pairs with a colour.
static int place_of(const ImpiSolve *solve, const ImpiJoint *joint, uint64_t *taken) {
  if (!is_pair(joint)) {
    return 0;
  }
  int32_t a = impi_joint_body_count(joint) == 1 ? 0 : moving_lane(solve, joint->body_a);
  int colour = impi_take_colour(taken, a, moving_lane(solve, joint->body_b));
  return colour == IMPI_NO_COLOUR ? 1 : 2 + colour;
}


// Sort the joints by place, and within a place by creation.
static void make_order(ImpiSoftJoints *joints, int *counts) {
  for (int place = 0, next = 0; place < PLACES; ++place) {
    int count = counts[place];
    counts[place] = next;
    next += count;
  }
  const int32_t *rest = joints->lanes.rest.data;
  for (int i = 0; i < joints->lanes.rest.count; ++i) {
    joints->order.data[counts[joints->colour.data[i]]++] = rest[i];
  }
}


static bool reserve_records(ImpiHeap *heap, ImpiSoftJoints *joints, size_t needed) {
  if (needed <= joints->memory_size) {
    return true;
  }
  size_t size = needed + needed / 2;
  void *grown = impi_resize(heap, NULL, 0, size);
  if (grown != NULL) {
    impi_resize(heap, joints->memory, joints->memory_size, 0);
    joints->memory = grown;
    joints->memory_size = size;
  }
  return grown != NULL;
}


bool impi_soft_joints_reserve(ImpiSolve *solve, ImpiSoftJoints *joints, uint64_t *taken, int lanes,
                              const ImpiJointKernels *kernels) {
  ImpiHeap *heap = solve->heap;
  if (!impi_joint_lanes_reserve(solve, &joints->lanes, kernels, &joints->clusters, taken, lanes) ||
      !impi_reserve(heap, &joints->before, joints->lanes.driven ? lanes : 0)) {
    return false;
  }
  if (!impi_clusters_reserve_points(solve, &joints->clusters)) {
    return false;
  }
  int count = joints->lanes.rest.count, extras = 0, rotors = 0, blocks = 0, counts[PLACES] = {0};
  bool handlers = solve->before_substep != NULL;
  int most = handlers ? solve->active_joint_count : count;
  joints->used = joints->together = 0;
  joints->rows = 0;
  joints->cluster_time = 0;
  joints->order.count = joints->restless.count = joints->extras.count = joints->frames.count = 0;
  joints->rotors.count = 0;
  if (most == 0) {
    return true;
  }
  size_t needed = 0;
  bool room = impi_reserve(heap, &joints->order, count) && impi_reserve(heap, &joints->restless, most) &&
              impi_reserve(heap, &joints->frames, count) && impi_reserve(heap, &joints->colour, count) &&
              impi_reserve(heap, &joints->now, lanes) && impi_reserve(heap, &joints->before, lanes) &&
              impi_reserve(heap, &joints->mean, lanes);
  memset(taken, 0, (size_t)lanes * sizeof *taken);
  for (int i = 0; i < count && room; ++i) {
    int32_t slot = joints->lanes.rest.data[i];
    const ImpiJoint *joint = &solve->joints[slot];
    bool together = blocks < joints->clusters.blocks.count && joints->clusters.blocks.data[blocks].joint == slot;
    int place = together ? TOGETHER : place_of(solve, joint, taken);
    blocks += together;
    joints->colour.data[i] = (uint8_t)place;
    counts[place]++;
    int rows = impi_joint_step_rows(joint, handlers);
    int bodies = bodies_in(solve, joint);
    needed += record_size(joint, bodies, rows);
    extras += rows;
    rotors += bodies;
    room = impi_sample_reserve(heap, &joints->samples, joint) &&
           impi_reserve(heap, &joints->later, impi_joint_capacity(joint));
  }
  for (int i = 0; i < joints->lanes.joints.count && room && handlers; ++i) {
    const ImpiJoint *joint = &solve->joints[joints->lanes.joints.data[i]];
    int rows = impi_joint_step_rows(joint, true), bodies = bodies_in(solve, joint);
    needed += record_size(joint, bodies, rows);
    extras += rows;
    rotors += bodies;
    room = impi_sample_reserve(heap, &joints->samples, joint);
  }
  room = room && impi_reserve(heap, &joints->extras, extras) && impi_reserve(heap, &joints->rotors, rotors) &&
         reserve_records(heap, joints, needed);
  if (room) {
    joints->order.count = count;
    make_order(joints, counts);
  }
  return room;
}


// ---------------------------------------------------------------------------------------------------------------------
// Planning: the rows of each joint
// ---------------------------------------------------------------------------------------------------------------------


static ImpiRowResult *result_of(ImpiSolve *solve, ImpiJoint *joint, const Extra *extra) {
  ImpiCoordinate *coordinate = impi_joint_coordinate(joint, extra->coordinate);
  if (extra->role == ROLE_LOCK || extra->kind == IMP_ROW_USER) {
    return &coordinate->result;
  }
  return &solve->drives[coordinate->drive].row[extra->drive_row];
}


static uint32_t signature_of(const ImpiSolve *solve, const ImpiJoint *joint) {
  uint32_t signature = 0;
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    uint32_t on = 0;
    for (int row = 0; coordinate->drive >= 0 && row < IMPI_DRIVE_ROWS; ++row) {
      bool makes = row == IMPI_DRIVE_ARMATURE
                       ? impi_joint_has_rotor(joint, solve->drives, solve->bodies, i)
                       : impi_drive_makes(&solve->drives[coordinate->drive].set, (ImpiDriveRow)row);
      on |= (uint32_t)makes << row;
    }
    uint32_t lock = coordinate->locked ? (impi_joint_locks(joint, i) ? 1u << 16 : 1u << 17) : 0;
    signature = (signature ^ (on | lock | 1u << 18)) * 0x9e3779b1u;
    signature ^= signature >> 15;
  }
  return signature;
}


static Extra *add_row(const ImpiSoftJoints *joints, Head *head, RowRole role, ImpRowKind kind, int coordinate,
                      int drive_row) {
  if (head->rows == head->room) {
    return NULL; // not reached: `room` covers all rows that handlers may add
  }
  Extra *extra = &joints->extras.data[head->extra + head->rows];
  memset(row_of(head, head->bodies, head->stride, head->rows++), 0, head->stride);
  *extra = (Extra){.role = (uint8_t)role,
                   .kind = (uint8_t)kind,
                   .drive_row = (uint8_t)drive_row,
                   .coordinate = coordinate,
                   .scale = 1,
                   .lower = -HUGE_VALF,
                   .upper = HUGE_VALF};
  return extra;
}


static void plan_drive(const ImpiSoftJoints *joints, Head *head, const ImpiDrive *drive, int coordinate) {
  static const struct {
    RowRole role;
    ImpRowKind kind;
    uint8_t side;
  } plans[] = {
      [IMPI_DRIVE_LOWER] = {ROLE_LIMIT, IMP_ROW_LOWER_LIMIT, 1},
      [IMPI_DRIVE_UPPER] = {ROLE_LIMIT, IMP_ROW_UPPER_LIMIT, 2},
      [IMPI_DRIVE_MOTOR] = {ROLE_HELD, IMP_ROW_MOTOR, 0},
      [IMPI_DRIVE_SERVO] = {ROLE_HELD, IMP_ROW_SERVO, 0},
      [IMPI_DRIVE_SPRING] = {ROLE_SPRING, IMP_ROW_SPRING, 0},
      [IMPI_DRIVE_FORCE] = {ROLE_FORCE, IMP_ROW_FORCE, 0},
      [IMPI_DRIVE_ARMATURE] = {ROLE_ROTOR, IMP_ROW_ARMATURE, 0},
      [IMPI_DRIVE_DAMPING] = {ROLE_SPRING, IMP_ROW_DAMPING, 0},
      [IMPI_DRIVE_FRICTION] = {ROLE_HELD, IMP_ROW_DRY_FRICTION, 0},
  };
  IMPI_COVERS(plans, IMPI_DRIVE_ROWS);
  bool others = false;
  for (int n = 0; n < IMPI_DRIVE_ROWS; ++n) {
    ImpiDriveRow i = impi_drive_order[n];
    Extra *extra = i != IMPI_DRIVE_ARMATURE && impi_drive_makes(&drive->set, i)
                       ? add_row(joints, head, plans[i].role, plans[i].kind, coordinate, (int)i)
                       : NULL;
    if (extra != NULL) {
      extra->side = plans[i].side;
      head->limited |= others && extra->role == ROLE_LIMIT;
      others |= extra->role != ROLE_LIMIT;
    }
  }
}


// Add the row of a rotor.
static void plan_rotor(ImpiSolve *solve, const ImpiSoftJoints *joints, Head *head, int coordinate) {
  const ImpiJoint *joint = &solve->joints[head->joint];
  bool has = impi_joint_has_rotor(joint, solve->drives, solve->bodies, coordinate) && head->rotors < head->bodies;
  Extra *extra = has ? add_row(joints, head, ROLE_ROTOR, IMP_ROW_ARMATURE, coordinate, IMPI_DRIVE_ARMATURE) : NULL;
  int32_t slot = impi_joint_coordinate_const(joint, coordinate)->drive;
  if (extra == NULL) {
    if (slot >= 0) {
      impi_drive_drop_rotor(&solve->drives[slot]);
    }
    return;
  }
  ImpiDrive *drive = &solve->drives[slot];
  if (!drive->spins) {
    ImpiPoses poses = {solve->bodies, solve->motions, joints->now.data};
    ImpiSamples samples = impi_sample_room(&((ImpiSoftJoints *)joints)->samples, joint);
    impi_joint_sample(solve->joints, joint, &poses, solve->time, 0.1 / joints->h, samples);
    drive->rotor = impi_joint_speed(joint, &poses, &samples, coordinate);
    drive->spins = true;
  }
  extra->rotor = head->rotors++;
  head->locks++;
  joints->rotors.data[head->rotor + extra->rotor] = (Rotor){drive->rotor, drive->rotor, slot};
  weights_of(head, head->bodies)[head->bodies - 1 - extra->rotor][3] = (float)(1 / drive->set.armature);
}


// List the rows of a joint, locks first, and load their impulses.
static void plan(ImpiSolve *solve, const ImpiSoftJoints *joints, Head *head) {
  ImpiJoint *joint = &solve->joints[head->joint];
  head->rows = head->locks = head->rotors = 0;
  head->limited = false;
  head->signature = signature_of(solve, joint);
  for (int i = 0; i < joint->count; ++i) {
    ImpRowKind kind = impi_coordinate_kind(joint, i) == IMP_COORDINATE_USER ? IMP_ROW_USER : IMP_ROW_LOCK;
    if (impi_joint_coordinate(joint, i)->locked && impi_joint_locks(joint, i) &&
        add_row(joints, head, ROLE_LOCK, kind, i, 0) != NULL) {
      head->locks++;
    }
  }
  for (int i = 0; i < joint->count; ++i) {
    plan_rotor(solve, joints, head, i);
  }
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate(joint, i);
    if (coordinate->locked && !impi_joint_locks(joint, i)) {
      const ImpiUserValues *user = &joint->custom->rows[i];
      uint8_t side = !user->has_c ? 0 : user->lower == 0 ? 1 : user->upper == 0 ? 2 : 0;
      Extra *extra = add_row(joints, head, side != 0 ? ROLE_LIMIT : ROLE_HELD, IMP_ROW_USER, i, 0);
      if (extra != NULL) {
        extra->side = side;
      }
    }
    if (coordinate->drive >= 0 && !coordinate->locked) { // drives of a locked coordinate have no effect
      plan_drive(joints, head, &solve->drives[coordinate->drive], i);
    }
  }
  for (int i = 0; i < head->rows; ++i) {
    const Extra *extra = &joints->extras.data[head->extra + i];
    const ImpiRowResult *result = result_of(solve, joint, extra);
    row_of(head, head->bodies, head->stride, i)->lambda = (float)result->lambda;
  }
  head->plain = head->rows == head->locks && head->rotors == 0 && !impi_joint_is_timed(joint) &&
                !impi_joint_is_called(joint) && !impi_joint_is_velocity(joint);
}


// Return x, or 0 if x is non-finite. Non-finite impulses must not enter sums or hashes.
static double finite_or_0(float x) { return x - x == 0 ? (double)x : 0; }


// Store raw impulses, totals and work in the joint and its drives.
static void flush(ImpiSolve *solve, const ImpiSoftJoints *joints, Head *head) {
  ImpiJoint *joint = &solve->joints[head->joint];
  float left = 0; // work moved from the rows of drives and rotors to the first lock [J]
  for (int i = head->rows - 1; i >= 0; --i) {
    Row *row = row_of(head, head->bodies, head->stride, i);
    Extra *extra = &joints->extras.data[head->extra + i];
    ImpiRowResult *result = result_of(solve, joint, extra);
    if (i >= first_share(head) && head->locks > 0) {
      left += row->work - extra->share;
      row->work = extra->share;
    } else if (i == 0 && head->locks > 0) {
      row->work += left;
    }
    result->lambda = finite_or_0(row->lambda);
    result->total += finite_or_0(row->total);
    result->step_work += finite_or_0(row->work);
    result->bias = (double)extra->bias;
    int32_t drive = impi_joint_coordinate(joint, extra->coordinate)->drive;
    if (extra->kind == IMP_ROW_SPRING && drive >= 0) {
      solve->drives[drive].mass = (double)row->mass;
    }
    if (extra->role == ROLE_ROTOR) {
      const Rotor *rotor = &joints->rotors.data[head->rotor + extra->rotor];
      solve->drives[rotor->drive].rotor = impi_is_finite(rotor->speed) ? rotor->speed : 0;
    }
    row->total = row->work = extra->share = 0;
  }
}


// Plan a joint again if its set of rows has changed, and update the armatures.
static void replan(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head) {
  if (signature_of(solve, &solve->joints[head->joint]) != head->signature) {
    flush(solve, joints, head);
    plan(solve, joints, head);
  }
  for (int r = 0; r < head->rotors; ++r) {
    double armature = solve->drives[joints->rotors.data[head->rotor + r].drive].set.armature;
    weights_of(head, head->bodies)[head->bodies - 1 - r][3] = (float)(1 / armature);
  }
}


// Call the callback of the joint, plan changed rows, and advance servo targets.
void impi_soft_joint_update(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, double end) {
  if (solve->refresh != NULL && impi_joint_is_called(&solve->joints[head->joint])) {
    solve->refresh(solve, head->joint, end);
  }
  replan(solve, joints, head);
  impi_joint_move_targets(&solve->joints[head->joint], solve->drives, joints->h);
}


// Copy the ImpiJointFrames of a joint with only locks to `frames`.
static void add_frame(const ImpiSolve *solve, ImpiSoftJoints *joints, Head *head) {
  const ImpiJoint *joint = &solve->joints[head->joint];
  head->frame = -1;
  if (!head->plain || joint->custom != NULL) {
    return;
  }
  head->frame = joints->frames.count++;
  Frame *frame = &joints->frames.data[head->frame];
  frame->frames = joint->frames;
  frame->frames.local_a = impi_sub(joint->frames.local_a, solve->bodies[joint->body_a].local_center);
  frame->frames.local_b = impi_sub(joint->frames.local_b, solve->bodies[joint->body_b].local_center);
  for (int i = 0; i < head->locks; ++i) {
    int32_t coordinate = joints->extras.data[head->extra + i].coordinate;
    frame->kinds[i] = joint->kinds[coordinate];
    frame->lock[i] = joint->inline_coordinates[coordinate].lock;
  }
}


// Reload the lock values in `frames` after a handler changed them, and linearise the joints again.
static void reload_frames(ImpiSolve *solve, ImpiSoftJoints *joints, double t) {
  FOR_RECORDS(joints, head) {
    if (!head->plain) {
      continue;
    }
    const ImpiJoint *joint = &solve->joints[head->joint];
    for (int i = 0; i < head->locks && head->frame >= 0; ++i) {
      joints->frames.data[head->frame].lock[i] =
          joint->inline_coordinates[joints->extras.data[head->extra + i].coordinate].lock;
    }
    impi_soft_joint_linearise(solve, joints, head, t);
  }
}


static void start_record(const ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, int32_t slot) {
  const ImpiJoint *joint = &solve->joints[slot];
  int n = bodies_in(solve, joint), sides = impi_joint_body_count(joint);
  int room = impi_joint_step_rows(joint, solve->before_substep != NULL);
  *head = (Head){
      .joint = slot,
      .extra = joints->extras.count,
      .bodies = (uint8_t)n,
      .room = (uint16_t)room,
      .most = (float)(IMPI_OPEN_RECHECK * IMPI_OPEN_PART * impi_joint_size(joint, solve->bodies)),
      .stride = stride_of(joint, n),
      .size = (uint32_t)record_size(joint, n, room),
      .rotor = joints->rotors.count,
  };
  joints->extras.count += room;
  joints->rotors.count += n;
  for (int i = 0; i < n; ++i) {
    bool world = i < n - sides;
    const ImpiBody *body = &solve->bodies[impi_joint_body(joint, world ? 0 : i - (n - sides))];
    float m = world ? 0 : (float)body->inv_mass, inertia = world ? 0 : (float)body->inv_inertia;
    ImpVec2 free = impi_free_part(body, 1, 1);
    lanes_of(head)[i] = world ? 0 : body->lane;
    weights_of(head, n)[i] = (Part){m * (float)free.x, m * (float)free.y, inertia, 0};
  }
}


static void add_restless(ImpiSoftJoints *joints, Head *head) {
  head->restless = true;
  joints->restless.data[joints->restless.count++] = (uint32_t)((unsigned char *)head - joints->memory);
}


void impi_soft_joints_begin(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double h) {
  const ImpiSettings *settings = solve->settings;
  ImpiSoftness soft = impi_softness(settings->lock_hertz, settings->lock_damping_ratio, h, solve->stiffest);
  joints->h = h;
  joints->bias_rate = (float)soft.bias_rate;
  joints->mass_scale = (float)soft.mass_scale;
  joints->impulse_scale = (float)soft.impulse_scale;
  joints->reach = IMPI_LOCK_SPEED / (double)joints->bias_rate;
  impi_joint_lanes_begin(solve, &joints->lanes, lanes, joints->before.data, h);
  if (joints->order.count == 0) {
    return;
  }
  impi_soft_joints_look(solve, joints, lanes);
  memset(joints->mean.data, 0, (size_t)lanes->count * sizeof *joints->mean.data);
  int singles = joints->order.count - joints->clusters.blocks.count;
  for (int i = 0; i < joints->order.count; ++i) {
    int32_t slot = joints->order.data[i];
    if (i == singles) {
      joints->together = joints->used;
    }
    if (i >= singles) {
      joints->clusters.blocks.data[i - singles].head = (uint32_t)joints->used;
    }
    Head *head = (Head *)(void *)(joints->memory + joints->used);
    start_record(solve, joints, head, slot);
    impi_joint_begin(&solve->joints[slot], solve->drives);
    joints->used += head->size;
    if (solve->refresh != NULL && impi_joint_is_called(&solve->joints[slot])) {
      solve->refresh(solve, slot, solve->time + h);
    }
    plan(solve, joints, head);
    for (int r = 0; r < head->rotors; ++r) {
      joints->rotors.data[head->rotor + r].before = -joints->rotors.data[head->rotor + r].speed;
    }
    add_frame(solve, joints, head);
    impi_soft_joint_linearise(solve, joints, head, solve->time);
    if (!head->plain) {
      add_restless(joints, head);
    }
  }
  joints->together = joints->clusters.blocks.count > 0 ? joints->together : joints->used;
  for (int i = 0; i < joints->clusters.bodies.count; ++i) {
    ImpiClusterBody *body = &joints->clusters.bodies.data[i];
    body->lane = solve->bodies[body->slot].lane;
    body->stiffness = 0;
  }
  impi_clusters_find_touches(solve, joints);
  impi_soft_joints_stiffen(solve, joints);
}


// ---------------------------------------------------------------------------------------------------------------------
// Biases and bounds for a substep
// ---------------------------------------------------------------------------------------------------------------------


static void aim_row(const ImpiSolve *solve, const ImpiSoftJoints *joints, const ImpiJoint *joint, Row *row,
                    Extra *extra, double rate) {
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, extra->coordinate);
  const ImpDrive *set = coordinate->drive >= 0 ? &solve->drives[coordinate->drive].set : NULL;
  double h = joints->h;
  switch ((ImpRowKind)extra->kind) {
  case IMP_ROW_MOTOR:
    extra->bias = (float)(rate - set->speed);
    extra->stopped = impi_limit_stops_motor(set);
    extra->upper = (float)(h * set->motor_max);
    extra->lower = -extra->upper;
    break;
  case IMP_ROW_SERVO:
    extra->bias = (float)(rate - set->target_speed) + joints->bias_rate * row->c;
    extra->scale = impi_joint_is_velocity(joint) ? 1 : joints->mass_scale; // rigid, like a motor
    extra->keep = impi_joint_is_velocity(joint) ? 0 : joints->impulse_scale;
    extra->upper = (float)(h * set->servo_max);
    extra->lower = -extra->upper;
    break;
  case IMP_ROW_SPRING: {
    double stiffness, damping;
    impi_spring_constants(set, (double)row->mass, &stiffness, &damping);
    ImpiSpringStep step =
        impi_spring_step(stiffness, damping, row->mass > 0 ? 1 / (double)row->mass : 0, (double)row->c, h);
    extra->bias = (float)(rate - set->rest_speed);
    extra->scale = (float)step.scale;
    extra->keep = (float)step.keep;
    extra->push = (float)step.push;
    extra->upper = (float)(h * set->spring_max);
    extra->lower = -extra->upper;
    break;
  }
  case IMP_ROW_ARMATURE:
    extra->bias = (float)rate;
    break;
  case IMP_ROW_DAMPING: {
    double gain = row->mass > 0 ? h * set->viscous_damping / (double)row->mass : 0;
    extra->bias = (float)rate;
    extra->scale = (float)(gain / (1 + gain));
    extra->keep = (float)(1 / (1 + gain));
    break;
  }
  case IMP_ROW_DRY_FRICTION:
    extra->bias = (float)rate;
    extra->upper = (float)(h * set->dry_friction);
    extra->lower = -extra->upper;
    break;
  case IMP_ROW_FORCE:
    row->lambda = (float)(h * set->force);
    break;
  case IMP_ROW_LOWER_LIMIT:
    extra->bias = (float)rate;
    extra->lower = 0;
    extra->upper = (float)(h * set->limit_max);
    break;
  case IMP_ROW_UPPER_LIMIT:
    extra->bias = (float)rate;
    extra->upper = 0;
    extra->lower = (float)(-h * set->limit_max);
    break;
  case IMP_ROW_USER: {
    const ImpiUserValues *user = &joint->custom->rows[extra->coordinate];
    extra->bias = (float)user->bias;
    extra->lower = (float)(h * user->lower);
    extra->upper = (float)(h * user->upper);
    extra->scale = user->has_c ? joints->mass_scale : 1;
    extra->keep = user->has_c ? joints->impulse_scale : 0;
    extra->bias += extra->role == ROLE_HELD && user->has_c ? joints->bias_rate * row->c : 0;
    break;
  }
  default: {
    bool firm = impi_joint_is_velocity(joint); // rigid, because a soft velocity constraint would drift
    extra->bias = (float)rate;
    extra->scale = firm ? 1 : joints->mass_scale;
    extra->keep = firm ? 0 : joints->impulse_scale;
    break;
  }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Drives added within the step
// ---------------------------------------------------------------------------------------------------------------------


static size_t moved_size(const ImpiSolve *solve, int32_t slot) {
  const ImpiJoint *joint = &solve->joints[slot];
  return record_size(joint, bodies_in(solve, joint), impi_joint_step_rows(joint, true));
}


// Open a gap of `size` bytes in front of the records of clusters. The gap takes the joints that leave their lanes.
static void open_gap(ImpiSoftJoints *joints, size_t size) {
  size_t at = joints->together;
  memmove(joints->memory + at + size, joints->memory + at, joints->used - at);
  for (int i = 0; i < joints->clusters.blocks.count; ++i) {
    joints->clusters.blocks.data[i].head += (uint32_t)size;
  }
  for (int i = 0; i < joints->restless.count; ++i) {
    joints->restless.data[i] += joints->restless.data[i] >= at ? (uint32_t)size : 0;
  }
  joints->used += size;
}


// Move a joint with its impulses from its lane to a record at the start of the gap.
static void move_out_of_lanes(ImpiSolve *solve, ImpiSoftJoints *joints, int32_t slot, double t) {
  impi_joint_lanes_drop(&joints->lanes, solve->joints, solve->drives, slot);
  Head *head = (Head *)(void *)(joints->memory + joints->together);
  start_record(solve, joints, head, slot);
  joints->together += head->size;
  for (int k = 0; k < 3; ++k) {
    head->wrench[k] = (float)solve->joints[slot].wrench[k];
  }
  head->frame = -1;
  plan(solve, joints, head);
  impi_soft_joint_linearise(solve, joints, head, t);
  add_restless(joints, head);
}


// Add the rows of drives that handlers have added, for the substep that begins at t.
static void take_new_drives(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double t) {
  const int32_t *in_lanes = joints->lanes.joints.data;
  size_t size = 0;
  for (int i = 0; i < joints->lanes.joints.count; ++i) {
    size += impi_joint_lanes_outgrown(solve, &joints->lanes, in_lanes[i]) ? moved_size(solve, in_lanes[i]) : 0;
  }
  if (size > 0 && joints->used == 0) { // no records: `now` and `mean` are not set yet
    impi_soft_joints_look(solve, joints, lanes);
    memset(joints->mean.data, 0, (size_t)lanes->count * sizeof *joints->mean.data);
  }
  if (size > 0) {
    open_gap(joints, size);
  }
  for (int i = 0; i < joints->lanes.joints.count && size > 0; ++i) {
    if (impi_joint_lanes_outgrown(solve, &joints->lanes, in_lanes[i])) {
      move_out_of_lanes(solve, joints, in_lanes[i], t);
    }
  }
  FOR_RECORDS(joints, head) {
    if (!head->restless && signature_of(solve, &solve->joints[head->joint]) != head->signature) {
      replan(solve, joints, head);
      head->frame = -1;
      impi_soft_joint_linearise(solve, joints, head, t);
      add_restless(joints, head);
    }
  }
}


void impi_soft_joints_note_before(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes) {
  if (joints->used > 0 || joints->lanes.driven) {
    memcpy(joints->before.data, lanes->velocity, (size_t)lanes->count * sizeof *lanes->velocity);
  }
}


void impi_soft_joints_note_after(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes) {
  for (int lane = 0; lane < lanes->count && joints->used > 0; ++lane) {
    joints->mean.data[lane] = 0.5f * (joints->before.data[lane] + lanes->velocity[lane]);
  }
  impi_joint_lanes_share(&joints->lanes);
}


void impi_soft_joints_aim(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double end) {
  ImpiPoses poses = {solve->bodies, solve->motions, joints->now.data};
  if (solve->rows_changed) {
    take_new_drives(solve, joints, lanes, end - joints->h);
    solve->rows_changed = false;
  }
  if (solve->drives_changed) {
    reload_frames(solve, joints, end - joints->h);
    impi_joint_lanes_reload(solve, &joints->lanes);
  }
  for (int r = 0; r < joints->restless.count; ++r) {
    Head *head = (Head *)(void *)(joints->memory + joints->restless.data[r]);
    impi_soft_joint_share_work(joints, head);
    for (int k = 0; k < head->rotors; ++k) {
      Rotor *rotor = &joints->rotors.data[head->rotor + k];
      rotor->before = rotor->speed;
    }
    if (solve->drives_changed) {
      replan(solve, joints, head);
      impi_soft_joint_linearise(solve, joints, head, end - joints->h);
    }
    const ImpiJoint *joint = &solve->joints[head->joint];
    double *later = joints->later.data;
    bool timed = impi_joint_is_timed(joint) || impi_joint_is_velocity(joint);
    if (timed) {
      impi_joint_rates(joint, &poses, end, joints->h, impi_sample_room(&joints->samples, joint).value, later);
    }
    for (int i = 0; i < head->rows; ++i) {
      Row *row = row_of(head, head->bodies, head->stride, i);
      Extra *extra = &joints->extras.data[head->extra + i];
      if (joint->kind == IMP_JOINT_RATCHET && extra->role == ROLE_LIMIT &&
          extra->side == (joint->direction > 0 ? 1 : 2)) {
        ImpiDrive *drive = &solve->drives[impi_joint_coordinate_const(joint, extra->coordinate)->drive];
        double *end_of = extra->side == 1 ? &drive->set.lower : &drive->set.upper, old = *end_of;
        impi_ratchet_advance(joint, drive, (double)row->c + old);
        row->c = (float)((double)row->c + old - *end_of);
      }
      aim_row(solve, joints, joint, row, extra, timed ? later[extra->coordinate] : 0);
    }
    impi_soft_joint_biases(joints, head);
  }
  solve->drives_changed = false;
}


// Store the results of a step in a joint that has a frame, and therefore only locks.
static void store_plain(ImpiSolve *solve, const ImpiSoftJoints *joints, Head *head) {
  ImpiJoint *joint = &solve->joints[head->joint];
  for (int i = 0; i < head->locks; ++i) {
    const Row *row = row_of(head, 2, PAIR_STRIDE, i);
    ImpiRowResult *result = &joint->inline_coordinates[joints->extras.data[head->extra + i].coordinate].result;
    result->lambda = finite_or_0(row->lambda);
    result->total = finite_or_0(row->total);
    result->step_work = finite_or_0(row->work);
    result->bias = 0;
    impi_row_result_finish(result);
    solve->report.joint_work += result->step_work;
  }
}


int impi_soft_joints_open_candidates(const ImpiSoftJoints *joints, int32_t *out_joints) {
  int count = impi_joint_lanes_open_candidates(&joints->lanes, out_joints);
  FOR_RECORDS(joints, head) {
    if (head->needs_recheck) {
      out_joints[count++] = head->joint;
    }
  }
  return count;
}


void impi_soft_joints_store(ImpiSolve *solve, ImpiSoftJoints *joints) {
  joints->rows += joints->lanes.rows;
  solve->report.joint_work += impi_joint_lanes_finish(&joints->lanes);
  FOR_RECORDS(joints, head) {
    joints->rows += head->rows;
    for (int k = 0; k < 3; ++k) {
      solve->joints[head->joint].wrench[k] = finite_or_0(head->wrench[k]);
    }
    if (head->frame >= 0) {
      store_plain(solve, joints, head);
      continue;
    }
    impi_soft_joint_share_work(joints, head);
    flush(solve, joints, head);
    solve->report.joint_work += impi_joint_finish(&solve->joints[head->joint], solve->drives);
  }
}
