// Joints of the soft solver in lanes: types that the planning of blocks and the kernels share.
#ifndef IMPI_SOLVE_SOFT_JOINT_LANES_H
#define IMPI_SOLVE_SOFT_JOINT_LANES_H

#include "base/task.h"
#include "model/joint.h"
#include "model/solver.h"
#include "solvers/soft/soft_cluster.h"
#include "solvers/soft/solve_soft.h"

// The coordinates that a joint locks or drives, as bits. IMPI_DRIVES_ANGLE: a pin whose angle has drives;
// IMPI_DRIVES_LIMITED: these drives are a limit and at least one other drive.
enum {
  IMPI_LOCKS_X = 1,
  IMPI_LOCKS_Y = 2,
  IMPI_LOCKS_ANGLE = 4,
  IMPI_LOCKS_DISTANCE = 8,
  IMPI_DRIVES_ANGLE = 16,
  IMPI_DRIVES_LIMITED = 32
};
// Both x and y locked: rows along the world's axes, see soft_joint_lane_rows.h.
#define IMPI_PIN (IMPI_LOCKS_X | IMPI_LOCKS_Y)

// Joints of one form have the same rows.
typedef struct ImpiJointForm {
  uint8_t code;  // IMPI_LOCKS_ and IMPI_DRIVES_ bits
  uint8_t locks; // number of lock rows
  // [i], i < locks: index of the coordinate of lock row i; [locks]: index of the driven coordinate
  uint8_t coordinate[IMPI_INLINE_COORDINATES];
  uint8_t kinds[IMPI_INLINE_COORDINATES]; // ImpCoordinateKind of each coordinate in `coordinate`
  int32_t fields;                         // number of fields in a block
  int32_t kept_fields;                    // number of fields for the start and the end of a step
} ImpiJointForm;

#define IMPI_JOINT_FORMS 64

// Fields of a block. A field is one float or int32_t per lane, or half a double. IMPI_JB_A, IMPI_JB_B: offsets of the
// bodies' records [bytes].
enum { IMPI_JB_A, IMPI_JB_B, IMPI_JB_MA, IMPI_JB_MB, IMPI_JB_IA, IMPI_JB_IB, IMPI_JB_ROWS };
// Fields of a lock row: J = (-lx, -ly, aa; lx, ly, ab), orthogonalised; 1 / D, D; impulse in the orthogonal basis;
// error; work of the step. The first row of a pin has no fields lx and ly, the second no ly.
enum {
  IMPI_JR_AA,
  IMPI_JR_AB,
  IMPI_JR_MASS,
  IMPI_JR_K,
  IMPI_JR_LAMBDA,
  IMPI_JR_C,
  IMPI_JR_WORK,
  IMPI_JR_LX,
  IMPI_JR_LY,
  IMPI_JR_FIELDS
};
// Fields that the passes warm_start and solve do not use. At the start of the step: the lever arms, the vector from A's
// anchor to B's anchor, and the axis. Over the step: the impulses of the joint on B.
enum {
  IMPI_JC_RAX,
  IMPI_JC_RAY,
  IMPI_JC_RBX,
  IMPI_JC_RBY,
  IMPI_JC_SX,
  IMPI_JC_SY,
  IMPI_JC_UX,
  IMPI_JC_UY,
  IMPI_JC_NOW_X, // the axis at the last linearisation
  IMPI_JC_NOW_Y,
  IMPI_JC_MOST_SQ, // the joint is checked in double if its squared error exceeds this [m^2]; negative: always
  IMPI_JC_WRENCH_X,
  IMPI_JC_WRENCH_Y,
  IMPI_JC_WRENCH_W,
  // For each lock: error at the start of the step (unused for a pin), impulse before orthogonalisation, total over the
  // step. After these, the coefficients of the rows against the rows before them (L).
  IMPI_JC_ROWS
};
// Fields of the drives of one coordinate. A spring, a motor and both ends of a limit share one J, orthogonalised
// against the locks. Fields: J; 1 / D, D; impulses; errors of the limit's ends; softness of the spring and bias of the
// motor in the substep; maximum forces; coefficients against the locks. A missing drive has maximum force 0.
enum { IMPI_JV_SPRING, IMPI_JV_MOTOR, IMPI_JV_LOWER, IMPI_JV_UPPER, IMPI_JV_DRIVES };
enum {
  IMPI_JV_LX,
  IMPI_JV_LY,
  IMPI_JV_AA,
  IMPI_JV_AB,
  IMPI_JV_MASS,
  IMPI_JV_K,
  IMPI_JV_LAMBDA,
  IMPI_JV_C_LOWER = IMPI_JV_LAMBDA + IMPI_JV_DRIVES,
  IMPI_JV_C_UPPER,
  IMPI_JV_SCALE,
  IMPI_JV_PUSH,
  IMPI_JV_BIAS,
  IMPI_JV_MAX,
  IMPI_JV_AGAINST = IMPI_JV_MAX + IMPI_JV_DRIVES,
  IMPI_JV_FIELDS = IMPI_JV_AGAINST + 2
};
// Drive fields that the passes warm_start and solve do not use: errors of the limit's ends and of the spring at the
// start of the step; speed of the motor, and whether its limit stops it; constants of the spring; whether the constants
// are for mass 1, and whether the spring is overdamped; totals and work over the step.
enum {
  IMPI_JW_START_LOWER,
  IMPI_JW_START_UPPER,
  IMPI_JW_START_SPRING,
  IMPI_JW_SPEED,
  IMPI_JW_YIELDS,
  IMPI_JW_STIFFNESS,
  IMPI_JW_DAMPING,
  IMPI_JW_BY_MASS,
  IMPI_JW_OVERDAMPED,
  IMPI_JW_BIAS_USED, // bias of the motor in the last substep
  IMPI_JW_TOTAL,
  IMPI_JW_SHARE = IMPI_JW_TOTAL + IMPI_JV_DRIVES,
  IMPI_JW_FIELDS = IMPI_JW_SHARE + IMPI_JV_DRIVES
};
// Fields of drives for the start and the end of a step, as doubles: the limit's ends, the rest value of the spring,
// work since the joint was created.
enum { IMPI_JX_LOWER, IMPI_JX_UPPER, IMPI_JX_REST, IMPI_JX_WORK, IMPI_JX_FIELDS = IMPI_JX_WORK + IMPI_JV_DRIVES };
// If the error of an angle exceeds this [rad], or in lanes the error of a length exceeds this times half the size of
// the joint, step_open.c checks in double whether the joint is open.
#define IMPI_ANGLE_RECHECK (float)(2 * IMPI_OPEN_RECHECK * IMPI_OPEN_PART)
// Value of an infinite end of a limit: larger than any coordinate, and far from float overflow.
#define IMPI_OPEN_END 1e20

