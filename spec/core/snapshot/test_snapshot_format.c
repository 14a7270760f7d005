// The format of snapshots: sections and their sizes, compression of equal data, errors for invalid worlds.
#include "snapshot_mutation.h"
#include "snapshot_worlds.h"

#include <fenv.h>


static Bytes bytes_of(const ImpWorld *world) {
  void *bytes = NULL;
  Bytes shot = {NULL, 0};
  MUST(imp_world_snapshot(world, &bytes, &shot.size));
  shot.bytes = bytes;
  return shot;
}


static size_t section_size(const ImpSnapshotInfo *info, const char *name) {
  for (int i = 0; i < info->section_count; ++i) {
    if (strcmp(info->sections[i].name, name) == 0) return info->sections[i].bytes;
  }
  CHECK(false);
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Sections
// ---------------------------------------------------------------------------------------------------------------------


static void sections_add_up_to_the_whole_snapshot(void) {
  for (int i = 0; i < BUILT_WORLDS; ++i) {
    ImpWorld *world = fuzzed_world(i);
    Bytes shot = bytes_of(world);
    ImpSnapshotInfo info, other;
    MUST(imp_snapshot_info(shot.bytes, shot.size, &info));
    size_t sum = SHOT_HEADER;
    for (int k = 0; k < info.section_count; ++k) sum += info.sections[k].bytes;
    CHECK(info.size == shot.size && sum == shot.size && info.readable && info.section_count > 15);
    CHECK(section_size(&info, "bodies") > 100 && section_size(&info, "world") > 50);
    unsigned char *longer = malloc(shot.size + 100);
    memcpy(longer, shot.bytes, shot.size);
    memset(longer + shot.size, 7, 100);
    MUST(imp_snapshot_info(longer, shot.size + 100, &other));
    CHECK(other.size == shot.size && other.section_count == info.section_count);
    CHECK(imp_snapshot_info(shot.bytes, shot.size - 1, &other) == IMP_ERR_ARGUMENT);
    CHECK(imp_snapshot_info(shot.bytes, 20, &other) == IMP_ERR_ARGUMENT);
    longer[0] = 0;
    CHECK(imp_snapshot_info(longer, shot.size, &other) == IMP_ERR_ARGUMENT);
    free(longer);
    imp_snapshot_free(shot.bytes);
    MUST(imp_world_destroy(world));
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Sizes
// ---------------------------------------------------------------------------------------------------------------------


static void a_flying_body_takes_few_bytes(void) {
  enum { BODIES = 1000 };
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  random_state = 5;
  for (int i = 0; i < BODIES; ++i) {
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 3 * (i % 40) + random_in(0, 1), 3.0 * (i / 40), random_in(-3, 3));
    add_box(world, body, imp_shape_def(), 1, 1);
    set_velocity(world, body, random_in(-1, 1), random_in(-1, 1), random_in(-1, 1));
  }
  run(world, 20);
  CHECK(imp_world_counts(world).contacts < BODIES / 10);
  Bytes shot = bytes_of(world);
  measured("bytes of a body in flight, expected 160", (double)shot.size / BODIES);
  CHECK(shot.size <= 160 * BODIES);
  imp_snapshot_free(shot.bytes);
  MUST(imp_world_destroy(world));
}


// A heap of bodies with different poses. All bytes except those of the contacts belong to the bodies.
static void a_body_in_a_heap_takes_few_bytes_beside_its_contacts(void) {
  enum { BODIES = 400 };
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  random_state = 5;
  add_ground(world, imp_shape_def(), 0);
  for (int i = 0; i < BODIES; ++i) {
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 1.1 * (i % 20) - 10, 1 + 1.1 * (i / 20), random_in(-3, 3));
    i % 2 == 0 ? add_box(world, body, imp_shape_def(), 1, 0.8) : add_circle(world, body, imp_shape_def(), 0.4);
  }
  run(world, 200);
  Bytes shot = bytes_of(world);
  ImpSnapshotInfo info;
  MUST(imp_snapshot_info(shot.bytes, shot.size, &info));
  int contacts = imp_world_counts(world).contacts;
  size_t theirs = section_size(&info, "contacts") + section_size(&info, "points") + section_size(&info, "contact_");
  CHECK(contacts > BODIES);
  measured("bytes of a body in a heap, expected 160", (double)(shot.size - theirs) / BODIES);
  measured("  and of a contact", (double)theirs / contacts);
  CHECK(shot.size - theirs <= 160 * BODIES);
  imp_snapshot_free(shot.bytes);
  MUST(imp_world_destroy(world));
}


static void an_equal_geometry_is_written_once(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81), *other = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  for (int i = 0; i < 300; ++i) { // 30 sizes in turn; the core compares a new shape with 8 recent geometries
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 3 * i, 0, 0);
    add_box(world, body, imp_shape_def(), 1 + 0.1 * (i % 30), 1);
  }
  Bytes shot = bytes_of(world);
  ImpSnapshotInfo info;
  MUST(imp_snapshot_info(shot.bytes, shot.size, &info));
  measured("bytes of 30 geometries of 300 shapes", (double)section_size(&info, "geometry"));
  CHECK(section_size(&info, "geometry") < 30 * 250);
  MUST(imp_world_restore(other, shot.bytes, shot.size));
  Bytes again = bytes_of(other);
  CHECK(again.size == shot.size && memcmp(again.bytes, shot.bytes, shot.size) == 0);
  imp_snapshot_free(shot.bytes);
  imp_snapshot_free(again.bytes);
  MUST(imp_world_destroy(world));
  MUST(imp_world_destroy(other));
}


