// Carries out the queued commands at the end of a step, in the order of calls.
#include "world/bodies.h"
#include "world/events.h"
#include "world/joints.h"
#include "world/pairs.h"
#include "world/shapes.h"
#include "world/sleep.h"


static void attach_queued_shape(ImpWorld *world, int32_t slot) {
  // A change of the body's type earlier in the queue may have attached the shape already.
  if (!world->shapes.data[slot].attached && impi_shape_finish_attach(world, slot) != IMP_OK) {
    impi_event_add(
        world, IMP_EVENT_WARNING,
        (ImpEvent){.text = "out of memory: a shape could not be stored for collisions and no longer collides"});
  }
  impi_body_gain_shape(world, world->shapes.data[slot].body, slot);
  impi_world_wake(world, world->shapes.data[slot].body);
}


static void destroy_queued_shape(ImpWorld *world, int32_t slot) {
  impi_body_lose_shape(world, world->shapes.data[slot].body, slot);
}


static void run_command(ImpWorld *world, const ImpiCommand *c) {
  switch (c->kind) {
  case IMPI_COMMAND_DESTROY_BODY:
    impi_body_finish_destroy(world, c->slot);
    break;
  case IMPI_COMMAND_ADD_SHAPE:
    attach_queued_shape(world, c->slot);
    break;
  case IMPI_COMMAND_DESTROY_SHAPE:
    destroy_queued_shape(world, c->slot);
    break;
  case IMPI_COMMAND_SET_POSITION:
    impi_body_finish_set_position(world, c->slot, c->value);
    break;
  case IMPI_COMMAND_SET_CENTER:
    impi_body_finish_set_center(world, c->slot, c->value);
    break;
  case IMPI_COMMAND_SET_POSE:
    impi_body_finish_set_pose(world, c->slot, c->value, c->angle);
    break;
  case IMPI_COMMAND_MOVE_TO:
    impi_body_finish_move_to(world, c->slot, c->value, c->property != 0 ? &c->angle : NULL);
    break;
  case IMPI_COMMAND_SET_TYPE:
    impi_body_finish_set_type(world, c->slot, (ImpBodyType)c->property);
    break;
  case IMPI_COMMAND_SET_VELOCITY:
    impi_body_finish_set_velocity(world, c->slot, c->value);
    break;
  case IMPI_COMMAND_SET_BODY_PROPERTY:
    impi_body_finish_set(world, c->slot, (ImpBodyProperty)c->property, c->value.x);
    break;
  case IMPI_COMMAND_SET_FILTER:
    impi_shape_finish_set_filter(world, c->slot, c->category, c->mask);
    break;
  case IMPI_COMMAND_REFILTER:
    impi_shape_finish_refilter(world, c->slot, c->property != 0);
    break;
  case IMPI_COMMAND_SET_ONE_WAY:
    impi_shape_finish_set_one_way(world, c->slot, c->value);
    break;
  case IMPI_COMMAND_SET_MATERIAL:
    impi_shape_finish_set_material(world, c->slot, c->property);
    break;
  case IMPI_COMMAND_SET_SHAPE_PROPERTY:
    impi_shape_finish_set(world, c->slot, (ImpShapeProperty)c->property, c->value.x);
    break;
  case IMPI_COMMAND_ATTACH_JOINT:
    impi_joint_attach(world, c->slot);
    break;
  case IMPI_COMMAND_DESTROY_JOINT:
    impi_joint_finish_destroy(world, c->slot, false);
    break;
  case IMPI_COMMAND_BREAK_JOINT:
    impi_joint_finish_break(world, c->slot);
    break;
  case IMPI_COMMAND_SET_DRIVE:
    impi_joint_finish_set_drive(world, c->slot, c->property, &c->drive);
    impi_joint_wake(world, c->slot);
    break;
  }
}


// Return whether the object of a command still exists.
static bool is_due(const ImpWorld *world, const ImpiCommand *c) {
  switch (c->kind) {
  case IMPI_COMMAND_ADD_SHAPE:
  case IMPI_COMMAND_DESTROY_SHAPE:
  case IMPI_COMMAND_SET_SHAPE_PROPERTY:
  case IMPI_COMMAND_SET_FILTER:
  case IMPI_COMMAND_REFILTER:
  case IMPI_COMMAND_SET_ONE_WAY:
  case IMPI_COMMAND_SET_MATERIAL:
    return impi_shape_lives(&world->shapes.data[c->slot]);
  case IMPI_COMMAND_DESTROY_JOINT:
    return world->joint_pool.slots.data[c->slot].next_free == IMPI_SLOT_PENDING_DESTROY;
  case IMPI_COMMAND_ATTACH_JOINT:
  case IMPI_COMMAND_BREAK_JOINT:
  case IMPI_COMMAND_SET_DRIVE:
    return world->joint_pool.slots.data[c->slot].next_free == IMPI_SLOT_LIVE;
  default:
    return true;
  }
}


void impi_run_commands(ImpWorld *world) {
  for (int i = 0; i < world->queue.commands.count; ++i) {
    ImpiCommand command = world->queue.commands.data[i];
    ImpiLastCommands *last = impi_last_commands_of(world, command.kind);
    if (last != NULL) {
      last->data[command.slot] = -1;
    }
    if (is_due(world, &command)) {
      run_command(world, &command);
    }
  }
  world->queue.commands.count = world->queue.queued_pieces = 0;
  impi_free_emptied_drives(world);
}
