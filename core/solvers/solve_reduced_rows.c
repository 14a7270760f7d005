// Rows on trees: effects of an impulse along a row on all bodies of the trees, and the solution of all rows.
//
// A row's effect is e = A J^T, where A maps impulses on bodies to velocities that the joints of the trees allow
// (linkage.h). The effect is stored for each body of the trees that the row acts on. An impulse adds a multiple of the
// effect to the velocities. Equalities (loops, rods, gears, drives with unlimited force) of connected trees
// (ImpiTreeGroup) are solved together: each is made orthogonal to those before it,
//   e'_i = e_i - sum r_ik e'_k,   r_ik = J_i e'_k / (J_k e'_k)
// One pass in order satisfies all equalities. All other rows are made orthogonal to all equalities, and are solved by
// sweeps. The impulses of the original rows are, from the last to the first,
//   lambda_k = lambda'_k - sum r_ik lambda_i
// A dependent row is left out as redundant. If connected trees have more than IMPI_REDUCED_BLOCK equalities, all their
// rows are solved by sweeps, because the cost grows with the square of the number of equalities.
#include "base/constants.h"
#include "solvers/solve_reduced.h"

#include <string.h>

// A drive, limit or contact is left out if J e' <= FOLLOWS * J e. J: Jacobian of its row; e: velocities due to a
// unit impulse along the row; e': e after orthogonalising the row against the equalities before it.
#define FOLLOWS 1e-6

// A lock is nearly dependent on other rows if at most this part of its J M^-1 J^T remains after it is made orthogonal
// to them. Its error is corrected by positions (impi_reduced_correct_errors).
#define WEAK 1e-4

// A lock is near a dead point if J M^-1 J^T with the joints of the tree is less than this part of J M^-1 J^T without
// these joints.
#define DEAD_POINT 0.1

// Number of passes over a block with a weak lock.
#define WEAK_PASSES 4

// Newton's method on the errors of locks ends at this error [m or rad], or after this many steps.
#define CLOSED 1e-13
#define CLOSING_STEPS 20

// Largest number of doubles in `effects` (256 MB).
#define MAX_EFFECTS (1 << 25)


int32_t impi_row_group(const ImpiSolve *solve, const ImpiRow *row, int k) {
  const ImpiReduced *reduced = solve->scratch;
  const double *j;
  int32_t link = impi_row_link(solve, row, k, &j);
  if (link < 0) {
    return -1;
  }
  int32_t group = reduced->linkage.links.data[link].group;
  for (int i = 0; i < k; ++i) {
    int32_t other = impi_row_link(solve, row, i, &j);
    if (other >= 0 && reduced->linkage.links.data[other].group == group) {
      return -1;
    }
  }
  return group;
}


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------


static int effect_size(const ImpiTreeGroup *group) { return 3 * group->count + group->block_room; }


static double contact_effects(const ImpiSolve *solve, const ImpiContact *contact) {
  const ImpiReduced *reduced = solve->scratch;
  int32_t a = impi_link_of(solve, &reduced->linkage, contact->body_a);
  int32_t b = impi_link_of(solve, &reduced->linkage, contact->body_b);
  int32_t group_a = a >= 0 ? reduced->linkage.links.data[a].group : -1;
  int32_t group_b = b >= 0 ? reduced->linkage.links.data[b].group : -1;
  double size = group_a >= 0 ? effect_size(&reduced->linkage.groups.data[group_a]) : 0;
  size += group_b >= 0 && group_b != group_a ? effect_size(&reduced->linkage.groups.data[group_b]) : 0;
  return size * (2 * contact->count + (contact->rolling > 0));
}


