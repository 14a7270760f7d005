// Areas and glyphs as triangles of SDL_RenderGeometry, for hardware-accelerated renderers.
#ifndef IMPEL_BINDINGS_WINDOW_GEOMETRY_H
#define IMPEL_BINDINGS_WINDOW_GEOMETRY_H

#include <SDL.h>

#include "picture/paint.h"

/// The pixels of an image level, on the graphics card.
typedef struct ImageTexture {
  uint64_t id; ///< id of the ImageLevel
  SDL_Texture *texture;
  bool premultiplied; ///< the renderer can blend premultiplied pixels
} ImageTexture;

typedef struct Geometry {
  SDL_Renderer *renderer;
  SDL_Vertex *vertices; ///< vertices of the batch, which is everything painted since the last flush
  int *indices;
  int vertex_count, vertex_room, index_count, index_room;
  SDL_Texture *bound; ///< texture of the batch
  ImageTexture *images;
  int image_count, image_room;
  int *ring, ring_room; ///< remaining corners of a polygon during ear clipping
  SDL_Texture *atlas;   ///< the glyphs, and a white pixel in the corner for areas; null until needed
  uint32_t generation;  ///< generation of `font` whose glyphs are in the atlas
  const Font *font;     ///< font whose glyphs are in the atlas
  int x, y, row;        ///< next free position in the atlas; height of the row of glyphs at this position [px]
  SDL_Point *places;    ///< position in the atlas by the glyph's number; x < 0: the glyph is not in the atlas
  bool failed;          ///< out of memory, or an error of SDL
} Geometry;

void geometry_init(Geometry *geometry, SDL_Renderer *renderer, const Font *font);
void geometry_free(Geometry *geometry);
/// Release all textures after a loss of the device.
void geometry_reset(Geometry *geometry);
/// Return a painter for an output of this size; call geometry_flush after painting.
Painter geometry_painter(Geometry *geometry, int width, int height);
void geometry_flush(Geometry *geometry);

#endif
