// The elementary functions: at most 1 ulp error, the same bits in every build.
#include "base/trig.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "check.h"

enum { SAMPLES = 1000000 };

static const double INF = HUGE_VAL;

// Largest permitted error [ulp].
static double ulp_limit;


static double limit_of_reference(void) {
  if (LDBL_MANT_DIG < 64) return 2;
  return check_long_rounding() < 0x1p-60L ? 1 : INF;
}

#define FOUR 4
typedef double Four __attribute__((vector_size(8 * FOUR)));
typedef uint64_t FourBits __attribute__((vector_size(8 * FOUR)));
#define IMPI_TRIG_REAL Four
#define IMPI_TRIG_BITS FourBits
#define IMPI_TRIG_NAME(name) four_##name
#include "base/trig_lanes.h"


static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}


// Compare bits: distinguishes the two zeros and treats a NaN as equal to itself.
static bool same(double a, double b) { return bits_of(a) == bits_of(b); }


// splitmix64: the arguments are the same in every run.
static uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}


static double uniform(uint64_t *state, double lower, double upper) {
  return lower + (upper - lower) * ((double)(next(state) >> 11) * 0x1p-53);
}


// Return a double of any sign and mantissa with an exponent in [lower, upper]; -1023 gives subnormal numbers.
static double any(uint64_t *state, int lower, int upper) {
  uint64_t bits = next(state) & 0x800fffffffffffff;
  int exponent = lower + (int)(next(state) % (uint64_t)(upper - lower + 1));
  bits |= (uint64_t)(exponent + 1023) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}


// Return the error in ulps, units in the last place of the exact value as a double.
static double ulps(double got, long double exact) {
  if (exact == 0 || fabs((double)exact) > DBL_MAX) {
    return got == (double)exact ? 0 : INF;
  }
  int exponent;
  (void)frexpl(exact, &exponent);
  int lowest = exponent - 53 < -1074 ? -1074 : exponent - 53;
  return (double)(fabsl((long double)got - exact) / ldexpl(1, lowest));
}


// Worst error and hash (FNV-1a over 64-bit words) of one function.
typedef struct Sweep {
  double worst;
  uint64_t hash;
} Sweep;


static void record(Sweep *sweep, double got, long double exact) {
  double error = ulps(got, exact);
  sweep->worst = error > sweep->worst ? error : sweep->worst;
  sweep->hash = (sweep->hash ^ bits_of(got)) * 0x100000001b3;
}


static void check_sweep(const char *name, Sweep sweep, uint64_t expected_hash) {
#ifdef TRIG_PRINT
  printf("%-6s %.3f ulp, hash 0x%016" PRIx64 "\n", name, sweep.worst, sweep.hash);
#endif
  CHECK(sweep.worst <= ulp_limit);
  CHECK(sweep.hash == expected_hash);
  if (!check_case_ok) {
    printf("  %s: %.3f ulp, hash 0x%016" PRIx64 "\n", name, sweep.worst, sweep.hash);
  }
}


static double angle(uint64_t *state, int i) {
  static const double ranges[] = {3.15, 1e4, 1e9};
  if (i % 5 < 3) {
    return uniform(state, -ranges[i % 5], ranges[i % 5]);
  }
  return i % 5 == 3 ? any(state, -1023, 0) : any(state, 0, 1023);
}


static void sin_and_cos_are_within_an_ulp_and_the_same_everywhere(void) {
  Sweep s = {0, 0}, c = {0, 0};
  uint64_t state = 1;
  for (int i = 0; i < SAMPLES; ++i) {
    double x = angle(&state, i);
    double got_s, got_c;
    impi_sincos(x, &got_s, &got_c);
    record(&s, got_s, sinl((long double)x));
    record(&c, got_c, cosl((long double)x));
    CHECK(same(got_s, imp_sin(x)) && same(got_c, imp_cos(x)));
  }
  check_sweep("sin", s, 0x83ed7178d86e96ad);
  check_sweep("cos", c, 0x2f62ee6784d43242);
}


