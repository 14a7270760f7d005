// Draws images into pixels, rotated and scaled. An affine map gives the position in the image of each target pixel.
// If the edges of the image are horizontal and vertical, they are rounded to whole pixels, so tiles meet without gaps.
// Other edges are antialiased by the distance of the pixel's centre to the edge.
// Only IEEE + - * /, square roots and integers are used, so pixels are the same on every machine.
#include <math.h>
#include <string.h>

#include "picture/paint.h"

#define UNIT 4294967296.0 // fixed-point steps per pixel of the image
#define THINNEST 1e-3     // [px] images of less width or height are not painted
#define PLAIN 0xFFFFFFFF  // a tint that does not change the colours

typedef struct Map {
  ImpVec2 at;      // image coordinates s, t (0 to 1) of the target's origin x = 0, y = 0
  ImpVec2 dx, dy;  // change of s and t per pixel in x, and in y
  ImpVec2 soft;    // half a target pixel, measured in s and t; 0: the edges are not antialiased
  ImpVec2 size;    // size of the image in the target [px]
  ImpVec2 inverse; // 1 / dx.x and 1 / dx.y; 0 where dx is 0
  ImpVec2 inner;   // pixels with s and t in [inner, 1 - inner] are away from all edges
} Map;

// Vectors of two 4-byte pixels. Pixels: both in the first 8 bytes; Bytes: the same, byte by byte; Words: the 8 bytes as
// 16-bit numbers; HalfBytes: the 8 numbers converted back to bytes.
typedef uint64_t Pixels __attribute__((vector_size(16)));
typedef uint8_t Bytes __attribute__((vector_size(16)));
typedef uint8_t HalfBytes __attribute__((vector_size(8)));
typedef uint16_t Words __attribute__((vector_size(16)));

typedef struct Span {
  double low, high;
} Span;


// Weights of bilinear interpolation [1/256], by position [1/256 pixel]
typedef struct Weights {
  // above, below: 8 equal weights; across: 4 weights of the left pixel, then 4 of the right pixel
  Words above, below, across;
} Weights;

static Weights weights[256];


static void make_weights(void) {
  for (int i = 0; i < 256 && weights[255].below[0] == 0; ++i) {
    for (int k = 0; k < 8; ++k) {
      weights[i].above[k] = (uint16_t)(256 - i);
      weights[i].below[k] = (uint16_t)i;
      weights[i].across[k] = (uint16_t)(k < 4 ? 256 - i : i);
    }
  }
}


static inline Words words_of(const uint32_t pixels[2]) {
  const Bytes zero = {0};
  uint64_t both;
  memcpy(&both, pixels, sizeof both);
  Bytes bytes = (Bytes)(Pixels){both, 0};
  return (Words)__builtin_shufflevector(bytes, zero, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}


// Interpolate four neighbouring pixels, first downwards, then across.
static inline uint32_t mixed(const uint32_t above[2], const uint32_t below[2], unsigned fu, unsigned fv) {
  Words column = words_of(above) * weights[fv].above + words_of(below) * weights[fv].below;
  column = ((column + 128) >> 8) * weights[fu].across;
  column = (column + __builtin_shufflevector(column, column, 4, 5, 6, 7, 0, 1, 2, 3) + 128) >> 8;
  HalfBytes mean = __builtin_convertvector(column, HalfBytes);
  uint32_t pixel;
  memcpy(&pixel, &mean, sizeof pixel);
  return pixel;
}


// Multiply all bytes by weight / 255, rounded.
static inline uint32_t scale(uint32_t pixel, uint32_t weight) {
  const uint32_t even = 0x00FF00FF, half = 0x00800080;
  uint32_t a = (pixel & even) * weight + half, b = (pixel >> 8 & even) * weight + half;
  a = (a + (a >> 8 & even)) >> 8 & even;
  b = (b + (b >> 8 & even)) & ~even;
  return a | b;
}


static inline uint32_t times(uint32_t a, uint32_t b) { return (a * b + 127) / 255; }


static uint32_t premultiplied(uint32_t color) {
  uint32_t alpha = color & 255, pixel;
  uint8_t bytes[4] = {(uint8_t)times(color >> 24, alpha), (uint8_t)times(color >> 16 & 255, alpha),
                      (uint8_t)times(color >> 8 & 255, alpha), (uint8_t)alpha};
  memcpy(&pixel, bytes, sizeof pixel);
  return pixel;
}


// Multiply pixel and tint, byte by byte.
static inline uint32_t tinted(uint32_t pixel, uint32_t tint) {
  return times(pixel & 255, tint & 255) | times(pixel >> 8 & 255, tint >> 8 & 255) << 8 |
         times(pixel >> 16 & 255, tint >> 16 & 255) << 16 | times(pixel >> 24, tint >> 24) << 24;
}


static inline uint32_t alpha_of(uint32_t pixel) {
  uint8_t bytes[4];
  memcpy(bytes, &pixel, sizeof bytes);
  return bytes[3];
}


static inline void put(uint32_t *to, uint32_t pixel) {
  uint32_t alpha = alpha_of(pixel);
  if (alpha == 255) {
    *to = pixel;
  } else if (pixel != 0) {
    *to = pixel + scale(*to, 255 - alpha);
  }
}


static inline int within(int64_t x, int last) { return x < 0 ? 0 : x > last ? last : (int)x; }


// Interpolate the colour half a pixel right of and below (u, v) [fixed point]. The integer part of (u, v) is the upper
// left of the four neighbours, all within the level.
static inline uint32_t sample(const ImageLevel *level, int64_t u, int64_t v) {
  int64_t column = u >> 32, row = v >> 32;
  uint32_t fu = (uint32_t)(u >> 24 & 255), fv = (uint32_t)(v >> 24 & 255);
  int x0 = within(column, level->width - 1), x1 = within(column + 1, level->width - 1);
  const uint32_t *above = level->pixels + (size_t)within(row, level->height - 1) * (size_t)level->stride;
  const uint32_t *below = level->pixels + (size_t)within(row + 1, level->height - 1) * (size_t)level->stride;
  return mixed((uint32_t[2]){above[x0], above[x1]}, (uint32_t[2]){below[x0], below[x1]}, fu, fv);
}


static inline uint32_t nearest(const ImageLevel *level, int64_t u, int64_t v) {
  return level->pixels[(size_t)within(v >> 32, level->height - 1) * (size_t)level->stride +
                       (size_t)within(u >> 32, level->width - 1)];
}


// Return the positions x of a span where low <= a + x / inverse < high. inverse = 0: the value is `a`.
static inline Span narrow(Span span, double a, double inverse, double low, double high) {
  if (inverse == 0) return a >= low && a < high ? span : (Span){0, 0};
  double from = (low - a) * inverse, to = (high - a) * inverse;
  if (inverse < 0) {
    double x = from;
    from = to;
    to = x;
  }
  return (Span){from > span.low ? from : span.low, to < span.high ? to : span.high};
}


static double limit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }


