// The step's last look at joints: which are open, which have closed again.
//
// A joint is open where its bodies are farther from what it allows than IMPI_OPEN_PART of its size, or where that error
// has grown by IMPI_OPEN_DRIFT of it while the solver said that its rows are solved: velocities that agree with every row
// may still take the bodies off it. Each opening makes one warning. The error is measured in double at the poses where the
// step ended, of all joints that act; the default solver measures in its lanes and names those in doubt.
#include <string.h>

#include "base/constants.h"
#include "step/step.h"
#include "world/events.h"


// Whether whoever reads the residual of the step is told that the rows are solved.
static bool reads_solved(const ImpiSolverReport *report) {
  static const char *const unsolved[] = {"iterations", "stalled"};
  bool solved = report->reason != NULL;
  for (int i = 0; i < IMPI_COUNT(unsolved); ++i) {
    solved = solved && strcmp(report->reason, unsolved[i]) != 0;
  }
  return solved;
}


// Not one that was broken or destroyed in the step, nor one of a body that a fault took out.
static bool acts(const ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  bool acts = world->joint_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE && !joint->broken;
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    acts = acts && world->bodies.data[impi_joint_body(joint, i)].enabled;
  }
  return acts;
}


// Without memory the list is made anew in the next step.
static void list_gaping(ImpWorld *world, int32_t slot) {
  world->joint.opening.listed = world->joint.opening.listed && impi_reserve(&world->heap, &world->joint.opening.list,
                                                                            world->joint.opening.list.count + 1);
  if (world->joint.opening.listed) {
    world->joint.opening.list.data[world->joint.opening.list.count++] = slot;
  }
}


// A lock that the solver dropped, or could not correct, is named when its error grows: most that are redundant stay
// satisfied by the others.
static void look_at_lock(ImpWorld *world, int32_t slot, double gap, double size, bool opens) {
  ImpiJoint *joint = &world->joints.data[slot];
  bool lost = impi_solver((int)world->solver)->ranks && (joint->dropped != 0 || joint->contradicts);
  if (joint->unheld > 0) {
    joint->unheld = gap > IMPI_HELD_PART * size ? gap / size : 0;
  } else if (lost && gap > IMPI_UNHELD_PART * size) {
    joint->unheld = gap / size;
    if (!opens) { // one warning says enough
      impi_event_add(world, IMP_EVENT_WARNING,
                     (ImpEvent){.joint = impi_joint_handle(world, slot),
                                .id_a = joint->serial,
                                .length = gap,
                                .text = "a lock is not held: it contradicts others or nearly follows from them"});
    }
  }
}


static void look_at(ImpWorld *world, int32_t slot, bool solved) {
  ImpiJoint *joint = &world->joints.data[slot];
  if (!acts(world, slot) || !impi_sample_reserve(&world->heap, &world->joint.samples, joint)) {
    return;
  }
  ImpiPoses poses = {world->bodies.data, world->motions.data, NULL};
  ImpiSamples samples = impi_sample_room(&world->joint.samples, joint);
  impi_joint_sample(world->joints.data, joint, &poses, impi_time_after(world), HUGE_VAL, samples);
  double size = impi_joint_size(joint, world->bodies.data);
  double gap = impi_joint_gap(joint, world->drives.data, &samples, size);
  joint->least = solved ? impi_min(gap, joint->least) : gap;
  bool wide = gap > IMPI_OPEN_PART * size, drifts = gap > joint->least + IMPI_OPEN_DRIFT * size;
  look_at_lock(world, slot, gap, size, !joint->open && (wide || drifts));
  if (joint->open) {
    joint->open = !(gap < IMPI_CLOSED_PART * size);
  } else if (wide || drifts) {
    joint->open = true;
    list_gaping(world, slot);
    impi_event_add(world, IMP_EVENT_WARNING,
                   (ImpEvent){.joint = impi_joint_handle(world, slot),
                              .id_a = joint->serial,
                              .length = gap,
                              .text = wide ? "a joint is open" : "a joint opens although its rows are solved"});
  }
}


// Of a solver that names only joints in doubt: what the continuous stage moved behind its back.
static void look_at_joints_of(ImpWorld *world, int32_t body) {
  const ImpiJointEdge *edges = world->joint_edges.data;
  for (int32_t e = world->bodies.data[body].first_joint; e >= 0; e = edges[e].next) {
    if (world->joints.data[edges[e].joint].serial <= world->step_joints) {
      look_at(world, edges[e].joint, false);
    }
  }
}


// Open joints may have closed, which no solver says, or be no more. Those that sleep stay as they are.
static void look_at_gaping(ImpWorld *world, bool solved) {
  if (!world->joint.opening.listed) {
    world->joint.opening.list.count = 0;
    world->joint.opening.listed = true;
    for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
      if (world->joints.data[slot].open) {
        list_gaping(world, slot);
      }
    }
  }
  int kept = 0;
  for (int i = 0; i < world->joint.opening.list.count; ++i) {
    int32_t slot = world->joint.opening.list.data[i];
    const ImpiJoint *joint = &world->joints.data[slot];
    bool live = world->joint_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE && joint->open;
    if (live && impi_joint_holds_awake(world, joint)) {
      look_at(world, slot, solved);
    }
    if (live && joint->open) {
      world->joint.opening.list.data[kept++] = slot;
    }
  }
  world->joint.opening.list.count = kept;
}


void impi_report_open_joints(ImpWorld *world) {
  const ImpiSolver *solver = impi_solver((int)world->solver);
  bool solved = reads_solved(&world->solve.report), names = solver->doubt != NULL;
  const int32_t *list = names ? world->joint.opening.doubted.data : world->joint.awake.data;
  int count = world->joint.awake.count;
  look_at_gaping(world, solved);
  if (names && count > 0) {
    count = solver->doubt(world->scratch[world->solver], world->joint.opening.doubted.data);
  }
  for (int i = 0; i < count; ++i) {
    if (!world->joints.data[list[i]].open) {
      look_at(world, list[i], solved);
    }
  }
  for (int i = 0; i < world->joint.opening.bent.count && names; ++i) {
    look_at_joints_of(world, world->joint.opening.bent.data[i]);
  }
  world->joint.opening.bent.count = 0;
}
