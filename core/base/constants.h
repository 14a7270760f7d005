// Every tolerance and limit of the library, with its unit, its reason and the effect of other values.
#ifndef IMPI_CONSTANTS_H
#define IMPI_CONSTANTS_H

// Largest separation at which two surfaces get a manifold [m]; larger than that of resting bodies.
#define IMPI_SPECULATIVE_MARGIN 0.02

// Separation below which a contact begins to touch, and above which one without impulse ends [m].
#define IMPI_TOUCH_BEGIN 0.001
#define IMPI_TOUCH_END 0.005

// Largest penetration at which a one-way shape still supports a body [m]; larger than at rest.
#define IMPI_ONE_WAY_DEPTH 0.01

// Largest separation at which a fast approaching contact point gets rows [m]. The continuous stage handles others.
// Larger: rows stop bodies that only pass by. Smaller: bouncing bodies stop a step longer.
#define IMPI_FAST_TOUCH 0.0005

// Relative motion of a pair up to which its manifold is refreshed instead of recomputed [m].
// The error of a separation is at most 0.5 um for a body of 1 m, that of a contact point at most 1 mm.
#define IMPI_REFRESH_DISTANCE 0.001
// Relative motion of a pair up to which its manifold is refreshed, as a fraction of the extent of the smaller body.
// Larger: a body of a few millimetres slides off its floor before its manifold is recomputed.
#define IMPI_REFRESH_PART 0.01

// Largest gap at which pieces that cannot move relative to each other form one surface, and largest height of a step
// between them that is ignored [m]. Larger: higher steps are treated as smooth, and wider slits have no effect.
#define IMPI_INTERNAL_EDGE_GAP 0.001

// A proxy has a fat box, which contains the box of its piece and a margin: IMPI_FAT_PART times half the longer side of
// the box, at most IMPI_FAT_MARGIN [m]. Larger: fat boxes are replaced less often, and more fat boxes overlap although
// their pieces never touch.
#define IMPI_FAT_PART 0.125
#define IMPI_FAT_MARGIN 0.05

// Largest displacement in a step up to which a body is not swept by the continuous stage [m]. Larger: fast bodies
// penetrate by up to this distance before contact rows act. Smaller: more bodies are swept.
#define IMPI_MOST_STRIDE 0.1

// Largest speed of position corrections [m/s, rad/s]: in the soft solver, the speed at which a lock corrects its error;
// in the reduced solver, the speed that a correction gives a body. In the soft solver at 60 Hz the speed limits the
// correction of errors of more than 0.3 m. Larger: joints that contradict each other throw their bodies out of the
// world.
#define IMPI_LOCK_SPEED 20.0

// A joint is open when its error exceeds this fraction of its size. The error is the distance of the bodies from
// positions that the locks and limits of the joint allow. The size is twice the extent of the smaller body that the
// joint moves. Larger: visible errors are not reported. Smaller: stretching under an ordinary load is reported.
#define IMPI_OPEN_PART 0.05
// A joint is also open when its error has grown by this fraction of the joint's size since the error was smallest,
// although the solver reported in each step that the joint's rows are solved.
#define IMPI_OPEN_DRIFT 0.02
// Rounding error of velocities that are computed in float (single precision), as a fraction of the largest speed.
// Smaller velocity errors are ignored.
#define IMPI_SPEED_ROUNDING 1e-6
// An open joint is closed again when its error is below this fraction of the joint's size. Larger: a joint that
// oscillates is reported often.
#define IMPI_CLOSED_PART 0.01
// A lock that is redundant or that contradicts other locks cannot be corrected. The lock is reported when the error of
// its joint exceeds IMPI_UNHELD_PART of the joint's size, until the error is below IMPI_HELD_PART of the size. Rounding
// alone makes an error of 1e-12 of the size.
#define IMPI_UNHELD_PART 1e-6
#define IMPI_HELD_PART 5e-7
// While a lock is reported, the direction of its row may differ from a combination of other rows by an angle, and the
// lock is still redundant. The largest angle is IMPI_UNHELD_ANGLE times the joint's error divided by the joint's size
// [rad], but at most sqrt(IMPI_MOST_UNHELD) = 0.1 rad. Smaller: a parallelogram linkage whose third crank is 1 mm too
// long stops in the middle of a swing.
#define IMPI_UNHELD_ANGLE 2
#define IMPI_MOST_UNHELD 0.01
// The soft solver measures the errors of joints in float, several joints at a time. A joint whose error is above this
// fraction of IMPI_OPEN_PART is listed and measured again in double.
#define IMPI_OPEN_RECHECK 0.9

