// The selection of joints for clusters, and the plan of their factor.
//
// In a joint between bodies a and b the share of a is K_a / (K_a + K_b), where K = 2 / m + r^2 / I for locks of points
// (r: from the centre of mass to the anchor) and K = 1 / I for locks of angles. If a joint locks both, its larger share
// is used. The share is near 1 if a has little inertia. A body calls for a cluster
//   - as a link, if the sum of its two largest shares exceeds LINK;
//   - as a hub of three joints or more, if the sum of its shares exceeds HUB. The share of a hinge is multiplied by
//     HINGE, in trees by HINGE_IN_TREE;
//   - in a tree, if two welds meet at it.
// In a joint with the world the share of the body is one half.
#include "solvers/soft/soft_cluster.h"

#define LINK 1.4
#define HUB 1.0
#define HINGE 0.33333333333333333
#define HINGE_IN_TREE 0.52

// Limits of the number of operations of a cluster's factorization: total, and per joint. The larger limit applies.
#define MOST_OPERATIONS 300000
#define MOST_OPERATIONS_JOINT 3000

// Data of a body in the selection of clusters.
typedef struct ImpiShare {
  int32_t root; // union-find: parent in the connected set, for a root the root itself
  // number of joints and of welds at the body
  int32_t joints, welds;
  double largest, second; // the body's two largest shares in its joints, see the top of this file
  double hub, hinges;     // sum of the shares of joints that cannot rotate; sum of the shares of hinges
  double operations;      // for a root: operations of the factorization
  int32_t parts, ties;    // for a root: number of connected bodies and of joints
  int32_t held;           // for a root: number of locks and drives with unbounded force
  // For a root: a drive has unbounded force; a joint attaches the set to a body that does not move.
  bool driven, grounded;
  bool calls; // for a root: a body of the set calls for a cluster
} Share;


void impi_clusters_free(ImpiHeap *heap, ImpiClusters *clusters) {
  impi_array_free(heap, &clusters->shares);
  impi_array_free(heap, &clusters->together);
  impi_array_free(heap, &clusters->sizes);
  impi_array_free(heap, &clusters->first);
  impi_array_free(heap, &clusters->members);
  impi_array_free(heap, &clusters->body_of);
  impi_array_free(heap, &clusters->blocks);
  impi_array_free(heap, &clusters->bodies);
  impi_array_free(heap, &clusters->sides);
  impi_array_free(heap, &clusters->pairs);
  impi_array_free(heap, &clusters->x);
  impi_array_free(heap, &clusters->before);
  impi_array_free(heap, &clusters->errors);
  impi_array_free(heap, &clusters->soft.l);
  impi_array_free(heap, &clusters->soft.inverse);
  impi_array_free(heap, &clusters->clusters);
  impi_array_free(heap, &clusters->panel_list);
  impi_array_free(heap, &clusters->block_list);
  impi_array_free(heap, &clusters->body_list);
  impi_array_free(heap, &clusters->points);
  impi_array_free(heap, &clusters->answers);
  impi_array_free(heap, &clusters->fixed);
  impi_factor_free(heap, &clusters->factor);
}


// ---------------------------------------------------------------------------------------------------------------------
// Selection
// ---------------------------------------------------------------------------------------------------------------------


static int32_t root_of(Share *shares, int32_t body) {
  while (shares[body].root != body) {
    shares[body].root = shares[shares[body].root].root;
    body = shares[body].root;
  }
  return body;
}


static const ImpiJoint *joint_at(const ImpiSolve *solve, int index) {
  return &solve->joints[solve->active_joints[index]];
}


typedef struct Hold {
  bool point, angle, stiff; // the joint locks points; it locks angles; it cannot rotate
  bool weld;                // the joint cannot move at all
  int locks;
} Hold;


// Return whether the armature of a coordinate exceeds the effective mass of the joint's bodies.
static bool is_heavy_rotor(const ImpiSolve *solve, const ImpiJoint *joint, int index) {
  if (!impi_joint_has_rotor(joint, solve->drives, solve->bodies, index)) {
    return false;
  }
  bool turns = impi_coordinate_kind(joint, index) == IMP_COORDINATE_ANGLE;
  double k = 0;
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    const ImpiBody *body = &solve->bodies[impi_joint_body(joint, i)];
    k += turns ? body->inv_inertia : body->inv_mass;
  }
  return solve->drives[impi_joint_coordinate_const(joint, index)->drive].set.armature * k > 1;
}


