-- The Lua side of a scene that goes back in time with its world: the tables that hang on the scene's state `s`.
--
-- A mirror keeps what each of them held. When it looks again it writes down what the fields that changed were before:
-- an undo, as long as the change. The tables stay the same tables, so whoever holds one sees it go back.
--
-- Not brought back: local variables of the file and of functions, what userdata and coroutines hold (the world's own
-- come back with its snapshot), and tables that are keys or that hide behind a metatable.

local copy_of = require "impel.base.merged"

local state = {}
local Mirror = {}
Mirror.__index = Mirror

local MOST = 20000 -- tables; a scene with more keeps what it has, and that is told

local NONE = {}    -- in the place of a field that was not there

local function is_nan(value)
  return value ~= value
end

-- What the fields that changed held, NONE where there was none, and how many they are; the copy is brought up to date.
local function update(t, copy)
  local old, count = nil, 0
  local function note(key, was, value)
    old = old or {}
    old[key] = was == nil and NONE or was
    copy[key] = value
    count = count + 1
  end
  for key, value in next, t do
    local was = copy[key]
    if not rawequal(was, value) and not (is_nan(was) and is_nan(value)) then note(key, was, value) end
  end
  for key, was in next, copy do
    if rawget(t, key) == nil then note(key, was, nil) end
  end
  return old, count
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
    if copy then
      local old, count = update(t, copy)
      undo[t], fields = old, fields + count
    else
      self.copies[t] = copy_of(t)
    end
  end
  return undo, fields
end

--- Two changes one after the other as one: what was before the first of them wins.
---@param first table  of Mirror:look; becomes both
---@param second table
function state.join(first, second)
  for t, old in next, second do
    local earlier = first[t]
    if earlier then
      for key, was in next, old do
        if earlier[key] == nil then earlier[key] = was end
      end
    else
      first[t] = old
    end
  end
end

--- Put the tables back to what they held at the look before the one that gave this; it becomes the way forth again.
---@param undo table
function Mirror:undo(undo)
  for t, old in next, undo do
    local copy = self.copies[t]
    for key, was in next, old do
      local now = rawget(t, key)
      old[key] = now == nil and NONE or now
      if was == NONE then was = nil end
      rawset(t, key, was)
      copy[key] = was
    end
  end
end

return state
