// Lifetime of contacts: begin and end, feature ids, filters, sensors, one-way shapes, belts, sleep.
#include <stdlib.h>

#include "scene.h"
#include "world/world.h"

static const double g = 9.81;


// Number of events of each kind since the last call of `forget`.
static int seen[IMP_EVENT_COUNT];

static void forget(void) { memset(seen, 0, sizeof seen); }


static void watch(ImpWorld *world, int steps) {
  for (int i = 0; i < steps; ++i) {
    run(world, 1);
    for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
      seen[kind] += event_count(world, (ImpEventKind)kind);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Begin, stay, end
// ---------------------------------------------------------------------------------------------------------------------


static void a_contact_begins_once_and_ends_once(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
    ImpBody ground = add_ground(world, material(1, 0.5, 0), 0), box = drop_box(world, material(1, 0.5, 0), 0, 1.5);
    forget();
    watch(world, 20);
    CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 0 && imp_world_counts(world).contacts == 0);
    watch(world, 10);
    CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 1 && seen[IMP_EVENT_HIT] == 1);
    watch(world, 300);
    CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 1 && seen[IMP_EVENT_END_CONTACT] == 0 && seen[IMP_EVENT_HIT] == 1);
    ImpContactInfo contact = first_contact(world);
    CHECK(contact.count == 2 && contact.body_a.id == ground.id && contact.body_b.id == box.id);
    CHECK_NEAR(contact.normal.y, 1, 1e-6); // the normal points from the shape that was created first to the other shape
    set_velocity(world, box, 0, 5, 0);
    watch(world, 20);
    CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 1 && seen[IMP_EVENT_END_CONTACT] == 1);
    CHECK(imp_world_counts(world).contacts == 0);
    imp_world_destroy(world);
  }
}


// A contact begins and ends at two different separations.
static void touching_has_hysteresis(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  add_ground(world, material(1, 0, 0), 0);
  ImpBody box = drop_box(world, material(1, 0, 0), 0, 0.5);
  forget();
  watch(world, 2);
  CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 1);
  for (int i = 0; i < 50; ++i) { // the box moves between 1 mm and 4 mm above the ground
    MUST(imp_body_set_position(world, box, vec(0, 0.5 + 0.001 + 0.003 * (i % 2))));
    watch(world, 1);
  }
  CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 1 && seen[IMP_EVENT_END_CONTACT] == 0);
  MUST(imp_body_set_position(world, box, vec(0, 0.506)));
  watch(world, 1);
  CHECK(seen[IMP_EVENT_END_CONTACT] == 1);
  MUST(imp_body_set_position(world, box, vec(0, 0.502)));
  watch(world, 1);
  CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 1);
  MUST(imp_body_set_position(world, box, vec(0, 0.5009)));
  watch(world, 1);
  CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 2);
  imp_world_destroy(world);
}


// The hit event of a landing has the bodies, the point, the normal and the speed of approach.
static void a_hit_reports_point_normal_speed_and_impulse(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 240, g);
  ImpBody ground = add_ground(world, material(1, 0.5, 0), 0);
  ImpBody disc = drop_disc(world, material(2, 0.5, 0), 3, 1.5, 0.5);
  int hits = 0;
  for (int i = 0; i < 240 && hits == 0; ++i) {
    run(world, 1);
    const ImpEvent *hit = imp_world_events(world, IMP_EVENT_HIT, &hits);
    if (hits > 0) {
      double speed = sqrt(2 * g), mass = body_get(world, disc, IMP_BODY_MASS);
      CHECK(hit->body_a.id == ground.id && hit->body_b.id == disc.id && hit->id_a == 1 && hit->id_b == 2);
      CHECK_NEAR(hit->point.x, 3, 1e-6);
      CHECK_NEAR(hit->point.y, 0, 0.02); // motion in a step
      CHECK_NEAR(hit->normal.y, 1, 1e-6);
      CHECK_NEAR(hit->speed, speed, g / 240);                     // speed gained in a step
      CHECK_NEAR(hit->impulse, mass * speed, mass * 2 * g / 240); // impulse of the weight
      measured("hit: speed / sqrt(2 g h) - 1", hit->speed / speed - 1);
      measured("hit: impulse / (m v) - 1", hit->impulse / (mass * speed) - 1);
    }
  }
  CHECK(hits == 1);
  set_world(world, IMP_WORLD_HIT_SPEED, 2);
  MUST(imp_body_set_position(world, disc, vec(3, 0.65))); // the disc lands at 1.7 m/s
  forget();
  watch(world, 240);
  CHECK(seen[IMP_EVENT_HIT] == 0 && seen[IMP_EVENT_BEGIN_CONTACT] == 1);
  imp_world_destroy(world);
}


