// A recording in memory, for specs. Its write function can fail when the recording reaches a given size.
#ifndef IMPI_RECORDED_H
#define IMPI_RECORDED_H

#include <stdlib.h>

#include "scene.h"

typedef struct Recorded {
  unsigned char *bytes;
  size_t size, capacity;
  size_t most; // size beyond which writing fails [bytes]; 0: no limit
} Recorded;


static inline bool keep_bytes(void *user, const void *bytes, size_t size) {
  Recorded *r = user;
  if (r->size + size > r->capacity) {
    r->capacity = 2 * (r->size + size);
    r->bytes = realloc(r->bytes, r->capacity);
  }
  if (r->most > 0 && r->size + size > r->most) { // write the part that fits, as on a full disk
    size_t fits = r->most - r->size;
    memcpy(r->bytes + r->size, bytes, fits);
    r->size += fits;
    return false;
  }
  memcpy(r->bytes + r->size, bytes, size);
  r->size += size;
  return true;
}


static inline void record(ImpWorld *world, Recorded *r, int keyframe_steps) {
  ImpRecordDef def = imp_record_def();
  def.write = keep_bytes;
  def.user = r;
  def.text = "{\"scene\":\"spec\"}";
  def.keyframe_steps = keyframe_steps;
  check_that(imp_world_record(world, &def) == IMP_OK, __FILE__, __LINE__, imp_last_error());
}


static inline ImpReplay *replay_of(const Recorded *r) {
  ImpReplay *replay = NULL;
  check_that(imp_replay_open(r->bytes, r->size, NULL, &replay) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  return replay;
}


// Play to the end. If a step differs from the recording, print the difference and return false.
static inline bool plays(ImpReplay *replay) {
  ImpReplayStep step = {.done = false};
  bool same = true;
  while (same && !step.done) {
    MUST(imp_replay_step(replay, &step));
    same = !step.differs;
  }
  if (!same) {
    printf("frame %d differs: %s %s; %s '%s' %s %g %g\n", step.frame, step.call != NULL ? step.call : "", step.why,
           step.has_difference ? imp_object_name((int)step.difference.object) : "", step.difference.name,
           step.difference.field, step.difference.a, step.difference.b);
  }
  return same;
}

#endif
