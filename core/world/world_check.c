// Checks of arguments that several kinds of objects share.
#include "base/constants.h"
#include "world/checks.h"


const char *imp_body_type_name(int type) {
  static const char *const names[] = {"static", "kinematic", "dynamic", "particle"};
  IMPI_COVERS(names, IMP_BODY_TYPE_COUNT);
  return type >= 0 && type < IMP_BODY_TYPE_COUNT ? names[type] : NULL;
}


ImpStatus impi_check_vector(ImpVec2 v, double limit, const char *what, const char *unit) {
  if (!(fabs(v.x) <= limit && fabs(v.y) <= limit)) {
    return impi_fail(IMP_ERR_ARGUMENT, "%s must be two finite numbers up to %g %s, got (%g, %g)", what, limit, unit,
                     v.x, v.y);
  }
  return IMP_OK;
}


ImpStatus impi_check_not_ground(const ImpWorld *world, int32_t slot, const char *what) {
  return slot != world->ground ? IMP_OK : impi_fail(IMP_ERR_ARGUMENT, "the ground of the world cannot be %s", what);
}


ImpStatus impi_check_quota(int limit, int count, const char *what, const char *name) {
  if (limit > 0 && count >= limit) {
    return impi_fail(IMP_ERR_LIMIT, "the world already has %d %s, the largest number that %s allows", limit, what,
                     name);
  }
  return IMP_OK;
}


ImpStatus impi_check_density(const ImpiBody *body, double density, double area, bool sensor) {
  bool needs_mass = impi_is_dynamic(body) && body->given_mass == 0 && area > 0;
  if (needs_mass && density == 0 && !sensor) {
    return impi_fail(IMP_ERR_ARGUMENT, "shape.density must be above 0 kg/m^2 on a %s body without a mass of its own",
                     imp_body_type_name((int)body->type));
  }
  if (needs_mass && density > 0 && density * area < IMPI_MIN_MASS) {
    return impi_fail(IMP_ERR_ARGUMENT, "shape.density of %g kg/m^2 gives a mass of %g kg, at least %g expected",
                     density, density * area, IMPI_MIN_MASS);
  }
  return IMP_OK;
}


ImpStatus impi_check_one_way(ImpVec2 direction) {
  if (!(fabs(direction.x) <= IMPI_MAX_COORDINATE && fabs(direction.y) <= IMPI_MAX_COORDINATE)) {
    return impi_fail(IMP_ERR_ARGUMENT, "shape.one_way must be two finite numbers up to %g, got (%g, %g)",
                     IMPI_MAX_COORDINATE, direction.x, direction.y);
  }
  return IMP_OK;
}


static bool is_finite_below(double x, double limit) { return fabs(x) <= limit; } // false for NaN


static ImpStatus refuse(const char *joint, const char *coordinate, const char *what, double got) {
  if (impi_is_finite(got) && fabs(got) > IMP_MAX_DRIVE) {
    return impi_fail(IMP_ERR_ARGUMENT, "joint '%s', %s: %s (at most %g), got %g", impi_called(joint), coordinate, what,
                     IMP_MAX_DRIVE, got);
  }
  return impi_fail(IMP_ERR_ARGUMENT, "joint '%s', %s: %s, got %g", impi_called(joint), coordinate, what, got);
}


enum { ALWAYS = 31 }; // bit number for values that are checked even if no drive is on


ImpStatus impi_check_drive(const ImpDrive *d, const char *joint, const char *coordinate) {
  const struct {
    unsigned bit;
    double value;
    bool may_be_infinite, not_negative;
    const char *what;
  } numbers[] = {
      {IMP_DRIVE_LOCK, d->lock, false, false, "the value of a lock must be a finite number"},
      {IMP_DRIVE_LIMIT, d->lower, true, false, "the lower limit must be a number"},
      {IMP_DRIVE_LIMIT, d->upper, true, false, "the upper limit must be a number"},
      {IMP_DRIVE_LIMIT, d->limit_max, true, true, "a limit's max_force must be >= 0"},
      {IMP_DRIVE_MOTOR, d->speed, false, false, "a motor's speed must be a finite number"},
      {IMP_DRIVE_MOTOR, d->motor_max, true, true, "a motor's max_force must be >= 0"},
      {IMP_DRIVE_SERVO, d->target, false, false, "a servo's target must be a finite number"},
      {IMP_DRIVE_SERVO, d->target_speed, false, false, "a servo's speed must be a finite number"},
      {IMP_DRIVE_SERVO, d->servo_max, true, true, "a servo's max_force must be >= 0"},
      {IMP_DRIVE_SPRING, d->stiffness, false, true, "a spring's stiffness must be >= 0"},
      {IMP_DRIVE_SPRING, d->damping, false, true, "a spring's damping must be >= 0"},
      {IMP_DRIVE_SPRING, d->hertz, false, true, "a spring's hertz must be >= 0"},
      {IMP_DRIVE_SPRING, d->damping_ratio, false, true, "a spring's damping_ratio must be >= 0"},
      {IMP_DRIVE_SPRING, d->rest, false, false, "a spring's target must be a finite number"},
      {IMP_DRIVE_SPRING, d->rest_speed, false, false, "a spring's target_speed must be a finite number"},
      {IMP_DRIVE_SPRING, d->spring_max, true, true, "a spring's max_force must be >= 0"},
      {IMP_DRIVE_FORCE, d->force, false, false, "a force must be a finite number"},
      {ALWAYS, d->armature, false, true, "armature must be >= 0"},
      {ALWAYS, d->viscous_damping, false, true, "damping must be >= 0"},
      {ALWAYS, d->dry_friction, false, true, "friction must be >= 0"},
  };
  for (int i = 0; i < IMPI_COUNT(numbers); ++i) {
    double value = numbers[i].value;
    bool on = numbers[i].bit == ALWAYS || d->on >> numbers[i].bit & 1u;
    bool fits = is_finite_below(value, IMP_MAX_DRIVE) ||
                (numbers[i].may_be_infinite && (value == HUGE_VAL || value == -HUGE_VAL));
    if (on && (!fits || (numbers[i].not_negative && value < 0))) {
      return refuse(joint, coordinate, numbers[i].what, value);
    }
  }
  if (d->on >> IMP_DRIVE_LIMIT & 1u && d->lower > d->upper) {
    return impi_fail(IMP_ERR_ARGUMENT, "joint '%s', %s: limit lower %g is above upper %g", impi_called(joint),
                     coordinate, d->lower, d->upper);
  }
  if (d->on >> IMP_DRIVE_SPRING & 1u && d->hertz > 0 && (d->stiffness > 0 || d->damping > 0)) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     "joint '%s', %s: a spring takes stiffness and damping, or hertz and damping_ratio",
                     impi_called(joint), coordinate);
  }
  const unsigned both = 1u << IMP_DRIVE_MOTOR | 1u << IMP_DRIVE_SERVO;
  if ((d->on & both) == both && d->motor_max == HUGE_VAL && d->servo_max == HUGE_VAL) {
    return impi_fail(
        IMP_ERR_ARGUMENT,
        "joint '%s', %s: a coordinate with both a motor and a servo needs a max_force for at least one of them",
        impi_called(joint), coordinate);
  }
  if (d->on >> IMP_DRIVE_COUNT != 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "joint '%s', %s: unknown drive", impi_called(joint), coordinate);
  }
  return IMP_OK;
}
