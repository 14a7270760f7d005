// Constraint rows: identities of one row, rows of a contact against finite differences, masses of bodies.
#include "model/contact_rows.h"
#include "scene.h"
#include "world/world.h"

static const double pi = 3.14159265358979323846;


// ---------------------------------------------------------------------------------------------------------------------
// One row on random bodies
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Pair {
  ImpiBody bodies[2];
  ImpiMotion motions[2];
  ImpiRow row;
} Pair;


static double *velocity_of(Pair *pair, int i) {
  ImpiMotion *m = &pair->motions[i / 3];
  double *const all[] = {&m->vx, &m->vy, &m->w};
  return all[i % 3];
}


static double mass_of(const Pair *pair, int i) {
  const ImpiBody *body = &pair->bodies[i / 3];
  double inverse = i % 3 == 2 ? body->inv_inertia : body->inv_mass;
  return inverse > 0 ? 1 / inverse : 0;
}


// Return two bodies with masses from 0.1 to 10 and random J and v in [-1, 1]. One body may be unable to move or to
// rotate.
static Pair random_pair(void) {
  Pair pair = {.row = impi_row(IMP_ROW_LOCK, 0, 0, 0, 1)};
  int rigid = (int)random_in(0, 10);
  for (int k = 0; k < 2; ++k) {
    pair.bodies[k].inv_mass = rigid == k ? 0 : pow(10, random_in(-1, 1));
    pair.bodies[k].inv_inertia = rigid == k || rigid == k + 2 ? 0 : pow(10, random_in(-1, 1));
  }
  for (int i = 0; i < 6; ++i) {
    pair.row.j[i] = random_in(-1, 1);
    *velocity_of(&pair, i) = random_in(-1, 1);
  }
  pair.row.bias = random_in(-1, 1);
  pair.row.mass = impi_row_mass(&pair.row, pair.bodies);
  return pair;
}


static double kinetic(Pair *pair) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) {
    double v = *velocity_of(pair, i);
    sum += 0.5 * mass_of(pair, i) * v * v;
  }
  return sum;
}


static void check_worst(double worst, double tolerance, const char *what) {
  CHECK_NEAR(worst, 0, tolerance);
  measured(what, worst);
}


enum { ROWS = 10000 };


// After one solve, J v + b = 0, and the impulse lambda equals the effective mass m_C times the change of J v.
static void one_solve_satisfies_a_row_exactly(void) {
  double worst = 0, worst_mass = 0;
  for (int i = 0; i < ROWS; ++i) {
    Pair pair = random_pair();
    double before = impi_row_speed(&pair.row, pair.motions);
    double lambda = impi_row_solve(&pair.row, 0, pair.bodies, pair.motions, i % 2 == 0);
    double after = impi_row_speed(&pair.row, pair.motions);
    worst = fmax(worst, fabs(after + pair.row.bias));
    worst_mass = fmax(worst_mass, fabs(pair.row.mass * (after - before) - lambda));
  }
  check_worst(worst, 1e-12, "worst |J v + b| after one solve, expected 1e-12");
  check_worst(worst_mass, 1e-12, "worst m_C d(J v) - lambda, expected 1e-12");
}


// m_C J (M^-1 J^T lambda) = lambda. The bodies start at rest, so J v = J (M^-1 J^T lambda) without cancellation.
static void effective_mass_is_the_inverse_of_j_m_jt(void) {
  double worst = 0;
  for (int i = 0; i < ROWS; ++i) {
    Pair pair = random_pair();
    memset(pair.motions, 0, sizeof pair.motions);
    double lambda = random_in(-3, 3);
    impi_row_apply(&pair.row, pair.bodies, pair.motions, lambda);
    worst = fmax(worst, fabs(pair.row.mass * impi_row_speed(&pair.row, pair.motions) / lambda - 1));
  }
  check_worst(worst, 1e-12, "worst m_C J M^-1 J^T lambda / lambda - 1, expected 1e-12");
  Pair rigid = random_pair();
  rigid.bodies[0] = rigid.bodies[1] = (ImpiBody){0};
  CHECK(impi_row_mass(&rigid.row, rigid.bodies) == 0);
}


