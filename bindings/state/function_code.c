// Hash of the code (instructions and constants) of a Lua function and its inner functions, independent of its place.
// Even the stripped bytes of lua_dump contain line numbers, so the bytes are parsed.
//
//   bytes    = header, count of upvalues (1), function
//   function = name of its file, first line, last line, parameters (1), varies (1), stack (1), count, instruction...,
//              count, constant..., count, upvalue (3)..., count, function..., four counts of stripped debug data: 0
//   constant = kind (1), then the 8 bytes of a number, length + 1 and bytes of a string, nothing for others
//
// Counts, lengths and lines take 7 bits per byte, the most significant first; the last byte has its highest bit set.
//   source: ldump.c and lundump.h of Lua 5.4
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#include "state/state_function.h"

// Bytes before the first function: signature, version, format, check, three sizes, an integer, a number, a count.
enum { HEADER = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1, VERSION_PLACE = 4, SIZES_PLACE = 12 };
enum { MOST_DEPTH = 250 }; // nesting of functions; Lua allows 200

enum { CONSTANT_SHORT_STRING = 0x04, CONSTANT_LONG_STRING = 0x14, CONSTANT_INTEGER = 0x03, CONSTANT_NUMBER = 0x13 };

typedef struct Walk {
  const unsigned char *bytes;
  size_t size, at;
  size_t from; // start of the bytes not yet hashed
  XXH3_state_t *state;
  bool bad;
} Walk;


static void skip(Walk *walk, size_t size) {
  walk->bad = walk->bad || size > walk->size - walk->at;
  walk->at += walk->bad ? 0 : size;
}


static unsigned skip_byte(Walk *walk) {
  skip(walk, 1);
  return walk->bad ? 0 : walk->bytes[walk->at - 1];
}


static size_t skip_count(Walk *walk) {
  size_t count = 0;
  unsigned byte = 0;
  do {
    byte = skip_byte(walk);
    walk->bad = walk->bad || count > SIZE_MAX >> 7;
    count = count << 7 | (byte & 127u);
  } while (!walk->bad && byte < 128u);
  return walk->bad ? 0 : count;
}


// Skip a list of items of `each` bytes.
static void skip_list(Walk *walk, size_t each) {
  size_t count = skip_count(walk);
  walk->bad = walk->bad || count > walk->size / each;
  skip(walk, walk->bad ? 0 : count * each);
}


static void skip_string(Walk *walk) {
  size_t length = skip_count(walk);
  skip(walk, length > 0 ? length - 1 : 0);
}


static void leave_out_lines(Walk *walk) {
  XXH3_64bits_update(walk->state, walk->bytes + walk->from, walk->at - walk->from);
  skip_count(walk);
  skip_count(walk);
  walk->from = walk->at;
}


static void skip_constants(Walk *walk) {
  size_t count = skip_count(walk);
  for (size_t i = 0; i < count && !walk->bad; i++) {
    unsigned kind = skip_byte(walk);
    if (kind == CONSTANT_SHORT_STRING || kind == CONSTANT_LONG_STRING) skip_string(walk);
    if (kind == CONSTANT_INTEGER || kind == CONSTANT_NUMBER) skip(walk, 8);
  }
}


static void walk_function(Walk *walk, int depth) {
  walk->bad = walk->bad || depth > MOST_DEPTH;
  skip_string(walk);
  leave_out_lines(walk);
  skip(walk, 3);
  skip_list(walk, 4);
  skip_constants(walk);
  skip_list(walk, 3);
  size_t inner = skip_count(walk);
  for (size_t i = 0; i < inner && !walk->bad; i++) walk_function(walk, depth + 1);
  for (int i = 0; i < 4; i++) walk->bad = skip_count(walk) != 0 || walk->bad;
}


static bool is_known(const unsigned char *bytes, size_t size) {
  static const unsigned char version[] = {0x54, 0}, sizes[] = {4, 8, 8};
  return size > HEADER && memcmp(bytes + VERSION_PLACE, version, sizeof version) == 0 &&
         memcmp(bytes + SIZES_PLACE, sizes, sizeof sizes) == 0;
}


static int append(lua_State *L, const void *code, size_t size, void *bytes) {
  bind_put(L, bytes, code, size);
  return 0;
}


uint64_t bind_hash_code(lua_State *L, int index) {
  if (lua_iscfunction(L, index)) return 1;
  index = lua_absindex(L, index);
  Bytes *bytes = bind_push_bytes(L);
  lua_pushvalue(L, index);
  lua_dump(L, append, bytes, 1);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  Walk walk = {.bytes = bytes->at, .size = bytes->size, .state = &state};
  bool known = is_known(bytes->at, bytes->size); // is_known also checks that the bytes are longer than the header
  if (known) {
    walk.at = HEADER;
    walk_function(&walk, 0);
  }
  if (!known || walk.bad || walk.at != walk.size) { // unknown bytecode format: hash all, lines included
    XXH3_64bits_reset(&state);
    walk.from = 0;
  }
  XXH3_64bits_update(&state, bytes->at + walk.from, bytes->size - walk.from);
  bind_free_bytes(bytes);
  lua_pop(L, 2);
  return XXH3_64bits_digest(&state) >> 11;
}
