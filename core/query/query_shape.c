// Queries with a shape (ImpiForm), at rest or in motion.
#include "base/constants.h"
#include "query/query_form.h"


typedef struct Search {
  ImpiQuery query;
  const ImpiForm *form;
  const ImpiHull *probe; // the piece of `form` that is cast now
  ImpVec2 travel;        // travel of a cast
  bool all;              // a cast finds all hits, not only the first
  ImpVec2 point;         // point to test, in overlap_point only
} Search;


static ImpAabb box_of(const ImpiForm *form) {
  ImpAabb box = impi_hull_aabb(&form->hulls[0], form->frame);
  for (int32_t i = 1; i < form->count; ++i) {
    box = impi_aabb_union(box, impi_hull_aabb(&form->hulls[i], form->frame));
  }
  return box;
}


static const ImpiHull *hull_of(const Search *search, const ImpiProxy *proxy) {
  return &search->query.world->shapes.data[proxy->shape].geometry.hulls[proxy->child];
}


static ImpStatus finish(Search *search, int limit, int *out_count) {
  ImpStatus status = IMP_OK;
  if (search->query.out_of_memory) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  } else {
    impi_query_sort(&search->query);
    status = impi_query_accept(&search->query, limit, out_count);
  }
  impi_query_end(&search->query);
  return status;
}


// ---------------------------------------------------------------------------------------------------------------------
// Overlaps
// ---------------------------------------------------------------------------------------------------------------------

static bool overlaps(const ImpiForm *form, const ImpiHull *hull, ImpTransform frame) {
  ImpTransform form_in_hull = impi_inv_mul(frame, form->frame);
  for (int32_t i = 0; i < form->count; ++i) {
    const ImpiHull *piece = &form->hulls[i];
    if (piece->count == 1) {
      double distance;
      impi_hull_normal(hull, impi_apply(form_in_hull, piece->v[0]), &distance);
      if (distance <= hull->radius + piece->radius) {
        return true;
      }
      continue;
    }
    ImpiClosest closest;
    impi_closest(hull, piece, form_in_hull, &closest);
    if (closest.distance <= 0) {
      return true;
    }
  }
  return false;
}


static bool keep_overlap(int32_t index, void *context) {
  Search *search = context;
  const ImpiProxy *proxy = &search->query.world->broadphase.proxies.data[index];
  if (!impi_query_takes(&search->query, proxy) ||
      !overlaps(search->form, hull_of(search, proxy), impi_query_frame(search->query.world, proxy->body))) {
    return true;
  }
  return impi_query_keep(&search->query, proxy, 0, impi_vec(0, 0), impi_vec(0, 0));
}


static bool keep_containing(int32_t index, void *context) {
  Search *search = context;
  const ImpiProxy *proxy = &search->query.world->broadphase.proxies.data[index];
  if (!impi_query_takes(&search->query, proxy)) {
    return true;
  }
  ImpVec2 local = impi_inv_apply(impi_query_frame(search->query.world, proxy->body), search->point);
  return !impi_hull_contains(hull_of(search, proxy), local) ||
         impi_query_keep(&search->query, proxy, 0, impi_vec(0, 0), impi_vec(0, 0));
}


static ImpStatus overlap(ImpWorld *world, const ImpiForm *form, const ImpQueryFilter *filter, int *out_count) {
  Search search = {.form = form};
  ImpStatus status = impi_query_begin(world, filter, &search.query);
  if (status != IMP_OK) {
    return status;
  }
  search.query.left_out = form->body;
  impi_query_walk(&search.query, box_of(form), keep_overlap, &search);
  return finish(&search, INT32_MAX, out_count);
}


ImpStatus imp_world_overlap(ImpWorld *world, const ImpProbe *probe, const ImpQueryFilter *filter, int *out_count) {
  ImpiForm form;
  ImpStatus status = impi_form_of(world, probe, &form);
  return status == IMP_OK ? overlap(world, &form, filter, out_count) : status;
}


ImpStatus imp_world_overlap_point(ImpWorld *world, ImpVec2 point, const ImpQueryFilter *filter, int *out_count) {
  Search search = {.point = point};
  ImpStatus status = impi_check_place("a point", point);
  if (status == IMP_OK) {
    status = impi_query_begin(world, filter, &search.query);
  }
  if (status != IMP_OK) {
    return status;
  }
  impi_query_walk(&search.query, (ImpAabb){point, point}, keep_containing, &search);
  return finish(&search, INT32_MAX, out_count);
}


