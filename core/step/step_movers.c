// Moves the character movers before the broad phase finds pairs. For each mover:
//   1. move it with its ground, and out of the way of kinematic bodies that would hit it (find_pushes)
//   2. move it by its own velocity, up steps, and down to descending ground
//   3. store its contacts, and remove the parts of its own velocity that point into obstacles
//   4. push the dynamic bodies that it touches, and apply its weight to its ground
// Obstacles are at their poses at the end of the step. Only find_pushes sweeps kinematic bodies from their start poses.
#include <string.h>

#include "base/constants.h"
#include "step/step.h"
#include "world/bodies.h"
#include "world/contacts.h"
#include "world/mover_walk.h"
#include "world/movers.h"
#include "world/sleep.h"

// A mover that approaches a body slower than this does not push it [m/s].
#define MIN_PUSH 0.01


// ---------------------------------------------------------------------------------------------------------------------
// Motion of ground and kinematic bodies
// ---------------------------------------------------------------------------------------------------------------------


// Return the obstacle that was the mover's ground in the last step; null if the obstacle is gone.
static const ImpiObstacle *find_ground(const ImpiWalk *walk) {
  const ImpiMoverContact *ground = &walk->mover->ground;
  for (int i = 0; i < walk->world->mover.room.count && ground->serial != 0; ++i) {
    const ImpiObstacle *obstacle = &walk->world->mover.room.data[i];
    if (obstacle->serial == ground->serial && obstacle->child == ground->child) {
      return obstacle;
    }
  }
  return NULL;
}


// Return the displacement of the mover by its ground [m]. `out_turn`: sine of the ground's rotation.
static ImpVec2 carried(ImpiWalk *walk, const ImpiObstacle *obstacle, double *out_turn) {
  ImpiMoverContact *ground = &walk->mover->ground;
  *out_turn = 0;
  ImpVec2 carry = {0, 0}, normal = ground->normal;
  ImpVec2 before = impi_apply(obstacle->begin, ground->local), after = impi_apply(obstacle->end, ground->local);
  if (impi_length(impi_sub(before, ground->point)) < IMPI_MOVER_CARRY) {
    carry = impi_sub(after, ground->point); // also corrects the error of the last step's prediction
    if (ground->flat) {                     // the face may turn: keep the circular foot at the same point of the face
      normal = impi_rotate(obstacle->end.q, ground->local_normal);
      ImpVec2 turned = impi_sub(normal, ground->normal);
      carry = impi_mul_add(carry, walk->mover->value[IMP_MOVER_RADIUS] + IMPI_MOVER_SKIN, turned);
      ground->face = normal;
    }
    *out_turn = impi_inv_mul_rot(obstacle->begin.q, obstacle->end.q).s;
  }
  double belt = walk->world->shapes.data[obstacle->shape].material.surface_speed;
  ground->velocity = impi_scale(1 / walk->dt, impi_sub(after, before));
  ground->velocity = impi_mul_add(ground->velocity, belt, impi_right(ground->face));
  return impi_mul_add(carry, walk->dt * belt, impi_right(ground->face));
}


// Write a plane for each kinematic body that would hit the mover. Returns the number of planes. `carry`: displacement
// by the ground.
static int find_pushes(ImpiWalk *walk, ImpVec2 carry, const ImpiObstacle *ground, ImpiPlane *planes, int capacity) {
  int count = 0;
  for (int i = 0; i < walk->world->mover.room.count && count < capacity; ++i) {
    const ImpiObstacle *obstacle = &walk->world->mover.room.data[i];
    bool pushes = obstacle->tier == IMPI_TIER_KINEMATIC && obstacle->moves;
    ImpiTouch touch;
    if (!pushes || (ground != NULL && obstacle->body == ground->body) ||
        !impi_mover_touch(obstacle, obstacle->begin, walk->hull, walk->feet, true, &touch) ||
        touch.separation < -0.5 * walk->hull->radius) {
      continue;
    }
    ImpVec2 local = impi_inv_apply(obstacle->begin, touch.point);
    ImpVec2 gone = impi_sub(impi_apply(obstacle->end, local), touch.point), way = impi_sub(carry, gone);
    double fraction = 0;
    if (touch.separation > IMPI_MOVER_SKIN && !impi_mover_cast(obstacle, obstacle->begin, walk->hull, walk->feet, way,
                                                               0.5 * IMPI_MOVER_SKIN, 1, &fraction, &touch)) {
      continue;
    }
    ImpVec2 met = impi_mul_add(gone, fraction, way);
    planes[count++] =
        (ImpiPlane){touch.normal, impi_dot(touch.normal, met) + IMPI_MOVER_SKIN - touch.separation, obstacle->tier};
  }
  return count;
}


