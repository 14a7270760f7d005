// Joints of the soft solver in lanes: what the planning of blocks, which knows no width, and the kernels share.
// A kernel file is soft_joint_kernels.c compiled for one width and instruction set.
#ifndef IMPI_SOLVE_SOFT_JOINT_LANES_H
#define IMPI_SOLVE_SOFT_JOINT_LANES_H

#include "base/task.h"
#include "model/joint.h"
#include "model/solver.h"
#include "solvers/soft/soft_cluster.h"
#include "solvers/soft/solve_soft.h"

// Which coordinates a joint locks, as bits: what its kernels are compiled for.
// IMPI_DRIVES_ANGLE: a pin whose angle has drives; IMPI_DRIVES_LIMITED: a limit and others.
enum {
  IMPI_LOCKS_X = 1,
  IMPI_LOCKS_Y = 2,
  IMPI_LOCKS_ANGLE = 4,
  IMPI_LOCKS_DISTANCE = 8,
  IMPI_DRIVES_ANGLE = 16,
  IMPI_DRIVES_LIMITED = 32
};
// Both x and y: rows along the world's axes, see soft_joint_kernels.c.
#define IMPI_PIN (IMPI_LOCKS_X | IMPI_LOCKS_Y)

// Joints of one form have the same rows: they can be lanes of one block.
typedef struct ImpiJointForm {
  uint8_t code;                 // IMPI_LOCKS_ bits
  uint8_t locks;                // rows
  uint8_t coordinate[IMPI_FEW]; // of each row, an index of the joint; behind them the driven one
  uint8_t kinds[IMPI_FEW];      // ImpCoordinateKind of each
  int32_t fields;               // of a block
  int32_t kept_fields;          // of what is kept beside it
} ImpiJointForm;

#define IMPI_JOINT_FORMS 64

// A block is a list of fields, each of as many floats (or int32_t) as there are lanes; a double takes two fields. In
// front what all passes touch (first where the records of its bodies are, in bytes), behind it what only relax touches.
enum { IMPI_JB_A, IMPI_JB_B, IMPI_JB_MA, IMPI_JB_MB, IMPI_JB_IA, IMPI_JB_IB, IMPI_JB_ROWS };
// Of a lock's row: J = (-lx, -ly, aa; lx, ly, ab), made orthogonal; 1 / D, D; impulse, as made orthogonal; error; work of
// the step. The first row of a pin goes without lx and ly, the second without ly.
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
// At the step's start: levers, what lies between the anchors, the axis; then what the joint bears over the step.
enum {
  IMPI_JC_RAX,
  IMPI_JC_RAY,
  IMPI_JC_RBX,
  IMPI_JC_RBY,
  IMPI_JC_SX,
  IMPI_JC_SY,
  IMPI_JC_UX,
  IMPI_JC_UY,
  IMPI_JC_NOW_X, // the axis where rows were made
  IMPI_JC_NOW_Y,
  IMPI_JC_MOST_SQ, // the square of the length by which it may be open [m^2]; negative where it may be so at the step's end
  IMPI_JC_WRENCH_X,
  IMPI_JC_WRENCH_Y,
  IMPI_JC_WRENCH_W,
  IMPI_JC_ROWS // of each lock its error at the step's start (no pin's), then its raw impulse, its total over the step,
               // and what rows have to do with those before them
};
// Drives of one coordinate: the rows of a spring, a motor and the two ends of a limit have the same J, made orthogonal to
// the locks. What a joint has not is there with a largest force of 0. Impulses, errors of the limit's ends, what the
// spring and the motor ask for in the substep, largest forces; what J has to do with the locks.
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
// What only relax touches: errors at the step's start, of the limit's ends and of the spring; the motor's speed, and
// whether its limit stops it; the spring's constants, whether they are to be multiplied by the mass, whether
// it is then overdamped; totals and work over the step.
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
  IMPI_JW_BIAS_USED, // the motor's bias of the substep that was, for reports
  IMPI_JW_TOTAL,
  IMPI_JW_SHARE = IMPI_JW_TOTAL + IMPI_JV_DRIVES,
  IMPI_JW_FIELDS = IMPI_JW_SHARE + IMPI_JV_DRIVES
};
// Kept, in doubles: the limit's ends, where the spring rests, work since the joint was made.
enum { IMPI_JX_LOWER, IMPI_JX_UPPER, IMPI_JX_REST, IMPI_JX_WORK, IMPI_JX_FIELDS = IMPI_JX_WORK + IMPI_JV_DRIVES };
// The error of an angle beyond which a joint is in doubt [rad]: at half a size it is as long as the largest gap.
#define IMPI_ANGLE_DOUBT (float)(2 * IMPI_OPEN_DOUBT * IMPI_OPEN_PART)
// A limit's end that is open, as an error: larger than any, and far from what overflows.
#define IMPI_OPEN_END 1e20

