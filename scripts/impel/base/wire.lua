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

--- Return nil, a boolean, number, string or table as text.
---@return string
function wire.encode(value)
  local parts = {}
  encode(value, parts)
  return table.concat(parts)
end

--- Return the data of a text from a trusted process, because the text is run.
function wire.decode(text)
  return assert(load("return " .. text, "=wire", "t", {}))()
end

return wire
