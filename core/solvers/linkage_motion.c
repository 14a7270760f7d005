// Poses, velocities and forces of linkages; the formulas are in linkage.h.
#include "solvers/linkage.h"

// Number of additions and multiplications per link in each pass, and (..._EACH) per coordinate of the link.
#define PLACE_FLOPS 80 // including a sine and a cosine
#define MOVE_FLOPS 10
#define MOVE_FLOPS_EACH 6
#define BIAS_FLOPS 30
#define FACTOR_FLOPS 26
#define FACTOR_FLOPS_EACH 36
#define RESPOND_FLOPS 15
#define RESPOND_FLOPS_EACH 24
#define REACT_FLOPS 12


static ImpiLink *links_of(ImpiLinkage *linkage, const ImpiTreeGroup *group, ImpiLink **out_end) {
  ImpiLink *first = linkage->links.data + group->first;
  *out_end = first + group->count;
  return first;
}


static void count_flops(ImpiLinkage *linkage, const ImpiTreeGroup *group, int each_link, int each_coordinate) {
  double free = 0;
  for (int i = group->first; i < group->first + group->count; ++i) {
    free += linkage->links.data[i].free;
  }
  linkage->flops += (double)group->count * each_link + free * each_coordinate;
}


// ---------------------------------------------------------------------------------------------------------------------
// Poses
// ---------------------------------------------------------------------------------------------------------------------


static ImpVec2 axis_of(const ImpiJoint *joint, const ImpiMotion *a) {
  return impi_rotate((ImpRot){a->c, a->s}, impi_vec(joint->frames.axis.c, joint->frames.axis.s));
}


// Read the armature and the rotor speed of each free coordinate.
static void measure_rotors(const ImpiSolve *solve, ImpiLink *link) {
  const ImpiJoint *joint = &solve->joints[link->joint];
  for (int k = 0; k < link->free; ++k) {
    int axis = link->axis[k];
    int32_t drive = joint->inline_coordinates[axis].drive;
    bool turns = (axis < 2 || link->turns_with_base) && impi_joint_has_rotor(joint, solve->drives, solve->bodies, axis);
    link->rotor[axis] = turns ? solve->drives[drive].set.armature : 0;
    link->spin[axis] = turns ? solve->drives[drive].rotor : 0;
  }
}


static void measure(const ImpiSolve *solve, ImpiLink *link) {
  const ImpiMotion *own = &solve->motions[link->body];
  link->rate[0] = link->rate[1] = 0;
  link->rate[2] = link->turns || solve->bodies[link->body].type == IMP_BODY_PARTICLE ? 0 : own->w;
  if (link->base < 0) {
    link->q[0] = own->x;
    link->q[1] = own->y;
    link->q[2] = own->angle;
    return;
  }
  const ImpiJoint *joint = &solve->joints[link->joint];
  const ImpiMotion *a = &solve->motions[joint->body_a], *b = &solve->motions[joint->body_b];
  ImpVec2 p_a = impi_anchor(joint->frames.local_a, &solve->bodies[joint->body_a], a);
  ImpVec2 p_b = impi_anchor(joint->frames.local_b, &solve->bodies[joint->body_b], b);
  ImpVec2 u = axis_of(joint, a), apart = impi_sub(p_b, p_a);
  link->q[0] = impi_dot(u, apart);
  link->q[1] = impi_dot(impi_left(u), apart);
  link->q[2] = link->turns_with_base ? b->angle - a->angle - joint->frames.reference : own->angle;
  for (int i = 0; i < 3; ++i) {
    const ImpiCoordinate *coordinate = &joint->inline_coordinates[i];
    bool own_angle = i == 2 && !link->turns_with_base;
    bool holds = link->locks >> i & 1u && coordinate->locked && !own_angle;
    link->q[i] = holds ? coordinate->lock : link->q[i];
  }
  link->rate[2] = link->turns_with_base ? 0 : link->rate[2];
  measure_rotors(solve, link);
}


void impi_linkage_measure(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group) {
  ImpiLink *end, *link = links_of(linkage, group, &end);
  for (; link < end; ++link) {
    measure(solve, link);
  }
}


static void turn(ImpiMotion *motion, double angle) {
  if (angle != motion->angle) {
    motion->angle = angle;
    ImpRot q = impi_rot(angle);
    motion->c = q.c;
    motion->s = q.s;
  }
}


