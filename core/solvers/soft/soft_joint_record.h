// The records of the soft solver's joints: between the file that plans them and the one that passes over them.
#ifndef IMPI_SOLVE_SOFT_JOINT_RECORD_H
#define IMPI_SOLVE_SOFT_JOINT_RECORD_H

#include "model/joint_rows.h"
#include "solvers/soft/soft_joints.h"

#define PAIR_LOCKS IMPI_FEW

typedef enum RowRole { ROLE_LOCK, ROLE_HELD, ROLE_LIMIT, ROLE_SPRING, ROLE_FORCE, ROLE_ROTOR } RowRole;

// Four floats of a record that starts anywhere: a body's part of J, or its inverse masses (m, m, i, 0), with 0 for
// locked axes. The fourth is for a rotor behind a coordinate (armature R), which is one more body of one freedom: J is -1
// in its own row J v - s = 0, and the inverse mass is 1 / R. Rotor r of a joint is in the part of body (bodies - 1 - r).
typedef float Part __attribute__((vector_size(16), aligned(4)));

// What the passes over a row read and write, in the record; J (a Part a body, its last number 0) and weights against
// the locks follow it.
typedef struct Row {
  float mass, k;     // 1 / D and D; mass 0: dropped
  float pull, rest;  // biases of solve and of relax, as made orthogonal
  float lambda;      // of the substep
  float c;           // error; of a lock made orthogonal, with its curvature
  float total, work; // over the step
} Row;

// What only rows of drives need, and the planning.
typedef struct ImpiRowExtra {
  float bias;               // raw, set when the substep begins, kept in relax
  float scale, keep, push;  // of the solve
  float lower, upper;       // impulses
  uint8_t role, kind, side; // RowRole, ImpRowKind; side: 0 both, 1 keeps c >= 0, 2 keeps c <= 0
  float share;              // work by the mean of speeds: what the row says in the end [J]
  uint8_t drive_row;
  uint8_t rotor;      // of a row of one: which of the record
  bool stopped;       // a motor that its limit stops
  uint8_t stopped_by; // the side of the end that does so in relax, 0: none
  int32_t coordinate;
} Extra;

// A rotor behind a coordinate of a record.
typedef struct ImpiSoftRotor {
  double speed, before; // now, and when the substep began [m/s or rad/s]
  int32_t drive;        // its record
} Rotor;

// The locks of a plain joint of two bodies: what is measured, in one place.
typedef struct ImpiJointFrame {
  ImpiGauge gauge; // its anchors are measured from the centres of mass
  double lock[PAIR_LOCKS];
  uint8_t kinds[PAIR_LOCKS];
} Frame;

// A joint's record: Head, lanes of its bodies, their inverse masses, then the rows.
typedef struct Head {
  int32_t joint;
  int32_t extra;         // its first in ImpiSoftJoints.extras
  int32_t frame;         // in ImpiSoftJoints.frames, -1: none
  int32_t rotor;         // its first in ImpiSoftJoints.rotors
  uint32_t signature;    // of the drives that the rows were planned for
  uint32_t size, stride; // of the record and of a row [bytes]
  uint8_t bodies;        // 2 for joints of one body too: the first is then the static world
  uint8_t locks;         // and rotors, which come behind them
  uint8_t rotors;
  uint16_t rows, room; // in use, and that there is memory for
  float wrench[3];     // impulse on the last body over the step, about its centre of mass
  float most;          // the length by which it may be open without being in doubt [m]
  bool doubt;          // whether it is, where positions moved to last
  bool plain;          // locks only, nothing changes with time: needs no aim
  bool restless;       // it is in ImpiSoftJoints.restless: not plain, or not all the time of the step
  bool limited;        // some coordinate has a limit and other drives
} Head;


// ---------------------------------------------------------------------------------------------------------------------
// Records. `n` is the number of bodies, a constant for pairs, so that loops unroll.
// ---------------------------------------------------------------------------------------------------------------------

#define INLINE static inline __attribute__((always_inline))


INLINE int32_t *lanes_of(Head *head) { return (int32_t *)(void *)(head + 1); }


INLINE Part *weights_of(Head *head, int n) { return (Part *)(void *)(lanes_of(head) + n); }


