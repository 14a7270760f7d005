-- Finds contradicting joints: joints that position corrections cannot close in a copy of the world.
--
--   local found = misfit.of(world)      nil if all joints close, or if the world cannot be copied
--
-- The copy has no gravity, contacts and velocities, and makes STEPS steps of SHORT with the solver `direct`.

local arguments = require "impel.base.arguments"
local core = require "impel.core"

local misfit = {}

local STEPS = 20
local SHORT = 1e-5     -- [s], step length in which springs and motors move bodies by far less than ROUNDING
local ROUNDING = 1e-9  -- [m], a joint with a smaller gap is closed

-- The joints close in another pose if a body moves farther than FAR sqrt(2 d l). d: sum of gaps; l: extent of bodies.
-- In the same pose, a body moves at most sqrt(d l / 2): the deflection of two hinged bars of length l / 2 whose ends
-- are l - d apart.
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

-- Return the positions of the moving bodies, and the longer side of their bounding box [m].
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

-- Return the largest displacement of a body between two lists of positions [m].
local function way_of(from, to)
  local longest = 0
  for i = 1, #from, 2 do
    longest = math.max(longest, math.sqrt((to[i] - from[i]) ^ 2 + (to[i + 1] - from[i + 1]) ^ 2))
  end
  return longest
end

--- Close the joints in a copy of the world, and report the joints that keep gaps. Call this function between two steps.
---@return table|nil found  joint: name of the joint with the largest gap; gap: the largest gap [m]; sum: sum of the
---  gaps [m]; joints: gaps [m] by joint.id; elsewhere: largest displacement of a body [m] if the joints close in
---  another pose, otherwise nil. The gaps are those of the copy; with `elsewhere`, those of the world.
function misfit.of(world)
  arguments.check("misfit.of: argument 'world'", world, { "world" })
  local made, copy = pcall(core.world, {}) -- fails if a quota does not allow another world
  if not made then return nil end
  local found
  if pcall(copy.restore, copy, world:snapshot { state = false }) then -- fails if the world has user functions
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
