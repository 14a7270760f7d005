// Edge cases of tapes: corners, powers at 0, missing derivatives, rejected tapes, out of memory, imp_tape_evaluate().
#include "tape_case.h"


// ---------------------------------------------------------------------------------------------------------------------
// Corners and powers
// ---------------------------------------------------------------------------------------------------------------------


// One node f(x), where x moves at 3 m/s: f, f', and the second derivative along the motion.
typedef struct Sides {
  ImpOp op;
  double x, value, slope, bend;
} Sides;


static void a_kink_has_the_derivatives_of_its_branch(void) {
  static const Sides sides[] = {
      // max and min of x^2 and x; |x|; where(x > 0, x^2, sqrt x). For equal operands max and min select the first
      // operand.
      {IMP_OP_MAX, 2, 4, 4, 18},        {IMP_OP_MAX, 0.5, 0.5, 1, 0},   {IMP_OP_MAX, 1, 1, 2, 18},
      {IMP_OP_MIN, 2, 2, 1, 0},         {IMP_OP_MIN, 0.5, 0.25, 1, 18}, {IMP_OP_MIN, 1, 1, 2, 18},
      {IMP_OP_ABS, 2, 2, 1, 0},         {IMP_OP_ABS, -2, 2, -1, 0},     {IMP_OP_ABS, 0, 0, 1, 0},
      {IMP_OP_WHERE, 0.5, 0.25, 1, 18},
  };
  for (int i = 0; i < IMPI_COUNT(sides); ++i) {
    Case c = at(sides[i].x, 0, 0, 3, 0, 0);
    int32_t x = leaf(&c, IMP_OP_X, 0), square = binary(&c, IMP_OP_MUL, x, x);
    int32_t a = sides[i].op == IMP_OP_ABS || sides[i].op == IMP_OP_WHERE ? x : square;
    int32_t b = sides[i].op == IMP_OP_WHERE ? square : x;
    finish(&c, put(&c, sides[i].op, a, b, unary(&c, IMP_OP_SQRT, x)));
    Output out = evaluate(&c);
    CHECK(out.value[0] == sides[i].value && out.j[0] == sides[i].slope && out.curvature[0] == sides[i].bend);
  }
}


// where(x > 0, sqrt x, x) and min(x, sqrt x) at x = 0 and -1. The branch that is not taken has an infinite or NaN value
// or derivative.
static void the_branch_not_taken_has_no_effect(void) {
  for (int i = 0; i < 2; ++i) {
    Case c = at(-i, 0, 0, 3, 0, 0);
    int32_t x = leaf(&c, IMP_OP_X, 0), root = unary(&c, IMP_OP_SQRT, x);
    finish(&c, put(&c, IMP_OP_WHERE, x, root, x));
    c.results[1] = binary(&c, IMP_OP_MIN, x, root);
    c.result_count = 2;
    Output out = evaluate(&c);
    for (int k = 0; k < 2; ++k) {
      CHECK(out.value[k] == -i && out.j[3 * k] == 1 && out.j[3 * k + 1] == 0 && out.curvature[k] == 0);
    }
  }
}


// Evaluate x ^ exponent while x moves at 3 m/s. The exponent is a constant (`form` 0), a sum of constants (1) or a
// parameter (2).
static Output power(double x, double exponent, int form) {
  Case c = at(x, 0, 0, 3, 0, 0);
  c.params[0] = exponent;
  int32_t b = form == 2 ? leaf(&c, IMP_OP_PARAM, 0) : constant(&c, exponent);
  b = form == 1 ? binary(&c, IMP_OP_ADD, b, constant(&c, 0)) : b;
  finish(&c, binary(&c, IMP_OP_POW, leaf(&c, IMP_OP_CENTER_X, 0), b));
  return evaluate(&c);
}


static void powers_are_correct_at_zero_and_below(void) {
  static const struct {
    double exponent, value, slope, bend;
  } at_zero[] = {{0, 1, 0, 0}, {1, 0, 1, 0}, {2, 0, 0, 2 * 9}, {3, 0, 0, 0}, {7, 0, 0, 0}, {2.5, 0, 0, 0}};
  for (int i = 0; i < IMPI_COUNT(at_zero); ++i) {
    for (int form = 0; form < 3; ++form) {
      Output out = power(0, at_zero[i].exponent, form);
      CHECK(out.value[0] == at_zero[i].value && out.j[0] == at_zero[i].slope && out.curvature[0] == at_zero[i].bend);
    }
  }
  CHECK(power(0, 0.5, 0).value[0] == 0 && isinf(power(0, 0.5, 0).j[0]) && isinf(power(0, -1, 0).value[0]));
  for (int n = -8; n <= 8; ++n) {
    for (int i = 0; i < 20; ++i) {
      double x = random_in(0.5, 2) * (i % 2 == 0 ? 1 : -1);
      Output out = power(x, n, i % 3);
      CHECK(out.value[0] == imp_pow(x, n)); // a whole exponent gives the same bits as imp_pow
      double slope = n * pow(x, n - 1), bend = 9.0 * n * (n - 1) * pow(x, n - 2);
      CHECK_NEAR(out.j[0], slope, 1e-15 * fabs(slope));       // four rounding errors
      CHECK_NEAR(out.curvature[0], bend, 2e-15 * fabs(bend)); // eight rounding errors
    }
  }
  double tiny = 1e-200; // x^2 underflows to 0, but its derivatives do not
  CHECK(power(tiny, 2, 0).j[0] == 2 * tiny && power(tiny, 2, 0).curvature[0] == 18);
}


