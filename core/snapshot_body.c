// The state of bodies, shapes and contacts, and of the broad phase.
#include "snapshot.h"

#include <string.h>


// ---------------------------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------------------------

#define STRUCT ImpiMotion
static const ImpiField motion_fields[] = {PLAIN(x),  PLAIN(y),  PLAIN(c), PLAIN(s),
                                          PLAIN(vx), PLAIN(vy), PLAIN(w), PLAIN(angle)};
const ImpiLayout impi_motion_layout = IMPI_LAYOUT(STRUCT, motion_fields, NULL);
#undef STRUCT

#define STRUCT ImpiBody
static const ImpiField body_fields[] = {
    PLAIN(inv_mass),
    PLAIN(inv_inertia),
    PLAIN(local_center),
    KEPT(lane),
    PLAIN(type),
    PLAIN(awake),
    PLAIN(enabled),
    PLAIN(constrained),
    PLAIN(bullet),
    PLAIN(fixed_rotation),
    PLAIN(allow_sleep),
    PLAIN(restless),
    PLAIN(locks),
    PLAIN(far),
    PLAIN(fast),
    PLAIN(swept),
    PLAIN(mover),
    PLAIN(inner),
    PLAIN(first_edge),
    PLAIN(gravity_scale),
    PLAIN(linear_damping),
    PLAIN(angular_damping),
    PLAIN(extent),
    PLAIN(sleep_time),
    PLAIN(slack),
    PLAIN(first_shape),
    PLAIN(last_shape),
    PLAIN(force),
    PLAIN(torque),
    PLAIN(max_speed),
    PLAIN(max_angular_speed),
    PLAIN(mass),
    PLAIN(inertia),
    PLAIN(given_mass),
    PLAIN(given_inertia),
    PLAIN(sleep_next),
    PLAIN(first_joint),
    PLAIN(steer),
    PLAIN(pushed),
    PLAIN(previous),
    PLAIN(next),
    PLAIN(serial),
    STRING(name),
    PLAIN(user_data),
    KEPT(spare),
};
const ImpiLayout impi_body_layout = IMPI_LAYOUT(STRUCT, body_fields, NULL);
#undef STRUCT


// ---------------------------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------------------------

#define STRUCT ImpiHull
static const ImpiField hull_fields[] = {
    PLAIN(count),  PLAIN(chain),        PLAIN(open_start),  PLAIN(open_end), PLAIN(radius), PLAIN(centroid),
    PLAIN(extent), PLAIN(ghost_before), PLAIN(ghost_after), PLAIN(inner),    HOOK(v, NULL), HOOK(n, NULL),
};
static const ImpiLayout hull_layout = IMPI_LAYOUT(STRUCT, hull_fields, NULL);
#undef STRUCT

#define STRUCT ImpiMass
static const ImpiField mass_fields[] = {PLAIN(area), PLAIN(center), PLAIN(inertia)};
static const ImpiLayout mass_layout = IMPI_LAYOUT(STRUCT, mass_fields, NULL);
#undef STRUCT

#define STRUCT ImpiFigure
static const ImpiField figure_fields[] = {
    KEPT(users),  PLAIN(loop),        PLAIN(block_size), PLAIN(width),  PLAIN(height),
    PLAIN(angle), PLAIN(given_count), PLAIN(ring_count), PLAIN(origin), PARTS(mass, mass_layout)};
static const ImpiLayout figure_layout = IMPI_LAYOUT(STRUCT, figure_fields, NULL);
#undef STRUCT

#define STRUCT ImpiGeometry
static const ImpiField geometry_fields[] = {PLAIN(type), PLAIN(child_count), HOOK(hulls, &hull_layout),
                                            HOOK(figure, &figure_layout)};
static const ImpiLayout geometry_layout = IMPI_LAYOUT(STRUCT, geometry_fields, NULL);
#undef STRUCT

#define STRUCT ImpiFilter
static const ImpiField filter_fields[] = {PLAIN(category), PLAIN(mask), PLAIN(group)};
static const ImpiLayout filter_layout = IMPI_LAYOUT(STRUCT, filter_fields, NULL);
#undef STRUCT

#define STRUCT ImpiMaterial
static const ImpiField material_fields[] = {
    PLAIN(friction),           PLAIN(restitution),   PLAIN(restitution_threshold),
    PLAIN(rolling_resistance), PLAIN(surface_speed), PLAIN(hit_speed)};
static const ImpiLayout material_layout = IMPI_LAYOUT(STRUCT, material_fields, NULL);
#undef STRUCT


