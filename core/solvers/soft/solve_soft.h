// What the soft solver and its lane kernels share. The driver (solve_soft.c) knows no width; a kernel file is
// soft_kernels.c compiled for one width and instruction set.
#ifndef IMPI_SOLVE_SOFT_H
#define IMPI_SOLVE_SOFT_H

#include "model/contact.h"

typedef float ImpiRecord __attribute__((vector_size(16)));

// The lane of a body in `slot`. It is the same as long as the body lives.
static inline int32_t impi_lane_of(int32_t slot) { return slot + 1; }
static inline int32_t impi_lane_body(int32_t lane) { return lane - 1; }

// The bodies in lanes. Lane 0 is the static world: it never moves and all static bodies are it. Lanes of bodies that
// are not in this step, be they asleep or free of rows, are zero.
typedef struct ImpiLaneBodies {
  ImpiRecord *velocity;     // (vx, vy, w, angle turned since the step began)   (count)
  ImpiRecord *displacement; // (dx, dy, cos - 1, sin) since the step began      (count)
  ImpiRecord *acceleration; // (ax, ay, alpha, mark): forces and gravity over mass; see restitution (count)
  ImpiRecord *damping;      // (l, l, a, 1): what a substep leaves of a velocity; where there are gains minus 1 (count)
  // Where substeps are short (IMPI_FINE_SUBSTEP), else NULL: what each velocity gained since the step began, without the
  // mark and the angle. An impulse is added to the gain, and the velocity is base + gain, rounded. (count)
  ImpiRecord *gain;
  const ImpiRecord *base; // velocities when the step began, where there are gains (count)
  int32_t count;          // lanes, lane 0 included; arrays are padded to IMPI_LANE_PAD
} ImpiLaneBodies;

#define IMPI_LANE_PAD 16

// How a soft row gives way over a substep h: see the top of solve_soft.c. hertz <= 0 means as stiff as h allows.
typedef struct ImpiSoftness {
  double bias_rate, mass_scale, impulse_scale;
} ImpiSoftness;

static inline ImpiSoftness impi_softness(double hertz, double damping_ratio, double h, double most) {

  double w = 2 * IMPI_PI * (hertz > 0 ? impi_min(hertz, most) : most);
  double a1 = 2 * damping_ratio + h * w, a2 = h * w * a1;
  return (ImpiSoftness){w / a1, a2 / (1 + a2), 1 / (1 + a2)};
}

// What every pass of a step needs to know.
typedef struct ImpiSoftPass {
  ImpiLaneBodies bodies;
  float h, inv_h;
  float bias_rate, mass_scale, impulse_scale; // of a soft contact row
  float push_speed, push_load, push_most;     // see push_limit
  float separation_speed; // overlap beyond that is taken out of positions at this speed at most [m/s]
  uint32_t *signals;      // bits of ImpiSoftSignal, set by kernels
  int32_t nowhere;        // record that is written in place of lanes that stay as they are; each worker has one
  int32_t ground;         // record that is zero again after each write: 0, or with several workers that in place of it
} ImpiSoftPass;

// Signals from a kernel to the driver.
typedef enum ImpiSoftSignal {
  IMPI_SIGNAL_BOUNCES = 1,  // a contact has restitution
  IMPI_SIGNAL_HIT = 4,      // a point is hit in the blow to come
  IMPI_SIGNAL_CHANGE = 8,   // a sweep of a blow's compression changed an impulse
  IMPI_SIGNAL_CORNERS = 16, // a circle is at a corner
} ImpiSoftSignal;

// So many records are from one worker's to the next one's: a cache line.
#define IMPI_LANE_APART 4

// Contacts in blocks of lanes, all of them with 1 or with 2 points. What every pass needs is in `hot`, the rest in
// `rare`, block by block. The last block may have lanes that are empty: they are zero.
typedef struct ImpiSoftBlocks {
  void *hot, *rare;
  int count;  // blocks
  int points; // 1 or 2
} ImpiSoftBlocks;

// What a step came to for the contacts of some blocks.
typedef struct ImpiSoftResult {
  double *work;     // of each contact, by slot [J]
  int32_t *flagged; // slots of contacts that are to be looked at: met within the step, or hit
  int count;
  int rows; // of all contacts
} ImpiSoftResult;

