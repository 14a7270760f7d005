// Calls that record_table.h cannot express, because they have lists or no arguments: functions that make and note the
// call, and functions that repeat it.
#include <string.h>

#include "record/record.h"
#include "world/calls.h"


// ---------------------------------------------------------------------------------------------------------------------
// Lists; those that are read are in the coder's memory
// ---------------------------------------------------------------------------------------------------------------------

#define LIST_CODER(name, type, code) \
  static void name(ImpiCoder *c, const type **list, int *count) { \
    impi_code_count(c, count); \
    type *room = c->reads ? impi_code_room(c, *count, sizeof *room) : NULL; \
    for (int i = 0; i < *count && !c->failed; ++i) { \
      type one; \
      memset(&one, 0, sizeof one); \
      if (!c->reads) { \
        one = (*list)[i]; \
      } \
      code(c, &one); \
      if (c->reads) { \
        room[i] = one; \
      } \
    } \
    *list = c->reads ? room : *list; \
  }

LIST_CODER(code_points, ImpVec2, impi_code_ImpVec2)
LIST_CODER(code_numbers, double, impi_code_double)
LIST_CODER(code_bodies, ImpBody, impi_code_ImpBody)
LIST_CODER(code_quantities, ImpQuantity, impi_code_ImpQuantity)
LIST_CODER(code_counts, int, impi_code_int)


// ---------------------------------------------------------------------------------------------------------------------
// The arguments of each call
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Outline {
  ImpBody body;
  ImpiShapeDefAt def;
  const ImpVec2 *points;
  const int *counts; // number of points of each ring
  int count, rings;  // number of points of all rings; number of rings
  double radius;     // radius, or the spacing of heights [m]
  bool loop;
  ImpVec2 origin;
  const double *values;
} Outline;


static void code_outline(ImpiCoder *c, Outline *o) {
  impi_code_ImpBody(c, &o->body);
  impi_code_ImpiShapeDefAt(c, &o->def);
  code_points(c, &o->points, &o->count);
  code_counts(c, &o->counts, &o->rings);
  impi_code_double(c, &o->radius);
  impi_code_ImpiTruth(c, &o->loop);
}


static void code_heights(ImpiCoder *c, Outline *o) {
  impi_code_ImpBody(c, &o->body);
  impi_code_ImpiShapeDefAt(c, &o->def);
  impi_code_ImpVec2(c, &o->origin);
  impi_code_double(c, &o->radius);
  code_numbers(c, &o->values, &o->count);
}


// Return the number of points of all rings; negative if the counts are invalid.
static int sum_of(const int *counts, int rings) {
  int64_t sum = 0;
  for (int i = 0; i < rings; ++i) {
    if (counts[i] < 0) {
      return -1;
    }
    sum += counts[i];
  }
  return sum <= INT32_MAX ? (int)sum : -1;
}


typedef struct Write {
  const ImpBody *bodies;
  const ImpQuantity *what;
  const double *values;
  int bodies_count, what_count, value_count;
} Write;


static void code_write(ImpiCoder *c, Write *w) {
  code_bodies(c, &w->bodies, &w->bodies_count);
  code_quantities(c, &w->what, &w->what_count);
  code_numbers(c, &w->values, &w->value_count);
}


// Return how many numbers a call of imp_bodies_write takes; -1 if a quantity is unknown.
static int64_t numbers_of(const Write *w) {
  int64_t each = 0;
  for (int i = 0; i < w->what_count; ++i) {
    const ImpQuantityInfo *info = imp_quantity((int)w->what[i]);
    if (info == NULL) {
      return -1;
    }
    each += info->numbers;
  }
  return each * w->bodies_count;
}


