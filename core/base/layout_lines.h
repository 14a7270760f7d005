// Short macros for the entries of the tables of layout.h, for files that define such tables.
#ifndef IMPI_LAYOUT_LINES_H
#define IMPI_LAYOUT_LINES_H

#include "base/layout.h"

// The layout of a struct: size, table of fields, number of fields, hook.
#define IMPI_LAYOUT(type, fields, hook) \
  { sizeof(type), fields, IMPI_COUNT(fields), hook, false }
#define IMPI_FIELD(called, kinds, numbers, member, ...) \
  { \
    .name = called, .path = #member, .offset = offsetof(STRUCT, member), .size = sizeof(((STRUCT *)0)->member), \
    .alignment = _Alignof(__typeof__(((STRUCT *)0)->member)), .kind = kinds, .number = numbers, \
    .form = IMPI_FORM_OF(STRUCT, member), __VA_ARGS__ \
  }

// Macros for the entries of a table. STRUCT is the type of the struct.
// SHOWN, LAST, ASIDE, WITHIN and UP_TO are optional arguments of the other macros.
#define SHOWN(text) .shown = text // name in messages, where it differs from the name of the member
#define LAST .seen = IMPI_SEEN_LAST
#define ASIDE .seen = IMPI_UNSEEN
#define WITHIN(...) IMPI_WITHIN(__VA_ARGS__) // bounds
#define IMPI_WITHIN(least, most) .lower = (least), .upper = (most)
#define UP_TO(most) .lower = -(most), .upper = (most)
#define PLAIN(...) IMPI_PLAIN(__VA_ARGS__, )
#define IMPI_PLAIN(member, ...) IMPI_PLAIN_AS(#member, member, __VA_ARGS__)
#define IMPI_PLAIN_AS(name, member, ...) \
  IMPI_FIELD(name, IMPI_FIELD_PLAIN, IMPI_NUMBER_OF(STRUCT, member), member, __VA_ARGS__)
// Numbers of any value, including NaN
#define ANY_VALUE(...) IMPI_ANY_VALUE(__VA_ARGS__, )
#define IMPI_ANY_VALUE(member, ...) IMPI_FIELD(#member, IMPI_FIELD_PLAIN, IMPI_NUMBER_ANY, member, __VA_ARGS__)
// Structs of 4-byte integers only.
#define INTS(member) IMPI_FIELD(#member, IMPI_FIELD_PLAIN, IMPI_NUMBER_INT, member, ASIDE)
// A field that is the cosine or sine of the angle in the field `turn`.
#define TURN(kind, member, turn) \
  IMPI_FIELD(#member, IMPI_FIELD_PLAIN, IMPI_NUMBER_##kind, member, ASIDE, .angle = offsetof(STRUCT, turn))
#define PARTS(member, ...) IMPI_PARTS(#member, member, __VA_ARGS__, )
#define IMPI_PARTS(name, member, layout, ...) \
  IMPI_FIELD(name, IMPI_FIELD_PARTS, IMPI_NUMBER_NONE, member, .parts = &(layout), __VA_ARGS__)
#define LIST(member, layout) IMPI_LIST(#member, member, layout)
#define IMPI_LIST(name, member, layout) IMPI_FIELD(name, IMPI_FIELD_LIST, IMPI_NUMBER_NONE, member, .parts = &(layout))
#define STRING(member) IMPI_FIELD(#member, IMPI_FIELD_STRING, IMPI_NUMBER_NONE, member, )
#define HOOK(member, layout) IMPI_FIELD(#member, IMPI_FIELD_HOOK, IMPI_NUMBER_NONE, member, .parts = layout)
#define KEPT(member) IMPI_FIELD(#member, IMPI_FIELD_KEPT, IMPI_NUMBER_NONE, member, )
// A section of the world that a function writes and reads
#define WALK(name, member, layout, function) \
  IMPI_FIELD(name, IMPI_FIELD_WALK, IMPI_NUMBER_NONE, member, .parts = layout, .walk = function)
// Members that have another name in the table than in the struct, such as members of nested structs.
#define PLAIN_AS(name, ...) IMPI_PLAIN_AS(name, __VA_ARGS__, )
#define PARTS_AS(name, member, ...) IMPI_PARTS(name, member, __VA_ARGS__, )
#define LIST_AS(name, member, layout) IMPI_LIST(name, member, layout)
#define HOOK_AS(name, member, layout) IMPI_FIELD(name, IMPI_FIELD_HOOK, IMPI_NUMBER_NONE, member, .parts = layout)

#endif
