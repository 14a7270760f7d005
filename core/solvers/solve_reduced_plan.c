// Plan of a substep: the role (ImpiRowRole) of each row, and the trees on which it acts.
#include "solvers/solve_reduced.h"

// Springs are integrated as forces if h times their angular frequency and h times their damping rate are below this.
#define GENTLE 0.5


// ---------------------------------------------------------------------------------------------------------------------
// Roles
// ---------------------------------------------------------------------------------------------------------------------


// Return whether coordinates replace a row: a lock of a joint of the tree, or the armature of a free coordinate of such
// a joint.
static bool is_of_tree(const ImpiSolve *solve, const ImpiRow *row) {
  bool kind = row->kind == IMP_ROW_LOCK || row->kind == IMP_ROW_ARMATURE;
  const ImpiLink *link = kind ? impi_row_own_link(solve, row) : NULL;
  if (link == NULL) {
    return false;
  }
  bool locked = link->locks >> row->index & 1u;
  return row->kind == IMP_ROW_LOCK ? locked : !locked && link->rotor[row->index] > 0;
}


static bool is_gentle(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReference *ref = solve->scratch;
  const ImpiJoint *joint = &solve->joints[row->owner];
  const ImpDrive *set = &solve->drives[impi_joint_coordinate_const(joint, row->index)->drive].set;
  double stiffness, damping;
  impi_row_constants(row, set, &stiffness, &damping);
  double mass = row->mass + set->armature;
  return stiffness * ref->h * ref->h < GENTLE * GENTLE * mass && damping * ref->h < GENTLE * mass &&
         !impi_joint_is_called(joint) && !impi_joint_is_timed(joint) && !impi_joint_is_velocity(joint);
}


static bool rests_on_nothing(const ImpiReduced *reduced, const ImpiRow *row) {
  for (int i = 0; i < row->bound_count; ++i) {
    if (reduced->rows.data[row->bound_row + i].role != IMPI_ROLE_IDLE) {
      return false;
    }
  }
  return true;
}


static ImpiRowRole role_of(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReduced *reduced = solve->scratch;
  if (row->mass <= 0) {
    return IMPI_ROLE_IDLE;
  }
  if (row->kind == IMP_ROW_FORCE) {
    return IMPI_ROLE_FORCE;
  }
  if (row->bound_row >= 0 ? rests_on_nothing(reduced, row) : row->lower == 0 && row->upper == 0) {
    return IMPI_ROLE_IDLE;
  }
  if (row->kind == IMP_ROW_ARMATURE) {
    return is_of_tree(solve, row) ? IMPI_ROLE_TREE : IMPI_ROLE_SWEPT;
  }
  if (impi_row_is_soft_drive(row)) {
    return is_gentle(solve, row) ? IMPI_ROLE_SPRING : IMPI_ROLE_SWEPT;
  }
  bool equality = row->bound_row < 0 && row->lower == -HUGE_VAL && row->upper == HUGE_VAL;
  if (!equality) {
    return IMPI_ROLE_SWEPT;
  }
  bool drive = row->kind == IMP_ROW_MOTOR || row->kind == IMP_ROW_SERVO;
  return is_of_tree(solve, row) ? IMPI_ROLE_TREE : drive ? IMPI_ROLE_DRIVE : IMPI_ROLE_BLOCK;
}


// ---------------------------------------------------------------------------------------------------------------------
// The plan of a substep
// ---------------------------------------------------------------------------------------------------------------------


// Return whether a row is a contact, limit or user row.
static bool is_inequality(const ImpiRow *row) {
  return row->kind == IMP_ROW_NORMAL || row->kind == IMP_ROW_LOWER_LIMIT || row->kind == IMP_ROW_UPPER_LIMIT ||
         row->kind == IMP_ROW_USER;
}


static void factor_group(ImpiSolve *solve, int32_t group) {
  ImpiReduced *reduced = solve->scratch;
  if (!reduced->groups.data[group].factored) {
    impi_linkage_factor(solve, &reduced->linkage, &reduced->linkage.groups.data[group]);
    reduced->groups.data[group].factored = true;
  }
}


