// Clusters: joints of the soft solver that are solved together.
//
// Joints that share a body with far less inertia than its neighbours, and trees of welds, are not for Gauss-Seidel: it
// takes as many sweeps as the masses differ, and warm starting may excite what it does not solve. The locks of all joints
// that hang together with such a body are solved exactly instead, in double, by one factor of J M^-1 J^T.
//
// Which joints these are follows from masses, anchors, locks and drives, not from poses: so it is the same after a
// restore, and stays while nothing about the joints changes.
#ifndef IMPI_SOLVE_SOFT_CLUSTER_H
#define IMPI_SOLVE_SOFT_CLUSTER_H

#include "linalg/factor.h"
#include "model/solver.h"
#include "solvers/soft/solve_soft.h"

// Two joints at one moving body, and where their part of A is.
typedef struct ImpiClusterPair {
  int32_t block[2];
  uint16_t side[2]; // which body of its record that is
  int32_t number;   // in factor.a
  int32_t step[2];  // from row to row of each
} ImpiClusterPair;

typedef struct ImpiClusterBody {
  int32_t slot, lane;
  double stiffness;        // that tension gives its turning [N m / rad]
  float part, inv_inertia; // of its own inertia, and the inverse of what it has in rows
  double w[3];             // inverse masses in rows
  float left[3];           // velocity after the last solve
  int32_t cluster, place;  // which one, and which of its bodies
  bool touched;            // it has contacts
  double v[3], began[3];   // while rows are solved, and before
} ImpiClusterBody;

// A joint of a cluster.
typedef struct ImpiClusterBlock {
  int32_t joint;      // slot
  uint32_t head;      // its record [bytes]
  int32_t first_side; // its bodies, in `sides`
  int32_t skip;       // bodies of its record that are not its own: the world before a single one
  int32_t row;        // its first row in x
  int32_t rows;       // locks that are solved together
  int32_t diagonal;   // its first number in factor.a
  int32_t step;       // from one number of the diagonal to the next
  int32_t cluster;    // which one
  int32_t local;      // its first row in that
} ImpiClusterBlock;

// What hangs together: its parts of the lists.
typedef struct ImpiCluster {
  int32_t first_panel, panels, first_block, blocks, first_body, bodies;
  int32_t rows;
  int32_t points;        // of contacts
  bool plain;            // no joint has rows but locks
  bool solved;           // velocities are those that the last solve left in `left`, unless contacts changed them
  bool holds;            // nothing did: there is nothing to solve
  bool changed, goes_on; // by this sweep over points, and by the one before
} ImpiCluster;

// The most points of contacts that are solved with one cluster.
#define IMPI_CLUSTER_POINTS 24

// A point of a contact at a cluster.
typedef struct ImpiClusterPoint {
  ImpiSoftTouch at;
  int32_t index;      // of its contact's points
  int32_t body[2];    // in `bodies`, -1: in no cluster
  int32_t cluster[2]; // that answer, -1: no other
  int32_t answer[2];  // where their answers are, in `answers`
  double k;           // its speed by an impulse
  double change;      // of its impulse in the present solve
  bool known;         // k and the answers are
} ImpiClusterPoint;

typedef struct ImpiClusters {
  IMPI_ARRAY(struct ImpiShare) shares;                // by body slot, while it is looked who hangs together
  IMPI_ARRAY(bool) together;                          // of each active joint
  IMPI_ARRAY(int32_t) sizes, first, members, body_of; // for the plan of the factor
  IMPI_ARRAY(ImpiClusterBlock) blocks;
  IMPI_ARRAY(ImpiClusterBody) bodies;
  IMPI_ARRAY(int32_t) sides; // of each block's bodies: in `bodies`, -1: none
  IMPI_ARRAY(ImpiClusterPair) pairs;
  IMPI_ARRAY(double) x, errors, before; // impulses that velocities want; those that errors do; J v before them
  IMPI_ARRAY(bool) fixed;
  IMPI_ARRAY(ImpiCluster) clusters;
  IMPI_ARRAY(int32_t) panel_list, block_list, body_list; // cluster by cluster
  IMPI_ARRAY(ImpiClusterPoint) points;
  IMPI_ARRAY(double) answers; // of clusters to points: y of its rows, dv of its bodies
  ImpiFactor factor;
  bool stiff;             // some body has another inertia than its own
  ImpiFactorNumbers soft; // of the factor that errors are corrected by
  bool filled, softened;  // A and the factor are those of the rows as they are; the soft one too
} ImpiClusters;

void impi_clusters_free(ImpiHeap *heap, ImpiClusters *clusters);
// The body of a cluster at a slot, -1: none. Bodies that came after the plan are in none.
static inline int32_t impi_cluster_body(const ImpiClusters *clusters, int32_t slot) {
  return slot < clusters->body_of.count ? clusters->body_of.data[slot] : -1;
}

// Find the clusters among the active joints and plan their factor. False: out of memory.
bool impi_clusters_plan(const ImpiSolve *solve, ImpiClusters *clusters);
// Room for the contacts of the step that begins.
bool impi_clusters_reserve_points(const ImpiSolve *solve, ImpiClusters *clusters);

#endif
