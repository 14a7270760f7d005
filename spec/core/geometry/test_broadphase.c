// The broad phase against brute force: pairs, filters, the pair map, out of memory.
#include <stddef.h>
#include <string.h>

#include "base/constants.h"
#include "boxes.h"
#include "check.h"
#include "geometry/broadphase.h"

static const ImpiTeam alone = {.threads = 1};
static const ImpiFilter ordinary = {.category = 1, .mask = UINT64_MAX};


// Return a filter: mostly the default, some with categories, masks and groups.
static ImpiFilter random_filter(void) {
  ImpiFilter filter = ordinary;
  if (random_below(3) == 0) {
    filter.category = random_bits() & 15u; // sometimes 0
    filter.mask = random_below(2) == 0 ? UINT64_MAX : random_bits() & 15u;
    filter.group = random_below(7) - 3;
  }
  return filter;
}


// All proxies of a body are of one kind.
static ImpiProxyKind kind_of(int32_t body) {
  return body % 5 == 0 ? IMPI_PROXY_STATIC : body % 5 == 1 ? IMPI_PROXY_KINEMATIC : IMPI_PROXY_DYNAMIC;
}


static bool trees_are_valid(const ImpiBroadphase *bp) {
  bool valid = true;
  for (int kind = 0; kind < IMPI_PROXY_KINDS; ++kind) {
    valid = valid && tree_is_valid(&bp->trees[kind]);
  }
  return valid;
}


enum { MAX_PAIRS = 400000 };

// A broad phase and all pairs that it has reported. In a world, contacts store these pairs.
typedef struct Owner {
  ImpiHeap heap;
  ImpiBroadphase bp;
  ImpiPair pairs[MAX_PAIRS];
  int count;
} Owner;

static Owner owner;
static ImpiTeam team; // the team's size changes at every update
static int updates;


static void move(ImpiBroadphase *bp, int32_t proxy, ImpAabb needed) {
  if (impi_broadphase_move_alone(bp, proxy, needed)) {
    impi_broadphase_mark_left(bp, proxy);
  }
}


// Return whether two proxies should form a pair. Written from the header's description, independently of the core.
static bool expected_to_meet(const ImpiProxy *a, const ImpiProxy *b) {
  if (a->body == b->body || (a->kind == IMPI_PROXY_STATIC && b->kind == IMPI_PROXY_STATIC) ||
      !impi_aabb_overlaps(a->fat, b->fat)) {
    return false;
  }
  if (a->filter.group == b->filter.group && a->filter.group != 0) {
    return a->filter.group > 0;
  }
  return (a->filter.category & b->filter.mask) && (b->filter.category & a->filter.mask);
}


// Remove pairs that should no longer exist or whose proxy is `gone`.
static void owner_drop(Owner *o, int32_t gone) {
  int kept = 0;
  for (int i = 0; i < o->count; ++i) {
    ImpiPair pair = o->pairs[i];
    bool keep = gone < 0 ? expected_to_meet(&o->bp.proxies.data[pair.proxy_a], &o->bp.proxies.data[pair.proxy_b])
                         : pair.proxy_a != gone && pair.proxy_b != gone;
    if (keep) {
      o->pairs[kept++] = pair;
    } else {
      impi_pair_map_remove(&o->bp.contacts, pair.proxy_a, pair.proxy_b);
    }
  }
  o->count = kept;
}


static bool owner_update(Owner *o) {
  impi_team_begin(&team, 1 + updates++ % 3);
  bool searched = impi_broadphase_pairs(&o->heap, &o->bp, &team);
  impi_team_end(&team);
  CHECK(searched || o->bp.pairs.count == 0);
  if (!searched) return false;
  CHECK(o->bp.moved.count == 0);
  int found = o->bp.pairs.count;
  if (!impi_pair_map_reserve(&o->heap, &o->bp.contacts, o->bp.contacts.count + found)) {
    // Out of memory: the pairs are not added to the contacts. Make the next update find them again.
    for (int i = 0; i < found; ++i) impi_broadphase_touch(&o->bp, o->bp.pairs.data[i].proxy_a);
    return false;
  }
  for (int i = 0; i < found; ++i) {
    ImpiPair pair = o->bp.pairs.data[i], before = i > 0 ? o->bp.pairs.data[i - 1] : (ImpiPair){-1, -1};
    CHECK(pair.proxy_a < pair.proxy_b);
    CHECK(before.proxy_a < pair.proxy_a || (before.proxy_a == pair.proxy_a && before.proxy_b < pair.proxy_b));
    CHECK(impi_pair_map_find(&o->bp.contacts, pair.proxy_b, pair.proxy_a) == -1);
    impi_pair_map_insert(&o->bp.contacts, pair.proxy_a, pair.proxy_b, i);
    o->pairs[o->count++] = pair;
  }
  owner_drop(o, -1);
  return true;
}


