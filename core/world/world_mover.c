// Movers of a world: creation and destruction, settings, jumping, crouching and moving by a script.
#include "base/constants.h"
#include "model/property_lines.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/mover_walk.h"
#include "world/movers.h"
#include "world/sleep.h"

#include <math.h>

// Ranges of lengths and speeds of a mover [m, m/s].
#define LENGTH 0, IMPI_WARN_COORDINATE
#define SIZE 1e-3, IMPI_WARN_COORDINATE

#define DEFINITION ImpMoverDef
static const ImpPropertyInfo properties[] = {
    [IMP_MOVER_ID] = {"id", IMP_INTEGER, false, 1, IMPI_MAX_COUNT, "1", "creation number of the mover's body", 0},
    VALUE(IMP_MOVER_HEIGHT, "height", IMP_NUMBER, false, SIZE, "m",
          "height from feet to head; 1.8 by default; set_height changes it"),
    VALUE(IMP_MOVER_RADIUS, "radius", IMP_NUMBER, false, SIZE, "m", "half the width of the mover; 0.3 by default"),
    VALUE(IMP_MOVER_WALK, "walk", IMP_NUMBER, true, -IMPI_WARN_COORDINATE, IMPI_WARN_COORDINATE, "m/s",
          "speed along the ground, positive to the right. In the air the mover accelerates until its horizontal "
          "speed is `walk`, unless `walk` is 0; 0 by default"),
    VALUE(IMP_MOVER_MAX_SLOPE, "max_slope", IMP_NUMBER, true, 0, 1.5, "rad",
          "steepest slope that the mover stands on and climbs; pi / 4 by default"),
    VALUE(IMP_MOVER_STEP_HEIGHT, "step_height", IMP_NUMBER, true, LENGTH, "m",
          "height of the highest step that the mover climbs; a sixth of the mover's height by default"),
    VALUE(IMP_MOVER_SNAP_DISTANCE, "snap_distance", IMP_NUMBER, true, LENGTH, "m",
          "largest descent of the ground that the mover follows without falling; a sixth of the mover's height by "
          "default"),
    VALUE(IMP_MOVER_PUSH_FORCE, "push_force", IMP_NUMBER, true, NOT_NEGATIVE, "N",
          "largest force with which the mover pushes dynamic bodies; 300 by default"),
    VALUE(IMP_MOVER_MASS, "mass", IMP_NUMBER, true, NOT_NEGATIVE, "kg",
          "mass of the mover: its weight acts on dynamic bodies below the mover; 0: no weight; 70 by default"),
    VALUE(IMP_MOVER_GRAVITY_SCALE, "gravity_scale", IMP_NUMBER, true, -IMP_MAX_RATIO, IMP_MAX_RATIO, "1",
          "factor on the world's gravity; 1 by default"),
    VALUE(IMP_MOVER_TERMINAL_SPEED, "terminal_speed", IMP_NUMBER, true, LENGTH, "m/s",
          "largest speed of a fall; 50 by default"),
    VALUE(IMP_MOVER_ACCELERATION, "acceleration", IMP_NUMBER, true, NOT_NEGATIVE, "m/s^2",
          "acceleration with which the speed on the ground approaches `walk`; 60 by default"),
    VALUE(IMP_MOVER_AIR_ACCELERATION, "air_acceleration", IMP_NUMBER, true, NOT_NEGATIVE, "m/s^2",
          "acceleration with which the horizontal speed in the air approaches `walk`, if `walk` is not 0; 20 by "
          "default. 0: only the script changes the horizontal speed in the air"),
    VALUE(
        IMP_MOVER_CONSTANT_SPEED, "constant_speed", IMP_BOOLEAN, true, TRUTH, "",
        "true: `walk` is the speed along a slope; false: `walk` is the horizontal part of this speed; true by default"),
    VALUE(IMP_MOVER_INHERIT_VELOCITY, "inherit_velocity", IMP_BOOLEAN, true, TRUTH, "",
          "whether the mover keeps the velocity of the ground when it leaves the ground; true by default"),
    VALUE(IMP_MOVER_AUTOMATIC, "automatic", IMP_BOOLEAN, true, TRUTH, "",
          "true: the mover moves in every step; false: it moves only if the script calls move(); true by default"),
    [IMP_MOVER_GROUNDED] = {"grounded", IMP_BOOLEAN, false, TRUTH, "", "the mover stands on the ground", 0},
    [IMP_MOVER_SLIDING] = {"sliding", IMP_BOOLEAN, false, TRUTH, "",
                           "the mover is on a slope that is too steep to stand on", 0},
    [IMP_MOVER_ON_WALL] = {"on_wall", IMP_BOOLEAN, false, TRUTH, "",
                           "the mover touches a wall that is at most 30 degrees from vertical", 0},
    [IMP_MOVER_ON_CEILING] = {"on_ceiling", IMP_BOOLEAN, false, TRUTH, "", "the head of the mover touches a shape", 0},
    [IMP_MOVER_SQUEEZED] = {"squeezed", IMP_BOOLEAN, false, TRUTH, "",
                            "a moving obstacle overlaps the mover, which had no room to move away", 0},
    [IMP_MOVER_AIR_TIME] = {"air_time", IMP_NUMBER, false, 0, HUGE_VAL, "s",
                            "time since the mover last stood on the ground, for jumps shortly after leaving an edge "
                            "(coyote time). From a jump until the mover stands again it is infinite",
                            0},
    [IMP_MOVER_TURNED] = {"turned", IMP_NUMBER, false, -HUGE_VAL, HUGE_VAL, "rad",
                          "total rotation of the ground while the mover stood on it; the mover itself stays upright",
                          0},
};
IMPI_COVERS(properties, IMP_MOVER_PROPERTY_COUNT);


