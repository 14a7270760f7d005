// The boxes of a body's pieces in the broad phase follow it. Where they are inside their fat boxes for sure, by what the
// body has moved since somebody looked, nobody looks again.
#include "continuous.h"
#include "world.h"


void impi_body_expect(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  double dt = world->settings.dt;
  ImpiMotion next = {.x = m->x + dt * m->vx, .y = m->y + dt * m->vy, .angle = m->angle + dt * m->w};
  body->fast = world->continuous && body->awake && impi_moved_far(world, body, m, &next);
  world->expects_meeting = world->expects_meeting || body->fast;
  if (body->bullet || body->fast) {
    impi_body_refit(world, slot);
  }
}


// Bound it by what a box is inside another; `doubt` [m] is the rounding of both.
static void bound_slack(float *slack, ImpAabb fat, ImpAabb box, double doubt) {
  const double left[4] = {box.lower.x - fat.lower.x, fat.upper.x - box.upper.x, box.lower.y - fat.lower.y,
                          fat.upper.y - box.upper.y};
  for (int i = 0; i < 4; ++i) {
    slack[i] = (float)impi_min((double)slack[i], left[i] - doubt);
  }
}


void impi_body_refit(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *motion = &world->motions.data[slot];
  ImpTransform frame = impi_body_frame(body, motion);
  bool ahead = (body->bullet || body->fast) && world->continuous;
  world->broadphase.still_changes += body->type == IMP_BODY_STATIC;
  ImpVec2 next = impi_scale(IMPI_FAT_STEPS * world->settings.dt, impi_vec(motion->vx, motion->vy));
  ImpVec2 travel = impi_scale(ahead ? world->settings.dt : 0, impi_vec(motion->vx, motion->vy));
  double doubt = IMPI_SLACK_ROUNDING + 1e-9 * (fabs(motion->x) + fabs(motion->y) + body->extent);
  for (int i = 0; i < 4; ++i) {
    body->slack[i] = ahead ? -HUGE_VALF : IMPI_MOST_SLACK;
  }
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    if (!shape->attached) {
      continue;
    }
    for (int32_t i = 0; i < shape->geometry.child_count; ++i) {
      ImpAabb box = impi_hull_aabb(&shape->geometry.hulls[i], frame);
      if (ahead) {
        ImpAabb later = {impi_add(box.lower, travel), impi_add(box.upper, travel)};
        box = impi_aabb_union(box, later);
      }
      impi_broadphase_move(&world->broadphase, shape->proxies[i], box, next);
      bound_slack(body->slack, world->broadphase.proxies.data[shape->proxies[i]].fat, box, doubt);
    }
  }
}
