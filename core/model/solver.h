// The interface of a solver: settings, input, results, and functions.
//
// A solver advances the awake bodies by `dt`. In each substep it calls `before_substep` and `push_fields`, integrates
// velocities, solves the rows of the active joints and contacts, and integrates positions. At the end it writes
// velocities, poses and impulses back. Bodies without rows are integrated in double by impi_body_integrate_*.
#ifndef IMPI_SOLVER_H
#define IMPI_SOLVER_H

#include "base/task.h"
#include "model/contact.h"
#include "model/joint.h"
#include "model/ledger.h"
#include "model/row.h"

typedef struct ImpiSettings {
  ImpVec2 gravity;      // [m/s^2]
  double dt;            // [s]
  int substeps;         // 0: the solver's own default
  int iterations;       // number of sweeps (soft solver: number of solves with bias); 0: the solver's own default
  double contact_hertz; // soft: stiffness of contacts [Hz], at most 0.25 / h; 0: 0.25 / h
  double contact_damping_ratio; // soft
  double lock_hertz;            // soft: stiffness of locks, servos and limits [Hz], at most 0.25 / h; 0: 0.25 / h
  double lock_damping_ratio;    // soft
  double push_speed; // soft, xpbd: largest speed at which overlap is resolved [m/s]; below 0: see impi_push_speed
  double baumgarte;  // fraction of a position error corrected through velocity in a step
  double slop;       // overlap that solvers other than soft do not correct [m]
  double tolerance_impulse;  // sweeps stop when no correction was larger than this [N s]; 0: never
  double tolerance_velocity; // sweeps stop when no row was farther from its target than this [m/s]; 0: never
  // sweeps stop when no impulse is expected to change by more than this fraction of its size; 0: never
  double tolerance_change;
  int position_iterations; // largest number of position corrections per substep; 0: none, -1: the solver's default
  ImpOrder order;          // order in which rows are swept
  bool warm_start, accumulate, relax;
  bool joints_one_by_one;   // soft: solve no joint in SIMD lanes; for specs
  bool geometric_stiffness; // see stiffness.h
  bool midpoint;            // direct: implicit midpoint rule, see solve_direct.c
  bool history;             // the report records each sweep
  bool auditing;            // write the ledger of energy
  int lanes;                // soft: number of SIMD lanes, 4, 8 or 16; 0: width of the machine's vectors
} ImpiSettings;

typedef struct ImpiSolverReport {
  int sweeps;
  int rows;
  int colours;
  const char *reason;  // why the sweeps stopped
  double cluster_time; // soft: time for factorizations of joints [s]
  double joint_work;   // work of the rows of joints in the step [J]
  // Largest |J v + b| of the locks [m/s]: v after the last substep, J and b as solved in it. Negative: unknown.
  double velocity;
  double bounded;     // like `velocity`, for all rows except locks, springs, and rows at a bound
  double contraction; // change of the impulses in the last sweep / change in the sweep before; 0: unknown
  // Direct solves: largest w = J v + b (exact.h) of a row that is not at a bound [m/s or rad/s].
  double solved_to;
  uint64_t flops;          // additions and multiplications of the solves; 0: not counted
  int redundant;           // number of linearly dependent rows in the last factorization
  const ImpSweep *history; // one entry per sweep, if settings.history   (history_count)
  int history_count;
} ImpiSolverReport;

typedef struct ImpiSolve ImpiSolve;

struct ImpiSolve {
  ImpiHeap *heap;
  const ImpiTeam *team; // worker threads for the solver's loops
  const ImpiSettings *settings;
  ImpiBody *bodies;      // by slot
  ImpiMotion *motions;   // by slot
  int32_t body_count;    // number of slots, used or not
  ImpiContact *contacts; // by slot
  struct ImpiLaneContacts *lane_contacts;
  double hit_speed;     // hit speed of the world [m/s]
  const int32_t *awake; // slots of awake bodies   (awake_count)
  int awake_count;
  // Slots of contacts with rows and a body that is dynamic and awake   (active_count)
  const int32_t *active;
  int active_count;
  ImpiJoint *joints;            // by slot
  int32_t joint_count;          // number of slots, used or not
  ImpiDrive *drives;            // by ImpiCoordinate.drive
  const int32_t *active_joints; // slots of joints with rows, in creation order   (active_joint_count)
  int active_joint_count;
  const struct ImpiSolver *solver;
  ImpiLedger *ledger; // ledger of energy; null: not written
  uint64_t seed;
  uint64_t stamp;      // tick after the step, copied to the row_stamp of joints and contacts with rows
  bool drives_changed; // drives were changed by before_substep or refresh; cleared by the solver
  // The set of drive rows has changed; cleared by the solver.
  bool rows_changed;
  // The memory has no room for rows of drives that handlers add within the step; written by reserve.
  bool rows_fixed;
  bool drives_edited; // since the last step only numbers in drives were changed, nothing else about joints
  // The solver's memory has the joints' results of the last step, and no joint has changed.
  bool kept;
  double time;     // time at the start of the step [s]
  double stiffest; // soft: largest stiffness of rows [Hz]
  void *scratch;   // the solver's own state, lives as long as the world
  // Times of the stages [s]; the solver writes PREPARE, SOLVE and STORE.   (IMP_STAGE_COUNT)
  double *stage_time;
  ImpiSolverReport report;
  // Called before each substep; null without handlers. May reallocate the arrays of this struct and update their
  // pointers. Getters read the state of a body through ImpiSolver.read.
  void (*before_substep)(ImpiSolve *solve, double h);
  // Called after before_substep, and before each later stage of the substep in which forces change velocities: apply
  // force fields at time t over h, and explosions up to the time `until`. May be null.
  void (*push_fields)(ImpiSolve *solve, double h, double t, double until);
  // Called before each evaluation of a joint for which impi_joint_is_called is true; t is the end of the substep. May
  // reallocate the arrays of this struct. Null without a callback.
  void (*refresh)(ImpiSolve *solve, int32_t joint, double t);
  void *owner; // the world
};

