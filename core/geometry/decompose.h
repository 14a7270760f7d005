// Decomposition of outlines with holes into convex pieces.
#ifndef IMPI_DECOMPOSE_H
#define IMPI_DECOMPOSE_H

#include "base/array.h"
#include "base/maths.h"

// Rings of points, one after another: the outline counter-clockwise, each hole clockwise. The material is on the left
// of every edge. Each ring is simple, edges meet only at common points, and holes are inside the outline and outside
// each other. Points in the middle of a straight edge are allowed.
typedef struct ImpiOutline {
  const ImpVec2 *points;
  const int32_t *ends; // ring k is points[ends[k - 1]] .. points[ends[k] - 1]   (ring_count)
  int32_t ring_count;
} ImpiOutline;

// Convex pieces as lists of the outline's points, counter-clockwise, 3 to IMP_MAX_VERTICES per piece. Pieces share
// edges or parts of edges but no area; together they cover the outline's area.
typedef struct ImpiPieces {
  IMPI_ARRAY(int32_t) index; // indices of the outline's points, piece after piece
  IMPI_ARRAY(int32_t) end;   // piece k is index[end[k - 1]] .. index[end[k] - 1]
  IMPI_ARRAY(bool) inner;    // whether the edge that begins at index[i] is shared with another piece
} ImpiPieces;

// Decompose an outline. False when out of memory. In either case `out_pieces` must be freed with impi_pieces_free.
bool impi_decompose(ImpiHeap *heap, const ImpiOutline *outline, ImpiPieces *out_pieces);
void impi_pieces_free(ImpiHeap *heap, ImpiPieces *pieces);

// Return the sign of the turn a -> b -> c: 1 left, -1 right, 0 straight. Exact.
int impi_turn(ImpVec2 a, ImpVec2 b, ImpVec2 c);

// Return whether the segments a-b and c-d have a point in common. Exact.
bool impi_segments_meet(ImpVec2 a, ImpVec2 b, ImpVec2 c, ImpVec2 d);

static inline int32_t impi_ring_begin(const ImpiOutline *outline, int ring) {
  return ring > 0 ? outline->ends[ring - 1] : 0;
}

#endif
