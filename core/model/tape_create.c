// Creation of a tape: the nodes of a definition are checked and sorted. Nodes without effect on a result are left out.
#include <string.h>

#include "model/tape.h"

// largest number of nodes, and largest number of results
#define MAX_NODES 1000000

// Kind of a node's operands.
typedef enum Reads {
  READS_NOTHING,
  READS_PARAM,
  READS_BODY,
  READS_POINT,
  READS_VELOCITY,
  READS_1,
  READS_2,
  READS_3
} Reads;

static const struct {
  const char *name;
  Reads reads;
} OPS[] = {
    [IMP_OP_CONSTANT] = {"constant", READS_NOTHING},
    [IMP_OP_PARAM] = {"param", READS_PARAM},
    [IMP_OP_TIME] = {"time", READS_NOTHING},
    [IMP_OP_X] = {"x", READS_BODY},
    [IMP_OP_Y] = {"y", READS_BODY},
    [IMP_OP_ANGLE] = {"angle", READS_BODY},
    [IMP_OP_COS] = {"cos", READS_BODY},
    [IMP_OP_SIN] = {"sin", READS_BODY},
    [IMP_OP_CENTER_X] = {"center_x", READS_BODY},
    [IMP_OP_CENTER_Y] = {"center_y", READS_BODY},
    [IMP_OP_VX] = {"vx", READS_VELOCITY},
    [IMP_OP_VY] = {"vy", READS_VELOCITY},
    [IMP_OP_ANGULAR_VELOCITY] = {"angular_velocity", READS_VELOCITY},
    [IMP_OP_POINT_X] = {"point_x", READS_POINT},
    [IMP_OP_POINT_Y] = {"point_y", READS_POINT},
    [IMP_OP_VECTOR_X] = {"vector_x", READS_POINT},
    [IMP_OP_VECTOR_Y] = {"vector_y", READS_POINT},
    [IMP_OP_ADD] = {"add", READS_2},
    [IMP_OP_SUB] = {"sub", READS_2},
    [IMP_OP_MUL] = {"mul", READS_2},
    [IMP_OP_DIV] = {"div", READS_2},
    [IMP_OP_NEG] = {"neg", READS_1},
    [IMP_OP_POW] = {"pow", READS_2},
    [IMP_OP_SQRT] = {"sqrt", READS_1},
    [IMP_OP_SINE] = {"sine", READS_1},
    [IMP_OP_COSINE] = {"cosine", READS_1},
    [IMP_OP_ATAN2] = {"atan2", READS_2},
    [IMP_OP_EXP] = {"exp", READS_1},
    [IMP_OP_LOG] = {"log", READS_1},
    [IMP_OP_ABS] = {"abs", READS_1},
    [IMP_OP_MIN] = {"min", READS_2},
    [IMP_OP_MAX] = {"max", READS_2},
    [IMP_OP_WHERE] = {"where", READS_3},
};
IMPI_COVERS(OPS, IMP_OP_COUNT);

// Class of a node. VARIABLE, CONSTANT: the node becomes a variable or a constant. FIXED: an operation that depends on
// no variable. MOVING: an operation that depends on a variable.
typedef enum Part { UNUSED, USED, VARIABLE, CONSTANT, FIXED, MOVING, PART_COUNT } Part;


static int operand_count(ImpOp op) { return OPS[op].reads >= READS_1 ? (int)OPS[op].reads - READS_1 + 1 : 0; }


