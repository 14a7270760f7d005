// The state of joints and their drives.
#include "snapshot/snapshot.h"

#include "base/layout_lines.h"
#include "model/property_lines.h"

#include <string.h>

#define STRUCT ImpiRowResult
static const ImpiField row_result_fields[] = {ANY_VALUE(lambda), ANY_VALUE(total, SHOWN("impulse")),
                                              ANY_VALUE(step_work), ANY_VALUE(work), ANY_VALUE(bias, ASIDE)};
const ImpiLayout impi_row_result_layout = IMPI_LAYOUT(STRUCT, row_result_fields, NULL);
#undef STRUCT

// The values of a drive that is off may be any numbers.
#define STRUCT ImpDrive
static const ImpiField set_fields[] = {
    PLAIN(on, SHOWN("drives")), ANY_VALUE(lock),          ANY_VALUE(lower),     ANY_VALUE(upper),
    ANY_VALUE(limit_max),       ANY_VALUE(speed),         ANY_VALUE(motor_max), ANY_VALUE(target),
    ANY_VALUE(target_speed),    ANY_VALUE(servo_max),     ANY_VALUE(stiffness), ANY_VALUE(damping),
    ANY_VALUE(hertz),           ANY_VALUE(damping_ratio), ANY_VALUE(rest),      ANY_VALUE(rest_speed),
    ANY_VALUE(spring_max),      ANY_VALUE(force),         PLAIN(armature),      PLAIN(viscous_damping),
    PLAIN(dry_friction),
};
const ImpiLayout impi_drive_set_layout = IMPI_LAYOUT(STRUCT, set_fields, NULL);
#undef STRUCT

#define STRUCT ImpiDrive
static const ImpiField drive_fields[] = {PARTS(set, impi_drive_set_layout),
                                         ANY_VALUE(mass, ASIDE),
                                         PLAIN(rotor, SHOWN("rotor_speed")),
                                         PLAIN(next, ASIDE),
                                         PLAIN(live, ASIDE),
                                         PLAIN(spins, ASIDE),
                                         PARTS(row, impi_row_result_layout, ASIDE)};
const ImpiLayout impi_drive_layout = IMPI_LAYOUT(STRUCT, drive_fields, NULL);
#undef STRUCT

#define STRUCT ImpiCoordinate
static const ImpiField coordinate_fields[] = {PLAIN(lock, UP_TO(IMP_MAX_DRIVE)), PLAIN(drive, ASIDE), PLAIN(locked),
                                              PARTS(result, impi_row_result_layout)};
const ImpiLayout impi_coordinate_layout = IMPI_LAYOUT(STRUCT, coordinate_fields, NULL);
#undef STRUCT

#define STRUCT ImpiUserValues
static const ImpiField user_fields[] = {ANY_VALUE(bias), ANY_VALUE(c), ANY_VALUE(lower), ANY_VALUE(upper),
                                        PLAIN(has_c)};
const ImpiLayout impi_user_layout = IMPI_LAYOUT(STRUCT, user_fields, NULL);
#undef STRUCT

#define STRUCT ImpiTape
static const ImpiField tape_fields[] = {
    HOOK(constants, NULL),
    HOOK(points, NULL),
    HOOK(work, NULL),
    HOOK(code, NULL),
    HOOK(results, NULL),
    PLAIN(first_constant, ASIDE),
    PLAIN(first_fixed, SHOWN("constants")),
    PLAIN(first_moving),
    PLAIN(slot_count, SHOWN("operations")),
    PLAIN(result_count, SHOWN("results")),
    PLAIN(body_count, SHOWN("bodies")),
    PLAIN(param_count, SHOWN("params")),
    PLAIN(point_count, SHOWN("points")),
    PLAIN(velocity),
    PLAIN(timed),
    HOOK(block_size, NULL),
};
const ImpiLayout impi_tape_layout = IMPI_LAYOUT(STRUCT, tape_fields, NULL);
#undef STRUCT


