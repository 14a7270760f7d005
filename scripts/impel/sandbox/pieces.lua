-- A text that is received in pieces.
--
--   local text = pieces.new()
--   text:add "one " text:add "two"
--   print(text.size, text:whole())

local pieces = {}
local Pieces = {}
Pieces.__index = Pieces

local MOST = 256 -- number of short pieces that are joined into one long piece

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

--- Return the whole text.
---@return string
function Pieces:whole() return table.concat(self.long) .. table.concat(self.short) end

return pieces