// Return a pixel's coverage (0 .. 1) from its distances to the edges [px].
static inline double coverage(const Map *map, double s, double t) {
  double across = 0.5 + (s < 0.5 ? s : 1 - s) * map->size.x, along = 0.5 + (t < 0.5 ? t : 1 - t) * map->size.y;
  return limit(across) * limit(along);
}


// A row of pixels of the target; s, t at the centre of its first pixel.
typedef struct Row {
  const Map *map;
  const PaintImage *image;
  uint32_t tint;
  uint32_t *pixels;
  double s, t;
} Row;


// Paint the pixels from `first` to before `end`, which are near the edges of the image.
static void paint_edge(const Row *row, int first, int end) {
  const Map *map = row->map;
  const ImageLevel *level = row->image->level;
  if (first >= end) return;
  double s = row->s + map->dx.x * first, t = row->t + map->dx.y * first, shift = row->image->coarse ? 0 : 0.5;
  int64_t u = (int64_t)((s * level->width - shift) * UNIT), du = (int64_t)(map->dx.x * level->width * UNIT);
  int64_t v = (int64_t)((t * level->height - shift) * UNIT), dv = (int64_t)(map->dx.y * level->height * UNIT);
  for (int x = first; x < end; ++x, u += du, v += dv, s += map->dx.x, t += map->dx.y) {
    uint32_t pixel = row->image->coarse ? nearest(level, u, v) : sample(level, u, v);
    if (pixel == 0) continue;
    if (row->tint != PLAIN) pixel = tinted(pixel, row->tint);
    if (map->soft.x > 0) pixel = scale(pixel, (uint32_t)(coverage(map, s, t) * 255 + 0.5));
    put(row->pixels + x, pixel);
  }
}


// Paint pixels whose four neighbours are all inside the image. Such pixels need neither clamping nor coverage.
static void paint_inside(const Row *row, int first, int end) {
  const ImageLevel *level = row->image->level;
  const bool coarse = row->image->coarse;
  const uint32_t tint = row->tint, *const picture = level->pixels;
  const int64_t stride = level->stride;
  double s = row->s + row->map->dx.x * first, t = row->t + row->map->dx.y * first;
  double shift = coarse ? 0 : 0.5;
  int64_t u = (int64_t)((s * level->width - shift) * UNIT), du = (int64_t)(row->map->dx.x * level->width * UNIT);
  int64_t v = (int64_t)((t * level->height - shift) * UNIT), dv = (int64_t)(row->map->dx.y * level->height * UNIT);
  uint32_t *to = row->pixels + first;
  for (uint32_t *last = row->pixels + end; to < last; ++to, u += du, v += dv) {
    const uint32_t *at = picture + (v >> 32) * stride + (u >> 32);
    uint32_t pixel = coarse ? *at : mixed(at, at + stride, (unsigned)(u >> 24) & 255, (unsigned)(v >> 24) & 255);
    if (tint != PLAIN) pixel = tinted(pixel, tint);
    put(to, pixel);
  }
}


