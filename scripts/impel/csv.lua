-- Lines of CSV (RFC 4180), one record a line: a line break inside of a field is not written, so that a line is whole or
-- torn and nothing between.

local json = require "impel.json"

local csv = {}

--- A value as a field: numbers with 17 digits, true and false as such, nil as nothing, text without line breaks.
---@param value nil|boolean|number|string
---@return string
function csv.field(value)
  if value == nil then return "" end
  if type(value) == "number" then return json.number(value) end
  local text = tostring(value):gsub("[\r\n]+", "; ")
  if not text:find('[,"]') then return text end
  return '"' .. text:gsub('"', '""') .. '"'
end

--- Values as a line, without its end.
---@param values table  a list; holes are empty
---@param count integer
---@return string
function csv.line(values, count)
  local fields = {}
  for i = 1, count do fields[i] = csv.field(values[i]) end
  return table.concat(fields, ",")
end

--- The fields of a line as text; nil where its quotes do not close.
---@param line string
---@return string[]|nil
function csv.split(line)
  local fields, at = {}, 1
  repeat
    local stop
    if line:sub(at, at) == '"' then
      local close = at
      repeat
        close = line:find('"', close + 1, true)
        if not close then return nil end
        local doubled = line:sub(close + 1, close + 1) == '"'
        if doubled then close = close + 1 end
      until not doubled
      fields[#fields + 1] = line:sub(at + 1, close - 1):gsub('""', '"')
      stop = close + 1
      if stop <= #line and line:sub(stop, stop) ~= "," then return nil end
    else
      stop = line:find(",", at, true) or #line + 1
      fields[#fields + 1] = line:sub(at, stop - 1)
    end
    at = stop + 1
  until stop > #line
  return fields
end

return csv
