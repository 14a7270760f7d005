// Validation of bodies: lists, numbers, rings of sleeping bodies, kinematic targets, movers.
#include "snapshot/world_valid.h"
#include "world/bodies.h"

#include <string.h>


static bool motion_is_valid(ImpiValidity *validity, const ImpiBody *body, const ImpiMotion *m, int32_t slot) {
  ImpRot q = {m->c, m->s};
  IMPI_VALID(fabs(q.c * q.c + q.s * q.s - 1) < 1e-9, "body", slot,
             "the squares of its angle's cosine and sine do not sum to 1");
  bool turns = m->w != 0, moves = turns || m->vx != 0 || m->vy != 0, dynamic = impi_is_dynamic(body);
  IMPI_VALID(body->type != IMP_BODY_STATIC || !(moves || body->awake), "body", slot,
             "it is static, but moves or is awake");
  IMPI_VALID(body->type != IMP_BODY_KINEMATIC || body->awake == (moves && body->enabled), "body", slot,
             "a kinematic body must be awake when it moves, and asleep when it rests");
  IMPI_VALID(body->type != IMP_BODY_PARTICLE || !(turns || m->angle != 0), "body", slot,
             "it is a particle, but rotates");
  IMPI_VALID(!dynamic || !((body->locks & 1u && m->vx != 0) || (body->locks & 2u && m->vy != 0)), "body", slot,
             "it has a velocity along an axis that lock_x or lock_y locks");
  IMPI_VALID(body->enabled || !body->awake, "body", slot, "it is awake, but disabled");
  IMPI_VALID(body->awake || !body->fast, "body", slot, "it is marked as fast, but not awake");
  IMPI_VALID(!(dynamic && body->enabled && !body->awake && moves), "body", slot, "it is asleep, but moves");
  return true;
}


static bool mass_is_valid(ImpiValidity *validity, const ImpiBody *body, int32_t slot) {
  bool dynamic = impi_is_dynamic(body);
  bool turns = body->type == IMP_BODY_DYNAMIC && body->inertia > 0 && !body->fixed_rotation;
  IMPI_VALID(dynamic ? impi_within(body->mass, IMPI_MIN_MASS, IMPI_HUGE) && body->inv_mass == 1 / body->mass
                     : body->mass == 0 && body->inv_mass == 0,
             "body", slot, "its mass or the inverse of its mass is invalid");
  IMPI_VALID((dynamic || body->inertia == 0) && body->inv_inertia == (turns ? 1 / body->inertia : 0) &&
                 body->inv_inertia <= IMPI_HUGE,
             "body", slot, "its inertia or the inverse of its inertia is invalid");
  IMPI_VALID(impi_is_none_or_fits(imp_body_property(IMP_BODY_MASS), body->given_mass) &&
                 impi_is_none_or_fits(imp_body_property(IMP_BODY_INERTIA), body->given_inertia),
             "body", slot, "the mass or inertia that the script set is out of range");
  return true;
}


// Check that the displacements of a body in its last two time windows are in range.
static bool rest_is_valid(const ImpiRest *rest) {
  bool valid = true;
  for (int i = 0; i < 3; ++i) {
    double most = 2 * (i < 2 ? IMPI_MAX_COORDINATE : IMP_MAX_ANGLE);
    valid = valid && fabs((double)rest->last[i]) <= most && fabs((double)rest->before[i]) <= most;
  }
  return valid;
}


static bool body_is_valid(ImpiValidity *validity, const ImpiBounds *bodies, const ImpiBounds *motions, int32_t slot) {
  const ImpWorld *world = validity->world;
  const ImpiBody *body = &world->bodies.data[slot];
  const char *unfit = impi_out_of_bounds(bodies, body);
  unfit = unfit == NULL ? impi_out_of_bounds(motions, &world->motions.data[slot]) : unfit;
  const ImpPropertyInfo *property = impi_unfit_property(impi_body_properties, IMP_BODY_PROPERTY_COUNT, body);
  IMPI_VALID(unfit == NULL && property == NULL, "body", slot, unfit != NULL ? unfit : property->name);
  IMPI_VALID(
      body->pushed == 0 && body->kinematic_target >= 0 &&
          body->kinematic_target <= world->push.kinematic_targets.count &&
          (body->kinematic_target == 0 || world->push.kinematic_targets.data[body->kinematic_target - 1].body == slot),
      "body", slot, "the kinematic target stored for it belongs to another body");
  IMPI_VALID(body->mover >= 0 && body->mover <= world->mover.list.count &&
                 (body->mover == 0 || world->mover.list.data[body->mover - 1].body == slot),
             "body", slot, "the mover stored for it belongs to another body");
  IMPI_VALID(rest_is_valid(&body->rest), "body", slot, "its displacement in the last step is out of range");
  return motion_is_valid(validity, body, &world->motions.data[slot], slot) && mass_is_valid(validity, body, slot);
}


// Check that sleeping bodies form rings, that every other body is a ring of one, and that no body is in two rings.
static bool rings_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  bool valid = true;
  for (int32_t slot = 0; slot < world->bodies.count && valid; ++slot) {
    if (!impi_is_live(&world->body_pool, slot)) {
      continue;
    }
    const ImpiBody *body = &world->bodies.data[slot];
    int32_t next = body->sleep_next;
    bool sleeps = impi_is_dynamic(body) && body->enabled && !body->awake;
    valid = impi_is_live(&world->body_pool, next) && (sleeps || next == slot) && validity->room[next]++ == 0;
    if (valid && sleeps) {
      const ImpiBody *other = &world->bodies.data[next];
      valid = impi_is_dynamic(other) && other->enabled && !other->awake;
    }
    if (!valid) {
      impi_invalid(validity, "body", slot, "the bodies of its sleeping island do not form a closed list");
    }
  }
  memset(validity->room, 0, validity->room_count * sizeof *validity->room);
  return valid;
}


