// The state of shapes, and of their geometries.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/layout_lines.h"
#include "snapshot/snapshot.h"
#include "world/shapes.h"

#include <stdlib.h>
#include <string.h>

#define STRUCT ImpiHull
static const ImpiField hull_fields[] = {
    PLAIN(count),
    PLAIN(chain),
    PLAIN(open_start),
    PLAIN(open_end),
    PLAIN(radius, WITHIN(0, 2 * IMPI_MAX_COORDINATE)),
    PLAIN(centroid, UP_TO(2 * IMPI_MAX_COORDINATE)),
    PLAIN(extent, WITHIN(0, 4 * IMPI_MAX_COORDINATE)),
    PLAIN(ghost_before),
    PLAIN(ghost_after),
    PLAIN(inner),
    HOOK(v, NULL),
    HOOK(n, NULL),
};
const ImpiLayout impi_hull_layout = IMPI_LAYOUT(STRUCT, hull_fields, NULL);
#undef STRUCT

#define STRUCT ImpiMass
static const ImpiField mass_fields[] = {PLAIN(area, WITHIN(0, IMPI_HUGE)),
                                        PLAIN(center, UP_TO(2 * IMPI_MAX_COORDINATE)),
                                        PLAIN(inertia, WITHIN(0, IMPI_HUGE))};
static const ImpiLayout mass_layout = IMPI_LAYOUT(STRUCT, mass_fields, NULL);
#undef STRUCT

#define STRUCT ImpiFigure
static const ImpiField figure_fields[] = {KEPT(users),
                                          PLAIN(loop),
                                          HOOK(block_size, NULL),
                                          PLAIN(width, WITHIN(0, 2 * IMPI_MAX_COORDINATE)),
                                          PLAIN(height, WITHIN(0, 2 * IMPI_MAX_COORDINATE)),
                                          PLAIN(angle),
                                          PLAIN(given_count),
                                          PLAIN(ring_count),
                                          PLAIN(origin, UP_TO(2 * IMPI_MAX_COORDINATE)),
                                          PARTS(mass, mass_layout)};
const ImpiLayout impi_figure_layout = IMPI_LAYOUT(STRUCT, figure_fields, NULL);
#undef STRUCT

#define STRUCT ImpiGeometry
static const ImpiField geometry_fields[] = {PLAIN(type), PLAIN(child_count), HOOK(hulls, &impi_hull_layout),
                                            HOOK(figure, &impi_figure_layout)};
const ImpiLayout impi_geometry_layout = IMPI_LAYOUT(STRUCT, geometry_fields, NULL);
#undef STRUCT

#define STRUCT ImpiMaterial
static const ImpiField material_fields[] = {
    PLAIN(friction),           PLAIN(restitution),   ANY_VALUE(restitution_threshold),
    PLAIN(rolling_resistance), PLAIN(surface_speed), ANY_VALUE(hit_speed)};
static const ImpiLayout material_layout = IMPI_LAYOUT(STRUCT, material_fields, NULL);
#undef STRUCT


static size_t head_of(const ImpiGeometry *geometry) { return (size_t)geometry->child_count * sizeof(ImpiHull); }


// Write or read hull->v and hull->n, which point into the memory block of the geometry. A snapshot contains them as
// offsets from the end of the block's hulls [bytes].
static bool archive_pointers(ImpiArchive *archive, const ImpiGeometry *geometry, ImpiHull *hull) {
  const char *block = (const char *)geometry->hulls + head_of(geometry);
  bool reads = archive->mode == IMPI_ARCHIVE_READ;
  uint64_t at[2] = {0, 0};
  if (!reads) {
    at[0] = (uint64_t)((const char *)hull->v - block);
    at[1] = (uint64_t)((const char *)hull->n - block);
  }
  if (!impi_archive_number(archive, &at[0]) || !impi_archive_number(archive, &at[1])) {
    return false;
  }
  if (reads) {
    uint64_t end = geometry->figure->block_size - head_of(geometry), points = (uint64_t)hull->count * sizeof(ImpVec2);
    bool inside = hull->count > 0 && hull->count <= IMP_MAX_VERTICES && at[0] % sizeof(double) == 0 &&
                  at[1] % sizeof(double) == 0 && at[0] <= end && points <= end - at[0] && at[1] <= end &&
                  (hull->count == 1 || points <= end - at[1]);
    if (!inside) {
      return impi_archive_refuse(archive);
    }
    hull->v = (const ImpVec2 *)(const void *)(block + at[0]);
    hull->n = (const ImpVec2 *)(const void *)(block + at[1]);
  }
  return true;
}


// Return true if the end indices of the rings of an outline increase up to the number of points.
static bool outline_is_sane(const ImpiGeometry *geometry) {
  ImpiOutline outline = impi_geometry_outline(geometry);
  int32_t end = 0;
  for (int ring = 0; ring < outline.ring_count; ++ring) {
    if (outline.ends[ring] <= end) {
      return false;
    }
    end = outline.ends[ring];
  }
  return outline.ring_count == 0 || end == geometry->figure->given_count;
}


