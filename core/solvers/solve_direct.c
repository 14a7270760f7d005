// The direct solver: solves all rows of a substep together, with a factor of J M^-1 J^T. Islands of joints are
// integrated by the implicit midpoint rule, which conserves energy: see direct_midpoint.c. Semi-implicit Euler is used
// for islands with touching contacts or with callbacks, for substeps in which the midpoint rule finds no solution, for
// bodies without joints, and for all bodies with midpoint = false:
//   v' = v + h M^-1 F + M^-1 J(x)^T lambda,  J v' + b = 0,  x' = x + h v'
// With Euler, the projection of each row removes the energy m_C (J v)^2 / 2. The inertia that is added to light links
// (stiffness.h) loses energy, too.
// Bounds of limits, motors, contacts and friction form a complementarity problem (exact.h).
// source: Catto, "Modeling and Solving Constraints" (GDC 2009), global solution; Baraff, "Linear-time dynamics using
//         Lagrange multipliers" (1996)
#include <string.h>

#include "solvers/direct.h"

// If the midpoint rule loses too much energy or finds no solution, the substep is cut into 2, 4, ... equal parts, at
// most this many.
#define MAX_PARTS 16


static void by_euler(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  impi_reference_rows(solve);
  impi_reference_push_forces(solve);
  impi_reference_look_ahead(solve, ref->h);
  impi_stiffness_begin(solve, &direct->stiffness);
  impi_reference_forces(solve);
  impi_reference_warm_start(solve);
  impi_direct_solve_rows(solve);
  impi_reference_store(solve);
  impi_stiffness_end(solve, &direct->stiffness);
  impi_reference_move(solve);
  impi_direct_project(solve, ref->t + ref->h);
}


// ---------------------------------------------------------------------------------------------------------------------
// Islands
// ---------------------------------------------------------------------------------------------------------------------


// Add a body to the island of lane `with` (0: no island yet). Return the root of the island, or `with` if impulses do
// not move the body.
static int32_t join(ImpiSolve *solve, int32_t with, int32_t slot) {
  ImpiDirect *direct = solve->scratch;
  const ImpiBody *body = &solve->bodies[slot];
  if (body->lane == 0 || body->inv_mass == 0) {
    return with;
  }
  if (with != 0) {
    impi_islands_join(&direct->islands, with, body->lane);
  }
  return impi_islands_root(&direct->islands, body->lane);
}


static bool touches(const ImpiSolve *solve, const ImpiContact *contact) {
  ImpiRow rows[IMPI_MAX_CONTACT_ROWS];
  const ImpiMotion *a = &solve->motions[contact->body_a], *b = &solve->motions[contact->body_b];
  ImpiContact copy = *contact;
  int made = impi_contact_rows(&copy, solve->bodies, solve->motions, a, b, 0, rows);
  for (int i = 0; i < made; ++i) {
    if (rows[i].kind == IMP_ROW_NORMAL && rows[i].c <= solve->settings->slop) {
      return true;
    }
  }
  return false;
}


static bool has_force(const ImpiSolve *solve, const ImpiJoint *joint) {
  for (int i = 0; i < joint->count; ++i) {
    int32_t drive = impi_joint_coordinate_const(joint, i)->drive;
    if (drive >= 0 && solve->drives[drive].set.on >> IMP_DRIVE_FORCE & 1u && solve->drives[drive].set.force != 0) {
      return true;
    }
  }
  return false;
}


// Flags of an island. They are set in `marks` of any of its bodies; find_halves collects them in the island's root.
enum { HAS_JOINT = 1, HAS_FORCE = 2, IS_WHOLE = 4 };


// Join all bodies that touch or have a common joint into islands, and set the flags of the islands.
static void find_islands(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  uint8_t *marks = direct->marks.data;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    const ImpiJoint *joint = &solve->joints[solve->active_joints[i]];
    int32_t island = 0;
    for (int k = 0; k < impi_joint_body_count(joint); ++k) {
      island = join(solve, island, impi_joint_body(joint, k));
    }
    int called = impi_joint_is_called(joint) ? IS_WHOLE : 0, force = has_force(solve, joint) ? HAS_FORCE : 0;
    marks[island] |= (uint8_t)(HAS_JOINT | called | force);
  }
  for (int i = 0; i < solve->active_count; ++i) {
    const ImpiContact *contact = &solve->contacts[solve->active[i]];
    if (touches(solve, contact)) {
      marks[join(solve, join(solve, 0, contact->body_a), contact->body_b)] |= IS_WHOLE;
    }
  }
}