static void sin_and_cos_are_accurate_next_to_multiples_of_a_right_angle(void) {
  // The doubles next to k pi/2, where most digits cancel. k = i or i^3.
  Sweep s = {0, 0}, c = {0, 0};
  for (int i = 0; i < 100000; ++i) {
    double k = i % 2 == 0 ? i : (double)i * i * i;
    double near = k * 0x1.921fb54442d18p0;
    double x = i % 3 == 0 ? near : nextafter(near, i % 3 == 1 ? INF : 0);
    record(&s, imp_sin(x), sinl((long double)x));
    record(&c, imp_cos(x), cosl((long double)x));
  }
  check_sweep("sin near", s, 0xccc34ec230d028d8);
  check_sweep("cos near", c, 0xf74bb3da1a412048);
  // The double nearest to a multiple of pi/2 (Muller).
  double nearest = ldexp(6381956970095103.0, 797);
  CHECK(same(imp_cos(nearest), -4.687165924254627611122583e-19));
  CHECK(same(imp_sin(nearest), 1.0));
}


static void atan2_is_within_an_ulp_and_the_same_everywhere(void) {
  Sweep sweep = {0, 0};
  uint64_t state = 2;
  for (int i = 0; i < SAMPLES; ++i) {
    double y, x;
    if (i % 2 == 0) {
      y = uniform(&state, -1, 1);
      x = uniform(&state, -1, 1);
    } else {
      y = any(&state, -1023, 1023);
      x = any(&state, 0, 0);
      x = ldexp(x, ilogb(y) + (int)(next(&state) % 141) - 70); // differs from y by a factor of at most 2^70
    }
    record(&sweep, imp_atan2(y, x), atan2l((long double)y, (long double)x));
  }
  check_sweep("atan2", sweep, 0xe7c669195e011f55);
}


static void exp_is_within_an_ulp_and_the_same_everywhere(void) {
  Sweep sweep = {0, 0};
  uint64_t state = 3;
  for (int i = 0; i < SAMPLES; ++i) {
    double x = i % 4 == 0   ? any(&state, -1023, 9)
               : i % 4 == 1 ? uniform(&state, -1, 1)
               : i % 4 == 2 ? uniform(&state, -746, 710)
                            : uniform(&state, -746, -708); // subnormal results
    record(&sweep, imp_exp(x), expl((long double)x));
  }
  check_sweep("exp", sweep, 0xc3011e3b2f68bfbb);
}


static void log_is_within_an_ulp_and_the_same_everywhere(void) {
  Sweep sweep = {0, 0};
  uint64_t state = 4;
  for (int i = 0; i < SAMPLES; ++i) {
    double x = i % 3 == 0   ? fabs(any(&state, -1023, 1023))
               : i % 3 == 1 ? uniform(&state, 0.5, 2)
                            : 1 + any(&state, -52, -2);
    record(&sweep, imp_log(x), logl((long double)x));
  }
  check_sweep("log", sweep, 0xb5ba3c907e173557);
}


static void pow_is_within_an_ulp_and_the_same_everywhere(void) {
  Sweep sweep = {0, 0};
  uint64_t state = 5;
  for (int i = 0; i < SAMPLES; ++i) {
    double x, y;
    if (i % 4 == 0) { // integer exponents y
      x = any(&state, -20, 20);
      y = (double)((int)(next(&state) % 129) - 64);
    } else if (i % 4 == 1) {
      x = uniform(&state, 0, 4);
      y = uniform(&state, -20, 20);
    } else if (i % 4 == 2) {
      x = fabs(any(&state, -1023, 1023));
      y = uniform(&state, -1.2, 1.2);
    } else { // x near 1, with results in the whole range of doubles
      x = 1 + any(&state, -40, -3);
      y = uniform(&state, -740, 709) / imp_log(x);
    }
    record(&sweep, imp_pow(x, y), powl((long double)x, (long double)y));
  }
  check_sweep("pow", sweep, 0xbbc327b160b922b7);
}


