// Conversion of definitions to bytes and back, without the caller's user data.
#include "base/layout_lines.h"
#include "record/code.h"
#include "snapshot/snapshot.h"


// ---------------------------------------------------------------------------------------------------------------------
// Structs by the tables of their members
// ---------------------------------------------------------------------------------------------------------------------


// A coordinate of a gear. It has its own code, because it contains the handle of a joint.
#define STRUCT ImpCoordinate
static const ImpiField term_fields[] = {KEPT(joint), KEPT(index)};
static const ImpiLayout term_layout = IMPI_LAYOUT(STRUCT, term_fields, NULL);
#undef STRUCT


static void code_plain(ImpiCoder *c, ImpiNumber number, void *at) {
  switch (number) {
  case IMPI_NUMBER_BOOL:
    impi_code_ImpiTruth(c, at);
    break;
  case IMPI_NUMBER_INT:
    impi_code_int(c, at);
    break;
  case IMPI_NUMBER_LONG:
    impi_code_uint64_t(c, at);
    break;
  // always a body's handle: the only struct with handles of joints, ImpCoordinate, is converted in code_struct
  case IMPI_NUMBER_HANDLE:
    impi_code_ImpBody(c, at);
    break;
  default:
    impi_code_double(c, at);
  }
}


static void code_struct(ImpiCoder *c, const ImpiLayout *layout, void *object) {
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    char *at = (char *)object + field->offset, *end = at + field->size;
    size_t plain = field->kind == IMPI_FIELD_PLAIN ? (size_t)impi_number_size(field->number) : 0;
    size_t step = field->kind == IMPI_FIELD_PARTS ? field->parts->size : plain;
    if (field->kind == IMPI_FIELD_STRING) {
      impi_code_ImpiText(c, (void *)at);
    }
    for (; step > 0 && at < end; at += step) {
      if (plain > 0) {
        code_plain(c, field->number, at);
      } else if (field->parts == &term_layout) {
        impi_code_ImpCoordinate(c, (void *)at);
      } else {
        code_struct(c, field->parts, at);
      }
    }
  }
}


#define POINTER_CODER_BY(name, type, code) \
  void impi_code_##name(ImpiCoder *c, name *value) { \
    type copy, *at = c->reads ? impi_code_room(c, 1, sizeof copy) : &copy; \
    if (at == NULL) { \
      *value = NULL; \
      return; \
    } \
    if (!c->reads) { \
      copy = **value; \
    } \
    code; \
    *value = c->reads ? at : *value; \
  }
#define POINTER_CODER(name, type, layout) POINTER_CODER_BY(name, type, code_struct(c, layout, at))


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


// Definition of a shape.
#define STRUCT ImpShapeDef
static const ImpiField shape_fields[] = {
    PLAIN(density),       PLAIN(friction),
    PLAIN(restitution),   PLAIN(rolling_resistance),
    PLAIN(surface_speed), PLAIN(restitution_threshold),
    PLAIN(hit_speed),     PLAIN(material),
    PLAIN(sensor),        PLAIN(pre_solve),
    PLAIN(selective),     PLAIN(category),
    PLAIN(mask),          PLAIN(group),
    PLAIN(one_way),       STRING(name),
    KEPT(user_data),
};
static const ImpiLayout shape_layout = IMPI_LAYOUT(STRUCT, shape_fields, NULL);
#undef STRUCT

#define STRUCT ImpMoverDef
static const ImpiField mover_fields[] = {
    STRING(name),    PLAIN(position), PLAIN(velocity), PLAIN(value),    PLAIN(friction),
    PLAIN(category), PLAIN(mask),     PLAIN(group),    KEPT(user_data),
};
static const ImpiLayout mover_layout = IMPI_LAYOUT(STRUCT, mover_fields, NULL);
#undef STRUCT

POINTER_CODER(ImpiBodyDefAt, ImpBodyDef, &impi_body_definition_layout)
POINTER_CODER(ImpiShapeDefAt, ImpShapeDef, &shape_layout)
POINTER_CODER(ImpiMoverDefAt, ImpMoverDef, &mover_layout)
POINTER_CODER(ImpiMaterialDefAt, ImpMaterialDef, &impi_material_definition_layout)
POINTER_CODER(ImpiMixAt, ImpMix, &impi_mix_numbers_layout)


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


// ---------------------------------------------------------------------------------------------------------------------
// Joints and drives
// ---------------------------------------------------------------------------------------------------------------------


