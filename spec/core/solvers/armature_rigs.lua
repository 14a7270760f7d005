-- Rigs for the specs of rotors: all solvers, worlds, chains of rods, and single links on pins and sliders.
--   local rigs = require "core.solvers.armature_rigs"
local impel = require "impel"

local L, MASS, G = 0.45, 1, 9.81
local INERTIA = MASS * L * L / 12

local solvers
for _, entry in ipairs(impel.api().impel) do
  for _, option in ipairs(entry.name == "world" and entry.options or {}) do
    if option.name == "solver" then solvers = option.choices end
  end
end

local function new_world(solver, more)
  local options = { solver = solver, sleep = false }
  for key, value in pairs(more or {}) do options[key] = value end
  return impel.world(options)
end

-- A chain of n rods at rest, to the right of the origin.
local function chain(world, n, options)
  local prev, joints, bodies = world.ground, {}, {}
  for i = 1, n do
    local body = world:body { position = { (i - 0.5) * L, 0 }, mass = MASS, inertia = INERTIA }
    local o = { anchor = { (i - 1) * L, 0 } }
    for key, value in pairs(options) do o[key] = value end
    joints[i], bodies[i], prev = world:revolute(prev, body, o), body, body
  end
  return joints, bodies
end

-- Each link: inertia [kg m^2] or mass [kg], armature R in the same unit, step [s]. Pins are at the centre of mass. The
-- equations of motion are I q'' = -lambda, R s' = lambda, with speed s of the rotor.
local LINKS = { { 0.1, 0.9, 1 / 60 }, { 2e-3, 5, 1 / 240 }, { 20, 0.3, 1 / 30 } }
local CLOSE = 1e-5 -- tolerance for speeds of 1 to 10 [m/s or rad/s]: the soft solver computes in floats

-- A link on a pin (kind "revolute") or on a slider along x, mounted on a kinematic `base` or on the ground.
local function link(kind, solver, size, options, base)
  options = options or {}
  options.gravity, options.dt, options.iterations = options.gravity or { 0, 0 }, size[3], 50
  local world = new_world(solver, options)
  local hold = base and world:body { type = "kinematic" } or world.ground
  local body = world:body { mass = kind == "revolute" and 1 or size[1], inertia = kind == "revolute" and size[1] or 1 }
  local joint = world[kind](world, hold, body, { armature = size[2], axis = kind == "prismatic" and { 1, 0 } or nil })
  local function push(amount)
    if kind == "revolute" then body:apply_angular_impulse(amount) else body:apply_impulse(amount, 0) end
  end
  return world, body, joint, push, hold
end

local function each_link(f)
  for _, solver in ipairs(solvers) do
    for _, kind in ipairs { "revolute", "prismatic" } do
      for _, size in ipairs(LINKS) do
        f(kind, solver, size, ("%s %s I=%g R=%g"):format(solver, kind, size[1], size[2]))
      end
    end
  end
end

return {
  L = L, MASS = MASS, G = G, INERTIA = INERTIA, CLOSE = CLOSE, LINKS = LINKS,
  solvers = solvers, new_world = new_world, chain = chain, link = link, each_link = each_link,
}
