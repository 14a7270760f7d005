// Force fields: what they are, and what they do to a block of bodies.
#ifndef IMPI_FIELD_H
#define IMPI_FIELD_H

#include "base/sparse.h"
#include "model/contact.h"
#include "model/tape.h"

typedef struct ImpiForceField {
  double value[IMP_FIELD_PROPERTY_COUNT]; // by ImpFieldProperty
  ImpVec2 vector[IMP_FIELD_VECTOR_COUNT]; // by ImpFieldVector
  ImpAabb region;                         // where it acts, if bounded [m]
  ImpiSparse members;                     // slots of bodies: whom it acts on, or if not `only`, not on
  int32_t kind;                           // ImpFieldKind
  bool only, bounded;
  bool dynamic;   // the caller applies its forces
  ImpiTape tape;  // of a custom field that is not dynamic: force and torque
  double *work;   // to evaluate the tape in
  double *params; // of the tape   (param_count)
  int32_t param_count;
  int32_t previous, next; // creation order, -1 at the ends
  uint64_t serial;        // 1 for the first field ever made in the world
  char *name;
  void *user_data;
} ImpiForceField;

// Bodies that are dealt with at once: a block fits into the first cache.
#define IMPI_FIELD_WIDTH 64

// A body that some field acts on: what does not change within a step.
typedef struct ImpiFelt {
  double inv_mass, inv_inertia;
  double gx, gy, gw; // accelerations that the solver adds anyway: gravity, applied forces [m/s^2, rad/s^2]
  int32_t slot;
  int32_t lane;  // in the solver's own arrays; 0: `motions` is what it is
  uint8_t locks; // see ImpiBody
} ImpiFelt;

// A field that acts on some of IMPI_FIELD_WIDTH felt bodies that are dealt with at once.
typedef struct ImpiFeltField {
  int32_t field, next; // its slot; the next one of these bodies, -1 at the end
  uint64_t whom;       // a bit for each of them
} ImpiFeltField;

// Drag that depends on the direction: the force -D v on a body with velocities (vx, vy, w).
typedef struct ImpiDrag {
  double xx, xy, yy; // [N s/m]
  double xw, yw;     // [N s]
  double ww;         // [N m s]
} ImpiDrag;

// Some bodies before a substep, and what fields do to them. Numbers by body, in arrays, so that loops over them become
// vector instructions.
typedef struct ImpiFieldBlock {
  int count;
  const ImpiFelt *felt;
  bool in_lanes; // some of them
  int32_t slot[IMPI_FIELD_WIDTH];
  double x[IMPI_FIELD_WIDTH], y[IMPI_FIELD_WIDTH];                          // centre of mass [m]
  double vx[IMPI_FIELD_WIDTH], vy[IMPI_FIELD_WIDTH], w[IMPI_FIELD_WIDTH];   // [m/s, rad/s]
  double c[IMPI_FIELD_WIDTH], s[IMPI_FIELD_WIDTH], angle[IMPI_FIELD_WIDTH]; // for those that look at it
  double inv_mass[IMPI_FIELD_WIDTH], inv_inertia[IMPI_FIELD_WIDTH];
  double ax[IMPI_FIELD_WIDTH], ay[IMPI_FIELD_WIDTH], aw[IMPI_FIELD_WIDTH]; // [m/s^2, rad/s^2]
  double k[IMPI_FIELD_WIDTH], kw[IMPI_FIELD_WIDTH];                        // decay of velocities [1/s]
  bool decays;                                                             // some k is not 0
  bool spins;                                                              // some kw is not 0
  ImpiDrag drag[IMPI_FIELD_WIDTH];                                         // if `coupled`
  bool coupled;
  bool implicit[IMPI_FIELD_WIDTH]; // a law acts on it by its slopes
  bool restless[IMPI_FIELD_WIDTH]; // it is in reach of what changes with time; if `timed`
  bool timed;
} ImpiFieldBlock;

// The substep that fields are evaluated for.
typedef struct ImpiFieldScene {
  double h;     // its length, or that of the part that a kick is for [s]
  double reach; // for how long positions move by the velocities after the kick: all of the substep [s]
  double t;     // when it begins [s]
  double until; // explosions go on to then, and not beyond the step's end [s]
  ImpVec2 gravity;
  const ImpiBody *bodies;  // by slot
  const ImpiShape *shapes; // by slot
} ImpiFieldScene;

// Whether a field of the kind has a property, a vector.
bool impi_field_takes(int kind, int property);
bool impi_field_is_given(int kind, int property); // by who makes it, and no result of that
bool impi_field_has_vector(int kind, int vector);

// Whether it acts on the body in a slot, wherever that is.
static inline bool impi_field_acts_on(const ImpiForceField *field, int32_t slot) {
  return impi_sparse_has(&field->members, slot) == field->only;
}

// Whether it acts on every body.
static inline bool impi_field_is_general(const ImpiForceField *field) {
  return !field->only && field->members.count == 0;
}

// Whether it acts on what is at a place.
static inline bool impi_field_is_inside(const ImpiForceField *field, double x, double y) {
  ImpAabb box = field->region;
  return !field->bounded || (x >= box.lower.x && x <= box.upper.x && y >= box.lower.y && y <= box.upper.y);
}

// Whether the caller is asked for its forces.
static inline bool impi_field_is_called(const ImpiForceField *field) {
  return field->dynamic && field->value[IMP_FIELD_ENABLED] != 0;
}

// Whether it is on.
static inline bool impi_field_is_on(const ImpiForceField *field) { return field->value[IMP_FIELD_ENABLED] != 0; }

// Whether it looks at the rotation of bodies.
bool impi_field_turns(const ImpiForceField *field);

// Add what the field does to those of the block that it acts on and that are in its region; `whom`: a bit for each of
// the block, whether it acts on it.
void impi_field_evaluate(const ImpiForceField *field, const ImpiFieldScene *scene, uint64_t whom,
                         ImpiFieldBlock *block);

// What the fields of a kind add to a block of bodies that they act on.
typedef void ImpiFieldLaw(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block);
// field_point.c: fields that see a body as a point.
ImpiFieldLaw impi_field_uniform, impi_field_attractor, impi_field_spring, impi_field_drag, impi_field_vortex;
// field_shape.c, field_water.c: fields that look at shapes.
ImpiFieldLaw impi_field_wind, impi_field_explosion, impi_field_buoyancy;
// field_tape.c
ImpiFieldLaw impi_field_custom;

typedef struct ImpiForceFieldKind {
  ImpFieldKindInfo info;
  ImpiFieldLaw *evaluate;
} ImpiForceFieldKind;
extern const ImpiForceFieldKind impi_field_kinds[]; // by ImpFieldKind

// Room to evaluate the field's tape in; false when out of memory. It is freed before the tape changes.
bool impi_field_reserve_work(ImpiHeap *heap, ImpiForceField *field);
void impi_field_free_work(ImpiHeap *heap, ImpiForceField *field);
// From here on the block's `drag` is in use.
void impi_field_couple(ImpiFieldBlock *block);
// How much of an explosion is over at time t, from 0 to 1.
double impi_field_burst(const ImpiForceField *field, double t);

#endif
