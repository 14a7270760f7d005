// Joint rows of the soft solver.
//
// Rows are linearised right after positions moved, so that one linearisation serves relax, the next warm start and the
// next solve; directions of before the move drain energy from everything that turns. In the metric of the inverse masses
// the locks of a joint are made orthogonal, and each other row is made orthogonal to them:
//   K = J M^-1 J^T = L D L^T,   J' = L^-1 J,   C' = L^-1 C,   lambda' = L^T lambda
// so that solving a joint's locks one after another is their exact block solution, and a motor, limit or spring solved
// last disturbs no lock; its own impulse is the same in both bases, so that its bounds stay exact. Impulses are kept in
// the raw basis between passes that change rows.
//   lock, biased:  d = -ms (J' v + beta C' + b') / D - is lambda'
//   relax:         d = -(J' v + b') / D          b: what time or the user asks for, which stays
// C' includes h / (2 beta) of the curvature J'v: a substep moves along the tangent, which opens h^2 J'v / 2.
//   motor, servo   their bias stays in relax; a servo's is beta (q - target) - target speed
//   limit          speculative: while it holds, J v + C / h >= 0; in relax a limit that is apart and bears nothing is left
//   spring         see impi_spring_step; what it pulls is set when the substep begins and stays in relax
//   force          an impulse h f with the warm start, nothing else
// A pivot D below 1e-6 of the row's own J M^-1 J^T says that the row follows from the ones before it: it is dropped.
// The work of a row is its impulse times the mean of its speed before and after, substep by substep.
// source: Catto, "Solver2D" (2024), soft step; the orthogonalised rows, the lever to B's anchor and the curvature term
// are our own.
#include "solve_soft_joint_record.h"

// In float, whose rounding is 1e-7 of the row's own.
#define DROPPED_PIVOT 1e-6f


// ---------------------------------------------------------------------------------------------------------------------
// Linearisation
// ---------------------------------------------------------------------------------------------------------------------


// lambda' = L^T lambda and back. A joint's rows are in one basis at a time: primed from warm start to solve, raw else.
INLINE void map_in(Head *head, int n, uint32_t stride) {
  for (int k = 0; k + 1 < head->rows && k < head->locks; ++k) {
    Row *lock = row_of(head, n, stride, k);
    for (int i = k + 1; i < head->rows; ++i) {
      Row *row = row_of(head, n, stride, i);
      lock->lambda += against_of(row, n)[k] * row->lambda;
    }
  }
}


INLINE void map_out(Head *head, int n, uint32_t stride) {
  for (int k = head->locks - 1; k >= 0; --k) {
    Row *lock = row_of(head, n, stride, k);
    for (int i = k + 1; i < head->rows; ++i) {
      Row *row = row_of(head, n, stride, i);
      lock->lambda -= against_of(row, n)[k] * row->lambda;
    }
  }
}


// The biases of solve and relax from the raw ones, locks first: what a row asks for beyond what the locks before it
// already do.
INLINE void make_biases(const ImpiSoftJoints *joints, Head *head, int n, uint32_t stride) {
  float inv_h = (float)(1 / joints->h);
  for (int i = 0; i < head->rows; ++i) {
    Row *row = row_of(head, n, stride, i);
    if (head->plain) {
      row->pull = joints->bias_rate * row->c;
      row->rest = 0;
      continue;
    }
    Extra *extra = &joints->extras.data[head->extra + i];
    const float *against = against_of(row, n);
    float pull = extra->bias, rest = extra->bias;
    if (extra->role == ROLE_LIMIT) {
      bool apart = extra->side == 1 ? row->c > 0 : row->c < 0;
      pull += apart ? row->c * inv_h : joints->bias_rate * row->c;
      rest += apart ? row->c * inv_h : 0;
      extra->scale = apart ? 1 : joints->mass_scale;
      extra->keep = apart ? 0 : joints->impulse_scale;
    }
    int before = i < head->locks ? i : head->locks;
    for (int k = 0; k < before; ++k) {
      const Row *lock = row_of(head, n, stride, k);
      pull -= against[k] * (i < head->locks ? lock->rest : lock->pull); // c of a lock is orthogonal already
      rest -= against[k] * lock->rest;
    }
    row->rest = rest;
    row->pull = i < head->locks ? pull + joints->bias_rate * row->c : pull;
  }
}