static ImpStatus check_node(const ImpTapeDef *def, int index, int body_count, int param_count) {
  const ImpNode *node = &def->nodes[index];
  if ((int)node->op < 0 || node->op >= IMP_OP_COUNT) {
    return impi_fail(IMP_ERR_ARGUMENT, "tape node %d: unknown operation %d", index, (int)node->op);
  }
  const char *name = OPS[node->op].name;
  Reads reads = OPS[node->op].reads;
  if (reads == READS_PARAM && (node->a < 0 || node->a >= param_count)) {
    return impi_fail(IMP_ERR_ARGUMENT, "tape node %d (%s) reads parameter %d, but the tape has %d parameters", index,
                     name, (int)node->a, param_count);
  }
  if (reads == READS_VELOCITY && !def->velocity) {
    return impi_fail(IMP_ERR_ARGUMENT, "tape node %d (%s) reads a velocity, which is allowed only in a velocity tape",
                     index, name);
  }
  if (reads >= READS_BODY && reads <= READS_VELOCITY && (node->a < 0 || node->a >= body_count)) {
    return impi_fail(IMP_ERR_ARGUMENT, "tape node %d (%s) reads body %d, but the tape has %d bodies", index, name,
                     (int)node->a, body_count);
  }
  const int32_t operands[] = {node->a, node->b, node->c};
  for (int k = 1; k < 3 && reads == READS_POINT; ++k) {
    if (operands[k] < 0 || operands[k] >= index || def->nodes[operands[k]].op != IMP_OP_CONSTANT) {
      return impi_fail(IMP_ERR_ARGUMENT,
                       "tape node %d (%s): the local %s is read from node %d, but must be read from a constant node "
                       "before this node",
                       index, name, k == 1 ? "x" : "y", (int)operands[k]);
    }
  }
  for (int k = 0; k < operand_count(node->op); ++k) {
    if (operands[k] < 0 || operands[k] >= index) {
      return impi_fail(IMP_ERR_ARGUMENT, "tape node %d (%s) reads node %d, but may read only nodes before itself",
                       index, name, (int)operands[k]);
    }
  }
  return IMP_OK;
}


static ImpStatus check_tape(const ImpTapeDef *def, int body_count, int param_count) {
  if (def->node_count < 1 || def->nodes == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "a tape needs at least one node, got %d", def->node_count);
  }
  if (def->result_count < 1 || def->results == NULL) {
    return impi_fail(IMP_ERR_ARGUMENT, "a tape needs at least one result, got %d", def->result_count);
  }
  if (def->node_count > MAX_NODES || def->result_count > MAX_NODES) {
    return impi_fail(IMP_ERR_LIMIT, "a tape has %d nodes and %d results, at most %d of each are allowed",
                     def->node_count, def->result_count, MAX_NODES);
  }
  for (int i = 0; i < def->node_count; ++i) {
    ImpStatus status = check_node(def, i, body_count, param_count);
    if (status != IMP_OK) {
      return status;
    }
  }
  for (int i = 0; i < def->result_count; ++i) {
    if (def->results[i] < 0 || def->results[i] >= def->node_count) {
      return impi_fail(IMP_ERR_ARGUMENT, "tape result %d is node %d, but the tape has %d nodes", i,
                       (int)def->results[i], def->node_count);
    }
  }
  return IMP_OK;
}


static Part part_of(const ImpTapeDef *def, const ImpNode *node, const int32_t *parts) {
  switch (OPS[node->op].reads) {
  case READS_NOTHING:
    return node->op == IMP_OP_CONSTANT ? CONSTANT : FIXED;
  case READS_PARAM:
    return FIXED;
  case READS_VELOCITY:
    return VARIABLE;
  case READS_BODY:
    if (def->velocity) {
      return FIXED;
    }
    return node->op == IMP_OP_ANGLE || node->op == IMP_OP_CENTER_X || node->op == IMP_OP_CENTER_Y ? VARIABLE : MOVING;
  case READS_POINT:
    return def->velocity ? FIXED : MOVING;
  default:
    break;
  }
  const int32_t operands[] = {node->a, node->b, node->c};
  for (int k = 0; k < operand_count(node->op); ++k) {
    if (parts[operands[k]] == VARIABLE || parts[operands[k]] == MOVING) {
      return MOVING;
    }
  }
  return FIXED;
}


