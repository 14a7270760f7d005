// Checks of invariants of a world between two steps: lists, edges, rings, proxies, trees, contacts.
#ifndef IMPI_VALIDATE_H
#define IMPI_VALIDATE_H

#include "base/constants.h"
#include "check.h"
#include "geometry/collide.h"
#include "snapshot/world_valid.h"
#include "valid_tree.h"
#include "world/pairs.h"
#include "world/shapes.h"

enum { VALIDATE_BODIES = 1000 };

static inline bool is_live(const ImpiPool *pool, int32_t slot) {
  return pool->slots.data[slot].next_free == IMPI_SLOT_LIVE;
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------------------------


static inline void validate_motion(const ImpiBody *body, const ImpiMotion *motion) {
  CHECK(impi_motion_is_sane(motion));
  ImpRot q = impi_rot(motion->angle);
  CHECK_NEAR(motion->c, q.c, 1e-12); // each step computes c and s from the angle
  CHECK_NEAR(motion->s, q.s, 1e-12);
  bool turns = motion->w != 0, moves = turns || motion->vx != 0 || motion->vy != 0;
  switch (body->type) {
  case IMP_BODY_STATIC:
    CHECK(!moves && !body->awake);
    break;
  case IMP_BODY_KINEMATIC:
    CHECK(body->awake == (moves && body->enabled));
    break;
  case IMP_BODY_PARTICLE:
    CHECK(!turns && motion->angle == 0);
    break;
  default:
    CHECK(!(turns && body->fixed_rotation));
  }
  if (impi_is_dynamic(body)) {
    CHECK(!(body->locks & 1u && motion->vx != 0) && !(body->locks & 2u && motion->vy != 0));
  }
  CHECK(body->enabled || !body->awake);
  CHECK(body->awake || !body->fast); // the continuous stage sweeps only awake bodies
  CHECK(!(impi_is_dynamic(body) && body->enabled && !body->awake && moves)); // sleeping bodies are at rest
}


static inline void validate_mass(const ImpWorld *world, const ImpiBody *body) {
  double mass = 0, inertia = 0, farthest = 0;
  ImpVec2 moment = {0, 0};
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiMass *unit = &world->shapes.data[s].geometry.figure->mass;
    for (int i = 0; i < world->shapes.data[s].geometry.child_count; ++i) {
      const ImpiHull *hull = &world->shapes.data[s].geometry.hulls[i];
      farthest = impi_max(farthest, impi_length(hull->centroid) + hull->extent);
    }
    double density = world->shapes.data[s].density;
    mass += density * unit->area;
    moment = impi_mul_add(moment, density * unit->area, unit->center);
    inertia += density * (unit->inertia + unit->area * impi_length_sq(unit->center));
  }
  bool dynamic = impi_is_dynamic(body);
  double expected = body->given_mass > 0 ? body->given_mass : (mass > 0 ? mass : 1);
  CHECK_NEAR(body->mass, dynamic ? expected : 0, 1e-9 * expected);
  CHECK_NEAR(body->inv_mass, dynamic ? 1 / expected : 0, 1e-9 / expected);
  if (!dynamic) CHECK(body->extent == farthest);
  ImpVec2 center = dynamic && mass > 0 ? impi_scale(1 / mass, moment) : impi_vec(0, 0);
  CHECK_NEAR(body->local_center.x, center.x, 1e-9);
  CHECK_NEAR(body->local_center.y, center.y, 1e-9);
  if (dynamic && mass > 0 && body->given_inertia == 0) { // parallel axis theorem
    double about_center = (inertia - mass * impi_length_sq(center)) * (expected / mass);
    CHECK_NEAR(body->inertia, about_center, 1e-9 * (about_center + expected * impi_length_sq(center)));
  }
}


