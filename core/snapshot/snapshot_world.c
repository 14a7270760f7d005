// The state of a world as a whole.
#include "snapshot/snapshot.h"

#include "base/layout_lines.h"

#include <string.h>

#define STRUCT ImpiSlot
static const ImpiField slot_fields[] = {PLAIN(generation), HOOK(highest, NULL), PLAIN(next_free)};
static const ImpiLayout slot_layout = IMPI_LAYOUT(STRUCT, slot_fields, NULL);
#undef STRUCT

// Write, read or free the slots in use. The slots from `used` on are not state: a restore keeps their generations.
static bool archive_slots(ImpiArchive *archive, void *object) {
  ImpiPool *pool = object;
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_array_free(archive->heap, &pool->slots);
    return true;
  }
  int32_t used = pool->used < pool->slots.count ? pool->used : pool->slots.count;
  uint64_t count = used > 0 ? (uint64_t)used : 0;
  if (!impi_archive_number(archive, &count)) {
    return false;
  }
  if (archive->mode == IMPI_ARCHIVE_READ) {
    if (pool->used < 0 || count != (uint64_t)pool->used || !impi_archive_holds(archive, &slot_layout, pool->used)) {
      return impi_archive_refuse(archive);
    }
    if (!impi_reserve(archive->heap, &pool->slots, pool->used)) {
      return impi_archive_no_memory(archive);
    }
    pool->slots.count = pool->used;
    if (pool->used > 0) {
      memset(pool->slots.data, 0, (size_t)pool->used * sizeof *pool->slots.data);
    }
  }
  if (!impi_archive_many(archive, &slot_layout, pool->slots.data, (int)count)) {
    return false;
  }
  for (int32_t i = 0; i < pool->used && archive->mode == IMPI_ARCHIVE_READ; ++i) {
    ImpiSlot *s = &pool->slots.data[i];
    s->highest = s->next_free >= -1 && s->generation > 0 ? s->generation - 1 : s->generation;
  }
  return true;
}


#define STRUCT ImpiPool
static const ImpiField pool_fields[] = {WALK("slots", slots, &slot_layout, archive_slots), PLAIN(used, ASIDE),
                                        PLAIN(free_head, LAST, SHOWN("")), PLAIN(live, ASIDE)};
static const ImpiLayout pool_layout = IMPI_LAYOUT(STRUCT, pool_fields, NULL);
#undef STRUCT


// ---------------------------------------------------------------------------------------------------------------------
// Pending events
// ---------------------------------------------------------------------------------------------------------------------


static void retag(uint64_t *id, uint32_t tag) {
  uint64_t key = *id << 16 >> 16;
  *id = key != 0 ? (key | (uint64_t)tag << 48) : 0;
}


// Write or read the text of an event. The list event.old_names owns a text that is read.
static bool archive_text(ImpiArchive *archive, ImpEvent *event) {
  char *text = (char *)(uintptr_t)event->text;
  if (!impi_archive_string(archive, &text)) {
    return false;
  }
  if (archive->mode == IMPI_ARCHIVE_READ && text != NULL) {
    ImpWorld *world = archive->owner;
    if (!impi_reserve(archive->heap, &world->event.old_names[1], world->event.old_names[1].count + 1)) {
      impi_free_string(archive->heap, text);
      return impi_archive_no_memory(archive);
    }
    world->event.old_names[1].data[world->event.old_names[1].count++] = text;
    event->text = text;
  }
  return true;
}


static bool archive_event(ImpiArchive *archive, void *object) {
  ImpEvent *event = object;
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    return true; // old_names owns the text
  }
  if (archive->mode == IMPI_ARCHIVE_READ) {
    uint32_t tag = ((const ImpWorld *)archive->owner)->tag;
    retag(&event->joint.id, tag);
    retag(&event->body_a.id, tag);
    retag(&event->body_b.id, tag);
    retag(&event->shape_a.id, tag);
    retag(&event->shape_b.id, tag);
  }
  return archive_text(archive, event);
}


