#include "model/mover.h"

#include "base/constants.h"
#include "geometry/collide.h"
#include "geometry/distance.h"

// Cosine of 1.4e-5 rad: angle within which two normals are equal.
#define SAME_NORMAL (1 - 1e-10)
// Largest rounding error of a plane's bound that is accepted [m].
#define SLACK 1e-9
// Sine of the smallest angle between two planes at which their intersection is used.
#define PARALLEL 1e-6
#define CAST_ROUNDS 32
#define EASE_ROUNDS 40


// ---------------------------------------------------------------------------------------------------------------------
// Touches
// ---------------------------------------------------------------------------------------------------------------------


// Replace the closest points of a mover that crosses a chain link, because the mover must leave the link on its outer
// side.
static void leave_by_front(const ImpiHull *link, const ImpiHull *hull, ImpTransform in_a, ImpiClosest *closest) {
  if (closest->distance > -link->radius - hull->radius) {
    return;
  }
  ImpVec2 own = link->n[0], lowest = {0, 0};
  double least = IMPI_HUGE;
  for (int32_t i = 0; i < hull->count; ++i) {
    ImpVec2 point = impi_apply(in_a, hull->v[i]);
    double height = impi_dot(own, impi_sub(point, link->v[0]));
    lowest = height < least ? point : lowest;
    least = impi_min(least, height);
  }
  closest->normal = own;
  closest->distance = least - hull->radius - link->radius;
  closest->a = impi_mul_add(lowest, -least, own);
}


// Return whether a mover, with its centre at `center`, touches a link from the outer side of the line through the link.
// With `strict`, the normal must be one that contacts of the link may have (impi_link_owns). At an open end of the
// chain any outward normal is allowed, so that a mover can go round the end.
static bool link_touches(const ImpiObstacle *obstacle, ImpVec2 center, bool strict, const ImpiClosest *closest) {
  const ImpiHull *hull = obstacle->hull;
  ImpVec2 own = hull->n[0];
  if (impi_dot(own, impi_sub(center, hull->v[0])) < 0 || impi_dot(own, closest->normal) <= 0) {
    return false;
  }
  if (!strict || impi_dot(own, closest->normal) > SAME_NORMAL) {
    return true;
  }
  bool at_start = impi_length_sq(impi_sub(closest->a, hull->v[0])) < impi_length_sq(impi_sub(closest->a, hull->v[1]));
  return (at_start ? obstacle->open_start : obstacle->open_end) || impi_link_owns(hull, closest->normal);
}


// Return the normal of the face that the mover touches. At a corner, return the normal of the more level face.
static ImpVec2 face_at(const ImpiHull *hull, ImpVec2 point, ImpVec2 normal, ImpRot q, bool *out_flat) {
  *out_flat = false;
  if (hull->count == 1) {
    return normal;
  }
  int32_t corner = 0;
  for (int32_t i = 0; i < hull->count; ++i) {
    if (impi_dot(normal, hull->n[i]) > SAME_NORMAL) {
      *out_flat = true;
      return hull->n[i];
    }
    if (impi_length_sq(impi_sub(hull->v[i], point)) < impi_length_sq(impi_sub(hull->v[corner], point))) {
      corner = i;
    }
  }
  ImpVec2 a = hull->n[hull->count == 2 ? 0 : corner];
  ImpVec2 b = hull->n[hull->count == 2 ? 1 : (corner + hull->count - 1) % hull->count];
  double up_a = impi_rotate(q, a).y, up_b = impi_rotate(q, b).y;
  // if both faces point up, take the normal closer to the normal of the touch
  bool both = up_a > 0.5 && up_b > 0.5;
  bool first = both ? impi_dot(a, normal) >= impi_dot(b, normal) : up_a >= up_b;
  return first ? a : b;
}


bool impi_mover_touch(const ImpiObstacle *obstacle, ImpTransform at, const ImpiHull *hull, ImpVec2 feet, bool strict,
                      ImpiTouch *out_touch) {
  ImpTransform in_a = impi_inv_mul(at, (ImpTransform){feet, {1, 0}});
  ImpiClosest closest;
  impi_closest(obstacle->hull, hull, in_a, &closest);
  if (obstacle->hull->chain) {
    leave_by_front(obstacle->hull, hull, in_a, &closest);
  }
  if (obstacle->hull->chain && !link_touches(obstacle, impi_apply(in_a, hull->centroid), strict, &closest)) {
    return false;
  }
  bool flat;
  ImpVec2 core = impi_mul_add(closest.a, -obstacle->hull->radius, closest.normal);
  ImpVec2 face = face_at(obstacle->hull, core, closest.normal, at.q, &flat);
  *out_touch = (ImpiTouch){.normal = impi_rotate(at.q, closest.normal),
                           .point = impi_apply(at, closest.a),
                           .separation = closest.distance,
                           .face = impi_rotate(at.q, face),
                           .flat = flat};
  return true;
}


