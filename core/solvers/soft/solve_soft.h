// Types shared by the soft solver and its lane kernels.
#ifndef IMPI_SOLVE_SOFT_H
#define IMPI_SOLVE_SOFT_H

#include "model/contact.h"

typedef float ImpiRecord __attribute__((vector_size(16)));

// The lane of the body in `slot`, constant during the body's lifetime.
static inline int32_t impi_lane_of(int32_t slot) { return slot + 1; }
static inline int32_t impi_lane_body(int32_t lane) { return lane - 1; }

// The bodies in lanes: arrays with a record for each of the `count` lanes. All static bodies share lane 0. Lanes of
// bodies that are asleep or have no rows are zero.
typedef struct ImpiLaneBodies {
  ImpiRecord *velocity;     // (vx, vy, w, angle turned since the step began)
  ImpiRecord *displacement; // (dx, dy, cos - 1, sin): displacement and rotation since the step began
  // (ax, ay, alpha, mark): acceleration by forces and gravity; mark: 1 if an impact has reached the body
  ImpiRecord *acceleration;
  // (l, l, a, 1): linear and angular damping factors per substep; minus (1, 1, 1, 1) if `gain` is used
  ImpiRecord *damping;
  // (dvx, dvy, dw, unused): change of each velocity since the step began, for substeps shorter than IMPI_FINE_SUBSTEP,
  // else NULL. Impulses are added to the gain; the velocity is base + gain, rounded.
  ImpiRecord *gain;
  const ImpiRecord *base; // velocities at the start of the step; NULL without `gain`
  int32_t count;          // number of lanes; arrays are padded to IMPI_LANE_PAD
} ImpiLaneBodies;

#define IMPI_LANE_PAD 16

// Coefficients of a soft row for a substep h (solve_soft.c). `most`: upper limit of the frequency [Hz]; hertz <= 0
// selects `most`.
typedef struct ImpiSoftness {
  double bias_rate, mass_scale, impulse_scale;
} ImpiSoftness;

static inline ImpiSoftness impi_softness(double hertz, double damping_ratio, double h, double most) {

  double w = 2 * IMPI_PI * (hertz > 0 ? impi_min(hertz, most) : most);
  double a1 = 2 * damping_ratio + h * w, a2 = h * w * a1;
  return (ImpiSoftness){w / a1, a2 / (1 + a2), 1 / (1 + a2)};
}

// Parameters of all passes of a step.
typedef struct ImpiSoftPass {
  ImpiLaneBodies bodies;
  float h, inv_h;
  float bias_rate, mass_scale, impulse_scale; // softness of a contact row
  // A row pushes overlap apart at most at push_speed + min(push_load * v, push_most) [m/s]. v: speed that the impulse
  // of the row removes, see push_limit.
  float push_speed, push_load, push_most;
  float separation_speed; // largest speed at which deep overlap is removed from positions [m/s]
  uint32_t *signals;      // bits of ImpiSoftSignal, set by kernels
  int32_t nowhere;        // index of a worker's dummy record, written in place of lanes that must not change
  int32_t ground;         // index of the record that is cleared after each write: 0 with one worker, else `nowhere`
} ImpiSoftPass;

// Signals from a kernel to the driver.
typedef enum ImpiSoftSignal {
  IMPI_SIGNAL_BOUNCES = 1,  // a contact has restitution
  IMPI_SIGNAL_HIT = 4,      // a point takes part in the next impact
  IMPI_SIGNAL_CHANGE = 8,   // a compression sweep changed an impulse
  IMPI_SIGNAL_CORNERS = 16, // a circle is at a corner
} ImpiSoftSignal;

// Distance between the dummy records of two workers [records]: one cache line.
#define IMPI_LANE_APART 4

// Contacts in blocks of lanes, all with the same number of points. `hot`: data that every pass reads. `rare`: other
// data. The last block may have empty lanes, which are zero.
typedef struct ImpiSoftBlocks {
  void *hot, *rare;
  int count;  // blocks
  int points; // 1 or 2
} ImpiSoftBlocks;

// Results of a step for the contacts of some blocks.
typedef struct ImpiSoftResult {
  double *work;     // work of each contact, by slot [J]
  int32_t *flagged; // slots of contacts to check for events: began to touch within the step, or were hit
  int count;
  int rows;
} ImpiSoftResult;

