// The state of contacts.
#include "base/layout_lines.h"
#include "model/property_lines.h"
#include "snapshot/column.h"
#include "snapshot/snapshot.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Contacts. Their bodies, shapes and pieces follow from their proxies. The indices of their rows are not state: a
// restored world recomputes its rows.
// ---------------------------------------------------------------------------------------------------------------------

#define STRUCT ImpiContactPoint
static const ImpiField point_fields[] = {
    PLAIN(r_a, SHOWN("arm_a"), UP_TO(IMP_MAX_ARM)),
    PLAIN(r_b, SHOWN("arm_b"), UP_TO(IMP_MAX_ARM)),
    PLAIN(separation, UP_TO(IMP_MAX_ARM)),
    PLAIN(base, ASIDE, UP_TO(IMP_MAX_ARM)),
    PLAIN(local_a, ASIDE, UP_TO(IMP_MAX_ARM)),
    PLAIN(local_b, ASIDE, UP_TO(IMP_MAX_ARM)),
    ANY_VALUE(lambda_n),
    ANY_VALUE(lambda_t),
    ANY_VALUE(total_n, SHOWN("normal_impulse")),
    ANY_VALUE(total_t, SHOWN("tangent_impulse")),
    ANY_VALUE(approach),
    ANY_VALUE(step_n, ASIDE),
    ANY_VALUE(step_t, ASIDE),
    ANY_VALUE(work_n, ASIDE),
    ANY_VALUE(work_t, ASIDE),
    PLAIN(feature),
    PLAIN(matched),
};
const ImpiLayout impi_point_layout = IMPI_LAYOUT(STRUCT, point_fields, NULL);
#undef STRUCT

#define STRUCT ImpiContact
static const ImpiField contact_fields[] = {
    HOOK(body_a, NULL),
    HOOK(body_b, NULL),
    HOOK(shape_a, NULL),
    HOOK(shape_b, NULL),
    HOOK(child_a, NULL),
    HOOK(child_b, NULL),
    PLAIN(proxy_a, ASIDE),
    PLAIN(proxy_b, ASIDE),
    PLAIN(flags),
    INTS(edge),
    KEPT(place),
    KEPT(read),
    PLAIN(stamp, ASIDE),
    PLAIN(still_changes, ASIDE),
    KEPT(first_row),
    KEPT(row_stamp),
    KEPT(run),
    PLAIN(colour, WITHIN(IMPI_UNCOLOURED, IMPI_NO_COLOUR)),
    PLAIN(count, SHOWN("points"), WITHIN(0, 2)),
    KEPT(row_count),
    PLAIN(normal, UP_TO(2)),
    PLAIN(local_normal, ASIDE, UP_TO(IMP_MAX_ARM)),
    PLAIN(reference.p, ASIDE, UP_TO(IMP_MAX_ARM)),
    PLAIN(reference.c, ASIDE),
    PLAIN(reference.s, ASIDE),
    PLAIN(reference.extent_b, ASIDE, UP_TO(IMPI_HUGE)),
    PLAIN(reference.clearance, ASIDE, UP_TO(IMPI_HUGE)),
    ANY_VALUE(lambda_r),
    ANY_VALUE(total_r, SHOWN("rolling_impulse")),
    ANY_VALUE(step_r, ASIDE),
    ANY_VALUE(work_r, ASIDE),
    PLAIN(friction, WITHIN(FRICTION_RANGE)),
    PLAIN(restitution, WITHIN(RESTITUTION_RANGE)),
    ANY_VALUE(restitution_threshold),
    ANY_VALUE(hit_speed),
    PLAIN(radius_a, ASIDE, WITHIN(0, 4 * IMPI_MAX_COORDINATE)),
    PLAIN(radius_b, ASIDE, WITHIN(0, 4 * IMPI_MAX_COORDINATE)),
    PLAIN(rolling, SHOWN("rolling_resistance"), WITHIN(0, IMP_MAX_RATIO * 2 * IMPI_MAX_COORDINATE)),
    PLAIN(surface_speed, UP_TO(2 * IMP_MAX_RATIO)), // the sum of two surface speeds
    HOOK(points, NULL),
};
const ImpiLayout impi_contact_layout = IMPI_LAYOUT(STRUCT, contact_fields, NULL);
#undef STRUCT


// Points for the next block of columns. The points of all contacts, ImpiContact.count of each, are one sequence.
typedef struct Gathered {
  void *records[IMPI_COLUMN_BLOCK];
  int count;
  ImpiColumns columns;
} Gathered;


static bool flush(ImpiArchive *archive, Gathered *gathered) {
  int count = gathered->count;
  gathered->count = 0;
  if (count == 0) {
    return true;
  }
  return archive->mode == IMPI_ARCHIVE_WRITE ? impi_columns_write(&gathered->columns, archive, gathered->records, count)
                                             : impi_columns_read(&gathered->columns, archive, gathered->records, count);
}


// Reserve the points of a contact that was read. `first`: they are in the first block of columns and are cleared, as
// impi_columns_read requires.
static bool make_points(ImpiArchive *archive, ImpWorld *world, ImpiContact *contact, bool first) {
  if (contact->count < 0 || contact->count > 2) {
    contact->count = 0;
    return impi_archive_refuse(archive);
  }
  if (!impi_points_make(archive->heap, &world->points, contact)) {
    return impi_archive_no_memory(archive);
  }
  if (first || contact->count < 2) {
    memset(contact->points, 0, 2 * sizeof *contact->points);
  }
  return true;
}


static int64_t points_of(const ImpWorld *world) {
  int64_t count = 0;
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    count += world->contacts.data[slot].count > 0 ? world->contacts.data[slot].count : 0;
  }
  return count;
}


bool impi_archive_points(ImpiArchive *archive, void *object) {
  ImpWorld *world = object;
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_points_free(archive->heap, &world->points);
    return true;
  }
  Gathered gathered = {.count = 0};
  impi_columns_of(&impi_point_layout, &gathered.columns);
  if (archive->mode == IMPI_ARCHIVE_READ && !impi_archive_holds(archive, &impi_point_layout, points_of(world))) {
    return impi_archive_refuse(archive);
  }
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    ImpiContact *contact = &world->contacts.data[slot];
    if (contact->count == 0) {
      continue;
    }
    if (archive->mode == IMPI_ARCHIVE_READ &&
        !make_points(archive, world, contact, gathered.columns.previous == NULL)) {
      return false;
    }
    for (int i = 0; i < contact->count; ++i) {
      gathered.records[gathered.count++] = &contact->points[i];
      if (gathered.count == IMPI_COLUMN_BLOCK && !flush(archive, &gathered)) {
        return false;
      }
    }
  }
  return flush(archive, &gathered);
}
