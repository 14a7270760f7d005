// Level 1. The draw list from inside: items that need no check.
#ifndef IMPI_DRAW_H
#define IMPI_DRAW_H

#include "array.h"

// Append an item with its points: the fields `first` and `count` are filled in. False when out of memory.
bool impi_draw_push(ImpDrawList *list, ImpDrawItem item, const ImpVec2 *points, int count);

// Append an item that has the points of the last one.
bool impi_draw_again(ImpDrawList *list, ImpDrawItem item);

#endif
