// Passes over clusters, which solve all locks together.
//
// With J of the locks, orthogonalised within each joint, and W the inverse masses,
//   d = -(J W J^T + e)^-1 (J v + b + e lambda) - (J W J^T + g)^-1 beta C,   v' = v + W J^T d
// The first term satisfies the velocity constraints. It adds no energy, because it is a projection. The small
// compliance e makes dependent rows share a load. The second term corrects errors. It is soft, because contradictory
// errors would cause large impulses.
#include "solvers/soft/lane_contacts.h"
#include "solvers/soft/soft_joint_record.h"

// Compliance e, as a fraction of A's diagonal. It exceeds the rounding errors of float rows.
#define TRACE 1e-6
// Pivots below this fraction of their diagonal element are rounding errors.
#define ROUNDING 1e-13
// Compliance g of a lock in a cluster, as a fraction of the compliance that the lock has outside clusters.
#define SOFTNESS 0.1
// Value of h^2 k / I (k: rotational stiffness due to tension, I: inertia) above which a body's inertia is increased.
#define STIFF 0.5


// ---------------------------------------------------------------------------------------------------------------------
// The factor
// ---------------------------------------------------------------------------------------------------------------------


// Return the compliance g of a lock, relative to its J W J^T.
INLINE double compliance_of(const ImpiSoftJoints *joints, const Head *head, int i) {
  const Extra *extra = head->plain ? NULL : &joints->extras.data[head->extra + i];
  double scale = (double)(extra != NULL ? extra->scale : joints->mass_scale);
  double keep = (double)(extra != NULL ? extra->keep : joints->impulse_scale);
  return SOFTNESS * keep / scale + TRACE;
}


// Compute A = J W J^T of the current rows, except its diagonal, and mark the rows that have no effect.
static void fill_clusters(ImpiSoftJoints *joints) {
  ImpiClusters *clusters = &joints->clusters;
  impi_factor_clear(&clusters->factor);
  double *a = clusters->factor.a.data;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    int held = held_rows(block, head);
    for (int i = 0; i < block->rows; ++i) {
      clusters->fixed.data[block->row + i] = i >= held || !(row_of(head, head->bodies, head->stride, i)->mass > 0);
    }
  }
  for (int p = 0; p < clusters->pairs.count; ++p) {
    const ImpiClusterPair *pair = &clusters->pairs.data[p];
    const ImpiClusterBlock *blocks[2] = {&clusters->blocks.data[pair->block[0]],
                                         &clusters->blocks.data[pair->block[1]]};
    Head *heads[2] = {head_of(joints, blocks[0]), head_of(joints, blocks[1])};
    Part weight = weights_of(heads[0], heads[0]->bodies)[pair->side[0]];
    int rows[2] = {held_rows(blocks[0], heads[0]), held_rows(blocks[1], heads[1])};
    for (int i = 0; i < rows[0]; ++i) {
      Part j = weight * jacobian_of(row_of(heads[0], heads[0]->bodies, heads[0]->stride, i))[pair->side[0]];
      for (int k = 0; k < rows[1]; ++k) {
        Part other = jacobian_of(row_of(heads[1], heads[1]->bodies, heads[1]->stride, k))[pair->side[1]];
        a[pair->number + i * pair->step[0] + k * pair->step[1]] +=
            (double)j[0] * (double)other[0] + (double)j[1] * (double)other[1] + (double)j[2] * (double)other[2];
      }
    }
  }
}


// Write the diagonal of A, with compliance e, or with g if `soft`, and factorize A.
static void factor(ImpiSoftJoints *joints, bool soft) {
  ImpiClusters *clusters = &joints->clusters;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    for (int i = 0; i < held_rows(block, head); ++i) {
      double k = (double)row_of(head, head->bodies, head->stride, i)->k;
      clusters->factor.a.data[block->diagonal + i * block->step] =
          k + k * (soft ? compliance_of(joints, head, i) : TRACE);
    }
  }
  impi_factor_run_soft(&clusters->factor, clusters->fixed.data, ROUNDING);
}