// x^x has the slope x^x (1 + log x) and the second derivative x^x ((1 + log x)^2 + 1 / x). The slopes of x^y at x = 0,
// y = 3 are 0.
static void a_power_can_have_a_variable_base_and_exponent(void) {
  for (double x = 0.25; x < 3; x += 0.25) {
    Case c = at(x, 3, 0, 3, 4, 0);
    int32_t node = leaf(&c, IMP_OP_CENTER_X, 0);
    finish(&c, binary(&c, IMP_OP_POW, node, node));
    Output out = evaluate(&c);
    double value = pow(x, x), l = 1 + log(x);
    CHECK_NEAR(out.j[0], value * l, 1e-14 * value);                           // a few rounding errors
    CHECK_NEAR(out.curvature[0], 9 * value * (l * l + 1 / x), 1e-13 * value); // a few rounding errors, times v^2 = 9
  }
  Case c = at(0, 3, 0, 3, 4, 0);
  finish(&c, binary(&c, IMP_OP_POW, leaf(&c, IMP_OP_CENTER_X, 0), leaf(&c, IMP_OP_CENTER_Y, 0)));
  Output out = evaluate(&c);
  CHECK(out.value[0] == 0 && out.j[0] == 0 && out.j[1] == 0 && out.curvature[0] == 0);
}


static void missing_derivatives_are_non_finite(void) {
  Case c = at(0, 0, 0, 1, 0, 0);
  int32_t x = leaf(&c, IMP_OP_X, 0), y = leaf(&c, IMP_OP_Y, 0);
  finish(&c, unary(&c, IMP_OP_SQRT, x));
  c.results[1] = binary(&c, IMP_OP_DIV, x, y);
  c.result_count = 2;
  Output out = evaluate(&c);
  CHECK(out.value[0] == 0 && isinf(out.j[0]) && !isfinite(out.curvature[0]) && out.j[1] == 0);
  CHECK(isnan(out.value[1]) && !isfinite(out.j[3]));
}


// ---------------------------------------------------------------------------------------------------------------------
// Refusals, memory, the public function
// ---------------------------------------------------------------------------------------------------------------------


static void check_refused(ImpStatus status, ImpStatus expected, const char *text) {
  bool ok = status == expected && strcmp(imp_last_error(), text) == 0;
  CHECK(ok);
  if (!ok) printf("  status %d, '%s', expected '%s'\n", (int)status, imp_last_error(), text);
}


