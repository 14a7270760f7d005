// The tree of boxes: its invariants, its queries against brute force, its height.
#include <string.h>

#include "boxes.h"
#include "check.h"

typedef struct Found {
  int times[4000]; // how often each leaf was visited
  int count, stop_after;
} Found;


static bool count_leaf(int32_t user, void *context) {
  Found *found = context;
  found->times[user]++;
  return ++found->count != found->stop_after;
}


static void tree_holds_its_invariants_and_finds_what_brute_force_finds(void) {
  enum { N = 4000 };
  static ImpAabb boxes[N];
  static uint64_t category[N];
  static int32_t node[N];
  ImpiHeap heap = test_heap();
  ImpiTree tree;
  impi_tree_init(&tree);
  memset(node, -1, sizeof node);
  for (int round = 0; round < 60000; ++round) {
    int i = random_below(round < 20000 ? N : N / 4), what = random_below(8);
    if (node[i] < 0) {
      boxes[i] = random_box(60);
      category[i] = (uint64_t)1 << random_below(5);
      CHECK(impi_tree_reserve(&heap, &tree, 1));
      node[i] = impi_tree_insert(&tree, boxes[i], category[i], i);
    } else if (what < 2) {
      impi_tree_remove(&tree, node[i]);
      node[i] = -1;
    } else if (what < 3) {
      category[i] = random_bits() & 31u;
      impi_tree_set_category(&tree, node[i], category[i]);
    } else {
      double reach = what == 3 ? 50 : 0.3;
      boxes[i] = shifted(boxes[i], random_in(-reach, reach), random_in(-reach, reach));
      impi_tree_move(&tree, node[i], boxes[i]);
    }
    if (round % 1000 == 999) {
      CHECK(tree_is_valid(&tree));
      static Found found;
      memset(&found, 0, sizeof found);
      ImpAabb box = random_box(60);
      uint64_t mask = round % 3000 == 999 ? IMPI_TREE_ALL : random_bits() & 31u;
      impi_tree_query(&tree, box, mask, count_leaf, &found);
      for (int k = 0; k < N; ++k) {
        bool expected =
            node[k] >= 0 && impi_aabb_overlaps(boxes[k], box) && ((category[k] & mask) != 0 || mask == IMPI_TREE_ALL);
        CHECK(found.times[k] == expected);
      }
    }
  }
  for (int i = 0; i < N; ++i) {
    if (node[i] >= 0) {
      impi_tree_remove(&tree, node[i]);
    }
  }
  CHECK(tree_is_valid(&tree) && tree.leaf_count == 0);
  impi_tree_free(&heap, &tree);
  CHECK(heap.bytes == 0);
}


// Boxes in a row, nested boxes and equal boxes are what makes trees without balance degenerate.
static void tree_stays_low_for_hostile_orders(void) {
  enum { N = 4000 };
  ImpiHeap heap = test_heap();
  for (int order = 0; order < 5; ++order) {
    ImpiTree tree;
    impi_tree_init(&tree);
    CHECK(impi_tree_reserve(&heap, &tree, N));
    for (int i = 0; i < N; ++i) {
      double size = 1e-4 * pow(1.006, order == 1 ? i : N - i); // up to 2.5e6 m
      ImpAabb box = {{-size, -size}, {size, size}};
      if (order == 0) {
        box = (ImpAabb){{i, 0}, {i + 1, 1}};
      } else if (order == 3) {
        box = (ImpAabb){{0, 0}, {0, 0}};
      } else if (order == 4) {
        box = (ImpAabb){{size, 0}, {1.006 * size, 0}};
      }
      impi_tree_insert(&tree, box, 1, i);
    }
    CHECK(tree.nodes.data[tree.root].height <= 5); // 2 * 4^5 = 2048 leaves are in the sparsest tree of height 5
    CHECK(tree_is_valid(&tree));
    static Found found;
    memset(&found, 0, sizeof found);
    impi_tree_query(&tree, (ImpAabb){{-1e7, -1e7}, {1e7, 1e7}}, 1, count_leaf, &found);
    CHECK(found.count == N);
    for (int32_t i = 0; i < N - 1; ++i) { // removal of one side only
      int32_t node = tree.root;
      while (tree.nodes.data[node].height > 0) {
        node = tree.nodes.data[node].child[0];
      }
      impi_tree_remove(&tree, tree.nodes.data[node].child[0]);
      if (i % 500 == 0) {
        CHECK(tree_is_valid(&tree));
      }
    }
    CHECK(tree.leaf_count == 1);
    impi_tree_free(&heap, &tree);
  }
  CHECK(heap.bytes == 0);
}


