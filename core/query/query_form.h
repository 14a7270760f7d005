// The shape with which a query (an overlap or a cast) is made ("form"): convex pieces in a frame.
#ifndef IMPI_QUERY_FORM_H
#define IMPI_QUERY_FORM_H

#include "query/query.h"

typedef struct ImpiForm {
  const ImpiHull *hulls; // (count)
  int32_t count;
  ImpTransform frame;
  int32_t body;                       // body of the shape, if the form is a shape of the world; else -1
  ImpiHull own;                       // the only piece, if the form is made of points
  ImpVec2 points[IMP_MAX_VERTICES];   // points of `own`
  ImpVec2 outwards[IMP_MAX_VERTICES]; // normals of the edges of `own`
} ImpiForm;

// Make a form from a probe. Do not copy the form: `hulls` may point into it. The form is invalid after a change of the
// world.
ImpStatus impi_form_of(const ImpWorld *world, const ImpProbe *probe, ImpiForm *out_form);
// Make a form from points, which are not checked: one or more, convex and counter-clockwise, enlarged by `radius`.
void impi_form_set(ImpiForm *form, const ImpVec2 *points, int count, double radius, ImpTransform frame);

#endif
