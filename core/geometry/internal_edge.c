// A row of tiles is one floor. A neighbour that lies against an edge covers the edge. The normals that a corner may
// have follow from the free angle f around the corner, from the edge, through the outside, to the first neighbour:
//
//            free                 f > pi: the surface bends around the material. The corner has all normals between the
//     ______.                     normals of the two faces.
//    edge   |corner               f = pi: the surface is flat. The corner has only the edge's own normal.
//           |____neighbour        f < pi: the surface is concave. Nothing touches the corner.
//
// f is tested counter-clockwise from the edge that ends at the corner, and clockwise from the edge that begins there.
// Cores are measured, without radii, so pieces join only if their radii are equal. Pieces at a distance of at most
// IMPI_INTERNAL_EDGE_GAP are neighbours. Uncovered parts of an edge that are shorter than this gap are ignored.
#include "geometry/internal_edge.h"

#include "base/constants.h"
#include "geometry/collide_edges.h"

// Directions within this angle are equal [rad], because the common side of two pieces has slightly different directions
// in the two pieces.
static const double same_direction = 1e-3;

// Sine of the largest turn of a flat corner, and tolerance of a corner's fan (range of normals).
static const double flat_sine = 1e-6;

// Sine of the largest angle between two edges in contact along their length.
static const double along_edge = 0.1;


