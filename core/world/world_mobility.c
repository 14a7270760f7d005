// Mobility of a world: degrees of freedom, rank of the locked coordinates' Jacobian J, and its null space.
//
// The rows of each island are made orthonormal by modified Gram-Schmidt, with a second pass if most of a row cancelled:
//   row_k = sum_i r_ki q_i + rest,   q_new = rest / |rest|
// If rest = 0, the row is redundant. If rest is short, the lock is weak: rest = sum_i x_i row_i with x_k = 1.
//
// The motion that lock k alone prevents, at speed 1 of its coordinate:
//   v = M^-1 J^T x,   x = (J M^-1 J^T)^-1 e_k
// At constant speed the coordinate moves by
//   C = t + b t^2 / 2,   b = sum_i x_i (dJ_i/dt v) / x_k
// and has a dead centre at t = -1 / b.
//
// For the null space, the velocity of a body is (vx, vy, rho w) with the radius of gyration rho = sqrt(I / m).
// The null space is spanned by unit vectors made orthogonal to all rows, the largest rest first.
// source: Daniel, Gragg, Kaufman, Stewart, "Reorthogonalization and Stable Algorithms" (1976)
#include "base/constants.h"
#include "base/sort.h"
#include "world/joints.h"

#include <string.h>

// A vector that subtractions shorten to less than this fraction of its original length counts as 0.
#define NOTHING 1e-9
// A lock is weak if |rest|^2 < SHORT |row|^2, where rest is the part of its row that is orthogonal to all earlier rows.
#define SHORT 0.05
// ImpWeakLock.joints lists the joint of lock i if |x_i row_i| is at least this fraction of the largest |x_i row_i|.
#define TAKES_PART 0.1
// A vector that subtractions shorten to less than this fraction of its length is orthogonalized once more.
#define CANCELLED 0.5

// A dynamic body. An island is identified by its first body.
typedef struct Body {
  int32_t slot;
  int32_t island;
  int32_t column;               // index of the body's first column among the columns of the island
  int32_t freedom;              // number of columns: 3, fewer without rotation or with locked axes, 0 if disabled
  int32_t axis[3];              // for each of the `freedom` columns its axis: 0 x, 1 y, 2 angle
  int32_t size;                 // for the first body of an island: number of columns of the island
  double gyration;              // radius of gyration [m]
  double per_mass, per_inertia; // square roots of 1 / m and 1 / I [kg^-1/2, kg^-1/2 m^-1]
} Body;

// A locked coordinate.
typedef struct Lock {
  int32_t joint, coordinate, island;
  bool redundant, weak;
  double length; // squared length of the lock's row
} Lock;

typedef struct Plan {
  IMPI_ARRAY(Body) bodies;     // dynamic bodies in creation order
  IMPI_ARRAY(int32_t) place;   // index in `bodies` by body slot; -1: none
  IMPI_ARRAY(Lock) locks;      // locked coordinates in creation order
  IMPI_ARRAY(int32_t) order;   // indices of `locks`, sorted by island
  IMPI_ARRAY(double) basis;    // vectors of one island, one after another
  IMPI_ARRAY(double) leftover; // squared length of the part of each unit vector that is orthogonal to the rows
  IMPI_ARRAY(double) r;        // coefficients r_ki and |rest| of each row of the basis
  IMPI_ARRAY(double) x;        // coefficients x_i of a combination of the rows of the basis
  IMPI_ARRAY(int32_t) lock_of; // index of the lock of each row of the basis
  IMPI_ARRAY(double) speeds;   // memory for the speeds of an island's columns
  ImpiIslands islands;
  int32_t freedom, rank, redundant;
} Plan;


// ---------------------------------------------------------------------------------------------------------------------
// The plan: bodies, locks and islands
// ---------------------------------------------------------------------------------------------------------------------


static void free_plan(ImpiHeap *heap, Plan *plan) {
  impi_array_free(heap, &plan->bodies);
  impi_array_free(heap, &plan->place);
  impi_array_free(heap, &plan->locks);
  impi_array_free(heap, &plan->order);
  impi_array_free(heap, &plan->basis);
  impi_array_free(heap, &plan->leftover);
  impi_array_free(heap, &plan->r);
  impi_array_free(heap, &plan->x);
  impi_array_free(heap, &plan->lock_of);
  impi_array_free(heap, &plan->speeds);
  impi_islands_free(heap, &plan->islands);
}


