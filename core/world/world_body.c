// Bodies: creation, destruction, type and properties.
#include "base/constants.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/events.h"
#include "world/fields.h"
#include "world/joints.h"
#include "world/movers.h"
#include "world/shapes.h"
#include "world/sleep.h"
#include "world/travel.h"


ImpBodyDef imp_body_def(void) {
  return (ImpBodyDef){
      .type = IMP_BODY_DYNAMIC, .gravity_scale = 1, .allow_sleep = true, .awake = true, .enabled = true};
}


static ImpStatus check_def(const ImpBodyDef *def) {
  if (imp_body_type_name((int)def->type) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "body.type: no type of body has the number %d", (int)def->type);
  }
  const ImpBodyDef defaults = imp_body_def();
  ImpStatus status = impi_check_definition(impi_body_properties, IMP_BODY_PROPERTY_COUNT, def, &defaults, "body");
  if (status != IMP_OK) {
    return status;
  }
  if (def->type == IMP_BODY_PARTICLE && (def->angle != 0 || def->angular_velocity != 0 || def->inertia != 0)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a particle does not rotate: it takes no angle, angular_velocity or inertia");
  }
  if (def->type == IMP_BODY_STATIC && (def->velocity.x != 0 || def->velocity.y != 0 || def->angular_velocity != 0)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a static body does not move: it takes no velocity (use a kinematic body)");
  }
  if (!(def->awake && def->enabled) && (def->velocity.x != 0 || def->velocity.y != 0 || def->angular_velocity != 0)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a body that is created asleep or disabled takes no velocity");
  }
  status = impi_check_vector(def->position, IMPI_MAX_COORDINATE, "body.position", "m");
  return status != IMP_OK ? status : impi_check_vector(def->velocity, IMPI_MAX_COORDINATE, "body.velocity", "m/s");
}


ImpStatus impi_body_create(ImpWorld *world, const ImpBodyDef *def, ImpBody *out_body) {
  ImpStatus status = check_def(def);
  if (status == IMP_OK) {
    status = impi_check_quota(world->max_bodies, world->body_pool.live - (world->ground >= 0), "bodies", "max_bodies");
  }
  if (status == IMP_OK) {
    status = impi_pool_reserve(&world->heap, &world->body_pool);
  }
  if (status != IMP_OK) {
    return status;
  }
  int32_t slot = impi_pool_peek(&world->body_pool);
  char *name = NULL;
  bool room = impi_reserve(&world->heap, &world->bodies, slot + 1) &&
              impi_reserve(&world->heap, &world->motions, slot + 1) && impi_copy_string(&world->heap, def->name, &name);
  // The arrays may have been reallocated, and getters read bodies through `solve`.
  world->solve.bodies = world->bodies.data;
  world->solve.motions = world->motions.data;
  if (!room) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  impi_pool_take(&world->body_pool);
  if (slot == world->bodies.count) {
    world->bodies.count = world->motions.count = slot + 1;
  }
  ImpiBody *body = &world->bodies.data[slot];
  *body = (ImpiBody){
      .type = def->type,
      .locks = (uint8_t)(def->lock_x | def->lock_y << 1),
      .given_mass = def->mass,
      .given_inertia = def->inertia,
      .sleep_next = slot,
      .first_shape = -1,
      .last_shape = -1,
      .first_edge = -1,
      .first_joint = -1,
      .previous = world->last_body,
      .next = -1,
      .serial = ++world->body_serial,
      .name = name,
      .user_data = def->user_data,
  };
  impi_properties_take(impi_body_properties, IMP_BODY_PROPERTY_COUNT, body, def);
  ImpRot q = impi_rot(def->angle);
  world->motions.data[slot] = (ImpiMotion){def->position.x, def->position.y,       q.c,       q.s, def->velocity.x,
                                           def->velocity.y, def->angular_velocity, def->angle};
  if (world->last_body >= 0) {
    world->bodies.data[world->last_body].next = slot;
  } else {
    world->first_body = slot;
  }
  world->last_body = slot;
  impi_names_add(&world->heap, &world->body_names, slot, body->serial, body->name);
  world->push.limited_bodies += impi_body_is_limited(body);
  if (def->type == IMP_BODY_KINEMATIC) {
    body->awake = impi_moves(&world->motions.data[slot]);
  } else {
    body->awake = def->type != IMP_BODY_STATIC && def->awake && def->enabled;
  }
  impi_body_update_mass(world, slot);
  world->lists_dirty = true;
  *out_body = impi_body_handle(world, slot);
  return IMP_OK;
}


bool imp_body_is_valid(const ImpWorld *world, ImpBody body) {
  return impi_pool_find(&world->body_pool, body.id, world->tag) >= 0;
}