// Check the circular list (sleep_next) of a body. A sleeping body is in a list of sleeping bodies. Any other body is
// alone in its list.
static inline void validate_ring(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  bool sleeps = impi_is_dynamic(body) && body->enabled && !body->awake;
  CHECK(sleeps || body->sleep_next == slot);
  int32_t member = slot;
  for (int i = 0; sleeps && i <= world->body_pool.live; ++i) {
    member = world->bodies.data[member].sleep_next;
    const ImpiBody *other = &world->bodies.data[member];
    CHECK(is_live(&world->body_pool, member) && impi_is_dynamic(other) && !other->awake);
    if (member == slot) return;
  }
  CHECK(!sleeps); // a sleeping body gets here only if its list does not return to `slot`
}


// Check the list of a body's edges in the graph of contacts. Return the number of edges.
static inline int validate_edges(const ImpWorld *world, int32_t slot) {
  int32_t previous = -1, count = 0;
  for (int32_t edge = world->bodies.data[slot].first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    CHECK(is_live(&world->contact_pool, edge >> 1));
    CHECK((edge & 1 ? contact->body_b : contact->body_a) == slot);
    CHECK(contact->edge[edge & 1].previous == previous);
    previous = edge;
    edge = contact->edge[edge & 1].next;
    // The list has a cycle, so the check of the total number of contacts will fail.
    if (++count > world->contact_pool.live) break;
  }
  return count;
}


static inline void validate_proxy(const ImpWorld *world, int32_t shape_slot, int child) {
  const ImpiShape *shape = &world->shapes.data[shape_slot];
  const ImpiBody *body = &world->bodies.data[shape->body];
  const ImpiBroadphase *bp = &world->broadphase;
  int32_t index = impi_shape_proxy(shape, child);
  const ImpiProxy *proxy = &bp->proxies.data[index];
  CHECK(proxy->shape == shape_slot && proxy->child == child && proxy->body == shape->body);
  CHECK(proxy->kind == impi_proxy_kind(body->type));
  CHECK(proxy->filter.category == shape->filter.category && proxy->filter.mask == shape->filter.mask &&
        proxy->filter.group == shape->filter.group);
  ImpTransform frame = impi_body_frame(body, &world->motions.data[shape->body]);
  ImpAabb tight = impi_hull_aabb(&shape->geometry.hulls[child], frame);
  // The fat box contains the tight box. For a static piece the boxes are equal up to rounding.
  CHECK(impi_aabb_contains(impi_aabb_grow(proxy->fat, 1e-9), tight));
  // A body may move by the distances `slack` to -x, +x, -y and +y before a piece leaves its fat box.
  const float *slack = world->bodies.data[shape->body].slack;
  if (slack[0] > 0 && slack[1] > 0 && slack[2] > 0 && slack[3] > 0) {
    CHECK(proxy->fat.lower.x + (double)slack[0] <= tight.lower.x &&
          tight.upper.x + (double)slack[1] <= proxy->fat.upper.x);
    CHECK(proxy->fat.lower.y + (double)slack[2] <= tight.lower.y &&
          tight.upper.y + (double)slack[3] <= proxy->fat.upper.y);
  }
  CHECK(proxy->moved < 0 || bp->moved.data[proxy->moved] == index);
}


// Check the shapes of a body. Return the number of shapes, and add the number of their pieces to `pieces`.
static inline int validate_shapes(const ImpWorld *world, int32_t slot, int *pieces) {
  int32_t last = -1, count = 0;
  for (int32_t s = world->bodies.data[slot].first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    CHECK(is_live(&world->shape_pool, s) && shape->body == slot && shape->attached && !shape->pending_destroy);
    for (int child = 0; child < shape->geometry.child_count; ++child) {
      validate_proxy(world, s, child);
    }
    *pieces += shape->geometry.child_count;
    CHECK(shape->previous == last);
    last = s;
    if (++count > world->shape_pool.live) break;
  }
  CHECK(world->bodies.data[slot].last_shape == last);
  return count;
}


