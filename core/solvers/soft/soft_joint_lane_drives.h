// The drives of joints in lanes: spring, motor and limit of a pin's angle, which share one row and are solved after the
// locks, by the method of soft_joint_passes.c.
//
// J is orthogonal to the locks, so an impulse changes J v by D times the impulse and does not affect the locks. The
// speed is computed once for all drives, and the impulses of all drives are applied together.
#ifndef IMPI_SOLVE_SOFT_JOINT_LANE_DRIVES_H
#define IMPI_SOLVE_SOFT_JOINT_LANE_DRIVES_H

#include "solvers/soft/soft_joint_lane_rows.h"

// Part of the distance to a limit that a motor may cover in a substep.
#define ALMOST (1 - 4e-6f)

// The drives of a block during a pass. In the block, the row of the drives comes after the rows of the locks.
typedef struct Drive {
  V lambda[IMPI_JV_DRIVES];
  V c_lower, c_upper, c_spring;
  V scale, push, bias;
} Drive;


IMPI_INLINE bool is_driven(int code) { return (code & IMPI_DRIVES_ANGLE) != 0; }
IMPI_INLINE bool is_limited(int code) { return (code & IMPI_DRIVES_LIMITED) != 0; }


IMPI_INLINE void load_drive(const V *block, int code, Locks *locks, Drive *drive) {
  const V *f = block + impi_jb_drive(code);
  int n = locks_in(code);
  locks->row[n] = (Row){.lx = f[IMPI_JV_LX],
                        .ly = f[IMPI_JV_LY],
                        .aa = f[IMPI_JV_AA],
                        .ab = f[IMPI_JV_AB],
                        .mass = f[IMPI_JV_MASS],
                        .k = f[IMPI_JV_K]};
  UNROLL for (int k = 0; k < n; ++k) { locks->against[n][k] = f[IMPI_JV_AGAINST + k]; }
  UNROLL for (int i = 0; i < IMPI_JV_DRIVES; ++i) { drive->lambda[i] = f[IMPI_JV_LAMBDA + i]; }
  drive->c_lower = f[IMPI_JV_C_LOWER];
  drive->c_upper = f[IMPI_JV_C_UPPER];
  drive->scale = f[IMPI_JV_SCALE];
  drive->push = f[IMPI_JV_PUSH];
  drive->bias = f[IMPI_JV_BIAS];
}


IMPI_INLINE void store_drive(V *block, int code, const Locks *locks, const Drive *drive) {
  V *f = block + impi_jb_drive(code);
  int n = locks_in(code);
  const Row *row = &locks->row[n];
  f[IMPI_JV_LX] = row->lx;
  f[IMPI_JV_LY] = row->ly;
  f[IMPI_JV_AA] = row->aa;
  f[IMPI_JV_AB] = row->ab;
  f[IMPI_JV_MASS] = row->mass;
  f[IMPI_JV_K] = row->k;
  UNROLL for (int k = 0; k < n; ++k) { f[IMPI_JV_AGAINST + k] = locks->against[n][k]; }
  UNROLL for (int i = 0; i < IMPI_JV_DRIVES; ++i) { f[IMPI_JV_LAMBDA + i] = drive->lambda[i]; }
  f[IMPI_JV_C_LOWER] = drive->c_lower;
  f[IMPI_JV_C_UPPER] = drive->c_upper;
  f[IMPI_JV_SCALE] = drive->scale;
  f[IMPI_JV_PUSH] = drive->push;
  f[IMPI_JV_BIAS] = drive->bias;
}


IMPI_INLINE V drive_sum(const Drive *drive) {
  return (drive->lambda[0] + drive->lambda[1]) + (drive->lambda[2] + drive->lambda[3]);
}


// The part of map_in (sign 1) and of map_out (sign -1) due to drives.
IMPI_INLINE void map_drive(int code, Locks *locks, const Drive *drive, float sign) {
  if (is_driven(code)) {
    int n = locks_in(code);
    V sum = sign * drive_sum(drive);
    UNROLL for (int k = 0; k < n; ++k) { locks->row[k].lambda += locks->against[n][k] * sum; }
  }
}


