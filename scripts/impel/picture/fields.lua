-- Force fields in a picture: water, arrows, centres.

local fm = require "impel.math"

local field_picture = {}

local STYLE = "scene"
local WATER, SURFACE = 0x56b4e938, 0x0072b2c0
local FLOW, POINT, REGION = 0x009e7390, 0x7a4f9aff, 0x7a4f9a80
local ROWS = 5           -- number of arrows from the bottom to the top of the picture
local LONGEST = 0.6      -- length of the longest arrow relative to the distance between arrows
local WAVE_POINTS = 24   -- number of points per wave length
local MARK = 0.012       -- half size of a mark, relative to the visible height

local function clipped(field, x1, y1, x2, y2)
  local a, b, c, d = field:region()
  if not a then return x1, y1, x2, y2 end
  return math.max(a, x1), math.max(b, y1), math.min(c, x2), math.min(d, y2)
end

-- Draw equal arrows along (vx, vy) over the visible area. They have the largest length if |(vx, vy)| >= most.
local function arrows(drawing, field, view, vx, vy, most)
  local size = fm.sqrt(vx * vx + vy * vy)
  if size == 0 then return end
  local x1, y1, x2, y2 = clipped(field, table.unpack(view.bounds))
  local step = view.height / ROWS
  local length = LONGEST * step * math.min(1, size / most)
  local dx, dy = vx / size * length, vy / size * length
  for i = math.ceil(x1 / step), math.floor(x2 / step) do
    for k = math.ceil(y1 / step), math.floor(y2 / step) do
      local x, y = i * step, k * step
      drawing:arrow(STYLE, FLOW, x - dx / 2, y - dy / 2, x + dx / 2, y + dy / 2)
    end
  end
end

local function mark(drawing, field, view)
  local x, y = field:center()
  local r = MARK * view.height
  drawing:polyline(STYLE, POINT, { x - r, y, x + r, y })
  drawing:polyline(STYLE, POINT, { x, y - r, x, y + r })
  drawing:outline(STYLE, POINT, r, { x, y })
end

local function mark_with_range(drawing, field, view)
  mark(drawing, field, view)
  local range = field.range
  if range > 0 and range < 2 * view.height then
    local x, y = field:center()
    drawing:outline(STYLE, REGION, range, { x, y })
  end
end

-- Draw the surface of the water from left to right, and the area below the surface.
local function water(drawing, field, view)
  local x1, y1, x2, y2 = clipped(field, table.unpack(view.bounds))
  local level, amplitude, length = field.level, field.wave_amplitude, field.wave_length
  if x1 >= x2 or y1 >= level + amplitude then return end
  local k, shift = 2 * math.pi / length, field.wave_speed * view.time
  local function surface(x) return math.min(y2, level + amplitude * fm.sin(k * (x - shift))) end
  local step = amplitude > 0 and math.max(length / WAVE_POINTS, (x2 - x1) / 500) or x2 - x1
  local line, x = { x1, surface(x1) }, x1
  while x < x2 do
    local to = x + step > x and math.min(x + step, x2) or x2 -- x + step equals x if step is below the rounding error
    local y, next_y = surface(x), surface(to)
    if y > y1 and next_y > y1 then drawing:fill(STYLE, WATER, 0, { x, y1, to, y1, to, next_y, x, y }) end
    line[#line + 1], line[#line + 2] = to, next_y
    x = to
  end
  drawing:polyline(STYLE, SURFACE, line)
end

local ways = {
  uniform = function(drawing, field, view)
    local ax, ay = field:acceleration()
    local fx, fy = field:force()
    arrows(drawing, field, view, ax, ay, 9.81)
    arrows(drawing, field, view, fx, fy, view.force)
  end,
  drag = function(drawing, field, view)
    local vx, vy = field:velocity()
    arrows(drawing, field, view, vx, vy, view.speed)
  end,
  attractor = mark_with_range,
  vortex = mark_with_range,
  explosion = function(drawing, field, view)
    if field.progress < 1 then mark(drawing, field, view) end -- a finished explosion has no effect
  end,
  spring = mark,
  buoyancy = water,
}
ways.wind = ways.drag

--- Draw the enabled fields of a world. scales: force [N] and speed [m/s] of the longest arrows.
function field_picture.draw(drawing, world, camera, scales)
  local view
  for field in world:fields() do
    view = view or { bounds = { camera:bounds() }, height = camera.height, time = world.time, force = scales.force,
      speed = scales.speed }
    local way = field.enabled and ways[field.kind]
    if way then way(drawing, field, view) end
    local x1, y1, x2, y2 = field:region()
    if x1 and field.enabled then
      drawing:outline(STYLE, REGION, 0, { x1, y1, x2, y1, x2, y2, x1, y2 })
    end
  end
end

return field_picture
