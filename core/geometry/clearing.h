// Clearance: distance from a point to the nearest static shape.
#ifndef IMPI_CLEARING_H
#define IMPI_CLEARING_H

// Bounds of the clearance of a point. Distances are measured to the boxes of static pieces, each as the larger of the
// distances along the two axes. Valid until static pieces change.
typedef struct ImpiClearing {
  double x, y; // the point [m]
  float free;  // lower bound of the clearance [m]
  float taken; // upper bound of the clearance [m]; HUGE_VALF: unknown
} ImpiClearing;

#endif
