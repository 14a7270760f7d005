// Comparison of joints and force fields.
#include "record/compare.h"
#include "world/joints.h"

#include <string.h>


// ---------------------------------------------------------------------------------------------------------------------
// Tapes
// ---------------------------------------------------------------------------------------------------------------------


static bool compare_bytes(ImpiComparison *c, const char *field, const void *a, const void *b, size_t size) {
  return size > 0 && memcmp(a, b, size) != 0 && impi_compare_number(c, "tape", -1, field, 0, 1);
}


static bool compare_tape(ImpiComparison *c, const ImpiTape *a, const ImpiTape *b) {
  bool in_a = a->constants != NULL, in_b = b->constants != NULL;
  if (!in_a || !in_b) {
    return impi_compare_number(c, "tape", -1, "exists", in_a, in_b);
  }
  return impi_compare_structs(c, "tape", -1, &impi_tape_layout, IMPI_SEEN, a, b) ||
         compare_bytes(c, "constants", a->constants, b->constants,
                       (size_t)(a->first_fixed - a->first_constant) * sizeof *a->constants) ||
         compare_bytes(c, "points", a->points, b->points, (size_t)a->point_count * sizeof *a->points) ||
         compare_bytes(c, "operations", a->code, b->code, (size_t)(a->slot_count - a->first_fixed) * sizeof *a->code) ||
         compare_bytes(c, "results", a->results, b->results, (size_t)a->result_count * sizeof *a->results);
}


static bool compare_list(ImpiComparison *c, const char *field, const double *a, const double *b, int count) {
  bool differ = false;
  for (int i = 0; i < count && !differ; ++i) {
    differ = impi_compare_number(c, field, i + 1, "", a[i], b[i]);
  }
  return differ;
}


// ---------------------------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------------------------


static bool compare_drives(ImpiComparison *c, const char *name, const ImpiDrive *a, const ImpiDrive *b) {
  bool differ = impi_compare_structs(c, name, -1, &impi_drive_layout, IMPI_SEEN, a, b);
  for (int row = 0; row < IMPI_DRIVE_ROWS && !differ; ++row) {
    static const char *const names[] = {
        [IMPI_DRIVE_LOWER] = "lower_limit", [IMPI_DRIVE_UPPER] = "upper_limit", [IMPI_DRIVE_MOTOR] = "motor",
        [IMPI_DRIVE_SERVO] = "servo",       [IMPI_DRIVE_SPRING] = "spring",     [IMPI_DRIVE_FORCE] = "applied",
        [IMPI_DRIVE_ARMATURE] = "rotor",    [IMPI_DRIVE_DAMPING] = "damping",   [IMPI_DRIVE_FRICTION] = "friction",
    };
    IMPI_COVERS(names, IMPI_DRIVE_ROWS);
    differ = impi_compare_structs(c, names[row], -1, &impi_row_result_layout, IMPI_SEEN, &a->row[row], &b->row[row]);
  }
  return differ;
}


static bool compare_coordinate(ImpiComparison *c, const ImpiJoint *joint_a, const ImpiJoint *joint_b, int index) {
  const ImpiCoordinate *a = impi_joint_coordinate_const(joint_a, index);
  const ImpiCoordinate *b = impi_joint_coordinate_const(joint_b, index);
  const char *name = "";
  impi_coordinate_name(joint_a, index, &name);
  if (impi_compare_structs(c, name, -1, &impi_coordinate_layout, IMPI_SEEN, a, b)) {
    return true;
  }
  if (a->drive < 0 || b->drive < 0) {
    return impi_compare_number(c, name, -1, "driven", a->drive >= 0, b->drive >= 0);
  }
  return compare_drives(c, name, &c->a->drives.data[a->drive], &c->b->drives.data[b->drive]);
}


static bool compare_custom(ImpiComparison *c, const ImpiCustom *a, const ImpiCustom *b) {
  if (impi_compare_structs(c, NULL, -1, &impi_custom_layout, IMPI_SEEN, a, b) ||
      compare_list(c, "param", a->params, b->params, a->param_count) || compare_tape(c, &a->tape, &b->tape)) {
    return true;
  }
  bool differ = false;
  for (int i = 0; i < a->capacity && a->rows != NULL && b->rows != NULL && !differ; ++i) {
    differ = impi_compare_structs(c, "row", i + 1, &impi_user_layout, IMPI_SEEN, &a->rows[i], &b->rows[i]);
  }
  bool rows = a->rows_j != NULL && b->rows_j != NULL;
  return differ || (rows && compare_list(c, "jacobian", a->rows_j, b->rows_j, 3 * a->capacity * a->body_count));
}


