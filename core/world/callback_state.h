// What a world calls.
#ifndef IMPI_CALLBACK_STATE_H
#define IMPI_CALLBACK_STATE_H

#include "impel.h"

// The callbacks of a world.
typedef struct ImpiCallbackState {
  ImpPreSolveFn pre_solve;
  void *pre_solve_user;
  ImpFilterFn filter;
  void *filter_user;
  ImpMixFn mix;
  void *mix_user;
  ImpSubstepFn substep;
  void *substep_user;
  ImpConstraintFn constraint;
  void *constraint_user;
  ImpFieldFn field;
  void *field_user;
} ImpiCallbackState;

#endif
