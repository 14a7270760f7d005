-- Check that a call raises an error that contains these words and names the calling line of the spec:
--
--   local raises = require "support.raises"
--   raises("must be a finite number", impel.pd, joint, { kp = "x" })

---@param words string   part of the message
---@param f function     called with the remaining arguments
---@return string message
return function(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error, but expected an error about '" .. words .. "'")
  assert(message:find(words, 1, true), "no '" .. words .. "' in: " .. message)
  -- For a function in C the error names the line of pcall in this file.
  local blamed = message:match "([^/]+)%.lua:%d+: "
  local spec = debug.getinfo(2, "S").short_src:match "([^/]+)%.lua$"
  -- An error inside a step has a traceback and does not name the calling line.
  local handler = message:find "stack traceback"
  assert(handler or blamed == spec or blamed == "raises", "the error is not at the caller's line: " .. message)
  return message
end
