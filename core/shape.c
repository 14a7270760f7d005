// Geometry of shapes: one block of memory with the pieces, then their points, then their normals.
#include "shape.h"

#include <math.h>

#include "constants.h"


// Room for `hulls` pieces, `points` core points and `normals` in one block; false when out of memory.
static bool allocate(ImpiHeap *heap, ImpShapeType type, int hulls, int points, int normals, ImpiGeometry *out_geometry,
                     ImpVec2 **out_points, ImpVec2 **out_normals) {
  size_t head = (size_t)hulls * sizeof(ImpiHull);
  size_t size = head + ((size_t)points + (size_t)normals) * sizeof(ImpVec2);
  char *block = impi_resize(heap, NULL, 0, size);
  if (block == NULL) {
    impi_fail(IMP_ERR_NOMEM, "out of memory for a shape of %d points", points);
    return false;
  }
  *out_geometry =
      (ImpiGeometry){.type = type, .child_count = hulls, .hulls = (ImpiHull *)(void *)block, .block_size = size};
  *out_points = (ImpVec2 *)(void *)(block + head);
  *out_normals = *out_points + points;
  return true;
}


// Outward normal of the edge p -> q of a counter-clockwise core.
static ImpVec2 edge_normal(ImpVec2 p, ImpVec2 q) {
  double length;
  return impi_right(impi_normalize(impi_sub(q, p), &length));
}


static double extent_from(const ImpiHull *hull, ImpVec2 center) {
  double farthest_sq = 0;
  for (int i = 0; i < hull->count; ++i) {
    farthest_sq = impi_max(farthest_sq, impi_length_sq(impi_sub(hull->v[i], center)));
  }
  return sqrt(farthest_sq) + hull->radius;
}


// A shape of one piece. `symmetric_center` is where the centroid is known without rounding, null where it is not.
static ImpStatus build_piece(ImpiHeap *heap, ImpShapeType type, const ImpVec2 *core, int count, double radius,
                             const ImpVec2 *symmetric_center, ImpiGeometry *out_geometry) {
  ImpVec2 *points, *normals;
  ImpiGeometry geometry;
  if (!allocate(heap, type, 1, count, count > 1 ? count : 0, &geometry, &points, &normals)) {
    return IMP_ERR_NOMEM;
  }
  for (int i = 0; i < count; ++i) {
    points[i] = core[i];
    if (count > 1) {
      normals[i] = edge_normal(core[i], core[(i + 1) % count]);
    }
  }
  ImpiHull *hull = geometry.hulls;
  *hull = (ImpiHull){.count = count, .radius = radius, .v = points, .n = normals};
  geometry.mass = impi_hull_mass(hull);
  if (symmetric_center != NULL) {
    geometry.mass.center = *symmetric_center;
  }
  hull->centroid = geometry.mass.center;
  hull->extent = extent_from(hull, hull->centroid);
  *out_geometry = geometry;
  return IMP_OK;
}


// Both ends of a capsule or segment.
static ImpStatus check_ends(const char *kind, ImpVec2 from, ImpVec2 to) {
  ImpStatus status = impi_check_point(kind, "from", 0, from);
  if (status == IMP_OK) {
    status = impi_check_point(kind, "to", 0, to);
  }
  if (status == IMP_OK && impi_length(impi_sub(to, from)) < IMPI_MIN_LENGTH) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s to (%g, %g) is closer than %g m to from", kind, to.x, to.y, IMPI_MIN_LENGTH);
  }
  return status;
}


ImpAabb impi_hull_aabb(const ImpiHull *hull, ImpTransform xf) {
  ImpVec2 first = impi_apply(xf, hull->v[0]);
  ImpAabb box = {first, first};
  for (int i = 1; i < hull->count; ++i) {
    ImpVec2 p = impi_apply(xf, hull->v[i]);
    box = impi_aabb_union(box, (ImpAabb){p, p});
  }
  return impi_aabb_grow(box, hull->radius);
}