ImpStatus imp_world_overlap_box(ImpWorld *world, ImpAabb box, const ImpQueryFilter *filter, int *out_count) {
  ImpStatus status = impi_check_place("the lower corner of a box", box.lower);
  if (status == IMP_OK) {
    status = impi_check_place("the upper corner of a box", box.upper);
  }
  if (status == IMP_OK && !(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "the lower corner (%g, %g) of a box is above its upper corner (%g, %g)",
                       box.lower.x, box.lower.y, box.upper.x, box.upper.y);
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpVec2 middle = impi_lerp(box.lower, box.upper, 0.5), half = impi_sub(box.upper, middle);
  ImpVec2 corners[4] = {{-half.x, -half.y}, {half.x, -half.y}, {half.x, half.y}, {-half.x, half.y}};
  bool flat_x = half.x <= 0, flat_y = half.y <= 0;
  ImpVec2 ends[2] = {corners[0], corners[2]};
  ImpiForm form;
  if (flat_x || flat_y) {
    impi_form_set(&form, ends, flat_x && flat_y ? 1 : 2, 0, (ImpTransform){middle, {1, 0}});
  } else {
    impi_form_set(&form, corners, 4, 0, (ImpTransform){middle, {1, 0}});
  }
  return overlap(world, &form, filter, out_count);
}


ImpStatus imp_world_overlap_circle(ImpWorld *world, ImpVec2 center, double radius, const ImpQueryFilter *filter,
                                   int *out_count) {
  ImpStatus status = impi_check_place("the centre of a circle", center);
  if (status == IMP_OK) {
    status = impi_check_size("circle", "radius", radius, 0);
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpVec2 origin = {0, 0};
  ImpiForm form;
  impi_form_set(&form, &origin, 1, radius, (ImpTransform){center, {1, 0}});
  return overlap(world, &form, filter, out_count);
}


// ---------------------------------------------------------------------------------------------------------------------
// Shape casts
// ---------------------------------------------------------------------------------------------------------------------

// Test a proxy. If only the first hit is needed and the filter has no `accept`, the limit shrinks to the fraction of
// the best hit.
static double keep_hit(int32_t index, double limit, void *context) {
  Search *search = context;
  const ImpWorld *world = search->query.world;
  const ImpiProxy *proxy = &world->broadphase.proxies.data[index];
  if (!impi_query_takes(&search->query, proxy)) {
    return limit;
  }
  ImpTransform frame = impi_query_frame(world, proxy->body);
  ImpiCast toi_event;
  bool hit = impi_hull_cast(hull_of(search, proxy), search->probe, impi_inv_mul(frame, search->form->frame),
                            impi_inv_rotate(frame.q, search->travel), impi_query_limit(limit), &toi_event);
  if (!hit || toi_event.fraction > limit) {
    return limit;
  }
  bool kept = impi_query_keep(&search->query, proxy, toi_event.fraction, impi_apply(frame, toi_event.point),
                              impi_rotate(frame.q, toi_event.normal));
  return !kept ? -1 : search->all || search->query.filter->accept != NULL ? limit : toi_event.fraction;
}


static ImpStatus cast(ImpWorld *world, const ImpProbe *probe, ImpVec2 travel, const ImpQueryFilter *filter, bool all,
                      int *out_count) {
  ImpiForm form;
  Search search = {.form = &form, .travel = travel, .all = all};
  ImpStatus status = impi_check_place("the displacement of a query shape", travel);
  if (status == IMP_OK) {
    status = impi_form_of(world, probe, &form);
  }
  if (status == IMP_OK) {
    status = impi_query_begin(world, filter, &search.query);
  }
  if (status != IMP_OK) {
    return status;
  }
  search.query.left_out = form.body;
  for (int32_t i = 0; i < form.count; ++i) {
    search.probe = &form.hulls[i];
    ImpAabb box = impi_hull_aabb(search.probe, form.frame);
    ImpVec2 middle = impi_lerp(box.lower, box.upper, 0.5);
    impi_query_cast(&search.query, middle, travel, impi_sub(box.upper, middle), keep_hit, &search);
  }
  return finish(&search, all ? INT32_MAX : 1, out_count);
}


ImpStatus imp_world_shapecast(ImpWorld *world, const ImpProbe *probe, ImpVec2 travel, const ImpQueryFilter *filter,
                              ImpHit *out_hit) {
  int count = 0;
  ImpStatus status = cast(world, probe, travel, filter, false, &count);
  if (status == IMP_OK) {
    *out_hit = count > 0 ? world->query.hits.data[0] : (ImpHit){0};
  }
  return status;
}


ImpStatus imp_world_shapecast_all(ImpWorld *world, const ImpProbe *probe, ImpVec2 travel, const ImpQueryFilter *filter,
                                  int *out_count) {
  return cast(world, probe, travel, filter, true, out_count);
}
