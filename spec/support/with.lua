-- A copy of some options, with more of them beside or in their place.

return function(options, more)
  local all = {}
  for key, value in pairs(options) do all[key] = value end
  for key, value in pairs(more or {}) do all[key] = value end
  return all
end
