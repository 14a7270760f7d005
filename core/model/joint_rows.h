// Joints as rows in double: the one place that says what the rows of a joint are.
#ifndef IMPI_JOINT_ROWS_H
#define IMPI_JOINT_ROWS_H

#include "model/joint.h"
#include "model/row.h"

// Most rows and further terms that a joint can make now.
int impi_joint_row_room(const ImpiJoint *joint);
// The same within a step, where substep handlers may give the coordinates that are free their first drives.
int impi_joint_step_rows(const ImpiJoint *joint, bool handlers);
int impi_joint_term_room(const ImpiJoint *joint);

// Write the rows of a joint, its coordinates in order and of each the lock or its drives in impi_drive_order. `samples`
// are of the present poses. c is the position error (value less lock, bound, target or rest), bias is what the drive
// asks for without any correction of c: minus the motor's speed, minus the target's, a user's bias; a solver adds its
// own, and what time does. Bounds are impulses over h. lambda is the kept one; of a force row, of which nothing is
// solved, h * force. `terms` is room for further bodies. Returns how many rows were written.
int impi_joint_rows(ImpiJoint *joints, ImpiDrive *drives, int32_t joint, const ImpiSamples *samples,
                    const ImpiBody *bodies, double h, ImpiRow *rows, ImpiRowTerm *terms);

// Whether a row is soft by what its drive says: a spring, armature or damping. Rows that nothing can move are not.
static inline bool impi_row_is_soft_drive(const ImpiRow *row) {
  bool kind = row->kind == IMP_ROW_SPRING || row->kind == IMP_ROW_ARMATURE || row->kind == IMP_ROW_DAMPING;
  return kind && row->mass > 0;
}
// Stiffness and damping of a spring's row, or of a damper's, whose stiffness is 0.
void impi_row_constants(const ImpiRow *row, const ImpDrive *set, double *out_stiffness, double *out_damping);
// The softness of such a row over a substep h, from its present mass and c (of a spring, `swings` too). `armature`:
// that of the coordinate, unless the mass contains it. With the rotor's speed s and its impulse -lambda, armature R is
//   J v = s' = s - lambda / R,  or  J v + b + lambda / R = 0,  b = -s.
void impi_row_soften(ImpiRow *row, const ImpDrive *set, double armature, double h);

// Whether c is an error that a solver should correct: not of motors, springs, forces and user rows without C.
bool impi_row_has_error(const ImpiJoint *joint, const ImpiRow *row);
// Rows of inequalities: +1 where c >= 0 is kept, -1 where c <= 0, 0 for all others.
int impi_row_side(const ImpiJoint *joint, const ImpiRow *row);

#endif