// A ball or a box rests on a round peg. The contact point is on the peg above its centre.
static void a_body_on_a_peg_touches_its_top(void) {
  for (int way = 0; way < 8 * MAIN_SOLVERS; ++way) {
    ImpWorld *world = make_world((ImpSolverKind)(way / 8), 1.0 / 60, g);
    bool first = way & 1, box = way & 4;
    double peg_radius = way & 2 ? 0.2 : 0.6, half = box ? 0.5 : 0.4;
    ImpBody load = {0};
    for (int i = 0; i < 2; ++i) {
      if ((i == 0) == first) {
        double y = peg_radius + half;
        load = box ? drop_box(world, material(1, 0.5, 0), 3, y) : drop_disc(world, material(1, 0.5, 0), 3, y, half);
      } else {
        add_circle(world, add_body(world, IMP_BODY_STATIC, 3, 0, 0), material(1, 0.5, 0), peg_radius);
      }
    }
    for (int i = 0; i < 30; ++i) {
      run(world, 1);
      ImpContactInfo contact = first_contact(world);
      CHECK(contact.count == 1);
      CHECK_NEAR(contact.points[0].point.x, 3, 1e-6);
      double middle = (peg_radius + position(world, load).y - half) / 2; // the middle of the overlap
      // 1e-4: the load has fallen by g h^2 since the point was computed.
      CHECK_NEAR(contact.points[0].point.y, middle, 1e-4);
    }
    imp_world_destroy(world);
  }
}


// A box slides 18 m. The feature ids of the contact points stay, so the accumulated impulses warm-start each step.
static void a_sliding_box_keeps_its_feature_ids(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
    add_ground(world, material(1, 0.1, 0), 0);
    ImpBody box = drop_box(world, material(1, 0.1, 0), -10, 0.5);
    run(world, 10);
    set_velocity(world, box, 6, 0, 0);
    ImpContactInfo first = first_contact(world);
    int points = 0, matched = 0, renamed = 0;
    for (int i = 0; i < 300; ++i) {
      run(world, 1);
      ImpContactInfo contact = first_contact(world);
      for (int k = 0; k < contact.count; ++k) {
        points++;
        matched += contact.points[k].matched;
        renamed += contact.points[k].feature != first.points[0].feature &&
                   contact.points[k].feature != first.points[1].feature;
      }
    }
    CHECK(position(world, box).x > 5);
    CHECK(points == 600 && renamed == 0);
    CHECK(matched > 0.95 * points);
    measured("warm-start hit rate of a sliding box, expected > 0.95", (double)matched / points);
    imp_world_destroy(world);
  }
}


