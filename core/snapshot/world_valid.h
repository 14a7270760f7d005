// Whether a world is whole: what all other code takes for granted between two steps. Asked of a world that was
// read from bytes before it takes another's place, and by specs.
//
// Ranges are those of the tables of properties and fields, with the constants that setters and definitions are checked
// by too. A narrower one would refuse worlds that were made by legal calls.
//
// Not asked: whether numbers that only say how things move are those that a step would have left. Whatever they are, a
// world that is valid can be stepped, asked, edited and destroyed.
#ifndef IMPI_WORLD_VALID_H
#define IMPI_WORLD_VALID_H

#include "snapshot/snapshot.h"

// What is wrong with the first thing that is. `index` is its slot or place, -1: of the world itself.
typedef struct ImpiInvalid {
  const char *object, *what;
  int32_t index;
  bool no_memory; // it could not be found out
} ImpiInvalid;

bool impi_world_is_valid(const ImpWorld *world, ImpiInvalid *out_invalid);

// The parts of it: what is looked at, and room for as many numbers as there are bodies, contacts, joint edges, drives or
// shapes.
typedef struct ImpiValidity {
  const ImpWorld *world;
  uint64_t *room; // holds zeros between parts
  size_t room_count;
  ImpiInvalid invalid;
} ImpiValidity;

// Why something is not valid: always false.
bool impi_invalid(ImpiValidity *validity, const char *object, int32_t index, const char *what);
#define IMPI_VALID(condition, object, index, what) \
  do { \
    if (!(condition)) return impi_invalid(validity, (object), (index), (what)); \
  } while (0)

static inline bool impi_is_live(const ImpiPool *pool, int32_t slot) {
  return slot >= 0 && slot < pool->used && pool->slots.data[slot].next_free == IMPI_SLOT_LIVE;
}
// The numbers of a struct that have bounds in its table.
typedef struct ImpiBounds {
  struct {
    const char *name;
    size_t offset; // in the struct [bytes]
    ImpiNumber number;
    double lower, upper;
  } list[96];
  int count;
} ImpiBounds;
ImpiBounds impi_bounds_of(const ImpiLayout *layout);
// What the first number is called that is not within its bounds, or null. NaN is within none.
const char *impi_out_of_bounds(const ImpiBounds *bounds, const void *object);

// In a range; NaN is in none.
static inline bool impi_within(double value, double lower, double upper) { return value >= lower && value <= upper; }
static inline bool impi_vec_within(ImpVec2 v, double most) { return fabs(v.x) <= most && fabs(v.y) <= most; }
// In the range of a property. NaN is only where it stands for nothing.
static inline bool impi_fits(const ImpPropertyInfo *info, double value) {
  return impi_within(value, info->lower, info->upper) || (value != value && imp_property_is_optional(info));
}
// Whether it fits, or is 0, which means a derived default.
static inline bool impi_is_none_or_fits(const ImpPropertyInfo *info, double value) {
  return value == 0 || impi_fits(info, value);
}
// The first of the stored properties of an object that does not fit, or null.
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
bool impi_tape_is_valid(const ImpiTape *tape); // of either

#endif
