// Option tables. A list of fields says which keys a constructor accepts, and how values are checked and stored.
#ifndef IMPEL_BINDINGS_OPTIONS_H
#define IMPEL_BINDINGS_OPTIONS_H

#include "base/class.h"

typedef enum FieldKind {
  FIELD_NUMBER,  ///< double
  FIELD_INTEGER, ///< int32_t
  FIELD_BITS,    ///< uint64_t, read by bind_bits
  FIELD_BOOLEAN, ///< bool
  FIELD_FLAG,    ///< double, 0 or 1, from a boolean
  FIELD_STRING,  ///< const char *, valid while the option table is on the stack
  FIELD_CHOICE,  ///< int, the index of a name
  FIELD_VEC2,    ///< ImpVec2 from { x, y }
  FIELD_POINTS,  ///< Points from { { x, y }, ... }
  FIELD_TABLE,   ///< a nested option table: a struct that begins with `bool given`
  FIELD_ANY      ///< any value, which the caller reads from the option table
} FieldKind;

typedef struct Points {
  const ImpVec2 *at;
  int count;
} Points;

/// One key of an option table and where its value is stored.
typedef struct Field {
  const char *name;
  bool renamed; ///< the key can differ from `name`: Options.takes returns it
  FieldKind kind;
  size_t offset;
  PropertyTable table; ///< if not null, table(property) gives range and unit
  int property;
  double lower, upper; ///< if `table` is null: inclusive range, may be infinite; 0, 0 means any finite number
  const char *unit;
  const char *doc;            ///< documentation; replaces the doc of table(property)
  const char *(*choice)(int); ///< names of a FIELD_CHOICE, null-terminated
  int position;               ///< if > 0, the value may also be at this index of the option table
  bool required;
  const Options *nested; ///< options of a FIELD_TABLE
  const char *type;      ///< type of a FIELD_ANY in the documentation, "any" by default
  /// bits of the kinds of objects that have the key; 0: all kinds
  unsigned needs;
} Field;

/// The keys that a constructor accepts: fields, and properties that are writable or in the definition.
struct Options {
  const Field *fields; ///< ends with a null name
  PropertyTable properties;
  bool values;       ///< the definition stores all properties as doubles, also flags
  const char *scope; ///< scope in foreign_options.c; null: the last word of the call, or "shape"
  /// returns the key of a field, or null if the field is not accepted; a null pointer accepts all fields
  const char *(*takes)(const Options *options, const Field *field);
  int joint; ///< ImpJointKind + 1 of a joint's constructor, else 0
  int field; ///< ImpFieldKind + 1 of a field's constructor, else 0
};

/// Build the Field (name, range, unit) of a property of the definition. Return false if the property is not in the
/// definition, or if `options` has a field of the same name.
bool bind_property_field(const Options *options, int property, Field *out_field);
/// Return the name of the key that `options` accepts for a field, or null.
const char *bind_field_name(const Options *options, const Field *field);
/// Read the option table at the index into `out`; raise an error that begins with `call`.
/// Pushes one scratch value for each FIELD_POINTS.
void bind_options(lua_State *L, int index, const char *call, const Options *options, void *out);
/// Push an option table with the values that differ from `defaults`. The caller adds FIELD_ANY keys and properties that
/// are not in the definition.
void bind_push_options(lua_State *L, const Options *options, const void *values, const void *defaults);
/// Read { { x, y }, ... } into a scratch userdata, and push the userdata.
Points bind_points(lua_State *L, int index, const char *where);
void bind_push_points(lua_State *L, Points points);
/// Return whether the property allows the value; write a legal value to `out_value`.
bool bind_property_fits(lua_State *L, int index, const ImpPropertyInfo *info, double *out_value);
/// Return the value as a double, or raise. `where`: for example "body.angle".
double bind_property_value(lua_State *L, int index, const ImpPropertyInfo *info, const char *where);
void bind_push_property(lua_State *L, const ImpPropertyInfo *info, double value);
/// Return the 64 bits of an integer, of an integral float or of a string "0x...".
uint64_t bind_bits(lua_State *L, int index, const char *where);
/// Push 64-bit words as a string of hex digits, 16 for each word.
void bind_push_hex(lua_State *L, const uint64_t *words, int count);
/// Return the argument `path` of the running method.
const char *bind_path(lua_State *L, int index);
/// Return a name: a string without zero bytes, or null for nil.
const char *bind_name(lua_State *L, int index, const char *where);
/// Return the index of the string among the choices, or raise.
int bind_choice(lua_State *L, int index, const char *where, const char *(*choice)(int));

#endif
