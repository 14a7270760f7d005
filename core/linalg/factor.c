// L D L^T by panels, each computed from the panels before it ("left-looking"). A panel contains the columns of L that
// belong to one block of rows of A.
//   L_j D_j L_jj^T = A_j - sum_p L_p D_p L_jp^T     p: the earlier panels that contain rows of block j
// where A_j, L_j are the columns of block j from its own rows downwards, L_jj the rows of block j in L_j, and L_jp the
// rows of block j in L_p. Rows of panel p that come after the rows of block j are also rows of panel j, because the
// elimination of p coupled these rows to block j. Inner loops run down columns, over rows that are adjacent in panel p
// and in panel j. The order of subtractions is fixed, so results do not depend on the machine.
// source: Ng and Peyton, "Block Sparse Cholesky Algorithms on Advanced Uniprocessor Computers" (1993)
#include "linalg/factor.h"

#include "base/constants.h"


void impi_factor_free(ImpiHeap *heap, ImpiFactor *factor) {
  impi_array_free(heap, &factor->panels);
  impi_array_free(heap, &factor->panel_of);
  impi_array_free(heap, &factor->entries);
  impi_array_free(heap, &factor->touches);
  impi_array_free(heap, &factor->a);
  impi_array_free(heap, &factor->l);
  impi_array_free(heap, &factor->inverse);
  impi_array_free(heap, &factor->combination);
  impi_array_free(heap, &factor->order.nodes);
  impi_array_free(heap, &factor->order.elements);
  impi_array_free(heap, &factor->order.lists);
  impi_array_free(heap, &factor->order.held);
  impi_array_free(heap, &factor->order.winners);
  *factor = (ImpiFactor){0};
}


// ---------------------------------------------------------------------------------------------------------------------
// The numbers of A
// ---------------------------------------------------------------------------------------------------------------------


void impi_factor_clear(ImpiFactor *factor) {
  for (int i = 0; i < factor->a.count; ++i) {
    factor->a.data[i] = 0;
  }
  factor->flops = 0;
}


