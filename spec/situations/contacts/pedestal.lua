-- An elastic box that lands flat on a narrow pedestal bounces to its initial height without rotation.
-- Source: box3d issue 83 (a box gains energy and spins after landing on a smaller box).
local impel = require "impel"

local scene = {
  title = "Pedestal", about = "An elastic box bounces without rotation on a narrow pedestal.", duration = 1.7,
  units = { spin = "rad/s", rise = "m" },
}
scene.params = { height = 0.5, pedestal = 0.5 }

function scene.setup(p)
  local world = impel.world {}
  world:body { type = "static" }:box { p.pedestal, 1, center = { 0, -0.5 }, restitution = 1 }
  local box = world:body { position = { 0, p.height + 0.5 } }
  box:box { 1, 1, restitution = 1 }
  return { world = world, box = box, p = p, spin = 0, rise = 0 }
end

-- Record only the first bounce. Float rounding tilts the box, and each landing on one corner increases the tilt.
function scene.update(s)
  if s.over then return end
  local _, y = s.box:position()
  local _, vy = s.box:velocity()
  s.spin = math.max(s.spin, math.abs(s.box.angular_velocity))
  if vy > 0 then s.landed = true elseif s.landed then s.over = true end
  if s.landed then s.rise = math.max(s.rise, y - 0.5) end
end

function scene.measure(s) return { spin = s.spin, rise = s.rise } end

function scene.check(s)
  local height = s.p.height
  -- An error of g dt in the impact speed changes the height by v dt. The bound adds 1 % of the height.
  local bound = 0.01 * height + math.sqrt(2 * 9.81 * height) / 60
  -- Float rounding alone gives a spin of less than 1e-6 rad/s.
  return s.spin < 1e-3, ("the box turns at %.3f rad/s"):format(s.spin),
    math.abs(s.rise - height) < bound, ("the box rises to %.4f m, not %.4f"):format(s.rise, height)
end

return scene, {
  vary = { height = { 0.3, 0.5, 1, 2 }, pedestal = { 0.3, 0.5, 0.9 } }, solvers = { "si", "direct" }, peers = true,
}
