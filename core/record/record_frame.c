// Frames of a recording: their heads and checksums.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "record/record.h"

const char impi_record_magic[8] = {'I', 'M', 'P', 'R', 'E', 'C', 'O', 'R'};


uint64_t impi_read_number(const unsigned char *bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) {
    value |= (uint64_t)bytes[i] << 8 * i;
  }
  return value;
}


void impi_write_number(unsigned char *bytes, uint64_t value) {
  for (int i = 0; i < 8; ++i) {
    bytes[i] = (unsigned char)(value >> 8 * i);
  }
}


uint64_t impi_checksum(const void *bytes, size_t size) { return XXH3_64bits(bytes, size); }


// Return the checksum of the concatenation of two blocks.
uint64_t impi_checksum_of_two(const void *first, size_t first_size, const void *second, size_t second_size) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, first, first_size);
  XXH3_64bits_update(&state, second, second_size);
  return XXH3_64bits_digest(&state);
}


uint64_t impi_library_version(void) {
  return (uint64_t)IMP_VERSION_MAJOR << 32 | (uint64_t)IMP_VERSION_MINOR << 16 | IMP_VERSION_PATCH;
}


void impi_frame_head(unsigned char head[IMPI_FRAME_HEAD], uint64_t size, ImpiFrameKind kind, uint64_t tick) {
  impi_write_number(head, size);
  impi_write_number(head + 8, (uint64_t)kind);
  impi_write_number(head + 16, tick);
  uint64_t check = impi_checksum(head, IMPI_FRAME_HEAD);
  impi_write_number(head + 8, (uint64_t)kind | check << 32);
}
