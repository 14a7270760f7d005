-- Addresses of objects, which find the same object after a restart: class, creation number and name.

local show = require "impel.base.show"

local address = {}

--- Return a property, or nil if the object does not have it.
function address.property(object, name)
  local ok, value = pcall(function() return object[name] end)
  return ok and value or nil
end

local note = {}

function note.world() return {} end

function note.body(body) return { id = body.id, name = body.name } end

note.joint = note.body

function note.shape(shape) return { id = shape.id, owner = address.of(shape.body) } end

function note.contact(contact)
  return { a = contact.shape_a.id, b = contact.shape_b.id, owner = address.of(contact.body_a) }
end

function note.coordinate(coordinate) return { owner = address.of(coordinate.joint), name = coordinate.name } end

function note.row(row)
  return { owner = address.of(row.owner), kind = row.kind, coordinate = address.property(row, "coordinate"),
    point = address.property(row, "point") }
end

--- Return the address of an object; nil for a class without addresses.
function address.of(object)
  local class = show.class(object)
  if not note[class] then return nil end
  local self = note[class](object)
  self.class = class
  return self
end

--- Return an address as text, equal in every run.
function address.text(self)
  local parts = { self.owner and address.text(self.owner) or "", self.class }
  for _, field in ipairs { "id", "name", "kind", "a", "b", "coordinate", "point" } do
    parts[#parts + 1] = tostring(self[field] or "")
  end
  return table.concat(parts, "/")
end

-- Return the first object of an iterator for which `fits` returns true.
local function first(fits, iterator, state, control)
  for object in iterator, state, control do
    if fits(object) then return object end
  end
  return nil
end

local find = {}

function find.world(_, world) return world end

-- Find an object by id and name, else by name.
local function by_number(list)
  return function(self, world)
    local function has_name(object) return object.name == self.name end
    return first(function(object) return object.id == self.id and has_name(object) end, world[list](world))
      or self.name and first(has_name, world[list](world)) or nil
  end
end

find.body, find.joint = by_number "bodies", by_number "joints"

function find.shape(self, _, owner)
  return first(function(shape) return shape.id == self.id end, owner:shapes())
end

function find.contact(self, _, owner)
  return first(function(contact) return contact.shape_a.id == self.a and contact.shape_b.id == self.b end,
    owner:contacts())
end

function find.coordinate(self, _, owner)
  return first(function(coordinate) return coordinate.name == self.name end, owner:coordinates())
end

function find.row(self, _, owner)
  return first(function(row)
    return row.kind == self.kind and address.property(row, "coordinate") == self.coordinate
      and address.property(row, "point") == self.point
  end, owner:rows())
end

-- Classes whose objects are valid for one step only.
local BRIEF = { contact = true, row = true }

--- Return the object at an address; nil while it does not exist.
function address.find(self, world)
  local found = self.found
  if self.world == world and found and not BRIEF[self.class] and found:is_valid() then return found end
  local owner
  if self.owner then
    owner = address.find(self.owner, world)
    if not owner then return nil end
  end
  self.world, self.found = world, find[self.class](self, world, owner)
  return self.found
end

return address
