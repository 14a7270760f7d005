-- Compare solvers on the same scene.
--
--   local result = compare.run(open, { solvers = { "soft", "si" }, steps = 600 })   open(): loads the scene
--   io.write(compare.text(result))
--
-- The reference is the scene with more substeps, doubled until two runs agree.
--
--   energy error    worst |E - E0|, or |E - E of the reference| if the scene may change E
--   position error  worst distance of a body from its pose in the reference; angles times the radius of gyration
--   force error     |F - F_ref| / |F_ref|, root mean squares over joints and steps; F: joint:reaction()
--   time            processor time inside world:step

local api = require "impel.reference.api"
local arguments = require "impel.base.arguments"
local compare_run = require "impel.batch.compare_run"
local json = require "impel.base.json"
local reference = require "impel.batch.compare_reference"

local compare = {}

-- Two runs have the same motion if their positions differ by less than this multiple of the longest distance of a body
-- from its start.
local AGREE = 0.01
local ANY = { "any", optional = true } -- checked by impel.run
local FIELDS = {
  solvers = { "table" }, reference = { "string", optional = true }, set = { "table", optional = true }, seed = ANY,
  refine = { "integer", min = 1, max = 1000, default = 32 },
  dt = ANY, threads = ANY, steps = ANY, time = ANY, watch = { "function", optional = true },
}

--- Return the names of all solvers.
function compare.solvers()
  return api.choices("world", { type = "choice", name = "solver" })
end


-- Quality of the reference --------------------------------------------------------------------------------------------

local function describe(kept)
  local own, line = kept.difference or {}, kept.line
  return {
    solver = kept.solver, reason = kept.reason, times = kept.times, substeps = line.substeps,
    position_error = own.position, force_error = own.force, energy_error = own.energy, open = line.open,
    separation = line.separation, penetration = line.penetration, steps = line.steps,
    ms_per_step = line.ms_per_step, warnings = json.list {},
  }
end

