// Recording and replaying: a recording is played to the same bits without the caller's functions.
#include "recorded.h"
#include "recorded_calls.h"

#include "record/record.h"
#include "snapshot/snapshot.h"

static uint64_t hashes[400];


static void live(ImpWorld *world, const Scene *scene) {
  scene->build(world);
  listen(world, scene);
  for (int step = 0; step < scene->steps; ++step) {
    scene->act(world, step);
    run(world, 1);
    hashes[step + 1] = imp_world_hash(world);
  }
}


static void scenes_are_played_to_the_same_bits(void) {
  for (int k = 0; k < (int)(sizeof scenes / sizeof *scenes); ++k) {
    for (int solver = 0; solver < IMP_SOLVER_COUNT; ++solver) {
      Recorded r = {0};
      ImpWorld *world = scene_world((ImpSolverKind)solver);
      record(world, &r, k == 0 ? 0 : 17);
      live(world, &scenes[k]);
      MUST(imp_world_record_end(world));
      ImpReplay *replay = replay_of(&r);
      ImpReplayInfo info = imp_replay_info(replay);
      CHECK(info.frames == scenes[k].steps && info.end == IMP_REPLAY_WHOLE && info.whole == r.size);
      CHECK(info.first_tick == 0 && info.last_tick == (uint64_t)scenes[k].steps);
      CHECK(strcmp(info.text, "{\"scene\":\"spec\"}") == 0);
      measured(scenes[k].name, (double)r.size / info.frames);
      CHECK(plays(replay));
      bool they_do = true;
      ImpDifference difference;
      MUST(imp_world_difference(imp_replay_world(replay), world, &they_do, &difference));
      CHECK(!they_do);
      imp_replay_close(replay);
      imp_world_destroy(world);
      free(r.bytes);
    }
  }
}


static void seeking_gives_the_same_bits_as_playing(void) {
  Recorded r = {0};
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  record(world, &r, 25);
  live(world, &scenes[0]);
  MUST(imp_world_record_end(world));
  ImpReplay *replay = replay_of(&r);
  for (int i = 0; i < 60; ++i) {
    int frame = 1 + (int)random_in(0, scenes[0].steps);
    ImpReplayStep step;
    MUST(imp_replay_seek(replay, frame, &step));
    CHECK(!step.differs);
    CHECK(imp_replay_frame(replay) == frame && imp_world_hash(imp_replay_world(replay)) == hashes[frame]);
    CHECK(imp_replay_tick(replay, frame) == (uint64_t)frame);
  }
  CHECK(imp_replay_seek(replay, scenes[0].steps + 1, NULL) == IMP_ERR_ARGUMENT);
  CHECK(imp_replay_seek(replay, -1, NULL) == IMP_ERR_ARGUMENT);
  imp_replay_close(replay);
  imp_world_destroy(world);
  free(r.bytes);
}


static bool sets_a_callback(int call) {
  return call >= IMPI_CALL_world_set_substep_callback && call <= IMPI_CALL_world_set_constraint_callback;
}


// Play a recording to its end. Return whether the played world equals the recorded world `world`.
static bool ends_equal(const Recorded *r, const ImpWorld *world) {
  ImpReplay *replay = replay_of(r);
  bool they_do = true;
  ImpDifference d = {.field = ""};
  bool same = plays(replay);
  MUST(imp_world_difference(imp_replay_world(replay), world, &they_do, &d));
  if (they_do) {
    printf("%s %s %g %g\n", imp_object_name((int)d.object), d.field, d.a, d.b);
  }
  imp_replay_close(replay);
  return same && !they_do;
}


