--- Return a new table with the fields of several tables; the last table with a key sets its value.
---@param ... table|nil
---@return table
return function(...)
  local all = {}
  for i = 1, select("#", ...) do
    for key, value in next, (select(i, ...)) or {} do all[key] = value end
  end
  return all
end
