-- Texts at contact points: ids of vertices, part of the friction cone.

local legend = require "impel.picture.legend"

local marks = {}

-- numbers of visible points at which the texts appear and disappear
local FEW, MANY = 100, 150
local ORDER = 9e5        -- position in the drawing order: above a scene's own drawing, below the legend
local LINE = 12          -- distance between texts [points]

--- Colour of a point that did not exist in the previous step.
marks.NEW = 0xf0a030ff

--- Return the drawn position of a contact point [m]: fixed to the moving body; if both move, the mean of both
--- positions.
function marks.drawn(frame, a, b, x, y)
  local ax, ay = frame:to_drawn(a, x, y)
  local bx, by = frame:to_drawn(b, x, y)
  if ax == x and ay == y then return bx, by end
  if bx == x and by == y then return ax, ay end
  return (ax + bx) / 2, (ay + by) / 2
end

-- Return "a.i b.k": ids a and b of the shapes, numbers i and k of their touching vertices.
local function feature_text(contact, i)
  local a, b, matched = contact:feature(i)
  return ("%d.%d %d.%d"):format(contact.shape_a.id, a, contact.shape_b.id, b), not matched and marks.NEW or nil
end

-- Return a text such as "µ 0.60 83 %": friction, and used part of the friction cone.
local function friction_text(contact, normal, tangent)
  local bound = contact.friction * normal
  if bound <= 0 then return ("µ %.3g"):format(contact.friction) end
  return ("µ %.3g  %.0f %%"):format(contact.friction, math.min(100, 100 * math.abs(tangent) / bound))
end

-- If a contact has two points, put the texts of the left point on its left side.
local function turn_left(list, contact)
  local one, other = list[#list - 1], list[#list]
  if not one or one[1] ~= contact or other[1] ~= contact then return end
  one[7], other[7] = one[3] < other[3], one[3] >= other[3]
end

-- Return the visible points { contact, number, x, y [points], normal impulse, tangential impulse, left }; `left`:
-- whether the texts are at the left of the point. Return nil if there are more than `most` visible points.
local function visible(frame, camera, most)
  local x1, y1, x2, y2 = camera:bounds()
  local list = {}
  for contact in frame.run.world:contacts() do
    local a, b
    for i, x, y, _, normal, tangent in contact:points() do
      if x >= x1 and x <= x2 and y >= y1 and y <= y2 then
        if #list == most then return nil end
        a, b = a or contact.body_a, b or contact.body_b
        local px, py = camera:to_screen(marks.drawn(frame, a, b, x, y))
        list[#list + 1] = { contact, i, px / camera.scale, py / camera.scale, normal, tangent, false }
      end
    end
    turn_left(list, contact)
  end
  return list
end

-- Draw a text, unless it would cover another text.
local function place(drawing, boxes, x, y, text, color, left)
  local width = legend.width(text, 10) + 4
  local x1 = left and x - width or x
  for _, box in ipairs(boxes) do
    if x1 < box[2] and x1 + width > box[1] and math.abs(y - box[3]) < LINE - 2 then return false end
  end
  boxes[#boxes + 1] = { x1, x1 + width, y }
  legend.chip(drawing, x, y, text, color, left)
  return true
end

--- Draw the texts if the points are few enough. Return whether every visible point has them. frame.has_marks: whether
--- the last picture had texts.
function marks.draw(drawing, frame, camera, ids, friction)
  local list = visible(frame, camera, frame.has_marks == false and FEW or MANY)
  frame.has_marks = list ~= nil
  if not list then return false end
  drawing:layer(ORDER, true)
  local boxes, all = {}, true
  for _, point in ipairs(list) do
    local contact, i, x, y, normal, tangent, left = table.unpack(point)
    x = left and x - 5 or x + 5
    if ids then
      local text, color = feature_text(contact, i)
      all = place(drawing, boxes, x, y - LINE / 2 - 1, text, color, left) and all
    end
    if friction then
      all = place(drawing, boxes, x, y + LINE / 2 + 1, friction_text(contact, normal, tangent), nil, left) and all
    end
  end
  drawing:layer(0, false)
  return all
end

return marks
