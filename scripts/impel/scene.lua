-- impel.scene: loading and validating scene files, and running setup.

require "impel.core" -- provides impel.system
local arguments = require "impel.base.arguments"
local camera_motion = require "impel.scene.camera_motion"
local data_schema = require "impel.data.schema"
local environment = require "impel.scene.environment"
local fields = require "impel.scene.fields"
local input = require "impel.input"
local json = require "impel.base.json"
local load_data = require "impel.data.load"
local nearest = require "impel.base.nearest"
local params = require "impel.scene.params"
local printable = require "impel.base.printable"
local rng = require "impel.rng"
local system = require "impel.system"

local scene = {}
local Scene = {}
Scene.__index = Scene

local OPTIONS = { -- fields of scene.parse's options
  seed = { "integer", optional = true }, print = { "function", optional = true },
  opened = { "function", optional = true },
}

local LONGEST = 64 << 20 -- [B] largest size of a scene file

-- Return a raised value as text.
local function text_of(e)
  if e == nil then return "error(nil)" end
  local meta = debug.getmetatable(e)
  local plain = type(e) == "string" or type(e) == "number" or type(e) == "boolean"
  if not plain and not (meta and rawget(meta, "__tostring")) then
    return ("the error is a %s without __tostring"):format(type(e))
  end
  local ok, text = pcall(tostring, e)
  return ok and text or ("the error is a %s whose __tostring raises"):format(type(e))
end

-- Add the position to a text, unless the text begins with a position.
local function at(place, text)
  if text:find("^[^\n]-:%d+: ") then return text end
  return ("%s: %s"):format(type(place) == "function" and place() or place, text)
end

-- Return the results of xpcall. If memory runs out, Lua raises a text without calling the message handler.
local function settle(place, ok, ...)
  local result = ...
  if ok or type(result) == "table" then return ok, ... end
  local message = at(place, tostring(result))
  return false, { message = message, traceback = message }
end

-- undefined global in a scene -> advice
local NO_GLOBAL = {
  impel = 'write local impel = require "impel"',
  input = 'write local input = require "impel.input"',
  sound = 'write local sound = require "impel.sound"',
  file = 'write local file = require "impel.file"',
  world = "the world is s.world: functions get the result of setup as s",
  view = "it is the second parameter: scene.draw(s, view)",
  dt = "it is the second parameter: scene.update(s, dt)",
}

-- Return advice about an undefined global or confused parameters.
local function meant(message)
  local name = message:match "%(global '([%a_]+)'%)$"
  local what = name and (NO_GLOBAL[name] or name == "love" and "in impel: " .. fields.ours(name))
  if message:find "a table value %(local 'dt'%)$" then
    what = "the first parameter is the result of setup: scene.update(s, dt)"
  end
  local method = message:match "attempt to call a nil value %(method '([%a_]+)'%)$"
  local pen = package.loaded["impel.picture.pen"] -- nil if no scene has drawn yet
  if method and pen and pen.has_method(method) then
    what = "the view is the second parameter: scene.draw(s, view)"
  end
  return what and (" (%s)"):format(what) or ""
end

--- Convert a raised value to { message, traceback }. To be called by the message handler of xpcall.
---@param place string|function  position if the error has none: "file: function", or a function that returns it
---@param e any
function scene.raised(place, e)
  local text = at(place, text_of(e))
  -- An error that world:step raises for an event handler already ends in the traceback of the handler.
  local message = text:match("^(.-)\nstack traceback:\n") or text
  local traceback = message == text and debug.traceback(text, 3) or text
  message = message .. meant(message)
  -- Remove the engine's own functions from the traceback.
  return { message = message, traceback = traceback:match("^(.*)\n\t%[C%]: in function 'xpcall'") or traceback }
end

--- Call a function of a scene.
---@param place string|function  as for scene.raised
---@param f function
---@return boolean ok
---@return any ...  results of f, or a table with message and traceback
function scene.guard(place, f, ...)
  return settle(place, xpcall(f, function(e) return scene.raised(place, e) end, ...))
end

