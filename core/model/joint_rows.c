#include "model/joint_rows.h"

#include "model/block.h"


int impi_joint_row_room(const ImpiJoint *joint) {
  int room = 0;
  for (int i = 0; i < impi_joint_capacity(joint); ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    room += coordinate->locked + (coordinate->drive >= 0 ? IMPI_DRIVE_ROWS : 0);
  }
  return room;
}


int impi_joint_step_rows(const ImpiJoint *joint, bool handlers) {
  int room = impi_joint_row_room(joint);
  // a constraint made of user rows cannot have drives
  bool rows_of_user = joint->custom != NULL && joint->kinds[0] == IMP_COORDINATE_USER;
  for (int i = 0; handlers && !rows_of_user && i < impi_joint_capacity(joint); ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    room += coordinate->drive < 0 && !coordinate->locked ? IMPI_DRIVE_ROWS : 0;
  }
  return room;
}


int impi_joint_term_room(const ImpiJoint *joint) {
  int more = impi_joint_body_count(joint) - 2;
  return more > 0 ? more * impi_joint_capacity(joint) : 0;
}


// Set J of the row's first two bodies, and the terms of further bodies. If a joint has one body, its body is both a and
// b, and J of a is 0.
static void set_jacobian(ImpiRow *row, const ImpiJoint *joint, const double *j, ImpiRowTerm *terms) {
  int count = impi_joint_body_count(joint);
  for (int k = 0; k < 6; ++k) {
    row->j[k] = count == 1 ? (k < 3 ? 0 : j[k - 3]) : j[k];
  }
  if (count <= 2) {
    return;
  }
  row->body_b = impi_joint_body(joint, 1);
  row->more = terms;
  row->more_count = count - 2;
  for (int i = 2; i < count; ++i) {
    terms[i - 2] = (ImpiRowTerm){impi_joint_body(joint, i), {j[3 * i], j[3 * i + 1], j[3 * i + 2]}};
  }
}


_Static_assert(IMPI_DRIVE_ROWS <= IMPI_MOST_TOGETHER, "the rows of all drives of a coordinate must fit into one block");

// Write the rows of the drives of one coordinate, in the order of impi_drive_order. `turns`: the coordinate has a
// rotor.
static int drive_rows(ImpiDrive *drive, ImpiRow blank, double value, bool turns, double h, ImpiRow *rows) {
  const ImpDrive *set = &drive->set;
  const struct {
    ImpRowKind kind;
    double c, bias, lower, upper;
  } plans[] = {
      [IMPI_DRIVE_LOWER] = {IMP_ROW_LOWER_LIMIT, value - set->lower, 0, 0, h * set->limit_max},
      [IMPI_DRIVE_UPPER] = {IMP_ROW_UPPER_LIMIT, value - set->upper, 0, -h * set->limit_max, 0},
      [IMPI_DRIVE_MOTOR] = {IMP_ROW_MOTOR, 0, -impi_motor_speed(set, value, h), -h * set->motor_max,
                            h * set->motor_max},
      [IMPI_DRIVE_SERVO] = {IMP_ROW_SERVO, value - impi_servo_target(set), -set->target_speed, -h * set->servo_max,
                            h * set->servo_max},
      [IMPI_DRIVE_SPRING] = {IMP_ROW_SPRING, value - set->rest, 0 - set->rest_speed, -h * set->spring_max,
                             h * set->spring_max},
      [IMPI_DRIVE_FORCE] = {IMP_ROW_FORCE, 0, 0, h * set->force, h * set->force},
      [IMPI_DRIVE_ARMATURE] = {IMP_ROW_ARMATURE, value, -drive->rotor, -HUGE_VAL, HUGE_VAL},
      [IMPI_DRIVE_DAMPING] = {IMP_ROW_DAMPING, 0, 0, -HUGE_VAL, HUGE_VAL},
      [IMPI_DRIVE_FRICTION] = {IMP_ROW_DRY_FRICTION, 0, 0, -h * set->dry_friction, h * set->dry_friction},
  };
  IMPI_COVERS(plans, IMPI_DRIVE_ROWS);
  int made = 0;
  for (int n = 0; n < IMPI_DRIVE_ROWS; ++n) {
    ImpiDriveRow i = impi_drive_order[n];
    if (!impi_drive_makes(set, i) || (i == IMPI_DRIVE_ARMATURE && !turns)) {
      continue;
    }
    ImpiRowResult *result = &drive->row[i];
    ImpiRow *row = &rows[made++];
    *row = blank;
    row->together = 0;
    row->kind = plans[i].kind;
    row->c = plans[i].c;
    row->bias = plans[i].bias;
    row->lower = plans[i].lower;
    row->upper = plans[i].upper;
    row->lambda = i == IMPI_DRIVE_FORCE ? h * set->force : result->lambda;
    row->rotor = i == IMPI_DRIVE_ARMATURE ? drive : NULL;
    row->store = &result->lambda;
    row->total = &result->total;
    row->done = &result->step_work;
    row->noted = &result->bias;
  }
  rows[0].together = made > 0 ? made : rows[0].together;
  return made;
}


// ---------------------------------------------------------------------------------------------------------------------
// Springs: the frequency in hertz is that of the coordinate with the joint's locks held. Its effective mass is the
// inverse of
//   K_ss - K_sl K_ll^-1 K_ls,   K = J M^-1 J^T
// found by making the spring's row orthogonal to the locks. Locks beyond IMPI_BLOCK_ROWS are ignored.
// ---------------------------------------------------------------------------------------------------------------------

