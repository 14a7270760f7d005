// Decomposition of random outlines of all families into convex pieces: area to 1e-9, exact convexity, no overlap.
#include "check.h"

#include "boxes.h"

#include "geometry/decompose.h"
#include "random_outline.h"

static ImpiHeap heap;
static RandomOutline room;


static double ring_area(const ImpVec2 *points, int count) {
  double twice = 0;
  for (int i = 0; i < count; ++i) {
    twice += impi_cross(impi_sub(points[i], points[0]), impi_sub(points[(i + 1) % count], points[0]));
  }
  return 0.5 * twice;
}


static double outline_area(const ImpiOutline *outline) {
  double area = 0;
  for (int ring = 0; ring < outline->ring_count; ++ring) {
    int32_t begin = impi_ring_begin(outline, ring);
    area += ring_area(&outline->points[begin], outline->ends[ring] - begin);
  }
  return area;
}


// Return the length of all rings.
static double outline_length(const ImpiOutline *outline) {
  double length = 0;
  for (int ring = 0; ring < outline->ring_count; ++ring) {
    int32_t begin = impi_ring_begin(outline, ring), end = outline->ends[ring];
    for (int32_t i = begin; i < end; ++i) {
      length += impi_length(impi_sub(outline->points[i + 1 < end ? i + 1 : begin], outline->points[i]));
    }
  }
  return length;
}


// Copy the points of a piece and return the number of points.
static int piece_points(const ImpiOutline *outline, const ImpiPieces *pieces, int piece, ImpVec2 *out_points) {
  int32_t begin = piece > 0 ? pieces->end.data[piece - 1] : 0, end = pieces->end.data[piece];
  for (int32_t i = begin; i < end; ++i) {
    out_points[i - begin] = outline->points[pieces->index.data[i]];
  }
  return end - begin;
}


// Return the area of the intersection of two convex pieces (Sutherland and Hodgman).
static double common_area(const ImpVec2 *p, int p_count, const ImpVec2 *q, int q_count) {
  ImpVec2 now[2 * IMP_MAX_VERTICES + 2], next[2 * IMP_MAX_VERTICES + 2];
  int count = p_count;
  memcpy(now, p, sizeof *p * (size_t)p_count);
  for (int e = 0; e < q_count && count > 0; ++e) {
    ImpVec2 a = q[e], along = impi_sub(q[(e + 1) % q_count], a);
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      ImpVec2 u = now[i], v = now[(i + 1) % count];
      double su = impi_cross(along, impi_sub(u, a)), sv = impi_cross(along, impi_sub(v, a));
      if (su >= 0) next[kept++] = u;
      if ((su > 0 && sv < 0) || (su < 0 && sv > 0)) next[kept++] = impi_lerp(u, v, su / (su - sv));
    }
    count = kept;
    memcpy(now, next, sizeof *next * (size_t)count);
  }
  return count > 2 ? ring_area(now, count) : 0;
}


// Check a decomposition and return its number of pieces.
static int check_cut(const ImpiOutline *outline, bool disjoint) {
  ImpiPieces pieces;
  CHECK(impi_decompose(&heap, outline, &pieces));
  double area = outline_area(outline), sum = 0, common = 0, outside = 0;
  int concave = 0, wrong = 0;
  for (int k = 0; k < pieces.end.count; ++k) {
    ImpVec2 p[IMP_MAX_VERTICES], q[IMP_MAX_VERTICES];
    int count = piece_points(outline, &pieces, k, p);
    wrong += count < 3 || count > IMP_MAX_VERTICES;
    for (int i = 0; i < count; ++i) {
      concave += impi_turn(p[i], p[(i + 1) % count], p[(i + 2) % count]) < 0;
      bool inner = pieces.inner.data[pieces.end.data[k] - count + i];
      outside += inner ? 0 : impi_length(impi_sub(p[(i + 1) % count], p[i]));
    }
    sum += ring_area(p, count);
    for (int j = 0; j < k && disjoint; ++j) {
      common += common_area(p, count, q, piece_points(outline, &pieces, j, q));
    }
  }
  CHECK(wrong == 0 && concave == 0);
  CHECK_NEAR(sum / area, 1, 1e-9);
  // The outer edges of the pieces form the outline. Inner edges are cuts, and bridges to holes.
  CHECK_NEAR(outside / outline_length(outline), 1, 1e-9); // rounding
  CHECK(common <= 1e-9 * area);                           // rounding of the clipped polygons
  int count = pieces.end.count;
  impi_pieces_free(&heap, &pieces);
  return count;
}


