// Build of a tree from all leaves: sorted along a Hilbert curve and cut into equal parts, level by level (Kamel and
// Faloutsos 1993).
#include "geometry/tree_node.h"

// Upper half: position of a leaf along the curve; lower half: index of the leaf.
typedef uint64_t Key;

#define DIGITS 4 // number of 8-bit digits


// Return the position of a cell along the Hilbert curve in a square of 2^16 by 2^16 cells. The highest bits of x and y
// select a quarter of the square. The curve in a quarter is rotated or mirrored. A parallel prefix computes the
// transforms for all bits in four steps (a, b: swap and mirror of the axes; c, d: the resulting quarter).
static uint32_t hilbert(uint32_t x, uint32_t y) {
  uint32_t p = x ^ y, q = 0xffff ^ p, r = 0xffff ^ (x | y), s = x & (y ^ 0xffff);
  uint32_t a = p | q >> 1, b = p >> 1 ^ p;
  uint32_t c = (r >> 1 ^ (q & s >> 1)) ^ r, d = ((p & r >> 1) ^ s >> 1) ^ s;
  for (int shift = 2; shift <= 8; shift *= 2) {
    p = a, q = b, r = c, s = d;
    a = (p & p >> shift) ^ (q & q >> shift);
    b = (p & q >> shift) ^ (q & (p ^ q) >> shift);
    c ^= (p & r >> shift) ^ (q & s >> shift);
    d ^= (q & r >> shift) ^ ((p ^ q) & s >> shift);
  }
  uint32_t even = x ^ y, odd = (d ^ d >> 1) | (0xffff ^ (even | (c ^ c >> 1)));
  uint32_t bits[2] = {even, odd};
  for (int k = 0; k < 2; ++k) { // insert a zero bit between every two bits
    bits[k] = (bits[k] | bits[k] << 8) & 0x00ff00ff;
    bits[k] = (bits[k] | bits[k] << 4) & 0x0f0f0f0f;
    bits[k] = (bits[k] | bits[k] << 2) & 0x33333333;
    bits[k] = (bits[k] | bits[k] << 1) & 0x55555555;
  }
  return bits[1] << 1 | bits[0];
}


// Return twice the centre of a box.
static ImpVec2 middle_of(const ImpAabb *box) {
  return impi_vec(box->lower.x + box->upper.x, box->lower.y + box->upper.y);
}


static void make_keys(const ImpiTreeLeaf *leaves, int count, Key *out_keys) {
  ImpVec2 lower = middle_of(&leaves[0].box), upper = lower;
  for (int i = 1; i < count; ++i) {
    ImpVec2 middle = middle_of(&leaves[i].box);
    lower = impi_vec(impi_min(lower.x, middle.x), impi_min(lower.y, middle.y));
    upper = impi_vec(impi_max(upper.x, middle.x), impi_max(upper.y, middle.y));
  }
  double longer = impi_max(upper.x - lower.x, upper.y - lower.y), scale = longer > 1e-300 ? 65535 / longer : 0;
  for (int i = 0; i < count; ++i) {
    ImpVec2 middle = middle_of(&leaves[i].box);
    uint32_t x = (uint32_t)(int32_t)((middle.x - lower.x) * scale),
             y = (uint32_t)(int32_t)((middle.y - lower.y) * scale);
    out_keys[i] = (Key)hilbert(x & 0xffff, y & 0xffff) << 32 | (uint32_t)i;
  }
}


static uint32_t digit(Key key, int place) { return (uint32_t)(key >> (32 + 8 * place)) & 255; }


// Radix sort from the least significant digit. `scratch` has the length of `keys`. The number of passes is even, so the
// result is in `keys`.
static void sort_keys(Key *keys, Key *scratch, int count) {
  int32_t starts[DIGITS][256] = {{0}};
  for (int i = 0; i < count; ++i) {
    for (int place = 0; place < DIGITS; ++place) {
      starts[place][digit(keys[i], place)]++;
    }
  }
  for (int place = 0; place < DIGITS; ++place) {
    int32_t total = 0;
    for (int i = 0; i < 256; ++i) {
      int32_t here = starts[place][i];
      starts[place][i] = total;
      total += here;
    }
    for (int i = 0; i < count; ++i) {
      scratch[starts[place][digit(keys[i], place)]++] = keys[i];
    }
    Key *swap = keys;
    keys = scratch;
    scratch = swap;
  }
}


static void insertion_sort(Key *keys, int count) {
  for (int i = 1; i < count; ++i) {
    Key key = keys[i];
    int k = i;
    for (; k > 0 && keys[k - 1] > key; --k) {
      keys[k] = keys[k - 1];
    }
    keys[k] = key;
  }
}


// Make the nodes of one level, as few as possible, with nearly equal numbers of children. The children are the leaves
// in the order of `keys`, or, if `keys` is null, the nodes from index `first` on. Returns the number of new nodes.
static int make_level(ImpiTree *tree, const Key *keys, int32_t first, int count, int32_t height) {
  int nodes = (count + IMPI_TREE_WIDTH - 1) / IMPI_TREE_WIDTH;
  for (int i = 0; i < nodes; ++i) {
    int from = (int)((int64_t)count * i / nodes), end = (int)((int64_t)count * (i + 1) / nodes);
    int32_t index = tree->nodes.count++;
    impi_tree_start(&tree->nodes.data[index], height);
    for (int k = from; k < end; ++k) {
      ImpiTreeEntry entry =
          keys != NULL ? impi_tree_leaf_entry(tree, (int32_t)(uint32_t)keys[k]) : impi_tree_sum_up(tree, first + k);
      impi_tree_append(tree, index, &entry);
    }
  }
  return nodes;
}


void impi_tree_build(ImpiTree *tree, int count) {
  IMP_ASSERT(impi_tree_has_room(tree, count));
  tree->leaves.count = tree->leaf_count = count;
  tree->nodes.count = 0;
  tree->root = tree->free_leaf = tree->free_node = -1;
  if (count == 0) {
    return;
  }
  // The keys and scratch keys are at the end of the memory for nodes. Per leaf the memory has 85 bytes; the new nodes
  // take at most 37 bytes, and the two arrays of keys together 16 bytes.
  char *end = (char *)(tree->nodes.data + tree->nodes.capacity);
  Key *scratch = (Key *)(void *)end - count, *keys = scratch - count;
  make_keys(tree->leaves.data, count, keys);
  if (count <= 64) {
    insertion_sort(keys, count);
  } else {
    sort_keys(keys, scratch, count);
  }
  int32_t first = 0, height = 0;
  int nodes = make_level(tree, keys, 0, count, height);
  while (nodes > 1) {
    int below = nodes;
    nodes = make_level(tree, NULL, first, below, ++height);
    first += below;
  }
  tree->root = first;
}
