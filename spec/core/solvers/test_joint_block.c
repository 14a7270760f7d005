// One step of the soft solver for one joint, computed by hand: the locks of a joint are solved as one block.
#include "random_joints.h"
#include "world/joints.h"

static const double pi = 3.14159265358979323846;


enum { LOCKS = 3 };

// A system of at most three equations, symmetric and positive definite.
typedef struct Block {
  double k[LOCKS][LOCKS], b[LOCKS];
  int n;
} Block;

typedef struct State {
  ImpiMotion m[2];
  double im[2], ii[2];
  ImpVec2 arm_a, arm_b; // anchors relative to the centres of mass, in the bodies' frames
  ImpVec2 axis;         // axis, in A's frame
  double reference, rest;
  ImpJointKind kind;
  double lambda[LOCKS], total[LOCKS];
} State;

typedef struct Lock {
  double j[6], c, bend;
} Lock;


static double determinant(const Block *block) {
  const double(*k)[LOCKS] = (const double(*)[LOCKS])block->k;
  int n = block->n;
  if (n == 1) return k[0][0];
  if (n == 2) return k[0][0] * k[1][1] - k[0][1] * k[1][0];
  return k[0][0] * (k[1][1] * k[2][2] - k[1][2] * k[2][1]) - k[0][1] * (k[1][0] * k[2][2] - k[1][2] * k[2][0]) +
         k[0][2] * (k[1][0] * k[2][1] - k[1][1] * k[2][0]);
}


static void solve_block(const Block *block, double *out_x) {
  double whole = determinant(block);
  for (int i = 0; i < block->n; ++i) {
    Block part = *block;
    for (int r = 0; r < block->n; ++r) {
      part.k[r][i] = block->b[r];
    }
    out_x[i] = determinant(&part) / whole;
  }
}


static ImpVec2 spun(double angle, ImpVec2 v) {
  return vec(cos(angle) * v.x - sin(angle) * v.y, sin(angle) * v.x + cos(angle) * v.y);
}


// Return the lock C = u . (p_b - p_a), with u fixed in A, and its time derivatives at constant velocities. Angular
// velocities are clamped to `most`.
static Lock axis_lock(const State *s, ImpVec2 local, double most) {
  const ImpiMotion *a = &s->m[0], *b = &s->m[1];
  ImpVec2 u = spun(a->angle, local), r_a = spun(a->angle, s->arm_a), r_b = spun(b->angle, s->arm_b);
  ImpVec2 d = vec(b->x + r_b.x - a->x, b->y + r_b.y - a->y);
  double w_a = fmax(-most, fmin(a->w, most)), w_b = fmax(-most, fmin(b->w, most));
  ImpVec2 drift = vec(b->vx - b->w * r_b.y - a->vx + a->w * d.y, b->vy + b->w * r_b.x - a->vy - a->w * d.x);
  double inward = u.x * (w_a * w_a * d.x - w_b * w_b * r_b.x) + u.y * (w_a * w_a * d.y - w_b * w_b * r_b.y);
  return (Lock){.j = {-u.x, -u.y, -(d.x * u.y - d.y * u.x), u.x, u.y, r_b.x * u.y - r_b.y * u.x},
                .c = u.x * (d.x - r_a.x) + u.y * (d.y - r_a.y),
                .bend = inward - 2 * w_a * (-u.x * drift.y + u.y * drift.x)};
}


static Lock distance_lock(const State *s, double most) {
  const ImpiMotion *a = &s->m[0], *b = &s->m[1];
  ImpVec2 r_a = spun(a->angle, s->arm_a), r_b = spun(b->angle, s->arm_b);
  ImpVec2 apart = vec(b->x + r_b.x - a->x - r_a.x, b->y + r_b.y - a->y - r_a.y);
  double length = hypot(apart.x, apart.y);
  ImpVec2 u = vec(apart.x / length, apart.y / length);
  double w_a = fmax(-most, fmin(a->w, most)), w_b = fmax(-most, fmin(b->w, most));
  ImpVec2 v = vec(b->vx - b->w * r_b.y - a->vx + a->w * r_a.y, b->vy + b->w * r_b.x - a->vy - a->w * r_a.x);
  double across = u.x * v.y - u.y * v.x, turn = fmax(-most, fmin(across / length, most));
  return (Lock){.j = {-u.x, -u.y, -(r_a.x * u.y - r_a.y * u.x), u.x, u.y, r_b.x * u.y - r_b.y * u.x},
                .c = length - s->rest,
                .bend =
                    w_a * w_a * (u.x * r_a.x + u.y * r_a.y) - w_b * w_b * (u.x * r_b.x + u.y * r_b.y) + across * turn};
}


