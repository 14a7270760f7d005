-- require "impel": everything of impel.core, and the script modules, each loaded at its first use.

-- Check the version first: another Lua would only report a missing symbol of the C module.
if _VERSION ~= "Lua 5.4" then error("impel needs Lua 5.4, this is " .. _VERSION .. " (busted --lua=lua5.4 FILE)", 0) end

local core = require "impel.core"
local nearest = require "impel.base.nearest"
local parts = require "impel.base.parts"

-- The core reports errors of calls from the modules in this folder at the line that called the module.
core.set_home((debug.getinfo(1, "S").source:match "^(.*)init%.lua$"))

local impel = {}
local submodules = {
  autotune = true, baumgarte = true, benchmark = true, bisect = true, blend = true, camera = true, cma = true,
  compare = true, control = true, data = true, doctor = true, env = true, evolve = true, field = true, file = true,
  gains = true, genetic = true, group = true, input = true, law = true, math = true, motor = true, multibody = true,
  muscle = true,
  nelder_mead = true, network = true, optimal = true, pairs = true, pattern = true, pd = true, picture = true,
  pid = true, plot = true, posture = true, predictive = true, processes = true, qp = true, recorder = true,
  recording = true, reflected_inertia = true, replay = true, rig = true, rng = true, root = true, scene = true,
  servo = true, sound = true, stability = true, stable_pd = true, state_machine = true, sweep = true,
  timed_force = true, trace = true, track = true, tune = true, virtual_force = true,
}

-- name in impel -> { module, name in it }
local functions = { load_data = { "data", "load" } }

-- name of a module that was left out of the build -> reason
local missing = {}
for name in pairs(submodules) do missing[name] = parts.missing_module(name) end
for name, why in pairs(missing) do
  submodules[name] = nil
  local function fail() error(("impel.%s: %s"):format(name, why), 0) end
  if package.preload then package.preload["impel." .. name] = fail end -- a sandbox has no package.preload
end

for name, value in pairs(core) do
  if not submodules[name] and name ~= "set_home" then impel[name] = value end
end

return setmetatable(impel, {
  submodules = submodules, -- used for completion and the reference
  functions = functions,
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
    if missing[name] then error(("no field '%s' in impel: %s"):format(name, missing[name]), 2) end
    -- If `name` is a name of another engine, core[name] raises a message that ends in "(in impel: OUR NAME)".
    local _, message = pcall(function() return core[name] end)
    local ours = type(message) == "string" and message:match("%(in impel: .*%)$")
    if ours then error(("no field '%s' in impel %s"):format(name, ours), 2) end
    local names = nearest.keys(impel)
    for submodule in pairs(submodules) do names[#names + 1] = submodule end
    for f in pairs(functions) do names[#names + 1] = f end
    table.sort(names)
    local near = nearest.hint(name, names)
    ours = near == "" and type(name) == "string" and require("impel.scene.fields").ours(name)
    error(("no field '%s' in impel%s"):format(tostring(name), ours and (" (in impel: %s)"):format(ours) or near), 2)
  end,
})
