// Names: the nearest one to a misspelt word, and what we call a thing that other engines name otherwise.
#ifndef IMPEL_BINDINGS_NAMES_H
#define IMPEL_BINDINGS_NAMES_H

#include <lua.h>
#include <stddef.h>

/// The nearest of several names to a misspelt word. Start with { .word = ... }, offer each name, read `best`.
typedef struct Nearest {
  const char *word;
  const char *best; ///< null when nothing is near enough
  int distance;
} Nearest;

void bind_offer(Nearest *nearest, const char *name);
/// What we call a thing that other engines call `name` ("body:apply_force(fx, fy)"), or null.
const char *bind_foreign(const char *class_name, const char *name);
/// The same for a key of an option table ("velocity = { vx, vy }"); `scope` is "world", "body", "shape", "circle", ...
const char *bind_foreign_option(const char *scope, const char *name);
/// impel.core.foreign_names() -> { { kind = "member" or "option", scope, name, ours }, ... }, for specs
int bind_foreign_names(lua_State *L);
/// camelCase and PascalCase to snake_case; cut to `size`.
void bind_snake(const char *name, char *out, size_t size);

#endif
