// Internal functions of the draw list: items without checks, and symbols.
#ifndef IMPI_DRAW_H
#define IMPI_DRAW_H

#include "base/array.h"

// Append an item with room for `count` points; set its `first` and `count`; return the room, or null without memory.
ImpVec2 *impi_draw_room(ImpDrawList *list, ImpDrawItem item, int count);

// Append an item with these points; false when out of memory.
bool impi_draw_push(ImpDrawList *list, ImpDrawItem item, const ImpVec2 *points, int count);

// Append an item that uses the points of the last item; false when out of memory.
bool impi_draw_again(ImpDrawList *list, ImpDrawItem item);

// Symbols. `item` gives style, owner and value. Functions return false without memory.
bool impi_draw_line(ImpDrawList *list, ImpDrawItem item, ImpVec2 from, ImpVec2 to);
bool impi_draw_dot(ImpDrawList *list, ImpDrawItem item, ImpVec2 at);
bool impi_draw_ring(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double radius);
bool impi_draw_disk(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double radius);
// Draw a centre of mass: a disk in black and white quarters.
bool impi_draw_center(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, ImpVec2 axis, double radius);
bool impi_draw_cross(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double size);
// Draw an arc of a circle from one angle to another, at most one turn [rad].
bool impi_draw_arc(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double radius, double from, double to);
// Draw a coil, `width` to each side, or a line if the points are too close.
bool impi_draw_coil(ImpDrawList *list, ImpDrawItem item, ImpVec2 from, ImpVec2 to, double width);
// Draw an arrow along a vector, unless shorter than `least`. A longer arrow than `longest` is cut.
bool impi_draw_vector(ImpDrawList *list, ImpDrawItem item, ImpVec2 at, ImpVec2 vector, double least, double longest);
// Draw a torque: an arc of the given length with an arrow, counter-clockwise if positive, cut at 5.5 rad.
bool impi_draw_turn(ImpDrawList *list, ImpDrawItem item, ImpVec2 at, double length, double radius);

// Find a body's interpolated centre of mass, and its rotation relative to the present one.
// Returns false and writes nothing for the present pose. `poses` may be null.
bool impi_poses_find(const ImpPoses *poses, const ImpWorld *world, int32_t slot, ImpVec2 *out_center, ImpRot *out_turn);
// Return the interpolated position of a point that is fixed to a body; `point` is its present position.
ImpVec2 impi_poses_point(const ImpPoses *poses, const ImpWorld *world, int32_t slot, ImpVec2 point);

// Draw a joint: its symbol, its reaction force and torque, or the impulses of its rows.
bool impi_draw_joint(ImpDrawList *list, ImpWorld *world, ImpJoint joint, const ImpDrawOptions *options);
bool impi_draw_reaction(ImpDrawList *list, ImpWorld *world, ImpJoint joint, const ImpDrawOptions *options);
bool impi_draw_rows(ImpDrawList *list, ImpWorld *world, ImpJoint joint, const ImpDrawOptions *options);

#endif
