// impel: force fields, which act on many bodies at once. Included by impel.h.
//
// Fields act on awake dynamic bodies and particles: on all, on those of a list, or on all except those of a list.
// Before each substep of length h, after the substep callback, a field changes the velocity of a body like an impulse.
// Drag is implicit: it is stable for any coefficient, and a falling body reaches exactly the speed at which drag equals
// its weight:
//   v' = (v + h (g + a)) / (1 + h k)     a: acceleration by all fields; g: by gravity and applied forces; k: drag / m
// Fields change the velocity to v' - h g; the solver adds h g. Impulses of joints and contacts act afterwards.
//
// Two solvers integrate gravity along the path of a body. `rattle` applies fields in both halves of its substep.
// `reduced` applies them before the substep. If an implicit law acts on a body of a tree of joints, or drag takes more
// than 1/100 of the velocity of a body, `reduced` applies gravity together with the fields and integrates the tree to
// first order.
//
// Bodies in a constant field come to rest and fall asleep; a change of the field wakes the bodies that it acts on.
// Fields do not contribute to the potential energy of imp_world_energy, and their state is not part of imp_world_hash.
#ifndef IMPEL_FIELD_H
#define IMPEL_FIELD_H

typedef struct ImpField {
  uint64_t id;
} ImpField;

/// Kinds of fields. In the laws v is the velocity of the body, w its angular velocity, and u the velocity of the
/// medium.
typedef enum ImpFieldKind {
  IMP_FIELD_UNIFORM,   ///< the same acceleration, or the same force, on every body
  IMP_FIELD_ATTRACTOR, ///< acceleration towards a point, strength / r^power
  IMP_FIELD_SPRING,    ///< a damped spring from each body's centre of mass to a point
  IMP_FIELD_DRAG,      ///< force -(linear + quadratic |v - u|) (v - u), torque -angular w
  IMP_FIELD_VORTEX,    ///< drag in a medium that rotates about a point and flows towards it
  IMP_FIELD_WIND,      ///< pressure on shapes, on the edges that face the wind
  IMP_FIELD_BUOYANCY,  ///< water below a surface: buoyancy and drag
  IMP_FIELD_EXPLOSION, ///< an impulse away from a point, proportional to 1 / r
  IMP_FIELD_CUSTOM,    ///< a function of the caller
  IMP_FIELD_KIND_COUNT
} ImpFieldKind;

/// Properties of fields. ImpFieldKindInfo.properties lists those of a kind. Ranges, defaults and full descriptions are
/// in the table: imp_field_property.
typedef enum ImpFieldProperty {
  IMP_FIELD_ID,            ///< creation number of the field, from 1; read only
  IMP_FIELD_ENABLED,       ///< false: the field does not act
  IMP_FIELD_STRENGTH,      ///< attractor: acceleration at 1 m [m^(1+power)/s^2]; negative: repels
  IMP_FIELD_POWER,         ///< attractor: exponent of the law 1 / r^power
  IMP_FIELD_SOFTENING,     ///< attractor: r = sqrt(distance^2 + softening^2) [m]
  IMP_FIELD_RANGE,         ///< largest distance from the centre at which the field acts [m]
  IMP_FIELD_STIFFNESS,     ///< stiffness of a spring [N/m]
  IMP_FIELD_DAMPING,       ///< damping of a spring with `stiffness` [N s/m]
  IMP_FIELD_HERTZ,         ///< natural frequency of a spring without `stiffness` [Hz]
  IMP_FIELD_DAMPING_RATIO, ///< damping ratio of a spring with `hertz`; 1: critical
  IMP_FIELD_REST_LENGTH,   ///< spring: distance without force [m]
  /// coefficient of linear drag [kg/s]; buoyancy: coefficient per m^2 below the surface
  IMP_FIELD_LINEAR,
  /// coefficient of quadratic drag [kg/m]; buoyancy: coefficient per m^2 below the surface
  IMP_FIELD_QUADRATIC,
  IMP_FIELD_ANGULAR,     ///< drag: torque / angular velocity [N m s]
  IMP_FIELD_CIRCULATION, ///< vortex: 2 pi r * tangential speed at a large distance r [m^2/s]
  IMP_FIELD_INFLOW,      ///< vortex: 2 pi r * inward speed at a large distance r [m^2/s]
  /// vortex: radius of the core, in which the speed falls to 0; explosion: radius of constant impulse [m]
  IMP_FIELD_CORE,
  IMP_FIELD_DENSITY,        ///< wind, water: density of the medium [kg/m^2]
  IMP_FIELD_COEFFICIENT,    ///< wind: pressure / (1/2 density speed^2) on a perpendicular edge
  IMP_FIELD_GUST,           ///< wind: largest relative change of the strength of the wind
  IMP_FIELD_GUST_HERTZ,     ///< wind: approximate frequency of gusts [Hz]
  IMP_FIELD_SEED,           ///< wind: seed of the gusts
  IMP_FIELD_LEVEL,          ///< water: y of the surface at rest [m]
  IMP_FIELD_WAVE_AMPLITUDE, ///< water: height of the waves above the level [m]
  IMP_FIELD_WAVE_LENGTH,    ///< water: distance between wave crests [m]
  IMP_FIELD_WAVE_SPEED,     ///< water: velocity of crests to the right [m/s]
  IMP_FIELD_IMPULSE,        ///< explosion: impulse on a shape 1 m wide at 1 m from the centre [N s]
  IMP_FIELD_START,          ///< explosion: time of its start [s]; setting the time restarts the explosion
  IMP_FIELD_DURATION,       ///< explosion: time over which the impulse acts [s]; 0: at once
  IMP_FIELD_PROGRESS,       ///< explosion: part of the impulse that has acted, 0..1
  IMP_FIELD_POINT_WIDTH,    ///< wind, explosion: width of a body without shapes [m]
  /// custom field with a tape (list of operations): implicit integration, stable for stiff laws
  IMP_FIELD_IMPLICIT,
  IMP_FIELD_PROPERTY_COUNT
} ImpFieldProperty;
/// Return the description of a property, or null if the index is out of range.
IMP_API const ImpPropertyInfo *imp_field_property(int property);

