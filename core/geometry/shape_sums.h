// Mass, reach and inner radius of bodies of many shapes, kept as shapes come and go: a treap for each body (Seidel
// and Aragon, "Randomized Search Trees", 1996). Its keys are the serials of the shapes, its priorities a hash of them, so its
// form, and with it each bit of the sums, is a function of the shapes that there are, however they came to be there. A
// change costs O(log n).
#ifndef IMPI_SHAPE_SUMS_H
#define IMPI_SHAPE_SUMS_H

#include "geometry/shape.h"

// Bodies of more attached shapes than this are summed up by a treap, others in the order of their shapes.
#define IMPI_FEW_SHAPES 64

// Two masses as one, whose inertia is about the common centre: parallel axes from each of the two, whose distances have all
// their digits. `area`: mass [kg].
ImpiMass impi_mass_join(const ImpiMass *a, const ImpiMass *b);

// Sums over one shape or several.
typedef struct ImpiShapeSum {
  ImpiMass mass;   // area: mass [kg]; center; inertia about it [kg m^2]
  double farthest; // point from the body's origin [m]
  double inner;    // least inner radius of the pieces, sensors left out; IMPI_HUGE without any [m]
  int32_t count;   // shapes
} ImpiShapeSum;

typedef struct ImpiSumNode {
  uint64_t serial;             // of the shape
  int32_t parent, left, right; // slots of shapes, -1: none; parent is IMPI_NOT_SUMMED of a shape that is in no treap
  ImpiShapeSum own, all;       // of the shape; of it and all below it
} ImpiSumNode;

#define IMPI_NOT_SUMMED (-2)

typedef struct ImpiShapeSums {
  IMPI_ARRAY(ImpiSumNode) nodes; // by slot of the shape; those behind `count` are in no treap
  IMPI_ARRAY(int32_t) roots;     // by slot of the body, -1: it has no treap; the same behind `count`
} ImpiShapeSums;

// Room for shapes and bodies with slots below these numbers; false when out of memory.
bool impi_sums_reserve(ImpiHeap *heap, ImpiShapeSums *sums, int shapes, int bodies);
void impi_sums_free(ImpiHeap *heap, ImpiShapeSums *sums);

// Make the treap of a body that has none: append its shapes in the order of their serials, then finish. There must be room,
// and until it is finished its sums are not there. `last`: the shape before, -1 for the first.
void impi_sums_append(ImpiShapeSums *sums, int32_t body, int32_t last, int32_t shape, uint64_t serial,
                      ImpiShapeSum own);
void impi_sums_finish(ImpiShapeSums *sums, int32_t last);

// Put in a shape that is in no treap: there must be room.
void impi_sums_insert(ImpiShapeSums *sums, int32_t body, int32_t shape, uint64_t serial, ImpiShapeSum own);
// Take a shape out; one that is in no treap is ignored.
void impi_sums_remove(ImpiShapeSums *sums, int32_t body, int32_t shape);
// A shape has changed; one that is in no treap is ignored.
void impi_sums_change(ImpiShapeSums *sums, int32_t shape, ImpiShapeSum own);
// Take all shapes of a body out.
void impi_sums_drop(ImpiShapeSums *sums, int32_t body);

// The sums of a body's attached shapes; null: it has no treap.
static inline const ImpiShapeSum *impi_sums_of(const ImpiShapeSums *sums, int32_t body) {
  int32_t root = body < sums->roots.count ? sums->roots.data[body] : -1;
  return root < 0 ? NULL : &sums->nodes.data[root].all;
}

#endif
