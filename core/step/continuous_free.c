// Tests with boxes alone whether the path of a body is free.
//
// The clearance cache stores a position of the body, and the distance from this position to the nearest static box.
#include "step/continuous.h"

// is_in_clearance searches for static boxes within `reach`, plus this many times the displacement of the body in the
// step, because the clearance cache keeps the result for later steps.
#define WAYS 8

// Relative rounding error of a float, with a margin.
static const double float_part = 1e-6;


// In the axes of a rotating kinematic body a straight path is bent. The distance of the bent path from the chord is at
// most dt^2 / 8 times the largest acceleration along the path in these axes.
double impi_travel_against(const ImpWorld *world, int32_t slot, int32_t sweeper) {
  const ImpiMotion *start = impi_start_of(world, slot), *end = &world->motions.data[slot];
  const ImpiMotion *from = impi_start_of(world, sweeper), *to = &world->motions.data[sweeper];
  ImpVec2 d0 = {start->x - from->x, start->y - from->y}, d1 = {end->x - to->x, end->y - to->y};
  ImpVec2 p0 = impi_inv_rotate((ImpRot){from->c, from->s}, d0), p1 = impi_inv_rotate((ImpRot){to->c, to->s}, d1);
  double turn = fabs(to->angle - from->angle), own = fabs((end->angle - start->angle) - (to->angle - from->angle));
  double far = impi_max(impi_length(d0), impi_length(d1));
  double bend = 0.125 * turn * (turn * far + 2 * impi_length(impi_sub(d1, d0)));
  return impi_length(impi_sub(p1, p0)) + bend + own * world->bodies.data[slot].extent;
}


// Box around the pieces of a sweeping kinematic body over the whole step.
static ImpAabb sweeper_box(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *start = impi_start_of(world, slot), *end = &world->motions.data[slot];
  ImpVec2 p = {start->x, start->y}, q = {end->x, end->y};
  return impi_aabb_grow(impi_aabb_union((ImpAabb){p, p}, (ImpAabb){q, q}), body->extent + IMPI_TOGETHER);
}


static double way_of(const ImpWorld *world, int32_t slot) {
  return impi_travel(&world->bodies.data[slot], impi_start_of(world, slot), &world->motions.data[slot]);
}


static bool take_note(int32_t other, void *context) {
  (void)other;
  *(bool *)context = false;
  return false;
}


static bool is_empty_of(const ImpWorld *world, ImpiProxyKind kind, ImpAabb box, uint64_t mask) {
  bool empty = true;
  ImpiSmallBox small = impi_small_box(box);
  impi_tree_walk(&world->broadphase.trees[kind], &box, impi_small_probe(&small), mask, take_note, &empty);
  return empty;
}


bool impi_sweeper_reaches(const ImpWorld *world, int32_t slot, ImpAabb box, ImpAabb *out_near) {
  if (!impi_aabb_overlaps(box, sweeper_box(world, slot))) {
    return false;
  }
  *out_near = impi_aabb_grow(box, way_of(world, slot));
  return !is_empty_of(world, IMPI_PROXY_KINEMATIC, *out_near, IMPI_TREE_ALL);
}


