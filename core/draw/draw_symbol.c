// The symbols of the draw list: dots, rings, coils, arrows.
#include "base/maths.h"
#include "draw/draw.h"

enum { ARC_SEGMENTS = 24 };            // number of segments of a full circle
enum { MIN_TURNS = 3, MAX_TURNS = 8 }; // a coil has one turn for each `width` of its length, within these bounds

static const double WHOLE_TURN = 6.283185307179586;
static const double MOST_TURN = 5.5; // largest angle of the arc of a torque [rad]; the ends of the arc stay apart
// two strokes across a cut arrow: distance and half length, both divided by the arrow's length
static const double CUT = 0.06;


bool impi_draw_line(ImpDrawList *list, ImpDrawItem item, ImpVec2 from, ImpVec2 to) {
  item.kind = IMP_DRAW_POLYLINE;
  return impi_draw_push(list, item, (ImpVec2[]){from, to}, 2);
}


bool impi_draw_dot(ImpDrawList *list, ImpDrawItem item, ImpVec2 at) {
  item.kind = IMP_DRAW_DOT;
  return impi_draw_push(list, item, &at, 1);
}


bool impi_draw_ring(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double radius) {
  item.kind = IMP_DRAW_OUTLINE;
  item.radius = radius;
  return impi_draw_push(list, item, &center, 1);
}


bool impi_draw_disk(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double radius) {
  item.kind = IMP_DRAW_FILL;
  item.radius = radius;
  return impi_draw_push(list, item, &center, 1);
}


bool impi_draw_center(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, ImpVec2 axis, double radius) {
  static const uint32_t WHITE = 0xffffffff, BLACK = 0x000000ff;
  ImpDrawItem part = item;
  part.color = WHITE;
  if (!impi_draw_disk(list, part, center, radius)) return false;
  part.color = BLACK;
  part.kind = IMP_DRAW_FILL;
  for (int quarter = 0; quarter < 2; ++quarter) {
    ImpVec2 points[ARC_SEGMENTS / 4 + 2];
    for (int i = 0; i <= ARC_SEGMENTS / 4; ++i) {
      ImpRot q = impi_rot(WHOLE_TURN * (quarter / 2.0 + (double)i / ARC_SEGMENTS));
      points[i] = impi_mul_add(center, radius, impi_rotate(q, axis));
    }
    points[ARC_SEGMENTS / 4 + 1] = center;
    if (!impi_draw_push(list, part, points, ARC_SEGMENTS / 4 + 2)) return false;
  }
  return impi_draw_ring(list, item, center, radius);
}


bool impi_draw_cross(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double size) {
  ImpVec2 up = {size, size}, down = {size, -size};
  return impi_draw_line(list, item, impi_sub(center, up), impi_add(center, up)) &&
         impi_draw_line(list, item, impi_sub(center, down), impi_add(center, down));
}


bool impi_draw_arc(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double radius, double from, double to) {
  double turn = impi_clamp(to - from, -WHOLE_TURN, WHOLE_TURN);
  if (!(fabs(turn) <= WHOLE_TURN)) return true; // nothing is drawn if an angle is NaN
  int count = 2 + (int)(fabs(turn) / WHOLE_TURN * ARC_SEGMENTS);
  item.kind = IMP_DRAW_POLYLINE;
  ImpVec2 *points = impi_draw_room(list, item, count);
  for (int i = 0; points != NULL && i < count; ++i) {
    ImpRot q = impi_rot(from + turn * i / (count - 1));
    points[i] = impi_mul_add(center, radius, impi_vec(q.c, q.s));
  }
  return points != NULL;
}


bool impi_draw_coil(ImpDrawList *list, ImpDrawItem item, ImpVec2 from, ImpVec2 to, double width) {
  double length;
  ImpVec2 along = impi_normalize(impi_sub(to, from), &length), side = impi_left(along);
  if (length < 2 * width) return impi_draw_line(list, item, from, to);
  int corners = 2 * (int)impi_clamp(length / width, MIN_TURNS, MAX_TURNS);
  item.kind = IMP_DRAW_POLYLINE;
  ImpVec2 *points = impi_draw_room(list, item, corners + 2);
  if (points == NULL) return false;
  points[0] = from;
  points[corners + 1] = to;
  for (int i = 0; i < corners; ++i) {
    ImpVec2 middle = impi_lerp(from, to, (i + 1.0) / (corners + 1));
    points[i + 1] = impi_mul_add(middle, i % 2 == 0 ? width : -width, side);
  }
  return true;
}


// Draw two strokes, `along` apart, across a cut arrow.
static bool draw_cut(ImpDrawList *list, ImpDrawItem item, ImpVec2 at, ImpVec2 along) {
  ImpVec2 stroke = impi_mul_add(impi_left(along), 0.5, along);
  for (int i = 0; i < 2; ++i) {
    ImpVec2 middle = impi_mul_add(at, i - 0.5, along);
    if (!impi_draw_line(list, item, impi_sub(middle, stroke), impi_add(middle, stroke))) return false;
  }
  return true;
}


bool impi_draw_vector(ImpDrawList *list, ImpDrawItem item, ImpVec2 at, ImpVec2 vector, double least, double longest) {
  double length;
  ImpVec2 along = impi_normalize(vector, &length);
  if (!(length >= least)) return true;
  ImpVec2 tip = impi_mul_add(at, impi_min(length, longest), along);
  item.kind = IMP_DRAW_ARROW;
  if (!impi_draw_push(list, item, (ImpVec2[]){at, tip}, 2)) return false;
  return length <= longest || draw_cut(list, item, impi_lerp(at, tip, 0.5), impi_scale(CUT * longest, along));
}


bool impi_draw_turn(ImpDrawList *list, ImpDrawItem item, ImpVec2 at, double length, double radius) {
  double turn = impi_clamp(length / radius, -MOST_TURN, MOST_TURN), step = WHOLE_TURN / ARC_SEGMENTS;
  if (!(fabs(turn) > step)) return true;
  double last = turn > 0 ? step : -step;
  ImpRot before = impi_rot(turn - last), end = impi_rot(turn);
  ImpVec2 tip[2] = {impi_mul_add(at, radius, impi_vec(before.c, before.s)),
                    impi_mul_add(at, radius, impi_vec(end.c, end.s))};
  if (!impi_draw_arc(list, item, at, radius, 0, turn - last)) return false;
  item.kind = IMP_DRAW_ARROW;
  if (!impi_draw_push(list, item, tip, 2)) return false;
  if (!(fabs(length) > MOST_TURN * radius)) return true;
  ImpRot middle = impi_rot(0.5 * turn);
  ImpVec2 out = impi_vec(middle.c, middle.s);
  return draw_cut(list, item, impi_mul_add(at, radius, out), impi_scale(0.25 * radius, impi_left(out)));
}
