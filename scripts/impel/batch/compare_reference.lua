-- The reference run of impel.compare: the scene with more substeps, and an estimate of its error.
-- The substeps are doubled until two runs agree; their difference bounds the error of the finer run.
-- source: Richardson, "The approximate arithmetical solution by finite differences" (1911)

local compare_run = require "impel.batch.compare_run"

local reference = {}

local ENOUGH = 1e-4 -- largest difference of runs that agree, relative to the forces and to the longest path of a body
local NEAR = 1e-9   -- rounding errors: of positions [m], of forces (relative), of energies [J]
local WAY = 1e-5    -- difference [m] that always counts as agreement: 1/500 of 5 mm, the overlap that contacts allow
local FALLS = 0.7   -- runs converge if a difference is below this part of the previous difference: 2^-p, order p = 0.5
local ORDER = 6     -- solver `reduced`: least ratio of successive differences between runs: 2^p, order p = 2.6
local MOST = 1000   -- largest number of substeps of a world
-- For each solver: factor by which its first run multiplies the scene's number of substeps, default 1.
local FIRST = { reduced = 4 }

local function refuse_contact(world)
  return world:counts().contacts > 0 and { kind = "unfit", message = "the scene has contacts" } or nil
end

-- Return the difference of a run from the previous one, divided by the tolerance: at most 1 if they agree.
local function excess(kept)
  local difference = kept.difference
  if not difference then return math.huge end
  local force = kept.redundant == 0 and difference.force or 0
  local worst = math.max(force / ENOUGH, difference.position / math.max(ENOUGH * kept.reach, WAY))
  return worst == worst and worst or math.huge
end

-- Return the factors by which successive runs multiply the number of substeps. Each factor is twice the previous one,
-- except the last: it is `most`.
local function multiples(solver, most)
  local list, times = {}, math.min(FIRST[solver] or 1, math.max(most // 2, 1))
  while times < most do
    list[#list + 1] = times
    times = 2 * times
  end
  list[#list + 1] = most
  return list
end

-- Return the finest run (nil if there is none), and the failure that ended the refinement, if any. fussy: a contact is
-- a failure, and the refinement ends if the order of convergence is too low (ORDER).
local function refine(open, options, solver, fussy)
  local kept, before
  for _, times in ipairs(multiples(solver, options.refine)) do
    if kept and kept.line.substeps // kept.times * times > MOST then break end
    local finer, failure = compare_run.keep(open, options, solver, times, fussy and refuse_contact, kept)
    if not finer then return failure.kind ~= "interrupted" and kept or nil, failure end
    finer.excess = excess(finer)
    before, kept = kept, finer
    if finer.excess <= 1 then break end
    if before and before.difference then
      if finer.excess > FALLS * before.excess then break end
      if fussy and finer.excess * ORDER > before.excess then break end
    end
  end
  return kept
end

-- Return the better one of two references that have not converged, and why it is better.
local function lesser(reduced, direct)
  if not reduced.difference and not direct.difference then
    if reduced.tree ~= false then
      return reduced, "the joints make a tree and no bodies touch; each solver made only one run, so no error is known"
    end
    return direct, "the joints do not make a tree; each solver made only one run, so no error is known"
  end
  local best, other = reduced, direct
  if direct.excess < reduced.excess then best, other = direct, reduced end
  return best, ("its runs differ less from each other than those of solver '%s'; the runs of neither solver have "
    .. "converged"):format(other.solver)
end

--- Find the reference of a scene.
---@param open fun(): table|nil, table|nil  loads the scene: returns a scene of impel.scene, or nil and a failure
---@param options table  options of compare.run; `refine` is required
---@return table|nil kept  from compare_run.keep, with two more fields. excess: difference of the last two runs /
---  tolerance, at most 1 if they have converged; reason: why this solver was chosen, as a clause
---@return table|nil failure
function reference.find(open, options)
  if options.reference then
    local kept, failure = refine(open, options, options.reference)
    if kept then kept.reason = "it was requested" end
    return kept, failure
  end
  local reduced, why = refine(open, options, "reduced", true)
  if why and why.kind == "interrupted" then return nil, why end
  if reduced and reduced.excess <= 1 then
    reduced.reason = "its runs converge as the number of substeps grows"
    return reduced
  end
  local direct, failure = refine(open, options, "direct")
  if failure and failure.kind == "interrupted" then return nil, failure end
  local kept = direct or reduced
  if not kept then return nil, failure end
  if not direct then
    kept.reason = ("solver 'direct' cannot solve the scene: %s"):format(failure.message)
  elseif not reduced then
    kept.reason = ("solver 'reduced' cannot solve the scene: %s"):format(why and why.message or "no run was made")
  elseif direct.excess <= 1 then
    kept.reason = reduced.difference and "its runs converge, and faster than the runs of solver 'reduced'"
      or "its runs converge"
  else
    local reason
    kept, reason = lesser(reduced, direct)
    kept.reason = reason
  end
  return kept
end

--- Return whether a solver's error is at least ten times that of the reference, or the reference is exact except for
--- rounding.
---@param error_ number|nil  error of the solver
---@param own number|nil  error of the reference
---@param floor number  largest rounding error
---@return boolean
function reference.resolves(error_, own, floor)
  if not error_ then return true end
  return own ~= nil and (own <= floor or error_ >= 10 * own)
end

reference.NEAR = NEAR

return reference
