// The benchmark's scenes on impel with the solver `soft`.
#include "engine.h"

#include "impel.h"

static ImpWorld **worlds; // world_count pointers, in the order of the scene's worlds
static int world_count;
static double length; // length of the last step [s]
static const Scene *scene;
static ImpBody *bodies;                    // bodies by index in the scene
static double stage_time[IMP_STAGE_COUNT]; // wall-clock time of each stage, summed over all steps [s]


// Exit with the engine's message if a call of the set-up fails.
static void must(ImpStatus status) {
  if (status == IMP_OK) return;
  fprintf(stderr, "impel: %s\n", imp_last_error());
  exit(1);
}


static ImpWorld *world_of(int body) { return worlds[scene->bodies[body].world]; }


static ImpWorld *create_world(const Options *options) {
  ImpWorldDef def = imp_world_def();
  ImpWorld *world;
  def.gravity = (ImpVec2){scene->gravity.x, scene->gravity.y};
  def.dt = scene->dt;
  must(imp_world_create(&def, &world));
  must(imp_world_set(world, IMP_WORLD_SLEEP, scene->sleep));
  must(imp_world_set(world, IMP_WORLD_HIT_SPEED, 1e9)); // no hit events, except for pieces with `hits`
  must(imp_world_set(world, IMP_WORLD_LANES, options->lanes));
  must(imp_world_set(world, IMP_WORLD_THREADS, options->threads));
  return world;
}


static void create(const Scene *data, const Options *options) {
  scene = data;
  length = scene->dt;
  world_count = scene_worlds(scene);
  worlds = calloc((size_t)world_count, sizeof *worlds);
  bodies = calloc((size_t)scene->count + 1, sizeof *bodies);
  if (worlds == NULL || bodies == NULL) exit(1);
  for (int i = 0; i < world_count; ++i) worlds[i] = create_world(options);
}


static ImpVec2 *points_of(const Piece *piece) {
  ImpVec2 *points = malloc((size_t)piece->count * sizeof *points);
  if (points == NULL) exit(1);
  for (int i = 0; i < piece->count; ++i) {
    points[i] = (ImpVec2){scene->points[piece->first + i].x, scene->points[piece->first + i].y};
  }
  return points;
}


static ImpStatus add_piece(ImpWorld *world, ImpBody body, const Piece *piece, const ImpShapeDef *surface,
                           const ImpVec2 *p) {
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
  ImpWorld *world = world_of(i);
  ImpBodyDef def = imp_body_def();
  def.type = types[body->kind];
  def.position = (ImpVec2){body->x, body->y};
  def.angle = body->angle;
  def.velocity = (ImpVec2){body->vx, body->vy};
  def.angular_velocity = body->w;
  def.allow_sleep = !body->restless;
  def.awake = !body->asleep;
  def.fixed_rotation = body->fixed_rotation;
  def.bullet = body->bullet;
  must(imp_body_create(world, &def, &bodies[i]));
  for (int k = body->first; k < body->first + body->count; ++k) {
    const Piece *piece = &scene->pieces[k];
    ImpVec2 *points = points_of(piece);
    ImpShapeDef surface = imp_shape_def();
    surface.density = piece->surface.density;
    surface.friction = piece->surface.friction;
    surface.restitution = piece->surface.restitution;
    if (piece->surface.threshold >= 0) surface.restitution_threshold = piece->surface.threshold;
    surface.category = piece->surface.category;
    surface.mask = piece->surface.mask;
    surface.group = piece->surface.group;
    if (piece->surface.hits) surface.hit_speed = 1;
    must(add_piece(world, bodies[i], piece, &surface, points));
    free(points);
  }
  // Pieces move the centre of mass. In a rotating body, the new centre has another velocity: set the velocity again.
  if (body->kind == BODY_DYNAMIC && body->w != 0) must(imp_body_set_velocity(world, bodies[i], def.velocity));
}


static void set_drive(const Pin *pin, ImpDrive *drive) {
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
}


static void join(int i) {
  const Pin *pin = &scene->pins[i];
  ImpJointKind kind = pin->kind == PIN_WELD ? IMP_JOINT_WELD : IMP_JOINT_REVOLUTE;
  ImpJointDef def = imp_joint_def(kind, bodies[pin->a], bodies[pin->b]);
  ImpJoint joint;
  def.place_a = def.place_b = IMP_PLACE_LOCAL;
  def.anchor_a = (ImpVec2){pin->x_a, pin->y_a};
  def.anchor_b = (ImpVec2){pin->x_b, pin->y_b};
  if (kind == IMP_JOINT_REVOLUTE) {
    def.reference_angle = pin->reference;
    set_drive(pin, &def.drive[imp_joint_kind(IMP_JOINT_REVOLUTE)->own]);
  }
  must(imp_joint_create(world_of(pin->a), &def, &joint));
}


static void remove_body(int i) { must(imp_body_destroy(world_of(i), bodies[i])); }


static void move(int i, double x, double y, double dt) {
  (void)dt; // not needed: impel's worlds store the length of a step
  must(imp_body_move_to(world_of(i), bodies[i], (ImpVec2){x, y}));
}


static void step(double dt) {
  for (int i = 0; i < world_count; ++i) {
    if (dt != length) must(imp_world_set(worlds[i], IMP_WORLD_DT, dt));
    must(imp_world_step(worlds[i]));
    ImpProfile profile = imp_world_profile(worlds[i]);
    for (int stage = 0; stage < IMP_STAGE_COUNT; ++stage) stage_time[stage] += profile.stage[stage];
  }
  length = dt;
}


static Pose pose(int i) {
  const ImpWorld *world = world_of(i);
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
  must(imp_body_get(world_of(i), bodies[i], IMP_BODY_AWAKE, &yes));
  return yes != 0;
}


// Print statistics. Counts are sums over the worlds; the hash combines the hashes of all worlds.
static void report(int steps) {
  ImpCounts sum = imp_world_counts(worlds[0]);
  uint64_t hash = imp_world_hash(worlds[0]);
  for (int i = 1; i < world_count; ++i) {
    ImpCounts counts = imp_world_counts(worlds[i]);
    sum.contacts += counts.contacts;
    sum.rows += counts.rows;
    sum.colours += counts.colours;
    sum.bytes += counts.bytes;
    hash = hash * 0x9e3779b97f4a7c15u ^ imp_world_hash(worlds[i]);
  }
  printf(" contacts=%d rows=%d colours=%d held=%zu hash=%016llx", sum.contacts, sum.rows, sum.colours, sum.bytes,
         (unsigned long long)hash);
  for (int stage = 0; stage < IMP_STAGE_COUNT; ++stage) {
    printf(" stage_%s=%.6f", imp_stage_name(stage), 1e3 * stage_time[stage] / steps);
  }
}


static const Engine engine = {"impel", create, add, join, NULL, remove_body, move, step, pose, awake, report};

ENGINE_MAIN(engine)
