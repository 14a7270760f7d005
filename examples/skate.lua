-- A skate spins on an icy slope. The skate never slides down, but drifts across the slope.
local impel = require "impel"

local scene = {
  title = "Skate",
  about = "The plane of the world is the slope. The edge constrains no position, only the velocity across the "
    .. "edge: its constraint has C_dot, a function of velocities, instead of C. A spinning skate draws a cycloid and "
    .. "returns to its height after every half turn.",
  duration = 8, -- [s]
  view = { x = 3, y = -0.1, height = 4 },
}

scene.params = {
  slope = { 20.0, min = 1, max = 60, help = "angle of the slope [degrees]" },
  spin = { 2.0, min = 1, max = 6, help = "angular velocity of the skate [rad/s]" },
  grip = { 100.0, min = 0, max = 1000, help = "largest force of the edge [N]; if it is below 2 m g sin(slope), the "
    .. "skate slides sideways" },
}

local G, MASS = 9.81, 1 -- [m/s^2], [kg]

function scene.setup(p, seed)
  local down = G * math.sin(math.rad(p.slope)) -- gravity along the slope [m/s^2]
  local world = impel.world { seed = seed, gravity = { 0, -down }, substeps = 16, sleep = false }
  local skate = world:body { mass = MASS, inertia = 0.02, angle = -math.pi / 2, angular_velocity = p.spin }
  skate:capsule { from = { -0.2, 0 }, to = { 0.2, 0 }, radius = 0.04 }
  local edge = world:constraint(skate, { max_force = p.grip, C_dot = function(a)
    local nx, ny = a:vector(0, 1) -- normal to the edge; the edge is along the body's x axis
    return a.vx * nx + a.vy * ny
  end })
  return { world = world, skate = skate, edge = edge, spin = p.spin, down = down, slip = 0, off = 0, peak = 0 }
end

-- Return the position by formula. The acceleration along the edge is down cos(w t). The path is a cycloid: the path of
-- a point on the rim of a wheel of radius down / (4 w^2) that rolls along the lower side of the line y = 0.
local function path(s)
  local phi = 2 * s.spin * s.world.time
  local radius = s.down / (4 * s.spin ^ 2)
  return radius * (phi - math.sin(phi)), -radius * (1 - math.cos(phi))
end

-- After every step: record the extremes of the checked values.
local function survey(s)
  local x, y = s.skate:position()
  local px, py = path(s)
  s.off = math.max(s.off, math.sqrt((x - px) ^ 2 + (y - py) ^ 2))
  local vx, vy = s.skate:velocity()
  local nx, ny = s.skate:world_vector(0, 1)
  s.slip = math.max(s.slip, math.abs(vx * nx + vy * ny))
  s.peak = math.max(s.peak, math.abs(s.edge.force))
end

function scene.update(s) if s.world.tick > 0 then survey(s) end end

function scene.measure(s)
  local x, y = s.skate:position()
  local px, py = path(s)
  return { x = x, y = y, path_x = px, path_y = py, force = s.edge.force, slip = s.edge:coordinate(1).speed }
end

function scene.check(s)
  -- largest force of the edge [N]: half holds the skate on the slope, half turns its velocity
  local most = 2 * MASS * s.down
  -- The edge's direction lags by half a substep h, so the position error after time t is below s.down * h * t.
  local allowed = s.down * s.world.dt / s.world.substeps * s.world.time
  survey(s)
  if s.world.time * s.spin < math.pi then return false, "cannot be checked before half a turn" end
  return s.slip < 1e-5, ("the edge slipped sideways at %.3g m/s, less than 1e-5 expected"):format(s.slip),
    s.off < allowed, ("the skate was %.1f mm from its computed path, less than %.1f expected"):format(1e3 * s.off,
      1e3 * allowed),
    math.abs(s.peak / most - 1) < 0.01, ("the edge's largest force is %.3f N, %.3f expected"):format(s.peak, most)
end

-- Draw the path of the edge, and the wheel whose rim draws the same curve.
function scene.draw(s, view)
  local radius = s.down / (4 * s.spin ^ 2)
  local px, py = path(s)
  local x = radius * 2 * s.spin * s.world.time
  view:line(0, 0, 6, 0, "grey")
  view:ring(x, -radius, radius, "sky")
  view:line(x, -radius, px, py, "sky")
  view:trail("edge", s.skate:position())
end

return scene