static int linearise(const State *s, double h, Lock *out_locks) {
  double most = 0.1 / h;
  Lock x = axis_lock(s, s->axis, most), y = axis_lock(s, vec(-s->axis.y, s->axis.x), most);
  Lock angle = {.j = {0, 0, -1, 0, 0, 1}, .c = s->m[1].angle - s->m[0].angle - s->reference};
  switch (s->kind) {
  case IMP_JOINT_REVOLUTE:
    out_locks[0] = x;
    out_locks[1] = y;
    return 2;
  case IMP_JOINT_PRISMATIC:
    out_locks[0] = y;
    out_locks[1] = angle;
    return 2;
  case IMP_JOINT_WELD:
    out_locks[0] = x;
    out_locks[1] = y;
    out_locks[2] = angle;
    return 3;
  case IMP_JOINT_PIN_SLOT:
    out_locks[0] = y;
    return 1;
  default:
    out_locks[0] = distance_lock(s, most);
    return 1;
  }
}


static double *part_of(State *s, int k) {
  ImpiMotion *m = &s->m[k / 3];
  return k % 3 == 0 ? &m->vx : k % 3 == 1 ? &m->vy : &m->w;
}


static double inverse(const State *s, int k) { return k % 3 == 2 ? s->ii[k / 3] : s->im[k / 3]; }


static void apply(State *s, const Lock *locks, int n, const double *impulse) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 6; ++k) {
      *part_of(s, k) += inverse(s, k) * locks[i].j[k] * impulse[i];
    }
  }
}


// Solve the locks as one block: lambda' = lambda - scale K^-1 (J v + target) - keep lambda. `scale` and `keep` are the
// factors of a soft constraint (1 and 0: rigid). target = beta C + h/2 d2C/dt2 if beta > 0, else 0.
static void solve_locks(State *s, const Lock *locks, int n, double beta, double h, double scale, double keep) {
  Block block = {.n = n};
  double x[LOCKS], change[LOCKS];
  for (int i = 0; i < n; ++i) {
    block.b[i] = beta * locks[i].c + (beta > 0 ? h / 2 * locks[i].bend : 0);
    for (int k = 0; k < 6; ++k) {
      block.b[i] += locks[i].j[k] * *part_of(s, k);
      for (int other = 0; other < n; ++other) {
        block.k[i][other] += locks[i].j[k] * inverse(s, k) * locks[other].j[k];
      }
    }
  }
  solve_block(&block, x);
  for (int i = 0; i < n; ++i) {
    change[i] = -scale * x[i] - keep * s->lambda[i];
    s->lambda[i] += change[i];
  }
  apply(s, locks, n, change);
}


static void step_by_hand(State *s, double dt, int substeps, double gravity, double ratio) {
  double h = dt / substeps, w = 2 * pi * 0.25 / h, a1 = 2 * ratio + h * w, a2 = h * w * a1;
  double beta = w / a1, scale = a2 / (1 + a2), keep = 1 / (1 + a2);
  Lock locks[LOCKS];
  int n = linearise(s, h, locks);
  for (int substep = 0; substep < substeps; ++substep) {
    for (int i = 0; i < 2; ++i) {
      s->m[i].vy -= s->im[i] > 0 ? h * gravity : 0;
    }
    apply(s, locks, n, s->lambda);
    solve_locks(s, locks, n, beta, h, scale, keep);
    for (int i = 0; i < 2; ++i) {
      ImpiMotion *m = &s->m[i];
      m->x += h * m->vx;
      m->y += h * m->vy;
      m->angle += h * m->w;
    }
    linearise(s, h, locks);
    solve_locks(s, locks, n, 0, h, 1, 0);
    for (int i = 0; i < n; ++i) {
      s->total[i] += s->lambda[i];
    }
  }
}


static State state_of(ImpWorld *world, ImpJoint handle) {
  impi_flush_joint(world, -1);
  const ImpiJoint *joint = &world->joints.data[joint_slot(world, handle)];
  const int32_t bodies[] = {joint->body_a, joint->body_b};
  State s = {.kind = (ImpJointKind)joint->kind,
             .axis = vec(joint->frames.axis.c, joint->frames.axis.s),
             .reference = joint->frames.reference,
             .rest = joint->inline_coordinates[0].lock};
  for (int i = 0, n = 0; i < joint->count; ++i) {
    if (joint->inline_coordinates[i].locked) s.lambda[n++] = joint->inline_coordinates[i].result.lambda;
  }
  for (int i = 0; i < 2; ++i) {
    const ImpiBody *body = &world->bodies.data[bodies[i]];
    s.m[i] = world->motions.data[bodies[i]];
    s.im[i] = body->inv_mass;
    s.ii[i] = body->inv_inertia;
    *(i == 0 ? &s.arm_a : &s.arm_b) =
        impi_sub(i == 0 ? joint->frames.local_a : joint->frames.local_b, body->local_center);
  }
  return s;
}


