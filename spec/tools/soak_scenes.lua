-- make soak: runs twelve examples far beyond their duration. No fault may occur, and the memory of worlds and of Lua
-- must not grow after the first tenth of the steps.
--
--   lua5.4 spec/tools/soak_scenes.lua [steps [scene]]      default 1000000 steps each, some minutes
local scenes = require "impel.scene"

local STEPS = tonumber(arg and arg[1]) or 1000000
local NAMES = arg and arg[2] and { arg[2] } or {
  "pyramid", "double_pendulum", "bridge", "conveyor", "cradle", "gears", "newton_motor", "four_bar", "platformer",
  "boats", "cloth", "pinball",
}

local function memory()
  collectgarbage()
  collectgarbage()
  return collectgarbage "count" * 1024
end

local function flat(name, what, before, after, slack)
  assert(after <= 1.1 * before + slack, ("%s: %s grew from %.0f to %.0f bytes"):format(name, what, before, after))
end

for _, name in ipairs(NAMES) do
  local scene = assert(scenes.load("examples/" .. name .. ".lua", { print = function() end }))
  local state, world = scene:setup(assert(scene:values()), 1)
  assert(state, world)
  local definition = scene.definition
  for event, call in pairs { step = "update", substep = "substep" } do
    local f = definition[call]
    if f then world:on(event, function(seconds) f(state, seconds) end) end
  end
  local early = math.max(STEPS // 10, 1)
  local bytes, own
  for step = 1, STEPS do
    world:step()
    for fault in world:events "fault" do
      error(("%s, step %d: fault in %s at %s"):format(name, step, fault.body, fault.stage))
    end
    if step == early then bytes, own = world:counts().bytes, memory() end
  end
  local counts = world:counts()
  flat(name, "the world", bytes, counts.bytes, 1 << 16)
  flat(name, "Lua", own, memory(), 1 << 16)
  print(("%-16s %d steps, hash %s, %d bodies, %d bytes, Lua %.0f"):format(name, STEPS, world.hash, counts.bodies,
    counts.bytes, memory()))
  world:destroy()
end
