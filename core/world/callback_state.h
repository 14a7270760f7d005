// Callbacks of a world, each with its user pointer.
#ifndef IMPI_CALLBACK_STATE_H
#define IMPI_CALLBACK_STATE_H

#include "impel.h"

#include <stddef.h>

// Callbacks in the order of their bits in a keyframe.
typedef enum ImpiCallback {
  IMPI_CALLBACK_SUBSTEP,
  IMPI_CALLBACK_PRE_SOLVE,
  IMPI_CALLBACK_FILTER,
  IMPI_CALLBACK_MIX,
  IMPI_CALLBACK_FIELD,
  IMPI_CALLBACK_CONSTRAINT,
  IMPI_CALLBACK_COUNT
} ImpiCallback;

// The callbacks of a world, by name and by ImpiCallback.
typedef struct ImpiCallbackState {
  union {
    struct {
      ImpSubstepFn substep;
      ImpPreSolveFn pre_solve;
      ImpFilterFn filter;
      ImpMixFn mix;
      ImpFieldFn field;
      ImpConstraintFn constraint;
    };
    void (*function[IMPI_CALLBACK_COUNT])(void);
  };
  union {
    struct {
      void *substep_user, *pre_solve_user, *filter_user, *mix_user, *field_user, *constraint_user;
    };
    void *user[IMPI_CALLBACK_COUNT];
  };
} ImpiCallbackState;
_Static_assert(offsetof(ImpiCallbackState, constraint) ==
                   offsetof(ImpiCallbackState, function) + IMPI_CALLBACK_CONSTRAINT * sizeof(ImpConstraintFn),
               "`constraint` must be the same member as function[IMPI_CALLBACK_CONSTRAINT]");

#endif
