-- Return a new table with the fields of `options` and `more`. A field of both has the value in `more`.

return function(options, more)
  local all = {}
  for key, value in pairs(options) do all[key] = value end
  for key, value in pairs(more or {}) do all[key] = value end
  return all
end
