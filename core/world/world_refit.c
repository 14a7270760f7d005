// Fat boxes of bodies, checked only after a body moved far enough.
#include "world/bodies.h"
#include "world/travel.h"


bool impi_is_wheel(const ImpWorld *world, const ImpiBody *body) {
  return body->constrained && impi_is_dynamic(body) && impi_is_single(world, body) &&
         impi_is_round(&world->shapes.data[body->first_shape].geometry.hulls[0], body);
}


void impi_body_expect(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  double dt = world->settings.dt;
  ImpiMotion next = {.x = m->x + dt * m->vx, .y = m->y + dt * m->vy, .angle = m->angle + dt * m->w};
  body->fast = world->continuous && body->awake && impi_moved_far(world, body, m, &next);
  world->ccd.expects_toi_events = world->ccd.expects_toi_events || body->fast;
  if (body->bullet || body->fast) {
    impi_body_refit(world, slot);
  }
}


// Limit `slack`, the distances [m] that a body may still move in the four directions, by the distances of a box from
// the sides of its fat box. `rounding`: rounding error of both boxes [m]
static void bound_slack(float *slack, ImpAabb fat, ImpAabb box, double rounding) {
  const double left[4] = {box.lower.x - fat.lower.x, fat.upper.x - box.upper.x, box.lower.y - fat.lower.y,
                          fat.upper.y - box.upper.y};
  for (int i = 0; i < 4; ++i) {
    slack[i] = (float)impi_min((double)slack[i], left[i] - rounding);
  }
}


// Return whether a body's boxes must cover its path in the next step.
static bool looks_ahead(const ImpWorld *world, const ImpiBody *body) {
  if (!world->continuous || !body->fast) {
    return world->continuous && body->bullet;
  }
  return body->bullet || body->first_joint >= 0 || !impi_is_dynamic(body) || world->has_callbacks ||
         impi_is_wheel(world, body);
}


// Compute new fat boxes for pieces outside their boxes. Returns whether any piece has left its box; such pieces must be
// passed to the broad phase. Writes no data of other bodies, because it runs on several threads.
static bool refit_boxes(ImpWorld *world, int32_t slot) {
  ImpiBroadphase *bp = &world->broadphase;
  ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *motion = &world->motions.data[slot];
  ImpTransform frame = impi_body_frame(body, motion);
  bool ahead = looks_ahead(world, body), left = false;
  double around = body->type == IMP_BODY_STATIC ? 0 : IMPI_SPECULATIVE_MARGIN;
  ImpVec2 travel = impi_scale(ahead ? world->settings.dt : 0, impi_vec(motion->vx, motion->vy));
  double rounding = IMPI_SLACK_ROUNDING + 1e-9 * (fabs(motion->x) + fabs(motion->y) + body->extent);
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
      box = impi_aabb_grow(box, around);
      int32_t proxy = impi_shape_proxy(shape, i);
      left |= impi_broadphase_move_alone(bp, proxy, box);
      bound_slack(body->slack, bp->proxies.data[proxy].fat, box, rounding);
    }
  }
  return left;
}


// Pass the pieces that have left their boxes to the broad phase.
static void mark_left(ImpWorld *world, const ImpiBody *body) {
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && i < shape->geometry.child_count; ++i) {
      impi_broadphase_mark_left(&world->broadphase, impi_shape_proxy(shape, i));
    }
  }
}


void impi_body_refit(ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  world->broadphase.still_changes += body->type == IMP_BODY_STATIC;
  if (refit_boxes(world, slot)) {
    mark_left(world, body);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Many at once
// ---------------------------------------------------------------------------------------------------------------------


// Smallest number of bodies for which another thread saves time.
#define GRAIN 64

// Result of refit_range for a body inside its boxes: neither a proxy nor ~slot.
#define NOTHING INT32_MIN

typedef struct Loop {
  ImpWorld *world;
  int32_t *slots;
} Loop;


// Prefetch the scattered memory from which the boxes of the next bodies are computed.
static void fetch(const ImpWorld *world, const int32_t *slots, int left) {
  enum { SHAPES = 12, HULLS = 6 };
  if (left > SHAPES) {
    int32_t first = world->bodies.data[slots[SHAPES]].first_shape;
    __builtin_prefetch(&world->shapes.data[first >= 0 ? first : 0]);
  }
  if (left > HULLS && world->bodies.data[slots[HULLS]].first_shape >= 0) {
    const ImpiShape *shape = &world->shapes.data[world->bodies.data[slots[HULLS]].first_shape];
    __builtin_prefetch(shape->geometry.hulls);
    __builtin_prefetch(shape->geometry.hulls + 1);
  }
}


// Refit bodies. Replace each slot: by NOTHING if no piece has left its box; otherwise by the proxy of the body's only
// piece, or by ~slot if the body has several pieces.
static void refit_range(void *context, int first, int count, int worker) {
  (void)worker;
  const Loop *loop = context;
  for (int i = 0; i < count; ++i) {
    int32_t *place = &loop->slots[first + i];
    fetch(loop->world, place, count - i);
    const ImpiBody *body = &loop->world->bodies.data[*place];
    bool left = refit_boxes(loop->world, *place), single = impi_is_single(loop->world, body);
    *place = !left ? NOTHING : single ? loop->world->shapes.data[body->first_shape].proxy : ~*place;
  }
}


void impi_bodies_refit(ImpWorld *world, int32_t *slots, int count) {
  enum { PROXIES = 16 };
  Loop loop = {world, slots};
  impi_parallel(&world->team, count, GRAIN, refit_range, &loop);
  for (int i = 0; i < count; ++i) {
    if (i + PROXIES < count && slots[i + PROXIES] >= 0) {
      __builtin_prefetch(&world->broadphase.proxies.data[slots[i + PROXIES]], 1);
    }
    if (slots[i] >= 0) {
      impi_broadphase_mark_left(&world->broadphase, slots[i]);
    } else if (slots[i] != NOTHING) {
      mark_left(world, &world->bodies.data[~slots[i]]);
    }
  }
}
