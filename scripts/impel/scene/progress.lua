-- The data of a run in the snapshots of its world.

local nearest = require "impel.base.nearest"
local state_text = require "impel.world.state_text"

local progress = {}
local Progress = {}

function Progress.__save(self)
  local run = self.run
  return { count = run.count, penetration = run.penetration, scene = run.scene.name, text = run.scene.checksum,
    seed = run.seed, params = run.values and run:parameters() }
end

function Progress.__load(self, saved)
  local run = self.run
  run.loaded = type(saved) == "table" and saved or {}
  run.count, run.penetration = run.loaded.count, run.loaded.penetration
end

-- Return whether a table was saved by a run.
local function is_of_a_run(saved)
  return type(saved) == "table" and type(saved.scene) == "string" and math.type(saved.seed) == "integer"
    and math.type(saved.count) == "integer" and type(saved.penetration) == "number" and type(saved.params) == "table"
end

--- Return the object to register with the run's world. A restore sets run.loaded to the saved table, and run.count and
--- run.penetration to the saved values.
function progress.of(run) return setmetatable({ run = run }, Progress) end

-- Return the value of a text from state_text: a number, boolean or string.
local function value_of(text)
  local f = load("return " .. text, "=state", "t", {})
  return f and f()
end

-- Parse a saved state. Return the tables that were registered with the world, by their names in that state: "state 1",
-- "state 2", ... A returned table has the saved table's fields; `params` is its only field that can be a table.
local function read_roots(bytes)
  local roots = {}
  for _, pair in ipairs(state_text.list(bytes)) do
    local root, name = pair[1]:match "^(state %d+)%.([%a_][%w_.]*)$"
    if root then
      local saved = roots[root] or { params = {} }
      local param = name:match "^params%.(.*)$"
      if param then saved.params[param] = value_of(pair[2]) else saved[name] = value_of(pair[2]) end
      roots[root] = saved
    end
  end
  return roots
end

-- Return the data of the run that saved a snapshot, as a restore would store them in run.loaded. Return nil if the
-- bytes are not a snapshot or have no data of a run.
function progress.read(bytes)
  local ok, roots = pcall(read_roots, bytes)
  for _, root in ipairs(ok and nearest.keys(roots) or {}) do
    if is_of_a_run(roots[root]) then return roots[root] end
  end
  return nil
end

--- Return how a saved run differs from `run`, as the end of a message; nil if they are the same run. saved: run.loaded
--- or a result of progress.read.
function progress.difference(run, saved)
  if not is_of_a_run(saved) then return "has the state of a world but not of a run; impel run --save writes both" end
  if saved.scene ~= run.scene.name then
    return ("belongs to the scene '%s', this run to '%s'"):format(saved.scene, run.scene.name)
  end
  if saved.seed ~= run.seed then return ("has seed %d, this run has %d (--seed)"):format(saved.seed, run.seed) end
  local params = run:parameters()
  for _, name in ipairs(nearest.keys(params)) do
    if saved.params[name] ~= params[name] then
      return ("has %s = %s, this run has %s (--set)"):format(name, saved.params[name], params[name])
    end
  end
end

return progress