// Return the number of solved rows of a joint; with `handlers`, including all drives that handlers may add in the step.
static int solved_rows(const ImpiSolve *solve, const ImpiJoint *joint, bool handlers) {
  int rows = 0;
  for (int i = 0; i < impi_joint_capacity(joint); ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    rows += coordinate->locked;
    for (int k = 0; coordinate->drive >= 0 && k < IMPI_DRIVE_ROWS; ++k) {
      rows += k != IMPI_DRIVE_FORCE && impi_drive_makes(&solve->drives[coordinate->drive].set, (ImpiDriveRow)k);
    }
  }
  return handlers ? impi_joint_step_rows(joint, true) : rows;
}


static double joint_effects(const ImpiSolve *solve, int32_t slot, bool handlers) {
  const ImpiReduced *reduced = solve->scratch;
  const ImpiJoint *joint = &solve->joints[slot];
  double size = 0;
  int rows = solved_rows(solve, joint, handlers);
  int32_t last = -1;
  for (int k = 0; k < impi_joint_body_count(joint); ++k) {
    int32_t link = impi_link_of(solve, &reduced->linkage, impi_joint_body(joint, k));
    if (link < 0) {
      continue;
    }
    const ImpiLink *at = &reduced->linkage.links.data[link];
    if (at->joint == slot) {
      rows -= (int)(at->locks & 1u) + (int)(at->locks >> 1 & 1u) + (int)(at->locks >> 2 & 1u);
    }
    size += at->group != last ? effect_size(&reduced->linkage.groups.data[at->group]) : 0;
    last = at->group;
  }
  return size * rows;
}


static double all_effects(const ImpiSolve *solve, bool handlers) {
  double effects = 0;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    effects += joint_effects(solve, solve->active_joints[i], handlers);
  }
  for (int i = 0; i < solve->active_count; ++i) {
    effects += contact_effects(solve, &solve->contacts[solve->active[i]]);
  }
  return effects;
}


ImpStatus impi_reduced_reserve_rows(ImpiSolve *solve, bool handlers) {
  ImpiReduced *reduced = solve->scratch;
  double effects = all_effects(solve, handlers);
  int block = 0;
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    block += reduced->linkage.groups.data[u].block_room;
  }
  if (effects > MAX_EFFECTS) {
    return impi_fail(IMP_ERR_LIMIT,
                     "solver 'reduced' stores the effect of each row on every body that is connected by joints: the "
                     "rows of %d joints and %d contacts need %g MB for this, at most %d MB are allowed; use solver "
                     "'direct' or 'soft', which need less memory",
                     solve->active_joint_count, solve->active_count, effects * 8e-6, MAX_EFFECTS / 131072);
  }
  int most = 0;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    int rows = impi_joint_row_room(&solve->joints[solve->active_joints[i]]);
    most = rows > most ? rows : most;
  }
  bool room = impi_reserve(solve->heap, &reduced->effects, (int)effects) &&
              impi_reserve(solve->heap, &reduced->block, block) && impi_reserve(solve->heap, &reduced->shares, block) &&
              impi_reserve(solve->heap, &reduced->rows, reduced->ref.rows.capacity) &&
              impi_reserve(solve->heap, &reduced->reported, reduced->ref.rows.capacity) &&
              impi_reserve(solve->heap, &reduced->reported_terms, reduced->ref.terms.capacity) &&
              impi_reserve(solve->heap, &reduced->ref.fixes, most) &&
              impi_reserve(solve->heap, &reduced->groups, reduced->linkage.groups.count);
  return room ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


// ---------------------------------------------------------------------------------------------------------------------
// Effects
// ---------------------------------------------------------------------------------------------------------------------


// Return J e, summed over the bodies of one ImpiTreeGroup, with the effect e of any row.
static double along_effect(const ImpiSolve *solve, const ImpiRow *row, int32_t group, const double *effect) {
  const ImpiReduced *reduced = solve->scratch;
  int first = reduced->linkage.groups.data[group].first;
  double sum = 0;
  for (int k = 0; k < impi_row_parts(row); ++k) {
    const double *j;
    int32_t link = impi_row_link(solve, row, k, &j);
    if (link >= 0 && reduced->linkage.links.data[link].group == group) {
      const double *e = effect + 3 * (link - first);
      sum += j[0] * e[0] + j[1] * e[1] + j[2] * e[2];
    }
  }
  return sum;
}


