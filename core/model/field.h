// Force fields: their data, and the laws that act on blocks of bodies.
#ifndef IMPI_FIELD_H
#define IMPI_FIELD_H

#include "base/sparse.h"
#include "model/contact.h"
#include "model/tape.h"

typedef struct ImpiForceField {
  double value[IMP_FIELD_PROPERTY_COUNT]; // by ImpFieldProperty
  ImpVec2 vector[IMP_FIELD_VECTOR_COUNT]; // by ImpFieldVector
  ImpAabb region;                         // region of the field, if `bounded` [m]
  // slots of bodies; if `only` is set, the field acts on these bodies only, otherwise on all other bodies
  ImpiSparse members;
  int32_t kind; // ImpFieldKind
  bool only, bounded;
  bool dynamic;   // the field callback applies the forces
  ImpiTape tape;  // tape of a custom field: force and torque
  double *work;   // memory for the tape
  double *params; // parameters of the tape   (param_count)
  int32_t param_count;
  int32_t previous, next; // neighbours in the list of fields in creation order; -1 at the ends
  uint64_t serial;        // creation number in the world, from 1
  char *name;
  void *user_data;
} ImpiForceField;

// Number of bodies in a block. A block fits into the first-level cache.
#define IMPI_FIELD_WIDTH 64

// A body under at least one field: data that does not change within a step.
typedef struct ImpiAffectedBody {
  double inv_mass, inv_inertia;
  double gx, gy, gw; // accelerations by gravity and applied forces, which the solver adds [m/s^2, rad/s^2]
  int32_t slot;
  int32_t lane;  // index of the body in the solver's arrays; 0: its state is in `motions`
  uint8_t locks; // see ImpiBody
} ImpiAffectedBody;

// A field that acts on some bodies of a block.
typedef struct ImpiActingField {
  int32_t field, next; // slot of the field; next field of the block, -1 at the end
  uint64_t whom;       // bit i: the field acts on body i of the block
} ImpiActingField;

// Drag that depends on the direction: force -D v, v = (vx, vy, w).
typedef struct ImpiDrag {
  double xx, xy, yy; // [N s/m]
  double xw, yw;     // [N s]
  double ww;         // [N m s]
} ImpiDrag;

// A block of bodies before a substep, with the summed effects of all fields. One array for each quantity, for vector
// instructions.
typedef struct ImpiFieldBlock {
  int count;
  const ImpiAffectedBody *affected;
  bool in_lanes; // some of the bodies are in the solver's arrays (ImpiAffectedBody.lane)
  int32_t slot[IMPI_FIELD_WIDTH];
  double x[IMPI_FIELD_WIDTH], y[IMPI_FIELD_WIDTH];                          // centre of mass [m]
  double vx[IMPI_FIELD_WIDTH], vy[IMPI_FIELD_WIDTH], w[IMPI_FIELD_WIDTH];   // [m/s, rad/s]
  double c[IMPI_FIELD_WIDTH], s[IMPI_FIELD_WIDTH], angle[IMPI_FIELD_WIDTH]; // rotation, if a field uses it
  double inv_mass[IMPI_FIELD_WIDTH], inv_inertia[IMPI_FIELD_WIDTH];
  double ax[IMPI_FIELD_WIDTH], ay[IMPI_FIELD_WIDTH], aw[IMPI_FIELD_WIDTH]; // [m/s^2, rad/s^2]
  double k[IMPI_FIELD_WIDTH], kw[IMPI_FIELD_WIDTH]; // decay rates of the velocity and of the angular velocity [1/s]
  bool decays;                                      // some k is not 0
  bool spins;                                       // kw of some body is not 0
  ImpiDrag drag[IMPI_FIELD_WIDTH];                  // drag that depends on the direction; valid if `coupled`
  bool coupled;
  bool implicit[IMPI_FIELD_WIDTH]; // a field of the body is integrated implicitly
  bool restless[IMPI_FIELD_WIDTH]; // a field of the body changes with time; valid if `timed`
  bool timed;
} ImpiFieldBlock;

typedef struct ImpiFieldScene {
  double h;     // time over which fields act: the substep, or a part of it [s]
  double reach; // time over which positions are integrated after the fields: the whole substep [s]
  double t;     // start time of the substep [s]
  double until; // time up to which explosions act, not beyond the end of the step [s]
  ImpVec2 gravity;
  const ImpiBody *bodies;  // by slot
  const ImpiShape *shapes; // by slot
} ImpiFieldScene;

// Return whether a kind of field has a property (impi_field_takes), or a vector (impi_field_has_vector).
bool impi_field_takes(int kind, int property);
bool impi_field_is_given(int kind, int property); // whether the user sets the property; false for results
bool impi_field_has_vector(int kind, int vector);

// Return whether the body in a slot is under a field, according to the field's list.
static inline bool impi_field_acts_on(const ImpiForceField *field, int32_t slot) {
  return impi_sparse_has(&field->members, slot) == field->only;
}

// Return whether a field acts on every body.
static inline bool impi_field_is_general(const ImpiForceField *field) {
  return !field->only && field->members.count == 0;
}

// Return whether a position is in the region of a field.
static inline bool impi_field_is_inside(const ImpiForceField *field, double x, double y) {
  ImpAabb box = field->region;
  return !field->bounded || (x >= box.lower.x && x <= box.upper.x && y >= box.lower.y && y <= box.upper.y);
}

// Return whether the field callback is called for a field.
static inline bool impi_field_is_called(const ImpiForceField *field) {
  return field->dynamic && field->value[IMP_FIELD_ENABLED] != 0;
}

static inline bool impi_field_is_on(const ImpiForceField *field) { return field->value[IMP_FIELD_ENABLED] != 0; }

// Return whether a field uses the rotation of bodies.
bool impi_field_turns(const ImpiForceField *field);

// Add the effect of a field to each body i of a block if bit i of `whom` is set and the body is in the field's region.
void impi_field_evaluate(const ImpiForceField *field, const ImpiFieldScene *scene, uint64_t whom,
                         ImpiFieldBlock *block);

// The law of a kind of field: adds its effect to all bodies of a block.
typedef void ImpiFieldLaw(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block);
// field_point.c: fields that treat a body as a point.
ImpiFieldLaw impi_field_uniform, impi_field_attractor, impi_field_spring, impi_field_drag, impi_field_vortex;
// field_shape.c, field_water.c: fields that use the shapes.
ImpiFieldLaw impi_field_wind, impi_field_explosion, impi_field_buoyancy;
// field_tape.c
ImpiFieldLaw impi_field_custom;

typedef struct ImpiForceFieldKind {
  ImpFieldKindInfo info;
  ImpiFieldLaw *evaluate;
} ImpiForceFieldKind;
extern const ImpiForceFieldKind impi_field_kinds[]; // by ImpFieldKind

// Allocate the memory for a field's tape; return false if out of memory. The memory must be freed before the tape
// changes.
bool impi_field_reserve_work(ImpiHeap *heap, ImpiForceField *field);
void impi_field_free_work(ImpiHeap *heap, ImpiForceField *field);
// Set block->drag to 0 at the first call for the block.
void impi_field_couple(ImpiFieldBlock *block);
// Return the fraction of an explosion's impulse at time t, from 0 to 1.
double impi_field_burst(const ImpiForceField *field, double t);

#endif
