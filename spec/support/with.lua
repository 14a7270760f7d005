-- Return a copy of a table of options, to which the fields of a second table are added or which they replace.

return function(options, more)
  local all = {}
  for key, value in pairs(options) do all[key] = value end
  for key, value in pairs(more or {}) do all[key] = value end
  return all
end
