// Plays plans (plan.h) on Box2D 2.4 with its default settings: 8 velocity iterations and 3 position iterations.
#include "plan.h"

#include <box2d/box2d.h>

static b2World *world;
static b2Body *bodies[PLAN_MAX_BODIES]; // bodies by their number in the plan; bodies[0] is the ground
static b2Joint *joints[PLAN_MAX_LINES];
static int body_count, joint_count;
static float damping; // damping of every body [1/s]


static float f(double number) { return static_cast<float>(number); }
static b2Vec2 vec(double x, double y) { return b2Vec2(f(x), f(y)); }
static b2Body *body(double index) { return bodies[static_cast<int>(index)]; }


static void add_body(const double *n) {
  b2BodyDef def;
  def.type = b2_dynamicBody;
  def.position = vec(n[0], n[1]);
  def.angle = f(n[2]);
  def.linearVelocity = vec(n[3], n[4]);
  def.angularVelocity = f(n[5]);
  def.linearDamping = def.angularDamping = damping;
  def.fixedRotation = n[6] > 0 && n[7] == 0;
  b2Body *it = world->CreateBody(&def);
  if (n[6] > 0) {
    b2MassData mass = {f(n[6]), vec(0, 0), f(n[7])};
    it->SetMassData(&mass);
  }
  bodies[body_count++] = it;
}


// Shapes of a body with a given mass have the density 0, so they do not change the mass.
static void add_shape(b2Body *on, const b2Shape *shape, const double *material) {
  b2FixtureDef def;
  def.shape = shape;
  def.density = f(material[0]);
  def.friction = f(material[1]);
  def.restitution = f(material[2]);
  on->CreateFixture(&def);
}


static void add_circle(const double *n) {
  b2CircleShape circle;
  circle.m_radius = f(n[1]);
  circle.m_p = vec(n[2], n[3]);
  add_shape(body(n[0]), &circle, n + 5);
}


static void add_box(const double *n) {
  b2PolygonShape box;
  box.SetAsBox(f(n[1] / 2), f(n[2] / 2), vec(n[3], n[4]), f(n[5]));
  add_shape(body(n[0]), &box, n + 6);
}


static void add_revolute(const double *n) {
  b2RevoluteJointDef def;
  def.Initialize(body(n[0]), body(n[1]), vec(n[2], n[3]));
  def.enableMotor = n[4] > 0;
  def.maxMotorTorque = f(n[4]);
  joints[joint_count++] = world->CreateJoint(&def);
}


static void add_rod(const double *n) {
  b2DistanceJointDef def;
  def.Initialize(body(n[0]), body(n[1]), vec(n[2], n[3]), vec(n[4], n[5]));
  joints[joint_count++] = world->CreateJoint(&def);
}


static void add_spring(const double *n) {
  b2DistanceJointDef def;
  def.Initialize(body(n[0]), body(n[1]), vec(n[2], n[3]), vec(n[4], n[5]));
  def.length = f(n[6]);
  def.minLength = 0;
  // The maximum length is larger than any length in the scenes, so it does not limit the spring.
  def.maxLength = 2 * (def.length + (vec(n[4], n[5]) - vec(n[2], n[3])).Length());
  def.stiffness = f(n[7]);
  def.damping = f(n[8]);
  joints[joint_count++] = world->CreateJoint(&def);
}


static void add_pulley(const double *n) {
  b2PulleyJointDef def;
  def.Initialize(body(n[0]), body(n[1]), vec(n[2], n[3]), vec(n[4], n[5]), vec(n[6], n[7]), vec(n[8], n[9]), 1);
  joints[joint_count++] = world->CreateJoint(&def);
}


// Makes nothing for an `attract` line: plan_push applies its force before each step.
static void keep(const double *n) { (void)n; }


static void create(const Plan *plan) {
  static const PlanMaker makers[] = {{"body", add_body},         {"circle", add_circle}, {"box", add_box},
                                     {"revolute", add_revolute}, {"rod", add_rod},       {"spring", add_spring},
                                     {"pulley", add_pulley},     {"attract", keep},      {nullptr, nullptr}};
  b2BodyDef ground;
  world = new b2World(vec(plan->gravity_x, plan->gravity_y));
  world->SetAllowSleeping(false);
  damping = f(plan->damping);
  bodies[body_count++] = world->CreateBody(&ground);
  plan_make(plan, makers);
}


static void attract(const double *n) {
  b2Body *it = body(n[0]);
  b2Vec2 p = it->GetPosition();
  float r = p.Length();
  it->ApplyForceToCenter(-it->GetMass() * f(n[1]) / (r * r * r) * p, true);
}


static void print(double dt) {
  printf("at ");
  for (int i = 1; i < body_count; ++i) {
    b2Vec2 p = bodies[i]->GetPosition(), v = bodies[i]->GetLinearVelocity();
    plan_print_body(p.x, p.y, bodies[i]->GetAngle(), v.x, v.y, bodies[i]->GetAngularVelocity());
  }
  for (int i = 0; i < joint_count; ++i) printf("%.9g ", joints[i]->GetReactionForce(f(1 / dt)).Length());
  printf("\n");
}


int main(int argc, char **argv) {
  const Plan *plan = plan_read(argc, argv);
  create(plan);
  print(plan->dt);
  for (int step = 0; step < plan->steps; ++step) {
    plan_push(plan, "attract", attract);
    world->Step(f(plan->dt), 8, 3);
    print(plan->dt);
  }
  return 0;
}