static void a_wrong_tape_is_refused_with_its_reason(void) {
  static const struct {
    ImpNode node;   // node 2, after a constant and x of body 0
    int32_t result; // index of the node of result 0
    const char *text;
  } wrong[] = {
      {{.op = IMP_OP_COUNT}, 0, "tape node 2: unknown operation 33"},
      {{.op = (ImpOp)-1}, 0, "tape node 2: unknown operation -1"},
      {{.op = IMP_OP_PARAM, .a = 2}, 0, "tape node 2 (param) reads parameter 2, but the tape has 2 parameters"},
      {{.op = IMP_OP_PARAM, .a = -1}, 0, "tape node 2 (param) reads parameter -1, but the tape has 2 parameters"},
      {{.op = IMP_OP_ANGLE, .a = 3}, 0, "tape node 2 (angle) reads body 3, but the tape has 3 bodies"},
      {{.op = IMP_OP_CENTER_Y, .a = -1}, 0, "tape node 2 (center_y) reads body -1, but the tape has 3 bodies"},
      {{.op = IMP_OP_VX, .a = 0}, 0, "tape node 2 (vx) reads a velocity, which is allowed only in a velocity tape"},
      {{.op = IMP_OP_SQRT, .a = 2}, 0, "tape node 2 (sqrt) reads node 2, but may read only nodes before itself"},
      {{.op = IMP_OP_MUL, .a = 0, .b = 7}, 0, "tape node 2 (mul) reads node 7, but may read only nodes before itself"},
      {{.op = IMP_OP_WHERE, .a = 0, .b = 1, .c = -4},
       0,
       "tape node 2 (where) reads node -4, but may read only nodes before itself"},
      {{.op = IMP_OP_POINT_X, .a = 3}, 0, "tape node 2 (point_x) reads body 3, but the tape has 3 bodies"},
      {{.op = IMP_OP_VECTOR_Y, .a = -1}, 0, "tape node 2 (vector_y) reads body -1, but the tape has 3 bodies"},
      {{.op = IMP_OP_POINT_X, .b = 1},
       0,
       "tape node 2 (point_x): the local x is read from node 1, but must be read from a constant node before this "
       "node"},
      {{.op = IMP_OP_POINT_Y, .c = 2},
       0,
       "tape node 2 (point_y): the local y is read from node 2, but must be read from a constant node before this "
       "node"},
      {{.op = IMP_OP_VECTOR_X, .b = -1},
       0,
       "tape node 2 (vector_x): the local x is read from node -1, but must be read from a constant node before this "
       "node"},
      {{.op = IMP_OP_VECTOR_Y, .c = 1},
       0,
       "tape node 2 (vector_y): the local y is read from node 1, but must be read from a constant node before this "
       "node"},
      {{.op = IMP_OP_TIME}, 3, "tape result 0 is node 3, but the tape has 3 nodes"},
      {{.op = IMP_OP_TIME}, -1, "tape result 0 is node -1, but the tape has 3 nodes"},
  };
  ImpiTape tape = {.body_count = 77};
  for (int i = 0; i < IMPI_COUNT(wrong); ++i) {
    ImpNode nodes[] = {{.op = IMP_OP_CONSTANT, .value = 1}, {.op = IMP_OP_X}, wrong[i].node};
    ImpTapeDef def = {nodes, 3, &wrong[i].result, 1, false};
    check_refused(impi_tape_create(&heap, &def, BODIES, PARAMS, &tape), IMP_ERR_ARGUMENT, wrong[i].text);
  }
  ImpNode node = {.op = IMP_OP_VY, .a = 3};
  int32_t result = 0;
  ImpTapeDef def = {&node, 1, &result, 1, true};
  check_refused(impi_tape_create(&heap, &def, BODIES, 0, &tape), IMP_ERR_ARGUMENT,
                "tape node 0 (vy) reads body 3, but the tape has 3 bodies");
  def = (ImpTapeDef){&node, 0, &result, 1, false};
  check_refused(impi_tape_create(&heap, &def, 1, 0, &tape), IMP_ERR_ARGUMENT, "a tape needs at least one node, got 0");
  def = (ImpTapeDef){&node, 1, &result, 0, false};
  check_refused(impi_tape_create(&heap, &def, 1, 0, &tape), IMP_ERR_ARGUMENT,
                "a tape needs at least one result, got 0");
  def = (ImpTapeDef){&node, 2000000, &result, 1, false};
  check_refused(impi_tape_create(&heap, &def, 1, 0, &tape), IMP_ERR_LIMIT,
                "a tape has 2000000 nodes and 1 results, at most 1000000 of each are allowed");
  CHECK(tape.body_count == 77 && tape.code == NULL && heap.bytes == 0);
}


// Succeed `*user` times, then fail once.
static void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
  int *left = user;
  if (new_size > 0 && (*left)-- == 0) return NULL;
  ImpAllocator plain = impi_default_allocator();
  return plain.reallocate(plain.user, old, old_size, new_size);
}


static void out_of_memory_creates_no_tape_and_leaks_nothing(void) {
  Case c = random_case(2);
  put_distance(&c);
  ImpTapeDef def = definition(&c);
  for (int given = 0; given < 3; ++given) {
    int left = given;
    ImpiHeap poor = {.allocator = {reallocate, &left}};
    ImpiTape tape = {0};
    ImpStatus status = impi_tape_create(&poor, &def, 2, 0, &tape);
    CHECK(given < 2 ? tape.code == NULL : status == IMP_OK);
    if (given < 2) check_refused(status, IMP_ERR_NOMEM, "out of memory for a tape of 10 nodes");
    impi_tape_free(&poor, &tape);
    CHECK(poor.bytes == 0);
  }
}


