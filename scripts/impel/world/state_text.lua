-- The Lua state in a snapshot as paths and texts: "state 2.enemies[3].hp" is "7". Objects are written by kind and slot.
-- The byte format is defined in bindings/state/state.h.

local core = require "impel.core"

local state_text = {}

-- Names of the codes of bindings/state/state.h.
local KINDS = { [0] = "body", "shape", "joint", "field", "mover" }
local OWNERS = {
  [0] = "mix rule", "filter of shape", "law of field", "function of constraint", "break_if of joint",
}
local DATA = { [0] = "body", "shape", "joint", "field" }
local OBJECT = 7      -- tag of a reference to an object of KINDS
local DESTROYED = 12     -- tag of a reference to a destroyed object
local SLOT = 0xffffff -- mask of a handle: index of the object's slot

local function object(bytes, at, kind, format)
  local id
  id, at = string.unpack(format, bytes, at)
  return ("%s at %d"):format(kind, id & SLOT), at
end

local function unpacked(format, shown)
  return function(bytes, at)
    local value, behind = string.unpack(format, bytes, at)
    return shown:format(value), behind
  end
end

-- Readers by the first byte: (bytes, position) -> text, next position.
local values = {
  [0] = function(_, at) return "nil", at end,
  [1] = function(_, at) return "false", at end,
  [2] = function(_, at) return "true", at end,
  [3] = unpacked("<i8", "%d"), [4] = unpacked("<d", "%.17g"), [5] = unpacked("<s4", "%q"),
  [6] = function(bytes, at) return string.unpack("<I4", bytes, at) end, -- number of a table
  [7] = function(bytes, at)
    return object(bytes, at + 1, KINDS[bytes:byte(at)], "<I8")
  end,
  [8] = function(bytes, at)
    local text, behind = object(bytes, at, "coordinate of joint", "<I8")
    local index
    index, behind = string.unpack("<I4", bytes, behind)
    return ("%s, %d"):format(text, index + 1), behind
  end,
  [9] = function(_, at) return "the world", at end,
  [10] = function(_, at) return "no data", at end,
  [11] = function(bytes, at)
    local _, number, snapshot, behind = string.unpack("<I8I4s4", bytes, at)
    -- An empty snapshot means that the bytes contain the snapshot of world `number` already.
    if snapshot == "" then return ("world %d of the snapshot"):format(number), behind end
    return { snapshot = snapshot }, behind
  end,
  [DESTROYED] = function(bytes, at)
    local kind = KINDS[bytes:byte(at)]
    local _, number, named, behind = string.unpack("<I8I8B", bytes, at + 1)
    local name = ("%d"):format(number)
    if named ~= 0 then name, behind = string.unpack("<s4", bytes, behind) end
    return ("destroyed %s '%s'"):format(kind, name), behind
  end,
}

local function value(bytes, at)
  local tag = bytes:byte(at)
  if not values[tag] then error(("a state value has the unknown tag %s (see bindings/state/state.h)"):format(tag)) end
  return values[tag](bytes, at + 1)
end

