-- A text that comes in pieces, of which whoever sends them may make as many as it has bytes: the list stays short.
--
--   local text = pieces.new()
--   text:add "one " text:add "two"
--   print(text.size, text:whole())

local pieces = {}
local Pieces = {}
Pieces.__index = Pieces

local MOST = 256 -- that are put together to one

function pieces.new()
  return setmetatable({ size = 0, long = {}, short = {} }, Pieces)
end

--- Add a piece.
---@param text string
function Pieces:add(text)
  local short = self.short
  short[#short + 1], self.size = text, self.size + #text
  if #short < MOST then return end
  self.long[#self.long + 1], self.short = table.concat(short), {}
end

--- All of them, one after another.
---@return string
function Pieces:whole() return table.concat(self.long) .. table.concat(self.short) end

return pieces
