// Rounding mode and denormals of the processor, per thread. A step computes in IEEE 754's default state.
#ifndef IMPI_FLOAT_STATE_H
#define IMPI_FLOAT_STATE_H

#include <stdint.h>

// Make this thread round to nearest, keep subnormal numbers and mask all exceptions. Return the previous state.
uint64_t impi_float_state_enter(void);

// Restore the state that impi_float_state_enter returned.
void impi_float_state_leave(uint64_t state);

#endif
