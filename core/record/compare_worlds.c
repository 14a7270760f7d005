// Finding the first difference between two worlds. The clock is compared first, motion second.
#include "record/compare.h"
#include "world/joints.h"
#include "world/movers.h"
#include "world/touching.h"


const char *imp_object_name(int kind) {
  static const char *const names[] = {"world", "body", "shape", "joint", "contact", "field", "mover"};
  IMPI_COVERS(names, IMP_OBJECT_COUNT);
  return kind >= 0 && kind < IMP_OBJECT_COUNT ? names[kind] : NULL;
}


// Functions that visit and compare the objects of one kind, in the order of creation.
typedef struct List {
  ImpObjectKind object;
  bool (*compare)(ImpiComparison *c, int32_t a, int32_t b);
  int32_t (*first)(const ImpWorld *world);
  int32_t (*next)(const ImpWorld *world, int32_t slot);
  uint64_t (*serial)(const ImpWorld *world, int32_t slot);
  const char *(*name)(const ImpWorld *world, int32_t slot);
} List;

#define LIST_OF(list, first, singular) \
  static int32_t first_##singular##_of(const ImpWorld *world) { return world->first; } \
  static int32_t next_##singular##_of(const ImpWorld *world, int32_t slot) { return world->list.data[slot].next; } \
  static uint64_t serial_##singular##_of(const ImpWorld *world, int32_t slot) { \
    return world->list.data[slot].serial; \
  } \
  static const char *name_##singular##_of(const ImpWorld *world, int32_t slot) { return world->list.data[slot].name; }

LIST_OF(bodies, first_body, body)
LIST_OF(joints, first_joint, joint)
LIST_OF(field.list, field.first, field)

#define LIST_LINE(object, compared, singular) \
  { \
    object, impi_compare_##compared, first_##singular##_of, next_##singular##_of, serial_##singular##_of, \
        name_##singular##_of \
  }
static const List bodies = LIST_LINE(IMP_OBJECT_BODY, body, body), rest = LIST_LINE(IMP_OBJECT_BODY, rest, body),
                  joints = LIST_LINE(IMP_OBJECT_JOINT, joint, joint),
                  fields = LIST_LINE(IMP_OBJECT_FIELD, field, field);


static bool compare_list(ImpiComparison *c, const List *list) {
  int32_t a = list->first(c->a), b = list->first(c->b);
  bool differ = false;
  while ((a >= 0 || b >= 0) && !differ) {
    uint64_t in_a = a >= 0 ? list->serial(c->a, a) : UINT64_MAX, in_b = b >= 0 ? list->serial(c->b, b) : UINT64_MAX;
    if (in_a != in_b) {
      bool mine = in_a < in_b;
      impi_compare_object(c, list->object, mine ? in_a : in_b, mine ? list->name(c->a, a) : list->name(c->b, b));
      return impi_compare_number(c, NULL, -1, "exists", mine, !mine);
    }
    differ = list->compare(c, a, b);
    a = list->next(c->a, a);
    b = list->next(c->b, b);
  }
  return differ;
}


static bool compare_settings(ImpiComparison *c) {
  impi_compare_object(c, IMP_OBJECT_WORLD, 0, NULL);
  bool differ = false;
  for (int i = 0; i < IMP_WORLD_PROPERTY_COUNT && !differ; ++i) {
    double a = 0, b = 0;
    bool state = i != IMP_WORLD_THREADS && i != IMP_WORLD_LANES;
    differ = state && imp_world_get(c->a, (ImpWorldProperty)i, &a) == IMP_OK &&
             imp_world_get(c->b, (ImpWorldProperty)i, &b) == IMP_OK &&
             impi_compare_number(c, NULL, -1, imp_world_property(i)->name, a, b);
  }
  return differ || impi_compare_structs(c, NULL, -1, &impi_world_layout, IMPI_SEEN_LAST, c->a, c->b) ||
         impi_compare_number(c, NULL, -1, "materials", c->a->materials.list.count, c->b->materials.list.count);
}


static bool compare_clocks(ImpiComparison *c) {
  impi_compare_object(c, IMP_OBJECT_WORLD, 0, NULL);
  return impi_compare_structs(c, NULL, -1, &impi_world_layout, IMPI_SEEN, c->a, c->b);
}


static bool prepare(const ImpWorld *world) {
  impi_flush_joint(world, -1);
  impi_movers_close_gaps(world);
  return impi_world_sort_touching((ImpWorld *)(uintptr_t)world);
}


ImpStatus imp_world_difference(const ImpWorld *a, const ImpWorld *b, bool *out_differ, ImpDifference *out_difference) {
  if (a->stepping || b->stepping) {
    return impi_fail(IMP_ERR_STATE, "a world cannot be compared inside a step");
  }
  if (!prepare(a) || !prepare(b)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  ImpDifference difference;
  ImpiComparison c = {a, b, &difference};
  *out_differ = a != b && (compare_clocks(&c) || compare_list(&c, &bodies) || compare_list(&c, &joints) ||
                           impi_compare_contacts(&c) || compare_list(&c, &fields) || impi_compare_movers(&c) ||
                           compare_settings(&c) || compare_list(&c, &rest));
  if (*out_differ) {
    *out_difference = difference;
  }
  return IMP_OK;
}
