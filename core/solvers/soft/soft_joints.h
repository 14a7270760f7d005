// The joints of the soft solver. Most joints are solved in lanes (soft_joint_lanes.h), the others one at a time.
#ifndef IMPI_SOLVE_SOFT_JOINTS_H
#define IMPI_SOLVE_SOFT_JOINTS_H

#include "model/solver.h"
#include "solvers/soft/soft_joint_lanes.h"
#include "solvers/soft/solve_soft.h"

typedef struct ImpiSoftJoints {
  unsigned char *memory; // records, one after another in the order of solution
  size_t memory_size;    // [bytes]
  size_t used;
  size_t together;               // offset at which the records of clusters begin, after all other records [bytes]
  IMPI_ARRAY(int32_t) order;     // slots: joints for which is_pair is false, pairs by colour, joints of clusters
  IMPI_ARRAY(uint8_t) colour;    // for each joint of lanes.rest: its place, see place_of
  IMPI_ARRAY(ImpiMotion) now;    // pose and velocity of each lane, in double
  IMPI_ARRAY(ImpiRecord) before; // velocities before any impulse of the substep, by lane
  IMPI_ARRAY(ImpiRecord) mean;   // mean of the velocities before and after the impulses of a substep, by lane
  IMPI_ARRAY(double) later;      // scratch: rates of one joint's coordinates due to time
  ImpiSampleRoom samples;
  IMPI_ARRAY(uint32_t) restless;            // offsets of the records with Head.restless [bytes]
  IMPI_ARRAY(struct ImpiRowExtra) extras;   // data of rows; index: Head.extra + row
  IMPI_ARRAY(struct ImpiJointFrame) frames; // frames of joints with only locks; index: Head.frame
  IMPI_ARRAY(struct ImpiSoftRotor) rotors;  // rotors of joints; first index: Head.rotor
  ImpiJointLanes lanes;
  ImpiClusters clusters;
  int rows;                                   // number of rows in the last step
  double cluster_time;                        // time spent on clusters in the last step [s]
  float bias_rate, mass_scale, impulse_scale; // softness of a lock
  double reach;                               // largest error that a lock corrects in a substep [m or rad]
  double h;                                   // substep [s]
} ImpiSoftJoints;

void impi_soft_joints_free(ImpiHeap *heap, ImpiSoftJoints *joints);
// Choose the order of joints and allocate memory for a step. `taken`: scratch memory, a bit set of colours for each
// body lane.
bool impi_soft_joints_reserve(ImpiSolve *solve, ImpiSoftJoints *joints, uint64_t *taken, int lanes,
                              const ImpiJointKernels *kernels);
// Before the first substep: write the records and linearise the rows at the current poses.
void impi_soft_joints_begin(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double h);
// At the start of a substep that ends at `end`: compute the biases and bounds of drives and of rows that depend on
// time.
void impi_soft_joints_aim(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double end);
// Record the velocities before the first and after the last impulse of a substep.
void impi_soft_joints_note_before(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);
void impi_soft_joints_note_after(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);
void impi_soft_joints_warm_start(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);
void impi_soft_joints_solve(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);
// Solve the clusters with the contacts of their bodies, before positions move.
void impi_soft_joints_solve_clusters(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, const ImpiSoftPass *contacts);
// Linearise the rows at the positions of time `now`, and solve them without position bias. `last`: last substep of the
// step.
void impi_soft_joints_relax(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double now,
                            bool last);
// List the joints that may be open (have a large error) at the end of the step. Returns their number.
int impi_soft_joints_open_candidates(const ImpiSoftJoints *joints, int32_t *out_joints);
void impi_soft_joints_store(ImpiSolve *solve, ImpiSoftJoints *joints);

#endif