// Pointers to one contact in its lane, for the solve of clusters.
typedef struct ImpiSoftTouchPoint {
  const float *rax, *ray, *rbx, *rby, *now, *mass;
  float *normal;
} ImpiSoftTouchPoint;
typedef struct ImpiSoftTouch {
  int32_t a, b; // lanes of the bodies
  const float *nx, *ny;
  float ma, ma_y, mb, mb_y, ia, ib; // inverse masses [1/kg] and inverse inertias [1/(kg m^2)]
  int32_t count;
  ImpiSoftTouchPoint points[2];
} ImpiSoftTouch;

// The passes over blocks, for one width.
typedef struct ImpiSoftKernels {
  int width;
  size_t hot_size[3], rare_size[3]; // sizes of a block with contacts of 1 or 2 points [bytes]

  // `place`: index of a lane, counted over all blocks.
  // Write a contact to the lane.
  void (*enter)(const ImpiSoftBlocks *blocks, int place, int32_t slot, const ImpiContact *contact,
                const ImpiBody *bodies);
  // Write only the impulses of a contact to its lane.
  void (*enter_impulses)(const ImpiSoftBlocks *blocks, int place, const ImpiContact *contact);
  // Update the normal and the positions of the points. The manifold was recomputed with the same points.
  void (*renew)(const ImpiSoftBlocks *blocks, int place, const ImpiContact *contact);
  // Read impulses and work into a contact whose manifold was recomputed with other points. Point i of the contact is
  // point from[i] of the lane, or new if from[i] is -1. Call this before the step is solved.
  void (*carry)(const ImpiSoftBlocks *blocks, int place, const int *from, ImpiContact *contact);
  // Copy to the contact all values that the lane changed. If `accounted`, work_n, work_t and work_r include the work of
  // the latest step. If `motions` is NULL, positions and normals are not copied.
  void (*read)(const ImpiSoftBlocks *blocks, int place, ImpiContact *contact, const ImpiMotion *motions,
               bool accounted);
  void (*move)(const ImpiSoftBlocks *blocks, int from, int to); // overwrites `to`
  int32_t (*contact)(const ImpiSoftBlocks *blocks, int place);  // slot of the contact in the lane, -1 if empty
  void (*clear)(const ImpiSoftBlocks *blocks, int place);
  void (*touch)(const ImpiSoftBlocks *blocks, int place, ImpiSoftTouch *out);

  // At the start of a step, update all manifolds to the current poses. Writes the slots of contacts that must be
  // evaluated again: stale contacts, contacts that begin or end touching, and contacts between a body in the set `fast`
  // and a body that impulses do not move. Returns their number.
  int (*refresh)(const ImpiSoftBlocks *blocks, const ImpiMotion *motions, const uint64_t *fast, int32_t *out_slots);
  // Compute effective masses and the speeds before the step. Set IMPI_SIGNAL_BOUNCES and IMPI_SIGNAL_CORNERS.
  void (*begin)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*turn)(const ImpiSoftPass *pass,
               const ImpiSoftBlocks *blocks); // update normals of circles at corners
  void (*warm_start)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*forget)(const ImpiSoftBlocks *blocks);
  void (*solve)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  // Compute the separations after bodies moved, solve friction, and add the impulses to the totals. If `relax` is true,
  // solve the normals without bias before friction.
  void (*relax)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, bool relax);
  // Restitution, if `relax` has signalled a hit:
  //   begin_impact      set up the first impact
  //   compress          one sweep of the compression phase of an impact; sets IMPI_SIGNAL_CHANGE.
  //                     `last`: for all touching contacts, after the last impact
  //   bounce            apply the impulses of restitution
  //   next_impact       set up the next impact; sets IMPI_SIGNAL_HIT if there is one
  //   impact_friction   solve friction of the points that were hit
  //   unmark            clear the marks of the bodies
  void (*begin_impact)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*compress)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, bool last);
  void (*bounce)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*next_impact)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*impact_friction)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*unmark)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks);
  void (*note)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks); // record approach speeds for the next substep
  void (*finish)(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, float hit_speed, ImpiSoftResult *result);
} ImpiSoftKernels;

// Kernels by width. Widths 8 and 16 exist only if IMPI_WIDE_KERNELS, and require a machine that supports them.
extern const ImpiSoftKernels impi_soft_kernels_1, impi_soft_kernels_4, impi_soft_kernels_8, impi_soft_kernels_16;
// Kernels for contacts of bodies with locked axes.
extern const ImpiSoftKernels impi_soft_kernels_1_locked, impi_soft_kernels_4_locked, impi_soft_kernels_8_locked,
    impi_soft_kernels_16_locked;

// Return the kernels of a width that the machine supports.
const ImpiSoftKernels *impi_soft_kernels(int width, bool locked);

#endif
