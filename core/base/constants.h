// Every tolerance and limit of the library, with its size, its reason and what changes when it changes.
#ifndef IMPI_CONSTANTS_H
#define IMPI_CONSTANTS_H

// How far apart two surfaces may be and still make a manifold [m]. A body at rest leaves its neighbour's surface by
// less; larger margins catch faster bodies and make more points that do nothing.
#define IMPI_SPECULATIVE_MARGIN 0.02

// Separation below which a contact counts as touching [m], and above which (without an impulse) it no longer does. Two
// values, so that resting contacts do not toggle.
#define IMPI_TOUCH_BEGIN 0.001
#define IMPI_TOUCH_END 0.005

// How deep a body may be in a one-way shape and still stand on it [m]: more than what it sinks in at rest. Larger: what
// jumps from below and turns round just short of the top is lifted onto it by as much.
#define IMPI_ONE_WAY_DEPTH 0.01

// The same for a body that comes fast [m]: what is farther is left to the continuous stage. Larger: it is held off by
// what it would only pass by. Smaller: what bounces rests a step more often.
#define IMPI_FAST_TOUCH 0.0005

// How far a pair may move, relative to each other, before its manifold is found anew instead of refreshed [m]. The
// error is of second order: half a micrometre in separation for bodies of 1 m, a millimetre in where an edge ends.
#define IMPI_REFRESH_DISTANCE 0.001
// And never more than this part of the smaller body: one of millimetres would slide off its floor meanwhile.
#define IMPI_REFRESH_PART 0.01

// Pieces that cannot move against each other are one surface where they are no farther apart than this, and a step of
// less between them is none [m]. Larger: coarser levels are smooth; a real slit of that width is not felt.
#define IMPI_SEAM 0.001

// How far a proxy's fat box reaches beyond the surroundings in which its shape is to meet others: a part of half the
// longer side of its box, and at most so much [m]. Larger: boxes are made anew less often, and more pairs are near that
// never meet.
#define IMPI_FAT_PART 0.125
#define IMPI_FAT_MARGIN 0.05

// How far a body may go in a step before it is swept, at most [m]. Larger: what comes fast sinks in by as much before rows
// see it. Smaller: more is swept.
#define IMPI_MOST_STRIDE 0.1

// How fast a lock of soft pulls a gap shut [m/s, rad/s]. It bears on gaps of 0.3 m and more at 60 Hz: joints that
// contradict each other then tear at their bodies instead of throwing them out of the world. Functions of the user's own
// have units of their own and are not bounded.
#define IMPI_LOCK_SPEED 20.0

// A joint is open where its bodies are farther from what its locks and limits allow than this part of its size, which is
// twice the extent of the smaller body that it moves: see step_open.c. Larger: what everybody sees is not reported.
// Smaller: what stretches under an ordinary load is.
#define IMPI_OPEN_PART 0.05
// And where the error has grown by this part from its least while the solver said in each step that its rows are solved.
#define IMPI_OPEN_DRIFT 0.02
// Velocities of float lanes are rounded by this part of the largest speed; a smaller velocity error is rounding.
#define IMPI_SPEED_ROUNDING 1e-6
// An open joint whose error is below this part is closed. Nearer to the two above: one that trembles is reported often.
#define IMPI_CLOSED_PART 0.01
// A lock that the solver dropped as redundant, or could not correct as it contradicts others, is reported where the
// error of its joint exceeds this part of the joint's size: rounding leaves 1e-12. It is held again below the other
// part.
#define IMPI_UNHELD_PART 1e-6
#define IMPI_HELD_PART 5e-7
// Rows of such a lock are redundant if they differ from others by an angle less than so many times that part, up to this
// pivot (0.1 rad). With 1e-13 for them, a parallelogram whose third crank is 1 mm too long stopped in the middle of a swing.
#define IMPI_UNHELD_ANGLE 2
#define IMPI_MOST_UNHELD 0.01
// Joints that soft reports to be looked at: those beyond this share of IMPI_OPEN_PART, as float lanes measure them.
#define IMPI_OPEN_DOUBT 0.9

