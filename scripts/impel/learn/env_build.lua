-- Creates the state of an environment of env.lua from a function or a scene file, and runs episodes.

local arguments = require "impel.base.arguments"
local scenes = require "impel.scene"

local build = {}

-- Options of world:on for handlers that world:restore does not remove.
local OUTSIDE = { outside = true }

local function check_state(what, state)
  local world = type(state) == "table" and state.world or nil
  if getmetatable(world) ~= "world" or not world:is_valid() then
    arguments.fail("%s must return a table { world = world, ... }, got %s", what, arguments.got(state))
  end
  return state, world
end

-- Read a scene file, and return a function(seed) -> state, world. Each call of this function runs the text of the file.
local function from_scene(path, set)
  local text, chunk = scenes.read(path)
  if not text then arguments.fail("impel.env: %s", chunk) end
  return function(seed)
    local scene, message = scenes.parse(text, chunk, { seed = seed })
    if not scene then arguments.fail("impel.env: %s", message) end
    local values, problem = scene:values(set)
    if not values then arguments.fail("impel.env: %s", problem) end
    local state, world = scene:setup(values, seed)
    if not state then arguments.fail("impel.env: %s", world) end
    local definition = scene.definition
    if definition.update then world:on("step", function(dt) definition.update(state, dt) end, OUTSIDE) end
    if definition.substep then world:on("substep", function(h) definition.substep(state, h) end, OUTSIDE) end
    return state, world
  end
end

--- Return a function(seed) -> state, world from the checked options of env.new.
function build.maker(options)
  if (options.setup ~= nil) == (options.scene ~= nil) then
    arguments.fail("impel.env needs exactly one of the fields 'setup' and 'scene'")
  end
  if options.set and not options.scene then arguments.fail("impel.env: field 'set' requires the field 'scene'") end
  if options.scene then return from_scene(options.scene, options.set) end
  return function(seed) return check_state("impel.env: setup", options.setup(seed)) end
end

local EPISODE = { seed = { "integer", min = 0, optional = true }, steps = { "integer", min = 1, optional = true } }

--- Run an episode; implements Env:episode.
function build.episode(env, policy, options)
  local read, answer = arguments.read("env:episode", options, EPISODE), policy
  if type(policy) == "table" and policy.respond then
    policy:reset()
    answer = function(seen, action) policy:respond(seen, action) end
  end
  arguments.check("env:episode: policy", answer, { "function" })
  local seen = env:reset { seed = read.seed }
  local action, total, steps = {}, 0.0, 0
  while true do
    answer(seen, action)
    local reward, terminated, truncated
    seen, reward, terminated, truncated = env:step(action)
    total, steps = total + reward, steps + 1
    if terminated or truncated or steps == read.steps then return total, steps, terminated end
    if not read.steps and env.limit == math.huge and steps >= 1000000 then
      arguments.fail("env:episode: no end after %d steps; set time_limit of the environment, or steps of the episode",
        steps)
    end
  end
end

return build