// Fields of kept data, for the start and the end of a step: the slots of the bodies; as doubles the anchors relative to
// the centres of mass (A's anchor of a pin includes the lock values), axis, reference angle, the value of each lock,
// and the work of each lock since the joint was created.
enum {
  IMPI_JD_BODY_A,
  IMPI_JD_BODY_B,
  IMPI_JD_LAX,
  IMPI_JD_LAY = IMPI_JD_LAX + 2,
  IMPI_JD_LBX = IMPI_JD_LAY + 2,
  IMPI_JD_LBY = IMPI_JD_LBX + 2,
  IMPI_JD_AXIS_C = IMPI_JD_LBY + 2,
  IMPI_JD_AXIS_S = IMPI_JD_AXIS_C + 2,
  IMPI_JD_REFERENCE = IMPI_JD_AXIS_S + 2,
  IMPI_JD_LOCKS = IMPI_JD_REFERENCE + 2
};

static inline int impi_jb_locks(int code) {
  return code & IMPI_LOCKS_DISTANCE ? 1 : (code & 1) + (code >> 1 & 1) + (code >> 2 & 1);
}
static inline int impi_jb_row(int code, int i) {
  int spared = (code & IMPI_PIN) != IMPI_PIN ? 0 : i == 0 ? 0 : i == 1 ? 2 : 3;
  return IMPI_JB_ROWS + IMPI_JR_FIELDS * i - spared;
}
static inline int impi_jb_drive(int code) { return impi_jb_row(code, impi_jb_locks(code)); }
static inline int impi_jb_cold(int code) {
  return impi_jb_drive(code) + (code & IMPI_DRIVES_ANGLE ? IMPI_JV_FIELDS : 0);
}
static inline int impi_jb_start(int code, int i) { return impi_jb_cold(code) + IMPI_JC_ROWS + i; }
static inline int impi_jb_raw(int code, int i) { return impi_jb_start(code, impi_jb_locks(code) + i); }
static inline int impi_jb_total(int code, int i) { return impi_jb_raw(code, impi_jb_locks(code) + i); }
static inline int impi_jb_against(int code, int i, int k) {
  return impi_jb_total(code, impi_jb_locks(code)) + i * (i - 1) / 2 + k;
}
static inline int impi_jb_drive_cold(int code) { return impi_jb_against(code, impi_jb_locks(code), 0); }
static inline int impi_jb_fields(int code) {
  return impi_jb_drive_cold(code) + (code & IMPI_DRIVES_ANGLE ? IMPI_JW_FIELDS : 0);
}
static inline int impi_jd_lock(int i) { return IMPI_JD_LOCKS + 2 * i; }
static inline int impi_jd_sum(int code, int i) { return impi_jd_lock(impi_jb_locks(code) + i); }
static inline int impi_jd_drive(int code, int i) { return impi_jd_sum(code, impi_jb_locks(code)) + 2 * i; }
static inline int impi_jd_fields(int code) {
  return impi_jd_drive(code, code & IMPI_DRIVES_ANGLE ? IMPI_JX_FIELDS : 0);
}

