-- Small plots for panels of the viewer: curves over time.

local rounds = require "impel.picture.ticks"
local theme = require "impel.viewer.ui.theme"

local plot = { methods = {} }

local SMALL, LINE = theme.SMALL, theme.LINE
-- [screen points] space at the left, at the bottom, and at the right
local LEFT, BOTTOM, RIGHT = 54, 16, 8
local MOST = 480                      -- number of samples above which a curve is reduced
local TICK_X, TICK_Y = 64, 20         -- [screen points] least distance between ticks

--- Return a list of ticks for the range [low, high], with at most `most` intervals. The interval is 1, 2 or 5 times a
--- power of ten.
---@return number[] ticks
---@return fun(x: number): string show  formats the ticks
function plot.ticks(low, high, most)
  local factor, power = rounds.step(high - low, math.max(1, most))
  local step = tonumber(("%de%d"):format(factor, power))
  local ticks = {}
  for i = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do ticks[#ticks + 1] = i * step end
  local size = math.max(math.abs(low), math.abs(high))
  if size >= 1e5 or size < 1e-3 then
    local digits = math.max(0, math.floor(math.log(size, 10)) - power)
    local format = ("%%.%de"):format(digits)
    return ticks, function(x)
      return x == 0 and "0" or (format:format(x):gsub("e([+-])0*(%d)", "e%1%2"):gsub("e%+", "e"))
    end
  end
  local format = ("%%.%df"):format(math.max(0, -power))
  return ticks, function(x) return (format:format(x):gsub("^%-(0%.?0*)$", "%1")) end
end

-- Widen a range by a margin above and below. The result is never empty.
local function widen(low, high)
  local span = high - low
  if span <= 1e-9 * math.max(math.abs(low), math.abs(high)) or span == 0 then
    local half = math.max(math.abs(low) * 0.1, low == 0 and 1 or 1e-12)
    return low - half, high + half
  end
  return low - 0.06 * span, high + 0.06 * span
end

-- Return the curves as lists { ns, ys, count } of samples, and the range of all values, nil without values.
local function sketch(series, first, last)
  local curves, low, high = {}, nil, nil
  for i, each in ipairs(series) do
    local curve = { ns = {}, ys = {} }
    curve.count = each.ring:sketch(first, last, MOST, curve.ns, curve.ys)
    for k = 1, curve.count do
      local y = curve.ys[k]
      if not low or y < low then low = y end
      if not high or y > high then high = y end
    end
    curves[i] = curve
  end
  return curves, low, high
end

local function draw_curve(self, curve, color, times, to_x, to_y)
  local points, ns, ys = {}, curve.ns, curve.ys
  for k = 1, curve.count do points[2 * k - 1], points[2 * k] = to_x(times:at(ns[k])), to_y(ys[k]) end
  if curve.count > 1 then self:polyline(points, color) end
  if curve.count == 1 then self:disk(points[1], points[2], 2, color) end
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

-- Draw the title with its unit, and the names of the curves with their last values.
local function draw_legend(self, x, y, width, title, unit, series, last)
  local text = unit and unit ~= "" and ("%s [%s]"):format(title, unit) or title
  self:text(x, y + LINE / 2, self:fit(text, width), theme.text)
  if #series < 2 then
    local number = last > 0 and series[1].ring:at(last)
    if not number or number ~= number then return end
    local value = theme.number(number)
    if self:text_width(text) + self:text_width(value) + 12 < width then
      self:text(x + width, y + LINE / 2, value, series[1].color, 1)
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

-- Return the sample that is nearest to a time.
local function nearest(times, first, last, time)
  while last - first > 1 do
    local middle = (first + last) // 2
    if times:at(middle) <= time then first = middle else last = middle end
  end
  return time - times:at(first) <= times:at(last) - time and first or last
end

-- Draw the values of the curves at the mouse.
local function draw_cursor(self, id, area, series, times, first, last, to_x)
  local x, y, width, height = table.unpack(area)
  if not self:touch(id, x, y, width, height) then return end
  local from, to = times:at(first), times:at(last)
  local n = nearest(times, first, last, from + (self.mouse.x - x) / width * (to - from))
  self:polyline({ to_x(times:at(n)), y, to_x(times:at(n)), y + height }, theme.text)
  local lines = { ("t = %s s"):format(theme.number(times:at(n))) }
  for i, curve in ipairs(series) do
    lines[i + 1] = ("%s = %s"):format(curve.name, theme.number(curve.ring:at(n)))
  end
  self:tooltip(table.concat(lines, "\n"), true)
end

--- Draw curves over time.
---@param times table     of viewer/panels/ring.lua
---@param series table[]  each { name, color, ring }
---@param first integer   first sample
---@param last integer    last sample; less than `first`: no curves
function plot.methods:plot(id, title, unit, times, series, first, last, height)
  local x, y, width, visible = self:line(height)
  if not visible then return end
  draw_legend(self, x, y, width, title, unit, series, last)
  local area = { x + LEFT, y + LINE + 4, width - LEFT - RIGHT, height - LINE - 4 - BOTTOM - 4 }
  if area[3] < 16 or area[4] < 16 then return end
  self:box(area[1], area[2], area[3], area[4], theme.field)
  local curves, low, high = sketch(series, first, last)
  if not low then
    return self:text(area[1] + area[3] / 2, area[2] + area[4] / 2, "no samples yet", theme.faint, 0.5, SMALL)
  end
  low, high = widen(low, high)
  local from, to = times:at(first), times:at(last)
  if to <= from then to = from + 1 end
  local function to_x(t) return area[1] + (t - from) / (to - from) * area[3] end
  local function to_y(v) return area[2] + (high - v) / (high - low) * area[4] end
  draw_axes(self, area, to_x, to_y, from, to, low, high)
  self:enter(area[1], area[2] - 1, area[3] + 1, area[4] + 2)
  for i, curve in ipairs(curves) do draw_curve(self, curve, series[i].color, times, to_x, to_y) end
  self:leave()
  draw_cursor(self, id, area, series, times, first, last, to_x)
end

return plot
