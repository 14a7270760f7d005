// Ray casts. The closest hit is searched from front to back.
#include "query/query.h"


typedef struct Ray {
  ImpiQuery query;
  ImpVec2 from, travel;
  bool any;       // stop at the first hit found
  bool hit;       // `best` is valid
  ImpiFound best; // the closest hit so far; its member `point` is not yet set
  int32_t body;
} Ray;


static const ImpiHull *hull_of(const ImpWorld *world, const ImpiProxy *proxy) {
  return &world->shapes.data[proxy->shape].geometry.hulls[proxy->child];
}


// Cast the ray against a piece. The result is in the frame of the piece's body.
static bool meets_piece(const Ray *ray, const ImpiHull *hull, double limit, ImpTransform frame, ImpiCast *out_cast) {
  ImpVec2 from = impi_inv_apply(frame, ray->from);
  if (ray->travel.x == 0 && ray->travel.y == 0) {
    *out_cast = (ImpiCast){.point = from};
    return impi_hull_contains(hull, from);
  }
  return impi_ray_cast(hull, from, impi_inv_rotate(frame.q, ray->travel), impi_query_limit(limit), out_cast) &&
         out_cast->fraction <= limit;
}


static double closest(int32_t index, double limit, void *context) {
  Ray *ray = context;
  const ImpWorld *world = ray->query.world;
  const ImpiProxy *proxy = &world->broadphase.proxies.data[index];
  if (!impi_query_takes(&ray->query, proxy)) {
    return limit;
  }
  ImpTransform frame = impi_query_frame(world, proxy->body);
  ImpiCast cast;
  if (!meets_piece(ray, hull_of(ray->query.world, proxy), limit, frame, &cast)) {
    return limit;
  }
  const ImpiShape *shape = &world->shapes.data[proxy->shape];
  const ImpiFound *best = &ray->best;
  bool earlier = cast.fraction != best->fraction ? cast.fraction < best->fraction
                 : shape->serial != best->serial ? shape->serial < best->serial
                                                 : proxy->child < best->child;
  if (!ray->hit || earlier) {
    ray->hit = true;
    ray->body = proxy->body;
    ray->best = (ImpiFound){.shape = impi_shape_handle(world, proxy->shape),
                            .serial = shape->serial,
                            .child = proxy->child,
                            .fraction = cast.fraction,
                            .normal = impi_rotate(frame.q, cast.normal)};
  }
  return ray->any ? -1 : ray->best.fraction;
}


static double collect(int32_t index, double limit, void *context) {
  Ray *ray = context;
  const ImpiProxy *proxy = &ray->query.world->broadphase.proxies.data[index];
  ImpiCast cast;
  if (!impi_query_takes(&ray->query, proxy)) {
    return limit;
  }
  ImpTransform frame = impi_query_frame(ray->query.world, proxy->body);
  if (!meets_piece(ray, hull_of(ray->query.world, proxy), limit, frame, &cast)) {
    return limit;
  }
  ImpVec2 point = impi_mul_add(ray->from, cast.fraction, ray->travel);
  return impi_query_keep(&ray->query, proxy, cast.fraction, point, impi_rotate(frame.q, cast.normal)) ? limit : -1;
}


static ImpStatus check_ray(ImpVec2 from, ImpVec2 to, Ray *out_ray) {
  ImpStatus status = impi_check_place("the start of a ray", from);
  if (status == IMP_OK) {
    status = impi_check_place("the end of a ray", to);
  }
  if (status == IMP_OK) {
    *out_ray = (Ray){.from = from, .travel = impi_sub(to, from)};
  }
  return status;
}


static ImpStatus begin(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter, Ray *out_ray) {
  ImpStatus status = check_ray(from, to, out_ray);
  return status == IMP_OK ? impi_query_begin(world, filter, &out_ray->query) : status;
}


