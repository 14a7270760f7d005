-- Small plots for panels of the viewer: curves over time with numbers at both axes. A method of a `ui` of
-- viewer_ui.lua.

local viewer_ui = require "impel.viewer_ui"

local Ui, theme = viewer_ui.Ui, viewer_ui.theme

local plot = {}

local SMALL, LINE = viewer_ui.SMALL, 16
local LEFT, BOTTOM, RIGHT = 46, 16, 8 -- room for the numbers, and for half of the last one
local TICK_X, TICK_Y = 64, 20         -- points from tick to tick, at least

--- Numbers at an axis: multiples of 1, 2 or 5 times a power of ten, at most `most` of them.
---@param low number
---@param high number   above low
---@param most integer
---@return number[] ticks
---@return fun(x: number): string show  all with the same decimals
function plot.ticks(low, high, most)
  local least = (high - low) / math.max(1, most)
  local power = math.floor(math.log(least, 10))
  local step = 10.0 ^ power
  if step * 1.0000001 < least then
    for _, factor in ipairs { 2, 5, 10 } do
      if factor * 10.0 ^ power * 1.0000001 >= least then
        step = factor * 10.0 ^ power
        break
      end
    end
  end
  local ticks = {}
  for i = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do ticks[#ticks + 1] = i * step end
  local size = math.max(math.abs(low), math.abs(high))
  if size >= 1e5 or size < 1e-3 then
    local digits = math.max(0, math.floor(math.log(size, 10)) - math.floor(math.log(step, 10) + 1e-9))
    local format = ("%%.%de"):format(digits)
    return ticks, function(x)
      return x == 0 and "0" or (format:format(x):gsub("e([+-])0*(%d)", "e%1%2"):gsub("e%+", "e"))
    end
  end
  local format = ("%%.%df"):format(math.max(0, -math.floor(math.log(step, 10) + 1e-9)))
  return ticks, function(x) return (format:format(x):gsub("^%-(0%.?0*)$", "%1")) end
end

-- The least and the greatest of all finite values; nil where there are none.
local function range(series)
  local low, high
  for _, each in ipairs(series) do
    for i = each.first, each.last do
      local y = each.values[(i - 1) % each.size + 1]
      if y == y and y ~= math.huge and y ~= -math.huge then
        if not low or y < low then low = y end
        if not high or y > high then high = y end
      end
    end
  end
  return low, high
end

-- A range with room above and below, never empty.
local function widen(low, high)
  local span = high - low
  if span <= 1e-9 * math.max(math.abs(low), math.abs(high)) or span == 0 then
    local half = math.max(math.abs(low) * 0.1, low == 0 and 1 or 1e-12)
    return low - half, high + half
  end
  return low - 0.06 * span, high + 0.06 * span
end

-- The curve with at most two points in a column of pixels: the least and the greatest there, in their order.
local function thin(each, times, to_x, to_y)
  local points, column = {}, nil
  local low, high, low_at, high_at
  local function flush()
    if not column then return end
    local first, second, x1, x2 = low, high, low_at, high_at
    if high_at < low_at then first, second, x1, x2 = high, low, high_at, low_at end
    points[#points + 1], points[#points + 2] = x1, to_y(first)
    if x2 > x1 then points[#points + 1], points[#points + 2] = x2, to_y(second) end
  end
  for i = each.first, each.last do
    local slot = (i - 1) % each.size + 1
    local y, x = each.values[slot], to_x(times[slot])
    if y == y and y ~= math.huge and y ~= -math.huge then
      if math.floor(x) ~= column then
        flush()
        column, low, high, low_at, high_at = math.floor(x), y, y, x, x
      elseif y < low then
        low, low_at = y, x
      elseif y > high then
        high, high_at = y, x
      end
    end
  end
  flush()
  return points
end

local function draw_axes(self, area, to_x, to_y, from, to, low, high)
  local x, y, width, height = table.unpack(area)
  local ticks, show = plot.ticks(low, high, math.max(2, height // TICK_Y))
  for _, value in ipairs(ticks) do
    local at = to_y(value)
    self:polyline({ x, at, x + width, at }, 0x3B475C80)
    self:text(x - 4, at, self:fit(show(value), LEFT - 4, SMALL), theme.dim, 1, SMALL)
  end
  ticks, show = plot.ticks(from, to, math.max(2, width // TICK_X))
  for _, value in ipairs(ticks) do
    local at = to_x(value)
    self:polyline({ at, y, at, y + height }, 0x3B475C80)
    self:text(at, y + height + 9, show(value), theme.dim, 0.5, SMALL)
  end
  self:polyline({ x, y, x, y + height, x + width, y + height }, theme.faint)
end

-- Title with its unit, and the names of the curves with their last values.
local function draw_legend(self, x, y, width, title, unit, series)
  local text = unit and unit ~= "" and ("%s [%s]"):format(title, unit) or title
  self:text(x, y + LINE / 2, self:fit(text, width), theme.text)
  if #series < 2 then
    local each = series[1]
    local last = each and each.last >= each.first and each.values[(each.last - 1) % each.size + 1]
    if not last then return end
    local value = viewer_ui.number(last)
    if self:text_width(text) + self:text_width(value) + 12 < width then
      self:text(x + width, y + LINE / 2, value, each.color, 1)
    end
    return
  end
  local at, end_of_title = x + width, x + self:text_width(text) + 12
  for i = #series, 1, -1 do
    at = at - self:text_width(series[i].name, SMALL)
    if at - 14 < end_of_title then return end
    self:text(at, y + LINE / 2, series[i].name, theme.dim, 0, SMALL)
    self:box(at - 12, y + LINE / 2 - 1.5, 9, 3, series[i].color, 1.5)
    at = at - 20
  end
end

-- What the curves are where the mouse is.
local function draw_cursor(self, id, area, series, times, from, to)
  local x, y, width, height = table.unpack(area)
  if not self:touch(id, x, y, width, height) then return end
  local time = from + (self.mouse.x - x) / width * (to - from)
  local each, nearest = series[1], nil
  for i = each.first, each.last do
    local slot = (i - 1) % each.size + 1
    if not nearest or math.abs(times[slot] - time) < math.abs(times[nearest] - time) then nearest = slot end
  end
  if not nearest then return end
  local at = x + (times[nearest] - from) / (to - from) * width
  self:polyline({ at, y, at, y + height }, theme.text)
  local lines = { ("t = %s s"):format(viewer_ui.number(times[nearest])) }
  for i, curve in ipairs(series) do
    lines[i + 1] = ("%s = %s"):format(curve.name, viewer_ui.number(curve.values[nearest]))
  end
  self:tooltip(table.concat(lines, "\n"))
end

--- Curves over time.
---@param id string
---@param title string
---@param unit string|nil
---@param times number[]   a ring, as the values are
---@param series table[]   each { name, color, values, first, last, size }: samples number first to last, number i in
---  the slot (i - 1) % size + 1
---@param height number
---@return boolean hover
function Ui:plot(id, title, unit, times, series, height)
  local x, y, width, visible = self:line(height)
  if not visible then return false end
  draw_legend(self, x, y, width, title, unit, series)
  local area = { x + LEFT, y + LINE + 4, width - LEFT - RIGHT, height - LINE - 4 - BOTTOM - 4 }
  self:box(area[1], area[2], area[3], area[4], theme.field)
  local low, high = range(series)
  if not low or area[3] < 16 or area[4] < 16 then
    self:text(area[1] + area[3] / 2, area[2] + area[4] / 2, "no samples yet", theme.faint, 0.5, SMALL)
    return false
  end
  low, high = widen(low, high)
  local each = series[1]
  local from, to = times[(each.first - 1) % each.size + 1], times[(each.last - 1) % each.size + 1]
  if to <= from then to = from + 1 end
  local function to_x(t) return area[1] + (t - from) / (to - from) * area[3] end
  local function to_y(v) return area[2] + (high - v) / (high - low) * area[4] end
  draw_axes(self, area, to_x, to_y, from, to, low, high)
  self:enter(area[1], area[2] - 1, area[3] + 1, area[4] + 2)
  for _, curve in ipairs(series) do
    local points = thin(curve, times, to_x, to_y)
    if #points >= 4 then self:polyline(points, curve.color) end
    if #points == 2 then self.drawing:fill("panel", curve.color, 2, points) end
  end
  self:leave()
  draw_cursor(self, id, area, series, times, from, to)
  return true
end

viewer_ui.ticks = plot.ticks

return plot
