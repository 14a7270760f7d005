// What the files of queries share, and the methods of worlds and shapes that they make.
#ifndef IMPEL_BINDINGS_QUERY_H
#define IMPEL_BINDINGS_QUERY_H

#include "base/options.h"

enum { QUERY_IGNORED = 8 }; ///< ignored things without a block of their own

/// A filter as Lua gave it. It points into itself and to the stack, and lives as long as the method that runs.
typedef struct QueryFilter {
  ImpQueryFilter core;
  ImpBody bodies[QUERY_IGNORED];
  ImpShape shapes[QUERY_IGNORED];
  lua_State *lua;
  WorldBox *box;
  int predicate; ///< stack index; the error of a predicate takes its place
  bool failed;   ///< the predicate raised
} QueryFilter;

extern const Options bind_filter_options, bind_form_options, bind_motion_options;

/// Read the filter at the index (a table or nothing). Pushes two values, which must stay while the query runs.
void bind_query_filter(lua_State *L, int index, QueryFilter *out);
/// After a query: raise the predicate's error, or the core's.
void bind_query_status(lua_State *L, const QueryFilter *filter, ImpStatus status);
/// Push the table at the index, or a new one when there is none; raises and names the argument for anything else.
void bind_table_to_fill(lua_State *L, int index, const char *name, int array, int record);
/// The argument 'hit' at the index must be a table or nil; said before any predicate is asked.
void bind_check_hit(lua_State *L, int index);
/// Push a hit in the table at the index, or in a new one when there is none; nil for no hit. `measure`: what its fraction is
/// called.
int bind_push_hit(lua_State *L, int index, const ImpHit *hit, const char *measure);
/// Fill the list at the index with the hits of the last query, its tables again, and leave it at the top.
int bind_push_hits(lua_State *L, int list);
/// Push what the last query found as a list of shapes, in the table at the index or in a new one.
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
