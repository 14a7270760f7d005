// A row of tiles compared with the single box that they form.
#include "check.h"

#include "base/constants.h"
#include "geometry/internal_edge.h"

static ImpiHeap heap;

static uint64_t random_state = 1;
static double random_between(double lower, double upper) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return lower + (upper - lower) * (double)(random_state >> 11) * 0x1p-53;
}


#define TILES 7

static ImpiGeometry tiles[TILES], row;

static void make_row(double gap) {
  for (int i = 0; i < TILES; ++i) {
    CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(i + i * gap - 3, -0.5), 0, 0, &tiles[i]) == IMP_OK);
  }
  double width = TILES + (TILES - 1) * gap;
  CHECK(impi_geometry_box(&heap, width, 1, impi_vec(-3.5 + 0.5 * width, -0.5), 0, 0, &row) == IMP_OK);
}


static void free_row(void) {
  for (int i = 0; i < TILES; ++i) impi_geometry_free(&heap, &tiles[i]);
  impi_geometry_free(&heap, &row);
}


static ImpiNeighbours neighbours_of(int tile) {
  ImpiNeighbours neighbours = {.count = 0};
  for (int i = TILES - 1; i >= 0; --i) { // added in reverse order, because the order must not matter
    ImpiNeighbour other = {tiles[i].hulls, {{0, 0}, {1, 0}}, (uint64_t)i, 0};
    if (i != tile) impi_neighbours_add(&neighbours, other);
  }
  return neighbours;
}


// Return the least separation of a body from the tiles. out_worst: largest deviation of a normal from `expected`.
static double smoothed(const ImpiHull *body, ImpTransform pose, ImpVec2 expected, double *out_worst) {
  double least = IMPI_HUGE;
  *out_worst = 0;
  for (int i = 0; i < TILES; ++i) {
    ImpiLocalManifold m;
    ImpiNeighbours neighbours = neighbours_of(i);
    impi_collide(tiles[i].hulls, body, &pose, IMPI_SPECULATIVE_MARGIN, &m);
    impi_internal_edges_smooth(tiles[i].hulls, &neighbours, body, NULL, &pose, IMPI_SPECULATIVE_MARGIN, &m);
    for (int k = 0; k < m.count; ++k) {
      least = impi_min(least, m.points[k].separation);
      *out_worst = impi_max(*out_worst, impi_length(impi_sub(m.normal, expected)));
    }
  }
  return least;
}


static void check_on_row(const ImpiHull *body, double gap, double tilt_range) {
  make_row(gap);
  int differ = 0, turned = 0, met = 0;
  for (int n = 0; n < 3000; ++n) {
    double tilt = random_between(-tilt_range, tilt_range);
    ImpTransform pose = {{random_between(-2, 2), 0}, {cos(tilt), sin(tilt)}};
    pose.p.y = -impi_hull_aabb(body, pose).lower.y + random_between(-0.01, 0.015);
    ImpiLocalManifold m;
    impi_collide(row.hulls, body, &pose, IMPI_SPECULATIVE_MARGIN, &m);
    double expected = IMPI_HUGE, worst;
    for (int k = 0; k < m.count; ++k) expected = impi_min(expected, m.points[k].separation);
    double got = smoothed(body, pose, impi_vec(0, 1), &worst);
    met += m.count > 0;
    // 0.02 tilt^2: difference between a depth of 2 cm along a tilted normal and the vertical depth. Terms with `gap`:
    // depth to which the body dips into a gap between two tiles.
    double allowed = 1e-9 + 0.02 * tilt * tilt + (gap > 0 ? 0.5 * gap * fabs(sin(tilt)) + 2 * gap * gap : 0);
    differ += fabs(got - expected) > allowed;
    // At small tilts the normal may be that of the body's face, instead of (0, 1).
    turned += worst > 1e-6 + (body->count > 1 ? fabs(sin(tilt)) : 0);
  }
  CHECK(met == 3000);
  CHECK(differ == 0);
  CHECK(turned == 0);
  if (differ + turned > 0) printf("  %d differ, %d turned: count %d, gap %g\n", differ, turned, body->count, gap);
  free_row();
}


