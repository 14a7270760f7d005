// Distance and time of impact of two shapes. Each piece of one shape is tested against each piece of the other.
#include "base/constants.h"
#include "geometry/toi.h"
#include "query/query.h"
#include "world/bodies.h"


ImpStatus imp_world_closest(ImpWorld *world, ImpShape shape_a, ImpShape shape_b, ImpClosest *out_closest) {
  IMPI_FIND_SHAPE(world, shape_a, a);
  IMPI_FIND_SHAPE(world, shape_b, b);
  if (a == b) {
    return impi_fail(IMP_ERR_ARGUMENT, "a shape has no distance from itself");
  }
  const ImpiGeometry *of_a = &world->shapes.data[a].geometry, *of_b = &world->shapes.data[b].geometry;
  ImpTransform frame = impi_query_frame(world, world->shapes.data[a].body);
  ImpTransform b_in_a = impi_inv_mul(frame, impi_query_frame(world, world->shapes.data[b].body));
  ImpiClosest best = {.distance = IMPI_HUGE};
  for (int32_t k = 0; k < of_b->child_count; ++k) {
    const ImpiHull *hull_b = &of_b->hulls[k];
    ImpVec2 center_b = impi_apply(b_in_a, hull_b->centroid);
    for (int32_t i = 0; i < of_a->child_count; ++i) {
      const ImpiHull *hull_a = &of_a->hulls[i];
      // Two pieces are at least as far apart as their bounding circles.
      double least = impi_length(impi_sub(center_b, hull_a->centroid)) - hull_a->extent - hull_b->extent;
      if (least >= best.distance) {
        continue;
      }
      ImpiClosest closest;
      impi_closest(hull_a, hull_b, b_in_a, &closest);
      if (closest.distance < best.distance) {
        best = closest;
      }
    }
  }
  *out_closest = (ImpClosest){.point_a = impi_apply(frame, best.a),
                              .point_b = impi_apply(frame, best.b),
                              .normal = impi_rotate(frame.q, best.normal),
                              .distance = best.distance};
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Time of impact
// ---------------------------------------------------------------------------------------------------------------------

static ImpStatus check_travel(const char *name, ImpTravel motion) {
  ImpStatus status = impi_check_place(name, motion.travel);
  if (status == IMP_OK && !(fabs(motion.turn) <= IMPI_MAX_TURN)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "the turn of a motion must be a finite number up to %g rad, got %g",
                       IMPI_MAX_TURN, motion.turn);
  }
  return status;
}


static ImpiSweep sweep_of(const ImpWorld *world, int32_t shape, ImpTravel motion) {
  int32_t body = world->shapes.data[shape].body;
  ImpiMotion now = impi_body_motion(world, body);
  ImpVec2 center = {now.x, now.y};
  return (ImpiSweep){.local_center = world->bodies.data[body].local_center,
                     .c0 = center,
                     .c1 = impi_add(center, motion.travel),
                     .a0 = now.angle,
                     .a1 = now.angle + motion.turn};
}


// Distance of a piece's centroid from the body's centre of mass [m].
static double arm_of(const ImpiHull *hull, const ImpiSweep *sweep) {
  return impi_length(impi_sub(hull->centroid, sweep->local_center));
}


// Return true if `center` is behind a chain link.
static bool is_behind(const ImpiHull *link, ImpTransform frame, ImpVec2 center) {
  return link->chain && impi_dot(link->n[0], impi_sub(impi_inv_apply(frame, center), link->v[0])) < 0;
}


ImpStatus imp_world_time_of_impact(ImpWorld *world, ImpShape shape_a, ImpTravel motion_a, ImpShape shape_b,
                                   ImpTravel motion_b, double target, ImpImpact *out_impact) {
  IMPI_FIND_SHAPE(world, shape_a, a);
  IMPI_FIND_SHAPE(world, shape_b, b);
  ImpStatus status = check_travel("the travel of a", motion_a);
  if (status == IMP_OK) {
    status = check_travel("the travel of b", motion_b);
  }
  if (status == IMP_OK && !(fabs(target) <= IMPI_MAX_COORDINATE)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "the target distance must be a finite number up to %g m, got %g",
                       IMPI_MAX_COORDINATE, target);
  }
  if (status == IMP_OK && world->shapes.data[a].body == world->shapes.data[b].body) {
    status = impi_fail(IMP_ERR_ARGUMENT, "the two shapes must belong to different bodies");
  }
  if (status != IMP_OK) {
    return status;
  }
  const ImpiGeometry *of_a = &world->shapes.data[a].geometry, *of_b = &world->shapes.data[b].geometry;
  ImpiSweep sweep_a = sweep_of(world, a, motion_a), sweep_b = sweep_of(world, b, motion_b);
  ImpTransform frame_a = impi_sweep_at(&sweep_a, 0), frame_b = impi_sweep_at(&sweep_b, 0);
  double approach = impi_length(impi_sub(motion_b.travel, motion_a.travel)), limit = 1;
  *out_impact = (ImpImpact){.met = false};
  for (int32_t k = 0; k < of_b->child_count; ++k) {
    const ImpiHull *hull_b = &of_b->hulls[k];
    ImpVec2 center_b = impi_apply(frame_b, hull_b->centroid);
    double reach_b = approach + fabs(motion_b.turn) * arm_of(hull_b, &sweep_b);
    for (int32_t i = 0; i < of_a->child_count; ++i) {
      const ImpiHull *hull_a = &of_a->hulls[i];
      ImpVec2 center_a = impi_apply(frame_a, hull_a->centroid);
      double gap = impi_length(impi_sub(center_b, center_a)) - hull_a->extent - hull_b->extent;
      double reach = reach_b + fabs(motion_a.turn) * arm_of(hull_a, &sweep_a);
      if (gap - target > reach + IMPI_GRAZE || is_behind(hull_a, frame_a, center_b) ||
          is_behind(hull_b, frame_b, center_a)) {
        continue;
      }
      ImpiToi toi;
      impi_time_of_impact(hull_a, &sweep_a, hull_b, &sweep_b, target, limit, &toi);
      if (toi.state != IMPI_TOI_APART && (!out_impact->met || toi.t < limit)) {
        *out_impact = (ImpImpact){.met = true, .time = toi.t, .point = toi.point, .normal = toi.normal};
        limit = toi.t;
      }
    }
  }
  return IMP_OK;
}
