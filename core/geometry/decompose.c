// Ear clipping into triangles, then removal of inner edges (Hertel and Mehlhorn 1983: at most four times as many pieces
// as the best decomposition).
//
// A bridge joins each hole to the ring around the hole. The ring passes the bridge in both directions. A bridge is
// removed like any inner edge. Turns are decided exactly (Shewchuk 1997: sums of non-overlapping doubles). Of several
// ears, the ear with the shortest new edge is clipped, because this makes fewer needles.
#include "geometry/decompose.h"

#include <string.h>

// Distance [m] from the line through the previous and the next point, within which a point is not a corner.
static const double straight_height = 1e-10;


// ---------------------------------------------------------------------------------------------------------------------
// The sign of a turn
// ---------------------------------------------------------------------------------------------------------------------

// a b = product + error, exactly (Dekker 1971).
static void two_product(double a, double b, double *out_product, double *out_error) {
  const double splitter = 134217729.0; // 2^27 + 1
  double product = a * b, ca = splitter * a, cb = splitter * b;
  double a_high = ca - (ca - a), a_low = a - a_high, b_high = cb - (cb - b), b_low = b - b_high;
  *out_product = product;
  *out_error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
}


// Add b to the expansion `terms`: doubles of increasing size that do not overlap. Returns the new number of terms.
static int grow_expansion(double *terms, int count, double b) {
  double q = b;
  for (int i = 0; i < count; ++i) {
    double sum = q + terms[i], virtual_b = sum - q;
    double error = (q - (sum - virtual_b)) + (terms[i] - virtual_b);
    terms[i] = error;
    q = sum;
  }
  terms[count] = q;
  return count + 1;
}


int impi_turn(ImpVec2 a, ImpVec2 b, ImpVec2 c) {
  double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x), turn = left - right;
  // Shewchuk's error bound
  if (fabs(turn) > 3.3306690738754716e-16 * (fabs(left) + fabs(right))) {
    return turn > 0 ? 1 : -1;
  }
  const double factors[6][2] = {{a.x, b.y}, {-a.x, c.y}, {-c.x, b.y}, {-a.y, b.x}, {a.y, c.x}, {c.y, b.x}};
  double terms[12];
  int count = 0;
  for (int i = 0; i < 6; ++i) {
    double product, error;
    two_product(factors[i][0], factors[i][1], &product, &error);
    count = grow_expansion(terms, count, error);
    count = grow_expansion(terms, count, product);
  }
  for (int i = count - 1; i >= 0; --i) { // the sign of the largest nonzero term is the sign of the sum
    if (terms[i] != 0) {
      return terms[i] > 0 ? 1 : -1;
    }
  }
  return 0;
}


// Return whether b is between a and c, for three points on one line.
static bool is_between(ImpVec2 a, ImpVec2 b, ImpVec2 c) {
  return impi_min(a.x, c.x) <= b.x && b.x <= impi_max(a.x, c.x) && impi_min(a.y, c.y) <= b.y &&
         b.y <= impi_max(a.y, c.y);
}


bool impi_segments_meet(ImpVec2 a, ImpVec2 b, ImpVec2 c, ImpVec2 d) {
  int abc = impi_turn(a, b, c), abd = impi_turn(a, b, d), cda = impi_turn(c, d, a), cdb = impi_turn(c, d, b);
  if (abc * abd < 0 && cda * cdb < 0) {
    return true;
  }
  return (abc == 0 && is_between(a, c, b)) || (abd == 0 && is_between(a, d, b)) || (cda == 0 && is_between(c, a, d)) ||
         (cdb == 0 && is_between(c, b, d));
}


// ---------------------------------------------------------------------------------------------------------------------
// One ring for the outline and its holes
// ---------------------------------------------------------------------------------------------------------------------

// A half edge: one side of an edge of the outline or of an inner edge. It belongs to the triangle or piece on its left.
typedef struct HalfEdge {
  int32_t from;           // point of the outline
  int32_t next, previous; // half edges after and before it around the piece
  int32_t twin;           // half edge on the other side, -1 on the outline
  bool gone;
} HalfEdge;