// Find the Part of each node, and set the counts of the tape. Nodes without effect on a result stay UNUSED.
static void sort_nodes(const ImpTapeDef *def, int32_t *parts, ImpiTape *tape) {
  memset(parts, 0, (size_t)def->node_count * sizeof *parts);
  for (int i = 0; i < def->result_count; ++i) {
    parts[def->results[i]] = USED;
  }
  for (int i = def->node_count - 1; i >= 0; --i) {
    const int32_t operands[] = {def->nodes[i].a, def->nodes[i].b, def->nodes[i].c};
    for (int k = 0; parts[i] == USED && k < operand_count(def->nodes[i].op); ++k) {
      parts[operands[k]] = USED;
    }
  }
  int32_t count[PART_COUNT] = {0};
  for (int i = 0; i < def->node_count; ++i) {
    if (parts[i] == USED) {
      parts[i] = (int32_t)part_of(def, &def->nodes[i], parts);
      tape->timed = tape->timed || def->nodes[i].op == IMP_OP_TIME;
      tape->point_count += OPS[def->nodes[i].op].reads == READS_POINT;
    }
    ++count[parts[i]];
  }
  tape->first_constant = 1 + 3 * tape->body_count;
  tape->first_fixed = tape->first_constant + count[CONSTANT];
  tape->first_moving = tape->first_fixed + count[FIXED];
  tape->slot_count = tape->first_moving + count[MOVING];
}


// Return the slot of a body's variable k: 0 for x, 1 for y, 2 for the angle (in a velocity tape their rates).
static int32_t variable_slot(int32_t body, int k) { return 1 + 3 * body + k; }


static bool is_moving(const ImpiTape *tape, int32_t slot) {
  return (slot > 0 && slot < tape->first_constant) || slot >= tape->first_moving;
}


// Return the index of a body's variable in an operation: 0 for x, 1 for y, 2 for the angle.
static int variable_of(ImpOp op) {
  switch (op) {
  case IMP_OP_Y:
  case IMP_OP_CENTER_Y:
  case IMP_OP_VY:
  case IMP_OP_POINT_Y:
    return 1;
  case IMP_OP_ANGLE:
  case IMP_OP_COS:
  case IMP_OP_SIN:
  case IMP_OP_ANGULAR_VELOCITY:
  case IMP_OP_VECTOR_X:
  case IMP_OP_VECTOR_Y:
    return 2;
  default:
    return 0;
  }
}


static ImpiTapeCode encode(const ImpiTape *tape, const ImpNode *node, const int32_t *slots) {
  ImpiTapeCode code = {.op = (int32_t)node->op};
  Reads reads = OPS[node->op].reads;
  if (reads == READS_PARAM || reads == READS_BODY) {
    code.c = node->a;
  }
  // Operand a is x, y or the angle of the body. If operand a is x or y, operand b is the angle, else slot 0.
  if ((reads == READS_BODY || reads == READS_POINT) && !tape->velocity) {
    int first = variable_of(node->op);
    code.a = variable_slot(node->a, first);
    code.b = first != 2 ? variable_slot(node->a, 2) : 0;
  }
  if (reads == READS_1 || reads == READS_2) {
    code.a = slots[node->a];
    code.b = reads == READS_2 ? slots[node->b] : 0;
  }
  if (reads == READS_3) { // code.c is the condition, the node's first operand: only code.a and code.b have derivatives
    code = (ImpiTapeCode){code.op, slots[node->b], slots[node->c], slots[node->a]};
  }
  if (node->op == IMP_OP_POW && !is_moving(tape, code.b)) {
    code.op = IMPI_OP_FIXED_POW;
  }
  return code;
}