// If the direction of a row differs from a locked axis of a body by less than this slope, the row is treated as
// parallel to the axis. Smaller: an overlap with a normal nearly along the locked axis is resolved by motion along the
// other axis, at 1 / slope times the speed. Larger: flat wedges, as at the side of a rail, push less than they should.
#define IMPI_LOCKED_SLOPE 1e-3
// Value of IMPI_LOCKED_SLOPE for joints. The directions of joints are exact and pass through all angles, so this slope
// covers rounding errors only.
#define IMPI_LOCKED_SLOPE_JOINT 1e-6

// A lock is redundant where a linear combination of its row with other rows, sum x_i J_i, is 0 except for rounding. The
// test is
//   |sum x_i J_i|^2 <= IMPI_REDUNDANT max_i |x_i J_i|^2,   norms in the metric of M^-1
// Rows are eliminated one after another. What remains of the last row of a combination is compared with the longest of
// its terms. The result therefore does not depend on the order of the rows, on their units, or on levers and inertias
// that make one row longer than another. Two rails whose directions differ by the angle eps leave a remainder of eps^2,
// so that rails within 3e-7 rad are treated as one rail. All solvers with a factor, the `reduced` solver, corrections
// of positions, `mobility` and `doctor` use this test. Its value lies between two limits, which
// spec/core/linalg/test_factor.c shows:
// - Combinations that are small and yet independent: in n rods welded in a row, the angle of the last weld leaves a
//   remainder of 1 / (4 n^3), 2.5e-10 for 1000 rods. If an independent row is dropped, its lock is not held.
// - Rounding of dependent rows: it leaves at most 2.5e-15, in welded loops of a hundred bodies and with a thousand rows
//   given twice. If a dependent row is kept, contradicting position errors make impulses of the size 1 / remainder.
#define IMPI_REDUNDANT 1e-13
// If the remainder of a row after elimination exceeds this fraction of the row's own |J|^2, the row is independent
// without the comparison of IMPI_REDUNDANT. Smaller: a redundant row that comes last and is much shorter than the
// other terms is not recognized. Larger: long chains of welded bodies take more time.
#define IMPI_NOT_REDUNDANT 1e-8

// Largest speed at which contacts push overlapping bodies apart: the greater of IMPI_PUSH_SPEED [m/s] and the speed
// after a free fall of IMPI_PUSH_TIME [s]. Larger: bodies that overlap when they are created fly apart. Smaller: a
// body that lands sinks in.
#define IMPI_PUSH_SPEED 3.0
#define IMPI_PUSH_TIME 0.3

// Core points are points of shapes without their radii. If the distance of the closest core points of two shapes is
// below this [m], the contact normal is the normal of an edge instead of the direction between the points. Rounding of
// coordinates of 1 km (1e-13 m) turns the direction of points at this distance by up to 1e-6 rad.
#define IMPI_TOUCHING 1e-7

// A point nearer than this to a surface is on it, and a ray that passes a corner at a smaller distance hits it [m]. The
// value is far above the rounding of coordinates of 1 km (1e-13 m), and too small to be visible.
#define IMPI_GRAZE 1e-9

// A feature of a shape shorter than this is an error [m], because at a distance of 1 km from the origin, the normals of
// shorter edges have lost half their digits by rounding.
#define IMPI_MIN_LENGTH IMP_MIN_LENGTH

// Largest number of times that a step is solved again without the body whose state became non-finite. Each repetition
// may disable bodies of many islands.
#define IMPI_MOST_FAULTS 16

// ---------------------------------------------------------------------------------------------------------------------
// Bounds that setters accept and that the reader of a snapshot checks. The headers impel*.h have
// public bounds, such as IMP_MAX_ARM.
// ---------------------------------------------------------------------------------------------------------------------

// Largest coordinate, size or speed that is accepted [m, m/s]: a body beyond 1e7 m causes a fault event, a body beyond
// 1e6 m a warning event.
#define IMPI_MAX_COORDINATE 1e7
#define IMPI_WARN_COORDINATE 1e6

// Bound of two distances in a valid world [m]: of a body's centre of mass from the origin, and of a point of a shape
// from its body's centre of mass. Coordinates and radii of shapes are at most B = IMPI_MAX_COORDINATE, so the farthest
// point of a rounded piece is at most (4 sqrt 2 + 1) B = 6.7e7 m from the centre of the body.
#define IMPI_MAX_REACH 1e8

// Shortest and longest step [s]. Shorter: the changes in a step are lost in the rounding of a pose. Longer: nothing is
// stable.
#define IMPI_MIN_DT 1e-6
#define IMPI_MAX_DT 1.0
#define IMPI_MAX_SUBSTEPS 1000

// Bound of a number that has no bound of its own [SI units]; the product of three such numbers is finite.
#define IMPI_MAX_NUMBER 1e12

// Largest count. Scripts represent integers exactly up to this value.
#define IMPI_MAX_COUNT 9007199254740991.0

// Least mass of a body [kg]. With a smaller mass, products of inverse masses could leave the range of float, in which
// the soft solver computes.
#define IMPI_MIN_MASS 1e-12

