// The rays of rays.h in Box2D 2.4. Boxes replace capsules, because Box2D 2.4 has no capsules.
#include <box2d/box2d.h>

#include "rays.h"

static b2World world(b2Vec2(0, 0));

static void ray_body(int kind, int is_static, double x, double y, double angle) {
  b2BodyDef def;
  def.type = is_static ? b2_staticBody : b2_dynamicBody;
  def.position.Set(float(x), float(y));
  def.angle = float(angle);
  b2Body *body = world.CreateBody(&def);
  b2CircleShape disc;
  b2PolygonShape polygon;
  b2Vec2 corners[4];
  for (int i = 0; i < 4; ++i) corners[i].Set(float(ray_corners[i][0]), float(ray_corners[i][1]));
  disc.m_radius = 0.5f;
  if (kind == 1) polygon.SetAsBox(0.5f, 0.5f);
  if (kind == 2) polygon.SetAsBox(0.8f, 0.3f);
  if (kind == 3) polygon.Set(corners, 4);
  body->CreateFixture(kind == 0 ? static_cast<b2Shape *>(&disc) : &polygon, 1);
}

static void ray_ready(void) {}

struct Closest : b2RayCastCallback {
  int hit = 0;
  float ReportFixture(b2Fixture *, const b2Vec2 &, const b2Vec2 &, float fraction) override {
    hit = 1;
    return fraction;
  }
};

static int ray_first(double x1, double y1, double x2, double y2) {
  Closest closest;
  world.RayCast(&closest, b2Vec2(float(x1), float(y1)), b2Vec2(float(x2), float(y2)));
  return closest.hit;
}
