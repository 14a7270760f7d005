#include "model/joint.h"

#include "base/constants.h"

// Springs with angular frequency w are integrated explicitly if w h < IMPI_SLOW_SPRING. The implicit form adds a
// numerical damping ratio of about w h / 2; the explicit form is stable up to w h = 2.


// ---------------------------------------------------------------------------------------------------------------------
// Samples
// ---------------------------------------------------------------------------------------------------------------------


static void sample_inline(const ImpiJoint *joint, const ImpiPoses *poses, double max_turn, ImpiSamples out) {
  ImpiSample samples[IMPI_INLINE_COORDINATES];
  impi_coordinate_sample(&joint->frames, joint->kinds, joint->count, poses->bodies[joint->body_a].local_center,
                         impi_pose(poses, joint->body_a), poses->bodies[joint->body_b].local_center,
                         impi_pose(poses, joint->body_b), max_turn, samples);
  for (int i = 0; i < joint->count; ++i) {
    out.value[i] = samples[i].value;
    out.curvature[i] = samples[i].curvature;
    for (int k = 0; k < 6; ++k) {
      out.j[6 * i + k] = samples[i].j[k];
    }
  }
}


static ImpiTapeInput tape_input(const ImpiJoint *joint, const ImpiPoses *poses, double t) {
  const ImpiCustom *custom = joint->custom;
  for (int i = 0; i < custom->body_count; ++i) {
    custom->motions[i] = impi_pose(poses, custom->bodies[i]);
    custom->centers[i] = poses->bodies[custom->bodies[i]].local_center;
  }
  return (ImpiTapeInput){custom->motions, custom->centers, custom->params, t};
}


static void sample_user(const ImpiJoint *joint, ImpiSamples out) {
  const ImpiCustom *custom = joint->custom;
  int width = 3 * custom->body_count;
  for (int i = 0; i < joint->count; ++i) {
    out.value[i] = custom->rows[i].has_c ? custom->rows[i].c : 0;
    out.curvature[i] = 0;
    for (int k = 0; k < width; ++k) {
      out.j[i * width + k] = custom->rows_j[i * width + k];
    }
  }
}


// Sample a sum of coordinates, q1 + ratio q2. The Jacobian of each term is added at the places of the term's bodies in
// the sum's list of bodies.
static void sample_sum(const ImpiJoint *joints, const ImpiJoint *joint, const ImpiPoses *poses, double t,
                       double max_turn, ImpiSamples out) {
  const ImpiCustom *custom = joint->custom;
  int width = 3 * custom->body_count;
  out.value[0] = out.curvature[0] = 0;
  for (int k = 0; k < width; ++k) {
    out.j[k] = 0;
  }
  for (int term = 0; term < 2; ++term) {
    const ImpiJoint *part = &joints[custom->term[term].joint];
    int index = custom->term[term].coordinate;
    double weight = term == 0 ? 1 : joint->frames.ratio;
    double values[IMPI_INLINE_COORDINATES], curvatures[IMPI_INLINE_COORDINATES], j[IMPI_INLINE_COORDINATES * 6];
    ImpiSamples samples = {values, curvatures, j};
    // A custom joint of a sum has a tape and at most two bodies.
    if (part->custom != NULL) {
      ImpiTapeInput input = tape_input(part, poses, t);
      impi_tape_evaluate(&part->custom->tape, &input, max_turn, (ImpiTapeOutput){values, j, curvatures});
    } else {
      sample_inline(part, poses, max_turn, samples);
    }
    int sides = impi_joint_body_count(part);
    out.value[0] += weight * values[index];
    out.curvature[0] += weight * curvatures[index];
    for (int side = 0; side < sides; ++side) {
      for (int k = 0; k < 3; ++k) {
        out.j[3 * custom->term[term].side[side] + k] += weight * j[3 * (index * sides + side) + k];
      }
    }
  }
}


void impi_joint_sample(const ImpiJoint *joints, const ImpiJoint *joint, const ImpiPoses *poses, double t,
                       double max_turn, ImpiSamples out) {
  if (joint->custom == NULL) {
    sample_inline(joint, poses, max_turn, out);
  } else if (joint->kinds[0] == IMP_COORDINATE_SUM) {
    sample_sum(joints, joint, poses, t, max_turn, out);
  } else if (joint->kinds[0] == IMP_COORDINATE_USER) {
    sample_user(joint, out);
  } else {
    ImpiTapeInput input = tape_input(joint, poses, t);
    impi_tape_evaluate(&joint->custom->tape, &input, max_turn, (ImpiTapeOutput){out.value, out.j, out.curvature});
  }
}


