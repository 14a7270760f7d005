// Level 7. What is left of the surface of a dynamic body's pieces: they cannot move against each other, so it is known once,
// and most of their contacts are where it does not matter which of the neighbours are near. It follows from the shapes;
// what a shape hid that is gone may still be hidden in it, which only makes those contacts be looked at more closely.
#include <string.h>

#include "world.h"

// Of a body with more pieces than this nothing is kept. As many neighbours are in a list.
#define MOST_PIECES IMPI_MAX_NEIGHBOURS


static ImpiBorders *drop(ImpiHeap *heap, ImpiBorders *borders) {
  if (borders != NULL && --borders->users == 0) {
    impi_resize(heap, borders, borders->size, 0);
  }
  return NULL;
}


void impi_borders_free(ImpiHeap *heap, ImpiShape *shape) { shape->borders = drop(heap, shape->borders); }


// All pieces of the body that bear on one of them.
static ImpiBorder gather(const ImpWorld *world, const ImpiShape *own, int32_t child, ImpiSeams *out_seams) {
  const ImpiShape *shapes = world->shapes.data;
  const ImpiHull *hull = &own->geometry.hulls[child];
  ImpiBorder border = {0};
  out_seams->count = 0;
  for (int32_t s = world->bodies.data[own->body].first_shape; s >= 0; s = shapes[s].next) {
    for (int32_t i = 0; shapes[s].attached && i < shapes[s].geometry.child_count; ++i) {
      const ImpiHull *other = &shapes[s].geometry.hulls[i];
      bool itself = &shapes[s] == own && i == child; // another may be the same piece twice
      bool fits = hull->count > 1 && other->count > 1 && fabs(other->radius - hull->radius) <= IMPI_SEAM;
      if (fits && !itself && impi_border_add(hull, other, &border)) {
        impi_seams_add(out_seams, (ImpiNeighbour){other, {{0, 0}, {1, 0}}, shapes[s].serial, i});
      }
    }
  }
  return border;
}


// One like it may have the same: of shapes that are alike there are many.
static ImpiBorders *share(ImpWorld *world, ImpiBorders *borders) {
  for (int i = 0; i < IMPI_COUNT(world->alike); ++i) {
    int32_t like = world->alike[i];
    ImpiBorders *other = like < world->shapes.count ? world->shapes.data[like].borders : NULL;
    if (other != NULL && other->size == borders->size &&
        memcmp(other->pieces, borders->pieces, borders->size - offsetof(ImpiBorders, pieces)) == 0) {
      other->users++;
      drop(&world->heap, borders);
      return other;
    }
  }
  return borders;
}


// The borders of a shape's pieces, anew; null: out of memory.
static ImpiBorders *build(ImpWorld *world, const ImpiShape *shape) {
  ImpiBorder heads[MOST_PIECES];
  ImpiSeams seams = {.rolls = true};
  int count = shape->geometry.child_count;
  size_t size = (size_t)count * sizeof *heads;
  for (int i = 0; i < count; ++i) {
    heads[i] = gather(world, shape, i, &seams);
    heads[i].parts = size - (size_t)i * sizeof *heads;
    size += (size_t)impi_border_count(&heads[i]) * sizeof(ImpVec2);
  }
  size += offsetof(ImpiBorders, pieces);
  ImpiBorders *borders = impi_resize(&world->heap, NULL, 0, size);
  if (borders == NULL) {
    return NULL;
  }
  borders->size = size;
  borders->users = 1;
  memcpy(borders->pieces, heads, (size_t)count * sizeof *heads);
  for (int i = 0; i < count; ++i) {
    gather(world, shape, i, &seams);
    impi_border_fill(&shape->geometry.hulls[i], &seams, &heads[i],
                     (ImpVec2 *)(void *)((char *)&borders->pieces[i] + heads[i].parts));
  }
  return share(world, borders);
}


// Whether one shape's pieces bear on another's.
static bool bears(const ImpiShape *shape, const ImpiShape *other) {
  ImpiBorder border = {0};
  for (int32_t i = 0; i < shape->geometry.child_count; ++i) {
    for (int32_t k = 0; k < other->geometry.child_count; ++k) {
      const ImpiHull *p = &shape->geometry.hulls[i], *q = &other->geometry.hulls[k];
      if (p->count > 1 && q->count > 1 && impi_border_add(q, p, &border)) {
        return true;
      }
    }
  }
  return false;
}


// The pieces of its attached shapes, or more than are kept.
static int count_pieces(const ImpWorld *world, const ImpiBody *body) {
  int count = 0;
  for (int32_t s = body->first_shape; s >= 0 && count <= MOST_PIECES; s = world->shapes.data[s].next) {
    count += world->shapes.data[s].attached ? world->shapes.data[s].geometry.child_count : 0;
  }
  return count;
}


// Nothing is known of the body any more. `many`: as before, if its first shape says so.
static void forget(ImpWorld *world, const ImpiBody *body, bool many) {
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    ImpiShape *shape = &world->shapes.data[s];
    if (many && shape->attached && shape->borders == NULL) {
      return;
    }
    impi_borders_free(&world->heap, shape);
  }
}


void impi_borders_attach(ImpWorld *world, int32_t slot) {
  ImpiShape *shapes = world->shapes.data;
  const ImpiBody *body = &world->bodies.data[shapes[slot].body];
  int count = impi_is_dynamic(body) ? count_pieces(world, body) : 0;
  if (count > MOST_PIECES) {
    forget(world, body, true);
    return;
  }
  for (int32_t s = count > 1 ? body->first_shape : -1; s >= 0; s = shapes[s].next) {
    if (shapes[s].attached && (s == slot || shapes[s].borders == NULL || bears(&shapes[slot], &shapes[s]))) {
      impi_borders_free(&world->heap, &shapes[s]);
      shapes[s].borders = build(world, &shapes[s]);
      if (shapes[s].borders == NULL) {
        forget(world, body, false);
        return;
      }
    }
  }
}


void impi_borders_restore(ImpWorld *world) {
  for (int32_t i = world->first_body; i >= 0; i = world->bodies.data[i].next) {
    int32_t last = world->bodies.data[i].last_shape;
    if (last >= 0) {
      impi_borders_attach(world, last);
    }
  }
}
