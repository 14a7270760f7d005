// The mass of bodies, computed from their shapes when shapes are added, changed or removed.
#include "base/constants.h"
#include "world/bodies.h"
#include "world/contacts.h"
#include "world/joints.h"
#include "world/shapes.h"
#include "world/sleep.h"


static double farthest_of(const ImpiShape *shape) {
  double farthest = 0;
  for (int32_t i = 0; i < shape->geometry.child_count; ++i) {
    const ImpiHull *hull = &shape->geometry.hulls[i];
    farthest = impi_max(farthest, impi_length(hull->centroid) + hull->extent);
  }
  return farthest;
}


// Return the mass of a geometry of some density. `unit`: mass of the geometry at density 1.
static ImpiMass mass_of(const ImpiMass *unit, double density) {
  return (ImpiMass){density * unit->area, unit->center, density * unit->inertia};
}


static ImpiShapeSum sum_of_shape(const ImpiShape *shape) {
  ImpiShapeSum sum = {.mass = mass_of(&shape->geometry.figure->mass, shape->density),
                      .farthest = farthest_of(shape),
                      .inner = IMPI_HUGE,
                      .count = 1};
  for (int32_t i = 0; i < shape->geometry.child_count && !shape->sensor; ++i) {
    sum.inner = impi_min(sum.inner, impi_hull_inner(&shape->geometry.hulls[i]));
  }
  return sum;
}


void impi_shape_attached(ImpWorld *world, int32_t shape) {
  const ImpiShape *it = &world->shapes.data[shape];
  if (impi_sums_of(&world->shape_sums, it->body) != NULL) {
    impi_sums_insert(&world->shape_sums, it->body, shape, it->serial, sum_of_shape(it));
  }
}


void impi_shape_update_mass(ImpWorld *world, int32_t shape) {
  impi_sums_change(&world->shape_sums, shape, sum_of_shape(&world->shapes.data[shape]));
  impi_body_update_mass(world, world->shapes.data[shape].body);
}


// Return whether a body has more than IMPI_UNSUMMED_SHAPES shapes once `more` shapes are added.
static bool has_many(const ImpWorld *world, int32_t slot, int more) {
  int count = more;
  for (int32_t s = world->bodies.data[slot].first_shape; s >= 0 && count <= IMPI_UNSUMMED_SHAPES;
       s = world->shapes.data[s].next) {
    count++;
  }
  return count > IMPI_UNSUMMED_SHAPES;
}


bool impi_body_reserve_sums(ImpWorld *world, int32_t slot) {
  const ImpiShapeSums *sums = &world->shape_sums;
  int shapes = world->shapes.count + 1, bodies = world->bodies.count;
  bool has_room = shapes <= sums->nodes.capacity && bodies <= sums->roots.capacity;
  return has_room || !has_many(world, slot, 1) || impi_sums_reserve(&world->heap, &world->shape_sums, shapes, bodies);
}


bool impi_sums_reserve_for(ImpiHeap *heap, ImpiShapeSums *sums, const ImpWorld *world) {
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    if (has_many(world, slot, 0)) {
      return impi_sums_reserve(heap, sums, world->shapes.count, world->bodies.count);
    }
  }
  return true;
}


void impi_body_gain_shape(ImpWorld *world, int32_t slot, int32_t shape) {
  ImpiBody *body = &world->bodies.data[slot];
  if (body->type != IMP_BODY_STATIC) {
    impi_body_update_mass(world, slot);
    // A static body needs no mass, only its extent.
  } else if (world->shapes.data[shape].attached) {
    body->extent = impi_max(body->extent, farthest_of(&world->shapes.data[shape]));
  }
}


void impi_body_lose_shape(ImpWorld *world, int32_t slot, int32_t shape) {
  ImpiBody *body = &world->bodies.data[slot];
  bool inside = body->type == IMP_BODY_STATIC && farthest_of(&world->shapes.data[shape]) < body->extent;
  impi_shape_finish_destroy(world, shape);
  if (!inside) {
    impi_body_update_mass(world, slot);
  }
  impi_world_wake(world, slot);
}


