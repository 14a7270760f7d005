// Snapshots: a restored world continues to the same bits, with the same handles. Incomplete snapshots are refused.
#include "snapshot/snapshot.h"
#include "validate.h"

#include "snapshot_scenes.h"

#include <stddef.h>
#include <stdlib.h>

enum { MAX_STEPS = 360 };

typedef struct Snapshot {
  void *bytes;
  size_t size;
} Snapshot;


static Snapshot take(const ImpWorld *world) {
  Snapshot shot = {NULL, 0};
  check_that(imp_world_snapshot(world, &shot.bytes, &shot.size) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  return shot;
}


static void restore(ImpWorld *world, Snapshot shot) {
  check_that(imp_world_restore(world, shot.bytes, shot.size) == IMP_OK, __FILE__, __LINE__, imp_last_error());
}


// ---------------------------------------------------------------------------------------------------------------------
// A digest of all that can be read from a world
// ---------------------------------------------------------------------------------------------------------------------


static void mix(uint64_t *digest, const void *data, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    *digest = (*digest ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
  }
}


static void mix_number(uint64_t *digest, double value) { mix(digest, &value, sizeof value); }


static void mix_contacts(uint64_t *digest, ImpWorld *world) {
  ImpContact contact = {0};
  while ((contact = imp_world_next_contact(world, contact)).id != 0) {
    ImpContactInfo info;
    MUST(imp_contact_info(world, contact, &info));
    for (int i = 0; i < info.count; ++i) {
      mix_number(digest, info.points[i].separation);
      mix_number(digest, info.points[i].normal_impulse);
      mix_number(digest, info.points[i].tangent_impulse);
      mix_number(digest, info.points[i].matched);
    }
    mix_number(digest, info.friction + info.enabled);
  }
}


static void mix_joints(uint64_t *digest, ImpWorld *world) {
  ImpJoint joint = {0};
  while ((joint = imp_world_next_joint(world, joint)).id != 0) {
    ImpReaction reaction = {0, 0, 0};
    int count = 0;
    MUST(imp_joint_reaction(world, joint, &reaction));
    MUST(imp_joint_coordinate_count(world, joint, &count));
    mix_number(digest, reaction.x + 2 * reaction.y + 3 * reaction.torque);
    for (int i = 0; i < count; ++i) {
      ImpCoordinateInfo info;
      MUST(imp_coordinate_info(world, (ImpCoordinate){joint, i}, &info));
      const double numbers[] = {info.value, info.speed, info.force, info.mass, info.power, info.work};
      mix(digest, numbers, sizeof numbers);
    }
  }
}


// Return a digest of the state and of the results of the last step.
static uint64_t state_of(ImpWorld *world) {
  uint64_t digest = imp_world_hash(world);
  ImpEnergy energy = imp_world_energy(world);
  ImpCounts counts = imp_world_counts(world);
  ImpResidual residual = imp_world_residual(world);
  mix(&digest, &energy, sizeof energy);
  // All members of `counts` except `bytes`.
  mix(&digest, &counts, offsetof(ImpCounts, colours) + sizeof counts.colours);
  mix_number(&digest, residual.velocity);
  mix_number(&digest, residual.penetration);
  mix(&digest, residual.reason, strlen(residual.reason));
  for (int property = 0; property < IMP_WORLD_PROPERTY_COUNT; ++property) {
    double value = 0;
    MUST(imp_world_get(world, (ImpWorldProperty)property, &value));
    mix_number(&digest, value);
  }
  ImpBody body = {0};
  while ((body = imp_world_next_body(world, body)).id != 0) {
    const char *name = NULL;
    void *data = NULL;
    MUST(imp_body_name(world, body, &name));
    MUST(imp_body_user_data(world, body, &data));
    mix(&digest, name, name != NULL ? strlen(name) : 0);
    mix(&digest, &data, sizeof data);
    ImpVec2 force = contact_force(world, body);
    mix(&digest, &force, sizeof force);
  }
  mix_contacts(&digest, world);
  mix_joints(&digest, world);
  return digest;
}


static uint64_t events_of(const ImpWorld *world) {
  uint64_t digest = 1;
  for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
    int count = 0;
    const ImpEvent *events = imp_world_events(world, (ImpEventKind)kind, &count);
    mix_number(&digest, count);
    for (int i = 0; i < count; ++i) {
      const double numbers[] = {events[i].point.x, events[i].normal.x, events[i].speed, events[i].impulse,
                                events[i].force};
      mix(&digest, &events[i].id_a, 2 * sizeof events[i].id_a);
      mix(&digest, numbers, sizeof numbers);
      mix(&digest, events[i].text, events[i].text != NULL ? strlen(events[i].text) : 0);
    }
  }
  return digest;
}


