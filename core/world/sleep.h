// Sleep: waking bodies with their islands, and putting islands at rest to sleep.
#ifndef IMPI_SLEEP_H
#define IMPI_SLEEP_H

#include "world/world.h"

void impi_body_set_awake(ImpWorld *world, int32_t body, bool awake);
void impi_world_wake(ImpWorld *world, int32_t body); // wake the body and its sleeping island
// Wake all bodies that a contact or a joint connects to the body.
void impi_world_wake_neighbours(ImpWorld *world, int32_t body);
void impi_shape_wake(ImpWorld *world, int32_t shape); // wake the shape's body, and all bodies that touch the shape
// Advance the sleep timers by dt, and put islands that have been at rest to sleep.
void impi_world_update_sleep(ImpWorld *world);
void impi_joint_wake(ImpWorld *world, int32_t joint); // wake all bodies of the joint

#endif
