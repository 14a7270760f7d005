// The expression tape: a function of poses as a list of operations, evaluated with its derivatives.
#ifndef IMPI_TAPE_H
#define IMPI_TAPE_H

#include "base/array.h"
#include "model/body.h"

// One operation as the evaluation reads it; a and b are the slots of what it depends on.
typedef struct ImpiTapeCode {
  int32_t op; // ImpOp or IMPI_OP_FIXED_POW
  int32_t a, b;
  int32_t c; // what it reads but has no derivative by: a condition's slot, the number of a body, parameter or point
} ImpiTapeCode;

// A point or vector fixed in a body. No padding: blocks are compared byte by byte.
typedef struct ImpiTapePoint {
  ImpVec2 local; // [m]
  int64_t body;
} ImpiTapePoint;

// Powers whose exponent nothing moves: they need no logarithm, so the base may be negative or 0.
#define IMPI_OP_FIXED_POW ((int)IMP_OP_COUNT)

// What is known of a number while a tape is evaluated. Compilers move d1 and d2 as one vector: they are stored and read
// together, because a load across two stores waits for both.
typedef struct ImpiTapeSlot {
  double d1, d2; // first and second derivative along the velocities
  double value;
  double adjoint;    // derivative of the result by it
  double by_a, by_b; // of an operation: its derivatives by its operands
} ImpiTapeSlot;

// A tape with more slots than this is evaluated in memory of its own, others on the stack: 4.5 KiB, and a thousand
// tapes one after another stay in the cache.
#define IMPI_TAPE_STACK 96

// A tape that has been checked and put in order. Slot 0 is the number 0, then come three variables a body (of poses x,
// y of the centre of mass and the angle; of a velocity tape their rates), the constants, the operations that no
// variable moves, and those that one moves.
typedef struct ImpiTape {
  double *constants;     // (first_fixed - first_constant), at the start of the block
  ImpiTapePoint *points; // (point_count)
  ImpiTapeSlot *work;    // (slot_count) if that is more than IMPI_TAPE_STACK, else null
  ImpiTapeCode *code;    // (slot_count - first_fixed)
  int32_t *results;      // slot of each   (result_count)
  int32_t first_constant, first_fixed, first_moving, slot_count;
  int32_t result_count, body_count, param_count, point_count;
  bool velocity;     // results are rates, linear in the velocities
  bool timed;        // depends on time
  size_t block_size; // [bytes]
} ImpiTape;

// What a tape reads.
typedef struct ImpiTapeInput {
  const ImpiMotion *const *motions; // of each body   (body_count)
  const ImpVec2 *local_centers;     // centre of mass in each body's frame   (body_count)
  const double *params;             // (param_count)
  double t;
} ImpiTapeInput;

// What comes out, for result i: value[i], j[i * stride ...] three numbers a body about its centre of mass, curvature[i]
// = J' v: the second derivative along the bodies' velocities at fixed time. Of a velocity tape: value is the rate at
// velocity 0 (the part that time alone makes), j the derivative by the velocities, curvature 0.
typedef struct ImpiTapeOutput {
  double *value;
  double *j;
  double *curvature; // null: not wanted
} ImpiTapeOutput;

// Check and copy a tape: operands come earlier, bodies and parameters are in range, velocities only in velocity tapes,
// at least one result. IMP_ERR_ARGUMENT, IMP_ERR_LIMIT or IMP_ERR_NOMEM otherwise, and *out_tape is untouched.
ImpStatus impi_tape_create(ImpiHeap *heap, const ImpTapeDef *def, int body_count, int param_count, ImpiTape *out_tape);
// Does nothing to a tape of zeros, and leaves one.
void impi_tape_free(ImpiHeap *heap, ImpiTape *tape);
// Bytes of the block of a tape with these counts.
uint64_t impi_tape_size(const ImpiTape *tape);
// Point into a block of impi_tape_size bytes: a copy of the block of a tape with the same counts.
void impi_tape_bind(ImpiTape *tape, void *block);
// Values only, into out_value   (result_count); of a velocity tape the rates at velocity 0.
void impi_tape_values(const ImpiTape *tape, const ImpiTapeInput *input, double *out_value);
// Values, Jacobians (stride 3 * body_count) and curvature. The angular velocities that make the curvature are clamped
// to +-max_turn [rad/s].
void impi_tape_evaluate(const ImpiTape *tape, const ImpiTapeInput *input, double max_turn, ImpiTapeOutput output);
// Whether the results of a velocity tape are linear in the velocities, tried at this input; false where they are not
// finite.
bool impi_tape_is_linear(const ImpiTape *tape, const ImpiTapeInput *input);

#endif
