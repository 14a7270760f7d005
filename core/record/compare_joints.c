// Joints and force fields compared.
#include "record/compare.h"
#include "world/joints.h"

#include <string.h>

#define STRUCT ImpiEffort
static const ImpiNumber effort_numbers[] = {
    NUMBER("lambda", lambda),
    NUMBER("impulse", total),
    NUMBER("step_work", step_work),
    NUMBER("work", work),
};
#undef STRUCT

#define STRUCT ImpDrive
static const ImpiNumber drive_numbers[] = {
    NUMBER("drives", on),
    NUMBER("lower", lower),
    NUMBER("upper", upper),
    NUMBER("limit_max", limit_max),
    NUMBER("speed", speed),
    NUMBER("motor_max", motor_max),
    NUMBER("target", target),
    NUMBER("target_speed", target_speed),
    NUMBER("servo_max", servo_max),
    NUMBER("stiffness", stiffness),
    NUMBER("damping", damping),
    NUMBER("hertz", hertz),
    NUMBER("damping_ratio", damping_ratio),
    NUMBER("rest", rest),
    NUMBER("rest_speed", rest_speed),
    NUMBER("spring_max", spring_max),
    NUMBER("force", force),
    NUMBER("armature", armature),
    NUMBER("viscous_damping", viscous_damping),
    NUMBER("dry_friction", dry_friction),
};
#undef STRUCT

#define STRUCT ImpiJoint
static const ImpiNumber joint_numbers[] = {
    NUMBER("kind", kind),
    NUMBER("broken", broken),
    NUMBER("collide", collide),
    NUMBER("coordinates", count),
    NUMBER("pitch", pitch),
    NUMBER("direction", direction),
    NUMBER("break_force", break_force),
    NUMBER("break_torque", break_torque),
    NUMBER("anchor_a.x", gauge.local_a.x),
    NUMBER("anchor_a.y", gauge.local_a.y),
    NUMBER("anchor_b.x", gauge.local_b.x),
    NUMBER("anchor_b.y", gauge.local_b.y),
    NUMBER("axis.x", gauge.axis.c),
    NUMBER("axis.y", gauge.axis.s),
    NUMBER("reference", gauge.reference),
    NUMBER("ratio", gauge.ratio),
    NUMBER("ground_a.x", gauge.ground_a.x),
    NUMBER("ground_a.y", gauge.ground_a.y),
    NUMBER("ground_b.x", gauge.ground_b.x),
    NUMBER("ground_b.y", gauge.ground_b.y),
    NUMBER("wrench.x", wrench[0]),
    NUMBER("wrench.y", wrench[1]),
    NUMBER("wrench.torque", wrench[2]),
};
#undef STRUCT

#define STRUCT ImpiUserValues
static const ImpiNumber row_numbers[] = {
    NUMBER("bias", bias), NUMBER("c", c), NUMBER("lower", lower), NUMBER("upper", upper), NUMBER("has_c", has_c),
};
#undef STRUCT

#define STRUCT ImpiTape
static const ImpiNumber tape_numbers[] = {
    NUMBER("results", result_count),  NUMBER("bodies", body_count),     NUMBER("params", param_count),
    NUMBER("points", point_count),    NUMBER("constants", first_fixed), NUMBER("first_moving", first_moving),
    NUMBER("operations", slot_count), NUMBER("velocity", velocity),     NUMBER("timed", timed),
};
#undef STRUCT

#define STRUCT ImpiForceField
static const ImpiNumber field_numbers[] = {
    NUMBER("kind", kind),
    NUMBER("only", only),
    NUMBER("bounded", bounded),
    NUMBER("dynamic", dynamic),
    NUMBER("params", param_count),
    NUMBER("region.lower.x", region.lower.x),
    NUMBER("region.lower.y", region.lower.y),
    NUMBER("region.upper.x", region.upper.x),
    NUMBER("region.upper.y", region.upper.y),
};
#undef STRUCT


// ---------------------------------------------------------------------------------------------------------------------
// Tapes
// ---------------------------------------------------------------------------------------------------------------------


static bool compare_bytes(ImpiComparison *c, const char *field, const void *a, const void *b, size_t size) {
  return size > 0 && memcmp(a, b, size) != 0 && impi_compare_number(c, "tape", -1, field, 0, 1);
}


