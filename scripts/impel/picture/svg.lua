-- Write a drawing as SVG, as a camera shows it.
--
--   local text = svg.drawing(drawing, camera, palette)
--
-- The y axis of pixels points down. Texts whose font is a file are written in the default font.

local artwork = require "impel.picture.artwork"
local cameras = require "impel.camera"
local svg_text = require "impel.picture.svg_text"

local svg = {}

local number, numbers = svg_text.number, svg_text.numbers

local SLIMNESS = 0.4  -- half width of an arrow's head, relative to its length
local HALF_LINE = 0.58 -- half height of a line of text, relative to the font size
local BASELINE = 0.35 -- distance from the middle of a line of text down to its baseline, relative to the font size

-- [px], largest coordinate, because the conversion of a scene's coordinates to pixels may overflow
local FARTHEST = 1e15

-- Clamp a length or position to the range of a picture.
local function bounded(x) return x == x and math.min(math.max(x, -FARTHEST), FARTHEST) or 0 end

-- Return the points of an item in pixels, as a flat list.
local function pixels(item, camera)
  local points = {}
  for i = 1, item.n, 2 do
    local x, y = camera:to_screen(item[i], item[i + 1])
    points[i], points[i + 1] = bounded(x), bounded(y)
  end
  return points
end


-- Areas --------------------------------------------------------------------------------------------------------------

