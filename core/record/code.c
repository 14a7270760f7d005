// Conversion of plain values, texts and handles to bytes and back.
#include "record/code.h"

#include <string.h>


void impi_code_bytes(ImpiCoder *c, void *bytes, size_t size) {
  if (c->reads) {
    c->failed = c->failed || size > c->size - c->at;
    if (c->failed) {
      memset(bytes, 0, size);
      return;
    }
    memcpy(bytes, c->in + c->at, size);
    c->at += size;
    return;
  }
  size_t needed = (size_t)c->out->count + size;
  c->failed = c->failed || needed > INT32_MAX / 2 || !impi_reserve(c->heap, c->out, (int)needed);
  if (!c->failed && size > 0) {
    memcpy(c->out->data + c->out->count, bytes, size);
    c->out->count = (int)needed;
  }
}


void impi_code_byte(ImpiCoder *c, unsigned char *value) { impi_code_bytes(c, value, 1); }


void impi_code_fixed(ImpiCoder *c, uint64_t *value) {
  unsigned char bytes[8] = {0};
  for (int i = 0; i < 8 && !c->reads; ++i) {
    bytes[i] = (unsigned char)(*value >> 8 * i);
  }
  impi_code_bytes(c, bytes, sizeof bytes);
  if (c->reads) {
    *value = 0;
    for (int i = 0; i < 8; ++i) {
      *value |= (uint64_t)bytes[i] << 8 * i;
    }
  }
}


// Write or read a number with seven bits per byte, the lowest first.
static void code_short(ImpiCoder *c, uint64_t *value) {
  uint64_t rest = c->reads ? 0 : *value, read = 0;
  unsigned char byte = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    byte = (unsigned char)((rest & 0x7f) | (rest >> 7 != 0 ? 0x80u : 0));
    impi_code_byte(c, &byte);
    read |= (uint64_t)(byte & 0x7f) << shift;
    rest >>= 7;
    if ((byte & 0x80) == 0) {
      break;
    }
  }
  c->failed = c->failed || (byte & 0x80) != 0;
  *value = c->reads ? read : *value;
}


void impi_code_int(ImpiCoder *c, int *value) {
  // write the sign as the lowest bit
  uint64_t bits = *value < 0 ? 2 * (uint64_t)(-(int64_t)*value) - 1 : 2 * (uint64_t)*value;
  code_short(c, &bits);
  if (c->reads) {
    uint64_t size = bits / 2 + (bits & 1);
    c->failed = c->failed || size > (uint64_t)INT32_MAX + (bits & 1);
    *value = c->failed ? 0 : bits & 1 ? (int)-(int64_t)size : (int)size;
  }
}


void impi_code_count(ImpiCoder *c, int *count) {
  impi_code_int(c, count);
  if (c->reads && (*count < 0 || (size_t)*count > c->size - c->at)) {
    c->failed = true;
  }
  *count = c->failed ? 0 : *count;
}


void *impi_code_room(ImpiCoder *c, int count, size_t element) {
  size_t start = (c->room_at + 15) / 16 * 16, size = (size_t)count * element;
  if (c->failed || count <= 0 || start > c->room_size || size > c->room_size - start) {
    c->failed = c->failed || count > 0;
    return NULL;
  }
  c->room_at = start + size;
  memset(c->room + start, 0, size);
  return c->room + start;
}


void impi_code_uint64_t(ImpiCoder *c, uint64_t *value) { impi_code_fixed(c, value); }


void impi_code_double(ImpiCoder *c, double *value) {
  uint64_t bits;
  memcpy(&bits, value, sizeof bits);
  impi_code_fixed(c, &bits);
  memcpy(value, &bits, sizeof bits);
}


void impi_code_ImpiTruth(ImpiCoder *c, ImpiTruth *value) {
  unsigned char byte = *value;
  impi_code_byte(c, &byte);
  *value = byte != 0;
}


void impi_code_ImpVec2(ImpiCoder *c, ImpVec2 *value) {
  impi_code_double(c, &value->x);
  impi_code_double(c, &value->y);
}


// Write or read a text after its length, with its terminating zero; length 0: null.
void impi_code_ImpiText(ImpiCoder *c, ImpiText *value) {
  int count = c->reads || *value == NULL ? 0 : (int)strlen(*value) + 1;
  impi_code_count(c, &count);
  if (!c->reads) {
    impi_code_bytes(c, (void *)(uintptr_t)*value, (size_t)count);
    return;
  }
  *value = NULL;
  if (count > 0 && !c->failed) {
    const char *text = (const char *)c->in + c->at;
    c->failed = memchr(text, 0, (size_t)count) != text + count - 1;
    c->at += (size_t)count;
    *value = c->failed ? NULL : text;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Handles are written as slots: these are the same in every replay, while generations increase after a restore
// ---------------------------------------------------------------------------------------------------------------------


static void code_handle(ImpiCoder *c, uint64_t *id, const ImpiPool *pool) {
  uint64_t place = c->reads ? 0 : *id & 0xffffff;
  code_short(c, &place);
  if (c->reads) {
    bool known = !c->failed && place > 0 && place <= (uint64_t)pool->used;
    *id = known ? impi_pool_id(pool, (int32_t)place - 1, c->world->tag) : 0;
  }
}


#define HANDLE_CODER(type, pool) \
  void impi_code_##type(ImpiCoder *c, type *value) { code_handle(c, &value->id, &c->world->pool); }
HANDLE_CODER(ImpBody, body_pool)
HANDLE_CODER(ImpShape, shape_pool)
HANDLE_CODER(ImpContact, contact_pool)
HANDLE_CODER(ImpJoint, joint_pool)
HANDLE_CODER(ImpField, field.pool)
HANDLE_CODER(ImpMover, body_pool)


void impi_code_ImpCoordinate(ImpiCoder *c, ImpCoordinate *value) {
  impi_code_ImpJoint(c, &value->joint);
  impi_code_int(c, &value->index);
}


#define ENUM_CODER(type) \
  void impi_code_##type(ImpiCoder *c, type *value) { \
    int number = (int)*value; \
    impi_code_int(c, &number); \
    *value = (type)number; \
  }
ENUM_CODER(ImpWorldProperty)
ENUM_CODER(ImpSolverKind)
ENUM_CODER(ImpOrder)
ENUM_CODER(ImpBodyProperty)
ENUM_CODER(ImpBodyType)
ENUM_CODER(ImpShapeProperty)
ENUM_CODER(ImpContactProperty)
ENUM_CODER(ImpFieldProperty)
ENUM_CODER(ImpFieldVector)
ENUM_CODER(ImpJointProperty)
ENUM_CODER(ImpMoverProperty)
ENUM_CODER(ImpQuantity)
