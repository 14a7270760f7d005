// Rasterizes areas by exact coverage: a pixel gets the area's colour in proportion to the covered part of its square.
// Each edge adds numbers to the cells of its rows. The sum of the cells up to a pixel is the area right of the edge
// within the pixel, signed by the edge's direction. A loop's sum is its area in each pixel, clamped to 1.
//   source: R. Levien, font-rs (2016); cells as in D. Turner's FreeType rasterizer
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/paint.h"

enum { BAND_CELLS = 1 << 20 }; // largest number of cells in a band; larger areas are filled in several bands

// The part `box` of the picture that is filled at once. Its rows of cells follow each other in raster->cells.
typedef struct Band {
  Raster *raster;
  PaintBox box;
  int stride; // cells per row: pixels per row + 2
} Band;


bool raster_init(Raster *raster, int width, int height) {
  size_t pixels = (size_t)width * (size_t)height;
  *raster = (Raster){.width = width, .height = height, .clip = {0, 0, width, height}};
  raster->pixels = calloc(pixels > 0 ? pixels : 1, sizeof *raster->pixels);
  raster->extents = malloc(sizeof *raster->extents * 2 * (size_t)(height > 0 ? height : 1));
  if (raster->pixels != NULL && raster->extents != NULL) return true;
  raster_free(raster);
  return false;
}


void raster_free(Raster *raster) {
  free(raster->pixels);
  free(raster->cells);
  free(raster->extents);
  *raster = (Raster){0};
}


// ---------------------------------------------------------------------------------------------------------------------
// Colours
// ---------------------------------------------------------------------------------------------------------------------

// Blend pixels: (below * (255 - weight) + above * weight) / 255, rounded, for each byte
static uint32_t mix(uint32_t below, uint32_t above, uint32_t weight) {
  const uint32_t even = 0x00FF00FF, half = 0x00800080;
  uint32_t rest = 255 - weight;
  uint32_t a = (below & even) * rest + (above & even) * weight + half;
  uint32_t b = (below >> 8 & even) * rest + (above >> 8 & even) * weight + half;
  a = (a + (a >> 8 & even)) >> 8 & even;
  b = (b + (b >> 8 & even)) & ~even;
  return a | b;
}


static uint32_t opaque(uint32_t color) {
  uint8_t bytes[4] = {(uint8_t)(color >> 24), (uint8_t)(color >> 16), (uint8_t)(color >> 8), 255};
  uint32_t pixel;
  memcpy(&pixel, bytes, sizeof pixel);
  return pixel;
}


static void mix_span(uint32_t *pixels, int count, uint32_t above, uint32_t weight) {
  if (weight == 255) {
    for (int i = 0; i < count; ++i) pixels[i] = above;
  } else if (weight > 0) {
    for (int i = 0; i < count; ++i) pixels[i] = mix(pixels[i], above, weight);
  }
}


void raster_clear(Raster *raster, uint32_t color) {
  uint32_t pixel = mix(0, opaque(color), color & 255);
  size_t count = (size_t)raster->width * (size_t)raster->height;
  for (size_t i = 0; i < count; ++i) raster->pixels[i] = pixel;
}


bool raster_read(const Raster *raster, uint8_t *out) {
  size_t count = (size_t)raster->width * (size_t)raster->height;
  memcpy(out, raster->pixels, count * 4);
  bool all = true;
  for (size_t i = 0; i < count; ++i) {
    uint8_t *pixel = out + i * 4;
    unsigned alpha = pixel[3];
    if (alpha == 255) continue;
    all = false;
    for (int k = 0; k < 3 && alpha > 0; ++k) {
      unsigned straight = (pixel[k] * 255u + alpha / 2) / alpha;
      pixel[k] = (uint8_t)(straight < 255 ? straight : 255);
    }
  }
  return all;
}


// ---------------------------------------------------------------------------------------------------------------------
// Edges
// ---------------------------------------------------------------------------------------------------------------------

// Add an edge within a row from x0 to x1, of signed height.
static void add_to_row(float *cells, double x0, double x1, double height) {
  if (x0 > x1) {
    double x = x0;
    x0 = x1;
    x1 = x;
  }
  int first = (int)x0, last = (int)x1;
  if (last == first) {
    double left = height * (0.5 * (x0 + x1) - first); // area to the left of the edge in its pixel
    cells[first] += (float)(height - left);
    cells[first + 1] += (float)left;
    return;
  }
  double slope = height / (x1 - x0), before = 0; // `before`: sum of the cells so far
  double reach = first + 1 - x0;
  double sum = 0.5 * slope * reach * reach;
  for (int i = first; i < last; ++i) {
    cells[i] += (float)(sum - before);
    before = sum;
    sum = slope * (i + 1.5 - x0);
  }
  double rest = x1 - last;
  sum = height - 0.5 * slope * rest * rest;
  cells[last] += (float)(sum - before);
  cells[last + 1] += (float)(height - sum);
}


