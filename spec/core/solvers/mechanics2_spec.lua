-- Joints and drives under load, from Lua: a load with an analytic solution for every kind of joint, force laws in
-- "substep" handlers, timed forces, torques.
local impel = require "impel"

local G = 9.81
local measure = require "support.measure"
local near = measure.near

-- Add a test `f(solver, single)` for soft and si. `single`: relative rounding error of the solver.
local function both(name, f) measure.both(it, name, f) end

local function new_world(solver, gravity, more)
  local options = { solver = solver, gravity = { 0, gravity }, sleep = false }
  for key, value in pairs(more or {}) do options[key] = value end
  return impel.world(options)
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Every kind of joint
-- ---------------------------------------------------------------------------------------------------------------------

local kinds = {}
for _, entry in ipairs(impel.api().world) do
  if entry.signature and entry.signature:find "%-> joint$" and entry.name ~= "constraint" then
    kinds[#kinds + 1] = entry.name
  end
end

local function body(world, x, y, mass, inertia)
  return world:body { position = { x or 0, y or 0 }, mass = mass or 2, inertia = inertia or 0.5 }
end

local function pushed(world, it, steps, fx, fy, torque)
  for _ = 1, steps do
    it:apply_force(fx, fy)
    if torque then it:apply_torque(torque) end
    world:step()
  end
end

-- `loads[kind]` applies a load with an analytic solution to a joint of this kind. It returns a table of the measured
-- quantities: name -> { expected, got }.
local loads = {
  revolute = function(solver) -- a weight on an arm, and a push along the arm
    local world = new_world(solver, -G)
    local arm = body(world, 1, 0)
    local hinge = world:revolute(world.ground, arm, { anchor = { 0, 0 }, servo = { target = 0 } })
    pushed(world, arm, 240, 7, 0)
    local fx, fy, torque = hinge:reaction()
    return { fx = { -7, fx }, fy = { 2 * G, fy }, ["servo's torque"] = { 2 * G, hinge.force },
      ["torque about the anchor"] = { 2 * G, torque } }
  end,
  prismatic = function(solver) -- a load perpendicular to the axis
    local world = new_world(solver, 0)
    local slider = body(world, 0, 0, 10)
    local joint = world:prismatic(world.ground, slider, {})
    pushed(world, slider, 120, 20, 100)
    return { ["side force"] = { -100, (select(2, joint:reaction())) }, speed = { 4, joint.speed } }
  end,
  weld = function(solver) -- a cantilever
    local world = new_world(solver, 0)
    local beam = world:body { position = { 0.5, 0 } }
    beam:box { 1, 0.1 }
    local joint = world:weld(world.ground, beam, { anchor = { 0, 0 } })
    for _ = 1, 240 do
      beam:apply_force(0, 10, beam:world_point(0.5, 0))
      world:step()
    end
    local _, fy, torque = joint:reaction()
    return { force = { -10, fy }, ["root moment"] = { -10, torque } }
  end,
  wheel = function(solver)
    local world = new_world(solver, -G)
    local wheel = body(world)
    local joint = world:wheel(world.ground, wheel, { axis = { 0, 1 }, spring = { stiffness = 900, damping = 80 },
      motor = { speed = -3, max_force = 0.25 } })
    pushed(world, wheel, 300, 15, 0)
    local fx, fy = joint:reaction()
    return { sag = { -2 * G / 900, joint.value }, ["side force"] = { -15, fx }, ["spring's force"] = { 2 * G, fy },
      ["speed of the motor, 0.25 N m for 5 s"] = { -0.25 * 5 / 0.5, wheel.angular_velocity } }
  end,
  pin_slot = function(solver) -- the slot exerts a force perpendicular to its direction
    local world = new_world(solver, 0)
    local pin = body(world)
    local joint = world:pin_slot(world.ground, pin, { axis = { 3, 4 } })
    pushed(world, pin, 60, 10, 0, 1)
    local fx, fy = joint:reaction()
    return { speed = { 10 * 0.6 / 2, joint.speed }, across = { -10 * 0.8, fx * 0.8 - fy * 0.6 },
      ["1 + force along the slot"] = { 1, 1 + fx * 0.6 + fy * 0.8 }, turning = { 2, pin.angular_velocity } }
  end,
  distance = function(solver)
    local world = new_world(solver, -G)
    local rod = world:distance(world.ground, body(world, 0, -1), {})
    world:step(240)
    return { tension = { -2 * G, rod.force } }
  end,
  rope = function(solver)
    local world = new_world(solver, -G)
    local bob = body(world, 0, -1)
    local rope = world:rope(world.ground, bob, { length = 1.5 })
    world:step(6)
    local _, slack = bob:velocity()
    local loose = rope.force
    world:step(600)
    return { ["speed while it is slack"] = { -G * 0.1, slack }, ["1 + force while it is slack"] = { 1, 1 + loose },
      tension = { -2 * G, rope.force }, length = { 1.5, rope.value } }
  end,
  pose = function(solver) -- the weight is 19.6 N, the largest force 15 N or 25 N
    local world = new_world(solver, -G)
    local weak, strong = body(world), body(world, 5, 0)
    local joint = world:pose(world.ground, weak, { max_force = 15, max_torque = 9 })
    local held = world:pose(world.ground, strong, { max_force = 25, max_torque = 9 })
    pushed(world, strong, 60, 0, 0, 6)
    local fx, fy, torque = held:reaction()
    return { ["speed of a fall"] = { -(2 * G - 15) / 2, (select(2, weak:velocity())) },
      ["force on the falling body"] = { 15, (select(2, joint:reaction())) }, ["force on the held body"] = { 2 * G, fy },
      ["torque on the held body"] = { -6, torque }, ["1 + sideways force on the held body"] = { 1, 1 + fx } }
  end,
  drag = function(solver)
    local world = new_world(solver, -G)
    local thing = body(world)
    local joint = world:drag(thing, { hertz = 5 })
    world:step(240)
    return { sag = { -G / (2 * math.pi * 5) ^ 2, (select(2, thing:position())) },
      force = { 2 * G, joint:coordinate("y").force } }
  end,
  gear = function(solver)
    local world = new_world(solver, 0)
    local a, b = body(world, 0, 0, 1, 1), body(world, 3, 0, 1, 8)
    local gear = world:gear { joint1 = world:revolute(world.ground, a, {}),
      joint2 = world:revolute(world.ground, b, {}), ratio = 2 }
    pushed(world, a, 60, 0, 0, 6)
    return { ["speed of a"] = { 2, a.angular_velocity }, ["speed of b"] = { -1, b.angular_velocity },
      torque = { -4, gear.force } }
  end,
  rack = function(solver) -- the bar moves 0.25 m for each radian of the pinion
    local world = new_world(solver, 0)
    local bar, pinion = body(world, 0, 0, 3), body(world, 3, 0)
    local rack = world:rack { joint1 = world:prismatic(world.ground, bar, {}),
      joint2 = world:revolute(world.ground, pinion, {}), ratio = -0.25 }
    pushed(world, pinion, 60, 0, 0, 2)
    local alpha = 2 / (0.5 + 3 * 0.25 ^ 2)
    return { turning = { alpha, pinion.angular_velocity }, sliding = { alpha * 0.25, (bar:velocity()) },
      force = { 3 * alpha * 0.25, rack.force } }
  end,
  pulley = function(solver) -- with a block: tension_b = ratio * tension_a
    local world = new_world(solver, -G)
    local a, b = body(world, 0, -3, 1), body(world, 3, -3, 3)
    local rope = world:pulley(a, b, { ground_a = { 0, 0 }, ground_b = { 3, 0 }, ratio = 2 })
    world:step(30)
    -- y_a + 2 y_b is constant, hence m_a a = T - m_a g, m_b b = 2 T - m_b g, a = -2 b
    local tension = 3 * G / (4 / 3 + 1)
    return { tension = { -tension, rope.force }, ["speed of a"] = { (tension - G) / 2, (select(2, a:velocity())) },
      ["force on b"] = { 2 * tension, (select(2, rope:reaction())) } }
  end,
  ratchet = function(solver) -- after a turn of 2.2 rad the ratchet returns to 2.0 rad
    local world = new_world(solver, 0)
    local wheel = body(world)
    local joint = world:ratchet(world.ground, wheel, { pitch = 0.5 })
    wheel:apply_angular_impulse(2 * 0.5)
    world:step(66)
    local on = joint.value
    wheel:apply_angular_impulse(-2 * 0.5)
    pushed(world, wheel, 240, 0, 0, -3)
    return { turned = { 2.2, on }, held = { 2, joint.value }, torque = { 3, joint.force } }
  end,
  friction = function(solver)
    local world = new_world(solver, -G)
    local weak, strong = body(world), body(world, 5, 0)
    local joint = world:friction(world.ground, weak, { max_force = 15, max_torque = 0.5 })
    local held = world:friction(world.ground, strong, { max_force = 25, max_torque = 9 })
    for _ = 1, 60 do
      weak:apply_torque(2)
      strong:apply_torque(6)
      world:step()
    end
    local _, fy, torque = held:reaction()
    local _, up, brake = joint:reaction()
    return { ["speed of the sliding body"] = { -(2 * G - 15) / 2, (select(2, weak:velocity())) },
      ["force on the sliding body"] = { 15, up }, ["torque on the sliding body"] = { -0.5, brake },
      ["angular velocity of the sliding body"] = { (2 - 0.5) / 0.5, weak.angular_velocity },
      ["force on the held body"] = { 2 * G, fy }, ["torque on the held body"] = { -6, torque },
      ["1 + angular velocity of the held body"] = { 1, 1 + strong.angular_velocity } }
  end,
  linear = function(solver)
    local world = new_world(solver, -G)
    local thing = body(world)
    local joint = world:linear(world.ground, thing, {})
    pushed(world, thing, 60, 4, 0, 5)
    local vx, vy = thing:velocity()
    return { across = { 2, vx }, down = { -G, vy }, torque = { -5, (select(3, joint:reaction())) } }
  end,
}

-- Constructors of joint kinds that need more than body `b` and the ground.
local needed = {
  drag = function(world, b, options) return world:drag(b, options) end,
  gear = function(world, b, options)
    options.joint1 = world:revolute(world.ground, b, {})
    options.joint2 = world:revolute(world.ground, body(world, 3), {})
    options.ratio = 2
    return world:gear(options)
  end,
  rack = function(world, b, options)
    options.joint1 = world:prismatic(world.ground, b, {})
    options.joint2 = world:revolute(world.ground, body(world, 3), {})
    options.ratio = -0.3
    return world:rack(options)
  end,
  pulley = function(world, b, options)
    options.ground_a, options.ground_b = { 1, 3 }, { 3, 3 }
    return world:pulley(b, body(world, 3), options)
  end,
}

-- Create a joint of a kind on a body of 2 kg, without gravity.
local function make(kind, options, solver)
  local world = new_world(solver, 0)
  local b = body(world, 1, -2)
  if needed[kind] then return needed[kind](world, b, options), world end
  return world[kind](world, world.ground, b, options), world
end

-- Apply a generalised force [N or N m] to a coordinate: the wrench J^T force acts on the joint's bodies.
local function press(coordinate, force)
  local j, i = { coordinate:jacobian() }, 0
  for _, it in ipairs { coordinate.joint:bodies() } do
    if it.type == "dynamic" then
      it:apply_force(j[i + 1] * force, j[i + 2] * force)
      it:apply_torque(j[i + 3] * force)
    end
    i = i + 3
  end
end

describe("a joint:", function()
  for _, kind in ipairs(kinds) do
    both("a " .. kind .. " under load agrees with the closed form within 0.5 %", function(solver)
      assert.truthy(loads[kind], "no load for a " .. kind .. ": write one")
      for what, pair in pairs(loads[kind](solver)) do
        near(pair[1], pair[2], 0.005 * math.abs(pair[1]), ("%s, %s: %s"):format(kind, solver, what))
      end
    end)

    both("each coordinate of a " .. kind .. " balances 4 N or N m by its lock or by any drive", function(solver)
      local LOAD, AWAY = 4, 0.1
      local function run(name, drive, force, from)
        local joint, world = make(kind, { [name] = drive }, solver)
        local c = joint:coordinate(name)
        for _ = 1, 240 do
          press(c, force)
          world:step()
        end
        near(-force, c.force, 0.005 * LOAD, ("%s %s %s: force"):format(kind, name, from))
        return c
      end
      local names = {}
      for c in make(kind, {}, solver):coordinates() do names[#names + 1] = c.name end
      for _, name in ipairs(names) do
        local probe = make(kind, {}, solver):coordinate(name)
        local start, mass = probe.value, probe.mass
        local function at(value, c, tolerance, what)
          near(value, c.value, tolerance, ("%s %s %s: value"):format(kind, name, what))
        end
        if probe:drives().lock then
          -- With the soft solver, a lock yields by force / (m w^2), with w = 2 pi 60 1/s and the mass m of the
          -- coordinate. A gear has the smallest mass, m = 0.1, and yields by 3e-4.
          at(start, run(name, nil, LOAD, "lock"), 1e-3, "lock")
        else
          local ends = { start - AWAY, start + AWAY }
          at(ends[2], run(name, { limit = ends }, LOAD, "upper limit"), 1e-3, "upper limit")
          local low = kind == "ratchet" and start or ends[1] -- the pawl is the lower limit
          at(low, run(name, { limit = ends }, -LOAD, "lower limit"), 1e-3, "lower limit")
          at(ends[1], run(name, { servo = { target = ends[1] } }, LOAD, "servo"), 1e-3, "servo")
          local spring = { stiffness = 80, damping = 2 * math.sqrt(80 * mass), target = start }
          at(start + LOAD / 80, run(name, { spring = spring }, LOAD, "spring"), 0.005 * LOAD / 80, "spring")
          at(start, run(name, { force = -LOAD }, LOAD, "force"), 1e-9, "force") -- drive and load cancel
          local c = run(name, { motor = { speed = AWAY } }, LOAD, "motor")
          near(AWAY, c.speed, 1e-5, ("%s %s motor: speed"):format(kind, name))
          at(start + AWAY * 4, c, 0.005 * AWAY * 4, "motor")
        end
      end
    end)
  end

  -- A motor has no target position, so a speed error of 1e-5 rad/s for 1 s is not corrected.
  both("a motor turns an arm against gravity at the speed that is set", function(solver)
    for _, speed in ipairs { 0, 1 } do
      local world = new_world(solver, -G)
      local arm = world:body { position = { 0.5, 0 } }
      arm:box { 1, 0.1 }
      local hinge = world:revolute(world.ground, arm, { anchor = { 0, 0 }, motor = { speed = speed, max_force = 100 } })
      world:step(60)
      near(speed, hinge.speed, 1e-5, ("motor, %s: speed after 1 s at %g rad/s"):format(solver, speed))
      near(speed, hinge.value, 1e-5, ("motor, %s: angle after 1 s at %g rad/s"):format(solver, speed))
    end
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- Laws in "substep" handlers
-- ---------------------------------------------------------------------------------------------------------------------

describe("a law in a handler", function()
  -- Simulate a satellite for 100 periods about a centre of attraction of 1 m^3/s^2, with eccentricity 0.2. Return the
  -- worst and the last relative error of the energy.
  local function orbit(event, substeps)
    local world = new_world("soft", 0, { substeps = substeps })
    local moon = world:body { type = "particle", mass = 1, position = { 1, 0 }, velocity = { 0, math.sqrt(0.8) } }
    world:on(event, function()
      local x, y = moon:position()
      local cube = (x * x + y * y) ^ 1.5
      moon:apply_force(-x / cube, -y / cube)
    end)
    local function energy()
      local x, y = moon:position()
      return moon:kinetic_energy() - 1 / math.sqrt(x * x + y * y)
    end
    local start, off, period = energy(), 0, 2 * math.pi * (1 / 1.2) ^ 1.5
    for _ = 1, math.ceil(100 * period * 60) do
      world:step()
      off = math.max(off, math.abs(energy() / start - 1))
    end
    return off, math.abs(energy() / start - 1)
  end

  it("of substeps keeps an orbit's energy within 1 % for 100 periods; a law in a handler of steps does not", function()
    local off, last = orbit("substep", 4)
    near(0, off, 0.01, "orbit, substep handler: worst error of energy")
    near(0, last, 1e-3, "orbit, substep handler: error at the end") -- the error oscillates and does not grow
    off = orbit("step", 4)
    assert.is_true(off > 0.5, off) -- a force that is constant over four substeps adds energy
  end)

  -- Rate at which a servo's bias removes an error [1/s]. Under soft, a servo is a damped spring with a quarter of the
  -- substep rate as its frequency.
  local function servo_rate(world)
    if world.solver == "si" then return world.baumgarte / world.dt end
    local h = world.dt / world.substeps
    local w = 2 * math.pi * 0.25 / h
    return w / (2 * world.lock_damping_ratio + w * h)
  end

  both("moves a servo's target: the servo lags by v (1 / rate - h), or by 0 if the target's speed is given",
    function(solver, single)
      for _, told in ipairs { false, true } do
        local world = new_world(solver, 0)
        local slider = world:prismatic(world.ground, body(world), { servo = { target = 0, speed = told and 0.5 or 0 } })
        local t = 0
        world:on("substep", function(h)
          slider.target = 0.5 * (told and t or t + h)
          t = t + h
        end)
        world:step(600)
        local h = world.dt / world.substeps
        local lag = told and 0 or 0.5 * (1 / servo_rate(world) - h)
        near(lag, 0.5 * world.time - slider.value, single * 0.03, ("servo, %s%s: lag [m]"):format(solver,
          told and ", speed given" or "")) -- the tolerance is relative to 0.03 m, the lag of si
      end
    end)

  it("feeds a sine forward to a servo without error (si)", function()
    local world = new_world("si", 0)
    local slider = world:prismatic(world.ground, body(world), { servo = { target = 0 } })
    local t, off = 0, 0
    local drive = { target = 0, speed = 0 }
    world:on("substep", function(h)
      drive.target, drive.speed = math.sin(3 * t), (math.sin(3 * (t + h)) - math.sin(3 * t)) / h
      slider:coordinate("x"):set_servo(drive)
      t = t + h
    end)
    for _ = 1, 600 do
      world:step()
      off = math.max(off, math.abs(slider.value - math.sin(3 * world.time)))
    end
    near(0, off, 1e-9, "servo with target and speed of a sine: error [m]") -- rounding
  end)

  -- The force may end within a substep or step.
  it("pushes for any duration: impulse = F t exactly, in the world's and in the body's frame", function()
    for _, event in ipairs { "substep", "step" } do
      for _, duration in ipairs { 0.1, 0.137, 1 / 3, 0.0123, 0.001 } do
        for _, turned in ipairs { false, true } do
          local world = new_world("soft", 0)
          local crate = world:body { position = { 1, 2 }, angle = 0.4, angular_velocity = 0.5 }
          crate:box { 1, 0.6, center = { 0.2, 0.1 } }
          crate:set_velocity(0.1, 0.2)
          local cx, cy = crate:local_point(crate:center())
          local left = duration
          world:on(event, function(h)
            local part = math.max(0, math.min(1, left / h))
            left = left - h
            local fx, fy = 3 * part, -7 * part
            if turned then fx, fy = crate:world_vector(fx, fy) end
            if part > 0 then crate:apply_force(fx, fy, crate:world_point(0.5, 0.3)) end
          end)
          world:step(60)
          local vx, vy = crate:velocity()
          local what = ("%s s in %s handlers: "):format(duration, event)
          if not turned then
            near(3 * duration, crate.mass * (vx - 0.1), 1e-14, what .. "impulse x [N s]") -- rounding of sums of v
            near(-7 * duration, crate.mass * (vy - 0.2), 1e-14, what .. "impulse y [N s]")
          elseif event == "substep" then -- a force that turns with the body has a constant torque
            local torque = (0.5 - cx) * -7 - (0.3 - cy) * 3
            near(torque * duration, crate.inertia * (crate.angular_velocity - 0.5), 1e-14, what .. "angular [N m s]")
          end
        end
      end
    end
  end)
end)

describe("a torque of a `force` drive", function()
  both("increases the angle, and is equal and opposite on two free discs", function(solver, single)
    for _, torque in ipairs { 2, -2 } do
      local world = new_world(solver, 0)
      local a, b = body(world, 0, 0, 1, 1), body(world, 0, 0, 1, 3)
      local hinge = world:revolute(a, b, { force = torque })
      world:step(60)
      near(-torque / 1, a.angular_velocity, 2 * single, "speed of a after 1 s [rad/s]")
      near(torque / 3, b.angular_velocity, 2 * single, "speed of b after 1 s [rad/s]")
      assert.is_true(hinge.value * torque > 0 and hinge.speed * torque > 0)
      near(torque, hinge.force, 2 * single, "force of the drive [N m]")
      near(torque, (select(3, hinge:reaction())), 2 * single, "reaction on b [N m]")
      local px, py, angular = world:momentum()
      near(0, angular, 2 * single, "sum of angular momenta [N m s]") -- each disc has an angular momentum of 2 N m s
      assert.same({ 0, 0 }, { px, py })
    end
  end)
end)
