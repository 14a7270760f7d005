// The queue of calls made inside a step, which wait for its end.
#include "world/world.h"


ImpiLastCommands *impi_last_commands_of(const ImpWorld *reader, ImpiCommandKind kind) {
  ImpWorld *world = (ImpWorld *)(uintptr_t)reader; // cast, because callers with a const world only read the lists
  return kind == IMPI_COMMAND_SET_DRIVE    ? &world->queue.last_drives
         : kind == IMPI_COMMAND_SET_FILTER ? &world->queue.last_filters
                                           : NULL;
}


// Return the largest number of pieces that a command can add.
static int pieces_of(const ImpWorld *world, const ImpiCommand *c) {
  bool enters = c->kind == IMPI_COMMAND_SET_TYPE ||
                (c->kind == IMPI_COMMAND_SET_BODY_PROPERTY && c->property == IMP_BODY_ENABLED);
  int pieces = 0;
  for (int32_t s = enters ? world->bodies.data[c->slot].first_shape : -1; s >= 0; s = world->shapes.data[s].next) {
    pieces += world->shapes.data[s].geometry.child_count;
  }
  return pieces;
}


ImpStatus impi_queue(ImpWorld *world, ImpiCommand command) {
  ImpiLastCommands *last = impi_last_commands_of(world, command.kind);
  if (!impi_reserve(&world->heap, &world->queue.commands, world->queue.commands.count + 1) ||
      (last != NULL && !impi_reserve(&world->heap, last, command.slot + 1))) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (last != NULL) {
    while (last->count <= command.slot) {
      last->data[last->count++] = -1;
    }
    command.before = last->data[command.slot];
    last->data[command.slot] = world->queue.commands.count;
  }
  world->queue.queued_pieces += pieces_of(world, &command);
  world->queue.commands.data[world->queue.commands.count++] = command;
  return IMP_OK;
}


const ImpiCommand *impi_last_command(const ImpWorld *world, ImpiCommandKind kind, int32_t slot) {
  const ImpiLastCommands *last = impi_last_commands_of(world, kind);
  int32_t place = slot < last->count ? last->data[slot] : -1;
  return place < 0 ? NULL : &world->queue.commands.data[place];
}


const ImpDrive *impi_queued_drive(const ImpWorld *world, int32_t joint, int coordinate) {
  const ImpiCommand *c = impi_last_command(world, IMPI_COMMAND_SET_DRIVE, joint);
  while (c != NULL && c->property != coordinate) {
    c = c->before < 0 ? NULL : &world->queue.commands.data[c->before];
  }
  return c == NULL ? NULL : &c->drive;
}
