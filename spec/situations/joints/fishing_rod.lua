-- A tapered rod with springs at its joints is released from the horizontal. The total energy never exceeds the initial
-- value.
-- Source: godot-proposals issues 14845 and 15126 (requests for joint springs, for a fishing rod among others).
local impel = require "impel"

local scene = {
  title = "Fishing rod", about = "A rod of links with springs never gains energy.",
  duration = 10, units = { gain = "of the fall" },
}
scene.params = {
  hertz = 2.0, damping = 0.2, links = 12, taper = { 0.55, help = "mass of a link / mass of the link before" },
  touch = { true, help = "links that are not neighbours collide" },
}

function scene.setup(p)
  local world = impel.world { sleep = false }
  local s = { world = world, links = {}, fall = 0, gain = 0 }
  local mass, height, last = 1, 0.06, world.ground
  for i = 1, p.links do
    local link = world:body { position = { (i - 0.5) * 0.25, 0 }, mass = mass }
    link:box { 0.25, height, group = p.touch and 0 or -1 }
    world:revolute(last, link, { anchor = { (i - 1) * 0.25, 0 },
      spring = { hertz = p.hertz, damping_ratio = p.damping, target = 0 } })
    -- Energy that this link releases until the rod hangs vertically [J]
    s.fall = s.fall + mass * 9.81 * (i - 0.5) * 0.25
    mass, height, last = mass * p.taper, height * 0.8, link
    s.links[i] = link
  end
  return s
end

function scene.update(s)
  local energy = (s.world:energy())
  for _, link in ipairs(s.links) do
    local _, y = link:position()
    energy = energy + link.mass * 9.81 * y
  end
  s.gain = math.max(s.gain, energy / s.fall) -- at the start the energy is 0, because the springs are relaxed
end

function scene.measure(s) return { gain = s.gain } end

function scene.check(s)
  -- The bound of 1 % is for the oscillation of the energy in the integration scheme.
  return s.gain < 0.01,
    ("energy rose by %.3g of the energy of the fall"):format(s.gain)
end

return scene, {
  vary = { hertz = { 1, 2, 4 }, taper = { 0.5, 0.55, 0.6, 0.8 } }, solvers = { "xpbd", "reduced" },
  peers = true,
}
