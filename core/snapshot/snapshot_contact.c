// The state of contacts.
#include "base/layout_lines.h"
#include "snapshot/column.h"
#include "snapshot/snapshot.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Contacts. What they are between, their proxies say. Where their rows are in a list is no state: the rows of a restored
// world are made anew.
// ---------------------------------------------------------------------------------------------------------------------

#define STRUCT ImpiContactPoint
static const ImpiField point_fields[] = {
    PLAIN(r_a, SHOWN("arm_a")),
    PLAIN(r_b, SHOWN("arm_b")),
    PLAIN(separation),
    PLAIN(base, ASIDE),
    PLAIN(local_a, ASIDE),
    PLAIN(local_b, ASIDE),
    WILD(lambda_n),
    WILD(lambda_t),
    WILD(total_n, SHOWN("normal_impulse")),
    WILD(total_t, SHOWN("tangent_impulse")),
    WILD(approach),
    WILD(step_n, ASIDE),
    WILD(step_t, ASIDE),
    WILD(work_n, ASIDE),
    WILD(work_t, ASIDE),
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
    PLAIN(colour),
    PLAIN(count, SHOWN("points")),
    KEPT(row_count),
    PLAIN(normal),
    PLAIN(local_normal, ASIDE),
    PLAIN(reference.p, ASIDE),
    PLAIN(reference.c, ASIDE),
    PLAIN(reference.s, ASIDE),
    PLAIN(reference.extent_b, ASIDE),
    PLAIN(reference.clearance, ASIDE),
    WILD(lambda_r),
    WILD(total_r, SHOWN("rolling_impulse")),
    WILD(step_r, ASIDE),
    WILD(work_r, ASIDE),
    PLAIN(friction),
    PLAIN(restitution),
    WILD(restitution_threshold),
    WILD(hit_speed),
    PLAIN(radius_a, ASIDE),
    PLAIN(radius_b, ASIDE),
    PLAIN(rolling, SHOWN("rolling_resistance")),
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