#define STRUCT ImpEvent
static const ImpiField event_fields[] = {
    PLAIN(joint),       PLAIN(body_a),    PLAIN(body_b),     PLAIN(shape_a),    PLAIN(shape_b),
    PLAIN(id_a),        PLAIN(id_b),      PLAIN(point),      PLAIN(normal),     ANY_VALUE(speed),
    ANY_VALUE(impulse), ANY_VALUE(force), ANY_VALUE(torque), ANY_VALUE(length), HOOK(text, NULL),
};
static const ImpiLayout event_layout = IMPI_LAYOUT(STRUCT, event_fields, archive_event);
#undef STRUCT


// ---------------------------------------------------------------------------------------------------------------------
// The world
// ---------------------------------------------------------------------------------------------------------------------


static void free_names(ImpiArchive *archive, ImpWorld *world) {
  for (int list = 0; list < IMPI_COUNT(world->event.old_names); ++list) {
    for (int i = 0; i < world->event.old_names[list].count; ++i) {
      impi_free_string(archive->heap, world->event.old_names[list].data[i]);
    }
    impi_array_free(archive->heap, &world->event.old_names[list]);
  }
}


// Poses at the beginning of the last step, from which imp_world_rows computes contact rows.
#define STRUCT ImpiMotion
static const ImpiField start_fields[] = {
    PLAIN(x), PLAIN(y), TURN(COSINE, c, angle), TURN(SINE, s, angle), KEPT(vx), KEPT(vy), KEPT(w), PLAIN(angle)};
static const ImpiLayout start_layout = IMPI_LAYOUT(STRUCT, start_fields, NULL);
#undef STRUCT

// The poses are in the order of `awake`.
static bool archive_backup(ImpiArchive *archive, void *object) {
  ImpWorld *world = object;
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    impi_array_free(archive->heap, &world->backup);
    return true;
  }
  bool reads = archive->mode == IMPI_ARCHIVE_READ;
  int32_t awake = world->awake.count;
  uint64_t count = (uint64_t)(awake <= world->backup.capacity ? awake : 0);
  if (!impi_archive_number(archive, &count)) {
    return false;
  }
  if (reads && (count > (uint64_t)awake || !impi_archive_holds(archive, &start_layout, (int64_t)count))) {
    return impi_archive_refuse(archive);
  }
  if (reads && !impi_reserve(archive->heap, &world->backup, awake)) {
    return impi_archive_no_memory(archive);
  }
  for (int i = 0; i < awake && reads; ++i) {
    world->backup.data[i] = (ImpiMotion){.c = 1};
  }
  return impi_archive_many(archive, &start_layout, world->backup.data, (int)count);
}


// The reason why the iteration of the solver ended is written as an index of `reasons`.
static bool archive_reason(ImpiArchive *archive, void *object) {
  static const char *const reasons[] = {NULL, "iterations", "impulse", "velocity", "change", "solved", "stalled"};
  ImpiSolverReport *report = object;
  uint64_t number = 0;
  for (unsigned i = 1; i < IMPI_COUNT(reasons) && report->reason != NULL; ++i) {
    number = strcmp(report->reason, reasons[i]) == 0 ? i : number;
  }
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    return true;
  }
  if (!impi_archive_number(archive, &number)) {
    return false;
  }
  if (archive->mode == IMPI_ARCHIVE_READ) {
    report->reason = number < IMPI_COUNT(reasons) ? reasons[number] : NULL;
  }
  return true;
}


#define STRUCT ImpiSolverReport
static const ImpiField report_fields[] = {
    PLAIN(sweeps),         PLAIN(rows),         PLAIN(colours),     HOOK(reason, NULL),     KEPT(cluster_time),
    ANY_VALUE(joint_work), ANY_VALUE(velocity), ANY_VALUE(bounded), ANY_VALUE(contraction), ANY_VALUE(solved_to),
    PLAIN(flops),          PLAIN(redundant),    KEPT(history),      KEPT(history_count)};
static const ImpiLayout report_layout = IMPI_LAYOUT(STRUCT, report_fields, archive_reason);
#undef STRUCT


static bool archive_report(ImpiArchive *archive, void *object) {
  return impi_archive(archive, &report_layout, &((ImpWorld *)object)->solve.report);
}


