// impel: comparison of worlds, recording, replay. Included by impel.h.
//
// A recording contains:
// - the calls that changed a world (functions marked IMP_CALL, with their arguments);
// - for each callback that ran inside a step, its return value and the calls that it made;
// - the world's hash after each step, and from time to time the whole state (a keyframe).
// A replay does not need the caller's callbacks.
#ifndef IMPEL_RECORD_H
#define IMPEL_RECORD_H

// ---------------------------------------------------------------------------------------------------------------------
// Comparison of two worlds
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
/// Return a kind's name: "world", "body", "shape", "joint", "contact", "field", "mover".
IMP_API const char *imp_object_name(int kind);
/// Read the name, or null, and the creation number of a destroyed body, shape or joint. Returns false if the world no
/// longer stores them. They are stored as long as events of the last or the next step may refer to the object.
IMP_API bool imp_world_destroyed_object(const ImpWorld *world, ImpObjectKind kind, uint64_t id, const char **out_name,
                                        uint64_t *out_number);

/// Length of the texts of ImpDifference, with the zero byte.
#define IMP_MAX_DIFFERENCE_TEXT 64

/// First number in which two worlds differ.
typedef struct ImpDifference {
  ImpObjectKind object;
  /// creation number of the object; contact: creation number of shape a; mover: creation number of its body
  uint64_t id;
  uint64_t other; ///< contact: creation number of shape b; shape: creation number of its body; else 0
  char name[IMP_MAX_DIFFERENCE_TEXT];   ///< name of the object, cut to fit; of a contact: of its first body; "": none
  char name_b[IMP_MAX_DIFFERENCE_TEXT]; ///< contact: name of its second body
  char field[IMP_MAX_DIFFERENCE_TEXT];  ///< as in Lua: "velocity.x"; "exists": only one world has the object
  double a, b; ///< the two values; NaN for texts. 64-bit masks and generators are compared in halves: "mask.high"
} ImpDifference;

/// Compare two worlds number by number: their clocks; bodies in creation order, each with its shapes; joints, contacts,
/// fields, movers; settings; sleep timers. -0 equals 0. Threads, lanes, callbacks, user data and addresses are not
/// compared. Errors: IMP_ERR_STATE inside a step of either world; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_world_difference(const ImpWorld *a, const ImpWorld *b, bool *out_differ,
                                       ImpDifference *out_difference);


// ---------------------------------------------------------------------------------------------------------------------
// Recording
// ---------------------------------------------------------------------------------------------------------------------

/// Function that stores bytes of a recording, in order. If it returns false, the recording ends.
typedef bool (*ImpWriteFn)(void *user, const void *bytes, size_t size);

/// Definition of a recording. Start from imp_record_def().
typedef struct ImpRecordDef {
  ImpWriteFn write;
  void *user;
  const char *text;   ///< text of the caller at the start of the recording; null for none
  int keyframe_steps; ///< steps between keyframes; default 0: chosen by the cost of steps
} ImpRecordDef;
/// Return the default definition, with a null `write`.
IMP_API ImpRecordDef imp_record_def(void);

typedef struct ImpRecording {
  bool on;                   ///< the world is being recorded
  bool failed;               ///< `write` returned false, or memory ran out: the recording ended with a complete frame
  uint64_t steps, keyframes; ///< numbers of steps and of keyframes that were written
  uint64_t bytes;
} ImpRecording;

/// Begin to record a world. The same calls give the same bytes. A complete frame is written after each step; a restore
/// is written as a keyframe. Errors: IMP_ERR_STATE if the world is already recorded, inside a step, or if `write`
/// returns false for the first bytes; IMP_ERR_ARGUMENT; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_world_record(ImpWorld *world, const ImpRecordDef *def);
/// End the recording; imp_world_destroy ends it, too. Without a recording this is a no-op. Errors: IMP_ERR_STATE if the
/// recording has failed, or inside a step (the recording continues).
IMP_API ImpStatus imp_world_record_end(ImpWorld *world);
/// Return the state of the present recording, or of the last recording.
IMP_API ImpRecording imp_world_recording(const ImpWorld *world);


// ---------------------------------------------------------------------------------------------------------------------
// Replaying
// ---------------------------------------------------------------------------------------------------------------------

/// A player of a recording, an opaque type.
typedef struct ImpReplay ImpReplay;

