// Joints of a world: their lists, drives, destruction and breaking.
#include "world/calls.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/events.h"
#include "world/joints.h"
#include "world/pairs.h"
#include "world/sleep.h"

#include <stddef.h>
#include <string.h>


ImpStatus impi_joint_room(ImpWorld *world, int bodies, int drives) {
  ImpiHeap *heap = &world->heap;
  ImpStatus status = impi_check_quota(world->max_joints, world->joint_pool.live, "joints", "max_joints");
  if (status == IMP_OK) {
    status = impi_pool_reserve(heap, &world->joint_pool);
  }
  if (status != IMP_OK) {
    return status;
  }
  // Reserve entries for the joint, an event and two commands (ground body, joint).
  bool room = impi_reserve(heap, &world->joints, impi_pool_peek(&world->joint_pool) + 1) &&
              impi_reserve(heap, &world->joint_edges, world->joint_edges.count + bodies) &&
              impi_reserve(heap, &world->drives, world->drives.count + world->queue.commands.count + drives) &&
              impi_reserve(heap, &world->event.events[IMP_EVENT_WARNING], 1) &&
              impi_reserve(heap, &world->queue.commands, world->queue.commands.count + 2);

  world->solve.joints = world->joints.data; // the arrays may have been reallocated
  world->solve.drives = world->drives.data;
  return room ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


static int32_t take_edge(ImpWorld *world) {
  int32_t edge = world->joint.free_edge;
  if (edge >= 0) {
    world->joint.free_edge = world->joint_edges.data[edge].sibling;
    return edge;
  }
  return world->joint_edges.count++;
}


static int32_t take_drive(ImpWorld *world) {
  int32_t slot = world->joint.free_drive;
  if (slot >= 0) {
    world->joint.free_drive = world->drives.data[slot].next;
  } else {
    slot = world->drives.count++;
  }
  world->drives.data[slot] = (ImpiDrive){.set = imp_drive(), .next = -1, .live = true};
  return slot;
}


static void free_drive(ImpWorld *world, ImpiCoordinate *coordinate) {
  if (coordinate->drive >= 0) {
    world->drives.data[coordinate->drive] = (ImpiDrive){.next = world->joint.free_drive};
    world->joint.free_drive = coordinate->drive;
    coordinate->drive = -1;
  }
}


int32_t impi_joint_add(ImpWorld *world, ImpiJoint fresh, const int32_t *bodies, int count) {
  int32_t slot = impi_pool_take(&world->joint_pool);
  if (slot == world->joints.count) {
    world->joints.count = slot + 1;
  }
  fresh.serial = ++world->joint_serial;
  world->joint.may_break = world->joint.may_break || fresh.break_force < HUGE_VAL || fresh.break_torque < HUGE_VAL;
  fresh.least = HUGE_VAL;
  fresh.previous = world->last_joint;
  fresh.next = fresh.first_edge = -1;
  if (world->last_joint >= 0) {
    world->joints.data[world->last_joint].next = slot;
  } else {
    world->first_joint = slot;
  }
  world->last_joint = slot;
  for (int i = count - 1; i >= 0; --i) {
    int32_t index = take_edge(world);
    ImpiBody *body = &world->bodies.data[bodies[i]];
    world->joint_edges.data[index] = (ImpiJointEdge){slot, bodies[i], -1, body->first_joint, fresh.first_edge};
    if (body->first_joint >= 0) {
      world->joint_edges.data[body->first_joint].previous = index;
    }
    body->first_joint = fresh.first_edge = index;
  }
  world->joints.data[slot] = fresh;
  impi_names_add(&world->heap, &world->joint_names, slot, fresh.serial, fresh.name);
  world->joint.called += impi_joint_is_called(&fresh);
  world->lists_dirty = true;
  world->row.valid = false;
  return slot;
}


static void remove_edges(ImpWorld *world, ImpiJoint *joint) {
  ImpiJointEdge *edges = world->joint_edges.data;
  while (joint->first_edge >= 0) {
    int32_t index = joint->first_edge;
    ImpiJointEdge *edge = &edges[index];
    joint->first_edge = edge->sibling;
    *(edge->previous >= 0 ? &edges[edge->previous].next : &world->bodies.data[edge->body].first_joint) = edge->next;
    if (edge->next >= 0) {
      edges[edge->next].previous = edge->previous;
    }
    edge->sibling = world->joint.free_edge;
    world->joint.free_edge = index;
  }
}


// Return the body with fewer contacts. The walk ends with the shorter list.
static int32_t with_fewer_contacts(const ImpWorld *world, int32_t body_a, int32_t body_b) {
  int32_t a = world->bodies.data[body_a].first_edge, b = world->bodies.data[body_b].first_edge;
  while (a >= 0 && b >= 0) {
    a = world->contacts.data[a >> 1].edge[a & 1].next;
    b = world->contacts.data[b >> 1].edge[b & 1].next;
  }
  return a < 0 ? body_a : body_b;
}


// End the contacts between a body and the bodies that its joints forbid it to touch. Sensor contacts remain.
static void end_contacts(ImpWorld *world, int32_t body) {
  for (int32_t edge = world->bodies.data[body].first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    int32_t slot = edge >> 1;
    edge = contact->edge[edge & 1].next;
    if (!(contact->flags & IMPI_CONTACT_SENSOR) && impi_world_joined(world, contact->body_a, contact->body_b)) {
      impi_world_remove_contact(world, slot);
    }
  }
}


void impi_joint_attach(ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  impi_joint_wake(world, slot);
  if (joint->collide || joint->kinds[0] == IMP_COORDINATE_SUM) {
    return;
  }
  int count = impi_joint_body_count(joint);
  for (int i = 0; i < count; ++i) {
    // Bodies that cannot touch each other no longer hide internal edges of each other.
    impi_contacts_expire(world, impi_joint_body(joint, i));
  }
  int32_t most = impi_joint_body(joint, 0);
  for (int i = 1; i < count; ++i) { // of two bodies, visit the contacts of the body with fewer contacts
    int32_t body = impi_joint_body(joint, i), fewer = with_fewer_contacts(world, most, body);
    end_contacts(world, fewer);
    most = fewer == body ? most : body;
  }
}


ImpJoint impi_joint_start(ImpWorld *world, int32_t slot) {
  if (world->stepping) {
    impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_ATTACH_JOINT, .slot = slot});
  } else {
    impi_joint_attach(world, slot);
  }
  return impi_joint_handle(world, slot);
}


