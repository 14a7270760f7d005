-- The parameters of a scene: numbers or booleans.

local arguments = require "impel.base.arguments"
local nearest = require "impel.base.nearest"

local params = {}

local param_fields = { "default", "min", "max", "integer", "help" }

-- Read a declaration, { 90, min = 0, max = 300, help = "gain" } or a plain default, as named fields. Raises messages
-- without a position.
local function read_param(name, spec)
  local param = type(spec) == "table" and {} or { default = spec }
  if type(spec) == "table" then
    for _, key in ipairs(arguments.keys(spec)) do
      local field = key == 1 and "default" or key
      if not nearest.has(param_fields, field) then
        error(("bad field '%s' in params.%s%s; it has %s (impel api scene.params)"):format(arguments.called(key), name,
          nearest.hint(key, param_fields), table.concat(param_fields, ", ")), 0)
      end
      param[field] = spec[key]
    end
  end
  local kind = type(param.default)
  if kind ~= "number" and kind ~= "boolean" then
    error(("params.%s: a number or boolean as default expected, got %s"):format(name, kind), 0)
  end
  for _, bound in ipairs { "min", "max" } do
    local value = param[bound]
    if value ~= nil and (kind ~= "number" or type(value) ~= "number" or value ~= value) then
      local got = value ~= value and "nan" or type(value)
      error(("params.%s: %s: number expected, got %s (the default is a %s)"):format(name, bound, got, kind), 0)
    end
  end
  if param.integer ~= nil and (type(param.integer) ~= "boolean" or kind ~= "number") then
    error(("params.%s: integer: true or false expected, and only if the default is a number; got %s (the default is "
      .. "a %s)"):format(name, type(param.integer), kind), 0)
  end
  if param.help ~= nil and type(param.help) ~= "string" then
    error(("params.%s: help: string expected, got %s"):format(name, type(param.help)), 0)
  end
  return param
end

-- Convert a number to the type of the default. If the default is a float, 5 becomes 5.0. If the default is an integer,
-- 5.0 becomes 5, and 5.5 is not converted.
local function convert(param, value)
  if type(value) ~= "number" or type(param.default) ~= "number" then return value end
  if param.integer or math.type(param.default) == "integer" then return math.tointeger(value) or value end
  return value + 0.0
end

local function show(value)
  return math.type(value) == "float" and ("%.14g"):format(value) or tostring(value)
end

-- Return why a value of a parameter is not allowed, or nil. `given`: the value before conversion.
local function problem_of(param, value, given)
  local kind = type(param.default)
  if type(value) ~= kind then
    return ("%s expected, got '%s'"):format(param.integer and "integer" or kind, show(given))
  end
  if param.integer and not math.tointeger(value) then return ("integer expected, got '%s'"):format(show(given)) end
  if kind == "boolean" then return nil end
  if value ~= value or value == math.huge or value == -math.huge then
    return ("finite number expected, got '%s'"):format(show(given))
  end
  if param.min and value < param.min or param.max and value > param.max then
    local lower, upper = show(param.min or -math.huge), show(param.max or math.huge)
    return ("'%s' is out of range %s..%s"):format(show(given), lower, upper)
  end
  return nil
end

--- Read the `params` of a scene file: name -> { default, min, max, integer, help }. Raises messages without a position.
function params.read(specs)
  local list = {}
  for _, name in ipairs(arguments.keys(specs)) do
    if type(name) ~= "string" then
      error(("params: names expected, got the key %s"):format(arguments.got(name)), 0)
    end
    local spec, shown = specs[name], arguments.short(name)
    list[name] = read_param(shown, spec)
    local problem = problem_of(list[name], list[name].default, list[name].default)
    if problem then error(("params.%s: default: %s"):format(shown, problem), 0) end
  end
  return list
end

-- Convert a text, such as "90" or "true", to the parameter's type. Return other text unchanged.
local function from_text(param, text)
  if type(param.default) == "boolean" then
    if text == "true" then return true elseif text == "false" then return false end
    return text
  end
  return tonumber(text) or text
end

function params.unknown(specs, name)
  local names = nearest.keys(specs)
  local list = #names > 0 and "params: " .. table.concat(names, ", ") or "the scene has no params"
  local hint = nearest.hint(name, names)
  return ("unknown param '%s'%s"):format(name, hint ~= "" and hint or " (" .. list .. ")")
end

--- Convert a value to the type of the parameter `name`; text is parsed. Return the value, or nil and a message. specs:
--- result of params.read; owner: first words of the message.
function params.value(specs, name, value, owner)
  local param, given = specs[name], value
  if not param then return nil, ("%s: %s"):format(owner, params.unknown(specs, name)) end
  if type(value) == "string" then value = from_text(param, value) end
  value = convert(param, value)
  local problem = problem_of(param, value, given)
  if problem then return nil, ("%s: param '%s': %s"):format(owner, name, problem) end
  return value
end

--- Return the values of the parameters: the defaults and the overrides.
---@param overrides table<string, number|boolean|string>|nil  text is read as the parameter's type
---@return table|nil values  nil for an unknown name or an invalid value; reading an unknown name of it raises
---@return string|nil message
function params.values(specs, overrides, owner)
  local names = nearest.keys(specs)
  local values = {}
  for _, name in ipairs(names) do values[name] = specs[name].default end
  for _, name in ipairs(nearest.keys(overrides or {})) do
    local value, message = params.value(specs, name, overrides[name], owner)
    if value == nil then return nil, message end
    values[name] = value
  end
  return setmetatable(values, {
    __index = function(_, name)
      error(("unknown param '%s'%s"):format(tostring(name), nearest.hint(name, names)), 2)
    end,
  })
end

return params
