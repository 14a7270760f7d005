-- Who acts on which coordinate: controllers set the one force drive of a coordinate, so that of several on one only one
-- may act at a time.
--
--   owners.claim(self, coordinate)      when it is made; self: a table with the fields acting, enabled, destroyed, when
--   owners.take(self, coordinate)       when it begins to act: raises where another one acts
--   if not owners.rival(self, coordinate) then coordinate:set_force(0) end      when it ends

local arguments = require "impel.base.arguments"

local owners = {}

-- coordinate -> its controllers in the order of joining, while they are held. A list has false where one joined again,
-- and destroyed ones until it is squeezed; `at`: the place of each; `kept`: how many there were then; `actors`: those
-- that act, and some that no longer do.
local all = setmetatable({}, { __mode = "k" })

--- The controllers of a coordinate but one, destroyed ones not counted.
function owners.of(coordinate, but)
  local list = {}
  for _, one in ipairs(coordinate and all[coordinate] or list) do
    if one and one ~= but and not one.destroyed then list[#list + 1] = one end
  end
  return list
end

--- Another one that acts on a coordinate now; nil where none does.
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

-- The list without destroyed ones and gaps.
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

--- Count it among the controllers of a coordinate, where it is not.
function owners.join(self, coordinate)
  local list = all[coordinate] or { at = {}, actors = {}, kept = 0 }
  if list.at[self] then list[list.at[self]] = false end
  if #list > 2 * list.kept + 4 then list = squeezed(list) end
  list[#list + 1] = self
  list.at[self] = #list
  if self.acting then act(self, list) end
  all[coordinate] = list
end

-- Whether it acts by itself, in handlers of its own.
local function is_on(self) return self.enabled ~= false and self.when ~= "never" end

--- Count it among the controllers of a coordinate, which has a force drive from now on. Raises where both it and
--- another one would act.
function owners.claim(self, coordinate)
  for _, other in ipairs(is_on(self) and owners.of(coordinate, self) or {}) do
    if is_on(other) then
      arguments.fail("%s: %s acts on the same coordinate: make one of them with enabled = false, or destroy it",
        tostring(self), tostring(other))
    end
  end
  owners.join(self, coordinate)
  -- in handlers of a step other than those of substeps a first drive would wait for its end
  if not coordinate:drives().force then coordinate:set_force(0) end
end

--- It begins to act. Who else acts on the coordinate would be overwritten, substep by substep: that raises.
function owners.take(self, coordinate)
  local rival = owners.rival(self, coordinate)
  self.acting = not rival
  local list = coordinate and all[coordinate] -- nil where no controller claimed it
  if not rival and list then act(self, list) end
  if rival then
    arguments.fail("%s and %s act on the same coordinate: disable or destroy one", tostring(rival), tostring(self))
  end
end

return owners
