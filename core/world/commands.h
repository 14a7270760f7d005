// Commands: calls made by callbacks inside a step, to be carried out at the end of the step.
#ifndef IMPI_COMMANDS_H
#define IMPI_COMMANDS_H

#include "base/array.h"

typedef enum ImpiCommandKind {
  IMPI_COMMAND_DESTROY_BODY,
  IMPI_COMMAND_ADD_SHAPE,
  IMPI_COMMAND_DESTROY_SHAPE,
  IMPI_COMMAND_SET_POSITION,
  IMPI_COMMAND_SET_CENTER,
  IMPI_COMMAND_SET_POSE,
  IMPI_COMMAND_MOVE_TO,
  IMPI_COMMAND_SET_TYPE,
  IMPI_COMMAND_SET_VELOCITY,
  IMPI_COMMAND_SET_BODY_PROPERTY,
  IMPI_COMMAND_SET_SHAPE_PROPERTY,
  IMPI_COMMAND_SET_FILTER,
  IMPI_COMMAND_REFILTER,
  IMPI_COMMAND_SET_ONE_WAY,
  IMPI_COMMAND_SET_MATERIAL,
  IMPI_COMMAND_ATTACH_JOINT,
  IMPI_COMMAND_DESTROY_JOINT,
  IMPI_COMMAND_BREAK_JOINT,
  IMPI_COMMAND_SET_DRIVE,
} ImpiCommandKind;

typedef struct ImpiCommand {
  ImpiCommandKind kind;
  int32_t slot;     // slot of the body, shape or joint
  int32_t property; // depends on `kind`: property, body type, coordinate, material, or flag (0 or 1)
  int32_t before;   // index of the previous command for the same slot, -1: none; only for kinds with ImpiLastCommands
  ImpVec2 value;
  double angle;
  ImpDrive drive;
  uint64_t category, mask;
} ImpiCommand;

// Index of the last command for each slot, -1: none. A slot beyond `count` has no command.
typedef IMPI_ARRAY(int32_t) ImpiLastCommands;

ImpStatus impi_queue(ImpWorld *world, ImpiCommand command);
void impi_run_commands(ImpWorld *world);
// Return the last SET_FILTER commands by shape slot, or the last SET_DRIVE commands by joint slot. Null if `kind` is
// neither.
ImpiLastCommands *impi_last_commands_of(const ImpWorld *world, ImpiCommandKind kind);
// Return the last queued command of a kind for a slot, or null. `kind`: SET_FILTER (`slot` of a shape) or SET_DRIVE
// (`slot` of a joint).
const ImpiCommand *impi_last_command(const ImpWorld *world, ImpiCommandKind kind, int32_t slot);
// Return the drive that was last set on a coordinate in this step and is queued, or null.
const ImpDrive *impi_queued_drive(const ImpWorld *world, int32_t joint, int coordinate);

#endif
