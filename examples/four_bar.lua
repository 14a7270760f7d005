-- A four-bar linkage: a motor turns the shortest bar, and the opposite bar rocks.
local impel = require "impel"

local scene = {
  title = "Four bars",
  about = "Grashof's condition: the crank makes full turns if the shortest and the longest bar together are not longer "
    .. "than the other two bars. With --set crank=1.1 they are longer: the linkage jams, and the motor stalls at its "
    .. "torque limit.",
  duration = 6, -- [s]
  view = { x = 0.9, y = 0.4, height = 2.6 },
}

scene.params = {
  crank = { 0.5, min = 0.4, max = 1.2, help = "length of the crank [m]; the crank makes full turns if the shortest and "
    .. "the longest bar together are not longer than the other two bars" },
  coupler = { 1.8, min = 1.6, max = 2, help = "length of the coupler, from the crank to the rocker [m]" },
  rocker = { 1.2, min = 1, max = 1.4, help = "length of the rocker [m]" },
  speed = { 4.0, min = 1.2, max = 8, help = "speed of the motor at the crank [rad/s]" },
  torque = { 5.0, min = 0, max = 100, help = "torque limit of the motor [N m]" },
}

local GROUND, WIDTH, START = 2, 0.08, math.rad(60) -- distance of fixed hinges, width of a bar [m]; first angle [rad]

-- Return where coupler and rocker meet at a crank angle: the upper intersection of two circles.
local function intersection(p, angle)
  local bx, by = p.crank * math.cos(angle), p.crank * math.sin(angle)
  local dx, dy = GROUND - bx, -by
  local d = math.sqrt(dx ^ 2 + dy ^ 2)
  local along = (d ^ 2 + p.coupler ^ 2 - p.rocker ^ 2) / (2 * d)
  local up = math.sqrt(math.max(0, p.coupler ^ 2 - along ^ 2))
  return bx + (along * dx - up * dy) / d, by + (along * dy + up * dx) / d
end

local function bar(world, name, x1, y1, x2, y2)
  local body = world:body { name = name, position = { (x1 + x2) / 2, (y1 + y2) / 2 },
    angle = math.atan(y2 - y1, x2 - x1) }
  body:box { math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2), WIDTH, mask = 0 } -- mask 0: overlapping bars do not collide
  return body
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, dt = 1 / 240 }
  local bx, by = p.crank * math.cos(START), p.crank * math.sin(START)
  local cx, cy = intersection(p, START)
  local crank = bar(world, "crank", 0, 0, bx, by)
  local coupler = bar(world, "coupler", bx, by, cx, cy)
  local rocker = bar(world, "rocker", GROUND, 0, cx, cy)
  local motor = world:revolute(world.ground, crank, { name = "motor", anchor = { 0, 0 }, reference_angle = 0,
    motor = { speed = 0, max_force = p.torque } })
  local knee = world:revolute(coupler, rocker, { name = "knee", anchor = { cx, cy } })
  local hinges = { motor, world:revolute(crank, coupler, { anchor = { bx, by } }), knee,
    world:revolute(world.ground, rocker, { anchor = { GROUND, 0 } }) }
  return { world = world, p = p, motor = motor, knee = knee, hinges = hinges, from = motor.value, way = 0, open = 0,
    off = 0, least = math.huge, most = -math.huge }
end

-- Return the largest gap of a hinge, and the error of the knee's position.
local function survey(s)
  local open = 0
  for _, hinge in ipairs(s.hinges) do open = math.max(open, hinge.separation) end
  local x, y = intersection(s.p, s.motor.value)
  local ax, ay, kx, ky = s.knee:anchors()
  local off = math.max(math.sqrt((ax - x) ^ 2 + (ay - y) ^ 2), math.sqrt((kx - x) ^ 2 + (ky - y) ^ 2))
  return open, off, math.atan(ky, kx - GROUND)
end

local function watch(s)
  local open, off, swing = survey(s)
  s.open, s.off = math.max(s.open, open), math.max(s.off, off)
  s.least, s.most = math.min(s.least, swing), math.max(s.most, swing)
end

-- Before every step: the motor speeds up over half a second, so that no bar gets a jerk.
function scene.update(s, dt)
  watch(s)
  s.motor.motor_speed = s.p.speed * math.min(1, s.world.time / 0.5)
  s.way = s.way + s.motor.motor_speed * dt
end

function scene.measure(s)
  local open, off, swing = survey(s)
  return { crank = s.motor.value, rocker = swing, torque = s.motor.force, open = open, off = off }
end

-- Return the rocker's angle where crank and coupler are in line. `span`: distance from the motor to the knee [m].
local function dead_centre(p, span)
  return math.pi - math.acos((GROUND ^ 2 + p.rocker ^ 2 - span ^ 2) / (2 * GROUND * p.rocker))
end

function scene.check(s)
  watch(s)
  local p = s.p
  local turns, expected = (s.motor.value - s.from) / (2 * math.pi), s.way / (2 * math.pi)
  if expected < 1 or math.abs(turns - expected) > 1e-3 then
    return false, ("the crank made %.4f turns, expected %.4f (and at least 1)"):format(turns, expected)
  end
  local least, most = dead_centre(p, p.coupler + p.crank), dead_centre(p, p.coupler - p.crank)
  return s.world:mobility() == 1, ("the linkage has %d degrees of freedom, 1 expected"):format(s.world:mobility()),
    s.open < 1e-3, ("the anchors of a hinge came %.3f mm apart, less than 1 expected"):format(1e3 * s.open),
    s.off < 1e-3, ("the knee was %.3f mm from its computed position, less than 1 expected"):format(1e3 * s.off),
    -- The tolerance is 2e-3 rad, because a dead centre may lie between two steps.
    math.abs(s.least - least) + math.abs(s.most - most) < 2e-3,
    ("the angle of the rocker ranged from %.4f to %.4f rad, %.4f to %.4f expected"):format(s.least, s.most, least, most)
end

return scene