static inline void validate_bodies(const ImpWorld *world) {
  int bodies = 0, shapes = 0, pieces = 0, edges = 0, kinematic_targets = 0, limited = 0;
  int32_t previous = -1;
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    const ImpiBody *body = &world->bodies.data[slot];
    CHECK(is_live(&world->body_pool, slot) && body->previous == previous);
    CHECK(previous < 0 || world->bodies.data[previous].serial < body->serial);
    CHECK(body->lane == 0 && body->pushed == 0);
    validate_motion(body, &world->motions.data[slot]);
    validate_mass(world, body);
    validate_ring(world, slot);
    edges += validate_edges(world, slot);
    limited += body->max_speed > 0 || body->max_angular_speed > 0;
    kinematic_targets += body->kinematic_target > 0;
    if (body->kinematic_target > 0) {
      const ImpiKinematicTarget *kinematic_target = &world->push.kinematic_targets.data[body->kinematic_target - 1];
      CHECK(body->kinematic_target <= world->push.kinematic_targets.count && kinematic_target->body == slot &&
            !kinematic_target->moving);
      CHECK(body->type == IMP_BODY_KINEMATIC && (kinematic_target->has_target || kinematic_target->reached));
    }
    shapes += validate_shapes(world, slot, &pieces);
    previous = slot;
    if (++bodies > world->body_pool.live) break;
  }
  bool ground = world->ground >= 0; // the ground body is live, but is not in the list of bodies
  CHECK(previous == world->last_body && bodies + ground == world->body_pool.live);
  CHECK(shapes == world->shape_pool.live && pieces == world->broadphase.proxy_count);
  CHECK(edges == 2 * world->contact_pool.live);
  CHECK(kinematic_targets == world->push.kinematic_targets.count && limited == world->push.limited_bodies);
  CHECK(world->queue.commands.count == 0 && world->push.pushed.count == 0 && !world->stepping);
}


// ---------------------------------------------------------------------------------------------------------------------
// Contacts
// ---------------------------------------------------------------------------------------------------------------------


// Return the separation of a contact's pieces at their current poses [m], or `margin` if the separation is larger.
static inline double separation_now(const ImpWorld *world, const ImpiContact *contact, double margin) {
  ImpTransform frame_a = impi_body_frame(&world->bodies.data[contact->body_a], &world->motions.data[contact->body_a]);
  ImpTransform frame_b = impi_body_frame(&world->bodies.data[contact->body_b], &world->motions.data[contact->body_b]);
  ImpTransform b_in_a = impi_inv_mul(frame_a, frame_b);
  ImpiLocalManifold now;
  impi_contact_meet(contact->flags, &world->shapes.data[contact->shape_a].geometry.hulls[contact->child_a],
                    &world->shapes.data[contact->shape_b].geometry.hulls[contact->child_b], &b_in_a, margin, &now);
  double separation = margin;
  for (int i = 0; i < now.count; ++i) {
    separation = impi_min(separation, now.points[i].separation);
  }
  return separation;
}


// Return whether the contact may have no points although its shapes touch, because the contact of a neighbouring chain
// link or tile has the points.
static inline bool has_chain(const ImpWorld *world, const ImpiContact *contact) {
  // A handler may have rotated the one-way platform, which changes the edges that can have contact points.
  if (contact->flags & IMPI_CONTACT_ONE_WAY) return true;
  ImpiNeighbourFinder finder = impi_world_neighbours(world);
  const ImpiInternalEdges *internal_edges[2];
  ImpiNeighbours neighbours[2];
  int sides = finder.expect(world, contact, internal_edges);
  return finder.find(world, contact, 1, sides, neighbours) != 0 ||
         world->shapes.data[contact->shape_a].geometry.hulls[0].chain ||
         world->shapes.data[contact->shape_b].geometry.hulls[0].chain;
}


// Largest distance by which position correction may move a body at rest in a step [m].
static double validate_projection = 0;


