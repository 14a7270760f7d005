// Generalized coordinates: joints that form trees are satisfied by the choice of coordinates, not by impulses.
//
//   1  trees     a joint attaches each body to another body or the world, or the body floats (linkage.h); poses are
//                computed from coordinates, so joints of a tree have no error
//   2  rows      constraints that the coordinates do not satisfy: loops, rods, gears, limits, drives, contacts
//   3  RK4       trees without active rows: Runge-Kutta of fourth order, with gravity, forces, damping and springs
//   4  Euler     all other trees, and bodies with implicit fields, by a symplectic Euler step in the coordinates:
//                  S^T M S q'* = S^T M (v' - h c)   v': velocities after applied forces and damping
//                  q'1 = q'* + A J^T lambda         rows, solved on the velocities S q'
//                  q1 = q + h q'1
//                S: body velocities are v = S q'; A = (S^T M S)^-1 S^T
//                c is the mean of the velocity-dependent accelerations before the step and after it (predicted with the
//                last impulses), as in a discrete Lagrangian
//   5  joints    the impulses of the trees' locks are computed afterwards, from the leaves to the roots: a joint
//                supplies the change of momentum of its body, minus all other impulses on the body
// In each substep the state is read from the poses and velocities of bodies. Velocities that violate the joints are
// replaced by those that the joints allow at the same momenta, as after an impact.
// If the trees of stage 4 turn fast, the substep is cut into equal parts.
// Errors of loops, limits and contacts are corrected as in `si`: beta / dt * C.
// source: Featherstone, "Rigid Body Dynamics Algorithms" (2008); Catto (GDC 2009) for the rows
#include "solvers/solve_reduced.h"

#include <string.h>

// If a body turns by more than this in a symplectic Euler substep [rad], its trees move with bias 0, because the
// prediction of the bias (velocity-dependent acceleration) is unstable.
#define QUICK 0.5

// If a body would turn by more than this in a symplectic Euler substep [rad], the substep is cut into 2, 4, ... equal
// parts, at most MAX_EULER_PARTS.
#define MAX_EULER_TURN 0.25
#define MAX_EULER_PARTS 32

// Number of iterations that compute the mean bias.
#define BIAS_ROUNDS 2


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------


static void reduced_destroy(ImpiHeap *heap, void *scratch) {
  ImpiReduced *reduced = scratch;
  if (reduced == NULL) {
    return;
  }
  impi_reference_free(heap, &reduced->ref);
  impi_linkage_free(heap, &reduced->linkage);
  impi_array_free(heap, &reduced->rows);
  impi_array_free(heap, &reduced->groups);
  impi_array_free(heap, &reduced->links);
  impi_array_free(heap, &reduced->block);
  impi_array_free(heap, &reduced->shares);
  impi_array_free(heap, &reduced->reported);
  impi_array_free(heap, &reduced->reported_terms);
  impi_array_free(heap, &reduced->effects);
  impi_array_free(heap, &reduced->tension);
  impi_array_free(heap, &reduced->forces_first);
  impi_array_free(heap, &reduced->before);
  impi_array_free(heap, &reduced->start);
  impi_resize(heap, reduced, sizeof *reduced, 0);
}


static void set_lanes(ImpiSolve *solve, bool on) {
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->bodies[solve->awake[i]].lane = on ? i + 1 : 0;
  }
}


