// The state of force fields.
#include "snapshot/snapshot.h"

#include "base/layout_lines.h"


// Check numbers that are used as an index or a size before the world is validated.
static bool fits(const ImpiForceField *field) {
  bool custom = field->kind == IMP_FIELD_CUSTOM && !field->dynamic;
  return imp_field_kind(field->kind) != NULL && field->param_count >= 0 &&
         (!custom || (field->tape.constants != NULL && field->tape.body_count == 1 && field->tape.velocity &&
                      field->tape.param_count == field->param_count + 2 && field->tape.result_count >= 2));
}


static bool archive_field(ImpiArchive *archive, void *object) {
  ImpiForceField *field = object;
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_field_free_work(archive->heap, field); // before impi_archive_tape frees the tape, which has the size of `work`
  }
  if (!impi_archive_tape(archive, &field->tape) ||
      !impi_archive_owned(archive, &impi_layout_double, &field->params, field->param_count)) {
    return false;
  }
  if (archive->mode != IMPI_ARCHIVE_READ) {
    return true;
  }
  bool live = field->serial > 0; // a free slot has serial 0
  if (live && !fits(field)) {
    return impi_archive_refuse(archive);
  }
  return field->tape.constants == NULL || impi_field_reserve_work(archive->heap, field) ||
         impi_archive_no_memory(archive);
}


#define STRUCT ImpiForceField
static const ImpiField force_field_fields[] = {
    ANY_VALUE(value, ASIDE),
    PLAIN(vector, ASIDE),
    ANY_VALUE(region),
    LIST(members, impi_layout_int32),
    PLAIN(kind),
    PLAIN(only),
    PLAIN(bounded),
    PLAIN(dynamic),
    PARTS(tape, impi_tape_layout, ASIDE),
    KEPT(work),
    HOOK(params, NULL),
    PLAIN(param_count, SHOWN("params")),
    PLAIN(previous, ASIDE),
    PLAIN(next, ASIDE),
    PLAIN(serial, ASIDE),
    STRING(name),
    PLAIN(user_data, ASIDE),
};
const ImpiLayout impi_field_layout = IMPI_LAYOUT(STRUCT, force_field_fields, archive_field);
#undef STRUCT
