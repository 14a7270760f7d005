-- Cameras: the part of the world that a picture shows, and the map between metres and pixels.
--
-- The function scene.camera(s), called for every picture, or the fields of scene.view control the camera:
--
--   function scene.camera(s)
--     return { follow = s.car, height = 8, dead_zone = { 3, 2 }, bounds = { -10, -2, 60, 20 }, smoothing = 0.2 }
--   end
--
-- Without x, y and height the camera shows the whole initial scene. Smoothing and shake depend on simulated time.
-- In `impel view` the user's pan, zoom and following (F) override the camera until Home is pressed. A value out of
-- range is an error of the scene, and the camera does not move.
--
-- Scripts that make their own pictures use a camera directly:
--
--   local c = impel.camera.new { x = 0, y = 2, height = 5, width_px = 960, height_px = 540 }
--   c:to_screen(0, 2)                 -- 480, 270: the middle
--   c:zoom(2, 480, 270)               -- twice as large; the point at that pixel does not move
--
-- Fields: x, y, ppm (device pixels per metre), angle, width_px, height_px [device pixels], scale (device pixels per
-- point), down (whether y points down).

local arguments = require "impel.base.arguments"
local maths = require "impel.math" -- the same sine and cosine on every machine

local camera = {}
local Camera = {}
Camera.__index = Camera

local NEAREST, FARTHEST = 1e-6, 1e9 -- smallest and largest visible height [m]
local OUTERMOST = 1e12 -- largest coordinate of the picture's middle [m]
local HEIGHT = 10 -- visible height [m] by default, and in place of a non-finite height
local MOST_ANGLE = 1e9 -- largest angle of a camera [rad]

local OPTIONS = {
  x = { "number", default = 0, unit = "m" }, y = { "number", default = 0, unit = "m" },
  height = { "number", default = HEIGHT, unit = "m" }, angle = { "number", default = 0, unit = "rad" },
  scale = { "number", above = 0, default = 1 },
  width_px = { "number", unit = "device pixels" }, height_px = { "number", unit = "device pixels" },
}

-- Raise unless all arguments of a method are numbers. `update` replaces NaN and infinity.
local function check(method, names, ...)
  for i = 1, #names do
    local value = select(i, ...)
    if type(value) ~= "number" then
      arguments.fail("camera:%s: %s must be a number, got %s", method, names[i], arguments.got(value))
    end
  end
end

local PANEL = { "number", min = 0, unit = "points" }
local POINT, PIXEL, PART = { "x", "y" }, { "px", "py" }, { "dx", "dy" }

-- Clamp x to bounds. NaN becomes `other`.
local function within(x, least, most, other)
  return x == x and math.min(math.max(x, least), most) or other
end

-- Clamp all fields to finite values for renderers, and compute the fields derived from the visible height.
local function update(self)
  self.x, self.y = within(self.x, -OUTERMOST, OUTERMOST, 0), within(self.y, -OUTERMOST, OUTERMOST, 0)
  self.height = within(self.height, NEAREST, FARTHEST, HEIGHT)
  self.angle = within(self.angle, -MOST_ANGLE, MOST_ANGLE, 0)
  self.cos, self.sin = maths.cos(self.angle), maths.sin(self.angle)
  self.ppm = self.height_px / self.height
  self.width = self.width_px / self.ppm
end

--- Make a camera that shows a part of the world.
---@param options table  x, y: middle [m], default 0; height: visible height [m], default 10; angle: rotation of the
---  camera, counter-clockwise positive [rad], default 0; width_px, height_px: size of the picture [device pixels];
---  scale: device pixels per point, default 1
---@return table
function camera.new(options)
  local self = setmetatable(arguments.read("impel.camera.new", options, OPTIONS), Camera)
  self.down = false
  self.width_px, self.height_px = math.max(self.width_px, 1), math.max(self.height_px, 1)
  update(self)
  return self
end

--- Make a camera for user interfaces [points]: the origin is at the top left, y points down.
---@param width number   of the window [points]
---@param height number  of the window [points]
---@param scale number|nil  device pixels per point
---@return table
function camera.panel(width, height, scale)
  arguments.check("impel.camera.panel: width", width, PANEL)
  arguments.check("impel.camera.panel: height", height, PANEL)
  scale = scale == nil and 1 or arguments.check("impel.camera.panel: scale", scale, OPTIONS.scale)
  return setmetatable({
    x = width / 2, y = height / 2, height = height, width = width, down = true, scale = scale, ppm = scale,
    angle = 0, cos = 1, sin = 0,
    width_px = width * scale, height_px = height * scale,
  }, Camera)
end

-- Rotate a vector of the world [m] into the picture's axes. `unturned` is the inverse.
local function turned(self, x, y)
  if self.angle == 0 then return x, y end
  return self.cos * x + self.sin * y, self.cos * y - self.sin * x
