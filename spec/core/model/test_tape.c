// Derivatives of tapes: random tapes against differences in long double, hand-written tapes against closed forms,
// velocity tapes.
#include "tape_case.h"


// ---------------------------------------------------------------------------------------------------------------------
// The oracle: every node in long double with the C library, differences of fourth order
// ---------------------------------------------------------------------------------------------------------------------


static Real node_value(const Case *c, const ImpNode *n, const Real *q, const Real *v, const Real *done) {
  bool deep = n->op >= IMP_OP_ADD;
  int body = n->op >= IMP_OP_X && !deep ? n->a : 0;
  Real a = deep ? done[n->a] : 0, b = deep && n->b >= 0 ? done[n->b] : 0, x = q[3 * body], y = q[3 * body + 1];
  Real turn = q[3 * body + 2], lx = (Real)c->centers[body].x, ly = (Real)c->centers[body].y;
  bool fixed = n->op >= IMP_OP_POINT_X && !deep; // the operation has a point fixed in the body
  Real px = fixed ? done[n->b] : 0, py = fixed ? done[n->c] : 0;
  switch (n->op) {
  case IMP_OP_CONSTANT:
    return (Real)n->value;
  case IMP_OP_PARAM:
    return (Real)c->params[n->a];
  case IMP_OP_TIME:
    return (Real)c->t;
  case IMP_OP_X:
    return x - (cosl(turn) * lx - sinl(turn) * ly);
  case IMP_OP_Y:
    return y - (sinl(turn) * lx + cosl(turn) * ly);
  case IMP_OP_ANGLE:
    return turn;
  case IMP_OP_COS:
    return cosl(turn);
  case IMP_OP_SIN:
    return sinl(turn);
  case IMP_OP_CENTER_X:
    return x;
  case IMP_OP_CENTER_Y:
    return y;
  case IMP_OP_VX:
    return v[3 * body];
  case IMP_OP_VY:
    return v[3 * body + 1];
  case IMP_OP_ANGULAR_VELOCITY:
    return v[3 * body + 2];
  case IMP_OP_POINT_X:
    return x + cosl(turn) * (px - lx) - sinl(turn) * (py - ly);
  case IMP_OP_POINT_Y:
    return y + sinl(turn) * (px - lx) + cosl(turn) * (py - ly);
  case IMP_OP_VECTOR_X:
    return cosl(turn) * px - sinl(turn) * py;
  case IMP_OP_VECTOR_Y:
    return sinl(turn) * px + cosl(turn) * py;
  case IMP_OP_ADD:
    return a + b;
  case IMP_OP_SUB:
    return a - b;
  case IMP_OP_MUL:
    return a * b;
  case IMP_OP_DIV:
    return a / b;
  case IMP_OP_NEG:
    return -a;
  case IMP_OP_POW:
    return powl(a, b);
  case IMP_OP_SQRT:
    return sqrtl(a);
  case IMP_OP_SINE:
    return sinl(a);
  case IMP_OP_COSINE:
    return cosl(a);
  case IMP_OP_ATAN2:
    return atan2l(a, b);
  case IMP_OP_EXP:
    return expl(a);
  case IMP_OP_LOG:
    return logl(a);
  case IMP_OP_ABS:
    return fabsl(a);
  case IMP_OP_MIN:
    return a < b ? a : b;
  case IMP_OP_MAX:
    return a > b ? a : b;
  case IMP_OP_WHERE:
    return a > 0 ? b : done[n->c];
  case IMP_OP_COUNT:
    break;
  }
  return 0;
}


static Real reference(const Case *c, int32_t node, const Real *q, const Real *v) {
  Real done[NODES] = {0};
  for (int i = 0; i <= node; ++i) {
    done[i] = node_value(c, &c->nodes[i], q, v, done);
  }
  return done[node];
}


// Return the value of the node at q + step * direction.
static Real displaced(const Case *c, int32_t node, const Real *direction, Real step) {
  Real q[WIDTH];
  for (int i = 0; i < WIDTH; ++i) {
    q[i] = c->q[i] + step * direction[i];
  }
  return reference(c, node, q, c->v);
}


