// How far a body moves in a step, and how far a body may move without a sweep by the continuous stage.
#ifndef IMPI_TRAVEL_H
#define IMPI_TRAVEL_H

#include "base/constants.h"
#include "world/world.h"

// Return the distance that a dynamic body may move in a step without being swept [m]. The minimum is
// IMPI_SPECULATIVE_MARGIN, because the narrow phase makes manifolds within this margin. The maximum is
// IMPI_MOST_STRIDE, because a body may penetrate by this distance before rows act. If any shape of the world has
// restitution, the result is IMPI_SPECULATIVE_MARGIN, because a body bounces lower by the depth of penetration.
static inline double impi_stride(const ImpWorld *world, const ImpiBody *body) {
  return world->bouncing > 0
             ? IMPI_SPECULATIVE_MARGIN
             : impi_clamp(world->continuous_part * (double)body->inner, IMPI_SPECULATIVE_MARGIN, IMPI_MOST_STRIDE);
}

// Return an upper bound of the distance that any point of the body moved in the step [m].
static inline double impi_travel(const ImpiBody *body, const ImpiMotion *start, const ImpiMotion *end) {
  return fabs(end->x - start->x) + fabs(end->y - start->y) + fabs(end->angle - start->angle) * body->extent;
}

// Return whether an awake body moved far in this step.
static inline bool impi_moved_far(const ImpWorld *world, const ImpiBody *body, const ImpiMotion *start,
                                  const ImpiMotion *end) {
  double travel = impi_travel(body, start, end);
  return travel > IMPI_SPECULATIVE_MARGIN && (!impi_is_dynamic(body) || travel > impi_stride(world, body));
}

// Return whether a body has exactly one piece.
static inline bool impi_is_single(const ImpWorld *world, const ImpiBody *body) {
  int32_t first = body->first_shape;
  return first >= 0 && first == body->last_shape && world->shapes.data[first].geometry.child_count == 1;
}

// Return whether a body is a wheel: a circle that touched something in the last step. A wheel also gets rows for
// corners ahead of it, because a wheel that is not swept could sink into a low ledge. The normals of these rows turn as
// the wheel approaches.
bool impi_is_wheel(const ImpWorld *world, const ImpiBody *body);

// Return the motion of a body at the start of the step.
const ImpiMotion *impi_world_start(const ImpWorld *world, int32_t body);

#endif
