// Which pieces near a contact cannot move against one of its two: looked up in the broad phase when a manifold
// has been found, so that of what stands nothing is kept, and nothing is stale when tiles come and go. Of a dynamic body's
// own pieces it is known where that does not matter, see world_border.c.
#include "base/constants.h"
#include "world/pairs.h"
#include "world/shapes.h"

typedef struct Search {
  const ImpWorld *world;
  const ImpiShape *shape, *other_shape; // of the piece whose neighbours are looked for, and of what touches it
  const ImpiHull *hull;                 // the piece
  int32_t body, proxy, other_proxy;
  bool fixed;             // to the world: all static bodies are one
  bool asked, bodies_may; // of one body's pieces: whether it and what touches may meet, once that was asked
  bool noticed;
  ImpTransform frame;
  ImpiSeams *seams;
} Search;


static bool same_direction(ImpVec2 a, ImpVec2 b) { return impi_length_sq(impi_sub(a, b)) < 1e-12; }


// Whether both are solid from the same side. Most are from all.
static bool same_side(const Search *search, const ImpiShape *shape) {
  ImpVec2 p = search->shape->one_way, q = shape->one_way;
  if (p.x == q.x && p.y == q.y && (shape->body == search->body || (p.x == 0 && p.y == 0))) {
    return true;
  }
  const ImpiMotion *motions = search->world->motions.data, *here = &motions[search->body],
                   *there = &motions[shape->body];
  return same_direction(impi_rotate((ImpRot){here->c, here->s}, p), impi_rotate((ImpRot){there->c, there->s}, q));
}


// Whether a piece may touch what touches, as far as it hangs on bodies and joints: the same for all pieces of a body.
static bool may_touch(Search *search, int32_t index) {
  if (!search->asked || search->fixed) {
    search->bodies_may = impi_world_may_touch(search->world, index, search->other_proxy);
    search->asked = true;
  }
  return search->bodies_may;
}


// Whether it is surface to what touches the piece: a sensor is none, nor what that may pass, nor what asks a callback
// where the piece does not.
static bool is_solid(Search *search, const ImpiProxy *proxy, int32_t index) {
  const ImpWorld *world = search->world;
  const ImpiShape *shape = &world->shapes.data[proxy->shape];
  const ImpiProxy *other = &world->broadphase.proxies.data[search->other_proxy];
  bool selective = shape->selective || search->other_shape->selective;
  return !shape->sensor && shape->pre_solve == search->shape->pre_solve &&
         impi_filter_meets(&proxy->filter, &other->filter) && may_touch(search, index) &&
         !(selective && impi_pair_refused(world, proxy->shape, other->shape)) && same_side(search, shape);
}


static bool visit(int32_t index, void *context) {
  Search *search = context;
  const ImpWorld *world = search->world;
  const ImpiProxy *proxy = &world->broadphase.proxies.data[index];
  if (index == search->proxy || (!search->fixed && proxy->body != search->body)) {
    return true;
  }
  const ImpiShape *shape = &world->shapes.data[proxy->shape];
  const ImpiHull *hull = &shape->geometry.hulls[proxy->child];
  bool own_chain = hull->chain && shape == search->shape; // its links know each other
  if (hull->count < 2 || own_chain || fabs(hull->radius - search->hull->radius) > IMPI_SEAM ||
      !is_solid(search, proxy, index)) {
    return true;
  }
  ImpTransform place = {{0, 0}, {1, 0}};
  if (proxy->body != search->body) {
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
  bool other = index != search->proxy && (search->fixed || proxy->body == search->body);
  search->noticed |= other;
  return !other;
}


// A dynamic body's pieces are looked at in turn: they are few, and only they count.
static void walk_body(Search *search, const ImpiBody *body, ImpAabb box, ImpiTreeVisit look) {
  const ImpWorld *world = search->world;
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && i < shape->geometry.child_count; ++i) {
      int32_t index = impi_shape_proxy(shape, i);
      if (impi_aabb_overlaps(world->broadphase.proxies.data[index].fat, box) && !look(index, search)) {
        return;
      }
    }
  }
}


static void walk(Search *search, ImpAabb box, ImpiTreeVisit look) {
  const ImpWorld *world = search->world;
  const ImpiBody *body = &world->bodies.data[search->body];
  const ImpiTree *trees = world->broadphase.trees;
  if (impi_is_dynamic(body)) {
    walk_body(search, body, box, look);
  } else {
    impi_tree_query(&trees[search->fixed ? IMPI_PROXY_STATIC : IMPI_PROXY_KINEMATIC], box, IMPI_TREE_ALL, look, search);
  }
}


