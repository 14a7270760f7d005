// The walk over structs by tables of their fields.
#include "snapshot/archive.h"

#include "base/layout_lines.h"
#include "snapshot/column.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Largest number of fields of a struct that are not plain numbers.
#define MAX_MORE 48

// Any IMPI_ARRAY, with elements of any type.
typedef struct List {
  void *data;
  int count, capacity;
} List;


// ---------------------------------------------------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------------------------------------------------


// Return the number of structs or lists in a field.
static int parts_of(const ImpiField *field) {
  size_t each = field->kind == IMPI_FIELD_LIST ? sizeof(List) : field->parts->size;
  return (int)(field->size / each);
}


// Return true if a struct has fields other than plain numbers.
static bool owns(const ImpiLayout *layout);

static bool is_more(const ImpiField *field) {
  return field->kind == IMPI_FIELD_LIST || field->kind == IMPI_FIELD_STRING || field->kind == IMPI_FIELD_WALK ||
         (field->kind == IMPI_FIELD_PARTS && owns(field->parts));
}


static bool owns(const ImpiLayout *layout) {
  bool more = layout->hook != NULL;
  for (int i = 0; i < layout->count && !more; ++i) {
    more = is_more(&layout->fields[i]);
  }
  return more;
}


static size_t round_up(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }


// Return the first field whose offset is at least `from`; null if there is none.
static const ImpiField *next_field(const ImpiLayout *layout, size_t from) {
  const ImpiField *next = NULL;
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    if (field->offset >= from && (next == NULL || field->offset < next->offset)) {
      next = field;
    }
  }
  return next;
}


// Return true if two neighbouring fields belong to different structs, one of which may be nested in the other. `before`
// is null at the start of the table, `after` at its end.
static bool is_boundary(const ImpiField *before, const ImpiField *after) {
  const char *p = before != NULL && before->path != NULL ? before->path : "";
  const char *q = after != NULL && after->path != NULL ? after->path : "";
  size_t in_p = strchr(p, '.') != NULL ? (size_t)(strchr(p, '.') - p) : 0;
  size_t in_q = strchr(q, '.') != NULL ? (size_t)(strchr(q, '.') - q) : 0;
  return in_p != in_q || strncmp(p, q, in_p) != 0;
}


// A table is complete if its fields follow each other without gaps except padding. A nested struct begins and ends at
// its own alignment.
bool impi_layout_is_complete(const ImpiLayout *layout) {
  size_t end = 0, widest = 1;
  const ImpiField *before = NULL;
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = next_field(layout, end);
    if (field == NULL || (field->parts != NULL && !impi_layout_is_complete(field->parts))) {
      return false;
    }
    bool padded = is_boundary(before, field) && field->offset == round_up(end, _Alignof(uint64_t));
    if (field->offset != round_up(end, field->alignment) && !padded) {
      return false;
    }
    widest = field->alignment > widest ? field->alignment : widest;
    end = field->offset + field->size;
    before = field;
  }
  return layout->size == round_up(end, widest);
}


static uint64_t mix(uint64_t hash, uint64_t number) {
  for (int i = 0; i < 8; ++i) {
    hash = (hash ^ (number >> 8 * i & 255u)) * 0x100000001b3u;
  }
  return hash;
}


uint64_t impi_layout_identity(const ImpiLayout *layout) {
  uint64_t hash = 0xcbf29ce484222325u;
  ImpiColumns columns;
  impi_columns_of(layout, &columns);
  for (int i = 0; i < columns.count; ++i) {
    const ImpiColumn *column = &columns.column[i];
    hash = mix(mix(mix(hash, column->number), column->mask), column->legal);
  }
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    if (field->kind == IMPI_FIELD_KEPT) {
      continue;
    }
    for (const char *letter = field->name; *letter != 0; ++letter) {
      hash = mix(hash, (unsigned char)*letter);
    }
    hash = mix(mix(hash, field->kind), field->number);
    bool sized = field->kind == IMPI_FIELD_PLAIN && field->number != IMPI_NUMBER_POINTER;
    hash = mix(hash, sized ? field->size : 0);
    if (field->parts != NULL) {
      hash = mix(hash, impi_layout_identity(field->parts));
    }
  }
  return hash;
}


static const ImpiField int32_fields[] = {{.name = "",
                                          .size = sizeof(int32_t),
                                          .alignment = _Alignof(int32_t),
                                          .kind = IMPI_FIELD_PLAIN,
                                          .number = IMPI_NUMBER_INT}};
