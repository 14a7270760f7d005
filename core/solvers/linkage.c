// Choice of the joints whose coordinates replace those of the bodies: at most one joint for each body. The joints are
// the edges of a spanning forest with as many locks as possible.
#include "solvers/linkage.h"

#include <string.h>


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------


static bool reserve(const ImpiSolve *solve, ImpiLinkage *linkage) {
  ImpiHeap *heap = solve->heap;
  int nodes = solve->awake_count + 1;
  return impi_reserve(heap, &linkage->links, nodes) && impi_reserve(heap, &linkage->groups, nodes) &&
         impi_reserve(heap, &linkage->link_of, nodes) && impi_reserve(heap, &linkage->first_edge, nodes + 1) &&
         impi_reserve(heap, &linkage->edges, 2 * nodes) && impi_reserve(heap, &linkage->queue, nodes) &&
         impi_reserve(heap, &linkage->parent_joint, nodes + solve->active_joint_count) &&
         impi_reserve(heap, &linkage->key, nodes) && impi_reserve(heap, &linkage->sorted, nodes) &&
         impi_islands_begin(heap, &linkage->sets, nodes);
}


void impi_linkage_free(ImpiHeap *heap, ImpiLinkage *linkage) {
  impi_array_free(heap, &linkage->links);
  impi_array_free(heap, &linkage->groups);
  impi_array_free(heap, &linkage->link_of);
  impi_array_free(heap, &linkage->first_edge);
  impi_array_free(heap, &linkage->edges);
  impi_array_free(heap, &linkage->queue);
  impi_array_free(heap, &linkage->parent_joint);
  impi_array_free(heap, &linkage->key);
  impi_array_free(heap, &linkage->sorted);
  impi_islands_free(heap, &linkage->sets);
}


// ---------------------------------------------------------------------------------------------------------------------
// The forest. Nodes are lanes; node 0 stands for all bodies that impulses do not move
// ---------------------------------------------------------------------------------------------------------------------


static int32_t node_of(const ImpiSolve *solve, int32_t body) {
  return impi_is_dynamic(&solve->bodies[body]) ? solve->bodies[body].lane : 0;
}


static bool has_inertia(const ImpiSolve *solve, int32_t body) { return solve->bodies[body].inv_inertia > 0; }


static bool has_locked_axes(const ImpiSolve *solve, int32_t lane) {
  return solve->bodies[solve->awake[lane - 1]].locks != 0;
}


static unsigned locks_of(const ImpiJoint *joint) {
  unsigned locks = 0;
  for (int i = 0; i < joint->count; ++i) {
    locks |= (unsigned)joint->inline_coordinates[i].locked << i;
  }
  return locks;
}


// Return whether the torque of a joint with a locked angle can be computed from the motion of its bodies.
static bool torque_is_known(const ImpiSolve *solve, const ImpiJoint *joint) {
  const ImpiBody *a = &solve->bodies[joint->body_a], *b = &solve->bodies[joint->body_b];
  bool rests = a->type == IMP_BODY_STATIC || b->type == IMP_BODY_STATIC;
  bool turns_a = a->type == IMP_BODY_KINEMATIC || has_inertia(solve, joint->body_a);
  bool turns_b = b->type == IMP_BODY_KINEMATIC || has_inertia(solve, joint->body_b);
  return rests || turns_a == turns_b;
}


// Return the number of locks that a joint adds to the tree; 0: the joint cannot attach a body.
static int worth(const ImpiSolve *solve, const ImpiJoint *joint) {
  bool planar = joint->custom == NULL && joint->count == 3 && joint->kinds[0] == IMP_COORDINATE_X &&
                joint->kinds[1] == IMP_COORDINATE_Y && joint->kinds[2] == IMP_COORDINATE_ANGLE;
  if (!planar) {
    return 0;
  }
  unsigned locks = locks_of(joint);
  bool carries = !(locks & 4u) || torque_is_known(solve, joint);
  return carries ? (int)((locks & 1u) + (locks >> 1 & 1u) + (locks >> 2 & 1u)) : 0;
}


// Choose the joints of the forest by Kruskal's algorithm: joints with the most locks first, then in creation order.
// List the edges at each node.
static void choose_joints(ImpiSolve *solve, ImpiLinkage *linkage) {
  int nodes = solve->awake_count + 1, chosen = 0;
  int32_t *first = linkage->first_edge.data, *tree = linkage->parent_joint.data;
  memset(first, 0, (size_t)(nodes + 1) * sizeof *first);
  for (int32_t lane = 1; lane < nodes; ++lane) {
    if (has_locked_axes(solve, lane)) {
      impi_islands_join(&linkage->sets, 0, lane);
    }
  }
  for (int wanted = 3; wanted > 0; --wanted) {
    for (int i = 0; i < solve->active_joint_count; ++i) {
      const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
      int32_t a = node_of(solve, joint->body_a), b = node_of(solve, joint->body_b);
      if (worth(solve, joint) != wanted ||
          impi_islands_root(&linkage->sets, a) == impi_islands_root(&linkage->sets, b)) {
        continue;
      }
      impi_islands_join(&linkage->sets, a, b);
      tree[chosen++] = solve->active_joints[i];
      first[a]++;
      first[b]++;
    }
  }
  // Compute the end of each node's list of edges.
  for (int n = 1; n <= nodes; ++n) {
    first[n] += first[n - 1];
  }
  for (int i = chosen - 1; i >= 0; --i) {
    const ImpiJoint *joint = &solve->joints[tree[i]];
    linkage->edges.data[--first[node_of(solve, joint->body_a)]] = tree[i];
    linkage->edges.data[--first[node_of(solve, joint->body_b)]] = tree[i];
  }
}


