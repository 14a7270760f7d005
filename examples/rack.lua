-- A falling rack turns a pinion: a slider and a hinge move together.
local impel = require "impel"

local scene = {
  title = "Rack and pinion",
  about = "A rack couples a slider and a hinge: x = p angle, where p is the pinion's radius. The pinion slows the fall "
    .. "of the rack: the rack accelerates as if its mass were larger by I / p^2 and its weight were the same. Teeth "
    .. "that are too weak (--set strength=5) break.",
  duration = 1.5, -- [s]
  view = { x = 0, y = -1.5, height = 7 },
}

scene.params = {
  radius = { 0.25, min = 0.1, max = 1, help = "radius of the pinion [m]" },
  pinion = { 8.0, min = 0.1, max = 50, help = "mass of the pinion [kg]" },
  rack = { 2.0, min = 0.5, max = 50, help = "mass of the rack [kg]" },
  strength = { 1000.0, min = 0, max = 1000, help = "force on the teeth above which they break [N]" },
}

local G = 9.81 -- [m/s^2]

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local pinion = world:body { name = "pinion", mass = p.pinion }
  pinion:circle { radius = p.radius, mask = 0 } -- mask 0: rack and pinion are coupled by the joint, not by shapes
  local bar = world:body { name = "rack", mass = p.rack, position = { p.radius + 0.1, 0 } }
  bar:box { 0.2, 4, mask = 0 }
  -- The slider's coordinate grows downwards, so the pinion's angle decreases.
  local slider = world:prismatic(world.ground, bar, { name = "slider", axis = { 0, -1 } })
  local hinge = world:revolute(world.ground, pinion, { name = "hinge" })
  -- The rack keeps x + ratio * angle constant.
  local teeth = world:rack { name = "teeth", joint1 = slider, joint2 = hinge, ratio = p.radius,
    break_force = p.strength }
  local s = { world = world, p = p, pinion = pinion, bar = bar, slider = slider, hinge = hinge, teeth = teeth, off = 0 }
  world:on("joint_break", function(e) s.broke = e.force end)
  return s
end

local function offset(s) return s.slider.value + s.p.radius * s.hinge.value end

function scene.update(s) s.off = math.max(s.off, math.abs(offset(s))) end

function scene.measure(s)
  return { x = s.slider.value, angle = s.hinge.value, speed = s.slider.speed, off = offset(s), teeth = s.teeth.force }
end

function scene.check(s)
  local t = s.world.time
  if t == 0 then return false, "cannot be checked before the first step" end
  if s.teeth.broken then return false, ("the teeth broke at %.3g N; they should break only above %g "
    .. "N"):format(s.broke, s.p.strength) end
  scene.update(s)
  -- With the force f on the teeth: m a = m g - f, I a / r = f r.
  local mass = s.p.rack
  local a = G * mass / (mass + s.pinion.inertia / s.p.radius ^ 2)
  local speed, force = s.slider.speed, mass * (G - a)
  return s.off < 1e-3, ("the rack is %.4f mm from where the pinion's angle puts it, less than 1 "
    .. "expected"):format(1e3 * s.off),
    math.abs(speed / t - a) < 1e-3 * a, ("the rack falls with %.5f m/s^2, %.5f expected"):format(speed / t, a),
    math.abs(-s.teeth.force - force) < 1e-3 * force,
    ("the force on the teeth is %.4f N, %.4f N expected"):format(-s.teeth.force, force)
end

return scene
