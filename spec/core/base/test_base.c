// Formatting of error texts, compared with printf; names of statuses and the version.
#include "base/base.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"


static void the_last_error_is_empty_at_first(void) { CHECK(strcmp(imp_last_error(), "") == 0); }


static void check_number(double value) {
  char expected[64];
  (void)snprintf(expected, sizeof expected, "%.9g", value);
  (void)impi_fail(IMP_ERR_ARGUMENT, "%g", value);
  if (strcmp(imp_last_error(), expected) != 0) {
    check_that(false, __FILE__, __LINE__, expected);
    check_that(false, __FILE__, __LINE__, imp_last_error());
  }
}


static void numbers_are_formatted_as_by_printf(void) {
  // clang-format off
  const double values[] = {
      0, -0.0, 1, -1, 10, 0.1, 0.5, 1.5, 100000000, 999999999, 1e9, 12345678900.0, 999999999.5, 999999998.5,
      1000000000.5, 0.0001, 0.00001, 0.00012345678949999, 0.000099999999999, 123456.789, 3.14159265358979, -2.5e-7, 1e22,
      1e100, DBL_MAX, DBL_MIN, 0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp-1023, 0x1p-1, 0x1p-30, 1.0000000005, 1e-300,
      HUGE_VAL, -HUGE_VAL, 0x1p53, 0x1p63, 4503599627370496.5, 2.5, 0.125, 1e15, 123456789.5, 123456788.5};
  // clang-format on
  for (int i = 0; i < IMPI_COUNT(values); ++i) {
    check_number(values[i]);
  }
  uint64_t state = 1;
  for (int i = 0; i < 60000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    uint64_t bits = state ^ (state >> 29);
    double any;
    memcpy(&any, &bits, sizeof any);
    if (any == any) { // numbers of any exponent
      check_number(any);
    }
    check_number((double)(int64_t)state * 0x1p-40); // numbers of up to 7 digits before the point
    check_number((double)(state >> 34) * 0.5);      // multiples of 0.5, many of them ties when rounded to 9 digits
    check_number((double)(state >> 44) * 1e-3);     // numbers of 3 decimals
  }
}


static void nan_is_formatted_without_a_sign(void) {
  (void)impi_fail(IMP_ERR_ARGUMENT, "%g %g", (double)NAN, -(double)NAN);
  CHECK(strcmp(imp_last_error(), "nan nan") == 0);
}


static void texts_format_strings_and_integers(void) {
  const char *volatile nothing = NULL; // without volatile the compiler warns about the null pointer
  CHECK(impi_fail(IMP_ERR_LIMIT, "body '%s': vertex %d of %d, 100 %% of %g m", "box", -3, INT_MAX, 0.25) ==
        IMP_ERR_LIMIT);
  CHECK(strcmp(imp_last_error(), "body 'box': vertex -3 of 2147483647, 100 % of 0.25 m") == 0);
  (void)impi_fail(IMP_ERR_HANDLE, "%d%d%s", INT_MIN, 0, nothing);
  CHECK(strcmp(imp_last_error(), "-21474836480(null)") == 0);
}


static void different_numbers_have_different_texts(void) {
  (void)impi_fail(IMP_ERR_ARGUMENT, "from %g to %g, got %g", 1e-4, 1.0, 0x1.a36e2eb1c432cp-14);
  CHECK(strcmp(imp_last_error(), "from 0.0001 to 1, got 9.999999999999999e-05") == 0);
  (void)impi_fail(IMP_ERR_ARGUMENT, "up to %g, got %g", 1e7, 1e7 + 1e-3);
  CHECK(strcmp(imp_last_error(), "up to 10000000, got 10000000.001") == 0);
  (void)impi_fail(IMP_ERR_ARGUMENT, "%g and %g", 1.0 / 3, 1.0 / 3);
  CHECK(strcmp(imp_last_error(), "0.333333333 and 0.333333333") == 0);
}


static void a_text_can_contain_the_last_error(void) {
  (void)impi_fail(IMP_ERR_STATE, "inner %d", 7);
  (void)impi_fail(IMP_ERR_STATE, "outer: %s", imp_last_error());
  CHECK(strcmp(imp_last_error(), "outer: inner 7") == 0);
}


static void a_long_text_is_truncated_at_the_end_of_a_character(void) {
  char text[600];
  for (int lead = 0; lead < 4; ++lead) {
    memset(text, 'x', (size_t)lead);
    for (int i = lead; i + 3 < 600; i += 3) {
      memcpy(text + i, "\xe2\x82\xac", 3); // the euro sign
      text[i + 3] = '\0';
    }
    (void)impi_fail(IMP_ERR_ARGUMENT, "%s", text);
    size_t length = strlen(imp_last_error());
    CHECK(length >= 250 && length < 256 && (length - (size_t)lead) % 3 == 0);
    CHECK(memcmp(imp_last_error(), text, length) == 0);
  }
}


static void statuses_have_names_and_the_library_a_version(void) {
  const char *const names[] = {"ok", "argument", "handle", "world", "state", "nomem", "limit"};
  for (int i = 0; i < IMPI_COUNT(names); ++i) {
    CHECK(strcmp(imp_status_name((ImpStatus)-i), names[i]) == 0);
  }
  CHECK(strcmp(imp_status_name((ImpStatus)-100), "unknown") == 0);
  char version[32];
  (void)snprintf(version, sizeof version, "%d.%d.%d", IMP_VERSION_MAJOR, IMP_VERSION_MINOR, IMP_VERSION_PATCH);
  CHECK(strcmp(imp_version(), version) == 0);
}


int main(void) {
  RUN(the_last_error_is_empty_at_first);
  RUN(numbers_are_formatted_as_by_printf);
  RUN(nan_is_formatted_without_a_sign);
  RUN(texts_format_strings_and_integers);
  RUN(different_numbers_have_different_texts);
  RUN(a_text_can_contain_the_last_error);
  RUN(a_long_text_is_truncated_at_the_end_of_a_character);
  RUN(statuses_have_names_and_the_library_a_version);
  return check_report("base");
}