static ImpStatus plan(ImpiSolve *solve, bool handlers) {
  ImpiReduced *reduced = solve->scratch;
  bool room = impi_linkage_plan(solve, &reduced->linkage, IMPI_REDUCED_BLOCK, handlers) &&
              impi_reserve(solve->heap, &reduced->links, reduced->linkage.links.count);
  return room ? impi_reduced_reserve_rows(solve, handlers) : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


static ImpStatus reduced_reserve(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  ImpStatus status = impi_reference_reserve(solve);
  if (status != IMP_OK) {
    return status;
  }
  bool room = impi_reserve(solve->heap, &reduced->before, solve->awake_count + 1) &&
              impi_reserve(solve->heap, &reduced->start, solve->awake_count + 1) &&
              impi_reserve(solve->heap, &reduced->tension, solve->awake_count + 1) &&
              impi_reserve(solve->heap, &reduced->forces_first, solve->awake_count + 1);
  if (!room) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  set_lanes(solve, true);
  status = plan(solve, solve->before_substep != NULL);
  if (status == IMP_ERR_LIMIT && solve->before_substep != NULL) {
    solve->rows_fixed = true;
    status = plan(solve, false);
  }
  set_lanes(solve, false);
  return status;
}


// ---------------------------------------------------------------------------------------------------------------------
// Momenta of whole trees
// ---------------------------------------------------------------------------------------------------------------------


// Return the state of the root of link i if the tree floats and has more than one body, else null.
static ImpiReducedLink *floating_root(const ImpiSolve *solve, const ImpiTreeGroup *group, int i) {
  ImpiReduced *reduced = solve->scratch;
  int32_t root = reduced->linkage.links.data[i].root;
  const ImpiLink *link = &reduced->linkage.links.data[root];
  bool floats = group->count > 1 && link->base < 0 && solve->bodies[link->body].locks == 0;
  return floats ? &reduced->links.data[root] : NULL;
}


void impi_reduced_sum(ImpiSolve *solve, const ImpiTreeGroup *group) {
  ImpiReduced *reduced = solve->scratch;
  const ImpiLink *links = reduced->linkage.links.data;
  for (int i = group->first; i < group->first + group->count; ++i) {
    const ImpiReducedLink *root = floating_root(solve, group, i);
    reduced->links.data[i].sum = (ImpiTreeSum){0};
    if (root == NULL) {
      continue;
    }
    ImpiTreeSum *sum = &reduced->links.data[links[i].root].sum;
    const ImpiMotion *m = &solve->motions[links[i].body];
    double mass = solve->bodies[links[i].body].mass;
    sum->mass += mass;
    sum->x += mass * (m->x - sum->x) / sum->mass;
    sum->y += mass * (m->y - sum->y) / sum->mass;
    sum->momentum = impi_twist_add(sum->momentum, mass, (ImpiTwist){m->vx, m->vy, 0});
  }
  bool turns = true;
  for (int i = group->first; i < group->first + group->count; ++i) {
    if (floating_root(solve, group, i) == NULL) {
      continue;
    }
    ImpiTreeSum *sum = &reduced->links.data[links[i].root].sum;
    const ImpiMotion *m = &solve->motions[links[i].body];
    const ImpiBody *body = &solve->bodies[links[i].body];
    ImpVec2 r = {m->x - sum->x, m->y - sum->y};
    turns = (turns || links[i].root == i) && links[i].turns;
    double inertia = body->inertia + body->mass * impi_length_sq(r);
    sum->inertia = turns ? sum->inertia + inertia : 0;
    sum->momentum.w += body->inertia * m->w + body->mass * impi_cross(r, impi_vec(m->vx, m->vy));
  }
}


void impi_reduced_match_momentum(ImpiSolve *solve, const ImpiTreeGroup *group) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = group->first; i < group->first + group->count; ++i) {
    reduced->links.data[i].stage = reduced->links.data[i].sum; // the totals to restore; `sum` is overwritten below
  }
  impi_reduced_sum(solve, group);
  for (int i = group->first; i < group->first + group->count; ++i) {
    const ImpiReducedLink *root = floating_root(solve, group, i);
    if (root == NULL) {
      continue;
    }
    ImpiTwist lack = impi_twist_add(root->stage.momentum, -1, root->sum.momentum);
    double w = root->sum.inertia > 0 && root->stage.inertia > 0 ? lack.w / root->sum.inertia : 0;
    ImpiMotion *m = &solve->motions[reduced->linkage.links.data[i].body];
    m->vx += lack.x / root->sum.mass - w * (m->y - root->sum.y);
    m->vy += lack.y / root->sum.mass + w * (m->x - root->sum.x);
    m->w += w;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Stages
// ---------------------------------------------------------------------------------------------------------------------


// Compute coordinates from poses, then poses from coordinates.
static void assemble(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  impi_reference_keep(solve, reduced->before.data);
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    impi_linkage_measure(solve, &reduced->linkage, &reduced->linkage.groups.data[u]);
    impi_linkage_place(solve, &reduced->linkage, &reduced->linkage.groups.data[u]);
  }
  impi_reference_enter_falls(solve, IMP_ENERGY_PROJECTION, reduced->before.data);
}


