// The motion of one mover: finding its obstacles, sliding along them, and storing what the mover touches.
#include "world/mover_walk.h"
#include "world/pairs.h"

#include "base/constants.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/movers.h"
#include "world/sleep.h"

#define MAX_PLANES 24
#define SLIDES 6
// Obstacles within IMPI_MOVER_SKIN + NEAR [m] of the mover limit its motion by planes.
#define NEAR 2e-4
// Largest speed that resolves overlap with a dynamic body, except the body below [m/s].
#define RECOVERY 0.5


bool impi_walk_holds(const ImpiWalk *walk, ImpVec2 normal) { return normal.y >= walk->steepest; }


bool impi_walk_is_steep(const ImpiWalk *walk, ImpVec2 normal, ImpVec2 face) {
  return normal.y > 0.01 && !impi_walk_holds(walk, normal) && !impi_walk_holds(walk, face);
}


// ---------------------------------------------------------------------------------------------------------------------
// Obstacles
// ---------------------------------------------------------------------------------------------------------------------


typedef struct Gather {
  ImpWorld *world;
  const ImpiWalk *walk;
  const ImpiShape *own; // shape of the mover
  ImpAabb box;
  double pushed; // largest displacement of a kinematic obstacle in the step [m]
  bool full;     // out of memory
} Gather;


// Return the frame of a body at the end of the step; exact for a kinematic body, and for a dynamic body if nothing acts
// on it.
static ImpTransform frame_after(const ImpWorld *world, int32_t slot, double dt) {
  const ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion m = world->motions.data[slot];
  m.x += dt * m.vx;
  m.y += dt * m.vy;
  if (m.w != 0) {
    ImpRot q = impi_rot(m.angle + dt * m.w);
    m.c = q.c;
    m.s = q.s;
  }
  return impi_body_frame(body, &m);
}


// Return whether a body moves in the step. A mover that is processed later in the step does not count as moving.
static bool will_move(const Gather *gather, int32_t slot) {
  const ImpiBody *body = &gather->world->bodies.data[slot];
  const ImpiMotion *m = &gather->world->motions.data[slot];
  bool later = body->mover > 0 && body->mover - 1 > (int32_t)(gather->walk->mover - gather->world->mover.list.data);
  return body->type != IMP_BODY_STATIC && body->awake && !later && gather->walk->dt > 0 &&
         (m->vx != 0 || m->vy != 0 || m->w != 0);
}


// Return whether a one-way shape lets the mover through. The shape blocks movers above the shape's face.
static bool lets_through(const Gather *gather, const ImpiShape *shape, const ImpiHull *hull, ImpTransform at) {
  if (shape->one_way.x == 0 && shape->one_way.y == 0) {
    return false;
  }
  if (gather->walk->mover->drop_time > 0) {
    return true;
  }
  int32_t face = -1;
  double best = 0.5; // only faces within 60 degrees of the one-way direction are solid
  for (int32_t i = 0; i < hull->count && hull->count > 1; ++i) {
    double turned = impi_dot(hull->n[i], shape->one_way);
    if (turned > best) {
      best = turned;
      face = i;
    }
  }
  if (face < 0 && hull->count > 1) {
    return true;
  }
  ImpVec2 local = face >= 0 ? hull->n[face] : shape->one_way, normal = impi_rotate(at.q, local);
  double top = impi_dot(local, hull->v[face >= 0 ? face : 0]) + hull->radius;
  const ImpiHull *own = gather->walk->hull;
  double lowest = IMPI_HUGE;
  for (int32_t i = 0; i < own->count; ++i) {
    lowest = impi_min(lowest, impi_dot(normal, impi_add(own->v[i], gather->walk->feet)) - own->radius);
  }
  return lowest - impi_dot(normal, at.p) < top - IMPI_MOVER_ONE_WAY;
}


static void place(ImpiObstacle *list, int count, ImpiObstacle obstacle) {
  int at = count;
  for (; at > 0; --at) { // keep the list sorted, because the order of the tree must not affect the result
    const ImpiObstacle *before = &list[at - 1];
    if (before->serial < obstacle.serial || (before->serial == obstacle.serial && before->child < obstacle.child)) {
      break;
    }
    list[at] = *before;
  }
  list[at] = obstacle;
}


