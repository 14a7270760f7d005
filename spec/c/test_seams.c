// Tiles in a row against the one box that they are: the same separation, no normal but the row's own. Corners by hand.
#include "check.h"

#include "constants.h"
#include "seam.h"

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


static ImpiSeams neighbours_of(int tile) {
  ImpiSeams seams = {.count = 0};
  for (int i = TILES - 1; i >= 0; --i) { // in any order
    ImpiNeighbour other = {tiles[i].hulls, {{0, 0}, {1, 0}}, (uint64_t)i, 0};
    if (i != tile) impi_seams_add(&seams, other);
  }
  return seams;
}


// The least separation that the tiles find for a body, and how far a normal leaves the one expected.
static double smoothed(const ImpiHull *body, ImpTransform pose, ImpVec2 expected, double *out_worst) {
  double least = IMPI_HUGE;
  *out_worst = 0;
  for (int i = 0; i < TILES; ++i) {
    ImpiLocalManifold m;
    ImpiSeams seams = neighbours_of(i);
    impi_collide(tiles[i].hulls, body, pose, IMPI_SPECULATIVE_MARGIN, &m);
    impi_seams_smooth(tiles[i].hulls, &seams, body, NULL, &pose, IMPI_SPECULATIVE_MARGIN, &m);
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
    impi_collide(row.hulls, body, pose, IMPI_SPECULATIVE_MARGIN, &m);
    double expected = IMPI_HUGE, worst;
    for (int k = 0; k < m.count; ++k) expected = impi_min(expected, m.points[k].separation);
    double got = smoothed(body, pose, impi_vec(0, 1), &worst);
    met += m.count > 0;
    // The one box may take the body's own face, turned by the tilt: a second-order difference of the depth.
    double allowed = 1e-9 + 0.02 * tilt * tilt + (gap > 0 ? 0.5 * gap * fabs(sin(tilt)) + 2 * gap * gap : 0);
    differ += fabs(got - expected) > allowed;
    // Tilted by less than the tiles can tell, a face may carry its own tilt.
    turned += worst > 1e-6 + (body->count > 1 ? fabs(sin(tilt)) : 0);
  }
  CHECK(met == 3000);
  CHECK(differ == 0);
  CHECK(turned == 0);
  if (differ + turned > 0) printf("  %d differ, %d turned: count %d, gap %g\n", differ, turned, body->count, gap);
  free_row();
}


static void a_row_of_tiles_is_one_box(void) {
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
  ImpiSeams seams = {.count = 0};
  impi_seams_add(&seams, (ImpiNeighbour){other->hulls, {{0, 0}, {1, 0}}, 1, 0});
  double length;
  return impi_seams_show(piece->hulls, &seams, impi_normalize(impi_vec(nx, ny), &length), impi_vec(x, y),
                         impi_vec(x, y));
}


