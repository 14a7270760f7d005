// The shape with which a query is made.
#include "query/query_form.h"

#include "base/constants.h"


void impi_form_set(ImpiForm *form, const ImpVec2 *points, int count, double radius, ImpTransform frame) {
  ImpVec2 low = points[0], high = points[0];
  for (int i = 0; i < count; ++i) {
    form->points[i] = points[i];
    low = impi_vec(impi_min(low.x, points[i].x), impi_min(low.y, points[i].y));
    high = impi_vec(impi_max(high.x, points[i].x), impi_max(high.y, points[i].y));
  }
  for (int i = 0; count > 1 && i < count; ++i) {
    double length;
    form->outwards[i] = impi_right(impi_normalize(impi_sub(points[(i + 1) % count], points[i]), &length));
  }
  ImpVec2 middle = impi_lerp(low, high, 0.5);
  form->own = (ImpiHull){.count = count,
                         .radius = radius,
                         .centroid = middle,
                         .extent = impi_length(impi_sub(high, middle)) + radius,
                         .v = form->points,
                         .n = form->outwards};
  form->hulls = &form->own;
  form->count = 1;
  form->frame = frame;
  form->body = -1;
}


// Check a probe, and write its points to `ordered` (counter-clockwise).
static ImpStatus check_probe(const ImpProbe *probe, ImpVec2 *ordered) {
  ImpStatus status = IMP_OK;
  if (probe->count < 1 || probe->count > IMP_MAX_VERTICES) {
    return impi_fail(IMP_ERR_ARGUMENT, "a query shape must have 1 to %d points, got %d", IMP_MAX_VERTICES,
                     probe->count);
  }
  for (int i = 0; i < probe->count && status == IMP_OK; ++i) {
    status = impi_check_point("form", "point", i + 1, probe->points[i]);
  }
  if (status == IMP_OK) {
    status = impi_check_size("form", "radius", probe->radius, 0);
  }
  if (status == IMP_OK) {
    status = impi_check_place("the position of a query shape", probe->position);
  }
  if (status == IMP_OK && !(fabs(probe->angle) <= IMPI_HUGE)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "the angle of a query shape must be a finite number, got %g", probe->angle);
  }
  if (status == IMP_OK && probe->count == 2 &&
      impi_length(impi_sub(probe->points[1], probe->points[0])) < IMPI_MIN_LENGTH) {
    status = impi_fail(IMP_ERR_ARGUMENT, "the two points of a query shape are closer than %g m", IMPI_MIN_LENGTH);
  }
  for (int i = 0; i < probe->count && status == IMP_OK; ++i) {
    ordered[i] = probe->points[i];
  }
  bool convex = true;
  if (status == IMP_OK && probe->count > 2) {
    status = impi_check_outline(ordered, &(ImpiOutline){ordered, &(int32_t){probe->count}, 1}, &convex);
  }
  if (status == IMP_OK && !convex) {
    status = impi_fail(IMP_ERR_ARGUMENT, "the points of a query shape must form a convex polygon");
  }
  return status;
}


ImpStatus impi_form_of(const ImpWorld *world, const ImpProbe *probe, ImpiForm *out_form) {
  if (probe->shape.id != 0) {
    IMPI_FIND_SHAPE(world, probe->shape, slot);
    const ImpiShape *shape = &world->shapes.data[slot];
    out_form->hulls = shape->geometry.hulls;
    out_form->count = shape->geometry.child_count;
    out_form->frame = impi_query_frame(world, shape->body);
    out_form->body = shape->body;
    return IMP_OK;
  }
  ImpVec2 ordered[IMP_MAX_VERTICES];
  ImpStatus status = check_probe(probe, ordered);
  if (status != IMP_OK) {
    return status;
  }
  ImpTransform frame = {probe->position, probe->angle != 0 ? impi_rot(probe->angle) : (ImpRot){1, 0}};
  impi_form_set(out_form, ordered, probe->count, probe->radius, frame);
  return IMP_OK;
}