static size_t size_with(int call) {
  Recorded r = {0};
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  imp_world_set_constraint_callback(world, NULL, NULL);
  Things things = make_things(world);
  record(world, &r, 0);
  if (call > 0) {
    check_that(make_call(world, &things, call) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  }
  if (call != IMPI_CALL_contact_set) { // calls that were recorded after the last step are played
    MUST(imp_world_record_end(world));
    CHECK(ends_equal(&r, world));
  }
  size_t size = r.size;
  imp_world_destroy(world);
  free(r.bytes);
  // Record the call with a step after the call.
  r = (Recorded){0};
  world = scene_world(IMP_SOLVER_SOFT);
  imp_world_set_constraint_callback(world, NULL, NULL);
  things = make_things(world);
  record(world, &r, 0);
  if (call > 0) {
    MUST(make_call(world, &things, call));
  }
  run(world, 5);
  MUST(imp_world_record_end(world));
  CHECK(ends_equal(&r, world));
  imp_world_destroy(world);
  free(r.bytes);
  return size;
}


static void every_call_of_the_table_is_recorded_and_played(void) {
  size_t without = size_with(0);
  for (int call = 1; call < IMPI_CALL_COUNT; ++call) {
    if (!sets_a_callback(call)) {
      bool noted = size_with(call) > without;
      CHECK(noted || call == IMPI_CALL_contact_set);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Callbacks
// ---------------------------------------------------------------------------------------------------------------------

static Things actors;
static ImpJoint dynamic_rows;


static void each_substep(ImpWorld *world, double h, void *user) {
  (void)user;
  uint64_t dice = imp_world_random(world);
  MUST(imp_body_apply_force(world, actors.box, vec((double)(dice % 100) * 0.1, h)));
  if (dice % 16 == 0) {
    drop_disc(world, imp_shape_def(), 0, 4, 0.2);
  }
}


static void soften(ImpWorld *world, ImpContact contact, void *user) {
  (void)user;
  MUST(imp_contact_set(world, contact, IMP_CONTACT_FRICTION, 0.01));
  MUST(imp_contact_set(world, contact, IMP_CONTACT_ENABLED, imp_world_random(world) % 3 != 0));
}


static bool chooses(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  (void)shape;
  (void)other;
  (void)user;
  return imp_world_random(world) % 2 == 0;
}


static void mixes(ImpWorld *world, int a, int b, ImpMix *mix, void *user) {
  (void)world;
  (void)user;
  mix->friction = 0.1 * (a + b);
}


static void pushes(ImpWorld *world, ImpField field, ImpBody body, void *user) {
  (void)field;
  (void)user;
  MUST(imp_body_apply_force(world, body, vec(0.5, 0.2)));
}


static void writes(ImpWorld *world, ImpJoint joint, double t, void *user) {
  (void)user;
  const double j[] = {1, 0, 0};
  const ImpUserRow row = {.j = j, .bias = sin(t), .lower = -3, .upper = 3};
  MUST(imp_constraint_set_rows(world, joint, &row, 1));
}


static void callbacks_are_played_from_recorded_results(void) {
  Recorded r = {0};
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  actors = make_things(world);
  dynamic_rows = actors.rows;
  record(world, &r, 40);
  ImpFieldDef def = imp_field_def(IMP_FIELD_CUSTOM);
  ImpField field;
  def.dynamic = true;
  MUST(imp_field_create(world, &def, &field));
  imp_world_set_substep_callback(world, each_substep, NULL);
  imp_world_set_pre_solve_callback(world, soften, NULL);
  imp_world_set_filter_callback(world, chooses, NULL);
  imp_world_set_mix_callback(world, mixes, NULL);
  imp_world_set_field_callback(world, pushes, NULL);
  imp_world_set_constraint_callback(world, writes, NULL);
  for (int i = 0; i < 150; ++i) {
    if (i % 10 == 0) {
      MUST(imp_shape_refilter(world, actors.shape));
    }
    if (i == 100) {
      imp_world_set_field_callback(world, NULL, NULL);
    }
    run(world, 1);
  }
  MUST(imp_world_record_end(world));
  run(world, 1);
  ImpReplay *replay = replay_of(&r);
  CHECK(plays(replay));
  ImpReplayStep step;
  MUST(imp_replay_seek(replay, 97, &step));
  CHECK(!step.differs);
  MUST(imp_replay_seek(replay, 130, &step));
  CHECK(!step.differs);
  imp_replay_close(replay);
  imp_world_destroy(world);
  free(r.bytes);
}


static void a_restore_is_recorded_as_a_whole_state(void) {
  Recorded r = {0};
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  build_heap(world);
  record(world, &r, 0);
  run(world, 20);
  void *bytes = NULL;
  size_t size = 0;
  MUST(imp_world_snapshot(world, &bytes, &size));
  run(world, 15);
  MUST(imp_world_restore(world, bytes, size));
  imp_snapshot_free(bytes);
  drop_disc(world, imp_shape_def(), 0, 5, 0.3);
  run(world, 10);
  MUST(imp_world_record_end(world));
  ImpReplay *replay = replay_of(&r);
  CHECK(plays(replay));
  CHECK(imp_replay_tick(replay, 35) == 35 && imp_replay_tick(replay, 36) == 21 && imp_replay_tick(replay, 45) == 30);
  CHECK(imp_replay_info(replay).first_tick == 0 && imp_replay_info(replay).last_tick == 35);
  CHECK(imp_world_hash(imp_replay_world(replay)) == imp_world_hash(world));
  for (int i = 0; i < 80; ++i) { // the recording has frames before and after the restore
    int frame = i < 20 ? 25 + i : (int)random_in(0, 46);
    ImpReplayStep step = {.done = false};
    MUST(imp_replay_seek(replay, frame, &step));
    CHECK(!step.differs && imp_replay_world(replay)->tick == imp_replay_tick(replay, frame));
  }
  imp_replay_close(replay);
  imp_world_destroy(world);
  free(r.bytes);
}


// ---------------------------------------------------------------------------------------------------------------------
// Incomplete and damaged recordings
// ---------------------------------------------------------------------------------------------------------------------


static Recorded recorded_heap(int steps) {
  Recorded r = {0};
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  build_heap(world);
  record(world, &r, 10);
  for (int i = 0; i < steps; ++i) {
    MUST(imp_body_apply_force(world, named(world, "a"), vec(3, 1)));
    run(world, 1);
  }
  MUST(imp_world_record_end(world));
  imp_world_destroy(world);
  return r;
}


// A recording that is cut at any length is played to its last complete frame, or refused.
static void a_truncated_recording_is_played_up_to_its_end(void) {
  Recorded r = recorded_heap(30);
  int opened = 0, most = 0;
  for (size_t size = 0; size < r.size; size += 1 + size / 40) {
    ImpReplay *replay = NULL;
    unsigned char *bytes = malloc(size + 1); // reads beyond the end of a separate block are detected
    memcpy(bytes, r.bytes, size);
    ImpStatus status = imp_replay_open(bytes, size, NULL, &replay);
    CHECK(status == IMP_OK || status == IMP_ERR_ARGUMENT);
    if (status == IMP_OK) {
      ImpReplayInfo info = imp_replay_info(replay);
      CHECK(info.end == IMP_REPLAY_CUT && info.whole <= size);
      CHECK(info.frames >= most);
      CHECK(plays(replay));
      opened++;
      most = info.frames;
      imp_replay_close(replay);
    }
    free(bytes);
  }
  CHECK(opened > 10 && most > 20);
  free(r.bytes);
}


static void a_damaged_recording_is_reported_and_played_up_to_the_damage(void) {
  Recorded r = recorded_heap(30);
  int whole = 0;
  for (size_t at = 0; at < r.size; at += 1 + at / 30) {
    ImpReplay *replay = NULL;
    r.bytes[at] ^= 0x10;
    ImpStatus status = imp_replay_open(r.bytes, r.size, NULL, &replay);
    CHECK(status == IMP_OK || status == IMP_ERR_ARGUMENT);
    if (status == IMP_OK) {
      ImpReplayInfo info = imp_replay_info(replay);
      CHECK(info.end == IMP_REPLAY_DAMAGED && info.whole <= at);
      CHECK(plays(replay));
      whole += info.frames > 0;
      imp_replay_close(replay);
    }
    r.bytes[at] ^= 0x10;
  }
  CHECK(whole > 10);
  free(r.bytes);
}


static void a_full_disk_ends_the_recording_but_no_step_fails(void) {
  Recorded full = recorded_heap(30);
  for (size_t most = 1; most < full.size; most += 1 + most / 10) {
    Recorded r = {.most = most};
    ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
    ImpRecordDef def = imp_record_def();
    build_heap(world);
    def.write = keep_bytes;
    def.user = &r;
    def.keyframe_steps = 10;
    def.text = "{\"scene\":\"spec\"}";
    bool begun = imp_world_record(world, &def) == IMP_OK;
    for (int i = 0; i < 30; ++i) {
      MUST(imp_body_apply_force(world, named(world, "a"), vec(3, 1)));
      run(world, 1);
    }
    ImpRecording recording = imp_world_recording(world);
    CHECK(recording.failed || most >= full.size - 32); // if no write failed, only the end mark is missing
    CHECK(imp_world_record_end(world) != IMP_OK);
    CHECK(!imp_world_recording(world).on);
    ImpReplay *replay = NULL;
    if (begun && imp_replay_open(r.bytes, r.size, NULL, &replay) == IMP_OK) {
      CHECK(imp_replay_info(replay).frames == (int)recording.steps && imp_replay_info(replay).end == IMP_REPLAY_CUT);
      CHECK(plays(replay));
      imp_replay_close(replay);
    }
    imp_world_destroy(world);
    free(r.bytes);
  }
  free(full.bytes);
}


static void the_same_run_records_the_same_bytes(void) {
  Recorded a = recorded_heap(25), b = recorded_heap(25);
  CHECK(a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0);
  free(a.bytes);
  free(b.bytes);
}


static size_t first_frame(const Recorded *r) { return IMPI_RECORD_HEAD + (size_t)impi_read_number(r->bytes + 32); }


// Recompute the checksums of the frame whose header is at `at`. Return the position of the next frame.
static size_t fix_frame(Recorded *r, size_t at) {
  uint64_t size = impi_read_number(r->bytes + at), kind = impi_read_number(r->bytes + at + 8) & 0xff;
  uint64_t tick = impi_read_number(r->bytes + at + 16);
  impi_frame_head(r->bytes + at, size, (ImpiFrameKind)kind, tick);
  size_t whole = IMPI_FRAME_HEAD + (size_t)size;
  impi_write_number(r->bytes + at + whole, impi_checksum(r->bytes + at, whole));
  return at + whole + IMPI_FRAME_TAIL;
}


// Random bytes in recorded calls, under valid checksums. The calls are played or refused.
static void wrong_recorded_calls_do_no_harm(void) {
  Recorded r = {0};
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  record(world, &r, 0);
  actors = make_things(world);
  for (int call = 1; call < IMPI_CALL_COUNT; ++call) {
    if (!sets_a_callback(call) && call != IMPI_CALL_contact_set) {
      (void)make_call(world, &actors, call); // some calls are refused, because earlier calls destroyed their objects
      run(world, 1);
    }
  }
  MUST(imp_world_record_end(world));
  imp_world_destroy(world);
  Recorded changed = {.bytes = malloc(r.size), .size = r.size};
  int played = 0, differed = 0, rounds = long_run ? 20000 : 150;
  for (int round = 0; round < rounds; ++round) {
    memcpy(changed.bytes, r.bytes, r.size);
    size_t at = first_frame(&r);
    while (at < r.size) {
      uint64_t size = impi_read_number(r.bytes + at), kind = impi_read_number(r.bytes + at + 8) & 0xff;
      bool notes = kind == IMPI_FRAME_STEP || kind == IMPI_FRAME_REST;
      if (notes && size > 0 && random_in(0, 1) < 0.3) {
        size_t place = at + IMPI_FRAME_HEAD + (size_t)random_in(0, (double)size);
        changed.bytes[place] = (unsigned char)random_in(0, 256);
      }
      at = fix_frame(&changed, at);
    }
    ImpReplay *replay = replay_of(&changed);
    ImpReplayStep step = {.done = false};
    ImpStatus status = IMP_OK;
    while (!step.done && status == IMP_OK) {
      status = imp_replay_step(replay, &step);
      differed += status == IMP_OK && step.differs;
    }
    played += status == IMP_OK;
    CHECK(imp_replay_seek(replay, 0, NULL) == IMP_OK);
    imp_replay_close(replay);
  }
  CHECK(played > 0 && differed > rounds);
  measured("differing steps per recording", (double)differed / rounds);
  free(changed.bytes);
  free(r.bytes);
}


// A recording has an invalid call after its last step. The replay reports a difference there, but no object differs.
static void a_world_with_the_recorded_hash_has_no_difference(void) {
  Recorded r = {0};
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpBody body = make_things(world).box;
  record(world, &r, 0);
  run(world, 3);
  MUST(imp_body_apply_force(world, body, vec(1, 0)));
  imp_world_record_end(world);
  for (size_t at = first_frame(&r); at < r.size;) {
    bool rest = (impi_read_number(r.bytes + at + 8) & 0xff) == IMPI_FRAME_REST;
    if (rest) r.bytes[at + IMPI_FRAME_HEAD] = IMPI_MARK_FIRST - 1;
    at = fix_frame(&r, at);
  }
  ImpReplay *replay = replay_of(&r);
  ImpReplayStep step = {.done = false};
  for (int i = 0; i < 4; ++i) {
    MUST(imp_replay_step(replay, &step));
    CHECK(step.differs == (i == 3) && step.done == (i == 3) && !step.has_difference);
  }
  CHECK(step.why[0] != 0);
  imp_replay_close(replay);
  free(r.bytes);
  MUST(imp_world_destroy(world));
}


// If the caller changes the world during a replay, the next step reports a difference. If the recording has a keyframe
// at that step, the report names the difference.
static void a_changed_world_differs_at_its_body(void) {
  Recorded r = recorded_heap(30);
  ImpReplay *replay = replay_of(&r);
  ImpReplayStep step;
  MUST(imp_replay_seek(replay, 19, &step));
  ImpWorld *world = imp_replay_world(replay);
  set_velocity(world, named(world, "b"), 1, 2, 3);
  MUST(imp_replay_step(replay, &step));
  CHECK(step.differs && step.frame == 20 && step.tick == 20 && step.expected != step.got && step.call == NULL);
  CHECK(step.has_difference && step.difference.object == IMP_OBJECT_BODY);
  MUST(imp_replay_seek(replay, 12, &step)); // a full state replaces the changed state
  CHECK(!step.differs);
  MUST(imp_body_destroy(world, named(world, "a")));
  MUST(imp_replay_step(replay, &step));
  CHECK(step.differs && step.call != NULL && strcmp(step.call, "imp_body_apply_force") == 0 && step.why[0] != 0);
  imp_replay_close(replay);
  free(r.bytes);
}


// If the recording has the full state, all numbers are compared, otherwise poses and velocities of bodies.
static void the_difference_is_searched_in_all_recorded_states(void) {
  static const char *const fields[] = {"pose", "center.y"};
  Recorded r = recorded_heap(30);
  ImpReplay *replay = replay_of(&r);
  ImpReplayStep step;
  // Every tenth state is recorded in full. The state of step 20 is recorded in full, the state of step 18 is not.
  for (int whole = 0; whole < 2; ++whole) {
    MUST(imp_replay_seek(replay, whole ? 19 : 17, &step));
    ImpWorld *world = imp_replay_world(replay);
    MUST(imp_body_set(world, named(world, "b"), IMP_BODY_GRAVITY_SCALE, 3));
    MUST(imp_replay_step(replay, &step));
    CHECK(step.differs && step.has_difference && strcmp(step.difference.name, "b") == 0);
    CHECK(strcmp(step.difference.field, fields[whole]) == 0);
  }
  imp_replay_close(replay);
  free(r.bytes);
}


static void misuse_is_refused(void) {
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  ImpRecordDef def = imp_record_def();
  Recorded r = {0};
  CHECK(imp_world_record(world, &def) == IMP_ERR_ARGUMENT);
  CHECK(imp_world_record(world, NULL) == IMP_ERR_ARGUMENT);
  record(world, &r, 0);
  def.write = keep_bytes;
  CHECK(imp_world_record(world, &def) == IMP_ERR_STATE);
  MUST(imp_world_destroy(world));
  ImpReplay *replay = replay_of(&r);
  CHECK(imp_replay_info(replay).end == IMP_REPLAY_WHOLE && imp_replay_info(replay).frames == 0);
  imp_replay_close(replay);
  replay = NULL;
  CHECK(imp_replay_open("abc", 3, NULL, &replay) == IMP_ERR_ARGUMENT && replay == NULL);
  r.bytes[24] ^= 1; // change the version in the header
  CHECK(imp_replay_open(r.bytes, r.size, NULL, &replay) == IMP_ERR_ARGUMENT && strstr(imp_last_error(), "version"));
  free(r.bytes);
}


static void every_member_of_a_definition_is_in_a_table(void) {
  int count = 0;
  for (const ImpiLayout *layout; (layout = impi_definition_layout(count)) != NULL; ++count) {
    CHECK(impi_layout_is_complete(layout));
  }
  CHECK(count > 0);
}


// A line of a property table names a member of two structs. The member must have the same type and name in both
// structs.
static void check_places(const ImpiProperty *table, int count, const ImpiLayout *object, const ImpiLayout *definition) {
  for (int i = 0; i < count; ++i) {
    bool stored = table[i].number == IMPI_NUMBER_NONE, given = table[i].info.definition == 0;
    for (int k = 0; k < object->count; ++k) {
      const ImpiField *field = &object->fields[k];
      stored = stored || (field->offset <= table[i].member && table[i].member < field->offset + field->size);
    }
    for (int k = 0; k < definition->count; ++k) {
      const ImpiField *field = &definition->fields[k];
      bool here = field->offset + 1 == table[i].info.definition && field->kind == IMPI_FIELD_PLAIN;
      ImpiNumber expected = table[i].number != IMPI_NUMBER_NONE ? table[i].number
                            : table[i].info.kind == IMP_BOOLEAN ? IMPI_NUMBER_BOOL
                                                                : IMPI_NUMBER_REAL;
      given = given || (here && field->number == expected && strcmp(field->name, table[i].info.name) == 0);
    }
    CHECK(stored && given);
    if (!stored || !given) {
      printf("  %s\n", table[i].info.name);
    }
  }
}


static void properties_have_the_members_of_their_lines(void) {
  check_places(impi_body_properties, IMP_BODY_PROPERTY_COUNT, &impi_body_layout, &impi_body_definition_layout);
  check_places(impi_shape_properties, IMP_SHAPE_PROPERTY_COUNT, &impi_shape_layout, impi_definition_layout(1));
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(scenes_are_played_to_the_same_bits);
  RUN(seeking_gives_the_same_bits_as_playing);
  RUN(every_call_of_the_table_is_recorded_and_played);
  RUN(callbacks_are_played_from_recorded_results);
  RUN(a_restore_is_recorded_as_a_whole_state);
  RUN(a_truncated_recording_is_played_up_to_its_end);
  RUN(a_damaged_recording_is_reported_and_played_up_to_the_damage);
  RUN(a_full_disk_ends_the_recording_but_no_step_fails);
  RUN(wrong_recorded_calls_do_no_harm);
  RUN(the_same_run_records_the_same_bytes);
  RUN(a_world_with_the_recorded_hash_has_no_difference);
  RUN(a_changed_world_differs_at_its_body);
  RUN(the_difference_is_searched_in_all_recorded_states);
  RUN(misuse_is_refused);
  RUN(every_member_of_a_definition_is_in_a_table);
  RUN(properties_have_the_members_of_their_lines);
  return check_report("record");
}
