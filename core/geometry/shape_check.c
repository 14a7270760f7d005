// Checks of geometry before construction, and the error messages.
#include <math.h>

#include "base/constants.h"
#include "geometry/shape.h"

// Least distance of a vertex from the line through the previous and the next vertex [m]. It is below 4.8e-6 m, the
// distance in a regular polygon of IMP_MAX_VERTICES edges of length IMPI_MIN_LENGTH.
static const double corner_height = 1e-6;

// Largest number of points of a chain. The number of links and normals fits in an int32.
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


// Check that two points are not too close. `later`, `earlier`: indices of the points.
static ImpStatus check_apart(const char *kind, const char *name, const ImpVec2 *points, int later, int earlier) {
  ImpVec2 p = points[later];
  if (impi_length(impi_sub(p, points[earlier])) >= IMPI_MIN_LENGTH) {
    return IMP_OK;
  }
  return impi_fail(IMP_ERR_ARGUMENT, "%s %s %d (%g, %g) is closer than %g m to %s %d", kind, name, later + 1, p.x, p.y,
                   IMPI_MIN_LENGTH, name, earlier + 1);
}


// ---------------------------------------------------------------------------------------------------------------------
// Polygons
// ---------------------------------------------------------------------------------------------------------------------

// Name of a ring in error messages: "polygon" or "polygon hole 2".
typedef struct RingName {
  char text[32];
} RingName;


static RingName ring_name(int ring) {
  if (ring == 0) {
    return (RingName){"polygon"};
  }
  RingName name = {"polygon hole "};
  int length = 13;
  for (int unit = ring >= 1000 ? 1000 : ring >= 100 ? 100 : ring >= 10 ? 10 : 1; unit > 0; unit /= 10) {
    name.text[length++] = (char)('0' + ring / unit % 10);
  }
  return name;
}


static int ring_of(const ImpiOutline *outline, int32_t point) {
  int ring = 0;
  while (point >= outline->ends[ring]) {
    ++ring;
  }
  return ring;
}


static int32_t next_point(const ImpiOutline *outline, int ring, int32_t point) {
  return point + 1 < outline->ends[ring] ? point + 1 : impi_ring_begin(outline, ring);
}


static ImpStatus check_ring_points(const ImpiOutline *outline) {
  for (int ring = 0; ring < outline->ring_count; ++ring) {
    int32_t begin = impi_ring_begin(outline, ring), count = outline->ends[ring] - begin;
    if (count < 3) {
      return impi_fail(IMP_ERR_ARGUMENT, "%s has %d vertices, needs at least 3", ring_name(ring).text, count);
    }
    ImpStatus status = check_points(ring_name(ring).text, "vertex", &outline->points[begin], count);
    if (status != IMP_OK) {
      return status;
    }
  }
  for (int32_t i = 1, ring = 0; i < outline->ends[outline->ring_count - 1]; ++i) {
    ring += i >= outline->ends[ring];
    for (int32_t j = 0; j < i; ++j) {
      if (impi_length(impi_sub(outline->points[i], outline->points[j])) >= IMPI_MIN_LENGTH) {
        continue;
      }
      int other = ring_of(outline, j);
      int32_t begin = impi_ring_begin(outline, ring), other_begin = impi_ring_begin(outline, other);
      if (other == ring) {
        return check_apart(ring_name(ring).text, "vertex", &outline->points[begin], i - begin, j - begin);
      }
      return impi_fail(IMP_ERR_ARGUMENT, "%s vertex %d (%g, %g) is closer than %g m to %s vertex %d",
                       ring_name(ring).text, i - begin + 1, outline->points[i].x, outline->points[i].y, IMPI_MIN_LENGTH,
                       ring_name(other).text, j - other_begin + 1);
    }
  }
  return IMP_OK;
}


