// Makes a geometry of any kind from bytes. Most geometries are rejected, all others must be valid.
#ifndef IMPI_FUZZ_GEOMETRY_H
#define IMPI_FUZZ_GEOMETRY_H

#include "failing_memory.h"
#include "fuzz.h"
#include "geometry/shape.h"

enum { MOST_POINTS = 64, CONVEX_KINDS = 5, GEOMETRY_KINDS = 8 };


static inline ImpVec2 take_place(Input *in, bool extreme) {
  double x = extreme ? take_number(in) : take_length(in);
  return impi_vec(x, extreme ? take_number(in) : take_length(in));
}


static inline ImpStatus take_lines(Input *in, ImpiHeap *heap, int kind, bool extreme, ImpiGeometry *out_geometry) {
  ImpVec2 points[MOST_POINTS], origin;
  double values[MOST_POINTS], spacing;
  int counts[4], rings = 1 + take_below(in, 4), count = take_below(in, MOST_POINTS + 1);
  bool loop = take_below(in, 2) == 1;
  if (kind == 7) {
    origin = take_place(in, extreme);
    spacing = extreme ? take_number(in) : take_below(in, 64) / 16.0;
    for (int i = 0; i < count; ++i) values[i] = take_number(in);
    return impi_geometry_heights(heap, origin, spacing, values, count, out_geometry);
  }
  for (int i = 0; i < count; ++i) points[i] = take_place(in, extreme);
  if (kind == 6) return impi_geometry_chain(heap, points, count, loop, out_geometry);
  int left = count;
  for (int i = 0; i < rings; ++i) {
    counts[i] = i + 1 < rings ? take_below(in, left + 1) : left;
    left -= counts[i];
  }
  double radius = loop ? fabs(take_length(in)) / 64 : 0;
  return impi_geometry_polygon_with_holes(heap, points, counts, rings, radius, out_geometry);
}


static inline ImpStatus take_geometry(Input *in, ImpiHeap *heap, int kinds, ImpiGeometry *out_geometry) {
  int how = take_below(in, 256), kind = how / 2 % kinds;
  bool extreme = how % 2 == 1;
  ImpVec2 points[IMP_MAX_VERTICES + 1];
  if (kind >= CONVEX_KINDS) return take_lines(in, heap, kind, extreme, out_geometry);
  int count = kind == 4 ? 2 + take_below(in, IMP_MAX_VERTICES) : kind == 0 ? 1 : 2;
  double radius = kind == 2 || (kind != 3 && how / 64 % 2 == 0) ? fabs(extreme ? take_number(in) : take_length(in)) : 0;
  for (int i = 0; i < count; ++i) points[i] = take_place(in, extreme);
  switch (kind) {
  case 0:
    return impi_geometry_circle(heap, points[0], radius, out_geometry);
  case 1:
    return impi_geometry_box(heap, points[0].x, points[0].y, points[1], take_length(in), radius, out_geometry);
  case 2:
    return impi_geometry_capsule(heap, points[0], points[1], radius, out_geometry);
  case 3:
    return impi_geometry_segment(heap, points[0], points[1], out_geometry);
  default:
    return impi_geometry_polygon(heap, points, count, radius, out_geometry);
  }
}

#endif
