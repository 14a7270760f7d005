-- Two heavy wheels on sprung sliders, with a light hub between the wheels, fall by a metre. The energy never exceeds
-- the initial energy.
-- Source: Box2D issue 984 (two large circles on sprung sliders at a small circle oscillate with growing amplitude).
local impel = require "impel"

local scene = {
  title = "Sliders on a light hub", about = "Wheels on sprung sliders never gain energy when dropped.", duration = 5,
  units = { gain = "of the fall", open = "m or rad" },
}
scene.params = { hub = { 0.05, help = "radius of the hub [m]" }, hertz = 10.0, damping = 2.0 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:segment { from = { -100, 0 }, to = { 100, 0 } }
  local hub = world:body { position = { 0, 3 } }
  hub:circle { radius = p.hub }
  local s = { world = world, sliders = {}, gain = 0, open = 0 }
  for i, side in ipairs { -1, 1 } do
    local wheel = world:body { position = { 3.5 * side, 3 } }
    wheel:circle { radius = 2 }
    s.fall = 2 * wheel.mass * 9.81 -- energy that both wheels release in a fall of 1 m [J]
    s.sliders[i] = world:prismatic(hub, wheel, { local_anchor_a = { 0, 0 }, local_anchor_b = { 0, 0 }, axis = { 1, 0 },
      spring = { hertz = p.hertz, damping_ratio = p.damping, target = 3 * side } })
  end
  local k, u = world:energy()
  s.start = k + u
  return s
end

function scene.update(s)
  local k, u = s.world:energy()
  s.gain = math.max(s.gain, (k + u - s.start) / s.fall)
  for _, slider in ipairs(s.sliders) do s.open = math.max(s.open, slider.separation) end
end

function scene.measure(s) return { gain = s.gain, open = s.open } end

function scene.check(s)
  -- Error of a first-order scheme: 1 %.
  return s.gain < 0.01, ("energy rose by %.3g of the energy of the fall"):format(s.gain),
    -- At the landing speed of 4.4 m/s a wheel moves 0.07 m in a step. The bound is a little more.
    s.open < 0.1, ("a slider opened by %.3g m or rad"):format(s.open)
end

return scene, { vary = { hub = { 0.05, 0.2, 1 }, hertz = { 2, 10 } }, solvers = { "si", "direct" } }
