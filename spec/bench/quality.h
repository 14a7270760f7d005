// How well a scene was simulated, from the poses and velocities alone, so that all engines are judged by one measure.
// C17 and C++17.
#ifndef BENCH_QUALITY_H
#define BENCH_QUALITY_H

#include "scenes.h"

// Where a piece is now. Static pieces stay where the scene puts them.
typedef struct Pose {
  double x, y, angle;
  double vx, vy, w;
} Pose;

typedef struct Quality {
  double height;  // y of the moving pieces, mean [m]
  double sink;    // how far they came down, mean [m]
  double kinetic; // kinetic energy of a moving piece, mean [J]
  double overlap; // deepest overlap of two pieces, segments left out [m]
  double crowd;   // overlap of the pairs that do overlap, mean [m]
  double gap;     // distance between the two points that a pin makes one, mean [m]
  double gap_max; // the same, of the worst pin [m]
} Quality;

// A piece in place: its frame and the box around it.
typedef struct Placed {
  const Piece *piece;
  double x, y, c, s;
  double left, right, low, high;
} Placed;


static inline int quality_by_left(const void *a, const void *b) {
  double left_a = ((const Placed *)a)->left, left_b = ((const Placed *)b)->left;
  return (left_a > left_b) - (left_a < left_b);
}


// Separation of two boxes along the axes of the first; an overlap is never deeper than along any axis.
static inline double quality_along(const Placed *a, const Placed *b) {
  double x = a->c * (b->x - a->x) + a->s * (b->y - a->y), y = a->c * (b->y - a->y) - a->s * (b->x - a->x);
  double c = fabs(a->c * b->c + a->s * b->s), s = fabs(a->c * b->s - a->s * b->c);
  double along_x = fabs(x) - a->piece->p - (c * b->piece->p + s * b->piece->q);
  double along_y = fabs(y) - a->piece->q - (s * b->piece->p + c * b->piece->q);
  return fmax(along_x, along_y);
}


static inline double quality_box_circle(const Placed *box, const Placed *circle) {
  double dx = circle->x - box->x, dy = circle->y - box->y;
  double x = fabs(box->c * dx + box->s * dy) - box->piece->p, y = fabs(box->c * dy - box->s * dx) - box->piece->q;
  double outside = hypot(fmax(x, 0), fmax(y, 0));
  return (outside > 0 ? outside : fmax(x, y)) - circle->piece->p;
}


// Negative is overlap; for pieces apart only the sign is right.
static inline double quality_separation(const Placed *a, const Placed *b) {
  bool circle_a = a->piece->kind == PIECE_CIRCLE, circle_b = b->piece->kind == PIECE_CIRCLE;
  if (circle_a && circle_b) return hypot(b->x - a->x, b->y - a->y) - a->piece->p - b->piece->p;
  if (circle_a) return quality_box_circle(b, a);
  if (circle_b) return quality_box_circle(a, b);
  return fmax(quality_along(a, b), quality_along(b, a));
}


static inline Placed quality_place(const Piece *piece, const Pose *pose) {
  Placed placed = {piece, pose->x, pose->y, cos(pose->angle), sin(pose->angle), 0, 0, 0, 0};
  bool box = piece->kind == PIECE_BOX;
  double c = fabs(placed.c), s = fabs(placed.s);
  double half_x = box ? c * piece->p + s * piece->q : piece->p, half_y = box ? s * piece->p + c * piece->q : piece->p;
  placed.left = pose->x - half_x;
  placed.right = pose->x + half_x;
  placed.low = pose->y - half_y;
  placed.high = pose->y + half_y;
  return placed;
}


// Sweep from left to right over all pairs whose boxes overlap.
static inline void quality_overlaps(Placed *placed, int count, Quality *quality) {
  int pairs = 0;
  double sum = 0;
  qsort(placed, (size_t)count, sizeof *placed, quality_by_left);
  for (int i = 0; i < count; ++i) {
    const Placed *a = &placed[i];
    for (const Placed *b = a + 1; b < placed + count && b->left <= a->right; ++b) {
      if (a->low > b->high || b->low > a->high || !(a->piece->moves || b->piece->moves)) continue;
      if (!scene_meet(a->piece, b->piece)) continue;
      double separation = quality_separation(a, b);
      if (separation >= 0) continue;
      ++pairs;
      sum -= separation;
      quality->overlap = fmax(quality->overlap, -separation);
    }
  }
  quality->crowd = pairs > 0 ? sum / pairs : 0;
}


static inline void quality_gaps(const Scene *scene, const Pose *poses, Quality *quality) {
  for (int i = 0; i < scene->pin_count; ++i) {
    const Pin *pin = &scene->pins[i];
    const Pose *a = &poses[pin->a], *b = &poses[pin->b];
    double c_a = cos(a->angle), s_a = sin(a->angle), c_b = cos(b->angle), s_b = sin(b->angle);
    double x = b->x + c_b * pin->x_b - s_b * pin->y_b - a->x - c_a * pin->x_a + s_a * pin->y_a;
    double y = b->y + s_b * pin->x_b + c_b * pin->y_b - a->y - s_a * pin->x_a - c_a * pin->y_a;
    quality->gap += hypot(x, y) / scene->pin_count;
    quality->gap_max = fmax(quality->gap_max, hypot(x, y));
  }
}


// The poses are those of the scene's pieces, in their order   (scene->count)
static inline Quality quality_of(const Scene *scene, const Pose *poses) {
  Quality quality = {0, 0, 0, 0, 0, 0, 0};
  Placed *placed = (Placed *)malloc((size_t)(scene->count + 1) * sizeof *placed);
  int count = 0;
  for (int i = 0; i < scene->count && placed != NULL; ++i) {
    const Piece *piece = &scene->pieces[i];
    const Pose *pose = &poses[i];
    if (piece->kind != PIECE_SEGMENT) placed[count++] = quality_place(piece, pose);
    if (!piece->moves) continue;
    bool box = piece->kind == PIECE_BOX;
    double mass = SCENE_DENSITY * (box ? 4 * piece->p * piece->q : 3.14159265358979 * piece->p * piece->p);
    double inertia = mass * (box ? (piece->p * piece->p + piece->q * piece->q) / 3 : piece->p * piece->p / 2);
    quality.height += pose->y / scene->moving;
    quality.sink += (piece->y - pose->y) / scene->moving;
    quality.kinetic +=
        0.5 * (mass * (pose->vx * pose->vx + pose->vy * pose->vy) + inertia * pose->w * pose->w) / scene->moving;
  }
  if (placed != NULL) quality_overlaps(placed, count, &quality);
  quality_gaps(scene, poses, &quality);
  free(placed);
  return quality;
}

#endif
