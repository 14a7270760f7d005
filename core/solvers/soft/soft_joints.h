// The joints of the soft solver: most of them in lanes (soft_joint_lanes.h), the rest one by one, before
// those, by scalar passes over rows in float on the same lanes of bodies.
#ifndef IMPI_SOLVE_SOFT_JOINTS_H
#define IMPI_SOLVE_SOFT_JOINTS_H

#include "model/solver.h"
#include "solvers/soft/soft_joint_lanes.h"
#include "solvers/soft/solve_soft.h"

typedef struct ImpiSoftJoints {
  unsigned char *memory; // records, one after another in the order of solution
  size_t memory_size;    // [bytes]
  size_t used;
  size_t together;               // where the records of clusters begin, which are the last [bytes]
  IMPI_ARRAY(int32_t) order;     // slots: joints of more than two bodies, then the others by colour, then clusters
  IMPI_ARRAY(uint8_t) colour;    // of each active joint
  IMPI_ARRAY(ImpiMotion) now;    // pose and velocity of each lane, in double
  IMPI_ARRAY(ImpiRecord) before; // each lane's velocity before any impulse of the substep
  IMPI_ARRAY(ImpiRecord) mean;   // of each lane's velocities before and after the impulses of a substep, for work
  IMPI_ARRAY(double) later;      // values of one timed joint at the end of the substep
  ImpiSampleRoom samples;
  IMPI_ARRAY(uint32_t) restless;              // offsets of the records that are not plain [bytes]
  IMPI_ARRAY(struct ImpiRowExtra) extras;     // by Head.extra
  IMPI_ARRAY(struct ImpiJointFrame) frames;   // by Head.frame
  IMPI_ARRAY(struct ImpiSoftRotor) rotors;    // by Head.rotor
  ImpiJointLanes lanes;                       // the joints in lanes
  ImpiClusters clusters;                      // those that are solved together
  int rows;                                   // of the last step
  double cluster_time;                        // in it [s]
  float bias_rate, mass_scale, impulse_scale; // of a soft lock
  double reach;                               // the largest error of a lock that is corrected at once [m or rad]
  double h;
} ImpiSoftJoints;

void impi_soft_joints_free(ImpiHeap *heap, ImpiSoftJoints *joints);
// Choose the order and take the memory for a step. `taken` is room for a bit set a lane.
bool impi_soft_joints_reserve(ImpiSolve *solve, ImpiSoftJoints *joints, uint64_t *taken, int lanes,
                              const ImpiJointKernels *kernels);
// Before the first substep: rows at the present poses.
void impi_soft_joints_begin(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double h);
// At the start of a substep that ends at `end`: what drives and time ask for now.
void impi_soft_joints_aim(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double end);
// Velocities before any impulse of a substep, and after all of them.
void impi_soft_joints_note_before(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);
void impi_soft_joints_note_after(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);
void impi_soft_joints_warm_start(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);
void impi_soft_joints_solve(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);
// The same of clusters alone, with the contacts of their bodies: these must not have the last word before positions move.
void impi_soft_joints_solve_clusters(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, const ImpiSoftPass *contacts);
// After positions moved to time `now`: new rows there, then a solve without position bias. `last`: of the step.
void impi_soft_joints_relax(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double now,
                            bool last);
// Joints that may be open where the step ended, see step_open.c. Returns how many.
int impi_soft_joints_doubt(const ImpiSoftJoints *joints, int32_t *out_joints);
void impi_soft_joints_store(ImpiSolve *solve, ImpiSoftJoints *joints);

#endif
