// Shapes as loops of points in pixels: shapes with a radius, their outlines, lines through points, arrows.
// Forward orientation of a loop: the sum of x_i y_i+1 - x_i+1 y_i is positive.
// An edge in direction d has the outward normal (d.y, -d.x).
// The mitre r (n0 + n1) / (1 + n0 . n1) moves a corner between normals n0 and n1 to the distance r from both edges.
#include <math.h>
#include <stdlib.h>

#include "picture/paint.h"

#define DEVIATION (1.0 / 32) // largest distance of a polygon from the approximated circle [px]
#define FAR 1e9              // limit of coordinates [px]
#define NEAR 0.2             // a line omits each point that is closer than this to the previous point [px]
#define MITRE 0.5            // smallest 1 + cos(turn) of a pointed corner: turns of less than 120 degrees
#define ROUND_WIDTH 4.0      // smallest width of lines with round joins [px]

static const double tau = 6.283185307179586;


void shaper_init(Shaper *shaper) {
  *shaper = (Shaper){0};
  for (int i = 0; i < CIRCLE_STEPS; ++i) {
    double angle = tau * i / CIRCLE_STEPS;
    shaper->circle[i] = (ImpVec2){imp_cos(angle), imp_sin(angle)};
  }
}


static void area_free(Area *area) {
  free(area->points);
  free(area->inner);
  free(area->ends);
}


void shaper_free(Shaper *shaper) {
  area_free(&shaper->area);
  area_free(&shaper->corners);
  *shaper = (Shaper){0};
}


static void area_reset(Area *area, AreaKind kind) {
  area->kind = kind;
  area->point_count = area->loop_count = 0;
}


static void add(Area *area, double x, double y) {
  if (area->point_count == area->point_room) {
    int room = area->point_room > 0 ? 2 * area->point_room : 64;
    ImpVec2 *points = realloc(area->points, sizeof *points * (size_t)room);
    if (points != NULL) area->points = points;
    bool *inner = realloc(area->inner, sizeof *inner * (size_t)room);
    if (inner != NULL) area->inner = inner;
    if (points == NULL || inner == NULL) {
      area->failed = true;
      return;
    }
    area->point_room = room;
  }
  area->inner[area->point_count] = false;
  area->points[area->point_count++] = (ImpVec2){x, y};
}


static void end_loop(Area *area) {
  if (area->loop_count == area->loop_room) {
    int room = area->loop_room > 0 ? 2 * area->loop_room : 16;
    int *grown = realloc(area->ends, sizeof *grown * (size_t)room);
    if (grown == NULL) {
      area->failed = true;
      return;
    }
    area->ends = grown;
    area->loop_room = room;
  }
  area->ends[area->loop_count++] = area->point_count;
}


// ---------------------------------------------------------------------------------------------------------------------
// Corners
// ---------------------------------------------------------------------------------------------------------------------

static ImpVec2 normal_of(ImpVec2 from, ImpVec2 to) {
  double x = to.x - from.x, y = to.y - from.y, length = sqrt(x * x + y * y);
  return (ImpVec2){y / length, -x / length};
}


static double dot(ImpVec2 a, ImpVec2 b) { return a.x * b.x + a.y * b.y; }
static double cross(ImpVec2 a, ImpVec2 b) { return a.x * b.y - a.y * b.x; }
// Return 1 + the cosine of a turn; at least 1e-9, also where an edge reverses.
static double bend_of(ImpVec2 before, ImpVec2 after) {
  double bend = 1 + dot(before, after);
  return bend > 1e-9 ? bend : 1e-9;
}


static double cut(double x) { return x < -FAR ? -FAR : x > FAR ? FAR : x; }


static bool near(ImpVec2 a, ImpVec2 b, double distance) {
  return fabs(a.x - b.x) < distance && fabs(a.y - b.y) < distance;
}


