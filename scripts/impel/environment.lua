-- The globals that a scene and the modules it requires see: Lua's own, with everything that could differ between two
-- runs replaced. pairs and next keep an order, math is impel.math, math.random is seeded, print goes to stderr.

local ordered = require "impel.pairs"
local rng = require "impel.rng"

local environment = {}

-- Source text as the Lua program takes it: without a byte order mark and a first line that starts with #.
local function strip(text)
  text = text:gsub("^\xEF\xBB\xBF", "")
  return (text:gsub("^#[^\n]*", ""))
end

local function copy(library)
  local t = {}
  for name, value in pairs(library) do t[name] = value end
  return t
end

local function refuse(message)
  return function() error(message, 2) end
end

-- impel.math with random, which draws from whatever `source` gives.
local function math_library(source)
  local m = copy(require "impel.math")
  m.random = function(...) return source():random(...) end
  m.randomseed = refuse("math.randomseed: a scene is seeded from outside (--seed N); "
    .. "for a generator of your own use impel.rng.new(seed)")
  return m
end

local OWN = debug and debug.getinfo(1, "S").source:match "^(.*/)environment%.lua$" -- where the program's scripts are

-- Whether a function of the program's own is what runs, or what called the C functions that do.
local function is_own()
  for level = 3, math.huge do
    local info = debug.getinfo(level, "S")
    if not info or info.what ~= "C" then return not info or info.source:sub(1, #OWN) == OWN end
  end
end

-- debug, whose hooks are called for the scene's functions alone: one that raises would otherwise do so in the midst of
-- the program, which nobody guards.
local function debug_library()
  if not (debug and debug.sethook) then return debug end
  local library, hooks = copy(debug), setmetatable({}, { __mode = "k" })
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

--- Make a print: its words with tabs between, as one line.
---@param write fun(...: string)
function environment.printer(write)
  return function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    write(table.concat(words, "\t"), "\n")
  end
end

--- Compile the text of a scene or module; binary chunks are refused.
---@param text string
---@param name string  chunk name, "@file" or "=name"
---@param globals table
---@return function|nil chunk
---@return string|nil message
function environment.compile(text, name, globals)
  return load(strip(text), name, "t", globals)
end

--- Compile a line that somebody typed: an expression as if `return` stood before it, else statements. Where neither is
--- Lua the message is of the one that gets farther; it ends in "<eof>" where more lines may complete it.
---@param text string
---@param name string
---@param globals table
---@param line integer|nil  lines that came before (0)
---@return function|nil chunk
---@return string|nil message
function environment.compile_line(text, name, globals, line)
  local before = ("\n"):rep(line or 0)
  local chunk, as_expression = environment.compile(before .. "return " .. text, name, globals)
  if chunk then return chunk end
  local statements, message = environment.compile(before .. text, name, globals)
  if statements then return statements end
  local at_start = message:match "near '(.*)'$"
  local stuck = at_start and text:match "^%s*(.*)$":sub(1, #at_start) == at_start
  return nil, stuck and as_expression or message
end

-- require for a scene: modules in Lua see the scene's globals, impel's own and C modules are the common ones.
local function scene_require(globals, dir, opened)
  local loaded = {}
  return function(name)
    if loaded[name] ~= nil then return loaded[name] end
    if type(name) ~= "string" or name == "impel" or name:find("^impel%.") then return require(name) end
    if _G[name] ~= nil and package.loaded[name] == _G[name] then return globals[name] end
    local path = package.searchpath(name, dir .. "/?.lua;" .. dir .. "/?/init.lua;" .. package.path)
    if not path then return require(name) end
    opened(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("a")
    file:close()
    local chunk, message = environment.compile(text, "@" .. path, globals)
    if not chunk then error(("cannot load module '%s': %s"):format(name, message), 2) end
    local value = chunk(name, path)
    if loaded[name] == nil then loaded[name] = value == nil and true or value end
    return loaded[name]
  end
end

-- load, loadfile and dofile that take text only and keep to the scene's globals.
local function add_loaders(globals, opened)
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

  function globals.dofile(path)
    if path then opened(path) end
    local chunk, message = loadfile(path, "t", globals)
    if not chunk then error(message, 2) end
    return chunk()
  end
end

--- Make the globals of one scene.
---@param options table  seed = integer, dir = where its modules are looked for first, print = function or nil,
---  opened = function(path) or nil: told of the files that the scene loads
---@return table globals
---@return function set_source  call it with a generator or a world: math.random draws from that from then on
function environment.new(options)
  local source = rng.new(options.seed)
  local globals = copy(_G)
  globals._G = globals
  globals.pairs = ordered.pairs
  globals.next = ordered.next
  globals.math = math_library(function() return source end)
  globals.debug = debug_library()
  globals.os = copy(os)
  globals.os.exit = refuse("os.exit: a scene does not end the program; raise an error instead")
  globals.os.setlocale = refuse("os.setlocale: numbers and sorting are the same everywhere in a scene")
  globals.print = options.print or environment.printer(function(...) io.stderr:write(...) end)
  local opened = options.opened or function() end
  globals.require = scene_require(globals, options.dir or ".", opened)
  add_loaders(globals, opened)
  return globals, function(generator) source = generator end
end

return environment
