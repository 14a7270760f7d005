// Distance from a point to the nearest static shape.
#ifndef IMPI_CLEARING_H
#define IMPI_CLEARING_H

// Boxes of static pieces, by the axis on which they are farther from the place. It holds until static pieces change.
typedef struct ImpiClearing {
  double x, y; // [m]
  float free;  // none is as near as this [m]
  float taken; // one is no farther than this; HUGE_VALF: not known [m]
} ImpiClearing;

#endif