// The end event is among the events of the next step.
static void destroying_both_bodies_on_begin_gives_one_end_event(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  long begins = 0, ends = 0, right = 0;
  enum { BATCH = 10, ROUNDS = 10000 };
  for (int round = 0; round < ROUNDS; ++round) {
    ImpShapeDef def = imp_shape_def();
    for (int i = 0; i < BATCH; ++i) {
      drop_disc(world, def, 10.0 * i, 0, 0.5);
      drop_disc(world, def, 10.0 * i + 0.9, 0, 0.5);
    }
    run(world, 1);
    int count;
    const ImpEvent *events = imp_world_events(world, IMP_EVENT_BEGIN_CONTACT, &count);
    uint64_t first = count > 0 ? events[0].id_a : 0;
    begins += count;
    for (int i = 0; i < count; ++i) {
      MUST(imp_body_destroy(world, events[i].body_a));
      MUST(imp_body_destroy(world, events[i].body_b));
    }
    run(world, 1);
    events = imp_world_events(world, IMP_EVENT_END_CONTACT, &count);
    ends += count;
    for (int i = 0; i < count; ++i) {
      right += events[i].id_a == first + 2 * (uint64_t)i && events[i].id_b == events[i].id_a + 1 &&
               !imp_body_is_valid(world, events[i].body_a) && !imp_shape_is_valid(world, events[i].shape_b);
    }
  }
  CHECK(begins == BATCH * ROUNDS && ends == begins && right == begins);
  ImpCounts counts = imp_world_counts(world);
  CHECK(counts.bodies == 0 && counts.shapes == 0 && counts.contacts == 0);
  measured("contacts that ended by the destruction of both bodies, expected 1e5", (double)ends);
  imp_world_destroy(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Filters
// ---------------------------------------------------------------------------------------------------------------------


// Return whether two overlapping discs with these filters get a contact.
static bool meets(uint64_t category_a, uint64_t mask_a, int group_a, uint64_t category_b, uint64_t mask_b,
                  int group_b) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  ImpShapeDef a = imp_shape_def(), b = a;
  a.category = category_a, a.mask = mask_a, a.group = group_a;
  b.category = category_b, b.mask = mask_b, b.group = group_b;
  drop_disc(world, a, 0, 0, 0.5);
  ImpBody other = drop_disc(world, b, 0.9, 0, 0.5);
  run(world, 1);
  bool touching = imp_world_counts(world).contacts == 1;
  CHECK(touching == (position(world, other).x > 0.9)); // touching discs push each other away
  imp_world_destroy(world);
  return touching;
}


static void filters_decide_by_mask_and_group(void) {
  CHECK(meets(1, ~0ull, 0, 1, ~0ull, 0));
  CHECK(meets(2, 4, 0, 4, 2, 0));
  CHECK(!meets(2, 4, 0, 4, 1, 0)); // both masks must match
  CHECK(!meets(2, 1, 0, 4, 2, 0));
  CHECK(!meets(1, 0, 0, 1, ~0ull, 0));
  CHECK(meets(1, 0, 3, 1, 0, 3));            // a positive group overrules masks
  CHECK(!meets(1, ~0ull, -3, 1, ~0ull, -3)); // a negative group overrules masks
  CHECK(meets(1, ~0ull, -3, 1, ~0ull, -4));  // different groups: masks apply
  CHECK(meets(1ull << 63, 1ull << 40, 0, 1ull << 40, 1ull << 63, 0));
}


static void a_new_filter_acts_at_the_next_step(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  add_ground(world, material(1, 0.5, 0), 0);
  ImpBody box = add_body(world, IMP_BODY_DYNAMIC, 0, 0.5, 0);
  ImpShape shape = add_box(world, box, material(1, 0.5, 0), 1, 1);
  forget();
  watch(world, 120);
  CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 1 && body_get(world, box, IMP_BODY_AWAKE) == 0);
  MUST(imp_shape_set_filter(world, shape, 1, 2)); // ends the contact and wakes the box
  watch(world, 30);
  CHECK(seen[IMP_EVENT_END_CONTACT] == 1 && position(world, box).y < 0);
  imp_world_destroy(world);
}