static void a_row_of_tiles_collides_as_one_box(void) {
  ImpiGeometry box, disc, capsule, hexagon;
  ImpVec2 corners[6];
  for (int i = 0; i < 6; ++i) corners[i] = impi_vec(0.6 * cos(i * IMPI_PI / 3), 0.6 * sin(i * IMPI_PI / 3));
  CHECK(impi_geometry_box(&heap, 1.3, 0.8, impi_vec(0, 0), 0, 0, &box) == IMP_OK);
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0), 0.4, &disc) == IMP_OK);
  CHECK(impi_geometry_capsule(&heap, impi_vec(-0.4, 0), impi_vec(0.4, 0), 0.2, &capsule) == IMP_OK);
  CHECK(impi_geometry_polygon(&heap, corners, 6, 0, &hexagon) == IMP_OK);
  const ImpiGeometry *bodies[] = {&box, &disc, &capsule, &hexagon};
  for (int i = 0; i < IMPI_COUNT(bodies); ++i) {
    check_on_row(bodies[i]->hulls, 0, 1e-5);
    check_on_row(bodies[i]->hulls, 0, 0);
    check_on_row(bodies[i]->hulls, 0, 3);
    check_on_row(bodies[i]->hulls, 5e-4, 0);
  }
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &disc);
  impi_geometry_free(&heap, &capsule);
  impi_geometry_free(&heap, &hexagon);
}


static bool shows(const ImpiGeometry *piece, const ImpiGeometry *other, double nx, double ny, double x, double y) {
  ImpiNeighbours neighbours = {.count = 0};
  impi_neighbours_add(&neighbours, (ImpiNeighbour){other->hulls, {{0, 0}, {1, 0}}, 1, 0});
  double length;
  return impi_neighbours_expose(piece->hulls, &neighbours, impi_normalize(impi_vec(nx, ny), &length), impi_vec(x, y),
                                impi_vec(x, y));
}


// Return a box from (x, y) to (x2, y2).
static ImpiGeometry box_between(double x, double y, double x2, double y2) {
  ImpiGeometry box;
  ImpVec2 center = impi_vec(0.5 * (x + x2), 0.5 * (y + y2));
  CHECK(impi_geometry_box(&heap, x2 - x, y2 - y, center, 0, 0, &box) == IMP_OK);
  return box;
}


// Return whether the box 0..1 x 0..1 beside `other` exposes the surface normal (nx, ny) at (x, y). Frees `other`.
static bool box_shows(ImpiGeometry other, double nx, double ny, double x, double y) {
  ImpiGeometry box = box_between(0, 0, 1, 1);
  bool result = shows(&box, &other, nx, ny, x, y);
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &other);
  return result;
}


static void an_edge_is_exposed_where_no_neighbour_covers_it(void) {
  // Half of the top is covered. The open half is extended by IMPI_SPECULATIVE_MARGIN, 20 mm.
  CHECK(box_shows(box_between(0, 1, 0.5, 2), 0, 1, 0.51, 1) && box_shows(box_between(0.5, 1, 1, 2), 0, 1, 0.49, 1));
  CHECK(box_shows(box_between(0, 1, 0.5, 2), 0, 1, 0.49, 1) && box_shows(box_between(0.5, 1, 1, 2), 0, 1, 0.51, 1));
  CHECK(!box_shows(box_between(0, 1, 0.5, 2), 0, 1, 0.47, 1) && !box_shows(box_between(0.5, 1, 1, 2), 0, 1, 0.53, 1));
  // A gap of less than a millimetre is treated as closed, a wider gap as open.
  CHECK(!box_shows(box_between(0, 1, 0.9992, 2), 0, 1, 0.9996, 1) &&
        box_shows(box_between(0, 1, 0.9985, 2), 0, 1, 0.999, 1));
  // Only a protruding box covers the edge.
  CHECK(box_shows(box_between(0, 0.5, 1, 1), 0, 1, 0.5, 1) && !box_shows(box_between(0, 0.5, 1, 1.0003), 0, 1, 0.5, 1));
  // `box` covers the left wall of `higher` up to y = 1. There it also hides a normal that is tilted by 0.05 rad.
  ImpiGeometry box = box_between(0, 0, 1, 1), higher = box_between(1, 0, 2, 2);
  CHECK(!shows(&higher, &box, -1, 0.05, 1, 0.5) && shows(&higher, &box, -1, 0.05, 1, 1.5));
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &higher);
}


