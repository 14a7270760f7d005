// The benchmark's scenes on Chipmunk 7 as it comes: 10 iterations, its own slop and bias.
#include "engine.h"

#include <chipmunk/chipmunk.h>

static cpSpace *space;
static cpBody **bodies; // by piece
static int body_count;


static void add(int i, const Piece *piece) {
  bool box = piece->kind == PIECE_BOX, segment = piece->kind == PIECE_SEGMENT;
  double mass = SCENE_DENSITY * (box ? 4 * piece->p * piece->q : cpAreaForCircle(0, piece->p));
  double inertia =
      box ? cpMomentForBox(mass, 2 * piece->p, 2 * piece->q) : cpMomentForCircle(mass, 0, piece->p, cpvzero);
  bodies[i] = piece->moves ? cpBodyNew(mass, inertia) : cpBodyNewStatic();
  if (!segment) cpBodySetPosition(bodies[i], cpv(piece->x, piece->y));
  cpSpaceAddBody(space, bodies[i]);
  cpShape *shape = box       ? cpBoxShapeNew(bodies[i], 2 * piece->p, 2 * piece->q, 0)
                   : segment ? cpSegmentShapeNew(bodies[i], cpv(piece->x, piece->y), cpv(piece->p, piece->q), 0)
                             : cpCircleShapeNew(bodies[i], piece->p, cpvzero);
  cpShapeSetFriction(shape, sqrt(SCENE_FRICTION)); // the frictions of two shapes are multiplied
  cpShapeSetFilter(shape, cpShapeFilterNew(CP_NO_GROUP, piece->category, piece->mask));
  cpSpaceAddShape(space, shape);
}


static void join(const Pin *pin) {
  cpVect at_a = cpv(pin->x_a, pin->y_a), at_b = cpv(pin->x_b, pin->y_b);
  cpConstraint *joint = cpPivotJointNew2(bodies[pin->a], bodies[pin->b], at_a, at_b);
  cpConstraintSetCollideBodies(joint, cpFalse);
  cpSpaceAddConstraint(space, joint);
}


static void create(const Scene *scene, int option) {
  (void)option;
  space = cpSpaceNew();
  cpSpaceSetIterations(space, 10);
  cpSpaceSetGravity(space, cpv(0, SCENE_GRAVITY));
  if (scene->sleep) cpSpaceSetSleepTimeThreshold(space, 0.5);
  bodies = calloc((size_t)scene->count + 1, sizeof *bodies);
  if (bodies == NULL) exit(1);
  body_count = scene->count;
  for (int i = 0; i < scene->count; ++i) add(i, &scene->pieces[i]);
  for (int i = 0; i < scene->pin_count; ++i) join(&scene->pins[i]);
}


static void step(void) { cpSpaceStep(space, SCENE_DT); }


static Pose pose(int piece) {
  const cpBody *body = bodies[piece];
  cpVect p = cpBodyGetPosition(body), v = cpBodyGetVelocity(body);
  return (Pose){p.x, p.y, cpBodyGetAngle(body), v.x, v.y, cpBodyGetAngularVelocity(body)};
}


static int awake(void) {
  int count = 0;
  for (int i = 0; i < body_count; ++i) {
    count += cpBodyGetType(bodies[i]) == CP_BODY_TYPE_DYNAMIC && !cpBodyIsSleeping(bodies[i]);
  }
  return count;
}


static const Engine engine = {"chipmunk", create, step, pose, awake, NULL};

ENGINE_MAIN(engine)
