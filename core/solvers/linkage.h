// Linkages: trees of bodies connected by joints, moved by the coordinates that the joints leave free.
//
// Every awake dynamic body is a link. One joint attaches it to its base: another link (its parent), or a body that
// impulses do not move. A link without such a joint floats: its coordinates are its centre and angle in the world,
// along the axes that are not locked. A body with a locked axis always floats. The coordinates of a link are those of
// its joint: x, y of B's anchor along A's axes, and the angle. Coordinates that the joint does not lock are free.
//
// Planar vectors (x, y, w) are a velocity, or a force and a torque, of a body about its centre of mass. With p the
// pivot (B's anchor), r_p and r_c the levers from the parent's and the child's centre of mass to the pivot, u the axis,
// s = +1 if the child is the joint's b and -1 if it is the joint's a, and w_A the angular velocity of the joint's a:
//   velocity      v_c = v_p + w_p x r_p - w_c x r_c + s (u x' + left(u) y'),   w_c = w_p + s angle'
//                 or (v_c, w_c) = X (v_p, w_p) + S q',  where X contains the arm r_p - r_c
//   acceleration  the same formula for a, plus c = -w_p^2 r_p + w_c^2 r_c + 2 s w_A x (u x' + left(u) y')
// A body that torques do not turn (inv_inertia = 0) does not turn with its parent: its arm is r_p, and its w is
// independent of w_p.
//
// Articulated bodies, from the leaves to the root and back. P is the load; S_k, U_k, D_k belong to one coordinate:
//   inertia       U_k = I S_k,  D_k = S_k . U_k + R_k (armature),  I -= U_k U_k^T / D_k,   parent: I += X^T I X
//   inward        u_k = S_k . P,  P -= U_k u_k / D_k,                     parent: P += X^T P
//   outward       v = X v_parent,  q'_k = (u_k - U_k . v) / D_k,  v += S_k q'_k
// If P contains impulses, v contains velocities. If P contains forces minus M c, v contains accelerations (c: `bias`).
// source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), ch. 7; several coordinates of one joint are a chain of
// joints with massless bodies between them.
#ifndef IMPI_LINKAGE_H
#define IMPI_LINKAGE_H

#include "model/island.h"
#include "model/solver.h"

typedef struct ImpiTwist {
  double x, y, w;
} ImpiTwist;

typedef struct ImpiLink {
  int32_t body;           // slot
  int32_t joint;          // slot of the joint to the base of the link; -1: the link floats
  int32_t base;           // slot of the base; -1: the link floats
  int32_t parent;         // the link of the base; -1: none
  int32_t root;           // the root link of the tree
  int32_t group;          // index of the link's ImpiTreeGroup
  unsigned locks;         // bits of the coordinates that the joint locked at the beginning of the step
  int free;               // number of free coordinates
  int axis[3];            // the free coordinates, `free` entries: 0 x, 1 y, 2 angle
  double sign;            // +1: the body is the joint's b, -1: its a
  bool turns;             // torques turn the body: inv_inertia > 0
  bool turns_with_base;   // the body turns with its base
  double q[3];            // coordinates x, y, angle [m, rad]; without `turns_with_base` the angle is that of the body
  double rate[3];         // speeds of the coordinates
  double acceleration[3]; // accelerations of the coordinates, or the last result of impi_linkage_respond
  double rotor[3];        // armature of each coordinate [kg, kg m^2]
  double spin[3];         // speed of the rotor of each coordinate
  // r_p, r_c, arm of X and axis u of the formulas above, at the present pose
  ImpVec2 lever_p, lever_c, arm, u;
  ImpiTwist s[3];     // S_k   (free)
  ImpiTwist along[3]; // U_k   (free)
  double inv_d[3];    // 1 / D_k   (free)
  double inward[3];   // u_k   (free)
  double inertia[6];  // articulated: xx xy yy xw yw ww
  ImpiTwist velocity;
  ImpiTwist at_rest; // velocity if the speeds of all free coordinates are 0
  ImpiTwist bias;    // acceleration if the speeds of all free coordinates are constant
  ImpiTwist load;    // impulse or force on the body; impi_linkage_respond reads and overwrites it
  ImpiTwist twist;   // velocity or acceleration of the body, written by impi_linkage_respond
  ImpiTwist wrench;  // force and torque of the joint on the body, written by impi_linkage_react
} ImpiLink;

