// The body kernels of the soft solver (soft_bodies.h), compiled once per lane width IMPI_W. All widths give the same
// results.
#include "base/lanes.h"
#include "solvers/soft/soft_bodies.h"

#define IMPI_D (IMPI_W > 1 ? IMPI_W / 2 : 1)
typedef double ImpiDoubles __attribute__((vector_size(8 * IMPI_D)));
typedef uint64_t ImpiDoubleBits __attribute__((vector_size(8 * IMPI_D)));
#define RECORDS (IMPI_W > 4 ? IMPI_W / 4 : 1)
typedef float ImpiRecords __attribute__((vector_size(16 * RECORDS)));
// Half of an ImpiMotion: velocities and angle.
typedef double ImpiHalfMotion __attribute__((vector_size(32)));

#define IMPI_TRIG_REAL ImpiDoubles
#define IMPI_TRIG_BITS ImpiDoubleBits
#define IMPI_TRIG_NAME(name) lanes_##name
#include "base/trig_lanes.h"


IMPI_INLINE ImpiRecords load(const ImpiRecord *records) {
  ImpiRecords v;
  memcpy(&v, records, sizeof v);
  return v;
}


IMPI_INLINE void store(ImpiRecord *records, const ImpiRecords *v) { memcpy(records, v, sizeof *v); }


// Return the factors by which damping multiplies the velocities in a substep.
IMPI_INLINE ImpiRecord kept(const ImpiBody *body, double h) {
  if (body->linear_damping == 0 && body->angular_damping == 0) {
    return (ImpiRecord){1, 1, 1, 1};
  }
  float linear = (float)(1 / (1 + h * body->linear_damping)), angular = (float)(1 / (1 + h * body->angular_damping));
  return (ImpiRecord){linear, linear, angular, 1};
}


static void pack(const ImpiLaneBodies *lanes, ImpiRecord *start, ImpiLaneBlock *block, const ImpiBody *bodies,
                 const ImpiMotion *motions, ImpVec2 gravity, double h) {
  const ImpiHalfMotion g = {gravity.x, gravity.y, 0, 0};
  unsigned moving = block->moving, taken = moving | block->kinematic, damped = 0;
  const ImpiRecord zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
  for (int k = 0; k < IMPI_LANE_PAD; ++k) {
    int32_t lane = block->first + k;
    lanes->displacement[lane] = zero;
    if (!(moving >> k & 1u)) {
      lanes->acceleration[lane] = zero;
      lanes->damping[lane] = taken >> k & 1u ? one : zero;
    }
    if (!(taken >> k & 1u)) {
      start[lane] = lanes->velocity[lane] = zero;
      continue;
    }
    const ImpiBody *body = &bodies[impi_lane_body(lane)];
    ImpiHalfMotion velocity; // (vx, vy, w, angle)
    memcpy(&velocity, &motions[impi_lane_body(lane)].vx, sizeof velocity);
    velocity[3] = 0;
    start[lane] = lanes->velocity[lane] = __builtin_convertvector(velocity, ImpiRecord);
    if (!(moving >> k & 1u)) {
      continue;
    }
    ImpiHalfMotion a =
        body->gravity_scale * g + (ImpiHalfMotion){body->inv_mass * body->force.x, body->inv_mass * body->force.y,
                                                   body->inv_inertia * body->torque, 0};
    if (body->locks != 0) {
      ImpVec2 free = impi_free_part(body, a[0], a[1]);
      a[0] = free.x;
      a[1] = free.y;
    }
    lanes->acceleration[lane] = __builtin_convertvector(a, ImpiRecord);
    lanes->damping[lane] = kept(body, h);
    damped |= (unsigned)(body->linear_damping != 0 || body->angular_damping != 0);
  }
  block->damped = (uint16_t)damped;
}


