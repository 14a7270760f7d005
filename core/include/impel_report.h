// impel: how a step was solved, and how it changed the energy. Included by impel.h.
#ifndef IMPEL_REPORT_H
#define IMPEL_REPORT_H

// ---------------------------------------------------------------------------------------------------------------------
// Residual and sweeps
// ---------------------------------------------------------------------------------------------------------------------

typedef struct ImpResidual {
  /// largest velocity error |J v + b| after the solve, of the rows that are not at a bound [m/s, rad/s]; b: bias of the
  /// row. For springs and dampers in `si`, `ngs`, `split` and `reduced`: the change of J v if the row were corrected
  /// once more. Not included: springs in `soft` and `xpbd`, servos in `soft`
  double velocity;
  double penetration;     ///< largest overlap of a contact point, >= 0 [m]
  double separation;      ///< largest |C| of a locked coordinate of a joint [m or rad]
  double complementarity; ///< largest |impulse * (J v + b)| of a normal row [J]
  /// change of the impulses in the last sweep / change in the sweep before; 0: unknown
  double contraction;
  /// `velocity` / velocity that gravity adds in a substep; without gravity, `velocity` / largest velocity that the
  /// impulse of a row adds along this row
  double error;
  /// direct solves: largest |J v + b| of a row that is not at a bound, with the J that the solver used [m/s, rad/s]
  double solved_to;
  int sweeps; ///< sweeps over all rows in the last step; direct solves: number of factorizations
  /// number of open joints (joints with a large error), asleep or not, see imp_world_residual
  int open;
  int redundant;      ///< number of rows that are linear combinations of other rows in the last factorization
  uint64_t flops;     ///< additions and multiplications of the solves of the step; 0: not counted
  bool converged;     ///< `error` is at most IMP_CONVERGED and `reason` is not "stalled"
  const char *reason; ///< why the solver stopped, see imp_world_residual
} ImpResidual;
/// Largest `error` of a step that has converged. At 0.01, bodies that should be at rest accelerate by 1 % of gravity.
/// The relative error of forces is about `error`, or larger where light bodies carry heavy bodies. One millionth of the
/// largest speed is subtracted from `velocity` before `error` is computed, because so much may be a rounding error.
#define IMP_CONVERGED 0.01
/// Return the residual of the last step.
///
/// Values of `reason` for sweeps:
///   "converged"    all `iterations` were made, and the step has converged
///   "iterations"   all `iterations` were made, but the step has not converged or did not meet a tolerance
///   "impulse", "velocity", "change"   tolerance_impulse, tolerance_velocity or tolerance_change was met
/// For direct solves: "solved", or "stalled" if no forces satisfy all rows. "none": nothing was solved.
///
/// A joint is open if its error exceeds 5 % of its size, or has grown by 2 % of the size in steps that were solved. It
/// closes when the error falls below 1 %.
///   size    twice the extent of the smallest body that the joint moves. If none of these bodies has an extent: twice
///           the longest lever of an anchor or the locked distance, whichever is larger; if both are 0, 1 m
///   error   distance from the values that locks, and limits of infinite force, allow. The error of an angle is the
///           displacement of a point at half the size; the error of a constraint's function is the smallest
///           displacement of one body that removes the error, to first order
/// When a joint becomes open, an IMP_EVENT_WARNING is made with the joint and the error as `length`. Another warning,
/// "a lock is not held", is made if the error of a joint exceeds 1e-6 of its size and the solver does not hold one of
/// its locks, because the lock is (nearly) a linear combination of other locks or contradicts other locks. Rates, rows
/// with bounds, and joints that are broken or have a disabled body are not evaluated.
IMP_API ImpResidual imp_world_residual(ImpWorld *world);

/// One sweep of the last step.
typedef struct ImpSweep {
  int substep;     ///< number of the substep, from 1
  double impulse;  ///< largest corrective impulse [N s or N m s]
  double velocity; ///< largest |J v + b| of a row before the row is corrected [m/s or rad/s]
  double change;   ///< norm of all corrective impulses
} ImpSweep;
/// Return the sweeps of the last step in order, at most IMP_MAX_HISTORY, stored while the property `history` is true.
/// Empty for `soft` and the direct solvers. Valid until the next step.
IMP_API const ImpSweep *imp_world_sweeps(const ImpWorld *world, int *out_count);
#define IMP_MAX_HISTORY 100000


// ---------------------------------------------------------------------------------------------------------------------
// The energy ledger
// ---------------------------------------------------------------------------------------------------------------------

/// Causes of changes of a world's energy. The work of an impulse is its product with the mean of the velocities at the
/// start and the end of its substep. The solver `soft` enters the work of the whole step at once;
/// IMP_ENERGY_INTEGRATION is then the change of energy minus all other causes.
typedef enum ImpEnergyCause {
  IMP_ENERGY_APPLIED,     ///< work of applied forces, torques and impulses
  IMP_ENERGY_DAMPING,     ///< linear_damping and angular_damping of bodies, viscous damping of coordinates
  IMP_ENERGY_INTEGRATION, ///< error of the time step: work of gravity minus the decrease of potential energy
  /// work of locks and armature. The correction of position errors is in IMP_ENERGY_BIAS
  IMP_ENERGY_LOCK,
  IMP_ENERGY_LIMIT,
  IMP_ENERGY_MOTOR, ///< work of motors, servos and force drives
  /// work of springs plus the change of their stored energy; not 0 because of damping and the error of the time step
  IMP_ENERGY_SPRING,
  IMP_ENERGY_USER,        ///< work of the rows that the caller sets, see ImpUserRow
  IMP_ENERGY_CONTACT,     ///< work of normal rows that do not bounce: inelastic impacts
  IMP_ENERGY_RESTITUTION, ///< work of normal rows that bounce
  IMP_ENERGY_FRICTION,    ///< work of friction and rolling resistance of contacts, and of dry friction of coordinates
  /// work of kinematic bodies, and of rotating bodies of inertia 0, on other bodies
  IMP_ENERGY_KINEMATIC,
  IMP_ENERGY_BIAS,       ///< work of the correction of position errors through velocities
  IMP_ENERGY_PROJECTION, ///< change of potential energy by corrections of positions
  IMP_ENERGY_STIFFNESS,  ///< effect of the inertia that `geometric_stiffness` adds to light links
  IMP_ENERGY_OUTSIDE,    ///< changes between steps: objects moved, made or put to sleep; faults
  IMP_ENERGY_COUNT
} ImpEnergyCause;
/// Return a cause's name: "applied", "damping", ...
IMP_API const char *imp_energy_cause_name(int cause);
/// Energy ledger [J]: `before` + sum of `cause` = `after`, except for rounding. Destruction and teleports inside a step
/// are in IMP_ENERGY_OUTSIDE of the next step.
typedef struct ImpAudit {
  double cause[IMP_ENERGY_COUNT];
  double before, after; ///< kinetic plus potential energy
  double worst;         ///< largest energy that one row or body added in one step; 0: none
  ImpEnergyCause worst_cause;
  ImpJoint joint; ///< joint, contact or body that added `worst`; the others are null
  ImpContact contact;
  ImpBody body;
} ImpAudit;
/// Read the ledger of the last step, or, if `whole`, of all steps since `auditing` was set. Error: IMP_ERR_STATE if
/// `auditing` is false.
IMP_API ImpStatus imp_world_audit(const ImpWorld *world, bool whole, ImpAudit *out_audit);

#endif
