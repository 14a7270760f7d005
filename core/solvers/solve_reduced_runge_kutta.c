// Integration of trees without active rows by the classical Runge-Kutta method of fourth order over the substep:
//   q'' = A (F(q, q') - M c(q, q'))     F: gravity, applied forces and damping of bodies; springs and forces of drives
// with A of solve_reduced.c and c of linkage.h. Applied forces are constant over the step. If a body turns by more than
// MAX_TURN in a substep, or oscillates under tension faster than MAX_SWING allows, the substep is cut into equal parts.
// If a body turns by more than twice MAX_TURN in a part, the substep is repeated with twice as many parts. Impulses and
// work are summed over the stages with the weights of the method. The forces of joints are computed by inverse dynamics
// at each stage. A rigid motion of each floating tree corrects its momentum.
#include "solvers/solve_reduced.h"

#define MAX_TURN 0.3 // [rad]: a Runge-Kutta step has an error of about MAX_TURN^5 / 120, 2e-5 of the motion
#define MAX_PARTS 1024
// A link under tension T with levers r at its joints oscillates at w = sqrt(2 T r / I), and up to twice as fast in a
// chain. The method is stable up to w h = 2.8. If w h is above MAX_SWING, the substep is cut into parts with w h =
// SWING.
#define MAX_SWING 1.5 // [rad]
#define SWING 0.75


// One of the equal parts of a substep, and its current Runge-Kutta stage.
typedef struct Part {
  double h, from; // length of the part; start of the part in the substep [s]
  double at;      // (time of the stage - start of the part) / h
  double weight;  // weight of the stage in the sums
} Part;


// ---------------------------------------------------------------------------------------------------------------------
// Forces
// ---------------------------------------------------------------------------------------------------------------------


static void take_bases_along(ImpiSolve *solve, double time) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < solve->awake_count; ++i) {
    int32_t slot = solve->awake[i];
    if (reduced->linkage.link_of.data[i + 1] < 0) {
      solve->motions[slot] = reduced->before.data[i + 1];
      impi_body_integrate_position(&solve->bodies[slot], &solve->motions[slot], time);
    }
  }
}


static void add_body_forces(ImpiSolve *solve, ImpiLink *link, ImpiReducedLink *state, const Part *part) {
  const ImpiBody *body = &solve->bodies[link->body];
  ImpVec2 g = impi_scale(body->gravity_scale, solve->settings->gravity);
  ImpiTwist v = link->velocity, applied = {body->force.x, body->force.y, link->turns ? body->torque : 0};
  double d = -body->linear_damping * body->mass;
  ImpiTwist damping = {d * v.x, d * v.y, link->turns ? -body->angular_damping * body->inertia * v.w : 0};
  double weight = part->weight * part->h;
  state->applied += weight * impi_twist_dot(applied, v);
  state->damped += weight * impi_twist_dot(damping, v);
  ImpiTwist force = {body->mass * g.x, body->mass * g.y, 0};
  state->force = impi_twist_add(impi_twist_add(force, 1, applied), 1, damping);
}


