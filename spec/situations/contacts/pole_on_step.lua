-- A pole tips over onto the edge of a step, which is fixed or loose. The pole enters neither the step nor the floor and
-- gains no energy.
-- Source: Jolt's documentation on long bodies that rotate fast; Box2D samples "Cliff" and "Skinny Box".
local impel = require "impel"

local SLENDER, LEAN = 20, 0.25 -- length divided by thickness; initial angle [rad]

local scene = {
  title = "Pole on a step", about = "A pole that falls on an edge does not enter it.", duration = 8,
  units = { deepest = "of the bound", gained = "of m g L" },
}
scene.params = { length = 4.0, rise = 0.2, loose = false, rate = 60.0 } -- rise: height of the step / length

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local length, c, n = p.length, impel.math.cos(LEAN), impel.math.sin(LEAN)
  world:body { type = "static" }:box { 20 * length, length, center = { 0, -length / 2 } }
  local s = { world = world, p = p, deepest = 0, gained = 0, sizes = {} }
  s.step = world:body {
    type = p.loose and "dynamic" or "static", position = { length, p.rise * length / 2 }, -- edge: x = length / 2
  }
  s.step:box { length, p.rise * length }
  s.pole = world:body { position = { 0, (c * length + n * length / SLENDER) / 2 }, angle = -LEAN }
  s.pole:box { length / SLENDER, length }
  local kinetic, potential = world:energy()
  s.start, s.weight = kinetic + potential, s.pole.mass * 9.81 * length
  return s
end

-- Return the largest depth of a corner of `body`, a box of width w and height h, in the box `other` or in the floor.
local function depth(body, w, h, other, other_w, other_h)
  local deepest = 0
  for i = -1, 1, 2 do
    for j = -1, 1, 2 do
      local x, y = body:world_point(i * w / 2, j * h / 2)
      local lx, ly = other:local_point(x, y)
      deepest = math.max(deepest, -y, math.min(other_w / 2 - math.abs(lx), other_h / 2 - math.abs(ly)))
    end
  end
  return deepest
end

-- Return the largest allowed overlap: 5 mm (slop) for a length of 2 m.
local function bound(s) return 0.005 * s.p.length / 2 end

local function note(s)
  local length, thick, high = s.p.length, s.p.length / SLENDER, s.p.rise * s.p.length
  local kinetic, potential = s.world:energy()
  s.gained = math.max(s.gained, (kinetic + potential - s.start) / s.weight)
  s.deepest = math.max(s.deepest, depth(s.pole, thick, length, s.step, length, high),
    depth(s.step, length, high, s.pole, thick, length))
end

function scene.update(s) note(s) end

function scene.measure(s)
  note(s)
  return { deepest = s.deepest / bound(s), gained = s.gained }
end

function scene.check(s)
  local now = scene.measure(s)
  return now.deepest < 1, ("the bodies overlap by %.1f mm"):format(1000 * now.deepest * bound(s)),
    -- The removal of the largest allowed overlap, bound(s), adds 0.25 % of m g L.
    now.gained < 2.5e-3, ("the energy grew by %.4f of m g L"):format(now.gained)
end

return scene, {
  vary = { length = { 1, 4, 20 }, rise = { 0.1, 0.3 }, loose = { false, true }, rate = { 60, 240 } },
  solvers = { "si" }, peers = true,
}
