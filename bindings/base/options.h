// Option tables: a list of fields says which keys a constructor takes, how they are checked and where they go, and writes
// them back. Values of properties, names, bits and points beside them.
#ifndef IMPEL_BINDINGS_OPTIONS_H
#define IMPEL_BINDINGS_OPTIONS_H

#include "base/class.h"

typedef enum FieldKind {
  FIELD_NUMBER,  ///< double
  FIELD_INTEGER, ///< int32_t
  FIELD_BITS,    ///< uint64_t, see bind_bits
  FIELD_BOOLEAN, ///< bool
  FIELD_FLAG,    ///< double, 0 or 1, from a boolean
  FIELD_STRING,  ///< const char *, lives as long as the option table is on the stack
  FIELD_CHOICE,  ///< int, the index of a name
  FIELD_VEC2,    ///< ImpVec2 from { x, y }
  FIELD_POINTS,  ///< Points from { { x, y }, ... }
  FIELD_TABLE,   ///< an option table: a struct that begins with `bool given`
  FIELD_ANY      ///< not stored: the caller fetches it
} FieldKind;

typedef struct Points {
  const ImpVec2 *at;
  int count;
} Points;

/// One key of an option table and where its value goes.
typedef struct Field {
  const char *name;
  bool renamed; ///< Options.takes gives another name to it
  FieldKind kind;
  size_t offset;
  PropertyTable table; ///< range and unit come from table(property) when not null
  int property;
  double lower, upper; ///< else from here, inclusive, also infinity; 0, 0: any finite number
  const char *unit;
  const char *doc;            ///< in the place of what `table` says
  const char *(*choice)(int); ///< the names of a FIELD_CHOICE, null after the last
  int position;               ///< t[position] is taken too, when > 0
  bool required;
  const Options *nested; ///< of a FIELD_TABLE
  const char *type;      ///< of a FIELD_ANY in the reference, "any" by default
  unsigned needs;        ///< what Options.takes looks at
} Field;

/// The keys that a constructor takes: its fields, and of `properties` the writable ones and those of the definition.
struct Options {
  const Field *fields; ///< ends with a null name
  PropertyTable properties;
  bool values;       ///< definitions have all properties as doubles, also flags
  const char *scope; ///< of foreign names; null: from the call, or "shape"
  /// The name of the field's key, null: it is not taken. Without this function all fields are taken by their own names.
  const char *(*takes)(const Options *options, const Field *field);
  int joint; ///< ImpJointKind + 1 of a joint's constructor, else 0
  int field; ///< ImpFieldKind + 1 of a field's constructor, else 0
};

/// The field of a property that definitions give and that no field is called after. False: it is none.
bool bind_property_field(const Options *options, int property, Field *out_field);
/// The name of the key that the options take a field by, or null.
const char *bind_field_name(const Options *options, const Field *field);
/// Read the option table at the index into `out`; raises for unknown keys and bad values, prefixed by `call`. Pushes
/// one scratch value for each FIELD_POINTS.
void bind_options(lua_State *L, int index, const char *call, const Options *options, void *out);
/// Push the option table that bind_options would read as `values`, without what is as in `defaults`. Keys that are
/// FIELD_ANY, and `properties`, are the caller's.
void bind_push_options(lua_State *L, const Options *options, const void *values, const void *defaults);
/// { { x, y }, ... } into a scratch userdata that is pushed, and back to a table.
Points bind_points(lua_State *L, int index, const char *where);
void bind_push_points(lua_State *L, Points points);
/// Whether the value at the index is legal for a property of the core, and the number that travels.
bool bind_property_fits(lua_State *L, int index, const ImpPropertyInfo *info, double *out_value);
/// The same, but raises; `where` is "body.angle" or "impel.world: field 'dt'".
double bind_property_value(lua_State *L, int index, const ImpPropertyInfo *info, const char *where);
void bind_push_property(lua_State *L, const ImpPropertyInfo *info, double value);
/// All 64 bits of an integer, or of a float that is one: -1 and 1 << 63 are legal.
uint64_t bind_bits(lua_State *L, int index, const char *where);
/// Push words as hex digits, 16 each.
void bind_push_hex(lua_State *L, const uint64_t *words, int count);
/// The argument `path` of the running method.
const char *bind_path(lua_State *L, int index);
/// A name: a string without zero bytes, or null for nil.
const char *bind_name(lua_State *L, int index, const char *where);
/// The index of the name at the stack index among the choices; raises and lists them.
int bind_choice(lua_State *L, int index, const char *where, const char *(*choice)(int));

#endif
