// Defines the function LANE_CASE, which computes LaneResults with lanes of width IMPI_W. A spec defines both names
// before each inclusion.
#define LANE_JOIN(name, w) name##w
#define LANE_NAME(name, w) LANE_JOIN(name, w)
#define ImpiFloats LANE_NAME(Floats, IMPI_W)
#define ImpiMask LANE_NAME(Mask, IMPI_W)
#define ImpiHalf LANE_NAME(Half, IMPI_W)
#define ImpiQuad LANE_NAME(Quad, IMPI_W)
#define impi_select LANE_NAME(select, IMPI_W)
#define impi_vmax LANE_NAME(vmax, IMPI_W)
#define impi_vmin LANE_NAME(vmin, IMPI_W)
#define impi_sqrt LANE_NAME(sqrt, IMPI_W)
#define impi_any_lane LANE_NAME(any_lane, IMPI_W)
#define impi_load_row LANE_NAME(load_row, IMPI_W)
#define impi_transpose LANE_NAME(transpose, IMPI_W)
#define impi_gather LANE_NAME(gather, IMPI_W)
#define impi_scatter LANE_NAME(scatter, IMPI_W)
#undef IMPI_LANES_H
#undef IMPI_INLINE
#undef IMPI_SPLAT
#undef IMPI_ZIP_LOW
#undef IMPI_ZIP_HIGH
#undef IMPI_PAIR_LOW
#undef IMPI_PAIR_HIGH
#include "base/lanes.h"


static void LANE_CASE(const float *a, const float *b, LaneResults *out) {
  for (int first = 0; first < LANE_COUNT; first += IMPI_W) {
    ImpiFloats x, y;
    memcpy(&x, a + first, sizeof x);
    memcpy(&y, b + first, sizeof y);
    const ImpiFloats results[LANE_OPERATIONS] = {
        x + y,        x - y,           x * y,           x / y,
        impi_sqrt(x), impi_vmax(x, y), impi_vmin(x, y), impi_select((x <= y) & (x != 0), x, IMPI_SPLAT(7)),
        x * y + x,
    };
    for (int k = 0; k < LANE_OPERATIONS; ++k) {
      memcpy(out->results[k] + first, &results[k], sizeof x);
    }
    // Gather records in a mixed order, change two fields, and scatter the records back.
    int32_t index[IMPI_W];
    for (int lane = 0; lane < IMPI_W; ++lane) {
      index[lane] = (first + lane) * 5 % LANE_COUNT;
    }
    ImpiQuad q = impi_gather(out->records, index);
    q.y += q.z;
    q.w = -q.x;
    impi_scatter(out->records, index, q);
    bool greater = false;
    for (int lane = 0; lane < IMPI_W; ++lane) {
      greater = greater || a[first + lane] > b[first + lane];
    }
    out->any_agrees = out->any_agrees && impi_any_lane(x > y) == greater;
  }
}

#undef ImpiFloats
#undef ImpiMask
#undef ImpiHalf
#undef ImpiQuad
#undef impi_select
#undef impi_vmax
#undef impi_vmin
#undef impi_sqrt
#undef impi_any_lane
#undef impi_load_row
#undef impi_transpose
#undef impi_gather
#undef impi_scatter
#undef LANE_JOIN
#undef LANE_NAME
#undef LANE_CASE
#undef IMPI_W
