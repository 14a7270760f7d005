-- impel.rig.tracked: a tracked vehicle seen from its right side: a closed belt of links around wheels.
--
--   local tank = impel.rig.tracked(world, { position = { 0, 0 } })
--   tank:drive(2)              -- the sprocket drives the belt to 2 m/s; tank:drive(0) brakes
--   tank:coast()
--
-- The sprocket drives the belt by friction, at most e^(mu pi) - 1 times the tension of the slack side (Euler,
-- Eytelwein).
--
-- m links of thickness t lie on half a wheel of radius r; w: angular speed of the sprocket:
--
--   pitch p = 2 (r + t / 2) tan(pi / 2m),   hinges at R = (r + t / 2) / cos(pi / 2m) from the axle
--   2 m links pass per revolution:  speed = w m p / pi

local arguments = require "impel.base.arguments"
local rig_parts = require "impel.rig.shared.parts"
local maths = require "impel.math"

local fields = {
  length = { "number", above = 0, default = 2.4, unit = "m" },
  wheel_radius = { "number", above = 0, default = 0.35, unit = "m" },
  wheels = { "integer", min = 0, default = 3 },
  mass = { "number", above = 0, default = 600, unit = "kg" },
  wheel_mass = { "number", above = 0, default = 30, unit = "kg" },
  link_mass = { "number", above = 0, default = 5, unit = "kg" },
  thickness = { "number", above = 0, default = 0.08, unit = "m" },
  around = { "integer", min = 3, default = 6 },
  tension = { "number", min = 0, default = 4000, unit = "N" },
  hertz = { "number", above = 0, default = 4, unit = "Hz" },
  torque = { "number", min = 0, default = 3000, unit = "N m" },
  hinge_friction = { "number", min = 0, default = 20, unit = "N m" },
  friction = { "number", min = 0, default = 1 },
}

local Tracked = {}

--- Drive to a speed [m/s], positive to the right; 0 brakes.
function Tracked.drive(tank, speed)
  tank.sprocket.motor_speed = -arguments.number("tracked:drive: speed", speed) / tank.pitch_radius
  tank.sprocket.max_force = tank.torque
end

--- Let the sprocket turn freely.
function Tracked.coast(tank)
  tank.sprocket.motor_speed, tank.sprocket.max_force = 0, 0
end

--- Return the speed of the hull along its own axis [m/s].
function Tracked.speed(tank)
  local vx, vy = tank.hull:velocity()
  local fx, fy = tank.hull:world_vector(1, 0)
  return vx * fx + vy * fy
end