static Hold hold_of(const ImpiSolve *solve, const ImpiJoint *joint) {
  Hold hold = {0};
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    bool turns = impi_coordinate_kind(joint, i) == IMP_COORDINATE_ANGLE;
    if (is_heavy_rotor(solve, joint, i)) {
      hold.locks++;
      hold.stiff |= turns;
      hold.angle |= turns || joint->custom != NULL;
      hold.point |= !turns;
      continue;
    }
    if (!coordinate->locked) {
      hold.stiff |= coordinate->drive >= 0 && impi_drive_makes(&solve->drives[coordinate->drive].set, IMPI_DRIVE_SERVO);
      continue;
    }
    hold.locks++;
    hold.stiff |= turns;
    hold.angle |= turns || joint->custom != NULL;
    hold.point |= !turns;
  }
  hold.stiff |= joint->custom != NULL && hold.locks >= IMPI_INLINE_COORDINATES;
  hold.weld = hold.stiff && hold.locks >= IMPI_INLINE_COORDINATES;
  return hold;
}


// Compute a body's K for a lock of a point, 1 / m_x + 1 / m_y + r^2 / I, and for a lock of an angle, 1 / I. `anchor`:
// end of r in the body's frame; null: r = 0.
static void inertia_of(const ImpiBody *body, const ImpVec2 *anchor, double *out_point, double *out_angle) {
  ImpVec2 arm = anchor != NULL ? impi_sub(*anchor, body->local_center) : impi_vec(0, 0);
  ImpVec2 m = impi_free_part(body, body->inv_mass, body->inv_mass);
  *out_point = m.x + m.y + body->inv_inertia * impi_dot(arm, arm);
  *out_angle = body->inv_inertia;
}


static void add_share(Share *body, double share, const Hold *hold) {
  body->joints++;
  body->welds += hold->weld;
  *(hold->stiff ? &body->hub : &body->hinges) += share;
  if (share > body->largest) {
    body->second = body->largest;
    body->largest = share;
  } else if (share > body->second) {
    body->second = share;
  }
}


// Add the shares of a joint's bodies.
static void add_joint(const ImpiSolve *solve, Share *shares, const ImpiJoint *joint) {
  Hold hold = hold_of(solve, joint);
  int count = impi_joint_body_count(joint), moving = 0;
  double points = 0, angles = 0;
  if (hold.locks == 0 || (count == 2 && joint->body_a == joint->body_b)) {
    return;
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < count; ++i) {
      int32_t slot = impi_joint_body(joint, i);
      const ImpiBody *body = &solve->bodies[slot];
      if (!(body->inv_mass > 0)) {
        continue;
      }
      const ImpVec2 *anchor = joint->custom != NULL ? NULL : i == 0 ? &joint->frames.local_a : &joint->frames.local_b;
      double point, angle;
      inertia_of(body, anchor, &point, &angle);
      if (pass == 0) {
        points += point;
        angles += angle;
        moving++;
        continue;
      }
      double share = hold.point && points > 0 ? point / points : 0;
      share = hold.angle && angles > 0 ? impi_max(share, angle / angles) : share;
      add_share(&shares[slot], moving > 1 ? share : 0.5, &hold);
    }
  }
}


static int locks_of(const ImpiJoint *joint) {
  int locks = 0;
  for (int i = 0; i < joint->count; ++i) {
    locks += impi_joint_coordinate_const(joint, i)->locked;
  }
  return locks;
}


// Return the number of rows of a joint in a cluster: locks and rotors.
static int rows_of(const ImpiSolve *solve, const ImpiJoint *joint) {
  int rows = locks_of(joint);
  for (int i = 0; i < joint->count; ++i) {
    rows += impi_joint_has_rotor(joint, solve->drives, solve->bodies, i);
  }
  return rows;
}


// Return the first moving body of a joint; -1: none.
static int32_t moving_body(const ImpiSolve *solve, const ImpiJoint *joint) {
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    int32_t slot = impi_joint_body(joint, i);
    if (solve->bodies[slot].inv_mass > 0) {
      return slot;
    }
  }
  return -1;
}


// Return the root of the connected set of a joint's bodies; null if none of them moves.
static Share *root_at(const ImpiSolve *solve, Share *shares, const ImpiJoint *joint) {
  int32_t body = moving_body(solve, joint);
  return body >= 0 ? &shares[root_of(shares, body)] : NULL;
}


