// The tree of boxes: its invariants, its queries compared with brute force, its height.
#include <string.h>

#include "boxes.h"
#include "check.h"
#include "geometry/tree_near.h"

typedef struct Found {
  int times[4000]; // how often each leaf was visited
  int count, stop_after;
} Found;


static bool count_leaf(int32_t user, void *context) {
  Found *found = context;
  found->times[user]++;
  return ++found->count != found->stop_after;
}


static bool count_tile(int32_t user, void *context) {
  (void)user;
  ((Found *)context)->count++;
  return true;
}


static void tree_keeps_its_invariants_and_agrees_with_brute_force(void) {
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


// Orders in which an unbalanced tree would degenerate.
static void tree_stays_balanced_for_adverse_orders(void) {
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
    CHECK(tree.nodes.data[tree.root].height <= 5); // height 6 needs 2 * 4^6 = 8192 leaves or more
    CHECK(tree_is_valid(&tree));
    static Found found;
    memset(&found, 0, sizeof found);
    impi_tree_query(&tree, (ImpAabb){{-1e7, -1e7}, {1e7, 1e7}}, 1, count_leaf, &found);
    CHECK(found.count == N);
    for (int32_t i = 0; i < N - 1; ++i) { // remove leaves of one side only
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


static void tree_query_stops_if_the_callback_returns_false(void) {
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


static void a_tree_built_at_once_agrees_with_brute_force(void) {
  enum { N = 4000 };
  static ImpAabb boxes[N];
  static uint64_t category[N];
  static Found found;
  static const int counts[] = {0, 1, 2, 3, 5, 8, 9, 17, 64, 65, 513, 1000, N};
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
      for (int32_t leaf = 0; leaf < count / 2; ++leaf) { // leaves of a tree that impi_tree_build() made can be moved
        impi_tree_move(&tree, leaf, random_box(60));
      }
      CHECK(tree_is_valid(&tree));
    }
  }
  impi_tree_free(&heap, &tree);
  CHECK(heap.bytes == 0);
}


static void many_tiles_are_added_and_removed(void) {
  enum { SIDE = 320, N = SIDE * SIDE };
  static int32_t leaves[N];
  static int gone[N];
  ImpiHeap heap = test_heap();
  ImpiTree tree;
  impi_tree_init(&tree);
  CHECK(impi_tree_reserve(&heap, &tree, N));
  size_t bytes = heap.bytes;
  for (int i = 0; i < N; ++i) {
    ImpVec2 at = {i % SIDE, i / SIDE};
    tree.leaves.data[i] = (ImpiTreeLeaf){.box = {at, {at.x + 1, at.y + 1}}, .category = 1, .user = i};
    leaves[i] = i;
  }
  impi_tree_build(&tree, N);
  for (int round = 0; round < 100000; ++round) {
    // Change tiles anywhere at first, then only in the first five rows.
    int i = random_below(round < 50000 ? N : N / 64);
    gone[i] = !gone[i];
    if (gone[i]) {
      impi_tree_remove(&tree, leaves[i]);
    } else {
      ImpVec2 at = {i % SIDE, i / SIDE};
      leaves[i] = impi_tree_insert(&tree, (ImpAabb){at, {at.x + 1, at.y + 1}}, 1, i);
    }
    if (round % 10000 == 9999) {
      CHECK(tree_is_valid(&tree));
    }
    if (round % 100 == 99) {
      int x = random_below(SIDE - 4), y = random_below(round < 50000 ? SIDE - 4 : 4), there = 0;
      for (int k = 0; k < 16; ++k) {
        there += !gone[(y + k / 4) * SIDE + x + k % 4];
      }
      static Found found;
      found.count = found.stop_after = 0;
      ImpAabb box = {{x + 0.1, y + 0.1}, {x + 3.9, y + 3.9}};
      impi_tree_query(&tree, box, 1, count_tile, &found);
      CHECK(found.count == there);
    }
  }
  CHECK(heap.bytes == bytes);
  impi_tree_free(&heap, &tree);
}


// How often a cast or a search for near boxes visited each box.
typedef struct Ahead {
  int times[1000];
} Ahead;


static double note(int32_t user, double limit, void *context) {
  Ahead *ahead = context;
  ahead->times[user]++;
  return limit;
}


// The tree's nodes hold boxes in floats. A search still visits exactly the leaves that a test in doubles accepts.
static void rays_and_neighbourhoods_agree_with_brute_force(void) {
  enum { N = 1000 };
  static ImpAabb boxes[N];
  static Ahead ahead;
  ImpiHeap heap = test_heap();
  ImpiTree tree;
  impi_tree_init(&tree);
  CHECK(impi_tree_reserve(&heap, &tree, N));
  static const double offsets[] = {0, -3e3, 9e6};
  int met = 0, near = 0;
  for (int o = 0; o < IMPI_COUNT(offsets); ++o) {
    for (int i = 0; i < N; ++i) {
      boxes[i] = shifted(random_box(20), offsets[o], -offsets[o]);
      tree.leaves.data[i] = (ImpiTreeLeaf){.box = boxes[i], .category = (uint64_t)1 << random_below(3), .user = i};
    }
    impi_tree_build(&tree, N);
    for (int round = 0; round < 600; ++round) {
      ImpVec2 from = {offsets[o] + random_in(-25, 25), random_in(-25, 25) - offsets[o]};
      ImpVec2 travel = {random_in(-9, 9), random_in(-9, 9)};
      travel.x *= round % 5 != 0; // some rays are parallel to an axis or have no length
      travel.y *= round % 7 != 0;
      travel.x = round % 11 == 0 ? 1e-25 : travel.x;
      double half = round % 3 == 0 ? random_in(0, 2) : 0, limit = random_in(0, 1);
      uint64_t mask = round % 4 == 0 ? IMPI_TREE_ALL : random_bits() & 7u;
      ImpiTreeCast cast = impi_tree_cast_begin(from, travel, impi_vec(half, half));
      memset(&ahead, 0, sizeof ahead);
      CHECK(impi_tree_cast(&tree, &cast, mask, limit, note, &ahead) == limit);
      for (int i = 0; i < N; ++i) {
        bool taken = (tree.leaves.data[i].category & mask) != 0 || mask == IMPI_TREE_ALL;
        bool expected = taken && impi_tree_cast_enters(&cast, &boxes[i], limit) < IMPI_HUGE;
        CHECK(ahead.times[i] == expected);
        met += expected;
      }
      memset(&ahead, 0, sizeof ahead);
      limit = round % 9 == 0 ? 0 : random_in(0, 4);
      CHECK(impi_tree_near(&tree, from, 1e-9, mask, limit, note, &ahead) == limit);
      for (int i = 0; i < N; ++i) {
        bool taken = (tree.leaves.data[i].category & mask) != 0 || mask == IMPI_TREE_ALL;
        bool expected = taken && impi_tree_distance(&boxes[i], from) <= limit + 1e-9;
        CHECK(ahead.times[i] == expected);
        near += expected;
      }
    }
  }
  CHECK(met > 3000 && near > 3000); // the rays and neighbourhoods reached many boxes
  impi_tree_free(&heap, &tree);
}


int main(void) {
  RUN(tree_keeps_its_invariants_and_agrees_with_brute_force);
  RUN(tree_stays_balanced_for_adverse_orders);
  RUN(tree_query_stops_if_the_callback_returns_false);
  RUN(a_tree_built_at_once_agrees_with_brute_force);
  RUN(many_tiles_are_added_and_removed);
  RUN(rays_and_neighbourhoods_agree_with_brute_force);
  return check_report("tree");
}
