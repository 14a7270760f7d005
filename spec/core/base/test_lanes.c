// Float lanes: each lane of every width gives the same bits as scalar floats; selection of the width.
#define _POSIX_C_SOURCE 200112L // setenv

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lane_width.h"
#include "check.h"

enum { LANE_COUNT = 256, LANE_OPERATIONS = 9 };

typedef float ImpiRecord __attribute__((vector_size(16)));

typedef struct LaneResults {
  float results[LANE_OPERATIONS][LANE_COUNT];
  ImpiRecord records[LANE_COUNT];
  bool any_agrees;
} LaneResults;

#define IMPI_W 1
#define LANE_CASE one_lane
#include "lane_case.h"

#define IMPI_W 4
#define LANE_CASE four_lanes
#include "lane_case.h"

#define IMPI_W 8
#define LANE_CASE eight_lanes
#include "lane_case.h"

#define IMPI_W 16
#define LANE_CASE sixteen_lanes
#include "lane_case.h"


// Fill a and b with all pairs of edge cases.
static void fill(float *a, float *b) {
  static const float numbers[16] = {0,      -0.0f,   1,     -1,    3,         1e-3f,      1.0f / 3, -7.25f,
                                    1e-40f, -1e-40f, 1e38f, 3e38f, HUGE_VALF, -HUGE_VALF, 16777216, 0.1f};
  for (int i = 0; i < LANE_COUNT; ++i) {
    a[i] = numbers[i / 16];
    b[i] = numbers[i % 16];
  }
  b[3] = b[77] = a[100] = NAN;
}


static void fill_records(ImpiRecord *records) {
  for (int i = 0; i < LANE_COUNT; ++i) {
    float x = (float)i;
    records[i] = (ImpiRecord){x + 0.25f, -x, 1 / (x + 1), x * x};
  }
}


// Compute the reference one float at a time. A comparison with a NaN is false.
static void plain(const float *a, const float *b, LaneResults *out) {
  for (int i = 0; i < LANE_COUNT; ++i) {
    volatile float x = a[i], y = b[i], product = x * y;
    out->results[0][i] = x + y;
    out->results[1][i] = x - y;
    out->results[2][i] = product;
    out->results[3][i] = x / y;
    out->results[4][i] = sqrtf(x);
    out->results[5][i] = x > y ? x : y;
    out->results[6][i] = x < y ? x : y;
    out->results[7][i] = x <= y && x != 0 ? x : 7;
    out->results[8][i] = product + x;
    ImpiRecord *r = &out->records[i];
    *r = (ImpiRecord){(*r)[0], (*r)[1] + (*r)[2], (*r)[2], -(*r)[0]};
  }
}


static bool same_bits(float a, float b) {
  return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); // any NaN equals any other
}


static void every_width_computes_as_plain_floats(void) {
  static void (*const cases[])(const float *, const float *, LaneResults *) = {one_lane, four_lanes, eight_lanes,
                                                                               sixteen_lanes};
  float a[LANE_COUNT], b[LANE_COUNT];
  static LaneResults expected, got;
  fill(a, b);
  fill_records(expected.records);
  plain(a, b, &expected);
  for (int width = 0; width < IMPI_COUNT(cases); ++width) {
    memset(&got, 0, sizeof got);
    fill_records(got.records);
    got.any_agrees = true;
    cases[width](a, b, &got);
    for (int i = 0; i < LANE_COUNT; ++i) {
      for (int k = 0; k < LANE_OPERATIONS; ++k) {
        CHECK(same_bits(got.results[k][i], expected.results[k][i]));
      }
    }
    CHECK(memcmp(got.records, expected.records, sizeof got.records) == 0);
    CHECK(got.any_agrees);
  }
}


static void the_width_is_the_requested_one_up_to_the_machine_s(void) {
  int widest = impi_widest_lanes();
  CHECK(impi_is_lane_width(widest) && widest >= 4);
  for (int requested = 1; requested <= 16; ++requested) {
    CHECK(impi_is_lane_width(requested) == (requested == 1 || requested == 4 || requested == 8 || requested == 16));
    if (impi_is_lane_width(requested)) {
      CHECK(impi_lane_width(requested) == (requested < widest ? requested : widest));
    }
  }
  CHECK(!impi_is_lane_width(0) && !impi_is_lane_width(4.5) && !impi_is_lane_width((double)NAN));
}


// The library reads the environment once, so the value that main() set stays in force.
static void the_environment_sets_the_width_by_default(void) {
  CHECK(impi_check_lane_environment() == IMP_OK);
  CHECK(impi_lane_width(0) == 1 && impi_lane_width(4) == 4);
  CHECK(setenv("IMPEL_LANES", "broad", 1) == 0);
  CHECK(impi_check_lane_environment() == IMP_OK && impi_lane_width(0) == 1);
}


int main(void) {
  CHECK(setenv("IMPEL_LANES", "1", 1) == 0);
  RUN(every_width_computes_as_plain_floats);
  RUN(the_width_is_the_requested_one_up_to_the_machine_s);
  RUN(the_environment_sets_the_width_by_default);
  return check_report("lanes");
}
