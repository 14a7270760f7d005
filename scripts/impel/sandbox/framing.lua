-- Messages over pipes. A message is a list of strings; its bytes are a total length, then the length and the bytes of
-- each string. The reader rejects inconsistent lengths, because a sandbox may send any bytes.

local pieces = require "impel.sandbox.pieces"

local framing = {}
local Reader = {}
Reader.__index = Reader

local HEAD = "<I4"
local PART = "<s4"
-- largest number of strings in a message
local MOST_PARTS = 4096

--- Encode a message as bytes.
---@param ... string|number  strings of the message
function framing.encode(...)
  local parts = table.pack(...)
  for i = 1, parts.n do parts[i] = PART:pack(tostring(parts[i])) end
  local body = table.concat(parts)
  return HEAD:pack(#body) .. body
end

-- Split a complete message into its strings. Return nil if the lengths are inconsistent.
local function split(body)
  local parts, at = {}, 1
  while at <= #body do
    if #body - at + 1 < 4 then return nil end
    local length = HEAD:unpack(body, at)
    if length > #body - at - 3 or #parts == MOST_PARTS then return nil end
    parts[#parts + 1] = body:sub(at + 4, at + 3 + length)
    at = at + 4 + length
  end
  return parts
end

--- Make a reader that converts received bytes to messages.
---@param longest integer  longest message [B]
function framing.reader(longest)
  return setmetatable({ longest = longest, waiting = pieces.new() }, Reader)
end

--- Add received bytes. Return the messages that are now complete; nil for invalid bytes, which end the use of the
--- reader.
function Reader:take(text)
  local messages = {}
  self.waiting:add(text)
  if self.waiting.size < (self.due or 4) then return messages end
  local all, at = self.waiting:whole(), 1
  while #all - at + 1 >= 4 do
    local length = HEAD:unpack(all, at)
    if length > self.longest then return nil end
    self.due = 4 + length
    if #all - at + 1 < self.due then break end
    local parts = split(all:sub(at + 4, at + 3 + length))
    if not parts or not parts[1] then return nil end
    messages[#messages + 1] = parts
    at, self.due = at + self.due, nil
  end
  self.waiting = pieces.new()
  self.waiting:add(all:sub(at))
  return messages
end

return framing
