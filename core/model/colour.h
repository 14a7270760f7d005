// Colours: constraints of one colour share no moving body, so they can be solved side by side in any order.
#ifndef IMPI_COLOUR_H
#define IMPI_COLOUR_H

#include "base/array.h"

// Two moving bodies take the low colours, a moving body and an unmoving one the high ones: what stands on the ground is
// solved last and wins. What fits no colour is solved one after another, before the colours, in the order given.
#define IMPI_COLOURS 64
#define IMPI_FIRST_GROUND_COLOUR 32
#define IMPI_NO_COLOUR IMPI_COLOURS
#define IMPI_UNCOLOURED (-1) // of what takes no part

// The lowest colour that is free at both bodies; `taken` holds a bit a colour for each lane, and lane 0 stands for a
// body that does not move. Takes the colour, or returns IMPI_NO_COLOUR.
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

// Give it back, or take the one that it had.
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