// Compute the effect A J^T of a row on the bodies of one ImpiTreeGroup.
static void find_effect(ImpiSolve *solve, const ImpiRow *row, int32_t group, double *effect) {
  ImpiReduced *reduced = solve->scratch;
  const ImpiTreeGroup *home = &reduced->linkage.groups.data[group];
  ImpiLink *links = reduced->linkage.links.data;
  for (int i = 0; i < home->count; ++i) {
    links[home->first + i].load = (ImpiTwist){0};
  }
  for (int k = 0; k < impi_row_parts(row); ++k) {
    const double *j;
    int32_t link = impi_row_link(solve, row, k, &j);
    if (link >= 0 && links[link].group == group) {
      links[link].load = impi_twist_add(links[link].load, 1, (ImpiTwist){j[0], j[1], j[2]});
    }
  }
  impi_linkage_respond(&reduced->linkage, home);
  for (int i = 0; i < home->count; ++i) {
    ImpiTwist twist = links[home->first + i].twist;
    effect[3 * i] = twist.x;
    effect[3 * i + 1] = twist.y;
    effect[3 * i + 2] = twist.w;
  }
}


// Subtract r_k e'_k from `effect` for the first `count` rows k of the block of an ImpiTreeGroup. In memory, the numbers
// r_k follow those of the effect.
static void make_orthogonal(ImpiSolve *solve, const ImpiRow *row, int32_t group, int count, double *effect) {
  ImpiReduced *reduced = solve->scratch;
  const ImpiTreeGroup *home = &reduced->linkage.groups.data[group];
  double *r = effect + 3 * home->count;
  for (int k = 0; k < count; ++k) {
    int32_t other = reduced->block.data[reduced->groups.data[group].first + k];
    const double *e = reduced->effects.data + reduced->rows.data[other].place;
    r[k] = reduced->ref.rows.data[other].mass * along_effect(solve, row, group, e);
    for (int i = 0; i < 3 * home->count && r[k] != 0; ++i) {
      effect[i] -= r[k] * e[i];
    }
  }
  reduced->linkage.flops += (double)count * (6.0 * home->count + 12);
}


// Set the softness of a row.
static void soften(const ImpiSolve *solve, ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  const ImpDrive *set = impi_reference_drive(solve, row);
  impi_row_soften(row, set, impi_row_own_link(solve, row) != NULL ? 0 : set->armature, ref->h);
}


static double largest(const double *numbers, int count) {
  double most = 0;
  for (int i = 0; i < count; ++i) {
    most = impi_max(most, fabs(numbers[i]));
  }
  return most;
}


void impi_reduced_unload(ImpiSolve *solve, const ImpiRow *row, double x) {
  ImpiReduced *reduced = solve->scratch;
  for (int k = 0; k < impi_row_parts(row); ++k) {
    const double *j;
    int32_t link = impi_row_link(solve, row, k, &j);
    if (link >= 0) {
      ImpiTwist *load = &reduced->linkage.links.data[link].load;
      *load = impi_twist_add(*load, -x, (ImpiTwist){j[0], j[1], j[2]});
    }
  }
}


// Return the largest x_i^2 (J M^-1 J^T)_ii over all locks i of the trees, where x_i is the impulse of lock i for the
// present loads (ImpiLink.load).
static double largest_in_trees(ImpiSolve *solve, const ImpiTreeGroup *home) {
  ImpiReduced *reduced = solve->scratch;
  double most = 0;
  impi_linkage_react(&reduced->linkage, home);
  for (int i = home->first; i < home->first + home->count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    const ImpiJoint *joint = link->joint >= 0 ? &solve->joints[link->joint] : NULL;
    for (int n = 0; joint != NULL && n < joint->row_count; ++n) {
      const ImpiRow *row = &reduced->ref.rows.data[joint->first_row + n];
      if (row->kind == IMP_ROW_LOCK && row->mass > 0 && link->locks >> row->index & 1u) {
        double x = impi_link_lock(link, row->index);
        most = impi_max(most, x * x / row->mass);
      }
    }
  }
  return most;
}


