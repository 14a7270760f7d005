// Common parts of the queries: filters, current poses, the walk over the trees, lists of results.
#ifndef IMPI_QUERY_H
#define IMPI_QUERY_H

#include "geometry/cast.h"
#include "geometry/distance.h"
#include "geometry/tree_cast.h"
#include "world/world.h"

// A query in progress. Its results are in ImpiQueryState.found, from index `base` on. The callback `accept` may start
// another query, which appends its results.
typedef struct ImpiQuery {
  ImpWorld *world;
  const ImpQueryFilter *filter; // not null
  ImpiFilter own;               // category, mask and group of `filter`
  uint64_t mask;                // categories that the trees are searched for
  int32_t left_out;             // body that the query never finds, or -1
  int base;                     // index of the first result of this query in ImpiQueryState.found
  bool out_of_memory;
} ImpiQuery;

ImpStatus impi_query_begin(ImpWorld *world, const ImpQueryFilter *filter, ImpiQuery *out_query);
// Discard the results of the query.
void impi_query_end(const ImpiQuery *query);
// Return true if the filter's category, mask and group accept the proxy's shape.
bool impi_query_takes(const ImpiQuery *query, const ImpiProxy *proxy);
// Return the frame of a body at its current pose; inside a step, at its pose in the present substep.
ImpTransform impi_query_frame(const ImpWorld *world, int32_t body);
// Append a result; false when out of memory.
bool impi_query_keep(ImpiQuery *query, const ImpiProxy *proxy, double fraction, ImpVec2 point, ImpVec2 normal);
// Keep the first result of each shape; sort the results by fraction, then by creation of the shape.
void impi_query_sort(const ImpiQuery *query);
// Call the filter's `accept` for the results in their order. The accepted ones, at most `limit`, go to
// ImpiQueryState.hits.
ImpStatus impi_query_accept(ImpiQuery *query, int limit, int *out_count);
ImpHit impi_query_hit(const ImpWorld *world, const ImpiFound *found);

// Return `limit` plus a margin, with which no hit at the limit is lost to rounding. The caller must discard hits beyond
// `limit`.
static inline double impi_query_limit(double limit) { return limit * (1 + 1e-15); }

// Visit the proxies whose boxes are hit by a moving box (half extents `half`), in each tree from front to back. Inside
// a step, also visit proxies whose box no longer contains the piece. `visit`: as in tree_cast.h, with a proxy as first
// argument.
void impi_query_cast(const ImpiQuery *query, ImpVec2 from, ImpVec2 travel, ImpVec2 half, ImpiTreeCastVisit visit,
                     void *context);
// Visit the proxies whose boxes overlap `box`. Inside a step, also visit proxies whose box no longer contains the
// piece.
void impi_query_walk(const ImpiQuery *query, ImpAabb box, ImpiTreeVisit visit, void *context);

// Check that a point is finite and inside the world's bounds. The error contains `name`.
ImpStatus impi_check_place(const char *name, ImpVec2 point);

#endif
