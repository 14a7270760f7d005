// Test of bytes from any source that claim to be a snapshot. Either the bytes are refused and change nothing, or they
// restore a valid world. Every solver can step the world, and it can be read, saved, changed and destroyed.
#ifndef IMPI_SNAPSHOT_INPUT_H
#define IMPI_SNAPSHOT_INPUT_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "scene.h"
#include "snapshot/world_valid.h"

#include <stdlib.h>
#include <string.h>

// Offsets in the header of a snapshot, and size of the header [bytes].
enum { SHOT_SIZE = 24, SHOT_CHECKSUM = 32, SHOT_HEADER = 40 };


// Set the correct length and checksum in the header.
static inline void fix_header(unsigned char *bytes, size_t size) {
  uint64_t length = size;
  if (size < SHOT_HEADER) return;
  memcpy(bytes + SHOT_SIZE, &length, sizeof length);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, bytes, SHOT_CHECKSUM);
  XXH3_64bits_update(&state, bytes + SHOT_HEADER, size - SHOT_HEADER);
  uint64_t checksum = XXH3_64bits_digest(&state);
  memcpy(bytes + SHOT_CHECKSUM, &checksum, sizeof checksum);
}


static inline bool is_whole(const ImpWorld *world) {
  ImpiInvalid invalid = {0};
  bool valid = impi_world_is_valid(world, &invalid);
  char text[200];
  snprintf(text, sizeof text, "%s %d: %s", valid ? "" : invalid.object, (int)invalid.index, valid ? "" : invalid.what);
  check_that(valid, __FILE__, __LINE__, text);
  return valid;
}


static inline void ask(ImpWorld *world) {
  ImpHit hit;
  ImpNear near;
  ImpEnergy energy = imp_world_energy(world);
  ImpResidual residual = imp_world_residual(world);
  const ImpRowInfo *rows = NULL;
  int count = 0;
  (void)energy;
  (void)residual;
  (void)imp_world_hash(world);
  (void)imp_world_rows(world, &rows, &count);
  (void)imp_world_definition(world);
  (void)imp_world_raycast(world, vec(-50, 0.5), vec(50, 0.6), NULL, &hit);
  (void)imp_world_overlap_box(world, (ImpAabb){{-5, -5}, {5, 5}}, NULL, &count);
  (void)imp_world_nearest(world, vec(0, 3), 20, NULL, &near);
  ImpDrawList *list = NULL;
  ImpDrawOptions options = imp_draw_options();
  if (imp_draw_create(NULL, &list) == IMP_OK) {
    (void)imp_draw_world(list, world, &options);
    imp_draw_destroy(list);
  }
  for (ImpBody body = imp_world_next_body(world, (ImpBody){0}); body.id != 0; body = imp_world_next_body(world, body)) {
    ImpBodyDef def;
    const char *name = NULL;
    (void)imp_body_definition(world, body, &def);
    (void)imp_body_name(world, body, &name);
    count += name != NULL ? (int)strlen(name) : 0;
    for (ImpShape shape = imp_body_next_shape(world, body, (ImpShape){0}); shape.id != 0;
         shape = imp_body_next_shape(world, body, shape)) {
      ImpShapeDef shape_def;
      ImpShapeForm form;
      (void)imp_shape_closest(world, shape, vec(1, 1), &near);
      (void)imp_shape_definition(world, shape, &shape_def, &form);
    }
  }
  for (ImpJoint joint = imp_world_next_joint(world, (ImpJoint){0}); joint.id != 0;
       joint = imp_world_next_joint(world, joint)) {
    ImpReaction reaction;
    ImpCoordinateInfo info;
    (void)imp_joint_reaction(world, joint, &reaction);
    (void)imp_joint_coordinate_count(world, joint, &count);
    for (int i = 0; i < count; ++i) (void)imp_coordinate_info(world, (ImpCoordinate){joint, i}, &info);
  }
}


