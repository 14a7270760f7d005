-- The selected object: { kind, object }, with kind "body", "joint", "shape", "contact" or "row". Contact and row
-- objects are valid for one step only, so selection.object searches for the same contact or row after each step.

local address = require "impel.viewer.panels.address"

local property = address.property

local selection = {}

local function valid(object)
  local ok, answer = pcall(function() return object:is_valid() end)
  return ok and answer
end

-- Record the data that find a contact or a row again.
local function note(self)
  local object = self.object
  if self.kind == "contact" then
    self.id, self.body = object.id, object.body_a
  elseif self.kind == "row" then
    local owner = object.owner
    self.owner = self.owner or { kind = property(owner, "count") and "contact" or "joint", object = owner }
    self.row, self.coordinate, self.point = object.kind, property(object, "coordinate"), property(object, "point")
  end
end

local find = {}

function find.contact(self)
  if not valid(self.body) then return nil end
  for contact in self.body:contacts() do
    if contact.id == self.id then return contact end
  end
  return nil
end

function find.row(self, world)
  local owner = selection.object(self.owner, world)
  if not owner then return nil end
  for row in owner:rows() do
    if row.kind == self.row and property(row, "coordinate") == self.coordinate and property(row, "point") == self.point
    then
      return row
    end
  end
  return nil
end

--- Return the present object of a selection; nil if it was destroyed, or is a contact or row that is not active now.
function selection.object(self, world)
  if not find[self.kind] then return valid(self.object) and self.object or nil end
  if not self.tick then
    if not valid(self.object) then return nil end
    note(self)
  end
  if self.tick ~= world.tick or not valid(self.object) then
    self.object = self.tick and find[self.kind](self, world) or not self.tick and self.object or nil
    self.tick = world.tick
  end
  return self.object
end

--- Return a name for the selected object: "body 3 'crate'".
function selection.name(self, world)
  local object = selection.object(self, world)
  return object and tostring(object) or ("a %s that does not exist now"):format(self.kind)
end

return selection
