// Antialiased areas as triangles: full colour half a pixel inside an edge, transparent half a pixel outside.
// If an area is thinner than a pixel, the inner points are on its centre line and have an alpha below 1, so that the
// integral of alpha across a line of width w is w: its graph is a triangle of base w + 1 and height 2 w / (w + 1).
#include "window/window_geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ATLAS_SIDE = 1024, WHITE = 2 }; // side of the atlas of glyphs, and of its white corner [px]
enum { MOST_IMAGES = 1024 };           // largest number of cached textures of images


void geometry_init(Geometry *geometry, SDL_Renderer *renderer, const Font *font) {
  *geometry = (Geometry){.renderer = renderer, .font = font};
}


static void forget_images(Geometry *geometry) {
  for (int i = 0; i < geometry->image_count; ++i) SDL_DestroyTexture(geometry->images[i].texture);
  geometry->image_count = 0;
}


void geometry_free(Geometry *geometry) {
  forget_images(geometry);
  if (geometry->atlas != NULL) SDL_DestroyTexture(geometry->atlas);
  free(geometry->images);
  free(geometry->ring);
  free(geometry->vertices);
  free(geometry->indices);
  free(geometry->places);
  *geometry = (Geometry){0};
}


void geometry_reset(Geometry *geometry) {
  forget_images(geometry);
  geometry->bound = NULL;
  if (geometry->atlas != NULL) SDL_DestroyTexture(geometry->atlas);
  geometry->atlas = NULL;
}


// ---------------------------------------------------------------------------------------------------------------------
// The batch
// ---------------------------------------------------------------------------------------------------------------------

void geometry_flush(Geometry *geometry) {
  if (geometry->index_count > 0 &&
      SDL_RenderGeometry(geometry->renderer, geometry->bound, geometry->vertices, geometry->vertex_count,
                         geometry->indices, geometry->index_count) != 0) {
    geometry->failed = true;
  }
  geometry->vertex_count = geometry->index_count = 0;
}


static bool grow(void **data, int *room, int count, size_t size) {
  if (count <= *room) return true;
  int larger = count + count / 2 + 1024;
  void *grown = realloc(*data, (size_t)larger * size);
  if (grown == NULL) return false;
  *data = grown;
  *room = larger;
  return true;
}


// Reserve room for more vertices and indices; return false if memory runs out.
static bool reserve(Geometry *geometry, int vertices, int indices) {
  void *at = geometry->vertices;
  bool ok = grow(&at, &geometry->vertex_room, geometry->vertex_count + vertices, sizeof *geometry->vertices);
  geometry->vertices = at;
  at = geometry->indices;
  ok = grow(&at, &geometry->index_room, geometry->index_count + indices, sizeof *geometry->indices) && ok;
  geometry->indices = at;
  if (!ok) geometry->failed = true;
  return ok;
}


static int add_vertex(Geometry *geometry, ImpVec2 p, SDL_Color color, double alpha, float u, float v) {
  color.a = (uint8_t)(color.a * alpha + 0.5);
  geometry->vertices[geometry->vertex_count] =
      (SDL_Vertex){.position = {(float)p.x, (float)p.y}, .color = color, .tex_coord = {u, v}};
  return geometry->vertex_count++;
}


static int add_point(Geometry *geometry, ImpVec2 p, SDL_Color color, double alpha) {
  const float white = 0.5f * WHITE / ATLAS_SIDE;
  return add_vertex(geometry, p, color, alpha, white, white);
}


static void add_triangle(Geometry *geometry, int a, int b, int c) {
  int *at = geometry->indices + geometry->index_count;
  at[0] = a;
  at[1] = b;
  at[2] = c;
  geometry->index_count += 3;
}


static SDL_Color color_of(uint32_t color) {
  return (SDL_Color){(uint8_t)(color >> 24), (uint8_t)(color >> 16), (uint8_t)(color >> 8), (uint8_t)color};
}


// ---------------------------------------------------------------------------------------------------------------------
// The atlas
// ---------------------------------------------------------------------------------------------------------------------

