// Saving a world to bytes, and restoring it. Numbers are little-endian, in 32- and 64-bit builds; section names are
// padded with zeros.
//
//   bytes = Header, Section...
//   Section = name (8 bytes), length of the data (8 bytes), data of one field of impi_world_layout (see archive.h)
//
// "world" is the first section, with all plain fields of the world struct. The checksum covers all other bytes. Reading
// fills a new world struct. It replaces the old state after everything has succeeded.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/float_state.h"
#include "snapshot/snapshot.h"
#include "snapshot/world_valid.h"
#include "world/audit.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/contacts.h"
#include "world/fields.h"
#include "world/joints.h"
#include "world/movers.h"
#include "world/shapes.h"
#include "world/touching.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Version of the format; increase it when the meaning of unchanged fields changes.
#define FORMAT 3

static const char magic[8] = "IMPSNAP";

// All members have 8 bytes, so the struct has no padding.
typedef struct Header {
  char magic[8];
  uint64_t format;
  uint64_t build;    // hash of the layouts and the version
  uint64_t size;     // size of the whole snapshot [bytes]
  uint64_t checksum; // XXH3-64 of all bytes of the snapshot except this number
} Header;


// Return a hash of the tables of fields and of the version. Builds with the same hash can read each other's snapshots.
static uint64_t build_of(void) {
  uint64_t version = (uint64_t)IMP_VERSION_MAJOR << 32 | (uint64_t)IMP_VERSION_MINOR << 16 | IMP_VERSION_PATCH;
  static _Atomic uint64_t known; // hash of the tables, which are constant; 0: not computed yet
  uint64_t identity = atomic_load_explicit(&known, memory_order_relaxed);
  if (identity == 0) {
    identity = impi_layout_identity(&impi_world_layout);
    atomic_store_explicit(&known, identity, memory_order_relaxed);
  }
  return identity * 0x9e3779b97f4a7c15u ^ version;
}


static uint64_t checksum_of(const Header *header, const void *bytes) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, header, offsetof(Header, checksum));
  XXH3_64bits_update(&state, (const char *)bytes + sizeof *header, (size_t)header->size - sizeof *header);
  return XXH3_64bits_digest(&state);
}


// ---------------------------------------------------------------------------------------------------------------------
// Saving
// ---------------------------------------------------------------------------------------------------------------------


// Estimate the size of a snapshot [bytes].
static size_t expected_size(const ImpWorld *world) {
  return 65536 + (size_t)world->bodies.count * 160 + (size_t)world->contacts.count * 360 +
         (size_t)world->joints.count * 400;
}


static ImpStatus save(const ImpWorld *world, void **out_bytes, size_t *out_size) {
  impi_contacts_now(world);
  impi_flush_joint(world, -1);
  ImpWorld *source = (ImpWorld *)(uintptr_t)world; // impi_archive takes no const; IMPI_ARCHIVE_WRITE changes nothing
  ImpiArchive archive = {.mode = IMPI_ARCHIVE_WRITE, .owner = source};
  Header header = {.format = FORMAT, .build = build_of()};
  memcpy(header.magic, magic, sizeof magic);
  if (!impi_archive_room(&archive, expected_size(world)) || !impi_archive_bytes(&archive, &header, sizeof header) ||
      !impi_archive(&archive, &impi_world_layout, source)) {
    free(archive.out);
    return archive.status;
  }
  header.size = archive.at;
  header.checksum = checksum_of(&header, archive.out);
  memcpy(archive.out, &header, sizeof header);
  // imp_snapshot_free frees the copy; the bytes may outlive the world.
  unsigned char *fitting = malloc(archive.at);
  if (fitting != NULL) {
    memcpy(fitting, archive.out, archive.at);
    free(archive.out);
  }
  *out_bytes = fitting != NULL ? fitting : archive.out;
  *out_size = (size_t)header.size;
  return IMP_OK;
}


ImpStatus imp_world_snapshot(const ImpWorld *world, void **out_bytes, size_t *out_size) {
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "a snapshot cannot be made inside a step");
  }
  impi_movers_close_gaps(world);
  // The default rounding mode is necessary, because the reader must compute the same sine of an angle as the writer.
  uint64_t float_state = impi_float_state_enter();
  ImpStatus status = save(world, out_bytes, out_size);
  impi_float_state_leave(float_state);
  return status;
}


void imp_snapshot_free(void *bytes) { free(bytes); }


// ---------------------------------------------------------------------------------------------------------------------
// Restoring
// ---------------------------------------------------------------------------------------------------------------------