bool impi_compare_tape(ImpiComparison *c, const ImpiTape *a, const ImpiTape *b) {
  bool in_a = a->constants != NULL, in_b = b->constants != NULL;
  if (!in_a || !in_b) {
    return impi_compare_number(c, "tape", -1, "exists", in_a, in_b);
  }
  return impi_compare_numbers(c, "tape", -1, tape_numbers, IMPI_COUNT(tape_numbers), a, b) ||
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
  bool differ = impi_compare_numbers(c, name, -1, drive_numbers, IMPI_COUNT(drive_numbers), &a->set, &b->set) ||
                impi_compare_number(c, name, -1, "rotor_speed", a->rotor, b->rotor);
  for (int row = 0; row < IMPI_DRIVE_ROWS && !differ; ++row) {
    static const char *const names[IMPI_DRIVE_ROWS] = {
        [IMPI_DRIVE_LOWER] = "lower_limit", [IMPI_DRIVE_UPPER] = "upper_limit", [IMPI_DRIVE_MOTOR] = "motor",
        [IMPI_DRIVE_SERVO] = "servo",       [IMPI_DRIVE_SPRING] = "spring",     [IMPI_DRIVE_FORCE] = "applied",
        [IMPI_DRIVE_ARMATURE] = "rotor",    [IMPI_DRIVE_DAMPING] = "damping",   [IMPI_DRIVE_FRICTION] = "friction",
    };
    differ =
        impi_compare_numbers(c, names[row], -1, effort_numbers, IMPI_COUNT(effort_numbers), &a->row[row], &b->row[row]);
  }
  return differ;
}


static bool compare_coordinate(ImpiComparison *c, const ImpiJoint *joint_a, const ImpiJoint *joint_b, int index) {
  const ImpiCoordinate *a = impi_joint_coordinate_const(joint_a, index);
  const ImpiCoordinate *b = impi_joint_coordinate_const(joint_b, index);
  const char *name = "";
  impi_coordinate_name(joint_a, index, &name);
  if (impi_compare_number(c, name, -1, "locked", a->locked, b->locked) ||
      impi_compare_number(c, name, -1, "lock", a->lock, b->lock) ||
      impi_compare_numbers(c, name, -1, effort_numbers, IMPI_COUNT(effort_numbers), &a->effort, &b->effort)) {
    return true;
  }
  if (a->drive < 0 || b->drive < 0) {
    return impi_compare_number(c, name, -1, "driven", a->drive >= 0, b->drive >= 0);
  }
  return compare_drives(c, name, &c->a->drives.data[a->drive], &c->b->drives.data[b->drive]);
}


static bool compare_custom(ImpiComparison *c, const ImpiCustom *a, const ImpiCustom *b) {
  if (impi_compare_number(c, NULL, -1, "bodies", a->body_count, b->body_count) ||
      impi_compare_number(c, NULL, -1, "capacity", a->capacity, b->capacity) ||
      impi_compare_number(c, NULL, -1, "params", a->param_count, b->param_count) ||
      impi_compare_number(c, NULL, -1, "dynamic", a->dynamic, b->dynamic) ||
      compare_list(c, "param", a->params, b->params, a->param_count) || impi_compare_tape(c, &a->tape, &b->tape)) {
    return true;
  }
  bool differ = false;
  for (int i = 0; i < a->capacity && a->rows != NULL && b->rows != NULL && !differ; ++i) {
    differ = impi_compare_numbers(c, "row", i + 1, row_numbers, IMPI_COUNT(row_numbers), &a->rows[i], &b->rows[i]);
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
  bool differ = impi_compare_numbers(c, NULL, -1, joint_numbers, 4, a, b) ||
                impi_compare_number(c, NULL, -1, "custom", a->custom != NULL, b->custom != NULL);
  if (!differ && a->custom != NULL) {
    differ = compare_custom(c, a->custom, b->custom);
  }
  for (int i = 0; i < a->count && !differ; ++i) {
    differ = compare_coordinate(c, a, b, i);
  }
  return differ || compare_bodies(c, a, b) ||
         impi_compare_numbers(c, NULL, -1, joint_numbers, IMPI_COUNT(joint_numbers), a, b) ||
         impi_compare_text(c, "name", a->name, b->name) || impi_compare_number(c, "handle", -1, "slot", slot_a, slot_b);
}


// ---------------------------------------------------------------------------------------------------------------------
// Force fields
// ---------------------------------------------------------------------------------------------------------------------


// Both lists are of bodies that they are to act on, or both of others.
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
  bool differ = impi_compare_numbers(c, NULL, -1, field_numbers, IMPI_COUNT(field_numbers), a, b);
  for (int i = 0; i < IMP_FIELD_PROPERTY_COUNT && !differ; ++i) {
    differ = impi_compare_number(c, NULL, -1, imp_field_property(i)->name, a->value[i], b->value[i]);
  }
  for (int i = 0; i < IMP_FIELD_VECTOR_COUNT && !differ; ++i) {
    const char *name = imp_field_vector_info(i)->name;
    differ = impi_compare_number(c, name, -1, "x", a->vector[i].x, b->vector[i].x) ||
             impi_compare_number(c, name, -1, "y", a->vector[i].y, b->vector[i].y);
  }
  return differ || compare_list(c, "param", a->params, b->params, a->param_count) ||
         impi_compare_tape(c, &a->tape, &b->tape) || compare_members(c, a, b) ||
         impi_compare_text(c, "name", a->name, b->name) || impi_compare_number(c, "handle", -1, "slot", slot_a, slot_b);
}
