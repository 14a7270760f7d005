// Joint rows of the soft solver.
//
// Rows are linearised after positions moved, because with the directions before the move rotating bodies would lose
// energy. In the metric of the inverse masses the locks of a joint are made orthogonal to each other, and all other
// rows orthogonal to the locks:
//   K = J M^-1 J^T = L D L^T,   J' = L^-1 J,   C' = L^-1 C,   lambda' = L^T lambda
// Solving the locks one after another is their exact block solution. A motor, limit or spring does not disturb the
// locks, and its impulse is the same in both bases. "Raw" values are those before orthogonalisation.
//   lock, biased:  d = -ms (J' v + beta C' + b') / D - is lambda'     ms, is: mass and impulse scale, see solve_soft.c
//   relax:         d = -(J' v + b') / D          b: bias due to time or the user, also used in relax
// C' includes h / (2 beta) J̇v (curvature): a substep moves along the tangent, which opens a lock by h^2 J̇v / 2.
//   motor          rigid; bias = -(target speed) in solve and relax
//   servo          soft; bias = beta (q - q_t) - v_t in solve and relax (target q_t, target speed v_t). A rigid servo
//                  would add energy to chains.
//   limit          speculative: before the end is reached, J v + C / h >= 0; relax skips an end that is not reached and
//                  has no impulse.
//                  With other drives on its coordinate: the part of its impulse that balances drives pressing on it is
//                  rigid, and only the rest is soft. Before a pass, drives that pull away from the limit take over
//                  impulse from the limit, until they have the impulse that they would have at the target speed
//                  (-bias) of the limit's row.
//                  A motor that the limit can stop does not press on the limit: its target speed is at most the speed
//                  that reaches the end within the substep.
//   spring         see impi_spring_step; its softness is set at the start of the substep and is also used in relax
//   force          an impulse h f with the warm start, nothing else
// The work of a drive or rotor is its impulse times the mean of its speeds before and after all impulses of a substep.
// The rest of the work of a joint is that of its locks.
// source: Catto, "Solver2D" (2024), soft step; our own: the orthogonalised rows, the lever of A from its centre to B's
// anchor, and the curvature term
#include "solvers/soft/soft_joint_record.h"

// D is J M^-1 J^T of a row after orthogonalisation, D_0 before. A row is dropped if D < DROPPED_PIVOT D_0, because the
// rounding error of D is about 1e-7 D_0.
#define DROPPED_PIVOT 1e-6f


// ---------------------------------------------------------------------------------------------------------------------
// Linearisation
// ---------------------------------------------------------------------------------------------------------------------


// Dimensions of a record.
typedef struct Form {
  int bodies, locks, rows;
  uint32_t stride;
  bool plain;
  bool fine;  // the array of velocities is followed by their changes: see ImpiLaneBodies.gain
  bool rotor; // the fourth numbers of velocities and J belong to rotors
} Form;

// Call function(form, ...) for the form of a record.
#define WITH_FORM(head, function, ...) \
  do { \
    if ((head)->stride == PAIR_STRIDE && (head)->plain && (head)->locks == 2) { \
      Form form = {2, 2, 2, PAIR_STRIDE, true, false, false}; \
      function(form, __VA_ARGS__); \
    } else if ((head)->stride == PAIR_STRIDE && (head)->rotors == 0) { \
      Form form = {2, (head)->locks, (head)->rows, PAIR_STRIDE, (head)->plain, false, false}; \
      function(form, __VA_ARGS__); \
    } else { \
      Form form = {(head)->bodies, (head)->locks, (head)->rows,      (head)->stride, \
                   (head)->plain,  false,         (head)->rotors > 0}; \
      function(form, __VA_ARGS__); \
    } \
  } while (0)

// Variant of WITH_FORM for functions that change velocities.
#define WITH_PASS(pass, head, function, ...) \
  do { \
    if (__builtin_expect((pass)->gain != NULL, 0)) { \
      Form form = {(head)->bodies, (head)->locks, (head)->rows,      (head)->stride, \
                   (head)->plain,  true,          (head)->rotors > 0}; \
      function(form, __VA_ARGS__); \
    } else { \
      WITH_FORM(head, function, __VA_ARGS__); \
    } \
  } while (0)


// Map impulses to the orthogonal basis: lambda' = L^T lambda. map_out is the inverse. Impulses must be in the
// orthogonal basis from warm start to solve, in the basis before orthogonalisation otherwise.
INLINE void map_in(Head *head, Form form) {
  for (int k = 0; k + 1 < form.rows && k < form.locks; ++k) {
    Row *lock = row_of(head, form.bodies, form.stride, k);
    for (int i = k + 1; i < form.rows; ++i) {
      Row *row = row_of(head, form.bodies, form.stride, i);
      lock->lambda += against_of(row, form.bodies)[k] * row->lambda;
    }
  }
}