// Kept apart, as only the step's start and end need it: slots of the bodies, and doubles: anchors from the centres of mass (of A where a pin's locks say),
// axis, reference angle; of each lock
// the value that it keeps, then of each its work since the joint was made.
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

// What every pass of a step needs to know.
typedef struct ImpiJointPass {
  ImpiRecord *velocity;
  ImpiRecord *gain;       // see ImpiLaneBodies
  const ImpiRecord *base; // the same
  const ImpiRecord *displacement;
  const ImpiRecord *before;  // velocities before any impulse of the substep; only where joints have drives
  const ImpiMotion *motions; // when the step began, by slot
  float bias_rate, mass_scale, impulse_scale; // of a soft lock
  float reach;                                // the largest error of a lock that is corrected at once [m or rad]
  float bend;                                 // what a curvature adds to an error: h / (2 beta) [s^2]
  float h, inv_h;                             // [s, 1 / s]
  float max_turn;                             // to which angular velocities in curvatures are clamped [rad/s]
  float *kept;                                // what is kept beside the blocks of the run
  bool warm, relax;                           // whether there is a warm start, and a solve without position bias
  bool last;                                  // whether it is the last substep
  bool ground;                                // some bodies of the blocks have no inverse mass
} ImpiJointPass;

// Partial sums of work: one a lane of the widest block, so that no width changes their order.
#define IMPI_JOINT_SUMS 16

// The passes over blocks first .. first + count - 1 of one colour and form, for one width. Blocks of a colour share no
// body with an inverse mass: they may run side by side, if what has none (lane 0, kinematic bodies) is not written then.
typedef void (*ImpiJointPassFn)(const ImpiJointPass *pass, const ImpiJointForm *form, float *blocks, int first,
                                int count);

typedef struct ImpiJointKernels {
  int width;
  ImpiJointPassFn begin;     // a step begins: measure the gauges, in double; rows at the present poses
  ImpiJointPassFn measure;   // the first of that alone
  ImpiJointPassFn linearise; // rows at the present displacements, impulses stay
  ImpiJointPassFn warm_start;
  ImpiJointPassFn forget; // set all impulses to 0, in place of a warm start
  ImpiJointPassFn solve;
  ImpiJointPassFn share; // after all impulses of a substep: add up what drives did in it
  ImpiJointPassFn relax; // rows where positions moved to, then a solve without position bias
  // The step is over: add up its work, in all to sums (IMPI_JOINT_SUMS). Returns whether a joint is in doubt.
  bool (*finish)(const ImpiJointPass *pass, const ImpiJointForm *form, float *blocks, int first, int count,
                 double *sums);
  ImpiJointPassFn warm_start_fine, solve_fine, relax_fine; // the same where ImpiLaneBodies.gain is there
} ImpiJointKernels;

extern const ImpiJointKernels impi_joint_kernels_1;
extern const ImpiJointKernels impi_joint_kernels_4;
extern const ImpiJointKernels impi_joint_kernels_8;  // needs AVX2
extern const ImpiJointKernels impi_joint_kernels_16; // needs AVX-512

// Joints of one colour and one form, and their blocks.
typedef struct ImpiJointRun {
  int32_t colour, form;
  int32_t first; // in ImpiJointLanes.joints
  int32_t count; // joints
  int32_t blocks;
  bool doubt;    // whether one of them is at the end of the step
  size_t offset; // of its first block in `memory` [bytes]
} ImpiJointRun;

// Where a joint is: run -1 nowhere.
typedef struct ImpiJointPlace {
  int32_t run, index;
} ImpiJointPlace;

