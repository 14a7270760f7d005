-- Solvers that factorize (direct, acceleration, rattle): closed forms, conservation laws, projection, geometric
-- stiffness.
local impel = require "impel"

local m = impel.math
local G = 9.81
local measure = require "support.measure"
local near = measure.near

local function new_world(solver, more)
  local options = { solver = solver, sleep = false }
  for key, value in pairs(more or {}) do options[key] = value end
  return impel.world(options)
end

-- A hanging or horizontal chain of rods of `length` from the ground, hinged at their ends. `ball`: mass [kg] at the
-- free end.
local function chain(world, count, options)
  local length, hanging = options.length or 1, options.hanging
  local bodies, joints, before = {}, {}, world.ground
  local function at(distance) return hanging and 0 or distance, hanging and -distance or 0 end
  for i = 1, count do
    local x, y = at((i - 0.5) * length)
    bodies[i] = world:body { position = { x, y }, mass = 1 }
    bodies[i]:box { hanging and 0.1 or length, hanging and length or 0.1, mask = 0 }
    joints[i] = world:revolute(before, bodies[i], { anchor = { at((i - 1) * length) } })
    before = bodies[i]
  end
  if options.ball then
    local x, y = at(count * length)
    bodies[count + 1] = world:body { position = { x, y }, mass = options.ball }
    bodies[count + 1]:circle { radius = 0.3, mask = 0 }
    joints[count + 1] = world:revolute(before, bodies[count + 1], { anchor = { x, y } })
  end
  return bodies, joints
end

-- A particle on a rod of 1 m, released level. Return the worst energy error [J], the worst length error [m] and the
-- last energy error.
local function pendulum(solver, hertz, seconds, more)
  local world = new_world(solver, more)
  world.dt = 1 / hertz
  local bob = world:body { type = "particle", position = { 1, 0 } }
  local rod = world:distance(world.ground, bob, { anchor_a = { 0, 0 }, anchor_b = { 1, 0 } })
  local worst, apart, energy = 0, 0, 0
  for _ = 1, seconds * hertz do
    world:step()
    local kinetic, potential = world:energy()
    energy = kinetic + potential
    worst, apart = math.max(worst, math.abs(energy)), math.max(apart, rod.separation)
  end
  return worst, apart, energy
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Chains
-- ---------------------------------------------------------------------------------------------------------------------