// Add the force, impulse and work of a spring, damper or given force at the current stage.
static void add_drive_force(ImpiSolve *solve, int i, const Part *part) {
  ImpiReduced *reduced = solve->scratch;
  ImpiReference *ref = &reduced->ref;
  ImpiRow *row = &ref->rows.data[i];
  const ImpiJoint *joint = &solve->joints[row->owner];
  const ImpDrive *set = &solve->drives[impi_joint_coordinate_const(joint, row->index)->drive].set;
  ImpiPoses poses = {solve->bodies, solve->motions, NULL};
  ImpiSamples samples = impi_sample_room(&ref->samples, joint);
  impi_joint_sample(solve->joints, joint, &poses, ref->t + part->from + part->at * part->h, 0.1 / ref->h, samples);
  int bodies = impi_joint_body_count(joint);
  const double *j = samples.j + 3 * bodies * row->index;
  double speed = 0;
  for (int k = 0; k < bodies; ++k) {
    const ImpiMotion *m = &solve->motions[impi_joint_body(joint, k)];
    speed += j[3 * k] * m->vx + j[3 * k + 1] * m->vy + j[3 * k + 2] * m->w;
  }
  double force = set->force;
  if (row->kind == IMP_ROW_SPRING) {
    double stiffness, damping;
    impi_spring_constants(set, row->swings, &stiffness, &damping);
    double rest = set->rest + set->rest_speed * (part->from + part->at * part->h);
    force = impi_clamp(-stiffness * (samples.value[row->index] - rest) - damping * (speed - set->rest_speed),
                       -set->spring_max, set->spring_max);
  } else if (row->kind == IMP_ROW_DAMPING) {
    force = -set->viscous_damping * speed;
  }
  row->lambda += part->weight * part->h * force;
  reduced->rows.data[i].work += part->weight * part->h * force * speed;
  for (int k = 0; k < bodies; ++k) {
    int32_t link = impi_link_of(solve, &reduced->linkage, impi_joint_body(joint, k));
    if (link >= 0) {
      ImpiTwist *sum = &reduced->links.data[link].force;
      *sum = impi_twist_add(*sum, force, (ImpiTwist){j[3 * k], j[3 * k + 1], j[3 * k + 2]});
    }
  }
}


// Return whether a row is a lock, spring or force on trees integrated by Runge-Kutta. These trees are in one
// ImpiTreeGroup.
static bool is_ours(const ImpiSolve *solve, int i) {
  const ImpiReduced *reduced = solve->scratch;
  const ImpiRow *row = &reduced->ref.rows.data[i];
  uint8_t role = reduced->rows.data[i].role;
  for (int k = 0; k < impi_row_parts(row) && role >= IMPI_ROLE_TREE && role <= IMPI_ROLE_SPRING; ++k) {
    int32_t group = impi_row_group(solve, row, k);
    if (group >= 0) {
      return !reduced->groups.data[group].euler;
    }
  }
  return false;
}


static void add_drive_forces(ImpiSolve *solve, const Part *part) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    if (reduced->rows.data[i].role > IMPI_ROLE_TREE && is_ours(solve, i)) {
      add_drive_force(solve, i, part);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// One group at one stage
// ---------------------------------------------------------------------------------------------------------------------


// Add the impulses over `time` of each joint to `wrench` and of its locks to `lock` of ImpiReducedLink. ImpiLink.load
// must contain the force that a body needs from its joints.
static void note_reactions(ImpiReduced *reduced, const ImpiTreeGroup *group, double time) {
  impi_linkage_react(&reduced->linkage, group);
  for (int i = group->first; i < group->first + group->count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    ImpiReducedLink *state = &reduced->links.data[i];
    for (int k = 0; k < 3 && link->joint >= 0; ++k) {
      state->lock[k] += time * impi_link_lock(link, k);
    }
    state->wrench = impi_twist_add(state->wrench, time, impi_link_wrench_on_b(link));
  }
}


// Set the state of the stage from the slopes of the previous stage.
static void go_to_stage(ImpiSolve *solve, const ImpiTreeGroup *group, const Part *part) {
  ImpiReduced *reduced = solve->scratch;
  double step = part->at * part->h;
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiLink *link = &reduced->linkage.links.data[i];
    const ImpiReducedLink *state = &reduced->links.data[i];
    for (int k = 0; k < 3; ++k) {
      link->q[k] = state->q[k] + step * link->rate[k];
      link->rate[k] = state->rate[k] + step * link->acceleration[k];
    }
  }
  impi_linkage_place(solve, &reduced->linkage, group);
  impi_linkage_move(solve, &reduced->linkage, group);
}


