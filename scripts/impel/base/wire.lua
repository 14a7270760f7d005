-- Plain data as exact text and back, between processes.

local wire = {}

local function encode(value, parts)
  if type(value) ~= "table" then
    -- %q writes floats exactly, in hexadecimal, and raises for functions and objects.
    parts[#parts + 1] = ("%q"):format(value)
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

--- Return nil, a boolean, a number, a string or a table of these as text, exact to the bit, with nan and inf. Raises
--- for other values.
---@return string
function wire.encode(value)
  local parts = {}
  encode(value, parts)
  return table.concat(parts)
end

--- Return the data of a text made by wire.encode. The text must come from a trusted process, because it is run as Lua.
function wire.decode(text)
  return assert(load("return " .. text, "=wire", "t", {}))()
end

return wire
