// Geometry of shapes. One block of memory contains the ImpiFigure, the pieces, the points and the normals.
#include "geometry/shape.h"

#include <math.h>
#include <string.h>

#include "base/constants.h"


// Allocate one block for `hulls` pieces, `points` core points and `normals` normals; false when out of memory.
static bool allocate(ImpiHeap *heap, ImpShapeType type, int hulls, int points, int normals, ImpiGeometry *out_geometry,
                     ImpVec2 **out_points, ImpVec2 **out_normals) {
  size_t head = (size_t)hulls * sizeof(ImpiHull);
  size_t size = head + ((size_t)points + (size_t)normals) * sizeof(ImpVec2);
  ImpiFigure *figure = impi_resize(heap, NULL, 0, sizeof *figure + size);
  if (figure == NULL) {
    impi_fail(IMP_ERR_NOMEM, "out of memory for a shape of %d points", points);
    return false;
  }
  *figure = (ImpiFigure){.users = 1, .block_size = size};
  char *block = (char *)(figure + 1);
  memset(block, 0, size); // snapshots contain the padding bytes
  *out_geometry =
      (ImpiGeometry){.type = type, .child_count = hulls, .hulls = (ImpiHull *)(void *)block, .figure = figure};
  *out_points = (ImpVec2 *)(void *)(block + head);
  *out_normals = *out_points + points;
  return true;
}


// Return the outward normal of the edge p -> q of a counter-clockwise core.
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


// Build a shape of one piece. `symmetric_center`: the exact centroid of a symmetric piece, or null.
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
  geometry.figure->mass = impi_hull_mass(hull);
  if (symmetric_center != NULL) {
    geometry.figure->mass.center = *symmetric_center;
  }
  hull->centroid = geometry.figure->mass.center;
  hull->extent = extent_from(hull, hull->centroid);
  *out_geometry = geometry;
  return IMP_OK;
}


static ImpStatus check_ends(const char *kind, ImpVec2 from, ImpVec2 to) {
  ImpStatus status = impi_check_point(kind, "from", 0, from);
  if (status == IMP_OK) {
    status = impi_check_point(kind, "to", 0, to);
  }
  if (status == IMP_OK && impi_length(impi_sub(to, from)) < IMPI_MIN_LENGTH) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s: 'to' (%g, %g) is closer than %g m to 'from'", kind, to.x, to.y,
                     IMPI_MIN_LENGTH);
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


// The closest feature of a convex core is the edge from whose line the point is farthest outside, or an end of this
// edge.
ImpiNearest impi_hull_nearest(const ImpiHull *hull, ImpVec2 point) {
  double best = -IMPI_HUGE;
  int edge = 0;
  for (int i = 0; hull->count > 1 && i < hull->count; ++i) {
    double s = impi_dot(hull->n[i], impi_sub(point, hull->v[i]));
    edge = s > best ? i : edge;
    best = s > best ? s : best;
  }
  ImpiNearest nearest = {.normal = {0, 1}, .room = IMPI_HUGE};
  for (int hops = 0; hull->count > 1; ++hops) {
    nearest.normal = hull->n[edge];
    int next = edge + 1 < hull->count ? edge + 1 : 0;
    double from_start = impi_dot(impi_left(nearest.normal), impi_sub(point, hull->v[edge]));
    double beyond_end = impi_dot(impi_left(nearest.normal), impi_sub(point, hull->v[next]));
    bool before_start = from_start<0, after_end = beyond_end> 0;
    bool inside = best < 0 && hull->count > 2; // a line has no inside
    if (inside || (!before_start && !after_end)) {
      nearest.distance = best;
      nearest.room = impi_max(impi_min(best, impi_min(from_start, -beyond_end)), 0);
      nearest.corner = -1;
      return nearest;
    }
    nearest.corner = before_start ? edge : next;
    int other = before_start ? (edge > 0 ? edge : hull->count) - 1 : next;
    double beyond_other = impi_dot(impi_left(hull->n[other]), impi_sub(point, hull->v[nearest.corner]));
    nearest.room = before_start ? impi_min(-from_start, beyond_other) : impi_min(beyond_end, -beyond_other);
    // `edge` and `other`, the next edge at this corner, may be collinear. If the point projects onto `other`, continue
    // with `other`.
    bool in_line = (before_start ? beyond_other < 0 : beyond_other > 0) && impi_dot(hull->n[other], nearest.normal) > 0;
    if (!in_line || hops == hull->count) break;
    edge = other;
    best = impi_dot(hull->n[edge], impi_sub(point, hull->v[edge]));
  }
  ImpVec2 normal = nearest.normal;
  nearest.normal = impi_normalize(impi_sub(point, hull->v[nearest.corner]), &nearest.distance);
  nearest.normal = nearest.distance > 0 ? nearest.normal : normal;
  nearest.room = impi_max(impi_min(nearest.room, 0.5 * nearest.distance), 0);
  return nearest;
}