ImpStatus impi_body_destroy(ImpWorld *world, ImpBody body) {
  IMPI_FIND_BODY(world, body, slot);
  ImpStatus allowed = impi_check_not_ground(world, slot, "destroyed");
  if (allowed != IMP_OK) {
    return allowed;
  }
  if (world->stepping) {
    ImpStatus status = impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_DESTROY_BODY, .slot = slot});
    if (status == IMP_OK) {
      impi_pool_mark_destroy(&world->body_pool, slot);
      for (int32_t s = world->bodies.data[slot].first_shape; s >= 0; s = world->shapes.data[s].next) {
        if (!world->shapes.data[s].pending_destroy) {
          world->shapes.data[s].pending_destroy = true;
          impi_pool_mark_destroy(&world->shape_pool, s);
        }
      }
      for (int32_t e = world->bodies.data[slot].first_joint; e >= 0; e = world->joint_edges.data[e].next) {
        impi_joint_mark_destroy(world, world->joint_edges.data[e].joint);
      }
    }
    return status;
  }
  impi_body_finish_destroy(world, slot);
  return IMP_OK;
}


void impi_body_finish_destroy(ImpWorld *world, int32_t slot) {
  impi_fields_forget(world, slot);
  impi_kinematic_target_drop(world, slot);
  impi_mover_forget(world, slot);
  impi_world_wake(world, slot); // the ring of a sleeping island must not contain a destroyed body
  impi_body_drop_contacts(world, slot);
  impi_body_drop_joints(world, slot);
  while (world->bodies.data[slot].first_shape >= 0) {
    impi_shape_finish_destroy(world, world->bodies.data[slot].first_shape);
  }
  ImpiBody *body = &world->bodies.data[slot];
  *(body->previous >= 0 ? &world->bodies.data[body->previous].next : &world->first_body) = body->next;
  *(body->next >= 0 ? &world->bodies.data[body->next].previous : &world->last_body) = body->previous;
  impi_names_remove(&world->body_names, slot);
  impi_note_destroyed(world, IMP_OBJECT_BODY, impi_pool_id(&world->body_pool, slot, world->tag), body->serial,
                      body->name);
  body->name = NULL;
  body->awake = false;
  world->push.limited_bodies -= impi_body_is_limited(body);
  impi_pool_release(&world->body_pool, slot);
  world->lists_dirty = true;
}


void impi_body_finish_set_type(ImpWorld *world, int32_t slot, ImpBodyType type) {
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  if (body->type == type) {
    return;
  }
  impi_world_wake(world, slot);
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    impi_shape_detach(world, s);
  }
  impi_kinematic_target_drop(world, slot);
  if (body->first_joint >= 0) {
    impi_joints_edited(world);
  }
  body->type = type;
  body->force = impi_vec(0, 0);
  body->torque = 0;
  impi_body_rotors_follow(world, slot);
  if (type == IMP_BODY_STATIC) {
    motion->vx = motion->vy = motion->w = 0;
  }
  if (type == IMP_BODY_PARTICLE) { // set the angle to 0 and keep the origin
    ImpVec2 origin = impi_body_frame(body, motion).p;
    motion->x = origin.x + body->local_center.x;
    motion->y = origin.y + body->local_center.y;
    motion->w = motion->angle = motion->s = 0;
    motion->c = 1;
  }
  body->awake = body->enabled && (type == IMP_BODY_KINEMATIC ? impi_moves(motion) : type != IMP_BODY_STATIC);
  body->fast = body->fast && body->awake;
  body->sleep_time = 0;
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    if (impi_shape_finish_attach(world, s) != IMP_OK) {
      impi_event_add(
          world, IMP_EVENT_WARNING,
          (ImpEvent){.text = "out of memory: a shape could not be stored for collisions and no longer collides"});
    }
  }
  impi_body_update_mass(world, slot); // the mass is computed from the attached shapes
  world->lists_dirty = true;
}


// Put an awake dynamic body to sleep and append it to the ring of a sleeping island.
static void add_to_ring(ImpWorld *world, int32_t other, int32_t first, int32_t *last) {
  ImpiBody *bodies = world->bodies.data;
  if (impi_is_dynamic(&bodies[other]) && bodies[other].awake) {
    bodies[other].awake = bodies[other].fast = false;
    bodies[*last].sleep_next = other;
    bodies[other].sleep_next = first;
    *last = other;
  }
}


