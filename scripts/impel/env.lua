-- impel.env: a world as a reinforcement-learning environment. The interface follows Gymnasium.
--
--   local env = impel.env {
--     setup = function(seed) return build(seed) end,
--     actions = { { name = "torque", lower = -2, upper = 2, unit = "N m" } },
--     observations = { { name = "angle" }, { name = "speed", lower = -20, upper = 20 } },
--     act = function(s, action) s.hinge:coordinate("angle"):set_force(action[1]) end,
--     observe = function(s, out) out[1], out[2] = s.hinge.value, s.hinge.speed end,
--     reward = function(s) return impel.math.cos(s.hinge.value) end,
--     terminated = function(s) return math.abs(s.hinge.speed) > 15 end,
--     time_limit = 10, frame_skip = 2,
--   }
--   local seen, info = env:reset { seed = 1 }
--   local seen, reward, terminated, truncated, info = env:step { 0.5 }
--
-- The same seed and actions give the same results. Observations and info are tables that each call refills, unless
-- `copy` is set.

local arguments = require "impel.base.arguments"
local build = require "impel.learn.env_build"
local merged = require "impel.base.merged"
local rng = require "impel.rng"
local spaces = require "impel.learn.env_space"

local env = {}
local Env = {}
Env.__index = Env

local FIELDS = {
  setup = { "function", optional = true },
  scene = { "string", optional = true },
  set = { "table", optional = true },
  actions = { "table" }, observations = { "table" },
  act = { "function" }, observe = { "function" }, reward = { "function" },
  terminated = { "function", optional = true },
  info = { "function", optional = true },
  time_limit = { "number", above = 0, unit = "s", optional = true },
  frame_skip = { "integer", min = 1, default = 1 },
  clip = { "boolean", default = true },
  copy = { "boolean", default = false },
  seed = { "integer", min = 0, default = 0 },
}

--- Make an environment.
---@param options table
---  setup(seed) -> state: a table with world
---  or scene, set: file name and parameters of a scene
---  actions, observations: lists of { name =, lower =, upper =, unit = }
---  act(state, action): called before each step of the world
---  observe(state, out): fills out
---  reward(state, action) -> number
---  terminated(state) -> boolean: called after each step of the world
---  info(state, info): adds to info
---  time_limit: time after which the episode is truncated [s]
---  frame_skip: steps of the world per action, default 1
---  clip: default true: clamp actions to their bounds; false: raise for an action out of bounds
---  copy: whether to return new tables, default false
---  seed: of the generator that seeds resets without a seed, default 0
---@return table env  fields: action_space and observation_space, each { n, names, lower, upper }; state; world; steps:
---  number of calls of env:step in the episode
function env.new(options)
  local read = arguments.read("impel.env", options, FIELDS)
  local self = setmetatable({
    options = read, make = build.maker(read),
    action_space = spaces.new("impel.env: actions", read.actions),
    observation_space = spaces.new("impel.env: observations", read.observations),
    random = rng.new(read.seed), action = {}, seen = {}, facts = {}, steps = 0,
    over = "the environment was never reset", -- why the environment cannot step
    episode_number = 0,
  }, Env)
  return self
end

-- Raise if a method was called with a dot instead of a colon.
local function check_self(self, name)
  if getmetatable(self) ~= Env then
    arguments.fail("env:%s must be called as a method, env:%s(...), got %s for env", name, name, arguments.got(self))
  end
end

-- Return a list of numbers, or a copy of the list if options.copy is set.
local function given(self, list)
  return self.options.copy and merged(list) or list
end

local function look(self)
  local seen, space = self.seen, self.observation_space
  self.options.observe(self.state, seen)
  for i = 1, space.n do
    local value = seen[i]
    if not arguments.is_finite(value) then
      arguments.fail("impel.env: observe gave %s for '%s', a finite number expected", arguments.got(value),
        space.names[i])
    end
  end
  if seen[space.n + 1] ~= nil then arguments.fail("impel.env: observe gave more than %d numbers", space.n) end
end

local function tell(self)
  local facts = self.facts
  facts.time, facts.steps, facts.fault = self.world.time, self.steps, self.fault
  if self.options.info then self.options.info(self.state, facts) end
end