// Add the impulses of the substep to the totals, and record the motor's bias. A motor stopped at a limit presses on the
// limit with its maximum force: the missing impulse is added to the totals of both, with opposite signs.
IMPI_INLINE void note_drive(const ImpiJointPass *pass, V *block, int code, const Drive *drive) {
  V *cold = block + impi_jb_drive_cold(code), *total = cold + IMPI_JW_TOTAL;
  cold[IMPI_JW_BIAS_USED] = drive->bias;
  UNROLL for (int i = 0; i < IMPI_JV_DRIVES; ++i) { total[i] += drive->lambda[i]; }
  if (is_limited(code)) {
    V most = pass->h * block[impi_jb_drive(code) + IMPI_JV_MAX + IMPI_JV_MOTOR], speed = cold[IMPI_JW_SPEED];
    ImpiMask bounded = most < 1e30f, down = bounded & (-drive->bias > speed), up = bounded & (-drive->bias < speed);
    V more_down = where(down, -most - drive->lambda[IMPI_JV_MOTOR]);
    V more_up = where(up, most - drive->lambda[IMPI_JV_MOTOR]);
    total[IMPI_JV_MOTOR] += more_down + more_up;
    total[IMPI_JV_LOWER] -= more_down;
    total[IMPI_JV_UPPER] -= more_up;
    cold[IMPI_JW_BIAS_USED] = impi_select(bounded, -speed, drive->bias);
  }
}


// Compute the row of the drives and the errors at the current poses. The fourth number of a velocity in `v` is the
// angle since the step began.
IMPI_INLINE void make_drive(const V *block, int code, const Weights *w, const Sides *v, Locks *locks, Drive *drive) {
  const V *cold = block + impi_jb_drive_cold(code);
  int n = locks_in(code);
  V zero = IMPI_SPLAT(0), change = v->b.w - v->a.w;
  locks->row[n] = (Row){.lx = zero, .ly = zero, .aa = IMPI_SPLAT(-1), .ab = IMPI_SPLAT(1), .lambda = zero, .c = zero};
  make_row(locks, w, code, n);
  ImpiMask acts = locks->row[n].mass > 0;
  UNROLL for (int i = 0; i < IMPI_JV_DRIVES; ++i) { drive->lambda[i] = where(acts, drive->lambda[i]); }
  drive->c_lower = cold[IMPI_JW_START_LOWER] + change;
  drive->c_upper = cold[IMPI_JW_START_UPPER] + change;
  drive->c_spring = cold[IMPI_JW_START_SPRING] + change;
}


// Return exp(-x) for x in [0, 1], with an error of 5e-9.
IMPI_INLINE V decay(V x) {
  V t = 0.5f - x, sum = IMPI_SPLAT(1.0 / 40320);
  sum = sum * t + (float)(1.0 / 5040);
  sum = sum * t + (float)(1.0 / 720);
  sum = sum * t + (float)(1.0 / 120);
  sum = sum * t + (float)(1.0 / 24);
  sum = sum * t + (float)(1.0 / 6);
  sum = sum * t + 0.5f;
  sum = sum * t + 1.0f;
  return (float)0.60653065971263342 * (sum * t + 1.0f);
}


// Return the motor's bias = -(target speed). A limit bounds the target speed: before an end, by the speed that reaches
// the end within the substep; beyond an end with the error c, by -bias_rate c in solve, by 0 in relax.
IMPI_INLINE V motor_bias(const ImpiJointPass *pass, const V *cold, int code, const Drive *drive, bool relax) {
  V speed = cold[IMPI_JW_SPEED], reach = IMPI_SPLAT(ALMOST * pass->inv_h);
  if (!is_limited(code)) {
    return -speed;
  }
  V back = IMPI_SPLAT(relax ? 0 : pass->bias_rate);
  V lowest = -drive->c_lower * impi_select(drive->c_lower > 0, reach, back);
  V highest = -drive->c_upper * impi_select(drive->c_upper < 0, reach, back);
  V within = impi_vmin(impi_vmax(speed, lowest), highest);
  return -impi_select(cold[IMPI_JW_YIELDS] > 0, within, speed);
}


