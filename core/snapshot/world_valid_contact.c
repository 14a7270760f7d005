// Contacts: what they are between, their lists, their points.
#include "snapshot/world_valid.h"

#include "model/colour.h"

#include <string.h>

#define ALL_FLAGS (2 * (uint32_t)IMPI_CONTACT_CORNER - 1)


static bool points_are_valid(ImpiValidity *validity, const ImpiContact *contact, int32_t slot) {
  IMPI_VALID(contact->count >= 0 && contact->count <= 2 && (contact->count == 0 || contact->points != NULL), "contact",
             slot, "its points are not there");
  IMPI_VALID(contact->count == 0 || fabs(impi_length_sq(contact->normal) - 1) < 1e-3, "contact", slot,
             "its normal is no unit");
  const float *local = contact->local_normal;
  bool kept = contact->count > 0 && contact->flags & IMPI_CONTACT_FRESH && !(contact->flags & IMPI_CONTACT_CORNER);
  IMPI_VALID(!kept || fabs((double)(local[0] * local[0] + local[1] * local[1]) - 1) < 1e-3, "contact", slot,
             "the normal that it was found with is no unit");
  for (int i = 0; i < contact->count; ++i) {
    const ImpiContactPoint *point = &contact->points[i];
    bool near = impi_vec_within(point->r_a, IMP_MAX_ARM) && impi_vec_within(point->r_b, IMP_MAX_ARM);
    for (int axis = 0; axis < 2; ++axis) { // what a step brings along with the bodies
      near = near && fabs((double)point->local_a[axis]) <= IMP_MAX_ARM &&
             fabs((double)point->local_b[axis]) <= IMP_MAX_ARM;
    }
    IMPI_VALID(near && fabs(point->separation) <= IMP_MAX_ARM && fabs(point->base) <= IMP_MAX_ARM, "contact", slot,
               "a point of it");
  }
  return true;
}


static bool contact_is_valid(ImpiValidity *validity, int32_t slot) {
  const ImpWorld *world = validity->world;
  const ImpiContact *contact = &world->contacts.data[slot];
  const int32_t proxies[2] = {contact->proxy_a, contact->proxy_b}, shapes[2] = {contact->shape_a, contact->shape_b};
  const int32_t bodies[2] = {contact->body_a, contact->body_b}, children[2] = {contact->child_a, contact->child_b};
  for (int side = 0; side < 2; ++side) {
    bool there = proxies[side] >= 0 && proxies[side] < world->broadphase.proxies.count;
    const ImpiProxy *proxy = there ? &world->broadphase.proxies.data[proxies[side]] : NULL;
    IMPI_VALID(there && proxy->kind != IMPI_PROXY_FREE && proxy->shape == shapes[side] && proxy->body == bodies[side] &&
                   proxy->child == children[side],
               "contact", slot, "it is between other pieces");
  }
  const ImpiShape *a = &world->shapes.data[shapes[0]], *b = &world->shapes.data[shapes[1]];
  IMPI_VALID(a->serial < b->serial && bodies[0] != bodies[1], "contact", slot, "its two sides are in another order");
  IMPI_VALID((contact->flags & ~ALL_FLAGS) == 0 &&
                 ((contact->flags & IMPI_CONTACT_SENSOR) != 0) == (a->sensor || b->sensor),
             "contact", slot, "its flags");
  IMPI_VALID(contact->colour >= IMPI_UNCOLOURED && contact->colour <= IMPI_NO_COLOUR, "contact", slot, "its colour");
  // Two shapes are mixed: their surface speeds add up, and rolling resistance is multiplied by a radius.
  const ImpPropertyInfo *rolling = imp_shape_property(IMP_SHAPE_ROLLING_RESISTANCE);
  const ImpPropertyInfo *surface_speed = imp_shape_property(IMP_SHAPE_SURFACE_SPEED);
  IMPI_VALID(impi_fits(imp_shape_property(IMP_SHAPE_FRICTION), contact->friction) &&
                 impi_fits(imp_shape_property(IMP_SHAPE_RESTITUTION), contact->restitution) &&
                 impi_fits(imp_shape_property(IMP_SHAPE_RESTITUTION_THRESHOLD), contact->restitution_threshold) &&
                 impi_within(contact->rolling, 0, rolling->upper * 2 * IMPI_MAX_COORDINATE) &&
                 fabs(contact->surface_speed) <= 2 * surface_speed->upper &&
                 impi_within(contact->radius_a, 0, 4 * IMPI_MAX_COORDINATE) &&
                 impi_within(contact->radius_b, 0, 4 * IMPI_MAX_COORDINATE),
             "contact", slot, "a number of its material");
  IMPI_VALID(impi_vec_within(contact->normal, 2) && impi_vec_within(contact->reference.p, IMP_MAX_ARM) &&
                 fabs(contact->reference.extent_b) <= IMPI_HUGE && fabs(contact->reference.clearance) <= IMPI_HUGE &&
                 fabs((double)contact->local_normal[0]) <= IMP_MAX_ARM &&
                 fabs((double)contact->local_normal[1]) <= IMP_MAX_ARM,
             "contact", slot, "where it was found");
  return points_are_valid(validity, contact, slot);
}


// No two that act at one moving body have the same colour.
static bool colours_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  bool valid = true;
  for (int32_t slot = 0; slot < world->contacts.count && valid; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    bool coloured = contact->colour >= 0 && contact->colour < IMPI_COLOURS;
    if (!impi_is_live(&world->contact_pool, slot) || !coloured) {
      continue;
    }
    const int32_t bodies[2] = {contact->body_a, contact->body_b};
    for (int side = 0; side < 2; ++side) {
      uint64_t bit = 1ull << contact->colour, *taken = &validity->room[bodies[side]];
      if (world->bodies.data[bodies[side]].inv_mass > 0) {
        valid = valid && (*taken & bit) == 0;
        *taken |= bit;
      }
    }
    if (!valid) {
      impi_invalid(validity, "contact", slot, "another at its body has the same colour");
    }
  }
  memset(validity->room, 0, validity->room_count * sizeof *validity->room);
  return valid;
}


// Each is in the lists of both of its bodies.
static bool edges_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  int64_t edges = 0;
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    int32_t previous = -1;
    for (int32_t edge = world->bodies.data[slot].first_edge; edge != -1 && impi_is_live(&world->body_pool, slot);) {
      IMPI_VALID(edge >= 0 && impi_is_live(&world->contact_pool, edge >> 1), "body", slot,
                 "a contact of it is not there");
      const ImpiContact *contact = &world->contacts.data[edge >> 1];
      IMPI_VALID((edge & 1 ? contact->body_b : contact->body_a) == slot && contact->edge[edge & 1].previous == previous,
                 "body", slot, "its contacts are not listed");
      previous = edge;
      edge = contact->edge[edge & 1].next;
      ++edges;
    }
  }
  IMPI_VALID(edges == 2 * (int64_t)world->contact_pool.live, "contact", -1, "some are in no list");
  return true;
}


bool impi_contacts_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    if (impi_is_live(&world->contact_pool, slot)) {
      if (!contact_is_valid(validity, slot)) return false;
    } else {
      IMPI_VALID(world->contacts.data[slot].count == 0, "contact", slot, "it is gone, but has points");
    }
  }
  return edges_are_valid(validity) && colours_are_valid(validity);
}
