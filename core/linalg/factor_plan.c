// The plan of a sparse factor: the order in which blocks are eliminated, and the non-zero numbers of L.
//
// Eliminating a block couples all blocks that it is coupled to. A set of mutually coupled blocks is an "element"; the
// cliques of the matrix are elements. The graph is stored as elements with the lists of their blocks (the quotient
// graph). Eliminating a block merges the elements that contain it. The blocks of the new element, without the
// eliminated block, are the blocks of a panel of L.
//
// Minimum degree: the next block is the block to which the fewest rows are coupled; among equals, the block with the
// lowest number. E is the element made by the latest elimination. A row in two elements of a block v is counted twice,
// unless it is in E:
//   degree(v) <= rows(E) - rows(v) + sum over v's other elements F of rows(F \ E)
// All rows(F \ E) come from one pass over E. On chains and trees the degree is exact, because two elements share at
// most one block.
// source: George and Liu, "The Evolution of the Minimum Degree Ordering Algorithm" (1989); the degree: Amestoy, Davis
// and Duff, "An Approximate Minimum Degree Ordering Algorithm" (1996)
#include "linalg/factor.h"


// ---------------------------------------------------------------------------------------------------------------------
// The next block
// ---------------------------------------------------------------------------------------------------------------------


// Return the block of lower degree. If the degrees are equal, return `a`, the block with the lower index.
static int32_t winner(const ImpiFactorNode *nodes, int32_t a, int32_t b) {
  if (a < 0 || b < 0) {
    return a < 0 ? b : a;
  }
  return nodes[b].degree < nodes[a].degree ? b : a;
}


static void play(ImpiFactorOrder *order, int32_t match) {
  int32_t *winners = order->winners.data;
  winners[match] = winner(order->nodes.data, winners[2 * match], winners[2 * match + 1]);
}


// Update the tree `winners` above a block. `entry`: the block if its degree has changed, -1 if it is removed.
static void play_again(ImpiFactorOrder *order, int32_t block, int32_t entry) {
  int32_t at = order->winners.count / 2 + block;
  order->winners.data[at] = entry;
  while (at > 1) {
    at /= 2;
    play(order, at);
  }
}


