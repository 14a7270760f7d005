// Cached contacts of circles on edges, at corners, beside other circles. A contact that is updated from step to step
// equals a contact that is recomputed from the poses.
#include "scene.h"
#include "validate.h"
#include "world/contacts.h"

enum { MOST = 4000 };

typedef struct Seen {
  double separation, normal, anchor; // largest difference from a new manifold [m, 1, m]
  int edges, corners, circles;       // updates of cached contacts with an edge, a corner, a circle
  ImpVec2 p[MOST];                   // position at which each contact was last computed
} Seen;

static Seen seen;


static ImpVec2 off(ImpVec2 a, ImpVec2 b) { return vec(fabs(a.x - b.x), fabs(a.y - b.y)); }
static double larger(ImpVec2 a) { return fmax(a.x, a.y); }


static void compare_contact(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = impi_contact_now(world, slot);
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  const ImpiMotion *at_a = &world->motions.data[contact->body_a], *at_b = &world->motions.data[contact->body_b];
  ImpTransform frame_a = impi_body_frame(a, at_a), frame_b = impi_body_frame(b, at_b);
  ImpTransform b_in_a = impi_inv_mul(frame_a, frame_b);
  ImpiLocalManifold now;
  impi_collide(&world->shapes.data[contact->shape_a].geometry.hulls[contact->child_a],
               &world->shapes.data[contact->shape_b].geometry.hulls[contact->child_b], &b_in_a, 1, &now);
  ImpVec2 place = impi_apply(frame_a, now.points[0].point), normal = impi_rotate(frame_a.q, now.normal);
  const ImpiContactPoint *point = &contact->points[0];
  seen.separation = fmax(seen.separation, fabs(point->separation - now.points[0].separation));
  seen.normal = fmax(seen.normal, larger(off(contact->normal, normal)));
  ImpVec2 from_a = impi_sub(place, vec(at_a->x, at_a->y)), from_b = impi_sub(place, vec(at_b->x, at_b->y));
  if (impi_is_dynamic(a)) seen.anchor = fmax(seen.anchor, larger(off(point->r_a, from_a)));
  if (impi_is_dynamic(b)) seen.anchor = fmax(seen.anchor, larger(off(point->r_b, from_b)));
}


static void compare(ImpWorld *world, double h, void *user) {
  (void)h;
  if ((*(int *)user)++ > 0) return;
  for (int32_t slot = 0; slot < world->contacts.count && slot < MOST; ++slot) {
    if (!is_live(&world->contact_pool, slot)) continue;
    const ImpiContact *contact = &world->contacts.data[slot];
    uint32_t round = contact->flags & (IMPI_CONTACT_ROUND_A | IMPI_CONTACT_ROUND_B);
    if (contact->count == 0 || round == 0 || !(contact->flags & IMPI_CONTACT_FRESH)) continue;
    compare_contact(world, slot);
    ImpVec2 p = contact->reference.p;
    if (p.x == seen.p[slot].x && p.y == seen.p[slot].y) {
      bool both = round == (IMPI_CONTACT_ROUND_A | IMPI_CONTACT_ROUND_B);
      seen.circles += both;
      seen.corners += !both && contact->flags & IMPI_CONTACT_CORNER;
      seen.edges += !(contact->flags & IMPI_CONTACT_CORNER);
    }
    seen.p[slot] = p;
  }
}


// A kinematic hollow box turns. It contains circles, boxes and capsules.
static ImpWorld *make_drum(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 10);
  ImpBody drum = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0);
  ImpShapeDef def = material(1, 0.5, 0);
  ImpShape shape;
  for (int side = 0; side < 4; ++side) {
    double c = side % 2 == 0 ? (side == 0 ? 3 : -3) : 0, s = side % 2 == 1 ? (side == 1 ? 3 : -3) : 0;
    ImpVec2 half = side % 2 == 0 ? vec(0.5, 3.5) : vec(3.5, 0.5);
    ImpVec2 corners[4] = {vec(c - half.x, s - half.y), vec(c + half.x, s - half.y), vec(c + half.x, s + half.y),
                          vec(c - half.x, s + half.y)};
    MUST(imp_body_add_polygon(world, drum, &def, corners, 4, 0, &shape));
  }
  set_velocity(world, drum, 0, 0, 0.7);
  for (int i = 0; i < 90; ++i) {
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, -2 + 0.45 * (i % 10), -2 + 0.45 * (i / 10), i);
    double r = 0.1 + 0.01 * (i % 9);
    if (i % 3 != 0) {
      add_circle(world, body, def, r);
    } else if (i % 2 == 0) {
      add_box(world, body, def, 2 * r, r);
    } else {
      MUST(imp_body_add_capsule(world, body, &def, vec(-r, 0), vec(r, 0.02), r / 2, &shape));
    }
    if (i % 12 == 1) {
      MUST(imp_body_add_circle(world, body, &def, vec(r, 0), r / 2, &shape));
    }
  }
  return world;
}


static void a_kept_contact_of_a_circle_equals_a_recomputed_one(void) {
  seen = (Seen){0};
  int substep = 0;
  ImpWorld *world = make_drum();
  imp_world_set_substep_callback(world, compare, &substep);
  for (int i = 0; i < 600; ++i) {
    substep = 0;
    run(world, 1);
  }
  measured("kept contact of a circle: worst error of the separation [m]", seen.separation);
  measured("kept contact of a circle: worst error of the normal", seen.normal);
  measured("kept contact of a circle: worst error of an anchor [m]", seen.anchor);
  CHECK(seen.separation < 1e-7 && seen.normal < 1e-6 && seen.anchor < 1e-6); // rounding of floats
  CHECK(seen.edges > 1000 && seen.corners > 100 && seen.circles > 1000);
  imp_world_destroy(world);
}


// The contact of a disc that rolls on a floor is not recomputed, and the disc loses no speed.
static void a_rolling_disc_keeps_its_contact(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 10);
  add_ground(world, material(1, 0.9, 0), 0);
  ImpBody disc = drop_disc(world, material(1, 0.9, 0), -4, 0.5, 0.5);
  set_velocity(world, disc, 1, 0, -2);
  run(world, 40);
  ImpVec2 found = world->contacts.data[0].reference.p, start = position(world, disc);
  double w = spin(world, disc);
  CHECK_NEAR(w, -2, 1e-3);
  run(world, 15);
  CHECK(world->contacts.data[0].reference.p.x == found.x && world->contacts.data[0].reference.p.y == found.y);
  double speed = (position(world, disc).x - start.x) / 15;
  run(world, 120);
  CHECK_NEAR((position(world, disc).x - start.x) / 135, speed, 1e-9);
  CHECK_NEAR(spin(world, disc), w, 1e-9);
  CHECK_NEAR(position(world, disc).y, start.y, 1e-9);
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_kept_contact_of_a_circle_equals_a_recomputed_one);
  RUN(a_rolling_disc_keeps_its_contact);
  return check_report("round");
}