// Add the impulses of external forces over `time` to the momenta of floating trees. Angular momenta are about the
// present centres of mass. The root must be the first link of its tree, because the loop resets the sums at the root.
static void push_sums(ImpiSolve *solve, const ImpiTreeGroup *group, double time) {
  ImpiReduced *reduced = solve->scratch;
  const ImpiLink *links = reduced->linkage.links.data;
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiTreeSum *sum = &reduced->links.data[links[i].root].sum, *stage = &reduced->links.data[links[i].root].stage;
    if (links[i].root == i) {
      *stage = (ImpiTreeSum){0};
    }
    const ImpiMotion *motion = &solve->motions[links[i].body];
    ImpiTwist force = reduced->links.data[i].force;
    ImpVec2 r = {motion->x - sum->x, motion->y - sum->y};
    double mass = solve->bodies[links[i].body].mass;
    stage->x += mass * r.x;
    stage->y += mass * r.y;
    stage->momentum = impi_twist_add(stage->momentum, 1, force);
    stage->momentum.w += r.x * force.y - r.y * force.x;
  }
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiTreeSum *sum = &reduced->links.data[i].sum;
    if (links[i].root == i && sum->mass > 0) {
      ImpiTreeSum stage = reduced->links.data[i].stage;
      stage.momentum.w -= (stage.x * stage.momentum.y - stage.y * stage.momentum.x) / sum->mass;
      sum->momentum = impi_twist_add(sum->momentum, time, stage.momentum);
    }
  }
}


static void evaluate(ImpiSolve *solve, const ImpiTreeGroup *group, const Part *part) {
  ImpiReduced *reduced = solve->scratch;
  ImpiLinkage *linkage = &reduced->linkage;
  impi_linkage_bias(solve, linkage, group);
  impi_linkage_factor(solve, linkage, group);
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiLink *link = &linkage->links.data[i];
    link->load = impi_twist_add(reduced->links.data[i].force, -1, impi_link_momentum(solve, link, link->bias));
  }
  impi_linkage_respond(linkage, group);
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiLink *link = &linkage->links.data[i];
    ImpiReducedLink *state = &reduced->links.data[i];
    for (int k = 0; k < 3; ++k) {
      state->slope_q[k] += part->weight * link->rate[k];
      state->slope_rate[k] += part->weight * link->acceleration[k];
    }
    ImpiTwist a = impi_twist_add(link->twist, 1, link->bias);
    link->load = impi_twist_add(impi_link_momentum(solve, link, a), -1, state->force);
  }
  push_sums(solve, group, part->weight * part->h);
  note_reactions(reduced, group, part->weight * part->h);
}


// ---------------------------------------------------------------------------------------------------------------------
// The substep
// ---------------------------------------------------------------------------------------------------------------------


// Project the velocities of the bodies on those that the joints allow: the joints transmit external impulses, and
// velocity errors of the previous substep vanish.
static void start(ImpiSolve *solve, const ImpiTreeGroup *group, const Part *part) {
  (void)part;
  ImpiReduced *reduced = solve->scratch;
  impi_linkage_factor(solve, &reduced->linkage, group);
  impi_linkage_project(solve, &reduced->linkage, group, 0);
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiLink *link = &reduced->linkage.links.data[i];
    reduced->links.data[i] = (ImpiReducedLink){0};
    for (int k = 0; k < 3; ++k) {
      link->acceleration[k] = 0;
    }
    ImpiTwist change = impi_twist_add(link->velocity, -1, impi_motion_twist(&solve->motions[link->body]));
    link->load = impi_link_momentum(solve, link, change);
  }
  note_reactions(reduced, group, 1);
  impi_linkage_move(solve, &reduced->linkage, group);
  impi_reduced_sum(solve, group);
}


static void start_part(ImpiSolve *solve, const ImpiTreeGroup *group, const Part *part) {
  (void)part;
  ImpiReduced *reduced = solve->scratch;
  for (int i = group->first; i < group->first + group->count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    ImpiReducedLink *state = &reduced->links.data[i];
    for (int k = 0; k < 3; ++k) {
      state->q[k] = link->q[k];
      state->rate[k] = link->rate[k];
      state->slope_q[k] = state->slope_rate[k] = 0;
    }
  }
}