static double error_of(const ImpiSolve *solve, const ImpiJoint *joint, const Extra *extra, double value) {
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, extra->coordinate);
  const ImpDrive *set = coordinate->drive >= 0 ? &solve->drives[coordinate->drive].set : NULL;
  switch ((ImpRowKind)extra->kind) {
  case IMP_ROW_LOCK:
    return value - coordinate->lock;
  case IMP_ROW_USER:
    return value;
  case IMP_ROW_LOWER_LIMIT:
    return value - set->lower;
  case IMP_ROW_UPPER_LIMIT:
    return value - set->upper;
  case IMP_ROW_SERVO:
    return value - set->target;
  case IMP_ROW_SPRING:
    return value - set->rest;
  default:
    return 0;
  }
}


INLINE float sum_of(Part p) { return p[0] + p[1] + p[2]; }


// a . M^-1 b
INLINE float metric(const Part *weights, const Part *a, const Part *b, int n) {
  Part sum = weights[0] * a[0] * b[0];
  for (int body = 1; body < n; ++body) {
    sum += weights[body] * a[body] * b[body];
  }
  return sum_of(sum);
}


// Row i from its raw J, which is in its place and is made orthogonal there, and its error.
INLINE void make_row(Head *head, int n, uint32_t stride, int i, float c) {
  Row *row = row_of(head, n, stride, i);
  const Part *weights = weights_of(head, n);
  Part *j = jacobian_of(row);
  float *against = against_of(row, n);
  bool lock = i < head->locks;
  float own = metric(weights, j, j, n);
  int before = lock ? i : head->locks;
  for (int b = 0; b < before; ++b) {
    Row *other = row_of(head, n, stride, b);
    const Part *jb = jacobian_of(other);
    float l = metric(weights, j, jb, n) * other->mass;
    against[b] = l;
    for (int body = 0; body < n; ++body) {
      j[body] -= l * jb[body];
    }
    c -= lock ? l * other->c : 0;
  }
  float d = before > 0 ? metric(weights, j, j, n) : own;
  bool follows = !(d > DROPPED_PIVOT * own);
  row->mass = follows ? 0 : 1 / d;
  row->c = c;
  row->lambda = follows ? 0 : row->lambda;
}


INLINE Part part_of(const double *j) { return (Part){(float)j[0], (float)j[1], (float)j[2], 0}; }


// The locks of a plain joint of two bodies, by its frame.
INLINE void linearise_frame(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head) {
  static const ImpVec2 origin = {0, 0};
  const Frame *frame = &joints->frames.data[head->frame];
  const ImpiJoint *joint = &solve->joints[head->joint];
  const int32_t *lanes = lanes_of(head);
  const ImpiMotion *a = lanes[0] > 0 ? &joints->now.data[lanes[0]] : &solve->motions[joint->body_a];
  const ImpiMotion *b = lanes[1] > 0 ? &joints->now.data[lanes[1]] : &solve->motions[joint->body_b];
  ImpiSample samples[PAIR_LOCKS];
  double bend = 0.5 * joints->h / (double)joints->bias_rate;
  impi_coordinate_sample(&frame->gauge, frame->kinds, head->locks, origin, a, origin, b, 0.1 / joints->h, samples);
  for (int i = 0; i < head->locks; ++i) {
    Part *j = jacobian_of(row_of(head, 2, PAIR_STRIDE, i));
    j[0] = part_of(samples[i].j);
    j[1] = part_of(samples[i].j + 3);
    make_row(head, 2, PAIR_STRIDE, i, (float)(samples[i].value - frame->lock[i] + bend * samples[i].curvature));
  }
  make_biases(joints, head, 2, PAIR_STRIDE);
}