// Put a body and all bodies connected by contacts or joints to sleep.
static void force_asleep(ImpWorld *world, int32_t first) {
  // `sleep_next` is both the ring of the island and the queue of the flood fill.
  ImpiBody *bodies = world->bodies.data;
  int32_t member = first, last = first;
  bodies[first].awake = bodies[first].fast = false;
  do {
    for (int32_t edge = bodies[member].first_edge; edge >= 0;) {
      // The contact is rechecked at the pose where the body stopped.
      const ImpiContact *contact = impi_contact_look_again(world, edge >> 1);
      impi_contact_end(world, edge >> 1);
      edge = contact->edge[edge & 1].next;
      int32_t other = contact->body_a == member ? contact->body_b : contact->body_a;
      bool holds = contact->flags & IMPI_CONTACT_TOUCHING && !(contact->flags & IMPI_CONTACT_IDLE);
      if (holds) {
        add_to_ring(world, other, first, &last);
      }
    }
    for (int32_t e = bodies[member].first_joint; e >= 0; e = world->joint_edges.data[e].next) {
      const ImpiJoint *joint = &world->joints.data[world->joint_edges.data[e].joint];
      for (int i = 0; i < impi_joint_body_count(joint) && !joint->broken; ++i) {
        add_to_ring(world, impi_joint_body(joint, i), first, &last);
      }
    }
    world->motions.data[member].vx = world->motions.data[member].vy = world->motions.data[member].w = 0;
    impi_body_rotors_follow(world, member);
    bodies[member].sleep_time = 0;
    impi_event_body(world, IMP_EVENT_SLEEP, member, NULL);
    member = bodies[member].sleep_next;
  } while (member != first);
  do { // set the speeds of rotors last, because they depend on the velocities of several bodies
    impi_body_rotors_start(world, member);
    member = bodies[member].sleep_next;
  } while (member != first);
  world->lists_dirty = true;
}


void impi_body_finish_set(ImpWorld *world, int32_t slot, ImpBodyProperty property, double value) {
  world->row.valid = false; // the speeds J v of the body's rows change
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  switch (property) {
  case IMP_BODY_ANGLE:
    if (body->type != IMP_BODY_PARTICLE) { // the body's type may have changed since the call was queued
      impi_body_finish_set_pose(world, slot, impi_body_frame(body, motion).p, value);
    }
    return;
  case IMP_BODY_ANGULAR_VELOCITY:
    impi_kinematic_target_cancel(world, slot);
    value = body->fixed_rotation || body->type == IMP_BODY_STATIC || body->type == IMP_BODY_PARTICLE ? 0 : value;
    impi_body_change_velocity(world, slot, (ImpVec2){motion->vx, motion->vy}, value);
    return;
  case IMP_BODY_MASS:
  case IMP_BODY_INERTIA: {
    double mass = body->mass, inertia = body->inertia;
    *(property == IMP_BODY_MASS ? &body->given_mass : &body->given_inertia) = value;
    impi_body_update_mass(world, slot);
    if (body->mass != mass || body->inertia != inertia) {
      impi_world_wake(world, slot);
    }
    return;
  }
  case IMP_BODY_FIXED_ROTATION:
    if (body->fixed_rotation == (value != 0)) return;
    body->fixed_rotation = value != 0;
    impi_body_update_mass(world, slot); // this also stops the rotation of the body
    impi_body_rotors_follow(world, slot);
    impi_world_wake(world, slot);
    return;
  case IMP_BODY_LOCK_X:
  case IMP_BODY_LOCK_Y: {
    unsigned bit = property == IMP_BODY_LOCK_X ? 1u : 2u;
    if (((body->locks & bit) != 0) == (value != 0)) return;
    if (body->first_joint >= 0) {
      impi_joints_edited(world);
    }
    body->locks = (uint8_t)(value != 0 ? body->locks | bit : body->locks & ~bit);
    for (int32_t edge = body->first_edge; edge >= 0;) {
      edge = impi_contact_change(world, edge >> 1)->edge[edge & 1].next;
    }
    impi_body_update_mass(world, slot); // this also stops motion along the locked axis
    impi_body_rotors_follow(world, slot);
    impi_world_wake(world, slot);
    return;
  }
  case IMP_BODY_LINEAR_DAMPING:
  case IMP_BODY_ANGULAR_DAMPING:
    impi_property_write(&impi_body_properties[property], body, value);
    return;
  case IMP_BODY_MAX_SPEED:
  case IMP_BODY_MAX_ANGULAR_SPEED:
    world->push.limited_bodies -= impi_body_is_limited(body);
    impi_property_write(&impi_body_properties[property], body, value);
    world->push.limited_bodies += impi_body_is_limited(body);
    return;
  case IMP_BODY_BULLET:
    body->bullet = value != 0;
    impi_body_refit(world, slot);
    return;
  case IMP_BODY_AWAKE:
    if (value != 0) {
      impi_world_wake(world, slot);
    } else if (body->awake && impi_is_dynamic(body)) {
      force_asleep(world, slot);
    }
    return;
  case IMP_BODY_ENABLED:
    impi_body_finish_enable(world, slot, value != 0);
    return;
  default: { // properties that are only stored
    double before = 0;
    if (impi_property_read(&impi_body_properties[property], body, &before) && before != value) {
      impi_property_write(&impi_body_properties[property], body, value);
      impi_world_wake(world, slot);
    }
  }
  }
}