// Set how each body is integrated (`halves`). Return whether a body is integrated in halves.
static bool find_halves(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  uint8_t *marks = direct->marks.data;
  impi_direct_begin_islands(solve);
  memset(marks, 0, (size_t)(solve->awake_count + 1) * sizeof *marks);
  find_islands(solve);
  for (int i = 0; i < solve->awake_count; ++i) {
    const ImpiBody *body = &solve->bodies[solve->awake[i]];
    bool pushed = solve->push_fields != NULL || body->force.x != 0 || body->force.y != 0 || body->torque != 0;
    direct->island.data[i + 1] = impi_islands_root(&direct->islands, i + 1);
    marks[direct->island.data[i + 1]] |= (uint8_t)(marks[i + 1] | (pushed ? HAS_FORCE : 0));
  }
  bool any = false;
  direct->halves.data[0] = IMPI_WHOLE;
  for (int i = 1; i <= solve->awake_count; ++i) {
    int has = marks[direct->island.data[i]];
    bool whole = (has & (HAS_JOINT | IS_WHOLE)) != HAS_JOINT;
    direct->halves.data[i] = whole ? IMPI_WHOLE : has & HAS_FORCE ? IMPI_PUSHED_HALVES : IMPI_HALVES;
    any = any || !whole;
  }
  return any;
}


static void swap_rows(ImpiDirect *direct) {
  ImpiReference *ref = &direct->reference;
  ImpiRowArray rows = ref->rows;
  ref->rows = direct->other_rows;
  direct->other_rows = rows;
  ImpiRowTerm *terms = ref->terms.data;
  ref->terms.data = direct->other_terms.data;
  direct->other_terms.data = terms;
  int capacity = ref->terms.capacity;
  ref->terms.capacity = direct->other_terms.capacity;
  direct->other_terms.capacity = capacity;
}


// Merge the rows of both passes into one list.
static void merge_rows(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  ImpiRow *rows = ref->rows.data;
  for (int i = 0; i < solve->active_joint_count; ++i) {
    solve->joints[solve->active_joints[i]].row_count = 0;
  }
  for (int i = 0; i < solve->active_count; ++i) {
    solve->contacts[solve->active[i]].row_count = 0;
  }
  int whole = ref->rows.count, halves = direct->other_rows.count, at = whole + halves;
  solve->report.rows = ref->rows.count = at;
  while (at > 0) {
    bool takes = halves > 0 && (whole == 0 || direct->other_rows.data[halves - 1].block > rows[whole - 1].block);
    int from = takes ? --halves : --whole;
    rows[--at] = takes ? direct->other_rows.data[from] : rows[from];
    rows[at].bound_row += rows[at].bound_row >= 0 ? at - from : 0;
    int block = rows[at].block, contact = block - solve->active_joint_count;
    if (contact < 0) {
      solve->joints[solve->active_joints[block]].first_row = at;
      solve->joints[solve->active_joints[block]].row_count++;
    } else {
      solve->contacts[solve->active[contact]].first_row = at;
      solve->contacts[solve->active[contact]].row_count++;
    }
  }
}


// Integrate the bodies of the midpoint rule, in as many parts of the substep as necessary.
static void take_halves(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  double h = ref->h, t = ref->t;
  for (ref->part = 0; ref->part < ref->parts; ++ref->part) {
    impi_reference_keep(solve, direct->start.data);
    bool done = impi_direct_by_midpoint(solve, ref->parts < MAX_PARTS);
    while (!done && ref->parts < MAX_PARTS) {
      impi_reference_go_back(solve, direct->start.data);
      ref->parts *= 2;
      ref->part *= 2;
      ref->h *= 0.5;
      done = impi_direct_by_midpoint(solve, ref->parts < MAX_PARTS);
    }
    if (!done) {
      impi_reference_go_back(solve, direct->start.data);
      by_euler(solve);
    }
    ref->t += ref->h;
  }
  impi_reference_show_whole(ref);
  ref->parts = 1;
  ref->part = 0;
  ref->h = h;
  ref->t = t;
}


// Integrate a substep in two passes from the same start, one for the bodies of the midpoint rule and one for all
// others. Bodies that impulses do not move advance in both passes.
static void take_substep(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpiReference *ref = &direct->reference;
  impi_reference_keep(solve, direct->begun.data);
  ref->halves = direct->halves.data;
  ref->in_halves = true;
  take_halves(solve);
  ref->in_halves = false;
  swap_rows(direct);
  for (int i = 0; i < solve->awake_count; ++i) {
    if (direct->halves.data[i + 1] == IMPI_WHOLE) {
      solve->motions[solve->awake[i]] = direct->begun.data[i + 1];
    }
  }
  by_euler(solve);
  merge_rows(solve);
  ref->halves = NULL;
}


static void direct_substep(ImpiSolve *solve) {
  if (impi_direct_is_midpoint(solve) && find_halves(solve)) {
    take_substep(solve);
  } else {
    by_euler(solve);
  }
}


const ImpiSolver impi_solver_direct = {
    .name = "direct",
    .ranks = true,
    .default_substeps = 1,
    .default_iterations = 1,
    .default_position_iterations = 20,
    .reserve = impi_direct_reserve,
    .substep = direct_substep,
    IMPI_REFERENCE_SOLVER,
    .scratch = sizeof(ImpiDirect),
    .destroy = impi_direct_destroy,
};
