-- A heavy body pinned to light wheels is dropped. Its energy never exceeds the energy of the fall. It comes to rest on
-- its wheels with closed pins.
-- Source: Godot issue 79863 (a body of 50 kg pinned to a small light body jumps and shakes when dropped).
local impel = require "impel"

local scene = {
  title = "Heavy on light wheels", about = "A heavy body comes to rest on light wheels.", duration = 6,
  units = { gain = "of the fall", open = "of a wheel", fastest = "m/s", sunk = "of a wheel" },
}
scene.params = { ratio = { 100.0, help = "mass of the body / mass of a wheel" }, drop = 0.5, size = 1.0 }

function scene.setup(p)
  local world, k = impel.world { sleep = false }, p.size
  world:body { type = "static" }:box { 100 * k, 1 * k, center = { 0, -0.5 * k } }
  local r, y = 0.25 * k, (0.25 + p.drop) * k
  local body = world:body { position = { 0, y + 0.5 * k }, mass = p.ratio }
  body:box { 3 * k, 0.8 * k, group = -1 }
  local s = { world = world, p = p, body = body, pins = {}, open = 0, gain = 0, fastest = 0, r = r }
  for i, side in ipairs { -1, 1 } do
    local wheel = world:body { position = { side * k, y }, mass = 1 }
    wheel:circle { radius = r, group = -1, friction = 0.8 }
    s.pins[i] = world:revolute(body, wheel, { anchor = { side * k, y } })
  end
  local kinetic, u = world:energy()
  s.start, s.fall = kinetic + u, (p.ratio + 2) * 9.81 * p.drop * k
  return s
end

function scene.update(s)
  local k, u = s.world:energy()
  s.gain = math.max(s.gain, (k + u - s.start) / s.fall)
  if s.world.time < 5 then return end
  local x, y = s.body:velocity()
  s.fastest = math.max(s.fastest, math.sqrt(x * x + y * y))
  for _, pin in ipairs(s.pins) do s.open = math.max(s.open, pin.separation / s.r) end
end

function scene.measure(s)
  local _, y = s.body:position()
  return { gain = s.gain, open = s.open, fastest = s.fastest, sunk = (0.75 * s.p.size - y) / s.r }
end

function scene.check(s)
  local now = scene.measure(s)
  -- Error of a first-order scheme: v dt / 2, divided by the fall of 5 m.
  return now.gain < 0.02, ("the energy rose by %.3g of the energy of the fall"):format(now.gain),
    -- 5 mm, divided by a wheel's radius of 0.25 m.
    now.open < 0.02, ("at rest a pin is open by %.3f of a wheel"):format(now.open),
    -- A speed of 1 cm/s is hardly visible.
    now.fastest < 0.01, ("the body still moves at %.4f m/s 5 s after the drop"):format(now.fastest),
    math.abs(now.sunk) < 0.05 + 0.006 / s.r,
    -- The bound is 5 % of a wheel's radius for gaps of the pins, plus 6 mm for the wheels' overlap with the ground.
    ("the body rests %.3f of a wheel too low"):format(now.sunk)
end

return scene, {
  vary = { ratio = { 1, 30, 300, 3000 }, drop = { 0.02, 1 }, size = { 0.2, 1, 5 } }, solvers = { "direct" },
}
