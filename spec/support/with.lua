-- Return a copy of a table with the fields of a second table, which have priority.

return function(options, more)
  local all = {}
  for key, value in pairs(options) do all[key] = value end
  for key, value in pairs(more or {}) do all[key] = value end
  return all
end
