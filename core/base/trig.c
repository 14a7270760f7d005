// Sine, cosine, arc tangent, exponential, logarithm and power with the same bits on every machine.
//
// Only operations that IEEE 754 defines to the last bit are used: + - * / and sqrt in double, one rounding each (hence
// -ffp-contract=off), and integers. NaN results are the one positive quiet NaN.
// Each function reduces the argument to a small interval, evaluates a minimax polynomial, and undoes the reduction.
// Large terms are pairs: an unevaluated sum hi + lo with |lo| <= ulp(hi) / 2, about 106 bits.
//
//   sum      of two doubles and its rounding error: Knuth, "The Art of Computer Programming" 2, 4.2.2; Dekker's
//            shorter form when |a| >= |b| or a = 0
//   product  the same, factors in 26 + 26 bits: Dekker, "A floating-point technique for extending the available
//            precision" (1971). Factors stay between 2^-900 and 2^900.
// sin cos  x = k pi/2 + r, |r| <= pi/4.
//            Up to 65536 with pi/2 in three parts: Cody & Waite, "Software Manual for the Elementary Functions" (1980).
//            Beyond: Payne & Hanek, "Radian reduction for trigonometric functions" (1983).
//            No double is nearer to a multiple of pi/2 than about 2^-61 (Muller, "Elementary Functions", chapter 11).
//   exp      x = k ln 2 + r, |r| <= ln 2 / 2, e^x = 2^k e^r
//   log      x = 2^k m, m in [sqrt 1/2, sqrt 2]; with s = (m - 1) / (m + 1),
//            log m = 2 s + s^3 (2/3 + s^2 Q(s^2)), everything except Q as pairs
//   atan     with c the multiple of 1/8 nearest to q, atan q = atan c + atan u, u = (q - c) / (1 + q c), |u| <= 1/16
//   pow      x^y = e^(y log x) with log x and y log x as pairs; whole |y| <= 64 by squaring pairs
//
// Worst measured errors [ulp]:
//   sin 0.80  cos 0.80  atan2 0.51  log 0.51  exp 0.67  pow 0.75; exp and pow 0.77 where the result is subnormal
#include "base/trig.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define IMPI_TRIG_REAL double
#define IMPI_TRIG_BITS uint64_t
#define IMPI_TRIG_NAME(name) one_##name
#include "base/trig_lanes.h"

#if defined(__FAST_MATH__)
#error "trig.c needs IEEE arithmetic: build it without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "double arithmetic must round to double (on 32-bit x86: -mfpmath=sse)");
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#define POLY(coefficients, x) poly((coefficients), (int)(sizeof(coefficients) / sizeof((coefficients)[0])), (x))

#define ROUND_MAGIC IMPI_ROUND_MAGIC

// hi + lo, |lo| <= ulp(hi) / 2
typedef struct Pair {
  double hi, lo;
} Pair;

static const Pair PI = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
static const Pair HALF_PI = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
#define LOG2_E 0x1.71547652b82fep+0

// ln 2 in two parts; LN2_1 k is exact for |k| < 2^11.
#define LN2_1 0x1.62e42fefa3800p-1
#define LN2_2 0x1.ef35793c76730p-45

// (log m - 2 s - 2/3 s^3) / s^5 in z = s^2 <= 0.0295; error 2^-73 of log m
static const double LOG_POLY[] = {0.3999999999999998,  0.2857142857144384, 0.22222222217789808, 0.18181818843974112,
                                  0.15384558430482315, 0.1333626440229941, 0.1167578304717151,  0.11981731403866377};
// (e^r - 1 - r) / r^2 in |r| <= ln 2 / 2; error 2^-61 of e^r
// clang-format off
static const double EXP_POLY[] = {
    0.5,                    0.1666666666666667,     0.041666666666666685,  0.00833333333332614,
    0.001388888888887441,   0.00019841269874804046, 2.4801587347312268e-05, 2.7557255421769696e-06,
    2.7557252938755573e-07, 2.5105207856714562e-08, 2.0921580482215436e-09};
