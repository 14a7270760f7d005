// The records of joints that the soft solver solves one at a time or in clusters.
#ifndef IMPI_SOLVE_SOFT_JOINT_RECORD_H
#define IMPI_SOLVE_SOFT_JOINT_RECORD_H

#include "model/joint_rows.h"
#include "solvers/soft/soft_joints.h"

#define PAIR_LOCKS IMPI_INLINE_COORDINATES

typedef enum RowRole { ROLE_LOCK, ROLE_HELD, ROLE_LIMIT, ROLE_SPRING, ROLE_FORCE, ROLE_ROTOR } RowRole;

// A body's part of J, or its inverse masses (m, m, i, 0). The fourth float belongs to a rotor, the turning mass of a
// coordinate with armature R. The inverse mass of the rotor is 1 / R. Its speed s follows the coordinate: J v - s = 0.
// Rotor r of a joint uses the part of body (bodies - 1 - r).
typedef float Part __attribute__((vector_size(16), aligned(4)));

// A row. J (one Part per body) and the coefficients of its orthogonalisation follow in the record.
typedef struct Row {
  float mass, k;     // 1 / D and D; mass 0: dropped
  float pull, rest;  // biases of solve and of relax, in the orthogonal basis [m/s or rad/s]
  float lambda;      // impulse of the substep
  float c;           // error; of a lock: C' in soft_joint_passes.c
  float total, work; // impulse and work over the step
} Row;

// Data of a row for planning and for the solve of drives.
typedef struct ImpiRowExtra {
  float bias;               // bias before orthogonalisation, set at the start of the substep
  float scale, keep, push;  // softness of the solve: see model/row.h
  float lower, upper;       // bounds of the impulse
  uint8_t role, kind, side; // RowRole, ImpRowKind; side: 0 both, 1 keeps c >= 0, 2 keeps c <= 0
  float share;              // sum over the substeps of impulse times mean speed [J]
  uint8_t drive_row;        // ImpiDriveRow
  uint8_t rotor;            // ROLE_ROTOR: index of the rotor in the record
  bool stopped;             // a motor that its limit can stop
  uint8_t stopped_by;       // side of the limit row that stops the motor in relax; 0: none
  int32_t coordinate;
} Extra;

// The rotor of a coordinate with armature.
typedef struct ImpiSoftRotor {
  double speed, before; // speed now, and at the start of the substep [m/s or rad/s]
  int32_t drive;        // index of its ImpiDrive
} Rotor;

// Data with which the locks of a plain joint of two bodies are measured.
typedef struct ImpiJointFrame {
  ImpiJointFrames frames;    // with anchors relative to the centres of mass
  double lock[PAIR_LOCKS];   // see ImpiCoordinate.lock
  uint8_t kinds[PAIR_LOCKS]; // ImpCoordinateKind of each lock
} Frame;

// Record of a joint: Head, lanes of the bodies, inverse masses of the bodies, rows.
typedef struct Head {
  int32_t joint;
  int32_t extra;         // index of the joint's first element in ImpiSoftJoints.extras
  int32_t frame;         // index in ImpiSoftJoints.frames, -1: none
  int32_t rotor;         // index of the joint's first element in ImpiSoftJoints.rotors
  uint32_t signature;    // hash of the planned locks and drives
  uint32_t size, stride; // size of the record and of a row [bytes]
  uint8_t bodies;        // at least 2: for a joint with one body the first is the static world
  uint8_t locks;         // number of lock rows and rotor rows; rotor rows come last
  uint8_t rotors;        // number of rotor rows
  uint16_t rows, room;   // number of rows in use; capacity
  float wrench[3];       // impulse on the last body over the step, about its centre of mass [N s, N m s]
  float most;            // error above which the joint may be open [m]
  bool needs_recheck;    // the joint must be checked in double
  bool plain;            // locks only, independent of time
  bool restless;         // listed in ImpiSoftJoints.restless: not plain, or changed within the step
  bool limited;          // a coordinate has a limit and other drives
} Head;


// ---------------------------------------------------------------------------------------------------------------------
// Access to records. `n` is the number of bodies, a constant for pairs, so that loops unroll.
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
// Loops over the single records, and over the records of clusters.
#define FOR_SINGLES(joints, head) FOR_RECORDS_BETWEEN(joints, head, 0, (joints)->together)
#define FOR_TOGETHER(joints, head) FOR_RECORDS_BETWEEN(joints, head, (joints)->together, (joints)->used)

// soft_joints.c: update the rows of a joint that is not plain, for a substep that ends at `end`.
void impi_soft_joint_update(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, double end);

// soft_joint_passes.c: linearise the rows at the current poses. Row.lambda is the impulse before orthogonalisation.
void impi_soft_joint_linearise(ImpiSolve *solve, ImpiSoftJoints *joints, Head *head, double t);
// Solve the rows of a joint's drives, in the orthogonal basis.
void impi_soft_joint_solve_drives(const ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, bool relax, Head *head);
// Increase the inertia of bodies of clusters under tension, and linearise the rows again. Row.lambda is the
// impulse before orthogonalisation.
void impi_soft_joints_stiffen(ImpiSolve *solve, ImpiSoftJoints *joints);
// After a substep, add its work of drives and rotors to Extra.share of their rows. Row.lambda is the impulse before
// orthogonalisation.
void impi_soft_joint_share_work(const ImpiSoftJoints *joints, Head *head);
// Compute the biases of solve and relax (Row.pull, Row.rest) from the biases before orthogonalisation (Extra.bias).
void impi_soft_joint_biases(const ImpiSoftJoints *joints, Head *head);
// Compute poses and velocities of all lanes in double (ImpiSoftJoints.now).
void impi_soft_joints_look(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiLaneBodies *lanes);

// soft_cluster_passes.c: add the geometric stiffness of a joint under tension to its bodies. Row.lambda must be in the
// orthogonal basis.
void impi_clusters_add_tension(const ImpiSolve *solve, ImpiSoftJoints *joints, const ImpiClusterBlock *block);
void impi_clusters_stiffen(const ImpiSolve *solve, ImpiSoftJoints *joints);
// Solve the drives of clusters one after another, all locks together, and the contacts of the bodies if `contacts` is
// not NULL.
void impi_clusters_solve(ImpiSoftJoints *joints, const ImpiLaneBodies *lanes, bool relax, const ImpiSoftPass *contacts);
// Add dv to the velocity of a lane and, in short substeps, to its gain (ImpiLaneBodies.gain).
void impi_cluster_push(const ImpiLaneBodies *lanes, int32_t lane, const double *dv);
// Find the contacts of the bodies of clusters, at the start of a step.
void impi_clusters_find_touches(const ImpiSolve *solve, ImpiSoftJoints *joints);

INLINE Head *head_of(const ImpiSoftJoints *joints, const ImpiClusterBlock *block) {
  return (Head *)(void *)(joints->memory + block->head);
}


// Return the number of a joint's lock rows in the factorization of its cluster. A lock that a handler added within the
// step is included from the next step on.
INLINE int held_rows(const ImpiClusterBlock *block, const Head *head) {
  return head->locks < block->rows ? head->locks : block->rows;
}

// Return the index of the first row that reports `share` as its work.
INLINE int first_share(const Head *head) { return head->locks - (head->locks > head->rotors ? head->rotors : 0); }

// Solve the points of contacts at clusters, see soft_cluster_points.c.
void impi_cluster_solve_points(ImpiSoftJoints *joints, const ImpiSoftPass *pass);

#endif
