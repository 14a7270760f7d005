-- Find the object at a point of the displayed picture, and mark it. `shown` gives the displayed poses of bodies
-- (to_drawn and from_drawn of picture/frame.lua); nil: the present poses.

local contact_marks = require "impel.picture.contact_marks"

local pick = {}

-- Poses of bodies without interpolation.
local here = {
  to_drawn = function(_, _, x, y) return x, y end,
  from_drawn = function(_, _, x, y) return x, y end,
}

-- Return the square of the distance from a point to a segment.
local function distance_sq(x, y, x1, y1, x2, y2)
  local dx, dy = x2 - x1, y2 - y1
  local length_sq = dx * dx + dy * dy
  local t = length_sq > 0 and math.min(math.max(((x - x1) * dx + (y - y1) * dy) / length_sq, 0), 1) or 0
  local ex, ey = x - x1 - t * dx, y - y1 - t * dy
  return ex * ex + ey * ey
end

-- Return whether a segment or chain is near a point.
local function near_line(shape, x, y, reach)
  local body, points = shape.body, shape:points()
  for i = 1, #points - 1 do
    local x1, y1 = body:world_point(points[i][1], points[i][2])
    local x2, y2 = body:world_point(points[i + 1][1], points[i + 1][2])
    if distance_sq(x, y, x1, y1, x2, y2) <= reach * reach then return true end
  end
  return false
end

local function hits(shape, x, y, reach)
  local x1, y1, x2, y2 = shape:aabb()
  if x < x1 - reach or x > x2 + reach or y < y1 - reach or y > y2 + reach then return false end
  if shape:contains(x, y) then return true end
  local kind = shape.type
  return (kind == "segment" or kind == "chain" or kind == "heights") and near_line(shape, x, y, reach)
end

local function near(x, y, px, py, reach)
  return (x - px) * (x - px) + (y - py) * (y - py) <= reach * reach
end

--- Return the body at a point, or nil. Of several bodies, return the one drawn last; prefer bodies that are not static.
--- x, y [m]; reach: largest distance from lines and points [m].
function pick.body(world, x, y, reach, shown)
  local found, moves
  shown = shown or here
  for body in world:bodies() do
    local dynamic, shapes, hit = body.type ~= "static", 0, false
    local bx, by = shown:from_drawn(body, x, y)
    for shape in body:shapes() do
      shapes = shapes + 1
      hit = hit or hits(shape, bx, by, reach)
    end
    if shapes == 0 then
      local px, py = body:position()
      hit = near(bx, by, px, py, reach)
    end
    if hit and (dynamic or not moves) then found, moves = body, dynamic end
  end
  return found
end

-- Return the drawn anchors of a joint; for a constraint, the centres of its bodies.
local function drawn_anchors(joint, shown)
  local ax, ay, bx, by = joint:anchors()
  ax, ay = shown:to_drawn(joint.body_a, ax, ay)
  return ax, ay, shown:to_drawn(joint.body_b, bx, by)
end

-- Return the newest joint with an anchor near a point. Drag joints are ignored.
local function joint_at(world, x, y, reach, shown)
  local found
  for joint in world:joints() do
    local ax, ay, bx, by = drawn_anchors(joint, shown)
    if joint.kind ~= "drag" and (near(x, y, bx, by, reach) or near(x, y, ax, ay, reach)) then found = joint end
  end
  return found
end

local function contact_at(world, x, y, reach, shown)
  for contact in world:contacts() do
    for _, px, py in contact:points() do
      px, py = contact_marks.drawn(shown, contact.body_a, contact.body_b, px, py)
      if near(x, y, px, py, reach) then return contact end
    end
  end
  return nil
end

--- Return the selection at a point: a contact or joint whose overlay is on, else a body; or nil.
--- x, y [m]; reach: largest distance from lines and points [m].
function pick.at(world, x, y, reach, overlays, shown)
  shown = shown or here
  local with_contacts = overlays.contacts or overlays.normals or overlays.forces or overlays.friction or overlays.ids
  local contact = with_contacts and contact_at(world, x, y, reach, shown)
  if contact then return { kind = "contact", object = contact } end
  local joint = overlays.joints and joint_at(world, x, y, reach, shown)
  if joint then return { kind = "joint", object = joint } end
  local body = pick.body(world, x, y, reach, shown)
  return body and { kind = "body", object = body }
end

local function mark_shape(drawing, shape, shown)
  local body, flat = shape.body, {}
  local points = shape:points()
  for i, point in ipairs(points) do
    flat[2 * i - 1], flat[2 * i] = shown:to_drawn(body, body:world_point(point[1], point[2]))
  end
  local kind = shape.type
  if kind == "circle" or kind == "capsule" then
    drawing:outline("mark", nil, shape.radius, flat)
  elseif kind == "segment" or kind == "chain" or kind == "heights" then
    drawing:polyline("mark", nil, flat)
  else
    flat[#flat + 1], flat[#flat + 2] = flat[1], flat[2]
    drawing:polyline("mark", nil, flat)
  end
end

local marks = {}

function marks.body(drawing, body, shown)
  for shape in body:shapes() do mark_shape(drawing, shape, shown) end
  local x, y = shown:to_drawn(body, body:center())
  drawing:dot("mark", nil, x, y)
end

marks.shape = mark_shape

function marks.joint(drawing, joint, shown)
  local ax, ay, bx, by = drawn_anchors(joint, shown)
  drawing:polyline("mark", nil, { ax, ay, bx, by })
  drawing:dot("mark", nil, ax, ay)
  drawing:dot("mark", nil, bx, by)
end

function marks.contact(drawing, contact, shown)
  for _, x, y in contact:points() do
    drawing:dot("mark", nil, contact_marks.drawn(shown, contact.body_a, contact.body_b, x, y))
  end
end

--- Mark a selected object.
function pick.mark(drawing, kind, object, shown)
  if marks[kind] then marks[kind](drawing, object, shown or here) end
end

return pick
