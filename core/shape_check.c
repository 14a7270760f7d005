// Which geometry may be built, and the sentence that says why not.
#include <math.h>

#include "constants.h"
#include "shape.h"

// A vertex nearer than this to the line of its neighbours makes no corner [m]. A regular polygon of IMP_MAX_VERTICES
// edges of IMPI_MIN_LENGTH has corners of 4.8e-6; a larger tolerance would refuse it, a smaller one would leave the
// sign of the turn to the rounding of the caller's numbers.
static const double corner_height = 1e-6;

// The most points of a chain: a link's number and its normals are counted in int32.
static const int max_chain_points = 1 << 24;


ImpStatus impi_check_size(const char *kind, const char *name, double value, double lower) {
  if (!impi_is_finite(value)) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s %s is not finite", kind, name);
  }
  if (value < lower) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s %s %g m is below %g m", kind, name, value, lower);
  }
  if (value > IMPI_MAX_COORDINATE) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s %s %g m is above %g m", kind, name, value, IMPI_MAX_COORDINATE);
  }
  return IMP_OK;
}


ImpStatus impi_check_point(const char *kind, const char *name, int index, ImpVec2 point) {
  bool finite = impi_vec_is_finite(point);
  if (finite && fabs(point.x) <= IMPI_MAX_COORDINATE && fabs(point.y) <= IMPI_MAX_COORDINATE) {
    return IMP_OK;
  }
  if (!finite && index == 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s %s is not finite", kind, name);
  }
  if (!finite) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s %s %d is not finite", kind, name, index);
  }
  if (index == 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s %s (%g, %g) is beyond %g m", kind, name, point.x, point.y,
                     IMPI_MAX_COORDINATE);
  }
  return impi_fail(IMP_ERR_ARGUMENT, "%s %s %d (%g, %g) is beyond %g m", kind, name, index, point.x, point.y,
                   IMPI_MAX_COORDINATE);
}


static ImpStatus check_points(const char *kind, const char *name, const ImpVec2 *points, int count) {
  for (int i = 0; i < count; ++i) {
    ImpStatus status = impi_check_point(kind, name, i + 1, points[i]);
    if (status != IMP_OK) {
      return status;
    }
  }
  return IMP_OK;
}


// `later` and `earlier` count from 0.
static ImpStatus check_apart(const char *kind, const char *name, const ImpVec2 *points, int later, int earlier) {
  ImpVec2 p = points[later];
  if (impi_length(impi_sub(p, points[earlier])) >= IMPI_MIN_LENGTH) {
    return IMP_OK;
  }
  return impi_fail(IMP_ERR_ARGUMENT, "%s %s %d (%g, %g) is closer than %g m to %s %d", kind, name, later + 1, p.x, p.y,
                   IMPI_MIN_LENGTH, name, earlier + 1);
}


// Whether the segments a-b and c-d have a point in common.
static bool segments_meet(ImpVec2 a, ImpVec2 b, ImpVec2 c, ImpVec2 d) {
  ImpVec2 ab = impi_sub(b, a), cd = impi_sub(d, c);
  double c_side = impi_cross(ab, impi_sub(c, a)), d_side = impi_cross(ab, impi_sub(d, a));
  double a_side = impi_cross(cd, impi_sub(a, c)), b_side = impi_cross(cd, impi_sub(b, c));
  bool c_d_apart = (c_side > 0 && d_side > 0) || (c_side < 0 && d_side < 0);
  bool a_b_apart = (a_side > 0 && b_side > 0) || (a_side < 0 && b_side < 0);
  if (c_d_apart || a_b_apart) {
    return false;
  }
  // On one line the signs say nothing; the boxes of the two segments do.
  return impi_max(a.x, b.x) >= impi_min(c.x, d.x) && impi_max(c.x, d.x) >= impi_min(a.x, b.x) &&
         impi_max(a.y, b.y) >= impi_min(c.y, d.y) && impi_max(c.y, d.y) >= impi_min(a.y, b.y);
}


static ImpStatus check_crossings(const ImpVec2 *points, int count) {
  for (int i = 0; i < count; ++i) {
    for (int j = i + 2; j < count; ++j) {
      bool neighbours = i == 0 && j == count - 1;
      int i_end = i + 1, j_end = (j + 1) % count;
      if (!neighbours && segments_meet(points[i], points[i_end], points[j], points[j_end])) {
        return impi_fail(IMP_ERR_ARGUMENT, "polygon edges %d-%d and %d-%d cross", i + 1, i_end + 1, j + 1, j_end + 1);
      }
    }
  }
  return IMP_OK;
}


ImpStatus impi_check_polygon(const ImpVec2 *points, int count, bool *out_clockwise) {
  if (count < 3) {
    return impi_fail(IMP_ERR_ARGUMENT, "polygon has %d vertices, needs at least 3", count);
  }
  if (count > IMP_MAX_VERTICES) {
    return impi_fail(IMP_ERR_LIMIT, "polygon has %d vertices, at most %d are allowed", count, IMP_MAX_VERTICES);
  }
  ImpStatus status = check_points("polygon", "vertex", points, count);
  for (int i = 1; i < count && status == IMP_OK; ++i) {
    for (int j = 0; j < i && status == IMP_OK; ++j) {
      status = check_apart("polygon", "vertex", points, i, j);
    }
  }
  if (status != IMP_OK) {
    return status;
  }

  double height[IMP_MAX_VERTICES]; // of each vertex over the line of its neighbours [m], positive in a left turn
  double twice_area = 0;
  for (int i = 0; i < count; ++i) {
    ImpVec2 before = points[(i + count - 1) % count], here = points[i], after = points[(i + 1) % count];
    ImpVec2 base = impi_sub(after, before);
    height[i] = impi_cross(impi_sub(here, before), base) / impi_length(base);
    twice_area += impi_cross(impi_sub(here, points[0]), impi_sub(after, points[0]));
    if (fabs(height[i]) < corner_height) {
      return impi_fail(IMP_ERR_ARGUMENT, "polygon vertex %d (%g, %g) lies on the line of its neighbours", i + 1, here.x,
                       here.y);
    }
  }
  status = check_crossings(points, count);
  if (status != IMP_OK) {
    return status;
  }
  bool clockwise = twice_area < 0;
  for (int i = 0; i < count; ++i) {
    if ((height[i] < 0) != clockwise) {
      return impi_fail(IMP_ERR_ARGUMENT, "polygon is concave at vertex %d (%g, %g): cut it into convex pieces", i + 1,
                       points[i].x, points[i].y);
    }
  }
  *out_clockwise = clockwise;
  return IMP_OK;
}


ImpStatus impi_check_chain(const ImpVec2 *points, int count, bool loop) {
  int least = loop ? 3 : 2;
  if (count < least) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     loop ? "chain loop has %d points, needs at least %d" : "chain has %d points, needs at least %d",
                     count, least);
  }
  if (count > max_chain_points) {
    return impi_fail(IMP_ERR_LIMIT, "chain has %d points, at most %d are allowed", count, max_chain_points);
  }
  ImpStatus status = check_points("chain", "point", points, count);
  for (int i = 1; i < count && status == IMP_OK; ++i) {
    status = check_apart("chain", "point", points, i, i - 1);
  }
  if (status == IMP_OK && loop) {
    status = check_apart("chain", "point", points, count - 1, 0);
  }
  return status;
}
