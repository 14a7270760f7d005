// The state of a world as tables: every field of every struct that a world holds is in one of them. One that
// is forgotten makes impi_layout_is_complete false.
#ifndef IMPI_SNAPSHOT_H
#define IMPI_SNAPSHOT_H

#include "model/property.h"
#include "snapshot/archive.h"
#include "world/world.h"

// All that imp_world_snapshot saves. A walk's `owner` is the world that it is about: handles that are read get its tag.
// What is IMPI_FIELD_KEPT in the world itself is no state: imp_world_restore leaves it as it is.
extern const ImpiLayout impi_world_layout, impi_settings_layout, impi_steer_layout, impi_material_definition_layout,
    impi_mix_numbers_layout;

// snapshot_body.c
extern const ImpiLayout impi_motion_layout, impi_filter_layout, impi_broadphase_layout, impi_proxy_layout;

// snapshot_shape.c
extern const ImpiLayout impi_shape_layout, impi_geometry_layout, impi_figure_layout, impi_hull_layout;
// Of all shapes of the world: one that several have is written once.
bool impi_archive_geometries(ImpiArchive *archive, void *world);

// snapshot_contact.c
extern const ImpiLayout impi_contact_layout, impi_point_layout;
bool impi_archive_points(ImpiArchive *archive, void *world); // of all contacts

// snapshot_joint.c
extern const ImpiLayout impi_joint_layout, impi_joint_edge_layout, impi_drive_layout, impi_drive_set_layout,
    impi_effort_layout, impi_coordinate_layout, impi_custom_layout, impi_user_layout;

// The block of a tape, without its room to work, after its fields.
extern const ImpiLayout impi_tape_layout;
bool impi_archive_tape(ImpiArchive *archive, ImpiTape *tape);

// snapshot_field.c
extern const ImpiLayout impi_field_layout;

// snapshot_mover.c
extern const ImpiLayout impi_mover_layout;

ImpWorld *impi_restore_world(const ImpRestore *restore);

#endif