INLINE Row *row_of(Head *head, int n, uint32_t stride, int index) {
  unsigned char *rows = (unsigned char *)(weights_of(head, n) + n);
  return (Row *)(void *)(rows + (uint32_t)index * stride);
}


INLINE Part *jacobian_of(Row *row) { return (Part *)(void *)(row + 1); }


INLINE float *against_of(Row *row, int n) { return (float *)(void *)(jacobian_of(row) + n); }


INLINE uint32_t stride_for(int bodies, int locks) {
  return (uint32_t)(sizeof(Row) + (size_t)bodies * sizeof(Part) + (size_t)locks * sizeof(float));
}


#define PAIR_STRIDE ((uint32_t)(sizeof(Row) + 2 * sizeof(Part) + PAIR_LOCKS * sizeof(float)))


#define FOR_RECORDS_BETWEEN(joints, head, begin, end) \
  for (Head *head = (Head *)(void *)((joints)->memory + (begin)), \
            *last_head = (Head *)(void *)((joints)->memory + (end)); \
       head < last_head; head = (Head *)(void *)((unsigned char *)head + head->size))
#define FOR_RECORDS(joints, head) FOR_RECORDS_BETWEEN(joints, head, 0, (joints)->used)
// Those that are solved one by one, and those of clusters.
#define FOR_SINGLES(joints, head) FOR_RECORDS_BETWEEN(joints, head, 0, (joints)->together)
#define FOR_TOGETHER(joints, head) FOR_RECORDS_BETWEEN(joints, head, (joints)->together, (joints)->used)

// soft_joints.c: bring a joint of changing rows up to date before it is linearised at a time whose substep ends
// at `end`.
void impi_soft_joint_update(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, double end);
// soft_joint_passes.c: rows at the present poses; impulses are raw before and after.
void impi_soft_joint_linearise(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, double t);
// The rows of a joint's drives, in the passes' basis.
void impi_soft_joint_solve_drives(const ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, bool relax, Head *head);
// Bodies of clusters under tension are heavier to turn; rows follow. Impulses are raw.
void impi_soft_joints_stiffen(ImpiSolve *solve, ImpiSoftJoints *joints);
// Add what the drives did in the last substep to their shares; impulses are raw.
void impi_soft_joint_share_work(const ImpiSoftJoints *joints, Head *head);
// The biases of solve and relax from the raw ones.
void impi_soft_joint_biases(const ImpiSoftJoints *joints, Head *head);
// Poses and velocities of all lanes in double.
void impi_soft_joints_look(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);

// soft_cluster_passes.c: what a joint's tension adds to the stiffness of its bodies; impulses in the basis of the
// rows. Then bodies that it makes too stiff get another inertia.
void impi_clusters_add_tension(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiClusterBlock *block);
void impi_clusters_stiffen(const ImpiSolve *solve, ImpiSoftJoints *joints);
// Drives one after another, all locks at once, and the contacts of their bodies; without a pass of contacts these wait.
void impi_clusters_solve(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, bool relax, const ImpiSoftPass *contacts);
// Change a lane's velocity, and where gains are kept its gain.
void impi_cluster_push(const ImpiLaneBodies *lanes, int32_t lane, const double *dv);
// Look who touches the bodies of clusters, as a step begins.
void impi_clusters_find_touches(const ImpiSolve *solve, ImpiSoftJoints *joints);

INLINE Head *head_of(const ImpiSoftJoints *joints, const ImpiClusterBlock *block) {
  return (Head *)(void *)(joints->memory + block->head);
}


// Locks that the factor holds: one that a handler locked within the step waits for the next.
INLINE int held_rows(const ImpiClusterBlock *block, const Head *head) {
  return head->locks < block->rows ? head->locks : block->rows;
}

// The first row with a share of the work of its own: drives and rotors; with locks, these get the rest of the sum.
INLINE int first_share(const Head *head) { return head->locks - (head->locks > head->rotors ? head->rotors : 0); }

// The points of contacts at clusters, see soft_cluster_points.c.
void impi_cluster_solve_points(ImpiSoftJoints *joints, const ImpiSoftPass *pass);

#endif
