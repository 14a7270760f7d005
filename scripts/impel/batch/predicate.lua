-- A condition on a running scene, such as "tilt > 0.5". Variables: measures, `s`, `world`, `time`, `tick`, `dt`.

local ordered = require "impel.pairs"
local nearest = require "impel.base.nearest"

local predicate = {}

local GIVEN = { "s", "world", "time", "tick", "dt", "impel" }

local OF_WORLD = { time = true, tick = true, dt = true }

-- Return the functions of Lua's library that expressions may call: functions without access to anything outside the
-- scene.
local function library()
  local names = { "abs", "ipairs", "math", "select", "string", "table", "tonumber", "tostring", "type", "utf8" }
  local t = {}
  for _, name in ipairs(names) do t[name] = _G[name] end
  t.math = require "impel.math"
  t.pairs, t.next = ordered.pairs, ordered.next
  return t
end

--- Compile a condition.
---@param text string  a Lua expression
---@return fun(run: table): boolean|nil condition  returns whether the expression is true for a run of impel.run, and
---  raises a text if its evaluation fails; nil if the expression does not compile
---@return string|nil message
function predicate.compile(text)
  local current, measures
  local common = library()

  local function lookup(_, name)
    if name == "s" then return current.state end
    if name == "world" then return current.world end
    if name == "impel" then return require "impel" end
    if OF_WORLD[name] then return current.world[name] end
    if common[name] ~= nil then return common[name] end
    if not measures then
      local found, problem = current:measure()
      if not found then error(problem.message, 0) end
      measures = found
    end
    if measures[name] ~= nil then return measures[name] end
    local names = nearest.keys(measures)
    for _, known in ipairs(GIVEN) do names[#names + 1] = known end
    error(("unknown name '%s'%s; measures: %s"):format(name, nearest.hint(name, names),
      #names > #GIVEN and table.concat(nearest.keys(measures), ", ") or "none"), 0)
  end

  local globals = setmetatable({}, {
    __index = lookup, __newindex = function(_, name) error(("assignment to '%s'"):format(tostring(name)), 0) end,
  })
  local f, message = load("return " .. text, "=" .. text, "t", globals)
  if not f then
    return nil, ("'%s' is not an expression: %s"):format(text, (message:gsub("^.*:%d+: ", "")))
  end
  return function(run)
    current, measures = run, nil
    local ok, value = pcall(f)
    if not ok then error(("'%s': %s"):format(text, (tostring(value):gsub("^[^\n]-:%d+: ", ""))), 0) end
    return value and true or false
  end
end

return predicate
