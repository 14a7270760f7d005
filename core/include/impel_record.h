// impel: worlds compared, recorded and replayed. A chapter of impel.h, which includes it; do not include it alone.
//
// A recording is the calls that changed a world (those marked IMP_CALL, with their arguments), what callbacks asked for
// and answered inside each step, the world's hash after each step, and now and then the whole state. So it is replayed
// by the library alone: no callback of the caller's runs, and every step is compared with what it came to then.
#ifndef IMPEL_RECORD_H
#define IMPEL_RECORD_H

// ---------------------------------------------------------------------------------------------------------------------
// What differs between two worlds
// ---------------------------------------------------------------------------------------------------------------------

typedef enum ImpObjectKind {
  IMP_OBJECT_WORLD,
  IMP_OBJECT_BODY,
  IMP_OBJECT_SHAPE,
  IMP_OBJECT_JOINT,
  IMP_OBJECT_CONTACT,
  IMP_OBJECT_FIELD,
  IMP_OBJECT_MOVER,
  IMP_OBJECT_COUNT
} ImpObjectKind;
/// "world", "body", "shape", "joint", "contact", "field", "mover", or null out of range.
IMP_API const char *imp_object_name(int kind);
/// The name (or null) and the creation number of a destroyed body, shape or joint that events of the last step or the next
/// one may hold; false where it is not known (any more).
IMP_API bool imp_world_former(const ImpWorld *world, ImpObjectKind kind, uint64_t id, const char **out_name,
                              uint64_t *out_number);

#define IMP_MAX_DIFFERENCE_TEXT 64

/// The first number in which two worlds differ.
typedef struct ImpDifference {
  ImpObjectKind object;
  uint64_t id;                          ///< its property `id`; of a contact that of shape a; of a mover its body's
  uint64_t other;                       ///< of a contact the id of shape b; of a shape that of its body; else 0
  char name[IMP_MAX_DIFFERENCE_TEXT];   ///< of the object, cut to fit; of a contact its first body's; "": none
  char name_b[IMP_MAX_DIFFERENCE_TEXT]; ///< of a contact its second body's
  char field[IMP_MAX_DIFFERENCE_TEXT];  ///< as in Lua where Lua has it: "velocity.x"; "exists": only one world has it
  double a, b; ///< the two values; NaN where they are texts. 64-bit masks and generators come in halves: "mask.high"
} ImpDifference;

/// Compare two worlds as they are between steps, number by number: their clocks, then bodies in the order of creation,
/// each with its shapes, joints, contacts, fields, movers, settings, and how long bodies have been at rest. -0 is 0. What
/// belongs to the place and not to the state (threads, lanes, callbacks, user data, addresses) is not looked at. Worlds
/// whose hashes differ, differ in something that is found here. Error: one of them is inside a step.
IMP_API ImpStatus imp_world_difference(const ImpWorld *a, const ImpWorld *b, bool *out_differ,
                                       ImpDifference *out_difference);


// ---------------------------------------------------------------------------------------------------------------------
// Recording
// ---------------------------------------------------------------------------------------------------------------------

/// Takes bytes of a recording, in order; false: it cannot, and the recording is over.
typedef bool (*ImpWriteFn)(void *user, const void *bytes, size_t size);

/// How to record. Start from imp_record_def().
typedef struct ImpRecordDef {
  ImpWriteFn write;
  void *user;
  const char *text;   ///< the caller's own, kept at the front: what was run, in which version; null for none
  int keyframe_steps; ///< whole states are this many steps apart; 0, the default: as often as keeps a seek short, by how
                      ///< many bodies and contacts were awake
} ImpRecordDef;
IMP_API ImpRecordDef imp_record_def(void);

/// What became of a recording.
typedef struct ImpRecording {
  bool on;     ///< the world is recorded
  bool failed; ///< `write` refused, or memory ran out: what was written before is whole, and the world goes on
  uint64_t steps, keyframes;
  uint64_t bytes; ///< written
} ImpRecording;

/// Record the world from now on; the same calls make the same bytes. Bytes are written after each step, whole frames,
/// and never inside one. A restore while it is recorded goes into it as a whole state. Errors: it is recorded already,
/// inside a step, `write` refuses the beginning, out of memory.
IMP_API ImpStatus imp_world_record(ImpWorld *world, const ImpRecordDef *def);
/// End it, and write the end. Error: the recording had failed, or fails now; it is over all the same. Inside a step:
/// IMP_ERR_STATE. imp_world_destroy ends it too. A world that is not recorded: nothing.
IMP_API ImpStatus imp_world_record_end(ImpWorld *world);
/// Of the recording that is on, or of the last one.
IMP_API ImpRecording imp_world_recording(const ImpWorld *world);


