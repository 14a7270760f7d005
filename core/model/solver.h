// What a solver is given and what it leaves behind: one interface for all of them.
//
// A solver advances the awake bodies by `dt`: for each of its substeps it calls `before_substep` and `push_fields`, integrates
// velocities, solves the rows of the active joints and contacts, integrates positions; then it writes velocities, poses
// and impulses back. Bodies that no row touches are integrated in double by impi_body_integrate_*.
#ifndef IMPI_SOLVER_H
#define IMPI_SOLVER_H

#include "base/task.h"
#include "model/contact.h"
#include "model/joint.h"
#include "model/ledger.h"
#include "model/row.h"

typedef struct ImpiSettings {
  ImpVec2 gravity;              // [m/s^2]
  double dt;                    // [s]
  int substeps;                 // 0: the solver's own default
  int iterations;               // sweeps, biased solves of soft; 0: the solver's own default
  double contact_hertz;         // soft: stiffness of contacts, at most 0.25 / h; 0: that [Hz]
  double contact_damping_ratio; // soft
  double lock_hertz;            // soft: stiffness of locks, servos and limits, the same [Hz]
  double lock_damping_ratio;    // soft
  double push_speed;         // soft, xpbd: overlap is resolved no faster than this [m/s]; below 0: see impi_push_speed
  double baumgarte;          // part of a position error that is corrected through velocity in a step
  double slop;               // overlap that solvers in double leave alone [m]
  double tolerance_impulse;  // stop sweeping when no correction of a sweep was larger [N s]; 0: never
  double tolerance_velocity; // the same when no row was farther from its target [m/s]; 0: never
  double tolerance_change;   // the same when none is expected to change by more than this part of it; 0: never
  int position_iterations;   // most corrections of positions a substep; 0: none, -1: the solver's own default
  ImpOrder order;            // in which rows are swept
  bool warm_start, accumulate, relax;
  bool joints_one_by_one;   // soft: no joint goes into lanes; for specs
  bool geometric_stiffness; // see stiffness.h
  bool midpoint;            // direct: see solve_direct.c
  bool history;             // note what each sweep did
  bool auditing;            // keep the ledger of energy
  int lanes;                // soft: 0 as wide as the machine, or 4, 8, 16
} ImpiSettings;

typedef struct ImpiSolverReport {
  int sweeps;
  int rows;
  int colours;
  const char *reason;  // why the sweeps stopped
  double cluster_time; // of soft's joints that are solved together [s]
  double joint_work;   // done by the rows of joints in the step [J]
  double velocity; // worst |J v + b| of locks after the last substep's solve, along its rows; below 0: not said [m/s]
  double bounded;  // worst of its other rows that is not at a bound, after the last substep's solve, springs left out
  double contraction;      // last change of the impulses over the one of the sweep before; 0: unknown
  double solved_to;        // of direct solves: worst |w| of a row that is not at a bound, see exact.h [m/s or rad/s]
  uint64_t flops;          // additions and multiplications of the solves; 0: not counted
  int redundant;           // rows that a factorization found to follow from others
  const ImpSweep *history; // of the step's sweeps, when asked for   (history_count)
  int history_count;
} ImpiSolverReport;

typedef struct ImpiSolve ImpiSolve;

struct ImpiSolve {
  ImpiHeap *heap;
  const ImpiTeam *team; // that runs its loops
  const ImpiSettings *settings;
  ImpiBody *bodies;                       // by slot
  ImpiMotion *motions;                    // by slot
  int32_t body_count;                     // slots, used or not
  ImpiContact *contacts;                  // by slot
  struct ImpiLaneContacts *lane_contacts; // where soft keeps those that act
  double hit_speed;                       // of the world, see ImpiMaterial [m/s]
  const int32_t *awake;                   // slots of awake bodies   (awake_count)
  int awake_count;
  const int32_t *active; // slots of contacts with rows, at least one side dynamic and awake   (active_count)
  int active_count;
  ImpiJoint *joints;            // by slot
  int32_t joint_count;          // slots, used or not
  ImpiDrive *drives;            // by ImpiCoordinate.drive
  const int32_t *active_joints; // slots of joints with rows, in creation order   (active_joint_count)
  int active_joint_count;
  const struct ImpiSolver *solver; // that runs
  ImpiLedger *ledger;              // of energy; null: nobody asked for it
  uint64_t seed;                   // of the world
  uint64_t stamp;                  // tick after the step: marks what it recorded
  bool drives_changed;             // inside before_substep or refresh, since the solver last looked
  bool rows_changed;               // the same, of which rows drives make: a joint may have got its first
  bool rows_fixed;    // written by reserve: the memory does not suffice for rows of drives added within the step
  bool drives_edited; // numbers in drives, and nothing else, are not what they were in the last step
  bool kept;          // the solver has what joints did in the last step, and nothing changed about them since
  double time;        // when the step began [s]
  double stiffest;    // soft: the most that rows are stiff [Hz]
  void *scratch;      // the solver's own state, lives as long as the world
  double *stage_time; // (IMP_STAGE_COUNT), to be filled for PREPARE, SOLVE, STORE
  ImpiSolverReport report;
  // Called before each substep; null when nobody listens. It may move the arrays above: afterwards they are set anew.
  // While it runs, getters see a body through `read`.
  void (*before_substep)(ImpiSolve *solve, double h);
  // Called right after it, and before every further kick that the solver gives to velocities: force fields at time t push
  // what they do in h, explosions what has come of them by `until`. Null when there are none.
  void (*push_fields)(ImpiSolve *solve, double h, double t, double until);
  // Called before each evaluation of a joint that impi_joint_is_called; t is the end of the substep that the rows are
  // for. It may move the arrays above too. Null when nobody is there to call.
  void (*refresh)(ImpiSolve *solve, int32_t joint, double t);
  void *owner; // the world
};

