// A ray enters a rounded polygon through its front, the part of the outline that faces against the ray's direction d:
// counter-clockwise from the corner farthest to the left of d to the corner farthest to the right.
// Along the ray, the front is a row of strips: edges moved outwards by the radius, and arcs around corners.
// A cast of one piece against another is a ray from the origin, in the reverse direction, against the Minkowski
// difference of the pieces, rounded by both radii.
#include "geometry/cast.h"

#include "base/constants.h"
#include "geometry/collide.h"
#include "geometry/distance.h"

// Point where a line enters an outline.
typedef struct Entry {
  double distance; // distance from the start of the line, negative behind the start [m]
  int edge;        // position on the core: at `place` (0..1) of this edge
  double place;
  // edge at the entry; for an entry at a corner, an adjacent edge; -1: no edge faces the line
  int face;
  ImpVec2 normal;
} Entry;

// A line from a point along a unit vector.
typedef struct Line {
  ImpVec2 from, direction;
} Line;


static double ahead_of(const Line *line, ImpVec2 p) { return impi_dot(line->direction, impi_sub(p, line->from)); }


// Return the distance of p to the left of the line.
static double left_of(const Line *line, ImpVec2 p) { return impi_cross(line->direction, impi_sub(p, line->from)); }


// Return the entry through the arc around a corner, or at the corner itself if the radius is 0.
static Entry enter_corner(const ImpiHull *hull, const Line *line, int corner, int face) {
  double left = left_of(line, hull->v[corner]), ahead = ahead_of(line, hull->v[corner]), r = hull->radius;
  Entry entry = {.distance = ahead, .edge = corner, .face = face};
  entry.normal = face >= 0 ? hull->n[face] : impi_neg(line->direction);
  if (r > 0) {
    double half = sqrt(impi_max(0, (r - left) * (r + left))), unused;
    entry.distance = ahead - half;
    ImpVec2 from_corner = impi_add(impi_scale(-half, line->direction), impi_scale(-left, impi_left(line->direction)));
    entry.normal = impi_normalize(from_corner, &unused);
  }
  return entry;
}


// The part of the outline that faces the line: the edges from `first` to `last`.
typedef struct Front {
  int first, last;
  double leftmost, rightmost;
} Front;

static Front front_of(const ImpiHull *hull, const Line *line) {
  Front front = {.leftmost = left_of(line, hull->v[0])};
  front.rightmost = front.leftmost;
  for (int i = 1; i < hull->count; ++i) {
    double left = left_of(line, hull->v[i]);
    front.first = left > front.leftmost ? i : front.first;
    front.leftmost = left > front.leftmost ? left : front.leftmost;
    front.last = left < front.rightmost ? i : front.last;
    front.rightmost = left < front.rightmost ? left : front.rightmost;
  }
  return front;
}


// Return whether the line is parallel to the edge between the corners i and k and reaches k before i.
static bool ends_on(const ImpiHull *hull, const Line *line, int i, int k) {
  ImpVec2 edge = impi_sub(hull->v[k], hull->v[i]);
  return fabs(impi_cross(line->direction, edge)) <= IMPI_GRAZE && impi_dot(line->direction, edge) < 0;
}


