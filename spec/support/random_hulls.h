// Random convex pieces and their signed distance by brute force, for the specs of geometry.
#ifndef IMPI_RANDOM_HULLS_H
#define IMPI_RANDOM_HULLS_H

#include "check.h"
#include "geometry/shape.h"

static ImpiHeap heap;

// State of a random generator that is the same on all machines.
static uint64_t random_state = 1;
static inline double random_between(double lower, double upper) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return lower + (upper - lower) * (double)(random_state >> 11) * 0x1p-53;
}
static inline int random_below(int count) { return (int)random_between(0, count); }


static inline ImpTransform pose(double x, double y, double angle) {
  return (ImpTransform){{x, y}, {cos(angle), sin(angle)}};
}


static inline ImpTransform inverse(ImpTransform xf) { return impi_inv_mul(xf, (ImpTransform){{0, 0}, {1, 0}}); }


typedef enum Family { CIRCLE, CAPSULE, POLYGON, ROUNDED, SEGMENT, FAMILY_COUNT } Family;

static inline ImpiGeometry random_shape(Family family) {
  ImpiGeometry g = {0};
  ImpVec2 p = {random_between(-0.5, 0.5), random_between(-0.5, 0.5)};
  double angle = random_between(-3, 3), size = random_between(0.2, 1), radius = random_between(0.02, 0.3);
  ImpVec2 q = impi_add(p, impi_scale(size, impi_rot(angle).s > 0 ? impi_vec(0.8, 0.6) : impi_vec(-1, 0.1)));
  ImpStatus status = IMP_OK;
  if (family == CIRCLE) {
    status = impi_geometry_circle(&heap, p, radius, &g);
  } else if (family == CAPSULE) {
    status = impi_geometry_capsule(&heap, p, q, radius, &g);
  } else if (family == SEGMENT) {
    status = impi_geometry_segment(&heap, p, q, &g);
  } else {
    int count = 2 + random_below(7);
    double grown = family == ROUNDED ? radius : 0;
    if (count == 2) {
      status = impi_geometry_box(&heap, size, random_between(0.1, 1), p, angle, grown, &g);
    } else {
      ImpVec2 v[8];
      for (int i = 0; i < count; ++i) {
        double turn = (i + random_between(0, 0.7)) * 2 * IMPI_PI / count;
        v[i] = impi_vec(p.x + size * cos(turn), p.y + 0.6 * size * sin(turn));
      }
      status = impi_geometry_polygon(&heap, v, count, grown, &g);
    }
  }
  CHECK(status == IMP_OK);
  return g;
}


// Return a random pose of b in a's frame. The distance of the centroids is at most `reach` times the sum of both
// extents and the margin.
static inline ImpTransform random_pose(const ImpiHull *a, const ImpiHull *b, double reach, double margin) {
  double angle = random_between(-3.2, 3.2), way = random_between(-3.2, 3.2);
  double distance = reach * random_between(0, 1) * (a->extent + b->extent + margin);
  ImpTransform xf = pose(0, 0, angle);
  xf.p = impi_sub(a->centroid, impi_apply(xf, b->centroid));
  xf.p = impi_mul_add(xf.p, distance, impi_vec(cos(way), sin(way)));
  return xf;
}


// Call `check` for all ordered pairs from seven pieces. The positions of b form a grid of 0.25 m. Its angles are
// multiples of 45 degrees, 1e-9 rad and -1e-12 rad. In these poses separating axes tie, faces are parallel, corners
// coincide and lines overlap.
static inline void for_aligned_poses(void (*check)(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a)) {
  const ImpVec2 triangle[3] = {{-0.5, -0.5}, {0.5, -0.5}, {-0.5, 0.5}};
  ImpiGeometry g[7];
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0), 0.25, &g[0]) == IMP_OK);
  CHECK(impi_geometry_capsule(&heap, impi_vec(-0.5, 0), impi_vec(0.5, 0), 0.25, &g[1]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 0.5, impi_vec(0, 0), 0, 0, &g[2]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0, 0), 0, 0.25, &g[3]) == IMP_OK);
  CHECK(impi_geometry_polygon(&heap, triangle, 3, 0, &g[4]) == IMP_OK);
  CHECK(impi_geometry_polygon(&heap, triangle, 3, 0.25, &g[5]) == IMP_OK);
  CHECK(impi_geometry_segment(&heap, impi_vec(-0.5, 0), impi_vec(0.5, 0), &g[6]) == IMP_OK);
  const double half = 0.70710678118654752;
  const ImpRot turns[] = {{1, 0}, {0, 1}, {-1, 0}, {half, half}, {half, -half}, {1, 1e-9}, {1, -1e-12}};
  enum { side = 13, places = side * side, turn_count = 7 };
  for (int k = 0; k < 7 * 7 * places * turn_count; ++k) {
    int pair = k / (places * turn_count), place = k / turn_count % places;
    ImpTransform xf = {{0.25 * (place % side - side / 2), 0.25 * (place / side - side / 2)}, turns[k % turn_count]};
    check(&g[pair / 7].hulls[0], &g[pair % 7].hulls[0], xf);
  }
  for (int i = 0; i < 7; ++i) {
    impi_geometry_free(&heap, &g[i]);
  }
}


