// The benchmark's scenes on Box2D 2.4 with its default settings: 8 velocity and 3 position iterations.
//
// Box2D has no capsules: a box and two circles replace a capsule, and the body gets the mass that the capsule has in
// the scene. Its revolutes have no springs: a weld at the same point, with a soft angle, replaces a revolute with a
// spring. The skin radius of a polygon is the radius of the piece. Hits are not reported.
#include "engine.h"

#include <box2d/box2d.h>

static b2World **worlds; // world_count pointers, in the order of the scene's worlds
static int world_count;
static const Scene *scene;
static b2Body **bodies; // by index in the scene


static float real(double number) { return static_cast<float>(fmin(fmax(number, -1e30), 1e30)); }
static b2Vec2 vec(double x, double y) { return b2Vec2(real(x), real(y)); }


static b2World *world_of(int body) { return worlds[scene->bodies[body].world]; }


static void create(const Scene *data, const Options *options) {
  (void)options;
  scene = data;
  world_count = scene_worlds(scene);
  worlds = new b2World *[static_cast<size_t>(world_count)];
  for (int i = 0; i < world_count; ++i) {
    worlds[i] = new b2World(vec(scene->gravity.x, scene->gravity.y));
    worlds[i]->SetAllowSleeping(scene->sleep);
  }
  bodies = static_cast<b2Body **>(calloc(static_cast<size_t>(scene->count) + 1, sizeof *bodies));
  if (bodies == nullptr) exit(1);
}


static void add_circle(b2Body *body, b2FixtureDef *fixture, b2Vec2 centre, double radius) {
  b2CircleShape circle;
  circle.m_p = centre;
  circle.m_radius = real(radius);
  fixture->shape = &circle;
  body->CreateFixture(fixture);
}


static void add_polygon(b2Body *body, b2FixtureDef *fixture, const b2Vec2 *points, int count, double radius) {
  b2PolygonShape polygon;
  polygon.Set(points, count);
  if (radius > 0) polygon.m_radius = real(radius);
  fixture->shape = &polygon;
  body->CreateFixture(fixture);
}


static void add_capsule(b2Body *body, b2FixtureDef *fixture, b2Vec2 from, b2Vec2 to, double radius) {
  b2Vec2 along = to - from, side = real(radius) / along.Length() * b2Vec2(-along.y, along.x);
  const b2Vec2 corners[] = {from - side, to - side, to + side, from + side};
  add_polygon(body, fixture, corners, 4, 0);
  add_circle(body, fixture, from, radius);
  add_circle(body, fixture, to, radius);
}


static void add_line(b2Body *body, b2FixtureDef *fixture, const b2Vec2 *points, int count, bool loop) {
  b2EdgeShape segment;
  b2ChainShape chain;
  if (loop) {
    chain.CreateLoop(points, count);
    fixture->shape = &chain;
  } else {
    segment.SetTwoSided(points[0], points[1]);
    fixture->shape = &segment;
  }
  body->CreateFixture(fixture);
}


static void add_piece(b2Body *body, const Piece *piece) {
  b2FixtureDef fixture;
  b2Vec2 *points = new b2Vec2[static_cast<size_t>(piece->count)];
  for (int i = 0; i < piece->count; ++i) {
    const Point &point = scene->points[piece->first + i];
    points[i] = vec(point.x, point.y);
  }
  fixture.density = real(piece->surface.density);
  fixture.friction = real(piece->surface.friction);
  fixture.restitution = real(piece->surface.restitution);
  if (piece->surface.threshold >= 0) fixture.restitutionThreshold = real(piece->surface.threshold);
  fixture.filter.categoryBits = piece->surface.category;
  fixture.filter.maskBits = piece->surface.mask;
  fixture.filter.groupIndex = piece->surface.group;
  switch (piece->kind) {
  case PIECE_CIRCLE:
    add_circle(body, &fixture, points[0], piece->radius);
    break;
  case PIECE_CAPSULE:
    add_capsule(body, &fixture, points[0], points[1], piece->radius);
    break;
  case PIECE_BOX:
  case PIECE_POLYGON:
    add_polygon(body, &fixture, points, piece->count, piece->radius);
    break;
  case PIECE_SEGMENT:
  case PIECE_LOOP:
    add_line(body, &fixture, points, piece->count, piece->kind == PIECE_LOOP);
    break;
  }
  delete[] points;
}