// Create a joint with an error of centimetres, relative motion, and accumulated impulses.
static ImpJoint make_strained(ImpWorld *world, ImpJointKind kind) {
  ImpBody a = random_body(world), b = random_body(world);
  if (one_in(4)) MUST(imp_world_ground(world, &a));
  ImpJointDef def = random_def((int)kind, a, b);
  def.reference_angle = def.length = (double)NAN;
  ImpJoint handle = add_joint(world, &def);
  ImpiJoint *joint = &world->joints.data[joint_slot(world, handle)];
  ImpiMotion *m = motion_of(world, b);
  pose(m, m->x + random_in(-0.02, 0.02), m->y + random_in(-0.02, 0.02), m->angle + random_in(-0.02, 0.02));
  for (int i = 0; i < 2; ++i) {
    m = motion_of(world, i == 0 ? a : b);
    bool moves = world->bodies.data[slot_of(world, i == 0 ? a : b)].inv_mass > 0;
    double vx = random_in(-2, 2), vy = random_in(-2, 2), w = random_in(-4, 4);
    m->vx = moves ? vx : 0;
    m->vy = moves ? vy : 0;
    m->w = moves ? w : 0;
  }
  for (int i = 0; i < joint->count; ++i) {
    if (joint->inline_coordinates[i].locked) joint->inline_coordinates[i].result.lambda = random_in(-0.05, 0.05);
  }
  return handle;
}


// The solver makes the rows of a joint orthogonal and solves them one after another. The result equals the block
// solution.
static void locks_are_solved_as_one_block(void) {
  static const ImpJointKind kinds[] = {IMP_JOINT_REVOLUTE, IMP_JOINT_PRISMATIC, IMP_JOINT_WELD, IMP_JOINT_PIN_SLOT,
                                       IMP_JOINT_DISTANCE};
  for (int substeps = 1; substeps <= 4; substeps += 3) {
    double worst_velocity = 0, worst_impulse = 0, worst_place = 0;
    for (int trial = 0; trial < 100 * IMPI_COUNT(kinds); ++trial) {
      ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
      set_world(world, IMP_WORLD_SUBSTEPS, substeps);
      ImpJoint handle = make_strained(world, kinds[trial % IMPI_COUNT(kinds)]);
      double ratio = 0, speed = 1, impulse = 0.1;
      MUST(imp_world_get(world, IMP_WORLD_LOCK_DAMPING_RATIO, &ratio));
      State s = state_of(world, handle);
      step_by_hand(&s, 1.0 / 60, substeps, 9.81, ratio);
      run(world, 1);
      State got = state_of(world, handle);
      const ImpiJoint *joint = &world->joints.data[joint_slot(world, handle)];
      for (int k = 0; k < 6; ++k) {
        speed = fmax(speed, fabs(*part_of(&s, k)));
      }
      for (int k = 0; k < 6; ++k) {
        worst_velocity = fmax(worst_velocity, fabs(*part_of(&s, k) - *part_of(&got, k)) / speed);
      }
      for (int i = 0; i < 2; ++i) {
        double off = hypot(s.m[i].x - got.m[i].x, s.m[i].y - got.m[i].y) + fabs(s.m[i].angle - got.m[i].angle);
        worst_place = fmax(worst_place, off);
      }
      for (int i = 0; i < LOCKS; ++i) {
        impulse = fmax(impulse, fmax(fabs(s.lambda[i]), fabs(s.total[i])));
      }
      for (int i = 0, n = 0; i < joint->count; ++i) {
        const ImpiRowResult *result = &joint->inline_coordinates[i].result;
        if (!joint->inline_coordinates[i].locked) continue;
        worst_impulse = fmax(worst_impulse, fabs(result->lambda - s.lambda[n]) / impulse);
        worst_impulse = fmax(worst_impulse, fabs(result->total - s.total[n++]) / impulse);
      }
      imp_world_destroy(world);
    }
    // The SIMD lanes compute in floats: about a hundred roundings of 6e-8, times a condition number of about ten.
    check_worst(worst_velocity, 1e-5,
                "largest relative difference of velocities from the block solved by hand, expected 1e-5");
    check_worst(worst_impulse, 1e-5,
                "largest relative difference of impulses from the block solved by hand, expected 1e-5");
    // A pose has the error of the velocity times the step.
    check_worst(worst_place, 1e-6, "largest difference of poses from the block solved by hand [m, rad], expected 1e-6");
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(locks_are_solved_as_one_block);
  return check_report("joint block");
}
