// Worlds with equal random operations give equal bits for any width of SIMD lanes and any number of threads, also after
// restores or without memory. --long runs many more seeds, --seed N runs one seed.
#include "stress_operations.h"
#include "validate.h"

enum { PLAYERS = 6, SCENES = 6 };

static const Player cast[PLAYERS] = {
    {.name = "wide", .lanes = 16, .threads = 1},
    {.name = "threaded", .lanes = 4, .threads = 2},
    {.name = "saved", .lanes = 8, .threads = 1, .saves_every = 3},
    {.name = "read", .lanes = 1, .threads = 1, .reads = true},
    {.name = "starved", .lanes = 8, .threads = 1, .starves = true},
    {.name = "varied", .any_width = true, .saves_every = 23},
};

// A player is a world with its own settings. All players get equal operations.
static struct {
  Player players[PLAYERS];
  uint64_t random; // generator of the next operations
  int step;
  bool handlers; // handlers change the world in the step
  long steps, contacts, joints, rewinds;
} stage;

static const double widths[] = {1, 4, 8, 16};


// ---------------------------------------------------------------------------------------------------------------------
// Callbacks
// ---------------------------------------------------------------------------------------------------------------------


static void look(Player *p) {
  if (!p->reads || chance(p, 2) == 0) return;
  uint64_t kept = random_state;
  ImpVec2 from = {-10, chance(p, 8)}, to = {10, chance(p, 8)};
  ImpHit hit;
  (void)all_seen(p);
  (void)imp_world_hash(p->world);
  if (!imp_world_is_stepping(p->world)) {
    (void)rows_seen(p);
    MUST(imp_world_raycast(p->world, from, to, NULL, &hit));
  }
  random_state = kept;
}


static void substep(ImpWorld *world, double h, void *user) {
  Player *p = user;
  CHECK(h > 0 && imp_world_is_stepping(world));
  p->substep++;
  look(p);
  for (int i = stage.handlers && one_in(4) ? roll(4) : 0; i > 0; --i) operate(p);
}


// The answer for a pair of shapes is the same at each call.
static bool filter(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  Player *p = user;
  double ids[] = {shape_id(world, shape), shape_id(world, other)};
  mix(&p->said, ids, sizeof ids);
  if (stage.handlers && one_in(20)) operate(p);
  return fmod(7 * ids[0] + ids[1], 5) > 0;
}


static void pre_solve(ImpWorld *world, ImpContact contact, void *user) {
  Player *p = user;
  ImpContactInfo info;
  MUST(imp_contact_info(world, contact, &info));
  mix_contact(&p->said, world, contact);
  double say = shape_id(world, info.shape_a) + 3 * shape_id(world, info.shape_b) + stage.step;
  if (fmod(say, 4) == 0) MUST(imp_contact_set(world, contact, IMP_CONTACT_ENABLED, 0));
  if (fmod(say, 5) == 0) MUST(imp_contact_set(world, contact, IMP_CONTACT_FRICTION, 0.1));
  if (stage.handlers && one_in(20)) operate(p);
}


// ---------------------------------------------------------------------------------------------------------------------
// Scenes
// ---------------------------------------------------------------------------------------------------------------------


static ImpWorld *empty_world(Player *p) {
  ImpWorldDef def = imp_world_def();
  def.allocator = (ImpAllocator){reallocate, &p->memory};
  ImpWorld *world = NULL;
  MUST(imp_world_create(&def, &world));
  return world;
}


// Set the callbacks, SIMD lanes and threads of a new or restored world.
static void settle(Player *p) {
  imp_world_set_substep_callback(p->world, setting.handlers ? substep : NULL, p);
  imp_world_set_pre_solve_callback(p->world, pre_solve, p);
  imp_world_set_filter_callback(p->world, filter, p);
  set_world(p->world, IMP_WORLD_LANES, p->any_width ? widths[chance(p, 4)] : p->lanes);
  set_world(p->world, IMP_WORLD_THREADS, p->any_width ? 1 + chance(p, 3) : p->threads);
}


static ImpBody put(Player *p, ImpBodyType type, double x, double y, double width, double height) {
  ImpShapeDef def = imp_shape_def();
  ImpBody body = add_body(p->world, type, x, y, 0);
  keep_body(p, body);
  if (height > 0) keep_shape(p, add_box(p->world, body, def, width, height));
  if (height <= 0) keep_shape(p, add_circle(p->world, body, def, width));
  return body;
}


static void pin(Player *p, ImpBody a, ImpBody b, double x, double y) {
  ImpJointDef def = imp_joint_def(IMP_JOINT_REVOLUTE, a, b);
  def.place_b = IMP_PLACE_WORLD;
  def.anchor_b = vec(x, y);
  keep_joint(p, add_joint(p->world, &def));
}


