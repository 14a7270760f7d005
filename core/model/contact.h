// Contacts: what two pieces are to each other, from step to step.
#ifndef IMPI_CONTACT_H
#define IMPI_CONTACT_H

#include "geometry/broadphase.h"
#include "geometry/collide.h"
#include "geometry/seam.h"
#include "model/body.h"

// What a shape is made of.
typedef struct ImpiMaterial {
  double friction, restitution;
  double restitution_threshold; // NaN: derived
  double rolling_resistance, surface_speed;
  double hit_speed; // NaN: the world's
} ImpiMaterial;

// The borders of a shape's pieces and their parts, in one block. Shapes that have the same have one between them.
typedef struct ImpiBorders {
  size_t size; // [bytes]
  int32_t users;
  ImpiBorder pieces[]; // (geometry.child_count)
} ImpiBorders;

typedef struct ImpiShape {
  int32_t body;         // slot
  int32_t next;         // next shape of the body, -1 at the end
  int32_t previous;     // the one before it, -1 at the front
  int32_t first_edge;   // of its contacts, which stand side by side in its body's list; -1 for none: derived
  int32_t proxy;        // of its only piece in the broad phase, -1 before it is attached
  int32_t *proxies;     // of its pieces, where they are several, else null   (geometry.child_count)
  ImpiBorders *borders; // null: not known
  bool attached;        // false for a shape made inside a step: it joins its body at the step's end
  bool sensor;
  bool pre_solve; // its contacts are shown to the pre_solve callback
  bool selective; // the filter callback is asked whom it meets
  bool rejudge;   // at the start of the next step, of those too that it meets already
  bool doomed;
  ImpiGeometry geometry;
  ImpiMaterial material;
  int32_t material_id; // 0: of none that the world has
  ImpiFilter filter;
  double density;
  ImpVec2 one_way;  // unit, body frame; zero: solid from all sides
  uint64_t serial;  // 1 for the first shape ever made in the world
  uint64_t version; // unique in the world: verdicts about it hold for one version, see world_filter.c
  char *name;
  void *user_data;
} ImpiShape;


static inline bool impi_shape_lives(const ImpiShape *shape) { return shape->geometry.figure != NULL; }


static inline int32_t impi_shape_proxy(const ImpiShape *shape, int32_t child) {
  return shape->proxies == NULL ? shape->proxy : shape->proxies[child];
}


static inline void impi_shape_set_proxy(ImpiShape *shape, int32_t child, int32_t proxy) {
  *(shape->proxies == NULL ? &shape->proxy : &shape->proxies[child]) = proxy;
}


// Room for the proxies of a shape with that geometry: -1. False: out of memory.
static inline bool impi_shape_make_proxies(ImpiHeap *heap, int32_t count, int32_t **out_proxies) {
  *out_proxies = count > 1 ? impi_resize(heap, NULL, 0, (size_t)count * sizeof **out_proxies) : NULL;
  for (int32_t i = 0; *out_proxies != NULL && i < count; ++i) {
    (*out_proxies)[i] = -1;
  }
  return count <= 1 || *out_proxies != NULL;
}


static inline void impi_shape_free_proxies(ImpiHeap *heap, int32_t count, int32_t *proxies) {
  impi_resize(heap, proxies, proxies != NULL ? (size_t)count * sizeof *proxies : 0, 0);
}

// One point of a manifold.
typedef struct ImpiContactPoint {
  ImpVec2 r_a, r_b;  // from each centre of mass to the point, world axes [m]
  double separation; // [m], at the start of the step
  double base;       // separation less n . (b's material point - a's): what refreshing starts from [m]
  float local_a[2];  // the point in each body's axes, from its centre of mass [m]
  float local_b[2];
  double lambda_n;         // accumulated impulses of the last substep, carried over by `feature` [N s]
  double lambda_t;         // along the tangent: the normal turned by -90 degrees
  double total_n, total_t; // summed over the substeps of the last step [N s]
  double approach;         // speed of approach before the last step's forces [m/s]; noted by the solver
  double step_n, step_t;   // work done by the impulses in the last step [J]
  double work_n, work_t;   // since the point began [J]
  uint32_t feature;
  bool matched;
} ImpiContactPoint;

