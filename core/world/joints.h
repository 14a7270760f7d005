// Joints of a world: creation, destruction, drives, coordinates, rotors and reactions.
#ifndef IMPI_JOINTS_H
#define IMPI_JOINTS_H

#include "world/world.h"

// impi_joint_room reserves memory for a joint.
// impi_joint_add links the joint to `bodies` (slots) and numbers the joint.
ImpStatus impi_joint_room(ImpWorld *world, int bodies, int drives);
int32_t impi_joint_add(ImpWorld *world, ImpiJoint fresh, const int32_t *bodies, int count);
// Wake the joint's bodies, and end contacts that the joint forbids.
void impi_joint_attach(ImpWorld *world, int32_t joint);
// Attach a complete joint, at once or, inside a step, at the end of the step. Returns its handle.
ImpJoint impi_joint_start(ImpWorld *world, int32_t joint);
void impi_joint_finish_destroy(ImpWorld *world, int32_t joint, bool report); // `report`: add a joint_destroyed event
void impi_joint_finish_break(ImpWorld *world, int32_t joint);
void impi_joint_finish_set_drive(ImpWorld *world, int32_t joint, int coordinate, const ImpDrive *drive);
// Inside a step: mark the joint, and the gears that couple it, as pending destroy.
void impi_joint_mark_destroy(ImpWorld *world, int32_t joint);
bool impi_joint_is_asleep(const ImpWorld *world, const ImpiJoint *joint);
void impi_body_drop_joints(ImpWorld *world, int32_t body);
ImpStatus impi_coordinate_name(const ImpiJoint *joint, int index, const char **out_name);
// Compute value, Jacobian and curvature of a joint's coordinates. False when out of memory. The samples are valid until
// the next call. impi_sample_joint also accepts a joint that was not added yet.
bool impi_sample_joint(ImpWorld *world, const ImpiJoint *joint, ImpiSamples *out_samples);
bool impi_world_sample(ImpWorld *world, int32_t joint, ImpiSamples *out_samples);
// Compute the samples of a coordinate's joint. Fails if the index is invalid or memory runs out.
ImpStatus impi_coordinate_sample_of(const ImpWorld *world, int32_t joint, int coordinate, ImpiSamples *out_samples);
// Get the index of the joint's own coordinate. If the joint has none, return an error that names `property` and says
// what to use instead.
ImpStatus impi_own_coordinate(const ImpiJoint *joint, const char *property, int *out_index);
// Return the drives and the lock of a coordinate, including changes queued for the end of the step.
ImpDrive impi_drive_of(const ImpWorld *world, const ImpiJoint *joint, int coordinate);
double impi_sample_speed(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate);
double impi_sample_mass(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate);
double impi_joint_energy(ImpWorld *world, int32_t joint);       // energy stored in the joint's springs [J]
double impi_joint_rotor_energy(ImpWorld *world, int32_t joint); // kinetic energy of the joint's rotors [J]
// Mark the rotors of a body's joints. The next step sets them to the speeds of their coordinates. Call this when the
// velocity of the body was set (not changed by an impulse), or the body was stopped.
void impi_body_rotors_follow(ImpWorld *world, int32_t body);
// Call impi_start_rotor for all rotors of unknown speed in the joints of a body.
void impi_body_rotors_start(ImpWorld *world, int32_t body);
// Set a rotor of unknown speed to the speed of its coordinate. When out of memory, its speed stays unknown.
void impi_start_rotor(ImpWorld *world, int32_t joint, int coordinate);
// Return the index of the coordinate whose drive stores a property of the joint.
int impi_joint_driven_coordinate(const ImpiJoint *joint, ImpJointProperty property);
// Copy the drive that stores a property of the joint to `out_drive`. `out_number` points to the property in the copy.
// Returns an error that names the missing drive if the joint has none.
ImpStatus impi_joint_find_setting(const ImpWorld *world, const ImpiJoint *joint, ImpJointProperty property,
                                  ImpDrive *out_drive, double **out_number);
// Reaction of a joint. For gears and constraints both members are the largest force of a coordinate [N or N m].
typedef struct ImpiLoad {
  double force, torque;
} ImpiLoad;
ImpiLoad impi_joint_load(ImpWorld *world, int32_t joint);
// Copy the solver's results to a joint (-1: to all joints).
void impi_flush_joint(const ImpWorld *world, int32_t joint);
// Move the solver's results to the joints. Call this before a change of rows or impulses; a change of poses or
// velocities needs no call.
void impi_joints_edited(ImpWorld *world);
bool impi_joint_is_disabled(const ImpWorld *world, const ImpiJoint *joint); // whether a body of the joint is disabled
// Inside a step: reserve memory for the drive records of awake joints' coordinates that have no record.
bool impi_reserve_first_drives(ImpWorld *world);
// At the end of a step: free the drive records that were released within the step.
void impi_free_emptied_drives(ImpWorld *world);

#endif