// Allocate the block of a geometry, with `rest` bytes after its pieces.
static bool make_block(ImpiArchive *archive, const ImpiFigure *figure, uint64_t rest, ImpiGeometry *geometry) {
  uint64_t given = (uint64_t)figure->given_count * sizeof(ImpVec2);
  bool fits = figure->given_count >= 0 && figure->ring_count >= 0 && rest % sizeof(double) == 0 &&
              given + impi_rings_size(figure->ring_count) <= rest;
  if (!fits || rest > archive->size - archive->at) {
    return impi_archive_refuse(archive);
  }
  size_t size = head_of(geometry) + (size_t)rest;
  geometry->figure = impi_resize(archive->heap, NULL, 0, sizeof *figure + size);
  if (geometry->figure == NULL) {
    return impi_archive_no_memory(archive);
  }
  *geometry->figure = *figure;
  geometry->figure->users = 1;
  geometry->figure->block_size = size;
  geometry->hulls = (ImpiHull *)(void *)(geometry->figure + 1);
  memset(geometry->hulls, 0, size);
  return true;
}


// Write or read the block of a geometry: its ImpiFigure (mass and measures), hulls, points and normals.
static bool archive_geometry(ImpiArchive *archive, ImpiGeometry *geometry) {
  bool reads = archive->mode == IMPI_ARCHIVE_READ;
  uint64_t type = (uint64_t)geometry->type, count = (uint64_t)geometry->child_count;
  uint64_t rest = 0; // size of the block after the pieces [bytes]
  ImpiFigure figure = {0};
  if (!reads) {
    figure = *geometry->figure;
    rest = figure.block_size - head_of(geometry);
  }
  if (!impi_archive_number(archive, &type) || !impi_archive_number(archive, &count) ||
      !impi_archive_number(archive, &rest) || !impi_archive_many(archive, &impi_figure_layout, &figure, 1)) {
    return false;
  }
  if (reads) {
    if (type >= IMP_SHAPE_TYPE_COUNT || count < 1 || count > INT32_MAX ||
        !impi_archive_holds(archive, &impi_hull_layout, (int64_t)count)) {
      return impi_archive_refuse(archive);
    }
    geometry->type = (ImpShapeType)type;
    geometry->child_count = (int32_t)count;
    if (!make_block(archive, &figure, rest, geometry)) {
      return false;
    }
  }
  bool fine = impi_archive_many(archive, &impi_hull_layout, geometry->hulls, geometry->child_count);
  for (int32_t i = 0; i < geometry->child_count && fine; ++i) {
    fine = archive_pointers(archive, geometry, &geometry->hulls[i]);
  }
  if (!fine || !impi_archive_bytes(archive, (char *)geometry->hulls + head_of(geometry), (size_t)rest)) {
    return false;
  }
  return !reads || outline_is_sane(geometry) || impi_archive_refuse(archive);
}


// ---------------------------------------------------------------------------------------------------------------------
// All geometries: each is written once, even if several shapes share it
// ---------------------------------------------------------------------------------------------------------------------

// The geometries written or read so far.
typedef struct Written {
  struct {
    int32_t shape;   // slot of the first shape with this geometry
    size_t at, size; // position and size of the geometry's bytes in the snapshot
  } * list;
  int32_t count;
  // Number of pieces of all shapes; refused above 8 times the size of the snapshot [bytes], because a valid snapshot
  // contains a proxy for each piece.
  uint64_t pieces;
  int32_t *table; // hash table of geometries by a hash of their bytes; entry: index in `list` + 1, or 0: free
  size_t mask;    // length of the table - 1
  struct {
    const ImpiFigure *figure;
    int32_t place;
  } lately[64]; // cache by address of the ImpiFigure
} Written;


static bool begin_written(Written *written, int32_t shapes, bool table) {
  size_t places = 16;
  while (places < 2 * (size_t)shapes) {
    places *= 2;
  }
  memset(written, 0, sizeof *written);
  written->mask = places - 1;
  written->list = malloc((size_t)(shapes + 1) * sizeof *written->list);
  written->table = table ? calloc(places, sizeof *written->table) : NULL;
  return written->list != NULL && (written->table != NULL || !table);
}


static void end_written(Written *written) {
  free(written->list);
  free(written->table);
}


// Return the index in `list` of the geometry whose bytes are at `at`. If no geometry in `list` has equal bytes, add it.
static int32_t place_of(Written *written, const unsigned char *out, size_t at, size_t size, int32_t shape) {
  size_t i = (size_t)XXH3_64bits(out + at, size) & written->mask;
  for (; written->table[i] != 0; i = (i + 1) & written->mask) {
    int32_t place = written->table[i] - 1;
    if (written->list[place].size == size && memcmp(out + written->list[place].at, out + at, size) == 0) {
      return place;
    }
  }
  written->table[i] = written->count + 1;
  written->list[written->count].shape = shape;
  written->list[written->count].at = at;
  written->list[written->count].size = size;
  return written->count++;
}