static void factor_clusters(ImpiSoftJoints *joints, bool relax) {
  ImpiClusters *clusters = &joints->clusters;
  if (!clusters->filled) {
    fill_clusters(joints);
    factor(joints, false);
    for (int i = 0; i < clusters->points.count; ++i) {
      clusters->points.data[i].known = false;
    }
    for (int i = 0; i < clusters->clusters.count; ++i) {
      clusters->clusters.data[i].solved = false;
    }
    clusters->filled = true;
    clusters->softened = false;
  }
  if (!relax && !clusters->softened) {
    impi_factor_swap(&clusters->factor, &clusters->soft);
    factor(joints, true);
    impi_factor_swap(&clusters->factor, &clusters->soft);
    clusters->softened = true;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Solving all locks together
// ---------------------------------------------------------------------------------------------------------------------


// Return J v of a row. Bodies that are not in a cluster have the velocities of their lanes.
INLINE double speed_in(const ImpiSoftJoints *joints, const ImpiClusterBlock *block, const ImpiRecord *velocity,
                       Head *head, const Part *j) {
  const int32_t *sides = joints->clusters.sides.data + block->first_side - block->skip;
  double speed = 0;
  for (int k = block->skip; k < head->bodies; ++k) {
    if (sides[k] >= 0) {
      const double *v = joints->clusters.bodies.data[sides[k]].v;
      speed += (double)j[k][0] * v[0] + (double)j[k][1] * v[1] + (double)j[k][2] * v[2];
    } else {
      ImpiRecord v = velocity[lanes_of(head)[k]];
      speed += (double)(j[k][0] * v[0] + j[k][1] * v[1] + j[k][2] * v[2]);
    }
  }
  for (int r = 0; r < head->rotors; ++r) {
    speed += (double)j[head->bodies - 1 - r][3] * joints->rotors.data[head->rotor + r].speed;
  }
  return speed;
}


// Compute the right-hand sides of the velocity term (x) and of the error term (errors).
static void compute_rhs(ImpiSoftJoints *joints, const ImpiRecord *velocity, bool relax) {
  ImpiClusters *clusters = &joints->clusters;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    int held = clusters->clusters.data[block->cluster].holds ? 0 : held_rows(block, head);
    for (int i = 0; i < block->rows; ++i) {
      int at = block->row + i;
      clusters->x.data[at] = clusters->errors.data[at] = 0;
      if (i < held && !clusters->fixed.data[at]) {
        const Row *row = row_of(head, head->bodies, head->stride, i);
        double speed = speed_in(joints, block, velocity, head, jacobian_of((Row *)row));
        clusters->before.data[at] = speed;
        clusters->x.data[at] = -(speed + (double)row->rest + TRACE * (double)row->k * (double)row->lambda);
        clusters->errors.data[at] = relax ? 0 : (double)row->rest - (double)row->pull;
      }
    }
  }
}


// Apply the impulses d = x + errors. The work of a row is d times the mean of its speeds before and after all impulses.
static void give(ImpiSoftJoints *joints, bool relax) {
  ImpiClusters *clusters = &joints->clusters;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    const Part *weights = weights_of(head, head->bodies);
    const int32_t *sides = clusters->sides.data + block->first_side - block->skip;
    int held = clusters->clusters.data[block->cluster].holds ? 0 : held_rows(block, head);
    for (int i = 0; i < held; ++i) {
      int at = block->row + i;
      if (clusters->fixed.data[at]) {
        continue;
      }
      Row *row = row_of(head, head->bodies, head->stride, i);
      const Part *j = jacobian_of(row);
      double k = (double)row->k, x = clusters->x.data[at], e = relax ? 0 : clusters->errors.data[at], d = x + e;
      double after = -(double)(relax ? row->rest : row->pull) - TRACE * k * (x + (double)row->lambda) -
                     (relax ? 0 : compliance_of(joints, head, i) * k * e);
      row->work += (float)(0.5 * d * (clusters->before.data[at] + after));
      row->lambda += (float)d;
      for (int s = block->skip; s < head->bodies; ++s) {
        if (sides[s] >= 0) {
          double *v = clusters->bodies.data[sides[s]].v;
          for (int q = 0; q < 3; ++q) {
            v[q] += (double)weights[s][q] * (double)j[s][q] * d;
          }
        }
      }
      for (int r = 0; r < head->rotors; ++r) {
        int part = head->bodies - 1 - r;
        joints->rotors.data[head->rotor + r].speed += (double)weights[part][3] * (double)j[part][3] * d;
      }
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Tension
// ---------------------------------------------------------------------------------------------------------------------


// Add the geometric stiffness of a joint under tension to the rotational stiffness of its bodies: r . f, where r is the
// vector from the body's centre of mass to the anchor and f the joint's force on the body. Compression counts as 0.
// Impulses and rows must both be orthogonalised, or neither.
void impi_clusters_add_tension(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiClusterBlock *block) {
  Head *head = head_of(joints, block);
  const ImpiJoint *joint = &solve->joints[head->joint];
  const int32_t *sides = joints->clusters.sides.data + block->first_side - block->skip;
  for (int k = 0; k < 2 && joint->custom == NULL; ++k) {
    if (sides[k] < 0) {
      continue;
    }
    ImpiClusterBody *body = &joints->clusters.bodies.data[sides[k]];
    const ImpiMotion *now = &joints->now.data[body->lane];
    ImpVec2 arm =
        impi_sub(k == 0 ? joint->frames.local_a : joint->frames.local_b, solve->bodies[body->slot].local_center);
    ImpVec2 r = impi_rotate((ImpRot){now->c, now->s}, arm);
    Part f = {0, 0, 0, 0};
    for (int i = 0; i < head->locks; ++i) {
      Row *row = row_of(head, head->bodies, head->stride, i);
      f += row->lambda * jacobian_of(row)[k];
    }
    body->stiffness += impi_max((r.x * (double)f[0] + r.y * (double)f[1]) / joints->h, 0);
  }
}


// If tension makes the rotation of a body oscillate too fast for the substep, increase its inertia in the rows of
// clusters:
//   (I + h^2 k) w' = I w + h tau + J^T lambda
// This integrates the geometric stiffness k implicitly. Explicit integration is stable for h^2 k / I < 4 only. Bodies
// with contacts keep their inertia, which the rows of contacts use. source: see stiffness.h
void impi_clusters_stiffen(const ImpiSolve *solve, ImpiSoftJoints *joints) {
  ImpiClusters *clusters = &joints->clusters;
  clusters->stiff = false;
  for (int i = 0; i < clusters->bodies.count; ++i) {
    ImpiClusterBody *body = &clusters->bodies.data[i];
    double own = solve->bodies[body->slot].inv_inertia, added = joints->h * joints->h * body->stiffness * own;
    bool stiff = solve->settings->geometric_stiffness && added > STIFF;
    stiff = stiff && !body->touched;
    body->part = stiff ? (float)(1 / (1 + added)) : 1;
    clusters->stiff = clusters->stiff || stiff;
    body->inv_inertia = (float)own * body->part;
    body->stiffness = 0;
  }
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    const int32_t *sides = clusters->sides.data + block->first_side - block->skip;
    for (int k = block->skip; k < head->bodies; ++k) {
      if (sides[k] >= 0) {
        ImpiClusterBody *body = &clusters->bodies.data[sides[k]];
        Part *weight = &weights_of(head, head->bodies)[k];
        (*weight)[2] = body->inv_inertia;
        for (int q = 0; q < 3; ++q) {
          body->w[q] = (double)(*weight)[q];
        }
      }
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The whole solve
// ---------------------------------------------------------------------------------------------------------------------


// Find the clusters whose velocities have not changed since their last solve. Return whether this is true of all.
static bool all_hold(ImpiClusters *clusters, const ImpiRecord *velocity, bool relax) {
  for (int i = 0; i < clusters->clusters.count; ++i) {
    ImpiCluster *cluster = &clusters->clusters.data[i];
    cluster->holds = !relax && cluster->solved && cluster->points == 0;
  }
  for (int i = 0; i < clusters->bodies.count; ++i) {
    const ImpiClusterBody *body = &clusters->bodies.data[i];
    bool *holds = &clusters->clusters.data[body->cluster].holds;
    for (int q = 0; q < 3 && *holds; ++q) {
      *holds = body->left[q] == velocity[body->lane][q];
    }
  }
  bool all = true;
  for (int i = 0; i < clusters->clusters.count; ++i) {
    all = all && clusters->clusters.data[i].holds;
  }
  return all;
}


// Find the clusters without drives.
static void look_for_drives(ImpiSoftJoints *joints) {
  ImpiClusters *clusters = &joints->clusters;
  for (int i = 0; i < clusters->clusters.count; ++i) {
    clusters->clusters.data[i].plain = true;
  }
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    ImpiCluster *cluster = &clusters->clusters.data[block->cluster];
    cluster->plain = cluster->plain && head_of(joints, block)->plain;
  }
}


void impi_clusters_solve(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, bool relax,
                         const ImpiSoftPass *contacts) {
  ImpiClusters *clusters = &joints->clusters;
  const ImpiRecord *velocity = lanes->velocity;
  if (all_hold(clusters, velocity, relax)) {
    return;
  }
  FOR_TOGETHER(joints, head) {
    if (!head->plain) {
      impi_soft_joint_solve_drives(joints, lanes, relax, head);
    }
  }
  factor_clusters(joints, relax);
  for (int i = 0; i < clusters->bodies.count; ++i) {
    ImpiClusterBody *body = &clusters->bodies.data[i];
    for (int q = 0; q < 3; ++q) {
      bool fine = lanes->gain != NULL;
      body->v[q] = fine ? (double)lanes->base[body->lane][q] + (double)lanes->gain[body->lane][q]
                        : (double)velocity[body->lane][q];
      body->began[q] = body->v[q];
    }
  }
  compute_rhs(joints, velocity, relax);
  impi_factor_solve(&clusters->factor, clusters->x.data);
  if (!relax) {
    impi_factor_swap(&clusters->factor, &clusters->soft);
    impi_factor_solve(&clusters->factor, clusters->errors.data);
    impi_factor_swap(&clusters->factor, &clusters->soft);
  }
  give(joints, relax);
  if (contacts != NULL && clusters->points.count > 0) {
    impi_cluster_solve_points(joints, contacts);
  }
  for (int i = 0; i < clusters->bodies.count; ++i) {
    ImpiClusterBody *body = &clusters->bodies.data[i];
    double dv[3];
    for (int q = 0; q < 3; ++q) {
      dv[q] = body->v[q] - body->began[q];
    }
    impi_cluster_push(lanes, body->lane, dv);
    for (int q = 0; q < 3; ++q) {
      body->left[q] = velocity[body->lane][q];
    }
  }
  look_for_drives(joints);
  for (int i = 0; i < clusters->clusters.count; ++i) {
    ImpiCluster *cluster = &clusters->clusters.data[i];
    cluster->solved = !relax && cluster->plain;
  }
}
