// Rows of joints in double: the only definition of a joint's rows.
#ifndef IMPI_JOINT_ROWS_H
#define IMPI_JOINT_ROWS_H

#include "model/joint.h"
#include "model/row.h"

// Return the largest number of rows that a joint can make now.
int impi_joint_row_room(const ImpiJoint *joint);
// Return the largest number of rows that a joint can make in a step. With `handlers`, substep handlers may give free
// coordinates their first drives in that step.
int impi_joint_step_rows(const ImpiJoint *joint, bool handlers);
// Return the largest number of terms (ImpiRowTerm) on bodies other than a row's first two.
int impi_joint_term_room(const ImpiJoint *joint);

// Write the rows of a joint: for each coordinate in order its lock, or its drives in impi_drive_order. `samples` are
// those at the present poses. c is the position error (value minus lock, bound, target or rest). bias is that of the
// drive: minus the motor's speed, minus the target's speed, or a user's bias; a solver adds corrections of c and rates
// due to time. Bounds are impulses over h. lambda is the stored impulse; for a force row, which is not solved, h *
// force. `terms` is room for further bodies. Return how many rows were written.
int impi_joint_rows(ImpiJoint *joints, ImpiDrive *drives, int32_t joint, const ImpiSamples *samples,
                    const ImpiBody *bodies, double h, ImpiRow *rows, ImpiRowTerm *terms);

// Return whether the drive of a row is soft: a spring, armature or damping. Rows that cannot move a body are not soft.
static inline bool impi_row_is_soft_drive(const ImpiRow *row) {
  bool kind = row->kind == IMP_ROW_SPRING || row->kind == IMP_ROW_ARMATURE || row->kind == IMP_ROW_DAMPING;
  return kind && row->mass > 0;
}
// Compute stiffness and damping of a spring's row, or of a damper's, whose stiffness is 0.
void impi_row_constants(const ImpiRow *row, const ImpDrive *set, double *out_stiffness, double *out_damping);
// Compute the softness of a row for which impi_row_is_soft_drive is true over a substep h, from its present mass and c
// (for a spring, `swings` too). `armature` is that of the coordinate, or 0 if the mass contains it. With the speed s of
// the rotor, on which the row's impulse is -lambda, the row of an armature R is
//   J v = s' = s - lambda / R,  or  J v + b + lambda / R = 0,  b = -s.
void impi_row_soften(ImpiRow *row, const ImpDrive *set, double armature, double h);

// Return whether c is an error that a solver should correct; false for motors, springs, forces and user rows without C.
bool impi_row_has_error(const ImpiJoint *joint, const ImpiRow *row);
// Return the side of an inequality: +1 if its row keeps c >= 0, -1 if it keeps c <= 0, 0 for all other rows.
int impi_row_side(const ImpiJoint *joint, const ImpiRow *row);

#endif