// The identity lambda (J v) = (J^T lambda) . v. An impulse lambda on bodies at rest gives the velocities
// M^-1 J^T lambda.
static void velocities_and_impulses_use_the_same_matrix(void) {
  double worst = 0;
  for (int i = 0; i < ROWS; ++i) {
    Pair pair = random_pair(), rest = pair;
    memset(rest.motions, 0, sizeof rest.motions);
    double lambda = random_in(-3, 3), power = 0, skipped = 0;
    impi_row_apply(&rest.row, rest.bodies, rest.motions, lambda);
    for (int k = 0; k < 6; ++k) {
      double v = *velocity_of(&pair, k);
      power += mass_of(&rest, k) * *velocity_of(&rest, k) * v;
      // An impulse does not change the velocity of a body with infinite mass, so the power of the impulse is computed
      // from J.
      skipped += mass_of(&rest, k) > 0 ? 0 : pair.row.j[k] * v * lambda;
    }
    worst = fmax(worst, fabs(lambda * impi_row_speed(&pair.row, pair.motions) - power - skipped));
  }
  check_worst(worst, 1e-12, "worst lambda (J v) - (J^T lambda) . v, expected 1e-12");
}


// J(q) (a v1 + b v2) = a J v1 + b J v2.
static void row_speed_is_linear_in_velocity(void) {
  double worst = 0;
  for (int i = 0; i < ROWS; ++i) {
    Pair one = random_pair(), two = random_pair(), sum = one;
    double a = random_in(-2, 2), b = random_in(-2, 2);
    for (int k = 0; k < 6; ++k) {
      *velocity_of(&sum, k) = a * *velocity_of(&one, k) + b * *velocity_of(&two, k);
    }
    double expected = a * impi_row_speed(&one.row, one.motions) + b * impi_row_speed(&one.row, two.motions);
    worst = fmax(worst, fabs(impi_row_speed(&one.row, sum.motions) - expected));
  }
  check_worst(worst, 1e-12, "worst J (a v1 + b v2) - a J v1 - b J v2, expected 1e-12");
}


// If b = 0, one solve removes exactly the energy 1/2 m_C (J v)^2, and a second solve removes nothing.
static void a_solve_removes_the_energy_of_its_coordinate(void) {
  double worst = 0;
  for (int i = 0; i < ROWS; ++i) {
    Pair pair = random_pair();
    pair.row.bias = 0;
    for (int k = 0; k < 6; ++k) { // bodies with infinite mass are at rest, because a moving wall would do work
      *velocity_of(&pair, k) = mass_of(&pair, k) > 0 ? *velocity_of(&pair, k) : 0;
    }
    double before = kinetic(&pair), speed = impi_row_speed(&pair.row, pair.motions);
    impi_row_solve(&pair.row, 0, pair.bodies, pair.motions, true);
    double change = kinetic(&pair) - before;
    // Relative error: energies are up to 30 J.
    worst = fmax(worst, fabs(change + 0.5 * pair.row.mass * speed * speed) / (1 + before));
    before = kinetic(&pair);
    impi_row_solve(&pair.row, 0, pair.bodies, pair.motions, true);
    worst = fmax(worst, fabs(kinetic(&pair) - before) / (1 + before));
  }
  check_worst(worst, 1e-12, "worst dKE + 1/2 m_C (J v)^2, expected 1e-12");
}