INLINE void map_out(Head *head, Form form) {
  for (int k = form.locks - 1; k >= 0; --k) {
    Row *lock = row_of(head, form.bodies, form.stride, k);
    for (int i = k + 1; i < form.rows; ++i) {
      Row *row = row_of(head, form.bodies, form.stride, i);
      lock->lambda -= against_of(row, form.bodies)[k] * row->lambda;
    }
  }
}


INLINE void map_in_form(Form form, Head *head) { map_in(head, form); }


INLINE void map_out_form(Form form, Head *head) { map_out(head, form); }


// Return the index after the last row that drives the coordinate of row i.
INLINE int drives_end(const ImpiSoftJoints *joints, const Head *head, Form form, int i) {
  const Extra *extra = &joints->extras.data[head->extra];
  int end = i + 1;
  while (end < form.rows && extra[end].coordinate == extra[i].coordinate) {
    ++end;
  }
  return end;
}


// Bound the target speed of a motor that its limit can stop. The bound is the speed that reaches the end of the limit
// within the substep.
INLINE void stop_at_limits(const ImpiSoftJoints *joints, Head *head, Form form, int i) {
  const float reach = (1 - 4e-6f) * (float)(1 / joints->h);
  Row *motor = row_of(head, form.bodies, form.stride, i);
  Extra *own = &joints->extras.data[head->extra + i];
  float locks = motor->rest - own->bias; // contribution of the locked coordinates to the bias in the relax pass
  own->stopped_by = 0;
  for (int k = i + 1; k < drives_end(joints, head, form, i); ++k) {
    const Extra *extra = &joints->extras.data[head->extra + k];
    const float c = row_of(head, form.bodies, form.stride, k)->c;
    bool lower = extra->side == 1, apart = lower ? c > 0 : c < 0;
    float pull = extra->bias + c * (apart ? reach : joints->bias_rate),
          rest = extra->bias + locks + (apart ? c * reach : 0);
    bool solves = lower ? pull < motor->pull : pull > motor->pull;
    bool rests = lower ? rest < motor->rest : rest > motor->rest;
    motor->pull = solves ? pull : motor->pull;
    motor->rest = rests ? rest : motor->rest;
    own->stopped_by = rests ? extra->side : own->stopped_by;
  }
}


// Compute the biases of solve and relax from the biases before orthogonalisation.
INLINE void make_biases(const ImpiSoftJoints *joints, Head *head, Form form) {
  float inv_h = (float)(1 / joints->h);
  for (int i = 0; i < form.rows; ++i) {
    Row *row = row_of(head, form.bodies, form.stride, i);
    if (form.plain) {
      row->pull = joints->bias_rate * row->c;
      row->rest = 0;
      continue;
    }
    Extra *extra = &joints->extras.data[head->extra + i];
    const float *against = against_of(row, form.bodies);
    float pull = extra->bias, rest = extra->bias;
    if (extra->role == ROLE_LIMIT) {
      bool apart = extra->side == 1 ? row->c > 0 : row->c < 0;
      pull += apart ? row->c * inv_h : joints->bias_rate * row->c;
      rest += apart ? row->c * inv_h : 0;
      extra->scale = apart ? 1 : joints->mass_scale;
      extra->keep = apart ? 0 : joints->impulse_scale;
    }
    int before = i < form.locks ? i : form.locks;
    for (int k = 0; k < before; ++k) {
      const Row *lock = row_of(head, form.bodies, form.stride, k);
      pull -= i < form.locks ? against[k] * lock->rest : 0; // the error c of a lock is orthogonalised already
      rest -= against[k] * lock->rest;
    }
    row->rest = rest;
    row->pull = i < form.locks ? pull + joints->bias_rate * row->c : pull;
    if (extra->stopped) {
      stop_at_limits(joints, head, form, i);
    }
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
    return value - impi_servo_target(set);
  case IMP_ROW_SPRING:
    return value - set->rest;
  default:
    return 0;
  }
}


INLINE float sum_of(Part p, bool rotor) { return rotor ? p[0] + p[1] + p[2] + p[3] : p[0] + p[1] + p[2]; }


// Return a . M^-1 b.
INLINE float metric(const Part *weights, const Part *a, const Part *b, Form form) {
  Part sum = weights[0] * a[0] * b[0];
  for (int body = 1; body < form.bodies; ++body) {
    sum += weights[body] * a[body] * b[body];
  }
  return sum_of(sum, form.rotor);
}


