--- Return the failure of a module that runs scenes: nil, { kind, message }. The kinds are the names of exit codes:
--- "usage", "scene", "diverged", "damaged" (a file), "check", "interrupted", "internal".
---@param kind string
---@param ... any  a format and its values
return function(kind, ...)
  return nil, { kind = kind, message = string.format(...) }
end
