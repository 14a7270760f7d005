#include "archive.h"

#include <limits.h>
#include <string.h>

// Stretches of plain bytes that a struct may have.
#define MAX_RUNS 96

// What is plain in a struct and the parts in it, as stretches that no padding breaks.
typedef struct Runs {
  struct {
    size_t offset, size;
  } run[MAX_RUNS];
  int count;
  size_t total;
} Runs;

// Any IMPI_ARRAY.
typedef struct List {
  void *data;
  int count, capacity;
} List;


// ---------------------------------------------------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------------------------------------------------


static void add_run(Runs *runs, size_t offset, size_t size) {
  if (runs->count > 0 && runs->run[runs->count - 1].offset + runs->run[runs->count - 1].size == offset) {
    runs->run[runs->count - 1].size += size;
  } else {
    IMP_ASSERT(runs->count < MAX_RUNS);
    runs->run[runs->count].offset = offset;
    runs->run[runs->count++].size = size;
  }
  runs->total += size;
}


// How many structs or lists a field holds.
static int parts_of(const ImpiField *field) {
  size_t each = field->kind == IMPI_FIELD_LIST ? sizeof(List) : field->parts->size;
  return (int)(field->size / each);
}


static void find_runs(const ImpiLayout *layout, size_t base, Runs *runs) {
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    if (field->kind == IMPI_FIELD_PLAIN) {
      add_run(runs, base + field->offset, field->size);
    }
    for (int k = 0; field->kind == IMPI_FIELD_PARTS && k < parts_of(field); ++k) {
      find_runs(field->parts, base + field->offset + (size_t)k * field->parts->size, runs);
    }
  }
}


// Whether there is more to a struct than its plain bytes.
static bool owns(const ImpiLayout *layout) {
  bool more = layout->hook != NULL;
  for (int i = 0; i < layout->count && !more; ++i) {
    ImpiFieldKind kind = layout->fields[i].kind;
    more = kind == IMPI_FIELD_LIST || kind == IMPI_FIELD_STRING ||
           (kind == IMPI_FIELD_PARTS && owns(layout->fields[i].parts));
  }
  return more;
}


static size_t round_up(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }


bool impi_layout_is_complete(const ImpiLayout *layout) {
  size_t end = 0, widest = 1;
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    widest = field->alignment > widest ? field->alignment : widest;
    if (field->offset != round_up(end, field->alignment) ||
        (field->parts != NULL && !impi_layout_is_complete(field->parts))) {
      return false;
    }
    end = field->offset + field->size;
  }
  return layout->size == round_up(end, widest);
}


// FNV-1a over the numbers of the tables.
static uint64_t mix(uint64_t hash, uint64_t number) {
  for (int i = 0; i < 8; ++i) {
    hash = (hash ^ (number >> 8 * i & 255u)) * 0x100000001b3u;
  }
  return hash;
}


uint64_t impi_layout_identity(const ImpiLayout *layout) {
  uint64_t hash = mix(0xcbf29ce484222325u, layout->size);
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    hash = mix(mix(mix(hash, field->offset), field->size), field->kind);
    if (field->parts != NULL) {
      hash = mix(hash, impi_layout_identity(field->parts));
    }
  }
  return hash;
}


static const ImpiField int32_fields[] = {{0, sizeof(int32_t), _Alignof(int32_t), IMPI_FIELD_PLAIN, NULL}};
const ImpiLayout impi_layout_int32 = IMPI_LAYOUT(int32_t, int32_fields, NULL);

static const ImpiField double_fields[] = {{0, sizeof(double), _Alignof(double), IMPI_FIELD_PLAIN, NULL}};
const ImpiLayout impi_layout_double = IMPI_LAYOUT(double, double_fields, NULL);


// ---------------------------------------------------------------------------------------------------------------------
// Bytes and memory
// ---------------------------------------------------------------------------------------------------------------------


bool impi_archive_refuse(ImpiArchive *archive) {
  archive->status = impi_fail(IMP_ERR_ARGUMENT, "the snapshot makes no sense at byte %d",
                              archive->at < INT_MAX ? (int)archive->at : INT_MAX);
  return false;
}


bool impi_archive_no_memory(ImpiArchive *archive) {
  archive->status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  return false;
}


bool impi_archive_bytes(ImpiArchive *archive, void *data, size_t size) {
  if (archive->mode == IMPI_ARCHIVE_FREE || size == 0) {
    return true;
  }
  if (archive->mode == IMPI_ARCHIVE_WRITE) {
    memcpy(archive->out + archive->at, data, size);
  } else if (archive->mode == IMPI_ARCHIVE_READ) {
    if (size > archive->size - archive->at) {
      return impi_archive_refuse(archive);
    }
    memcpy(data, archive->in + archive->at, size);
  }
  archive->at += size;
  return true;
}