// A row's direction that leaves a locked axis by less than this slope is along it: nothing gives way. Smaller: what
// overlaps along the axis is shot apart along the other one, at 1 / slope times the speed; at a slope that is a rounding
// error, out of the world. Larger: flat wedges, as at the side of a rail, push less than they should.
#define IMPI_LOCKED_SLOPE 1e-3
// The same of joints. They are exact, and pass through all angles: rounding errors only.
#define IMPI_LOCKED_SLOPE_JOINT 1e-6

// A lock is redundant where a combination of its row with others, sum x_i J_i, is 0 except for rounding. The test is
//   |sum x_i J_i|^2 <= IMPI_REDUNDANT max_i |x_i J_i|^2,   norms in the metric of M^-1
// Rows are eliminated one after another, and the remainder of the last row of a combination is compared with the
// longest of its terms. The result therefore does not depend on the order of the rows, on their units, or on levers and
// inertias that make one row longer than another. Two rails whose directions differ by the angle eps leave eps^2, so
// that rails within 3e-7 rad count as one. All solvers with a factor, `reduced`, corrections of positions, mobility and
// the doctor use this test. Its value lies between two limits, which spec/core/linalg/test_factor.c shows:
// - Combinations that are small and yet independent: n rods welded in a row leave 1 / (4 n^3) for the angle of the last
//   weld, 2.5e-10 for 1000. If an independent row is dropped, its lock is not held.
// - Rounding of dependent rows: 2.5e-15 at most, in welded loops of a hundred bodies and with a thousand rows given
//   twice. If such a row is kept, contradicting position errors make impulses of the size 1 / remainder.
#define IMPI_REDUNDANT 1e-13
// A remainder of more than this part of a row's own |J|^2 is accepted without comparison: the terms of a combination
// are assumed to be no more than 1e5 times longer than the row that ends it. Smaller: with an order of elimination that
// ends in such a row, its redundancy is missed. Larger: long rows of welds take more time.
#define IMPI_NOT_REDUNDANT 1e-8

// Overlap is pushed apart no faster than this [m/s], or than a fall of this time [s], which is as much where g is 10 m/s^2.
// Faster: what was created overlapping is shot apart. Slower: a body that lands sinks in.
#define IMPI_PUSH_SPEED 3.0
#define IMPI_PUSH_TIME 0.3

// Below this distance of two core points the direction between them is mostly rounding [m] (1e-13 at 1 km), and the
// normal of a nearby edge is used instead.
#define IMPI_TOUCHING 1e-7

// What is nearer than this to a surface is on it, and what passes a corner by less than this touches it [m]. Above the
// rounding of coordinates of 1 km (1e-13) many times, and far below what can be seen.
#define IMPI_GRAZE 1e-9

// A feature shorter than this is an error [m]: below it, edge normals lose half their digits at 1 km.
#define IMPI_MIN_LENGTH IMP_MIN_LENGTH

// How often a step is solved anew without a body whose numbers blew up, at most. Each time may take out bodies of many
// islands; what still blows up then is taken out as it is found.
#define IMPI_MOST_FAULTS 16

// ---------------------------------------------------------------------------------------------------------------------
// Bounds: what a setter accepts and a snapshot's reader takes for a valid world. Both use the property tables
// (properties.c, field_table.c, world_mover.c). Bounds of other numbers have a name below, or an IMP_MAX_ in impel.h and
// its chapters; IMP_MAX_ARM bounds arms and separations of contacts too. No bound is written twice.
// ---------------------------------------------------------------------------------------------------------------------

// The largest coordinate, size or speed that is accepted [m, m/s]. Exact to 1e6 m, a fault beyond 1e7.
#define IMPI_MAX_COORDINATE 1e7
#define IMPI_WARN_COORDINATE 1e6

// How far a body's centre of mass may be from the origin in a world that is whole, and a point of a shape from its body's
// centre [m]. A body at the edge of the world whose shapes draw its centre outwards is that far out until the next step
// reports it. Points of shapes and their radii are at most IMPI_MAX_COORDINATE: the farthest corner of a rounded one is
// (2 sqrt 2 + 1) times that from the centre of its piece, and that 2 sqrt 2 times that from the body's: 6.7e7.
#define IMPI_MAX_REACH 1e8

// Length of a step [s]: below, what a step changes is lost in the rounding of a pose; above, nothing is stable.
#define IMPI_MIN_DT 1e-6
#define IMPI_MAX_DT 1.0
#define IMPI_MAX_SUBSTEPS 1000