bool impi_mover_cast(const ImpiObstacle *obstacle, ImpTransform at, const ImpiHull *hull, ImpVec2 feet, ImpVec2 travel,
                     double clearance, double max_fraction, double *out_fraction, ImpiTouch *out_touch) {
  double fraction = 0;
  for (int i = 0; i < CAST_ROUNDS; ++i) {
    ImpiTouch touch;
    if (!impi_mover_touch(obstacle, at, hull, impi_mul_add(feet, fraction, travel), false, &touch)) {
      return false;
    }
    double rate = -impi_dot(touch.normal, travel), gap = touch.separation - clearance;
    if (rate <= 1e-12) {
      return false; // the mover does not approach the obstacle along the normal
    }
    if (gap <= 0.02 * clearance || i + 1 == CAST_ROUNDS) {
      *out_fraction = fraction;
      *out_touch = touch;
      return true;
    }
    fraction += gap / rate;
    if (fraction >= max_fraction) {
      return false;
    }
  }
  return false;
}


// ---------------------------------------------------------------------------------------------------------------------
// Planes
// ---------------------------------------------------------------------------------------------------------------------


// Return the bound of a plane, reduced by `ease`: a positive bound stays >= 0, any other bound stays the same.
static double eased(const ImpiPlane *plane, double ease) {
  return plane->bound - impi_min(ease, impi_max(plane->bound, 0));
}


static bool obeys(const ImpiPlane *planes, int count, ImpiTier tier, double ease, ImpVec2 x) {
  for (int i = 0; i < count; ++i) {
    if (planes[i].tier <= tier && impi_dot(planes[i].normal, x) < eased(&planes[i], ease) - SLACK) {
      return false;
    }
  }
  return true;
}


// In two dimensions the nearest allowed point is the target, its projection on one of the planes, or the intersection
// of two planes.
static bool solve(const ImpiPlane *planes, int count, ImpiTier tier, double ease, ImpVec2 target, ImpVec2 *out_x) {
  if (obeys(planes, count, tier, ease, target)) {
    *out_x = target;
    return true;
  }
  double best = IMPI_HUGE;
  for (int i = 0; i < count; ++i) {
    const ImpiPlane *a = &planes[i];
    double bound_a = eased(a, ease), lack = bound_a - impi_dot(a->normal, target);
    if (a->tier > tier || lack <= 0) {
      continue;
    }
    ImpVec2 foot = impi_mul_add(target, lack, a->normal);
    if (lack * lack < best && obeys(planes, count, tier, ease, foot)) {
      best = lack * lack;
      *out_x = foot;
    }
    for (int j = 0; j < count; ++j) {
      const ImpiPlane *b = &planes[j];
      double det = impi_cross(a->normal, b->normal), bound_b = eased(b, ease);
      if (j == i || b->tier > tier || fabs(det) < PARALLEL) {
        continue;
      }
      ImpVec2 corner = {(bound_a * b->normal.y - bound_b * a->normal.y) / det,
                        (bound_b * a->normal.x - bound_a * b->normal.x) / det};
      double distance = impi_length_sq(impi_sub(corner, target));
      if (distance < best && obeys(planes, count, tier, ease, corner)) {
        best = distance;
        *out_x = corner;
      }
    }
  }
  return best < IMPI_HUGE;
}


bool impi_planes_solve(const ImpiPlane *planes, int count, ImpiTier tier, ImpVec2 target, ImpVec2 *out_x) {
  return solve(planes, count, tier, 0, target, out_x);
}


int impi_planes_nearest(const ImpiPlane *planes, int count, ImpVec2 target, ImpVec2 *out_x) {
  for (int tier = IMPI_TIER_DYNAMIC; tier >= IMPI_TIER_STATIC; --tier) {
    if (solve(planes, count, (ImpiTier)tier, 0, target, out_x)) {
      return tier == IMPI_TIER_DYNAMIC ? -1 : tier + 1;
    }
  }
  double low = 0, high = 0; // with `ease` = `high` = largest bound, x = 0 obeys all planes
  for (int i = 0; i < count; ++i) {
    high = planes[i].tier == IMPI_TIER_STATIC ? impi_max(high, planes[i].bound) : high;
  }
  *out_x = impi_vec(0, 0);
  for (int i = 0; i < EASE_ROUNDS; ++i) {
    double ease = 0.5 * (low + high);
    *(solve(planes, count, IMPI_TIER_STATIC, ease, target, out_x) ? &high : &low) = ease;
  }
  // high <= IMPI_MOVER_SKIN: the mover is closer to obstacles than the skin, but does not enter them
  return high > IMPI_MOVER_SKIN ? IMPI_TIER_STATIC : -1;
}
