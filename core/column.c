#include "column.h"

#include "maths.h"

#include <string.h>

#define BLOCK IMPI_COLUMN_BLOCK

enum { WIDTH = 15, MASKED = 16, SECOND = 32 };


// ---------------------------------------------------------------------------------------------------------------------
// Which columns there are
// ---------------------------------------------------------------------------------------------------------------------


static int size_of(ImpiNumber number) {
  switch (number) {
  case IMPI_NUMBER_BYTE:
  case IMPI_NUMBER_BOOL:
    return 1;
  case IMPI_NUMBER_FLOAT:
  case IMPI_NUMBER_WILD_FLOAT:
  case IMPI_NUMBER_INT:
    return 4;
  default:
    return 8;
  }
}


static ImpiColumn *add_column(ImpiColumns *columns, ImpiColumn column) {
  IMP_ASSERT(columns->count < IMPI_MAX_COLUMNS);
  columns->column[columns->count] = column;
  return &columns->column[columns->count++];
}


// Bytes go by words of the struct, as far as its size is a whole number of them.
static void add_bytes(ImpiColumns *columns, size_t offset, size_t size, bool booleans, size_t word) {
  for (size_t at = offset; at < offset + size; ++at) {
    size_t start = at / word * word;
    ImpiColumn *column = columns->count > 0 ? &columns->column[columns->count - 1] : NULL;
    if (column == NULL || column->number != IMPI_NUMBER_BYTE || column->offset != start) {
      column = add_column(columns,
                          (ImpiColumn){.offset = (uint32_t)start, .size = (uint8_t)word, .number = IMPI_NUMBER_BYTE});
    }
    column->mask |= 0xffull << 8 * (at - start);
    column->legal |= (booleans ? 1ull : 0xffull) << 8 * (at - start);
  }
}


static void add_fields(const ImpiLayout *layout, size_t base, size_t word, ImpiColumns *columns) {
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    size_t offset = base + field->offset, step = (size_t)size_of(field->number);
    bool bytes = field->number == IMPI_NUMBER_BYTE || field->number == IMPI_NUMBER_BOOL;
    if (field->kind == IMPI_FIELD_PLAIN && bytes) {
      add_bytes(columns, offset, field->size, field->number == IMPI_NUMBER_BOOL, word);
    } else if (field->kind == IMPI_FIELD_PLAIN) {
      for (size_t at = 0; at < field->size; at += step) {
        add_column(columns, (ImpiColumn){.offset = (uint32_t)(offset + at),
                                         .size = (uint8_t)step,
                                         .number = (uint8_t)field->number,
                                         .angle = (uint32_t)(base + field->angle)});
      }
    } else if (field->kind == IMPI_FIELD_PARTS) {
      for (size_t at = 0; at < field->size; at += field->parts->size) {
        add_fields(field->parts, offset + at, word, columns);
      }
    }
  }
}


