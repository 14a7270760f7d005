// Level 7. The state of a world as tables: every field of every struct that a world holds is in one of them. One that
// is forgotten makes impi_layout_is_complete false.
#ifndef IMPI_SNAPSHOT_H
#define IMPI_SNAPSHOT_H

#include "archive.h"
#include "world.h"

// All that imp_world_snapshot saves. A walk's `owner` is the world that it is about: handles that are read get its tag.
// What is IMPI_FIELD_KEPT in the world itself is no state: imp_world_restore leaves it as it is.
extern const ImpiLayout impi_world_layout;

// snapshot_body.c
extern const ImpiLayout impi_body_layout, impi_motion_layout, impi_shape_layout, impi_contact_layout;
extern const ImpiLayout impi_broadphase_layout;

// snapshot_joint.c
extern const ImpiLayout impi_joint_layout, impi_joint_edge_layout, impi_drive_layout;

// The block of a tape, without its room to work, after its fields.
extern const ImpiLayout impi_tape_layout;
bool impi_archive_tape(ImpiArchive *archive, ImpiTape *tape);

// snapshot_field.c
extern const ImpiLayout impi_field_layout;

// snapshot_mover.c
extern const ImpiLayout impi_mover_layout;

// For the tables: fields of STRUCT, which is defined anew before each of them.
#define PLAIN(member) IMPI_FIELD(IMPI_FIELD_PLAIN, NULL, STRUCT, member)
#define PARTS(member, parts) IMPI_FIELD(IMPI_FIELD_PARTS, &(parts), STRUCT, member)
#define LIST(member, parts) IMPI_FIELD(IMPI_FIELD_LIST, &(parts), STRUCT, member)
#define STRING(member) IMPI_FIELD(IMPI_FIELD_STRING, NULL, STRUCT, member)
#define HOOK(member, parts) IMPI_FIELD(IMPI_FIELD_HOOK, parts, STRUCT, member)
#define KEPT(member) IMPI_FIELD(IMPI_FIELD_KEPT, NULL, STRUCT, member)

#endif
