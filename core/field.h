// Level 4. Force fields: what they are, and what they do to a block of bodies.
#ifndef IMPI_FIELD_H
#define IMPI_FIELD_H

#include "contact.h"

typedef struct ImpiForceField {
  double value[IMP_FIELD_PROPERTY_COUNT]; // by ImpFieldProperty
  ImpVec2 vector[IMP_FIELD_VECTOR_COUNT]; // by ImpFieldVector
  ImpAabb region;                         // where it acts, if bounded [m]
  IMPI_ARRAY(int32_t) members; // bits of bodies by slot, 32 a word: whom it acts on, or if not `only`, not on
  int32_t kind;                // ImpFieldKind
  bool only, bounded;
  int32_t previous, next; // creation order, -1 at the ends
  uint64_t serial;        // 1 for the first field ever made in the world
  char *name;
  void *user_data;
} ImpiForceField;

// Bodies that are dealt with at once: a block fits into the first cache.
#define IMPI_FIELD_WIDTH 64

// Some bodies before a substep, and what fields do to them. Numbers by body, in arrays, so that loops over them become
// vector instructions.
typedef struct ImpiFieldBlock {
  int count;
  int32_t slot[IMPI_FIELD_WIDTH];
  double x[IMPI_FIELD_WIDTH], y[IMPI_FIELD_WIDTH];                        // centre of mass [m]
  double vx[IMPI_FIELD_WIDTH], vy[IMPI_FIELD_WIDTH], w[IMPI_FIELD_WIDTH]; // [m/s, rad/s]
  double inv_mass[IMPI_FIELD_WIDTH], inv_inertia[IMPI_FIELD_WIDTH];
  double ax[IMPI_FIELD_WIDTH], ay[IMPI_FIELD_WIDTH], aw[IMPI_FIELD_WIDTH]; // accelerations [m/s^2, rad/s^2]
  double k[IMPI_FIELD_WIDTH], kw[IMPI_FIELD_WIDTH];                        // decay of velocities [1/s]
  bool decays;                                                             // some k or kw is not 0
} ImpiFieldBlock;

// The substep that fields are evaluated for.
typedef struct ImpiFieldScene {
  double h; // its length [s]
  double t; // when it begins [s]
} ImpiFieldScene;

// Whether a field of the kind has a property, a vector.
bool impi_field_takes(int kind, int property);
bool impi_field_has_vector(int kind, int vector);

// Whether it acts on the body in a slot, wherever that is.
static inline bool impi_field_acts_on(const ImpiForceField *field, int32_t slot) {
  int32_t word = slot >> 5;
  bool member = word < field->members.count && ((uint32_t)field->members.data[word] >> (slot & 31) & 1u) != 0;
  return member == field->only;
}

// Whether it acts on every body.
static inline bool impi_field_is_general(const ImpiForceField *field) {
  return !field->only && field->members.count == 0;
}

// Whether it is on.
static inline bool impi_field_is_on(const ImpiForceField *field) { return field->value[IMP_FIELD_ENABLED] != 0; }

// Add what the field does to those of the block that it acts on.
void impi_field_evaluate(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block);

// field_point.c: fields that see a body as a point; `block` holds bodies that it acts on.
void impi_field_uniform(const ImpiForceField *field, ImpiFieldBlock *block);
void impi_field_attractor(const ImpiForceField *field, ImpiFieldBlock *block);
void impi_field_spring(const ImpiForceField *field, double h, ImpiFieldBlock *block);
void impi_field_drag(const ImpiForceField *field, ImpiFieldBlock *block);
void impi_field_vortex(const ImpiForceField *field, ImpiFieldBlock *block);

#endif
