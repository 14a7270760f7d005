// Names: the nearest match for a misspelt name, and impel's names for names of other engines.
#ifndef IMPEL_BINDINGS_NAMES_H
#define IMPEL_BINDINGS_NAMES_H

#include <lua.h>
#include <stddef.h>

/// Name nearest to a word: set `word`, call bind_offer for each name, read `best`.
typedef struct Nearest {
  const char *word;
  const char *best; ///< null if no name is near enough
  int distance;
} Nearest;

void bind_offer(Nearest *nearest, const char *name);
/// Return impel's name ("body:apply_force(fx, fy)") for the member `name` of another engine, or null.
const char *bind_foreign(const char *class_name, const char *name);
/// Return impel's name for another engine's option, or null. `scope`: "world", "body", "circle", ...
const char *bind_foreign_option(const char *scope, const char *name);
/// impel.core.foreign_names() -> { { kind = "member" or "option", scope, name, ours }, ... }, for specs
int bind_foreign_names(lua_State *L);
/// Convert camelCase and PascalCase to snake_case, truncated to `size` bytes.
void bind_snake(const char *name, char *out, size_t size);

#endif
