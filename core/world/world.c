// Creation and destruction of a world, and its settings.
#include "world/audit.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/events.h"
#include "world/fields.h"
#include "world/movers.h"
#include "world/pairs.h"
#include "world/shapes.h"
#include "world/sleep.h"

#include <stdatomic.h>
#include <string.h>

#include "base/constants.h"
#include "base/lane_width.h"


static uint64_t split_mix(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}


// Seed the generator xoshiro256** by splitmix64.
// source: Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2018)
static void seed_random(ImpWorld *world, uint64_t seed) {
  world->seed = seed;
  for (int i = 0; i < IMPI_COUNT(world->random); ++i) {
    world->random[i] = split_mix(&seed);
  }
}


uint64_t imp_world_tag(const ImpWorld *world) { return (uint64_t)world->tag << 48; }


uint64_t imp_world_handle(const ImpWorld *world, uint64_t key) {
  return key != 0 && IMP_KEY(key) == key ? key | imp_world_tag(world) : 0;
}


uint64_t impi_world_random(ImpWorld *world) {
  uint64_t *s = world->random;
  uint64_t product = s[1] * 5;
  uint64_t result = (product << 7 | product >> 57) * 9;
  uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = s[3] << 45 | s[3] >> 19;
  return result;
}


void imp_world_generator(const ImpWorld *world, uint64_t out_state[4]) {
  memcpy(out_state, world->random, sizeof world->random);
}


ImpStatus impi_world_set_generator(ImpWorld *world, const uint64_t state[4]) {
  if ((state[0] | state[1] | state[2] | state[3]) == 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "the state of a random number generator must not be all zeros");
  }
  memcpy(world->random, state, sizeof world->random);
  return IMP_OK;
}


ImpWorldDef imp_world_def(void) {
  return (ImpWorldDef){.gravity = {0, -9.81}, .dt = 1.0 / 60, .solver = IMP_SOLVER_SOFT, .time = (double)NAN};
}


// Return a 16-bit tag that distinguishes the handles of different worlds. Its counter is the only shared state of the
// library. No result depends on the tag.
static uint32_t next_tag(void) {
  static atomic_uint counter;
  return (atomic_fetch_add(&counter, 1) + 1) & 0xffff;
}


ImpStatus imp_world_create(const ImpWorldDef *def, ImpWorld **out_world) {
  ImpStatus status = impi_check_property(imp_world_property(IMP_WORLD_DT), def->dt, "world");
  if (status != IMP_OK) {
    return status;
  }
  if (!(fabs(def->gravity.x) <= IMPI_MAX_COORDINATE && fabs(def->gravity.y) <= IMPI_MAX_COORDINATE)) {
    return impi_fail(IMP_ERR_ARGUMENT, "gravity must be two finite numbers up to %g m/s^2, got (%g, %g)",
                     IMPI_MAX_COORDINATE, def->gravity.x, def->gravity.y);
  }
  if (impi_solver((int)def->solver) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "no solver has the number %d", (int)def->solver);
  }
  if (imp_order_name((int)def->order) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "no order of the rows in a sweep has the number %d", (int)def->order);
  }
  // A time of NaN is allowed and means that the time is computed from `tick`.
  if (def->tick > IMP_MAX_TICK || def->time < 0 || def->time > IMP_MAX_TIME) {
    return impi_fail(IMP_ERR_ARGUMENT, "tick must be from 0 to %g, and time from 0 to %g s", (double)IMP_MAX_TICK,
                     IMP_MAX_TIME);
  }
  status = impi_check_lane_environment();
  if (status != IMP_OK) {
    return status;
  }
  ImpiHeap heap = {.allocator = def->allocator.reallocate != NULL ? def->allocator : impi_default_allocator()};
  ImpWorld *world = impi_resize(&heap, NULL, 0, sizeof *world);
  if (world == NULL) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  memset(world, 0, sizeof *world);
  world->heap = heap;
  world->tag = next_tag();
  world->solver = def->solver;
  world->settings = (ImpiSettings){
      .gravity = def->gravity,
      .dt = def->dt,
      .contact_damping_ratio = 9,
      .lock_damping_ratio = 2,
      .push_speed = -1,
      .baumgarte = 0.2,
      .slop = 0.005,
      .position_iterations = -1,
      .order = def->order,
      .warm_start = true,
      .accumulate = true,
      .relax = true,
      .geometric_stiffness = true,
      .midpoint = true,
  };
  world->tick = def->tick;
  world->time = (double)def->tick * def->dt;
  if (def->time == def->time && def->time != world->time) { // dt had another value in earlier steps
    world->time = world->time_base = def->time;
    world->tick_base = def->tick;
  }
  world->sleep_enabled = world->continuous = world->smooth_internal_edges = true;
  world->threads = 1;
  world->hit_speed = 1;
  world->continuous_part = 0.25;
  world->first_body = world->last_body = world->ground = world->narrow.solving = world->touching.body = -1;
  world->field.first = world->field.last = -1;
  world->first_joint = world->last_joint = world->joint.free_edge = world->joint.free_drive = -1;
  impi_pool_init(&world->body_pool);
  impi_pool_init(&world->shape_pool);
  impi_pool_init(&world->contact_pool);
  impi_pool_init(&world->joint_pool);
  impi_pool_init(&world->field.pool);
  impi_broadphase_init(&world->broadphase);
  seed_random(world, def->seed);
  for (int i = 0; i < IMP_SOLVER_COUNT; ++i) {
    size_t size = impi_solver(i)->scratch;
    world->scratch[i] = impi_resize(&world->heap, NULL, 0, size);
    if (world->scratch[i] == NULL) {
      impi_world_destroy(world);
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    memset(world->scratch[i], 0, size);
  }
  *out_world = world;
  return IMP_OK;
}


