// The expression tape: a function of poses as a list of operations, evaluated with its derivatives.
#ifndef IMPI_TAPE_H
#define IMPI_TAPE_H

#include "base/array.h"
#include "model/body.h"

// One operation of a tape; a and b are the slots of its operands.
typedef struct ImpiTapeCode {
  int32_t op; // ImpOp or IMPI_OP_FIXED_POW
  int32_t a, b;
  int32_t c; // operand without a derivative: slot of a condition, or index of a body, parameter or point
} ImpiTapeCode;

// A point or vector fixed in a body. There is no padding, so that memcmp can compare tapes.
typedef struct ImpiTapePoint {
  ImpVec2 local; // [m]
  int64_t body;
} ImpiTapePoint;

// A power whose exponent depends on no variable. The base may be negative or 0.
#define IMPI_OP_FIXED_POW ((int)IMP_OP_COUNT)

// Values of a slot (operand or result of an operation).
typedef struct ImpiTapeSlot {
  double d1, d2; // first and second derivative along the velocities
  double value;
  double adjoint;    // derivative of the result with respect to the slot
  double by_a, by_b; // derivatives of an operation with respect to its operands
} ImpiTapeSlot;

// A tape with more slots than this is evaluated in memory of its own.
#define IMPI_TAPE_STACK 96

// A tape that has been checked and sorted. The slots are the number 0, three variables for each body (x, y and angle
// or, for a velocity tape, the rates of these), the constants, the operations that depend on no variable, and all other
// operations.
typedef struct ImpiTape {
  // values of the constants   (first_fixed - first_constant); start of the memory block of all arrays
  double *constants;
  ImpiTapePoint *points; // (point_count)
  ImpiTapeSlot *work;    // work memory if slot_count is more than IMPI_TAPE_STACK, else null   (slot_count)
  ImpiTapeCode *code;    // (slot_count - first_fixed)
  int32_t *results;      // slot of each result   (result_count)
  int32_t first_constant, first_fixed, first_moving, slot_count;
  int32_t result_count, body_count, param_count, point_count;
  bool velocity;     // results are rates, linear in the velocities
  bool timed;        // the results depend on time
  size_t block_size; // [bytes]
} ImpiTape;

// Input of an evaluation.
typedef struct ImpiTapeInput {
  const ImpiMotion *const *motions; // state of each body   (body_count)
  const ImpVec2 *local_centers;     // centre of mass in each body's frame   (body_count)
  const double *params;             // (param_count)
  double t;
} ImpiTapeInput;

// Output of an evaluation. Result i has value[i]. Its derivatives are j[i * stride + k], three for each body.
// curvature[i] = J' v is its second derivative along the velocities of the bodies at fixed time. For a velocity tape,
// value is the rate at velocity 0, j is the derivative with respect to the velocities, and curvature is 0.
typedef struct ImpiTapeOutput {
  double *value;
  double *j;         // null: not computed
  double *curvature; // null: not computed
} ImpiTapeOutput;

// Check and copy a tape. The operands of a node must be earlier nodes. Bodies and parameters must be in range.
// Velocities are valid only in velocity tapes. There must be at least one result. Errors, with *out_tape untouched:
// IMP_ERR_ARGUMENT, IMP_ERR_LIMIT, IMP_ERR_NOMEM.
ImpStatus impi_tape_create(ImpiHeap *heap, const ImpTapeDef *def, int body_count, int param_count, ImpiTape *out_tape);
// Free a tape and set it to zeros. A tape of zeros may be freed again.
void impi_tape_free(ImpiHeap *heap, ImpiTape *tape);
// Return the size of the memory block of a tape's arrays, from slot_count, point_count and so on [bytes].
uint64_t impi_tape_size(const ImpiTape *tape);
// Set the pointers of a tape into `block`, a copy of the memory block of a tape whose arrays have the same lengths.
void impi_tape_bind(ImpiTape *tape, void *block);
// Compute only the values of the results, into out_value (result_count). For a velocity tape they are the rates at
// velocity 0.
void impi_tape_values(const ImpiTape *tape, const ImpiTapeInput *input, double *out_value);
// Compute values, Jacobians (stride 3 * body_count) and curvature. The angular velocities in the curvature are clamped
// to +-max_turn [rad/s].
void impi_tape_evaluate(const ImpiTape *tape, const ImpiTapeInput *input, double max_turn, ImpiTapeOutput output);
// Return whether the results of a velocity tape are linear in the velocities, tested at `input`; false if they are not
// finite.
bool impi_tape_is_linear(const ImpiTape *tape, const ImpiTapeInput *input);

#endif