/// Vectors of fields. ImpFieldKindInfo.vectors lists those of a kind.
typedef enum ImpFieldVector {
  IMP_FIELD_ACCELERATION, ///< acceleration by a uniform field [m/s^2]
  IMP_FIELD_FORCE,        ///< force of a uniform field on each body [N]
  IMP_FIELD_CENTER,       ///< point of an attractor, spring, vortex or explosion [m]
  IMP_FIELD_VELOCITY,     ///< velocity of the medium, for drag, wind and water [m/s]
  IMP_FIELD_VECTOR_COUNT
} ImpFieldVector;

/// Description of a kind of field: source of the Lua API and its documentation.
typedef struct ImpFieldKindInfo {
  const char *name;    ///< name of the kind; in Lua: world:field { kind = "drag", ... }
  uint64_t properties; ///< bits 1 << ImpFieldProperty
  unsigned vectors;    ///< bits 1 << ImpFieldVector
  const char *doc;     ///< one sentence
} ImpFieldKindInfo;
/// Return the description of a kind, or null out of range.
IMP_API const ImpFieldKindInfo *imp_field_kind(int kind);
/// Return a kind's name: "uniform", "attractor", "spring", "drag", "vortex", "wind", "buoyancy", "explosion", "custom".
IMP_API const char *imp_field_kind_name(int kind);
/// Return the description of a vector, named "acceleration", "force", "center" or "velocity"; null out of range.
IMP_API const ImpPropertyInfo *imp_field_vector_info(int vector);

/// Definition of a field. Start from imp_field_def(); properties and vectors that the kind does not have are not read.
/// NaN is the default of two properties: IMP_FIELD_START (an explosion starts now) and IMP_FIELD_WAVE_SPEED (sqrt(g
/// wave_length / (2 pi)), the speed of waves in deep water). An explosion whose start is in the past starts now. An
/// explosion with a progress above 0 continues from this progress.
typedef struct ImpFieldDef {
  ImpFieldKind kind;
  const char *name;                       ///< copied; null for none
  ImpVec2 vector[IMP_FIELD_VECTOR_COUNT]; ///< vectors, indexed by ImpFieldVector
  double value[IMP_FIELD_PROPERTY_COUNT]; ///< properties, indexed by ImpFieldProperty
  bool bounded;                           ///< act only on bodies with the centre of mass inside `region`
  ImpAabb region;                         ///< [m], read if `bounded`
  bool only;                              ///< true: act only on the listed bodies; false: act on all other bodies
  const ImpBody *bodies;                  ///< (body_count)
  int body_count;
  /// custom field that is not `dynamic`: operations that compute the force, see imp_field_set_tape
  ImpTapeDef tape;
  const double *params; ///< parameters of the tape   (param_count), copied
  int param_count;
  bool dynamic;    ///< a custom field whose forces the field callback applies
  void *user_data; ///< for the caller only
} ImpFieldDef;
/// Return the default definition of a kind.
IMP_API ImpFieldDef imp_field_def(ImpFieldKind kind);