// Make the next broad phase search the pairs of all pieces of a body.
static void find_pairs_again(ImpWorld *world, int32_t body) {
  for (int32_t s = world->bodies.data[body].first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && i < shape->geometry.child_count; ++i) {
      impi_broadphase_touch(&world->broadphase, impi_shape_proxy(shape, i));
    }
  }
}


// Return the body with fewer pieces. The loop ends after all shapes of this body.
static int32_t with_fewer_pieces(const ImpWorld *world, int32_t body_a, int32_t body_b) {
  const ImpiShape *shapes = world->shapes.data;
  int32_t a = world->bodies.data[body_a].first_shape, b = world->bodies.data[body_b].first_shape;
  int count_a = 0, count_b = 0;
  for (;;) {
    if (count_a <= count_b) {
      if (a < 0) {
        return body_a;
      }
      count_a += shapes[a].geometry.child_count;
      a = shapes[a].next;
    } else {
      if (b < 0) {
        return body_b;
      }
      count_b += shapes[b].geometry.child_count;
      b = shapes[b].next;
    }
  }
}


// Let the bodies of a joint collide again. The body with fewer pieces searches for pairs.
static void let_meet(ImpWorld *world, const ImpiJoint *joint) {
  int32_t most = impi_joint_body(joint, 0);
  for (int i = 1; i < impi_joint_body_count(joint) && !joint->collide; ++i) {
    int32_t body = impi_joint_body(joint, i), fewer = with_fewer_pieces(world, most, body);
    find_pairs_again(world, fewer);
    most = fewer == body ? most : body;
    // Invalidate stored clearances (free distances), because they were computed without this static body.
    world->broadphase.still_changes += world->bodies.data[most].type == IMP_BODY_STATIC;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Drives
// ---------------------------------------------------------------------------------------------------------------------


// Return whether the solver still stores results of the last step for a joint.
static bool is_kept(const ImpWorld *world, int32_t joint) {
  const ImpiSolver *solver = impi_solver((int)world->solved_by);
  return world->joint.results_kept && solver->holds_results(world->scratch[world->solved_by], joint);
}


// Return whether the solver factorizes the joint together with other joints.
static bool is_clustered(const ImpWorld *world, int32_t joint) {
  const ImpiSolver *solver = impi_solver((int)world->solver);
  return solver->clusters != NULL && solver->clusters(world->scratch[world->solver], joint);
}


// Return the rows of a drive: bit i is row i of ImpiDriveRow.
static unsigned rows_of(const ImpDrive *drive) {
  unsigned rows = 0;
  for (int i = 0; i < IMPI_DRIVE_ROWS; ++i) {
    rows |= (unsigned)impi_drive_makes(drive, (ImpiDriveRow)i) << i;
  }
  return rows;
}


// Called before a drive is set. If only numbers of present rows change, set drives_edited. If rows, locks, rotors or
// SIMD lanes may change, move the solver's results to the joints.
static void note_drive(ImpWorld *world, int32_t slot, int index, const ImpDrive *drive) {
  const ImpiJoint *joint = &world->joints.data[slot];
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  bool lock = drive->on >> IMP_DRIVE_LOCK & 1u, locked = coordinate->locked || lock;
  unsigned rows = rows_of(drive);
  const ImpDrive *present = coordinate->drive >= 0 ? &world->drives.data[coordinate->drive].set : NULL;
  bool is = impi_drive_is_mechanical(drive), was = present != NULL && impi_drive_is_mechanical(present);
  // A change of the rotor may change which joints the solver factorizes together.
  bool other = is != was || (was && drive->armature != present->armature);
  if (!world->joint.results_kept || world->stepping || rows == 0 || locked || other) {
    impi_joints_edited(world);
  } else if (is_kept(world, slot)) {
    bool same = coordinate->drive >= 0 && rows_of(&world->drives.data[coordinate->drive].set) == rows;
    if (same) {
      world->joint.drives_edited = true;
    } else {
      impi_joints_edited(world);
    }
  } else if (impi_joint_drives_in_lanes(joint, index) && impi_drive_suits_lanes(drive)) {
    impi_joints_edited(world);
  }
}


// Clear the impulses of rows that are off, so that the rows start from 0 when they are switched on again.
static void forget_rows_off(ImpiDrive *record) {
  for (int i = 0; i < IMPI_DRIVE_ROWS; ++i) {
    if (!impi_drive_makes(&record->set, (ImpiDriveRow)i)) {
      record->row[i].lambda = record->row[i].total = record->row[i].step_work = record->row[i].bias = 0;
    }
  }
}


// Set the drives of a coordinate. Memory for a drive record must have been reserved.
void impi_joint_finish_set_drive(ImpWorld *world, int32_t joint, int index, const ImpDrive *drive) {
  ImpiCoordinate *coordinate = impi_joint_coordinate(&world->joints.data[joint], index);
  bool lock = drive->on >> IMP_DRIVE_LOCK & 1u;
  unsigned others = drive->on & ~(1u << IMP_DRIVE_LOCK);
  const ImpiBody *bodies = world->bodies.data;
  bool spun = impi_joint_has_rotor(&world->joints.data[joint], world->drives.data, bodies, index);
  note_drive(world, joint, index, drive);
  world->row.valid = false;
  coordinate->locked = lock;
  coordinate->lock = lock ? drive->lock : 0;
  if (!lock) {
    coordinate->result.lambda = coordinate->result.total = coordinate->result.step_work = 0;
  }
  bool empties = !impi_drive_needs_record(drive);
  if (empties && (coordinate->drive < 0 || !world->substep.running)) {
    free_drive(world, coordinate);
    return;
  }
  // The record is freed after the step, because the solver may still have rows of the drive.
  world->joint.drives_emptied = world->joint.drives_emptied || empties;
  if (coordinate->drive < 0) {
    coordinate->drive = take_drive(world);
  }
  ImpiDrive *record = &world->drives.data[coordinate->drive];
  record->set = *drive;
  record->set.on = others;
  forget_rows_off(record);
  if (!spun || !impi_joint_has_rotor(&world->joints.data[joint], world->drives.data, bodies, index)) {
    impi_drive_drop_rotor(record);
    impi_start_rotor(world, joint, index);
  }
}


bool impi_reserve_first_drives(ImpWorld *world) {
  int count = 0;
  for (int i = 0; i < world->joint.awake.count; ++i) {
    const ImpiJoint *joint = &world->joints.data[world->joint.awake.data[i]];
    for (int k = 0; k < joint->count; ++k) {
      count += impi_joint_coordinate_const(joint, k)->drive < 0;
    }
  }
  return impi_reserve(&world->heap, &world->drives, world->drives.count + world->queue.commands.count + count);
}


void impi_free_emptied_drives(ImpWorld *world) {
  for (int32_t slot = world->joint.drives_emptied ? world->first_joint : -1; slot >= 0;
       slot = world->joints.data[slot].next) {
    ImpiJoint *joint = &world->joints.data[slot];
    for (int i = 0; i < impi_joint_capacity(joint); ++i) {
      ImpiCoordinate *coordinate = impi_joint_coordinate(joint, i);
      if (coordinate->drive >= 0 && !impi_drive_needs_record(&world->drives.data[coordinate->drive].set)) {
        free_drive(world, coordinate);
      }
    }
  }
  world->joint.drives_emptied = false;
}


bool impi_joint_is_asleep(const ImpWorld *world, const ImpiJoint *joint) {
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    const ImpiBody *body = &world->bodies.data[impi_joint_body(joint, i)];
    if (impi_is_dynamic(body) && body->enabled && !body->awake) {
      return true;
    }
  }
  return false;
}


// Return whether two drives are equal. The lock's value is compared only if a lock is on.
static bool is_same(const ImpDrive *one, const ImpDrive *other) {
  size_t from = offsetof(ImpDrive, lower), size = sizeof *one - from; // the rest of the struct: numbers without padding
  bool lock = one->on >> IMP_DRIVE_LOCK & 1u;
  return one->on == other->on && (!lock || one->lock == other->lock) &&
         memcmp((const char *)one + from, (const char *)other + from, size) == 0;
}


// Return whether a new drive takes the joint out of the SIMD lanes.
static bool leaves_lanes(const ImpWorld *world, const ImpiJoint *joint, int index, const ImpDrive *drive) {
  return world->solver == IMP_SOLVER_SOFT && impi_joint_drives_in_lanes(joint, index) &&
         joint->inline_coordinates[index].drive >= 0 &&
         impi_drive_suits_lanes(&world->drives.data[joint->inline_coordinates[index].drive].set) &&
         !impi_drive_suits_lanes(drive);
}


// How a change affects the drives of a coordinate.
typedef struct Turn {
  bool first, last; // the coordinate gets its first drive; the coordinate loses its last drive
  bool locks;       // the change locks or unlocks the coordinate
  bool leaves;      // the joint leaves the SIMD lanes of the soft solver
  // a rotor is added together with the first drive, removed together with the last drive, or added to a clustered joint
  bool spins;
} Turn;


static Turn turn_of(const ImpWorld *world, const ImpiJoint *joint, int index, const ImpDrive *drive) {
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  const ImpDrive *present = coordinate->drive >= 0 ? &world->drives.data[coordinate->drive].set : NULL;
  bool has = present != NULL && impi_drive_needs_record(present), drives = impi_drive_needs_record(drive);
  bool lock = drive->on >> IMP_DRIVE_LOCK & 1u, leaves = leaves_lanes(world, joint, index, drive);
  const ImpiBody *bodies = world->bodies.data;
  bool spun = present != NULL && impi_joint_feels(joint, bodies, index, present->armature);
  bool spins = impi_joint_feels(joint, bodies, index, drive->armature);
  bool planned = spins && !spun && world->substep.running && is_clustered(world, (int32_t)(joint - world->joints.data));
  return (Turn){.first = drives && !has,
                .last = has && !drives,
                .locks = lock != coordinate->locked,
                .leaves = leaves,
                .spins = spins != spun && (drives != has || planned)};
}


// Return whether a change of drives must wait for the end of the step, for example because the change locks or unlocks
// the coordinate, or because the joint is asleep.
static bool must_wait(const ImpWorld *world, int32_t slot, int index, const ImpDrive *drive, const Turn *turn) {
  const ImpiJoint *joint = &world->joints.data[slot];
  bool locked = impi_joint_coordinate_const(joint, index)->locked;
  if (!world->stepping) {
    return false;
  }
  bool comes = world->substep.running && !world->solve.rows_fixed && !locked, goes = world->substep.running && !locked;
  if (turn->locks || turn->spins || (turn->first && !comes) || (turn->last && !goes) ||
      (turn->leaves && !world->substep.running) || impi_queued_drive(world, slot, index) != NULL) {
    return true;
  }
  ImpDrive present = impi_drive_of(world, joint, index);
  return impi_joint_is_asleep(world, joint) && !is_same(&present, drive);
}


// Return the rows that the present drives of a coordinate make: bit i is row i of ImpiDriveRow.
static unsigned present_rows(const ImpWorld *world, const ImpiJoint *joint, int index) {
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  return coordinate->drive >= 0 ? rows_of(&world->drives.data[coordinate->drive].set) : 0;
}


ImpStatus impi_coordinate_set_drive(ImpWorld *world, ImpCoordinate handle, const ImpDrive *drive) {
  IMPI_FIND_JOINT(world, handle.joint, slot);
  ImpiJoint *joint = &world->joints.data[slot];
  const char *name;
  ImpStatus status = impi_coordinate_name(joint, handle.index, &name);
  if (status == IMP_OK && joint->kind == IMP_JOINT_CONSTRAINT && joint->kinds[0] == IMP_COORDINATE_USER) {
    status =
        impi_fail(IMP_ERR_ARGUMENT, "a constraint given by rows takes no drives: each row has its own bounds and bias");
  }
  if (status == IMP_OK) {
    status = impi_check_drive(drive, joint->name, name);
  }
  if (status != IMP_OK) {
    return status;
  }
  // Each queued change may need a drive record, too.
  if (!impi_reserve(&world->heap, &world->drives, world->drives.count + world->queue.commands.count + 1)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->solve.drives = world->drives.data;
  joint = &world->joints.data[slot];
  Turn turn = turn_of(world, joint, handle.index, drive);
  if (must_wait(world, slot, handle.index, drive, &turn)) {
    return impi_queue(
        world, (ImpiCommand){.kind = IMPI_COMMAND_SET_DRIVE, .slot = slot, .property = handle.index, .drive = *drive});
  }
  ImpDrive present = impi_drive_of(world, joint, handle.index);
  bool changes = world->stepping ? turn.first || turn.last : !is_same(&present, drive);
  world->solve.rows_changed |=
      present_rows(world, joint, handle.index) != rows_of(drive) || present.armature != drive->armature;
  impi_joint_finish_set_drive(world, slot, handle.index, drive);
  world->solve.drives_changed = true;
  if (changes) { // setting the same value again wakes no body
    impi_joint_wake(world, slot);
  }
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Destruction and breaking
// ---------------------------------------------------------------------------------------------------------------------


// Move a name to the list of names that events may refer to. When out of memory, free the name and return null.
static const char *keep_name(ImpWorld *world, char *name) {
  int list = world->stepping ? 0 : 1;
  if (name != NULL &&
      impi_reserve(&world->heap, &world->event.old_names[list], world->event.old_names[list].count + 1)) {
    world->event.old_names[list].data[world->event.old_names[list].count++] = name;
    return name;
  }
  impi_free_string(&world->heap, name);
  return NULL;
}


static bool couples(const ImpiJoint *sum, int32_t joint) {
  return sum->custom != NULL && sum->kinds[0] == IMP_COORDINATE_SUM &&
         (sum->custom->term[0].joint == joint || sum->custom->term[1].joint == joint);
}


// Compare the joint lists of the joint's first and last body, and return the oldest entry of the shorter list. From
// this entry, ImpiJointEdge.previous leads to all gears that couple the joint.
static int32_t oldest_edge(const ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  const ImpiJointEdge *edges = world->joint_edges.data;
  int32_t a = world->bodies.data[impi_joint_body(joint, 0)].first_joint;
  int32_t b = world->bodies.data[impi_joint_body(joint, impi_joint_body_count(joint) - 1)].first_joint;
  // Walk both lists in parallel until one list ends, because the other list may have thousands of joints.
  while (edges[a].next >= 0 && edges[b].next >= 0) {
    a = edges[a].next;
    b = edges[b].next;
  }
  return edges[a].next < 0 ? a : b;
}


void impi_joint_mark_destroy(ImpWorld *world, int32_t slot) {
  const ImpiSlot *slots = world->joint_pool.slots.data;
  if (slots[slot].next_free == IMPI_SLOT_LIVE) {
    impi_pool_mark_destroy(&world->joint_pool, slot);
  }
  const ImpiJointEdge *edges = world->joint_edges.data;
  for (int32_t edge = world->joints.data[slot].dependents > 0 ? oldest_edge(world, slot) : -1; edge >= 0;) {
    int32_t other = edges[edge].joint;
    edge = edges[edge].previous;
    if (couples(&world->joints.data[other], slot) && slots[other].next_free == IMPI_SLOT_LIVE) {
      impi_pool_mark_destroy(&world->joint_pool, other);
    }
  }
}


// Destroy the gears that couple a coordinate of the joint.
static void destroy_dependents(ImpWorld *world, int32_t slot) {
  const ImpiJointEdge *edges = world->joint_edges.data;
  for (int32_t edge = world->joints.data[slot].dependents > 0 ? oldest_edge(world, slot) : -1; edge >= 0;) {
    int32_t other = edges[edge].joint;
    edge = edges[edge].previous;
    if (couples(&world->joints.data[other], slot)) {
      impi_joint_finish_destroy(world, other, true); // a gear has no dependents, so the recursion has depth 1
    }
  }
}


void impi_joint_finish_destroy(ImpWorld *world, int32_t slot, bool report) {
  impi_joints_edited(world);
  destroy_dependents(world, slot);
  ImpiJoint *joint = &world->joints.data[slot];
  impi_joint_wake(world, slot);
  let_meet(world, joint);
  remove_edges(world, joint);
  for (int i = 0; i < impi_joint_capacity(joint); ++i) {
    free_drive(world, impi_joint_coordinate(joint, i));
  }
  if (joint->kinds[0] == IMP_COORDINATE_SUM) {
    for (int term = 0; term < 2; ++term) {
      world->joints.data[joint->custom->term[term].joint].dependents--;
    }
  }
  world->joint.called -= impi_joint_is_called(joint);
  impi_names_remove(&world->joint_names, slot);
  *(joint->previous >= 0 ? &world->joints.data[joint->previous].next : &world->first_joint) = joint->next;
  *(joint->next >= 0 ? &world->joints.data[joint->next].previous : &world->last_joint) = joint->previous;
  if (report) {
    char *name = NULL;
    (void)impi_copy_string(&world->heap, joint->name, &name);
    impi_note_destroyed(world, IMP_OBJECT_JOINT, impi_pool_id(&world->joint_pool, slot, world->tag), joint->serial,
                        name);
    ImpEvent event = {.joint = impi_joint_handle(world, slot), .id_a = joint->serial};
    event.text = keep_name(world, joint->name);
    impi_event_add(world, IMP_EVENT_JOINT_DESTROYED, event);
  } else {
    impi_free_string(&world->heap, joint->name);
  }
  joint->name = NULL;
  impi_custom_free(&world->heap, joint->custom);
  joint->custom = NULL;
  impi_pool_release(&world->joint_pool, slot);
  world->lists_dirty = true;
  world->row.valid = false;
}


ImpStatus impi_joint_destroy(ImpWorld *world, ImpJoint handle) {
  IMPI_FIND_JOINT(world, handle, slot);
  if (world->stepping) {
    ImpStatus status = impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_DESTROY_JOINT, .slot = slot});
    if (status == IMP_OK) {
      impi_joint_mark_destroy(world, slot);
    }
    return status;
  }
  impi_joint_finish_destroy(world, slot, false);
  return IMP_OK;
}


void impi_body_drop_joints(ImpWorld *world, int32_t body) {
  while (world->bodies.data[body].first_joint >= 0) {
    impi_joint_finish_destroy(world, world->joint_edges.data[world->bodies.data[body].first_joint].joint, true);
  }
}


void impi_joint_finish_break(ImpWorld *world, int32_t slot) {
  ImpiJoint *joint = &world->joints.data[slot];
  if (joint->broken) {
    return;
  }
  impi_joints_edited(world);
  ImpiLoad load = impi_joint_load(world, slot);
  joint->broken = true;
  impi_joint_wake(world, slot);
  let_meet(world, joint);
  impi_event_add(
      world, IMP_EVENT_JOINT_BREAK,
      (ImpEvent){
          .joint = impi_joint_handle(world, slot), .id_a = joint->serial, .force = load.force, .torque = load.torque});
  world->lists_dirty = true;
  world->row.valid = false;
}


ImpStatus impi_joint_break(ImpWorld *world, ImpJoint handle, bool of_last_step) {
  IMPI_FIND_JOINT(world, handle, slot);
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_BREAK_JOINT, .slot = slot});
  }
  ImpiEventList *pending = &world->event.pending[IMP_EVENT_JOINT_BREAK],
                *last = &world->event.events[IMP_EVENT_JOINT_BREAK];
  int waiting = pending->count;
  impi_joint_finish_break(world, slot);
  if (of_last_step && pending->count > waiting && impi_reserve(&world->heap, last, last->count + 1)) {
    ImpEvent event = pending->data[--pending->count];
    int at = last->count++; // insert in sorted order: usually last, as most joints break in the order of creation
    for (; at > 0 && impi_event_goes_before(&event, &last->data[at - 1]); --at) {
      last->data[at] = last->data[at - 1];
    }
    last->data[at] = event;
  }
  return IMP_OK;
}


