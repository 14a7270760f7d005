-- What a scene draws with: the `view` of scene.draw(s, view). Everything is in metres; where a colour may be given it
-- is a name of impel.palette, "#rrggbb", "#rrggbbaa" or 0xRRGGBBAA.
--
--   function scene.draw(s, view)
--     view:line(0, 0, s.target.x, s.target.y, "orange")
--     view:text(0, 2, ("%.1f m"):format(s.height))
--   end

local palette = require "impel.palette"
local show = require "impel.show"

local pen = {}

---@class impel.pen
---@field x number       in the middle of what is shown [m]
---@field y number       [m]
---@field width number   of what is shown [m]
---@field height number  [m]
---@field angle number   of the camera, counter-clockwise [rad]
---@field time number    simulated time, interpolated between steps as poses are [s]
local Pen = {}
Pen.__index = Pen

local STYLE = "scene"
local ALIGN = { left = 0, center = 0.5, right = 1 }
local TRAIL_POINTS = 600 -- of one trail: ten seconds at 60 pictures a second

local function color_of(name, color)
  if color == nil then return nil end
  local value, message = palette.color(color)
  if not value then error(("view:%s: %s"):format(name, message), 3) end
  return value
end

local function numbers(name, ...)
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if type(value) ~= "number" or value ~= value or value == math.huge or value == -math.huge then
      error(("view:%s: argument %d must be a finite number [m], got %s"):format(name, i, show.value(value)), 3)
    end
  end
end

-- { { x, y }, ... } or { x1, y1, x2, y2, ... } as the latter.
local function flat(name, points)
  if type(points) ~= "table" then
    error(("view:%s: points { { x, y }, ... } expected, got %s"):format(name, show.value(points)), 3)
  end
  if type(points[1]) ~= "table" then return points end
  local list = {}
  for i, point in ipairs(points) do
    if type(point) ~= "table" then
      error(("view:%s: point %d must be { x, y }, got %s"):format(name, i, show.value(point)), 3)
    end
    list[2 * i - 1], list[2 * i] = point[1] or point.x, point[2] or point.y
  end
  return list
end

-- Call the drawing; its error is one of the scene's line.
local function add(self, name, kind, ...)
  local ok, message = pcall(self.drawing[kind], self.drawing, ...)
  if not ok then error((message:gsub("^.-drawing:%a+", "view:" .. name, 1)), 3) end
end

--- A line from one point to another.
---@param x1 number [m]
---@param y1 number [m]
---@param x2 number [m]
---@param y2 number [m]
---@param color nil|string|integer
function Pen:line(x1, y1, x2, y2, color)
  numbers("line", x1, y1, x2, y2)
  add(self, "line", "polyline", STYLE, color_of("line", color), { x1, y1, x2, y2 })
end

--- A line through points { { x, y }, ... } or { x1, y1, x2, y2, ... } [m].
---@param points table
---@param color nil|string|integer
function Pen:polyline(points, color)
  add(self, "polyline", "polyline", STYLE, color_of("polyline", color), flat("polyline", points))
end

--- A filled convex polygon. Raises where it is not convex.
---@param points table  as of polyline
---@param color nil|string|integer
function Pen:polygon(points, color)
  add(self, "polygon", "fill", STYLE, color_of("polygon", color), 0, flat("polygon", points))
end

--- The outline of a convex polygon. Raises where it is not convex.
---@param points table  as of polyline
---@param color nil|string|integer
function Pen:outline(points, color)
  add(self, "outline", "outline", STYLE, color_of("outline", color), 0, flat("outline", points))
end

--- A filled circle about a point.
---@param r number  radius [m] > 0
function Pen:circle(x, y, r, color)
  numbers("circle", x, y, r)
  add(self, "circle", "fill", STYLE, color_of("circle", color), r, { x, y })
end

--- A circle's line about a point.
---@param r number  radius [m] > 0
function Pen:ring(x, y, r, color)
  numbers("ring", x, y, r)
  add(self, "ring", "outline", STYLE, color_of("ring", color), r, { x, y })
end

--- An arrow from the first point to the second.
function Pen:arrow(x1, y1, x2, y2, color)
  numbers("arrow", x1, y1, x2, y2)
  add(self, "arrow", "arrow", STYLE, color_of("arrow", color), x1, y1, x2, y2)
end

--- A mark at a point, as large on the screen at every zoom.
function Pen:point(x, y, color)
  numbers("point", x, y)
  add(self, "point", "dot", STYLE, color_of("point", color), x, y)
end

--- A line of text at a point.
---@param text string|number
---@param align nil|"left"|"center"|"right"  the side of the text where the point is
function Pen:text(x, y, text, color, align)
  numbers("text", x, y)
  local kind = type(text)
  if kind ~= "string" and kind ~= "number" then
    error(("view:text: argument 3 must be text, got %s"):format(show.value(text)), 2)
  end
  local side = ALIGN[align or "left"]
  if not side then
    error(("view:text: align must be \"left\", \"center\" or \"right\", got %s"):format(show.value(align)), 2)
  end
  add(self, "text", "text", STYLE, color_of("text", color), 0, side, x, y, tostring(text))
end

--- Add a point to the trail of that name and show the trail: where something was in the last pictures.
---@param name string|number
function Pen:trail(name, x, y, color)
  numbers("trail", x, y)
  if name == nil then error("view:trail: a name of the trail expected, got nil", 2) end
  local trail = self.trails[name]
  if not trail or self.time < trail.time then -- time went back: it begins anew
    trail = { time = -math.huge }
    self.trails[name] = trail
  end
  if self.time > trail.time then -- drawn again at the same time it has not moved
    trail.time = self.time
    trail[#trail + 1] = x
    trail[#trail + 1] = y
    if #trail > 2 * TRAIL_POINTS then table.move(trail, 3, #trail + 2, 1) end
  end
  if #trail >= 4 then add(self, "trail", "polyline", "trail", color_of("trail", color), trail) end
end

--- Drawn pose of a body, interpolated between the last two steps.
---@param body userdata
---@return number x      of its origin [m]
---@return number y      [m]
---@return number angle  [rad]
function Pen:pose(body)
  if type(body) ~= "userdata" or getmetatable(body) ~= "body" then
    error(("view:pose: a body expected, got %s"):format(show.value(body)), 2)
  end
  return self.shown:pose(body)
end

--- Screen point of a world point, from the left top corner of the picture, y down. A screen point is one or, on
--- displays of high density, several pixels.
---@param x number [m]
---@param y number [m]
---@return number x  [screen points]
---@return number y
function Pen:to_screen(x, y)
  numbers("to_screen", x, y)
  local camera = self.camera
  x, y = camera:to_screen(x, y)
  return x / camera.scale, y / camera.scale
end

--- World point at a screen point, the inverse of to_screen.
---@param x number  [screen points]
---@param y number
---@return number x  [m]
---@return number y  [m]
function Pen:to_world(x, y)
  numbers("to_world", x, y)
  local camera = self.camera
  return camera:to_world(x * camera.scale, y * camera.scale)
end

--- Make a pen.
---@return table  begin(drawing, camera, time, shown) readies it for a picture
function pen.new()
  return setmetatable({ trails = {} }, Pen)
end

--- Draw into a drawing from now on, as a camera sees it: x, y, width and height of what is shown are fields [m].
function Pen:begin(drawing, camera, time, shown)
  self.drawing, self.camera, self.time, self.shown = drawing, camera, time, shown
  self.x, self.y, self.width, self.height, self.angle = camera.x, camera.y, camera.width, camera.height, camera.angle
end

return pen
