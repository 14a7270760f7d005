-- A box that a steady force pushes against a wall rests: it does not hover, sink in or jitter. It falls asleep unless
-- apply_force pushes it in each step.
-- Source: underactuated issue 242 (a pressed finger sinks into its object), box2d.js issue 104 (jitter under high
-- gravity), box3d issue 135 (items that a user drags against a wall).
local impel = require "impel"

local scene = {
  title = "Pressed to a wall", about = "A box pushed against a wall rests in contact with it.", duration = 4,
  units = { gap = "sizes", sunk = "sizes", speed = "sizes/s" },
}
scene.params = {
  kind = { 1, help = "1 field, 2 field force, 3 custom field, 4 force per step, 5 per substep, 6 servo, 7 spring" },
  size = 1.0, push = 50.0, -- push: acceleration [sizes/s^2]
  rate = 60,
}

-- LASTS: whether the box falls asleep, for each kind of push. apply_force wakes the body.
local LASTS = { true, true, true, false, false, true, true }

local KINDS = {
  function(s) s.world:field { kind = "uniform", acceleration = { s.push, 0 } } end,
  function(s) s.world:field { kind = "uniform", force = { s.force, 0 } } end,
  function(s)
    local function law(b, _, param) return b.mass * param.push, 0 end
    s.world:field { kind = "custom", param = { push = s.push }, law = law }
  end,
  function() end,
  function(s) s.world:on("substep", function() s.box:apply_force(s.force, 0) end) end,
  function(s)
    s.world:prismatic(s.world.ground, s.box, { servo = { target = 100 * s.p.size, max_force = s.force } })
  end,
  function(s) -- the spring's force decreases by at most 1 % on the way to the wall
    s.world:prismatic(s.world.ground, s.box, {
      spring = { stiffness = s.force / (100 * s.p.size), damping = 0, target = 100 * s.p.size },
    })
  end,
}

function scene.setup(p)
  local size = p.size
  -- The slop is 5 mm if the size is 1 m.
  local world = impel.world { gravity = { 0, 0 }, dt = 1 / p.rate, slop = size / 200 }
  world:body { type = "static" }:box { size, 20 * size, center = { size / 2, 0 } }
  local box = world:body { position = { -1.0 * size, 0 } }
  box:box { size, size }
  local s = { world = world, box = box, p = p, gap = 0, sunk = 0, speed = 0 }
  s.push, s.force = p.push * size, p.push * size * box.mass
  KINDS[p.kind](s)
  return s
end

function scene.update(s)
  if s.p.kind == 4 then s.box:apply_force(s.force, 0) end
  if s.world.time < 2 then return end
  local x = s.box:position()
  local vx, vy = s.box:velocity()
  local gap = -x / s.p.size - 0.5
  s.gap, s.sunk = math.max(s.gap, gap), math.max(s.sunk, -gap)
  s.speed = math.max(s.speed, math.abs(vx) / s.p.size, math.abs(vy) / s.p.size)
end

function scene.measure(s) return { gap = s.gap, sunk = s.sunk, speed = s.speed, asleep = not s.box.awake } end

function scene.check(s)
  -- A gap of a thousandth of the size is not visible.
  return s.gap < 0.001, ("the box hovers %.2g sizes from the wall"):format(s.gap),
    s.sunk < 0.01, ("the box sank into the wall by %.2g sizes"):format(s.sunk), -- twice the slop, which is 0.005 sizes
    -- In each step the wall cancels the speed that the push adds, at least 0.16 sizes/s.
    s.speed < 0.01, ("the box still moves at %.2g sizes/s"):format(s.speed),
    not LASTS[s.p.kind] or not s.box.awake, "the box never falls asleep"
end

return scene, {
  vary = { kind = { 1, 2, 3, 4, 5, 6, 7 }, size = { 0.1, 32 }, push = { 10, 150 } }, solvers = { "si", "direct" },
}
