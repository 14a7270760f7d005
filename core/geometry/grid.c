// Counting sort of the boxes by bucket.
#include "geometry/grid.h"

#include <limits.h>

// Largest number of rows of cells that impi_grid_walk visits.
#define MAX_ROWS 64

static const uint32_t left_out = UINT32_MAX;


void impi_grid_free(ImpiHeap *heap, ImpiGrid *grid) {
  impi_array_free(heap, &grid->boxes);
  impi_array_free(heap, &grid->users);
  impi_array_free(heap, &grid->starts);
  impi_array_free(heap, &grid->buckets);
  memset(grid, 0, sizeof *grid);
}


// Return the finest layer whose cells are wider than `size`.
static int layer_of(double size) {
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  int exponent = (int)(bits >> 52) - 1022 - IMPI_GRID_FINEST;
  return exponent > 0 ? exponent : 0;
}


static uint32_t bucket_of(ImpiGrid *grid, const ImpiSmallBox *box) {
  double left = (double)box->edge[0], bottom = (double)box->edge[1];
  double right = -(double)box->edge[2], top = -(double)box->edge[3];
  if (!(left <= right)) {
    return left_out;
  }
  int layer = layer_of(impi_max(right - left, top - bottom));
  double scale = impi_grid_scale(layer);
  grid->layers |= (uint64_t)1 << layer;
  return impi_grid_bucket(grid, layer, impi_grid_cell(0.5 * (left + right), scale),
                          impi_grid_cell(0.5 * (bottom + top), scale));
}


static bool make_room(ImpiHeap *heap, ImpiGrid *grid, int count) {
  if (count > INT_MAX / 4) {
    return false;
  }
  int buckets = 64;
  while (buckets < count) {
    buckets *= 2;
  }
  grid->mask = (uint32_t)buckets - 1;
  grid->stride = (uint32_t)((uint64_t)buckets * 2654435769u >> 32) | 1u; // 2^32 over the golden ratio
  return impi_reserve(heap, &grid->boxes, count) && impi_reserve(heap, &grid->users, count) &&
         impi_reserve(heap, &grid->buckets, count) && impi_reserve(heap, &grid->starts, buckets + 2);
}


bool impi_grid_build(ImpiHeap *heap, ImpiGrid *grid, const ImpiSmallBox *boxes, int count) {
  if (!make_room(heap, grid, count)) {
    return false;
  }
  // First, starts[b + 2] is the number of boxes in bucket b. The sums make starts[b + 1] the next free index of bucket
  // b. At the end, starts[b] is the start of bucket b and starts[b + 1] its end.
  int32_t *starts = grid->starts.data;
  memset(starts, 0, ((size_t)grid->mask + 3) * sizeof *starts);
  grid->layers = 0;
  for (int i = 0; i < count; ++i) {
    uint32_t bucket = bucket_of(grid, &boxes[i]);
    grid->buckets.data[i] = bucket;
    if (bucket != left_out) {
      starts[bucket + 2]++;
    }
  }
  int32_t sum = 0;
  for (uint32_t i = 2; i <= grid->mask + 2; ++i) {
    sum += starts[i];
    starts[i] = sum;
  }
  for (int i = 0; i < count; ++i) {
    uint32_t bucket = grid->buckets.data[i];
    if (bucket != left_out) {
      int32_t place = starts[bucket + 1]++;
      grid->boxes.data[place] = boxes[i];
      grid->users.data[place] = i;
    }
  }
  // A box covers at most width / cell + 2 columns and height / cell + 2 rows.
  double cells = impi_min(MAX_ROWS, sqrt(0.5 * grid->mask)) - 2;
  grid->largest = grid->layers == 0 ? 0 : cells / impi_grid_scale(__builtin_ctzll(grid->layers));
  return true;
}