ImpStatus impi_body_check_property(const ImpWorld *world, int32_t slot, ImpBodyProperty property, double value) {
  ImpStatus status = impi_check_property(imp_body_property((int)property), value, "body");
  if (status != IMP_OK) {
    return status;
  }
  const ImpiBody *body = &world->bodies.data[slot];
  if (slot == world->ground) {
    return impi_fail(IMP_ERR_ARGUMENT, "body.%s: the ground of the world cannot be changed",
                     imp_body_property((int)property)->name);
  }
  bool turns = property == IMP_BODY_ANGLE || property == IMP_BODY_ANGULAR_VELOCITY || property == IMP_BODY_INERTIA;
  if (turns && body->type == IMP_BODY_PARTICLE) {
    return impi_fail(IMP_ERR_ARGUMENT, "body.%s: a particle does not rotate", imp_body_property((int)property)->name);
  }
  if (property == IMP_BODY_ANGULAR_VELOCITY && body->type == IMP_BODY_STATIC && value != 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "body.angular_velocity: a static body does not move (use a kinematic body)");
  }
  if (body->mover > 0 && turns && value != 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "body.%s: the body of a mover stays upright",
                     imp_body_property((int)property)->name);
  }
  if ((property == IMP_BODY_MASS || property == IMP_BODY_INERTIA) && !impi_is_dynamic(body)) {
    return impi_fail(IMP_ERR_ARGUMENT, "body.%s: a %s body has no mass or inertia",
                     imp_body_property((int)property)->name, imp_body_type_name((int)body->type));
  }
  return IMP_OK;
}


// Reserve broad-phase memory for the pieces of a body whose type becomes `type`.
static ImpStatus reserve_pieces(ImpWorld *world, int32_t slot, ImpBodyType type) {
  int pieces = 0;
  for (int32_t s = world->bodies.data[slot].first_shape; s >= 0; s = world->shapes.data[s].next) {
    pieces += world->shapes.data[s].geometry.child_count;
  }
  bool room = impi_broadphase_reserve(&world->heap, &world->broadphase, pieces + world->queue.queued_pieces,
                                      impi_proxy_kind(type));
  return room ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


ImpStatus impi_body_set(ImpWorld *world, ImpBody handle, ImpBodyProperty property, double value) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpStatus status = impi_body_check_property(world, slot, property, value);
  if (status == IMP_OK && property == IMP_BODY_ENABLED && value != 0) {
    status = reserve_pieces(world, slot, world->bodies.data[slot].type);
  }
  if (status != IMP_OK) {
    return status;
  }
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_SET_BODY_PROPERTY,
                                           .slot = slot,
                                           .property = (int32_t)property,
                                           .value = {value, 0}});
  }
  impi_body_finish_set(world, slot, property, value);
  return IMP_OK;
}


ImpStatus impi_body_set_type(ImpWorld *world, ImpBody handle, ImpBodyType type) {
  IMPI_FIND_BODY(world, handle, slot);
  if (imp_body_type_name((int)type) == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "body.type: no type of body has the number %d", (int)type);
  }
  ImpStatus allowed = impi_check_not_ground(world, slot, "given another type");
  if (allowed != IMP_OK) {
    return allowed;
  }
  if (world->bodies.data[slot].mover > 0 && type != IMP_BODY_KINEMATIC) {
    return impi_fail(IMP_ERR_ARGUMENT, "the body of a mover is kinematic");
  }
  ImpStatus status = impi_check_mass(world, slot, type, -1, NULL, 0);
  if (status == IMP_OK) {
    status = reserve_pieces(world, slot, type);
  }
  if (status != IMP_OK) {
    return status;
  }
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_SET_TYPE, .slot = slot, .property = (int32_t)type});
  }
  impi_body_finish_set_type(world, slot, type);
  return IMP_OK;
}


ImpStatus impi_body_set_name(ImpWorld *world, ImpBody handle, const char *name) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpiBody *body = &world->bodies.data[slot];
  ImpiNames *names = slot != world->ground ? &world->body_names : NULL;
  return impi_rename(&world->heap, names, slot, body->serial, &body->name, name);
}
