// Iterators over the objects of a world, a body or a sensor.
#ifndef IMPEL_BINDINGS_CURSOR_H
#define IMPEL_BINDINGS_CURSOR_H

#include "base/class.h"

typedef enum CursorKind {
  CURSOR_BODIES,
  CURSOR_CONTACTS,
  CURSOR_JOINTS,
  CURSOR_FIELDS,
  CURSOR_MOVERS,
  CURSOR_SHAPES_OF,
  CURSOR_CONTACTS_OF,
  CURSOR_JOINTS_OF,
  CURSOR_OVERLAPS_OF
} CursorKind;
/// Push the iterator function and the state of a loop over the objects of `kind`, in creation order. The loop visits
/// the objects that exist when it begins, and skips objects that are destroyed during the loop.
int bind_iterate(lua_State *L, const Handle *owner, CursorKind kind);
/// Push the iterator function and the state of a loop over the shapes in a sensor.
int bind_iterate_overlaps(lua_State *L, const Handle *shape);
void bind_register_cursor(lua_State *L);

#endif
