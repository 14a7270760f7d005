// Drawings as bytes for another process. The reader does not trust the bytes.
//
// Format, little-endian, with sizes in bytes in parentheses:
//   head    "IMPD", number of items (4)
//   item    kind (1), style (1), sum of flags (1), 0 (1), color (4), number of points (4),
//           radius, width, align, rise, order, value (8 each), owner (8), length of the text (4) and of the source (4),
//           points (16 each), text, source
//   flags   1: `screen` is set, 2: `coarse` is set, 4: the item has a source
#include <lauxlib.h>
#include <stdint.h>
#include <string.h>

#include "objects/draw.h"

enum { HEAD = 8, ITEM = 76 };
enum { FLAG_SCREEN = 1, FLAG_COARSE = 2, FLAG_SOURCE = 4 };

static const char magic[4] = "IMPD";


// ---------------------------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------------------------

static unsigned char *put(unsigned char *at, uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) *at++ = (unsigned char)(number >> 8 * i);
  return at;
}


static unsigned char *put_double(unsigned char *at, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return put(at, bits, 8);
}


static size_t text_length(int32_t text, const char *texts) { return text >= 0 ? strlen(texts + text) : 0; }


static unsigned char *put_text(unsigned char *at, int32_t text, const char *texts, size_t length) {
  if (length > 0) memcpy(at, texts + text, length);
  return at + length;
}


static unsigned char *put_item(unsigned char *at, const ImpDrawItem *item, const ImpVec2 *points, const char *texts) {
  size_t length = text_length(item->text, texts), source = text_length(item->source, texts);
  unsigned flags = (item->screen ? FLAG_SCREEN : 0u) | (item->coarse ? FLAG_COARSE : 0u);
  if (item->source >= 0) flags |= FLAG_SOURCE;
  at = put(at, (uint64_t)item->kind, 1);
  at = put(at, (uint64_t)item->style, 1);
  at = put(at, flags, 1);
  at = put(at, 0, 1);
  at = put(at, item->color, 4);
  at = put(at, (uint64_t)item->count, 4);
  at = put_double(at, item->radius);
  at = put_double(at, item->width);
  at = put_double(at, item->align);
  at = put_double(at, item->rise);
  at = put_double(at, item->order);
  at = put_double(at, item->value);
  at = put(at, item->owner, 8);
  at = put(at, length, 4);
  at = put(at, source, 4);
  for (int i = item->first; i < item->first + item->count; ++i) {
    at = put_double(at, points[i].x);
    at = put_double(at, points[i].y);
  }
  at = put_text(at, item->text, texts, length);
  return put_text(at, item->source, texts, source);
}


int draw_to_bytes(lua_State *L) {
  int count;
  const ImpDrawList *list = bind_check_drawing(L);
  const ImpDrawItem *items = imp_draw_items(list, &count);
  const char *texts = imp_draw_texts(list);
  size_t size = HEAD;
  for (int i = 0; i < count; ++i) {
    size += ITEM + 16 * (size_t)items[i].count + text_length(items[i].text, texts);
    size += text_length(items[i].source, texts);
  }
  luaL_Buffer buffer;
  unsigned char *at = (unsigned char *)luaL_buffinitsize(L, &buffer, size);
  memcpy(at, magic, sizeof magic);
  at = put(at + sizeof magic, (uint64_t)count, 4);
  for (int i = 0; i < count; ++i) at = put_item(at, &items[i], imp_draw_points(list), texts);
  luaL_pushresultsize(&buffer, size);
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------------------------

static uint64_t get(const unsigned char *at, int bytes) {
  uint64_t number = 0;
  for (int i = 0; i < bytes; ++i) number |= (uint64_t)at[i] << 8 * i;
  return number;
}


static double get_double(const unsigned char *at) {
  uint64_t bits = get(at, 8);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}


// Add the item at `at`; return its size [bytes], or 0.
static size_t add_item(ImpDrawList *list, const unsigned char *at, size_t left, ImpVec2 *points, char *text) {
  if (left < ITEM) return 0;
  uint64_t count = get(at + 8, 4), length = get(at + 68, 4), source = get(at + 72, 4);
  if (count > (left - ITEM) / 16 || length + source > left - ITEM - 16 * count) return 0;
  ImpDrawItem item = {
      .kind = (ImpDrawKind)at[0],
      .style = (ImpDrawStyle)at[1],
      .color = (uint32_t)get(at + 4, 4),
      .count = (int32_t)count,
      .radius = get_double(at + 12),
      .width = get_double(at + 20),
      .align = get_double(at + 28),
      .rise = get_double(at + 36),
      .order = get_double(at + 44),
      .value = get_double(at + 52),
      .owner = get(at + 60, 8),
      .screen = (at[2] & FLAG_SCREEN) != 0,
      .coarse = (at[2] & FLAG_COARSE) != 0,
  };
  for (size_t i = 0; i < count; ++i) {
    points[i] = (ImpVec2){get_double(at + ITEM + 16 * i), get_double(at + ITEM + 16 * i + 8)};
  }
  char *name = text + length + 1;
  memcpy(text, at + ITEM + 16 * count, (size_t)length);
  memcpy(name, at + ITEM + 16 * count + length, (size_t)source);
  text[length] = name[source] = '\0';
  if ((at[2] & FLAG_SOURCE) == 0) name = NULL;
  return imp_draw_add(list, &item, points, text, name) == IMP_OK ? (size_t)(ITEM + 16 * count + length + source) : 0;
}


int draw_from_bytes(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  size_t size;
  const unsigned char *bytes = (const unsigned char *)luaL_checklstring(L, 2, &size);
  size_t at = HEAD;
  uint64_t count = size >= HEAD && memcmp(bytes, magic, sizeof magic) == 0 ? get(bytes + 4, 4) : UINT64_MAX;
  bool good = count <= size / ITEM;
  // Memory for the largest possible item.
  ImpVec2 *points = lua_newuserdatauv(L, good ? size + sizeof *points : 1, 0);
  char *text = lua_newuserdatauv(L, good ? size + 2 : 1, 0);
  for (uint64_t i = 0; good && i < count; ++i) {
    size_t length = add_item(list, bytes + at, size - at, points, text);
    good = length > 0;
    at += length;
  }
  if (good && at == size) {
    lua_pushboolean(L, 1);
    return 1;
  }
  imp_draw_clear(list);
  lua_pushnil(L);
  lua_pushliteral(L, "drawing:add: the bytes are not a drawing");
  return 2;
}
