// A leaf is inserted where it adds the least perimeter to the tree: the expected work of a query is proportional to the
// sum of the inner boxes' perimeters (Goldsmith and Salmon 1987). On the way back to the root every node may swap one
// child with a grandchild below the other child,
//
//        a                 a
//       / \               / \        x' = {y, g}; the box of a does not change,
//      x   y     =>      x'  f       so the gain is perimeter(x) - perimeter(y + g)
//     / \               / \    .
//    f   g             y   g
//
// if that gains perimeter or restores balance. Balance: the heights of siblings differ by at most D =
// IMPI_TREE_IMBALANCE, a relaxed AVL tree. An insertion or removal changes the height of a subtree by at most 1; where
// siblings then differ by D + 1, swapping y with the taller of f and g restores balance, and the height of a is still
// within 1 of what it was. A swap for perimeter alone must keep that height, so that the nodes above are not disturbed.
#include "tree.h"

#include <limits.h>
#include <string.h>

_Static_assert(sizeof(ImpiTreeNode) == 64, "a node fills a cache line");


static double union_perimeter(const ImpAabb *a, const ImpAabb *b) {
  return impi_aabb_perimeter(impi_aabb_union(*a, *b));
}


static int32_t take_node(ImpiTree *tree) {
  int32_t index = tree->free_list;
  if (index >= 0) {
    tree->free_list = tree->nodes.data[index].parent;
  } else {
    IMP_ASSERT(tree->nodes.count < tree->nodes.capacity);
    index = tree->nodes.count++;
  }
  return index;
}


static void give_node(ImpiTree *tree, int32_t index) {
  tree->nodes.data[index].height = -1;
  tree->nodes.data[index].parent = tree->free_list;
  tree->free_list = index;
}


// Derive an inner node from its children; whether that changed anything.
static bool refresh(ImpiTreeNode *nodes, int32_t index) {
  ImpiTreeNode *node = &nodes[index];
  const ImpiTreeNode *left = &nodes[node->child[0]], *right = &nodes[node->child[1]];
  ImpAabb box = impi_aabb_union(left->box, right->box);
  uint64_t category = left->category | right->category;
  int32_t height = 1 + (left->height > right->height ? left->height : right->height);
  bool changed = height != node->height || category != node->category || box.lower.x != node->box.lower.x ||
                 box.lower.y != node->box.lower.y || box.upper.x != node->box.upper.x ||
                 box.upper.y != node->box.upper.y;
  node->box = box;
  node->category = category;
  node->height = height;
  return changed;
}


// Put `index` where `old` hangs below `parent` (-1: at the root).
static void replace_child(ImpiTree *tree, int32_t parent, int32_t old, int32_t index) {
  if (parent < 0) {
    tree->root = index;
  } else {
    int32_t *child = tree->nodes.data[parent].child;
    child[child[0] == old ? 0 : 1] = index;
  }
  tree->nodes.data[index].parent = parent;
}


static bool balanced(int32_t height_a, int32_t height_b) {
  return height_a - height_b <= IMPI_TREE_IMBALANCE && height_b - height_a <= IMPI_TREE_IMBALANCE;
}


// Swap a child of `a` with a grandchild if that restores balance or, with balance kept, gains perimeter.
static void rotate(ImpiTreeNode *nodes, int32_t a) {
  const int32_t *child = nodes[a].child;
  bool must = !balanced(nodes[child[0]].height, nodes[child[1]].height);
  double best_gain = 0;
  int best_side = -1, best_end = 0;
  for (int side = 0; side < 2; ++side) {
    const ImpiTreeNode *x = &nodes[child[side]], *y = &nodes[child[1 - side]];
    if (x->height == 0) {
      continue;
    }
    double x_perimeter = impi_aabb_perimeter(x->box);
    for (int end = 0; end < 2; ++end) {
      const ImpiTreeNode *f = &nodes[x->child[end]], *g = &nodes[x->child[1 - end]];
      int32_t x_height = 1 + (y->height > g->height ? y->height : g->height);
      int32_t a_height = 1 + (x_height > f->height ? x_height : f->height);
      if (!balanced(y->height, g->height) || !balanced(x_height, f->height) || (!must && a_height != nodes[a].height)) {
        continue;
      }
      double gain = x_perimeter - union_perimeter(&y->box, &g->box);
      if (gain > best_gain || (must && best_side < 0)) {
        best_gain = gain;
        best_side = side;
        best_end = end;
      }
    }
  }
  IMP_ASSERT(best_side >= 0 || !must);
  if (best_side >= 0) {
    int32_t x = nodes[a].child[best_side], y = nodes[a].child[1 - best_side], f = nodes[x].child[best_end];
    nodes[a].child[1 - best_side] = f;
    nodes[f].parent = a;
    nodes[x].child[best_end] = y;
    nodes[y].parent = x;
    refresh(nodes, x);
    refresh(nodes, a);
  }
}