static void list_bodies(const ImpWorld *world, Plan *plan) {
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    plan->place.data[slot] = -1;
  }
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    const ImpiBody *body = &world->bodies.data[slot];
    if (!impi_is_dynamic(body) || world->body_pool.slots.data[slot].next_free != IMPI_SLOT_LIVE) {
      continue;
    }
    bool turns = body->inv_inertia > 0;
    plan->place.data[slot] = plan->bodies.count;
    Body *entry = &plan->bodies.data[plan->bodies.count++];
    *entry = (Body){.slot = slot,
                    .gyration = turns ? sqrt(body->inv_mass / body->inv_inertia) : 1,
                    .per_mass = sqrt(body->inv_mass),
                    .per_inertia = sqrt(body->inv_inertia)};
    unsigned held = body->locks | (turns ? 0 : 4u);
    for (int axis = 0; axis < 3 && body->enabled; ++axis) {
      if (!(held >> axis & 1u)) {
        entry->axis[entry->freedom++] = axis;
      }
    }
  }
}


// Return whether the step makes rows for a joint when the joint is awake.
static bool acts(const ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  bool whole = !joint->broken && world->joint_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE;
  for (int i = 0; i < impi_joint_body_count(joint) && whole; ++i) {
    whole = world->bodies.data[impi_joint_body(joint, i)].enabled;
  }
  return whole;
}


// Return whether a force without bounds locks the coordinate at a value.
static bool is_lock(const ImpiJoint *joint, int index) {
  const ImpiUserValues *row =
      impi_coordinate_kind(joint, index) == IMP_COORDINATE_USER ? &joint->custom->rows[index] : NULL;
  return impi_joint_coordinate_const(joint, index)->locked &&
         (row == NULL || (row->lower == -HUGE_VAL && row->upper == HUGE_VAL));
}


static int count_locks(const ImpWorld *world) {
  int count = 0;
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    for (int i = 0; i < world->joints.data[slot].count && acts(world, slot); ++i) {
      count += is_lock(&world->joints.data[slot], i);
    }
  }
  return count;
}


static void list_locks(const ImpWorld *world, Plan *plan) {
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    const ImpiJoint *joint = &world->joints.data[slot];
    int32_t first = -1;
    int before = plan->locks.count;
    for (int i = 0; i < joint->count && acts(world, slot); ++i) {
      if (is_lock(joint, i)) {
        plan->locks.data[plan->locks.count++] = (Lock){.joint = slot, .coordinate = i};
      }
    }
    for (int i = 0; i < impi_joint_body_count(joint) && plan->locks.count > before; ++i) {
      int32_t place = plan->place.data[impi_joint_body(joint, i)];
      if (place >= 0 && first >= 0) {
        impi_islands_join(&plan->islands, first, place);
      }
      first = place >= 0 ? place : first;
    }
    if (first < 0) { // no body of the joint is dynamic any more
      plan->locks.count = before;
    }
    for (int i = before; i < plan->locks.count; ++i) {
      plan->locks.data[i].island = first; // any body of the island, until lay_out finds the first body
    }
  }
}


static bool goes_before(const void *first, const void *second, const void *context) {
  int32_t a = *(const int32_t *)first, b = *(const int32_t *)second;
  const Plan *plan = context;
  int32_t island_a = plan->locks.data[a].island, island_b = plan->locks.data[b].island;
  return island_a != island_b ? island_a < island_b : a < b;
}


// Sort bodies and locks by island. Returns the number of columns of the largest island.
static int32_t lay_out(Plan *plan) {
  int32_t largest = 0;
  for (int i = 0; i < plan->bodies.count; ++i) {
    Body *body = &plan->bodies.data[i];
    body->island = impi_islands_root(&plan->islands, i);
    Body *first = &plan->bodies.data[body->island];
    body->column = first->size;
    first->size += body->freedom;
    plan->freedom += body->freedom;
    largest = first->size > largest ? first->size : largest;
  }
  for (int i = 0; i < plan->locks.count; ++i) {
    plan->locks.data[i].island = plan->bodies.data[plan->locks.data[i].island].island;
    plan->order.data[i] = i;
  }
  plan->order.count = plan->locks.count;
  impi_sort(plan->order.data, plan->order.count, sizeof *plan->order.data, goes_before, plan);
  return largest;
}