// clang-format on
// (atan u - u) / u^3 in z = u^2 <= 1/256; error 2^-62 of atan u
static const double ATAN_POLY[] = {-0.33333333333333165, 0.19999999999384838, -0.14285713557960436, 0.1111073570985235,
                                   -0.09002972398375002};
// atan(k / 8)
static const Pair ATAN_EIGHTHS[] = {
    {0, 0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// 2/pi after three zeros; word i has the weight 2^(32 (2 - i)).
static const uint32_t TWO_OVER_PI_WORDS[] = {
    0,          0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
    0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};


static inline uint64_t to_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}


static inline double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}


static inline bool is_negative(double x) { return to_bits(x) >> 63 != 0; }


static inline Pair quick_sum(double a, double b) {
  double s = a + b;
  return (Pair){s, b - (s - a)};
}


static inline Pair sum(double a, double b) {
  double s = a + b;
  double b_seen = s - a;
  return (Pair){s, (a - (s - b_seen)) + (b - b_seen)};
}


static inline Pair product(double a, double b) {
  const double splitter = 134217729; // 2^27 + 1
  double p = a * b;
  double a_big = a * splitter, b_big = b * splitter;
  double a_hi = a_big - (a_big - a), b_hi = b_big - (b_big - b);
  double a_lo = a - a_hi, b_lo = b - b_hi;
  return (Pair){p, a_lo * b_lo - (((p - a_hi * b_hi) - a_lo * b_hi) - a_hi * b_lo)};
}


static inline Pair pair_product(Pair a, Pair b) {
  Pair p = product(a.hi, b.hi);
  return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}


static inline Pair pair_quotient(Pair a, Pair b) {
  double q = a.hi / b.hi;
  Pair p = product(q, b.hi);
  double rest = (((a.hi - p.hi) - p.lo) + a.lo) - q * b.lo;
  return quick_sum(q, rest / b.hi);
}


// a - b
static inline Pair pair_difference(Pair a, Pair b) {
  Pair d = sum(a.hi, -b.hi);
  return quick_sum(d.hi, d.lo + (a.lo - b.lo));
}


static inline double poly(const double *coefficients, int count, double x) {
  double value = coefficients[count - 1];
  for (int i = count - 2; i >= 0; --i) {
    value = value * x + coefficients[i];
  }
  return value;
}