// Return whether the owner's pairs are exactly the pairs that a search of all against all finds.
static bool same_as_brute_force(const Owner *o) {
  const ImpiProxy *proxies = o->bp.proxies.data;
  int expected = 0;
  for (int32_t a = 0; a < o->bp.proxies.count; ++a) {
    for (int32_t b = a + 1; proxies[a].kind != IMPI_PROXY_FREE && b < o->bp.proxies.count; ++b) {
      if (impi_aabb_overlaps(proxies[a].fat, proxies[b].fat) && proxies[b].kind != IMPI_PROXY_FREE &&
          expected_to_meet(&proxies[a], &proxies[b])) {
        expected++;
        if (impi_pair_map_find(&o->bp.contacts, a, b) < 0) {
          return false;
        }
      }
    }
  }
  return expected == o->count && expected == o->bp.contacts.count;
}


static void owner_start(Owner *o) {
  o->heap = test_heap();
  o->count = 0;
  impi_broadphase_init(&o->bp);
}


static void owner_end(Owner *o) {
  allocations_left = -1;
  impi_broadphase_free(&o->heap, &o->bp);
  CHECK(o->heap.bytes == 0);
}


static void pairs_of_5000_boxes_are_those_of_brute_force(void) {
  enum { N = 5000, BODIES = 4000 };
  static ImpAabb tight[N];
  Owner *o = &owner;
  owner_start(o);
  int left = 0, stayed = 0;
  for (int i = 0; i < N; ++i) {
    tight[i] = random_box(40);
    int32_t body = random_below(BODIES);
    CHECK(impi_broadphase_add(&o->heap, &o->bp, tight[i], random_filter(), body, i, 0, kind_of(body)) == i);
  }
  for (int update = 0; update < 50; ++update) {
    CHECK(owner_update(o));
    if (update % 7 == 0 || update == 49) {
      CHECK(same_as_brute_force(o));
      CHECK(trees_are_valid(&o->bp));
    }
    for (int32_t i = 0; i < N; ++i) {
      ImpiProxy *proxy = &o->bp.proxies.data[i];
      if (proxy->kind != IMPI_PROXY_STATIC || random_below(50) == 0) {
        double reach = random_below(100) == 0 ? 40 : 0.06;
        tight[i] = shifted(tight[i], random_in(-reach, reach), random_in(-reach, reach));
        int moved = o->bp.moved.count;
        move(&o->bp, i, tight[i]);
        CHECK(impi_aabb_contains(proxy->fat, tight[i]));
        left += o->bp.moved.count > moved;
        stayed += o->bp.moved.count == moved;
      }
    }
    for (int k = 0; k < 40; ++k) {
      int32_t i = random_below(N);
      ImpiProxy *proxy = &o->bp.proxies.data[i];
      if (k % 2 == 0) {
        proxy->filter = random_filter();
        impi_broadphase_touch(&o->bp, i);
      } else {
        impi_broadphase_remove(&o->bp, i);
        owner_drop(o, i);
        tight[i] = random_box(40);
        int32_t body = random_below(BODIES);
        CHECK(impi_broadphase_add(&o->heap, &o->bp, tight[i], random_filter(), body, i, 0, kind_of(body)) == i);
      }
    }
  }
  // Many pairs, many moves out of the fat box, and many moves within the fat box.
  CHECK(o->count > 5000 && left > 10000 && stayed > 10000);
  owner_end(o);
}


static ImpiPair only_pair(Owner *o) {
  CHECK(impi_broadphase_pairs(&o->heap, &o->bp, &alone));
  return o->bp.pairs.count == 1 ? o->bp.pairs.data[0] : (ImpiPair){-1, -1};
}


