// Plays plans (plan.h) on Chipmunk 7 with its default settings: 10 iterations, its own collision slop and bias.
#include "plan.h"

#include <chipmunk/chipmunk.h>

static cpSpace *space;
static cpBody *bodies[PLAN_MAX_BODIES]; // bodies by their number in the plan; bodies[0] is the ground
static cpConstraint *joints[PLAN_MAX_LINES];
static int body_count, joint_count;


static cpBody *body(double index) { return bodies[(int)index]; }


static void add_body(const double *n) {
  bool turns = n[6] == 0 || n[7] > 0;
  cpBody *it = cpBodyNew(n[6], turns ? n[7] : HUGE_VAL);
  cpBodySetPosition(it, cpv(n[0], n[1]));
  cpBodySetAngle(it, n[2]);
  cpBodySetVelocity(it, cpv(n[3], n[4]));
  cpBodySetAngularVelocity(it, n[5]);
  bodies[body_count++] = cpSpaceAddBody(space, it);
}


// Chipmunk multiplies the frictions and the elasticities of two shapes, so each shape gets the square root.
static void add_shape(cpShape *shape, const double *material) {
  if (material[0] > 0) cpShapeSetDensity(shape, material[0]);
  cpShapeSetFriction(shape, sqrt(material[1]));
  cpShapeSetElasticity(shape, sqrt(material[2]));
  cpSpaceAddShape(space, shape);
}


static void add_circle(const double *n) { add_shape(cpCircleShapeNew(body(n[0]), n[1], cpv(n[2], n[3])), n + 5); }


static void add_box(const double *n) {
  double x = n[1] / 2, y = n[2] / 2;
  cpVect corners[4] = {cpv(-x, -y), cpv(x, -y), cpv(x, y), cpv(-x, y)};
  cpTransform at = cpTransformRigid(cpv(n[3], n[4]), n[5]);
  add_shape(cpPolyShapeNew(body(n[0]), 4, corners, at, 0), n + 6);
}


static void add_joint(cpConstraint *joint) {
  cpConstraintSetCollideBodies(joint, cpFalse);
  cpSpaceAddConstraint(space, joint);
}


static void add_revolute(const double *n) {
  joints[joint_count] = cpPivotJointNew(body(n[0]), body(n[1]), cpv(n[2], n[3]));
  add_joint(joints[joint_count++]);
  if (n[4] > 0) {
    cpConstraint *motor = cpSimpleMotorNew(body(n[0]), body(n[1]), 0);
    cpConstraintSetMaxForce(motor, n[4]);
    add_joint(motor);
  }
}


static cpVect local(double index, double x, double y) { return cpBodyWorldToLocal(body(index), cpv(x, y)); }


static void add_rod(const double *n) {
  joints[joint_count] = cpPinJointNew(body(n[0]), body(n[1]), local(n[0], n[2], n[3]), local(n[1], n[4], n[5]));
  add_joint(joints[joint_count++]);
}


static void add_spring(const double *n) {
  joints[joint_count] =
      cpDampedSpringNew(body(n[0]), body(n[1]), local(n[0], n[2], n[3]), local(n[1], n[4], n[5]), n[6], n[7], n[8]);
  add_joint(joints[joint_count++]);
}


static void add_pulley(const double *n) {
  (void)n;
  plan_refuse("it has no pulley");
}


// Velocity function with a force that depends on the position. Chipmunk calls the function after the update of the
// positions, as symplectic Euler requires.
static void attracted(cpBody *it, cpVect gravity, cpFloat damp, cpFloat dt) {
  cpVect p = cpBodyGetPosition(it);
  double gm = *(const double *)cpBodyGetUserData(it), r = cpvlength(p);
  cpBodyUpdateVelocity(it, cpvadd(gravity, cpvmult(p, -gm / (r * r * r))), damp, dt);
}


static void add_attract(const double *n) {
  static double gm[PLAN_MAX_BODIES];
  gm[(int)n[0]] = n[1];
  cpBodySetUserData(body(n[0]), &gm[(int)n[0]]);
  cpBodySetVelocityUpdateFunc(body(n[0]), attracted);
}


static void create(const Plan *plan) {
  static const PlanMaker makers[] = {{"body", add_body},         {"circle", add_circle},   {"box", add_box},
                                     {"revolute", add_revolute}, {"rod", add_rod},         {"spring", add_spring},
                                     {"pulley", add_pulley},     {"attract", add_attract}, {NULL, NULL}};
  space = cpSpaceNew();
  cpSpaceSetIterations(space, 10);
  cpSpaceSetGravity(space, cpv(plan->gravity_x, plan->gravity_y));
  cpSpaceSetDamping(space, exp(-plan->damping)); // fraction of the velocity that remains after a second
  bodies[body_count++] = cpSpaceGetStaticBody(space);
  plan_make(plan, makers);
}


static void print(double dt) {
  printf("at ");
  for (int i = 1; i < body_count; ++i) {
    cpVect p = cpBodyGetPosition(bodies[i]), v = cpBodyGetVelocity(bodies[i]);
    plan_print_body(p.x, p.y, cpBodyGetAngle(bodies[i]), v.x, v.y, cpBodyGetAngularVelocity(bodies[i]));
  }
  for (int i = 0; i < joint_count; ++i) printf("%.17g ", cpConstraintGetImpulse(joints[i]) / dt);
  printf("\n");
}


int main(int argc, char **argv) {
  const Plan *plan = plan_read(argc, argv);
  create(plan);
  print(plan->dt);
  for (int step = 0; step < plan->steps; ++step) {
    cpSpaceStep(space, plan->dt);
    print(plan->dt);
  }
  return 0;
}
