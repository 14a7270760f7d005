// Fields that are a function of the body's state: a tape, evaluated for a whole block at once, operation by operation, so
// that what an operation costs to look up is shared by all bodies.
//
// The tape is one of velocities (tape.h), of one body: velocities are its variables, all else is fixed to it. The last two
// of its parameters are the body's mass and inertia. Its results are a force and, if there are three, a torque about the
// centre of mass.
#include "field.h"

#define WIDTH IMPI_FIELD_WIDTH

// Numbers of a slot, by body.
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


// A point or vector fixed in the body, turned as it is: its x or y.
static double turned(const ImpiFieldBlock *block, int i, ImpVec2 local, bool y) {
  return y ? block->s[i] * local.x + block->c[i] * local.y : block->c[i] * local.x - block->s[i] * local.y;
}


// What is read of the body. `points` of the tape are from the origin, blocks know the centre of mass.
static void read_body(const ImpiTape *tape, const ImpiTapeCode *op, const ImpiFieldScene *scene,
                      const ImpiFieldBlock *block, double *out) {
  bool point = op->op == IMP_OP_POINT_X || op->op == IMP_OP_POINT_Y, origin = op->op == IMP_OP_X || op->op == IMP_OP_Y;
  bool y = op->op == IMP_OP_Y || op->op == IMP_OP_POINT_Y || op->op == IMP_OP_VECTOR_Y;
  for (int i = 0; i < block->count; ++i) {
    ImpVec2 local = origin ? impi_vec(0, 0) : tape->points[op->c].local;
    if (point || origin) {
      local = impi_sub(local, scene->bodies[block->felt[i].slot].local_center);
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
  case IMPI_OP_FIXED_POW: // the exponent is the same for all
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


void impi_field_custom(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
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
  const double *fx = slots[tape->results[0]], *fy = slots[tape->results[1]];
  for (int i = 0; i < block->count; ++i) {
    block->ax[i] += block->inv_mass[i] * fx[i];
    block->ay[i] += block->inv_mass[i] * fy[i];
  }
  const double *torque = slots[tape->result_count > 2 ? tape->results[2] : 0];
  for (int i = 0; i < block->count; ++i) {
    block->aw[i] += block->inv_inertia[i] * torque[i];
  }
  block->timed |= tape->timed;
  for (int i = 0; i < block->count && tape->timed; ++i) { // a force of 0 may be another soon
    block->restless[i] = true;
  }
}
