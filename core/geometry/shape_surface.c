// Distance of a point from the surface of a shape. For a concave polygon, the distance of a point outside is that of
// the nearest piece. The distance of a point inside is measured to the outline, because edges between pieces are not
// surface.
#include "base/constants.h"
#include "geometry/shape.h"


bool impi_hull_on_internal_edge(const ImpiHull *hull, ImpVec2 point) {
  for (int i = 0; hull->inner != 0 && i < hull->count; ++i) {
    ImpVec2 from_start = impi_sub(point, hull->v[i]), from_end = impi_sub(point, hull->v[(i + 1) % hull->count]);
    ImpVec2 along = impi_left(hull->n[i]);
    if (impi_hull_is_inner(hull, i) && fabs(impi_dot(hull->n[i], from_start)) <= IMPI_GRAZE &&
        impi_dot(along, from_start) > IMPI_GRAZE && impi_dot(along, from_end) < -IMPI_GRAZE) {
      return true;
    }
  }
  return false;
}


// Return the distance from the outline to `point`, which is inside; `out_normal`: outward normal at the closest point.
static double outline_distance(const ImpiOutline *outline, ImpVec2 point, ImpVec2 *out_normal) {
  double nearest = IMPI_HUGE;
  for (int32_t ring = 0, begin = 0; ring < outline->ring_count; begin = outline->ends[ring++]) {
    for (int32_t i = begin; i < outline->ends[ring]; ++i) {
      ImpVec2 from = outline->points[i], to = outline->points[i + 1 < outline->ends[ring] ? i + 1 : begin];
      ImpVec2 along = impi_sub(to, from);
      double place = impi_clamp(impi_dot(impi_sub(point, from), along) / impi_length_sq(along), 0, 1), length;
      ImpVec2 way = impi_sub(impi_lerp(from, to, place), point);
      double distance = impi_length(way);
      if (distance < nearest) {
        nearest = distance;
        ImpVec2 face = impi_right(impi_normalize(along, &length));
        *out_normal = distance > IMPI_GRAZE ? impi_normalize(way, &length) : face;
      }
    }
  }
  return nearest;
}


double impi_geometry_surface(const ImpiGeometry *geometry, int32_t child, ImpVec2 point, ImpVec2 *out_surface,
                             ImpVec2 *out_normal) {
  const ImpiHull *hull = &geometry->hulls[child];
  double distance;
  *out_normal = impi_hull_normal(hull, point, &distance);
  if (hull->inner != 0 && (distance < 0 || impi_hull_on_internal_edge(hull, point))) {
    ImpiOutline outline = impi_geometry_outline(geometry);
    distance = -outline_distance(&outline, point, out_normal);
  }
  distance -= hull->radius;
  *out_surface = impi_mul_add(point, -distance, *out_normal);
  return distance;
}
