// A first program with impel, in C: cc demo.c -limpel -lm
#include <impel.h>
#include <math.h>
#include <stdio.h>

// Every call that can fail returns a status, and imp_last_error() describes the error in a sentence.
static int failures;
static void must(ImpStatus status) {
  if (status == IMP_OK) return;
  fprintf(stderr, "impel: %s\n", imp_last_error());
  failures++;
}


// Bodies are created from a definition; shapes are added to them, and mass follows from density and area.
static ImpBody add(ImpWorld *world, const char *name, ImpBodyType type, double x, double y) {
  ImpBodyDef def = imp_body_def();
  def.name = name;
  def.type = type;
  def.position = (ImpVec2){x, y};
  ImpBody body = {0};
  must(imp_body_create(world, &def, &body));
  return body;
}


int main(void) {
  // SI units everywhere: gravity (0, -9.81) m/s^2 and steps of 1/60 s, unless the definition says otherwise.
  ImpWorldDef world_def = imp_world_def();
  ImpWorld *world = NULL;
  must(imp_world_create(&world_def, &world));
  ImpBody ground = add(world, "ground", IMP_BODY_STATIC, 0, 0);
  ImpBody box = add(world, "box", IMP_BODY_DYNAMIC, -4, 2), ball = add(world, "ball", IMP_BODY_DYNAMIC, 0, 3);
  ImpShapeDef material = imp_shape_def();
  ImpShape shape;
  must(imp_body_add_segment(world, ground, &material, (ImpVec2){-20, 0}, (ImpVec2){20, 0}, &shape));
  must(imp_body_add_box(world, box, &material, 1, 1, (ImpVec2){0, 0}, 0, 0, &shape));
  material.restitution = 0.6;
  must(imp_body_add_circle(world, ball, &material, (ImpVec2){0, 0}, 0.5, &shape));

  int landings = 0;
  for (int step = 0; step < 300; ++step) {
    // A force acts during the next step; events are those of the last step.
    if (step >= 60 && step < 90) must(imp_body_apply_force(world, box, (ImpVec2){12, 0}));
    must(imp_world_step(world));
    int count;
    const ImpEvent *begin = imp_world_events(world, IMP_EVENT_BEGIN_CONTACT, &count);
    for (int i = 0; i < count; ++i, ++landings) {
      const char *name;
      must(imp_body_name(world, begin[i].body_b, &name));
      printf("step %3d: %s lands at x = %.2f m with %.2f m/s\n", step, name, begin[i].point.x, begin[i].speed);
    }
  }

  printf("\n%-8s %8s %8s %10s\n", "body", "x [m]", "y [m]", "force [N]");
  ImpVec2 p = {0, 0}, force = {0, 0};
  for (ImpBody body = {0}; (body = imp_world_next_body(world, body)).id != 0;) {
    const char *name;
    must(imp_body_name(world, body, &name));
    must(imp_body_position(world, body, &p));
    must(imp_body_contact_force(world, body, &force));
    printf("%-8s %8.3f %8.3f %10.2f\n", name, p.x, p.y, force.y);
  }

  // The net force 12 N - 0.6 x 9.81 N accelerates the box of 1 kg for 0.5 s; then friction brings it to rest.
  double slowing = 0.6 * 9.81, push = 12 - slowing, speed = push * 0.5;
  double expected = -4 + speed * 0.25 + speed * speed / (2 * slowing);
  must(imp_body_position(world, box, &p));
  must(imp_body_contact_force(world, box, &force));
  printf("\nthe box should be at x = %.2f m and weigh 9.81 N\n", expected);
  imp_world_destroy(world);
  return failures == 0 && landings >= 2 && fabs(p.x - expected) < 0.03 && fabs(force.y - 9.81) < 0.05 ? 0 : 1;
}