/// How the bytes of a recording end.
typedef enum ImpReplayEnd {
  IMP_REPLAY_WHOLE, ///< the recording was ended
  /// the bytes stop between or within frames; the earlier frames are complete
  IMP_REPLAY_CUT,
  IMP_REPLAY_DAMAGED, ///< the bytes of a frame have changed; the earlier frames are complete
  IMP_REPLAY_END_COUNT
} ImpReplayEnd;
/// Return the name of an ImpReplayEnd: "whole", "cut", "damaged".
IMP_API const char *imp_replay_end_name(int end);

typedef struct ImpReplayInfo {
  const char *text; ///< text of ImpRecordDef, never null; valid as long as the bytes
  int frames;       ///< number of steps
  int keyframes;
  /// smallest and largest tick of all frames; a restore may set the tick back
  uint64_t first_tick, last_tick;
  ImpReplayEnd end;
  uint64_t whole; ///< length up to the end of the last complete frame [bytes]
} ImpReplayInfo;

/// Open a recording in memory, and make the world that plays it, at frame 0. The bytes must stay valid until the player
/// is closed. `allocator`: for the player and its world; null: the C library. Errors: IMP_ERR_ARGUMENT if the bytes are
/// not a recording, are of another format or version of the library, or are damaged before the first keyframe;
/// IMP_ERR_NOMEM.
IMP_API ImpStatus imp_replay_open(const void *bytes, size_t size, const ImpAllocator *allocator,
                                  ImpReplay **out_replay);
/// Close a player and destroy its world. Null is a no-op.
IMP_API void imp_replay_close(ImpReplay *replay);
IMP_API ImpReplayInfo imp_replay_info(const ImpReplay *replay);
/// Return the world that plays the recording, for drawing and queries. It belongs to the player. If the caller changes
/// it, later steps differ from the recording.
IMP_API ImpWorld *imp_replay_world(ImpReplay *replay);
/// Return the number of steps played: 0 at the beginning, info.frames at the end.
IMP_API int imp_replay_frame(const ImpReplay *replay);
/// Return the world's tick after `frame` steps; 0 if `frame` is out of range. A frame is the state directly after its
/// step, before any restore. A tick may occur twice, because a restore sets the tick back.
IMP_API uint64_t imp_replay_tick(const ImpReplay *replay, int frame);

/// Result of playing a step.
typedef struct ImpReplayStep {
  bool done;              ///< the recording has no further step
  bool differs;           ///< the result differs from the recorded result
  int frame;              ///< frame after the step
  int made;               ///< number of steps that were played and compared: 1; 0 when done
  uint64_t tick;          ///< tick of the world after the step
  uint64_t expected, got; ///< recorded and present hash after the step
  const char *call;       ///< a call that failed now but not when it was recorded, with its error in `why`; or null
  char why[160];          ///< "" or a message
  bool has_difference;    ///< `difference` is valid
  /// First difference from the recording. If a keyframe follows the step, `difference` names the first number that
  /// differs, with its present value a and its recorded value b. Otherwise the recording has one byte for the pose and
  /// one byte for the velocity of each moving body. `difference` names the first body in creation order whose bytes
  /// differ, with a and b NaN; `field` is "pose" or "velocity", or "awake" if the body moved only in the replay or only
  /// in the recording. If no body is found, only `object` is set.
  ImpDifference difference;
  double now[3]; ///< present values: of "pose" the origin x, y [m] and the angle [rad]; of "velocity" vx, vy, w
} ImpReplayStep;
/// Play the next step and compare its result with the recorded result. A difference does not stop the replay. Errors:
/// IMP_ERR_NOMEM; the errors of imp_world_step. After an error the next call plays the same step again, from the
/// keyframe before it.
IMP_API ImpStatus imp_replay_step(ImpReplay *replay, ImpReplayStep *out_step);
/// Go to a frame, 0..info.frames. Play from the last keyframe at or before it, or from the present frame if that
/// is nearer. `out_step` (may be null): the first played step that differs, or else the last step; its `made` is the
/// number of played steps.
/// Errors: IMP_ERR_ARGUMENT: no such frame; the errors of imp_replay_step.
IMP_API ImpStatus imp_replay_seek(ImpReplay *replay, int frame, ImpReplayStep *out_step);

#endif