// Find the connected sets: joints with locks connect their bodies. Count the bodies and joints of each set.
static void join(const ImpiSolve *solve, Share *shares) {
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = joint_at(solve, i);
    int32_t first = moving_body(solve, joint);
    for (int k = 0; k < impi_joint_body_count(joint) && locks_of(joint) > 0; ++k) {
      int32_t slot = impi_joint_body(joint, k);
      if (solve->bodies[slot].inv_mass > 0) {
        shares[root_of(shares, first)].root = root_of(shares, slot);
      }
    }
  }
  for (int i = 0; i < solve->body_count; ++i) {
    if (shares[i].joints > 0) {
      shares[root_of(shares, i)].parts++;
    }
  }
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = joint_at(solve, i);
    Share *root = root_at(solve, shares, joint);
    if (root == NULL) {
      continue;
    }
    root->ties++;
    for (int k = 0; k < impi_joint_body_count(joint); ++k) {
      root->grounded = root->grounded || !(solve->bodies[impi_joint_body(joint, k)].inv_mass > 0);
    }
  }
}


// Return whether a drive holds its coordinate with unbounded force.
static bool is_unbounded(const ImpiSolve *solve, const ImpiCoordinate *coordinate) {
  if (coordinate->drive < 0 || coordinate->locked) {
    return false;
  }
  const ImpDrive *set = &solve->drives[coordinate->drive].set;
  return (impi_drive_makes(set, IMPI_DRIVE_MOTOR) && set->motor_max == HUGE_VAL) ||
         (impi_drive_makes(set, IMPI_DRIVE_SERVO) && set->servo_max == HUGE_VAL) ||
         (set->limit_max == HUGE_VAL &&
          (impi_drive_makes(set, IMPI_DRIVE_LOWER) || impi_drive_makes(set, IMPI_DRIVE_UPPER)));
}


// Exclude sets whose drives may act against locks or against each other, because only soft rows can share such a load.
static void leave_contradictions(const ImpiSolve *solve, Share *shares) {
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = joint_at(solve, i);
    Share *root = root_at(solve, shares, joint);
    for (int k = 0; k < joint->count && root != NULL; ++k) {
      const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, k);
      bool driven = is_unbounded(solve, coordinate);
      root->held += coordinate->locked || driven;
      root->driven = root->driven || driven;
    }
  }
  for (int i = 0; i < solve->body_count; ++i) {
    int freedoms = 3 * (shares[i].parts - !shares[i].grounded);
    shares[i].calls = shares[i].calls && !(shares[i].driven && shares[i].held > freedoms);
  }
}


// Mark the joints of clusters. Returns their number.
static int mark(const ImpiSolve *solve, ImpiClusters *clusters) {
  Share *shares = clusters->shares.data;
  int count = 0;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = joint_at(solve, i);
    const Share *root = root_at(solve, shares, joint);
    bool together = root != NULL && root->calls && locks_of(joint) > 0 &&
                    !(impi_joint_body_count(joint) == 2 && joint->body_a == joint->body_b);
    clusters->together.data[i] = together;
    count += together;
  }
  return count;
}


// Return whether a body calls for a cluster. `tree`: its connected set is a tree.
static bool calls(const Share *body, bool tree) {
  double hub = body->hub + (tree ? HINGE_IN_TREE : HINGE) * body->hinges;
  return (body->joints >= 2 && body->largest + body->second > LINK) || (body->joints >= 3 && hub > HUB) ||
         (tree && body->welds >= 2);
}


static double most_operations(int joints) { return impi_max(MOST_OPERATIONS, MOST_OPERATIONS_JOINT * (double)joints); }


// Exclude each connected set that has a body whose n joints need too many operations in the factorization, n^3 / 3.
static void leave_large_hubs(const ImpiSolve *solve, Share *shares) {
  for (int i = 0; i < solve->body_count; ++i) {
    double joints = shares[i].joints;
    Share *root = &shares[root_of(shares, i)];
    root->calls = root->calls && joints * joints * joints / 3 <= most_operations(root->ties);
  }
}


