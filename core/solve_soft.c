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
  const ImpiSoftKernels *kernels, *locked_kernels; // of this step
  ImpiSoftPass pass;
  IMPI_ARRAY(ImpiRecord) records; // the four arrays of ImpiLaneBodies and `start`, one after another
  ImpiRecord *start;              // velocity of each lane when the step began
  IMPI_ARRAY(uint64_t) taken;     // colours in use, by lane
  IMPI_ARRAY(uint16_t) run_of;    // colour * FORMS + form of each active contact
  IMPI_ARRAY(int32_t) order;      // contact slots by run and block, -1 in empty lanes
  unsigned char *memory;          // blocks
  size_t memory_size;             // [bytes]
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
  impi_array_free(heap, &soft->records);
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


// The same for joints: sixteen lanes gain them nothing.
static const ImpiJointKernels *choose_joint_kernels(int lanes) {
#if defined(__x86_64__) || defined(__i386__)
  int width = choose_kernels(lanes, false)->width;
  if (width == 16 && lanes == 16) {
    return &impi_joint_kernels_16;
  }
  if (width >= 8) {
    return &impi_joint_kernels_8;
  }
#endif
  (void)lanes;
  return &impi_joint_kernels_4;
}


static int padded(int count, int step) { return (count + step - 1) / step * step; }


// Every constrained awake body takes its lane. Kinematic bodies have one too: they are read, and no impulse moves them.
static void assign_lanes(ImpiSolve *solve, ImpiSoft *soft) {
  for (int i = 0; i < solve->awake_count; ++i) {
    ImpiBody *body = &solve->bodies[solve->awake[i]];
    body->lane = body->constrained ? impi_lane_of(solve->awake[i]) : 0;
  }
  soft->pass.bodies.count = impi_lane_of(solve->body_count);
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
  assign_lanes(solve, soft);
  int lanes = padded(soft->pass.bodies.count, IMPI_LANE_PAD);
  bool room = impi_reserve(heap, &soft->records, 5 * lanes + 4) && impi_reserve(heap, &soft->taken, lanes) &&
              impi_reserve(heap, &soft->run_of, solve->active_count) &&
              impi_reserve(heap, &soft->order, (solve->active_count + FORMS * IMPI_COLOURS) * width);
  room = room && impi_soft_joints_reserve(solve, &soft->joints, soft->taken.data, soft->pass.bodies.count,
                                          choose_joint_kernels(solve->settings->lanes));
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
    for (int i = 0; i < solve->awake_count; ++i) {
      solve->bodies[solve->awake[i]].lane = 0;
    }
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  // Records and blocks start on cache lines.
  unsigned char *base = (unsigned char *)soft->records.data;
  base += (64 - (uintptr_t)base % 64) % 64;
  ImpiRecord *records = (ImpiRecord *)(void *)base;
  ImpiLaneBodies *bodies = &soft->pass.bodies;
  bodies->velocity = records;
  bodies->displacement = records + lanes;
  bodies->acceleration = records + 2 * lanes;
  bodies->damping = records + 3 * lanes;
  soft->start = records + 4 * lanes;
  return IMP_OK;
}


