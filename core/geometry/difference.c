// Merge the edges of both cores by the angle of their normals (Minkowski sum of b and -a).
#include "geometry/difference.h"

// The edges of one core in the order of their normals' angles, starting at the positive x axis.
typedef struct Turn {
  const ImpVec2 *n;
  double sign; // -1: the normals are negated
  int count;
  int left; // number of edges not yet taken
  int at;   // index of the next edge, which begins at the current vertex of the core
} Turn;


// Return whether the angle of a normal is in [0, pi). Exact.
static bool in_first_half(ImpVec2 n) { return n.y > 0 || (n.y == 0 && n.x > 0); }


static Turn turn_of(int count, const ImpVec2 *n, double sign) {
  Turn turn = {.n = n, .sign = sign, .count = count > 1 ? count : 0};
  turn.left = turn.count;
  for (int i = 0; i < turn.count; ++i) {
    int before = i > 0 ? i - 1 : count - 1;
    if (in_first_half(impi_scale(sign, n[i])) && !in_first_half(impi_scale(sign, n[before]))) {
      turn.at = i;
      break;
    }
  }
  return turn;
}


// Return whether a's next edge comes before b's. Within one half turn the sign of the normals' cross product decides.
// Parallel edges may have either order.
static bool is_before(const Turn *a, ImpVec2 n_a, const Turn *b, ImpVec2 n_b) {
  if (a->left == 0 || b->left == 0) {
    return b->left == 0;
  }
  bool a_first = in_first_half(n_a), b_first = in_first_half(n_b);
  return a_first != b_first ? a_first : impi_cross(n_a, n_b) >= 0;
}


void impi_difference(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, ImpiDifference *out_difference) {
  ImpiDifference *d = out_difference;
  ImpVec2 b_n[IMP_MAX_VERTICES];
  for (int j = 0; j < b->count; ++j) {
    d->b_v[j] = impi_apply(b_in_a, b->v[j]);
  }
  for (int j = 0; b->count > 1 && j < b->count; ++j) {
    b_n[j] = impi_rotate(b_in_a.q, b->n[j]);
  }
  Turn turn_a = turn_of(a->count, a->n, -1), turn_b = turn_of(b->count, b_n, 1);
  d->count = turn_a.count + turn_b.count;
  for (int k = 0; k < d->count; ++k) {
    ImpVec2 n_a = turn_a.left > 0 ? impi_neg(a->n[turn_a.at]) : impi_vec(0, 0);
    ImpVec2 n_b = turn_b.left > 0 ? b_n[turn_b.at] : impi_vec(0, 0);
    bool takes_a = is_before(&turn_a, n_a, &turn_b, n_b);
    d->v[k] = impi_sub(d->b_v[turn_b.at], a->v[turn_a.at]);
    d->n[k] = takes_a ? n_a : n_b;
    d->a[k] = (uint8_t)turn_a.at;
    d->b[k] = (uint8_t)turn_b.at;
    Turn *taken = takes_a ? &turn_a : &turn_b;
    taken->at = taken->at + 1 < taken->count ? taken->at + 1 : 0;
    --taken->left;
  }
  if (d->count == 0) {
    d->count = 1;
    d->v[0] = impi_sub(d->b_v[0], a->v[0]);
    d->a[0] = d->b[0] = 0;
  }
}


void impi_difference_points(const ImpiDifference *difference, const ImpiHull *a, int edge, double place, ImpVec2 *out_a,
                            ImpVec2 *out_b) {
  int end = edge + 1 < difference->count ? edge + 1 : 0;
  *out_a = impi_lerp(a->v[difference->a[edge]], a->v[difference->a[end]], place);
  *out_b = impi_lerp(difference->b_v[difference->b[edge]], difference->b_v[difference->b[end]], place);
}