// An allocator that fills new blocks with a byte.
static void *fill(void *user, void *old, size_t old_size, size_t new_size) {
  const unsigned char *filling = user;
  unsigned char *block = new_size > 0 ? malloc(new_size) : NULL;
  if (block != NULL) {
    memset(block, *filling, new_size);
    if (old != NULL) memcpy(block, old, old_size < new_size ? old_size : new_size);
  }
  if (old != NULL && (block != NULL || new_size == 0)) free(old);
  return block;
}


static void the_same_world_makes_the_same_bytes(void) {
  const ImpVec2 ring[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-0.5, -0.5}, {0.5, -0.5}, {0, 0.5}};
  const int counts[] = {4, 3};
  Bytes shots[2];
  for (int i = 0; i < 2; ++i) {
    unsigned char filling = i == 0 ? 0 : 0xa5;
    ImpWorldDef def = imp_world_def();
    def.allocator = (ImpAllocator){fill, &filling};
    ImpWorld *world = NULL;
    ImpShapeDef shape_def = imp_shape_def();
    ImpShape shape;
    MUST(imp_world_create(&def, &world));
    imp_world_set_constraint_callback(world, write_rows, NULL);
    build_heap(world);
    build_bridge(world);
    for (int rings = 1; rings <= 2; ++rings) {
      ImpBody body = add_named(world, "cut", IMP_BODY_DYNAMIC, 5 * rings, 20);
      MUST(imp_body_add_polygon_with_holes(world, body, &shape_def, ring, counts, rings, 0, &shape));
    }
    add_fields(world);
    run(world, 40);
    shots[i] = bytes_of(world);
    MUST(imp_world_destroy(world));
  }
  CHECK(shots[0].size == shots[1].size && memcmp(shots[0].bytes, shots[1].bytes, shots[0].size) == 0);
  for (int i = 0; i < 2; ++i) imp_snapshot_free(shots[i].bytes);
}


static void the_rounding_mode_does_not_change_the_bytes(void) {
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  ImpWorld *world = fuzzed_world(0), *other = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  for (int i = 0; i < 4; ++i) {
    CHECK(fesetround(modes[i]) == 0);
    MUST(imp_body_set(world, named(world, "a"), IMP_BODY_MASS, 3 + i));
  }
  CHECK(fesetround(FE_TONEAREST) == 0);
  Bytes first = bytes_of(world);
  for (int i = 0; i < 4; ++i) {
    CHECK(fesetround(modes[i]) == 0);
    Bytes again = bytes_of(world);
    CHECK(fesetround(modes[3 - i]) == 0);
    MUST(imp_world_restore(other, again.bytes, again.size));
    CHECK(fesetround(FE_TONEAREST) == 0);
    CHECK(again.size == first.size && memcmp(again.bytes, first.bytes, first.size) == 0);
    CHECK(imp_world_hash(other) == imp_world_hash(world));
    imp_snapshot_free(again.bytes);
  }
  imp_snapshot_free(first.bytes);
  MUST(imp_world_destroy(world));
  MUST(imp_world_destroy(other));
}


// ---------------------------------------------------------------------------------------------------------------------
// Invalid worlds
// ---------------------------------------------------------------------------------------------------------------------


static int32_t live_slot(const ImpiPool *pool, int nth) {
  for (int32_t slot = 0; slot < pool->used; ++slot) {
    if (impi_is_live(pool, slot) && nth-- == 0) return slot;
  }
  CHECK(false);
  return 0;
}


static ImpiContact *touching(ImpWorld *world) {
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    ImpiContact *contact = &world->contacts.data[slot];
    if (impi_is_live(&world->contact_pool, slot) && contact->count > 0 && contact->flags & IMPI_CONTACT_FRESH &&
        !(contact->flags & IMPI_CONTACT_CORNER)) {
      return contact;
    }
  }
  CHECK(false);
  return NULL;
}


