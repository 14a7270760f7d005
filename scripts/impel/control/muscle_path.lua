-- The path of an impel.muscle: points on bodies.

local arguments = require "impel.base.arguments"
local math = require "impel.math"

local muscle_path = {}

-- [m^2], added to squared lengths of segments, because the gradient of a length is not finite at 0
local SMALL = 1e-24

-- Check a point { body, x, y }; all bodies must be in the world of the first one.
local function check_point(i, point, path)
  local what = ("impel.muscle: point %d of the path"):format(i)
  if type(point) ~= "table" or getmetatable(point[1]) ~= "body" then
    arguments.fail("%s must be { body, x, y } in the body's coordinates [m], got %s", what, arguments.got(point))
  end
  if not point[1]:is_valid() then arguments.fail("%s: attempt to use %s", what, tostring(point[1])) end
  if point[1].world ~= path[1][1].world then arguments.fail("%s is in another world than point 1", what) end
  arguments.number(what .. ": x", point[2])
  arguments.number(what .. ": y", point[3])
end

-- Return the bodies of the segments, each once, and a function of these bodies that returns the total length.
local function sum_of(stretches)
  local bodies, place = {}, {}
  for _, stretch in ipairs(stretches) do
    for _, point in ipairs(stretch) do
      local body = point[1]
      if not place[body] then
        bodies[#bodies + 1] = body
        place[body] = #bodies
      end
    end
  end
  local ends = {}
  for i, s in ipairs(stretches) do ends[i] = { place[s[1][1]], s[1][2], s[1][3], place[s[2][1]], s[2][2], s[2][3] } end
  return bodies, function(...)
    local sum = 0
    for _, e in ipairs(ends) do
      local x1, y1 = select(e[1], ...):point(e[2], e[3])
      local x2, y2 = select(e[4], ...):point(e[5], e[6])
      sum = sum + math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2 + SMALL)
    end
    return sum
  end
end

-- Create the joints, and fill `coordinates`. Return the total length of the fixed segments [m], and the length of the
-- path [m].
local function lay(path, o, coordinates)
  local fixed, stretches = 0, {}
  for i = 1, #path - 1 do
    local p, q = path[i], path[i + 1]
    if p[1] == q[1] then
      fixed = fixed + math.sqrt((q[2] - p[2]) ^ 2 + (q[3] - p[3]) ^ 2)
    else
      stretches[#stretches + 1] = { p, q }
    end
  end
  local world = path[1][1].world
  if o.implicit and #stretches > 1 then
    local bodies, length = sum_of(stretches)
    local count = #bodies
    bodies[count + 1] = { C = length, force = 0, collide = true, name = o.name }
    coordinates[1] = world:constraint(table.unpack(bodies)):coordinate(1)
    stretches = {}
  end
  for _, s in ipairs(stretches) do
    local p, q = s[1], s[2]
    coordinates[#coordinates + 1] = world:distance(p[1], q[1], {
      local_anchor_a = { p[2], p[3] }, local_anchor_b = { q[2], q[3] }, distance = { free = true, force = 0 },
      collide = true, name = o.name,
    }):coordinate()
  end
  if #coordinates == 0 then arguments.fail "impel.muscle: the path must connect two bodies, but it stays on one" end
  local length = fixed
  for _, coordinate in ipairs(coordinates) do length = length + coordinate.value end
  if not o.optimal_length and length <= o.tendon then
    arguments.fail("impel.muscle: field 'tendon', %g m, must be less than the path length, %g m", o.tendon, length)
  end
  return fixed, length
end

--- Raise if a path is invalid.
function muscle_path.check(path)
  if type(path) ~= "table" or #path < 2 then
    arguments.fail("impel.muscle: a path must have at least two points, got %s",
      type(path) ~= "table" and arguments.got(path) or #path == 1 and "1 point" or "none")
  end
  for i, point in ipairs(path) do check_point(i, point, path) end
end

--- Create the joints of a checked path; o: options of the muscle. If this raises, no joint is left. Return the
--- coordinates of the variable segments, the total length of the fixed segments [m], and the length of the path [m].
function muscle_path.lay(path, o)
  local coordinates = {}
  local ok, fixed, length = pcall(lay, path, o, coordinates)
  if not ok then -- destroy the joints created so far
    for _, coordinate in ipairs(coordinates) do coordinate.joint:destroy() end
    error(fixed, 0)
  end
  return coordinates, fixed, length
end

--- Return a function that checks that all segments still exist.
function muscle_path.all_valid(coordinates)
  local is_valid = coordinates[1].is_valid
  return function()
    for i = 1, #coordinates do
      if not is_valid(coordinates[i]) then return false end
    end
    return true
  end
end

return muscle_path
