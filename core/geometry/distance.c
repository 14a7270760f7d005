// The distance of two cores is the distance of the origin from their Minkowski difference; the depth of two overlapping
// cores is the depth of the origin inside the difference.
//   overlap: the origin is nearest to the edge of greatest separation.
//   apart: the closest point is on the edge of greatest separation or at one end of this edge.
//     Because of rounding, a search walks from this edge along the outline while the distance decreases. It ends at
//     the closest point, because the distance has only one local minimum.
#include "geometry/distance.h"

#include "base/constants.h"

// A point of the outline, at `place` (0..1) of `edge`.
typedef struct Spot {
  int edge;
  double place, distance;
  ImpVec2 v;
} Spot;


// Return the point of an edge that is closest to the origin.
static Spot closest_of_edge(const ImpiDifference *d, int edge) {
  ImpVec2 from = d->v[edge], to = d->v[edge + 1 < d->count ? edge + 1 : 0], along = impi_sub(to, from);
  double length_sq = impi_length_sq(along);
  double place = length_sq > 0 ? impi_clamp(-impi_dot(along, from) / length_sq, 0, 1) : 0;
  Spot spot = {.edge = edge, .place = place, .v = impi_lerp(from, to, place)};
  spot.distance = impi_length(spot.v);
  return spot;
}


static Spot walk(const ImpiDifference *d, int edge) {
  Spot spot = closest_of_edge(d, edge);
  int way = spot.place <= 0 ? d->count - 1 : 1; // step to the next edge, modulo count
  bool at_end = spot.place <= 0 || spot.place >= 1;
  for (int i = 1; at_end && i < d->count; ++i) {
    int next = spot.edge + way;
    Spot other = closest_of_edge(d, next < d->count ? next : next - d->count);
    if (other.distance >= spot.distance) {
      break;
    }
    spot = other;
    at_end = way == 1 ? spot.place >= 1 : spot.place <= 0;
  }
  return spot;
}


// Return the size of a hull's coordinates. The rounding error of the difference is proportional to this size.
static double scale_of(const ImpiHull *hull) { return hull->extent + fabs(hull->centroid.x) + fabs(hull->centroid.y); }


// Return the point of the outline closest to the origin, the direction from a to b there, and the signed distance.
// Within `rounding` of the outline, the distance may have either sign.
static Spot closest_of_outline(const ImpiDifference *d, double rounding, ImpVec2 *out_normal, double *out_distance) {
  if (d->count == 1) {
    Spot spot = {.v = d->v[0]};
    *out_normal = impi_normalize(spot.v, out_distance);
    *out_normal = *out_distance > 0 ? *out_normal : impi_vec(0, 1);
    return spot;
  }
  double separation = -IMPI_HUGE;
  int edge = 0;
  for (int k = 0; k < d->count; ++k) {
    double s = -impi_dot(d->n[k], d->v[k]);
    edge = s > separation ? k : edge;
    separation = s > separation ? s : separation;
  }
  Spot spot = walk(d, edge);
  // If the origin is inside the polygon, its distance from the outline is at most -separation, except for rounding.
  // If the polygon is a line, an origin in line with it beyond an end has a separation of 0, although it is outside.
  bool inside = separation <= 0 && spot.distance <= rounding - separation;
  *out_distance = inside ? separation : spot.distance;
  *out_normal = impi_neg(d->n[spot.edge]);
  bool at_corner = spot.place <= 0 || spot.place >= 1;
  if (!inside && at_corner) {
    double length;
    ImpVec2 direction = impi_normalize(spot.v, &length);
    *out_normal = length > 0 ? direction : *out_normal;
  }
  return spot;
}


void impi_difference_closest(const ImpiDifference *difference, const ImpiHull *a, const ImpiHull *b,
                             ImpiClosest *out_closest) {
  ImpVec2 normal, on_a, on_b;
  double distance, rounding = 1e-14 * (scale_of(a) + scale_of(b));
  Spot spot = closest_of_outline(difference, rounding, &normal, &distance);
  impi_difference_points(difference, a, spot.edge, spot.place, &on_a, &on_b);
  out_closest->a = impi_mul_add(on_a, a->radius, normal);
  out_closest->b = impi_mul_add(on_b, -b->radius, normal);
  out_closest->normal = normal;
  out_closest->distance = distance - a->radius - b->radius;
}


void impi_closest(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, ImpiClosest *out_closest) {
  ImpiDifference difference;
  impi_difference(a, b, b_in_a, &difference);
  impi_difference_closest(&difference, a, b, out_closest);
}