ImpVec2 impi_hull_normal(const ImpiHull *hull, ImpVec2 point, double *out_distance) {
  ImpiNearest nearest = impi_hull_nearest(hull, point);
  *out_distance = nearest.distance;
  return nearest.normal;
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
    out_geometry->figure->width = width;
    out_geometry->figure->height = height;
    out_geometry->figure->angle = angle;
  }
  return status;
}


static void set_piece(const ImpiOutline *outline, const ImpiPieces *pieces, int piece, double radius, ImpVec2 *v,
                      ImpVec2 *n, ImpiHull *out_hull) {
  int32_t begin = piece > 0 ? pieces->end.data[piece - 1] : 0, count = pieces->end.data[piece] - begin;
  *out_hull = (ImpiHull){.count = count, .radius = radius, .v = v, .n = n};
  for (int32_t i = 0; i < count; ++i) {
    v[i] = outline->points[pieces->index.data[begin + i]];
    out_hull->inner |= (uint64_t)pieces->inner.data[begin + i] << i;
  }
  for (int32_t i = 0; i < count; ++i) {
    n[i] = edge_normal(v[i], v[i + 1 < count ? i + 1 : 0]);
  }
  out_hull->centroid = impi_hull_mass(out_hull).center;
  out_hull->extent = extent_from(out_hull, out_hull->centroid);
}


// Build a polygon of several pieces. `outline` is checked and ordered.
static ImpStatus build_pieces(ImpiHeap *heap, const ImpiOutline *outline, double radius, ImpiGeometry *out_geometry) {
  ImpiPieces pieces;
  ImpiGeometry geometry;
  ImpVec2 *v = NULL, *n = NULL;
  int count = outline->ends[outline->ring_count - 1];
  bool fine = impi_decompose(heap, outline, &pieces);
  int parts = pieces.end.count, corners = pieces.index.count;
  ImpStatus status = fine ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory for a shape of %d points", count);
  if (fine && parts == 0) {
    status = impi_fail(IMP_ERR_ARGUMENT, "polygon has no area");
  }
  // The given points are stored after the normals, the ends of the rings after the points.
  int rings = (int)((impi_rings_size(outline->ring_count) + sizeof *v - 1) / sizeof *v);
  if (status == IMP_OK &&
      !allocate(heap, IMP_SHAPE_POLYGON, parts, corners, corners + count + rings, &geometry, &v, &n)) {
    status = IMP_ERR_NOMEM;
  }
  if (status == IMP_OK) {
    for (int i = 0, at = 0; i < parts; at = pieces.end.data[i++]) {
      set_piece(outline, &pieces, i, radius, &v[at], &n[at], &geometry.hulls[i]);
    }
    geometry.figure->given_count = count;
    geometry.figure->ring_count = outline->ring_count;
    memcpy((ImpVec2 *)(uintptr_t)impi_geometry_given(&geometry), outline->points, (size_t)count * sizeof *v);
    memcpy((int32_t *)(uintptr_t)impi_geometry_ends(&geometry), outline->ends,
           (size_t)outline->ring_count * sizeof *outline->ends);
    if (impi_outline_mass(heap, outline, geometry.hulls, parts, &geometry.figure->mass)) {
      *out_geometry = geometry;
    } else {
      impi_geometry_free(heap, &geometry);
      status = impi_fail(IMP_ERR_NOMEM, "out of memory for a shape of %d points", count);
    }
  }
  impi_pieces_free(heap, &pieces);
  return status;
}


