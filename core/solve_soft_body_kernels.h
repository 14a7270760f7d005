// Level 5. The passes of solve_soft_bodies.h, written once. A file that includes this defines IMPI_W and
// IMPI_BODY_KERNELS (the name of the table) and is compiled for an instruction set of that width. Every operation is per
// lane; no width changes a bit.
#include "lanes.h"
#include "solve_soft_bodies.h"

#define IMPI_D (IMPI_W > 1 ? IMPI_W / 2 : 1)
typedef double ImpiDoubles __attribute__((vector_size(8 * IMPI_D)));
typedef uint64_t ImpiDoubleBits __attribute__((vector_size(8 * IMPI_D)));
// As many whole records as a vector holds, one at least.
#define RECORDS (IMPI_W > 4 ? IMPI_W / 4 : 1)
typedef float ImpiRecords __attribute__((vector_size(16 * RECORDS)));
// Half of an ImpiMotion.
typedef double ImpiHalfMotion __attribute__((vector_size(32)));

#define IMPI_TRIG_REAL ImpiDoubles
#define IMPI_TRIG_BITS ImpiDoubleBits
#define IMPI_TRIG_NAME(name) lanes_##name
#include "trig_lanes.h"


static void integrate_velocities(const ImpiLaneBodies *lanes, const ImpiLaneBlock *blocks, int count, float h) {
  for (int i = 0; i < count; ++i) {
    int32_t first = blocks[i].first;
    for (int lane = first; lane < first + IMPI_LANE_PAD; lane += RECORDS) {
      ImpiRecords v, a, damping;
      memcpy(&v, &lanes->velocity[lane], sizeof v);
      memcpy(&a, &lanes->acceleration[lane], sizeof a);
      memcpy(&damping, &lanes->damping[lane], sizeof damping);
      v = (v + h * a) * damping;
      memcpy(&lanes->velocity[lane], &v, sizeof v);
    }
  }
}


// Cosine minus one and sine of an angle, after taking quarter turns off, by Taylor polynomials on [-pi/4, pi/4]: 4e-8.
IMPI_INLINE void turn(const ImpiFloats *of, ImpiFloats *out_cos_less_1, ImpiFloats *out_sin) {
  ImpiFloats angle = *of;
  // The nearest integer by adding and taking away 1.5 * 2^23; quarter turns beyond 2^22 are no longer counted right,
  // but a body that turns so far in a step has no use for its anchors.
  ImpiFloats magic = IMPI_SPLAT(12582912);
  ImpiFloats quarters = (angle * 0.636619772f + magic) - magic;
  // pi/2 in two parts, so that the product with a small integer is exact.
  ImpiFloats x = (angle - quarters * 1.5703125f) - quarters * 4.83826794e-4f;
  ImpiFloats x2 = x * x;
  ImpiFloats sine =
      x + x * x2 * (-1.66666667e-1f + x2 * (8.33333333e-3f + x2 * (-1.98412698e-4f + x2 * 2.75573192e-6f)));
  ImpiFloats less = x2 * (-0.5f + x2 * (4.16666667e-2f + x2 * (-1.38888889e-3f + x2 * 2.48015873e-5f)));
  // Quarter q: (c, s) is (c, s), (-s, c), (-c, -s), (s, -c); here with q = quarters modulo 4 as 0, 1, 2 or 3.
  ImpiFloats folded = quarters - 4 * ((quarters * 0.25f + magic) - magic); // -2, -1, 0, 1 or 2
  ImpiMask swap = (folded == 1) | (folded == -1);
  ImpiMask back = (folded == 2) | (folded == -2);
  ImpiFloats c = less + 1;
  ImpiFloats side_c = impi_select(folded == 1, -sine, sine), side_s = impi_select(folded == 1, c, -c);
  *out_cos_less_1 = impi_select(swap, side_c - 1, impi_select(back, -c - 1, less));
  *out_sin = impi_select(swap, side_s, impi_select(back, -sine, sine));
}


static void integrate_positions(const ImpiLaneBodies *lanes, const ImpiLaneBlock *blocks, int count, float h) {
  int32_t index[IMPI_W];
  for (int lane = 0; lane < IMPI_W; ++lane) {
    index[lane] = lane;
  }
  for (int i = 0; i < count; ++i) {
    int32_t first = blocks[i].first;
    for (int lane = first; lane < first + IMPI_LANE_PAD; lane += IMPI_W) {
      ImpiQuad v = impi_gather(lanes->velocity + lane, index), d = impi_gather(lanes->displacement + lane, index);
      d.x += h * v.x;
      d.y += h * v.y;
      v.w += h * v.z;
      turn(&v.w, &d.z, &d.w);
      impi_scatter(lanes->velocity + lane, index, v);
      impi_scatter(lanes->displacement + lane, index, d);
    }
  }
}


// Sines and cosines of a block's angles; those of other lanes are 0.
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
  for (int lane = 0; odd && lane < IMPI_LANE_PAD; ++lane) { // ten thousand turns, or no number
    impi_sincos(angle[lane], &s[lane], &c[lane]);
  }
}


static void unpack(const ImpiLaneBodies *lanes, const ImpiRecord *start, const ImpiLaneBlock *blocks, int count,
                   ImpiMotion *motions) {
  for (int i = 0; i < count; ++i) {
    const ImpiLaneBlock *block = &blocks[i];
    ImpiMotion *motion = motions + impi_lane_body(block->first); // of the block's first lane, which may be the world
    double angle[IMPI_LANE_PAD] = {0}, c[IMPI_LANE_PAD], s[IMPI_LANE_PAD];
    unsigned turned = 0;
    for (int k = 0; k < IMPI_LANE_PAD; ++k) {
      if (!(block->moving >> k & 1u)) {
        continue;
      }
      int32_t lane = block->first + k;
      ImpiRecord v = lanes->velocity[lane], d = lanes->displacement[lane];
      ImpiHalfMotion velocity; // and the angle
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


const ImpiBodyKernels IMPI_BODY_KERNELS = {
    .integrate_velocities = integrate_velocities,
    .integrate_positions = integrate_positions,
    .unpack = unpack,
};