// Pointers of a hull into its geometry's block, as distances from the block's start.
static bool archive_pointers(ImpiArchive *archive, const ImpiGeometry *geometry, ImpiHull *hull) {
  const char *block = (const char *)geometry->hulls;
  bool reads = archive->mode == IMPI_ARCHIVE_READ;
  uint64_t at[2] = {0, 0};
  if (!reads) {
    at[0] = (uint64_t)((const char *)hull->v - block);
    at[1] = (uint64_t)((const char *)hull->n - block);
  }
  if (!impi_archive_bytes(archive, at, sizeof at)) {
    return false;
  }
  if (reads) {
    uint64_t end = geometry->figure->block_size, points = (uint64_t)hull->count * sizeof(ImpVec2);
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


// Whether the rings of an outline end one after the other, the last with its points.
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


// Room for a geometry of these measures.
static bool make_block(ImpiArchive *archive, const ImpiFigure *figure, ImpiGeometry *geometry) {
  size_t head = (size_t)geometry->child_count * sizeof(ImpiHull), size = figure->block_size;
  int64_t given = (int64_t)figure->given_count * (int64_t)sizeof(ImpVec2);
  bool fits = figure->given_count >= 0 && figure->ring_count >= 0 && size >= head &&
              (uint64_t)given + impi_rings_size(figure->ring_count) <= size - head;
  if (!fits || size - head > archive->size - archive->at) {
    return impi_archive_refuse(archive);
  }
  geometry->figure = impi_resize(archive->heap, NULL, 0, sizeof *figure + size);
  if (geometry->figure == NULL) {
    return impi_archive_no_memory(archive);
  }
  *geometry->figure = *figure;
  geometry->figure->users = 1;
  geometry->hulls = (ImpiHull *)(void *)(geometry->figure + 1);
  memset(geometry->hulls, 0, size);
  return true;
}


// The block of a geometry: figure, hulls, then points and normals. Who has it too is not told.
static bool archive_geometry(ImpiArchive *archive, ImpiGeometry *geometry) {
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_geometry_free(archive->heap, geometry);
    return true;
  }
  ImpiFigure figure = {0};
  if (archive->mode != IMPI_ARCHIVE_READ) {
    figure = *geometry->figure;
  }
  if (!impi_archive_many(archive, &figure_layout, &figure, 1) ||
      (archive->mode == IMPI_ARCHIVE_READ && !make_block(archive, &figure, geometry))) {
    return false;
  }
  size_t head = (size_t)geometry->child_count * sizeof(ImpiHull), size = figure.block_size;
  bool fine = impi_archive_many(archive, &hull_layout, geometry->hulls, geometry->child_count);
  for (int32_t i = 0; i < geometry->child_count && fine; ++i) {
    fine = archive_pointers(archive, geometry, &geometry->hulls[i]);
  }
  if (!fine || !impi_archive_bytes(archive, (char *)geometry->hulls + head, size - head)) {
    return false;
  }
  return outline_is_sane(geometry) || impi_archive_refuse(archive);
}


static bool archive_shape(ImpiArchive *archive, void *object) {
  ImpiShape *shape = object;
  int32_t count = shape->geometry.child_count;
  if (count == 0) { // no shape lives here
    return true;
  }
  if (archive->mode == IMPI_ARCHIVE_READ && count < 0) {
    return impi_archive_refuse(archive);
  }
  if (archive->mode == IMPI_ARCHIVE_FREE) { // no state
    impi_borders_free(archive->heap, shape);
  }
  return impi_archive_owned(archive, &impi_layout_int32, &shape->proxies, count) &&
         archive_geometry(archive, &shape->geometry);
}


#define STRUCT ImpiShape
static const ImpiField shape_fields[] = {
    PLAIN(body),
    PLAIN(next),
    PLAIN(previous),
    HOOK(proxies, NULL),
    HOOK(borders, NULL),
    PLAIN(attached),
    PLAIN(sensor),
    PLAIN(pre_solve),
    PLAIN(selective),
    PLAIN(rejudge),
    PLAIN(doomed),
    PARTS(geometry, geometry_layout),
    PARTS(material, material_layout),
    PLAIN(material_id),
    PARTS(filter, filter_layout),
    PLAIN(density),
    PLAIN(one_way),
    PLAIN(serial),
    PLAIN(version),
    STRING(name),
    PLAIN(user_data),
};
const ImpiLayout impi_shape_layout = IMPI_LAYOUT(STRUCT, shape_fields, archive_shape);
#undef STRUCT


// ---------------------------------------------------------------------------------------------------------------------
// Contacts. Where their rows are in a list is no state: the rows of a restored world are made anew.
// ---------------------------------------------------------------------------------------------------------------------

#define STRUCT ImpiContactPoint
static const ImpiField point_fields[] = {
    PLAIN(r_a),      PLAIN(r_b),      PLAIN(separation), PLAIN(base),    PLAIN(local_a),  PLAIN(local_b),
    PLAIN(lambda_n), PLAIN(lambda_t), PLAIN(total_n),    PLAIN(total_t), PLAIN(approach), PLAIN(step_n),
    PLAIN(step_t),   PLAIN(work_n),   PLAIN(work_t),     PLAIN(feature), PLAIN(matched),
};
static const ImpiLayout point_layout = IMPI_LAYOUT(STRUCT, point_fields, NULL);
#undef STRUCT

// Its points go with the store that they are in, which is the world's.
static bool archive_contact(ImpiArchive *archive, void *object) {
  ImpiContact *contact = object;
  ImpWorld *world = archive->owner;
  if (archive->mode == IMPI_ARCHIVE_FREE || contact->count == 0) {
    return true;
  }
  if (archive->mode == IMPI_ARCHIVE_READ) {
    if (contact->count < 0 || contact->count > 2) {
      return impi_archive_refuse(archive);
    }
    if (!impi_points_make(archive->heap, &world->points, contact)) {
      return impi_archive_no_memory(archive);
    }
    memset(contact->points, 0, 2 * sizeof *contact->points);
  }
  return impi_archive_many(archive, &point_layout, contact->points, contact->count);
}


#define STRUCT ImpiContact
static const ImpiField contact_fields[] = {
    PLAIN(body_a),
    PLAIN(body_b),
    PLAIN(shape_a),
    PLAIN(shape_b),
    PLAIN(child_a),
    PLAIN(child_b),
    PLAIN(proxy_a),
    PLAIN(proxy_b),
    PLAIN(flags),
    PLAIN(edge),
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
    PLAIN(lambda_r),
    PLAIN(total_r),
    PLAIN(step_r),
    PLAIN(work_r),
    PLAIN(friction),
    PLAIN(restitution),
    PLAIN(restitution_threshold),
    PLAIN(hit_speed),
    PLAIN(radius_a),
    PLAIN(radius_b),
    PLAIN(rolling),
    PLAIN(surface_speed),
    HOOK(points, &point_layout),
};
const ImpiLayout impi_contact_layout = IMPI_LAYOUT(STRUCT, contact_fields, archive_contact);
#undef STRUCT


// ---------------------------------------------------------------------------------------------------------------------
// Broad phase
// ---------------------------------------------------------------------------------------------------------------------

#define STRUCT ImpiProxy
static const ImpiField proxy_fields[] = {PLAIN(fat),   PARTS(filter, filter_layout),
                                         PLAIN(body),  PLAIN(shape),
                                         PLAIN(child), KEPT(leaf),
                                         PLAIN(moved), PLAIN(kind),
                                         KEPT(late)};
static const ImpiLayout proxy_layout = IMPI_LAYOUT(STRUCT, proxy_fields, NULL);
#undef STRUCT


// The map of pairs is made from the contacts, see archive_world; the trees follow the boxes.
static bool archive_broadphase(ImpiArchive *archive, void *object) {
  ImpiBroadphase *bp = object;
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_pair_map_free(archive->heap, &bp->contacts);
    impi_broadphase_free_followers(archive->heap, bp);
  }
  bool short_of = archive->mode == IMPI_ARCHIVE_READ && !impi_broadphase_restore(archive->heap, bp);
  return short_of ? impi_archive_no_memory(archive) : true;
}


#define STRUCT ImpiBroadphase
static const ImpiField broadphase_fields[] = {
    LIST(proxies, proxy_layout),    PLAIN(free_proxy),    PLAIN(proxy_count),   HOOK(kind_count, NULL),
    LIST(moved, impi_layout_int32), HOOK(contacts, NULL), PLAIN(still_changes), HOOK(pairs, NULL),
    HOOK(pairs_peak, NULL),         HOOK(trees, NULL),    HOOK(late, NULL),     HOOK(boxes, NULL),
    HOOK(searched, NULL),           HOOK(grid, NULL),     HOOK(met, NULL),      HOOK(met_changes, NULL)};
const ImpiLayout impi_broadphase_layout = IMPI_LAYOUT(STRUCT, broadphase_fields, archive_broadphase);
#undef STRUCT
