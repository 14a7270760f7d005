// Derivatives of a tape. The variables q are three per body: (x, y) of its centre of mass and its angle theta.
//
// Each operation f(a, b) provides its own partial derivatives f_a, f_b, f_aa, f_ab, f_bb. With them, one pass forwards
// computes, along the velocities v (of q) at fixed time:
//   value  = f(a, b)
//   value' = f_a a' + f_b b'
//   value''= f_a a'' + f_b b'' + bend,   bend = f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2
// starting from q' = v, q'' = 0; value'' of a result C is its curvature J'v, because C'' = J v' + J'v. One pass
// backwards for each result gives J. With g = dC/d(value) of an operation (g = 1 for the result),
//   dC/da += f_a g,   dC/db += f_b g
// J is the list of the derivatives with respect to the variables.
//
// Operations that read a body, with its origin at (x, y) - r, r = R(theta) local_center ("by x": derivative with
// respect to x):
//   X = x - r.x     by x: 1, by theta:  r.y     bend =  r.x w^2
//   Y = y - r.y     by y: 1, by theta: -r.x     bend =  r.y w^2
//   POINT_X, POINT_Y, of the point at (x, y) + p:  the same with r = -p;  VECTOR_X, VECTOR_Y: by theta only
//   COS, SIN        by theta: -sin, cos         bend = -cos w^2, -sin w^2
//   ANGLE, CENTER_X, CENTER_Y are the variables themselves.
//
// In a velocity tape the velocities are the variables and everything else is constant.
//
// At a corner (abs, min, max, where) derivatives are those of the branch taken. An infinite derivative of a finite
// value (sqrt at 0) is returned as inf or nan.
//
// source: Griewank & Walther, "Evaluating Derivatives" (2008), chapters 3 and 13
#include "model/tape.h"

// A velocity tape passes the test of linearity if its results deviate by at most this fraction from a linear function.
// Rounding causes deviations of about 1e-13.
#define LINEAR_ERROR 1e-9
// Scales of the velocities at which linearity is tested [m/s, rad/s]. One is negative, because abs is linear for
// positive velocities.
#define FIRST_TRIAL 1.0
#define SECOND_TRIAL -100.0

// What is computed for an operation: VALUES its value, PARTIALS also its partial derivatives, CURVATURE also its second
// derivative.
typedef enum Order { VALUES, PARTIALS, CURVATURE } Order;


// ---------------------------------------------------------------------------------------------------------------------
// Rules of the operations
// ---------------------------------------------------------------------------------------------------------------------


// Return y (y - 1) x^(y - 2), given x^(y - 1).
static double power_bend(double x, double y, double below) {
  double scale = y * (y - 1);
  return scale == 0 ? 0 : scale * (x != 0 ? below / x : imp_pow(x, y - 2));
}


// Return f_xx x'^2 of f = x^y at constant y, with x' = a1. *out_by_x: f_x.
static double fixed_power(double x, double y, double a1, double *out_by_x) {
  double below = imp_pow(x, y - 1);
  *out_by_x = y == 0 ? 0 : y * below;
  return power_bend(x, y, below) * a1 * a1;
}


// Return f_xx x'^2 + 2 f_xy x' y' + f_yy y'^2 of f = x^y = p, with x' = a1, y' = b1. *out_by_x: f_x; *out_by_y: f_y.
static double power(double x, double y, double p, double a1, double b1, double *out_by_x, double *out_by_y) {
  double below = imp_pow(x, y - 1);
  double log_x = x == 0 && y > 0 ? 0 : imp_log(x);
  *out_by_x = y == 0 ? 0 : y * below;
  *out_by_y = p * log_x;
  return power_bend(x, y, below) * a1 * a1 + 2 * (below + *out_by_x * log_x) * a1 * b1 + *out_by_y * log_x * b1 * b1;
}


static inline ImpVec2 turned(const ImpiTapeInput *input, int64_t body, ImpVec2 local) {
  const ImpiMotion *m = input->motions[body];
  return impi_rotate((ImpRot){m->c, m->s}, local);
}