static void free_undo(ImpWorld *world) {
  ImpiUndo *undo = &world->undo;
  impi_array_free(&world->heap, &undo->offenders);
  impi_array_free(&world->heap, &undo->contacts);
  impi_array_free(&world->heap, &undo->begun);
  impi_array_free(&world->heap, &undo->coordinates);
  impi_array_free(&world->heap, &undo->drives);
  impi_array_free(&world->heap, &undo->bursts);
  impi_array_free(&world->heap, &undo->pushed);
}


ImpStatus impi_world_destroy(ImpWorld *world) {
  if (world == NULL) {
    return IMP_OK;
  }
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "a world cannot be destroyed inside its own step");
  }
  ImpiHeap *heap = &world->heap;
  impi_team_leave(&world->team);
  for (int32_t i = 0; i < world->bodies.count; ++i) {
    impi_free_string(heap, world->bodies.data[i].name);
  }
  for (int32_t i = 0; i < world->shapes.count; ++i) {
    ImpiShape *shape = &world->shapes.data[i];
    if (impi_shape_lives(shape)) {
      impi_shape_free_proxies(heap, shape->geometry.child_count, shape->proxies);
      impi_internal_edges_free(heap, shape);
      impi_geometry_free(heap, &shape->geometry);
    }
    impi_free_string(heap, shape->name);
  }
  for (int32_t i = 0; i < world->joints.count; ++i) {
    impi_free_string(heap, world->joints.data[i].name);
    impi_custom_free(heap, world->joints.data[i].custom);
  }
  impi_free_destroyed(world);
  for (int i = 0; i < IMPI_COUNT(world->event.old_names); ++i) {
    impi_free_old_names(world, i);
    impi_array_free(heap, &world->event.old_names[i]);
  }
  for (int i = 0; i < IMP_SOLVER_COUNT; ++i) {
    if (world->scratch[i] != NULL) {
      impi_solver(i)->destroy(heap, world->scratch[i]);
    }
  }
  for (int i = 0; i < IMP_EVENT_COUNT; ++i) {
    impi_array_free(heap, &world->event.events[i]);
    impi_array_free(heap, &world->event.pending[i]);
  }
  impi_array_free(heap, &world->event.event_keys);
  impi_audit_free(world);
  impi_fields_free(world);
  free_undo(world);
  impi_movers_free(world);
  impi_broadphase_free(heap, &world->broadphase);
  impi_islands_free(heap, &world->sleep.islands);
  impi_pool_free(heap, &world->body_pool);
  impi_pool_free(heap, &world->shape_pool);
  impi_pool_free(heap, &world->contact_pool);
  impi_pool_free(heap, &world->joint_pool);
  impi_array_free(heap, &world->joints);
  impi_array_free(heap, &world->joint_edges);
  impi_array_free(heap, &world->drives);
  impi_array_free(heap, &world->joint.awake);
  impi_array_free(heap, &world->joint.opening.open_candidates);
  impi_array_free(heap, &world->joint.opening.list);
  impi_array_free(heap, &world->joint.opening.bent);
  impi_array_free(heap, &world->joint.held);
  impi_array_free(heap, &world->joint.samples.numbers);
  impi_array_free(heap, &world->joint.pose_room);
  impi_array_free(heap, &world->row.list);
  impi_array_free(heap, &world->row.room);
  impi_array_free(heap, &world->row.terms);
  impi_array_free(heap, &world->row.redundant);
  impi_array_free(heap, &world->row.weak);
  impi_array_free(heap, &world->bodies);
  impi_array_free(heap, &world->motions);
  impi_array_free(heap, &world->shapes);
  impi_array_free(heap, &world->contacts);
  impi_array_free(heap, &world->awake);
  impi_array_free(heap, &world->narrow.awake);
  impi_array_free(heap, &world->narrow.needs_recheck);
  impi_array_free(heap, &world->narrow.pair_slots);
  impi_array_free(heap, &world->narrow.waits);
  impi_array_free(heap, &world->narrow.known);
  impi_array_free(heap, &world->narrow.found);
  impi_array_free(heap, &world->narrow.seen);
  impi_separated_free(heap, &world->narrow.separated);
  impi_points_free(heap, &world->points);
  impi_array_free(heap, &world->narrow.fast);
  impi_lane_contacts_free(heap, &world->narrow.lane_contacts);
  impi_array_free(heap, &world->narrow.active);
  impi_array_free(heap, &world->ccd.swept);
  impi_array_free(heap, &world->ccd.long_paths);
  impi_array_free(heap, &world->ccd.long_path_at);
  impi_array_free(heap, &world->ccd.swept_set);
  impi_array_free(heap, &world->ccd.clearances);
  impi_array_free(heap, &world->placed);
  impi_sums_free(heap, &world->shape_sums);
  impi_names_free(heap, &world->body_names);
  impi_names_free(heap, &world->joint_names);
  impi_pair_map_free(heap, &world->narrow.touching_counts.of_shapes);
  impi_array_free(heap, &world->narrow.stale);
  impi_array_free(heap, &world->ccd.awake_places);
  impi_array_free(heap, &world->ccd.outgrown);
  impi_array_free(heap, &world->ccd.candidates);
  impi_array_free(heap, &world->ccd.toi_contacts);
  impi_array_free(heap, &world->ccd.hit_bodies);
  impi_array_free(heap, &world->ccd.hit_body_at);
  impi_array_free(heap, &world->ccd.toi_rows);
  impi_array_free(heap, &world->backup);
  impi_array_free(heap, &world->touching.list);
  impi_array_free(heap, &world->touching.of_body);
  impi_array_free(heap, &world->touching.ranks);
  impi_array_free(heap, &world->row.starts);
  impi_array_free(heap, &world->query.found);
  impi_array_free(heap, &world->query.hits);
  impi_array_free(heap, &world->query.outside_boxes);
  impi_array_free(heap, &world->push.pushed);
  impi_array_free(heap, &world->queue.commands);
  impi_array_free(heap, &world->queue.last_drives);
  impi_array_free(heap, &world->queue.last_filters);
  impi_array_free(heap, &world->push.forced);
  impi_array_free(heap, &world->narrow.pre_solve_contacts);
  impi_array_free(heap, &world->sensor.visitors);
  impi_array_free(heap, &world->sensor.passed);
  impi_materials_free(heap, &world->materials);
  impi_array_free(heap, &world->filter.unfiltered);
  impi_array_free(heap, &world->filter.results);
  impi_pair_map_free(heap, &world->filter.result_at);
  impi_array_free(heap, &world->push.kinematic_targets);
  impi_array_free(heap, &world->push.limited);
  IMP_ASSERT(heap->bytes == sizeof *world);
  ImpiHeap last = *heap;
  impi_resize(&last, world, sizeof *world, 0);
  return IMP_OK;
}


