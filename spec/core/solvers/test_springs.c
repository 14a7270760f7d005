// The law of springs: one substep of impi_spring_step() compared with the damped oscillator, x'' = -2 z w x' - w^2 x.
#include <complex.h>

#include "random_joints.h"

static const double pi = 3.14159265358979323846;

// An oscillator. Only w h and the damping ratio z matter.
typedef struct Oscillator {
  double k, stiffness, damping; // k: inverse mass [1/kg]
  double x, v;
} Oscillator;


static Oscillator oscillator(double w, double z, double k) {
  return (Oscillator){.k = k, .stiffness = w * w / k, .damping = 2 * z * w / k};
}


// Advance by a substep, with the spring force at the start of the substep. `acceleration`: due to all other forces.
static void advance(Oscillator *o, double acceleration, double h) {
  ImpiSpringStep s = impi_spring_step(o->stiffness, o->damping, o->k, o->x, h);
  double v = o->v + h * acceleration;
  o->v = v - s.scale * v - o->k * s.push;
  o->x += h * o->v;
}


static double energy(const Oscillator *o) { return 0.5 * o->v * o->v / o->k + 0.5 * o->stiffness * o->x * o->x; }


// The documented condition for the explicit form.
static bool is_slow(double wh, double z) { return wh < 0.5 && z <= 1; }


// ---------------------------------------------------------------------------------------------------------------------
// One substep
// ---------------------------------------------------------------------------------------------------------------------


// A row with any stored impulse. lambda is the impulse of the step.
static void a_step_follows_the_documented_formula(void) {
  double worst = 0, worst_sum = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    double h = random_scale(1e-3, 1e-1), w = random_scale(1e-2, 1e2) / h, z = one_in(4) ? 0 : random_scale(1e-2, 10);
    ImpiBody bodies[2] = {{0}, {.inv_mass = random_scale(1e-3, 1e3), .inv_inertia = 1}};
    Oscillator o = oscillator(w, z, bodies[1].inv_mass);
    o.x = random_in(-1, 1);
    double v = random_in(-1, 1) * w, a = exp(-2 * z * w * h);
    double expected =
        is_slow(w * h, z) ? a * v - a * w * w * h * o.x : (v - h * w * w * o.x) / (1 + 2 * z * w * h + w * w * h * h);
    ImpiSpringStep s = impi_spring_step(o.stiffness, o.damping, o.k, o.x, h);
    worst_sum = fmax(worst_sum, fabs(s.scale + s.keep - 1));
    ImpiRow row = impi_row(IMP_ROW_SPRING, 0, 0, 0, 1);
    ImpiMotion motions[2] = {{0}, {.vx = v}};
    row.j[3] = 1;
    row.scale = s.scale;
    row.keep = s.keep;
    row.push = s.push;
    row.mass = impi_row_mass(&row, bodies);
    row.lambda = random_in(-1, 1) * w / o.k;
    double warm = row.lambda;
    impi_row_apply(&row, bodies, motions, warm);
    impi_row_solve(&row, 0, bodies, motions, true);
    double size = fabs(v) + h * w * w * fabs(o.x) + fabs(o.k * warm);
    worst = fmax(worst, fabs(motions[1].vx - expected) / size);
    worst = fmax(worst, fabs(v + o.k * row.lambda - expected) / size);
  }
  check_worst(worst_sum, 1e-15, "worst scale + keep - 1, expected 1e-15");
  check_worst(worst, 1e-14, "worst relative error of v' by the documented law, expected 1e-14"); // a dozen roundings
}


// A load rests at x = load / stiffness, at any step size.
static void sag_is_exact(void) {
  double worst = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    double h = random_scale(1e-3, 1e-1), w = random_scale(1e-2, 1e2) / h, z = one_in(4) ? 0 : random_scale(1e-2, 10);
    Oscillator o = oscillator(w, z, random_scale(1e-3, 1e3));
    double g = random_in(-10, 10);
    o.x = g / (w * w);
    advance(&o, g, h);
    worst = fmax(worst, fabs(o.v) / (h * fabs(g)));
  }
  // Spring and load cancel except for rounding.
  check_worst(worst, 1e-14, "worst (speed of a load at its static sag) / (g h), expected 1e-14");
}