typedef enum ImpiContactFlag {
  IMPI_CONTACT_TOUCHING = 1, // begin was reported, end was not
  IMPI_CONTACT_SENSOR = 2,   // reports, makes no rows
  IMPI_CONTACT_PASSING = 4,  // a one-way shape lets it through until it stands on the solid side or is gone
  IMPI_CONTACT_FRESH = 8,    // `reference` holds: what was found then may serve again
  IMPI_CONTACT_ROUND_A = 16, // a is a circle about its body's centre: it looks the same at every angle, and what is
                             // kept of it turns with the other one
  IMPI_CONTACT_ROUND_B = 32,
  IMPI_CONTACT_ASKS = 64,      // one of its shapes is set to pre_solve
  IMPI_CONTACT_ASKED = 128,    // in the step of its stamp the pre_solve callback was called for it
  IMPI_CONTACT_DISABLED = 256, // by that callback: no rows in that step, whatever it would do
  IMPI_CONTACT_ONE_WAY = 1024, // one of its shapes is
  IMPI_CONTACT_ALTERED = 512,  // its mix is that callback's: to be made anew in the next step
  IMPI_CONTACT_TURNED = 2048,  // its one-way direction was set: to be judged anew in the next step
  IMPI_CONTACT_STRUCK =
      4096, // its points are those of a meeting within the step, seen from the bodies as they were then
  IMPI_CONTACT_PLACE_B = 8192, // and they are still where b sees them, else where a does
  IMPI_CONTACT_CORNER = 16384, // of a circle: its normal comes from a point of the other one
} ImpiContactFlag;

// How it is brought along from step to step.
#define IMPI_CONTACT_FORM (IMPI_CONTACT_FRESH | IMPI_CONTACT_ROUND_A | IMPI_CONTACT_ROUND_B | IMPI_CONTACT_CORNER)

// Bears nothing.
#define IMPI_CONTACT_IDLE (IMPI_CONTACT_SENSOR | IMPI_CONTACT_PASSING | IMPI_CONTACT_DISABLED)

// Where two bodies were against each other when a manifold was found, and how far they may go before it is found anew.
typedef struct ImpiContactReference {
  ImpVec2 p;        // centre of b from a's in a's axes [m]
  float c, s;       // rotation of b in a's axes
  double extent_b;  // farthest point of b from its centre [m]
  double clearance; // without points: how far beyond the margin the surfaces were apart [m]
} ImpiContactReference;

typedef struct ImpiContact {
  int32_t body_a, body_b;
  int32_t shape_a, shape_b; // a has the smaller serial
  int32_t child_a, child_b;
  int32_t proxy_a, proxy_b;
  uint32_t flags;
  struct {
    int32_t previous, next; // edges of the same body: contact * 2 + side, -1 at the ends
  } edge[2];                // beside what walks along them look at
  int32_t place;            // in the lanes of the soft solver, see lane_contacts.h
  uint32_t read;            // what it has was read from there at this epoch
  uint32_t stamp;           // of the step that brought its manifold up to date
  uint32_t still_changes;   // of the broad phase when its manifold was found
  int32_t first_row;        // of the last step, in what the solver recorded; see ImpiSolver.rows
  uint32_t row_stamp;       // tick after that step
  int16_t run;              // of the lanes; 0: it is not there
  int8_t colour;            // while it acts in the soft solver; IMPI_UNCOLOURED: it does not
  int8_t count;             // points, 0..2; 0: no rows
  int8_t row_count;         // from `first_row` on
  ImpVec2 normal;           // a -> b, world
  float local_normal[2];    // in a's axes, of what may serve again; or the corner, from the centre of its body
  ImpiContactReference reference;
  double lambda_r, total_r; // rolling resistance [N m s]
  double step_r, work_r;    // [J]
  // mixed material
  double friction, restitution;
  double restitution_threshold; // NaN: derived, see impi_restitution_threshold [m/s]
  double hit_speed;             // NaN: the world's
  double radius_a, radius_b;    // of the two surfaces [m]
  double rolling;               // rolling resistance times radius [m]
  double surface_speed;         // of b's surface relative to a's along the tangent that rows drive to [m/s]
  ImpiContactPoint *points;     // room for two, see contact_points.h; null: it has none   (count)
} ImpiContact;

_Static_assert(sizeof(void *) < 8 || sizeof(ImpiContact) == 256, "whole cache lines");

// Somebody is to be asked about it, or something is to be judged, whenever it is found.
#define IMPI_CONTACT_JUDGED \
  (IMPI_CONTACT_SENSOR | IMPI_CONTACT_PASSING | IMPI_CONTACT_ASKS | IMPI_CONTACT_ASKED | IMPI_CONTACT_DISABLED | \
   IMPI_CONTACT_ALTERED | IMPI_CONTACT_ONE_WAY | IMPI_CONTACT_TURNED)

// Whether what was found of it may serve again, with nobody to ask and nothing to judge.
static inline bool impi_contact_keeps(const ImpiContact *contact) {
  return (contact->flags & (IMPI_CONTACT_JUDGED | IMPI_CONTACT_FRESH)) == IMPI_CONTACT_FRESH;
}

// Acceleration of a body by gravity and by the force that acts on it for the whole step [m/s^2]; 0 of one that is not
// dynamic.
ImpVec2 impi_acceleration(const ImpiBody *body, ImpVec2 gravity);

// Approach speed above which a contact bounces [m/s]: the one given, or derived: the speed that its bodies gain along the
// normal in two substeps of h. A slower bounce would be over within a substep. The soft solver computes it in lanes.
double impi_restitution_threshold(const ImpiContact *contact, const ImpiBody *bodies, ImpVec2 gravity, double h);

