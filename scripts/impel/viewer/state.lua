-- Undo of a scene's Lua state: a mirror keeps a copy of the scene's table `s` and of each table reachable from it.
-- Mirror:look returns the previous values of the fields that changed since the last call.
--
-- Not restored: local variables and upvalues, userdata, coroutines, tables that are keys, metatables.

local copy_of = require "impel.base.merged"

local state = {}
local Mirror = {}
Mirror.__index = Mirror

local MOST = 20000 -- largest number of tables; the state of a scene with more tables is not restored

local NONE = {}    -- stands for a field that did not exist

local function is_nan(value)
  return value ~= value
end

-- Update the copy. Return old values of changed fields (NONE: the field did not exist), and the number of these fields.
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

-- Return all tables reachable from `root`, each once, in unspecified order.
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

--- Compare the tables with their copies, and update the copies. Return the changes for Mirror:undo, and their number of
--- fields.
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

--- Join the results of two successive calls of Mirror:look. `first` receives the result: for each field that changed,
--- its value before the first change.
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

--- Undo the changes in `undo`, a result of Mirror:look. Afterwards `undo` has the opposite changes.
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
