-- Plain data as text and back, from one process of the program to another: every bit of a number, nan and inf too.

local wire = {}

local function encode(value, parts)
  if type(value) ~= "table" then
    parts[#parts + 1] = ("%q"):format(value) -- floats in hexadecimal; raises on what is no data
    return
  end
  parts[#parts + 1] = "{"
  for key, item in pairs(value) do
    parts[#parts + 1] = "["
    encode(key, parts)
    parts[#parts + 1] = "]="
    encode(item, parts)
    parts[#parts + 1] = ","
  end
  parts[#parts + 1] = "}"
end

--- nil, booleans, numbers, strings and tables of them as text, in no order of keys.
---@return string
function wire.encode(value)
  local parts = {}
  encode(value, parts)
  return table.concat(parts)
end

--- The data of a text that wire.encode made; of our own processes, not of a stranger.
function wire.decode(text)
  return assert(load("return " .. text, "=wire", "t", {}))()
end

return wire
