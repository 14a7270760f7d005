// The walk over a draw list: where an item is on the screen, what it looks like, who paints it.
#include <math.h>

#include "paint.h"

typedef struct Walk {
  const Camera *camera;
  const Palette *palette;
  Font *font;
  Shaper *shaper;
  const Painter *painter;
  PaintBox clip;
} Walk;


// ---------------------------------------------------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------------------------------------------------

static bool paint_text(const Walk *walk, const ImpDrawItem *item, const char *text, ImpVec2 at, double size_px,
                       uint32_t color) {
  if (!(size_px >= FONT_SMALLEST) || !(fabs(at.x) < 1e6) || !(fabs(at.y) < 1e6)) return true; // too small to read
  int size = size_px < FONT_LARGEST ? (int)(size_px + 0.5) : FONT_LARGEST, above, below;
  font_heights(walk->font, size, &above, &below);
  double align = item->align < 0 ? 0 : item->align > 1 ? 1 : item->align;
  int x = (int)floor(at.x - align * font_width(walk->font, size, text) + 0.5);
  int y = (int)floor(at.y + 0.5 * (above - below) + 0.5); // the base line
  if (y + below < walk->clip.y1 || y - above > walk->clip.y2) return true;
  uint32_t code;
  while ((code = font_next(&text)) != 0 && x < walk->clip.x2) {
    const Glyph *glyph = font_glyph(walk->font, size, code);
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


// Clip to the box around the corners; without corners to the whole target.
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


// The width of the line around a shape of this size. From far away shapes are small, and their lines grow thin with
// them, so that a shape's colour is seen and not its line's; but what is selected stands out.
static double outline_width(const ImpDrawItem *item, const PaintStyle *style, double size) {
  const double most = 1.0 / 8; // of the size
  return item->style == IMP_STYLE_MARK ? style->width : fmin(style->width, most * size);
}


// Shape the corners of an item, and have them painted. What is not in sight and what has no colour is left out.
static void paint_shape(const Walk *walk, const ImpDrawItem *item, const PaintStyle *style) {
  Shaper *shaper = walk->shaper;
  double radius = item->radius * walk->camera->ppm, width = style->width;
  uint32_t color = item->color != 0 ? item->color : item->kind == IMP_DRAW_FILL ? style->fill : style->line;
  ImpVec2 low, high;
  box_of(&shaper->corners, &low, &high);
  if (item->kind == IMP_DRAW_OUTLINE) {
    width = outline_width(item, style, fmax(high.x - low.x, high.y - low.y) + 2 * radius);
  }
  double grown = radius + fmax(2 * width, fmax(style->dot, style->head)); // beyond the corners, at most
  const PaintBox *clip = &walk->clip;
  if ((color & 255) == 0 || low.x - grown > clip->x2 || low.y - grown > clip->y2 || high.x + grown < clip->x1 ||
      high.y + grown < clip->y1) {
    return;
  }
  switch (item->kind) {
  case IMP_DRAW_FILL:
    shape_fill(shaper, radius);
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


bool paint_list(const ImpDrawList *list, const Camera *camera, const Palette *palette, Font *font, Shaper *shaper,
                const Painter *painter) {
  Walk walk = {.camera = camera, .palette = palette, .font = font, .shaper = shaper, .painter = painter};
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
    const ImpVec2 *q = points + item->first;
    if (item->kind == IMP_DRAW_CLIP && item->count == 2) { // a turned box clips to the box around it
      shape_corners(shaper, camera, (ImpVec2[]){q[0], {q[1].x, q[0].y}, q[1], {q[0].x, q[1].y}}, 4);
    } else {
      shape_corners(shaper, camera, q, item->count);
    }
    if (shaper->corners.failed) break;
    ImpVec2 *p = shaper->corners.points;
    if (item->kind == IMP_DRAW_CLIP) {
      set_clip(&walk, &shaper->corners);
    } else if (item->kind == IMP_DRAW_TEXT) {
      double size = item->radius > 0 ? item->radius * camera->ppm : style->text;
      uint32_t color = item->color != 0 ? item->color : style->line;
      if (item->text >= 0 && !paint_text(&walk, item, texts + item->text, p[0], size, color)) whole = false;
    } else {
      paint_shape(&walk, item, style);
    }
  }
  set_clip(&walk, &(Area){0});
  return whole && !shaper->area.failed && !shaper->corners.failed;
}
