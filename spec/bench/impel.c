// The benchmark's scenes on impel, solver soft.
#include "engine.h"

#include "impel.h"

static ImpWorld *world;
static const Scene *scene;
static ImpBody *bodies;                    // by place in the scene
static double stage_time[IMP_STAGE_COUNT]; // wall clock, summed over all steps [s]


// A benchmark that cannot be set up ends here.
static void must(ImpStatus status) {
  if (status == IMP_OK) return;
  fprintf(stderr, "impel: %s\n", imp_last_error());
  exit(1);
}


static void create(const Scene *data, const Options *options) {
  ImpWorldDef def = imp_world_def();
  scene = data;
  def.gravity = (ImpVec2){scene->gravity.x, scene->gravity.y};
  def.dt = SCENE_DT;
  must(imp_world_create(&def, &world));
  must(imp_world_set(world, IMP_WORLD_SLEEP, scene->sleep));
  must(imp_world_set(world, IMP_WORLD_HIT_SPEED, 1e9)); // never, but for pieces that say otherwise
  must(imp_world_set(world, IMP_WORLD_LANES, options->lanes));
  must(imp_world_set(world, IMP_WORLD_THREADS, options->threads));
  bodies = calloc((size_t)scene->count + 1, sizeof *bodies);
  if (bodies == NULL) exit(1);
}


static ImpVec2 *points_of(const Piece *piece) {
  ImpVec2 *points = malloc((size_t)piece->count * sizeof *points);
  if (points == NULL) exit(1);
  for (int i = 0; i < piece->count; ++i) {
    points[i] = (ImpVec2){scene->points[piece->first + i].x, scene->points[piece->first + i].y};
  }
  return points;
}


static ImpStatus add_piece(ImpBody body, const Piece *piece, const ImpShapeDef *surface, const ImpVec2 *p) {
  ImpShape shape;
  const ImpVec2 size = {p[piece->count / 2].x - p[0].x, p[piece->count / 2].y - p[0].y};
  switch (piece->kind) {
  case PIECE_BOX:
    return imp_body_add_box(world, body, surface, size.x, size.y,
                            (ImpVec2){p[0].x + 0.5 * size.x, p[0].y + 0.5 * size.y}, 0, piece->radius, &shape);
  case PIECE_CIRCLE:
    return imp_body_add_circle(world, body, surface, p[0], piece->radius, &shape);
  case PIECE_CAPSULE:
    return imp_body_add_capsule(world, body, surface, p[0], p[1], piece->radius, &shape);
  case PIECE_POLYGON:
    return imp_body_add_polygon(world, body, surface, p, piece->count, piece->radius, &shape);
  case PIECE_SEGMENT:
    return imp_body_add_segment(world, body, surface, p[0], p[1], &shape);
  case PIECE_LOOP:
    break;
  }
  return imp_body_add_chain(world, body, surface, p, piece->count, true, &shape);
}


static void add(int i) {
  static const ImpBodyType types[] = {IMP_BODY_STATIC, IMP_BODY_KINEMATIC, IMP_BODY_DYNAMIC};
  const Body *body = &scene->bodies[i];
  ImpBodyDef def = imp_body_def();
  def.type = types[body->kind];
  def.position = (ImpVec2){body->x, body->y};
  def.velocity = (ImpVec2){body->vx, body->vy};
  def.angular_velocity = body->w;
  def.allow_sleep = !body->restless;
  def.awake = !body->asleep;
  must(imp_body_create(world, &def, &bodies[i]));
  for (int k = body->first; k < body->first + body->count; ++k) {
    const Piece *piece = &scene->pieces[k];
    ImpVec2 *points = points_of(piece);
    ImpShapeDef surface = imp_shape_def();
    surface.density = piece->surface.density;
    surface.friction = piece->surface.friction;
    surface.restitution = piece->surface.restitution;
    surface.category = piece->surface.category;
    surface.mask = piece->surface.mask;
    surface.group = piece->surface.group;
    if (piece->surface.hits) surface.hit_speed = 1;
    must(add_piece(bodies[i], piece, &surface, points));
    free(points);
  }
}


static void join(int i) {
  const Pin *pin = &scene->pins[i];
  ImpJointDef def = imp_joint_def(IMP_JOINT_REVOLUTE, bodies[pin->a], bodies[pin->b]);
  ImpDrive *drive = &def.drive[imp_joint_kind(IMP_JOINT_REVOLUTE)->own];
  ImpJoint joint;
  def.place_a = def.place_b = IMP_PLACE_LOCAL;
  def.anchor_a = (ImpVec2){pin->x_a, pin->y_a};
  def.anchor_b = (ImpVec2){pin->x_b, pin->y_b};
  if (pin->motor) drive->on |= 1 << IMP_DRIVE_MOTOR;
  if (pin->limit) drive->on |= 1 << IMP_DRIVE_LIMIT;
  if (pin->spring) drive->on |= 1 << IMP_DRIVE_SPRING;
  drive->speed = pin->speed;
  if (pin->motor) drive->motor_max = pin->torque;
  drive->lower = pin->lower;
  drive->upper = pin->upper;
  drive->hertz = pin->hertz;
  drive->damping_ratio = pin->damping;
  drive->rest = pin->rest;
  must(imp_joint_create(world, &def, &joint));
}


static void remove_body(int i) { must(imp_body_destroy(world, bodies[i])); }
static void move(int i, double x, double y) { must(imp_body_move_to(world, bodies[i], (ImpVec2){x, y})); }


static void step(void) {
  must(imp_world_step(world));
  ImpProfile profile = imp_world_profile(world);
  for (int stage = 0; stage < IMP_STAGE_COUNT; ++stage) stage_time[stage] += profile.stage[stage];
}


static Pose pose(int i) {
  ImpVec2 p, v;
  double angle, w;
  must(imp_body_position(world, bodies[i], &p));
  must(imp_body_velocity(world, bodies[i], &v));
  must(imp_body_get(world, bodies[i], IMP_BODY_ANGLE, &angle));
  must(imp_body_get(world, bodies[i], IMP_BODY_ANGULAR_VELOCITY, &w));
  return (Pose){p.x, p.y, angle, v.x, v.y, w, true};
}


static bool awake(int i) {
  double yes;
  must(imp_body_get(world, bodies[i], IMP_BODY_AWAKE, &yes));
  return yes != 0;
}


static void report(int steps) {
  ImpCounts counts = imp_world_counts(world);
  printf(" contacts=%d rows=%d colours=%d held=%zu hash=%016llx", counts.contacts, counts.rows, counts.colours,
         counts.bytes, (unsigned long long)imp_world_hash(world));
  for (int stage = 0; stage < IMP_STAGE_COUNT; ++stage) {
    printf(" stage_%s=%.6f", imp_stage_name(stage), 1e3 * stage_time[stage] / steps);
  }
}


static const Engine engine = {"impel", create, add, join, NULL, remove_body, move, step, pose, awake, report};

ENGINE_MAIN(engine)
