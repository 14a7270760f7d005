-- What a run knows beside its world, as part of the world's snapshots: how far it is, and what it is a run of. So a run
-- that is to go on from a saved state can tell whether that is a state of its own.

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

-- Whether it was saved by a run: a file may hold anything.
local function is_of_a_run(saved)
  return type(saved) == "table" and type(saved.scene) == "string" and math.type(saved.seed) == "integer"
    and math.type(saved.count) == "integer" and type(saved.penetration) == "number" and type(saved.params) == "table"
end

--- What is to be registered with the run's world: after a restore the run has count, penetration, and what was saved as
--- `loaded`.
---@param run table  of impel.run
---@return table
function progress.of(run) return setmetatable({ run = run }, Progress) end

-- What a text of state_text stands for: a number, a boolean or a string.
local function value_of(text)
  local f = load("return " .. text, "=state", "t", {})
  return f and f()
end

-- The registered tables with what is right in them and in their params, by place.
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

--- What a state says of the run that it is of, where it fits no world: what `loaded` would be.
---@param bytes string   of a snapshot, or any others
---@return table|nil saved
function progress.read(bytes)
  local ok, roots = pcall(read_roots, bytes)
  for _, root in ipairs(ok and nearest.keys(roots) or {}) do
    if is_of_a_run(roots[root]) then return roots[root] end
  end
  return nil
end

--- In which a saved run differs from this one; nil where it is of the same.
---@param run table
---@param saved table|nil  what was saved
---@return string|nil
function progress.difference(run, saved)
  if not is_of_a_run(saved) then return "has the state of a world, and none of a run: impel run --save writes that" end
  if saved.scene ~= run.scene.name then
    return ("is of the scene '%s', this run of '%s'"):format(saved.scene, run.scene.name)
  end
  if saved.seed ~= run.seed then return ("is of seed %d, this run of %d (--seed)"):format(saved.seed, run.seed) end
  local params = run:parameters()
  for _, name in ipairs(nearest.keys(params)) do
    if saved.params[name] ~= params[name] then
      return ("is of %s = %s, this run of %s (--set)"):format(name, saved.params[name], params[name])
    end
  end
end

return progress
