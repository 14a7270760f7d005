// A B-tree in two dimensions (Guttman 1984): all leaves have the same depth, and every node but the root is at least
// half full. A leaf is inserted where it adds the least perimeter (Goldsmith and Salmon 1987: the work of a query is
// proportional to the sum of the perimeters). A node that overflows is split. A node that underflows is merged with a
// sibling, or takes some children of the sibling.
#include <limits.h>

#include "geometry/tree_node.h"

_Static_assert(sizeof(ImpiTreeNode) == 4 * IMPI_CACHE_LINE, "a node must fill whole cache lines");
_Static_assert(2 * IMPI_TREE_LEAST == IMPI_TREE_WIDTH, "the least number of children must be half of the largest");

// Largest number of entries (children with their boxes) in best_cut: a full node and a sibling with one child too few.
#define ENTRIES (IMPI_TREE_WIDTH + IMPI_TREE_LEAST - 1)


static ImpiSmallBox unite(const ImpiSmallBox *a, const ImpiSmallBox *b) {
  return (ImpiSmallBox){{impi_tree_lesser(a->edge[0], b->edge[0]), impi_tree_lesser(a->edge[1], b->edge[1]),
                         impi_tree_lesser(a->edge[2], b->edge[2]), impi_tree_lesser(a->edge[3], b->edge[3])}};
}


// Return half of the perimeter. `edge` is {lower x, lower y, -upper x, -upper y}.
static float perimeter(const ImpiSmallBox *box) {
  return -((box->edge[0] + box->edge[2]) + (box->edge[1] + box->edge[3]));
}


static bool contains(const ImpiSmallBox *outer, const ImpiSmallBox *inner) {
  return outer->edge[0] <= inner->edge[0] && outer->edge[1] <= inner->edge[1] && outer->edge[2] <= inner->edge[2] &&
         outer->edge[3] <= inner->edge[3];
}


static ImpiSmallBox box_in(const ImpiTreeNode *node, int slot) {
  return (ImpiSmallBox){{node->edge[0][slot], node->edge[1][slot], node->edge[2][slot], node->edge[3][slot]}};
}


static ImpiTreeEntry entry_in(const ImpiTreeNode *node, int slot) {
  return (ImpiTreeEntry){box_in(node, slot), node->category[slot], node->child[slot]};
}


// Remove a child, and move the last child to its slot.
static void take_out(ImpiTree *tree, int32_t index, int slot) {
  ImpiTreeNode *node = &tree->nodes.data[index];
  int last = --node->count;
  if (slot != last) {
    ImpiTreeEntry entry = entry_in(node, last);
    impi_tree_put(tree, index, slot, &entry);
  }
  impi_tree_clear(node, last);
}


static int32_t take_node(ImpiTree *tree, int32_t height) {
  int32_t index = tree->free_node;
  if (index >= 0) {
    tree->free_node = tree->nodes.data[index].place;
  } else {
    IMP_ASSERT(tree->nodes.count < tree->nodes.capacity);
    index = tree->nodes.count++;
  }
  impi_tree_start(&tree->nodes.data[index], height);
  return index;
}


static void give_node(ImpiTree *tree, int32_t index) {
  tree->nodes.data[index].height = -1;
  tree->nodes.data[index].place = tree->free_node;
  tree->free_node = index;
}