static void touch(int *extent, double x0, double x1) {
  int low = (int)(x0 < x1 ? x0 : x1), high = (int)(x0 < x1 ? x1 : x0) + 1;
  if (low < extent[0]) extent[0] = low;
  if (high > extent[1]) extent[1] = high;
}


// Add an edge within the band; x and y are relative to the band's corner, y0 < y1.
static void add_inside(const Band *band, double x0, double y0, double x1, double y1, double sign) {
  double slope = (x1 - x0) / (y1 - y0), right = band->box.x2 - band->box.x1;
  int last = (int)y1;
  double x = x0, y = y0;
  for (int row = (int)y0; row <= last; ++row) {
    double below = row < last ? row + 1 : y1;
    if (below <= y) continue;
    double next = row < last ? x0 + slope * (below - y0) : x1;
    next = next < 0 ? 0 : next > right ? right : next; // rounding may move `next` out of the band
    float *cells = band->raster->cells + (size_t)row * (size_t)band->stride;
    add_to_row(cells, x, next, sign * (below - y));
    touch(band->raster->extents + 2 * row, x, next);
    x = next;
    y = below;
  }
}


// Add an edge that may leave the band's columns: parts outside are moved to the border.
static void add_edge(const Band *band, ImpVec2 p, ImpVec2 q) {
  double sign = 1, bottom = band->box.y2 - band->box.y1, right = band->box.x2 - band->box.x1;
  double x0 = p.x - band->box.x1, y0 = p.y - band->box.y1, x1 = q.x - band->box.x1, y1 = q.y - band->box.y1;
  if (y0 > y1) {
    double x = x0, y = y0;
    x0 = x1, y0 = y1, x1 = x, y1 = y;
    sign = -1;
  }
  if (!(y0 < y1) || y1 <= 0 || y0 >= bottom) return;
  double slope = (x1 - x0) / (y1 - y0);
  // Skip an edge with a corner at infinity, such as the mitre of a thin shape.
  if (!isfinite(slope) || !isfinite(y1 - y0)) return;
  if (y0 < 0) x0 -= slope * y0, y0 = 0;
  if (y1 > bottom) x1 -= slope * (y1 - bottom), y1 = bottom;

  const double borders[2] = {0, right};
  double cuts[4] = {y0, y1, y1, y1}; // values of y where the edge crosses a border, ascending
  int count = 1;
  for (int i = 0; i < 2; ++i) {
    double border = borders[slope > 0 ? i : 1 - i];
    if ((x0 < border) == (x1 < border)) continue;
    double y = y0 + (border - x0) / slope;
    if (y > cuts[count - 1] && y < y1) cuts[count++] = y;
  }
  cuts[count] = y1;
  for (int i = 0; i < count; ++i) {
    double from = i == 0 ? x0 : x0 + slope * (cuts[i] - y0), to = i == count - 1 ? x1 : x0 + slope * (cuts[i + 1] - y0);
    from = from < 0 ? 0 : from > right ? right : from;
    to = to < 0 ? 0 : to > right ? right : to;
    if (cuts[i] < cuts[i + 1]) add_inside(band, from, cuts[i], to, cuts[i + 1], sign);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Areas
// ---------------------------------------------------------------------------------------------------------------------

static uint32_t weight_of(float sum, float alpha) {
  float covered = sum < 0 ? -sum : sum;
  if (covered > 1) covered = 1;
  return (uint32_t)(covered * alpha + 0.5f);
}


// Return the number of consecutive zero cells from `cells` on, at most `count`.
static int zeros(const float *cells, int count) {
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    if (cells[i] != 0 || cells[i + 1] != 0 || cells[i + 2] != 0 || cells[i + 3] != 0) break;
  }
  while (i < count && cells[i] == 0) ++i;
  return i;
}


// Colour a row by the running sums of its cells.
static void sweep_row(const Band *band, int row, uint32_t above, float alpha) {
  const int *extent = band->raster->extents + 2 * row;
  float *cells = band->raster->cells + (size_t)row * (size_t)band->stride;
  uint32_t *pixels =
      band->raster->pixels + (size_t)(band->box.y1 + row) * (size_t)band->raster->width + (size_t)band->box.x1;
  int width = band->box.x2 - band->box.x1, end = extent[1] < width ? extent[1] + 1 : width;
  float sum = 0;
  for (int i = extent[0]; i < end;) {
    sum += cells[i];
    uint32_t weight = weight_of(sum, alpha);
    int run = 1 + zeros(cells + i + 1, end - i - 1);
    if (run == 1) {
      pixels[i] = mix(pixels[i], above, weight);
    } else {
      mix_span(pixels + i, run, above, weight);
    }
    i += run;
  }
  if (extent[0] <= extent[1]) memset(cells + extent[0], 0, sizeof *cells * (size_t)(extent[1] - extent[0] + 1));
}


static bool reserve_cells(Raster *raster, size_t cells) {
  if (cells <= raster->room) return true;
  size_t room = cells + cells / 2;
  float *grown = calloc(room, sizeof *grown); // all cells are zero except while an area is filled
  if (grown == NULL) {
    raster->failed = true;
    return false;
  }
  free(raster->cells);
  raster->cells = grown;
  raster->room = room;
  return true;
}


static void fill_band(const Band *band, const Area *area, uint32_t above, float alpha) {
  int rows = band->box.y2 - band->box.y1;
  for (int i = 0; i < rows; ++i) {
    band->raster->extents[2 * i] = band->stride;
    band->raster->extents[2 * i + 1] = -1;
  }
  int first = 0;
  for (int i = 0; i < area->loop_count; ++i) {
    if (area->ends[i] == first) continue;
    ImpVec2 last = area->points[area->ends[i] - 1];
    for (int k = first; k < area->ends[i]; ++k) {
      add_edge(band, last, area->points[k]);
      last = area->points[k];
    }
    first = area->ends[i];
  }
  for (int i = 0; i < rows; ++i) sweep_row(band, i, above, alpha);
}


// Return the pixels that an area touches, within the clip; empty if a coordinate is NaN.
static PaintBox touched(const Area *area, PaintBox clip) {
  ImpVec2 low = {HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < area->point_count; ++i) {
    ImpVec2 p = area->points[i];
    if (p.x < low.x) low.x = p.x;
    if (p.y < low.y) low.y = p.y;
    if (p.x > high.x) high.x = p.x;
    if (p.y > high.y) high.y = p.y;
  }
  if (!(low.x < clip.x2 && low.y < clip.y2 && high.x > clip.x1 && high.y > clip.y1)) return (PaintBox){0};
  PaintBox box = clip;
  if (low.x > clip.x1) box.x1 = (int)low.x;
  if (low.y > clip.y1) box.y1 = (int)low.y;
  if (high.x < clip.x2) box.x2 = (int)high.x + 1 < clip.x2 ? (int)high.x + 1 : clip.x2;
  if (high.y < clip.y2) box.y2 = (int)high.y + 1 < clip.y2 ? (int)high.y + 1 : clip.y2;
  return box;
}


static void raster_area(void *target, const Area *area, uint32_t color) {
  Raster *raster = target;
  PaintBox box = touched(area, raster->clip);
  if (box.x1 >= box.x2 || box.y1 >= box.y2 || (color & 255) == 0) return;
  Band band = {.raster = raster, .box = box, .stride = box.x2 - box.x1 + 2};
  int rows = BAND_CELLS / band.stride;
  if (rows > box.y2 - box.y1) rows = box.y2 - box.y1;
  if (rows < 1) rows = 1;
  if (!reserve_cells(raster, (size_t)rows * (size_t)band.stride)) return;
  for (int y = box.y1; y < box.y2; y += rows) {
    band.box.y1 = y;
    band.box.y2 = y + rows < box.y2 ? y + rows : box.y2;
    fill_band(&band, area, opaque(color), (float)(color & 255));
  }
}


static void raster_glyph(void *target, const Glyph *glyph, int x, int y, uint32_t color) {
  Raster *raster = target;
  PaintBox clip = raster->clip;
  uint32_t above = opaque(color), alpha = color & 255;
  int left = x > clip.x1 ? x : clip.x1, right = x + glyph->width < clip.x2 ? x + glyph->width : clip.x2;
  int top = y > clip.y1 ? y : clip.y1, bottom = y + glyph->height < clip.y2 ? y + glyph->height : clip.y2;
  for (int row = top; row < bottom; ++row) {
    const uint8_t *mask = glyph->mask + (size_t)(row - y) * (size_t)glyph->width;
    uint32_t *pixels = raster->pixels + (size_t)row * (size_t)raster->width;
    for (int column = left; column < right; ++column) {
      uint32_t covered = mask[column - x];
      if (covered > 0) pixels[column] = mix(pixels[column], above, (covered * alpha + 127) / 255);
    }
  }
}


static void raster_clip(void *target, PaintBox box) { ((Raster *)target)->clip = box; }


Painter raster_painter(Raster *raster) {
  raster->clip = (PaintBox){0, 0, raster->width, raster->height};
  return (Painter){.target = raster,
                   .area = raster_area,
                   .glyph = raster_glyph,
                   .image = raster_image,
                   .clip = raster_clip,
                   .width = raster->width,
                   .height = raster->height};
}
