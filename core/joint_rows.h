// Level 4. Joints as rows in double: the one place that says what the rows of a joint are.
#ifndef IMPI_JOINT_ROWS_H
#define IMPI_JOINT_ROWS_H

#include "joint.h"
#include "row.h"

// Most rows and further terms that a joint can make now.
int impi_joint_row_room(const ImpiJoint *joint);
int impi_joint_term_room(const ImpiJoint *joint);

// Write the rows of a joint, its coordinates in order and of each: lock, lower and upper limit, motor, servo, spring,
// force. `samples` are of the present poses. c is the position error (value less lock, bound, target or rest), bias is
// what the drive asks for without any correction of c: minus the motor's speed, minus the target's, a user's bias;
// a solver adds its own, and what time does. Bounds are impulses over h. lambda is the kept one; of a force row, of
// which nothing is solved, h * force. `terms` is room for further bodies. Returns how many rows were written.
int impi_joint_rows(ImpiJoint *joints, ImpiDrive *drives, int32_t joint, const ImpiSamples *samples,
                    const ImpiBody *bodies, double h, ImpiRow *rows, ImpiRowTerm *terms);

// Whether c is an error that a solver should correct: not of motors, springs, forces and user rows without C.
bool impi_row_has_error(const ImpiJoint *joint, const ImpiRow *row);
// Rows of inequalities: +1 where c >= 0 is kept, -1 where c <= 0, 0 for all others.
int impi_row_side(const ImpiJoint *joint, const ImpiRow *row);

#endif
