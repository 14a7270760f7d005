// Validation of force fields, and of the tapes of fields and constraints.
#include "snapshot/world_valid.h"


// Check that the operands of an operation are earlier slots, and that its index of a body, parameter or point is in
// range.
static bool code_is_valid(const ImpiTape *tape, const ImpiTapeCode *code, int32_t slot) {
  bool before = code->a >= 0 && code->a < slot && code->b >= 0 && code->b < slot;
  switch (code->op) {
  case IMP_OP_CONSTANT:
  case IMP_OP_VX:
  case IMP_OP_VY:
  case IMP_OP_ANGULAR_VELOCITY:
    return false;
  case IMP_OP_PARAM:
    return before && code->c >= 0 && code->c < tape->param_count;
  case IMP_OP_X:
  case IMP_OP_Y:
  case IMP_OP_ANGLE:
  case IMP_OP_COS:
  case IMP_OP_SIN:
  case IMP_OP_CENTER_X:
  case IMP_OP_CENTER_Y:
    return before && code->c >= 0 && code->c < tape->body_count;
  case IMP_OP_POINT_X:
  case IMP_OP_POINT_Y:
  case IMP_OP_VECTOR_X:
  case IMP_OP_VECTOR_Y:
    return before && code->c >= 0 && code->c < tape->point_count;
  case IMP_OP_WHERE:
    return before && code->c >= 0 && code->c < slot;
  default:
    return before && code->op >= 0 && code->op <= IMPI_OP_FIXED_POW;
  }
}


// Return true if an operation before slot `first_moving` reads nothing that it must not read. Slots before
// `first_moving` have no derivatives, so they must not read a variable. In a velocity tape they may read anything,
// because they are evaluated at velocity 0.
static bool reads_fixed(const ImpiTape *tape, const ImpiTapeCode *code) {
  bool pose = code->op >= IMP_OP_X && code->op <= IMP_OP_VECTOR_Y;
  bool a = code->a == 0 || code->a >= tape->first_constant, b = code->b == 0 || code->b >= tape->first_constant;
  return tape->velocity || (!pose && a && b);
}


bool impi_tape_is_valid(const ImpiTape *tape) {
  for (int32_t i = 0; i < tape->point_count; ++i) {
    if (tape->points[i].body < 0 || tape->points[i].body >= tape->body_count ||
        !(fabs(tape->points[i].local.x) < HUGE_VAL && fabs(tape->points[i].local.y) < HUGE_VAL)) {
      return false;
    }
  }
  for (int32_t slot = tape->first_fixed; slot < tape->slot_count; ++slot) {
    const ImpiTapeCode *code = &tape->code[slot - tape->first_fixed];
    if (!code_is_valid(tape, code, slot) || (slot < tape->first_moving && !reads_fixed(tape, code))) {
      return false;
    }
  }
  for (int32_t i = 0; i < tape->result_count; ++i) {
    if (tape->results[i] < 0 || tape->results[i] >= tape->slot_count) {
      return false;
    }
  }
  return true;
}


static bool numbers_are_valid(ImpiValidity *validity, const ImpiForceField *field, int32_t slot) {
  for (int i = 0; i < IMP_FIELD_PROPERTY_COUNT; ++i) {
    const ImpPropertyInfo *info = imp_field_property(i);
    double value = field->value[i];
    IMPI_VALID(impi_field_is_given(field->kind, i) ? impi_fits(info, value) : fabs(value) < HUGE_VAL, "field", slot,
               info->name);
  }
  for (int i = 0; i < IMP_FIELD_VECTOR_COUNT; ++i) {
    const ImpPropertyInfo *info = imp_field_vector_info(i);
    ImpVec2 v = field->vector[i];
    IMPI_VALID(impi_fits(info, v.x) && impi_fits(info, v.y), "field", slot, info->name);
  }
  return true;
}


static bool field_is_valid(ImpiValidity *validity, int32_t slot) {
  const ImpWorld *world = validity->world;
  const ImpiForceField *field = &world->field.list.data[slot];
  IMPI_VALID(imp_field_kind(field->kind) != NULL, "field", slot, "unknown kind of field");
  if (!numbers_are_valid(validity, field, slot)) {
    return false;
  }
  IMPI_VALID(field->param_count >= 0 && (field->param_count == 0 || field->params != NULL), "field", slot,
             "the parameters of the field are missing");
  const ImpAabb *region = &field->region;
  IMPI_VALID(!field->bounded ||
                 (region->lower.x <= region->upper.x && region->lower.y <= region->upper.y &&
                  impi_vec_within(region->lower, IMPI_HUGE) && impi_vec_within(region->upper, IMPI_HUGE)),
             "field", slot, "the region of the field is empty or out of range");
  const ImpiTape *tape = &field->tape;
  if (field->kind == IMP_FIELD_CUSTOM && !field->dynamic) {
    IMPI_VALID(tape->constants != NULL && field->work != NULL && tape->body_count == 1 && tape->velocity &&
                   tape->param_count == field->param_count + 2 &&
                   (tape->result_count == 2 || tape->result_count == 3) && impi_tape_is_valid(tape),
               "field", slot, "the law of the custom field is missing or invalid");
  } else {
    IMPI_VALID(tape->constants == NULL && (field->kind == IMP_FIELD_CUSTOM || !field->dynamic), "field", slot,
               "the field has a law, but only a custom field may have one");
  }
  IMPI_VALID(impi_sparse_is_valid(&field->members, world->bodies.count), "field", slot,
             "the field's list of bodies is damaged");
  for (int32_t body = impi_sparse_next(&field->members, -1); body >= 0;
       body = impi_sparse_next(&field->members, body)) {
    IMPI_VALID(impi_is_live(&world->body_pool, body), "field", slot,
               "the field's list of bodies has a body that does not exist");
  }
  return true;
}


bool impi_fields_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  int32_t count = 0, previous = -1, called = 0;
  for (int32_t slot = world->field.first; slot != -1; slot = world->field.list.data[slot].next) {
    IMPI_VALID(impi_is_live(&world->field.pool, slot), "field", slot, "a destroyed field is in the list of fields");
    const ImpiForceField *field = &world->field.list.data[slot];
    IMPI_VALID(field->previous == previous && field->serial <= world->field.serial &&
                   field->serial > (previous >= 0 ? world->field.list.data[previous].serial : 0),
               "field", slot, "the list of fields is not in the order of creation");
    if (!field_is_valid(validity, slot)) {
      return false;
    }
    called += field->dynamic;
    previous = slot;
    ++count;
  }
  IMPI_VALID(world->field.last == previous && count == world->field.pool.live, "field", -1,
             "some fields are missing from the list of fields");
  IMPI_VALID(world->field.called == called, "field", -1, "the stored number of dynamic fields is wrong");
  for (int32_t slot = 0; slot < world->field.list.count; ++slot) {
    const ImpiForceField *field = &world->field.list.data[slot];
    IMPI_VALID(impi_is_live(&world->field.pool, slot) || (field->tape.constants == NULL && field->params == NULL &&
                                                          field->members.data == NULL && field->name == NULL),
               "field", slot, "a destroyed field has data");
  }
  return true;
}