// Create an empty atlas for the font's current generation of glyphs.
static bool begin_atlas(Geometry *geometry) {
  if (geometry->places == NULL) geometry->places = malloc(sizeof *geometry->places * FONT_GLYPHS);
  if (geometry->atlas == NULL) {
    geometry->atlas = SDL_CreateTexture(geometry->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STATIC,
                                        ATLAS_SIDE, ATLAS_SIDE);
  }
  if (geometry->places == NULL || geometry->atlas == NULL) {
    geometry->failed = true;
    return false;
  }
  for (int i = 0; i < FONT_GLYPHS; ++i) geometry->places[i].x = -1;
  geometry->generation = font_generation(geometry->font);
  uint32_t white[WHITE * WHITE];
  memset(white, 0xFF, sizeof white);
  SDL_UpdateTexture(geometry->atlas, &(SDL_Rect){0, 0, WHITE, WHITE}, white, WHITE * (int)sizeof *white);
  SDL_SetTextureBlendMode(geometry->atlas, SDL_BLENDMODE_BLEND);
  geometry->x = WHITE + 1;
  geometry->y = geometry->row = 0;
  return true;
}


// Start a new batch if the texture changes.
static void bind(Geometry *geometry, SDL_Texture *texture) {
  if (geometry->bound == texture) return;
  geometry_flush(geometry);
  geometry->bound = texture;
}


static bool ready(Geometry *geometry) {
  bool there = geometry->atlas != NULL && geometry->generation == font_generation(geometry->font);
  if (!there) geometry_flush(geometry);
  if (!there && !begin_atlas(geometry)) return false;
  bind(geometry, geometry->atlas);
  return true;
}


static bool upload(Geometry *geometry, const Glyph *glyph, SDL_Point place) {
  size_t count = (size_t)glyph->width * (size_t)glyph->height;
  uint32_t *pixels = malloc(sizeof *pixels * (count > 0 ? count : 1));
  if (pixels == NULL) return false;
  for (size_t i = 0; i < count; ++i) pixels[i] = (uint32_t)glyph->mask[i] << 24 | 0xFFFFFF;
  int bad = SDL_UpdateTexture(geometry->atlas, &(SDL_Rect){place.x, place.y, glyph->width, glyph->height}, pixels,
                              glyph->width * (int)sizeof *pixels);
  free(pixels);
  return bad == 0;
}


// Return the position of a glyph in the atlas; x = -1: the glyph is too large, or the texture failed.
// Add a missing glyph; if the atlas is full, empty the atlas before.
static SDL_Point place_of(Geometry *geometry, const Glyph *glyph) {
  const SDL_Point nowhere = {-1, -1};
  if (!ready(geometry) || glyph->width >= ATLAS_SIDE || glyph->height >= ATLAS_SIDE - WHITE) return nowhere;
  SDL_Point *place = &geometry->places[glyph->number];
  if (place->x >= 0) return *place;
  if (geometry->x + glyph->width > ATLAS_SIDE) {
    geometry->x = 0;
    geometry->y += geometry->row + 1;
    geometry->row = 0;
  }
  if (geometry->y + glyph->height > ATLAS_SIDE) {
    geometry_flush(geometry);
    if (!begin_atlas(geometry)) return nowhere;
  }
  SDL_Point free_place = {geometry->x, geometry->y};
  if (!upload(geometry, glyph, free_place)) {
    geometry->failed = true;
    return nowhere;
  }
  geometry->x += glyph->width + 1;
  if (glyph->height > geometry->row) geometry->row = glyph->height;
  *place = free_place;
  return free_place;
}


static void geometry_glyph(void *target, const Glyph *glyph, int x, int y, uint32_t color) {
  Geometry *geometry = target;
  SDL_Point place = place_of(geometry, glyph);
  if (place.x < 0 || !reserve(geometry, 4, 6)) return;
  const float unit = 1.0f / ATLAS_SIDE;
  int corners[4];
  for (int i = 0; i < 4; ++i) {
    int dx = i == 1 || i == 2 ? glyph->width : 0, dy = i >= 2 ? glyph->height : 0;
    corners[i] = add_vertex(geometry, (ImpVec2){x + dx, y + dy}, color_of(color), 1, (float)(place.x + dx) * unit,
                            (float)(place.y + dy) * unit);
  }
  add_triangle(geometry, corners[0], corners[1], corners[2]);
  add_triangle(geometry, corners[0], corners[2], corners[3]);
}


// ---------------------------------------------------------------------------------------------------------------------
// Areas
// ---------------------------------------------------------------------------------------------------------------------

// Return the unit normal of an edge; the normal points out of a loop with positive signed area.
static ImpVec2 normal_of(ImpVec2 from, ImpVec2 to) {
  double x = to.x - from.x, y = to.y - from.y, length = sqrt(x * x + y * y);
  if (!(length > 0)) return (ImpVec2){0, 0};
  return (ImpVec2){y / length, -x / length};
}


