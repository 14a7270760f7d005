// Internal-edge data of dynamic bodies: parts of a piece that other pieces of the body hide.
// Pieces of a body cannot move relative to each other, so the data are computed once. After a shape is destroyed, parts
// that it hid may still be marked as hidden. This is harmless: for contacts at hidden parts the narrow phase searches
// the pieces nearby.
#include <string.h>

#include "base/constants.h"
#include "world/shapes.h"

// Largest number of pieces and corners of a body with internal-edge data.
#define MOST_PIECES IMPI_MAX_NEIGHBOURS
#define MOST_CORNERS (8 * MOST_PIECES)

// Pieces whose boxes are farther apart than this do not hide parts of each other [m].
#define FAR_APART IMPI_SPECULATIVE_MARGIN

// A piece whose edges can hide parts of the surface of other pieces.
typedef struct Piece {
  const ImpiHull *hull;
  ImpAabb box; // box in the body's frame, see `around`
  int32_t shape, child;
} Piece;

typedef struct Pieces {
  int count;
  Piece at[MOST_PIECES];
} Pieces;


static ImpiInternalEdgeBlock *drop(ImpiHeap *heap, ImpiInternalEdgeBlock *internal_edges) {
  if (internal_edges != NULL && --internal_edges->users == 0) {
    impi_resize(heap, internal_edges, internal_edges->size, 0);
  }
  return NULL;
}


void impi_internal_edges_free(ImpiHeap *heap, ImpiShape *shape) {
  shape->internal_edges = drop(heap, shape->internal_edges);
}


// Return the box in which other pieces may hide parts of a hull.
static ImpAabb around(const ImpiHull *hull) {
  return impi_aabb_grow(impi_hull_aabb(hull, (ImpTransform){{0, 0}, {1, 0}}), 0.5 * FAR_APART);
}


static Pieces pieces_of(const ImpWorld *world, const ImpiBody *body) {
  Pieces pieces;
  pieces.count = 0;
  const ImpiShape *shapes = world->shapes.data;
  for (int32_t s = body->first_shape; s >= 0; s = shapes[s].next) {
    for (int32_t i = 0; shapes[s].attached && i < shapes[s].geometry.child_count; ++i) {
      const ImpiHull *hull = &shapes[s].geometry.hulls[i];
      if (hull->count > 1) {
        pieces.at[pieces.count++] = (Piece){hull, around(hull), s, i};
      }
    }
  }
  return pieces;
}


// Find all pieces that touch the piece `child` of `shape`. Returns the internal-edge data of this piece.
static ImpiInternalEdges gather(const ImpWorld *world, const Pieces *pieces, int32_t shape, int32_t child,
                                ImpiNeighbours *out_neighbours) {
  const ImpiHull *hull = &world->shapes.data[shape].geometry.hulls[child];
  ImpAabb box = around(hull);
  ImpiInternalEdges internal_edges = {0};
  out_neighbours->count = 0;
  for (int i = 0; i < pieces->count && hull->count > 1; ++i) {
    const Piece *other = &pieces->at[i];
    // Compare the indices of shape and child, because another piece may have the same geometry (`hull`).
    bool itself = other->shape == shape && other->child == child;
    if (!itself && impi_aabb_overlaps(box, other->box) &&
        fabs(other->hull->radius - hull->radius) <= IMPI_INTERNAL_EDGE_GAP &&
        impi_internal_edges_add(hull, other->hull, &internal_edges)) {
      uint64_t serial = world->shapes.data[other->shape].serial;
      impi_neighbours_add(out_neighbours, (ImpiNeighbour){other->hull, {{0, 0}, {1, 0}}, serial, other->child});
    }
  }
  return internal_edges;
}


// If a recent shape has equal internal-edge data, return its data and free the given data. Otherwise return the given
// data.
static ImpiInternalEdgeBlock *share(ImpWorld *world, ImpiInternalEdgeBlock *internal_edges) {
  for (int i = 0; i < IMPI_COUNT(world->alike); ++i) {
    int32_t like = world->alike[i];
    ImpiInternalEdgeBlock *other = like < world->shapes.count ? world->shapes.data[like].internal_edges : NULL;
    if (other != NULL && other->size == internal_edges->size &&
        memcmp(other->pieces, internal_edges->pieces, internal_edges->size - offsetof(ImpiInternalEdgeBlock, pieces)) ==
            0) {
      other->users++;
      drop(&world->heap, internal_edges);
      return other;
    }
  }
  return internal_edges;
}