ImpiFactorBlock impi_factor_block(ImpiFactor *factor, int block_i, int block_j) {
  int32_t i = factor->panel_of.data[block_i], j = factor->panel_of.data[block_j];
  int32_t early = i < j ? i : j, late = i < j ? j : i;
  const ImpiFactorPanel *panel = &factor->panels.data[early];
  int32_t low = panel->first_entry, high = panel->end_entry - 1;
  while (low < high) { // binary search, because the entries are in ascending order
    int32_t middle = low + (high - low) / 2;
    if (factor->entries.data[middle].panel < late) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  IMP_ASSERT(factor->entries.data[low].panel == late);
  double *value = factor->a.data + panel->number + factor->entries.data[low].row;
  return i < j ? (ImpiFactorBlock){value, panel->height, 1} : (ImpiFactorBlock){value, 1, panel->height};
}


void impi_factor_add(ImpiFactor *factor, int block_i, int row_i, int block_j, int row_j, double value) {
  ImpiFactorBlock block = impi_factor_block(factor, block_i, block_j);
  bool mirror = block_i == block_j && row_i < row_j;
  block.value[(mirror ? row_j : row_i) * block.step_i + (mirror ? row_i : row_j) * block.step_j] += value;
}


// ---------------------------------------------------------------------------------------------------------------------
// L and D
// ---------------------------------------------------------------------------------------------------------------------


// to -= factor * from
static void subtract(double *restrict to, const double *restrict from, double factor, int count) {
  for (int i = 0; i < count; ++i) {
    to[i] -= factor * from[i];
  }
}


// Copy a panel of A to L, with the identity matrix in fixed rows and columns.
static void load(const ImpiFactor *factor, const ImpiFactorPanel *panel, const bool *fixed) {
  const double *a = factor->a.data + panel->number;
  double *l = factor->l.data + panel->number;
  for (int i = 0; i < panel->width * panel->height; ++i) {
    l[i] = a[i];
  }
  for (int e = panel->first_entry; e < panel->end_entry && fixed != NULL; ++e) {
    const ImpiFactorEntry *entry = &factor->entries.data[e];
    const ImpiFactorPanel *other = &factor->panels.data[entry->panel];
    for (int i = 0; i < other->width; ++i) {
      for (int c = 0; c < panel->width && fixed[other->row + i]; ++c) {
        l[c * panel->height + entry->row + i] = 0;
      }
    }
  }
  for (int c = 0; c < panel->width && fixed != NULL; ++c) {
    for (int i = 0; i < panel->height && fixed[panel->row + c]; ++i) {
      l[c * panel->height + i] = i == c;
    }
  }
}


// Subtract L_p D_p L_jp^T from `panel` (j), where p is the earlier panel touch.panel and L_jp are the rows of j in L_p.
static void update(ImpiFactor *factor, const ImpiFactorPanel *panel, ImpiFactorTouch touch) {
  const ImpiFactorPanel *source = &factor->panels.data[touch.panel];
  const double *from = factor->l.data + source->number;
  double *l = factor->l.data + panel->number;
  int32_t top = factor->entries.data[touch.entry].row;
  for (int32_t e = touch.entry, next; e < source->end_entry; e = next) {
    // Find the rows, from `row` to `end`, that are adjacent in `source` and also in `panel`.
    int32_t row = factor->entries.data[e].row, end = source->height;
    int32_t place = factor->panels.data[factor->entries.data[e].panel].place;
    for (next = e + 1; next < source->end_entry; ++next) {
      const ImpiFactorEntry *entry = &factor->entries.data[next];
      if (factor->panels.data[entry->panel].place - place != entry->row - row) {
        end = entry->row;
        break;
      }
    }
    for (int k = 0; k < source->width; ++k) {
      const double *column = from + k * source->height;
      for (int c = 0; c < panel->width; ++c) {
        subtract(l + c * panel->height + place, column + row, column[k] * column[top + c], end - row);
      }
    }
    factor->flops += (uint64_t)(source->width * panel->width) * (uint64_t)(1 + 2 * (end - row));
  }
}


// Row k is kept if pivot > drop * A_kk. If `soft` is false, the function holds() adds the test of largest_share().
typedef struct Rank {
  const double *loose; // numbers that replace `drop`, in natural order; null: none
  double drop;
  bool soft;
} Rank;


// The pivot of row k is |sum x_i J_i|^2 with x_k = 1 and L^T x = e_k: the squared length of the part of J_k that is
// independent of the rows before it. Return the largest term x_i^2 A_ii. `combination` holds x.
static double largest_share(ImpiFactor *factor, int32_t j, int32_t k) {
  const ImpiFactorPanel *panels = factor->panels.data;
  double *x = factor->combination.data, most = 0;
  x[panels[j].row + k] = 1;
  for (int32_t p = j; p >= 0; --p) {
    const ImpiFactorPanel *panel = &panels[p];
    for (int c = panel->width - 1; c >= 0; --c) {
      if (p == j && c >= k) { // skip row k and later rows
        continue;
      }
      const double *column = factor->l.data + panel->number + c * panel->height;
      double sum = 0;
      for (int i = c + 1; i < panel->width; ++i) {
        sum += column[i] * x[panel->row + i];
      }
      for (int e = panel->first_entry + 1; e < panel->end_entry && factor->entries.data[e].panel <= j; ++e) {
        const ImpiFactorPanel *other = &panels[factor->entries.data[e].panel];
        for (int i = 0; i < other->width; ++i) {
          sum += column[factor->entries.data[e].row + i] * x[other->row + i];
        }
      }
      x[panel->row + c] = -sum;
      factor->flops += (uint64_t)(2 * (panel->height - c));
    }
  }
  for (int32_t p = j; p >= 0; --p) {
    const ImpiFactorPanel *panel = &panels[p];
    for (int c = 0; c < panel->width; ++c) {
      double *share = &x[panel->row + c], *diagonal = factor->a.data + panel->number + c * panel->height + c;
      most = *share * *share * *diagonal > most ? *share * *share * *diagonal : most;
      *share = 0;
    }
  }
  return most;
}


// Return whether row k is kept, because its pivot is not a rounding error. The pivot is compared with the number A_kk
// and, unless rank.soft, with the result of largest_share() (see IMPI_REDUNDANT).
static bool holds(ImpiFactor *factor, int32_t j, int32_t k, double pivot, Rank rank) {
  const ImpiFactorPanel *panel = &factor->panels.data[j];
  double diagonal = factor->a.data[panel->number + k * panel->height + k];
  rank.drop = rank.loose != NULL ? rank.loose[panel->row + k] : rank.drop;
  if (!(pivot > rank.drop * diagonal)) {
    return false;
  }
  return rank.soft || pivot > IMPI_NOT_REDUNDANT * diagonal || pivot > rank.drop * largest_share(factor, j, k);
}


// Eliminate the rows of a panel from which all earlier panels have been subtracted. Returns the number of dropped rows.
static int eliminate(ImpiFactor *factor, int32_t j, const bool *fixed, Rank rank) {
  const ImpiFactorPanel *panel = &factor->panels.data[j];
  int32_t height = panel->height;
  int dropped = 0;
  for (int k = 0; k < panel->width; ++k) {
    double *column = factor->l.data + panel->number + k * height;
    bool keep = (fixed != NULL && fixed[panel->row + k]) || holds(factor, j, k, column[k], rank);
    double inverse = keep ? 1 / column[k] : 0;
    factor->inverse.data[panel->row + k] = inverse;
    dropped += !keep;
    for (int c = k + 1; c < panel->width; ++c) {
      subtract(column + (c - k) * height + c, column + c, column[c] * inverse, height - c);
      factor->flops += (uint64_t)(1 + 2 * (height - c));
    }
    for (int i = k + 1; i < height; ++i) {
      column[i] *= inverse;
    }
    factor->flops += (uint64_t)(height - k);
  }
  return dropped;
}


static int run(ImpiFactor *factor, const bool *fixed, Rank rank) {
  int dropped = 0;
  for (int j = 0; j < factor->panels.count; ++j) {
    const ImpiFactorPanel *panel = &factor->panels.data[j];
    for (int e = panel->first_entry; e < panel->end_entry; ++e) {
      factor->panels.data[factor->entries.data[e].panel].place = factor->entries.data[e].row;
    }
    load(factor, panel, fixed);
    for (int t = panel->first_touch; t < panel->end_touch; ++t) {
      update(factor, panel, factor->touches.data[t]);
    }
    dropped += eliminate(factor, j, fixed, rank);
  }
  return dropped;
}


int impi_factor_run(ImpiFactor *factor, const bool *fixed) {
  return run(factor, fixed, (Rank){.drop = IMPI_REDUNDANT});
}


int impi_factor_run_loose(ImpiFactor *factor, const bool *fixed, const double *loose) {
  return run(factor, fixed, (Rank){.drop = IMPI_REDUNDANT, .loose = loose});
}


int impi_factor_run_soft(ImpiFactor *factor, const bool *fixed, double drop) {
  return run(factor, fixed, (Rank){.drop = drop, .soft = true});
}


// ---------------------------------------------------------------------------------------------------------------------
// Solution
// ---------------------------------------------------------------------------------------------------------------------


// Solve L y = b in place for the columns of a panel. Rows below the panel's own rows are updated block by block.
static void solve_lower(const ImpiFactor *factor, const ImpiFactorPanel *panel, double *x) {
  for (int k = 0; k < panel->width; ++k) {
    const double *column = factor->l.data + panel->number + k * panel->height;
    double y = x[panel->row + k];
    subtract(x + panel->row + k + 1, column + k + 1, y, panel->width - k - 1);
    for (int e = panel->first_entry + 1; e < panel->end_entry; ++e) {
      const ImpiFactorPanel *other = &factor->panels.data[factor->entries.data[e].panel];
      subtract(x + other->row, column + factor->entries.data[e].row, y, other->width);
    }
  }
}


static double dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}


