-- A weak, steady push with the acceleration a moves a puck on ice by the distance a t^2/2. A weak spring makes the puck
-- oscillate. The puck does not fall asleep.
-- Source: Polytoria pull request 1068 (bodies under a constant force fall asleep and hang in place), godot issue 38719
-- (a new gravity field does not move resting bodies), avian issue 901, box2d issue 906.
local impel = require "impel"

local scene = {
  title = "Weak push", about = "A weak force moves a free body, which does not fall asleep.", duration = 16,
  units = { way = "m", right = "m" },
}
scene.params = {
  kind = { 1, help = "1 field, 2 custom field, 3 force each step, 4 gravity, 5 gravity scale, 6 spring, 7 attractor" },
  push = 0.01, -- acceleration [m/s^2]
  rate = 60, -- [Hz]
}

local SWING = 2 -- initial distance from the spring's centre [m]

local KINDS = {
  function(s) s.world:field { kind = "uniform", acceleration = { s.p.push, 0 } } end,
  function(s)
    local function law(b, _, param) return b.mass * param.push, 0 end
    s.world:field { kind = "custom", param = { push = s.p.push }, law = law }
  end,
  function() end,
  function(s) s.world:set_gravity(s.p.push, -9.81) end,
  function(s) -- gravity along the ice, reduced by the puck's gravity_scale
    s.world:set_gravity(10, 0)
    s.puck.gravity_scale = s.p.push / 10
  end,
  function(s)
    s.world:field { kind = "spring", center = { SWING, 0.1 }, stiffness = s.p.push * s.puck.mass / SWING }
  end,
  function(s) -- an attractor so far away that its pull is constant
    s.world:field { kind = "attractor", center = { 1e4, 0.1 }, strength = s.p.push, power = 0 }
  end,
}

function scene.setup(p)
  local world = impel.world { dt = 1 / p.rate }
  world:body { type = "static" }:box { 60, 1, center = { 0, -0.5 }, friction = 0 }
  local puck = world:body { position = { 0, 0.1 } }
  puck:box { 0.4, 0.2, friction = 0 }
  local s = { world = world, puck = puck, p = p }
  KINDS[p.kind](s)
  return s
end

function scene.update(s)
  if s.p.kind == 3 then s.puck:apply_force(s.p.push * s.puck.mass, 0) end
end

function scene.measure(s)
  local time, push = s.world.time, s.p.push
  local right = push * time ^ 2 / 2
  if s.p.kind == 6 then right = SWING * (1 - impel.math.cos(math.sqrt(push / SWING) * time)) end
  return { way = (s.puck:position()), right = right }
end

function scene.check(s)
  local now, time = scene.measure(s), s.world.time
  -- 1 % of the distance, plus the distance a dt t that one step of the push adds until the time t.
  local bound = 0.01 * s.p.push * time ^ 2 / 2 + s.p.push * time / s.p.rate
  return math.abs(now.way - now.right) < bound,
    ("the body has moved by %.3f m, not %.3f%s"):format(now.way, now.right, s.puck.awake and "" or ": asleep")
end

return scene, {
  vary = { kind = { 1, 2, 3, 4, 5, 6, 7 }, push = { 0.0001, 0.002, 0.2 }, rate = { 60, 100 } }, solvers = { "si" },
}
