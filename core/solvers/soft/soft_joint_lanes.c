// Joints in lanes: assignment of joints to blocks and lanes, and copying between joints and lanes.
//
// A plan depends on the list of active joints, their rows, and the masses and types of their bodies. While none of
// these changes, blocks persist with their impulses. impi_joint_lanes_flush copies the impulses to the joints. Blocks
// that are rebuilt from flushed joints must be equal bit for bit to the blocks before.
#include "solvers/soft/soft_joint_lanes.h"

#include <string.h>

#include "base/constants.h"
#include "model/colour.h"

#define NOWHERE ((ImpiJointPlace){-1, -1})
#define IN_REST UINT16_MAX
// Number of combinations of colour and form, by which a plan sorts joints.
#define KEYS (IMPI_COLOURS * IMPI_JOINT_FORMS)


void impi_joint_lanes_free(ImpiHeap *heap, ImpiJointLanes *lanes) {
  impi_array_free(heap, &lanes->list);
  impi_array_free(heap, &lanes->rest);
  impi_array_free(heap, &lanes->key);
  impi_array_free(heap, &lanes->joints);
  impi_array_free(heap, &lanes->where);
  impi_array_free(heap, &lanes->runs);
  impi_resize(heap, lanes->memory, lanes->memory_size, 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Forms and colours
// ---------------------------------------------------------------------------------------------------------------------


// Return the lane of a body; 0 for static bodies.
static int32_t lane_of(const ImpiSolve *solve, int32_t slot) {
  return solve->bodies[slot].type == IMP_BODY_STATIC ? 0 : impi_lane_of(slot);
}


static int32_t moving_lane(const ImpiSolve *solve, int32_t slot) {
  return solve->bodies[slot].inv_mass > 0 ? impi_lane_of(slot) : 0;
}


static bool drives_make_rows(const ImpDrive *set) {
  for (int row = 0; row < IMPI_DRIVE_ROWS; ++row) {
    if (impi_drive_makes(set, (ImpiDriveRow)row)) {
      return true;
    }
  }
  return false;
}


// Compute the form of a joint: the coordinates that it locks and drives. Returns false if its rows cannot be solved in
// lanes.
static bool form_of(const ImpiSolve *solve, const ImpiJoint *joint, ImpiJointForm *out_form) {
  static const uint8_t bits[] = {[IMP_COORDINATE_X] = IMPI_LOCKS_X,
                                 [IMP_COORDINATE_Y] = IMPI_LOCKS_Y,
                                 [IMP_COORDINATE_ANGLE] = IMPI_LOCKS_ANGLE,
                                 [IMP_COORDINATE_DISTANCE] = IMPI_LOCKS_DISTANCE};
  memset(out_form, 0, sizeof *out_form);
  if (solve->settings->joints_one_by_one || joint->custom != NULL || joint->body_a == joint->body_b ||
      (solve->bodies[joint->body_a].locks | solve->bodies[joint->body_b].locks) != 0) {
    return false;
  }
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = &joint->inline_coordinates[i];
    if (joint->kinds[i] > IMP_COORDINATE_DISTANCE) {
      return false;
    }
    if (coordinate->locked) {
      out_form->coordinate[out_form->locks] = (uint8_t)i;
      out_form->kinds[out_form->locks++] = joint->kinds[i];
      out_form->code |= bits[joint->kinds[i]];
    } else if (coordinate->drive >= 0 && drives_make_rows(&solve->drives[coordinate->drive].set)) {
      if (!impi_joint_drives_in_lanes(joint, i) || !impi_drive_suits_lanes(&solve->drives[coordinate->drive].set)) {
        return false;
      }
      out_form->coordinate[out_form->locks] = (uint8_t)i; // no locked coordinate comes after the driven one
      out_form->kinds[out_form->locks] = joint->kinds[i];
      uint32_t on = solve->drives[coordinate->drive].set.on;
      bool limited = on >> IMP_DRIVE_LIMIT & 1u && (on >> IMP_DRIVE_MOTOR & 1u || on >> IMP_DRIVE_SPRING & 1u);
      out_form->code |= limited ? IMPI_DRIVES_ANGLE | IMPI_DRIVES_LIMITED : IMPI_DRIVES_ANGLE;
    }
  }
  out_form->fields = (impi_jb_fields(out_form->code) + 3) & ~3; // blocks end on cache lines at any width
  out_form->kept_fields = (impi_jd_fields(out_form->code) + 3) & ~3;
  return out_form->locks > 0;
}


// Return the index of a form in the list of forms, after adding a new form. If the list is full, return
// IMPI_JOINT_FORMS.
static int number_of(ImpiJointLanes *lanes, const ImpiJointForm *form) {
  int i = 0;
  while (i < lanes->form_count && memcmp(&lanes->forms[i], form, sizeof *form) != 0) {
    ++i;
  }
  if (i == lanes->form_count && i < IMPI_JOINT_FORMS) {
    lanes->forms[lanes->form_count++] = *form;
  }
  return i;
}


static uint16_t key_of(const ImpiSolve *solve, ImpiJointLanes *lanes, const ImpiJoint *joint, uint64_t *taken) {
  ImpiJointForm form;
  int number = form_of(solve, joint, &form) ? number_of(lanes, &form) : IMPI_JOINT_FORMS;
  if (number == IMPI_JOINT_FORMS) {
    return IN_REST;
  }
  int colour = impi_take_colour(taken, moving_lane(solve, joint->body_a), moving_lane(solve, joint->body_b));
  return colour == IMPI_NO_COLOUR ? IN_REST : (uint16_t)(colour * IMPI_JOINT_FORMS + number);
}


// ---------------------------------------------------------------------------------------------------------------------
// Blocks
// ---------------------------------------------------------------------------------------------------------------------


// Return the lane of a joint in its block: field f is at [f * width].
static float *lane_of_joint(const ImpiJointLanes *lanes, ImpiJointPlace place) {
  const ImpiJointRun *run = &lanes->runs.data[place.run];
  int width = lanes->kernels->width;
  size_t fields = (size_t)lanes->forms[run->form].fields;
  return impi_joint_blocks(lanes, run) + (size_t)(place.index / width) * fields * (size_t)width + place.index % width;
}


// Return the kept data of a joint's block, for the start and the end of a step.
static float *kept_of_joint(const ImpiJointLanes *lanes, ImpiJointPlace place) {
  const ImpiJointRun *run = &lanes->runs.data[place.run];
  int width = lanes->kernels->width;
  size_t fields = (size_t)lanes->forms[run->form].kept_fields;
  return impi_joint_kept(lanes, run) + (size_t)(place.index / width) * fields * (size_t)width;
}


static float *float_at(float *lane, int width, int field) { return &lane[(size_t)field * (size_t)width]; }


// Return a double in the kept data. It takes two fields, and the lanes are twice as far apart as those of floats.
static double *double_at(float *kept, int width, int field, int lane) {
  return (double *)(void *)&kept[(size_t)field * (size_t)width] + lane;
}


static void pack_bodies(const ImpiSolve *solve, const ImpiJoint *joint, float *lane, float *kept_lane, int width) {
  const int32_t slots[2] = {joint->body_a, joint->body_b};
  for (int i = 0; i < 2; ++i) {
    const ImpiBody *body = &solve->bodies[slots[i]];
    uint32_t record = (uint32_t)lane_of(solve, slots[i]) * (uint32_t)sizeof(ImpiRecord);
    memcpy(float_at(lane, width, IMPI_JB_A + i), &record, sizeof record);
    memcpy(float_at(kept_lane, width, IMPI_JD_BODY_A + i), &slots[i], sizeof slots[i]);
    *float_at(lane, width, IMPI_JB_MA + i) = (float)body->inv_mass;
    *float_at(lane, width, IMPI_JB_IA + i) = (float)body->inv_inertia;
  }
}


// Write the values of locks. For a pin, they are added to A's anchor.
static void pack_locks(const ImpiSolve *solve, const ImpiJointForm *form, const ImpiJoint *joint, float *kept,
                       int width, int at) {
  ImpVec2 a = impi_sub(joint->frames.local_a, solve->bodies[joint->body_a].local_center);
  if ((form->code & IMPI_PIN) == IMPI_PIN) {
    ImpVec2 off =
        impi_rotate(joint->frames.axis, impi_vec(joint->inline_coordinates[0].lock, joint->inline_coordinates[1].lock));
    a = impi_vec(a.x + off.x, a.y + off.y);
  }
  *double_at(kept, width, IMPI_JD_LAX, at) = a.x;
  *double_at(kept, width, IMPI_JD_LAY, at) = a.y;
  for (int i = 0; i < form->locks; ++i) {
    *double_at(kept, width, impi_jd_lock(i), at) = joint->inline_coordinates[form->coordinate[i]].lock;
  }
}


// ImpiDriveRow of each drive in lanes.
static const ImpiDriveRow drive_rows[IMPI_JV_DRIVES] = {[IMPI_JV_SPRING] = IMPI_DRIVE_SPRING,
                                                        [IMPI_JV_MOTOR] = IMPI_DRIVE_MOTOR,
                                                        [IMPI_JV_LOWER] = IMPI_DRIVE_LOWER,
                                                        [IMPI_JV_UPPER] = IMPI_DRIVE_UPPER};


static ImpiDrive *drive_of(ImpiDrive *drives, const ImpiJoint *joint, const ImpiJointForm *form) {
  return &drives[joint->inline_coordinates[form->coordinate[form->locks]].drive];
}


// Write the constants of a spring. If hertz defines the spring, the constants are those for mass 1.
static void pack_spring(const ImpDrive *set, float *cold, int width) {
  double stiffness, damping;
  impi_spring_constants(set, 1, &stiffness, &damping);
  *float_at(cold, width, IMPI_JW_STIFFNESS) = (float)stiffness;
  *float_at(cold, width, IMPI_JW_DAMPING) = (float)damping;
  *float_at(cold, width, IMPI_JW_BY_MASS) = set->hertz > 0 ? 1 : 0;
  *float_at(cold, width, IMPI_JW_OVERDAMPED) = set->hertz > 0 && set->damping_ratio > 1 ? 1 : 0;
}


// Write the parameters of a joint's drives. Missing drives get maximum force 0 and impulse 0.
static void pack_drive(const ImpDrive *set, int code, float *lane, float *kept, int width, int at) {
  const double most[IMPI_JV_DRIVES] = {set->spring_max, set->motor_max, set->limit_max, set->limit_max};
  float *hot = float_at(lane, width, impi_jb_drive(code)), *cold = float_at(lane, width, impi_jb_drive_cold(code));
  bool makes[IMPI_JV_DRIVES];
  for (int i = 0; i < IMPI_JV_DRIVES; ++i) {
    makes[i] = impi_drive_makes(set, drive_rows[i]);
    *float_at(hot, width, IMPI_JV_MAX + i) = makes[i] ? (float)most[i] : 0;
    *float_at(hot, width, IMPI_JV_LAMBDA + i) *= makes[i] ? 1 : 0;
  }
  *double_at(kept, width, impi_jd_drive(code, IMPI_JX_LOWER), at) = makes[IMPI_JV_LOWER] ? set->lower : -IMPI_OPEN_END;
  *double_at(kept, width, impi_jd_drive(code, IMPI_JX_UPPER), at) = makes[IMPI_JV_UPPER] ? set->upper : IMPI_OPEN_END;
  *double_at(kept, width, impi_jd_drive(code, IMPI_JX_REST), at) = makes[IMPI_JV_SPRING] ? set->rest : 0;
  *float_at(cold, width, IMPI_JW_SPEED) = makes[IMPI_JV_MOTOR] ? (float)set->speed : 0;
  *float_at(cold, width, IMPI_JW_YIELDS) = makes[IMPI_JV_MOTOR] && impi_limit_stops_motor(set) ? 1 : 0;
  pack_spring(makes[IMPI_JV_SPRING] ? set : &(ImpDrive){0}, cold, width);
}


// Write the impulses and work of drives.
static void pack_drive_results(const ImpiDrive *drive, int code, float *lane, float *kept, int width, int at) {
  for (int i = 0; i < IMPI_JV_DRIVES; ++i) {
    const ImpiRowResult *result = &drive->row[drive_rows[i]];
    *float_at(lane, width, impi_jb_drive(code) + IMPI_JV_LAMBDA + i) = (float)result->lambda;
    *double_at(kept, width, impi_jd_drive(code, IMPI_JX_WORK + i), at) = result->work;
  }
}


static int drive_row_count(const ImpDrive *set) {
  int count = 0;
  for (int row = 0; row < IMPI_DRIVE_ROWS; ++row) {
    count += impi_drive_makes(set, (ImpiDriveRow)row);
  }
  return count;
}


// Write a joint to its lane. Before the call, all numbers of the lane are 0. Returns the number of rows of the joint.
static int pack(const ImpiSolve *solve, const ImpiJointLanes *lanes, int32_t slot) {
  const ImpiJoint *joint = &solve->joints[slot];
  ImpiJointPlace place = lanes->where.data[slot];
  const ImpiJointForm *form = &lanes->forms[lanes->runs.data[place.run].form];
  int width = lanes->kernels->width, code = form->code, at = place.index % width;
  float *lane = lane_of_joint(lanes, place), *kept = kept_of_joint(lanes, place);
  pack_bodies(solve, joint, lane, kept + at, width);
  pack_locks(solve, form, joint, kept, width, at);
  ImpVec2 b = impi_sub(joint->frames.local_b, solve->bodies[joint->body_b].local_center);
  *double_at(kept, width, IMPI_JD_LBX, at) = b.x;
  *double_at(kept, width, IMPI_JD_LBY, at) = b.y;
  *double_at(kept, width, IMPI_JD_AXIS_C, at) = joint->frames.axis.c;
  *double_at(kept, width, IMPI_JD_AXIS_S, at) = joint->frames.axis.s;
  *double_at(kept, width, IMPI_JD_REFERENCE, at) = joint->frames.reference;
  double most = IMPI_OPEN_RECHECK * IMPI_OPEN_PART * impi_joint_size(joint, solve->bodies);
  *float_at(lane, width, impi_jb_cold(code) + IMPI_JC_MOST_SQ) = (float)(most * most);
  for (int i = 0; i < form->locks; ++i) {
    const ImpiRowResult *result = &joint->inline_coordinates[form->coordinate[i]].result;
    *float_at(lane, width, impi_jb_raw(code, i)) = (float)result->lambda;
    *double_at(kept, width, impi_jd_sum(code, i), at) = result->work;
  }
  if ((code & IMPI_DRIVES_ANGLE) == 0) {
    return form->locks;
  }
  const ImpiDrive *drive = drive_of(solve->drives, joint, form);
  pack_drive_results(drive, code, lane, kept, width, at);
  pack_drive(&drive->set, code, lane, kept, width, at);
  return form->locks + drive_row_count(&drive->set);
}


// Write all blocks from the joints.
static void pack_all(const ImpiSolve *solve, ImpiJointLanes *lanes) {
  int width = lanes->kernels->width;
  lanes->rows = 0;
  for (int r = 0; r < lanes->runs.count; ++r) {
    const ImpiJointRun *run = &lanes->runs.data[r];
    const ImpiJointForm *form = &lanes->forms[run->form];
    float *blocks = impi_joint_blocks(lanes, run);
    memset(blocks, 0,
           (size_t)run->blocks * (size_t)(form->fields + form->kept_fields) * (size_t)width * sizeof *blocks);
    for (int i = 0; i < run->count; ++i) {
      lanes->rows += pack(solve, lanes, lanes->joints.data[run->first + i]);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The plan
// ---------------------------------------------------------------------------------------------------------------------


// Make the runs, sorted by colour and form. Returns the memory that their blocks and kept data need [bytes].
static size_t make_runs(ImpiJointLanes *lanes, int32_t *counts, int joints) {
  int width = lanes->kernels->width;
  size_t offset = 0;
  lanes->runs.count = 0;
  lanes->joints.count = 0;
  lanes->driven = false;
  for (int key = 0; key < KEYS && lanes->joints.count < joints; ++key) {
    int form = key % IMPI_JOINT_FORMS, count = counts[key], blocks = (count + width - 1) / width;
    if (count == 0) {
      continue;
    }
    counts[key] = lanes->runs.count;
    lanes->runs.data[lanes->runs.count++] = (ImpiJointRun){.colour = key / IMPI_JOINT_FORMS,
                                                           .form = form,
                                                           .first = lanes->joints.count,
                                                           .blocks = blocks,
                                                           .offset = offset};
    lanes->joints.count += count;
    lanes->driven = lanes->driven || lanes->forms[form].code & IMPI_DRIVES_ANGLE;
    int fields = lanes->forms[form].fields + lanes->forms[form].kept_fields;
    offset += (size_t)blocks * (size_t)fields * (size_t)width * sizeof(float);
  }
  return offset;
}


static bool reserve_blocks(ImpiHeap *heap, ImpiJointLanes *lanes, size_t needed) {
  if (needed + 64 <= lanes->memory_size) {
    return true;
  }
  size_t size = needed + needed / 2 + 64;
  void *grown = impi_resize(heap, NULL, 0, size);
  if (grown != NULL) {
    impi_resize(heap, lanes->memory, lanes->memory_size, 0);
    lanes->memory = grown;
    lanes->memory_size = size;
  }
  return grown != NULL;
}


static bool plan(ImpiSolve *solve, ImpiJointLanes *lanes, ImpiClusters *clusters, uint64_t *taken, int body_lanes) {
  ImpiHeap *heap = solve->heap;
  int count = solve->active_joint_count, in_lanes = 0, keys = 0;
  int32_t counts[KEYS];
  if (!impi_clusters_plan(solve, clusters) || !impi_reserve(heap, &lanes->list, count) ||
      !impi_reserve(heap, &lanes->rest, count) || !impi_reserve(heap, &lanes->key, count) ||
      !impi_reserve(heap, &lanes->joints, count) || !impi_reserve(heap, &lanes->where, solve->joint_count)) {
    return false;
  }
  lanes->rest.count = lanes->form_count = 0;
  memset(taken, 0, (size_t)body_lanes * sizeof *taken);
  memset(counts, 0, sizeof counts);
  for (int i = 0; i < count; ++i) {
    int32_t slot = solve->active_joints[i];
    uint16_t key = clusters->together.data[i] ? IN_REST : key_of(solve, lanes, &solve->joints[slot], taken);
    lanes->key.data[i] = key;
    if (key == IN_REST) {
      lanes->rest.data[lanes->rest.count++] = slot;
    } else {
      keys += counts[key]++ == 0;
      in_lanes++;
    }
  }
  if (!impi_reserve(heap, &lanes->runs, keys) || !reserve_blocks(heap, lanes, make_runs(lanes, counts, in_lanes))) {
    return false;
  }
  for (int slot = 0; slot < solve->joint_count; ++slot) {
    lanes->where.data[slot] = NOWHERE;
  }
  for (int i = 0; i < count; ++i) {
    if (lanes->key.data[i] == IN_REST) {
      continue;
    }
    int32_t slot = solve->active_joints[i], r = counts[lanes->key.data[i]];
    ImpiJointRun *run = &lanes->runs.data[r];
    lanes->where.data[slot] = (ImpiJointPlace){r, run->count};
    lanes->joints.data[run->first + run->count++] = slot;
  }
  lanes->where.count = solve->joint_count;
  if (count > 0) {
    memcpy(lanes->list.data, solve->active_joints, (size_t)count * sizeof *lanes->list.data);
  }
  lanes->list.count = count;
  return true;
}


static bool stands(const ImpiSolve *solve, const ImpiJointLanes *lanes, const ImpiJointKernels *kernels) {
  int count = solve->active_joint_count;
  return lanes->planned && solve->kept && lanes->one_by_one == solve->settings->joints_one_by_one &&
         lanes->kernels == kernels && lanes->list.count == count &&
         (count == 0 || memcmp(lanes->list.data, solve->active_joints, (size_t)count * sizeof *lanes->list.data) == 0);
}


bool impi_joint_lanes_reserve(ImpiSolve *solve, ImpiJointLanes *lanes, const ImpiJointKernels *kernels,
                              ImpiClusters *clusters, uint64_t *taken, int body_lanes) {
  if (stands(solve, lanes, kernels)) {
    return true;
  }
  if (solve->kept) {
    impi_joint_lanes_flush(lanes, solve->joints, solve->drives, -1);
    solve->kept = false;
  }
  lanes->kernels = kernels;
  lanes->one_by_one = solve->settings->joints_one_by_one;
  lanes->planned = plan(solve, lanes, clusters, taken, body_lanes);
  return lanes->planned;
}


// ---------------------------------------------------------------------------------------------------------------------
// A step
// ---------------------------------------------------------------------------------------------------------------------


// Copy the lock values and the drive parameters of all joints to their lanes again.
static void reload(const ImpiSolve *solve, const ImpiJointLanes *lanes) {
  int width = lanes->kernels->width;
  for (int r = 0; r < lanes->runs.count; ++r) {
    const ImpiJointRun *run = &lanes->runs.data[r];
    const ImpiJointForm *form = &lanes->forms[run->form];
    for (int i = 0; i < run->count; ++i) {
      int32_t slot = lanes->joints.data[run->first + i];
      const ImpiJoint *joint = &solve->joints[slot];
      ImpiJointPlace place = {r, i};
      float *kept = kept_of_joint(lanes, place);
      if (!impi_joint_lanes_hold(lanes, slot)) {
        continue;
      }
      pack_locks(solve, form, joint, kept, width, i % width);
      if (form->code & IMPI_DRIVES_ANGLE) {
        const ImpDrive *set = &drive_of(solve->drives, joint, form)->set;
        pack_drive(set, form->code, lane_of_joint(lanes, place), kept, width, i % width);
      }
    }
  }
}


void impi_joint_lanes_begin(ImpiSolve *solve, ImpiJointLanes *lanes, const ImpiLaneBodies *bodies,
                            const ImpiRecord *before, double h) {
  const ImpiSettings *settings = solve->settings;
  ImpiSoftness soft = impi_softness(settings->lock_hertz, settings->lock_damping_ratio, h, solve->stiffest);
  lanes->team = solve->team;
  lanes->pass = (ImpiJointPass){
      .velocity = bodies->velocity,
      .gain = bodies->gain,
      .base = bodies->base,
      .displacement = bodies->displacement,
      .before = before,
      .motions = solve->motions,
      .bias_rate = (float)soft.bias_rate,
      .mass_scale = (float)soft.mass_scale,
      .impulse_scale = (float)soft.impulse_scale,
      .reach = (float)(IMPI_LOCK_SPEED / soft.bias_rate),
      .bend = (float)(0.5 * h / soft.bias_rate),
      .max_turn = (float)(0.1 / h),
      .h = (float)h,
      .inv_h = (float)(1 / h),
      .warm = settings->warm_start,
      .relax = settings->relax,
  };
  if (!solve->kept) {
    pack_all(solve, lanes);
  } else if (solve->drives_edited) {
    reload(solve, lanes);
  }
  impi_joint_lanes_run(lanes, lanes->kernels->begin);
}


void impi_joint_lanes_reload(const ImpiSolve *solve, ImpiJointLanes *lanes) {
  lanes->pass.motions = solve->motions; // the array was reallocated if handlers created bodies
  reload(solve, lanes);
  impi_joint_lanes_run(lanes, lanes->kernels->measure);
  impi_joint_lanes_run(lanes, lanes->kernels->linearise);
}


// ---------------------------------------------------------------------------------------------------------------------
// Flushing results to the joints
// ---------------------------------------------------------------------------------------------------------------------


// Return x, or 0 if x is non-finite. Non-finite impulses must not enter sums or hashes.
static double finite_or_0(float x) { return x - x == 0 ? (double)x : 0; }


// Flush the results of the step to the drives of a joint.
static void flush_drive(ImpiDrive *drive, int code, float *lane, float *kept, int width, int at) {
  float *hot = float_at(lane, width, impi_jb_drive(code)), *cold = float_at(lane, width, impi_jb_drive_cold(code));
  for (int row = 0; row < IMPI_DRIVE_ROWS; ++row) {
    impi_row_result_begin(&drive->row[row]);
  }
  for (int i = 0; i < IMPI_JV_DRIVES; ++i) {
    if (impi_drive_makes(&drive->set, drive_rows[i]) || drive->set.on == 0) {
      drive->row[drive_rows[i]] = (ImpiRowResult){
          .lambda = finite_or_0(*float_at(hot, width, IMPI_JV_LAMBDA + i)),
          .total = finite_or_0(*float_at(cold, width, IMPI_JW_TOTAL + i)),
          .step_work = (double)*float_at(cold, width, IMPI_JW_SHARE + i),
          .work = *double_at(kept, width, impi_jd_drive(code, IMPI_JX_WORK + i), at),
          .bias = i == IMPI_JV_MOTOR ? (double)*float_at(cold, width, IMPI_JW_BIAS_USED) : 0,
      };
    }
  }
  if (impi_drive_makes(&drive->set, IMPI_DRIVE_SPRING)) {
    drive->mass = (double)*float_at(hot, width, IMPI_JV_MASS);
  }
}


static void flush(const ImpiJointLanes *lanes, ImpiJoint *joint, ImpiDrive *drives, ImpiJointPlace place) {
  const ImpiJointForm *form = &lanes->forms[lanes->runs.data[place.run].form];
  int width = lanes->kernels->width, code = form->code, at = place.index % width;
  float *lane = lane_of_joint(lanes, place), *kept = kept_of_joint(lanes, place);
  for (int i = 0; i < form->locks; ++i) {
    joint->inline_coordinates[form->coordinate[i]].result = (ImpiRowResult){
        .lambda = finite_or_0(*float_at(lane, width, impi_jb_raw(code, i))),
        .total = finite_or_0(*float_at(lane, width, impi_jb_total(code, i))),
        .step_work = (double)*float_at(lane, width, impi_jb_row(code, i) + IMPI_JR_WORK),
        .work = *double_at(kept, width, impi_jd_sum(code, i), at),
    };
  }
  for (int k = 0; k < 3; ++k) {
    joint->wrench[k] = finite_or_0(*float_at(lane, width, impi_jb_cold(code) + IMPI_JC_WRENCH_X + k));
  }
  if (code & IMPI_DRIVES_ANGLE) {
    flush_drive(drive_of(drives, joint, form), code, lane, kept, width, at);
  }
}


int impi_joint_lanes_open_candidates(const ImpiJointLanes *lanes, int32_t *out_joints) {
  int count = 0, width = lanes->kernels->width;
  for (int r = 0; r < lanes->runs.count; ++r) {
    const ImpiJointRun *run = &lanes->runs.data[r];
    const ImpiJointForm *form = &lanes->forms[run->form];
    const float *most = impi_joint_blocks(lanes, run) + (impi_jb_cold(form->code) + IMPI_JC_MOST_SQ) * width;
    for (int first = 0; run->needs_recheck && first < run->count; first += width, most += form->fields * width) {
      int end = run->count - first < width ? run->count - first : width;
      for (int i = 0; i < end; ++i) {
        if (most[i] < 0) {
          out_joints[count++] = lanes->joints.data[run->first + first + i];
        }
      }
    }
  }
  return count;
}


bool impi_joint_lanes_hold(const ImpiJointLanes *lanes, int32_t joint) {
  return joint < lanes->where.count && lanes->where.data[joint].run >= 0;
}


void impi_joint_lanes_flush(const ImpiJointLanes *lanes, ImpiJoint *joints, ImpiDrive *drives, int32_t joint) {
  if (joint >= 0) {
    if (impi_joint_lanes_hold(lanes, joint)) {
      flush(lanes, &joints[joint], drives, lanes->where.data[joint]);
    }
    return;
  }
  for (int r = 0; r < lanes->runs.count; ++r) {
    const ImpiJointRun *run = &lanes->runs.data[r];
    for (int i = 0; i < run->count; ++i) {
      int32_t slot = lanes->joints.data[run->first + i];
      if (impi_joint_lanes_hold(lanes, slot)) {
        flush(lanes, &joints[slot], drives, (ImpiJointPlace){r, i});
      }
    }
  }
}


bool impi_joint_lanes_outgrown(const ImpiSolve *solve, const ImpiJointLanes *lanes, int32_t joint) {
  if (!impi_joint_lanes_hold(lanes, joint)) {
    return false;
  }
  const ImpiJoint *at = &solve->joints[joint];
  bool driven = lanes->forms[lanes->runs.data[lanes->where.data[joint].run].form].code & IMPI_DRIVES_ANGLE;
  for (int i = 0; i < at->count; ++i) {
    const ImpiCoordinate *coordinate = &at->inline_coordinates[i];
    const ImpDrive *set = coordinate->drive >= 0 && !coordinate->locked ? &solve->drives[coordinate->drive].set : NULL;
    if (set != NULL && drives_make_rows(set) && !(driven && impi_drive_suits_lanes(set))) {
      return true;
    }
  }
  return false;
}


// Write the results of the step so far to the drives of a joint. In lanes, the work of the first lock includes the work
// of the drives; subtract it.
static void drop_drive(ImpiJoint *joint, const ImpiJointForm *form, ImpiDrive *drive, float *lane, float *kept,
                       int width, int at) {
  int code = form->code;
  float *hot = float_at(lane, width, impi_jb_drive(code)), *cold = float_at(lane, width, impi_jb_drive_cold(code));
  for (int i = 0; i < IMPI_JV_DRIVES; ++i) {
    double share = finite_or_0(*float_at(cold, width, IMPI_JW_SHARE + i));
    bool makes = impi_drive_makes(&drive->set, drive_rows[i]);
    drive->row[drive_rows[i]] = (ImpiRowResult){
        .lambda = makes ? finite_or_0(*float_at(hot, width, IMPI_JV_LAMBDA + i)) : 0,
        .total = finite_or_0(*float_at(cold, width, IMPI_JW_TOTAL + i)),
        .step_work = share,
        .work = *double_at(kept, width, impi_jd_drive(code, IMPI_JX_WORK + i), at),
    };
    joint->inline_coordinates[form->coordinate[0]].result.step_work -= share;
  }
}


void impi_joint_lanes_drop(ImpiJointLanes *lanes, ImpiJoint *joints, ImpiDrive *drives, int32_t joint) {
  ImpiJointPlace place = lanes->where.data[joint];
  const ImpiJointForm *form = &lanes->forms[lanes->runs.data[place.run].form];
  int width = lanes->kernels->width, at = place.index % width;
  float *lane = lane_of_joint(lanes, place), *kept = kept_of_joint(lanes, place);
  flush(lanes, &joints[joint], drives, place);
  if (form->code & IMPI_DRIVES_ANGLE) {
    drop_drive(&joints[joint], form, drive_of(drives, &joints[joint], form), lane, kept, width, at);
  }
  for (int i = 0; i < form->fields; ++i) { // rows of an empty lane have no effect: inverse masses are 0
    *float_at(lane, width, i) = 0;
  }
  lanes->rows -= form->locks;
  lanes->where.data[joint] = NOWHERE;
}
