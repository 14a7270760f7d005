// Definitions that are read back from objects. An object that is created from such a definition equals the original
// object.
#include "rig.h"

#include "record/code.h"
#include "snapshot/snapshot.h"

#include <stddef.h>


static bool same_vec(ImpVec2 a, ImpVec2 b) { return a.x == b.x && a.y == b.y; }


// ---------------------------------------------------------------------------------------------------------------------
// Definitions by the tables of their members
// ---------------------------------------------------------------------------------------------------------------------


// A member of a definition: one number, a name, or user data.
typedef struct Member {
  const char *name;
  size_t offset; // in the definition [bytes]
  ImpiNumber number;
  bool text, pointer;
} Member;

enum { MAX_MEMBERS = 160 };


// List the members of a definition, except handles, tapes and lists.
static int members_of(const ImpiLayout *layout, size_t base, Member *members, int count) {
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    bool pointer = strcmp(field->name, "user_data") == 0, text = field->kind == IMPI_FIELD_STRING;
    bool plain = field->kind == IMPI_FIELD_PLAIN && field->number != IMPI_NUMBER_HANDLE;
    size_t step = plain                             ? (size_t)impi_number_size(field->number)
                  : field->kind == IMPI_FIELD_PARTS ? field->parts->size
                                                    : field->size;
    for (size_t at = 0; at < field->size; at += step) {
      size_t offset = base + field->offset + at;
      if (field->kind == IMPI_FIELD_PARTS) {
        count = members_of(field->parts, offset, members, count);
      } else if (plain || pointer || text) {
        MUST(count < MAX_MEMBERS ? IMP_OK : IMP_ERR_ARGUMENT);
        members[count++] = (Member){field->name, offset, field->number, text, pointer};
      }
    }
  }
  return count;
}


static bool same(const Member *member, const void *a, const void *b) {
  const char *x = (const char *)a + member->offset, *y = (const char *)b + member->offset;
  if (member->text) {
    const char *s = *(char *const *)(const void *)x, *t = *(char *const *)(const void *)y;
    return s == t || (s != NULL && t != NULL && strcmp(s, t) == 0);
  }
  if (member->pointer) {
    return memcmp(x, y, sizeof(void *)) == 0;
  }
  double u = impi_number_read(member->number, x), v = impi_number_read(member->number, y);
  return u == v || (u != u && v != v);
}


// Return the name of the first member that differs between two definitions, or null.
static const char *difference(const ImpiLayout *layout, const void *a, const void *b) {
  Member members[MAX_MEMBERS];
  int count = members_of(layout, 0, members, 0);
  for (int i = 0; i < count; ++i) {
    if (!same(&members[i], a, b)) {
      return members[i].name;
    }
  }
  return NULL;
}


// Set a number to the nth of the tried values. Some values are not legal.
static void put_number(ImpiNumber number, char *at, int nth) {
  static const double reals[] = {0.5, 0.25, 2, 1, -1, 20, 0};
  switch (number) {
  case IMPI_NUMBER_BOOL:
    *(bool *)at = !*(bool *)at;
    break;
  case IMPI_NUMBER_INT:
    *(int32_t *)at = nth < 6 ? nth : -1;
    break;
  case IMPI_NUMBER_LONG:
    *(uint64_t *)at = (uint64_t)nth + 4;
    break;
  default:
    *(double *)at = reals[nth];
  }
}


// How objects are created from a definition and read back.
typedef struct Maker {
  const ImpiLayout *layout;
  const char *indirect; // members that are read back as other members, separated by spaces
  bool (*make)(ImpWorld *world, const void *def, void *out_read); // returns false if the definition is refused
} Maker;

static bool is_named(const char *list, const char *name) {
  char word[64];
  snprintf(word, sizeof word, " %s ", name);
  return strstr(list, word) != NULL;
}


