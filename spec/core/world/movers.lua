-- Helpers for the specs of character movers.
local impel = require "impel"

local movers = { SKIN = 1e-3 } -- gap that a mover keeps to surfaces [m]: constants.h

--- A floor whose top is at y = 0.
function movers.floor(world)
  return world:body({ type = "static", name = "floor" }):box { 200, 1, center = { 0, -0.5 } }
end

--- Create a world, call `build` with it, and add a mover. Returns world, mover, and the result of `build`.
---@param build function  called with the world
---@param options table|nil  options of the mover
---@param more table|nil  options of the world
function movers.scene(build, options, more)
  local world = impel.world(more or {})
  local made = build(world)
  return world, world:mover(options or {}), made
end

return movers
