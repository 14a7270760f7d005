// Bodies in and out of the lanes of the soft solver, and what moves them there between the rows.
//
// Lanes are taken in blocks of IMPI_LANE_PAD. A step touches the blocks that hold an awake body with rows, and no others:
// what sleeps costs nothing. Bodies without rows never enter lanes; they fly in double.
#ifndef IMPI_SOLVE_SOFT_BODIES_H
#define IMPI_SOLVE_SOFT_BODIES_H

#include "model/solver.h"
#include "solvers/soft/solve_soft.h"

// A block of lanes that a step touches. Bit i of a mask is the lane `first` + i.
typedef struct ImpiLaneBlock {
  int32_t first;    // lane, a multiple of IMPI_LANE_PAD
  uint16_t moving;  // bodies that impulses move
  uint16_t upright; // those of them that do not turn
  uint16_t steered; // kinematic bodies: they are read, and no impulse moves them
  uint16_t damped;  // 0: no damping in the block
} ImpiLaneBlock;

// With substeps shorter than this lanes keep what velocities gain, because a float of a velocity rounds too much of it
// away. Measured with a body that falls at 5 m/s, without gains: at 1.3e-4 s rounding is a tenth of the error of
// first order, at 6e-5 s half of it [s].
#define IMPI_FINE_SUBSTEP 1e-4

// The passes over blocks of bodies, for one width. Each body is on its own: any part of the blocks may be done at any time.
typedef struct ImpiBodyKernels {
  // What the bodies of a block do at the step's start; its other lanes become zero. `bodies` and `motions` are by slot.
  void (*pack)(const ImpiLaneBodies *lanes, ImpiRecord *start, ImpiLaneBlock *block, const ImpiBody *bodies,
               const ImpiMotion *motions, ImpVec2 gravity, double h);
  // v = (v + h a) damping
  void (*integrate_velocities)(const ImpiLaneBodies *lanes, const ImpiLaneBlock *blocks, int count, float h);
  // Displacements, and the rotation that belongs to the angle turned.
  void (*integrate_positions)(const ImpiLaneBodies *lanes, const ImpiLaneBlock *blocks, int count, float h);
  // Lanes of moving bodies as double motions: what they were when the step began, plus the lane's difference. `start`: the
  // lanes' velocities then; `motions`: by slot.
  void (*unpack)(const ImpiLaneBodies *lanes, const ImpiRecord *start, const ImpiLaneBlock *blocks, int count,
                 ImpiMotion *motions);
} ImpiBodyKernels;

extern const ImpiBodyKernels impi_body_kernels_1;
extern const ImpiBodyKernels impi_body_kernels_4;
extern const ImpiBodyKernels impi_body_kernels_8;  // needs AVX2
extern const ImpiBodyKernels impi_body_kernels_16; // needs AVX-512

// The soft solver's scratch begins with this.
typedef struct ImpiSoftBodies {
  const ImpiBodyKernels *kernels; // of this step
  ImpiLaneBodies lanes;
  ImpiRecord *start;                // velocity of each lane when the step began
  IMPI_ARRAY(ImpiRecord) records;   // the four arrays of `lanes` and `start`, one after another
  IMPI_ARRAY(ImpiRecord) gains;     // ImpiLaneBodies.gain; as many as records, so that `nowhere` is a place there too
  int32_t room;                     // lanes in each array of records
  double h;                         // substep, as rounded as the lanes have it [s]
  IMPI_ARRAY(ImpiLaneBlock) blocks; // by lane; all other lanes are zero
  IMPI_ARRAY(ImpiLaneBlock) stale;  // of the step before
  IMPI_ARRAY(int32_t) free;         // slots of awake bodies that no row touches
} ImpiSoftBodies;

void impi_soft_bodies_free(ImpiHeap *heap, ImpiSoftBodies *soft);

// Every awake body with rows takes its lane, with what it does at the step's start; room for all. False when out of memory:
// then no body has a lane.
bool impi_soft_bodies_pack(ImpiSolve *solve, ImpiSoftBodies *soft, double h);
void impi_soft_bodies_drop(ImpiSolve *solve); // no body has a lane: the step comes to nothing
// A record that no lane has, counted from `lanes.velocity`; each worker has one, IMPI_LANE_APART from the next.
static inline int32_t impi_soft_bodies_nowhere(const ImpiSoftBodies *soft) { return 5 * soft->room; }
void impi_soft_bodies_unpack(ImpiSolve *solve, ImpiSoftBodies *soft);

// Substeps of h. Bodies that no row touches are moved with velocities where somebody may look at them between substeps
// (`watched`), else all at once at the end.
void impi_soft_bodies_velocities(ImpiSolve *solve, ImpiSoftBodies *soft, double h, bool watched);
void impi_soft_bodies_positions(ImpiSolve *solve, ImpiSoftBodies *soft, double h, bool watched);
void impi_soft_bodies_fly(ImpiSolve *solve, ImpiSoftBodies *soft, double h, int substeps);

// ImpiSolver.read, sense, push and push_all.
void impi_soft_bodies_read(const ImpiSolve *solve, int32_t slot, ImpiMotion *out_motion);
void impi_soft_bodies_sense(const ImpiSolve *solve, const int32_t *slots, int count, ImpiMotion *out_motions);
void impi_soft_bodies_push(ImpiSolve *solve, int32_t slot, double dvx, double dvy, double dw);
void impi_soft_bodies_push_all(ImpiSolve *solve, const int32_t *slots, int count, const double *dvx, const double *dvy,
                               const double *dw);

#endif
