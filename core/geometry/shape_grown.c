// Mass of the union of convex pieces of one radius r: the region within r of a concave outline. Notches and holes
// narrower than 2 r are filled.
//
// The boundaries of the pieces are split into curves y(x): edges and arcs. Between two adjacent ends or intersections
// of curves, the order of the curves is constant, and the order in the middle determines which curves bound the region.
// With u = x - c.x and s = sqrt(r^2 - u^2), the integrals under each curve have closed forms:
//   A = int y dx   m1 = (int x y dx, int y^2 / 2 dx)   I = int x^2 y + y^3 / 3 dx
// Rounding may exchange the order of two curves that touch or coincide. The area between such curves is as small as
// rounding errors.
//
// A few pieces at a time are joined into a region, and a few regions into a wider region. Curves inside the wider
// region are dropped. The boundaries of two rounded pieces intersect at most twice, because the interiors of the cores
// are disjoint. Therefore the union of n pieces has O(n) curves and O(n) intersections (Kedem, Livne, Pach and Sharir
// 1986). The time is proportional to the number of intersections times the number of curves at one x, at worst to n^2.
#include <math.h>

#include "base/array.h"
#include "base/sort.h"
#include "geometry/shape.h"

enum { TOGETHER = 4 }; // number of regions joined at a time

typedef struct Curve {
  ImpVec2 from, to; // ends of the whole edge or arc, from left to right
  ImpVec2 center;
  double bulge;      // signed radius: positive for an arc above its centre, negative for an arc below it, 0 for a line
  double begin, end; // range of x in which the curve bounds its region
  double lower, upper; // range of y of the curve between x = begin and x = end
  int32_t region;
  int step; // number of regions directly above the curve minus the number directly below: 1 or -1
} Curve;

typedef IMPI_ARRAY(Curve) Curves;

typedef struct Across {
  int32_t curve;
  int shown;     // 1: the curve bounds the union from below, -1: from above, 0: it is inside the union
  double since;  // x from which `shown` is constant
  double height; // y of the curve, by which the curves are sorted
} Across;

typedef struct Cover {
  ImpiHeap *heap;
  Curves curves;             // curves of all regions, sorted by region
  Curves wider;              // curves of the joined region
  IMPI_ARRAY(double) cuts;   // x of the ends and intersections of curves
  IMPI_ARRAY(Across) across; // curves at the present x, from below upwards
} Cover;


// ---------------------------------------------------------------------------------------------------------------------
// Curves
// ---------------------------------------------------------------------------------------------------------------------

static double height_at(const Curve *c, double x) {
  double u = x - c->center.x, t = (x - c->from.x) / (c->to.x - c->from.x);
  if (c->bulge == 0) {
    return (1 - t) * c->from.y + t * c->to.y;
  }
  double s = sqrt(impi_max((fabs(c->bulge) - u) * (fabs(c->bulge) + u), 0));
  return c->bulge > 0 ? c->center.y + s : c->center.y - s;
}


// Return the part of a curve from begin to end.
static Curve part_of(const Curve *whole, double begin, double end, int step, int32_t region) {
  Curve c = *whole;
  double one = height_at(&c, begin), other = height_at(&c, end);
  bool turns = c.bulge != 0 && begin <= c.center.x && c.center.x <= end;
  c.begin = begin;
  c.end = end;
  c.lower = turns && c.bulge < 0 ? c.center.y + c.bulge : impi_min(one, other);
  c.upper = turns && c.bulge > 0 ? c.center.y + c.bulge : impi_max(one, other);
  c.region = region;
  c.step = step;
  return c;
}


// Add a line or arc of a piece's boundary, from p to q counter-clockwise.
static bool add_curve(Cover *cover, int32_t piece, ImpVec2 p, ImpVec2 q, ImpVec2 center, double bulge) {
  if (p.x == q.x) {
    return true;
  }
  if (!impi_reserve(cover->heap, &cover->curves, cover->curves.count + 1)) {
    return false;
  }
  bool right = p.x < q.x;
  Curve whole = {.from = right ? p : q, .to = right ? q : p, .center = center, .bulge = bulge};
  cover->curves.data[cover->curves.count++] = part_of(&whole, whole.from.x, whole.to.x, right ? 1 : -1, piece);
  return true;
}


