// Getters of the definitions of existing objects. A constructor can recreate an object from its definition.
#include "model/property.h"
#include "world/bodies.h"


ImpWorldDef imp_world_definition(const ImpWorld *world) {
  ImpWorldDef def = imp_world_def();
  def.gravity = world->settings.gravity;
  def.dt = world->settings.dt;
  def.seed = world->seed;
  def.solver = world->solver;
  def.order = world->settings.order;
  def.tick = world->tick;
  def.time = world->time != (double)world->tick * def.dt ? world->time : def.time;
  return def;
}


ImpStatus imp_body_definition(const ImpWorld *world, ImpBody handle, ImpBodyDef *out_def) {
  IMPI_FIND_BODY(world, handle, slot);
  const ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion motion = impi_body_motion(world, slot);
  // A body that reached its target stops when the next step begins.
  if (body->kinematic_target > 0 && world->push.kinematic_targets.data[body->kinematic_target - 1].reached) {
    motion.vx = motion.vy = motion.w = 0;
  }
  *out_def = (ImpBodyDef){
      .type = body->type,
      .name = body->name,
      .position = impi_body_frame(body, &motion).p,
      .angle = motion.angle,
      .velocity = {motion.vx, motion.vy},
      .angular_velocity = motion.w,
      .lock_x = (body->locks & 1u) != 0,
      .lock_y = (body->locks & 2u) != 0,
      .awake = body->awake || !body->enabled || !impi_is_dynamic(body), // sleep needs an enabled dynamic body
      .mass = body->given_mass,
      .inertia = body->type == IMP_BODY_PARTICLE ? 0 : body->given_inertia,
      .user_data = body->user_data,
  };
  impi_properties_give(impi_body_properties, IMP_BODY_PROPERTY_COUNT, body, out_def);
  return IMP_OK;
}


ImpStatus imp_shape_definition(const ImpWorld *world, ImpShape handle, ImpShapeDef *out_def, ImpShapeForm *out_form) {
  IMPI_FIND_SHAPE(world, handle, slot);
  const ImpiShape *shape = &world->shapes.data[slot];
  const ImpiGeometry *geometry = &shape->geometry;
  *out_def = (ImpShapeDef){
      .material = shape->material_id,
      .selective = shape->selective,
      .category = shape->filter.category,
      .mask = shape->filter.mask,
      .one_way = shape->one_way,
      .name = shape->name,
      .user_data = shape->user_data,
  };
  impi_properties_give(impi_shape_properties, IMP_SHAPE_PROPERTY_COUNT, shape, out_def);
  bool centered = geometry->type == IMP_SHAPE_CIRCLE || geometry->type == IMP_SHAPE_BOX;
  *out_form = (ImpShapeForm){
      .type = geometry->type,
      .center = centered ? geometry->figure->mass.center : impi_vec(0, 0),
      .width = geometry->figure->width,
      .height = geometry->figure->height,
      .angle = geometry->figure->angle,
      .radius = geometry->hulls[0].radius,
      .loop = geometry->figure->loop,
  };
  if (geometry->type == IMP_SHAPE_HEIGHTS) {
    out_form->center = geometry->figure->origin;
  }
  return IMP_OK;
}


ImpStatus imp_joint_definition(const ImpWorld *world, ImpJoint handle, ImpJointDef *out_def) {
  IMPI_FIND_JOINT(world, handle, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  if (joint->kind == IMP_JOINT_CONSTRAINT) {
    return impi_fail(IMP_ERR_ARGUMENT, "joint '%s' is a constraint: its functions cannot be part of a definition",
                     impi_called(joint->name));
  }
  ImpJointDef def = imp_joint_def((ImpJointKind)joint->kind, (ImpBody){0}, (ImpBody){0});
  def.name = joint->name;
  def.break_force = joint->break_force;
  def.break_torque = joint->break_torque;
  def.collide = joint->collide;
  def.broken = joint->broken;
  def.user_data = joint->user_data;
  def.ratio = joint->frames.ratio;
  if (joint->custom != NULL) { // a gear
    for (int term = 0; term < 2; ++term) {
      def.term[term] = (ImpCoordinate){impi_joint_handle(world, joint->custom->term[term].joint),
                                       joint->custom->term[term].coordinate};
    }
  } else {
    def.body_a = impi_body_handle(world, joint->body_a);
    def.body_b = impi_body_handle(world, joint->body_b);
    def.place_a = def.place_b = def.place_axis = IMP_PLACE_LOCAL;
    def.anchor_a = joint->frames.local_a;
    def.anchor_b = joint->frames.local_b;
    def.axis = (ImpVec2){joint->frames.axis.c, joint->frames.axis.s};
    def.reference_angle = joint->frames.reference;
    def.ground_a = joint->frames.ground_a;
    def.ground_b = joint->frames.ground_b;
    def.pitch = joint->pitch;
    def.direction = joint->direction;
  }
  for (int i = 0; i < joint->count; ++i) {
    imp_coordinate_drive(world, (ImpCoordinate){handle, i}, &def.drive[i]);
    def.free |= def.drive[i].on == 0 ? 1u << i : 0;
  }
  *out_def = def;
  return IMP_OK;
}
