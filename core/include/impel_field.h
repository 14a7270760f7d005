// impel: force fields, which act on many bodies at once. A chapter of impel.h, which includes it; do not include it alone.
//
// A field is evaluated by the core before every substep, after the substep callback, whatever the solver. What it pushes
// changes the body's velocity, as an impulse would; its drag is implicit, so no coefficient makes it unstable and what
// falls through it comes to the very speed at which drag and weight are equal:
//   v' = (v + h (g + a)) / (1 + h k)     a: accelerations of all fields, g: gravity and applied forces, k: their drag / m
// and the solver adds h g itself. Impulses of joints and contacts act after that, and no field counts them: a load F that a
// joint brings to a body of mass m in a spring (k, c) moves it by F h (h + c / k) / m beside F / k. Of two solvers that
// follow gravity along the way, rattle takes fields in both halves of its substep. Reduced takes them as a kick before it;
// trees with a body on which an implicit law acts, or of which fields take more than 1 % of a velocity in a substep, have
// gravity in that kick too and move to first order. Fields act on dynamic bodies and particles that are awake, on all of
// them or on those of a list. A constant field is like gravity: bodies in it come to rest and fall asleep, and what changes in it wakes
// those that it acts on. What a field does changes no potential energy of imp_world_energy, and no field is in the hash.
#ifndef IMPEL_FIELD_H
#define IMPEL_FIELD_H

typedef struct ImpField {
  uint64_t id;
} ImpField;

typedef enum ImpFieldKind {
  IMP_FIELD_UNIFORM,   ///< the same acceleration, or the same force, everywhere
  IMP_FIELD_ATTRACTOR, ///< acceleration towards a point, strength / r^power
  IMP_FIELD_SPRING,    ///< a damped spring from each body's centre of mass to a point
  IMP_FIELD_DRAG,      ///< -(linear + quadratic |v - u|) (v - u), and -angular w
  IMP_FIELD_VORTEX,    ///< drag in a medium that turns about a point and flows into it
  IMP_FIELD_WIND,      ///< pressure on the edges of shapes that face it
  IMP_FIELD_BUOYANCY,  ///< water below a surface: it bears, and drags
  IMP_FIELD_EXPLOSION, ///< a pulse away from a point, falling as 1 / r
  IMP_FIELD_CUSTOM,    ///< a function of the caller's own
  IMP_FIELD_KIND_COUNT
} ImpFieldKind;

/// The numbers that fields have; which kinds have one is told by imp_field_takes.
typedef enum ImpFieldProperty {
  IMP_FIELD_ID,
  IMP_FIELD_ENABLED,
  IMP_FIELD_STRENGTH,
  IMP_FIELD_POWER,
  IMP_FIELD_SOFTENING,
  IMP_FIELD_RANGE,
  IMP_FIELD_STIFFNESS,
  IMP_FIELD_DAMPING,
  IMP_FIELD_HERTZ,
  IMP_FIELD_DAMPING_RATIO,
  IMP_FIELD_REST_LENGTH,
  IMP_FIELD_LINEAR,
  IMP_FIELD_QUADRATIC,
  IMP_FIELD_ANGULAR,
  IMP_FIELD_CIRCULATION,
  IMP_FIELD_INFLOW,
  IMP_FIELD_CORE,
  IMP_FIELD_DENSITY,
  IMP_FIELD_COEFFICIENT,
  IMP_FIELD_GUST,
  IMP_FIELD_GUST_HERTZ,
  IMP_FIELD_SEED,
  IMP_FIELD_LEVEL,
  IMP_FIELD_WAVE_AMPLITUDE,
  IMP_FIELD_WAVE_LENGTH,
  IMP_FIELD_WAVE_SPEED,
  IMP_FIELD_IMPULSE,
  IMP_FIELD_START,
  IMP_FIELD_DURATION,
  IMP_FIELD_PROGRESS,
  IMP_FIELD_POINT_WIDTH,
  IMP_FIELD_IMPLICIT,
  IMP_FIELD_PROPERTY_COUNT
} ImpFieldProperty;
IMP_API const ImpPropertyInfo *imp_field_property(int property);

/// The vectors that fields have.
typedef enum ImpFieldVector {
  IMP_FIELD_ACCELERATION, ///< of a uniform field [m/s^2]
  IMP_FIELD_FORCE,        ///< of a uniform field, on each body [N]
  IMP_FIELD_CENTER,       ///< the point of an attractor, a spring, a vortex or an explosion [m]
  IMP_FIELD_VELOCITY,     ///< of the medium: of drag, wind and water [m/s]
  IMP_FIELD_VECTOR_COUNT
} ImpFieldVector;

/// A kind of field, as data. Bindings and documentation are made from this table.
typedef struct ImpFieldKindInfo {
  const char *name;    ///< in Lua: world:field { kind = "drag", ... }
  uint64_t properties; ///< bits of ImpFieldProperty
  unsigned vectors;    ///< bits of ImpFieldVector
  const char *doc;     ///< one sentence
} ImpFieldKindInfo;
/// The description of a kind, or null out of range.
IMP_API const ImpFieldKindInfo *imp_field_kind(int kind);
/// The kind's name ("uniform", ...), or null out of range.
IMP_API const char *imp_field_kind_name(int kind);
/// "acceleration", "force", "center", "velocity", or null out of range; and the vector's unit and meaning.
IMP_API const ImpPropertyInfo *imp_field_vector_info(int vector);

