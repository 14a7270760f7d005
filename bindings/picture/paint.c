// Paints a draw list: transforms each item to pixels, applies its style and passes it to a painter.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/paint.h"

typedef struct Walk {
  const Camera *camera;
  const Palette *palette;
  Font *font;
  const PaintImages *images;
  const char *image_name; // last name given to images->find
  Image *image;
  Shaper *shaper;
  const Painter *painter;
  PaintBox clip;
} Walk;


// ---------------------------------------------------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------------------------------------------------

// Paint an enlarged glyph with the pen at (x, y) on the base line. Return false if memory runs out.
static bool paint_enlarged(const Walk *walk, const Glyph *glyph, double x, double y, double factor, uint32_t color) {
  size_t count = (size_t)glyph->width * (size_t)glyph->height;
  uint32_t *pixels = malloc(sizeof *pixels * count);
  if (pixels == NULL) return false;
  for (size_t i = 0; i < count; ++i) pixels[i] = glyph->mask[i] * 0x01010101u; // white, premultiplied
  const ImageLevel level = {.pixels = pixels,
                            .width = glyph->width,
                            .height = glyph->height,
                            .stride = glyph->width,
                            .id = (uint64_t)1 << 63 | (uint64_t)font_generation(walk->font) << 16 |
                                  (uint64_t)glyph->number};
  double left = x + factor * glyph->left, top = y + factor * glyph->top;
  double right = left + factor * glyph->width, bottom = top + factor * glyph->height;
  const PaintImage image = {.level = &level, .corners = {{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
  walk->painter->image(walk->painter->target, &image, color);
  free(pixels);
  return true;
}


// Paint text that is larger than the largest cached glyphs, by enlarging the glyphs.
static bool paint_large(const Walk *walk, const ImpDrawItem *item, const char *text, int face, ImpVec2 at,
                        double size_px, uint32_t color) {
  double factor = size_px / FONT_LARGEST, x = at.x;
  int above, below;
  font_heights(walk->font, face, FONT_LARGEST, &above, &below);
  x -= item->align * factor * font_width(walk->font, face, FONT_LARGEST, text);
  double y = at.y + 0.5 * factor * (above - below - item->rise * (above + below)); // y of the base line
  uint32_t code;
  while ((code = font_next(&text)) != 0 && x < walk->clip.x2) {
    const Glyph *glyph = font_glyph(walk->font, face, FONT_LARGEST, code);
    if (glyph == NULL) return false;
    bool seen = glyph->mask != NULL && x + factor * (glyph->left + glyph->width) > walk->clip.x1;
    if (seen && !paint_enlarged(walk, glyph, x, y, factor, color)) return false;
    x += factor * glyph->advance;
  }
  return true;
}


static bool paint_text(const Walk *walk, const ImpDrawItem *item, const char *text, int face, ImpVec2 at,
                       double size_px, uint32_t color) {
  if (!(size_px >= FONT_SMALLEST) || !(fabs(at.x) < 1e6) || !(fabs(at.y) < 1e6))
    return true; // text that is too small to read, or far outside any screen, is not painted
  if (size_px > FONT_LARGEST) {
    return !(size_px < 1e6) ||
           // text from 1e6 px on is larger than any screen and is not painted
           paint_large(walk, item, text, face, at, size_px, color);
  }
  int size = (int)(size_px + 0.5), above, below;
  font_heights(walk->font, face, size, &above, &below);
  double align = item->align < 0 ? 0 : item->align > 1 ? 1 : item->align;
  int x = (int)floor(at.x - align * font_width(walk->font, face, size, text) + 0.5);
  double middle = at.y - 0.5 * item->rise * (above + below);
  int y = (int)floor(middle + 0.5 * (above - below) + 0.5); // y of the base line
  if (y + below < walk->clip.y1 || y - above > walk->clip.y2) return true;
  uint32_t code;
  while ((code = font_next(&text)) != 0 && x < walk->clip.x2) {
    const Glyph *glyph = font_glyph(walk->font, face, size, code);
    if (glyph == NULL) return false;
    if (glyph->mask != NULL) {
      walk->painter->glyph(walk->painter->target, glyph, x + glyph->left, y + glyph->top, color);
    }
    x += glyph->advance;
  }
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Items
// ---------------------------------------------------------------------------------------------------------------------

static int between(double x, int low, int high) { return x < low ? low : x > high ? high : (int)floor(x + 0.5); }


static void box_of(const Area *corners, ImpVec2 *out_low, ImpVec2 *out_high) {
  ImpVec2 low = corners->points[0], high = low;
  for (int i = 1; i < corners->point_count; ++i) {
    ImpVec2 p = corners->points[i];
    low = (ImpVec2){fmin(low.x, p.x), fmin(low.y, p.y)};
    high = (ImpVec2){fmax(high.x, p.x), fmax(high.y, p.y)};
  }
  *out_low = low;
  *out_high = high;
}


// Set the clip to the bounding box of the corners, or to the whole target if there are no corners.
static void set_clip(Walk *walk, const Area *corners) {
  const Painter *painter = walk->painter;
  walk->clip = (PaintBox){0, 0, painter->width, painter->height};
  if (corners->point_count > 0) {
    ImpVec2 low, high;
    box_of(corners, &low, &high);
    walk->clip = (PaintBox){between(low.x, 0, painter->width), between(low.y, 0, painter->height),
                            between(high.x, 0, painter->width), between(high.y, 0, painter->height)};
  }
  painter->clip(painter->target, walk->clip);
}


static double width_of(const Walk *walk, const ImpDrawItem *item, const PaintStyle *style) {
  return item->width > 0 ? item->width * walk->camera->scale : style->width;
}


// Return the width of the outline of a shape of size `size`: thinner for small shapes that are not selected.
static double outline_width(const ImpDrawItem *item, double width, double size) {
  const double most = 1.0 / 8; // largest outline width / shape size
  return item->style == IMP_STYLE_MARK ? width : fmin(width, most * size);
}


static void paint_shape(const Walk *walk, const ImpDrawItem *item, const PaintStyle *style) {
  Shaper *shaper = walk->shaper;
  double radius = item->radius * walk->camera->ppm, width = width_of(walk, item, style);
  uint32_t color = item->color;
  bool area = item->kind == IMP_DRAW_FILL || item->kind == IMP_DRAW_POLYGON;
  if (color == 0) color = area ? style->fill : style->line;
  ImpVec2 low, high;
  box_of(&shaper->corners, &low, &high);
  if (item->kind == IMP_DRAW_OUTLINE) {
    width = outline_width(item, width, fmax(high.x - low.x, high.y - low.y) + 2 * radius);
  }
  double grown = radius + fmax(2 * width, fmax(style->dot, style->head)); // largest extent beyond the corners [px]
  const PaintBox *clip = &walk->clip;
  if ((color & 255) == 0 || low.x - grown > clip->x2 || low.y - grown > clip->y2 || high.x + grown < clip->x1 ||
      high.y + grown < clip->y1) {
    return;
  }
  switch (item->kind) {
  case IMP_DRAW_FILL:
    shape_fill(shaper, radius);
    break;
  case IMP_DRAW_POLYGON:
    shape_polygon(shaper);
    break;
  case IMP_DRAW_OUTLINE:
    shape_outline(shaper, radius, width);
    break;
  case IMP_DRAW_POLYLINE:
    shape_line(shaper, width);
    break;
  case IMP_DRAW_ARROW:
    shape_arrow(shaper, width, style->head);
    break;
  default:
    shape_fill(shaper, style->dot);
    break;
  }
  if (!shaper->area.failed) walk->painter->area(walk->painter->target, &shaper->area, color);
}


static bool lies_beside(const ImpVec2 *corners, PaintBox clip) {
  double left = fmin(fmin(corners[0].x, corners[1].x), fmin(corners[2].x, corners[3].x));
  double right = fmax(fmax(corners[0].x, corners[1].x), fmax(corners[2].x, corners[3].x));
  double top = fmin(fmin(corners[0].y, corners[1].y), fmin(corners[2].y, corners[3].y));
  double bottom = fmax(fmax(corners[0].y, corners[1].y), fmax(corners[2].y, corners[3].y));
  return !(left < clip.x2 && right > clip.x1 && top < clip.y2 && bottom > clip.y1);
}


static double distance(ImpVec2 a, ImpVec2 b) { return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)); }


// Round two sides to pixels, low <= high; return false if equal. `flipped`: `from` is the higher side
static bool sides(double from, double to, int most, int *out_low, int *out_high, bool *flipped) {
  *flipped = from > to;
  *out_low = between(fmin(from, to), 0, most);
  *out_high = between(fmax(from, to), 0, most);
  return *out_low < *out_high;
}


// Paint an image. `p`: corners in the target [px]; `part`: two opposite corners of the visible part [image px]
// Return false if memory runs out.
static bool paint_image(Walk *walk, const ImpDrawItem *item, const char *name, const ImpVec2 *p, const ImpVec2 *part) {
  if (lies_beside(p, walk->clip)) return true;
  if (walk->image_name == NULL || strcmp(walk->image_name, name) != 0) {
    walk->image = walk->images->find(walk->images->context, name);
    walk->image_name = name;
  }
  Image *image = walk->image;
  int x1, x2, y1, y2;
  bool turned_x, turned_y;
  if (image == NULL || !sides(part[0].x, part[1].x, image->width, &x1, &x2, &turned_x) ||
      !sides(part[0].y, part[1].y, image->height, &y1, &y2, &turned_y)) {
    return true;
  }
  PaintImage painted = {.coarse = item->coarse};
  for (int i = 0; i < 4; ++i) painted.corners[i] = p[(turned_x ? 1 : 0) ^ (turned_y ? 3 : 0) ^ i];
  double shrink = fmax((x2 - x1) / fmax(distance(p[0], p[1]), 1e-3), (y2 - y1) / fmax(distance(p[0], p[3]), 1e-3));
  if (shrink >= 1) painted.coarse = false;
  painted.level = image_level(image, x1, y1, x2 - x1, y2 - y1, shrink);
  if (painted.level == NULL) return false;
  walk->painter->image(walk->painter->target, &painted, item->color != 0 ? item->color : 0xFFFFFFFF);
  return true;
}


static double text_size(const Walk *walk, const ImpDrawItem *item, const PaintStyle *style) {
  if (item->radius > 0) return item->radius * walk->camera->ppm;
  return item->width > 0 ? item->width * walk->camera->scale : style->text;
}


bool paint_list(const ImpDrawList *list, const Camera *camera, const Palette *palette, Font *font,
                const PaintImages *images, Shaper *shaper, const Painter *painter) {
  Walk walk = {.palette = palette, .font = font, .images = images, .shaper = shaper, .painter = painter};
  // Camera for screen coordinates [points of `scale` pixels].
  const Camera screen = {.x = 0.5 * camera->width_px / camera->scale,
                         .y = 0.5 * camera->height_px / camera->scale,
                         .ppm = camera->scale,
                         .width_px = camera->width_px,
                         .height_px = camera->height_px,
                         .scale = camera->scale,
                         .down = true};
  int count;
  const ImpDrawItem *items = imp_draw_items(list, &count);
  const ImpVec2 *points = imp_draw_points(list);
  const char *texts = imp_draw_texts(list);
  bool whole = true;
  shaper->area.failed = shaper->corners.failed = false;
  set_clip(&walk, &(Area){0});
  for (int i = 0; i < count && !shaper->corners.failed; ++i) {
    const ImpDrawItem *item = &items[i];
    const PaintStyle *style = &palette->styles[item->style];
    walk.camera = item->screen ? &screen : camera;
    const ImpVec2 *q = points + item->first;
    if (item->kind == IMP_DRAW_CLIP && item->count == 2) { // a rotated box clips to its bounding box
      shape_corners(shaper, walk.camera, (ImpVec2[]){q[0], {q[1].x, q[0].y}, q[1], {q[0].x, q[1].y}}, 4);
    } else {
      shape_corners(shaper, walk.camera, q, item->count);
    }
    if (shaper->corners.failed) break;
    ImpVec2 *p = shaper->corners.points;
    if (item->kind == IMP_DRAW_CLIP) {
      set_clip(&walk, &shaper->corners);
    } else if (item->kind == IMP_DRAW_TEXT) {
      uint32_t color = item->color != 0 ? item->color : style->line;
      int face = item->source >= 0 ? font_face(font, texts + item->source) : 0;
      double size = text_size(&walk, item, style);
      if (item->text >= 0 && !paint_text(&walk, item, texts + item->text, face, p[0], size, color)) whole = false;
    } else if (item->kind == IMP_DRAW_IMAGE) {
      const ImpVec2 *part = points + item->first + 4;
      if (!paint_image(&walk, item, texts + item->source, p, part)) whole = false;
    } else {
      paint_shape(&walk, item, style);
    }
  }
  set_clip(&walk, &(Area){0});
  return whole && !shaper->area.failed && !shaper->corners.failed;
}
