// From a draw list to areas of colour in device pixels. The parts, lowest first:
//   font            glyphs as masks of coverage (font.h)
//   paint_shape     disks, capsules, rounded polygons, rings, lines with joins and arrows as loops of points
//   image           pictures that are painted into others (image.h)
//   paint_raster    loops into a buffer of pixels, by exact coverage; paint_image: pictures into it; window_geometry: both
//                   into SDL's triangles
//   paint           the walk over a draw list: camera, palette, clip
// Nothing below knows Lua but paint_options, which reads cameras and palettes.
//
// Device pixels: x right, y down, (0, 0) the left top corner of the first pixel.
#ifndef IMPEL_BINDINGS_PAINT_H
#define IMPEL_BINDINGS_PAINT_H

#include <lua.h>

#include "impel.h"
#include "picture/font.h"
#include "picture/image.h"

/// Pixels from the first to before the last.
typedef struct PaintBox {
  int x1, y1, x2, y2;
} PaintBox;

/// What the loops of an area are. All turn the same way (the sum of x_i y_i+1 - x_i+1 y_i is positive), but the second
/// of a ring.
typedef enum AreaKind {
  AREA_CONVEX, ///< one loop
  AREA_RING,   ///< two loops of equally many points, outside and inside, point by point; the inner one reversed
  AREA_PIECES, ///< convex pieces that may overlap; covered is covered once
  AREA_SIMPLE  ///< one loop, convex or not, that turns either way
} AreaKind;

/// Loops of points, and the memory for the next ones.
typedef struct Area {
  AreaKind kind;
  ImpVec2 *points;
  bool *inner; ///< of each point: the edge to the next one lies within the area, another piece goes on behind it
  int *ends;   ///< of each loop in `points`
  int point_count, point_room;
  int loop_count, loop_room;
  bool failed; ///< out of memory: something is missing
} Area;

/// The unit circle in equal steps, by impel's own sine and cosine: the same pixels on every machine.
enum { CIRCLE_STEPS = 2048 };

typedef struct Shaper {
  Area area;    ///< what was shaped last
  Area corners; ///< points of the item that is being shaped, in pixels
  ImpVec2 circle[CIRCLE_STEPS];
} Shaper;

/// One image to be painted.
typedef struct PaintImage {
  const ImageLevel *level;
  ImpVec2 corners[4]; ///< of a parallelogram: left top, right top, right bottom, left bottom corner of the picture [px]
  bool coarse;        ///< its pixels stay squares
} PaintImage;

/// Target of areas, glyphs and images. Colours are 0xRRGGBBAA, not premultiplied.
typedef struct Painter {
  void *target;
  void (*area)(void *target, const Area *area, uint32_t color);
  void (*glyph)(void *target, const Glyph *glyph, int x, int y, uint32_t color); ///< its left top corner
  void (*image)(void *target, const PaintImage *image, uint32_t tint);           ///< colours times the tint
  void (*clip)(void *target, PaintBox box);                                      ///< within the target
  int width, height;                                                             ///< of the target
} Painter;

/// What a style looks like [device pixels].
typedef struct PaintStyle {
  uint32_t fill, line;
  double width, dot, text, head;
} PaintStyle;

typedef struct Palette {
  uint32_t background;
  PaintStyle styles[IMP_STYLE_COUNT];
} Palette;

/// pixel = center_px + ppm * R(-angle) (point - center), with y turned over unless `down`: a camera that turns
/// counter-clockwise shows the world turned clockwise.
typedef struct Camera {
  double x, y, ppm, width_px, height_px, scale;
  double c, s; ///< cosine and sine of the angle
  bool down;
} Camera;

/// Read the tables at these stack indices; raise what is wrong with them.
void paint_read_camera(lua_State *L, int index, Camera *out);
/// Widths and sizes are points there, and become pixels by `scale`.
void paint_read_palette(lua_State *L, int index, double scale, Palette *out);
/// The drawing at a stack index; raises when it is none or closed.
const ImpDrawList *paint_check_drawing(lua_State *L, int index);

/// Images by their names; `find` gives null for an unknown name, whose items are skipped.
typedef struct PaintImages {
  void *context;
  Image *(*find)(void *context, const char *name);
} PaintImages;

/// Paint a list. False: out of memory, something is missing.
bool paint_list(const ImpDrawList *list, const Camera *camera, const Palette *palette, Font *font,
                const PaintImages *images, Shaper *shaper, const Painter *painter);

void shaper_init(Shaper *shaper);
void shaper_free(Shaper *shaper);

/// Make `corners` the pixels of these points.
void shape_corners(Shaper *shaper, const Camera *camera, const ImpVec2 *points, int count);
/// The corners grown by a radius [px]: a disk, a capsule, a polygon with round corners.
void shape_fill(Shaper *shaper, double radius);
/// A line of this width along the edge of that.
void shape_outline(Shaper *shaper, double radius, double width);
/// The loop of the corners of a polygon of any form.
void shape_polygon(Shaper *shaper);
/// A line through the corners; closed where the last is the first.
void shape_line(Shaper *shaper, double width);
/// From the first corner to the second, with a head of this length.
void shape_arrow(Shaper *shaper, double width, double head);

/// A picture: premultiplied pixels, bytes in the order R G B A.
typedef struct Raster {
  uint32_t *pixels;
  int width, height;
  PaintBox clip;
  float *cells; ///< signed coverage of the area at hand, see paint_raster.c
  size_t room;
  int *extents; ///< of each row of the picture: first and last cell that is not zero
  bool failed;
} Raster;

/// False: out of memory, nothing was made. Freed by raster_free, which takes a zeroed one too.
bool raster_init(Raster *raster, int width, int height);
void raster_free(Raster *raster);
void raster_clear(Raster *raster, uint32_t color);
Painter raster_painter(Raster *raster);
/// Its image (paint_image.c).
void raster_image(void *target, const PaintImage *image, uint32_t tint);
/// The pixels not premultiplied, 4 bytes each: R G B A. True: all are opaque.
bool raster_read(const Raster *raster, uint8_t *out);

#endif
