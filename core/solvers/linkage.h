// Linkages: bodies as trees of joints, moved by the coordinates that the joints leave free.
//
// Every awake dynamic body is a link. It hangs by one joint on its parent: another link, a body that no impulse moves,
// or, without a joint, the world itself, in which its centre floats, along the axes that are not locked: a body with a
// locked axis is always a root, and its joints to others than its children are rows. A link's coordinates are the joint's: x, y of B's
// anchor along A's axes and the angle. What the joint locks has the lock's value, always; the rest is free. Poses follow
// from the root outward, so no gap can open in a joint of the tree.
//
// Planar vectors (x, y, w) are a velocity, or a force and a torque, of a body about its centre of mass. With p the pivot
// (B's anchor), r_p and r_c the levers to it from the parent's and the child's centre, u the axis, s = +1 where the child
// is the joint's b, else -1, A the one of the two that is the joint's a:
//   velocity      v_c = v_p + w_p x r_p - w_c x r_c + s (u x' + left(u) y'),   w_c = w_p + s angle'
//                 or (v_c, w_c) = X (v_p, w_p) + S q',  X from the arm r_p - r_c
//   acceleration  the same of a, and c = -w_p^2 r_p + w_c^2 r_c + 2 s w_A x (u x' + left(u) y')
// A body that nothing turns, on a free angle, takes no part in its parent's turning: its arm is r_p, its w its own.
//
// Articulated bodies, from the leaves to the root and back; P is the load, S_k, U_k, D_k of one coordinate at a time:
//   inertia       U_k = I S_k,  D_k = S_k . U_k + R_k (armature),  I -= U_k U_k^T / D_k,   parent: I += X^T I X
//   inward        u_k = S_k . P,  P -= U_k u_k / D_k,                     parent: P += X^T P
//   outward       v = X v_parent,  q'_k = (u_k - U_k . v) / D_k,  v += S_k q'_k
// That gives velocities from impulses, and accelerations from forces less what the bodies' own motion asks for (`bias`).
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
  int32_t body;   // slot
  int32_t joint;  // slot of the joint that it hangs on, -1: it floats
  int32_t base;   // slot of the body that it hangs on, -1: it floats
  int32_t parent; // the link of that body; -1: none
  int32_t root;   // the first link of its tree
  int32_t unit;
  unsigned locks;  // coordinates that the joint held when the step was planned, as bits
  int free;        // how many coordinates are free
  int axis[3];     // which: 0 x, 1 y, 2 angle   (free)
  double sign;     // +1: the body is the joint's b
  bool turns;      // has inertia
  bool carried;    // turns along with what it hangs on
  double q[3];     // x, y, angle; of what is not carried the body's own [m, rad]
  double rate[3];  // their speeds
  double surge[3]; // their accelerations, or the last result of impi_linkage_respond
  double rotor[3]; // armature of each coordinate [kg, kg m^2]
  double spin[3];  // its speed
  // at the present pose
  ImpVec2 lever_p, lever_c, arm, u;
  ImpiTwist s[3];     // S_k   (free)
  ImpiTwist along[3]; // U_k   (free)
  double share[3];    // 1 / D_k   (free)
  double inward[3];   // u_k   (free)
  double inertia[6];  // articulated: xx xy yy xw yw ww
  ImpiTwist velocity;
  ImpiTwist still;  // velocity while all free coordinates rest
  ImpiTwist bias;   // acceleration while all of them move evenly
  ImpiTwist load;   // in: impulse or force on the body
  ImpiTwist twist;  // out: what it does to the body, joints and all
  ImpiTwist wrench; // of the joint on the body, by impi_linkage_react
} ImpiLink;

// Links that are solved together: trees that joints hold to each other, or single trees where that is too much.
typedef struct ImpiUnit {
  int32_t first, count; // links; parents come before their children
  int32_t block_room;   // rows that can be solved at once, see solve_reduced.c
  bool whole;           // no joint leaves it
} ImpiUnit;

typedef struct ImpiLinkage {
  IMPI_ARRAY(ImpiLink) links;
  IMPI_ARRAY(ImpiUnit) units;
  IMPI_ARRAY(int32_t) link_of;                                             // by lane, -1: no link
  IMPI_ARRAY(int32_t) first_edge, edges, queue, parent_joint, key, sorted; // while it is planned
  ImpiIslands sets;
  double flops; // additions and multiplications so far
} ImpiLinkage;

// Find the trees; lanes must be set. `max_block`: units with more rows that want to be solved at once fall apart into
// trees. `handlers`: with room for motors and servos that substep handlers may add. False when out of memory.
bool impi_linkage_plan(ImpiSolve *solve, ImpiLinkage *linkage, int max_block, bool handlers);
void impi_linkage_free(ImpiHeap *heap, ImpiLinkage *linkage);

// The link of a body, -1: none.
static inline int32_t impi_link_of(const ImpiSolve *solve, const ImpiLinkage *linkage, int32_t body) {
  int32_t lane = solve->bodies[body].lane;
  return lane > 0 && lane < linkage->link_of.count ? linkage->link_of.data[lane] : -1;
}

// linkage_motion.c, each for all links of a unit.
void impi_linkage_measure(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiUnit *unit); // q from poses
void impi_linkage_place(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiUnit *unit);   // poses from q
void impi_linkage_rates(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiUnit *unit);   // rates from motions
// Velocities from rates, to links and motions.
void impi_linkage_move(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiUnit *unit);
// Accelerations while the coordinates' speeds stay as they are.
void impi_linkage_bias(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiUnit *unit);
void impi_linkage_factor(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiUnit *unit);
// twist and surge from load, which it uses up.
void impi_linkage_respond(ImpiLinkage *linkage, const ImpiUnit *unit);
// Velocities and rates that the tree can have from momenta of bodies that may contradict it: those of motions, less h
// times the bias; impulses between the bodies make up for the rest. The motions stay as they are.
void impi_linkage_project(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiUnit *unit, double h);
// From what each body needs beside the loads on it (load, used up): what its joint exerts on it.
void impi_linkage_react(ImpiLinkage *linkage, const ImpiUnit *unit);

// What a locked coordinate of the link's joint exerts, of the wrench that impi_linkage_react found.
double impi_link_lock(const ImpiLink *link, int coordinate);
// The joint's wrench on its b about b's centre.
ImpiTwist impi_link_wrench_on_b(const ImpiLink *link);

static inline double impi_twist_dot(ImpiTwist a, ImpiTwist b) { return a.x * b.x + a.y * b.y + a.w * b.w; }
static inline ImpiTwist impi_twist_add(ImpiTwist a, double s, ImpiTwist b) {
  return (ImpiTwist){a.x + s * b.x, a.y + s * b.y, a.w + s * b.w};
}
// M v; what nothing turns has no moment of inertia here.
static inline ImpiTwist impi_link_momentum(const ImpiSolve *solve, const ImpiLink *link, ImpiTwist v) {
  const ImpiBody *body = &solve->bodies[link->body];
  return (ImpiTwist){body->mass * v.x, body->mass * v.y, link->turns ? body->inertia * v.w : 0};
}
static inline ImpiTwist impi_motion_twist(const ImpiMotion *motion) {
  return (ImpiTwist){motion->vx, motion->vy, motion->w};
}

#endif
