-- Trails: paths of the centres of mass over the last seconds, sampled after steps.

local trails = {}
local Trails = {}
Trails.__index = Trails

local MOST_BODIES = 64  -- largest number of bodies with a trail; later bodies have none
local MOST_SAMPLES = 600

--- Make the trails of a world's moving bodies.
function trails.new()
  return setmetatable({ times = {}, ways = {} }, Trails)
end

-- Discard samples outside the indices first..last, and trails without samples.
local function cut(self, first, last)
  local count = #self.times
  for id, way in pairs(self.ways) do
    for i = 1, count do
      local kept = first + i - 1 <= last and first + i - 1
      way.x[i], way.y[i] = kept and way.x[kept] or nil, kept and way.y[kept] or nil
    end
    if next(way.x) == nil then self.ways[id] = nil end
  end
  for i = 1, count do
    self.times[i] = first + i - 1 <= last and self.times[first + i - 1] or nil
  end
end

--- Record the centres of mass at world.time. Samples at this or a later time, left by a restore, are discarded first.
function Trails:sample(world)
  local time, times = world.time, self.times
  local count = #times
  while count > 0 and times[count] >= time do count = count - 1 end
  if count < #times then cut(self, 1, count) end
  if count >= MOST_SAMPLES then
    cut(self, MOST_SAMPLES // 10 + 1, count)
    count = #times
  end
  times[count + 1] = time
  local bodies = 0
  for body in world:bodies() do
    if body.type == "dynamic" or body.type == "particle" then
      bodies = bodies + 1
      if bodies > MOST_BODIES then break end
      local way = self.ways[body.id]
      if not way then
        way = { x = {}, y = {}, number = bodies, body = body }
        self.ways[body.id] = way
      end
      way.x[count + 1], way.y[count + 1] = body:center()
    end
  end
end

--- Draw the trails up to `time` [s], or to their ends if `time` is nil. Each trail ends at the drawn position of its
--- body, and has gaps where the body did not exist.
---@param colors integer[]  used in turn
---@param shown table|nil   to_drawn(body, x, y): drawn position of a point of a body; nil: no interpolation
function Trails:draw(drawing, colors, shown, time)
  local ids, last = {}, #self.times
  while time and last > 0 and self.times[last] > time do last = last - 1 end
  for id in pairs(self.ways) do ids[#ids + 1] = id end
  table.sort(ids)
  for _, id in ipairs(ids) do
    local way, points = self.ways[id], {}
    local color = colors[(way.number - 1) % #colors + 1]
    for i = 1, last + 1 do
      if way.x[i] and i <= last then
        local x, y = way.x[i], way.y[i]
        if i == last and shown and way.body:is_valid() then x, y = shown:to_drawn(way.body, x, y) end
        points[#points + 1] = x
        points[#points + 1] = y
      elseif #points > 0 then
        if #points >= 4 then drawing:polyline("trail", color, points) end
        points = {}
      end
    end
  end
end

return trails