static void set_columns(ImpiLink *link) {
  for (int k = 0; k < link->free; ++k) {
    ImpVec2 d = link->axis[k] == 0 ? link->u : impi_left(link->u);
    bool angle = link->axis[k] == 2;
    link->s[k] = angle ? (ImpiTwist){link->sign * link->lever_c.y, -link->sign * link->lever_c.x, link->sign}
                       : (ImpiTwist){link->sign * d.x, link->sign * d.y, 0};
  }
}


static void place(ImpiSolve *solve, ImpiLink *link) {
  ImpiMotion *own = &solve->motions[link->body];
  if (link->base < 0) {
    own->x = link->q[0];
    own->y = link->q[1];
    turn(own, link->q[2]);
    link->lever_p = link->lever_c = link->arm = impi_vec(0, 0);
    link->u = impi_vec(1, 0);
    set_columns(link);
    return;
  }
  const ImpiJoint *joint = &solve->joints[link->joint];
  const ImpiBody *body = &solve->bodies[link->body], *base_body = &solve->bodies[link->base];
  const ImpiMotion *base = &solve->motions[link->base];
  bool is_b = link->sign > 0;
  turn(own, link->turns_with_base ? base->angle + link->sign * (joint->frames.reference + link->q[2]) : link->q[2]);
  link->u = axis_of(joint, is_b ? base : own);
  ImpVec2 slide = impi_add(impi_scale(link->q[0], link->u), impi_scale(link->q[1], impi_left(link->u)));
  ImpVec2 near = is_b ? joint->frames.local_a : joint->frames.local_b,
          far = is_b ? joint->frames.local_b : joint->frames.local_a;
  ImpVec2 anchor_p = impi_rotate((ImpRot){base->c, base->s}, impi_sub(near, base_body->local_center));
  ImpVec2 anchor_c = impi_rotate((ImpRot){own->c, own->s}, impi_sub(far, body->local_center));
  link->lever_p = is_b ? impi_add(anchor_p, slide) : anchor_p;
  link->lever_c = is_b ? anchor_c : impi_add(anchor_c, slide);
  link->arm = link->turns_with_base ? impi_sub(link->lever_p, link->lever_c) : link->lever_p;
  own->x = base->x + (link->lever_p.x - link->lever_c.x);
  own->y = base->y + (link->lever_p.y - link->lever_c.y);
  set_columns(link);
}