// Solve L^T x = D^-1 y in place.
static void solve_upper(const ImpiFactor *factor, const ImpiFactorPanel *panel, double *x) {
  for (int k = panel->width - 1; k >= 0; --k) {
    const double *column = factor->l.data + panel->number + k * panel->height;
    double sum = dot(x + panel->row + k + 1, column + k + 1, panel->width - k - 1);
    for (int e = panel->first_entry + 1; e < panel->end_entry; ++e) {
      const ImpiFactorPanel *other = &factor->panels.data[factor->entries.data[e].panel];
      sum += dot(x + other->row, column + factor->entries.data[e].row, other->width);
    }
    x[panel->row + k] = x[panel->row + k] * factor->inverse.data[panel->row + k] - sum;
  }
}


void impi_factor_solve(ImpiFactor *factor, double *x) {
  for (int j = 0; j < factor->panels.count; ++j) {
    const ImpiFactorPanel *panel = &factor->panels.data[j];
    solve_lower(factor, panel, x);
    factor->flops += (uint64_t)(panel->width * (4 * panel->height - 2 * panel->width));
  }
  for (int j = factor->panels.count - 1; j >= 0; --j) {
    solve_upper(factor, &factor->panels.data[j], x);
  }
}


void impi_factor_solve_panels(const ImpiFactor *factor, double *x, const int32_t *panels, int count) {
  for (int i = 0; i < count; ++i) {
    solve_lower(factor, &factor->panels.data[panels[i]], x);
  }
  for (int i = count - 1; i >= 0; --i) {
    solve_upper(factor, &factor->panels.data[panels[i]], x);
  }
}


void impi_factor_swap(ImpiFactor *factor, ImpiFactorNumbers *numbers) {
  double *l = factor->l.data, *inverse = factor->inverse.data;
  int room = factor->l.capacity, rows = factor->inverse.capacity;
  factor->l.data = numbers->l.data;
  factor->l.capacity = numbers->l.capacity;
  factor->inverse.data = numbers->inverse.data;
  factor->inverse.capacity = numbers->inverse.capacity;
  numbers->l.data = l;
  numbers->l.capacity = room;
  numbers->inverse.data = inverse;
  numbers->inverse.capacity = rows;
}
