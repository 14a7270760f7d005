// Level 3. Seams: what pieces that cannot move against each other hide of each other's surface.
#ifndef IMPI_SEAM_H
#define IMPI_SEAM_H

#include "collide.h"

// A piece that cannot move against the one looked at: of the same body, or both of static bodies.
typedef struct ImpiNeighbour {
  const ImpiHull *hull;
  ImpTransform place; // in the frame of the piece looked at
  uint64_t serial;    // of its shape: they are listed by (serial, child), so that no other order shows
  int32_t child;
} ImpiNeighbour;

// More neighbours than this at one place are not looked at.
#define IMPI_MAX_NEIGHBOURS 64

typedef struct ImpiSeams {
  int32_t count;
  bool rolls; // the piece is of a dynamic body
  ImpiNeighbour at[IMPI_MAX_NEIGHBOURS];
} ImpiSeams;

// Take a neighbour into the list at its place; of too many the last ones fall off.
void impi_seams_add(ImpiSeams *seams, ImpiNeighbour neighbour);

// Whether the surface has the outward unit normal `normal` at (or within rounding and a millimetre of) the points
// between `from` and `to`, all in the piece's frame, after what its neighbours hide.
bool impi_seams_show(const ImpiHull *hull, const ImpiSeams *seams, ImpVec2 normal, ImpVec2 from, ImpVec2 to);

// Bring the manifold that impi_collide found, in a's frame, into line with what is surface: one with a hidden normal
// becomes that of the best face which is none, or goes. `seams_a` and `seams_b` may be null: no neighbours.
void impi_seams_smooth(const ImpiHull *a, const ImpiSeams *seams_a, const ImpiHull *b, const ImpiSeams *seams_b,
                       const ImpTransform *b_in_a, double margin, ImpiLocalManifold *manifold);

// A chain link whose open ends go on along its neighbours, where there are any, instead of straight ahead.
// Its points are in `out_points`.
ImpiHull impi_seams_link(const ImpiHull *link, const ImpiSeams *seams, ImpVec2 out_points[2]);

#endif