// Write or read the rows of a joint with `bodies` bodies; `bodies` itself is not written.
static void code_rows(ImpiCoder *c, const ImpUserRow **rows, int *count, int bodies) {
  impi_code_count(c, count);
  ImpUserRow *room = c->reads ? impi_code_room(c, *count, sizeof *room) : NULL;
  for (int i = 0; i < *count && !c->failed; ++i) {
    ImpUserRow row = {0};
    if (!c->reads) {
      row = (*rows)[i];
    }
    int numbers = 3 * bodies;
    code_numbers(c, &row.j, &numbers);
    impi_code_double(c, &row.bias);
    impi_code_double(c, &row.c);
    impi_code_ImpiTruth(c, &row.has_c);
    impi_code_double(c, &row.lower);
    impi_code_double(c, &row.upper);
    c->failed = c->failed || numbers != 3 * bodies;
    if (c->reads) {
      room[i] = row;
    }
  }
  *rows = c->reads ? room : *rows;
}


static int bodies_of(const ImpWorld *world, ImpJoint joint) {
  int count = 0;
  return imp_joint_bodies(world, joint, NULL, 0, &count) == IMP_OK ? count : 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Calling and noting
// ---------------------------------------------------------------------------------------------------------------------

// Call a core function and, if the world is recorded, add the call to the notes.
#define NOTE_CALL(name, call, code) \
  if (impi_recorder(world) == NULL) { \
    return call; \
  } \
  IMPI_NOTE_CALL(name, call, code)


uint64_t imp_world_random(ImpWorld *world) {
  if (impi_recorder(world) != NULL) {
    ImpiNote note = impi_note_succeeded(world, impi_note_begin(world), IMPI_CALL_world_random);
    impi_note_end(&note);
  }
  return impi_world_random(world);
}


ImpStatus imp_world_ground(ImpWorld *world, ImpBody *out_body) {
  if (world->ground >= 0) {
    return impi_world_ground(world, out_body);
  }
  NOTE_CALL(world_ground, impi_world_ground(world, out_body), (void)c);
}


ImpStatus imp_world_forget_mixes(ImpWorld *world) {
  NOTE_CALL(world_forget_mixes, impi_world_forget_mixes(world), (void)c);
}


static void code_generator(ImpiCoder *c, uint64_t state[4]) {
  for (int i = 0; i < 4; ++i) {
    impi_code_uint64_t(c, &state[i]);
  }
}


ImpStatus imp_world_set_generator(ImpWorld *world, const uint64_t state[4]) {
  uint64_t copy[4];
  memcpy(copy, state, sizeof copy);
  NOTE_CALL(world_set_generator, impi_world_set_generator(world, state), code_generator(c, copy));
}


ImpStatus imp_bodies_write(ImpWorld *world, const ImpBody *bodies, int count, const ImpQuantity *what, int what_count,
                           const double *values, int *out_body) {
  Write w = {bodies, what, values, count, what_count, 0};
  NOTE_CALL(bodies_write, impi_bodies_write(world, bodies, count, what, what_count, values, out_body),
            (w.value_count = (int)numbers_of(&w), code_write(c, &w)));
}


ImpStatus imp_body_add_polygon(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points, int count,
                               double radius, ImpShape *out_shape) {
  Outline o = {.body = body, .def = def, .points = points, .count = count, .radius = radius};
  NOTE_CALL(body_add_polygon, impi_body_add_polygon(world, body, def, points, count, radius, out_shape),
            code_outline(c, &o));
}


ImpStatus imp_body_add_polygon_with_holes(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points,
                                          const int *counts, int rings, double radius, ImpShape *out_shape) {
  Outline o = {.body = body, .def = def, .points = points, .counts = counts, .rings = rings, .radius = radius};
  NOTE_CALL(body_add_polygon_with_holes,
            impi_body_add_polygon_with_holes(world, body, def, points, counts, rings, radius, out_shape),
            (o.count = sum_of(counts, rings), code_outline(c, &o)));
}


ImpStatus imp_body_add_chain(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points, int count,
                             bool loop, ImpShape *out_shape) {
  Outline o = {.body = body, .def = def, .points = points, .count = count, .loop = loop};
  NOTE_CALL(body_add_chain, impi_body_add_chain(world, body, def, points, count, loop, out_shape), code_outline(c, &o));
}


ImpStatus imp_body_add_heights(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 origin, double spacing,
                               const double *values, int count, ImpShape *out_shape) {
  Outline o = {.body = body, .def = def, .origin = origin, .radius = spacing, .values = values, .count = count};
  NOTE_CALL(body_add_heights, impi_body_add_heights(world, body, def, origin, spacing, values, count, out_shape),
            code_heights(c, &o));
}


ImpStatus imp_constraint_set_rows(ImpWorld *world, ImpJoint joint, const ImpUserRow *rows, int count) {
  NOTE_CALL(constraint_set_rows, impi_constraint_set_rows(world, joint, rows, count),
            (impi_code_ImpJoint(c, &joint), code_rows(c, &rows, &count, bodies_of(world, joint))));
}


// ---------------------------------------------------------------------------------------------------------------------
// Repeating calls
// ---------------------------------------------------------------------------------------------------------------------


static bool play_shape(ImpWorld *world, ImpiCoder *c, ImpiCall call, ImpStatus *out_status) {
  Outline o = {0};
  ImpShape shape;
  bool heights = call == IMPI_CALL_body_add_heights;
  (heights ? code_heights : code_outline)(c, &o);
  bool holes = call == IMPI_CALL_body_add_polygon_with_holes;
  if (c->failed || o.def == NULL || (holes && sum_of(o.counts, o.rings) != o.count)) {
    return false;
  }
  switch (call) {
  case IMPI_CALL_body_add_polygon:
    *out_status = imp_body_add_polygon(world, o.body, o.def, o.points, o.count, o.radius, &shape);
    return true;
  case IMPI_CALL_body_add_polygon_with_holes:
    *out_status = imp_body_add_polygon_with_holes(world, o.body, o.def, o.points, o.counts, o.rings, o.radius, &shape);
    return true;
  case IMPI_CALL_body_add_chain:
    *out_status = imp_body_add_chain(world, o.body, o.def, o.points, o.count, o.loop, &shape);
    return true;
  default:
    *out_status = imp_body_add_heights(world, o.body, o.def, o.origin, o.radius, o.values, o.count, &shape);
    return true;
  }
}


static bool play_write(ImpWorld *world, ImpiCoder *c, ImpStatus *out_status) {
  Write w = {0};
  code_write(c, &w);
  if (c->failed || numbers_of(&w) != w.value_count) {
    return false;
  }
  *out_status = imp_bodies_write(world, w.bodies, w.bodies_count, w.what, w.what_count, w.values, NULL);
  return true;
}


static bool play_rows(ImpWorld *world, ImpiCoder *c, ImpStatus *out_status) {
  ImpJoint joint = {0};
  const ImpUserRow *rows = NULL;
  int count = 0;
  impi_code_ImpJoint(c, &joint);
  code_rows(c, &rows, &count, bodies_of(world, joint));
  if (!c->failed) {
    *out_status = imp_constraint_set_rows(world, joint, rows, count);
  }
  return !c->failed;
}


bool impi_play_list_call(ImpWorld *world, ImpiCoder *c, ImpiCall call, ImpStatus *out_status) {
  uint64_t state[4] = {0};
  ImpBody ground;
  *out_status = IMP_OK;
  switch ((int)call) {
  case IMPI_CALL_world_random:
    imp_world_random(world);
    return true;
  case IMPI_CALL_world_ground:
    *out_status = imp_world_ground(world, &ground);
    return true;
  case IMPI_CALL_world_forget_mixes:
    *out_status = imp_world_forget_mixes(world);
    return true;
  case IMPI_CALL_world_set_generator:
    code_generator(c, state);
    *out_status = c->failed ? IMP_OK : imp_world_set_generator(world, state);
    return !c->failed;
  case IMPI_CALL_body_add_polygon:
  case IMPI_CALL_body_add_polygon_with_holes:
  case IMPI_CALL_body_add_chain:
  case IMPI_CALL_body_add_heights:
    return play_shape(world, c, call, out_status);
  case IMPI_CALL_bodies_write:
    return play_write(world, c, out_status);
  case IMPI_CALL_constraint_set_rows:
    return play_rows(world, c, out_status);
  default: // replay.c handles the calls that set callbacks
    return false;
  }
}
