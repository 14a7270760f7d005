// Macros for the lines of property tables.
#ifndef IMPI_PROPERTY_LINES_H
#define IMPI_PROPERTY_LINES_H

#include "model/property.h"

// Ranges.
#define POSITIVE 1 / IMPI_MAX_NUMBER, IMPI_MAX_NUMBER
#define NOT_NEGATIVE 0, IMPI_MAX_NUMBER
#define ANY -IMPI_MAX_NUMBER, IMPI_MAX_NUMBER
#define RATIO 0, IMP_MAX_RATIO
#define SIGNED_RATIO -IMP_MAX_RATIO, IMP_MAX_RATIO
#define TRUTH 0, 1
#define FRICTION_RANGE RATIO
#define RESTITUTION_RANGE 0, 1
#define BREAK_RANGE 0, HUGE_VAL

// Lines of a table of the properties of a struct STRUCT. DEFINITION: its definition struct. `member`: member of STRUCT
// with the value. `given`: member of DEFINITION with the value. COMPUTED, GIVEN: STRUCT does not store the value.
// Other arguments: members of ImpPropertyInfo.
#define COMPUTED(...) \
  { {__VA_ARGS__, 0}, 0, IMPI_NUMBER_NONE }
#define GIVEN(given, ...) \
  { {__VA_ARGS__, 1 + offsetof(DEFINITION, given)}, 0, IMPI_NUMBER_NONE }
#define STORED(member, ...) \
  { {__VA_ARGS__, 0}, offsetof(STRUCT, member), IMPI_NUMBER_OF(STRUCT, member) }
#define BOTH(member, given, ...) \
  { {__VA_ARGS__, 1 + offsetof(DEFINITION, given)}, offsetof(STRUCT, member), IMPI_NUMBER_OF(STRUCT, member) }
// Like BOTH; both members have the name of the property.
#define NUMBER(name, range, unit, doc) BOTH(name, name, #name, IMP_NUMBER, true, range, unit, doc)
#define FLAG(name, doc) BOTH(name, name, #name, IMP_BOOLEAN, true, TRUTH, "", doc)
// Line for a property that the definition stores as an element of its array `value`. `id`: index of the property and of
// the element. Other arguments: members of ImpPropertyInfo.
#define VALUE(id, ...) [id] = {__VA_ARGS__, 1 + offsetof(DEFINITION, value[id])}

#endif
