// Materials of a world, and mixes of two materials.
#ifndef IMPI_MATERIAL_H
#define IMPI_MATERIAL_H

#include "base/array.h"

typedef struct ImpiNamedMaterial {
  char *name;
  ImpMaterialDef def;
} ImpiNamedMaterial;

typedef struct ImpiMix {
  ImpMix fixed, ruled; // `fixed`: set by the user; `ruled`: returned by the callback; NaN: not given
  bool from_callback;  // `ruled` is valid
  bool wanted;         // the callback is called in the next step
} ImpiMix;

typedef struct ImpiMaterials {
  IMPI_ARRAY(ImpiNamedMaterial) list; // list[n - 1] is the material with the number n
  IMPI_ARRAY(ImpiMix) mixes;          // mix of the materials a <= b at the index impi_mix_place(a, b)
} ImpiMaterials;

// Return the index of a pair in `mixes`, the lower triangle of a matrix, row by row. A new material appends a row.
static inline int32_t impi_mix_place(int32_t a, int32_t b) {
  int32_t low = (a < b ? a : b) - 1, high = (a < b ? b : a) - 1;
  return high * (high + 1) / 2 + low;
}

#endif
