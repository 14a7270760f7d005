// Finds joints that have opened or have closed again, and warns of each opening.
// A joint is open if its error exceeds IMPI_OPEN_PART of its size. It is also open if the error has grown by
// IMPI_OPEN_DRIFT of the size while the solver reported solved rows.
#include <string.h>

#include "base/constants.h"
#include "step/step.h"
#include "world/events.h"


// Return true if the solver's report says that the rows are solved.
static bool reads_solved(const ImpiSolverReport *report) {
  static const char *const unsolved[] = {"iterations", "stalled"};
  bool solved = report->reason != NULL;
  for (int i = 0; i < IMPI_COUNT(unsolved); ++i) {
    solved = solved && strcmp(report->reason, unsolved[i]) != 0;
  }
  return solved;
}


// Return false if the joint is broken or destroyed, or has a disabled body.
static bool acts(const ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  bool acts = world->joint_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE && !joint->broken;
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    acts = acts && world->bodies.data[impi_joint_body(joint, i)].enabled;
  }
  return acts;
}


// Add a joint to the list of open joints. If memory runs out, the list is rebuilt in the next step.
static void list_gaping(ImpWorld *world, int32_t slot) {
  world->joint.opening.listed = world->joint.opening.listed && impi_reserve(&world->heap, &world->joint.opening.list,
                                                                            world->joint.opening.list.count + 1);
  if (world->joint.opening.listed) {
    world->joint.opening.list.data[world->joint.opening.list.count++] = slot;
  }
}


// Warn of a joint whose error grows because a lock is not solved.
static void look_at_lock(ImpWorld *world, int32_t slot, double gap, double size, bool opens) {
  ImpiJoint *joint = &world->joints.data[slot];
  bool lost = impi_solver((int)world->solver)->ranks && (joint->dropped != 0 || joint->contradicts);
  if (joint->unheld > 0) {
    joint->unheld = gap > IMPI_HELD_PART * size ? gap / size : 0;
  } else if (lost && gap > IMPI_UNHELD_PART * size) {
    joint->unheld = gap / size;
    if (!opens) { // look_at warns of a joint that opens
      impi_event_add(
          world, IMP_EVENT_WARNING,
          (ImpEvent){.joint = impi_joint_handle(world, slot),
                     .id_a = joint->serial,
                     .length = gap,
                     .text =
                         "a lock is not held: it contradicts other locks or is nearly a linear combination of them"});
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
    impi_event_add(
        world, IMP_EVENT_WARNING,
        (ImpEvent){.joint = impi_joint_handle(world, slot),
                   .id_a = joint->serial,
                   .length = gap,
                   .text = wide ? "a joint is open: its error exceeds a twentieth of the joint's size"
                                : "a joint is opening: its error grows, although the solver satisfies its rows"});
  }
}


// Check the joints of a body that the continuous stage moved.
static void look_at_joints_of(ImpWorld *world, int32_t body) {
  const ImpiJointEdge *edges = world->joint_edges.data;
  for (int32_t e = world->bodies.data[body].first_joint; e >= 0; e = edges[e].next) {
    if (world->joints.data[edges[e].joint].serial <= world->step_joints) {
      look_at(world, edges[e].joint, false);
    }
  }
}


// Remove closed and destroyed joints from the list of open joints. Joints between sleeping bodies are not checked.
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
  bool solved = reads_solved(&world->solve.report), names = solver->open_candidates != NULL;
  const int32_t *list = names ? world->joint.opening.open_candidates.data : world->joint.awake.data;
  int count = world->joint.awake.count;
  look_at_gaping(world, solved);
  if (names && count > 0) {
    count = solver->open_candidates(world->scratch[world->solver], world->joint.opening.open_candidates.data);
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
