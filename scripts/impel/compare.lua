-- The same scene under several solvers, each from a setup of its own: how far locks drift apart, how wrong the energy
-- is, how far joint forces are from a reference's, and what a step costs.
--
--   local result = compare.run(open, { solvers = { "soft", "si" }, steps = 600 })   open(): the scene, loaded anew
--   io.write(compare.text(result))
--
-- Energy error: worst |E - E0| where nothing in the scene may change its energy, else worst |E - E of the reference|;
-- what happened between steps (world:audit().outside) is taken away in both.
-- Force error: root of the mean square, over all steps and joints, of reaction() less the reference's, divided by that
-- of the reference. What is chaotic, or swings a little slower, parts from the reference, and its forces with it.
-- Time is that of the processor inside world:step, with the ledger of energy kept.

local api = require "impel.api"
local arguments = require "impel.arguments"
local json = require "impel.json"
local runner = require "impel.run"

local compare = {}

local ANY = { "any", optional = true } -- checked by impel.run
local FIELDS = {
  solvers = { "table" }, reference = { "string", optional = true }, set = { "table", optional = true }, seed = ANY,
  dt = ANY, threads = ANY, steps = ANY, time = ANY, watch = { "function", optional = true },
}

-- Causes of world:audit that do not belong to the solver.
local CHANGES_ENERGY = {
  "applied", "damping", "limit", "motor", "user", "contact", "restitution", "friction", "kinematic",
}
local ONE_SIDED = { "limit", "motor", "servo" }

--- The names of all solvers.
---@return string[]
function compare.solvers()
  return api.choices("world", { type = "choice", name = "solver" })
end


-- One run ------------------------------------------------------------------------------------------------------------

