// Multithreaded passes over the joints in lanes. Runs are processed one after another. The blocks of a run can be
// processed in parallel, because they share no body that impulses move. Only the blocks of a ground colour are
// processed one after another, because they write shared bodies. In all other runs only the last block writes body
// lane 0, because only this block has empty lanes.
#include "model/colour.h"
#include "solvers/soft/soft_joint_lanes.h"

// Smallest number of blocks for which a second thread is used.
#define GRAIN 24

// Largest number of loops in one call of impi_parallel_phases.
#define LOOPS 32

typedef struct Loop {
  const ImpiJointLanes *lanes;
  ImpiJointPassFn pass;
  int first, count; // runs
} Loop;


static void run_blocks(const Loop *loop, const ImpiJointRun *run, int first, int count) {
  const ImpiJointLanes *lanes = loop->lanes;
  ImpiJointPass pass = lanes->pass;
  pass.ground = run->colour >= IMPI_FIRST_GROUND_COLOUR;
  pass.kept = impi_joint_kept(lanes, run);
  loop->pass(&pass, &lanes->forms[run->form], impi_joint_blocks(lanes, run), first, count);
}


static void run_part(void *context, int first, int count, int worker) {
  (void)worker;
  const Loop *loop = context;
  run_blocks(loop, &loop->lanes->runs.data[loop->first], first, count);
}


static void run_whole(void *context, int first, int count, int worker) {
  (void)first;
  (void)count;
  (void)worker;
  const Loop *loop = context;
  for (int i = loop->first; i < loop->first + loop->count; ++i) {
    run_blocks(loop, &loop->lanes->runs.data[i], 0, loop->lanes->runs.data[i].blocks);
  }
}


static bool is_cut(const ImpiJointLanes *lanes, const ImpiJointRun *run) {
  return lanes->team->threads > 1 && run->blocks >= 2 * GRAIN && run->colour < IMPI_FIRST_GROUND_COLOUR;
}


void impi_joint_lanes_run(const ImpiJointLanes *lanes, ImpiJointPassFn pass) {
  Loop loops[LOOPS];
  ImpiPhase phases[LOOPS];
  int count = 0;
  for (int i = 0; i < lanes->runs.count;) {
    const ImpiJointRun *run = &lanes->runs.data[i];
    bool cut = is_cut(lanes, run);
    int first = i++;
    while (!cut && i < lanes->runs.count && !is_cut(lanes, &lanes->runs.data[i])) {
      ++i;
    }
    loops[count] = (Loop){lanes, pass, first, i - first};
    phases[count] = (ImpiPhase){cut ? run_part : run_whole, &loops[count], cut ? run->blocks : 1, cut ? GRAIN : 1};
    if (++count == LOOPS || i == lanes->runs.count) {
      impi_parallel_phases(lanes->team, phases, count);
      count = 0;
    }
  }
}


void impi_joint_lanes_warm_start(ImpiJointLanes *lanes) {
  const ImpiJointKernels *kernels = lanes->kernels;
  ImpiJointPassFn warm_start = lanes->pass.gain != NULL ? kernels->warm_start_fine : kernels->warm_start;
  impi_joint_lanes_run(lanes, lanes->pass.warm ? warm_start : kernels->forget);
}


void impi_joint_lanes_solve(ImpiJointLanes *lanes) {
  impi_joint_lanes_run(lanes, lanes->pass.gain != NULL ? lanes->kernels->solve_fine : lanes->kernels->solve);
}


void impi_joint_lanes_relax(ImpiJointLanes *lanes, bool last) {
  lanes->pass.last = last;
  impi_joint_lanes_run(lanes, lanes->pass.gain != NULL ? lanes->kernels->relax_fine : lanes->kernels->relax);
}


void impi_joint_lanes_share(ImpiJointLanes *lanes) {
  if (lanes->driven) {
    impi_joint_lanes_run(lanes, lanes->kernels->share);
  }
}


// This function uses one thread, because the sum depends on the order of summation.
double impi_joint_lanes_finish(ImpiJointLanes *lanes) {
  double sums[IMPI_JOINT_SUMS] = {0}, sum = 0;
  for (int r = 0; r < lanes->runs.count; ++r) {
    ImpiJointRun *run = &lanes->runs.data[r];
    const ImpiJointForm *form = &lanes->forms[run->form];
    lanes->pass.kept = impi_joint_kept(lanes, run);
    run->needs_recheck =
        lanes->kernels->finish(&lanes->pass, form, impi_joint_blocks(lanes, run), 0, run->blocks, sums);
  }
  for (int i = 0; i < IMPI_JOINT_SUMS; ++i) {
    sum += sums[i];
  }
  return sum;
}
