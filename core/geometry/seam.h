// Seams: what pieces that cannot move against each other hide of each other's surface.
#ifndef IMPI_SEAM_H
#define IMPI_SEAM_H

#include "geometry/collide.h"

// A piece that cannot move against the one looked at: of the same body, or both of static bodies.
typedef struct ImpiNeighbour {
  const ImpiHull *hull;
  ImpTransform place; // in the frame of the piece looked at
  uint64_t serial;    // of its shape: they are listed by (serial, child), so that no other order shows
  int32_t child;
} ImpiNeighbour;

// More neighbours than this at one place are not looked at.
#define IMPI_MAX_NEIGHBOURS 64

// What all neighbours together leave of the surface of a dynamic body's piece, at least: fewer of them leave more.
// A touched corner gives normals between its first edge's and the one that its parts name first, and between the one
// that they name next and its second edge's; zero: none. Of a covered edge they name one span that holds all that is
// hidden. The parts follow, `parts` bytes after the border: two for each touched corner, then one for each covered edge.
typedef struct ImpiBorder {
  uint64_t covered, touched; // bit i: some neighbour bears on edge i, on corner i
  uint64_t parts;
} ImpiBorder;

typedef struct ImpiSeams {
  int32_t count;
  bool rolls;               // the piece is of a dynamic body
  const ImpiBorder *border; // of the piece; null: not known
  ImpiNeighbour at[IMPI_MAX_NEIGHBOURS];
} ImpiSeams;

// Take a neighbour into the list at its place; of too many the last ones fall off.
void impi_seams_add(ImpiSeams *seams, ImpiNeighbour neighbour);

// Add the edges and corners on which a neighbour in the same frame bears. Whether there are any.
bool impi_border_add(const ImpiHull *hull, const ImpiHull *neighbour, ImpiBorder *border);
// When all have been added, which are also in `seams`: how many parts it has, and what they are.
int impi_border_count(const ImpiBorder *border);
void impi_border_fill(const ImpiHull *hull, const ImpiSeams *seams, const ImpiBorder *border, ImpVec2 *out_parts);

// Whether the surface has the outward unit normal `normal` at (or within rounding and a millimetre of) the points
// between `from` and `to`, all in the piece's frame, after what its neighbours hide.
bool impi_seams_show(const ImpiHull *hull, const ImpiSeams *seams, ImpVec2 normal, ImpVec2 from, ImpVec2 to);

// The same, whichever of all neighbours are near; false: that is not known.
bool impi_seams_show_anyway(const ImpiHull *hull, const ImpiBorder *border, ImpVec2 normal, ImpVec2 from, ImpVec2 to);

// How far the edge that ends at a corner (sign 1) or begins there (-1) reaches beyond it, `outward` along it [m]: a corner
// at a gap of tiles is level with its neighbour, and half of the gap belongs to the edge. `seams` may be null.
double impi_seams_reach(const ImpiHull *hull, const ImpiSeams *seams, int vertex, double sign, ImpVec2 outward);

// Of which of `sides`, whose pieces may have neighbours (1 a, 2 b), these must be known before it is said that a manifold
// in a's frame is in line with what is surface. A border may be null: not known. What is not in doubt shows, whichever
// neighbours there are.
int impi_seams_doubt(const ImpiHull *a, const ImpiBorder *border_a, const ImpiHull *b, const ImpiBorder *border_b,
                     int sides, const ImpTransform *b_in_a, const ImpiLocalManifold *manifold);

// Whether the manifold is in line with what is surface already.
bool impi_seams_fit(const ImpiHull *a, const ImpiSeams *seams_a, const ImpiHull *b, const ImpiSeams *seams_b,
                    const ImpTransform *b_in_a, const ImpiLocalManifold *manifold);

// What takes the place of a manifold that impi_collide found, in a's frame, and that is not in line with what is surface:
// that of the best face which is none such, or nothing. `seams_a` and `seams_b` may be null: no neighbours.
void impi_seams_replace(const ImpiHull *a, const ImpiSeams *seams_a, const ImpiHull *b, const ImpiSeams *seams_b,
                        const ImpTransform *b_in_a, double margin, ImpiLocalManifold *manifold);

// Bring a manifold into line with what is surface, if it is not: both of the above.
void impi_seams_smooth(const ImpiHull *a, const ImpiSeams *seams_a, const ImpiHull *b, const ImpiSeams *seams_b,
                       const ImpTransform *b_in_a, double margin, ImpiLocalManifold *manifold);

// A chain link whose open ends go on along its neighbours, where there are any, instead of straight ahead.
// Its points are in `out_points`.
ImpiHull impi_seams_link(const ImpiHull *link, const ImpiSeams *seams, ImpVec2 out_points[2]);

#endif