static ImpStatus read_header(const void *bytes, size_t size, Header *out_header) {
  if (bytes == NULL || size < sizeof *out_header) {
    return impi_fail(IMP_ERR_ARGUMENT, "the bytes are not a snapshot of a world: got %d bytes, at least %d expected",
                     bytes == NULL ? 0 : (int)size, (int)sizeof *out_header);
  }
  memcpy(out_header, bytes, sizeof *out_header);
  if (memcmp(out_header->magic, magic, sizeof magic) != 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "the bytes are not a snapshot of a world");
  }
  return IMP_OK;
}


static bool is_readable(const Header *header) { return header->format == FORMAT && header->build == build_of(); }


static ImpStatus check_bytes(const void *bytes, size_t size) {
  Header header;
  ImpStatus status = read_header(bytes, size, &header);
  if (status != IMP_OK) {
    return status;
  }
  if (!is_readable(&header)) {
    return impi_fail(IMP_ERR_ARGUMENT, "the snapshot was made by another build of the library");
  }
  if (header.size != size) {
    return impi_fail(IMP_ERR_ARGUMENT, "the length of the snapshot is wrong: it was cut or damaged");
  }
  if (header.checksum != checksum_of(&header, bytes)) {
    return impi_fail(IMP_ERR_ARGUMENT, "the snapshot is damaged: its checksum does not match");
  }
  return IMP_OK;
}


ImpStatus imp_snapshot_info(const void *bytes, size_t size, ImpSnapshotInfo *out_info) {
  Header header;
  ImpStatus status = read_header(bytes, size, &header);
  if (status != IMP_OK) {
    return status;
  }
  if (header.size < sizeof header || header.size > size) {
    return impi_fail(IMP_ERR_ARGUMENT, "the snapshot was cut or damaged: its length is not that in its header");
  }
  memset(out_info, 0, sizeof *out_info);
  out_info->size = (size_t)header.size;
  out_info->format = header.format;
  out_info->readable = is_readable(&header);
  for (uint64_t at = sizeof header; at < header.size && header.format == FORMAT;) {
    ImpSnapshotSection *section = &out_info->sections[out_info->section_count];
    uint64_t frame[2]; // name, length
    if (header.size - at < sizeof frame || out_info->section_count == IMP_MAX_SNAPSHOT_SECTIONS) {
      return impi_fail(IMP_ERR_ARGUMENT,
                       "the snapshot is damaged: the lengths of its sections do not add up to its length");
    }
    memcpy(frame, (const char *)bytes + at, sizeof frame);
    if (frame[1] > header.size - at - sizeof frame) {
      return impi_fail(IMP_ERR_ARGUMENT,
                       "the snapshot is damaged: the lengths of its sections do not add up to its length");
    }
    memcpy(section->name, &frame[0], sizeof frame[0]);
    section->bytes = sizeof frame + (size_t)frame[1];
    at += section->bytes;
    out_info->section_count++;
  }
  return IMP_OK;
}


// Read the state into `fresh`, and reserve room in the world.
static ImpStatus read_state(ImpWorld *world, ImpWorld *fresh, const void *bytes, size_t size) {
  ImpiHeap *heap = &world->heap;
  ImpiArchive archive = {.mode = IMPI_ARCHIVE_READ,
                         .in = bytes,
                         .at = sizeof(Header),
                         .size = size,
                         .whole = size,
                         .heap = heap,
                         .owner = fresh};
  fresh->tag = world->tag; // handles that are read get this tag
  if (!impi_archive(&archive, &impi_world_layout, fresh)) {
    return archive.status;
  }
  if (archive.at != size) {
    impi_archive_refuse(&archive);
    return archive.status;
  }
  ImpiInvalid invalid;
  if (!impi_world_is_valid(fresh, &invalid)) {
    return invalid.no_memory ? impi_fail(IMP_ERR_NOMEM, "out of memory")
           : invalid.index < 0
               ? impi_fail(IMP_ERR_ARGUMENT, "the snapshot is not a valid world: %s: %s", invalid.object, invalid.what)
               : impi_fail(IMP_ERR_ARGUMENT, "the snapshot is not a valid world: %s in slot %d: %s", invalid.object,
                           (int)invalid.index, invalid.what);
  }
  bool room = impi_reserve(heap, &world->narrow.active, fresh->contacts.count) &&
              impi_bits_reserve(heap, &world->narrow.awake, fresh->contacts.count) &&
              impi_sums_reserve_for(heap, &world->shape_sums, fresh) && impi_fields_list(heap, fresh);
  for (int32_t i = 0; i < fresh->joints.count && room; ++i) {
    room = impi_sample_reserve(heap, &world->joint.samples, &fresh->joints.data[i]);
  }
  if (!room) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  ImpiPool *const pools[][2] = {{&fresh->body_pool, &world->body_pool},
                                {&fresh->shape_pool, &world->shape_pool},
                                {&fresh->contact_pool, &world->contact_pool},
                                {&fresh->joint_pool, &world->joint_pool},
                                {&fresh->field.pool, &world->field.pool}};
  ImpStatus status = IMP_OK;
  for (int i = 0; i < IMPI_COUNT(pools) && status == IMP_OK; ++i) {
    status = impi_pool_succeed(heap, pools[i][0], pools[i][1]);
  }
  return status;
}