// Check that a contact between bodies at rest has the flag IMPI_CONTACT_TOUCHING if and only if its pieces touch. The
// tolerance `slack` allows for position correction in the last step before sleep.
static inline void validate_rest(const ImpWorld *world, const ImpiContact *contact) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  if (a->awake || b->awake || contact->stamp == 0 || has_chain(world, contact)) {
    return;
  }
  bool pushed = impi_is_dynamic(a) || impi_is_dynamic(b);
  double slack = pushed ? impi_push_speed(&world->settings) * world->settings.dt + validate_projection : 1e-9;
  double separation = separation_now(world, contact, 2 * slack + 2 * IMPI_TOUCH_END);
  CHECK(separation >= -slack || contact->flags & IMPI_CONTACT_TOUCHING);
  CHECK(separation <= IMPI_TOUCH_END + slack || !(contact->flags & IMPI_CONTACT_TOUCHING));
}


static inline void validate_contact(const ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  CHECK(is_live(&world->shape_pool, contact->shape_a) && is_live(&world->shape_pool, contact->shape_b));
  const ImpiShape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
  CHECK(a->serial < b->serial && a->body == contact->body_a && b->body == contact->body_b);
  CHECK(impi_shape_proxy(a, contact->child_a) == contact->proxy_a &&
        impi_shape_proxy(b, contact->child_b) == contact->proxy_b);
  CHECK(impi_pair_map_find(&world->broadphase.contacts, contact->proxy_a, contact->proxy_b) == slot);
  CHECK(impi_world_may_touch(world, contact->proxy_a, contact->proxy_b) && impi_filter_meets(&a->filter, &b->filter));
  CHECK(((contact->flags & IMPI_CONTACT_SENSOR) != 0) == (a->sensor || b->sensor));
  CHECK(a->needs_refilter || b->needs_refilter || !impi_pair_refused(world, contact->shape_a, contact->shape_b));
  // A pre_solve callback may have changed friction or restitution of this contact for one step.
  bool altered = contact->flags & IMPI_CONTACT_ALTERED;
  altered = altered ||
            (a->material_id > 0 && b->material_id > 0); // friction and restitution may be set for the pair of materials
  CHECK(altered || contact->friction == sqrt(a->material.friction * b->material.friction));
  CHECK(altered || contact->restitution == impi_max(a->material.restitution, b->material.restitution));
  CHECK(contact->count >= 0 && contact->count <= 2);
  for (int i = 0; i < contact->count; ++i) {
    const ImpiContactPoint *point = &contact->points[i];
    CHECK(impi_is_finite(point->separation) && impi_is_finite(point->lambda_t));
    CHECK(point->lambda_n >= 0 && point->lambda_n < IMPI_HUGE);
  }
  validate_rest(world, contact);
}


// Check that overlapping fat boxes with matching filters have a contact. Boxes that have moved since the last search
// are not checked.
static inline void validate_pairs(const ImpWorld *world) {
  const ImpiBroadphase *bp = &world->broadphase;
  for (int32_t i = 0; i < bp->proxies.count; ++i) {
    const ImpiProxy *p = &bp->proxies.data[i];
    for (int32_t k = i + 1; k < bp->proxies.count && p->kind != IMPI_PROXY_FREE && p->moved < 0; ++k) {
      const ImpiProxy *q = &bp->proxies.data[k];
      if (q->kind != IMPI_PROXY_FREE && q->moved < 0 && impi_aabb_overlaps(p->fat, q->fat) && impi_proxies_meet(p, q) &&
          impi_world_may_touch(world, i, k) && !impi_pair_refused(world, p->shape, q->shape)) {
        CHECK(impi_pair_map_find(&bp->contacts, i, k) >= 0);
      }
    }
  }
}