// ---------------------------------------------------------------------------------------------------------------------
// At every step
// ---------------------------------------------------------------------------------------------------------------------

// An uninterrupted run. state[i] and shots[i] are the digest and the snapshot of the world before step i. events[i] is
// the digest of the events of step i.
typedef struct Life {
  uint64_t state[MAX_STEPS + 1], events[MAX_STEPS + 1];
  Snapshot shots[MAX_STEPS + 1];
  long told[IMP_EVENT_COUNT];
} Life;


static void live(ImpWorld *world, const Scene *scene, Life *life) {
  for (int i = 0; i < scene->steps; ++i) {
    scene->act(world, i);
    life->shots[i] = take(world);
    life->state[i] = state_of(world);
    run(world, 1);
    life->events[i] = events_of(world);
    for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
      life->told[kind] += event_count(world, (ImpEventKind)kind);
    }
  }
}


// Check that the steps from `first` on give the states and events of the uninterrupted run.
static bool goes_on_alike(ImpWorld *world, const Scene *scene, const Life *life, int first) {
  int length = long_run || first % 40 == 0 ? scene->steps : 8;
  bool alike = true;
  for (int i = first; i < scene->steps && i < first + length && alike; ++i) {
    if (i > first) scene->act(world, i);
    alike = state_of(world) == life->state[i];
    run(world, 1);
    alike = alike && events_of(world) == life->events[i];
  }
  return alike;
}


static void restoring_at_every_step_changes_nothing_that_follows(void) {
  static Life life;
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; ++k) {
      const Scene *scene = &scenes[k];
      ImpWorld *world = scene_world((ImpSolverKind)solver), *other = scene_world((ImpSolverKind)solver);
      life = (Life){0};
      scene->build(world);
      listen(world, scene);
      listen(other, scene);
      live(world, scene, &life);
      int unlike = 0;
      for (int i = 0; i < scene->steps; ++i) {
        ImpWorld *into = i % 3 == 0 ? other : world; // a world that is not at step i
        restore(into, life.shots[i]);
        if (scene->build != build_bridge && i % 10 == 0) validate_world(into);
        bool alike = goes_on_alike(into, scene, &life, i);
        CHECK(alike);
        unlike += !alike;
      }
      measured(scene->name, scene->steps);
      measured("  steps after which the restored world differed from the original", unlike);
      for (int i = 0; i < scene->steps; ++i) {
        imp_snapshot_free(life.shots[i].bytes);
      }
      bool heap = scene->build == build_heap, bridge = scene->build == build_bridge;
      CHECK(!heap || (life.told[IMP_EVENT_SLEEP] > 5 && life.told[IMP_EVENT_WAKE] > 0 &&
                      life.told[IMP_EVENT_SENSOR_BEGIN] > 5 && life.told[IMP_EVENT_SENSOR_END] > 2));
      CHECK(!bridge || (life.told[IMP_EVENT_JOINT_BREAK] >= 2 && life.told[IMP_EVENT_JOINT_DESTROYED] >= 2));
      CHECK(heap || bridge || life.told[IMP_EVENT_HIT] > 5);
      imp_world_destroy(world);
      imp_world_destroy(other);
    }
  }
}


