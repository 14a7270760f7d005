// Neighbours for internal edges: pieces near a contact that cannot move relative to one of the contact's two pieces.
// The broad phase finds them for each new manifold, because static tiles may be added or removed.
#include "base/constants.h"
#include "world/pairs.h"
#include "world/shapes.h"

typedef struct Search {
  const ImpWorld *world;
  const ImpiShape *shape, *other_shape; // shape of the searched piece; shape of the other piece of the contact
  const ImpiHull *hull;                 // hull of the searched piece
  int32_t body, proxy, other_proxy;
  bool fixed;              // the piece is static; all static bodies count as one body
  bool tested, bodies_may; // if `tested` and not `fixed`, bodies_may holds the result of may_touch
  bool noticed;
  ImpTransform frame;
  ImpiNeighbours *neighbours;
} Search;


static bool same_direction(ImpVec2 a, ImpVec2 b) { return impi_length_sq(impi_sub(a, b)) < 1e-12; }


// Return whether both shapes are solid from the same side.
static bool same_side(const Search *search, const ImpiShape *shape) {
  ImpVec2 p = search->shape->one_way, q = shape->one_way;
  if (p.x == q.x && p.y == q.y && (shape->body == search->body || (p.x == 0 && p.y == 0))) {
    return true;
  }
  const ImpiMotion *motions = search->world->motions.data, *here = &motions[search->body],
                   *there = &motions[shape->body];
  return same_direction(impi_rotate((ImpRot){here->c, here->s}, p), impi_rotate((ImpRot){there->c, there->s}, q));
}


// Return whether the bodies and joints of piece `index` let it touch the contact's other piece. The result is the same
// for all pieces of a body.
static bool may_touch(Search *search, int32_t index) {
  if (!search->tested || search->fixed) {
    search->bodies_may = impi_world_may_touch(search->world, index, search->other_proxy);
    search->tested = true;
  }
  return search->bodies_may;
}


// Return whether a neighbour continues the searched piece's surface for the contact's other piece: the neighbour is not
// a sensor and collides with the other piece, and the shapes of the neighbour and the searched piece have the same
// pre_solve setting and the same solid side.
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
  bool own_chain = hull->chain && shape == search->shape; // neighbours within a chain are stored in its links
  if (hull->count < 2 || own_chain || fabs(hull->radius - search->hull->radius) > IMPI_INTERNAL_EDGE_GAP ||
      !is_solid(search, proxy, index)) {
    return true;
  }
  ImpTransform place = {{0, 0}, {1, 0}};
  if (proxy->body != search->body) {
    const ImpiBody *body = &world->bodies.data[proxy->body];
    place = impi_inv_mul(search->frame, impi_body_frame(body, &world->motions.data[proxy->body]));
  }
  impi_neighbours_add(search->neighbours,
                      (ImpiNeighbour){.hull = hull, .place = place, .serial = shape->serial, .child = proxy->child});
  return true;
}


static ImpAabb common(ImpAabb p, ImpAabb q) {
  return (ImpAabb){{impi_max(p.lower.x, q.lower.x), impi_max(p.lower.y, q.lower.y)},
                   {impi_min(p.upper.x, q.upper.x), impi_min(p.upper.y, q.upper.y)}};
}


// Record in `noticed` that a piece near the contact must be examined, and stop the visit.
static bool notice(int32_t index, void *context) {
  Search *search = context;
  const ImpiProxy *proxy = &search->world->broadphase.proxies.data[index];
  bool other = index != search->proxy && (search->fixed || proxy->body == search->body);
  search->noticed |= other;
  return !other;
}


// Visit the pieces of a dynamic body one by one. Pieces of other bodies cannot be neighbours.
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


// Prepare the search for neighbours of piece `side` (0 or 1). Returns false if there is nothing to search. `near`:
// intersection of the fat boxes of both pieces, grown by the margin
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


// Return the internal-edge data of a piece, or null if its shape has none.
static const ImpiInternalEdges *internal_edges_of(const ImpiShape *shape, int32_t child) {
  return shape->internal_edges != NULL ? &shape->internal_edges->pieces[child] : NULL;
}


static int find(const void *context, const ImpiContact *contact, double margin, int sides,
                ImpiNeighbours out_neighbours[2]) {
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
      search->neighbours = &out_neighbours[side];
      search->neighbours->count = 0;
      search->neighbours->internal_edges =
          internal_edges_of(search->shape, side == 0 ? contact->child_a : contact->child_b);
      search->neighbours->rolls = impi_is_dynamic(&world->bodies.data[search->body]);
      walk(search, box, visit);
      found |= search->neighbours->count > 0 ? 1 << side : 0;
    }
  }
  return found;
}


// Return whether a dynamic body or the static world has only one piece.
static bool is_alone(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  if (body->type == IMP_BODY_STATIC) {
    return world->broadphase.kind_count[IMPI_PROXY_STATIC] < 2;
  }
  return body->first_shape == body->last_shape && world->shapes.data[body->first_shape].geometry.child_count < 2;
}


static int expect(const void *context, const ImpiContact *contact, const ImpiInternalEdges *out_internal_edges[2]) {
  const ImpWorld *world = context;
  int sides = 0;
  if (!is_alone(world, contact->body_a)) {
    out_internal_edges[0] = internal_edges_of(&world->shapes.data[contact->shape_a], contact->child_a);
    sides = 1;
  }
  if (!is_alone(world, contact->body_b)) {
    out_internal_edges[1] = internal_edges_of(&world->shapes.data[contact->shape_b], contact->child_b);
    sides |= 2;
  }
  return sides;
}


ImpiNeighbourFinder impi_world_neighbours(const ImpWorld *world) { return (ImpiNeighbourFinder){expect, find, world}; }
