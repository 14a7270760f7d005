// Worlds that get the same operations at the same time, with their own handles, random numbers and way of stepping. The
// digests of all readable data must be equal.
#ifndef IMPI_STRESS_PLAYER_H
#define IMPI_STRESS_PLAYER_H

#include <stdlib.h>

#include "failing_memory.h"
#include "random_joints.h"

enum { MAX_BODIES = 400, MAX_SHAPES = 800, MAX_JOINTS = 300, MAX_EXTRAS = 4 };

// Handles of objects, with creation numbers, because an object has a different handle in each world.
typedef struct Handles {
  ImpBody bodies[MAX_BODIES];
  ImpShape shapes[MAX_SHAPES];
  ImpJoint joints[MAX_JOINTS];
  ImpMover movers[MAX_EXTRAS];
  ImpField fields[MAX_EXTRAS];
  double body_id[MAX_BODIES], shape_id[MAX_SHAPES], joint_id[MAX_JOINTS], mover_id[MAX_EXTRAS], field_id[MAX_EXTRAS];
  int body_count, shape_count, joint_count, mover_count, field_count;
} Handles;

typedef struct Shot {
  void *bytes;
  size_t size;
  Handles has;
  uint64_t random;
} Shot;

typedef struct Player {
  const char *name;
  int lanes, threads;
  bool any_width;  // draw the numbers of lanes and threads before each step
  bool reads;      // call getters between steps and inside steps
  int saves_every; // number of steps after which this world is saved and restored; 0: never
  bool strayed;    // memory for a time-of-impact event failed, so the last step differs from that of other players
  bool starves;    // some allocations of this world fail
  ImpWorld *world;
  Handles has;
  uint64_t random, chance; // states of generators; random: for operations, equal in all worlds; chance: for this world
  uint64_t said;           // digest of results of calls and arguments of callbacks
  int substep;
  long starved; // number of calls that ran out of memory
  ImpStatus status;
  Memory memory;
  Shot shot;
  const char *operation; // name of the last operation
} Player;

typedef struct Settings {
  uint64_t seed;
  int steps, scene, hash_every;
  int calm;      // mean number of steps from a step with operations to the next
  bool handlers; // handlers change the world inside a step, too
  bool one_solver, trace, fed;
  const char *without; // names of the operations that are left out, or null
} Settings;

static Settings setting;


static inline void mix(uint64_t *digest, const void *data, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    *digest = (*digest ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
  }
}


static inline void mix_number(uint64_t *digest, double value) { mix(digest, &value, sizeof value); }


// ---------------------------------------------------------------------------------------------------------------------
// Calls
// ---------------------------------------------------------------------------------------------------------------------


// Draw a number from 0 to sides - 1 for this world only, from its own stream.
static inline int chance(Player *p, int sides) {
  uint64_t kept = random_state;
  random_state = p->chance;
  int number = roll(sides);
  p->chance = random_state;
  random_state = kept;
  return number;
}


static inline void starve(Player *p) {
  p->memory.fail_at = p->starves && chance(p, 3) == 0 ? p->memory.requests + 1 + chance(p, 4) : 0;
}


// Check a status and add it to the digest. A call may be refused with a message, with the same status in all worlds.
static inline ImpStatus note(Player *p, ImpStatus status) {
  bool stepping = imp_world_is_stepping(p->world);
  CHECK(status == IMP_OK || status == IMP_ERR_ARGUMENT || (status == IMP_ERR_STATE && stepping));
  CHECK(status == IMP_OK || imp_last_error()[0] != 0);
  int said = (int)status;
  mix(&p->said, &said, sizeof said);
  return status;
}


static inline bool failed(Player *p, ImpStatus status) {
  p->memory.fail_at = 0;
  p->status = status;
  p->starved += status == IMP_ERR_NOMEM;
  return status == IMP_ERR_NOMEM;
}

// Make a call. In a world with `starves`, a call that runs out of memory changes nothing and is repeated.
#define CALL(p, call) (starve(p), note(p, failed(p, (call)) ? (call) : (p)->status))


// ---------------------------------------------------------------------------------------------------------------------
// Handles
// ---------------------------------------------------------------------------------------------------------------------


static inline double body_id(const ImpWorld *world, ImpBody body) { return body_get(world, body, IMP_BODY_ID); }


// Return the creation number of a shape, or 0 if the shape was destroyed in this step.
static inline double shape_id(const ImpWorld *world, ImpShape shape) {
  double id = 0;
  if (imp_shape_is_valid(world, shape)) MUST(imp_shape_get(world, shape, IMP_SHAPE_ID, &id));
  return id;
}


