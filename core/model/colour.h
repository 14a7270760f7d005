// Colours: constraints of one colour share no moving body, so they can be solved in parallel.
#ifndef IMPI_COLOUR_H
#define IMPI_COLOUR_H

#include "base/array.h"

// Constraints between two moving bodies have the low colours, constraints between a moving and an unmoving body the
// high colours. Contacts with the ground are solved last, because the last constraints are satisfied best. Constraints
// without colour are solved one after another, before the colours, in the given order.
#define IMPI_COLOURS 64
#define IMPI_FIRST_GROUND_COLOUR 32
#define IMPI_NO_COLOUR IMPI_COLOURS
#define IMPI_UNCOLOURED (-1) // colour of a constraint that is not active

// Take the lowest colour that is free at both bodies, or return IMPI_NO_COLOUR. `taken`: bit mask of taken colours for
// each lane (index of a body in the solver's arrays). Lane 0 stands for all bodies that do not move.
static inline int impi_take_colour(uint64_t *taken, int32_t lane_a, int32_t lane_b) {
  uint64_t both = taken[lane_a] | taken[lane_b];
  uint64_t ground = ~0ull << IMPI_FIRST_GROUND_COLOUR;
  uint64_t open = ~both & (lane_a == 0 || lane_b == 0 ? ground : ~ground);
  if (open == 0) {
    return IMPI_NO_COLOUR;
  }
  int colour = __builtin_ctzll(open);
  uint64_t bit = 1ull << colour;
  taken[lane_a] |= lane_a != 0 ? bit : 0;
  taken[lane_b] |= lane_b != 0 ? bit : 0;
  return colour;
}

// Release a colour. impi_keep_colour marks the colour of a constraint as taken.
static inline void impi_return_colour(uint64_t *taken, int32_t lane_a, int32_t lane_b, int colour) {
  if (colour >= 0 && colour < IMPI_COLOURS) {
    taken[lane_a] &= ~(1ull << colour);
    taken[lane_b] &= ~(1ull << colour);
  }
}
static inline void impi_keep_colour(uint64_t *taken, int32_t lane_a, int32_t lane_b, int colour) {
  if (colour >= 0 && colour < IMPI_COLOURS) {
    taken[lane_a] |= lane_a != 0 ? 1ull << colour : 0;
    taken[lane_b] |= lane_b != 0 ? 1ull << colour : 0;
  }
}

#endif
