// Harness of the C specs: a spec file is a program of test functions, each named by the property that it proves.
//
//   static void box_inertia_is_closed_form(void) { CHECK_NEAR(inertia, expected, 1e-12); }
//   int main(void) { RUN(box_inertia_is_closed_form); return check_report("shape"); }
#ifndef IMPI_CHECK_H
#define IMPI_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static int check_passed, check_failed;
static bool check_case_ok;

// Number of printed failures of the current case.
static int check_printed;

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(got, expected, tolerance) check_near((got), (expected), (tolerance), __FILE__, __LINE__, #got)

#define RUN(test) \
  do { \
    check_case_ok = true; \
    check_printed = 0; \
    test(); \
    check_case_ok ? ++check_passed : ++check_failed; \
    if (!check_case_ok) printf("FAILED %s\n", #test); \
  } while (0)

static inline void check_that(bool ok, const char *file, int line, const char *text) {
  if (ok) return;
  check_case_ok = false;
  if (check_printed++ < 5) printf("%s:%d: %s\n", file, line, text);
}

static inline void check_near(double got, double expected, double tolerance, const char *file, int line,
                              const char *text) {
  if (fabs(got - expected) <= tolerance) return;
  check_case_ok = false;
  if (check_printed++ < 5) {
    printf("%s:%d: %s is %.17g, expected %.17g within %g (off by %g)\n", file, line, text, got, expected, tolerance,
           got - expected);
  }
}

// Return the measured rounding error of long double, which is larger under memcheck.
static inline long double check_long_rounding(void) {
  volatile long double rounding = 1, sum = 2;
  while (sum > 1) {
    rounding /= 2;
    sum = 1 + rounding;
  }
  return rounding;
}

// Print the closing line of a suite; return exit code 0 if every case passed.
static inline int check_report(const char *suite) {
  printf("%s: %d passed, %d failed\n", suite, check_passed, check_failed);
  return check_failed == 0 ? 0 : 1;
}

#endif
