-- Check that a call raises an error with these words, at the line of the spec that calls:
--
--   local raises = require "support.raises"
--   raises("must be a finite number", impel.pd, joint, { kp = "x" })

---@param words string   part of the message
---@param f function     called with the remaining arguments
---@return string message
return function(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error where one about '" .. words .. "' was expected")
  assert(message:find(words, 1, true), "no '" .. words .. "' in: " .. message)
  local blamed = message:match "([^/]+)%.lua:%d+: " -- if f has no Lua wrapper, its caller is this file
  local spec = debug.getinfo(2, "S").short_src:match "([^/]+)%.lua$"
  local handler = message:find "stack traceback" -- an error inside a step has a traceback instead of the calling line
  assert(handler or blamed == spec or blamed == "raises", "not at the caller's line: " .. message)
  return message
end
