-- Scene files: loading, validating, parameters, setup. What a scene file is stands in the top README.

local environment = require "impel.environment"
local json = require "impel.json"
local nearest = require "impel.nearest"
local rng = require "impel.rng"

local scene = {}
local Scene = {}
Scene.__index = Scene

-- Every field that a scene may have, and its type.
local fields = {
  title = "string", about = "string", duration = "number", view = "table", params = "table",
  setup = "function", update = "function", substep = "function", measure = "function", check = "function",
  score = "function", draw = "function",
}

local param_fields = { "default", "min", "max", "help" }

--- Call a scene's function.
---@return boolean ok
---@return any ...  its results; or a table with message and traceback
function scene.guard(f, ...)
  return xpcall(f, function(e)
    local meta = getmetatable(e)
    local readable = type(e) ~= "table" or type(meta) == "table" and meta.__tostring
    local text = readable and tostring(e) or "the error is a table without __tostring"
    -- An error of a handler comes from world:step with the traceback of the handler behind it.
    local message = text:match("^(.-)\nstack traceback:\n") or text
    return { message = message, traceback = message == text and debug.traceback(text, 2) or text }
  end, ...)
end

-- { 90, min = 0, max = 300, help = "gain" } or a plain default, as { default, min, max, help }; errors are messages.
local function read_param(name, spec)
  local param = type(spec) == "table" and {} or { default = spec }
  if type(spec) == "table" then
    for key, value in pairs(spec) do
      local field = key == 1 and "default" or key
      if field ~= "default" and field ~= "min" and field ~= "max" and field ~= "help" then
        error(("bad field '%s' in params.%s%s"):format(tostring(key), name, nearest.hint(key, param_fields)), 0)
      end
      param[field] = value
    end
  end
  local kind = type(param.default)
  if kind ~= "number" and kind ~= "boolean" then
    error(("params.%s: a number or boolean as default expected, got %s"):format(name, kind), 0)
  end
  for _, bound in ipairs { "min", "max" } do
    if param[bound] ~= nil and (kind ~= "number" or type(param[bound]) ~= "number") then
      error(("params.%s: %s: number expected, got %s of a %s"):format(name, bound, type(param[bound]), kind), 0)
    end
  end
  return param
end

-- Why the value is not legal for the parameter, or nil.
local function out_of_range(param, value)
  if type(value) ~= type(param.default) then
    return ("%s expected, got %s"):format(type(param.default), tostring(value))
  end
  if type(value) ~= "number" then return nil end
  if value ~= value or value == math.huge or value == -math.huge then
    return ("finite number expected, got %s"):format(json.number(value))
  end
  if param.min and value < param.min or param.max and value > param.max then
    local lower, upper = param.min or -math.huge, param.max or math.huge
    return ("%.14g is out of range %.14g..%.14g"):format(value, lower, upper)
  end
  return nil
end

local function read_params(specs)
  local params = {}
  for name, spec in pairs(specs) do
    if type(name) ~= "string" then
      error(("params: names expected, got the key %s"):format(tostring(name)), 0)
    end
    params[name] = read_param(name, spec)
    local problem = out_of_range(params[name], params[name].default)
    if problem then error(("params.%s: default: %s"):format(name, problem), 0) end
  end
  return params
end

local function validate(definition)
  if type(definition) ~= "table" then
    local got = definition == nil and "nothing" or type(definition)
    error(("a scene file returns its scene table, got %s"):format(got), 0)
  end
  for name, value in pairs(definition) do
    if not fields[name] then
      error(("bad field '%s' in scene%s"):format(tostring(name), nearest.hint(name, nearest.keys(fields))), 0)
    end
    if type(value) ~= fields[name] then
      error(("scene.%s: %s expected, got %s"):format(name, fields[name], type(value)), 0)
    end
  end
  if not definition.setup then error("scene.setup: function expected, got nil", 0) end
  local duration = definition.duration
  if duration and not (duration >= 0 and duration < math.huge) then
    error(("scene.duration: seconds >= 0 expected, got %s"):format(json.number(duration)), 0)
  end
end

--- The text of a scene file.
---@param path string  "-" is standard input
---@return string|nil text
---@return string message_or_chunk_name
function scene.read(path)
  if path == "-" then return io.read("a") or "", "=stdin" end
  local file, message = io.open(path, "rb")
  if not file then return nil, ("cannot read scene %s"):format(message) end
  local text, problem = file:read("a")
  file:close()
  if text then return text, "@" .. path end
  return nil, ("cannot read scene %s: %s"):format(path, problem)
