--- Merge tables; the last value of a key wins.
---@param ... table|nil
---@return table
return function(...)
  local all = {}
  for i = 1, select("#", ...) do
    for key, value in next, (select(i, ...)) or {} do all[key] = value end
  end
  return all
end