ImpStatus impi_joint_set(ImpWorld *world, ImpJoint handle, ImpJointProperty property, double value) {
  IMPI_FIND_JOINT(world, handle, slot);
  ImpiJoint *joint = &world->joints.data[slot];
  ImpStatus status = impi_check_property(imp_joint_property((int)property), value, "joint");
  if (status != IMP_OK) {
    return status;
  }
  ImpDrive drive;
  double *number;
  switch (property) {
  case IMP_JOINT_BREAK_FORCE:
    joint->break_force = value;
    world->joint.may_break = true;
    return IMP_OK;
  case IMP_JOINT_BREAK_TORQUE:
    joint->break_torque = value;
    world->joint.may_break = true;
    return IMP_OK;
  default:
    status = impi_joint_find_setting(world, joint, property, &drive, &number);
    if (status == IMP_OK) {
      *number = value;
      status = impi_coordinate_set_drive(world, (ImpCoordinate){handle, impi_joint_driven_coordinate(joint, property)},
                                         &drive);
    }
    return status;
  }
}


ImpStatus impi_joint_set_target(ImpWorld *world, ImpJoint handle, ImpVec2 target) {
  IMPI_FIND_JOINT(world, handle, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  if (!(impi_kind(joint->kind)->options & IMP_TAKES_TARGET)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a %s has no target point (only pose and drag joints have one)",
                     impi_kind(joint->kind)->name);
  }
  if (!(fabs(target.x) <= IMPI_MAX_COORDINATE && fabs(target.y) <= IMPI_MAX_COORDINATE)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a target must be two finite numbers up to %g m, got (%g, %g)",
                     IMPI_MAX_COORDINATE, target.x, target.y);
  }
  for (int i = 0; i < 2; ++i) {
    ImpDrive drive = impi_drive_of(world, &world->joints.data[slot], i);
    *(joint->kind == IMP_JOINT_DRAG ? &drive.rest : &drive.target) = i == 0 ? target.x : target.y;
    ImpStatus status = impi_coordinate_set_drive(world, (ImpCoordinate){handle, i}, &drive);
    if (status != IMP_OK) {
      return status;
    }
  }
  return IMP_OK;
}