static void build_pyramid(Player *p) {
  for (int row = 0; row < 10; ++row) {
    for (int i = row; i < 10; ++i) put(p, IMP_BODY_DYNAMIC, i - 0.5 * row - 5, row + 0.5, 1, 1);
  }
}


static void build_grid(Player *p) {
  ImpBody body[8][8];
  for (int k = 0; k < 8; ++k) {
    for (int i = 0; i < 8; ++i) {
      body[k][i] = put(p, i == 0 && k % 3 == 0 ? IMP_BODY_STATIC : IMP_BODY_DYNAMIC, k - 4, 9 - i, 0.3, 0);
      if (i > 0) pin(p, body[k][i - 1], body[k][i], k - 4, 9.5 - i);
      if (k > 0) pin(p, body[k - 1][i], body[k][i], k - 4.5, 9 - i);
    }
  }
}


static void build_drum(Player *p) {
  ImpBody drum = add_body(p->world, IMP_BODY_KINEMATIC, 0, 6, 0);
  ImpShapeDef def = imp_shape_def();
  keep_body(p, drum);
  for (int side = 0; side < 4; ++side) {
    ImpShape shape = {0};
    double x = side < 2 ? 5 - 10 * side : 0, y = side < 2 ? 0 : 5 - 10 * (side - 2);
    ImpVec2 size = side < 2 ? vec(0.5, 10) : vec(10, 0.5);
    MUST(imp_body_add_box(p->world, drum, &def, size.x, size.y, vec(x, y), 0, 0, &shape));
    keep_shape(p, shape);
  }
  MUST(imp_body_set(p->world, drum, IMP_BODY_ANGULAR_VELOCITY, 0.7));
  for (int i = 0; i < 100; ++i)
    put(p, IMP_BODY_DYNAMIC, i % 10 * 0.7 - 3.2, 3 + i / 10 * 0.6, 0.5, i % 3 == 0 ? 0 : 0.4);
}


static void build_chains(Player *p) {
  for (int i = 0; i < 20; ++i) put(p, IMP_BODY_STATIC, i - 9.5, 0.5, 1, 1); // tiles
  for (int k = 0; k < 8; ++k) {
    ImpBody last = {0};
    for (int i = 0; i < 6; ++i) {
      ImpBody body = put(p, IMP_BODY_DYNAMIC, 2 * k - 7 + 0.1 * i, 1.4 + 0.5 * i, 0.2, 0.48);
      if (i > 0) pin(p, last, body, 2 * k - 7 + 0.1 * i, 1.15 + 0.5 * i);
      last = body;
    }
  }
}


// Two plates touch more bodies, below and above, than the graph colouring of constraints has colours.
static void build_plate(Player *p) {
  for (int i = 0; i < 40; ++i) put(p, IMP_BODY_STATIC, 0.45 * i - 9, 0.2, 0.4, 0.4);
  for (int k = 0; k < 2; ++k) put(p, IMP_BODY_DYNAMIC, 0, 0.6 + 0.7 * k, 18, 0.4);
  for (int i = 0; i < 45; ++i) put(p, IMP_BODY_DYNAMIC, 0.39 * i - 8.6, 0.95, 0.15, i % 2 == 0 ? 0 : 0.3);
  for (int i = 0; i < 40; ++i) put(p, IMP_BODY_DYNAMIC, 0.39 * i - 8, 1.8, 0.3, 0.3);
}