static void sin_and_cos_of_special_values(void) {
  CHECK(same(imp_sin(0.0), 0.0) && same(imp_sin(-0.0), -0.0));
  CHECK(imp_cos(0.0) == 1 && imp_cos(-0.0) == 1);
  CHECK(same(imp_sin(-0x1p-1074), -0x1p-1074));
  const double bad[] = {INF, -INF, (double)NAN, -(double)NAN};
  for (int i = 0; i < 4; ++i) {
    CHECK(same(imp_sin(bad[i]), (double)NAN) && same(imp_cos(bad[i]), (double)NAN));
  }
  const double large[] = {65536, 0x1.fffffffffffffp15, 1e22, DBL_MAX};
  for (int i = 0; i < 4; ++i) {
    CHECK(fabs(imp_sin(large[i])) <= 1 && fabs(imp_cos(large[i])) <= 1);
    CHECK(same(imp_sin(-large[i]), -imp_sin(large[i])) && same(imp_cos(-large[i]), imp_cos(large[i])));
  }
}


static void atan2_of_special_values(void) {
  const double pi = 0x1.921fb54442d18p1;
  const double values[] = {0, 1, 2.5, 0x1p-1074, 1e-310, 1e300, DBL_MAX, INF};
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      for (int signs = 0; signs < 4; ++signs) {
        double y = signs & 1 ? -values[i] : values[i], x = signs & 2 ? -values[j] : values[j];
        double got = imp_atan2(y, x);
        CHECK(ulps(got, atan2l((long double)y, (long double)x)) <= ulp_limit);
        CHECK(signbit(got) == signbit(y));
      }
    }
  }
  CHECK(same(imp_atan2(0.0, -0.0), pi) && same(imp_atan2(-0.0, -1), -pi) && same(imp_atan2(-0.0, 0.0), -0.0));
  CHECK(same(imp_atan2(1, 0.0), pi / 2) && same(imp_atan2(1, 1), pi / 4) && same(imp_atan2(INF, INF), pi / 4));
  CHECK(same(imp_atan2((double)NAN, 1), (double)NAN) && same(imp_atan2(1, -(double)NAN), (double)NAN));
}


static void exp_and_log_of_special_values(void) {
  CHECK(imp_exp(0.0) == 1 && imp_exp(-0.0) == 1 && imp_exp(INF) == INF && same(imp_exp(-INF), 0.0));
  CHECK(imp_exp(0x1.62e42fefa39efp9) <= DBL_MAX && imp_exp(0x1.62e42fefa39f0p9) == INF && imp_exp(1e308) == INF);
  CHECK(imp_exp(-745.1332191019411) == 0x1p-1074 && same(imp_exp(-745.1332191019413), 0.0));
  CHECK(same(imp_log(1), 0.0) && imp_log(0.0) == -INF && imp_log(-0.0) == -INF && imp_log(INF) == INF);
  CHECK(ulps(imp_log(0x1p-1074), logl(0x1p-1074L)) <= ulp_limit);
  CHECK(same(imp_log(-1), (double)NAN) && same(imp_log(-INF), (double)NAN));
  CHECK(same(imp_log(-(double)NAN), (double)NAN) && same(imp_exp(-(double)NAN), (double)NAN));
}


static void pow_has_the_special_cases_of_c(void) {
  const double values[] = {0,    -0.0,        1,     -1,   0.5,   -0.5,      2,      -2,      3,     -3,        INF,
                           -INF, (double)NAN, 1e300, 1e18, -1e18, 0x1p-1074, 0x1p53, 0x1.8p1, 2.5e9, -0x1p-1074};
  enum { COUNT = sizeof values / sizeof values[0] };
  for (int i = 0; i < COUNT; ++i) {
    for (int j = 0; j < COUNT; ++j) {
      double got = imp_pow(values[i], values[j]), expected = pow(values[i], values[j]);
      if (isnan(expected)) {
        CHECK(same(got, (double)NAN));
      } else {
        CHECK(signbit(got) == signbit(expected));
        CHECK(got == expected || ulps(got, powl((long double)values[i], (long double)values[j])) <= ulp_limit);
      }
    }
  }
}