// The effect at `place` is that of a linear combination of rows: the row itself, with coefficient 1; the first `before`
// rows of the block, and the locks of the trees. Return the largest x_i^2 (J M^-1 J^T)_ii of the combination, where x_i
// is the coefficient of row i.
static double largest_share(ImpiSolve *solve, const ImpiRow *row, int place, double own, int before) {
  ImpiReduced *reduced = solve->scratch;
  double *x = reduced->shares.data, most = own;
  int32_t group = impi_row_group(solve, row, 0) >= 0 ? impi_row_group(solve, row, 0) : impi_row_group(solve, row, 1);
  const ImpiTreeGroup *home = &reduced->linkage.groups.data[group];
  const int32_t *block = reduced->block.data + reduced->groups.data[group].first;
  for (int k = 0; k < before; ++k) {
    x[k] = -reduced->effects.data[place + 3 * home->count + k];
  }
  for (int k = before - 1; k >= 0; --k) {
    const ImpiReducedRow *other = &reduced->rows.data[block[k]];
    const double *r = reduced->effects.data + other->place + 3 * home->count;
    for (int i = 0; i < k; ++i) {
      x[i] -= x[k] * r[i];
    }
    most = impi_max(most, x[k] * x[k] / other->mass);
  }
  for (int i = 0; i < home->count; ++i) {
    ImpiLink *link = &reduced->linkage.links.data[home->first + i];
    const double *e = reduced->effects.data + place + 3 * i;
    link->load = impi_link_momentum(solve, link, (ImpiTwist){e[0], e[1], e[2]});
  }
  impi_reduced_unload(solve, row, 1);
  for (int k = 0; k < before; ++k) {
    impi_reduced_unload(solve, &reduced->ref.rows.data[block[k]], x[k]);
  }
  return impi_max(most, largest_in_trees(solve, home));
}


// Return whether a row is independent of the rows before it, see IMPI_REDUNDANT. `left`: J M^-1 J^T of the orthogonal
// part of the row. `own`: J M^-1 J^T of its own bodies.
static bool holds(ImpiSolve *solve, const ImpiRow *row, int place, double left, double own, int before) {
  if (!(left > IMPI_REDUNDANT * own)) {
    return false;
  }
  return left > IMPI_NOT_REDUNDANT * own || left > IMPI_REDUNDANT * largest_share(solve, row, place, own, before);
}


static void note_weak(ImpiSolve *solve, const ImpiRow *row) {
  ImpiReduced *reduced = solve->scratch;
  for (int k = 0; k < impi_row_parts(row) && row->kind == IMP_ROW_LOCK; ++k) {
    int32_t group = impi_row_group(solve, row, k);
    if (group >= 0) {
      reduced->groups.data[group].weak = true;
    }
  }
}