void shape_corners(Shaper *shaper, const Camera *camera, const ImpVec2 *points, int count) {
  Area *corners = &shaper->corners;
  area_reset(corners, AREA_CONVEX);
  for (int i = 0; i < count; ++i) {
    double right = points[i].x - camera->x, up = points[i].y - camera->y;
    if (camera->s != 0) {
      double turned = camera->c * right + camera->s * up;
      up = camera->c * up - camera->s * right;
      right = turned;
    }
    right *= camera->ppm;
    up *= camera->ppm;
    add(corners, cut(0.5 * camera->width_px + right), cut(0.5 * camera->height_px + (camera->down ? up : -up)));
  }
}


void shape_polygon(Shaper *shaper) {
  area_reset(&shaper->area, AREA_SIMPLE);
  for (int i = 0; i < shaper->corners.point_count; ++i) {
    add(&shaper->area, shaper->corners.points[i].x, shaper->corners.points[i].y);
  }
  end_loop(&shaper->area);
}


// Remove coincident corners and orient the loop forward.
static void straighten(Area *corners) {
  ImpVec2 *p = corners->points;
  int count = 0;
  for (int i = 0; i < corners->point_count; ++i) {
    if (count == 0 || !near(p[i], p[count - 1], 1e-6)) p[count++] = p[i];
  }
  while (count > 1 && near(p[0], p[count - 1], 1e-6)) count--;
  corners->point_count = count;
  double sum = 0;
  for (int i = 1; i + 1 < count; ++i) {
    sum += (p[i].x - p[0].x) * (p[i + 1].y - p[0].y) - (p[i + 1].x - p[0].x) * (p[i].y - p[0].y);
  }
  if (sum >= 0) return;
  for (int i = 0, k = count - 1; i < k; ++i, --k) {
    ImpVec2 q = p[i];
    p[i] = p[k];
    p[k] = q;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Round corners
// ---------------------------------------------------------------------------------------------------------------------

// A circle is drawn with every stride-th point of shaper->circle. Return the stride for a radius [px].
// A regular polygon of n corners deviates from its circle by at most r (1 - cos(pi / n)) <= r (pi / n)^2 / 2.
static int stride_of(double radius) {
  int stride = CIRCLE_STEPS / 8;
  while (stride > 1) {
    double half = 0.5 * tau * stride / CIRCLE_STEPS;
    if (0.5 * radius * half * half <= DEVIATION) break;
    stride /= 2;
  }
  return stride;
}


static void add_circle(const Shaper *shaper, Area *area, ImpVec2 center, double radius, int stride) {
  for (int i = 0; i < CIRCLE_STEPS; i += stride) {
    add(area, center.x + radius * shaper->circle[i].x, center.y + radius * shaper->circle[i].y);
  }
}


// Add points on a circle from the direction n0 by increasing angle to n1, at most half a turn.
static void add_arc(const Shaper *shaper, Area *area, ImpVec2 center, double radius, ImpVec2 n0, ImpVec2 n1,
                    int stride) {
  const double step = tau / CIRCLE_STEPS * stride;
  double from = imp_atan2(n0.y, n0.x), turn = imp_atan2(n1.y, n1.x) - from;
  if (turn < -1e-9) turn += tau;
  if (turn > 0.5 * tau + 1e-3) turn = 0; // rounding made the turn slightly backward
  add(area, center.x + radius * n0.x, center.y + radius * n0.y);
  for (int i = (int)floor(from / step) + 1; i * step < from + turn; ++i) {
    ImpVec2 d = shaper->circle[(i * stride) & (CIRCLE_STEPS - 1)];
    add(area, center.x + radius * d.x, center.y + radius * d.y);
  }
  add(area, center.x + radius * n1.x, center.y + radius * n1.y);
}


// Add the loop at the distance `radius` around the corners.
static void add_grown(const Shaper *shaper, Area *area, double radius, int stride) {
  const ImpVec2 *p = shaper->corners.points;
  int count = shaper->corners.point_count;
  if (count == 1) {
    add_circle(shaper, area, p[0], radius, stride);
    return;
  }
  ImpVec2 before = normal_of(p[count - 1], p[0]);
  for (int i = 0; i < count; ++i) {
    ImpVec2 after = normal_of(p[i], p[i + 1 < count ? i + 1 : 0]);
    add_arc(shaper, area, p[i], radius, before, after, stride);
    before = after;
  }
}


void shape_fill(Shaper *shaper, double radius) {
  Area *area = &shaper->area;
  area_reset(area, AREA_CONVEX);
  straighten(&shaper->corners);
  if (shaper->corners.point_count >= 3 && radius <= 0) {
    for (int i = 0; i < shaper->corners.point_count; ++i) {
      add(area, shaper->corners.points[i].x, shaper->corners.points[i].y);
    }
  } else if (radius > 0 && shaper->corners.point_count > 0) {
    if (radius > FAR) radius = FAR;
    add_grown(shaper, area, radius, stride_of(radius));
  }
  end_loop(area);
}


// ---------------------------------------------------------------------------------------------------------------------
// Outlines
// ---------------------------------------------------------------------------------------------------------------------

// End a ring: reverse the order of the inner points, which follow the outer points.
static void end_ring(Area *area) {
  if (area->loop_count != 1) return; // out of memory: the outer loop is missing
  ImpVec2 *p = area->points;
  for (int i = area->ends[0], k = area->point_count - 1; i < k; ++i, --k) {
    ImpVec2 q = p[i];
    p[i] = p[k];
    p[k] = q;
  }
  end_loop(area);
}


// Return how far the edges can move inwards before one vanishes, at most `depth` [px].
static double depth_within(const ImpVec2 *p, int count, double depth) {
  for (int i = 0; i < count; ++i) {
    ImpVec2 a = p[i], b = p[(i + 1) % count];
    ImpVec2 before = normal_of(p[(i + count - 1) % count], a), along = normal_of(a, b),
            after = normal_of(b, p[(i + 2) % count]);
    // If an edge moves inwards by 1, its ends move along it by sin(turn) / (1 + cos(turn)).
    double shrink = cross(before, along) / bend_of(before, along) + cross(along, after) / bend_of(along, after);
    double x = b.x - a.x, y = b.y - a.y, length = sqrt(x * x + y * y);
    if (!(shrink * depth < length)) depth = length / shrink;
  }
  return depth;
}


// Add the outer points of a corner: pointed, cut off, or round.
static void add_outer(const Shaper *shaper, Area *area, ImpVec2 p, ImpVec2 before, ImpVec2 after, double radius,
                      double half) {
  double bend = bend_of(before, after);
  if (radius > 0) {
    add_arc(shaper, area, p, radius + half, before, after, stride_of(radius + half));
  } else if (bend > MITRE) {
    add(area, p.x + half * (before.x + after.x) / bend, p.y + half * (before.y + after.y) / bend);
  } else {
    add(area, p.x + half * before.x, p.y + half * before.y);
    add(area, p.x + half * after.x, p.y + half * after.y);
  }
}


// Outline a pointed polygon on its inner side.
static void outline_pointed(Shaper *shaper, double radius, double half) {
  Area *area = &shaper->area;
  const ImpVec2 *p = shaper->corners.points;
  int count = shaper->corners.point_count;
  double depth = depth_within(p, count, half - radius);
  for (int side = 0; side < 2; ++side) {
    ImpVec2 before = normal_of(p[count - 1], p[0]);
    for (int i = 0; i < count; ++i) {
      ImpVec2 after = normal_of(p[i], p[i + 1 < count ? i + 1 : 0]);
      int first = area->point_count;
      add_outer(shaper, area, p[i], before, after, radius, half);
      double bend = bend_of(before, after);
      for (int k = first; side == 1 && k < area->point_count; ++k) {
        area->points[k].x = p[i].x - depth * (before.x + after.x) / bend;
        area->points[k].y = p[i].y - depth * (before.y + after.y) / bend;
      }
      before = after;
    }
    if (side == 0) end_loop(area);
  }
  end_ring(area);
}


void shape_outline(Shaper *shaper, double radius, double width) {
  Area *area = &shaper->area;
  double half = 0.5 * width;
  if (radius > FAR) radius = FAR;
  straighten(&shaper->corners);
  area_reset(area, AREA_RING);
  int count = shaper->corners.point_count, stride = stride_of(radius + half);
  if (count < 3 && radius <= half) {
    shape_fill(shaper, radius + half);
  } else if (radius < half) {
    outline_pointed(shaper, radius, half);
  } else {
    add_grown(shaper, area, radius + half, stride);
    end_loop(area);
    add_grown(shaper, area, radius - half, stride);
    end_ring(area);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Lines
// ---------------------------------------------------------------------------------------------------------------------

// Mark the edge from the last point to the next point as inside the area.
static void mark_inner(Area *area) {
  if (area->point_count > 0) area->inner[area->point_count - 1] = true;
}


// Add the line segment from a to b. `before`: another segment ends at a; `behind`: another segment starts at b.
static void add_segment(Area *area, ImpVec2 a, ImpVec2 b, ImpVec2 n, double half, bool before, bool behind) {
  add(area, a.x - half * n.x, a.y - half * n.y);
  if (before) mark_inner(area);
  add(area, a.x + half * n.x, a.y + half * n.y);
  add(area, b.x + half * n.x, b.y + half * n.y);
  if (behind) mark_inner(area);
  add(area, b.x - half * n.x, b.y - half * n.y);
  end_loop(area);
}


// Add the piece that fills the outer side of the joint of two segments.
static void add_join(const Shaper *shaper, Area *area, ImpVec2 p, ImpVec2 before, ImpVec2 after, double half) {
  double turn = cross(before, after), bend = bend_of(before, after);
  if (turn < 0) { // not a forward turn: swap and negate the normals
    ImpVec2 n = before;
    before = (ImpVec2){-after.x, -after.y};
    after = (ImpVec2){-n.x, -n.y};
  }
  add(area, p.x, p.y);
  mark_inner(area);
  if (2 * half >= ROUND_WIDTH || bend < 1e-3) {
    add_arc(shaper, area, p, half, before, after, stride_of(half));
  } else {
    add(area, p.x + half * before.x, p.y + half * before.y);
    if (bend > MITRE) add(area, p.x + half * (before.x + after.x) / bend, p.y + half * (before.y + after.y) / bend);
    add(area, p.x + half * after.x, p.y + half * after.y);
  }
  mark_inner(area);
  end_loop(area);
}


void shape_line(Shaper *shaper, double width) {
  Area *area = &shaper->area;
  ImpVec2 *p = shaper->corners.points;
  int count = 0, last = shaper->corners.point_count - 1;
  for (int i = 0; i <= last; ++i) {
    if (count == 0 || !near(p[i], p[count - 1], NEAR)) {
      p[count++] = p[i];
    } else if (i == last && count > 1) {
      p[count - 1] = p[i]; // replace the last point by the end point of the line
      if (near(p[count - 1], p[count - 2], 1e-6)) count--;
    }
  }
  area_reset(area, AREA_PIECES);
  bool closed = count > 2 && near(p[0], p[count - 1], 1e-6);
  ImpVec2 first = {0}, before = {0};
  for (int i = 0; i + 1 < count; ++i) {
    ImpVec2 n = normal_of(p[i], p[i + 1]);
    add_segment(area, p[i], p[i + 1], n, 0.5 * width, i > 0 || closed, i + 2 < count || closed);
    if (i == 0) {
      first = n;
    } else {
      add_join(shaper, area, p[i], before, n, 0.5 * width);
    }
    before = n;
  }
  if (closed) add_join(shaper, area, p[0], before, first, 0.5 * width);
}


void shape_arrow(Shaper *shaper, double width, double head) {
  Area *area = &shaper->area;
  area_reset(area, AREA_PIECES);
  ImpVec2 a = shaper->corners.points[0], b = shaper->corners.points[1];
  double x = b.x - a.x, y = b.y - a.y, length = sqrt(x * x + y * y);
  if (!(length > 1e-6)) return;
  if (head > length) head = length;
  ImpVec2 n = {y / length, -x / length}, d = {x / length, y / length};
  ImpVec2 neck = {b.x - head * d.x, b.y - head * d.y};
  double half = 0.4 * head > 0.5 * width ? 0.4 * head : 0.5 * width; // half of the head's width
  if (length > head) add_segment(area, a, neck, n, 0.5 * width, false, true);
  add(area, neck.x - half * n.x, neck.y - half * n.y);
  add(area, neck.x + half * n.x, neck.y + half * n.y);
  add(area, b.x, b.y);
  end_loop(area);
}