const ImpPropertyInfo *imp_mover_property(int property) {
  return property >= 0 && property < IMP_MOVER_PROPERTY_COUNT ? &properties[property] : NULL;
}


ImpMoverDef imp_mover_def(void) {
  ImpMoverDef def = {.friction = 0.6, .category = 1, .mask = UINT64_MAX};
  def.value[IMP_MOVER_HEIGHT] = 1.8;
  def.value[IMP_MOVER_RADIUS] = 0.3;
  def.value[IMP_MOVER_MAX_SLOPE] = IMPI_PI / 4;
  def.value[IMP_MOVER_STEP_HEIGHT] = def.value[IMP_MOVER_SNAP_DISTANCE] = (double)NAN;
  def.value[IMP_MOVER_PUSH_FORCE] = 300;
  def.value[IMP_MOVER_MASS] = 70;
  def.value[IMP_MOVER_GRAVITY_SCALE] = 1;
  def.value[IMP_MOVER_TERMINAL_SPEED] = 50;
  def.value[IMP_MOVER_ACCELERATION] = 60;
  def.value[IMP_MOVER_AIR_ACCELERATION] = 20;
  def.value[IMP_MOVER_CONSTANT_SPEED] = def.value[IMP_MOVER_INHERIT_VELOCITY] = def.value[IMP_MOVER_AUTOMATIC] = 1;
  return def;
}


// ---------------------------------------------------------------------------------------------------------------------
// Creation and destruction
// ---------------------------------------------------------------------------------------------------------------------


static ImpStatus check_height(double height, double radius) {
  // The core of the capsule must have some length, so that the shape is not a circle.
  if (!(height >= 2 * radius + IMPI_MIN_LENGTH)) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     "mover.height must be at least 2 * radius + %g m, which is %g m for this mover, got %g m",
                     IMPI_MIN_LENGTH, 2 * radius + IMPI_MIN_LENGTH, height);
  }
  return IMP_OK;
}


static ImpStatus check_def(const ImpMoverDef *def) {
  for (int i = 0; i < IMP_MOVER_PROPERTY_COUNT; ++i) {
    ImpPropertyInfo info = properties[i];
    info.writable = true;
    ImpStatus status = info.definition > 0 ? impi_check_property(&info, def->value[i], "mover") : IMP_OK;
    if (status != IMP_OK) {
      return status;
    }
  }
  ImpStatus status = impi_check_vector(def->position, IMPI_MAX_COORDINATE, "mover.position", "m");
  status = status == IMP_OK ? impi_check_vector(def->velocity, IMPI_MAX_COORDINATE, "mover.velocity", "m/s") : status;
  return status == IMP_OK ? check_height(def->value[IMP_MOVER_HEIGHT], def->value[IMP_MOVER_RADIUS]) : status;
}


static ImpStatus add_shape(ImpWorld *world, ImpBody body, const ImpMoverDef *def) {
  double radius = def->value[IMP_MOVER_RADIUS];
  ImpShapeDef shape = imp_shape_def();
  shape.friction = def->friction;
  shape.category = def->category;
  shape.mask = def->mask;
  shape.group = def->group;
  ImpShape made;
  return impi_body_add_capsule(world, body, &shape, impi_vec(0, radius),
                               impi_vec(0, def->value[IMP_MOVER_HEIGHT] - radius), radius, &made);
}