// Fill the arrays of the tape. The slot of each node replaces its entry in `parts`.
static void write_nodes(const ImpTapeDef *def, int32_t *parts, ImpiTape *tape) {
  int32_t next[PART_COUNT] = {
      [CONSTANT] = tape->first_constant, [FIXED] = tape->first_fixed, [MOVING] = tape->first_moving};
  int32_t point = 0;
  for (int i = 0; i < def->node_count; ++i) {
    const ImpNode *node = &def->nodes[i];
    Part part = (Part)parts[i];
    if (part == UNUSED) {
      continue;
    }
    int32_t slot = part == VARIABLE ? variable_slot(node->a, variable_of(node->op)) : next[part]++;
    if (part == CONSTANT) {
      tape->constants[slot - tape->first_constant] = node->value;
    } else if (part != VARIABLE) {
      ImpiTapeCode *code = &tape->code[slot - tape->first_fixed];
      *code = encode(tape, node, parts);
      if (OPS[node->op].reads == READS_POINT) {
        tape->points[point] = (ImpiTapePoint){{def->nodes[node->b].value, def->nodes[node->c].value}, node->a};
        code->c = point++;
      }
    }
    parts[i] = slot;
  }
  for (int i = 0; i < def->result_count; ++i) {
    tape->results[i] = parts[def->results[i]];
  }
}


// Offsets of the arrays in the memory block of a tape, and the size of the block. Doubles come first, so that all
// arrays are aligned.
typedef struct Layout {
  uint64_t points, work, code, results, end; // 64 bits, because the sum of sizes may exceed a size_t
} Layout;


static Layout layout_of(const ImpiTape *tape) {
  uint64_t constants = (uint64_t)(tape->first_fixed - tape->first_constant);
  uint64_t slots = tape->slot_count > IMPI_TAPE_STACK ? (uint64_t)tape->slot_count : 0;
  uint64_t codes = (uint64_t)(tape->slot_count - tape->first_fixed);
  Layout at = {.points = constants * sizeof(double)};
  at.work = at.points + (uint64_t)tape->point_count * sizeof(ImpiTapePoint);
  at.code = at.work + slots * sizeof(ImpiTapeSlot);
  at.results = at.code + codes * sizeof(ImpiTapeCode);
  at.end = at.results + (uint64_t)tape->result_count * sizeof(int32_t);
  return at;
}


uint64_t impi_tape_size(const ImpiTape *tape) { return layout_of(tape).end; }


void impi_tape_bind(ImpiTape *tape, void *block) {
  Layout at = layout_of(tape);
  char *bytes = block;
  tape->constants = block;
  tape->points = (ImpiTapePoint *)(void *)(bytes + at.points);
  tape->work = at.code > at.work ? (ImpiTapeSlot *)(void *)(bytes + at.work) : NULL;
  tape->code = (ImpiTapeCode *)(void *)(bytes + at.code);
  tape->results = (int32_t *)(void *)(bytes + at.results);
  tape->block_size = (size_t)at.end;
}


ImpStatus impi_tape_create(ImpiHeap *heap, const ImpTapeDef *def, int body_count, int param_count, ImpiTape *out_tape) {
  ImpStatus status = check_tape(def, body_count, param_count);
  if (status != IMP_OK) {
    return status;
  }
  ImpiTape tape = {.result_count = def->result_count,
                   .body_count = body_count,
                   .param_count = param_count,
                   .velocity = def->velocity};
  size_t parts_size = (size_t)def->node_count * sizeof(int32_t);
  int32_t *parts = impi_resize(heap, NULL, 0, parts_size);
  void *block = NULL;
  if (parts != NULL) {
    sort_nodes(def, parts, &tape);
    block = impi_resize(heap, NULL, 0, (size_t)layout_of(&tape).end);
  }
  if (block != NULL) {
    memset(block, 0, (size_t)layout_of(&tape).end); // so that memcmp can compare tapes with padding
    impi_tape_bind(&tape, block);
    write_nodes(def, parts, &tape);
    *out_tape = tape;
  } else {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory for a tape of %d nodes", def->node_count);
  }
  if (parts != NULL) {
    (void)impi_resize(heap, parts, parts_size, 0);
  }
  return status;
}


void impi_tape_free(ImpiHeap *heap, ImpiTape *tape) {
  if (tape->constants != NULL) { // `constants` is the start of the memory block
    (void)impi_resize(heap, tape->constants, tape->block_size, 0);
  }
  *tape = (ImpiTape){0};
}
