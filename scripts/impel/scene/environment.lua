-- The globals of a scene, with reproducible results: pairs and next have a fixed order, math is impel.math, math.random
-- is seeded, print writes to stderr.

local arguments = require "impel.base.arguments"
local compiler = require "impel.base.compiler"
local files = require "impel.file"
local merged = require "impel.base.merged"
local modules = require "impel.scene.modules"
local ordered = require "impel.pairs"
local rng = require "impel.rng"
require "impel.core" -- registers impel.system
local system = require "impel.system"

local environment = {}

-- Return source text without a byte order mark and without a first line that starts with #.
local function strip(text)
  text = text:gsub("^\xEF\xBB\xBF", "")
  return (text:gsub("^#[^\n]*", ""))
end

--- Return a copy of a table of functions.
environment.copy = merged

local function refuse(message)
  return function() error(message, 2) end
end

--- Return impel.math with `random`, which draws from the generator or world that source() returns.
function environment.math_library(source)
  local m = environment.copy(require "impel.math")
  m.random = function(...) return source():random(...) end
  m.randomseed = refuse("math.randomseed: the seed of a scene is set by --seed N; "
    .. "for your own generator use impel.rng.new(seed)")
  return m
end

-- Folder of the engine's scripts.
local OWN = debug and debug.getinfo(1, "S").source:match "^(.*/)scene/environment%.lua$"

