// The form of a shape query (an overlap or a cast): a probe as convex pieces in a frame.
#ifndef IMPI_QUERY_FORM_H
#define IMPI_QUERY_FORM_H

#include "query/query.h"

typedef struct ImpiForm {
  const ImpiHull *hulls; // (count)
  int32_t count;
  ImpTransform frame;
  int32_t body;                       // body of the shape; -1: the form is not a shape of the world
  ImpiHull own;                       // the only piece of a form that is not a shape of the world
  ImpVec2 points[IMP_MAX_VERTICES];   // points of `own`
  ImpVec2 outwards[IMP_MAX_VERTICES]; // normals of the edges of `own`
} ImpiForm;

// Make the form of a probe. It has pointers into itself and into the world, so it is valid until it is moved or the
// world changes.
ImpStatus impi_form_of(const ImpWorld *world, const ImpProbe *probe, ImpiForm *out_form);
// Make a form of points without checks: one or more, convex and counter-clockwise, enlarged by `radius`.
void impi_form_set(ImpiForm *form, const ImpVec2 *points, int count, double radius, ImpTransform frame);

#endif