// Set the bodies, shapes and pieces of a contact from its proxies.
static bool find_sides(const ImpiBroadphase *bp, ImpiContact *contact) {
  int32_t count = bp->proxies.count, a = contact->proxy_a, b = contact->proxy_b;
  if (a < 0 || a >= count || b < 0 || b >= count || a == b || bp->proxies.data[a].kind == IMPI_PROXY_FREE ||
      bp->proxies.data[b].kind == IMPI_PROXY_FREE) {
    return false;
  }
  const ImpiProxy *p = &bp->proxies.data[a], *q = &bp->proxies.data[b];
  contact->body_a = p->body;
  contact->body_b = q->body;
  contact->shape_a = p->shape;
  contact->shape_b = q->shape;
  contact->child_a = p->child;
  contact->child_b = q->child;
  return true;
}


static bool map_pairs(ImpiArchive *archive, ImpWorld *world) {
  ImpiPairMap *map = &world->broadphase.contacts;
  if (!impi_pair_map_reserve(archive->heap, map, world->contact_pool.live)) {
    return impi_archive_no_memory(archive);
  }
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    ImpiContact *contact = &world->contacts.data[slot];
    if (world->contact_pool.slots.data[slot].next_free != IMPI_SLOT_LIVE) {
      continue;
    }
    if (!find_sides(&world->broadphase, contact) || map->count == world->contact_pool.live ||
        impi_pair_map_find(map, contact->proxy_a, contact->proxy_b) >= 0) {
      return impi_archive_refuse(archive);
    }
    impi_pair_map_insert(map, contact->proxy_a, contact->proxy_b, slot);
  }
  return true;
}


static bool map_filter_results(ImpiArchive *archive, ImpWorld *world) {
  if (!impi_pair_map_reserve(archive->heap, &world->filter.result_at, world->filter.results.count)) {
    return impi_archive_no_memory(archive);
  }
  for (int i = 0; i < world->filter.results.count; ++i) {
    const ImpiFilterResult *filter_result = &world->filter.results.data[i];
    if (filter_result->shape_a < 0 || filter_result->shape_b < 0 || filter_result->shape_a == filter_result->shape_b) {
      return impi_archive_refuse(archive);
    }
    impi_pair_map_insert(&world->filter.result_at, filter_result->shape_a, filter_result->shape_b, i);
  }
  return true;
}


// Check numbers that are used before the whole world is validated.
static bool makes_sense(const ImpWorld *world) {
  return world->contact_pool.slots.count >= world->contacts.count && world->contact_pool.live >= 0 &&
         world->contact_pool.live <= world->contacts.count;
}


// Compute the inverse masses. ImpiBody.slack is 0 until the first step computes it.
static void complete_bodies(ImpWorld *world) {
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    ImpiBody *body = &world->bodies.data[slot];
    impi_body_invert_mass(body);
    memset(body->slack, 0, sizeof body->slack);
  }
}


static bool archive_world(ImpiArchive *archive, void *object) {
  ImpWorld *world = object;
  if (archive->mode == IMPI_ARCHIVE_FREE) {
    free_names(archive, world);
    impi_pair_map_free(archive->heap, &world->filter.result_at);
    return true;
  }
  if (archive->mode == IMPI_ARCHIVE_READ && !makes_sense(world)) {
    return impi_archive_refuse(archive);
  }
  if (archive->mode != IMPI_ARCHIVE_READ) {
    return true;
  }
  complete_bodies(world);
  return map_pairs(archive, world) && map_filter_results(archive, world);
}


