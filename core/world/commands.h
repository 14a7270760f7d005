// What a callback asks for inside a step.
#ifndef IMPI_COMMANDS_H
#define IMPI_COMMANDS_H

#include "base/base.h"

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

#endif
