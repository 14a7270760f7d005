// The rays of rays.h in Chipmunk.
#include <chipmunk/chipmunk.h>

#include "rays.h"

static cpSpace *space;

static void ray_body(int kind, int is_static, double x, double y, double angle) {
  if (!space) space = cpSpaceNew();
  cpVect corners[4];
  for (int i = 0; i < 4; ++i) corners[i] = cpv(ray_corners[i][0], ray_corners[i][1]);
  cpBody *body = cpSpaceAddBody(space, is_static ? cpBodyNewStatic() : cpBodyNew(1, 1));
  cpBodySetPosition(body, cpv(x, y));
  cpBodySetAngle(body, angle);
  cpSpaceAddShape(space, kind == 0   ? cpCircleShapeNew(body, 0.5, cpvzero)
                         : kind == 1 ? cpBoxShapeNew(body, 1, 1, 0)
                         : kind == 2 ? cpSegmentShapeNew(body, cpv(-0.5, 0), cpv(0.5, 0), 0.3)
                                     : cpPolyShapeNew(body, 4, corners, cpTransformIdentity, 0));
}

// Make a step, which updates the bounding boxes of moving shapes.
static void ray_ready(void) { cpSpaceStep(space, 1e-9); }

static int ray_first(double x1, double y1, double x2, double y2) {
  cpSegmentQueryInfo info;
  return cpSpaceSegmentQueryFirst(space, cpv(x1, y1), cpv(x2, y2), 0, CP_SHAPE_FILTER_ALL, &info) != NULL;
}