double impi_joint_speed(const ImpiJoint *joint, const ImpiPoses *poses, const ImpiSamples *samples, int index) {
  int count = impi_joint_body_count(joint);
  const double *j = samples->j + 3 * count * index;
  double speed = impi_joint_is_velocity(joint) ? samples->value[index] : 0;
  for (int i = 0; i < count; ++i) {
    const ImpiMotion *m = impi_pose(poses, impi_joint_body(joint, i));
    speed += j[3 * i] * m->vx + j[3 * i + 1] * m->vy + j[3 * i + 2] * m->w;
  }
  return speed;
}


// Let p = armature / effective mass of the coordinate. Without the rotor the relative error of the motion is p. The
// rotor's row has a rounding error of 2e-16 / p, which is larger than p if p < 1.5e-8. The limit is about a tenth of
// this, because impi_joint_feels may underestimate p by a factor of 10.
#define LEAST_ROTOR 1e-9

// Use a lower bound of k = J M^-1 J^T. Levers of length coordinates are left out; they rarely increase k by more than a
// factor of 10. For functions and sums, which have their own units, the smallest possible mass of a body is used.
bool impi_joint_feels(const ImpiJoint *joint, const ImpiBody *bodies, int index, double armature) {
  ImpCoordinateKind kind = impi_coordinate_kind(joint, index);
  double k = 0;
  bool known = kind <= IMP_COORDINATE_DISTANCE, moves = false;
  for (int i = 0; i < impi_joint_body_count(joint) && armature > 0; ++i) {
    const ImpiBody *body = &bodies[impi_joint_body(joint, i)];
    k += kind == IMP_COORDINATE_ANGLE ? body->inv_inertia : body->inv_mass;
    moves = moves || body->inv_mass > 0;
  }
  k = known ? k : moves ? 1 / IMPI_MIN_MASS : 0;
  return armature * k >= LEAST_ROTOR;
}


void impi_joint_rates(const ImpiJoint *joint, const ImpiPoses *poses, double end, double h, double *room,
                      double *out_rates) {
  ImpiTapeInput input = tape_input(joint, poses, end);
  impi_tape_values(&joint->custom->tape, &input, out_rates);
  if (joint->custom->tape.velocity) {
    return;
  }
  input.t = end - h;
  impi_tape_values(&joint->custom->tape, &input, room);
  for (int i = 0; i < joint->count; ++i) {
    out_rates[i] = (out_rates[i] - room[i]) / h;
  }
}


double impi_joint_size(const ImpiJoint *joint, const ImpiBody *bodies) {
  double extent = HUGE_VAL, lever = 0;
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    const ImpiBody *body = &bodies[impi_joint_body(joint, i)];
    if (body->inv_mass > 0 && body->extent > 0) {
      extent = impi_min(extent, body->extent);
    }
  }
  if (extent < HUGE_VAL) {
    return 2 * extent;
  }
  if (joint->custom == NULL) {
    const ImpiBody *a = &bodies[joint->body_a], *b = &bodies[joint->body_b];
    bool distance = joint->kinds[0] == IMP_COORDINATE_DISTANCE && joint->inline_coordinates[0].locked;
    double arm_a = a->inv_mass > 0 ? impi_length(impi_sub(joint->frames.local_a, a->local_center)) : 0;
    double arm_b = b->inv_mass > 0 ? impi_length(impi_sub(joint->frames.local_b, b->local_center)) : 0;
    lever = impi_max(2 * impi_max(arm_a, arm_b), distance ? joint->inline_coordinates[0].lock : 0);
  }
  return lever > 0 ? lever : 1;
}


// Return the error of a coordinate in its unit. If the coordinate is locked, the error is the distance from the value
// of the lock; if it has a limit of infinite force, the distance from the range of the limit; otherwise 0.
static double error_in(const ImpiJoint *joint, const ImpiDrive *drives, int index, double value) {
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  if (impi_coordinate_kind(joint, index) == IMP_COORDINATE_USER) {
    return impi_joint_locks(joint, index) ? value : 0; // `value` is the row's C, or 0 if the user gave no C
  }
  if (coordinate->locked) {
    return fabs(value - coordinate->lock);
  }
  const ImpDrive *set = coordinate->drive >= 0 ? &drives[coordinate->drive].set : NULL;
  bool holds = set != NULL && set->on >> IMP_DRIVE_LIMIT & 1u && set->limit_max == HUGE_VAL;
  return holds ? impi_max(impi_max(set->lower - value, value - set->upper), 0) : 0;
}


