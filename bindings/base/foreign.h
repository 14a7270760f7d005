// The tables of other engines' names, between foreign.c and foreign_*.c.
#ifndef IMPEL_BINDINGS_FOREIGN_H
#define IMPEL_BINDINGS_FOREIGN_H

#include <stddef.h>

typedef struct Foreign {
  const char *scope, *name, *ours;
} Foreign;

typedef struct ForeignList {
  const Foreign *list;
  size_t count;
} ForeignList;

extern const ForeignList foreign_members; ///< of objects, by class, and of the module, "impel"
/// Keys of option tables, by the constructor, or "shape" for all shapes and "joint" for all joints, or by the drive.
extern const ForeignList foreign_options;

#endif