// Change each member of a definition in turn, and create an object. The definition that is read back must have the
// changed member. `seen` marks the changed members.
static void change_each(ImpWorld *world, const Maker *maker, const void *plain, bool *seen) {
  static char text[] = "changed";
  char start[2048], def[2048], read[2048], again[2048];
  Member members[MAX_MEMBERS];
  int count = members_of(maker->layout, 0, members, 0);
  MUST(maker->layout->size <= sizeof def && maker->make(world, plain, start) ? IMP_OK : IMP_ERR_ARGUMENT);
  for (int i = 0; i < 7 * count; ++i) {
    const Member *member = &members[i / 7];
    memcpy(def, plain, maker->layout->size);
    if (member->text || member->pointer) {
      *(const char **)(void *)(def + member->offset) = text;
    } else {
      put_number(member->number, def + member->offset, i % 7);
    }
    if (!maker->make(world, def, read)) {
      continue;
    }
    bool indirect = is_named(maker->indirect, member->name);
    seen[i / 7] =
        seen[i / 7] || !(indirect ? difference(maker->layout, start, read) == NULL : same(member, start, read));
    const char *other = maker->make(world, read, again) ? difference(maker->layout, read, again) : "all";
    CHECK(other == NULL);
    if (other != NULL) {
      printf("  %s changed: made again, %s differs\n", member->name, other);
    }
  }
}


// Check that each member is read back. `none` marks members that do not apply.
static void check_all_seen(const ImpiLayout *layout, const bool *seen, const bool *none) {
  Member members[MAX_MEMBERS];
  int count = members_of(layout, 0, members, 0);
  for (int i = 0; i < count; ++i) {
    bool given = seen[i] || (none != NULL && none[i]);
    CHECK(given);
    if (!given) {
      printf("  %s is not read back, at byte %d\n", members[i].name, (int)members[i].offset);
    }
  }
}


static const ImpiLayout *layout_of(size_t size) {
  const ImpiLayout *layout = NULL;
  for (int i = 0; (layout = impi_definition_layout(i)) != NULL && layout->size != size; ++i) {}
  return layout;
}


static bool make_body(ImpWorld *world, const void *def, void *out_read) {
  ImpBody body = {0};
  return imp_body_create(world, def, &body) == IMP_OK && imp_body_definition(world, body, out_read) == IMP_OK;
}


static bool make_shape(ImpWorld *world, const void *def, void *out_read) {
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
  ImpShape shape = {0};
  ImpShapeForm form;
  return imp_body_add_box(world, body, def, 1, 1, vec(0, 0), 0, 0, &shape) == IMP_OK &&
         imp_shape_definition(world, shape, out_read, &form) == IMP_OK;
}


static bool make_mover(ImpWorld *world, const void *def, void *out_read) {
  ImpMover mover = {0};
  return imp_mover_create(world, def, &mover) == IMP_OK && imp_mover_definition(world, mover, out_read) == IMP_OK;
}


static bool make_joint(ImpWorld *world, const void *def, void *out_read) {
  ImpJoint joint = {0};
  return imp_joint_create(world, def, &joint) == IMP_OK && imp_joint_definition(world, joint, out_read) == IMP_OK;
}


static bool make_field(ImpWorld *world, const void *def, void *out_read) {
  ImpField field = {0};
  return imp_field_create(world, def, &field) == IMP_OK && imp_field_definition(world, field, out_read) == IMP_OK;
}


static void every_member_of_a_body_is_read_back(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  bool seen[MAX_MEMBERS] = {false};
  const Maker body = {layout_of(sizeof(ImpBodyDef)), "", make_body};
  ImpBodyDef def = imp_body_def();
  def.inertia = 3;
  change_each(world, &body, &def, seen);
  check_all_seen(body.layout, seen, NULL);
  imp_world_destroy(world);
}


static void every_member_of_a_shape_is_read_back(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  bool seen[MAX_MEMBERS] = {false};
  const Maker shape = {layout_of(sizeof(ImpShapeDef)), "", make_shape};
  ImpShapeDef def = imp_shape_def();
  ImpMaterialDef ice = imp_material_def();
  int number = 0;
  MUST(imp_world_set_material(world, "ice", &ice, &number));
  change_each(world, &shape, &def, seen);
  check_all_seen(shape.layout, seen, NULL);
  imp_world_destroy(world);
}