static void integer_powers_are_exact_if_the_result_fits(void) {
  CHECK(imp_pow(3, 33) == 5559060566555523.0 && imp_pow(-7, 3) == -343 && imp_pow(10, 22) == 1e22);
  CHECK(imp_pow(2, -64) == 0x1p-64 && imp_pow(0x1p-20, 53) == 0x1p-1060 && imp_pow(2, 0.5) == sqrt(2.0));
  uint64_t state = 6;
  for (int i = 0; i < 1000; ++i) {
    double x = any(&state, -300, 300);
    CHECK(imp_pow(x, 1) == x && imp_pow(x, 2) == x * x && imp_pow(x, -1) == 1 / x);
  }
}


static void sin_and_cos_in_lanes_are_the_same_to_the_bit(void) {
  uint64_t state = 7;
  static const double special[] = {0,       -0.0, 0x1p-1074, -0x1p-1060, 0x1.921fb54442d18p-1, 0x1.921fb54442d18p+0,
                                   65535.99};
  for (int i = 0; i < 250000; ++i) {
    double x[FOUR], s[FOUR], c[FOUR];
    for (int k = 0; k < FOUR; ++k) {
      x[k] = i < 7 ? special[(i + k) % 7] : any(&state, i % 3 == 0 ? -60 : -4, i % 3 == 0 ? 15 : 3);
    }
    Four angle, hi, lo, sine, cosine;
    FourBits quadrant;
    memcpy(&angle, x, sizeof angle);
    four_reduce(&angle, &hi, &lo, &quadrant);
    four_evaluate(&angle, &hi, &lo, &quadrant, &sine, &cosine);
    memcpy(s, &sine, sizeof s);
    memcpy(c, &cosine, sizeof c);
    for (int k = 0; k < FOUR; ++k) {
      double one_s, one_c;
      impi_sincos(x[k], &one_s, &one_c);
      CHECK(memcmp(&one_s, &s[k], sizeof one_s) == 0 && memcmp(&one_c, &c[k], sizeof one_c) == 0);
    }
  }
}


static void arrays_of_sines_and_cosines_equal_single_calls(void) {
  enum { MOST = 67 };
  uint64_t state = 16;
  int different = 0;
  for (int round = 0; round < 20000; ++round) {
    double x[MOST], s[MOST + 1], c[MOST + 1];
    int count = round % (MOST + 1);
    for (int k = 0; k < count; ++k) {
      static const double odd[] = {0.0,    -0.0, HUGE_VAL, -HUGE_VAL, (double)NAN, IMPI_TRIG_LIMIT, -IMPI_TRIG_LIMIT,
                                   DBL_MAX};
      uint64_t kind = next(&state) % 64;
      x[k] = kind < 8 ? odd[kind] : kind < 16 ? any(&state, -1023, 1023) : uniform(&state, -10, 10);
    }
    s[count] = c[count] = 7;
    impi_sincos_many(x, count, s, c);
    for (int k = 0; k < count; ++k) {
      double one_s, one_c;
      impi_sincos(x[k], &one_s, &one_c);
      different += !(same(s[k], one_s) && same(c[k], one_c));
    }
    different += s[count] != 7 || c[count] != 7;
  }
  CHECK(different == 0);
}


int main(void) {
  ulp_limit = limit_of_reference();
  RUN(sin_and_cos_are_within_an_ulp_and_the_same_everywhere);
  RUN(sin_and_cos_are_accurate_next_to_multiples_of_a_right_angle);
  RUN(atan2_is_within_an_ulp_and_the_same_everywhere);
  RUN(exp_is_within_an_ulp_and_the_same_everywhere);
  RUN(log_is_within_an_ulp_and_the_same_everywhere);
  RUN(pow_is_within_an_ulp_and_the_same_everywhere);
  RUN(sin_and_cos_of_special_values);
  RUN(atan2_of_special_values);
  RUN(exp_and_log_of_special_values);
  RUN(pow_has_the_special_cases_of_c);
  RUN(integer_powers_are_exact_if_the_result_fits);
  RUN(sin_and_cos_in_lanes_are_the_same_to_the_bit);
  RUN(arrays_of_sines_and_cosines_equal_single_calls);
  return check_report("trig");
}