static inline double mover_id(const ImpWorld *world, ImpMover mover) {
  double id = 0;
  MUST(imp_mover_get(world, mover, IMP_MOVER_ID, &id));
  return id;
}


static inline double field_id(const ImpWorld *world, ImpField field) {
  double id = 0;
  MUST(imp_field_get(world, field, IMP_FIELD_ID, &id));
  return id;
}


static inline void keep_body(Player *p, ImpBody body) {
  p->has.body_id[p->has.body_count] = body_id(p->world, body);
  p->has.bodies[p->has.body_count++] = body;
}


static inline void keep_shape(Player *p, ImpShape shape) {
  p->has.shape_id[p->has.shape_count] = shape_id(p->world, shape);
  p->has.shapes[p->has.shape_count++] = shape;
}


static inline void keep_joint(Player *p, ImpJoint joint) {
  p->has.joint_id[p->has.joint_count] = joint_get(p->world, joint, IMP_JOINT_ID);
  p->has.joints[p->has.joint_count++] = joint;
}


// Remove the handles for which `alive` is false, and their creation numbers.
#define SIFT(p, list, id, total, alive) \
  do { \
    int kept_ = 0; \
    for (int i_ = 0; i_ < (p)->has.total; ++i_) { \
      if (!alive((p)->world, (p)->has.list[i_])) continue; \
      (p)->has.list[kept_] = (p)->has.list[i_]; \
      (p)->has.id[kept_++] = (p)->has.id[i_]; \
    } \
    (p)->has.total = kept_; \
  } while (0)

static inline void forget_the_dead(Player *p) {
  SIFT(p, bodies, body_id, body_count, imp_body_is_valid);
  SIFT(p, shapes, shape_id, shape_count, imp_shape_is_valid);
  SIFT(p, joints, joint_id, joint_count, imp_joint_is_valid);
  SIFT(p, movers, mover_id, mover_count, imp_mover_is_valid);
  SIFT(p, fields, field_id, field_count, imp_field_is_valid);
}


// Return the index of a number in a list, or `count` if the list does not contain the number.
static inline int place_of(const double *ids, int count, double id) {
  int i = 0;
  while (i < count && ids[i] != id) ++i;
  return i;
}


// After a restore, find the new handles by creation numbers, which are the same in all worlds.
static inline void find_handles(Player *p, const Handles *had) {
  Handles *has = &p->has;
  *has = *had;
  int found = 0, i;
  for (ImpBody body = {0}; (body = imp_world_next_body(p->world, body)).id != 0;) {
    i = place_of(has->body_id, has->body_count, body_id(p->world, body));
    if (i < has->body_count) has->bodies[i] = body;
    found += i < has->body_count;
    for (ImpShape shape = {0}; (shape = imp_body_next_shape(p->world, body, shape)).id != 0;) {
      i = place_of(has->shape_id, has->shape_count, shape_id(p->world, shape));
      if (i < has->shape_count) has->shapes[i] = shape;
      found += i < has->shape_count;
    }
  }
  for (ImpJoint joint = {0}; (joint = imp_world_next_joint(p->world, joint)).id != 0; ++found) {
    i = place_of(has->joint_id, has->joint_count, joint_get(p->world, joint, IMP_JOINT_ID));
    CHECK(i < has->joint_count);
    if (i < has->joint_count) has->joints[i] = joint;
  }
  for (ImpMover mover = {0}; (mover = imp_world_next_mover(p->world, mover)).id != 0; ++found) {
    i = place_of(has->mover_id, has->mover_count, mover_id(p->world, mover));
    CHECK(i < has->mover_count);
    if (i < has->mover_count) has->movers[i] = mover;
  }
  for (ImpField field = {0}; (field = imp_world_next_field(p->world, field)).id != 0; ++found) {
    i = place_of(has->field_id, has->field_count, field_id(p->world, field));
    CHECK(i < has->field_count);
    if (i < has->field_count) has->fields[i] = field;
  }
  CHECK(found == has->body_count + has->shape_count + has->joint_count + has->mover_count + has->field_count);
}


// ---------------------------------------------------------------------------------------------------------------------
// Digests of all that can be read
// ---------------------------------------------------------------------------------------------------------------------


