// Images: decoding by libpng, and mip levels of their parts. Pixels are premultiplied, so edges do not bleed.
#include "picture/image.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 1024, MOST_PARTS = 512 }; // slots of the hash table, a power of two; largest number of cached parts

static uint64_t last_id; // needs no lock, because a process paints from one thread


// ---------------------------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------------------------

// Premultiply R G B A bytes, in place.
static void premultiply(uint32_t *pixels, size_t count) {
  uint8_t *bytes = (uint8_t *)pixels;
  for (size_t i = 0; i < count; ++i, bytes += 4) {
    unsigned alpha = bytes[3];
    for (int k = 0; k < 3 && alpha < 255; ++k) bytes[k] = (uint8_t)((bytes[k] * alpha + 127) / 255);
  }
}


static bool finish(Image *image, uint32_t *pixels, int width, int height) {
  ImagePart **parts = calloc(PLACES, sizeof(ImagePart *));
  if (parts == NULL) {
    free(pixels);
    return false;
  }
  premultiply(pixels, (size_t)width * (size_t)height);
  *image = (Image){.pixels = pixels, .width = width, .height = height, .parts = parts};
  return true;
}


// png_image is libpng's simplified reader: it reads any kind of PNG as RGBA.
bool image_decode(Image *image, const void *bytes, size_t length, char *why) {
  png_image png = {.version = PNG_IMAGE_VERSION};
  if (png_image_begin_read_from_memory(&png, bytes, length) == 0) {
    snprintf(why, IMAGE_MESSAGE, "not a PNG file: %s", png.message);
    return false;
  }
  if (png.width > IMAGE_LARGEST || png.height > IMAGE_LARGEST) {
    snprintf(why, IMAGE_MESSAGE, "%u x %u pixels; at most %d x %d are allowed", png.width, png.height, IMAGE_LARGEST,
             IMAGE_LARGEST);
    png_image_free(&png);
    return false;
  }
  png.format = PNG_FORMAT_RGBA;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB; // 16-bit pixels without information about gamma are sRGB, as 8-bit pixels are
  uint32_t *pixels = malloc(PNG_IMAGE_SIZE(png));
  if (pixels == NULL || png_image_finish_read(&png, NULL, pixels, 0, NULL) == 0) {
    snprintf(why, IMAGE_MESSAGE, "a broken PNG file: %s", pixels == NULL ? "not enough memory" : png.message);
    png_image_free(&png);
    free(pixels);
    return false;
  }
  if (finish(image, pixels, (int)png.width, (int)png.height)) return true;
  snprintf(why, IMAGE_MESSAGE, "not enough memory");
  return false;
}


bool image_take(Image *image, const uint8_t *pixels, int width, int height) {
  size_t size = 4 * (size_t)width * (size_t)height;
  uint32_t *copy = malloc(size);
  if (copy == NULL) return false;
  memcpy(copy, pixels, size);
  return finish(image, copy, width, height);
}


static void free_part(ImagePart *part) {
  for (int i = 0; i < part->level_count; ++i) free(part->levels[i].owned);
  free(part);
}


static void free_parts(Image *image) {
  for (int i = 0; i < PLACES && image->parts != NULL; ++i) {
    if (image->parts[i] != NULL) free_part(image->parts[i]);
    image->parts[i] = NULL;
  }
  image->part_count = 0;
}


void image_free(Image *image) {
  free_parts(image);
  free(image->parts);
  free(image->pixels);
  *image = (Image){0};
}


// ---------------------------------------------------------------------------------------------------------------------
// Parts
// ---------------------------------------------------------------------------------------------------------------------

static bool has_empty_edge(const ImageLevel *level) {
  uint32_t any = 0;
  size_t last = (size_t)(level->height - 1) * (size_t)level->stride, right = (size_t)level->width - 1;
  for (int x = 0; x < level->width; ++x) any |= level->pixels[x] | level->pixels[last + (size_t)x];
  for (int y = 0; y < level->height; ++y) {
    size_t row = (size_t)y * (size_t)level->stride;
    any |= level->pixels[row] | level->pixels[row + right];
  }
  return any == 0;
}


// Return a part of the image from the cache; create a missing part. Null: out of memory.
static ImagePart *find_part(Image *image, int x, int y, int width, int height) {
  uint32_t hash = (uint32_t)x * 0x9E3779B1u ^ (uint32_t)y * 0x85EBCA6Bu ^ (uint32_t)width * 0xC2B2AE35u;
  hash ^= (uint32_t)height * 0x27D4EB2Fu;
  uint32_t first = (hash ^ hash >> 15) % PLACES, place = first;
  while (image->parts[place] != NULL) {
    ImagePart *part = image->parts[place];
    if (part->x == x && part->y == y && part->width == width && part->height == height) return part;
    place = (place + 1) % PLACES;
  }
  if (image->part_count == MOST_PARTS) {
    free_parts(image);
    place = first;
  }
  ImagePart *part = malloc(sizeof *part);
  if (part == NULL) return NULL;
  *part = (ImagePart){.x = x, .y = y, .width = width, .height = height, .level_count = 1};
  const uint32_t *pixels = image->pixels + (size_t)y * (size_t)image->width + (size_t)x;
  part->levels[0] =
      (ImageLevel){.pixels = pixels, .width = width, .height = height, .stride = image->width, .id = ++last_id};
  part->levels[0].empty_edge = has_empty_edge(&part->levels[0]);
  image->parts[place] = part;
  image->part_count++;
  return part;
}


// Return the mean of four pixels, byte by byte, rounded.
static uint32_t mean(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const uint32_t even = 0x00FF00FF, two = 0x00020002;
  uint32_t low = (a & even) + (b & even) + (c & even) + (d & even) + two;
  uint32_t high = (a >> 8 & even) + (b >> 8 & even) + (c >> 8 & even) + (d >> 8 & even) + two;
  return (low >> 2 & even) | (high >> 2 & even) << 8;
}


static bool add_level(ImagePart *part) {
  const ImageLevel *large = &part->levels[part->level_count - 1];
  int width = (large->width + 1) / 2, height = (large->height + 1) / 2;
  uint32_t *pixels = malloc(sizeof *pixels * (size_t)width * (size_t)height);
  if (pixels == NULL) return false;
  for (int y = 0; y < height; ++y) {
    const uint32_t *above = large->pixels + (size_t)(2 * y) * (size_t)large->stride;
    const uint32_t *below = 2 * y + 1 < large->height ? above + large->stride : above;
    uint32_t *row = pixels + (size_t)y * (size_t)width;
    for (int x = 0; x < width; ++x) {
      int left = 2 * x, right = left + 1 < large->width ? left + 1 : left;
      row[x] = mean(above[left], above[right], below[left], below[right]);
    }
  }
  ImageLevel *level = &part->levels[part->level_count++];
  *level = (ImageLevel){
      .pixels = pixels, .width = width, .height = height, .stride = width, .id = ++last_id, .owned = pixels};
  level->empty_edge = has_empty_edge(level);
  return true;
}


const ImageLevel *image_level(Image *image, int x, int y, int width, int height, double shrink) {
  ImagePart *part = find_part(image, x, y, width, height);
  if (part == NULL) return NULL;
  int level = 0;
  while (shrink >= 2 && level < IMAGE_LEVELS - 1 && (width > 1 || height > 1)) {
    shrink /= 2;
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    level++;
  }
  while (part->level_count <= level) {
    if (!add_level(part)) return NULL;
  }
  return &part->levels[level];
}
