-- Forces at rest equal the weights for any length of the step. A hanging rope, whose pins break at 1.5 times the
-- weight, does not break.
-- Source: Bullet pull request 2797 (forces computed from impulses with the length of another step).
local impel = require "impel"

local scene = {
  title = "Forces, changing dt", about = "Forces at rest equal the weight at any dt.", duration = 8,
  units = { most_pin = "of the weight", least_pin = "of the weight", most_floor = "of the weight",
    least_floor = "of the weight" },
}
scene.params = {
  count = 10, strength = 1.5,
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
  local s = { world = world, p = p, pins = {}, weight = p.count * 9.81,
    pin = { most = 0, least = math.huge }, floor = { most = 0, least = math.huge } }
  s.ground = world:body { type = "static" }
  s.ground:box { 10, 1, center = { 20, -0.5 } }
  local last = world.ground
  for i = 1, p.count do
    local link = world:body { position = { 0, -i * 0.5 + 0.25 }, mass = 1 }
    link:box { 0.1, 0.5 }
    s.pins[i] = world:revolute(last, link, { anchor = { 0, (1 - i) * 0.5 } })
    last = link
    local box = world:body { position = { 20, i - 0.5 }, mass = 1 }
    box:box { 1, 1 }
  end
  return s
end

local function note(range, force)
  range.most, range.least = math.max(range.most, force), math.min(range.least, force)
end

function scene.update(s)
  local world = s.world
  if world.tick == 300 then -- check from 5 s on, when all bodies are at rest
    for _, pin in ipairs(s.pins) do pin.break_force = s.p.strength * s.weight end
  elseif world.tick > 300 then
    note(s.pin, select(2, s.pins[1]:reaction()) / s.weight)
    note(s.floor, -select(2, s.ground:contact_force()) / s.weight)
  end
  if world.tick >= 300 then CHANGES[s.p.mode](world) end
end

function scene.measure(s)
  return { most_pin = s.pin.most, least_pin = s.pin.least, most_floor = s.floor.most, least_floor = s.floor.least }
end

function scene.check(s)
  local broken = 0
  for _, pin in ipairs(s.pins) do broken = broken + (pin.broken and 1 or 0) end
  -- At rest each force is the weight. The bound is 10 %, because the pins break at 1.5 times the weight.
  return broken == 0, ("%d pins with a strength of %.1f times the total weight broke"):format(broken, s.p.strength),
    s.pin.most < 1.1 and s.pin.least > 0.9,
    ("the force of the top pin was %.2f to %.2f of the weight, not 1"):format(s.pin.least, s.pin.most),
    s.floor.most < 1.1 and s.floor.least > 0.9,
    ("the floor carried %.2f to %.2f of the weight, not 1"):format(s.floor.least, s.floor.most)
end

return scene, { vary = { count = { 3, 5, 10 }, mode = { 1, 2, 3, 4, 5, 6 } }, solvers = { "si" } }