static void build(Player *p) {
  static void (*const builders[SCENES])(Player *) = {NULL,       build_pyramid, build_grid,
                                                     build_drum, build_chains,  build_plate};
  *p = cast[p - stage.players];
  p->starves = p->starves && !setting.fed;
  p->chance = setting.seed * 977 + (uint64_t)(p - stage.players);
  p->random = setting.seed;
  p->world = empty_world(p);
  settle(p);
  add_ground(p->world, imp_shape_def(), 0);
  if (builders[setting.scene] != NULL) builders[setting.scene](p);
  for (int i = setting.scene == 0 ? 60 : 10; i > 0; --i) {
    random_state = p->random;
    make_body(p);
    p->random = random_state;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Saving and restoring
// ---------------------------------------------------------------------------------------------------------------------


static void take(Player *p, Shot *shot) {
  imp_snapshot_free(shot->bytes);
  shot->bytes = NULL;
  MUST(imp_world_snapshot(p->world, &shot->bytes, &shot->size));
  shot->has = p->has;
}


static void bring_back(Player *p, const Shot *shot) {
  starve(p);
  if (failed(p, imp_world_restore(p->world, shot->bytes, shot->size))) {
    CHECK(imp_world_restore(p->world, shot->bytes, shot->size) == IMP_OK);
  } else {
    CHECK(p->status == IMP_OK);
  }
  find_handles(p, &shot->has);
  settle(p);
}


// Restore a world into itself, at once or after some extra steps, or into a new world.
static void save_and_restore(Player *p) {
  static Shot shot;
  take(p, &shot);
  uint64_t said = p->said;
  int how = chance(p, 3);
  if (how == 1) {
    uint64_t kept = random_state;
    bool handlers = stage.handlers;
    stage.handlers = false;
    run(p->world, 1 + chance(p, 3));
    stage.handlers = handlers;
    random_state = kept;
  } else if (how == 2) {
    MUST(imp_world_destroy(p->world));
    p->world = empty_world(p);
  }
  bring_back(p, &shot);
  p->said = said;
}


// Restore all players to a snapshot of one player, or each to its own snapshot.
static void rewind_all(void) {
  const Player *whose = one_in(2) ? &stage.players[roll(PLAYERS)] : NULL;
  stage.rewinds++;
  for (int i = 0; i < PLAYERS; ++i) {
    Player *p = &stage.players[i];
    bring_back(p, whose != NULL ? &whose->shot : &p->shot);
  }
}


// Return a digest of the whole state: hashes of a restored copy, at once and after two steps.
static uint64_t state_of(Player *p) {
  Shot shot = {0};
  Player other = {0};
  take(p, &shot);
  other.world = empty_world(&other);
  check_that(imp_world_restore(other.world, shot.bytes, shot.size) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  set_world(other.world, IMP_WORLD_LANES, 4);
  uint64_t digest = imp_world_hash(other.world);
  for (int i = 0; i < 2; ++i) {
    run(other.world, 1);
    uint64_t hash_now = imp_world_hash(other.world), events = events_seen(&other);
    mix(&digest, &hash_now, sizeof hash_now);
    mix(&digest, &events, sizeof events);
  }
  MUST(imp_world_destroy(other.world));
  imp_snapshot_free(shot.bytes);
  return digest;
}


// ---------------------------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------------------------


static void in_turn(void (*act)(Player *p)) {
  for (int i = 0; i < PLAYERS; ++i) {
    Player *p = &stage.players[i];
    random_state = p->random;
    act(p);
    p->random = random_state;
  }
}


static void step(Player *p) {
  if (p->any_width) settle(p);
  p->substep = 0;
  bool starves = p->starves && !stage.handlers;
  for (int tries = 0; tries < 40; ++tries) {
    p->memory.fail_at = starves && tries < 3 && chance(p, 3) > 0 ? p->memory.requests + 1 + chance(p, 3) : 0;
    long due = p->memory.fail_at;
    if (failed(p, imp_world_step(p->world))) continue;
    p->strayed = due > 0 && p->memory.requests >= due;
    break;
  }
  CHECK(p->status == IMP_OK);
  forget_the_dead(p);
}


// Without memory for a time-of-impact event, the body completes its motion only in the next step, and no call reports
// this. The world of this player then differs from the other worlds, so it is restored from another player.
static void call_back(Player *p) {
  static Shot shot;
  if (!p->strayed) return;
  take(&stage.players[0], &shot);
  bring_back(p, &shot);
}


static bool same(uint64_t (*seen)(Player *p), const char *what) {
  uint64_t expected = seen(&stage.players[0]);
  for (int i = 1; i < PLAYERS; ++i) {
    bool as_the_first = seen(&stage.players[i]) == expected;
    CHECK(as_the_first);
    if (as_the_first) continue;
    printf("  seed %d, step %d: %s of '%s' differ from those of '%s'\n", (int)setting.seed, stage.step, what,
           stage.players[i].name, stage.players[0].name);
    return false;
  }
  return true;
}


static uint64_t quick(Player *p) { return bodies_seen(p) ^ p->random; }
// A player whose memory runs out may lose events and repeat callbacks, so its events are not compared.
static uint64_t heard(Player *p) { return p->starves ? heard(&stage.players[0]) : events_seen(p) * 31 + p->said; }
static uint64_t hash_of(Player *p) { return imp_world_hash(p->world); }
static uint64_t whole(Player *p) { return all_seen(p); }
// call_back restores a player that ran out of memory, which discards its rows, so these rows are not compared.
static uint64_t listed(Player *p) { return rows_seen(p->strayed ? &stage.players[0] : p); }


// Draw the same random operations for all players, apply them, and make a step.
static void play_step(void) {
  random_state = stage.random;
  bool calm = stage.step / 100 % 3 == 2; // with few changes many bodies sleep
  int changes = calm                   ? one_in(30)
                : one_in(setting.calm) ? roll(6)
                                       : 0,
      keep = one_in(20), back = one_in(25), deep = one_in(15);
  stage.handlers = setting.handlers && one_in(4);
  if (setting.trace)
    printf("step %d: %d changes%s%s\n", stage.step, changes, keep ? ", kept" : "", back ? ", back" : "");
  bool kept = stage.players[0].shot.bytes != NULL;
  for (int i = 0; keep && i < PLAYERS; ++i) take(&stage.players[i], &stage.players[i].shot);
  if (back && (kept || keep)) rewind_all();
  stage.random = random_state;
  for (int i = 0; i < PLAYERS; ++i) {
    Player *p = &stage.players[i];
    if (p->saves_every > 0 && stage.step % p->saves_every == 1) save_and_restore(p);
  }
  for (; changes > 0; --changes) in_turn(operate);
  in_turn(look);
  if (stage.step % 5 == 0) validate_world(stage.players[stage.step / 5 % PLAYERS].world);
  in_turn(step);
  for (int i = 0; i < PLAYERS; ++i) call_back(&stage.players[i]);
  in_turn(destroy_the_lost);
  bool good = same(quick, "bodies") && same(heard, "events");
  if (good && deep) good = same(whole, "readings") && same(listed, "rows");
  if (good && stage.step % setting.hash_every == 0) good = same(hash_of, "hashes") && same(state_of, "states");
  if (stage.step % 5 == 2) validate_world(stage.players[stage.step / 5 % PLAYERS].world);
  const ImpCounts counts = imp_world_counts(stage.players[0].world);
  stage.contacts += counts.contacts;
  stage.joints += counts.joints;
  stage.steps++;
}


static void play(Settings what) {
  setting = what;
  stage.random = 7919 * what.seed + 1;
  validate_projection = 1;
  for (int i = 0; i < PLAYERS; ++i) {
    stage.players[i] = (Player){0};
    build(&stage.players[i]);
  }
  for (stage.step = 0; stage.step < what.steps && check_case_ok; ++stage.step) play_step();
  if (!check_case_ok) {
    printf("  seed %d, step %d, scene %d, the last operation was %s\n", (int)what.seed, stage.step, what.scene,
           stage.players[0].operation != NULL ? stage.players[0].operation : "none");
  }
  for (int i = 0; i < PLAYERS; ++i) {
    Player *p = &stage.players[i];
    MUST(imp_world_destroy(p->world));
    CHECK(p->memory.bytes == 0); // no leak
    imp_snapshot_free(p->shot.bytes);
  }
}


static Settings setting_of(uint64_t seed, int steps) {
  static const int hash_every[] = {1, 7, 40, 1000};
  return (Settings){.seed = seed,
                    .steps = steps,
                    .scene = (int)(seed % SCENES),
                    .calm = 1 + (int)(seed / 4 % 5),
                    .hash_every = hash_every[seed / SCENES % IMPI_COUNT(hash_every)],
                    .handlers = seed / 2 % 2 == 0,
                    .one_solver = seed / 3 % 2 == 0};
}


static int first_seed = 2, seeds = 4, steps = 60; // seed 1 takes two minutes
static const char *without;
static bool trace, fed;


static void worlds_with_the_same_calls_give_the_same_bits(void) {
  // Seeds that once failed.
  static const int found[] = {1031, 1067};
  bool good = true;
  int more = seeds == 1 ? 0 : long_run ? IMPI_COUNT(found) : 1; // the second seed takes two minutes
  for (int i = 0; i < seeds + more; ++i) {
    Settings what = setting_of((uint64_t)(i < seeds ? first_seed + i : found[i - seeds]), steps);
    what.trace = trace;
    what.fed = fed;
    what.without = without;
    play(what);
    good = good && check_case_ok;
    check_case_ok = true;
    fflush(stdout);
  }
  measured("stress: steps", (double)stage.steps);
  measured("stress: contacts a step", (double)stage.contacts / (double)stage.steps);
  measured("stress: joints a step", (double)stage.joints / (double)stage.steps);
  measured("stress: restores", (double)stage.rewinds);
  CHECK(good && stage.contacts > stage.steps);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  first_seed = long_run ? 1 : first_seed;
  seeds = long_run ? 400 : seeds;
  steps = long_run ? 400 : steps;
  for (int i = 1; i < argc; ++i) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--seed") == 0) first_seed = atoi(value), seeds = 1;
    if (strcmp(argv[i], "--from") == 0) first_seed = atoi(value);
    if (strcmp(argv[i], "--seeds") == 0) seeds = atoi(value);
    if (strcmp(argv[i], "--steps") == 0) steps = atoi(value);
    if (strcmp(argv[i], "--without") == 0) without = value;
    fed = fed || strcmp(argv[i], "--fed") == 0; // --fed: all memory requests succeed
    trace = trace || strcmp(argv[i], "--trace") == 0;
  }
  RUN(worlds_with_the_same_calls_give_the_same_bits);
  return check_report("stress");
}