// Compute the softness of the spring and the bias of the motor for the next substep.
IMPI_INLINE void aim_drive(const ImpiJointPass *pass, const V *block, int code, const Locks *locks, Drive *drive) {
  const V *cold = block + impi_jb_drive_cold(code);
  const Row *row = &locks->row[locks_in(code)];
  V h = IMPI_SPLAT(pass->h);
  ImpiMask by_mass = cold[IMPI_JW_BY_MASS] > 0;
  V mass = impi_select(by_mass, row->mass, IMPI_SPLAT(1)), k = impi_select(by_mass, IMPI_SPLAT(1), row->k);
  V w_sq = cold[IMPI_JW_STIFFNESS] * k, rate = cold[IMPI_JW_DAMPING] * k; // angular frequency squared, damping rate
  ImpiMask over = impi_select(by_mass, cold[IMPI_JW_OVERDAMPED], rate * rate - 4 * w_sq) > 0;
  ImpiMask slow = (w_sq * h * h < (float)(IMPI_SLOW_SPRING * IMPI_SLOW_SPRING)) & ~over;
  V pull = h * mass * cold[IMPI_JW_STIFFNESS] * drive->c_spring;
  V left = decay(where(slow, rate * h)), gain = h * (rate + h * w_sq), share = 1 / (1 + gain);
  drive->scale = impi_select(slow, 1 - left, gain * share);
  drive->push = where(row->mass > 0, pull * impi_select(slow, left, share));
  drive->bias = motor_bias(pass, cold, code, drive, false);
}


IMPI_INLINE V bounded(V x, V lower, V upper) { return impi_select(x < lower, lower, impi_select(x > upper, upper, x)); }


// Return the new impulse of one end of a limit. `apart`: the end is not reached. `soft`: the part of the impulse that
// is softened. Relax skips an end that is not reached and has no impulse.
IMPI_INLINE V limit_impulse(const ImpiJointPass *pass, const Row *row, V lambda, V soft, V c, ImpiMask apart, V speed,
                            bool relax) {
  V ahead = c * pass->inv_h;
  if (relax) {
    V next = lambda - row->mass * (speed + where(apart, ahead));
    return impi_select(apart & (lambda == 0), lambda, next);
  }
  V pull = impi_select(apart, ahead, pass->bias_rate * c);
  V scale = impi_select(apart, IMPI_SPLAT(1), IMPI_SPLAT(pass->mass_scale));
  return lambda - row->mass * scale * (speed + pull) - where(~apart, pass->impulse_scale * soft);
}


// Add an impulse. In lanes with `taken` 0 no bit may change, not even the sign of a zero, because whether this function
// runs for a lane depends on the other lanes of the block.
IMPI_INLINE void give(V *lambda, V side, V taken) { *lambda = impi_select(taken > 0, *lambda + side * taken, *lambda); }


// Move impulse from an end of the limit (side 1: lower, -1: upper) to the spring, then to the motor. Each gets at most
// the impulse that it would have at the target speed (-bias) of the end's row.
IMPI_INLINE void take_over(const ImpiJointPass *pass, const Row *row, const V *most, Drive *drive, int end, V side,
                           bool relax) {
  V c = end == IMPI_JV_LOWER ? drive->c_lower : drive->c_upper, zero = IMPI_SPLAT(0);
  V rate = impi_select(side * c > 0, IMPI_SPLAT(pass->inv_h), IMPI_SPLAT(relax ? 0 : pass->bias_rate)), at = -c * rate;
  V holds = side * drive->lambda[end];
  V keep = impi_vmax(1 - drive->scale, IMPI_SPLAT(6e-8f)), bound = pass->h * most[IMPI_JV_SPRING];
  V pull = bounded(-(row->mass * drive->scale * at + drive->push) / keep, -bound, bound);
  V taken = impi_vmin(impi_vmax(side * (pull - drive->lambda[IMPI_JV_SPRING]), zero), holds);
  give(&drive->lambda[IMPI_JV_SPRING], side, taken);
  give(&drive->lambda[end], -side, taken);
  holds -= taken;
  V left = pass->h * most[IMPI_JV_MOTOR] - side * drive->lambda[IMPI_JV_MOTOR];
  taken = where(side * (-drive->bias - at) > 0, impi_vmin(impi_vmax(left, zero), holds));
  give(&drive->lambda[IMPI_JV_MOTOR], side, taken);
  give(&drive->lambda[end], -side, taken);
}


