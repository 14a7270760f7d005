-- same_world: rebuild a world from its text, and compare two worlds.
local assert = require "luassert"
local impel = require "impel"
local decode = require("impel.data.text").decode

local same_world = {}

function same_world.text(world) return impel.data.text((world:export())) end

-- Rebuild a world from its text; the copy must have the same text. `hint` is part of the message.
function same_world.again(world, hint)
  local source = same_world.text(world)
  local copy = impel.load_data(assert(decode(source)))
  assert.equal(source, same_world.text(copy), hint)
  return copy
end

-- Return { name, value } of all getters of clock, poses, masses, shapes and joints.
local function numbers_of(world)
  local list = {}
  local function add(what, ...)
    for i = 1, select("#", ...) do list[#list + 1] = { what, (select(i, ...)) } end
  end
  add("clock", world.time, world.tick, world.dt)
  add("gravity", world:gravity())
  for body in world:bodies() do
    local name = tostring(body)
    add(name .. ": state", body.type, body.awake, body.enabled)
    add(name .. ": angle", body.angle, body.angular_velocity)
    add(name .. ": mass", body.mass, body.inertia)
    add(name .. ": position", body:position())
    add(name .. ": center", body:center())
    add(name .. ": velocity", body:velocity())
    for shape in body:shapes() do
      add(name .. ": shape", shape.type, shape.area, shape.category, shape.mask, shape:one_way())
      add(name .. ": box", shape:aabb())
      for _, point in ipairs(shape:points()) do add(name .. ": point", point[1], point[2]) end
    end
  end
  for joint in world:joints() do
    local name = joint.kind .. " " .. (joint.name or "")
    add(name .. ": state", joint.broken, joint.collide)
    add(name .. ": anchors", joint:anchors())
    for coordinate in joint:coordinates() do add(name .. ": coordinate", coordinate.value, coordinate.speed) end
  end
  return list
end

-- Check that the getters of two worlds return the same bits, or floats within a tolerance.
function same_world.compare(a, b, tolerance, hint)
  local one, two = numbers_of(a), numbers_of(b)
  assert.equal(#one, #two, hint)
  for i, left in ipairs(one) do
    local x, y = left[2], two[i][2]
    local near = x == y or math.type(x) == "float" and math.abs(x - y) <= (tolerance or 0)
    if not near then error(("%s of %s: %s is not %s"):format(hint or "?", left[1], x, y), 2) end
  end
end

return same_world
