// Table of the collision functions, by the kinds of the two pieces.
#include "geometry/collide_edges.h"

typedef enum Kind { KIND_POINT, KIND_POLYGON, KIND_LINK, KIND_COUNT } Kind;

// `collide` is null for kinds of pieces that never touch. `swapped`: the function takes piece b before piece a.
static const struct {
  ImpiCollide *collide;
  bool swapped;
} pairs[KIND_COUNT][KIND_COUNT] = {
    [KIND_POINT] = {[KIND_POINT] = {impi_collide_point, false},
                    [KIND_POLYGON] = {impi_collide_point, true},
                    [KIND_LINK] = {impi_collide_link_point, true}},
    [KIND_POLYGON] = {[KIND_POINT] = {impi_collide_point, false},
                      [KIND_POLYGON] = {impi_collide_polygons, false},
                      [KIND_LINK] = {impi_collide_link_polygon, true}},
    [KIND_LINK] =
        {[KIND_POINT] = {impi_collide_link_point, false}, [KIND_POLYGON] = {impi_collide_link_polygon, false}},
};


static Kind kind_of(const ImpiHull *hull) {
  if (hull->chain) {
    return KIND_LINK;
  }
  return hull->count == 1 ? KIND_POINT : KIND_POLYGON;
}


// Transform a manifold of (b, a) in b's frame to the manifold of (a, b) in a's frame.
static void swap_sides(const ImpTransform *b_in_a, ImpiLocalManifold *manifold) {
  manifold->corner = impi_apply(*b_in_a, manifold->corner);
  manifold->normal = impi_neg(impi_rotate(b_in_a->q, manifold->normal));
  for (int i = 0; i < manifold->count; ++i) {
    ImpiLocalPoint *point = &manifold->points[i];
    point->point = impi_apply(*b_in_a, point->point);
    point->feature = (point->feature & 0xff) << 8 | point->feature >> 8;
  }
}


void impi_collide(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                  ImpiLocalManifold *out_manifold) {
  out_manifold->clearance = out_manifold->room = 0;
  out_manifold->from_corner = false;
  out_manifold->corner = impi_vec(0, 0);
  Kind a_kind = kind_of(a), b_kind = kind_of(b);
  ImpiCollide *collide = pairs[a_kind][b_kind].collide;
  if (collide == NULL) {
    out_manifold->count = 0;
    return;
  }
  if (!pairs[a_kind][b_kind].swapped) {
    collide(a, b, b_in_a, margin, out_manifold);
    return;
  }
  ImpTransform a_in_b = {impi_inv_rotate(b_in_a->q, impi_neg(b_in_a->p)), {b_in_a->q.c, -b_in_a->q.s}};
  collide(b, a, &a_in_b, margin, out_manifold);
  swap_sides(b_in_a, out_manifold);
}
