// Rows of joints in double.
#ifndef IMPI_JOINT_ROWS_H
#define IMPI_JOINT_ROWS_H

#include "model/joint.h"
#include "model/row.h"

// Return the largest number of rows that a joint can make now.
int impi_joint_row_room(const ImpiJoint *joint);
// Return the largest number of rows that a joint can make in a step. `handlers`: callbacks of substeps may add drives
// to free coordinates.
int impi_joint_step_rows(const ImpiJoint *joint, bool handlers);
// Return the largest number of terms (ImpiRowTerm) on bodies other than a row's first two.
int impi_joint_term_room(const ImpiJoint *joint);

// Write the rows of a joint, coordinate by coordinate: the row of its lock, or the rows of its drives in
// impi_drive_order. `samples`: the coordinates at the present poses. c of a row is the position error: the coordinate's
// value minus the lock, bound, target or rest value. bias is the target speed of the motor or servo, negated, or the
// bias of a user row; a solver adds corrections. The bounds of lambda are h times the bounds of the force. lambda is
// the stored impulse, or h * force for a force drive. `terms`: room for parts of J on further bodies. Return the number
// of rows.
int impi_joint_rows(ImpiJoint *joints, ImpiDrive *drives, int32_t joint, const ImpiSamples *samples,
                    const ImpiBody *bodies, double h, ImpiRow *rows, ImpiRowTerm *terms);

// Return whether a row is soft: the row of a spring, armature or damping that can move a body.
static inline bool impi_row_is_soft_drive(const ImpiRow *row) {
  bool kind = row->kind == IMP_ROW_SPRING || row->kind == IMP_ROW_ARMATURE || row->kind == IMP_ROW_DAMPING;
  return kind && row->mass > 0;
}
// Compute stiffness and damping of the row of a spring or damper. A damper has stiffness 0.
void impi_row_constants(const ImpiRow *row, const ImpDrive *set, double *out_stiffness, double *out_damping);
// Compute scale, keep and push (see row.h) of a soft row for a substep h, from the present mass and c of the row, for a
// spring also from ImpiRow.swings. `armature`: armature of the coordinate, or 0 if the mass of the row includes it. The
// row of an armature R couples J v to the speed s of the rotor. The impulse on the rotor is -lambda:
//   J v = s' = s - lambda / R,  or  J v + b + lambda / R = 0,  b = -s.
void impi_row_soften(ImpiRow *row, const ImpDrive *set, double armature, double h);

// Return whether the solver corrects c of the row: true for locks, servos and user rows with a position error.
bool impi_row_has_error(const ImpiJoint *joint, const ImpiRow *row);
// Return the side of an inequality: +1 for c >= 0, -1 for c <= 0, 0 for all other rows.
int impi_row_side(const ImpiJoint *joint, const ImpiRow *row);

#endif
