// Validation of joints: kinds, bodies, coordinates, drives.
#include "snapshot/world_valid.h"
#include "world/checks.h"

#include <string.h>


// Check a coordinate and its drive record. Two coordinates must not have the same record.
static bool coordinate_is_valid(ImpiValidity *validity, const ImpiBounds *coordinates, const ImpiCoordinate *coordinate,
                                int32_t joint) {
  const ImpWorld *world = validity->world;
  const char *unfit = impi_out_of_bounds(coordinates, coordinate);
  IMPI_VALID(unfit == NULL, "joint", joint, unfit);
  IMPI_VALID(coordinate->drive >= -1 && coordinate->drive < world->drives.count, "joint", joint,
             "a coordinate of the joint refers to a drive that does not exist");
  if (coordinate->drive >= 0) {
    const ImpiDrive *drive = &world->drives.data[coordinate->drive];
    bool lock = drive->set.on >> IMP_DRIVE_LOCK & 1u;
    IMPI_VALID(drive->live && !lock && drive->set.on < 2u << IMP_DRIVE_FORCE &&
                   validity->room[coordinate->drive]++ == 0 && impi_check_drive(&drive->set, NULL, "") == IMP_OK,
               "joint", joint, "a drive of the joint is invalid");
  }
  return true;
}


static bool sum_is_valid(ImpiValidity *validity, const ImpiJoint *joint, int32_t slot) {
  const ImpWorld *world = validity->world;
  const ImpiCustom *custom = joint->custom;
  IMPI_VALID(custom->capacity == 1 && joint->count == 1 && joint->kinds[0] == IMP_COORDINATE_SUM &&
                 custom->tape.constants == NULL && custom->param_count == 0 && custom->body_count <= 4 &&
                 joint->frames.ratio != 0 && !custom->dynamic,
             "joint", slot, "a gear or rack must couple two coordinates with a ratio other than 0");
  for (int term = 0; term < 2; ++term) {
    int32_t part_slot = custom->term[term].joint, coordinate = custom->term[term].coordinate;
    IMPI_VALID(impi_is_live(&world->joint_pool, part_slot) && part_slot != slot, "joint", slot,
               "the gear couples a joint that does not exist");
    const ImpiJoint *part = &world->joints.data[part_slot];
    bool small =
        part->custom == NULL ||
        (part->kind == IMP_JOINT_CONSTRAINT && part->custom->capacity <= IMPI_INLINE_COORDINATES &&
         part->custom->body_count <= 2 && part->kinds[0] == IMP_COORDINATE_TAPE && !part->custom->tape.velocity);
    IMPI_VALID(small && coordinate >= 0 && coordinate < part->count, "joint", slot,
               "the gear couples a coordinate that a gear cannot couple");
    for (int side = 0; side < impi_joint_body_count(part); ++side) {
      int32_t at = custom->term[term].side[side];
      IMPI_VALID(at >= 0 && at < custom->body_count && custom->bodies[at] == impi_joint_body(part, side), "joint", slot,
                 "the gear's bodies are not the bodies of the joints that it couples");
    }
  }
  return true;
}


static bool constraint_is_valid(ImpiValidity *validity, const ImpiJoint *joint, int32_t slot) {
  const ImpiCustom *custom = joint->custom;
  const ImpiTape *tape = &custom->tape;
  bool rows = joint->kinds[0] == IMP_COORDINATE_USER;
  if (rows) {
    IMPI_VALID(custom->rows != NULL && custom->rows_j != NULL && tape->constants == NULL &&
                   joint->count <= custom->capacity && !custom->dynamic,
               "constraint", slot, "the rows of the constraint are missing or invalid");
  } else {
    IMPI_VALID(joint->kinds[0] == IMP_COORDINATE_TAPE && custom->motions != NULL && custom->centers != NULL &&
                   joint->count == custom->capacity && tape->constants != NULL && impi_tape_is_valid(tape) &&
                   tape->result_count == custom->capacity && tape->body_count == custom->body_count &&
                   tape->param_count == custom->param_count,
               "constraint", slot, "the function of the constraint is missing or invalid");
  }
  return true;
}


