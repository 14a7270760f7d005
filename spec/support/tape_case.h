// A tape (a function of poses as a list of operations, called nodes) with its inputs, for the specs of tapes.
#ifndef IMPI_TAPE_CASE_H
#define IMPI_TAPE_CASE_H

#include "model/tape.h"
#include "scene.h"

typedef long double Real;

enum { BODIES = 3, PARAMS = 2, NODES = 160, RESULTS = 2, WIDTH = 3 * BODIES };

typedef struct Case {
  ImpNode nodes[NODES];
  int count;
  int32_t results[RESULTS];
  int result_count, bodies;
  bool velocity;
  Real q[WIDTH], v[WIDTH]; // q: x, y (centre of mass) and angle of each body; v: rates of q
  ImpVec2 centers[BODIES];
  double params[PARAMS], t;
} Case;

// Results of a tape: values, derivatives with respect to the poses, second derivatives in time at constant velocities.
typedef struct Output {
  double value[RESULTS], j[RESULTS * WIDTH], curvature[RESULTS];
} Output;

static ImpiHeap heap;


static inline int32_t put(Case *c, ImpOp op, int32_t a, int32_t b, int32_t third) {
  CHECK(c->count < NODES);
  c->nodes[c->count] = (ImpNode){.op = op, .a = a, .b = b, .c = third};
  return c->count++;
}


static inline int32_t leaf(Case *c, ImpOp op, int32_t a) { return put(c, op, a, -1, -1); }
static inline int32_t unary(Case *c, ImpOp op, int32_t a) { return put(c, op, a, -1, -1); }
static inline int32_t binary(Case *c, ImpOp op, int32_t a, int32_t b) { return put(c, op, a, b, -1); }


static inline int32_t constant(Case *c, double value) {
  int32_t node = put(c, IMP_OP_CONSTANT, -1, -1, -1);
  c->nodes[node].value = value;
  return node;
}


// Append and return a node for the x or y component of a point or vector fixed to a body. `at`: local coordinates.
static inline int32_t local(Case *c, ImpOp op, int32_t body, ImpVec2 at) {
  int32_t x = constant(c, at.x), y = constant(c, at.y);
  return put(c, op, body, x, y);
}


// Return a case of moving bodies at random poses within 2 m, whose centres of mass are not at their origins.
static inline Case random_case(int bodies) {
  Case c = {.bodies = bodies, .t = random_in(0, 2)};
  for (int i = 0; i < 3 * bodies; ++i) {
    c.q[i] = (Real)random_in(-2, 2);
    c.v[i] = (Real)random_in(-1, 1);
  }
  for (int i = 0; i < bodies; ++i) {
    c.centers[i] = vec(random_in(-1, 1), random_in(-1, 1));
  }
  for (int i = 0; i < PARAMS; ++i) {
    c.params[i] = random_in(-2, 2);
  }
  return c;
}


static inline ImpTapeDef definition(const Case *c) {
  return (ImpTapeDef){c->nodes, c->count, c->results, c->result_count, c->velocity};
}


static inline void finish(Case *c, int32_t result) {
  c->results[0] = result;
  c->result_count = 1;
}


typedef struct Motions {
  ImpiMotion motion[BODIES];
  const ImpiMotion *each[BODIES];
} Motions;


static inline ImpiTapeInput input_of(const Case *c, Motions *out) {
  for (int i = 0; i < BODIES; ++i) {
    ImpiMotion *m = &out->motion[i];
    *m = (ImpiMotion){.x = (double)c->q[3 * i], .y = (double)c->q[3 * i + 1], .angle = (double)c->q[3 * i + 2]};
    m->vx = (double)c->v[3 * i];
    m->vy = (double)c->v[3 * i + 1];
    m->w = (double)c->v[3 * i + 2];
    impi_sincos(m->angle, &m->s, &m->c);
    out->each[i] = m;
  }
  return (ImpiTapeInput){out->each, c->centers, c->params, c->t};
}


// Evaluate the tape with all derivatives. Check that evaluations with first derivatives only and with values only give
// the same bits.
static inline Output evaluate_clamped(const Case *c, double max_turn) {
  Output out = {0}, plain = {0};
  double values[RESULTS] = {0};
  Motions motions;
  ImpiTapeInput input = input_of(c, &motions);
  ImpTapeDef def = definition(c);
  ImpiTape tape = {0};
  MUST(impi_tape_create(&heap, &def, c->bodies, PARAMS, &tape));
  if (tape.code != NULL) {
    impi_tape_evaluate(&tape, &input, max_turn, (ImpiTapeOutput){out.value, out.j, out.curvature});
    impi_tape_evaluate(&tape, &input, max_turn, (ImpiTapeOutput){plain.value, plain.j, NULL});
    impi_tape_values(&tape, &input, values);
    CHECK(memcmp(out.value, plain.value, sizeof out.value) == 0 && memcmp(out.j, plain.j, sizeof out.j) == 0);
    CHECK(memcmp(out.value, values, sizeof values) == 0);
  }
  impi_tape_free(&heap, &tape);
  CHECK(heap.bytes == 0);
  return out;
}


static inline Output evaluate(const Case *c) { return evaluate_clamped(c, HUGE_VAL); }


// Return a case of one body at (x, y, angle) with velocity (vx, vy, w) and its centre of mass at its origin.
static inline Case at(double x, double y, double angle, double vx, double vy, double w) {
  return (Case){.bodies = 1,
                .q = {(Real)x, (Real)y, (Real)angle},
                .v = {(Real)vx, (Real)vy, (Real)w},
                .t = 0.5,
                .params = {2, 3}};
}


static inline void put_length(Case *c, int32_t dx, int32_t dy) {
  int32_t sum = binary(c, IMP_OP_ADD, binary(c, IMP_OP_MUL, dx, dx), binary(c, IMP_OP_MUL, dy, dy));
  finish(c, unary(c, IMP_OP_SQRT, sum));
}


// Make the distance between the origins of two bodies the result of the tape.
static inline void put_distance(Case *c) {
  int32_t dx = binary(c, IMP_OP_SUB, leaf(c, IMP_OP_X, 1), leaf(c, IMP_OP_X, 0));
  int32_t dy = binary(c, IMP_OP_SUB, leaf(c, IMP_OP_Y, 1), leaf(c, IMP_OP_Y, 0));
  put_length(c, dx, dy);
}


// Make the distance between a point of one body and a point of a second body the result of the tape.
static inline void put_rod(Case *c, ImpVec2 at_a, ImpVec2 at_b) {
  int32_t dx = binary(c, IMP_OP_SUB, local(c, IMP_OP_POINT_X, 1, at_b), local(c, IMP_OP_POINT_X, 0, at_a));
  int32_t dy = binary(c, IMP_OP_SUB, local(c, IMP_OP_POINT_Y, 1, at_b), local(c, IMP_OP_POINT_Y, 0, at_a));
  put_length(c, dx, dy);
}


#endif
