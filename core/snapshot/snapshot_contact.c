// The state of contacts.
#include "snapshot/column.h"
#include "snapshot/snapshot.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Contacts. What they are between, their proxies say. Where their rows are in a list is no state: the rows of a restored
// world are made anew.
// ---------------------------------------------------------------------------------------------------------------------

#define STRUCT ImpiContactPoint
static const ImpiField point_fields[] = {
    PLAIN(r_a),     PLAIN(r_b),     PLAIN(separation), PLAIN(base),    PLAIN(local_a), PLAIN(local_b),
    WILD(lambda_n), WILD(lambda_t), WILD(total_n),     WILD(total_t),  WILD(approach), WILD(step_n),
    WILD(step_t),   WILD(work_n),   WILD(work_t),      PLAIN(feature), PLAIN(matched),
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
    PLAIN(proxy_a),
    PLAIN(proxy_b),
    PLAIN(flags),
    INTS(edge),
    KEPT(place),
    KEPT(read),
    PLAIN(stamp),
    PLAIN(still_changes),
    KEPT(first_row),
    KEPT(row_stamp),
    KEPT(run),
    PLAIN(colour),
    PLAIN(count),
    KEPT(row_count),
    PLAIN(normal),
    PLAIN(local_normal),
    PLAIN(reference.p),
    PLAIN(reference.c),
    PLAIN(reference.s),
    PLAIN(reference.extent_b),
    PLAIN(reference.clearance),
    WILD(lambda_r),
    WILD(total_r),
    WILD(step_r),
    WILD(work_r),
    PLAIN(friction),
    PLAIN(restitution),
    WILD(restitution_threshold),
    WILD(hit_speed),
    PLAIN(radius_a),
    PLAIN(radius_b),
    PLAIN(rolling),
    PLAIN(surface_speed),
    HOOK(points, NULL),
};
const ImpiLayout impi_contact_layout = IMPI_LAYOUT(STRUCT, contact_fields, NULL);
#undef STRUCT


// Their points go by themselves: those of one contact after those of the other, as many as it has.
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


// Room for the points of a contact, as it was read; the first ones are zeros, as the columns want them.
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
