// Plain fields in columns, see column.h.
#include "snapshot/column.h"

#include "base/trig.h"
#include "snapshot/column_rows.h"

#include <string.h>

#define BLOCK IMPI_COLUMN_BLOCK

enum { WIDTH = 15, MASKED = 16, SECOND = 32 };

#define KEY 0xffffffffffffull // bits of a handle that are written: without the tag of its world


// ---------------------------------------------------------------------------------------------------------------------
// The columns of a layout
// ---------------------------------------------------------------------------------------------------------------------


int impi_number_size(ImpiNumber number) {
  switch (number) {
  case IMPI_NUMBER_BYTE:
  case IMPI_NUMBER_BOOL:
    return 1;
  case IMPI_NUMBER_FLOAT:
  case IMPI_NUMBER_INT:
    return 4;
  case IMPI_NUMBER_POINTER:
    return sizeof(void *);
  default:
    return 8;
  }
}


static ImpiColumn *add_column(ImpiColumns *columns, ImpiColumn column) {
  IMP_ASSERT(columns->count < IMPI_MAX_COLUMNS);
  columns->column[columns->count] = column;
  return &columns->column[columns->count++];
}


// Add columns for fields of one byte. Up to eight neighbouring bytes share a column. The division into columns must not
// depend on offsets in the struct, which differ between builds.
static void add_bytes(ImpiColumns *columns, size_t offset, size_t size, bool booleans) {
  for (size_t at = offset; at < offset + size; ++at) {
    ImpiColumn *column = columns->count > 0 ? &columns->column[columns->count - 1] : NULL;
    if (column == NULL || column->number != IMPI_NUMBER_BYTE || column->size == 8 ||
        column->offset + column->size != at) {
      column = add_column(columns, (ImpiColumn){.offset = (uint32_t)at, .number = IMPI_NUMBER_BYTE});
    }
    column->mask |= 0xffull << 8 * column->size;
    column->legal |= (booleans ? 1ull : 0xffull) << 8 * column->size;
    column->size++;
  }
}


// Prepare columns of bytes for reading. `shift` is the position of the column's bytes in a word of 8 bytes.
static void widen_bytes(ImpiColumns *columns) {
  size_t word = columns->size < 8 ? columns->size : 8;
  for (int i = 0; i < columns->count; ++i) {
    ImpiColumn *column = &columns->column[i];
    if (column->number == IMPI_NUMBER_BYTE) {
      size_t last = columns->size - word, from = column->offset < last ? column->offset : last;
      column->shift = (uint8_t)(8 * (column->offset - from));
      column->offset = (uint32_t)from;
      column->size = (uint8_t)word;
    }
  }
}


static void add_fields(const ImpiLayout *layout, size_t base, ImpiColumns *columns) {
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    size_t offset = base + field->offset, step = (size_t)impi_number_size(field->number);
    bool bytes = field->number == IMPI_NUMBER_BYTE || field->number == IMPI_NUMBER_BOOL;
    if (field->kind == IMPI_FIELD_PLAIN && bytes) {
      add_bytes(columns, offset, field->size, field->number == IMPI_NUMBER_BOOL);
    } else if (field->kind == IMPI_FIELD_PLAIN) {
      for (size_t at = 0; at < field->size; at += step) {
        add_column(columns, (ImpiColumn){.offset = (uint32_t)(offset + at),
                                         .size = (uint8_t)step,
                                         .number = (uint8_t)field->number,
                                         .mask = field->number == IMPI_NUMBER_HANDLE ? KEY : 0,
                                         .angle = (uint32_t)(base + field->angle)});
      }
    } else if (field->kind == IMPI_FIELD_PARTS) {
      for (size_t at = 0; at < field->size; at += field->parts->size) {
        add_fields(field->parts, offset + at, columns);
      }
    }
  }
}


void impi_columns_of(const ImpiLayout *layout, ImpiColumns *out_columns) {
  out_columns->size = layout->size;
  out_columns->previous = NULL;
  out_columns->count = 0;
  add_fields(layout, 0, out_columns);
  widen_bytes(out_columns);
  // number of columns of cosines and sines; they move to the end
  int turns = 0;
  for (int i = 0; i < out_columns->count - turns; ++i) {
    ImpiColumn column = out_columns->column[i];
    if (column.number == IMPI_NUMBER_COSINE || column.number == IMPI_NUMBER_SINE) {
      memmove(&out_columns->column[i], &out_columns->column[i + 1],
              (size_t)(out_columns->count - 1 - i) * sizeof column);
      out_columns->column[out_columns->count - 1] = column;
      ++turns;
      --i;
    }
  }
}