--- Raise if a function of the scene destroyed its world or replaced it by another.
---@param world userdata
---@param state table|nil  the result of setup
function scene.need_world(world, state)
  arguments.check("scene.need_world: argument 'world'", world, { "world" })
  if not world:is_valid() then error("the scene destroyed its own world", 0) end
  if state ~= nil then arguments.check("scene.need_world: argument 'state'", state, { "table" }) end
  if state and state.world ~= world then
    arguments.fail("s.world was replaced, but the run keeps the world that setup returned; to restart, take a snapshot "
      .. "in the first scene.update (start = start or s.world:snapshot()) and restore it (s.world:restore(start))")
  end
end

-- Check scene.keys: names of the keys that go to the scene, not to the window.
local function check_keys(names)
  for _, key in ipairs(arguments.keys(names)) do
    if math.type(key) ~= "integer" or key < 1 or key > #names then
      error(("scene.keys: a list of names such as { \"left\", \"space\" } expected, got the field '%s'"):format(
        arguments.called(key)), 0)
    end
  end
  for i, name in ipairs(names) do
    if name ~= "all" and not input.is_key(name) then
      error(("scene.keys: unknown key %s (names: impel api keys; or \"all\")"):format(
        type(name) == "string" and ("'%s'%s"):format(printable(name), input.hint(name))
        or ("a %s at %d"):format(type(name), i)), 0)
    end
  end
end

local function check_units(units)
  for _, name in ipairs(arguments.keys(units)) do
    if type(name) ~= "string" or type(units[name]) ~= "string" then
      error(("scene.units: { measure = \"unit\" } expected, got %s = %s"):format(arguments.called(name),
        type(units[name])), 0)
    end
  end
end

-- Make the definition of a scene from data of a world. If the data has no seed, the world gets the seed of the run.
local function read_data(data)
  data_schema.check(data)
  camera_motion.check(data.view or {}, "scene.view")
  return {
    title = data.title, about = data.about, duration = data.duration, view = data.view,
    setup = function(_, seed)
      local world, message = load_data.world(data, seed)
      if not world then error(message, 0) end
      return { world = world }
    end,
  }, {}
end

-- Return whether a file with this result was meant to be a scene, unlike a module or a program.
local function is_meant(returned)
  if type(returned) ~= "table" then return false end
  if rawget(returned, "format") == data_schema.FORMAT then return true end
  return (rawget(returned, "setup") or rawget(returned, "check") or rawget(returned, "checks")) ~= nil
end