// Determine the connected sets that call for a cluster.
static void look(const ImpiSolve *solve, Share *shares) {
  bool any = false;
  for (int i = 0; i < solve->body_count; ++i) {
    shares[i] = (Share){.root = i};
  }
  for (int i = 0; i < solve->active_joint_count; ++i) {
    add_joint(solve, shares, joint_at(solve, i));
  }
  for (int i = 0; i < solve->body_count && !any; ++i) {
    any = calls(&shares[i], true);
  }
  if (!any) {
    return;
  }
  join(solve, shares);
  for (int i = 0; i < solve->body_count; ++i) {
    Share *root = &shares[root_of(shares, i)];
    bool tree = root->ties < root->parts + (root->grounded ? 1 : 0);
    root->calls = root->calls || calls(&shares[i], tree);
  }
  leave_large_hubs(solve, shares);
  leave_contradictions(solve, shares);
}


// ---------------------------------------------------------------------------------------------------------------------
// The plan
// ---------------------------------------------------------------------------------------------------------------------


static bool reserve(const ImpiSolve *solve, ImpiClusters *clusters, int count, int members) {
  ImpiHeap *heap = solve->heap;
  return impi_reserve(heap, &clusters->blocks, count) && impi_reserve(heap, &clusters->sizes, count) &&
         impi_reserve(heap, &clusters->sides, members) && impi_reserve(heap, &clusters->members, members) &&
         impi_reserve(heap, &clusters->bodies, members) && impi_reserve(heap, &clusters->first, members + 1) &&
         impi_reserve(heap, &clusters->body_of, solve->body_count);
}


// Return the number of leading bodies in a joint's record that stand for the static world.
static int skip_of(const ImpiSolve *solve, const ImpiJoint *joint) {
  int sides = impi_joint_body_count(joint), rotors = rows_of(solve, joint) - locks_of(joint);
  int bodies = sides < 2 ? 2 : sides;
  bodies = bodies < rotors ? rotors : bodies;
  return bodies - sides;
}


// List the joints of clusters (blocks), their bodies, and the blocks at each body: those at body i are
// members[first[i]] to members[first[i + 1] - 1]. Returns false when out of memory.
static bool list(const ImpiSolve *solve, ImpiClusters *clusters, int count) {
  int members = 0;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    members += clusters->together.data[i] ? impi_joint_body_count(joint_at(solve, i)) : 0;
  }
  if (!reserve(solve, clusters, count, members)) {
    return false;
  }
  clusters->blocks.count = clusters->bodies.count = clusters->sides.count = 0;
  clusters->body_of.count = solve->body_count;
  for (int i = 0; i < solve->body_count; ++i) {
    clusters->body_of.data[i] = -1;
  }
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = joint_at(solve, i);
    if (!clusters->together.data[i]) {
      continue;
    }
    clusters->sizes.data[clusters->blocks.count] = rows_of(solve, joint);
    clusters->blocks.data[clusters->blocks.count++] = (ImpiClusterBlock){.joint = solve->active_joints[i],
                                                                         .first_side = clusters->sides.count,
                                                                         .skip = skip_of(solve, joint),
                                                                         .rows = rows_of(solve, joint)};
    for (int k = 0; k < impi_joint_body_count(joint); ++k) {
      int32_t slot = impi_joint_body(joint, k);
      if (solve->bodies[slot].inv_mass > 0 && clusters->body_of.data[slot] < 0) {
        clusters->body_of.data[slot] = clusters->bodies.count;
        clusters->first.data[clusters->bodies.count] = 0;
        clusters->bodies.data[clusters->bodies.count++] = (ImpiClusterBody){.slot = slot};
      }
      int32_t body = clusters->body_of.data[slot];
      clusters->sides.data[clusters->sides.count++] = body;
      if (body >= 0) {
        clusters->first.data[body]++;
      }
    }
  }
  int32_t end = 0;
  for (int i = 0; i < clusters->bodies.count; ++i) {
    end += clusters->first.data[i];
    clusters->first.data[i] = end;
  }
  clusters->first.data[clusters->bodies.count] = end;
  for (int b = clusters->blocks.count - 1; b >= 0; --b) {
    int sides = impi_joint_body_count(&solve->joints[clusters->blocks.data[b].joint]);
    for (int k = 0; k < sides; ++k) {
      int32_t body = clusters->sides.data[clusters->blocks.data[b].first_side + k];
      if (body >= 0) {
        clusters->members.data[--clusters->first.data[body]] = b;
      }
    }
  }
  return true;
}