// Add an arc of less than pi. The arc is split at the horizontal line through its centre.
static bool add_arc(Cover *cover, int32_t piece, ImpVec2 center, ImpVec2 before, ImpVec2 after, double r) {
  ImpVec2 p = impi_mul_add(center, r, before), q = impi_mul_add(center, r, after);
  bool above = before.y >= 0, ends_above = after.y >= 0;
  if (above == ends_above) {
    return add_curve(cover, piece, p, q, center, above ? r : -r);
  }
  ImpVec2 side = impi_vec(center.x + (above ? -r : r), center.y);
  return add_curve(cover, piece, p, side, center, above ? r : -r) &&
         add_curve(cover, piece, side, q, center, above ? -r : r);
}


static bool add_piece(Cover *cover, int32_t piece, const ImpiHull *hull, ImpVec2 origin) {
  double r = hull->radius;
  for (int i = 0; i < hull->count; ++i) {
    int before = (i > 0 ? i : hull->count) - 1, next = i + 1 < hull->count ? i + 1 : 0;
    ImpVec2 p = impi_sub(hull->v[i], origin), q = impi_sub(hull->v[next], origin), n = hull->n[i];
    if (!add_arc(cover, piece, p, hull->n[before], n, r) ||
        !add_curve(cover, piece, impi_mul_add(p, r, n), impi_mul_add(q, r, n), p, 0)) {
      return false;
    }
  }
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Intersections
// ---------------------------------------------------------------------------------------------------------------------

// Compute x of the intersections of the lines or circles of two curves. Returns the number of intersections, at most
// two.
static int meet(const Curve *a, const Curve *b, double out_x[2]) {
  const Curve *line = a->bulge == 0 ? a : b, *other = line == a ? b : a;
  double r = fabs(other->bulge);
  if (line->bulge != 0) {
    ImpVec2 d = impi_sub(b->center, a->center);
    double d_sq = impi_length_sq(d), half_sq = r * r - d_sq / 4;
    if (half_sq <= 0 || d_sq == 0) {
      return 0;
    }
    double middle = 0.5 * (a->center.x + b->center.x), half = sqrt(half_sq / d_sq) * d.y;
    out_x[0] = middle - half;
    out_x[1] = middle + half;
    return 2;
  }
  ImpVec2 d = impi_sub(line->to, line->from);
  if (r == 0) {
    ImpVec2 e = impi_sub(other->to, other->from);
    double sine = impi_cross(d, e);
    out_x[0] = line->from.x + (sine == 0 ? 0 : impi_cross(impi_sub(other->from, line->from), e) / sine * d.x);
    return sine == 0 ? 0 : 1;
  }
  ImpVec2 f = impi_sub(other->center, line->from);
  double d_sq = impi_length_sq(d), aside = impi_cross(f, d), half_sq = r * r - aside * aside / d_sq;
  if (half_sq <= 0) {
    return 0;
  }
  double nearest = impi_dot(f, d) / d_sq, half = sqrt(half_sq / d_sq);
  out_x[0] = line->from.x + (nearest - half) * d.x;
  out_x[1] = line->from.x + (nearest + half) * d.x;
  return 2;
}


static bool add_cut(Cover *cover, double x) {
  if (!impi_reserve(cover->heap, &cover->cuts, cover->cuts.count + 1)) {
    return false;
  }
  cover->cuts.data[cover->cuts.count++] = x;
  return true;
}


static bool add_cuts(Cover *cover, const Curve *a, const Curve *b) {
  double least = impi_max(a->begin, b->begin), most = impi_min(a->end, b->end), x[2] = {0, 0};
  int count = meet(a, b, x);
  for (int i = 0; i < count; ++i) {
    if (x[i] > least && x[i] < most && !add_cut(cover, x[i])) {
      return false;
    }
  }
  return true;
}


// Collect the ends and intersections of `count` curves, which are sorted by `begin`.
static bool add_all_cuts(Cover *cover, const Curve *curves, int count) {
  cover->cuts.count = 0;
  for (int i = 0; i < count; ++i) {
    const Curve *a = &curves[i];
    if (!add_cut(cover, a->begin) || !add_cut(cover, a->end)) {
      return false;
    }
    for (int j = i + 1; j < count && curves[j].begin < a->end; ++j) {
      bool apart = curves[j].region == a->region || curves[j].upper < a->lower || curves[j].lower > a->upper;
      if (!apart && !add_cuts(cover, a, &curves[j])) {
        return false;
      }
    }
  }
  return true;
}


static bool begins_before(const void *a, const void *b, const void *context) {
  (void)context;
  const Curve *one = a, *other = b;
  return one->begin != other->begin ? one->begin < other->begin : one->lower < other->lower;
}


static bool is_less(const void *a, const void *b, const void *context) {
  (void)context;
  return *(const double *)a < *(const double *)b;
}


// ---------------------------------------------------------------------------------------------------------------------
// The boundary of the union
// ---------------------------------------------------------------------------------------------------------------------

// Add the part of a curve from a->since to x to the curves of the joined region, if this part bounds the union.
static bool put_wider(Cover *cover, const Curve *curves, const Across *a, double x) {
  if (a->shown == 0) {
    return true;
  }
  if (!impi_reserve(cover->heap, &cover->wider, cover->wider.count + 1)) {
    return false;
  }
  const Curve *curve = &curves[a->curve];
  cover->wider.data[cover->wider.count++] = part_of(curve, a->since, x, a->shown, curve->region / TOGETHER);
  return true;
}


// Remove curves that end at or before x, and add curves that begin at or before x. The `count` curves are sorted by
// `begin`; `next`: index of the next curve to add.
static bool go_on(Cover *cover, const Curve *curves, int count, double x, int *next) {
  Across *across = cover->across.data;
  int kept = 0;
  for (int i = 0; i < cover->across.count; ++i) {
    if (curves[across[i].curve].end > x) {
      across[kept++] = across[i];
    } else if (!put_wider(cover, curves, &across[i], x)) {
      return false;
    }
  }
  for (; *next < count && curves[*next].begin <= x; ++*next) {
    if (curves[*next].end > x) {
      across[kept++] = (Across){.curve = *next};
    }
  }
  cover->across.count = kept;
  return true;
}


// Sort the curves upwards by y at x.
static void put_in_order(Cover *cover, const Curve *curves, double x) {
  Across *across = cover->across.data;
  for (int i = 0; i < cover->across.count; ++i) {
    across[i].height = height_at(&curves[across[i].curve], x);
    if (i == 0 || across[i - 1].height <= across[i].height) {
      continue;
    }
    Across a = across[i];
    int at = i;
    for (; at > 0 && across[at - 1].height > a.height; --at) {
      across[at] = across[at - 1];
    }
    across[at] = a;
  }
}


// Determine which curves bound the union from x to the next cut.
static bool show(Cover *cover, const Curve *curves, double x) {
  for (int i = 0, depth = 0; i < cover->across.count; ++i) {
    Across *a = &cover->across.data[i];
    bool outside = depth == 0;
    depth += curves[a->curve].step;
    int shown = outside ? 1 : depth == 0 ? -1 : 0;
    if (shown != a->shown) {
      if (!put_wider(cover, curves, a, x)) {
        return false;
      }
      a->shown = shown;
      a->since = x;
    }
  }
  return true;
}


// Join the regions of `count` consecutive curves into one region.
static bool join(Cover *cover, Curve *curves, int count) {
  impi_sort(curves, count, sizeof(Curve), begins_before, NULL);
  if (!add_all_cuts(cover, curves, count) || !impi_reserve(cover->heap, &cover->across, count)) {
    return false;
  }
  const double *cuts = cover->cuts.data;
  impi_sort(cover->cuts.data, cover->cuts.count, sizeof(double), is_less, NULL);
  for (int i = 0, next = 0; i < cover->cuts.count; ++i) {
    bool last = i + 1 == cover->cuts.count;
    if (!last && cuts[i] == cuts[i + 1]) {
      continue;
    }
    if (!go_on(cover, curves, count, cuts[i], &next)) {
      return false;
    }
    if (!last) {
      put_in_order(cover, curves, 0.5 * (cuts[i] + cuts[i + 1]));
      if (!show(cover, curves, cuts[i])) {
        return false;
      }
    }
  }
  return true;
}


static bool widen(Cover *cover) {
  Curve *curves = cover->curves.data;
  cover->wider.count = 0;
  for (int begin = 0, end = 0; begin < cover->curves.count; begin = end) {
    while (end < cover->curves.count && curves[end].region / TOGETHER == curves[begin].region / TOGETHER) {
      ++end;
    }
    if (!join(cover, &curves[begin], end - begin)) {
      return false;
    }
  }
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// The moments
// ---------------------------------------------------------------------------------------------------------------------

static void add_under_line(ImpiMoments *m, const Curve *c, double from, double to, double sign) {
  // Simpson's rule, exact up to the third power
  const double weight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
  for (int i = 0; i < 3; ++i) {
    double x = from + 0.5 * i * (to - from), y = height_at(c, x), w = sign * weight[i] * (to - from);
    m->area += w * y;
    m->first = impi_add(m->first, impi_vec(w * x * y, 0.5 * w * y * y));
    m->second += w * (x * x * y + y * y * y / 3);
  }
}


// Add `sign` times the antiderivatives at x of the moments under an arc. u, s: horizontal and vertical distance from
// the arc's centre to the arc at x.
static void add_under_arc(ImpiMoments *m, const Curve *c, double x, double sign) {
  double r = fabs(c->bulge), over = c->bulge > 0 ? 1 : -1, cx = c->center.x, cy = c->center.y;
  double u = impi_clamp(x - cx, -r, r), s = sqrt((r - u) * (r + u)), s3 = s * s * s;
  double s_0 = 0.5 * (u * s + r * r * imp_atan2(u, s)); // int s du
  double s_1 = -s3 / 3;                                 // int u s du
  double s_2 = 0.25 * (r * r * s_0 - u * s3);           // int u^2 s du
  double sq = r * r * u - u * u * u / 3;                // int s^2 du
  double cube = 0.25 * (u * s3 + 3 * r * r * s_0);      // int s^3 du
  double u_1 = 0.5 * u * u, u_2 = u * u * u / 3;        // int u du, int u^2 du
  double xy = cy * (cx * u + u_1) + over * (cx * s_0 + s_1);
  double xxy = cy * (cx * cx * u + 2 * cx * u_1 + u_2) + over * (cx * cx * s_0 + 2 * cx * s_1 + s_2);
  double yy = cy * cy * u + 2 * cy * over * s_0 + sq;
  double yyy = cy * cy * cy * u + 3 * cy * cy * over * s_0 + 3 * cy * sq + over * cube;
  m->area += sign * (cy * u + over * s_0);
  m->first = impi_add(m->first, impi_vec(sign * xy, sign * 0.5 * yy));
  m->second += sign * (xxy + yyy / 3);
}


static void add_under(ImpiMoments *m, const Curve *c, double from, double to, double sign) {
  if (c->bulge == 0) {
    add_under_line(m, c, from, to, sign);
  } else {
    add_under_arc(m, c, to, sign);
    add_under_arc(m, c, from, -sign);
  }
}


bool impi_grown_moments(ImpiHeap *heap, const ImpiHull *hulls, int32_t count, ImpVec2 origin,
                        ImpiMoments *out_moments) {
  Cover cover = {.heap = heap};
  ImpiMoments sum = {0};
  bool fine = true;
  for (int32_t i = 0; i < count && fine; ++i) {
    fine = add_piece(&cover, i, &hulls[i], origin);
  }
  for (int32_t regions = count; regions > 1 && fine; regions = (regions + TOGETHER - 1) / TOGETHER) {
    fine = widen(&cover);
    Curves narrow = cover.curves;
    cover.curves = cover.wider;
    cover.wider = narrow;
  }
  for (int i = 0; i < cover.curves.count; ++i) {
    const Curve *c = &cover.curves.data[i];
    add_under(&sum, c, c->begin, c->end, -c->step);
  }
  *out_moments = sum;
  impi_array_free(heap, &cover.curves);
  impi_array_free(heap, &cover.wider);
  impi_array_free(heap, &cover.cuts);
  impi_array_free(heap, &cover.across);
  return fine;
}
