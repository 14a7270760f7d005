// The form that a query moves or lays over the world: a probe as pieces in a frame.
#ifndef IMPI_QUERY_FORM_H
#define IMPI_QUERY_FORM_H

#include "query/query.h"

typedef struct ImpiForm {
  const ImpiHull *hulls; // (count)
  int32_t count;
  ImpTransform frame;
  int32_t body;                       // whose shape it is, -1: nobody's
  ImpiHull own;                       // the piece of a form that is in no world
  ImpVec2 points[IMP_MAX_VERTICES];   // of `own`
  ImpVec2 outwards[IMP_MAX_VERTICES]; // normals of its edges
} ImpiForm;

// The form is valid while it stays where it is and the world does not change.
ImpStatus impi_form_of(const ImpWorld *world, const ImpProbe *probe, ImpiForm *out_form);
// A form without checks: 1, 2 or more points, convex and counter-clockwise, grown by radius.
void impi_form_set(ImpiForm *form, const ImpVec2 *points, int count, double radius, ImpTransform frame);

#endif