// Append the nodes of a tree to the queue, from its root outward. The key of each node is the root.
static void walk_tree(ImpiSolve *solve, ImpiLinkage *linkage, int32_t root, int32_t joint) {
  const int32_t *first = linkage->first_edge.data;
  int32_t *queue = linkage->queue.data, *carrier = linkage->parent_joint.data;
  int at = linkage->queue.count;
  queue[linkage->queue.count++] = root;
  carrier[root] = joint;
  linkage->key.data[root] = root;
  for (; at < linkage->queue.count; ++at) {
    int32_t node = queue[at];
    for (int32_t e = first[node]; e < first[node + 1]; ++e) {
      int32_t edge = linkage->edges.data[e];
      int32_t a = node_of(solve, solve->joints[edge].body_a),
              other = a != node ? a : node_of(solve, solve->joints[edge].body_b);
      if (edge != carrier[node] && other != 0) {
        carrier[other] = edge;
        linkage->key.data[other] = root;
        queue[linkage->queue.count++] = other;
      }
    }
  }
}


static void walk_forest(ImpiSolve *solve, ImpiLinkage *linkage) {
  const int32_t *first = linkage->first_edge.data;
  linkage->queue.count = 0;
  memset(linkage->key.data, 0, (size_t)(solve->awake_count + 1) * sizeof *linkage->key.data);
  for (int32_t e = first[0]; e < first[1]; ++e) {
    const ImpiJoint *joint = &solve->joints[linkage->edges.data[e]];
    int32_t a = node_of(solve, joint->body_a);
    walk_tree(solve, linkage, a != 0 ? a : node_of(solve, joint->body_b), linkage->edges.data[e]);
  }
  for (int pass = 0; pass < 2; ++pass) { // first the bodies that must be roots
    for (int32_t lane = 1; lane <= solve->awake_count; ++lane) {
      bool dynamic = node_of(solve, solve->awake[lane - 1]) != 0;
      if (linkage->key.data[lane] == 0 && dynamic && (pass > 0 || has_locked_axes(solve, lane))) {
        walk_tree(solve, linkage, lane, -1);
      }
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Groups
// ---------------------------------------------------------------------------------------------------------------------


// Return the number of rows of a joint that may be solved together: locks outside the tree, motors and servos.
static int block_rows(const ImpiSolve *solve, const ImpiLinkage *linkage, const ImpiJoint *joint, int32_t slot) {
  int32_t a = node_of(solve, joint->body_a), b = node_of(solve, joint->body_b);
  bool carries = (a != 0 && linkage->parent_joint.data[a] == slot) || (b != 0 && linkage->parent_joint.data[b] == slot);
  int rows = 0;
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    rows += coordinate->locked && !carries;
    if (coordinate->drive >= 0) {
      unsigned on = solve->drives[coordinate->drive].set.on;
      rows += (int)(on >> IMP_DRIVE_MOTOR & 1u) + (int)(on >> IMP_DRIVE_SERVO & 1u);
    }
  }
  return rows;
}


// Return the number of motors and servos that substep handlers may add to a joint within the step.
static int later_rows(const ImpiSolve *solve, const ImpiJoint *joint) {
  int rows = 0;
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    unsigned on = coordinate->drive >= 0 ? solve->drives[coordinate->drive].set.on : 0;
    rows += coordinate->locked ? 0 : 2 - (int)(on >> IMP_DRIVE_MOTOR & 1u) - (int)(on >> IMP_DRIVE_SERVO & 1u);
  }
  return rows;
}


// Increase the number of rows of each set of connected trees by later_rows(), at most to max_block.
static void add_later_rows(ImpiSolve *solve, ImpiLinkage *linkage, int max_block) {
  int32_t *rows = linkage->first_edge.data;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
    for (int k = 0; k < impi_joint_body_count(joint); ++k) {
      int32_t node = node_of(solve, impi_joint_body(joint, k));
      if (node != 0) {
        int32_t *sum = &rows[impi_islands_root(&linkage->sets, node)];
        int more = *sum + later_rows(solve, joint);
        *sum = *sum > max_block ? *sum : more < max_block ? more : max_block;
        break;
      }
    }
  }
}