static bool compare_bodies(ImpiComparison *c, const ImpiJoint *a, const ImpiJoint *b) {
  bool differ = false;
  for (int i = 0; i < impi_joint_body_count(a) && !differ; ++i) {
    int32_t in_a = impi_joint_body(a, i), in_b = impi_joint_body(b, i);
    differ = impi_compare_number(c, "body", i + 1, "id", in_a < 0 ? -1 : (double)c->a->bodies.data[in_a].serial,
                                 in_b < 0 ? -1 : (double)c->b->bodies.data[in_b].serial);
  }
  return differ;
}


bool impi_compare_joint(ImpiComparison *c, int32_t slot_a, int32_t slot_b) {
  const ImpiJoint *a = &c->a->joints.data[slot_a], *b = &c->b->joints.data[slot_b];
  impi_compare_object(c, IMP_OBJECT_JOINT, a->serial, a->name);
  bool differ = impi_compare_structs(c, NULL, -1, &impi_joint_layout, IMPI_SEEN, a, b) ||
                impi_compare_number(c, NULL, -1, "custom", a->custom != NULL, b->custom != NULL);
  if (!differ && a->custom != NULL) {
    differ = compare_custom(c, a->custom, b->custom);
  }
  for (int i = 0; i < a->count && !differ; ++i) {
    differ = compare_coordinate(c, a, b, i);
  }
  return differ || compare_bodies(c, a, b) ||
         impi_compare_structs(c, NULL, -1, &impi_joint_layout, IMPI_SEEN_LAST, a, b) ||
         impi_compare_text(c, "name", a->name, b->name) || impi_compare_number(c, "handle", -1, "slot", slot_a, slot_b);
}


// ---------------------------------------------------------------------------------------------------------------------
// Force fields
// ---------------------------------------------------------------------------------------------------------------------


// Compare the lists of bodies of two fields.
static bool compare_members(ImpiComparison *c, const ImpiForceField *a, const ImpiForceField *b) {
  int32_t slot_a = -1, slot_b = -1;
  bool differ = false;
  do {
    slot_a = impi_sparse_next(&a->members, slot_a);
    slot_b = impi_sparse_next(&b->members, slot_b);
    bool a_first = slot_b < 0 || (slot_a >= 0 && slot_a < slot_b);
    int32_t slot = a_first ? slot_a : slot_b;
    differ = slot_a != slot_b &&
             impi_compare_number(c, NULL, -1, "bodies", impi_field_acts_on(a, slot), impi_field_acts_on(b, slot));
  } while (slot_a >= 0 && slot_b >= 0 && !differ);
  return differ;
}


bool impi_compare_field(ImpiComparison *c, int32_t slot_a, int32_t slot_b) {
  const ImpiForceField *a = &c->a->field.list.data[slot_a], *b = &c->b->field.list.data[slot_b];
  impi_compare_object(c, IMP_OBJECT_FIELD, a->serial, a->name);
  bool differ = impi_compare_structs(c, NULL, -1, &impi_field_layout, IMPI_SEEN, a, b);
  for (int i = 0; i < IMP_FIELD_PROPERTY_COUNT && !differ; ++i) {
    differ = impi_compare_number(c, NULL, -1, imp_field_property(i)->name, a->value[i], b->value[i]);
  }
  for (int i = 0; i < IMP_FIELD_VECTOR_COUNT && !differ; ++i) {
    const char *name = imp_field_vector_info(i)->name;
    differ = impi_compare_number(c, name, -1, "x", a->vector[i].x, b->vector[i].x) ||
             impi_compare_number(c, name, -1, "y", a->vector[i].y, b->vector[i].y);
  }
  return differ || compare_list(c, "param", a->params, b->params, a->param_count) ||
         compare_tape(c, &a->tape, &b->tape) || compare_members(c, a, b) ||
         impi_compare_text(c, "name", a->name, b->name) || impi_compare_number(c, "handle", -1, "slot", slot_a, slot_b);
}