static bool counts_make_sense(const ImpiTape *tape) {
  return tape->body_count > 0 && tape->body_count <= IMP_MAX_CONSTRAINT_BODIES &&
         tape->first_constant == 1 + 3 * tape->body_count && tape->first_constant <= tape->first_fixed &&
         tape->first_fixed <= tape->first_moving && tape->first_moving <= tape->slot_count && tape->result_count > 0 &&
         tape->point_count >= 0;
}


bool impi_archive_tape(ImpiArchive *archive, ImpiTape *tape) {
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_tape_free(archive->heap, tape);
    return true;
  }
  unsigned char there = tape->constants != NULL;
  if (!impi_archive_bytes(archive, &there, 1)) {
    return false;
  }
  if (there == 0) {
    return true;
  }
  if (archive->mode == IMPI_ARCHIVE_READ) {
    // Refuse a damaged size before allocating: a valid block is at most 8 times as large as the unread bytes + 4 KiB.
    size_t rest = archive->size - archive->at;
    uint64_t size = counts_make_sense(tape) ? impi_tape_size(tape) : UINT64_MAX;
    if (size / 8 > rest + 4096) {
      return impi_archive_refuse(archive);
    }
    void *block = size <= PTRDIFF_MAX ? impi_resize(archive->heap, NULL, 0, (size_t)size) : NULL;
    if (block == NULL) {
      return impi_archive_no_memory(archive);
    }
    memset(block, 0, (size_t)size);
    impi_tape_bind(tape, block);
  }
  return impi_archive_bytes(archive, tape->constants,
                            (size_t)(tape->first_fixed - tape->first_constant) * sizeof *tape->constants) &&
         impi_archive_bytes(archive, tape->points, (size_t)tape->point_count * sizeof *tape->points) &&
         impi_archive_bytes(archive, tape->code, (size_t)(tape->slot_count - tape->first_fixed) * sizeof *tape->code) &&
         impi_archive_bytes(archive, tape->results, (size_t)tape->result_count * sizeof *tape->results);
}


// Layouts of arrays whose contents are not state.
static const ImpiField pointer_fields[] = {{.name = "",
                                            .size = sizeof(void *),
                                            .alignment = _Alignof(void *),
                                            .kind = IMPI_FIELD_KEPT,
                                            .number = IMPI_NUMBER_NONE}};
static const ImpiLayout pointer_layout = IMPI_LAYOUT(void *, pointer_fields, NULL);
static const ImpiField vector_fields[] = {{.name = "",
                                           .size = sizeof(ImpVec2),
                                           .alignment = _Alignof(ImpVec2),
                                           .kind = IMPI_FIELD_KEPT,
                                           .number = IMPI_NUMBER_NONE}};
static const ImpiLayout vector_layout = IMPI_LAYOUT(ImpVec2, vector_fields, NULL);


static bool archive_custom(ImpiArchive *archive, void *object) {
  ImpiCustom *c = object;
  bool fits = c->body_count > 0 && c->body_count <= IMP_MAX_CONSTRAINT_BODIES && c->capacity > 0 &&
              c->capacity <= IMP_MAX_CONSTRAINT_ROWS;
  if (!fits) { // the joint owns no memory yet
    c->body_count = c->capacity = 0;
    if (archive->mode == IMPI_ARCHIVE_READ) {
      return impi_archive_refuse(archive);
    }
  }
  return impi_archive_owned(archive, &impi_layout_int32, &c->bodies, c->body_count) &&
         impi_archive_owned(archive, &impi_coordinate_layout, &c->coordinates, c->capacity) &&
         impi_archive_owned(archive, &impi_layout_double, &c->params, c->param_count) &&
         impi_archive_owned(archive, &impi_user_layout, &c->rows, c->capacity) &&
         impi_archive_owned(archive, &impi_layout_double, &c->rows_j, 3 * c->capacity * c->body_count) &&
         impi_archive_owned(archive, &pointer_layout, (void *)&c->motions, c->body_count) &&
         impi_archive_owned(archive, &vector_layout, &c->centers, c->body_count) &&
         impi_archive_tape(archive, &c->tape);
}