// Build the internal-edge data of a shape's pieces; null when out of memory.
static ImpiInternalEdgeBlock *build(ImpWorld *world, const Pieces *pieces, int32_t slot) {
  const ImpiShape *shape = &world->shapes.data[slot];
  ImpiInternalEdges heads[MOST_PIECES];
  ImpiNeighbours neighbours = {.rolls = true};
  int count = shape->geometry.child_count;
  size_t size = (size_t)count * sizeof *heads;
  for (int i = 0; i < count; ++i) {
    heads[i] = gather(world, pieces, slot, i, &neighbours);
    heads[i].parts = size - (size_t)i * sizeof *heads;
    size += (size_t)impi_internal_edges_count(&heads[i]) * sizeof(ImpVec2);
  }
  size += offsetof(ImpiInternalEdgeBlock, pieces);
  ImpiInternalEdgeBlock *internal_edges = impi_resize(&world->heap, NULL, 0, size);
  if (internal_edges == NULL) {
    return NULL;
  }
  internal_edges->size = size;
  internal_edges->users = 1;
  memcpy(internal_edges->pieces, heads, (size_t)count * sizeof *heads);
  for (int i = 0; i < count; ++i) {
    gather(world, pieces, slot, i, &neighbours);
    impi_internal_edges_fill(&shape->geometry.hulls[i], &neighbours, &heads[i],
                             (ImpVec2 *)(void *)((char *)&internal_edges->pieces[i] + heads[i].parts));
  }
  return share(world, internal_edges);
}


// Return whether pieces of one shape touch pieces of another shape.
static bool touches(const Pieces *pieces, int32_t shape, int32_t other) {
  ImpiInternalEdges internal_edges = {0};
  for (int i = 0; i < pieces->count; ++i) {
    for (int k = 0; k < pieces->count && pieces->at[i].shape == shape; ++k) {
      const Piece *p = &pieces->at[i], *q = &pieces->at[k];
      if (q->shape == other && impi_aabb_overlaps(p->box, q->box) &&
          impi_internal_edges_add(q->hull, p->hull, &internal_edges)) {
        return true;
      }
    }
  }
  return false;
}


// Return whether a body has internal-edge data, and its number of pieces.
static bool is_kept(const ImpWorld *world, const ImpiBody *body, int *out_pieces) {
  int pieces = 0, corners = 0;
  for (int32_t s = body->first_shape; s >= 0 && pieces <= MOST_PIECES && corners <= MOST_CORNERS;
       s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int i = 0; shape->attached && i < shape->geometry.child_count && pieces <= MOST_PIECES; ++i) {
      ++pieces;
      corners += shape->geometry.hulls[i].count;
    }
  }
  *out_pieces = pieces;
  return pieces <= MOST_PIECES && corners <= MOST_CORNERS;
}


// Free the internal-edge data of a body. `many`: the body has too many pieces or corners.
static void forget(ImpWorld *world, const ImpiBody *body, bool many) {
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    ImpiShape *shape = &world->shapes.data[s];
    if (many && shape->attached && shape->internal_edges == NULL) {
      return;
    }
    impi_internal_edges_free(&world->heap, shape);
  }
}


void impi_internal_edges_attach(ImpWorld *world, int32_t slot) {
  ImpiShape *shapes = world->shapes.data;
  const ImpiBody *body = &world->bodies.data[shapes[slot].body];
  int count = 0;
  if (!impi_is_dynamic(body)) {
    return;
  }
  if (!is_kept(world, body, &count)) {
    forget(world, body, true);
    return;
  }
  if (count < 2) {
    return;
  }
  Pieces pieces = pieces_of(world, body);
  for (int32_t s = body->first_shape; s >= 0; s = shapes[s].next) {
    if (shapes[s].attached && (s == slot || shapes[s].internal_edges == NULL || touches(&pieces, slot, s))) {
      impi_internal_edges_free(&world->heap, &shapes[s]);
      shapes[s].internal_edges = build(world, &pieces, s);
      if (shapes[s].internal_edges == NULL) {
        forget(world, body, false);
        return;
      }
    }
  }
}


void impi_internal_edges_restore(ImpWorld *world) {
  for (int32_t i = world->first_body; i >= 0; i = world->bodies.data[i].next) {
    int32_t last = world->bodies.data[i].last_shape;
    if (last >= 0) {
      impi_internal_edges_attach(world, last);
    }
  }
}