static void each_rough(ImpiSolve *solve, void (*stage)(ImpiSolve *solve, const ImpiTreeGroup *group)) {
  ImpiReduced *reduced = solve->scratch;
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    if (reduced->groups.data[u].euler) {
      stage(solve, &reduced->linkage.groups.data[u]);
    }
  }
}


// Compute the bias of the trees of a group at velocities that the joints allow.
static void find_bias(ImpiSolve *solve, const ImpiTreeGroup *group) {
  ImpiReduced *reduced = solve->scratch;
  double fastest = 0;
  impi_linkage_project(solve, &reduced->linkage, group, 0);
  impi_linkage_bias(solve, &reduced->linkage, group);
  for (int i = group->first; i < group->first + group->count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    fastest = link->joint >= 0 || link->root != i ? impi_max(fastest, fabs(link->velocity.w)) : fastest;
  }
  bool turns_fast = !(fastest * reduced->ref.h < QUICK);
  reduced->groups.data[reduced->linkage.links.data[group->first].group].turns_fast = turns_fast;
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiLink *link = &reduced->linkage.links.data[i];
    link->bias = turns_fast ? (ImpiTwist){0} : link->bias;
    reduced->links.data[i].bias = link->bias;
  }
}


static bool is_quick(const ImpiReduced *reduced, const ImpiTreeGroup *group) {
  return reduced->groups.data[reduced->linkage.links.data[group->first].group].turns_fast;
}


// Set the bias to the mean of its value before the step and its predicted value after the step. The second is at most
// twice the first, because the impulses of the last substep may be inaccurate.
static void improve_bias(ImpiSolve *solve, const ImpiTreeGroup *group) {
  ImpiReduced *reduced = solve->scratch;
  if (is_quick(reduced, group)) {
    return;
  }
  impi_linkage_project(solve, &reduced->linkage, group, reduced->ref.h);
  impi_linkage_bias(solve, &reduced->linkage, group);
  double now = 0, then = 0;
  for (int i = group->first; i < group->first + group->count; ++i) {
    const ImpiTwist *a = &reduced->links.data[i].bias, *b = &reduced->linkage.links.data[i].bias;
    now = impi_max(now, impi_max(fabs(a->x), fabs(a->y)));
    then = impi_max(then, impi_max(fabs(b->x), fabs(b->y)));
  }
  double part = then > 2 * now ? 2 * now / then : 1;
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiLink *link = &reduced->linkage.links.data[i];
    ImpiTwist sum = impi_twist_add(reduced->links.data[i].bias, part, link->bias);
    link->bias = (ImpiTwist){0.5 * sum.x, 0.5 * sum.y, 0.5 * sum.w};
  }
}


static void apply_forces(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    if (reduced->groups.data[link->group].euler) {
      impi_reference_force(solve, link->body);
      reduced->links.data[i].unconstrained = impi_motion_twist(&solve->motions[link->body]);
    }
  }
  impi_reference_note_speeds(solve);
}


// Return whether a row acts on trees integrated by symplectic Euler (`euler`).
static bool is_rough(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReduced *reduced = solve->scratch;
  for (int k = 0; k < impi_row_parts(row); ++k) {
    int32_t group = impi_row_group(solve, row, k);
    if (group >= 0) {
      return reduced->groups.data[group].euler;
    }
  }
  return false;
}


