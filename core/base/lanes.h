// Portable vector lanes: IMPI_W floats at a time (1, 4, 8 or 16), by vector extensions of gcc and clang.
// A kernel file is compiled with -DIMPI_W=8 and so on; other files define IMPI_W before this header.
// All operations are element-wise, so the width changes no bit of a result.
// A record is 16 bytes of four floats. Gather loads W records by index and transposes them.
#ifndef IMPI_LANES_H
#define IMPI_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef IMPI_W
#define IMPI_W 4 // default, for tools that read a kernel file alone
#endif

// The symbol of a kernel table: IMPI_FOR_WIDTH(impi_soft_kernels) is impi_soft_kernels_8, or impi_soft_kernels_8_locked
// in kernels for bodies with locked axes.
#if defined(IMPI_LOCKED)
#define IMPI_JOIN_WIDTH(name, width) name##_##width##_locked
#else
#define IMPI_JOIN_WIDTH(name, width) name##_##width
#endif
#define IMPI_JOIN_EXPANDED(name, width) IMPI_JOIN_WIDTH(name, width)
#define IMPI_FOR_WIDTH(name) IMPI_JOIN_EXPANDED(name, IMPI_W)

#define IMPI_INLINE static inline __attribute__((always_inline))

typedef float ImpiFloats __attribute__((vector_size(4 * IMPI_W)));
typedef int32_t ImpiMask __attribute__((vector_size(4 * IMPI_W)));
typedef float ImpiRecord __attribute__((vector_size(16)));

#define IMPI_SPLAT(x) ((ImpiFloats){0} + (float)(x))

// Select a where the mask is set, else b.
IMPI_INLINE ImpiFloats impi_select(ImpiMask mask, ImpiFloats a, ImpiFloats b) {
  return (ImpiFloats)((mask & (ImpiMask)a) | (~mask & (ImpiMask)b));
}
IMPI_INLINE ImpiFloats impi_vmax(ImpiFloats a, ImpiFloats b) { return impi_select(a > b, a, b); }
IMPI_INLINE ImpiFloats impi_vmin(ImpiFloats a, ImpiFloats b) { return impi_select(a < b, a, b); }

// Return whether any lane of the mask is set.
IMPI_INLINE bool impi_any_lane(ImpiMask mask) {
#if IMPI_W == 1 // gcc 12 miscompiles the comparison of a mask of one lane
  static const ImpiMask none;
  return memcmp(&mask, &none, sizeof mask) != 0;
#else
  int64_t pairs[IMPI_W / 2], any = 0;
  memcpy(pairs, &mask, sizeof mask);
  for (int i = 0; i < IMPI_W / 2; ++i) {
    any |= pairs[i];
  }
  return any != 0;
#endif
}

// Square roots, the same on every machine by IEEE 754
IMPI_INLINE ImpiFloats impi_sqrt(ImpiFloats a) {
  for (int lane = 0; lane < IMPI_W; ++lane) {
    a[lane] = __builtin_sqrtf(a[lane]);
  }
  return a;
}

typedef struct ImpiQuad {
  ImpiFloats x, y, z, w;
} ImpiQuad;

#if IMPI_W == 1
IMPI_INLINE ImpiQuad impi_gather(const ImpiRecord *base, const int32_t *index) {
  ImpiRecord r = base[index[0]];
  return (ImpiQuad){{r[0]}, {r[1]}, {r[2]}, {r[3]}};
}

IMPI_INLINE void impi_scatter(ImpiRecord *base, const int32_t *index, ImpiQuad q) {
  base[index[0]] = (ImpiRecord){q.x[0], q.y[0], q.z[0], q.w[0]};
}

#else // 4 lanes or more: a transpose of rows

#if IMPI_W == 4
IMPI_INLINE ImpiFloats impi_load_row(const ImpiRecord *base, const int32_t *index, int k) { return base[index[k]]; }
#elif IMPI_W == 8
typedef ImpiRecord ImpiHalf;
IMPI_INLINE ImpiFloats impi_load_row(const ImpiRecord *base, const int32_t *index, int k) {
  ImpiRecord a = base[index[k]], b = base[index[k + 4]];
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
#elif IMPI_W == 16
typedef float ImpiHalf __attribute__((vector_size(32)));
IMPI_INLINE ImpiFloats impi_load_row(const ImpiRecord *base, const int32_t *index, int k) {
  ImpiRecord a = base[index[k]], b = base[index[k + 4]], c = base[index[k + 8]], d = base[index[k + 12]];
  ImpiHalf ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  ImpiHalf cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#endif

// Within every four lanes of a and b:
//   ZIP: a0 b0 a1 b1 (LOW) or a2 b2 a3 b3 (HIGH)
//   PAIR: a0 a1 b0 b1 (LOW) or a2 a3 b2 b3 (HIGH)
#if IMPI_W == 4
#define IMPI_ZIP_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define IMPI_ZIP_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define IMPI_PAIR_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define IMPI_PAIR_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#elif IMPI_W == 8
#define IMPI_ZIP_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define IMPI_ZIP_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define IMPI_PAIR_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define IMPI_PAIR_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#elif IMPI_W == 16
#define IMPI_ZIP_LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define IMPI_ZIP_HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define IMPI_PAIR_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define IMPI_PAIR_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#endif

// Transpose 4 x 4 floats in every group of four lanes.
IMPI_INLINE ImpiQuad impi_transpose(ImpiFloats r0, ImpiFloats r1, ImpiFloats r2, ImpiFloats r3) {
  ImpiFloats a = IMPI_ZIP_LOW(r0, r1), b = IMPI_ZIP_LOW(r2, r3);
  ImpiFloats c = IMPI_ZIP_HIGH(r0, r1), d = IMPI_ZIP_HIGH(r2, r3);
  return (ImpiQuad){IMPI_PAIR_LOW(a, b), IMPI_PAIR_HIGH(a, b), IMPI_PAIR_LOW(c, d), IMPI_PAIR_HIGH(c, d)};
}

// Gather: lane l of the result is record index[l].
// Before the transpose, row k consists of the records index[k], index[k + 4], index[k + 8] and index[k + 12].
IMPI_INLINE ImpiQuad impi_gather(const ImpiRecord *base, const int32_t *index) {
  return impi_transpose(impi_load_row(base, index, 0), impi_load_row(base, index, 1), impi_load_row(base, index, 2),
                        impi_load_row(base, index, 3));
}

IMPI_INLINE void impi_scatter(ImpiRecord *base, const int32_t *index, ImpiQuad q) {
  ImpiQuad rows = impi_transpose(q.x, q.y, q.z, q.w);
  const ImpiFloats row[4] = {rows.x, rows.y, rows.z, rows.w};
  for (int k = 0; k < 4; ++k) {
#if IMPI_W == 4
    base[index[k]] = row[k];
#elif IMPI_W == 8
    base[index[k]] = __builtin_shufflevector(row[k], row[k], 0, 1, 2, 3);
    base[index[k + 4]] = __builtin_shufflevector(row[k], row[k], 4, 5, 6, 7);
#elif IMPI_W == 16
    base[index[k]] = __builtin_shufflevector(row[k], row[k], 0, 1, 2, 3);
    base[index[k + 4]] = __builtin_shufflevector(row[k], row[k], 4, 5, 6, 7);
    base[index[k + 8]] = __builtin_shufflevector(row[k], row[k], 8, 9, 10, 11);
    base[index[k + 12]] = __builtin_shufflevector(row[k], row[k], 12, 13, 14, 15);
#endif
  }
}

#endif // IMPI_W > 1

#endif
