// Custom fields: a tape (list of operations) computes the force from the body's state. The tape is evaluated for a
// whole block of bodies, operation by operation. It is a velocity tape (tape.h) of one body: the velocities are its
// variables, everything else is constant. Its last two parameters are the body's mass and inertia. Its results are a
// force and, optionally, a torque about the centre of mass.
#include <string.h>

#include "model/field.h"

#define WIDTH IMPI_FIELD_WIDTH

// Values of one operation, one for each body of the block.
typedef double Lane[WIDTH];


static size_t work_size(const ImpiTape *tape) { return (size_t)tape->slot_count * sizeof(Lane); }


bool impi_field_reserve_work(ImpiHeap *heap, ImpiForceField *field) {
  Lane *work = impi_resize(heap, NULL, 0, work_size(&field->tape));
  if (work == NULL) {
    return false;
  }
  const ImpiTape *tape = &field->tape;
  for (int k = 0; k < WIDTH; ++k) {
    work[0][k] = 0;
    for (int32_t i = tape->first_constant; i < tape->first_fixed; ++i) {
      work[i][k] = tape->constants[i - tape->first_constant];
    }
  }
  field->work = &work[0][0];
  return true;
}


void impi_field_free_work(ImpiHeap *heap, ImpiForceField *field) {
  if (field->work != NULL) {
    (void)impi_resize(heap, field->work, work_size(&field->tape), 0);
    field->work = NULL;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Operations over a block
// ---------------------------------------------------------------------------------------------------------------------

#define EACH(value) \
  for (int i = 0; i < count; ++i) { \
    out[i] = (value); \
  } \
  break


// Return x or y of a point or vector fixed in the body, rotated with the body.
static double turned(const ImpiFieldBlock *block, int i, ImpVec2 local, bool y) {
  return y ? block->s[i] * local.x + block->c[i] * local.y : block->c[i] * local.x - block->s[i] * local.y;
}


// Read a value of the body for an operation of the tape. Points of a tape are relative to the body's origin, positions
// of the block are centres of mass.
static void read_body(const ImpiTape *tape, const ImpiTapeCode *op, const ImpiFieldScene *scene,
                      const ImpiFieldBlock *block, double *out) {
  bool point = op->op == IMP_OP_POINT_X || op->op == IMP_OP_POINT_Y, origin = op->op == IMP_OP_X || op->op == IMP_OP_Y;
  bool y = op->op == IMP_OP_Y || op->op == IMP_OP_POINT_Y || op->op == IMP_OP_VECTOR_Y;
  for (int i = 0; i < block->count; ++i) {
    ImpVec2 local = origin ? impi_vec(0, 0) : tape->points[op->c].local;
    if (point || origin) {
      local = impi_sub(local, scene->bodies[block->affected[i].slot].local_center);
      out[i] = (y ? block->y[i] : block->x[i]) + turned(block, i, local, y);
    } else {
      out[i] = turned(block, i, local, y);
    }
  }
}


static void run(const ImpiForceField *field, const ImpiTapeCode *op, const ImpiFieldScene *scene,
                const ImpiFieldBlock *block, const Lane *slots, double *restrict out) {
  const double *a = slots[op->a], *b = slots[op->b], *c;
  int count = block->count;
  switch (op->op) {
  case IMP_OP_PARAM:
    if (op->c < field->param_count) {
      double value = field->params[op->c];
      EACH(value);
    }
    c = op->c == field->param_count ? block->inv_mass : block->inv_inertia;
    EACH(c[i] > 0 ? 1 / c[i] : 0);
  case IMP_OP_TIME:
    EACH(scene->t);
  case IMP_OP_ANGLE:
    EACH(block->angle[i]);
  case IMP_OP_COS:
    EACH(block->c[i]);
  case IMP_OP_SIN:
    EACH(block->s[i]);
  case IMP_OP_CENTER_X:
    EACH(block->x[i]);
  case IMP_OP_CENTER_Y:
    EACH(block->y[i]);
  case IMP_OP_X:
  case IMP_OP_Y:
  case IMP_OP_POINT_X:
  case IMP_OP_POINT_Y:
  case IMP_OP_VECTOR_X:
  case IMP_OP_VECTOR_Y:
    read_body(&field->tape, op, scene, block, out);
    break;
  case IMP_OP_ADD:
    EACH(a[i] + b[i]);
  case IMP_OP_SUB:
    EACH(a[i] - b[i]);
  case IMP_OP_MUL:
    EACH(a[i] * b[i]);
  case IMP_OP_DIV:
    EACH(a[i] / b[i]);
  case IMP_OP_NEG:
    EACH(-a[i]);
  case IMPI_OP_FIXED_POW: // the exponent is the same for all bodies
    if (b[0] == 2) {
      EACH(a[i] * a[i]);
    }
    EACH(imp_pow(a[i], b[i]));
  case IMP_OP_POW:
    EACH(imp_pow(a[i], b[i]));
  case IMP_OP_SQRT:
    EACH(sqrt(a[i]));
  case IMP_OP_SINE:
    EACH(imp_sin(a[i]));
  case IMP_OP_COSINE:
    EACH(imp_cos(a[i]));
  case IMP_OP_ATAN2:
    EACH(imp_atan2(a[i], b[i]));
  case IMP_OP_EXP:
    EACH(imp_exp(a[i]));
  case IMP_OP_LOG:
    EACH(imp_log(a[i]));
  case IMP_OP_ABS:
    EACH(fabs(a[i]));
  case IMP_OP_MIN:
    EACH(b[i] < a[i] ? b[i] : a[i]);
  case IMP_OP_MAX:
    EACH(b[i] > a[i] ? b[i] : a[i]);
  case IMP_OP_WHERE:
    c = slots[op->c];
    EACH(c[i] > 0 ? a[i] : b[i]);
  default:
    IMP_ASSERT(false);
  }
}


// Evaluate the law for all bodies of the block. Forces and torques are in the slots tape->results.
static void evaluate(const ImpiForceField *field, const ImpiFieldScene *scene, const ImpiFieldBlock *block) {
  const ImpiTape *tape = &field->tape;
  Lane *slots = (Lane *)(void *)field->work;
  for (int i = 0; i < block->count; ++i) {
    slots[1][i] = block->vx[i];
    slots[2][i] = block->vy[i];
    slots[3][i] = block->w[i];
  }
  for (int32_t slot = tape->first_fixed; slot < tape->slot_count; ++slot) {
    run(field, &tape->code[slot - tape->first_fixed], scene, block, (const Lane *)slots, slots[slot]);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Implicit laws. With the slopes V = df/dv and X = df/dx, D = -(V + r X), and r the time for which positions move with
// v' (h, unless the solver changes velocities twice in a substep),
//   m v' = m v + h (f + V (v' - v) + r X v') = m v + h (f + r X v + D v - D v')
// which is linearly implicit Euler (Rosenbrock). D v' is a drag, solved together with all other drags. Only the
// symmetric, damping part of D is implicit; the rest acts on v. The torque is implicit as a function of the angle,
// without coupling to the force. Slopes are central differences.
// source: Hairer, Wanner, "Solving Ordinary Differential Equations II" (1996), IV.7
// ---------------------------------------------------------------------------------------------------------------------

// Step of the central difference in a variable x, divided by 1 + |x|: the cube root of the rounding error 2.2e-16.
#define STEP 6e-6

typedef enum Variable { SPEED_X, SPEED_Y, SPIN, PLACE_X, PLACE_Y, ANGLE, VARIABLES } Variable;

typedef struct Slopes {
  double fx[VARIABLES], fy[VARIABLES], torque[VARIABLES];
} Slopes;


static double *numbers_of(ImpiFieldBlock *block, Variable variable) {
  double *const lists[VARIABLES] = {block->vx, block->vy, block->w, block->x, block->y, block->angle};
  return lists[variable];
}


// Set a variable of all bodies to `from` plus (side 1) or minus (side -1) one step of the difference.
static void move(ImpiFieldBlock *block, Variable variable, const double *from, double side) {
  double *numbers = numbers_of(block, variable);
  for (int i = 0; i < block->count; ++i) {
    numbers[i] = from[i] + side * STEP * (1 + fabs(from[i]));
    if (variable == ANGLE) {
      block->c[i] = imp_cos(numbers[i]);
      block->s[i] = imp_sin(numbers[i]);
    }
  }
}


static void find_slopes(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block,
                        Slopes *slopes) {
  const ImpiTape *tape = &field->tape;
  const Lane *slots = (const Lane *)(const void *)field->work;
  bool turns = tape->result_count > 2;
  for (int v = 0; v < VARIABLES; ++v) {
    Lane from, c, s;
    memcpy(from, numbers_of(block, (Variable)v), sizeof from);
    memcpy(c, block->c, sizeof c);
    memcpy(s, block->s, sizeof s);
    for (int i = 0; i < block->count; ++i) {
      slopes[i].fx[v] = slopes[i].fy[v] = slopes[i].torque[v] = 0;
    }
    for (int side = -1; side <= 1 && (turns || (v != SPIN && v != ANGLE)); side += 2) {
      move(block, (Variable)v, from, side);
      evaluate(field, scene, block);
      for (int i = 0; i < block->count; ++i) {
        double part = side / (2 * STEP * (1 + fabs(from[i])));
        slopes[i].fx[v] += part * slots[tape->results[0]][i];
        slopes[i].fy[v] += part * slots[tape->results[1]][i];
        slopes[i].torque[v] += turns ? part * slots[tape->results[2]][i] : 0;
      }
    }
    memcpy(numbers_of(block, (Variable)v), from, sizeof from);
    memcpy(block->c, c, sizeof c);
    memcpy(block->s, s, sizeof s);
  }
}


// Remove a negative eigenvalue of a symmetric drag matrix, because it would not damp.
static void leave_damping(double *xx, double *xy, double *yy) {
  double mean = 0.5 * (*xx + *yy), half = 0.5 * (*xx - *yy), radius = sqrt(half * half + *xy * *xy);
  double most = mean + radius, least = mean - radius;
  if (least >= 0) {
    return;
  }
  double part = most > 0 && radius > 0 ? most / (2 * radius) : 0;
  *xx = part * (*xx - least);
  *yy = part * (*yy - least);
  *xy *= part;
}


// Add the drag D of body i, and the acceleration due to the force r X v + D v (see "Implicit laws").
static void add_implicit(const ImpiFieldScene *scene, const Slopes *d, int i, ImpiFieldBlock *block) {
  double r = scene->reach, vx = block->vx[i], vy = block->vy[i], w = block->w[i];
  double xx = -(d->fx[SPEED_X] + r * d->fx[PLACE_X]), yy = -(d->fy[SPEED_Y] + r * d->fy[PLACE_Y]);
  double xy = -0.5 * (d->fx[SPEED_Y] + d->fy[SPEED_X] + r * (d->fx[PLACE_Y] + d->fy[PLACE_X]));
  double ww = impi_max(-(d->torque[SPIN] + r * d->torque[ANGLE]), 0);
  leave_damping(&xx, &xy, &yy);
  // without damping, or with slopes that are not finite, the body gets no implicit drag
  if (!(xx + yy + ww > 0 && xx + yy + ww < HUGE_VAL)) {
    return;
  }
  double fx = r * (d->fx[PLACE_X] * vx + d->fx[PLACE_Y] * vy) + xx * vx + xy * vy;
  double fy = r * (d->fy[PLACE_X] * vx + d->fy[PLACE_Y] * vy) + xy * vx + yy * vy;
  block->ax[i] += block->inv_mass[i] * fx;
  block->ay[i] += block->inv_mass[i] * fy;
  block->aw[i] += block->inv_inertia[i] * (r * d->torque[ANGLE] + ww) * w;
  ImpiDrag *drag = &block->drag[i];
  drag->xx += xx;
  drag->xy += xy;
  drag->yy += yy;
  drag->ww += ww;
}


void impi_field_custom(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  const ImpiTape *tape = &field->tape;
  Lane *slots = (Lane *)(void *)field->work;
  Slopes slopes[IMPI_FIELD_WIDTH];
  bool implicit = field->value[IMP_FIELD_IMPLICIT] != 0;
  if (implicit) {
    find_slopes(field, scene, block, slopes);
    impi_field_couple(block);
  }
  evaluate(field, scene, block);
  const double *fx = slots[tape->results[0]], *fy = slots[tape->results[1]];
  for (int i = 0; i < block->count; ++i) {
    block->ax[i] += block->inv_mass[i] * fx[i];
    block->ay[i] += block->inv_mass[i] * fy[i];
  }
  const double *torque = slots[tape->result_count > 2 ? tape->results[2] : 0];
  for (int i = 0; i < block->count; ++i) {
    block->aw[i] += block->inv_inertia[i] * torque[i];
  }
  for (int i = 0; i < block->count && implicit; ++i) {
    block->implicit[i] = true;
    add_implicit(scene, &slopes[i], i, block);
  }
  block->timed |= tape->timed;
  // A force that is 0 now may grow with time: bodies stay awake.
  for (int i = 0; i < block->count && tape->timed; ++i) {
    block->restless[i] = true;
  }
}