static bool custom_is_valid(ImpiValidity *validity, const ImpiJoint *joint, int32_t slot) {
  const ImpiCustom *custom = joint->custom;
  IMPI_VALID(custom->bodies != NULL && custom->coordinates != NULL && custom->param_count >= 0 &&
                 (custom->param_count == 0 || custom->params != NULL),
             "joint", slot, "the bodies, coordinates or parameters of the joint are missing");
  for (int i = 0; i < custom->body_count; ++i) {
    for (int k = 0; k < i; ++k) {
      IMPI_VALID(custom->bodies[k] != custom->bodies[i], "joint", slot,
                 "one body is twice in the joint's list of bodies");
    }
  }
  IMPI_VALID(joint->body_a == custom->bodies[0] && joint->body_b == custom->bodies[custom->body_count - 1], "joint",
             slot, "body_a and body_b must be the first and the last body of the joint's list");
  return joint->kind == IMP_JOINT_CONSTRAINT ? constraint_is_valid(validity, joint, slot)
                                             : sum_is_valid(validity, joint, slot);
}


static bool kind_is_valid(ImpiValidity *validity, const ImpiJoint *joint, int32_t slot) {
  const ImpJointKindInfo *kind = imp_joint_kind(joint->kind);
  IMPI_VALID(kind != NULL, "joint", slot, "unknown kind of joint");
  bool custom = joint->kind == IMP_JOINT_CONSTRAINT || kind->options & IMP_TAKES_TERMS;
  IMPI_VALID(custom == (joint->custom != NULL), "joint", slot, "the joint's data do not match its kind");
  if (custom) {
    return custom_is_valid(validity, joint, slot);
  }
  IMPI_VALID(joint->count <= IMPI_INLINE_COORDINATES, "joint", slot, "the joint has more coordinates than its kind");
  for (int i = 0; i < IMPI_INLINE_COORDINATES; ++i) {
    bool has = kind->coordinates[i] != NULL;
    IMPI_VALID(has == (i < joint->count) &&
                   (has ? joint->kinds[i] == (uint8_t)kind->kinds[i] : joint->inline_coordinates[i].drive == -1),
               "joint", slot, "the joint's coordinates do not match its kind");
  }
  IMPI_VALID(joint->body_a != joint->body_b, "joint", slot, "the joint has the same body on both sides");
  return true;
}


static bool joint_is_valid(ImpiValidity *validity, const ImpiBounds *joints, const ImpiBounds *coordinates,
                           int32_t slot) {
  const ImpWorld *world = validity->world;
  const ImpiJoint *joint = &world->joints.data[slot];
  if (!kind_is_valid(validity, joint, slot)) {
    return false;
  }
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    IMPI_VALID(impi_is_live(&world->body_pool, impi_joint_body(joint, i)), "joint", slot,
               "a body of the joint does not exist");
  }
  for (int i = 0; i < impi_joint_capacity(joint); ++i) {
    if (!coordinate_is_valid(validity, coordinates, impi_joint_coordinate_const(joint, i), slot)) {
      return false;
    }
  }
  const char *unfit = impi_out_of_bounds(joints, joint);
  IMPI_VALID(unfit == NULL, "joint", slot, unfit);
  return true;
}


// Check that edges are in the order of the joint's bodies, and in the lists of the bodies.
static bool edges_are_valid(ImpiValidity *validity, int32_t slot, int64_t *edges) {
  const ImpWorld *world = validity->world;
  const ImpiJoint *joint = &world->joints.data[slot];
  int32_t index = joint->first_edge;
  for (int i = 0; i < impi_joint_body_count(joint); ++i, ++*edges) {
    IMPI_VALID(index >= 0 && index < world->joint_edges.count && world->joint_edges.data[index].joint == slot &&
                   world->joint_edges.data[index].body == impi_joint_body(joint, i),
               "joint", slot, "the joint's list of bodies is damaged");
    index = world->joint_edges.data[index].sibling;
  }
  IMPI_VALID(index == -1, "joint", slot, "the joint's list of bodies is too long");
  return true;
}


