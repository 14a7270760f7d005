// How far a body moves in a step, with and without a sweep.
#ifndef IMPI_TRAVEL_H
#define IMPI_TRAVEL_H

#include "base/constants.h"
#include "world/world.h"

// Return the distance that a body may move in a step without a sweep [m], from IMPI_SPECULATIVE_MARGIN to
// IMPI_MOST_STRIDE. If a shape of the world has restitution, it is IMPI_SPECULATIVE_MARGIN, because a bounce is too
// low if the bodies overlap before the contact has rows.
static inline double impi_stride(const ImpWorld *world, const ImpiBody *body) {
  return world->bouncing > 0
             ? IMPI_SPECULATIVE_MARGIN
             : impi_clamp(world->continuous_part * (double)body->inner, IMPI_SPECULATIVE_MARGIN, IMPI_MOST_STRIDE);
}

// Return an upper bound of the distance that any point of the body moved in the step [m].
static inline double impi_travel(const ImpiBody *body, const ImpiMotion *start, const ImpiMotion *end) {
  return fabs(end->x - start->x) + fabs(end->y - start->y) + fabs(end->angle - start->angle) * body->extent;
}

// Return whether an awake body moved so far in this step that it must be swept.
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

// Return whether a body is a wheel: a circle that touched something in the last step.
bool impi_is_wheel(const ImpWorld *world, const ImpiBody *body);

// Return the motion of a body at the start of the step.
const ImpiMotion *impi_world_start(const ImpWorld *world, int32_t body);

#endif
