-- In space a body moves in a circle on a rope that is reeled in and let out. The body's angular momentum is constant,
-- because no torque acts on the body.
-- Source: deceptus_engine pull request 419 (a harpoon whose rope is reeled in and out in a swing), Godot issue 6178
-- (changing a joint's length has no effect); textbook, angular momentum.
local impel = require "impel"

local scene = {
  title = "Reeled in", about = "Angular momentum is constant while a rope is reeled in.", duration = 8,
  units = { worst = "of the angular momentum", length = "m", last = "of the angular momentum" },
}
-- speed: initial speed of the body [m/s]; to: shortest length of the rope divided by its initial length; mass [kg];
-- limit: a limit shortens the rope if true, a servo if false
scene.params = { speed = 5.0, to = 0.5, mass = 1.0, limit = true }

-- Initial length [m]; pause before and after reeling in [s]; duration of reeling in [s]
local LENGTH, STILL, REEL = 4, 1, 2.5

-- Return the length of the rope. The length decreases smoothly from 1 s on, is constant for a second, and increases
-- again.
local function length_at(s, t)
  local part = t < STILL and 0 or t < STILL + REEL and (t - STILL) / REEL
    or t < 2 * STILL + REEL and 1 or math.max(0, 1 - (t - 2 * STILL - REEL) / REEL)
  return LENGTH * (1 - (1 - s.to) * (0.5 - 0.5 * impel.math.cos(math.pi * part)))
end

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local body = world:body { position = { LENGTH, 0 }, velocity = { 0, p.speed }, mass = p.mass }
  body:circle { radius = 0.2 }
  local rope = p.limit and world:rope(world.ground, body, { anchor_a = { 0, 0 }, length = LENGTH })
    or world:distance(world.ground, body, { anchor_a = { 0, 0 }, distance = { servo = { target = LENGTH } } })
  return { world = world, p = p, to = p.to, body = body, rope = rope, worst = 0, start = p.speed * LENGTH }
end

local function momentum(s)
  local x, y = s.body:position()
  local vx, vy = s.body:velocity()
  return (x * vy - y * vx) / s.start
end

function scene.update(s)
  local length = length_at(s, s.world.time)
  if s.p.limit then s.rope:coordinate():set_limit(0, length) else s.rope.target = length end
  s.worst = math.max(s.worst, math.abs(momentum(s) - 1))
end

function scene.measure(s) return { worst = s.worst, length = s.rope.value, last = momentum(s) } end

function scene.check(s)
  -- The rope's force has no moment about the rope's anchor. The bound is for float rounding.
  return s.worst < 1e-3, ("the angular momentum changed by %.3g"):format(s.worst),
    math.abs(s.rope.value - LENGTH) < 0.01 * LENGTH, -- a difference of 1 % is hardly visible
    ("the rope is %.3f m long, not %g"):format(s.rope.value, LENGTH)
end

return scene, {
  vary = { speed = { 2, 8 }, to = { 0.25, 0.5 }, mass = { 0.1, 1000 }, limit = { true, false } },
  solvers = { "si", "direct" },
}
