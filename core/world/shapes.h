// Shapes of a world: attaching and detaching them, settings, internal edges.
#ifndef IMPI_SHAPES_H
#define IMPI_SHAPES_H

#include "world/world.h"

void impi_share_geometries(ImpWorld *world); // after all shapes were replaced: let equal geometries be shared
ImpStatus impi_shape_finish_attach(ImpWorld *world, int32_t shape);
void impi_shape_finish_destroy(ImpWorld *world, int32_t shape);
void impi_shape_finish_set_filter(ImpWorld *world, int32_t shape, uint64_t category, uint64_t mask);
void impi_shape_finish_set(ImpWorld *world, int32_t shape, ImpShapeProperty property, double value);
// Make the narrow phase recompute manifolds. Called after a change of a shape that may change internal edges.
void impi_shape_update_internal_edges(ImpWorld *world, int32_t shape);
void impi_shape_finish_set_one_way(ImpWorld *world, int32_t shape, ImpVec2 direction);
void impi_shape_detach(ImpWorld *world, int32_t shape); // remove the shape's proxies and contacts
ImpiNeighbourFinder impi_world_neighbours(const ImpWorld *world);
void impi_internal_edges_attach(ImpWorld *world, int32_t shape);
void impi_internal_edges_free(ImpiHeap *heap, ImpiShape *shape);
void impi_internal_edges_restore(ImpWorld *world);

#endif
