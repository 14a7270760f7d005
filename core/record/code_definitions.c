// Definitions as bytes. The caller's user data is none of a world's business and is left out.
#include "record/code.h"


// ---------------------------------------------------------------------------------------------------------------------
// Members of a struct that is called `d`
// ---------------------------------------------------------------------------------------------------------------------

#define NUMBER(member) impi_code_double(c, &d->member)
#define FLAG(member) impi_code_ImpiTruth(c, &d->member)
#define WHOLE(member) impi_code_int(c, &d->member)
#define BITS(member) code_bits(c, &d->member)
#define MASK(member) impi_code_uint64_t(c, &d->member)
#define VECTOR(member) impi_code_ImpVec2(c, &d->member)
#define TEXT(member) impi_code_ImpiText(c, &d->member)


static void code_bits(ImpiCoder *c, unsigned *value) {
  int number = (int)(*value & INT32_MAX);
  impi_code_int(c, &number);
  *value = (unsigned)number;
}


// A pointer to a struct: what is written is copied first, what is read goes into the room of the call.
#define POINTER_CODER(name, type, code) \
  void impi_code_##name(ImpiCoder *c, name *value) { \
    type copy, *at = c->reads ? impi_code_room(c, 1, sizeof copy) : &copy; \
    if (at == NULL) { \
      *value = NULL; \
      return; \
    } \
    if (!c->reads) { \
      copy = **value; \
    } \
    code(c, at); \
    *value = c->reads ? at : *value; \
  }


static void code_doubles(ImpiCoder *c, const double **list, int *count) {
  impi_code_count(c, count);
  double *at = c->reads ? impi_code_room(c, *count, sizeof *at) : NULL;
  for (int i = 0; i < *count && !c->failed; ++i) {
    double number = c->reads ? 0 : (*list)[i];
    impi_code_double(c, &number);
    if (c->reads) {
      at[i] = number;
    }
  }
  *list = c->reads ? at : *list;
  *count = c->failed ? 0 : *count;
}


