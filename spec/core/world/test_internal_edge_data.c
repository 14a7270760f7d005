// Stored internal-edge data of the pieces of a body agrees with a search of neighbouring pieces.
#include "scene.h"
#include "world/shapes.h"
#include "world/world.h"

static ImpiHeap own;


static int random_below(int count) { return (int)random_in(0, count); }


#define MATES 6

// A polygon on a grid of 0.5 m. Corners and edges of several polygons coincide.
static bool grid_polygon(ImpiGeometry *out_geometry) {
  ImpVec2 v[4];
  int count = 3 + random_below(2);
  double height = random_below(4) == 0 ? 0.01 : 0.5;
  for (int i = 0; i < count; ++i) v[i] = impi_vec(0.5 * random_below(5), height * random_below(5));
  if (impi_geometry_polygon(&own, v, count, 0, out_geometry) != IMP_OK) return false;
  if (out_geometry->child_count == 1) return true;
  impi_geometry_free(&own, out_geometry);
  return false;
}


static ImpiGeometry random_piece(void) {
  ImpiGeometry piece = {0};
  if (random_below(8) == 0) {
    ImpVec2 p = impi_vec(0.5 * random_below(5), 0.5 * random_below(5)), q = impi_vec(p.x + 0.5, 0.5 * random_below(5));
    CHECK(impi_geometry_segment(&own, p, q, &piece) == IMP_OK);
    return piece;
  }
  while (!grid_polygon(&piece)) continue;
  return piece;
}


// Choose a random place near the surface of a piece, and a normal that may occur at this place.
static void touch_somewhere(const ImpiHull *hull, ImpVec2 *out_normal, ImpVec2 *out_from, ImpVec2 *out_to) {
  static const double turns[] = {0, 1e-7, 1e-6, 1e-4, 0.02, 0.099, 0.101, 0.5, 1.5};
  int i = random_below(hull->count), next = i + 1 < hull->count ? i + 1 : 0;
  double angle = turns[random_below(IMPI_COUNT(turns))] * (random_below(2) == 0 ? 1 : -1);
  *out_normal = impi_rotate(impi_rot(angle), hull->n[i]);
  double t = random_below(3) == 0 ? random_below(2) : random_in(-0.05, 1.05), s = random_in(-0.05, 1.05);
  *out_from = impi_mul_add(impi_lerp(hull->v[i], hull->v[next], t), random_in(-0.02, 0.02), hull->n[i]);
  *out_to = random_below(2) == 0 ? *out_from : impi_lerp(hull->v[i], hull->v[next], s);
}


static void internal_edge_data_agrees_with_the_neighbours(void) {
  int queries = 0, shown = 0, sure = 0, wrong = 0;
  for (int round = 0; round < 3000; ++round) {
    ImpiGeometry pieces[1 + MATES];
    int count = 1 + random_below(MATES);
    for (int i = 0; i <= count; ++i) pieces[i] = random_piece();
    const ImpiHull *hull = pieces[0].hulls;
    struct {
      ImpiInternalEdges internal_edges;
      ImpVec2 parts[3 * IMP_MAX_VERTICES];
    } kept = {.internal_edges = {.parts = sizeof(ImpiInternalEdges)}};
    ImpiNeighbours all = {.rolls = true};
    for (int i = 1; i <= count; ++i) {
      impi_internal_edges_add(hull, pieces[i].hulls, &kept.internal_edges);
      impi_neighbours_add(&all, (ImpiNeighbour){pieces[i].hulls, {{0, 0}, {1, 0}}, (uint64_t)i, 0});
    }
    impi_internal_edges_fill(hull, &all, &kept.internal_edges, kept.parts);
    for (int k = 0; k < 40; ++k) {
      ImpVec2 normal, from, to;
      touch_somewhere(hull, &normal, &from, &to);
      bool surely = impi_internal_edges_expose(hull, &kept.internal_edges, normal, from, to);
      bool shows = impi_neighbours_expose(hull, &all, normal, from, to);
      ++queries;
      shown += shows;
      sure += surely;
      for (int subset = 0; subset < 1 << count; ++subset) {
        ImpiNeighbours some = {.rolls = true}, known = {.rolls = true, .internal_edges = &kept.internal_edges};
        for (int i = 1; i <= count; ++i) {
          if (subset >> (i - 1) & 1) impi_neighbours_add(&some, all.at[i - 1]);
          if (subset >> (i - 1) & 1) impi_neighbours_add(&known, all.at[i - 1]);
        }
        bool plainly = impi_neighbours_expose(hull, &some, normal, from, to);
        wrong += (surely && !plainly) || impi_neighbours_expose(hull, &known, normal, from, to) != plainly;
      }
    }
    for (int i = 0; i <= count; ++i) impi_geometry_free(&own, &pieces[i]);
  }
  CHECK(wrong == 0);
  CHECK(shown > queries / 4 && shown < queries && sure > 0.8 * shown); // the data suffice for most exposed contacts
  measured("exposed places / all places", (double)shown / queries);
  measured("exposed places found by edge data alone / exposed places", (double)sure / shown);
}


