// The default solver: substeps with soft contact rows, each with biased solves and one relax pass.
//
//   for each substep h:   normals of circles at corners          contacts
//                         v += h a
//                         warm start                            joints, then contacts: contacts have priority
//                         solve with bias, twice                the same; then clusters, with their contacts
//                         x += h v
//                         relax: solve without bias, friction   joints, then contacts; deep overlap is removed from x
//                         bounce: impact after impact           contacts
//   then:                 store impulses
// A soft row is a damped spring of frequency w and damping ratio z, solved implicitly over h:
//   a1 = 2 z + h w,  a2 = h w a1,  bias rate = w / a1,  mass scale = a2 / (1 + a2),  impulse scale = 1 / (1 + a2)
// It is stable at any stiffness. w is at most 2 pi * 0.25 / h, the limit of Gauss-Seidel. A row at rest, with impulse
// lambda and effective mass m_C, sinks by IMPULSE_SCALE * lambda / (h w^2 m_C). Measured for three values of
// IMPULSE_SCALE with 1 m boxes at 60 Hz, 4 substeps: sinking of the top of a stack of ten; and for a pyramid of 30 rows
// with gaps of 0.1 m, the sideways motion of a box in 20 s and the remaining rms speed:
//   scale 1.0, one solve   6.9 mm    25 mm  6e-5 m/s        scale 1.0, two solves  6.9 mm  12 mm  2e-5 m/s
//   scale 0.7, one solve   4.8 mm   1.0 m   0.15 m/s        scale 0.7, two solves  4.8 mm   9 mm  4e-5 m/s
//   scale 0.5, one solve   3.5 mm   0.9 m   0.22 m/s        scale 0.5, two solves  3.5 mm  25 mm  4e-5 m/s
// The damping ratio is 9. With 2 the pyramid keeps an rms speed of 2e-4 m/s.
//
// Bodies and contacts are solved in float lanes (soft_kernels.c), but the state of a body is in doubles. At the end of
// the step the changes in the lanes are added to the doubles. For short substeps, lanes also hold the change of each
// velocity since the step began, because a float would lose it to rounding.
// source: Catto, "Solver2D" (2024); Macklin et al., "Small steps in physics simulation" (2019)
#include "solvers/soft/solve_soft.h"
#include "base/constants.h"
#include "base/lane_width.h"
#include "model/solver.h"
#include "solvers/soft/lane_passes.h"
#include "solvers/soft/soft_bodies.h"
#include "solvers/soft/soft_joints.h"


#define IMPULSE_SCALE 0.7

// The largest speed at which a soft row pushes overlap apart is the speed after a free fall of PUSH_TIME [s], plus a
// term proportional to the impulse of the row. The term is at most PUSH_PART * push_speed (a setting). Deep overlap
// that would require a higher speed is removed from the positions, at up to SEPARATION_PART * push_speed.
#define PUSH_TIME 0.01
#define PUSH_PART 0.4
#define SEPARATION_PART 0.35

// Maximum number of impacts in a substep, of compression sweeps per impact, and of sweeps after the last impact.
#define MAX_IMPACTS 16
#define IMPACT_SWEEPS 32
#define HOLD_SWEEPS 2

typedef struct ImpiSoft {
  ImpiSoftBodies bodies; // must be first: soft_bodies.c casts the scratch to it
  ImpiSoftPass pass;
  IMPI_ARRAY(uint64_t) taken; // colours in use by the joints of each body, by lane
  ImpiLanePasses passes;
  ImpiSoftJoints joints;
  uint32_t signals;
} ImpiSoft;


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------


static void soft_destroy(ImpiHeap *heap, void *scratch) {
  ImpiSoft *soft = scratch;
  impi_soft_bodies_free(heap, &soft->bodies);
  impi_array_free(heap, &soft->taken);
  impi_soft_joints_free(heap, &soft->joints);
  impi_resize(heap, soft, sizeof *soft, 0);
}


const ImpiSoftKernels *impi_soft_kernels(int width, bool locked) {
  switch (width) {
#if IMPI_WIDE_KERNELS
  case 16:
    return locked ? &impi_soft_kernels_16_locked : &impi_soft_kernels_16;
  case 8:
    return locked ? &impi_soft_kernels_8_locked : &impi_soft_kernels_8;
#endif
  case 1:
    return locked ? &impi_soft_kernels_1_locked : &impi_soft_kernels_1;
  default:
    return locked ? &impi_soft_kernels_4_locked : &impi_soft_kernels_4;
  }
}


static const ImpiBodyKernels *choose_body_kernels(int width) {
#if IMPI_WIDE_KERNELS
  if (width > 4) {
    return width == 16 ? &impi_body_kernels_16 : &impi_body_kernels_8;
  }
#endif
  return width == 1 ? &impi_body_kernels_1 : &impi_body_kernels_4;
}


