// Random simple outlines, some with holes.
#ifndef RANDOM_OUTLINE_H
#define RANDOM_OUTLINE_H

#include <math.h>
#include <string.h>

#include "geometry/decompose.h"

#define MAX_OUTLINE 2048

typedef enum Family { STAR, SPIRAL, COMB, TOUR, CELLS, NEEDLES, HOLES, FAMILY_COUNT } Family;

typedef struct RandomOutline {
  ImpVec2 points[MAX_OUTLINE];
  int32_t ends[64];
  int32_t ring_count;
  uint64_t state;
} RandomOutline;


static inline double outline_random(RandomOutline *o, double lower, double upper) {
  o->state = o->state * 6364136223846793005u + 1442695040888963407u;
  return lower + (upper - lower) * (double)(o->state >> 11) * 0x1p-53;
}


static inline int outline_below(RandomOutline *o, int count) { return (int)outline_random(o, 0, count); }


static inline void put_point(RandomOutline *o, int *count, double x, double y) {
  o->points[(*count)++] = (ImpVec2){x, y};
}


static inline int put_star(RandomOutline *o, int at, int corners, ImpVec2 center, double low, double high, bool hole) {
  for (int i = 0; i < corners; ++i) {
    double turn = 2 * IMPI_PI * (i + outline_random(o, 0, 0.8)) / corners, r = outline_random(o, low, high);
    put_point(o, &at, center.x + r * cos(turn), center.y + (hole ? -1 : 1) * r * sin(turn));
  }
  return at;
}


static inline int put_spiral(RandomOutline *o) {
  int n = 20 + outline_below(o, 60), count = 0;
  double width = outline_random(o, 0.05, 0.9);
  for (int i = 0; i < n; ++i) {
    double turn = 0.4 * i;
    put_point(o, &count, (1 + 0.2 * turn + width) * cos(turn), (1 + 0.2 * turn + width) * sin(turn));
  }
  for (int i = n - 1; i >= 0; --i) {
    double turn = 0.4 * i;
    put_point(o, &count, (1 + 0.2 * turn) * cos(turn), (1 + 0.2 * turn) * sin(turn));
  }
  return count;
}


// Teeth that point up, with all feet on one line.
static inline int put_comb(RandomOutline *o) {
  int teeth = 3 + outline_below(o, 60), count = 0;
  put_point(o, &count, 0, -1);
  put_point(o, &count, 4.0 * teeth, -1);
  put_point(o, &count, 4.0 * teeth, 0);
  for (int i = teeth - 1; i >= 0; --i) {
    double lean = outline_random(o, -0.9, 0.9), height = outline_random(o, 0.01, 20);
    put_point(o, &count, 4.0 * i + 3, 0);
    put_point(o, &count, 4.0 * i + 2.5 + lean, height);
    put_point(o, &count, 4.0 * i + 1.5 + lean, height);
    put_point(o, &count, 4.0 * i + 1, 0);
  }
  put_point(o, &count, 0, 0);
  return count;
}


// Random points, reordered until no two edges cross.
static inline int put_tour(RandomOutline *o) {
  int n = 5 + outline_below(o, 50);
  int count = 0;
  for (int i = 0; i < n; ++i) {
    put_point(o, &count, outline_random(o, -10, 10), outline_random(o, -10, 10));
  }
  for (bool again = true; again;) {
    again = false;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 2; j < n; ++j) {
        ImpVec2 *p = o->points;
        ImpVec2 a = p[i], b = p[i + 1], c = p[j], d = p[(j + 1) % n];
        if ((i > 0 || j < n - 1) && impi_turn(a, b, c) * impi_turn(a, b, d) < 0 &&
            impi_turn(c, d, a) * impi_turn(c, d, b) < 0) {
          for (int low = i + 1, high = j; low < high; ++low, --high) {
            ImpVec2 swap = p[low];
            p[low] = p[high];
            p[high] = swap;
          }
          again = true;
        }
      }
    }
  }
  return n;
}


