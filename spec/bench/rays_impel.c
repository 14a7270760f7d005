// The rays of rays.h in impel.
#include "impel.h"
#include "rays.h"

static ImpWorld *world;

static void ray_body(int kind, int is_static, double x, double y, double angle) {
  ImpBodyDef def = imp_body_def();
  ImpShapeDef shape_def = imp_shape_def();
  ImpVec2 corners[4];
  ImpBody body;
  ImpShape shape;
  if (!world) {
    ImpWorldDef world_def = imp_world_def();
    world_def.gravity = (ImpVec2){0, 0};
    imp_world_create(&world_def, &world);
  }
  def.type = is_static ? IMP_BODY_STATIC : IMP_BODY_DYNAMIC;
  def.position = (ImpVec2){x, y};
  def.angle = angle;
  imp_body_create(world, &def, &body);
  for (int i = 0; i < 4; ++i) corners[i] = (ImpVec2){ray_corners[i][0], ray_corners[i][1]};
  if (kind == 0) {
    imp_body_add_circle(world, body, &shape_def, (ImpVec2){0, 0}, 0.5, &shape);
  } else if (kind == 1) {
    imp_body_add_box(world, body, &shape_def, 1, 1, (ImpVec2){0, 0}, 0, 0, &shape);
  } else if (kind == 2) {
    imp_body_add_capsule(world, body, &shape_def, (ImpVec2){-0.5, 0}, (ImpVec2){0.5, 0}, 0.3, &shape);
  } else {
    imp_body_add_polygon(world, body, &shape_def, corners, 4, 0, &shape);
  }
}

static void ray_ready(void) {}

static int ray_first(double x1, double y1, double x2, double y2) {
  ImpHit hit;
  return imp_world_raycast(world, (ImpVec2){x1, y1}, (ImpVec2){x2, y2}, NULL, &hit) == IMP_OK && hit.shape.id != 0;
}