static void a_copy_of_the_block_is_the_same_tape(void) {
  for (int longer = 0; longer < 2; ++longer) {
    Case c = random_case(2);
    put_rod(&c, vec(0.5, 0.25), vec(-1, 2));
    while (longer && c.count < IMPI_TAPE_STACK) {
      finish(&c, unary(&c, IMP_OP_NEG, c.results[0]));
    }
    ImpTapeDef def = definition(&c);
    Motions motions;
    ImpiTapeInput input = input_of(&c, &motions);
    Output out = evaluate(&c), again = {0};
    ImpiTape tape;
    MUST(impi_tape_create(&heap, &def, c.bodies, PARAMS, &tape));
    void *old = tape.constants, *copy = impi_resize(&heap, NULL, 0, tape.block_size);
    memcpy(copy, old, tape.block_size);
    memset(old, 0xff, tape.block_size);
    impi_resize(&heap, old, tape.block_size, 0);
    impi_tape_bind(&tape, copy);
    impi_tape_evaluate(&tape, &input, HUGE_VAL, (ImpiTapeOutput){again.value, again.j, again.curvature});
    CHECK(memcmp(&out, &again, sizeof out) == 0);
    impi_tape_free(&heap, &tape);
  }
  CHECK(heap.bytes == 0);
}


static void the_public_function_evaluates_at_poses_and_velocities(void) {
  Case c = random_case(2);
  put_distance(&c);
  memset(c.centers, 0, sizeof c.centers);
  Output out = evaluate(&c);
  ImpTapeDef def = definition(&c);
  ImpTransform poses[2];
  double angles[2], velocities[6] = {1, 2, 3, 4, 5, 6}, value = 7, j[6] = {7};
  for (int i = 0; i < 2; ++i) {
    angles[i] = (double)c.q[3 * i + 2];
    poses[i] = (ImpTransform){vec((double)c.q[3 * i], (double)c.q[3 * i + 1]), impi_rot(angles[i])};
  }
  MUST(imp_tape_evaluate(&def, poses, angles, NULL, 2, NULL, 0, 0, &value, NULL));
  CHECK(value == out.value[0] && j[0] == 7);
  MUST(imp_tape_evaluate(&def, poses, angles, velocities, 2, NULL, 0, 0, &value, j));
  CHECK(value == out.value[0] && memcmp(j, out.j, sizeof j) == 0);

  // A velocity tape: vx times the angle of body 1, plus the parameter.
  const ImpNode nodes[] = {{.op = IMP_OP_VX, .a = 1},
                           {.op = IMP_OP_ANGLE, .a = 1},
                           {.op = IMP_OP_PARAM},
                           {.op = IMP_OP_MUL, .a = 0, .b = 1},
                           {.op = IMP_OP_ADD, .a = 3, .b = 2}};
  const int32_t result = 4;
  const double param = 10;
  def = (ImpTapeDef){nodes, 5, &result, 1, true};
  MUST(imp_tape_evaluate(&def, poses, angles, velocities, 2, &param, 1, 0, &value, j));
  CHECK(value == 4 * angles[1] + 10 && j[3] == angles[1] && j[0] == 0 && j[5] == 0);
  MUST(imp_tape_evaluate(&def, poses, angles, NULL, 2, &param, 1, 0, &value, j));
  CHECK(value == 10 && j[3] == angles[1]);

  value = 7;
  check_refused(imp_tape_evaluate(NULL, poses, angles, NULL, 2, NULL, 0, 0, &value, j), IMP_ERR_ARGUMENT,
                "the tape and the array for its values must not be null");
  check_refused(imp_tape_evaluate(&def, poses, angles, NULL, 65, NULL, 0, 0, &value, j), IMP_ERR_ARGUMENT,
                "a tape reads 0 to 64 bodies, got 65");
  check_refused(imp_tape_evaluate(&def, poses, NULL, NULL, 2, NULL, 0, 0, &value, j), IMP_ERR_ARGUMENT,
                "the arrays of poses and angles of 2 bodies must not be null");
  check_refused(imp_tape_evaluate(&def, poses, angles, NULL, 2, NULL, 1, 0, &value, j), IMP_ERR_ARGUMENT,
                "param_count must be >= 0, and params must not be null if param_count is above 0, got param_count 1");
  check_refused(imp_tape_evaluate(&def, poses, angles, NULL, 2, NULL, 0, 0, &value, j), IMP_ERR_ARGUMENT,
                "tape node 2 (param) reads parameter 0, but the tape has 0 parameters");
  CHECK(value == 7);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  heap.allocator = impi_default_allocator();
  RUN(a_kink_has_the_derivatives_of_its_branch);
  RUN(the_branch_not_taken_has_no_effect);
  RUN(powers_are_correct_at_zero_and_below);
  RUN(a_power_can_have_a_variable_base_and_exponent);
  RUN(missing_derivatives_are_non_finite);
  RUN(a_wrong_tape_is_refused_with_its_reason);
  RUN(out_of_memory_creates_no_tape_and_leaks_nothing);
  RUN(a_copy_of_the_block_is_the_same_tape);
  RUN(the_public_function_evaluates_at_poses_and_velocities);
  return check_report("tape_edges");
}
