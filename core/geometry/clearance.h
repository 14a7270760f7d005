// Clearance: distance from a point to the nearest static shape.
#ifndef IMPI_CLEARANCE_H
#define IMPI_CLEARANCE_H

// Bounds of a point's distance to static boxes, in the maximum norm. Valid until static pieces change.
typedef struct ImpiStaticClearance {
  double x, y; // the point [m]
  float free;  // lower bound of the clearance [m]
  float taken; // upper bound of the clearance [m]; HUGE_VALF: unknown
} ImpiStaticClearance;

#endif