-- Mark in each line the errors that are not well above the reference's own. Return the solvers with such errors.
local function mark(result)
  local own, names = result.reference, {}
  for _, line in ipairs(result.lines) do
    local uncertain = {}
    for _, name in ipairs { "position_error", "force_error", result.change and "energy_error" or nil } do
      if not reference.resolves(line[name], own[name], reference.NEAR) then uncertain[#uncertain + 1] = name end
    end
    if #uncertain > 0 then
      line.unresolved = json.list(uncertain)
      names[#names + 1] = line.solver
    end
  end
  return names
end

local function own_errors(own)
  local parts = { ("position %.2g m"):format(own.position_error) }
  if own.force_error then parts[2] = ("force %.2g"):format(own.force_error) end
  parts[#parts + 1] = ("energy %.2g J"):format(own.energy_error)
  return table.concat(parts, ", ")
end

local function weigh(result, kept)
  local own = result.reference
  local names = mark(result)
  local function warn(...) own.warnings[#own.warnings + 1] = (...):format(select(2, ...)) end
  own.converged = own.position_error ~= nil and (kept.excess <= 1 or #names == 0)
  if not own.position_error then
    warn("the reference was run once: its own error is not known")
  elseif not own.converged then
    warn("the reference has not converged: its own error (%s) is not well below the errors of %s. Do not rely on the "
      .. "errors marked ~. %s; a shorter --time or a larger --refine may help",
      own_errors(own), table.concat(names, ", "), own.position_error < AGREE * kept.reach
        and "The runs of the reference agree in positions, so the motion is not chaotic; they differ in forces "
          .. "without a bound: of impacts, or of locks near a dead centre"
        or "The motion may be chaotic, or it may pass a dead centre, from which a linkage can continue in two ways")
  end
  if kept.redundant > 0 then
    warn("%d %s: the solver divides the forces among them arbitrarily, so forces and force errors of their joints "
      .. "are meaningless", kept.redundant,
      kept.redundant == 1 and "lock follows from other locks" or "locks follow from other locks")
  end
  if own.open > 0 then
    local first = kept.opened
    warn("in the reference, up to %d joints are open%s: their constraints are not satisfied", own.open,
      first and ("; the first is %s, open by %.2g m at t = %.4g s"):format(first.joint, first.length, first.time) or "")
  end
  local unheld = kept.unheld[1]
  if unheld then
    warn("the reference has %s with a lock that is not held, because it contradicts other locks or is almost "
      .. "linearly dependent on them%s: no solver can satisfy the scene's constraints", #kept.unheld == 1 and "a joint"
      or ("%d joints"):format(#kept.unheld), ("; the first is %s, not held from t = %.4g s on%s"):format(
        unheld.joint, unheld.time, unheld.gap and (", apart by %.2g m at the end"):format(unheld.gap) or ""))
  end
  if kept.reset then
    warn "the scene sets world.substeps itself, so the reference has as many substeps as the other runs"
  end
end


-- Comparison ----------------------------------------------------------------------------------------------------------

--- Run a scene under each of several solvers.
---@param open fun(): table|nil, table|nil  loads the scene: returns a scene of impel.scene, or nil and a failure
---@param options table
---  solvers: names
---  reference: name of the reference solver. Default: `reduced` if its runs converge fast; otherwise `direct` if its
---  runs converge; otherwise the one of the two whose runs differ less
---  refine: largest factor of the reference's substeps, default 32; 1: only one run, so its error is unknown
---  set, seed, dt [s], threads, steps, time [s] as of impel.run
---  watch(run): called after every step. A failure that it returns ends the run; a failure of kind "interrupted" also
---  ends the comparison
---@return table|nil result  fields:
---  reference: { solver, reason: why it was chosen, times: factor of substeps, substeps: number per step, converged,
---    open: largest number of joints open at a time, warnings, separation [m or rad], penetration [m], steps,
---    ms_per_step, and the reference's own errors position_error [m], force_error, energy_error [J] },
---    or nil if no reference could run
---  missing: why no reference could run
---  change: what may change the energy, or nil
---  lines: for each solver { solver, steps, separation [m or rad], penetration [m], energy_error [J], velocity [m/s],
---    position_error [m], force_error, ms_per_step, open, unresolved: names of the errors that are less than ten times
---    the reference's own, or nil }, or { solver, message } if the solver could not run
---@return table|nil failure  if no solver could run
function compare.run(open, options)
  arguments.check("compare.run: argument 'open'", open, { "function" })
  options = arguments.read("compare.run", options, FIELDS)
  arguments.list("compare.run: field 'solvers'", options.solvers, { "string" })
  local result = { lines = json.list {} }
  local kept, first = reference.find(open, options)
  if kept then
    result.reference, result.change = describe(kept), kept.change
  elseif first.kind == "interrupted" then
    return nil, first
  else
    result.missing = first.message
  end
  for _, solver in ipairs(options.solvers) do
    local line, failure = compare_run.against(kept, open, options, solver)
    if failure and failure.kind == "interrupted" then return nil, failure end
    first = first or failure
    result.lines[#result.lines + 1] = line or { solver = solver, message = failure.message }
  end
  if kept then weigh(result, kept) end
  local some = #options.solvers == 0 and kept
  for _, line in ipairs(result.lines) do some = some or not line.message end
  if not some then return nil, first end
  return result
end

local COLUMNS = {
  { "separation", "drift [m]" }, { "penetration", "overlap [m]" }, { "energy_error", "dE [J]" },
  { "velocity", "residual [m/s]" }, { "position_error", "position [m]" }, { "force_error", "force error" },
  { "ms_per_step", "ms/step" },
}

local function row_of(line)
  local row, uncertain = ("%-13s"):format(line.solver), {}
  for _, name in ipairs(line.unresolved or {}) do uncertain[name] = true end
  for _, column in ipairs(line.message and {} or COLUMNS) do
    local value = line[column[1]]
    row = row .. ("%15s"):format(value and (uncertain[column[1]] and "~" or "") .. ("%.4g"):format(value) or "-")
  end
  return line.message and row .. "   " .. line.message or row
end

-- Call add(format, ...) for each row about the reference.
local function reference_rows(result, add)
  local own = result.reference
  if not own then
    add("reference: none: %s", result.missing)
    add "each value is the largest of all steps; dE: difference from the energy at the start"
    return
  end
  add("reference: %s with %d times the scene's substeps (%d a step), because %s; its own error: %s", own.solver,
    own.times, own.substeps, own.reason, own.position_error and own_errors(own)
    .. ", estimated by a run with fewer substeps" or "not known")
  add("  in the reference, \"step\" handlers run once a step and \"substep\" handlers once a substep")
  add("each value is the largest of all steps; dE: difference from %s; position and force error: difference from "
    .. "%s", result.change
    and ("the energy in the run with %s, because the scene need not conserve energy (see "
      .. "'%s' in world:audit)"):format(own.solver, result.change) or "the energy at the start",
    own.solver)
  local uncertain = false
  for _, line in ipairs(result.lines) do uncertain = uncertain or line.unresolved end
  if uncertain and own.converged then
    add "~: this error is not well above the reference's own error, and may be caused by it"
  end
  for _, warning in ipairs(own.warnings) do add("warning: %s", warning) end
end

--- Format a result as a text table.
---@param result table  result of compare.run
function compare.text(result)
  if type(result) ~= "table" or type(result.lines) ~= "table" then
    arguments.fail("compare.text: argument 'result' must be a result of compare.run, got %s", arguments.got(result))
  end
  local rows = { ("%-13s"):format("solver") }
  for _, column in ipairs(COLUMNS) do rows[1] = rows[1] .. ("%15s"):format(column[2]) end
  for _, line in ipairs(result.lines) do rows[#rows + 1] = row_of(line) end
  reference_rows(result, function(format, ...)
    rows[#rows + 1] = select("#", ...) > 0 and format:format(...) or format
  end)
  return table.concat(rows, "\n") .. "\n"
end

return compare