// Return a corner's displacement if each of its two edges moves out by 1 px or stays.
static ImpVec2 mitre(ImpVec2 before, ImpVec2 after, bool before_stays, bool after_stays) {
  if (before_stays && after_stays) return (ImpVec2){0, 0};
  if (before_stays) return after;
  if (after_stays) return before;
  double bend = 1 + before.x * after.x + before.y * after.y;
  if (bend < 0.25) bend = 0.25; // limits the length of spikes
  return (ImpVec2){(before.x + after.x) / bend, (before.y + after.y) / bend};
}


// Return a convex piece's thickness: least distance of an edge to the farthest corner.
static double thickness(const ImpVec2 *p, const bool *inner, int count) {
  double least = HUGE_VAL;
  for (int i = 0; i < count; ++i) {
    if (inner[i]) continue;
    ImpVec2 n = normal_of(p[i], p[(i + 1) % count]);
    double most = 0;
    for (int k = 0; k < count; ++k) {
      double depth = (p[i].x - p[k].x) * n.x + (p[i].y - p[k].y) * n.y;
      if (depth > most) most = depth;
    }
    if ((n.x != 0 || n.y != 0) && most < least) least = most;
  }
  return least;
}


static void add_convex(Geometry *geometry, const ImpVec2 *p, const bool *inner, int count, SDL_Color color) {
  if (count < 3 || !reserve(geometry, 2 * count, 9 * count)) return;
  // Pieces with many corners, such as disks, are treated as thick, because `thickness` makes count^2 comparisons.
  double thick = count <= 8 ? thickness(p, inner, count) : HUGE_VAL;
  double depth = count == 4 ? 0.5 * thick : thick / 3, alpha = 1;
  if (depth < 0.5) {
    alpha = 4 * depth / (2 * depth + 1);
  } else {
    depth = 0.5;
  }
  int first = geometry->vertex_count;
  ImpVec2 before = normal_of(p[count - 1], p[0]);
  for (int i = 0; i < count; ++i) {
    ImpVec2 after = normal_of(p[i], p[i + 1 < count ? i + 1 : 0]);
    ImpVec2 m = mitre(before, after, inner[i > 0 ? i - 1 : count - 1], inner[i]);
    add_point(geometry, (ImpVec2){p[i].x - depth * m.x, p[i].y - depth * m.y}, color, alpha);
    add_point(geometry, (ImpVec2){p[i].x + 0.5 * m.x, p[i].y + 0.5 * m.y}, color, 0);
    before = after;
  }
  for (int i = 2; i < count; ++i) add_triangle(geometry, first, first + 2 * i - 2, first + 2 * i);
  for (int i = 0; i < count; ++i) {
    int a = first + 2 * i, b = first + 2 * (i + 1 < count ? i + 1 : 0);
    if (inner[i]) continue;
    add_triangle(geometry, a, a + 1, b + 1);
    add_triangle(geometry, a, b + 1, b);
  }
}


// Add a ring of four loops, the outermost and innermost transparent.
static void add_ring(Geometry *geometry, const Area *area, SDL_Color color) {
  int count = area->ends[0];
  const ImpVec2 *outer = area->points;
  if (area->loop_count != 2 || area->ends[1] != 2 * count || !reserve(geometry, 4 * count, 18 * count)) return;
  int first = geometry->vertex_count;
  ImpVec2 before = {0, 0};
  for (int i = count - 1; i >= 0 && before.x == 0 && before.y == 0; --i)
    before = normal_of(outer[i], outer[(i + 1) % count]);
  for (int i = 0; i < count; ++i) {
    ImpVec2 o = outer[i], in = area->points[2 * count - 1 - i], after = normal_of(o, outer[i + 1 < count ? i + 1 : 0]);
    if (after.x == 0 && after.y == 0) after = before;
    ImpVec2 m = mitre(before, after, false, false);
    double width = (o.x - in.x) * after.x + (o.y - in.y) * after.y, depth = 0.5, alpha = 1;
    if (width < 1) {
      depth = width > 0 ? 0.5 * width : 0;
      alpha = 2 * width / (width + 1);
      if (!(alpha > 0)) alpha = 0;
    }
    add_point(geometry, (ImpVec2){o.x + 0.5 * m.x, o.y + 0.5 * m.y}, color, 0);
    add_point(geometry, (ImpVec2){o.x - depth * m.x, o.y - depth * m.y}, color, alpha);
    add_point(geometry, (ImpVec2){in.x + depth * m.x, in.y + depth * m.y}, color, alpha);
    add_point(geometry, (ImpVec2){in.x - 0.5 * m.x, in.y - 0.5 * m.y}, color, 0);
    before = after;
  }
  for (int i = 0; i < count; ++i) {
    int a = first + 4 * i, b = first + 4 * (i + 1 < count ? i + 1 : 0);
    for (int k = 0; k < 3; ++k) {
      add_triangle(geometry, a + k, a + k + 1, b + k + 1);
      add_triangle(geometry, a + k, b + k + 1, b + k);
    }
  }
}


