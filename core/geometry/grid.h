// A grid that finds all overlaps among many boxes. It is rebuilt for each set of boxes.
//
// Boxes of about one size are in the cells of one layer. Cells are as wide as the next power of two, so a box extends
// at most half a cell beyond the cell of its centre. All layers share one table of buckets. The bucket of a cell is
// column + row * (table size / golden ratio). Two cells may have the same bucket: boxes of other cells are tested in
// vain, and a box may be found twice.
#ifndef IMPI_GRID_H
#define IMPI_GRID_H

#include "base/array.h"
#include "base/small_box.h"

typedef struct ImpiGrid {
  IMPI_ARRAY(ImpiSmallBox) boxes; // the given boxes, ordered by bucket
  IMPI_ARRAY(int32_t) users;      // index of each given box, in the order of `boxes`
  IMPI_ARRAY(int32_t) starts;     // index in `boxes` and `users` at which each bucket starts   (buckets + 2)
  IMPI_ARRAY(uint32_t) buckets;   // bucket of each given box, during the build
  uint32_t mask;                  // number of buckets (a power of two) - 1
  uint32_t stride;                // from the bucket of a cell to the bucket of the cell above
  uint64_t layers;                // bit k: layer k is in use, with cells of 2^(k + IMPI_GRID_FINEST) m
  // largest width and height of a box in impi_grid_walk [m]
  double largest;
} ImpiGrid;

// Cells of layer 0 are 2^IMPI_GRID_FINEST m wide, cells of layer 63 2^(IMPI_GRID_FINEST + 63) m.
#define IMPI_GRID_FINEST (-4)

void impi_grid_free(ImpiHeap *heap, ImpiGrid *grid);
// Build the grid of `count` boxes; empty boxes (left > right) are left out. False when out of memory.
bool impi_grid_build(ImpiHeap *heap, ImpiGrid *grid, const ImpiSmallBox *boxes, int count);


// Return the column or row of a coordinate. The coordinate is clamped to 2^30 cells on either side of the origin.
static inline int32_t impi_grid_cell(double x, double per_cell) {
  double cells = impi_min(impi_max(x * per_cell, -0x1p30), 0x1p30);
  int32_t cell = (int32_t)cells;
  return cell - (cells < (double)cell);
}

// Return 1 over the width of a layer's cells.
static inline double impi_grid_scale(int layer) {
  uint64_t bits = (uint64_t)(1023 - IMPI_GRID_FINEST - layer) << 52;
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

static inline uint32_t impi_grid_bucket(const ImpiGrid *grid, int layer, int32_t column, int32_t row) {
  return ((uint32_t)column + (uint32_t)row * grid->stride + (uint32_t)layer * 0x9e3779b1u) & grid->mask;
}

// The cells of a layer whose boxes may overlap a given box.
typedef struct ImpiGridRange {
  int32_t left, right, bottom, top; // first and last columns and rows, inclusive
} ImpiGridRange;

static inline ImpiGridRange impi_grid_range(const ImpiSmallBox *box, int layer) {
  double scale = impi_grid_scale(layer), reach = 0.5 / scale;
  return (ImpiGridRange){
      impi_grid_cell((double)box->edge[0] - reach, scale), impi_grid_cell(reach - (double)box->edge[2], scale),
      impi_grid_cell((double)box->edge[1] - reach, scale), impi_grid_cell(reach - (double)box->edge[3], scale)};
}

static inline bool impi_grid_is_too_large(const ImpiGrid *grid, const ImpiSmallBox *box) {
  return (double)box->edge[0] + (double)box->edge[2] < -grid->largest ||
         (double)box->edge[1] + (double)box->edge[3] < -grid->largest;
}

// Called for each overlapping box, possibly twice, in an unspecified order; returns false to stop.
typedef bool (*ImpiGridVisit)(int32_t user, void *context);

__attribute__((always_inline)) static inline bool impi_grid_scan(const ImpiGrid *grid, int32_t first, int32_t end,
                                                                 ImpiSmallEdges probe, ImpiGridVisit visit,
                                                                 void *context) {
  for (int32_t i = first; i < end; ++i) {
    if (impi_small_overlaps(&grid->boxes.data[i], probe) && !visit(grid->users.data[i], context)) {
      return false;
    }
  }
  return true;
}

// Visit the boxes that overlap `box`. impi_grid_is_too_large must be false for `box`.
__attribute__((always_inline)) static inline bool impi_grid_walk(const ImpiGrid *grid, const ImpiSmallBox *box,
                                                                 ImpiGridVisit visit, void *context) {
  ImpiSmallEdges probe = impi_small_probe(box);
  const int32_t *starts = grid->starts.data;
  for (uint64_t layers = grid->layers; layers != 0; layers &= layers - 1) {
    int layer = __builtin_ctzll(layers);
    ImpiGridRange range = impi_grid_range(box, layer);
    uint32_t more = (uint32_t)(range.right - range.left);
    for (int32_t row = range.bottom; row <= range.top; ++row) {
      uint32_t first = impi_grid_bucket(grid, layer, range.left, row), last = first + more;
      if (last > grid->mask) { // the row wraps around at the end of the table
        if (!impi_grid_scan(grid, starts[0], starts[(last & grid->mask) + 1], probe, visit, context)) {
          return false;
        }
        last = grid->mask;
      }
      if (!impi_grid_scan(grid, starts[first], starts[last + 1], probe, visit, context)) {
        return false;
      }
    }
  }
  return true;
}

#endif