void impi_reduced_prepare_row(ImpiSolve *solve, int i, int before) {
  ImpiReduced *reduced = solve->scratch;
  ImpiRow *row = &reduced->ref.rows.data[i];
  ImpiReducedRow *state = &reduced->rows.data[i];
  double raw = 0, left = 0, fastest = 0;
  int place = reduced->effect_count;
  for (int k = 0; k < impi_row_parts(row); ++k) {
    int32_t group = impi_row_group(solve, row, k);
    if (group < 0) {
      continue;
    }
    const ImpiTreeGroup *home = &reduced->linkage.groups.data[group];
    // Rows of drives that handlers have just added are left out if there is no memory.
    if (reduced->effect_count + effect_size(home) > reduced->effects.capacity) {
      raw = left = 0;
      break;
    }
    double *effect = reduced->effects.data + reduced->effect_count;
    reduced->effect_count += effect_size(home);
    find_effect(solve, row, group, effect);
    raw += along_effect(solve, row, group, effect);
    make_orthogonal(solve, row, group, before >= 0 ? before : reduced->groups.data[group].count, effect);
    left += along_effect(solve, row, group, effect);
    fastest = impi_max(fastest, largest(effect, 3 * home->count));
  }
  double own = 1 / row->mass;
  bool lock = state->role == IMPI_ROLE_BLOCK && row->kind == IMP_ROW_LOCK;
  bool stays = lock ? holds(solve, row, place, left, own, before) : left > FOLLOWS * raw && raw > 1e-12 * own;
  if (!stays) {
    solve->report.redundant += state->role == IMPI_ROLE_BLOCK;
    note_weak(solve, row);
    state->dropped = lock;
    state->role = IMPI_ROLE_IDLE;
    row->lambda = 0;
    reduced->effect_count = place;
    return;
  }
  bool weak = lock && left <= WEAK * own;
  state->place = place;
  state->mass = row->mass;
  row->mass = 1 / left;
  state->most = IMPI_LOCK_SPEED / (row->mass * fastest);
  if (row->noted != NULL) {
    double fix = weak ? 0 : impi_clamp(row->fix, -state->most, state->most);
    row->bias += fix - row->fix;
    row->fix = fix;
  }
  if (weak) {
    note_weak(solve, row);
  }
  if (impi_row_is_soft_drive(row)) {
    soften(solve, row);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Impulses
// ---------------------------------------------------------------------------------------------------------------------


static void apply(ImpiSolve *solve, int i, double lambda) {
  ImpiReduced *reduced = solve->scratch;
  const ImpiRow *row = &reduced->ref.rows.data[i];
  const double *effect = reduced->effects.data + reduced->rows.data[i].place;
  for (int k = 0; k < impi_row_parts(row); ++k) {
    int32_t group = impi_row_group(solve, row, k);
    if (group < 0) {
      continue;
    }
    const ImpiTreeGroup *home = &reduced->linkage.groups.data[group];
    for (int n = 0; n < home->count; ++n) {
      ImpiMotion *motion = &solve->motions[reduced->linkage.links.data[home->first + n].body];
      motion->vx += lambda * effect[3 * n];
      motion->vy += lambda * effect[3 * n + 1];
      motion->w += lambda * effect[3 * n + 2];
    }
    effect += effect_size(home);
    reduced->linkage.flops += 6.0 * home->count;
  }
}


static double visit_row(ImpiSolve *solve, int32_t i, int32_t previous) {
  (void)previous;
  ImpiReduced *reduced = solve->scratch;
  ImpiRow *rows = reduced->ref.rows.data, *drives[IMPI_DRIVE_ROWS];
  int count = 0;
  bool apart = !solve->settings->accumulate; // solve each row separately
  for (int k = 0; k < (apart ? 1 : rows[i].together); ++k) {
    if (reduced->rows.data[i + k].role == IMPI_ROLE_SWEPT) {
      drives[count++] = &rows[i + k];
    }
  }
  if (count == 0) {
    return 0;
  }
  int32_t first = (int32_t)(drives[0] - rows);
  double applied = count == 1 ? impi_row_update(rows, first, solve->motions, !apart)
                              : impi_rows_update(drives, count, solve->motions);
  if (applied != 0) {
    apply(solve, first, applied);
  }
  reduced->linkage.flops += IMPI_ROW_FLOPS / 2;
  return applied;
}


static void solve_blocks(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    const ImpiReducedGroup *group = &reduced->groups.data[u];
    for (int k = 0; k < group->count; ++k) {
      reduced->ref.rows.data[reduced->block.data[group->first + k]].lambda = 0;
    }
    for (int pass = 0; pass < (group->weak ? WEAK_PASSES : 1); ++pass) {
      for (int k = 0; k < group->count; ++k) {
        int32_t i = reduced->block.data[group->first + k];
        ImpiRow *row = &reduced->ref.rows.data[i];
        double lambda = -row->mass * (impi_row_speed(row, solve->motions) + row->bias);
        row->lambda += lambda;
        apply(solve, i, lambda);
      }
    }
  }
}


// For each ImpiTreeGroup that row i acts on, update the impulses of the first `count` rows k of the block of the group
// (-1: all rows):
//   lambda_k -= r_ik lambda_i
static void take_share(ImpiSolve *solve, int i, int count) {
  ImpiReduced *reduced = solve->scratch;
  const ImpiRow *row = &reduced->ref.rows.data[i];
  const double *effect = reduced->effects.data + reduced->rows.data[i].place;
  for (int n = 0; n < impi_row_parts(row); ++n) {
    int32_t group = impi_row_group(solve, row, n);
    if (group < 0) {
      continue;
    }
    const ImpiTreeGroup *home = &reduced->linkage.groups.data[group];
    const ImpiReducedGroup *state = &reduced->groups.data[group];
    const double *r = effect + 3 * home->count;
    for (int k = 0; k < (count >= 0 ? count : state->count); ++k) {
      reduced->ref.rows.data[reduced->block.data[state->first + k]].lambda -= r[k] * row->lambda;
    }
    effect += effect_size(home);
  }
}


static void find_impulses(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    if (reduced->rows.data[i].role == IMPI_ROLE_SWEPT) {
      take_share(solve, i, -1);
    }
  }
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    const ImpiReducedGroup *group = &reduced->groups.data[u];
    for (int k = group->count - 1; k > 0; --k) {
      take_share(solve, reduced->block.data[group->first + k], k);
    }
  }
}