/// How to make a field. Start from imp_field_def(); numbers and vectors that the kind has not are not read. NaN, the default
/// of two: an explosion starts now; waves have the speed that deep water gives them, sqrt(g wave_length / (2 pi)). An
/// explosion whose start is past starts now too; one of which part is given goes on from now, and its start says so.
typedef struct ImpFieldDef {
  ImpFieldKind kind;
  const char *name;                       ///< copied; null for none
  ImpVec2 vector[IMP_FIELD_VECTOR_COUNT]; ///< by ImpFieldVector
  double value[IMP_FIELD_PROPERTY_COUNT]; ///< by ImpFieldProperty
  bool bounded;                           ///< it acts inside `region` alone: on bodies whose centre of mass is there
  ImpAabb region;                         ///< [m]
  bool only;                              ///< it acts on the bodies of the list alone; else on all but these
  const ImpBody *bodies;                  ///< (body_count)
  int body_count;
  ImpTapeDef tape;      ///< of a custom field, see imp_field_set_tape
  const double *params; ///< of its tape   (param_count), copied
  int param_count;
  bool dynamic; ///< a custom field without a tape: the field callback applies its forces
  void *user_data;
} ImpFieldDef;
IMP_API ImpFieldDef imp_field_def(ImpFieldKind kind);

/// Make a field; the bodies that it acts on wake. In a substep callback it acts from that substep on. Errors: a number out
/// of range, a spring that is not either stiffness with damping or hertz with damping_ratio.
IMP_CALL ImpStatus imp_field_create(ImpWorld *world, const ImpFieldDef *def, ImpField *out_field);
/// Destroy a field; the bodies that it acted on wake. In a substep callback it acts no more from that substep on.
IMP_CALL ImpStatus imp_field_destroy(ImpWorld *world, ImpField field);
IMP_API bool imp_field_is_valid(const ImpWorld *world, ImpField field);
/// Walk the fields in creation order: null for the first, null after the last.
IMP_API ImpField imp_world_next_field(const ImpWorld *world, ImpField previous);

IMP_API ImpStatus imp_field_kind_of(const ImpWorld *world, ImpField field, ImpFieldKind *out_kind);
IMP_API ImpStatus imp_field_name(const ImpWorld *world, ImpField field, const char **out_name);
IMP_CALL ImpStatus imp_field_set_name(ImpWorld *world, ImpField field, const char *name);
IMP_API ImpStatus imp_field_user_data(const ImpWorld *world, ImpField field, void **out_user_data);
/// Errors: the kind has no such number or vector. What changes wakes the bodies that it acts on.
IMP_API ImpStatus imp_field_get(const ImpWorld *world, ImpField field, ImpFieldProperty property, double *out_value);
IMP_CALL ImpStatus imp_field_set(ImpWorld *world, ImpField field, ImpFieldProperty property, double value);
IMP_API ImpStatus imp_field_vector(const ImpWorld *world, ImpField field, ImpFieldVector vector, ImpVec2 *out_vector);
IMP_CALL ImpStatus imp_field_set_vector(ImpWorld *world, ImpField field, ImpFieldVector vector, ImpVec2 value);
/// Where it acts; false: everywhere.
IMP_API ImpStatus imp_field_region(const ImpWorld *world, ImpField field, bool *out_bounded, ImpAabb *out_region);
/// Null: everywhere.
IMP_CALL ImpStatus imp_field_set_region(ImpWorld *world, ImpField field, const ImpAabb *region);
/// Whether it acts on the body, of wherever that is; and whether it is to.
IMP_API ImpStatus imp_field_acts_on(const ImpWorld *world, ImpField field, ImpBody body, bool *out_acts);
IMP_CALL ImpStatus imp_field_set_acts_on(ImpWorld *world, ImpField field, ImpBody body, bool acts);
/// Walk the bodies that the field's list names, those that it acts on alone or does not act on, in no order that means
/// something: pass the null handle for the first; returns null after the last.
IMP_API ImpBody imp_field_next_listed(const ImpWorld *world, ImpField field, ImpBody previous);
/// Replace the tape of a custom field that has one: 2 or 3 results, the force on a body [N] and a torque about its centre of
/// mass [N m], as a function of the state of body 0 before the substep, the time t of that state, and the parameters.
/// Behind the field's own parameters stand two more: the body's mass [kg] and inertia [kg m^2]. A result that is no number
/// puts the body out of the world (IMP_EVENT_FAULT, "field").
IMP_CALL ImpStatus imp_field_set_tape(ImpWorld *world, ImpField field, const ImpTapeDef *tape);
IMP_API ImpStatus imp_field_param(const ImpWorld *world, ImpField field, int index, double *out_value);
IMP_CALL ImpStatus imp_field_set_param(ImpWorld *world, ImpField field, int index, double value);
/// Called before each substep, after the substep callback, for each dynamic field and each awake body that it acts on. Forces
/// that it applies act in this substep. Null removes the callback.
typedef void (*ImpFieldFn)(ImpWorld *world, ImpField field, ImpBody body, void *user);
IMP_CALL void imp_world_set_field_callback(ImpWorld *world, ImpFieldFn callback, void *user);
/// The definition that makes the field again as it is now, but for its bodies: `only` says what imp_field_acts_on means.
/// Error: a custom field, whose function is the caller's.
IMP_API ImpStatus imp_field_definition(const ImpWorld *world, ImpField field, ImpFieldDef *out_def);

#endif
