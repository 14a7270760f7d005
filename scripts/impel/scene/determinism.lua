-- Checks that the state of a scene determines its motion: impel run --check-determinism.
--
-- Each step is made, undone by world:restore and made again; the states must be equal. At intervals the state is also
-- restored from its bytes into a new run. Both runs then make the same steps, and their states must stay equal.
--
--   local counted, failure = determinism.check(scene, options, { every = 20, each = function(run) ... end })

local difference = require "impel.world.difference"
local runner = require "impel.scene.run"
local state_text = require "impel.world.state_text"

local determinism = {}

local EVERY = 20 -- number of steps between two restores into a new run

local function nothing() end

-- Make a step without trace or measurements. Return the failure, if any.
local function step(run)
  local ok, failure = run:bare_step(nothing, nothing)
  return not ok and failure or nil
end

-- Make the same step again from the state `before`.
local function again(run, before)
  run.world:restore(before)
  run.fault = nil
  return step(run)
end

-- Return the first difference between a world and a snapshot as a sentence; nil if there is none. Equal states may have
-- different bytes.
local function tell(world, bytes, here, there)
  local mine = world:snapshot()
  if mine == bytes then return nil end
  local found = world:difference(bytes)
  return found and difference.text(found, here, there) or state_text.difference(mine, bytes, here, there)
end

local function mismatch(run, how, what)
  return nil, { kind = "damaged", message = ("%s: step %d: %s: %s"):format(run.scene.file, run.count, how, what) }
end

-- Make a step, undo it, make it again, and compare the two states.
local function twice(run)
  local world = run.world
  local before = world:snapshot()
  local failure = step(run)
  if failure then return nil, failure end
  local after = world:snapshot()
  failure = again(run, before)
  if failure then return mismatch(run, "repeated after a restore", failure.message) end
  local what = tell(world, after, "now", "the first time")
  if what then return mismatch(run, "repeated after a restore", what) end
  return true
end

-- Return a new run that continues from a snapshot; or nil and a failure.
local function reload(scene, options, bytes, run)
  local twin, message = scene.again()
  if not twin then return nil, { kind = "scene", message = message } end
  local other, failure = runner.new(twin, options)
  if not other then return nil, failure end
  local ok
  ok, message = pcall(other.world.restore, other.world, bytes)
  if ok then return other end
  other:close()
  return mismatch(run, "the snapshot cannot be restored in a new run",
    (message:gsub("^.-:%d+: ", "", 1):gsub("^world:restore: ", "")))
end

--- Check a scene.
---@param options table  as for impel.run
---@param more table|nil  every: steps between two reloads, default 20; each(run): called before every step, true ends
---  the check
---@return table|nil counted  steps; reloads; run: the run, which the caller closes
---@return table|nil failure  kind "damaged" with the first difference, or a failure of the scene
function determinism.check(scene, options, more)
  more = more or {}
  local every = more.every or EVERY
  local run, failure = runner.new(scene, options)
  if not run then return nil, failure end
  local reloads, other = 0, nil
  local ok
  while not run:done() and not (more.each and more.each(run)) do
    ok, failure = twice(run)
    if ok then run:look() end
    if ok and other then
      failure = step(other)
      if not failure then other:look() end
      local differs = failure and failure.message
        or tell(other.world, run.world:snapshot(), "in the new run", "here")
      if differs then ok, failure = mismatch(run, ("reloaded at step %d"):format(other.began), differs) end
    end
    if other and (not ok or other.count % every == 0) then
      other:close()
      other = nil
    end
    if ok and not other and (run.count == 1 or run.count % every == 0) and not run:done() then
      other, failure = reload(scene, options, run.world:snapshot(), run)
      ok = other ~= nil
      if other then other.began, reloads = run.count, reloads + 1 end
    end
    if not ok then
      run:close()
      return nil, failure
    end
  end
  if other then other:close() end
  return { steps = run.count, reloads = reloads, run = run }
end

return determinism