static double free_mass(const ImpiRow *rows, int count, const ImpiRow *spring, const ImpiBody *bodies) {
  const ImpiRow *locks[IMPI_BLOCK_ROWS];
  double left[IMPI_BLOCK_ROWS];
  int found = 0;
  for (int i = 0; i < count && found < IMPI_BLOCK_ROWS; ++i) {
    if (rows[i].kind == IMP_ROW_LOCK) {
      left[found] = impi_block_coupling(&rows[i], spring, bodies);
      locks[found++] = &rows[i];
    }
  }
  ImpiBlock block;
  impi_block_factor(&block, locks, found, bodies);
  impi_block_forward(&block, left);
  double k = impi_block_coupling(spring, spring, bodies), own = k;
  for (int i = 0; i < found; ++i) {
    double pivot = block.factor[i][i];
    k -= pivot > 0 ? left[i] * left[i] / pivot : 0;
  }
  return k > 1e-9 * own ? 1 / k : 0;
}


void impi_row_constants(const ImpiRow *row, const ImpDrive *set, double *out_stiffness, double *out_damping) {
  if (row->kind == IMP_ROW_SPRING) {
    impi_spring_constants(set, row->swings, out_stiffness, out_damping);
  } else {
    *out_stiffness = 0;
    *out_damping = set->viscous_damping;
  }
}


void impi_row_soften(ImpiRow *row, const ImpDrive *set, double armature, double h) {
  double k = 1 / row->mass;
  if (row->kind == IMP_ROW_SPRING) {
    double stiffness, damping;
    impi_spring_constants(set, row->swings, &stiffness, &damping);
    ImpiSpringStep step = impi_spring_step_beside(stiffness, damping, k, armature, row->c, h);
    row->scale = step.scale;
    row->keep = step.keep;
    row->push = step.push;
  } else { // lambda = -gain (J v + b)
    double gain = k * (row->kind == IMP_ROW_ARMATURE ? set->armature : h * set->viscous_damping);
    row->scale = gain / (1 + gain);
    row->keep = 1 / (1 + gain);
    row->push = 0;
  }
}


static void soften_rows(const ImpiJoint *joint, const ImpiDrive *drives, const ImpiBody *bodies, double h,
                        ImpiRow *rows, int count) {
  for (int i = 0; i < count; ++i) {
    ImpiRow *row = &rows[i];
    if (!impi_row_is_soft_drive(row)) {
      continue;
    }
    const ImpDrive *set = &drives[impi_joint_coordinate_const(joint, row->index)->drive].set;
    row->swings = row->kind == IMP_ROW_SPRING ? free_mass(rows, count, row, bodies) + set->armature : 0;
    impi_row_soften(row, set, set->armature, h);
  }
}


int impi_joint_rows(ImpiJoint *joints, ImpiDrive *drives, int32_t slot, const ImpiSamples *samples,
                    const ImpiBody *bodies, double h, ImpiRow *rows, ImpiRowTerm *terms) {
  ImpiJoint *joint = &joints[slot];
  int width = 3 * impi_joint_body_count(joint), more = impi_joint_body_count(joint) - 2, made = 0;
  bool rate = impi_joint_is_velocity(joint);
  for (int i = 0; i < joint->count; ++i) {
    ImpiCoordinate *coordinate = impi_joint_coordinate(joint, i);
    double value = rate ? 0 : samples->value[i];
    ImpiRow blank = impi_row(IMP_ROW_LOCK, slot, i, joint->body_a, joint->body_b);
    set_jacobian(&blank, joint, samples->j + i * width, terms);
    if (more > 0) {
      terms += more; // all rows of a coordinate share their terms
    }
    // impi_row_hold sets small components of J to 0. In the gradient of a user function a small component may matter.
    if (joint->custom == NULL) {
      impi_row_hold(&blank, bodies, IMPI_LOCKED_SLOPE_JOINT);
    }
    blank.mass = impi_row_mass(&blank, bodies);
    if (coordinate->locked) {
      ImpiRow *row = &rows[made++];
      *row = blank;
      row->c = rate ? 0 : value - coordinate->lock;
      row->lambda = coordinate->result.lambda;
      row->store = &coordinate->result.lambda;
      row->total = &coordinate->result.total;
      row->done = &coordinate->result.step_work;
      row->noted = &coordinate->result.bias;
      if (joint->kinds[0] == IMP_COORDINATE_USER && joint->custom != NULL) {
        const ImpiUserValues *user = &joint->custom->rows[i];
        row->kind = IMP_ROW_USER;
        row->bias = user->bias;
        row->lower = h * user->lower;
        row->upper = h * user->upper;
      }
    }
    if (coordinate->drive >= 0 && !coordinate->locked) {
      bool turns = impi_joint_has_rotor(joint, drives, bodies, i);
      made += drive_rows(&drives[coordinate->drive], blank, value, turns, h, &rows[made]);
    }
  }
  soften_rows(joint, drives, bodies, h, rows, made);
  return made;
}


bool impi_row_has_error(const ImpiJoint *joint, const ImpiRow *row) {
  bool user = row->kind == IMP_ROW_USER && joint->custom->rows[row->index].has_c;
  return row->kind == IMP_ROW_LOCK || row->kind == IMP_ROW_SERVO || user;
}


int impi_row_side(const ImpiJoint *joint, const ImpiRow *row) {
  if (row->kind == IMP_ROW_LOWER_LIMIT) {
    return 1;
  }
  if (row->kind == IMP_ROW_UPPER_LIMIT) {
    return -1;
  }
  if (row->kind == IMP_ROW_USER && joint->custom->rows[row->index].has_c) {
    return row->lower == 0 ? 1 : row->upper == 0 ? -1 : 0;
  }
  return 0;
}
