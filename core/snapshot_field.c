// The state of force fields.
#include "snapshot.h"


// What is looked up by a number that was read must be there.
static bool archive_field(ImpiArchive *archive, void *object) {
  const ImpiForceField *field = object;
  bool fits = imp_field_kind(field->kind) != NULL;
  return archive->mode != IMPI_ARCHIVE_READ || fits || impi_archive_refuse(archive);
}


#define STRUCT ImpiForceField
static const ImpiField force_field_fields[] = {
    PLAIN(value), PLAIN(vector), PLAIN(region),  LIST(members, impi_layout_int32),
    PLAIN(kind),  PLAIN(only),   PLAIN(bounded), PLAIN(previous),
    PLAIN(next),  PLAIN(serial), STRING(name),   PLAIN(user_data),
};
const ImpiLayout impi_field_layout = IMPI_LAYOUT(STRUCT, force_field_fields, archive_field);
#undef STRUCT