static bool kinematic_targets_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  const ImpiBounds bounds = impi_bounds_of(&impi_kinematic_target_layout);
  for (int32_t i = 0; i < world->push.kinematic_targets.count; ++i) {
    const ImpiKinematicTarget *kinematic_target = &world->push.kinematic_targets.data[i];
    IMPI_VALID(impi_is_live(&world->body_pool, kinematic_target->body) &&
                   world->bodies.data[kinematic_target->body].kinematic_target == i + 1 &&
                   world->bodies.data[kinematic_target->body].type == IMP_BODY_KINEMATIC && !kinematic_target->moving,
               "target", i, "no kinematic body has this target");
    const char *unfit = impi_out_of_bounds(&bounds, kinematic_target);
    IMPI_VALID(unfit == NULL, "target", i, unfit);
  }
  return true;
}


bool impi_bodies_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  int32_t count = 0, previous = -1, limited = 0, ground = world->ground;
  IMPI_VALID(world->motions.count == world->bodies.count, "body", -1,
             "the number of stored velocities does not match the number of bodies");
  IMPI_VALID(ground == -1 || (impi_is_live(&world->body_pool, ground) && world->bodies.data[ground].serial == 0 &&
                              world->bodies.data[ground].type == IMP_BODY_STATIC),
             "body", ground, "the ground must be a static body");
  for (int32_t slot = world->first_body; slot != -1; slot = world->bodies.data[slot].next) {
    IMPI_VALID(impi_is_live(&world->body_pool, slot) && slot != ground, "body", slot,
               "a destroyed body is in the list of bodies");
    const ImpiBody *body = &world->bodies.data[slot];
    IMPI_VALID(body->previous == previous && body->serial <= world->body_serial &&
                   body->serial > (previous >= 0 ? world->bodies.data[previous].serial : 0),
               "body", slot, "the list of bodies is not in the order of creation");
    previous = slot;
    limited += impi_body_is_limited(body);
    ++count;
  }
  IMPI_VALID(world->last_body == previous && count + (ground >= 0) == world->body_pool.live, "body", -1,
             "some bodies are missing from the list of bodies");
  IMPI_VALID(world->push.limited_bodies == limited, "body", -1,
             "the stored number of bodies with max_speed or max_angular_speed is wrong");
  const ImpiBounds bodies = impi_bounds_of(&impi_body_layout), motions = impi_bounds_of(&impi_motion_layout);
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    if (impi_is_live(&world->body_pool, slot)) {
      if (!body_is_valid(validity, &bodies, &motions, slot)) return false;
    } else {
      IMPI_VALID(world->bodies.data[slot].name == NULL, "body", slot, "a destroyed body has a name");
    }
  }
  return rings_are_valid(validity) && kinematic_targets_are_valid(validity);
}


// ---------------------------------------------------------------------------------------------------------------------
// Movers
// ---------------------------------------------------------------------------------------------------------------------


static bool touch_is_valid(const ImpWorld *world, const ImpiMoverContact *touch) {
  bool there = touch->body >= 0 && touch->body < world->bodies.count && touch->shape >= 0 &&
               touch->shape < world->shapes.count && touch->child >= 0;
  return touch->serial == 0 || there;
}


static bool mover_is_valid(ImpiValidity *validity, const ImpiBounds *bounds, int32_t index) {
  const ImpWorld *world = validity->world;
  const ImpiMover *mover = &world->mover.list.data[index];
  IMPI_VALID(impi_is_live(&world->body_pool, mover->body) && world->bodies.data[mover->body].mover == index + 1 &&
                 world->bodies.data[mover->body].type == IMP_BODY_KINEMATIC,
             "mover", index, "the mover has no kinematic body");
  int32_t shape = world->bodies.data[mover->body].first_shape;
  IMPI_VALID(shape >= 0 && world->shapes.data[shape].geometry.type == IMP_SHAPE_CAPSULE, "mover", index,
             "the mover's body has no capsule");
  for (int i = 0; i < IMP_MOVER_PROPERTY_COUNT; ++i) {
    const ImpPropertyInfo *info = imp_mover_property(i);
    IMPI_VALID(impi_fits(info, mover->value[i]), "mover", index, info->name);
  }
  const char *unfit = impi_out_of_bounds(bounds, mover);
  IMPI_VALID(unfit == NULL, "mover", index, unfit);
  IMPI_VALID(touch_is_valid(world, &mover->ground) && touch_is_valid(world, &mover->wall) &&
                 touch_is_valid(world, &mover->ceiling) && touch_is_valid(world, &mover->pressed),
             "mover", index, "a shape that the mover touches does not exist");
  return true;
}


bool impi_movers_are_valid(ImpiValidity *validity) {
  const ImpiBounds bounds = impi_bounds_of(&impi_mover_layout);
  for (int32_t i = 0; i < validity->world->mover.list.count; ++i) {
    if (!mover_is_valid(validity, &bounds, i)) {
      return false;
    }
  }
  return true;
}