// Largest rotation of a body in a motion whose time of impact is computed [rad]: a thousand turns. Larger: the search
// does not have enough steps.
#define IMPI_MAX_TURN 6300.0

// Bound against overflow, in any unit, of speeds after a step or an impulse, sums of masses and inertias, and
// reciprocals.
#define IMPI_HUGE 1e30

// Sleep: a body may fall asleep when the speed of its fastest point has been below IMPI_SLEEP_SPEED [m/s] for
// IMPI_SLEEP_TIME [s]. The bound of the speed is multiplied by the extent of the body in metres if the extent is above
// 1 m.
#define IMPI_SLEEP_SPEED 0.05
#define IMPI_SLEEP_TIME 0.5

// Largest distance [length units] and largest angle [rad] by which a body that falls asleep would have moved on. The
// length unit is the extent of the body, but at most 1 m. Larger: slow springs and slow bodies stop too early.
#define IMPI_SLEEP_MOVE 1e-3

// Largest acceleration of a body that falls asleep [length units / s^2, rad/s^2]. Larger: a body that is about to
// reverse its direction, or that a weak force has just begun to move, falls asleep. Smaller: stacks that tremble by
// less than a micrometre stay awake.
#define IMPI_SLEEP_ACCELERATION 1e-4

// Displacement in a time window of the sleep test below which a body is motionless (units of IMPI_SLEEP_MOVE), because
// the displacement may be rounding error only.
#define IMPI_SLEEP_STILL 3e-7

// Largest change of velocity by a setter that does not reset the sleep timer of an awake body [m/s].
#define IMPI_SLEEP_CHANGE 1e-3

// Number of time windows, which together last IMPI_SLEEP_TIME, in which the displacement of a body is measured before
// it falls asleep.
#define IMPI_REST_WINDOWS 3

// A body that trembles falls asleep after IMPI_TREMBLE_WINDOWS windows if its displacement over all of these windows is
// below IMPI_TREMBLE_NET and its displacement in the last window is below IMPI_TREMBLE_MOVE, in the units of
// IMPI_SLEEP_MOVE.
#define IMPI_TREMBLE_WINDOWS 15
#define IMPI_TREMBLE_NET 2e-4
#define IMPI_TREMBLE_MOVE 1e-4

// A contact does not bounce if its speed of approach is below the restitution threshold. The threshold is proportional
// to the acceleration of the bodies along the normal, or to this fraction of the whole acceleration if that is larger.
// Smaller: the bodies of a heap that press on each other sideways bounce.
#define IMPI_GAIN_ASIDE 0.5f

// Length of a step above which the step has more substeps by default [s], because the penetration of a soft contact
// grows with the square of the substep.
#define IMPI_LONG_STEP (1.0 / 30)

// Number of contacts and joints in the previous step below which a step runs on one thread. Such a step takes about 0.2
// ms; waking workers and waiting for them would cost as much time as they save.
#define IMPI_PARALLEL_CONSTRAINTS 1000

// Distance that movers keep from obstacles [m], so that rounding does not turn contact into overlap. The distance is
// too small to be visible.
#define IMPI_MOVER_SKIN 1e-3
// A mover touches a surface if their separation is below IMPI_MOVER_SKIN plus this distance [m].
#define IMPI_MOVER_TOUCH 1e-3
// Largest depth below the top of a one-way shape at which a mover still stands on the shape [m]: more than a mover ever
// penetrates, less than a mover falls in the shortest jump through the shape.
#define IMPI_MOVER_ONE_WAY 5e-3
// Time for which one-way shapes do not stop a mover after a drop request [s]. In this time a mover falls 5 cm, so that
// the mover passes only one shape.
#define IMPI_MOVER_DROP_TIME 0.1
// Margin around a mover's path in which the mover searches for kinematic and dynamic bodies, because they may come
// nearer during the step [m]. The margin is the path of a body at 30 m/s in a step of 1/60 s.
#define IMPI_MOVER_REACH 0.5
// A dynamic body in contact with a mover is below the mover if the y component of the normal towards the mover exceeds
// this value. Such a body carries the mover's weight, as a force, and can lift the mover. The mover does not block the
// body.
#define IMPI_MOVER_BELOW 0.5
// Speed away from the ground above which a mover has taken off [m/s].
#define IMPI_MOVER_LEAVE 0.1
// Displacement of the ground between steps above which the ground has been teleported and does not carry a mover [m].
#define IMPI_MOVER_CARRY 0.1
// Largest component of a mover's own velocity in the air [m/s]: the width of the world in a fifth of a second.
#define IMPI_MOVER_FASTEST 1e8

// Larger numbers of a drive, a force field or a custom constraint are implausible [SI units], because no machine has
// such speeds, lengths or forces. An implausible number is a possible cause of non-finite state.
#define IMPI_IMPLAUSIBLE 1e6

#endif