// In the implicit form the energy never grows. In the explicit form the energy is below (1 + w h / 2) / (1 - w h / 2)
// times the initial energy.
static void no_step_adds_energy(void) {
  double worst_implicit = 0, worst_explicit = 0, worst_end = 0;
  for (double wh = 0.01; wh < 100; wh *= 1.07) {
    static const double ratios[] = {0, 1e-3, 0.03, 0.2, 0.7, 0.99, 1, 1.01, 2, 5, 10};
    for (int i = 0; i < IMPI_COUNT(ratios); ++i) {
      double h = 0.01, phase = random_in(0, 6);
      Oscillator o = oscillator(wh / h, ratios[i], 2);
      o.x = cos(phase);
      o.v = sin(phase) * wh / h;
      double first = energy(&o), before = first;
      for (int step = 0; step < 3000; ++step) {
        advance(&o, 0, h);
        double growth = energy(&o) / first;
        if (is_slow(wh, ratios[i])) {
          worst_explicit = fmax(worst_explicit, growth * (1 - wh / 2) / (1 + wh / 2));
        } else {
          worst_implicit = fmax(worst_implicit, energy(&o) / fmax(before, 1e-200) - 1);
        }
        before = energy(&o);
      }
      if (ratios[i] >= 1e-3) worst_end = fmax(worst_end, energy(&o) / first); // damped springs lose energy
    }
  }
  check_worst(fmax(worst_implicit, 0), 1e-12,
              "worst growth of energy in an implicit substep, relative, expected 1e-12");
  CHECK(worst_explicit <= 1 + 1e-12);
  measured("explicit substeps: worst energy / bound, expected <= 1", worst_explicit);
  CHECK(worst_end < 1);
  measured("worst energy after 3000 substeps with damping / energy at the start, expected < 1", worst_end);
}


// ---------------------------------------------------------------------------------------------------------------------
// Frequency and damping: the eigenvalue of a substep, e^(s h), against the exact s = w (-z + i sqrt(1 - z^2))
// ---------------------------------------------------------------------------------------------------------------------


static double complex rate_of(double w, double z, double h) {
  Oscillator one = oscillator(w, z, 2), two = one;
  one.x = 1;
  two.v = 1;
  advance(&one, 0, h);
  advance(&two, 0, h);
  double complex trace = one.x + two.v, determinant = one.x * two.v - one.v * two.x;
  return clog((trace + csqrt(trace * trace - 4 * determinant)) / 2) / h;
}


// Return the order of a method from its errors at steps h and h / 2.
static double order_of(double error, double half_error) { return log2(fabs(error / half_error)); }


static void errors_have_the_expected_order(void) {
  const double w = 10, h = 0.001;
  for (int i = 0; i < 4; ++i) {
    double z = (double[]){0, 0.05, 0.3, 0.8}[i], exact = w * sqrt(1 - z * z);
    double complex rough = rate_of(w, z, h), fine = rate_of(w, z, h / 2);
    double order = order_of(cimag(rough) - exact, cimag(fine) - exact);
    check_worst(creal(rough) + z * w, 1e-9, "explicit: error of the damping rate [1/s], expected 0"); // rounding / h
    CHECK_NEAR(order, z == 0 ? 2 : 1, 0.1); // errors w h z / 2 and (w h)^2 / 24
    measured("explicit: order of the frequency's error, expected 2 without damping, else 1", order);
    measured("explicit: relative error of the frequency at w h = 0.01", cimag(rough) / exact - 1);
  }
  check_worst(cimag(rate_of(w, 0, h)) / w - 1 - w * w * h * h / 24, 1e-8, "undamped frequency error - (w h)^2 / 24");
  // Overdamped springs are integrated implicitly. `exact` is the slower rate of decay.
  double z = 3, exact = w * (-z + sqrt(z * z - 1));
  double order = order_of(creal(rate_of(w, z, h)) - exact, creal(rate_of(w, z, h / 2)) - exact);
  CHECK_NEAR(order, 1, 0.1);
  measured("implicit, z = 3: order of the slow rate's error, expected 1", order);
  // Springs with w h >= 0.5 are integrated implicitly. Implicit Euler has the numerical damping 1 / (1 + (w h)^2) per
  // step.
  double wh = 0.51, lost = 2 * creal(rate_of(wh / h, 0, h)) * h;
  check_worst(lost + log(1 + wh * wh), 1e-12, "implicit: loss of energy in a substep against log(1 + (w h)^2)");
}


