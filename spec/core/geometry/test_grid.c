// The grid and its small boxes, compared with brute force.
#include <string.h>

#include "boxes.h"
#include "check.h"
#include "geometry/grid.h"

enum { N = 3000 };

// Return a number of any magnitude, sometimes 0.
static double any_size(void) {
  double x = random_in(-2, 2);
  int power = random_below(9);
  static const double powers[] = {0, 1e-310, 1e-45, 1e-38, 1, 1e6, 1e16, 1e38, 1e300};
  return x * powers[power];
}


static void a_small_box_contains_the_box_within_rounding(void) {
  for (int i = 0; i < 1000000; ++i) {
    double x = i % 2 == 0 ? any_size() : random_in(-1e6, 1e6);
    float down = impi_small_floor(x), up = -impi_small_floor(-x);
    double within = fabs(x) < IMPI_SMALL_BOX_END ? x : copysign(IMPI_SMALL_BOX_END, x);
    CHECK((double)down <= within && (double)up >= within);
    CHECK((double)up - (double)down <= fabs(within) * 0x1p-21 + 1e-35);
  }
  ImpiSmallBox nothing = impi_small_nothing(), all = impi_small_box((ImpAabb){{-1e300, -1e300}, {1e300, 1e300}});
  CHECK(!impi_small_overlaps(&nothing, impi_small_probe(&all)) && impi_small_overlaps(&all, impi_small_probe(&all)));
}


typedef struct Found {
  int times[N];
  int count, stop_after;
} Found;


static bool count_box(int32_t user, void *context) {
  Found *found = context;
  found->times[user]++;
  return ++found->count != found->stop_after;
}


// Return a box of 2^-10 to 2^`span` m within `world` m of (far, -far), or sometimes the empty box.
static ImpiSmallBox box_in(double world, double far, double span) {
  if (random_below(20) == 0) {
    return impi_small_nothing();
  }
  double x = far + random_in(-world, world), y = -far + random_in(-world, world);
  double size = ldexp(random_in(0.5, 1), random_below((int)span + 11) - 10);
  return impi_small_box((ImpAabb){{x, y}, {x + size, y + size * random_in(0, 1)}});
}


static bool overlap(const ImpiSmallBox *a, const ImpiSmallBox *b) {
  return a->edge[0] <= -b->edge[2] && a->edge[1] <= -b->edge[3] && b->edge[0] <= -a->edge[2] &&
         b->edge[1] <= -a->edge[3];
}


// Dense, sparse, distant and flat worlds.
static void a_walk_finds_the_boxes_of_brute_force(void) {
  static const struct {
    double world, far, span;
    int count;
    bool flat;
  } worlds[] = {{20, 0, 0, N, false},        {20, 0, 5, N, false},    {1e6, 0, 3, N, false},    {20, 1e6, 1, N, false},
                {1e7, 1e7, 20, 500, false},  {300, 1e9, 1, N, false}, {0.01, 0, 0, 200, false}, {5, 0, 0, 1, false},
                {1e17, 1e17, 1, 500, false}, {2000, 0, 1, N, true},   {100, 0, 10, N, false},   {3, 1e5, 2, 7, false}};
  static ImpiSmallBox boxes[N];
  ImpiHeap heap = test_heap();
  ImpiGrid grid = {0};
  int too_large = 0, walks = 0;
  for (int w = 0; w < IMPI_COUNT(worlds); ++w) {
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < worlds[w].count; ++i) {
        boxes[i] = box_in(worlds[w].world, worlds[w].far, worlds[w].span);
        if (worlds[w].flat) {
          boxes[i].edge[1] = boxes[i].edge[3] = 0;
        }
      }
      CHECK(impi_grid_build(&heap, &grid, boxes, worlds[w].count));
      for (int query = 0; query < 200; ++query) {
        ImpiSmallBox box = query % 4 == 0 ? box_in(worlds[w].world, worlds[w].far, 6) : boxes[query % worlds[w].count];
        if (impi_grid_is_too_large(&grid, &box)) {
          too_large++;
          continue;
        }
        static Found found;
        memset(&found, 0, sizeof found);
        CHECK(impi_grid_walk(&grid, &box, count_box, &found));
        walks++;
        for (int i = 0; i < worlds[w].count; ++i) {
          CHECK((found.times[i] > 0) == overlap(&boxes[i], &box));
        }
        if (found.count > 1) {
          found.stop_after = 1;
          found.count = 0;
          CHECK(!impi_grid_walk(&grid, &box, count_box, &found) && found.count == 1);
        }
      }
    }
  }
  CHECK(too_large > 100 && walks > 3000);
  impi_grid_free(&heap, &grid);
  CHECK(heap.bytes == 0);
}


static void an_empty_grid_has_no_overlaps(void) {
  ImpiHeap heap = test_heap();
  ImpiGrid grid = {0};
  ImpiSmallBox box = impi_small_box((ImpAabb){{0, 0}, {1, 1}}), nothing = impi_small_nothing();
  for (int count = 0; count < 2; ++count) {
    CHECK(impi_grid_build(&heap, &grid, &nothing, count));
    Found found = {.count = 0};
    CHECK(impi_grid_walk(&grid, &box, count_box, &found) && found.count == 0);
  }
  CHECK(!impi_grid_build(&heap, &grid, &box, INT32_MAX));
  impi_grid_free(&heap, &grid);
  for (int room = 0; room < 4; ++room) {
    allocations_left = room;
    CHECK(!impi_grid_build(&heap, &grid, &box, 1));
    impi_grid_free(&heap, &grid);
  }
  allocations_left = -1;
  CHECK(heap.bytes == 0);
}


int main(void) {
  RUN(a_small_box_contains_the_box_within_rounding);
  RUN(a_walk_finds_the_boxes_of_brute_force);
  RUN(an_empty_grid_has_no_overlaps);
  return check_report("grid");
}
