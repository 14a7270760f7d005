// The state of a world as tables: every field of every struct that a world holds is in one of them. One that
// is forgotten makes impi_layout_is_complete false.
#ifndef IMPI_SNAPSHOT_H
#define IMPI_SNAPSHOT_H

#include "snapshot/archive.h"
#include "world/world.h"

// All that imp_world_snapshot saves. A walk's `owner` is the world that it is about: handles that are read get its tag.
// What is IMPI_FIELD_KEPT in the world itself is no state: imp_world_restore leaves it as it is.
extern const ImpiLayout impi_world_layout;

// snapshot_body.c
extern const ImpiLayout impi_body_layout, impi_motion_layout, impi_filter_layout, impi_broadphase_layout;

// snapshot_shape.c
extern const ImpiLayout impi_shape_layout, impi_geometry_layout;
// Of all shapes of the world: one that several have is written once.
bool impi_archive_geometries(ImpiArchive *archive, void *world);

// snapshot_contact.c
extern const ImpiLayout impi_contact_layout, impi_point_layout;
bool impi_archive_points(ImpiArchive *archive, void *world); // of all contacts

// snapshot_joint.c
extern const ImpiLayout impi_joint_layout, impi_joint_edge_layout, impi_drive_layout;

// The block of a tape, without its room to work, after its fields.
extern const ImpiLayout impi_tape_layout;
bool impi_archive_tape(ImpiArchive *archive, ImpiTape *tape);

// snapshot_field.c
extern const ImpiLayout impi_field_layout;

// snapshot_mover.c
extern const ImpiLayout impi_mover_layout;

ImpWorld *impi_restore_world(const ImpRestore *restore);

// For the tables: fields of STRUCT, which is defined anew before each of them.
#define PLAIN(member) IMPI_FIELD(IMPI_FIELD_PLAIN, IMPI_NUMBER_OF(STRUCT, member), NULL, STRUCT, member)
// Numbers that may be anything, NaN too: they come from the user, or only say what a step did.
#define WILD(member) IMPI_FIELD(IMPI_FIELD_PLAIN, IMPI_NUMBER_WILD, NULL, STRUCT, member)
#define WILD_FLOAT(member) IMPI_FIELD(IMPI_FIELD_PLAIN, IMPI_NUMBER_WILD_FLOAT, NULL, STRUCT, member)
// Structs of 4-byte whole numbers only.
#define INTS(member) IMPI_FIELD(IMPI_FIELD_PLAIN, IMPI_NUMBER_INT, NULL, STRUCT, member)
// The cosine or sine of the field `turn`.
#define TURN(kind, member, turn) \
  { \
#member, offsetof(STRUCT, member), sizeof(double), _Alignof(double), IMPI_FIELD_PLAIN, IMPI_NUMBER_##kind, \
        offsetof(STRUCT, turn), NULL, NULL \
  }
#define PARTS(member, parts) IMPI_FIELD(IMPI_FIELD_PARTS, IMPI_NUMBER_NONE, &(parts), STRUCT, member)
#define LIST(member, parts) IMPI_FIELD(IMPI_FIELD_LIST, IMPI_NUMBER_NONE, &(parts), STRUCT, member)
#define STRING(member) IMPI_FIELD(IMPI_FIELD_STRING, IMPI_NUMBER_NONE, NULL, STRUCT, member)
#define HOOK(member, parts) IMPI_FIELD(IMPI_FIELD_HOOK, IMPI_NUMBER_NONE, parts, STRUCT, member)
#define KEPT(member) IMPI_FIELD(IMPI_FIELD_KEPT, IMPI_NUMBER_NONE, NULL, STRUCT, member)
// A section of the world that a function deals with, by a name of its own.
#define WALK(name, member, parts, walk) \
  { \
    name, offsetof(STRUCT, member), sizeof(((STRUCT *)0)->member), _Alignof(__typeof__(((STRUCT *)0)->member)), \
        IMPI_FIELD_WALK, IMPI_NUMBER_NONE, 0, parts, walk \
  }

#endif
