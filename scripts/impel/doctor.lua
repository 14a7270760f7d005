-- Analysis of how difficult a world is to solve, and which solver to choose.
--
--   local report = doctor.report(world)      also: world:doctor()
--   io.write(doctor.text(report))            also: impel doctor FILE

local arguments = require "impel.base.arguments"
local json = require "impel.base.json"
local misfit = require "impel.world.misfit"
local printable = require "impel.base.printable"
local show = require "impel.base.show"
local stiffness = require "impel.world.stiffness"
local gauss_seidel = require "impel.world.gauss_seidel"

local doctor = {}

local TOLERANCE = 0.01       -- relative error of the impulses after the reported number of sweeps
-- mass ratio above which the solver `direct` is suggested, because sweeps converge slowly
local HEAVY = 100
local ROUNDING = 1e-9        -- [m], largest gap of a closed joint
local BENT = 1e-5            -- [m], gap of a joint above which the report checks whether all joints can close
local DEAD_CENTRE = 0.1      -- [rad], largest angle that is near a dead centre: 6 degrees
local TOGGLE = 5             -- ratio of lock force to load above which a lock near a dead centre is reported
-- ratio of lock force to load above which a lock not near a dead centre is reported
local LEVER = 100
local MANY_SWEEPS = 50       -- largest number of sweeps that a game can afford in a step at 60 Hz
local PINS = { revolute = true, prismatic = true, weld = true, wheel = true, pin_slot = true, linear = true }


-- Masses -------------------------------------------------------------------------------------------------------------

local function add_bodies(report, world)
  for body in world:bodies() do
    if body.mass > 0 then
      report.bodies = report.bodies + 1
      local light, heavy = report.lightest, report.heaviest
      if not light or body.mass < light.mass then report.lightest = { body = tostring(body), mass = body.mass } end
      if not heavy or body.mass > heavy.mass then report.heaviest = { body = tostring(body), mass = body.mass } end
    end
  end
end

-- Return the lightest and the heaviest body of a row, by the effective mass 1 / (J_i M_i^-1 J_i^T) of each.
local function span_of(row)
  local bodies, j = { row:bodies() }, { row:jacobian() }
  local light, heavy
  for i, body in ipairs(bodies) do
    local m, n = gauss_seidel.inverse(body)
    local size = m * (j[3 * i - 2] ^ 2 + j[3 * i - 1] ^ 2) + n * j[3 * i] ^ 2
    if size > 0 then
      local entry = { body = body, mass = 1 / size }
      if not light or entry.mass < light.mass then light = entry end
      if not heavy or entry.mass > heavy.mass then heavy = entry end
    end
  end
  return light, heavy
end

local function add_ratio(report, row)
  local light, heavy = span_of(row)
  if not light or light.body == heavy.body then return end
  local ratio = heavy.mass / light.mass
  if ratio <= (report.mass_ratio and report.mass_ratio.ratio or 0) then return end
  report.mass_ratio = {
    ratio = ratio, owner = tostring(row.owner), kind = row.kind,
    light = tostring(light.body), heavy = tostring(heavy.body), light_mass = light.mass, heavy_mass = heavy.mass,
  }
end


-- Rows ---------------------------------------------------------------------------------------------------------------

