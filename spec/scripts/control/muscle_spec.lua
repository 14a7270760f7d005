-- Hill-type muscles: force curves, torque by moment arm, paths with via points, activation.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"

local m = impel.math

-- Build a muscle of 1000 N and 0.3 m. One end is fixed, the other end is on a moving kinematic body.
local function puller(speed, more)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, solver = "direct", substeps = 4 }
  local hand = world:body { type = "kinematic", position = { 0.3, 0 }, velocity = { speed, 0 } }
  local weight = world:body { mass = 1, inertia = 1, position = { 0, 5 } }
  world:weld(world.ground, weight, {})
  local o = { max_force = 1000, optimal_length = 0.3, excitation = 1 }
  for key, value in pairs(more or {}) do o[key] = value end
  return world, impel.muscle({ { weight, 0, -5 }, { hand, 0, 0 } }, o), hand
end

describe("a muscle's force", function()
  it("is max_force at the optimal length, isometric", function()
    local world, muscle = puller(0)
    world:step()
    assert.near(1000, muscle.force, 1e-6)
  end)

  it("is 0 at its largest speed of shortening, and 1 / 6 at half of it", function()
    for part, expected in pairs { [1] = 0, [0.5] = 1000 / 6, [0.25] = 1000 * 0.75 / 2 } do
      local world, muscle, hand = puller(-part * 3)
      hand:set_position(0.3 + part * 3 / 240, 0) -- after the first substep the length is optimal
      local force
      world:on("substep", function() if math.abs(muscle.length - 0.3) < 1e-6 then force = force or muscle.force end end)
      world:step()
      assert.near(expected, force, 1e-6)
    end
  end)

  it("grows to the eccentric limit, with a continuous slope through zero speed", function()
    local _, muscle = puller(0)
    local e = 1e-6
    local below = (muscle:force_velocity(0) - muscle:force_velocity(-e)) / e
    local above = (muscle:force_velocity(e) - muscle:force_velocity(0)) / e
    assert.near(5, below, 1e-4) -- 1 + 1 / k in Hill's curve
    assert.near(5, above, 1e-4)
    assert.near(1.5, muscle:force_velocity(1e9), 1e-6)
    assert.equal(0, muscle:force_velocity(-2))
    muscle.eccentric = 1
    assert.equal(1, muscle:force_velocity(3))
  end)

  it("falls on both sides of the optimal length; the passive part acts only beyond that length", function()
    local _, muscle = puller(0)
    assert.near(m.exp(-0.25 / 0.45), muscle:force_length(0.5), 1e-12)
    assert.equal(muscle:force_length(0.5), muscle:force_length(1.5))
    assert.equal(0, muscle:passive_force(0.9))
    assert.near(1, muscle:passive_force(1.6), 1e-12)
    for excitation, expected in pairs { [0] = 0, [1] = m.exp(-0.36 / 0.45) } do
      local world, stretched = puller(0, { optimal_length = 0.3 / 1.6, excitation = excitation })
      world:step()
      assert.near(1000 * (expected + 1), stretched.force, 1e-6)
    end
  end)

  it("is unchanged by a rigid tendon in series", function()
    local world, muscle = puller(0, { tendon = 0.1, optimal_length = 0.2 })
    world:step()
    assert.near(1000, muscle.force, 1e-6)
    local _, other = puller(0, { tendon = 0.1 })
    assert.equal(0.3, other.optimal_length)
  end)
end)

describe("activation", function()
  it("grows and falls with its two time constants, at any substep", function()
    for _, substeps in ipairs { 1, 4 } do
      local world = impel.world { gravity = { 0, 0 }, substeps = substeps }
      local body = world:body { mass = 1, inertia = 1 }
      world:weld(world.ground, body, {})
      local muscle = impel.muscle({ { world.ground, 1, 0 }, { body, 0, 0 } }, { max_force = 1 })
      muscle.excitation = 0.8
      world:step(1)
      assert.near(0.8 * (1 - m.exp(-1 / 0.6)), muscle.activation, 1e-12) -- 1 / 0.6 is dt / tau_act
      world:step(60)
      muscle.excitation = 0
      world:step(3)
      assert.near(0.8 * m.exp(-0.05 / 0.04), muscle.activation, 1e-9)
      muscle.excitation = 2
      raises("excitation = 2", world.step, world)
    end
  end)
end)