typedef struct ImpiSolver {
  const char *name;
  int default_substeps, default_iterations, default_position_iterations;
  bool halves; // forces act twice in a substep, over half the substep each
  bool ranks;  // the solver detects redundant locks and writes ImpiJoint.dropped and .contradicts
  // Allocate all memory that `solve` needs. `reserve` may fail, `solve` cannot.
  ImpStatus (*reserve)(ImpiSolve *solve);
  void (*solve)(ImpiSolve *solve);
  // The solver's stages in a substep of impi_reference_solve (reference.h), or null.
  void (*substep)(ImpiSolve *solve);
  // Write the state of a body to *out_motion, inside before_substep.
  void (*read)(const ImpiSolve *solve, int32_t body, ImpiMotion *out_motion);
  // Like `read`, for many bodies. c and s come from the solver's arrays, in their precision; `read` computes c and s
  // from the angle. Bodies with ImpiBody.lane 0 are skipped. Null: the state is in `motions`.
  void (*sense)(const ImpiSolve *solve, const int32_t *bodies, int count, ImpiMotion *out_motions);
  // Change a body's velocity inside before_substep.
  void (*push)(ImpiSolve *solve, int32_t body, double dvx, double dvy, double dw);
  // Like `push`, for many bodies; bodies with ImpiBody.lane 0 are skipped. Null if `sense` is null.
  void (*push_all)(ImpiSolve *solve, const int32_t *bodies, int count, const double *dvx, const double *dvy,
                   const double *dw);
  // Return the rows of the last step as they were solved; ImpiJoint.first_row and ImpiContact.first_row are indices in
  // this array. Null: rows are recomputed at the final poses.
  const ImpiRow *(*rows)(const void *scratch);
  // Write the results of the last step from the solver's memory to a joint (-1: to all joints). Null: the joints have
  // the results.
  void (*flush)(const void *scratch, ImpiJoint *joints, ImpiDrive *drives, int32_t joint);
  // Return whether the solver's memory has the results of a joint. Null: no results.
  bool (*holds_results)(const void *scratch, int32_t joint);
  // Return whether the solver solves a joint in a cluster (by matrix factorization). A cluster has no room for a new
  // rotor's row until the step ends. Null: no clusters.
  bool (*clusters)(const void *scratch, int32_t joint);
  // In this substep, let gravity and applied forces act on a body before the body moves. push_fields calls this for
  // bodies in implicit fields. Null: forces always act before bodies move.
  void (*put_forces_first)(ImpiSolve *solve, int32_t body);
  // Write the joints that may be open (have a large error) after the step, at most as many as are active. Return their
  // number. Null: all active joints are checked.
  int (*open_candidates)(const void *scratch, int32_t *out_joints);
  size_t scratch; // size of the solver's state in a world, zero at first [bytes]
  void (*destroy)(ImpiHeap *heap, void *scratch);
} ImpiSolver;

extern const ImpiSolver impi_solver_soft;
extern const ImpiSolver impi_solver_si;
extern const ImpiSolver impi_solver_ngs;
extern const ImpiSolver impi_solver_split;
extern const ImpiSolver impi_solver_xpbd;
extern const ImpiSolver impi_solver_direct;
extern const ImpiSolver impi_solver_acceleration;
extern const ImpiSolver impi_solver_reduced;
extern const ImpiSolver impi_solver_rattle;

// Return the solver of a kind; null if the kind is out of range.
const ImpiSolver *impi_solver(int kind);

// Return the number of substeps or sweeps in effect: the setting if it is > 0 (position_iterations: >= 0); otherwise
// the solver's default. In a step longer than IMPI_LONG_STEP, the default number of substeps is multiplied by
// ceil(dt / IMPI_LONG_STEP).
static inline int impi_substeps(const ImpiSolver *solver, const ImpiSettings *settings) {
  if (settings->substeps > 0) {
    return settings->substeps;
  }
  // 1e-6 is subtracted because of rounding errors
  double times = ceil(settings->dt / IMPI_LONG_STEP - 1e-6);
  return solver->default_substeps * (times > 1 ? (int)times : 1);
}
static inline int impi_iterations(const ImpiSolver *solver, const ImpiSettings *settings) {
  return settings->iterations > 0 ? settings->iterations : solver->default_iterations;
}

static inline int impi_position_iterations(const ImpiSolver *solver, const ImpiSettings *settings) {
  return settings->position_iterations >= 0 ? settings->position_iterations : solver->default_position_iterations;
}

// Return the largest speed at which overlapping bodies are pushed apart [m/s]: settings->push_speed if it is >= 0;
// otherwise the greater of IMPI_PUSH_SPEED and the speed after a free fall of IMPI_PUSH_TIME.
static inline double impi_push_speed(const ImpiSettings *settings) {
  double fall = IMPI_PUSH_TIME * impi_length(settings->gravity);
  return settings->push_speed >= 0 ? settings->push_speed : impi_max(IMPI_PUSH_SPEED, fall);
}

#endif
