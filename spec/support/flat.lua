-- Measure the bytes of Lua's memory that repeated work allocates. The collector is stopped, so 0 means that the work
-- makes no garbage.

--- Return the growth of Lua's memory over `count` calls, after a warm-up.
---@param work fun()      one step
---@param count integer   10000 by default
---@return integer bytes  0 if nothing was allocated
return function(work, count)
  for _ = 1, 200 do work() end
  collectgarbage()
  collectgarbage "stop"
  work() -- allocate the call frames that the collection freed
  local before = collectgarbage "count"
  for _ = 1, count or 10000 do work() end
  local after = collectgarbage "count"
  collectgarbage "restart"
  return math.floor((after - before) * 1024 + 0.5)
end
