// Numbers of two structs, one after the other, until two differ.
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


// A double has not all values of 64 bits: where they are large they go in halves.
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


static double read_number(ImpiNumberKind kind, const void *at) {
  switch (kind) {
  case IMPI_DOUBLE:
    return *(const double *)at;
  case IMPI_FLOAT:
    return (double)*(const float *)at;
  case IMPI_INT8:
    return *(const int8_t *)at;
  case IMPI_UINT8:
    return *(const uint8_t *)at;
  case IMPI_INT32:
    return *(const int32_t *)at;
  case IMPI_UINT32:
    return *(const uint32_t *)at;
  case IMPI_BOOL:
    return *(const bool *)at;
  default:
    return 0;
  }
}


bool impi_compare_numbers(ImpiComparison *c, const char *before, int index, const ImpiNumber *numbers, int count,
                          const void *a, const void *b) {
  bool differ = false;
  for (int i = 0; i < count && !differ; ++i) {
    const void *in_a = (const char *)a + numbers[i].offset, *in_b = (const char *)b + numbers[i].offset;
    if (numbers[i].kind == IMPI_UINT64) {
      differ = compare_bits(c, before, index, numbers[i].name, *(const uint64_t *)in_a, *(const uint64_t *)in_b);
    } else {
      differ = impi_compare_number(c, before, index, numbers[i].name, read_number(numbers[i].kind, in_a),
                                   read_number(numbers[i].kind, in_b));
    }
  }
  return differ;
}