// Apply impulses of rows to the bodies of the rows. With `given`, apply the impulses of given forces, else warm-start
// impulses.
static void apply_rows(ImpiSolve *solve, bool given) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    const ImpiRow *row = &reduced->ref.rows.data[i];
    uint8_t role = reduced->rows.data[i].role;
    if ((given ? role == IMPI_ROLE_FORCE : role > IMPI_ROLE_SPRING) && is_rough(solve, row)) {
      impi_row_apply(row, solve->bodies, solve->motions, row->lambda);
    }
  }
}


static void predict_bias(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  impi_reference_keep(solve, reduced->before.data);
  apply_rows(solve, false);
  for (int n = 0; n < BIAS_ROUNDS; ++n) {
    each_rough(solve, improve_bias);
  }
  impi_reference_go_back(solve, reduced->before.data);
}


static void project(ImpiSolve *solve, const ImpiTreeGroup *group) {
  ImpiReduced *reduced = solve->scratch;
  impi_linkage_project(solve, &reduced->linkage, group, reduced->ref.h);
  for (int i = group->first; i < group->first + group->count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    ImpiMotion *motion = &solve->motions[link->body];
    motion->vx = link->velocity.x;
    motion->vy = link->velocity.y;
    motion->w = link->velocity.w;
  }
}


// Compute the velocities S q' + h c after the impulses, at the old poses (c: bias of the link). Set the load of a link
// to its body's change of momentum.
static void complete(ImpiSolve *solve, const ImpiTreeGroup *group) {
  ImpiReduced *reduced = solve->scratch;
  impi_linkage_rates(solve, &reduced->linkage, group);
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiLink *link = &reduced->linkage.links.data[i];
    ImpiMotion *motion = &solve->motions[link->body];
    motion->vx += reduced->ref.h * link->bias.x;
    motion->vy += reduced->ref.h * link->bias.y;
    motion->w += reduced->ref.h * link->bias.w;
    ImpiTwist change = impi_twist_add(impi_motion_twist(motion), -1, reduced->links.data[i].unconstrained);
    link->load = impi_link_momentum(solve, link, change);
  }
}


static void take_rows_from_loads(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    if (reduced->rows.data[i].role != IMPI_ROLE_TREE) {
      impi_reduced_unload(solve, &reduced->ref.rows.data[i], reduced->ref.rows.data[i].lambda);
    }
  }
}


static void react(ImpiSolve *solve, const ImpiTreeGroup *group) {
  ImpiReduced *reduced = solve->scratch;
  impi_linkage_react(&reduced->linkage, group);
  for (int i = group->first; i < group->first + group->count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    for (int k = 0; k < 3 && link->joint >= 0; ++k) {
      reduced->links.data[i].lock[k] = impi_link_lock(link, k);
    }
    reduced->links.data[i].wrench = impi_link_wrench_on_b(link);
  }
  impi_reduced_sum(solve, group);
}


// Compute impulses and new velocities of the trees integrated by symplectic Euler (`euler`), at the old poses.
static void solve_rough(ImpiSolve *solve) {
  each_rough(solve, find_bias);
  apply_forces(solve);
  apply_rows(solve, true);
  predict_bias(solve);
  each_rough(solve, project);
  impi_reduced_solve_rows(solve);
  each_rough(solve, complete);
  take_rows_from_loads(solve);
  each_rough(solve, react);
}