typedef struct Cut {
  ImpiHeap *heap;
  IMPI_ARRAY(ImpVec2) corners;        // the outline's points except those on straight edges
  IMPI_ARRAY(int32_t) names;          // index of each corner among the points of the outline
  IMPI_ARRAY(int32_t) ends;           // end of each ring in `corners`
  const ImpVec2 *points;              // the points in `corners`
  IMPI_ARRAY(int32_t) ring;           // points in the order of the ring
  IMPI_ARRAY(int32_t) next, previous; // next and previous point in the ring, without clipped points
  IMPI_ARRAY(int32_t) beside;         // half edge on the outer side of the ring's edge that begins at each point, or -1
  IMPI_ARRAY(bool) ear;
  IMPI_ARRAY(HalfEdge) edges;
  IMPI_ARRAY(int32_t) order; // inner edges, in the order in which they are removed
} Cut;


static bool is_straight(ImpVec2 before, ImpVec2 here, ImpVec2 after) {
  ImpVec2 base = impi_sub(after, before);
  return fabs(impi_cross(impi_sub(here, before), base)) <= straight_height * impi_length(base);
}


// Copy the corners of the outline.
static ImpiOutline take_corners(Cut *cut, const ImpiOutline *outline) {
  for (int ring = 0; ring < outline->ring_count; ++ring) {
    int32_t begin = impi_ring_begin(outline, ring), end = outline->ends[ring], first = cut->corners.count;
    for (int32_t i = begin; i < end; ++i) {
      ImpVec2 before =
          cut->corners.count > first ? cut->corners.data[cut->corners.count - 1] : outline->points[end - 1];
      ImpVec2 after = outline->points[i + 1 < end ? i + 1 : begin];
      bool needed = cut->corners.count - first + (end - i) <= 3; // a ring keeps at least three corners
      if (needed || !is_straight(before, outline->points[i], after)) {
        cut->names.data[cut->corners.count] = i;
        cut->corners.data[cut->corners.count++] = outline->points[i];
      }
    }
    cut->ends.data[ring] = cut->corners.count;
  }
  cut->points = cut->corners.data;
  return (ImpiOutline){cut->corners.data, cut->ends.data, outline->ring_count};
}


static ImpVec2 ring_point(const Cut *cut, int place) { return cut->points[cut->ring.data[place]]; }


// Return whether the direction from b to p is inside the corner a -> b -> c, the sides of the corner excluded.
static bool in_cone(ImpVec2 a, ImpVec2 b, ImpVec2 c, ImpVec2 p) {
  bool left_of_in = impi_turn(a, b, p) > 0, left_of_out = impi_turn(b, c, p) > 0;
  int corner = impi_turn(a, b, c);
  if (corner > 0) {
    return left_of_in && left_of_out;
  }
  if (corner == 0) { // straight
    return left_of_in;
  }
  return left_of_in || left_of_out;
}


// Return whether no edge of the ring or of an unjoined hole crosses the segment p q.
static bool is_clear(const Cut *cut, const ImpiOutline *outline, const bool *joined, int32_t p, int32_t q) {
  ImpVec2 a = cut->points[p], b = cut->points[q];
  for (int k = 0; k < cut->ring.count; ++k) {
    int32_t c = cut->ring.data[k], d = cut->ring.data[k + 1 < cut->ring.count ? k + 1 : 0];
    if (c != p && c != q && d != p && d != q && impi_segments_meet(a, b, cut->points[c], cut->points[d])) {
      return false;
    }
  }
  for (int ring = 1; ring < outline->ring_count; ++ring) {
    int32_t begin = impi_ring_begin(outline, ring), end = outline->ends[ring];
    for (int32_t c = begin; c < end && !joined[ring]; ++c) {
      int32_t d = c + 1 < end ? c + 1 : begin;
      if (c != q && d != q && impi_segments_meet(a, b, cut->points[c], cut->points[d])) {
        return false;
      }
    }
  }
  return true;
}


// After the point `place` of the ring, insert a bridge to the hole's point `touch`, then the points of the hole, then
// the same bridge back to `place`.
static void splice(Cut *cut, int place, const ImpiOutline *outline, int hole, int32_t touch) {
  int32_t begin = impi_ring_begin(outline, hole), count = outline->ends[hole] - begin;
  int32_t *ring = cut->ring.data;
  memmove(&ring[place + count + 2], &ring[place], (size_t)(cut->ring.count - place) * sizeof *ring);
  for (int32_t k = 0; k <= count; ++k) {
    ring[place + 1 + k] = begin + (touch - begin + k) % count;
  }
  cut->ring.count += count + 2;
}


