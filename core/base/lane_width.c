#include "base/lane_width.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "IMPEL_LANES"


bool impi_is_lane_width(double width) { return width == 1 || width == 4 || width == 8 || width == 16; }


int impi_widest_lanes(void) {
#if IMPI_WIDE_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return 16;
  }
  if (__builtin_cpu_supports("avx2")) {
    return 8;
  }
#endif
  return 4;
}


// Return the width in a text, 0 for an empty text, -1 for any other text.
static int parse_width(const char *text) {
  static const char *const texts[] = {"", "1", "4", "8", "16"};
  static const int widths[] = {0, 1, 4, 8, 16};
  for (int i = 0; i < IMPI_COUNT(texts); ++i) {
    if (strcmp(text, texts[i]) == 0) {
      return widths[i];
    }
  }
  return -1;
}


// Return the environment variable IMPEL_LANES, or 0. Thread-safe.
static int environment_width(void) {
  enum { unread = -2 };
  static atomic_int known = unread;
  int width = atomic_load_explicit(&known, memory_order_relaxed);
  if (width == unread) {
    const char *text = getenv(VARIABLE);
    width = text != NULL ? parse_width(text) : 0;
    atomic_store_explicit(&known, width, memory_order_relaxed);
  }
  return width;
}


int impi_lane_width(int requested) {
  int widest = impi_widest_lanes();
  int wanted = requested > 0 ? requested : environment_width();
  return wanted > 0 && wanted < widest ? wanted : widest;
}


ImpStatus impi_check_lane_environment(void) {
  if (environment_width() >= 0) {
    return IMP_OK;
  }
  const char *text = getenv(VARIABLE);
  return impi_fail(IMP_ERR_ARGUMENT, "environment variable " VARIABLE " must be 1, 4, 8 or 16, got '%s'",
                   text != NULL ? text : "");
}