// Links that are solved together: all trees that joints connect, or a single tree if the connected trees have too many
// rows.
typedef struct ImpiTreeGroup {
  int32_t first, count; // index of the first link and number of links; parents come before their children
  int32_t block_room;   // number of rows that can be solved together
  bool whole;           // joints do not connect the group to other groups
} ImpiTreeGroup;

typedef struct ImpiLinkage {
  IMPI_ARRAY(ImpiLink) links;
  IMPI_ARRAY(ImpiTreeGroup) groups;
  IMPI_ARRAY(int32_t) link_of;                                             // link of each body, by lane; -1: none
  IMPI_ARRAY(int32_t) first_edge, edges, queue, parent_joint, key, sorted; // used while planning
  ImpiIslands sets;
  double flops; // number of additions and multiplications
} ImpiLinkage;

// Find the trees and groups; ImpiBody.lane must be set. A group with more than `max_block` rows is split into its
// trees. With `handlers`, reserve room for motors and servos that substep handlers may add. Return false if out of
// memory.
bool impi_linkage_plan(ImpiSolve *solve, ImpiLinkage *linkage, int max_block, bool handlers);
void impi_linkage_free(ImpiHeap *heap, ImpiLinkage *linkage);

// Return the link of a body; -1: none.
static inline int32_t impi_link_of(const ImpiSolve *solve, const ImpiLinkage *linkage, int32_t body) {
  int32_t lane = solve->bodies[body].lane;
  return lane > 0 && lane < linkage->link_of.count ? linkage->link_of.data[lane] : -1;
}


void impi_linkage_measure(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group); // compute q from poses
void impi_linkage_place(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group);   // compute poses from q
void impi_linkage_rates(ImpiSolve *solve, ImpiLinkage *linkage,
                        const ImpiTreeGroup *group); // compute rates from motions
// Compute velocities from rates, and write them to links and motions.
void impi_linkage_move(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group);
// Compute the acceleration of each link for constant speeds of all coordinates.
void impi_linkage_bias(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group);
void impi_linkage_factor(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group);
// Compute the response to loads (ImpiLink.load, which is overwritten). For impulses, `twist` gets velocities and
// `acceleration` the speeds of the coordinates. For forces, both get accelerations.
void impi_linkage_respond(ImpiLinkage *linkage, const ImpiTreeGroup *group);
// Project v - h c on the velocities that the joints allow, by impulses of the joints (v: `motions`, c: `bias`). Write
// the resulting velocities and rates to the links; `motions` is not changed.
void impi_linkage_project(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group, double h);
// Compute the wrench of each joint. On input, ImpiLink.load is the force or impulse of all joints on each body. It is
// overwritten.
void impi_linkage_react(ImpiLinkage *linkage, const ImpiTreeGroup *group);

// Return the force or impulse of a locked coordinate of the link's joint, from the wrench of impi_linkage_react.
double impi_link_lock(const ImpiLink *link, int coordinate);
// Return the joint's wrench on its body b, about the centre of mass of b.
ImpiTwist impi_link_wrench_on_b(const ImpiLink *link);

static inline double impi_twist_dot(ImpiTwist a, ImpiTwist b) { return a.x * b.x + a.y * b.y + a.w * b.w; }
static inline ImpiTwist impi_twist_add(ImpiTwist a, double s, ImpiTwist b) {
  return (ImpiTwist){a.x + s * b.x, a.y + s * b.y, a.w + s * b.w};
}
// Return M v. The inertia is 0 for a body that torques do not turn.
static inline ImpiTwist impi_link_momentum(const ImpiSolve *solve, const ImpiLink *link, ImpiTwist v) {
  const ImpiBody *body = &solve->bodies[link->body];
  return (ImpiTwist){body->mass * v.x, body->mass * v.y, link->turns ? body->inertia * v.w : 0};
}
static inline ImpiTwist impi_motion_twist(const ImpiMotion *motion) {
  return (ImpiTwist){motion->vx, motion->vy, motion->w};
}

#endif
