-- A car rests on its springs, and a load hangs on a spring. Car and load do not move in a hitch, one step of up to a
-- second among short steps.
-- Source: matter-js issue 303 (bodies sink and jump when a slow machine catches up), godot-proposals issue 15126 (joint
-- springs depend on the rate).
local impel = require "impel"

local scene = {
  title = "Hitch on springs", about = "A car at rest does not move during a long step.", duration = 12,
  units = { moved = "m", fastest = "m/s" },
}
scene.params = {
  hitch = { 0.5, help = "[s]" }, hertz = 2.0, damping = 0.7,
  ratio = { 10.0, help = "mass of the car / mass of a wheel" },
}

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 100, 1, center = { 0, -0.5 } }
  local w = 2 * math.pi * p.hertz -- angular frequency of the car on its two springs
  local stiffness, damping = w ^ 2 * p.ratio, 2 * p.damping * w * p.ratio
  local s = { world = world, p = p, rest = {}, moved = 0, fastest = 0 }
  local car = world:body { position = { 0, 1 }, mass = p.ratio }
  car:box { 3, 0.6, group = -1 }
  s.bodies = { car }
  for _, side in ipairs { -1, 1 } do
    local wheel = world:body { position = { side, 0.4 }, mass = 1 }
    wheel:circle { radius = 0.4, group = -1 }
    world:wheel(car, wheel, { anchor = { side, 0.4 }, axis = { 0, 1 },
      spring = { stiffness = stiffness / 2, damping = damping / 2, target = 0 },
      motor = { speed = 0, max_force = 100 } })
    s.bodies[#s.bodies + 1] = wheel
  end
  local load = world:body { position = { 10, 5 }, mass = p.ratio }
  load:box { 1, 1 }
  world:distance(world.ground, load, { anchor_a = { 10, 8 }, distance = {
    spring = { stiffness = stiffness, damping = damping, target = 3 } } })
  s.bodies[#s.bodies + 1] = load
  return s
end

function scene.update(s)
  local world = s.world
  for i, body in ipairs(s.bodies) do
    local x, y = body:position()
    local vx, vy = body:velocity()
    if world.tick == 480 then s.rest[i] = { x, y } end -- e^-10 of the oscillation remains
    if s.rest[i] then
      s.moved = math.max(s.moved, math.abs(x - s.rest[i][1]), math.abs(y - s.rest[i][2]))
      s.fastest = math.max(s.fastest, math.abs(vx), math.abs(vy))
    end
  end
  world.dt = (world.tick == 490 or world.tick == 550) and s.p.hitch or 1 / 60
end

function scene.measure(s) return { moved = s.moved, fastest = s.fastest } end

function scene.check(s)
  -- The springs are at rest. The bound is the slop of 5 mm.
  return s.moved < 0.005, ("a body moved by %.2f mm"):format(1e3 * s.moved),
    -- Half of the speed that gravity gives in a short step.
    s.fastest < 0.1, ("a body moved at %.3f m/s"):format(s.fastest)
end

return scene, {
  vary = { hitch = { 0.1, 0.3, 1 }, hertz = { 1, 5 }, damping = { 0.2, 1 }, ratio = { 1, 100 } }, solvers = { "si" },
}