// Run the operations of the slots from `first` to end - 1.
__attribute__((always_inline)) static inline void run(const ImpiTape *tape, int32_t first, int32_t end,
                                                      const ImpiTapeInput *input, const Order order,
                                                      ImpiTapeSlot *slots) {
  const ImpiTapeCode *op = tape->code + (first - tape->first_fixed);
  for (ImpiTapeSlot *out = slots + first, *stop = slots + end; out < stop; ++out, ++op) {
    const ImpiTapeSlot *a = &slots[op->a], *b = &slots[op->b];
    const double x = a->value, y = b->value;
    const double a1 = order == CURVATURE ? a->d1 : 0, b1 = order == CURVATURE ? b->d1 : 0;
    double value = 0, by_a = 0, by_b = 0, bend = 0;
    switch (op->op) {
    case IMP_OP_PARAM:
      value = input->params[op->c];
      break;
    case IMP_OP_TIME:
      value = input->t;
      break;
    case IMP_OP_X: { // operand a: x (IMP_OP_Y: y) of the body's centre of mass; operand b: angle of the body
      ImpVec2 r = turned(input, op->c, input->local_centers[op->c]);
      value = input->motions[op->c]->x - r.x;
      by_a = 1;
      by_b = r.y;
      bend = r.x * b1 * b1;
      break;
    }
    case IMP_OP_Y: {
      ImpVec2 r = turned(input, op->c, input->local_centers[op->c]);
      value = input->motions[op->c]->y - r.y;
      by_a = 1;
      by_b = -r.x;
      bend = r.y * b1 * b1;
      break;
    }
    case IMP_OP_COS: // operand a is the body's angle
      value = input->motions[op->c]->c;
      by_a = -input->motions[op->c]->s;
      bend = -value * a1 * a1;
      break;
    case IMP_OP_SIN:
      value = input->motions[op->c]->s;
      by_a = input->motions[op->c]->c;
      bend = -value * a1 * a1;
      break;
    case IMP_OP_ANGLE:
      value = input->motions[op->c]->angle;
      break;
    case IMP_OP_CENTER_X:
      value = input->motions[op->c]->x;
      break;
    case IMP_OP_CENTER_Y:
      value = input->motions[op->c]->y;
      break;
    case IMP_OP_POINT_X: { // as for IMP_OP_X
      const ImpiTapePoint *point = &tape->points[op->c];
      ImpVec2 p = turned(input, point->body, impi_sub(point->local, input->local_centers[point->body]));
      value = input->motions[point->body]->x + p.x;
      by_a = 1;
      by_b = -p.y;
      bend = -p.x * b1 * b1;
      break;
    }
    case IMP_OP_POINT_Y: {
      const ImpiTapePoint *point = &tape->points[op->c];
      ImpVec2 p = turned(input, point->body, impi_sub(point->local, input->local_centers[point->body]));
      value = input->motions[point->body]->y + p.y;
      by_a = 1;
      by_b = p.x;
      bend = -p.y * b1 * b1;
      break;
    }
    case IMP_OP_VECTOR_X: { // operand a is the body's angle
      ImpVec2 p = turned(input, tape->points[op->c].body, tape->points[op->c].local);
      value = p.x;
      by_a = -p.y;
      bend = -p.x * a1 * a1;
      break;
    }
    case IMP_OP_VECTOR_Y: {
      ImpVec2 p = turned(input, tape->points[op->c].body, tape->points[op->c].local);
      value = p.y;
      by_a = p.x;
      bend = -p.y * a1 * a1;
      break;
    }
    case IMP_OP_ADD:
      value = x + y;
      by_a = by_b = 1;
      break;
    case IMP_OP_SUB:
      value = x - y;
      by_a = 1;
      by_b = -1;
      break;
    case IMP_OP_MUL:
      value = x * y;
      by_a = y;
      by_b = x;
      bend = 2 * a1 * b1;
      break;
    case IMP_OP_DIV: // quotient q = a / b: q' b = a' - q b', q'' b = a'' - q b'' - 2 q' b'
      value = x / y;
      by_a = 1 / y;
      by_b = -value * by_a;
      bend = -2 * (by_a * a1 + by_b * b1) * b1 * by_a;
      break;
    case IMP_OP_NEG:
      value = -x;
      by_a = -1;
      break;
    case IMPI_OP_FIXED_POW:
      if (y == 2) {
        value = x * x;
        by_a = 2 * x;
        bend = 2 * a1 * a1;
        break;
      }
      value = imp_pow(x, y);
      if (order != VALUES) {
        bend = fixed_power(x, y, a1, &by_a);
      }
      break;
    case IMP_OP_POW:
      value = imp_pow(x, y);
      if (order != VALUES) {
        bend = power(x, y, value, a1, b1, &by_a, &by_b);
      }
      break;
    case IMP_OP_SQRT: // f f' = a' / 2,  f'^2 + f f'' = a'' / 2
      value = sqrt(x);
      by_a = 0.5 / value;
      bend = -2 * by_a * (by_a * a1) * (by_a * a1);
      break;
    case IMP_OP_SINE:
      impi_sincos(x, &value, &by_a);
      bend = -value * a1 * a1;
      break;
    case IMP_OP_COSINE:
      impi_sincos(x, &by_a, &value);
      by_a = -by_a;
      bend = -value * a1 * a1;
      break;
    // (a^2 + b^2) f' = b a' - a b', and therefore (a^2 + b^2) f'' = -2 (a a' + b b') f'
    case IMP_OP_ATAN2: {
      double inv = 1 / (x * x + y * y);
      value = imp_atan2(x, y);
      by_a = y * inv;
      by_b = -x * inv;
      bend = -2 * (by_a * a1 + by_b * b1) * (x * a1 + y * b1) * inv;
      break;
    }
    case IMP_OP_EXP:
      value = by_a = imp_exp(x);
      bend = value * a1 * a1;
      break;
    case IMP_OP_LOG:
      value = imp_log(x);
      by_a = 1 / x;
      bend = -(by_a * a1) * (by_a * a1);
      break;
    case IMP_OP_ABS:
      value = fabs(x);
      by_a = x < 0 ? -1 : 1;
      break;
    // slot 0, the number 0, takes the place of the operand that is not chosen
    case IMP_OP_MIN:
    case IMP_OP_MAX:
    case IMP_OP_WHERE: {
      bool second = op->op == IMP_OP_MIN ? y < x : op->op == IMP_OP_MAX ? y > x : !(slots[op->c].value > 0);
      value = second ? y : x;
      by_a = second ? 0 : 1;
      by_b = second ? 1 : 0;
      a = second ? slots : a;
      b = second ? b : slots;
      break;
    }
    default:
      IMP_ASSERT(false);
    }
    out->value = value;
    if (order != VALUES) {
      out->by_a = by_a;
      out->by_b = by_b;
    }
    out->d1 = order == CURVATURE ? by_a * a->d1 + by_b * b->d1 : 0;
    out->d2 = order == CURVATURE ? by_a * a->d2 + by_b * b->d2 + bend : 0;
    out->adjoint = 0;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Evaluation
// ---------------------------------------------------------------------------------------------------------------------


// Load the variables of a tape of poses: the poses of the bodies, and their rates.
static void load_poses(const ImpiTape *tape, const ImpiTapeInput *input, double max_turn, ImpiTapeSlot *slots) {
  slots[0] = (ImpiTapeSlot){0};
  for (int i = 0; i < tape->body_count; ++i) {
    const ImpiMotion *m = input->motions[i];
    ImpiTapeSlot *variable = &slots[1 + 3 * i];
    variable[0] = (ImpiTapeSlot){.value = m->x, .d1 = m->vx};
    variable[1] = (ImpiTapeSlot){.value = m->y, .d1 = m->vy};
    variable[2] = (ImpiTapeSlot){.value = m->angle, .d1 = impi_clamp(m->w, -max_turn, max_turn)};
  }
}


// Load the variables of a velocity tape: `velocities` (3 * body_count), or null for 0.
static void load_velocities(const ImpiTape *tape, const double *velocities, ImpiTapeSlot *slots) {
  slots[0] = (ImpiTapeSlot){0};
  for (int i = 0; i < 3 * tape->body_count; ++i) {
    slots[1 + i] = (ImpiTapeSlot){.value = velocities != NULL ? velocities[i] : 0};
  }
}


// Evaluate all slots of a tape except its variables.
static void run_all(const ImpiTape *tape, const ImpiTapeInput *input, Order order, ImpiTapeSlot *slots) {
  for (int32_t i = tape->first_constant; i < tape->first_fixed; ++i) {
    slots[i] = (ImpiTapeSlot){.value = tape->constants[i - tape->first_constant]};
  }
  run(tape, tape->first_fixed, tape->first_moving, input, VALUES, slots);
  switch (order) {
  case VALUES:
    run(tape, tape->first_moving, tape->slot_count, input, VALUES, slots);
    break;
  case PARTIALS:
    run(tape, tape->first_moving, tape->slot_count, input, PARTIALS, slots);
    break;
  case CURVATURE:
    run(tape, tape->first_moving, tape->slot_count, input, CURVATURE, slots);
    break;
  }
}


// Compute the adjoints of a result: its derivatives with respect to all slots on which it depends. The adjoints of the
// variables are J. Before the call, the adjoints of variables and of operations that depend on variables are 0.
static void run_back(const ImpiTape *tape, int32_t result, ImpiTapeSlot *slots) {
  slots[result].adjoint = 1;
  for (int32_t i = result; i >= tape->first_moving; --i) {
    double g = slots[i].adjoint;
    // An operation with adjoint 0 is skipped, because its partial derivatives may be infinite.
    if (g != 0) {
      const ImpiTapeCode *op = &tape->code[i - tape->first_fixed];
      slots[i].adjoint = 0;
      slots[op->a].adjoint += g * slots[i].by_a;
      slots[op->b].adjoint += g * slots[i].by_b;
    }
  }
}


static void take_jacobian(const ImpiTape *tape, ImpiTapeSlot *slots, double *j) {
  for (int i = 0; i < 3 * tape->body_count; ++i) {
    j[i] = slots[1 + i].adjoint;
    slots[1 + i].adjoint = 0;
  }
}


// Compute values, Jacobians and curvature at the loaded variables; output.j and output.curvature may be null.
static void evaluate_loaded(const ImpiTape *tape, const ImpiTapeInput *input, ImpiTapeSlot *slots,
                            ImpiTapeOutput output) {
  bool curved = output.curvature != NULL && !tape->velocity; // in a velocity tape all d2 are 0
  run_all(tape, input, curved ? CURVATURE : output.j != NULL ? PARTIALS : VALUES, slots);
  for (int i = 0; i < tape->result_count; ++i) {
    int32_t result = tape->results[i];
    output.value[i] = slots[result].value;
    if (output.curvature != NULL) {
      output.curvature[i] = slots[result].d2;
    }
    if (output.j != NULL) {
      run_back(tape, result, slots);
      take_jacobian(tape, slots, output.j + (size_t)i * 3 * (size_t)tape->body_count);
    }
  }
}


static ImpiTapeSlot *slots_of(const ImpiTape *tape, ImpiTapeSlot *stack) {
  return tape->work != NULL ? tape->work : stack;
}


void impi_tape_evaluate(const ImpiTape *tape, const ImpiTapeInput *input, double max_turn, ImpiTapeOutput output) {
  ImpiTapeSlot stack[IMPI_TAPE_STACK], *slots = slots_of(tape, stack);
  if (tape->velocity) {
    load_velocities(tape, NULL, slots);
  } else {
    load_poses(tape, input, max_turn, slots);
  }
  evaluate_loaded(tape, input, slots, output);
}


void impi_tape_values(const ImpiTape *tape, const ImpiTapeInput *input, double *out_value) {
  impi_tape_evaluate(tape, input, 0, (ImpiTapeOutput){.value = out_value});
}


// Return velocity k of a test of linearity, between 1 and 2 times the scale.
static double trial_velocity(int k, double scale) {
  double golden = 0.6180339887498949 * (k + 1), part = golden - floor(golden);
  return scale * (1 + part);
}


// Return whether a result equals f(0) + J v at the test velocities v (see trial_velocity).
static bool holds_at(const ImpiTape *tape, const ImpiTapeInput *input, int32_t result, double scale,
                     ImpiTapeSlot *slots) {
  int count = 3 * tape->body_count;
  load_velocities(tape, NULL, slots);
  run_all(tape, input, PARTIALS, slots);
  run_back(tape, result, slots);
  double expected = slots[result].value, size = fabs(expected);
  for (int k = 0; k < count; ++k) {
    double part = slots[1 + k].adjoint * trial_velocity(k, scale);
    expected += part;
    size += fabs(part);
  }
  for (int k = 0; k < count; ++k) {
    slots[1 + k].value = trial_velocity(k, scale);
  }
  run_all(tape, input, VALUES, slots);
  return fabs(slots[result].value - expected) <= LINEAR_ERROR * size;
}


bool impi_tape_is_linear(const ImpiTape *tape, const ImpiTapeInput *input) {
  ImpiTapeSlot stack[IMPI_TAPE_STACK], *slots = slots_of(tape, stack);
  for (int i = 0; i < tape->result_count; ++i) {
    if (!holds_at(tape, input, tape->results[i], FIRST_TRIAL, slots) ||
        !holds_at(tape, input, tape->results[i], SECOND_TRIAL, slots)) {
      return false;
    }
  }
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// For tests and for callers that trace functions
// ---------------------------------------------------------------------------------------------------------------------


static ImpStatus check_inputs(const ImpTapeDef *def, const ImpTransform *poses, const double *angles, int body_count,
                              const double *params, int param_count, const double *out_values) {
  if (def == NULL || out_values == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "the tape and the array for its values must not be null");
  }
  if (body_count < 0 || body_count > IMP_MAX_CONSTRAINT_BODIES) {
    return impi_fail(IMP_ERR_ARGUMENT, "a tape reads 0 to %d bodies, got %d", IMP_MAX_CONSTRAINT_BODIES, body_count);
  }
  if (body_count > 0 && (poses == NULL || angles == NULL)) {
    return impi_fail(IMP_ERR_ARGUMENT, "the arrays of poses and angles of %d bodies must not be null", body_count);
  }
  if (param_count < 0 || (param_count > 0 && params == NULL)) {
    return impi_fail(
        IMP_ERR_ARGUMENT,
        "param_count must be >= 0, and params must not be null if param_count is above 0, got param_count %d",
        param_count);
  }
  return IMP_OK;
}


ImpStatus imp_tape_evaluate(const ImpTapeDef *def, const ImpTransform *poses, const double *angles,
                            const double *velocities, int body_count, const double *params, int param_count, double t,
                            double *out_values, double *out_j) {
  ImpStatus status = check_inputs(def, poses, angles, body_count, params, param_count, out_values);
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  ImpiTape tape;
  if (status == IMP_OK) {
    status = impi_tape_create(&heap, def, body_count, param_count, &tape);
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpiMotion motions[IMP_MAX_CONSTRAINT_BODIES];
  const ImpiMotion *each[IMP_MAX_CONSTRAINT_BODIES];
  const ImpVec2 centers[IMP_MAX_CONSTRAINT_BODIES] = {{0, 0}};
  for (int i = 0; i < body_count; ++i) {
    ImpTransform pose = poses[i];
    motions[i] = (ImpiMotion){.x = pose.p.x, .y = pose.p.y, .c = pose.q.c, .s = pose.q.s, .angle = angles[i]};
    each[i] = &motions[i];
  }
  ImpiTapeInput input = {each, centers, params, t};
  ImpiTapeSlot stack[IMPI_TAPE_STACK], *slots = slots_of(&tape, stack);
  if (tape.velocity) {
    load_velocities(&tape, velocities, slots);
  } else {
    load_poses(&tape, &input, 0, slots);
  }
  evaluate_loaded(&tape, &input, slots, (ImpiTapeOutput){.value = out_values, .j = out_j});
  impi_tape_free(&heap, &tape);
  return IMP_OK;
}
