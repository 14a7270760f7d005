-- A box or a ball with restitution that lands flat on a wide floor bounces without rotation, to e^2 of its height.
-- Source: box3d issue 83 (a box spins after a flat landing).
local impel = require "impel"

local scene = {
  title = "Flat box", duration = 2.5,
  about = "A box that lands flat bounces to e^2 of its drop height, without rotation.",
  units = { spin = "rad/s", rise = "m" },
}
scene.params = { height = 0.5, restitution = 0.5, width = 1.0, round = false, rate = 60 }

function scene.setup(p)
  local world = impel.world { dt = 1 / p.rate }
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 }, restitution = p.restitution }
  local box = world:body { position = { 0, p.height + 0.5 } }
  if p.round then
    box:circle { radius = 0.5, restitution = p.restitution }
  else
    box:box { p.width, 1, restitution = p.restitution }
  end
  return { world = world, box = box, p = p, spin = 0, rise = 0 }
end

function scene.update(s)
  local _, y = s.box:position()
  local _, vy = s.box:velocity()
  s.spin = math.max(s.spin, math.abs(s.box.angular_velocity))
  s.landed = s.landed or vy > 0
  if s.landed then s.rise = math.max(s.rise, y - 0.5) end
end

function scene.measure(s) return { spin = s.spin, rise = s.rise } end

function scene.check(s)
  local right = s.p.restitution ^ 2 * s.p.height
  -- The bound is 2 % of the height, plus the distance of half a substep at the impact speed.
  local substeps = s.world.solver == "soft" and 4 or 1
  local speed = math.sqrt(2 * 9.81 * s.p.height)
  local bound = 0.02 * right + (s.p.rate < 240 and speed / (2 * substeps * s.p.rate) or 0)
  -- Float rounding alone gives a spin of less than 1e-6 rad/s.
  return s.spin < 1e-3, ("the body turns at %.3f rad/s"):format(s.spin),
    math.abs(s.rise - right) < bound, ("the body rises to %.4f m, not %.4f"):format(s.rise, right)
end

return scene, {
  vary = {
    height = { 0.3, 1, 3 }, restitution = { 0.2, 0.5, 1 }, width = { 0.5, 3 }, round = { false, true },
    rate = { 60, 240 },
  },
  solvers = { "si", "direct" }, peers = true,
}