static bool body_edges_are_valid(ImpiValidity *validity, int64_t edges) {
  const ImpWorld *world = validity->world;
  int64_t listed = 0, free = 0;
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    int32_t previous = -1;
    for (int32_t e = world->bodies.data[slot].first_joint; e != -1 && impi_is_live(&world->body_pool, slot);) {
      IMPI_VALID(e >= 0 && e < world->joint_edges.count && world->joint_edges.data[e].body == slot &&
                     world->joint_edges.data[e].previous == previous &&
                     impi_is_live(&world->joint_pool, world->joint_edges.data[e].joint),
                 "body", slot, "the body's list of joints is damaged");
      validity->room[e] = 1;
      previous = e;
      e = world->joint_edges.data[e].next;
      ++listed;
    }
  }
  IMPI_VALID(listed == edges, "joint", -1, "the joints in the lists of the bodies are not the joints of the world");
  for (int32_t e = world->joint.free_edge; e != -1; e = world->joint_edges.data[e].sibling, ++free) {
    IMPI_VALID(e >= 0 && e < world->joint_edges.count && validity->room[e]++ == 0, "joint", -1,
               "the free list of the entries that link joints to bodies is damaged");
  }
  IMPI_VALID(listed + free == world->joint_edges.count, "joint", -1,
             "some unused entries that link joints to bodies are not in the free list");
  memset(validity->room, 0, validity->room_count * sizeof *validity->room);
  return true;
}


static bool drives_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  for (int32_t d = world->joint.free_drive; d != -1; d = world->drives.data[d].next) {
    IMPI_VALID(d >= 0 && d < world->drives.count && !world->drives.data[d].live && validity->room[d]++ == 0, "drive", d,
               "the list of unused drives has a drive that is in use");
  }
  for (int32_t d = 0; d < world->drives.count; ++d) {
    IMPI_VALID(validity->room[d] == 1, "drive", d, "a drive in use must belong to exactly one joint");
  }
  memset(validity->room, 0, validity->room_count * sizeof *validity->room);
  return true;
}


// Check ImpiJoint.dependents of each joint: the number of gear terms that use a coordinate of the joint.
static bool dependents_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    const ImpiJoint *joint = &world->joints.data[slot];
    for (int term = 0; joint->custom != NULL && joint->kind != IMP_JOINT_CONSTRAINT && term < 2; ++term) {
      validity->room[joint->custom->term[term].joint]++;
    }
  }
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    IMPI_VALID((int64_t)validity->room[slot] == world->joints.data[slot].dependents, "joint", slot,
               "the stored number of gears that couple this joint is wrong");
  }
  memset(validity->room, 0, validity->room_count * sizeof *validity->room);
  return true;
}


bool impi_joints_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  int32_t count = 0, previous = -1, called = 0;
  int64_t edges = 0;
  const ImpiBounds joints = impi_bounds_of(&impi_joint_layout), coordinates = impi_bounds_of(&impi_coordinate_layout);
  for (int32_t slot = world->first_joint; slot != -1; slot = world->joints.data[slot].next) {
    IMPI_VALID(impi_is_live(&world->joint_pool, slot), "joint", slot, "a destroyed joint is in the list of joints");
    const ImpiJoint *joint = &world->joints.data[slot];
    IMPI_VALID(joint->previous == previous && joint->serial <= world->joint_serial &&
                   joint->serial > (previous >= 0 ? world->joints.data[previous].serial : 0),
               "joint", slot, "the list of joints is not in the order of creation");
    if (!joint_is_valid(validity, &joints, &coordinates, slot) || !edges_are_valid(validity, slot, &edges)) {
      return false;
    }
    called += impi_joint_is_called(joint);
    previous = slot;
    ++count;
  }
  IMPI_VALID(world->last_joint == previous && count == world->joint_pool.live, "joint", -1,
             "some joints are missing from the list of joints");
  IMPI_VALID(world->joint.called == called, "joint", -1, "the stored number of joints that call functions is wrong");
  for (int32_t slot = 0; slot < world->joints.count; ++slot) {
    const ImpiJoint *joint = &world->joints.data[slot];
    IMPI_VALID(impi_is_live(&world->joint_pool, slot) || (joint->custom == NULL && joint->name == NULL), "joint", slot,
               "a destroyed joint has data");
  }
  return drives_are_valid(validity) && body_edges_are_valid(validity, edges) && dependents_are_valid(validity);
}