// Columns of unit cells, with a vertex at every cell.
static inline int put_cells(RandomOutline *o) {
  int columns = 2 + outline_below(o, 30), count = 0, heights[32];
  for (int i = 0; i < columns; ++i) {
    heights[i] = 1 + outline_below(o, 8);
  }
  for (int i = 0; i <= columns; ++i) {
    put_point(o, &count, i, 0);
  }
  for (int i = columns - 1, at = 0; i >= 0; --i) {
    for (; at < heights[i]; ++at) put_point(o, &count, i + 1, at + 1);
    for (; at > heights[i]; --at) put_point(o, &count, i + 1, at - 1);
    if (i > 0) put_point(o, &count, i, at);
    for (int y = at - 1; i == 0 && y > 0; --y) put_point(o, &count, 0, y + 1);
    if (i == 0) put_point(o, &count, 0, 1);
  }
  // Rotate half of the outlines, so that their straight edges are straight only to rounding.
  double angle = outline_below(o, 2) * outline_random(o, 0, 6), c = cos(angle), s = sin(angle);
  int kept = 0;
  for (int i = 0; i < count; ++i) { // leave out a vertex that repeats the vertex before it
    ImpVec2 p = {c * o->points[i].x - s * o->points[i].y, s * o->points[i].x + c * o->points[i].y};
    if (kept == 0 || impi_length(impi_sub(p, o->points[kept - 1])) > 0.5) o->points[kept++] = p;
  }
  return kept;
}


// Teeth separated by gaps, all of one width between 0.13 mm and 0.1 m.
static inline int put_needles(RandomOutline *o) {
  int teeth = 2 + outline_below(o, 20), count = 0;
  double thin = pow(10, outline_random(o, -3.9, -1));
  put_point(o, &count, -1, -1e-3);
  put_point(o, &count, 2 * thin * teeth + 1, -1e-3);
  for (int i = teeth - 1; i >= 0; --i) {
    put_point(o, &count, 2 * thin * i + 1.5 * thin, 0);
    put_point(o, &count, 2 * thin * i + thin, outline_random(o, 1, 100));
    put_point(o, &count, 2 * thin * i + 0.5 * thin, 0);
  }
  return count;
}


// A star with small star-shaped holes on a grid, some nearly touching.
static inline int put_holes(RandomOutline *o) {
  int count = put_star(o, 0, 5 + outline_below(o, 60), impi_vec(0, 0), 12, 20, false);
  o->ends[o->ring_count++] = count;
  for (int x = -2; x <= 2; ++x) {
    for (int y = -2; y <= 2; ++y) {
      if (outline_below(o, 3) > 0 && o->ring_count < 20) {
        count = put_star(o, count, 3 + outline_below(o, 9), impi_vec(3 * x, 3 * y), 0.2, 1.49, true);
        o->ends[o->ring_count++] = count;
      }
    }
  }
  return 0;
}


// Return outline number `seed` of a family.
static inline ImpiOutline random_outline(RandomOutline *o, Family family, uint64_t seed) {
  o->state = seed * 2654435761u + 17;
  o->ring_count = 0;
  outline_random(o, 0, 1);
  int count = 0;
  if (family == STAR) count = put_star(o, 0, 3 + outline_below(o, 200), impi_vec(3, 5), 0.5, 10, false);
  if (family == SPIRAL) count = put_spiral(o);
  if (family == COMB) count = put_comb(o);
  if (family == TOUR) count = put_tour(o);
  if (family == CELLS) count = put_cells(o);
  if (family == NEEDLES) count = put_needles(o);
  if (family == HOLES) count = put_holes(o);
  if (count > 0) {
    o->ends[o->ring_count++] = count;
    double twice = 0;
    for (int i = 0; i < count; ++i) {
      twice += impi_cross(o->points[i], o->points[(i + 1) % count]);
    }
    for (int low = 0, high = count - 1; twice < 0 && low < high; ++low, --high) {
      ImpVec2 swap = o->points[low];
      o->points[low] = o->points[high];
      o->points[high] = swap;
    }
  }
  return (ImpiOutline){o->points, o->ends, o->ring_count};
}

#endif
