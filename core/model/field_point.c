// Fields that treat a body as a point at its centre of mass. Loops have no branches, for vector instructions.
#include "model/field.h"

#define FOR_BLOCK(i) for (int i = 0; i < block->count; ++i)

// Largest phase by which the oscillation of an explicit spring advances in a substep [rad]. Springs with a larger phase
// are implicit: stable, with a numerical damping ratio of about half the phase (see IMPI_SLOW_SPRING).
#define MAX_SWING 0.5


void impi_field_uniform(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  (void)scene;
  ImpVec2 a = field->vector[IMP_FIELD_ACCELERATION], f = field->vector[IMP_FIELD_FORCE];
  FOR_BLOCK(i) {
    block->ax[i] += a.x + block->inv_mass[i] * f.x;
    block->ay[i] += a.y + block->inv_mass[i] * f.y;
  }
}


// Add accelerations scale * (center - x), 0 beyond the range and at the centre.
#define PULL(scale_of_s) \
  FOR_BLOCK(i) { \
    double dx = c.x - block->x[i], dy = c.y - block->y[i]; \
    double r_sq = dx * dx + dy * dy, s = r_sq + soft_sq; \
    double scale = s > 0 && r_sq <= range_sq ? (scale_of_s) : 0; \
    block->ax[i] += scale * dx; \
    block->ay[i] += scale * dy; \
  }

static inline double whole_power(double x, int n) {
  double power = x;
  for (int i = 1; i < n; ++i) {
    power *= x;
  }
  return power;
}


// Acceleration towards the centre at distance r: a = strength * r / s^(power + 1), s = sqrt(r^2 + softening^2).
void impi_field_attractor(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  (void)scene;
  ImpVec2 c = field->vector[IMP_FIELD_CENTER];
  double strength = field->value[IMP_FIELD_STRENGTH], power = field->value[IMP_FIELD_POWER];
  double soft = field->value[IMP_FIELD_SOFTENING], soft_sq = soft * soft;
  double range = field->value[IMP_FIELD_RANGE], range_sq = range * range;
  if (power == 2) {
    PULL(strength / (s * sqrt(s)))
  } else if (power == 1) {
    PULL(strength / s)
  } else if (power == 0) {
    PULL(strength / sqrt(s))
  } else if (power == -1) {
    PULL(strength)
  } else if (power == floor(power) && power > -1) {
    PULL(strength * whole_power(1 / sqrt(s), (int)power + 1))
  } else {
    PULL(strength * imp_pow(s, -0.5 * (power + 1)))
  }
}


// The force is -k (r - rest_length) along r, plus -c v. An implicit spring has the damping c + h k in all directions,
// h = scene->reach.
void impi_field_spring(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  ImpVec2 c = field->vector[IMP_FIELD_CENTER];
  double omega = 2 * IMPI_PI * field->value[IMP_FIELD_HERTZ], rest = field->value[IMP_FIELD_REST_LENGTH];
  double stiffness = field->value[IMP_FIELD_STIFFNESS], damping = field->value[IMP_FIELD_DAMPING];
  double own_rate = omega * omega, own_decay = 2 * field->value[IMP_FIELD_DAMPING_RATIO] * omega;
  double limit = MAX_SWING * MAX_SWING / (scene->h * scene->h);
  block->decays = true;
  FOR_BLOCK(i) {
    double dx = c.x - block->x[i], dy = c.y - block->y[i], r = sqrt(dx * dx + dy * dy);
    double rate = own_rate + stiffness * block->inv_mass[i], part = rest > 0 ? (r > 0 ? 1 - rest / r : 0) : 1;
    block->ax[i] += rate * part * dx;
    block->ay[i] += rate * part * dy;
    block->k[i] += own_decay + damping * block->inv_mass[i] + (rate < limit ? 0 : scene->reach * rate);
  }
}


// a = k (u - v) with k = (linear + quadratic |u - v|) / m: k u is an acceleration, k a decay.
void impi_field_drag(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  (void)scene;
  ImpVec2 u = field->vector[IMP_FIELD_VELOCITY];
  double linear = field->value[IMP_FIELD_LINEAR], quadratic = field->value[IMP_FIELD_QUADRATIC];
  double angular = field->value[IMP_FIELD_ANGULAR];
  block->decays = true;
  block->spins |= angular > 0;
  FOR_BLOCK(i) {
    double dx = u.x - block->vx[i], dy = u.y - block->vy[i];
    double k = (quadratic > 0 ? linear + quadratic * sqrt(dx * dx + dy * dy) : linear) * block->inv_mass[i];
    block->ax[i] += k * u.x;
    block->ay[i] += k * u.y;
    block->k[i] += k;
    block->kw[i] += angular * block->inv_inertia[i];
  }
}


// The medium moves as a vortex with a core of radius c. With f = r / (r^2 + c^2) / (2 pi), its tangential speed is f *
// circulation, its inward speed f * inflow.
//   source: Scully, "Computation of helicopter rotor wake geometry" (1975); Saffman, "Vortex Dynamics" (1992)
void impi_field_vortex(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  (void)scene;
  ImpVec2 c = field->vector[IMP_FIELD_CENTER];
  double around = field->value[IMP_FIELD_CIRCULATION] / (2 * IMPI_PI);
  double inward = field->value[IMP_FIELD_INFLOW] / (2 * IMPI_PI);
  double core = field->value[IMP_FIELD_CORE], core_sq = core * core;
  double range = field->value[IMP_FIELD_RANGE], range_sq = range * range;
  double linear = field->value[IMP_FIELD_LINEAR], quadratic = field->value[IMP_FIELD_QUADRATIC];
  block->decays = true;
  FOR_BLOCK(i) {
    double dx = block->x[i] - c.x, dy = block->y[i] - c.y, r_sq = dx * dx + dy * dy, s = 1 / (r_sq + core_sq);
    double ux = s * (-around * dy - inward * dx), uy = s * (around * dx - inward * dy);
    double rx = ux - block->vx[i], ry = uy - block->vy[i];
    double k = (quadratic > 0 ? linear + quadratic * sqrt(rx * rx + ry * ry) : linear) * block->inv_mass[i];
    k = r_sq <= range_sq ? k : 0;
    block->ax[i] += k * ux;
    block->ay[i] += k * uy;
    block->k[i] += k;
  }
}