static void every_member_of_a_mover_is_read_back(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  bool seen[MAX_MEMBERS] = {false}, none[MAX_MEMBERS] = {false};
  Member members[MAX_MEMBERS];
  const Maker mover = {layout_of(sizeof(ImpMoverDef)), "", make_mover};
  ImpMoverDef def = imp_mover_def();
  change_each(world, &mover, &def, seen);
  int count = members_of(mover.layout, 0, members, 0);
  for (int i = 0; i < count; ++i) { // find the read-only properties
    for (int k = 0; k < IMP_MOVER_PROPERTY_COUNT; ++k) {
      none[i] = none[i] || (members[i].offset == offsetof(ImpMoverDef, value) + (size_t)k * sizeof(double) &&
                            imp_mover_property(k)->definition == 0);
    }
  }
  check_all_seen(mover.layout, seen, none);
  imp_world_destroy(world);
}


static void every_member_of_a_field_is_read_back(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  bool seen[MAX_MEMBERS] = {false}, none[MAX_MEMBERS] = {false};
  Member members[MAX_MEMBERS];
  const Maker field = {layout_of(sizeof(ImpFieldDef)), "", make_field};
  int count = members_of(field.layout, 0, members, 0);
  for (int kind = 0; kind < IMP_FIELD_CUSTOM; ++kind) {
    for (int stiff = 0; stiff < 2; ++stiff) { // a spring has either a stiffness or a frequency
      ImpFieldDef def = imp_field_def((ImpFieldKind)kind);
      def.value[IMP_FIELD_DENSITY] = 3;
      def.value[stiff ? IMP_FIELD_STIFFNESS : IMP_FIELD_HERTZ] = 3;
      def.bounded = true;
      def.region = (ImpAabb){{-3, -3}, {3, 3}};
      change_each(world, &field, &def, seen);
    }
  }
  for (int i = 0; i < count; ++i) {
    size_t offset = members[i].offset - offsetof(ImpFieldDef, value);
    none[i] =
        // The world assigns the ID. Only custom fields have the property `implicit`.
        offset == IMP_FIELD_ID * sizeof(double) || offset == IMP_FIELD_IMPLICIT * sizeof(double);
  }
  check_all_seen(field.layout, seen, none);
  imp_world_destroy(world);
}


// Variants: 0 no drive; 1 all drives except the lock, spring by stiffness; 2 the same, spring by frequency; 3 the lock.
enum { DRIVES = 4 };

static ImpDrive drive_of(int variant) {
  if (variant % 3 == 0) {
    return (ImpDrive){.on = variant == 0 ? 0 : 1u << IMP_DRIVE_LOCK};
  }
  return (ImpDrive){.on = (2u << IMP_DRIVE_FORCE) - 1 - (1u << IMP_DRIVE_LOCK),
                    .lower = -30,
                    .upper = 30,
                    .limit_max = 7,
                    .motor_max = 5,
                    .servo_max = 5,
                    .spring_max = 5,
                    .stiffness = variant == 1 ? 3 : 0,
                    .hertz = variant == 2 ? 3 : 0};
}


// Some members of ImpJointDef are read back as other members, for example `place_a` as `anchor_a` in the frame of A,
// and `target` as the target of a drive.
static void every_member_of_a_joint_is_read_back(void) {
  bool seen[MAX_MEMBERS] = {false};
  const Maker joint = {layout_of(sizeof(ImpJointDef)),
                       " place_a place_b place_axis length target has_target target_angle max_force max_torque hertz"
                       " damping_ratio ",
                       make_joint};
  for (int kind = 0; kind < DRIVES * IMP_JOINT_CONSTRAINT; ++kind) {
    ImpWorld *world = make_rig(IMP_SOLVER_SI, 60, 0, 9.81);
    ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 1, 0.2, 2, 1);
    ImpJointDef def = imp_joint_def((ImpJointKind)(kind / DRIVES), a, b);
    def.place_a = def.place_b = def.place_axis = IMP_PLACE_LOCAL;
    def.anchor_a = vec(0.6, 0.3);
    MUST(imp_body_set(world, a, IMP_BODY_ANGLE, 0.3));
    def.has_target = true;
    def.ground_a = def.ground_b = vec(0, 9);
    for (int i = 0; i < 2; ++i) {
      ImpJointDef part = imp_joint_def(IMP_JOINT_REVOLUTE, ground_of(world), i == 0 ? a : b);
      MUST(imp_joint_create(world, &part, &def.term[i].joint));
      def.term[i].index = 2;
    }
    for (int i = 0; i < 3 && imp_joint_kind((int)def.kind)->coordinates[i] != NULL; ++i) {
      def.drive[i] = drive_of(kind % DRIVES);
    }
    change_each(world, &joint, &def, seen);
    imp_world_destroy(world);
  }
  check_all_seen(joint.layout, seen, NULL);
}


