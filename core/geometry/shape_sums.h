// Mass, extent and inner radius of bodies with many shapes. Each body has a treap (Seidel and Aragon, "Randomized
// Search Trees", 1996): keys are the serials of the shapes, priorities are hashes of the serials. The structure of the
// treap and the bits of the sums depend only on the set of shapes. A change costs O(log n).
#ifndef IMPI_SHAPE_SUMS_H
#define IMPI_SHAPE_SUMS_H

#include "geometry/shape.h"

// A body with more attached shapes has a treap.
#define IMPI_UNSUMMED_SHAPES 64

// Return the sum of two masses, with the inertia about the common centre. The member `area` is the mass [kg] here.
ImpiMass impi_mass_join(const ImpiMass *a, const ImpiMass *b);

// Sums over shapes.
typedef struct ImpiShapeSum {
  ImpiMass mass;   // `area`: mass [kg]; `center` [m]; `inertia` about the centre [kg m^2]
  double farthest; // distance of the farthest point from the body's origin [m]
  // least distance from the centroid of a piece to its surface, without sensors [m]; IMPI_HUGE: no pieces
  double inner;
  int32_t count;
} ImpiShapeSum;

typedef struct ImpiSumNode {
  uint64_t serial; // creation number of the shape
  // slots of shapes, -1: none; parent is IMPI_NOT_SUMMED for a shape without treap
  int32_t parent, left, right;
  ImpiShapeSum own, all; // values of the node's shape; sums over the node's subtree
} ImpiSumNode;

#define IMPI_NOT_SUMMED (-2)

typedef struct ImpiShapeSums {
  IMPI_ARRAY(ImpiSumNode) nodes; // by slot of the shape; a shape whose slot is not below `count` is in no treap
  IMPI_ARRAY(int32_t) roots;     // by slot of the body; -1, or a slot not below `count`: the body has no treap
} ImpiShapeSums;

// Make room for the slots of `shapes` shapes and `bodies` bodies; false when out of memory.
bool impi_sums_reserve(ImpiHeap *heap, ImpiShapeSums *sums, int shapes, int bodies);
void impi_sums_free(ImpiHeap *heap, ImpiShapeSums *sums);

// Build the treap of a body that has none: append its shapes in the order of their serials, and call impi_sums_finish,
// which makes the sums valid. Room must have been reserved. `last`: the previous shape, -1 for the first shape.
void impi_sums_append(ImpiShapeSums *sums, int32_t body, int32_t last, int32_t shape, uint64_t serial,
                      ImpiShapeSum own);
void impi_sums_finish(ImpiShapeSums *sums, int32_t last);

// Add a shape that is in no treap. Room must have been reserved.
void impi_sums_insert(ImpiShapeSums *sums, int32_t body, int32_t shape, uint64_t serial, ImpiShapeSum own);
// Remove a shape; a shape that is in no treap is ignored.
void impi_sums_remove(ImpiShapeSums *sums, int32_t body, int32_t shape);
// Replace the data of a shape; a shape that is in no treap is ignored.
void impi_sums_change(ImpiShapeSums *sums, int32_t shape, ImpiShapeSum own);
// Remove all shapes of a body.
void impi_sums_drop(ImpiShapeSums *sums, int32_t body);

// Return the sums of a body's attached shapes, or null for a body without treap.
static inline const ImpiShapeSum *impi_sums_of(const ImpiShapeSums *sums, int32_t body) {
  int32_t root = body < sums->roots.count ? sums->roots.data[body] : -1;
  return root < 0 ? NULL : &sums->nodes.data[root].all;
}

#endif
