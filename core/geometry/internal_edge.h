// Internal edges: parts of a piece's surface that adjacent pieces cover.
#ifndef IMPI_INTERNAL_EDGE_H
#define IMPI_INTERNAL_EDGE_H

#include "geometry/collide.h"

// A piece that cannot move relative to a given piece: both belong to one body or to static bodies.
typedef struct ImpiNeighbour {
  const ImpiHull *hull;
  ImpTransform place; // frame of the neighbour in the frame of the given piece
  // creation number of the neighbour's shape; neighbours are sorted by (serial, child)
  uint64_t serial;
  int32_t child;
} ImpiNeighbour;

// Largest number of neighbours of one contact.
#define IMPI_MAX_NEIGHBOURS 64

// Internal-edge data of a piece of a dynamic body: the surface that remains uncovered if all neighbours of the piece
// are present. With fewer neighbours at least this surface is uncovered. An array of vectors begins `parts` bytes after
// the start of this struct:
// - two unit vectors for each corner that a neighbour touches. A contact at the corner may have the normals between the
//   normal of the corner's first edge and the first vector, and those between the second vector and the normal of the
//   second edge. A zero vector allows no normal.
// - then one vector for each edge that a neighbour covers: the ends (x, y) of a span that contains all covered points
//   [m].
typedef struct ImpiInternalEdges {
  uint64_t covered, touched; // bit i: a neighbour covers edge i in part; a neighbour touches corner i
  uint64_t parts;
} ImpiInternalEdges;

typedef struct ImpiNeighbours {
  int32_t count;
  bool rolls;                              // the piece belongs to a dynamic body
  const ImpiInternalEdges *internal_edges; // internal-edge data of the piece; null: unknown
  ImpiNeighbour at[IMPI_MAX_NEIGHBOURS];
} ImpiNeighbours;

// Insert a neighbour into the sorted list. If the list is full, its last neighbour is dropped.
void impi_neighbours_add(ImpiNeighbours *neighbours, ImpiNeighbour neighbour);

// Add the edges and corners that a neighbour in the same frame covers or touches. Returns whether it covers or touches
// any.
bool impi_internal_edges_add(const ImpiHull *hull, const ImpiHull *neighbour, ImpiInternalEdges *internal_edges);
// impi_internal_edges_count returns the number of vectors of the internal-edge data, impi_internal_edges_fill writes
// the vectors. All neighbours must be in `internal_edges` and `neighbours`.
int impi_internal_edges_count(const ImpiInternalEdges *internal_edges);
void impi_internal_edges_fill(const ImpiHull *hull, const ImpiNeighbours *neighbours,
                              const ImpiInternalEdges *internal_edges, ImpVec2 *out_parts);

// Return whether the surface that the neighbours leave uncovered has the outward unit normal `normal` somewhere between
// the points `from` and `to`, all in the piece's frame. An uncovered part of an edge is extended by
// IMPI_SPECULATIVE_MARGIN.
bool impi_neighbours_expose(const ImpiHull *hull, const ImpiNeighbours *neighbours, ImpVec2 normal, ImpVec2 from,
                            ImpVec2 to);

// Return whether impi_neighbours_expose is true whichever neighbours are present; false means unknown.
bool impi_internal_edges_expose(const ImpiHull *hull, const ImpiInternalEdges *internal_edges, ImpVec2 normal,
                                ImpVec2 from, ImpVec2 to);

// Return how far an edge extends beyond a corner in the direction `outward` [m]: half the gap to the next tile. The
// edge ends (sign 1) or begins (-1) at the corner. `neighbours` may be null.
double impi_neighbours_reach(const ImpiHull *hull, const ImpiNeighbours *neighbours, int vertex, double sign,
                             ImpVec2 outward);

// Return the pieces (bits 1: a, 2: b) whose neighbours are needed to decide whether a manifold (in a's frame) is on the
// surface. `sides`: pieces that may have neighbours. Internal-edge data may be null: unknown.
int impi_internal_edges_unresolved(const ImpiHull *a, const ImpiInternalEdges *internal_edges_a, const ImpiHull *b,
                                   const ImpiInternalEdges *internal_edges_b, int sides, const ImpTransform *b_in_a,
                                   const ImpiLocalManifold *manifold);

// Return whether the manifold is on the surface of both pieces.
bool impi_internal_edges_fit(const ImpiHull *a, const ImpiNeighbours *neighbours_a, const ImpiHull *b,
                             const ImpiNeighbours *neighbours_b, const ImpTransform *b_in_a,
                             const ImpiLocalManifold *manifold);

// Replace a manifold of impi_collide (in a's frame) that is at an internal edge. Only faces whose contact is on the
// surface of both pieces are considered: the new manifold is that of the face of greatest separation, or empty without
// such a face. `neighbours_a` and `neighbours_b` may be null: no neighbours.
void impi_internal_edges_replace(const ImpiHull *a, const ImpiNeighbours *neighbours_a, const ImpiHull *b,
                                 const ImpiNeighbours *neighbours_b, const ImpTransform *b_in_a, double margin,
                                 ImpiLocalManifold *manifold);

// Replace a manifold that is not on the surface of both pieces (see impi_internal_edges_replace). Clear `from_corner`
// of a circle's contact with a corner that can have only one normal.
void impi_internal_edges_smooth(const ImpiHull *a, const ImpiNeighbours *neighbours_a, const ImpiHull *b,
                                const ImpiNeighbours *neighbours_b, const ImpTransform *b_in_a, double margin,
                                ImpiLocalManifold *manifold);

// Return a copy of a chain link. If an open end touches a neighbour, the copy ends in the middle of the gap, and its
// ghost point continues along the neighbour's boundary. The points of the copy are in `out_points`.
ImpiHull impi_neighbours_link(const ImpiHull *link, const ImpiNeighbours *neighbours, ImpVec2 out_points[2]);

#endif