typedef struct ImpiSolver {
  const char *name;
  int default_substeps, default_iterations, default_position_iterations;
  bool halves; // it kicks velocities twice a substep, by half of it each
  bool ranks;  // it finds locks that are redundant: ImpiJoint.dropped and .contradicts are of its last step
  // Take the memory that `solve` needs, so that nothing fails after bodies began to move; or say why it cannot be done.
  ImpStatus (*reserve)(ImpiSolve *solve);
  void (*solve)(ImpiSolve *solve);
  void (*substep)(ImpiSolve *solve); // what impi_reference_solve does of it in a substep; null where `solve` is another
  // The state of a body inside before_substep.
  void (*read)(const ImpiSolve *solve, int32_t body, ImpiMotion *out_motion);
  // The same of many bodies, those of them that have a lane, to the precision of the solver's own numbers: sines and
  // cosines cost nothing. What has no lane is not written. Null: what `motions` has is the state.
  void (*sense)(const ImpiSolve *solve, const int32_t *bodies, int count, ImpiMotion *out_motions);
  // Change a body's velocity inside before_substep.
  void (*push)(ImpiSolve *solve, int32_t body, double dvx, double dvy, double dw);
  // The same of many bodies, those that have a lane; null where `sense` is.
  void (*push_all)(ImpiSolve *solve, const int32_t *bodies, int count, const double *dvx, const double *dvy,
                   const double *dw);
  // The rows of the last step as they were solved, by ImpiJoint.first_row and ImpiContact.first_row; null: the solver
  // keeps none, and they are made anew at the poses where it ended.
  const ImpiRow *(*rows)(const void *scratch);
  // Write to a joint what the last step did to it, where the solver keeps that to itself; -1: to all. Null: joints have it.
  void (*settle)(const void *scratch, ImpiJoint *joints, ImpiDrive *drives, int32_t joint);
  // Whether it keeps that joint's to itself. Null: none.
  bool (*keeps)(const void *scratch, int32_t joint);
  // Whether it solves that joint in a factor with others, which has no place for one more row of a rotor in the step that
  // is under way. Null: none.
  bool (*clusters)(const void *scratch, int32_t joint);
  // Inside push_fields: gravity and applied forces act on a body before it moves in this substep, as an implicit field has
  // counted them in the kick. Null: they do in any case.
  void (*put_forces_first)(ImpiSolve *solve, int32_t body);
  // Joints that may be open after the step, to be looked at: at most as many as are active. Returns how many. Null: all.
  int (*doubt)(const void *scratch, int32_t *out_joints);
  size_t scratch; // that a world has of it, zero at first [bytes]
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

// The solver of a kind; null out of range.
const ImpiSolver *impi_solver(int kind);

// Substeps and sweeps in effect: the number that is set, or else the solver's own. A step longer than IMPI_LONG_STEP
// multiplies the solver's own number of substeps by how many times it is longer, rounded up.
static inline int impi_substeps(const ImpiSolver *solver, const ImpiSettings *settings) {
  if (settings->substeps > 0) {
    return settings->substeps;
  }
  double times = ceil(settings->dt / IMPI_LONG_STEP - 1e-6); // what a division rounds up is not a substep more
  return solver->default_substeps * (times > 1 ? (int)times : 1);
}
static inline int impi_iterations(const ImpiSolver *solver, const ImpiSettings *settings) {
  return settings->iterations > 0 ? settings->iterations : solver->default_iterations;
}

static inline int impi_position_iterations(const ImpiSolver *solver, const ImpiSettings *settings) {
  return settings->position_iterations >= 0 ? settings->position_iterations : solver->default_position_iterations;
}

// How fast overlap is pushed apart at most: what is set, or what a fall of IMPI_PUSH_TIME comes to, IMPI_PUSH_SPEED at
// least. So a scene in other units, whose g is larger by as much as its lengths, sinks in no deeper for its size.
static inline double impi_push_speed(const ImpiSettings *settings) {
  double fall = IMPI_PUSH_TIME * impi_length(settings->gravity);
  return settings->push_speed >= 0 ? settings->push_speed : impi_max(IMPI_PUSH_SPEED, fall);
}

#endif