// Prepare to look for those of one side; false: there is nothing to look for. `near`: where both pieces are, by their fat
// boxes, which cost nothing.
static bool begin(const ImpWorld *world, const ImpiContact *contact, int side, ImpAabb near, Search *search) {
  const ImpiShape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
  const ImpiShape *shape = side == 0 ? a : b;
  const ImpiHull *hull = &shape->geometry.hulls[side == 0 ? contact->child_a : contact->child_b];
  if (hull->count < 2 || (hull->chain && !hull->open_start && !hull->open_end)) {
    return false;
  }
  *search = (Search){.world = world,
                     .shape = shape,
                     .other_shape = side == 0 ? b : a,
                     .hull = hull,
                     .body = shape->body,
                     .proxy = side == 0 ? contact->proxy_a : contact->proxy_b,
                     .other_proxy = side == 0 ? contact->proxy_b : contact->proxy_a,
                     .fixed = world->bodies.data[shape->body].type == IMP_BODY_STATIC};
  walk(search, near, notice);
  return search->noticed;
}


static ImpTransform frame_of(const ImpWorld *world, int32_t body) {
  return impi_body_frame(&world->bodies.data[body], &world->motions.data[body]);
}


// Where neighbours bear on a piece, null: not known.
static const ImpiBorder *border_of(const ImpiShape *shape, int32_t child) {
  return shape->borders != NULL ? &shape->borders->pieces[child] : NULL;
}


static int find(const void *context, const ImpiContact *contact, double margin, int sides, ImpiSeams out_seams[2]) {
  const ImpWorld *world = context;
  const ImpiProxy *proxies = world->broadphase.proxies.data;
  ImpAabb near = impi_aabb_grow(common(proxies[contact->proxy_a].fat, proxies[contact->proxy_b].fat), margin);
  Search searches[2];
  for (int side = 0; side < 2; ++side) {
    sides &= sides & 1 << side && begin(world, contact, side, near, &searches[side]) ? 3 : ~(1 << side);
  }
  if (sides == 0) {
    return 0;
  }
  const ImpTransform frames[2] = {frame_of(world, contact->body_a), frame_of(world, contact->body_b)};
  const ImpiHull *a = &world->shapes.data[contact->shape_a].geometry.hulls[contact->child_a];
  const ImpiHull *b = &world->shapes.data[contact->shape_b].geometry.hulls[contact->child_b];
  ImpAabb box = common(impi_aabb_grow(impi_hull_aabb(a, frames[0]), margin),
                       impi_aabb_grow(impi_hull_aabb(b, frames[1]), margin));
  int found = 0;
  for (int side = 0; side < 2; ++side) {
    Search *search = &searches[side];
    if (sides & 1 << side) {
      search->frame = frames[side];
      search->seams = &out_seams[side];
      search->seams->count = 0;
      search->seams->border = border_of(search->shape, side == 0 ? contact->child_a : contact->child_b);
      search->seams->rolls = impi_is_dynamic(&world->bodies.data[search->body]);
      walk(search, box, visit);
      found |= search->seams->count > 0 ? 1 << side : 0;
    }
  }
  return found;
}


// Whether there are other pieces that cannot move against those of a body. Most bodies have one piece.
static bool is_alone(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  if (body->type == IMP_BODY_STATIC) {
    return world->broadphase.kind_count[IMPI_PROXY_STATIC] < 2;
  }
  return body->first_shape == body->last_shape && world->shapes.data[body->first_shape].geometry.child_count < 2;
}


static int expect(const void *context, const ImpiContact *contact, const ImpiBorder *out_borders[2]) {
  const ImpWorld *world = context;
  int sides = 0;
  if (!is_alone(world, contact->body_a)) {
    out_borders[0] = border_of(&world->shapes.data[contact->shape_a], contact->child_a);
    sides = 1;
  }
  if (!is_alone(world, contact->body_b)) {
    out_borders[1] = border_of(&world->shapes.data[contact->shape_b], contact->child_b);
    sides |= 2;
  }
  return sides;
}


ImpiSeamFinder impi_world_seams(const ImpWorld *world) { return (ImpiSeamFinder){expect, find, world}; }
