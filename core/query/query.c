// Common parts of the queries. Results are sorted by fraction, then by creation of the shape.
//
// Inside a step the broad phase has the boxes of the beginning of the step. The first query after a change of poses
// lists the pieces that have left their boxes. Queries test these pieces one by one.
#include "query/query.h"

#include "base/constants.h"
#include "base/sort.h"
#include "world/bodies.h"


ImpQueryFilter imp_query_filter(void) { return (ImpQueryFilter){.category = UINT64_MAX, .mask = UINT64_MAX}; }


ImpStatus impi_check_place(const char *name, ImpVec2 point) {
  if (!(fabs(point.x) <= IMPI_MAX_COORDINATE && fabs(point.y) <= IMPI_MAX_COORDINATE)) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s must be two finite numbers up to %g m, got (%g, %g)", name,
                     IMPI_MAX_COORDINATE, point.x, point.y);
  }
  return IMP_OK;
}


ImpTransform impi_query_frame(const ImpWorld *world, int32_t body) {
  if (!world->stepping) {
    return impi_body_frame(&world->bodies.data[body], &world->motions.data[body]);
  }
  ImpiMotion motion = impi_body_motion(world, body);
  return impi_body_frame(&world->bodies.data[body], &motion);
}


// List the proxies of awake bodies whose pieces are outside the proxies' boxes in this substep. Return false when out
// of memory.
static bool list_outside_boxes(ImpWorld *world) {
  if (world->query.outside_boxes_of == world->pose_stamp) {
    return true;
  }
  world->query.outside_boxes.count = 0;
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t body = world->awake.data[i];
    ImpTransform frame = impi_query_frame(world, body);
    for (int32_t s = world->bodies.data[body].first_shape; s >= 0; s = world->shapes.data[s].next) {
      const ImpiShape *shape = &world->shapes.data[s];
      for (int32_t child = 0; shape->attached && child < shape->geometry.child_count; ++child) {
        int32_t proxy = impi_shape_proxy(shape, child);
        ImpAabb box = impi_hull_aabb(&shape->geometry.hulls[child], frame);
        if (impi_aabb_contains(world->broadphase.proxies.data[proxy].fat, box)) {
          continue;
        }
        if (!impi_reserve(&world->heap, &world->query.outside_boxes, world->query.outside_boxes.count + 1)) {
          return false;
        }
        world->query.outside_boxes.data[world->query.outside_boxes.count++] = proxy;
      }
    }
  }
  world->query.outside_boxes_of = world->pose_stamp;
  return true;
}


