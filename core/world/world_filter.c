// User-defined filters: a callback decides whether a shape with the option `selective` collides with another shape.
// Results are stored for pairs of shapes, and are valid for one version of each shape. A shape must get a new version
// when something changes on which the decision may depend. Every new shape has a version of its own.
#include "base/sort.h"
#include "world/calls.h"
#include "world/contacts.h"
#include "world/pairs.h"
#include "world/shapes.h"


static bool is_selective(const ImpWorld *world, int32_t a, int32_t b) {
  return world->shapes.data[a].selective || world->shapes.data[b].selective;
}


// Return the valid result for a pair of shapes, or null.
static const ImpiFilterResult *result_at(const ImpWorld *world, int32_t a, int32_t b) {
  int32_t place = impi_pair_map_find(&world->filter.result_at, a, b);
  if (place < 0) {
    return NULL;
  }
  const ImpiFilterResult *filter_result = &world->filter.results.data[place];
  bool holds = filter_result->version_a == world->shapes.data[filter_result->shape_a].version &&
               filter_result->version_b == world->shapes.data[filter_result->shape_b].version;
  return holds ? filter_result : NULL;
}


bool impi_pair_refused(const ImpWorld *world, int32_t shape_a, int32_t shape_b) {
  if (!is_selective(world, shape_a, shape_b)) {
    return false;
  }
  const ImpiFilterResult *filter_result = result_at(world, shape_a, shape_b);
  return filter_result != NULL && !filter_result->meets;
}


// Call the callback for one shape of a pair, unless a shape is pending destroy. The callback may reallocate the arrays.
static bool agrees(ImpWorld *world, int32_t shape, int32_t other) {
  const ImpiShape *s = &world->shapes.data[shape], *o = &world->shapes.data[other];
  if (!s->selective || s->pending_destroy || o->pending_destroy || world->callback.filter == NULL) {
    return true;
  }
  ImpShape handle = impi_shape_handle(world, shape), other_handle = impi_shape_handle(world, other);
  return world->callback.filter(world, handle, other_handle, world->callback.filter_user);
}


static bool has_room(ImpWorld *world, int count) {
  return impi_reserve(&world->heap, &world->filter.results, world->filter.results.count + count) &&
         impi_pair_map_reserve(&world->heap, &world->filter.result_at, world->filter.result_at.count + count);
}


// Call the callback for both shapes, the older one first, and store the result. Memory must have been reserved.
static bool apply_filter(ImpWorld *world, int32_t a, int32_t b) {
  bool meets = agrees(world, a, b) && agrees(world, b, a);
  int32_t place = impi_pair_map_find(&world->filter.result_at, a, b);
  if (place < 0) {
    place = world->filter.results.count++;
    impi_pair_map_insert(&world->filter.result_at, a, b, place);
  }
  world->filter.results.data[place] = (ImpiFilterResult){.shape_a = a,
                                                         .shape_b = b,
                                                         .version_a = world->shapes.data[a].version,
                                                         .version_b = world->shapes.data[b].version,
                                                         .meets = meets};
  return meets;
}


static ImpiPair in_order(const ImpWorld *world, int32_t a, int32_t b) {
  bool first = world->shapes.data[a].serial < world->shapes.data[b].serial;
  return first ? (ImpiPair){a, b} : (ImpiPair){b, a};
}


bool impi_pair_refuses(ImpWorld *world, int32_t shape_a, int32_t shape_b) {
  if (!is_selective(world, shape_a, shape_b)) {
    return false;
  }
  const ImpiFilterResult *filter_result = result_at(world, shape_a, shape_b);
  if (filter_result != NULL) {
    return !filter_result->meets;
  }
  ImpiPair pair = in_order(world, shape_a, shape_b);
  return world->callback.filter != NULL && has_room(world, 1) && !apply_filter(world, pair.proxy_a, pair.proxy_b);
}


// ---------------------------------------------------------------------------------------------------------------------
// The start of a step
// ---------------------------------------------------------------------------------------------------------------------


static bool add_unfiltered(ImpWorld *world, int32_t a, int32_t b) {
  if (!is_selective(world, a, b) || result_at(world, a, b) != NULL) {
    return true;
  }
  if (!impi_reserve(&world->heap, &world->filter.unfiltered, world->filter.unfiltered.count + 1)) {
    return false;
  }
  world->filter.unfiltered.data[world->filter.unfiltered.count++] = in_order(world, a, b);
  return true;
}


// Add the pairs of a shape's contacts to the pairs to be filtered. False when out of memory.
static bool recheck_contacts(ImpWorld *world, int32_t shape) {
  for (int32_t edge = world->shapes.data[shape].first_edge; edge >= 0; edge = impi_next_of_shape(world, edge)) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    if (!add_unfiltered(world, contact->shape_a, contact->shape_b)) {
      return false;
    }
  }
  return true;
}


