-- Solvers that correct positions (ngs, split, xpbd), compared with si: drift and its energy cost, contacts, compliance,
-- the energy ledger.
local impel = require "impel"

local G = 9.81
local near = require("support.measure").near
local POSITION = { "ngs", "split", "xpbd" }
local show = os.getenv "IMPEL_SHOW"

local function each(name, solvers, f)
  for _, solver in ipairs(solvers) do
    it(name .. " (" .. solver .. ")", function() f(solver) end)
  end
end

local function new_world(solver, gravity, more)
  local options = { solver = solver, gravity = { 0, gravity }, sleep = false }
  for key, value in pairs(more or {}) do options[key] = value end
  return impel.world(options)
end

local function below(limit, got, what)
  if show then print(("%-62s %.10g, below %.3g"):format(what, got, limit)) end
  assert(got < limit, ("%s: %.17g, below %.17g expected"):format(what, got, limit))
end

local function above(limit, got, what)
  if show then print(("%-62s %.10g, above %.3g"):format(what, got, limit)) end
  assert(got > limit, ("%s: %.17g, above %.17g expected"):format(what, got, limit))
end

-- A bob of 1 kg on a rod of 1 m, released level, for 10 s. Return final and worst drift [m] and the gain of energy [J].
local function pendulum(solver, more)
  local world = new_world(solver, -G, more)
  local bob = world:body { type = "particle", position = { 1, 0 }, mass = 1 }
  local rod = world:distance(world.ground, bob, { anchor_a = { 0, 0 }, anchor_b = { 1, 0 } })
  local worst = 0
  for _ = 1, math.floor(10 / world.dt + 0.5) do
    world:step()
    worst = math.max(worst, rod.separation)
  end
  local kinetic, potential = world:energy()
  return rod:coordinate("distance").value - 1, worst, kinetic + potential
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Zero drift is not accuracy
-- ---------------------------------------------------------------------------------------------------------------------