#define STRUCT ImpiSettings
static const ImpiField settings_fields[] = {
    PLAIN(gravity, LAST, UP_TO(IMPI_MAX_COORDINATE)),
    PLAIN(dt, WITHIN(IMPI_MIN_DT, IMPI_MAX_DT)),
    PLAIN(substeps, ASIDE, WITHIN(0, HUGE_VAL)),
    PLAIN(iterations, ASIDE, WITHIN(0, HUGE_VAL)),
    PLAIN(contact_hertz, ASIDE, WITHIN(0, HUGE_VAL)),
    PLAIN(contact_damping_ratio, ASIDE),
    PLAIN(lock_hertz, ASIDE, WITHIN(0, HUGE_VAL)),
    PLAIN(lock_damping_ratio, ASIDE),
    ANY_VALUE(push_speed, ASIDE),
    PLAIN(baumgarte, ASIDE),
    PLAIN(slop, ASIDE),
    PLAIN(tolerance_impulse, ASIDE),
    PLAIN(tolerance_velocity, ASIDE),
    PLAIN(tolerance_change, ASIDE),
    PLAIN(position_iterations, ASIDE, WITHIN(-1, HUGE_VAL)),
    PLAIN(order, LAST),
    PLAIN(warm_start, ASIDE),
    PLAIN(accumulate, ASIDE),
    PLAIN(relax, ASIDE),
    PLAIN(joints_one_by_one, ASIDE),
    PLAIN(geometric_stiffness, ASIDE),
    PLAIN(midpoint, ASIDE),
    PLAIN(history, ASIDE),
    PLAIN(auditing, ASIDE),
    PLAIN(lanes, ASIDE),
};
const ImpiLayout impi_settings_layout = IMPI_LAYOUT(STRUCT, settings_fields, NULL);
#undef STRUCT

#define STRUCT ImpiDestroyed
static const ImpiField destroyed_fields[] = {PLAIN(key), PLAIN(serial), STRING(name), PLAIN(kind)};
static const ImpiLayout destroyed_layout = IMPI_LAYOUT(STRUCT, destroyed_fields, NULL);
#undef STRUCT

#define STRUCT ImpiFilterResult
static const ImpiField filter_result_fields[] = {PLAIN(shape_a), PLAIN(shape_b), PLAIN(version_a), PLAIN(version_b),
                                                 PLAIN(meets)};
static const ImpiLayout filter_result_layout = IMPI_LAYOUT(STRUCT, filter_result_fields, NULL);
#undef STRUCT

#define STRUCT ImpiKinematicTarget
static const ImpiField kinematic_target_fields[] = {PLAIN(body, ASIDE),
                                                    PLAIN(has_target),
                                                    PLAIN(moving, ASIDE),
                                                    PLAIN(reached),
                                                    PLAIN(to, SHOWN(""), UP_TO(IMPI_MAX_COORDINATE)),
                                                    PLAIN(angle, UP_TO(IMP_MAX_ANGLE)),
                                                    PARTS(before, impi_motion_layout, ASIDE)};
const ImpiLayout impi_kinematic_target_layout = IMPI_LAYOUT(STRUCT, kinematic_target_fields, NULL);
#undef STRUCT

#define STRUCT ImpMaterialDef
static const ImpiField material_def_fields[] = {ANY_VALUE(density),       ANY_VALUE(friction),
                                                ANY_VALUE(restitution),   ANY_VALUE(rolling_resistance),
                                                ANY_VALUE(surface_speed), ANY_VALUE(restitution_threshold),
                                                ANY_VALUE(hit_speed)};
const ImpiLayout impi_material_definition_layout = IMPI_LAYOUT(STRUCT, material_def_fields, NULL);
#undef STRUCT

#define STRUCT ImpiNamedMaterial
static const ImpiField named_material_fields[] = {STRING(name), PARTS(def, impi_material_definition_layout)};
static const ImpiLayout named_material_layout = IMPI_LAYOUT(STRUCT, named_material_fields, NULL);
#undef STRUCT

#define STRUCT ImpMix
static const ImpiField mix_numbers_fields[] = {ANY_VALUE(friction), ANY_VALUE(restitution)};
const ImpiLayout impi_mix_numbers_layout = IMPI_LAYOUT(STRUCT, mix_numbers_fields, NULL);
#undef STRUCT

#define STRUCT ImpiMix
static const ImpiField mix_fields[] = {PARTS(fixed, impi_mix_numbers_layout), PARTS(ruled, impi_mix_numbers_layout),
                                       PLAIN(from_callback), PLAIN(wanted)};
static const ImpiLayout mix_layout = IMPI_LAYOUT(STRUCT, mix_fields, NULL);
#undef STRUCT

