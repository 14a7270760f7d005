// Reads or writes quantities of many bodies in one call.
#include "world/bodies.h"
#include "world/calls.h"


const ImpQuantityInfo *imp_quantity(int quantity) {
  static const ImpQuantityInfo table[] = {
      [IMP_QUANTITY_POSITION] = {"position", "m", 2, true, true},
      [IMP_QUANTITY_CENTER] = {"center", "m", 2, true, true},
      [IMP_QUANTITY_ANGLE] = {"angle", "rad", 1, true, true},
      [IMP_QUANTITY_VELOCITY] = {"velocity", "m/s", 2, true, true},
      [IMP_QUANTITY_ANGULAR_VELOCITY] = {"angular_velocity", "rad/s", 1, true, true},
      [IMP_QUANTITY_CONTACT_FORCE] = {"contact_force", "N", 2, true, false},
      [IMP_QUANTITY_FORCE] = {"force", "N", 2, false, true},
      [IMP_QUANTITY_TORQUE] = {"torque", "N m", 1, false, true},
      [IMP_QUANTITY_IMPULSE] = {"impulse", "N s", 2, false, true},
      [IMP_QUANTITY_ANGULAR_IMPULSE] = {"angular_impulse", "N m s", 1, false, true},
  };
  IMPI_COVERS(table, IMP_QUANTITY_COUNT);
  return quantity >= 0 && quantity < IMP_QUANTITY_COUNT ? &table[quantity] : NULL;
}


static ImpStatus check_quantities(const ImpQuantity *what, int count, bool writes) {
  for (int i = 0; i < count; ++i) {
    const ImpQuantityInfo *info = imp_quantity((int)what[i]);
    if (info == NULL) {
      return impi_fail(IMP_ERR_ARGUMENT, "no quantity of a body has the number %d", (int)what[i]);
    }
    if (writes ? !info->writable : !info->readable) {
      return impi_fail(IMP_ERR_ARGUMENT, "body.%s cannot be %s", info->name, writes ? "written" : "read");
    }
  }
  return IMP_OK;
}


// If `status` is a failure, store the index of the body that caused the failure. Returns `status`.
static ImpStatus blame(ImpStatus status, int body, int *out_body) {
  if (status != IMP_OK && out_body != NULL) {
    *out_body = body;
  }
  return status;
}


// ---------------------------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------------------------

static double *put(double *out, ImpVec2 v) {
  out[0] = v.x;
  out[1] = v.y;
  return out + 2;
}


// Read the quantities of one body. Returns the position in `out` after the numbers of the body.
static double *read_body(const ImpWorld *world, ImpBody handle, int32_t slot, const ImpQuantity *what, int count,
                         double *out) {
  ImpiMotion own;
  const ImpiMotion *motion = impi_motion_now(world, slot, &own);
  for (int i = 0; i < count; ++i) {
    switch (what[i]) {
    case IMP_QUANTITY_POSITION:
      out = put(out, impi_body_frame(&world->bodies.data[slot], motion).p);
      break;
    case IMP_QUANTITY_CENTER:
      out = put(out, impi_vec(motion->x, motion->y));
      break;
    case IMP_QUANTITY_ANGLE:
      *out++ = motion->angle;
      break;
    case IMP_QUANTITY_VELOCITY:
      out = put(out, impi_vec(motion->vx, motion->vy));
      break;
    case IMP_QUANTITY_ANGULAR_VELOCITY:
      *out++ = motion->w;
      break;
    case IMP_QUANTITY_CONTACT_FORCE: {
      ImpVec2 force = {0, 0};
      imp_body_contact_force(world, handle, &force);
      out = put(out, force);
      break;
    }
    default: // a quantity that can only be written
      break;
    }
  }
  return out;
}


ImpStatus imp_bodies_read(const ImpWorld *world, const ImpBody *bodies, int count, const ImpQuantity *what,
                          int what_count, double *out, int *out_body) {
  ImpStatus status = check_quantities(what, what_count, false);
  for (int i = 0; i < count && status == IMP_OK; ++i) {
    if (impi_pool_find(&world->body_pool, bodies[i].id, world->tag) < 0) {
      status = blame(impi_pool_fail(bodies[i].id, world->tag, "body"), i, out_body);
    }
  }
  for (int i = 0; i < count && status == IMP_OK; ++i) {
    int32_t slot = impi_pool_find(&world->body_pool, bodies[i].id, world->tag);
    out = read_body(world, bodies[i], slot, what, what_count, out);
  }
  return status;
}


// ---------------------------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------------------------

// The quantities that a call writes to each body.
typedef struct Writing {
  const ImpQuantity *what;
  int count, stride;   // number of quantities; number of numbers per body
  int position, angle; // indices of position and angle among the numbers of a body; -1: not written
  bool posed;          // position and angle are both written, in one teleport
} Writing;

static Writing writing_of(const ImpQuantity *what, int count) {
  Writing w = {.what = what, .count = count, .position = -1, .angle = -1};
  for (int i = 0; i < count; ++i) {
    if (what[i] == IMP_QUANTITY_POSITION) {
      w.position = w.stride;
    } else if (what[i] == IMP_QUANTITY_ANGLE) {
      w.angle = w.stride;
    }
    w.stride += imp_quantity((int)what[i])->numbers;
  }
  w.posed = w.position >= 0 && w.angle >= 0;
  return w;
}


// Return whether a value sets a particle's angle or angular velocity to 0.
static bool stays_upright(const ImpiBody *body, ImpQuantity what, double value) {
  bool turns = what == IMP_QUANTITY_ANGLE || what == IMP_QUANTITY_ANGULAR_VELOCITY;
  return turns && value == 0 && body->type == IMP_BODY_PARTICLE;
}


