// The default solver: substeps with soft contact rows, each with biased solves and one relax.
//
//   for each substep h:   v += h a
//                         warm start                            joints, then contacts: the contacts win
//                         solve with bias, twice                the same
//                         x += h v
//                         relax: solve without bias, friction   the same
//                         bounce                                contacts
//   then:                 store impulses
// A soft row is a damped spring of frequency w and damping ratio z, solved implicitly over h:
//   a1 = 2 z + h w,  a2 = h w a1,  bias rate = w / a1,  mass scale = a2 / (1 + a2),  impulse scale = 1 / (1 + a2)
// so it is stable at any stiffness, and what it pushes too hard relax takes back. w is at most a quarter turn per
// substep (0.25 / h), the limit of Gauss-Seidel. The impulse scale decides between sinking and coming to rest: a row at
// rest sinks by scale * lambda / ((1 + a2) m_C mass_scale bias_rate). Measured with 1 m boxes at 60 Hz, 4 substeps:
// how far the top of a stack of ten sinks, and for a pyramid of 30 rows with gaps of 0.1 m how far a box moves
// sideways in 20 s and the rms speed that is left:
//   scale 1.0, one solve   6.9 mm    9 mm  0.0001 m/s
//   scale 0.7, one solve   4.9 mm   52 mm  0.04 m/s
//   scale 0.7, two solves  4.8 mm    7 mm  0.0002 m/s
//   scale 0.5, one solve   3.6 mm   falls, and a stack of 30 explodes
// A damping ratio of 10 swings more than 2 at any scale.
//
// Bodies and contacts go through float lanes (solve_soft_kernels.h); the truth stays double: lanes hold velocities
// and displacements since the step began, and what comes back is the difference. Bodies without contacts never enter
// lanes.
// source: Catto, "Solver2D" (2024); Macklin et al., "Small steps in physics simulation" (2019)
#include "solve_soft.h"
#include "colour.h"
#include "constants.h"
#include "solve_soft_bodies.h"
#include "solve_soft_joints.h"
#include "solver.h"

#include <string.h>

#define IMPULSE_SCALE 0.7

// Contacts of one colour and one form, and their blocks.
typedef struct Run {
  const ImpiSoftKernels *kernels;
  int first_slot; // in `order`
  int blocks;
  int points;
  size_t offset; // of its first block in `memory` [bytes]
} Run;

// Forms of contacts: the number of points less one, and 2 more where a body has locked axes.
#define FORMS 4
#define MAX_RUNS (FORMS * (IMPI_COLOURS + 1))

typedef struct ImpiSoft {
  ImpiSoftBodies bodies;                           // first: see there
  const ImpiSoftKernels *kernels, *locked_kernels; // of this step
  ImpiSoftPass pass;
  IMPI_ARRAY(uint64_t) taken;  // colours in use, by lane
  IMPI_ARRAY(uint16_t) run_of; // colour * FORMS + form of each active contact
  IMPI_ARRAY(int32_t) order;   // contact slots by run and block, -1 in empty lanes
  unsigned char *memory;       // blocks
  size_t memory_size;          // [bytes]
  Run runs[MAX_RUNS];
  int run_count;
  ImpiSoftJoints joints;
} ImpiSoft;


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------


static void *soft_create(ImpiHeap *heap) {
  ImpiSoft *soft = impi_resize(heap, NULL, 0, sizeof *soft);
  if (soft != NULL) {
    memset(soft, 0, sizeof *soft);
  }
  return soft;
}


static void soft_destroy(ImpiHeap *heap, void *scratch) {
  ImpiSoft *soft = scratch;
  impi_soft_bodies_free(heap, &soft->bodies);
  impi_array_free(heap, &soft->taken);
  impi_array_free(heap, &soft->run_of);
  impi_array_free(heap, &soft->order);
  impi_soft_joints_free(heap, &soft->joints);
  impi_resize(heap, soft->memory, soft->memory_size, 0);
  impi_resize(heap, soft, sizeof *soft, 0);
}


// The widest kernels that the machine runs, or the width that was asked for if it does.
static const ImpiSoftKernels *choose_kernels(int lanes, bool locked) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2");
  bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  if (avx512 && (lanes == 16 || lanes == 0)) {
    return locked ? &impi_soft_kernels_16_locked : &impi_soft_kernels_16;
  }
  if (avx2 && lanes != 4) {
    return locked ? &impi_soft_kernels_8_locked : &impi_soft_kernels_8;
  }
#endif
  (void)lanes;
  return locked ? &impi_soft_kernels_4_locked : &impi_soft_kernels_4;
}


static int padded(int count, int step) { return (count + step - 1) / step * step; }


static const ImpiBodyKernels *choose_body_kernels(int width) {
#if defined(__x86_64__) || defined(__i386__)
  if (width > 4) {
    return width == 16 ? &impi_body_kernels_16 : &impi_body_kernels_8;
  }
#endif
  (void)width;
  return &impi_body_kernels_4;
}


