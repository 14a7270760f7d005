// Tables of other engines' names: defined in foreign_*.c, searched by foreign.c.
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

extern const ForeignList foreign_members; ///< members of objects, by class, and of the module ("impel")
/// Names of options. The scope names the option table: "circle" is a constructor's, "motor" is a nested table, "shape"
/// and "joint" are those of all constructors of shapes and of joints.
extern const ForeignList foreign_options;

#endif
