// impel.editline: lines from a terminal, with editing, history and completion, by libedit.
//
//   local editor = editline.open(path)      -- the terminal: /dev/tty, or stdin without a path
//   local line, why = editor:read("> ", complete)
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <lauxlib.h>
#include <lua.h>

#define CLASS "impel.editor"
#define HISTORY_LINES 1000
#define PATH_ROOM 4096

int luaopen_impel_editline(lua_State *L);

typedef struct Editor {
  EditLine *line; // NULL after closing
  History *history;
  FILE *in;
  locale_t locale; // a UTF-8 locale, for this thread while a line is read; 0 if the system has none
  // Valid while a line is read:
  const char *prompt;
  lua_State *L;
  int complete; // stack index of the completion function, 0: none
} Editor;

// Signals that have handlers while a line is read. They are blocked, except while wait_for waits for a byte.
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCONT, SIGWINCH};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

static volatile sig_atomic_t leaving;   // the signal that ended the line, SIGINT, SIGTERM or SIGHUP; 0: none
static volatile sig_atomic_t disturbed; // the terminal was resized, or is in the foreground again after Ctrl-Z


static void on_signal(int number) {
  if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
    leaving = number;
  } else {
    disturbed = 1;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Callbacks of libedit
// ---------------------------------------------------------------------------------------------------------------------

static Editor *editor_of(EditLine *line) {
  Editor *editor = NULL;
  el_get(line, EL_CLIENTDATA, &editor);
  return editor;
}


static char *show_prompt(EditLine *line) { return (char *)editor_of(line)->prompt; }


// Wait for a byte, with the signal mask `open`; on a signal or error set errno and return false.
static bool wait_for(EditLine *line, int descriptor) {
  sigset_t open;
  sigprocmask(SIG_SETMASK, NULL, &open);
  for (int i = 0; i < SIGNAL_COUNT; ++i) sigdelset(&open, signals[i]);
  while (!leaving) {
    fd_set ready;
    FD_ZERO(&ready);
    FD_SET(descriptor, &ready);
    if (pselect(descriptor + 1, &ready, NULL, NULL, NULL, &open) > 0) return true;
    if (errno != EINTR) return false;
    if (disturbed) {
      disturbed = 0;
      el_resize(line);
      // make libedit set the terminal's mode, because a shell may have changed the mode
      el_set(line, EL_PREP_TERM, 0);
      el_set(line, EL_PREP_TERM, 1);
      el_set(line, EL_REFRESH);
    }
  }
  errno = EINTR;
  return false;
}


// Read a character; return 1, 0 (end) or -1 (signal, error).
static int next_character(EditLine *line, wchar_t *out) {
  int descriptor = fileno(editor_of(line)->in);
  mbstate_t state;
  memset(&state, 0, sizeof state);
  for (;;) {
    char byte;
    if (!wait_for(line, descriptor)) return -1;
    ssize_t got = read(descriptor, &byte, 1);
    if (got <= 0) return (int)got;
    size_t used = mbrtowc(out, &byte, 1, &state);
    if (used == (size_t)-1) memset(&state, 0, sizeof state);
    if (used <= 1) return 1;
  }
}


// Key binding: complete(text before the cursor) -> text to insert or "", lines to show or nil
static unsigned char complete(EditLine *line, int key) {
  (void)key;
  Editor *editor = editor_of(line);
  lua_State *L = editor->L;
  if (editor->complete == 0) return CC_ERROR;
  const LineInfo *info = el_line(line);
  int top = lua_gettop(L);
  lua_pushvalue(L, editor->complete);
  lua_pushlstring(L, info->buffer, (size_t)(info->cursor - info->buffer));
  unsigned char result = CC_ERROR;
  if (lua_pcall(L, 1, 2, 0) == LUA_OK) {
    const char *insert = lua_tostring(L, -2), *below = lua_tostring(L, -1);
    if (insert != NULL && *insert != '\0') {
      if (el_insertstr(line, insert) == 0) result = CC_REFRESH;
    } else if (below != NULL) {
      printf("\n%s\n", below);
      fflush(stdout);
      result = CC_REDISPLAY;
    }
  }
  lua_settop(L, top);
  return result;
}


// ---------------------------------------------------------------------------------------------------------------------
// The editor
// ---------------------------------------------------------------------------------------------------------------------

static Editor *check_editor(lua_State *L) {
  Editor *editor = luaL_checkudata(L, 1, CLASS);
  luaL_argcheck(L, editor->line != NULL, 1, "the editor is closed");
  return editor;
}


// editor:close(); a second call does nothing
static int editor_close(lua_State *L) {
  Editor *editor = luaL_checkudata(L, 1, CLASS);
  if (editor->line != NULL) el_end(editor->line);
  if (editor->history != NULL) history_end(editor->history);
  if (editor->in != NULL && editor->in != stdin) fclose(editor->in);
  if (editor->locale != (locale_t)0) freelocale(editor->locale);
  *editor = (Editor){0};
  return 0;
}


static locale_t utf8(void) {
  static const char *const names[] = {"C.UTF-8", "en_US.UTF-8", "UTF-8"};
  locale_t found = (locale_t)0;
  for (size_t i = 0; found == (locale_t)0 && i < sizeof names / sizeof *names; ++i) {
    found = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
  }
  return found;
}


static bool set_up(Editor *editor) {
  HistEvent event;
  editor->locale = utf8();
  editor->history = history_init();
  if (editor->history == NULL) return false;
  history(editor->history, &event, H_SETSIZE, HISTORY_LINES);
  history(editor->history, &event, H_SETUNIQUE, 1);
  locale_t before = uselocale(editor->locale);
  editor->line = el_init("impel", editor->in, stdout, stderr);
  if (editor->line != NULL) {
    el_set(editor->line, EL_CLIENTDATA, editor);
    el_set(editor->line, EL_PROMPT, show_prompt);
    el_set(editor->line, EL_EDITOR, "emacs");
    el_set(editor->line, EL_SIGNAL, 0);
    el_set(editor->line, EL_HIST, history, editor->history);
    el_set(editor->line, EL_GETCFN, next_character);
    el_set(editor->line, EL_ADDFN, "impel-complete", "complete the name before the cursor", complete);
    el_set(editor->line, EL_BIND, "^I", "impel-complete", NULL);
    el_set(editor->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(editor->line, NULL); // read the user's ~/.editrc
  }
  uselocale(before);
  return editor->line != NULL;
}


// open([path]) -> editor; or nil, message if the terminal cannot be opened
static int editline_open(lua_State *L) {
  const char *path = luaL_optstring(L, 1, NULL);
  Editor *editor = lua_newuserdatauv(L, sizeof *editor, 0);
  *editor = (Editor){0};
  luaL_setmetatable(L, CLASS);
  editor->in = path != NULL ? fopen(path, "r") : stdin;
  if (editor->in == NULL) return luaL_fileresult(L, 0, path);
  if (set_up(editor)) return 1;
  lua_pushnil(L);
  lua_pushliteral(L, "the terminal cannot be set up");
  return 2;
}


// editor:read(prompt [, complete]) -> line; nil at the end; nil, "interrupted" or "terminated" after a signal
// A line that is not blank is added to the history.
static int editor_read(lua_State *L) {
  Editor *editor = check_editor(L);
  editor->prompt = luaL_checkstring(L, 2);
  editor->complete = lua_isnoneornil(L, 3) ? 0 : 3;
  editor->L = L;
  if (editor->complete != 0) luaL_checktype(L, 3, LUA_TFUNCTION);

  sigset_t closed, mask;
  struct sigaction action = {.sa_handler = on_signal}, before[SIGNAL_COUNT];
  sigemptyset(&action.sa_mask);
  sigemptyset(&closed);
  for (int i = 0; i < SIGNAL_COUNT; ++i) sigaddset(&closed, signals[i]);
  sigprocmask(SIG_BLOCK, &closed, &mask);
  leaving = disturbed = 0;
  for (int i = 0; i < SIGNAL_COUNT; ++i) sigaction(signals[i], &action, &before[i]);

  locale_t locale = uselocale(editor->locale);
  el_resize(editor->line);
  int count = 0;
  const char *text = el_gets(editor->line, &count);
  uselocale(locale);

  for (int i = 0; i < SIGNAL_COUNT; ++i) sigaction(signals[i], &before[i], NULL);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  if (text == NULL || count <= 0 || leaving) {
    putchar('\n');
    fflush(stdout);
    el_reset(editor->line);
    lua_pushnil(L);
    if (leaving) {
      lua_pushstring(L, leaving == SIGINT ? "interrupted" : "terminated");
      if (leaving != SIGINT) raise(leaving); // the program's own handler must get the signal too
      return 2;
    }
    return 1;
  }
  size_t length = strlen(text);
  while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) --length;
  lua_pushlstring(L, text, length);
  HistEvent event;
  if (strspn(lua_tostring(L, -1), " \t") < length) history(editor->history, &event, H_ENTER, lua_tostring(L, -1));
  return 1;
}


// editor:load(path) -> true; or nil, message. Reads the history from a file.
static int editor_load(lua_State *L) {
  Editor *editor = check_editor(L);
  const char *path = luaL_checkstring(L, 2);
  HistEvent event;
  errno = 0;
  return luaL_fileresult(L, history(editor->history, &event, H_LOAD, path) >= 0, path);
}


// Create the missing folders above the file.
static void make_folders(const char *path) {
  char folder[PATH_ROOM];
  for (size_t i = 1; path[i] != '\0' && i < PATH_ROOM; ++i) {
    if (path[i] != '/') continue;
    memcpy(folder, path, i);
    folder[i] = '\0';
    mkdir(folder, S_IRWXU);
  }
}


// editor:save(path) -> true; or nil, message. Writes the history to a file; creates missing folders, which only their
// owner can read.
static int editor_save(lua_State *L) {
  Editor *editor = check_editor(L);
  const char *path = luaL_checkstring(L, 2);
  make_folders(path);
  HistEvent event;
  errno = 0;
  return luaL_fileresult(L, history(editor->history, &event, H_SAVE, path) >= 0, path);
}


static const luaL_Reg editor_methods[] = {
    {"read", editor_read}, {"load", editor_load}, {"save", editor_save}, {"close", editor_close}, {NULL, NULL},
};

static const luaL_Reg editline_functions[] = {
    {"open", editline_open},
    {NULL, NULL},
};


__attribute__((visibility("default"))) int luaopen_impel_editline(lua_State *L) {
  luaL_newmetatable(L, CLASS);
  luaL_newlib(L, editor_methods);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, editor_close);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, editor_close);
  lua_setfield(L, -2, "__close");
  lua_pop(L, 1);
  luaL_newlib(L, editline_functions);
  return 1;
}