static int form_of(const ImpiContact *contact, const ImpiBody *a, const ImpiBody *b) {
  return contact->count - 1 + (a->locks | b->locks ? 2 : 0);
}


// Colour the contacts greedily in their order, then lay them out by colour: two-point contacts first, in blocks.
static void plan_runs(ImpiSolve *solve, ImpiSoft *soft) {
  int width = soft->kernels->width;
  int counts[IMPI_COLOURS + 1][FORMS] = {{0}};
  uint64_t *taken = soft->taken.data;
  memset(taken, 0, (size_t)soft->pass.bodies.count * sizeof *taken);
  for (int i = 0; i < solve->active_count; ++i) {
    const ImpiContact *contact = &solve->contacts[solve->active[i]];
    const ImpiBody *a = &solve->bodies[contact->body_a], *b = &solve->bodies[contact->body_b];
    int colour = impi_take_colour(taken, a->inv_mass > 0 ? a->lane : 0, b->inv_mass > 0 ? b->lane : 0);
    int form = form_of(contact, a, b);
    soft->run_of.data[i] = (uint16_t)(colour * FORMS + form);
    counts[colour][form]++;
  }
  static const int forms[FORMS] = {1, 0, 3, 2}; // two points first
  soft->run_count = 0;
  int slots = 0, colours = 0;
  size_t offset = 0;
  int first[IMPI_COLOURS + 1][FORMS] = {{0}};
  for (int k = 0; k <= IMPI_COLOURS; ++k) {
    int colour = k == 0 ? IMPI_NO_COLOUR : k - 1; // those without a colour come first
    int in_colour = 0;
    for (int f = 0; f < FORMS; ++f) {
      int form = forms[f], points = form % 2 + 1, count = counts[colour][form];
      if (count == 0) {
        continue;
      }
      const ImpiSoftKernels *kernels = form < 2 ? soft->kernels : soft->locked_kernels;
      int blocks = colour == IMPI_NO_COLOUR ? count : padded(count, width) / width;
      soft->runs[soft->run_count++] = (Run){kernels, slots, blocks, points, offset};
      first[colour][form] = slots;
      in_colour += count;
      slots += blocks * width;
      offset += (size_t)blocks * kernels->block_size[points];
    }
    colours += colour != IMPI_NO_COLOUR && in_colour > 0;
  }
  // `order` was reserved for the worst case: every contact alone in a block.
  for (int i = 0; i < slots; ++i) {
    soft->order.data[i] = -1;
  }
  for (int i = 0; i < solve->active_count; ++i) {
    int colour = soft->run_of.data[i] / FORMS;
    int32_t *next = &first[colour][soft->run_of.data[i] % FORMS];
    soft->order.data[*next] = solve->active[i];
    *next += colour == IMPI_NO_COLOUR ? width : 1;
  }
  solve->report.colours = colours;
}