static void a_neighbour_that_covers_a_corner_hides_it(void) {
  CHECK(!box_shows(box_between(0.5, 0.5, 1.5, 1.5), 1, 1, 1, 1)); // the neighbour contains the corner
  // The neighbour contains the right edge up to the corner.
  CHECK(!box_shows(box_between(0.5, 0, 1.5, 1), 1, 1, 1, 1));
}


// A neighbour rotated by a rounding error, 1e-7 rad, exposes the same sides as an unrotated neighbour.
static void neighbours_rotated_by_rounding_expose_the_same_sides(void) {
  ImpiGeometry box = box_between(0, 0, 1, 1), needle;
  ImpVec2 sliver[] = {{0, 1}, {1, 1}, {0, 1.0005}};
  CHECK(impi_geometry_polygon(&heap, sliver, 3, 0, &needle) == IMP_OK);
  static const ImpVec2 ends[] = {{1, 0}, {0, 0}}, through[] = {{-1, 0}, {1, 0}}, back[] = {{1, 0}, {-1, 0}};
  static const ImpVec2 *lines[] = {ends, through, back};
  ImpiGeometry link;
  CHECK(impi_geometry_chain(&heap, ends, 2, false, &link) == IMP_OK);
  for (int i = -1; i <= 1; ++i) {
    ImpRot turn = {1, i * 1e-7};
    // The neighbour is the same box, rotated about (0, 1). The corner (0, 1) is still exposed.
    ImpiNeighbours neighbours = {.count = 0};
    ImpVec2 place = impi_sub(impi_vec(0, 1), impi_rotate(turn, impi_vec(0, 1)));
    impi_neighbours_add(&neighbours, (ImpiNeighbour){box.hulls, {place, turn}, 1, 0});
    double half = sqrt(0.5);
    CHECK(impi_neighbours_expose(box.hulls, &neighbours, impi_vec(-half, half), impi_vec(0, 1), impi_vec(0, 1)));
    // A sliver with an angle of 0.5 mrad lies on the box. The box's corner (1, 1) exposes no normal that points down.
    place = impi_sub(impi_vec(1, 1), impi_rotate(turn, impi_vec(1, 1)));
    neighbours.count = 0;
    impi_neighbours_add(&neighbours, (ImpiNeighbour){needle.hulls, {place, turn}, 1, 0});
    CHECK(!impi_neighbours_expose(box.hulls, &neighbours, impi_vec(0.8, -0.6), impi_vec(1, 1), impi_vec(1, 1)));
    // A line continues the link if it extends beyond the link's end. A line whose ends are those of the link does not.
    for (int k = 0; k < IMPI_COUNT(lines); ++k) {
      ImpiGeometry line;
      ImpVec2 points[2];
      CHECK(impi_geometry_segment(&heap, lines[k][0], lines[k][1], &line) == IMP_OK);
      neighbours.count = 0;
      impi_neighbours_add(&neighbours, (ImpiNeighbour){line.hulls, {{0, 0}, turn}, 1, 0});
      ImpiHull on = impi_neighbours_link(link.hulls, &neighbours, points);
      // The tolerance is the rotation of 1e-7 rad, and rounding.
      CHECK_NEAR(impi_cross(impi_sub(on.ghost_after, on.v[1]), impi_vec(1, 0)), 0, 2e-7);
      CHECK(on.ghost_after.x < on.v[1].x);
      impi_geometry_free(&heap, &line);
    }
  }
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &needle);
  impi_geometry_free(&heap, &link);
}