static void begin_groups(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  int32_t at = 0;
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    reduced->groups.data[u] = (ImpiReducedGroup){.first = at};
    at += reduced->linkage.groups.data[u].block_room;
  }
  for (int i = 0; i < reduced->linkage.links.count; ++i) {
    const ImpiLink *link = &reduced->linkage.links.data[i];
    const ImpiBody *body = &solve->bodies[link->body];
    // strong damping and implicit force fields require implicit integration, which only `euler` trees have
    reduced->groups.data[link->group].euler |=
        impi_max(body->linear_damping, body->angular_damping) * reduced->ref.h > GENTLE ||
        reduced->forces_first.data[body->lane];
  }
}


static void set_roles(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    ImpiRow *row = &reduced->ref.rows.data[i];
    ImpiRowRole role = role_of(solve, row);
    reduced->rows.data[i] = (ImpiReducedRow){.role = (uint8_t)role, .place = -1};
    row->lambda = role == IMPI_ROLE_IDLE && row->kind != IMP_ROW_FORCE ? 0 : row->lambda;
    for (int k = 0; k < impi_row_parts(row) && role > IMPI_ROLE_SPRING; ++k) {
      int32_t group = impi_row_group(solve, row, k);
      if (group >= 0) {
        factor_group(solve, group);
        reduced->groups.data[group].has_inequalities |= role == IMPI_ROLE_SWEPT && is_inequality(row);
        reduced->groups.data[group].has_rows = true;
      }
    }
  }
}


// Return the index of the first ImpiTreeGroup that a row acts on; -1: none.
static int32_t group_of_row(const ImpiSolve *solve, const ImpiRow *row) {
  int32_t group = -1;
  for (int k = 0; k < impi_row_parts(row) && group < 0; ++k) {
    group = impi_row_group(solve, row, k);
  }
  return group;
}


// Return whether a tree of a row is marked `euler` or `has_rows`.
static bool is_acted_on(const ImpiSolve *solve, const ImpiRow *row) {
  const ImpiReduced *reduced = solve->scratch;
  for (int k = 0; k < impi_row_parts(row); ++k) {
    int32_t group = impi_row_group(solve, row, k);
    if (group >= 0 && (reduced->groups.data[group].has_rows || reduced->groups.data[group].euler)) {
      return true;
    }
  }
  return false;
}


// Return an estimate of the smallest distance from a limit in the substep [m or rad].
static double way_left(const ImpiSolve *solve, const ImpiRow *row, double speed) {
  const ImpiReduced *reduced = solve->scratch;
  double h = reduced->ref.h, side = row->kind == IMP_ROW_LOWER_LIMIT ? 1 : -1, acceleration = row->curvature;
  for (int k = 0; k < impi_row_parts(row); ++k) {
    const double *j;
    int32_t i = impi_row_link(solve, row, k, &j);
    if (i >= 0) {
      const ImpiLink *link = &reduced->linkage.links.data[i];
      acceleration += impi_twist_dot((ImpiTwist){j[0], j[1], j[2]}, impi_twist_add(link->twist, 1, link->bias));
    }
  }
  return side * row->c + h * impi_min(side * speed, 0) + h * h * impi_min(side * acceleration, 0);
}


static void meet(ImpiSolve *solve, int i) {
  ImpiReduced *reduced = solve->scratch;
  ImpiRow *row = &reduced->ref.rows.data[i];
  impi_reference_meet(solve, row, reduced->ref.h);
  reduced->rows.data[i].role = (uint8_t)role_of(solve, row);
  for (int k = 0; k < impi_row_parts(row); ++k) {
    int32_t group = impi_row_group(solve, row, k);
    if (group >= 0) {
      factor_group(solve, group);
      reduced->groups.data[group].has_rows = true;
    }
  }
}


// Let the limits of trees with `euler` or `has_rows` act before they are reached. Another tree gets `has_rows` if it
// will reach a limit in the substep.
static void meet_limits(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  bool seen = false;
  for (int pass = 0; pass < 2; ++pass) { // pass 1 is for trees that got `has_rows` in pass 0
    for (int i = 0; i < reduced->ref.rows.count; ++i) {
      ImpiRow *row = &reduced->ref.rows.data[i];
      bool limit = row->kind == IMP_ROW_LOWER_LIMIT || row->kind == IMP_ROW_UPPER_LIMIT;
      if (!limit || !row->open || row->mass <= 0) {
        continue;
      }
      if (!is_acted_on(solve, row)) {
        if (!seen) {
          impi_reduced_predict_accelerations(solve);
          seen = true;
        }
        if (way_left(solve, row, -row->approach_speed) >= 0) {
          continue;
        }
      }
      meet(solve, i);
    }
  }
}


