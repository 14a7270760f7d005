-- Moves the camera by the result of scene.camera(s), or by scene.view.
--
--   camera_motion.check(view, "scene.camera")      -- raises
--   motion:move(camera, view, time, find)          -- for each picture
--
-- Order: offset, dead zone, bounds, smoothing, shake, bounds.

local arguments = require "impel.base.arguments"
local maths = require "impel.math" -- exp with the same bits on every machine
local nearest = require "impel.base.nearest"
local show = require "impel.base.show"

local motion = {}
local Motion = {}
Motion.__index = Motion

local FARTHEST = 1e9   -- limit of positions and heights [m] and of angles [rad]
local LONGEST = 1e6    -- limit of times [s]
local HERTZ = 12       -- [Hz], default frequency of a shake
local MOST_HERTZ = 1000
local MODULUS, FACTOR = 2147483647, 16807 -- random generator of Park and Miller (1988), for noise

-- Checks -------------------------------------------------------------------------------------------------------------

local function is_number(value, low, high)
  return type(value) == "number" and value >= low and value <= high
end

-- Return whether a value is a list of `count` numbers in a range.
local function is_list(value, count, low, high)
  if type(value) ~= "table" then return false end
  for key in pairs(value) do
    if type(key) ~= "number" or key < 1 or key > count then return false end
  end
  for i = 1, count do
    if not is_number(value[i], low, high) then return false end
  end
  return true
end

local function is_body(value)
  return type(value) == "userdata" and getmetatable(value) == "body"
end

local lengths = "finite number up to 1e9 m"

-- The fields of a camera: name, check, range for messages, description.
local FIELDS = {
  { "x", function(v) return is_number(v, -FARTHEST, FARTHEST) end, lengths,
    "point in the middle of the picture; if it is given, `follow` does not move the camera on this axis" },
  { "y", function(v) return is_number(v, -FARTHEST, FARTHEST) end, lengths, "like x" },
  { "height", function(v) return is_number(v, 0, FARTHEST) and v > 0 end, "number > 0 up to 1e9 m",
    "visible height; a window that is resized keeps it" },
  { "angle", function(v) return is_number(v, -FARTHEST, FARTHEST) end, "finite number up to 1e9 rad",
    "angle of the camera, counter-clockwise positive; the picture appears rotated clockwise, but texts stay upright" },
  { "follow", function(v) return type(v) == "string" or is_body(v) or is_list(v, 2, -FARTHEST, FARTHEST) end,
    "a body, the name of one, or { x, y } up to 1e9 m",
    "point to keep in the middle; for a body, its centre of mass as drawn, interpolated between steps. When the "
      .. "body is destroyed, the camera stays" },
  { "offset", function(v) return is_list(v, 2, -FARTHEST, FARTHEST) end, "{ x, y } up to 1e9 m",
    "vector from the followed point to the middle of the picture" },
  { "dead_zone", function(v) return is_list(v, 2, 0, FARTHEST) end, "{ width, height } from 0 to 1e9 m",
    "size of the region in which the followed point moves while the camera stands still" },
  { "dead_part", function(v) return is_list(v, 2, 0, 1) end, "{ width, height } from 0 to 1, fractions of the picture",
    "the dead zone as fractions of the picture's width and height, instead of dead_zone" },
  { "smoothing", function(v) return is_number(v, 0, LONGEST) end, "number from 0 to 1e6 s",
    "time constant of a first-order lag, independent of the frame rate: a point that moves "
      .. "steadily at v m/s is v * smoothing m ahead of the camera" },
  { "bounds",
    function(v) return is_list(v, 4, -FARTHEST, FARTHEST) and v[1] < v[3] and v[2] < v[4] end,
    "{ x1, y1, x2, y2 } up to 1e9 m with x1 < x2 and y1 < y2",
    "limits of the visible part of the world; if the limits are smaller than the visible part, `height` is reduced" },
  { "shake", function(v) return type(v) == "table" end, "table { amplitude = m, decay = s, at = s, hertz = 1/s }",
    "random displacement; its fields are below" },
  { "pull", function(v) return type(v) == "boolean" end, "boolean",
    "only in scene.view: whether the mouse pulls bodies in impel view; true by default" },
}