// Step h of the difference quotients: 1e-4 if Real has a mantissa of 64 bits, larger if Real is less accurate. The
// truncation error is at most h^4 times the fifth or sixth derivative. The rounding error is 1e-19 / h^2 = 1e-11.
static Real h;


static Real first_difference(const Case *c, int32_t node, const Real *d) {
  return (8 * (displaced(c, node, d, h) - displaced(c, node, d, -h)) - displaced(c, node, d, 2 * h) +
          displaced(c, node, d, -2 * h)) /
         (12 * h);
}


static Real second_difference(const Case *c, int32_t node, const Real *d) {
  return (16 * (displaced(c, node, d, h) + displaced(c, node, d, -h)) - displaced(c, node, d, 2 * h) -
          displaced(c, node, d, -2 * h) - 30 * displaced(c, node, d, 0)) /
         (12 * h * h);
}


// ---------------------------------------------------------------------------------------------------------------------
// Random tapes
// ---------------------------------------------------------------------------------------------------------------------


static int below(int limit) { return (int)random_in(0, limit); }


// Return whether the operation is smooth and not large at these operands: at least 0.2 from a corner or a pole.
static bool is_smooth(ImpOp op, bool whole_exponent, Real a, Real b, Real value) {
  switch (op) {
  case IMP_OP_DIV:
    return fabsl(b) > 0.5L && fabsl(value) < 10;
  case IMP_OP_POW:
    return (a > 0.3L || (whole_exponent && a < -0.3L)) && fabsl(value) < 10;
  case IMP_OP_SQRT:
  case IMP_OP_LOG:
    return a > 0.3L;
  case IMP_OP_ATAN2:
    return a * a + b * b > 0.3L && (b > 0 || fabsl(a) > 0.2L);
  case IMP_OP_ABS:
  case IMP_OP_WHERE:
    return fabsl(a) > 0.2L;
  case IMP_OP_MIN:
  case IMP_OP_MAX:
    return fabsl(a - b) > 0.2L;
  default:
    return fabsl(value) < 10;
  }
}


// Append a node with this operation on random operands. Return false if the operation is not smooth at any operands
// tried.
static bool grow(Case *c, Real *values, ImpOp op) {
  static const double exponents[] = {2, 3, -1, -2, 1, 0, 5, 0.5, 1.5, -0.5, 2.5};
  for (int attempt = 0; attempt < 20; ++attempt) {
    int count = c->count;
    int32_t a = below(count), b = below(count), third = below(count);
    bool fixed = op == IMP_OP_POW && below(3) > 0;
    if (fixed) {
      b = constant(c, exponents[below(11)]);
      values[b] = (Real)c->nodes[b].value;
    }
    int32_t node = put(c, op, a, b, third);
    values[node] = node_value(c, &c->nodes[node], c->q, c->v, values);
    bool whole = fixed && floor(c->nodes[b].value) == c->nodes[b].value;
    if (is_smooth(op, whole, values[a], values[b], values[node])) {
      return true;
    }
    c->count = count;
  }
  return false;
}


// Return a tape with leaves of every kind and 20 operation nodes. Result 0 is the sum of the operation nodes or, in
// every second tape, of all nodes. Result 1 is a random node. For each summed node, seen[operation] increases by 1.
static Case random_tape(int index, int *seen) {
  Case c = random_case(1 + index % BODIES);
  Real values[NODES];
  constant(&c, random_in(-2, 2));
  leaf(&c, IMP_OP_PARAM, below(PARAMS));
  leaf(&c, IMP_OP_TIME, -1);
  for (int body = 0; body < c.bodies; ++body) {
    for (int op = IMP_OP_X; op <= IMP_OP_CENTER_Y; ++op) {
      leaf(&c, (ImpOp)op, body);
    }
    int32_t x = constant(&c, random_in(-1, 1)), y = constant(&c, random_in(-1, 1));
    for (int op = IMP_OP_POINT_X; op <= IMP_OP_VECTOR_Y; ++op) {
      put(&c, (ImpOp)op, body, x, y);
    }
  }
  int leaves = c.count, op_count = IMP_OP_COUNT - IMP_OP_ADD;
  for (int i = 0; i < leaves; ++i) {
    values[i] = node_value(&c, &c.nodes[i], c.q, c.v, values);
  }
  for (int i = 0; i < 20; ++i) {
    grow(&c, values, (ImpOp)(IMP_OP_ADD + (index * 7 + i) % op_count));
  }
  int end = c.count;
  c.results[1] = below(end);
  c.results[0] = end - 1;
  for (int i = index % 2 == 0 ? leaves : 0; i < end; ++i) {
    ++seen[c.nodes[i].op];
    c.results[0] = binary(&c, IMP_OP_ADD, c.results[0], i);
  }
  c.result_count = 2;
  return c;
}


