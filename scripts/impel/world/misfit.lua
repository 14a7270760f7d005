-- Which locks of a world cannot all be met, found by closing its joints in a copy of it, without loads.
--
--   local found = misfit.of(world)      nil where all joints close, or where the world cannot be copied
--
-- The copy has no gravity, contacts and velocities, and makes STEPS steps of `direct` so short that only corrections of
-- positions move it. Joints that are still apart contradict the others; joints that a load or a soft solver has opened
-- close here.

local arguments = require "impel.base.arguments"
local core = require "impel.core"

local misfit = {}

local STEPS = 20
local SHORT = 1e-5     -- [s]: a step; what springs and motors move in it is far below ROUNDING
local ROUNDING = 1e-9  -- [m]: a joint that is apart by less is closed

-- The middle of a bar of the length l that is too long by d between two points has to go sqrt(d l / 2) aside: the most
-- that closing a small gap moves. A linkage that goes this many times farther closes in another pose than its own.
local FAR = 2

local function close(copy)
  copy.solver, copy.dt, copy.sleep = "direct", SHORT, false
  copy:set_gravity(0, 0)
  for body in copy:bodies() do
    for shape in body:shapes() do shape.mask = 0 end
    if body.type ~= "static" then body:set_velocity(0, 0) end
    if body.type ~= "static" and body.type ~= "particle" then body.angular_velocity = 0 end
  end
  copy:step(STEPS)
end

local function gaps_of(world)
  local found = { sum = 0, gap = 0, joints = {} }
  for joint in world:joints() do
    local gap = not joint.broken and joint.gap or 0
    if gap > ROUNDING then
      found.sum = found.sum + gap
      found.joints[joint.id] = gap
      if gap > found.gap then found.joint, found.gap = tostring(joint), gap end
    end
  end
  return found.joint and found or nil
end

-- Positions of the bodies that move, and the longer side of the box around them [m].
local function places_of(world)
  local list, x1, y1, x2, y2 = {}, math.huge, math.huge, -math.huge, -math.huge
  for body in world:bodies() do
    if body.mass > 0 then
      local x, y = body:position()
      list[#list + 1], list[#list + 2] = x, y
      x1, y1, x2, y2 = math.min(x1, x), math.min(y1, y), math.max(x2, x), math.max(y2, y)
    end
  end
  return list, math.max(x2 - x1, y2 - y1, 0)
end

-- The longest way of a body from one list of places to another [m].
local function way_of(from, to)
  local longest = 0
  for i = 1, #from, 2 do
    longest = math.max(longest, math.sqrt((to[i] - from[i]) ^ 2 + (to[i + 1] - from[i + 1]) ^ 2))
  end
  return longest
end

--- Close the joints of a copy of a world.
---@param world impel.world  between two steps; it does not change
---@return table|nil found  joint: name of the one that is apart most, gap [m]: by so much; sum [m]: of the gaps of all
---  joints; joints: the gaps [m] by joint.id; elsewhere [m]: how far the joints had to go to close, where that is
---  another pose: then the gaps are those of the world itself
function misfit.of(world)
  arguments.check("misfit.of: argument 'world'", world, { "world" })
  local made, copy = pcall(core.world, {}) -- a quota may not let it
  if not made then return nil end
  local found
  if pcall(copy.restore, copy, world:snapshot { state = false }) then -- not of a world with functions of the user's
    local before, places, span = gaps_of(copy), places_of(copy)
    close(copy)
    found = gaps_of(copy)
    local way = way_of(places, (places_of(copy)))
    if before and not found and way > FAR * math.sqrt(2 * before.sum * span) then
      found, before.elsewhere = before, way
    end
  end
  copy:destroy()
  return found
end

return misfit
