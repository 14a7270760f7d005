// The contacts of the bodies of clusters.
//
// The response of a cluster to a unit impulse along the row j of a contact is
//   y = (J W J^T + e)^-1 J W j^T,   dv = W (j^T - J^T y),   k = j dv
// An impulse d changes velocities by dv d and the impulses of locks by -y d, so the locks stay satisfied. The points
// are solved one after another, until no impulse changes.
#include "solvers/soft/lane_contacts.h"
#include "solvers/soft/soft_joint_record.h"

// Largest number of sweeps over the points of contacts; largest change of speed that is ignored [m/s].
#define SWEEPS 10
#define NO_CHANGE 1e-5


// Compute J of point `index` of a contact for one of its bodies (side 0: a, 1: b).
INLINE void row_at(const ImpiSoftTouch *at, int index, int side, double *out_j) {
  double sign = side == 0 ? -1 : 1, nx = (double)*at->nx, ny = (double)*at->ny;
  const ImpiSoftTouchPoint *p = &at->points[index];
  double rx = (double)(side == 0 ? *p->rax : *p->rbx), ry = (double)(side == 0 ? *p->ray : *p->rby);
  out_j[0] = sign * nx;
  out_j[1] = sign * ny;
  out_j[2] = sign * (rx * ny - ry * nx);
}


// Compute the change of a body's velocity by a unit impulse along J, from the mass of this body alone.
INLINE void own_change(const ImpiSoftTouch *at, int side, const double *j, double *out_dv) {
  out_dv[0] = (double)(side == 0 ? at->ma : at->mb) * j[0];
  out_dv[1] = (double)(side == 0 ? at->ma_y : at->mb_y) * j[1];
  out_dv[2] = (double)(side == 0 ? at->ia : at->ib) * j[2];
}


static double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }


INLINE int side_of(const ImpiClusters *clusters, const ImpiClusterBlock *block, int32_t body) {
  int k = 0;
  while (clusters->sides.data[block->first_side + k] != body) {
    ++k;
  }
  return k + block->skip;
}


// Add J W j^T of the lock rows at one body to x, the right-hand side of the equation for y.
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


// Compute the response of one cluster to a unit impulse at a contact point: y of each joint row, then dv of each body.
// Impulses of joint rows change by -y, velocities of bodies by dv (formulas at the top).
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


static void find_response(ImpiSoftJoints *joints, ImpiClusterPoint *point) {
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


// Apply an impulse d at a point. It changes the velocities of bodies in a cluster by dv d, with dv from `answers`, and
// those of all other bodies by d times own_change.
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


// Return the change of the normal speed at a contact point due to all impulses of the contact. The masses are those of
// its two bodies, without the joints.
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


// Solve one point. As in the contact kernels, its target speed and softness depend on the masses of its two bodies, not
// on the joints. Returns the change of the point's speed [m/s].
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
    find_response(joints, point);
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


// Change the impulses of the locks by -y d, after an impulse d of a point, and add the work of the change.
static void update_locks(ImpiSoftJoints *joints, const ImpiClusterPoint *point) {
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
        row->work -= (float)(d * (double)row->pull); // work is d J v, and a solved lock has J v = -pull
      }
    }
  }
}


// Solve the points of the clusters that the previous sweep changed, and mark the clusters that this sweep changes.
// Returns whether a cluster changed.
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


void impi_cluster_solve_points(ImpiSoftJoints *joints, const ImpiSoftPass *pass) {
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
      update_locks(joints, &clusters->points.data[i]);
    }
  }
}


// Add a point of a contact to a cluster, unless the cluster has IMPI_CLUSTER_POINTS points.
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