static inline void validate_contacts(const ImpWorld *world) {
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    if (is_live(&world->contact_pool, slot)) validate_contact(world, slot);
  }
  CHECK(world->broadphase.contacts.count == world->contact_pool.live);
}


// Check that no two contacts of a body have the same colour, because contacts of one colour are solved in parallel.
// Check each body's number of coloured contacts.
static inline void validate_colours(const ImpWorld *world) {
  const ImpiLaneContacts *lanes = &world->narrow.lane_contacts;
  static uint64_t taken[VALIDATE_BODIES + 1];
  static int32_t active_counts[VALIDATE_BODIES];
  // The next step rebuilds lost colours from the contacts.
  if (lanes->lost || world->bodies.count > VALIDATE_BODIES) return;
  memset(taken, 0, sizeof taken);
  memset(active_counts, 0, sizeof active_counts);
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    if (!is_live(&world->contact_pool, slot) || contact->colour == IMPI_UNCOLOURED) continue;
    int32_t sides[2] = {contact->body_a, contact->body_b};
    for (int side = 0; side < 2; ++side) {
      active_counts[sides[side]]++;
      int32_t lane = world->bodies.data[sides[side]].inv_mass > 0 ? impi_lane_of(sides[side]) : 0;
      if (lane == 0 || contact->colour == IMPI_NO_COLOUR) continue;
      CHECK((taken[lane] >> contact->colour & 1) == 0); // no second contact of the body has this colour
      taken[lane] |= 1ull << contact->colour;
    }
  }
  for (int32_t i = 0; i < lanes->taken.count; ++i) {
    CHECK(lanes->taken.data[i] == taken[i]);
    CHECK(i == 0 || lanes->active_counts.data[i - 1] == active_counts[i - 1]);
  }
}


// Check that each contact in the lanes of the soft solver is at its recorded place, and that the bit sets of contacts
// agree with the contacts.
static inline void validate_lanes(const ImpWorld *world) {
  const ImpiLaneContacts *lanes = &world->narrow.lane_contacts;
  int inside = 0, held = 0;
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    bool live = is_live(&world->contact_pool, slot), near = impi_bits_has(&world->narrow.separated.set, slot);
    CHECK(live || !(near || impi_bits_has(&lanes->inside, slot)));
    CHECK(live || world->narrow.contacts_lost || !impi_bits_has(&world->narrow.awake, slot));
    if (!live) continue;
    bool acts = contact->colour != IMPI_UNCOLOURED, in = contact->run > 0 && impi_bits_has(&lanes->inside, slot);
    CHECK(lanes->lost || acts == impi_bits_has(&lanes->acting, slot));
    CHECK(lanes->lost || in == (contact->run > 0)); // the next step rebuilds lost lanes
    if (in) {
      const ImpiRun *run = &lanes->runs[contact->run - 1];
      CHECK(acts && contact->count > 0 && (contact->run - 1) / IMPI_FORMS == contact->colour);
      CHECK(contact->place >= 0 && contact->place < run->count);
      CHECK(run->kernels->contact(&run->blocks, contact->place) == slot);
      ++inside;
    }
    if (near) {
      const ImpiSeparated *kept = impi_separated_at(&world->narrow.separated, slot);
      CHECK(!in && contact->count == 0 && kept->flags == contact->flags);
      CHECK(kept->body_a == contact->body_a && kept->body_b == contact->body_b);
      CHECK(kept->reference.clearance == contact->reference.clearance);
    }
    bool awake = world->bodies.data[contact->body_a].awake || world->bodies.data[contact->body_b].awake;
    bool known = !world->lists_dirty && !world->narrow.contacts_lost;
    CHECK(!known || !(awake || contact->stamp == 0) || impi_bits_has(&world->narrow.awake, slot));
  }
  for (int i = 0; i < IMPI_RUNS; ++i) {
    const ImpiRun *run = &lanes->runs[i];
    int gaps = 0;
    for (int place = 0; place < run->count; ++place) gaps += run->kernels->contact(&run->blocks, place) < 0;
    CHECK(gaps == run->gaps && (gaps == 0 || i >= IMPI_NO_COLOUR * IMPI_FORMS));
    held += run->count - gaps;
  }
  CHECK(held == inside);
}