-- Return whether the running Lua function, or the one that called the running C function, is part of the engine.
local function is_own()
  for level = 3, math.huge do
    local info = debug.getinfo(level, "S")
    if not info or info.what ~= "C" then return not info or info.source:sub(1, #OWN) == OWN end
  end
end

-- Return the debug library with hooks that are called only for the scene's functions.
local function debug_library()
  if not (debug and debug.sethook) then return debug end
  local library, hooks = environment.copy(debug), setmetatable({}, { __mode = "k" })
  function library.sethook(...)
    local at = type((...)) == "thread" and 2 or 1
    local given = table.pack(...)
    local hook = given[at]
    if type(hook) ~= "function" then return debug.sethook(...) end
    given[at] = function(...)
      if not is_own() then return hook(...) end
    end
    hooks[given[at]] = hook
    return debug.sethook(table.unpack(given, 1, given.n))
  end

  function library.gethook(...)
    local found = table.pack(debug.gethook(...))
    found[1] = hooks[found[1]] or found[1]
    return table.unpack(found, 1, found.n)
  end

  return library
end

--- Return a print function that writes its arguments, separated by tabs, as one line.
---@param write fun(...: string)
function environment.printer(write)
  return function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    write(table.concat(words, "\t"), "\n")
  end
end

-- globals of a scene -> function that sets the folder in which impel.file looks for files
local roots = setmetatable({}, { __mode = "k" })

-- Compile a text.
local function compile(text, name, globals)
  if roots[globals] then roots[globals](name) end
  return compiler.load(strip(text), name, globals)
end

--- Compile the text of a scene or module, or return nil and a message. Binary chunks are rejected.
---@param name string  chunk name, "@file" or "=name"
function environment.compile(text, name, globals)
  local chunk, message = compile(text, name, globals)
  if chunk then return chunk end
  return nil, compiler.short(message)
end

--- Compile typed text: as an expression, with `return` before it; if that fails, as statements. Return a function, or
--- nil and a message. If more lines may complete the text, the message ends in "<eof>". line: number of lines before
--- the text, default 0.
function environment.compile_line(text, name, globals, line)
  local before = ("\n"):rep(line or 0)
  local chunk, as_expression = compile(before .. "return " .. text, name, globals)
  if chunk then return chunk end
  local statements, message = compile(before .. text, name, globals)
  if statements then return statements end
  local at_start = message:match "near '(.*)'$"
  local stuck = at_start and text:match "^%s*(.*)$":sub(1, #at_start) == at_start
  return nil, compiler.short(stuck and as_expression or message)
end

-- Return the name of the module from Lua's message that require did not find it; nil for other messages.
local function missing_module(problem)
  return type(problem) == "string" and problem:match "^module '([^\n]-)' not found:" or nil
end

-- Return a module that a scene shares with the engine (a module of impel or a Lua library), or nil.
local function common_module(globals, name)
  if name == "impel" or name:find "^impel%." then
    local ok, value = pcall(require, name)
    if ok then return value end
    local missing = missing_module(value)
    if missing ~= name then error(value, 0) end
    arguments.fail("module '%s' not found: impel has no module of that name", arguments.short(name))
  end
  if _G[name] ~= nil and package.loaded[name] == _G[name] then return globals[name] end
end

-- Require a module that is not a Lua file: a C module, or a module that package.preload or a function of
-- package.searchers provides. If the module is not found, the error does not list the paths that were tried.
local function require_common(name, dir)
  local ok, value = pcall(require, name)
  if ok then return value end
  local missing = missing_module(value)
  if not missing then error(value, 0) end
  local file = arguments.short((missing:gsub("%.", "/")))
  arguments.fail("module '%s' not found: no %s.lua and no %s/init.lua in '%s', and none in package.path or "
    .. "package.cpath", arguments.short(missing), file, file, dir)
end

-- Return the require of a scene: Lua modules see the scene's globals, C modules are shared with the engine.
local function scene_require(globals, dir, opened, stack, loaded)
  local function load_text(name, path)
    opened(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("a")
    file:close()
    local chunk, message = environment.compile(text, "@" .. path, globals)
    if not chunk then arguments.fail("cannot load module '%s': %s", arguments.short(name), message) end
    return chunk(name, path)
  end

  local function find(name)
    local path = package.searchpath(name, dir .. "/?.lua;" .. dir .. "/?/init.lua;" .. package.path)
    if path then return load_text, path end
    return function() return require_common(name, dir) end
  end

  return modules.require(stack, loaded, function(name) return common_module(globals, name) end, find)
end

-- Add load, loadfile and dofile, which accept only text and use the scene's globals.
local function add_loaders(globals, opened, stack)
  function globals.load(chunk, name, mode, ...)
    if mode == "b" then return nil, "attempt to load a binary chunk (scenes load text only)" end
    if select("#", ...) > 0 then return load(chunk, name, "t", (...)) end
    return load(chunk, name, "t", globals)
  end

  function globals.loadfile(path, mode, ...)
    if mode == "b" then return nil, "attempt to load a binary chunk (scenes load text only)" end
    if path then opened(path) end
    if select("#", ...) > 0 then return loadfile(path, "t", (...)) end
    return loadfile(path, "t", globals)
  end

  globals.dofile = modules.dofile(stack, function(path)
    if path then opened(path) end
    return loadfile(path, "t", globals)
  end)
end

--- Create the globals of a scene.
---@param options table  seed: integer; dir: first folder of modules; print: function or nil; opened(path): for each
---  file loaded
---@return table globals
---@return function set_source  sets the generator or world from which math.random draws
---@return table modules  stack of scene/modules.lua
function environment.new(options)
  local source = rng.new(options.seed)
  local globals = environment.copy(_G)
  globals._G = globals
  globals.pairs = ordered.pairs
  globals.next = ordered.next
  globals.math = environment.math_library(function() return source end)
  globals.debug = globals.debug and debug_library() -- a sandbox has no debug library for its scenes
  globals.os = environment.copy(os)
  globals.os.exit = refuse("os.exit: a scene cannot end the program; raise an error instead")
  globals.os.setlocale = refuse("os.setlocale: a scene cannot change the locale")
  globals.print = options.print or environment.printer(function(...) io.stderr:write(...) end)
  local dir = options.dir or "."
  local folder = system.real_path(dir) or dir
  roots[globals] = function(chunk) files.set_root(chunk, folder, options.opened) end
  local function opened(path)
    files.set_root("@" .. path, folder, options.opened)
    if options.opened then options.opened(path) end
  end
  -- `loaded` has the modules of this scene, and by inheritance the modules of the engine.
  local loaded, stack = setmetatable({}, { __index = package.loaded }), modules.new()
  globals.package = globals.package and setmetatable({ loaded = loaded }, { __index = package, __newindex = package })
  globals.require = scene_require(globals, dir, opened, stack, loaded)
  add_loaders(globals, opened, stack)
  return globals, function(generator) source = generator end, stack
end

return environment
