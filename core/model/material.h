// Materials of a world, and how each two of them mix.
#ifndef IMPI_MATERIAL_H
#define IMPI_MATERIAL_H

#include "base/array.h"

typedef struct ImpiStuff {
  char *name;
  ImpMaterialDef def;
} ImpiStuff;

// What is known of a pair of materials.
typedef struct ImpiMix {
  ImpMix fixed, ruled; // NaN: nothing
  bool asked;          // `ruled` is what the callback said
  bool wanted;         // shapes of both have come near each other
} ImpiMix;

typedef struct ImpiMaterials {
  IMPI_ARRAY(ImpiStuff) list; // by number less 1
  IMPI_ARRAY(ImpiMix) mixes;  // of numbers a <= b: at impi_mix_place
} ImpiMaterials;

// The lower triangle by rows: a new material appends a row and moves nothing.
static inline int32_t impi_mix_place(int32_t a, int32_t b) {
  int32_t low = (a < b ? a : b) - 1, high = (a < b ? b : a) - 1;
  return high * (high + 1) / 2 + low;
}

#endif
