// Interpolation between the poses before a step and the present poses. ImpWorld.placed marks teleported bodies.
#include "draw/draw.h"
#include "world/world.h"

// Stored pose of a body. ImpPoses.bodies is indexed by the body's slot.
typedef struct Noted {
  uint64_t serial; // creation number of the body
  uint64_t round;  // ImpPoses.round of the call that stored the pose
  ImpVec2 center, local_center;
  ImpRot q;
} Noted;

struct ImpPoses {
  ImpiHeap heap;
  IMPI_ARRAY(Noted) bodies;
  uint64_t round; // number of calls of imp_poses_store
  uint64_t tick;  // tick of the world at the last call of imp_poses_store
  uint32_t tag;   // tag of the world
  double fraction;
};


ImpStatus imp_poses_create(const ImpAllocator *allocator, ImpPoses **out_poses) {
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  if (allocator != NULL && allocator->reallocate != NULL) heap.allocator = *allocator;
  ImpPoses *poses = impi_resize(&heap, NULL, 0, sizeof *poses);
  if (poses == NULL) return impi_fail(IMP_ERR_NOMEM, "out of memory");
  *poses = (ImpPoses){.heap = heap, .fraction = 1};
  *out_poses = poses;
  return IMP_OK;
}


void imp_poses_destroy(ImpPoses *poses) {
  if (poses == NULL) return;
  impi_array_free(&poses->heap, &poses->bodies);
  ImpiHeap heap = poses->heap;
  impi_resize(&heap, poses, sizeof *poses, 0);
}


ImpStatus imp_poses_store(ImpPoses *poses, ImpWorld *world) {
  if (world->stepping) return impi_fail(IMP_ERR_STATE, "poses cannot be stored inside a step");
  int count = world->bodies.count;
  if (!impi_reserve(&poses->heap, &poses->bodies, count) || !impi_reserve(&world->heap, &world->placed, count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->placed.count = count;
  Noted *noted = poses->bodies.data;
  for (int i = poses->bodies.count; i < count; ++i) noted[i].round = 0;
  if (poses->bodies.count < count) poses->bodies.count = count;
  poses->round++;
  poses->tick = world->tick;
  poses->tag = world->tag;
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    const ImpiBody *body = &world->bodies.data[slot];
    const ImpiMotion *motion = &world->motions.data[slot];
    noted[slot] = (Noted){.serial = body->serial,
                          .round = poses->round,
                          .center = {motion->x, motion->y},
                          .local_center = body->local_center,
                          .q = {motion->c, motion->s}};
    world->placed.data[slot] = false;
  }
  return IMP_OK;
}


ImpStatus imp_poses_set_fraction(ImpPoses *poses, double fraction) {
  if (!(fraction >= 0 && fraction <= 1)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a fraction must be from 0 to 1, got %g", fraction);
  }
  poses->fraction = fraction;
  return IMP_OK;
}


// Return the stored pose of a body, or null for the present one.
static const Noted *noted_of(const ImpPoses *poses, const ImpWorld *world, int32_t slot) {
  if (poses == NULL || poses->fraction == 1 || poses->tag != world->tag || poses->tick + 1 != world->tick ||
      slot >= poses->bodies.count || slot >= world->placed.count) {
    return NULL;
  }
  const Noted *noted = &poses->bodies.data[slot];
  const ImpiBody *body = &world->bodies.data[slot];
  bool same = noted->round == poses->round && noted->serial == body->serial && !world->placed.data[slot] &&
              noted->local_center.x == body->local_center.x && noted->local_center.y == body->local_center.y;
  return same ? noted : NULL;
}


// Return the angle from one rotation to another along the shorter arc [rad].
static double angle_between(ImpRot from, ImpRot to) {
  ImpRot q = impi_inv_mul_rot(from, to);
  return imp_atan2(q.s, q.c);
}


bool impi_poses_find(const ImpPoses *poses, const ImpWorld *world, int32_t slot, ImpVec2 *out_center,
                     ImpRot *out_turn) {
  const Noted *noted = noted_of(poses, world, slot);
  if (noted == NULL) return false;
  const ImpiMotion *m = &world->motions.data[slot];
  if (m->x == noted->center.x && m->y == noted->center.y && m->c == noted->q.c && m->s == noted->q.s) return false;
  *out_center = impi_lerp(noted->center, impi_vec(m->x, m->y), poses->fraction);
  *out_turn = impi_rot((poses->fraction - 1) * angle_between(noted->q, (ImpRot){m->c, m->s}));
  return true;
}


ImpVec2 impi_poses_point(const ImpPoses *poses, const ImpWorld *world, int32_t slot, ImpVec2 point) {
  ImpVec2 center;
  ImpRot turn;
  if (!impi_poses_find(poses, world, slot, &center, &turn)) return point;
  const ImpiMotion *m = &world->motions.data[slot];
  return impi_add(center, impi_rotate(turn, impi_sub(point, impi_vec(m->x, m->y))));
}


ImpStatus imp_poses_body(const ImpPoses *poses, const ImpWorld *world, ImpBody handle, ImpTransform *out_frame,
                         double *out_angle) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpiMotion motion = world->motions.data[slot];
  const Noted *noted = noted_of(poses, world, slot);
  if (noted != NULL) {
    double turn = (poses->fraction - 1) * angle_between(noted->q, (ImpRot){motion.c, motion.s});
    ImpVec2 center = impi_lerp(noted->center, impi_vec(motion.x, motion.y), poses->fraction);
    ImpVec2 x = impi_rotate(impi_rot(turn), impi_vec(motion.c, motion.s));
    motion.x = center.x, motion.y = center.y;
    motion.c = x.x, motion.s = x.y;
    motion.angle += turn;
  }
  if (out_frame != NULL) *out_frame = impi_body_frame(&world->bodies.data[slot], &motion);
  if (out_angle != NULL) *out_angle = motion.angle;
  return IMP_OK;
}