// ---------------------------------------------------------------------------------------------------------------------
// Own motion of the mover
// ---------------------------------------------------------------------------------------------------------------------


static double approach(double value, double target, double change) {
  return value < target ? impi_min(value + change, target) : impi_max(value - change, target);
}


// Accelerate the mover along the ground towards the speed IMP_MOVER_WALK.
static void walk_on_ground(ImpiWalk *walk) {
  ImpiMover *mover = walk->mover;
  const double *value = mover->value;
  ImpVec2 along = impi_right(mover->ground.face);
  double level = value[IMP_MOVER_CONSTANT_SPEED] != 0 || along.x <= 0 ? 1 : along.x;
  double speed =
      approach(impi_dot(mover->own, along), value[IMP_MOVER_WALK] / level, value[IMP_MOVER_ACCELERATION] * walk->dt);
  mover->own = impi_scale(speed, along);
}


// Accelerate a mover in the air: by gravity, and horizontally towards the speed IMP_MOVER_WALK.
static void fall(ImpiWalk *walk) {
  ImpiMover *mover = walk->mover;
  const double *value = mover->value;
  mover->own = impi_mul_add(mover->own, value[IMP_MOVER_GRAVITY_SCALE] * walk->dt, walk->world->settings.gravity);
  mover->own.x = impi_clamp(mover->own.x, -IMPI_MOVER_FASTEST, IMPI_MOVER_FASTEST);
  mover->own.y = impi_clamp(mover->own.y, -value[IMP_MOVER_TERMINAL_SPEED], IMPI_MOVER_FASTEST);
  double wanted = value[IMP_MOVER_WALK];
  const ImpiMoverContact *wall = &mover->wall;
  bool against = wall->serial != 0 && wall->normal.x * wanted < 0 && impi_walk_is_steep(walk, wall->normal, wall->face);
  if (wanted != 0 && !against) {
    mover->own.x = approach(mover->own.x, wanted, value[IMP_MOVER_AIR_ACCELERATION] * walk->dt);
  }
}


// Climb a step that blocks `travel`, which began at `start`. Returns false if the step cannot be climbed.
static bool climb(ImpiWalk *walk, ImpVec2 start, double travel, ImpiTouch *out_touch, int32_t *out_obstacle) {
  const ImpiMover *mover = walk->mover;
  ImpVec2 blocked = walk->feet;
  double room = mover->base + mover->value[IMP_MOVER_STEP_HEIGHT] + IMPI_MOVER_SKIN - start.y;
  if (room <= IMPI_MOVER_SKIN) {
    return false;
  }
  ImpiTouch touch;
  walk->feet = start;
  walk->feet.y += room * impi_walk_cast(walk, impi_vec(0, room), &touch, NULL);
  walk->feet.x += travel * impi_walk_cast(walk, impi_vec(travel, 0), &touch, NULL);
  ImpVec2 down = {0, start.y - walk->feet.y - IMPI_MOVER_SKIN};
  int32_t obstacle = -1;
  double fraction = impi_walk_cast(walk, down, &touch, &obstacle);
  bool farther = fabs(walk->feet.x - start.x) > fabs(blocked.x - start.x) + 1e-5;
  bool stands = obstacle >= 0 && (impi_walk_holds(walk, touch.normal) || impi_walk_holds(walk, touch.face)) &&
                touch.point.y <= mover->base + mover->value[IMP_MOVER_STEP_HEIGHT] + IMPI_MOVER_SKIN;
  if (!farther || !stands) {
    walk->feet = blocked;
    return false;
  }
  walk->feet.y += fraction * down.y;
  *out_touch = touch;
  *out_obstacle = obstacle;
  return true;
}


// Return true if the edge below the mover is a step down, not a ledge.
static bool step_is_below(ImpiWalk *walk, double direction, double depth) {
  ImpVec2 here = walk->feet;
  double ahead = direction * (walk->hull->radius + IMPI_MOVER_SKIN);
  ImpiTouch touch;
  int32_t obstacle = -1;
  walk->feet.x += ahead * impi_walk_cast(walk, impi_vec(ahead, 0), &touch, NULL);
  impi_walk_cast(walk, impi_vec(0, -depth), &touch, &obstacle);
  walk->feet = here;
  return obstacle >= 0 && impi_walk_holds(walk, touch.normal);
}


