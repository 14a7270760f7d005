// Boxes in float, rounded outwards, for a quick test that never misses an overlap.
#ifndef IMPI_SMALL_BOX_H
#define IMPI_SMALL_BOX_H

#include <string.h>

#include "base/maths.h"

// A box rounded outwards: lower x, lower y, -upper x, -upper y, for one comparison of four numbers
typedef struct ImpiSmallBox {
  float edge[4];
} ImpiSmallBox;

typedef float ImpiSmallEdges __attribute__((vector_size(16)));
typedef int64_t ImpiSmallHits __attribute__((vector_size(16)));

// Largest coordinate of a small box [m]; larger coordinates are clamped.
#define IMPI_SMALL_BOX_END 1e17

// Return a box that overlaps nothing.
static inline ImpiSmallBox impi_small_nothing(void) {
  return (ImpiSmallBox){{__builtin_inff(), __builtin_inff(), __builtin_inff(), __builtin_inff()}};
}

// Return a float not above x. Conversion to float changes x by at most 2^-24 |x| or the least normal float.
static inline float impi_small_floor(double x) {
  x = impi_clamp(x, -IMPI_SMALL_BOX_END, IMPI_SMALL_BOX_END);
  return (float)(x - fabs(x) * 0x1p-23 - 0x1p-120);
}

static inline ImpiSmallBox impi_small_box(ImpAabb box) {
  return (ImpiSmallBox){{impi_small_floor(box.lower.x), impi_small_floor(box.lower.y), impi_small_floor(-box.upper.x),
                         impi_small_floor(-box.upper.y)}};
}

// Return the numbers with which impi_small_overlaps compares the edges of another box.
static inline ImpiSmallEdges impi_small_probe(const ImpiSmallBox *box) {
  return (ImpiSmallEdges){-box->edge[2], -box->edge[3], -box->edge[0], -box->edge[1]};
}

static inline bool impi_small_overlaps(const ImpiSmallBox *box, ImpiSmallEdges probe) {
  ImpiSmallEdges edges;
  memcpy(&edges, box->edge, sizeof edges); // copied, because `edge` may be unaligned
  ImpiSmallHits hits = (ImpiSmallHits)(edges <= probe);
  return (hits[0] & hits[1]) == -1;
}

#endif
