// impel: how a step was solved, and what it did to the energy. A chapter of impel.h, which includes it; do not include it
// alone.
#ifndef IMPEL_REPORT_H
#define IMPEL_REPORT_H

// ---------------------------------------------------------------------------------------------------------------------
// Residual and sweeps
// ---------------------------------------------------------------------------------------------------------------------

/// How the last step was solved. Velocities [m/s], lengths [m].
typedef struct ImpResidual {
  double velocity;    ///< worst |J v + b| of the rows that are not at a bound, after the solve; of springs and dampers
                      ///< that sweeps solve (si, ngs, split, reduced), what further sweeps would change of its speed.
                      ///< Left out: springs of soft and xpbd, and servos of soft, which give way
  double penetration; ///< deepest overlap of any contact point, >= 0
  double separation;  ///< worst |C| of any locked coordinate of a joint [m or rad]
  double complementarity; ///< worst |impulse * (J v + b)| of the normal rows [J]
  double contraction;     ///< last change of the impulses over the one of the sweep before; 0: unknown
  double error;       ///< `velocity` as a part of what gravity adds to a velocity in a substep; without gravity, of the
                      ///< largest velocity that the impulse of a row gives along that row
  double solved_to;   ///< direct solves: worst |J v + b| of a row off its bounds, with the J that was solved
  int sweeps;         ///< sweeps over all rows in the last step; of direct solves, factorizations
  int open;           ///< joints that are open, asleep or not: see below; locks that are not held do not count as such
  int redundant;      ///< rows that the last factorization found to follow from others
  uint64_t flops;     ///< additions and multiplications of the step's solves; 0: not counted
  bool converged;     ///< whether `error` is at most IMP_CONVERGED and `reason` is not "stalled"
  const char *reason; ///< why the solver stopped: see below
} ImpResidual;
/// A step has converged where `error` is at most this and no direct solve stalled. At 0.01 bodies that should rest
/// accelerate by 1 % of gravity; forces are wrong by about as much, and by more where light bodies carry heavy ones (by
/// 2 % at an error of 0.0066 in a welded mast of ten links of 1 kg with 10 kg on top). Of `velocity`, one millionth of
/// the largest speed is taken off as rounding.
#define IMP_CONVERGED 0.01
/// Reasons, of sweeps:
///   "converged"    all `iterations` were made, and the step has converged
///   "iterations"   all were made, and it has not, or a tolerance that is set has not been met
///   "impulse", "velocity", "change"   tolerance_impulse, tolerance_velocity or tolerance_change was met; it may be
///                  looser or stricter than IMP_CONVERGED
/// of direct solves: "solved", or "stalled" where no forces meet all rows, as where bounds or locks contradict each
/// other; "none": nothing was solved. `error` compares velocities, and may be 0 after a solve that stalled.
///
/// A joint is open where its bodies are farther from what its locks allow, or its limits that hold against any force,
/// than 5 % of its size: twice the extent of the smallest body that it moves (of points, twice the longest lever of its
/// anchors, or the length that it keeps, or else 1 m). It is open too where that error has grown by 2 % of the size while
/// each step was solved by sweeps that met a tolerance or by a direct solve that did not stall. It is closed again
/// below 1 %. Each opening makes one IMP_EVENT_WARNING with the joint and the error as a length: of an angle, the way
/// that it moves a point half a size away; of a function of the user, the least way of one body that mends it, to first
/// order. A joint that is made open warns in its first step. A lock that the solver dropped, as it follows or nearly
/// follows from others, or that it could not correct, as it contradicts others, makes one warning too when the error of
/// its joint exceeds 1e-6 of the size; its text begins with "a lock is not held". Not counted: rates, rows with bounds,
/// and joints that are broken or whose bodies are disabled.
IMP_API ImpResidual imp_world_residual(ImpWorld *world);

/// What one sweep of the last step did, noted while the property `history` is on.
typedef struct ImpSweep {
  int substep;     ///< from 1
  double impulse;  ///< largest corrective impulse [N s or N m s]
  double velocity; ///< largest |J v + b| that it met [m/s or rad/s]
  double change;   ///< norm of all corrective impulses
} ImpSweep;
/// The sweeps of the last step in order, at most IMP_MAX_HISTORY; soft notes none. Valid until the next step.
IMP_API const ImpSweep *imp_world_sweeps(const ImpWorld *world, int *out_count);
#define IMP_MAX_HISTORY 100000


// ---------------------------------------------------------------------------------------------------------------------
// The ledger of energy
// ---------------------------------------------------------------------------------------------------------------------

/// Why the energy of a world changed in a step. Every impulse counts with its work at the mean of the velocities with
/// which its substep began and ended, so that what holds a load at rest works nothing. soft enters whole steps, and as
/// integration what is left over, rounding of its float lanes included.
typedef enum ImpEnergyCause {
  IMP_ENERGY_APPLIED,     ///< work of applied forces, torques and impulses
  IMP_ENERGY_DAMPING,     ///< linear_damping and angular_damping of bodies, damping of coordinates
  IMP_ENERGY_INTEGRATION, ///< of the time step itself: work of gravity less the potential energy it took
  IMP_ENERGY_LOCK,        ///< locks and armature, less what corrected their errors: what projecting velocities costs
  IMP_ENERGY_LIMIT,
  IMP_ENERGY_MOTOR,       ///< motors, servos and forces
  IMP_ENERGY_SPRING,      ///< spring rows and what springs store: what their dampers and their integration made
  IMP_ENERGY_USER,        ///< rows of constraints by rows
  IMP_ENERGY_CONTACT,     ///< normal rows without bounce: inelastic impacts
  IMP_ENERGY_RESTITUTION, ///< normal rows that bounce
  IMP_ENERGY_FRICTION,    ///< friction and rolling resistance of contacts, dry friction of coordinates
  IMP_ENERGY_KINEMATIC,   ///< work of kinematic bodies on others, and of the turning of what no torque turns
  IMP_ENERGY_BIAS,        ///< errors corrected through velocity
  IMP_ENERGY_PROJECTION,  ///< positions corrected without velocity
  IMP_ENERGY_STIFFNESS,   ///< inertia added against the stiffness of tension
  IMP_ENERGY_OUTSIDE,     ///< between steps: what was moved, made or put to sleep; faults
  IMP_ENERGY_COUNT
} ImpEnergyCause;
/// The cause's name in Lua ("applied", ...), or null out of range.
IMP_API const char *imp_energy_cause_name(int cause);
/// Joules by cause. What waits for the end of a step (destroying, teleports) counts as outside of the next. `before` + sum of `cause` = `after` to rounding.
typedef struct ImpAudit {
  double cause[IMP_ENERGY_COUNT];
  double before, after; ///< kinetic and potential energy
  double worst;         ///< most that one row or body added in one step [J], 0 when nothing added energy
  ImpEnergyCause worst_cause;
  ImpJoint joint; ///< who it was: one of these, the others null
  ImpContact contact;
  ImpBody body;
} ImpAudit;
/// The ledger of the last step, or since `auditing` was set. Error: `auditing` is off.
IMP_API ImpStatus imp_world_audit(const ImpWorld *world, bool whole, ImpAudit *out_audit);

#endif
