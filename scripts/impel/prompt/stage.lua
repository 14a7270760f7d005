-- A stage holds the run of a session at a prompt. A host with a run of its own, such as the window, provides a stage
-- with the same methods.

local merged = require "impel.base.merged"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"

local repl_stage = {}
local Stage = {}
Stage.__index = Stage

-- The scene of a session without a file.
local EMPTY = [[
local impel = require "impel"
return { title = "Empty world", setup = function(_, seed)
  return { world = impel.world { gravity = { 0, -9.81 }, seed = seed } }
end }
]]

local function open_empty()
  return scenes.parse(EMPTY, "=empty")
end

-- Load and set up a scene. If this fails, the present run does not change.
local function begin(self, open, set, seed)
  local scene, failure = open()
  if not scene then return nil, failure end
  local options = self.options
  local run, why = runner.new(scene, { set = set, seed = seed, dt = options.dt, solver = options.solver,
    threads = options.threads, clock = options.clock })
  if not run then return nil, why end
  if self.run then self.run:close() end
  self.run, self.load, self.set, self.seed = run, open, set, seed
  return true
end

--- Return the present run.
function Stage:current()
  return self.run
end

--- Make one step of the run, also after a step in which a body became non-finite. Return true, or nil and a failure.
function Stage:step()
  self.run.fault = nil
  return self.run:step()
end

--- Set the scene up again.
---@param changed table<string, any>|nil  parameters to change, by name
---@param seed integer|nil                default: the present seed
---@return boolean|nil ok
---@return table|nil failure
function Stage:reset(changed, seed)
  return begin(self, self.load, merged(self.set, changed), seed or self.seed)
end

--- Open another scene; nil: read the present file again.
---@return boolean|nil ok
---@return table|nil failure
function Stage:open(file)
  local name = file or self.file
  local open, failure = open_empty, nil
  if name then open, failure = self.options.find(name) end
  if not open then return nil, failure end
  local ok, why = begin(self, open, file and {} or self.set, self.seed)
  if not ok then return nil, why end
  self.file = name
  return true
end

--- Free the world.
function Stage:close()
  self.run:close()
end

--- Make a stage.
---@param options table  options of impel.repl
---@return table|nil stage
---@return table|nil failure
function repl_stage.new(options)
  local self = setmetatable({ options = options, file = options.file }, Stage)
  local open, failure = open_empty, nil
  if options.file then open, failure = options.find(options.file) end
  if not open then return nil, failure end
  local ok, why = begin(self, open, options.set or {}, options.seed)
  if not ok then return nil, why end
  return self
end

return repl_stage