static bool is_turn(const ImpiColumn *column) {
  return column->number == IMPI_NUMBER_COSINE || column->number == IMPI_NUMBER_SINE;
}


static bool is_whole(const ImpiColumn *column) {
  return column->number == IMPI_NUMBER_INT || column->number == IMPI_NUMBER_LONG ||
         column->number == IMPI_NUMBER_HANDLE;
}


// ---------------------------------------------------------------------------------------------------------------------
// Words of structs
// ---------------------------------------------------------------------------------------------------------------------


// Cosines and sines of the angles in the structs of a block. Only the differences from these values are written.
typedef struct Turns {
  double value[2][BLOCK]; // cosines, sines
  uint32_t angle;         // offset of the angle in the struct
  bool known;
} Turns;


static const double *expect_turns(Turns *turns, const ImpiColumn *column, void *const *records, int count) {
  if (!turns->known || turns->angle != column->angle) {
    double angles[BLOCK];
    for (int i = 0; i < count; ++i) {
      memcpy(&angles[i], (char *)records[i] + column->angle, sizeof angles[i]);
    }
    impi_sincos_many(angles, count, turns->value[1], turns->value[0]);
    turns->known = true;
    turns->angle = column->angle;
  }
  return turns->value[column->number == IMPI_NUMBER_SINE];
}


static uint64_t word_of(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}


static void gather(const ImpiColumn *column, void *const *records, int count, uint64_t *words) {
  size_t offset = column->offset;
  if (column->size == 8) {
    for (int i = 0; i < count; ++i) {
      memcpy(&words[i], (const char *)records[i] + offset, 8);
    }
  } else if (column->size == 4) {
    for (int i = 0; i < count; ++i) {
      uint32_t word;
      memcpy(&word, (const char *)records[i] + offset, 4);
      words[i] = column->number == IMPI_NUMBER_INT ? (uint64_t)(int64_t)(int32_t)word : word;
    }
  } else {
    for (int i = 0; i < count; ++i) {
      words[i] = 0;
      memcpy(&words[i], (const char *)records[i] + offset, column->size);
    }
  }
  for (int i = 0; i < count && column->mask != 0; ++i) {
    words[i] = words[i] >> column->shift & column->mask;
  }
}


// Return a bit mask of the changes in a column: bit i is set if bit i of the value differs between any two consecutive
// structs.
static uint64_t changes_in(const ImpiRowChanges *changes, const ImpiColumn *column, void *const *records, int count) {
  uint64_t bits = 0;
  if (changes->known) {
    memcpy(&bits, changes->bits + column->offset, 8); // the bits of other fields are removed below
  } else {
    uint64_t words[1 + BLOCK];
    words[0] = column->last;
    gather(column, records, count, words + 1);
    for (int i = 0; i < count; ++i) {
      bits |= words[1 + i] ^ words[i];
    }
  }
  if (column->mask != 0) {
    return changes->known ? bits >> column->shift & column->mask : bits;
  }
  return column->size == 8 ? bits : bits & ((1ull << 8 * column->size) - 1);
}


// ---------------------------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------------------------


// Map signed differences to unsigned numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
static uint64_t fold(uint64_t difference) { return difference << 1 ^ (uint64_t)((int64_t)difference >> 63); }
static uint64_t unfold(uint64_t folded) { return folded >> 1 ^ (~(folded & 1) + 1); }


static int width_of(uint64_t bits) { return bits == 0 ? 0 : (71 - __builtin_clzll(bits)) / 8; }


// Format of a block of differences: bytes per difference, and whether a bit mask replaces zeros.
typedef struct Form {
  int width;
  bool masked;
  size_t size; // size of the differences and of the mask, if any [bytes]
} Form;


// Return the shorter of the two formats, with and without mask. `all`: bitwise OR of the differences.
static Form form_of(const uint64_t *differences, uint64_t all, int count) {
  uint64_t something = 0;
  for (int i = 0; i < count; ++i) {
    something += (differences[i] | (0 - differences[i])) >> 63;
  }
  Form form = {.width = width_of(all)};
  size_t width = (size_t)form.width, masked = 8 + (size_t)something * width;
  form.size = (size_t)count * width;
  if (masked < form.size) {
    form.masked = true;
    form.size = masked;
  }
  return form;
}