const ImpiLayout impi_layout_int32 = IMPI_LAYOUT(int32_t, int32_fields, NULL);

static const ImpiField double_fields[] = {{.name = "",
                                           .size = sizeof(double),
                                           .alignment = _Alignof(double),
                                           .kind = IMPI_FIELD_PLAIN,
                                           .number = IMPI_NUMBER_ANY}};
const ImpiLayout impi_layout_double = IMPI_LAYOUT(double, double_fields, NULL);


// ---------------------------------------------------------------------------------------------------------------------
// Bytes and memory
// ---------------------------------------------------------------------------------------------------------------------


bool impi_archive_refuse(ImpiArchive *archive) {
  int at = archive->at < INT_MAX ? (int)archive->at : INT_MAX;
  archive->status =
      archive->section != NULL
          ? impi_fail(IMP_ERR_ARGUMENT, "the snapshot is damaged: invalid data at byte %d, in section \"%s\"", at,
                      archive->section)
          : impi_fail(IMP_ERR_ARGUMENT, "the snapshot is damaged: invalid data at byte %d", at);
  return false;
}


bool impi_archive_no_memory(ImpiArchive *archive) {
  archive->status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  return false;
}


bool impi_archive_room(ImpiArchive *archive, size_t more) {
  if (more <= archive->size - archive->at) {
    return true;
  }
  size_t wanted = archive->size + archive->size / 2 + 4096;
  wanted = wanted < archive->at + more ? archive->at + more : wanted;
  unsigned char *out = realloc(archive->out, wanted);
  if (out == NULL) {
    return impi_archive_no_memory(archive);
  }
  archive->out = out;
  archive->size = wanted;
  return true;
}


bool impi_archive_bytes(ImpiArchive *archive, void *data, size_t size) {
  if (archive->mode == IMPI_ARCHIVE_FREE || size == 0) {
    return true;
  }
  if (archive->mode == IMPI_ARCHIVE_WRITE) {
    if (!impi_archive_room(archive, size)) {
      return false;
    }
    memcpy(archive->out + archive->at, data, size);
  } else {
    if (size > archive->size - archive->at) {
      return impi_archive_refuse(archive);
    }
    memcpy(data, archive->in + archive->at, size);
  }
  archive->at += size;
  return true;
}


bool impi_archive_number(ImpiArchive *archive, uint64_t *number) {
  if (archive->at < archive->size) {
    if (archive->mode == IMPI_ARCHIVE_WRITE && *number < 128u) {
      archive->out[archive->at++] = (unsigned char)*number;
      return true;
    }
    if (archive->mode == IMPI_ARCHIVE_READ && archive->in[archive->at] < 128u) {
      *number = archive->in[archive->at++];
      return true;
    }
  }
  uint64_t rest = *number, read = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    unsigned char byte = (unsigned char)((rest & 127u) | (rest > 127u ? 128u : 0u));
    rest >>= 7;
    if (!impi_archive_bytes(archive, &byte, 1)) {
      return false;
    }
    read |= (uint64_t)(byte & 127u) << shift;
    if (byte < 128u) {
      *number = archive->mode == IMPI_ARCHIVE_READ ? read : *number;
      return true;
    }
  }
  return impi_archive_refuse(archive);
}


// Return the smallest size of `count` structs: one byte for each column of each block [bytes].
static uint64_t least_size(const ImpiLayout *layout, uint64_t count) {
  if (count == 0) {
    return 0;
  }
  ImpiColumns columns;
  impi_columns_of(layout, &columns);
  return (count + IMPI_COLUMN_BLOCK - 1) / IMPI_COLUMN_BLOCK * (uint64_t)(columns.count > 0 ? columns.count : 1);
}


bool impi_archive_holds(const ImpiArchive *archive, const ImpiLayout *layout, int64_t count) {
  return count >= 0 && count < INT_MAX / 2 && (uint64_t)count <= PTRDIFF_MAX / layout->size &&
         least_size(layout, (uint64_t)count) <= archive->size - archive->at;
}


