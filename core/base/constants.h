// Every tolerance and limit of the library, with its unit, its reason and the effect of other values.
#ifndef IMPI_CONSTANTS_H
#define IMPI_CONSTANTS_H

// Largest separation at which two surfaces get a manifold [m]; larger than that of resting bodies.
#define IMPI_SPECULATIVE_MARGIN 0.02

// A contact begins to touch if its separation is at most IMPI_TOUCH_BEGIN (sensor: 0) [m].
// A touching contact ends if its separation exceeds IMPI_TOUCH_END [m].
#define IMPI_TOUCH_BEGIN 0.001
#define IMPI_TOUCH_END 0.005

// Largest penetration at which a one-way shape supports a body [m]
#define IMPI_ONE_WAY_DEPTH 0.01

// Largest separation at which a fast approaching contact point gets rows [m].
// Larger: rows stop bodies that only pass by. Smaller: bouncing bodies stop for a step.
#define IMPI_FAST_TOUCH 0.0005

// Relative motion of a pair up to which its manifold is refreshed instead of recomputed [m].
// For a body of 1 m, the error of a refreshed separation is at most 0.5 um, the position error of a contact point 1 mm.
#define IMPI_REFRESH_DISTANCE 0.001
// The relative motion must also be at most this fraction of the smaller body's extent.
#define IMPI_REFRESH_PART 0.01

// Largest gap and step between pieces that form one surface [m]
#define IMPI_INTERNAL_EDGE_GAP 0.001

// Margin of a proxy's fat box: IMPI_FAT_PART times half the longer side, at most IMPI_FAT_MARGIN [m]
#define IMPI_FAT_PART 0.125
#define IMPI_FAT_MARGIN 0.05

// Largest displacement in a step of a body that is not swept [m]. Larger: fast bodies penetrate more.
#define IMPI_MOST_STRIDE 0.1

// Largest speed of position corrections [m/s, rad/s].
// Larger: joints that contradict each other throw their bodies out of the world.
#define IMPI_LOCK_SPEED 20.0

// A joint is open if its error exceeds this fraction of its size.
// error: distance of the bodies from positions that its locks and limits allow
// size: twice the extent of the smaller body
// Larger: visible errors are not reported. Smaller: ordinary stretching is reported.
#define IMPI_OPEN_PART 0.05
// A joint is open if its error has grown by this fraction of its size since it was smallest, although the solver
// reports success.
#define IMPI_OPEN_DRIFT 0.02
// Rounding error of float velocities, as a fraction of the largest speed
#define IMPI_SPEED_ROUNDING 1e-6
// An open joint is closed when its error is below this fraction of its size.
#define IMPI_CLOSED_PART 0.01
// A redundant or contradicting lock is reported if its joint's error exceeds IMPI_UNHELD_PART of the joint's size,
// until that error is below IMPI_HELD_PART of the size.
#define IMPI_UNHELD_PART 1e-6
#define IMPI_HELD_PART 5e-7
// While a lock of a joint is reported as not held, this tolerance replaces IMPI_REDUNDANT for all locks of the joint:
//   (IMPI_UNHELD_ANGLE * error of the joint / size of the joint)^2, at most IMPI_MOST_UNHELD
#define IMPI_UNHELD_ANGLE 2
#define IMPI_MOST_UNHELD 0.01
// If the error that the soft solver measured in float exceeds IMPI_OPEN_RECHECK * IMPI_OPEN_PART of the joint's size,
// the error is measured again in double.
#define IMPI_OPEN_RECHECK 0.9

// A row whose direction differs from a locked axis by less than this slope is treated as parallel.
// Smaller: overlaps are resolved along the free axis at 1 / slope times the speed. Larger: flat wedges push too little.
#define IMPI_LOCKED_SLOPE 1e-3
// IMPI_LOCKED_SLOPE for joints, whose directions are exact
#define IMPI_LOCKED_SLOPE_JOINT 1e-6

// A lock is redundant if a linear combination of its row with other rows, sum x_i J_i, is 0 except for rounding:
//   |sum x_i J_i|^2 <= IMPI_REDUNDANT max_i |x_i J_i|^2,   norms in the metric of M^-1
// The value lies between two limits, which spec/core/linalg/test_factor.c shows:
// - independent rows: for the angle of the last weld in a row of n welded rods, |sum|^2 / max is 1 / (4 n^3), which is
//   2.5e-10 for 1000 rods
// - dependent rows: because of rounding, |sum|^2 / max is up to 2.5e-15
#define IMPI_REDUNDANT 1e-13
// If |r|^2 > IMPI_NOT_REDUNDANT |J|^2, row J counts as independent, and the test with IMPI_REDUNDANT is skipped.
// r: part of J orthogonal to the rows before J.
// Smaller: short redundant rows are not recognized. Larger: long chains of welds take more time.
#define IMPI_NOT_REDUNDANT 1e-8

// Largest speed at which contacts push overlapping bodies apart: the greater of IMPI_PUSH_SPEED [m/s] and the speed
// after a free fall of IMPI_PUSH_TIME [s]. Larger: overlapping bodies fly apart. Smaller: a landing body sinks in.
#define IMPI_PUSH_SPEED 3.0
#define IMPI_PUSH_TIME 0.3

// If the core points (without radii) of two shapes are nearer than this [m], the contact normal is that of an edge.
// At 1 km from the origin, rounding turns the direction between points at this distance by up to 1e-6 rad.
#define IMPI_TOUCHING 1e-7

