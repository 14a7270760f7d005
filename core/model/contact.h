// Contacts: pairs of convex pieces near each other, with a manifold that persists from step to step.
#ifndef IMPI_CONTACT_H
#define IMPI_CONTACT_H

#include "geometry/broadphase.h"
#include "geometry/collide.h"
#include "geometry/internal_edge.h"
#include "model/body.h"

typedef struct ImpiMaterial {
  double friction, restitution;
  double restitution_threshold; // [m/s]; NaN: see impi_restitution_threshold
  double rolling_resistance, surface_speed;
  double hit_speed; // approach speed above which a hit event is reported [m/s]; NaN: the value of the world
} ImpiMaterial;

// Internal-edge data of a shape's pieces, in one block of memory. Shapes with equal data share one block.
typedef struct ImpiInternalEdgeBlock {
  size_t size;                // [bytes]
  int32_t users;              // number of shapes that share the block
  ImpiInternalEdges pieces[]; // (geometry.child_count)
} ImpiInternalEdgeBlock;

typedef struct ImpiShape {
  int32_t body;     // slot of the shape's body
  int32_t next;     // next shape of the body, -1 at the end
  int32_t previous; // previous shape of the body, -1 at the front
  // First of the shape's contacts in the list of the body's contacts, where they are adjacent. -1: none. Derived data.
  int32_t first_edge;
  int32_t proxy;                         // broad-phase proxy of the shape's only piece, -1 before it is attached
  int32_t *proxies;                      // proxies of several pieces, else null   (geometry.child_count)
  ImpiInternalEdgeBlock *internal_edges; // internal-edge data of the pieces; null: not computed
  bool attached;                         // false for a shape created inside a step, until the end of the step
  bool sensor;
  bool pre_solve;       // the pre_solve callback is called for contacts of this shape
  bool selective;       // the filter callback is called for pairs with this shape
  bool needs_refilter;  // the filter is evaluated again at the start of the next step
  bool pending_destroy; // destroyed by a call inside the step: removed at the end of the step
  ImpiGeometry geometry;
  ImpiMaterial material;
  int32_t material_id; // number of the shape's material in the world, 0: none
  ImpiFilter filter;
  double density;
  ImpVec2 one_way;  // unit vector to the solid side, in the body's frame; zero: solid from all sides
  uint64_t serial;  // creation number in the world, from 1
  uint64_t version; // unique in the world: results of the filter callback are valid for one version
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


// Allocate the array of proxies for `count` pieces, all -1; null for a single piece. Return false if out of memory.
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

typedef struct ImpiContactPoint {
  ImpVec2 r_a, r_b;  // from the centre of mass of a, b to the point, world axes [m]
  double separation; // separation at the start of the step [m]
  // `separation` - n . (p_b - p_a) when the manifold was computed [m]; p_a, p_b: world positions of local_a and
  // local_b.
  double base;
  float local_a[2]; // the point in each body's axes, relative to the body's centre of mass [m]
  float local_b[2];
  double lambda_n;         // accumulated impulse of the last substep [N s]
  double lambda_t;         // accumulated impulse along the tangent: the normal turned by -90 degrees [N s]
  double total_n, total_t; // impulses, summed over the substeps of the last step [N s]
  double approach;         // approach speed before the last step's forces [m/s]; written by the solver
  double step_n, step_t;   // work of the impulses in the last step [J]
  double work_n, work_t;   // work since the point appeared [J]
  uint32_t feature;
  bool matched; // the impulses were copied from a point with the same feature
} ImpiContactPoint;

typedef enum ImpiContactFlag {
  IMPI_CONTACT_TOUCHING = 1, // a begin event was reported, but no end event yet
  IMPI_CONTACT_SENSOR = 2,   // a shape is a sensor: no rows
  // a one-way shape lets the other shape pass until the manifold has no points or impi_contact_update_passing finds the
  // contact solid
  IMPI_CONTACT_PASSING = 4,
  IMPI_CONTACT_FRESH = 8, // `reference` is valid: the manifold may be refreshed
  // Shape a is a circle about its body's centre of mass. Vectors in a's axes turn with body b, because rotation of a
  // does not change the contact.
  IMPI_CONTACT_ROUND_A = 16,
  IMPI_CONTACT_ROUND_B = 32,     // the same for shape b: vectors in b's axes turn with body a
  IMPI_CONTACT_PRE_SOLVE = 64,   // pre_solve is set for one of the two shapes
  IMPI_CONTACT_PRE_SOLVED = 128, // the pre_solve callback was called for the contact in the step `stamp`
  IMPI_CONTACT_DISABLED = 256,   // disabled by the pre_solve callback: no rows in the step `stamp`
  IMPI_CONTACT_ONE_WAY = 1024,   // one of the two shapes is one-way
  IMPI_CONTACT_ALTERED = 512, // the pre_solve callback changed the mixed material, which is recomputed in the next step
  IMPI_CONTACT_TURNED = 2048, // a one-way direction was set: the contact is evaluated again in the next step
  IMPI_CONTACT_TOI = 4096,    // the points are from a time-of-impact event in this step
  // valid with IMPI_CONTACT_TOI; set: the points are fixed in b, not set: in a
  IMPI_CONTACT_PLACE_B = 8192,
  // Contact of a circle with a corner or another circle. The normal is computed from the centre of the circle and the
  // corner or the other centre.
  IMPI_CONTACT_CORNER = 16384,
} ImpiContactFlag;

// Flags for impi_contact_refresh.
#define IMPI_CONTACT_FORM (IMPI_CONTACT_FRESH | IMPI_CONTACT_ROUND_A | IMPI_CONTACT_ROUND_B | IMPI_CONTACT_CORNER)

// Flags of contacts that make no rows.
#define IMPI_CONTACT_IDLE (IMPI_CONTACT_SENSOR | IMPI_CONTACT_PASSING | IMPI_CONTACT_DISABLED)

// Relative pose of two bodies when a manifold was computed, and the motion up to which the manifold is valid.
typedef struct ImpiContactReference {
  ImpVec2 p;       // centre of mass of b relative to a, in a's axes [m]
  float c, s;      // rotation of b relative to a
  double extent_b; // distance of b's farthest point from b's centre of mass [m]
  // Distance that any point of b may move relative to a [m]. If the manifold has no points: separation minus margin.
  double clearance;
} ImpiContactReference;

typedef struct ImpiContact {
  int32_t body_a, body_b;
  int32_t shape_a, shape_b; // a is the shape with the smaller serial
  int32_t child_a, child_b;
  int32_t proxy_a, proxy_b;
  uint32_t flags;
  struct {
    // Neighbours in the list of the body's contacts, as contact * 2 + side; -1 at the ends.
    int32_t previous, next;
  } edge[2];      // entries in the lists of body a (side 0) and body b (side 1)
  int32_t place;  // index in the lanes of the soft solver, see lane_contacts.h
  uint32_t read;  // value of ImpiLaneContacts.epoch when this contact was last copied to or from the lanes
  uint32_t stamp; // number of the step that last updated the manifold
  // ImpiBroadphase.still_changes (counter of changes of static shapes) when the manifold was computed
  uint32_t still_changes;
  int32_t first_row;  // index of the contact's first row of the last step, see ImpiSolver.rows
  uint32_t row_stamp; // tick of the world after the step that set `first_row`
  // 1 + index of the contact's ImpiRun (lane_contacts.h) in the soft solver's lanes; 0: none
  int16_t run;
  int8_t colour;    // colour of an active contact of the soft solver; IMPI_UNCOLOURED: not active
  int8_t count;     // number of points, 0..2; 0: no rows
  int8_t row_count; // number of rows, from first_row on
  ImpVec2 normal;   // unit vector from a to b, world axes
  // Normal in a's axes; with IMPI_CONTACT_CORNER: corner relative to the centre of mass of the corner's body [m].
  float local_normal[2];
  ImpiContactReference reference;
  double lambda_r, total_r; // rolling resistance: accumulated impulse, and its sum over the last step [N m s]
  double step_r, work_r;    // work of rolling resistance in the last step, and since the contact began [J]
  // Mixed materials of the two shapes.
  double friction, restitution;
  double restitution_threshold; // [m/s]; NaN: see impi_restitution_threshold
  double hit_speed;             // approach speed above which a hit event is reported [m/s]; NaN: the value of the world
  double radius_a, radius_b;    // radii of the two pieces [m]
  double rolling;               // rolling resistance times radius [m]
  double surface_speed;         // target of friction: velocity of b relative to a along the tangent [m/s]
  ImpiContactPoint *points;     // two points, of which `count` are in use; null: no points
} ImpiContact;

_Static_assert(sizeof(void *) < 8 || sizeof(ImpiContact) == 256, "whole cache lines");

// Flags of contacts that are updated in full each step.
#define IMPI_CONTACT_EVALUATED \
  (IMPI_CONTACT_SENSOR | IMPI_CONTACT_PASSING | IMPI_CONTACT_PRE_SOLVE | IMPI_CONTACT_PRE_SOLVED | \
   IMPI_CONTACT_DISABLED | IMPI_CONTACT_ALTERED | IMPI_CONTACT_ONE_WAY | IMPI_CONTACT_TURNED)

// Return whether the manifold may be refreshed instead of recomputed.
static inline bool impi_contact_keeps(const ImpiContact *contact) {
  return (contact->flags & (IMPI_CONTACT_EVALUATED | IMPI_CONTACT_FRESH)) == IMPI_CONTACT_FRESH;
}

// Return the acceleration of a body due to gravity and the force applied for the whole step [m/s^2]; 0 along locked
// axes and for bodies that are not dynamic.
ImpVec2 impi_acceleration(const ImpiBody *body, ImpVec2 gravity);

// Return the approach speed above which a contact bounces [m/s]. If the materials give none, it is the speed that the
// bodies gain along the normal in two substeps of h, because a slower bounce lasts less than a substep.
double impi_restitution_threshold(const ImpiContact *contact, const ImpiBody *bodies, ImpVec2 gravity, double h);

// Mix the materials of two shapes, and set the flags for pre_solve and one-way shapes. Friction: sqrt(a b);
// restitution, rolling resistance, radius: the larger; thresholds: the smaller given value; surface speed: the sum.
void impi_contact_mix(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b);

// Decide whether a contact with points and a one-way shape lets the other shape pass. The contact is solid if its
// normal is within 45 degrees of the solid side and its depth is at most IMPI_ONE_WAY_DEPTH; a solid contact stays
// solid. `is_new`: the pieces have just come near each other, a callback has let them pass, or the solid side was set.
// Only a new contact can begin to pass. The allowed depth of a new contact is increased by approach speed * dt.
void impi_contact_update_passing(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b,
                                 const ImpiMotion *motion_a, const ImpiMotion *motion_b, double dt, bool is_new);

// Return whether the bodies have moved less than reference->clearance since the manifold was computed. `flags`: flags
// of the contact.
bool impi_contact_reference_holds(const ImpiContactReference *reference, uint32_t flags, const ImpiMotion *motion_a,
                                  const ImpiMotion *motion_b);

typedef enum ImpiRefresh {
  IMPI_REFRESH_STALE,     // the manifold must be recomputed
  IMPI_REFRESH_DONE,      // the points moved with the bodies
  IMPI_REFRESH_STILL_OFF, // there are no points, as before
} ImpiRefresh;

// Update a manifold to the bodies' present poses. If the bodies have moved too far (ImpiContactReference.clearance),
// only the normal is updated. The points of a contact between edges move with the bodies; their error is proportional
// to the square of the relative motion, which is below IMPI_REFRESH_DISTANCE. The contact of a circle is updated
// exactly while the same edge or corner is nearest.
ImpiRefresh impi_contact_refresh(ImpiContact *contact, const ImpiMotion *motion_a, const ImpiMotion *motion_b);

// Compute the manifold of two pieces. `flags`: flags of the contact. With IMPI_CONTACT_SENSOR, chain links are
// two-sided, and lines overlap where they cross.
void impi_contact_meet(uint32_t flags, const ImpiHull *hull_a, const ImpiHull *hull_b, const ImpTransform *b_in_a,
                       double margin, ImpiLocalManifold *out_manifold);

// Access to the pieces that touch a contact's pieces and form one surface with them ("neighbours"). Sides are bits: 1
// for a, 2 for b. `expect` returns the sides that may have neighbours, and writes their internal-edge data (null: not
// computed). `find` lists, for each side in `sides`, the neighbours within `margin` [m] of the opposite piece, and
// returns the sides with such neighbours; only the lists of these sides are written.
typedef struct ImpiNeighbourFinder {
  int (*expect)(const void *context, const ImpiContact *contact, const ImpiInternalEdges *out_internal_edges[2]);
  int (*find)(const void *context, const ImpiContact *contact, double margin, int sides,
              ImpiNeighbours out_neighbours[2]);
  const void *context;
} ImpiNeighbourFinder;

// Correct a manifold for internal edges (parts of the pieces' surfaces that neighbours hide). The manifold is in a's
// frame and has points.
void impi_contact_smooth(const ImpiContact *contact, const ImpiHull *hull_a, const ImpiHull *hull_b,
                         const ImpTransform *b_in_a, double margin, const ImpiNeighbourFinder *finder,
                         ImpiLocalManifold *manifold);

// Compute the manifold at the bodies' present poses, and copy impulses from old points with the same feature. The
// contact must have room for points. Points with a separation above `margin` [m] are left out. `finder` null: no piece
// has neighbours.
void impi_contact_update(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b,
                         const ImpiBody *body_a, const ImpiMotion *motion_a, const ImpiBody *body_b,
                         const ImpiMotion *motion_b, double margin, const ImpiNeighbourFinder *finder);

// Return whether a new contact of a one-way shape lets the pieces pass. `normal`: from a to b. `approach` [m/s]:
// positive when the distance decreases.
bool impi_contact_passes(const ImpiShape *shape_a, const ImpiShape *shape_b, ImpRot q_a, ImpRot q_b, ImpVec2 normal,
                         double approach);

// Return whether a piece is a circle about its body's centre of mass.
static inline bool impi_is_round(const ImpiHull *hull, const ImpiBody *body) {
  return hull->count == 1 && hull->centroid.x == body->local_center.x && hull->centroid.y == body->local_center.y;
}

// Return the smallest separation of the contact's points, or IMPI_HUGE without points.
double impi_contact_separation(const ImpiContact *contact);

// Return the position of a point in the world [m]. If exactly one piece is a circle about its body's centre of mass,
// the position is computed from this centre; otherwise from the centre of mass that is nearer to the point, which
// reduces rounding errors. Points of a time-of-impact event are computed from the body that was hit.
ImpVec2 impi_contact_place(const ImpiContact *contact, const ImpiContactPoint *point, const ImpiMotion *motion_a,
                           const ImpiMotion *motion_b);

// Return the approach speed along the normal at a point [m/s], > 0 when the distance decreases.
double impi_contact_approach(const ImpiContact *contact, const ImpiContactPoint *point, const ImpiMotion *motion_a,
                             const ImpiMotion *motion_b);

#endif