static ImpStatus fail_crossing(const ImpiOutline *outline, int ring_i, int32_t i, int ring_j, int32_t j) {
  int32_t begin_i = impi_ring_begin(outline, ring_i), begin_j = impi_ring_begin(outline, ring_j);
  int i_end = next_point(outline, ring_i, i) - begin_i + 1, j_end = next_point(outline, ring_j, j) - begin_j + 1;
  if (ring_i == ring_j) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s edges %d-%d and %d-%d cross", ring_name(ring_i).text, i - begin_i + 1, i_end,
                     j - begin_j + 1, j_end);
  }
  return impi_fail(IMP_ERR_ARGUMENT, "%s edge %d-%d and %s edge %d-%d cross", ring_name(ring_i).text, i - begin_i + 1,
                   i_end, ring_name(ring_j).text, j - begin_j + 1, j_end);
}


static ImpStatus check_crossings(const ImpiOutline *outline) {
  const ImpVec2 *points = outline->points;
  for (int32_t i = 0, ring_i = 0; i < outline->ends[outline->ring_count - 1]; ++i) {
    ring_i += i >= outline->ends[ring_i];
    ImpVec2 a = points[i], b = points[next_point(outline, ring_i, i)];
    for (int32_t j = i + 1, ring_j = ring_i; j < outline->ends[outline->ring_count - 1]; ++j) {
      ring_j += j >= outline->ends[ring_j];
      int32_t j_end = next_point(outline, ring_j, j);
      bool neighbours = next_point(outline, ring_i, i) == j || j_end == i;
      if (!neighbours && impi_segments_meet(a, b, points[j], points[j_end])) {
        return fail_crossing(outline, ring_i, i, ring_j, j);
      }
    }
  }
  return IMP_OK;
}


// Return whether a point, which is on no edge of the ring, is inside the ring: a ray to +x crosses the ring an odd
// number of times.
static bool ring_contains(const ImpiOutline *outline, int ring, ImpVec2 p) {
  bool inside = false;
  for (int32_t i = impi_ring_begin(outline, ring); i < outline->ends[ring]; ++i) {
    ImpVec2 a = outline->points[i], b = outline->points[next_point(outline, ring, i)];
    if ((a.y > p.y) != (b.y > p.y)) {
      inside ^= impi_turn(a, b, p) == (b.y > a.y ? 1 : -1);
    }
  }
  return inside;
}


// Check that holes are inside the outline and outside each other. One point per ring is tested, because no edges cross.
static ImpStatus check_nesting(const ImpiOutline *outline) {
  for (int hole = 1; hole < outline->ring_count; ++hole) {
    ImpVec2 p = outline->points[impi_ring_begin(outline, hole)];
    if (!ring_contains(outline, 0, p)) {
      return impi_fail(IMP_ERR_ARGUMENT, "polygon hole %d lies outside of the polygon", hole);
    }
    for (int other = 1; other < outline->ring_count; ++other) {
      if (other != hole && ring_contains(outline, other, p)) {
        return impi_fail(IMP_ERR_ARGUMENT, "polygon hole %d lies inside hole %d", hole, other);
      }
    }
  }
  return IMP_OK;
}


typedef struct Corners {
  int left, right, straight; // numbers of corners that turn left, turn right, or are straight
  int32_t first_straight;
  double twice_area;
} Corners;


static ImpStatus look_at_corners(const ImpiOutline *outline, int ring, Corners *out_corners) {
  int32_t begin = impi_ring_begin(outline, ring), count = outline->ends[ring] - begin;
  const ImpVec2 *points = &outline->points[begin];
  Corners corners = {.first_straight = -1};
  for (int i = 0; i < count; ++i) {
    ImpVec2 before = points[(i + count - 1) % count], here = points[i], after = points[(i + 1) % count];
    ImpVec2 base = impi_sub(after, before);
    double height = impi_cross(impi_sub(here, before), base) / impi_length(base);
    bool folds = impi_dot(impi_sub(here, before), impi_sub(after, here)) < 0;
    corners.twice_area += impi_cross(impi_sub(here, points[0]), impi_sub(after, points[0]));
    if (fabs(height) < corner_height) {
      corners.straight++;
      corners.first_straight = corners.first_straight < 0 ? i : corners.first_straight;
      if (folds && impi_turn(before, here, after) == 0) { // the outline folds back on itself
        return impi_fail(IMP_ERR_ARGUMENT, "%s vertex %d (%g, %g) lies on the line through its two neighbours",
                         ring_name(ring).text, i + 1, here.x, here.y);
      }
    } else {
      height > 0 ? corners.left++ : corners.right++;
    }
  }
  *out_corners = corners;
  return IMP_OK;
}