// A point is on a surface, and a ray hits a corner, if their distance is below this value [m].
#define IMPI_GRAZE 1e-9

// Least radius, side length and distance between corners of a shape [m]. Smaller: rounding spoils the normals.
#define IMPI_MIN_LENGTH IMP_MIN_LENGTH

// Largest number of repetitions of a step, each without the bodies that failed so far
#define IMPI_MOST_FAULTS 16

// ---------------------------------------------------------------------------------------------------------------------
// Bounds that setters accept and that the reader of a snapshot checks. The headers impel*.h have
// public bounds, such as IMP_MAX_ARM.
// ---------------------------------------------------------------------------------------------------------------------

// Largest accepted coordinate, size or speed [m, m/s]. A body with |x| or |y| above IMPI_MAX_COORDINATE causes a fault
// event; a body with |x| or |y| above IMPI_WARN_COORDINATE causes a warning event.
#define IMPI_MAX_COORDINATE 1e7
#define IMPI_WARN_COORDINATE 1e6

// Bound of the distance of a centre of mass from the origin, and of a shape's points from the centre of mass [m].
// Coordinates and radii are at most B = IMPI_MAX_COORDINATE, so points are within (4 sqrt 2 + 1) B = 6.7e7 m.
#define IMPI_MAX_REACH 1e8

// Shortest and longest step [s]. Shorter: rounding hides changes.
#define IMPI_MIN_DT 1e-6
#define IMPI_MAX_DT 1.0
#define IMPI_MAX_SUBSTEPS 1000

// Default bound of numbers [SI units]. The product of three such numbers is finite, even in float.
#define IMPI_MAX_NUMBER 1e12

// Largest count. Scripts represent integers exactly up to this value.
#define IMPI_MAX_COUNT 9007199254740991.0

// Least mass [kg]. Smaller: products of inverse masses overflow float.
#define IMPI_MIN_MASS 1e-12

// Largest rotation in a motion whose time of impact is computed [rad]: a thousand turns
#define IMPI_MAX_TURN 6300.0

// Bound of speeds, inertias and inverse inertias, against overflow; start value of searches for a minimum
#define IMPI_HUGE 1e30

// A body may fall asleep if its fastest point has been slower than IMPI_SLEEP_SPEED max(1, e) [m/s] for IMPI_SLEEP_TIME
// [s]. e: the body's extent [m].
#define IMPI_SLEEP_SPEED 0.05
#define IMPI_SLEEP_TIME 0.5

// Largest distance [length units] and angle [rad] by which a body that falls asleep would have moved on.
// Length unit: the body's extent, at most 1 m. Larger: slow bodies stop too early.
#define IMPI_SLEEP_MOVE 1e-3

// Largest acceleration of a body that falls asleep [length units / s^2, rad/s^2].
// Larger: a body that reverses falls asleep. Smaller: jittering stacks stay awake.
#define IMPI_SLEEP_ACCELERATION 1e-4

// Displacement that may be rounding error [length units, rad]
#define IMPI_SLEEP_STILL 3e-7

// If a setter changes a body's velocity by at most this value [m/s], the sleep timer continues.
#define IMPI_SLEEP_CHANGE 1e-3

// Number of windows of the sleep test, which together last IMPI_SLEEP_TIME
#define IMPI_REST_WINDOWS 3

// A jittering body falls asleep after IMPI_JITTER_WINDOWS windows if its net displacement over all these windows is
// below IMPI_JITTER_NET, and its displacement in the last window is below IMPI_JITTER_MOVE [length units, rad].
#define IMPI_JITTER_WINDOWS 15
#define IMPI_JITTER_NET 2e-4
#define IMPI_JITTER_MOVE 1e-4

// The restitution threshold is proportional to the acceleration along the normal, or to this fraction of the whole
// acceleration if that is larger. Smaller: bodies pressed sideways bounce.
#define IMPI_GAIN_ASIDE 0.5f

// Steps above this length have more substeps by default [s].
#define IMPI_LONG_STEP (1.0 / 30)

// Number of contacts and joints in the previous step below which a step runs on one thread
#define IMPI_PARALLEL_CONSTRAINTS 1000

// Distance that movers keep from obstacles [m], larger than rounding errors
#define IMPI_MOVER_SKIN 1e-3
// A mover touches a surface if their separation is below IMPI_MOVER_SKIN plus this distance [m].
#define IMPI_MOVER_TOUCH 1e-3
// Depth below the top of a one-way shape up to which a mover stands on it [m]
#define IMPI_MOVER_ONE_WAY 5e-3
// Time for which one-way shapes let a mover pass after a drop request [s]; the mover falls 5 cm in this time
#define IMPI_MOVER_DROP_TIME 0.1
// Margin around a mover's path in the search for moving bodies [m]; 30 m/s in 1/60 s
#define IMPI_MOVER_REACH 0.5
// A dynamic body is below a mover, and carries it instead of being blocked, if the y component of the normal towards
// the mover exceeds this value.
#define IMPI_MOVER_BELOW 0.5
// Speed away from the ground above which a mover has taken off [m/s].
#define IMPI_MOVER_LEAVE 0.1
// Ground that moves by at least this distance [m] between two steps counts as teleported and carries no mover.
#define IMPI_MOVER_CARRY 0.1
// Largest component of a mover's own velocity in the air [m/s]; just after take-off it may be twice as large.
#define IMPI_MOVER_FASTEST 1e8

// Larger numbers of a drive, field or constraint are implausible [SI units].
#define IMPI_IMPLAUSIBLE 1e6

#endif