ImpStatus impi_check_mass(const ImpWorld *world, int32_t slot, ImpBodyType type, int32_t changed, const ImpiMass *added,
                          double density) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMass *unit = added != NULL  ? added
                         : changed >= 0 ? &world->shapes.data[changed].geometry.figure->mass
                                        : NULL;
  // Densities do not matter if the user has given the mass.
  if (type < IMP_BODY_DYNAMIC || body->given_mass > 0) {
    return IMP_OK;
  }
  if (unit != NULL && body->type == type) { // inertia about the present centre >= inertia about the new centre of mass
    double arm_sq = impi_length_sq(impi_sub(unit->center, body->local_center));
    double most = body->inertia + density * (unit->inertia + unit->area * arm_sq);
    if (impi_max(most, body->mass + density * unit->area) < IMPI_HUGE) {
      return IMP_OK;
    }
  }
  ImpiMass total = {0};
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    ImpiMass own = mass_of(&shape->geometry.figure->mass, s == changed ? density : shape->density);
    total = impi_mass_join(&total, &own);
  }
  if (added != NULL) {
    ImpiMass own = mass_of(added, density);
    total = impi_mass_join(&total, &own);
  }
  double inertia = body->given_inertia > 0 ? body->given_inertia : total.inertia;
  if (total.area < IMPI_HUGE && inertia < IMPI_HUGE) {
    return IMP_OK;
  }
  return impi_fail(IMP_ERR_ARGUMENT,
                   "shape.density: the shapes of body '%s' have a total mass of %g kg and an inertia of %g kg m^2; "
                   "each must be below %g",
                   impi_called(body->name), total.area, inertia, IMPI_HUGE);
}


// Sum up a body's attached shapes in their order, about the origin. `center` of the sum is the first moment, not
// divided by the mass. Returns false and an incomplete sum for many shapes.
static bool add_up_shapes(const ImpWorld *world, const ImpiBody *body, ImpiShapeSum *sum) {
  *sum = (ImpiShapeSum){.inner = IMPI_HUGE};
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    if (!world->shapes.data[s].attached) {
      continue;
    }
    if (sum->count == IMPI_UNSUMMED_SHAPES) {
      return false;
    }
    ImpiShapeSum own = sum_of_shape(&world->shapes.data[s]);
    sum->mass.area += own.mass.area;
    sum->mass.center = impi_mul_add(sum->mass.center, own.mass.area, own.mass.center);
    sum->farthest = impi_max(sum->farthest, own.farthest);
    sum->inner = impi_min(sum->inner, own.inner);
    sum->count++;
  }
  return true;
}


// Return the sum over a body's shapes. Many shapes are summed in a treap.
static ImpiShapeSum add_up(ImpWorld *world, int32_t slot) {
  ImpiShapeSums *sums = &world->shape_sums;
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiShapeSum *kept = impi_sums_of(sums, slot);
  if (kept != NULL && kept->count <= IMPI_UNSUMMED_SHAPES) {
    impi_sums_drop(sums, slot);
    kept = NULL;
  }
  ImpiShapeSum partial;
  if (kept == NULL && add_up_shapes(world, body, &partial)) {
    // A mass below IMPI_MIN_MASS counts as 0, because the inverse mass would overflow a float.
    if (partial.mass.area < IMPI_MIN_MASS) {
      partial.mass = (ImpiMass){0};
    } else {
      partial.mass.center = impi_scale(1 / partial.mass.area, partial.mass.center);
    }
    // A second pass keeps digits that the parallel-axis theorem loses far from the origin.
    for (int32_t s = body->first_shape; s >= 0 && partial.mass.area > 0; s = world->shapes.data[s].next) {
      const ImpiShape *shape = &world->shapes.data[s];
      const ImpiMass *unit = &shape->geometry.figure->mass;
      if (shape->attached) {
        double distance_sq = impi_length_sq(impi_sub(unit->center, partial.mass.center));
        partial.mass.inertia += shape->density * (unit->inertia + unit->area * distance_sq);
      }
    }
    return partial;
  }
  int32_t last = -1;
  for (int32_t s = kept == NULL ? body->first_shape : -1; s >= 0; s = world->shapes.data[s].next) {
    if (world->shapes.data[s].attached) {
      impi_sums_append(sums, slot, last, s, world->shapes.data[s].serial, sum_of_shape(&world->shapes.data[s]));
      last = s;
    }
  }
  impi_sums_finish(sums, last);
  ImpiShapeSum many = *impi_sums_of(sums, slot);
  if (many.mass.area < IMPI_MIN_MASS) {
    many.mass = (ImpiMass){0};
  }
  return many;
}


void impi_body_update_mass(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  ImpiShapeSum sum = add_up(world, slot);
  body->inner = sum.inner < IMPI_HUGE ? (float)sum.inner : 0;
  if (body->first_joint >= 0) {
    impi_joints_edited(world);
  }
  impi_body_set_mass(body, &world->motions.data[slot], sum.mass, sum.farthest);
  // Contact points are relative to the centre of mass, so manifolds are computed again.
  impi_contacts_expire(world, slot);
}
