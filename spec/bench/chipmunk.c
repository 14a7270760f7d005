// The benchmark's scenes on Chipmunk 7 with its default settings: 10 iterations, its own collision slop and bias.
//
// Chipmunk has no continuous collision (bullets are ordinary bodies), no restitution thresholds, no bodies that never
// sleep and no hit events. A capsule is a segment with a radius, a loop is a row of segments.
#include "engine.h"

#include <chipmunk/chipmunk.h>

enum { PARTS = 4 }; // largest number of constraints that replace one pin

static cpSpace **spaces; // space_count pointers, in the order of the scene's worlds
static int space_count;
static const Scene *scene;
static cpBody **bodies;                // bodies by index in the scene
static cpConstraint *(*joints)[PARTS]; // joints[i]: constraints of pin i; unused elements are null


static cpSpace *create_space(void) {
  cpSpace *space = cpSpaceNew();
  cpSpaceSetIterations(space, 10);
  cpSpaceSetGravity(space, cpv(scene->gravity.x, scene->gravity.y));
  if (scene->sleep) cpSpaceSetSleepTimeThreshold(space, 0.5);
  return space;
}


static void create(const Scene *data, const Options *options) {
  (void)options;
  scene = data;
  space_count = scene_worlds(scene);
  spaces = calloc((size_t)space_count, sizeof *spaces);
  bodies = calloc((size_t)scene->count + 1, sizeof *bodies);
  joints = calloc((size_t)scene->pin_count + 1, sizeof *joints);
  if (spaces == NULL || bodies == NULL || joints == NULL) exit(1);
  for (int i = 0; i < space_count; ++i) spaces[i] = create_space();
}


static cpSpace *space_of(int body) { return spaces[scene->bodies[body].world]; }


// Set a shape's friction to the square root of the scene's: Chipmunk multiplies the frictions of two shapes, but the
// scene asks for sqrt(a b).
static void add_shape(cpSpace *space, cpShape *shape, const Surface *surface) {
  cpGroup group = surface->group < 0 ? (cpGroup)-surface->group : CP_NO_GROUP;
  cpShapeSetFriction(shape, sqrt(surface->friction));
  cpShapeSetElasticity(shape, sqrt(surface->restitution));
  cpShapeSetFilter(shape, cpShapeFilterNew(group, surface->category, surface->mask));
  cpSpaceAddShape(space, shape);
}


static void add_loop(cpSpace *space, cpBody *body, const Piece *piece, const cpVect *p) {
  int n = piece->count;
  for (int i = 0; i < n; ++i) {
    cpShape *segment = cpSegmentShapeNew(body, p[i], p[(i + 1) % n], 0);
    cpSegmentShapeSetNeighbors(segment, p[(i + n - 1) % n], p[(i + 2) % n]);
    add_shape(space, segment, &piece->surface);
  }
}


static void add_piece(cpSpace *space, cpBody *body, const Piece *piece) {
  cpVect *points = malloc((size_t)piece->count * sizeof *points);
  if (points == NULL) exit(1);
  for (int i = 0; i < piece->count; ++i) {
    points[i] = cpv(scene->points[piece->first + i].x, scene->points[piece->first + i].y);
  }
  if (piece->kind == PIECE_LOOP) {
    add_loop(space, body, piece, points);
  } else if (piece->kind == PIECE_CIRCLE) {
    add_shape(space, cpCircleShapeNew(body, piece->radius, points[0]), &piece->surface);
  } else if (piece->kind == PIECE_CAPSULE || piece->kind == PIECE_SEGMENT) {
    add_shape(space, cpSegmentShapeNew(body, points[0], points[1], piece->radius), &piece->surface);
  } else {
    add_shape(space, cpPolyShapeNewRaw(body, piece->count, points, piece->radius), &piece->surface);
  }
  free(points);
}


static cpBody *body_new(const Body *data) {
  Mass mass = mass_of_body(scene, data);
  if (data->kind == BODY_STATIC) return cpBodyNewStatic();
  if (data->kind == BODY_KINEMATIC) return cpBodyNewKinematic();
  cpBody *body = cpBodyNew(mass.mass, data->fixed_rotation ? SCENE_INFINITE : mass.inertia);
  cpBodySetCenterOfGravity(body, cpv(mass.x, mass.y));
  return body;
}


