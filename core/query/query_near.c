// The shape nearest to a point. The walk through a tree visits nearer boxes first.
#include "base/constants.h"
#include "geometry/tree_near.h"
#include "query/query.h"

typedef struct Nearness {
  ImpiQuery query;
  ImpVec2 point;
  double limit; // distance up to which the query searches [m]
} Nearness;


// Test a proxy. If the filter has no `accept`, the limit shrinks to the smallest distance so far. False when out of
// memory.
static bool look_at(Nearness *search, int32_t index) {
  const ImpWorld *world = search->query.world;
  const ImpiProxy *proxy = &world->broadphase.proxies.data[index];
  if (!impi_query_takes(&search->query, proxy)) {
    return true;
  }
  ImpTransform frame = impi_query_frame(world, proxy->body);
  ImpVec2 local = impi_inv_apply(frame, search->point), point, normal;
  double distance =
      impi_geometry_surface(&world->shapes.data[proxy->shape].geometry, proxy->child, local, &point, &normal);
  if (!(distance <= search->limit)) {
    return true;
  }
  if (search->query.filter->accept == NULL) {
    search->limit = distance;
  }
  return impi_query_keep(&search->query, proxy, distance, impi_apply(frame, point), impi_rotate(frame.q, normal));
}


// Test a proxy, and return the new limit of the walk through the tree.
static double look_in_box(int32_t index, double limit, void *context) {
  (void)limit;
  Nearness *search = context;
  return look_at(search, index) ? impi_max(search->limit, 0) : -1;
}


static bool walk(Nearness *search, const ImpiTree *tree) {
  // margin for the rounding of boxes
  double pad = IMPI_GRAZE + IMPI_CAST_PAD * (fabs(search->point.x) + fabs(search->point.y));
  double limit = impi_max(search->limit, 0);
  return impi_tree_near(tree, search->point, pad, search->query.mask, limit, look_in_box, search) >= 0;
}


ImpStatus imp_world_nearest(ImpWorld *world, ImpVec2 point, double radius, const ImpQueryFilter *filter,
                            ImpNear *out_near) {
  Nearness search = {.point = point, .limit = radius};
  ImpStatus status = impi_check_place("a point", point);
  if (status == IMP_OK && !(radius >= 0)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "the radius to search in must be a number >= 0, got %g", radius);
  }
  if (status == IMP_OK) {
    status = impi_query_begin(world, filter, &search.query);
  }
  if (status != IMP_OK) {
    return status;
  }
  bool fine = true;
  for (int kind = IMPI_PROXY_KINDS - 1; kind >= 0 && fine; --kind) {
    fine = walk(&search, &world->broadphase.trees[kind]);
  }
  for (int i = 0; fine && world->stepping && i < world->query.outside_boxes.count; ++i) {
    fine = look_at(&search, world->query.outside_boxes.data[i]);
  }
  int count = 0;
  if (fine) {
    impi_query_sort(&search.query);
    status = impi_query_accept(&search.query, 1, &count);
  } else {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  impi_query_end(&search.query);
  if (status == IMP_OK) {
    const ImpHit *hit = world->query.hits.data;
    *out_near = (ImpNear){0};
    if (count > 0) {
      *out_near = (ImpNear){hit->body, hit->shape, hit->point, hit->normal, hit->fraction};
    }
  }
  return status;
}


ImpStatus imp_shape_closest(const ImpWorld *world, ImpShape shape, ImpVec2 point, ImpNear *out_near) {
  IMPI_FIND_SHAPE(world, shape, slot);
  ImpStatus status = impi_check_place("a point", point);
  if (status != IMP_OK) {
    return status;
  }
  const ImpiShape *of = &world->shapes.data[slot];
  ImpTransform frame = impi_query_frame(world, of->body);
  ImpVec2 local = impi_inv_apply(frame, point), surface = {0, 0}, normal = {0, 0};
  double distance = IMPI_HUGE;
  for (int32_t child = 0; child < of->geometry.child_count; ++child) {
    const ImpiHull *hull = &of->geometry.hulls[child];
    if (impi_length(impi_sub(local, hull->centroid)) - hull->extent > impi_max(distance, 0)) {
      continue;
    }
    ImpVec2 on, out;
    double of_piece = impi_geometry_surface(&of->geometry, child, local, &on, &out);
    if (of_piece < distance) {
      distance = of_piece;
      surface = on;
      normal = out;
    }
  }
  *out_near = (ImpNear){.body = impi_body_handle(world, of->body),
                        .shape = shape,
                        .point = impi_apply(frame, surface),
                        .normal = impi_rotate(frame.q, normal),
                        .distance = distance};
  return IMP_OK;
}
