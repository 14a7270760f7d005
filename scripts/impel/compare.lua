-- The same scene under several solvers, each from a setup of its own: how far locks drift apart, how much energy comes
-- from nowhere, how far joint forces are from a reference's, and what a step costs.
--
--   local result = compare.run(open, { solvers = { "soft", "si" }, steps = 600 })   open(): the scene, loaded anew
--   io.write(compare.text(result))
--
-- Energy error: the ledger of energy (world:audit) says what each cause added. What may change energy (loads, motors,
-- springs and dampers, friction, impacts, limits that are hit) is taken away; what is left is made by the solver: by
-- integrating, by projecting velocities onto locks, by correcting positions.
-- Force error: root of the mean square, over all steps and joints, of reaction() less the reference's, divided by that
-- of the reference. Scenes that are chaotic part from any reference, and their forces with them.

local api = require "impel.api"
local json = require "impel.json"
local runner = require "impel.run"

local compare = {}

local MAY_CHANGE_ENERGY = {
  "applied", "damping", "limit", "motor", "spring", "user", "contact", "restitution", "friction", "kinematic",
  "outside",
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

local function energy_error(audit)
  local left = audit.after - audit.before
  for _, cause in ipairs(MAY_CHANGE_ENERGY) do left = left - audit[cause] end
  return math.abs(left)
end

-- What the step came to, into the worst of all steps.
local function look(worst, world, tables)
  local residual, audit = world:residual(tables.residual), world:audit(tables.audit)
  for _, name in ipairs { "separation", "penetration", "velocity" } do
    worst[name] = math.max(worst[name], residual[name])
  end
  worst.energy_error = math.max(worst.energy_error, energy_error(audit))
end

-- Run the scene under one solver. each(world, n) after every step may return a failure. Gives the worst of all steps,
-- or nil and a failure.
local function simulate(open, options, solver, each)
  local scene, failure = open()
  if not scene then return nil, failure end
  local run
  run, failure = runner.new(scene, {
    set = options.set, seed = options.seed, dt = options.dt, threads = options.threads, steps = options.steps,
    time = options.time, solver = solver, clock = os.clock,
  })
  if not run then return nil, failure end
  run.world.auditing = true
  local worst = { solver = solver, separation = 0, penetration = 0, velocity = 0, energy_error = 0 }
  local tables = { residual = {}, audit = {} }
  while not failure and not run:done() do
    local ok
    ok, failure = run:step()
    if ok then
      look(worst, run.world, tables)
      failure = each(run.world, run.count) or options.watch and options.watch(run)
    end
  end
  worst.steps, worst.ms_per_step = run.count, run.count > 0 and 1e3 * run.seconds / run.count or nil
  run:close()
  if failure then return nil, failure end
  return worst
end


-- The reference ------------------------------------------------------------------------------------------------------

-- Why the world is not one of equality constraints alone, or nil.
local function find_inequality(world)
  if world:counts().contacts > 0 then return "a contact" end
  for joint in world:joints() do
    for coordinate in joint:coordinates() do
      local drives = coordinate:drives()
      for _, name in ipairs(ONE_SIDED) do
        if drives[name] then return ("the %s of %s"):format(name, tostring(joint)) end
      end
    end
  end
end

-- Run the reference and keep its forces, step by step. Under rattle, which is for equalities alone, anything else ends
-- the run.
local function refer(open, options, solver, strict)
  local forces = {}
  local line, failure = simulate(open, options, solver, function(world, n)
    local obstacle = strict and find_inequality(world)
    if obstacle then return { kind = "unfit", message = ("%s is no equality constraint"):format(obstacle) } end
    forces[n] = forces_of(world)
  end)
  return line, failure, forces
end

local function find_reference(open, options)
  if options.reference then return refer(open, options, options.reference) end
  local line, failure, forces = refer(open, options, "rattle", true)
  if line or failure.kind == "interrupted" then return line, failure, forces end
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

-- One line of the result: a solver against the reference's forces, if there are any.
local function judge(open, options, solver, forces)
  local sums = { off = 0, whole = 0 }
  local line, failure = simulate(open, options, solver, function(world, n)
    if forces then add_difference(sums, forces_of(world), forces[n]) end
  end)
  if line and sums.whole > 0 then line.force_error = math.sqrt(sums.off / sums.whole) end
  return line, failure
end

-- All ---------------------------------------------------------------------------------------------------------------

--- Run a scene under each of several solvers.
---@param open fun(): table|nil, table|nil  loads the scene anew: of impel.scene, or nil and a failure
---@param options table  solvers: names; reference: a name, else rattle where the scene has nothing but equality
---  constraints, else direct; set, seed, dt [s], threads, steps, time [s] as of impel.run; watch: called with the run
---  after every step, a failure that it returns ends it, and everything where its kind is "interrupted"
---@return table|nil result  reference: its name, or nil where it could not run; lines: of the reference, then of each
---  solver { solver, steps, separation [m or rad], penetration [m], energy_error [J], velocity [m/s], force_error,
---  ms_per_step }, or { solver, message } where it could not run
---@return table|nil failure  when none could
function compare.run(open, options)
  local result = { lines = json.list {} }
  local first
  local function add(solver, line, failure)
    first = first or failure
    result.lines[#result.lines + 1] = line or { solver = solver, message = failure.message }
    return not failure or failure.kind ~= "interrupted"
  end
  local line, failure, forces = find_reference(open, options)
  if line then
    result.reference, line.force_error = line.solver, 0
    add(line.solver, line)
  elseif failure.kind == "interrupted" then
    return nil, failure
  end
  for _, solver in ipairs(options.solvers) do
    if solver ~= result.reference then
      line, failure = judge(open, options, solver, result.reference and forces)
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
  rows[#rows + 1] = ("worst of all steps; force error against %s"):format(result.reference or "nothing")
  return table.concat(rows, "\n") .. "\n"
end

return compare
