// What the queries share: whom one may find, where bodies are now, the walk over both trees, lists of findings.
#ifndef IMPI_QUERY_H
#define IMPI_QUERY_H

#include "geometry/cast.h"
#include "geometry/distance.h"
#include "geometry/tree_cast.h"
#include "world/world.h"

// One query under way. What it finds goes on top of world->query.found, above what an outer query has found whose
// predicate asks this one.
typedef struct ImpiQuery {
  ImpWorld *world;
  const ImpQueryFilter *filter; // not null
  ImpiFilter own;               // of it
  uint64_t mask;                // that trees are asked for
  int32_t left_out;             // body that is never found, -1: none
  int base;                     // where its findings begin
  bool out_of_memory;
} ImpiQuery;

ImpStatus impi_query_begin(ImpWorld *world, const ImpQueryFilter *filter, ImpiQuery *out_query);
// Let its findings go.
void impi_query_end(const ImpiQuery *query);
// Whether the proxy's shape is one to look at; everything but the predicate.
bool impi_query_takes(const ImpiQuery *query, const ImpiProxy *proxy);
// The frame of a body as getters see it.
ImpTransform impi_query_frame(const ImpWorld *world, int32_t body);
// Keep a finding; false when out of memory.
bool impi_query_keep(ImpiQuery *query, const ImpiProxy *proxy, double fraction, ImpVec2 point, ImpVec2 normal);
// One finding a shape, its first; sorted by fraction, then by creation.
void impi_query_sort(const ImpiQuery *query);
// Ask the predicate about the findings in their order. Those accepted go to world->query.hits, at most `limit` of them.
ImpStatus impi_query_accept(ImpiQuery *query, int limit, int *out_count);
// The finding as the API gives it.
ImpHit impi_query_hit(const ImpWorld *world, const ImpiFound *found);

// What to ask a cast for, so that rounding hides nothing at the limit itself; what is beyond must be left out afterwards.
static inline double impi_query_limit(double limit) { return limit * (1 + 1e-15); }

// Every proxy whose box a travelling box meets, from front to back in each of the trees; then, inside a step, those that
// have left their boxes since it began. `visit` as in tree_cast.h, with proxies.
void impi_query_cast(const ImpiQuery *query, ImpVec2 from, ImpVec2 travel, ImpVec2 half, ImpiTreeCastVisit visit,
                     void *context);
// The same of all that overlap a box.
void impi_query_walk(const ImpiQuery *query, ImpAabb box, ImpiTreeVisit visit, void *context);

// A point of the caller's: finite and inside the world's bounds. `name` goes into the error.
ImpStatus impi_check_place(const char *name, ImpVec2 point);

#endif
