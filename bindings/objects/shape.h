// Shapes: their constructors, the list of holes of a polygon, and the list of values of a heights shape.
#ifndef IMPEL_BINDINGS_SHAPE_H
#define IMPEL_BINDINGS_SHAPE_H

#include "base/options.h"

extern const Class bind_shape_class;
extern const Members bind_shape_members;

/// body:circle{...} and the other constructors; shape:options().
int bind_body_circle(lua_State *L);
int bind_body_box(lua_State *L);
int bind_body_polygon(lua_State *L);
int bind_body_capsule(lua_State *L);
int bind_body_segment(lua_State *L);
int bind_body_chain(lua_State *L);
int bind_body_heights(lua_State *L);
extern const Options bind_circle_options, bind_box_options, bind_polygon_options, bind_capsule_options,
    bind_segment_options, bind_chain_options, bind_heights_options;

// Lists in options (shape_terrain.c). bind_holes and bind_heights read the table at stack index 2 and leave scratch
// values, the memory of the lists, on the stack.
typedef struct Rings {
  const ImpVec2 *at; // points of all rings, one ring after the other
  const int *counts;
  int count;
} Rings;
typedef struct Heights {
  const double *at; // NaN for a gap
  int count;
} Heights;
Rings bind_holes(lua_State *L, Points outline);
Heights bind_heights(lua_State *L);
// Push the list of holes or heights of a shape; return the length of the list.
int bind_push_holes(lua_State *L, const Handle *self);
int bind_push_heights(lua_State *L, const Handle *self);
int bind_shape_definition(lua_State *L);

/// Push a scratch userdata with the points of a shape, and return the points.
Points bind_points_of(lua_State *L, const Handle *self);

#endif