// Solve the drives of a block. Returns the change of the sum of the impulses.
IMPI_INLINE V solve_drive(const ImpiJointPass *pass, V *block, int code, const Weights *w, Sides *v, const Locks *locks,
                          Drive *drive, bool relax) {
  int n = locks_in(code);
  const Row *row = &locks->row[n];
  const V *most = block + impi_jb_drive(code) + IMPI_JV_MAX;
  V speed = speed_of(code, n, row, v), raw = relax ? speed : v->b.z - v->a.z;
  V work = IMPI_SPLAT(0), sum = IMPI_SPLAT(0), zero = IMPI_SPLAT(0), down = zero, up = zero;
  if (is_limited(code)) {
    if (relax) {
      drive->bias = motor_bias(pass, block + impi_jb_drive_cold(code), code, drive, true);
    }
    if (impi_any_lane((drive->lambda[IMPI_JV_LOWER] > 0) | (drive->lambda[IMPI_JV_UPPER] < 0))) {
      take_over(pass, row, most, drive, IMPI_JV_LOWER, IMPI_SPLAT(1), relax);
      take_over(pass, row, most, drive, IMPI_JV_UPPER, IMPI_SPLAT(-1), relax);
    }
  }
  UNROLL for (int i = 0; i < IMPI_JV_DRIVES; ++i) {
    V lambda = drive->lambda[i], bound = pass->h * most[i], now = raw + sum * row->k, next;
    if (i == IMPI_JV_SPRING) {
      next = lambda - row->mass * drive->scale * now - (1 - drive->scale) * lambda - where(row->mass > 0, drive->push);
      next = bounded(next, -bound, bound);
    } else if (i == IMPI_JV_MOTOR) {
      next = bounded(lambda - row->mass * (now + drive->bias), -bound, bound);
    } else if (i == IMPI_JV_LOWER) {
      now -= drive->lambda[IMPI_JV_UPPER] * row->k; // ignore the speed that the impulse of the upper end causes
      next = limit_impulse(pass, row, lambda, is_limited(code) ? lambda + down : lambda, drive->c_lower,
                           drive->c_lower > 0, now, relax);
      next = bounded(next, zero, bound);
    } else {
      next = limit_impulse(pass, row, lambda, is_limited(code) ? lambda + up : lambda, drive->c_upper,
                           drive->c_upper < 0, now, relax);
      next = bounded(next, -bound, zero);
    }
    V step = next - lambda;
    work += step * (speed + (sum + 0.5f * step) * row->k);
    sum += step;
    drive->lambda[i] = next;
    if (is_limited(code) && i == IMPI_JV_MOTOR) { // the limit is rigid against drives that press on it
      V others = drive->lambda[IMPI_JV_SPRING] + next;
      down = impi_vmin(others, zero);
      up = impi_vmax(others, zero);
    }
  }
  block[impi_jb_row(code, 0) + IMPI_JR_WORK] += work;
  apply(code, n, v, w, row, sum);
  return sum;
}


IMPI_INLINE void warm_start_drive(V *block, int code, const Weights *w, Sides *v, const Locks *locks,
                                  const Drive *drive) {
  int n = locks_in(code);
  const Row *row = &locks->row[n];
  V sum = drive_sum(drive);
  block[impi_jb_row(code, 0) + IMPI_JR_WORK] += sum * (speed_of(code, n, row, v) + 0.5f * sum * row->k);
  apply(code, n, v, w, row, sum);
}

#endif
