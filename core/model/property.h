// Tables of properties: range of each property, and place of its value in the object and in the definition.
#ifndef IMPI_PROPERTY_H
#define IMPI_PROPERTY_H

#include "base/constants.h"
#include "base/layout.h"

typedef struct ImpiProperty {
  ImpPropertyInfo info;
  size_t member;     // offset of the property's value in the object's struct [bytes]
  ImpiNumber number; // type of the value; NONE: the value is computed
} ImpiProperty;

// body_table.c
extern const ImpiProperty impi_body_properties[IMP_BODY_PROPERTY_COUNT];
extern const ImpiLayout impi_body_layout, impi_body_definition_layout;

// properties.c
extern const ImpiProperty impi_shape_properties[IMP_SHAPE_PROPERTY_COUNT];

// Read the value of a stored property. Return false if the value is computed.
static inline bool impi_property_read(const ImpiProperty *property, const void *object, double *out_value) {
  if (property->number == IMPI_NUMBER_NONE) {
    return false;
  }
  *out_value = impi_number_read(property->number, (const char *)object + property->member);
  return true;
}


// Write the value of a stored property: a double, whole number or flag. Return false if the value is computed.
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


// impi_properties_take copies properties from a definition to an object, impi_properties_give from an object to a
// definition. Only members of both structs are copied.
void impi_properties_take(const ImpiProperty *table, int count, void *object, const void *definition);
void impi_properties_give(const ImpiProperty *table, int count, const void *object, void *definition);

#endif
