// The passes over clusters: all locks at once, and the contacts of their bodies.
//
// With J of the locks, made orthogonal in each joint, and W the inverse masses,
//   d = -(J W J^T + e)^-1 (J v + b + e lambda) - (J W J^T + g)^-1 beta C,   v' = v + W J^T d
// The first part holds velocities, however heavy the load is: e is a trace, by which rows that follow from others share
// and forget. It is a projection, which adds no energy. The second part corrects errors, and is soft: errors that
// contradict each other must not be paid for with impulses of one over the smallest pivot.
// A contact at a cluster meets more than its body: the cluster's answer to an impulse along its row j is
//   y = (J W J^T + e)^-1 J W j^T,   dv = W (j^T - J^T y),   k = j dv
// so that its own impulse d changes velocities by dv d and the locks' impulses by -y d, and no lock opens. One point after
// another is solved so until nothing changes. By its body alone it would stop a light part of a heavy whole, again and
// again, and the whole would go on.
#include "lane_contacts.h"
#include "solve_soft_joint_record.h"

// What is added to A's diagonal, in parts of it: so little that the softest load of a chain does not feel it, and more
// than the rounding of rows in float, so that rows which follow from others (loops of welds) share and forget.
#define TRACE 1e-6
// Pivots below this part of their number are rounding.
#define ROUNDING 1e-13
// g, in parts of what a lock has that is solved by itself: light bodies take most of the stiffness of what is soft, and an
// exact solve can do with less of it.
#define SOFTNESS 0.1
// The least h^2 k / I for which a body is made heavier to turn.
#define STIFF 0.5
// Most sweeps over the points of contacts, and the change of speed that is none [m/s].
#define SWEEPS 10
#define NO_CHANGE 1e-5


// ---------------------------------------------------------------------------------------------------------------------
// The factor
// ---------------------------------------------------------------------------------------------------------------------


INLINE Head *head_of(const ImpiSoftJoints *joints, const ImpiClusterBlock *block) {
  return (Head *)(void *)(joints->memory + block->head);
}


// Locks that the factor holds: one that a handler locked within the step waits for the next.
INLINE int held_rows(const ImpiClusterBlock *block, const Head *head) {
  return head->locks < block->rows ? head->locks : block->rows;
}


// What makes a lock give way to its error, in parts of its K.
INLINE double compliance_of(const ImpiSoftJoints *joints, const Head *head, int i) {
  const Extra *extra = head->plain ? NULL : &joints->extras.data[head->extra + i];
  double scale = (double)(extra != NULL ? extra->scale : joints->mass_scale);
  double keep = (double)(extra != NULL ? extra->keep : joints->impulse_scale);
  return SOFTNESS * keep / scale + TRACE;
}


// A of the rows as they are, but for what makes them soft.
static void fill_clusters(ImpiSoftJoints *joints) {
  ImpiClusters *clusters = &joints->clusters;
  impi_factor_clear(&clusters->factor);
  double *a = clusters->factor.a.data;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    int held = held_rows(block, head);
    for (int i = 0; i < block->rows; ++i) {
      clusters->fixed.data[block->row + i] = i >= held || !(row_of(head, head->bodies, head->stride, i)->mass > 0);
    }
  }
  for (int p = 0; p < clusters->pairs.count; ++p) {
    const ImpiClusterPair *pair = &clusters->pairs.data[p];
    const ImpiClusterBlock *blocks[2] = {&clusters->blocks.data[pair->block[0]],
                                         &clusters->blocks.data[pair->block[1]]};
    Head *heads[2] = {head_of(joints, blocks[0]), head_of(joints, blocks[1])};
    Part weight = weights_of(heads[0], heads[0]->bodies)[pair->side[0]];
    int rows[2] = {held_rows(blocks[0], heads[0]), held_rows(blocks[1], heads[1])};
    for (int i = 0; i < rows[0]; ++i) {
      Part j = weight * jacobian_of(row_of(heads[0], heads[0]->bodies, heads[0]->stride, i))[pair->side[0]];
      for (int k = 0; k < rows[1]; ++k) {
        Part other = jacobian_of(row_of(heads[1], heads[1]->bodies, heads[1]->stride, k))[pair->side[1]];
        a[pair->number + i * pair->step[0] + k * pair->step[1]] +=
            (double)j[0] * (double)other[0] + (double)j[1] * (double)other[1] + (double)j[2] * (double)other[2];
      }
    }
  }
}


