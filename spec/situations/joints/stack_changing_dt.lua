-- A stack at rest stays at rest when the length of the step or the number of substeps changes.
-- Source: Jolt pull request 234 (erratic motion when the number of steps changes in a running game).
local impel = require "impel"

local scene = {
  title = "Stack, changing dt", about = "A stack at rest does not move when dt or substeps change.", duration = 10,
  units = { moved = "m", fastest = "m/s" },
}
scene.params = {
  boxes = 10, size = 1.0,
  mode = { 1, help = "from 5 s on: 1: dt / 2, 2: dt / 10, 3: 60 and 144 Hz by turns, 4: five dt in a cycle, "
    .. "5: 8 substeps, 6: 2 substeps" },
}

local CYCLE = { 1 / 60, 1 / 50, 1 / 75, 1 / 40, 1 / 100 }
local CHANGES = {
  function(world) world.dt = 1 / 120 end,
  function(world) world.dt = 1 / 600 end,
  function(world) world.dt = world.tick % 2 == 0 and 1 / 60 or 1 / 144 end,
  function(world) world.dt = CYCLE[world.tick % 5 + 1] end,
  function(world) world.substeps = 8 end,
  function(world) world.substeps = 2 end,
}

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 20 * p.size, p.size, center = { 0, -0.5 * p.size } }
  local s = { world = world, p = p, boxes = {}, rest = {}, moved = 0, fastest = 0 }
  for i = 1, p.boxes do
    s.boxes[i] = world:body { position = { 0, (i - 0.5) * p.size } }
    s.boxes[i]:box { p.size, p.size }
  end
  return s
end

function scene.update(s)
  local world = s.world
  for i, box in ipairs(s.boxes) do
    local x, y = box:position()
    local vx, vy = box:velocity()
    if world.tick == 300 then s.rest[i] = { x, y } end
    if s.rest[i] then
      s.moved = math.max(s.moved, math.abs(x - s.rest[i][1]), math.abs(y - s.rest[i][2]))
      s.fastest = math.max(s.fastest, math.abs(vx), math.abs(vy))
    end
  end
  if world.tick >= 300 then CHANGES[s.p.mode](world) end
end

function scene.measure(s) return { moved = s.moved, fastest = s.fastest } end

function scene.check(s)
  -- A stack of rigid boxes does not move; 1 mm is not visible. A new number of substeps may move boxes by the slop of 5
  -- mm. In one step, a load that is out of balance by 10 % gets the speed g dt / 10.
  local far, fast = s.p.mode < 5 and 0.001 or 0.005, 0.1 * 9.81 / 60
  return s.moved < far, ("a box moved by %.2f mm, %.1f allowed"):format(1e3 * s.moved, 1e3 * far),
    s.fastest < fast, ("a box moved at %.3f m/s, %.3f allowed"):format(s.fastest, fast)
end

return scene, { vary = { boxes = { 3, 10, 15 }, mode = { 1, 2, 3, 4, 5, 6 } }, solvers = { "si" }, peers = true }
