-- impel.rig: assemblies of bodies and joints, each made by one call.
--
--   local rope = impel.rig.rope(world, { from = { 0, 5 }, to = { 3, 5 }, segments = 12 })
--   rope.bodies[1], rope.joints[#rope.joints]
--
-- Common options and results:
--
--   position   { x, y } [m], where the rig stands or hangs; angle [rad], about `position`
--   name       prefix of the names of bodies and joints
--   group      negative collision group: shapes of this group do not collide with each other; default: a new group
--   parts.bodies, parts.joints   lists of all bodies and of all joints of the rig, in the order of creation
--   parts:destroy()   removes all parts from the world; a second call does nothing
--   parts:mass(), parts:center()   of all bodies; parts:pose { hinge = angle, ... } for named hinges

local nearest = require "impel.base.nearest"

local names = {
  "arm", "biped", "bridge", "car", "chain", "cloth", "crane", "quadruped", "ragdoll", "rope", "soft", "tracked",
}

local known = {}
for _, name in ipairs(names) do known[name] = true end

return setmetatable({}, {
  submodules = known, -- names of the rigs, for completion
  __index = function(self, name)
    if not known[name] then
      error(("no field '%s' in impel.rig%s"):format(tostring(name), nearest.hint(name, names)), 2)
    end
    local make = require("impel.rig." .. name)
    rawset(self, name, make)
    return make
  end,
})
