// Recordings with errors but with valid checksums: frames in a different order or with changed contents.
#ifndef IMPI_RECORDING_MUTATION_H
#define IMPI_RECORDING_MUTATION_H

#include "recording_worlds.h"
#include "snapshot_input.h"

enum { KEY_HEAD = 16, NOTES_MOST = 1 << 16 };

// A growing array of bytes. A recording in it ends at the end of a frame.
typedef struct Pile {
  unsigned char *bytes;
  size_t size, capacity;
} Pile;


// Insert `size` bytes at `at`; zeros if `bytes` is null.
static inline void put_in(Pile *pile, size_t at, const void *bytes, size_t size) {
  if (pile->size + size > pile->capacity) {
    pile->capacity = 2 * (pile->size + size);
    pile->bytes = realloc(pile->bytes, pile->capacity);
  }
  if (size == 0) return;
  memmove(pile->bytes + at + size, pile->bytes + at, pile->size - at);
  if (bytes != NULL) memcpy(pile->bytes + at, bytes, size);
  if (bytes == NULL) memset(pile->bytes + at, 0, size);
  pile->size += size;
}


static inline void take_out(Pile *pile, size_t at, size_t size) {
  if (size == 0) return; // `bytes` may be null
  memmove(pile->bytes + at, pile->bytes + at + size, pile->size - at - size);
  pile->size -= size;
}


// ---------------------------------------------------------------------------------------------------------------------
// Whole recordings
// ---------------------------------------------------------------------------------------------------------------------

// Replace the bytes of `pile` by the head of a valid recording, without frames.
static inline void begin_recording(Pile *pile) {
  const unsigned char *head = good_recordings[0].all.bytes;
  pile->size = 0;
  put_in(pile, 0, head, IMPI_RECORD_HEAD + (size_t)impi_read_number(head + 32));
}


static inline void fix_frame(unsigned char *head, ImpiFrameKind kind, uint64_t tick, size_t size) {
  impi_frame_head(head, size, kind, tick);
  impi_write_number(head + IMPI_FRAME_HEAD + size, impi_checksum(head, IMPI_FRAME_HEAD + size));
}


static inline void add_frame(Pile *pile, ImpiFrameKind kind, uint64_t tick, const void *payload, size_t size) {
  size_t at = pile->size;
  put_in(pile, at, NULL, IMPI_FRAME_HEAD + size + IMPI_FRAME_TAIL);
  if (size > 0) memcpy(pile->bytes + at + IMPI_FRAME_HEAD, payload, size);
  fix_frame(pile->bytes + at, kind, tick, size);
}


static inline void copy_frame(Pile *pile, const Frame *frame) {
  add_frame(pile, frame->kind, frame->tick, frame->payload, frame->size);
}


// Turn any bytes into a recording that can be opened. Set version numbers and checksums, also in keyframes, and shorten
// lengths that reach beyond the end.
static inline void fix_recording(unsigned char *bytes, size_t size) {
  if (size < IMPI_RECORD_HEAD + 1) return;
  memcpy(bytes, good_recordings[0].all.bytes, 32);
  uint64_t text = impi_read_number(bytes + 32);
  if (text == 0 || text > size - IMPI_RECORD_HEAD) text = 1;
  impi_write_number(bytes + 32, text);
  bytes[IMPI_RECORD_HEAD + text - 1] = 0;
  impi_write_number(bytes + 40,
                    impi_checksum_of_two(bytes, IMPI_RECORD_HEAD - 8, bytes + IMPI_RECORD_HEAD, (size_t)text));
  size_t at = IMPI_RECORD_HEAD + (size_t)text;
  while (size - at >= IMPI_FRAME_HEAD + IMPI_FRAME_TAIL) {
    size_t left = size - at - IMPI_FRAME_HEAD - IMPI_FRAME_TAIL;
    uint64_t length = impi_read_number(bytes + at), kind = impi_read_number(bytes + at + 8) & 0xff;
    length = length > left ? left : length;
    if ((kind == IMPI_FRAME_KEY || kind == IMPI_FRAME_JUMP) && length > KEY_HEAD)
      fix_header(bytes + at + IMPI_FRAME_HEAD + KEY_HEAD, (size_t)length - KEY_HEAD);
    fix_frame(bytes + at, (ImpiFrameKind)kind, impi_read_number(bytes + at + 16), (size_t)length);
    at += IMPI_FRAME_HEAD + (size_t)length + IMPI_FRAME_TAIL;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Contents of frames
// ---------------------------------------------------------------------------------------------------------------------

enum { NOTE_EDITS = 8 };

// Change the notes of a frame (its recorded calls and marks) in one place. `kind`: kind of change. `number`: new value,
// which also gives the length and the source of a copied piece. `other`: frame from which a piece is copied.
static inline void edit_notes(Pile *notes, int kind, size_t place, uint64_t number, const Frame *other) {
  size_t at = place % (notes->size + 1), left = notes->size - at, length = 1 + (size_t)(number % 24);
  size_t from = other->size > 0 ? (size_t)(number >> 8) % other->size : 0;
  unsigned char call = (unsigned char)(number % 8 == 0 ? IMPI_MARK_FIRST + number / 8 % 5 : number % IMPI_CALL_COUNT);
  if (notes->size + length > NOTES_MOST) return;
  switch (kind % NOTE_EDITS) {
  case 0:
    if (left > 0) notes->bytes[at] = (unsigned char)number;
    return;
  case 1:
    if (left > 0) notes->bytes[at] = (unsigned char)(notes->bytes[at] ^ 1u << number % 8);
    return;
  case 2: // change a number
    if (left > 0) memcpy(notes->bytes + at, &number, left < 8 ? left : 8);
    return;
  case 3: // replace a byte by the number of a call or mark (ImpiCall)
    if (left > 0) notes->bytes[at] = call;
    return;
  case 4:
    put_in(notes, at, &call, 1);
    return;
  case 5: // insert a piece of `other`
    length = length < other->size - from ? length : other->size - from;
    put_in(notes, at, other->payload + from, length);
    return;
  case 6: // copy a piece of `notes` to a second place in `notes`
    if (left > 0) {
      unsigned char piece[24];
      length = length < left ? length : left;
      memcpy(piece, notes->bytes + at, length);
      put_in(notes, (size_t)(number >> 8) % (notes->size + 1), piece, length);
    }
    return;
  default:
    take_out(notes, at, length < left ? length : left);
  }
}


// Write `width` bytes of `number` into a keyframe's snapshot. If `width` is 0, change the keyframe's flags of
// callbacks.
static inline void edit_key(Pile *key, size_t place, uint64_t number, size_t width) {
  if (key->size < KEY_HEAD + SHOT_HEADER + 8) return;
  if (width == 0) {
    key->bytes[0] = (unsigned char)number;
    return;
  }
  size_t at = KEY_HEAD + SHOT_HEADER + place % (key->size - KEY_HEAD - SHOT_HEADER), left = key->size - at;
  memcpy(key->bytes + at, &number, left < width ? left : width);
  fix_header(key->bytes + KEY_HEAD, key->size - KEY_HEAD);
}

#endif
