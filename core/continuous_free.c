// Whether a body meets nothing on its way, told by the boxes of what it might meet: so it is of most.
#include "continuous.h"


// In the axes of the kinematic body the way is bent by the turn of that body: no farther from the chord than an eighth of
// the largest second derivative.
double impi_travel_against(const ImpWorld *world, int32_t slot, int32_t broom) {
  const ImpiMotion *start = impi_start_of(world, slot), *end = &world->motions.data[slot];
  const ImpiMotion *from = impi_start_of(world, broom), *to = &world->motions.data[broom];
  ImpVec2 d0 = {start->x - from->x, start->y - from->y}, d1 = {end->x - to->x, end->y - to->y};
  ImpVec2 p0 = impi_inv_rotate((ImpRot){from->c, from->s}, d0), p1 = impi_inv_rotate((ImpRot){to->c, to->s}, d1);
  double turn = fabs(to->angle - from->angle), own = fabs((end->angle - start->angle) - (to->angle - from->angle));
  double far = impi_max(impi_length(d0), impi_length(d1));
  double bend = 0.125 * turn * (turn * far + 2 * impi_length(impi_sub(d1, d0)));
  return impi_length(impi_sub(p1, p0)) + bend + own * world->bodies.data[slot].extent;
}


// Where the pieces of a kinematic body that goes far may be in the step.
static ImpAabb broom_box(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *start = impi_start_of(world, slot), *end = &world->motions.data[slot];
  ImpVec2 p = {start->x, start->y}, q = {end->x, end->y};
  return impi_aabb_grow(impi_aabb_union((ImpAabb){p, p}, (ImpAabb){q, q}), body->extent + IMPI_TOGETHER);
}


static bool take_note(int32_t other, void *context) {
  (void)other;
  *(bool *)context = false;
  return false;
}


static bool is_empty_of(const ImpWorld *world, ImpiProxyKind kind, ImpAabb box, uint64_t mask) {
  bool empty = true;
  impi_tree_query(&world->broadphase.trees[kind], box, mask, take_note, &empty);
  return empty;
}


bool impi_broom_reaches(const ImpWorld *world, int32_t slot, ImpAabb box, ImpAabb *out_near) {
  if (!impi_aabb_overlaps(box, broom_box(world, slot))) {
    return false;
  }
  double way = impi_travel(&world->bodies.data[slot], impi_start_of(world, slot), &world->motions.data[slot]);
  *out_near = impi_aabb_grow(box, way);
  return !is_empty_of(world, IMPI_PROXY_KINEMATIC, *out_near, IMPI_TREE_ALL);
}


// Whether nothing that stands, or moves by itself, is in a box, nor any kinematic body that goes far.
static bool is_empty(const ImpWorld *world, ImpAabb box, uint64_t mask) {
  return is_empty_of(world, IMPI_PROXY_STATIC, box, mask) && is_empty_of(world, IMPI_PROXY_KINEMATIC, box, mask);
}


// Whether a body in a box on its way is out of the way of all kinematic bodies that go far. With one that carries it along
// it goes nowhere.
static bool is_out_of_way(const ImpWorld *world, int32_t slot, ImpAabb box) {
  double stride = impi_stride(world, &world->bodies.data[slot]);
  for (int i = 0; i < world->broom_count; ++i) {
    int32_t broom = world->swept.data[i];
    ImpAabb near;
    if (impi_broom_reaches(world, broom, box, &near) && impi_travel_against(world, slot, broom) > stride) {
      return false;
    }
  }
  return true;
}


bool impi_way_is_free(ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  if (body->bullet) {
    return false;
  }
  const ImpiMotion *start = impi_start_of(world, slot), *end = &world->motions.data[slot];
  ImpVec2 p = {start->x, start->y}, q = {end->x, end->y};
  ImpAabb box = impi_aabb_grow(impi_aabb_union((ImpAabb){p, p}, (ImpAabb){q, q}), body->extent + IMPI_TOGETHER);
  impi_broadphase_follow(&world->broadphase, false);
  if (!is_out_of_way(world, slot, box)) {
    return false;
  }
  if (is_empty(world, box, IMPI_TREE_ALL)) { // of most
    return true;
  }
  const ImpiMotion way = impi_way_between(start, end);
  ImpiSweep sweep = impi_sweep_of(body, start, &way);
  bool free = true;
  for (int32_t s = body->first_shape; s >= 0 && free; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    uint64_t mask = shape->filter.group > 0 ? IMPI_TREE_ALL : shape->filter.mask;
    for (int32_t i = 0; shape->attached && !shape->sensor && i < shape->geometry.child_count && free; ++i) {
      free = is_empty(world, impi_swept_box(&shape->geometry.hulls[i], &sweep), mask);
    }
  }
  return free;
}
