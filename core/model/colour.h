// Colours: constraints of one colour share no moving body, so they can be solved in parallel and in any order.
#ifndef IMPI_COLOUR_H
#define IMPI_COLOUR_H

#include "base/array.h"

// Constraints between two moving bodies get the low colours, and constraints between a moving and an unmoving body the
// high colours, so that contacts with the ground are solved last: what is solved last is satisfied best. Constraints
// that fit no colour are solved one after another, before the colours, in the given order.
#define IMPI_COLOURS 64
#define IMPI_FIRST_GROUND_COLOUR 32
#define IMPI_NO_COLOUR IMPI_COLOURS
#define IMPI_UNCOLOURED (-1) // colour of a constraint that is not active

// Mark the lowest colour that is free at both bodies as taken and return it, or return IMPI_NO_COLOUR. `taken`: for
// each lane (index of a body in the solver's arrays) a bit mask of taken colours; lane 0 stands for any body that does
// not move.
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

// Release a colour. impi_keep_colour marks the colour that a constraint already has as taken.
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