// Limit the substeps and iterations of a restored world, because snapshots from an unknown source may have a thousand
// substeps with a hundred thousand sweeps each.
static inline void limit_work(ImpWorld *world) {
  double value = 0;
  MUST(imp_world_get(world, IMP_WORLD_SUBSTEPS, &value));
  if (value > 8) MUST(imp_world_set(world, IMP_WORLD_SUBSTEPS, 8));
  MUST(imp_world_get(world, IMP_WORLD_ITERATIONS, &value));
  if (value > 30) MUST(imp_world_set(world, IMP_WORLD_ITERATIONS, 30));
  MUST(imp_world_get(world, IMP_WORLD_POSITION_ITERATIONS, &value));
  if (value > 30) MUST(imp_world_set(world, IMP_WORLD_POSITION_ITERATIONS, 30));
}


static inline void step_it(ImpWorld *world, int steps) {
  for (int i = 0; i < steps; ++i) {
    // A step may fail with a message: too many contacts, or a joint without its callback.
    ImpStatus status = imp_world_step(world);
    CHECK(status == IMP_OK || imp_last_error()[0] != 0);
  }
}


// Check that saving, restoring and saving again gives the same bytes, also in a second world.
static inline void save_it(ImpWorld *world) {
  ImpWorld *other = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81), *const into[] = {world, other};
  void *bytes = NULL, *again = NULL;
  size_t size = 0, same = 0;
  MUST(imp_world_snapshot(world, &bytes, &size));
  for (int i = 0; i < 2; ++i) {
    check_that(imp_world_restore(into[i], bytes, size) == IMP_OK, __FILE__, __LINE__, imp_last_error());
    MUST(imp_world_snapshot(into[i], &again, &same));
    CHECK(size == same && memcmp(bytes, again, size) == 0);
    imp_snapshot_free(again);
  }
  imp_snapshot_free(bytes);
  MUST(imp_world_destroy(other));
}


// Create objects, destroy some of them, and finally destroy all bodies.
static inline void change_it(ImpWorld *world, unsigned choice) {
  ImpBodyDef def = imp_body_def();
  ImpShapeDef shape_def = imp_shape_def();
  ImpBody body = {0};
  ImpShape shape;
  if (imp_body_create(world, &def, &body) == IMP_OK) {
    (void)imp_body_add_box(world, body, &shape_def, 1, 1, vec(0, 0), 0, 0, &shape);
  }
  ImpJoint joint = imp_world_next_joint(world, (ImpJoint){0});
  if (joint.id != 0) MUST(imp_joint_destroy(world, joint));
  step_it(world, 1);
  for (unsigned i = 0; (body = imp_world_next_body(world, (ImpBody){0})).id != 0; ++i) {
    ImpBody other = imp_world_next_body(world, body);
    if ((choice >> i % 8 & 1u) != 0 && other.id != 0) body = other;
    MUST(imp_body_destroy(world, body));
    if (i % 8 == 3) step_it(world, 1);
  }
  step_it(world, 1);
}


// Restore the bytes into a world and use the world. Return whether the bytes were accepted. `choice` selects the
// solver. No callbacks are set.
static inline bool snapshot_input(ImpWorld *world, const unsigned char *bytes, size_t size, unsigned choice) {
  uint64_t hash = imp_world_hash(world);
  ImpStatus status = imp_world_restore(world, bytes, size);
  if (status != IMP_OK) {
    CHECK(imp_last_error()[0] != 0 && imp_world_hash(world) == hash);
    return false;
  }
  if (!is_whole(world)) return true;
  limit_work(world);
  ask(world);
  step_it(world, 2);
  save_it(world);
  MUST(imp_world_set_solver(world, (ImpSolverKind)(choice % IMP_SOLVER_COUNT)));
  step_it(world, 3);
  ask(world);
  if (is_whole(world)) change_it(world, choice / IMP_SOLVER_COUNT);
  (void)is_whole(world);
  return true;
}

#endif