static void every_outline_is_divided_into_convex_pieces_of_its_area(void) {
  for (int family = 0; family < FAMILY_COUNT; ++family) {
    for (uint64_t seed = 0; seed < 200; ++seed) { // 1400 outlines
      ImpiOutline outline = random_outline(&room, (Family)family, seed);
      check_cut(&outline, seed < 40);
    }
  }
}


// At most 2 r + 1 pieces for r reflex corners: the bound of Hertel and Mehlhorn.
static void the_number_of_pieces_is_at_most_2_r_plus_1_for_r_reflex_corners(void) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ImpiOutline outline = random_outline(&room, TOUR, seed);
    int hollow = 0, count = outline.ends[0];
    for (int i = 0; i < count; ++i) {
      hollow += impi_turn(room.points[i], room.points[(i + 1) % count], room.points[(i + 2) % count]) < 0;
    }
    CHECK(check_cut(&outline, false) <= 2 * hollow + 1);
  }
}


static void known_outlines_are_divided_as_by_hand(void) {
  static const ImpVec2 cup[] = {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  static const int32_t cup_end[] = {8};
  ImpiOutline outline = {cup, cup_end, 1};
  CHECK(check_cut(&outline, true) == 3);
  static const ImpVec2 frame[] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {1, 1}, {1, 3}, {3, 3}, {3, 1}};
  static const int32_t frame_ends[] = {4, 8};
  outline = (ImpiOutline){frame, frame_ends, 2};
  CHECK(check_cut(&outline, true) <= 5);
  // A square with many points on its sides.
  int count = 0;
  for (int i = 0; i < 250; ++i) put_point(&room, &count, i, 0);
  for (int i = 0; i < 250; ++i) put_point(&room, &count, 250, i);
  for (int i = 250; i > 0; --i) put_point(&room, &count, i, 250);
  for (int i = 250; i > 0; --i) put_point(&room, &count, 0, i);
  room.ends[0] = count;
  outline = (ImpiOutline){room.points, room.ends, 1};
  CHECK(check_cut(&outline, true) < 60);
  // A circle of 1000 points: pieces of at most 64 points.
  count = 0;
  for (int i = 0; i < 1000; ++i) put_point(&room, &count, cos(2 * IMPI_PI * i / 1000), sin(2 * IMPI_PI * i / 1000));
  room.ends[0] = count;
  CHECK(check_cut(&outline, true) < 100);
}


static void orientations_of_three_points_are_exact(void) {
  int wrong = 0;
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      ImpVec2 a = {0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53}, b = {12, 12}, c = {24, 24};
      wrong += impi_turn(a, b, c) != (i < j ? 1 : 0) - (i > j ? 1 : 0);
      wrong += impi_turn(b, c, a) != impi_turn(a, b, c) || impi_turn(c, b, a) != -impi_turn(a, b, c);
    }
  }
  CHECK(wrong == 0);
}


static void a_failure_of_memory_leaves_no_memory_allocated(void) {
  ImpiHeap failing = test_heap();
  ImpiOutline outline = random_outline(&room, HOLES, 3);
  bool done = false;
  for (int allowed = 0; !done && allowed < 100; ++allowed) {
    ImpiPieces pieces;
    allocations_left = allowed;
    done = impi_decompose(&failing, &outline, &pieces);
    allocations_left = -1;
    impi_pieces_free(&failing, &pieces);
    CHECK(failing.bytes == 0);
  }
  CHECK(done);
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(every_outline_is_divided_into_convex_pieces_of_its_area);
  RUN(the_number_of_pieces_is_at_most_2_r_plus_1_for_r_reflex_corners);
  RUN(known_outlines_are_divided_as_by_hand);
  RUN(orientations_of_three_points_are_exact);
  RUN(a_failure_of_memory_leaves_no_memory_allocated);
  CHECK(heap.bytes == 0);
  return check_report("decompose");
}
