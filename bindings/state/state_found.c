// Validates the tables of a snapshot, so that state_read.c can read them without checks of the format.
#include <math.h>
#include <string.h>

#include "state/state.h"


int bind_skip_value(Reader *reader, int64_t *out_table) {
  size_t length;
  int kind = bind_take_u8(reader);
  *out_table = -1;
  switch (kind) {
  case STATE_NIL:
  case STATE_FALSE:
  case STATE_TRUE:
  case STATE_WORLD:
  case STATE_OPAQUE:
    break;
  case STATE_INTEGER:
  case STATE_NUMBER:
    bind_take_u64(reader);
    break;
  case STATE_OTHER_WORLD:
    reader->bad |= bind_take_u64(reader) > INT64_MAX;
    bind_take_u32(reader);
    bind_take_text(reader, &length);
    break;
  case STATE_STRING:
    bind_take_text(reader, &length);
    break;
  case STATE_TABLE:
    *out_table = bind_take_u32(reader);
    break;
  case STATE_OBJECT:
    reader->bad |= bind_take_u8(reader) >= DATA_CLASSES;
    bind_take_u64(reader);
    break;
  case STATE_DESTROYED:
    reader->bad |= bind_take_u8(reader) >= DATA_CLASSES;
    bind_take_u64(reader);
    bind_take_u64(reader);
    if (bind_take_u8(reader) == STATE_STRING) bind_take_text(reader, &length);
    break;
  case STATE_COORDINATE:
    bind_take_u64(reader);
    bind_take_u32(reader);
    break;
  default:
    reader->bad = true;
    break;
  }
  return kind;
}


// Skip a key: a number that is not NaN, a string, a boolean or an object.
static void skip_key(Reader *reader) {
  Reader start = *reader;
  int64_t table;
  int kind = bind_skip_value(reader, &table);
  bool fits = kind == STATE_FALSE || kind == STATE_TRUE || kind == STATE_INTEGER || kind == STATE_NUMBER ||
              kind == STATE_STRING || kind == STATE_OBJECT || kind == STATE_DESTROYED;
  if (kind == STATE_NUMBER) {
    bind_take_u8(&start);
    uint64_t bits = bind_take_u64(&start);
    double number;
    memcpy(&number, &bits, sizeof number);
    fits = !isnan(number);
  }
  reader->bad |= !fits;
}


// Summary of the skipped values.
typedef struct Seen {
  int64_t table; // the largest table number
  bool worlds;   // some values refer to other worlds
} Seen;


static void note(int64_t table, Seen *seen) { seen->table = table > seen->table ? table : seen->table; }


static void skip_fields(Reader *reader, bool object, Seen *seen) {
  int64_t table;
  uint32_t count = object ? 1 : bind_take_u32(reader);
  for (uint32_t i = 0; i < count && !reader->bad; i++) {
    lua_Integer key;
    lua_Number value;
    if (!object && bind_take_pair(reader, &key, &value)) continue;
    if (!object) skip_key(reader);
    seen->worlds |= bind_skip_value(reader, &table) == STATE_OTHER_WORLD;
    note(table, seen);
  }
}


// Skip the roots, or the data of objects.
static void skip_owners(Reader *reader, bool data, Seen *seen) {
  int64_t table;
  uint32_t count = bind_take_u32(reader);
  for (uint32_t i = 0; i < count && !reader->bad; i++) {
    if (data) reader->bad |= bind_take_u8(reader) >= DATA_SLOTS;
    bind_take_u64(reader);
    if (data) {
      bind_skip_value(reader, &table);
    } else {
      table = bind_take_u32(reader);
    }
    note(table, seen);
  }
}


const TablesFound *bind_push_tables_found(lua_State *L, Reader *reader) {
  Seen seen = {.table = -1};
  skip_owners(reader, false, &seen);
  skip_owners(reader, true, &seen);
  uint32_t count = bind_take_u32(reader);
  reader->bad |= count > (reader->size - reader->place) / 13; // a table has at least 13 bytes
  if (reader->bad) return NULL;
  size_t size = sizeof(TablesFound) + count * sizeof(TableFound);
  TablesFound *found = lua_newuserdatauv(L, size, 0);
  memset(found, 0, size);
  found->count = count;
  for (uint32_t n = 0; n < count && !reader->bad; n++) {
    uint32_t i = bind_take_u32(reader);
    // a table's number must be below `count` and must not repeat, so that each of the `count` tables is present
    reader->bad |= i >= count || found->tables[i].offset != 0;
    if (reader->bad) break;
    TableFound *table = &found->tables[i];
    table->serial = bind_take_u64(reader);
    table->kind = bind_take_u8(reader);
    table->offset = reader->place;
    reader->bad |= table->serial > INT64_MAX || table->kind > STATE_OF_CLASS;
    skip_fields(reader, table->kind == STATE_OF_OBJECT, &seen);
  }
  reader->bad |= seen.table >= (int64_t)count;
  found->worlds = seen.worlds;
  if (!reader->bad) return found;
  lua_pop(L, 1);
  return NULL;
}
