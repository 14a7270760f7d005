// Writing and reading the bytes of a snapshot's Lua part.
#ifndef IMPEL_BINDINGS_BYTES_H
#define IMPEL_BINDINGS_BYTES_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The first byte of a value: its kind. The comments give the bytes that follow the kind.
enum {
  STATE_NIL,
  STATE_FALSE,
  STATE_TRUE,
  STATE_INTEGER,    ///< int64_t
  STATE_NUMBER,     ///< double
  STATE_STRING,     ///< uint32_t length, bytes
  STATE_TABLE,      ///< uint32_t number
  STATE_OBJECT,     ///< uint8_t index in bind_data_classes, uint64_t owner: a body, shape, joint, ...
  STATE_COORDINATE, ///< uint64_t joint, uint32_t index
  STATE_WORLD,      ///< the snapshot's own world
  STATE_OPAQUE,     ///< a value that a snapshot cannot contain; a restore leaves the current value
  /// another world: uint64_t serial, uint32_t number (1: the world whose world:snapshot ran), uint32_t length, bytes
  /// of the other world's snapshot. Length 0: the snapshot already contains the world with this number
  STATE_OTHER_WORLD,
  /// a destroyed object: as STATE_OBJECT, then uint64_t creation number, then STATE_STRING and its name, or STATE_NIL
  STATE_DESTROYED,
};

/// Output buffer. A userdata owns its memory, so Lua's garbage collector also frees the memory after an error.
typedef struct Bytes {
  unsigned char *at;
  size_t size, capacity;
} Bytes;

/// Input. A read past the end returns 0 and sets `bad`.
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
/// Write a field with an integer key and a float value.
void bind_put_pair(lua_State *L, Bytes *bytes, lua_Integer key, lua_Number value);
/// Read an integer key and a float value, or return false.
bool bind_take_pair(Reader *reader, lua_Integer *out_key, lua_Number *out_value);

#endif