/// Make a field. The bodies that it acts on wake. A field made in a substep callback acts from this substep on. Errors:
/// a number out of range; a spring with both or neither of the pairs (stiffness, damping) and (hertz, damping_ratio);
/// water without density; an invalid tape; IMP_ERR_NOMEM.
IMP_CALL ImpStatus imp_field_create(ImpWorld *world, const ImpFieldDef *def, ImpField *out_field);
/// Destroy a field. The bodies that it acted on wake. In a substep callback the field ceases to act at once.
IMP_CALL ImpStatus imp_field_destroy(ImpWorld *world, ImpField field);
/// Return whether the handle refers to an existing field of this world.
IMP_API bool imp_field_is_valid(const ImpWorld *world, ImpField field);
/// Return the field after `previous` in creation order: the first for the null handle, null after the last.
IMP_API ImpField imp_world_next_field(const ImpWorld *world, ImpField previous);

IMP_API ImpStatus imp_field_kind_of(const ImpWorld *world, ImpField field, ImpFieldKind *out_kind);
/// Read the name, null for none. The string is valid until the name changes or the field is destroyed.
IMP_API ImpStatus imp_field_name(const ImpWorld *world, ImpField field, const char **out_name);
/// Set the name; null removes it.
IMP_CALL ImpStatus imp_field_set_name(ImpWorld *world, ImpField field, const char *name);
IMP_API ImpStatus imp_field_user_data(const ImpWorld *world, ImpField field, void **out_user_data);
/// Read a property in the unit of its description (imp_field_property); booleans as 0 and 1. Error: the kind does not
/// have the property.
IMP_API ImpStatus imp_field_get(const ImpWorld *world, ImpField field, ImpFieldProperty property, double *out_value);
/// Set a property. A change wakes the bodies that the field acts on. Errors: read only, out of range, the kind does not
/// have the property.
IMP_CALL ImpStatus imp_field_set(ImpWorld *world, ImpField field, ImpFieldProperty property, double value);
/// Read a vector in the unit of ImpFieldVector. Error: the kind does not have the vector.
IMP_API ImpStatus imp_field_vector(const ImpWorld *world, ImpField field, ImpFieldVector vector, ImpVec2 *out_vector);
/// Set a vector. A change wakes the bodies that the field acts on. Errors: out of range, the kind does not have the
/// vector.
IMP_CALL ImpStatus imp_field_set_vector(ImpWorld *world, ImpField field, ImpFieldVector vector, ImpVec2 value);
/// Read the region in which the field acts [m]. `out_bounded` is false if the field acts everywhere.
IMP_API ImpStatus imp_field_region(const ImpWorld *world, ImpField field, bool *out_bounded, ImpAabb *out_region);
/// Set the region [m]; null: the field acts everywhere. A change wakes the bodies in the old and the new region.
IMP_CALL ImpStatus imp_field_set_region(ImpWorld *world, ImpField field, const ImpAabb *region);
/// Read whether the field acts on a body according to the field's list.
IMP_API ImpStatus imp_field_acts_on(const ImpWorld *world, ImpField field, ImpBody body, bool *out_acts);
/// Set whether the field acts on a body: add the body to the list or remove it. A change wakes the body.
IMP_CALL ImpStatus imp_field_set_acts_on(ImpWorld *world, ImpField field, ImpBody body, bool acts);
/// Return the body after `previous` in the field's list, in an arbitrary order: the first for the null handle, null
/// after the last.
IMP_API ImpBody imp_field_next_listed(const ImpWorld *world, ImpField field, ImpBody previous);
/// Replace the tape of a custom field that was made with a tape. The results are the force on a body (x, y) [N] and,
/// optionally, the torque about the centre of mass [N m]. They are functions of the state of this body (body 0 of the
/// tape) and of the time, both before the substep, and of the parameters: those of the field, then mass [kg] and
/// inertia [kg m^2] of the body. A body with a non-finite result is disabled and reported in a fault event ("field").
IMP_CALL ImpStatus imp_field_set_tape(ImpWorld *world, ImpField field, const ImpTapeDef *tape);
/// Read a parameter of the tape, `index` from 0.
IMP_API ImpStatus imp_field_param(const ImpWorld *world, ImpField field, int index, double *out_value);
/// Set a parameter of the tape. A change wakes the bodies that the field acts on.
IMP_CALL ImpStatus imp_field_set_param(ImpWorld *world, ImpField field, int index, double value);
/// Function called before each substep, after the substep callback, for each dynamic field and each awake body that the
/// field acts on. The function's forces act in this substep.
typedef void (*ImpFieldFn)(ImpWorld *world, ImpField field, ImpBody body, void *user);
/// Set the field callback; null removes it.
IMP_CALL void imp_world_set_field_callback(ImpWorld *world, ImpFieldFn callback, void *user);
/// Read the definition of a field as it is now, without its list of bodies (imp_field_next_listed); `out_def->only`
/// says whether the field acts on the listed or on all other bodies. Error: a custom field.
IMP_API ImpStatus imp_field_definition(const ImpWorld *world, ImpField field, ImpFieldDef *out_def);

#endif
