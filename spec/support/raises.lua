-- Misuse is told: that a call raises, with these words, at the line of the spec that calls.
--
--   local raises = require "support.raises"
--   raises("must be a finite number", impel.pd, joint, { kp = "x" })

---@param words string   in the message
---@param f function     called with what is behind it
---@return string message
return function(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error where one about '" .. words .. "' was expected")
  assert(message:find(words, 1, true), "no '" .. words .. "' in: " .. message)
  local blamed = message:match "([^/]+)%.lua:%d+: " -- a function that is given by itself is called from here
  local spec = debug.getinfo(2, "S").short_src:match "([^/]+)%.lua$"
  local handler = message:find "stack traceback" -- in a step nobody called: the traceback tells
  assert(handler or blamed == spec or blamed == "raises", "not at the caller's line: " .. message)
  return message
end
