-- Measures the cost of snapshots and recordings: lua5.4 spec/bench/states.lua BUILD
--
-- Prints lines `name number`: CPU time [ms], and bytes.
local build = ...
package.cpath = build .. "/lua/?.so;" .. package.cpath
package.path = "scripts/?.lua;scripts/?/init.lua;" .. package.path
local impel = require "impel"

local COUNT, ROUNDS = 1000, 40
local FRAMES, BODIES, SEEKS = 10000, 500, 40 -- ticks of the recording; bodies in its world; number of seeks

local function ms(start) return 1e3 * (os.clock() - start) end

-- Build a world of boxes in columns. The bodies never sleep.
local function columns(count, height)
  local world = impel.world { gravity = { 0, -10 }, sleep = false, seed = 1 }
  world:body({ type = "static" }):box { 4 * count, 1 }
  for i = 0, count - 1 do
    world:body({ position = { 2 * (i // height), 1 + i % height } }):box { 1, 1 }
  end
  return world
end

local function apart()
  local world = impel.world { gravity = { 0, 0 }, sleep = false, seed = 1 }
  for i = 1, COUNT do
    world:body({ position = { 3 * (i % 40), 3 * (i // 40) }, velocity = { 0.01, 0 } }):box { 1, 1 }
  end
  return world
end

local function measure_snapshots(name, world, options)
  world:step(30)
  local save, restore, bytes = math.huge, math.huge, nil
  for _ = 1, ROUNDS do
    local start = os.clock()
    bytes = world:snapshot(options)
    save = math.min(save, ms(start))
    start = os.clock()
    world:restore(bytes)
    restore = math.min(restore, ms(start))
  end
  print(("%s.save %.3f"):format(name, save))
  print(("%s.restore %.3f"):format(name, restore))
  print(("%s.bytes %.1f"):format(name, #bytes / COUNT))
end

-- Return boxes in a room with turning gravity, and the function to call before each step.
local function tumbled(count, height)
  local world, right, top = columns(count, height), 2 * count // height, 3 * height
  world:body({ type = "static" }):chain { loop = true,
    points = { { -2, 0.5 }, { -2, top }, { right, top }, { right, 0.5 } } }
  return world, function(tick)
    local angle = 2 * math.pi * tick / 600
    world:set_gravity(10 * math.sin(angle), -10 * math.cos(angle))
  end
end

local function measure_seek()
  local path = build .. "/bench/states.rec"
  local world, turn = tumbled(BODIES, 10)
  local recording = assert(world:record(path))
  for tick = 1, FRAMES do
    turn(tick)
    world:step()
  end
  recording:close()
  print(("record.bytes %.0f"):format(assert(io.open(path)):seek "end" / FRAMES))
  local rng = require("impel.rng").new(1)
  local playback = assert(impel.recording(path))
  local most, sum = 0, 0
  for _ = 1, SEEKS do
    local tick = rng:random(FRAMES)
    local start = os.clock()
    assert(playback:seek(tick))
    local took = ms(start)
    most, sum = math.max(most, took), sum + took
  end
  playback:close()
  os.remove(path)
  print(("seek.mean %.2f"):format(sum / SEEKS))
  print(("seek.most %.2f"):format(most))
end

measure_snapshots("apart", apart())
measure_snapshots("columns", columns(COUNT, 10))
local world = columns(COUNT, 10)
local known = { errors = {}, name = "controllers" }
for i = 1, COUNT do known.errors[i] = 0.1 * i end
world:state(known)
measure_snapshots("with_state", world)
measure_seek()