static ImpiJoint *first_joint(ImpWorld *world) { return &world->joints.data[live_slot(&world->joint_pool, 0)]; }
static ImpiCustom *custom_of(ImpWorld *world, const char *name) {
  return world->joints.data[impi_pool_find(&world->joint_pool, named_joint(world, name).id, world->tag)].custom;
}
static ImpiBody *third_body(ImpWorld *world) { return &world->bodies.data[live_slot(&world->body_pool, 2)]; }
static ImpiShape *third_shape(ImpWorld *world) { return &world->shapes.data[live_slot(&world->shape_pool, 2)]; }


// Changes that make a world invalid. A restore must refuse each such world.
static void end_of_bodies(ImpWorld *world) { world->bodies.data[world->last_body].next = world->first_body; }
static void no_body(ImpWorld *world) { third_body(world)->next = 100000; }
static void no_shape(ImpWorld *world) { third_body(world)->first_shape = world->shapes.count; }
static void no_number(ImpWorld *world) { world->motions.data[live_slot(&world->body_pool, 2)].x = (double)NAN; }
static void too_far(ImpWorld *world) { world->motions.data[live_slot(&world->body_pool, 2)].x = 1e9; }
static void no_mass(ImpWorld *world) { third_body(world)->mass = -1; }
static void ring_of_another(ImpWorld *world) { third_body(world)->sleep_next = live_slot(&world->body_pool, 3); }
static void taken_slot(ImpWorld *world) { world->body_pool.free_head = live_slot(&world->body_pool, 2); }
static void other_generation(ImpWorld *world) { world->body_pool.slots.data[world->body_pool.used - 1].generation = 0; }
// `impulse_step` is the length [s] of the substep that computed the stored impulses.
static void tiny_substep(ImpWorld *world) { world->impulse_step = 1e-300; }
static void no_time(ImpWorld *world) { world->time_base = -1; }
static void no_luck(ImpWorld *world) { memset(world->random, 0, sizeof world->random); }
static void no_substeps(ImpWorld *world) { world->settings.substeps = -1; }
static void no_solver(ImpWorld *world) { world->solver = (ImpSolverKind)77; }
static void no_unit(ImpWorld *world) { touching(world)->local_normal[0] = 7; } // the normal is not a unit vector
static void no_colour(ImpWorld *world) { touching(world)->colour = 100; }
static void other_piece(ImpWorld *world) { touching(world)->proxy_a = 1000; }
static void one_edge(ImpWorld *world) { touching(world)->edge[0].next ^= 1; }
// No joint kind has more than 3 coordinates.
static void more_coordinates(ImpWorld *world) { first_joint(world)->count = 255; }
static void no_kind(ImpWorld *world) { first_joint(world)->kind = 200; }
static void no_drive(ImpWorld *world) { first_joint(world)->inline_coordinates[0].drive = 1000; }
static void one_body(ImpWorld *world) { first_joint(world)->body_b = first_joint(world)->body_a; }
static void no_coordinate(ImpWorld *world) { // the joint does not have the coordinate that the gear uses
  ImpiCustom *gear = custom_of(world, "gear");
  gear->term[1].coordinate = world->joints.data[gear->term[1].joint].count;
}
static void no_gravity(ImpWorld *world) { third_body(world)->gravity_scale = 1e7; }
// The group of the shape differs from that of its proxy.
static void other_group(ImpWorld *world) { third_shape(world)->filter.group += 1; }
static void no_material(ImpWorld *world) { third_shape(world)->material_id = 9; }
static void no_box(ImpWorld *world) { world->broadphase.proxies.data[0].fat.upper.x = -1e20; }
static void free_box(ImpWorld *world) { world->broadphase.free_proxy = 0; }
static void inner_edge_of_a_circle(ImpWorld *world) {
  for (int32_t slot = 0; slot < world->shapes.count; ++slot) {
    ImpiGeometry *geometry = &world->shapes.data[slot].geometry;
    if (geometry->figure != NULL && geometry->type == IMP_SHAPE_CIRCLE) geometry->hulls[0].inner = 1;
  }
}
static void dented_box(ImpWorld *world) {
  for (int32_t slot = 0; slot < world->shapes.count; ++slot) {
    ImpiGeometry *geometry = &world->shapes.data[slot].geometry;
    if (geometry->figure != NULL && geometry->type == IMP_SHAPE_BOX) *(double *)(uintptr_t)geometry->hulls[0].v += 0.3;
  }
}


