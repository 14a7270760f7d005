-- require "impel": the engine (everything of impel.core) and, loaded when first asked for, the script modules.

-- Another Lua would say no more than which symbol the module lacks.
if _VERSION ~= "Lua 5.4" then error("impel needs Lua 5.4, this is " .. _VERSION .. " (busted --lua=lua5.4 FILE)", 0) end

local core = require "impel.core"
local nearest = require "impel.nearest"

local impel = {}
local submodules = {
  baumgarte = true, bisect = true, cma = true, compare = true, data = true, doctor = true, field = true, input = true,
  math = true, nelder_mead = true, pairs = true, picture = true, plot = true, processes = true, recorder = true,
  rng = true, scene = true, sweep = true, trace = true, tune = true,
}

-- Functions that have a name of their own here: the module and its field.
local functions = { load_data = { "data", "load" } }

for name, value in pairs(core) do
  if not submodules[name] then impel[name] = value end
end

return setmetatable(impel, {
  submodules = submodules, -- for completion
  __index = function(_, name)
    if submodules[name] then
      local module = require("impel." .. name)
      rawset(impel, name, module)
      return module
    end
    if functions[name] then
      local value = impel[functions[name][1]][functions[name][2]]
      rawset(impel, name, value)
      return value
    end
    -- A name that people bring from another engine: the core says what it is here.
    local _, message = pcall(function() return core[name] end)
    local ours = type(message) == "string" and message:match("%(in impel: .*%)$")
    if ours then error(("no field '%s' in impel %s"):format(name, ours), 2) end
    local names = nearest.keys(impel)
    for submodule in pairs(submodules) do names[#names + 1] = submodule end
    for f in pairs(functions) do names[#names + 1] = f end
    table.sort(names)
    error(("no field '%s' in impel%s"):format(tostring(name), nearest.hint(name, names)), 2)
  end,
})
