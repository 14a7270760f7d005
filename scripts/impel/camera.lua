-- Which part of the world is shown, and where on the screen: the only place where metres meet pixels.
--
--   local c = camera.new { x = 0, y = 2, height = 5, width_px = 960, height_px = 540 }
--   c:to_screen(0, 2)                 -- 480, 270: the middle
--   c:zoom(2, 480, 270)               -- twice as near, what is under that point stays there
--
-- Painters read the fields x, y (the world point in the middle), ppm (device pixels in a metre), width_px, height_px
-- (of the picture, in device pixels), scale (device pixels in a point) and down (whether y grows downwards).

local camera = {}
local Camera = {}
Camera.__index = Camera

local NEAREST, FARTHEST = 1e-6, 1e9 -- least and greatest height shown [m]
local OUTERMOST = 1e12 -- of what is looked at, on each axis [m]
local HEIGHT = 10 -- where nobody says, or says what is no number [m]

-- Within bounds; what is no number is `other`.
local function within(x, least, most, other)
  return x == x and math.min(math.max(x, least), most) or other
end

-- Whatever was asked for, painters get finite numbers; and what follows from the height shown.
local function update(self)
  self.x, self.y = within(self.x, -OUTERMOST, OUTERMOST, 0), within(self.y, -OUTERMOST, OUTERMOST, 0)
  self.height = within(self.height, NEAREST, FARTHEST, HEIGHT)
  self.ppm = self.height_px / self.height
  self.width = self.width_px / self.ppm
end

--- A camera that looks at a part of the world.
---@param options table  x, y: in the middle [m], default 0; height: of what is shown [m], default 10; width_px and
---  height_px: of the picture [device pixels]; scale: device pixels in a point, default 1
---@return table
function camera.new(options)
  local self = setmetatable({
    x = options.x or 0, y = options.y or 0, height = options.height or HEIGHT, down = false, scale = options.scale or 1,
    width_px = math.max(options.width_px, 1), height_px = math.max(options.height_px, 1),
  }, Camera)
  update(self)
  return self
end

--- A camera for user interfaces: a unit is a point of the screen, the origin is left at the top, y goes down.
---@param width number   of the window [points]
---@param height number  [points]
---@param scale number|nil  device pixels in a point
---@return table
function camera.panel(width, height, scale)
  scale = scale or 1
  return setmetatable({
    x = width / 2, y = height / 2, height = height, width = width, down = true, scale = scale, ppm = scale,
    width_px = width * scale, height_px = height * scale,
  }, Camera)
end

--- Where a world point is in the picture [device pixels], from its left top corner.
function Camera:to_screen(x, y)
  local up = (y - self.y) * self.ppm
  return self.width_px / 2 + (x - self.x) * self.ppm, self.height_px / 2 + (self.down and up or -up)
end

--- The world point at a pixel.
function Camera:to_world(px, py)
  local up = (self.height_px / 2 - py) / self.ppm
  return self.x + (px - self.width_px / 2) / self.ppm, self.y + (self.down and -up or up)
end

--- Move what is shown by so many pixels: what was under the cursor goes with it.
function Camera:pan(dx, dy)
  self.x = self.x - dx / self.ppm
  self.y = self.y + (self.down and -dy or dy) / self.ppm
  update(self)
end

--- Show `factor` times as near; what is at the pixel stays there.
function Camera:zoom(factor, px, py)
  local x, y = self:to_world(px, py)
  self.height = self.height / factor
  update(self)
  local now_x, now_y = self:to_world(px, py)
  self.x, self.y = self.x + x - now_x, self.y + y - now_y
  update(self)
end

--- The picture has another size: the middle and what a metre measures stay.
---@param width number   [device pixels]; less than 1 counts as 1
---@param height number
---@param scale number|nil  device pixels in a point
function Camera:resize(width, height, scale)
  width, height, scale = math.max(width, 1), math.max(height, 1), scale or self.scale
  self.height = self.height * height / self.height_px * self.scale / scale
  self.width_px, self.height_px, self.scale = width, height, scale
  update(self)
end

--- Another part of the picture is to be seen, from its left top corner on: what was shown is shown there, whole in
--- height.
---@param width number   [device pixels]; less than 1 counts as 1
---@param height number
function Camera:reframe(width, height)
  self.width_px, self.height_px = math.max(width, 1), math.max(height, 1)
  update(self)
end

--- Show a box of the world [m] whole, with a part of its size as margin on each side.
---@param margin number|nil  0.06 by default
function Camera:fit(x1, y1, x2, y2, margin)
  local grown = 1 + 2 * (margin or 0.06)
  self.x, self.y = x1 / 2 + x2 / 2, y1 / 2 + y2 / 2 -- so they do not overflow
  self.height = math.max((y2 - y1) * grown, (x2 - x1) * grown * self.height_px / self.width_px)
  if self.height == 0 then self.height = HEIGHT end
  update(self)
end

--- Look at a point.
function Camera:follow(x, y)
  self.x, self.y = x, y
  update(self)
end

--- What is shown: x1, y1, x2, y2 [m].
function Camera:bounds()
  local w, h = self.width / 2, self.height / 2
  return self.x - w, self.y - h, self.x + w, self.y + h
end

--- Device pixels in a metre.
function Camera:pixels_per_metre()
  return self.ppm
end

return camera
