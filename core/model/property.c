#include "model/property.h"


// Where a stored property that definitions give is in them, as it is in the object; null for others.
static ImpiProperty in_definition(const ImpiProperty *property) {
  bool both = property->number != IMPI_NUMBER_NONE && property->info.definition > 0;
  return (ImpiProperty){property->info, property->info.definition - 1, both ? property->number : IMPI_NUMBER_NONE};
}


void impi_properties_take(const ImpiProperty *table, int count, void *object, const void *definition) {
  for (int i = 0; i < count; ++i) {
    ImpiProperty given = in_definition(&table[i]);
    double value;
    if (impi_property_read(&given, definition, &value)) {
      impi_property_write(&table[i], object, value);
    }
  }
}


void impi_properties_give(const ImpiProperty *table, int count, const void *object, void *definition) {
  for (int i = 0; i < count; ++i) {
    ImpiProperty given = in_definition(&table[i]);
    double value;
    if (given.number != IMPI_NUMBER_NONE && impi_property_read(&table[i], object, &value)) {
      impi_property_write(&given, definition, value);
    }
  }
}
