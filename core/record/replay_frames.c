// Finding the frames of a recording, up to the first that is cut off or damaged.
#include "record/replay.h"

#include <string.h>

typedef struct Walk {
  ImpReplay *replay;
  size_t at; // position of the next frame [bytes]
} Walk;


static ImpStatus check_head(const unsigned char *bytes, size_t size, size_t *out_at) {
  if (bytes == NULL || size == 0 || memcmp(bytes, impi_record_magic, size < 8 ? size : 8) != 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "the bytes are not a recording of a world");
  }
  if (size < IMPI_RECORD_HEAD) {
    return impi_fail(IMP_ERR_ARGUMENT, "the recording was cut before the end of its header");
  }
  uint64_t format = impi_read_number(bytes + 8);
  if (format != IMPI_RECORD_FORMAT) {
    return impi_fail(IMP_ERR_ARGUMENT, "the recording has format %d, but this library plays only format %d",
                     format < INT32_MAX ? (int)format : INT32_MAX, IMPI_RECORD_FORMAT);
  }
  if (impi_read_number(bytes + 16) != impi_calls_identity() || impi_read_number(bytes + 24) != impi_library_version()) {
    return impi_fail(IMP_ERR_ARGUMENT, "the recording was made by another version of the library");
  }
  uint64_t text = impi_read_number(bytes + 32);
  if (text > size - IMPI_RECORD_HEAD) {
    return impi_fail(IMP_ERR_ARGUMENT, "the recording was cut before the end of its header");
  }
  *out_at = IMPI_RECORD_HEAD + (size_t)text;
  return IMP_OK;
}


// Return true if the head of the recording is intact.
static bool head_is_whole(ImpReplay *replay, size_t end) {
  const unsigned char *text = replay->bytes + IMPI_RECORD_HEAD;
  bool ends = end > IMPI_RECORD_HEAD && replay->bytes[end - 1] == 0;
  return ends && impi_read_number(replay->bytes + 40) ==
                     impi_checksum_of_two(replay->bytes, IMPI_RECORD_HEAD - 8, text, end - IMPI_RECORD_HEAD);
}


// Read the frame at the current position. Returns false if the frame is cut off or damaged, and sets `end`.
static bool read_frame(Walk *walk, ImpiFrame *frame, ImpReplayEnd *end) {
  const unsigned char *head = walk->replay->bytes + walk->at;
  size_t left = walk->replay->size - walk->at;
  *end = IMP_REPLAY_CUT;
  if (left < IMPI_FRAME_HEAD) {
    return false;
  }
  uint64_t size = impi_read_number(head), kind = impi_read_number(head + 8), tick = impi_read_number(head + 16);
  unsigned char right[IMPI_FRAME_HEAD];
  impi_frame_head(right, size, (ImpiFrameKind)(kind & 0xff), tick);
  *end = IMP_REPLAY_DAMAGED;
  if (memcmp(right, head, sizeof right) != 0) {
    return false;
  }
  if (size > left - IMPI_FRAME_HEAD || left - IMPI_FRAME_HEAD - size < IMPI_FRAME_TAIL) {
    *end = IMP_REPLAY_CUT;
    return false;
  }
  size_t whole = IMPI_FRAME_HEAD + (size_t)size;
  if (impi_read_number(head + whole) != impi_checksum(head, whole)) {
    return false;
  }
  *frame = (ImpiFrame){.at = walk->at + IMPI_FRAME_HEAD,
                       .size = (size_t)size,
                       .tick = tick,
                       .step = walk->replay->steps.count,
                       .kind = (ImpiFrameKind)(kind & 0xff)};
  walk->at += whole + IMPI_FRAME_TAIL;
  return true;
}


#define KEEP(replay, list, frame) \
  (impi_reserve(&(replay)->heap, list, (list)->count + 1) && ((list)->data[(list)->count++] = (frame), true))


// Store a frame by its kind. False when out of memory.
static bool keep_frame(ImpReplay *replay, ImpiFrame frame) {
  switch (frame.kind) {
  case IMPI_FRAME_KEY:
  case IMPI_FRAME_JUMP:
    return KEEP(replay, &replay->keys, frame);
  case IMPI_FRAME_STEP:
    return KEEP(replay, &replay->steps, frame);
  case IMPI_FRAME_REST:
    replay->rest = frame;
    return true;
  default:
    return true;
  }
}


ImpStatus impi_replay_index(ImpReplay *replay) {
  Walk walk = {.replay = replay};
  ImpStatus status = check_head(replay->bytes, replay->size, &walk.at);
  if (status != IMP_OK) {
    return status;
  }
  if (!head_is_whole(replay, walk.at)) {
    return impi_fail(IMP_ERR_ARGUMENT, "the recording is damaged: the checksum of its header does not match");
  }
  ImpReplayInfo *info = &replay->info;
  ImpiFrame frame = {.size = 0};
  bool over = false;
  info->text = (const char *)replay->bytes + IMPI_RECORD_HEAD;
  info->end = IMP_REPLAY_CUT;
  while (!over && walk.at < replay->size && read_frame(&walk, &frame, &info->end)) {
    if (!keep_frame(replay, frame)) {
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    info->end = IMP_REPLAY_CUT;
    over = frame.kind == IMPI_FRAME_END;
  }
  if (over) {
    info->end = walk.at == replay->size ? IMP_REPLAY_WHOLE : IMP_REPLAY_DAMAGED;
  }
  info->whole = walk.at;
  info->frames = replay->steps.count;
  info->keyframes = replay->keys.count;
  if (replay->keys.count == 0 || replay->keys.data[0].step != 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "the recording is %s before its first keyframe",
                     info->end == IMP_REPLAY_DAMAGED ? "damaged" : "cut");
  }
  info->first_tick = info->last_tick = imp_replay_tick(replay, 0);
  for (int i = 0; i < replay->steps.count; ++i) {
    uint64_t tick = replay->steps.data[i].tick;
    info->first_tick = tick < info->first_tick ? tick : info->first_tick;
    info->last_tick = tick > info->last_tick ? tick : info->last_tick;
  }
  return IMP_OK;
}