#define STRUCT ImpiMaterials
static const ImpiField materials_fields[] = {LIST(list, named_material_layout), LIST(mixes, mix_layout)};
static const ImpiLayout materials_layout = IMPI_LAYOUT(STRUCT, materials_fields, NULL);
#undef STRUCT

// Fields of a world. A snapshot has the same order and names.
#define STRUCT ImpWorld
static const ImpiField world_fields[] = {
    KEPT(recorder),
    KEPT(recording),
    KEPT(heap),
    KEPT(tag),
    PARTS(settings, impi_settings_layout),
    PLAIN(solver, LAST),
    PLAIN(solved_by, ASIDE),
    PLAIN(sleep_enabled, ASIDE),
    PLAIN(continuous, ASIDE),
    PLAIN(smooth_internal_edges, ASIDE),
    PLAIN(has_callbacks, ASIDE),
    KEPT(threads),
    KEPT(team),
    PLAIN(max_bodies, ASIDE),
    PLAIN(max_shapes, ASIDE),
    PLAIN(max_joints, ASIDE),
    PLAIN(max_contacts, ASIDE),
    ANY_VALUE(hit_speed, ASIDE),
    PLAIN(continuous_part, ASIDE),
    PLAIN(seed, LAST),
    PLAIN(random, LAST, SHOWN("generator")),
    PLAIN(tick),
    PLAIN(time),
    PLAIN(time_base, ASIDE),
    PLAIN(tick_base, ASIDE),
    PARTS(body_pool, pool_layout, SHOWN("next_body")),
    PARTS(shape_pool, pool_layout, SHOWN("next_shape")),
    PARTS(contact_pool, pool_layout, SHOWN("next_contact")),
    PARTS(joint_pool, pool_layout, SHOWN("next_joint")),
    LIST(bodies, impi_body_layout),
    LIST(motions, impi_motion_layout),
    LIST(shapes, impi_shape_layout),
    LIST(contacts, impi_contact_layout),
    WALK("points", points, &impi_point_layout, impi_archive_points),
    KEPT(shape_sums),
    WALK("geometry", alike, &impi_geometry_layout, impi_archive_geometries),
    PLAIN(first_body, ASIDE),
    PLAIN(last_body, ASIDE),
    KEPT(body_names),
    KEPT(joint_names),
    KEPT(narrow),
    PLAIN(body_serial, LAST, SHOWN("last_body")),
    PLAIN(shape_serial, LAST, SHOWN("last_shape")),
    PLAIN(joint_serial, LAST, SHOWN("last_joint")),
    PLAIN(ground, ASIDE),
    KEPT(callback),
    LIST_AS("filter_results", filter.results, filter_result_layout),
    HOOK_AS("result_at", filter.result_at, NULL),
    PLAIN_AS("shape_version", filter.shape_version, ASIDE),
    PLAIN_AS("needs_refilter", filter.needs_refilter, ASIDE),
    KEPT(filter.unfiltered),
    PLAIN_AS("sensors", sensor.sensors, ASIDE),
    PLAIN(bouncing, ASIDE),
    KEPT(sensor.visitors),
    KEPT(sensor.passed),
    PARTS(materials, materials_layout, ASIDE),
    PLAIN(unmixed, ASIDE),
    PLAIN(step_bodies, ASIDE),
    PLAIN(step_shapes, ASIDE),
    PLAIN(step_joints, ASIDE),
    LIST(joints, impi_joint_layout),
    LIST(joint_edges, impi_joint_edge_layout),
    LIST(drives, impi_drive_layout),
    PLAIN_AS("free_edge", joint.free_edge, ASIDE),
    PLAIN_AS("free_drive", joint.free_drive, ASIDE),
    PLAIN(first_joint, ASIDE),
    PLAIN(last_joint, ASIDE),
    PARTS(broadphase, impi_broadphase_layout, ASIDE),
    PLAIN(lists_dirty, ASIDE),
    PLAIN_AS("joint_list_fresh", joint.list_fresh, ASIDE),
    PLAIN_AS("woken", sleep.woken, ASIDE),
    LIST(awake, impi_layout_int32),
    KEPT(ccd.sweeper_count),
    PLAIN_AS("expects_toi_events", ccd.expects_toi_events, ASIDE),
    KEPT(ccd.long_paths),
    KEPT(ccd.long_path_at),
    KEPT(ccd.longest_path),
    KEPT(ccd.swept),
    KEPT(ccd.swept_set),
    KEPT(ccd.awake_places),
    KEPT(ccd.outgrown),
    KEPT(ccd.candidates),
    KEPT(ccd.hit_bodies),
    KEPT(ccd.hit_body_at),
    KEPT(ccd.first_waiting),
    KEPT(ccd.toi_contacts),
    KEPT(ccd.toi_rows),
    LIST_AS("awake_joints", joint.awake, impi_layout_int32),
    KEPT(joint.opening),
    KEPT(joint.held),
    WALK("backup", backup, &start_layout, archive_backup),
    PLAIN_AS("any_resting", sleep.any_resting, ASIDE),
    KEPT(ccd.clearances),
    KEPT(ccd.clearances_version),
    KEPT(placed),
    KEPT(sleep.islands),
    PLAIN_AS("island_count", sleep.island_count, ASIDE),
    KEPT(touching),
    KEPT(stepping),
    KEPT(substep),
    WALK("solve", solve, &report_layout, archive_report),
    KEPT(scratch),
    KEPT(joint.results_kept),
    KEPT(joint.edited),
    KEPT(joint.drives_edited),
    KEPT(joint.drives_emptied),
    PLAIN_AS("may_break", joint.may_break, ASIDE),
    PLAIN_AS("called_joints", joint.called, ASIDE),
    KEPT(joint.samples),
    KEPT(joint.pose_room),
    HOOK_AS("old_names", event.old_names, NULL),
    KEPT(event.destroyed_last),
    LIST_AS("destroyed", event.destroyed, destroyed_layout),
    KEPT(event.destroyed_order),
    KEPT(row),
    PLAIN(stiffest, LAST),
    PLAIN(last_dt, LAST),
    PLAIN(impulse_step, LAST),
    ANY_VALUE(work_joints, LAST, SHOWN("joint_work")),
    ANY_VALUE(work_contacts, LAST, SHOWN("contact_work")),
    KEPT(push.pushed),
    KEPT(queue),
    LIST_AS("forced", push.forced, impi_layout_int32),
    LIST_AS("kinematic_targets", push.kinematic_targets, impi_kinematic_target_layout),
    PLAIN_AS("limited_bodies", push.limited_bodies, ASIDE),
    KEPT(push.limited),
    PARTS_AS("field_pool", field.pool, pool_layout, SHOWN("next_field")),
    LIST_AS("fields", field.list, impi_field_layout),
    PLAIN_AS("first_field", field.first, ASIDE),
    PLAIN_AS("last_field", field.last, ASIDE),
    PLAIN_AS("field_serial", field.serial, LAST, SHOWN("last_field")),
    PLAIN_AS("called_fields", field.called, ASIDE),
    KEPT(field.listed),
    KEPT(field.dirty),
    KEPT(field.complete),
    KEPT(field.turn),
    KEPT(field.affected_locks),
    KEPT(field.affected),
    KEPT(field.acting_fields),
    KEPT(field.acting_ends),
    KEPT(field.affected_at),
    KEPT(undo),
    LIST_AS("movers", mover.list, impi_mover_layout),
    KEPT(mover.gaps),
    KEPT(mover.first_free),
    KEPT(mover.room),
    KEPT(mover.kept),
    KEPT(mover.pushes),
    KEPT(audit),
    KEPT(pose_stamp),
    KEPT(query),
    KEPT(event.events),
    LIST_AS("pending", event.pending, event_layout),
    KEPT(event.event_peaks),
    KEPT(event.event_keys),
    KEPT(event.event_keys_peak),
    KEPT(profile),
};
const ImpiLayout impi_world_layout = {sizeof(STRUCT), world_fields, IMPI_COUNT(world_fields), archive_world, true};
#undef STRUCT