// Return J times the bias of the bodies of a row.
static double along_bias(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReduced *reduced = solve->scratch;
  double sum = 0;
  for (int k = 0; k < impi_row_parts(row); ++k) {
    const double *j;
    int32_t link = impi_row_link(solve, row, k, &j);
    if (link >= 0) {
      sum += impi_twist_dot((ImpiTwist){j[0], j[1], j[2]}, reduced->linkage.links.data[link].bias);
    }
  }
  return sum;
}


// Give locks the speed that makes C = 0 at the end of the substep to second order: C + h J v + h^2 / 2 (J'v + J c) = 0.
// The substeps of a rod are then chords of its circle (SHAKE). Baumgarte stabilization corrects the part beta of the
// remaining error in the next step; this function corrects the part 1 - beta.
static void bend_locks(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  double beta = impi_min(solve->settings->baumgarte, 1);
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    ImpiRow *row = &reduced->ref.rows.data[i];
    bool locks = row->kind == IMP_ROW_LOCK && reduced->rows.data[i].role == IMPI_ROLE_BLOCK;
    if (locks && reduced->rows.data[i].mass > DEAD_POINT * row->mass) {
      double bend = 0.5 * (1 - beta) * reduced->ref.h * (row->curvature + along_bias(solve, row));
      row->bias += impi_clamp(bend, -reduced->rows.data[i].most, reduced->rows.data[i].most);
    }
  }
}


void impi_reduced_solve_rows(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  int swept = 0;
  bend_locks(solve);
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    if (reduced->rows.data[i].role == IMPI_ROLE_SWEPT) {
      swept++;
      apply(solve, i, reduced->ref.rows.data[i].lambda);
    }
  }
  solve_blocks(solve);
  reduced->ref.swept = swept > 0;
  if (swept > 0) {
    impi_reference_sweep_by(solve, reduced->ref.iterations, visit_row);
  } else {
    solve->report.reason = "solved";
  }
  find_impulses(solve);
  for (int i = 0; i < reduced->ref.rows.count; ++i) { // reported masses are those of the original rows
    double mass = reduced->rows.data[i].mass;
    reduced->ref.rows.data[i].mass = mass > 0 ? mass : reduced->ref.rows.data[i].mass;
  }
}


