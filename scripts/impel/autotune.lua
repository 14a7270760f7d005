-- impel.autotune: measure the inertia, load and friction of a joint, and choose gains for it.
--
--   local kp, kd, report = impel.autotune(elbow, { hertz = 3, damping_ratio = 0.7 })
--   local pd = impel.pd(elbow, { kp = kp, kd = kd, feed_forward = report.load })
--   impel.autotune.measure(elbow)           { inertia, load, friction }
--   impel.autotune.search(world, { start = { 50, 5 }, seconds = 2, cost = function(gains, t) ... end })
--
-- The joint gets the torques d, 2 d, -d, -2 d, each for one substep from standstill. With the accelerations a:
--   inertia = d / (a(2 d) - a(d))

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local gains = require "impel.gains"
local reflected_inertia = require "impel.reflected_inertia"
local search = require "impel.control.autotune_search"

local autotune = {}

local DOUBLINGS = 60
local STUCK = 1e-3 -- largest relative difference of two slopes that count as equal

-- Return the acceleration of a coordinate in one substep under a torque, from standstill. The world is restored.
local function trial(coordinate, start, torque)
  local world = coordinate.world
  world:restore(start)
  for body in world:bodies() do
    local turns = body.type == "dynamic"
    if turns or body.type == "particle" then body:set_velocity(0, 0) end
    if turns and not body.fixed_rotation then body.angular_velocity = 0 end
  end
  -- `direct` without midpoint uses the Jacobians of the initial pose.
  world.solver, world.substeps, world.midpoint = "direct", 1, false
  local j, n = { coordinate:jacobian() }, 0
  for _, body in ipairs { coordinate.joint:bodies() } do -- apply the forces J^T torque, in addition to the drives
    if body.type == "dynamic" or body.type == "particle" then
      body:apply_force(j[n + 1] * torque, j[n + 2] * torque)
      if j[n + 3] ~= 0 then body:apply_torque(j[n + 3] * torque) end
    end
    n = n + 3
  end
  world:step()
  local a = coordinate.speed / world.dt
  world:restore(start)
  return a
end

-- Make the coordinate's controllers passive. Return a function that reactivates them after a restore.
local function quiet(coordinate)
  local list = {}
  for _, controller in ipairs(control.of(coordinate)) do
    list[#list + 1] = { controller, controller.enabled, controller.acting, controller:save() }
    if controller.acting then controller:rest() end
    controller.enabled, controller.acting = false, false
  end
  return function()
    for _, was in ipairs(list) do
      local controller = was[1]
      controller.enabled, controller.acting = was[2], was[3]
      controller:load(was[4])
    end
  end
end

-- Compute the inertia, load and friction from one line through the accelerations for torques d and 2 d and one line
-- through those for -d and -2 d [N m or N]. d is doubled until the slopes agree. Return nil and a reason if they never
-- agree.
local function find_lines(coordinate, start, d)
  for _ = 1, DOUBLINGS do
    local up, up2 = trial(coordinate, start, d), trial(coordinate, start, 2 * d)
    local down, down2 = trial(coordinate, start, -d), trial(coordinate, start, -2 * d)
    local rise, fall = up2 - up, down - down2
    -- If both lines have the same slope (1 / inertia), each of the four torques overcame friction.
    if rise > 0 and math.abs(rise - fall) <= STUCK * rise and up >= 0 and down <= 0 then
      local inertia = 2 * d / (rise + fall)
      local above, below = up * inertia - d, down * inertia + d
      return { inertia = inertia, load = -(above + below) / 2, friction = math.max(0, (below - above) / 2) }
    end
    d = 2 * d
  end
  return nil, ("up to a force of %g (N or N m), the acceleration of %s is not linear in the force: is the joint "
    .. "locked, or at a limit?"):format(d, tostring(coordinate))
end

--- Measure the inertia, load and friction of a joint at its pose, from standstill. The world is restored. The trials
--- run the world's handlers, but not the controllers of the coordinate.
---@param joint impel.joint|impel.coordinate
---@param options table|nil  torque: the first torque or force to try [N m or N], doubled while friction holds the
---  joint; default: without friction and load, it accelerates the joint by 1 rad/s^2 or 1 m/s^2
---@return table|nil measured  inertia [kg or kg m^2]; load: force that holds the joint at rest [N or N m]; friction [N
---  or N m]; nil if the joint cannot move or no trial shows a constant inertia
---@return string|nil why  the reason, if nil
function autotune.measure(joint, options)
  local coordinate = control.coordinate("autotune.measure", joint)
  local o = arguments.read("autotune.measure", options, {
    torque = { "number", above = 0, optional = true, unit = "N or N m" },
  })
  local world = coordinate.world
  local d = o.torque or reflected_inertia.of(coordinate)
  if d == math.huge then return nil, ("%s cannot move"):format(tostring(coordinate)) end
  local start, solver, substeps, midpoint = world:snapshot(), world.solver, world.substeps, world.midpoint
  local wake = quiet(coordinate)
  local ok, found, why = pcall(find_lines, coordinate, world:snapshot(), d)
  world.solver, world.substeps, world.midpoint = solver, substeps, midpoint
  world:restore(start)
  wake()
  if not ok then error(found, 0) end
  return found, why
end

--- Compute the gains of a joint for a frequency and damping ratio.
---@param joint impel.joint|impel.coordinate
---@param options table  hertz; damping_ratio (1); when: "substep" (default), "step" or "continuous"; method: "trial"
---  (default) or "rows"; neighbours: "free" or "held", for "rows"; torque: for "trial"
---@return number|nil kp
---@return number|string kd  or the reason of the failure
---@return table report  inertia, load, friction
function autotune.gains(joint, options)
  local coordinate = control.coordinate("impel.autotune", joint)
  local o = arguments.read("impel.autotune", options, {
    hertz = { "number", above = 0, unit = "Hz" },
    damping_ratio = { "number", min = 0, default = 1 },
    when = { "choice", "substep", "step", "continuous", default = "substep" },
    method = { "choice", "trial", "rows", default = "trial" },
    neighbours = { "choice", "free", "held", default = "free" },
    torque = { "number", above = 0, optional = true, unit = "N or N m" },
  })
  local report, why
  if o.method == "trial" then
    report, why = autotune.measure(coordinate, { torque = o.torque })
    if not report then return nil, why end
  else
    report = { inertia = reflected_inertia.of(coordinate, { neighbours = o.neighbours }) }
    if report.inertia == math.huge then return nil, ("%s cannot move"):format(tostring(coordinate)) end
  end
  local kp, kd = gains.of(coordinate, { hertz = o.hertz, damping_ratio = o.damping_ratio, when = o.when,
                                        inertia = report.inertia })
  return kp, kd, report
end

--- Search for the numbers with the least cost. Each try starts from the same snapshot of the world; `begin` must reset
--- Lua state that snapshots do not contain.
---@param world impel.world
---@param options table
---  start: list of numbers
---  lower, upper: lists of bounds
---  seconds: duration of a try
---  begin: function(numbers), called before each try
---  cost: function(numbers) -> number, called after each step: the cost of a try is the sum times dt
---  budget: number of tries (200)
---  sigma: initial spread relative to the range (0.3)
---  seed (0)
---@return number[] best
---@return number cost
---@return number first  the cost of `start`
function autotune.search(world, options) return search(world, options) end

return setmetatable(autotune, { __call = function(_, ...) return autotune.gains(...) end })
