-- The works of all causes add up to the change of energy. IMPEL_SHOW=1 prints the values.
local impel = require "impel"

local G = 9.81
local measure = require "support.measure"
local near = measure.near

local solvers
for _, entry in ipairs(impel.api().impel) do
  for _, option in ipairs(entry.name == "world" and entry.options or {}) do
    if option.name == "solver" then solvers = option.choices end
  end
end

local NOT_CAUSES = { before = true, after = true, worst = true, worst_cause = true, worst_owner = true, step = true }

-- Return the sum of the works in a ledger, minus the change of energy [J].
local function rest(ledger)
  local sum = ledger.before - ledger.after
  for name, joules in pairs(ledger) do
    if not NOT_CAUSES[name] then sum = sum + joules end
  end
  return sum
end

local function new_world(solver, more)
  local options = { solver = solver, sleep = false, auditing = true }
  for key, value in pairs(more or {}) do options[key] = value end
  return impel.world(options)
end

local function floor(world, more)
  local options = { 100, 1, center = { 0, -0.5 } }
  for key, value in pairs(more or {}) do options[key] = value end
  local ground = world:body { type = "static" }
  ground:box(options)
  return ground
end

describe("the ledger of energy", function()
  for _, solver in ipairs(solvers) do
    it(("sums to the change of energy in every step (%s)"):format(solver), function()
      local world = new_world(solver)
      floor(world)
      -- A scene with everything that can do work.
      for i = 1, 4 do world:body({ position = { 10 + 0.1 * i, i - 0.4 } }):box { 1, 1 } end
      world:body({ position = { -10, 3 } }):circle { radius = 0.5, restitution = 0.7 }
      world:body({ position = { -14, 0.5 }, velocity = { 3, 0 } }):box { 1, 1, friction = 0.5 }
      local platform = world:body { type = "kinematic", position = { -20, 1 }, velocity = { 0.5, 0.3 } }
      platform:box { 3, 0.2 }
      world:body({ position = { -20, 1.6 } }):box { 1, 1 }
      local before = world.ground
      for i = 1, 4 do
        local link = world:body { position = { i - 0.5, 6 }, linear_damping = 0.1 * i }
        link:box { 1, 0.2, mask = 0 }
        world:revolute(before, link, { anchor = { i - 1, 6 },
          motor = i == 1 and { speed = 1, max_force = 20 } or nil, limit = i == 2 and { -0.5, 0.5 } or nil })
        before = link
      end
      local hung = world:body { position = { 6, 4 }, mass = 2 }
      world:prismatic(world.ground, hung, { anchor = { 6, 5 }, axis = { 0, 1 },
        spring = { stiffness = 200, damping = 3 } })
      local pushed = world:body { position = { 0, 12 }, angular_damping = 0.5 }
      world:on("step", function() pushed:apply_force(3, 15, 0.2, 12) end)
      world:on("substep", function(h) pushed:apply_impulse(0.1 * h, 0) end)
      local worst, lifted, ledger = 0, 0, {}
      for i = 1, 240 do
        if i == 100 then -- the caller lifts a body
          local _, y = pushed:position()
          -- `outside`: work of changes between steps.
          lifted = world:audit(ledger).outside + pushed.mass * G * (20 - y)
          pushed:set_position(0, 20)
        end
        world:step()
        worst = math.max(worst, math.abs(rest(world:audit(ledger).step)))
      end
      near(0, worst, 1e-9, solver .. ": sum of works - change of energy, in one step [J]")
      near(0, rest(ledger), 1e-9, solver .. ": sum of works - change of energy, in all steps [J]")
      near(lifted, ledger.outside, 1e-9, solver .. ": work of changes between steps [J]")
    end)
  end

  for _, solver in ipairs { "soft", "si", "ngs", "split", "direct", "acceleration", "rattle" } do
    it(("books the kinetic energy of a sliding box as friction (%s)"):format(solver), function()
      local world = new_world(solver, { dt = 1 / 240 })
      floor(world, { friction = 0.5 })
      local box = world:body { position = { 0, 0.25 }, velocity = { 4, 0 } }
      box:box { 1, 0.5, friction = 0.5 }
      world:step(480)
      local ledger = world:audit()
      near(-0.5 * box.mass * 16, ledger.friction, 0.02 * 0.5 * box.mass * 16, solver .. ": heat of friction [J]")
      near(0, ledger.motor + ledger.applied + ledger.damping + ledger.restitution, 1e-12, solver .. ": the rest [J]")
    end)

    it(("books (1 - e^2) of an impact's energy as restitution or contact (%s)"):format(solver), function()
      for _, e in ipairs { 0, 0.6 } do
        local world = new_world(solver, { gravity = { 0, 0 } })
        floor(world)
        local ball = world:body { position = { 0, 1 }, velocity = { 0, -5 } }
        ball:circle { radius = 0.5, restitution = e }
        world:step(60)
        local ledger = world:audit()
        local lost = -0.5 * ball.mass * 25 * (1 - e ^ 2)
        -- The velocity that corrects the overlap is not part of the impact.
        near(lost, e > 0 and ledger.restitution or ledger.contact, 1e-5 * ball.mass, solver .. ": impact [J]")
      end
    end)

    it(("books no work on resting bodies (%s)"):format(solver), function()
      local world = new_world(solver)
      floor(world)
      world:body({ position = { 0, 0.5 } }):box { 1, 1 }
      local hung = world:body { position = { 5, 4 } }
      hung:box { 1, 1 }
      world:revolute(world.ground, hung, { anchor = { 5, 5 } })
      world:step(120)
      for name, joules in pairs(world:audit().step) do
        if not NOT_CAUSES[name] then near(0, joules, 1e-6, ("%s: %s at rest [J]"):format(solver, name)) end
      end
    end)
  end

  it("books the exact work of motors, forces and damping", function()
    for _, solver in ipairs { "si", "direct", "rattle" } do
      local world = new_world(solver, { gravity = { 0, 0 } })
      local wheel = world:body { mass = 1, inertia = 2 }
      world:revolute(world.ground, wheel, { motor = { speed = 3, max_force = 6 } })
      local sled = world:body { position = { 5, 0 }, mass = 4 }
      world:on("step", function() sled:apply_force(8, 0) end)
      local rolls = world:body { position = { 0, 5 }, velocity = { 2, 0 }, linear_damping = 0.5, mass = 3 }
      world:step(120)
      local ledger = world:audit()
      near(0.5 * 2 * 9, ledger.motor, 1e-9, solver .. ": motor, I w^2 / 2 [J]")
      near(0.5 * 4 * 16, ledger.applied, 1e-9, solver .. ": force, m v^2 / 2 [J]")
      local vx = rolls:velocity()
      near(0.5 * 3 * (vx ^ 2 - 4), ledger.damping, 1e-9, solver .. ": damping [J]")
    end
  end)

  it("books the work of a platform on its load", function()
    local world = new_world "direct"
    local platform = world:body { type = "kinematic", position = { 0, 0 }, velocity = { 0, 1 } }
    platform:box { 4, 0.2 }
    local box = world:body { position = { 0, 0.6 }, velocity = { 0, 1 } }
    box:box { 1, 1 }
    world:step(60)
    near(box.mass * G, world:audit().kinematic, 0.01 * box.mass * G, "lifting by 1 m [J]")
  end)

  it("names the owner of the largest gain of energy, and nil after the destruction of this owner", function()
    local world = new_world("si", { baumgarte = 1 })
    local body = world:body { position = { 1, 0 }, mass = 2 }
    local rod = world:distance(world.ground, body, { anchor_a = { 0, 0 }, anchor_b = { 1, 0 }, name = "rod" })
    world:step()
    body:set_position(1.5, 0) -- the rod is 0.5 m too long: Baumgarte's method pulls the body back
    world:step(2)
    local ledger = world:audit()
    assert.equal("bias", ledger.worst_cause)
    assert.equal(rod, ledger.worst_owner)
    assert.is_true(ledger.worst > 10)
    rod:destroy()
    assert.is_nil(world:audit().worst_owner)
  end)

  it("is kept only while auditing is set, and restarts if auditing is set again", function()
    local world = impel.world {}
    assert.error_matches(function() world:audit() end, "set world.auditing = true")
    world:body {}
    world:step(10)
    world.auditing = true
    world:step(10)
    local first = world:audit()
    near(0, rest(first), 1e-12, "sum of works - change of energy, since auditing was set [J]")
    world.auditing = true
    near(0, world:audit().integration, 0, "ledger.integration after auditing was set again [J]")
    local kept = {}
    assert.equal(kept, world:audit(kept))
  end)

  it("shows that projection costs a pendulum 5.24 of 9.81 J in 10 s, partly booked as work of the lock", function()
    local world = new_world "direct"
    world.midpoint = false
    local bob = world:body { type = "particle", position = { 1, 0 } }
    world:distance(world.ground, bob, { anchor_a = { 0, 0 }, anchor_b = { 1, 0 } })
    world:step(600)
    local ledger = world:audit()
    near(-5.24, ledger.lock + ledger.projection + ledger.integration, 0.01, "what projection cost in 10 s [J]")
    assert.is_true(ledger.lock < -1)
  end)
end)
