// Images of drawings. Each part, such as a frame of a sprite sheet, has its own mip levels.
#ifndef IMPEL_BINDINGS_IMAGE_H
#define IMPEL_BINDINGS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The largest side of an image [px].
enum { IMAGE_LARGEST = 8192 };

/// Pixels of an image part: premultiplied, in the order R G B A.
typedef struct ImageLevel {
  const uint32_t *pixels;
  int width, height, stride;
  bool empty_edge; ///< all outermost pixels are transparent
  uint64_t id;     ///< unique among all levels in this process
  uint32_t *owned; ///< `pixels` if the level owns this memory, else null
} ImageLevel;

enum { IMAGE_LEVELS = 14 }; // sides of at most 8192, 4096, ..., 1 pixels

/// A part of an image. levels[k] has half the width and height of levels[k - 1], rounded up.
typedef struct ImagePart {
  int x, y, width, height;
  int level_count;
  ImageLevel levels[IMAGE_LEVELS];
} ImagePart;

typedef struct Image {
  uint32_t *pixels;
  int width, height;
  ImagePart **parts; ///< hash table, keyed by the part's position and size; null: an empty slot   (PLACES entries)
  int part_count;
} Image;

/// Decode a PNG file. On failure return false, write `why` (IMAGE_MESSAGE bytes) and allocate nothing.
enum { IMAGE_MESSAGE = 200 };
bool image_decode(Image *image, const void *bytes, size_t length, char *why);
/// Copy R G B A pixels, not premultiplied, rows from the top. Return false if memory runs out.
bool image_take(Image *image, const uint8_t *pixels, int width, int height);
void image_free(Image *image);

/// Return the smallest level of an image part with at least one pixel for each painted pixel; null: out of memory.
/// The part must be within the image. `shrink`: image pixels for each painted pixel
const ImageLevel *image_level(Image *image, int x, int y, int width, int height, double shrink);

#endif
