-- The "did you mean" hint: finds the valid name nearest to an unknown name.

local nearest = {}

local MOST = 100000 -- largest number of fields read from a table with a metamethod __pairs, which may never end

local metatable_of = debug and debug.getmetatable or getmetatable -- a sandbox has no debug library
local LONGEST = 64 -- [B], longest word compared, because the time grows with the product of both lengths

-- Return the edit distance of two words: insert, delete, replace and swap of two neighbours cost 1 each.
local function distance(a, b)
  local before, previous = nil, {}
  for j = 0, #b do previous[j] = j end
  for i = 1, #a do
    local row = { [0] = i }
    for j = 1, #b do
      local differs = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + differs)
      local swapped = i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j)
      if swapped then row[j] = math.min(row[j], before[j - 2] + 1) end
    end
    before, previous = previous, row
  end
  return previous[#b]
end

--- Return the valid name nearest to `word`.
---@param word string
---@param names string[]  valid names; of equally near ones the first is returned
---@return string|nil name  nil if no name is within a third of the word's length (at least one letter), or the word is
---  longer than 64 bytes
function nearest.find(word, names)
  if #word > LONGEST then return nil end
  local limit = math.max(1, math.floor(#word / 3))
  local best
  for _, name in ipairs(names) do
    local apart = math.abs(#word - #name) -- a lower bound of the edit distance; the distance itself is slow to compute
    local d = apart <= limit and distance(word:lower(), name:lower())
    if d and d <= limit then best, limit = name, d - 1 end
  end
  return best
end

--- Return at most `most` valid names near to `word`, nearest first; if none is near, names that contain `word`.
---@param word string
---@param names string[]
---@param most integer
---@return string[]
function nearest.list(word, names, most)
  if #word > LONGEST then return {} end
  local limit = math.max(1, math.floor(#word / 3))
  local found, holding, seen = {}, {}, {}
  local lower = word:lower()
  for i, name in ipairs(names) do
    local apart = math.abs(#word - #name)
    local new, other = not seen[name], name:lower()
    local d = new and apart <= limit and distance(lower, other)
    if d and d <= limit then found[#found + 1] = { name, d, i } end
    if new and #word > 2 and other:find(lower, 1, true) then holding[#holding + 1] = { name, apart, i } end
    seen[name] = true
  end
  if #found == 0 then found = holding end
  table.sort(found, function(a, b)
    if a[2] ~= b[2] then return a[2] < b[2] end
    return a[3] < b[3]
  end)
  local list = {}
  for i = 1, math.min(most, #found) do list[i] = found[i][1] end
  return list
end

--- Return the nearest names as " (did you mean 'name'?)", or "".
---@param word any
---@param names string[]
---@param most integer|nil  largest number of names, as in nearest.list; default: only the nearest
---@param before string|nil  prefix of each name in the message: "world:"
function nearest.hint(word, names, most, before)
  if type(word) ~= "string" then return "" end
  local list = most and nearest.list(word, names, most) or { nearest.find(word, names) }
  if #list == 0 then return "" end
  for i, name in ipairs(list) do list[i] = ("'%s%s'"):format(before or "", name) end
  local text = table.concat(list, ", ")
  return (" (did you mean %s?)"):format((text:gsub("^(.*), ", "%1 or ")))
end

--- Iterate over a table as pairs does. Raises after 100000 fields from __pairs.
---@param t table
function nearest.pairs(t)
  local meta = metatable_of(t)
  if not meta or type(meta) == "table" and rawget(meta, "__pairs") == nil then return next, t end
  local following, state, first = pairs(t)
  local count = 0
  return function(_, key)
    count = count + 1
    if count > MOST then error(("the __pairs of a table gives more than %d fields"):format(MOST), 0) end
    return following(state, key)
  end, state, first
end

--- Return whether a list contains a value.
function nearest.has(list, value)
  for _, each in ipairs(list) do
    if each == value then return true end
  end
  return false
end

--- Return the string keys of a table, sorted.
function nearest.keys(t)
  local keys = {}
  for key in nearest.pairs(t) do
    if type(key) == "string" then keys[#keys + 1] = key end
  end
  table.sort(keys)
  return keys
end

return nearest
