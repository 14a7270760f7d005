-- How many bytes of Lua's memory a piece of work leaves behind, repeated. Nothing is collected meanwhile: what is flat
-- makes no garbage at all.

--- The growth of Lua's memory over `count` calls, after warming up.
---@param work fun()      one step
---@param count integer   10000 by default
---@return integer bytes  0 when nothing was allocated
return function(work, count)
  for _ = 1, 200 do work() end
  collectgarbage()
  collectgarbage "stop"
  work() -- a collection takes spare call frames away, which come back once
  local before = collectgarbage "count"
  for _ = 1, count or 10000 do work() end
  local after = collectgarbage "count"
  collectgarbage "restart"
  return math.floor((after - before) * 1024 + 0.5)
end
