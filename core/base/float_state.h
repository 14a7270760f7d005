// How the processor rounds and what it does with tiny numbers: a state of each thread, which the host program or
// a library of its may have changed. A step computes in the standard's default state, so that it comes to the same bits
// whoever calls it.
#ifndef IMPI_FLOAT_STATE_H
#define IMPI_FLOAT_STATE_H

#include <stdint.h>

// Rounding to nearest, subnormal numbers kept, no exception traps: set it, and return what was.
uint64_t impi_float_state_enter(void);

// Put back what impi_float_state_enter returned.
void impi_float_state_leave(uint64_t state);

#endif
