// Buoyancy: lift and drag on the part of a shape that is below a water surface.
//
// The surface is level, or waves travel along it; under a body the surface is replaced by its tangent. Each piece of a
// shape is cut exactly by the tangent; Green's theorem gives the integrals over the submerged part. X is along the
// surface and Y above it. The cut contributes nothing, because it has Y = 0:
//   A = -∮ Y dX      Mx = ∫ X dA = -∮ X Y dX      My = ∫ Y dA = -1/2 ∮ Y^2 dX
// The lift -rho A g acts at the centroid. Drag is a force -d A (v - u) at the centroid and a torque -d J w, with d =
// linear + quadratic * speed and J the second moment of area about the centroid. J of the submerged part is
// approximated by J of the whole times (A / whole A)^2.
// Waves are those of deep water: the surface is level + a sin(k (x - c t)), and the velocity of the water a k c (sin,
// -cos).
//   source: Lamb, "Hydrodynamics" (1932), article 229
// Left out: the pressure gradient of the waves (Froude-Krylov force), and the breaking of waves.
// A light body oscillates at the angular frequency sqrt(rho g width / m). If the frequency is too high for the substep,
// the force is integrated implicitly (see MAX_SWING).
#include "model/field.h"

// Largest phase by which an explicit oscillation advances in a substep [rad], as in field_point.c.
#define MAX_SWING 0.5

// The submerged part of a piece, in the coordinates X along the surface and Y above it.
typedef struct Wet {
  double area, mx, my;
  double left, right; // X of the ends of the cut [m]
} Wet;

// The surface under a body, in the body's frame about its centre of mass.
typedef struct Surface {
  ImpVec2 along, normal; // unit vectors of X and Y
  double height;         // height of the surface above the centre of mass, along `normal` [m]
  ImpVec2 velocity;      // velocity of the water, in world axes [m/s]
} Surface;

typedef struct Water {
  double density, linear, quadratic;
  ImpVec2 gravity;
  double h, reach; // see ImpiFieldScene
} Water;


static void note_cut(double x, Wet *wet) {
  wet->left = impi_min(wet->left, x);
  wet->right = impi_max(wet->right, x);
}


static void add_edge(ImpVec2 a, ImpVec2 b, Wet *wet) {
  if (a.y > 0 && b.y > 0) {
    return;
  }
  if (a.y > 0 || b.y > 0) {
    ImpVec2 cut = {a.x + (b.x - a.x) * (a.y / (a.y - b.y)), 0};
    note_cut(cut.x, wet);
    *(a.y > 0 ? &a : &b) = cut;
  }
  double dx = b.x - a.x;
  wet->area -= dx * (a.y + b.y) / 2;
  wet->mx -= dx * (a.x * (2 * a.y + b.y) + b.x * (a.y + 2 * b.y)) / 6;
  wet->my -= dx * (a.y * a.y + a.y * b.y + b.y * b.y) / 6;
}


// Add a submerged arc about p from direction a to direction b, turning by `angle`.
static void add_arc(ImpVec2 p, double r, ImpVec2 a, ImpVec2 b, double angle, Wet *wet) {
  double s = a.x - b.x, ss = (angle - (b.x * b.y - a.x * a.y)) / 2, cs = (b.y * b.y - a.y * a.y) / 2;
  double css = (b.y * b.y * b.y - a.y * a.y * a.y) / 3, sss = s - (a.x * a.x * a.x - b.x * b.x * b.x) / 3;
  wet->area += r * (p.y * s + r * ss);
  wet->mx += r * (p.x * (p.y * s + r * ss) + r * (p.y * cs + r * css));
  wet->my += 0.5 * r * (p.y * (p.y * s + 2 * r * ss) + r * r * sss);
}