// Check the boxes that the broad phase derives from fat boxes. A leaf of a tree has its proxy's fat box, unless `late`
// lists the proxy for an update of the leaf. The box of a dynamic proxy in `boxes` contains the fat box. The box of any
// other proxy in `boxes` is inverted, so it overlaps no box.
static inline void validate_followers(const ImpiBroadphase *bp) {
  for (int32_t i = 0; i < bp->proxies.count; ++i) {
    const ImpiProxy *proxy = &bp->proxies.data[i];
    const float *edge = bp->boxes.data[i].edge;
    if (proxy->kind != IMPI_PROXY_DYNAMIC) {
      CHECK(edge[0] > -edge[2]);
    } else {
      CHECK((double)edge[0] <= proxy->fat.lower.x && (double)edge[1] <= proxy->fat.lower.y &&
            (double)-edge[2] >= proxy->fat.upper.x && (double)-edge[3] >= proxy->fat.upper.y);
    }
    if (proxy->kind == IMPI_PROXY_FREE || proxy->late >> (proxy->kind == IMPI_PROXY_DYNAMIC) & 1) continue;
    const ImpiTreeLeaf *leaf = &bp->trees[proxy->kind].leaves.data[proxy->leaf];
    CHECK(leaf->user == i && leaf->category == proxy->filter.category);
    CHECK(impi_aabb_contains(leaf->box, proxy->fat) && impi_aabb_contains(proxy->fat, leaf->box));
  }
}


// Check all invariants. The time is quadratic in the number of pieces.
static inline void validate_world(const ImpWorld *world) {
  ImpiInvalid invalid;
  bool valid = impi_world_is_valid(world, &invalid);
  check_that(valid, __FILE__, __LINE__, valid ? "valid" : invalid.what);
  validate_bodies(world);
  validate_contacts(world);
  validate_pairs(world);
  validate_colours(world);
  validate_lanes(world);
  const ImpiBroadphase *bp = &world->broadphase;
  for (int kind = 0; kind < IMPI_PROXY_KINDS; ++kind) {
    const ImpiTree *tree = &bp->trees[kind];
    CHECK(tree_is_valid(tree));
    CHECK(tree->leaf_count <= bp->kind_count[kind] && impi_tree_has_room(tree, bp->kind_count[kind]));
  }
  validate_followers(bp);
}


// ---------------------------------------------------------------------------------------------------------------------
// Events: begins are balanced by ends
// ---------------------------------------------------------------------------------------------------------------------


// Number of begin events minus number of end events of two shapes.
typedef struct Touch {
  uint64_t id_a, id_b; // a < b
  int contact, sensor;
} Touch;

enum { MAX_TOUCHES = 4000 };

typedef struct Ledger {
  // said: pairs of shapes by the events of all steps; now: pairs of shapes that touch now
  Touch said[MAX_TOUCHES], now[MAX_TOUCHES];
  int said_count, now_count;
  long begins; // number of begin events of contacts
} Ledger;

static inline Touch *find_touch(Touch *touches, int *count, uint64_t id_a, uint64_t id_b) {
  Touch key = {id_a < id_b ? id_a : id_b, id_a < id_b ? id_b : id_a, 0, 0};
  for (int i = 0; i < *count; ++i) {
    if (touches[i].id_a == key.id_a && touches[i].id_b == key.id_b) return &touches[i];
  }
  CHECK(*count < MAX_TOUCHES);
  *count -= *count == MAX_TOUCHES;
  touches[*count] = key;
  return &touches[(*count)++];
}


