// Quality of a simulated scene, computed from poses and velocities only.
#ifndef BENCH_QUALITY_H
#define BENCH_QUALITY_H

#include "scene_mass.h"

// Current state of a body. Static bodies stay where the scene puts them.
typedef struct Pose {
  double x, y, angle;
  double vx, vy, w; // velocity of the centre of mass, angular velocity
  bool there;
} Pose;

typedef struct Quality {
  int moving;     // number of dynamic bodies that exist, over which height, sink and kinetic are averaged
  int pins;       // number of pins whose bodies exist
  int lost;       // number of dynamic bodies whose origin is outside the scene's region
  double height;  // mean y of the origins [m]
  double sink;    // mean distance that the bodies moved down [m]
  double kinetic; // mean kinetic energy [J]
  double overlap; // deepest overlap of two pieces that are not segments or loops [m]
  double crowd;   // mean overlap of two overlapping pieces [m]
  double gap;     // mean distance between the two anchors of a pin [m]
  double gap_max; // largest distance between the two anchors of a pin [m]
} Quality;

enum { QUALITY_POINTS = 8 }; // largest number of corners of a polygon

// A piece in world coordinates: its points, its bounding box, its body and its world.
typedef struct Placed {
  const Piece *piece;
  int body, world;
  bool moves;
  Point points[QUALITY_POINTS];
  double left, right, low, high;
} Placed;


// Order pieces by world, and from left to right in a world.
static inline int quality_by_left(const void *a, const void *b) {
  int world_a = ((const Placed *)a)->world, world_b = ((const Placed *)b)->world;
  if (world_a != world_b) return world_a < world_b ? -1 : 1;
  double left_a = ((const Placed *)a)->left, left_b = ((const Placed *)b)->left;
  return (left_a > left_b) - (left_a < left_b);
}


static inline Point quality_point(const Pose *pose, Point local) {
  double c = cos(pose->angle), s = sin(pose->angle);
  Point point = {pose->x + c * local.x - s * local.y, pose->y + s * local.x + c * local.y};
  return point;
}


static inline double quality_to_edge(Point p, Point a, Point b) {
  double ex = b.x - a.x, ey = b.y - a.y, dx = p.x - a.x, dy = p.y - a.y, sq = ex * ex + ey * ey;
  double t = sq > 0 ? fmin(fmax((dx * ex + dy * ey) / sq, 0), 1) : 0;
  return hypot(dx - t * ex, dy - t * ey);
}


// Compute the least distance of b's points from a's edges, and the separation along a's normals.
static inline void quality_apart(const Placed *a, const Placed *b, double *distance, double *along) {
  int count = a->piece->count;
  for (int i = 0; i < count; ++i) {
    Point from = a->points[i], to = a->points[(i + 1) % count];
    double ex = to.x - from.x, ey = to.y - from.y, length = hypot(ex, ey), lowest = SCENE_INFINITE;
    for (int j = 0; j < b->piece->count; ++j) {
      Point p = b->points[j];
      *distance = fmin(*distance, quality_to_edge(p, from, to));
      if (length > 0) lowest = fmin(lowest, ((p.x - from.x) * ey - (p.y - from.y) * ex) / length);
    }
    if (length > 0) *along = fmax(*along, lowest);
  }
}


// Return the distance of two pieces. If they overlap, return minus the length of a translation that separates them:
// along the line between their nearest points or, if they overlap even without their radii, along the edge normal of
// least overlap.
static inline double quality_separation(const Placed *a, const Placed *b) {
  double distance = SCENE_INFINITE, along = -SCENE_INFINITE;
  quality_apart(a, b, &distance, &along);
  quality_apart(b, a, &distance, &along);
  bool apart = along >= 0 || (a->piece->count == 1 && b->piece->count == 1);
  return (apart ? distance : along) - a->piece->radius - b->piece->radius;
}


static inline Placed quality_place(const Scene *scene, const Pose *pose, int body, const Piece *piece) {
  const Body *data = &scene->bodies[body];
  Placed placed = {piece,          body,           data->world,     data->kind == BODY_DYNAMIC,
                   {{0, 0}},       SCENE_INFINITE, -SCENE_INFINITE, SCENE_INFINITE,
                   -SCENE_INFINITE};
  for (int i = 0; i < piece->count; ++i) {
    Point point = placed.points[i] = quality_point(pose, scene->points[piece->first + i]);
    placed.left = fmin(placed.left, point.x - piece->radius);
    placed.right = fmax(placed.right, point.x + piece->radius);
    placed.low = fmin(placed.low, point.y - piece->radius);
    placed.high = fmax(placed.high, point.y + piece->radius);
  }
  return placed;
}