// One contact in its lane, for who solves it by itself.
typedef struct ImpiSoftTouchPoint {
  const float *rax, *ray, *rbx, *rby, *now, *mass;
  float *normal;
} ImpiSoftTouchPoint;
typedef struct ImpiSoftTouch {
  int32_t a, b; // lanes of the bodies
  const float *nx, *ny;
  float ma, ma_y, mb, mb_y, ia, ib; // inverse masses and inertias
  int32_t count;
  ImpiSoftTouchPoint points[2];
} ImpiSoftTouch;

// The passes over blocks, for one width.
typedef struct ImpiSoftKernels {
  int width;
  size_t hot_size[3], rare_size[3]; // of a block, by points; [0] is unused

  // One lane, by its place counted over all blocks.
  void (*enter)(const ImpiSoftBlocks *blocks, int place, int32_t slot, const ImpiContact *contact,
                const ImpiBody *bodies);
  void (*enter_impulses)(const ImpiSoftBlocks *blocks, int place, const ImpiContact *contact); // of what is there
  // One that is there was found anew, with the same points: where they are, and its normal. Nothing else is written.
  void (*renew)(const ImpiSoftBlocks *blocks, int place, const ImpiContact *contact);
  // Its points were found anew: point i is the one that lies in the lane as from[i], or -1, a new one. Reads impulses and
  // sums of work, as they are before a step is solved.
  void (*carry)(const ImpiSoftBlocks *blocks, int place, const int *from, ImpiContact *contact);
  // What changed since it entered, into the contact. `accounted`: the work of the step is in the sums already. Without
  // motions all but where its points are.
  void (*read)(const ImpiSoftBlocks *blocks, int place, ImpiContact *contact, const ImpiMotion *motions,
               bool accounted);
  void (*move)(const ImpiSoftBlocks *blocks, int from, int to); // overwrites `to`
  int32_t (*contact)(const ImpiSoftBlocks *blocks, int place);  // its slot
  void (*clear)(const ImpiSoftBlocks *blocks, int place);
  void (*touch)(const ImpiSoftBlocks *blocks, int place, ImpiSoftTouch *out);

  // A new step: bring all to the bodies' present poses, as impi_contact_refresh does. Writes the slots of those contacts
  // that must be looked at: found anew, or touching no longer, or now, or of a fast body and one that no impulse moves.
  // How many they are.
  int (*refresh)(const ImpiSoftBlocks *blocks, const ImpiMotion *motions, const uint64_t *fast, int32_t *out_slots);
  // Masses, and speeds before the step; signals contacts with restitution and deep ones.
  void (*begin)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*turn)(const ImpiSoftPass *pass,
               const ImpiSoftBlocks *blocks); // normals of circles at corners, see the kernels
  void (*warm_start)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*forget)(const ImpiSoftBlocks *blocks); // set all impulses to 0, in place of a warm start
  void (*solve)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  // The separations after bodies moved; unless `relax` is false the normals without bias; friction; adds up the totals.
  void (*relax)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, bool relax);
  // Restitution, where `relax` has signalled that points were hit in this substep: the first blow; sweeps of a blow's
  // compression, each of which signals a change that counts; the impulses of the bounce; the next blow, with a signal if
  // there is one. After the last one sweeps that hold all that touches, and friction of all that was hit.
  void (*aim)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*compress)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, bool last);
  void (*bounce)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*aim_again)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*rub)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*unmark)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*note)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks); // approach speeds, for the next substep
  void (*finish)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, float hit_speed, ImpiSoftResult *result);
} ImpiSoftKernels;

// By width: 8 and 16 only where IMPI_WIDE_KERNELS, and to be called only where the machine runs them.
extern const ImpiSoftKernels impi_soft_kernels_1, impi_soft_kernels_4, impi_soft_kernels_8, impi_soft_kernels_16;
// The same for contacts of bodies with locked axes.
extern const ImpiSoftKernels impi_soft_kernels_1_locked, impi_soft_kernels_4_locked, impi_soft_kernels_8_locked,
    impi_soft_kernels_16_locked;

// The kernels of a width that the machine runs, see lane_width.h.
const ImpiSoftKernels *impi_soft_kernels(int width, bool locked);

#endif