// List the dynamic bodies and the locks of a world in `plan`, and reserve all memory of the analysis.
static ImpStatus make_plan(ImpWorld *world, Plan *plan) {
  ImpiHeap *heap = &world->heap;
  *plan = (Plan){.freedom = 0};
  int locks = count_locks(world);
  bool room = impi_reserve(heap, &plan->bodies, world->body_pool.live) &&
              impi_reserve(heap, &plan->place, world->bodies.count) && impi_reserve(heap, &plan->locks, locks) &&
              impi_reserve(heap, &plan->order, locks) && impi_reserve(heap, &world->row.redundant, locks) &&
              impi_reserve(heap, &world->row.weak, IMP_MAX_WEAK_LOCKS);
  for (int32_t slot = world->first_joint; slot >= 0 && room; slot = world->joints.data[slot].next) {
    room = impi_sample_reserve(heap, &world->joint.samples, &world->joints.data[slot]);
  }
  if (room) {
    list_bodies(world, plan);
    room = impi_islands_begin(heap, &plan->islands, plan->bodies.count);
  }
  if (room) {
    list_locks(world, plan);
    int32_t size = lay_out(plan);
    if (size > IMP_MAX_MOBILITY_FREEDOM) {
      return impi_fail(IMP_ERR_LIMIT,
                       "bodies connected by joints have %d degrees of freedom together, at most %d can be analysed",
                       size, IMP_MAX_MOBILITY_FREEDOM);
    }
    room = impi_reserve(heap, &plan->basis, (size + 1) * size) && impi_reserve(heap, &plan->leftover, size) &&
           impi_reserve(heap, &plan->r, (size + 1) * (size + 2) / 2) && impi_reserve(heap, &plan->x, size + 1) &&
           impi_reserve(heap, &plan->lock_of, size + 1) && impi_reserve(heap, &plan->speeds, size);
  }
  return room ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


// ---------------------------------------------------------------------------------------------------------------------
// Vectors
// ---------------------------------------------------------------------------------------------------------------------


// Return the dot product, computed as four partial sums, which can be computed in parallel.
static double dot(const double *a, const double *b, int32_t size) {
  double sum[4] = {0, 0, 0, 0};
  int32_t i = 0;
  for (; i + 4 <= size; i += 4) {
    for (int k = 0; k < 4; ++k) {
      sum[k] += a[i + k] * b[i + k];
    }
  }
  for (; i < size; ++i) {
    sum[0] += a[i] * b[i];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}


// Make the next vector orthogonal to the `count` vectors of `basis`. Returns its length. `r`: coefficients, may be
// null.
static double make_orthogonal(double *basis, int32_t count, int32_t size, double *r) {
  double *v = basis + (size_t)count * (size_t)size;
  double whole = sqrt(dot(v, v, size)), before = 0, rest = whole;
  for (int32_t k = 0; k < count && r != NULL; ++k) {
    r[k] = 0;
  }
  do {
    before = rest;
    for (int32_t k = 0; k < count; ++k) {
      const double *q = basis + (size_t)k * (size_t)size;
      double part = dot(v, q, size);
      if (r != NULL) {
        r[k] += part;
      }
      for (int32_t i = 0; i < size; ++i) {
        v[i] -= part * q[i];
      }
    }
    rest = sqrt(dot(v, v, size));
  } while (rest < CANCELLED * before && rest > NOTHING * whole);
  return rest;
}


static void scale_vector(double *v, int32_t size, double factor) {
  for (int32_t i = 0; i < size; ++i) {
    v[i] *= factor;
  }
}


// Write the row of a lock, scaled by masses or by radii of gyration.
static void write_row(const ImpWorld *world, const Plan *plan, const Lock *lock, const ImpiSamples *samples,
                      int32_t size, bool by_mass, double *out_row) {
  const ImpiJoint *joint = &world->joints.data[lock->joint];
  int bodies = impi_joint_body_count(joint);
  const double *j = samples->j + 3 * bodies * lock->coordinate;
  memset(out_row, 0, (size_t)size * sizeof *out_row);
  for (int i = 0; i < bodies; ++i) {
    int32_t place = plan->place.data[impi_joint_body(joint, i)];
    if (place < 0) {
      continue;
    }
    const Body *body = &plan->bodies.data[place];
    double *row = out_row + body->column;
    for (int k = 0; k < body->freedom; ++k) {
      double straight = by_mass ? body->per_mass : 1, turning = by_mass ? body->per_inertia : 1 / body->gyration;
      row[k] = j[3 * i + body->axis[k]] * (body->axis[k] < 2 ? straight : turning);
    }
  }
}


// Return the coefficients r_ki of row k, followed by the length |rest| of its orthogonal part.
static double *r_of(const Plan *plan, int32_t k) { return plan->r.data + (size_t)k * (size_t)(k + 1) / 2; }


// Express the orthogonal part of row `count` as sum_i x_i row_i. Returns the largest x_i^2 |row_i|^2.
static double combine(Plan *plan, int32_t count) {
  double *x = plan->x.data;
  double most = plan->locks.data[plan->lock_of.data[count]].length;
  x[count] = 1;
  for (int32_t i = 0; i < count; ++i) {
    x[i] = -r_of(plan, count)[i];
  }
  for (int32_t i = count - 1; i >= 0; --i) {
    const double *r = r_of(plan, i);
    x[i] /= r[i];
    for (int32_t k = 0; k < i; ++k) {
      x[k] -= x[i] * r[k];
    }
    most = impi_max(most, x[i] * x[i] * plan->locks.data[plan->lock_of.data[i]].length);
  }
  return most;
}


// Compute the vector v with J M^-1/2 v = e_k, where J contains the first `count` rows. Of these rows, only row k
// prevents the motion M^-1/2 v. Writes v after the basis, and x = (J M^-1 J^T)^-1 e_k to `plan`. Returns |v|^2 = x_k.
static double release(Plan *plan, int32_t k, int32_t count, int32_t size) {
  double *v = plan->basis.data + (size_t)count * (size_t)size, *x = plan->x.data;
  memset(v, 0, (size_t)size * sizeof *v);
  for (int32_t i = 0; i < count; ++i) {
    const double *r = r_of(plan, i);
    x[i] = i == k ? 1 : 0;
    for (int32_t n = k; n < i; ++n) {
      x[i] -= r[n] * x[n];
    }
    x[i] /= r[i];
    for (int32_t n = 0; n < size && x[i] != 0; ++n) {
      v[n] += x[i] * plan->basis.data[(size_t)i * (size_t)size + (size_t)n];
    }
  }
  double square = dot(x, x, count);
  for (int32_t i = count - 1; i >= 0; --i) {
    const double *r = r_of(plan, i);
    x[i] /= r[i];
    for (int32_t n = 0; n < i; ++n) {
      x[n] -= x[i] * r[n];
    }
  }
  return square;
}


// Exchange the speeds of an island's bodies for M^-1/2 v; v = null: restore them.
static void exchange_speeds(ImpWorld *world, Plan *plan, int32_t island, const double *v) {
  for (int32_t i = 0; i < plan->bodies.count; ++i) {
    const Body *body = &plan->bodies.data[i];
    ImpiMotion *m = &world->motions.data[body->slot];
    double *own[3] = {&m->vx, &m->vy, &m->w};
    for (int k = 0; k < body->freedom && body->island == island; ++k) {
      double *speed = own[body->axis[k]], *kept = &plan->speeds.data[body->column + k];
      if (v != NULL) {
        *kept = *speed;
      }
      *speed = v == NULL ? *kept : v[body->column + k] * (body->axis[k] < 2 ? body->per_mass : body->per_inertia);
    }
  }
}


// Return the largest speed in an island [m/s]: of a centre of mass, of a rotation at the radius of gyration, or of an
// anchor. *out_turn: largest angular speed [rad/s].
static double fastest(const ImpWorld *world, const Plan *plan, int32_t island, double *out_turn) {
  double speed = 0;
  *out_turn = 0;
  for (int32_t i = 0; i < plan->bodies.count; ++i) {
    const Body *body = &plan->bodies.data[i];
    const ImpiMotion *m = &world->motions.data[body->slot];
    if (body->island == island && body->freedom > 0) {
      *out_turn = impi_max(*out_turn, fabs(m->w));
      speed = impi_max(speed, impi_max(hypot(m->vx, m->vy), fabs(m->w) * body->gyration));
    }
  }
  for (int i = 0; i < plan->locks.count; ++i) {
    const ImpiJoint *joint = &world->joints.data[plan->locks.data[i].joint];
    if (plan->locks.data[i].island != island || joint->custom != NULL) {
      continue;
    }
    const ImpiMotion *m = &world->motions.data[joint->body_b];
    ImpVec2 at = impi_anchor(joint->frames.local_b, &world->bodies.data[joint->body_b], m);
    speed = impi_max(speed, hypot(m->vx - m->w * (at.y - m->y), m->vy + m->w * (at.x - m->x)));
  }
  return speed;
}


// Return sum_i x_i J'v_i over the first `count` rows, at the present speeds.
static double bend(ImpWorld *world, Plan *plan, int32_t count) {
  ImpiPoses poses = {world->bodies.data, world->motions.data, NULL};
  double sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    const Lock *lock = &plan->locks.data[plan->lock_of.data[i]];
    const ImpiJoint *joint = &world->joints.data[lock->joint];
    ImpiSamples samples = impi_sample_room(&world->joint.samples, joint); // the memory for samples was reserved before
    impi_joint_sample(world->joints.data, joint, &poses, world->time, HUGE_VAL, samples);
    sum += plan->x.data[i] * samples.curvature[lock->coordinate];
  }
  return sum;
}


// Store in `weak` the joints with the largest |x_i row_i|, i < count. Returns the largest x_i^2 |row_i|^2.
static double list_joints(const ImpWorld *world, const Plan *plan, int32_t count, ImpWeakLock *weak) {
  double most = 0;
  for (int32_t i = 0; i < count; ++i) {
    most = impi_max(most, plan->x.data[i] * plan->x.data[i] * plan->locks.data[plan->lock_of.data[i]].length);
  }
  for (int32_t i = 0; i < count; ++i) {
    const Lock *lock = &plan->locks.data[plan->lock_of.data[i]];
    double x = plan->x.data[i];
    ImpJoint joint = impi_joint_handle(world, lock->joint);
    bool other = weak->joint_count == 0 || weak->joints[weak->joint_count - 1].id != joint.id;
    if (other && x * x * lock->length >= TAKES_PART * TAKES_PART * most && weak->joint_count < IMP_MAX_WEAK_JOINTS) {
      weak->joints[weak->joint_count++] = joint;
    }
  }
  return most;
}


// Add lock k to the weak locks. Its island has `count` independent rows. If there are more than IMP_MAX_WEAK_LOCKS weak
// locks, those with the largest ImpWeakLock.amplification are kept.
static void note_weak(ImpWorld *world, Plan *plan, int32_t island, int32_t k, int32_t count) {
  const Lock *lock = &plan->locks.data[plan->lock_of.data[k]];
  int32_t size = plan->bodies.data[island].size;
  ImpWeakLock weak = {.lock = {impi_joint_handle(world, lock->joint), lock->coordinate}};
  double square = release(plan, k, count, size), turn = 0;
  exchange_speeds(world, plan, island, plan->basis.data + (size_t)count * (size_t)size);
  double speed = fastest(world, plan, island, &turn), bent = fabs(bend(world, plan, count) / square);
  exchange_speeds(world, plan, island, NULL);
  weak.left = sqrt(square / list_joints(world, plan, count, &weak));
  weak.amplification = speed;
  weak.angle = bent > 0 ? turn / bent : HUGE_VAL;
  weak.way = bent > 0 ? speed / bent : HUGE_VAL;
  int at = world->row.weak.count < IMP_MAX_WEAK_LOCKS ? world->row.weak.count++ : IMP_MAX_WEAK_LOCKS;
  for (; at > 0 && world->row.weak.data[at - 1].amplification < weak.amplification; --at) {
    if (at < IMP_MAX_WEAK_LOCKS) {
      world->row.weak.data[at] = world->row.weak.data[at - 1];
    }
  }
  if (at < IMP_MAX_WEAK_LOCKS) {
    world->row.weak.data[at] = weak;
  }
}


// Return whether the next row is independent of `count` rows, and normalize it.
static bool add_row(Plan *plan, int32_t island, int32_t count) {
  int32_t size = plan->bodies.data[island].size;
  double *v = plan->basis.data + (size_t)count * (size_t)size, *r = r_of(plan, count);
  double whole = plan->locks.data[plan->lock_of.data[count]].length,
         rest = make_orthogonal(plan->basis.data, count, size, r);
  if (!(rest * rest > IMPI_REDUNDANT * whole)) {
    return false;
  }
  r[count] = rest;
  plan->locks.data[plan->lock_of.data[count]].weak = rest * rest < SHORT * whole;
  if (rest * rest < IMPI_NOT_REDUNDANT * whole && !(rest * rest > IMPI_REDUNDANT * combine(plan, count))) {
    return false;
  }
  scale_vector(v, size, 1 / rest);
  return true;
}


// Compute the orthonormal rows of an island. Returns the number of rows.
// at: index of the island's first lock in `order`; becomes that of the next island. notes: whether to list weak locks
static int32_t find_rows(ImpWorld *world, Plan *plan, int32_t island, int32_t *at, bool notes) {
  int32_t size = plan->bodies.data[island].size, count = 0, sampled = -1;
  ImpiSamples samples = {NULL, NULL, NULL};
  for (; *at < plan->order.count && plan->locks.data[plan->order.data[*at]].island == island; ++*at) {
    Lock *lock = &plan->locks.data[plan->order.data[*at]];
    double *row = plan->basis.data + (size_t)count * (size_t)size;
    if (lock->joint != sampled) {
      impi_world_sample(world, lock->joint, &samples); // the memory for samples was reserved before
      sampled = lock->joint;
    }
    write_row(world, plan, lock, &samples, size, true, row);
    lock->length = dot(row, row, size);
    plan->lock_of.data[count] = plan->order.data[*at];
    bool fresh = add_row(plan, island, count);
    lock->redundant = !fresh;
    plan->redundant += !fresh;
    count += fresh;
  }
  for (int32_t k = 0; k < count && notes; ++k) {
    if (plan->locks.data[plan->lock_of.data[k]].weak) {
      note_weak(world, plan, island, k, count);
    }
  }
  plan->rank += count;
  return count;
}


// Compute the independent rows of find_rows once more, now scaled by the radii of gyration.
static void count_rows_by_gyration(ImpWorld *world, Plan *plan, int32_t island, int32_t count) {
  int32_t size = plan->bodies.data[island].size;
  ImpiSamples samples = {NULL, NULL, NULL};
  for (int32_t k = 0; k < count; ++k) {
    const Lock *lock = &plan->locks.data[plan->lock_of.data[k]];
    double *row = plan->basis.data + (size_t)k * (size_t)size;
    impi_world_sample(world, lock->joint, &samples);
    write_row(world, plan, lock, &samples, size, false, row);
    scale_vector(row, size, 1 / make_orthogonal(plan->basis.data, k, size, NULL));
  }
}


// Extend `count` orthonormal rows of an island to a basis of all motions of the island.
static void complete_basis(Plan *plan, int32_t count, int32_t size) {
  double *basis = plan->basis.data, *leftover = plan->leftover.data;
  for (int32_t i = 0; i < size; ++i) {
    leftover[i] = 1;
  }
  for (int32_t k = 0; k < size; ++k) {
    double *v = basis + (size_t)k * (size_t)size;
    if (k >= count) {
      int32_t best = 0;
      for (int32_t i = 1; i < size; ++i) {
        best = leftover[i] > leftover[best] ? i : best;
      }
      memset(v, 0, (size_t)size * sizeof *v);
      v[best] = 1;
      scale_vector(v, size, 1 / make_orthogonal(basis, k, size, NULL));
    }
    for (int32_t i = 0; i < size; ++i) {
      leftover[i] -= v[i] * v[i];
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The API
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus imp_world_mobility(ImpWorld *world, ImpMobility *out_mobility) {
  Plan plan;
  ImpStatus status = make_plan(world, &plan);
  int32_t at = 0;
  world->row.weak.count = status == IMP_OK ? 0 : world->row.weak.count;
  for (int32_t i = 0; i < plan.bodies.count && status == IMP_OK; ++i) {
    if (plan.bodies.data[i].island == i) {
      find_rows(world, &plan, i, &at, true);
    }
  }
  if (status == IMP_OK) {
    world->row.redundant.count = 0;
    for (int i = 0; i < plan.locks.count; ++i) {
      const Lock *lock = &plan.locks.data[i];
      if (lock->redundant) {
        world->row.redundant.data[world->row.redundant.count++] =
            (ImpCoordinate){impi_joint_handle(world, lock->joint), lock->coordinate};
      }
    }
    *out_mobility = (ImpMobility){
        .freedom = plan.freedom,
        .rank = plan.rank,
        .mobility = plan.freedom - plan.rank,
        .rows = plan.locks.count,
        .redundant = plan.redundant,
        .weak = world->row.weak.count,
    };
  }
  free_plan(&world->heap, &plan);
  return status;
}


ImpStatus imp_world_redundant(ImpWorld *world, int index, ImpCoordinate *out_coordinate) {
  if (index < 0 || index >= world->row.redundant.count) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     "no redundant coordinate has the index %d: the last mobility analysis found %d of them", index + 1,
                     world->row.redundant.count);
  }
  *out_coordinate = world->row.redundant.data[index];
  return IMP_OK;
}


ImpStatus imp_world_weak_lock(ImpWorld *world, int index, ImpWeakLock *out_weak) {
  if (index < 0 || index >= world->row.weak.count) {
    return impi_fail(IMP_ERR_ARGUMENT, "no weak lock has the index %d: the last mobility analysis found %d of them",
                     index + 1, world->row.weak.count);
  }
  *out_weak = world->row.weak.data[index];
  return IMP_OK;
}


// Write a vector of an island as speeds (vx, vy, w) of all bodies, at most `room` numbers.
static void write_vector(const Plan *plan, int32_t island, const double *v, double *out, size_t room) {
  for (int32_t i = 0; i < plan->bodies.count; ++i) {
    const Body *body = &plan->bodies.data[i];
    double speeds[3] = {0, 0, 0};
    if (body->island == island) {
      for (int k = 0; k < body->freedom; ++k) {
        speeds[body->axis[k]] = v[body->column + k] / (body->axis[k] < 2 ? 1 : body->gyration);
      }
    }
    for (int k = 0; k < 3 && 3 * (size_t)i + (size_t)k < room; ++k) {
      out[3 * i + k] = speeds[k];
    }
  }
}


ImpStatus imp_world_nullspace(ImpWorld *world, double *basis, int capacity, int *out_vectors, int *out_bodies) {
  Plan plan;
  ImpStatus status = make_plan(world, &plan);
  size_t width = 3 * (size_t)plan.bodies.count, written = 0, room = capacity > 0 ? (size_t)capacity : 0;
  int32_t at = 0;
  for (int32_t i = 0; i < plan.bodies.count && status == IMP_OK; ++i) {
    if (plan.bodies.data[i].island != i) {
      continue;
    }
    int32_t size = plan.bodies.data[i].size, rank = find_rows(world, &plan, i, &at, false);
    if (written >= room || rank == size) {
      continue;
    }
    count_rows_by_gyration(world, &plan, i, rank);
    complete_basis(&plan, rank, size);
    for (int32_t k = rank; k < size && written < room; ++k, written += width) {
      write_vector(&plan, i, plan.basis.data + (size_t)k * (size_t)size, basis + written, room - written);
    }
  }
  if (status == IMP_OK) {
    *out_vectors = plan.freedom - plan.rank;
    *out_bodies = plan.bodies.count;
  }
  free_plan(&world->heap, &plan);
  return status;
}
