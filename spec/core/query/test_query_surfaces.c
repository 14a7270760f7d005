// Rays that start or end on the surface of solids. Rays into the solid hit, rays out of the solid do not. Cuts between
// the pieces of a concave polygon have no effect.
#include <math.h>

#include "scene.h"

// `trough`: a box of 4 m by 3 m with a notch. `frame`: a box of 4 m by 3 m with a hole.
static const ImpVec2 trough[8] = {{-2, 0}, {2, 0}, {2, 3}, {1, 3}, {1, 1}, {-1, 1}, {-1, 3}, {-2, 3}};
static const ImpVec2 frame[8] = {{-2, 0}, {2, 0}, {2, 3}, {-2, 3}, {-1, 1}, {1, 1}, {1, 2}, {-1, 2}};
static const ImpVec2 block[4] = {{-2, 0}, {2, 0}, {2, 3}, {-2, 3}};

typedef enum Kind { BLOCK, TROUGH, FRAME, KINDS } Kind;

typedef struct Solid {
  Kind kind;
  ImpWorld *world;
  ImpShape shape;
  ImpVec2 corners[8];
  int count;
} Solid;

static Solid solid_of(Kind kind) {
  Solid solid = {.kind = kind, .count = kind == BLOCK ? 4 : 8};
  ImpWorldDef def = imp_world_def();
  ImpBodyDef body_def = imp_body_def();
  ImpShapeDef shape_def = imp_shape_def();
  ImpBody body;
  memcpy(solid.corners,
         kind == BLOCK    ? block
         : kind == TROUGH ? trough
                          : frame,
         sizeof block * (kind == BLOCK ? 1 : 2));
  MUST(imp_world_create(&def, &solid.world));
  MUST(imp_body_create(solid.world, &body_def, &body));
  if (kind == FRAME) {
    MUST(imp_body_add_polygon_with_holes(solid.world, body, &shape_def, frame, (int[]){4, 4}, 2, 0, &solid.shape));
  } else {
    MUST(imp_body_add_polygon(solid.world, body, &shape_def, solid.corners, solid.count, 0, &solid.shape));
  }
  return solid;
}


static bool is_solid(Kind kind, double x, double y) {
  bool hollow = fabs(x) <= 1 && y >= 1 && (kind == TROUGH || (kind == FRAME && y <= 2));
  return fabs(x) < 2 && y > 0 && y < 3 && (kind == BLOCK || !hollow);
}


// Return whether a vector is a unit vector along an axis.
static bool is_normal(ImpVec2 n) { return fabs(fabs(n.x) + fabs(n.y) - 1) < 1e-12 && fabs(n.x * n.y) < 1e-12; }


// Rays start on each corner and edge of the outline, in directions of small integers.
static void a_ray_from_a_surface_hits_only_inward(void) {
  for (Kind kind = BLOCK; kind < KINDS; ++kind) {
    Solid solid = solid_of(kind);
    for (int i = 0; i < 4 * solid.count; ++i) {
      int corner = i / 4, ring = kind == FRAME ? corner / 4 * 4 : 0, length = kind == FRAME ? 4 : solid.count;
      ImpVec2 a = solid.corners[corner], b = solid.corners[ring + (corner - ring + 1) % length];
      ImpVec2 from = {a.x + (b.x - a.x) * (i % 4) / 4, a.y + (b.y - a.y) * (i % 4) / 4};
      for (int k = 0; k < 81; ++k) {
        double dx = k % 9 - 4, dy = k / 9 - 4;
        if (dx == 0 && dy == 0) continue;
        ImpHit hit;
        MUST(imp_world_raycast(solid.world, from, vec(from.x + 0.05 * dx, from.y + 0.05 * dy), NULL, &hit));
        bool goes_in = is_solid(kind, from.x + 1e-3 * dx, from.y + 1e-3 * dy);
        CHECK((hit.shape.id != 0) == goes_in);
        if (hit.shape.id != 0) CHECK_NEAR(hit.fraction, 0, 1e-8); // the ray hits at its start
        // At a reflex corner with only an internal edge ahead, the normal is opposite to the ray.
        double head_on = -(hit.normal.x * dx + hit.normal.y * dy) / hypot(dx, dy);
        if (hit.shape.id != 0) CHECK(head_on > 0 && (is_normal(hit.normal) || head_on > 1 - 1e-12));
      }
    }
    imp_world_destroy(solid.world);
  }
}