static inline int column(double x, int low, int high) {
  if (x <= low) return low;
  if (x >= high) return high;
  int whole = (int)(x - 0.5); // x > low >= 0
  return whole < x - 0.5 ? whole + 1 : whole;
}


// Round the position of an edge, so that two adjacent images have the same edge.
static double rounded(double x) { return floor(x * 256 + 0.5) / 256; }


static bool is_upright(ImpVec2 o, ImpVec2 p, ImpVec2 q) {
  const double most = 1e-3; // [px] largest deviation of a side from the axes of the screen
  return (fabs(p.y - o.y) < most && fabs(q.x - o.x) < most) || (fabs(p.x - o.x) < most && fabs(q.y - o.y) < most);
}


// Return the part of a span where all four neighbours exist.
static inline Span inner_part(const Row *row, Span outer) {
  const Map *map = row->map;
  outer = narrow(outer, row->s, map->inverse.x, map->inner.x, 1 - map->inner.x);
  return narrow(outer, row->t, map->inverse.y, map->inner.y, 1 - map->inner.y);
}


void raster_image(void *target, const PaintImage *image, uint32_t tint) {
  Raster *raster = target;
  PaintBox clip = raster->clip;
  ImpVec2 o = image->corners[0], p = image->corners[1], q = image->corners[3];
  bool upright = is_upright(o, p, q);
  if (upright) {
    o = (ImpVec2){rounded(o.x), rounded(o.y)};
    p = (ImpVec2){rounded(p.x), rounded(p.y)};
    q = (ImpVec2){rounded(q.x), rounded(q.y)};
  }
  ImpVec2 a = {p.x - o.x, p.y - o.y}, b = {q.x - o.x, q.y - o.y};
  double det = a.x * b.y - a.y * b.x;
  double width = fabs(det) / sqrt(b.x * b.x + b.y * b.y), height = fabs(det) / sqrt(a.x * a.x + a.y * a.y);
  if (!(width > THINNEST && height > THINNEST) || !isfinite(det)) return;
  Map map = {.dx = {b.y / det, -a.y / det}, .dy = {-b.x / det, a.x / det}};
  map.at = (ImpVec2){-o.x * map.dx.x - o.y * map.dy.x, -o.x * map.dx.y - o.y * map.dy.y};
  map.size = (ImpVec2){width, height};
  if (!upright) map.soft = (ImpVec2){0.5 / width, 0.5 / height};
  map.inverse = (ImpVec2){map.dx.x != 0 ? 1 / map.dx.x : 0, map.dx.y != 0 ? 1 / map.dx.y : 0};
  // More than half a pixel, because steps accumulate rounding errors
  map.inner = (ImpVec2){0.51 / image->level->width, 0.51 / image->level->height};
  bool bare = image->level->empty_edge && !image->coarse;
  if (!bare) {
    map.inner = (ImpVec2){fmax(map.soft.x, map.inner.x), fmax(map.soft.y, map.inner.y)};
  }
  make_weights();
  double low = fmin(fmin(o.y, p.y), fmin(q.y, p.y + b.y)), high = fmax(fmax(o.y, p.y), fmax(q.y, p.y + b.y));
  double left = fmin(fmin(o.x, p.x), fmin(q.x, p.x + b.x)), right = fmax(fmax(o.x, p.x), fmax(q.x, p.x + b.x));
  double margin = upright ? 0 : 1;
  int top = column(low - margin, clip.y1, clip.y2), bottom = column(high + margin, clip.y1, clip.y2);
  Row row = {.map = &map, .image = image, .tint = premultiplied(tint)};
  for (int y = top; y < bottom; ++y) {
    row.pixels = raster->pixels + (size_t)y * (size_t)raster->width;
    row.s = map.at.x + map.dx.x * 0.5 + map.dy.x * (y + 0.5);
    row.t = map.at.y + map.dx.y * 0.5 + map.dy.y * (y + 0.5);
    Span inner = inner_part(&row, (Span){clip.x1 - 1, clip.x2});
    if (bare) {
      if (!(inner.low < inner.high)) continue;
      int from = column(inner.low + 0.5, clip.x1, clip.x2);
      paint_inside(&row, from, column(inner.high + 0.5, from, clip.x2));
      continue;
    }
    Span outer = {left, right};
    if (!upright) {
      outer = narrow((Span){clip.x1, clip.x2}, row.s, map.inverse.x, -map.soft.x, 1 + map.soft.x);
      outer = narrow(outer, row.t, map.inverse.y, -map.soft.y, 1 + map.soft.y);
      // narrow measures x from the centre of the leftmost column, and `column` from its left side
      outer = (Span){outer.low + 0.5, outer.high + 0.5};
    }
    if (!(outer.low < outer.high)) continue;
    int from = column(outer.low, clip.x1, clip.x2), to = column(outer.high, clip.x1, clip.x2), first = to, end = to;
    if (inner.low < inner.high) {
      first = column(inner.low + 0.5, from, to);
      end = column(inner.high + 0.5, first, to);
    }
    paint_edge(&row, from, first);
    paint_inside(&row, first, end);
    paint_edge(&row, end, to);
  }
}
