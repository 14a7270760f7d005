-- Quoting of words for a shell.

local shell = {}

--- Return a text as one word of a POSIX shell.
---@param text string
---@return string
function shell.word(text)
  if text:find "^[%w_./=+-]+$" then return text end
  return "'" .. text:gsub("'", [['\'']]) .. "'"
end

--- Return an option with its value, "--set kp=2".
---@param name string
---@param value number|string
---@param number fun(x: number): string  formats numbers
---@return string
function shell.option(name, value, number)
  return ("--%s %s"):format(name, shell.word(type(value) == "number" and number(value) or value))
end

return shell