// Snap the mover down to lower ground. Returns false beyond the snap distance.
static bool snap(ImpiWalk *walk, ImpiTouch *out_touch, int32_t *out_obstacle) {
  double depth = walk->mover->value[IMP_MOVER_SNAP_DISTANCE] + IMPI_MOVER_SKIN;
  int32_t obstacle = -1;
  ImpiTouch touch;
  double fraction = impi_walk_cast(walk, impi_vec(0, -depth), &touch, &obstacle);
  if (obstacle < 0) {
    return false;
  }
  if (!impi_walk_holds(walk, touch.normal)) {
    double direction = touch.normal.x >= 0 ? 1 : -1;
    if (touch.flat || !impi_walk_holds(walk, touch.face) || !step_is_below(walk, direction, depth)) {
      return false;
    }
  }
  walk->feet.y -= fraction * depth;
  *out_touch = touch;
  *out_obstacle = obstacle;
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Weight and pushes
// ---------------------------------------------------------------------------------------------------------------------


static ImpVec2 velocity_at(const ImpWorld *world, int32_t slot, ImpVec2 point) {
  const ImpiMotion *m = &world->motions.data[slot];
  return impi_add(impi_vec(m->vx, m->vy), impi_cross_sv(m->w, impi_vec(point.x - m->x, point.y - m->y)));
}


// Effective mass at a point along a direction [kg].
static double mass_at(const ImpWorld *world, int32_t slot, ImpVec2 point, ImpVec2 direction) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  double lever = impi_cross(impi_vec(point.x - m->x, point.y - m->y), direction);
  double gives = impi_length_sq(impi_free_part(body, direction.x, direction.y));
  return 1 / (body->inv_mass * gives + body->inv_inertia * lever * lever);
}


// Apply an impulse as a force over the step. impi_movers_undo can restore the force.
static void push(ImpWorld *world, int32_t slot, ImpVec2 impulse, ImpVec2 point) {
  ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  ImpVec2 force = impi_scale(1 / world->settings.dt, impulse);
  world->mover.pushes.data[world->mover.pushes.count++] =
      (ImpiMoverPush){.body = slot, .forced = world->push.forced.count, .force = body->force, .torque = body->torque};
  if (body->force.x == 0 && body->force.y == 0 && body->torque == 0) {
    world->push.forced.data[world->push.forced.count++] = slot;
  }
  body->force = impi_add(body->force, force);
  if (body->inv_inertia > 0) {
    body->torque += impi_cross(impi_vec(point.x - m->x, point.y - m->y), force);
  }
}


// Apply the weight of a mover of mass m to its ground. If the ground is at rest, the impulse converges to m g dt.
static void press(ImpiWalk *walk, bool landed, double impact) {
  ImpWorld *world = walk->world;
  ImpiMover *mover = walk->mover;
  const ImpiMoverContact *ground = &mover->ground;
  double mass = mover->value[IMP_MOVER_MASS];
  if (ground->serial == 0 || mass == 0 || !impi_is_dynamic(&world->bodies.data[ground->body])) {
    mover->press = mover->fall_speed = 0;
    impi_mover_relieve(world, mover);
    return;
  }
  const ImpiMoverContact *pressed = &mover->pressed;
  bool same = pressed->serial != 0 && pressed->body == ground->body;
  bool elsewhere = !same || impi_length(impi_sub(pressed->local, ground->local)) > IMPI_MOVER_TOUCH;
  if (elsewhere) {
    impi_mover_relieve(world, mover);
    impi_world_wake(world, ground->body);
  }
  ImpVec2 up = {0, 1};
  double other = mass_at(world, ground->body, ground->point, up), both = 1 / (1 / mass + 1 / other);
  double g = -world->settings.gravity.y * mover->value[IMP_MOVER_GRAVITY_SCALE] * walk->dt;
  double speed = velocity_at(world, ground->body, ground->point).y, once = 0;
  if (landed) {
    mover->press = impi_max(both * g, 0);
    once = both * impi_max(impact, 0);
  } else if (same) { // a mover that walked onto another body keeps its impulse
    mover->press = impi_max(mover->press + both * (speed - mover->fall_speed + g - mover->press / mass), 0);
  }
  mover->fall_speed = speed;
  if (mover->press < 0.99 * mass * g && world->bodies.data[ground->body].awake) {
    impi_world_wake(world, ground->body); // keep the ground awake until it carries the whole weight
  }
  if (world->bodies.data[ground->body].awake) { // a sleeping body under the mover already carries the weight
    mover->pressed = *ground;
    push(world, ground->body, impi_vec(0, -(mover->press + once)), ground->point);
  }
}