// Give a body with a capsule or a rounded polygon the mass of the original pieces.
static void set_mass(b2Body *body, const Body *data) {
  Mass mass = mass_of_body(scene, data);
  b2MassData sums;
  bool round = false;
  for (int k = data->first; k < data->first + data->count; ++k) {
    const Piece *piece = &scene->pieces[k];
    round = round || (piece->kind != PIECE_CIRCLE && piece->radius > 0);
  }
  if (!round) return;
  sums.mass = real(mass.mass);
  sums.center = vec(mass.x, mass.y);
  sums.I = real(mass.inertia + mass.mass * (mass.x * mass.x + mass.y * mass.y));
  body->SetMassData(&sums);
}


static void add(int i) {
  static const b2BodyType types[] = {b2_staticBody, b2_kinematicBody, b2_dynamicBody};
  const Body *data = &scene->bodies[i];
  b2BodyDef def;
  def.type = types[data->kind];
  def.position = vec(data->x, data->y);
  def.angle = real(data->angle);
  def.linearVelocity = vec(data->vx, data->vy);
  def.angularVelocity = real(data->w);
  def.awake = !data->asleep;
  def.allowSleep = !data->restless;
  def.fixedRotation = data->fixed_rotation;
  def.bullet = data->bullet;
  bodies[i] = world_of(i)->CreateBody(&def);
  for (int k = data->first; k < data->first + data->count; ++k) add_piece(bodies[i], &scene->pieces[k]);
  if (data->kind != BODY_DYNAMIC) return;
  set_mass(bodies[i], data);
  // Box2D changes the velocity of a rotating body when a fixture moves the centre of mass. Set the scene's velocity.
  if (data->w != 0) bodies[i]->SetLinearVelocity(def.linearVelocity);
}


static void join_spring(const Pin *pin) {
  b2WeldJointDef def;
  def.bodyA = bodies[pin->a];
  def.bodyB = bodies[pin->b];
  def.localAnchorA = vec(pin->x_a, pin->y_a);
  def.localAnchorB = vec(pin->x_b, pin->y_b);
  def.referenceAngle = real(pin->reference + pin->rest);
  b2AngularStiffness(def.stiffness, def.damping, real(pin->hertz), real(pin->damping), def.bodyA, def.bodyB);
  world_of(pin->a)->CreateJoint(&def);
}


// A stiffness of 0, the default, makes the weld rigid.
static void join_weld(const Pin *pin) {
  b2WeldJointDef def;
  def.bodyA = bodies[pin->a];
  def.bodyB = bodies[pin->b];
  def.localAnchorA = vec(pin->x_a, pin->y_a);
  def.localAnchorB = vec(pin->x_b, pin->y_b);
  def.referenceAngle = def.bodyB->GetAngle() - def.bodyA->GetAngle();
  world_of(pin->a)->CreateJoint(&def);
}


static void join(int i) {
  const Pin *pin = &scene->pins[i];
  if (pin->kind == PIN_WELD) {
    join_weld(pin);
    return;
  }
  b2RevoluteJointDef def;
  def.bodyA = bodies[pin->a];
  def.bodyB = bodies[pin->b];
  def.localAnchorA = vec(pin->x_a, pin->y_a);
  def.localAnchorB = vec(pin->x_b, pin->y_b);
  def.referenceAngle = real(pin->reference);
  def.enableMotor = pin->motor;
  def.motorSpeed = real(pin->speed);
  def.maxMotorTorque = real(pin->torque);
  def.enableLimit = pin->limit;
  def.lowerAngle = real(pin->lower);
  def.upperAngle = real(pin->upper);
  world_of(pin->a)->CreateJoint(&def);
  if (pin->spring) join_spring(pin);
}


static void remove_body(int i) { world_of(i)->DestroyBody(bodies[i]); }


static void move(int i, double x, double y, double dt) {
  bodies[i]->SetLinearVelocity(real(1 / dt) * (vec(x, y) - bodies[i]->GetPosition()));
  bodies[i]->SetAngularVelocity(0);
}


static void step(double dt) {
  for (int i = 0; i < world_count; ++i) worlds[i]->Step(static_cast<float>(dt), 8, 3);
}


static Pose pose(int i) {
  const b2Body *body = bodies[i];
  b2Vec2 p = body->GetPosition(), v = body->GetLinearVelocity();
  return Pose{p.x, p.y, body->GetAngle(), v.x, v.y, body->GetAngularVelocity(), true};
}


static bool awake(int i) { return bodies[i]->IsAwake(); }


static void report(int steps) {
  int contacts = 0;
  (void)steps;
  for (int i = 0; i < world_count; ++i) contacts += worlds[i]->GetContactCount();
  printf(" contacts=%d", contacts);
}


static const Engine engine = {"box2d", create, add, join, nullptr, remove_body, move, step, pose, awake, report};

ENGINE_MAIN(engine)