ImpStatus imp_world_get(const ImpWorld *world, ImpWorldProperty property, double *out_value) {
  const ImpiSolver *solver = impi_solver((int)world->solver);
  const ImpiSettings *settings = &world->settings;
  if (property == IMP_WORLD_SUBSTEPS) { // the default depends on the solver
    *out_value = impi_substeps(solver, settings);
  } else if (property == IMP_WORLD_ITERATIONS) {
    *out_value = impi_iterations(solver, settings);
  } else if (property == IMP_WORLD_POSITION_ITERATIONS) {
    *out_value = impi_position_iterations(solver, settings);
  } else if ((property == IMP_WORLD_CONTACT_HERTZ && settings->contact_hertz <= 0) ||
             (property == IMP_WORLD_LOCK_HERTZ && settings->lock_hertz <= 0)) {
    *out_value = 0.25 * impi_substeps(solver, settings) / settings->dt;
  } else if (property == IMP_WORLD_PUSH_SPEED) {
    *out_value = impi_push_speed(settings);
  } else if (property == IMP_WORLD_TIME && world->stepping) { // time of the state that handlers read
    *out_value = world->substep.time;
  } else if (property == IMP_WORLD_LAST_DT && world->stepping) {
    *out_value = settings->dt;
  } else if ((unsigned)property >= IMP_WORLD_PROPERTY_COUNT ||
             !impi_property_read(impi_world_property(property), world, out_value)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a world has no such property");
  }
  return IMP_OK;
}


