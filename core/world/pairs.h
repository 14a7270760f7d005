// Pairs of shapes: which may touch, how materials mix, which overlap a sensor.
#ifndef IMPI_PAIRS_H
#define IMPI_PAIRS_H

#include "world/world.h"

// Return whether two pieces may have a contact, by body types, sensors and joints.
bool impi_world_may_touch(const ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
// Call the filter callback for new pairs and for pairs that must be decided again, and remove the contacts of refused
// pairs.
ImpStatus impi_filter_pairs(ImpWorld *world);
// Return whether the filter callback has refused a pair of shapes. False if it was not called for the pair.
bool impi_pair_refused(const ImpWorld *world, int32_t shape_a, int32_t shape_b);
// Inside a step: return whether the filter callback refuses a pair; call it if it was not called yet. The call may
// reallocate bodies and shapes.
bool impi_pair_refuses(ImpWorld *world, int32_t shape_a, int32_t shape_b);
// Set whether the filter callback is called for a shape, and discard the callback's results for pairs with the shape.
void impi_shape_finish_refilter(ImpWorld *world, int32_t shape, bool selective);
// Replace a number by `given`, unless `given` is NaN (not given).
static inline void impi_take_given(double *number, double given) { *number = isnan(given) ? *number : given; }
// Return the friction and restitution that the user gave a pair of materials. Default: the result of the mix callback.
ImpMix impi_mix_known(const ImpiMix *mix);
void impi_world_mix(ImpWorld *world, int32_t contact); // mix the materials of a contact's two shapes
void impi_shape_mix(ImpWorld *world, int32_t shape);   // call impi_world_mix for each contact of a shape
// Call the mix callback for new pairs of materials.
void impi_mix_pairs(ImpWorld *world);
void impi_shape_finish_set_material(ImpWorld *world, int32_t shape, int32_t material);
void impi_materials_free(ImpiHeap *heap, ImpiMaterials *materials);
bool impi_shapes_touch(const ImpWorld *world, ImpShape a, ImpShape b); // whether any pieces of the two shapes touch
void impi_sweep_sensors(ImpWorld *world); // add events for shapes that passed through a sensor within the step
// Return whether a joint keeps two bodies from colliding.
bool impi_world_joined(const ImpWorld *world, int32_t body_a, int32_t body_b);
// Return the approach speed above which a contact bounces, under the world's solver and gravity [m/s].
double impi_world_restitution_threshold(const ImpWorld *world, const ImpiContact *contact);

#endif