// Blocks live as long as the joints that act and their rows stay the same.
typedef struct ImpiJointLanes {
  const ImpiJointKernels *kernels;
  bool planned;
  bool one_by_one;                  // planned for no joint in lanes
  bool driven;                      // some joint in lanes has drives
  IMPI_ARRAY(int32_t) list;         // the active joints that the plan is for
  IMPI_ARRAY(int32_t) rest;         // of them, those that are not in lanes
  IMPI_ARRAY(uint16_t) key;         // of each: colour and form
  IMPI_ARRAY(int32_t) joints;       // slots by run
  IMPI_ARRAY(ImpiJointPlace) where; // by slot
  IMPI_ARRAY(ImpiJointRun) runs;
  ImpiJointForm forms[IMPI_JOINT_FORMS];
  int form_count;
  unsigned char *memory; // blocks
  size_t memory_size;    // [bytes]
  ImpiJointPass pass;
  const ImpiTeam *team; // of the step
  int rows;
} ImpiJointLanes;

// Where the blocks of a run begin; behind them lies what is kept beside them.
static inline float *impi_joint_blocks(const ImpiJointLanes *lanes, const ImpiJointRun *run) {
  uintptr_t base = (uintptr_t)lanes->memory;
  return (float *)(void *)(lanes->memory + (64 - base % 64) % 64 + run->offset);
}
static inline float *impi_joint_kept(const ImpiJointLanes *lanes, const ImpiJointRun *run) {
  size_t fields = (size_t)lanes->forms[run->form].fields;
  return impi_joint_blocks(lanes, run) + (size_t)run->blocks * fields * (size_t)lanes->kernels->width;
}

void impi_joint_lanes_free(ImpiHeap *heap, ImpiJointLanes *lanes);
// Choose who goes into lanes, and where, unless the last plan stands; take the memory. `taken` is room for a bit set a
// lane of bodies. Joints of clusters, which are planned with it, stay out.
bool impi_joint_lanes_reserve(ImpiSolve *solve, ImpiJointLanes *lanes, const ImpiJointKernels *kernels,
                              ImpiClusters *clusters, uint64_t *taken, int body_lanes);
// `before` is where velocities before the impulses of a substep are noted.
void impi_joint_lanes_begin(ImpiSolve *solve, ImpiJointLanes *lanes, const ImpiLaneBodies *bodies,
                            const ImpiRecord *before, double h);
// A handler changed drives: what locks keep is read again, and rows are made anew.
void impi_joint_lanes_reload(const ImpiSolve *solve, ImpiJointLanes *lanes);
void impi_joint_lanes_warm_start(ImpiJointLanes *lanes);
void impi_joint_lanes_solve(ImpiJointLanes *lanes);
void impi_joint_lanes_relax(ImpiJointLanes *lanes, bool last);
// After all impulses of a substep.
void impi_joint_lanes_share(ImpiJointLanes *lanes);
// The step is over. Returns what it worked [J].
double impi_joint_lanes_finish(ImpiJointLanes *lanes);
// Joints that may be open after the step, see step_open.c. Returns how many.
int impi_joint_lanes_doubt(const ImpiJointLanes *lanes, int32_t *out_joints);
// Whether a joint in lanes has rows that are not for its lanes: a handler gave it a drive.
bool impi_joint_lanes_outgrown(const ImpiSolve *solve, const ImpiJointLanes *lanes, int32_t joint);
// Between two substeps: take a joint out of its lane, which stays empty until the next plan. The joint and its drives
// have what they did so far in the step, which is not over for them.
void impi_joint_lanes_drop(ImpiJointLanes *lanes, ImpiJoint *joints, ImpiDrive *drives, int32_t joint);
// Whether a joint is in lanes.
bool impi_joint_lanes_hold(const ImpiJointLanes *lanes, int32_t joint);
// One pass over all of them, run after run.
void impi_joint_lanes_run(const ImpiJointLanes *lanes, ImpiJointPassFn pass);
// Write to a joint and its drives what the last step did to them; -1: to all.
void impi_joint_lanes_settle(const ImpiJointLanes *lanes, ImpiJoint *joints, ImpiDrive *drives, int32_t joint);

#endif
