// Joints of a world: creation and destruction, drives, coordinates as getters report them, rotors, reactions, and
// results that the solver keeps.
#ifndef IMPI_JOINTS_H
#define IMPI_JOINTS_H

#include "world/world.h"

// impi_joint_room reserves memory for a joint. impi_joint_add gives the joint edges to `bodies` (slots), a place in the
// list of joints and a creation number.
ImpStatus impi_joint_room(ImpWorld *world, int bodies, int drives);
int32_t impi_joint_add(ImpWorld *world, ImpiJoint fresh, const int32_t *bodies, int count);
// Make a joint act: wake its bodies, and end their contacts if the joint keeps the bodies from colliding.
void impi_joint_attach(ImpWorld *world, int32_t joint);
// Attach a complete joint, or inside a step, queue a command that attaches the joint. Returns the handle of the joint.
ImpJoint impi_joint_start(ImpWorld *world, int32_t joint);
void impi_joint_finish_destroy(ImpWorld *world, int32_t joint, bool report); // `report`: add a joint_destroyed event
void impi_joint_finish_break(ImpWorld *world, int32_t joint);
void impi_joint_finish_set_drive(ImpWorld *world, int32_t joint, int coordinate, const ImpDrive *drive);
// Inside a step: mark the joint, and the gears that couple it, as pending destroy.
void impi_joint_mark_destroy(ImpWorld *world, int32_t joint);
bool impi_joint_is_asleep(const ImpWorld *world, const ImpiJoint *joint);
void impi_body_drop_joints(ImpWorld *world, int32_t body);
ImpStatus impi_coordinate_name(const ImpiJoint *joint, int index, const char **out_name);
// Compute the samples of a joint: value, Jacobian and curvature of each coordinate, as getters report them. False when
// out of memory. The samples are valid until the next call of one of these functions. impi_sample_joint also accepts a
// joint that was not added yet.
bool impi_sample_joint(ImpWorld *world, const ImpiJoint *joint, ImpiSamples *out_samples);
bool impi_world_sample(ImpWorld *world, int32_t joint, ImpiSamples *out_samples);
// Compute the samples of the joint of a coordinate. Returns an error if the index is out of range or memory runs out.
ImpStatus impi_coordinate_sample_of(const ImpWorld *world, int32_t joint, int coordinate, ImpiSamples *out_samples);
// Get the index of the joint's own coordinate (ImpJointKindInfo.own). If the kind of the joint has none, return an
// error that names an alternative to `property`.
ImpStatus impi_own_coordinate(const ImpiJoint *joint, const char *property, int *out_index);
// Return the drives and the lock of a coordinate, including changes queued for the end of the step.
ImpDrive impi_drive_of(const ImpWorld *world, const ImpiJoint *joint, int coordinate);
double impi_sample_speed(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate);
double impi_sample_mass(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate);
double impi_joint_energy(ImpWorld *world, int32_t joint);       // energy stored in the joint's springs [J]
double impi_joint_rotor_energy(ImpWorld *world, int32_t joint); // kinetic energy of the joint's rotors [J]
// Mark the rotors (turning masses of drives with armature) of a body's joints. The next step sets the speed of each
// marked rotor to the speed of its coordinate. Called after the velocity of the body was set, or the body was stopped.
void impi_body_rotors_follow(ImpWorld *world, int32_t body);
// Set the rotors that impi_body_rotors_follow marked to the present speeds of their coordinates. Called before an
// impulse acts on the body.
void impi_body_rotors_start(ImpWorld *world, int32_t body);
// Set a rotor whose speed is unknown to the present speed of its coordinate. When out of memory, the speed stays
// unknown.
void impi_start_rotor(ImpWorld *world, int32_t joint, int coordinate);
// impi_joint_driven_coordinate returns the coordinate to whose drive a property of a joint belongs.
// impi_joint_find_setting gets the drive and a pointer to the property's number in the drive, or returns an error that
// names the missing drive.
int impi_joint_driven_coordinate(const ImpiJoint *joint, ImpJointProperty property);
ImpStatus impi_joint_find_setting(const ImpWorld *world, const ImpiJoint *joint, ImpJointProperty property,
                                  ImpDrive *out_drive, double **out_number);
// Reaction of a joint, which is compared with its break_force and break_torque. For gears and constraints, `force` and
// `torque` are both the largest force of a coordinate [N or N m].
typedef struct ImpiLoad {
  double force, torque;
} ImpiLoad;
ImpiLoad impi_joint_load(ImpWorld *world, int32_t joint);
// Flush the results that the solver keeps of a joint (-1: of all joints) into the joint. Called before the results are
// read.
void impi_flush_joint(const ImpWorld *world, int32_t joint);
// Flush and discard the results that the solver keeps of joints. Called before a change that affects the rows or
// impulses of joints. A change of poses or velocities needs no call.
void impi_joints_edited(ImpWorld *world);
bool impi_joint_is_disabled(const ImpWorld *world, const ImpiJoint *joint); // whether a body of the joint is disabled
// Inside a step: reserve a drive record for each coordinate of an awake joint that has no drive record.
bool impi_reserve_first_drives(ImpWorld *world);
// At the end of a step: free the drive records that were released within the step.
void impi_free_emptied_drives(ImpWorld *world);

#endif
