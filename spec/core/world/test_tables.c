// Tables over enums have an entry for each value. A missing entry in the middle is null or zero. A static assertion
// beside each table (IMPI_COVERS) checks the last entry.
#include <string.h>

#include "check.h"
#include "impel.h"
#include "model/joint.h"
#include "model/ledger.h"
#include "model/solver.h"
#include "record/record.h"

typedef const char *Name(int value);
typedef const ImpPropertyInfo *PropertyTable(int property);


static bool is_text(const char *text) { return text != NULL && text[0] != 0; }


// Check that each value has a name, all names differ, and values out of range have none.
static void check_names(Name *name, int count) {
  CHECK(name(-1) == NULL && name(count) == NULL);
  for (int i = 0; i < count; ++i) {
    CHECK(is_text(name(i)));
    for (int other = 0; other < i && is_text(name(i)); ++other) CHECK(strcmp(name(other), name(i)) != 0);
  }
}


static const char *quantity_name(int quantity) {
  const ImpQuantityInfo *info = imp_quantity(quantity);
  return info != NULL ? info->name : NULL;
}


static const char *joint_kind_name(int kind) {
  const ImpJointKindInfo *info = imp_joint_kind(kind);
  return info != NULL ? info->name : NULL;
}


static const char *status_name(int number) {
  bool known = number >= 0 && number <= -IMP_ERR_LIMIT;
  return known ? imp_status_name((ImpStatus)-number) : NULL;
}


static const char *call_name(int call) { return impi_call_name(call + 1); } // numbers of calls begin at 1


static void every_value_of_an_enum_has_a_unique_name(void) {
  static const struct {
    Name *name;
    int count;
  } enums[] = {
      {imp_body_type_name, IMP_BODY_TYPE_COUNT},
      {imp_draw_kind_name, IMP_DRAW_KIND_COUNT},
      {imp_draw_style_name, IMP_STYLE_COUNT},
      {imp_drive_name, IMP_DRIVE_COUNT},
      {imp_energy_cause_name, IMP_ENERGY_COUNT},
      {imp_event_name, IMP_EVENT_COUNT},
      {imp_field_kind_name, IMP_FIELD_KIND_COUNT},
      {imp_object_name, IMP_OBJECT_COUNT},
      {imp_order_name, IMP_ORDER_COUNT},
      {imp_qp_state_name, IMP_QP_STATE_COUNT},
      {imp_replay_end_name, IMP_REPLAY_END_COUNT},
      {imp_row_kind_name, IMP_ROW_KIND_COUNT},
      {imp_shape_type_name, IMP_SHAPE_TYPE_COUNT},
      {imp_solver_name, IMP_SOLVER_COUNT},
      {imp_stage_name, IMP_STAGE_COUNT},
      {quantity_name, IMP_QUANTITY_COUNT},
      {joint_kind_name, IMP_JOINT_KIND_COUNT},
      {status_name, 1 - IMP_ERR_LIMIT},
      {call_name, IMPI_CALL_COUNT - 1},
  };
  for (int i = 0; i < IMPI_COUNT(enums); ++i) check_names(enums[i].name, enums[i].count);
}


static void check_properties(PropertyTable *table, int count) {
  CHECK(table(-1) == NULL && table(count) == NULL);
  for (int i = 0; i < count; ++i) {
    const ImpPropertyInfo *info = table(i);
    CHECK(is_text(info->name) && is_text(info->doc));
    CHECK(info->kind >= IMP_NUMBER && info->kind <= IMP_BOOLEAN);
    CHECK(info->unit != NULL && (info->unit[0] == 0) == (info->kind == IMP_BOOLEAN));
    CHECK(info->lower < info->upper);
    for (int other = 0; other < i && is_text(info->name); ++other) CHECK(strcmp(table(other)->name, info->name) != 0);
  }
}


static void every_property_has_range_unit_and_meaning(void) {
  check_properties(imp_world_property, IMP_WORLD_PROPERTY_COUNT);
  check_properties(imp_body_property, IMP_BODY_PROPERTY_COUNT);
  check_properties(imp_shape_property, IMP_SHAPE_PROPERTY_COUNT);
  check_properties(imp_joint_property, IMP_JOINT_PROPERTY_COUNT);
  check_properties(imp_contact_property, IMP_CONTACT_PROPERTY_COUNT);
  check_properties(imp_field_property, IMP_FIELD_PROPERTY_COUNT);
  check_properties(imp_field_vector_info, IMP_FIELD_VECTOR_COUNT);
  check_properties(imp_mover_property, IMP_MOVER_PROPERTY_COUNT);
  for (int i = 0; i < IMP_QUANTITY_COUNT; ++i) {
    const ImpQuantityInfo *info = imp_quantity(i);
    CHECK(is_text(info->unit) && (info->numbers == 1 || info->numbers == 2) && (info->readable || info->writable));
  }
}