static void push_bodies(ImpiSolve *solve, const ImpiTreeGroup *group, const Part *part) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = group->first; i < group->first + group->count; ++i) {
    add_body_forces(solve, &reduced->linkage.links.data[i], &reduced->links.data[i], part);
  }
}


static void end_part(ImpiSolve *solve, const ImpiTreeGroup *group, const Part *part) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiLink *link = &reduced->linkage.links.data[i];
    const ImpiReducedLink *state = &reduced->links.data[i];
    for (int k = 0; k < 3; ++k) {
      link->q[k] = state->q[k] + part->h * state->slope_q[k];
      link->rate[k] = state->rate[k] + part->h * state->slope_rate[k];
    }
  }
  impi_linkage_place(solve, &reduced->linkage, group);
  impi_linkage_move(solve, &reduced->linkage, group);
}


static void end(ImpiSolve *solve, const ImpiTreeGroup *group, const Part *part) {
  (void)part;
  impi_reduced_match_momentum(solve, group);
}


typedef void Stage(ImpiSolve *solve, const ImpiTreeGroup *group, const Part *part);

static void each_group(ImpiSolve *solve, const Part *part, Stage *stage) {
  ImpiReduced *reduced = solve->scratch;
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    if (!reduced->groups.data[u].euler) {
      stage(solve, &reduced->linkage.groups.data[u], part);
    }
  }
}


// Add the stiffness due to a joint force to both bodies of a link's joint. The stiffness of a body is the joint force
// of the previous substep times the distance of the joint from the body's centre of mass.
static void add_tension(ImpiSolve *solve, const ImpiLink *link) {
  ImpiReduced *reduced = solve->scratch;
  const ImpiJoint *joint = link->joint >= 0 ? &solve->joints[link->joint] : NULL;
  double force_sq = 0, lever_a = 0, lever_b = 0;
  for (int k = 0; joint != NULL && k < joint->row_count; ++k) {
    const ImpiRow *row = &reduced->ref.rows.data[joint->first_row + k];
    bool across = row->j[3] != 0 || row->j[4] != 0;
    if (row->kind == IMP_ROW_LOCK && across) {
      force_sq += row->lambda * row->lambda;
      lever_a += row->j[2] * row->j[2];
      lever_b += row->j[5] * row->j[5];
    }
  }
  if (force_sq > 0) {
    const ImpiRow *row = &reduced->ref.rows.data[joint->first_row];
    double force = sqrt(force_sq) / reduced->ref.h;
    reduced->tension.data[solve->bodies[row->body_a].lane] += force * sqrt(lever_a);
    reduced->tension.data[solve->bodies[row->body_b].lane] += force * sqrt(lever_b);
  }
}


// Return the highest angular frequency at which a link oscillates under tension [rad/s]. Only trees integrated by
// Runge-Kutta count.
static double swing_of(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  double fastest = 0;
  for (int i = 0; i <= solve->awake_count; ++i) {
    reduced->tension.data[i] = 0;
  }
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    if (!reduced->groups.data[link->group].euler) {
      add_tension(solve, link);
    }
  }
  for (int i = 0; i < solve->awake_count; ++i) {
    double stiffness = reduced->tension.data[i + 1] * solve->bodies[solve->awake[i]].inv_inertia;
    fastest = impi_max(fastest, 2 * sqrt(stiffness));
  }
  return fastest;
}


// Return the largest angular velocity of the links in trees integrated by Runge-Kutta [rad/s]. A floating body that is
// alone in its group does not count.
static double fastest_turn(const ImpiSolve *solve) {
  const ImpiReduced *reduced = solve->scratch;
  double fastest = 0;
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    bool alone = link->base < 0 && reduced->linkage.groups.data[link->group].count == 1;
    bool counts = !alone && !reduced->groups.data[link->group].euler;
    fastest = counts ? impi_max(fastest, fabs(link->velocity.w)) : fastest;
  }
  return fastest;
}