void impi_neighbours_add(ImpiNeighbours *neighbours, ImpiNeighbour neighbour) {
  int place = neighbours->count < IMPI_MAX_NEIGHBOURS ? neighbours->count++ : IMPI_MAX_NEIGHBOURS;
  for (; place > 0; --place) {
    const ImpiNeighbour *before = &neighbours->at[place - 1];
    if (before->serial < neighbour.serial || (before->serial == neighbour.serial && before->child < neighbour.child)) {
      break;
    }
    if (place < IMPI_MAX_NEIGHBOURS) {
      neighbours->at[place] = *before;
    }
  }
  if (place < IMPI_MAX_NEIGHBOURS) {
    neighbours->at[place] = neighbour;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Corners
// ---------------------------------------------------------------------------------------------------------------------

// The directions in which a neighbour lies, seen from a point: from `start` counter-clockwise to `end`. FILL_LINE: only
// `start` and `end`.
typedef enum Fill { FILL_NOTHING, FILL_SECTOR, FILL_LINE, FILL_ALL } Fill;

typedef struct Sector {
  Fill fill;
  ImpVec2 start, end;
  ImpVec2 touch; // the neighbour's point nearest to the given point
} Sector;


// Return the sector of directions from p in which a hull lies. p is in the hull's frame.
static Sector local_sector(const ImpiHull *hull, ImpVec2 p) {
  double nearest_sq = IMPI_INTERNAL_EDGE_GAP * IMPI_INTERNAL_EDGE_GAP, highest = -IMPI_HUGE;
  int vertex = -1, edge = 0, sides = hull->count == 2 ? 1 : hull->count;
  for (int i = 0; i < hull->count; ++i) {
    double distance_sq = impi_length_sq(impi_sub(p, hull->v[i]));
    vertex = distance_sq <= nearest_sq ? i : vertex;
    nearest_sq = impi_min(nearest_sq, distance_sq);
  }
  for (int i = 0; i < sides; ++i) {
    double height = impi_dot(hull->n[i], impi_sub(p, hull->v[i]));
    edge = height > highest ? i : edge;
    highest = impi_max(highest, height);
  }
  double length;
  if (vertex >= 0) {
    int before = vertex > 0 ? vertex - 1 : hull->count - 1;
    return (Sector){.fill = hull->count == 2 ? FILL_LINE : FILL_SECTOR,
                    .start = impi_normalize(impi_sub(hull->v[impi_next(hull, vertex)], hull->v[vertex]), &length),
                    .end = impi_normalize(impi_sub(hull->v[before], hull->v[vertex]), &length),
                    .touch = hull->v[vertex]};
  }
  bool area = hull->count > 2;
  if (highest > IMPI_INTERNAL_EDGE_GAP || (!area && highest < -IMPI_INTERNAL_EDGE_GAP)) {
    return (Sector){.fill = FILL_NOTHING};
  }
  if (highest < -IMPI_INTERNAL_EDGE_GAP) {
    return (Sector){.fill = FILL_ALL};
  }
  ImpVec2 along = impi_left(hull->n[edge]);
  double place = impi_dot(along, impi_sub(p, hull->v[edge]));
  if (place < 0 || impi_dot(along, impi_sub(p, hull->v[impi_next(hull, edge)])) > 0) {
    return (Sector){.fill = FILL_NOTHING};
  }
  return (Sector){
      .fill = area || hull->chain ? FILL_SECTOR : FILL_LINE, .start = along, .end = impi_neg(along), .touch = p};
}


static Sector sector_at(const ImpiNeighbour *neighbour, ImpVec2 p) {
  Sector sector = local_sector(neighbour->hull, impi_inv_apply(neighbour->place, p));
  sector.start = impi_rotate(neighbour->place.q, sector.start);
  sector.end = impi_rotate(neighbour->place.q, sector.end);
  sector.touch = impi_apply(neighbour->place, sector.touch);
  return sector;
}


// Return a measure of the angle from `from` to `to` (unit vectors) in the direction of `sign`: 1 for a quarter turn, 2
// for a half turn, up to 4 for a full turn.
static double turn(ImpVec2 from, ImpVec2 to, double sign) {
  double c = impi_dot(from, to), s = sign * impi_cross(from, to);
  if (s >= 0) {
    return c >= 0 ? s / (c + s) : 1 - c / (s - c);
  }
  return c < 0 ? 2 + s / (c + s) : 3 + c / (c - s);
}


// Free angle at a corner, between one edge of the corner and the first neighbour.
typedef struct Room {
  double open;       // angle from the edge to the first neighbour, measured by turn()
  ImpVec2 direction; // direction of the first neighbour's boundary, from the corner
  ImpVec2 touch;     // the first neighbour's point nearest to the corner
} Room;


// Reduce the room to the part outside a sector. The room begins at the direction `from` and extends in the direction of
// `sign` (1: counter-clockwise).
static void narrow(Room *room, const Sector *sector, ImpVec2 from, double sign) {
  double open = 0;
  ImpVec2 first = sign > 0 ? sector->start : sector->end, last = sign > 0 ? sector->end : sector->start;
  if (sector->fill == FILL_NOTHING) {
    return;
  }
  if (sector->fill == FILL_LINE) {
    double a = turn(from, first, sign), b = turn(from, last, sign);
    a = a < same_direction || a > 4 - same_direction ? 4 : a; // ignore a direction along the edge itself
    b = b < same_direction || b > 4 - same_direction ? 4 : b;
    open = impi_min(a, b);
    first = a <= b ? first : last;
  } else if (sector->fill == FILL_SECTOR) {
    double to_first = turn(from, first, sign), to_last = turn(from, last, sign);
    // If to_last < to_first, `from` is inside the sector, unless the sector ends at `from`.
    open = to_last < to_first && to_last > same_direction ? 0 : to_first;
  }
  if (open < room->open) {
    *room = (Room){.open = open, .direction = first, .touch = sector->touch};
  }
}


// Return the free angle at vertex i beside the edge that ends there (sign 1) or begins there (sign -1).
static Room room_at(const ImpiHull *hull, const ImpiNeighbours *neighbours, int i, double sign) {
  ImpVec2 p = hull->v[i];
  double length;
  ImpVec2 back = impi_normalize(impi_sub(hull->v[i > 0 ? i - 1 : hull->count - 1], p), &length);
  ImpVec2 out = impi_normalize(impi_sub(hull->v[impi_next(hull, i)], p), &length);
  ImpVec2 from = sign > 0 ? back : out, to = sign > 0 ? out : back;
  Room room = {.open = hull->count == 2 ? 4 : turn(from, to, sign), .direction = to, .touch = p};
  bool touched = neighbours->internal_edges == NULL || neighbours->internal_edges->touched >> i & 1;
  for (int k = 0; k < neighbours->count && touched; ++k) {
    Sector sector = sector_at(&neighbours->at[k], p);
    narrow(&room, &sector, from, sign);
  }
  return room;
}


// Return whether u is in the fan from `first` counter-clockwise to `last`, or outside by at most a tolerance minus
// `less`. The tolerance is larger if the body rolls, because a polygon that rolls touches its next corner early.
static bool in_fan(bool rolls, ImpVec2 first, ImpVec2 last, ImpVec2 u, double less) {
  // A direction may be outside the fan by at most `next` times the width of the fan.
  double next = rolls ? 8 : 1;
  double slack = flat_sine + impi_min(next * impi_max(impi_cross(first, last), 0), along_edge) - less;
  return impi_cross(first, u) >= -slack && impi_cross(u, last) >= -slack;
}


// Return whether the corner may have the normal u: whether u is in one of the corner's two fans. Each fan begins at the
// normal of an edge and ends at the first neighbour beside this edge.
static bool corner_has(const ImpiHull *hull, const ImpiNeighbours *neighbours, int i, ImpVec2 u) {
  Room before = room_at(hull, neighbours, i, 1);
  ImpVec2 normal_before = hull->n[i > 0 ? i - 1 : hull->count - 1];
  if (before.open > 2 - flat_sine && in_fan(neighbours->rolls, normal_before, impi_right(before.direction), u, 0)) {
    return true;
  }
  Room after = room_at(hull, neighbours, i, -1);
  return after.open > 2 - flat_sine && in_fan(neighbours->rolls, impi_left(after.direction), hull->n[i], u, 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Edges
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Span {
  double lower, upper; // range along the edge [m]
} Span;


// Compute the span of an edge that a neighbour covers: the part of the neighbour in the strip of width
// IMPI_INTERNAL_EDGE_GAP outside the edge, projected onto the edge. Returns false if the neighbour covers nothing.
static bool covered_span(const ImpiHull *hull, int edge, const ImpiNeighbour *neighbour, Span *out_span) {
  const ImpiHull *other = neighbour->hull;
  if (other->count < 3) {
    return false;
  }
  ImpVec2 origin = hull->v[edge], normal = hull->n[edge], along = impi_left(normal);
  Span span = {IMPI_HUGE, -IMPI_HUGE};
  ImpVec2 q = impi_sub(impi_apply(neighbour->place, other->v[other->count - 1]), origin);
  for (int i = 0; i < other->count; ++i) {
    ImpVec2 p = q;
    q = impi_sub(impi_apply(neighbour->place, other->v[i]), origin);
    double height_p = impi_dot(normal, p), height_q = impi_dot(normal, q);
    double low = impi_min(height_p, height_q), high = impi_max(height_p, height_q);
    // The strip begins slightly above the edge, because a neighbour that only touches the edge's line covers nothing.
    double from = impi_max(low, 1e-3 * IMPI_INTERNAL_EDGE_GAP), to = impi_min(high, IMPI_INTERNAL_EDGE_GAP);
    if (from > to) {
      continue;
    }
    double t_p = impi_dot(along, p), t_q = impi_dot(along, q), t_from = t_p, t_to = t_q;
    if (high - low > 1e-12) {
      double slope = (t_q - t_p) / (height_q - height_p);
      t_from = t_p + slope * (from - height_p);
      t_to = t_p + slope * (to - height_p);
    }
    span.lower = impi_min(span.lower, impi_min(t_from, t_to));
    span.upper = impi_max(span.upper, impi_max(t_from, t_to));
  }
  *out_span = span;
  return span.upper > span.lower;
}


// Return whether some part of an edge between t_from and t_to is surface (not covered). Each uncovered part is extended
// by IMPI_SPECULATIVE_MARGIN.
static bool edge_shows(const ImpiHull *hull, const ImpiNeighbours *neighbours, int edge, double t_from, double t_to) {
  if (neighbours->internal_edges != NULL && !(neighbours->internal_edges->covered >> edge & 1)) {
    return true;
  }
  Span spans[IMPI_MAX_NEIGHBOURS];
  int count = 0;
  for (int k = 0; k < neighbours->count; ++k) {
    Span span;
    if (!covered_span(hull, edge, &neighbours->at[k], &span)) {
      continue;
    }
    int place = count++;
    for (; place > 0 && spans[place - 1].lower > span.lower; --place) {
      spans[place] = spans[place - 1];
    }
    spans[place] = span;
  }
  if (count == 0) {
    return true;
  }
  double length = impi_length(impi_sub(hull->v[impi_next(hull, edge)], hull->v[edge])), at = 0;
  for (int k = 0; k <= count; ++k) {
    double end = k < count ? impi_min(spans[k].lower, length) : length;
    if (end - at > IMPI_INTERNAL_EDGE_GAP && at - IMPI_SPECULATIVE_MARGIN <= t_to &&
        t_from <= end + IMPI_SPECULATIVE_MARGIN) {
      return true;
    }
    at = k < count ? impi_max(at, spans[k].upper) : at;
  }
  return false;
}


static double distance_sq(ImpVec2 p, ImpVec2 q) { return impi_length_sq(impi_sub(p, q)); }


// The edge or corner of a piece in contact.
typedef struct Spot {
  int edge, corner;
  double tilt;         // sine of the angle between the contact normal and the edge's normal
  bool along_edge;     // the contact is on the edge, because `tilt` is small
  double t_from, t_to; // range of the contact along the edge [m]
} Spot;


static int nearest_corner(const ImpiHull *hull, ImpVec2 p) {
  int nearest = 0;
  double least = distance_sq(hull->v[0], p);
  for (int i = 1; i < hull->count; ++i) {
    double d = distance_sq(hull->v[i], p);
    nearest = d < least ? i : nearest;
    least = d < least ? d : least;
  }
  return nearest;
}


static Spot spot_at(const ImpiHull *hull, ImpVec2 normal, ImpVec2 from, ImpVec2 to) {
  int highest = 0, edge = 0;
  double height = impi_dot(normal, hull->v[0]), facing = impi_dot(normal, hull->n[0]);
  for (int i = 1; i < hull->count; ++i) {
    double h = impi_dot(normal, hull->v[i]), f = impi_dot(normal, hull->n[i]);
    highest = h > height ? i : highest;
    height = h > height ? h : height;
    edge = f > facing ? i : edge;
    facing = f > facing ? f : facing;
  }
  // A contact on an edge is tested at its position along the edge, because the corner `highest` may be far from the
  // contact.
  Spot spot = {.edge = edge, .corner = highest, .tilt = fabs(impi_cross(normal, hull->n[edge]))};
  spot.along_edge = spot.tilt < along_edge && facing > 0;
  if (spot.along_edge) {
    ImpVec2 along = impi_left(hull->n[edge]);
    double t_from = impi_dot(along, impi_sub(from, hull->v[edge])), t_to = impi_dot(along, impi_sub(to, hull->v[edge]));
    spot.t_from = impi_min(t_from, t_to);
    spot.t_to = impi_max(t_from, t_to);
    return spot;
  }
  // The corner in contact is the farthest corner along the normal. If this corner is far from the contact points in the
  // direction of the tangent, the normal has a rounding error. Then the corner nearest to the points is in contact.
  double aside_from = fabs(impi_cross(normal, impi_sub(hull->v[highest], from)));
  double aside_to = fabs(impi_cross(normal, impi_sub(hull->v[highest], to)));
  bool touches = impi_min(aside_from, aside_to) < IMPI_SPECULATIVE_MARGIN;
  spot.corner = touches ? highest : nearest_corner(hull, from);
  return spot;
}


// ---------------------------------------------------------------------------------------------------------------------
// Internal-edge data
// ---------------------------------------------------------------------------------------------------------------------

// Cosine of the largest turn of a corner with stored fans. At a sharper corner the fans would overlap.
static const double sharp_corner = -0.9;

// Sine of the angle by which the tolerance of a stored fan is reduced, because of rounding.
static const double surely = 1e-9;


static int count_bits(uint64_t word) {
  int count = 0;
  for (; word != 0; word &= word - 1) {
    ++count;
  }
  return count;
}


bool impi_internal_edges_add(const ImpiHull *hull, const ImpiHull *neighbour, ImpiInternalEdges *internal_edges) {
  const ImpiNeighbour at = {.hull = neighbour, .place = {{0, 0}, {1, 0}}};
  uint64_t covered = 0, touched = 0;
  for (int i = 0; i < hull->count; ++i) {
    Span span;
    covered |= (uint64_t)covered_span(hull, i, &at, &span) << i;
    touched |= (uint64_t)(sector_at(&at, hull->v[i]).fill != FILL_NOTHING) << i;
  }
  internal_edges->covered |= covered;
  internal_edges->touched |= touched;
  return (covered | touched) != 0;
}


int impi_internal_edges_count(const ImpiInternalEdges *internal_edges) {
  return 2 * count_bits(internal_edges->touched) + count_bits(internal_edges->covered);
}


void impi_internal_edges_fill(const ImpiHull *hull, const ImpiNeighbours *neighbours,
                              const ImpiInternalEdges *internal_edges, ImpVec2 *out_parts) {
  for (int i = 0; i < hull->count; ++i) {
    if (internal_edges->touched >> i & 1) {
      ImpVec2 normal_before = hull->n[i > 0 ? i - 1 : hull->count - 1];
      Room before = room_at(hull, neighbours, i, 1), after = room_at(hull, neighbours, i, -1);
      bool blunt = impi_dot(normal_before, hull->n[i]) > sharp_corner;
      *out_parts++ = blunt && before.open > 2 - flat_sine ? impi_right(before.direction) : impi_vec(0, 0);
      *out_parts++ = blunt && after.open > 2 - flat_sine ? impi_left(after.direction) : impi_vec(0, 0);
    }
  }
  for (int i = 0; i < hull->count; ++i) {
    Span all = {IMPI_HUGE, -IMPI_HUGE}, span;
    for (int k = 0; internal_edges->covered >> i & 1 && k < neighbours->count; ++k) {
      if (covered_span(hull, i, &neighbours->at[k], &span)) {
        all = (Span){impi_min(all.lower, span.lower), impi_max(all.upper, span.upper)};
      }
    }
    if (internal_edges->covered >> i & 1) {
      *out_parts++ = impi_vec(all.lower, all.upper);
    }
  }
}


// Return whether the normal u is in the stored fan of a touched corner. The stored fan is computed with all neighbours
// of the piece. Fewer neighbours never make a fan narrower.
static bool in_fan_anyway(ImpVec2 first, ImpVec2 last, ImpVec2 u) {
  return impi_dot(u, impi_add(first, last)) > 0 && in_fan(true, first, last, u, surely);
}


static bool corner_has_anyway(const ImpiHull *hull, const ImpiInternalEdges *internal_edges, int i, ImpVec2 u) {
  ImpVec2 first = hull->n[i > 0 ? i - 1 : hull->count - 1], last = hull->n[i];
  if (!(internal_edges->touched >> i & 1)) {
    return impi_cross(first, last) >= 0 && in_fan(true, first, last, u, surely);
  }
  const ImpVec2 *parts = (const ImpVec2 *)(const void *)((const char *)internal_edges + internal_edges->parts);
  parts += 2 * count_bits(internal_edges->touched & ((1ull << i) - 1));
  return (impi_length_sq(parts[0]) > 0 && in_fan_anyway(first, parts[0], u)) ||
         (impi_length_sq(parts[1]) > 0 && in_fan_anyway(parts[1], last, u));
}


// Return whether some part of an edge between t_from and t_to is uncovered if all neighbours of the piece are present.
static bool edge_shows_anyway(const ImpiHull *hull, const ImpiInternalEdges *internal_edges, int edge, double t_from,
                              double t_to) {
  if (!(internal_edges->covered >> edge & 1)) {
    return true;
  }
  const ImpVec2 *parts = (const ImpVec2 *)(const void *)((const char *)internal_edges + internal_edges->parts);
  parts += 2 * count_bits(internal_edges->touched) + count_bits(internal_edges->covered & ((1ull << edge) - 1));
  double lower = parts->x, upper = parts->y, margin = IMPI_SPECULATIVE_MARGIN;
  double length = impi_length(impi_sub(hull->v[impi_next(hull, edge)], hull->v[edge]));
  lower = impi_min(lower, length);
  upper = impi_max(upper, 0);
  return (lower > IMPI_INTERNAL_EDGE_GAP && -margin <= t_to && t_from <= lower + margin) ||
         (length - upper > IMPI_INTERNAL_EDGE_GAP && upper - margin <= t_to && t_from <= length + margin);
}


// Return whether the contact at `spot` is on uncovered surface if all neighbours of the piece are present.
static bool shows_anyway(const ImpiHull *hull, const ImpiInternalEdges *internal_edges, const Spot *spot,
                         ImpVec2 normal) {
  if (spot->along_edge) {
    bool shows = edge_shows_anyway(hull, internal_edges, spot->edge, spot->t_from, spot->t_to);
    if (!shows || spot->tilt < flat_sine) {
      return shows;
    }
  }
  return corner_has_anyway(hull, internal_edges, spot->corner, normal);
}


bool impi_internal_edges_expose(const ImpiHull *hull, const ImpiInternalEdges *internal_edges, ImpVec2 normal,
                                ImpVec2 from, ImpVec2 to) {
  Spot spot = spot_at(hull, normal, from, to);
  return shows_anyway(hull, internal_edges, &spot, normal);
}


bool impi_neighbours_expose(const ImpiHull *hull, const ImpiNeighbours *neighbours, ImpVec2 normal, ImpVec2 from,
                            ImpVec2 to) {
  if (neighbours == NULL || neighbours->count == 0 || hull->count == 1 || hull->chain) {
    return true;
  }
  Spot spot = spot_at(hull, normal, from, to);
  if (neighbours->internal_edges != NULL && shows_anyway(hull, neighbours->internal_edges, &spot, normal)) {
    return true;
  }
  if (spot.along_edge) {
    bool shows = edge_shows(hull, neighbours, spot.edge, spot.t_from, spot.t_to);
    if (!shows || spot.tilt < flat_sine) {
      return shows;
    }
  }
  return corner_has(hull, neighbours, spot.corner, normal);
}


double impi_neighbours_reach(const ImpiHull *hull, const ImpiNeighbours *neighbours, int vertex, double sign,
                             ImpVec2 outward) {
  if (neighbours == NULL) {
    return 0;
  }
  Room room = room_at(hull, neighbours, vertex, sign);
  double gap = impi_dot(outward, impi_sub(room.touch, hull->v[vertex]));
  return room.open > 2 - flat_sine ? IMPI_TOUCHING + impi_clamp(0.5 * gap, 0, IMPI_INTERNAL_EDGE_GAP) : 0;
}


ImpiHull impi_neighbours_link(const ImpiHull *link, const ImpiNeighbours *neighbours, ImpVec2 out_points[2]) {
  ImpiHull result = *link;
  out_points[0] = link->v[0];
  out_points[1] = link->v[1];
  result.v = out_points;
  ImpVec2 along = impi_left(link->n[0]);
  for (int end = 0; end < 2; ++end) {
    double sign = end == 1 ? 1 : -1;
    Room room = room_at(link, neighbours, end, sign);
    if (!(end == 1 ? link->open_end : link->open_start) || room.open >= 4) {
      continue;
    }
    double slit = sign * impi_dot(along, impi_sub(room.touch, link->v[end]));
    out_points[end] = impi_mul_add(link->v[end], 0.5 * sign * impi_clamp(slit, 0, IMPI_INTERNAL_EDGE_GAP), along);
    *(end == 1 ? &result.ghost_after : &result.ghost_before) = impi_add(out_points[end], room.direction);
  }
  return result;
}
