// Memory layout of contacts in lanes: the blocks of the soft solver's kernels, for the width IMPI_W. `IMPI_LOCKED`: for
// bodies with locked axes, whose inverse masses along x and y differ.
//
// A block consists of rows of IMPI_W numbers, one lane per contact. Block structs hold the data that every pass reads,
// Rare structs all other data. In a Rare struct the 4-byte rows come before the 8-byte rows.
#include "base/lanes.h"
#include "solvers/soft/solve_soft.h"

#define IMPI_D (IMPI_W > 1 ? IMPI_W / 2 : 1) // number of doubles in a vector
#define HALVES (IMPI_W / IMPI_D)

typedef struct Point {
  ImpiFloats rax, ray, rbx, rby; // anchors at the start of the step [m]
  ImpiFloats start, now;         // separation at the start of the step, and now [m]
  ImpiFloats normal_mass, tangent_mass;
  ImpiFloats normal, tangent; // impulses of the substep, lambda [N s]
  ImpiFloats normal_total, tangent_total;
  ImpiFloats warm; // normal impulse of the warm start [N s]
} Point;

typedef struct Head {
  int32_t a[IMPI_W], b[IMPI_W]; // lanes of the bodies
  ImpiFloats nx, ny;
  ImpiFloats ma, mb, ia, ib; // inverse masses [1/kg] and inverse inertias [1/(kg m^2)]
#if defined(IMPI_LOCKED)
  ImpiFloats ma_y, mb_y; // inverse masses along y; ma and mb are those along x
#define IMPI_ALONG_Y(mass) mass##_y
#else
#define IMPI_ALONG_Y(mass) mass
#endif
  ImpiFloats friction, surface_speed;
  ImpiFloats rho_a, rho_b; // radii of the two surfaces [m]
} Head;

typedef struct Flags {
  int32_t rolls, bounces; // any contact has rolling resistance; any contact has restitution
  int32_t still;          // any contact has a body whose velocity must not be written
  int32_t deep;           // any contact is deep, see RareHead.deep
  int32_t corners;        // any contact is between a circle and a corner
  int32_t pad[11];
} Flags;

typedef struct Block1 {
  Head head;
  Point points[1];
  Flags flags;
} Block1;

typedef struct Block2 {
  Head head;
  Point points[2];
  Flags flags;
} Block2;

typedef struct RarePoint {
  ImpiFloats slip;     // tangential speed before the step [m/s]
  ImpiFloats approach; // speed of approach before the step or, after a bounce, at the impact [m/s]
  // From here to `done` only used in blocks with restitution:
  ImpiFloats before; // speed of approach before the substep [m/s]
  // Point without load: separation [m], >= 0. Loaded point: -1 times the speed that its impulse removes [m/s], < 0.
  ImpiFloats gap;
  ImpiFloats factor;             // ratio of restitution impulse to compression impulse; 0: not hit in this impact
  ImpiFloats part;               // role in the impacts of this substep: 0, NEAR, HIT, LOADED or LOADED_HIT
  ImpiFloats done;               // impulse before the current impact [N s]
  ImpiFloats lax, lay, lbx, lby; // the point in each body's axes, see ImpiContactPoint [m]
  ImpiFloats step_n, step_t;     // work of the step [J]
} RarePoint;

// Values of RarePoint.part. NEAR: touching. HIT: hit. LOADED, LOADED_HIT: the same for points that were loaded before
// the impact.
#define NEAR 1.0f
#define HIT 2.0f
#define LOADED (-1.0f)
#define LOADED_HIT (-2.0f)

typedef struct RareHead {
  int32_t contact[IMPI_W];                // slots of the contacts
  int32_t body_a[IMPI_W], body_b[IMPI_W]; // slots of the bodies
  // Slots of the bodies with which the contact points rotate: the point of a circle rotates with the other body.
  int32_t turn_a[IMPI_W], turn_b[IMPI_W];
  int32_t touching[IMPI_W]; // lane mask: IMPI_CONTACT_TOUCHING
  int32_t corner[IMPI_W];   // lane mask: IMPI_CONTACT_CORNER
  ImpiFloats hit_speed;     // minimum approach speed of a hit event [m/s]; NaN: that of the world
  ImpiFloats rolling_radius, rolling_mass, rolling, rolling_total;
  ImpiFloats rolling_start; // relative angular velocity before the step [rad/s]
  ImpiFloats rolling_step;  // work of rolling in the step [J]
  ImpiFloats restitution, threshold;
  int32_t deep[IMPI_W];        // lane mask: at the start of the step bias_rate * overlap exceeds push_limit
  ImpiFloats from_x, from_y;   // circle at a corner: vector from the corner to the centre at the start of the step [m]
  ImpiFloats c, s;             // reference rotation, see ImpiContact.reference
  ImpiFloats local_x, local_y; // normal in a's axes, see ImpiContact.local_normal
} RareHead;

typedef struct ExactPoint {
  double base[IMPI_W];                   // see ImpiContactPoint.base [m]
  double work_n[IMPI_W], work_t[IMPI_W]; // work of the point before the step [J]
} ExactPoint;