static void play_all(ImpiFactorOrder *order, int blocks) {
  int leaves = order->winners.count / 2;
  for (int i = 0; i < leaves; ++i) {
    order->winners.data[leaves + i] = i < blocks ? i : -1;
  }
  for (int at = leaves - 1; at > 0; --at) {
    play(order, at);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Elements
// ---------------------------------------------------------------------------------------------------------------------


static bool reserve_order(ImpiHeap *heap, ImpiFactorOrder *order, int blocks, int cliques, int members) {
  int leaves = 1;
  while (leaves < blocks) {
    leaves *= 2;
  }
  order->winners.count = 2 * leaves;
  return impi_reserve(heap, &order->nodes, blocks) && impi_reserve(heap, &order->elements, cliques + blocks) &&
         impi_reserve(heap, &order->lists, members) && impi_reserve(heap, &order->held, members) &&
         impi_reserve(heap, &order->winners, 2 * leaves);
}


// Make an element of each clique, without blocks of 0 rows. A block that a clique lists twice is added once.
static void begin(ImpiFactorOrder *order, int blocks, const int32_t *rows, int cliques, const int32_t *first,
                  const int32_t *members) {
  ImpiFactorNode *nodes = order->nodes.data;
  for (int i = 0; i < blocks; ++i) {
    nodes[i] = (ImpiFactorNode){.rows = rows[i], .stamp = -1};
  }
  for (int m = first[0]; m < first[cliques]; ++m) {
    ++nodes[members[m]].count;
  }
  for (int i = 0, sum = 0; i < blocks; ++i) {
    nodes[i].first = sum;
    sum += nodes[i].count;
    nodes[i].count = 0;
  }
  order->lists.count = 0;
  for (int k = 0; k < cliques; ++k) {
    ImpiFactorElement element = {.first = order->lists.count, .stamp = -1};
    for (int m = first[k]; m < first[k + 1]; ++m) {
      ImpiFactorNode *node = &nodes[members[m]];
      if (node->rows > 0 && node->stamp != k) {
        node->stamp = k;
        order->held.data[node->first + node->count++] = k;
        order->lists.data[order->lists.count++] = members[m];
        element.rows += node->rows;
      }
    }
    element.end = order->lists.count;
    order->elements.data[k] = element;
  }
  for (int i = 0; i < blocks; ++i) {
    for (int h = nodes[i].first; h < nodes[i].first + nodes[i].count; ++h) {
      nodes[i].degree += order->elements.data[order->held.data[h]].rows - nodes[i].rows;
    }
  }
}


// Merge all elements that contain a block into the new element `made`. The new element does not contain the block.
static bool merge(ImpiHeap *heap, ImpiFactorOrder *order, int32_t block, int32_t made) {
  ImpiFactorNode *nodes = order->nodes.data, *node = &nodes[block];
  ImpiFactorElement element = {.first = order->lists.count, .stamp = -1};
  const int32_t *held = order->held.data + node->first;
  int most = order->lists.count;
  for (int h = 0; h < node->count; ++h) {
    most += order->elements.data[held[h]].end - order->elements.data[held[h]].first;
  }
  if (!impi_reserve(heap, &order->lists, most)) {
    return false;
  }
  node->stamp = made;
  for (int h = 0; h < node->count; ++h) {
    ImpiFactorElement *old = &order->elements.data[held[h]];
    for (int m = old->first; m < old->end; ++m) {
      ImpiFactorNode *other = &nodes[order->lists.data[m]];
      if (other->stamp != made) {
        other->stamp = made;
        element.rows += other->rows;
        order->lists.data[order->lists.count++] = order->lists.data[m];
      }
    }
    old->merged = true;
  }
  element.end = order->lists.count;
  order->elements.data[made] = element;
  return true;
}


// Add a new element to the lists of its blocks, and compute the new degrees of the blocks.
static void update_degrees(ImpiFactorOrder *order, int32_t made) {
  ImpiFactorElement *elements = order->elements.data, *element = &elements[made];
  for (int m = element->first; m < element->end; ++m) {
    ImpiFactorNode *node = &order->nodes.data[order->lists.data[m]];
    int32_t *held = order->held.data + node->first, kept = 0;
    for (int h = 0; h < node->count; ++h) {
      ImpiFactorElement *other = &elements[held[h]];
      if (!other->merged) {
        other->outside = (other->stamp == made ? other->outside : other->rows) - node->rows;
        other->stamp = made;
        held[kept++] = held[h];
      }
    }
    IMP_ASSERT(kept < node->count);
    held[kept] = made; // at least one place is free, because an element of the block was merged
    node->count = kept + 1;
  }
  for (int m = element->first; m < element->end; ++m) {
    int32_t block = order->lists.data[m];
    ImpiFactorNode *node = &order->nodes.data[block];
    node->degree = element->rows - node->rows;
    for (int h = 0; h < node->count - 1; ++h) {
      node->degree += elements[order->held.data[node->first + h]].outside;
    }
    play_again(order, block, block);
  }
}


// Choose the order of elimination. elements[cliques + k] lists the blocks whose rows are below the diagonal block in
// panel k of L.
static ImpStatus eliminate(ImpiHeap *heap, ImpiFactor *factor, int cliques) {
  ImpiFactorOrder *order = &factor->order;
  int64_t numbers = 0;
  for (int k = 0; k < factor->panels.count; ++k) {
    int32_t block = order->winners.data[1];
    ImpiFactorPanel *panel = &factor->panels.data[k];
    *panel = (ImpiFactorPanel){.block = block, .width = order->nodes.data[block].rows, .number = (int32_t)numbers};
    factor->panel_of.data[block] = k;
    play_again(order, block, -1);
    if (!merge(heap, order, block, cliques + k)) {
      return IMP_ERR_NOMEM;
    }
    numbers += (int64_t)panel->width * (panel->width + order->elements.data[cliques + k].rows);
    if (numbers > IMPI_FACTOR_MAX) {
      return IMP_ERR_LIMIT;
    }
    update_degrees(order, cliques + k);
  }
  factor->a.count = factor->l.count = (int)numbers;
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Panels
// ---------------------------------------------------------------------------------------------------------------------


static void append(ImpiFactor *factor, int32_t panel, int32_t appended) {
  ImpiFactorPanel *to = &factor->panels.data[panel];
  factor->entries.data[to->end_entry++] = (ImpiFactorEntry){appended, to->height};
  to->height += factor->panels.data[appended].width;
}


// Write the entries of all panels (the blocks with rows in the panel) and their touches (the earlier panels that list
// the panel's block). Entries are appended in the order of elimination.
static void lay_out(ImpiFactor *factor, int cliques) {
  ImpiFactorPanel *panels = factor->panels.data;
  const ImpiFactorElement *elements = factor->order.elements.data;
  const int32_t *lists = factor->order.lists.data, *panel_of = factor->panel_of.data;
  int count = factor->panels.count, entries = 0, touches = 0;
  for (int m = factor->order.lists.count - factor->touches.count; m < factor->order.lists.count; ++m) {
    ++panels[panel_of[lists[m]]].end_touch;
  }
  for (int k = 0; k < count; ++k) {
    panels[k].first_entry = panels[k].end_entry = entries;
    entries += 1 + elements[cliques + k].end - elements[cliques + k].first;
    panels[k].first_touch = touches;
    touches += panels[k].end_touch;
    panels[k].end_touch = panels[k].first_touch;
  }
  for (int k = 0; k < count; ++k) {
    for (int m = elements[cliques + k].first; m < elements[cliques + k].end; ++m) {
      factor->touches.data[panels[panel_of[lists[m]]].end_touch++].panel = k;
    }
  }
  for (int k = 0; k < count; ++k) {
    append(factor, k, k);
    for (int t = panels[k].first_touch; t < panels[k].end_touch; ++t) {
      ImpiFactorTouch *touch = &factor->touches.data[t];
      touch->entry = panels[touch->panel].end_entry;
      append(factor, touch->panel, k);
    }
  }
}


static ImpStatus plan(ImpiHeap *heap, ImpiFactor *factor, int blocks, const int32_t *rows, int cliques,
                      const int32_t *first, const int32_t *members) {
  if (!reserve_order(heap, &factor->order, blocks, cliques, first[cliques] - first[0]) ||
      !impi_reserve(heap, &factor->panels, blocks) || !impi_reserve(heap, &factor->panel_of, blocks)) {
    return IMP_ERR_NOMEM;
  }
  factor->panels.count = factor->panel_of.count = blocks;
  begin(&factor->order, blocks, rows, cliques, first, members);
  play_all(&factor->order, blocks);
  int listed = factor->order.lists.count;
  ImpStatus status = eliminate(heap, factor, cliques);
  if (status != IMP_OK) {
    return status;
  }
  int couplings = factor->order.lists.count - listed;
  if (!impi_reserve(heap, &factor->entries, blocks + couplings) || !impi_reserve(heap, &factor->touches, couplings) ||
      !impi_reserve(heap, &factor->a, factor->a.count) || !impi_reserve(heap, &factor->l, factor->l.count) ||
      !impi_reserve(heap, &factor->inverse, factor->rows) || !impi_reserve(heap, &factor->combination, factor->rows)) {
    return IMP_ERR_NOMEM;
  }
  factor->entries.count = blocks + couplings;
  factor->touches.count = couplings;
  factor->inverse.count = factor->rows;
  for (int i = 0; i < factor->rows; ++i) {
    factor->combination.data[i] = 0;
  }
  lay_out(factor, cliques);
  for (int i = 0, row = 0; i < blocks; row += rows[i++]) {
    factor->panels.data[factor->panel_of.data[i]].row = row;
  }
  return IMP_OK;
}


ImpStatus impi_factor_plan(ImpiHeap *heap, ImpiFactor *factor, int blocks, const int32_t *rows, int cliques,
                           const int32_t *first, const int32_t *members) {
  factor->rows = 0;
  for (int i = 0; i < blocks; ++i) {
    factor->rows += rows[i];
  }
  int wanted = factor->rows;
  ImpStatus status = plan(heap, factor, blocks, rows, cliques, first, members);
  if (status == IMP_OK) {
    impi_factor_clear(factor);
    return IMP_OK;
  }
  factor->rows = factor->panels.count = factor->panel_of.count = factor->entries.count = factor->touches.count = 0;
  factor->a.count = factor->l.count = factor->inverse.count = 0;
  return status == IMP_ERR_NOMEM
             ? impi_fail(status, "out of memory for the factor of a matrix of %d rows", wanted)
             : impi_fail(status, "the factor of a matrix of %d rows would have more than %d numbers", wanted,
                         IMPI_FACTOR_MAX);
}