// The accumulated impulse is clamped to the bound.
static void a_bound_applies_to_the_accumulated_impulse(void) {
  for (int i = 0; i < ROWS; ++i) {
    Pair pair = random_pair();
    pair.row.lower = 0;
    pair.row.lambda = random_in(0, 1);
    double old = pair.row.lambda, speed = impi_row_speed(&pair.row, pair.motions);
    double wanted = old - pair.row.mass * (speed + pair.row.bias);
    double applied = impi_row_solve(&pair.row, 0, pair.bodies, pair.motions, true);
    CHECK(pair.row.lambda >= 0);
    CHECK_NEAR(pair.row.lambda, fmax(wanted, 0), 1e-12);
    CHECK_NEAR(applied, pair.row.lambda - old, 0);
    CHECK_NEAR(impi_row_speed(&pair.row, pair.motions) - speed, applied / pair.row.mass, 1e-11);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The rows of a contact
// ---------------------------------------------------------------------------------------------------------------------

typedef enum Family { CIRCLE, CAPSULE, POLYGON, ROUNDED, SEGMENT, CHAIN, FAMILY_COUNT } Family;

static ImpiHeap heap;


static ImpiGeometry random_geometry(Family family) {
  ImpiGeometry geometry = {0};
  ImpVec2 at = {random_in(-0.3, 0.3), random_in(-0.3, 0.3)};
  ImpVec2 to = {at.x + random_in(0.5, 1.5), at.y + random_in(-0.5, 0.5)};
  double radius = family == ROUNDED ? random_in(0.05, 0.2) : 0;
  ImpVec2 points[5];
  switch (family) {
  case CIRCLE:
    MUST(impi_geometry_circle(&heap, at, random_in(0.2, 0.6), &geometry));
    break;
  case CAPSULE:
    MUST(impi_geometry_capsule(&heap, at, to, random_in(0.1, 0.3), &geometry));
    break;
  case SEGMENT:
    MUST(impi_geometry_segment(&heap, at, to, &geometry));
    break;
  case CHAIN: // the link is long, because contacts beyond its ends are removed
    MUST(impi_geometry_chain(&heap, (ImpVec2[]){vec(9, to.y), vec(-9, at.y)}, 2, false, &geometry));
    break;
  default:
    for (int i = 0; i < 5; ++i) {
      double turn = (i + random_in(0, 0.6)) * 2 * pi / 5;
      points[i] = vec(at.x + 0.6 * cos(turn), at.y + 0.5 * sin(turn));
    }
    MUST(impi_geometry_polygon(&heap, points, 5, radius, &geometry));
  }
  return geometry;
}


typedef struct Case {
  ImpiShape shapes[2];
  ImpiBody bodies[2];
  ImpiMotion motions[2];
  ImpiContact contact;
  ImpiContactPoint points[2];
} Case;


static void update(Case *m, ImpiContact *out_contact, ImpiContactPoint *points) {
  *out_contact = (ImpiContact){.body_b = 1, .friction = 0.5, .rolling = 0.1, .points = points};
  impi_contact_update(out_contact, &m->shapes[0], &m->shapes[1], &m->bodies[0], &m->motions[0], &m->bodies[1],
                      &m->motions[1], 0.02, NULL);
}


// Place b near a, both rotated, and move b until the shapes touch. Return false if they do not touch.
static bool meet(Case *m, Family a, Family b) {
  memset(m, 0, sizeof *m);
  m->shapes[0].geometry = random_geometry(a);
  m->shapes[1].geometry = random_geometry(b);
  for (int k = 0; k < 2; ++k) {
    m->bodies[k] =
        (ImpiBody){.inv_mass = 1, .inv_inertia = 2, .local_center = vec(random_in(-0.2, 0.2), random_in(-0.2, 0.2))};
    double angle = random_in(-3, 3);
    m->motions[k] = (ImpiMotion){.x = 0, .y = 0, .c = cos(angle), .s = sin(angle), .angle = angle};
  }
  double direction = random_in(-3.2, 3.2), depth = random_in(-0.015, 0.05);
  double apart = 4, step = 4;
  for (int i = 0; i < 60; ++i) { // bisection: find the largest distance at which the overlap is `depth`
    m->motions[1].x = m->motions[0].x + apart * cos(direction);
    m->motions[1].y = m->motions[0].y + apart * sin(direction);
    update(m, &m->contact, m->points);
    step /= 2;
    apart += m->contact.count == 0 || impi_contact_separation(&m->contact) > -depth ? -step : step;
  }
  return m->contact.count > 0;
}


static void part(Case *m) {
  impi_geometry_free(&heap, &m->shapes[0].geometry);
  impi_geometry_free(&heap, &m->shapes[1].geometry);
}


static const ImpiContactPoint *deepest(const ImpiContact *contact) {
  bool second = contact->count == 2 && contact->points[1].separation < contact->points[0].separation;
  return &contact->points[second];
}


// Return the separation of the deepest point after coordinate i has changed by `by`; NaN if another feature is deepest.
static double separation_at(const Case *at, int i, double by) {
  Case moved = *at;
  ImpiMotion *m = &moved.motions[i / 3];
  double *const coordinate[] = {&m->x, &m->y, &m->angle};
  *coordinate[i % 3] += by;
  m->c = cos(m->angle);
  m->s = sin(m->angle);
  ImpiContact contact;
  update(&moved, &contact, moved.points);
  if (contact.count == 0 || deepest(&contact)->feature != deepest(&at->contact)->feature) {
    return (double)NAN;
  }
  return deepest(&contact)->separation;
}


// J of the normal row is the gradient of the separation of the deepest point, for all pairs of shapes.
static void normal_rows_are_gradients_of_the_separation(void) {
  const double step = 1e-6; // errors: step^2 f'' with f'' = 1 / m, and rounding, 1e-16 / step
  double worst = 0;
  int pairs = 0, fewest = 1000000;
  for (int a = 0; a < FAMILY_COUNT; ++a) {
    for (int b = 0; b < FAMILY_COUNT; ++b) {
      if (a >= SEGMENT && b >= SEGMENT) {
        continue; // two lines do not collide
      }
      int checked = 0;
      for (int trial = 0; trial < 200; ++trial) {
        Case m;
        if (meet(&m, (Family)a, (Family)b)) {
          ImpiRow rows[IMPI_MAX_CONTACT_ROWS];
          impi_contact_rows(&m.contact, m.bodies, m.motions, &m.motions[0], &m.motions[1], 0, rows);
          const ImpiRow *row = &rows[deepest(&m.contact) - m.contact.points];
          for (int i = 0; i < 6; ++i) {
            double slope = (separation_at(&m, i, step) - separation_at(&m, i, -step)) / (2 * step);
            if (slope == slope) {
              worst = fmax(worst, fabs(slope - row->j[i]));
              CHECK_NEAR(row->j[i], slope, 1e-6);
              checked++;
            }
          }
        }
        part(&m);
      }
      fewest = checked < fewest ? checked : fewest;
      pairs++;
    }
  }
  CHECK(fewest > 300);
  measured("ordered pairs of shape kinds, expected 32", pairs);
  measured("fewest derivatives compared for a pair of kinds", fewest);
  measured("worst |J - finite difference|, expected 1e-6", worst);
}


// The two sides of a row exert opposite forces along one line. Friction acts along the tangent, rolling resistance by
// opposite torques.
static void the_wrenches_of_a_contact_cancel(void) {
  double worst = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Case m;
    if (meet(&m, (Family)(trial % SEGMENT), (Family)(trial / 4 % FAMILY_COUNT))) {
      ImpiRow rows[IMPI_MAX_CONTACT_ROWS];
      int count = impi_contact_rows(&m.contact, m.bodies, m.motions, &m.motions[0], &m.motions[1], 0, rows);
      CHECK(count == 2 * m.contact.count + 1);
      for (int i = 0; i < count; ++i) {
        const double *j = rows[i].j;
        ImpVec2 about = {random_in(-3, 3), random_in(-3, 3)};
        double moment = j[2] + j[5];
        for (int k = 0; k < 2; ++k) {
          moment += (m.motions[k].x - about.x) * j[3 * k + 1] - (m.motions[k].y - about.y) * j[3 * k];
        }
        worst = fmax(worst, fmax(fabs(moment), fmax(fabs(j[0] + j[3]), fabs(j[1] + j[4]))));
      }
      const double *n = rows[0].j, *t = rows[m.contact.count].j;
      worst = fmax(worst, fabs(n[3] * t[3] + n[4] * t[4]));
      CHECK_NEAR(t[3], n[4], 1e-15); // the tangent is the normal turned by -90 degrees
      CHECK_NEAR(t[4], -n[3], 1e-15);
    }
    part(&m);
  }
  check_worst(worst, 1e-9, "worst sum of forces and moments of a contact row, expected 1e-9");
}


// Friction is bounded by the normal impulse of the current step.
static void friction_is_bounded_by_the_current_normal_impulse(void) {
  Case m;
  ImpiRow rows[IMPI_MAX_CONTACT_ROWS];
  while (!meet(&m, CIRCLE, POLYGON)) part(&m);
  m.contact.points[0].lambda_n = 7; // impulse of the previous step
  impi_contact_rows(&m.contact, m.bodies, m.motions, &m.motions[0], &m.motions[1], 0, rows);
  m.motions[1].vx = -m.contact.normal.x + 10 * m.contact.normal.y; // the bodies approach at 1 m/s and slip at 10 m/s
  m.motions[1].vy = -m.contact.normal.y - 10 * m.contact.normal.x;
  rows[0].lambda = 0;
  impi_row_solve(rows, 0, m.bodies, m.motions, true);
  double normal = rows[0].lambda;
  CHECK(normal > 0 && normal < 7);
  impi_row_solve(rows, 1, m.bodies, m.motions, true);
  CHECK_NEAR(rows[1].upper, 0.5 * normal, 0);
  CHECK_NEAR(rows[1].lower, -0.5 * normal, 0);
  CHECK_NEAR(fabs(rows[1].lambda), 0.5 * normal, 0); // friction is at its bound, because the bodies slip fast
  rows[2].bias = 100;
  impi_row_solve(rows, 2, m.bodies, m.motions, true);
  // Rolling resistance is at its bound c r N, with coefficient c, radius r and normal impulse N.
  CHECK_NEAR(fabs(rows[2].lambda), 0.1 * normal, 0);
  rows[0].lambda = 0;
  impi_row_solve(rows, 1, m.bodies, m.motions, true);
  CHECK_NEAR(rows[1].lambda, 0, 0); // without a normal impulse there is no friction
  part(&m);
}


// ---------------------------------------------------------------------------------------------------------------------
// Masses
// ---------------------------------------------------------------------------------------------------------------------


static void check_mass(ImpWorld *world, ImpBody body, double mass, double inertia, ImpVec2 center) {
  CHECK_NEAR(body_get(world, body, IMP_BODY_MASS) / mass, 1, 1e-12);
  CHECK_NEAR(body_get(world, body, IMP_BODY_INERTIA) / inertia, 1, 1e-12);
  ImpVec2 c;
  MUST(imp_body_center(world, body, &c));
  CHECK_NEAR(c.x, center.x, 1e-12);
  CHECK_NEAR(c.y, center.y, 1e-12);
  const ImpiBody *inside = &world->bodies.data[impi_pool_find(&world->body_pool, body.id, world->tag)];
  CHECK_NEAR(inside->mass * inside->inv_mass, 1, 1e-15); // M M^-1 = 1
  CHECK_NEAR(inside->inertia * inside->inv_inertia, 1, 1e-15);
}


static void masses_follow_closed_forms(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  ImpShape shape;
  for (int i = 0; i < 100; ++i) {
    double w = random_in(0.1, 3), h = random_in(0.1, 3), r = random_in(0.1, 2), density = random_in(0.1, 10);
    ImpShapeDef def = material(density, 0, 0);
    ImpBody box = add_body(world, IMP_BODY_DYNAMIC, 1, 2, 0.3);
    add_box(world, box, def, w, h);
    double m = density * w * h;
    check_mass(world, box, m, m * (w * w + h * h) / 12, vec(1, 2));

    ImpBody disc = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
    add_circle(world, disc, def, r);
    double m_disc = density * pi * r * r;
    check_mass(world, disc, m_disc, m_disc * r * r / 2, vec(0, 0));

    // A right triangle: centroid at a third of each leg, I = m (w^2 + h^2) / 18.
    ImpBody triangle = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
    MUST(imp_body_add_polygon(world, triangle, &def, (ImpVec2[]){{0, 0}, {w, 0}, {0, h}}, 3, 0, &shape));
    check_mass(world, triangle, m / 2, m / 2 * (w * w + h * h) / 18, vec(w / 3, h / 3));

    // A box and a disc of different densities. The inertia follows from the parallel-axis theorem.
    ImpBody both = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
    ImpShapeDef heavy = material(2 * density, 0, 0);
    ImpVec2 at = {random_in(-2, 2), random_in(-2, 2)};
    MUST(imp_body_add_box(world, both, &def, w, h, vec(0, 0), 0.7, 0, &shape));
    MUST(imp_body_add_circle(world, both, &heavy, at, r, &shape));
    double sum = m + 2 * m_disc, reduced = m * 2 * m_disc / sum;
    double inertia = m * (w * w + h * h) / 12 + m_disc * r * r + reduced * (at.x * at.x + at.y * at.y);
    ImpVec2 center = {at.x * 2 * m_disc / sum, at.y * 2 * m_disc / sum};
    check_mass(world, both, sum, inertia, center);
    MUST(imp_body_set(world, both, IMP_BODY_MASS, 7));
    check_mass(world, both, 7, inertia * 7 / sum, center);
    MUST(imp_body_set(world, both, IMP_BODY_INERTIA, 3));
    check_mass(world, both, 7, 3, center);
    MUST(imp_shape_destroy(world, shape)); // mass and inertia keep the values that were set
    check_mass(world, both, 7, 3, vec(0, 0));
  }
  imp_world_destroy(world);
}


static void static_and_kinematic_bodies_have_no_inverse_mass(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  for (int type = 0; type < IMP_BODY_TYPE_COUNT; ++type) {
    ImpBody body = add_body(world, (ImpBodyType)type, 0, 10.0 * type, 0);
    add_box(world, body, material(2, 0, 0), 1, 1);
    const ImpiBody *inside = &world->bodies.data[impi_pool_find(&world->body_pool, body.id, world->tag)];
    bool moves = type >= IMP_BODY_DYNAMIC, turns = type == IMP_BODY_DYNAMIC;
    CHECK((inside->inv_mass > 0) == moves);
    CHECK((inside->inv_inertia > 0) == turns);
    CHECK_NEAR(body_get(world, body, IMP_BODY_MASS), moves ? 2 : 0, 0);
  }
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  heap.allocator = impi_default_allocator();
  RUN(one_solve_satisfies_a_row_exactly);
  RUN(effective_mass_is_the_inverse_of_j_m_jt);
  RUN(velocities_and_impulses_use_the_same_matrix);
  RUN(row_speed_is_linear_in_velocity);
  RUN(a_solve_removes_the_energy_of_its_coordinate);
  RUN(a_bound_applies_to_the_accumulated_impulse);
  RUN(normal_rows_are_gradients_of_the_separation);
  RUN(the_wrenches_of_a_contact_cancel);
  RUN(friction_is_bounded_by_the_current_normal_impulse);
  RUN(masses_follow_closed_forms);
  RUN(static_and_kinematic_bodies_have_no_inverse_mass);
  return check_report("rows");
}
