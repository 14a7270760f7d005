// Fonts and images that drawings refer to: window.font, window.use_font, window.add_font, window.text_size,
// window.image.
#include "picture/picture.h"

#include <string.h>

#define FONT_KEY "impel.font"
#define IMAGES_KEY "impel.images" // name -> image, weak values
#define IMAGE_CLASS "impel.image"


// ---------------------------------------------------------------------------------------------------------------------
// Fonts
// ---------------------------------------------------------------------------------------------------------------------

static int collect_font(lua_State *L) {
  Font **font = lua_touserdata(L, 1);
  font_destroy(*font);
  *font = NULL;
  return 0;
}


Font *picture_font(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, FONT_KEY);
  Font **font = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (*font == NULL) {
    *font = font_create();
    if (*font == NULL) luaL_error(L, "not enough memory");
    font_load_default(*font);
  }
  return *font;
}


// window.font() -> name of the current font, such as "DejaVu Sans" or "bitmap"
static int get_font(lua_State *L) {
  lua_pushstring(L, font_name(picture_font(L)));
  return 1;
}


// window.use_font([path]) -> name; or nil, message
// "bitmap": the built-in font; no path: the initial font. On failure the font is unchanged.
static int use_font(lua_State *L) {
  Font *font = picture_font(L);
  const char *path = lua_isnoneornil(L, 1) ? NULL : picture_text(L, 1, "window.use_font", "path"), *why = "";
  if (path == NULL) {
    font_load_default(font);
  } else {
    lua_pushliteral(L, "bitmap");
    bool built_in = lua_rawequal(L, 1, -1);
    if (!font_load(font, built_in ? NULL : path, &why)) {
      lua_pushnil(L);
      lua_pushfstring(L, "cannot use font %s: %s", path, why);
      return 2;
    }
  }
  return get_font(L);
}


// window.add_font(name, bytes) -> true; or nil, message
// Adds a font, which items of drawings use by its name. bytes: a font file
static int add_font(lua_State *L) {
  const char *name = picture_text(L, 1, "window.add_font", "name"), *why = "";
  size_t length;
  if (lua_type(L, 2) != LUA_TSTRING) {
    return picture_argument_error(L, 2, "window.add_font", "bytes", "the bytes of a font file");
  }
  const char *bytes = lua_tolstring(L, 2, &length);
  if (strlen(name) >= FONT_NAME) return luaL_error(L, "window.add_font: argument 'name' is too long");
  lua_pushboolean(L, 1);
  if (font_add(picture_font(L), name, bytes, length, &why)) return 1;
  lua_pushnil(L);
  lua_pushstring(L, why);
  return 2;
}


// window.text_size(text, size [, font]) -> width, height of the line [px]; size [px]
static int text_size(lua_State *L) {
  const char *text = picture_text(L, 1, "window.text_size", "text");
  double size = lua_tonumber(L, 2);
  if (lua_type(L, 2) != LUA_TNUMBER || !(size > 0)) {
    return picture_argument_error(L, 2, "window.text_size", "size", "a number > 0 [px]");
  }
  int whole = size < FONT_SMALLEST ? FONT_SMALLEST : size > FONT_LARGEST ? FONT_LARGEST : (int)(size + 0.5);
  int above, below;
  Font *font = picture_font(L);
  int face = font_face(font, lua_isnoneornil(L, 3) ? NULL : picture_text(L, 3, "window.text_size", "font"));
  font_heights(font, face, whole, &above, &below);
  lua_pushinteger(L, font_width(font, face, whole, text));
  lua_pushinteger(L, above + below);
  return 2;
}


// ---------------------------------------------------------------------------------------------------------------------
// Images
// ---------------------------------------------------------------------------------------------------------------------

static int collect_image(lua_State *L) {
  image_free(luaL_checkudata(L, 1, IMAGE_CLASS));
  return 0;
}


static Image *find_image(void *context, const char *name) {
  lua_State *L = context;
  lua_getfield(L, LUA_REGISTRYINDEX, IMAGES_KEY);
  lua_getfield(L, -1, name);
  Image *image = lua_touserdata(L, -1);
  lua_pop(L, 2);
  return image;
}


PaintImages picture_images(lua_State *L) {
  luaL_checkstack(L, 4, NULL);
  return (PaintImages){.context = L, .find = find_image};
}


// window.image(name, bytes [, width, height]) -> image; or nil, message
// Drawings refer to the image by its name until the image is collected.
// bytes: a PNG file; with width and height, pixels R G B A, not premultiplied, rows from the top
static int new_image(lua_State *L) {
  picture_text(L, 1, "window.image", "name");
  size_t length;
  if (lua_type(L, 2) != LUA_TSTRING) {
    return picture_argument_error(L, 2, "window.image", "bytes", "the bytes of a PNG file");
  }
  const char *bytes = lua_tolstring(L, 2, &length);
  bool raw = !lua_isnoneornil(L, 3);
  int width = raw ? picture_integer(L, 3, "window.image", "width", 1, IMAGE_LARGEST) : 0;
  int height = raw ? picture_integer(L, 4, "window.image", "height", 1, IMAGE_LARGEST) : 0;
  if (raw && length != 4 * (size_t)width * (size_t)height) {
    return luaL_error(L, "window.image: argument 'bytes': %d x %d pixels need %d bytes", width, height,
                      4 * width * height);
  }
  Image *image = lua_newuserdatauv(L, sizeof *image, 0);
  *image = (Image){0};
  luaL_setmetatable(L, IMAGE_CLASS);
  char why[IMAGE_MESSAGE] = "not enough memory";
  bool made = raw ? image_take(image, (const uint8_t *)bytes, width, height) : image_decode(image, bytes, length, why);
  if (!made) {
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
  }
  lua_getfield(L, LUA_REGISTRYINDEX, IMAGES_KEY);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return 1;
}


// image:size() -> width, height [px]
static int image_size(lua_State *L) {
  const Image *image = luaL_checkudata(L, 1, IMAGE_CLASS);
  lua_pushinteger(L, image->width);
  lua_pushinteger(L, image->height);
  return 2;
}


static void open_images(lua_State *L) {
  luaL_newmetatable(L, IMAGE_CLASS);
  lua_pushcfunction(L, collect_image);
  lua_setfield(L, -2, "__gc");
  lua_newtable(L);
  lua_pushcfunction(L, image_size);
  lua_setfield(L, -2, "size");
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  lua_newtable(L);
  lua_newtable(L);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, IMAGES_KEY);
}


const luaL_Reg resource_functions[] = {
    {"add_font", add_font}, {"image", new_image},     {"font", get_font},
    {"use_font", use_font}, {"text_size", text_size}, {NULL, NULL},
};


void resources_open(lua_State *L) {
  open_images(L);
  Font **font = lua_newuserdatauv(L, sizeof(Font *), 0);
  *font = NULL;
  lua_newtable(L);
  lua_pushcfunction(L, collect_font);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, FONT_KEY);
}
