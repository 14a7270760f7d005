// The benchmark's scenes on impel, solver soft. The option is the width of its lanes, 0 for the machine's.
#include "engine.h"

#include "impel.h"

static ImpWorld *world;
static ImpBody *bodies;                    // by piece
static double stage_time[IMP_STAGE_COUNT]; // wall clock, summed over all steps [s]


// A benchmark that cannot be set up ends here.
static void must(ImpStatus status) {
  if (status == IMP_OK) return;
  fprintf(stderr, "impel: %s\n", imp_last_error());
  exit(1);
}


static void add(int i, const Piece *piece) {
  ImpBodyDef def = imp_body_def();
  ImpShapeDef surface = imp_shape_def();
  ImpShape shape;
  const ImpVec2 origin = {0, 0};
  bool segment = piece->kind == PIECE_SEGMENT;
  def.type = piece->moves ? IMP_BODY_DYNAMIC : IMP_BODY_STATIC;
  def.position = segment ? origin : (ImpVec2){piece->x, piece->y};
  surface.density = SCENE_DENSITY;
  surface.friction = SCENE_FRICTION;
  surface.category = piece->category;
  surface.mask = piece->mask;
  must(imp_body_create(world, &def, &bodies[i]));
  if (piece->kind == PIECE_BOX) {
    must(imp_body_add_box(world, bodies[i], &surface, 2 * piece->p, 2 * piece->q, origin, 0, 0, &shape));
  } else if (piece->kind == PIECE_CIRCLE) {
    must(imp_body_add_circle(world, bodies[i], &surface, origin, piece->p, &shape));
  } else {
    const ImpVec2 from = {piece->x, piece->y}, to = {piece->p, piece->q};
    must(imp_body_add_segment(world, bodies[i], &surface, from, to, &shape));
  }
}


static void join(const Pin *pin) {
  ImpJointDef def = imp_joint_def(IMP_JOINT_REVOLUTE, bodies[pin->a], bodies[pin->b]);
  ImpJoint joint;
  def.place_a = def.place_b = IMP_PLACE_LOCAL;
  def.anchor_a = (ImpVec2){pin->x_a, pin->y_a};
  def.anchor_b = (ImpVec2){pin->x_b, pin->y_b};
  must(imp_joint_create(world, &def, &joint));
}


static void create(const Scene *scene, int option) {
  ImpWorldDef def = imp_world_def();
  def.gravity = (ImpVec2){0, SCENE_GRAVITY};
  def.dt = SCENE_DT;
  must(imp_world_create(&def, &world));
  must(imp_world_set(world, IMP_WORLD_SLEEP, scene->sleep));
  must(imp_world_set(world, IMP_WORLD_LANES, option));
  bodies = calloc((size_t)scene->count + 1, sizeof *bodies);
  if (bodies == NULL) exit(1);
  for (int i = 0; i < scene->count; ++i) add(i, &scene->pieces[i]);
  for (int i = 0; i < scene->pin_count; ++i) join(&scene->pins[i]);
}


static void step(void) {
  must(imp_world_step(world));
  ImpProfile profile = imp_world_profile(world);
  for (int stage = 0; stage < IMP_STAGE_COUNT; ++stage) stage_time[stage] += profile.stage[stage];
}


static Pose pose(int piece) {
  ImpVec2 p, v;
  double angle, w;
  must(imp_body_position(world, bodies[piece], &p));
  must(imp_body_velocity(world, bodies[piece], &v));
  must(imp_body_get(world, bodies[piece], IMP_BODY_ANGLE, &angle));
  must(imp_body_get(world, bodies[piece], IMP_BODY_ANGULAR_VELOCITY, &w));
  return (Pose){p.x, p.y, angle, v.x, v.y, w};
}


static int awake(void) { return imp_world_counts(world).awake; }


static void report(int steps) {
  ImpCounts counts = imp_world_counts(world);
  printf(" contacts=%d rows=%d colours=%d held=%zu", counts.contacts, counts.rows, counts.colours, counts.bytes);
  for (int stage = 0; stage < IMP_STAGE_COUNT; ++stage) {
    printf(" stage_%s=%.6f", imp_stage_name(stage), 1e3 * stage_time[stage] / steps);
  }
}


static const Engine engine = {"impel", create, step, pose, awake, report};

ENGINE_MAIN(engine)
