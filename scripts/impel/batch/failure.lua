--- Return a failure: nil, { kind, message }.
---@param kind string  name of an exit code: "usage", "scene", "diverged", "damaged" (a file), "check", "interrupted" or
---  "internal"
---@param ... any  a format and its values
return function(kind, ...)
  return nil, { kind = kind, message = string.format(...) }
end