// Return twice the signed area of a triangle: (b - a) x (c - a).
static double turn(ImpVec2 a, ImpVec2 b, ImpVec2 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }


// Return whether a corner is an ear: a convex corner with a triangle that contains no other corner.
static bool is_ear(const ImpVec2 *p, const int *ring, int count, int at, double sign) {
  int before = ring[(at + count - 1) % count], here = ring[at], after = ring[(at + 1) % count];
  if (sign * turn(p[before], p[here], p[after]) <= 0) return false;
  for (int i = 0; i < count; ++i) {
    ImpVec2 q = p[ring[i]];
    if (ring[i] == before || ring[i] == here || ring[i] == after) continue;
    if (sign * turn(p[before], p[here], q) >= 0 && sign * turn(p[here], p[after], q) >= 0 &&
        sign * turn(p[after], p[before], q) >= 0) {
      return false;
    }
  }
  return true;
}


// Triangulate a polygon by ear clipping. The inner vertex of corner i is first + 2 i.
static void cut_ears(Geometry *geometry, const ImpVec2 *p, int count, int first, double sign) {
  int *ring = geometry->ring;
  for (int i = 0; i < count; ++i) ring[i] = i;
  for (int left = count, at = 0, tried = 0; left > 2;) {
    if (tried++ < left && !is_ear(p, ring, left, at, sign)) {
      at = (at + 1) % left;
      continue;
    }
    add_triangle(geometry, first + 2 * ring[(at + left - 1) % left], first + 2 * ring[at],
                 first + 2 * ring[(at + 1) % left]);
    for (int i = at; i + 1 < left; ++i) ring[i] = ring[i + 1];
    left--;
    at = at < left ? at : 0;
    tried = 0;
  }
}


// Add a polygon: soft edges, triangles by ear clipping.
static void add_simple(Geometry *geometry, const ImpVec2 *p, int count, SDL_Color color) {
  void *ring = geometry->ring;
  bool room = grow(&ring, &geometry->ring_room, count, sizeof *geometry->ring);
  geometry->ring = ring;
  if (!room) geometry->failed = true;
  if (count < 3 || !room || !reserve(geometry, 2 * count, 9 * count)) return;
  double sum = 0;
  for (int i = 1; i + 1 < count; ++i) sum += turn(p[0], p[i], p[i + 1]);
  double sign = sum < 0 ? -1 : 1;
  int first = geometry->vertex_count;
  ImpVec2 before = normal_of(p[count - 1], p[0]);
  for (int i = 0; i < count; ++i) {
    ImpVec2 after = normal_of(p[i], p[i + 1 < count ? i + 1 : 0]), m = mitre(before, after, false, false);
    add_point(geometry, (ImpVec2){p[i].x - 0.5 * sign * m.x, p[i].y - 0.5 * sign * m.y}, color, 1);
    add_point(geometry, (ImpVec2){p[i].x + 0.5 * sign * m.x, p[i].y + 0.5 * sign * m.y}, color, 0);
    before = after;
  }
  cut_ears(geometry, p, count, first, sign);
  for (int i = 0; i < count; ++i) {
    int a = first + 2 * i, b = first + 2 * (i + 1 < count ? i + 1 : 0);
    add_triangle(geometry, a, a + 1, b + 1);
    add_triangle(geometry, a, b + 1, b);
  }
}