double impi_hull_inner(const ImpiHull *hull) {
  double least = hull->count < 3 ? 0 : IMPI_HUGE;
  for (int i = 0; hull->count > 2 && i < hull->count; ++i) {
    least = impi_min(least, impi_dot(hull->n[i], impi_sub(hull->v[i], hull->centroid)));
  }
  return least + hull->radius;
}


// The edge line that the point is farthest out of bounds the closest feature: when the point is outside, the closest
// point of a convex core lies on that edge or at one of its ends, because the direction from a closest vertex lies
// between the normals of its two edges and every other normal is farther from it.
ImpVec2 impi_hull_normal(const ImpiHull *hull, ImpVec2 point, double *out_distance) {
  double best = -IMPI_HUGE;
  int edge = 0;
  for (int i = 0; hull->count > 1 && i < hull->count; ++i) {
    double s = impi_dot(hull->n[i], impi_sub(point, hull->v[i]));
    edge = s > best ? i : edge;
    best = s > best ? s : best;
  }
  ImpVec2 from = impi_sub(point, hull->v[edge]);
  ImpVec2 normal = impi_vec(0, 1); // of a circle at its own centre: any direction will do, but always the same
  if (hull->count > 1) {
    normal = hull->n[edge];
    ImpVec2 end = hull->v[edge + 1 < hull->count ? edge + 1 : 0];
    bool before_start = impi_dot(impi_left(normal), from) < 0;
    bool after_end = impi_dot(impi_left(normal), impi_sub(point, end)) > 0;
    bool inside = best < 0 && hull->count > 2; // no point is inside a line, whatever rounding says
    if (inside || (!before_start && !after_end)) {
      *out_distance = best;
      return normal;
    }
    from = before_start ? from : impi_sub(point, end);
  }
  ImpVec2 direction = impi_normalize(from, out_distance);
  return *out_distance > 0 ? direction : normal;
}


bool impi_hull_contains(const ImpiHull *hull, ImpVec2 point) {
  if (hull->count == 2 && hull->radius <= 0) {
    return false;
  }
  double distance;
  impi_hull_normal(hull, point, &distance);
  return distance <= hull->radius;
}


ImpStatus impi_geometry_circle(ImpiHeap *heap, ImpVec2 center, double radius, ImpiGeometry *out_geometry) {
  ImpStatus status = impi_check_point("circle", "center", 0, center);
  if (status == IMP_OK) {
    status = impi_check_size("circle", "radius", radius, IMPI_MIN_LENGTH);
  }
  if (status != IMP_OK) {
    return status;
  }
  return build_piece(heap, IMP_SHAPE_CIRCLE, &center, 1, radius, &center, out_geometry);
}


ImpStatus impi_geometry_box(ImpiHeap *heap, double width, double height, ImpVec2 center, double angle, double radius,
                            ImpiGeometry *out_geometry) {
  ImpStatus status = impi_check_size("box", "width", width, IMPI_MIN_LENGTH);
  if (status == IMP_OK) {
    status = impi_check_size("box", "height", height, IMPI_MIN_LENGTH);
  }
  if (status == IMP_OK) {
    status = impi_check_point("box", "center", 0, center);
  }
  if (status == IMP_OK) {
    status = impi_check_size("box", "radius", radius, 0);
  }
  if (status == IMP_OK && !impi_is_finite(angle)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "box angle is not finite");
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpTransform xf = {center, angle != 0 ? impi_rot(angle) : (ImpRot){1, 0}};
  double x = 0.5 * width, y = 0.5 * height;
  ImpVec2 corners[4] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
  for (int i = 0; i < 4; ++i) {
    corners[i] = impi_apply(xf, corners[i]);
  }
  status = build_piece(heap, IMP_SHAPE_BOX, corners, 4, radius, &center, out_geometry);
  if (status == IMP_OK) {
    out_geometry->width = width;
    out_geometry->height = height;
    out_geometry->angle = angle;
  }
  return status;
}


