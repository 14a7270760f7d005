-- Tests the Lua functions that read foreign text. For any bytes no reader raises an error, and the instructions and
-- memory per byte are bounded (spec/support/work.lua).
--
--   the first byte: the number of a reader; the second: the number of a frame around the text; the rest: the text
local readers = require "support.readers"
local work = require "support.work"

local START = 200000 -- instructions and bytes of memory for an empty text

return function(bytes)
  local reader = readers[1 + (bytes:byte(1) or 0) % #readers]
  local frame = reader.frames[1 + (bytes:byte(2) or 0) % #reader.frames]
  local text = frame[1] .. bytes:sub(3) .. frame[2]
  local most = START + reader.most * #text
  local spent, ok, message = work.of(most, reader.read, text)
  assert(not spent.over, ("%s: more than %d instructions for %d bytes"):format(reader.name, most, #text))
  assert(spent.bytes <= most, ("%s: %d bytes of memory for %d bytes of input"):format(reader.name, spent.bytes, #text))
  assert(ok, ("%s: %s"):format(reader.name, message))
end
