-- Forces that are read after a step are the forces of this step, even after a change of the next step's length.
-- Source: Bullet pull request 2797 (forces computed from impulses with the length of another step).
local impel = require "impel"

local scene = {
  title = "Force readings", about = "Forces read after a step are the forces of this step.", duration = 3,
  units = { pin = "N", floor = "N", row = "N", power = "W" },
}
scene.params = { mass = 10.0, factor = 10.0 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local bob = world:body { position = { 0, -1 }, mass = p.mass }
  bob:box { 0.2, 0.2 }
  world:body { type = "static" }:box { 10, 1, center = { 20, -0.5 } }
  local box = world:body { position = { 20, 0.5 }, mass = p.mass }
  box:box { 1, 1 }
  local joint = world:revolute(world.ground, bob, { anchor = { 0, 0 } })
  return { world = world, box = box, joint = joint, weight = p.mass * 9.81, p = p }
end

function scene.update(s)
  local world = s.world
  if world.tick ~= 120 then return end
  world.dt = world.dt / s.p.factor
  local _, pin = s.joint:reaction()
  local _, floor = s.box:contact_force()
  s.pin, s.floor, s.row = pin, floor, 0
  for row in s.joint:rows() do s.row = math.max(s.row, math.abs(row.force)) end
  s.coordinate = math.abs(s.joint:coordinate("y").force)
  world.dt = world.dt * s.p.factor
end

function scene.measure(s) return { pin = s.pin, floor = s.floor, row = s.row, coordinate = s.coordinate } end

function scene.check(s)
  -- Float rounding: 0.1 %.
  local function holds(force) return math.abs(force - s.weight) < 0.001 * s.weight end
  return holds(s.pin), ("reaction() returns %.1f N, %.1f expected"):format(s.pin, s.weight),
    holds(s.floor), ("contact_force() returns %.1f N, %.1f expected"):format(s.floor, s.weight),
    holds(s.row), ("row.force is %.1f N, %.1f expected"):format(s.row, s.weight),
    holds(s.coordinate), ("coordinate.force is %.1f N, %.1f expected"):format(s.coordinate, s.weight)
end

return scene, { vary = { mass = { 0.1, 10 }, factor = { 0.5, 2, 10 } }, solvers = { "si", "direct", "reduced" } }