end

local function unturned(self, x, y)
  if self.angle == 0 then return x, y end
  return self.cos * x - self.sin * y, self.sin * x + self.cos * y
end

--- Return the pixel of a world point, from the top left corner of the picture.
---@param x number [m]
---@param y number [m]
---@return number px  [device pixels]
---@return number py
function Camera:to_screen(x, y)
  check("to_screen", POINT, x, y)
  local right, up = turned(self, x - self.x, y - self.y)
  right, up = right * self.ppm, up * self.ppm
  return self.width_px / 2 + right, self.height_px / 2 + (self.down and up or -up)
end

--- Return the world point at a pixel.
---@param px number  [device pixels]
---@param py number
---@return number x  [m]
---@return number y
function Camera:to_world(px, py)
  check("to_world", PIXEL, px, py)
  local up = (self.height_px / 2 - py) / self.ppm
  local x, y = unturned(self, (px - self.width_px / 2) / self.ppm, self.down and -up or up)
  return self.x + x, self.y + y
end

-- Move the middle of the picture, and discard the fitted box.
local function move(self, x, y)
  self.x, self.y, self.box = x, y, nil
  update(self)
end

--- Move the picture by a number of pixels, as when a mouse drags it.
---@param dx number  [device pixels]
---@param dy number  down [device pixels]
function Camera:pan(dx, dy)
  check("pan", PART, dx, dy)
  local x, y = unturned(self, dx / self.ppm, (self.down and dy or -dy) / self.ppm)
  move(self, self.x - x, self.y - y)
end

--- Enlarge the picture by a factor; the world point at the pixel does not move.
---@param factor number  > 0
---@param px number  [device pixels]
---@param py number
function Camera:zoom(factor, px, py)
  check("zoom", { "factor", "px", "py" }, factor, px, py)
  local x, y = self:to_world(px, py)
  self.height = self.height / factor
  update(self)
  local now_x, now_y = self:to_world(px, py)
  move(self, self.x + x - now_x, self.y + y - now_y)
end

-- Show the whole fitted box.
local function show_box(self)
  local box = self.box
  local width, height = box.x2 - box.x1, box.y2 - box.y1
  local c, s = math.abs(self.cos), math.abs(self.sin)
  if s > 0 then width, height = c * width + s * height, s * width + c * height end
  self.x, self.y = box.x1 / 2 + box.x2 / 2, box.y1 / 2 + box.y2 / 2 -- halved first to avoid overflow
  self.height = math.max(height * box.grown, width * box.grown * self.height_px / self.width_px)
  if self.height == 0 then self.height = HEIGHT end
  update(self)
end

--- Change the size of the picture, keeping middle and visible height. A fitted box is fitted again.
---@param width number  [device pixels]; less than 1 is replaced by 1
---@param height number
---@param scale number|nil  device pixels per point
function Camera:resize(width, height, scale)
  check("resize", { "width", "height", "scale" }, width, height, scale or 1)
  self.width_px, self.height_px, self.scale = math.max(width, 1), math.max(height, 1), scale or self.scale
  if self.box then show_box(self) else update(self) end
end

--- Show a box of the world.
---@param x1 number  left [m]
---@param y1 number  lower end [m]
---@param x2 number  right [m]
---@param y2 number  upper end [m]
---@param margin number|nil  on each side, relative to the size of the box, default 0.06
function Camera:fit(x1, y1, x2, y2, margin)
  check("fit", { "x1", "y1", "x2", "y2", "margin" }, x1, y1, x2, y2, margin or 0)
  self.box = { x1 = x1, y1 = y1, x2 = x2, y2 = y2, grown = 1 + 2 * (margin or 0.06) }
  show_box(self)
end

--- Centre the picture on a point.
---@param x number [m]
---@param y number [m]
function Camera:follow(x, y)
  check("follow", POINT, x, y)
  move(self, x, y)
end

--- Set middle, visible height and angle.
---@param x number [m]
---@param y number
---@param height number  visible height [m]
---@param angle number  counter-clockwise positive [rad]
function Camera:place(x, y, height, angle)
  check("place", { "x", "y", "height", "angle" }, x, y, height, angle)
  self.height, self.angle = height, angle
  move(self, x, y)
end

--- Return the bounding box of the visible part.
---@return number x1  left [m]
---@return number y1  bottom
---@return number x2  right
---@return number y2  top
function Camera:bounds()
  local w, h = self.width / 2, self.height / 2
  local c, s = math.abs(self.cos), math.abs(self.sin)
  if s > 0 then w, h = c * w + s * h, s * w + c * h end
  return self.x - w, self.y - h, self.x + w, self.y + h
end

--- Return the device pixels per metre.
---@return number
function Camera:pixels_per_metre()
  return self.ppm
end

return camera
