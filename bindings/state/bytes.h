// Bytes of a snapshot's Lua part, written and read.
#ifndef IMPEL_BINDINGS_BYTES_H
#define IMPEL_BINDINGS_BYTES_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a value begins with.
enum {
  STATE_NIL,
  STATE_FALSE,
  STATE_TRUE,
  STATE_INTEGER,    ///< int64_t
  STATE_NUMBER,     ///< double
  STATE_STRING,     ///< uint32_t length, bytes
  STATE_TABLE,      ///< uint32_t number
  STATE_OBJECT,     ///< uint8_t place in bind_data_classes, uint64_t owner: a body, shape, joint, ...
  STATE_COORDINATE, ///< uint64_t joint, uint32_t index
  STATE_WORLD,      ///< the world itself
  STATE_OPAQUE,     ///< no data: what is there at a restore stays
  STATE_OTHER_WORLD, ///< uint64_t serial, uint32_t number among the worlds in the bytes of the whole snapshot (from 1, its
                     ///< own first), uint32_t length, its snapshot; of length 0 where that came before
  STATE_FORMER,      ///< a destroyed object: as STATE_OBJECT, then uint64_t creation number, STATE_STRING and its name
                     ///< or STATE_NIL
};

/// Bytes that are being written; the memory is the userdata's at stack index `box`, so that errors free it.
typedef struct Bytes {
  unsigned char *at;
  size_t size, capacity;
} Bytes;

/// Bytes that are being read; past the end everything is 0 and `bad` set.
typedef struct Reader {
  const unsigned char *at;
  size_t size, place;
  bool bad;
} Reader;

/// Push a userdata that frees its bytes when it is collected.
Bytes *bind_push_bytes(lua_State *L);
void bind_free_bytes(Bytes *bytes);
void bind_put(lua_State *L, Bytes *bytes, const void *data, size_t size);
void bind_put_u8(lua_State *L, Bytes *bytes, unsigned value);
void bind_put_u32(lua_State *L, Bytes *bytes, uint32_t value);
void bind_put_u64(lua_State *L, Bytes *bytes, uint64_t value);
void bind_put_text(lua_State *L, Bytes *bytes, const char *text, size_t length);
uint8_t bind_take_u8(Reader *reader);
uint32_t bind_take_u32(Reader *reader);
uint64_t bind_take_u64(Reader *reader);
const char *bind_take_text(Reader *reader, size_t *out_length);
/// Most of what there is much of: a number at a whole number, as a table's fields have it.
void bind_put_pair(lua_State *L, Bytes *bytes, lua_Integer key, lua_Number value);
/// False: what follows is no such pair, and nothing is read.
bool bind_take_pair(Reader *reader, lua_Integer *out_key, lua_Number *out_value);

#endif