// ---------------------------------------------------------------------------------------------------------------------
// Created again after some motion
// ---------------------------------------------------------------------------------------------------------------------


static void a_recreated_world_continues_its_clock_and_random_numbers(void) {
  ImpWorldDef def = imp_world_def();
  def.gravity = vec(1, -3);
  def.dt = 0.01;
  def.seed = 9;
  def.solver = IMP_SOLVER_NGS;
  def.order = IMP_ORDER_SHUFFLED;
  ImpWorld *world = NULL, *again = NULL;
  MUST(imp_world_create(&def, &world));
  run(world, 7);
  set_world(world, IMP_WORLD_DT, 0.03);
  run(world, 5);
  imp_world_random(world);
  ImpWorldDef read = imp_world_definition(world);
  CHECK(read.dt == 0.03 && read.seed == 9 && same_vec(read.gravity, def.gravity) && read.tick == 12);
  CHECK(read.solver == def.solver && read.order == def.order);
  MUST(imp_world_create(&read, &again));
  uint64_t state[4];
  imp_world_generator(world, state);
  MUST(imp_world_set_generator(again, state));
  CHECK(imp_world_hash(again) == imp_world_hash(world));
  run(world, 5);
  run(again, 5);
  double time = 0, other = 1;
  MUST(imp_world_get(world, IMP_WORLD_TIME, &time));
  MUST(imp_world_get(again, IMP_WORLD_TIME, &other));
  CHECK(time == other);
  CHECK(imp_world_random(again) == imp_world_random(world));
  const uint64_t zero[4] = {0};
  CHECK(imp_world_set_generator(again, zero) == IMP_ERR_ARGUMENT);
  read.time = -1;
  CHECK(imp_world_create(&read, &again) == IMP_ERR_ARGUMENT);
  imp_world_destroy(again);
  imp_world_destroy(world);
}


static void bodies_and_shapes_are_recreated_in_their_current_state(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  for (int type = 0; type < IMP_BODY_TYPE_COUNT; ++type) {
    bool turns = type != IMP_BODY_PARTICLE, moves = type != IMP_BODY_STATIC;
    ImpBodyDef def = imp_body_def();
    def.type = (ImpBodyType)type;
    def.position = vec(5 * type, 3);
    def.angle = turns ? 0.3 : 0;
    def.velocity = moves ? vec(1, 2) : vec(0, 0);
    def.angular_velocity = turns && moves ? 3 : 0;
    def.linear_damping = 0.1;
    def.mass = 2;
    ImpBody body = {0}, copy = {0};
    ImpShape box = {0}, other = {0};
    ImpShapeDef shape_def = imp_shape_def(), shape_read;
    shape_def.one_way = vec(0.3, 0.7);
    MUST(imp_body_create(world, &def, &body));
    MUST(imp_body_add_box(world, body, &shape_def, 1, 2, vec(0.3, 0.1), 0.7, 0.05, &box));
    run(world, 11);
    MUST(imp_body_definition(world, body, &def));
    CHECK(def.mass == 2 && def.inertia == 0);
    ImpShapeForm form, form_again;
    MUST(imp_shape_definition(world, box, &shape_read, &form));
    CHECK(form.type == IMP_SHAPE_BOX && form.width == 1 && form.height == 2 && form.angle == 0.7);
    CHECK(same_vec(form.center, vec(0.3, 0.1)) && form.radius == 0.05);

    MUST(imp_body_create(world, &def, &copy));
    MUST(imp_body_add_box(world, copy, &shape_read, form.width, form.height, form.center, form.angle, form.radius,
                          &other));
    ImpVec2 center, now;
    MUST(imp_body_center(world, body, &center));
    MUST(imp_body_set_center(world, copy, center));
    MUST(imp_body_center(world, copy, &now));
    CHECK(same_vec(center, now));
    ImpBodyDef def_again;
    ImpShapeDef shape_again;
    MUST(imp_body_definition(world, copy, &def_again));
    MUST(imp_shape_definition(world, other, &shape_again, &form_again));
    CHECK(same_vec(def.position, def_again.position) && def.angle == def_again.angle);
    CHECK(def.type == def_again.type && def.mass == def_again.mass && def.awake == def_again.awake);
    CHECK(same_vec(shape_read.one_way, shape_again.one_way));
    CHECK(body_get(world, body, IMP_BODY_INERTIA) == body_get(world, copy, IMP_BODY_INERTIA));
  }
  imp_world_destroy(world);
}


