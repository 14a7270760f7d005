-- Lua source from text. The message for a source that does not compile is short and has a line, for any bytes.

local arguments = require "impel.arguments"

local compiler = {}

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

--- Lua's load, for text only.
---@param text string
---@param name string  chunk name, "@file" or "=name"
---@param globals table
---@return function|nil chunk
---@return string|nil message  "scene.lua:1: column 198: more brackets ... than the 200 that Lua compiles"
function compiler.load(text, name, globals)
  local _, chunk, message = pcall(load, text, name, "t", globals) -- no message handler around it sees an overflow
  if chunk or not message:find "C stack overflow$" and not message:find "C levels[^\n]*$" then return chunk, message end
  local line, column = place_of(text, name, globals)
  return nil, ("%s:%d: column %d: more brackets, operators and blocks inside each other than the 200 that Lua compiles")
    :format(name:sub(2), line, column)
end

return compiler