-- Append items about objects, sorted by `kind` and `place` (slot). Items with the same kind and place keep their order.
local function append_by_place(out, items)
  for i, item in ipairs(items) do item.nth = i end
  table.sort(items, function(a, b)
    if a.kind ~= b.kind then return a.kind < b.kind end
    if a.place ~= b.place then return a.place < b.place end
    return a.nth < b.nth
  end)
  table.move(items, 1, #items, #out + 1, out)
end

-- Read handlers { kind, serial, function } in order.
local function handlers(bytes, at, out)
  local count
  count, at = string.unpack("<I4", bytes, at)
  for i = 1, count do
    local _, hash, place
    _, _, hash, place, at = string.unpack("<BI8I8s4", bytes, at)
    out[#out + 1] = { ("handler %d"):format(i), ("%s %x"):format(place, hash) }
  end
  return at
end

local function functions(bytes, at, out)
  local count
  count, at = string.unpack("<I4", bytes, at)
  local list = {}
  for i = 1, count do
    local slot, owner, _, hash, place
    slot, owner, _, hash, place, at = string.unpack("<BI8I8I8s4", bytes, at)
    list[i] = { ("%s at %d"):format(OWNERS[slot], owner & SLOT), ("%s %x"):format(place, hash), kind = slot,
      place = owner & SLOT }
  end
  append_by_place(out, list)
  return at
end

-- Read the root tables and the data of objects: { name, value }.
local function roots(bytes, at, list)
  local count
  count, at = string.unpack("<I4", bytes, at)
  for i = 1, count do
    local _, number
    _, number, at = string.unpack("<I8I4", bytes, at)
    list[#list + 1] = { ("state %d"):format(i), number }
  end
  local data = {}
  count, at = string.unpack("<I4", bytes, at)
  for i = 1, count do
    local slot, owner, text
    slot, owner, at = string.unpack("<BI8", bytes, at)
    text, at = value(bytes, at)
    data[i] = { ("data of %s at %d"):format(DATA[slot], owner & SLOT), text, kind = slot, place = owner & SLOT }
  end
  append_by_place(list, data)
  return at
end

-- Return the fields of all tables: number -> { { key, value }, ... }.
local function tables(bytes, at)
  local list, count = {}, string.unpack("<I4", bytes, at)
  at = at + 4
  for _ = 1, count do
    local number, _, kind, behind = string.unpack("<I4I8B", bytes, at)
    local fields, of_objects, n, is_object = {}, {}, 1, kind == 1 -- keys that are objects come last, as in the bytes
    at = behind
    if not is_object then n, at = string.unpack("<I4", bytes, at) end
    for _ = 1, n do
      local pair, to = { "" }, fields
      if bytes:byte(at) == OBJECT and not is_object then
        pair.kind, pair.place, to = bytes:byte(at + 1), string.unpack("<I8", bytes, at + 2) & SLOT, of_objects
      elseif bytes:byte(at) == DESTROYED and not is_object then
        pair.kind, pair.place, to = 256 + bytes:byte(at + 1), string.unpack("<I8", bytes, at + 10), of_objects
      end
      if not is_object then pair[1], at = value(bytes, at) end
      pair[2], at = value(bytes, at)
      to[#to + 1] = pair
    end
    append_by_place(fields, of_objects)
    list[number] = fields
  end
  return list
end

local function field(path, key)
  if key == "" then return path end
  local name = key:match '^"([%a_][%w_]*)"$'
  return name and ("%s.%s"):format(path, name) or ("%s[%s]"):format(path, key)
end

-- Return the hash of the core's part of a snapshot.
local function hash_of(snapshot)
  local world <close> = core.world {}
  world:restore(snapshot:sub(1, core.snapshot_info(snapshot).core))
  return world.hash
end

--- Return the Lua state of a snapshot, each table at its first path.
---@return table[] list  { path, text }
function state_text.list(bytes)
  local at = core.snapshot_info(bytes).state
  local out, starts = {}, {}
  if not at then return out end
  at = handlers(bytes, at + 24, out)
  at = functions(bytes, at, out)
  at = roots(bytes, at, starts)
  local fields, paths, queue = tables(bytes, at), {}, {}
  local function note(path, text)
    if type(text) == "string" then
      out[#out + 1] = { path, text }
    elseif type(text) == "table" then -- a reference to another world: `text` contains its snapshot
      out[#out + 1] = { path, "a world with hash " .. hash_of(text.snapshot) }
      for _, pair in ipairs(state_text.list(text.snapshot)) do
        out[#out + 1] = { ("%s: %s"):format(path, pair[1]), pair[2] }
      end
    elseif paths[text] then
      out[#out + 1] = { path, "the table " .. paths[text] }
    else
      paths[text] = path
      queue[#queue + 1] = text
    end
  end
  for _, start in ipairs(starts) do note(start[1], start[2]) end
  local i = 1
  while queue[i] do
    for _, pair in ipairs(fields[queue[i]]) do note(field(paths[queue[i]], tostring(pair[1])), pair[2]) end
    i = i + 1
  end
  return out
end

--- Return the first difference in the Lua state of two snapshots as a sentence, or nil. here, there: words for the
--- origins of a and b.
function state_text.difference(a, b, here, there)
  local mine, other = state_text.list(a), state_text.list(b)
  for i = 1, math.max(#mine, #other) do
    local x, y = mine[i], other[i]
    if not x or not y or x[1] ~= y[1] then
      local path = x and (not y or x[1] < y[1]) and x[1] or y[1]
      local at = x and x[1] == path and here or there
      return ("%s exists only %s"):format(path, at)
    end
    if x[2] ~= y[2] then return ("%s is %s %s, %s %s"):format(x[1], x[2], here, y[2], there) end
  end
end

return state_text
