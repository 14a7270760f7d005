// The draw list from inside: items that need no check, and the pieces that it is made of.
#ifndef IMPI_DRAW_H
#define IMPI_DRAW_H

#include "base/array.h"

// Append an item of so many points and give the place to write them to: the fields `first` and `count` are filled in.
// Null when out of memory.
ImpVec2 *impi_draw_room(ImpDrawList *list, ImpDrawItem item, int count);

// The same with the points there are; false when out of memory.
bool impi_draw_push(ImpDrawList *list, ImpDrawItem item, const ImpVec2 *points, int count);

// Append an item that has the points of the last one; false when out of memory.
bool impi_draw_again(ImpDrawList *list, ImpDrawItem item);

// Symbols of draw_symbol.c. `item` has style, owner and value; its kind is set here. All are false when out of memory.
bool impi_draw_line(ImpDrawList *list, ImpDrawItem item, ImpVec2 from, ImpVec2 to);
bool impi_draw_dot(ImpDrawList *list, ImpDrawItem item, ImpVec2 at);
bool impi_draw_ring(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double radius);
// A filled circle.
bool impi_draw_disk(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double radius);
// The symbol of a centre of mass: a disk in quarters, black and white by turns, that turns with `axis`.
bool impi_draw_center(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, ImpVec2 axis, double radius);
// Two strokes across each other.
bool impi_draw_cross(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double size);
// Part of a circle from one angle to another, at most one turn [rad].
bool impi_draw_arc(ImpDrawList *list, ImpDrawItem item, ImpVec2 center, double radius, double from, double to);
// A coil between two points, `width` to each side; a straight line where there is no room for one.
bool impi_draw_coil(ImpDrawList *list, ImpDrawItem item, ImpVec2 from, ImpVec2 to, double width);
// An arrow along a vector, nothing where it would be shorter than `least`. One that would be longer than `longest` ends
// there, with two strokes across it.
bool impi_draw_vector(ImpDrawList *list, ImpDrawItem item, ImpVec2 at, ImpVec2 vector, double least, double longest);
// A turning effort about a point: an arc as long as `length` with an arrow at its end, counter-clockwise where positive.
// An arc of more than 5.5 rad ends there, with two strokes across it.
bool impi_draw_turn(ImpDrawList *list, ImpDrawItem item, ImpVec2 at, double length, double radius);

// Interpolated centre of mass of a body and its rotation relative to the present one. False and nothing written: the body
// is drawn at its present pose. `poses` may be null.
bool impi_poses_find(const ImpPoses *poses, const ImpWorld *world, int32_t slot, ImpVec2 *out_center, ImpRot *out_turn);
// Interpolated place of a point that is fixed to a body; `point` is its present place.
ImpVec2 impi_poses_point(const ImpPoses *poses, const ImpWorld *world, int32_t slot, ImpVec2 point);

// One joint, as draw_joint.c shows it: its symbol, or what it bears.
bool impi_draw_joint(ImpDrawList *list, ImpWorld *world, ImpJoint joint, const ImpDrawOptions *options);
bool impi_draw_reaction(ImpDrawList *list, ImpWorld *world, ImpJoint joint, const ImpDrawOptions *options);
bool impi_draw_rows(ImpDrawList *list, ImpWorld *world, ImpJoint joint, const ImpDrawOptions *options);

#endif