static ImpBody add_arrow(ImpWorld *world, double x, double y) {
  const ImpVec2 left[] = {{-1, 0}, {0.5, 1}, {0, 2}}, right[] = {{1, 0}, {0, 2}, {-0.5, 1}};
  ImpShapeDef def = imp_shape_def();
  ImpShape shape = {0};
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, x, y, 0.3 * x);
  MUST(imp_body_add_polygon(world, body, &def, left, 3, 0, &shape));
  MUST(imp_body_add_polygon(world, body, &def, right, 3, 0, &shape));
  return body;
}


static ImpBody add_comb(ImpWorld *world, double x, double y) {
  const ImpVec2 points[] = {{-1, -0.5}, {-0.6, -0.5}, {-0.6, 0},   {-0.2, 0}, {-0.2, -0.5}, {0.2, -0.5},
                            {0.2, 0},   {0.6, 0},     {0.6, -0.5}, {1, -0.5}, {1, 0.5},     {-1, 0.5}};
  ImpShapeDef def = imp_shape_def();
  ImpShape shape = {0};
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, x, y, x);
  MUST(imp_body_add_polygon(world, body, &def, points, IMPI_COUNT(points), 0, &shape));
  return body;
}


static ImpShape add_tile(ImpWorld *world, ImpBody body, double x, double y) {
  ImpShapeDef def = imp_shape_def();
  ImpShape tile = {0};
  MUST(imp_body_add_box(world, body, &def, 0.5, 0.5, vec(x, y), 0, 0, &tile));
  return tile;
}


// A heap of bodies with several pieces. Some bodies gain and lose pieces, one body changes its type.
static uint64_t heap_of_pieces(bool kept, bool restored, int *out_kept) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 10);
  ImpShapeDef def = imp_shape_def();
  ImpShape shape = {0};
  ImpBody ground = add_body(world, IMP_BODY_STATIC, 0, 0, 0), raft = add_body(world, IMP_BODY_DYNAMIC, 0, 8, 0.2);
  MUST(imp_body_add_box(world, ground, &def, 30, 1, vec(0, -0.5), 0, 0, &shape));
  ImpShape tiles[12];
  for (int i = 0; i < 12; ++i) tiles[i] = add_tile(world, raft, 0.5 * (i % 6), 0.5 * (i / 6));
  for (int i = 0; i < 30; ++i) {
    if (i % 3 == 0)
      add_comb(world, 2.5 * (i % 5) - 5, 1 + i);
    else
      add_arrow(world, 2.5 * (i % 5) - 5, 1 + i);
  }
  *out_kept = 0;
  for (int step = 0; step < 240; ++step) {
    if (step == 60) MUST(imp_shape_destroy(world, tiles[4]));
    if (step == 90) add_tile(world, raft, 1, -0.5);
    if (step == 100) add_tile(world, raft, 1, -0.5);
    if (step == 120) MUST(imp_body_set_type(world, raft, IMP_BODY_STATIC));
    if (step == 150) MUST(imp_body_set_type(world, raft, IMP_BODY_DYNAMIC));
    if (step % 50 == 7 && restored) {
      void *bytes = NULL;
      size_t size = 0;
      MUST(imp_world_snapshot(world, &bytes, &size));
      MUST(imp_world_restore(world, bytes, size));
      imp_snapshot_free(bytes);
    }
    for (int i = 0; i < world->shapes.count; ++i) {
      if (!kept) impi_internal_edges_free(&world->heap, &world->shapes.data[i]);
      *out_kept += world->shapes.data[i].internal_edges != NULL;
    }
    run(world, 1);
  }
  uint64_t hash = imp_world_hash(world);
  imp_world_destroy(world);
  return hash;
}


static void worlds_give_the_same_bits_without_internal_edge_data(void) {
  int kept, none, restored;
  uint64_t with = heap_of_pieces(true, false, &kept);
  CHECK(heap_of_pieces(false, false, &none) == with);
  CHECK(heap_of_pieces(true, true, &restored) == with);
  CHECK(kept > 0 && none == 0 && restored == kept);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  own.allocator = impi_default_allocator();
  RUN(internal_edge_data_agrees_with_the_neighbours);
  RUN(worlds_give_the_same_bits_without_internal_edge_data);
  CHECK(own.bytes == 0);
  return check_report("internal_edge_data");
}
