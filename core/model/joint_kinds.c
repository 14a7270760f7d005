// The table of joint kinds: coordinates of each kind, and which of them are locked. A line of the table defines a joint
// in C and in Lua.
#include "model/joint.h"

#define LOCK_0 1u
#define LOCK_1 2u
#define LOCK_2 4u
// Names and kinds of coordinates.
#define PLANAR \
  {"x", "y", "angle"}, { IMP_COORDINATE_X, IMP_COORDINATE_Y, IMP_COORDINATE_ANGLE }
#define PLACE \
  {"x", "y"}, { IMP_COORDINATE_X, IMP_COORDINATE_Y }
#define ANGLE \
  {"angle"}, { IMP_COORDINATE_ANGLE }
#define DISTANCE \
  {"distance"}, { IMP_COORDINATE_DISTANCE }
#define SUM \
  {"sum"}, { IMP_COORDINATE_SUM }
#define ROPES \
  {"sum"}, { IMP_COORDINATE_PULLEY }
#define FRAME (IMP_TAKES_ANCHOR | IMP_TAKES_AXIS | IMP_TAKES_REFERENCE)

static const ImpJointKindInfo kinds[] = {
    [IMP_JOINT_REVOLUTE] = {"revolute", PLANAR, LOCK_0 | LOCK_1, 2, 2, 2, FRAME,
                            "a hinge: the anchors coincide, the angle is free"},
    [IMP_JOINT_PRISMATIC] = {"prismatic", PLANAR, LOCK_1 | LOCK_2, 0, 0, 0, FRAME,
                             "a slider: b moves along an axis fixed in a and does not rotate relative to a"},
    [IMP_JOINT_WELD] = {"weld", PLANAR, LOCK_0 | LOCK_1 | LOCK_2, -1, -1, -1, FRAME,
                        "b is fixed to a, rigidly, or softly by a spring with hertz and damping_ratio"},
    [IMP_JOINT_WHEEL] = {"wheel", PLANAR, LOCK_1, 0, 0, 2, FRAME,
                         "a suspended wheel: b moves on a spring along an axis fixed in a, and rotates freely"},
    [IMP_JOINT_PIN_SLOT] = {"pin_slot", PLANAR, LOCK_1, 0, 0, 0, FRAME,
                            "a pin of b in a straight slot of a: motion along the slot and rotation are free"},
    [IMP_JOINT_DISTANCE] = {"distance", DISTANCE, LOCK_0, 0, 0, 0, IMP_TAKES_ANCHORS | IMP_TAKES_LENGTH,
                            "a rod: the distance between the anchors is constant"},
    [IMP_JOINT_ROPE] = {"rope", DISTANCE, 0, 0, 0, 0, IMP_TAKES_ANCHORS | IMP_TAKES_LENGTH,
                        "a rope: the distance between the anchors is at most `length`"},
    [IMP_JOINT_POSE] = {"pose", PLANAR, 0, 0, 0, 0, FRAME | IMP_TAKES_TARGET | IMP_TAKES_BOUNDS,
                        "servos drive b to a pose given in a's frame, with at most max_force and max_torque"},
    [IMP_JOINT_DRAG] = {"drag", PLACE, 0, 0, 0, 0,
                        IMP_TAKES_ONE_BODY | IMP_TAKES_ANCHOR | IMP_TAKES_TARGET | IMP_TAKES_BOUNDS,
                        "a spring pulls a point of the body to a world point"},
    [IMP_JOINT_GEAR] = {"gear", SUM, LOCK_0, 0, 0, 0, IMP_TAKES_TERMS | IMP_TAKES_RATIO,
                        "couples two coordinates q1 and q2 of other joints: q1 + ratio q2 is constant"},
    [IMP_JOINT_RACK] =
        {"rack", SUM, LOCK_0, 0, 0, 0, IMP_TAKES_TERMS | IMP_TAKES_RATIO,
         "a gear between a sliding coordinate x and a rotating coordinate theta: x = p theta with ratio = -p"},
    [IMP_JOINT_PULLEY] =
        {"pulley", ROPES, LOCK_0, 0, 0, 0, IMP_TAKES_ANCHORS | IMP_TAKES_GROUNDS | IMP_TAKES_RATIO,
         "a rope over two fixed points: len_a + ratio len_b is constant (lengths from each point to its body)"},
    [IMP_JOINT_RATCHET] = {"ratchet", ANGLE, 0, 0, 0, 0, IMP_TAKES_ANCHOR | IMP_TAKES_REFERENCE | IMP_TAKES_PITCH,
                           "the angle changes in one direction only; in the opposite direction it is held at the last "
                           "multiple of `pitch` that it passed"},
    [IMP_JOINT_FRICTION] = {"friction", PLANAR, 0, 0, 0, 0, FRAME | IMP_TAKES_BOUNDS,
                            "motors drive the bodies' relative velocity to 0, with at most max_force and max_torque"},
    [IMP_JOINT_LINEAR] = {"linear", PLANAR, LOCK_2, 0, 0, 0, FRAME, "b moves freely but does not rotate relative to a"},
    [IMP_JOINT_CONSTRAINT] =
        {"constraint", {NULL}, {0}, 0, 0, 0, 0, 0, "a constraint that the user defines by a function or by rows"},
};
IMPI_COVERS(kinds, IMP_JOINT_KIND_COUNT);


const ImpJointKindInfo *imp_joint_kind(int kind) {
  return kind >= 0 && kind < IMP_JOINT_KIND_COUNT ? &kinds[kind] : NULL;
}


const ImpJointKindInfo *impi_kind(uint8_t kind) { return &kinds[kind]; }
