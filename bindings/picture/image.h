// Images of drawings: decoded once, premultiplied, with mip levels.
//
// A part of an image, such as a frame of a sprite sheet, has its own mip levels: frames never mix with their neighbours.
#ifndef IMPEL_BINDINGS_IMAGE_H
#define IMPEL_BINDINGS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The largest side of a picture that is painted into others [px].
enum { IMAGE_LARGEST = 8192 };

/// Pixels of a part of a picture at one size: premultiplied, bytes in the order R G B A.
typedef struct ImageLevel {
  const uint32_t *pixels;
  int width, height, stride;
  bool empty_edge; ///< the outermost pixels are all transparent
  uint64_t id;     ///< another one for each pixels that there ever were in this process
  uint32_t *owned; ///< the same pixels where the level has them for itself
} ImageLevel;

enum { IMAGE_LEVELS = 14 }; // of 8192 pixels, half of them, ..., one

/// A part of a picture. levels[k] is half of levels[k - 1] in width and height, rounded up.
typedef struct ImagePart {
  int x, y, width, height;
  int level_count;
  ImageLevel levels[IMAGE_LEVELS];
} ImagePart;

typedef struct Image {
  uint32_t *pixels;
  int width, height;
  ImagePart **parts; ///< hashed by what they are of; null: a free place   (IMAGE_PLACES)
  int part_count;
} Image;

/// Read a PNG file of any kind; false with a text in `why`, of at least IMAGE_MESSAGE bytes, and nothing made.
enum { IMAGE_MESSAGE = 200 };
bool image_decode(Image *image, const void *bytes, size_t length, char *why);
/// Take straight R G B A pixels, row by row from the top. False: out of memory.
bool image_take(Image *image, const uint8_t *pixels, int width, int height);
void image_free(Image *image);

/// The pixels of a part of the picture at the size that suits: the smallest one that has at least a pixel for each of
/// those that are painted, where `shrink` pixels of the picture come to one. The part lies within the picture. Null: out
/// of memory.
const ImageLevel *image_level(Image *image, int x, int y, int width, int height, double shrink);

#endif
