// Geometries from bytes. Each geometry is rejected with a reason, or has convex pieces with unit normals, a mass, and
// an outline. A valid geometry is simulated in a world with other bodies.
#include "geometry.h"
#include "snapshot/world_valid.h"


static void check_piece(const ImpiGeometry *g, const ImpiHull *hull) {
  CHECK(hull->count >= 1 && hull->count <= IMP_MAX_VERTICES);
  CHECK(hull->radius >= 0 && isfinite(hull->radius) && isfinite(hull->centroid.x) && isfinite(hull->centroid.y));
  CHECK(isfinite(hull->extent) && hull->extent >= 0);
  ImpAabb box = impi_hull_aabb(hull, (ImpTransform){{0, 0}, {1, 0}});
  for (int i = 0; i < hull->count; ++i) {
    ImpVec2 v = hull->v[i];
    CHECK(v.x >= box.lower.x && v.x <= box.upper.x && v.y >= box.lower.y && v.y <= box.upper.y);
    if (hull->count > 1) CHECK_NEAR(impi_length(hull->n[i]), 1, 1e-12);
    double distance;
    ImpVec2 normal = impi_hull_normal(hull, v, &distance);
    CHECK_NEAR(impi_length(normal), 1, 1e-12);
    CHECK_NEAR(distance, 0, 1e-9 * (1 + hull->extent));
  }
  if (hull->count > 2) { // the centroid is inside, except for rounding of a needle's coordinates
    double distance;
    (void)impi_hull_normal(hull, hull->centroid, &distance);
    CHECK(distance <= hull->radius + 1e-15 * (hull->extent + impi_length(hull->v[0])));
  }
  CHECK(hull->chain == (g->type == IMP_SHAPE_CHAIN || g->type == IMP_SHAPE_HEIGHTS));
}


static void check_geometry(const ImpiGeometry *g) {
  const ImpiMass *mass = &g->figure->mass;
  CHECK(g->child_count >= 1 && g->hulls != NULL);
  CHECK(isfinite(mass->area) && isfinite(mass->inertia) && isfinite(mass->center.x) && isfinite(mass->center.y));
  CHECK(mass->area >= 0 && mass->inertia >= 0);
  double area = 0, largest = 0, reach = 0;
  bool sharp = true, solid = false;
  for (int i = 0; i < g->child_count; ++i) {
    check_piece(g, &g->hulls[i]);
    double part = impi_hull_mass(&g->hulls[i]).area;
    area += part;
    reach = fmax(reach, impi_length(impi_sub(g->hulls[i].centroid, g->hulls[0].centroid)) + g->hulls[i].extent);
    largest = part > largest ? part : largest;
    sharp = sharp && g->hulls[i].radius == 0;
    solid = solid || g->hulls[i].count > 2;
  }
  // Bound of the rounding of products of coordinates. The corners include collinear ones, such as the tip of a needle
  // of zero width.
  double products = 0;
  const ImpVec2 *given = g->type == IMP_SHAPE_POLYGON ? impi_geometry_given(g) : NULL;
  for (int i = 1; given != NULL && i + 1 < g->figure->given_count; ++i) {
    products += impi_length(impi_sub(given[i], given[0])) * impi_length(impi_sub(given[i + 1], given[0]));
  }
  double rounding = 1e-9 * area + 1e-13 * reach * reach + 1e-15 * products;
  CHECK(mass->area <= area + rounding &&
        mass->area >= largest - rounding); // the mass has the area of the pieces' union
  if (sharp && solid)
    CHECK_NEAR(area, mass->area,
               1e-9 * mass->area + 1e-15 * products); // the pieces do not overlap, so their areas add up
}


// Simulate a disc that falls onto the geometry.
static void live(const ImpiGeometry *g) {
  ImpWorldDef world_def = imp_world_def();
  ImpBodyDef def = imp_body_def();
  ImpShapeDef shape_def = imp_shape_def();
  ImpWorld *world = NULL;
  ImpBody body, disc;
  ImpShape shape = {0};
  ImpHit hit;
  CHECK(imp_world_create(&world_def, &world) == IMP_OK);
  ImpAabb box = impi_hull_aabb(&g->hulls[0], (ImpTransform){{0, 0}, {1, 0}});
  def.type = g->type == IMP_SHAPE_CHAIN || g->type == IMP_SHAPE_HEIGHTS ? IMP_BODY_STATIC : IMP_BODY_DYNAMIC;
  def.velocity = impi_vec(0, def.type == IMP_BODY_DYNAMIC ? 1 : 0);
  CHECK(imp_body_create(world, &def, &body) == IMP_OK);
  const ImpiFigure *f = g->figure;
  ImpStatus status = IMP_ERR_ARGUMENT;
  const ImpiHull *hull = &g->hulls[0];
  if (g->type == IMP_SHAPE_POLYGON && f->ring_count == 0) {
    status = imp_body_add_polygon(world, body, &shape_def, hull->v, hull->count, hull->radius, &shape);
  } else if (g->type == IMP_SHAPE_HEIGHTS) {
    double values[MOST_POINTS];
    for (int i = 0; i < f->given_count; ++i) values[i] = impi_geometry_given(g)[i].y;
    status = imp_body_add_heights(world, body, &shape_def, f->origin, f->width, values, f->given_count, &shape);
  } else if (hull->count == 1) {
    status = imp_body_add_circle(world, body, &shape_def, hull->v[0], hull->radius, &shape);
  } else if (hull->count == 2 && hull->radius > 0) {
    status = imp_body_add_capsule(world, body, &shape_def, hull->v[0], hull->v[1], hull->radius, &shape);
  }
  def.type = IMP_BODY_DYNAMIC;
  def.position = impi_vec(0.5 * (box.lower.x + box.upper.x), box.upper.y + 0.1);
  def.velocity = impi_vec(0, -1);
  if (imp_body_create(world, &def, &disc) == IMP_OK) {
    ImpShape round;
    CHECK(imp_body_add_circle(world, disc, &shape_def, impi_vec(0, 0), 0.3, &round) == IMP_OK);
  }
  for (int i = 0; i < 4; ++i) CHECK(imp_world_step(world) == IMP_OK);
  (void)imp_world_raycast(world, impi_vec(-90, 0.1), impi_vec(90, 0.2), NULL, &hit);
  if (status == IMP_OK) {
    ImpNear near;
    CHECK(imp_shape_closest(world, shape, impi_vec(1, 2), &near) == IMP_OK);
  }
  ImpiInvalid invalid = {0};
  bool valid = impi_world_is_valid(world, &invalid);
  check_that(valid, __FILE__, __LINE__, valid ? "" : invalid.what);
  CHECK(imp_world_destroy(world) == IMP_OK);
}


static void one_input(Input *in) {
  int how = take_below(in, 256);
  Memory memory = {.fail_at = how < 8 ? how : 0};
  ImpiHeap heap = {.allocator = {reallocate, &memory}};
  ImpiGeometry g = {0};
  ImpStatus status = take_geometry(in, &heap, GEOMETRY_KINDS, &g);
  CHECK(status == IMP_OK || status == IMP_ERR_ARGUMENT || (status == IMP_ERR_NOMEM && memory.fail_at > 0));
  if (status == IMP_OK) {
    check_geometry(&g);
    if (how % 4 == 3) live(&g);
    impi_geometry_free(&heap, &g);
  } else {
    CHECK(imp_last_error()[0] != 0);
  }
  CHECK(memory.bytes == 0 && heap.bytes == 0);
}