static void put(ImpiArchive *archive, Form form, unsigned flags, const uint64_t *differences, int count) {
  unsigned char *out = archive->out + archive->at; // impi_columns_write has reserved the room
  *out++ = (unsigned char)((unsigned)form.width | flags | (form.masked ? MASKED : 0));
  if (form.masked) {
    uint64_t mask = 0;
    for (int i = 0; i < count; ++i) {
      mask |= (uint64_t)(differences[i] != 0) << i;
    }
    memcpy(out, &mask, sizeof mask);
    out += sizeof mask;
    for (; mask != 0; mask &= mask - 1) {
      memcpy(out, &differences[__builtin_ctzll(mask)], 8);
      out += form.width;
    }
  } else if (form.width == 8) {
    memcpy(out, differences, (size_t)count * 8);
    out += (size_t)count * 8;
  } else if (form.width > 0) {
    for (int i = 0; i < count; ++i) {
      memcpy(out, &differences[i], 8);
      out += form.width;
    }
  }
  archive->at = (size_t)(out - archive->out);
}


static void write_whole(ImpiColumn *column, ImpiArchive *archive, void *const *records, int count) {
  uint64_t words[1 + BLOCK], first[1 + BLOCK], second[BLOCK], all_first = 0, all_second = 0;
  words[0] = column->last;
  first[0] = column->difference;
  gather(column, records, count, words + 1);
  for (int i = 0; i < count; ++i) {
    first[1 + i] = words[1 + i] - words[i];
  }
  for (int i = 0; i < count; ++i) {
    second[i] = first[1 + i] - first[i];
  }
  column->last = words[count];
  column->difference = first[count];
  for (int i = 0; i < count; ++i) {
    first[1 + i] = fold(first[1 + i]);
    second[i] = fold(second[i]);
    all_first |= first[1 + i];
    all_second |= second[i];
  }
  Form by_first = form_of(first + 1, all_first, count), by_second = form_of(second, all_second, count);
  bool better = by_second.size < by_first.size;
  put(archive, better ? by_second : by_first, better ? SECOND : 0, better ? second : first + 1, count);
}


static void write_bits(ImpiColumn *column, ImpiArchive *archive, void *const *records, int count, uint64_t changes) {
  uint64_t words[1 + BLOCK], differences[BLOCK];
  words[0] = column->last;
  gather(column, records, count, words + 1);
  for (int i = 0; i < count; ++i) {
    differences[i] = words[1 + i] ^ words[i];
  }
  column->last = words[count];
  put(archive, form_of(differences, changes, count), 0, differences, count);
}


static void write_turns(ImpiColumn *column, ImpiArchive *archive, void *const *records, int count,
                        const double *expected) {
  uint64_t words[BLOCK], all = 0;
  gather(column, records, count, words);
  for (int i = 0; i < count; ++i) {
    words[i] ^= word_of(expected[i]);
    all |= words[i];
  }
  put(archive, form_of(words, all, count), 0, words, count);
}