// Add the submerged part of an arc about p, from direction a by `angle` counter-clockwise to direction b. The submerged
// part of the circle begins at a point to the left of p and ends at a point to the right of p.
static void add_round(ImpVec2 p, double r, ImpVec2 a, ImpVec2 b, double angle, Wet *wet) {
  if (p.y >= r) {
    return;
  }
  if (p.y <= -r) {
    add_arc(p, r, a, b, angle, wet);
    return;
  }
  double height = -p.y / r, side = sqrt(impi_max(1 - height * height, 0)), turn = 2 * IMPI_PI;
  double first = imp_atan2(a.y, a.x), right = imp_atan2(height, side) - first, left = IMPI_PI - 2 * first - right;
  right -= turn * floor(right / turn); // angle from direction a, in [0, 2 pi)
  left -= turn * floor(left / turn);
  bool leaves = right < angle, returns = left < angle;
  ImpVec2 at_right = {side, height}, at_left = {-side, height};
  if (leaves) {
    note_cut(p.x + r * side, wet);
  }
  if (returns) {
    note_cut(p.x - r * side, wet);
  }
  if (leaves && returns && right < left) {
    add_arc(p, r, a, at_right, right, wet);
    add_arc(p, r, at_left, b, angle - left, wet);
  } else if (leaves && returns) {
    add_arc(p, r, at_left, at_right, right - left, wet);
  } else if (leaves) {
    add_arc(p, r, a, at_right, right, wet);
  } else if (returns) {
    add_arc(p, r, at_left, b, angle - left, wet);
  } else if (2 * p.y + r * (a.y + b.y) < 0) {
    add_arc(p, r, a, b, angle, wet);
  }
}


static ImpVec2 seen(const Surface *surface, ImpVec2 p) {
  return (ImpVec2){impi_dot(surface->along, p), impi_dot(surface->normal, p) - surface->height};
}


static ImpVec2 seen_direction(const Surface *surface, ImpVec2 n) {
  return (ImpVec2){impi_dot(surface->along, n), impi_dot(surface->normal, n)};
}


static Wet cut_hull(const Surface *surface, const ImpiHull *hull, ImpVec2 center) {
  Wet wet = {.left = HUGE_VAL, .right = -HUGE_VAL};
  if (hull->count == 1) {
    ImpVec2 p = seen(surface, impi_sub(hull->v[0], center)), top = {0, 1};
    add_round(p, hull->radius, top, top, 2 * IMPI_PI, &wet);
    return wet;
  }
  for (int i = 0; i < hull->count; ++i) {
    ImpVec2 n = seen_direction(surface, hull->n[i]), grown = impi_scale(hull->radius, n);
    ImpVec2 a = seen(surface, impi_sub(hull->v[i], center));
    ImpVec2 b = seen(surface, impi_sub(hull->v[i + 1 < hull->count ? i + 1 : 0], center));
    add_edge(impi_add(a, grown), impi_add(b, grown), &wet);
    if (hull->radius > 0) {
      ImpVec2 before = seen_direction(surface, hull->n[i > 0 ? i - 1 : hull->count - 1]);
      double angle = hull->count == 2 ? IMPI_PI : imp_atan2(impi_cross(before, n), impi_dot(before, n));
      add_round(a, hull->radius, before, n, angle, &wet);
    }
  }
  return wet;
}


// Return true if a circle around the piece does not cross the surface. Then `out_wet` is the whole piece if the piece
// is below the surface, and nothing if it is above.
static bool is_clear(const Surface *surface, const ImpiHull *hull, const ImpiMass *mass, ImpVec2 center, Wet *out_wet) {
  ImpVec2 p = seen(surface, impi_sub(mass->center, center));
  double reach = hull->extent + impi_length(impi_sub(hull->centroid, mass->center));
  bool below = p.y < -reach;
  *out_wet = below ? (Wet){mass->area, mass->area * p.x, mass->area * p.y, 0, 0} : (Wet){0};
  return below || p.y > reach;
}


// Add lift and drag of the submerged part about the centre of mass, in world axes.
static void take_wet(const Water *water, const Surface *surface, const Wet *wet, const ImpiMass *mass, int i,
                     ImpiFieldBlock *block) {
  double area = wet->area, part = mass->area > 0 ? area / mass->area : 0;
  ImpRot q = {block->c[i], block->s[i]};
  double x = wet->mx / area, y = wet->my / area + surface->height;
  ImpVec2 p = impi_rotate(q, impi_add(impi_scale(x, surface->along), impi_scale(y, surface->normal)));
  double moment = mass->inertia * part * part, w = block->w[i];
  ImpVec2 v = impi_add(impi_vec(block->vx[i], block->vy[i]), impi_cross_sv(w, p)), u = surface->velocity;
  double speed = sqrt(impi_length_sq(impi_sub(v, u)) + w * w * moment / area);
  double d = (water->linear + water->quadratic * speed) * area;
  ImpVec2 force = impi_add(impi_scale(-water->density * area, water->gravity), impi_scale(d, u));
  ImpiDrag *drag = &block->drag[i];
  drag->xx += d;
  drag->yy += d;
  drag->xw -= d * p.y;
  drag->yw += d * p.x;
  drag->ww += d * (impi_length_sq(p) + moment / area);
  block->ax[i] += block->inv_mass[i] * force.x;
  block->ay[i] += block->inv_mass[i] * force.y;
  block->aw[i] += block->inv_inertia[i] * impi_cross(p, force);
}


