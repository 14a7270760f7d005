-- The environment of a scene in a sandbox: no io, os, debug and package, load only for text, no __gc, modules only
-- below the scene's folder, and a separate copy of the project's scripts. No object that the scene reaches may be part
-- of the engine that runs it.

local arguments = require "impel.base.arguments"
local environment = require "impel.scene.environment"
local modules = require "impel.scene.modules"
local ordered = require "impel.pairs"
local rng = require "impel.rng"

local names = {}

local REFUSED = "not in a sandbox"
local LONGEST_NAME = 200 -- [B], longest name in a message

-- Functions of Lua that a scene gets unchanged.
local PLAIN = {
  "assert", "error", "ipairs", "pcall", "rawequal", "rawget", "rawlen", "rawset", "select", "tonumber", "tostring",
  "type", "xpcall", "_VERSION",
}
local LIBRARIES = { "string", "table", "utf8", "coroutine" }

-- Modules that a scene cannot load.
local ABSENT = {
  ["impel.window"] = true, ["impel.editline"] = true, ["impel.seccomp"] = true, ["impel.mixer"] = true,
}

local lua_load, set, get, collect, info = load, setmetatable, getmetatable, collectgarbage, debug.getinfo
local get_any = debug.getmetatable
local string_gsub = string.gsub

local copy = environment.copy

--- Lua's load, restricted to text.
function names.load_text(chunk, name, mode, ...)
  if mode == "b" then return nil, "attempt to load a binary chunk (a sandbox loads text only)" end
  return lua_load(chunk, name, "t", ...)
end

-- Return setmetatable without finalizers, because the time quota does not limit finalizers: Lua calls no hooks in them.
local function guarded_set(mine)
  return function(t, meta)
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then
      error(("setmetatable: __gc is %s"):format(REFUSED), 2)
    end
    local ok, message = pcall(set, t, meta)
    if not ok then error(message, 2) end
    if mine and meta then mine[meta] = true end
    return t
  end
end

-- Return the getmetatable function of a scene. For metatables that are not in `mine`, that function returns false.
local function guarded_get(mine)
  return function(value)
    local meta = get(value)
    if type(meta) ~= "table" or mine[meta] then return meta end
    return false
  end
end

local function collectgarbage_of_scene(what, ...)
  what = what or "collect"
  if what ~= "collect" and what ~= "step" and what ~= "count" then
    error(("collectgarbage '%s': %s"):format(tostring(what), REFUSED), 2)
  end
  return collect(what, ...)
end

-- Return the globals that the scene and its copy of the scripts share.
local function base()
  local globals = {}
  for _, name in ipairs(PLAIN) do globals[name] = _G[name] end
  for _, name in ipairs(LIBRARIES) do globals[name] = copy(_G[name]) end
  globals.string.dump = nil
  globals._G = globals
  globals.collectgarbage = collectgarbage_of_scene
  return globals
end

local function add_load(globals)
  function globals.load(chunk, name, mode, ...)
    if select("#", ...) > 0 then return names.load_text(chunk, name, mode, ...) end
    return names.load_text(chunk, name, mode, globals)
  end
end


-- The scene's copy of the scripts ------------------------------------------------------------------------------------

-- Return impel.system for the scene's copy of the scripts. The parent sends the texts of files.
local function no_system()
  local own = require "impel.system"
  return set({ read_file = own.read_file, read_head = own.read_head, clock = function() return 0 end,
    cpu = function() return 0 end, processors = function() return 1 end, isatty = function() return false end,
    left_out = own.left_out }, {
    __index = function(_, name)
      return function(what) -- first argument of a function of impel.system, usually a path
        return nil, ("%s: %s"):format(type(what) == "string" and what or name, REFUSED), "other"
      end
    end,
    __metatable = false,
  })
end

-- Return impel.core for the scene's copy of the scripts, without functions that change the core globally.
local function own_core()
  local core = require "impel.core"
  local own = copy(core)
  own.math = copy(core.math)
  own.set_home = function() end
  return set(own, { __index = get(core).__index, __metatable = false })
end

-- debug.getinfo, restricted to the letters S, l and n of `what`: the letter f could return a function of the engine.
-- If `what` is not a string, it is "Sln".
local function where(level, what)
  if type(level) == "number" then level = level + 1 end
  local letters = type(what) == "string" and string_gsub(what, "[^Sln]", "") or "Sln"
  return info(level, letters)
end

-- Return a metatable; nil for a string, because all strings share theirs.
local function get_of_table(value)
  if type(value) == "string" then return nil end
  return get(value)
end

local function get_any_of_table(value)
  local meta = get_any(value)
  if type(value) == "table" or meta == nil then return meta end
  return { __name = rawget(meta, "__name") }