-- The energy of the fall is m g l = 9.81 J.
describe("a pendulum of 1 m, released level, after 10 s", function()
  it("has a length error of 0.47 m and lost 8.4 J without stabilisation", function()
    local drift, _, energy = pendulum("si", { baumgarte = 0 })
    near(0.47, drift, 0.05 * 0.47, "si, beta 0: drift [m]")
    near(-8.4, energy, 0.05, "si, beta 0: energy [J]") -- the reference value has two digits
  end)

  it("has no drift with position projection, and lost 5.2 J", function()
    local drift, worst, energy = pendulum "ngs"
    near(0, drift, 1e-12, "ngs: drift [m]")
    near(0, worst, 1e-12, "ngs: worst |C| [m]")
    near(-5.2, energy, 0.05, "ngs: energy [J]")
  end)

  it("moves with solver ngs without position iterations as with solver si without Baumgarte's bias", function()
    assert.same({ pendulum("si", { baumgarte = 0 }) }, { pendulum("ngs", { position_iterations = 0 }) })
  end)

  it("has an error of up to 13 mm and lost 0.98 J with a Baumgarte factor of 0.2, 0.05 J at 240 Hz", function()
    local _, worst, energy = pendulum("si", { baumgarte = 0.2 })
    near(0.013, worst, 5e-4, "si, beta 0.2: worst |C| [m]")
    near(-0.98, energy, 0.01, "si, beta 0.2: energy [J]")
    _, _, energy = pendulum("si", { baumgarte = 0.2, dt = 1 / 240 })
    near(-0.05, energy, 0.005, "si, beta 0.2, 240 Hz: energy [J]")
  end)

  -- The split solver removes the same fraction of the error per step as Baumgarte's bias. Split and ngs do not change
  -- the velocity.
  it("with solver split has the position error of Baumgarte's bias and the energy loss of projection", function()
    local _, worst, energy = pendulum "split"
    near(0.0122, worst, 5e-4, "split: worst |C| [m]")
    near(-5.24, energy, 0.1, "split: energy [J]")
  end)

  -- The loss is of first order in h.
  it("loses energy with solver xpbd in proportion to the substep, and more without relax", function()
    local lost = {}
    for _, substeps in ipairs { 8, 16, 32, 64 } do
      local drift, _, energy = pendulum("xpbd", { substeps = substeps })
      near(0, drift, 1e-12, "xpbd: drift [m]")
      lost[#lost + 1] = -energy
    end
    for i = 2, 4 do
      local ratio = lost[i - 1] / lost[i]
      near(2, ratio, 0.15 / (i - 1), ("xpbd: loss at %d substeps / loss at twice as many"):format(2 ^ (i + 1)))
    end
    above(2, lost[1], "xpbd, 8 substeps: energy lost [J]")
    local _, _, rough = pendulum("xpbd", { relax = false })
    above(1.3, -rough / lost[1], "xpbd, 8 substeps: loss without relax / loss with relax")
  end)

  it("loses the energy that world:audit() reports, and no more", function()
    local world = new_world("ngs", -G, { auditing = true })
    local bob = world:body { type = "particle", position = { 1, 0 }, mass = 1 }
    world:distance(world.ground, bob, { anchor_a = { 0, 0 }, anchor_b = { 1, 0 } })
    world:step(600)
    local audit, sum = world:audit(), 0
    for _, cause in ipairs { "lock", "integration", "projection" } do sum = sum + audit[cause] end
    near(audit.after - audit.before, sum, 1e-9, "ledger: lock, integration and projection [J]")
    above(0.01, math.abs(audit.projection), "ledger: projection [J]")
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- Correction of errors
-- ---------------------------------------------------------------------------------------------------------------------

describe("an error of 10 mm at rest", function()
  -- A rod on a hinge. The hinge has an error in both directions.
  local function rod(solver, more)
    local world = new_world(solver, 0, more)
    local body = world:body { position = { 0.5, 0 } }
    body:box { 1, 0.1 }
    local hinge = world:revolute(world.ground, body, { anchor = { 0, 0 } })
    body:set_position(0.506, 0.01)
    return world, hinge
  end

  it("is below 1e-6 m after 3 passes of full Newton, each of which squares the error", function()
    local left = {}
    for passes = 0, 3 do
      local world, hinge = rod("ngs", { position_iterations = passes })
      world:step()
      left[passes] = hinge.separation
      near(0, (world:energy()), 1e-9, "ngs: kinetic energy [J]")
    end
    near(0.01, left[0], 1e-12, "no pass: error [m]")
    below(1e-6, left[3], "three passes: error [m]")
    below(10 * left[1] ^ 2, left[2], "two passes: error [m]") -- quadratic convergence
  end)

  it("is removed for every kind of lock, a gear and a constraint function included", function()
    -- 50 passes, because the correction of one joint moves the bodies of the next joint.
    local world = new_world("ngs", 0, { position_iterations = 50 })
    local function body(x) return world:body { position = { x, 0 }, mass = 1, inertia = 0.1 } end
    local a, b, c = body(0), body(1), body(2)
    local joints = {
      world:weld(a, b, { anchor = { 0.5, 0.2 } }),
      world:revolute(b, c, { anchor = { 1.5, 0 } }),
      world:prismatic(world.ground, a, { axis = { 1, 0.3 } }),
      world:constraint(c, { C = function(p) return p.x ^ 2 + p.y ^ 2 - 4 end }),
    }
    local wheels = {}
    for i = 1, 2 do
      wheels[i] = world:body { position = { 5 * i, 5 }, mass = 1, inertia = 0.1 * i }
      joints[#joints + 1] = world:revolute(world.ground, wheels[i], {})
    end
    joints[#joints + 1] = world:gear { joint1 = joints[5], joint2 = joints[6], ratio = 2 }
    a:set_position(0.004, 0.006)
    b.angle = 0.02
    c:set_position(2.005, -0.008)
    wheels[1].angle = 0.03
    wheels[1]:set_position(5.01, 5)
    world:step(5)
    for i, joint in ipairs(joints) do below(1e-6, joint.separation, ("joint %d: error [m, rad]"):format(i)) end
    near(0, (world:energy()), 1e-9, "ngs: kinetic energy [J]")
  end)

  it("decays as (1 - beta)^n with si and split", function()
    for _, solver in ipairs { "si", "split" } do
      for _, beta in ipairs { 0.2, 0.5, 1, 1.5 } do
        local world = new_world(solver, 0, { baumgarte = beta })
        local bead = world:body { type = "particle" }
        local lock = world:constraint(bead, { C = function(p) return p.x, p.y end })
        bead:set_position(0.006, 0.008)
        for n = 1, 10 do
          world:step()
          local x, y = bead:position()
          near(0.006 * (1 - beta) ^ n, x, 1e-12, ("%s, beta %g: x after %d steps [m]"):format(solver, beta, n))
          near(0.008 * (1 - beta) ^ n, y, 1e-12, ("%s, beta %g: y after %d steps [m]"):format(solver, beta, n))
        end
        assert.is_true(lock.separation <= 0.01 * math.max(beta - 1, 1 - beta) ^ 10 + 1e-12)
      end
    end
  end)

  it("adds no kinetic energy with split impulses, for joints, overlaps and limits", function()
    local world, hinge = rod "split"
    local box = world:body { position = { 3, 0 } }
    box:box { 1, 1 }
    local other = world:body { position = { 3.4, 0.7 }, angle = 0.2 } -- overlaps `box` deeply
    other:box { 1, 1 }
    local stop = world:body { position = { 6, 0 }, mass = 1 }
    local slide = world:prismatic(world.ground, stop, { limit = { 0.05, 1 } })
    local most = 0
    for _ = 1, 60 do
      world:step()
      most = math.max(most, (world:energy()))
    end
    near(0, most, 1e-9, "split: largest kinetic energy [J]")
    below(0.01 * 0.8 ^ 59, hinge.separation, "split: hinge after 60 steps [m]")
    near(0.05, slide.value, 1e-6, "split: limit after 60 steps [m]")
    for contact in world:contacts() do
      for _, _, _, separation in contact:points() do
        -- Up to 0.1 mm of the overlap remains.
        near(-world.slop, separation, 1e-4, "split: overlap after 60 steps [m]")
      end
    end
    local si, gain = rod "si", 0
    for _ = 1, 5 do
      si:step()
      gain = math.max(gain, (si:energy()))
    end
    above(1e-4, gain, "si: largest kinetic energy [J]")
  end)

  -- Within a substep xpbd corrects an error C by a velocity C / h. The stage `relax` of the substep removes this
  -- velocity.
  it("leaves a body a speed of C / h away from its limit with xpbd without relax, and none with relax", function()
    for _, relax in ipairs { true, false } do
      local world = new_world("xpbd", 0, { relax = relax })
      local body = world:body { mass = 1 }
      local slide = world:prismatic(world.ground, body, { limit = { 0.01, 100 } })
      world:step()
      local speed = relax and 0 or 0.01 * 8 * 60
      near(speed, slide.speed, 1e-9, ("xpbd, relax %s: speed off the limit [m/s]"):format(relax))
    end
  end)
end)

describe("a limit", function()
  each("balances its load in every step, without a hinge error", POSITION, function(solver)
    local world = new_world(solver, -G)
    local arm = world:body { position = { 0.5, 0 } }
    arm:box { 1, 0.1 }
    local hinge = world:revolute(world.ground, arm, { anchor = { 0, 0 }, limit = { -0.2, 1 } })
    world:step(240)
    for _ = 1, 20 do
      world:step()
      near(0.5 * 0.1 * G * math.cos(hinge.value), hinge.force, 1e-6, solver .. ": force of the limit [N m]")
      -- Under split the error decays gradually.
      near(-0.2, hinge.value, solver == "split" and 1e-3 or 1e-6, solver .. ": angle [rad]")
      near(0, hinge.separation, 1e-4, solver .. ": error of the hinge [m]")
    end
  end)

  each("of a servo's force holds in the position solve too: a larger force moves the body", POSITION, function(solver)
    for _, drive in ipairs { { servo = { target = 0.5, max_force = 5 } } } do
      local world = new_world(solver, 0)
      local body = world:body { mass = 1 }
      local slide = world:prismatic(world.ground, body, drive)
      world:step(300)
      near(0.5, slide.value, 1e-9, solver .. ": servo arrives [m]")
      for _ = 1, 60 do
        body:apply_force(-7, 0)
        world:step()
      end
      near(5, slide.force, 1e-9, solver .. ": servo's force [N]")
      -- The tolerance covers an error of first order, a dt t / 2 = 0.017 m.
      near(0.5 - 0.5 * 2 * 1, slide.value, 0.04, solver .. ": yields by a t^2 / 2 to [m]")
    end
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- Contacts
-- ---------------------------------------------------------------------------------------------------------------------

-- Boxes of 1 m, stacked on the ground, or `lift` [m] above the ground.
local function stack(solver, count, options, upright, lift)
  local world = new_world(solver, -G, options)
  world.ground:box { 100, 1, center = { 0, -0.5 } }
  local boxes = {}
  for i = 1, count do
    boxes[i] = world:body { position = { 0, i - 0.5 + (lift or 0) } }
    boxes[i]:box { 1, 1 }
    boxes[i].fixed_rotation = upright or false
  end
  return world, boxes
end

local function deepest(world)
  local least = 0
  for contact in world:contacts() do
    for _, _, _, separation in contact:points() do least = math.min(least, separation) end
  end
  return -least
end

describe("overlap", function()
  local function disc(solver, depth, more)
    local world = new_world(solver, 0, more)
    world.ground:box { 100, 10, center = { 0, -5 } }
    local body = world:body { position = { 0, 2 - depth } }
    body:circle { radius = 2 }
    return world, function() return 2 - select(2, body:position()) end
  end

  it("decreases by 0.2 of the part beyond the slop in each pass of ngs, and by 0.2 m at most", function()
    for passes = 1, 4 do
      local world, depth = disc("ngs", 0.03, { position_iterations = passes })
      world:step()
      near(0.005 + 0.025 * 0.8 ^ passes, depth(), 1e-12, ("ngs: overlap after %d passes [m]"):format(passes))
    end
    local world, depth = disc("ngs", 1.5, { position_iterations = 1 })
    world:step()
    near(1.3, depth(), 1e-12, "ngs: deep overlap after a pass [m]")
    near(0, (world:energy()), 1e-9, "ngs: kinetic energy [J]")
  end)

  it("decreases by beta of the part beyond the slop in each step of split", function()
    local world, depth = disc("split", 0.03)
    for n = 1, 10 do
      world:step()
      near(0.005 + 0.025 * 0.8 ^ n, depth(), 1e-12, ("split: overlap after %d steps [m]"):format(n))
    end
  end)

  it("decreases at push_speed with xpbd, down to the slop, and leaves no speed", function()
    local world, depth = disc("xpbd", 0.5, { push_speed = 3 })
    world:step(6)
    near(0.5 - 0.1 * 3, depth(), 1e-9, "xpbd: overlap after 0.1 s [m]")
    near(0, (world:energy()), 1e-9, "xpbd: kinetic energy [J]")
    world:step(60)
    near(world.slop, depth(), 1e-9, "xpbd: overlap in the end [m]")
  end)

  -- After a fall of 1 m a box rests with an overlap equal to the slop, or without overlap with solver xpbd.
  each("of a box at rest equals the slop, and its contact never toggles", { "si", "ngs", "split", "xpbd" },
    function(solver)
      local world = stack(solver, 1, nil, false, 1)
      world:step(180)
      local toggles = 0
      world:on("begin_contact", function() toggles = toggles + 1 end)
      world:on("end_contact", function() toggles = toggles + 1 end)
      world:step(600)
      assert.equal(0, toggles)
      if solver == "xpbd" then
        below(1e-3, deepest(world), "xpbd: overlap [m]") -- two sweeps leave a small overlap after the impact
      else
        near(world.slop, deepest(world), 0.1 * world.slop, solver .. ": overlap [m]")
      end
    end)
end)

describe("a tall box that lands flat", function()
  -- J M^-1 J^T of both contact points is (1.3 .7; .7 1.3). Return both impulses after a step, the larger first, then
  -- the vertical velocity and the spin of the box.
  local function land(solver, options)
    local world = new_world(solver, 0, options)
    world.ground:box { 100, 1, center = { 0, -0.5 } }
    local box = world:body { position = { 0, 1.5 } }
    box:box { 1, 3, density = 1 / 3, friction = 0 }
    box:set_velocity(0, -1)
    world:step()
    local impulses = {}
    for contact in world:contacts() do
      for i, _, _, _, impulse in contact:points() do impulses[i] = impulse end
    end
    assert.equal(2, #impulses)
    return math.max(table.unpack(impulses)), math.min(table.unpack(impulses)), select(2, box:velocity()),
      box.angular_velocity
  end

  each("is stopped by two equal impulses, half its momentum each, within 10 sweeps", POSITION, function(solver)
    local first, second = land(solver, { iterations = 10 })
    near(0.5, first, 1e-4, solver .. ": first impulse [N s]")
    near(0.5, second, 1e-4, solver .. ": second impulse [N s]")
  end)

  each("rebounds with unequal impulses if increments are clamped", { "ngs", "split" }, function(solver)
    local first, second, vy, w = land(solver, { iterations = 10, accumulate = false })
    near(1 / 1.3, first, 1e-12, solver .. ", wrong clamp: first impulse [N s]")
    near((1 - 0.7 / 1.3) / 1.3, second, 1e-12, solver .. ", wrong clamp: second impulse [N s]")
    near(0.124, vy, 5e-4, solver .. ", wrong clamp: rebound [m/s]") -- the reference value has three digits
    near(0.249, math.abs(w), 5e-4, solver .. ", wrong clamp: spin [rad/s]")
  end)
end)

describe("ten boxes", function()
  -- Boxes that cannot rotate settle at 4 sweeps. Boxes that may rotate do not settle: the errors of their normal
  -- impulses contract by cos^2(pi / 20) = 0.976 per sweep.
  it("settle with warm start at 4 sweeps of si, and sink more than 3 times as far without", function()
    local depth = {}
    for _, warm in ipairs { true, false } do
      local world = stack("si", 10, { iterations = 4, warm_start = warm }, true)
      world:step(600)
      depth[warm] = deepest(world)
      if warm then near(0, (world:energy()), 1e-12, "kinetic energy after 10 s [J]") end
    end
    above(3, depth[false] / depth[true], "overlap without warm start / with warm start")
  end)

  it("stand with xpbd at its default 2 sweeps of 8 substeps, and fall without warm start", function()
    local world, boxes = stack("xpbd", 10)
    world:step(600)
    near(9.5, select(2, boxes[10]:position()), 1e-3, "xpbd: height of the top [m]")
    near(0, boxes[10]:position(), 5e-3, "xpbd: sideways position of the top [m]")
    world, boxes = stack("xpbd", 10, { warm_start = false })
    world:step(600)
    below(9, (select(2, boxes[10]:position())), "xpbd without warm start: height of the top [m]")
  end)

  -- RMS speeds of five boxes between the 4th and the 5th second.
  it("reduced to five jitter below 1 mm/s with soft and xpbd; xpbd without warm start 100 times more", function()
    local rms = {}
    local cases = { { "soft" }, { "si" }, { "ngs" }, { "split" }, { "xpbd" }, { "xpbd", warm_start = false } }
    for _, case in ipairs(cases) do
      local world, boxes = stack(case[1], 5, { warm_start = case.warm_start })
      world:step(240)
      local sum = 0
      for _ = 1, 60 do
        world:step()
        for _, box in ipairs(boxes) do
          local vx, vy = box:velocity()
          sum = sum + vx * vx + vy * vy
        end
      end
      local name = case[1] .. (case.warm_start == false and ", cold" or "")
      rms[name] = math.sqrt(sum / 300)
      if show then print(("%-58s %.3g"):format(name .. ": RMS speed [m/s]", rms[name])) end
    end
    for _, solver in ipairs { "soft", "xpbd" } do below(1e-3, rms[solver], solver .. ": RMS speed [m/s]") end
    above(100 * rms.xpbd, rms["xpbd, cold"], "xpbd, without warm start: RMS speed [m/s]")
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- xpbd: compliance and forces
-- ---------------------------------------------------------------------------------------------------------------------

describe("xpbd", function()
  it("lets a spring sag by m g / k at any number of sweeps and substeps, and any mass", function()
    for _, iterations in ipairs { 1, 2, 20 } do
      for _, substeps in ipairs { 1, 8, 20 } do
        for _, mass in ipairs { 0.1, 10 } do
          local world = new_world("xpbd", -G, { iterations = iterations, substeps = substeps })
          local body = world:body { mass = mass }
          local k = 400
          local slide = world:prismatic(world.ground, body, { axis = { 0, 1 },
            spring = { stiffness = k, damping = 2 * math.sqrt(k * mass) } })
          world:step(600)
          near(-mass * G / k, slide.value, 0.01 * mass * G / k,
            ("%d sweeps, %d substeps, %g kg: sag [m]"):format(iterations, substeps, mass))
          near(mass * G, slide.force, 0.01 * mass * G, "spring's force [N]")
        end
      end
    end
  end)

  -- A compliant joint is a spring stepped by implicit Euler, v' = (v - h w^2 x) / (1 + h^2 w^2). Per substep the
  -- amplitude shrinks by (1 + h^2 w^2)^(-1/2).
  it("steps an undamped spring as implicit Euler does", function()
    local world = new_world("xpbd", 0, { substeps = 4 })
    local body = world:body { mass = 2 }
    local slide = world:prismatic(world.ground, body, { spring = { stiffness = 50 } })
    body:set_position(0.3, 0)
    local x, v, h = 0.3, 0, world.dt / 4
    for _ = 1, 60 do
      world:step()
      for _ = 1, 4 do
        v = (v - h * 25 * x) / (1 + h * h * 25)
        x = x + h * v
      end
      near(x, slide.value, 1e-12, "implicit Euler: position [m]")
      near(v, slide.speed, 1e-12, "implicit Euler: speed [m/s]")
    end
  end)

  it("reports the forces on resting bodies: floor, rod, servo, hinge", function()
    local world = new_world("xpbd", -G)
    world.ground:box { 100, 1, center = { 0, -0.5 } }
    local box = world:body { position = { 0, 0.5 }, mass = 10 }
    box:box { 1, 1 }
    local bob = world:body { position = { 5, 3 }, mass = 2 }
    local rod = world:distance(world.ground, bob, { anchor_a = { 5, 4 } })
    local load = world:body { position = { 8, 2 }, mass = 3 }
    local lift = world:prismatic(world.ground, load, { axis = { 0, 1 }, servo = { target = 0, max_force = 100 } })
    local arm = world:body { position = { 11.5, 3 }, mass = 1, inertia = 1 / 12 }
    local weld = world:weld(world.ground, arm, { anchor = { 11, 3 } })
    world:step(300)
    local _, floor = box:contact_force()
    near(98.1, floor, 1e-6, "floor under 10 kg [N]")
    near(-19.62, rod.force, 1e-6, "rod with 2 kg [N]")
    near(29.43, lift.force, 1e-6, "servo under 3 kg [N]")
    local fx, fy, torque = weld:reaction()
    near(0, fx, 1e-6, "weld: fx [N]")
    near(9.81, fy, 1e-4 * 9.81, "weld: fy [N]")
    near(4.905, torque, 1e-3 * 4.905, "weld: torque [N m]") -- error of 2 sweeps over three coupled rows
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- All solvers
-- ---------------------------------------------------------------------------------------------------------------------

describe("the ledger of energy", function()
  each("adds up to the change of energy in every step", POSITION, function(solver)
    local world = impel.world { solver = solver, auditing = true }
    world.ground:box { 100, 1, center = { 0, -0.5 } }
    local before
    for i = 1, 6 do
      local link = world:body { position = { i * 0.5, 3 }, linear_damping = 0.1 }
      link:box { 0.5, 0.1, restitution = 0.5 }
      world:revolute(before or world.ground, link, { anchor = { i * 0.5 - 0.25, 3 }, limit = { -0.5, 0.5 },
        spring = { stiffness = 1, damping = 0.1 }, motor = i == 3 and { speed = 2, max_force = 1 } or nil })
      before = link
    end
    for i = 1, 4 do world:body({ position = { 4 + 0.1 * i, 1.5 * i } }):box { 1, 1, restitution = 0.4 } end
    local cart = world:body { type = "kinematic", position = { 6, 0.5 } }
    cart:box { 1, 0.5 }
    cart:set_velocity(-0.5, 0)
    for _ = 1, 180 do
      world:step()
      local step, sum = world:audit().step, 0
      for name, value in pairs(step) do
        local cause = name ~= "before" and name ~= "after" and name ~= "worst"
        if type(value) == "number" and cause then sum = sum + value end
      end
      near(step.after - step.before, sum, 1e-9, solver .. ": sum over the causes of a step [J]")
    end
  end)
end)