// Visit all pairs of pieces in the same world whose bounding boxes overlap.
static inline void quality_sweep(Placed *placed, int count, Quality *quality) {
  int pairs = 0;
  double sum = 0;
  qsort(placed, (size_t)count, sizeof *placed, quality_by_left);
  for (int i = 0; i < count; ++i) {
    const Placed *a = &placed[i];
    for (const Placed *b = a + 1; b < placed + count && b->world == a->world && b->left <= a->right; ++b) {
      if (a->low > b->high || b->low > a->high || a->body == b->body || !(a->moves || b->moves)) continue;
      if (!scene_meet(&a->piece->surface, &b->piece->surface)) continue;
      double separation = quality_separation(a, b);
      if (separation >= 0) continue;
      ++pairs;
      sum -= separation;
      quality->overlap = fmax(quality->overlap, -separation);
    }
  }
  quality->crowd = pairs > 0 ? sum / pairs : 0;
}


static inline void quality_overlaps(const Scene *scene, const Pose *poses, Quality *quality) {
  int count = 0;
  Placed *placed = (Placed *)malloc((size_t)(scene->piece_count + 1) * sizeof *placed);
  for (int i = 0; i < scene->count && placed != NULL; ++i) {
    const Body *body = &scene->bodies[i];
    for (int k = body->first; poses[i].there && k < body->first + body->count; ++k) {
      const Piece *piece = &scene->pieces[k];
      if (piece->kind == PIECE_SEGMENT || piece->kind == PIECE_LOOP) continue;
      placed[count++] = quality_place(scene, &poses[i], i, piece);
    }
  }
  if (placed != NULL) quality_sweep(placed, count, quality);
  free(placed);
}


static inline void quality_gaps(const Scene *scene, const Pose *poses, Quality *quality) {
  for (int i = 0; i < scene->pin_count; ++i) {
    const Pin *pin = &scene->pins[i];
    if (!poses[pin->a].there || !poses[pin->b].there) continue;
    const Point at_a = {pin->x_a, pin->y_a}, at_b = {pin->x_b, pin->y_b};
    Point a = quality_point(&poses[pin->a], at_a), b = quality_point(&poses[pin->b], at_b);
    double gap = hypot(b.x - a.x, b.y - a.y);
    ++quality->pins;
    quality->gap += gap;
    quality->gap_max = fmax(quality->gap_max, gap);
  }
  if (quality->pins > 0) quality->gap /= quality->pins;
}


static inline bool quality_out(const Scene *scene, const Pose *poses, const Pose *pose) {
  const Region *region = &scene->region;
  if (region->body < 0) return false;
  const Pose *frame = &poses[region->body];
  double c = cos(frame->angle), s = sin(frame->angle), dx = pose->x - frame->x, dy = pose->y - frame->y;
  double x = c * dx + s * dy - region->x, y = c * dy - s * dx - region->y;
  if (region->disc) return !(hypot(x, y) <= region->half_width);
  return !(fabs(x) <= region->half_width && fabs(y) <= region->half_height);
}


// Compute the quality from an array with the poses of all bodies of the scene, in order.
static inline Quality quality_of(const Scene *scene, const Pose *poses) {
  Quality quality = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < scene->count; ++i) {
    const Body *body = &scene->bodies[i];
    const Pose *pose = &poses[i];
    if (body->kind != BODY_DYNAMIC || !pose->there) continue;
    Mass mass = mass_of_body(scene, body);
    ++quality.moving;
    quality.lost += quality_out(scene, poses, pose);
    quality.height += pose->y;
    quality.sink += body->y - pose->y;
    quality.kinetic +=
        0.5 * (mass.mass * (pose->vx * pose->vx + pose->vy * pose->vy) + mass.inertia * pose->w * pose->w);
  }
  double part = quality.moving > 0 ? 1.0 / quality.moving : 0;
  quality.height *= part;
  quality.sink *= part;
  quality.kinetic *= part;
  quality_overlaps(scene, poses, &quality);
  quality_gaps(scene, poses, &quality);
  return quality;
}

#endif