describe("an elbow with two muscles", function()
  local function elbow(angle)
    local world = impel.world { gravity = { 0, 0 }, sleep = false, solver = "direct" }
    local upper = world:body { type = "static", position = { 0, 0.3 } }
    local c, s = m.cos(angle), m.sin(angle)
    local forearm = world:body { position = { 0.15 * c, 0.15 * s }, angle = angle, mass = 1.2, inertia = 0.01 }
    local joint = world:revolute(upper, forearm, { anchor = { 0, 0 }, reference_angle = 0 })
    return world, upper, forearm, joint
  end

  it("turns by force x moment arm to 0.1 %", function()
    for _, angle in ipairs { -0.6, 0, 0.4, 1 } do
      local world, upper, forearm, joint = elbow(angle)
      local muscle = impel.muscle({ { upper, 0, -0.02 }, { forearm, -0.1, 0 } }, { max_force = 500, excitation = 1 })
      joint:coordinate():set_servo { target = angle } -- the servo's force is the muscle's torque
      world:step(10)
      -- The origin is at (0, 0.28), the insertion 0.05 m along the forearm. The moment arm is the distance of the
      -- muscle's line from the hinge.
      local x, y = 0.05 * m.cos(angle), 0.05 * m.sin(angle)
      local length = m.sqrt(x * x + (0.28 - y) ^ 2)
      local arm = math.abs(x * 0.28) / length
      assert.near(length, muscle.length, 1e-9)
      assert.near(arm * muscle.force, -joint.force, 1e-3 * arm * muscle.force) -- +-0.1 %
      assert.near(500, muscle.force, 1e-3)
    end
  end)

  it("has the torque force x moment arm also with via points, which add a constant length on each body", function()
    local world, upper, forearm, joint = elbow(0.3)
    local path = { { upper, 0, 0.1 }, { upper, -0.03, -0.1 }, { upper, -0.03, -0.28 }, { forearm, -0.17, 0.02 },
                   { forearm, -0.1, 0.02 } }
    local muscle = impel.muscle(path, { max_force = 400, excitation = 0.5 })
    assert.equal(1, #muscle.coordinates)
    joint:coordinate():set_servo { target = 0.3 }
    world:step(10)
    local ax, ay = upper:world_point(-0.03, -0.28)
    local bx, by = forearm:world_point(-0.17, 0.02)
    local gap = m.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2)
    assert.near(m.sqrt(0.03 ^ 2 + 0.2 ^ 2) + 0.18 + gap + 0.07, muscle.length, 1e-6)
    local torque = (bx * (ay - by) - by * (ax - bx)) / gap * muscle.force -- torque about the hinge at the origin
    assert.near(torque, -joint.force, 1e-3 * math.abs(torque))
  end)

  it("pulls a rope over three bodies with one force", function()
    local world = impel.world { gravity = { 0, 0 }, solver = "si" }
    local bodies = {}
    for i = 1, 3 do bodies[i] = world:body { mass = i, inertia = 1, position = { i, i == 2 and 0.5 or 0 } } end
    impel.muscle({ { bodies[1], 0, 0 }, { bodies[2], 0, 0 }, { bodies[3], 0, 0 } }, { max_force = 10, excitation = 1 })
    world:step()
    local px, py = world:momentum()
    assert.near(0, px, 1e-9)
    assert.near(0, py, 1e-9)
    local v1, v3 = bodies[1]:velocity(), bodies[3]:velocity()
    -- Each half of the path has the slope 1 : 2, and becomes flatter as the muscle shortens.
    assert.near(10 / 60 / m.sqrt(1.25), v1, 0.02 * v1)
    assert.near(-v1, 3 * v3, 1e-9)
    local _, v2 = bodies[2]:velocity()
    assert.is_true(v2 < 0)
    bodies[3]:destroy()
    world:step(2) -- without one of its bodies the muscle has no force
  end)
end)

describe("a muscle as an object", function()
  it("becomes passive without a jump, is restored with its activation, and makes no garbage", function()
    local world = impel.world { gravity = { 0, -9.81 }, sleep = false }
    local body = world:body { mass = 1, inertia = 1, position = { 0, -0.3 } }
    local muscle = impel.muscle({ { world.ground, 0, 0 }, { body, 0, 0 } }, { max_force = 30, excitation = 0.5 })
    world:step(20)
    muscle.excitation = 1
    local snapshot = world:snapshot()
    world:step(20)
    local hash = world.hash
    muscle.excitation = 0.2
    world:restore(snapshot)
    world:step(20)
    assert.equal(hash, world.hash)
    muscle.enabled = false
    local vy = select(2, body:velocity())
    world:step()
    assert.near(vy - 9.81 / 60, select(2, body:velocity()), 1e-6)
    muscle.enabled = true
    local n = 0
    assert.equal(0, flat(function() -- a step allocates no memory
      n = n + 1
      muscle.excitation = n % 2 * 0.5
      world:step()
    end))
    muscle:destroy()
    muscle:destroy()
    local joints = 0
    for _ in world:joints() do joints = joints + 1 end
    assert.equal(0, joints)
  end)

  it("refuses an invalid path", function()
    local world = impel.world {}
    local body = world:body {}
    raises("a path must have at least two points", impel.muscle, { { body, 0, 0 } }, { max_force = 1 })
    raises("point 2 of the path must be { body, x, y }", impel.muscle, { { body, 0, 0 }, { 1, 2 } }, { max_force = 1 })
    raises("stays on one", impel.muscle, { { body, 0, 0 }, { body, 1, 0 } }, { max_force = 1 })
    raises("needs the field 'max_force'", impel.muscle, { { body, 0, 0 }, { world.ground, 1, 0 } }, {})
    raises("than the path", impel.muscle, { { body, 0, 0 }, { world.ground, 1, 0 } }, { max_force = 1, tendon = 2 })
  end)
end)