// Return the unjoined hole that reaches farthest to the right, or -1. Its rightmost point is visible from a point of
// the ring.
static int next_hole(const Cut *cut, const ImpiOutline *outline, const bool *joined, int32_t *out_rightmost) {
  int hole = -1;
  for (int ring = 1; ring < outline->ring_count; ++ring) {
    for (int32_t i = impi_ring_begin(outline, ring); i < outline->ends[ring] && !joined[ring]; ++i) {
      if (hole < 0 || cut->points[i].x > cut->points[*out_rightmost].x) {
        hole = ring;
        *out_rightmost = i;
      }
    }
  }
  return hole;
}


static void join_hole(Cut *cut, const ImpiOutline *outline, bool *joined, int hole, int32_t rightmost) {
  ImpVec2 p = cut->points[rightmost];
  // Try points of the ring from the nearest to the farthest. `tried`: squared distance of the previous point;
  // `tried_at`: its index in the ring.
  double tried = -1;
  int tried_at = -1;
  for (;;) {
    double nearest = HUGE_VAL;
    int at = -1;
    for (int k = 0; k < cut->ring.count; ++k) {
      double distance = impi_length_sq(impi_sub(ring_point(cut, k), p));
      bool before = distance < tried || (distance == tried && k <= tried_at);
      if (!before && distance < nearest) {
        nearest = distance;
        at = k;
      }
    }
    if (at < 0) {
      return; // unreachable, because some point of a checked ring is visible
    }
    tried = nearest;
    tried_at = at;
    int last = cut->ring.count - 1;
    ImpVec2 before = ring_point(cut, at > 0 ? at - 1 : last), after = ring_point(cut, at < last ? at + 1 : 0);
    if (in_cone(before, ring_point(cut, at), after, p) &&
        is_clear(cut, outline, joined, cut->ring.data[at], rightmost)) {
      splice(cut, at, outline, hole, rightmost);
      joined[hole] = true;
      return;
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Triangles
// ---------------------------------------------------------------------------------------------------------------------


// Return whether the triangle at a corner has area and contains no other point of the ring.
static bool is_ear(const Cut *cut, int32_t i) {
  int32_t before = cut->previous.data[i], after = cut->next.data[i];
  int32_t ids[3] = {cut->ring.data[before], cut->ring.data[i], cut->ring.data[after]};
  ImpVec2 a = cut->points[ids[0]], b = cut->points[ids[1]], c = cut->points[ids[2]];
  if (impi_turn(a, b, c) <= 0) {
    return false;
  }
  ImpVec2 low = {impi_min(a.x, impi_min(b.x, c.x)), impi_min(a.y, impi_min(b.y, c.y))};
  ImpVec2 high = {impi_max(a.x, impi_max(b.x, c.x)), impi_max(a.y, impi_max(b.y, c.y))};
  for (int32_t k = cut->next.data[after]; k != before; k = cut->next.data[k]) {
    int32_t id = cut->ring.data[k];
    ImpVec2 p = cut->points[id];
    if (p.x < low.x || p.x > high.x || p.y < low.y || p.y > high.y || id == ids[0] || id == ids[1] || id == ids[2]) {
      continue;
    }
    if (impi_turn(a, b, p) >= 0 && impi_turn(b, c, p) >= 0 && impi_turn(c, a, p) >= 0) {
      return false;
    }
  }
  return true;
}


static void set_edge(Cut *cut, int32_t at, int32_t from, int32_t first, int side, int32_t twin) {
  cut->edges.data[at] = (HalfEdge){
      .from = from, .next = first + (side + 1) % 3, .previous = first + (side + 2) % 3, .twin = twin, .gone = false};
  if (twin >= 0) {
    cut->edges.data[twin].twin = at;
  }
}


// Make a triangle of the corner at `i` and its neighbours, and remove the corner from the ring.
static void clip(Cut *cut, int32_t i) {
  int32_t before = cut->previous.data[i], after = cut->next.data[i], first = cut->edges.count;
  const int32_t *ring = cut->ring.data;
  cut->edges.count += 3;
  set_edge(cut, first, ring[before], first, 0, cut->beside.data[before]);
  set_edge(cut, first + 1, ring[i], first, 1, cut->beside.data[i]);
  // The last triangle closes the ring: its third edge is an edge of the ring.
  bool last = cut->next.data[after] == before;
  set_edge(cut, first + 2, ring[after], first, 2, last ? cut->beside.data[after] : -1);
  cut->beside.data[before] = first + 2;
  cut->next.data[before] = after;
  cut->previous.data[after] = before;
}


static void clip_ears(Cut *cut) {
  int32_t left = cut->ring.count, start = 0;
  for (int32_t i = 0; i < left; ++i) {
    cut->previous.data[i] = i > 0 ? i - 1 : left - 1;
    cut->next.data[i] = i + 1 < left ? i + 1 : 0;
    cut->beside.data[i] = -1;
  }
  for (int32_t i = 0; i < left; ++i) {
    cut->ear.data[i] = is_ear(cut, i);
  }
  for (bool fresh = true; left > 2;) {
    int32_t best = -1, i = start;
    double shortest = HUGE_VAL;
    for (int32_t k = 0; k < left; ++k, i = cut->next.data[i]) {
      double length =
          impi_length_sq(impi_sub(ring_point(cut, cut->previous.data[i]), ring_point(cut, cut->next.data[i])));
      if (cut->ear.data[i] && length < shortest) {
        best = i;
        shortest = length;
      }
    }
    if (best < 0) { // entries of `ear` may be out of date
      if (fresh) {
        return; // the rest of the ring has no area
      }
      i = start;
      for (int32_t k = 0; k < left; ++k, i = cut->next.data[i]) {
        cut->ear.data[i] = is_ear(cut, i);
      }
      fresh = true;
      continue;
    }
    int32_t before = cut->previous.data[best], after = cut->next.data[best];
    clip(cut, best);
    cut->ear.data[before] = is_ear(cut, before);
    cut->ear.data[after] = is_ear(cut, after);
    start = after;
    fresh = false;
    --left;
  }
}


// Join the two half edges of each bridge into one inner edge.
static void close_bridges(Cut *cut) {
  HalfEdge *edges = cut->edges.data;
  for (int32_t i = 0; i < cut->edges.count; ++i) {
    int32_t from = edges[i].from, to = edges[edges[i].next].from;
    for (int32_t k = i + 1; k < cut->edges.count && edges[i].twin < 0; ++k) {
      if (edges[k].twin < 0 && edges[k].from == to && edges[edges[k].next].from == from) {
        edges[i].twin = k;
        edges[k].twin = i;
      }
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Pieces
// ---------------------------------------------------------------------------------------------------------------------


static ImpVec2 origin(const Cut *cut, int32_t edge) { return cut->points[cut->edges.data[edge].from]; }


static int count_around(const Cut *cut, int32_t edge) {
  int count = 0;
  int32_t i = edge;
  do {
    i = cut->edges.data[i].next;
    ++count;
  } while (i != edge);
  return count;
}


// Remove an inner edge if the resulting piece is convex and not too large.
static void merge(Cut *cut, int32_t edge) {
  HalfEdge *edges = cut->edges.data;
  int32_t twin = edges[edge].twin;
  // half edges at the point where `edge` begins: a_in ends there, a_out begins there
  int32_t a_in = edges[edge].previous, a_out = edges[twin].next;
  // half edges at the point where `edge` ends: b_in ends there, b_out begins there
  int32_t b_in = edges[twin].previous, b_out = edges[edge].next;
  for (int32_t i = edges[edge].next; i != edge; i = edges[i].next) {
    if (i == twin) {
      return; // both sides are the same piece
    }
  }
  if (count_around(cut, edge) + count_around(cut, twin) - 2 > IMP_MAX_VERTICES ||
      impi_turn(origin(cut, a_in), origin(cut, edge), origin(cut, edges[a_out].next)) < 0 ||
      impi_turn(origin(cut, b_in), origin(cut, twin), origin(cut, edges[b_out].next)) < 0) {
    return;
  }
  edges[a_in].next = a_out;
  edges[a_out].previous = a_in;
  edges[b_in].next = b_out;
  edges[b_out].previous = b_in;
  edges[edge].gone = edges[twin].gone = true;
}


static double edge_length(const Cut *cut, int32_t edge) {
  return impi_length_sq(impi_sub(origin(cut, cut->edges.data[edge].next), origin(cut, edge)));
}


// Remove inner edges, the longest first, because the longest are mostly edges between needles. Edges of equal length
// are removed in the order of their indices.
static void merge_all(Cut *cut) {
  int32_t *order = cut->order.data, count = 0;
  for (int32_t i = 0; i < cut->edges.count; ++i) {
    if (cut->edges.data[i].twin > i) {
      order[count++] = i;
    }
  }
  for (int32_t gap = count / 2; gap > 0; gap /= 2) {
    for (int32_t i = gap; i < count; ++i) {
      int32_t edge = order[i], k = i;
      double length = edge_length(cut, edge);
      for (; k >= gap; k -= gap) {
        double other = edge_length(cut, order[k - gap]);
        if (other > length || (other == length && order[k - gap] < edge)) {
          break;
        }
        order[k] = order[k - gap];
      }
      order[k] = edge;
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    merge(cut, order[i]);
  }
}


// Write the piece to the left of an edge.
static bool emit(Cut *cut, int32_t edge, ImpiPieces *pieces) {
  int count = count_around(cut, edge);
  if (!impi_reserve(cut->heap, &pieces->index, pieces->index.count + count) ||
      !impi_reserve(cut->heap, &pieces->inner, pieces->index.count + count) ||
      !impi_reserve(cut->heap, &pieces->end, pieces->end.count + 1)) {
    return false;
  }
  int32_t *index = &pieces->index.data[pieces->index.count];
  for (int k = 0; k < count; ++k, edge = cut->edges.data[edge].next) {
    index[k] = cut->names.data[cut->edges.data[edge].from];
    pieces->inner.data[pieces->index.count + k] = cut->edges.data[edge].twin >= 0;
    cut->edges.data[edge].gone = true;
  }
  pieces->index.count += count;
  pieces->end.data[pieces->end.count++] = pieces->index.count;
  return true;
}


void impi_pieces_free(ImpiHeap *heap, ImpiPieces *pieces) {
  impi_array_free(heap, &pieces->index);
  impi_array_free(heap, &pieces->end);
  impi_array_free(heap, &pieces->inner);
}


bool impi_decompose(ImpiHeap *heap, const ImpiOutline *outline, ImpiPieces *out_pieces) {
  memset(out_pieces, 0, sizeof *out_pieces);
  Cut cut = {.heap = heap};
  IMPI_ARRAY(bool) joined = {0};
  int rings = outline->ring_count, count = outline->ends[rings - 1], whole = count + 2 * rings;
  bool fine = impi_reserve(heap, &cut.corners, count) && impi_reserve(heap, &cut.names, count) &&
              impi_reserve(heap, &cut.ends, rings) && impi_reserve(heap, &joined, rings) &&
              impi_reserve(heap, &cut.ring, whole) && impi_reserve(heap, &cut.next, whole) &&
              impi_reserve(heap, &cut.previous, whole) && impi_reserve(heap, &cut.beside, whole) &&
              impi_reserve(heap, &cut.ear, whole) && impi_reserve(heap, &cut.edges, 3 * whole) &&
              impi_reserve(heap, &cut.order, 3 * whole);
  if (fine) {
    ImpiOutline corners = take_corners(&cut, outline);
    memset(joined.data, 0, (size_t)rings * sizeof *joined.data);
    for (int32_t i = 0; i < corners.ends[0]; ++i) {
      cut.ring.data[cut.ring.count++] = i;
    }
    int32_t rightmost = 0;
    for (int hole; (hole = next_hole(&cut, &corners, joined.data, &rightmost)) > 0;) {
      join_hole(&cut, &corners, joined.data, hole, rightmost);
      joined.data[hole] = true;
    }
    clip_ears(&cut);
    if (rings > 1) {
      close_bridges(&cut);
    }
    merge_all(&cut);
  }
  for (int32_t i = 0; fine && i < cut.edges.count; ++i) {
    fine = cut.edges.data[i].gone || emit(&cut, i, out_pieces);
  }
  impi_array_free(heap, &cut.corners);
  impi_array_free(heap, &cut.names);
  impi_array_free(heap, &cut.ends);
  impi_array_free(heap, &cut.ring);
  impi_array_free(heap, &cut.next);
  impi_array_free(heap, &cut.previous);
  impi_array_free(heap, &cut.beside);
  impi_array_free(heap, &cut.ear);
  impi_array_free(heap, &cut.edges);
  impi_array_free(heap, &cut.order);
  impi_array_free(heap, &joined);
  return fine;
}