// A rolling polygon touches a corner before the contact normal is between the normals of the corner's edges.
static void a_rolling_body_collides_with_the_next_corners_of_a_curve(void) {
  ImpiGeometry box = box_between(0, 0, 1, 1), ramp;
  ImpVec2 falling[] = {{1, 0}, {2, 0}, {2, 0.99}, {1, 1}}; // the top has the slope -0.01
  CHECK(impi_geometry_polygon(&heap, falling, 4, 0, &ramp) == IMP_OK);
  for (int rolls = 0; rolls < 2; ++rolls) {
    ImpiNeighbours neighbours = {.count = 0};
    impi_neighbours_add(&neighbours, (ImpiNeighbour){ramp.hulls, {{0, 0}, {1, 0}}, 1, 0});
    neighbours.rolls = rolls;
    // The normals of the corner's edges have tilts 0 and 0.01. The corner allows 0.01 more, or 0.08 more with `rolls`.
    static const double tilts[] = {0.005, 0.018, 0.05, 0.2};
    static const bool expected[2][4] = {{true, true, false, false}, {true, true, true, false}};
    for (int i = 0; i < 4; ++i) {
      double length;
      ImpVec2 normal = impi_normalize(impi_vec(tilts[i], 1), &length);
      CHECK(impi_neighbours_expose(box.hulls, &neighbours, normal, impi_vec(1, 1), impi_vec(1, 1)) ==
            expected[rolls][i]);
    }
  }
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &ramp);
}


// A contact inside the neighbouring tile is hidden completely.
static void a_hidden_contact_leaves_no_points(void) {
  ImpiGeometry box = box_between(0, 0, 1, 1), flush = box_between(1, 0, 2, 1), disc;
  CHECK(impi_geometry_circle(&heap, impi_vec(1.11, 0.5), 0.1, &disc) == IMP_OK);
  ImpiNeighbours neighbours = {.count = 0};
  impi_neighbours_add(&neighbours, (ImpiNeighbour){flush.hulls, {{0, 0}, {1, 0}}, 1, 0});
  ImpTransform here = {{0, 0}, {1, 0}};
  ImpiLocalManifold m;
  impi_collide(box.hulls, disc.hulls, &here, IMPI_SPECULATIVE_MARGIN, &m);
  CHECK(m.count == 1);
  impi_internal_edges_smooth(box.hulls, &neighbours, disc.hulls, NULL, &here, IMPI_SPECULATIVE_MARGIN, &m);
  CHECK(m.count == 0);
  CHECK_NEAR(m.clearance, 0, 0);
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &flush);
  impi_geometry_free(&heap, &disc);
}


// Exposed normals of the box 0..1 x 0..1 beside several neighbours, and of the neighbours beside the box.
static void corners_allow_the_normals_of_the_exposed_surface(void) {
  ImpiGeometry box, flush, higher, slit, ramp;
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0.5, 0.5), 0, 0, &box) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(1.5, 0.5), 0, 0, &flush) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 2, impi_vec(1.5, 1), 0, 0, &higher) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(1.503, 0.5), 0, 0, &slit) == IMP_OK);
  ImpVec2 falling[] = {{1, 0}, {2, 0}, {1, 1}}; // the slope of -1 starts at (1, 1), a corner of `box`
  CHECK(impi_geometry_polygon(&heap, falling, 3, 0, &ramp) == IMP_OK);

  CHECK(shows(&box, &flush, 0, 1, 0.5, 1) && shows(&box, &flush, 0, 1, 1, 1)); // the top of the box, up to its end
  CHECK(!shows(&box, &flush, 1, 0, 1, 0.5) && !shows(&box, &flush, 1, 0, 1, 1));
  CHECK(!shows(&box, &flush, 1, 1, 1, 1) && !shows(&box, &flush, 0.01, 1, 1, 1));
  CHECK(shows(&box, &flush, -1, 1, 0, 1) && shows(&box, &flush, -1, 0, 0, 0.5)); // no neighbour is on the left

  CHECK(shows(&box, &higher, 0, 1, 0.9, 1) && !shows(&box, &higher, 1, 1, 1, 1));
  // The wall of the higher box is hidden below the top of the lower box.
  CHECK(!shows(&higher, &box, -1, 0, 1, 0.5) && shows(&higher, &box, -1, 0, 1, 1.5));
  CHECK(shows(&higher, &box, -1, 1, 1, 2) && !shows(&higher, &box, -1, -1, 1, 0.001));

  CHECK(shows(&box, &slit, 1, 0, 1, 0.5) && shows(&box, &slit, 1, 1, 1, 1)); // 3 mm apart

  CHECK(shows(&box, &ramp, 0.3, 1, 1, 1) && shows(&box, &ramp, 0.999, 1, 1, 1)); // the ramp's normal is (1, 1)
  CHECK(!shows(&box, &ramp, 1, 0.7, 1, 1) && !shows(&box, &ramp, 1, 0, 1, 0.5));
  CHECK(shows(&ramp, &box, 1, 1, 1.5, 0.5) && shows(&ramp, &box, 0.3, 1, 1, 1) && !shows(&ramp, &box, -1, 1, 1, 1));
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &flush);
  impi_geometry_free(&heap, &higher);
  impi_geometry_free(&heap, &slit);
  impi_geometry_free(&heap, &ramp);
}


