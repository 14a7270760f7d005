// Drives of a coordinate: the options limit, motor, servo, spring and force, in constructors and in coordinate:set_...
#ifndef IMPEL_BINDINGS_DRIVE_H
#define IMPEL_BINDINGS_DRIVE_H

#include "base/options.h"

typedef struct LimitOptions {
  bool given;
  double lower, upper, max_force;
} LimitOptions;

typedef struct MotorOptions {
  bool given;
  double speed, max_force;
} MotorOptions;

typedef struct ServoOptions {
  bool given;
  double target, speed, max_force;
} ServoOptions;

typedef struct SpringOptions {
  bool given;
  double stiffness, damping, hertz, damping_ratio, target; ///< NaN: not given
  double max_force, target_speed;
} SpringOptions;

/// The drives of one coordinate.
typedef struct DriveOptions {
  bool given;
  LimitOptions limit;
  MotorOptions motor;
  ServoOptions servo;
  SpringOptions spring;
  double force;                       ///< NaN: not given
  double lock;                        ///< NaN: not given
  double armature, damping, friction; ///< NaN: not given
  bool free;
} DriveOptions;

extern const Options bind_limit_options, bind_motor_options, bind_servo_options, bind_spring_options,
    bind_soft_options /* hertz and damping_ratio alone */, bind_drive_options;
/// Return options with nothing given and defaults for optional values.
DriveOptions bind_drive_none(void);
/// Raise for a limit without ends, and for a spring without exactly one of stiffness and hertz.
/// `where`: the drive in messages, "world:revolute: angle.spring"
void bind_check_limit(lua_State *L, const char *where, const LimitOptions *limit);
void bind_check_spring(lua_State *L, const char *where, const SpringOptions *spring);
/// Check the limit and spring of a coordinate. `where`: "world:revolute: angle", or only the call
void bind_check_drive(lua_State *L, const char *where, const DriveOptions *options);
/// Copy the drives of `options` into `drive`, which keeps its drives of other kinds. `rest`: default target of a spring
void bind_add_drive(ImpDrive *drive, const DriveOptions *options, double rest);
/// Return the active drives as options.
DriveOptions bind_drive_given(const ImpDrive *drive);
/// Push the active drives as an option table: the table at index `table`, updated, if `table` > 0; else a new table.
void bind_push_drive(lua_State *L, int table, const ImpDrive *drive);

#endif