// Errors of position and velocity after 2 s are of first order.
static void trajectories_converge_to_the_exact_solution(void) {
  for (int i = 0; i < 3; ++i) {
    double w = 7, z = (double[]){0, 0.2, 3}[i], errors[2];
    for (int halved = 0; halved < 2; ++halved) {
      int steps = 4000 << halved;
      Oscillator o = oscillator(w, z, 0.5);
      o.x = 0.3;
      o.v = -1;
      double complex root = csqrt((double complex)(z * z - 1)), s = w * (-z + root), r = w * (-z - root);
      double complex b = (o.v - s * o.x) / (r - s), a = o.x - b;
      for (int step = 0; step < steps; ++step) {
        advance(&o, 0, 2.0 / steps);
      }
      double x = creal(a * cexp(2 * s) + b * cexp(2 * r)), v = creal(a * s * cexp(2 * s) + b * r * cexp(2 * r));
      errors[halved] = hypot(o.x - x, (o.v - v) / w);
    }
    CHECK_NEAR(order_of(errors[0], errors[1]), 1, 0.1);
    CHECK(errors[1] < 2e-3 * 0.3); // the error is about h w / 2 times the amplitude
    measured("error after 2 s at h = 1/4000 s [m]", errors[1]);
    measured("order of the error, expected 1", order_of(errors[0], errors[1]));
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// In worlds: the same spring at any step and number of substeps
// ---------------------------------------------------------------------------------------------------------------------


static ImpCoordinate add_spring(ImpWorld *world, ImpBody a, ImpBody b, ImpDrive drive) {
  ImpJointDef def = imp_joint_def(IMP_JOINT_PRISMATIC, a, b);
  def.axis = vec(0, 1);
  drive.on = 1u << IMP_DRIVE_SPRING;
  def.drive[0] = drive;
  return (ImpCoordinate){add_joint(world, &def), 0};
}


// A weight on a damped spring, in the explicit or implicit form.
static void a_weight_sags_by_its_force_over_stiffness(void) {
  double worst = 0, worst_force = 0;
  for (int i = 0; i < MAIN_SOLVERS * 3 * 3; ++i) {
    int rate = 30 << i / 2 % 3, substeps = 1 << i / 6;
    ImpWorld *world = make_world((ImpSolverKind)(i % 2), 1.0 / rate, 9.81);
    set_world(world, IMP_WORLD_SUBSTEPS, substeps);
    set_world(world, IMP_WORLD_SLEEP, 0);
    ImpBody ground, weight = add_mass(world, IMP_BODY_DYNAMIC, vec(0, 0), 0, vec(0, 0), 2, 1);
    MUST(imp_world_ground(world, &ground));
    for (int stiff = 0; stiff < 2; ++stiff) {
      ImpDrive drive = imp_drive();
      drive.stiffness = stiff ? 50000 : 500;
      drive.damping = stiff ? 600 : 30;
      ImpCoordinate y = add_spring(world, ground, weight, drive);
      run(world, 4 * rate);
      worst = fmax(worst, fabs(info_of(world, y).value * drive.stiffness / (-2 * 9.81) - 1));
      worst_force = fmax(worst_force, fabs(info_of(world, y).force / (2 * 9.81) - 1));
      MUST(imp_joint_destroy(world, y.joint));
    }
    imp_world_destroy(world);
  }
  // The tolerance covers float rounding and the remaining oscillation.
  check_worst(worst, 1e-5, "worst relative error of a sag of m g / stiffness, expected 1e-5");
  check_worst(worst_force, 1e-5, "worst relative error of a spring force that carries m g, expected 1e-5");
}


// Two bodies on a spring of 2 Hz, the frequency for their reduced mass.
static void hertz_is_the_frequency(void) {
  for (int i = 0; i < MAIN_SOLVERS * 3; ++i) {
    int substeps = 1 << 2 * (i / 2);
    ImpWorld *world = make_world((ImpSolverKind)(i % 2), 1.0 / 60, 0);
    set_world(world, IMP_WORLD_SUBSTEPS, substeps);
    ImpBody a = add_mass(world, IMP_BODY_DYNAMIC, vec(0, 0), 0, vec(0, 0), 1, 1);
    ImpBody b = add_mass(world, IMP_BODY_DYNAMIC, vec(0, 1), 0, vec(0, 0), 4, 1);
    ImpDrive drive = imp_drive();
    drive.hertz = 2;
    ImpCoordinate y = add_spring(world, a, b, drive);
    set_velocity(world, a, 0, -1, 0);
    set_velocity(world, b, 0, 0.25, 0);
    double start = imp_world_energy(world).kinetic, first = 0, last = 0, value = 0, worst = 0;
    int crossings = 0;
    for (int step = 0; step < 600; ++step) {
      double before = value;
      run(world, 1);
      value = info_of(world, y).value;
      if (before < 0 && value >= 0) {
        last = (step + 1 - value / (value - before)) / 60;
        first = crossings++ == 0 ? last : first;
      }
      ImpEnergy e = imp_world_energy(world);
      worst = fmax(worst, fabs((e.kinetic + e.potential) / start - 1));
    }
    double wh = 2 * pi * 2 / 60 / substeps;
    if (show_measured) printf(" %s, %d substeps\n", imp_solver_name(i % 2), substeps);
    // A period has 30 steps, so interpolated zero crossings have an error of 1e-4.
    check_worst((crossings - 1) / (last - first) / 2 / (1 + wh * wh / 24) - 1, 1e-4,
                "frequency / (hertz (1 + (w h)^2 / 24)) - 1");
    check_worst(worst, wh / (2 - wh) * 2, "worst energy of spring and bodies / initial energy - 1"); // symplectic Euler
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_step_follows_the_documented_formula);
  RUN(sag_is_exact);
  RUN(no_step_adds_energy);
  RUN(errors_have_the_expected_order);
  RUN(trajectories_converge_to_the_exact_solution);
  RUN(a_weight_sags_by_its_force_over_stiffness);
  RUN(hertz_is_the_frequency);
  return check_report("springs");
}