// If the vertical or the rolling oscillation of a body is too fast for the substep, integrate its lift implicitly: add
// stiffness * `reach` as drag.
static void steady(const Water *water, const Surface *surface, const Wet *wet, int i, ImpiFieldBlock *block) {
  double width = wet->right - wet->left;
  if (!(width > 0)) {
    return;
  }
  double g, limit = MAX_SWING * MAX_SWING / (water->h * water->h);
  ImpVec2 up = impi_neg(impi_normalize(water->gravity, &g));
  double stiffness = water->density * g * width, roll = stiffness * width * width / 12;
  if (stiffness * block->inv_mass[i] < limit && roll * block->inv_inertia[i] < limit) {
    return;
  }
  double middle = 0.5 * (wet->left + wet->right);
  ImpVec2 p = impi_rotate((ImpRot){block->c[i], block->s[i]},
                          impi_add(impi_scale(middle, surface->along), impi_scale(surface->height, surface->normal)));
  double lever = impi_cross(p, up), d = water->reach * stiffness;
  ImpiDrag *drag = &block->drag[i];
  drag->xx += d * up.x * up.x;
  drag->xy += d * up.x * up.y;
  drag->yy += d * up.y * up.y;
  drag->xw += d * up.x * lever;
  drag->yw += d * up.y * lever;
  drag->ww += d * lever * lever + water->reach * roll;
}


// Return the surface of the water under a body at (x, y), and the water's velocity.
static Surface surface_at(const ImpiForceField *field, double t, double x, double y, ImpRot q) {
  const double *value = field->value;
  double amplitude = value[IMP_FIELD_WAVE_AMPLITUDE], level = value[IMP_FIELD_LEVEL], slope = 0;
  ImpVec2 velocity = field->vector[IMP_FIELD_VELOCITY];
  if (amplitude > 0) {
    double length = value[IMP_FIELD_WAVE_LENGTH], speed = value[IMP_FIELD_WAVE_SPEED];
    double wave = 2 * IMPI_PI / length, at = (x - speed * t) / length, sine, cosine;
    impi_sincos(2 * IMPI_PI * (at - floor(at)), &sine, &cosine);
    level += amplitude * sine;
    slope = amplitude * wave * cosine;
    velocity.x += amplitude * wave * speed * sine;
    velocity.y -= amplitude * wave * speed * cosine;
  }
  double flat = 1 / sqrt(1 + slope * slope);
  ImpVec2 along = {flat, slope * flat}, normal = {-slope * flat, flat};
  return (Surface){impi_inv_rotate(q, along), impi_inv_rotate(q, normal), flat * (level - y), velocity};
}


void impi_field_buoyancy(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  const double *value = field->value;
  Water water = {value[IMP_FIELD_DENSITY],
                 value[IMP_FIELD_LINEAR],
                 value[IMP_FIELD_QUADRATIC],
                 scene->gravity,
                 scene->h,
                 scene->reach};
  double crest = value[IMP_FIELD_LEVEL] + value[IMP_FIELD_WAVE_AMPLITUDE];
  bool waves = value[IMP_FIELD_WAVE_AMPLITUDE] > 0;
  impi_field_couple(block);
  block->timed |= waves;
  for (int i = 0; i < block->count; ++i) {
    const ImpiBody *body = &scene->bodies[block->affected[i].slot];
    if (block->y[i] - body->extent > crest) {
      continue;
    }
    block->restless[i] |= waves;
    Surface surface = surface_at(field, scene->t, block->x[i], block->y[i], (ImpRot){block->c[i], block->s[i]});
    for (int32_t s = body->first_shape; s >= 0; s = scene->shapes[s].next) {
      const ImpiShape *shape = &scene->shapes[s];
      if (!shape->attached || shape->sensor || !(shape->geometry.figure->mass.area > 0)) {
        continue;
      }
      Wet wet;
      bool clear = is_clear(&surface, shape->geometry.hulls, &shape->geometry.figure->mass, body->local_center, &wet);
      wet = clear ? wet : cut_hull(&surface, shape->geometry.hulls, body->local_center);
      if (wet.area > 0) {
        take_wet(&water, &surface, &wet, &shape->geometry.figure->mass, i, block);
        if (!clear) {
          steady(&water, &surface, &wet, i, block);
        }
      }
    }
  }
}