end

--- Load a scene from its text: run the file and check what it returns.
---@param text string
---@param chunk string  chunk name: "@path" or "=name"
---@param options table|nil  seed = integer, print = function
---@return table|nil scene
---@return string|nil message  with the file's name and, where there is one, the line
---@return string|nil traceback
function scene.parse(text, chunk, options)
  options = options or {}
  local file = chunk:sub(2)
  local globals, set_source = environment.new {
    seed = options.seed, print = options.print, dir = file:match("^(.*)/[^/]*$") or ".",
  }
  local main, message = environment.compile(text, chunk, globals)
  if not main then
    local named = message:find(file, 1, true)
    return nil, named and message or ("%s: %s"):format(file, message)
  end
  local ok, definition = scene.guard(main, file)
  if not ok then return nil, definition.message, definition.traceback end
  local valid, problem = pcall(validate, definition)
  local params
  if valid then
    valid, params = pcall(read_params, definition.params or {})
    problem = params
  end
  if not valid then return nil, ("%s: %s"):format(file, problem) end
  return setmetatable({
    file = file,
    name = file:match("([^/]+)%.lua$") or file:match("[^/]+$") or file,
    definition = definition,
    params = params,
    set_source = set_source,
  }, Scene)
end

--- Read and load a scene file.
---@param path string
---@param options table|nil  seed, print
---@return table|nil scene
---@return string|nil message
---@return string|nil traceback
function scene.load(path, options)
  local text, chunk = scene.read(path)
  if not text then return nil, chunk end
  return scene.parse(text, chunk, options)
end

-- "90" or "true" as the parameter's type; anything else stays text, for out_of_range to refuse.
local function from_text(param, text)
  if type(param.default) == "boolean" then
    if text == "true" then return true elseif text == "false" then return false end
    return text
  end
  local value = tonumber(text)
  if not value then return text end
  return math.type(param.default) == "integer" and math.tointeger(value) or value
end

--- The values of the parameters, with some of them set.
---@param overrides table<string, number|boolean|string>|nil  text is read as the parameter's type
---@return table|nil values  reading a name that is no parameter raises
---@return string|nil message  an unknown name, a wrong type or a value out of range
function Scene:values(overrides)
  local names = nearest.keys(self.params)
  local values = {}
  for _, name in ipairs(names) do values[name] = self.params[name].default end
  for _, name in ipairs(nearest.keys(overrides or {})) do
    local param, value = self.params[name], overrides[name]
    if not param then
      local list = #names > 0 and "params: " .. table.concat(names, ", ") or "the scene has no params"
      local hint = nearest.hint(name, names)
      return nil, ("%s: unknown param '%s'%s"):format(self.name, name, hint ~= "" and hint or " (" .. list .. ")")
    end
    if type(value) == "string" then value = from_text(param, value) end
    local problem = out_of_range(param, value)
    if problem then return nil, ("%s: param '%s': %s"):format(self.name, name, problem) end
    values[name] = value
  end
  return setmetatable(values, {
    __index = function(_, name)
      error(("unknown param '%s'%s"):format(tostring(name), nearest.hint(name, names)), 2)
    end,
  })
end

-- Whether a value is a living world: asking a destroyed one for its tick raises.
local function is_world(value)
  local ok, tick = pcall(function() return value.tick end)
  return ok and type(tick) == "number"
end

--- Run the scene's setup.
---@param values table  of Scene:values
---@param seed integer|nil  default 0
---@return table|nil state  what setup returned; state.world is a world
---@return string|nil message
---@return string|nil traceback
function Scene:setup(values, seed)
  self.set_source(rng.new(seed))
  local ok, state = scene.guard(self.definition.setup, values, seed or 0)
  if not ok then return nil, state.message, state.traceback end
  if type(state) ~= "table" or not is_world(state.world) then
    local got = tostring(state)
    if type(state) == "table" then got = ("a table whose world is %s"):format(tostring(state.world)) end
    return nil, ("%s: setup: a table { world = world, ... } expected, got %s"):format(self.file, got)
  end
  self.set_source(state.world)
  return state
end

return scene