-- Return advice if scene functions are globals.
local function global_functions(globals)
  local list = {}
  for _, name in ipairs(nearest.keys(globals)) do
    local ours = fields.by_name[name] and fields.title(name) or fields.ours(name)
    if ours and type(globals[name]) == "function" and _G[name] == nil then
      list[#list + 1] = ("%s by %s"):format(name, ours)
    end
  end
  if #list == 0 then return "" end
  return ("; end the file with return scene; replace its global functions: %s"):format(table.concat(list, "; "))
end

-- Check what a scene file returned. Return the definition and its parameters. Raises messages.
local function read_definition(returned, globals)
  if type(returned) == "table" and rawget(returned, "format") == data_schema.FORMAT then return read_data(returned) end
  if type(returned) ~= "table" then
    local got = returned == nil and "nothing" or type(returned)
    error(("a scene file returns its scene table, got %s%s"):format(got,
      returned == nil and global_functions(globals) or ""), 0)
  end
  local definition = fields.read(returned)
  local duration = definition.duration
  if duration and not (duration >= 0 and duration < math.huge) then
    error(("scene.duration: seconds >= 0 expected, got %s"):format(json.number(duration)), 0)
  end
  camera_motion.check(definition.view or {}, "scene.view")
  check_keys(definition.keys or {})
  check_units(definition.units or {})
  for _, name in ipairs(arguments.keys(definition.checks or {})) do
    local check = definition.checks[name]
    if type(name) ~= "string" or type(check) ~= "function" then
      error(("scene.checks: functions by name expected, got %s = %s"):format(arguments.called(name), type(check)), 0)
    end
  end
  return definition, params.read(definition.params or {})
end

--- Read a scene file ("-": standard input). Return its text and chunk name, or nil and a message.
function scene.read(path)
  arguments.check("scene.read: argument 'path'", path, { "string" })
  if path == "-" then return io.read("a") or "", "=stdin" end
  local text, message = system.read_file(path, LONGEST)
  if text then return text, "@" .. path end
  return nil, ("cannot read scene %s"):format(message)
end

-- Return advice for a file that is not a scene, or nil for unknown contents.
local function other_kind(text, file)
  if text:find "^IMPRECOR" then return ("%s is a recording: impel replay %s plays it"):format(file, file) end
  if text:find "^IMPSNAP" then
    return ("%s is a saved state: impel run SCENE --load %s continues from it"):format(file, file)
  end
end

--- Load a scene from its text: run the file and check its result. The scene's field `again` is a function that loads
--- the same text as a new scene with globals of its own.
---@param text string
---@param chunk string  chunk name, "@path" or "=name"
---@param options table|nil  seed = integer, print = function, opened = function(path): called for each file loaded
---@return table|nil scene
---@return string|nil message  with the file's name and, if known, the line
---@return string|nil traceback
---@return boolean|nil foreign  the file ran without error but is not a scene
function scene.parse(text, chunk, options)
  arguments.check("scene.parse: argument 'text'", text, { "string" })
  arguments.check("scene.parse: argument 'chunk'", chunk, { "string" })
  options = arguments.read("scene.parse", options, OPTIONS)
  local file = chunk:sub(2)
  local globals, set_source, modules = environment.new {
    seed = options.seed, print = options.print, dir = file:match("^(.*)/[^/]*$") or ".", opened = options.opened,
  }
  local main, message = environment.compile(text, chunk, globals)
  if not main then
    local advice = other_kind(text, file)
    if advice then return nil, advice end
    local named = message:find(file, 1, true)
    return nil, named and message or ("%s: %s"):format(file, message)
  end
  local entry = modules:enter(file, file)
  local ok, returned = scene.guard(file, main, file)
  modules:leave(entry)
  if not ok then return nil, returned.message, returned.traceback end
  local valid, definition, specs = scene.guard(file, read_definition, returned, globals)
  if not valid then return nil, definition.message, nil, not is_meant(returned) end
  return setmetatable({
    file = file,
    name = file:match("([^/]+)%.lua$") or file:match("[^/]+$") or file,
    checksum = system.checksum(text),
    definition = definition,
    params = specs,
    globals = globals,
    set_source = set_source,
    again = function() return scene.parse(text, chunk, options) end,
  }, Scene)
end

--- Read and load a scene file.
---@param options table|nil  seed, print
---@return table|nil scene
---@return string|nil message
---@return string|nil traceback
function scene.load(path, options)
  arguments.check("scene.load: argument 'path'", path, { "string" })
  options = arguments.read("scene.load", options, OPTIONS)
  local text, chunk = scene.read(path)
  if not text then return nil, chunk end
  return scene.parse(text, chunk, options)
end

--- Return the values of the parameters, with overrides by name.
---@param overrides table<string, number|boolean|string>|nil  text is read as the parameter's type
---@return table|nil values  nil for an unknown name or an invalid value; reading an unknown name of it raises
---@return string|nil message
function Scene:values(overrides)
  if overrides ~= nil then arguments.check("scene:values: overrides", overrides, { "table" }) end
  return params.values(self.params, overrides, self.name)
end

-- Return the world in the result of setup. Raises if the world is missing or destroyed.
local function find_world(state)
  local world
  if type(state) == "table" then world = state.world end
  local ok, tick = pcall(function() return world.tick end)
  if type(world) == "userdata" and ok and type(tick) == "number" then return world end
  local got = tostring(state)
  if type(state) == "table" then got = ("a table whose world is %s"):format(tostring(world)) end
  error(("a table { world = world, ... } expected, got %s"):format(got), 0)
end

--- Run the scene's setup.
---@param values table  from Scene:values
---@param seed integer|nil  default 0
---@return table|nil state  result of setup
---@return userdata|string world_or_message
---@return string|nil traceback
function Scene:setup(values, seed)
  arguments.check("scene:setup: values", values, { "table" })
  if seed ~= nil then arguments.check("scene:setup: seed", seed, { "integer" }) end
  self.set_source(rng.new(seed))
  local place = self.file .. ": setup"
  local ok, state = scene.guard(place, self.definition.setup, values, seed or 0)
  if not ok then return nil, state.message, state.traceback end
  local found, world = scene.guard(place, find_world, state)
  if not found then return nil, world.message end
  self.set_source(world)
  return state, world
end

return scene
