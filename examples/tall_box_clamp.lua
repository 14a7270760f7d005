-- A tall box lands flat on two points. The solver clamps accumulated impulses or, in a second world, corrections.
local impel = require "impel"

local scene = {
  title = "Tall box, clamped impulses",
  about = "When the tall box lands, each of its two contact points must give the impulse m v / 2. The first sweep "
    .. "gives too large an impulse to the point that it solves first, so later sweeps must reduce this impulse. In the "
    .. "second world, accumulate = false forbids a reduction: the box is thrown off and tumbles away.",
  duration = 4, -- [s]
  view = { x = 0, y = 1.4, height = 4.4 },
}

scene.params = {
  iterations = { 10, integer = true, min = 1, max = 100, help = "number of sweeps over the two contact points; taller "
    .. "boxes need more" },
  height = { 3.0, min = 0.5, max = 5, help = "height of the box [m]; below 1.41 times its width no impulse needs to "
    .. "be reduced, and the boxes of both worlds get the same impulses" },
  accumulate = { true, help = "true: the scene's own world clamps the accumulated impulse; false: it clamps each "
    .. "correction, as the second world does" },
}

local SPEED, MASS, WIDTH = 1, 1, 1 -- [m/s], [kg], [m]

local function land(p, seed, accumulate)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, solver = "si", warm_start = false,
    iterations = p.iterations, accumulate = accumulate }
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 }, friction = 0 }
  local box = world:body { position = { 0, p.height / 2 }, velocity = { 0, -SPEED }, mass = MASS }
  box:box { WIDTH, p.height, friction = 0 }
  local lane = { world = world, box = box, first = 0, second = 0, rebound = 0, spin = 0 }
  -- The landing is the first contact. The contact points have the impulses of the step that just ended.
  world:on("begin_contact", function()
    for contact in box:contacts() do
      if lane.landed or contact.count < 2 then return end
      lane.landed = true
      local x, _, _, impulse = contact:point(1)
      lane.first, lane.second, lane.rebound = impulse, select(4, contact:point(2)), select(2, box:velocity())
      -- Mirror the spin if the point on the right is solved first.
      lane.spin = x < 0 and box.angular_velocity or -box.angular_velocity
    end
  end)
  return lane
end

function scene.setup(p, seed)
  local s = { p = p, right = land(p, seed, p.accumulate), wrong = land(p, seed, false) }
  s.world = s.right.world
  return s
end

function scene.update(s) s.wrong.world:step() end

-- Draw the box of the second world (accumulate = false).
function scene.draw(s, view)
  local points, box = {}, s.wrong.box
  for i, corner in ipairs { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } } do
    points[i] = { box:world_point(corner[1] * WIDTH / 2, corner[2] * s.p.height / 2) }
  end
  view:outline(points, "red")
end

function scene.measure(s)
  local row = {}
  for _, name in ipairs { "right", "wrong" } do
    local lane = s[name]
    local _, vy = lane.box:velocity()
    row[name .. "_first"], row[name .. "_second"], row[name .. "_vy"] = lane.first, lane.second, vy
    row[name .. "_angle"], row[name .. "_spin"] = lane.box.angle, lane.box.angular_velocity
  end
  return row
end

-- With a = width / 2 and I = m (width^2 + height^2) / 12:
--   J M^-1 J^T = (d o; o d),   d = 1/m + a^2/I,   o = 1/m - a^2/I
-- If corrections are clamped, every sweep gives P1 = v / d and P2 = (v - o P1) / d.
-- source: Catto, "Modeling and Solving Constraints" (GDC 2009), accumulated impulses
local function frozen(p)
  local lever = 3 * WIDTH ^ 2 / (WIDTH ^ 2 + p.height ^ 2) / MASS -- a^2 / I
  local d, o = 1 / MASS + lever, 1 / MASS - lever
  local first = SPEED / d
  local second = (SPEED - o * first) / d
  local spin = lever / (WIDTH / 2) * (second - first) -- if the point on the left is solved first
  return o > 0, first, second, (first + second) / MASS - SPEED, spin
end

function scene.check(s)
  local half, right, wrong = MASS * SPEED / 2, s.right, s.wrong
  local tall, first, second, rebound, spin = frozen(s.p)
  -- In a low box no correction is negative, so both worlds give the same impulses.
  if not tall then first, second, rebound, spin = half, half, 0, 0 end
  local _, vy = right.box:velocity()
  return math.abs(right.first - half) < 1e-4 and math.abs(right.second - half) < 1e-4,
    ("the contact points' impulses are %.4f and %.4f N s, %.4f each expected"):format(right.first, right.second, half),
    math.abs(vy) < 1e-3 and math.abs(right.box.angle) < 1e-3,
    ("the box should stand: it moves at %.3f m/s and has turned by %.3f rad"):format(vy, right.box.angle),
    wrong.landed == true and math.abs(wrong.first - first) < 1e-4 and math.abs(wrong.second - second) < 1e-4,
    ("in the second world the contact points' impulses are %.4f and %.4f N s, %.4f and %.4f expected"):format(
      wrong.first, wrong.second, first, second),
    wrong.landed == true and math.abs(wrong.rebound - rebound) < 1e-4 and math.abs(wrong.spin - spin) < 1e-4,
    ("the second world's box leaves the ground at %.4f m/s and %.4f rad/s, %.4f and %.4f expected"):format(
      wrong.rebound, wrong.spin, rebound, spin)
end

return scene
