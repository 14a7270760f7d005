#include "model/ledger.h"


void impi_ledger_enter(ImpiLedger *ledger, ImpEnergyCause cause, double joules, int owner_kind, int32_t owner) {
  // Leave out energy that is not finite. The state check will disable the body.
  if (!impi_is_finite(joules)) {
    return;
  }
  ledger->cause[cause] += joules;
  if (joules > ledger->worst) {
    ledger->worst = joules;
    ledger->worst_cause = cause;
    ledger->owner_kind = owner_kind;
    ledger->owner = owner;
  }
}


static double kinetic(const ImpiBody *body, double vx, double vy, double w) {
  return 0.5 * (body->mass * (vx * vx + vy * vy) + body->inertia * w * w);
}


void impi_ledger_forces(ImpiLedger *ledger, int32_t slot, const ImpiBody *body, const ImpiMotion *before,
                        const ImpiMotion *after, ImpVec2 gravity, double h) {
  if (body->inv_mass == 0) {
    return;
  }
  double mean_x = 0.5 * (before->vx + after->vx), mean_y = 0.5 * (before->vy + after->vy);
  double mean_w = 0.5 * (before->w + after->w);
  double linear = -h * body->linear_damping / (1 + h * body->linear_damping);
  double angular = -h * body->angular_damping / (1 + h * body->angular_damping);
  double turn = body->inv_inertia > 0 ? body->torque : 0;
  ImpVec2 fall = impi_scale(h * body->mass * body->gravity_scale, gravity), push = impi_scale(h, body->force);
  double lost = linear * ((body->mass * before->vx + fall.x + push.x) * mean_x +
                          (body->mass * before->vy + fall.y + push.y) * mean_y) +
                angular * (body->inertia * before->w + h * turn) * mean_w;
  // impi_ledger_enter would record this work in ledger->worst, but impi_ledger_fall will subtract nearly all of it.
  ledger->cause[IMP_ENERGY_INTEGRATION] += fall.x * mean_x + fall.y * mean_y;
  impi_ledger_enter(ledger, IMP_ENERGY_APPLIED, push.x * mean_x + push.y * mean_y + h * turn * mean_w, IMPI_OWNER_BODY,
                    slot);
  impi_ledger_enter(ledger, IMP_ENERGY_DAMPING, lost, IMPI_OWNER_BODY, slot);
}


ImpEnergyCause impi_ledger_cause(ImpRowKind kind, bool bounces) {
  static const ImpEnergyCause causes[] = {
      [IMP_ROW_NORMAL] = IMP_ENERGY_CONTACT,    [IMP_ROW_FRICTION] = IMP_ENERGY_FRICTION,
      [IMP_ROW_ROLLING] = IMP_ENERGY_FRICTION,  [IMP_ROW_LOCK] = IMP_ENERGY_LOCK,
      [IMP_ROW_LOWER_LIMIT] = IMP_ENERGY_LIMIT, [IMP_ROW_UPPER_LIMIT] = IMP_ENERGY_LIMIT,
      [IMP_ROW_MOTOR] = IMP_ENERGY_MOTOR,       [IMP_ROW_SERVO] = IMP_ENERGY_MOTOR,
      [IMP_ROW_SPRING] = IMP_ENERGY_SPRING,     [IMP_ROW_FORCE] = IMP_ENERGY_MOTOR,
      [IMP_ROW_USER] = IMP_ENERGY_USER,         [IMP_ROW_ARMATURE] = IMP_ENERGY_LOCK,
      [IMP_ROW_DAMPING] = IMP_ENERGY_DAMPING,   [IMP_ROW_DRY_FRICTION] = IMP_ENERGY_FRICTION,
  };
  IMPI_COVERS(causes, IMP_ROW_KIND_COUNT);
  return kind == IMP_ROW_NORMAL && bounces ? IMP_ENERGY_RESTITUTION : causes[kind];
}


// Return the part of a row's speed J v that impulses on the body cannot change: the terms of the linear velocity if the
// body has inverse mass 0, and of the angular velocity if it has inverse inertia 0.
static double driven_speed(const ImpiBody *body, const ImpiMotion *m, const double *j) {
  double moved = body->inv_mass > 0 ? 0 : j[0] * m->vx + j[1] * m->vy;
  return moved + (body->inv_inertia > 0 ? 0 : j[2] * m->w);
}


void impi_ledger_row(ImpiLedger *ledger, const ImpiRow *row, double work, const ImpiBody *bodies,
                     const ImpiMotion *motions) {
  if (row->lambda == 0) {
    return;
  }
  double driven = driven_speed(&bodies[row->body_a], &motions[row->body_a], row->j) +
                  driven_speed(&bodies[row->body_b], &motions[row->body_b], row->j + 3);
  for (int i = 0; i < row->more_count; ++i) {
    int32_t body = row->more[i].body;
    driven += driven_speed(&bodies[body], &motions[body], row->more[i].j);
  }
  double corrected = -0.5 * row->lambda * row->fix;
  int kind = row->noted != NULL ? IMPI_OWNER_JOINT : IMPI_OWNER_CONTACT;
  impi_ledger_enter(ledger, impi_ledger_cause(row->kind, row->bounce > 0), work - corrected, kind, row->owner);
  impi_ledger_enter(ledger, IMP_ENERGY_BIAS, corrected, kind, row->owner);
  impi_ledger_enter(ledger, IMP_ENERGY_KINEMATIC, -row->lambda * driven, kind, row->owner);
}


void impi_ledger_fall(ImpiLedger *ledger, ImpEnergyCause cause, int32_t slot, const ImpiBody *body,
                      const ImpiMotion *before, const ImpiMotion *after, ImpVec2 gravity) {
  double weight = body->mass * body->gravity_scale;
  double joules = -weight * (gravity.x * (after->x - before->x) + gravity.y * (after->y - before->y));
  if (cause == IMP_ENERGY_INTEGRATION) {
    ledger->cause[cause] += joules;
  } else {
    impi_ledger_enter(ledger, cause, joules, IMPI_OWNER_BODY, slot);
  }
}


void impi_ledger_jump(ImpiLedger *ledger, ImpEnergyCause cause, int32_t slot, const ImpiBody *body,
                      const ImpiMotion *before, const ImpiMotion *after) {
  impi_ledger_enter(ledger, cause,
                    kinetic(body, after->vx, after->vy, after->w) - kinetic(body, before->vx, before->vy, before->w),
                    IMPI_OWNER_BODY, slot);
}