// ---------------------------------------------------------------------------------------------------------------------
// Replaying
// ---------------------------------------------------------------------------------------------------------------------

typedef struct ImpReplay ImpReplay;

/// How the bytes of a recording end.
typedef enum ImpReplayEnd {
  IMP_REPLAY_WHOLE, ///< it was ended
  IMP_REPLAY_CUT,   ///< they stop between or within frames, as after a crash or on a full disk: what is there is whole
  IMP_REPLAY_DAMAGED, ///< a frame is not as it was written; what is before it is whole
  IMP_REPLAY_END_COUNT
} ImpReplayEnd;
/// "whole", "cut", "damaged", or null out of range.
IMP_API const char *imp_replay_end_name(int end);

typedef struct ImpReplayInfo {
  const char *text; ///< of ImpRecordDef, never null; lives as long as the bytes
  int frames;       ///< steps that are there
  int keyframes;
  uint64_t first_tick, last_tick; ///< the smallest and the largest of imp_replay_tick: a restore takes ticks back
  ImpReplayEnd end;
  uint64_t whole; ///< bytes up to the end of the last whole frame
} ImpReplayInfo;

/// Open a recording in memory, which must stay while it is open. The world that plays it takes its memory from
/// `allocator` (null: the C library's). Errors, which leave nothing open: no recording, of another format or version of
/// the library, damaged before the first whole state, out of memory.
IMP_API ImpStatus imp_replay_open(const void *bytes, size_t size, const ImpAllocator *allocator,
                                  ImpReplay **out_replay);
/// Close it, its world too. Null is a no-op.
IMP_API void imp_replay_close(ImpReplay *replay);
IMP_API ImpReplayInfo imp_replay_info(const ImpReplay *replay);
/// The world that plays it, to be drawn and asked. Who changes it makes it differ.
IMP_API ImpWorld *imp_replay_world(ImpReplay *replay);
/// Steps behind the place where it is: 0 at the beginning, info.frames at the end.
IMP_API int imp_replay_frame(const ImpReplay *replay);
/// The world's tick after that many steps; 0 out of range. Where the world was restored ticks go back, and one may come
/// twice: the frame that a step came to is what it was before the restore, and the next step begins behind the restore.
/// A restore behind the last step is of no frame: who plays on past the end has the world as it is after it.
IMP_API uint64_t imp_replay_tick(const ImpReplay *replay, int frame);

/// What a step that was played came to.
typedef struct ImpReplayStep {
  bool done;    ///< there was no step to play
  bool differs; ///< not the same as recorded
  int frame;    ///< after the step
  int made;     ///< steps that were made and compared: 1; 0 when done; on the way of a seek perhaps more, or none
  uint64_t tick;
  uint64_t expected, got; ///< hashes after the step
  const char *call;       ///< the call that was refused now and had succeeded then, or null; the text is `why`
  char why[160];          ///< "" or a sentence
  bool has_difference;    ///< `difference` says what differs first
  /// Where the state was recorded here, the first number that is another: b then, a now. Elsewhere what the step's notes
  /// tell, a byte for each: of the first body that differs, in the order of creation, `field` is "awake" or, where the same
  /// ones are, "pose" or "velocity"; else `object` alone says in what kind of objects the worlds differ, with id 0 and no field. a and b are NaN.
  /// Of 256 numbers that differ one does not show: then none is named, or a body that differs, too, but behind it.
  ImpDifference difference;
  double now[3]; ///< of "pose" the origin [m] and the angle [rad] now, of "velocity" those of the body now
} ImpReplayStep;
/// Play the next step. It goes on where it differs. Errors: out of memory, which may come in the middle of it, and what
/// a world refuses to step; called again it is made again, from the whole state before it.
IMP_API ImpStatus imp_replay_step(ImpReplay *replay, ImpReplayStep *out_step);
/// Go to where `frame` steps are behind, from the nearest whole state before it or from where it is. `out_step` is the
/// first step on the way that differs, or the last that was played, and `made` counts all of them; may be null. Errors:
/// no such frame, out of memory.
IMP_API ImpStatus imp_replay_seek(ImpReplay *replay, int frame, ImpReplayStep *out_step);

#endif