static void add(int i) {
  const Body *data = &scene->bodies[i];
  cpSpace *space = space_of(i);
  cpBody *body = bodies[i] = body_new(data);
  // cpBodySetAngle rotates about the centre of mass, so set the angle before the position of the origin.
  cpBodySetAngle(body, data->angle);
  cpBodySetPosition(body, cpv(data->x, data->y));
  cpBodySetVelocity(body, cpv(data->vx, data->vy));
  cpBodySetAngularVelocity(body, data->w);
  cpSpaceAddBody(space, body);
  for (int k = data->first; k < data->first + data->count; ++k) add_piece(space, body, &scene->pieces[k]);
  if (data->asleep) cpBodySleep(body);
}


static void add_part(int pin, int *parts, cpConstraint *constraint) {
  cpConstraintSetCollideBodies(constraint, cpFalse);
  joints[pin][(*parts)++] = cpSpaceAddConstraint(space_of(scene->pins[pin].a), constraint);
}


// Add the motor, limit and spring of a revolute. Chipmunk's motor and spring measure the angle of a minus that of b,
// which has the opposite sign of the scene's angle.
static void add_drives(int i, int *parts, cpBody *a, cpBody *b) {
  const Pin *pin = &scene->pins[i];
  if (pin->motor) {
    cpConstraint *motor = cpSimpleMotorNew(a, b, -pin->speed);
    cpConstraintSetMaxForce(motor, pin->torque);
    add_part(i, parts, motor);
  }
  if (pin->limit) {
    add_part(i, parts, cpRotaryLimitJointNew(a, b, pin->reference + pin->lower, pin->reference + pin->upper));
  }
  if (pin->spring) {
    double inertia = 1 / (1 / cpBodyGetMoment(a) + 1 / cpBodyGetMoment(b)), omega = 2 * SCENE_PI * pin->hertz;
    double stiffness = inertia * omega * omega, damping = 2 * inertia * pin->damping * omega;
    add_part(i, parts, cpDampedRotarySpringNew(a, b, -(pin->reference + pin->rest), stiffness, damping));
  }
}


// Add the constraints of a pin. A gear of ratio 1 keeps the angle of a weld: it acts both ways in every step, unlike a
// rotary limit with equal bounds.
static void join(int i) {
  const Pin *pin = &scene->pins[i];
  cpBody *a = bodies[pin->a], *b = bodies[pin->b];
  int parts = 0;
  add_part(i, &parts, cpPivotJointNew2(a, b, cpv(pin->x_a, pin->y_a), cpv(pin->x_b, pin->y_b)));
  if (isinf(cpBodyGetMoment(a)) && isinf(cpBodyGetMoment(b))) return; // a gear between infinite inertias gives NaN
  if (pin->kind == PIN_WELD) {
    add_part(i, &parts, cpGearJointNew(a, b, cpBodyGetAngle(b) - cpBodyGetAngle(a), 1));
  } else {
    add_drives(i, &parts, a, b);
  }
}


static void unjoin(int i) {
  for (int part = 0; part < PARTS && joints[i][part] != NULL; ++part) {
    cpSpaceRemoveConstraint(space_of(scene->pins[i].a), joints[i][part]);
    cpConstraintFree(joints[i][part]);
    joints[i][part] = NULL;
  }
}


static void remove_shape(cpBody *body, cpShape *shape, void *space) {
  (void)body;
  cpSpaceRemoveShape(space, shape);
  cpShapeFree(shape);
}


static void remove_body(int i) {
  cpBodyEachShape(bodies[i], remove_shape, space_of(i));
  cpSpaceRemoveBody(space_of(i), bodies[i]);
  cpBodyFree(bodies[i]);
}


static void move(int i, double x, double y, double dt) {
  cpVect way = cpvsub(cpv(x, y), cpBodyGetPosition(bodies[i]));
  cpBodySetVelocity(bodies[i], cpvmult(way, 1 / dt));
  cpBodySetAngularVelocity(bodies[i], 0);
}


static void step(double dt) {
  for (int i = 0; i < space_count; ++i) cpSpaceStep(spaces[i], dt);
}


static Pose pose(int i) {
  const cpBody *body = bodies[i];
  cpVect p = cpBodyGetPosition(body), v = cpBodyGetVelocity(body);
  return (Pose){p.x, p.y, cpBodyGetAngle(body), v.x, v.y, cpBodyGetAngularVelocity(body), true};
}


static bool awake(int i) { return !cpBodyIsSleeping(bodies[i]); }


static const Engine engine = {"chipmunk", create, add, join, unjoin, remove_body, move, step, pose, awake, NULL};

ENGINE_MAIN(engine)