static void restored_it_is_the_same(ImpWorld *world, Snapshot shot) {
  restore(world, shot);
  Snapshot again = take(world);
  CHECK(shot.size == again.size && memcmp(shot.bytes, again.bytes, shot.size) == 0);
  imp_snapshot_free(again.bytes);
}


static bool events_wait(const ImpWorld *world) {
  int waiting = 0;
  for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
    waiting += world->event.pending[kind].count;
  }
  return waiting > 0;
}


static void a_restored_world_saves_the_same_bytes(void) {
  int waiting = 0;
  for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; ++k) {
    ImpWorld *world = scene_world(IMP_SOLVER_SOFT), *other = scene_world(IMP_SOLVER_SOFT);
    scenes[k].build(world);
    scenes[(k + 1) % IMPI_COUNT(scenes)].build(other);
    listen(world, &scenes[k]);
    Snapshot old = take(world);
    for (int i = 0; i < 100; ++i) {
      scenes[k].act(world, i);
      if (i % 7 == 0 || events_wait(world)) {
        Snapshot shot = take(world);
        waiting += events_wait(world);
        restored_it_is_the_same(world, shot);
        restored_it_is_the_same(world, old);
        restored_it_is_the_same(world, shot);
        restored_it_is_the_same(other, shot);
        if (i == 77) measured("bytes of a snapshot", (double)shot.size);
        imp_snapshot_free(old.bytes);
        old = shot;
      }
      run(world, 1);
    }
    imp_snapshot_free(old.bytes);
    imp_world_destroy(world);
    imp_world_destroy(other);
  }
  CHECK(waiting > 0);
}


// Until its next step a restored world has only the saved data of contacts. A body is destroyed before that step.
static void a_restored_world_can_be_changed_before_its_next_step(void) {
  for (int stepped = 0; stepped < 2; ++stepped) { // restore into empty worlds, then into worlds with 40 boxes
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
    ImpWorld *into[2] = {make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81), make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81)};
    add_ground(world, imp_shape_def(), 0);
    ImpBody boxes[3];
    for (int i = 0; i < 3; ++i) {
      boxes[i] = drop_box(world, imp_shape_def(), 0, 0.5 + i);
    }
    run(world, 10);
    Snapshot shot = take(world);
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < 40 * stepped; ++i) {
        drop_box(into[k], imp_shape_def(), 0.9 * i, 0.5);
      }
      run(into[k], 3 * stepped);
      restore(into[k], shot);
    }
    for (int k = 0; k < 2; ++k) {
      ImpBody body = imp_world_next_body(into[k], (ImpBody){0});
      // The third body is the box in the middle.
      body = imp_world_next_body(into[k], imp_world_next_body(into[k], body));
      MUST(imp_body_destroy(into[k], body));
      run(into[k], k == 0 ? 60 : 20);
    }
    MUST(imp_body_destroy(world, boxes[1]));
    run(world, 20);
    CHECK(imp_world_hash(into[1]) == imp_world_hash(world));
    run(into[1], 40);
    CHECK(imp_world_hash(into[0]) == imp_world_hash(into[1]));
    imp_snapshot_free(shot.bytes);
    imp_world_destroy(world);
    imp_world_destroy(into[0]);
    imp_world_destroy(into[1]);
  }
}


