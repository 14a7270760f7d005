// Clusters: joints of the soft solver that are solved together.
//
// Gauss-Seidel converges slowly for joints at a body with far less inertia than its neighbours, and for trees of welds.
// The locks of all joints that are connected to such a body are solved exactly, in double, by one factorization of J
// M^-1 J^T.
// The selection of these joints must not depend on poses, so that it is the same after a restore.
#ifndef IMPI_SOLVE_SOFT_CLUSTER_H
#define IMPI_SOLVE_SOFT_CLUSTER_H

#include "linalg/factor.h"
#include "model/solver.h"
#include "solvers/soft/solve_soft.h"

// Two joints at one moving body, and their coupling in the matrix A of the factor.
typedef struct ImpiClusterPair {
  int32_t block[2];
  uint16_t side[2]; // index of the shared body in the record of each joint
  int32_t number;   // index of the first element of the coupling in factor.a
  int32_t step[2];  // distance in factor.a between elements of consecutive rows of each joint
} ImpiClusterPair;

typedef struct ImpiClusterBody {
  int32_t slot, lane;
  double stiffness;        // rotational stiffness due to tension in the joints [N m / rad]
  float part, inv_inertia; // own inertia / inertia used by the rows; inverse of the inertia used by the rows
  double w[3];             // inverse masses along x and y, and inverse inertia, used by the rows
  float left[3];           // velocity after the last solve
  int32_t cluster, place;  // index of the body's cluster; index of the body in the cluster
  bool touched;            // the body has contacts
  double v[3], began[3];   // velocity in a solve; velocity before the solve
} ImpiClusterBody;

// A joint of a cluster.
typedef struct ImpiClusterBlock {
  int32_t joint;      // slot
  uint32_t head;      // offset of the joint's record [bytes]
  int32_t first_side; // index of the joint's first body in `sides`
  int32_t skip;       // number of bodies of the record that stand for the static world
  int32_t row;        // index of the joint's first row in x
  int32_t rows;       // number of rows: locks and rotors
  int32_t diagonal;   // index of the joint's first diagonal element in factor.a
  int32_t step;       // distance in factor.a between consecutive diagonal elements of the joint
  int32_t cluster;
  int32_t local; // index of the joint's first row in the cluster
} ImpiClusterBlock;

// A set of connected bodies and joints, as ranges of panel_list, block_list and body_list.
typedef struct ImpiCluster {
  int32_t first_panel, panels, first_block, blocks, first_body, bodies;
  int32_t rows;
  int32_t points;        // number of contact points that are solved with the cluster
  bool plain;            // all rows are locks
  bool solved;           // the last solve is valid while the velocities equal `left`
  bool holds;            // the velocities equal `left`: the cluster needs no solve
  bool changed, goes_on; // the current sweep over points changed the cluster; the previous sweep changed it
} ImpiCluster;

// Largest number of contact points of a cluster.
#define IMPI_CLUSTER_POINTS 24

// A contact point on a body of a cluster.
typedef struct ImpiClusterPoint {
  ImpiSoftTouch at;
  int32_t index;      // index of the point in its contact
  int32_t body[2];    // index of each body in `bodies`; -1: the body is not in a cluster
  int32_t cluster[2]; // clusters on which the point acts; -1: unused
  int32_t answer[2];  // offset in `answers` of the response of each cluster
  double k;           // change of the point's normal speed per impulse [1/kg]
  double change;      // change of the point's impulse in the current solve
  bool known;         // k and the responses are valid
} ImpiClusterPoint;

typedef struct ImpiClusters {
  IMPI_ARRAY(struct ImpiShare) shares; // scratch of the plan, by body slot
  IMPI_ARRAY(bool) together;           // whether each active joint is in a cluster
  // sizes: number of rows by block. Blocks at body i: members[first[i]] to members[first[i + 1] - 1].
  // body_of: index in `bodies` by body slot, or -1.
  IMPI_ARRAY(int32_t) sizes, first, members, body_of;
  IMPI_ARRAY(ImpiClusterBlock) blocks;
  IMPI_ARRAY(ImpiClusterBody) bodies;
  IMPI_ARRAY(int32_t) sides; // index in `bodies` of each block's bodies; -1: does not move
  IMPI_ARRAY(ImpiClusterPair) pairs;
  // For each row: impulse for the velocity constraint, impulse that corrects the position error, and J v before the
  // impulses.
  IMPI_ARRAY(double) x, errors, before;
  IMPI_ARRAY(bool) fixed; // for each row: the row has no effect
  IMPI_ARRAY(ImpiCluster) clusters;
  // Indices of the factor's panels, of `blocks` and of `bodies`, sorted by cluster.
  IMPI_ARRAY(int32_t) panel_list, block_list, body_list;
  IMPI_ARRAY(ImpiClusterPoint) points;
  // For each contact point: y of each joint row, then dv of each body. An impulse d at the point changes the impulses
  // of joint rows by -y d, and the velocities of bodies by dv d.
  IMPI_ARRAY(double) answers;
  ImpiFactor factor;
  bool stiff;             // a body has an increased inertia, see impi_clusters_stiffen
  ImpiFactorNumbers soft; // factorization of J W J^T + g for position errors, see soft_cluster_passes.c
  bool filled, softened;  // `factor` matches the current rows; `soft` matches the current rows
} ImpiClusters;

void impi_clusters_free(ImpiHeap *heap, ImpiClusters *clusters);
// Return the index in `bodies` of the body in a slot, -1 if it is not in a cluster.
static inline int32_t impi_cluster_body(const ImpiClusters *clusters, int32_t slot) {
  return slot < clusters->body_of.count ? clusters->body_of.data[slot] : -1;
}

// Find the clusters of the active joints and plan their factor. Returns false when out of memory.
bool impi_clusters_plan(const ImpiSolve *solve, ImpiClusters *clusters);
// Reserve `points` and `answers` for the contacts of a new step. Returns false when out of memory.
bool impi_clusters_reserve_points(const ImpiSolve *solve, ImpiClusters *clusters);

#endif
