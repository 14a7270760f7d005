// Short macros for the lines of property tables, for files that contain such tables.
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

// Lines of a table for objects of STRUCT that definitions of DEFINITION create; after the members comes the info.
// COMPUTED: no member holds the value. GIVEN: only the definition has a member. STORED: only STRUCT has one. BOTH: both
// have one.
#define COMPUTED(...) \
  { {__VA_ARGS__, 0}, 0, IMPI_NUMBER_NONE }
#define GIVEN(given, ...) \
  { {__VA_ARGS__, 1 + offsetof(DEFINITION, given)}, 0, IMPI_NUMBER_NONE }
#define STORED(member, ...) \
  { {__VA_ARGS__, 0}, offsetof(STRUCT, member), IMPI_NUMBER_OF(STRUCT, member) }
#define BOTH(member, given, ...) \
  { {__VA_ARGS__, 1 + offsetof(DEFINITION, given)}, offsetof(STRUCT, member), IMPI_NUMBER_OF(STRUCT, member) }
// Lines as by BOTH, for a property whose name is also that of both members.
#define NUMBER(name, range, unit, doc) BOTH(name, name, #name, IMP_NUMBER, true, range, unit, doc)
#define FLAG(name, doc) BOTH(name, name, #name, IMP_BOOLEAN, true, TRUTH, "", doc)
// For definitions that have numbers, and flags as 0 and 1, in an array by property: the property, then the info.
#define VALUE(id, ...) [id] = {__VA_ARGS__, 1 + offsetof(DEFINITION, value[id])}

#endif