// Parameters of all passes of a step.
typedef struct ImpiJointPass {
  ImpiRecord *velocity;
  ImpiRecord *gain;       // see ImpiLaneBodies
  const ImpiRecord *base; // see ImpiLaneBodies
  const ImpiRecord *displacement;
  const ImpiRecord *before;                   // velocities before any impulse of the substep, if joints have drives
  const ImpiMotion *motions;                  // motions of bodies at the start of the step, by slot
  float bias_rate, mass_scale, impulse_scale; // softness of a lock
  float reach;                                // largest error that a lock corrects in a substep [m or rad]
  float bend;                                 // factor of the curvature term of an error: h / (2 beta) [s^2]
  float h, inv_h;                             // [s, 1 / s]
  float max_turn;                             // bound of angular velocities in the curvature term J'v [rad/s]
  float *kept;                                // kept data of the run
  bool warm, relax;                           // whether warm starting and relax are on
  bool last;                                  // whether it is the last substep
  bool ground; // whether the run has a ground colour: only then a body may have inverse mass 0
} ImpiJointPass;

// Number of partial sums of work: one per lane of the widest block, so that the order of summation is the same for all
// widths.
#define IMPI_JOINT_SUMS 16

// A pass over the blocks first .. first + count - 1 of one colour and form, for one width. Blocks of a colour may run
// in parallel if bodies without inverse mass (lane 0, kinematic bodies) are not written.
typedef void (*ImpiJointPassFn)(const ImpiJointPass *pass, const ImpiJointForm *form, float *blocks, int first,
                                int count);

typedef struct ImpiJointKernels {
  int width;
  ImpiJointPassFn begin;     // begin a step: measure the coordinates, in double, and linearise the rows
  ImpiJointPassFn measure;   // measure the coordinates
  ImpiJointPassFn linearise; // linearise the rows at the current displacements
  ImpiJointPassFn warm_start;
  ImpiJointPassFn forget; // set all impulses to 0
  ImpiJointPassFn solve;
  ImpiJointPassFn share; // add the work of drives, after all impulses of a substep
  ImpiJointPassFn relax; // linearise the rows at the new positions, then solve without position bias
  // End a step: add the work in the step to the joints' total work and to `sums` (IMPI_JOINT_SUMS numbers). Returns
  // whether a joint must be checked in double.
  bool (*finish)(const ImpiJointPass *pass, const ImpiJointForm *form, float *blocks, int first, int count,
                 double *sums);
  ImpiJointPassFn warm_start_fine, solve_fine, relax_fine; // variants that also write ImpiLaneBodies.gain
} ImpiJointKernels;

extern const ImpiJointKernels impi_joint_kernels_1;
extern const ImpiJointKernels impi_joint_kernels_4;
extern const ImpiJointKernels impi_joint_kernels_8;  // needs AVX2
extern const ImpiJointKernels impi_joint_kernels_16; // needs AVX-512

// Joints of one colour and one form, and their blocks.
typedef struct ImpiJointRun {
  int32_t colour, form;
  int32_t first; // index in ImpiJointLanes.joints
  int32_t count; // joints
  int32_t blocks;
  bool needs_recheck; // whether a joint must be checked in double
  size_t offset;      // offset of the first block in `memory` [bytes]
} ImpiJointRun;

// The place of a joint; run -1: not in lanes.
typedef struct ImpiJointPlace {
  int32_t run, index;
} ImpiJointPlace;