static ImpStatus soft_reserve(ImpiSolve *solve) {
  ImpiSoft *soft = solve->scratch;
  ImpiHeap *heap = solve->heap;
  soft->kernels = choose_kernels(solve->settings->lanes, false);
  soft->locked_kernels = choose_kernels(solve->settings->lanes, true);
  int width = soft->kernels->width;
  soft->bodies.kernels = choose_body_kernels(width);
  double h = solve->settings->dt / impi_substeps(&impi_solver_soft, solve->settings);
  if (!impi_soft_bodies_pack(solve, &soft->bodies, (double)(float)h)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  soft->pass.bodies = soft->bodies.lanes;
  bool room = impi_reserve(heap, &soft->taken, soft->pass.bodies.count) &&
              impi_reserve(heap, &soft->run_of, solve->active_count) &&
              impi_reserve(heap, &soft->order, (solve->active_count + FORMS * IMPI_COLOURS) * width);
  room = room && impi_soft_joints_reserve(solve, &soft->joints, soft->taken.data, soft->pass.bodies.count);
  if (room) {
    plan_runs(solve, soft);
    size_t needed = 64;
    for (int i = 0; i < soft->run_count; ++i) {
      needed += (size_t)soft->runs[i].blocks * soft->runs[i].kernels->block_size[soft->runs[i].points];
    }
    if (needed > soft->memory_size) {
      size_t size = needed + needed / 2;
      void *grown = impi_resize(heap, NULL, 0, size);
      room = grown != NULL;
      if (room) {
        impi_resize(heap, soft->memory, soft->memory_size, 0);
        soft->memory = grown;
        soft->memory_size = size;
      }
    }
  }
  if (!room) {
    impi_soft_bodies_drop(solve);
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  return IMP_OK;
}


static void *blocks_of(const ImpiSoft *soft, const Run *run) {
  uintptr_t base = (uintptr_t)soft->memory;
  return soft->memory + (64 - base % 64) % 64 + run->offset;
}


// ---------------------------------------------------------------------------------------------------------------------
// The solver
// ---------------------------------------------------------------------------------------------------------------------


static void set_softness(ImpiSoftPass *pass, const ImpiSettings *settings, double h) {
  ImpiSoftness soft = impi_softness(settings->contact_hertz, settings->contact_damping_ratio, h);
  pass->h = (float)h;
  pass->inv_h = (float)(1 / h);
  pass->bias_rate = (float)soft.bias_rate;
  pass->mass_scale = (float)soft.mass_scale;
  pass->impulse_scale = (float)(IMPULSE_SCALE * soft.impulse_scale);
  pass->push_speed = (float)impi_push_speed(settings);
}


#define FOR_RUNS(soft, run) \
  for (const Run *run = (soft)->runs, *last_run = run + (soft)->run_count; run < last_run; ++run)


static void soft_solve(ImpiSolve *solve) {
  ImpiSoft *soft = solve->scratch;
  const ImpiSettings *settings = solve->settings;
  ImpiSoftPass *pass = &soft->pass;
  int substeps = impi_substeps(&impi_solver_soft, settings);
  int iterations = impi_iterations(&impi_solver_soft, settings);
  double h = settings->dt / substeps;
  bool watched = solve->before_substep != NULL || solve->push_fields != NULL;
  double clock = impi_clock(), now;
  set_softness(pass, settings, h);
  FOR_RUNS(soft, run) {
    ImpiSoftList list = {soft->order.data + run->first_slot, run->blocks, run->points};
    run->kernels->pack(pass, &list, solve->contacts, solve->bodies, blocks_of(soft, run));
  }
  impi_soft_joints_begin(solve, &soft->joints, &pass->bodies, h);
  now = impi_clock();
  solve->stage_time[IMP_STAGE_PREPARE] = now - clock;
  clock = now;

  for (int substep = 0; substep < substeps; ++substep) {
    if (solve->before_substep != NULL) {
      solve->before_substep(solve, h);
    }
    if (solve->push_fields != NULL) {
      solve->push_fields(solve, h, solve->time + substep * h);
    }
    double end = solve->time + (substep + 1) * h;
    impi_soft_joints_aim(solve, &soft->joints, end);
    impi_soft_bodies_velocities(solve, &soft->bodies, h, watched);
    impi_soft_joints_note_before(&soft->joints, &pass->bodies);
    impi_soft_joints_warm_start(solve, &soft->joints, &pass->bodies);
    if (settings->warm_start) {
      FOR_RUNS(soft, run) run->kernels->warm_start(pass, blocks_of(soft, run), run->blocks, run->points);
    } else {
      FOR_RUNS(soft, run) run->kernels->forget(blocks_of(soft, run), run->blocks, run->points);
    }
    for (int i = 0; i < iterations; ++i) {
      if (i > 0 || iterations == 1) { // a joint's locks are solved exactly: one sweep less than contacts does
        impi_soft_joints_solve(&soft->joints, &pass->bodies);
      }
      FOR_RUNS(soft, run) run->kernels->solve(pass, blocks_of(soft, run), run->blocks, run->points);
    }
    impi_soft_bodies_positions(solve, &soft->bodies, h, watched);
    impi_soft_joints_relax(solve, &soft->joints, &pass->bodies, end);
    FOR_RUNS(soft, run) run->kernels->relax(pass, blocks_of(soft, run), run->blocks, run->points, settings->relax);
    FOR_RUNS(soft, run) run->kernels->bounce(pass, blocks_of(soft, run), run->blocks, run->points);
    impi_soft_joints_note_after(&soft->joints, &pass->bodies);
  }
  if (!watched) {
    impi_soft_bodies_fly(solve, &soft->bodies, h, substeps);
  }
  now = impi_clock();
  solve->stage_time[IMP_STAGE_SOLVE] = now - clock;
  clock = now;

  int rows = 0;
  FOR_RUNS(soft, run) {
    ImpiSoftList list = {soft->order.data + run->first_slot, run->blocks, run->points};
    run->kernels->store(pass, &list, solve->contacts, blocks_of(soft, run));
  }
  for (int i = 0; i < solve->active_count; ++i) {
    const ImpiContact *contact = &solve->contacts[solve->active[i]];
    rows += 2 * contact->count + (contact->rolling > 0);
  }
  impi_soft_joints_store(solve, &soft->joints);
  impi_soft_bodies_unpack(solve, &soft->bodies);
  solve->report.rows = rows + soft->joints.rows;
  solve->report.sweeps = substeps * (iterations + (settings->relax ? 1 : 0));
  solve->report.reason = "iterations";
  solve->stage_time[IMP_STAGE_STORE] = impi_clock() - clock;
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
    .create = soft_create,
    .destroy = soft_destroy,
};