// Split x = 2^k m with m in [sqrt 1/2, sqrt 2]; x > 0 and finite.
static double split_exponent(double x, int *out_k) {
  int k = 0;
  if (x < DBL_MIN) {
    x *= 0x1p54;
    k = -54;
  }
  uint64_t bits = to_bits(x);
  k += (int)(bits >> 52) - 1023;
  double m = from_bits((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    k += 1;
  }
  *out_k = k;
  return m;
}


// Return x 2^k, rounded once. 2^-33 < |x| < 2^33
static double scale(double x, int k) {
  k = k < -1200 ? -1200 : (k > 1200 ? 1200 : k);
  double rest = 1;
  if (k < -900) {
    rest = 0x1p-216;
    k += 216;
  } else if (k > 900) {
    rest = 0x1p216;
    k -= 216;
  }
  return x * from_bits((uint64_t)(k + 1023) << 52) * rest;
}


// Reduce x >= 2^16 by the method of Payne and Hanek. Returns the quadrant.
// x = M 2^(32 (first - 2)), M < 2^85. Words of 2/pi before `first` give whole turns.
static unsigned reduce_long(double x, Pair *out_r) {
  uint64_t bits = to_bits(x);
  uint64_t mantissa = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  int exponent = (int)(bits >> 52) - 1075 + 64; // 64 + exponent of the mantissa's lowest bit; 28 to 1035
  int first = exponent / 32, shift = exponent % 32;
  uint64_t low = (mantissa & 0xffffffff) << shift;
  uint64_t high = ((mantissa >> 32) << shift) + (low >> 32);
  const uint64_t m[3] = {low & 0xffffffff, high & 0xffffffff, high >> 32};

  // Words of x 2/pi modulo 2^32: integer part, then fraction
  uint32_t word[7];
  uint64_t carry = 0;
  for (int i = 6; i >= 0; --i) {
    uint64_t this_word = carry, next_word = 0;
    for (int j = 0; j < 3; ++j) {
      uint64_t p = m[j] * TWO_OVER_PI_WORDS[first + i + j];
      this_word += p & 0xffffffff;
      next_word += p >> 32;
    }
    word[i] = (uint32_t)this_word;
    carry = next_word + (this_word >> 32);
  }

  // Round to the nearest quarter turn. If the fraction is at least 1/2, subtract 1 from it and add 1 to the quadrant.
  unsigned quadrant = word[0] & 3;
  double sign = 1;
  if (word[1] >> 31 != 0) {
    quadrant += 1;
    sign = -1;
    for (int i = 1; i < 5; ++i) {
      word[i] = ~word[i]; // differs from the exact negation by at most 2^-128
    }
  }
  Pair f = quick_sum(word[1] * 0x1p-32, word[2] * 0x1p-64);
  Pair g = quick_sum(f.lo, word[3] * 0x1p-96);
  f = quick_sum(f.hi, g.hi);
  f = quick_sum(f.hi, f.lo + (g.lo + word[4] * 0x1p-128));
  *out_r = pair_product((Pair){sign * f.hi, sign * f.lo}, HALF_PI);
  return quadrant & 3;
}


// Logarithm of x > 0, finite, as a pair.
static Pair log_pair(double x) {
  int exponent;
  double f = split_exponent(x, &exponent) - 1;
  double k = exponent;
  Pair s = pair_quotient((Pair){f, 0}, quick_sum(2, f));
  Pair z = pair_product(s, s);
  Pair factor = quick_sum(0x1.5555555555555p-1, z.hi * POLY(LOG_POLY, z.hi) + z.lo * LOG_POLY[0]);
  factor.lo += 0x1.5555555555555p-55;
  Pair curved = pair_product(pair_product(z, s), factor);

  Pair a = sum(k * LN2_1, 2 * s.hi);
  Pair b = sum(a.hi, curved.hi);
  return quick_sum(b.hi, (a.lo + b.lo) + (2 * s.lo + curved.lo + k * LN2_2));
}


// e^x; HUGE_VAL on overflow, 0 on underflow.
static double exp_pair(Pair x) {
  if (x.hi > 710) {
    return HUGE_VAL;
  }
  if (x.hi < -746) {
    return 0;
  }
  double k = (x.hi * LOG2_E + ROUND_MAGIC) - ROUND_MAGIC;
  Pair r = sum(x.hi - k * LN2_1, x.lo - k * LN2_2);
  Pair one_plus_r = quick_sum(1, r.hi);
  double curved = r.hi * r.hi * POLY(EXP_POLY, r.hi);
  return scale(one_plus_r.hi + (one_plus_r.lo + (r.lo + curved)), (int)k);
}


// x^n by squaring; x > 0 and finite, |n| <= 64. Exact powers are returned exactly.
static double whole_power(double x, int n) {
  int exponent;
  Pair square = {split_exponent(x, &exponent), 0};
  Pair power = {1, 0};
  for (int rest = n < 0 ? -n : n; rest > 0; rest >>= 1) {
    if (rest & 1) {
      power = pair_product(power, square);
    }
    square = pair_product(square, square);
  }
  if (n < 0) {
    power = pair_quotient((Pair){1, 0}, power);
  }
  return scale(power.hi, exponent * n);
}


void impi_sincos(double x, double *out_s, double *out_c) {
  double a = fabs(x), hi, lo;
  uint64_t quadrant;
  if (a < IMPI_TRIG_LIMIT) {
    one_reduce(&x, &hi, &lo, &quadrant);
  } else if (a <= DBL_MAX) {
    Pair r;
    quadrant = reduce_long(a, &r);
    hi = r.hi;
    lo = r.lo;
  } else {
    *out_s = *out_c = (double)NAN;
    return;
  }
  one_evaluate(&x, &hi, &lo, &quadrant, out_s, out_c);
}


void impi_sincos_many(const double *x, int count, double *restrict out_s, double *restrict out_c) {
  for (int i = 0; i < count; ++i) { // without a branch, so that the compiler can compute several elements at a time
    double hi, lo;
    uint64_t quadrant;
    one_reduce(&x[i], &hi, &lo, &quadrant);
    one_evaluate(&x[i], &hi, &lo, &quadrant, &out_s[i], &out_c[i]);
  }
  for (int i = 0; i < count; ++i) {
    if (!(fabs(x[i]) < IMPI_TRIG_LIMIT)) {
      impi_sincos(x[i], &out_s[i], &out_c[i]);
    }
  }
}


double imp_sin(double x) {
  double s, c;
  impi_sincos(x, &s, &c);
  return s;
}


double imp_cos(double x) {
  double s, c;
  impi_sincos(x, &s, &c);
  return c;
}


double imp_atan2(double y, double x) {
  if (x != x || y != y) {
    return (double)NAN;
  }
  double a = fabs(y), b = fabs(x);
  if (a == b && (a == 0 || a > DBL_MAX)) { // 0/0 is treated as 0, infinity/infinity as 1
    b = 1;
    a = a == 0 ? 0 : 1;
  }
  bool steep = a > b, left = is_negative(x);
  double small = steep ? b : a, large = steep ? a : b;
  Pair r;
  if (small < large * 0x1p-30) {
    // The relative error of atan q = q is below 2^-61. With a pair, a subnormal result would be rounded twice.
    r = (Pair){small / large, 0};
  } else {
    // Scale by a power of two, so that the following products neither overflow nor underflow.
    double unit = large > 0x1p500 ? 0x1p-600 : (large < 0x1p-500 ? 0x1p600 : 1);
    small *= unit;
    large *= unit;
    int eighths = (int)(8 * (small / large) + 0.5);
    double c = eighths * 0.125;
    // small/large = q, so u = (small - c large) / (large + c small)
    Pair u = pair_quotient(pair_difference((Pair){small, 0}, product(c, large)),
                           pair_difference((Pair){large, 0}, product(-c, small)));
    double z = u.hi * u.hi;
    Pair base = ATAN_EIGHTHS[eighths];
    r = sum(base.hi, u.hi);
    r = quick_sum(r.hi, r.lo + ((base.lo + u.lo) + u.hi * z * POLY(ATAN_POLY, z)));
  }
  if (steep) {
    r = pair_difference(HALF_PI, r);
  }
  if (left) {
    r = pair_difference(PI, r);
  }
  return is_negative(y) ? -r.hi : r.hi;
}


double imp_exp(double x) { return x != x ? (double)NAN : exp_pair((Pair){x, 0}); }


double imp_log(double x) {
  if (x != x || x < 0) {
    return (double)NAN;
  }
  if (x == 0) {
    return -HUGE_VAL;
  }
  return x > DBL_MAX ? x : log_pair(x).hi;
}


double imp_pow(double x, double y) {
  if (y == 0 || x == 1) {
    return 1;
  }
  if (x != x || y != y) {
    return (double)NAN;
  }
  double a = fabs(x), n = fabs(y);
  bool whole = n >= 0x1p53 || (double)(int64_t)n == n;
  bool odd = n < 0x1p53 && whole && ((int64_t)n & 1) != 0;
  double sign = odd && is_negative(x) ? -1 : 1;
  if (a == 0 || a > DBL_MAX) {
    return sign * ((a == 0) == (y < 0) ? HUGE_VAL : 0);
  }
  if (x < 0 && !whole) {
    return (double)NAN;
  }
  if (n > 0x1p64) { // |log a| is 0 or above 2^-54, so the power is 1, 0 or infinite
    return a == 1 ? 1 : ((a > 1) == (y > 0) ? HUGE_VAL : 0);
  }
  if (n < 0x1p-64) { // |log a| is below 2^10, so the power rounds to 1
    return 1;
  }
  if (whole && n <= 64) {
    return sign * whole_power(a, (int)y);
  }
  if (y == 0.5) {
    return sqrt(a);
  }
  return sign * exp_pair(pair_product(log_pair(a), (Pair){y, 0}));
}
