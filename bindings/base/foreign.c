// Translates names of Box2D, LÖVE, Chipmunk, Matter.js, Unity and Godot to impel's names.
// A name in snake_case, without a prefix such as get_, is searched first in impel, then in foreign_*.c.
#include <string.h>

#include "base/foreign.h"
#include "base/names.h"


static const char *find(const ForeignList *all, const char *scope, const char *name) {
  const Foreign *list = all->list;
  for (size_t i = 0; i < all->count; i++) {
    if (strcmp(list[i].scope, scope) == 0 && strcmp(list[i].name, name) == 0) return list[i].ours;
  }
  return NULL;
}


const char *bind_foreign(const char *class_name, const char *name) { return find(&foreign_members, class_name, name); }


const char *bind_foreign_option(const char *scope, const char *name) { return find(&foreign_options, scope, name); }


// Append a list of names to the table at the top of the stack.
static void append(lua_State *L, const char *kind, const ForeignList *all) {
  const Foreign *list = all->list;
  for (size_t i = 0; i < all->count; i++) {
    const char *const fields[][2] = {
        {"kind", kind}, {"scope", list[i].scope}, {"name", list[i].name}, {"ours", list[i].ours}};
    lua_createtable(L, 0, 4);
    for (size_t f = 0; f < 4; f++) {
      lua_pushstring(L, fields[f][1]);
      lua_setfield(L, -2, fields[f][0]);
    }
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  }
}


int bind_foreign_names(lua_State *L) {
  lua_newtable(L);
  append(L, "member", &foreign_members);
  append(L, "option", &foreign_options);
  return 1;
}