typedef struct Worst {
  Real value, j, curvature;
} Worst;


// Compare a tape with the oracle. Errors are relative to the largest derivative of the result, at least 1.
static void compare(const Case *c, const Output *out, Worst *worst) {
  int width = 3 * c->bodies;
  for (int i = 0; i < c->result_count; ++i) {
    int32_t node = c->results[i];
    Real j[WIDTH], size = 1;
    for (int k = 0; k < width; ++k) {
      Real direction[WIDTH] = {0};
      direction[k] = 1;
      j[k] = first_difference(c, node, direction);
      size = fmaxl(size, fabsl(j[k]));
    }
    for (int k = 0; k < width; ++k) {
      worst->j = fmaxl(worst->j, fabsl((Real)out->j[i * width + k] - j[k]) / size);
    }
    Real value = reference(c, node, c->q, c->v), curvature = second_difference(c, node, c->v);
    worst->value = fmaxl(worst->value, fabsl((Real)out->value[i] - value) / fmaxl(1, fabsl(value)));
    worst->curvature =
        fmaxl(worst->curvature, fabsl((Real)out->curvature[i] - curvature) / fmaxl(size, fabsl(curvature)));
  }
}


static void random_tapes_agree_with_finite_differences(void) {
  Worst worst = {0};
  int seen[IMP_OP_COUNT] = {0};
  for (int index = 0; index < 500; ++index) {
    Case c = random_tape(index, seen);
    Output out = evaluate(&c);
    compare(&c, &out, &worst);
  }
  CHECK_NEAR((double)worst.value, 0, 1e-10);    // rounding of 1e-16 per node, times slopes of up to 1e4
  CHECK_NEAR((double)worst.j, 0, 1e-6);         // the required accuracy
  CHECK_NEAR((double)worst.curvature, 0, 1e-6); // as above
  measured("500 random tapes: worst relative error of a value", (double)worst.value);
  measured("of a Jacobian, expected 1e-6", (double)worst.j);
  measured("of a curvature, expected 1e-6", (double)worst.curvature);
  for (int op = 0; op < IMP_OP_COUNT; ++op) {
    bool velocity = op == IMP_OP_VX || op == IMP_OP_VY || op == IMP_OP_ANGULAR_VELOCITY;
    CHECK(velocity || seen[op] >= 100);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Closed forms
// ---------------------------------------------------------------------------------------------------------------------


// The distance of two points, C = |p_b - p_a| = d, with u = (p_b - p_a) / d and r = p - centre of mass:
//   J = [ -u  -(r_a x u)   u  r_b x u ],   J'v = u . (w_a^2 r_a - w_b^2 r_b) + (u x v_rel)^2 / d
static void the_distance_of_two_points_has_the_jacobian_of_a_rod(void) {
  double worst_j = 0, worst_curvature = 0;
  for (int i = 0; i < 1000; ++i) {
    Case c = random_case(2);
    if (i % 2 == 0) memset(c.centers, 0, sizeof c.centers);
    ImpVec2 at[2] = {{0, 0}, {0, 0}};
    if (i % 4 < 2) {
      put_distance(&c);
    } else {
      at[0] = vec(random_in(-1, 1), random_in(-1, 1));
      at[1] = vec(random_in(-1, 1), random_in(-1, 1));
      put_rod(&c, at[0], at[1]);
    }
    Output out = evaluate(&c);
    Motions m;
    input_of(&c, &m);
    ImpVec2 r[2], p[2], v[2];
    for (int k = 0; k < 2; ++k) {
      const ImpiMotion *b = &m.motion[k];
      r[k] = impi_rotate((ImpRot){b->c, b->s}, impi_sub(at[k], c.centers[k]));
      p[k] = impi_add(vec(b->x, b->y), r[k]);
      v[k] = impi_add(vec(b->vx, b->vy), impi_cross_sv(b->w, r[k]));
    }
    double d = impi_length(impi_sub(p[1], p[0])), w_a = m.motion[0].w, w_b = m.motion[1].w;
    ImpVec2 u = vec((p[1].x - p[0].x) / d, (p[1].y - p[0].y) / d);
    double j[] = {-u.x, -u.y, -impi_cross(r[0], u), u.x, u.y, impi_cross(r[1], u)};
    double across = impi_cross(u, impi_sub(v[1], v[0]));
    double curvature = w_a * w_a * impi_dot(u, r[0]) - w_b * w_b * impi_dot(u, r[1]) + across * across / d;
    for (int k = 0; k < 6; ++k) {
      worst_j = fmax(worst_j, fabs(out.j[k] - j[k]));
    }
    worst_curvature = fmax(worst_curvature, fabs(out.curvature[0] - curvature) * d);
  }
  CHECK_NEAR(worst_j, 0, 1e-15);         // a few rounding errors of numbers up to 1
  CHECK_NEAR(worst_curvature, 0, 1e-13); // rounding of v^2 / d
  measured("distance of two points: worst error of J, expected 1e-15", worst_j);
  measured("worst error of J'v, times the distance", worst_curvature);
}


// For a point p = x + R (l - l_c) let r = R (l - l_c). J = (1, 0, -r.y), (0, 1, r.x); J'v = -w^2 r.
// For a vector r = R l, J = (0, 0, -r.y), (0, 0, r.x); J'v = -w^2 r.
static void points_and_vectors_move_with_their_body(void) {
  for (int i = 0; i < 100; ++i) {
    bool is_point = i % 2 == 0;
    Case c = random_case(1);
    ImpVec2 l = vec(random_in(-1, 1), random_in(-1, 1)), arm = is_point ? impi_sub(l, c.centers[0]) : l;
    int32_t x = local(&c, is_point ? IMP_OP_POINT_X : IMP_OP_VECTOR_X, 0, l);
    int32_t y = local(&c, is_point ? IMP_OP_POINT_Y : IMP_OP_VECTOR_Y, 0, l);
    c.results[0] = x;
    c.results[1] = y;
    c.result_count = 2;
    Output out = evaluate_clamped(&c, 0.5);
    Motions m;
    input_of(&c, &m);
    const ImpiMotion *b = &m.motion[0];
    double w = impi_clamp(b->w, -0.5, 0.5), by = is_point ? 1 : 0;
    ImpVec2 r = impi_rotate((ImpRot){b->c, b->s}, arm);
    CHECK(out.value[0] == by * b->x + r.x && out.value[1] == by * b->y + r.y);
    CHECK(out.j[0] == by && out.j[1] == 0 && out.j[2] == -r.y && out.j[3] == 0 && out.j[4] == by && out.j[5] == r.x);
    CHECK_NEAR(out.curvature[0], -w * w * r.x, 1e-16); // rounding of a number up to 0.5
    CHECK_NEAR(out.curvature[1], -w * w * r.y, 1e-16); // as above
    double value[] = {out.value[0], out.value[1]};
    c.velocity = true;
    finish(&c, binary(&c, IMP_OP_MUL, x, leaf(&c, IMP_OP_VX, 0)));
    c.results[1] = binary(&c, IMP_OP_ADD, y, leaf(&c, IMP_OP_VY, 0));
    c.result_count = 2;
    out = evaluate(&c);
    CHECK(out.value[0] == 0 && out.j[0] == value[0] && out.value[1] == value[1] && out.j[4] == 1);
  }
}


static void a_circle_is_exact(void) {
  Case c = at(1.25, -0.5, 0.3, 0.75, -1.5, 2);
  int32_t two = constant(&c, 2);
  int32_t x = binary(&c, IMP_OP_POW, leaf(&c, IMP_OP_X, 0), two),
          y = binary(&c, IMP_OP_POW, leaf(&c, IMP_OP_Y, 0), two);
  finish(&c, binary(&c, IMP_OP_SUB, binary(&c, IMP_OP_ADD, x, y), constant(&c, 4)));
  Output out = evaluate(&c);
  CHECK(out.value[0] == 1.25 * 1.25 + 0.25 - 4 && out.j[0] == 2.5 && out.j[1] == -1 && out.j[2] == 0);
  CHECK(out.curvature[0] == 2 * (0.75 * 0.75 + 1.5 * 1.5));
}


// phi = atan2(y, x):  J = (-y, x) / r^2,  J'v = -2 r' phi' / r
static void a_polar_angle_has_its_analytic_derivatives(void) {
  for (int i = 0; i < 100; ++i) {
    double x = random_in(-2, 2), y = random_in(-2, 2), vx = random_in(-1, 1), vy = random_in(-1, 1);
    Case c = at(x, y, 0, vx, vy, 1);
    finish(&c, binary(&c, IMP_OP_ATAN2, leaf(&c, IMP_OP_CENTER_Y, 0), leaf(&c, IMP_OP_CENTER_X, 0)));
    Output out = evaluate(&c);
    double r_sq = x * x + y * y, rate = (x * vy - y * vx) / r_sq, closing = (x * vx + y * vy) / r_sq;
    CHECK(out.value[0] == imp_atan2(y, x));
    CHECK_NEAR(out.j[0] * r_sq, -y, 1e-15); // two rounding errors of numbers up to 2
    CHECK_NEAR(out.j[1] * r_sq, x, 1e-15);  // as above
    // The tolerance is the rounding of a few operations.
    CHECK_NEAR(out.curvature[0] * r_sq, -2 * closing * rate * r_sq, 1e-14 * (1 + fabs(closing)));
  }
}


// Only the second derivatives of leaves use the clamped angular velocity.
static void curvature_uses_the_clamped_angular_velocity(void) {
  for (int sign = -1; sign <= 1; sign += 2) {
    Case c = at(1, 2, 0.4, 3, 4, sign * 1000);
    c.centers[0] = vec(0.5, 0.25);
    finish(&c, leaf(&c, IMP_OP_X, 0));
    c.results[1] = binary(&c, IMP_OP_POW, leaf(&c, IMP_OP_CENTER_X, 0), constant(&c, 2));
    c.result_count = 2;
    Output out = evaluate_clamped(&c, 10);
    double lever = cos(0.4) * 0.5 - sin(0.4) * 0.25;
    CHECK_NEAR(out.curvature[0], 100 * lever, 1e-13); // rounding of a number near 40
    CHECK(out.curvature[1] == 2 * 3 * 3);
    // J does not depend on velocities. The tolerance is rounding.
    CHECK_NEAR(out.j[2], sin(0.4) * 0.5 + cos(0.4) * 0.25, 1e-15);
  }
}


static void time_changes_only_the_value(void) {
  Case c = at(1, 2, 0, 3, 4, 5);
  int32_t time = leaf(&c, IMP_OP_TIME, -1), x = leaf(&c, IMP_OP_CENTER_X, 0);
  finish(&c, binary(&c, IMP_OP_SUB, x, unary(&c, IMP_OP_SQRT, time)));
  Output out = evaluate(&c);
  CHECK(out.value[0] == 1 - sqrt(0.5) && out.j[0] == 1 && out.curvature[0] == 0);
  c.t = 0; // sqrt has no derivative at t = 0, but derivatives by time are not computed
  out = evaluate(&c);
  CHECK(out.value[0] == 1 && out.j[0] == 1 && out.j[1] == 0 && out.j[2] == 0 && out.curvature[0] == 0);
  for (int used = 0; used < 2; ++used) {
    ImpTapeDef def = definition(&c);
    def.results = used ? c.results : &x;
    ImpiTape tape;
    MUST(impi_tape_create(&heap, &def, 1, 0, &tape));
    CHECK(tape.timed == (used == 1)); // an unused time leaf does not make the tape timed
    impi_tape_free(&heap, &tape);
  }
}


// The sum of sin(k y) cos(k y) = sin(2 k y) / 2 for k up to 20. The tape needs more slots than fit on the stack.
static void a_long_tape_is_evaluated_in_allocated_memory(void) {
  Case c = at(0, 0.7, 0, 0, 2, 0);
  int32_t sum = constant(&c, 0), y = leaf(&c, IMP_OP_CENTER_Y, 0);
  double value = 0, slope = 0, curvature = 0;
  for (int k = 1; k <= 20; ++k) {
    int32_t angle = binary(&c, IMP_OP_MUL, constant(&c, k), y);
    int32_t product = binary(&c, IMP_OP_MUL, unary(&c, IMP_OP_SINE, angle), unary(&c, IMP_OP_COSINE, angle));
    sum = binary(&c, IMP_OP_ADD, sum, product);
    value += sin(2 * k * 0.7) / 2;
    slope += k * cos(2 * k * 0.7);
    curvature -= 2 * k * k * sin(2 * k * 0.7) * 4;
  }
  finish(&c, sum);
  CHECK(c.count > IMPI_TAPE_STACK);
  Output out = evaluate(&c);
  CHECK_NEAR(out.value[0], value, 1e-14);         // rounding of 20 terms of at most 1
  CHECK_NEAR(out.j[1], slope, 1e-13);             // rounding of terms of at most 20
  CHECK_NEAR(out.curvature[0], curvature, 1e-10); // rounding of terms of at most 3200
}


// ---------------------------------------------------------------------------------------------------------------------
// Velocity tapes
// ---------------------------------------------------------------------------------------------------------------------


static bool is_linear(const Case *c) {
  Motions motions;
  ImpiTapeInput input = input_of(c, &motions);
  ImpTapeDef def = definition(c);
  ImpiTape tape;
  MUST(impi_tape_create(&heap, &def, c->bodies, PARAMS, &tape));
  bool linear = impi_tape_is_linear(&tape, &input);
  impi_tape_free(&heap, &tape);
  return linear;
}


// Result 0 is the velocity of a skate across its blade, J = (-sin, cos, 0). Result 1 is vx + r w - t, the slip of a
// wheel on a belt with speed t.
static void a_velocity_tape_gives_its_coefficients(void) {
  Case c = at(1, 2, 0.6, 3, 4, 5);
  c.velocity = true;
  int32_t across = binary(&c, IMP_OP_MUL, leaf(&c, IMP_OP_COS, 0), leaf(&c, IMP_OP_VY, 0));
  int32_t along = binary(&c, IMP_OP_MUL, leaf(&c, IMP_OP_SIN, 0), leaf(&c, IMP_OP_VX, 0));
  finish(&c, binary(&c, IMP_OP_SUB, across, along));
  int32_t turn = binary(&c, IMP_OP_MUL, constant(&c, 0.25), leaf(&c, IMP_OP_ANGULAR_VELOCITY, 0));
  int32_t speed = binary(&c, IMP_OP_ADD, leaf(&c, IMP_OP_VX, 0), turn);
  c.results[1] = binary(&c, IMP_OP_SUB, speed, leaf(&c, IMP_OP_TIME, -1));
  c.result_count = 2;
  Output out = evaluate(&c);
  CHECK(out.value[0] == 0 && out.j[0] == -imp_sin(0.6) && out.j[1] == imp_cos(0.6) && out.j[2] == 0);
  CHECK(out.value[1] == -0.5 && out.j[3] == 1 && out.j[4] == 0 && out.j[5] == 0.25);
  CHECK(out.curvature[0] == 0 && out.curvature[1] == 0 && is_linear(&c));
}


// The velocity constraint f = sum of g_k(q) v_k + g_0(q). The functions g are random tapes. J is g, the value is g_0.
static void a_velocity_tape_is_differentiated_by_velocities_only(void) {
  Real worst = 0;
  int seen[IMP_OP_COUNT] = {0};
  for (int index = 0; index < 100; ++index) {
    Case c = random_tape(2 * index, seen);
    c.velocity = true;
    int32_t sum = c.results[0], g[WIDTH], last = c.count - 1;
    for (int k = 0; k < 3 * c.bodies; ++k) {
      g[k] = below(last);
      int32_t rate = leaf(&c, (ImpOp)(IMP_OP_VX + k % 3), k / 3);
      sum = binary(&c, k % 2 == 0 ? IMP_OP_ADD : IMP_OP_SUB, sum, binary(&c, IMP_OP_MUL, g[k], rate));
    }
    int32_t value = c.results[0];
    finish(&c, sum);
    Output out = evaluate(&c);
    Real expected = reference(&c, value, c.q, c.v);
    worst = fmaxl(worst, fabsl((Real)out.value[0] - expected) / fmaxl(1, fabsl(expected)));
    for (int k = 0; k < 3 * c.bodies; ++k) {
      expected = reference(&c, g[k], c.q, c.v) * (k % 2 == 0 ? 1 : -1);
      worst = fmaxl(worst, fabsl((Real)out.j[k] - expected) / fmaxl(1, fabsl(expected)));
    }
    CHECK(out.curvature[0] == 0 && is_linear(&c));
  }
  CHECK_NEAR((double)worst, 0, 1e-10); // the tolerance for the values of random tapes
  measured("velocity tapes: worst relative error of a coefficient", (double)worst);
}


static void a_nonlinear_velocity_tape_is_detected(void) {
  for (int form = 0; form < 10; ++form) {
    Case c = at(1, 2, 0.6, 3, 4, 5);
    c.velocity = true;
    int32_t vx = leaf(&c, IMP_OP_VX, 0), vy = leaf(&c, IMP_OP_VY, 0), two = constant(&c, 2), x = leaf(&c, IMP_OP_X, 0);
    const int32_t forms[] = {
        binary(&c, IMP_OP_POW, vx, two),
        binary(&c, IMP_OP_MUL, vx, vy),
        unary(&c, IMP_OP_ABS, vx),
        binary(&c, IMP_OP_MIN, vx, vy),
        put(&c, IMP_OP_WHERE, vx, vy, two),
        unary(&c, IMP_OP_SINE, vy),
        binary(&c, IMP_OP_DIV, vx, vy),
        binary(&c, IMP_OP_ADD, vx, binary(&c, IMP_OP_MUL, constant(&c, 1e-10), binary(&c, IMP_OP_MUL, vx, vx))),
        put(&c, IMP_OP_WHERE, x, vx, vy), // only the last two nodes are linear in the velocities
        binary(&c, IMP_OP_SUB, binary(&c, IMP_OP_MUL, binary(&c, IMP_OP_POW, x, two), vx),
               binary(&c, IMP_OP_DIV, vy, two)),
    };
    finish(&c, forms[form]);
    CHECK(is_linear(&c) == (form >= 8));
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  heap.allocator = impi_default_allocator();
  h = 1e-4L * powl(check_long_rounding() * 0x1p64L, 1 / 6.0L);
  RUN(random_tapes_agree_with_finite_differences);
  RUN(the_distance_of_two_points_has_the_jacobian_of_a_rod);
  RUN(points_and_vectors_move_with_their_body);
  RUN(a_circle_is_exact);
  RUN(a_polar_angle_has_its_analytic_derivatives);
  RUN(curvature_uses_the_clamped_angular_velocity);
  RUN(time_changes_only_the_value);
  RUN(a_long_tape_is_evaluated_in_allocated_memory);
  RUN(a_velocity_tape_gives_its_coefficients);
  RUN(a_velocity_tape_is_differentiated_by_velocities_only);
  RUN(a_nonlinear_velocity_tape_is_detected);
  return check_report("tape");
}