-- Return twice the area of a polygon, positive if its points run clockwise on the screen.
local function turning(points)
  local sum, x, y = 0, points[#points - 1], points[#points]
  for i = 1, #points, 2 do
    sum = sum + x * points[i + 1] - points[i] * y
    x, y = points[i], points[i + 1]
  end
  return sum
end

local function plain_path(points)
  local parts = {}
  for i = 1, #points, 2 do
    parts[#parts + 1] = (i == 1 and "M" or "L") .. numbers(points[i], points[i + 1])
  end
  return table.concat(parts) .. "Z"
end

-- Return the outline of a polygon grown by a radius [px]: each edge moved outward, and an arc around each corner. Two
-- points make one edge in each direction.
local function rounded_path(points, radius)
  local side = turning(points) < 0 and -radius or radius
  local count, parts = #points, {}
  local arc = ("A%s 0 0 %d "):format(numbers(radius, radius), side > 0 and 1 or 0)
  local first
  for i = 1, count, 2 do
    local x1, y1 = points[i], points[i + 1]
    local x2, y2 = points[(i + 1) % count + 1], points[(i + 2) % count + 1]
    local length = math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2)
    if length > 0 then
      local nx, ny = side * (y2 - y1) / length, side * (x1 - x2) / length
      local start = numbers(x1 + nx, y1 + ny)
      parts[#parts + 1] = first and arc .. start or "M" .. start
      parts[#parts + 1] = "L" .. numbers(x2 + nx, y2 + ny)
      first = first or start
    end
  end
  return first and table.concat(parts) .. arc .. first .. "Z"
end

-- Return the beginning of the SVG element of an area: its name and geometry, without colours and without "/>".
local function area(item, camera)
  local points, radius = pixels(item, camera), bounded(item.radius * camera.ppm)
  local path
  if #points > 2 and radius > 0 then path = rounded_path(points, radius) end
  if #points > 2 and radius == 0 then path = plain_path(points) end
  if path then return ('<path d="%s"'):format(path) end
  return ('<circle cx="%s" cy="%s" r="%s"'):format(number(points[1]), number(points[2]), number(radius))
end


-- Kinds --------------------------------------------------------------------------------------------------------------

local function stroke(self, item, style, color)
  local width = item.width > 0 and item.width or style.width
  return ('%s stroke-width="%s"'):format(svg_text.paint("stroke", color), number(width * self.camera.scale))
end

local kinds = {}

function kinds.fill(self, item, style, color)
  local shape = area(item, self.camera)
  self:add(shape .. svg_text.paint("fill", color or style.fill), "/>")
  self.filled = shape
end

function kinds.polygon(self, item, style, color)
  self:add(('<path d="%s"'):format(plain_path(pixels(item, self.camera))), svg_text.paint("fill", color or style.fill),
    "/>")
end

-- If the previous item filled the same area, add the outline to its element; otherwise add a new element.
function kinds.outline(self, item, style, color)
  local shape, line = area(item, self.camera), stroke(self, item, style, color or style.line)
  if shape == self.filled then
    self.parts[#self.parts] = self.parts[#self.parts]:sub(1, -3) .. line .. ' stroke-linejoin="round"/>'
    self.filled = nil
    return
  end
  self:add(shape .. ' fill="none"' .. line, ' stroke-linejoin="round"/>')
end

function kinds.polyline(self, item, style, color)
  self:add(('<polyline points="%s" fill="none"'):format(svg_text.list(pixels(item, self.camera))),
    stroke(self, item, style, color or style.line), ' stroke-linejoin="round" stroke-linecap="round"/>')
end

function kinds.arrow(self, item, style, color)
  local x1, y1, x2, y2 = table.unpack(pixels(item, self.camera))
  local dx, dy = x2 - x1, y2 - y1
  local length = math.sqrt(dx * dx + dy * dy)
  if length == 0 then return end
  local head = math.min(length, style.head * self.camera.scale)
  local x, y = x2 - head * dx / length, y2 - head * dy / length
  local across_x, across_y = -SLIMNESS * head * dy / length, SLIMNESS * head * dx / length
  color = color or style.line
  if head < length then self:add(('<path d="M%sL%s" fill="none"'):format(numbers(x1, y1), numbers(x, y)),
    stroke(self, item, style, color), "/>") end
  self:add(('<path d="M%sL%sL%sZ"'):format(numbers(x2, y2), numbers(x + across_x, y + across_y),
    numbers(x - across_x, y - across_y)), svg_text.paint("fill", color), "/>")
end

function kinds.dot(self, item, style, color)
  local x, y = table.unpack(pixels(item, self.camera))
  self:add(('<circle cx="%s" cy="%s" r="%s"'):format(number(x), number(y), number(style.dot * self.camera.scale)),
    svg_text.paint("fill", color or style.line), "/>")
end

function kinds.text(self, item, style, color)
  local camera = self.camera
  local x, y = table.unpack(pixels(item, camera))
  local size = item.radius > 0 and bounded(item.radius * camera.ppm)
    or (item.width > 0 and item.width or style.text) * camera.scale
  local anchor = item.align < 0.25 and "start" or item.align > 0.75 and "end" or "middle"
  y = y + (BASELINE - HALF_LINE * item.rise) * size
  self:add(svg_text.line(x, y, size, anchor, color or style.line, item.text))
end

local XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href'

-- Return the id of an image. Add the image to the document if it is new.
local function image_id(self, image)
  local id = self.images[image.key]
  if id then return id end
  self.image_count = self.image_count + 1
  id = "image" .. self.image_count
  self.images[image.key] = id
  self:add(('<defs><image id="%s" width="%d" height="%d" %s="data:image/png;base64,'):format(id, image.width,
    image.height, XLINK), svg_text.base64(image.bytes), '"/></defs>')
  return id
end

-- Return the SVG attribute that tints an image: an opacity if the tint is white, otherwise a filter; "" without a tint.
local function tint_of(self, color)
  if not color or color == 0xffffffff then return "" end
  local alpha = number((color & 0xff) / 255)
  if color >> 8 == 0xffffff then return (' opacity="%s"'):format(alpha) end
  local id = ("tint%08x"):format(color)
  if not self.images[id] then
    self.images[id] = id
    local function part(shift)
      -- the decimal separator depends on the locale
      local text = ("%.4f"):format((color >> shift & 0xff) / 255):gsub(",", ".")
      return text
    end
    self:add(('<filter id="%s" color-interpolation-filters="sRGB" x="0" y="0" width="1" height="1">'):format(id),
      ('<feColorMatrix values="%s 0 0 0 0 0 %s 0 0 0 0 0 %s 0 0 0 0 0 %s 0"/></filter>'):format(part(24), part(16),
      part(8), part(0)))
  end
  return (' filter="url(#%s)"'):format(id)
end

function kinds.image(self, item, _, color)
  local image = artwork.find(item.source)
  if not image then return end
  local p = pixels(item, self.camera)
  local u1, v1, u2, v2 = item[9], item[10], item[11], item[12]
  local width, height = u2 - u1, v2 - v1 -- negative if the image is mirrored
  if width == 0 or height == 0 then return end
  local id, tint = image_id(self, image), tint_of(self, color)
  local ax, ay, bx, by = (p[3] - p[1]) / width, (p[4] - p[2]) / width, (p[7] - p[1]) / height, (p[8] - p[2]) / height
  local left, top = math.min(u1, u2), math.min(v1, v2)
  local x, y = p[1] + ax * (left - u1) + bx * (top - v1), p[2] + ay * (left - u1) + by * (top - v1)
  local map = {}
  for i, value in ipairs { ax, ay, bx, by, x, y } do map[i] = ("%.7g"):format(value + 0.0):gsub(",", ".") end
  self:add(('<g transform="matrix(%s)"%s%s>'):format(table.concat(map, " "), tint,
    item.coarse and ' style="image-rendering:pixelated"' or ""),
    ('<svg width="%s" height="%s" viewBox="%s">'):format(number(math.abs(width)), number(math.abs(height)),
    numbers(left, top, math.abs(width), math.abs(height))), ('<use %s="#%s"/></svg></g>'):format(XLINK, id))
end

function kinds.clip(self, item)
  if self.clipped then self:add "</g>" end
  self.clipped = item.n > 0
  if not self.clipped then return end
  self.clips = self.clips + 1
  local camera, x1, y1, x2, y2 = self.camera, table.unpack(item, 1, 4)
  if camera.sin ~= 0 then
    self:add(('<clipPath id="clip%d"><path d="%s"/></clipPath>'):format(self.clips,
      plain_path(pixels({ x1, y1, x2, y1, x2, y2, x1, y2, n = 8 }, camera))))
  else
    x1, y1, x2, y2 = table.unpack(pixels(item, camera))
    self:add(('<clipPath id="clip%d"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath>'):format(self.clips,
      number(math.min(x1, x2)), number(math.min(y1, y2)), number(math.abs(x2 - x1)), number(math.abs(y2 - y1))))
  end
  self:add(('<g clip-path="url(#clip%d)">'):format(self.clips))
end


-- The document -------------------------------------------------------------------------------------------------------

local Writer = {}
Writer.__index = Writer

function Writer:add(...)
  self.parts[#self.parts + 1] = table.concat { ... }
  self.filled = nil
end

--- Return a drawing as an SVG document of the size of the camera's picture. palette: impel.palette or its dark version;
--- title: for screen readers, or nil.
function svg.drawing(drawing, camera, palette, title)
  local self = setmetatable({ parts = {}, clips = 0, clipped = false, images = {}, image_count = 0 }, Writer)
  local screen = cameras.panel(camera.width_px / camera.scale, camera.height_px / camera.scale, camera.scale)
  for _, item in drawing:items() do
    self.camera = item.screen and screen or camera
    kinds[item.kind](self, item, palette.styles[item.style], item.color ~= 0 and item.color or nil)
  end
  if self.clipped then self:add "</g>" end
  return svg_text.document(camera.width_px, camera.height_px, palette.background, title, self.parts)
end

return svg
