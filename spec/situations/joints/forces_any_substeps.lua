-- A motor, a spring, a weld, a hinge, a rope and a floor each carry two bodies at rest. All report the weight, with any
-- number of substeps, because forces are means over the step.
-- Source: Rapier pull request 992 (impulses with one substep too many); p5play issue 259 (joints that break by the
-- reported force).
local impel = require "impel"

local scene = {
  title = "Forces at any substeps", about = "Forces at rest equal the weight at any number of substeps.", duration = 4,
  units = { worst = "of the weight" },
}
scene.params = { substeps = { 4, min = 1 }, later = { 8, help = "substeps from 2 s on" }, rate = 60.0, mass = 1.0 }

function scene.setup(p)
  local world = impel.world { sleep = false, substeps = p.substeps, dt = 1 / p.rate }
  local s, weight, count = { world = world, forces = {}, p = p, worst = 0, name = "none" }, 9.81 * p.mass * 2, 0
  local function load()
    count = count + 1
    local body = world:body { position = { 3 * count, 0 }, mass = p.mass }
    body:box { 1, 1 }
    local below = count < 6 and world:body { position = { 3 * count, -1.5 }, mass = p.mass }
      or world:body { position = { 3 * count, 1 }, mass = p.mass }
    below:box { 1, 1 }
    if count < 6 then world:revolute(body, below, { anchor = { 3 * count, -0.5 } }) end
    return body, { 3 * count, 0 }
  end
  local body = load()
  local motor = world:prismatic(world.ground, body, { axis = { 0, 1 }, motor = { speed = 0, max_force = 5 * weight } })
  s.forces.motor = function() return motor.force end
  body = load()
  local spring = world:prismatic(world.ground, body, { axis = { 0, 1 },
    spring = { hertz = 3, damping_ratio = 1, target = 0 } })
  s.forces.spring = function() return spring.force end
  body = load()
  local weld = world:weld(world.ground, body, {})
  s.forces.weld = function() return (select(2, weld:reaction())) end
  local anchor, _
  body, anchor = load()
  local hinge = world:revolute(world.ground, body, { anchor = { anchor[1], 1 } })
  s.forces.hinge = function() return (select(2, hinge:reaction())) end
  body, anchor = load()
  local rope = world:rope(world.ground, body, { anchor_a = { anchor[1], 2 } })
  s.forces.rope = function() return -rope.force end
  _, anchor = load()
  local floor = world:body { type = "static" }
  floor:box { 2, 1, center = { anchor[1], -1 } }
  s.forces.floor = function() return -select(2, floor:contact_force()) end
  s.weight = weight
  return s
end

-- Return the largest relative error of a force, and the name of this force.
local function worst_of(s)
  local worst, name = 0, "none"
  for _, key in ipairs { "motor", "spring", "weld", "hinge", "rope", "floor" } do
    local off = math.abs(s.forces[key]() / s.weight - 1)
    if off >= worst then worst, name = off, key end
  end
  return worst, name
end

function scene.update(s)
  local world = s.world
  if world.tick == 2 * s.p.rate then world.substeps = s.p.later end
  if world.tick <= 2 * s.p.rate then return end
  local off, name = worst_of(s)
  if off > s.worst then s.worst, s.name = off, name end
end

function scene.measure(s) return { worst = s.worst } end

function scene.check(s)
  -- At rest each force is the weight. The bound is 5 %, because a joint may have to break at 1.1 times its load.
  return s.worst < 0.05, ("the force of the %s was off by %.4f of the weight"):format(s.name, s.worst)
end

return scene, {
  vary = { substeps = { 1, 4 }, later = { 1, 2, 4, 16 }, rate = { 30, 240 }, mass = { 0.01, 1000 } },
  solvers = { "xpbd" },
}