ImpStatus impi_query_begin(ImpWorld *world, const ImpQueryFilter *filter, ImpiQuery *out_query) {
  static const ImpQueryFilter all = {.category = UINT64_MAX, .mask = UINT64_MAX};
  filter = filter != NULL ? filter : &all;
  if (world->stepping && !list_outside_boxes(world)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  impi_broadphase_follow(&world->broadphase, true);
  *out_query = (ImpiQuery){.world = world,
                           .filter = filter,
                           .own = {filter->category, filter->mask, filter->group},
                           // a positive group overrides the mask
                           .mask = filter->group > 0 ? IMPI_TREE_ALL : filter->mask,
                           .left_out = -1,
                           .base = world->query.found.count};
  return IMP_OK;
}


void impi_query_end(const ImpiQuery *query) { query->world->query.found.count = query->base; }


static bool is_ignored(const ImpiQuery *query, const ImpiProxy *proxy) {
  const ImpQueryFilter *filter = query->filter;
  for (int i = 0; i < filter->ignored_body_count; ++i) {
    if (filter->ignored_bodies[i].id == impi_body_handle(query->world, proxy->body).id) {
      return true;
    }
  }
  for (int i = 0; i < filter->ignored_shape_count; ++i) {
    if (filter->ignored_shapes[i].id == impi_shape_handle(query->world, proxy->shape).id) {
      return true;
    }
  }
  return false;
}


bool impi_query_takes(const ImpiQuery *query, const ImpiProxy *proxy) {
  const ImpiShape *shape = &query->world->shapes.data[proxy->shape];
  return impi_filter_meets(&query->own, &proxy->filter) && (!shape->sensor || query->filter->sensors) &&
         !shape->pending_destroy && query->world->bodies.data[proxy->body].enabled && proxy->body != query->left_out &&
         !is_ignored(query, proxy);
}


bool impi_query_keep(ImpiQuery *query, const ImpiProxy *proxy, double fraction, ImpVec2 point, ImpVec2 normal) {
  ImpWorld *world = query->world;
  if (!impi_reserve(&world->heap, &world->query.found, world->query.found.count + 1)) {
    query->out_of_memory = true;
    return false;
  }
  world->query.found.data[world->query.found.count++] = (ImpiFound){.shape = impi_shape_handle(world, proxy->shape),
                                                                    .serial = world->shapes.data[proxy->shape].serial,
                                                                    .child = proxy->child,
                                                                    .fraction = fraction,
                                                                    .point = point,
                                                                    .normal = normal};
  return true;
}


static bool by_shape(const void *a, const void *b, const void *context) {
  (void)context;
  const ImpiFound *f = a, *g = b;
  if (f->serial != g->serial) {
    return f->serial < g->serial;
  }
  return f->fraction != g->fraction ? f->fraction < g->fraction : f->child < g->child;
}


static bool by_fraction(const void *a, const void *b, const void *context) {
  (void)context;
  const ImpiFound *f = a, *g = b;
  return f->fraction != g->fraction ? f->fraction < g->fraction : f->serial < g->serial;
}


void impi_query_sort(const ImpiQuery *query) {
  ImpWorld *world = query->world;
  if (world->query.found.count - query->base < 2) {
    return;
  }
  ImpiFound *found = world->query.found.data + query->base;
  int count = world->query.found.count - query->base, kept = 1;
  impi_sort(found, count, sizeof *found, by_shape, NULL);
  for (int i = 1; i < count; ++i) {
    if (found[i].serial != found[kept - 1].serial) {
      found[kept++] = found[i];
    }
  }
  impi_sort(found, kept, sizeof *found, by_fraction, NULL);
  world->query.found.count = query->base + kept;
}


ImpHit impi_query_hit(const ImpWorld *world, const ImpiFound *found) {
  int32_t shape = impi_pool_find(&world->shape_pool, found->shape.id, world->tag);
  return (ImpHit){.body = impi_body_handle(world, world->shapes.data[shape].body),
                  .shape = found->shape,
                  .point = found->point,
                  .normal = impi_add(found->normal, impi_vec(0, 0)), // no -0
                  .fraction = found->fraction};
}


ImpStatus impi_query_accept(ImpiQuery *query, int limit, int *out_count) {
  ImpWorld *world = query->world;
  int count = world->query.found.count - query->base, kept = 0;
  for (int i = 0; i < count && kept < limit; ++i) {
    ImpiFound found = world->query.found.data[query->base + i];
    // `accept` may destroy any shape of the list.
    bool lives = imp_shape_is_valid(world, found.shape);
    if (lives && (query->filter->accept == NULL || query->filter->accept(world, found.shape, query->filter->user)) &&
        imp_shape_is_valid(world, found.shape)) {
      world->query.found.data[query->base + kept++] = found;
    }
  }
  *out_count = 0;
  if (!impi_reserve(&world->heap, &world->query.hits, kept)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  for (int i = 0; i < kept; ++i) {
    const ImpiFound *found = &world->query.found.data[query->base + i];
    if (imp_shape_is_valid(world, found->shape)) {
      world->query.hits.data[(*out_count)++] = impi_query_hit(world, found);
    }
  }
  world->query.hits.count = *out_count;
  return IMP_OK;
}


const ImpHit *imp_world_hits(const ImpWorld *world, int *out_count) {
  *out_count = world->query.hits.count;
  return world->query.hits.data;
}


void impi_query_cast(const ImpiQuery *query, ImpVec2 from, ImpVec2 travel, ImpVec2 half, ImpiTreeCastVisit visit,
                     void *context) {
  const ImpWorld *world = query->world;
  ImpiTreeCast cast = impi_tree_cast_begin(from, travel, half);
  double limit = 1;
  for (int kind = IMPI_PROXY_KINDS - 1; kind >= 0 && limit >= 0; --kind) {
    limit = impi_tree_cast(&world->broadphase.trees[kind], &cast, query->mask, limit, visit, context);
  }
  for (int i = 0; world->stepping && i < world->query.outside_boxes.count && limit >= 0; ++i) {
    limit = visit(world->query.outside_boxes.data[i], limit, context);
  }
}


void impi_query_walk(const ImpiQuery *query, ImpAabb box, ImpiTreeVisit visit, void *context) {
  const ImpWorld *world = query->world;
  double size = 1 + impi_max(fabs(box.lower.x), fabs(box.upper.x)) + impi_max(fabs(box.lower.y), fabs(box.upper.y));
  box = impi_aabb_grow(box, IMPI_CAST_PAD * size);
  for (int kind = 0; kind < IMPI_PROXY_KINDS; ++kind) {
    impi_tree_query(&world->broadphase.trees[kind], box, query->mask, visit, context);
  }
  for (int i = 0; world->stepping && i < world->query.outside_boxes.count; ++i) {
    if (!visit(world->query.outside_boxes.data[i], context)) {
      return;
    }
  }
}