// The joints in lanes: the plan of their blocks, and the blocks.
typedef struct ImpiJointLanes {
  const ImpiJointKernels *kernels;
  bool planned;               // whether there is a plan
  bool one_by_one;            // ImpiSettings.joints_one_by_one at the time of the plan; true: no joint is in lanes
  bool driven;                // whether a joint in lanes has drives
  IMPI_ARRAY(int32_t) list;   // the active joints of the plan
  IMPI_ARRAY(int32_t) rest;   // slots of the active joints that are not in lanes
  IMPI_ARRAY(uint16_t) key;   // colour and form of each active joint
  IMPI_ARRAY(int32_t) joints; // slots of the joints in lanes, by run
  IMPI_ARRAY(ImpiJointPlace) where; // place of each joint, by slot
  IMPI_ARRAY(ImpiJointRun) runs;
  ImpiJointForm forms[IMPI_JOINT_FORMS];
  int form_count;
  unsigned char *memory; // blocks and kept data
  size_t memory_size;    // [bytes]
  ImpiJointPass pass;
  const ImpiTeam *team;
  int rows; // number of rows in lanes
} ImpiJointLanes;

// Return the first block of a run. The kept data of the run follow the last block.
static inline float *impi_joint_blocks(const ImpiJointLanes *lanes, const ImpiJointRun *run) {
  uintptr_t base = (uintptr_t)lanes->memory;
  return (float *)(void *)(lanes->memory + (64 - base % 64) % 64 + run->offset);
}
static inline float *impi_joint_kept(const ImpiJointLanes *lanes, const ImpiJointRun *run) {
  size_t fields = (size_t)lanes->forms[run->form].fields;
  return impi_joint_blocks(lanes, run) + (size_t)run->blocks * fields * (size_t)lanes->kernels->width;
}

void impi_joint_lanes_free(ImpiHeap *heap, ImpiJointLanes *lanes);
// If the plan is not valid, assign joints to lanes and plan clusters. Joints of clusters are not assigned to lanes.
// `taken`: scratch memory, a bit set of colours for each body lane. Returns false when out of memory.
bool impi_joint_lanes_reserve(ImpiSolve *solve, ImpiJointLanes *lanes, const ImpiJointKernels *kernels,
                              ImpiClusters *clusters, uint64_t *taken, int body_lanes);
// Begin a step. `before`: array for the velocities before the impulses of a substep.
void impi_joint_lanes_begin(ImpiSolve *solve, ImpiJointLanes *lanes, const ImpiLaneBodies *bodies,
                            const ImpiRecord *before, double h);
// Reload the values of locks and drives that a handler changed, and linearise the rows.
void impi_joint_lanes_reload(const ImpiSolve *solve, ImpiJointLanes *lanes);
void impi_joint_lanes_warm_start(ImpiJointLanes *lanes);
void impi_joint_lanes_solve(ImpiJointLanes *lanes);
void impi_joint_lanes_relax(ImpiJointLanes *lanes, bool last);
// Add the work of drives, after all impulses of a substep.
void impi_joint_lanes_share(ImpiJointLanes *lanes);
// End a step. Returns the work of the joints in lanes [J].
double impi_joint_lanes_finish(ImpiJointLanes *lanes);
// List the joints that may be open (have a large error) after the step. Returns their number.
int impi_joint_lanes_open_candidates(const ImpiJointLanes *lanes, int32_t *out_joints);
// Return whether a handler added a drive that the lanes of a joint cannot solve.
bool impi_joint_lanes_outgrown(const ImpiSolve *solve, const ImpiJointLanes *lanes, int32_t joint);
// Remove a joint from its lane between two substeps. The lane stays empty until the next plan. Writes the results of
// the step so far to the joint and its drives.
void impi_joint_lanes_drop(ImpiJointLanes *lanes, ImpiJoint *joints, ImpiDrive *drives, int32_t joint);
// Return whether a joint is in lanes.
bool impi_joint_lanes_hold(const ImpiJointLanes *lanes, int32_t joint);
// Run one pass over all joints in lanes, run after run.
void impi_joint_lanes_run(const ImpiJointLanes *lanes, ImpiJointPassFn pass);
// Write the deferred results of the last step to a joint and its drives. If `joint` is -1, do so for all joints in
// lanes.
void impi_joint_lanes_flush(const ImpiJointLanes *lanes, ImpiJoint *joints, ImpiDrive *drives, int32_t joint);

#endif