typedef struct Wide {
  long double x, y;
} Wide;

static inline Wide wide(ImpVec2 p) { return (Wide){p.x, p.y}; }
static inline Wide wide_sub(Wide p, Wide q) { return (Wide){p.x - q.x, p.y - q.y}; }
static inline long double wide_dot(Wide p, Wide q) { return p.x * q.x + p.y * q.y; }
static inline long double wide_cross(Wide p, Wide q) { return p.x * q.y - p.y * q.x; }
static inline long double wide_length(Wide p) { return sqrtl(wide_dot(p, p)); }


// The core of a piece, in a's frame: a polygon, segment or point. The piece contains all points within the radius from
// its core.
typedef struct Core {
  Wide v[IMP_MAX_VERTICES];
  int count;
  double radius;
} Core;

static inline Core core_of(const ImpiHull *hull, ImpTransform xf) {
  Core core = {.count = hull->count, .radius = hull->radius};
  for (int i = 0; i < hull->count; ++i) {
    core.v[i] = wide(impi_apply(xf, hull->v[i]));
  }
  return core;
}


static inline Wide edge_of(const Core *core, int i) {
  return wide_sub(core->v[i + 1 < core->count ? i + 1 : 0], core->v[i]);
}


// Return the distance of a point from a core, negative inside a polygon.
static inline long double wide_distance_to_core(const Core *core, Wide p) {
  long double closest = HUGE_VALL, inside = -HUGE_VALL;
  for (int i = 0; i < core->count; ++i) {
    Wide edge = edge_of(core, i), to_p = wide_sub(p, core->v[i]);
    long double length_sq = wide_dot(edge, edge), t = 0;
    if (length_sq > 0) {
      t = wide_dot(to_p, edge) / length_sq;
      t = t < 0 ? 0 : (t > 1 ? 1 : t);
      inside = fmaxl(inside, -wide_cross(edge, to_p) / sqrtl(length_sq));
    }
    closest = fminl(closest, wide_length((Wide){to_p.x - t * edge.x, to_p.y - t * edge.y}));
  }
  return core->count > 2 && inside < 0 ? inside : closest;
}


static inline double distance_to_core(const Core *core, ImpVec2 p) {
  return (double)wide_distance_to_core(core, wide(p));
}


// Compute the minimum and maximum of n . p over the points p of the core.
static inline void project(const Core *core, Wide n, long double *out_low, long double *out_high) {
  *out_low = HUGE_VALL;
  *out_high = -HUGE_VALL;
  for (int j = 0; j < core->count; ++j) {
    *out_low = fminl(*out_low, wide_dot(n, core->v[j]));
    *out_high = fmaxl(*out_high, wide_dot(n, core->v[j]));
  }
}


// Return the signed distance of two cores. For overlapping cores it is minus the smallest translation along an edge's
// normal that separates the cores. `out_tie`: difference between the best and the second best direction.
static inline double brute_separation(const Core *a, const Core *b, double *out_tie) {
  long double least = HUGE_VALL, next = HUGE_VALL;
  bool overlap = true;
  const Core *both[2] = {a, b};
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; both[k]->count > 1 && i < both[k]->count; ++i) {
      Wide edge = edge_of(both[k], i);
      long double length = wide_length(edge), a_low, a_high, b_low, b_high;
      Wide n = {-edge.y / length, edge.x / length};
      project(a, n, &a_low, &a_high);
      project(b, n, &b_low, &b_high);
      long double push = fminl(a_high - b_low, b_high - a_low);
      overlap = overlap && push > 0;
      next = fminl(next, fmaxl(push, least));
      least = fminl(least, push);
    }
  }
  *out_tie = (double)(next - least);
  if (overlap && a->count > 1 && b->count > 1) {
    return (double)-least;
  }
  long double closest = HUGE_VALL;
  *out_tie = HUGE_VAL;
  for (int i = 0; i < a->count; ++i) {
    closest = fminl(closest, wide_distance_to_core(b, a->v[i]));
  }
  for (int i = 0; i < b->count; ++i) {
    closest = fminl(closest, wide_distance_to_core(a, b->v[i]));
  }
  return (double)closest;
}

#endif