// A number that has no bound of its own [SI units]: products of three are finite. One that is a ratio: IMP_MAX_RATIO.
#define IMPI_MAX_NUMBER 1e12

// Numbers that scripts count with are exact up to here.
#define IMPI_MAX_COUNT 9007199254740991.0

// The least mass of a body [kg]: lighter, its inverse leaves the range of the float lanes.
#define IMPI_MIN_MASS 1e-12

// The most that a body may turn in the motion that a time of impact is asked for [rad]: a thousand rounds. Beyond it the
// search has no steps left that are short enough.
#define IMPI_MAX_TURN 6300.0

// Overflow: speeds after a step or an impulse, sums of masses and inertias, and reciprocals are below this, in any unit.
#define IMPI_HUGE 1e30

// Sleep: a body may fall asleep when its fastest point has been slower than this [m/s], times its extent where that is
// above 1 m, for this long [s].
#define IMPI_SLEEP_SPEED 0.05
#define IMPI_SLEEP_TIME 0.5

// It falls asleep only if it would move no farther than this, if nothing changed [m and rad, times its extent in m where that
// is below 1]. Larger: slow springs and slow bodies stop too early.
#define IMPI_SLEEP_MOVE 1e-3

// It accelerates by no more than this, in the same units [1/s^2]. Larger: what turns round, and what a weak force has just
// begun to move, stops. Smaller: stacks that tremble by less than a micrometre stay awake.
#define IMPI_SLEEP_ACCELERATION 1e-4

// A displacement in a window that is no more than rounding, in the same units.
#define IMPI_SLEEP_STILL 3e-7

// A velocity that is set and differs by less than this is the one that an awake body at rest has [m/s].
#define IMPI_SLEEP_CHANGE 1e-3

// Windows in which the way of a body is measured before it falls asleep.
#define IMPI_REST_WINDOWS 3

// A body that trembles falls asleep after this many windows if it has moved no farther than NET over all of them and no
// farther than MOVE in the last one, in the units of IMPI_SLEEP_MOVE.
#define IMPI_TREMBLE_WINDOWS 15
#define IMPI_TREMBLE_NET 2e-4
#define IMPI_TREMBLE_MOVE 1e-4

// This part of a body's acceleration counts for the restitution threshold in every direction: bodies of a heap press on each
// other sideways, too, and would tremble.
#define IMPI_GAIN_ASIDE 0.5f

// A longer step than this has more substeps by default [s]: a soft contact sinks in by the square of its substep.
#define IMPI_LONG_STEP (1.0 / 30)

// With fewer contacts and joints than this that acted in the step before, a step runs on one thread: it takes some two
// tenths of a millisecond, of which waking workers and waiting for them would cost as much as they win. Smaller: small
// scenes keep processors busy for nothing.
#define IMPI_PARALLEL_CONSTRAINTS 1000

// How far movers keep off what they meet [m]: rounding never makes an overlap of it, and nobody sees it.
#define IMPI_MOVER_SKIN 1e-3
// A surface nearer than the skin and this is touched [m].
#define IMPI_MOVER_TOUCH 1e-3
// How far below the top of a one-way shape a mover may be and still stand on it [m]: more than it ever sinks in, less
// than it falls in the shortest jump through one.
#define IMPI_MOVER_ONE_WAY 5e-3
// How long one-way shapes let a mover fall that asked for it [s]: 5 cm, so that it does not pass two at once.
#define IMPI_MOVER_DROP_TIME 0.1
// How far from what moves by itself a mover looks for it, besides its own way [m]: a step of 30 m/s at 60 Hz.
#define IMPI_MOVER_REACH 0.5
// What touches a mover with a normal whose y is more than this is below it: it bears the mover's weight, as a force, and
// lifts the mover, who never bars its way.
#define IMPI_MOVER_BELOW 0.5
// Faster than this away from the ground it has taken off [m/s].
#define IMPI_MOVER_LEAVE 0.1
// Ground that was put elsewhere by more than this since the last step does not carry a mover along [m].
#define IMPI_MOVER_CARRY 0.1
// A mover falls no faster than across the world in a fifth of a second [m/s]; where it took off it may be twice as fast.
#define IMPI_MOVER_FASTEST 1e8

// Above this a drive, a field or a law is absurd: no machine has such speeds, lengths or forces [SI units].
#define IMPI_ABSURD 1e6

#endif
