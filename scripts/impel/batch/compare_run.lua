-- One run of a scene for impel.compare, and its difference from another run.
--
--   local kept, failure = compare_run.keep(open, options, solver, times)         all steps of a run
--   local line, failure = compare_run.against(kept, open, options, solver)       runs again and compares with `kept`
--
-- `times` multiplies the number of substeps. All runs have the same steps, and "step" handlers run at the same times.

local doctor = require "impel.doctor"
local runner = require "impel.scene.run"

local compare_run = {}

-- Entries of world:audit for changes of the energy that are not errors of the solver.
local CHANGES_ENERGY = {
  "applied", "damping", "limit", "motor", "user", "contact", "restitution", "friction", "kinematic",
}


-- The state after a step ----------------------------------------------------------------------------------------------

-- Return { id, fx, fy, ... } of all joints: means over the step [N].
local function forces_of(world)
  local list = {}
  for joint in world:joints() do
    local fx, fy = joint:reaction()
    list[#list + 1], list[#list + 2], list[#list + 3] = joint.id, fx, fy
  end
  return list
end

-- Return { id, x, y, s, ... } of all moving bodies [m]; s: angle times radius of gyration.
local function poses_of(world, radii)
  local list = {}
  for body in world:bodies() do
    if body.type ~= "static" then
      local id, x, y = body.id, body:position()
      local radius = radii[id]
      if not radius then
        radius = body.mass > 0 and body.inertia > 0 and math.sqrt(body.inertia / body.mass) or 0
        radii[id] = radius < math.huge and radius or 0
      end
      local n = #list
      list[n + 1], list[n + 2], list[n + 3], list[n + 4] = id, x, y, radii[id] * body.angle
    end
  end
  return list
end

-- Call visit(i, k) for every id in two lists with `width` numbers per id. i, k: positions of the id in the first and in
-- the second list, nil where it is missing.
local function visit_pairs(one, other, width, visit)
  local same = #one == #other
  for i = 1, same and #one or 0, width do
    if one[i] ~= other[i] then
      same = false
      break
    end
  end
  local places = {}
  for k = 1, same and 0 or #other, width do places[other[k]] = k end
  for i = 1, #one, width do visit(i, same and i or places[one[i]]) end
  for i = 1, same and 0 or #one, width do places[one[i]] = nil end
  for k = 1, same and 0 or #other, width do
    if places[other[k]] then visit(nil, k) end
  end
end

-- Return the worst distance between poses of the bodies that are in both lists [m]; NaN if one is NaN.
local function worst_distance(one, other)
  local worst = 0
  visit_pairs(one, other, 4, function(i, k)
    if not i or not k then return end
    local dx, dy, ds = one[i + 1] - other[k + 1], one[i + 2] - other[k + 2], one[i + 3] - other[k + 3]
    local distance = math.sqrt(dx * dx + dy * dy + ds * ds)
    if distance > worst or distance ~= distance then worst = distance end
  end)
  return worst
end

-- Add the squares of `got` - `right` and of `right` to `sums`. A missing joint has zero force.
local function add_forces(sums, got, right)
  visit_pairs(got, right, 3, function(i, k)
    local gx, gy, rx, ry = 0, 0, 0, 0
    if i then gx, gy = got[i + 1], got[i + 2] end
    if k then rx, ry = right[k + 1], right[k + 2] end
    sums.off = sums.off + (gx - rx) ^ 2 + (gy - ry) ^ 2
    sums.whole = sums.whole + rx ^ 2 + ry ^ 2
  end)
end

-- Return the change of the energy since the start [J], except changes between steps.
local function energy_change(audit)
  return audit.after - audit.before - audit.outside
end

--- Return the worst difference of energies from those of the reference [J]; NaN if one is NaN.
---@param energies number[]
---@param right number[]|nil  default: 0
---@return number
function compare_run.worst_difference(energies, right)
  local worst = 0
  for n, energy in ipairs(energies) do
    local off = math.abs(energy - (right and right[n] or 0))
    if off ~= off then return off end
    worst = math.max(worst, off)
  end
  return worst
end


-- One run ------------------------------------------------------------------------------------------------------------

-- Run the scene under one solver. each(world, n, audit), called after every step, may return a failure. Return the
-- worst residuals of all steps and a table: opened, the first joint that opened; unheld, joints with a dropped lock
-- (Run:unheld); reset, whether the scene changed world.substeps. On failure return nil and the failure.
local function simulate(open, options, solver, times, each)
  local scene, failure = open()
  if not scene then return nil, failure or { kind = "scene", message = "open() returned no scene" } end
  local run
  run, failure = runner.new(scene, {
    set = options.set, seed = options.seed, dt = options.dt, threads = options.threads, steps = options.steps,
    time = options.time, solver = solver, clock = os.clock,
  })
  if not run then return nil, failure end
  local world = run.world
  world.auditing = true
  local substeps = world.substeps * times
  if times > 1 then world.substeps = substeps end
  local line = { solver = solver, separation = 0, penetration = 0, velocity = 0, open = 0 }
  local residual, audit = {}, {}
  while not failure and not run:done() do
    local ok
    ok, failure = run:step()
    if ok then
      world:residual(residual)
      for _, name in ipairs { "separation", "penetration", "velocity", "open" } do
        line[name] = math.max(line[name], residual[name])
      end
      failure = each(world, run.count, world:audit(audit)) or options.watch and options.watch(run)
    end
  end
  line.steps, line.ms_per_step = run.count, run.count > 0 and 1e3 * run.seconds / run.count or nil
  line.substeps = world.substeps
  local known = { opened = run.opened[1], unheld = run:unheld(), reset = line.substeps ~= substeps }
  run:close()
  if failure then return nil, failure end
  return line, known
end

-- Return whether a spring of the world's joints is damped.
local function has_damped_spring(world)
  for joint in world:joints() do
    for coordinate in joint:coordinates() do
      local spring = coordinate:drives().spring
      if spring and (spring.damping or spring.damping_ratio or 0) > 0 then return true end
    end
  end
  return false
end

-- Return the number of redundant locks; 0 for a world that is too large to be analysed.
local function count_redundant(world)
  local ok, _, redundant = pcall(world.mobility, world)
  return ok and #redundant or 0
end

-- Return the name of a cause in CHANGES_ENERGY that acted in the step, or nil.
local function find_change(audit)
  for _, cause in ipairs(CHANGES_ENERGY) do
    if audit[cause] ~= 0 then return cause end
  end
end

-- Return two functions. add(forces, poses, n) compares step n with the recorded run. The other returns a table:
-- position, the worst distance [m]; force, the root mean square of the differences of forces divided by that of the
-- recorded forces (nil if all of them are zero).
local function measure(kept)
  local sums, position = { off = 0, whole = 0 }, 0
  local function add(forces, poses, n)
    if not kept.forces[n] then return end
    add_forces(sums, forces, kept.forces[n])
    local distance = worst_distance(poses, kept.poses[n])
    if distance > position or distance ~= distance then position = distance end
  end
  return add, function()
    return { position = position, force = sums.whole > 0 and math.sqrt(sums.off / sums.whole) or nil }
  end
end

--- Run the scene and record poses, forces and energies of every step.
---@param open fun(): table|nil, table|nil
---@param options table  options of compare.run
---@param solver string
---@param times integer  factor by which the scene's substeps are multiplied
---@param refuse nil|fun(world: userdata): table|nil  called after each step; a failure that it returns ends the run
---@param earlier table|nil  recorded run to compare with
---@return table|nil kept
---  forces, poses, energies: lists with an entry for each step
---  change: a cause, other than the solver's errors, that may have changed the energy; nil if there is none
---  reach: longest distance of a body from its start [m]
---  opened, unheld, reset: as from simulate
---  redundant: number of redundant locks
---  tree: result of doctor.is_tree
---  line: worst residuals of all steps
---  difference: { position [m], force [1], energy [J] } between this run and `earlier`; nil without `earlier`
---@return table|nil failure
function compare_run.keep(open, options, solver, times, refuse, earlier)
  local kept, radii = { forces = {}, poses = {}, energies = {}, reach = 0, solver = solver, times = times }, {}
  local add, total
  if earlier then
    add, total = measure(earlier)
    kept.redundant, kept.tree = earlier.redundant, earlier.tree
  end
  local line, known = simulate(open, options, solver, times, function(world, n, audit)
    local problem = refuse and refuse(world)
    if problem then return problem end
    if n == 1 then
      kept.change = has_damped_spring(world) and "damping" or nil
      if not earlier then kept.redundant, kept.tree = count_redundant(world), doctor.is_tree(world) end
    end
    local forces, poses = forces_of(world), poses_of(world, radii)
    kept.forces[n], kept.poses[n], kept.energies[n] = forces, poses, energy_change(audit)
    kept.change = kept.change or find_change(audit)
    kept.reach = math.max(kept.reach, worst_distance(poses, kept.poses[1]))
    if add then add(forces, poses, n) end
  end)
  if not line then return nil, known end
  kept.line, kept.opened, kept.unheld, kept.reset = line, known.opened, known.unheld, known.reset
  if total then
    kept.difference = total()
    kept.difference.energy = compare_run.worst_difference(kept.energies, earlier.energies)
  end
  return kept
end

--- Run the scene and compare each step with a recorded run.
---@param kept table|nil  recorded run; nil: no comparison
---@param open fun(): table|nil, table|nil
---@param options table
---@param solver string
---@return table|nil line  worst residuals of all steps; energy_error [J]; if `kept` is given, also position_error [m]
---  and force_error [1]
---@return table|nil failure
function compare_run.against(kept, open, options, solver)
  local energies, radii = {}, {}
  local add, total
  if kept then add, total = measure(kept) end
  local line, failure = simulate(open, options, solver, 1, function(world, n, audit)
    energies[n] = energy_change(audit)
    if add then add(forces_of(world), poses_of(world, radii), n) end
  end)
  if not line then return nil, failure end
  line.energy_error = compare_run.worst_difference(energies, kept and kept.change and kept.energies)
  if total then
    local difference = total()
    line.position_error, line.force_error = difference.position, difference.force
  end
  return line
end

return compare_run