bool impi_columns_write(ImpiColumns *columns, ImpiArchive *archive, void *const *records, int count) {
  Turns turns;
  turns.known = false;
  if (!impi_archive_room(archive, (size_t)columns->count * (9 + 8 * (size_t)count) + 8)) {
    return false;
  }
  ImpiRowChanges changes;
  impi_rows_compare(columns->size, columns->previous, records, count, &changes);
  for (int i = 0; i < columns->count; ++i) {
    ImpiColumn *column = &columns->column[i];
    if (is_turn(column)) {
      write_turns(column, archive, records, count, expect_turns(&turns, column, records, count));
      continue;
    }
    uint64_t changed = changes_in(&changes, column, records, count);
    if (changed == 0) { // all structs have the last value of the previous block
      archive->out[archive->at++] = 0;
      column->difference = 0;
    } else if (is_whole(column)) {
      write_whole(column, archive, records, count);
    } else {
      write_bits(column, archive, records, count, changed);
    }
  }
  columns->previous = records[count - 1];
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------------------------


// The differences of a column that is being read.
typedef struct Source {
  const unsigned char *at; // the next difference; 8 bytes can be read there
  size_t width;            // [bytes]
  uint64_t keep;           // mask of the bits of a difference
  uint64_t mask;           // bit 0 is 1: the bytes contain the next difference; bit 0 is 0: the next difference is 0
  bool second;             // the bytes are second differences (differences of differences)
} Source;


static inline uint64_t next_of(Source *source) {
  uint64_t word, some = 0 - (source->mask & 1);
  memcpy(&word, source->at, sizeof word);
  source->at += source->width & (size_t)some;
  source->mask >>= 1;
  return word & source->keep & some;
}


// Begin to read a column. `tail`: buffer for a column at the end of the bytes. Returns false if the bytes are invalid.
static bool open_source(ImpiArchive *archive, int count, unsigned char *tail, Source *out_source) {
  const unsigned char *in = archive->in + archive->at, *end = archive->in + archive->size;
  if (in == end) {
    return false;
  }
  unsigned flags = *in++;
  size_t width = flags & WIDTH;
  uint64_t all = count == BLOCK ? ~0ull : (1ull << count) - 1, mask = all;
  if (width > 8 || flags >> 6 != 0 || (flags & MASKED && (size_t)(end - in) < sizeof mask)) {
    return false;
  }
  if (flags & MASKED) {
    memcpy(&mask, in, sizeof mask);
    in += sizeof mask;
  }
  size_t size = (mask == all ? (size_t)count : (size_t)__builtin_popcountll(mask)) * width;
  if ((mask & ~all) != 0 || size > (size_t)(end - in)) {
    return false;
  }
  archive->at = (size_t)(in - archive->in) + size;
  if ((size_t)(end - in) < size + 8) {
    memcpy(tail, in, size);
    in = tail;
  }
  *out_source = (Source){.at = in,
                         .width = width,
                         .keep = width == 8 ? ~0ull : (1ull << 8 * width) - 1,
                         .mask = mask,
                         .second = (flags & SECOND) != 0};
  return true;
}


static inline void put_word(void *record, size_t offset, uint64_t word, size_t size) {
  memcpy((char *)record + offset, &word, size);
}


// Read a column of integers with a constant difference.
static inline void go_on(ImpiColumn *column, bool second, void *const *records, int count, size_t size) {
  const size_t offset = column->offset;
  uint64_t last = column->last, difference = second ? column->difference : 0;
  for (int i = 0; i < count; ++i) {
    last += difference;
    put_word(records[i], offset, last, size);
  }
  column->last = size == 4 ? (uint64_t)(int64_t)(int32_t)(uint32_t)last : last;
  column->difference = difference;
}


static inline bool read_whole(ImpiColumn *column, Source source, void *const *records, int count, size_t size) {
  const size_t offset = column->offset;
  uint64_t last = column->last, difference = column->difference, going_on = source.second ? ~0ull : 0;
  if (source.width == 0) {
    go_on(column, source.second, records, count, size);
    return true;
  }
  for (int i = 0; i < count; ++i) {
    difference = unfold(next_of(&source)) + (difference & going_on);
    last += difference;
    last = size == 4 ? (uint64_t)(int64_t)(int32_t)(uint32_t)last : last;
    put_word(records[i], offset, last, size);
  }
  column->last = last;
  column->difference = difference;
  return true;
}


// Test for non-finite reals. `full`: mask of the exponent bits. `least`: the lowest exponent bit. Adding it carries
// into the sign bit only if all exponent bits are set.
typedef struct Exponent {
  uint64_t full, least;
} Exponent;


static Exponent exponent_of(const ImpiColumn *column) {
  switch (column->number) {
  case IMPI_NUMBER_FLOAT:
    return (Exponent){0x7f800000u, 0x00800000u};
  case IMPI_NUMBER_ANY:
    return (Exponent){0, 0};
  default:
    return (Exponent){0x7ff0000000000000u, 0x0010000000000000u};
  }
}


// Read reals. Returns false if one is not legal.
static inline bool read_reals(ImpiColumn *column, Source source, void *const *records, int count, size_t size) {
  const Exponent exponent = exponent_of(column);
  const size_t offset = column->offset;
  uint64_t last = column->last, seen = 0;
  for (int i = 0; i < count; ++i) {
    last ^= next_of(&source);
    seen |= (last & exponent.full) + exponent.least;
    put_word(records[i], offset, last, size);
  }
  column->last = last;
  return (seen & (exponent.full + exponent.least) & ~exponent.full) == 0;
}


// Read bytes. Illegal bits are not stored. Returns false if one was set.
static inline bool read_bytes(ImpiColumn *column, Source source, void *const *records, int count, size_t size) {
  const uint64_t legal = column->legal, shift = column->shift, mask = column->mask << shift;
  const size_t offset = column->offset;
  uint64_t last = column->last, seen = 0;
  for (int i = 0; i < count; ++i) {
    uint64_t others = 0; // present word in the struct; its bits of other columns are kept
    memcpy(&others, (const char *)records[i] + offset, size);
    last ^= next_of(&source);
    seen |= last;
    put_word(records[i], offset, (others & ~mask) | (last & legal) << shift, size);
  }
  column->last = last;
  return (seen & ~legal) == 0;
}


static bool read_pointers(ImpiColumn *column, Source source, void *const *records, int count) {
  uint64_t last = column->last;
  for (int i = 0; i < count; ++i) {
    last ^= next_of(&source);
    uintptr_t pointer = (uintptr_t)last;
    pointer = pointer == last ? pointer : 0;
    memcpy((char *)records[i] + column->offset, &pointer, sizeof pointer);
  }
  column->last = last;
  return true;
}


static bool read_turns(const ImpiColumn *column, Source source, void *const *records, int count,
                       const double *expected) {
  const Exponent exponent = exponent_of(column);
  const size_t offset = column->offset;
  uint64_t seen = 0;
  for (int i = 0; i < count; ++i) {
    uint64_t word = word_of(expected[i]) ^ next_of(&source);
    seen |= (word & exponent.full) + exponent.least;
    put_word(records[i], offset, word, sizeof word);
  }
  return seen >> 63 == 0;
}


// If the column's first byte is 0, skip it and return true: the structs keep the numbers of the previous block.
static bool is_again(ImpiColumn *column, ImpiArchive *archive) {
  bool again = !is_turn(column) && archive->at < archive->size && archive->in[archive->at] == 0;
  if (again) {
    column->difference = 0;
    archive->at++;
  }
  return again;
}


static bool read_column(ImpiColumn *column, ImpiArchive *archive, void *const *records, int count, Turns *turns) {
  unsigned char tail[8 * BLOCK + 8];
  Source source;
  if (!open_source(archive, count, tail, &source)) {
    return false;
  }
  if (is_turn(column)) {
    return read_turns(column, source, records, count, expect_turns(turns, column, records, count));
  }
  switch (column->number) {
  case IMPI_NUMBER_INT:
    return read_whole(column, source, records, count, 4);
  case IMPI_NUMBER_LONG:
  case IMPI_NUMBER_HANDLE:
    return read_whole(column, source, records, count, 8);
  case IMPI_NUMBER_FLOAT:
    return read_reals(column, source, records, count, 4);
  case IMPI_NUMBER_POINTER:
    return read_pointers(column, source, records, count);
  case IMPI_NUMBER_BYTE:
    return column->size == 8 ? read_bytes(column, source, records, count, 8)
                             : read_bytes(column, source, records, count, column->size);
  default:
    return read_reals(column, source, records, count, 8);
  }
}


bool impi_columns_read(ImpiColumns *columns, ImpiArchive *archive, void *const *records, int count) {
  Turns turns;
  turns.known = false;
  if (columns->previous != NULL) {
    impi_rows_repeat(columns->size, columns->previous, records, count);
  }
  for (int i = 0; i < columns->count; ++i) {
    ImpiColumn *column = &columns->column[i];
    if (!is_again(column, archive) && !read_column(column, archive, records, count, &turns)) {
      return impi_archive_refuse(archive);
    }
  }
  columns->previous = records[count - 1];
  return true;
}


bool impi_columns_walk(ImpiArchive *archive, const ImpiLayout *layout, void *first, int count) {
  ImpiColumns columns;
  impi_columns_of(layout, &columns);
  bool fine = true;
  int from = 0;
  for (; from < count && fine && columns.count > 0; from += BLOCK) {
    void *records[BLOCK];
    int some = count - from < BLOCK ? count - from : BLOCK;
    for (int i = 0; i < some; ++i) {
      records[i] = (char *)first + (size_t)(from + i) * layout->size;
    }
    fine = archive->mode == IMPI_ARCHIVE_WRITE ? impi_columns_write(&columns, archive, records, some)
                                               : impi_columns_read(&columns, archive, records, some);
  }
  // Clear the structs that were not read, so that they own no memory. The caller has cleared the first block.
  int zeros = from > BLOCK ? from : BLOCK;
  if (archive->mode == IMPI_ARCHIVE_READ && zeros < count) {
    memset((char *)first + (size_t)zeros * layout->size, 0, (size_t)(count - zeros) * layout->size);
  }
  return fine;
}