#define STRUCT ImpiCustom
static const ImpiField custom_fields[] = {
    HOOK(bodies, NULL),
    HOOK(coordinates, &impi_coordinate_layout),
    PLAIN(body_count, SHOWN("bodies")),
    PLAIN(capacity),
    INTS(term),
    PARTS(tape, impi_tape_layout, ASIDE),
    PLAIN(dynamic),
    HOOK(params, NULL),
    PLAIN(param_count, SHOWN("params")),
    HOOK(rows, &impi_user_layout),
    HOOK(rows_j, NULL),
    HOOK(motions, NULL),
    HOOK(centers, NULL),
};
const ImpiLayout impi_custom_layout = IMPI_LAYOUT(STRUCT, custom_fields, archive_custom);
#undef STRUCT

#define STRUCT ImpiJointFrames
static const ImpiField frames_fields[] = {PLAIN(local_a, SHOWN("anchor_a"), UP_TO(IMP_MAX_ARM)),
                                          PLAIN(local_b, SHOWN("anchor_b"), UP_TO(IMP_MAX_ARM)),
                                          PLAIN(axis, UP_TO(2)),
                                          PLAIN(reference, UP_TO(2 * IMP_MAX_ANGLE)),
                                          PLAIN(ratio, UP_TO(IMP_MAX_RATIO)),
                                          PLAIN(ground_a, UP_TO(IMPI_MAX_COORDINATE)),
                                          PLAIN(ground_b, UP_TO(IMPI_MAX_COORDINATE))};
static const ImpiLayout frames_layout = IMPI_LAYOUT(STRUCT, frames_fields, NULL);
#undef STRUCT


static bool archive_joint(ImpiArchive *archive, void *object) {
  return impi_archive_owned(archive, &impi_custom_layout, &((ImpiJoint *)object)->custom, 1);
}


#define STRUCT ImpiJoint
static const ImpiField joint_fields[] = {
    HOOK(custom, &impi_custom_layout),
    PLAIN(body_a, ASIDE),
    PLAIN(body_b, ASIDE),
    PLAIN(kind),
    PLAIN(count, SHOWN("coordinates")),
    PLAIN(kinds, ASIDE),
    PLAIN(broken),
    PLAIN(collide),
    PARTS(inline_coordinates, impi_coordinate_layout, ASIDE),
    PARTS(frames, frames_layout),
    ANY_VALUE(wrench, LAST),
    PLAIN(pitch, WITHIN(0, IMP_MAX_RATIO)),
    PLAIN(direction, WITHIN(-1, 1)),
    PLAIN(first_edge, ASIDE),
    PLAIN(previous, ASIDE),
    PLAIN(next, ASIDE),
    PLAIN(dependents, ASIDE),
    KEPT(first_row),
    KEPT(row_count),
    KEPT(row_stamp),
    KEPT(list_first),
    KEPT(list_count),
    ANY_VALUE(break_force, WITHIN(BREAK_RANGE)),
    ANY_VALUE(break_torque, WITHIN(BREAK_RANGE)),
    ANY_VALUE(least, ASIDE),
    PLAIN(open, ASIDE),
    PLAIN(unheld, ASIDE),
    PLAIN(contradicts, ASIDE),
    PLAIN(dropped, ASIDE),
    PLAIN(serial, ASIDE),
    STRING(name),
    PLAIN(user_data, ASIDE),
};
const ImpiLayout impi_joint_layout = IMPI_LAYOUT(STRUCT, joint_fields, archive_joint);
#undef STRUCT

#define STRUCT ImpiJointEdge
static const ImpiField edge_fields[] = {PLAIN(joint, ASIDE), PLAIN(body, ASIDE), PLAIN(previous, ASIDE),
                                        PLAIN(next, ASIDE), PLAIN(sibling, ASIDE)};
const ImpiLayout impi_joint_edge_layout = IMPI_LAYOUT(STRUCT, edge_fields, NULL);
#undef STRUCT
