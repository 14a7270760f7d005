// PNG by libpng, to and from strings. Opaque pictures are written without an alpha channel.
#include "picture/picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bytes {
  uint8_t *data;
  size_t length, room;
} Bytes;

enum { COMPRESSION = 6, MESSAGE = 200 };


static void write_bytes(png_structp png, png_bytep data, size_t length) {
  Bytes *out = png_get_io_ptr(png);
  if (out->length + length > out->room) {
    size_t room = 2 * out->room + length + 4096;
    uint8_t *grown = realloc(out->data, room);
    if (grown == NULL) png_error(png, "not enough memory");
    out->data = grown;
    out->room = room;
  }
  memcpy(out->data + out->length, data, length);
  out->length += length;
}


static void flush_bytes(png_structp png) { (void)png; }


// Error handler of libpng: stores the message and jumps back.
static void on_error(png_structp png, png_const_charp message) {
  char *out = png_get_error_ptr(png);
  snprintf(out, MESSAGE, "%s", message);
  longjmp(*png_set_longjmp_fn(png, longjmp, sizeof(jmp_buf)), 1);
}


static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}


static bool write_png(png_structp png, png_infop info, const Raster *raster, uint8_t *pixels, Bytes *out) {
  if (setjmp(*png_set_longjmp_fn(png, longjmp, sizeof(jmp_buf))) != 0) return false;
  bool all = raster_read(raster, pixels);
  png_set_write_fn(png, out, write_bytes, flush_bytes);
  png_set_compression_level(png, COMPRESSION);
  png_set_IHDR(png, info, (png_uint_32)raster->width, (png_uint_32)raster->height, 8,
               all ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  // no filter before the compression: with filters, files of pictures with flat colours are larger
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_write_info(png, info);
  if (all) png_set_filler(png, 0, PNG_FILLER_AFTER);
  for (int y = 0; y < raster->height; ++y) png_write_row(png, pixels + 4 * (size_t)y * (size_t)raster->width);
  png_write_end(png, info);
  return true;
}


bool png_encode(lua_State *L, const Raster *raster) {
  char message[MESSAGE] = "not enough memory";
  Bytes out = {0};
  uint8_t *pixels = malloc(4 * (size_t)raster->width * (size_t)raster->height);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, on_error, on_warning);
  png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
  bool ok = pixels != NULL && info != NULL && write_png(png, info, raster, pixels, &out);
  png_destroy_write_struct(&png, &info);
  free(pixels);
  if (ok) {
    lua_pushlstring(L, (const char *)out.data, out.length);
  } else {
    lua_pushfstring(L, "cannot make a PNG: %s", message);
  }
  free(out.data);
  return ok;
}


// png_image is libpng's simplified reader: it reads any kind of PNG as RGBA.
int png_decode(lua_State *L) {
  size_t length;
  if (lua_type(L, 1) != LUA_TSTRING) {
    return picture_argument_error(L, 1, "window.decode_png", "png", "the bytes of a PNG file");
  }
  const char *bytes = lua_tolstring(L, 1, &length);
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (png_image_begin_read_from_memory(&image, bytes, length) != 0) {
    image.format = PNG_FORMAT_RGBA;
    // 16-bit pixels without information about gamma are sRGB, as 8-bit pixels are
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    if (image.width > LARGEST_SIDE || image.height > LARGEST_SIDE) {
      png_image_free(&image);
      lua_pushnil(L);
      lua_pushfstring(L, "the picture is larger than %d x %d pixels", LARGEST_SIDE, LARGEST_SIDE);
      return 2;
    }
    size_t size = PNG_IMAGE_SIZE(image);
    uint8_t *pixels = malloc(size);
    if (pixels != NULL && png_image_finish_read(&image, NULL, pixels, 0, NULL) != 0) {
      lua_pushinteger(L, (lua_Integer)image.width);
      lua_pushinteger(L, (lua_Integer)image.height);
      lua_pushlstring(L, (const char *)pixels, size);
      free(pixels);
      return 3;
    }
    free(pixels);
    png_image_free(&image);
  }
  lua_pushnil(L);
  lua_pushfstring(L, "cannot read the PNG: %s", image.message[0] != '\0' ? image.message : "not enough memory");
  return 2;
}