// Find all hits on the ray, and call the filter's `accept` until it has accepted `limit` hits.
static ImpStatus cast_all(Ray *ray, int limit, int *out_count) {
  impi_query_cast(&ray->query, ray->from, ray->travel, impi_vec(0, 0), collect, ray);
  ImpStatus status = IMP_OK;
  if (ray->query.out_of_memory) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  } else {
    impi_query_sort(&ray->query);
    status = impi_query_accept(&ray->query, limit, out_count);
  }
  impi_query_end(&ray->query);
  return status;
}


static ImpStatus cast_closest(Ray *ray, ImpHit *out_hit) {
  if (ray->query.filter->accept != NULL) {
    int count = 0;
    ImpStatus status = cast_all(ray, 1, &count);
    if (status == IMP_OK) {
      *out_hit = count > 0 ? ray->query.world->query.hits.data[0] : (ImpHit){0};
    }
    return status;
  }
  impi_query_cast(&ray->query, ray->from, ray->travel, impi_vec(0, 0), closest, ray);
  *out_hit = (ImpHit){0};
  if (ray->hit) {
    ray->best.point = impi_mul_add(ray->from, ray->best.fraction, ray->travel);
    *out_hit = impi_query_hit(ray->query.world, &ray->best);
  }
  return IMP_OK;
}


ImpStatus imp_world_raycast(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter, ImpHit *out_hit) {
  Ray ray;
  ImpStatus status = begin(world, from, to, filter, &ray);
  return status == IMP_OK ? cast_closest(&ray, out_hit) : status;
}


ImpStatus imp_world_raycast_any(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                bool *out_any) {
  Ray ray;
  ImpHit hit;
  ImpStatus status = begin(world, from, to, filter, &ray);
  ray.any = true;
  if (status == IMP_OK) {
    status = cast_closest(&ray, &hit);
  }
  if (status == IMP_OK) {
    *out_any = hit.shape.id != 0;
  }
  return status;
}


ImpStatus imp_world_raycast_all(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                int *out_count) {
  Ray ray;
  ImpStatus status = begin(world, from, to, filter, &ray);
  return status == IMP_OK ? cast_all(&ray, INT32_MAX, out_count) : status;
}


ImpStatus imp_world_raycast_many(ImpWorld *world, const ImpRay *rays, int count, const ImpQueryFilter *filter,
                                 ImpHit *hits, int *out_found) {
  for (int i = 0; i < count; ++i) {
    ImpStatus status = impi_check_place("the start of a ray", rays[i].from);
    if (status == IMP_OK) {
      status = impi_check_place("the end of a ray", rays[i].to);
    }
    if (status != IMP_OK) {
      return status;
    }
  }
  int found = 0;
  for (int i = 0; i < count; ++i) {
    ImpStatus status = imp_world_raycast(world, rays[i].from, rays[i].to, filter, &hits[i]);
    if (status != IMP_OK) {
      return status;
    }
    found += hits[i].shape.id != 0;
  }
  *out_found = found;
  return IMP_OK;
}


ImpStatus imp_shape_raycast(const ImpWorld *world, ImpShape shape, ImpVec2 from, ImpVec2 to, ImpHit *out_hit) {
  IMPI_FIND_SHAPE(world, shape, slot);
  Ray ray;
  ImpStatus status = check_ray(from, to, &ray);
  if (status != IMP_OK) {
    return status;
  }
  const ImpiShape *of = &world->shapes.data[slot];
  ImpTransform frame = impi_query_frame(world, of->body);
  ImpHit hit = {.shape = {0}};
  double limit = 1;
  for (int32_t child = 0; child < of->geometry.child_count; ++child) {
    ImpiCast cast;
    if (meets_piece(&ray, &of->geometry.hulls[child], limit, frame, &cast) &&
        (hit.shape.id == 0 || cast.fraction < limit)) {
      limit = cast.fraction;
      hit = (ImpHit){.body = impi_body_handle(world, of->body),
                     .shape = shape,
                     .point = impi_mul_add(from, cast.fraction, ray.travel),
                     .normal = impi_rotate(frame.q, cast.normal),
                     .fraction = cast.fraction};
    }
  }
  *out_hit = hit;
  return IMP_OK;
}