static void code_bodies(ImpiCoder *c, const ImpBody **list, int *count) {
  impi_code_count(c, count);
  ImpBody *at = c->reads ? impi_code_room(c, *count, sizeof *at) : NULL;
  for (int i = 0; i < *count && !c->failed; ++i) {
    ImpBody body = c->reads ? (ImpBody){0} : (*list)[i];
    impi_code_ImpBody(c, &body);
    if (c->reads) {
      at[i] = body;
    }
  }
  *list = c->reads ? at : *list;
  *count = c->failed ? 0 : *count;
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies, shapes, materials
// ---------------------------------------------------------------------------------------------------------------------


static void code_body(ImpiCoder *c, ImpBodyDef *d) {
  impi_code_ImpBodyType(c, &d->type);
  TEXT(name);
  VECTOR(position);
  NUMBER(angle);
  VECTOR(velocity);
  NUMBER(angular_velocity);
  NUMBER(linear_damping);
  NUMBER(angular_damping);
  NUMBER(max_speed);
  NUMBER(max_angular_speed);
  NUMBER(gravity_scale);
  FLAG(fixed_rotation);
  FLAG(lock_x);
  FLAG(lock_y);
  FLAG(bullet);
  FLAG(allow_sleep);
  FLAG(awake);
  FLAG(enabled);
  NUMBER(mass);
  NUMBER(inertia);
}
POINTER_CODER(ImpiBodyDefAt, ImpBodyDef, code_body)


static void code_shape(ImpiCoder *c, ImpShapeDef *d) {
  NUMBER(density);
  NUMBER(friction);
  NUMBER(restitution);
  NUMBER(rolling_resistance);
  NUMBER(surface_speed);
  NUMBER(restitution_threshold);
  NUMBER(hit_speed);
  WHOLE(material);
  FLAG(sensor);
  FLAG(pre_solve);
  FLAG(selective);
  MASK(category);
  MASK(mask);
  WHOLE(group);
  VECTOR(one_way);
  TEXT(name);
}
POINTER_CODER(ImpiShapeDefAt, ImpShapeDef, code_shape)


static void code_material(ImpiCoder *c, ImpMaterialDef *d) {
  NUMBER(density);
  NUMBER(friction);
  NUMBER(restitution);
  NUMBER(rolling_resistance);
  NUMBER(surface_speed);
  NUMBER(restitution_threshold);
  NUMBER(hit_speed);
}
POINTER_CODER(ImpiMaterialDefAt, ImpMaterialDef, code_material)


static void code_mix(ImpiCoder *c, ImpMix *d) {
  NUMBER(friction);
  NUMBER(restitution);
}
POINTER_CODER(ImpiMixAt, ImpMix, code_mix)


void impi_code_ImpiAabbAt(ImpiCoder *c, ImpiAabbAt *value) {
  ImpAabb box = {{0, 0}, {0, 0}};
  bool there = !c->reads && *value != NULL;
  impi_code_ImpiTruth(c, &there);
  if (!there) {
    *value = NULL;
    return;
  }
  if (!c->reads) {
    box = **value;
  }
  impi_code_ImpVec2(c, &box.lower);
  impi_code_ImpVec2(c, &box.upper);
  if (c->reads) {
    ImpAabb *at = impi_code_room(c, 1, sizeof *at);
    if (at != NULL) {
      *at = box;
    }
    *value = at;
  }
}


static void code_mover(ImpiCoder *c, ImpMoverDef *d) {
  TEXT(name);
  VECTOR(position);
  VECTOR(velocity);
  for (int i = 0; i < IMP_MOVER_PROPERTY_COUNT; ++i) {
    NUMBER(value[i]);
  }
  NUMBER(friction);
  MASK(category);
  MASK(mask);
  WHOLE(group);
}
POINTER_CODER(ImpiMoverDefAt, ImpMoverDef, code_mover)


// ---------------------------------------------------------------------------------------------------------------------
// Joints and what drives them
// ---------------------------------------------------------------------------------------------------------------------


static void code_drive(ImpiCoder *c, ImpDrive *d) {
  BITS(on);
  NUMBER(lock);
  NUMBER(lower);
  NUMBER(upper);
  NUMBER(limit_max);
  NUMBER(speed);
  NUMBER(motor_max);
  NUMBER(target);
  NUMBER(target_speed);
  NUMBER(servo_max);
  NUMBER(stiffness);
  NUMBER(damping);
  NUMBER(hertz);
  NUMBER(damping_ratio);
  NUMBER(rest);
  NUMBER(rest_speed);
  NUMBER(spring_max);
  NUMBER(force);
  NUMBER(armature);
  NUMBER(viscous_damping);
  NUMBER(dry_friction);
}
POINTER_CODER(ImpiDriveAt, ImpDrive, code_drive)


static void code_place(ImpiCoder *c, ImpPlace *place) {
  int number = (int)*place;
  impi_code_int(c, &number);
  *place = (ImpPlace)number;
}


static void code_joint(ImpiCoder *c, ImpJointDef *d) {
  int kind = (int)d->kind;
  impi_code_int(c, &kind);
  d->kind = (ImpJointKind)kind;
  impi_code_ImpBody(c, &d->body_a);
  impi_code_ImpBody(c, &d->body_b);
  TEXT(name);
  code_place(c, &d->place_a);
  code_place(c, &d->place_b);
  VECTOR(anchor_a);
  VECTOR(anchor_b);
  code_place(c, &d->place_axis);
  VECTOR(axis);
  NUMBER(reference_angle);
  NUMBER(length);
  NUMBER(ratio);
  VECTOR(ground_a);
  VECTOR(ground_b);
  impi_code_ImpCoordinate(c, &d->term[0]);
  impi_code_ImpCoordinate(c, &d->term[1]);
  VECTOR(target);
  FLAG(has_target);
  NUMBER(target_angle);
  NUMBER(pitch);
  WHOLE(direction);
  NUMBER(max_force);
  NUMBER(max_torque);
  NUMBER(hertz);
  NUMBER(damping_ratio);
  for (int i = 0; i < 3; ++i) {
    code_drive(c, &d->drive[i]);
  }
  BITS(free);
  NUMBER(break_force);
  NUMBER(break_torque);
  FLAG(collide);
  FLAG(broken);
}
POINTER_CODER(ImpiJointDefAt, ImpJointDef, code_joint)


// ---------------------------------------------------------------------------------------------------------------------
// Tapes, and what has them
// ---------------------------------------------------------------------------------------------------------------------


static void code_node(ImpiCoder *c, ImpNode *d) {
  int op = (int)d->op;
  impi_code_int(c, &op);
  d->op = (ImpOp)op;
  WHOLE(a);
  WHOLE(b);
  WHOLE(c);
  NUMBER(value);
}


static void code_tape(ImpiCoder *c, ImpTapeDef *d) {
  int nodes = d->node_count, results = d->result_count;
  impi_code_count(c, &nodes);
  ImpNode *node = c->reads ? impi_code_room(c, nodes, sizeof *node) : NULL;
  for (int i = 0; i < nodes && !c->failed; ++i) {
    ImpNode copy = c->reads ? (ImpNode){.op = IMP_OP_CONSTANT} : d->nodes[i];
    code_node(c, &copy);
    if (c->reads) {
      node[i] = copy;
    }
  }
  impi_code_count(c, &results);
  int32_t *result = c->reads ? impi_code_room(c, results, sizeof *result) : NULL;
  for (int i = 0; i < results && !c->failed; ++i) {
    int number = c->reads ? 0 : d->results[i];
    impi_code_int(c, &number);
    if (c->reads) {
      result[i] = number;
    }
  }
  FLAG(velocity);
  if (c->reads) {
    d->nodes = node;
    d->results = result;
    d->node_count = c->failed ? 0 : nodes;
    d->result_count = c->failed ? 0 : results;
  }
}
POINTER_CODER(ImpiTapeDefAt, ImpTapeDef, code_tape)


static void code_constraint(ImpiCoder *c, ImpConstraintDef *d) {
  TEXT(name);
  code_bodies(c, &d->bodies, &d->body_count);
  code_tape(c, &d->tape);
  FLAG(dynamic);
  WHOLE(max_rows);
  code_doubles(c, &d->params, &d->param_count);
  code_drive(c, &d->drive);
  NUMBER(break_force);
  FLAG(collide);
}
POINTER_CODER(ImpiConstraintDefAt, ImpConstraintDef, code_constraint)


static void code_field(ImpiCoder *c, ImpFieldDef *d) {
  int kind = (int)d->kind;
  impi_code_int(c, &kind);
  d->kind = (ImpFieldKind)kind;
  TEXT(name);
  for (int i = 0; i < IMP_FIELD_PROPERTY_COUNT; ++i) {
    NUMBER(value[i]);
  }
  for (int i = 0; i < IMP_FIELD_VECTOR_COUNT; ++i) {
    VECTOR(vector[i]);
  }
  FLAG(bounded);
  VECTOR(region.lower);
  VECTOR(region.upper);
  FLAG(only);
  code_bodies(c, &d->bodies, &d->body_count);
  FLAG(dynamic);
  if (d->kind == IMP_FIELD_CUSTOM && !d->dynamic) { // else nobody reads them
    code_tape(c, &d->tape);
    code_doubles(c, &d->params, &d->param_count);
  }
}
POINTER_CODER(ImpiFieldDefAt, ImpFieldDef, code_field)