static void move_rough(ImpiSolve *solve, const ImpiTreeGroup *group) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = group->first; i < group->first + group->count; ++i) {
    ImpiLink *link = &reduced->linkage.links.data[i];
    for (int k = 0; k < 3; ++k) {
      link->q[k] += reduced->ref.h * link->rate[k];
    }
  }
  impi_linkage_place(solve, &reduced->linkage, group);
  if (!is_quick(reduced, group)) {
    impi_linkage_move(solve, &reduced->linkage, group);
    impi_reduced_match_momentum(solve, group);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Impulses and work of joints
// ---------------------------------------------------------------------------------------------------------------------


static void set_tree_rows(ImpiSolve *solve, bool euler) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    const ImpiReducedLink *state = &reduced->links.data[i];
    ImpiJoint *joint = link->joint >= 0 ? &solve->joints[link->joint] : NULL;
    if (joint == NULL || reduced->groups.data[link->group].euler != euler) {
      continue;
    }
    // the total wrench; the part that impi_reference_store_row will add for tree rows is subtracted below
    for (int k = 0; k < 3; ++k) {
      joint->wrench[k] += k == 0 ? state->wrench.x : k == 1 ? state->wrench.y : state->wrench.w;
    }
    for (int n = joint->first_row; n < joint->first_row + joint->row_count; ++n) {
      ImpiRow *row = &reduced->ref.rows.data[n];
      if (reduced->rows.data[n].role == IMPI_ROLE_TREE) {
        row->lambda = state->lock[row->index];
        for (int k = 0; k < 3; ++k) {
          joint->wrench[k] -= row->lambda * row->j[3 + k];
        }
      }
    }
  }
}


// Return the work of a rotor's row on the bodies: the kinetic energy that the rotor loses [J].
static double work_of_rotor(const ImpiRow *row) {
  double inertia = row->rotor->set.armature, before = row->rotor->rotor, after = before - row->lambda / inertia;
  return 0.5 * inertia * (before * before - after * after);
}


// Set the speeds of rotors in trees to those of their coordinates.
static void turn_rotors(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    for (int k = 0; k < link->free && link->joint >= 0; ++k) {
      int32_t drive = solve->joints[link->joint].inline_coordinates[link->axis[k]].drive;
      if (drive >= 0 && link->rotor[link->axis[k]] > 0) {
        solve->drives[drive].rotor = link->rate[link->axis[k]];
      }
    }
  }
}


// Store the rows of the trees integrated by symplectic Euler (`euler`) or by Runge-Kutta (not `euler`).
static void store(ImpiSolve *solve, bool euler) {
  ImpiReduced *reduced = solve->scratch;
  set_tree_rows(solve, euler);
  double bounded = 0;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    ImpiRow *row = &reduced->ref.rows.data[i];
    if (is_rough(solve, row) != euler) {
      continue;
    }
    bool solved = euler && reduced->rows.data[i].role > IMPI_ROLE_SPRING;
    bounded = solved ? impi_max(bounded, impi_reference_left(solve, row)) : bounded;
    double work = euler ? impi_row_work(row, solve->motions) : reduced->rows.data[i].work;
    work = row->rotor != NULL && reduced->rows.data[i].role == IMPI_ROLE_TREE ? work_of_rotor(row) : work;
    impi_reference_store_row(solve, row, work);
    if (euler) {
      impi_reference_enter_row(solve, row);
    } else if (solve->ledger != NULL) {
      impi_ledger_row(solve->ledger, row, work, solve->bodies, solve->motions);
    }
  }
  solve->report.bounded = euler ? bounded : solve->report.bounded;
  for (int i = 0; i < reduced->linkage.links.count && euler; ++i) {
    if (reduced->groups.data[reduced->linkage.links.data[i].group].euler) {
      impi_reference_enter_force(solve, reduced->linkage.links.data[i].body);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Energy
// ---------------------------------------------------------------------------------------------------------------------


static double smooth_energy(const ImpiSolve *solve) {
  const ImpiReduced *reduced = solve->scratch;
  ImpVec2 g = solve->settings->gravity;
  double sum = 0;
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    const ImpiBody *body = &solve->bodies[link->body];
    const ImpiMotion *m = &solve->motions[link->body];
    if (!reduced->groups.data[link->group].euler) {
      sum += 0.5 * (body->mass * (m->vx * m->vx + m->vy * m->vy) + body->inertia * m->w * m->w) -
             body->mass * body->gravity_scale * (g.x * m->x + g.y * m->y);
    }
  }
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    const ImpiRow *row = &reduced->ref.rows.data[i];
    if (row->rotor != NULL && reduced->rows.data[i].role == IMPI_ROLE_TREE && !is_rough(solve, row)) {
      sum += 0.5 * row->rotor->set.armature * row->rotor->rotor * row->rotor->rotor;
    }
  }
  return sum;
}


