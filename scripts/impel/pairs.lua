-- impel.pairs: pairs and next with the same order in every run: numbers ascending, strings by bytes, false, true,
-- engine objects by kind and id. In a scene, impel.pairs(t) and impel.pairs.next(t, k) replace pairs(t) and next(t, k).

local core = require "impel.core"

-- table (weak key) -> { list = sorted keys, index = position of each key }
local cache = setmetatable({}, { __mode = "k" })

local ranks = { number = 1, string = 2, boolean = 3, userdata = 4 }

-- Return the class, creation number and handle of an engine object, or nothing for other userdata.
local identify = core.identify

local function has_order(key)
  local kind = type(key)
  return ranks[kind] and (kind ~= "userdata" or select(2, identify(key)))
end

local function refuse(kind, level)
  error(("pairs: a key of type '%s' has no order that is the same in every run (use numbers, strings, booleans or "
    .. "engine objects as keys, or keep the keys in a list and walk it with ipairs)"):format(kind), level)
end

-- Raise if a key has a type without an order. The message names the alphabetically first such type.
local function refuse_keys(t)
  local worst
  for key in next, t do
    local kind = not has_order(key) and type(key)
    if kind and (not worst or kind < worst) then worst = kind end
  end
  refuse(worst, 0)
end

local function less(a, b)
  local rank_a, rank_b = ranks[type(a)], ranks[type(b)]
  if rank_a ~= rank_b then return rank_a < rank_b end
  if rank_a == 3 then return not a and b end
  if rank_a == 4 then
    local kind_a, number_a, handle_a = identify(a)
    local kind_b, number_b, handle_b = identify(b)
    if kind_a ~= kind_b then return kind_a < kind_b end
    if number_a ~= number_b then return math.ult(number_a, number_b) end
    return math.ult(handle_a, handle_b)
  end
  return a < b
end

-- Append the keys of one type in sorted order.
local function append_sorted(list, keys, order)
  if not keys then return end
  table.sort(keys, order)
  table.move(keys, 1, #keys, #list + 1, list)
end

local function build(t)
  local groups = {}
  for key in next, t do
    if not has_order(key) then refuse_keys(t) end
    local rank = ranks[type(key)]
    local group = groups[rank]
    if group then group[#group + 1] = key else groups[rank] = { key } end
  end
  local list = {}
  append_sorted(list, groups[1])
  append_sorted(list, groups[2])
  append_sorted(list, groups[3], less)
  append_sorted(list, groups[4], less)
  local index = {}
  for i = 1, #list do index[list[i]] = i end
  local entry = { list = list, index = index }
  cache[t] = entry
  return entry
end

-- Return the sorted keys of t: the cached ones if t still has exactly the same keys.
local function sorted(t)
  local entry = cache[t]
  if not entry then return build(t) end
  local index, count = entry.index, 0
  for key in next, t do
    if not index[key] then return build(t) end
    count = count + 1
  end
  return count == #entry.list and entry or build(t)
end

-- Return the length of t if its keys are 1, 2, ... and Lua's next returns them in this order; else nil.
local function list_length(t)
  local count = 0
  for key in next, t do
    count = count + 1
    if key ~= count then return nil end
  end
  return count
end

local function from(t, list, position)
  for i = position, #list do
    local value = rawget(t, list[i])
    if value ~= nil then return list[i], value end
  end
  return nil
end

local function ordered_next(t, key)
  if type(t) ~= "table" then error(("next: table expected, got %s"):format(type(t)), 2) end
  if key == nil then
    if next(t) == nil then return nil end
    local ok, entry = pcall(sorted, t)
    if not ok then error(entry, 2) end
    return from(t, entry.list, 1)
  end
  local entry = cache[t]
  if not entry then
    local ok
    ok, entry = pcall(build, t)
    if not ok then error(entry, 2) end
  end
  local position = entry.index[key]
  if position then return from(t, entry.list, position + 1) end
  -- The keys changed during the traversal and were sorted again: continue with the first key greater than `key`.
  if not has_order(key) then refuse(type(key), 3) end
  for i, other in ipairs(entry.list) do
    if less(key, other) then return from(t, entry.list, i) end
  end
  return nil
end

local function ordered_pairs(t)
  local meta = getmetatable(t)
  local custom = type(meta) == "table" and meta.__pairs
  if custom then
    local iterator, state, first = custom(t)
    return iterator, state, first
  end
  if type(t) ~= "table" then error(("pairs: table expected, got %s"):format(type(t)), 2) end
  local position = 0
  local count = list_length(t)
  if count then
    return function()
      while position < count do
        position = position + 1
        local value = rawget(t, position)
        if value ~= nil then return position, value end
      end
    end, t, nil
  end
  local ok, entry = pcall(sorted, t)
  if not ok then error(entry, 2) end
  local list = entry.list
  return function()
    while position < #list do
      position = position + 1
      local key = list[position]
      local value = rawget(t, key)
      if value ~= nil then return key, value end
    end
  end, t, nil
end

return setmetatable({ pairs = ordered_pairs, next = ordered_next }, {
  __call = function(_, t) return ordered_pairs(t) end,
})
