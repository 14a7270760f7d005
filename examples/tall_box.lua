-- A tall box lands flat on two points. What must be clamped at 0 is each point's total impulse, not its correction.
local impel = require "impel"

local scene = {
  title = "Tall box",
  about = "Each point must give half of m v. Solved in turn the first gives too much and has to take some back: "
    .. "--set accumulate=false forbids that, and the box tumbles away. No gravity, so the numbers stay pure.",
  duration = 4, -- [s]
  view = { x = 0, y = 1.5, height = 5 },
}

scene.params = {
  accumulate = { true, help = "clamp the total impulse (right) or every correction of it (wrong)" },
  iterations = { 10, integer = true, min = 1, max = 100, help = "sweeps over the two rows; taller boxes need more" },
  height = { 3.0, min = 0.5, max = 10, help = "m; a box lower than 1.41 times its width never needs to take back" },
}

local SPEED, MASS = 1, 1 -- [m/s], [kg]

function scene.setup(p, seed)
  local world = impel.world {
    seed = seed, gravity = { 0, 0 }, solver = "si", warm_start = false, iterations = p.iterations,
    accumulate = p.accumulate,
  }
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 }, friction = 0 }
  local box = world:body { position = { 0, p.height / 2 }, velocity = { 0, -SPEED }, mass = MASS }
  box:box { 1, p.height, friction = 0 }
  local s = { world = world, box = box, left = 0, right = 0 }
  -- The landing is the first contact. Its points carry the impulses of the step that just ended.
  world:on("begin_contact", function()
    if s.landed then return end
    s.landed = true
    for contact in box:contacts() do
      for _, x, _, _, impulse in contact:points() do
        if x < 0 then s.left = impulse else s.right = impulse end
      end
    end
  end)
  return s
end

function scene.measure(s)
  local _, vy = s.box:velocity()
  return { angle = s.box.angle, spin = s.box.angular_velocity, vy = vy, left = s.left, right = s.right }
end

function scene.check(s)
  local half = MASS * SPEED / 2
  local _, vy = s.box:velocity()
  return math.abs(s.left - half) < 1e-4 and math.abs(s.right - half) < 1e-4,
    ("the points gave %.4f and %.4f N s, %.4f each expected"):format(s.left, s.right, half),
    math.abs(vy) < 1e-3 and math.abs(s.box.angle) < 1e-3,
    ("the box should stand: it moves at %.3f m/s and has turned by %.3f rad"):format(vy, s.box.angle)
end

return scene