bool impi_archive_string(ImpiArchive *archive, char **text) {
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_free_string(archive->heap, *text);
    *text = NULL;
    return true;
  }
  bool reads = archive->mode == IMPI_ARCHIVE_READ;
  uint64_t size = reads || *text == NULL ? 0 : strlen(*text) + 1; // length with the terminating zero, or 0 for null
  if (!impi_archive_number(archive, &size)) {
    return false;
  }
  if (reads && size > 0) {
    const unsigned char *from = archive->in + archive->at;
    if (size > archive->size - archive->at || memchr(from, 0, (size_t)size) != from + size - 1) {
      return impi_archive_refuse(archive);
    }
    *text = impi_resize(archive->heap, NULL, 0, (size_t)size);
    if (*text == NULL) {
      return impi_archive_no_memory(archive);
    }
  }
  return impi_archive_bytes(archive, *text, (size_t)size);
}


// ---------------------------------------------------------------------------------------------------------------------
// Sections
// ---------------------------------------------------------------------------------------------------------------------


// Write or read the name and length of a section. `out_start`: position of the section's data [bytes]. When reading,
// archive->size becomes the end of the section; end_section restores it from `out_end`.
static bool begin_section(ImpiArchive *archive, const char *name, size_t *out_start, size_t *out_end) {
  char tag[8] = {0}, found[8];
  uint64_t length = 0;
  memcpy(tag, name, strlen(name) < sizeof tag ? strlen(name) : sizeof tag);
  memcpy(found, tag, sizeof tag);
  archive->section = name;
  if (!impi_archive_bytes(archive, found, sizeof found) || !impi_archive_bytes(archive, &length, sizeof length)) {
    return false;
  }
  bool reads = archive->mode == IMPI_ARCHIVE_READ;
  if (reads && (memcmp(tag, found, sizeof tag) != 0 || length > archive->size - archive->at)) {
    return impi_archive_refuse(archive);
  }
  *out_start = archive->at;
  *out_end = archive->size;
  if (reads) {
    archive->size = archive->at + (size_t)length;
  }
  return true;
}


static bool end_section(ImpiArchive *archive, size_t start, size_t end) {
  uint64_t length = archive->at - start;
  if (archive->mode == IMPI_ARCHIVE_READ) {
    if (archive->at != archive->size) {
      return impi_archive_refuse(archive);
    }
    archive->size = end;
  } else if (archive->mode == IMPI_ARCHIVE_WRITE) {
    memcpy(archive->out + start - sizeof length, &length, sizeof length);
  }
  archive->section = NULL;
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Structs
// ---------------------------------------------------------------------------------------------------------------------


static bool archive_rest(ImpiArchive *archive, const ImpiLayout *layout, void *object);


static bool archive_list(ImpiArchive *archive, const ImpiLayout *layout, List *list) {
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    bool freed = impi_archive_many(archive, layout, list->data, list->count);
    impi_resize(archive->heap, list->data, (size_t)list->capacity * layout->size, 0);
    *list = (List){0};
    return freed;
  }
  uint64_t count = (uint64_t)list->count;
  if (!impi_archive_number(archive, &count)) {
    return false;
  }
  if (archive->mode == IMPI_ARCHIVE_READ) {
    if (count > INT_MAX || !impi_archive_holds(archive, layout, (int64_t)count)) {
      return impi_archive_refuse(archive);
    }
    if (count > 0 && !impi_array_grow(archive->heap, &list->data, &list->capacity, (int)count, layout->size)) {
      return impi_archive_no_memory(archive);
    }
    list->count = (int)count;
    if (count > 0) { // impi_columns_read requires zeros in the structs of the first block
      memset(list->data, 0, (size_t)(count < IMPI_COLUMN_BLOCK ? count : IMPI_COLUMN_BLOCK) * layout->size);
    }
  }
  return impi_archive_many(archive, layout, list->data, (int)count);
}


static bool archive_lists(ImpiArchive *archive, const ImpiField *field, void *first) {
  bool fine = true;
  for (int i = 0; i < parts_of(field) && fine; ++i) {
    List list; // a copy, because the array in the struct has another type
    char *place = (char *)first + (size_t)i * sizeof list;
    memcpy(&list, place, sizeof list);
    fine = archive_list(archive, field->parts, &list);
    if (archive->mode != IMPI_ARCHIVE_WRITE) {
      memcpy(place, &list, sizeof list);
    }
  }
  return fine;
}


// Walk over the data of a field that is not a plain number.
static bool archive_field(ImpiArchive *archive, const ImpiField *field, void *object) {
  char *place = (char *)object + field->offset;
  bool fine = true;
  if (field->kind == IMPI_FIELD_LIST) {
    fine = archive_lists(archive, field, place);
  } else if (field->kind == IMPI_FIELD_STRING) {
    fine = impi_archive_string(archive, (char **)(void *)place);
  } else if (field->kind == IMPI_FIELD_WALK) {
    fine = field->walk(archive, object);
  } else {
    for (int k = 0; k < parts_of(field) && fine; ++k) {
      fine = archive_rest(archive, field->parts, place + (size_t)k * field->parts->size);
    }
  }
  return fine;
}


