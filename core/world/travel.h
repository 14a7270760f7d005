// How far bodies move in a step, and from which distance on the continuous stage looks at them.
#ifndef IMPI_TRAVEL_H
#define IMPI_TRAVEL_H

#include "base/constants.h"
#include "world/world.h"

// How far a body may go in a step without being looked at [m]: less than what makes a manifold was seen before, more
// than a fat box reaches would not be found. Where a shape bounces, no more than the margin of a manifold: a
// body that is already inside when its first row exists would bounce lower by that depth.
static inline double impi_stride(const ImpWorld *world, const ImpiBody *body) {
  return world->bouncing > 0
             ? IMPI_SPECULATIVE_MARGIN
             : impi_clamp(world->continuous_part * (double)body->inner, IMPI_SPECULATIVE_MARGIN, IMPI_MOST_STRIDE);
}

// No point of the body has gone farther than this in the step [m].
static inline double impi_travel(const ImpiBody *body, const ImpiMotion *start, const ImpiMotion *end) {
  return fabs(end->x - start->x) + fabs(end->y - start->y) + fabs(end->angle - start->angle) * body->extent;
}

// Whether an awake body has moved far in this step, from where it began. What most bodies need is the first compare.
static inline bool impi_moved_far(const ImpWorld *world, const ImpiBody *body, const ImpiMotion *start,
                                  const ImpiMotion *end) {
  double travel = impi_travel(body, start, end);
  return travel > IMPI_SPECULATIVE_MARGIN && (!impi_is_dynamic(body) || travel > impi_stride(world, body));
}

// Whether a body has one piece, as most have.
static inline bool impi_is_single(const ImpWorld *world, const ImpiBody *body) {
  int32_t first = body->first_shape;
  return first >= 0 && first == body->last_shape && world->shapes.data[first].geometry.child_count == 1;
}

// Whether a body is a circle that touched something in the last step, so that it may roll. Ledges are too low for the
// stage, which lets what slides sink in so far; its rows look ahead for corners, and their normals turn as it comes.
bool impi_is_wheel(const ImpWorld *world, const ImpiBody *body);

// Where the step found a body.
const ImpiMotion *impi_world_start(const ImpWorld *world, int32_t body);

#endif