static void a_sensor_reports_and_does_not_push(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpBody disc = drop_disc(world, imp_shape_def(), 0, 3, 0.5);
  ImpShapeDef def = imp_shape_def();
  def.sensor = true;
  ImpBody gate = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
  ImpShape sensor = add_box(world, gate, def, 4, 1);
  forget();
  bool named = false;
  for (int i = 0; i < 90; ++i) {
    watch(world, 1);
    int count;
    const ImpEvent *begin = imp_world_events(world, IMP_EVENT_SENSOR_BEGIN, &count);
    named = named || (count == 1 && begin->shape_a.id == sensor.id && begin->body_b.id == disc.id);
  }
  CHECK(named); // the sensor is named first, although it was created second
  CHECK(seen[IMP_EVENT_SENSOR_BEGIN] == 1 && seen[IMP_EVENT_SENSOR_END] == 1);
  CHECK(seen[IMP_EVENT_BEGIN_CONTACT] == 0 && seen[IMP_EVENT_HIT] == 0);
  double h = 1.0 / 240, n = 90 * 4; // free fall in double precision
  CHECK_NEAR(position(world, disc).y, 3 - g * h * h * n * (n + 1) / 2, 1e-11);
  imp_world_destroy(world);
}


// A box rises through the platform and lands on it.
static void a_one_way_platform_can_be_passed_from_below(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
    ImpShapeDef def = imp_shape_def();
    def.one_way = vec(0, 2); // the length of this direction has no effect
    ImpBody platform = add_body(world, IMP_BODY_STATIC, 0, 2, 0);
    add_box(world, platform, def, 4, 0.2);
    ImpBody box = drop_box(world, imp_shape_def(), 0, 0.5);
    set_velocity(world, box, 0, 8, 0);
    double top = 0;
    for (int i = 0; i < 240; ++i) {
      run(world, 1);
      top = fmax(top, position(world, box).y);
    }
    // Symplectic Euler reduces the height by v h / 2.
    CHECK_NEAR(top, 0.5 + 64 / (2 * g), 8.0 / 120 + 0.01);
    CHECK_NEAR(position(world, box).y, 2.6, 0.006); // 6 mm: the box overlaps the platform by the slop
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Internal edges and belts
// ---------------------------------------------------------------------------------------------------------------------


// Return the largest vertical speed of a box that slides at 5 m/s over internal edges 0.1 m apart.
static double ride(bool chain, int neighbours) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpBody ground = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
  ImpShapeDef def = material(1, 0, 0);
  ImpShape shape;
  if (chain) {
    ImpVec2 *points = malloc(sizeof *points * (size_t)(neighbours + 1));
    for (int i = 0; i <= neighbours; ++i) {
      points[i] = vec(0.1 * (neighbours - i), 0);
    }
    MUST(imp_body_add_chain(world, ground, &def, points, neighbours + 1, false, &shape));
    free(points);
  } else {
    for (int i = 0; i < neighbours; ++i) {
      MUST(imp_body_add_box(world, ground, &def, 0.1, 0.1, vec(0.1 * i + 0.05, -0.05), 0, 0, &shape));
    }
  }
  ImpBody box = add_body(world, IMP_BODY_DYNAMIC, 1, 0.25, 0);
  add_box(world, box, def, 0.5, 0.5);
  run(world, 30);
  set_velocity(world, box, 5, 0, 0);
  double worst = 0;
  for (int i = 0; position(world, box).x < 0.1 * neighbours - 1 && i < 6000; ++i) {
    run(world, 1);
    worst = fmax(worst, fabs(velocity(world, box).y));
  }
  CHECK_NEAR(velocity(world, box).x, 5, 1e-3); // the edges do not slow the box
  imp_world_destroy(world);
  return worst;
}


static void a_chain_is_smooth(void) {
  double chain = ride(true, 200);
  CHECK(chain < 1e-3);
  measured("chain of 200 links: worst vertical speed [m/s], expected < 1e-3", chain);
}


// A box on a belt reaches the belt's speed.
static void a_belt_carries_a_box(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
    ImpShapeDef belt = material(1, 0.5, 0);
    belt.surface_speed = 2;
    add_ground(world, belt, 0);
    ImpBody box = drop_box(world, material(1, 0.5, 0), 0, 0.5);
    run(world, 15);
    // Speed mu g t. The tolerance covers the settling of the box.
    CHECK_NEAR(velocity(world, box).x, 0.5 * g * 0.25, 0.03 * 0.5 * g * 0.25);
    run(world, 105);
    CHECK_NEAR(velocity(world, box).x, 2, 0.01 * 2);
    CHECK(body_get(world, box, IMP_BODY_AWAKE) == 1);
    measured("belt of 2 m/s carries a box at [m/s], expected 2.00 +- 1 %", velocity(world, box).x);
    imp_world_destroy(world);
  }
}