// Faster than archive_field for a null string: write or read its zero byte, and return true. Return false, and do
// nothing, if the field is not a null string.
static bool is_no_string(ImpiArchive *archive, const ImpiField *field, const void *object) {
  const char *text;
  if (field->kind != IMPI_FIELD_STRING || (archive->mode != IMPI_ARCHIVE_FREE && archive->at >= archive->size)) {
    return false;
  }
  memcpy(&text, (const char *)object + field->offset, sizeof text);
  bool none = archive->mode == IMPI_ARCHIVE_READ ? archive->in[archive->at] == 0 : text == NULL;
  if (none && archive->mode == IMPI_ARCHIVE_WRITE) {
    archive->out[archive->at] = 0;
  }
  archive->at += none && archive->mode != IMPI_ARCHIVE_FREE;
  return none;
}


// The fields of a struct that are not plain numbers.
typedef struct More {
  const ImpiField *fields[MAX_MORE];
  int count;
} More;


static More more_of(const ImpiLayout *layout) {
  More more;
  more.count = 0;
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    if (is_more(field)) {
      IMP_ASSERT(more.count < MAX_MORE);
      more.fields[more.count++] = field;
    }
  }
  return more;
}


// Walk over all data of a struct except plain numbers.
static bool archive_more(ImpiArchive *archive, const ImpiLayout *layout, const More *more, void *object) {
  bool framed = layout->framed && archive->mode != IMPI_ARCHIVE_FREE;
  for (int i = 0; i < more->count; ++i) {
    const ImpiField *field = more->fields[i];
    size_t start = 0, end = 0;
    if (is_no_string(archive, field, object)) {
      continue;
    }
    if ((framed && !begin_section(archive, field->name, &start, &end)) || !archive_field(archive, field, object) ||
        (framed && !end_section(archive, start, end))) {
      return false;
    }
  }
  return layout->hook == NULL || layout->hook(archive, object);
}


static bool archive_rest(ImpiArchive *archive, const ImpiLayout *layout, void *object) {
  More more = more_of(layout);
  return archive_more(archive, layout, &more, object);
}


bool impi_archive_many(ImpiArchive *archive, const ImpiLayout *layout, void *first, int count) {
  bool columns = archive->mode != IMPI_ARCHIVE_FREE, fine = true;
  size_t start = 0, end = 0;
  if (count == 0) {
    return true;
  }
  if (columns) {
    fine = (!layout->framed || begin_section(archive, "world", &start, &end)) &&
           impi_columns_walk(archive, layout, first, count) && (!layout->framed || end_section(archive, start, end));
  }
  More more = more_of(layout);
  bool any = more.count > 0 || layout->hook != NULL;
  for (int i = 0; i < count && any && fine; ++i) {
    fine = archive_more(archive, layout, &more, (char *)first + (size_t)i * layout->size);
  }
  return fine;
}


bool impi_archive(ImpiArchive *archive, const ImpiLayout *layout, void *object) {
  return impi_archive_many(archive, layout, object, 1);
}


bool impi_archive_owned(ImpiArchive *archive, const ImpiLayout *layout, void *block, int count) {
  void *data;
  memcpy(&data, block, sizeof data);
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    bool freed = data == NULL || impi_archive_many(archive, layout, data, count);
    impi_resize(archive->heap, data, (size_t)count * layout->size, 0);
    memset(block, 0, sizeof data);
    return freed;
  }
  unsigned char there = data != NULL;
  if (!impi_archive_bytes(archive, &there, 1)) {
    return false;
  }
  if (there == 0) {
    return true;
  }
  if (archive->mode == IMPI_ARCHIVE_READ) {
    if (there != 1 || count < 1 || !impi_archive_holds(archive, layout, count)) {
      return impi_archive_refuse(archive);
    }
    data = impi_resize(archive->heap, NULL, 0, (size_t)count * layout->size);
    if (data == NULL) {
      return impi_archive_no_memory(archive);
    }
    memset(data, 0, (size_t)count * layout->size);
    memcpy(block, &data, sizeof data);
  }
  return impi_archive_many(archive, layout, data, count);
}