static ImpStatus check_number(const ImpWorld *world, int32_t slot, ImpQuantity what, const double *v) {
  switch (what) {
  case IMP_QUANTITY_POSITION:
    return impi_body_check_teleport(world, slot, impi_vec(v[0], v[1]), NULL, "body.position");
  case IMP_QUANTITY_CENTER:
    return impi_body_check_teleport(world, slot, impi_vec(v[0], v[1]), NULL, "body.center");
  case IMP_QUANTITY_ANGLE:
    return impi_body_check_property(world, slot, IMP_BODY_ANGLE, v[0]);
  case IMP_QUANTITY_VELOCITY:
    return impi_body_check_velocity(world, slot, impi_vec(v[0], v[1]));
  case IMP_QUANTITY_ANGULAR_VELOCITY:
    return impi_body_check_property(world, slot, IMP_BODY_ANGULAR_VELOCITY, v[0]);
  case IMP_QUANTITY_FORCE:
  case IMP_QUANTITY_IMPULSE:
    return impi_body_check_push(world, slot, false, v[0], v[1], 0, 0);
  case IMP_QUANTITY_TORQUE:
  case IMP_QUANTITY_ANGULAR_IMPULSE:
    return impi_body_check_push(world, slot, true, v[0], 0, 0, 0);
  default: // a quantity that can only be read
    return IMP_OK;
  }
}


static ImpStatus check_body(const ImpWorld *world, ImpBody handle, const Writing *w, const double *values) {
  IMPI_FIND_BODY(world, handle, slot);
  const ImpiBody *body = &world->bodies.data[slot];
  ImpStatus status = IMP_OK;
  for (int i = 0; i < w->count && status == IMP_OK; ++i) {
    if (!stays_upright(body, w->what[i], values[0])) {
      status = check_number(world, slot, w->what[i], values);
    }
    values += imp_quantity((int)w->what[i])->numbers;
  }
  return status;
}


static ImpStatus write_number(ImpWorld *world, ImpBody body, ImpQuantity what, const double *v) {
  switch (what) {
  case IMP_QUANTITY_POSITION:
    return impi_body_set_position(world, body, impi_vec(v[0], v[1]));
  case IMP_QUANTITY_CENTER:
    return impi_body_set_center(world, body, impi_vec(v[0], v[1]));
  case IMP_QUANTITY_ANGLE:
    return impi_body_set(world, body, IMP_BODY_ANGLE, v[0]);
  case IMP_QUANTITY_VELOCITY:
    return impi_body_set_velocity(world, body, impi_vec(v[0], v[1]));
  case IMP_QUANTITY_ANGULAR_VELOCITY:
    return impi_body_set(world, body, IMP_BODY_ANGULAR_VELOCITY, v[0]);
  case IMP_QUANTITY_FORCE:
    return impi_body_apply_force(world, body, impi_vec(v[0], v[1]));
  case IMP_QUANTITY_TORQUE:
    return impi_body_apply_torque(world, body, v[0]);
  case IMP_QUANTITY_IMPULSE:
    return impi_body_apply_impulse(world, body, impi_vec(v[0], v[1]));
  case IMP_QUANTITY_ANGULAR_IMPULSE:
    return impi_body_apply_angular_impulse(world, body, v[0]);
  default: // a quantity that can only be read
    return IMP_OK;
  }
}


static ImpStatus write_body(ImpWorld *world, ImpBody handle, const Writing *w, const double *values) {
  ImpStatus status = IMP_OK;
  if (w->posed) {
    ImpVec2 to = {values[w->position], values[w->position + 1]};
    status = impi_body_set_pose(world, handle, to, values[w->angle]);
  }
  for (int i = 0; i < w->count && status == IMP_OK; ++i) {
    ImpQuantity what = w->what[i];
    bool done = w->posed && (what == IMP_QUANTITY_POSITION || what == IMP_QUANTITY_ANGLE);
    if (!done) {
      int32_t slot = impi_pool_find(&world->body_pool, handle.id, world->tag);
      done = stays_upright(&world->bodies.data[slot], what, values[0]);
    }
    status = done ? IMP_OK : write_number(world, handle, what, values);
    values += imp_quantity((int)what)->numbers;
  }
  return status;
}


// Reserve all list entries that the writes may need, so that writing cannot fail midway.
static ImpStatus reserve(ImpWorld *world, int64_t commands, int bodies) {
  int64_t queued = world->stepping ? world->queue.commands.count + commands : 0;
  bool fits = queued <= INT32_MAX && impi_reserve(&world->heap, &world->queue.commands, (int)queued) &&
              impi_reserve(&world->heap, &world->push.pushed, world->push.pushed.count + bodies + 1) &&
              impi_reserve(&world->heap, &world->push.forced, world->push.forced.count + bodies + 1);
  return fits ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


ImpStatus impi_bodies_write(ImpWorld *world, const ImpBody *bodies, int count, const ImpQuantity *what, int what_count,
                            const double *values, int *out_body) {
  ImpStatus status = check_quantities(what, what_count, true);
  if (status != IMP_OK) {
    return status;
  }
  Writing w = writing_of(what, what_count);
  for (int i = 0; i < count && status == IMP_OK; ++i) {
    status = blame(check_body(world, bodies[i], &w, values + (size_t)i * (size_t)w.stride), i, out_body);
  }
  if (status == IMP_OK) {
    status = reserve(world, (int64_t)count * what_count, count);
  }
  for (int i = 0; i < count && status == IMP_OK; ++i) {
    status = write_body(world, bodies[i], &w, values + (size_t)i * (size_t)w.stride);
  }
  return status;
}