static void drop_refused(ImpWorld *world, int32_t shape) {
  for (int32_t edge = world->shapes.data[shape].first_edge; edge >= 0;) {
    int32_t slot = edge >> 1;
    const ImpiContact *contact = &world->contacts.data[slot];
    edge = impi_next_of_shape(world, edge);
    if (impi_pair_refused(world, contact->shape_a, contact->shape_b)) {
      impi_world_remove_contact(world, slot);
    }
  }
}


static bool is_live(const ImpWorld *world, int32_t shape) { return impi_shape_lives(&world->shapes.data[shape]); }


static bool goes_before(const void *first, const void *second, const void *context) {
  const ImpWorld *world = context;
  const ImpiShape *shapes = world->shapes.data;
  const ImpiPair *x = first, *y = second;
  if (x->proxy_a != y->proxy_a) {
    return shapes[x->proxy_a].serial < shapes[y->proxy_a].serial;
  }
  return shapes[x->proxy_b].serial < shapes[y->proxy_b].serial;
}


// Collect the pairs of shapes for which the callback is to be called. False when out of memory.
static bool gather_unfiltered(ImpWorld *world) {
  const ImpiBroadphase *bp = &world->broadphase;
  world->filter.unfiltered.count = 0;
  for (int i = 0; i < bp->pairs.count; ++i) {
    ImpiPair pair = bp->pairs.data[i];
    int32_t a = bp->proxies.data[pair.proxy_a].shape, b = bp->proxies.data[pair.proxy_b].shape;
    if (is_selective(world, a, b) && impi_world_may_touch(world, pair.proxy_a, pair.proxy_b) &&
        !add_unfiltered(world, a, b)) {
      return false;
    }
  }
  for (int32_t shape = 0; world->filter.needs_refilter && shape < world->shapes.count; ++shape) {
    if (is_live(world, shape) && world->shapes.data[shape].needs_refilter && !recheck_contacts(world, shape)) {
      return false;
    }
  }
  return has_room(world, world->filter.unfiltered.count);
}


ImpStatus impi_filter_pairs(ImpWorld *world) {
  if (world->callback.filter != NULL) {
    if (!gather_unfiltered(world)) {
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    impi_sort(world->filter.unfiltered.data, world->filter.unfiltered.count, sizeof *world->filter.unfiltered.data,
              goes_before, world);
    for (int i = 0; i < world->filter.unfiltered.count; ++i) {
      ImpiPair pair = world->filter.unfiltered.data[i];
      if (result_at(world, pair.proxy_a, pair.proxy_b) == NULL) { // several pieces can give the same pair of shapes
        apply_filter(world, pair.proxy_a, pair.proxy_b);
      }
    }
  }
  for (int32_t shape = 0; world->filter.needs_refilter && shape < world->shapes.count; ++shape) {
    if (is_live(world, shape) && world->shapes.data[shape].needs_refilter) {
      world->shapes.data[shape].needs_refilter = false;
      drop_refused(world, shape);
    }
  }
  world->filter.needs_refilter = false;
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Settings
// ---------------------------------------------------------------------------------------------------------------------


void impi_shape_finish_refilter(ImpWorld *world, int32_t slot, bool selective) {
  ImpiShape *shape = &world->shapes.data[slot];
  shape->selective = selective;
  world->has_callbacks = world->has_callbacks || selective;
  shape->version = ++world->filter.shape_version;
  shape->needs_refilter = world->filter.needs_refilter = true;
  impi_shape_update_internal_edges(world, slot);
  // the next broad phase must search the pairs of the shape again, because some may have been refused before
  for (int32_t i = 0; i < shape->geometry.child_count && shape->attached; ++i) {
    impi_broadphase_touch(&world->broadphase, impi_shape_proxy(shape, i));
  }
}


static ImpStatus refilter(ImpWorld *world, int32_t slot, bool selective) {
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_REFILTER, .slot = slot, .property = selective});
  }
  impi_shape_finish_refilter(world, slot, selective);
  return IMP_OK;
}


ImpStatus imp_shape_selective(const ImpWorld *world, ImpShape handle, bool *out_selective) {
  IMPI_FIND_SHAPE(world, handle, slot);
  *out_selective = world->shapes.data[slot].selective;
  return IMP_OK;
}


ImpStatus impi_shape_set_selective(ImpWorld *world, ImpShape handle, bool selective) {
  IMPI_FIND_SHAPE(world, handle, slot);
  return refilter(world, slot, selective);
}


ImpStatus impi_shape_refilter(ImpWorld *world, ImpShape handle) {
  IMPI_FIND_SHAPE(world, handle, slot);
  return refilter(world, slot, world->shapes.data[slot].selective);
}