// Write the geometry of a shape: 0 for none, 1 and its bytes for a new one, 2 + index for an earlier one.
static bool write_geometry(ImpiArchive *archive, Written *written, ImpiShape *shape, int32_t slot) {
  const ImpiFigure *figure = shape->geometry.figure;
  size_t start = archive->at, bucket = ((uintptr_t)figure >> 5) % IMPI_COUNT(written->lately);
  uint64_t what = figure != NULL ? 1 : 0;
  if (figure != NULL && written->lately[bucket].figure == figure) {
    what = 2 + (uint64_t)written->lately[bucket].place;
    return impi_archive_number(archive, &what);
  }
  if (!impi_archive_number(archive, &what)) {
    return false;
  }
  if (figure == NULL) {
    return true;
  }
  size_t at = archive->at;
  if (!archive_geometry(archive, &shape->geometry)) {
    return false;
  }
  int32_t count = written->count, place = place_of(written, archive->out, at, archive->at - at, slot);
  written->lately[bucket].figure = figure;
  written->lately[bucket].place = place;
  if (place < count) {
    archive->at = start;
    what = 2 + (uint64_t)place;
    return impi_archive_number(archive, &what);
  }
  return true;
}


// Read the geometry of a shape, and reserve room for its proxies.
static bool read_geometry(ImpiArchive *archive, Written *written, ImpWorld *world, int32_t slot) {
  ImpiShape *shape = &world->shapes.data[slot];
  uint64_t what = 0;
  if (!impi_archive_number(archive, &what)) {
    return false;
  }
  if (what == 0) {
    return true;
  }
  if (what == 1) {
    if (!archive_geometry(archive, &shape->geometry)) {
      return false;
    }
    written->list[written->count++].shape = slot;
  } else {
    if (what - 2 >= (uint64_t)written->count) {
      return impi_archive_refuse(archive);
    }
    shape->geometry = world->shapes.data[written->list[what - 2].shape].geometry;
    shape->geometry.figure->users++;
  }
  written->pieces += (uint64_t)shape->geometry.child_count;
  if (written->pieces > 8 * (uint64_t)archive->whole) {
    return impi_archive_refuse(archive);
  }
  shape->proxy = -1;
  return impi_shape_make_proxies(archive->heap, shape->geometry.child_count, &shape->proxies) ||
         impi_archive_no_memory(archive);
}


bool impi_archive_geometries(ImpiArchive *archive, void *object) {
  ImpWorld *world = object;
  bool writes = archive->mode == IMPI_ARCHIVE_WRITE;
  Written written;
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    return true; // each shape frees its own geometry
  }
  bool fine = begin_written(&written, world->shapes.count, writes) || impi_archive_no_memory(archive);
  for (int32_t slot = 0; slot < world->shapes.count && fine; ++slot) {
    fine = writes ? write_geometry(archive, &written, &world->shapes.data[slot], slot)
                  : read_geometry(archive, &written, world, slot);
  }
  end_written(&written);
  return fine;
}


// ---------------------------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------------------------


static bool archive_shape(ImpiArchive *archive, void *object) {
  ImpiShape *shape = object;
  if (archive->mode == IMPI_ARCHIVE_FREE && shape->geometry.figure != NULL) {
    impi_internal_edges_free(archive->heap, shape);
    impi_shape_free_proxies(archive->heap, shape->geometry.child_count, shape->proxies);
    shape->proxies = NULL;
    impi_geometry_free(archive->heap, &shape->geometry);
  }
  return true;
}


#define STRUCT ImpiShape
static const ImpiField shape_fields[] = {
    PLAIN(body, ASIDE),
    PLAIN(next, ASIDE),
    PLAIN(previous, ASIDE),
    HOOK(first_edge, NULL),
    HOOK(proxy, NULL),
    HOOK(proxies, NULL),
    HOOK(internal_edges, NULL),
    PLAIN(attached, ASIDE),
    PLAIN(sensor),
    PLAIN(pre_solve),
    PLAIN(selective),
    PLAIN(needs_refilter, ASIDE),
    PLAIN(pending_destroy, ASIDE),
    HOOK(geometry, NULL),
    PARTS(material, material_layout),
    PLAIN(material_id, SHOWN("material")),
    PARTS(filter, impi_filter_layout),
    PLAIN(density),
    PLAIN(one_way),
    PLAIN(serial, SHOWN("id")),
    PLAIN(version),
    STRING(name),
    PLAIN(user_data, ASIDE),
};
const ImpiLayout impi_shape_layout = IMPI_LAYOUT(STRUCT, shape_fields, archive_shape);
#undef STRUCT
