// Bytes of a snapshot's Lua part: a growing output buffer, and bounds-checked reading.
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/quota.h"
#include "state/bytes.h"

#define BYTES_METATABLE "impel.bytes"

enum { FIRST_ROOM = 256 };


void bind_free_bytes(Bytes *bytes) {
  free(bytes->at);
  *bytes = (Bytes){NULL, 0, 0};
}


static int collect(lua_State *L) {
  bind_free_bytes(lua_touserdata(L, 1));
  return 0;
}


Bytes *bind_push_bytes(lua_State *L) {
  Bytes *bytes = lua_newuserdatauv(L, sizeof *bytes, 0);
  *bytes = (Bytes){NULL, 0, 0};
  if (luaL_newmetatable(L, BYTES_METATABLE)) {
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return bytes;
}


void bind_put(lua_State *L, Bytes *bytes, const void *data, size_t size) {
  if (size > bytes->capacity - bytes->size) {
    size_t room = bytes->capacity + bytes->capacity / 2 + size + FIRST_ROOM;
    unsigned char *at = bind_has_room(room) ? realloc(bytes->at, room) : NULL;
    if (at == NULL) luaL_error(L, "out of memory for a snapshot");
    bytes->at = at;
    bytes->capacity = room;
  }
  if (size > 0) memcpy(bytes->at + bytes->size, data, size);
  bytes->size += size;
}


void bind_put_u8(lua_State *L, Bytes *bytes, unsigned value) {
  uint8_t byte = (uint8_t)value;
  bind_put(L, bytes, &byte, sizeof byte);
}


void bind_put_u32(lua_State *L, Bytes *bytes, uint32_t value) { bind_put(L, bytes, &value, sizeof value); }


void bind_put_u64(lua_State *L, Bytes *bytes, uint64_t value) { bind_put(L, bytes, &value, sizeof value); }


void bind_put_text(lua_State *L, Bytes *bytes, const char *text, size_t length) {
  if (length > UINT32_MAX) luaL_error(L, "a string of %I bytes is too long for a snapshot", (lua_Integer)length);
  bind_put_u32(L, bytes, (uint32_t)length);
  bind_put(L, bytes, text, length);
}


static void take(Reader *reader, void *out, size_t size) {
  memset(out, 0, size);
  if (reader->bad || size > reader->size - reader->place) {
    reader->bad = true;
    return;
  }
  memcpy(out, reader->at + reader->place, size);
  reader->place += size;
}


uint8_t bind_take_u8(Reader *reader) {
  uint8_t value;
  take(reader, &value, sizeof value);
  return value;
}


uint32_t bind_take_u32(Reader *reader) {
  uint32_t value;
  take(reader, &value, sizeof value);
  return value;
}


uint64_t bind_take_u64(Reader *reader) {
  uint64_t value;
  take(reader, &value, sizeof value);
  return value;
}


const char *bind_take_text(Reader *reader, size_t *out_length) {
  size_t length = bind_take_u32(reader);
  if (reader->bad || length > reader->size - reader->place) {
    reader->bad = true;
    length = 0;
  }
  const char *text = (const char *)reader->at + (reader->bad ? 0 : reader->place);
  if (!reader->bad) reader->place += length;
  *out_length = length;
  return text;
}


enum { VALUE_AT = 1 + sizeof(lua_Integer), PAIR = VALUE_AT + 1 + sizeof(lua_Number) };


void bind_put_pair(lua_State *L, Bytes *bytes, lua_Integer key, lua_Number value) {
  unsigned char pair[PAIR];
  pair[0] = STATE_INTEGER;
  memcpy(pair + 1, &key, sizeof key);
  pair[VALUE_AT] = STATE_NUMBER;
  memcpy(pair + VALUE_AT + 1, &value, sizeof value);
  bind_put(L, bytes, pair, sizeof pair);
}


bool bind_take_pair(Reader *reader, lua_Integer *out_key, lua_Number *out_value) {
  const unsigned char *at = reader->at + reader->place;
  if (reader->bad || reader->size - reader->place < PAIR || at[0] != STATE_INTEGER || at[VALUE_AT] != STATE_NUMBER) {
    return false;
  }
  memcpy(out_key, at + 1, sizeof *out_key);
  memcpy(out_value, at + VALUE_AT + 1, sizeof *out_value);
  reader->place += PAIR;
  return true;
}