// Integrate velocities in short substeps: the gain (change of velocity since the step began) first, v = base + gain.
static void integrate_gains(const ImpiLaneBodies *lanes, const ImpiLaneBlock *blocks, int count, float h) {
  for (int i = 0; i < count; ++i) {
    int32_t first = blocks[i].first;
    for (int lane = first; lane < first + IMPI_LANE_PAD; ++lane) {
      ImpiRecord gain = lanes->gain[lane] + h * lanes->acceleration[lane];
      gain += lanes->damping[lane] * (lanes->base[lane] + gain);
      ImpiRecord v = lanes->base[lane] + gain;
      lanes->gain[lane] = gain;
      lanes->velocity[lane] = (ImpiRecord){v[0], v[1], v[2], lanes->velocity[lane][3]};
    }
  }
}


static void integrate_velocities(const ImpiLaneBodies *lanes, const ImpiLaneBlock *blocks, int count, float h) {
  if (lanes->gain != NULL) {
    integrate_gains(lanes, blocks, count, h);
    return;
  }
  for (int i = 0; i < count; ++i) {
    int32_t first = blocks[i].first;
    for (int lane = first; lane < first + IMPI_LANE_PAD; lane += RECORDS) {
      ImpiRecords v = load(&lanes->velocity[lane]) + h * load(&lanes->acceleration[lane]);
      if (blocks[i].damped) {
        v *= load(&lanes->damping[lane]);
      }
      store(&lanes->velocity[lane], &v);
    }
  }
}


// Compute cosine minus one and sine of an angle: reduction by quarter turns, Taylor polynomials on [-pi/4, pi/4]. The
// absolute error is 4e-8.
IMPI_INLINE void turn(const ImpiFloats *of, ImpiFloats *out_cos_less_1, ImpiFloats *out_sin) {
  ImpiFloats angle = *of;
  // Round to the nearest integer by adding and subtracting 1.5 * 2^23. This is valid up to 2^22 quarter turns.
  ImpiFloats magic = IMPI_SPLAT(12582912);
  ImpiFloats quarters = (angle * 0.636619772f + magic) - magic;
  // pi/2 in two parts, because the product with a small integer must be exact
  ImpiFloats x = (angle - quarters * 1.5703125f) - quarters * 4.83826794e-4f;
  ImpiFloats x2 = x * x;
  ImpiFloats sine =
      x + x * x2 * (-1.66666667e-1f + x2 * (8.33333333e-3f + x2 * (-1.98412698e-4f + x2 * 2.75573192e-6f)));
  ImpiFloats less = x2 * (-0.5f + x2 * (4.16666667e-2f + x2 * (-1.38888889e-3f + x2 * 2.48015873e-5f)));
  // In quarter q = 0, 1, 2, 3, (cos, sin) is (c, s), (-s, c), (-c, -s), (s, -c).
  ImpiFloats folded = quarters - 4 * ((quarters * 0.25f + magic) - magic); // -2, -1, 0, 1 or 2
  ImpiMask swap = (folded == 1) | (folded == -1);
  ImpiMask back = (folded == 2) | (folded == -2);
  ImpiFloats c = less + 1;
  ImpiFloats side_c = impi_select(folded == 1, -sine, sine), side_s = impi_select(folded == 1, c, -c);
  *out_cos_less_1 = impi_select(swap, side_c - 1, impi_select(back, -c - 1, less));
  *out_sin = impi_select(swap, side_s, impi_select(back, -sine, sine));
}


// Load IMPI_W consecutive records as columns. put_columns is the inverse.
#if IMPI_W == 1
IMPI_INLINE ImpiQuad columns(const ImpiRecord *records) {
  const int32_t first = 0;
  return impi_gather(records, &first);
}


IMPI_INLINE void put_columns(ImpiRecord *records, ImpiQuad q) {
  const int32_t first = 0;
  impi_scatter(records, &first, q);
}
#else
IMPI_INLINE ImpiQuad columns(const ImpiRecord *records) {
  return impi_transpose(load(records), load(records + RECORDS), load(records + 2 * RECORDS),
                        load(records + 3 * RECORDS));
}


IMPI_INLINE void put_columns(ImpiRecord *records, ImpiQuad q) {
  ImpiQuad rows = impi_transpose(q.x, q.y, q.z, q.w);
  store(records, &rows.x);
  store(records + RECORDS, &rows.y);
  store(records + 2 * RECORDS, &rows.z);
  store(records + 3 * RECORDS, &rows.w);
}
#endif