// Return the largest change of a coordinate by a displacement of 1 m of one of its bodies. A rotation is measured as
// the displacement of a point at the distance `size` / 2 from the centre of mass.
static double steepness(const ImpiJoint *joint, const double *j, double size) {
  double most = 0;
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    most = impi_max(most, sqrt(j[3 * i] * j[3 * i] + j[3 * i + 1] * j[3 * i + 1]));
    most = impi_max(most, fabs(j[3 * i + 2]) / (0.5 * size));
  }
  return most;
}


double impi_joint_gap(const ImpiJoint *joint, const ImpiDrive *drives, const ImpiSamples *samples, double size) {
  double across = 0, worst = 0;
  for (int i = 0; i < joint->count && !impi_joint_is_velocity(joint); ++i) {
    double error = error_in(joint, drives, i, samples->value[i]);
    if (error == 0) {
      continue;
    }
    switch (impi_coordinate_kind(joint, i)) {
    case IMP_COORDINATE_X:
    case IMP_COORDINATE_Y:
      across += error * error;
      break;
    case IMP_COORDINATE_ANGLE:
      worst = impi_max(worst, 0.5 * size * error);
      break;
    case IMP_COORDINATE_DISTANCE:
    case IMP_COORDINATE_PULLEY:
      worst = impi_max(worst, error);
      break;
    case IMP_COORDINATE_KIND_COUNT:
      break;
    case IMP_COORDINATE_SUM:
    case IMP_COORDINATE_TAPE:
    case IMP_COORDINATE_USER: {
      double slope = steepness(joint, samples->j + 3 * impi_joint_body_count(joint) * i, size);
      worst = impi_max(worst, slope > 0 ? fabs(error) / slope : 0);
    }
    }
  }
  return impi_max(sqrt(across), worst);
}


static int sample_size(const ImpiJoint *joint) {
  int count = impi_joint_capacity(joint);
  return count * (2 + 3 * impi_joint_body_count(joint));
}


bool impi_sample_reserve(ImpiHeap *heap, ImpiSampleRoom *room, const ImpiJoint *joint) {
  return impi_reserve(heap, &room->numbers, sample_size(joint));
}


ImpiSamples impi_sample_room(ImpiSampleRoom *room, const ImpiJoint *joint) {
  int count = impi_joint_capacity(joint);
  double *numbers = room->numbers.data;
  return (ImpiSamples){numbers, numbers + count, numbers + 2 * count};
}


// ---------------------------------------------------------------------------------------------------------------------
// Drives
// ---------------------------------------------------------------------------------------------------------------------


ImpDrive imp_drive(void) {
  return (ImpDrive){
      .lower = -HUGE_VAL,
      .upper = HUGE_VAL,
      .limit_max = HUGE_VAL,
      .motor_max = HUGE_VAL,
      .servo_max = HUGE_VAL,
      .spring_max = HUGE_VAL,
  };
}


const char *imp_drive_name(int kind) {
  static const char *const names[] = {"lock", "limit", "motor", "servo", "spring", "force"};
  IMPI_COVERS(names, IMP_DRIVE_COUNT);
  return kind >= 0 && kind < IMP_DRIVE_COUNT ? names[kind] : NULL;
}


void impi_ratchet_advance(const ImpiJoint *joint, ImpiDrive *drive, double value) {
  double gained = joint->direction * value, held = joint->direction > 0 ? drive->set.lower : -drive->set.upper;
  double teeth = joint->pitch > 0 ? floor(gained / joint->pitch) * joint->pitch : gained;
  // The moving end of the range must not pass the opposite end.
  teeth = impi_min(teeth, joint->direction > 0 ? drive->set.upper : -drive->set.lower);
  if (teeth > held) {
    if (joint->direction > 0) {
      drive->set.lower = teeth;
    } else {
      drive->set.upper = -teeth;
    }
  }
}