// Bring the nodes from `index` up to the root in line with their children, as far as anything changes.
static void refit(ImpiTree *tree, int32_t index) {
  ImpiTreeNode *nodes = tree->nodes.data;
  while (index >= 0) {
    int32_t height = nodes[index].height;
    bool changed = refresh(nodes, index);
    rotate(nodes, index);
    if (!changed && nodes[index].height == height) {
      return;
    }
    index = nodes[index].parent;
  }
}


// The node that should become the sibling of a new leaf in `box`: a descent that at each node compares the perimeter
// added by stopping here with the least that each child promises.
static int32_t find_sibling(const ImpiTree *tree, ImpAabb box) {
  const ImpiTreeNode *nodes = tree->nodes.data;
  double leaf_perimeter = impi_aabb_perimeter(box);
  int32_t index = tree->root;
  double united = union_perimeter(&nodes[index].box, &box); // perimeter of the node with the box in it
  double inherited = 0;                                     // what the ancestors grow by
  while (nodes[index].height > 0) {
    // Stopping puts a new inner node around both; descending makes this node grow instead.
    double stop_cost = inherited + united;
    inherited += united - impi_aabb_perimeter(nodes[index].box);
    double best_cost = 0, best_united = 0, best_distance = 0;
    int32_t best = -1;
    for (int i = 0; i < 2; ++i) {
      const ImpiTreeNode *child = &nodes[nodes[index].child[i]];
      double child_united = union_perimeter(&child->box, &box);
      // Below an inner child the new inner node is at least as large as the leaf's box.
      double cost = inherited + child_united;
      if (child->height > 0) {
        cost += leaf_perimeter - impi_aabb_perimeter(child->box);
      }
      // Of two children that both hold the box take the one with the nearer centre.
      double distance = fabs(child->box.lower.x + child->box.upper.x - box.lower.x - box.upper.x) +
                        fabs(child->box.lower.y + child->box.upper.y - box.lower.y - box.upper.y);
      if (best < 0 || cost < best_cost || (cost == best_cost && distance < best_distance)) {
        best_cost = cost;
        best_united = child_united;
        best_distance = distance;
        best = nodes[index].child[i];
      }
    }
    // A leaf may only hang beside a low node, for balance.
    if (stop_cost < best_cost && nodes[index].height <= IMPI_TREE_IMBALANCE) {
      break;
    }
    index = best;
    united = best_united;
  }
  return index;
}


static void link_leaf(ImpiTree *tree, int32_t leaf) {
  ImpiTreeNode *nodes = tree->nodes.data;
  if (tree->root < 0) {
    tree->root = leaf;
    nodes[leaf].parent = -1;
    return;
  }
  int32_t sibling = find_sibling(tree, nodes[leaf].box);
  int32_t parent = take_node(tree);
  replace_child(tree, nodes[sibling].parent, sibling, parent);
  nodes[parent].child[0] = sibling;
  nodes[parent].child[1] = leaf;
  nodes[parent].height = -1;
  nodes[parent].user = -1;
  nodes[sibling].parent = parent;
  nodes[leaf].parent = parent;
  refit(tree, parent);
}


static void unlink_leaf(ImpiTree *tree, int32_t leaf) {
  ImpiTreeNode *nodes = tree->nodes.data;
  int32_t parent = nodes[leaf].parent;
  if (parent < 0) {
    tree->root = -1;
    return;
  }
  int32_t sibling = nodes[parent].child[nodes[parent].child[0] == leaf ? 1 : 0];
  int32_t above = nodes[parent].parent;
  replace_child(tree, above, parent, sibling);
  give_node(tree, parent);
  refit(tree, above);
}


void impi_tree_init(ImpiTree *tree) {
  memset(tree, 0, sizeof *tree);
  tree->root = -1;
  tree->free_list = -1;
}


void impi_tree_free(ImpiHeap *heap, ImpiTree *tree) {
  impi_array_free(heap, &tree->nodes);
  impi_tree_init(tree);
}


bool impi_tree_reserve(ImpiHeap *heap, ImpiTree *tree, int leaves) {
  if (leaves < 0 || leaves > INT_MAX / 4 - tree->leaf_count) {
    return false;
  }
  return impi_reserve(heap, &tree->nodes, 2 * (tree->leaf_count + leaves));
}


int32_t impi_tree_insert(ImpiTree *tree, ImpAabb box, uint64_t category, int32_t user) {
  IMP_ASSERT(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y);
  int32_t leaf = take_node(tree);
  tree->nodes.data[leaf] =
      (ImpiTreeNode){.box = box, .category = category, .parent = -1, .child = {-1, -1}, .height = 0, .user = user};
  tree->leaf_count++;
  link_leaf(tree, leaf);
  return leaf;
}