local SHAKE = {
  { "amplitude", function(v) return is_number(v, 0, FARTHEST) end, "number from 0 to 1e9 m",
    "largest displacement along each axis (required)" },
  { "at", function(v) return is_number(v, -FARTHEST, FARTHEST) end, "time of the world [s]",
    "start of the shake, such as world.time at an impact. Without `at` and `decay` the shake is constant" },
  { "decay", function(v) return is_number(v, 0, LONGEST) and v > 0 end, "number > 0 up to 1e6 s",
    "time in which the displacement decays to 1/e" },
  { "hertz", function(v) return is_number(v, 0, MOST_HERTZ) and v > 0 end, "number > 0 up to 1000 1/s",
    ("number of random displacements per second, joined by a smooth curve; %d by default"):format(HERTZ) },
}

--- The fields of a camera and of its shake: name, check, range, description.
motion.fields, motion.shake_fields = FIELDS, SHAKE

local function by_name(list)
  local known = {}
  for _, field in ipairs(list) do known[field[1]] = field end
  return known
end

local kinds, shakes = by_name(FIELDS), by_name(SHAKE)

-- Return a value as text for messages. The text of a list shows its first four values.
local function got(value)
  if type(value) ~= "table" then return show.value(value) end
  local parts = {}
  for i = 1, math.min(#value, 4) do parts[i] = show.value(value[i]) end
  return #parts == 0 and "a table" or "{ " .. table.concat(parts, ", ") .. " }"
end

local function check_fields(view, known, where)
  local names = nearest.keys(known)
  for _, key in ipairs(arguments.keys(view)) do
    if not known[key] then
      error(("bad field '%s' in %s%s; it has %s (impel api camera)"):format(arguments.called(key), where,
        nearest.hint(key, names), table.concat(names, ", ")), 0)
    end
  end
  for _, name in ipairs(names) do
    local value, field = view[name], known[name]
    if value ~= nil and not field[2](value) then
      error(("%s.%s: %s expected, got %s"):format(where, name, field[3], got(value)), 0)
    end
  end
end

--- Raise if a view is invalid. where: its name in messages, "scene.view".
function motion.check(view, where)
  if type(view) ~= "table" then error(("%s: table expected, got %s"):format(where, show.value(view)), 0) end
  check_fields(view, kinds, where)
  if view.dead_zone and view.dead_part then
    error(("%s: dead_zone [m] or dead_part, not both"):format(where), 0)
  end
  local shake = view.shake
  if not shake then return end
  check_fields(shake, shakes, where .. ".shake")
  if not shake.amplitude then
    error(("%s.shake.amplitude: number from 0 to 1e9 m expected, got nil"):format(where), 0)
  end
  if (shake.decay == nil) ~= (shake.at == nil) then
    error(("%s.shake: fields 'decay' and 'at' must be given together"):format(where), 0)
  end
end


-- Shake --------------------------------------------------------------------------------------------------------------

-- Return a pseudo-random number in -1..1 for an integer n.
local function noise_at(n, axis)
  local state = (2 * n + axis) % (MODULUS - 1) + 1
  for _ = 1, 4 do state = state * FACTOR % MODULUS end -- exact, because the product is below 2^46
  return 2 * (state - 1) / (MODULUS - 2) - 1
end

-- Return noise: smooth interpolation between pseudo-random numbers at integer t.
local function noise(t, axis)
  local n = math.floor(t)
  local part = t - n
  local a, b = noise_at(n, axis), noise_at(n + 1, axis)
  return a + (b - a) * part * part * (3 - 2 * part)
end

-- Return the displacement by a shake [m].
local function shaken(shake, time)
  local amplitude = shake.amplitude
  if shake.at then
    if time < shake.at then return 0, 0 end
    amplitude = amplitude * maths.exp((shake.at - time) / shake.decay)
  end
  local t = (time - (shake.at or 0)) * (shake.hertz or HERTZ)
  return amplitude * noise(t, 0), amplitude * noise(t, 1)
end


-- Position -----------------------------------------------------------------------------------------------------------

local function within(x, low, high) return math.max(low, math.min(high, x)) end

-- Return the position c(dt) of a point that follows a point p with a first-order lag, while p moves uniformly from
-- `from` to `to` in dt:
--   tau c' = p - c   =>   c(dt) = to - v + (c(0) - from + v) exp(-dt / tau),   v = (to - from) tau / dt
-- ratio: dt / tau; keep: exp(-ratio)
local function eased(c, from, to, ratio, keep)
  local v = (to - from) / ratio
  return to - v + (c - from + v) * keep
end

-- Return half the width and height of the bounding box of the visible part of the world.
local function half_size(camera, height)
  local h = height / 2
  local w = h * camera.width_px / camera.height_px
  local c, s = math.abs(camera.cos), math.abs(camera.sin)
  return c * w + s * h, s * w + c * h
end

-- Return the largest height up to `height` at which the picture is within the bounds.
local function fitting_height(camera, bounds, height)
  local w, h = half_size(camera, height)
  return height * math.min(1, (bounds[3] - bounds[1]) / (2 * w), (bounds[4] - bounds[2]) / (2 * h))
end

local function bounded(camera, bounds, height, x, y)
  if not bounds then return x, y end
  local w, h = half_size(camera, height)
  return within(x, bounds[1] + w, bounds[3] - w), within(y, bounds[2] + h, bounds[4] - h)
end

-- Return the followed point plus offset. Without `follow`, return the previous target x, y.
local function wanted(self, view, find, x, y)
  local follow = view.follow
  if not follow then return x, y end
  if type(follow) == "table" then x, y = follow[1], follow[2] else x, y = find(follow) end
  if not x then
    if type(follow) == "string" and not self.followed_x then
      error(("the world has no body '%s' to follow"):format(follow), 0)
    end
    -- if the followed body was destroyed, stay at its last position
    x, y = self.followed_x or self.x or 0, self.followed_y or self.y or 0
  end
  self.followed_x, self.followed_y = x, y
  local offset = view.offset
  if offset then x, y = x + offset[1], y + offset[2] end
  return x, y
end

-- Return the target of the camera: the position nearest to the previous target at which the dead zone contains the
-- followed point.
local function target(self, camera, view, height, find)
  local x, y = wanted(self, view, find, self.x or camera.x, self.y or camera.y)
  local zone, unit = view.dead_zone or view.dead_part, 1
  if view.follow and zone and self.x then
    if view.dead_part then unit = height end
    local w, h = zone[1] * unit / 2, zone[2] * unit / 2
    if view.dead_part then w = w * camera.width_px / camera.height_px end
    -- The target moves only as far as the followed point is outside the dead zone, separately on each axis.
    local c, s = camera.cos, camera.sin
    local dx, dy = self.x - x, self.y - y
    local right, up = within(c * dx + s * dy, -w, w), within(c * dy - s * dx, -h, h)
    x, y = x + c * right - s * up, y + s * right + c * up
  end
  return view.x or x, view.y or y
end

--- Create the state of a moved camera: target, position and time of the previous picture.
---@return table
function motion.new()
  return setmetatable({}, Motion)
end

--- Return whether a view can move the camera while the view's fields are constant.
function motion.drives(view)
  return (view.follow or view.bounds or view.shake or view.smoothing) ~= nil
end

--- Move the camera for a picture. Raises if `follow` names a body that was never found.
---@param camera table  of impel.camera
---@param view table  checked by motion.check
---@param time number  simulated time of the picture [s]
---@param find fun(body: userdata|string): number|nil, number|nil  drawn centre of mass of a body [m]; nil: body not
---  found
function Motion:move(camera, view, time, find)
  self.height = self.height or camera.height
  local height = view.height or self.height
  if view.angle and view.angle ~= camera.angle then camera:place(camera.x, camera.y, camera.height, view.angle) end
  local bounds = view.bounds
  if bounds then height = fitting_height(camera, bounds, height) end
  local x, y = target(self, camera, view, height, find)
  x, y = bounded(camera, bounds, height, x, y)
  local tau, dt = view.smoothing or 0, self.time and time - self.time or -1
  local cx, cy = x, y
  if tau > 0 and dt >= 0 then
    cx, cy = self.cx, self.cy
    if dt > 0 then
      local ratio = dt / tau
      local keep = maths.exp(-ratio)
      cx, cy = eased(cx, self.x, x, ratio, keep), eased(cy, self.y, y, ratio, keep)
    end
    cx, cy = bounded(camera, bounds, height, cx, cy)
  end
  if dt ~= 0 or tau == 0 then self.x, self.y = x, y end
  self.cx, self.cy, self.time = cx, cy, time
  if view.shake then
    local sx, sy = shaken(view.shake, time)
    cx, cy = bounded(camera, bounds, height, cx + sx, cy + sy)
  end
  camera:place(cx, cy, height, camera.angle)
end

--- Forget the previous picture. In the next picture the camera is at its target, without smoothing.
function Motion:reset()
  self.time, self.x, self.y, self.height = nil, nil, nil, nil
end

return motion