// Joints use 16 lanes only if these were requested, because 16 lanes are not faster than 8.
static const ImpiJointKernels *choose_joint_kernels(int requested, int width) {
#if IMPI_WIDE_KERNELS
  if (width == 16 && requested == 16) {
    return &impi_joint_kernels_16;
  }
  if (width >= 8) {
    return &impi_joint_kernels_8;
  }
#endif
  (void)requested;
  return width == 1 ? &impi_joint_kernels_1 : &impi_joint_kernels_4;
}


static ImpStatus soft_reserve(ImpiSolve *solve) {
  ImpiSoft *soft = solve->scratch;
  ImpiHeap *heap = solve->heap;
  int width = impi_lane_width(solve->settings->lanes);
  soft->bodies.kernels = choose_body_kernels(width);
  double h = solve->settings->dt / impi_substeps(&impi_solver_soft, solve->settings);
  if (!impi_soft_bodies_pack(solve, &soft->bodies, (double)(float)h)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  soft->pass.bodies = soft->bodies.lanes;
  soft->pass.nowhere = impi_soft_bodies_nowhere(&soft->bodies);
  soft->pass.ground = solve->team->threads == 1 ? 0 : soft->pass.nowhere;
  bool room = impi_reserve(heap, &soft->taken, soft->pass.bodies.count) &&
              impi_soft_joints_reserve(solve, &soft->joints, soft->taken.data, soft->pass.bodies.count,
                                       choose_joint_kernels(solve->settings->lanes, width));
  if (!room) {
    impi_soft_bodies_drop(solve);
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  impi_lane_passes_plan(&soft->passes, solve->team, solve->lane_contacts);
  solve->report.colours = solve->lane_contacts->colours;
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// The solver
// ---------------------------------------------------------------------------------------------------------------------


static void set_softness(ImpiSoftPass *pass, const ImpiSettings *settings, double h, double stiffest) {
  ImpiSoftness soft = impi_softness(settings->contact_hertz, settings->contact_damping_ratio, h, stiffest);
  pass->h = (float)h;
  pass->inv_h = (float)(1 / h);
  pass->bias_rate = (float)soft.bias_rate;
  pass->mass_scale = (float)soft.mass_scale;
  pass->impulse_scale = (float)(IMPULSE_SCALE * soft.impulse_scale);
  double push_speed = impi_push_speed(settings);
  pass->push_speed = (float)impi_min(push_speed, PUSH_TIME * impi_length(settings->gravity));
  pass->push_most = (float)(PUSH_PART * push_speed);
  pass->push_load = 2 * pass->impulse_scale / pass->mass_scale;
  pass->separation_speed = (float)(SEPARATION_PART * push_speed);
}


// Run a pass. Returns whether a kernel has set `signal`.
static bool run_for(ImpiSoft *soft, ImpiLanePass which, uint32_t signal) {
  soft->signals = 0;
  impi_lane_passes_run(&soft->passes, which, &soft->pass);
  return (soft->signals & signal) != 0;
}


// Solve restitution, impact after impact, and record the speeds of approach for the next substep.
static void bounce(ImpiSoft *soft, bool hit) {
  bool any = hit;
  if (any) {
    impi_lane_passes_run(&soft->passes, IMPI_LANE_AIM, &soft->pass);
  }
  for (int impact = 0; impact < MAX_IMPACTS && hit; ++impact) {
    bool changed = true;
    for (int i = 0; i < IMPACT_SWEEPS && changed; ++i) {
      changed = run_for(soft, i % 2 == 0 ? IMPI_LANE_COMPRESS_BACK : IMPI_LANE_COMPRESS, IMPI_SIGNAL_CHANGE);
    }
    impi_lane_passes_run(&soft->passes, IMPI_LANE_BOUNCE, &soft->pass);
    hit = run_for(soft, IMPI_LANE_AIM_AGAIN, IMPI_SIGNAL_HIT);
  }
  if (any) {
    for (int i = 0; i < HOLD_SWEEPS && !hit; ++i) {
      impi_lane_passes_run(&soft->passes, IMPI_LANE_HOLD, &soft->pass);
    }
    impi_lane_passes_run(&soft->passes, IMPI_LANE_RUB, &soft->pass);
    impi_lane_passes_run(&soft->passes, IMPI_LANE_UNMARK, &soft->pass);
  }
  impi_lane_passes_run(&soft->passes, IMPI_LANE_NOTE, &soft->pass);
}


// Compute the results of the step for contacts and the report.
static void finish_contacts(ImpiSolve *solve, ImpiSoft *soft) {
  ImpiLaneContacts *lanes = solve->lane_contacts;
  int rows = impi_lane_passes_finish(&soft->passes, lanes, &soft->pass, (float)solve->hit_speed);
  lanes->epoch++;
  lanes->solved = true;
  solve->report.rows = rows + soft->joints.rows;
  solve->report.cluster_time = soft->joints.cluster_time;
}


static void soft_solve(ImpiSolve *solve) {
  ImpiSoft *soft = solve->scratch;
  const ImpiSettings *settings = solve->settings;
  ImpiSoftPass *pass = &soft->pass;
  const ImpiLanePasses *passes = &soft->passes;
  int substeps = impi_substeps(&impi_solver_soft, settings);
  int iterations = impi_iterations(&impi_solver_soft, settings);
  double h = settings->dt / substeps;
  bool watched = solve->before_substep != NULL || solve->push_fields != NULL;
  double clock = impi_clock(), now;
  set_softness(pass, settings, h, solve->stiffest);
  pass->signals = &soft->signals;
  soft->signals = 0;
  impi_lane_passes_begin(passes, pass);
  bool bounces = soft->signals & IMPI_SIGNAL_BOUNCES;
  bool corners = soft->signals & IMPI_SIGNAL_CORNERS;
  impi_soft_joints_begin(solve, &soft->joints, &pass->bodies, h);
  now = impi_clock();
  solve->stage_time[IMP_STAGE_PREPARE] = now - clock;
  clock = now;

  for (int substep = 0; substep < substeps; ++substep) {
    if (solve->before_substep != NULL) {
      solve->before_substep(solve, h);
    }
    if (solve->push_fields != NULL) {
      double t = solve->time + substep * h;
      solve->push_fields(solve, h, t, t + h);
    }
    double end = solve->time + (substep + 1) * h;
    impi_soft_joints_aim(solve, &soft->joints, &pass->bodies, end);
    if (corners) {
      impi_lane_passes_run(passes, IMPI_LANE_TURN, pass);
    }
    impi_soft_bodies_velocities(solve, &soft->bodies, h, watched);
    impi_soft_joints_note_before(&soft->joints, &pass->bodies);
    impi_soft_joints_warm_start(solve, &soft->joints, &pass->bodies);
    impi_lane_passes_run(passes, settings->warm_start ? IMPI_LANE_WARM_START : IMPI_LANE_FORGET, pass);
    for (int i = 0; i < iterations; ++i) {
      if (i > 0 || iterations == 1) { // joints are solved once less than contacts: their locks are solved exactly
        impi_soft_joints_solve(&soft->joints, &pass->bodies);
      }
      impi_lane_passes_run(passes, IMPI_LANE_SOLVE, pass);
    }
    impi_soft_joints_solve_clusters(&soft->joints, &pass->bodies, pass);
    impi_soft_bodies_positions(solve, &soft->bodies, h, watched);
    impi_soft_joints_relax(solve, &soft->joints, &pass->bodies, end, substep == substeps - 1);
    bool hit = run_for(soft, settings->relax ? IMPI_LANE_RELAX : IMPI_LANE_FRICTION, IMPI_SIGNAL_HIT);
    if (bounces) {
      bounce(soft, hit);
    }
    impi_soft_joints_note_after(&soft->joints, &pass->bodies);
  }
  if (!watched) {
    impi_soft_bodies_fly(solve, &soft->bodies, h, substeps);
  }
  now = impi_clock();
  solve->stage_time[IMP_STAGE_SOLVE] = now - clock;
  clock = now;

  impi_soft_joints_store(solve, &soft->joints);
  finish_contacts(solve, soft);
  impi_soft_bodies_unpack(solve, &soft->bodies);
  solve->report.sweeps = substeps * (iterations + (settings->relax ? 1 : 0));
  solve->report.reason = "iterations";
  solve->stage_time[IMP_STAGE_STORE] = impi_clock() - clock;
}


static void soft_flush(const void *scratch, ImpiJoint *joints, ImpiDrive *drives, int32_t joint) {
  impi_joint_lanes_flush(&((const ImpiSoft *)scratch)->joints.lanes, joints, drives, joint);
}


static int soft_open_candidates(const void *scratch, int32_t *out_joints) {
  return impi_soft_joints_open_candidates(&((const ImpiSoft *)scratch)->joints, out_joints);
}


static bool soft_keeps(const void *scratch, int32_t joint) {
  return impi_joint_lanes_hold(&((const ImpiSoft *)scratch)->joints.lanes, joint);
}


static bool soft_clusters(const void *scratch, int32_t joint) {
  const ImpiClusters *clusters = &((const ImpiSoft *)scratch)->joints.clusters;
  for (int i = 0; i < clusters->blocks.count; ++i) {
    if (clusters->blocks.data[i].joint == joint) {
      return true;
    }
  }
  return false;
}


const ImpiSolver impi_solver_soft = {
    .name = "soft",
    .default_substeps = 4,
    .default_iterations = 2,
    .reserve = soft_reserve,
    .solve = soft_solve,
    .read = impi_soft_bodies_read,
    .sense = impi_soft_bodies_sense,
    .push = impi_soft_bodies_push,
    .push_all = impi_soft_bodies_push_all,
    .flush = soft_flush,
    .open_candidates = soft_open_candidates,
    .holds_results = soft_keeps,
    .clusters = soft_clusters,
    .scratch = sizeof(ImpiSoft),
    .destroy = soft_destroy,
};