// The disc rolls: m a = -F and I alpha = F R - c_r R N give a = -(2/3) c_r g. The stopping distance is
// 3 v^2 / (4 c_r g).
static void rolling_resistance_stops_a_disc(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 240, g);
    add_ground(world, material(1, 0.6, 0), 0);
    ImpShapeDef def = material(1, 0.6, 0);
    def.rolling_resistance = 0.01;
    ImpBody disc = drop_disc(world, def, 0, 0.3, 0.3);
    run(world, 60);
    double x0 = position(world, disc).x;
    set_velocity(world, disc, 1, 0, -1 / 0.3);
    run(world, 240 * 18);
    double path = position(world, disc).x - x0, expected = 3 / (4 * 0.01 * g);
    CHECK_NEAR(path, expected, 0.02 * expected);
    CHECK_NEAR(velocity(world, disc).x, 0, 1e-4);
    measured("rolling disc stops after [m], expected 7.645 +- 2 %", path);
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Sleep
// ---------------------------------------------------------------------------------------------------------------------


// Return a world with two sleeping stacks of three boxes, at x = 0 and x = 5.
static ImpWorld *two_sleeping_stacks(ImpSolverKind solver, ImpBody boxes[6]) {
  ImpWorld *world = make_world(solver, 1.0 / 60, g);
  add_ground(world, material(1, 0.6, 0), 0);
  for (int i = 0; i < 6; ++i) {
    boxes[i] = drop_box(world, material(1, 0.6, 0), i < 3 ? 0 : 5, i % 3 + 0.5);
  }
  forget();
  watch(world, 300);
  CHECK(imp_world_counts(world).awake == 0);
  CHECK(seen[IMP_EVENT_SLEEP] == 6 && seen[IMP_EVENT_WAKE] == 0);
  return world;
}


static void sleeping_bodies_do_not_change(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpBody boxes[6];
    ImpWorld *world = two_sleeping_stacks((ImpSolverKind)solver, boxes);
    uint64_t tick = world->tick, hash = imp_world_hash(world);
    forget();
    watch(world, 100);
    CHECK(world->tick == tick + 100);
    world->tick = tick; // the hash includes the tick
    CHECK(imp_world_hash(world) == hash);
    for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
      CHECK(seen[kind] == 0);
    }
    // A sleeping box reports its weight as contact force.
    CHECK_NEAR(contact_force(world, boxes[0]).y, g, 0.01 * g);
    imp_world_destroy(world);
  }
}


static void waking_one_body_wakes_only_its_island(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpBody boxes[6];
    ImpWorld *world = two_sleeping_stacks((ImpSolverKind)solver, boxes);
    MUST(imp_body_apply_impulse(world, boxes[2], vec(0, 0.1)));
    for (int i = 0; i < 6; ++i) {
      CHECK((body_get(world, boxes[i], IMP_BODY_AWAKE) == 1) == (i < 3));
    }
    forget();
    watch(world, 1);
    CHECK(seen[IMP_EVENT_WAKE] == 3);
    watch(world, 300);
    CHECK(seen[IMP_EVENT_SLEEP] == 3 && seen[IMP_EVENT_WAKE] == 3);
    MUST(imp_body_destroy(world, boxes[3]));
    watch(world, 60);
    CHECK(seen[IMP_EVENT_WAKE] == 6);
    CHECK_NEAR(position(world, boxes[5]).y, 1.5, 0.02);
    watch(world, 300);
    CHECK(imp_world_counts(world).awake == 0);
    MUST(imp_body_destroy(world, imp_world_next_body(world, (ImpBody){0})));
    watch(world, 60);
    CHECK(imp_world_counts(world).awake == 5 && position(world, boxes[5]).y < 0);
    imp_world_destroy(world);
  }
}


