// A grid of boxes for finding, in one go, what many boxes overlap: built anew each time, never kept up to date.
//
// Boxes of about one size are in the cells of one layer: its cells are as wide as the next power of two, so a box whose
// centre is in a cell reaches no farther than half a cell beyond it. All layers share one table of buckets. A cell's
// bucket is its column plus its row times the golden part of the table, so that neighbours in a row are neighbours in
// memory, and rows, which are of any length and number, hardly ever lie upon each other. Where they do, boxes are looked
// at in vain, and one may be found twice.
#ifndef IMPI_GRID_H
#define IMPI_GRID_H

#include "base/array.h"
#include "base/small_box.h"

typedef struct ImpiGrid {
  IMPI_ARRAY(ImpiSmallBox) boxes; // by bucket
  IMPI_ARRAY(int32_t) users;      // by bucket: which box of those that were given
  IMPI_ARRAY(int32_t) starts;     // of each bucket in the two lists, and of the end   (buckets + 2)
  IMPI_ARRAY(uint32_t) buckets;   // by box; while it is built
  uint32_t mask;                  // buckets - 1, which are a power of two
  uint32_t stride;                // from a row to the next
  uint64_t layers;                // which there are: bit k for cells of 2^(k + IMPI_GRID_FINEST) m
  double largest;                 // what a walk is good for: of a larger box it would see much of the table in vain [m]
} ImpiGrid;

// The finest cells are 2^this [m], the coarsest 2^(this + 63).
#define IMPI_GRID_FINEST (-4)

void impi_grid_free(ImpiHeap *heap, ImpiGrid *grid);
// Take in `count` boxes; those that overlap nothing are left out. False when out of memory.
bool impi_grid_build(ImpiHeap *heap, ImpiGrid *grid, const ImpiSmallBox *boxes, int count);


// The column or row in which a coordinate is. What is too far out is in the outermost one, in the right order.
static inline int32_t impi_grid_cell(double x, double per_cell) {
  double cells = impi_min(impi_max(x * per_cell, -0x1p30), 0x1p30);
  int32_t cell = (int32_t)cells;
  return cell - (cells < (double)cell);
}

// 1 over the width of a layer's cells.
static inline double impi_grid_scale(int layer) {
  uint64_t bits = (uint64_t)(1023 - IMPI_GRID_FINEST - layer) << 52;
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

static inline uint32_t impi_grid_bucket(const ImpiGrid *grid, int layer, int32_t column, int32_t row) {
  return ((uint32_t)column + (uint32_t)row * grid->stride + (uint32_t)layer * 0x9e3779b1u) & grid->mask;
}

// The cells of a layer that may hold what overlaps a box.
typedef struct ImpiGridRange {
  int32_t left, right, bottom, top; // inclusive
} ImpiGridRange;

static inline ImpiGridRange impi_grid_range(const ImpiSmallBox *box, int layer) {
  double scale = impi_grid_scale(layer), reach = 0.5 / scale;
  return (ImpiGridRange){
      impi_grid_cell((double)box->edge[0] - reach, scale), impi_grid_cell(reach - (double)box->edge[2], scale),
      impi_grid_cell((double)box->edge[1] - reach, scale), impi_grid_cell(reach - (double)box->edge[3], scale)};
}

// Whether a box is too large for a walk: all boxes are then better looked at in turn.
static inline bool impi_grid_is_too_large(const ImpiGrid *grid, const ImpiSmallBox *box) {
  return (double)box->edge[0] + (double)box->edge[2] < -grid->largest ||
         (double)box->edge[1] + (double)box->edge[3] < -grid->largest;
}

// Called for boxes that overlap, some of them maybe twice, in no order that matters; false stops.
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

// Visit the boxes that overlap one that is not too large. Always inlined, so that the visitor is inlined as well.
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
      if (last > grid->mask) { // round the end of the table
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
