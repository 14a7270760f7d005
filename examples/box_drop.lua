-- A box lands flat on two points: sequential impulses approach equal impulses.
local impel = require "impel"

local scene = {
  title = "Box drop",
  about = "Each box lands in its own world. For box k the solver makes k sweeps. The impulse at one contact point "
    .. "turns the box onto the other contact point, so each sweep leaves 4 % of the error. After one sweep the "
    .. "impulses are 0.4 and 0.48 N s, after two 0.496 and 0.4992 N s; the exact impulses are 0.5 N s. There is no "
    .. "gravity and no bounce.",
  duration = 1, -- [s]
  view = { x = 0, y = 0.5, height = 3 },
}

scene.params = {
  sweeps = { 10, integer = true, min = 1, max = 50, help = "number of sweeps for the last box, which is in the scene's "
    .. "own world" },
  height = { 1.0, min = 0.5, max = 1.4, help = "height of the box [m]; flat boxes need more sweeps" },
  speed = { 1.0, min = 0.1, max = 10, help = "speed of the box when it lands [m/s]" },
}

local WIDTH, MASS = 1, 1 -- [m], [kg]

-- Build a box that touches the ground and moves into it.
local function land(p, seed, sweeps)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, solver = "si", warm_start = false, iterations = sweeps }
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 }, friction = 0 }
  local box = world:body { position = { 0, p.height / 2 }, velocity = { 0, -p.speed }, mass = MASS }
  box:box { WIDTH, p.height, friction = 0 }
  local lane = { world = world, box = box, first = 0, second = 0, sweeps = sweeps }
  -- The landing is the first contact. The contact points have the impulses of the step that just ended.
  world:on("begin_contact", function()
    if lane.landed then return end
    for contact in box:contacts() do
      lane.landed = true
      lane.first, lane.second = select(4, contact:point(1)), contact.count == 2 and select(4, contact:point(2)) or 0
    end
  end)
  return lane
end

function scene.setup(p, seed)
  local s = { p = p, beside = {}, own = land(p, seed, p.sweeps) }
  for sweeps = 1, p.sweeps - 1 do s.beside[sweeps] = land(p, seed, sweeps) end
  s.world = s.own.world
  return s
end

function scene.update(s)
  for _, lane in ipairs(s.beside) do lane.world:step() end
end

function scene.measure(s)
  local _, vy = s.own.box:velocity()
  local one = s.beside[1] or s.own
  return { first = s.own.first, second = s.own.second, vy = vy, spin = s.own.box.angular_velocity,
    first_of_one_sweep = one.first, second_of_one_sweep = one.second }
end

-- With a = width / 2 and I = m (width^2 + height^2) / 12:
--   J M^-1 J^T = (d o; o d),   d = 1/m + a^2/I,   o = 1/m - a^2/I
-- Each sweep: P1 = (v - o P2) / d, then P2 = (v - o P1) / d.
-- source: Catto, "Modeling and Solving Constraints" (GDC 2009), box drop
local function expected(p, sweeps)
  local lever = 3 * WIDTH ^ 2 / (WIDTH ^ 2 + p.height ^ 2) / MASS -- a^2 / I
  local d, o = 1 / MASS + lever, 1 / MASS - lever
  local half = MASS * p.speed / 2
  local error = p.speed / d - half -- error of the first point's impulse; each solve multiplies it by -o/d
  return half + error * (o / d) ^ (2 * sweeps - 2), half - error * (o / d) ^ (2 * sweeps - 1)
end

function scene.check(s)
  local p, own = s.p, s.own
  local momentum = MASS * p.speed
  local worst, of = 0, own
  for i = 1, p.sweeps do
    local lane = s.beside[i] or own
    local first, second = expected(p, i)
    local off = math.max(math.abs(lane.first - first), math.abs(lane.second - second))
    if off > worst then worst, of = off, lane end
  end
  local first, second = expected(p, of.sweeps)
  local _, vy = own.box:velocity()
  return worst < 1e-9 * momentum,
    ("after %d sweeps of %s the impulses at the two points were %.9f and %.9f N s, %.9f and %.9f "
      .. "expected"):format(of.sweeps,
      of.world.solver, of.first, of.second, first, second),
    math.abs(own.first + own.second - momentum) < 1e-9 * momentum,
    ("the sum of both impulses was %.12g N s after %d sweeps of %s, m v = %g "
      .. "expected"):format(own.first + own.second, p.sweeps,
      s.world.solver, momentum),
    math.abs(vy) < 1e-9 * p.speed and math.abs(own.box.angular_velocity) < 1e-9 * p.speed,
    ("the box should lie still: it moves at %.3g m/s and turns at %.3g rad/s"):format(vy, own.box.angular_velocity)
end

return scene
