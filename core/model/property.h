// Properties as tables: what is legal, and where the value is in the object and in the definition that makes it.
#ifndef IMPI_PROPERTY_H
#define IMPI_PROPERTY_H

#include "base/constants.h"
#include "base/layout.h"

typedef struct ImpiProperty {
  ImpPropertyInfo info;
  size_t member;     // where its value is in the object's struct [bytes]
  ImpiNumber number; // what it is there; NONE: it is computed
} ImpiProperty;

// Ranges.
#define POSITIVE 1 / IMPI_MAX_NUMBER, IMPI_MAX_NUMBER
#define NOT_NEGATIVE 0, IMPI_MAX_NUMBER
#define ANY -IMPI_MAX_NUMBER, IMPI_MAX_NUMBER
#define RATIO 0, IMP_MAX_RATIO
#define SIGNED_RATIO -IMP_MAX_RATIO, IMP_MAX_RATIO
#define TRUTH 0, 1

// Lines of a table for objects of STRUCT, which definitions of DEFINITION make: what follows in the line is the info. A
// computed value, one that the definition gives for all that, one that is a plain member, and one that is both.
#define COMPUTED(...) \
  { {__VA_ARGS__, 0}, 0, IMPI_NUMBER_NONE }
#define GIVEN(given, ...) \
  { {__VA_ARGS__, 1 + offsetof(DEFINITION, given)}, 0, IMPI_NUMBER_NONE }
#define STORED(member, ...) \
  { {__VA_ARGS__, 0}, offsetof(STRUCT, member), IMPI_NUMBER_OF(STRUCT, member) }
#define BOTH(member, given, ...) \
  { {__VA_ARGS__, 1 + offsetof(DEFINITION, given)}, offsetof(STRUCT, member), IMPI_NUMBER_OF(STRUCT, member) }
// The most common of the last: the property, the member and what the definition has are called the same.
#define NUMBER(name, range, unit, doc) BOTH(name, name, #name, IMP_NUMBER, true, range, unit, doc)
#define FLAG(name, doc) BOTH(name, name, #name, IMP_BOOLEAN, true, TRUTH, "", doc)
// Of definitions that have their numbers, and their flags as 0 and 1, in an array by property: the property, then the info.
#define VALUE(id, ...) [id] = {__VA_ARGS__, 1 + offsetof(DEFINITION, value[id])}

// body_table.c
extern const ImpiProperty impi_body_properties[IMP_BODY_PROPERTY_COUNT];
extern const ImpiLayout impi_body_layout, impi_body_definition_layout;

// properties.c
extern const ImpiProperty impi_shape_properties[IMP_SHAPE_PROPERTY_COUNT];

// The value of a stored property. False: it is computed.
static inline bool impi_property_read(const ImpiProperty *property, const void *object, double *out_value) {
  if (property->number == IMPI_NUMBER_NONE) {
    return false;
  }
  *out_value = impi_number_read(property->number, (const char *)object + property->member);
  return true;
}


// Doubles, whole numbers and flags are stored. False: it is computed.
static inline bool impi_property_write(const ImpiProperty *property, void *object, double value) {
  void *at = (char *)object + property->member;
  switch (property->number) {
  case IMPI_NUMBER_REAL:
    *(double *)at = value;
    return true;
  case IMPI_NUMBER_INT:
    *(int32_t *)at = (int32_t)value;
    return true;
  case IMPI_NUMBER_BOOL:
    *(bool *)at = value != 0;
    return true;
  default:
    return false;
  }
}


// What a definition gives, into the object and back: the stored ones.
void impi_properties_take(const ImpiProperty *table, int count, void *object, const void *definition);
void impi_properties_give(const ImpiProperty *table, int count, const void *object, void *definition);

#endif