// Compute row i from its error c and its J. Orthogonalise J in place.
INLINE void make_row(Head *head, Form form, int i, float c) {
  Row *row = row_of(head, form.bodies, form.stride, i);
  const Part *weights = weights_of(head, form.bodies);
  Part *j = jacobian_of(row);
  float *against = against_of(row, form.bodies);
  bool lock = i < form.locks;
  float own = metric(weights, j, j, form);
  int before = lock ? i : form.locks;
  for (int b = 0; b < before; ++b) {
    Row *other = row_of(head, form.bodies, form.stride, b);
    const Part *jb = jacobian_of(other);
    float l = metric(weights, j, jb, form) * other->mass;
    against[b] = l;
    for (int body = 0; body < form.bodies; ++body) {
      j[body] -= l * jb[body];
    }
    c -= lock ? l * other->c : 0;
  }
  float d = before > 0 ? metric(weights, j, j, form) : own;
  bool follows = !(d > DROPPED_PIVOT * own);
  bool broken = !(c - c == 0 && d - d == 0); // non-finite: disable the row
  for (int body = 0; body < form.bodies && broken; ++body) {
    j[body] = (Part){0, 0, 0, 0};
  }
  row->mass = follows || broken ? 0 : 1 / d;
  row->k = follows || broken ? 0 : d;
  row->c = broken ? 0 : c;
  row->lambda = follows || broken ? 0 : row->lambda;
}


INLINE Part part_of(const double *j) { return (Part){(float)j[0], (float)j[1], (float)j[2], 0}; }


// Return J of a body. A J that is nearly parallel to a locked axis is made exactly parallel.
INLINE Part held(Part j, Part weight) {
  if (weight[0] < weight[1] && fabsf(j[1]) < (float)IMPI_LOCKED_SLOPE_JOINT * fabsf(j[0])) {
    j[1] = 0;
  } else if (weight[0] > weight[1] && fabsf(j[0]) < (float)IMPI_LOCKED_SLOPE_JOINT * fabsf(j[1])) {
    j[0] = 0;
  }
  return j;
}


// Return whether the error of a lock or limit requires a check of the joint in double.
INLINE bool is_wide(const Head *head, const ImpiJoint *joint, int coordinate, const double *j, double c) {
  double most = (double)head->most;
  if (joint->custom == NULL) {
    bool angle = joint->kinds[coordinate] == IMP_COORDINATE_ANGLE;
    return fabs(c) > (angle ? (double)IMPI_ANGLE_RECHECK : 0.7 * most);
  }
  double half = most / (2 * IMPI_OPEN_RECHECK * IMPI_OPEN_PART), sum = 0; // half the joint's size [m]
  int sides = impi_joint_body_count(joint);
  for (int i = 0; i < sides; ++i) {
    sum += j[3 * i] * j[3 * i] + j[3 * i + 1] * j[3 * i + 1] + j[3 * i + 2] * j[3 * i + 2] / (half * half);
  }
  // The error c requires a motion of |c| / g, with the steepest slope g of the coordinate (change per metre).
  return c * c * (2 * sides) > most * most * sum;
}


// Linearise the locks of a joint of two bodies that is plain (Head.plain).
INLINE void linearise_frame(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, Form form) {
  static const ImpVec2 origin = {0, 0};
  const Frame *frame = &joints->frames.data[head->frame];
  const ImpiJoint *joint = &solve->joints[head->joint];
  const int32_t *lanes = lanes_of(head);
  const ImpiMotion *a = lanes[0] > 0 ? &joints->now.data[lanes[0]] : &solve->motions[joint->body_a];
  const ImpiMotion *b = lanes[1] > 0 ? &joints->now.data[lanes[1]] : &solve->motions[joint->body_b];
  const Part *weights = weights_of(head, 2);
  ImpiSample samples[PAIR_LOCKS];
  double bend = 0.5 * joints->h / (double)joints->bias_rate;
  impi_coordinate_sample(&frame->frames, frame->kinds, form.locks, origin, a, origin, b, 0.1 / joints->h, samples);
  head->needs_recheck = false;
  for (int i = 0; i < form.locks; ++i) {
    Part *j = jacobian_of(row_of(head, 2, form.stride, i));
    j[0] = held(part_of(samples[i].j), weights[0]);
    j[1] = held(part_of(samples[i].j + 3), weights[1]);
    double error = samples[i].value - frame->lock[i], c = impi_clamp(error, -joints->reach, joints->reach);
    bool angle = frame->kinds[i] == IMP_COORDINATE_ANGLE;
    head->needs_recheck |= fabsf((float)error) > (angle ? IMPI_ANGLE_RECHECK : 0.7f * head->most);
    make_row(head, form, i, (float)(c + bend * samples[i].curvature));
  }
  make_biases(joints, head, form);
}


// Return the index of the row of a coordinate's rotor if the rotor is heavier than the bodies, else -1.
INLINE int heavy_rotor(const ImpiSoftJoints *joints, Head *head, Form form, int coordinate) {
  for (int i = form.locks - head->rotors; i < form.locks; ++i) {
    const Extra *extra = &joints->extras.data[head->extra + i];
    if (extra->coordinate == coordinate && extra->role == ROLE_ROTOR) {
      float inverse = weights_of(head, form.bodies)[form.bodies - 1 - extra->rotor][3];
      return row_of(head, form.bodies, form.stride, i)->k > 2 * inverse ? i : -1;
    }
  }
  return -1;
}