// A number of things that take at least `least` bytes each.
static bool archive_count(ImpiArchive *archive, int32_t *count, size_t least) {
  if (!impi_archive_bytes(archive, count, sizeof *count)) {
    return false;
  }
  size_t rest = archive->size - archive->at;
  bool fits = archive->mode != IMPI_ARCHIVE_READ || (*count >= 0 && (size_t)*count * least <= rest);
  return fits ? true : impi_archive_refuse(archive);
}


bool impi_archive_string(ImpiArchive *archive, char **text) {
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_free_string(archive->heap, *text);
    *text = NULL;
    return true;
  }
  bool reads = archive->mode == IMPI_ARCHIVE_READ;
  int32_t size = reads || *text == NULL ? 0 : (int32_t)strlen(*text) + 1; // with its end
  if (!archive_count(archive, &size, 1)) {
    return false;
  }
  if (reads && size > 0) {
    const unsigned char *from = archive->in + archive->at;
    if (memchr(from, 0, (size_t)size) != from + size - 1) {
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
// Structs
// ---------------------------------------------------------------------------------------------------------------------


static bool archive_lists(ImpiArchive *archive, const ImpiField *field, void *first);


// All of a struct but its plain bytes.
static bool archive_rest(ImpiArchive *archive, const ImpiLayout *layout, void *object) {
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    char *place = (char *)object + field->offset;
    bool fine = true;
    if (field->kind == IMPI_FIELD_LIST) {
      fine = archive_lists(archive, field, place);
    } else if (field->kind == IMPI_FIELD_STRING) {
      fine = impi_archive_string(archive, (char **)(void *)place);
    } else if (field->kind == IMPI_FIELD_PARTS && owns(field->parts)) {
      for (int k = 0; k < parts_of(field) && fine; ++k) {
        fine = archive_rest(archive, field->parts, place + (size_t)k * field->parts->size);
      }
    }
    if (!fine) {
      return false;
    }
  }
  return layout->hook == NULL || layout->hook(archive, object);
}


bool impi_archive_many(ImpiArchive *archive, const ImpiLayout *layout, void *first, int count) {
  Runs runs = {.count = 0};
  find_runs(layout, 0, &runs);
  bool more = owns(layout);
  if (!more && archive->mode == IMPI_ARCHIVE_FREE) {
    return true;
  }
  if (!more && runs.total == layout->size) { // no padding
    return impi_archive_bytes(archive, first, (size_t)count * layout->size);
  }
  if (!more && archive->mode == IMPI_ARCHIVE_MEASURE) {
    archive->at += (size_t)count * runs.total;
    return true;
  }
  for (int i = 0; i < count; ++i) {
    char *object = (char *)first + (size_t)i * layout->size;
    for (int k = 0; k < runs.count; ++k) {
      if (!impi_archive_bytes(archive, object + runs.run[k].offset, runs.run[k].size)) {
        return false;
      }
    }
    if (more && !archive_rest(archive, layout, object)) {
      return false;
    }
  }
  return true;
}


bool impi_archive(ImpiArchive *archive, const ImpiLayout *layout, void *object) {
  return impi_archive_many(archive, layout, object, 1);
}


// The bytes that a struct takes at least.
static size_t least_size(const ImpiLayout *layout) {
  Runs runs = {.count = 0};
  find_runs(layout, 0, &runs);
  return runs.total;
}


static bool archive_list(ImpiArchive *archive, const ImpiLayout *layout, List *list) {
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    bool freed = impi_archive_many(archive, layout, list->data, list->count);
    impi_resize(archive->heap, list->data, (size_t)list->capacity * layout->size, 0);
    *list = (List){0};
    return freed;
  }
  int32_t count = list->count;
  if (!archive_count(archive, &count, least_size(layout))) {
    return false;
  }
  if (archive->mode == IMPI_ARCHIVE_READ) {
    if (count > 0 && !impi_array_grow(archive->heap, &list->data, &list->capacity, count, layout->size)) {
      return impi_archive_no_memory(archive);
    }
    list->count = count;
    if (count > 0) {
      memset(list->data, 0, (size_t)count * layout->size);
    }
  }
  return impi_archive_many(archive, layout, list->data, count);
}


static bool archive_lists(ImpiArchive *archive, const ImpiField *field, void *first) {
  bool fine = true;
  for (int i = 0; i < parts_of(field) && fine; ++i) {
    List list; // the owner's pointer has its own type; copying its bytes keeps the access legal
    char *place = (char *)first + (size_t)i * sizeof list;
    memcpy(&list, place, sizeof list);
    fine = archive_list(archive, field->parts, &list);
    if (archive->mode == IMPI_ARCHIVE_READ || archive->mode == IMPI_ARCHIVE_FREE) {
      memcpy(place, &list, sizeof list);
    }
  }
  return fine;
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
    size_t rest = archive->size - archive->at;
    if (there != 1 || count < 1 || (size_t)count * least_size(layout) > rest) {
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