#define STRUCT ImpJointDef
static const ImpiField joint_fields[] = {
    PLAIN(kind),
    PLAIN(body_a),
    PLAIN(body_b),
    STRING(name),
    PLAIN(place_a),
    PLAIN(place_b),
    PLAIN(anchor_a),
    PLAIN(anchor_b),
    PLAIN(place_axis),
    PLAIN(axis),
    PLAIN(reference_angle),
    PLAIN(length),
    PLAIN(ratio),
    PLAIN(ground_a),
    PLAIN(ground_b),
    PARTS(term, term_layout),
    PLAIN(target),
    PLAIN(has_target),
    PLAIN(target_angle),
    PLAIN(pitch),
    PLAIN(direction),
    PLAIN(max_force),
    PLAIN(max_torque),
    PLAIN(hertz),
    PLAIN(damping_ratio),
    PARTS(drive, impi_drive_set_layout),
    PLAIN(free),
    PLAIN(break_force),
    PLAIN(break_torque),
    PLAIN(collide),
    PLAIN(broken),
    KEPT(user_data),
};
static const ImpiLayout joint_layout = IMPI_LAYOUT(STRUCT, joint_fields, NULL);
#undef STRUCT

POINTER_CODER(ImpiJointDefAt, ImpJointDef, &joint_layout)
POINTER_CODER(ImpiDriveAt, ImpDrive, &impi_drive_set_layout)


// ---------------------------------------------------------------------------------------------------------------------
// Tapes, constraints and fields
// ---------------------------------------------------------------------------------------------------------------------


#define STRUCT ImpNode
static const ImpiField node_fields[] = {PLAIN(op), PLAIN(a), PLAIN(b), PLAIN(c), PLAIN(value)};
static const ImpiLayout node_layout = IMPI_LAYOUT(STRUCT, node_fields, NULL);
#undef STRUCT


static void code_tape(ImpiCoder *c, ImpTapeDef *d) {
  int nodes = d->node_count, results = d->result_count;
  impi_code_count(c, &nodes);
  ImpNode *node = c->reads ? impi_code_room(c, nodes, sizeof *node) : NULL;
  for (int i = 0; i < nodes && !c->failed; ++i) {
    ImpNode copy = c->reads ? (ImpNode){.op = IMP_OP_CONSTANT} : d->nodes[i];
    code_struct(c, &node_layout, &copy);
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
  impi_code_ImpiTruth(c, &d->velocity);
  if (c->reads) {
    d->nodes = node;
    d->results = result;
    d->node_count = c->failed ? 0 : nodes;
    d->result_count = c->failed ? 0 : results;
  }
}
POINTER_CODER_BY(ImpiTapeDefAt, ImpTapeDef, code_tape(c, at))


static void code_constraint(ImpiCoder *c, ImpConstraintDef *d) {
  impi_code_ImpiText(c, &d->name);
  code_bodies(c, &d->bodies, &d->body_count);
  code_tape(c, &d->tape);
  impi_code_ImpiTruth(c, &d->dynamic);
  impi_code_int(c, &d->max_rows);
  code_doubles(c, &d->params, &d->param_count);
  code_struct(c, &impi_drive_set_layout, &d->drive);
  impi_code_double(c, &d->break_force);
  impi_code_ImpiTruth(c, &d->collide);
}
POINTER_CODER_BY(ImpiConstraintDefAt, ImpConstraintDef, code_constraint(c, at))


// code_field writes the members marked HOOK, after all other members.
#define STRUCT ImpFieldDef
static const ImpiField field_fields[] = {
    PLAIN(kind),         STRING(name),       PLAIN(value),
    PLAIN(vector),       PLAIN(bounded),     PLAIN(region),
    PLAIN(only),         HOOK(bodies, NULL), HOOK(body_count, NULL),
    HOOK(tape, NULL),    HOOK(params, NULL), HOOK(param_count, NULL),
    HOOK(dynamic, NULL), KEPT(user_data),
};
static const ImpiLayout field_layout = IMPI_LAYOUT(STRUCT, field_fields, NULL);
#undef STRUCT


static void code_field(ImpiCoder *c, ImpFieldDef *d) {
  code_struct(c, &field_layout, d);
  code_bodies(c, &d->bodies, &d->body_count);
  impi_code_ImpiTruth(c, &d->dynamic);
  if (d->kind == IMP_FIELD_CUSTOM && !d->dynamic) {
    code_tape(c, &d->tape);
    code_doubles(c, &d->params, &d->param_count);
  }
}
POINTER_CODER_BY(ImpiFieldDefAt, ImpFieldDef, code_field(c, at))


const ImpiLayout *impi_definition_layout(int index) {
  static const ImpiLayout *const layouts[] = {&impi_body_definition_layout,
                                              &shape_layout,
                                              &mover_layout,
                                              &joint_layout,
                                              &field_layout,
                                              &node_layout,
                                              &impi_drive_set_layout,
                                              &impi_material_definition_layout,
                                              &impi_mix_numbers_layout};
  return index < IMPI_COUNT(layouts) ? layouts[index] : NULL;
}
