// Validation of a world: all invariants between two steps. Specs use it, and so does imp_world_restore.
//
// Ranges are those of the tables of properties and fields, and of the setters.
//
// A valid world can be stepped, queried, edited and destroyed.
#ifndef IMPI_WORLD_VALID_H
#define IMPI_WORLD_VALID_H

#include "snapshot/snapshot.h"

// The first invalid object. `index`: slot or index of the object, -1 for the world. `what`: the condition that is not
// met.
typedef struct ImpiInvalid {
  const char *object, *what;
  int32_t index;
  bool no_memory; // the validation ran out of memory
} ImpiInvalid;

bool impi_world_is_valid(const ImpWorld *world, ImpiInvalid *out_invalid);

// State of a validation. `room` is scratch memory of the checks: a count, or a set of bits, for each object of a kind.
typedef struct ImpiValidity {
  const ImpWorld *world;
  uint64_t *room; // all zeros at the start and at the end of each check
  size_t room_count;
  ImpiInvalid invalid;
} ImpiValidity;

// Record the first invalid object. Always returns false.
bool impi_invalid(ImpiValidity *validity, const char *object, int32_t index, const char *what);
#define IMPI_VALID(condition, object, index, what) \
  do { \
    if (!(condition)) return impi_invalid(validity, (object), (index), (what)); \
  } while (0)

static inline bool impi_is_live(const ImpiPool *pool, int32_t slot) {
  return slot >= 0 && slot < pool->used && pool->slots.data[slot].next_free == IMPI_SLOT_LIVE;
}
// Numbers of a struct that have bounds in the table of its fields (ImpiLayout).
typedef struct ImpiBounds {
  struct {
    const char *name;
    size_t offset; // offset of the number in the struct [bytes]
    ImpiNumber number;
    double lower, upper;
  } list[96];
  int count;
} ImpiBounds;
ImpiBounds impi_bounds_of(const ImpiLayout *layout);
// Return the name of the first number that is out of its bounds, or null. NaN is out of all bounds.
const char *impi_out_of_bounds(const ImpiBounds *bounds, const void *object);

// Return true if a value is in a range; false for NaN.
static inline bool impi_within(double value, double lower, double upper) { return value >= lower && value <= upper; }
static inline bool impi_vec_within(ImpVec2 v, double most) { return fabs(v.x) <= most && fabs(v.y) <= most; }
// Return true if a value is in the range of a property. NaN is valid if it selects a default.
static inline bool impi_fits(const ImpPropertyInfo *info, double value) {
  return impi_within(value, info->lower, info->upper) || (value != value && imp_property_is_optional(info));
}
// Return true if a value is in the range of a property, or is 0 (a derived default).
static inline bool impi_is_none_or_fits(const ImpPropertyInfo *info, double value) {
  return value == 0 || impi_fits(info, value);
}
// Return the first property of an object that is out of its range, or null.
const ImpPropertyInfo *impi_unfit_property(const ImpiProperty *table, int count, const void *object);

// world_valid_body.c
bool impi_bodies_are_valid(ImpiValidity *validity);
bool impi_movers_are_valid(ImpiValidity *validity);
// world_valid_shape.c
bool impi_shapes_are_valid(ImpiValidity *validity);
bool impi_proxies_are_valid(ImpiValidity *validity);
// world_valid_contact.c
bool impi_contacts_are_valid(ImpiValidity *validity);
// world_valid_joint.c
bool impi_joints_are_valid(ImpiValidity *validity);
// world_valid_field.c
bool impi_fields_are_valid(ImpiValidity *validity);
bool impi_tape_is_valid(const ImpiTape *tape); // tape of a field or of a constraint

#endif