static void filters_decide_which_proxies_pair(void) {
  static const struct {
    ImpiFilter a, b;
    int32_t body_b; // body of proxy b; proxy a belongs to body 0
    bool moving_a, moving_b, meets;
  } cases[] = {
      {{1, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, 1, true, true, true},
      {{1, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, 1, true, false, true},
      {{1, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, 1, false, false, false},
      {{1, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, 0, true, true, false}, // both proxies belong to body 0
      {{1, 2, 0}, {2, 1, 0}, 1, true, true, true},
      {{1, 2, 0}, {2, 4, 0}, 1, true, true, false}, // only one of the two masks contains the other category
      {{1, 2, 0}, {4, 1, 0}, 1, true, true, false},
      {{0, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, 1, true, true, false}, // category 0 matches no mask
      // A common negative group: the proxies never form a pair.
      {{1, UINT64_MAX, -3}, {1, UINT64_MAX, -3}, 1, true, true, false},
      // A common positive group: the proxies always form a pair.
      {{1, 0, 3}, {1, 0, 3}, 1, true, true, true},
      {{0, 0, 3}, {0, 0, 3}, 1, true, true, true},
      {{1, 0, 3}, {1, 0, 4}, 1, true, true, false}, // different groups: the masks decide
      {{1, UINT64_MAX, -3}, {1, UINT64_MAX, -4}, 1, true, true, true},
      {{(uint64_t)1 << 63, UINT64_MAX, 0}, {1, (uint64_t)1 << 63, 0}, 1, true, true, true},
  };
  ImpAabb box = {{0, 0}, {1, 1}};
  for (int i = 0; i < IMPI_COUNT(cases); ++i) {
    for (int first = 0; first < 2; ++first) { // index of the proxy that is marked as moved
      Owner *o = &owner;
      owner_start(o);
      impi_broadphase_add(&o->heap, &o->bp, box, cases[i].a, 0, 0, 0,
                          cases[i].moving_a ? IMPI_PROXY_DYNAMIC : IMPI_PROXY_STATIC);
      impi_broadphase_add(&o->heap, &o->bp, box, cases[i].b, cases[i].body_b, 1, 0,
                          cases[i].moving_b ? IMPI_PROXY_DYNAMIC : IMPI_PROXY_STATIC);
      CHECK((only_pair(o).proxy_a == 0) == cases[i].meets);
      CHECK(only_pair(o).proxy_a == -1);
      impi_broadphase_touch(&o->bp, first);
      CHECK((only_pair(o).proxy_b == 1) == cases[i].meets);
      owner_end(o);
    }
  }
}


static void a_touched_proxy_uses_its_new_filter(void) {
  Owner *o = &owner;
  owner_start(o);
  ImpAabb box = {{0, 0}, {1, 1}};
  impi_broadphase_add(&o->heap, &o->bp, box, (ImpiFilter){1, 2, 0}, 0, 0, 0, IMPI_PROXY_DYNAMIC);
  impi_broadphase_add(&o->heap, &o->bp, box, (ImpiFilter){4, 1, 0}, 1, 1, 0, IMPI_PROXY_DYNAMIC);
  CHECK(only_pair(o).proxy_a == -1);
  o->bp.proxies.data[1].filter.category = 2;
  impi_broadphase_touch(&o->bp, 1);
  impi_broadphase_touch(&o->bp, 0); // proxy 0 finds the pair if the tree has the new category of proxy 1
  CHECK(only_pair(o).proxy_a == 0);
  owner_end(o);
}


static void a_moved_static_proxy_pairs_with_resting_ones(void) {
  Owner *o = &owner;
  owner_start(o);
  ImpAabb box = {{0, 0}, {1, 1}};
  impi_broadphase_add(&o->heap, &o->bp, box, ordinary, 0, 0, 0, IMPI_PROXY_DYNAMIC);
  impi_broadphase_add(&o->heap, &o->bp, shifted(box, 10, 0), ordinary, 1, 1, 0, IMPI_PROXY_STATIC);
  impi_broadphase_add(&o->heap, &o->bp, shifted(box, 0.5, 0), ordinary, 2, 2, 0, IMPI_PROXY_STATIC);
  CHECK(only_pair(o).proxy_b == 2);
  CHECK(impi_pair_map_reserve(&o->heap, &o->bp.contacts, 1));
  impi_pair_map_insert(&o->bp.contacts, 2, 0, 7);
  // The static proxy 1 moves onto the dynamic proxy 0 and the static proxy 2.
  move(&o->bp, 1, shifted(box, 0.2, 0));
  ImpiPair pair = only_pair(o);
  CHECK(pair.proxy_a == 0 && pair.proxy_b == 1);
  // Proxies overlap if their gap is less than the dynamic proxy's margin.
  CHECK(same_box(o->bp.proxies.data[1].fat, shifted(box, 0.2, 0)));
  CHECK(same_box(o->bp.proxies.data[0].fat, impi_aabb_grow(box, IMPI_FAT_MARGIN)));
  move(&o->bp, 1, shifted(box, 1 + 0.9 * IMPI_FAT_MARGIN, 0));
  CHECK(only_pair(o).proxy_b == 1);
  move(&o->bp, 1, shifted(box, 1 + 1.1 * IMPI_FAT_MARGIN, 0));
  CHECK(only_pair(o).proxy_a == -1);
  owner_end(o);
}


static void a_removed_proxy_has_no_pairs(void) {
  Owner *o = &owner;
  owner_start(o);
  ImpAabb box = {{0, 0}, {1, 1}};
  for (int i = 0; i < 4; ++i) {
    CHECK(impi_broadphase_add(&o->heap, &o->bp, box, ordinary, i, i, 0, IMPI_PROXY_DYNAMIC) == i);
  }
  impi_broadphase_remove(&o->bp, 0);
  impi_broadphase_remove(&o->bp, 2);
  CHECK(o->bp.moved.count == 2 && o->bp.proxies.data[2].kind == IMPI_PROXY_FREE);
  ImpiPair pair = only_pair(o);
  CHECK(pair.proxy_a == 1 && pair.proxy_b == 3);
  CHECK(impi_broadphase_add(&o->heap, &o->bp, box, ordinary, 9, 9, 0, IMPI_PROXY_STATIC) == 2);
  CHECK(o->bp.moved.count == 1 && o->bp.proxies.count == 4 && o->bp.proxy_count == 3);
  CHECK(impi_broadphase_pairs(&o->heap, &o->bp, &alone) && o->bp.pairs.count == 2);
  owner_end(o);
}


static void pairs_do_not_depend_on_the_history_of_the_tree(void) {
  enum { N = 800 };
  static ImpAabb boxes[N];
  static ImpiPair first[40000];
  Owner *o = &owner;
  int first_count = 0;
  for (int i = 0; i < N; ++i) {
    boxes[i] = random_box(15);
  }
  for (int history = 0; history < 3; ++history) {
    owner_start(o);
    for (int i = 0; i < N; ++i) {
      ImpAabb start = history == 0 ? boxes[i] : random_box(200);
      impi_broadphase_add(&o->heap, &o->bp, start, ordinary, i, i, 0,
                          i % 3 != 0 ? IMPI_PROXY_DYNAMIC : IMPI_PROXY_STATIC);
    }
    for (int i = 0; i < N; ++i) {
      int k = history == 1 ? i : N - 1 - i;
      move(&o->bp, k, boxes[k]);
    }
    CHECK(impi_broadphase_pairs(&o->heap, &o->bp, &alone));
    if (history == 0) {
      first_count = o->bp.pairs.count;
      CHECK(first_count > 1000 && first_count <= IMPI_COUNT(first));
      memcpy(first, o->bp.pairs.data, (size_t)first_count * sizeof first[0]);
    }
    CHECK(o->bp.pairs.count == first_count);
    CHECK(memcmp(first, o->bp.pairs.data, (size_t)first_count * sizeof first[0]) == 0);
    owner_end(o);
  }
}


// Random operations, with boxes of 2^low to 2^high m.
typedef struct Life {
  int count, operations, updates; // updates: number of operations between two updates
  double world, far;
  int low, high;
  double reach; // largest distance that a box moves at once, in units of its size
} Life;

static ImpAabb life_box(const Life *life) {
  double w = ldexp(random_in(0.5, 1), life->low + random_below(life->high - life->low + 1)), h = w * random_in(0, 1);
  double x = life->far + random_in(-life->world, life->world), y = random_in(-life->world, life->world) - life->far;
  return (ImpAabb){{x, y}, {x + w, y + h}};
}


// Check that the trees contain every box after an update for queries.
static void trees_know_all_boxes(ImpiBroadphase *bp) {
  impi_broadphase_follow(bp, true);
  CHECK(trees_are_valid(bp));
  for (int32_t i = 0; i < bp->proxies.count; ++i) {
    const ImpiProxy *proxy = &bp->proxies.data[i];
    if (proxy->kind != IMPI_PROXY_FREE) {
      const ImpiTreeLeaf *leaf = &bp->trees[proxy->kind].leaves.data[proxy->leaf];
      CHECK(leaf->user == i && leaf->category == proxy->filter.category);
      CHECK(same_box(leaf->box, proxy->fat));
    }
  }
  int leaves = bp->trees[0].leaf_count + bp->trees[1].leaf_count + bp->trees[2].leaf_count;
  CHECK(leaves == bp->proxy_count && bp->late[0].count == 0 && bp->late[1].count == 0);
}


// Restore the current boxes. `inherit`: reuse the trees of an old broad phase.
static void restore(Owner *o, bool inherit) {
  ImpiBroadphase old = o->bp, *bp = &o->bp;
  bp->proxies.data = NULL;
  bp->proxies.capacity = bp->pairs.count = bp->pairs.capacity = 0;
  CHECK(impi_reserve(&o->heap, &bp->proxies, bp->proxies.count));
  memcpy(bp->proxies.data, old.proxies.data, (size_t)bp->proxies.count * sizeof *bp->proxies.data);
  memset(&bp->pairs, 0, sizeof *bp - offsetof(ImpiBroadphase, pairs));
  CHECK(impi_broadphase_restore(&o->heap, bp));
  for (int k = 0; k < 20; ++k) { // change some boxes and categories in the old trees
    int32_t i = random_below(old.proxies.count);
    ImpiProxy *proxy = &old.proxies.data[i];
    proxy->fat = shifted(proxy->fat, 1, 1);
    if (proxy->kind != IMPI_PROXY_FREE && proxy->leaf >= 0 && k % 2 == 0) {
      impi_tree_set_category(&old.trees[proxy->kind], proxy->leaf, 1);
      impi_tree_move(&old.trees[proxy->kind], proxy->leaf, proxy->fat);
    }
  }
  if (inherit) {
    impi_broadphase_inherit(bp, &old);
  }
  memset(&old.contacts, 0, sizeof old.contacts);
  memset(&old.moved, 0, sizeof old.moved);
  impi_broadphase_free(&o->heap, &old);
}


static void live(const Life *life) {
  enum { MOST = 3000 };
  static ImpAabb tight[MOST];
  Owner *o = &owner;
  owner_start(o);
  for (int i = 0; i < life->count; ++i) {
    tight[i] = life_box(life);
    int32_t body = random_below(life->count);
    CHECK(impi_broadphase_add(&o->heap, &o->bp, tight[i], random_filter(), body, i, 0, kind_of(body)) == i);
  }
  for (int operation = 0; operation < life->operations; ++operation) {
    int32_t i = random_below(life->count);
    ImpiProxy *proxy = &o->bp.proxies.data[i];
    int what = random_below(1000);
    if (what < 50) {
      proxy->filter = random_filter();
      impi_broadphase_touch(&o->bp, i);
    } else if (what < 100) { // remove the proxy and add it again, with the same or another kind
      impi_broadphase_remove(&o->bp, i);
      owner_drop(o, i);
      int32_t body = random_below(life->count);
      tight[i] = random_below(2) == 0 ? tight[i] : life_box(life);
      CHECK(impi_broadphase_add(&o->heap, &o->bp, tight[i], random_filter(), body, i, 0, kind_of(body)) == i);
    } else if (what < 102) { // rebuild the broad phase as after the restore of a snapshot
      restore(o, what == 101);
    } else if (what < 110) {
      impi_broadphase_follow(&o->bp, what % 2 == 0);
    } else {
      double w = tight[i].upper.x - tight[i].lower.x, reach = life->reach * w;
      ImpVec2 way = {random_in(-reach, reach), random_in(-reach, reach)};
      tight[i] = what < 115 ? life_box(life) : shifted(tight[i], way.x, way.y);
      move(&o->bp, i, tight[i]);
    }
    if (operation % life->updates == 0 || operation + 1 == life->operations) {
      CHECK(owner_update(o) && same_as_brute_force(o));
    }
  }
  trees_know_all_boxes(&o->bp);
  owner_end(o);
}


// Few or many proxies move, so that each search method is used.
static void random_changes_give_the_pairs_of_brute_force(void) {
  static const Life lives[] = {
      {300, 20000, 50, 10, 0, -2, 0, 0.5},      {300, 10000, 3, 10, 0, -2, 0, 2},
      {300, 20000, 100, 20, 1e6, -10, 3, 1},    {300, 10000, 40, 2e3, 0, -10, 10, 1},
      {300, 10000, 500, 1e6, 0, 8, 18, 3},      {300, 10000, 70, 15, 1e7, -3, 1, 30},
      {2000, 10000, 900, 40, -1e5, -1, 0, 0.5}, {2000, 5000, 20, 60, 0, -2, 1, 0.5},
      {2500, 10000, 1500, 300, 0, -10, 9, 0.3}, {1, 100, 1, 1, 0, 0, 0, 1},
  };
  for (int i = 0; i < IMPI_COUNT(lives); ++i) {
    live(&lives[i]);
  }
}


static void static_trees_are_rebuilt_after_a_restore_without_motion(void) {
  enum { N = 100 };
  Owner *o = &owner;
  owner_start(o);
  for (int i = 0; i < N; ++i) {
    impi_broadphase_add(&o->heap, &o->bp, random_box(20), ordinary, i, i, 0, kind_of(i));
  }
  CHECK(owner_update(o));
  restore(o, false);
  CHECK(o->bp.moved.count == 0 && o->bp.trees[IMPI_PROXY_STATIC].leaf_count == 0);
  CHECK(owner_update(o));
  CHECK(o->bp.trees[IMPI_PROXY_STATIC].leaf_count == N / 5 && o->bp.trees[IMPI_PROXY_KINEMATIC].leaf_count == N / 5);
  owner_end(o);
}


static void excluded_layers_are_not_searched(void) {
  enum { N = 400 };
  Owner *o = &owner;
  owner_start(o);
  ImpAabb box = {{0, 0}, {1, 1}};
  for (int i = 0; i < N; ++i) {
    impi_broadphase_add(&o->heap, &o->bp, box, (ImpiFilter){2, ~(uint64_t)2, 0}, i, i, 0, IMPI_PROXY_DYNAMIC);
  }
  CHECK(impi_broadphase_pairs(&o->heap, &o->bp, &alone) && o->bp.pairs.count == 0 && o->bp.grid.starts.capacity == 0);
  CHECK(o->bp.trees[IMPI_PROXY_DYNAMIC].leaf_count == 0);
  // Proxy 7 forms N - 1 pairs while its category differs, then none. Proxies 20 and 30 pair by their positive group.
  o->bp.proxies.data[7].filter = (ImpiFilter){1, UINT64_MAX, 0};
  impi_broadphase_touch(&o->bp, 7);
  CHECK(impi_broadphase_pairs(&o->heap, &o->bp, &alone) && o->bp.pairs.count == N - 1);
  o->bp.proxies.data[7].filter = o->bp.proxies.data[8].filter;
  impi_broadphase_touch(&o->bp, 7);
  CHECK(only_pair(o).proxy_a == -1);
  o->bp.proxies.data[20].filter.group = o->bp.proxies.data[30].filter.group = 5;
  impi_broadphase_touch(&o->bp, 20);
  impi_broadphase_touch(&o->bp, 30);
  CHECK(only_pair(o).proxy_b == 30);
  owner_end(o);
}


// ---------------------------------------------------------------------------------------------------------------------
// Pair map, out of memory
// ---------------------------------------------------------------------------------------------------------------------

static void pair_map_agrees_with_a_table(void) {
  enum { N = 200, OPERATIONS = 1000000 };
  static int32_t table[N][N]; // value + 1; 0: absent
  static const int32_t offsets[] = {0, INT32_MAX - N};
  ImpiHeap heap = test_heap();
  for (int part = 0; part < IMPI_COUNT(offsets); ++part) {
    ImpiPairMap map = {0};
    int count = 0;
    memset(table, 0, sizeof table);
    CHECK(impi_pair_map_find(&map, 1, 2) == -1);
    impi_pair_map_remove(&map, 1, 2);
    for (int i = 0; i < OPERATIONS / IMPI_COUNT(offsets); ++i) {
      int32_t a = random_below(N), b = random_below(N - 1);
      b += b >= a;
      int32_t *expected = a < b ? &table[a][b] : &table[b][a];
      int32_t key_a = a + offsets[part], key_b = b + offsets[part];
      CHECK(impi_pair_map_find(&map, key_a, key_b) == *expected - 1);
      // The map grows and shrinks in turn.
      if (random_below(100) < (i / 50000 % 2 == 0 ? 70 : 30)) {
        CHECK(impi_pair_map_reserve(&heap, &map, map.count + 1));
        impi_pair_map_insert(&map, key_b, key_a, i);
        count += *expected == 0;
        *expected = i + 1;
      } else {
        impi_pair_map_remove(&map, key_a, key_b);
        count -= *expected != 0;
        *expected = 0;
      }
      CHECK(map.count == count);
    }
    for (int32_t a = 0; a < N; ++a) {
      for (int32_t b = a + 1; b < N; ++b) {
        CHECK(impi_pair_map_find(&map, a + offsets[part], b + offsets[part]) == table[a][b] - 1);
      }
    }
    impi_pair_map_free(&heap, &map);
  }
  CHECK(heap.bytes == 0);
}


// Every allocation of a run fails once; the failed call is repeated, and the pairs are correct.
static void running_out_of_memory_leaves_a_valid_broad_phase(void) {
  enum { N = 150 };
  bool failed = true;
  int runs = 0;
  for (; failed && runs < 1000; ++runs) {
    Owner *o = &owner;
    owner_start(o);
    failed = false;
    allocations_left = runs;
    for (int i = 0; i < N; ++i) {
      ImpAabb box = random_box(5);
      int32_t index = impi_broadphase_add(&o->heap, &o->bp, box, ordinary, i, i, 0,
                                          i % 3 != 0 ? IMPI_PROXY_DYNAMIC : IMPI_PROXY_STATIC);
      if (index < 0) {
        failed = true;
        CHECK(o->bp.proxy_count == i && trees_are_valid(&o->bp));
        allocations_left = -1;
        index = impi_broadphase_add(&o->heap, &o->bp, box, ordinary, i, i, 0,
                                    i % 3 != 0 ? IMPI_PROXY_DYNAMIC : IMPI_PROXY_STATIC);
      }
      CHECK(index == i);
      if (i % 50 == 49) {
        bool updated = owner_update(o);
        if (!updated) {
          failed = true;
          CHECK(o->bp.moved.count > 0);
          allocations_left = -1;
          updated = owner_update(o);
        }
        CHECK(updated && same_as_brute_force(o));
      }
    }
    owner_end(o);
  }
  CHECK(runs > 10 && !failed);
  // Reserved capacity is usable when allocations fail.
  Owner *o = &owner;
  owner_start(o);
  CHECK(impi_broadphase_reserve(&o->heap, &o->bp, N, IMPI_PROXY_DYNAMIC));
  allocations_left = 0;
  for (int i = 0; i < N; ++i) {
    CHECK(impi_broadphase_add(&o->heap, &o->bp, random_box(5), ordinary, i, i, 0, IMPI_PROXY_DYNAMIC) == i);
  }
  CHECK(!impi_broadphase_pairs(&o->heap, &o->bp, &alone) && o->bp.moved.count == N);
  CHECK(!impi_broadphase_reserve(&o->heap, &o->bp, INT32_MAX, IMPI_PROXY_DYNAMIC));
  CHECK(!impi_pair_map_reserve(&o->heap, &o->bp.contacts, INT32_MAX));
  owner_end(o);
}


int main(void) {
  RUN(pairs_of_5000_boxes_are_those_of_brute_force);
  RUN(filters_decide_which_proxies_pair);
  RUN(a_touched_proxy_uses_its_new_filter);
  RUN(a_moved_static_proxy_pairs_with_resting_ones);
  RUN(a_removed_proxy_has_no_pairs);
  RUN(pairs_do_not_depend_on_the_history_of_the_tree);
  RUN(random_changes_give_the_pairs_of_brute_force);
  RUN(static_trees_are_rebuilt_after_a_restore_without_motion);
  RUN(excluded_layers_are_not_searched);
  RUN(pair_map_agrees_with_a_table);
  RUN(running_out_of_memory_leaves_a_valid_broad_phase);
  impi_team_leave(&team);
  return check_report("broadphase");
}
