// Teleports: a body keeps its velocity, and its contacts lose their impulses.
#include "base/constants.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/sleep.h"


// Move the centre of mass of a body. `same`: the pose does not change, so only clear the kinematic target.
static void set_center(ImpWorld *world, int32_t slot, ImpVec2 center, bool same) {
  world->row.valid = false;
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  impi_kinematic_target_clear(world, slot);
  if (same) {
    return;
  }
  impi_world_wake(world, slot);
  impi_world_wake_neighbours(world, slot);
  motion->x = center.x;
  motion->y = center.y;
  if (slot < world->placed.count) world->placed.data[slot] = true;
  for (int32_t edge = body->first_edge; edge >= 0;) {
    ImpiContact *contact = impi_contact_look_again(world, edge >> 1);
    edge = contact->edge[edge & 1].next;
    contact->count = 0; // without points there are no impulses to carry over
    contact->lambda_r = 0;
    contact->flags &= ~(uint32_t)(IMPI_CONTACT_FRESH | IMPI_CONTACT_PASSING);
  }
  impi_body_refit(world, slot);
}


void impi_body_finish_set_center(ImpWorld *world, int32_t slot, ImpVec2 center) {
  const ImpiMotion *motion = &world->motions.data[slot];
  set_center(world, slot, center, motion->x == center.x && motion->y == center.y);
}


static void set_position(ImpWorld *world, int32_t slot, ImpVec2 position, bool turned) {
  const ImpiMotion *motion = &world->motions.data[slot];
  const ImpiBody *body = &world->bodies.data[slot];
  ImpVec2 now = impi_body_frame(body, motion).p, r = impi_rotate((ImpRot){motion->c, motion->s}, body->local_center);
  set_center(world, slot, impi_add(position, r), !turned && now.x == position.x && now.y == position.y);
}


void impi_body_finish_set_position(ImpWorld *world, int32_t slot, ImpVec2 position) {
  set_position(world, slot, position, false);
}


void impi_body_finish_set_pose(ImpWorld *world, int32_t slot, ImpVec2 position, double angle) {
  ImpiMotion *motion = &world->motions.data[slot];
  bool turns = world->bodies.data[slot].type != IMP_BODY_PARTICLE; // the type may have changed since the call
  bool turned = turns && motion->angle != angle;
  if (turned) {
    ImpRot q = impi_rot(angle);
    motion->angle = angle;
    motion->c = q.c;
    motion->s = q.s;
  }
  set_position(world, slot, position, turned);
}


ImpStatus impi_body_check_teleport(const ImpWorld *world, int32_t slot, ImpVec2 to, const double *angle,
                                   const char *what) {
  ImpStatus status = impi_check_vector(to, IMPI_MAX_COORDINATE, what, "m");
  if (status == IMP_OK && angle != NULL) {
    status = impi_check_property(imp_body_property(IMP_BODY_ANGLE), *angle, "body");
  }
  if (status == IMP_OK && angle != NULL && *angle != 0 && world->bodies.data[slot].type == IMP_BODY_PARTICLE) {
    status = impi_fail(IMP_ERR_ARGUMENT, "body.angle: a particle does not rotate");
  }
  if (status == IMP_OK && angle != NULL && *angle != 0 && world->bodies.data[slot].mover > 0) {
    status = impi_fail(IMP_ERR_ARGUMENT, "body.angle: the body of a mover stays upright");
  }
  return status == IMP_OK ? impi_check_not_ground(world, slot, "moved") : status;
}


static ImpStatus teleport(ImpWorld *world, ImpBody handle, ImpVec2 to, const char *what, ImpiCommandKind kind) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpStatus status = impi_body_check_teleport(world, slot, to, NULL, what);
  if (status != IMP_OK) {
    return status;
  }
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = kind, .slot = slot, .value = to});
  }
  if (kind == IMPI_COMMAND_SET_CENTER) {
    impi_body_finish_set_center(world, slot, to);
  } else {
    impi_body_finish_set_position(world, slot, to);
  }
  return IMP_OK;
}


ImpStatus impi_body_set_position(ImpWorld *world, ImpBody body, ImpVec2 position) {
  return teleport(world, body, position, "body.position", IMPI_COMMAND_SET_POSITION);
}


ImpStatus impi_body_set_center(ImpWorld *world, ImpBody body, ImpVec2 center) {
  return teleport(world, body, center, "body.center", IMPI_COMMAND_SET_CENTER);
}


ImpStatus impi_body_set_pose(ImpWorld *world, ImpBody handle, ImpVec2 position, double angle) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpStatus status = impi_body_check_teleport(world, slot, position, &angle, "body.position");
  if (status != IMP_OK) {
    return status;
  }
  if (world->stepping) {
    return impi_queue(world,
                      (ImpiCommand){.kind = IMPI_COMMAND_SET_POSE, .slot = slot, .value = position, .angle = angle});
  }
  impi_body_finish_set_pose(world, slot, position, angle);
  return IMP_OK;
}
