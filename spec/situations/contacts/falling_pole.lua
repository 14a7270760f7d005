-- A slender pole tips over and falls flat on the floor. Neither end enters the floor.
-- Source: Jolt's documentation on long bodies that rotate fast, godot-jolt issue 389; s&box issue 4468 (a small prism
-- falls through the floor).
local impel = require "impel"

local scene = {
  title = "Falling pole", about = "A slender pole that falls over does not enter the floor.", duration = 12,
  units = { deepest = "of the bound", tip = "m/s", angle = "rad", speed = "m/s" },
}
scene.params = { length = 5.0, slender = 30.0, rate = 60.0 } -- slender: length divided by thickness

local function lowest(s)
  local _, y = s.pole:position()
  local c, n = impel.math.cos(s.pole.angle), impel.math.sin(s.pole.angle)
  return y - math.abs(c) * s.p.length / 2 - math.abs(n) * s.thick / 2
end

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  world:body { type = "static" }:box { 10 * p.length, p.length, center = { 0, -p.length / 2 } }
  local s = { world = world, p = p, thick = p.length / p.slender, deepest = 0, tip = 0 }
  s.pole = world:body { angle = -0.2 } -- the pole falls over if thickness / length is less than 0.2
  s.pole:box { s.thick, p.length }
  s.pole:set_pose(0, -lowest(s), -0.2) -- move the pole so that a corner touches the floor
  return s
end

function scene.update(s)
  local x, y = s.pole:world_point(0, s.p.length / 2)
  local vx, vy = s.pole:velocity_at(x, y)
  s.deepest, s.tip = math.max(s.deepest, -lowest(s)), math.max(s.tip, math.sqrt(vx * vx + vy * vy))
end

-- Return the largest allowed overlap [m]: 0.25 % of the length (5 mm for 2 m), but at most a quarter of the thickness.
local function bound(s) return math.min(0.005 * s.p.length / 2, s.thick / 4) end

function scene.measure(s)
  local vx, vy = s.pole:velocity()
  return {
    deepest = math.max(s.deepest, -lowest(s)) / bound(s), tip = s.tip, angle = s.pole.angle,
    speed = math.sqrt(vx * vx + vy * vy),
  }
end

function scene.check(s)
  local now, length = scene.measure(s), s.p.length
  -- By conservation of energy, the tip of a pole on a fixed foot falls with at most sqrt(3 g L cos 0.2). The thickness
  -- adds 1 / slender to the cosine.
  local fastest = math.sqrt(3 * 9.81 * length * (impel.math.cos(0.2) + 1 / s.p.slender))
  return now.deepest < 1, ("an end is %.1f mm in the floor"):format(1000 * now.deepest * bound(s)),
    now.tip < 1.01 * fastest, ("the tip's speed reached %.2f m/s, more than %.2f"):format(now.tip, fastest),
    -- An overlap of 6 mm (slop plus 1 mm) at half the length.
    math.abs(now.angle + math.pi / 2) < 0.006 / length * 2,
    ("the pole has turned by %.4f rad, not %.4f"):format(-now.angle, math.pi / 2),
    now.speed < 1e-3 * math.sqrt(9.81 * length), ("the pole still moves at %.4f m/s"):format(now.speed) -- at rest
end

return scene, {
  vary = { length = { 1, 5, 30 }, slender = { 10, 30, 100 }, rate = { 30, 60, 240 } }, solvers = { "si" },
  peers = true,
}