static double entered(const ImpiLedger *ledger) {
  double sum = 0;
  for (int i = 0; i < IMP_ENERGY_COUNT; ++i) {
    sum += ledger->cause[i];
  }
  return sum;
}


// Enter in the ledger the energies of the trees integrated by Runge-Kutta.
static void enter_smooth(ImpiSolve *solve, double energy_before, double entered_before) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    if (!reduced->groups.data[link->group].euler) {
      impi_ledger_enter(solve->ledger, IMP_ENERGY_APPLIED, reduced->links.data[i].applied, IMPI_OWNER_BODY, link->body);
      impi_ledger_enter(solve->ledger, IMP_ENERGY_DAMPING, reduced->links.data[i].damped, IMPI_OWNER_BODY, link->body);
    }
  }
  double rest = (smooth_energy(solve) - energy_before) - (entered(solve->ledger) - entered_before);
  solve->ledger->cause[IMP_ENERGY_INTEGRATION] += impi_is_finite(rest) ? rest : 0;
}


static void enter_rough(ImpiSolve *solve) {
  const ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    const ImpiBody *body = &solve->bodies[link->body];
    const ImpiMotion *before = &reduced->before.data[body->lane], *after = &solve->motions[link->body];
    if (reduced->groups.data[link->group].euler) {
      impi_ledger_fall(solve->ledger, IMP_ENERGY_INTEGRATION, link->body, body, before, after,
                       solve->settings->gravity);
      impi_ledger_jump(solve->ledger, IMP_ENERGY_INTEGRATION, link->body, body, before, after);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The step
// ---------------------------------------------------------------------------------------------------------------------


static void move_all_smooth(ImpiSolve *solve) {
  double energy = 0, sum = 0;
  if (solve->ledger != NULL) {
    energy = smooth_energy(solve);
    sum = entered(solve->ledger);
  }
  impi_reduced_move_runge_kutta(solve);
  store(solve, false);
  if (solve->ledger != NULL) {
    enter_smooth(solve, energy, sum);
  }
}


static void move_all_rough(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  impi_reference_keep(solve, reduced->before.data);
  each_rough(solve, move_rough);
  if (solve->ledger != NULL) {
    enter_rough(solve);
  }
}


// Return the largest angular speed [rad/s] of a body in a tree that is integrated by symplectic Euler. A body does not
// count if all its joints in the tree are at its centre of mass.
static double fastest_turn(const ImpiSolve *solve) {
  const ImpiReduced *reduced = solve->scratch;
  const ImpiLink *links = reduced->linkage.links.data;
  double fastest = 0;
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &links[i];
    if (link->joint < 0 || !reduced->groups.data[link->group].euler) {
      continue;
    }
    bool itself = impi_length_sq(link->lever_c) > 0, parent = link->parent >= 0 && impi_length_sq(link->lever_p) > 0;
    fastest = itself ? impi_max(fastest, fabs(solve->motions[link->body].w)) : fastest;
    fastest = parent ? impi_max(fastest, fabs(solve->motions[links[link->parent].body].w)) : fastest;
  }
  return fastest;
}


static void plan_rows(ImpiSolve *solve) {
  impi_reference_rows(solve);
  impi_reference_baumgarte(solve);
  impi_reduced_plan_rows(solve);
}


// Halve the current part of the substep and all later parts if a body turns by more than `most` in the current part
// [rad]. Return whether the parts were halved.
static bool cut(ImpiSolve *solve, double most) {
  ImpiReference *ref = solve->scratch;
  bool cuts = fastest_turn(solve) * ref->h > most && 2 * ref->parts <= MAX_EULER_PARTS;
  if (cuts) {
    ref->parts *= 2;
    ref->part *= 2;
    ref->h *= 0.5;
  }
  return cuts;
}


// Cut the current part of the substep as the present angular velocities require, then plan and solve it. If a body is
// too fast after the solve (2 MAX_EULER_TURN), undo the solve, halve the part, and solve it again.
static void solve_short(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (bool again = true; again;) {
    plan_rows(solve);
    while (cut(solve, MAX_EULER_TURN)) {
      plan_rows(solve);
    }
    impi_reference_keep(solve, reduced->start.data);
    solve_rough(solve);
    again = cut(solve, 2 * MAX_EULER_TURN);
    if (again) {
      impi_reference_go_back(solve, reduced->start.data);
    }
  }
}


static void close_loops(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  impi_reference_keep(solve, reduced->before.data);
  impi_reduced_correct_errors(solve, reduced->ref.t + reduced->ref.h);
  impi_reference_enter_falls(solve, IMP_ENERGY_PROJECTION, reduced->before.data);
}


static void solve_part(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  assemble(solve);
  solve_short(solve);
  store(solve, true);
  move_all_smooth(solve);
  move_all_rough(solve);
  turn_rotors(solve);
  close_loops(solve);
  for (int i = 0; i < solve->active_joint_count; ++i) {
    impi_joint_move_targets(&solve->joints[solve->active_joints[i]], solve->drives, reduced->ref.h);
  }
}


// Set ImpiJoint.dropped to the locks that are dependent on the rows before them.
static void note_dropped(ImpiSolve *solve) {
  const ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    const ImpiRow *row = &reduced->ref.rows.data[i];
    if (row->kind == IMP_ROW_LOCK && row->index < 32) {
      uint32_t *dropped = &solve->joints[row->owner].dropped, bit = 1u << row->index;
      *dropped = reduced->rows.data[i].dropped ? *dropped | bit : *dropped & ~bit;
    }
  }
}