// Exclude clusters whose factorization would take too long. Returns whether any cluster was excluded.
static bool give_up(const ImpiSolve *solve, ImpiClusters *clusters) {
  Share *shares = clusters->shares.data;
  const ImpiFactor *factor = &clusters->factor;
  bool any = false;
  for (int i = 0; i < solve->body_count; ++i) {
    shares[i].operations = 0;
    shares[i].joints = 0;
  }
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiFactorPanel *panel = &factor->panels.data[factor->panel_of.data[b]];
    Share *root = &shares[root_of(shares, moving_body(solve, &solve->joints[clusters->blocks.data[b].joint]))];
    root->joints++;
    root->operations += (double)panel->width * panel->height * panel->height;
  }
  for (int i = 0; i < solve->body_count; ++i) {
    Share *root = &shares[i];
    if (root->calls && root->operations > most_operations(root->joints)) {
      root->calls = false;
      any = true;
    }
  }
  return any;
}


// Exclude all clusters, if their factor cannot be planned.
static void give_all_up(const ImpiSolve *solve, ImpiClusters *clusters) {
  for (int i = 0; i < solve->body_count; ++i) {
    clusters->shares.data[i].calls = false;
  }
}


// List the pairs of joints at each body, with the indices of their couplings in A. Returns false when out of memory.
static bool list_pairs(ImpiHeap *heap, const ImpiSolve *solve, ImpiClusters *clusters) {
  int64_t count = 0;
  for (int i = 0; i < clusters->bodies.count; ++i) {
    int64_t n = clusters->first.data[i + 1] - clusters->first.data[i];
    count += n * (n - 1) / 2;
  }
  if (count > INT32_MAX || !impi_reserve(heap, &clusters->pairs, (int)count)) {
    return false;
  }
  clusters->pairs.count = 0;
  for (int i = 0; i < clusters->bodies.count; ++i) {
    for (int p = clusters->first.data[i]; p < clusters->first.data[i + 1]; ++p) {
      for (int q = p + 1; q < clusters->first.data[i + 1]; ++q) {
        ImpiClusterPair pair = {.block = {clusters->members.data[p], clusters->members.data[q]}};
        for (int s = 0; s < 2; ++s) {
          const ImpiClusterBlock *block = &clusters->blocks.data[pair.block[s]];
          int sides = impi_joint_body_count(&solve->joints[block->joint]);
          for (int k = 0; k < sides; ++k) {
            bool here = clusters->sides.data[block->first_side + k] == i;
            pair.side[s] = here ? (uint16_t)(k + block->skip) : pair.side[s];
          }
        }
        ImpiFactorBlock at = impi_factor_block(&clusters->factor, pair.block[0], pair.block[1]);
        pair.number = (int32_t)(at.value - clusters->factor.a.data);
        pair.step[0] = at.step_i;
        pair.step[1] = at.step_j;
        clusters->pairs.data[clusters->pairs.count++] = pair;
      }
    }
  }
  return true;
}


// Return the cluster of a block.
static int32_t cluster_of(const ImpiClusters *clusters, int32_t block) {
  const int32_t *sides = clusters->sides.data + clusters->blocks.data[block].first_side;
  while (*sides < 0) {
    ++sides;
  }
  return clusters->bodies.data[*sides].cluster;
}


// Sort the blocks, bodies and panels by cluster, keeping their order within each cluster.
static bool sort_by_cluster(const ImpiSolve *solve, ImpiClusters *clusters) {
  ImpiHeap *heap = solve->heap;
  Share *shares = clusters->shares.data;
  const ImpiFactor *factor = &clusters->factor;
  int blocks = clusters->blocks.count, bodies = clusters->bodies.count, count = 0;
  for (int i = 0; i < bodies; ++i) {
    shares[root_of(shares, clusters->bodies.data[i].slot)].joints = -1;
  }
  for (int i = 0; i < bodies; ++i) {
    Share *root = &shares[root_of(shares, clusters->bodies.data[i].slot)];
    root->joints = root->joints < 0 ? count++ : root->joints;
    clusters->bodies.data[i].cluster = root->joints;
  }
  if (!impi_reserve(heap, &clusters->clusters, count) || !impi_reserve(heap, &clusters->panel_list, blocks) ||
      !impi_reserve(heap, &clusters->block_list, blocks) || !impi_reserve(heap, &clusters->body_list, bodies)) {
    return false;
  }
  ImpiCluster *list = clusters->clusters.data;
  clusters->clusters.count = count;
  for (int i = 0; i < count; ++i) {
    list[i] = (ImpiCluster){0};
  }
  for (int i = 0; i < bodies; ++i) {
    ImpiClusterBody *body = &clusters->bodies.data[i];
    body->place = list[body->cluster].bodies++;
  }
  for (int b = 0; b < blocks; ++b) {
    ImpiClusterBlock *block = &clusters->blocks.data[b];
    block->cluster = cluster_of(clusters, b);
    ImpiCluster *cluster = &list[block->cluster];
    block->local = cluster->rows;
    cluster->rows += block->rows;
    cluster->blocks++;
  }
  for (int i = 0, block = 0, body = 0; i < count; ++i) {
    list[i].first_block = list[i].first_panel = block;
    list[i].first_body = body;
    block += list[i].blocks;
    body += list[i].bodies;
    list[i].blocks = list[i].panels = 0;
  }
  for (int i = 0; i < bodies; ++i) {
    const ImpiClusterBody *body = &clusters->bodies.data[i];
    clusters->body_list.data[list[body->cluster].first_body + body->place] = i;
  }
  for (int b = 0; b < blocks; ++b) {
    ImpiCluster *cluster = &list[clusters->blocks.data[b].cluster];
    ImpiCluster *other = &list[clusters->blocks.data[factor->panels.data[b].block].cluster];
    clusters->block_list.data[cluster->first_block + cluster->blocks++] = b;
    clusters->panel_list.data[other->first_panel + other->panels++] = b;
  }
  return true;
}