// Row i of a drive was made from the rotor's speed s alone. The row of the drive's coordinate is J v = s + (J v - s),
// and J v - s is row `rotor`. Change the coefficients L of row i to those of J v.
INLINE void follow_rotor(Head *head, Form form, int i, int rotor) {
  float *against = against_of(row_of(head, form.bodies, form.stride, i), form.bodies);
  const float *own = against_of(row_of(head, form.bodies, form.stride, rotor), form.bodies);
  for (int k = 0; k < rotor; ++k) {
    against[k] += own[k];
  }
  against[rotor] += 1;
}


// Linearise the rows at the current poses. Impulses are those before orthogonalisation.
INLINE void linearise(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, Form form, double t) {
  if (form.bodies == 2 && head->frame >= 0) {
    linearise_frame(solve, joints, head, form);
    return;
  }
  const ImpiJoint *joint = &solve->joints[head->joint];
  ImpiPoses poses = {solve->bodies, solve->motions, joints->now.data};
  ImpiSamples samples = impi_sample_room(&joints->samples, joint);
  impi_joint_sample(solve->joints, joint, &poses, t, 0.1 / joints->h, samples);
  int sides = impi_joint_body_count(joint), skip = form.bodies - sides;
  bool rate = impi_joint_is_velocity(joint);
  double bend = 0.5 * joints->h / (double)joints->bias_rate;
  head->needs_recheck = false;
  for (int i = 0; i < form.rows; ++i) {
    Extra *extra = &joints->extras.data[head->extra + i];
    bool lock = i < form.locks;
    Part *j = jacobian_of(row_of(head, form.bodies, form.stride, i));
    const double *raw = samples.j + extra->coordinate * 3 * sides;
    for (int body = 0; body < form.bodies; ++body) {
      j[body] = body < skip ? (Part){0, 0, 0, 0} : part_of(raw + 3 * (body - skip));
      if (joint->custom == NULL) {
        j[body] = held(j[body], weights_of(head, form.bodies)[body]);
      }
    }
    if (extra->role == ROLE_ROTOR) {
      j[form.bodies - 1 - extra->rotor][3] = -1;
      make_row(head, form, i, 0);
      continue;
    }
    int rotor = form.rotor && !lock ? heavy_rotor(joints, head, form, extra->coordinate) : -1;
    if (rotor >= 0) {
      for (int body = 0; body < form.bodies; ++body) {
        j[body] = (Part){0, 0, 0, 0};
      }
      j[form.bodies - 1 - joints->extras.data[head->extra + rotor].rotor][3] = 1;
      make_row(head, form, i, (float)error_of(solve, joint, extra, samples.value[extra->coordinate]));
      follow_rotor(head, form, i, rotor);
      continue;
    }
    double c = rate ? 0 : error_of(solve, joint, extra, samples.value[extra->coordinate]);
    if (lock || (extra->role == ROLE_LIMIT && (extra->side == 1 ? c < 0 : c > 0))) {
      head->needs_recheck |= is_wide(head, joint, extra->coordinate, raw, c);
    }
    c = lock && joint->custom == NULL ? impi_clamp(c, -joints->reach, joints->reach) : c;
    c += lock && !rate ? bend * samples.curvature[extra->coordinate] : 0;
    make_row(head, form, i, (float)c);
    if (extra->kind == IMP_ROW_USER) {
      extra->bias = (float)joint->custom->rows[extra->coordinate].bias;
    }
  }
  make_biases(joints, head, form);
}


INLINE void linearise_form(Form form, ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, double t) {
  linearise(solve, joints, head, form, t);
}


void impi_soft_joint_linearise(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, double t) {
  joints->clusters.filled = false;
  WITH_FORM(head, linearise_form, solve, joints, head, t);
}


INLINE void biases_form(Form form, const ImpiSoftJoints *joints, Head *head) { make_biases(joints, head, form); }


void impi_soft_joint_biases(const ImpiSoftJoints *joints, Head *head) { WITH_FORM(head, biases_form, joints, head); }


