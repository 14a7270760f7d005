-- Check that a call raises an error that names the spec's line, as raises.lua does. The message must match a pattern:
--
--   local refused = require "support.refused"
--   refused(function() env:step { 0 } end, "the environment was never reset: call env:reset")

---@param f function      that must raise an error
---@param message string  a Lua pattern for its message
return function(f, message)
  local ok, text = pcall(f)
  local spec = debug.getinfo(2, "S").short_src
  assert(not ok, "no error where one like '" .. message .. "' was expected")
  assert(text:match(message), "no '" .. message .. "' in: " .. text)
  local here = text:sub(1, #spec + 1) == spec .. ":" and text:match("^%d+: ", #spec + 2)
  assert(here, "the error is not at the caller's line: " .. text)
end
