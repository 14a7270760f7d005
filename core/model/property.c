#include "model/property.h"


static void copy(ImpiNumber number, void *to, const void *from) {
  if (number == IMPI_NUMBER_REAL) {
    *(double *)to = *(const double *)from;
  } else if (number == IMPI_NUMBER_BOOL) {
    *(bool *)to = *(const bool *)from;
  } else {
    *(int32_t *)to = *(const int32_t *)from;
  }
}


static bool is_both(const ImpiProperty *property) {
  return property->number != IMPI_NUMBER_NONE && property->info.definition > 0;
}


void impi_properties_take(const ImpiProperty *table, int count, void *object, const void *definition) {
  for (const ImpiProperty *p = table; p < table + count; ++p) {
    if (is_both(p)) {
      copy(p->number, (char *)object + p->member, (const char *)definition + p->info.definition - 1);
    }
  }
}


void impi_properties_give(const ImpiProperty *table, int count, const void *object, void *definition) {
  for (const ImpiProperty *p = table; p < table + count; ++p) {
    if (is_both(p)) {
      copy(p->number, (char *)definition + p->info.definition - 1, (const char *)object + p->member);
    }
  }
}