-- { id, fx, fy, id, fx, fy, ... } of all joints, in the order of their creation.
local function forces_of(world)
  local list = {}
  for joint in world:joints() do
    local fx, fy = joint:reaction()
    list[#list + 1], list[#list + 2], list[#list + 3] = joint.id, fx, fy
  end
  return list
end

-- Run the scene under one solver. each(world, n, audit) after every step may return a failure. Gives the worst of all
-- steps, or nil and a failure.
local function simulate(open, options, solver, each)
  local scene, failure = open()
  if not scene then return nil, failure or { kind = "scene", message = "open() gave no scene" } end
  local run
  run, failure = runner.new(scene, {
    set = options.set, seed = options.seed, dt = options.dt, threads = options.threads, steps = options.steps,
    time = options.time, solver = solver, clock = os.clock,
  })
  if not run then return nil, failure end
  run.world.auditing = true
  local line = { solver = solver, separation = 0, penetration = 0, velocity = 0 }
  local residual, audit = {}, {}
  while not failure and not run:done() do
    local ok
    ok, failure = run:step()
    if ok then
      run.world:residual(residual)
      for _, name in ipairs { "separation", "penetration", "velocity" } do
        line[name] = math.max(line[name], residual[name])
      end
      failure = each(run.world, run.count, run.world:audit(audit)) or options.watch and options.watch(run)
    end
  end
  line.steps, line.ms_per_step = run.count, run.count > 0 and 1e3 * run.seconds / run.count or nil
  run:close()
  if failure then return nil, failure end
  return line
end

-- E - E0 without what came from outside the steps.
local function energy_change(audit)
  return audit.after - audit.before - audit.outside
end


-- The reference ------------------------------------------------------------------------------------------------------

-- What the joints of a world have beside equality constraints, and whether some of their springs are damped.
local function look_at_drives(world)
  local found, damped
  for joint in world:joints() do
    for coordinate in joint:coordinates() do
      local drives = coordinate:drives()
      for _, name in ipairs(ONE_SIDED) do
        if drives[name] then found = found or ("the %s of %s"):format(name, tostring(joint)) end
      end
      local spring = drives.spring
      damped = damped or spring and (spring.damping or spring.damping_ratio or 0) > 0
    end
  end
  return found, damped
end

-- What in the step may have changed the energy, or nil.
local function find_change(audit)
  for _, cause in ipairs(CHANGES_ENERGY) do
    if audit[cause] ~= 0 then return cause end
  end
end

-- Run the reference and keep its forces and energies, step by step. Under rattle, which is for equalities alone,
-- anything else ends the run. Joints are asked for their drives after the first step.
local function refer(open, options, solver, strict)
  local kept, counts = { solver = solver, forces = {}, energies = {} }, {}
  local line, failure = simulate(open, options, solver, function(world, n, audit)
    local obstacle = world:counts(counts).contacts > 0 and "a contact"
    if n == 1 then
      local one_sided, damped = look_at_drives(world)
      obstacle = obstacle or one_sided
      kept.change = damped and "damping" or nil
    end
    if strict and obstacle then return { kind = "unfit", message = obstacle .. " is no equality constraint" } end
    kept.forces[n], kept.energies[n] = forces_of(world), energy_change(audit)
    kept.change = kept.change or find_change(audit)
  end)
  return kept, line, failure
end

local function find_reference(open, options)
  if options.reference then return refer(open, options, options.reference) end
  local kept, line, failure = refer(open, options, "rattle", true)
  if line or failure.kind == "interrupted" then return kept, line, failure end
  return refer(open, options, "direct")
end

-- Add up squares of two lists of forces; who is missing in one bears nothing there.
local function add_difference(sums, got, expected)
  local i, k = 1, 1
  while i <= #got or k <= #expected do
    local id, other = got[i] or math.huge, expected[k] or math.huge
    local gx, gy, ex, ey = 0, 0, 0, 0
    if id <= other then gx, gy, i = got[i + 1], got[i + 2], i + 3 end
    if other <= id then ex, ey, k = expected[k + 1], expected[k + 2], k + 3 end
    sums.off = sums.off + (gx - ex) ^ 2 + (gy - ey) ^ 2
    sums.whole = sums.whole + ex ^ 2 + ey ^ 2
  end
end

-- The worst difference of the energies from those that are right; no number where one of them is none.
local function worst_difference(energies, right)
  local worst = 0
  for n, energy in ipairs(energies) do
    local off = math.abs(energy - (right and right[n] or 0))
    if off ~= off then return off end
    worst = math.max(worst, off)
  end
  return worst
end

-- One line of the result: a solver against what the reference kept, if there is one.
local function judge(open, options, solver, kept)
  local sums, energies = { off = 0, whole = 0 }, {}
  local line, failure = simulate(open, options, solver, function(world, n, audit)
    energies[n] = energy_change(audit)
    if kept then add_difference(sums, forces_of(world), kept.forces[n]) end
  end)
  if not line then return nil, failure end
  line.energy_error = worst_difference(energies, kept and kept.change and kept.energies)
  line.force_error = sums.whole > 0 and math.sqrt(sums.off / sums.whole) or nil
  return line
end


-- All -----------------------------------------------------------------------------------------------------------------

--- Run a scene under each of several solvers.
---@param open fun(): table|nil, table|nil  loads the scene anew: of impel.scene, or nil and a failure
---@param options table  solvers: names; reference: a name, else rattle where the scene has nothing but equality
---  constraints, else direct; set, seed, dt [s], threads, steps, time [s] as of impel.run; watch: called with the run
---  after every step, a failure that it returns ends it, and everything where its kind is "interrupted"
---@return table|nil result  reference: its name, or nil where it could not run; change: what may change the energy, so
---  that the reference's is taken for right, or nil; lines: of the reference, then of each other { solver, steps,
---  separation [m or rad], penetration [m], energy_error [J], velocity [m/s], force_error, ms_per_step }, or
---  { solver, message } where it could not run
---@return table|nil failure  when none could
function compare.run(open, options)
  arguments.check("compare.run: argument 'open'", open, { "function" })
  options = arguments.read("compare.run", options, FIELDS)
  arguments.list("compare.run: field 'solvers'", options.solvers, { "string" })
  local result, first = { lines = json.list {} }, nil
  local function add(solver, line, failure)
    first = first or failure
    result.lines[#result.lines + 1] = line or { solver = solver, message = failure.message }
    return not failure or failure.kind ~= "interrupted"
  end
  local kept, line, failure = find_reference(open, options)
  if line then
    result.reference, result.change = kept.solver, kept.change
    line.energy_error, line.force_error = worst_difference(kept.energies, kept.change and kept.energies), 0
  end
  if not add(kept.solver, line, failure) then return nil, failure end
  for _, solver in ipairs(options.solvers) do
    if solver ~= kept.solver then
      line, failure = judge(open, options, solver, result.reference and kept)
      if not add(solver, line, failure) then return nil, failure end
    end
  end
  for _, each in ipairs(result.lines) do
    if not each.message then return result end
  end
  return nil, first
end

local COLUMNS = {
  { "separation", "drift [m]" }, { "penetration", "overlap [m]" }, { "energy_error", "dE [J]" },
  { "velocity", "residual [m/s]" }, { "force_error", "force error" }, { "ms_per_step", "ms/step" },
}

--- A result as a table of text.
---@param result table  of compare.run
---@return string
function compare.text(result)
  if type(result) ~= "table" or type(result.lines) ~= "table" then
    arguments.fail("compare.text: argument 'result' must be of compare.run, got %s", arguments.got(result))
  end
  local rows = { ("%-13s"):format("solver") }
  for _, column in ipairs(COLUMNS) do rows[1] = rows[1] .. ("%16s"):format(column[2]) end
  for _, line in ipairs(result.lines) do
    local row = ("%-13s"):format(line.solver)
    for _, column in ipairs(line.message and {} or COLUMNS) do
      local value = line[column[1]]
      row = row .. ("%16s"):format(value and ("%.4g"):format(value) or "-")
    end
    rows[#rows + 1] = line.message and row .. "   " .. line.message or row
  end
  local right = result.change and ("the energy of %s, as %s may change it"):format(result.reference, result.change)
    or "the energy at the start"
  rows[#rows + 1] = ("worst of all steps; dE: from %s; force error: from %s"):format(right,
    result.reference or "nothing")
  return table.concat(rows, "\n") .. "\n"
end

return compare