// L and D of the rows as they are, with a trace of compliance, or with what their errors are corrected by.
static void factor(ImpiSoftJoints *joints, bool soft) {
  ImpiClusters *clusters = &joints->clusters;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    for (int i = 0; i < held_rows(block, head); ++i) {
      double k = (double)row_of(head, head->bodies, head->stride, i)->k;
      clusters->factor.a.data[block->diagonal + i * block->step] =
          k + k * (soft ? compliance_of(joints, head, i) : TRACE);
    }
  }
  impi_factor_run(&clusters->factor, clusters->fixed.data, ROUNDING);
}


static void factor_clusters(ImpiSoftJoints *joints, bool relax) {
  ImpiClusters *clusters = &joints->clusters;
  if (!clusters->filled) {
    fill_clusters(joints);
    factor(joints, false);
    for (int i = 0; i < clusters->points.count; ++i) {
      clusters->points.data[i].known = false;
    }
    for (int i = 0; i < clusters->clusters.count; ++i) {
      clusters->clusters.data[i].solved = false;
    }
    clusters->filled = true;
    clusters->softened = false;
  }
  if (!relax && !clusters->softened) {
    impi_factor_swap(&clusters->factor, &clusters->soft);
    factor(joints, true);
    impi_factor_swap(&clusters->factor, &clusters->soft);
    clusters->softened = true;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// All locks at once
// ---------------------------------------------------------------------------------------------------------------------


// J v of a row, by the velocities of cluster and lanes.
INLINE double speed_in(const ImpiSoftJoints *joints, const ImpiClusterBlock *block, const ImpiRecord *velocity,
                       Head *head, const Part *j) {
  const int32_t *sides = joints->clusters.sides.data + block->first_side - block->skip;
  double speed = 0;
  for (int k = block->skip; k < head->bodies; ++k) {
    if (sides[k] >= 0) {
      const double *v = joints->clusters.bodies.data[sides[k]].v;
      speed += (double)j[k][0] * v[0] + (double)j[k][1] * v[1] + (double)j[k][2] * v[2];
    } else {
      ImpiRecord v = velocity[lanes_of(head)[k]];
      speed += (double)(j[k][0] * v[0] + j[k][1] * v[1] + j[k][2] * v[2]);
    }
  }
  return speed;
}


// The right-hand sides: what the velocities still want, and what the errors do.
static void want(ImpiSoftJoints *joints, const ImpiRecord *velocity, bool relax) {
  ImpiClusters *clusters = &joints->clusters;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    int held = clusters->clusters.data[block->cluster].holds ? 0 : held_rows(block, head);
    for (int i = 0; i < block->rows; ++i) {
      int at = block->row + i;
      clusters->x.data[at] = clusters->errors.data[at] = 0;
      if (i < held && !clusters->fixed.data[at]) {
        const Row *row = row_of(head, head->bodies, head->stride, i);
        double speed = speed_in(joints, block, velocity, head, jacobian_of((Row *)row));
        clusters->before.data[at] = speed;
        clusters->x.data[at] = -(speed + (double)row->rest + TRACE * (double)row->k * (double)row->lambda);
        clusters->errors.data[at] = relax ? 0 : (double)row->rest - (double)row->pull;
      }
    }
  }
}


// Impulses d = x + errors. The work of each is d times the mean of its speeds before and after all of them, which follow
// from what the row wanted.
static void give(ImpiSoftJoints *joints, bool relax) {
  ImpiClusters *clusters = &joints->clusters;
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    const Part *weights = weights_of(head, head->bodies);
    const int32_t *sides = clusters->sides.data + block->first_side - block->skip;
    int held = clusters->clusters.data[block->cluster].holds ? 0 : held_rows(block, head);
    for (int i = 0; i < held; ++i) {
      int at = block->row + i;
      if (clusters->fixed.data[at]) {
        continue;
      }
      Row *row = row_of(head, head->bodies, head->stride, i);
      const Part *j = jacobian_of(row);
      double k = (double)row->k, x = clusters->x.data[at], e = relax ? 0 : clusters->errors.data[at], d = x + e;
      double after = -(double)(relax ? row->rest : row->pull) - TRACE * k * (x + (double)row->lambda) -
                     (relax ? 0 : compliance_of(joints, head, i) * k * e);
      row->work += (float)(0.5 * d * (clusters->before.data[at] + after));
      row->lambda += (float)d;
      for (int s = block->skip; s < head->bodies; ++s) {
        if (sides[s] >= 0) {
          double *v = clusters->bodies.data[sides[s]].v;
          for (int q = 0; q < 3; ++q) {
            v[q] += (double)weights[s][q] * (double)j[s][q] * d;
          }
        }
      }
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Contacts
// ---------------------------------------------------------------------------------------------------------------------


// J of point `index` of a contact for one of its bodies: 0 is a.
INLINE void row_at(const ImpiSoftTouch *at, int index, int side, double *out_j) {
  double sign = side == 0 ? -1 : 1, nx = (double)*at->nx, ny = (double)*at->ny;
  const ImpiSoftTouchPoint *p = &at->points[index];
  double rx = (double)(side == 0 ? *p->rax : *p->rbx), ry = (double)(side == 0 ? *p->ray : *p->rby);
  out_j[0] = sign * nx;
  out_j[1] = sign * ny;
  out_j[2] = sign * (rx * ny - ry * nx);
}


// What an impulse along J changes of the body's velocity, by the body alone.
INLINE void own_change(const ImpiSoftTouch *at, int side, const double *j, double *out_dv) {
  out_dv[0] = (double)(side == 0 ? at->ma : at->mb) * j[0];
  out_dv[1] = (double)(side == 0 ? at->ma_y : at->mb_y) * j[1];
  out_dv[2] = (double)(side == 0 ? at->ia : at->ib) * j[2];
}


static double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }


// Which body of a block's record is that one of the cluster.
INLINE int side_of(const ImpiClusters *clusters, const ImpiClusterBlock *block, int32_t body) {
  int k = 0;
  while (clusters->sides.data[block->first_side + k] != body) {
    ++k;
  }
  return k + block->skip;
}


// J W j^T of the rows at one body, added to x.
static void meet(ImpiSoftJoints *joints, int32_t body, const double *j) {
  ImpiClusters *clusters = &joints->clusters;
  const double *w = clusters->bodies.data[body].w;
  for (int m = clusters->first.data[body]; m < clusters->first.data[body + 1]; ++m) {
    const ImpiClusterBlock *block = &clusters->blocks.data[clusters->members.data[m]];
    Head *head = head_of(joints, block);
    int side = side_of(clusters, block, body), held = held_rows(block, head);
    for (int i = 0; i < held; ++i) {
      if (!clusters->fixed.data[block->row + i]) {
        Part jr = jacobian_of(row_of(head, head->bodies, head->stride, i))[side];
        clusters->x.data[block->row + i] +=
            (double)jr[0] * w[0] * j[0] + (double)jr[1] * w[1] * j[1] + (double)jr[2] * w[2] * j[2];
      }
    }
  }
}


// The answer of one cluster: y, then dv of its bodies.
static void answer(ImpiSoftJoints *joints, const ImpiClusterPoint *point, int32_t which, double *out) {
  ImpiClusters *clusters = &joints->clusters;
  const ImpiCluster *cluster = &clusters->clusters.data[which];
  const int32_t *list = clusters->block_list.data + cluster->first_block;
  double *dv = out + cluster->rows, j[3];
  for (int i = 0; i < cluster->blocks; ++i) {
    const ImpiClusterBlock *block = &clusters->blocks.data[list[i]];
    for (int r = 0; r < block->rows; ++r) {
      clusters->x.data[block->row + r] = 0;
    }
  }
  for (int i = 0; i < 3 * cluster->bodies; ++i) {
    dv[i] = 0;
  }
  for (int side = 0; side < 2; ++side) {
    int32_t body = point->body[side];
    if (body >= 0 && clusters->bodies.data[body].cluster == which) {
      row_at(&point->at, point->index, side, j);
      meet(joints, body, j);
      double *own = dv + 3 * clusters->bodies.data[body].place;
      for (int q = 0; q < 3; ++q) {
        own[q] += clusters->bodies.data[body].w[q] * j[q];
      }
    }
  }
  impi_factor_solve_panels(&clusters->factor, clusters->x.data, clusters->panel_list.data + cluster->first_panel,
                           cluster->panels);
  for (int i = 0; i < cluster->blocks; ++i) {
    const ImpiClusterBlock *block = &clusters->blocks.data[list[i]];
    Head *head = head_of(joints, block);
    const int32_t *sides = clusters->sides.data + block->first_side - block->skip;
    for (int r = 0; r < block->rows; ++r) {
      double y = clusters->x.data[block->row + r];
      out[block->local + r] = y;
      const Part *jr = jacobian_of(row_of(head, head->bodies, head->stride, r < head->rows ? r : 0));
      for (int k = block->skip; k < head->bodies && y != 0; ++k) {
        if (sides[k] >= 0) {
          const ImpiClusterBody *body = &clusters->bodies.data[sides[k]];
          for (int q = 0; q < 3; ++q) {
            dv[3 * body->place + q] -= body->w[q] * (double)jr[k][q] * y;
          }
        }
      }
    }
  }
}


static void know(ImpiSoftJoints *joints, ImpiClusterPoint *point) {
  ImpiClusters *clusters = &joints->clusters;
  double j[3], dv[3];
  point->k = 0;
  for (int i = 0; i < 2 && point->cluster[i] >= 0; ++i) {
    answer(joints, point, point->cluster[i], clusters->answers.data + point->answer[i]);
  }
  for (int side = 0; side < 2; ++side) {
    row_at(&point->at, point->index, side, j);
    if (point->body[side] < 0) {
      own_change(&point->at, side, j, dv);
      point->k += dot3(j, dv);
      continue;
    }
    const ImpiClusterBody *body = &clusters->bodies.data[point->body[side]];
    int i = point->cluster[0] == body->cluster ? 0 : 1;
    const ImpiCluster *cluster = &clusters->clusters.data[body->cluster];
    point->k += dot3(j, clusters->answers.data + point->answer[i] + cluster->rows + 3 * body->place);
  }
  point->known = true;
}


void impi_cluster_push(const ImpiLaneBodies *lanes, int32_t lane, const double *dv) {
  ImpiRecord *v = &lanes->velocity[lane];
  for (int q = 0; q < 3; ++q) {
    if (lanes->gain != NULL) {
      lanes->gain[lane][q] += (float)dv[q];
      (*v)[q] = lanes->base[lane][q] + lanes->gain[lane][q];
    } else {
      (*v)[q] = (float)((double)(*v)[q] + dv[q]);
    }
  }
}


// An impulse at a point, with what clusters answer.
static void push_point(ImpiSoftJoints *joints, const ImpiClusterPoint *point, const ImpiLaneBodies *lanes, double d) {
  ImpiClusters *clusters = &joints->clusters;
  const ImpiSoftTouch *at = &point->at;
  for (int i = 0; i < 2 && point->cluster[i] >= 0; ++i) {
    const ImpiCluster *cluster = &clusters->clusters.data[point->cluster[i]];
    const double *dv = clusters->answers.data + point->answer[i] + cluster->rows;
    for (int b = 0; b < cluster->bodies; ++b) {
      double *v = clusters->bodies.data[clusters->body_list.data[cluster->first_body + b]].v;
      for (int q = 0; q < 3; ++q) {
        v[q] += dv[3 * b + q] * d;
      }
    }
  }
  for (int side = 0; side < 2; ++side) {
    double j[3], dv[3];
    int32_t lane = side == 0 ? at->a : at->b;
    if (point->body[side] < 0 && lane > 0) {
      row_at(at, point->index, side, j);
      own_change(at, side, j, dv);
      for (int q = 0; q < 3; ++q) {
        dv[q] *= d;
      }
      impi_cluster_push(lanes, lane, dv);
    }
  }
}


static double speed_at(const ImpiSoftJoints *joints, const ImpiClusterPoint *point, const ImpiRecord *velocity) {
  double sum = 0, j[3];
  for (int side = 0; side < 2; ++side) {
    row_at(&point->at, point->index, side, j);
    if (point->body[side] >= 0) {
      sum += dot3(j, joints->clusters.bodies.data[point->body[side]].v);
    } else {
      ImpiRecord v = velocity[side == 0 ? point->at.a : point->at.b];
      sum += j[0] * (double)v[0] + j[1] * (double)v[1] + j[2] * (double)v[2];
    }
  }
  return sum;
}


// Speed along the normal that the impulses of a contact take away at one of its points, by its bodies alone.
static double taken_at(const ImpiClusterPoint *point) {
  const ImpiSoftTouch *at = &point->at;
  double sum = 0, j[3], other[3], dv[3];
  for (int side = 0; side < 2; ++side) {
    row_at(at, point->index, side, j);
    own_change(at, side, j, dv);
    for (int k = 0; k < at->count; ++k) {
      row_at(at, k, side, other);
      sum += dot3(dv, other) * (double)*at->points[k].normal;
    }
  }
  return sum;
}


// One point. What it is driven to is the same as in the kernels of contacts, which leave nothing to do where bodies bear
// no load of others: what a soft point gives way by follows from its own bodies, how much impulse it takes from the whole
// cluster. Returns by how much its speed changed.
static double solve_point(ImpiSoftJoints *joints, ImpiClusterPoint *point, const ImpiSoftPass *pass) {
  float *normal = point->at.points[point->index].normal;
  double now = (double)*point->at.points[point->index].now, lambda = (double)*normal;
  double left = speed_at(joints, point, pass->bodies.velocity), soft = 0, scale = 1;
  if (now > 0) {
    left += now * (double)pass->inv_h;
  } else {
    double taken = taken_at(point);
    double most = (double)pass->push_speed + impi_min((double)pass->push_load * taken, (double)pass->push_most);
    scale = (double)pass->mass_scale;
    soft = (double)pass->impulse_scale / (double)*point->at.points[point->index].mass;
    left = scale * (left + impi_max(now * (double)pass->bias_rate, -most)) + (double)pass->impulse_scale * taken;
  }
  if (lambda <= 0 && left >= 0) {
    return 0;
  }
  if (!point->known) {
    know(joints, point);
  }
  if (!(point->k > 0)) {
    return 0;
  }
  double next = impi_max(lambda - left / (scale * point->k + soft), 0), d = next - lambda;
  if (d == 0) {
    return 0;
  }
  *normal = (float)next;
  point->change += d;
  push_point(joints, point, &pass->bodies, d);
  return fabs(d) * point->k;
}


// What the points did to the locks.
static void tell_locks(ImpiSoftJoints *joints, const ImpiClusterPoint *point) {
  ImpiClusters *clusters = &joints->clusters;
  for (int c = 0; c < 2 && point->cluster[c] >= 0; ++c) {
    const ImpiCluster *cluster = &clusters->clusters.data[point->cluster[c]];
    const double *y = clusters->answers.data + point->answer[c];
    for (int i = 0; i < cluster->blocks; ++i) {
      const ImpiClusterBlock *block = &clusters->blocks.data[clusters->block_list.data[cluster->first_block + i]];
      Head *head = head_of(joints, block);
      int held = held_rows(block, head);
      for (int r = 0; r < held; ++r) {
        Row *row = row_of(head, head->bodies, head->stride, r);
        double d = -y[block->local + r] * point->change;
        row->lambda += (float)d;
        row->work -= (float)(d * (double)row->pull); // at the speed that it is driven to
      }
    }
  }
}


// Solve the points of those clusters that the sweep before has changed, and note which this one changes. Each cluster ends
// by itself: what is far away has no say in it.
static bool sweep_points(ImpiSoftJoints *joints, const ImpiSoftPass *pass) {
  ImpiClusters *clusters = &joints->clusters;
  bool any = false;
  for (int i = 0; i < clusters->points.count; ++i) {
    ImpiClusterPoint *point = &clusters->points.data[i];
    bool goes_on = false;
    for (int k = 0; k < 2 && point->cluster[k] >= 0; ++k) {
      goes_on = goes_on || clusters->clusters.data[point->cluster[k]].goes_on;
    }
    if (!goes_on || !(solve_point(joints, point, pass) > NO_CHANGE)) {
      continue;
    }
    for (int k = 0; k < 2 && point->cluster[k] >= 0; ++k) {
      clusters->clusters.data[point->cluster[k]].changed = any = true;
    }
  }
  return any;
}


static void solve_points(ImpiSoftJoints *joints, const ImpiSoftPass *pass) {
  ImpiClusters *clusters = &joints->clusters;
  for (int i = 0; i < clusters->points.count; ++i) {
    clusters->points.data[i].change = 0;
  }
  for (int i = 0; i < clusters->clusters.count; ++i) {
    clusters->clusters.data[i].goes_on = true;
  }
  bool any = true;
  for (int sweep = 0; sweep < SWEEPS && any; ++sweep) {
    for (int i = 0; i < clusters->clusters.count; ++i) {
      clusters->clusters.data[i].changed = false;
    }
    any = sweep_points(joints, pass);
    for (int i = 0; i < clusters->clusters.count; ++i) {
      clusters->clusters.data[i].goes_on = clusters->clusters.data[i].changed;
    }
  }
  for (int i = 0; i < clusters->points.count; ++i) {
    if (clusters->points.data[i].change != 0) {
      tell_locks(joints, &clusters->points.data[i]);
    }
  }
}


// A point of a contact that is at a cluster, unless the cluster has many already: then it is left to the contacts' own
// passes.
static void add_point(ImpiClusters *clusters, const ImpiSoftTouch *at, int index, const int32_t *bodies, int *used) {
  ImpiClusterPoint point = {.at = *at, .index = index, .body = {bodies[0], bodies[1]}, .cluster = {-1, -1}};
  int sides = 0;
  for (int side = 0; side < 2; ++side) {
    int32_t cluster = bodies[side] >= 0 ? clusters->bodies.data[bodies[side]].cluster : -1;
    if (cluster < 0 || (sides == 1 && point.cluster[0] == cluster)) {
      continue;
    }
    if (clusters->clusters.data[cluster].points >= IMPI_CLUSTER_POINTS) {
      return;
    }
    point.cluster[sides++] = cluster;
  }
  for (int i = 0; i < sides; ++i) {
    ImpiCluster *cluster = &clusters->clusters.data[point.cluster[i]];
    cluster->points++;
    point.answer[i] = *used;
    *used += cluster->rows + 3 * cluster->bodies;
  }
  clusters->points.data[clusters->points.count++] = point;
}


void impi_clusters_find_touches(const ImpiSolve *solve, ImpiSoftJoints *joints) {
  ImpiClusters *clusters = &joints->clusters;
  int used = 0;
  clusters->points.count = 0;
  for (int i = 0; i < clusters->clusters.count; ++i) {
    clusters->clusters.data[i].points = 0;
  }
  for (int i = 0; i < clusters->bodies.count; ++i) {
    clusters->bodies.data[i].touched = false;
  }
  for (int i = 0; i < solve->active_count && clusters->bodies.count > 0; ++i) {
    const ImpiContact *contact = &solve->contacts[solve->active[i]];
    int32_t bodies[2] = {impi_cluster_body(clusters, contact->body_a), impi_cluster_body(clusters, contact->body_b)};
    if ((bodies[0] < 0 && bodies[1] < 0) || contact->run == 0) {
      continue;
    }
    for (int side = 0; side < 2; ++side) {
      if (bodies[side] >= 0) {
        clusters->bodies.data[bodies[side]].touched = true;
      }
    }
    const ImpiRun *run = &solve->lane_contacts->runs[contact->run - 1];
    ImpiSoftTouch at;
    run->kernels->touch(&run->blocks, contact->place, &at);
    for (int k = 0; k < run->blocks.points; ++k) {
      add_point(clusters, &at, k, bodies, &used);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Tension
// ---------------------------------------------------------------------------------------------------------------------


// How much the tension that a joint bears stiffens its bodies against turning: r . f of each, r from its centre of mass to
// the anchor; one that presses counts as 0. Impulses and rows are of the same basis.
void impi_clusters_add_tension(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiClusterBlock *block) {
  Head *head = head_of(joints, block);
  const ImpiJoint *joint = &solve->joints[head->joint];
  const int32_t *sides = joints->clusters.sides.data + block->first_side - block->skip;
  for (int k = 0; k < 2 && joint->custom == NULL; ++k) {
    if (sides[k] < 0) {
      continue;
    }
    ImpiClusterBody *body = &joints->clusters.bodies.data[sides[k]];
    const ImpiMotion *now = &joints->now.data[body->lane];
    ImpVec2 arm =
        impi_sub(k == 0 ? joint->gauge.local_a : joint->gauge.local_b, solve->bodies[body->slot].local_center);
    ImpVec2 r = impi_rotate((ImpRot){now->c, now->s}, arm);
    Part f = {0, 0, 0, 0};
    for (int i = 0; i < head->locks; ++i) {
      Row *row = row_of(head, head->bodies, head->stride, i);
      f += row->lambda * jacobian_of(row)[k];
    }
    body->stiffness += impi_max((r.x * (double)f[0] + r.y * (double)f[1]) / joints->h, 0);
  }
}


// Bodies that tension would make turn to and fro too fast for the substep are heavier to turn in the rows of clusters:
//   (I + h^2 k) w' = I w + h tau + J^T lambda
// which integrates the spring k implicitly. It is explicit in the directions of the rows, and stable then for
// h^2 k / I < 4 only. Not those that touch something: in the rows of contacts a body has its own inertia, and what
// joints and contacts give it would not balance. source: see stiffness.h.
void impi_clusters_stiffen(const ImpiSolve *solve, ImpiSoftJoints *joints) {
  ImpiClusters *clusters = &joints->clusters;
  clusters->stiff = false;
  for (int i = 0; i < clusters->bodies.count; ++i) {
    ImpiClusterBody *body = &clusters->bodies.data[i];
    double own = solve->bodies[body->slot].inv_inertia, added = joints->h * joints->h * body->stiffness * own;
    bool stiff = solve->settings->geometric_stiffness && added > STIFF;
    stiff = stiff && !body->touched;
    body->part = stiff ? (float)(1 / (1 + added)) : 1;
    clusters->stiff = clusters->stiff || stiff;
    body->inv_inertia = (float)own * body->part;
    body->stiffness = 0;
  }
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    Head *head = head_of(joints, block);
    const int32_t *sides = clusters->sides.data + block->first_side - block->skip;
    for (int k = block->skip; k < head->bodies; ++k) {
      if (sides[k] >= 0) {
        ImpiClusterBody *body = &clusters->bodies.data[sides[k]];
        Part *weight = &weights_of(head, head->bodies)[k];
        (*weight)[2] = body->inv_inertia;
        for (int q = 0; q < 3; ++q) {
          body->w[q] = (double)(*weight)[q];
        }
      }
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// All of it
// ---------------------------------------------------------------------------------------------------------------------


// Of which clusters the last solve still holds: nothing has changed their velocities since. Whether it does of all.
static bool all_hold(ImpiClusters *clusters, const ImpiRecord *velocity, bool relax) {
  for (int i = 0; i < clusters->clusters.count; ++i) {
    ImpiCluster *cluster = &clusters->clusters.data[i];
    cluster->holds = !relax && cluster->solved && cluster->points == 0;
  }
  for (int i = 0; i < clusters->bodies.count; ++i) {
    const ImpiClusterBody *body = &clusters->bodies.data[i];
    bool *holds = &clusters->clusters.data[body->cluster].holds;
    for (int q = 0; q < 3 && *holds; ++q) {
      *holds = body->left[q] == velocity[body->lane][q];
    }
  }
  bool all = true;
  for (int i = 0; i < clusters->clusters.count; ++i) {
    all = all && clusters->clusters.data[i].holds;
  }
  return all;
}


// Which clusters have drives: a solve of these does not hold, for drives are solved one by one.
static void look_for_drives(ImpiSoftJoints *joints) {
  ImpiClusters *clusters = &joints->clusters;
  for (int i = 0; i < clusters->clusters.count; ++i) {
    clusters->clusters.data[i].plain = true;
  }
  for (int b = 0; b < clusters->blocks.count; ++b) {
    const ImpiClusterBlock *block = &clusters->blocks.data[b];
    ImpiCluster *cluster = &clusters->clusters.data[block->cluster];
    cluster->plain = cluster->plain && head_of(joints, block)->plain;
  }
}


void impi_clusters_solve(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, bool relax,
                         const ImpiSoftPass *contacts) {
  ImpiClusters *clusters = &joints->clusters;
  const ImpiRecord *velocity = lanes->velocity;
  if (all_hold(clusters, velocity, relax)) {
    return;
  }
  FOR_TOGETHER(joints, head) {
    if (!head->plain) {
      impi_soft_joint_solve_drives(joints, lanes, relax, head);
    }
  }
  factor_clusters(joints, relax);
  for (int i = 0; i < clusters->bodies.count; ++i) {
    ImpiClusterBody *body = &clusters->bodies.data[i];
    for (int q = 0; q < 3; ++q) {
      bool fine = lanes->gain != NULL;
      body->v[q] = fine ? (double)lanes->base[body->lane][q] + (double)lanes->gain[body->lane][q]
                        : (double)velocity[body->lane][q];
      body->began[q] = body->v[q];
    }
  }
  want(joints, velocity, relax);
  impi_factor_solve(&clusters->factor, clusters->x.data);
  if (!relax) {
    impi_factor_swap(&clusters->factor, &clusters->soft);
    impi_factor_solve(&clusters->factor, clusters->errors.data);
    impi_factor_swap(&clusters->factor, &clusters->soft);
  }
  give(joints, relax);
  if (contacts != NULL && clusters->points.count > 0) {
    solve_points(joints, contacts);
  }
  for (int i = 0; i < clusters->bodies.count; ++i) {
    ImpiClusterBody *body = &clusters->bodies.data[i];
    double dv[3];
    for (int q = 0; q < 3; ++q) {
      dv[q] = body->v[q] - body->began[q];
    }
    impi_cluster_push(lanes, body->lane, dv);
    for (int q = 0; q < 3; ++q) {
      body->left[q] = velocity[body->lane][q];
    }
  }
  look_for_drives(joints);
  for (int i = 0; i < clusters->clusters.count; ++i) {
    ImpiCluster *cluster = &clusters->clusters.data[i];
    cluster->solved = !relax && cluster->plain;
  }
}