static void every_kind_of_joint_describes_its_coordinates(void) {
  for (int kind = 0; kind < IMP_JOINT_KIND_COUNT; ++kind) {
    const ImpJointKindInfo *info = imp_joint_kind(kind);
    CHECK(is_text(info->doc));
    int count = 0;
    while (count < IMPI_INLINE_COORDINATES && info->coordinates[count] != NULL) ++count;
    CHECK(kind == IMP_JOINT_CONSTRAINT ? count == 0 : count > 0 && info->options != 0);
    for (int i = 0; i < count; ++i) {
      bool moves = i == 0 ? info->kinds[0] >= IMP_COORDINATE_X : info->kinds[i] > info->kinds[i - 1];
      CHECK(is_text(info->coordinates[i]) && moves && info->kinds[i] < IMP_COORDINATE_TAPE);
    }
    CHECK(info->locked >> count == 0);
    CHECK(info->own >= -1 && info->own < (count > 0 ? count : 1));
    CHECK((info->own < 0) == (info->spring < 0) && (info->own < 0) == (info->motor < 0));
    CHECK(info->spring <= (count > 0 ? count - 1 : 0) && info->motor <= (count > 0 ? count - 1 : 0));
  }
}


static void every_kind_of_field_has_numbers_that_exist(void) {
  for (int kind = 0; kind < IMP_FIELD_KIND_COUNT; ++kind) {
    const ImpFieldKindInfo *info = imp_field_kind(kind);
    CHECK(is_text(info->doc));
    CHECK(info->properties >> IMP_FIELD_ID & 1u && info->properties >> IMP_FIELD_ENABLED & 1u);
    CHECK(info->properties >> IMP_FIELD_PROPERTY_COUNT == 0 && info->vectors >> IMP_FIELD_VECTOR_COUNT == 0);
  }
}


static void every_solver_steps(void) {
  for (int kind = 0; kind < IMP_SOLVER_COUNT; ++kind) {
    const ImpiSolver *solver = impi_solver(kind);
    CHECK(solver->default_substeps > 0 && solver->default_iterations > 0 && solver->solve != NULL);
    for (int other = 0; other < kind; ++other) CHECK(impi_solver(other) != solver);
  }
}


// A missing entry would be 0, the cause "applied forces", which no row has.
static void every_kind_of_row_has_a_cause_of_energy(void) {
  for (int kind = 0; kind < IMP_ROW_KIND_COUNT; ++kind) {
    CHECK(impi_ledger_cause((ImpRowKind)kind, false) != IMP_ENERGY_APPLIED);
  }
}


static void every_drive_is_in_the_order_of_drives(void) {
  unsigned seen = 0;
  for (int i = 0; i < IMPI_DRIVE_ROWS; ++i) seen |= 1u << impi_drive_order[i];
  CHECK(seen == (1u << IMPI_DRIVE_ROWS) - 1);
}


// Missing operands are refused. The message names the operation that reads the operands.
static void every_operation_names_its_missing_operands(void) {
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  char texts[IMP_OP_COUNT][100] = {0};
  for (int op = 0; op < IMP_OP_COUNT; ++op) {
    if (op == IMP_OP_CONSTANT || op == IMP_OP_TIME) continue;
    ImpNode node = {.op = (ImpOp)op, .a = -1, .b = -1, .c = -1};
    ImpTapeDef def = {.nodes = &node, .node_count = 1, .results = &(int32_t){0}, .result_count = 1, .velocity = true};
    ImpiTape tape;
    CHECK(impi_tape_create(&heap, &def, 1, 1, &tape) == IMP_ERR_ARGUMENT);
    snprintf(texts[op], sizeof texts[op], "%s", imp_last_error());
    for (int other = 0; other < op; ++other) CHECK(strcmp(texts[other], texts[op]) != 0);
  }
}


int main(void) {
  RUN(every_value_of_an_enum_has_a_unique_name);
  RUN(every_property_has_range_unit_and_meaning);
  RUN(every_kind_of_joint_describes_its_coordinates);
  RUN(every_kind_of_field_has_numbers_that_exist);
  RUN(every_solver_steps);
  RUN(every_kind_of_row_has_a_cause_of_energy);
  RUN(every_drive_is_in_the_order_of_drives);
  RUN(every_operation_names_its_missing_operands);
  return check_report("tables");
}