// Make one group of trees that are connected by joints, by giving them the same key. If their rows are more than
// max_block, each tree remains a group.
static void join_trees(ImpiSolve *solve, ImpiLinkage *linkage, int max_block) {
  int nodes = solve->awake_count + 1;
  int32_t *rows = linkage->first_edge.data, *key = linkage->key.data;
  impi_islands_begin(solve->heap, &linkage->sets, nodes); // cannot fail: memory is reserved
  for (int pass = 0; pass < 2; ++pass) {                  // first join the sets, then count their rows
    memset(rows, 0, (size_t)nodes * sizeof *rows);
    for (int i = 0; i < solve->active_joint_count; ++i) {
      const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
      int32_t first = 0;
      for (int k = 0; k < impi_joint_body_count(joint); ++k) {
        int32_t node = node_of(solve, impi_joint_body(joint, k));
        if (node != 0 && first != 0) {
          impi_islands_join(&linkage->sets, first, node);
        }
        first = node != 0 ? node : first;
      }
      rows[impi_islands_root(&linkage->sets, first)] += block_rows(solve, linkage, joint, solve->active_joints[i]);
    }
  }
  for (int node = 1; node < nodes; ++node) {
    int32_t root = impi_islands_root(&linkage->sets, node);
    key[node] = key[node] != 0 && rows[root] <= max_block ? root : key[node];
  }
}


static void make_link(ImpiSolve *solve, ImpiLinkage *linkage, int32_t node, ImpiLink *link) {
  *link = (ImpiLink){
      .body = solve->awake[node - 1], .joint = linkage->parent_joint.data[node], .base = -1, .parent = -1, .sign = 1};
  link->turns = has_inertia(solve, link->body);
  unsigned axes = link->joint < 0 ? solve->bodies[link->body].locks : 0;
  if (link->joint >= 0) {
    const ImpiJoint *joint = &solve->joints[link->joint];
    link->sign = joint->body_b == link->body ? 1 : -1;
    link->base = link->sign > 0 ? joint->body_a : joint->body_b;
    link->locks = locks_of(joint);
    link->turns_with_base = link->turns;
  }
  for (int i = 0; i < 3; ++i) {
    if (!((link->locks | axes) >> i & 1u) && (i < 2 || link->turns)) {
      link->axis[link->free++] = i;
    }
  }
}


// Make the links in the order of the queue, with the links of each group (ImpiTreeGroup) next to each other. A group
// gets room for the rows that join_trees counted.
static void make_groups(ImpiSolve *solve, ImpiLinkage *linkage, int max_block) {
  const int32_t *queue = linkage->queue.data, *key = linkage->key.data, *rows = linkage->first_edge.data;
  int32_t *group_of = linkage->sorted.data;
  int count = linkage->queue.count;
  memset(group_of, -1, (size_t)(solve->awake_count + 1) * sizeof *group_of);
  linkage->groups.count = 0;
  for (int i = 0; i < count; ++i) {
    int32_t *group = &group_of[key[queue[i]]];
    if (*group < 0) {
      int32_t room = rows[impi_islands_root(&linkage->sets, queue[i])];
      *group = linkage->groups.count++;
      linkage->groups.data[*group] =
          (ImpiTreeGroup){.block_room = room <= max_block ? room : 0, .whole = room <= max_block};
    }
    linkage->groups.data[*group].count++;
  }
  for (int u = 1; u < linkage->groups.count; ++u) {
    linkage->groups.data[u].first = linkage->groups.data[u - 1].first + linkage->groups.data[u - 1].count;
  }
  for (int u = 0; u < linkage->groups.count; ++u) {
    linkage->groups.data[u].count = 0;
  }
  linkage->links.count = count;
  memset(linkage->link_of.data, -1, (size_t)(solve->awake_count + 1) * sizeof *linkage->link_of.data);
  linkage->link_of.count = solve->awake_count + 1;
  for (int i = 0; i < count; ++i) {
    ImpiTreeGroup *group = &linkage->groups.data[group_of[key[queue[i]]]];
    int32_t at = group->first + group->count++;
    ImpiLink *link = &linkage->links.data[at];
    make_link(solve, linkage, queue[i], link);
    linkage->link_of.data[queue[i]] = at;
    link->group = group_of[key[queue[i]]];
    link->parent = link->base >= 0 ? impi_link_of(solve, linkage, link->base) : -1;
    link->root = link->parent >= 0 ? linkage->links.data[link->parent].root : at;
  }
}


bool impi_linkage_plan(ImpiSolve *solve, ImpiLinkage *linkage, int max_block, bool handlers) {
  if (!reserve(solve, linkage)) {
    return false;
  }
  choose_joints(solve, linkage);
  walk_forest(solve, linkage);
  join_trees(solve, linkage, max_block);
  if (handlers) {
    add_later_rows(solve, linkage, max_block);
  }
  make_groups(solve, linkage, max_block);
  return true;
}
