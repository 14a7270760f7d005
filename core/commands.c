// Level 7. What was asked for inside a step waits here for its end: checked when it was asked, carried out in order.
#include "world.h"


ImpStatus impi_queue(ImpWorld *world, ImpiCommand command) {
  if (!impi_reserve(&world->heap, &world->commands, world->commands.count + 1)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->commands.data[world->commands.count++] = command;
  return IMP_OK;
}


static void attach_queued_shape(ImpWorld *world, int32_t slot) {
  // A change of type before it in the queue has attached it already.
  if (!world->shapes.data[slot].attached && impi_shape_finish_attach(world, slot) != IMP_OK) {
    impi_event_add(world, IMP_EVENT_WARNING, (ImpEvent){.text = "out of memory: a shape is out of the world"});
  }
  impi_body_update_mass(world, world->shapes.data[slot].body);
  impi_world_wake(world, world->shapes.data[slot].body);
}


static void destroy_queued_shape(ImpWorld *world, int32_t slot) {
  int32_t body = world->shapes.data[slot].body;
  impi_shape_finish_destroy(world, slot);
  impi_body_update_mass(world, body);
  impi_world_wake(world, body);
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
  case IMPI_COMMAND_SET_SHAPE_PROPERTY:
    impi_shape_finish_set(world, c->slot, (ImpShapeProperty)c->property, c->value.x);
    break;
  }
}


// Destroying a body destroys its shapes too: a shape's own command is then void.
void impi_run_commands(ImpWorld *world) {
  for (int i = 0; i < world->commands.count; ++i) {
    ImpiCommand command = world->commands.data[i];
    bool of_shape = command.kind == IMPI_COMMAND_ADD_SHAPE || command.kind == IMPI_COMMAND_DESTROY_SHAPE ||
                    command.kind == IMPI_COMMAND_SET_SHAPE_PROPERTY || command.kind == IMPI_COMMAND_SET_FILTER;
    if (!of_shape || world->shapes.data[command.slot].proxies != NULL) {
      run_command(world, &command);
    }
  }
  world->commands.count = 0;
}