void impi_linkage_place(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group) {
  ImpiLink *end, *link = links_of(linkage, group, &end);
  for (; link < end; ++link) {
    place(solve, link);
  }
  count_flops(linkage, group, PLACE_FLOPS, 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Velocities
// ---------------------------------------------------------------------------------------------------------------------


// Return X v.
static ImpiTwist carry(const ImpiLink *link, ImpiTwist v) {
  return (ImpiTwist){v.x - v.w * link->arm.y, v.y + v.w * link->arm.x, link->turns_with_base ? v.w : 0};
}


// Return X^T f.
static ImpiTwist hand(const ImpiLink *link, ImpiTwist f) {
  return (ImpiTwist){f.x, f.y, link->arm.x * f.y - link->arm.y * f.x + (link->turns_with_base ? f.w : 0)};
}


// Return the velocity of a base that is not a link.
static ImpiTwist base_velocity(const ImpiSolve *solve, const ImpiLink *link) {
  bool moves = link->base >= 0 && solve->bodies[link->base].type == IMP_BODY_KINEMATIC;
  return moves ? impi_motion_twist(&solve->motions[link->base]) : (ImpiTwist){0};
}


// Return the velocity of a link if its free coordinates are at rest, given the velocity of its parent.
static ImpiTwist at_rest(const ImpiLink *link, ImpiTwist parent) {
  ImpiTwist v = carry(link, parent);
  if (!link->turns_with_base && !link->turns) {
    double w = link->rate[2];
    v = impi_twist_add(v, 1, (ImpiTwist){w * link->lever_c.y, -w * link->lever_c.x, w});
  }
  return v;
}


void impi_linkage_move(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group) {
  ImpiLink *end, *link = links_of(linkage, group, &end);
  for (; link < end; ++link) {
    const ImpiLink *parent = link->parent >= 0 ? &linkage->links.data[link->parent] : NULL;
    ImpiTwist v = at_rest(link, parent != NULL ? parent->velocity : base_velocity(solve, link));
    for (int k = 0; k < link->free; ++k) {
      v = impi_twist_add(v, link->rate[link->axis[k]], link->s[k]);
    }
    link->velocity = v;
    ImpiMotion *motion = &solve->motions[link->body];
    motion->vx = v.x;
    motion->vy = v.y;
    motion->w = v.w;
  }
  count_flops(linkage, group, MOVE_FLOPS, MOVE_FLOPS_EACH);
}


void impi_linkage_rates(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group) {
  ImpiLink *end, *link = links_of(linkage, group, &end);
  for (; link < end; ++link) {
    ImpiTwist v = impi_motion_twist(&solve->motions[link->body]);
    ImpiTwist base = link->parent >= 0 ? impi_motion_twist(&solve->motions[link->base]) : base_velocity(solve, link);
    ImpiTwist rest = impi_twist_add(v, -1, carry(link, base));
    ImpVec2 slip = impi_vec(rest.x - rest.w * link->lever_c.y, rest.y + rest.w * link->lever_c.x);
    double rates[3] = {link->sign * impi_dot(link->u, slip), link->sign * impi_dot(impi_left(link->u), slip),
                       link->sign * rest.w};
    for (int k = 0; k < link->free; ++k) {
      link->rate[link->axis[k]] = rates[link->axis[k]];
    }
  }
  count_flops(linkage, group, MOVE_FLOPS, MOVE_FLOPS_EACH);
}


void impi_linkage_bias(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group) {
  ImpiLink *end, *link = links_of(linkage, group, &end);
  for (; link < end; ++link) {
    link->bias = (ImpiTwist){0};
    if (link->base < 0) {
      continue;
    }
    const ImpiLink *parent = link->parent >= 0 ? &linkage->links.data[link->parent] : NULL;
    double w_p = parent != NULL ? parent->velocity.w : base_velocity(solve, link).w;
    double w_c = link->velocity.w, w_a = link->sign > 0 ? w_p : w_c;
    ImpVec2 slide = impi_add(impi_scale(link->rate[0], link->u), impi_scale(link->rate[1], impi_left(link->u)));
    ImpVec2 c = impi_sub(impi_scale(w_c * w_c, link->lever_c), impi_scale(w_p * w_p, link->lever_p));
    c = impi_mul_add(c, 2 * link->sign * w_a, impi_left(slide));
    link->bias = parent != NULL ? carry(link, parent->bias) : (ImpiTwist){0};
    link->bias.x += c.x;
    link->bias.y += c.y;
  }
  count_flops(linkage, group, BIAS_FLOPS, 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Forces
// ---------------------------------------------------------------------------------------------------------------------


// Return I v.
static ImpiTwist weigh(const double *i, ImpiTwist v) {
  return (ImpiTwist){i[0] * v.x + i[1] * v.y + i[3] * v.w, i[1] * v.x + i[2] * v.y + i[4] * v.w,
                     i[3] * v.x + i[4] * v.y + i[5] * v.w};
}


// Subtract U U^T / D from I; `inv_d` is 1 / D.
static void take_away(double *i, ImpiTwist u, double inv_d) {
  i[0] -= u.x * u.x * inv_d;
  i[1] -= u.x * u.y * inv_d;
  i[2] -= u.y * u.y * inv_d;
  i[3] -= u.x * u.w * inv_d;
  i[4] -= u.y * u.w * inv_d;
  i[5] -= u.w * u.w * inv_d;
}


// Add the articulated inertia of a link, X^T I X, to the I of its parent (linkage.h).
static void hand_inertia(const ImpiLink *link, double *parent) {
  const double *i = link->inertia;
  ImpiTwist turned = {-link->arm.y, link->arm.x, link->turns_with_base ? 1 : 0}; // X (0, 0, 1)
  ImpiTwist t = weigh(i, turned);
  parent[0] += i[0];
  parent[1] += i[1];
  parent[2] += i[2];
  parent[3] += t.x;
  parent[4] += t.y;
  parent[5] += impi_twist_dot(turned, t);
}


void impi_linkage_factor(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group) {
  ImpiLink *end, *first = links_of(linkage, group, &end);
  for (ImpiLink *link = first; link < end; ++link) {
    const ImpiBody *body = &solve->bodies[link->body];
    double own[6] = {body->mass, 0, body->mass, 0, 0, link->turns ? body->inertia : 0};
    for (int k = 0; k < 6; ++k) {
      link->inertia[k] = own[k];
    }
  }
  for (ImpiLink *link = end - 1; link >= first; --link) {
    for (int k = 0; k < link->free; ++k) {
      link->along[k] = weigh(link->inertia, link->s[k]);
      link->inv_d[k] = 1 / (impi_twist_dot(link->s[k], link->along[k]) + link->rotor[link->axis[k]]);
      take_away(link->inertia, link->along[k], link->inv_d[k]);
    }
    if (link->parent >= 0) {
      hand_inertia(link, linkage->links.data[link->parent].inertia);
    }
  }
  count_flops(linkage, group, FACTOR_FLOPS, FACTOR_FLOPS_EACH);
}


// Compute the response of the links to their loads, see impi_linkage_respond. With `rotors`, the momenta of rotors are
// added to the loads.
static void respond(ImpiLinkage *linkage, const ImpiTreeGroup *group, bool rotors) {
  ImpiLink *end, *first = links_of(linkage, group, &end);
  for (ImpiLink *link = end - 1; link >= first; --link) {
    for (int k = 0; k < link->free; ++k) {
      int axis = link->axis[k];
      link->inward[k] = impi_twist_dot(link->s[k], link->load) + (rotors ? link->rotor[axis] * link->spin[axis] : 0);
      link->load = impi_twist_add(link->load, -link->inward[k] * link->inv_d[k], link->along[k]);
    }
    if (link->parent >= 0) {
      ImpiLink *parent = &linkage->links.data[link->parent];
      parent->load = impi_twist_add(parent->load, 1, hand(link, link->load));
    }
  }
  for (ImpiLink *link = first; link < end; ++link) {
    ImpiTwist v = link->parent >= 0 ? carry(link, linkage->links.data[link->parent].twist) : (ImpiTwist){0};
    for (int k = link->free - 1; k >= 0; --k) {
      double rate = (link->inward[k] - impi_twist_dot(link->along[k], v)) * link->inv_d[k];
      link->acceleration[link->axis[k]] = rate;
      v = impi_twist_add(v, rate, link->s[k]);
    }
    link->twist = v;
  }
  count_flops(linkage, group, RESPOND_FLOPS, RESPOND_FLOPS_EACH);
}


void impi_linkage_respond(ImpiLinkage *linkage, const ImpiTreeGroup *group) { respond(linkage, group, false); }


void impi_linkage_project(ImpiSolve *solve, ImpiLinkage *linkage, const ImpiTreeGroup *group, double h) {
  ImpiLink *end, *first = links_of(linkage, group, &end);
  for (ImpiLink *link = first; link < end; ++link) {
    bool hangs = link->parent >= 0;
    link->at_rest = at_rest(link, hangs ? linkage->links.data[link->parent].at_rest : base_velocity(solve, link));
    ImpiTwist v = impi_twist_add(impi_motion_twist(&solve->motions[link->body]), -1, link->at_rest);
    link->load = impi_link_momentum(solve, link, impi_twist_add(v, -h, link->bias));
  }
  respond(linkage, group, true);
  for (ImpiLink *link = first; link < end; ++link) {
    link->velocity = impi_twist_add(link->at_rest, 1, link->twist);
    for (int k = 0; k < link->free; ++k) {
      link->rate[link->axis[k]] = link->acceleration[link->axis[k]];
    }
  }
}


void impi_linkage_react(ImpiLinkage *linkage, const ImpiTreeGroup *group) {
  ImpiLink *end, *first = links_of(linkage, group, &end);
  for (ImpiLink *link = end - 1; link >= first; --link) {
    link->wrench = link->load;
    if (!link->turns_with_base) { // the joint transmits only a force at its pivot
      link->wrench.w = impi_cross(link->lever_c, impi_vec(link->load.x, link->load.y));
    }
    if (link->parent >= 0) {
      ImpiLink *parent = &linkage->links.data[link->parent];
      parent->load = impi_twist_add(parent->load, 1, hand(link, link->load));
    }
  }
  count_flops(linkage, group, REACT_FLOPS, 0);
}


double impi_link_lock(const ImpiLink *link, int coordinate) {
  ImpVec2 f = {link->wrench.x, link->wrench.y};
  ImpVec2 u = coordinate == 0 ? link->u : impi_left(link->u);
  return link->sign * (coordinate == 2 ? link->wrench.w - impi_cross(link->lever_c, f) : impi_dot(u, f));
}


ImpiTwist impi_link_wrench_on_b(const ImpiLink *link) {
  ImpiTwist on_parent = hand(link, link->wrench);
  return link->sign > 0 ? link->wrench : (ImpiTwist){-on_parent.x, -on_parent.y, -on_parent.w};
}