static void integrate_positions(const ImpiLaneBodies *lanes, const ImpiLaneBlock *blocks, int count, float h) {
  for (int i = 0; i < count; ++i) {
    int32_t first = blocks[i].first;
    for (int lane = first; lane < first + IMPI_LANE_PAD; lane += IMPI_W) {
      ImpiQuad v = columns(&lanes->velocity[lane]), d = columns(&lanes->displacement[lane]);
      d.x += h * v.x;
      d.y += h * v.y;
      v.w += h * v.z;
      turn(&v.w, &d.z, &d.w);
      put_columns(&lanes->velocity[lane], v);
      put_columns(&lanes->displacement[lane], d);
    }
  }
}


// Compute sines and cosines of a block's angles; `angle` must be 0 in unused lanes.
IMPI_INLINE void rotate_block(const double *angle, double *c, double *s) {
  int odd = 0;
  for (int lane = 0; lane < IMPI_LANE_PAD; lane += IMPI_D) {
    ImpiDoubles x, hi, lo, sine, cosine;
    ImpiDoubleBits quadrant;
    memcpy(&x, angle + lane, sizeof x);
    lanes_reduce(&x, &hi, &lo, &quadrant);
    lanes_evaluate(&x, &hi, &lo, &quadrant, &sine, &cosine);
    memcpy(c + lane, &cosine, sizeof cosine);
    memcpy(s + lane, &sine, sizeof sine);
    for (int k = lane; k < lane + IMPI_D; ++k) {
      odd |= !(fabs(angle[k]) < IMPI_TRIG_LIMIT);
    }
  }
  for (int lane = 0; odd && lane < IMPI_LANE_PAD; ++lane) { // beyond IMPI_TRIG_LIMIT, or NaN
    impi_sincos(angle[lane], &s[lane], &c[lane]);
  }
}


static void unpack(const ImpiLaneBodies *lanes, const ImpiRecord *start, const ImpiLaneBlock *blocks, int count,
                   ImpiMotion *motions) {
  for (int i = 0; i < count; ++i) {
    const ImpiLaneBlock *block = &blocks[i];
    ImpiMotion *motion = motions + impi_lane_body(block->first); // motion[k]: lane first + k; lane 0 has no body
    double angle[IMPI_LANE_PAD] = {0}, c[IMPI_LANE_PAD], s[IMPI_LANE_PAD];
    unsigned turned = 0;
    for (int k = 0; k < IMPI_LANE_PAD; ++k) {
      if (!(block->moving >> k & 1u)) {
        continue;
      }
      int32_t lane = block->first + k;
      ImpiRecord v = lanes->velocity[lane], d = lanes->displacement[lane];
      ImpiHalfMotion velocity; // (vx, vy, w, angle)
      memcpy(&velocity, &motion[k].vx, sizeof velocity);
      double before = velocity[3];
      velocity += __builtin_convertvector(v, ImpiHalfMotion) - __builtin_convertvector(start[lane], ImpiHalfMotion);
      bool turns = v[3] != 0 && !(block->upright >> k & 1u);
      velocity[3] = turns ? velocity[3] : before;
      memcpy(&motion[k].vx, &velocity, sizeof velocity);
      motion[k].x += (double)d[0];
      motion[k].y += (double)d[1];
      angle[k] = velocity[3];
      turned |= (unsigned)turns << k;
    }
    if (turned != 0) {
      rotate_block(angle, c, s);
    }
    for (int k = 0; k < IMPI_LANE_PAD; ++k) {
      if (turned >> k & 1u) {
        motion[k].c = c[k];
        motion[k].s = s[k];
      }
    }
  }
}


const ImpiBodyKernels IMPI_FOR_WIDTH(impi_body_kernels) = {
    .pack = pack,
    .integrate_velocities = integrate_velocities,
    .integrate_positions = integrate_positions,
    .unpack = unpack,
};