static int parts_of(ImpiSolve *solve) {
  const ImpiReduced *reduced = solve->scratch;
  double parts = 1 + floor(fastest_turn(solve) * reduced->ref.h / MAX_TURN), angle = swing_of(solve) * reduced->ref.h;
  parts = angle > MAX_SWING ? impi_max(parts, 1 + floor(angle / SWING)) : parts;
  return parts < MAX_PARTS ? (int)parts : MAX_PARTS;
}


static void take_step(ImpiSolve *solve, Part part) {
  static const double places[4] = {0, 0.5, 0.5, 1}, weights[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  each_group(solve, &part, start_part);
  for (int n = 0; n < 4; ++n) {
    part.at = places[n];
    part.weight = weights[n];
    take_bases_along(solve, part.from + part.at * part.h);
    each_group(solve, &part, go_to_stage);
    each_group(solve, &part, push_bodies);
    add_drive_forces(solve, &part);
    each_group(solve, &part, evaluate);
  }
  each_group(solve, &part, end_part);
}


void impi_reduced_predict_accelerations(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  impi_reference_keep(solve, reduced->ref.began.data);
  Part now = {.h = reduced->ref.h}; // with weight 0, nothing is added to the sums
  each_group(solve, &now, start);
  each_group(solve, &now, push_bodies);
  add_drive_forces(solve, &now);
  each_group(solve, &now, evaluate);
  impi_reference_go_back(solve, reduced->ref.began.data);
}


// Reset the impulse and work of springs and forces. Set the work of locks, which is not 0 if velocities violate them.
static void begin_rows(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    ImpiRow *row = &reduced->ref.rows.data[i];
    if (reduced->rows.data[i].role > IMPI_ROLE_TREE && is_ours(solve, i)) {
      row->lambda = reduced->rows.data[i].work = 0;
    }
  }
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    const ImpiJoint *joint = link->joint >= 0 ? &solve->joints[link->joint] : NULL;
    bool smooth = !reduced->groups.data[link->group].euler;
    for (int k = 0; joint != NULL && smooth && k < joint->row_count; ++k) {
      const ImpiRow *row = &reduced->ref.rows.data[joint->first_row + k];
      if (reduced->rows.data[joint->first_row + k].role == IMPI_ROLE_TREE && row->rotor == NULL) {
        reduced->rows.data[joint->first_row + k].work = 0.5 * reduced->links.data[i].lock[row->index] * row->before;
      }
    }
  }
}


// Integrate by Runge-Kutta in `parts` equal parts of the substep. Return false if a body turns too fast for this number
// of parts.
static bool move_in(ImpiSolve *solve, int parts) {
  ImpiReduced *reduced = solve->scratch;
  double h = reduced->ref.h / parts;
  for (int n = 0; n < parts; ++n) {
    take_step(solve, (Part){.h = h, .from = n * h});
    if (!(fastest_turn(solve) * h <= 2 * MAX_TURN)) {
      return false;
    }
  }
  return true;
}


static void measure(ImpiSolve *solve, const ImpiTreeGroup *group, const Part *part) {
  (void)part;
  ImpiReduced *reduced = solve->scratch;
  impi_linkage_measure(solve, &reduced->linkage, group);
  impi_linkage_place(solve, &reduced->linkage, group);
}


void impi_reduced_move_runge_kutta(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  impi_reference_keep(solve, reduced->start.data);
  each_group(solve, NULL, start);
  begin_rows(solve);
  for (int parts = parts_of(solve); !move_in(solve, parts) && parts < MAX_PARTS;) {
    parts = parts < MAX_PARTS / 2 ? 2 * parts : MAX_PARTS;
    impi_reference_go_back(solve, reduced->start.data);
    each_group(solve, NULL, measure);
    each_group(solve, NULL, start);
    begin_rows(solve);
  }
  take_bases_along(solve, reduced->ref.h);
  each_group(solve, NULL, end);
}