void impi_joint_move_targets(const ImpiJoint *joint, ImpiDrive *drives, double h) {
  for (int i = 0; i < joint->count; ++i) {
    int32_t drive = impi_joint_coordinate_const(joint, i)->drive;
    if (drive >= 0 && drives[drive].set.on >> IMP_DRIVE_SERVO & 1u) {
      ImpDrive *set = &drives[drive].set;
      set->target = impi_clamp(set->target + h * set->target_speed, -IMP_MAX_DRIVE, IMP_MAX_DRIVE);
    }
  }
}


void impi_spring_constants(const ImpDrive *set, double mass, double *out_stiffness, double *out_damping) {
  if (set->hertz > 0) {
    double w = 2 * IMPI_PI * set->hertz;
    *out_stiffness = mass * w * w;
    *out_damping = 2 * mass * set->damping_ratio * w;
  } else {
    *out_stiffness = set->stiffness;
    *out_damping = set->damping;
  }
}


ImpiSpringStep impi_spring_step(double stiffness, double damping, double k, double x, double h) {
  double w_sq = stiffness * k, rate = damping * k;
  bool slow = w_sq * h * h < IMPI_SLOW_SPRING * IMPI_SLOW_SPRING && rate * rate <= 4 * w_sq;
  if (slow) {
    double a = imp_exp(-rate * h);
    return (ImpiSpringStep){1 - a, a, a * h * stiffness * x};
  }
  double gain = h * (damping + h * stiffness) * k; // an implicit step divides the velocity by 1 + gain
  double scale = gain / (1 + gain);
  return (ImpiSpringStep){scale, 1 - scale, h * stiffness * x / (1 + gain)};
}


ImpiSpringStep impi_spring_step_beside(double stiffness, double damping, double k, double armature, double x,
                                       double h) {
  double k_both = armature > 0 ? k / (1 + armature * k) : k;
  ImpiSpringStep step = impi_spring_step(stiffness, damping, k_both, x, h);
  if (armature <= 0) {
    return step;
  }
  // Write the spring for the mass 1 / k + armature as lambda = -gain v' - pull, where v' is the row's new speed. Then
  // compute scale, keep and push for the row, whose mass is 1 / k, from the same gain and pull.
  double gain = step.scale / (step.keep * k_both), pull = step.push / step.keep;
  double keep = 1 / (1 + gain * k);
  return (ImpiSpringStep){gain * k * keep, keep, pull * keep};
}


void impi_joint_begin(ImpiJoint *joint, ImpiDrive *drives) {
  joint->wrench[0] = joint->wrench[1] = joint->wrench[2] = 0;
  for (int i = 0; i < impi_joint_capacity(joint); ++i) {
    ImpiCoordinate *coordinate = impi_joint_coordinate(joint, i);
    impi_row_result_begin(&coordinate->result);
    for (int k = 0; coordinate->drive >= 0 && k < IMPI_DRIVE_ROWS; ++k) {
      impi_row_result_begin(&drives[coordinate->drive].row[k]);
    }
  }
}


double impi_joint_finish(ImpiJoint *joint, ImpiDrive *drives) {
  double work = 0;
  for (int i = 0; i < impi_joint_capacity(joint); ++i) {
    ImpiCoordinate *coordinate = impi_joint_coordinate(joint, i);
    impi_row_result_finish(&coordinate->result);
    work += coordinate->result.step_work;
    for (int k = 0; coordinate->drive >= 0 && k < IMPI_DRIVE_ROWS; ++k) {
      impi_row_result_finish(&drives[coordinate->drive].row[k]);
      work += drives[coordinate->drive].row[k].step_work;
    }
  }
  return work;
}


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------


void impi_custom_free(ImpiHeap *heap, ImpiCustom *custom) {
  if (custom == NULL) {
    return;
  }
  size_t bodies = (size_t)custom->body_count, rows = (size_t)custom->capacity;
  impi_tape_free(heap, &custom->tape);
  impi_resize(heap, custom->bodies, bodies * sizeof *custom->bodies, 0);
  impi_resize(heap, custom->coordinates, rows * sizeof *custom->coordinates, 0);
  impi_resize(heap, custom->params, (size_t)custom->param_count * sizeof *custom->params, 0);
  impi_resize(heap, custom->rows, rows * sizeof *custom->rows, 0);
  impi_resize(heap, custom->rows_j, 3 * rows * bodies * sizeof *custom->rows_j, 0);
  impi_resize(heap, (void *)custom->motions, bodies * sizeof *custom->motions, 0);
  impi_resize(heap, custom->centers, bodies * sizeof *custom->centers, 0);
  impi_resize(heap, custom, sizeof *custom, 0);
}