ImpStatus impi_geometry_polygon(ImpiHeap *heap, const ImpVec2 *points, int count, double radius,
                                ImpiGeometry *out_geometry) {
  bool clockwise = false;
  ImpStatus status = impi_check_polygon(points, count, &clockwise);
  if (status == IMP_OK) {
    status = impi_check_size("polygon", "radius", radius, 0);
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpVec2 ordered[IMP_MAX_VERTICES];
  for (int i = 0; i < count; ++i) {
    ordered[i] = points[clockwise ? count - 1 - i : i];
  }
  return build_piece(heap, IMP_SHAPE_POLYGON, ordered, count, radius, NULL, out_geometry);
}


ImpStatus impi_geometry_capsule(ImpiHeap *heap, ImpVec2 from, ImpVec2 to, double radius, ImpiGeometry *out_geometry) {
  ImpStatus status = check_ends("capsule", from, to);
  if (status == IMP_OK) {
    status = impi_check_size("capsule", "radius", radius, IMPI_MIN_LENGTH);
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpVec2 ends[2] = {from, to}, middle = impi_lerp(from, to, 0.5);
  return build_piece(heap, IMP_SHAPE_CAPSULE, ends, 2, radius, &middle, out_geometry);
}


ImpStatus impi_geometry_segment(ImpiHeap *heap, ImpVec2 from, ImpVec2 to, ImpiGeometry *out_geometry) {
  ImpStatus status = check_ends("segment", from, to);
  if (status != IMP_OK) {
    return status;
  }
  ImpVec2 ends[2] = {from, to}, middle = impi_lerp(from, to, 0.5);
  return build_piece(heap, IMP_SHAPE_SEGMENT, ends, 2, 0, &middle, out_geometry);
}


ImpStatus impi_geometry_chain(ImpiHeap *heap, const ImpVec2 *points, int count, bool loop, ImpiGeometry *out_geometry) {
  ImpStatus status = impi_check_chain(points, count, loop);
  if (status != IMP_OK) {
    return status;
  }
  int links = loop ? count : count - 1;
  ImpVec2 *v, *n;
  ImpiGeometry geometry;
  // Link i runs from v[i] to v[i + 1]; a loop repeats its first point at the end.
  if (!allocate(heap, IMP_SHAPE_CHAIN, links, links + 1, 2 * links, &geometry, &v, &n)) {
    return IMP_ERR_NOMEM;
  }
  for (int i = 0; i <= links; ++i) {
    v[i] = points[i < count ? i : 0];
  }
  double whole_length = 0;
  ImpVec2 moment = {0, 0};
  for (int i = 0; i < links; ++i) {
    n[2 * i] = edge_normal(v[i], v[i + 1]);
    n[2 * i + 1] = impi_neg(n[2 * i]);
    ImpiHull *hull = &geometry.hulls[i];
    *hull = (ImpiHull){.count = 2, .chain = true, .v = &v[i], .n = &n[2 * i]};
    hull->centroid = impi_lerp(v[i], v[i + 1], 0.5);
    hull->extent = extent_from(hull, hull->centroid);
    // An open end goes straight on, so that nothing catches on it.
    ImpVec2 straight_before = impi_mul_add(v[i], 1, impi_sub(v[i], v[i + 1]));
    ImpVec2 straight_after = impi_mul_add(v[i + 1], 1, impi_sub(v[i + 1], v[i]));
    hull->ghost_before = i > 0 ? v[i - 1] : (loop ? v[links - 1] : straight_before);
    hull->ghost_after = i + 1 < links ? v[i + 2] : (loop ? v[1] : straight_after);
    double length = impi_length(impi_sub(v[i + 1], v[i]));
    whole_length += length;
    moment = impi_mul_add(moment, length, impi_sub(hull->centroid, v[0]));
  }
  geometry.loop = loop;
  geometry.mass.center = impi_mul_add(v[0], 1 / whole_length, moment);
  *out_geometry = geometry;
  return IMP_OK;
}


void impi_geometry_free(ImpiHeap *heap, ImpiGeometry *geometry) {
  impi_resize(heap, geometry->hulls, geometry->block_size, 0);
  *geometry = (ImpiGeometry){.type = geometry->type};
}
