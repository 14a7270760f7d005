// Pairs of shapes: which may have a contact (by types, joints and the filter callback), how their materials mix, which are
// in a sensor.
#ifndef IMPI_PAIRS_H
#define IMPI_PAIRS_H

#include "world/world.h"

// Whether the bodies of a pair of proxies may have a contact: one of them dynamic, or one piece a sensor.
bool impi_world_may_touch(const ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
// Ask about those pairs of the broad phase about which nobody was asked yet, and about those that are to be judged anew.
ImpStatus impi_judge_pairs(ImpWorld *world);
// Whether the filter callback has refused this pair of shapes. A pair that nobody was asked about is not refused.
bool impi_pair_refused(const ImpWorld *world, int32_t shape_a, int32_t shape_b);
// The same, but who was not asked yet is asked now, inside a step: the arrays of bodies and shapes may move.
bool impi_pair_refuses(ImpWorld *world, int32_t shape_a, int32_t shape_b);
// Discards the answers of the filter callback about a shape.
void impi_shape_finish_refilter(ImpWorld *world, int32_t shape, bool selective);
// A number that was given takes the place of another; NaN: it was not.
static inline void impi_take_given(double *number, double given) { *number = isnan(given) ? *number : given; }
ImpMix impi_mix_known(const ImpiMix *mix);             // fixed numbers come before those of the callback
void impi_world_mix(ImpWorld *world, int32_t contact); // the materials of its two shapes
void impi_shape_mix(ImpWorld *world, int32_t shape);   // of all contacts of a shape
void impi_mix_pairs(ImpWorld *world);                  // ask how materials mix of which shapes have come near
void impi_shape_finish_set_material(ImpWorld *world, int32_t shape, int32_t material);
void impi_materials_free(ImpiHeap *heap, ImpiMaterials *materials);
bool impi_shapes_touch(const ImpWorld *world, ImpShape a, ImpShape b); // any pieces of theirs
void impi_sweep_sensors(ImpWorld *world); // events of what went through a sensor within the step
// Whether a joint keeps the two bodies from meeting.
bool impi_world_joined(const ImpWorld *world, int32_t body_a, int32_t body_b);
// Approach speed above which it bounces under the world's solver and gravity [m/s].
double impi_world_restitution_threshold(const ImpWorld *world, const ImpiContact *contact);

#endif
