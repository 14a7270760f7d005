-- Drawing for the viewer's user interface: text, boxes, lines, and clipping.

local printable = require "impel.base.printable"
local theme = require "impel.viewer.ui.theme"

local ink = {}

local TEXT = theme.TEXT
local MOST_WIDTHS = 4096 -- largest number of texts whose width is cached
local STYLE = "panel"


-- Text ---------------------------------------------------------------------------------------------------------------

--- Return the width of a text.
---@param text string
---@param px number|nil  height, default TEXT
---@return number
function ink:text_width(text, px)
  px = px or TEXT
  local key = px .. ":" .. text
  local width = self.widths[key]
  if width then return width end
  if self.width_count >= MOST_WIDTHS then self.widths, self.width_count = {}, 0 end
  width = self.text_size(text, px)
  self.widths[key], self.width_count = width, self.width_count + 1
  return width
end

--- Return the length [bytes] of the longest start of a text that fits a width and ends between two characters. px: font
--- size.
function ink:room(text, width, px)
  if self:text_width(text, px) <= width then return #text end
  local few, many = 0, utf8.len(text) or #text -- number of characters that fit; number of characters that do not fit
  while many - few > 1 do
    local middle = (few + many) // 2
    if self:text_width(text:sub(1, utf8.offset(text, middle + 1) - 1), px) <= width then
      few = middle
    else
      many = middle
    end
  end
  return utf8.offset(text, few + 1) - 1
end

--- Shorten a text to a width.
function ink:fit(text, width, px)
  if self:text_width(text, px) <= width then return text end
  return text:sub(1, self:room(text, width - self:text_width("..", px), px)) .. ".."
end

--- Break a text into lines of a width, at blanks if possible.
---@return string[]
function ink:wrap(text, width, px)
  local lines = {}
  for line in (printable(text):gsub("\t", "    ") .. "\n"):gmatch "(.-)\n" do
    repeat
      local fits = math.max(self:room(line, width, px), (line:match("^" .. utf8.charpattern) or ""):len())
      local cut = fits
      if fits < #line then cut = line:sub(1, fits + 1):match "^.*%s()" or fits + 1 end
      if fits < #line then cut = cut - 1 end
      lines[#lines + 1] = line:sub(1, cut):gsub("%s+$", "")
      line = line:sub(cut + 1)
    until line == ""
  end
  return lines
end

--- Draw text, centred vertically at y. px: font size.
---@param align number|nil  0: x is at the left, 1: at the right
function ink:text(x, y, text, color, align, px)
  if text == "" then return end
  text = printable(text):gsub("[\n\t]", " ")
  self.drawing:text(STYLE, color or theme.text, px or TEXT, align or 0, x, y, text)
end


-- Areas --------------------------------------------------------------------------------------------------------------

--- Draw a filled rectangle, with rounded corners.
function ink:box(x, y, width, height, color, radius)
  local r = math.min(radius or 0, width / 2, height / 2)
  if width - 2 * r <= 0 or height - 2 * r <= 0 then r = math.max(0, math.min(width, height) / 2 - 0.01) end
  if width <= 0 or height <= 0 then return end
  self.drawing:fill(STYLE, color, r, { x + r, y + r, x + width - r, y + r, x + width - r, y + height - r, x + r,
    y + height - r })
end

--- Draw a filled disk.
function ink:disk(x, y, radius, color)
  self.drawing:fill(STYLE, color, radius, { x, y })
end

--- Draw the edge of a rectangle.
function ink:frame(x, y, width, height, color, radius)
  local r = radius or 0
  self.drawing:outline(STYLE, color, r, { x + r, y + r, x + width - r, y + r, x + width - r, y + height - r, x + r,
    y + height - r })
end

--- Draw a line through points { x1, y1, x2, y2, ... }.
function ink:polyline(points, color)
  self.drawing:polyline(STYLE, color, points)
end

--- Clip the following drawing to a rectangle, until leave().
function ink:enter(x, y, width, height)
  local outer = self.clips[#self.clips]
  local box = { x, y, x + width, y + height }
  if outer then
    box = { math.max(x, outer[1]), math.max(y, outer[2]), math.min(box[3], outer[3]), math.min(box[4], outer[4]) }
  end
  box[3], box[4] = math.max(box[1], box[3]), math.max(box[2], box[4])
  self.clips[#self.clips + 1] = box
  self.drawing:clip(table.unpack(box))
end

function ink:leave()
  self.clips[#self.clips] = nil
  local outer = self.clips[#self.clips]
  if outer then self.drawing:clip(table.unpack(outer)) else self.drawing:clip() end
end

return ink