ImpStatus impi_geometry_polygon_with_holes(ImpiHeap *heap, const ImpVec2 *points, const int *counts, int rings,
                                           double radius, ImpiGeometry *out_geometry) {
  int64_t count = 0;
  for (int ring = 0; ring < rings; ++ring) {
    count += counts[ring] > 0 ? counts[ring] : 0;
  }
  if (rings < 1 || count > IMP_MAX_OUTLINE) {
    return impi_fail(IMP_ERR_LIMIT, "polygon has %d vertices, at most %d are allowed",
                     count < 1000000000 ? (int)count : 1000000000, IMP_MAX_OUTLINE);
  }
  // Copy the points, because the rings may be reversed.
  size_t points_size = (size_t)count * sizeof(ImpVec2), size = points_size + (size_t)rings * sizeof(int32_t);
  ImpVec2 *ordered = impi_resize(heap, NULL, 0, size);
  if (ordered == NULL) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory for a shape of %d points", (int)count);
  }
  if (count > 0) {
    memcpy(ordered, points, points_size);
  }
  int32_t *ends = (int32_t *)(void *)(ordered + count), end = 0;
  for (int ring = 0; ring < rings; ++ring) {
    ends[ring] = end += counts[ring] > 0 ? counts[ring] : 0;
  }
  ImpiOutline outline = {ordered, ends, rings};
  bool convex = false;
  ImpStatus status = impi_check_outline(ordered, &outline, &convex);
  if (status == IMP_OK) {
    status = impi_check_size("polygon", "radius", radius, 0);
  }
  if (status == IMP_OK) {
    status = convex ? build_piece(heap, IMP_SHAPE_POLYGON, ordered, (int)count, radius, NULL, out_geometry)
                    : build_pieces(heap, &outline, radius, out_geometry);
  }
  impi_resize(heap, ordered, size, 0);
  return status;
}