void impi_tree_remove(ImpiTree *tree, int32_t node) {
  IMP_ASSERT(tree->nodes.data[node].height == 0);
  unlink_leaf(tree, node);
  give_node(tree, node);
  tree->leaf_count--;
}


// ---------------------------------------------------------------------------------------------------------------------
// All at once: halves along the longer side, so that heights of siblings differ by no more than one
// ---------------------------------------------------------------------------------------------------------------------


// Twice the centre.
static double middle_of(const ImpiTreeNode *node, int axis) {
  return axis == 0 ? node->box.lower.x + node->box.upper.x : node->box.lower.y + node->box.upper.y;
}


// Put the leaves [first, end) into such an order that none before `middle` lies beyond one that is not before it
// (Hoare's selection).
static void select_half(ImpiTreeNode *nodes, int first, int end, int middle, int axis) {
  while (end - first > 1) {
    double pivot = middle_of(&nodes[first + (end - first) / 2], axis);
    int low = first, high = end - 1;
    while (low <= high) {
      while (middle_of(&nodes[low], axis) < pivot) {
        low++;
      }
      while (middle_of(&nodes[high], axis) > pivot) {
        high--;
      }
      if (low <= high) {
        ImpiTreeNode swap = nodes[low];
        nodes[low++] = nodes[high];
        nodes[high--] = swap;
      }
    }
    if (middle <= high) {
      end = high + 1;
    } else if (middle >= low) {
      first = low;
    } else {
      return;
    }
  }
}


static int longer_axis(const ImpiTreeNode *nodes, int first, int end) {
  ImpVec2 lower = {HUGE_VAL, HUGE_VAL}, upper = {-HUGE_VAL, -HUGE_VAL};
  for (int i = first; i < end; ++i) {
    ImpVec2 middle = {middle_of(&nodes[i], 0), middle_of(&nodes[i], 1)};
    lower = impi_vec(impi_min(lower.x, middle.x), impi_min(lower.y, middle.y));
    upper = impi_vec(impi_max(upper.x, middle.x), impi_max(upper.y, middle.y));
  }
  return upper.x - lower.x >= upper.y - lower.y ? 0 : 1;
}


// The node above the leaves [first, end).
static int32_t build(ImpiTree *tree, int first, int end) {
  if (end - first == 1) {
    return first;
  }
  ImpiTreeNode *nodes = tree->nodes.data;
  int middle = first + (end - first) / 2;
  select_half(nodes, first, end, middle, longer_axis(nodes, first, end));
  int32_t index = tree->nodes.count++;
  int32_t left = build(tree, first, middle), right = build(tree, middle, end);
  nodes[index] = (ImpiTreeNode){.parent = -1, .child = {left, right}, .user = -1};
  nodes[left].parent = nodes[right].parent = index;
  refresh(nodes, index);
  rotate(nodes, index);
  return index;
}


void impi_tree_build(ImpiTree *tree, int count) {
  IMP_ASSERT(2 * count <= tree->nodes.capacity || count == 0);
  ImpiTreeNode *nodes = tree->nodes.data;
  for (int i = 0; i < count; ++i) {
    nodes[i].parent = nodes[i].child[0] = nodes[i].child[1] = -1;
    nodes[i].height = 0;
  }
  tree->nodes.count = tree->leaf_count = count;
  tree->free_list = -1;
  tree->root = count > 0 ? build(tree, 0, count) : -1;
}


void impi_tree_move(ImpiTree *tree, int32_t node, ImpAabb box) {
  IMP_ASSERT(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && tree->nodes.data[node].height == 0);
  ImpiTreeNode *nodes = tree->nodes.data;
  // A leaf that stays among its neighbours keeps its place: that is several times cheaper, and the rotations on the way
  // up keep the tree good.
  int32_t parent = nodes[node].parent;
  int32_t above = parent >= 0 ? nodes[parent].parent : -1;
  if (above >= 0 && !impi_aabb_contains(nodes[above].box, box)) {
    unlink_leaf(tree, node);
    nodes[node].box = box;
    link_leaf(tree, node);
  } else {
    nodes[node].box = box;
    refit(tree, parent);
  }
}


void impi_tree_set_category(ImpiTree *tree, int32_t node, uint64_t category) {
  IMP_ASSERT(tree->nodes.data[node].height == 0);
  tree->nodes.data[node].category = category;
  refit(tree, tree->nodes.data[node].parent);
}


void impi_tree_query(const ImpiTree *tree, ImpAabb box, uint64_t mask, ImpiTreeVisit visit, void *context) {
  impi_tree_walk(tree, box, mask, visit, context);
}