// Compute poses and velocities of all lanes in double.
void impi_soft_joints_look(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes) {
  for (int i = 0; i < solve->awake_count; ++i) {
    int32_t lane = solve->bodies[solve->awake[i]].lane;
    if (lane == 0) {
      continue;
    }
    const ImpiMotion *start = &solve->motions[solve->awake[i]];
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
  bool warm, relax;
  ImpiRecord *gain;       // see ImpiLaneBodies
  const ImpiRecord *base; // see ImpiLaneBodies
  Rotor *rotors;          // rotors of all records
} Pass;


INLINE void load(const Pass *pass, Head *head, Form form, ImpiRecord *v) {
  for (int b = 0; b < form.bodies; ++b) {
    v[b] = pass->velocity[lanes_of(head)[b]];
    if (form.fine) {
      v[form.bodies + b] = (ImpiRecord){0, 0, 0, 0};
    }
  }
  for (int r = 0; form.rotor && r < head->rotors; ++r) {
    v[form.bodies - 1 - r][3] = (float)pass->rotors[head->rotor + r].speed;
  }
}


INLINE void save(const Pass *pass, Head *head, Form form, const ImpiRecord *v) {
  for (int b = 0; b < form.bodies; ++b) {
    int32_t lane = lanes_of(head)[b];
    int r = form.bodies - 1 - b;
    if (form.rotor && r < head->rotors) {
      Rotor *rotor = &pass->rotors[head->rotor + r];
      rotor->speed = form.fine ? rotor->speed + (double)v[form.bodies + b][3] : (double)v[b][3];
      if (lane > 0 && !form.fine) {
        pass->velocity[lane] = (ImpiRecord){v[b][0], v[b][1], v[b][2], pass->velocity[lane][3]};
        continue;
      }
    }
    if (form.fine && lane > 0) {
      ImpiRecord added = v[form.bodies + b];
      pass->gain[lane] += (ImpiRecord){added[0], added[1], added[2], form.rotor ? 0 : added[3]};
      ImpiRecord now = pass->base[lane] + pass->gain[lane];
      pass->velocity[lane] = (ImpiRecord){now[0], now[1], now[2], pass->velocity[lane][3]};
      continue;
    }
    if (lane > 0) { // lane 0 is the static world
      pass->velocity[lane] = v[b];
    }
  }
}


INLINE float speed_of(const Part *j, const ImpiRecord *v, Form form) {
  Part sum = j[0] * v[0];
  for (int body = 1; body < form.bodies; ++body) {
    sum += j[body] * v[body];
  }
  return sum_of(sum, form.rotor);
}


// Apply an impulse d and add its work d (J' v + d D / 2), D = J' M^-1 J'^T.
INLINE void apply(Row *row, const Part *weights, const Part *j, ImpiRecord *v, Form form, float speed, float step) {
  row->work += step * (speed + 0.5f * step * row->k);
  for (int body = 0; body < form.bodies; ++body) {
    ImpiRecord change = weights[body] * (j[body] * step);
    v[body] += change;
    if (form.fine) {
      v[form.bodies + body] += change;
    }
  }
}


// After a substep, add its work of rotors and drives to Extra.share of their rows: impulses times the means of the
// speeds before and after all impulses. Speeds and impulses are those before orthogonalisation.
INLINE void share_work(Form form, const ImpiSoftJoints *joints, Head *head) {
  ImpiRecord v[IMP_MAX_CONSTRAINT_BODIES];
  Pass pass = {.velocity = joints->mean.data, .rotors = joints->rotors.data};
  load(&pass, head, form, v);
  for (int r = 0; form.rotor && r < head->rotors; ++r) {
    const Rotor *rotor = &joints->rotors.data[head->rotor + r];
    v[form.bodies - 1 - r][3] = (float)(0.5 * (rotor->before + rotor->speed));
  }
  for (int i = form.rotor ? first_share(head) : form.locks; i < form.rows; ++i) {
    Row *row = row_of(head, form.bodies, form.stride, i);
    const float *against = against_of(row, form.bodies);
    float speed = speed_of(jacobian_of(row), v, form);
    for (int k = 0; k < form.locks && k < i; ++k) {
      speed += against[k] * speed_of(jacobian_of(row_of(head, form.bodies, form.stride, k)), v, form);
    }
    joints->extras.data[head->extra + i].share += row->lambda * speed;
  }
}


void impi_soft_joint_share_work(const ImpiSoftJoints *joints, Head *head) { WITH_FORM(head, share_work, joints, head); }


INLINE void warm_start_record(Form form, const ImpiSoftJoints *joints, const Pass *pass, Head *head, ImpiRecord *v) {
  const Part *weights = weights_of(head, form.bodies);
  for (int i = 0; i < form.rows && !pass->warm; ++i) {
    bool force = !form.plain && joints->extras.data[head->extra + i].role == ROLE_FORCE;
    Row *row = row_of(head, form.bodies, form.stride, i);
    row->lambda = force ? row->lambda : 0;
  }
  map_in(head, form);
  load(pass, head, form, v);
  for (int i = 0; i < form.rows; ++i) {
    Row *row = row_of(head, form.bodies, form.stride, i);
    const Part *j = jacobian_of(row);
    apply(row, weights, j, v, form, speed_of(j, v, form), row->lambda);
  }
  save(pass, head, form, v);
}


// Return the impulse that a drive would have at a given speed of its coordinate.
INLINE float gives_at(const Row *row, const Extra *extra, float speed, float bias) {
  float lambda = -(row->mass * extra->scale * (speed + bias) + extra->push) / extra->keep;
  if (extra->keep <= 0) {
    lambda = speed + bias < 0 ? HUGE_VALF : speed + bias > 0 ? -HUGE_VALF : row->lambda;
  }
  return lambda < extra->lower ? extra->lower : lambda > extra->upper ? extra->upper : lambda;
}


// Move impulse from an end of a limit to the other drives of its coordinate, except forces. Each gets at most the
// impulse that it would have at the target speed (-bias) of the end's row.
INLINE void take_over(const ImpiSoftJoints *joints, const Pass *pass, Head *head, Form form, int end) {
  const Extra *extras = &joints->extras.data[head->extra];
  Row *limit = row_of(head, form.bodies, form.stride, end);
  float side = extras[end].side == 1 ? 1.0f : -1.0f, at = -(pass->relax ? limit->rest : limit->pull);
  if (limit->lambda == 0 || limit->mass <= 0) {
    return;
  }
  for (int i = end - 1; i >= form.locks && extras[i].coordinate == extras[end].coordinate; --i) {
    Row *row = row_of(head, form.bodies, form.stride, i);
    if (extras[i].role == ROLE_LIMIT || extras[i].role == ROLE_FORCE) {
      continue;
    }
    float gives = gives_at(row, &extras[i], at, pass->relax ? row->rest : row->pull);
    float most = side * (gives - row->lambda), holds = side * limit->lambda, taken = most < holds ? most : holds;
    if (taken > 0) {
      row->lambda += side * taken;
      limit->lambda -= side * taken;
    }
  }
}


// Return the sum of the impulses of all drives of the coordinate except the limit, or 0 if the sum does not press on
// the given end of the limit.
INLINE float pressure_on(const ImpiSoftJoints *joints, Head *head, Form form, int end) {
  const Extra *extras = &joints->extras.data[head->extra];
  float sum = 0;
  for (int i = end - 1; i >= form.locks && extras[i].coordinate == extras[end].coordinate; --i) {
    sum += extras[i].role == ROLE_LIMIT ? 0 : row_of(head, form.bodies, form.stride, i)->lambda;
  }
  return extras[end].side == 1 ? (sum < 0 ? sum : 0) : (sum > 0 ? sum : 0);
}


// Return the new impulse of the row of a drive. `pressure`: for an end of a limit the result of pressure_on, else 0.
INLINE float drive_impulse(const Pass *pass, const Row *row, const Extra *extra, float speed, float pressure) {
  bool firm = pass->relax && extra->role == ROLE_LIMIT;
  if (extra->role == ROLE_FORCE || (firm && row->lambda == 0 && (extra->side == 1 ? row->c > 0 : row->c < 0))) {
    return row->lambda;
  }
  float scale = firm ? 1 : extra->scale, keep = firm ? 0 : extra->keep;
  float next = row->lambda - row->mass * scale * (speed + (pass->relax ? row->rest : row->pull)) -
               keep * (row->lambda + pressure) - (row->mass > 0 ? extra->push : 0);
  return next < extra->lower ? extra->lower : next > extra->upper ? extra->upper : next;
}


// Solve the rows of a joint from `first` on, one after another.
INLINE void solve_record(Form form, const ImpiSoftJoints *joints, const Pass *pass, Head *head, ImpiRecord *v,
                         int first) {
  const Part *weights = weights_of(head, form.bodies);
  bool limited = !form.plain && head->limited;
  for (int i = form.locks; i < form.rows && limited; ++i) {
    if (joints->extras.data[head->extra + i].role == ROLE_LIMIT) {
      take_over(joints, pass, head, form, i);
    }
  }
  load(pass, head, form, v);
  for (int i = first; i < form.rows; ++i) {
    Row *row = row_of(head, form.bodies, form.stride, i);
    const Part *j = jacobian_of(row);
    float speed = speed_of(j, v, form), raw = speed, next;
    if (i >= form.locks) {
      // A drive must compensate for the remaining speed of soft locks.
      const float *against = against_of(row, form.bodies);
      for (int k = 0; k < form.locks && !pass->relax; ++k) {
        raw += against[k] * speed_of(jacobian_of(row_of(head, form.bodies, form.stride, k)), v, form);
      }
      const Extra *extra = &joints->extras.data[head->extra + i];
      bool ends = extra->role == ROLE_LIMIT && extra->side == 1 && i + 1 < form.rows && extra[1].role == ROLE_LIMIT &&
                  extra[1].coordinate == extra->coordinate;
      if (ends) {
        raw -= row_of(head, form.bodies, form.stride, i + 1)->lambda * row->k;
      }
      float pressure = limited && extra->role == ROLE_LIMIT ? pressure_on(joints, head, form, i) : 0;
      next = drive_impulse(pass, row, extra, raw, pressure);
    } else if (pass->relax) {
      next = row->lambda - row->mass * (speed + row->rest);
    } else {
      const Extra *extra = form.plain ? NULL : &joints->extras.data[head->extra + i];
      float pull = row->pull;
      if (form.rotor && extra->role == ROLE_ROTOR) {
        for (int k = 0; k < i; ++k) {
          pull += against_of(row, form.bodies)[k] *
                  (speed_of(jacobian_of(row_of(head, form.bodies, form.stride, k)), v, form));
        }
        pull += extra->bias - row->pull;
      }
      float scale = form.plain ? joints->mass_scale : extra->scale;
      float keep = form.plain ? joints->impulse_scale : extra->keep;
      next = row->lambda - row->mass * scale * (speed + pull) - keep * row->lambda;
    }
    apply(row, weights, j, v, form, speed, next - row->lambda);
    row->lambda = next;
  }
  save(pass, head, form, v);
}


// Add the impulses of all rows, times a sign, to the impulse of the joint on its last body.
INLINE void bear(Form form, Head *head, float sign) {
  Part sum = {0, 0, 0, 0};
  for (int i = 0; i < form.rows; ++i) {
    Row *row = row_of(head, form.bodies, form.stride, i);
    sum += row->lambda * jacobian_of(row)[form.bodies - 1];
  }
  for (int k = 0; k < 3; ++k) {
    head->wrench[k] += sign * sum[k];
  }
}


// Copy the bodies' velocities to `now`, from which curvatures (J̇v) are computed. The joints that relax solved before
// this joint changed the velocities.
INLINE void look_again(ImpiSoftJoints *joints, Head *head, int n, const ImpiRecord *v) {
  for (int b = 0; b < n; ++b) {
    ImpiMotion *now = &joints->now.data[lanes_of(head)[b]];
    now->vx = (double)v[b][0];
    now->vy = (double)v[b][1];
    now->w = (double)v[b][2];
  }
}


// A motor stopped at an end of its limit presses on this end with its maximum force. Add the missing impulse to the
// totals of the motor, and subtract it from those of the end.
INLINE void count_pressing(const ImpiSoftJoints *joints, Head *head, Form form) {
  const Extra *extras = &joints->extras.data[head->extra];
  for (int i = form.locks; i < form.rows; ++i) {
    Row *motor = row_of(head, form.bodies, form.stride, i);
    float most = extras[i].stopped_by == 1 ? extras[i].lower : extras[i].upper;
    if (!extras[i].stopped || extras[i].stopped_by == 0 || fabsf(most) == HUGE_VALF) {
      continue;
    }
    for (int k = i + 1; k < drives_end(joints, head, form, i); ++k) {
      if (extras[k].side == extras[i].stopped_by) {
        row_of(head, form.bodies, form.stride, k)->total -= most - motor->lambda;
        motor->total += most - motor->lambda;
      }
    }
  }
}


// Linearise the rows at the current positions, before relax solves them.
INLINE void start_relax(Form form, ImpiSolve *solve, ImpiSoftJoints *joints, const Pass *pass, Head *head,
                        ImpiRecord *v, double now) {
  load(pass, head, form, v);
  look_again(joints, head, form.bodies, v);
  linearise(solve, joints, head, form, now);
  map_in(head, form);
  bear(form, head, -1);
}


// After relax: add the impulses of the joint to its wrench and totals, and map the impulses back (map_out).
INLINE void end_relax(Form form, const ImpiSoftJoints *joints, Head *head) {
  bear(form, head, 1);
  map_out(head, form);
  for (int i = 0; i < form.rows; ++i) {
    Row *row = row_of(head, form.bodies, form.stride, i);
    row->total += row->lambda;
  }
  if (!form.plain && head->limited) {
    count_pressing(joints, head, form);
  }
}


INLINE void relax_record(Form form, ImpiSolve *solve, ImpiSoftJoints *joints, const Pass *pass, Head *head,
                         ImpiRecord *v, double now) {
  start_relax(form, solve, joints, pass, head, v, now);
  if (pass->relax) {
    solve_record(form, joints, pass, head, v, 0);
  }
  end_relax(form, joints, head);
}


// Before a new linearisation: add the impulses along the old rows to the wrench, and map the impulses back (map_out).
INLINE void leave_rows(Form form, Head *head) {
  bear(form, head, 1);
  map_out(head, form);
}


// ---------------------------------------------------------------------------------------------------------------------
// Clusters: computations per joint
// ---------------------------------------------------------------------------------------------------------------------


// Solve the rows of drives, one after another.
INLINE void solve_drives(Form form, const ImpiSoftJoints *joints, const Pass *pass, Head *head) {
  ImpiRecord v[2 * IMP_MAX_CONSTRAINT_BODIES];
  solve_record(form, joints, pass, head, v, form.locks);
}


void impi_soft_joint_solve_drives(const ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, bool relax, Head *head) {
  Pass pass = {lanes->velocity, true, relax, lanes->gain, lanes->base, joints->rotors.data};
  WITH_PASS(&pass, head, solve_drives, joints, &pass, head);
}


// Before the first substep: the tension in the joints of clusters is computed from the warm-start impulses.
void impi_soft_joints_stiffen(ImpiSolve *solve, ImpiSoftJoints *joints) {
  for (int b = 0; b < joints->clusters.blocks.count; ++b) {
    const ImpiClusterBlock *block = &joints->clusters.blocks.data[b];
    Head *head = (Head *)(void *)(joints->memory + block->head);
    WITH_FORM(head, map_in_form, head);
    impi_clusters_add_tension(solve, joints, block);
    WITH_FORM(head, map_out_form, head);
  }
  impi_clusters_stiffen(solve, joints);
  FOR_TOGETHER(joints, head) {
    if (joints->clusters.stiff) {
      impi_soft_joint_linearise(solve, joints, head, solve->time);
    }
  }
}


static void relax_clusters(ImpiSolve *solve, ImpiSoftJoints *joints, const Pass *pass, const ImpiLaneBodies *lanes,
                           double now) {
  ImpiClusters *clusters = &joints->clusters;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    Head *head = (Head *)(void *)(joints->memory + clusters->blocks.data[b].head);
    impi_clusters_add_tension(solve, joints, &clusters->blocks.data[b]);
    WITH_FORM(head, leave_rows, head);
  }
  impi_clusters_stiffen(solve, joints);
  FOR_TOGETHER(joints, head) {
    ImpiRecord v[2 * IMP_MAX_CONSTRAINT_BODIES];
    if (!head->plain) {
      impi_soft_joint_update(solve, joints, head, now + joints->h);
    }
    WITH_PASS(pass, head, start_relax, solve, joints, pass, head, v, now);
  }
  clusters->filled = false;
  if (pass->relax) {
    impi_clusters_solve(joints, lanes, true, NULL);
  }
  FOR_TOGETHER(joints, head) { WITH_FORM(head, end_relax, joints, head); }
}