ImpStatus impi_geometry_polygon(ImpiHeap *heap, const ImpVec2 *points, int count, double radius,
                                ImpiGeometry *out_geometry) {
  return impi_geometry_polygon_with_holes(heap, points, &count, 1, radius, out_geometry);
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


// Initialise `links` links of a shape from index `first` on. Link i goes from v[i] to v[i + 1]. At an open end the
// ghost extends the link in a straight line.
static void set_links(ImpiGeometry *geometry, int first, int links, const ImpVec2 *v, ImpVec2 *n, bool loop) {
  for (int i = 0; i < links; ++i) {
    n[2 * i] = edge_normal(v[i], v[i + 1]);
    n[2 * i + 1] = impi_neg(n[2 * i]);
    ImpiHull *hull = &geometry->hulls[first + i];
    *hull = (ImpiHull){.count = 2, .chain = true, .v = &v[i], .n = &n[2 * i]};
    hull->centroid = impi_lerp(v[i], v[i + 1], 0.5);
    hull->extent = extent_from(hull, hull->centroid);
    ImpVec2 straight_before = impi_mul_add(v[i], 1, impi_sub(v[i], v[i + 1]));
    ImpVec2 straight_after = impi_mul_add(v[i + 1], 1, impi_sub(v[i + 1], v[i]));
    hull->ghost_before = i > 0 ? v[i - 1] : (loop ? v[links - 1] : straight_before);
    hull->ghost_after = i + 1 < links ? v[i + 2] : (loop ? v[1] : straight_after);
    hull->open_start = i == 0 && !loop;
    hull->open_end = i == links - 1 && !loop;
  }
}


// Set the centre of mass of lines: the centroid of their length.
static void set_line_center(ImpiGeometry *geometry) {
  ImpVec2 origin = geometry->hulls[0].v[0], moment = {0, 0};
  double whole_length = 0;
  for (int32_t i = 0; i < geometry->child_count; ++i) {
    const ImpiHull *hull = &geometry->hulls[i];
    double length = impi_length(impi_sub(hull->v[1], hull->v[0]));
    whole_length += length;
    moment = impi_mul_add(moment, length, impi_sub(hull->centroid, origin));
  }
  geometry->figure->mass.center = impi_mul_add(origin, 1 / whole_length, moment);
}


static bool is_there(double height) { return height == height; }


ImpStatus impi_geometry_chain(ImpiHeap *heap, const ImpVec2 *points, int count, bool loop, ImpiGeometry *out_geometry) {
  ImpStatus status = impi_check_chain(points, count, loop);
  if (status != IMP_OK) {
    return status;
  }
  int links = loop ? count : count - 1;
  ImpVec2 *v, *n;
  ImpiGeometry geometry;
  // Link i runs from v[i] to v[i + 1].
  if (!allocate(heap, IMP_SHAPE_CHAIN, links, links + 1, 2 * links, &geometry, &v, &n)) {
    return IMP_ERR_NOMEM;
  }
  for (int i = 0; i <= links; ++i) {
    v[i] = points[i < count ? i : 0];
  }
  set_links(&geometry, 0, links, v, n, loop);
  geometry.figure->loop = loop;
  set_line_center(&geometry);
  *out_geometry = geometry;
  return IMP_OK;
}


ImpStatus impi_geometry_heights(ImpiHeap *heap, ImpVec2 origin, double spacing, const double *values, int count,
                                ImpiGeometry *out_geometry) {
  int links = 0, runs = 0;
  ImpStatus status = impi_check_heights(origin, spacing, values, count, &links);
  if (status != IMP_OK) {
    return status;
  }
  for (int i = 0; i + 1 < count; ++i) {
    runs += is_there(values[i]) && is_there(values[i + 1]) && (i == 0 || !is_there(values[i - 1]));
  }
  ImpVec2 *v, *n;
  ImpiGeometry geometry;
  if (!allocate(heap, IMP_SHAPE_HEIGHTS, links, links + runs, 2 * links + count, &geometry, &v, &n)) {
    return IMP_ERR_NOMEM;
  }
  geometry.figure->given_count = count;
  geometry.figure->width = spacing;
  geometry.figure->origin = origin;
  ImpVec2 *given = (ImpVec2 *)(uintptr_t)impi_geometry_given(&geometry);
  // The links run from right to left, because the solid side of a link is its left side.
  int link = 0;
  for (int i = count - 1, run = 0; i >= 0; --i) {
    given[i] = impi_vec(0, values[i]);
    bool goes_on = i > 0 && is_there(values[i - 1]);
    if (is_there(values[i]) && (run > 0 || goes_on)) { // a point without neighbours belongs to no link
      v[run++] = impi_add(origin, impi_vec(i * spacing, values[i]));
    }
    if (run > 0 && !goes_on) {
      set_links(&geometry, link, run - 1, v, n + 2 * link, false);
      link += run - 1;
      v += run;
      run = 0;
    }
  }
  set_line_center(&geometry);
  *out_geometry = geometry;
  return IMP_OK;
}


void impi_geometry_free(ImpiHeap *heap, ImpiGeometry *geometry) {
  ImpiFigure *figure = geometry->figure;
  if (figure != NULL && --figure->users == 0) {
    impi_resize(heap, figure, sizeof *figure + figure->block_size, 0);
  }
  *geometry = (ImpiGeometry){.type = geometry->type};
}


// Return whether two geometries of one piece have equal measures.
static bool same_measures(const ImpiGeometry *a, const ImpiGeometry *b) {
  const ImpiHull *p = a->hulls, *q = b->hulls;
  const ImpiFigure *f = a->figure, *g = b->figure;
  const double measures[][2] = {{f->width, g->width},
                                {f->height, g->height},
                                {f->angle, g->angle},
                                {p->radius, q->radius},
                                {f->mass.center.x, g->mass.center.x},
                                {f->mass.center.y, g->mass.center.y}};
  bool same = a->type == b->type && p->count == q->count && p->chain == q->chain && f->given_count == 0 &&
              g->given_count == 0 && memcmp(p->v, q->v, (size_t)p->count * sizeof *p->v) == 0;
  for (int i = 0; i < IMPI_COUNT(measures) && same; ++i) {
    same = memcmp(&measures[i][0], &measures[i][1], sizeof(double)) == 0;
  }
  return same;
}


bool impi_geometry_share(ImpiHeap *heap, ImpiGeometry *other, ImpiGeometry *geometry) {
  if (other->figure == geometry->figure) { // the geometries share one figure
    return true;
  }
  if (other->child_count != 1 || geometry->child_count != 1 || !same_measures(other, geometry)) {
    return false;
  }
  other->figure->users++;
  impi_geometry_free(heap, geometry);
  *geometry = *other;
  return true;
}