static void *blocks_of(const ImpiSoft *soft, const Run *run) {
  uintptr_t base = (uintptr_t)soft->memory;
  return soft->memory + (64 - base % 64) % 64 + run->offset;
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies in and out of lanes
// ---------------------------------------------------------------------------------------------------------------------


static void pack_bodies(ImpiSolve *solve, ImpiSoft *soft) {
  ImpiLaneBodies *bodies = &soft->pass.bodies;
  int lanes = padded(bodies->count, IMPI_LANE_PAD);
  ImpVec2 g = solve->settings->gravity;
  double h = (double)soft->pass.h;
  memset(bodies->velocity, 0, (size_t)lanes * 5 * sizeof(ImpiRecord));
  for (int i = 0; i < solve->awake_count; ++i) {
    int32_t slot = solve->awake[i];
    const ImpiBody *body = &solve->bodies[slot];
    int32_t lane = body->lane;
    if (lane == 0) {
      continue;
    }
    const ImpiMotion *m = &solve->motions[slot];
    bodies->velocity[lane] = (ImpiRecord){(float)m->vx, (float)m->vy, (float)m->w, 0};
    bodies->damping[lane] = (ImpiRecord){1, 1, 1, 1};
    if (body->inv_mass > 0) {
      bodies->acceleration[lane] = (ImpiRecord){(float)(body->gravity_scale * g.x + body->inv_mass * body->force.x),
                                                (float)(body->gravity_scale * g.y + body->inv_mass * body->force.y),
                                                (float)(body->inv_inertia * body->torque), 0};
      if (body->locks != 0) { // no speed along the axis, and none comes
        ImpVec2 free = impi_free_part(body, 1, 1);
        bodies->acceleration[lane] *= (ImpiRecord){(float)free.x, (float)free.y, 1, 1};
      }
      float linear = (float)(1 / (1 + h * body->linear_damping)),
            angular = (float)(1 / (1 + h * body->angular_damping));
      bodies->damping[lane] = (ImpiRecord){linear, linear, angular, 1};
    }
  }
  memcpy(soft->start, bodies->velocity, (size_t)lanes * sizeof(ImpiRecord));
}


// A lane as a double motion: what it was when the step began, plus the lane's difference.
static void unpack_lane(const ImpiSolve *solve, int32_t slot, ImpiMotion *out_motion) {
  const ImpiSoft *soft = solve->scratch;
  const ImpiLaneBodies *bodies = &soft->pass.bodies;
  int32_t lane = solve->bodies[slot].lane;
  ImpiRecord v = bodies->velocity[lane], start = soft->start[lane], d = bodies->displacement[lane];
  ImpiMotion m = solve->motions[slot];
  m.vx += (double)v[0] - (double)start[0];
  m.vy += (double)v[1] - (double)start[1];
  m.w += (double)v[2] - (double)start[2];
  m.x += (double)d[0];
  m.y += (double)d[1];
  if (v[3] != 0 && solve->bodies[slot].type != IMP_BODY_PARTICLE) {
    m.angle += (double)v[3];
    ImpRot q = impi_rot(m.angle);
    m.c = q.c;
    m.s = q.s;
  }
  *out_motion = m;
}


// The same without trigonometry, for fields and controllers: what the lanes know of the rotation.
static void sense_lanes(const ImpiSolve *solve, const int32_t *slots, int count, ImpiMotion *out_motions) {
  const ImpiSoft *soft = solve->scratch;
  const ImpiLaneBodies *bodies = &soft->pass.bodies;
  for (int i = 0; i < count; ++i) {
    int32_t lane = solve->bodies[slots[i]].lane;
    if (lane == 0) {
      continue;
    }
    ImpiRecord v = bodies->velocity[lane], start = soft->start[lane], d = bodies->displacement[lane];
    const ImpiMotion *m = &solve->motions[slots[i]];
    double c = 1 + (double)d[2], s = (double)d[3];
    out_motions[i] = (ImpiMotion){
        .x = m->x + (double)d[0],
        .y = m->y + (double)d[1],
        .c = m->c * c - m->s * s,
        .s = m->s * c + m->c * s,
        .vx = m->vx + ((double)v[0] - (double)start[0]),
        .vy = m->vy + ((double)v[1] - (double)start[1]),
        .w = m->w + ((double)v[2] - (double)start[2]),
        .angle = m->angle + (double)v[3],
    };
  }
}


static void unpack_bodies(ImpiSolve *solve) {
  for (int i = 0; i < solve->awake_count; ++i) {
    int32_t slot = solve->awake[i];
    ImpiBody *body = &solve->bodies[slot];
    if (body->lane == 0) {
      continue;
    }
    if (body->inv_mass > 0) {
      unpack_lane(solve, slot, &solve->motions[slot]);
    } else { // kinematic: its motion is known exactly
      impi_body_integrate_position(body, &solve->motions[slot], solve->settings->dt);
    }
    body->lane = 0;
  }
}


static void soft_push(ImpiSolve *solve, int32_t body, double dvx, double dvy, double dw) {
  ImpiSoft *soft = solve->scratch;
  ImpiRecord *v = &soft->pass.bodies.velocity[solve->bodies[body].lane];
  *v = (ImpiRecord){(*v)[0] + (float)dvx, (*v)[1] + (float)dvy, (*v)[2] + (float)dw, (*v)[3]};
}


static void push_lanes(ImpiSolve *solve, const int32_t *slots, int count, const double *dvx, const double *dvy,
                       const double *dw) {
  ImpiRecord *velocity = ((ImpiSoft *)solve->scratch)->pass.bodies.velocity;
  for (int i = 0; i < count; ++i) {
    int32_t lane = solve->bodies[slots[i]].lane;
    if (lane > 0) {
      velocity[lane] += (ImpiRecord){(float)dvx[i], (float)dvy[i], (float)dw[i], 0};
    }
  }
}


// Bodies that no row touches, in double.
static void integrate_free(ImpiSolve *solve, double h, bool velocities) {
  for (int i = 0; i < solve->awake_count; ++i) {
    int32_t slot = solve->awake[i];
    const ImpiBody *body = &solve->bodies[slot];
    if (body->lane > 0) {
      continue;
    }
    if (velocities) {
      impi_body_integrate_velocity(body, &solve->motions[slot], solve->settings->gravity, h);
    } else {
      impi_body_integrate_position(body, &solve->motions[slot], h);
    }
  }
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
  const ImpiSoftKernels *kernels = soft->kernels;
  ImpiSoftPass *pass = &soft->pass;
  int substeps = impi_substeps(&impi_solver_soft, settings);
  int iterations = impi_iterations(&impi_solver_soft, settings);
  double h = settings->dt / substeps;
  double clock = impi_clock(), now;
  set_softness(pass, settings, h);
  pack_bodies(solve, soft);
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
    kernels->integrate_velocities(pass);
    integrate_free(solve, h, true);
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
    kernels->integrate_positions(pass);
    integrate_free(solve, h, false);
    impi_soft_joints_relax(solve, &soft->joints, &pass->bodies, end);
    FOR_RUNS(soft, run) run->kernels->relax(pass, blocks_of(soft, run), run->blocks, run->points, settings->relax);
    FOR_RUNS(soft, run) run->kernels->bounce(pass, blocks_of(soft, run), run->blocks, run->points);
    impi_soft_joints_note_after(&soft->joints, &pass->bodies);
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
  unpack_bodies(solve);
  solve->report.rows = rows + soft->joints.rows;
  solve->report.sweeps = substeps * (iterations + (settings->relax ? 1 : 0));
  solve->report.reason = "iterations";
  solve->stage_time[IMP_STAGE_STORE] = impi_clock() - clock;
}


static void soft_settle(const void *scratch, ImpiJoint *joints, int32_t joint) {
  impi_joint_lanes_settle(&((const ImpiSoft *)scratch)->joints.lanes, joints, joint);
}


static bool soft_keeps(const void *scratch, int32_t joint) {
  return impi_joint_lanes_hold(&((const ImpiSoft *)scratch)->joints.lanes, joint);
}


const ImpiSolver impi_solver_soft = {
    .name = "soft",
    .default_substeps = 4,
    .default_iterations = 2,
    .reserve = soft_reserve,
    .solve = soft_solve,
    .read = unpack_lane,
    .sense = sense_lanes,
    .push = soft_push,
    .push_all = push_lanes,
    .settle = soft_settle,
    .keeps = soft_keeps,
    .create = soft_create,
    .destroy = soft_destroy,
};