static bool visit(int32_t index, void *context) {
  Gather *gather = context;
  ImpWorld *world = gather->world;
  const ImpiProxy *proxy = &world->broadphase.proxies.data[index];
  const ImpiShape *shape = &world->shapes.data[proxy->shape];
  const ImpiBody *body = &world->bodies.data[proxy->body];
  if (proxy->body == gather->walk->mover->body || shape->sensor || shape->pending_destroy || !body->enabled ||
      !impi_filter_meets(&proxy->filter, &gather->own->filter)) {
    return true;
  }
  const ImpiHull *hull = &shape->geometry.hulls[proxy->child];
  ImpTransform begin = impi_body_frame(body, &world->motions.data[proxy->body]);
  bool moves = will_move(gather, proxy->body);
  ImpTransform end = moves ? frame_after(world, proxy->body, gather->walk->dt) : begin;
  ImpAabb box = impi_hull_aabb(hull, begin);
  if (moves) {
    box = impi_aabb_union(box, impi_hull_aabb(hull, end));
  }
  if (!impi_aabb_overlaps(box, gather->box) || lets_through(gather, shape, hull, begin)) {
    return true;
  }
  if (!impi_reserve(&world->heap, &world->mover.room, world->mover.room.count + 1)) {
    gather->full = true;
    return false;
  }
  if (moves && body->type == IMP_BODY_KINEMATIC) {
    ImpVec2 way = impi_sub(end.p, begin.p), turn = impi_vec(end.q.c - begin.q.c, end.q.s - begin.q.s);
    double arm = impi_length(hull->centroid) + hull->extent;
    gather->pushed = impi_max(gather->pushed, impi_length(way) + arm * impi_length(turn));
  }
  bool open = hull->chain && !shape->geometry.figure->loop;
  place(world->mover.room.data, world->mover.room.count++,
        (ImpiObstacle){.hull = hull,
                       .begin = begin,
                       .end = end,
                       .body = proxy->body,
                       .shape = proxy->shape,
                       .child = proxy->child,
                       .serial = shape->serial,
                       .tier = impi_is_dynamic(body)              ? IMPI_TIER_DYNAMIC
                               : body->type == IMP_BODY_KINEMATIC ? IMPI_TIER_KINEMATIC
                                                                  : IMPI_TIER_STATIC,
                       .moves = moves,
                       .open_start = open && proxy->child == 0,
                       .open_end = open && proxy->child + 1 == shape->geometry.child_count});
  return true;
}


// Return how far the mover may move in this step [m].
static double reach_of(const ImpWorld *world, const ImpiMover *mover, double dt) {
  double speed = impi_max(impi_length(mover->own), fabs(mover->value[IMP_MOVER_WALK]) / imp_cos(1.2));
  double g = mover->value[IMP_MOVER_GRAVITY_SCALE] * impi_length(world->settings.gravity);
  double carried = 0;
  if (mover->ground.serial != 0) {
    ImpTransform after = frame_after(world, mover->ground.body, dt);
    carried = impi_length(impi_sub(impi_apply(after, mover->ground.local), mover->ground.point));
    carried += dt * fabs(world->shapes.data[mover->ground.shape].material.surface_speed);
  }
  return dt * (speed + dt * fabs(g)) + carried;
}


// Discard a contact if its shape was destroyed; the slot may belong to another shape now.
static void forget_dead(const ImpWorld *world, ImpiMoverContact *contact) {
  bool lives = contact->serial != 0 && contact->shape < world->shapes.count &&
               world->shapes.data[contact->shape].serial == contact->serial &&
               world->shapes.data[contact->shape].body == contact->body && world->shapes.data[contact->shape].attached;
  if (!lives) {
    contact->serial = 0;
  }
}


// Remove obstacles that the user's filter lets pass. The callback may reallocate the arrays.
static void drop_refused(ImpWorld *world, int32_t own) {
  int kept = 0;
  for (int i = 0; i < world->mover.room.count; ++i) {
    ImpiObstacle obstacle = world->mover.room.data[i];
    bool refused =
        world->stepping ? impi_pair_refuses(world, own, obstacle.shape) : impi_pair_refused(world, own, obstacle.shape);
    if (!refused) {
      world->mover.room.data[kept++] = obstacle;
    }
  }
  world->mover.room.count = kept;
}


