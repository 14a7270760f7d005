// Shared functions of queries, and the query methods of worlds and shapes.
#ifndef IMPEL_BINDINGS_QUERY_H
#define IMPEL_BINDINGS_QUERY_H

#include "base/options.h"

enum { QUERY_IGNORED = 8 }; ///< size of the inline arrays of ignored objects

/// Filter of a query, valid while the method runs: it points into the Lua stack.
typedef struct QueryFilter {
  ImpQueryFilter core;
  ImpBody bodies[QUERY_IGNORED];
  ImpShape shapes[QUERY_IGNORED];
  lua_State *lua;
  WorldBox *box;
  int predicate; ///< stack index of the predicate, or of its error message if `failed`
  bool failed;   ///< the predicate raised
} QueryFilter;

extern const Options bind_filter_options, bind_form_options, bind_motion_options;

/// Read the filter at the index, a table or nil. Pushes two values, which must stay on the stack during the query.
void bind_query_filter(lua_State *L, int index, QueryFilter *out);
/// After a query, raise the error of the predicate or of the core, if any.
void bind_query_status(lua_State *L, const QueryFilter *filter, ImpStatus status);
/// Push the table at the index, or a new one for nil; raise for other values. `name`: the argument in messages
void bind_table_to_fill(lua_State *L, int index, const char *name, int array, int record);
/// Raise unless the argument 'hit' at the index is a table or nil. Called before any predicate runs.
void bind_check_hit(lua_State *L, int index);
/// Push a hit, or nil if the query hit nothing. A hit is written into the table at the index, or into a new table if
/// there is nil at the index. `measure`: key of the fraction
int bind_push_hit(lua_State *L, int index, const ImpHit *hit, const char *measure);
/// Fill the list at index `list` with the hits of the last query, and leave the list at the top of the stack. Tables in
/// the list are reused.
int bind_push_hits(lua_State *L, int list);
/// Push the list of shapes that the last query found: the table at the index, or a new table for nil.
int bind_push_found(lua_State *L, int index);

int bind_shape_raycast(lua_State *L);
int bind_shape_closest(lua_State *L);

int bind_world_raycast(lua_State *L);
int bind_world_raycast_any(lua_State *L);
int bind_world_raycast_all(lua_State *L);
int bind_world_raycast_many(lua_State *L);
int bind_world_overlap_point(lua_State *L);
int bind_world_shape_at(lua_State *L);
int bind_world_overlap_box(lua_State *L);
int bind_world_overlap_circle(lua_State *L);
int bind_world_overlap_shape(lua_State *L);
int bind_world_shapecast(lua_State *L);
int bind_world_closest(lua_State *L);
int bind_world_shapecast_all(lua_State *L);
int bind_world_nearest(lua_State *L);
int bind_world_time_of_impact(lua_State *L);

#endif
