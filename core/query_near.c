// The shape nearest to a point. The trees are walked to the nearer box first, and no box is opened that is farther than
// the best so far.
#include "constants.h"
#include "query.h"

typedef struct Nearness {
  ImpiQuery query;
  ImpVec2 point;
  double limit; // farther is of no interest [m]
} Nearness;


static double box_distance(const ImpAabb *box, ImpVec2 p) {
  double x = impi_max(impi_max(box->lower.x - p.x, p.x - box->upper.x), 0);
  double y = impi_max(impi_max(box->lower.y - p.y, p.y - box->upper.y), 0);
  return sqrt(x * x + y * y);
}


// Without a predicate the limit shrinks; what is as near as the best is kept too, and sorted later. False: no memory.
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


static bool walk(Nearness *search, const ImpiTree *tree) {
  const ImpiTreeNode *nodes = tree->nodes.data;
  uint64_t mask = search->query.mask;
  int32_t stack[IMPI_TREE_STACK];
  int top = 0;
  if (tree->root >= 0) {
    stack[top++] = tree->root;
  }
  // So much do boxes and rounding differ: what is in a box is not passed over for a best that is as near.
  double pad = IMPI_GRAZE + IMPI_CAST_PAD * (fabs(search->point.x) + fabs(search->point.y));
  while (top > 0) {
    const ImpiTreeNode *node = &nodes[stack[--top]];
    bool of_interest = (node->category & mask) != 0 || mask == IMPI_TREE_ALL;
    if (!of_interest || box_distance(&node->box, search->point) > impi_max(search->limit, 0) + pad) {
      continue;
    }
    if (node->height == 0) {
      if (!look_at(search, node->user)) {
        return false;
      }
      continue;
    }
    IMP_ASSERT(top + 2 <= IMPI_TREE_STACK);
    int32_t a = node->child[0], b = node->child[1];
    bool a_first = box_distance(&nodes[a].box, search->point) < box_distance(&nodes[b].box, search->point);
    stack[top++] = a_first ? b : a;
    stack[top++] = a_first ? a : b;
  }
  return true;
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
  for (int i = 0; fine && world->stepping && i < world->query.strays.count; ++i) {
    fine = look_at(&search, world->query.strays.data[i]);
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
      continue; // what is around the piece is farther already
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
