-- The Lua side of a scene that goes back in time with its world: the tables that hang on the scene's state `s`.
--
-- A mirror keeps what each of them held. When it looks again, it writes down the old contents of those that changed: an
-- undo, as long as the change. The tables stay the same tables, so whoever holds one sees it go back.
--
-- Not brought back: local variables of the file and of functions, what userdata and coroutines hold (the world's own
-- come back with its snapshot), and tables that are keys or that hide behind a metatable.

local state = {}
local Mirror = {}
Mirror.__index = Mirror

local MOST = 20000 -- tables; a scene with more keeps what it has, and that is told

local function copy_of(t)
  local copy = {}
  for key, value in next, t do copy[key] = value end
  return copy
end

local function same(t, copy)
  for key, value in next, t do
    if not rawequal(copy[key], value) and value == value then return false end
  end
  for key in next, copy do
    if rawget(t, key) == nil then return false end
  end
  return true
end

-- All tables that hang on `root`, each once, in no order: what is done to them does not depend on it.
local function reachable(root)
  local list, seen = { root }, { [root] = true }
  local i = 1
  while i <= #list do
    for _, value in next, list[i] do
      if type(value) == "table" and not seen[value] then
        seen[value] = true
        list[#list + 1] = value
        if #list > MOST then return nil end
      end
    end
    i = i + 1
  end
  return list
end

--- Make a mirror of a scene's state.
---@param root table
function state.new(root)
  local self = setmetatable({ root = root, copies = setmetatable({}, { __mode = "k" }) }, Mirror)
  self:look()
  return self
end

--- See what changed since the last look.
---@return table undo      for Mirror:undo
---@return integer fields  how many it holds, as a measure of memory
function Mirror:look()
  local list = not self.full and reachable(self.root)
  if not list then
    self.full = true
    return {}, 0
  end
  local undo, fields = {}, 0
  for _, t in ipairs(list) do
    local copy = self.copies[t]
    if not copy then
      self.copies[t] = copy_of(t)
    elseif not same(t, copy) then
      undo[t] = copy
      for _ in next, copy do fields = fields + 1 end
      self.copies[t] = copy_of(t)
    end
  end
  return undo, fields
end

--- Put the tables back to what they held at the look before the one that gave this.
---@param undo table
function Mirror:undo(undo)
  for t, copy in next, undo do
    for key in next, t do
      if copy[key] == nil then rawset(t, key, nil) end
    end
    for key, value in next, copy do rawset(t, key, value) end
    self.copies[t] = copy_of(copy)
  end
end

return state
