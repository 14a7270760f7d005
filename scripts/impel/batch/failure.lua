--- Return a failure: nil, { kind, message }.
---@param kind string  "usage", "scene", "diverged", "damaged", "check", "interrupted" or "internal"
---@param ... any  a format and its values
return function(kind, ...)
  return nil, { kind = kind, message = string.format(...) }
end
