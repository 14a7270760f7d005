// A field of each kind, for the specs of fields.
#ifndef IMPI_FIELD_CASE_H
#define IMPI_FIELD_CASE_H

#include "model/field.h"
#include "rig.h"

// The callback of dynamic fields: apply a force.
static inline void push_up(ImpWorld *world, ImpField field, ImpBody body, void *user) {
  (void)field;
  (void)user;
  if (imp_body_apply_force(world, body, vec(0.1, 0.5)) != IMP_OK) {
    // Repeat the call, which ran out of memory.
    MUST(imp_body_apply_force(world, body, vec(0.1, 0.5)));
  }
}


// Return a definition with which a field of any kind exerts forces on bodies.
static inline ImpFieldDef field_of(ImpFieldKind kind) {
  ImpFieldDef def = imp_field_def(kind);
  def.vector[IMP_FIELD_ACCELERATION] = vec(0.3, 0);
  def.vector[IMP_FIELD_CENTER] = vec(0, 3);
  def.vector[IMP_FIELD_VELOCITY] = vec(2, 0.5);
  def.value[IMP_FIELD_STRENGTH] = 1;
  def.value[IMP_FIELD_SOFTENING] = 0.5;
  def.value[IMP_FIELD_HERTZ] = kind == IMP_FIELD_SPRING ? 0.3 : 0;
  def.value[IMP_FIELD_LINEAR] = 0.1;
  def.value[IMP_FIELD_QUADRATIC] = 0.05;
  def.value[IMP_FIELD_ANGULAR] = 0.01;
  def.value[IMP_FIELD_CIRCULATION] = 3;
  def.value[IMP_FIELD_DENSITY] = kind == IMP_FIELD_BUOYANCY ? 0.8 : 1.2;
  def.value[IMP_FIELD_GUST] = 0.4;
  def.value[IMP_FIELD_LEVEL] = 0.4;
  def.value[IMP_FIELD_WAVE_AMPLITUDE] = 0.1;
  def.value[IMP_FIELD_IMPULSE] = 0.5;
  def.value[IMP_FIELD_START] = 0.21;
  def.value[IMP_FIELD_DURATION] = 0.033;
  return def;
}


// Law of a custom field, as a list of operations: force (t - k x, mass) [N] and torque w [N m]. x: position of the
// body; w: its angular velocity; t: time; k: parameter 0; mass: parameter 1.
static ImpNode nodes[] = {{.op = IMP_OP_PARAM, .a = 0},           {.op = IMP_OP_X, .a = 0},
                          {.op = IMP_OP_MUL, .a = 0, .b = 1},     {.op = IMP_OP_TIME},
                          {.op = IMP_OP_SUB, .a = 3, .b = 2},     {.op = IMP_OP_PARAM, .a = 1},
                          {.op = IMP_OP_ANGULAR_VELOCITY, .a = 0}};
static const int32_t results[] = {4, 5, 6};
static const double params[] = {0.2};


// Return a custom field with the law above, or with the field callback if `dynamic` is true.
static inline ImpFieldDef law_of(bool dynamic) {
  ImpFieldDef def = field_of(IMP_FIELD_CUSTOM);
  def.tape = (ImpTapeDef){nodes, IMPI_COUNT(nodes), results, 3, false};
  def.params = params;
  def.param_count = 1;
  def.dynamic = dynamic;
  return def;
}

#endif