static void reverse(ImpVec2 *points, int32_t count) {
  for (int32_t low = 0, high = count - 1; low < high; ++low, --high) {
    ImpVec2 swap = points[low];
    points[low] = points[high];
    points[high] = swap;
  }
}


ImpStatus impi_check_outline(ImpVec2 *points, const ImpiOutline *outline, bool *out_convex) {
  ImpStatus status = check_ring_points(outline);
  if (status != IMP_OK) {
    return status;
  }
  *out_convex = false;
  for (int ring = 0; ring < outline->ring_count; ++ring) {
    int32_t begin = impi_ring_begin(outline, ring), count = outline->ends[ring] - begin;
    Corners corners;
    status = look_at_corners(outline, ring, &corners);
    if (status != IMP_OK) {
      return status;
    }
    bool convex = outline->ring_count == 1 && count <= IMP_MAX_VERTICES && (corners.left == 0 || corners.right == 0);
    if (convex && corners.straight > 0) {
      ImpVec2 p = points[corners.first_straight];
      return impi_fail(IMP_ERR_ARGUMENT, "polygon vertex %d (%g, %g) lies on the line through its two neighbours",
                       corners.first_straight + 1, p.x, p.y);
    }
    *out_convex = convex;
  }
  status = check_crossings(outline);
  if (status == IMP_OK) {
    status = check_nesting(outline);
  }
  for (int ring = 0; ring < outline->ring_count && status == IMP_OK; ++ring) {
    int32_t begin = impi_ring_begin(outline, ring), count = outline->ends[ring] - begin;
    Corners corners;
    look_at_corners(outline, ring, &corners);
    if ((corners.twice_area < 0) == (ring == 0)) {
      reverse(&points[begin], count);
    }
  }
  return status;
}


// ---------------------------------------------------------------------------------------------------------------------
// Lines
// ---------------------------------------------------------------------------------------------------------------------

ImpStatus impi_check_heights(ImpVec2 origin, double spacing, const double *values, int count, int *out_links) {
  ImpStatus status = impi_check_point("heights", "position", 0, origin);
  if (status == IMP_OK) {
    status = impi_check_size("heights", "spacing", spacing, IMPI_MIN_LENGTH);
  }
  if (status == IMP_OK && count > max_chain_points) {
    status = impi_fail(IMP_ERR_LIMIT, "heights have %d values, at most %d are allowed", count, max_chain_points);
  }
  int links = 0;
  for (int i = 0; i < count && status == IMP_OK; ++i) {
    if (values[i] == values[i]) {
      status = impi_check_point("heights", "value", i + 1, impi_add(origin, impi_vec(i * spacing, values[i])));
      links += i > 0 && values[i - 1] == values[i - 1];
    }
  }
  if (status == IMP_OK && links == 0) {
    status = impi_fail(IMP_ERR_ARGUMENT,
                       "heights need at least 2 neighbouring values that are not gaps, got %d values without such "
                       "neighbours",
                       count);
  }
  *out_links = links;
  return status;
}


ImpStatus impi_check_chain(const ImpVec2 *points, int count, bool loop) {
  int least = loop ? 3 : 2;
  if (count < least) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     loop ? "chain with loop = true has %d points, needs at least %d"
                          : "chain has %d points, needs at least %d",
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