--- Begin an episode with a new world.
---@param options table|nil  seed: integer >= 0; default: a random number that depends on the last given seed
---@return number[] seen  observations
---@return table info  time [s] of the world, steps, seed
function Env:reset(options)
  check_self(self, "reset")
  local seed = arguments.read("env:reset", options, { seed = { "integer", min = 0, optional = true } }).seed
  if seed then self.random = rng.new(seed) else seed = self.random:random(0, 0x7fffffff) end
  local state, world = self.make(seed)
  if self.watch then self.watch:destroy() end
  if self.world and self.world ~= world then self.world:destroy() end
  self.state, self.world, self.fault = state, world, nil
  self.watch = world:on("fault", function(event)
    self.fault = self.fault or ("%s in stage '%s'"):format(tostring(event.body), tostring(event.stage))
  end, { outside = true })
  self.dt = world.dt * self.options.frame_skip
  local limit = self.options.time_limit
  self.limit = limit and math.max(1, math.floor(limit / self.dt + 0.5)) or math.huge
  self.steps, self.over, self.episode_number = 0, nil, self.episode_number + 1
  for name in pairs(self.facts) do self.facts[name] = nil end
  self.facts.seed = seed
  look(self)
  tell(self)
  return given(self, self.seen), given(self, self.facts)
end

-- Raise if a function of the user destroyed the world or began another episode.
local function check_episode(self, world, episode, name)
  if self.episode_number ~= episode then arguments.fail("impel.env: %s called env:reset during a step of the "
    .. "environment", name) end
  if not world:is_valid() then arguments.fail("impel.env: %s destroyed the world", name) end
end

--- Make frame_skip steps of the world, fewer if the task ends before.
---@param action number[]  one number for each action, within its bounds
---@return number[] seen  observations
---@return number reward
---@return boolean terminated  the task is over, or a body diverged: see info.fault
---@return boolean truncated   the time limit was reached
---@return table info          as in reset
function Env:step(action)
  check_self(self, "step")
  if self.over then arguments.fail("env:step: %s: call env:reset", self.over) end
  local options, state, world, episode = self.options, self.state, self.world, self.episode_number
  if not world:is_valid() then
    arguments.fail("env:step: the world of the environment was destroyed: call env:reset")
  end
  local own, count = self.action_space:take("env:step: action", action, options.clip, self.action), 0
  local over
  repeat
    options.act(state, own)
    check_episode(self, world, episode, "act")
    world:step(1)
    count = count + 1
    over = self.fault ~= nil or options.terminated ~= nil and options.terminated(state)
    check_episode(self, world, episode, "a handler or terminated")
  until over or count == options.frame_skip
  if type(over) ~= "boolean" then
    arguments.fail("impel.env: terminated gave %s, true or false expected", arguments.got(over))
  end
  self.steps = self.steps + 1
  local reward, truncated = options.reward(state, own), self.steps >= self.limit
  check_episode(self, world, episode, "reward")
  if type(reward) ~= "number" or reward - reward ~= 0 then
    arguments.fail("impel.env: reward gave %s, a finite number expected", arguments.got(reward))
  end
  look(self)
  tell(self)
  if over or truncated then self.over = over and "the episode has terminated" or "the episode was truncated" end
  return given(self, self.seen), reward, over, truncated, given(self, self.facts)
end

--- Run an episode to its end.
---@param policy fun(seen: number[], action: number[])|table  fills action; or a network, which is reset first
---@param options table|nil  seed: of the reset; steps: largest number of steps
---@return number total      sum of rewards
---@return integer steps
---@return boolean terminated
function Env:episode(policy, options)
  check_self(self, "episode")
  return build.episode(self, policy, options)
end

--- Destroy the world. A second call does nothing.
function Env:close()
  check_self(self, "close")
  if self.world then self.world:destroy() end
  self.over = "the environment is closed"
end

Env.__close = Env.close

--- Test an environment, which has reset, step, action_space and observation_space.
---@param one table
---@param options table|nil  seed: of the first episode, default 0; steps: random actions per episode, default 200
---@return string[] findings  faults, as sentences; empty without faults
function env.check(one, options)
  return require("impel.learn.env_check")(one, options)
end

return setmetatable(env, { __call = function(_, options) return env.new(options) end })
