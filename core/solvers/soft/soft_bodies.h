// Bodies in the lanes of the soft solver.
//
// Lanes are processed in blocks of IMPI_LANE_PAD. Bodies without rows are not in lanes, and are integrated in double.
#ifndef IMPI_SOLVE_SOFT_BODIES_H
#define IMPI_SOLVE_SOFT_BODIES_H

#include "model/solver.h"
#include "solvers/soft/solve_soft.h"

// A block of lanes. Bit i of a mask is the lane `first` + i.
typedef struct ImpiLaneBlock {
  int32_t first;      // lane, a multiple of IMPI_LANE_PAD
  uint16_t moving;    // mask: bodies that impulses move
  uint16_t upright;   // mask: particles, which do not rotate
  uint16_t kinematic; // mask: kinematic bodies
  uint16_t damped;    // 0: no body of the block has damping
} ImpiLaneBlock;

// For substeps shorter than this [s], lanes also hold the change of each velocity (gain), because the rounding of a
// float velocity would lose too much of the change.
#define IMPI_FINE_SUBSTEP 1e-4

// The passes over blocks of bodies, for one width. Blocks may be processed in parallel and in any order.
typedef struct ImpiBodyKernels {
  // Write the state of a block's bodies at the start of the step; the other lanes become zero. `bodies` and `motions`
  // are by slot.
  void (*pack)(const ImpiLaneBodies *lanes, ImpiRecord *start, ImpiLaneBlock *block, const ImpiBody *bodies,
               const ImpiMotion *motions, ImpVec2 gravity, double h);
  // Integrate velocities: v = (v + h a) damping.
  void (*integrate_velocities)(const ImpiLaneBodies *lanes, const ImpiLaneBlock *blocks, int count, float h);
  // Integrate positions: x += h v.
  void (*integrate_positions)(const ImpiLaneBodies *lanes, const ImpiLaneBlock *blocks, int count, float h);
  // Add the changes in the lanes of moving bodies to the motions (by slot). `start`: velocities of the lanes when the
  // step began; `motions` must have the state at that time.
  void (*unpack)(const ImpiLaneBodies *lanes, const ImpiRecord *start, const ImpiLaneBlock *blocks, int count,
                 ImpiMotion *motions);
} ImpiBodyKernels;

extern const ImpiBodyKernels impi_body_kernels_1;
extern const ImpiBodyKernels impi_body_kernels_4;
extern const ImpiBodyKernels impi_body_kernels_8;  // needs AVX2
extern const ImpiBodyKernels impi_body_kernels_16; // needs AVX-512

// State of the bodies in lanes, and the lists of blocks and bodies. First member of the soft solver's scratch.
typedef struct ImpiSoftBodies {
  const ImpiBodyKernels *kernels;
  ImpiLaneBodies lanes;
  ImpiRecord *start;                // velocity of each lane when the step began
  IMPI_ARRAY(ImpiRecord) records;   // memory of four arrays in `lanes`, of `start`, and of the dummy records
  IMPI_ARRAY(ImpiRecord) gains;     // memory of ImpiLaneBodies.gain, of the capacity of `records`
  int32_t room;                     // capacity of each array of records [lanes]
  double h;                         // length of a substep, rounded to float [s]
  IMPI_ARRAY(ImpiLaneBlock) blocks; // blocks in use, in order of lane; all other lanes are zero
  IMPI_ARRAY(ImpiLaneBlock) stale;  // blocks of the previous step
  IMPI_ARRAY(int32_t) free;         // slots of awake bodies without rows
} ImpiSoftBodies;

void impi_soft_bodies_free(ImpiHeap *heap, ImpiSoftBodies *soft);

// Write the state of every awake body with rows to its lane. Returns false when out of memory; then no body has a lane.
bool impi_soft_bodies_pack(ImpiSolve *solve, ImpiSoftBodies *soft, double h);
void impi_soft_bodies_drop(ImpiSolve *solve); // abort a step: no body has a lane any more
// Return the index of the first dummy record in `lanes.velocity`; the others follow at a distance of IMPI_LANE_APART.
// A worker writes its dummy record in place of lanes that must not change.
static inline int32_t impi_soft_bodies_nowhere(const ImpiSoftBodies *soft) { return 5 * soft->room; }
void impi_soft_bodies_unpack(ImpiSolve *solve, ImpiSoftBodies *soft);

// Integrate a substep of length h. Bodies without rows are integrated in each substep if handlers may read them
// (`watched`), otherwise once, at the end of the step (impi_soft_bodies_fly).
void impi_soft_bodies_velocities(ImpiSolve *solve, ImpiSoftBodies *soft, double h, bool watched);
void impi_soft_bodies_positions(ImpiSolve *solve, ImpiSoftBodies *soft, double h, bool watched);
void impi_soft_bodies_fly(ImpiSolve *solve, ImpiSoftBodies *soft, double h, int substeps);

void impi_soft_bodies_read(const ImpiSolve *solve, int32_t slot, ImpiMotion *out_motion);
void impi_soft_bodies_sense(const ImpiSolve *solve, const int32_t *slots, int count, ImpiMotion *out_motions);
void impi_soft_bodies_push(ImpiSolve *solve, int32_t slot, double dvx, double dvy, double dw);
void impi_soft_bodies_push_all(ImpiSolve *solve, const int32_t *slots, int count, const double *dvx, const double *dvy,
                               const double *dw);

#endif