// The box 0..1 x 0..1 and what stands beside it.
static void corners_give_what_is_surface_there(void) {
  ImpiGeometry box, flush, higher, slit, ramp;
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0.5, 0.5), 0, 0, &box) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(1.5, 0.5), 0, 0, &flush) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 2, impi_vec(1.5, 1), 0, 0, &higher) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(1.503, 0.5), 0, 0, &slit) == IMP_OK);
  ImpVec2 falling[] = {{1, 0}, {2, 0}, {1, 1}}; // falls at 45 degrees from the box's corner
  CHECK(impi_geometry_polygon(&heap, falling, 3, 0, &ramp) == IMP_OK);

  CHECK(shows(&box, &flush, 0, 1, 0.5, 1) && shows(&box, &flush, 0, 1, 1, 1)); // the top, to its end
  CHECK(!shows(&box, &flush, 1, 0, 1, 0.5) && !shows(&box, &flush, 1, 0, 1, 1));
  CHECK(!shows(&box, &flush, 1, 1, 1, 1) && !shows(&box, &flush, 0.01, 1, 1, 1));
  CHECK(shows(&box, &flush, -1, 1, 0, 1) && shows(&box, &flush, -1, 0, 0, 0.5)); // the other side is open

  CHECK(shows(&box, &higher, 0, 1, 0.9, 1) && !shows(&box, &higher, 1, 1, 1, 1));
  CHECK(!shows(&higher, &box, -1, 0, 1, 0.5) && shows(&higher, &box, -1, 0, 1, 1.5)); // the step is a wall
  CHECK(shows(&higher, &box, -1, 1, 1, 2) && !shows(&higher, &box, -1, -1, 1, 0.001));

  CHECK(shows(&box, &slit, 1, 0, 1, 0.5) && shows(&box, &slit, 1, 1, 1, 1)); // 3 mm apart

  CHECK(shows(&box, &ramp, 0.3, 1, 1, 1) && shows(&box, &ramp, 0.999, 1, 1, 1)); // up to the ramp's normal
  CHECK(!shows(&box, &ramp, 1, 0.7, 1, 1) && !shows(&box, &ramp, 1, 0, 1, 0.5));
  CHECK(shows(&ramp, &box, 1, 1, 1.5, 0.5) && shows(&ramp, &box, 0.3, 1, 1, 1) && !shows(&ramp, &box, -1, 1, 1, 1));
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &flush);
  impi_geometry_free(&heap, &higher);
  impi_geometry_free(&heap, &slit);
  impi_geometry_free(&heap, &ramp);
}


// Two chains whose ends meet at an angle see each other as the links of one chain do.
static void chains_go_on_where_their_ends_meet(void) {
  static const ImpVec2 right[] = {{3, 1}, {1, 0}}, left[] = {{1, 0}, {0, 0.5}}, all[] = {{3, 1}, {1, 0}, {0, 0.5}};
  ImpiGeometry a, b, one;
  CHECK(impi_geometry_chain(&heap, right, 2, false, &a) == IMP_OK);
  CHECK(impi_geometry_chain(&heap, left, 2, false, &b) == IMP_OK);
  CHECK(impi_geometry_chain(&heap, all, 3, false, &one) == IMP_OK);
  ImpiSeams seams = {.count = 0};
  impi_seams_add(&seams, (ImpiNeighbour){b.hulls, {{0, 0}, {1, 0}}, 1, 0});
  ImpVec2 points[2];
  ImpiHull link = impi_seams_link(a.hulls, &seams, points);
  ImpVec2 ghost = impi_sub(link.ghost_after, link.v[1]), expected = impi_sub(one.hulls[0].ghost_after, link.v[1]);
  CHECK_NEAR(impi_cross(ghost, expected), 0, 1e-12);
  CHECK(impi_dot(ghost, expected) > 0);
  CHECK_NEAR(link.ghost_before.x, a.hulls->ghost_before.x, 0); // nobody is at the other end
  impi_geometry_free(&heap, &a);
  impi_geometry_free(&heap, &b);
  impi_geometry_free(&heap, &one);
}


static void neighbours_are_listed_in_one_order(void) {
  ImpiSeams seams = {.count = 0};
  for (int i = 0; i < 3 * IMPI_MAX_NEIGHBOURS; ++i) {
    impi_seams_add(&seams, (ImpiNeighbour){.serial = (uint64_t)(i * 37 % (3 * IMPI_MAX_NEIGHBOURS))});
  }
  int wrong = seams.count != IMPI_MAX_NEIGHBOURS;
  for (int i = 0; i < seams.count; ++i) wrong += seams.at[i].serial != (uint64_t)i; // the last ones fell off
  CHECK(wrong == 0);
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(a_row_of_tiles_is_one_box);
  RUN(corners_give_what_is_surface_there);
  RUN(chains_go_on_where_their_ends_meet);
  RUN(neighbours_are_listed_in_one_order);
  CHECK(heap.bytes == 0);
  return check_report("seams");
}
