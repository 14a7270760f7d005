// Option tables. A list of fields says which keys a constructor accepts, how they are checked and where they are
// stored; the same list writes them back to a table. Also checks of single values: properties, names, bit masks and
// points.
#ifndef IMPEL_BINDINGS_OPTIONS_H
#define IMPEL_BINDINGS_OPTIONS_H

#include "base/class.h"

typedef enum FieldKind {
  FIELD_NUMBER,  ///< double
  FIELD_INTEGER, ///< int32_t
  FIELD_BITS,    ///< uint64_t, see bind_bits
  FIELD_BOOLEAN, ///< bool
  FIELD_FLAG,    ///< double, 0 or 1, from a boolean
  FIELD_STRING,  ///< const char *, valid while the option table is on the stack
  FIELD_CHOICE,  ///< int, the index of a name
  FIELD_VEC2,    ///< ImpVec2 from { x, y }
  FIELD_POINTS,  ///< Points from { { x, y }, ... }
  FIELD_TABLE,   ///< a nested option table: a struct that begins with `bool given`
  FIELD_ANY      ///< any value; bind_options does not store it, the caller reads it from the table
} FieldKind;

typedef struct Points {
  const ImpVec2 *at;
  int count;
} Points;

/// One key of an option table and where its value is stored.
typedef struct Field {
  const char *name;
  bool renamed; ///< Options.takes may return another name for the key
  FieldKind kind;
  size_t offset;
  PropertyTable table; ///< range and unit come from table(property) when not null
  int property;
  double lower, upper; ///< if `table` is null: inclusive range, may be infinite; 0, 0 means any finite number
  const char *unit;
  const char *doc;            ///< documentation; replaces the doc of table(property)
  const char *(*choice)(int); ///< names of a FIELD_CHOICE, null-terminated
  int position;               ///< if > 0, the value may also be at this index of the option table
  bool required;
  const Options *nested; ///< options of a FIELD_TABLE
  const char *type;      ///< type of a FIELD_ANY in the reference, "any" by default
  /// bits: Options.takes accepts the key only for kinds of objects that have one of these bits; 0: always
  unsigned needs;
} Field;

/// The keys that a constructor accepts: its fields, and those of `properties` that are writable or in the definition.
struct Options {
  const Field *fields; ///< ends with a null name
  PropertyTable properties;
  bool values;       ///< all properties in the definition are stored as doubles, flags too
  const char *scope; ///< scope of names of other engines; null: from the call, or "shape"
  /// Return the name of the field's key, or null if the key is not accepted. Without this function all fields are
  /// accepted by their own names.
  const char *(*takes)(const Options *options, const Field *field);
  int joint; ///< ImpJointKind + 1 of a joint's constructor, else 0
  int field; ///< ImpFieldKind + 1 of a field's constructor, else 0
};

/// Build the field (name, range, unit) of a property of the definition. Return false if the property is not in the
/// definition, or if the table of fields has a field of the same name.
bool bind_property_field(const Options *options, int property, Field *out_field);
/// Return the name of the key that `options` accepts for a field, or null.
const char *bind_field_name(const Options *options, const Field *field);
/// Read the option table at the index into `out`; raise for unknown keys and bad values, with a message that begins
/// with `call`. Pushes one scratch value for each FIELD_POINTS.
void bind_options(lua_State *L, int index, const char *call, const Options *options, void *out);
/// Push the option table that bind_options would read as `values`, without values equal to those in `defaults`. The
/// caller adds FIELD_ANY keys and properties that are not in the definition.
void bind_push_options(lua_State *L, const Options *options, const void *values, const void *defaults);
/// Read { { x, y }, ... } into a scratch userdata, which is pushed; bind_push_points does the reverse.
Points bind_points(lua_State *L, int index, const char *where);
void bind_push_points(lua_State *L, Points points);
/// Return whether the value at the index is legal for a property of the core; if so, write it as a double to
/// `out_value`.
bool bind_property_fits(lua_State *L, int index, const ImpPropertyInfo *info, double *out_value);
/// Return the value at the index as a double; raise if it is not legal for the property. `where` is "body.angle" or
/// "impel.world: field 'dt'".
double bind_property_value(lua_State *L, int index, const ImpPropertyInfo *info, const char *where);
void bind_push_property(lua_State *L, const ImpPropertyInfo *info, double value);
/// Return all 64 bits of an integer, of a float with an integer value, or of a string "0x...". -1 and 1 << 63 are
/// legal.
uint64_t bind_bits(lua_State *L, int index, const char *where);
/// Push 64-bit words as a string of hex digits, 16 for each word.
void bind_push_hex(lua_State *L, const uint64_t *words, int count);
/// Return the argument `path` of the running method.
const char *bind_path(lua_State *L, int index);
/// Return a name: a string without zero bytes, or null for nil.
const char *bind_name(lua_State *L, int index, const char *where);
/// Return the index of the string at the stack index among the choices; an error lists them.
int bind_choice(lua_State *L, int index, const char *where, const char *(*choice)(int));

#endif
