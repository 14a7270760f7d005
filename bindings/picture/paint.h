// From a draw list to coloured areas in device pixels: x right, y down, (0, 0) is the top left corner.
// The modules, lowest first:
//   font            glyphs as coverage masks
//   paint_shape     shapes, lines and arrows as loops of points
//   image           images that drawings contain
//   paint_raster    fills loops in a pixel buffer, by exact coverage
//   paint_image     paints images into that buffer
//   paint           iteration over a draw list: camera, palette, clip
#ifndef IMPEL_BINDINGS_PAINT_H
#define IMPEL_BINDINGS_PAINT_H

#include <lua.h>

#include "impel.h"
#include "picture/font.h"
#include "picture/image.h"

/// The pixels with x1 <= x < x2 and y1 <= y < y2.
typedef struct PaintBox {
  int x1, y1, x2, y2;
} PaintBox;

/// Meaning of the loops of an area. The sum of x_i y_i+1 - x_i+1 y_i is positive, except for a ring's second loop.
typedef enum AreaKind {
  AREA_CONVEX, ///< one convex loop
  AREA_RING,   ///< an outer and a reversed inner loop of n points; outer point k faces inner point n - 1 - k
  AREA_PIECES, ///< convex pieces that may overlap; an overlap is painted once
  AREA_SIMPLE  ///< one loop, convex or not, of either orientation
} AreaKind;

/// Loops of points; the memory is reused for the next area.
typedef struct Area {
  AreaKind kind;
  ImpVec2 *points;
  bool *inner; ///< for each point: whether the edge to the next point is inside the area, because another piece adjoins
  int *ends;   ///< for each loop: index in `points` after the last point of the loop
  int point_count, point_room;
  int loop_count, loop_room;
  bool failed; ///< out of memory: the area is incomplete
} Area;

/// Number of equal steps of the unit circle
enum { CIRCLE_STEPS = 2048 };

typedef struct Shaper {
  Area area;    ///< result of the last shape_ function
  Area corners; ///< points of the current item, in pixels
  ImpVec2 circle[CIRCLE_STEPS];
} Shaper;

/// An image to be painted.
typedef struct PaintImage {
  const ImageLevel *level;
  ImpVec2 corners[4]; ///< top left, top right, bottom right, bottom left corner, of a parallelogram [px]
  bool coarse;        ///< nearest-neighbour sampling: enlarged pixels stay squares
} PaintImage;

/// Target of areas, glyphs and images. Colours are 0xRRGGBBAA, not premultiplied.
typedef struct Painter {
  void *target;
  void (*area)(void *target, const Area *area, uint32_t color);
  void (*glyph)(void *target, const Glyph *glyph, int x, int y, uint32_t color); ///< (x, y): top left of the mask
  void (*image)(void *target, const PaintImage *image, uint32_t tint);           ///< colours are multiplied by the tint
  void (*clip)(void *target, PaintBox box);                                      ///< `box` is within the target
  int width, height;                                                             ///< size of the target [px]
} Painter;

/// Colours; width of lines, radius of dots, size of text, length of arrow heads [device pixels]
typedef struct PaintStyle {
  uint32_t fill, line;
  double width, dot, text, head;
} PaintStyle;

typedef struct Palette {
  uint32_t background;
  PaintStyle styles[IMP_STYLE_COUNT];
} Palette;

/// pixel = center_px + ppm * R(-angle) (point - center), where y is flipped unless `down`
/// ppm [px/m]; scale: pixels per point of the screen
typedef struct Camera {
  double x, y, ppm, width_px, height_px, scale;
  double c, s; ///< cosine and sine of the angle
  bool down;
} Camera;

/// Read a camera from the table at the stack index; raise if a field is missing or illegal.
void paint_read_camera(lua_State *L, int index, Camera *out);
/// Read a palette with lengths in points of the screen, or raise. `scale`: pixels per point
void paint_read_palette(lua_State *L, int index, double scale, Palette *out);
/// Return the drawing at a stack index; raise for other values and for a closed drawing.
const ImpDrawList *paint_check_drawing(lua_State *L, int index);

/// Images by name. `find` returns null for an unknown name; items with that name are skipped.
typedef struct PaintImages {
  void *context;
  Image *(*find)(void *context, const char *name);
} PaintImages;

/// Paint a draw list. Return false if memory ran out and the result is incomplete.
bool paint_list(const ImpDrawList *list, const Camera *camera, const Palette *palette, Font *font,
                const PaintImages *images, Shaper *shaper, const Painter *painter);

void shaper_init(Shaper *shaper);
void shaper_free(Shaper *shaper);

/// Transform points by the camera into `corners`.
void shape_corners(Shaper *shaper, const Camera *camera, const ImpVec2 *points, int count);
/// Set `area` to the points within `radius` [px] of the corners' polygon (1 corner: a disk, 2 corners: a capsule).
void shape_fill(Shaper *shaper, double radius);
/// Set `area` to a line of this width [px] along the edge of the area that shape_fill makes.
void shape_outline(Shaper *shaper, double radius, double width);
/// Set `area` to the loop of the corners, a polygon of any form.
void shape_polygon(Shaper *shaper);
/// Set `area` to a line through the corners; closed if the last corner is the first.
void shape_line(Shaper *shaper, double width);
/// Set `area` to an arrow from the first corner to the second, with a head of this length.
void shape_arrow(Shaper *shaper, double width, double head);

/// A pixel buffer: premultiplied, bytes in the order R G B A.
typedef struct Raster {
  uint32_t *pixels;
  int width, height;
  PaintBox clip;
  float *cells; ///< signed coverage of the current area
  size_t room;
  int *extents; ///< for each row of the band that is being filled: first and last nonzero cell
  bool failed;
} Raster;

/// Allocate the pixels. Return false if memory runs out. raster_free also accepts a zeroed Raster.
bool raster_init(Raster *raster, int width, int height);
void raster_free(Raster *raster);
void raster_clear(Raster *raster, uint32_t color);
Painter raster_painter(Raster *raster);
/// The painter's `image` function (paint_image.c).
void raster_image(void *target, const PaintImage *image, uint32_t tint);
/// Write the pixels, not premultiplied, 4 bytes each: R G B A. Return whether all are opaque.
bool raster_read(const Raster *raster, uint8_t *out);

#endif
