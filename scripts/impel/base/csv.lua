-- CSV (RFC 4180): writes values as fields, reads records as lists of fields.

local arguments = require "impel.base.arguments"
local json = require "impel.base.json"

local csv = {}

--- Return a value as a field, quoted if necessary. Numbers have 17 digits; nil is an empty field.
---@param value nil|boolean|number|string
---@return string
function csv.field(value)
  if value == nil then return "" end
  if type(value) == "number" then return json.number(value) end
  local text = tostring(value)
  if not text:find('[,"\r\n]') then return text end
  return '"' .. text:gsub('"', '""') .. '"'
end

--- Return values as a record, without a line feed.
---@param values table  a list; a nil becomes an empty field
---@param count integer  number of fields
---@return string
function csv.line(values, count)
  local fields = {}
  for i = 1, count do fields[i] = csv.field(values[i]) end
  return table.concat(fields, ",")
end

-- Read the quoted field at pos. Return its text and the position after it. If the closing quote is missing, return nil,
-- and true if no line feed follows: the text may have been cut off inside the field.
local function quoted_field(text, pos)
  local start = pos + 1
  local stop = text:find('"', start, true)
  while stop and text:sub(stop + 1, stop + 1) == '"' do stop = text:find('"', stop + 2, true) end
  if not stop then return nil, text:find("\n", start, true) == nil end
  return text:sub(start, stop - 1):gsub('""', '"'), stop + 1
end

--- Read the record that starts at a byte position of a text.
---@param text string
---@param pos integer
---@return string[]|nil fields  nil if the text ends inside the record, or on an error
---@return integer|string|nil after  position of the next record; a message on an error
function csv.record(text, pos)
  local fields = {}
  while true do
    local field
    if text:sub(pos, pos) == '"' then
      local after
      field, after = quoted_field(text, pos)
      if not field then return nil, not after and "a quote is not closed" or nil end
      pos = after
    else
      local stop = text:find("[,\n]", pos) or #text + 1
      field = text:sub(pos, stop - 1):gsub("\r$", "")
      if field:find('"', 1, true) then
        return nil, ("the field '%s' contains a quote, but does not begin with one"):format(arguments.short(field))
      end
      pos = stop
    end
    fields[#fields + 1] = field
    local ending = text:match("^\r?\n", pos)
    if ending then return fields, pos + #ending end
    if pos > #text or text:find("^\r$", pos) then return nil end
    if text:sub(pos, pos) ~= "," then return nil, "a comma or the end of the line expected after a quote" end
    pos = pos + 1
  end
end

--- Return the fields of a record that is one line, without its line feed.
---@param line string
---@return string[]|nil fields
---@return string|nil message
function csv.split(line)
  local fields, after = csv.record(line .. "\n", 1)
  if fields and after == #line + 2 then return fields end
  return nil, not fields and after or "a quote is not closed"
end

return csv