// ---------------------------------------------------------------------------------------------------------------------
// All joints
// ---------------------------------------------------------------------------------------------------------------------


void impi_soft_joints_warm_start(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes) {
  Pass pass = {lanes->velocity, solve->settings->warm_start, false, lanes->gain, lanes->base, joints->rotors.data};
  for (int i = 0; i < joints->clusters.bodies.count && joints->clusters.stiff; ++i) {
    const ImpiClusterBody *body = &joints->clusters.bodies.data[i];
    float w = lanes->velocity[body->lane][2];
    impi_cluster_push(lanes, body->lane, (double[]){0, 0, (double)(w * body->part) - (double)w});
  }
  FOR_RECORDS(joints, head) {
    ImpiRecord v[2 * IMP_MAX_CONSTRAINT_BODIES];
    WITH_PASS(&pass, head, warm_start_record, joints, &pass, head, v);
  }
  impi_joint_lanes_warm_start(&joints->lanes);
}


void impi_soft_joints_solve(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes) {
  Pass pass = {lanes->velocity, true, false, lanes->gain, lanes->base, joints->rotors.data};
  FOR_SINGLES(joints, head) {
    ImpiRecord v[2 * IMP_MAX_CONSTRAINT_BODIES];
    WITH_PASS(&pass, head, solve_record, joints, &pass, head, v, 0);
  }
  impi_joint_lanes_solve(&joints->lanes);
  impi_soft_joints_solve_clusters(joints, lanes, NULL);
}


void impi_soft_joints_solve_clusters(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes,
                                     const ImpiSoftPass *contacts) {
  if (joints->clusters.blocks.count > 0) {
    double start = impi_clock();
    impi_clusters_solve(joints, lanes, false, contacts);
    joints->cluster_time += impi_clock() - start;
  }
}


void impi_soft_joints_relax(ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, double now,
                            bool last) {
  Pass pass = {lanes->velocity, true, solve->settings->relax, lanes->gain, lanes->base, joints->rotors.data};
  if (joints->used > 0) {
    impi_soft_joints_look(solve, joints, lanes);
  }
  FOR_SINGLES(joints, head) {
    ImpiRecord v[2 * IMP_MAX_CONSTRAINT_BODIES];
    WITH_FORM(head, leave_rows, head);
    if (!head->plain) {
      impi_soft_joint_update(solve, joints, head, now + joints->h);
    }
    WITH_PASS(&pass, head, relax_record, solve, joints, &pass, head, v, now);
  }
  if (joints->clusters.blocks.count > 0) {
    double start = impi_clock();
    relax_clusters(solve, joints, &pass, lanes, now);
    joints->cluster_time += impi_clock() - start;
  }
  impi_joint_lanes_relax(&joints->lanes, last);
}