-- Return the positions of the hinges of a belt: around two half circles of radius R about the axles (-half, up) and
-- (half, up), with `around` links each, and along the two straight runs between them, with `straight` links each.
local function ring(half, up, R, around, straight)
  local points = {}
  local function arc(x, start)
    for i = 0, around - 1 do
      local a = start - maths.pi * i / around
      points[#points + 1] = { x + R * maths.cos(a), up + R * maths.sin(a) }
    end
  end
  local function run(x, y, step)
    for i = 0, straight - 1 do points[#points + 1] = { x + step * i, y } end
  end
  run(-half, up + R, 2 * half / straight)
  arc(half, maths.pi / 2)
  run(half, up - R, -2 * half / straight)
  arc(-half, -maths.pi / 2)
  return points
end

local function add_belt(parts, o, points)
  local n = #points
  for i = 1, n do
    local p, q = points[i], points[i % n + 1]
    local dx, dy = q[1] - p[1], q[2] - p[2]
    local link = parts:body(nil, { position = { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2 }, angle = maths.atan(dy, dx),
      mass = o.link_mass })
    link:box { math.sqrt(dx * dx + dy * dy), o.thickness, friction = o.friction, group = parts.group }
    parts.links[i] = link
  end
  for i = 1, n do
    parts:joint("revolute", nil, parts.links[(i - 2) % n + 1], parts.links[i], { anchor = points[i],
      motor = o.hinge_friction > 0 and { speed = 0, max_force = o.hinge_friction } or nil })
  end
end

local function add_wheel(parts, o, key, x, y, radius)
  local wheel = parts:body(key, { position = { x, y }, mass = o.wheel_mass })
  parts.wheel_group = parts.wheel_group or rig_parts.group_of(wheel)
  wheel:circle { radius = radius, friction = o.friction, group = parts.wheel_group }
  return wheel
end

local function build(parts, o)
  local r, t, m = o.wheel_radius, o.thickness, o.around
  local delta = maths.pi / (2 * m)
  local R, pitch = (r + t / 2) / maths.cos(delta), 2 * (r + t / 2) * maths.tan(delta)
  local straight = maths.floor(o.length / pitch + 0.5)
  straight = straight < 1 and 1 or straight
  local half, up = straight * pitch / 2, R + t / 2
  parts.pitch, parts.pitch_radius, parts.torque, parts.links = pitch, m * pitch / maths.pi, o.torque, {}
  local hull = parts:body("hull", { position = { 0, up + 0.6 * r }, mass = o.mass })
  hull:polygon { points = { { -half - 0.6 * r, -0.5 * r }, { half + 0.4 * r, -0.5 * r }, { half + 1.5 * r, 0.6 * r },
    { half + 0.6 * r, 1.3 * r }, { -half - 1.3 * r, 1.3 * r } }, group = parts.group }
  hull:box { half, r, center = { -0.1 * half, 1.8 * r }, density = 0.3, group = parts.group }
  local rear = add_wheel(parts, o, "rear_wheel", -half, up, r)
  parts:joint("revolute", "sprocket", hull, rear, { anchor = { -half, up }, motor = { speed = 0, max_force = 0 } })
  local front = add_wheel(parts, o, "front_wheel", half, up, r)
  local stiffness = o.tension / r -- soft, because the tension must hardly depend on the idler's position
  parts:joint("wheel", "idler", hull, front, { anchor = { half, up }, axis = { 1, 0 }, limit = { -0.2 * r, 0.5 * r },
    spring = { stiffness = stiffness, damping = 2 * math.sqrt(stiffness * o.wheel_mass), target = r } })
  local small, omega, share = 0.8 * r, 2 * maths.pi * o.hertz, o.mass / (o.wheels + 2)
  for i = 1, o.wheels do
    local x, y = -half + 2 * half * i / (o.wheels + 1), up - r + small
    local wheel = add_wheel(parts, o, "wheel" .. i, x, y, small)
    parts:joint("wheel", "axle" .. i, hull, wheel, { anchor = { x, y }, axis = { 0, 1 },
      limit = { -0.4 * r, 0.4 * r }, spring = { stiffness = share * omega * omega, damping = 1.4 * share * omega } })
  end
  add_belt(parts, o, ring(half, up, R, m, straight))
  for name, method in next, Tracked do parts[name] = method end
end

--- Create a tracked vehicle on level ground.
---@param options table|nil  fields:
---  position = { 0, 0 } [m]: point on the ground below the middle
---  angle = 0 [rad]
---  length = 2.4 [m] from axle to axle, rounded to whole links
---  wheel_radius = 0.35 [m]
---  wheels = 3: sprung wheels between sprocket and idler
---  mass = 600 [kg] of the hull
---  wheel_mass = 30 [kg] of each wheel
---  link_mass = 5 [kg] of each link
---  thickness = 0.08 [m] of the links
---  around = 6: links on half a wheel
---  tension = 4000 [N] of the idler's spring
---  hertz = 4 [Hz]: of the hull on the sprung wheels
---  torque = 3000 [N m] of the motor
---  hinge_friction = 20 [N m] and friction = 1 of the belt
---  name, group
---@return table parts
---  hull, rear_wheel, front_wheel, wheel1, ...
---  links
---  sprocket: driven hinge
---  idler: joint of the front wheel
---  pitch: distance between two hinges of the belt [m]
---  pitch_radius: speed of the belt / angular speed of the sprocket [m]
---  drive(), coast(), speed() [m/s]
---  bodies, joints, group, mass() [kg], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.tracked", world, options, fields, build)
end
