// Comparison of the fields of two structs, up to the first difference.
#include "record/compare.h"

#include <string.h>


static void append(char *text, const char *more) {
  size_t at = strlen(text);
  while (*more != 0 && at + 1 < IMP_MAX_DIFFERENCE_TEXT) {
    text[at++] = *more++;
  }
  text[at] = 0;
}


static void append_index(char *text, int index) {
  char digits[16];
  int at = (int)sizeof digits;
  digits[--at] = 0;
  do {
    digits[--at] = (char)('0' + index % 10);
    index /= 10;
  } while (index > 0);
  append(text, "[");
  append(text, digits + at);
  append(text, "]");
}


static void name_field(ImpiComparison *c, const char *before, int index, const char *field) {
  char *text = c->out->field;
  text[0] = 0;
  append(text, before != NULL ? before : "");
  if (index >= 0) {
    append_index(text, index);
  }
  append(text, before != NULL && field[0] != 0 ? "." : "");
  append(text, field);
}


void impi_compare_object(ImpiComparison *c, ImpObjectKind object, uint64_t id, const char *name) {
  *c->out = (ImpDifference){.object = object, .id = id};
  append(c->out->name, name != NULL ? name : "");
}


bool impi_compare_number(ImpiComparison *c, const char *before, int index, const char *field, double a, double b) {
  if (a == b || (a != a && b != b)) {
    return false;
  }
  name_field(c, before, index, field);
  c->out->a = a;
  c->out->b = b;
  return true;
}


// Compare two 64-bit integers. Large ones are compared in halves.
static bool compare_bits(ImpiComparison *c, const char *before, int index, const char *field, uint64_t a, uint64_t b) {
  if ((a | b) >> 53 == 0) {
    return impi_compare_number(c, before, index, field, (double)a, (double)b);
  }
  bool high = impi_compare_number(c, before, index, field, (double)(a >> 32), (double)(b >> 32));
  bool low = !high && impi_compare_number(c, before, index, field, (double)(uint32_t)a, (double)(uint32_t)b);
  if (high || low) {
    append(c->out->field, high ? ".high" : ".low");
  }
  return high || low;
}


bool impi_compare_text(ImpiComparison *c, const char *field, const char *a, const char *b) {
  if (strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0) {
    return false;
  }
  name_field(c, NULL, -1, field);
  c->out->a = c->out->b = (double)NAN;
  return true;
}


// Compose the name of one of several numbers of a field: "force.x".
static void name_part(char *text, const ImpiField *field, int part, int count) {
  static const char *const ends[] = {".lower.x", ".lower.y", ".upper.x", ".upper.y"};
  text[0] = 0;
  append(text, field->shown != NULL ? field->shown : field->name);
  if (field->form == IMPI_FORM_LIST) {
    if (count > 1) append_index(text, part + 1);
    return;
  }
  const char *end = field->form == IMPI_FORM_BOX ? ends[part] : ends[part] + strlen(".lower");
  append(text, text[0] != 0 ? end : end + 1);
}


static bool compare_field(ImpiComparison *c, const char *before, int index, const ImpiField *field, const char *a,
                          const char *b) {
  int size = impi_number_size(field->number), count = (int)field->size / size;
  bool differ = false;
  for (int i = 0; i < count && !differ; ++i) {
    char name[IMP_MAX_DIFFERENCE_TEXT];
    const char *in_a = a + i * size, *in_b = b + i * size;
    if (memcmp(in_a, in_b, (size_t)size) == 0) {
      continue;
    }
    name_part(name, field, i, count);
    differ = field->number == IMPI_NUMBER_LONG
                 ? compare_bits(c, before, index, name, *(const uint64_t *)(const void *)in_a,
                                *(const uint64_t *)(const void *)in_b)
                 : impi_compare_number(c, before, index, name, impi_number_read(field->number, in_a),
                                       impi_number_read(field->number, in_b));
  }
  return differ;
}


bool impi_compare_structs(ImpiComparison *c, const char *before, int index, const ImpiLayout *layout, ImpiSeen now,
                          const void *a, const void *b) {
  bool differ = false;
  for (int i = 0; i < layout->count && !differ; ++i) {
    const ImpiField *field = &layout->fields[i];
    const char *in_a = (const char *)a + field->offset, *in_b = (const char *)b + field->offset;
    if (field->kind == IMPI_FIELD_PARTS && field->seen != IMPI_UNSEEN) {
      differ =
          impi_compare_structs(c, field->shown != NULL ? field->shown : before, index, field->parts, now, in_a, in_b);
    } else if (field->kind == IMPI_FIELD_PLAIN && field->seen == now) {
      differ = compare_field(c, before, index, field, in_a, in_b);
    }
  }
  return differ;
}