typedef struct ExactHead {
  double px[IMPI_W], py[IMPI_W];            // reference position, see ImpiContactReference.p [m]
  double extent[IMPI_W], clearance[IMPI_W]; // see ImpiContactReference [m]; clearance -1: none
  double work_r[IMPI_W];
} ExactHead;

typedef struct Rare1 {
  RareHead head;
  RarePoint points[1];
  ExactHead exact;
  ExactPoint exact_points[1];
} Rare1;

typedef struct Rare2 {
  RareHead head;
  RarePoint points[2];
  ExactHead exact;
  ExactPoint exact_points[2];
} Rare2;

typedef struct Parts {
  Head *head;
  Point *points;
  Flags *flags;
  RareHead *rare;
  RarePoint *rare_points;
  ExactHead *exact;
  ExactPoint *exact_points;
} Parts;


IMPI_INLINE Parts parts_of(const ImpiSoftBlocks *blocks, int index, int points) {
  if (points == 1) {
    Block1 *block = (Block1 *)blocks->hot + index;
    Rare1 *rare = (Rare1 *)blocks->rare + index;
    return (Parts){&block->head, block->points, &block->flags,     &rare->head,
                   rare->points, &rare->exact,  rare->exact_points};
  }
  Block2 *block = (Block2 *)blocks->hot + index;
  Rare2 *rare = (Rare2 *)blocks->rare + index;
  return (Parts){&block->head, block->points, &block->flags,     &rare->head,
                 rare->points, &rare->exact,  rare->exact_points};
}


// Expand `call(points)` for every block, with a constant `points`.
#define FOR_BLOCKS(blocks, call) \
  if ((blocks)->points == 1) { \
    for (int index = 0; index < (blocks)->count; ++index) { \
      call(1); \
    } \
  } else { \
    for (int index = 0; index < (blocks)->count; ++index) { \
      call(2); \
    } \
  }


// Define a pass that changes velocities: `call(points, fine)` for every block, with constant arguments.
#define PASS(name, call, parameters, arguments) \
  __attribute__((noinline, cold)) static void name##_fine parameters { \
    for (int index = 0; index < blocks->count; ++index) { \
      call(blocks->points, true); \
    } \
  } \
