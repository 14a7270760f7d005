// Mass, centre of mass and inertia of a scene's bodies.
#ifndef BENCH_SCENE_MASS_H
#define BENCH_SCENE_MASS_H

#include "scene.h"

typedef struct Mass {
  double mass, x, y,
      inertia; // mass [kg]; centre of mass in the body's frame [m]; inertia about the centre of mass [kg m^2]
} Mass;


// Combine two masses.
static inline Mass mass_sum(Mass a, Mass b) {
  Mass sum = {a.mass + b.mass, 0, 0, a.inertia + b.inertia};
  if (sum.mass <= 0) return sum;
  double dx = b.x - a.x, dy = b.y - a.y, part = b.mass / sum.mass;
  sum.x = a.x + part * dx;
  sum.y = a.y + part * dy;
  sum.inertia += a.mass * part * (dx * dx + dy * dy);
  return sum;
}


static inline Mass mass_of_triangle(Point a, Point b, Point c, double density) {
  double ux = b.x - a.x, uy = b.y - a.y, vx = c.x - a.x, vy = c.y - a.y, mass = 0.5 * density * (ux * vy - uy * vx);
  double sum = ux * ux + uy * uy + vx * vx + vy * vy - ux * vx - uy * vy;
  Mass triangle = {mass, a.x + (ux + vx) / 3, a.y + (uy + vy) / 3, mass * sum / 18};
  return triangle;
}


// Return the mass of a polygon with corners of the given radius. The mass of the border outside of the sharp polygon is
// distributed evenly over the sharp polygon.
static inline Mass mass_of_polygon(const Point *points, int count, double radius, double density) {
  Mass sum = {0, points[0].x, points[0].y, 0};
  double edges = 0;
  for (int i = 0; i < count; ++i) {
    Point a = points[i], b = points[(i + 1) % count];
    edges += hypot(b.x - a.x, b.y - a.y);
    if (i > 0 && i + 1 < count) sum = mass_sum(sum, mass_of_triangle(points[0], a, b, density));
  }
  double rim = 1 + density * radius * (edges + SCENE_PI * radius) / sum.mass;
  sum.mass *= rim;
  sum.inertia *= rim;
  return sum;
}


static inline Mass mass_of_capsule(Point a, Point b, double radius, double density) {
  double length = hypot(b.x - a.x, b.y - a.y), half = 0.5 * length, sq = radius * radius;
  double middle = 2 * density * radius * length, ends = SCENE_PI * density * sq;
  double arm = 4 * radius / (3 * SCENE_PI); // distance from the centre of a disc to the centroid of a half disc
  Mass capsule = {middle + ends, 0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0};
  capsule.inertia =
      middle * (length * length + 4 * sq) / 12 + ends * (0.5 * sq - arm * arm + (half + arm) * (half + arm));
  return capsule;
}


static inline Mass mass_of_piece(const Scene *scene, const Piece *piece) {
  const Point *points = &scene->points[piece->first];
  double density = piece->surface.density;
  const Mass none = {0, 0, 0, 0};
  if (piece->kind == PIECE_CIRCLE) return mass_of_capsule(points[0], points[0], piece->radius, density);
  if (piece->kind == PIECE_CAPSULE) return mass_of_capsule(points[0], points[1], piece->radius, density);
  if (piece->kind == PIECE_SEGMENT || piece->kind == PIECE_LOOP) return none;
  return mass_of_polygon(points, piece->count, piece->radius, density);
}


static inline Mass mass_of_body(const Scene *scene, const Body *body) {
  Mass sum = {0, 0, 0, 0};
  for (int i = body->first; i < body->first + body->count; ++i) {
    sum = mass_sum(sum, mass_of_piece(scene, &scene->pieces[i]));
  }
  return sum;
}

#endif
