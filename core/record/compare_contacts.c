// Comparison of touching contacts and of character movers.
#include "record/compare.h"
#include "world/contacts.h"


static uint64_t serial_of(const ImpWorld *world, int32_t shape) { return world->shapes.data[shape].serial; }


static void look_at(ImpiComparison *c, const ImpWorld *world, const ImpiContact *contact) {
  ImpDifference of_b;
  ImpiComparison aside = {.out = &of_b};
  impi_compare_object(&aside, IMP_OBJECT_CONTACT, 0, world->bodies.data[contact->body_b].name);
  impi_compare_object(c, IMP_OBJECT_CONTACT, serial_of(world, contact->shape_a),
                      world->bodies.data[contact->body_a].name);
  c->out->other = serial_of(world, contact->shape_b);
  for (int i = 0; i < IMP_MAX_DIFFERENCE_TEXT; ++i) {
    c->out->name_b[i] = of_b.name[i];
  }
}


static bool compare_contact(ImpiComparison *c, const ImpiContact *a, const ImpiContact *b) {
  bool differ = impi_compare_structs(c, NULL, -1, &impi_contact_layout, IMPI_SEEN, a, b);
  for (int k = 0; k < a->count && !differ; ++k) {
    differ = impi_compare_structs(c, "point", k + 1, &impi_point_layout, IMPI_SEEN, &a->points[k], &b->points[k]);
  }
  return differ;
}


// Compare the places of two contacts in the order of the API. Return a negative number if contact a of world a comes
// first, a positive number if contact b of world b does, 0 for the same place.
static int order_of(const ImpiComparison *c, const ImpiContact *a, const ImpiContact *b) {
  uint64_t in_a[] = {serial_of(c->a, a->shape_a), serial_of(c->a, a->shape_b), (uint64_t)a->child_a,
                     (uint64_t)a->child_b};
  uint64_t in_b[] = {serial_of(c->b, b->shape_a), serial_of(c->b, b->shape_b), (uint64_t)b->child_a,
                     (uint64_t)b->child_b};
  for (int i = 0; i < IMPI_COUNT(in_a); ++i) {
    if (in_a[i] != in_b[i]) {
      return in_a[i] < in_b[i] ? -1 : 1;
    }
  }
  return 0;
}


bool impi_compare_contacts(ImpiComparison *c) {
  for (int i = 0; i < c->a->touching.list.count || i < c->b->touching.list.count; ++i) {
    const ImpiContact *a = i < c->a->touching.list.count ? impi_contact_now(c->a, c->a->touching.list.data[i]) : NULL;
    const ImpiContact *b = i < c->b->touching.list.count ? impi_contact_now(c->b, c->b->touching.list.data[i]) : NULL;
    int order = a == NULL ? 1 : b == NULL ? -1 : order_of(c, a, b);
    look_at(c, order <= 0 ? c->a : c->b, order <= 0 ? a : b);
    if (impi_compare_number(c, NULL, -1, "exists", order <= 0, order >= 0) || compare_contact(c, a, b)) {
      return true;
    }
  }
  return false;
}


static bool compare_mover(ImpiComparison *c, const ImpiMover *a, const ImpiMover *b) {
  bool differ = false;
  for (int i = 0; i < IMP_MOVER_PROPERTY_COUNT && !differ; ++i) {
    differ = impi_compare_number(c, NULL, -1, imp_mover_property(i)->name, a->value[i], b->value[i]);
  }
  return differ || impi_compare_structs(c, NULL, -1, &impi_mover_layout, IMPI_SEEN, a, b);
}


bool impi_compare_movers(ImpiComparison *c) {
  bool differ = false;
  for (int32_t i = 0; (i < c->a->mover.list.count || i < c->b->mover.list.count) && !differ; ++i) {
    bool in_a = i < c->a->mover.list.count, in_b = i < c->b->mover.list.count;
    const ImpWorld *world = in_a ? c->a : c->b;
    const ImpiBody *body = &world->bodies.data[world->mover.list.data[i].body];
    impi_compare_object(c, IMP_OBJECT_MOVER, body->serial, body->name);
    differ = impi_compare_number(c, NULL, -1, "exists", in_a, in_b) ||
             impi_compare_number(c, "body", -1, "slot", c->a->mover.list.data[i].body, c->b->mover.list.data[i].body) ||
             compare_mover(c, &c->a->mover.list.data[i], &c->b->mover.list.data[i]);
  }
  return differ;
}
