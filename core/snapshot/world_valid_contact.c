// Validation of contacts: pieces, lists, points.
#include "snapshot/world_valid.h"

#include "model/colour.h"

#include <string.h>

#define ALL_FLAGS (2 * (uint32_t)IMPI_CONTACT_CORNER - 1)


static bool points_are_valid(ImpiValidity *validity, const ImpiBounds *points, const ImpiContact *contact,
                             int32_t slot) {
  IMPI_VALID(contact->count == 0 || contact->points != NULL, "contact", slot, "its contact points are missing");
  IMPI_VALID(contact->count == 0 || fabs(impi_length_sq(contact->normal) - 1) < 1e-3, "contact", slot,
             "its normal is not a unit vector");
  const float *local = contact->local_normal;
  bool kept = contact->count > 0 && contact->flags & IMPI_CONTACT_FRESH && !(contact->flags & IMPI_CONTACT_CORNER);
  IMPI_VALID(!kept || fabs((double)(local[0] * local[0] + local[1] * local[1]) - 1) < 1e-3, "contact", slot,
             "its normal in the frame of a body is not a unit vector");
  for (int i = 0; i < contact->count; ++i) {
    const char *unfit = impi_out_of_bounds(points, &contact->points[i]);
    IMPI_VALID(unfit == NULL, "contact", slot, unfit);
  }
  return true;
}


static bool contact_is_valid(ImpiValidity *validity, const ImpiBounds *contacts, const ImpiBounds *points,
                             int32_t slot) {
  const ImpWorld *world = validity->world;
  const ImpiContact *contact = &world->contacts.data[slot];
  const int32_t proxies[2] = {contact->proxy_a, contact->proxy_b}, shapes[2] = {contact->shape_a, contact->shape_b};
  const int32_t bodies[2] = {contact->body_a, contact->body_b}, children[2] = {contact->child_a, contact->child_b};
  for (int side = 0; side < 2; ++side) {
    bool there = proxies[side] >= 0 && proxies[side] < world->broadphase.proxies.count;
    const ImpiProxy *proxy = there ? &world->broadphase.proxies.data[proxies[side]] : NULL;
    IMPI_VALID(there && proxy->kind != IMPI_PROXY_FREE && proxy->shape == shapes[side] && proxy->body == bodies[side] &&
                   proxy->child == children[side],
               "contact", slot, "its shapes or bodies differ from those in the broad phase");
  }
  const ImpiShape *a = &world->shapes.data[shapes[0]], *b = &world->shapes.data[shapes[1]];
  IMPI_VALID(a->serial < b->serial && bodies[0] != bodies[1], "contact", slot,
             "shape_a must be older than shape_b and belong to another body");
  IMPI_VALID((contact->flags & ~ALL_FLAGS) == 0 &&
                 ((contact->flags & IMPI_CONTACT_SENSOR) != 0) == (a->sensor || b->sensor),
             "contact", slot, "its flags are invalid");
  const char *unfit = impi_out_of_bounds(contacts, contact);
  IMPI_VALID(unfit == NULL, "contact", slot, unfit);
  IMPI_VALID(impi_fits(imp_shape_property(IMP_SHAPE_RESTITUTION_THRESHOLD), contact->restitution_threshold), "contact",
             slot, "restitution_threshold");
  return points_are_valid(validity, points, contact, slot);
}


// Check that no two contacts of a dynamic body have the same colour.
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
      impi_invalid(validity, "contact", slot, "two contacts of one body have the same colour in the constraint graph");
    }
  }
  memset(validity->room, 0, validity->room_count * sizeof *validity->room);
  return valid;
}


// Check that each contact is in the lists of both of its bodies.
static bool edges_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  int64_t edges = 0;
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    int32_t previous = -1;
    for (int32_t edge = world->bodies.data[slot].first_edge; edge != -1 && impi_is_live(&world->body_pool, slot);) {
      IMPI_VALID(edge >= 0 && impi_is_live(&world->contact_pool, edge >> 1), "body", slot,
                 "the body's list of contacts has a contact that does not exist");
      const ImpiContact *contact = &world->contacts.data[edge >> 1];
      IMPI_VALID((edge & 1 ? contact->body_b : contact->body_a) == slot && contact->edge[edge & 1].previous == previous,
                 "body", slot, "the body's list of contacts is damaged");
      previous = edge;
      edge = contact->edge[edge & 1].next;
      ++edges;
    }
  }
  IMPI_VALID(edges == 2 * (int64_t)world->contact_pool.live, "contact", -1,
             "some contacts are missing from the lists of their bodies");
  return true;
}


bool impi_contacts_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  const ImpiBounds contacts = impi_bounds_of(&impi_contact_layout), points = impi_bounds_of(&impi_point_layout);
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    if (impi_is_live(&world->contact_pool, slot)) {
      if (!contact_is_valid(validity, &contacts, &points, slot)) return false;
    } else {
      IMPI_VALID(world->contacts.data[slot].count == 0, "contact", slot, "a contact that has ended has contact points");
    }
  }
  return edges_are_valid(validity) && colours_are_valid(validity);
}