// A change of the number of substeps scales the accumulated impulses.
static void a_restored_world_can_have_other_substeps_in_its_next_step(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpShapeDef def = imp_shape_def();
  def.rolling_resistance = 0.1;
  add_ground(world, def, 0.2); // the float normals of a sloped ground are not exactly unit vectors
  for (int i = 0; i < 30; ++i) {
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 0.7 * (i % 6), 4 + 1.1 * (double)(i / 6), 0.1 * i);
    i % 3 == 0 ? add_circle(world, body, def, 0.4) : add_box(world, body, def, 0.8, 0.6);
  }
  run(world, 60);
  for (int substeps = 1; substeps < 8; ++substeps) {
    ImpWorld *copy = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
    Snapshot shot = take(world);
    restore(copy, shot);
    for (int i = 0; i < 2; ++i) set_world(i == 0 ? world : copy, IMP_WORLD_SUBSTEPS, substeps);
    run(world, 5);
    run(copy, 5);
    CHECK(imp_world_hash(copy) == imp_world_hash(world));
    imp_snapshot_free(shot.bytes);
    imp_world_destroy(copy);
  }
  imp_world_destroy(world);
}


static void every_field_is_in_a_table(void) { CHECK(impi_layout_is_complete(&impi_world_layout)); }


static void write_number(ImpiNumber number, void *at, double value) {
  switch (number) {
  case IMPI_NUMBER_FLOAT:
    *(float *)at = (float)value;
    break;
  case IMPI_NUMBER_INT:
    *(int32_t *)at = (int32_t)value;
    break;
  case IMPI_NUMBER_BYTE:
    *(int8_t *)at = (int8_t)value;
    break;
  default:
    *(double *)at = value;
  }
}


// Check that a world is invalid if any number of the object is beyond its bounds. `what`: the expected reason; if null,
// the reason is the name of the number.
static void refuse_beyond(ImpWorld *world, const ImpiLayout *layout, void *object, const char *what) {
  const ImpiBounds bounds = impi_bounds_of(layout);
  ImpiInvalid invalid;
  CHECK(bounds.count > 0);
  for (int i = 0; i < 2 * bounds.count; ++i) {
    ImpiNumber number = bounds.list[i / 2].number;
    char *at = (char *)object + bounds.list[i / 2].offset;
    double bound = i % 2 ? bounds.list[i / 2].upper : bounds.list[i / 2].lower, was = impi_number_read(number, at);
    if (fabs(bound) < HUGE_VAL) {
      write_number(number, at, bound + (i % 2 ? 1 : -1) * (1 + 0.5 * fabs(bound)));
      const char *name = bounds.list[i / 2].name;
      bool refused = !impi_world_is_valid(world, &invalid) && strcmp(invalid.what, what != NULL ? what : name) == 0;
      CHECK(refused);
      if (!refused) {
        printf("  %s: %s\n", name, invalid.what != NULL ? invalid.what : "accepted");
      }
      write_number(number, at, was);
    }
  }
  CHECK(impi_world_is_valid(world, &invalid));
}