static void free_state(ImpiHeap *heap, ImpWorld *state) {
  ImpiArchive archive = {.mode = IMPI_ARCHIVE_FREE, .heap = heap, .owner = state};
  impi_archive(&archive, &impi_world_layout, state);
  impi_fields_unlist(heap, state);
}


// Replace the state of the world by `fresh`.
static void take_over(ImpWorld *world, ImpWorld *fresh) {
  impi_broadphase_inherit(&fresh->broadphase, &world->broadphase);
  free_state(&world->heap, world);
  world->field.listed = fresh->field.listed;
  for (int i = 0; i < impi_world_layout.count; ++i) {
    const ImpiField *field = &impi_world_layout.fields[i];
    if (field->kind == IMPI_FIELD_KEPT) {
      memcpy((char *)fresh + field->offset, (const char *)world + field->offset, field->size);
    }
  }
  *world = *fresh;
  world->narrow.contacts_lost = world->narrow.active_dirty = true;
  impi_lane_contacts_reset(&world->narrow.lane_contacts);
  impi_bits_empty(&world->narrow.separated.set);
  impi_bits_empty(&world->narrow.found);
  world->ccd.clearances.count = world->event.destroyed_order[0].count = world->event.destroyed_order[1].count = 0;
  world->shape_sums.nodes.count = world->shape_sums.roots.count = 0;
  world->mover.gaps = world->mover.first_free = 0;
  impi_contacts_relink(world);
  impi_share_geometries(world);
  impi_internal_edges_restore(world);
  impi_touching_changed(world);
  world->narrow.stale.count = 0;
  impi_names_forget(&world->body_names);
  impi_names_forget(&world->joint_names);
  world->narrow.touching_counts.counted = false;
  world->row.valid = world->joint.results_kept = world->joint.opening.listed = false;
  world->row.list.count = world->row.redundant.count = world->row.weak.count = 0;
  for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
    world->event.events[kind].count = 0;
  }
}


static ImpStatus prepare(ImpWorld *world, ImpWorld *fresh, const void *bytes, size_t size) {
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "a world cannot be restored inside its own step");
  }
  ImpStatus status = check_bytes(bytes, size);
  if (status == IMP_OK) {
    uint64_t float_state = impi_float_state_enter();
    memset(fresh, 0, sizeof *fresh);
    status = read_state(world, fresh, bytes, size);
    if (status != IMP_OK) {
      free_state(&world->heap, fresh);
    }
    impi_float_state_leave(float_state);
  }
  return status;
}


// Replace the state of the world. Cannot fail.
static void carry_out(ImpWorld *world, ImpWorld *fresh) {
  uint64_t float_state = impi_float_state_enter();
  bool audited = world->settings.auditing;
  take_over(world, fresh);
  if (world->settings.auditing && !audited) { // the energy ledger is not part of a snapshot
    impi_audit_start(world);
  }
  impi_float_state_leave(float_state);
}


ImpStatus impi_world_restore(ImpWorld *world, const void *bytes, size_t size) {
  ImpWorld fresh;
  ImpStatus status = prepare(world, &fresh, bytes, size);
  if (status == IMP_OK) {
    carry_out(world, &fresh);
  }
  return status;
}


struct ImpRestore {
  ImpWorld *world;
  ImpWorld fresh;
};


ImpStatus imp_world_begin_restore(ImpWorld *world, const void *bytes, size_t size, ImpRestore **out_restore) {
  ImpRestore *restore = impi_resize(&world->heap, NULL, 0, sizeof *restore);
  if (restore == NULL) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  restore->world = world;
  ImpStatus status = prepare(world, &restore->fresh, bytes, size);
  if (status != IMP_OK) {
    impi_resize(&world->heap, restore, sizeof *restore, 0);
    return status;
  }
  *out_restore = restore;
  return IMP_OK;
}


ImpWorld *impi_restore_world(const ImpRestore *restore) { return restore->world; }


void impi_restore_end(ImpRestore *restore, bool take) {
  if (restore == NULL) {
    return;
  }
  ImpWorld *world = restore->world;
  if (take) {
    carry_out(world, &restore->fresh);
  } else {
    free_state(&world->heap, &restore->fresh);
  }
  impi_resize(&world->heap, restore, sizeof *restore, 0);
}
