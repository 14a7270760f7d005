// The benchmark's scenes on Box2D 2.4 as it comes: 8 velocity and 3 position iterations.
#include "engine.h"

#include <box2d/box2d.h>

static b2World *world;
static b2Body **bodies; // by piece
static int body_count;


static b2Vec2 vec(double x, double y) { return b2Vec2(static_cast<float>(x), static_cast<float>(y)); }


static void add(int i, const Piece *piece) {
  b2BodyDef def;
  b2PolygonShape box;
  b2CircleShape circle;
  b2EdgeShape segment;
  b2FixtureDef fixture;
  def.type = piece->moves ? b2_dynamicBody : b2_staticBody;
  if (piece->kind == PIECE_BOX) {
    box.SetAsBox(static_cast<float>(piece->p), static_cast<float>(piece->q));
    fixture.shape = &box;
  } else if (piece->kind == PIECE_CIRCLE) {
    circle.m_radius = static_cast<float>(piece->p);
    fixture.shape = &circle;
  } else {
    segment.SetTwoSided(vec(piece->x, piece->y), vec(piece->p, piece->q));
    fixture.shape = &segment;
  }
  if (piece->kind != PIECE_SEGMENT) def.position = vec(piece->x, piece->y);
  fixture.density = static_cast<float>(SCENE_DENSITY);
  fixture.friction = static_cast<float>(SCENE_FRICTION);
  fixture.filter.categoryBits = piece->category;
  fixture.filter.maskBits = piece->mask;
  bodies[i] = world->CreateBody(&def);
  bodies[i]->CreateFixture(&fixture);
}


static void join(const Pin *pin) {
  b2RevoluteJointDef def;
  def.bodyA = bodies[pin->a];
  def.bodyB = bodies[pin->b];
  def.localAnchorA = vec(pin->x_a, pin->y_a);
  def.localAnchorB = vec(pin->x_b, pin->y_b);
  world->CreateJoint(&def);
}


static void create(const Scene *scene, int option) {
  (void)option;
  world = new b2World(vec(0, SCENE_GRAVITY));
  world->SetAllowSleeping(scene->sleep);
  bodies = static_cast<b2Body **>(calloc(static_cast<size_t>(scene->count) + 1, sizeof *bodies));
  if (bodies == nullptr) exit(1);
  body_count = scene->count;
  for (int i = 0; i < scene->count; ++i) add(i, &scene->pieces[i]);
  for (int i = 0; i < scene->pin_count; ++i) join(&scene->pins[i]);
}


static void step() { world->Step(static_cast<float>(SCENE_DT), 8, 3); }


static Pose pose(int piece) {
  const b2Body *body = bodies[piece];
  b2Vec2 p = body->GetPosition(), v = body->GetLinearVelocity();
  return Pose{p.x, p.y, body->GetAngle(), v.x, v.y, body->GetAngularVelocity()};
}


static int awake() {
  int count = 0;
  for (int i = 0; i < body_count; ++i) count += bodies[i]->GetType() == b2_dynamicBody && bodies[i]->IsAwake();
  return count;
}


static const Engine engine = {"box2d", create, step, pose, awake, nullptr};

ENGINE_MAIN(engine)
