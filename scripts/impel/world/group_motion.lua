-- Methods of impel.group that set, call, measure and move all bodies of a group.

local arguments = require "impel.base.arguments"
local fm = require "impel.math"

local motion = {}

local NUMBER, STRING, TABLE = { "number" }, { "string" }, { "table" }

local function number(what, name, value, unit)
  if arguments.fits(value, NUMBER) then return value end -- `fits` allocates no memory, unlike `check`
  return arguments.check(("group:%s: argument '%s'"):format(what, name), value, { "number", unit = unit })
end

--- Set properties of all bodies, in alphabetical order of the properties.
---@param values table  { property = value }
---@return table self
function motion:set(values)
  arguments.check("group:set: argument 'values'", values, TABLE)
  local names = arguments.keys(values) -- keys that are not strings come first, so it suffices to check names[1]
  if names[1] ~= nil and type(names[1]) ~= "string" then
    arguments.fail("group:set: a property is expected, got %s", arguments.got(names[1]))
  end
  for _, body in self:each() do
    for _, name in ipairs(names) do body[name] = values[name] end
  end
  return self
end

--- Call a method of all bodies: group:call("apply_impulse", 0, 3).
---@param method string
---@return table self
function motion:call(method, ...)
  arguments.check("group:call: argument 'method'", method, STRING)
  for _, body in self:each() do body[method](body, ...) end
  return self
end

--- Wake all bodies, and the sleeping bodies of their islands.
---@return table self
function motion:wake() return self:set { awake = true } end

--- Put all bodies to sleep, and the bodies that they touch.
function motion:freeze() return self:set { awake = false } end

--- Return the mass of all bodies [kg].
---@return number
function motion:mass()
  local sum = 0
  for _, body in self:each() do sum = sum + body.mass end
  return sum
end

--- Return the centre of mass [m], without masses the mean of the bodies' centres; nil for an empty group.
---@return number|nil x
---@return number|nil y
function motion:center()
  local mass, n, x, y = self:mass(), 0, 0, 0
  for _, body in self:each() do
    local bx, by = body:center()
    local weight = mass > 0 and body.mass or 1
    n, x, y = n + weight, x + weight * bx, y + weight * by
  end
  if n > 0 then return x / n, y / n end
end

--- Return the momentum [N s], and the angular momentum about the origin [N m s].
---@return number px
---@return number py
---@return number angular
function motion:momentum()
  local px, py, angular = 0, 0, 0
  for _, body in self:each() do
    local m, x, y = body.mass, body:center()
    local vx, vy = body:velocity()
    px, py = px + m * vx, py + m * vy
    angular = angular + body.inertia * body.angular_velocity + m * (x * vy - y * vx)
  end
  return px, py, angular
end

--- Return the bounding box of all shapes [m]; nil for a group without shapes.
---@return number|nil x1
---@return number|nil y1
---@return number|nil x2
---@return number|nil y2
function motion:bounds()
  local x1, y1, x2, y2
  for _, body in self:each() do
    for shape in body:shapes() do
      local a, b, c, d = shape:aabb()
      if x1 then
        x1, y1, x2, y2 = math.min(x1, a), math.min(y1, b), math.max(x2, c), math.max(y2, d)
      else
        x1, y1, x2, y2 = a, b, c, d
      end
    end
  end
  return x1, y1, x2, y2
end

local function level(body) return body.type == "particle" or body.mover ~= nil end

--- Teleport all bodies by the same displacement [m]; velocities are unchanged.
---@return table self
function motion:translate(dx, dy)
  number("translate", "dx", dx, "m")
  number("translate", "dy", dy, "m")
  for _, body in self:each() do
    local x, y = body:position()
    body:set_position(x + dx, y + dy)
  end
  return self
end

--- Teleport all bodies so that the centre of mass is at (x, y) [m].
---@return table self
function motion:set_center(x, y)
  number("set_center", "x", x, "m")
  number("set_center", "y", y, "m")
  local cx, cy = self:center()
  return cx and self:translate(x - cx, y - cy) or self
end

--- Rotate the group by a teleport about a point, by default its centre of mass. Velocities do not change, and the angle
--- of particles and movers stays 0.
---@param angle number  [rad]
---@param x number|nil  [m]
---@param y number|nil  [m]
---@return table self
function motion:rotate(angle, x, y)
  number("rotate", "angle", angle, "rad")
  if x ~= nil or y ~= nil then
    number("rotate", "x", x, "m")
    number("rotate", "y", y, "m")
  else
    x, y = self:center()
  end
  local c, s = fm.cos(angle), fm.sin(angle)
  for _, body in self:each() do
    local bx, by = body:position()
    local rx, ry = bx - x, by - y
    body:set_pose(x + c * rx - s * ry, y + s * rx + c * ry, level(body) and 0 or body.angle + angle)
  end
  return self
end

--- Make the group move like one rigid body. vx, vy: velocity of the group's centre of mass [m/s].
---@param w number|nil  [rad/s], default 0
---@return table self
function motion:set_velocity(vx, vy, w)
  number("set_velocity", "vx", vx, "m/s")
  number("set_velocity", "vy", vy, "m/s")
  w = w == nil and 0 or number("set_velocity", "w", w, "rad/s")
  local cx, cy = self:center()
  for _, body in self:each() do
    local x, y = body:center()
    body:set_velocity(vx - w * (y - cy), vy + w * (x - cx))
    if not level(body) then body.angular_velocity = w end
  end
  return self
end

--- Push the group like one body: each body gets a part of the impulse ix, iy [N s] in proportion to its mass.
---@return table self
function motion:apply_impulse(ix, iy)
  number("apply_impulse", "ix", ix, "N s")
  number("apply_impulse", "iy", iy, "N s")
  local mass = self:mass()
  for _, body in self:each() do
    if body.mass > 0 then body:apply_impulse(ix * body.mass / mass, iy * body.mass / mass) end
  end
  return self
end

return motion