// Friction sqrt(a b), restitution max, rolling resistance max times the larger radius, thresholds min of those given, speeds
// summed; and whether pre_solve is called for it.
void impi_contact_mix(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b);

// Of a contact with points and a one-way shape: whether it may pass. It may when it does not stand on the solid side,
// by its normal and by how deep it is: IMPI_ONE_WAY_DEPTH, and `anew`, which is when the pieces have just come near,
// were let through by a callback or were turned, what it has come in a step of dt. What passes becomes solid when it
// stands there; what is solid stays so.
void impi_contact_judge(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b,
                        const ImpiMotion *motion_a, const ImpiMotion *motion_b, double dt, bool anew);

// Whether they have gone no farther than that. `flags` are the contact's.
bool impi_contact_reference_holds(const ImpiContactReference *reference, uint32_t flags, const ImpiMotion *motion_a,
                                  const ImpiMotion *motion_b);

typedef enum ImpiRefresh {
  IMPI_REFRESH_STALE,     // the manifold must be found anew
  IMPI_REFRESH_DONE,      // its points were taken along with the bodies
  IMPI_REFRESH_STILL_OFF, // no points, and there still are none: nothing changed
} ImpiRefresh;

// Bring what was found earlier to the bodies' present poses, if it still serves: where edge meets edge and the bodies
// have hardly moved against each other (IMPI_REFRESH_DISTANCE) the points move with the bodies, the same to second
// order in that motion, and if they have moved farther than that they are stale, if not without use; a circle's contact
// is brought along exactly while the circle is nearest to the same edge or corner; surfaces that were apart by more than
// they have moved since are not looked at again.
ImpiRefresh impi_contact_refresh(ImpiContact *contact, const ImpiMotion *motion_a, const ImpiMotion *motion_b);

// The manifold of two pieces in a contact with these flags: a sensor sees more of lines than what bears.
void impi_contact_meet(uint32_t flags, const ImpiHull *hull_a, const ImpiHull *hull_b, const ImpTransform *b_in_a,
                       double margin, ImpiLocalManifold *out_manifold);

// Whoever knows the neighbours of a contact's pieces. Sides are bits: 1 for a, 2 for b. `expect` tells of which there may
// be any, and of those where its neighbours bear on its surface, null: not known. `find` finds those of `sides` that are
// near the other piece, points within `margin` [m] of each other counted, and returns the sides that have some: only of
// these the list is written.
typedef struct ImpiSeamFinder {
  int (*expect)(const void *context, const ImpiContact *contact, const ImpiBorder *out_borders[2]);
  int (*find)(const void *context, const ImpiContact *contact, double margin, int sides, ImpiSeams out_seams[2]);
  const void *context;
} ImpiSeamFinder;

// Bring a manifold with points, in a's frame, into line with what the neighbours of the two pieces hide. Of the contact
// only the pieces are looked at.
void impi_contact_smooth(const ImpiContact *contact, const ImpiHull *hull_a, const ImpiHull *hull_b,
                         const ImpTransform *b_in_a, double margin, const ImpiSeamFinder *finder,
                         ImpiLocalManifold *manifold);

// Find the manifold at the bodies' present poses and carry impulses over by feature: it has room for points. `margin`
// [m]: points farther apart are left out. `finder` may be null: then no piece has neighbours.
void impi_contact_update(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b,
                         const ImpiBody *body_a, const ImpiMotion *motion_a, const ImpiBody *body_b,
                         const ImpiMotion *motion_b, double margin, const ImpiSeamFinder *finder);

// Whether a one-way shape of the two lets through what comes now: `normal` a -> b, `approach` > 0 closes [m/s].
bool impi_contact_passes(const ImpiShape *shape_a, const ImpiShape *shape_b, ImpRot q_a, ImpRot q_b, ImpVec2 normal,
                         double approach);

// Whether a piece is a circle about its body's centre of mass: what it touches does not turn it out of place.
static inline bool impi_is_round(const ImpiHull *hull, const ImpiBody *body) {
  return hull->count == 1 && hull->centroid.x == body->local_center.x && hull->centroid.y == body->local_center.y;
}

// The smallest separation of its points, or IMPI_HUGE without points.
double impi_contact_separation(const ImpiContact *contact);

// Where a point is in the world [m], from the centre that is nearer: what a far one keeps is rounded. Of a meeting within
// the step, from the body that was met.
ImpVec2 impi_contact_place(const ImpiContact *contact, const ImpiContactPoint *point, const ImpiMotion *motion_a,
                           const ImpiMotion *motion_b);

// Speed of approach along the normal at a point, > 0 when the surfaces close [m/s].
double impi_contact_approach(const ImpiContact *contact, const ImpiContactPoint *point, const ImpiMotion *motion_a,
                             const ImpiMotion *motion_b);

#endif