void impi_columns_of(const ImpiLayout *layout, ImpiColumns *out_columns) {
  size_t word = layout->size & (~layout->size + 1);
  out_columns->count = 0;
  add_fields(layout, 0, word < 8 ? word : 8, out_columns);
  int turns = 0; // come last: their angle is known then
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


// ---------------------------------------------------------------------------------------------------------------------
// Words of structs
// ---------------------------------------------------------------------------------------------------------------------


// What the cosine or sine of angles is expected to be. The other one, too, which is asked for next.
typedef struct Turns {
  uint64_t bits[2][BLOCK]; // cosines, sines
  uint32_t angle;          // they are of
  bool known;
} Turns;


static const uint64_t *expect_turns(Turns *turns, const ImpiColumn *column, void *const *records, int count) {
  if (!turns->known || turns->angle != column->angle) {
    for (int i = 0; i < count; ++i) {
      double angle;
      memcpy(&angle, (char *)records[i] + column->angle, sizeof angle);
      ImpRot q = impi_rot(angle);
      memcpy(&turns->bits[0][i], &q.c, sizeof q.c);
      memcpy(&turns->bits[1][i], &q.s, sizeof q.s);
    }
    turns->known = true;
    turns->angle = column->angle;
  }
  return turns->bits[column->number == IMPI_NUMBER_SINE];
}


// Whether all of them are the last one over again.
static bool goes_on(const ImpiColumn *column, void *const *records, int count) {
  uint64_t other = 0;
  uint32_t offset = column->offset;
  if (column->size == 8) {
    uint64_t mask = column->number == IMPI_NUMBER_BYTE ? column->mask : ~0ull;
    for (int i = 0; i < count && (other == 0 || i % 4 != 0); ++i) { // most columns that do not, do not at once
      uint64_t word;
      memcpy(&word, (const char *)records[i] + offset, 8);
      other |= (word ^ column->last) & mask;
    }
  } else if (column->size == 4 && column->number != IMPI_NUMBER_BYTE) {
    for (int i = 0; i < count && (other == 0 || i % 4 != 0); ++i) {
      uint32_t word;
      memcpy(&word, (const char *)records[i] + offset, 4);
      other |= word ^ (uint32_t)column->last;
    }
  } else {
    other = 1;
  }
  return other == 0;
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
  for (int i = 0; i < count && column->number == IMPI_NUMBER_BYTE; ++i) {
    words[i] &= column->mask;
  }
}


static void scatter(const ImpiColumn *column, void *const *records, int count, uint64_t *words) {
  size_t offset = column->offset;
  for (int i = 0; i < count && column->number == IMPI_NUMBER_BYTE; ++i) { // other bytes of the word are others'
    uint64_t there = 0;
    memcpy(&there, (const char *)records[i] + offset, column->size);
    words[i] = (there & ~column->mask) | words[i];
  }
  if (column->size == 8) {
    for (int i = 0; i < count; ++i) {
      memcpy((char *)records[i] + offset, &words[i], 8);
    }
  } else if (column->size == 4) {
    for (int i = 0; i < count; ++i) {
      memcpy((char *)records[i] + offset, &words[i], 4);
    }
  } else {
    for (int i = 0; i < count; ++i) {
      memcpy((char *)records[i] + offset, &words[i], column->size);
    }
  }
}


// Whether reals that were read may be there: added to the bits of an exponent that is full, the least of them carries.
static bool reals_are_legal(const ImpiColumn *column, const uint64_t *words, int count) {
  uint64_t full = 0, carry = 0, seen = 0;
  if (column->number == IMPI_NUMBER_FLOAT) {
    full = 0x7f800000u;
    carry = 0x00800000u;
  } else if (column->number != IMPI_NUMBER_WILD && column->number != IMPI_NUMBER_WILD_FLOAT) {
    full = 0x7ff0000000000000u;
    carry = 0x0010000000000000u;
  }
  for (int i = 0; i < count; ++i) {
    seen |= (words[i] & full) + carry;
  }
  return (seen & (full + carry) & ~full) == 0;
}


static bool bytes_are_legal(const ImpiColumn *column, const uint64_t *words, int count) {
  uint64_t seen = 0;
  for (int i = 0; i < count; ++i) {
    seen |= words[i];
  }
  return (seen & ~column->legal) == 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------------------------


// Small numbers of either sign as small ones without.
static uint64_t fold(uint64_t difference) { return difference << 1 ^ (uint64_t)((int64_t)difference >> 63); }
static uint64_t unfold(uint64_t folded) { return folded >> 1 ^ (~(folded & 1) + 1); }


static int width_of(uint64_t bits) { return bits == 0 ? 0 : (71 - __builtin_clzll(bits)) / 8; }


// How differences are written best.
typedef struct Form {
  int width;
  bool masked;
  size_t size; // of all of it [bytes]
} Form;


static Form form_of(const uint64_t *differences, int count) {
  uint64_t all = 0;
  int something = 0;
  for (int i = 0; i < count; ++i) {
    all |= differences[i];
    something += differences[i] != 0;
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
  unsigned char *out = archive->out + archive->at; // there is room for more than this
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


static void write_whole(ImpiColumn *column, ImpiArchive *archive, const uint64_t *words, int count) {
  uint64_t first[BLOCK], second[BLOCK], last = column->last, difference = column->difference;
  for (int i = 0; i < count; ++i) {
    uint64_t now = words[i] - last;
    first[i] = now;
    second[i] = now - difference;
    difference = now;
    last = words[i];
  }
  column->last = last;
  column->difference = difference;
  for (int i = 0; i < count; ++i) {
    first[i] = fold(first[i]);
    second[i] = fold(second[i]);
  }
  Form by_first = form_of(first, count), by_second = form_of(second, count);
  bool better = by_second.size < by_first.size;
  put(archive, better ? by_second : by_first, better ? SECOND : 0, better ? second : first, count);
}


// Most of these are numbers that have nothing in common: they are put down at once as if they were.
static void write_bits(ImpiColumn *column, ImpiArchive *archive, void *const *records, int count) {
  unsigned char *out = archive->out + archive->at;
  uint64_t last = column->last, all = 0, words[BLOCK];
  int something = 0;
  for (int i = 0; i < count; ++i) {
    uint64_t now;
    memcpy(&now, (const char *)records[i] + column->offset, 8);
    uint64_t difference = now ^ last;
    memcpy(out + 1 + 8 * i, &difference, 8);
    all |= difference;
    something += difference != 0;
    last = now;
  }
  column->last = last;
  if (width_of(all) == 8 && 8 + 8 * something >= 8 * count) {
    *out = 8;
    archive->at += 1 + 8 * (size_t)count;
    return;
  }
  memcpy(words, out + 1, 8 * (size_t)count);
  put(archive, form_of(words, count), 0, words, count);
}


static void write_narrow(ImpiColumn *column, ImpiArchive *archive, uint64_t *words, int count) {
  uint64_t last = column->last;
  for (int i = 0; i < count; ++i) {
    uint64_t now = words[i];
    words[i] = now ^ last;
    last = now;
  }
  column->last = last;
  put(archive, form_of(words, count), 0, words, count);
}


static bool is_wide(const ImpiColumn *column) {
  return column->number == IMPI_NUMBER_REAL || column->number == IMPI_NUMBER_WILD;
}


static void write_turns(ImpiArchive *archive, const uint64_t *expected, uint64_t *words, int count) {
  for (int i = 0; i < count; ++i) {
    words[i] ^= expected[i];
  }
  put(archive, form_of(words, count), 0, words, count);
}


bool impi_columns_write(ImpiColumns *columns, ImpiArchive *archive, void *const *records, int count) {
  Turns turns;
  turns.known = false;
  if (!impi_archive_room(archive, (size_t)columns->count * (9 + 8 * (size_t)count) + 8)) {
    return false;
  }
  for (int i = 0; i < columns->count; ++i) {
    ImpiColumn *column = &columns->column[i];
    uint64_t words[BLOCK];
    bool turn = column->number == IMPI_NUMBER_COSINE || column->number == IMPI_NUMBER_SINE;
    if (!turn && goes_on(column, records, count)) {
      archive->out[archive->at++] = 0;
      column->difference = 0;
      continue;
    }
    if (is_wide(column)) {
      write_bits(column, archive, records, count);
      continue;
    }
    gather(column, records, count, words);
    if (column->number == IMPI_NUMBER_INT || column->number == IMPI_NUMBER_LONG) {
      write_whole(column, archive, words, count);
    } else if (column->number == IMPI_NUMBER_COSINE || column->number == IMPI_NUMBER_SINE) {
      write_turns(archive, expect_turns(&turns, column, records, count), words, count);
    } else {
      write_narrow(column, archive, words, count);
    }
  }
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------------------------


// The differences of a column; those that are nothing are 0.
static bool take(ImpiArchive *archive, uint64_t *differences, int count, unsigned *out_flags) {
  const unsigned char *in = archive->in + archive->at, *end = archive->in + archive->size;
  if (in == end) {
    return false;
  }
  unsigned flags = *in++;
  size_t width = flags & WIDTH;
  uint64_t mask = count == 64 ? ~0ull : (1ull << count) - 1, all = mask;
  if (width > 8 || flags >> 6 != 0 || (flags & MASKED && (size_t)(end - in) < sizeof mask)) {
    return false;
  }
  if (flags & MASKED) {
    memcpy(&mask, in, sizeof mask);
    in += sizeof mask;
  }
  size_t size = (size_t)(mask == all ? count : __builtin_popcountll(mask)) * width;
  if ((mask & ~all) != 0 || size > (size_t)(end - in)) {
    return false;
  }
  if (width == 8 && mask == all) {
    memcpy(differences, in, size);
  } else {
    bool ample = (size_t)(end - in) >= size + 8; // whole words may be read
    uint64_t keep = width == 8 ? ~0ull : (1ull << 8 * width) - 1;
    const unsigned char *from = in;
    if (ample && mask == all) {
      for (int i = 0; i < count; ++i, from += width) {
        memcpy(&differences[i], from, 8);
        differences[i] &= keep;
      }
    } else {
      memset(differences, 0, (size_t)count * sizeof *differences);
      for (uint64_t left = width > 0 ? mask : 0; left != 0; left &= left - 1, from += width) {
        uint64_t word = 0;
        memcpy(&word, from, ample ? 8 : width);
        differences[__builtin_ctzll(left)] = word & keep;
      }
    }
  }
  archive->at = (size_t)(in - archive->in) + size;
  *out_flags = flags;
  return true;
}


// Whether zeros follow zeros, which are there already.
static bool nothing_follows(ImpiColumn *column, const ImpiArchive *archive) {
  bool turn = column->number == IMPI_NUMBER_COSINE || column->number == IMPI_NUMBER_SINE;
  bool nothing = !turn && column->last == 0 && archive->at < archive->size && archive->in[archive->at] == 0;
  if (nothing) {
    column->difference = 0;
  }
  return nothing;
}


static void add_up(ImpiColumn *column, bool second, uint64_t *words, int count) {
  uint64_t last = column->last, difference = column->difference;
  for (int i = 0; i < count; ++i) {
    difference = unfold(words[i]) + (second ? difference : 0);
    last += difference;
    if (column->number == IMPI_NUMBER_INT) {
      last = (uint64_t)(int64_t)(int32_t)(uint32_t)last;
    }
    words[i] = last;
  }
  column->last = last;
  column->difference = difference;
}


// The last number over again, which was legal. False: there are differences.
static bool read_again(ImpiColumn *column, ImpiArchive *archive, void *const *records, int count) {
  bool turn = column->number == IMPI_NUMBER_COSINE || column->number == IMPI_NUMBER_SINE;
  if (turn || column->number == IMPI_NUMBER_BYTE || archive->at == archive->size || archive->in[archive->at] != 0) {
    return false;
  }
  uint64_t last = column->last;
  if (column->size == 8) {
    for (int i = 0; i < count; ++i) {
      memcpy((char *)records[i] + column->offset, &last, 8);
    }
  } else {
    for (int i = 0; i < count; ++i) {
      memcpy((char *)records[i] + column->offset, &last, 4);
    }
  }
  column->difference = 0;
  archive->at++;
  return true;
}


// Numbers that have nothing in common, straight into their structs. False: they are not such, or not legal.
static bool read_wide(ImpiColumn *column, ImpiArchive *archive, void *const *records, int count) {
  const unsigned char *in = archive->in + archive->at;
  size_t size = 1 + 8 * (size_t)count;
  if (!is_wide(column) || archive->size - archive->at < size || *in != 8) {
    return false;
  }
  uint64_t last = column->last, seen = 0, full = 0x7ff0000000000000u, carry = 0x0010000000000000u;
  for (int i = 0; i < count; ++i) {
    uint64_t difference;
    memcpy(&difference, in + 1 + 8 * i, 8);
    last ^= difference;
    seen |= (last & full) + carry; // beyond the exponent where that is full
    memcpy((char *)records[i] + column->offset, &last, 8);
  }
  if (column->number == IMPI_NUMBER_REAL && seen >> 63 != 0) {
    return false; // to be refused
  }
  column->last = last;
  archive->at += size;
  return true;
}


bool impi_columns_read(ImpiColumns *columns, ImpiArchive *archive, void *const *records, int count) {
  Turns turns;
  turns.known = false;
  for (int i = 0; i < columns->count; ++i) {
    ImpiColumn *column = &columns->column[i];
    uint64_t words[BLOCK];
    unsigned flags = 0;
    if (nothing_follows(column, archive)) { // the structs hold zeros
      archive->at++;
      continue;
    }
    if (read_again(column, archive, records, count) || read_wide(column, archive, records, count)) {
      continue;
    }
    if (!take(archive, words, count, &flags)) {
      return impi_archive_refuse(archive);
    }
    if (column->number == IMPI_NUMBER_INT || column->number == IMPI_NUMBER_LONG) {
      add_up(column, (flags & SECOND) != 0, words, count);
    } else if (column->number == IMPI_NUMBER_COSINE || column->number == IMPI_NUMBER_SINE) {
      const uint64_t *expected = expect_turns(&turns, column, records, count);
      for (int k = 0; k < count; ++k) {
        words[k] ^= expected[k];
      }
    } else {
      uint64_t last = column->last;
      for (int k = 0; k < count; ++k) {
        words[k] = last ^= words[k];
      }
      column->last = last;
    }
    bool whole = column->number == IMPI_NUMBER_INT || column->number == IMPI_NUMBER_LONG;
    bool legal = whole || (column->number == IMPI_NUMBER_BYTE ? bytes_are_legal(column, words, count)
                                                              : reals_are_legal(column, words, count));
    if (!legal) {
      return impi_archive_refuse(archive);
    }
    scatter(column, records, count, words);
  }
  return true;
}


bool impi_columns_walk(ImpiArchive *archive, const ImpiLayout *layout, void *first, int count) {
  ImpiColumns columns;
  impi_columns_of(layout, &columns);
  bool fine = true;
  for (int from = 0; from < count && fine && columns.count > 0; from += BLOCK) {
    void *records[BLOCK];
    int some = count - from < BLOCK ? count - from : BLOCK;
    for (int i = 0; i < some; ++i) {
      records[i] = (char *)first + (size_t)(from + i) * layout->size;
    }
    fine = archive->mode == IMPI_ARCHIVE_WRITE ? impi_columns_write(&columns, archive, records, some)
                                               : impi_columns_read(&columns, archive, records, some);
  }
  return fine;
}