static void geometry_area(void *target, const Area *area, uint32_t color) {
  Geometry *geometry = target;
  if (area->loop_count == 0 || !ready(geometry)) return;
  if (area->kind == AREA_SIMPLE) {
    add_simple(geometry, area->points, area->point_count, color_of(color));
    return;
  }
  if (area->kind == AREA_RING) {
    add_ring(geometry, area, color_of(color));
    return;
  }
  int first = 0;
  for (int i = 0; i < area->loop_count; ++i) {
    add_convex(geometry, area->points + first, area->inner + first, area->ends[i] - first, color_of(color));
    first = area->ends[i];
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Images
// ---------------------------------------------------------------------------------------------------------------------

// Upload pixels, premultiplied if the renderer can blend premultiplied pixels. Return false on failure.
static bool upload_level(Geometry *geometry, const ImageLevel *level, ImageTexture *out) {
  const SDL_BlendMode mode =
      SDL_ComposeCustomBlendMode(SDL_BLENDFACTOR_ONE, SDL_BLENDFACTOR_ONE_MINUS_SRC_ALPHA, SDL_BLENDOPERATION_ADD,
                                 SDL_BLENDFACTOR_ONE, SDL_BLENDFACTOR_ONE_MINUS_SRC_ALPHA, SDL_BLENDOPERATION_ADD);
  SDL_Texture *texture = SDL_CreateTexture(geometry->renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STATIC,
                                           level->width, level->height);
  if (texture == NULL) return false;
  *out = (ImageTexture){.id = level->id, .texture = texture, .premultiplied = true};
  if (SDL_SetTextureBlendMode(texture, mode) == 0) {
    return SDL_UpdateTexture(texture, NULL, level->pixels, 4 * level->stride) == 0;
  }
  out->premultiplied = false;
  SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_BLEND);
  uint8_t *straight = malloc(4 * (size_t)level->width);
  for (int y = 0; straight != NULL && y < level->height; ++y) {
    memcpy(straight, level->pixels + (size_t)y * (size_t)level->stride, 4 * (size_t)level->width);
    for (int x = 0; x < level->width; ++x) {
      uint8_t *pixel = straight + 4 * (size_t)x;
      unsigned alpha = pixel[3];
      for (int k = 0; k < 3 && alpha > 0; ++k) pixel[k] = (uint8_t)((pixel[k] * 255u + alpha / 2) / alpha);
    }
    SDL_UpdateTexture(texture, &(SDL_Rect){0, y, level->width, 1}, straight, 4 * level->width);
  }
  free(straight);
  return straight != NULL;
}


// Return the texture of a level; upload a missing texture. Null on failure.
static const ImageTexture *texture_of(Geometry *geometry, const ImageLevel *level) {
  for (int i = geometry->image_count - 1; i >= 0; --i) {
    if (geometry->images[i].id == level->id) return &geometry->images[i];
  }
  if (geometry->image_count == MOST_IMAGES) {
    geometry_flush(geometry);
    geometry->bound = NULL;
    forget_images(geometry);
  }
  void *at = geometry->images;
  bool room = grow(&at, &geometry->image_room, geometry->image_count + 1, sizeof *geometry->images);
  geometry->images = at;
  ImageTexture made = {0};
  if (!room || !upload_level(geometry, level, &made)) {
    if (made.texture != NULL) SDL_DestroyTexture(made.texture);
    geometry->failed = true;
    return NULL;
  }
  geometry->images[geometry->image_count] = made;
  return &geometry->images[geometry->image_count++];
}


static void geometry_image(void *target, const PaintImage *image, uint32_t tint) {
  Geometry *geometry = target;
  const ImageTexture *of = texture_of(geometry, image->level);
  if (of == NULL) return;
  SDL_ScaleMode wanted = image->coarse ? SDL_ScaleModeNearest : SDL_ScaleModeLinear, is;
  if (SDL_GetTextureScaleMode(of->texture, &is) != 0 || is != wanted) {
    geometry_flush(geometry);
    SDL_SetTextureScaleMode(of->texture, wanted);
  }
  bind(geometry, of->texture);
  if (!reserve(geometry, 4, 6)) return;
  SDL_Color color = color_of(tint);
  if (of->premultiplied) {
    color.r = (uint8_t)((color.r * color.a + 127) / 255);
    color.g = (uint8_t)((color.g * color.a + 127) / 255);
    color.b = (uint8_t)((color.b * color.a + 127) / 255);
  }
  int first = geometry->vertex_count;
  for (int i = 0; i < 4; ++i) {
    add_vertex(geometry, image->corners[i], color, 1, i == 1 || i == 2 ? 1 : 0, i >= 2 ? 1 : 0);
  }
  add_triangle(geometry, first, first + 1, first + 2);
  add_triangle(geometry, first, first + 2, first + 3);
}


static void geometry_clip(void *target, PaintBox box) {
  Geometry *geometry = target;
  geometry_flush(geometry);
  SDL_Rect rect = {box.x1, box.y1, box.x2 - box.x1, box.y2 - box.y1};
  if (rect.w <= 0 || rect.h <= 0) rect = (SDL_Rect){-2, -2, 1, 1}; // SDL treats an empty rectangle as no clipping
  SDL_RenderSetClipRect(geometry->renderer, &rect);
}


Painter geometry_painter(Geometry *geometry, int width, int height) {
  return (Painter){.target = geometry,
                   .area = geometry_area,
                   .glyph = geometry_glyph,
                   .image = geometry_image,
                   .clip = geometry_clip,
                   .width = width,
                   .height = height};
}