end

-- Return the globals for the scripts of impel that are loaded again for the scene.
local function script_names(write)
  local globals = base()
  globals.next, globals.pairs, globals.getmetatable = next, pairs, get_of_table
  globals.setmetatable = guarded_set()
  globals.math = copy(math)
  globals.math.random, globals.math.randomseed = nil, nil
  globals.debug = { getinfo = where, traceback = debug.traceback, getmetatable = get_any_of_table }
  globals.os = { clock = function() return 0 end, time = function() return 0 end }
  local stderr = { write = function(self, ...)
    write(...)
    return self
  end, flush = function() end }
  globals.io = { stderr = stderr, stdout = stderr, write = write,
    read = function() error("standard input: " .. REFUSED, 2) end }
  globals.print = environment.printer(write)
  add_load(globals)
  local within = base() -- globals of another scene that the scene loads with impel.scene
  for _, name in ipairs { "next", "getmetatable", "setmetatable", "math" } do within[name] = globals[name] end
  globals._G, globals.package = within, { loaded = { math = within.math }, path = "", searchpath = function() end }
  for _, name in ipairs(LIBRARIES) do globals.package.loaded[name] = within[name] end
  return globals
end

-- Return require for the scene's copy of the scripts. It runs each script once.
local function script_require(globals, texts)
  local loaded = {
    ["impel.system"] = no_system(), ["impel.core"] = own_core(), ["impel.drawing"] = copy(require "impel.drawing"),
  }
  local has_json, dkjson = pcall(require, "dkjson")
  loaded.dkjson = has_json and copy(dkjson) or nil
  return function(name)
    if loaded[name] ~= nil then return loaded[name] end
    local script = not ABSENT[name] and texts[name]
    if not script then error(("module '%s': %s"):format(tostring(name):sub(1, LONGEST_NAME), REFUSED), 2) end
    local chunk = assert(environment.compile(script.text, "@" .. script.path, globals))
    local value = chunk(name, script.path)
    loaded[name] = value == nil and true or value
    return loaded[name]
  end
end


-- The scene's own modules --------------------------------------------------------------------------------------------

-- Compile a text that the parent has sent.
local function compile(text, path, globals)
  return environment.compile(text, "@" .. path, globals)
end

local function scene_require(globals, link, scripts, stack)
  local function common(name)
    if name == "impel" or name:find "^impel%." then return scripts(name) end
    if name == "_G" or name == "math" then return globals[name] end
    for _, library in ipairs(LIBRARIES) do
      if name == library then return globals[name] end
    end
  end

  local function find(name)
    local text, path = link:call("module", name)
    if not text then return nil, path end
    return function()
      local chunk, message = compile(text, path, globals)
      if not chunk then arguments.fail("cannot load module '%s': %s", name, message) end
      return chunk(name, path)
    end, path
  end

  return modules.require(stack, {}, common, find)
end

local function add_file_loaders(globals, link, stack)
  local function load_path(path, mode, environ)
    if mode == "b" then return nil, "attempt to load a binary chunk (a sandbox loads text only)" end
    if type(path) ~= "string" then return nil, "loadfile: a path expected" end
    local text, message = link:call("text", path)
    if not text then return nil, message end
    return compile(text, path, environ)
  end

  function globals.loadfile(path, mode, ...)
    return load_path(path, mode, select("#", ...) > 0 and (...) or globals)
  end

  globals.dofile = modules.dofile(stack, function(path) return load_path(path, "t", globals) end)
end

--- Return a replacement for environment.new: a function that makes the globals of a scene in the sandbox.
---@param link table   of child.lua
---@param texts table  texts of the scripts, by module
---@param folder string|nil  absolute path of the scene's folder
function names.maker(link, texts, folder)
  return function(options)
    local source, mine, stack = rng.new(options.seed), set({}, { __mode = "k" }), modules.new()
    local printer = options.print or environment.printer(function(...) io.stderr:write(...) end)
    local globals = base()
    globals.pairs, globals.next = ordered.pairs, ordered.next
    globals.math = environment.math_library(function() return source end)
    globals.print = printer
    globals.setmetatable, globals.getmetatable = guarded_set(mine), guarded_get(mine)
    add_load(globals)
    add_file_loaders(globals, link, stack)
    local script_globals = script_names(function(...) io.stderr:write(...) end)
    local scripts = script_require(script_globals, texts)
    script_globals.require = scripts
    globals.require = scene_require(globals, link, scripts, stack)
    names.scripts = scripts
    scripts("impel.file").set_root(nil, folder or ".")
    return globals, function(generator) source = generator end, stack
  end
end

return names
