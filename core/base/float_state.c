#include "base/float_state.h"

#if defined(__SSE__)

// MXCSR: all exceptions masked, no flag raised, round to nearest, neither "flush to zero" nor "denormals are zero".
#define DEFAULT_STATE 0x1f80u


uint64_t impi_float_state_enter(void) {
  uint64_t state = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(DEFAULT_STATE);
  return state;
}


void impi_float_state_leave(uint64_t state) { __builtin_ia32_ldmxcsr((unsigned)state); }

#elif defined(__aarch64__)

// FPCR of all zeros: round to nearest, subnormals kept, NaN propagated, no trap.
static void set_fpcr(uint64_t state) { __asm__ volatile("msr fpcr, %0" : : "r"(state) : "memory"); }


uint64_t impi_float_state_enter(void) {
  uint64_t state;
  __asm__ volatile("mrs %0, fpcr" : "=r"(state) : : "memory");
  set_fpcr(0);
  return state;
}


void impi_float_state_leave(uint64_t state) { set_fpcr(state); }

#else

// On other processors, the standard library can set the rounding mode only.
#include <fenv.h>


uint64_t impi_float_state_enter(void) {
  int rounding = fegetround();
  fesetround(FE_TONEAREST);
  return (uint64_t)(unsigned)rounding;
}


void impi_float_state_leave(uint64_t state) { fesetround((int)(unsigned)state); }

#endif