// Two chains whose ends meet at an angle are joined like the links of one chain.
static void chains_with_common_ends_continue_each_other(void) {
  static const ImpVec2 right[] = {{3, 1}, {1, 0}}, left[] = {{1, 0}, {0, 0.5}}, all[] = {{3, 1}, {1, 0}, {0, 0.5}};
  ImpiGeometry a, b, one;
  CHECK(impi_geometry_chain(&heap, right, 2, false, &a) == IMP_OK);
  CHECK(impi_geometry_chain(&heap, left, 2, false, &b) == IMP_OK);
  CHECK(impi_geometry_chain(&heap, all, 3, false, &one) == IMP_OK);
  ImpiNeighbours neighbours = {.count = 0};
  impi_neighbours_add(&neighbours, (ImpiNeighbour){b.hulls, {{0, 0}, {1, 0}}, 1, 0});
  ImpVec2 points[2];
  ImpiHull link = impi_neighbours_link(a.hulls, &neighbours, points);
  ImpVec2 ghost = impi_sub(link.ghost_after, link.v[1]), expected = impi_sub(one.hulls[0].ghost_after, link.v[1]);
  CHECK_NEAR(impi_cross(ghost, expected), 0, 1e-12);
  CHECK(impi_dot(ghost, expected) > 0);
  // No chain meets the start of the link, so the ghost point before the start is unchanged.
  CHECK_NEAR(link.ghost_before.x, a.hulls->ghost_before.x, 0);
  CHECK(shows(&a, &b, 1, 0, 1, 0) && shows(&a, &b, 0, -1, 1, 0)); // the ghost points of a link define its surface
  impi_geometry_free(&heap, &a);
  impi_geometry_free(&heap, &b);
  impi_geometry_free(&heap, &one);
}


static void neighbours_have_an_order_independent_of_the_search(void) {
  ImpiNeighbours neighbours = {.count = 0};
  for (int i = 0; i < 3 * IMPI_MAX_NEIGHBOURS; ++i) {
    impi_neighbours_add(&neighbours, (ImpiNeighbour){.serial = (uint64_t)(i * 37 % (3 * IMPI_MAX_NEIGHBOURS))});
  }
  int wrong = neighbours.count != IMPI_MAX_NEIGHBOURS;
  for (int i = 0; i < neighbours.count; ++i)
    wrong += neighbours.at[i].serial != (uint64_t)i; // the neighbours with the largest serials did not fit
  CHECK(wrong == 0);
  // Neighbours of one shape are ordered by child index, not in the order of discovery.
  neighbours.count = 0;
  for (int i = 0; i < 60; ++i) {
    int at = i * 37 % 60;
    impi_neighbours_add(&neighbours, (ImpiNeighbour){.serial = (uint64_t)(at / 20), .child = at % 20});
  }
  for (int i = 0; i < 60; ++i)
    wrong += neighbours.at[i].serial != (uint64_t)(i / 20) || neighbours.at[i].child != i % 20;
  CHECK(wrong == 0);
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(a_row_of_tiles_collides_as_one_box);
  RUN(corners_allow_the_normals_of_the_exposed_surface);
  RUN(an_edge_is_exposed_where_no_neighbour_covers_it);
  RUN(a_neighbour_that_covers_a_corner_hides_it);
  RUN(neighbours_rotated_by_rounding_expose_the_same_sides);
  RUN(a_rolling_body_collides_with_the_next_corners_of_a_curve);
  RUN(a_hidden_contact_leaves_no_points);
  RUN(chains_with_common_ends_continue_each_other);
  RUN(neighbours_have_an_order_independent_of_the_search);
  CHECK(heap.bytes == 0);
  return check_report("internal_edges");
}