// Return the largest error of the rows of a block. With `go`, take a step of Newton's method on the errors: move the
// bodies, and keep their velocities.
static double step_to_close(ImpiSolve *solve, const ImpiTreeGroup *home, const ImpiReducedGroup *group, bool go) {
  ImpiReduced *reduced = solve->scratch;
  double worst = 0;
  for (int k = 0; k < group->count; ++k) {
    worst = impi_max(worst, fabs(reduced->ref.rows.data[reduced->block.data[group->first + k]].c));
  }
  for (int i = home->first; i < home->first + home->count && go; ++i) {
    ImpiMotion *motion = &solve->motions[reduced->linkage.links.data[i].body];
    motion->vx = motion->vy = motion->w = 0;
  }
  for (int k = 0; k < group->count && go; ++k) {
    int32_t i = reduced->block.data[group->first + k];
    const ImpiRow *row = &reduced->ref.rows.data[i];
    apply(solve, i, -row->mass * (impi_row_speed(row, solve->motions) + row->c));
  }
  for (int i = home->first; i < home->first + home->count && go; ++i) {
    int32_t slot = reduced->linkage.links.data[i].body;
    ImpiMotion *motion = &solve->motions[slot];
    const ImpiMotion *kept = &reduced->start.data[solve->bodies[slot].lane];
    impi_body_integrate_position(&solve->bodies[slot], motion, 1);
    motion->vx = kept->vx;
    motion->vy = kept->vy;
    motion->w = kept->w;
  }
  if (go) {
    impi_linkage_measure(solve, &reduced->linkage, home);
    impi_linkage_place(solve, &reduced->linkage, home);
  }
  return worst;
}


void impi_reduced_correct_errors(ImpiSolve *solve, double t) {
  ImpiReduced *reduced = solve->scratch;
  ImpiReference *ref = &reduced->ref;
  bool any = false;
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    reduced->groups.data[u].corrects_errors = reduced->groups.data[u].weak;
    any = any || reduced->groups.data[u].weak;
  }
  if (!any) {
    return;
  }
  int redundant = solve->report.redundant;
  memcpy(reduced->reported.data, ref->rows.data, (size_t)ref->rows.count * sizeof *ref->rows.data);
  if (ref->term_count > 0) {
    memcpy(reduced->reported_terms.data, ref->terms.data, (size_t)ref->term_count * sizeof *ref->terms.data);
  }
  double best = HUGE_VAL;
  for (int n = 0; n < CLOSING_STEPS; ++n) {
    impi_reference_joints_again(solve, t);
    impi_reduced_plan_locks(solve);
    double worst = 0;
    for (int u = 0; u < reduced->linkage.groups.count; ++u) {
      const ImpiReducedGroup *group = &reduced->groups.data[u];
      worst = impi_max(
          worst, group->corrects_errors ? step_to_close(solve, &reduced->linkage.groups.data[u], group, false) : 0);
    }
    bool better = worst < best;
    if (!better) {
      impi_reference_go_back(solve, reduced->start.data);
    }
    if (!better || worst <= CLOSED || n == CLOSING_STEPS - 1) {
      break;
    }
    best = worst;
    impi_reference_keep(solve, reduced->start.data);
    for (int u = 0; u < reduced->linkage.groups.count; ++u) {
      if (reduced->groups.data[u].corrects_errors) {
        step_to_close(solve, &reduced->linkage.groups.data[u], &reduced->groups.data[u], true);
      }
    }
  }
  memcpy(ref->rows.data, reduced->reported.data, (size_t)ref->rows.count * sizeof *ref->rows.data);
  if (ref->term_count > 0) {
    memcpy(ref->terms.data, reduced->reported_terms.data, (size_t)ref->term_count * sizeof *ref->terms.data);
  }
  solve->report.redundant = redundant;
}
