// Sine and cosine of |x| < IMPI_TRIG_LIMIT. The results have the same bits for a double and for each element of a
// vector. The including file defines:
//   IMPI_TRIG_REAL         a double or a vector of doubles
//   IMPI_TRIG_BITS         unsigned integers of the same width
//   IMPI_TRIG_NAME(name)   names of the functions
#include <string.h>

#ifndef IMPI_TRIG_LIMIT
// pi/2 in three parts; the products of the first two with k < 2^16 are exact.
#define IMPI_TRIG_LIMIT 65536.0
#define IMPI_HALF_PI_1 0x1.921fb54440000p+0
#define IMPI_HALF_PI_2 0x1.68c234c4c0000p-39
#define IMPI_HALF_PI_3 0x1.98a2e03707345p-77
#define IMPI_TWO_OVER_PI 0x1.45f306dc9c883p-1
// Adding this number to x, |x| < 2^51, rounds x to an integer, which is in the low bits of the sum.
#define IMPI_ROUND_MAGIC 0x1.8p52
#endif

#define TRIG_INLINE static inline __attribute__((always_inline))


// Reduce: x = k pi/2 + r, r = hi + lo; the quadrant is k modulo 4.
TRIG_INLINE void IMPI_TRIG_NAME(reduce)(const IMPI_TRIG_REAL *x, IMPI_TRIG_REAL *out_hi, IMPI_TRIG_REAL *out_lo,
                                        IMPI_TRIG_BITS *out_quadrant) {
  IMPI_TRIG_BITS bits, shifted_bits;
  IMPI_TRIG_REAL a;
  memcpy(&bits, x, sizeof bits);
  bits &= 0x7fffffffffffffff;
  memcpy(&a, &bits, sizeof a);
  IMPI_TRIG_REAL shifted = a * IMPI_TWO_OVER_PI + IMPI_ROUND_MAGIC;
  IMPI_TRIG_REAL k = shifted - IMPI_ROUND_MAGIC;
  memcpy(&shifted_bits, &shifted, sizeof shifted_bits);
  *out_quadrant = shifted_bits & 3;
  IMPI_TRIG_REAL p = a - k * IMPI_HALF_PI_1, q = -(k * IMPI_HALF_PI_2);
  IMPI_TRIG_REAL hi = p + q, q_seen = hi - p; // the rounded sum; the next line adds its exact error
  IMPI_TRIG_REAL rest = ((p - (hi - q_seen)) + (q - q_seen)) - k * IMPI_HALF_PI_3;
  *out_hi = hi + rest;
  *out_lo = rest - (*out_hi - hi);
}


// Compute sin x and cos x from the quadrant and the reduced argument r_hi + r_lo of |x|, |r_hi| <= pi/4.
TRIG_INLINE void IMPI_TRIG_NAME(evaluate)(const IMPI_TRIG_REAL *x, const IMPI_TRIG_REAL *r_hi,
                                          const IMPI_TRIG_REAL *r_lo, const IMPI_TRIG_BITS *quadrant,
                                          IMPI_TRIG_REAL *out_s, IMPI_TRIG_REAL *out_c) {
  IMPI_TRIG_REAL hi = *r_hi, lo = *r_lo;
  // (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 in z = r^2; errors 2^-57 of sin r and 2^-63 of cos r
  IMPI_TRIG_REAL z = hi * hi, z2 = z * z, half_z = 0.5 * z;
  IMPI_TRIG_REAL sin_poly = (-0.1666666666666663 + z * 0.00833333333332184) +
                            z2 * ((-0.00019841269829358522 + z * 2.7557313538511096e-06) +
                                  z2 * (-2.505073438682329e-08 + z * 1.5895432920549815e-10));
  IMPI_TRIG_REAL cos_poly = (0.041666666666666595 + z * -0.0013888888888873344) +
                            z2 * ((2.4801587289004024e-05 + z * -2.7557314217676687e-07) +
                                  z2 * (2.087570548704712e-09 + z * -1.1358754022339513e-11));
  // approximately, with z = hi^2: sin(hi + lo) = sin hi + lo (1 - z / 2), cos(hi + lo) = cos hi - lo hi
  IMPI_TRIG_REAL s = hi + (hi * z * sin_poly + lo * (1 - half_z));
  IMPI_TRIG_REAL w = 1 + -half_z, w_lo = -half_z - (w - 1);
  IMPI_TRIG_REAL c = w + (w_lo + (z2 * cos_poly - hi * lo));

  // Odd quadrants swap sine and cosine. sin changes sign in quadrants 2 and 3 and for x < 0, cos in 1 and 2.
  IMPI_TRIG_BITS x_bits, s_bits, c_bits;
  memcpy(&x_bits, x, sizeof x_bits);
  memcpy(&s_bits, &s, sizeof s_bits);
  memcpy(&c_bits, &c, sizeof c_bits);
  IMPI_TRIG_BITS swapped = (s_bits ^ c_bits) & (0 - (*quadrant & 1));
  s_bits ^= swapped ^ ((*quadrant & 2) << 62) ^ (x_bits & 0x8000000000000000);
  c_bits ^= swapped ^ (((*quadrant + 1) & 2) << 62);
  memcpy(out_s, &s_bits, sizeof s_bits);
  memcpy(out_c, &c_bits, sizeof c_bits);
}

#undef TRIG_INLINE