static void numbers_outside_their_range_are_refused(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpBody ground = add_body(world, IMP_BODY_STATIC, 0, 0, 0), lift = add_body(world, IMP_BODY_KINEMATIC, 50, 0, 0);
  add_box(world, ground, material(1, 0.6, 0), 40, 1);
  ImpBody body = drop_box(world, material(1, 0.6, 0), 0, 1);
  ImpMoverDef mover_def = imp_mover_def();
  ImpMover mover;
  mover_def.position = vec(9, 0.5);
  MUST(imp_mover_create(world, &mover_def, &mover));
  ImpJointDef joint_def = imp_joint_def(IMP_JOINT_REVOLUTE, ground, body);
  joint_def.collide = true;
  ImpJoint joint;
  MUST(imp_joint_create(world, &joint_def, &joint));
  run(world, 10);
  MUST(imp_body_move_to(world, lift, vec(51, 0)));
  CHECK(world->contacts.count > 0 && world->contacts.data[0].count == 2 && world->push.kinematic_targets.count == 1);

  int32_t slot = world->bodies.count - 2;
  CHECK(world->bodies.data[slot].type == IMP_BODY_DYNAMIC);
  ImpiShape *shape = &world->shapes.data[world->bodies.data[slot].first_shape];
  refuse_beyond(world, &impi_settings_layout, &world->settings, NULL);
  refuse_beyond(world, &impi_body_layout, &world->bodies.data[slot], NULL);
  refuse_beyond(world, &impi_motion_layout, &world->motions.data[slot], NULL);
  refuse_beyond(world, &impi_figure_layout, shape->geometry.figure, "the geometry of the shape is invalid");
  refuse_beyond(world, &impi_hull_layout, shape->geometry.hulls, "the geometry of the shape is invalid");
  refuse_beyond(world, &impi_proxy_layout, &world->broadphase.proxies.data[0],
                "the bounding box of the proxy is empty or out of range");
  refuse_beyond(world, &impi_kinematic_target_layout, &world->push.kinematic_targets.data[0], NULL);
  refuse_beyond(world, &impi_mover_layout, &world->mover.list.data[0], NULL);
  refuse_beyond(world, &impi_contact_layout, &world->contacts.data[0], NULL);
  refuse_beyond(world, &impi_point_layout, &world->contacts.data[0].points[1], NULL);
  refuse_beyond(world, &impi_joint_layout, &world->joints.data[0], NULL);
  refuse_beyond(world, &impi_coordinate_layout, &world->joints.data[0].inline_coordinates[0], NULL);
  imp_world_destroy(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Handles
// ---------------------------------------------------------------------------------------------------------------------


static void handles_of_the_snapshot_are_valid_and_later_ones_never_again(void) {
  enum { ROUNDS = 20, MADE = 6 };
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  add_ground(world, imp_shape_def(), 0);
  ImpBody old[4], later[ROUNDS * MADE];
  ImpJoint old_joint = {0}, later_joint[ROUNDS];
  for (int i = 0; i < 4; ++i) {
    old[i] = drop_box(world, imp_shape_def(), 2 * i, 0.51);
  }
  ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, old[0], old[1], 1, 0.5);
  MUST(imp_joint_create(world, &def, &old_joint));
  run(world, 5);
  ImpShape old_shape = imp_body_next_shape(world, old[2], (ImpShape){0});
  ImpContact old_contact = imp_body_next_contact(world, old[2], (ImpContact){0});
  CHECK(old_contact.id != 0);
  Snapshot shot = take(world);
  uint64_t hash = imp_world_hash(world);
  for (int round = 0; round < ROUNDS; ++round) {
    ImpBody *made = &later[round * MADE];
    MUST(imp_body_destroy(world, old[round % 4]));
    MUST(imp_joint_is_valid(world, old_joint) ? imp_joint_destroy(world, old_joint) : IMP_OK);
    for (int i = 0; i < MADE; ++i) {
      made[i] = drop_box(world, imp_shape_def(), 3 * i, 4 + round);
    }
    def = joint_at(IMP_JOINT_REVOLUTE, made[0], made[1], 1, 4);
    MUST(imp_joint_create(world, &def, &later_joint[round]));
    for (int i = 0; i < round * MADE; ++i) {
      CHECK(!imp_body_is_valid(world, later[i]));
      CHECK(made[i % MADE].id != later[i].id);
    }
    run(world, 3);
    restore(world, shot);
    CHECK(imp_world_hash(world) == hash);
    for (int i = 0; i < 4; ++i) {
      CHECK(imp_body_is_valid(world, old[i]));
    }
    CHECK(imp_shape_is_valid(world, old_shape) && imp_contact_is_valid(world, old_contact));
    CHECK(imp_joint_is_valid(world, old_joint) && !imp_joint_is_valid(world, later_joint[round]));
    for (int i = 0; i < (round + 1) * MADE; ++i) {
      CHECK(!imp_body_is_valid(world, later[i]));
    }
    validate_world(world);
  }
  imp_snapshot_free(shot.bytes);
  imp_world_destroy(world);
}


static void another_world_gets_its_own_handles(void) {
  ImpWorld *one = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81), *two = make_world(IMP_SOLVER_SI, 1.0 / 60, 1);
  ImpBody there = add_disc(one, "there", 0, 0, 1), later[3];
  MUST(imp_body_destroy(one, add_disc(one, "gone", 5, 0, 1)));
  Snapshot shot = take(one);
  for (int i = 0; i < 3; ++i) {
    later[i] = add_disc(two, "here", 3 * i, 0, 1);
  }
  restore(two, shot);
  ImpVec2 p;
  CHECK(imp_body_position(two, there, &p) == IMP_ERR_WORLD);
  ImpBody same = named(two, "there");
  CHECK(imp_body_is_valid(two, same) && !imp_body_is_valid(one, same));
  CHECK(named(two, "here").id == 0 && imp_world_solver(two) == IMP_SOLVER_SOFT);
  CHECK(imp_world_hash(one) == imp_world_hash(two));
  CHECK(!imp_body_is_valid(two, later[1]) && !imp_body_is_valid(two, later[2]));
  for (int i = 0; i < 3; ++i) {
    ImpBody fresh = add_disc(two, "fresh", 3 * i, 5, 1);
    CHECK(fresh.id != later[1].id && fresh.id != later[2].id && fresh.id != same.id);
  }
  imp_world_destroy(one);
  restore(two, shot);
  imp_snapshot_free(shot.bytes);
  CHECK(imp_body_is_valid(two, same));
  imp_world_destroy(two);
}


