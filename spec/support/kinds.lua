-- Names of kinds, from the registration tables.
--   for _, solver in ipairs(require("support.kinds").solvers) do ... end
local api = require("impel.core").api()

local function choices(class, name, option)
  for _, entry in ipairs(api[class]) do
    for _, o in ipairs(entry.name == name and entry.options or {}) do
      if o.name == option then return o.choices end
    end
  end
end

local function makers(class, result)
  local names = {}
  for _, entry in ipairs(api[class]) do
    if entry.signature and entry.signature:find("%-> " .. result .. "$") then names[#names + 1] = entry.name end
  end
  return names
end

return {
  solvers = choices("impel", "world", "solver"),
  fields = choices("world", "field", "kind"),
  joints = makers("world", "joint"), -- methods of a world, including "constraint"
  shapes = makers("body", "shape"), -- methods of a body that add a shape
}