// Push the dynamic bodies that the mover touches, up to the velocity `wanted`.
static void push_bodies(ImpiWalk *walk, ImpVec2 wanted) {
  ImpWorld *world = walk->world;
  double limit = walk->mover->value[IMP_MOVER_PUSH_FORCE] * walk->dt;
  for (int i = 0; i < world->mover.room.count && limit > 0; ++i) {
    const ImpiObstacle *obstacle = &world->mover.room.data[i];
    ImpiTouch touch;
    if (obstacle->tier != IMPI_TIER_DYNAMIC ||
        !impi_mover_touch(obstacle, obstacle->end, walk->hull, walk->feet, true, &touch) ||
        touch.separation > IMPI_MOVER_SKIN + 2 * IMPI_MOVER_TOUCH || impi_walk_holds(walk, touch.normal)) {
      continue;
    }
    ImpVec2 ahead = impi_neg(touch.normal), point = touch.point;
    if (fabs(ahead.y) < 1e-3) { // two vertical faces: push as near to the body's centre as possible
      double low = walk->feet.y + walk->hull->v[0].y, high = walk->feet.y + walk->hull->v[1].y;
      point.y = impi_clamp(world->motions.data[obstacle->body].y, impi_min(low, high), impi_max(low, high));
    }
    double into = impi_dot(wanted, ahead);
    double lack = into - impi_dot(velocity_at(world, obstacle->body, point), ahead);
    if (into > MIN_PUSH && lack > 0) {
      double impulse = impi_min(limit, lack * mass_at(world, obstacle->body, point, ahead));
      impi_world_wake(world, obstacle->body);
      push(world, obstacle->body, impi_scale(impulse, ahead), point);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The stage
// ---------------------------------------------------------------------------------------------------------------------


static void drive_body(ImpWorld *world, int32_t slot, ImpVec2 velocity) {
  ImpiMotion *motion = &world->motions.data[slot];
  bool moves = velocity.x != 0 || velocity.y != 0;
  motion->vx = velocity.x;
  motion->vy = velocity.y;
  motion->w = 0;
  ImpiBody *body = &world->bodies.data[slot];
  if (moves == body->awake) {
    return;
  }
  body->fast = body->fast && moves;
  body->awake = moves; // contacts wake the bodies that the mover touches; `press` wakes its ground
  world->lists_dirty = true;
  for (int32_t edge = body->first_edge; edge >= 0;) { // a mover that stops falls asleep: recheck its contacts once
    edge = impi_contact_look_again(world, edge >> 1)->edge[edge & 1].next;
  }
}


// Move the mover by its own velocity, up steps and down to descending ground.
static void go(ImpiWalk *walk, ImpVec2 travel, bool stood) {
  ImpVec2 start = walk->feet;
  ImpiTouch touch;
  int32_t obstacle = -1;
  walk->level = stood;
  impi_walk_slide(walk, travel, NULL, 0);
  bool blocked = fabs(travel.x) > 1e-9 && (walk->feet.x - start.x) * travel.x < 0.98 * travel.x * travel.x;
  bool holds = stood && blocked && climb(walk, start, travel.x, &touch, &obstacle);
  if (stood && !holds && !impi_walk_stands(walk)) {
    holds = snap(walk, &touch, &obstacle);
  }
  if (holds) {
    walk->level = false;
    impi_walk_slide(walk, impi_vec(0, 0), NULL, 0); // restore the distance between the mover and surfaces
  }
  impi_walk_look(walk, holds ? &touch : NULL, obstacle);
}


static void advance(ImpiWalk *walk) {
  enum { MAX_PUSHES = 8 };
  ImpiMover *mover = walk->mover;
  double *value = mover->value;
  ImpVec2 from = walk->feet, carry = {0, 0};
  bool stood = value[IMP_MOVER_GROUNDED] != 0;
  walk->squeezed = false;
  const ImpiObstacle *ground = stood ? find_ground(walk) : NULL;
  if (stood && ground == NULL) {
    impi_mover_take_off(mover);
    stood = false;
  }
  if (ground != NULL) {
    double turn;
    carry = carried(walk, ground, &turn);
    value[IMP_MOVER_TURNED] += turn;
    mover->base += carry.y;
  }
  ImpiPlane pushes[MAX_PUSHES];
  int count = find_pushes(walk, carry, ground, pushes, MAX_PUSHES);
  if (count > 0 || carry.x != 0 || carry.y != 0) {
    walk->carrier = ground != NULL ? ground->body : -1;
    walk->level = false;
    impi_walk_slide(walk, carry, pushes, count);
  }
  if (stood) {
    walk_on_ground(walk);
  } else {
    fall(walk);
  }
  ImpVec2 wanted = mover->own, frame = stood ? mover->ground.velocity : impi_vec(0, 0);
  int32_t bearer = stood ? mover->ground.body : -1;
  wanted = impi_add(wanted, frame);
  go(walk, impi_scale(walk->dt, mover->own), stood);
  bool stands = mover->ground.serial != 0, other = stands && mover->ground.body != bearer;
  double impact = 0;
  if (other) { // from here on the mover's own velocity is relative to the new ground
    impact = mover->ground.velocity.y - mover->own.y - frame.y;
    mover->own = impi_add(mover->own, impi_sub(frame, mover->ground.velocity));
    frame = mover->ground.velocity;
  } else if (stood && !stands) {
    mover->own = value[IMP_MOVER_INHERIT_VELOCITY] != 0 ? wanted : mover->own;
    frame = impi_vec(0, 0);
  }
  impi_walk_clip(walk, frame);
  value[IMP_MOVER_GROUNDED] = stands;
  value[IMP_MOVER_AIR_TIME] = stands ? 0 : value[IMP_MOVER_AIR_TIME] + walk->dt;
  value[IMP_MOVER_SQUEEZED] = walk->squeezed;
  mover->drop_time = impi_max(mover->drop_time - walk->dt, 0);
  push_bodies(walk, wanted);
  press(walk, !stood || mover->press == 0, impact);
  mover->feet = walk->feet;
  ImpVec2 way = impi_sub(walk->feet, from); // a displacement below 1e-10 m is rounding
  drive_body(walk->world, mover->body, impi_scale(impi_length_sq(way) < 1e-20 ? 0 : 1 / walk->dt, way));
}


ImpStatus impi_movers_step(ImpWorld *world) {
  impi_movers_close_gaps(world);
  int count = world->mover.list.count;
  world->mover.kept.count = world->mover.pushes.count = 0;
  if (count == 0) {
    return IMP_OK;
  }
  if (!impi_reserve(&world->heap, &world->mover.kept, count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  for (int i = 0; i < count; ++i) {
    const ImpiMover *mover = &world->mover.list.data[i];
    world->mover.kept.data[i] = (ImpiMoverKept){*mover, world->motions.data[mover->body]};
  }
  world->mover.kept.count = count;
  for (int i = 0; i < count; ++i) {
    ImpiMover *mover = &world->mover.list.data[i];
    if (!world->bodies.data[mover->body].enabled) {
      continue;
    }
    if (mover->value[IMP_MOVER_AUTOMATIC] == 0) { // a mover that a script moves does not move by itself
      drive_body(world, mover->body, impi_vec(0, 0));
      continue;
    }
    ImpiWalk walk;
    ImpStatus status = impi_walk_begin(world, i, world->settings.dt, (double)NAN, &walk);
    if (status != IMP_OK) {
      impi_movers_undo(world);
      return status;
    }
    advance(&walk);
  }
  return IMP_OK;
}


// Undo impi_movers_step: restore the movers and the applied forces of pushed bodies.
void impi_movers_undo(ImpWorld *world) {
  for (int i = world->mover.pushes.count - 1; i >= 0; --i) {
    const ImpiMoverPush *kept = &world->mover.pushes.data[i];
    world->bodies.data[kept->body].force = kept->force;
    world->bodies.data[kept->body].torque = kept->torque;
    world->push.forced.count = kept->forced;
  }
  for (int i = 0; i < world->mover.kept.count; ++i) {
    ImpiMover *mover = &world->mover.list.data[i];
    const ImpiMotion *motion = &world->mover.kept.data[i].motion;
    *mover = world->mover.kept.data[i].mover;
    ImpiBody *body = &world->bodies.data[mover->body]; // written directly, because a setter would wake other bodies
    world->motions.data[mover->body] = *motion;
    world->lists_dirty = world->lists_dirty || body->awake != impi_moves(motion);
    body->awake = impi_moves(motion);
  }
  world->mover.pushes.count = world->mover.kept.count = 0;
}