// Find where the line enters a rounded polygon. Returns false if the line passes the polygon at a distance above
// `slack`. If slack < 0, the polygon must extend at least -slack to both sides of the line.
static bool enter(const ImpiHull *hull, const Line *line, double slack, Entry *out_entry) {
  Front front = front_of(hull, line);
  double r = hull->radius;
  if (front.leftmost + r < -slack || front.rightmost - r > slack) {
    return false;
  }
  // Skip edges that are parallel to the line, because the line enters at their near corner.
  int first = front.first, last = front.last, count = hull->count;
  while (count > 1 && ends_on(hull, line, first, first + 1 < count ? first + 1 : 0)) {
    first = first + 1 < count ? first + 1 : 0;
  }
  while (count > 1 && ends_on(hull, line, last, last > 0 ? last - 1 : count - 1)) {
    last = last > 0 ? last - 1 : count - 1;
  }

  int face = -1;
  double left = left_of(line, hull->v[first]);
  for (int i = first; i != last;) {
    int next = i + 1 < count ? i + 1 : 0;
    double next_left = left_of(line, hull->v[next]);
    ImpVec2 normal = hull->n[i];
    double shift = r * impi_cross(line->direction, normal);
    face = i;
    if (left + shift < 0) {
      *out_entry = enter_corner(hull, line, i, face);
      return true;
    }
    if (next_left + shift <= 0) {
      double place = left > next_left ? (left + shift) / (left - next_left) : 0;
      double ahead = (1 - place) * ahead_of(line, hull->v[i]) + place * ahead_of(line, hull->v[next]);
      *out_entry = (Entry){.distance = ahead + r * impi_dot(line->direction, normal),
                           .edge = i,
                           .place = place,
                           .face = i,
                           .normal = normal};
      return true;
    }
    i = next;
    left = next_left;
  }
  *out_entry = enter_corner(hull, line, last, face);
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------------------------

// Return whether a ray that starts on the outline of a polygon of radius 0 enters it. A ray along an internal edge
// enters. `out_normal`: normal of the outer edge at the start, or the reverse of the ray's direction if there is none
static bool goes_in(const ImpiHull *hull, const Line *line, ImpVec2 *out_normal) {
  double best = -IMPI_HUGE;
  *out_normal = impi_neg(line->direction);
  for (int i = 0; i < hull->count; ++i) {
    double s = impi_dot(hull->n[i], impi_sub(line->from, hull->v[i])), out = impi_dot(hull->n[i], line->direction);
    if (s < -IMPI_GRAZE) {
      continue;
    }
    if (impi_hull_is_inner(hull, i) ? out > 0 : out >= 0) {
      return false;
    }
    if (s > best && !impi_hull_is_inner(hull, i)) {
      best = s;
      *out_normal = hull->n[i];
    }
  }
  return true;
}


// For a ray that starts at its entry point or beyond this point: return whether the ray hits the hull.
static bool starts_at(const ImpiHull *hull, const Line *line, const Entry *entry, ImpVec2 *out_normal) {
  if (hull->chain) {
    *out_normal = entry->normal;
    return entry->distance * -impi_dot(entry->normal, line->direction) >= -IMPI_GRAZE;
  }
  double distance;
  ImpVec2 normal = impi_hull_normal(hull, line->from, &distance);
  if (hull->radius - distance > IMPI_GRAZE || impi_hull_on_internal_edge(hull, line->from)) {
    *out_normal = impi_vec(0, 0);
    return true;
  }
  if (hull->count > 2 && hull->radius <= 0) {
    return goes_in(hull, line, out_normal);
  }
  *out_normal = normal;
  return impi_dot(normal, line->direction) < 0;
}


// Return the normal of an entry. At an internal edge, return the normal of the adjacent edge nearer to the entry if
// that edge is not internal and faces the ray, otherwise the reverse of the ray's direction.
static ImpVec2 outer_normal(const ImpiHull *hull, const Line *line, const Entry *entry) {
  if (entry->face < 0 || !impi_hull_is_inner(hull, entry->face)) {
    return entry->normal;
  }
  bool at_end = entry->edge != entry->face || entry->place > 0.5;
  int beside = (entry->face + (at_end ? 1 : hull->count - 1)) % hull->count;
  bool faces = !impi_hull_is_inner(hull, beside) && impi_dot(hull->n[beside], line->direction) < 0;
  return faces ? hull->n[beside] : impi_neg(line->direction);
}


bool impi_ray_cast(const ImpiHull *hull, ImpVec2 from, ImpVec2 travel, double max_fraction, ImpiCast *out_cast) {
  double length;
  Line line = {from, impi_normalize(travel, &length)};
  bool thin = hull->count == 2 && hull->radius <= 0;
  if (length <= 0) {
    if (thin || !impi_hull_contains(hull, from)) {
      return false;
    }
    *out_cast = (ImpiCast){.point = from};
    return true;
  }
  if (hull->chain && left_of(&line, hull->v[0]) - left_of(&line, hull->v[1]) <= IMPI_GRAZE) {
    return false;
  }
  Entry entry;
  if (!enter(hull, &line, IMPI_GRAZE, &entry) || entry.distance > max_fraction * length) {
    return false;
  }
  if (thin && !hull->chain && entry.distance * -impi_dot(entry.normal, line.direction) <= IMPI_GRAZE) {
    return false; // the ray starts on the segment or has passed it
  }
  if (entry.distance <= 0 || (entry.distance <= IMPI_GRAZE && !thin)) {
    ImpVec2 normal;
    if (!starts_at(hull, &line, &entry, &normal)) {
      return false;
    }
    *out_cast = (ImpiCast){.point = from, .normal = normal};
    return true;
  }
  if (hull->radius <= 0) {
    entry.normal = outer_normal(hull, &line, &entry);
  }
  ImpVec2 on_core = hull->v[entry.edge];
  if (entry.place > 0) {
    on_core = impi_lerp(on_core, hull->v[entry.edge + 1 < hull->count ? entry.edge + 1 : 0], entry.place);
  }
  *out_cast = (ImpiCast){.fraction = entry.distance / length,
                         .point = impi_mul_add(on_core, hull->radius, entry.normal),
                         .normal = entry.normal};
  return true;
}


// Return whether the pieces hit. If a chain link does not own the normal, use the link's normal and return `overlap`.
static bool let_links_choose(const ImpiHull *a, const ImpiHull *b, ImpRot b_in_a, bool overlap, ImpVec2 *normal) {
  if (a->chain && !impi_link_owns(a, *normal)) {
    *normal = a->n[0];
    return overlap;
  }
  if (b->chain && !impi_link_owns(b, impi_neg(impi_inv_rotate(b_in_a, *normal)))) {
    *normal = impi_neg(impi_rotate(b_in_a, b->n[0]));
    return overlap;
  }
  return true;
}


bool impi_hull_cast(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, ImpVec2 travel, double max_fraction,
                    ImpiCast *out_cast) {
  if ((a->chain && impi_link_is_behind(a, impi_apply(b_in_a, b->centroid))) ||
      (b->chain && impi_link_is_behind(b, impi_inv_apply(b_in_a, a->centroid)))) {
    return false;
  }
  ImpiDifference difference;
  impi_difference(a, b, b_in_a, &difference);
  ImpiHull sum = {.count = difference.count, .radius = a->radius + b->radius, .v = difference.v, .n = difference.n};
  double length;
  Line line = {.direction = impi_neg(impi_normalize(travel, &length))};
  Entry entry = {0};
  if (length > 0 && (!enter(&sum, &line, -IMPI_GRAZE, &entry) || entry.distance > max_fraction * length)) {
    return false;
  }
  ImpiCast cast = {0};
  bool overlap = false;
  if (entry.distance > 0) {
    ImpVec2 on_a, on_b;
    impi_difference_points(&difference, a, entry.edge, entry.place, &on_a, &on_b);
    cast.fraction = entry.distance / length;
    cast.normal = impi_neg(entry.normal);
    cast.point = impi_mul_add(on_a, a->radius, cast.normal);
  } else {
    ImpiClosest closest;
    impi_difference_closest(&difference, a, b, &closest);
    overlap = closest.distance < -IMPI_GRAZE;
    if (!overlap && impi_dot(closest.normal, travel) >= 0) {
      return false; // b touches a and moves along the surface of a or away from it
    }
    cast.point = closest.a;
    cast.normal = closest.normal;
  }
  if (!let_links_choose(a, b, b_in_a.q, overlap, &cast.normal)) {
    return false;
  }
  *out_cast = cast;
  return true;
}
