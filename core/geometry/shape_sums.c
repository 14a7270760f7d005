#include "geometry/shape_sums.h"


static bool is_in(const ImpiShapeSums *sums, int32_t shape) {
  return shape < sums->nodes.count && sums->nodes.data[shape].parent != IMPI_NOT_SUMMED;
}


// The finalizer of splitmix64 (Steele, Lea and Flood, 2014), a bijection.
static uint64_t priority(const ImpiSumNode *node) {
  uint64_t z = node->serial + 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}


ImpiMass impi_mass_join(const ImpiMass *a, const ImpiMass *b) {
  ImpiMass both = {.area = a->area + b->area, .inertia = a->inertia + b->inertia};
  if (both.area > 0) {
    ImpVec2 way = impi_sub(b->center, a->center);
    double part = b->area / both.area;
    both.center = impi_mul_add(a->center, part, way);
    both.inertia += a->area * part * impi_length_sq(way);
  }
  return both;
}


static ImpiShapeSum join(const ImpiShapeSum *a, const ImpiShapeSum *b) {
  return (ImpiShapeSum){.mass = impi_mass_join(&a->mass, &b->mass),
                        .farthest = impi_max(a->farthest, b->farthest),
                        .inner = impi_min(a->inner, b->inner),
                        .count = a->count + b->count};
}


static void add_up(ImpiSumNode *nodes, int32_t at) {
  ImpiSumNode *node = &nodes[at];
  node->all = node->left >= 0 ? join(&nodes[node->left].all, &node->own) : node->own;
  if (node->right >= 0) {
    node->all = join(&node->all, &nodes[node->right].all);
  }
}


static void add_up_from(ImpiSumNode *nodes, int32_t at) {
  for (; at >= 0; at = nodes[at].parent) {
    add_up(nodes, at);
  }
}


// Replace the node `from` by the node `to` as a child or as the root. -1: no node.
static void replace(ImpiShapeSums *sums, int32_t body, int32_t from, int32_t to) {
  ImpiSumNode *nodes = sums->nodes.data;
  int32_t parent = nodes[from].parent;
  *(parent < 0                   ? &sums->roots.data[body]
    : nodes[parent].left == from ? &nodes[parent].left
                                 : &nodes[parent].right) = to;
  if (to >= 0) {
    nodes[to].parent = parent;
  }
}


// Rotate a node above its parent. The caller updates the sums of both nodes.
static void rotate_up(ImpiShapeSums *sums, int32_t body, int32_t at) {
  ImpiSumNode *nodes = sums->nodes.data;
  int32_t parent = nodes[at].parent;
  bool is_left = nodes[parent].left == at;
  int32_t inside = is_left ? nodes[at].right : nodes[at].left;
  replace(sums, body, parent, at);
  *(is_left ? &nodes[parent].left : &nodes[parent].right) = inside;
  *(is_left ? &nodes[at].right : &nodes[at].left) = parent;
  nodes[parent].parent = at;
  if (inside >= 0) {
    nodes[inside].parent = parent;
  }
}


bool impi_sums_reserve(ImpiHeap *heap, ImpiShapeSums *sums, int shapes, int bodies) {
  return impi_reserve(heap, &sums->nodes, shapes) && impi_reserve(heap, &sums->roots, bodies);
}


void impi_sums_free(ImpiHeap *heap, ImpiShapeSums *sums) {
  impi_array_free(heap, &sums->nodes);
  impi_array_free(heap, &sums->roots);
}


static void begin_node(ImpiShapeSums *sums, int32_t body, int32_t shape, uint64_t serial, ImpiShapeSum own) {
  IMP_ASSERT(shape < sums->nodes.capacity && body < sums->roots.capacity && !is_in(sums, shape));
  while (sums->nodes.count <= shape) {
    sums->nodes.data[sums->nodes.count++].parent = IMPI_NOT_SUMMED;
  }
  while (sums->roots.count <= body) {
    sums->roots.data[sums->roots.count++] = -1;
  }
  sums->nodes.data[shape] = (ImpiSumNode){.serial = serial, .parent = -1, .left = -1, .right = -1, .own = own};
}


// `last` and its ancestors, as far as their priority is lower than that of the new node, become the new node's left
// subtree. Their sums are computed here, because no later node is added below them.
void impi_sums_append(ImpiShapeSums *sums, int32_t body, int32_t last, int32_t shape, uint64_t serial,
                      ImpiShapeSum own) {
  begin_node(sums, body, shape, serial, own);
  ImpiSumNode *nodes = sums->nodes.data, *node = &nodes[shape];
  for (; last >= 0 && priority(&nodes[last]) < priority(node); last = nodes[last].parent) {
    add_up(nodes, last);
    node->left = last;
  }
  node->parent = last;
  *(last < 0 ? &sums->roots.data[body] : &nodes[last].right) = shape;
  if (node->left >= 0) {
    nodes[node->left].parent = shape;
  }
}


void impi_sums_finish(ImpiShapeSums *sums, int32_t last) { add_up_from(sums->nodes.data, last); }


void impi_sums_insert(ImpiShapeSums *sums, int32_t body, int32_t shape, uint64_t serial, ImpiShapeSum own) {
  begin_node(sums, body, shape, serial, own);
  ImpiSumNode *nodes = sums->nodes.data, *node = &nodes[shape];
  int32_t *link = &sums->roots.data[body];
  while (*link >= 0) {
    node->parent = *link;
    link = serial < nodes[*link].serial ? &nodes[*link].left : &nodes[*link].right;
  }
  *link = shape;
  while (node->parent >= 0 && priority(&nodes[node->parent]) < priority(node)) {
    int32_t below = node->parent;
    rotate_up(sums, body, shape);
    add_up(nodes, below);
  }
  add_up_from(nodes, shape);
}


void impi_sums_remove(ImpiShapeSums *sums, int32_t body, int32_t shape) {
  if (!is_in(sums, shape)) {
    return;
  }
  ImpiSumNode *nodes = sums->nodes.data, *node = &nodes[shape];
  while (node->left >= 0 && node->right >= 0) {
    rotate_up(sums, body, priority(&nodes[node->left]) > priority(&nodes[node->right]) ? node->left : node->right);
  }
  replace(sums, body, shape, node->left >= 0 ? node->left : node->right);
  add_up_from(nodes, node->parent);
  node->parent = IMPI_NOT_SUMMED;
}


void impi_sums_change(ImpiShapeSums *sums, int32_t shape, ImpiShapeSum own) {
  if (is_in(sums, shape)) {
    sums->nodes.data[shape].own = own;
    add_up_from(sums->nodes.data, shape);
  }
}


void impi_sums_drop(ImpiShapeSums *sums, int32_t body) {
  while (impi_sums_of(sums, body) != NULL) {
    impi_sums_remove(sums, body, sums->roots.data[body]);
  }
}