\
  static void name parameters { \
    if (pass->bodies.gain != NULL) { \
      name##_fine arguments; \
      return; \
    } \
    FOR_BLOCKS(blocks, call##_COARSE) \
  }


// Velocities of the two sides of a block. If `fine` (a compile-time constant) is true, passes add their changes of
// velocity to ImpiLaneBodies.gain.
typedef struct Sides {
  ImpiQuad a, b;
  ImpiQuad gain_a, gain_b;
  bool fine;
} Sides;


IMPI_INLINE Sides load(const ImpiSoftPass *pass, const Head *head, bool fine) {
  return (Sides){
      .a = impi_gather(pass->bodies.velocity, head->a), .b = impi_gather(pass->bodies.velocity, head->b), .fine = fine};
}


// Write the velocities of one side. Lanes in `still` are not written, because impulses do not move their bodies.
IMPI_INLINE void save_moving(const ImpiSoftPass *pass, ImpiRecord *records, const int32_t *lanes, ImpiMask still,
                             ImpiQuad v) {
  ImpiMask index;
  int32_t to[IMPI_W];
  memcpy(&index, lanes, sizeof index);
  index = (still & (pass->nowhere - index)) + index;
  memcpy(to, &index, sizeof to);
  impi_scatter(records, to, v);
}


IMPI_INLINE ImpiMask still_a(const Head *head) {
  return (head->ma == 0) & (head->IMPI_ALONG_Y(ma) == 0) & (head->ia == 0);
}


IMPI_INLINE ImpiMask still_b(const Head *head) {
  return (head->mb == 0) & (head->IMPI_ALONG_Y(mb) == 0) & (head->ib == 0);
}


// Return the mask of lanes of one side that must not be written. A single worker may write lane 0 (static bodies), see
// ImpiSoftPass.ground.
IMPI_INLINE ImpiMask must_stay(const ImpiSoftPass *pass, ImpiMask still, const int32_t *lanes) {
  ImpiMask index;
  memcpy(&index, lanes, sizeof index);
  return still & ((index != 0) | ((ImpiMask){0} - (pass->ground != 0)));
}


// Write the velocities of the bodies that impulses move, on both sides.
__attribute__((noinline, cold)) static void save_sides(const ImpiSoftPass *pass, const Head *head, const ImpiQuad *v) {
  save_moving(pass, pass->bodies.velocity, head->a, still_a(head), v[0]);
  save_moving(pass, pass->bodies.velocity, head->b, still_b(head), v[1]);
}


IMPI_INLINE void save_gain(const ImpiSoftPass *pass, const int32_t *lanes, ImpiMask still, ImpiQuad v, ImpiQuad step) {
  ImpiQuad gain = impi_gather(pass->bodies.gain, lanes), base = impi_gather(pass->bodies.base, lanes);
  gain.x += step.x;
  gain.y += step.y;
  gain.z += step.z;
  save_moving(pass, pass->bodies.gain, lanes, still, gain);
  save_moving(pass, pass->bodies.velocity, lanes, still,
              (ImpiQuad){base.x + gain.x, base.y + gain.y, base.z + gain.z, v.w});
}


IMPI_INLINE void save(const ImpiSoftPass *pass, const Parts *at, Sides v) {
  const Head *head = at->head;
  if (v.fine) {
    save_gain(pass, head->a, still_a(head), v.a, v.gain_a);
    save_gain(pass, head->b, still_b(head), v.b, v.gain_b);
    return;
  }
  if (__builtin_expect(at->flags->still, 0)) {
    ImpiQuad sides[] = {v.a, v.b};
    save_sides(pass, head, sides);
    return;
  }
  impi_scatter(pass->bodies.velocity, head->a, v.a);
  impi_scatter(pass->bodies.velocity, head->b, v.b);
  pass->bodies.velocity[pass->ground] = (ImpiRecord){0};
}


// Compute the velocity of b's anchor relative to a's, along x and y.
IMPI_INLINE void relative(const Sides *v, const Point *p, ImpiFloats *out_x, ImpiFloats *out_y) {
  *out_x = (v->b.x - v->b.z * p->rby) - (v->a.x - v->a.z * p->ray);
  *out_y = (v->b.y + v->b.z * p->rbx) - (v->a.y + v->a.z * p->rax);
}


// Return the sum of the inverse masses of both sides along a unit vector.
IMPI_INLINE ImpiFloats masses_along(const Head *head, ImpiFloats nx, ImpiFloats ny) {
#if defined(IMPI_LOCKED)
  return (head->ma + head->mb) * (nx * nx) + (head->ma_y + head->mb_y) * (ny * ny);
#else
  (void)nx;
  (void)ny;
  return head->ma + head->mb;
#endif
}


// Return the largest speed at which a soft row pushes overlap apart [m/s]: push_speed plus push_load * `taken`, the
// second term at most push_most. `taken`: speed that the impulse of the point removes.
IMPI_INLINE ImpiFloats push_limit(const ImpiSoftPass *pass, ImpiFloats taken) {
  return pass->push_speed + impi_vmin(pass->push_load * taken, IMPI_SPLAT(pass->push_most));
}


// Return the speed along the normal that the impulse of a point removes at the point [m/s].
IMPI_INLINE ImpiFloats taken_by(const Head *head, const Point *p) {
  ImpiFloats ran = p->rax * head->ny - p->ray * head->nx, rbn = p->rbx * head->ny - p->rby * head->nx;
  return p->normal * (masses_along(head, head->nx, head->ny) + head->ia * ran * ran + head->ib * rbn * rbn);
}


IMPI_INLINE void signal_any(const ImpiSoftPass *pass, uint32_t signal, ImpiMask mask) {
  if (impi_any_lane(mask)) {
    __atomic_fetch_or(pass->signals, signal, __ATOMIC_RELAXED);
  }
}


IMPI_INLINE ImpiMask was_hit(const RarePoint *note) { return note->part * note->part > HIT; }
IMPI_INLINE ImpiMask takes_part(const RarePoint *note) { return note->part * note->part > 0; }
IMPI_INLINE ImpiMask was_loaded(const RarePoint *note) { return note->part < 0; }
IMPI_INLINE ImpiMask was_free(const RarePoint *note) { return note->part > 0; }


// Record for restitution the approach speed of a point, and its load or, without load, its gap.
IMPI_INLINE void note_point(const Sides *v, const Head *head, const Point *p, RarePoint *note) {
  ImpiFloats dx, dy;
  relative(v, p, &dx, &dy);
  ImpiMask loaded = (p->normal > 0) & (p->normal_mass > 0);
  ImpiFloats taken = p->normal / impi_select(loaded, p->normal_mass, IMPI_SPLAT(1));
  note->before = -(dx * head->nx + dy * head->ny);
  note->gap = impi_select(loaded, -taken, impi_vmax(p->now, IMPI_SPLAT(0)));
  note->part = IMPI_SPLAT(0);
}


// Return 1 / k if k > 0, else 0.
IMPI_INLINE ImpiFloats inverse(ImpiFloats k) {
  ImpiMask some = k > 0;
  return impi_select(some, 1 / impi_select(some, k, IMPI_SPLAT(1)), IMPI_SPLAT(0));
}


// Compute the effective masses of a point along its normal and its tangent.
IMPI_INLINE void weigh_point(const Head *head, Point *p) {
  ImpiFloats ran = p->rax * head->ny - p->ray * head->nx, rbn = p->rbx * head->ny - p->rby * head->nx;
  ImpiFloats rat = -(p->rax * head->nx + p->ray * head->ny), rbt = -(p->rbx * head->nx + p->rby * head->ny);
  ImpiFloats mn = masses_along(head, head->nx, head->ny), mt = masses_along(head, head->ny, head->nx);
  p->normal_mass = inverse(mn + head->ia * ran * ran + head->ib * rbn * rbn);
  p->tangent_mass = inverse(mt + head->ia * rat * rat + head->ib * rbt * rbt);
}
