// The state of bodies and of the broad phase. The table of the members of ImpiBody is in model/body_table.c.
#include "snapshot/snapshot.h"

#include "base/layout_lines.h"

#include <string.h>


// ---------------------------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------------------------

#define STRUCT ImpiMotion
static const ImpiField motion_fields[] = {PLAIN(x, SHOWN("center.x"), UP_TO(IMPI_MAX_REACH)),
                                          PLAIN(y, SHOWN("center.y"), UP_TO(IMPI_MAX_REACH)),
                                          TURN(COSINE, c, angle),
                                          TURN(SINE, s, angle),
                                          PLAIN(vx, SHOWN("velocity.x"), UP_TO(IMPI_HUGE)),
                                          PLAIN(vy, SHOWN("velocity.y"), UP_TO(IMPI_HUGE)),
                                          PLAIN(w, SHOWN("angular_velocity"), UP_TO(IMPI_HUGE)),
                                          PLAIN(angle, UP_TO(IMP_MAX_ANGLE))};
const ImpiLayout impi_motion_layout = IMPI_LAYOUT(STRUCT, motion_fields, NULL);
#undef STRUCT


// ---------------------------------------------------------------------------------------------------------------------
// Broad phase
// ---------------------------------------------------------------------------------------------------------------------

#define STRUCT ImpiFilter
static const ImpiField filter_fields[] = {PLAIN(category), PLAIN(mask), PLAIN(group)};
const ImpiLayout impi_filter_layout = IMPI_LAYOUT(STRUCT, filter_fields, NULL);
#undef STRUCT

#define STRUCT ImpiProxy
static const ImpiField proxy_fields[] = {PLAIN(fat, SHOWN(""), UP_TO(IMPI_HUGE)),
                                         PARTS(filter, impi_filter_layout, ASIDE),
                                         PLAIN(body, ASIDE),
                                         PLAIN(shape, ASIDE),
                                         PLAIN(child, ASIDE),
                                         KEPT(leaf),
                                         PLAIN(moved, ASIDE),
                                         PLAIN(kind, ASIDE),
                                         KEPT(late)};
const ImpiLayout impi_proxy_layout = IMPI_LAYOUT(STRUCT, proxy_fields, NULL);
#undef STRUCT


// Set the proxies of shapes from the data of the proxies. Returns false if a proxy is invalid or a piece has two
// proxies.
static bool find_shapes(ImpWorld *world) {
  const ImpiBroadphase *bp = &world->broadphase;
  for (int32_t i = 0; i < bp->proxies.count; ++i) {
    const ImpiProxy *proxy = &bp->proxies.data[i];
    if (proxy->kind > IMPI_PROXY_FREE) {
      return false;
    }
    if (proxy->kind == IMPI_PROXY_FREE) {
      continue;
    }
    bool known = proxy->shape >= 0 && proxy->shape < world->shapes.count;
    ImpiShape *shape = known ? &world->shapes.data[proxy->shape] : NULL;
    if (!known || proxy->child < 0 || proxy->child >= shape->geometry.child_count || shape->body != proxy->body ||
        shape->body < 0 || shape->body >= world->bodies.count || impi_shape_proxy(shape, proxy->child) >= 0) {
      return false;
    }
    impi_shape_set_proxy(shape, proxy->child, i);
  }
  return true;
}


// The map of pairs is rebuilt from the contacts, and the trees from the boxes.
static bool archive_broadphase(ImpiArchive *archive, void *object) {
  ImpiBroadphase *bp = object;
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_pair_map_free(archive->heap, &bp->contacts);
    impi_broadphase_free_followers(archive->heap, bp);
  }
  if (archive->mode != IMPI_ARCHIVE_READ) {
    return true;
  }
  if (!find_shapes(archive->owner)) {
    return impi_archive_refuse(archive);
  }
  return impi_broadphase_restore(archive->heap, bp) || impi_archive_no_memory(archive);
}


#define STRUCT ImpiBroadphase
static const ImpiField broadphase_fields[] = {LIST(proxies, impi_proxy_layout),
                                              PLAIN(free_proxy, ASIDE),
                                              PLAIN(proxy_count, ASIDE),
                                              HOOK(kind_count, NULL),
                                              LIST(moved, impi_layout_int32),
                                              HOOK(contacts, NULL),
                                              PLAIN(still_changes, ASIDE),
                                              HOOK(pairs, NULL),
                                              HOOK(pairs_peak, NULL),
                                              HOOK(trees, NULL),
                                              HOOK(late, NULL),
                                              HOOK(boxes, NULL),
                                              HOOK(searched, NULL),
                                              HOOK(grid, NULL),
                                              HOOK(met, NULL),
                                              HOOK(met_changes, NULL)};
const ImpiLayout impi_broadphase_layout = IMPI_LAYOUT(STRUCT, broadphase_fields, archive_broadphase);
#undef STRUCT
