-- Compilation of Lua source, with short error messages that have a line number.

local arguments = require "impel.base.arguments"

local compiler = {}
local clock = os.clock

local PIECE = 4096 -- [B], size of the pieces passed to Lua
local MOST = 5     -- [s], limit on processor time for a text of up to 50 MB

-- Return the line and column at which Lua stops reading. The source is passed byte by byte.
local function place_of(text, name, globals)
  local taken = 0
  pcall(load, function()
    taken = taken + 1
    return taken <= #text and text:sub(taken, taken) or nil
  end, name, "t", globals)
  return arguments.place(text, taken)
end

--- Return a syntax error of Lua; if the word that it quotes is long, the word is cut.
---@param message string
---@return string
function compiler.short(message)
  local before, word, after = message:match "^(.* near ')(.*)('.*)$"
  return word and before .. arguments.short(word) .. after or message
end

--- Load Lua text with a time limit, because some source takes quadratic time.
---@param text string
---@param name string  chunk name, "@file" or "=name"
---@param globals table
---@param most number|nil  limit on processor time [s]; default 5, and more for more than 50 MB
---@return function|nil chunk
---@return string|nil message  "scene.lua:1: column 198: ..."
function compiler.load(text, name, globals, most)
  most = most or MOST * math.max(1, #text / 50e6)
  local due, at, slow = clock() + most, 1, false
  local function next_piece()
    if clock() > due then
      slow = true
      error "slow"
    end
    local piece = text:sub(at, at + PIECE - 1)
    at = at + PIECE
    return piece ~= "" and piece or nil
  end
  local _, chunk, message = pcall(load, next_piece, name, "t", globals) -- load raises an error at a C stack overflow
  if slow then
    local line = arguments.place(text, math.min(at, #text + 1))
    return nil, ("%s:%d: compiling up to this line took over %g s; is there a chain of thousands of 'and', 'or' or "
      .. "'elseif'?")
      :format(name:sub(2), line, most)
  end
  if chunk or not message:find "C stack overflow$" and not message:find "C levels[^\n]*$" then return chunk, message end
  local line, column = place_of(text, name, globals)
  return nil, ("%s:%d: column %d: brackets, operators and blocks are nested deeper than Lua's limit of 200")
    :format(name:sub(2), line, column)
end

return compiler