// Rows at the present poses; impulses are raw before and after.
INLINE void linearise(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, int n, uint32_t stride, double t) {
  if (n == 2 && head->frame >= 0) {
    linearise_frame(solve, joints, head);
    return;
  }
  const ImpiJoint *joint = &solve->joints[head->joint];
  ImpiPoses poses = {solve->bodies, solve->motions, joints->now.data};
  ImpiSamples samples = impi_sample_room(&joints->samples, joint);
  impi_joint_sample(solve->joints, joint, &poses, t, 0.1 / joints->h, samples);
  int sides = impi_joint_body_count(joint), skip = n - sides;
  bool rate = impi_joint_is_velocity(joint);
  double bend = 0.5 * joints->h / (double)joints->bias_rate;
  for (int i = 0; i < head->rows; ++i) {
    Extra *extra = &joints->extras.data[head->extra + i];
    bool lock = i < head->locks;
    Part *j = jacobian_of(row_of(head, n, stride, i));
    const double *raw = samples.j + extra->coordinate * 3 * sides;
    for (int body = 0; body < n; ++body) {
      j[body] = body < skip ? (Part){0, 0, 0, 0} : part_of(raw + 3 * (body - skip));
    }
    double c = rate ? 0 : error_of(solve, joint, extra, samples.value[extra->coordinate]);
    c += lock && !rate ? bend * samples.curvature[extra->coordinate] : 0;
    make_row(head, n, stride, i, (float)c);
    if (extra->kind == IMP_ROW_USER) {
      extra->bias = (float)joint->custom->rows[extra->coordinate].bias;
    }
  }
  make_biases(joints, head, n, stride);
}


void impi_soft_joint_linearise(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, double t) {
  if (head->stride == PAIR_STRIDE) {
    linearise(solve, joints, head, 2, PAIR_STRIDE, t);
  } else {
    linearise(solve, joints, head, head->bodies, head->stride, t);
  }
}


void impi_soft_joint_biases(const ImpiSoftJoints *joints, Head *head) {
  make_biases(joints, head, head->bodies, head->stride);
}


