// Version, status and last-error text. The text is thread-local, because threads use different worlds.
// Numbers are formatted here, independent of the locale. A double is m 2^e with integer m.
//   e >= 0: digits of the integer m 2^e
//   e < 0:  digits of the integer m 5^-e, which is the double times 10^-e
// Digits are rounded to nine (half to even), or to more where two numbers of a text would look the same.
#include "base/base.h"

#include <float.h>
#include <stdarg.h>
#include <string.h>

#define TEXT_SIZE 256  // size of an error text with its terminator [bytes]; a longer text is cut between characters
#define DIGITS 9       // significant digits of a number in an error
#define MOST_DIGITS 17 // digits that distinguish any two doubles
#define MOST_NUMBERS 8 // each number of a text is compared with at most this many numbers before it in the text
#define LIMB_COUNT 87  // number of limbs of nine decimal digits each: room for 767 digits and the carry
#define LIMB_BASE 1000000000u

static _Thread_local char error_text[TEXT_SIZE];

// Text under construction; `full`: characters that did not fit were dropped.
typedef struct Writer {
  char text[TEXT_SIZE];
  size_t length;
  bool full;
} Writer;

// An integer in limbs of nine decimal digits, least significant limb first.
typedef struct Decimal {
  uint32_t limb[LIMB_COUNT];
  int count;
} Decimal;


static void write_char(Writer *out, char c) {
  if (out->length + 1 < TEXT_SIZE) {
    out->text[out->length++] = c;
  } else {
    out->full = true;
  }
}


static void write_string(Writer *out, const char *text) {
  for (; *text != '\0'; ++text) {
    write_char(out, *text);
  }
}


