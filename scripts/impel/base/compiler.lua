-- Lua source from text. The message for a source that does not compile is short and has a line, for any bytes.

local arguments = require "impel.base.arguments"

local compiler = {}
local clock = os.clock

local PIECE = 4096 -- [bytes] that Lua gets at a time
local MOST = 5     -- [s] of processor time, and as much for each 50 MB: Lua compiles 10 MB and more in a second

-- Line and column at which Lua stops, by feeding it byte after byte: its parser gives no line for an overflow.
local function place_of(text, name, globals)
  local taken = 0
  pcall(load, function()
    taken = taken + 1
    return taken <= #text and text:sub(taken, taken) or nil
  end, name, "t", globals)
  return arguments.place(text, taken)
end

--- Lua's message for a source, with the beginning of a long word that it quotes.
---@param message string  of load
---@return string
function compiler.short(message)
  local before, word, after = message:match "^(.* near ')(.*)('.*)$"
  return word and before .. arguments.short(word) .. after or message
end

--- Lua's load, for text only, with a limit of time: a chain of n `and`, `or` or `elseif` takes Lua n^2.
---@param text string
---@param name string  chunk name, "@file" or "=name"
---@param globals table
---@param most number|nil  seconds of processor time (5, and more for more than 50 MB)
---@return function|nil chunk
---@return string|nil message  "scene.lua:1: column 198: more brackets ... than the 200 that Lua compiles"
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
  local _, chunk, message = pcall(load, next_piece, name, "t", globals) -- no message handler around sees an overflow
  if slow then
    local line = arguments.place(text, math.min(at, #text + 1))
    return nil, ("%s:%d: Lua compiled up to here for %g s: is there a chain of thousands of 'and', 'or' or 'elseif'?")
      :format(name:sub(2), line, most)
  end
  if chunk or not message:find "C stack overflow$" and not message:find "C levels[^\n]*$" then return chunk, message end
  local line, column = place_of(text, name, globals)
  return nil, ("%s:%d: column %d: more brackets, operators and blocks inside each other than the 200 that Lua compiles")
    :format(name:sub(2), line, column)
end

return compiler
