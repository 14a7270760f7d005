-- Tests an environment with random actions. Each finding is a sentence with the episode and step.

local arguments = require "impel.base.arguments"
local rng = require "impel.rng"
local spaces = require "impel.learn.env_space"

local FIELDS = { seed = { "integer", min = 0, default = 0 }, steps = { "integer", min = 1, default = 200 } }

local Trial = {}
Trial.__index = Trial

-- Add a finding, unless the same text is in the list. where: "random actions, step 3", or "".
function Trial:find(where, format, ...)
  local text = format:format(...)
  if self.known[text] then return end
  self.known[text] = true
  self.findings[#self.findings + 1] = where == "" and text or where .. ": " .. text
end

-- Call a method of the environment; an error is a finding. Return whether the call succeeded, and its results.
function Trial:call(where, name, ...)
  local results = table.pack(pcall(self.env[name], self.env, ...))
  if not results[1] then self:find(where, "%s raised: %s", name, tostring(results[2])) end
  return table.unpack(results, 1, results.n)
end

-- Return the space that the environment declares under this name as an env_space, or nil.
function Trial:space(name)
  local declared = self.env[name]
  if type(declared) ~= "table" or type(declared.lower) ~= "table" or type(declared.upper) ~= "table" then
    self:find("", "%s is missing: { names =, lower =, upper = } expected", name)
    return nil
  end
  local list = {}
  for i, lower in ipairs(declared.lower) do
    list[i] = { name = declared.names and declared.names[i] or tostring(i), lower = lower, upper = declared.upper[i] }
  end
  local ok, space = pcall(spaces.new, name, list)
  if ok then return space end
  self:find("", "%s", (tostring(space):gsub("^[^\n]-:%d+: ", "", 1)))
  return nil
end

-- Return an exact copy of the numbers as text. The environment may overwrite the table `values` later.
local function packed(values, reward)
  local parts = {}
  for i, value in ipairs(values) do parts[i] = ("%a"):format(value) end
  parts[#parts + 1] = reward and ("reward %a"):format(reward)
  return table.concat(parts, " ")
end

function Trial:begin(seed, name)
  local where = name .. ", reset"
  local ok, seen, info = self:call(where, "reset", { seed = seed })
  if not ok then return nil end
  self:look(where, seen)
  if type(info) ~= "table" then self:find(where, "info is %s, a table expected", arguments.got(info)) end
  return type(seen) == "table" and packed(seen) or nil
end

function Trial:find_no_boolean(where, name, value)
  if type(value) == "boolean" then return end
  self:find(where, "%s is %s, true or false expected", name, arguments.got(value))
end

-- Check an observation. Report only the first wrong value of each name.
function Trial:look(where, seen)
  local problem = self.observed:problem(seen)
  local key = problem and (problem:match "^'.*' is " or problem)
  if not problem or self.known[key] then return end
  self.known[key] = true
  self:find(where, "observation: %s", problem)
end

-- Make and check a step. Return its results as text, and whether the episode is over; nil if it cannot continue.
function Trial:step(action, where)
  local ok, seen, reward, terminated, truncated, info = self:call(where, "step", action)
  if not ok then return nil end
  self:look(where, seen)
  self:find_no_boolean(where, "terminated", terminated)
  self:find_no_boolean(where, "truncated", truncated)
  if type(info) ~= "table" then self:find(where, "info is %s, a table expected", arguments.got(info)) end
  if type(reward) ~= "number" or reward - reward ~= 0 then
    self:find(where, "reward is %s, a finite number expected", arguments.got(reward))
    return nil
  end
  if type(seen) ~= "table" then return nil end
  return packed(seen, reward), terminated == true or truncated == true
end

-- Run an episode of actions from choose(step). Return the results of the reset and of each step as texts.
function Trial:episode(seed, choose, name)
  local first = self:begin(seed, name)
  if not first then return nil end
  local came, over = { first }, false
  while #came <= self.steps and not over do
    local text
    text, over = self:step(choose(#came), ("%s, step %d"):format(name, #came))
    if not text then return nil end
    came[#came + 1] = text
  end
  came[#came + 1] = self.env.world and "hash " .. self.env.world.hash
  if over and pcall(self.env.step, self.env, choose(1)) then
    self:find(name, "step must raise an error after the end of an episode")
  end
  return came
end

-- Return a function that draws random actions from a seed.
local function random_actions(trial, seed)
  local random = rng.new(seed)
  return function() return trial.actions:sample(random) end
end

local function first_difference(a, b)
  for i = 1, math.max(#a, #b) do
    if a[i] ~= b[i] then return i - 1 end
  end
  return nil
end

-- Return a function that returns an action at the lower or upper bounds (side); -1 or 1 where a bound is infinite.
local function bound(space, side)
  local action = {}
  for i = 1, space.n do
    local value = space[side][i]
    action[i] = math.abs(value) < math.huge and value or side == "lower" and -1.0 or 1.0
  end
  return function() return action end
end

function Trial:run(seed)
  local first = self:episode(seed, random_actions(self, seed), "random actions")
  if not first then return end
  local again = self:episode(seed, random_actions(self, seed), "random actions again")
  local at = again and first_difference(first, again)
  if at and (first[at + 1] or ""):find "^hash" then
    self:find("", "seed %d and the same actions gave a different world.hash, although the observations are equal", seed)
  elseif at then
    self:find("", "seed %d and the same actions gave different results in step %d (step 0 is reset)", seed, at)
  end
  local low = self:episode(seed, bound(self.actions, "lower"), "actions at their lower bounds")
  local high = self:episode(seed, bound(self.actions, "upper"), "actions at their upper bounds")
  if low and high and not first_difference(low, high) then
    self:find("", "actions change neither observations nor rewards")
  end
  self:episode(seed + 1, random_actions(self, seed + 1), "another seed")
end

--- Test an environment, for env.check.
return function(env, options)
  local read = arguments.read("impel.env.check", options, FIELDS)
  arguments.check("impel.env.check: env", env, { "table" })
  local trial = setmetatable({ env = env, steps = read.steps, findings = {}, known = {} }, Trial)
  for _, name in ipairs { "reset", "step" } do
    if type(env[name]) ~= "function" then trial:find("", "%s is missing: a method expected", name) end
  end
  trial.actions, trial.observed = trial:space "action_space", trial:space "observation_space"
  if #trial.findings == 0 then trial:run(read.seed) end
  return trial.findings
end