// Joints of each kind after some motion, with the second coordinate free and a motor on the first coordinate. Every
// second joint has broken = true.
static void joints_are_recreated_in_their_current_state(void) {
  for (int kind = 0; kind < IMP_JOINT_CONSTRAINT; ++kind) {
    ImpWorld *world = make_rig(IMP_SOLVER_SI, 60, 0, 9.81);
    ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 1, 0.2, 2, 1);
    ImpJoint parts[2] = {{0}};
    for (int i = 0; i < 2; ++i) {
      ImpJointDef part = imp_joint_def(IMP_JOINT_REVOLUTE, ground_of(world), i == 0 ? a : b);
      MUST(imp_joint_create(world, &part, &parts[i]));
    }
    ImpJointDef def = imp_joint_def((ImpJointKind)kind, a, b), read, again;
    def.axis = vec(0.3, 0.7);
    def.ground_a = def.ground_b = vec(0, 9);
    def.break_force = 1e9;
    def.broken = kind % 2;
    for (int i = 0; i < 2; ++i) def.term[i] = (ImpCoordinate){parts[i], 2};
    def.drive[0].on = 1u << IMP_DRIVE_MOTOR;
    def.drive[0].speed = 0.5;
    def.free = 2;
    ImpJoint joint = {0}, copy = {0};
    MUST(imp_joint_create(world, &def, &joint));
    run(world, 5);
    MUST(imp_joint_definition(world, joint, &read));
    MUST(imp_joint_create(world, &read, &copy));
    MUST(imp_joint_definition(world, copy, &again));
    CHECK(read.kind == again.kind && read.body_a.id == again.body_a.id && read.body_b.id == again.body_b.id);
    CHECK(same_vec(read.anchor_a, again.anchor_a) && same_vec(read.anchor_b, again.anchor_b));
    CHECK(same_vec(read.axis, again.axis) && read.ratio == again.ratio && read.pitch == again.pitch);
    CHECK(read.reference_angle == again.reference_angle || read.term[0].joint.id != 0);
    CHECK(read.term[1].joint.id == again.term[1].joint.id && read.term[1].index == again.term[1].index);
    CHECK(read.free == again.free && read.break_force == 1e9 && again.broken == (kind % 2 == 1));
    for (int i = 0; i < 3; ++i) {
      CHECK(difference(&impi_drive_set_layout, &read.drive[i], &again.drive[i]) == NULL);
    }
    CHECK(event_count(world, IMP_EVENT_JOINT_BREAK) == 0);
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(every_member_of_a_body_is_read_back);
  RUN(every_member_of_a_shape_is_read_back);
  RUN(every_member_of_a_mover_is_read_back);
  RUN(every_member_of_a_field_is_read_back);
  RUN(every_member_of_a_joint_is_read_back);
  RUN(a_recreated_world_continues_its_clock_and_random_numbers);
  RUN(bodies_and_shapes_are_recreated_in_their_current_state);
  RUN(joints_are_recreated_in_their_current_state);
  return check_report("definition");
}