static void inconsistent_worlds_are_refused(void) {
  static const struct {
    void (*spoil)(ImpWorld *);
    int world; // argument of fuzzed_world(): 0 gives a heap, 1 a bridge after 75 steps, 5 the bridge after 3 steps
  } wrongs[] = {{end_of_bodies, 1},   {no_body, 1},          {no_shape, 1},
                {no_number, 1},       {too_far, 1},          {no_mass, 1},
                {ring_of_another, 1}, {taken_slot, 1},       {tiny_substep, 1},
                {no_time, 1},         {no_luck, 1},          {no_substeps, 1},
                {no_solver, 1},       {no_unit, 0},          {no_colour, 0},
                {other_piece, 0},     {one_edge, 0},         {more_coordinates, 1},
                {no_kind, 1},         {no_drive, 1},         {one_body, 1},
                {no_material, 1},     {no_box, 1},           {free_box, 1},
                {dented_box, 1},      {other_generation, 1}, {inner_edge_of_a_circle, 1},
                {no_gravity, 1},      {other_group, 1},      {no_coordinate, 5}};
  ImpWorld *into = fuzzed_world(0);
  Bytes whole = bytes_of(into);
  uint64_t hash = imp_world_hash(into);
  for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; ++i) {
    ImpWorld *world = fuzzed_world(wrongs[i].world);
    Bytes sound = bytes_of(world);
    wrongs[i].spoil(world);
    Bytes shot = shot_of(world, &whole);
    bool refused = imp_world_restore(into, shot.bytes, shot.size) == IMP_ERR_ARGUMENT;
    char text[40];
    snprintf(text, sizeof text, "invalid world %d was accepted", (int)i);
    check_that(refused && strstr(imp_last_error(), "snapshot") != NULL, __FILE__, __LINE__, text);
    if (show_measured) printf("  %s\n", imp_last_error());
    CHECK(imp_world_hash(into) == hash);
    free(shot.bytes);
    MUST(imp_world_restore(world, sound.bytes, sound.size));
    imp_snapshot_free(sound.bytes);
    MUST(imp_world_destroy(world));
  }
  imp_snapshot_free(whole.bytes);
  MUST(imp_world_destroy(into));
}


static void a_huge_tape_is_refused_before_memory_is_allocated(void) {
  ImpWorld *world = fuzzed_world(5);
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  ImpiArchive archive = {.mode = IMPI_ARCHIVE_READ,
                         .in = (const unsigned char *)"\1",
                         .size = 1,
                         .whole = 1,
                         .heap = &heap,
                         .owner = world};
  ImpiTape tape = {.result_count = 1};
  int32_t body_count = custom_of(world, "wire")->tape.body_count;
  tape.body_count = body_count;
  tape.first_constant = tape.first_fixed = tape.first_moving = 1 + 3 * body_count;
  tape.slot_count = INT32_MAX;
  CHECK(!impi_archive_tape(&archive, &tape));
  CHECK(archive.status == IMP_ERR_ARGUMENT && heap.bytes == 0 && tape.constants == NULL);
  MUST(imp_world_destroy(world));
}


// The memory that a length field requests is at most proportional to the number of bytes after the field.
static void memory_is_bounded_by_the_length_of_a_snapshot(void) {
  ImpWorld *world = fuzzed_world(3);
  Bytes shot = bytes_of(world);
  Memory memory = {0};
  ImpWorldDef def = imp_world_def();
  def.allocator = (ImpAllocator){reallocate, &memory};
  ImpWorld *into = NULL;
  MUST(imp_world_create(&def, &into));
  size_t most = 0;
  for (size_t at = SHOT_HEADER; at + 10 < shot.size; ++at) {
    unsigned char kept[10], huge[10] = {0xff, 0xff, 0xff, 0xff, 0x07};
    memcpy(kept, shot.bytes + at, sizeof kept);
    memcpy(shot.bytes + at, huge, sizeof huge / 2);
    fix_header(shot.bytes, shot.size);
    memory.peak = memory.bytes;
    (void)imp_world_restore(into, shot.bytes, shot.size);
    most = memory.peak > most ? memory.peak : most;
    memcpy(shot.bytes + at, kept, sizeof kept);
  }
  measured("bytes of memory for a byte of a snapshot, at most", (double)most / (double)shot.size);
  CHECK(most < 600 * shot.size + 1000000);
  imp_snapshot_free(shot.bytes);
  MUST(imp_world_destroy(world));
  MUST(imp_world_destroy(into));
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(sections_add_up_to_the_whole_snapshot);
  RUN(a_flying_body_takes_few_bytes);
  RUN(a_body_in_a_heap_takes_few_bytes_beside_its_contacts);
  RUN(an_equal_geometry_is_written_once);
  RUN(the_same_world_makes_the_same_bytes);
  RUN(the_rounding_mode_does_not_change_the_bytes);
  RUN(inconsistent_worlds_are_refused);
  RUN(a_huge_tape_is_refused_before_memory_is_allocated);
  RUN(memory_is_bounded_by_the_length_of_a_snapshot);
  return check_report("snapshot format");
}
