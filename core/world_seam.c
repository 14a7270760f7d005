// Level 7. Which pieces near a contact cannot move against one of its two: looked up in the broad phase when a manifold
// has been found, so that nothing is kept, and nothing is stale when tiles come and go.
#include "constants.h"
#include "world.h"

typedef struct Search {
  const ImpWorld *world;
  const ImpiShape *shape; // of the piece whose neighbours are looked for
  int32_t proxy, other;   // it and what touches it
  double radius;
  ImpTransform frame;
  bool fixed; // to the world: all static bodies are one
  bool noticed;
  ImpiSeams *seams;
} Search;


static bool same_direction(ImpVec2 a, ImpVec2 b) { return impi_length_sq(impi_sub(a, b)) < 1e-12; }


// Whether it is surface to what touches the piece: a sensor is none, nor what that may pass, nor what asks a callback
// where the piece does not.
static bool is_solid(const Search *search, const ImpiProxy *proxy, int32_t index) {
  const ImpWorld *world = search->world;
  const ImpiShape *shape = &world->shapes.data[proxy->shape];
  const ImpiProxy *other = &world->broadphase.proxies.data[search->other];
  if (shape->sensor || shape->pre_solve != search->shape->pre_solve ||
      !impi_filter_meets(&proxy->filter, &other->filter) || !impi_world_may_touch(world, index, search->other) ||
      impi_pair_refused(world, proxy->shape, other->shape)) {
    return false;
  }
  const ImpiMotion *here = &world->motions.data[search->shape->body], *there = &world->motions.data[shape->body];
  return same_direction(impi_rotate((ImpRot){here->c, here->s}, search->shape->one_way),
                        impi_rotate((ImpRot){there->c, there->s}, shape->one_way));
}


static bool visit(int32_t index, void *context) {
  Search *search = context;
  const ImpWorld *world = search->world;
  const ImpiProxy *proxy = &world->broadphase.proxies.data[index];
  if (index == search->proxy || (!search->fixed && proxy->body != search->shape->body)) {
    return true;
  }
  const ImpiShape *shape = &world->shapes.data[proxy->shape];
  const ImpiHull *hull = &shape->geometry.hulls[proxy->child];
  bool own_chain = hull->chain && shape == search->shape; // its links know each other
  if (hull->count < 2 || own_chain || fabs(hull->radius - search->radius) > IMPI_SEAM ||
      !is_solid(search, proxy, index)) {
    return true;
  }
  ImpTransform place = {{0, 0}, {1, 0}};
  if (proxy->body != search->shape->body) {
    const ImpiBody *body = &world->bodies.data[proxy->body];
    place = impi_inv_mul(search->frame, impi_body_frame(body, &world->motions.data[proxy->body]));
  }
  impi_seams_add(search->seams,
                 (ImpiNeighbour){.hull = hull, .place = place, .serial = shape->serial, .child = proxy->child});
  return true;
}


static ImpAabb common(ImpAabb p, ImpAabb q) {
  return (ImpAabb){{impi_max(p.lower.x, q.lower.x), impi_max(p.lower.y, q.lower.y)},
                   {impi_min(p.upper.x, q.upper.x), impi_min(p.upper.y, q.upper.y)}};
}


// Whether there is any other piece to look at: most floors are alone.
static bool notice(int32_t index, void *context) {
  Search *search = context;
  const ImpiProxy *proxy = &search->world->broadphase.proxies.data[index];
  bool other = index != search->proxy && (search->fixed || proxy->body == search->shape->body);
  search->noticed |= other;
  return !other;
}


// A dynamic body's pieces are looked at in turn: they are few, and only they count.
static void walk_body(Search *search, const ImpiBody *body, ImpAabb box, ImpiTreeVisit look) {
  const ImpWorld *world = search->world;
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && i < shape->geometry.child_count; ++i) {
      int32_t index = shape->proxies[i];
      if (impi_aabb_overlaps(world->broadphase.proxies.data[index].fat, box) && !look(index, search)) {
        return;
      }
    }
  }
}


static void walk(Search *search, const ImpiBody *body, ImpAabb box, ImpiTreeVisit look) {
  const ImpiTree *trees = search->world->broadphase.trees;
  if (impi_is_dynamic(body)) {
    walk_body(search, body, box, look);
  } else {
    impi_tree_query(&trees[search->fixed ? IMPI_PROXY_STATIC : IMPI_PROXY_KINEMATIC], box, IMPI_TREE_ALL, look, search);
  }
}


bool impi_world_seams(const void *context, const ImpiContact *contact, int side, double margin, ImpiSeams *out_seams) {
  const ImpWorld *world = context;
  int32_t slot = side == 0 ? contact->shape_a : contact->shape_b;
  int32_t child = side == 0 ? contact->child_a : contact->child_b;
  const ImpiShape *shape = &world->shapes.data[slot];
  const ImpiGeometry *geometry = &shape->geometry;
  const ImpiHull *hull = &geometry->hulls[child];
  const ImpiBody *body = &world->bodies.data[shape->body];
  bool fixed = body->type == IMP_BODY_STATIC;
  bool alone = fixed ? world->broadphase.kind_count[IMPI_PROXY_STATIC] < 2
                     : geometry->child_count < 2 && body->first_shape == body->last_shape;
  if (alone || hull->count < 2 || (hull->chain && !hull->open_start && !hull->open_end)) {
    return false;
  }
  Search search = {.world = world,
                   .shape = shape,
                   .proxy = side == 0 ? contact->proxy_a : contact->proxy_b,
                   .other = side == 0 ? contact->proxy_b : contact->proxy_a,
                   .radius = hull->radius,
                   .fixed = fixed,
                   .seams = out_seams};
  // Contacts are where both pieces are: first by their fat boxes, which cost nothing.
  const ImpiProxy *proxies = world->broadphase.proxies.data;
  ImpAabb box = common(proxies[search.proxy].fat, proxies[search.other].fat);
  walk(&search, body, impi_aabb_grow(box, margin), notice);
  if (!search.noticed) {
    return false;
  }
  const ImpiShape *other = &world->shapes.data[side == 0 ? contact->shape_b : contact->shape_a];
  const ImpiHull *other_hull = &other->geometry.hulls[side == 0 ? contact->child_b : contact->child_a];
  ImpTransform other_frame = impi_body_frame(&world->bodies.data[other->body], &world->motions.data[other->body]);
  search.frame = impi_body_frame(body, &world->motions.data[shape->body]);
  box = common(impi_aabb_grow(impi_hull_aabb(hull, search.frame), margin),
               impi_aabb_grow(impi_hull_aabb(other_hull, other_frame), margin));
  out_seams->count = 0;
  out_seams->rolls = impi_is_dynamic(body);
  walk(&search, body, box, visit);
  return out_seams->count > 0;
}