static bool plan_blocks(const ImpiSolve *solve, ImpiClusters *clusters) {
  ImpiFactor *factor = &clusters->factor;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    ImpiClusterBlock *block = &clusters->blocks.data[b];
    ImpiFactorBlock at = impi_factor_block(factor, b, b);
    block->row = impi_factor_row(factor, b);
    block->diagonal = (int32_t)(at.value - factor->a.data);
    block->step = at.step_i + at.step_j;
  }
  return impi_reserve(solve->heap, &clusters->x, factor->rows) &&
         impi_reserve(solve->heap, &clusters->before, factor->rows) &&
         impi_reserve(solve->heap, &clusters->errors, factor->rows) &&
         impi_reserve(solve->heap, &clusters->soft.l, factor->l.count) &&
         impi_reserve(solve->heap, &clusters->soft.inverse, factor->rows) &&
         impi_reserve(solve->heap, &clusters->fixed, factor->rows) && list_pairs(solve->heap, solve, clusters) &&
         sort_by_cluster(solve, clusters);
}


bool impi_clusters_plan(const ImpiSolve *solve, ImpiClusters *clusters) {
  clusters->blocks.count = clusters->bodies.count = clusters->pairs.count = clusters->clusters.count = 0;
  clusters->filled = false;
  if (!impi_reserve(solve->heap, &clusters->shares, solve->body_count) ||
      !impi_reserve(solve->heap, &clusters->together, solve->active_joint_count)) {
    return false;
  }
  look(solve, clusters->shares.data);
  for (;;) {
    int count = mark(solve, clusters);
    if (count == 0) {
      clusters->blocks.count = clusters->bodies.count = 0;
      return true;
    }
    if (!list(solve, clusters, count)) {
      return false;
    }
    ImpStatus status = impi_factor_plan(solve->heap, &clusters->factor, clusters->blocks.count, clusters->sizes.data,
                                        clusters->bodies.count, clusters->first.data, clusters->members.data);
    if (status == IMP_ERR_NOMEM) {
      return false;
    }
    if (status != IMP_OK) {
      give_all_up(solve, clusters);
    } else if (!give_up(solve, clusters)) {
      return plan_blocks(solve, clusters);
    }
  }
}


bool impi_clusters_reserve_points(const ImpiSolve *solve, ImpiClusters *clusters) {
  int64_t points = 0, numbers = 0;
  for (int i = 0; i < solve->active_count && clusters->bodies.count > 0; ++i) {
    const ImpiContact *contact = &solve->contacts[solve->active[i]];
    bool at = impi_cluster_body(clusters, contact->body_a) >= 0 || impi_cluster_body(clusters, contact->body_b) >= 0;
    points += at ? 2 : 0;
  }
  for (int i = 0; i < clusters->clusters.count; ++i) {
    const ImpiCluster *cluster = &clusters->clusters.data[i];
    numbers += (points < IMPI_CLUSTER_POINTS ? points : IMPI_CLUSTER_POINTS) * (cluster->rows + 3 * cluster->bodies);
  }
  return points < INT32_MAX && numbers < INT32_MAX && impi_reserve(solve->heap, &clusters->points, (int)points) &&
         impi_reserve(solve->heap, &clusters->answers, (int)numbers);
}
