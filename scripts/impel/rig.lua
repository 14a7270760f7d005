-- impel.rig: assemblies of bodies and joints that are made by one call, with their parts by name.
--
--   local rope = impel.rig.rope(world, { from = { 0, 5 }, to = { 3, 5 }, segments = 12 })
--   rope.bodies[1], rope.joints[#rope.joints]
--
-- Each is a module of its own, impel/rig/NAME.lua, that returns function(world, options) -> parts. What they share:
--
--   position   { x, y } [m], where the rig stands or hangs; angle [rad], how it is turned about that point
--   name       begins the names of its bodies and joints: "rope" gives "rope 1", "rope 2", ...
--   group      collision group of all its shapes: negative, they never meet each other; by default one of its own
--   parts.bodies, parts.joints   all of them, in the order of their creation, beside the parts that have names
--   parts:destroy()   takes all of it out of the world; again is nothing. world:restore may bring it back; what drives
--     it in Lua is there again after the next order to it (crane:hoist, arm:move)
--   parts:mass(), parts:center()   of all bodies; parts:pose { hinge = angle, ... } where hinges have names

local nearest = require "impel.base.nearest"

local names = {
  "arm", "biped", "bridge", "car", "chain", "cloth", "crane", "quadruped", "ragdoll", "rope", "soft", "tracked",
}

local known = {}
for _, name in ipairs(names) do known[name] = true end

return setmetatable({}, {
  submodules = known, -- for completion
  __index = function(self, name)
    if not known[name] then
      error(("no field '%s' in impel.rig%s"):format(tostring(name), nearest.hint(name, names)), 2)
    end
    local make = require("impel.rig." .. name)
    rawset(self, name, make)
    return make
  end,
})