describe("a hanging chain", function()
  for _, solver in ipairs { "direct", "acceleration", "rattle" } do
    it(("has the weight below each link as tension (%s)"):format(solver), function()
      local world = new_world(solver)
      local _, joints = chain(world, 3, { hanging = true })
      world:step(60)
      for i, expected in ipairs { 3 * G, 2 * G, G } do -- 29.43, 19.62, 9.81 N
        local _, fy = joints[i]:reaction()
        near(expected, fy, 1e-4 * expected, "tension [N]")
      end
    end)
  end

  it("of 1000 links is solved to rounding, in operations that grow with its length", function()
    local flops = {}
    for k, count in ipairs { 1000, 2000 } do
      local world = new_world("direct")
      chain(world, count, {})
      world:step()
      local residual = world:residual()
      near(0, residual.solved_to, 1e-10, "residual |J v + b| [m/s]")
      assert.equal("solved", residual.reason)
      flops[k] = residual.flops
    end
    -- Quadratic growth would give a ratio of 4.
    near(2, flops[2] / flops[1], 0.3, "operations for 2000 links / operations for 1000 links")
  end)

  it("holds a load 1000 times its links by geometric stiffness", function()
    for _, solver in ipairs { "direct", "acceleration" } do
      local world = new_world(solver, { midpoint = false, auditing = true })
      local bodies, joints = chain(world, 20, { length = 0.5, ball = 1000 })
      local far, apart = 0, 0
      for _ = 1, 600 do
        world:step()
        local x, y = bodies[21]:position()
        far = math.max(far, math.sqrt(x ^ 2 + y ^ 2))
        for i = 1, 21 do apart = math.max(apart, joints[i].separation) end
      end
      near(10, far, 0.01, solver .. ": largest length of the chain [m]") -- 0.1 %
      near(0, apart, 1e-6, solver .. ": largest joint error [m]")
      assert.is_true(world:audit().stiffness < 0) -- geometric stiffness removes energy
    end
  end)

  it("explodes without geometric stiffness", function()
    local world = new_world("direct", { midpoint = false, geometric_stiffness = false })
    local bodies = chain(world, 20, { length = 0.5, ball = 1000 })
    local far = 0
    for _ = 1, 600 do
      world:step()
      local x, y = bodies[21]:position()
      far = math.max(far, math.sqrt(x ^ 2 + y ^ 2))
    end
    assert.is_true(far > 100, far) -- the end of a chain of 10 m flies 100 m away
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- Constraints on accelerations or positions
-- ---------------------------------------------------------------------------------------------------------------------

describe("accelerations", function()
  it("as unknowns give the same trajectory as velocities if C is quadratic", function()
    local function make(solver)
      local world = new_world(solver, { midpoint = false, position_iterations = 0 })
      local bob = world:body { type = "particle", position = { 1, 0 } }
      world:constraint(bob, { C = function(p) return (p.x ^ 2 + p.y ^ 2 - 1) / 2 end })
      return world, bob
    end
    local first, a = make "direct"
    local second, b = make "acceleration"
    local worst = 0
    for _ = 1, 600 do
      first:step()
      second:step()
      local ax, ay = a:position()
      local bx, by = b:position()
      worst = math.max(worst, math.abs(ax - bx), math.abs(ay - by))
    end
    near(0, worst, 1e-9, "largest distance of both bobs in 600 steps [m]")
  end)

  it("give a pendulum lambda = m (g cos + l w^2)", function()
    local world = new_world "acceleration"
    local angle, speed = 0.7, 2
    local bob = world:body { type = "particle", position = { m.sin(angle), -m.cos(angle) },
      velocity = { speed * m.cos(angle), speed * m.sin(angle) } }
    local rod = world:distance(world.ground, bob, { anchor_a = { 0, 0 }, anchor_b = { m.sin(angle), -m.cos(angle) } })
    world:step()
    near(G * m.cos(angle) + speed ^ 2, -rod.force, 1e-9, "tension [N]")
  end)

  it("let lengths drift without position projection; with projection the lengths do not drift", function()
    local _, apart = pendulum("acceleration", 60, 10, { position_iterations = 0 })
    assert.is_true(apart > 0.1, apart)
    _, apart = pendulum("acceleration", 60, 10)
    near(0, apart, 1e-12, "length error with projection [m]")
  end)
end)

describe("positions", function()
  it("do not drift if they are projected, which costs energy", function()
    local _, apart, energy = pendulum("direct", 60, 10, { midpoint = false })
    near(0, apart, 1e-12, "length error [m]")
    near(-5.2, energy, 0.06, "energy after 10 s [J]")
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- RATTLE
-- ---------------------------------------------------------------------------------------------------------------------

describe("rattle", function()
  it("keeps the energy of a pendulum for 100 s", function()
    local worst, apart = pendulum("rattle", 60, 100)
    near(0.0101, worst, 1e-4, "worst energy [J], 0.102 % of m g l")
    near(0, apart, 1e-13, "length error [m]")
  end)

  it("is of second order on a double pendulum", function()
    -- A double pendulum: 1 kg on a rod of 0.8 m, 2 kg on a rod of 0.6 m that starts upright or level.
    local function worst(hertz, x, y)
      local world = new_world "rattle"
      world.dt = 1 / hertz
      local first = world:body { type = "particle", position = { 0.8, 0 }, mass = 1 }
      local second = world:body { type = "particle", position = { x, y }, mass = 2 }
      world:distance(world.ground, first, { anchor_a = { 0, 0 }, anchor_b = { 0.8, 0 } })
      world:distance(first, second, {})
      local kinetic, potential = world:energy()
      local start, off = kinetic + potential, 0
      for _ = 1, 60 * hertz do
        world:step()
        kinetic, potential = world:energy()
        off = math.max(off, math.abs(kinetic + potential - start))
      end
      return 100 * off / (3 * G * 1.4)
    end
    near(1.7, worst(120, 0.8, 0.6), 0.05, "up, 120 Hz [%]")
    near(0.4, worst(240, 0.8, 0.6), 0.05, "up, 240 Hz [%]")
    near(0.94, worst(120, 1.4, 0), 0.02, "level, 120 Hz [%]")
    near(0.23, worst(240, 1.4, 0), 0.01, "level, 240 Hz [%]")
  end)

  it("gives a bead on a wire a force of 3 m g at the bottom; with solver si at 240 Hz it is 2.999 m g", function()
    local function most(solver, hertz)
      local world = new_world(solver)
      world.dt = 1 / hertz
      local bead = world:body { type = "particle", position = { 1, 0 } }
      local wire = world:constraint(bead, { C = function(p) return m.sqrt(p.x ^ 2 + p.y ^ 2) - 1 end })
      local force, nearest = 0, math.huge
      for _ = 1, 3 * hertz do
        local x = bead:position()
        world:step()
        local after, y = bead:position()
        local middle = math.abs(x + after) / 2
        if y < 0 and middle < nearest then force, nearest = math.abs(wire.force), middle end
      end
      return force / G
    end
    near(3, most("rattle", 1000), 0.015, "rattle: force / weight")
    near(2.999, most("si", 240), 0.015, "si: force / weight")
  end)

  it("keeps a bead's energy within 0.2 %, si at 240 Hz within 1 %", function()
    local function worst(solver, hertz, seconds)
      local world = new_world(solver)
      world.dt = 1 / hertz
      local bead = world:body { type = "particle", position = { 1, 0 } }
      world:constraint(bead, { C = function(p) return p.x ^ 2 + p.y ^ 2 - 1 end })
      local off = 0
      for _ = 1, hertz * seconds do
        world:step()
        local kinetic, potential = world:energy()
        off = math.max(off, math.abs(kinetic + potential))
      end
      return off / G
    end
    near(0, worst("rattle", 60, 100), 0.002, "rattle: energy error / (m g R)")
    near(0, worst("si", 240, 10), 0.01, "si: energy error / (m g R)")
  end)

  it("is velocity Verlet for a free body", function()
    local world = new_world "rattle"
    local body = world:body { velocity = { 3, 4 } }
    world:step(60)
    local x, y = body:position()
    near(3, x, 1e-12, "path [m]")
    near(4 - G / 2, y, 1e-12, "height, exact for a constant force [m]")
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- Bounds
-- ---------------------------------------------------------------------------------------------------------------------

describe("an exact solve with bounds", function()
  it("leaves no complementarity error in a stack with friction", function()
    local world = new_world "direct"
    local ground = world:body { type = "static" }
    ground:box { 20, 1, center = { 0, -0.5 } }
    for i = 1, 10 do world:body({ position = { 0.03 * (i % 3), i - 0.5 } }):box { 1, 1 } end
    local arm = world:body { position = { 5, 0.5 } }
    arm:box { 1, 0.2 }
    local hinge = world:revolute(world.ground, arm, { anchor = { 4.5, 0.5 }, limit = { -0.3, 0.3 },
      motor = { speed = 1, max_force = 3 } })
    local worst = 0
    for _ = 1, 120 do
      world:step()
      worst = math.max(worst, world:residual().solved_to)
    end
    near(0, worst, 1e-8, "complementarity [m/s]")
    near(0.3, hinge.value, 1e-9, "angle at the limit that the motor reaches [rad]")
  end)

  -- If the bounds of friction follow the normal impulses, the sweeps do not converge to an exact solution.
  it("approximates the solution for tumbling boxes", function()
    for _, solver in ipairs { "direct", "acceleration", "rattle" } do
      local world = new_world(solver, { sleep = false })
      world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
      for i = 1, 20 do
        world:body({ position = { 0.55 * (7 * i % 5) - 1.1, 0.5 + 0.6 * i }, angle = i }):box { 0.5, 0.4 }
      end
      local worst = 0
      for _ = 1, 120 do
        world:step()
        worst = math.max(worst, world:residual().solved_to)
      end
      near(0, worst, 1e-3, solver .. ": residual at impacts of up to 5 m/s [m/s]") -- measured: 5e-5
    end
  end)

  it("gives no body a high speed if rows contradict each other", function()
    for _, solver in ipairs { "direct", "acceleration", "rattle" } do
      local world = new_world(solver, { sleep = false })
      world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
      for i = 1, 8 do world:body({ position = { 0.05 * (i % 3), i - 0.5 }, angle = 0.02 * i }):box { 1, 1 } end
      world:body({ type = "kinematic", position = { 0, 8.7 }, velocity = { 0, -1 } }):box { 3, 1 }
      local worst = 0
      for _ = 1, 120 do
        world:step()
        worst = math.max(worst, world:residual().solved_to)
      end
      -- The lid descends at 1 m/s on a stack on rigid ground, so rows contradict each other by at most 1 m/s.
      assert.is_true(worst < 1, ("%s: a row is off by %g m/s"):format(solver, worst))
    end
  end)

  it("solves a limit in one block with the locks of its joint", function()
    -- A rod of 1 kg and 1 m on a hinge at its end turns beyond its lower limit. The expected values solve
    -- the 3 x 3 system of both locks and the limit, J M^-1 J^T lambda = -J v*.
    local world = new_world("direct", { midpoint = false, gravity = { 0, 0 }, position_iterations = 0 })
    local rod = world:body { position = { 0.5, 0 }, mass = 1, inertia = 1 / 12, velocity = { 0.3, -2 },
      angular_velocity = -5 }
    local hinge = world:revolute(world.ground, rod, { anchor = { 0, 0 }, limit = { 0, 1 } })
    world:step()
    -- Speeds of the rows before the step: x: v = 0.3, y: v - w / 2 = -2 + 2.5, angle: w = -5. The locks require 0, and
    -- the limit w >= 0 is active, so all motion stops.
    near(0, rod.angular_velocity, 1e-10, "turning [rad/s]")
    local vx, vy = rod:velocity()
    near(0, math.abs(vx) + math.abs(vy), 1e-10, "speed [m/s]")
    -- The impulses remove all momentum: lambda_x = -0.3, lambda_y = 2. About the centre of mass,
    -- I w + r x lambda + (angular impulse of the limit) = 0.
    local fx, fy, torque = hinge:reaction()
    near(-0.3 * 60, fx, 1e-9, "force along [N]")
    near(2 * 60, fy, 1e-9, "force across [N]")
    near(5 / 12 * 60 + 0.5 * 2 * 60, torque, 1e-8, "torque of the limit [N m]")
    -- If the rod turns away from the limit, only the locks exert forces.
    rod:set_velocity(0, 0)
    rod.angular_velocity = 2
    world:step()
    near(0, hinge.force, 1e-10, "torque of the limit [N m]")
    near(2 / 12 / (1 / 12 + 1 / 4), rod.angular_velocity, 1e-10, "turning about the hinge [rad/s]")
  end)

  it("gives the same velocities with two coincident pins, and reports redundant rows", function()
    for _, solver in ipairs { "direct", "acceleration", "rattle" } do
      local world = new_world(solver)
      local body = world:body { position = { 1, 0 }, mass = 10 }
      body:box { 2, 0.2, mask = 0 }
      local first = world:revolute(world.ground, body, { anchor = { 0, 0 } })
      local second = world:revolute(world.ground, body, { anchor = { 0, 0 } })
      local single = new_world(solver)
      local other = single:body { position = { 1, 0 }, mass = 10 }
      other:box { 2, 0.2, mask = 0 }
      local only = single:revolute(single.ground, other, { anchor = { 0, 0 } })
      local off = 0
      for _ = 1, 60 do
        world:step()
        single:step()
        off = math.max(off, math.abs(other.angular_velocity - body.angular_velocity))
      end
      near(0, off, 1e-9, solver .. ": turning [rad/s]")
      assert.equal(2, world:residual().redundant)
      local ax, ay = first:reaction()
      local bx, by = second:reaction()
      local cx, cy = only:reaction()
      near(cx, ax + bx, 1e-3 * G * 10, solver .. ": sum along [N]")
      near(cy, ay + by, 1e-3 * G * 10, solver .. ": sum across [N]")
    end
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- Forces
-- ---------------------------------------------------------------------------------------------------------------------

describe("static forces", function()
  it("of a welded arm without weight satisfy statics", function()
    for _, solver in ipairs { "direct", "acceleration", "rattle", "ngs", "split", "reduced" } do
      local world = new_world(solver, { gravity = { 0, 0 } })
      local arm = world:body { position = { 0.5, 0 } }
      arm:box { 1, 0.1 }
      local weld = world:weld(world.ground, arm, { anchor = { 0, 0 } })
      for _ = 1, 120 do
        arm:apply_force(0, -10, 1, 0) -- the force acts at the tip
        world:step()
      end
      local _, _, torque = weld:reaction()
      near(10, math.abs(torque), 0.01, solver .. ": moment at the root [N m]")
    end
  end)

  it("of a four-bar agree under every solver", function()
    -- Crank 0.5 m, coupler 1.8 m, rocker 1.2 m, on hinges 2 m apart. The crank is held at 60 degrees. Mass: 1 kg per
    -- metre.
    local function forces(solver)
      local world = new_world(solver)
      -- Number of sweeps that let the eight rows of the ring converge.
      world.iterations = ({ si = 200, ngs = 200, split = 200, xpbd = 20 })[solver] or world.iterations
      local ax, ay = 0.5 * m.cos(m.pi / 3), 0.5 * m.sin(m.pi / 3)
      -- The hinge of coupler and rocker, above the line from the crank's end to (2, 0).
      local dx, dy = 2 - ax, -ay
      local d = math.sqrt(dx ^ 2 + dy ^ 2)
      local along = (1.8 ^ 2 - 1.2 ^ 2 + d ^ 2) / (2 * d)
      local across = math.sqrt(1.8 ^ 2 - along ^ 2)
      local kx, ky = ax + (along * dx - across * dy) / d, ay + (along * dy + across * dx) / d
      local function bar(x1, y1, x2, y2)
        local length = math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2)
        return world:body { position = { (x1 + x2) / 2, (y1 + y2) / 2 }, angle = m.atan2(y2 - y1, x2 - x1),
          mass = length, inertia = length ^ 3 / 12 }
      end
      local crank, coupler, rocker = bar(0, 0, ax, ay), bar(ax, ay, kx, ky), bar(2, 0, kx, ky)
      local joints = {
        world:revolute(world.ground, crank, { anchor = { 0, 0 }, motor = { speed = 0 } }),
        world:revolute(crank, coupler, { anchor = { ax, ay } }),
        world:revolute(coupler, rocker, { anchor = { kx, ky } }),
        world:revolute(world.ground, rocker, { anchor = { 2, 0 } }),
      }
      world:step(300)
      local list = {}
      for i, joint in ipairs(joints) do
        local fx, fy = joint:reaction()
        list[i] = math.sqrt(fx ^ 2 + fy ^ 2)
      end
      return list
    end
    local exact = forces "direct"
    for _, solver in ipairs { "soft", "si", "ngs", "split", "xpbd", "acceleration", "reduced", "rattle" } do
      for i, force in ipairs(forces(solver)) do
        near(exact[i], force, 1e-3 * exact[i], ("%s: force of hinge %d [N]"):format(solver, i))
      end
    end
  end)
end)

describe("the projector of forces", function()
  it("removes the part of applied forces that constraints balance: J M^-1 P F = 0", function()
    -- P = 1 - J^T (J M^-1 J^T)^-1 J M^-1 projects forces on the free directions. M^-1 P F dt is the change of the
    -- velocities.
    local world = new_world("direct", { position_iterations = 0 })
    local _, joints = chain(world, 6, {})
    world:step()
    local worst = 0
    for row in world:rows() do
      worst = math.max(worst, math.abs(row.speed) * 60) -- J a [m/s^2]
    end
    assert.equal(6, #joints)
    near(0, worst, 1e-12, "J M^-1 P F [m/s^2]")
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- The midpoint rule
-- ---------------------------------------------------------------------------------------------------------------------

local function energy_of(world)
  local kinetic, potential = world:energy()
  return kinetic + potential
end

describe("direct by the midpoint rule", function()
  it("keeps the energy of a pendulum released level, on a rod and on a rope", function()
    for _, hertz in ipairs { 30, 60, 240 } do
      local _, apart, energy = pendulum("direct", hertz, 10)
      near(0, apart, 1e-12, "length error [m]")
      near(0, energy, 0.01 * G, hertz .. " Hz: energy after 10 s [J]")
    end
    local world = new_world "direct"
    local bob = world:body { type = "particle", position = { 1, 0 } }
    local rope = world:distance(world.ground, bob, { anchor_a = { 0, 0 }, anchor_b = { 1, 0 }, limit = { 0, 1 } })
    world:step(600)
    near(0, energy_of(world), 0.01 * G, "rope: energy after 10 s [J]")
    near(1, rope.value, 1e-9, "rope: its length [m]")
  end)

  it("loses less than 1 % of m g l in 10 s for chains with an end of any mass, without joint error", function()
    for _, case in ipairs { { 1, 10 }, { 10, 10 }, { 100, 20 }, { 1000, 10 }, { 10000, 20 }, { 50000, 10 } } do
      local ratio, links = table.unpack(case)
      local world = new_world "direct"
      local _, joints = chain(world, links, { ball = ratio, length = 10 / links })
      local before, gained, apart = energy_of(world), 0, 0
      for _ = 1, 600 do
        world:step()
        gained = math.max(gained, energy_of(world) - before)
        for _, joint in ipairs(joints) do apart = math.max(apart, joint.separation) end
      end
      local weight = ratio * G * 10
      near(0, before - energy_of(world), 0.01 * weight, ratio .. ": energy lost in 10 s [J]")
      near(0, gained, 2e-4 * weight, ratio .. ": energy gained [J]")
      near(0, apart, 1e-9, ratio .. ": largest joint error [m]")
    end
  end)

  it("keeps the energy of a closed loop that swings", function()
    -- A board of 2 m on two rods of 1 m, released 60 degrees from hanging.
    local world = new_world "direct"
    local x, y = m.sin(m.pi / 3), -m.cos(m.pi / 3)
    local board = world:body { position = { 1 + x, y }, mass = 2, inertia = 1 }
    for left = 0, 2, 2 do
      local rod = world:body { position = { left + x / 2, y / 2 }, mass = 1, inertia = 1 / 12 }
      world:revolute(world.ground, rod, { anchor = { left, 0 } })
      world:revolute(rod, board, { anchor = { left + x, y } })
    end
    local before = energy_of(world)
    world:step(600)
    near(before, energy_of(world), 0.01 * 3 * G, "energy after 10 s [J]") -- 1 % of m g l
  end)

  it("keeps the energy of springs up to 15 Hz, damps springs of 1 kHz, and applies a spring's damping", function()
    local function swing(hertz, ratio)
      local world = new_world("direct", { gravity = { 0, 0 } })
      local body = world:body { mass = 2, inertia = 1 }
      world:prismatic(world.ground, body, { spring = { hertz = hertz, damping_ratio = ratio, target = -0.2 } })
      local stiffness = 2 * (2 * m.pi * hertz) ^ 2
      local function stored()
        local vx = body:velocity()
        local x = body:position()
        return vx ^ 2 + stiffness * (x + 0.2) ^ 2 / 2
      end
      return world, body, stored
    end
    for _, hertz in ipairs { 0.5, 5, 15 } do
      local world, _, stored = swing(hertz, 0)
      local before = stored()
      world:step(600)
      near(before, stored(), 1e-9 * before, hertz .. " Hz: energy after 10 s [J]")
    end
    local world, body = swing(1000, 0)
    world:step(60)
    near(-0.2, body:position(), 1e-9, "1000 Hz: position at rest [m]")
    world, body = swing(1, 0.1)
    world:step(60)
    local rate, turn = 0.1 * 2 * m.pi, 2 * m.pi * math.sqrt(0.99)
    local exact = 0.2 * m.exp(-rate) * (m.cos(turn) + rate / turn * m.sin(turn)) - 0.2
    near(exact, body:position(), 0.002, "damped: after a second [m]")
  end)

  it("applies forces by semi-implicit Euler: a spring in a Lua handler is stable at w h = 1", function()
    local world = new_world("direct", { gravity = { 0, 0 } })
    local body = world:body { mass = 1, inertia = 1, position = { 1, 0 } }
    world:on("step", function()
      local x = body:position()
      body:apply_force(-60 ^ 2 * x, 0) -- w h = 1
    end)
    local most = 0
    for _ = 1, 600 do
      world:step()
      most = math.max(most, math.abs((body:position())))
    end
    assert.is_true(most < 1.2, most)
  end)

  it("falls back on semi-implicit Euler if the midpoint iteration fails, and continues", function()
    -- A chain of six rods of 1 kg with a load of 1 t at its end. At 200 rad/s a body turns by 3.3 rad in a step.
    local world = new_world "direct"
    local _, joints = chain(world, 6, { ball = 1000 })
    for body in world:bodies() do
      if body.type == "dynamic" then body.angular_velocity = 200 end
    end
    for _ = 1, 120 do
      world:step()
      for _, joint in ipairs(joints) do assert.is_true(joint.separation < 1e-6, joint.separation) end
    end
    local kinetic = world:energy()
    assert.is_true(kinetic == kinetic and kinetic < math.huge)
  end)

  it("keeps momentum if joined discs hit a free one at any time in a step", function()
    for _, restitution in ipairs { 0, 1 } do
      for n = 0, 20 do
        local world = new_world("direct", { gravity = { 0, 0 } })
        local discs = {}
        for i, x in ipairs { -1, 0, 1.2 + 0.0037 * n } do
          discs[i] = world:body { position = { x, 0 }, velocity = { i < 3 and 2 or 0, 0 } }
          discs[i]:circle { radius = i == 1 and 0.3 or 0.5, density = 1, restitution = restitution, friction = 0 }
        end
        world:weld(discs[1], discs[2], {})
        local function momentum()
          local sum = 0
          for _, disc in ipairs(discs) do sum = sum + disc.mass * disc:velocity() end
          return sum
        end
        local before = momentum()
        world:step(60)
        near(before, momentum(), 1e-12, "momentum after the blow [kg m/s]")
        assert.is_true(discs[3]:velocity() > 0.5)
      end
    end
  end)

  it("keeps the energy of a chain within 1 % if the world has a spinning body of 1 or 1000 kg too", function()
    local function energy_beside(mass)
      local world = new_world "direct"
      local links = chain(world, 3, {})
      local spinner = world:body { position = { 20, 0 }, mass = mass, inertia = mass, angular_velocity = 30 }
      world:revolute(world.ground, spinner, { anchor = { 20.5, 0 } })
      world:step(600)
      local sum = 0
      for _, link in ipairs(links) do
        local vx, vy = link:velocity()
        local _, y = link:position()
        sum = sum + link.mass * (vx ^ 2 + vy ^ 2) / 2 + link.inertia * link.angular_velocity ^ 2 / 2 + link.mass * G * y
      end
      return sum
    end
    for _, mass in ipairs { 1, 1000 } do near(0, energy_beside(mass), 0.01 * 3 * G, "energy of the chain [J]") end
  end)

  it("lets bodies bounce, rest and slide in closed form", function()
    local world = new_world "direct"
    local floor = world:body { type = "static" }
    floor:box { 100, 1, center = { 0, -0.5 } }
    local box = world:body { position = { 0, 0.5 } }
    box:box { 1, 1 }
    local ball = world:body { position = { 5, 5 } }
    ball:circle { radius = 0.5, restitution = 1 }
    local slider = world:body { position = { -30, 0.5 }, velocity = { 5, 0 } }
    slider:box { 1, 1, friction = 0.5 }
    local top = 0
    for step = 1, 600 do
      world:step()
      local _, y = ball:position()
      top = step > 300 and math.max(top, y) or top
      local _, vy = box:velocity()
      near(0, vy, 1e-9, "rest: speed [m/s]")
    end
    near(5, top, 0.05, "elastic: height after 5 s [m]")
    near(25 / (2 * G * math.sqrt(0.5 * 0.6)) - 30, (slider:position()), 0.05, "friction: position at rest [m]")
  end)
end)
