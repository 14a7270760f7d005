// The state of a world as tables: each field of each struct that a world holds has an entry.
#ifndef IMPI_SNAPSHOT_H
#define IMPI_SNAPSHOT_H

#include "model/property.h"
#include "snapshot/archive.h"
#include "world/world.h"

// Layouts of the state that imp_world_snapshot saves. The `owner` of the archive is the world; handles that are read
// get its tag. imp_world_restore does not change fields of the world that are IMPI_FIELD_KEPT.
extern const ImpiLayout impi_world_layout, impi_settings_layout, impi_kinematic_target_layout,
    impi_material_definition_layout, impi_mix_numbers_layout;

// snapshot_body.c
extern const ImpiLayout impi_motion_layout, impi_filter_layout, impi_broadphase_layout, impi_proxy_layout;

// snapshot_shape.c
extern const ImpiLayout impi_shape_layout, impi_geometry_layout, impi_figure_layout, impi_hull_layout;
// Write, read or free the geometries of all shapes. A shared geometry is written once.
bool impi_archive_geometries(ImpiArchive *archive, void *world);

// snapshot_contact.c
extern const ImpiLayout impi_contact_layout, impi_point_layout;
bool impi_archive_points(ImpiArchive *archive, void *world); // Write, read or free the points of all contacts.

// snapshot_joint.c
extern const ImpiLayout impi_joint_layout, impi_joint_edge_layout, impi_drive_layout, impi_drive_set_layout,
    impi_row_result_layout, impi_coordinate_layout, impi_custom_layout, impi_user_layout;

// Write, read or free the arrays of a tape (a traced function of poses): constants, points, operations and results.
// Call after the plain fields of the ImpiTape have been written or read.
extern const ImpiLayout impi_tape_layout;
bool impi_archive_tape(ImpiArchive *archive, ImpiTape *tape);

// snapshot_field.c
extern const ImpiLayout impi_field_layout;

// snapshot_mover.c
extern const ImpiLayout impi_mover_layout;

ImpWorld *impi_restore_world(const ImpRestore *restore);

#endif