ImpStatus impi_mover_create(ImpWorld *world, const ImpMoverDef *given, ImpMover *out_mover) {
  ImpMoverDef def = *given;
  double *value = def.value;
  for (int i = IMP_MOVER_STEP_HEIGHT; i <= IMP_MOVER_SNAP_DISTANCE; ++i) {
    value[i] = value[i] == value[i] ? value[i] : value[IMP_MOVER_HEIGHT] / 6;
  }
  ImpStatus status = check_def(&def);
  if (status == IMP_OK && !impi_reserve(&world->heap, &world->mover.list, world->mover.list.count + 1)) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (status == IMP_OK && world->stepping) {
    status = impi_fail(IMP_ERR_STATE,
                       "a mover cannot be made inside a step: make it in a \"step\" handler or after the step");
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpBodyDef body_def = imp_body_def();
  body_def.type = IMP_BODY_KINEMATIC;
  body_def.name = def.name;
  body_def.position = def.position;
  body_def.velocity = def.velocity;
  body_def.user_data = def.user_data;
  ImpBody body;
  status = impi_body_create(world, &body_def, &body);
  if (status != IMP_OK) {
    return status;
  }
  status = add_shape(world, body, &def);
  if (status != IMP_OK) {
    impi_body_destroy(world, body);
    world->body_serial--; // take back the creation number of the body
    return status;
  }
  int32_t slot = impi_pool_find(&world->body_pool, body.id, world->tag);
  ImpiMover *mover = &world->mover.list.data[world->mover.list.count++];
  *mover = (ImpiMover){.body = slot, .own = def.velocity, .feet = def.position, .base = def.position.y};
  for (int i = 0; i < IMP_MOVER_GROUNDED; ++i) {
    mover->value[i] = value[i];
  }
  mover->value[IMP_MOVER_ID] = (double)world->bodies.data[slot].serial;
  world->bodies.data[slot].mover = world->mover.list.count;
  *out_mover = (ImpMover){body.id};
  return IMP_OK;
}


void impi_movers_free(ImpWorld *world) {
  impi_array_free(&world->heap, &world->mover.list);
  impi_array_free(&world->heap, &world->mover.room);
  impi_array_free(&world->heap, &world->mover.kept);
  impi_array_free(&world->heap, &world->mover.pushes);
}


ImpStatus impi_mover_destroy(ImpWorld *world, ImpMover handle) {
  IMPI_FIND_MOVER(world, handle, mover);
  return impi_body_destroy(world, (ImpBody){handle.id});
}


bool imp_mover_is_valid(const ImpWorld *world, ImpMover mover) { return impi_mover_find(world, mover) >= 0; }


ImpMover imp_body_mover(const ImpWorld *world, ImpBody body) {
  return (ImpMover){impi_mover_find(world, (ImpMover){body.id}) >= 0 ? body.id : 0};
}


ImpMover imp_world_next_mover(const ImpWorld *world, ImpMover previous) {
  int32_t next = previous.id == 0 ? world->mover.first_free : impi_mover_find(world, previous) + 1;
  if (previous.id != 0 && next == 0) {
    return (ImpMover){0};
  }
  for (; next < world->mover.list.count; ++next) {
    int32_t body = world->mover.list.data[next].body;
    // Skip movers whose body was destroyed inside this step.
    if (body >= 0 && world->body_pool.slots.data[body].next_free == IMPI_SLOT_LIVE) {
      return (ImpMover){impi_body_handle(world, body).id};
    }
  }
  return (ImpMover){0};
}


ImpStatus imp_mover_body(const ImpWorld *world, ImpMover handle, ImpBody *out_body) {
  IMPI_FIND_MOVER(world, handle, mover);
  *out_body = (ImpBody){handle.id};
  return IMP_OK;
}


ImpStatus imp_mover_definition(const ImpWorld *world, ImpMover handle, ImpMoverDef *out_def) {
  IMPI_FIND_MOVER(world, handle, mover);
  const ImpiBody *body = &world->bodies.data[mover->body];
  const ImpiShape *shape = &world->shapes.data[body->first_shape];
  *out_def = imp_mover_def();
  out_def->name = body->name;
  out_def->position = impi_body_frame(body, &world->motions.data[mover->body]).p;
  imp_mover_velocity(world, handle, &out_def->velocity);
  for (int i = 0; i < IMP_MOVER_PROPERTY_COUNT; ++i) {
    out_def->value[i] = properties[i].definition > 0 ? mover->value[i] : out_def->value[i];
  }
  out_def->friction = shape->material.friction;
  out_def->category = shape->filter.category;
  out_def->mask = shape->filter.mask;
  out_def->group = shape->filter.group;
  out_def->user_data = body->user_data;
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Getters and setters
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus imp_mover_get(const ImpWorld *world, ImpMover handle, ImpMoverProperty property, double *out_value) {
  IMPI_FIND_MOVER(world, handle, mover);
  if (imp_mover_property((int)property) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "a mover has no such property");
  }
  *out_value = mover->value[property];
  return IMP_OK;
}


ImpStatus impi_mover_set(ImpWorld *world, ImpMover handle, ImpMoverProperty property, double value) {
  IMPI_FIND_MOVER(world, handle, mover);
  ImpStatus status = impi_check_property(imp_mover_property((int)property), value, "mover");
  if (status != IMP_OK) {
    return status;
  }
  if ((property == IMP_MOVER_MASS || property == IMP_MOVER_GRAVITY_SCALE) && mover->value[property] != value) {
    impi_mover_relieve(world, mover);
  }
  mover->value[property] = value;
  return IMP_OK;
}


ImpStatus imp_mover_velocity(const ImpWorld *world, ImpMover handle, ImpVec2 *out_velocity) {
  IMPI_FIND_MOVER(world, handle, mover);
  *out_velocity = impi_add(mover->own, impi_mover_frame(mover));
  return IMP_OK;
}


static ImpStatus write_touch(const ImpWorld *world, const ImpiMoverContact *contact, bool *out_found,
                             ImpMoverTouch *out_touch) {
  *out_found = impi_mover_meets(world, contact);
  if (*out_found) {
    *out_touch = (ImpMoverTouch){impi_body_handle(world, contact->body), impi_shape_handle(world, contact->shape),
                                 contact->point, contact->normal, contact->velocity};
  }
  return IMP_OK;
}


ImpStatus imp_mover_ground(const ImpWorld *world, ImpMover handle, bool *out_found, ImpMoverTouch *out_touch) {
  IMPI_FIND_MOVER(world, handle, mover);
  return write_touch(world, &mover->ground, out_found, out_touch);
}


ImpStatus imp_mover_wall(const ImpWorld *world, ImpMover handle, bool *out_found, ImpMoverTouch *out_touch) {
  IMPI_FIND_MOVER(world, handle, mover);
  return write_touch(world, &mover->wall, out_found, out_touch);
}


ImpStatus imp_mover_ceiling(const ImpWorld *world, ImpMover handle, bool *out_found, ImpMoverTouch *out_touch) {
  IMPI_FIND_MOVER(world, handle, mover);
  return write_touch(world, &mover->ceiling, out_found, out_touch);
}


// ---------------------------------------------------------------------------------------------------------------------
// Actions
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus impi_mover_jump(ImpWorld *world, ImpMover handle, double speed) {
  IMPI_FIND_MOVER(world, handle, mover);
  if (!(speed >= 0 && speed <= IMPI_MAX_COORDINATE)) {
    return impi_fail(IMP_ERR_ARGUMENT, "the speed of a jump must be from 0 to %g m/s, got %g", IMPI_MAX_COORDINATE,
                     speed);
  }
  mover->own.y = speed;
  impi_mover_take_off(mover);
  mover->value[IMP_MOVER_AIR_TIME] = HUGE_VAL;
  return IMP_OK;
}


ImpStatus impi_mover_drop_through(ImpWorld *world, ImpMover handle, bool *out_drops) {
  IMPI_FIND_MOVER(world, handle, mover);
  bool stands;
  ImpMoverTouch touch;
  write_touch(world, &mover->ground, &stands, &touch);
  const ImpiShape *shape = stands ? &world->shapes.data[mover->ground.shape] : NULL;
  *out_drops = stands && (shape->one_way.x != 0 || shape->one_way.y != 0);
  if (*out_drops) {
    mover->drop_time = IMPI_MOVER_DROP_TIME;
    impi_mover_take_off(mover);
  }
  return IMP_OK;
}


static ImpStatus check_outside(const ImpWorld *world) {
  return world->stepping
             ? impi_fail(IMP_ERR_STATE,
                         "a mover cannot be changed inside a step: change it in a \"step\" handler or after the step")
             : IMP_OK;
}


ImpStatus impi_mover_set_height(ImpWorld *world, ImpMover handle, double height, bool *out_done) {
  IMPI_FIND_MOVER(world, handle, mover);
  double radius = mover->value[IMP_MOVER_RADIUS], old = mover->value[IMP_MOVER_HEIGHT];
  ImpPropertyInfo info = properties[IMP_MOVER_HEIGHT];
  info.writable = true;
  ImpStatus status = check_outside(world);
  status = status == IMP_OK ? impi_check_property(&info, height, "mover") : status;
  status = status == IMP_OK ? check_height(height, radius) : status;
  ImpiGeometry geometry;
  if (status == IMP_OK) {
    status = impi_geometry_capsule(&world->heap, impi_vec(0, radius), impi_vec(0, height - radius), radius, &geometry);
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpiWalk walk;
  ImpiMover kept = *mover;
  status = impi_walk_begin(world, mover_index, 0, impi_max(height - old, 0), &walk);
  *mover = kept;
  // To stand up, the hull must be able to move up by the difference of the heights.
  if (status != IMP_OK || (height > old && impi_walk_cast(&walk, impi_vec(0, height - old), NULL, NULL) < 1)) {
    impi_geometry_free(&world->heap, &geometry);
    if (status == IMP_OK) {
      *out_done = false;
    }
    return status;
  }
  ImpiShape *shape = &world->shapes.data[world->bodies.data[mover->body].first_shape];
  impi_geometry_free(&world->heap, &shape->geometry);
  shape->geometry = geometry;
  mover->value[IMP_MOVER_HEIGHT] = height;
  impi_shape_update_mass(world, world->bodies.data[mover->body].first_shape);
  impi_body_refit(world, mover->body);
  for (int32_t edge = world->bodies.data[mover->body].first_edge; edge >= 0;) {
    ImpiContact *contact = impi_contact_look_again(world, edge >> 1);
    edge = contact->edge[edge & 1].next;
    contact->flags &= ~(uint32_t)IMPI_CONTACT_FRESH;
  }
  world->lists_dirty = true;
  impi_world_wake_neighbours(world, mover->body);
  *out_done = true;
  return IMP_OK;
}


ImpStatus impi_mover_move(ImpWorld *world, ImpMover handle, ImpVec2 way, ImpVec2 *out_moved) {
  IMPI_FIND_MOVER(world, handle, mover);
  ImpiWalk walk;
  ImpStatus status = impi_check_vector(way, IMPI_MAX_COORDINATE, "the displacement of a mover", "m");
  status = status == IMP_OK ? check_outside(world) : status;
  status = status == IMP_OK ? impi_walk_begin(world, mover_index, 0, impi_length(way), &walk) : status;
  if (status != IMP_OK) {
    return status;
  }
  ImpVec2 from = walk.feet;
  walk.level = mover->value[IMP_MOVER_GROUNDED] != 0;
  impi_walk_slide(&walk, way, NULL, 0);
  if (walk.level && way.y > 0) { // the mover was lifted off the ground
    mover->value[IMP_MOVER_GROUNDED] = 0;
  }
  impi_walk_look(&walk, NULL, -1);
  mover->value[IMP_MOVER_GROUNDED] = mover->ground.serial != 0;
  mover->value[IMP_MOVER_SQUEEZED] = walk.squeezed;
  mover->feet = walk.feet;
  bool noted = mover->body < world->placed.count, placed = noted && world->placed.data[mover->body];
  impi_body_finish_set_position(world, mover->body, walk.feet);
  if (noted) world->placed.data[mover->body] = placed; // a walking mover is not teleported
  *out_moved = impi_sub(walk.feet, from);
  return IMP_OK;
}


bool impi_mover_stands_on(const ImpWorld *world, const ImpiContact *contact) {
  for (int side = 0; side < 2; ++side) {
    int32_t own = side == 0 ? contact->body_a : contact->body_b, other = side == 0 ? contact->body_b : contact->body_a;
    int32_t mover = world->bodies.data[own].mover;
    if (mover == 0 || !impi_is_dynamic(&world->bodies.data[other])) {
      continue;
    }
    const ImpiMoverContact *ground = &world->mover.list.data[mover - 1].ground;
    double up = side == 0 ? -contact->normal.y : contact->normal.y; // y of the normal that points towards the mover
    if (up > IMPI_MOVER_BELOW || (ground->serial != 0 && ground->body == other)) {
      return true;
    }
  }
  return false;
}