// A disc at 6 m/s hits a sleeping box. The box moves in the step in which the contact begins.
static void a_contact_wakes_a_body_in_the_same_step(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpBody boxes[6];
    ImpWorld *world = two_sleeping_stacks((ImpSolverKind)solver, boxes);
    ImpBody disc = drop_disc(world, material(2, 0, 0), -3.2, 1.5, 0.5);
    MUST(imp_body_set(world, disc, IMP_BODY_GRAVITY_SCALE, 0));
    set_velocity(world, disc, 6, 0, 0);
    int touch = 0, woke = 0, moved = 0;
    for (int i = 1; i < 60; ++i) {
      run(world, 1);
      if (event_count(world, IMP_EVENT_WAKE) > 0) {
        // A contact that wakes in this step does not add the impulse of the step in which it fell asleep.
        CHECK_NEAR(contact_force(world, boxes[0]).y, g, 0.5 * g);
      }
      touch = touch == 0 && event_count(world, IMP_EVENT_BEGIN_CONTACT) > 0 ? i : touch;
      woke = woke == 0 && event_count(world, IMP_EVENT_WAKE) == 3 ? i : woke;
      moved = moved == 0 && velocity(world, boxes[1]).x > 0.01 ? i : moved;
    }
    CHECK(touch > 0 && woke == touch && moved == touch);
    CHECK(body_get(world, boxes[4], IMP_BODY_AWAKE) == 0);
    measured("step of touch, minus step of waking, expected 0", touch - woke);
    imp_world_destroy(world);
  }
}


static void putting_one_body_to_sleep_puts_its_island_to_sleep(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  add_ground(world, material(1, 0.6, 0), 0);
  ImpBody low = drop_box(world, material(1, 0.6, 0), 0, 0.5), high = drop_box(world, material(1, 0.6, 0), 0, 1.5);
  ImpBody alone = drop_box(world, material(1, 0.6, 0), 4, 0.5);
  run(world, 5);
  MUST(imp_body_set(world, low, IMP_BODY_AWAKE, 0));
  CHECK(body_get(world, low, IMP_BODY_AWAKE) == 0 && body_get(world, high, IMP_BODY_AWAKE) == 0);
  CHECK(body_get(world, alone, IMP_BODY_AWAKE) == 1);
  ImpVec2 before = position(world, high);
  run(world, 10);
  CHECK(position(world, high).y == before.y);
  MUST(imp_body_set(world, low, IMP_BODY_ALLOW_SLEEP, 0)); // wakes both boxes and prevents their sleep
  run(world, 300);
  CHECK(body_get(world, low, IMP_BODY_AWAKE) == 1 && body_get(world, high, IMP_BODY_AWAKE) == 1);
  CHECK(body_get(world, alone, IMP_BODY_AWAKE) == 0);
  set_world(world, IMP_WORLD_SLEEP, 0);
  CHECK(body_get(world, alone, IMP_BODY_AWAKE) == 1);
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_contact_begins_once_and_ends_once);
  RUN(touching_has_hysteresis);
  RUN(a_hit_reports_point_normal_speed_and_impulse);
  RUN(a_body_on_a_peg_touches_its_top);
  RUN(a_sliding_box_keeps_its_feature_ids);
  RUN(destroying_both_bodies_on_begin_gives_one_end_event);
  RUN(filters_decide_by_mask_and_group);
  RUN(a_new_filter_acts_at_the_next_step);
  RUN(a_sensor_reports_and_does_not_push);
  RUN(a_one_way_platform_can_be_passed_from_below);
  RUN(a_chain_is_smooth);
  RUN(a_belt_carries_a_box);
  RUN(rolling_resistance_stops_a_disc);
  RUN(sleeping_bodies_do_not_change);
  RUN(waking_one_body_wakes_only_its_island);
  RUN(a_contact_wakes_a_body_in_the_same_step);
  RUN(putting_one_body_to_sleep_puts_its_island_to_sleep);
  return check_report("contacts");
}