// Poses and velocities of all lanes in double.
void impi_soft_joints_look(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes) {
  for (int lane = 1; lane < lanes->count; ++lane) {
    const ImpiMotion *start = &solve->motions[lanes->body[lane]];
    ImpiRecord v = lanes->velocity[lane], d = lanes->displacement[lane];
    double c = (double)d[2], s = (double)d[3];
    joints->now.data[lane] = (ImpiMotion){
        .x = start->x + (double)d[0],
        .y = start->y + (double)d[1],
        .c = start->c + (start->c * c - start->s * s),
        .s = start->s + (start->s * c + start->c * s),
        .vx = (double)v[0],
        .vy = (double)v[1],
        .w = (double)v[2],
        .angle = start->angle + (double)v[3],
    };
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Passes
// ---------------------------------------------------------------------------------------------------------------------


typedef struct Pass {
  ImpiRecord *velocity;
  bool warm, relax, last;
} Pass;


INLINE void load(const Pass *pass, Head *head, int n, ImpiRecord *v) {
  for (int b = 0; b < n; ++b) {
    v[b] = pass->velocity[lanes_of(head)[b]];
  }
}


INLINE void save(const Pass *pass, Head *head, int n, const ImpiRecord *v) {
  for (int b = 0; b < n; ++b) {
    pass->velocity[lanes_of(head)[b]] = v[b];
  }
}


INLINE float speed_of(const Part *j, const ImpiRecord *v, int n) {
  Part sum = j[0] * v[0];
  for (int body = 1; body < n; ++body) {
    sum += j[body] * v[body];
  }
  return sum_of(sum);
}


INLINE void apply(const Part *weights, const Part *j, ImpiRecord *v, int n, float step) {
  for (int body = 0; body < n; ++body) {
    v[body] += weights[body] * (j[body] * step);
  }
}


INLINE void warm_start_record(const ImpiSoftJoints *joints, const Pass *pass, Head *head, int n, uint32_t stride,
                              ImpiRecord *v) {
  const Part *weights = weights_of(head, n);
  for (int i = 0; i < head->rows && !pass->warm; ++i) {
    Row *row = row_of(head, n, stride, i);
    bool force = !head->plain && joints->extras.data[head->extra + i].role == ROLE_FORCE;
    row->lambda = force ? row->lambda : 0;
  }
  map_in(head, n, stride);
  load(pass, head, n, v);
  for (int i = 0; i < head->rows; ++i) {
    Row *row = row_of(head, n, stride, i);
    const Part *j = jacobian_of(row);
    row->before = speed_of(j, v, n);
    apply(weights, j, v, n, row->lambda);
  }
  save(pass, head, n, v);
}


// The new impulse of a row that is no lock.
INLINE float drive_impulse(const Pass *pass, const Row *row, const Extra *extra, float speed) {
  bool stiff = pass->relax && extra->role != ROLE_SPRING;
  if (extra->role == ROLE_FORCE ||
      (stiff && extra->role == ROLE_LIMIT && row->lambda == 0 && (extra->side == 1 ? row->c > 0 : row->c < 0))) {
    return row->lambda;
  }
  float scale = stiff ? 1 : extra->scale, keep = stiff ? 0 : extra->keep;
  float next = row->lambda - row->mass * scale * (speed + (pass->relax ? row->rest : row->pull)) - keep * row->lambda -
               (row->mass > 0 ? extra->push : 0);
  return next < extra->lower ? extra->lower : next > extra->upper ? extra->upper : next;
}


INLINE void solve_record(const ImpiSoftJoints *joints, const Pass *pass, Head *head, int n, uint32_t stride,
                         ImpiRecord *v) {
  const Part *weights = weights_of(head, n);
  load(pass, head, n, v);
  for (int i = 0; i < head->rows; ++i) {
    Row *row = row_of(head, n, stride, i);
    const Part *j = jacobian_of(row);
    float speed = speed_of(j, v, n), next;
    if (i >= head->locks) {
      next = drive_impulse(pass, row, &joints->extras.data[head->extra + i], speed);
    } else if (pass->relax) {
      next = row->lambda - row->mass * (speed + row->rest);
    } else {
      next = row->lambda - row->mass * joints->mass_scale * (speed + row->pull) - joints->impulse_scale * row->lambda;
    }
    apply(weights, j, v, n, next - row->lambda);
    if (pass->last && row->mass > 0) { // the mean of its speed before and after all its impulse of the substep
      float after = i < head->locks ? -row->rest : speed + (next - row->lambda) / row->mass;
      row->work += 0.5f * next * (row->before + after);
    }
    row->lambda = next;
  }
  save(pass, head, n, v);
}


INLINE void relax_record(ImpiSolve *solve, ImpiSoftJoints *joints, const Pass *pass, Head *head, int n, uint32_t stride,
                         ImpiRecord *v, double now) {
  linearise(solve, joints, head, n, stride, now);
  map_in(head, n, stride);
  if (pass->relax) {
    solve_record(joints, pass, head, n, stride, v);
  }
  map_out(head, n, stride);
  for (int i = 0; i < head->rows; ++i) {
    Row *row = row_of(head, n, stride, i);
    row->total += row->lambda;
  }
}


void impi_soft_joints_warm_start(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes) {
  Pass pass = {lanes->velocity, solve->settings->warm_start, false, false};
  FOR_RECORDS(joints, head) {
    ImpiRecord v[IMP_MAX_CONSTRAINT_BODIES];
    if (head->stride == PAIR_STRIDE) {
      warm_start_record(joints, &pass, head, 2, PAIR_STRIDE, v);
    } else {
      warm_start_record(joints, &pass, head, head->bodies, head->stride, v);
    }
  }
}


void impi_soft_joints_solve(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes) {
  Pass pass = {lanes->velocity, true, false, false};
  FOR_RECORDS(joints, head) {
    ImpiRecord v[IMP_MAX_CONSTRAINT_BODIES];
    if (head->stride == PAIR_STRIDE) {
      solve_record(joints, &pass, head, 2, PAIR_STRIDE, v);
    } else {
      solve_record(joints, &pass, head, head->bodies, head->stride, v);
    }
  }
}


void impi_soft_joints_relax(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double now) {
  if (joints->order.count == 0) {
    return;
  }
  Pass pass = {lanes->velocity, true, solve->settings->relax, true};
  impi_soft_joints_look(solve, joints, lanes);
  FOR_RECORDS(joints, head) {
    ImpiRecord v[IMP_MAX_CONSTRAINT_BODIES];
    if (head->stride == PAIR_STRIDE) {
      map_out(head, 2, PAIR_STRIDE);
    } else {
      map_out(head, head->bodies, head->stride);
    }
    if (!head->plain) {
      impi_soft_joint_update(solve, joints, head, now + joints->h);
    }
    if (head->stride == PAIR_STRIDE) {
      relax_record(solve, joints, &pass, head, 2, PAIR_STRIDE, v, now);
    } else {
      relax_record(solve, joints, &pass, head, head->bodies, head->stride, v, now);
    }
  }
}