static inline void note_events(Ledger *ledger, const ImpWorld *world, ImpEventKind kind) {
  bool sensor = kind == IMP_EVENT_SENSOR_BEGIN || kind == IMP_EVENT_SENSOR_END;
  bool begin = kind == IMP_EVENT_BEGIN_CONTACT || kind == IMP_EVENT_SENSOR_BEGIN;
  int count;
  const ImpEvent *e = imp_world_events(world, kind, &count);
  for (int i = 0; i < count; ++i) {
    CHECK(i == 0 || e[i - 1].id_a < e[i].id_a || (e[i - 1].id_a == e[i].id_a && e[i - 1].id_b <= e[i].id_b));
    if (begin || sensor || kind == IMP_EVENT_END_CONTACT) {
      Touch *touch = find_touch(ledger->said, &ledger->said_count, e[i].id_a, e[i].id_b);
      *(sensor ? &touch->sensor : &touch->contact) += begin ? 1 : -1;
    }
  }
  ledger->begins += begin && !sensor ? count : 0;
}


static inline void note_contacts(Ledger *ledger, const ImpWorld *world) {
  ledger->now_count = 0;
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    if (!is_live(&world->contact_pool, slot) || !(contact->flags & IMPI_CONTACT_TOUCHING)) continue;
    uint64_t id_a = world->shapes.data[contact->shape_a].serial, id_b = world->shapes.data[contact->shape_b].serial;
    Touch *touch = find_touch(ledger->now, &ledger->now_count, id_a, id_b);
    // 1, however many pieces of the two shapes touch.
    *(contact->flags & IMPI_CONTACT_SENSOR ? &touch->sensor : &touch->contact) = 1;
  }
}


// Check for every two shapes that the number of begin events minus the number of end events is 1 if the shapes touch,
// else 0. Check that each list of events is in order.
static inline void balance_events(Ledger *ledger, const ImpWorld *world) {
  for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
    note_events(ledger, world, (ImpEventKind)kind);
  }
  note_contacts(ledger, world);
  int kept = 0;
  for (int i = 0; i < ledger->said_count; ++i) {
    Touch said = ledger->said[i];
    const Touch *is = find_touch(ledger->now, &ledger->now_count, said.id_a, said.id_b);
    CHECK(said.contact == is->contact && said.sensor == is->sensor);
    if (said.contact != 0 || said.sensor != 0) ledger->said[kept++] = said;
  }
  ledger->said_count = kept;
  for (int i = 0; i < ledger->now_count; ++i) { // all shapes that touch now have a begin event
    Touch now = ledger->now[i];
    const Touch *said = find_touch(ledger->said, &kept, now.id_a, now.id_b);
    CHECK(said->contact == now.contact && said->sensor == now.sensor);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Manifolds, in the first substep handler of a step: nothing has moved since they were computed
// ---------------------------------------------------------------------------------------------------------------------


// Return the largest difference between the stored separation of a contact and its separation at the current poses [m].
// Contacts of two sleeping bodies are left out. Check that each contact was updated in this step.
static inline double stalest_contact(const ImpWorld *world) {
  double worst = 0;
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    if (is_live(&world->contact_pool, slot) &&
        (world->bodies.data[contact->body_a].awake || world->bodies.data[contact->body_b].awake)) {
      CHECK(contact->stamp == (uint32_t)(world->tick + 1));
      double kept = impi_min(impi_contact_separation(contact), IMPI_SPECULATIVE_MARGIN);
      bool fast = world->bodies.data[contact->body_a].fast || world->bodies.data[contact->body_b].fast;
      // For a fast body the continuous stage may have updated the contact points.
      bool ahead = fast && !(contact->flags & IMPI_CONTACT_FRESH);
      worst = ahead || has_chain(world, contact)
                  ? worst
                  : impi_max(worst, fabs(kept - separation_now(world, contact, IMPI_SPECULATIVE_MARGIN)));
    }
  }
  return worst;
}

#endif
