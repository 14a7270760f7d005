// Eight scenes with a few thousand constraints for the specs of threads.
#ifndef IMPI_THREADED_SCENES_H
#define IMPI_THREADED_SCENES_H

#include "rig.h"


static inline ImpBody add_dynamic(ImpWorld *world, double x, double y, bool bullet) {
  ImpBodyDef def = imp_body_def();
  def.position = vec(x, y);
  def.bullet = bullet;
  ImpBody body = {0};
  MUST(imp_body_create(world, &def, &body));
  return body;
}


static inline void add_side(ImpWorld *world, ImpBody body, double width, double height, double x, double y) {
  ImpShapeDef def = material(1, 0.6, 0);
  ImpShape shape;
  MUST(imp_body_add_box(world, body, &def, width, height, vec(x, y), 0, 0, &shape));
}


static inline void build_pyramid(ImpWorld *world) {
  add_ground(world, material(1, 0.6, 0), 0);
  for (int row = 0; row < 48; ++row) {
    for (int i = row; i < 48; ++i) drop_box(world, material(1, 0.6, 0), i - 0.5 * row - 24, row + 0.5);
  }
}


static inline void build_belt(ImpWorld *world) {
  ImpShapeDef belt = material(1, 0.8, 0);
  belt.surface_speed = 1.5;
  add_ground(world, belt, 0);
  ImpBody walls = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
  add_side(world, walls, 1, 80, -8, 40);
  add_side(world, walls, 1, 80, 8, 40);
  for (int i = 0; i < 1200; ++i) {
    ImpShapeDef def = material(1, 0.5, i % 3 == 0 ? 0.6 : 0);
    def.rolling_resistance = i % 2 == 0 ? 0.05 : 0;
    double x = -7 + i % 15, y = 0.6 + (double)(i / 15);
    i % 2 == 0 ? drop_disc(world, def, x, y, 0.45) : drop_box(world, def, x, y);
  }
}


static inline void build_grid(ImpWorld *world) {
  enum { N = 40 };
  ImpBody body[N][N];
  for (int k = 0; k < N; ++k) {
    for (int i = 0; i < N; ++i) {
      body[k][i] = add_body(world, i == 0 && k % 8 == 3 ? IMP_BODY_STATIC : IMP_BODY_DYNAMIC, k, -i, 0);
      ImpShapeDef def = material(1, 0.6, 0);
      def.mask = 0;
      add_circle(world, body[k][i], def, 0.4);
      if (i > 0) add_joint(world, joint_at(IMP_JOINT_REVOLUTE, body[k][i - 1], body[k][i], k, -i + 0.5));
      if (k > 0) add_joint(world, joint_at(IMP_JOINT_REVOLUTE, body[k - 1][i], body[k][i], k - 0.5, -i));
    }
  }
}


// A drum, kinematic or driven by a motor, with boxes in it.
static inline void build_drum(ImpWorld *world, ImpBodyType type) {
  ImpBody drum = add_body(world, type, 0, 10, 0);
  add_side(world, drum, 1, 20, -10, 0);
  add_side(world, drum, 1, 20, 10, 0);
  add_side(world, drum, 20, 1, 0, -10);
  add_side(world, drum, 20, 1, 0, 10);
  if (type == IMP_BODY_KINEMATIC) {
    MUST(imp_body_set(world, drum, IMP_BODY_ANGULAR_VELOCITY, 0.6));
  } else {
    ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, ground_of(world), drum, 0, 10);
    def.drive[0] = imp_drive();
    def.drive[0].on = 1u << IMP_DRIVE_MOTOR;
    def.drive[0].speed = 0.6;
    def.drive[0].motor_max = 1e8;
    add_joint(world, def);
  }
  for (int i = 0; i < 1200; ++i) {
    ImpBody body = add_dynamic(world, -8.4 + 0.5 * (i % 34), 0.73 + 0.452 * (double)(i / 34), false);
    add_box(world, body, material(1, 0.6, 0), 0.45, 0.45);
  }
}


static inline void build_washer(ImpWorld *world) { build_drum(world, IMP_BODY_KINEMATIC); }


static inline void build_tumbler(ImpWorld *world) { build_drum(world, IMP_BODY_DYNAMIC); }


// Chains with limits and springs that fall on a heap.
static inline void build_chains(ImpWorld *world) {
  add_ground(world, material(1, 0.6, 0), 0);
  for (int k = 0; k < 150; ++k) {
    ImpBody last = {0};
    for (int i = 0; i < 9; ++i) {
      double x = 0.7 * (k % 10) - 3 + 0.1 * i, y = 1 + 0.6 * i + 6 * (double)(k / 10);
      ImpBody body = add_dynamic(world, x, y, false);
      ImpShapeDef def = material(1, 0.3, 0);
      ImpShape shape;
      MUST(imp_body_add_capsule(world, body, &def, vec(0, -0.2), vec(0, 0.2), 0.1, &shape));
      if (i > 0) {
        ImpJointDef joint = joint_at(IMP_JOINT_REVOLUTE, last, body, x, y - 0.3);
        joint.drive[0] = imp_drive();
        joint.drive[0].on = 1u << IMP_DRIVE_LIMIT;
        joint.drive[0].lower = -0.6;
        joint.drive[0].upper = 0.4;
        add_joint(world, joint);
      }
      last = body;
    }
  }
}


// Bodies with locked axes and fixed rotation, under the load of other bodies.
static inline void build_locked(ImpWorld *world) {
  add_ground(world, material(1, 0.6, 0), 0.1);
  for (int i = 0; i < 800; ++i) {
    ImpBodyDef def = imp_body_def();
    def.position = vec(1.005 * (i % 20) - 10, 0.5 + (double)(i / 20));
    def.lock_x = i % 3 == 0;
    def.lock_y = i % 23 == 5;
    def.fixed_rotation = i % 7 == 0;
    ImpBody body = {0};
    MUST(imp_body_create(world, &def, &body));
    add_box(world, body, material(1, 0.4, 0.1), 1, 1);
  }
}


// Bullets hit a sleeping wall in wind.
static inline void build_bullets(ImpWorld *world) {
  add_ground(world, material(1, 0.6, 0), 0);
  for (int i = 0; i < 900; ++i) drop_box(world, material(1, 0.6, 0), i % 30, 0.5 + (double)(i / 30));
  for (int i = 0; i < 60; ++i) {
    ImpBody bullet = add_dynamic(world, -20 - 0.6 * i, 1 + 0.4 * i, true);
    add_circle(world, bullet, material(20, 0.3, 0.2), 0.15);
    set_velocity(world, bullet, 120, 5, 3);
  }
  ImpFieldDef wind = imp_field_def(IMP_FIELD_WIND);
  wind.vector[IMP_FIELD_VELOCITY] = vec(4, 1);
  ImpField field;
  MUST(imp_field_create(world, &wind, &field));
}


static const struct {
  const char *name;
  void (*build)(ImpWorld *world);
} threaded_scenes[] = {{"pyramid", build_pyramid}, {"belt", build_belt},       {"grid", build_grid},
                       {"washer", build_washer},   {"tumbler", build_tumbler}, {"chains", build_chains},
                       {"locked", build_locked},   {"bullets", build_bullets}};

#define THREADED_SCENES ((int)(sizeof threaded_scenes / sizeof threaded_scenes[0]))


static inline ImpWorld *threaded_scene(int scene, int threads) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  threaded_scenes[scene].build(world);
  set_world(world, IMP_WORLD_THREADS, threads);
  return world;
}

#endif
