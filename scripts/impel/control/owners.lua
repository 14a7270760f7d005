-- Ownership of coordinates: at most one controller may act on a coordinate at a time.
--
--   owners.claim(self, coordinate)      at creation; self has fields `acting`, `enabled`, `destroyed` and `when`
--   owners.take(self, coordinate)       before it acts; raises if another controller acts
--   if not owners.rival(self, coordinate) then coordinate:set_force(0) end      when it stops

local arguments = require "impel.base.arguments"

local owners = {}

-- coordinate -> list of its controllers, in the order of owners.join; an entry is false if its controller was added
-- again. The list has the fields
--   at      controller -> its index
--   kept    length of the list when `squeezed` made it
--   actors  controllers that act; a controller that stopped stays here until the next call of owners.rival
local all = setmetatable({}, { __mode = "k" })

--- Return the controllers of a coordinate. `but` and destroyed controllers are left out.
function owners.of(coordinate, but)
  local list = {}
  for _, one in ipairs(coordinate and all[coordinate] or list) do
    if one and one ~= but and not one.destroyed then list[#list + 1] = one end
  end
  return list
end

--- Return another controller that acts on a coordinate now, or nil.
function owners.rival(self, coordinate)
  local actors = coordinate and all[coordinate] and all[coordinate].actors or {}
  local n, rival = 0, nil
  for i = 1, #actors do
    local one = actors[i]
    actors[i] = nil
    if one.acting and not one.destroyed then
      n = n + 1
      actors[n] = one
      if one ~= self and one.enabled then rival = rival or one end
    end
  end
  return rival
end

local function act(self, list)
  for _, one in ipairs(list.actors) do
    if one == self then return end
  end
  table.insert(list.actors, self)
end

-- Return the list without destroyed controllers and false entries.
local function squeezed(list)
  local new = { at = {}, actors = list.actors }
  for _, one in ipairs(list) do
    if one and not one.destroyed then
      new[#new + 1] = one
      new.at[one] = #new
    end
  end
  new.kept = #new
  return new
end

--- Append a controller to the list of a coordinate.
function owners.join(self, coordinate)
  local list = all[coordinate] or { at = {}, actors = {}, kept = 0 }
  if list.at[self] then list[list.at[self]] = false end
  if #list > 2 * list.kept + 4 then list = squeezed(list) end
  list[#list + 1] = self
  list.at[self] = #list
  if self.acting then act(self, list) end
  all[coordinate] = list
end

-- Return whether a controller is enabled and acts from its own handlers.
local function is_on(self) return self.enabled ~= false and self.when ~= "never" end

--- Add a controller to the list of a coordinate, and create the force drive of the coordinate. Raises if this and
--- another controller are enabled and act from their own handlers.
function owners.claim(self, coordinate)
  for _, other in ipairs(is_on(self) and owners.of(coordinate, self) or {}) do
    if is_on(other) then
      arguments.fail("%s: %s acts on the same coordinate: create the new controller with enabled = false, or destroy "
        .. "the existing one",
        tostring(self), tostring(other))
    end
  end
  owners.join(self, coordinate)
  -- Create the drive now, because a drive that a "step" handler creates acts only in the next step.
  if not coordinate:drives().force then coordinate:set_force(0) end
end

--- Mark a controller as acting on a coordinate. Raises if another controller acts on it.
function owners.take(self, coordinate)
  local rival = owners.rival(self, coordinate)
  self.acting = not rival
  local list = coordinate and all[coordinate] -- nil if no controller has claimed the coordinate
  if not rival and list then act(self, list) end
  if rival then
    arguments.fail("%s and %s act on the same coordinate: disable or destroy one", tostring(rival), tostring(self))
  end
end

return owners
