// Conversion of the arguments of calls to bytes, little-endian, and back. One function per type does both.
//
// Any bytes can be read: a count above the number of unread bytes, or a text that would end after them, is invalid.
// Invalid bytes make the coder fail, after which it reads only zeros. The function that receives an argument checks
// whether it is legal.
#ifndef IMPI_CODE_H
#define IMPI_CODE_H

#include "base/layout.h"
#include "world/world.h"

typedef IMPI_ARRAY(unsigned char) ImpiBytes;

typedef struct ImpiCoder {
  const ImpWorld *world; // world whose handles are written or read
  bool reads;
  bool failed;
  ImpiHeap *heap; // when writing: memory for `out`
  ImpiBytes *out;
  const unsigned char *in; // when reading: the bytes
  size_t at, size;         // position and end [bytes]
  unsigned char *room;     // when reading: memory for the arrays of the call that is read
  size_t room_at, room_size;
} ImpiCoder;

// Size of the memory for the arrays of any call whose arguments take `size` bytes [bytes].
#define IMPI_CODE_ROOM(size) (16 * (size) + 1024)

void impi_code_bytes(ImpiCoder *c, void *bytes, size_t size);
void impi_code_byte(ImpiCoder *c, unsigned char *value);
void impi_code_fixed(ImpiCoder *c, uint64_t *value); // in 8 bytes
void impi_code_count(ImpiCoder *c, int *count);
// Return memory for `count` elements of an array that is read; null if the coder failed or `count` is 0.
void *impi_code_room(ImpiCoder *c, int count, size_t element);

// Types of arguments, used by the table of calls (record_table.h). When reading, pointers are set into the bytes or
// into the coder's memory.
typedef bool ImpiTruth;       // an alias, because the macros of the table would expand `bool`
typedef const char *ImpiText; // or null
typedef const ImpBodyDef *ImpiBodyDefAt;
typedef const ImpShapeDef *ImpiShapeDefAt;
typedef const ImpJointDef *ImpiJointDefAt;
typedef const ImpFieldDef *ImpiFieldDefAt;
typedef const ImpMoverDef *ImpiMoverDefAt;
typedef const ImpConstraintDef *ImpiConstraintDefAt;
typedef const ImpMaterialDef *ImpiMaterialDefAt;
typedef const ImpDrive *ImpiDriveAt;
typedef const ImpTapeDef *ImpiTapeDefAt;
typedef const ImpMix *ImpiMixAt;
typedef const ImpAabb *ImpiAabbAt; // or null

#define IMPI_CODED(X) \
  X(int) \
  X(double) \
  X(ImpiTruth) \
  X(uint64_t) \
  X(ImpVec2) \
  X(ImpBody) \
  X(ImpShape) \
  X(ImpContact) \
  X(ImpJoint) \
  X(ImpField) \
  X(ImpMover) \
  X(ImpCoordinate) \
  X(ImpiText) \
  X(ImpiBodyDefAt) \
  X(ImpiShapeDefAt) \
  X(ImpiJointDefAt) \
  X(ImpiFieldDefAt) \
  X(ImpiMoverDefAt) \
  X(ImpiConstraintDefAt) \
  X(ImpiMaterialDefAt) \
  X(ImpiDriveAt) \
  X(ImpiTapeDefAt) \
  X(ImpiMixAt) \
  X(ImpiAabbAt) \
  X(ImpWorldProperty) \
  X(ImpSolverKind) \
  X(ImpOrder) \
  X(ImpBodyProperty) \
  X(ImpBodyType) \
  X(ImpShapeProperty) \
  X(ImpContactProperty) \
  X(ImpFieldProperty) \
  X(ImpFieldVector) \
  X(ImpJointProperty) \
  X(ImpMoverProperty) \
  X(ImpQuantity)
#define IMPI_DECLARE_CODER(type) void impi_code_##type(ImpiCoder *c, type *value);
IMPI_CODED(IMPI_DECLARE_CODER)
#undef IMPI_DECLARE_CODER

// Return the layout of an argument struct by its index, from 0; null if no struct has this index.
const ImpiLayout *impi_definition_layout(int index);

#endif