// Put equalities into the block of their trees (ImpiTreeGroup) while the block has room. Each acts on one group only.
static void fill_blocks(ImpiSolve *solve, ImpiRowRole role) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    int32_t group = reduced->rows.data[i].role == role ? group_of_row(solve, &reduced->ref.rows.data[i]) : -1;
    if (group < 0) {
      continue;
    }
    ImpiReducedGroup *state = &reduced->groups.data[group];
    bool yields = role == IMPI_ROLE_DRIVE && state->has_inequalities;
    if (state->count == reduced->linkage.groups.data[group].block_room || yields) {
      reduced->rows.data[i].role = IMPI_ROLE_SWEPT;
      continue;
    }
    reduced->rows.data[i].role = IMPI_ROLE_BLOCK;
    impi_reduced_prepare_row(solve, i, state->count);
    if (reduced->rows.data[i].role == IMPI_ROLE_BLOCK) {
      reduced->block.data[state->first + state->count++] = i;
    }
  }
}


static void prepare_swept(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    if (reduced->rows.data[i].role == IMPI_ROLE_SWEPT && reduced->rows.data[i].place < 0) {
      impi_reduced_prepare_row(solve, i, -1);
    }
  }
}


// Mark trees with acting rows as `euler`. If connected trees were split into several groups, also mark the trees that
// springs or forces connect.
static void mark_euler(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    const ImpiRow *row = &reduced->ref.rows.data[i];
    uint8_t role = reduced->rows.data[i].role;
    for (int k = 0; k < impi_row_parts(row) && role > IMPI_ROLE_TREE; ++k) {
      int32_t group = impi_row_group(solve, row, k);
      if (group >= 0) {
        reduced->groups.data[group].euler |= role > IMPI_ROLE_SPRING || !reduced->linkage.groups.data[group].whole;
      }
    }
  }
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    if (reduced->groups.data[u].euler) {
      factor_group(solve, u);
    }
  }
}


static void sweep_springs(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    int32_t group = group_of_row(solve, &reduced->ref.rows.data[i]);
    if (reduced->rows.data[i].role == IMPI_ROLE_SPRING && group >= 0 && reduced->groups.data[group].euler) {
      reduced->rows.data[i].role = IMPI_ROLE_SWEPT;
    }
  }
}


void impi_reduced_plan_rows(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  reduced->effect_count = 0;
  begin_groups(solve);
  set_roles(solve);
  meet_limits(solve);
  fill_blocks(solve, IMPI_ROLE_BLOCK); // locks first: a drive that depends on a lock is dropped
  fill_blocks(solve, IMPI_ROLE_DRIVE);
  prepare_swept(solve);
  mark_euler(solve);
  sweep_springs(solve);
  prepare_swept(solve);
}


void impi_reduced_plan_locks(ImpiSolve *solve) {
  ImpiReduced *reduced = solve->scratch;
  reduced->effect_count = 0;
  for (int u = 0; u < reduced->linkage.groups.count; ++u) {
    reduced->groups.data[u].count = 0;
    reduced->groups.data[u].factored = false;
  }
  for (int i = 0; i < reduced->ref.rows.count; ++i) {
    const ImpiRow *row = &reduced->ref.rows.data[i];
    int32_t group = group_of_row(solve, row);
    bool lock = row->kind == IMP_ROW_LOCK && group >= 0 && reduced->groups.data[group].corrects_errors &&
                row->noted != NULL && !impi_joint_is_velocity(&solve->joints[row->owner]);
    bool dropped = reduced->rows.data[i].dropped;
    ImpiRowRole role = lock && !dropped ? role_of(solve, row) : IMPI_ROLE_IDLE;
    reduced->rows.data[i] = (ImpiReducedRow){.role = (uint8_t)role, .dropped = dropped, .place = -1};
    if (role == IMPI_ROLE_BLOCK) {
      factor_group(solve, group);
    }
  }
  fill_blocks(solve, IMPI_ROLE_BLOCK);
}