uint64_t imp_world_tick(const ImpWorld *world) { return world->tick; }


ImpStatus impi_world_set(ImpWorld *world, ImpWorldProperty property, double value) {
  ImpStatus status = impi_check_property(imp_world_property((int)property), value, "world");
  if (status != IMP_OK) {
    return status;
  }
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "settings of the world cannot be changed inside a step");
  }
  if (property == IMP_WORLD_LANES && value != 0 && !impi_is_lane_width(value)) {
    return impi_fail(IMP_ERR_ARGUMENT, "world.lanes must be 0, 1, 4, 8 or 16, got %g", value);
  }
  if (property == IMP_WORLD_THREADS && value == 1) {
    impi_team_leave(&world->team);
  }
  if (property == IMP_WORLD_DT) {
    world->time_base = world->time;
    world->tick_base = world->tick;
  }
  if (property == IMP_WORLD_SEED) {
    seed_random(world, (uint64_t)value);
  } else if (impi_property_write(impi_world_property(property), world, value)) {
    if (property == IMP_WORLD_AUDITING && value != 0) {
      impi_audit_start(world);
    }
    if (property == IMP_WORLD_SLEEP && value == 0) {
      for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
        impi_world_wake(world, slot);
      }
    }
  }
  return IMP_OK;
}


ImpVec2 imp_world_gravity(const ImpWorld *world) { return world->settings.gravity; }


ImpStatus impi_world_set_gravity(ImpWorld *world, ImpVec2 gravity) {
  if (!(fabs(gravity.x) <= IMPI_MAX_COORDINATE && fabs(gravity.y) <= IMPI_MAX_COORDINATE)) {
    return impi_fail(IMP_ERR_ARGUMENT, "gravity must be two finite numbers up to %g m/s^2, got (%g, %g)",
                     IMPI_MAX_COORDINATE, gravity.x, gravity.y);
  }
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "settings of the world cannot be changed inside a step");
  }
  if (world->settings.gravity.x == gravity.x && world->settings.gravity.y == gravity.y) {
    return IMP_OK;
  }
  world->settings.gravity = gravity;
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    impi_world_wake(world, slot);
  }
  return IMP_OK;
}


ImpSolverKind imp_world_solver(const ImpWorld *world) { return world->solver; }


ImpStatus impi_world_set_solver(ImpWorld *world, ImpSolverKind kind) {
  if (impi_solver((int)kind) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "no solver has the number %d", (int)kind);
  }
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "the solver cannot be changed inside a step");
  }
  world->solver = kind;
  return IMP_OK;
}


ImpOrder imp_world_order(const ImpWorld *world) { return world->settings.order; }


ImpStatus impi_world_set_order(ImpWorld *world, ImpOrder order) {
  if (imp_order_name((int)order) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "no order of the rows in a sweep has the number %d", (int)order);
  }
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "settings of the world cannot be changed inside a step");
  }
  world->settings.order = order;
  return IMP_OK;
}


bool imp_world_is_stepping(const ImpWorld *world) { return world->stepping; }