local function convergence(world, accepts)
  local system = gauss_seidel.system(world, accepts)
  if #system == 0 then return nil end
  local q, exact = gauss_seidel.contraction(system)
  return { rows = #system, contraction = q, exact = exact, sweeps = gauss_seidel.needed(system, q, TOLERANCE) }
end

local function add_rows(report, world)
  local pressing = 0
  for row in world:rows() do
    local presses = gauss_seidel.is_pressing(row)
    if presses then pressing = pressing + 1 end
    local locks = gauss_seidel.is_equation(row) and row.kind ~= "armature"
    if presses or locks then add_ratio(report, row) end
  end
  report.locks = convergence(world, gauss_seidel.is_equation)
  if pressing > 0 then
    report.contacts = convergence(world, function(row)
      return gauss_seidel.is_equation(row) or gauss_seidel.is_pressing(row)
    end)
    report.contacts.pressing = pressing
  end
end

-- Set report.rotors: the number of coordinates with armature, and the coordinate whose armature is largest relative
-- to the inertia of its bodies.
local function add_rotors(report, world)
  for joint in world:joints() do
    for coordinate in joint:coordinates() do
      local armature = not joint.broken and coordinate.armature or 0
      if armature > 0 then
        report.rotors = report.rotors or { count = 0, ratio = 0 }
        local rotors, own = report.rotors, coordinate.mass - armature
        local ratio = own > 0 and armature / own or 0
        rotors.count = rotors.count + 1
        if ratio >= rotors.ratio then
          rotors.ratio, rotors.armature, rotors.coordinate = ratio, armature, tostring(coordinate)
        end
      end
    end
  end
end

-- Return the joint with the largest gap, the gap [m] and the joint's force [N]; nil if all joints are closed.
local function softest(world)
  local worst
  for joint in world:joints() do
    local gap = not joint.broken and joint.gap or 0
    if gap > (worst and worst.gap or ROUNDING) then worst = { joint = joint, gap = gap } end
  end
  if not worst then return nil end
  local fx, fy = worst.joint:reaction()
  return { joint = tostring(worst.joint), gap = worst.gap, force = math.sqrt(fx * fx + fy * fy) }
end

local function is_locking(joint)
  for coordinate in joint:coordinates() do
    if coordinate:drives().lock then return not joint.broken end
  end
  return false
end

--- Return whether the locking joints form a tree, for which `reduced` needs no rows: each is a revolute, prismatic,
--- weld, wheel, pin_slot or linear joint, and none closes a loop. All static and kinematic bodies count as one body.
--- Return nil if no joint locks a coordinate.
function doctor.is_tree(world)
  arguments.check("doctor.is_tree: argument 'world'", world, { "world" })
  local towards = {}
  local function root_of(body)
    local place = body.mass > 0 and body or false
    while towards[place] ~= nil do place = towards[place] end
    return place
  end
  local found
  for joint in world:joints() do
    if is_locking(joint) then
      local a, b = root_of(joint.body_a), root_of(joint.body_b)
      if a == b or not PINS[joint.kind] then return false end
      if a then towards[a] = b else towards[b] = a end
      found = true
    end
  end
  return found
end


-- Add the degrees of freedom, if the core can analyse the world.
local function add_mobility(report, world)
  local ok, mobility, redundant, freedom, rank = pcall(world.mobility, world)
  if not ok then
    report.warnings[1] = mobility:gsub("^.-world:mobility: ", "")
    return
  end
  report.mobility, report.freedom, report.rank = mobility, freedom, rank
  for i, coordinate in ipairs(redundant) do report.redundant[i] = tostring(coordinate) end
  return redundant
end


local function is_dead_centre(weak) return weak.angle and weak.angle < DEAD_CENTRE and weak.amplification > TOGGLE end

-- Find locks that cannot all be satisfied. Return nil if there are none.
local function add_contradiction(report, world, redundant, weak)
  if not redundant or report.tree then return nil end
  local bent = report.softest and report.softest.gap > BENT
  if #redundant + #weak == 0 and not bent then return nil end
  local found = misfit.of(world)
  if not found then return nil end
  report.contradiction = { joint = found.joint, gap = found.gap, sum = found.sum, elsewhere = found.elsewhere }
  report.sharing = 0
  for _, coordinate in ipairs(redundant) do
    if not found.joints[coordinate.joint.id] then report.sharing = report.sharing + 1 end
  end
  return found
end

-- Return whether a weak lock is among the locks that contradict each other.
local function contradicts(found, contradiction)
  for _, joint in ipairs(contradiction and found.joints or {}) do
    if contradiction.joints[joint.id] then return true end
  end
  return false
end

-- Add the weak locks. A weak lock is almost linearly dependent on other locks; its force is many times the load.
local function add_weak(report, list, contradiction)
  for _, found in ipairs(list) do
    local near = found.angle < math.huge
    local weak = { lock = tostring(found.lock), amplification = found.amplification, left = found.left,
      angle = near and found.angle or nil, way = near and found.way or nil, joints = json.list {} }
    for i, joint in ipairs(found.joints) do weak.joints[i] = tostring(joint) end
    local reported = is_dead_centre(weak) or found.amplification > LEVER
    if reported and not contradicts(found, contradiction) then report.weak[#report.weak + 1] = weak end
  end
end


-- Verdict ------------------------------------------------------------------------------------------------------------

local function joints_suggestion(report)
  local locks, contacts = report.locks, report.contacts
  local needed = (contacts or locks).sweeps
  if report.contradiction then return "direct", "some locks contradict others: the solver 'direct' drops and reports "
    .. "such locks" end
  if #report.redundant > 0 then return "direct", "some locks follow from other locks: the solver 'direct' handles "
    .. "and reports such locks" end
  for _, weak in ipairs(report.weak) do
    if is_dead_centre(weak) then return "direct", "the mechanism is near a dead centre; a solver whose joints yield "
      .. "could let the mechanism pass the dead centre" end
  end
  if report.tree and not contacts then
    return "reduced", "the joints make a tree and no bodies touch; the solver 'reduced' keeps the joints of a "
      .. "tree closed"
  end
  local ratio = report.mass_ratio and report.mass_ratio.ratio or 1
  if ratio > HEAVY then return "direct", ("the mass ratio is %.0f, at which sweeps converge slowly"):format(ratio) end
  if not needed or needed > MANY_SWEEPS then
    return "direct", ("%s sweeps would be needed for an error of 1 %%"):format(needed or "infinitely many")
  end
  return "soft", "sweeps converge fast enough"
end

local function drives_suggestion(report, world)
  if report.stiff_springs > 1 then
    return "direct", ("%d springs are stiff for the substep: the solver 'direct' solves them together; sweeps over "
      .. "springs that share bodies converge slowly"):format(report.stiff_springs)
  end
  if world:counts().rows > 0 then return "soft", "there are only springs and drives; a few sweeps are enough" end
  return "soft", "there is nothing to solve yet"
end

local function suggestion(report, world)
  if report.locks then return joints_suggestion(report) end
  if not report.contacts then return drives_suggestion(report, world) end
  local ratio = report.mass_ratio and report.mass_ratio.ratio or 1
  if ratio > HEAVY then return "direct", ("the mass ratio in contacts is %.0f"):format(ratio) end
  return "soft", "contacts connect only bodies of similar mass"
end

-- Describe a weak lock. amplification: force of the lock / load; way [m]: distance to the dead centre.
local function weak_text(report, weak)
  local joints = table.concat(weak.joints, ", ")
  if not is_dead_centre(weak) then
    return ("%s is almost linearly dependent on other locks (joints: %s): its force is up to %.4g times the "
      .. "load"):format(weak.lock, joints, weak.amplification)
  end
  local text = ("%s is near a dead centre, %.3g degrees and %.3g mm from it (%s): its force is up to %.4g times the "
    .. "load, inversely proportional to the angle"):format(weak.lock, math.deg(weak.angle), 1e3 * weak.way, joints,
    weak.amplification)
  if report.solver ~= "soft" then return text end
  local gap = report.softest and report.softest.gap or 0
  local now = gap * weak.amplification > weak.way and (" (now %s yields by %.3g mm)"):format(report.softest.joint,
    1e3 * gap) or ""
  return ("%s; with the solver soft, the mechanism passes the dead centre if its joints yield by %.3g mm in total; "
    .. "after the dead centre, the force has the opposite sign%s"):format(text,
    1e3 * weak.way / (2 * weak.amplification), now)
end

local function unconverged_text(report, world)
  if report.stopped == "stalled" then
    return ("the last step stalled: %s found no forces that satisfy all rows; bounds or locks may contradict each "
      .. "other, or a dead centre may amplify rounding"):format(report.solver)
  end
  local gx, gy = world:gravity()
  return ("the last step has not converged: the error of velocities is %.3g times "
    .. "%s"):format(report.error, gx == 0 and gy == 0
    and "the largest change of velocity by the impulse of a row" or "the change of velocity by gravity in a substep")
end

local function add_warnings(report, world)
  local function warn(...) report.warnings[#report.warnings + 1] = string.format(...) end
  local apart = report.contradiction
  if apart then
    warn("locks contradict each other, so the joints cannot all close%s: %s is open by %.3g mm, all joints together by "
      .. "%.3g mm; check lengths and anchors",
      apart.elsewhere and (" except in a pose %.3g m away"):format(apart.elsewhere) or "",
      apart.joint, 1e3 * apart.gap, 1e3 * apart.sum)
  end
  for _, weak in ipairs(report.weak) do warn("%s", weak_text(report, weak)) end
  if report.sharing > 0 then
    warn("%s from other locks: the solver divides the forces among them arbitrarily",
      show.counted(report.sharing, "lock follows", "locks follow"))
  end
  local ratio = report.mass_ratio
  if ratio and ratio.ratio > HEAVY then
    warn("%s couples masses of 1 : %.0f, %s and %s", ratio.owner, ratio.ratio, ratio.light, ratio.heavy)
  end
  local needed = report.contacts or report.locks
  if needed and report.solver == "si" and (needed.sweeps or math.huge) > world.iterations then
    warn("the solver 'si' makes %d sweeps and would need %s", world.iterations, needed.sweeps or "infinitely many")
  end
  if report.stiff_springs > 0 then
    warn("%s; the stiffest is %s of %s, omega h = %.2g", show.counted(report.stiff_springs,
      "spring is so stiff that the integrator damps it", "springs are so stiff that the integrator damps them"),
      report.spring.coordinate, report.spring.joint, report.spring.omega_h)
  end
  if report.open > 0 then
    warn("%s open, %s by %.3g mm", show.counted(report.open, "joint is", "joints are"), report.softest.joint,
      1e3 * report.softest.gap)
  end
  if not report.converged then warn("%s", unconverged_text(report, world)) end
  if report.tension and report.tension.use > 1 then
    warn("%s oscillates under tension faster than the substep resolves; an exact solver needs %d substeps",
      report.tension.body, math.ceil(report.tension.use * world.substeps))
  end
end

--- Analyse a world, between two steps.
---@return table report
---  mobility, freedom
---  rank: of the constraint rows; nil if the world is too large
---  redundant: names
---  bodies, lightest, heaviest { body, mass }
---  mass_ratio { ratio, owner, kind, light, heavy, light_mass, heavy_mass }
---  locks { rows, contraction, exact, sweeps }
---  contacts: as locks, for the rows of contacts and locks; nil without contacts
---  h: substep [s]
---  spring { joint, coordinate, omega_h }, stiff_springs
---  rotors { count, coordinate, armature, ratio }: nil without armature. count: number of coordinates with armature;
---  coordinate: the one with the largest ratio = armature / inertia of its bodies
---  weak: list of { lock, amplification, left, angle [rad], way [m], joints }, locks that almost depend linearly on
---  other locks, see world:weak_locks; angle, way: distance to a dead centre, nil if there is none
---  contradiction { joint, gap [m], sum [m], elsewhere [m] }: nil if all locks can be satisfied; joint, gap: joint with
---  the largest gap; sum: sum of all gaps; elsewhere: distance to a pose in which all joints close, or nil
---  sharing: number of redundant locks that do not contradict others
---  softest { joint, gap [m], force [N] }: joint with the largest gap; nil: none
---  open: number of open joints
---  converged, error, stopped: of world:residual()
---  tension { body, use }: largest tension as a fraction of the stability limit
---  solver
---  suggested, reason
---  warnings
function doctor.report(world)
  arguments.check("doctor.report: argument 'world'", world, { "world" })
  local report = {
    bodies = 0, redundant = json.list {}, weak = json.list {}, warnings = json.list {}, h = world.dt / world.substeps,
    solver = world.solver, tree = doctor.is_tree(world) or false,
  }
  local redundant = add_mobility(report, world)
  local weak = redundant and world:weak_locks() or {}
  report.sharing, report.softest = #report.redundant, softest(world)
  add_weak(report, weak, add_contradiction(report, world, redundant, weak))
  add_bodies(report, world)
  add_rows(report, world)
  add_rotors(report, world)
  report.spring, report.stiff_springs = stiffness.springs(world, report.h)
  local residual = world:residual()
  report.open = residual.open
  report.converged, report.error, report.stopped = residual.converged, residual.error, residual.reason
  report.tension = stiffness.tension(world, report.h)
  report.suggested, report.reason = suggestion(report, world)
  add_warnings(report, world)
  return report
end


-- Text ---------------------------------------------------------------------------------------------------------------

local function show_rows(rows)
  if not rows then return nil end
  return ("%d; contraction %s%.6f per sweep, %s%s sweeps to an error of 1 %%"):format(rows.rows,
    rows.exact and "" or "at least ", rows.contraction, rows.exact and "" or "at least ",
    rows.sweeps or "infinitely many")
end

--- Format a report as lines of name and value.
---@param report table  report from doctor.report
function doctor.text(report)
  if type(report) ~= "table" or not report.warnings or not report.suggested then
    arguments.fail("doctor.text: argument 'report' must be a report of doctor.report, got %s", arguments.got(report))
  end
  local light, heavy, ratio = report.lightest, report.heaviest, report.mass_ratio
  local rows = {
    { "mobility", report.mobility
      and ("%d = %s - %d locked"):format(report.mobility, show.counted(report.freedom, "freedom", "freedoms"),
        report.rank) },
    { "redundant", report.mobility and (report.redundant[1] and table.concat(report.redundant, ", ") or "none") },
    { "weak", report.weak[1] and ("%s, force up to %.4g times the load%s"):format(report.weak[1].lock,
      report.weak[1].amplification,
      is_dead_centre(report.weak[1]) and (", %.3g degrees from a dead centre"):format(math.deg(report.weak[1].angle))
      or "") },
    { "bodies", light and ("%d; %s %.6g kg ... %s %.6g kg"):format(report.bodies, light.body, light.mass, heavy.body,
      heavy.mass) or ("%d"):format(report.bodies) },
    { "mass ratio", ratio and ("%.4g at %s of %s: %s, %s"):format(ratio.ratio, ratio.kind, ratio.owner, ratio.light,
      ratio.heavy) },
    { "lock rows", show_rows(report.locks) },
    { "with contacts", show_rows(report.contacts) },
    { "armature", report.rotors and ("%d; largest %.4g, of %s: %.4g times the inertia of its "
      .. "bodies"):format(report.rotors.count,
      report.rotors.armature, report.rotors.coordinate, report.rotors.ratio) },
    { "springs", report.spring and ("omega h = %.3g at most, %s of %s"):format(report.spring.omega_h,
      report.spring.coordinate, report.spring.joint) },
    { "tension", report.tension and ("at most %.3g of the stability limit, in %s"):format(report.tension.use,
      report.tension.body) },
    { "largest gap", report.softest and ("%s: %.3g mm at a force of %.3g N"):format(report.softest.joint,
      1e3 * report.softest.gap, report.softest.force) },
    { "solver", ("%s; suggested: %s, because %s"):format(report.solver, report.suggested, report.reason) },
  }
  for _, warning in ipairs(report.warnings) do rows[#rows + 1] = { "warning", warning } end
  local lines = {}
  for _, row in ipairs(rows) do
    local text = row[2] and printable(row[2]):gsub("[\n\t]+", " ") -- a name may contain control characters
    if text then lines[#lines + 1] = ("%-14s %s\n"):format(row[1], text) end
  end
  return table.concat(lines)
end

return doctor