// A restore is refused if it frees a slot whose generations are all used.
static void exhausted_generations_refuse_a_restore(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
  MUST(imp_body_destroy(world, body));
  Snapshot shot = take(world);
  world->body_pool.slots.data[0].generation = IMPI_MAX_GENERATION;
  body = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
  CHECK(imp_world_restore(world, shot.bytes, shot.size) == IMP_ERR_LIMIT);
  CHECK(imp_body_is_valid(world, body));
  imp_snapshot_free(shot.bytes);
  imp_world_destroy(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// State that is kept, and state that is restored
// ---------------------------------------------------------------------------------------------------------------------


static void count_calls(ImpWorld *world, double h, void *user) {
  (void)world;
  (void)h;
  ++*(int *)user;
}


static void settings_are_restored_and_callbacks_stay(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  int calls = 0;
  imp_world_random(world);
  Snapshot shot = take(world);
  uint64_t drawn = imp_world_random(world);
  imp_world_set_substep_callback(world, count_calls, &calls);
  MUST(imp_world_set(world, IMP_WORLD_SUBSTEPS, 7));
  MUST(imp_world_set(world, IMP_WORLD_SLEEP, 0));
  MUST(imp_world_set_gravity(world, vec(1, 2)));
  MUST(imp_world_set_solver(world, IMP_SOLVER_SI));
  run(world, 3);
  restore(world, shot);
  double substeps = 0, tick = 0, sleep = 0;
  MUST(imp_world_get(world, IMP_WORLD_SUBSTEPS, &substeps));
  MUST(imp_world_get(world, IMP_WORLD_TICK, &tick));
  MUST(imp_world_get(world, IMP_WORLD_SLEEP, &sleep));
  CHECK(substeps == 4 && tick == 0 && sleep == 1 && imp_world_solver(world) == IMP_SOLVER_SOFT);
  CHECK(imp_world_gravity(world).y == -9.81 && imp_world_random(world) == drawn);
  calls = 0;
  run(world, 1);
  CHECK(calls == 4);
  imp_snapshot_free(shot.bytes);
  imp_world_destroy(world);
}


// Restoring a snapshot restores pending events, which the next step reports. It does not restore the events of the step
// before the snapshot.
static void pending_events_are_restored_and_those_of_the_last_step_are_not(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81), *other = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  add_ground(world, imp_shape_def(), 0);
  ImpBody box = drop_box(world, imp_shape_def(), 0, 0.5), held = drop_box(world, imp_shape_def(), 5, 3);
  ImpBody ground = {0};
  MUST(imp_world_ground(world, &ground));
  join_named(world, joint_at(IMP_JOINT_REVOLUTE, ground, held, 5, 3), "pin of the held one");
  run(world, 1);
  CHECK(event_count(world, IMP_EVENT_BEGIN_CONTACT) == 1);
  MUST(imp_body_destroy(world, held));
  Snapshot shot = take(world);
  ImpWorld *const into[] = {world, other};
  for (int i = 0; i < 2; ++i) {
    for (int twice = 0; twice < 2; ++twice) {
      restore(into[i], shot);
      CHECK(event_count(into[i], IMP_EVENT_BEGIN_CONTACT) == 0);
      CHECK(event_count(into[i], IMP_EVENT_JOINT_DESTROYED) == 0);
      run(into[i], 1);
      int count = 0;
      const ImpEvent *events = imp_world_events(into[i], IMP_EVENT_JOINT_DESTROYED, &count);
      CHECK(count == 1 && strcmp(events[0].text, "pin of the held one") == 0);
      CHECK(!imp_joint_is_valid(into[i], events[0].joint) && events[0].joint.id != 0);
    }
  }
  CHECK(imp_body_is_valid(world, box));
  imp_snapshot_free(shot.bytes);
  imp_world_destroy(world);
  imp_world_destroy(other);
}


static void rows_and_contacts_are_the_same_after_a_restore(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  build_bridge(world);
  imp_world_set_constraint_callback(world, write_rows, NULL);
  run(world, 50);
  const ImpRowInfo *rows = NULL;
  int count = 0, again = 0;
  MUST(imp_world_rows(world, &rows, &count));
  ImpRowInfo *before = malloc((size_t)count * sizeof *before);
  memcpy(before, rows, (size_t)count * sizeof *before);
  Snapshot shot = take(world);
  run(world, 7);
  restore(world, shot);
  MUST(imp_world_rows(world, &rows, &again));
  CHECK(count > 20 && again == count);
  for (int i = 0; i < count && i < again; ++i) {
    CHECK(rows[i].kind == before[i].kind && rows[i].value == before[i].value && rows[i].force == before[i].force);
    CHECK(rows[i].mass == before[i].mass && rows[i].bias == before[i].bias && rows[i].joint.id == before[i].joint.id);
  }
  free(before);
  imp_snapshot_free(shot.bytes);
  imp_world_destroy(world);
}


static void try_within(ImpWorld *world, double h, void *user) {
  Snapshot *shot = user, none = {NULL, 0};
  (void)h;
  CHECK(imp_world_snapshot(world, &none.bytes, &none.size) == IMP_ERR_STATE && none.bytes == NULL);
  CHECK(imp_world_restore(world, shot->bytes, shot->size) == IMP_ERR_STATE);
}


static void snapshots_and_restores_are_refused_inside_a_step(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  Snapshot shot = take(world);
  imp_world_set_substep_callback(world, try_within, &shot);
  run(world, 2);
  double tick = 0;
  MUST(imp_world_get(world, IMP_WORLD_TICK, &tick));
  CHECK(tick == 2);
  imp_snapshot_free(shot.bytes);
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(every_field_is_in_a_table);
  RUN(numbers_outside_their_range_are_refused);
  RUN(restoring_at_every_step_changes_nothing_that_follows);
  RUN(a_restored_world_saves_the_same_bytes);
  RUN(a_restored_world_can_be_changed_before_its_next_step);
  RUN(a_restored_world_can_have_other_substeps_in_its_next_step);
  RUN(handles_of_the_snapshot_are_valid_and_later_ones_never_again);
  RUN(another_world_gets_its_own_handles);
  RUN(exhausted_generations_refuse_a_restore);
  RUN(settings_are_restored_and_callbacks_stay);
  RUN(pending_events_are_restored_and_those_of_the_last_step_are_not);
  RUN(rows_and_contacts_are_the_same_after_a_restore);
  RUN(snapshots_and_restores_are_refused_inside_a_step);
  return check_report("snapshot");
}