static void write_int(Writer *out, int value) {
  char digits[12];
  int count = 0;
  unsigned rest = value < 0 ? 0u - (unsigned)value : (unsigned)value;
  do {
    digits[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (value < 0) {
    write_char(out, '-');
  }
  while (count > 0) {
    write_char(out, digits[--count]);
  }
}


static void decimal_multiply(Decimal *number, uint32_t factor) {
  uint64_t carry = 0;
  for (int i = 0; i < number->count; ++i) {
    carry += (uint64_t)number->limb[i] * factor;
    number->limb[i] = (uint32_t)(carry % LIMB_BASE);
    carry /= LIMB_BASE;
  }
  while (carry != 0) {
    IMP_ASSERT(number->count < LIMB_COUNT);
    number->limb[number->count++] = (uint32_t)(carry % LIMB_BASE);
    carry /= LIMB_BASE;
  }
}


static void decimal_multiply_power(Decimal *number, uint32_t base, int exponent) {
  for (; exponent >= 13; exponent -= 13) { // 5^13 is the largest power of five in 32 bits
    uint32_t factor = 1;
    for (int i = 0; i < 13; ++i) {
      factor *= base;
    }
    decimal_multiply(number, factor);
  }
  for (; exponent > 0; --exponent) {
    decimal_multiply(number, base);
  }
}


// Return digit `place` of the number; 0 is the least significant.
static int decimal_digit(const Decimal *number, int place) {
  uint32_t limb = place / 9 < number->count ? number->limb[place / 9] : 0;
  for (int i = place % 9; i > 0; --i) {
    limb /= 10;
  }
  return (int)(limb % 10);
}


// Write the first `count` digits of a positive value, rounded; return the first digit's power of ten.
static int round_to_digits(double value, int count, char digits[MOST_DIGITS]) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int biased = (int)(bits >> 52);
  uint64_t mantissa = bits & 0x000fffffffffffff;
  int exponent = (biased == 0 ? 1 : biased) - 1075;
  mantissa |= biased == 0 ? 0 : 0x0010000000000000;

  Decimal number = {.limb = {(uint32_t)(mantissa % LIMB_BASE), (uint32_t)(mantissa / LIMB_BASE)}, .count = 2};
  decimal_multiply_power(&number, exponent < 0 ? 5 : 2, exponent < 0 ? -exponent : exponent);
  int first = 9 * number.count - 1;
  while (decimal_digit(&number, first) == 0) {
    --first;
  }
  int ten = first + (exponent < 0 ? exponent : 0);

  for (int i = 0; i < count; ++i) {
    digits[i] = (char)(first - i >= 0 ? decimal_digit(&number, first - i) : 0);
  }
  // Round half to even: compare the part that was cut off with a half.
  int cut = first - count;
  int half = cut >= 0 ? decimal_digit(&number, cut) : 0;
  bool more = false;
  for (int i = cut - 1; i >= 0 && !more; --i) {
    more = decimal_digit(&number, i) != 0;
  }
  if (half > 5 || (half == 5 && (more || digits[count - 1] % 2 != 0))) {
    int i = count - 1;
    while (i >= 0 && digits[i] == 9) {
      digits[i--] = 0;
    }
    if (i >= 0) {
      digits[i] = (char)(digits[i] + 1);
    } else {
      digits[0] = 1;
      ++ten;
    }
  }
  return ten;
}


static void write_double(Writer *out, double value, int most) {
  if (value != value) {
    write_string(out, "nan");
    return;
  }
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (bits >> 63 != 0) {
    write_char(out, '-');
    value = -value;
  }
  if (value > DBL_MAX) {
    write_string(out, "inf");
    return;
  }
  if (value == 0) {
    write_char(out, '0');
    return;
  }
  char digits[MOST_DIGITS];
  int ten = round_to_digits(value, most, digits);
  int count = most;
  while (digits[count - 1] == 0) {
    --count;
  }
  bool scientific = ten < -4 || ten >= DIGITS;
  int top = scientific ? 0 : ten; // power of ten of digits[0], without the exponent that is written after the digits
  for (int place = top > 0 ? top : 0; place >= 0 || top - place < count; --place) {
    if (place == -1) {
      write_char(out, '.');
    }
    int i = top - place;
    write_char(out, (char)('0' + (i >= 0 && i < count ? digits[i] : 0)));
  }
  if (scientific) {
    write_string(out, ten < 0 ? "e-" : "e+");
    ten = ten < 0 ? -ten : ten;
    if (ten < 10) {
      write_char(out, '0');
    }
    write_int(out, ten);
  }
}


// Terminate the text. A UTF-8 character that was cut is removed.
static void finish(Writer *out) {
  if (out->full) {
    size_t start = out->length;
    while (start > 0 && ((unsigned char)out->text[start - 1] & 0xc0) == 0x80) {
      --start;
    }
    if (start > 0 && ((unsigned char)out->text[start - 1] & 0xc0) == 0xc0) {
      unsigned char lead = (unsigned char)out->text[start - 1];
      size_t size = lead >= 0xf0 ? 4 : (lead >= 0xe0 ? 3 : 2);
      if (out->length - (start - 1) < size) {
        out->length = start - 1;
      }
    }
  }
  out->text[out->length] = '\0';
}


typedef struct Number {
  double value;
  size_t begin, length;
} Number;


static bool look_the_same(const Writer *out, Number a, Number b) {
  bool differ = a.value != b.value && (a.value == a.value || b.value == b.value); // two NaNs are treated as equal
  return differ && a.length == b.length && memcmp(out->text + a.begin, out->text + b.begin, a.length) == 0;
}


// Write a text. Return false if two different numbers look the same.
static bool write_text(Writer *out, int digits, const char *format, va_list arguments) {
  Number numbers[MOST_NUMBERS];
  int count = 0;
  bool clear = true;
  out->length = 0;
  out->full = false;
  for (const char *c = format; *c != '\0'; ++c) {
    if (*c != '%') {
      write_char(out, *c);
      continue;
    }
    ++c;
    if (*c == 's') {
      const char *text = va_arg(arguments, const char *);
      write_string(out, text != NULL ? text : "(null)");
    } else if (*c == 'd') {
      write_int(out, va_arg(arguments, int));
    } else if (*c == 'g') {
      Number number = {.value = va_arg(arguments, double), .begin = out->length};
      write_double(out, number.value, digits);
      number.length = out->length - number.begin;
      for (int i = 0; i < count; ++i) {
        clear = clear && !look_the_same(out, numbers[i], number);
      }
      if (count < MOST_NUMBERS) {
        numbers[count++] = number;
      }
    } else {
      IMP_ASSERT(*c == '%');
      write_char(out, '%');
      if (*c == '\0') {
        break;
      }
    }
  }
  return clear;
}


ImpStatus impi_fail(ImpStatus status, const char *format, ...) {
  // The new text is built separately, because an argument may be the text of the last error.
  Writer out;
  bool clear = false;
  for (int digits = DIGITS; !clear && digits <= MOST_DIGITS; ++digits) {
    va_list arguments;
    va_start(arguments, format);
    clear = write_text(&out, digits, format, arguments);
    va_end(arguments);
  }
  finish(&out);
  memcpy(error_text, out.text, out.length + 1);
  return status;
}


#define QUOTE(x) #x
#define VERSION(major, minor, patch) QUOTE(major) "." QUOTE(minor) "." QUOTE(patch)


const char *imp_version(void) { return VERSION(IMP_VERSION_MAJOR, IMP_VERSION_MINOR, IMP_VERSION_PATCH); }


const char *imp_last_error(void) { return error_text; }


const char *imp_status_name(ImpStatus status) {
  static const char *const names[] = {"ok", "argument", "handle", "world", "state", "nomem", "limit"}; // index: -status
  IMPI_COVERS(names, 1 - IMP_ERR_LIMIT);
  int index = -(int)status;
  return index >= 0 && index < IMPI_COUNT(names) ? names[index] : "unknown";
}