// Update the box and category of a node in its parent, and of all nodes above, until nothing changes.
static void refit(ImpiTree *tree, int32_t index) {
  for (int32_t place; (place = tree->nodes.data[index].place) >= 0; index = place / IMPI_TREE_WIDTH) {
    ImpiTreeNode *parent = &tree->nodes.data[place / IMPI_TREE_WIDTH];
    int slot = place % IMPI_TREE_WIDTH;
    ImpiTreeEntry old = entry_in(parent, slot), now = impi_tree_sum_up(tree, index);
    if (contains(&old.box, &now.box) && contains(&now.box, &old.box) && old.category == now.category) {
      return;
    }
    impi_tree_write(parent, slot, &now.box, now.category);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Overflow and underflow
// ---------------------------------------------------------------------------------------------------------------------


static void sort_entries(ImpiTreeEntry *entries, int count, int axis) {
  for (int i = 1; i < count; ++i) {
    ImpiTreeEntry entry = entries[i];
    float middle = entry.box.edge[axis] - entry.box.edge[axis + 2];
    int k = i;
    for (; k > 0 && entries[k - 1].box.edge[axis] - entries[k - 1].box.edge[axis + 2] > middle; --k) {
      entries[k] = entries[k - 1];
    }
    entries[k] = entry;
  }
}


// Divide entries, in their order, between two nodes with the least sum of perimeters. Return the number of entries of
// the first node.
static int best_cut(const ImpiTreeEntry *entries, int count, float *out_perimeters) {
  float before[ENTRIES + 1]; // perimeter of the first i entries
  ImpiSmallBox box = impi_small_nothing();
  for (int i = 0; i < count; ++i) {
    box = unite(&box, &entries[i].box);
    before[i + 1] = perimeter(&box);
  }
  int best = -1;
  box = impi_small_nothing();
  for (int first = count - 1; first >= IMPI_TREE_LEAST; --first) {
    box = unite(&box, &entries[first].box);
    if (count - first < IMPI_TREE_LEAST || count - first > IMPI_TREE_WIDTH || first > IMPI_TREE_WIDTH) {
      continue;
    }
    float both = before[first] + perimeter(&box);
    if (best < 0 || both < *out_perimeters) {
      best = first;
      *out_perimeters = both;
    }
  }
  return best;
}


// Distribute the entries of an overflowing node to two nodes of the same height.
static void share_out(ImpiTree *tree, int32_t a, int32_t b, ImpiTreeEntry *entries, int count) {
  ImpiTreeEntry by_x[ENTRIES];
  memcpy(by_x, entries, (size_t)count * sizeof *entries);
  sort_entries(by_x, count, 0);
  sort_entries(entries, count, 1);
  float perimeters_x = 0, perimeters_y = 0;
  int cut_x = best_cut(by_x, count, &perimeters_x), cut_y = best_cut(entries, count, &perimeters_y);
  bool along_x = perimeters_x <= perimeters_y;
  const ImpiTreeEntry *from = along_x ? by_x : entries;
  impi_tree_empty(&tree->nodes.data[a]);
  impi_tree_empty(&tree->nodes.data[b]);
  for (int i = 0; i < count; ++i) {
    impi_tree_append(tree, i < (along_x ? cut_x : cut_y) ? a : b, &from[i]);
  }
}


static int copy_entries(const ImpiTree *tree, int32_t index, ImpiTreeEntry *out_entries) {
  const ImpiTreeNode *node = &tree->nodes.data[index];
  for (int slot = 0; slot < node->count; ++slot) {
    out_entries[slot] = entry_in(node, slot);
  }
  return node->count;
}


// Add a child to a node, and split nodes that overflow.
static void add_child(ImpiTree *tree, int32_t index, ImpiTreeEntry entry) {
  while (tree->nodes.data[index].count == IMPI_TREE_WIDTH) {
    ImpiTreeEntry entries[ENTRIES];
    int count = copy_entries(tree, index, entries);
    entries[count++] = entry;
    int32_t height = tree->nodes.data[index].height, second = take_node(tree, height);
    share_out(tree, index, second, entries, count);
    entry = impi_tree_sum_up(tree, second);
    if (tree->nodes.data[index].place < 0) {
      tree->root = take_node(tree, height + 1);
      ImpiTreeEntry first = impi_tree_sum_up(tree, index);
      impi_tree_append(tree, tree->root, &first);
      index = tree->root;
    } else {
      refit(tree, index);
      index = tree->nodes.data[index].place / IMPI_TREE_WIDTH;
    }
  }
  impi_tree_append(tree, index, &entry);
  refit(tree, index);
}


// Return the slot of the child (except `but`) whose perimeter grows least when `box` is added. If several do not grow,
// return the smallest.
static int best_slot(const ImpiTreeNode *node, const ImpiSmallBox *box, int but) {
  float best_growth = 0, best_perimeter = 0;
  int best = -1;
  for (int slot = 0; slot < node->count; ++slot) {
    ImpiSmallBox child = box_in(node, slot), both = unite(&child, box);
    float size = perimeter(&child), growth = perimeter(&both) - size;
    bool better = best < 0 || growth < best_growth || (growth == best_growth && size < best_perimeter);
    if (better && slot != but) {
      best = slot;
      best_growth = growth;
      best_perimeter = size;
    }
  }
  return best;
}


// Remove a child from a node, and mend nodes that underflow.
static void drop_child(ImpiTree *tree, int32_t index, int slot) {
  for (;;) {
    take_out(tree, index, slot);
    ImpiTreeNode *node = &tree->nodes.data[index];
    if (node->place < 0 || node->count >= IMPI_TREE_LEAST) {
      break;
    }
    int32_t parent = node->place / IMPI_TREE_WIDTH;
    slot = node->place % IMPI_TREE_WIDTH;
    ImpiTreeEntry own = impi_tree_sum_up(tree, index);
    int other = best_slot(&tree->nodes.data[parent], &own.box, slot);
    int32_t sibling = tree->nodes.data[parent].child[other];
    ImpiTreeEntry entries[ENTRIES];
    int count = copy_entries(tree, index, entries);
    if (count + tree->nodes.data[sibling].count > IMPI_TREE_WIDTH) {
      count += copy_entries(tree, sibling, entries + count);
      share_out(tree, index, sibling, entries, count);
      refit(tree, sibling);
      break;
    }
    for (int i = 0; i < count; ++i) {
      impi_tree_append(tree, sibling, &entries[i]);
    }
    give_node(tree, index);
    refit(tree, sibling);
    index = parent;
  }
  ImpiTreeNode *root = &tree->nodes.data[tree->root];
  if (index == tree->root && root->height > 0 && root->count == 1) {
    tree->root = root->child[0];
    tree->nodes.data[tree->root].place = -1;
    give_node(tree, index);
  } else if (index == tree->root && root->count == 0) {
    tree->root = -1;
    give_node(tree, index);
  } else {
    refit(tree, index);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Leaves
// ---------------------------------------------------------------------------------------------------------------------


static void link_leaf(ImpiTree *tree, int32_t index) {
  ImpiTreeEntry entry = impi_tree_leaf_entry(tree, index);
  if (tree->root < 0) {
    tree->root = take_node(tree, 0);
  }
  int32_t at = tree->root;
  while (tree->nodes.data[at].height > 0) {
    at = tree->nodes.data[at].child[best_slot(&tree->nodes.data[at], &entry.box, -1)];
  }
  add_child(tree, at, entry);
}


static void unlink_leaf(ImpiTree *tree, int32_t index) {
  int32_t place = tree->leaves.data[index].place;
  drop_child(tree, place / IMPI_TREE_WIDTH, place % IMPI_TREE_WIDTH);
}


void impi_tree_init(ImpiTree *tree) {
  memset(tree, 0, sizeof *tree);
  tree->root = tree->free_leaf = tree->free_node = -1;
}


void impi_tree_free(ImpiHeap *heap, ImpiTree *tree) {
  impi_array_free(heap, &tree->leaves);
  impi_array_free(heap, &tree->nodes);
  impi_tree_init(tree);
}


// Return an upper bound of the number of nodes of a tree. A node except the root has at least four children, so there
// are at most leaves / 3 nodes. 2 are added for the root and for a new node.
static int nodes_for(int leaves) { return leaves / 3 + 2; }


bool impi_tree_has_room(const ImpiTree *tree, int leaves) {
  return leaves == 0 || (tree->leaves.capacity >= leaves && tree->nodes.capacity >= nodes_for(leaves));
}


bool impi_tree_reserve(ImpiHeap *heap, ImpiTree *tree, int leaves) {
  if (leaves < 0 || leaves > INT_MAX / IMPI_TREE_WIDTH - tree->leaf_count) {
    return false;
  }
  int all = tree->leaf_count + leaves;
  return impi_tree_has_room(tree, all) ||
         (impi_reserve(heap, &tree->leaves, all) && impi_reserve(heap, &tree->nodes, nodes_for(all)));
}


int32_t impi_tree_insert(ImpiTree *tree, ImpAabb box, uint64_t category, int32_t user) {
  IMP_ASSERT(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && user >= 0);
  int32_t leaf = tree->free_leaf;
  if (leaf >= 0) {
    tree->free_leaf = tree->leaves.data[leaf].place;
  } else {
    IMP_ASSERT(tree->leaves.count < tree->leaves.capacity);
    leaf = tree->leaves.count++;
  }
  tree->leaves.data[leaf] = (ImpiTreeLeaf){box, category, user, -1};
  tree->leaf_count++;
  link_leaf(tree, leaf);
  return leaf;
}


void impi_tree_remove(ImpiTree *tree, int32_t leaf) {
  IMP_ASSERT(tree->leaves.data[leaf].user >= 0);
  unlink_leaf(tree, leaf);
  tree->leaves.data[leaf].user = -1;
  tree->leaves.data[leaf].place = tree->free_leaf;
  tree->free_leaf = leaf;
  tree->leaf_count--;
}


void impi_tree_move(ImpiTree *tree, int32_t index, ImpAabb box) {
  ImpiTreeLeaf *leaf = &tree->leaves.data[index];
  IMP_ASSERT(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && leaf->user >= 0);
  leaf->box = box;
  int32_t above = leaf->place / IMPI_TREE_WIDTH, place = tree->nodes.data[above].place;
  ImpiSmallBox small = impi_small_box(box);
  if (place >= 0) {
    ImpiSmallBox around = box_in(&tree->nodes.data[place / IMPI_TREE_WIDTH], place % IMPI_TREE_WIDTH);
    if (!contains(&around, &small)) {
      unlink_leaf(tree, index);
      link_leaf(tree, index);
      return;
    }
  }
  // A leaf that stays inside its node's box keeps its place.
  impi_tree_write(&tree->nodes.data[above], leaf->place % IMPI_TREE_WIDTH, &small, leaf->category);
  refit(tree, above);
}


void impi_tree_set_category(ImpiTree *tree, int32_t index, uint64_t category) {
  ImpiTreeLeaf *leaf = &tree->leaves.data[index];
  IMP_ASSERT(leaf->user >= 0);
  leaf->category = category;
  tree->nodes.data[leaf->place / IMPI_TREE_WIDTH].category[leaf->place % IMPI_TREE_WIDTH] = category;
  refit(tree, leaf->place / IMPI_TREE_WIDTH);
}


void impi_tree_query(const ImpiTree *tree, ImpAabb box, uint64_t mask, ImpiTreeVisit visit, void *context) {
  ImpiSmallBox small = impi_small_box(box);
  impi_tree_walk(tree, &box, impi_small_probe(&small), mask, visit, context);
}