// A ray starts at a corner of the block and leads away from the block. Rounding may move the start off the corner.
static void a_ray_past_its_starting_corner_hits_nothing(void) {
  Solid solid = solid_of(BLOCK);
  for (int i = -4; i <= 4; ++i) {
    for (int k = -4; k <= 4; ++k) {
      ImpVec2 from = {2 + i * 1e-10, 3 + k * 1e-10};
      ImpHit hit;
      MUST(imp_world_raycast(solid.world, from, vec(from.x - 1, from.y + 1), NULL, &hit));
      CHECK(hit.shape.id == 0);
      MUST(imp_world_raycast(solid.world, from, vec(from.x + 1, from.y - 1), NULL, &hit));
      CHECK(hit.shape.id == 0);
      MUST(imp_world_raycast(solid.world, from, vec(from.x - 1, from.y - 1), NULL, &hit));
      CHECK(hit.shape.id == solid.shape.id);
    }
  }
  imp_world_destroy(solid.world);
}


static void a_ray_from_inside_hits_at_fraction_0(void) {
  for (Kind kind = BLOCK; kind < KINDS; ++kind) {
    Solid solid = solid_of(kind);
    int calls = 0;
    for (int i = 0; i < 63 * 47; ++i) { // a grid of start points, some of them on the internal edges
      ImpVec2 from = {(i % 63 - 31) / 16.0, (i / 63 + 1) / 16.0};
      if (!is_solid(kind, from.x, from.y)) continue;
      for (int k = 0; k < 25; ++k) {
        ImpHit hit;
        MUST(imp_world_raycast(solid.world, from, vec(from.x + k % 5 - 2, from.y + k / 5 - 2), NULL, &hit));
        CHECK(hit.shape.id == solid.shape.id && hit.fraction == 0 && hit.normal.x == 0 && hit.normal.y == 0);
        ++calls;
      }
    }
    CHECK(calls > 10000);
    imp_world_destroy(solid.world);
  }
}


// Rays from the trough to its corners, where pieces meet. The normal is that of a wall or of the floor.
static void a_ray_into_a_reflex_corner_hits_a_face(void) {
  Solid solid = solid_of(TROUGH);
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i <= 32; ++i) {
      double dx = side * i / 16.0, dy = -(32 - i) / 16.0; // directions from straight down to straight sideways
      ImpVec2 corner = {side, 1}, from = {corner.x - 0.5 * dx, corner.y - 0.5 * dy};
      ImpHit hit;
      MUST(imp_world_raycast(solid.world, from, vec(corner.x + dx, corner.y + dy), NULL, &hit));
      CHECK(hit.shape.id == solid.shape.id);
      CHECK_NEAR(hit.fraction, 1.0 / 3, 1e-12); // rounding
      CHECK(is_normal(hit.normal) && hit.normal.x * dx + hit.normal.y * dy < 0);
      CHECK(hit.normal.x * side <= 0 && hit.normal.y >= 0);
      ImpHit alone;
      MUST(imp_shape_raycast(solid.world, solid.shape, from, vec(corner.x + dx, corner.y + dy), &alone));
      CHECK(alone.shape.id == hit.shape.id && alone.body.id == hit.body.id && alone.fraction == hit.fraction);
      // Both rays hit the same piece, so the normals are equal.
      CHECK(alone.normal.x == hit.normal.x && alone.normal.y == hit.normal.y);
    }
  }
  imp_world_destroy(solid.world);
}


// A ray that is reflected at a hit starts again from the hit and always makes progress, also in corners.
static void a_reflected_ray_leaves_the_surface(void) {
  Solid solid = solid_of(FRAME);
  for (int i = 0; i < 360; ++i) {
    ImpVec2 from = {0, 1.5}, way = {cos(i * 0.25), sin(i * 0.25)};
    // Some rays point towards the corners of the hole.
    if (i % 4 == 0) way = vec(i % 8 == 0 ? 1 : -1, i % 16 < 8 ? 0.5 : -0.5);
    for (int bounce = 0; bounce < 20; ++bounce) {
      ImpHit hit;
      MUST(imp_world_raycast(solid.world, from, vec(from.x + 9 * way.x, from.y + 9 * way.y), NULL, &hit));
      CHECK(hit.shape.id == solid.shape.id && hit.fraction > 1e-9);
      CHECK(fabs(hit.point.x) <= 1 + 1e-9 && fabs(hit.point.y - 1.5) <= 0.5 + 1e-9); // the ray does not enter the solid
      bool at_corner = fabs(fabs(hit.point.x) - 1) < 1e-9 && fabs(fabs(hit.point.y - 1.5) - 0.5) < 1e-9;
      double along = 2 * (way.x * hit.normal.x + way.y * hit.normal.y);
      way = at_corner ? vec(-way.x, -way.y) : vec(way.x - along * hit.normal.x, way.y - along * hit.normal.y);
      from = hit.point;
    }
  }
  imp_world_destroy(solid.world);
}


int main(void) {
  RUN(a_ray_from_a_surface_hits_only_inward);
  RUN(a_ray_past_its_starting_corner_hits_nothing);
  RUN(a_ray_from_inside_hits_at_fraction_0);
  RUN(a_ray_into_a_reflex_corner_hits_a_face);
  RUN(a_reflected_ray_leaves_the_surface);
  return check_report("query_surfaces");
}