// Return true if no sweeping kinematic body reaches a body whose path is inside `box`. `out_empty`: certainly no
// kinematic box overlaps `box`
static bool is_out_of_way(const ImpWorld *world, int32_t slot, ImpAabb box, bool *out_empty) {
  *out_empty = false;
  for (int i = 0; i < world->ccd.sweeper_count; ++i) {
    int32_t sweeper = world->ccd.swept.data[i];
    if (!impi_aabb_overlaps(box, sweeper_box(world, sweeper))) {
      continue;
    }
    ImpAabb near = impi_aabb_grow(box, way_of(world, sweeper));
    if (is_empty_of(world, IMPI_PROXY_KINEMATIC, near, IMPI_TREE_ALL)) {
      *out_empty = true;
    } else if (impi_travel_against(world, slot, sweeper) > impi_stride(world, &world->bodies.data[slot])) {
      return false;
    }
  }
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Static pieces
// ---------------------------------------------------------------------------------------------------------------------

static const ImpiStaticClearance unknown = {.taken = HUGE_VALF};


bool impi_clearances_reserve(ImpWorld *world) {
  if (!impi_reserve(&world->heap, &world->ccd.clearances, world->bodies.count)) {
    return false;
  }
  while (world->ccd.clearances.count < world->bodies.count) {
    world->ccd.clearances.data[world->ccd.clearances.count++] = unknown;
  }
  return true;
}


void impi_clearances_check(ImpWorld *world) {
  if (world->ccd.clearances_version != world->broadphase.still_changes) {
    world->ccd.clearances_version = world->broadphase.still_changes;
    for (int i = 0; i < world->ccd.clearances.count; ++i) {
      world->ccd.clearances.data[i] = unknown;
    }
  }
}


// Distance of a point from a box along x or y, whichever is larger; negative inside [m].
static double box_distance(const ImpAabb *box, ImpVec2 p) {
  return impi_max(impi_max(box->lower.x - p.x, p.x - box->upper.x), impi_max(box->lower.y - p.y, p.y - box->upper.y));
}


// Return the box_distance of the nearest leaf, or `most` if no leaf is nearer.
static double nearest_box(const ImpiTree *tree, ImpVec2 p, double most) {
  int32_t stack[IMPI_TREE_STACK];
  int top = 0;
  double least = most;
  stack[top] = tree->root;
  top += tree->root >= 0;
  while (top > 0) {
    const ImpiTreeNode *node = &tree->nodes.data[stack[--top]];
    ImpiSmallBox near = impi_small_box(impi_aabb_grow((ImpAabb){p, p}, least));
    IMP_ASSERT(top + IMPI_TREE_WIDTH <= IMPI_TREE_STACK);
    for (uint32_t hits = impi_tree_overlaps(node, impi_small_probe(&near)); hits != 0; hits &= hits - 1) {
      int32_t child = node->child[__builtin_ctz(hits)];
      if (node->height > 0) {
        stack[top++] = child;
      } else {
        least = impi_min(least, box_distance(&tree->leaves.data[child].box, p));
      }
    }
  }
  return least;
}


// Return true if no static box is within `reach` of p. `way`: displacement of the body in this step [m].
static bool is_in_clearance(ImpWorld *world, int32_t slot, ImpVec2 p, double reach, double way) {
  const ImpiTree *tree = &world->broadphase.trees[IMPI_PROXY_STATIC];
  if (tree->root < 0 || slot >= world->ccd.clearances.count) { // second case: a body that became fast in this step
    return tree->root < 0;
  }
  ImpiStaticClearance *clearance = &world->ccd.clearances.data[slot];
  double gone = impi_max(fabs(p.x - clearance->x), fabs(p.y - clearance->y));
  if (reach + gone < (double)clearance->free) {
    return true;
  }
  if ((double)clearance->taken + gone < reach) {
    return false;
  }
  double most = reach + WAYS * way, nearest = nearest_box(tree, p, most);
  *clearance =
      (ImpiStaticClearance){.x = p.x,
                            .y = p.y,
                            .free = (float)((1 - float_part) * impi_max(nearest, 0)),
                            .taken = nearest < most ? (float)((1 + float_part) * impi_max(nearest, 0)) : HUGE_VALF};
  return reach < (double)clearance->free;
}


// ---------------------------------------------------------------------------------------------------------------------
// All pieces
// ---------------------------------------------------------------------------------------------------------------------


// Return true if no static and no kinematic box overlaps `box`.
static bool is_empty(const ImpWorld *world, ImpAabb box, uint64_t mask) {
  return is_empty_of(world, IMPI_PROXY_STATIC, box, mask) && is_empty_of(world, IMPI_PROXY_KINEMATIC, box, mask);
}


// Return true if is_empty holds for the swept boxes of all pieces of a body.
static bool are_free(const ImpWorld *world, const ImpiBody *body, const ImpiMotion *start, const ImpiMotion *end) {
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


bool impi_path_is_free(ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  if (body->bullet) {
    return false;
  }
  const ImpiMotion *start = impi_start_of(world, slot), *end = &world->motions.data[slot];
  ImpVec2 p = {start->x, start->y}, q = {end->x, end->y};
  double reach = body->extent + IMPI_TOGETHER, way = impi_max(fabs(q.x - p.x), fabs(q.y - p.y));
  ImpAabb box = impi_aabb_grow(impi_aabb_union((ImpAabb){p, p}, (ImpAabb){q, q}), reach);
  impi_broadphase_follow(&world->broadphase, false);
  bool empty;
  if (!is_out_of_way(world, slot, box, &empty)) {
    return false;
  }
  bool clear =
      is_in_clearance(world, slot, q, reach + way, way) || is_empty_of(world, IMPI_PROXY_STATIC, box, IMPI_TREE_ALL);
  if (clear && (empty || is_empty_of(world, IMPI_PROXY_KINEMATIC, box, IMPI_TREE_ALL))) {
    return true;
  }
  return are_free(world, body, start, end);
}