static void tree_query_stops_when_told(void) {
  ImpiHeap heap = test_heap();
  ImpiTree tree;
  impi_tree_init(&tree);
  static Found found;
  memset(&found, 0, sizeof found);
  found.stop_after = 3;
  impi_tree_query(&tree, random_box(1), IMPI_TREE_ALL, count_leaf, &found);
  CHECK(found.count == 0);
  CHECK(impi_tree_reserve(&heap, &tree, 10));
  for (int i = 0; i < 10; ++i) {
    impi_tree_insert(&tree, (ImpAabb){{0, 0}, {1, 1}}, 1, i);
  }
  impi_tree_query(&tree, (ImpAabb){{0.5, 0.5}, {0.5, 0.5}}, 1, count_leaf, &found);
  CHECK(found.count == 3);
  impi_tree_free(&heap, &tree);
}


static void a_tree_built_at_once_is_as_good_as_any(void) {
  enum { N = 4000 };
  static ImpAabb boxes[N];
  static uint64_t category[N];
  static Found found;
  static const int counts[] = {0, 1, 2, 3, 5, 17, 1000, N};
  ImpiHeap heap = test_heap();
  ImpiTree tree;
  impi_tree_init(&tree);
  for (int c = 0; c < IMPI_COUNT(counts); ++c) {
    for (int equal = 0; equal < 2; ++equal) {
      int count = counts[c];
      CHECK(impi_tree_reserve(&heap, &tree, count - tree.leaf_count > 0 ? count - tree.leaf_count : 0));
      for (int i = 0; i < count; ++i) {
        boxes[i] = equal ? (ImpAabb){{0, 0}, {1, 1}} : random_box(60);
        category[i] = (uint64_t)1 << random_below(5);
        tree.leaves.data[i] = (ImpiTreeLeaf){.box = boxes[i], .category = category[i], .user = i};
      }
      impi_tree_build(&tree, count);
      CHECK(tree_is_valid(&tree) && tree.leaf_count == count);
      for (int query = 0; query < 50; ++query) {
        memset(&found, 0, sizeof found);
        ImpAabb box = random_box(60);
        uint64_t mask = query % 5 == 0 ? IMPI_TREE_ALL : random_bits() & 31u;
        impi_tree_query(&tree, box, mask, count_leaf, &found);
        for (int k = 0; k < count; ++k) {
          bool expected = impi_aabb_overlaps(boxes[k], box) && ((category[k] & mask) != 0 || mask == IMPI_TREE_ALL);
          CHECK(found.times[k] == expected);
        }
      }
      for (int32_t leaf = 0; leaf < count / 2; ++leaf) { // what goes on is an ordinary tree
        impi_tree_move(&tree, leaf, random_box(60));
      }
      CHECK(tree_is_valid(&tree));
    }
  }
  impi_tree_free(&heap, &tree);
  CHECK(heap.bytes == 0);
}


int main(void) {
  RUN(tree_holds_its_invariants_and_finds_what_brute_force_finds);
  RUN(tree_stays_low_for_hostile_orders);
  RUN(tree_query_stops_when_told);
  RUN(a_tree_built_at_once_is_as_good_as_any);
  return check_report("tree");
}
