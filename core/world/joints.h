// Joints of a world: life, drives, coordinates as getters see them, rotors, reactions, results that the solver keeps.
#ifndef IMPI_JOINTS_H
#define IMPI_JOINTS_H

#include "world/world.h"

// Take a joint's edges, list place and serial; room was reserved by impi_joint_room. `bodies` are slots.
ImpStatus impi_joint_room(ImpWorld *world, int bodies, int drives);
int32_t impi_joint_add(ImpWorld *world, ImpiJoint fresh, const int32_t *bodies, int count);
// The joint acts: its bodies wake and, unless it lets them, meet no longer.
void impi_joint_attach(ImpWorld *world, int32_t joint);
// A joint that is complete acts from now on, or inside a step when commands run. Returns its handle.
ImpJoint impi_joint_start(ImpWorld *world, int32_t joint);
void impi_joint_finish_destroy(ImpWorld *world, int32_t joint, bool tell); // tell: with an event
void impi_joint_finish_break(ImpWorld *world, int32_t joint);
void impi_joint_finish_set_drive(ImpWorld *world, int32_t joint, int coordinate, const ImpDrive *drive);
void impi_joint_doom(ImpWorld *world, int32_t joint); // inside a step: no handle finds it and its gears from now on
bool impi_joint_is_asleep(const ImpWorld *world, const ImpiJoint *joint);
void impi_body_drop_joints(ImpWorld *world, int32_t body);
// All coordinates as a getter must see them now. Null when out of memory. Valid until the next call.
ImpStatus impi_coordinate_name(const ImpiJoint *joint, int index, const char **out_name);
bool impi_sample_joint(ImpWorld *world, const ImpiJoint *joint, ImpiSamples *out_samples); // also of one not yet added
bool impi_world_sample(ImpWorld *world, int32_t joint, ImpiSamples *out_samples);
// The samples of a coordinate's joint, or why there are none; the index is checked.
ImpStatus impi_coordinate_sample_of(const ImpWorld *world, int32_t joint, int coordinate, ImpiSamples *out_samples);
// Index of a joint's own coordinate, or an error that says where to look for `property`.
ImpStatus impi_own_coordinate(const ImpiJoint *joint, const char *property, int *out_index);
// The drives of a coordinate and its lock, those that wait for the end of the step included.
ImpDrive impi_drive_of(const ImpWorld *world, const ImpiJoint *joint, int coordinate);
double impi_sample_speed(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate);
double impi_sample_mass(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate);
double impi_joint_energy(ImpWorld *world, int32_t joint);       // stored in its springs [J]
double impi_joint_rotor_energy(ImpWorld *world, int32_t joint); // kinetic energy of its rotors [J]
// The velocity of a body was set, not pushed, or it was stopped: rotors behind its joints take the speeds of their
// coordinates with the next step.
void impi_body_rotors_follow(ImpWorld *world, int32_t body);
// A body is about to be pushed: rotors behind its joints that were to follow have the present speeds of their
// coordinates.
void impi_body_rotors_start(ImpWorld *world, int32_t body);
// A rotor whose speed is unknown takes the present speed of its coordinate. Without memory it stays unknown.
void impi_start_rotor(ImpWorld *world, int32_t joint, int coordinate);
// The coordinate whose drive a setting of a joint belongs to; the drive and the number, or an error that says what to give.
int impi_joint_driven_coordinate(const ImpiJoint *joint, ImpJointProperty property);
ImpStatus impi_joint_find_setting(const ImpWorld *world, const ImpiJoint *joint, ImpJointProperty property,
                                  ImpDrive *out_drive, double **out_number);
// What a joint's strength is judged by: its reaction; of gears and constraints the largest force of a coordinate as both,
// for its unit may be that of a force or of a torque.
typedef struct ImpiLoad {
  double force, torque;
} ImpiLoad;
ImpiLoad impi_joint_load(ImpWorld *world, int32_t joint);
// Before what a joint bears or did is read: the solver may keep that to itself. -1: of all joints.
void impi_settle_joint(const ImpWorld *world, int32_t joint);
// Before something changes on which the rows of joints depend, or what they bear: all of it but poses and velocities.
void impi_joints_edited(ImpWorld *world);
bool impi_joint_is_disabled(const ImpWorld *world, const ImpiJoint *joint); // whether one of its bodies is
// Inside a step: records for the first drives of all joints that act.
bool impi_reserve_first_drives(ImpWorld *world);
// The step is over: records of drives that were released within it are free.
void impi_free_emptied_drives(ImpWorld *world);

#endif