static void put_forces_first(ImpiSolve *solve, int32_t body) {
  ImpiReduced *reduced = solve->scratch;
  reduced->forces_first.data[solve->bodies[body].lane] = true;
}


static void reduced_solve(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  ImpiReference *ref = &reduced->ref;
  double clock = impi_clock();
  reduced->linkage.flops = 0;
  impi_reference_begin(solve);
  double h = ref->h;
  for (int substep = 0; substep < ref->substeps; ++substep) {
    ref->h = h;
    ref->parts = 1;
    memset(reduced->forces_first.data, 0, (size_t)(solve->awake_count + 1) * sizeof *reduced->forces_first.data);
    impi_reference_listen(solve, substep);
    for (ref->part = 0; ref->part < ref->parts; ++ref->part) {
      solve_part(solve);
      ref->t += ref->h;
    }
  }
  double bounded = solve->report.bounded;
  note_dropped(solve);
  impi_reference_show_whole(ref);
  impi_reference_end(solve);
  solve->report.bounded = bounded;
  solve->report.velocity = -1; // not reported
  solve->report.flops += (uint64_t)reduced->linkage.flops;
  solve->stage_time[IMP_STAGE_SOLVE] += impi_clock() - clock;
}


const ImpiSolver impi_solver_reduced = {
    .name = "reduced",
    .ranks = true,
    .default_substeps = 1,
    .default_iterations = 30,
    .reserve = reduced_reserve,
    .solve = reduced_solve,
    .put_forces_first = put_forces_first,
    .read = impi_reference_read,
    .push = impi_reference_push,
    .rows = impi_reference_recorded,
    .scratch = sizeof(ImpiReduced),
    .destroy = reduced_destroy,
};
