// What a callback asks for inside a step.
#ifndef IMPI_COMMANDS_H
#define IMPI_COMMANDS_H

#include "base/array.h"

// What was asked for inside a step and waits for its end.
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
  int32_t slot;     // body, shape or joint
  int32_t property; // or body type or coordinate
  int32_t before;   // of IMPI_COMMAND_SET_DRIVE: place of the one before it for the same joint, -1: none
  ImpVec2 value;
  double angle;
  ImpDrive drive;
  uint64_t category, mask;
} ImpiCommand;

typedef IMPI_ARRAY(int32_t) ImpiLastCommands; // places of commands by slot, -1: none; the same behind `count`

ImpStatus impi_queue(ImpWorld *world, ImpiCommand command);
void impi_run_commands(ImpWorld *world);
// The list of the last commands of a kind by slot; null of kinds that nobody looks up.
ImpiLastCommands *impi_last_commands_of(const ImpWorld *world, ImpiCommandKind kind);
// The last queued command that sets a filter of a shape, or drives of a joint; null without one.
const ImpiCommand *impi_last_command(const ImpWorld *world, ImpiCommandKind kind, int32_t slot);
// The drive that was last set on a coordinate inside this step, queued to its end; null without one.
const ImpDrive *impi_queued_drive(const ImpWorld *world, int32_t joint, int coordinate);

#endif