static inline uint64_t bodies_seen(const Player *p) {
  static const ImpQuantity what[] = {IMP_QUANTITY_CENTER, IMP_QUANTITY_ANGLE, IMP_QUANTITY_VELOCITY,
                                     IMP_QUANTITY_ANGULAR_VELOCITY};
  static double numbers[6 * MAX_BODIES];
  uint64_t digest = 1;
  MUST(imp_bodies_read(p->world, p->has.bodies, p->has.body_count, what, IMPI_COUNT(what), numbers, NULL));
  mix(&digest, numbers, (size_t)(6 * p->has.body_count) * sizeof *numbers);
  return digest;
}


static inline uint64_t events_seen(const Player *p) {
  uint64_t digest = 1;
  for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
    int count = 0;
    const ImpEvent *events = imp_world_events(p->world, (ImpEventKind)kind, &count);
    mix(&digest, &count, sizeof count);
    for (int i = 0; i < count; ++i) { // creation numbers are the same in all worlds
      const ImpEvent *e = &events[i];
      const double numbers[] = {e->point.x, e->point.y, e->normal.x, e->normal.y,
                                e->speed,   e->impulse, e->force,    e->torque};
      mix(&digest, &e->id_a, sizeof e->id_a);
      mix(&digest, &e->id_b, sizeof e->id_b);
      mix(&digest, numbers, sizeof numbers);
      mix(&digest, e->text, e->text != NULL ? strlen(e->text) : 0);
    }
  }
  return digest;
}


static inline void mix_contact(uint64_t *digest, ImpWorld *world, ImpContact contact) {
  ImpContactInfo info;
  MUST(imp_contact_info(world, contact, &info));
  CHECK(info.count >= 0 && info.count <= 2);
  const double numbers[] = {shape_id(world, info.shape_a),
                            shape_id(world, info.shape_b),
                            info.normal.x,
                            info.normal.y,
                            info.friction,
                            info.restitution,
                            info.rolling_resistance,
                            info.surface_speed,
                            info.speed,
                            info.rolling_impulse};
  mix(digest, numbers, sizeof numbers);
  for (int i = 0; i < info.count; ++i) {
    const ImpContactPoint *point = &info.points[i];
    const double more[] = {point->point.x,         point->point.y, point->separation, point->normal_impulse,
                           point->tangent_impulse, point->feature, point->matched};
    mix(digest, more, sizeof more);
  }
  mix_number(digest, info.enabled);
}


static inline void mix_joint(uint64_t *digest, ImpWorld *world, ImpJoint joint) {
  ImpReaction r = {0, 0, 0};
  int count = 0;
  MUST(imp_joint_reaction(world, joint, &r));
  MUST(imp_joint_coordinate_count(world, joint, &count));
  const double wrench[] = {r.x, r.y, r.torque};
  mix(digest, wrench, sizeof wrench);
  for (int i = 0; i < count; ++i) {
    ImpCoordinateInfo info = info_of(world, (ImpCoordinate){joint, i});
    const double numbers[] = {info.value, info.speed, info.force, info.mass, info.power, info.work};
    mix(digest, numbers, sizeof numbers);
  }
}


// Return a digest of the results of all getters except rows.
static inline uint64_t all_seen(const Player *p) {
  uint64_t digest = 1;
  ImpEnergy energy = imp_world_energy(p->world);
  ImpMomentum momentum = imp_world_momentum(p->world);
  mix(&digest, &energy, sizeof energy);
  mix(&digest, &momentum, sizeof momentum);
  for (ImpContact contact = {0}; (contact = imp_world_next_contact(p->world, contact)).id != 0;) {
    mix_contact(&digest, p->world, contact);
  }
  for (int i = 0; i < p->has.joint_count; ++i) mix_joint(&digest, p->world, p->has.joints[i]);
  for (int i = 0; i < p->has.body_count; ++i) {
    ImpVec2 force = contact_force(p->world, p->has.bodies[i]);
    mix(&digest, &force, sizeof force);
    mix_number(&digest, body_get(p->world, p->has.bodies[i], IMP_BODY_AWAKE));
  }
  return digest;
}


// Return a digest of the rows of the last step. It is separate because rows cannot be read inside a step.
static inline uint64_t rows_seen(const Player *p) {
  uint64_t digest = 1;
  const ImpRowInfo *rows;
  int count = 0;
  MUST(imp_world_rows(p->world, &rows, &count));
  for (int i = 0; i < count; ++i) {
    const double numbers[] = {rows[i].kind,    rows[i].index, rows[i].value, rows[i].speed, rows[i].bias,
                              rows[i].impulse, rows[i].mass,  rows[i].power, rows[i].work};
    mix(&digest, numbers, sizeof numbers);
  }
  return digest;
}

#endif