ImpStatus impi_walk_begin(ImpWorld *world, int index, double dt, double reach, ImpiWalk *out_walk) {
  ImpiMover *mover = &world->mover.list.data[index];
  const ImpiBody *body = &world->bodies.data[mover->body];
  const ImpiShape *own = &world->shapes.data[body->first_shape];
  double *value = mover->value;
  *out_walk = (ImpiWalk){.world = world,
                         .mover = mover,
                         .hull = &own->geometry.hulls[0],
                         .feet = impi_body_frame(body, &world->motions.data[mover->body]).p,
                         .dt = dt,
                         .steepest = imp_cos(value[IMP_MOVER_MAX_SLOPE]) - 1e-9,
                         .recovery = RECOVERY * dt,
                         .carrier = -1};
  forget_dead(world, &mover->ground);
  if (impi_length(impi_sub(out_walk->feet, mover->feet)) > 1e-4) {
    mover->ground.serial = 0; // the mover was teleported
  }
  bool stands = value[IMP_MOVER_GROUNDED] != 0;
  reach = (reach == reach ? reach : reach_of(world, mover, dt)) + 4 * IMPI_MOVER_SKIN;
  reach += dt * IMPI_PUSH_SPEED; // overlap is resolved at this speed
  ImpTransform at = {out_walk->feet, {1, 0}};
  Gather gather = {.world = world, .walk = out_walk, .own = own, .box = impi_hull_aabb(out_walk->hull, at)};
  gather.box = impi_aabb_grow(gather.box, reach);
  if (stands) {
    // The mover may be half-way down a step of the ground.
    gather.box.upper.y += value[IMP_MOVER_STEP_HEIGHT] + value[IMP_MOVER_SNAP_DISTANCE];
    gather.box.lower.y -= value[IMP_MOVER_SNAP_DISTANCE];
    gather.box.lower.x -= out_walk->hull->radius; // include the place where a step down would begin
    gather.box.upper.x += out_walk->hull->radius;
  }
  world->mover.room.count = 0;
  ImpAabb wider = impi_aabb_grow(gather.box, dt > 0 ? IMPI_MOVER_REACH : 0);
  impi_broadphase_follow(&world->broadphase, true);
  const ImpiTree *trees = world->broadphase.trees;
  impi_tree_query(&trees[IMPI_PROXY_KINEMATIC], wider, own->filter.mask, visit, &gather);
  impi_tree_query(&trees[IMPI_PROXY_DYNAMIC], wider, own->filter.mask, visit, &gather);
  gather.box = impi_aabb_grow(gather.box, gather.pushed);
  impi_tree_query(&trees[IMPI_PROXY_STATIC], gather.box, own->filter.mask, visit, &gather);
  out_walk->begin = out_walk->feet;
  out_walk->reach = reach + gather.pushed;
  drop_refused(world, body->first_shape);
  int pushes = world->mover.room.count + 1;
  if (gather.full || !impi_reserve(&world->heap, &world->mover.pushes, world->mover.pushes.count + pushes) ||
      !impi_reserve(&world->heap, &world->push.forced, world->push.forced.count + pushes)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Sliding
// ---------------------------------------------------------------------------------------------------------------------


typedef struct Near {
  ImpiTouch touch[MAX_PLANES];
  int32_t obstacle[MAX_PLANES];
  int count;
} Near;


// Return whether touch `which` is an internal edge: a corner on the face of another touched obstacle.
static bool is_hidden(const ImpiWalk *walk, const Near *near, int which) {
  const ImpiTouch *corner = &near->touch[which];
  for (int i = 0; i < near->count && !corner->flat; ++i) {
    const ImpiTouch *face = &near->touch[i];
    if (!face->flat || fabs(impi_dot(face->normal, impi_sub(corner->point, face->point))) > IMPI_MOVER_SKIN) {
      continue;
    }
    const ImpiObstacle *obstacle = &walk->world->mover.room.data[near->obstacle[i]];
    double distance;
    impi_hull_normal(obstacle->hull, impi_inv_apply(obstacle->end, corner->point), &distance);
    if (distance - obstacle->hull->radius <= 2 * IMPI_MOVER_SKIN) {
      return true;
    }
  }
  return false;
}


// Find the touches with a separation of at most `within`. `pushed`: skip moving obstacles except the mover's ground.
static void find_near(ImpiWalk *walk, double within, bool pushed, Near *out_near) {
  out_near->count = 0;
  for (int i = 0; i < walk->world->mover.room.count; ++i) {
    ImpiObstacle *obstacle = &walk->world->mover.room.data[i];
    ImpiTouch touch;
    obstacle->near = false;
    obstacle->separation = IMPI_HUGE; // no touch found in this slide
    if (pushed && obstacle->moves && obstacle->body != walk->carrier) {
      continue;
    }
    bool touches = impi_mover_touch(obstacle, obstacle->end, walk->hull, walk->feet, true, &touch);
    if (touches ||
        (obstacle->hull->chain && impi_mover_touch(obstacle, obstacle->end, walk->hull, walk->feet, false, &touch))) {
      obstacle->separation = touch.separation;
    }
    if (!touches || touch.separation > within) {
      continue;
    }
    if (obstacle->tier > IMPI_TIER_STATIC && touch.separation < -0.5 * walk->hull->radius) {
      obstacle->separation = IMPI_HUGE; // too deep: a plane could push the mover through the obstacle
      walk->squeezed = true;
    } else if (out_near->count < MAX_PLANES) {
      obstacle->near = true;
      out_near->touch[out_near->count] = touch;
      out_near->obstacle[out_near->count++] = i;
    }
  }
}


static int make_planes(const ImpiWalk *walk, const Near *near, ImpiPlane *planes) {
  int count = 0;
  for (int i = 0; i < near->count; ++i) {
    const ImpiTouch *touch = &near->touch[i];
    if (is_hidden(walk, near, i)) {
      continue;
    }
    ImpiTier tier = walk->world->mover.room.data[near->obstacle[i]].tier;
    double bound = IMPI_MOVER_SKIN - touch->separation;
    if (tier == IMPI_TIER_DYNAMIC && touch->normal.y <= IMPI_MOVER_BELOW) {
      bound = impi_min(bound, walk->recovery);
    }
    planes[count++] = (ImpiPlane){touch->normal, bound, tier};
    if (walk->level && !impi_walk_holds(walk, touch->normal) && touch->normal.y > 0.01) {
      double x = touch->normal.x > 0 ? 1 : -1;
      planes[count++] = (ImpiPlane){{x, 0}, bound / fabs(touch->normal.x), tier};
    }
  }
  return count;
}


// Return the fraction of `travel` before the mover hits an obstacle whose `near` is false; 1: no hit.
static double free_part(const ImpiWalk *walk, ImpVec2 travel) {
  double fraction = 1, clearance = 0.5 * IMPI_MOVER_SKIN, length = impi_length(travel);
  for (int i = 0; i < walk->world->mover.room.count; ++i) {
    const ImpiObstacle *obstacle = &walk->world->mover.room.data[i];
    ImpiTouch touch;
    if (!obstacle->near && obstacle->separation - clearance < length) {
      impi_mover_cast(obstacle, obstacle->end, walk->hull, walk->feet, travel, clearance, fraction, &fraction, &touch);
    }
  }
  return fraction;
}


// Return the part of a path that is inside the region in which obstacles were searched.
static double within_reach(const ImpiWalk *walk, ImpVec2 way) {
  ImpVec2 gone = impi_sub(walk->feet, walk->begin), there = impi_add(gone, way);
  double part = 1, reach = walk->reach;
  if (fabs(there.x) > reach) {
    part = impi_min(part, impi_max((there.x > 0 ? reach - gone.x : reach + gone.x) / fabs(way.x), 0));
  }
  if (fabs(there.y) > reach) {
    part = impi_min(part, impi_max((there.y > 0 ? reach - gone.y : reach + gone.y) / fabs(way.y), 0));
  }
  return part;
}


void impi_walk_slide(ImpiWalk *walk, ImpVec2 travel, const ImpiPlane *pushes, int push_count) {
  ImpVec2 target = impi_add(walk->feet, travel);
  ImpiPlane planes[3 * MAX_PLANES];
  for (int round = 0; round < SLIDES; ++round) {
    bool pushed = pushes != NULL && round == 0;
    Near near;
    find_near(walk, IMPI_MOVER_SKIN + NEAR, pushed, &near);
    int count = make_planes(walk, &near, planes);
    for (int i = 0; pushed && i < push_count; ++i) {
      planes[count++] = pushes[i];
    }
    ImpVec2 way;
    int disobeyed = impi_planes_nearest(planes, count, impi_sub(target, walk->feet), &way);
    walk->squeezed = walk->squeezed || disobeyed == IMPI_TIER_STATIC || disobeyed == IMPI_TIER_KINEMATIC;
    double part = within_reach(walk, way) * free_part(walk, way);
    walk->feet = impi_mul_add(walk->feet, part, way);
    walk->recovery = pushed ? walk->recovery : 0;
    bool there = part == 1 && (impi_length_sq(way) < 1e-14 || impi_length_sq(impi_sub(target, walk->feet)) < 1e-18);
    if (there && !pushed) {
      break;
    }
  }
}


double impi_walk_cast(ImpiWalk *walk, ImpVec2 travel, ImpiTouch *out_touch, int32_t *out_obstacle) {
  double fraction = 1;
  for (int i = 0; i < walk->world->mover.room.count; ++i) {
    const ImpiObstacle *obstacle = &walk->world->mover.room.data[i];
    ImpiTouch touch;
    if (impi_mover_cast(obstacle, obstacle->end, walk->hull, walk->feet, travel, 0.5 * IMPI_MOVER_SKIN, fraction,
                        &fraction, &touch)) {
      if (out_touch != NULL) {
        *out_touch = touch;
      }
      if (out_obstacle != NULL) {
        *out_obstacle = i;
      }
    }
  }
  return fraction;
}


// ---------------------------------------------------------------------------------------------------------------------
// Touches
// ---------------------------------------------------------------------------------------------------------------------


static ImpiMoverContact contact_of(const ImpiWalk *walk, int32_t index, const ImpiTouch *touch) {
  const ImpiObstacle *obstacle = &walk->world->mover.room.data[index];
  ImpVec2 local = impi_inv_apply(obstacle->end, touch->point), velocity = {0, 0};
  if (obstacle->moves) {
    velocity = impi_scale(1 / walk->dt, impi_sub(touch->point, impi_apply(obstacle->begin, local)));
  }
  double belt = walk->world->shapes.data[obstacle->shape].material.surface_speed;
  return (ImpiMoverContact){.serial = obstacle->serial,
                            .body = obstacle->body,
                            .shape = obstacle->shape,
                            .child = obstacle->child,
                            .flat = touch->flat,
                            .local = local,
                            .local_normal = impi_inv_rotate(obstacle->end.q, touch->normal),
                            .point = touch->point,
                            .normal = touch->normal,
                            .face = touch->face,
                            .velocity = impi_mul_add(velocity, belt, impi_right(touch->normal))};
}


bool impi_walk_stands(ImpiWalk *walk) {
  Near near;
  find_near(walk, IMPI_MOVER_SKIN + IMPI_MOVER_TOUCH, false, &near);
  for (int i = 0; i < near.count; ++i) {
    if (impi_walk_holds(walk, near.touch[i].normal)) {
      return true;
    }
  }
  return false;
}


// Return the most level ground that the mover touches, or -1.
static int find_ground(const ImpiWalk *walk, const Near *near) {
  const ImpiMover *mover = walk->mover;
  int best = -1;
  // normal.y of the most level slopes to the left and right that are too steep to stand on.
  double left = 0, right = 0;
  int steep[2] = {-1, -1};
  for (int i = 0; i < near->count; ++i) {
    ImpVec2 normal = near->touch[i].normal;
    ImpiMoverContact contact = contact_of(walk, near->obstacle[i], &near->touch[i]);
    // A standing mover does not leave its ground, even at a crest, until it takes off.
    bool stood = mover->value[IMP_MOVER_GROUNDED] != 0;
    bool leaves = !stood && impi_dot(impi_sub(mover->own, contact.velocity), normal) > IMPI_MOVER_LEAVE;
    if (normal.y <= 0.01 || leaves) {
      continue;
    }
    if (impi_walk_holds(walk, normal)) {
      best = best < 0 || normal.y > near->touch[best].normal.y ? i : best;
    } else if (normal.x < 0 && normal.y > left) {
      left = normal.y;
      steep[0] = i;
    } else if (normal.x > 0 && normal.y > right) {
      right = normal.y;
      steep[1] = i;
    }
  }
  if (best < 0 && steep[0] >= 0 && steep[1] >= 0) { // the mover stands between two steep slopes
    best = left >= right ? steep[0] : steep[1];
  }
  return best;
}


void impi_walk_look(ImpiWalk *walk, const ImpiTouch *held, int32_t obstacle) {
  ImpiMover *mover = walk->mover;
  double *value = mover->value;
  Near near;
  find_near(walk, IMPI_MOVER_SKIN + IMPI_MOVER_TOUCH, false, &near);
  mover->ground.serial = mover->wall.serial = mover->ceiling.serial = 0;
  int ground = find_ground(walk, &near);
  if (ground >= 0) {
    ImpiTouch touch = near.touch[ground];
    if (!impi_walk_holds(walk, touch.face)) {
      touch.face = impi_walk_holds(walk, touch.normal) ? touch.normal : impi_vec(0, 1);
    }
    mover->ground = contact_of(walk, near.obstacle[ground], &touch);
    mover->base = walk->feet.y;
  } else if (held != NULL) { // the edge of a step that the mover climbs or descends
    ImpiTouch touch = *held;
    touch.face = impi_walk_holds(walk, touch.face) ? touch.face : impi_vec(0, 1);
    mover->ground = contact_of(walk, obstacle, &touch);
  }
  for (int i = 0; i < near.count; ++i) {
    const ImpiTouch *touch = &near.touch[i];
    bool is_ground = i == ground || (ground < 0 && held != NULL && near.obstacle[i] == obstacle);
    if (is_ground || impi_walk_holds(walk, touch->normal) || is_hidden(walk, &near, i)) {
      continue;
    }
    ImpiMoverContact *kind = touch->normal.y < -0.5 ? &mover->ceiling : &mover->wall;
    bool better = kind->serial == 0 || (kind == &mover->wall ? fabs(touch->normal.y) < fabs(kind->normal.y)
                                                             : touch->normal.y < kind->normal.y);
    if (better) {
      *kind = contact_of(walk, near.obstacle[i], touch);
    }
  }
  bool wall = mover->wall.serial != 0;
  value[IMP_MOVER_ON_WALL] = wall && fabs(mover->wall.normal.y) <= 0.5;
  value[IMP_MOVER_SLIDING] = wall && mover->wall.normal.y > 0.5 && mover->ground.serial == 0;
  value[IMP_MOVER_ON_CEILING] = mover->ceiling.serial != 0;
}


void impi_walk_clip(ImpiWalk *walk, ImpVec2 frame) {
  ImpiMover *mover = walk->mover;
  bool stands = mover->ground.serial != 0;
  ImpVec2 along = impi_right(mover->ground.face);
  if (stands) {
    mover->own = impi_scale(impi_dot(mover->own, along), along);
  }
  Near near;
  find_near(walk, IMPI_MOVER_SKIN + NEAR, false, &near);
  ImpiPlane planes[2 * MAX_PLANES];
  int count = 0;
  for (int i = 0; i < near.count; ++i) {
    const ImpiObstacle *obstacle = &walk->world->mover.room.data[near.obstacle[i]];
    ImpVec2 normal = near.touch[i].normal;
    bool is_ground = obstacle->serial == mover->ground.serial && obstacle->child == mover->ground.child;
    if (is_ground || is_hidden(walk, &near, i)) {
      continue;
    }
    ImpiMoverContact contact = contact_of(walk, near.obstacle[i], &near.touch[i]);
    double bound = impi_dot(normal, impi_sub(contact.velocity, frame));
    bound = impi_min(bound, 0); // pushes do not change the mover's own velocity
    if (stands && impi_walk_holds(walk, normal)) {
      continue; // the obstacle is ground, which does not stop the mover
    }
    if (stands && normal.x != 0 && along.x > 0) { // a wall stops the part of the walk that points into the wall
      double speed = impi_dot(mover->own, along), most = bound / impi_dot(along, impi_vec(normal.x, 0));
      speed = normal.x > 0 ? impi_max(speed, most) : impi_min(speed, most);
      mover->own = impi_scale(speed, along);
    }
    planes[count++] = (ImpiPlane){normal, bound, obstacle->tier};
    if (impi_walk_is_steep(walk, normal, near.touch[i].face) && mover->own.x * normal.x < 0) {
      // The mover cannot run up a steep slope.
      planes[count++] = (ImpiPlane){{normal.x > 0 ? 1 : -1, 0}, bound, obstacle->tier};
    }
  }
  if (!stands) {
    impi_planes_nearest(planes, count, mover->own, &mover->own);
  }
}


bool impi_mover_meets(const ImpWorld *world, const ImpiMoverContact *contact) {
  return contact->serial != 0 && contact->shape < world->shapes.count &&
         world->shapes.data[contact->shape].serial == contact->serial &&
         world->shapes.data[contact->shape].body == contact->body &&
         world->shape_pool.slots.data[contact->shape].next_free == IMPI_SLOT_LIVE;
}


void impi_mover_relieve(ImpWorld *world, ImpiMover *mover) {
  if (impi_mover_meets(world, &mover->pressed)) {
    impi_world_wake(world, mover->pressed.body);
  }
  mover->pressed.serial = 0;
}


void impi_movers_close_gaps(const ImpWorld *reader) {
  // A const world may be changed here, because callers cannot see the order of entries.
  ImpWorld *world = (ImpWorld *)(uintptr_t)reader;
  int count = 0;
  for (int i = 0; i < world->mover.list.count && world->mover.gaps > 0; ++i) {
    if (world->mover.list.data[i].body >= 0) {
      world->mover.list.data[count] = world->mover.list.data[i];
      world->bodies.data[world->mover.list.data[i].body].mover = ++count;
    }
  }
  if (world->mover.gaps > 0) {
    world->mover.list.count = count;
    world->mover.gaps = world->mover.first_free = 0;
  }
}


void impi_mover_forget(ImpWorld *world, int32_t slot) {
  int32_t at = world->bodies.data[slot].mover - 1;
  if (at < 0) {
    return;
  }
  impi_mover_relieve(world, &world->mover.list.data[at]);
  world->bodies.data[slot].mover = 0;
  world->mover.list.data[at].body = -1;
  world->mover.gaps++;
  for (; world->mover.list.count > 0 && world->mover.list.data[world->mover.list.count - 1].body < 0;
       --world->mover.list.count) {
    world->mover.gaps--;
  }
  world->mover.first_free = world->mover.list.count == 0 ? 0 : world->mover.first_free;
  while (world->mover.first_free < world->mover.list.count &&
         world->mover.list.data[world->mover.first_free].body < 0) {
    world->mover.first_free++;
  }
  if (world->mover.gaps > world->mover.list.count / 2) { // amortized O(1) per destroyed mover
    impi_movers_close_gaps(world);
  }
}


ImpVec2 impi_mover_frame(const ImpiMover *mover) {
  return mover->value[IMP_MOVER_GROUNDED] != 0 ? mover->ground.velocity : impi_vec(0, 0);
}


void impi_mover_take_off(ImpiMover *mover) {
  if (mover->value[IMP_MOVER_INHERIT_VELOCITY] != 0) {
    mover->own = impi_add(mover->own, impi_mover_frame(mover));
  }
  mover->value[IMP_MOVER_GROUNDED] = 0;
  mover->ground.serial = 0;
}


int impi_mover_find(const ImpWorld *world, ImpMover handle) {
  int32_t body = impi_pool_find(&world->body_pool, handle.id, world->tag);
  return body < 0 ? -1 : world->bodies.data[body].mover - 1;
}


ImpStatus impi_mover_set_velocity(ImpWorld *world, ImpMover handle, ImpVec2 velocity) {
  IMPI_FIND_MOVER(world, handle, mover);
  ImpStatus status = impi_check_vector(velocity, IMPI_MAX_COORDINATE, "mover.velocity", "m/s");
  if (status != IMP_OK) {
    return status;
  }
  mover->own = impi_sub(velocity, impi_mover_frame(mover));
  if (mover->value[IMP_MOVER_GROUNDED] != 0 && impi_dot(mover->own, mover->ground.normal) > IMPI_MOVER_LEAVE) {
    impi_mover_take_off(mover);
    mover->own = velocity;
  }
  return IMP_OK;
}
