-- Rigs with motors, and the human figure, against closed forms and published tables.

local impel = require "impel"
local flat = require "support.flat"
local near = require "support.near"

local G = 9.81

local function ground_of(world, friction)
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 400, 1, center = { 0, -0.5 }, friction = friction }
  return ground
end

describe("a ragdoll", function()
  -- Source: Winter, table 4.1: fractions of the body's mass, for a limb of one side.
  local masses = { pelvis = 0.142, torso = 0.355, head = 0.081, thigh = 0.100, shin = 0.0465, foot = 0.0145,
    upper_arm = 0.028, forearm = 0.022 }

  it("has the masses of Winter's table, whose fractions add up to 1", function()
    local doll = impel.rig.ragdoll(impel.world {}, { mass = 60 })
    local sum = 0
    for name, part in pairs(masses) do
      for _, side in ipairs(doll[name] and { "" } or { "left_", "right_" }) do
        near(part * 60, doll[side .. name].mass, 1e-12)
        sum = sum + part
      end
    end
    near(1, sum, 1e-15)
    near(60, doll:mass(), 1e-12)
    assert.equal(13, #doll.bodies)
    assert.equal(12, #doll.joints)
  end)

  it("has joints at Winter's heights, and the given height from the soles to the top of the head", function()
    local H = 1.7
    local doll = impel.rig.ragdoll(impel.world {}, { height = H, position = { 2, 1 } })
    local heights = { left_hip = 0.530, right_knee = 0.285, left_ankle = 0.039, right_shoulder = 0.818, -- figure 4.1
      left_elbow = 0.818 - 0.186 }
    for name, part in pairs(heights) do
      local x, y = doll[name]:anchors()
      near(2, x, 1e-12)
      near(1 + part * H, y, 1e-12)
    end
    local low, high = 1e9, -1e9
    for _, body in ipairs(doll.bodies) do
      for shape in body:shapes() do
        local _, y1, _, y2 = shape:aabb()
        low, high = math.min(low, y1), math.max(high, y2)
      end
    end
    near(1, low, 1e-9)
    near(1 + H, high, 1e-9)
  end)

  it("bends to a human's joint limits and no farther", function()
    local doll = impel.rig.ragdoll(impel.world {}, {})
    local ranges = { left_hip = { -30, 120 }, left_knee = { -135, 0 }, right_ankle = { -50, 20 }, neck = { -45, 45 },
      right_shoulder = { -60, 180 }, left_elbow = { 0, 150 }, waist = { -80, 25 } }
    for name, range in pairs(ranges) do
      local limit = doll[name]:coordinate("angle"):drives().limit
      near(math.rad(range[1]), limit[1], 1e-12)
      near(math.rad(range[2]), limit[2], 1e-12)
    end
  end)

  it("has hinges with the properties of its options: damped, elastic, dry", function()
    for _, o in ipairs { { 0, 0, 0 }, { 50, 2, 0 }, { 0, 0, 3 }, { 40, 0, 5 } } do
      local doll = impel.rig.ragdoll(impel.world {}, { stiffness = o[1], damping = o[2], joint_friction = o[3] })
      for _, joint in ipairs(doll.joints) do
        local drives = joint:coordinate("angle"):drives()
        assert.same({ o[1], o[2] }, { drives.spring and drives.spring.stiffness or 0,
          drives.spring and drives.spring.damping or 0 })
        assert.equal(o[3], drives.motor and drives.motor.max_force or 0)
        assert.equal(0, drives.spring and drives.spring.target or 0)
        assert.equal(0, drives.motor and drives.motor.speed or 0)
      end
    end
    local world = impel.world { gravity = { 0, 0 } }
    local doll = impel.rig.ragdoll(world, { stiffness = 50, damping = 5 })
    doll:pose { left_elbow = 1, neck = 0.4 }
    world:step(300)
    near(0, doll.left_elbow.value, 0.01) -- the springs pull the joint back to 0
    near(0, doll.neck.value, 0.01)
  end)

  it("faces right: forward bending moves parts to the right", function()
    local doll = impel.rig.ragdoll(impel.world {}, {})
    local function moved(hinge, angle, body)
      doll:pose { [hinge] = 0 }
      local x = doll[body]:position()
      doll:pose { [hinge] = angle }
      return (doll[body]:position()) - x
    end
    assert(moved("left_hip", 0.5, "left_foot") > 0.1)
    assert(moved("left_knee", -0.5, "left_foot") < -0.1)
    assert(moved("right_elbow", 0.5, "right_forearm") > 0.05)
    assert(moved("waist", -0.5, "head") > 0.1)
  end)

  it("takes a pose without opening a joint, and refuses an unreachable one", function()
    local doll = impel.rig.ragdoll(impel.world {}, { angle = 0.2 })
    local pose = { left_hip = 1.2, left_knee = -0.9, neck = 0.3, right_shoulder = 2.5, right_elbow = 1 }
    doll:pose(pose)
    for _, joint in ipairs(doll.joints) do
      near(pose[joint.name:match "[^ ]+$"] or 0, joint.value, 1e-12)
      near(0, joint.separation, 1e-12)
    end
    assert.error_matches(function() doll:pose { left_knee = 0.1 } end,
      "impel.rig.ragdoll: pose: 'left_knee' must be a finite number in %[%-2.35619, 0%] %[rad%], got 0.1")
    assert.error_matches(function() doll:pose { knee = 0 } end, "'knee' is not a hinge of the rig")
    assert.error_matches(function() doll:pose { 0.3 } end, "pose: 1 is not a hinge name")
    local all = {}
    for _, hinge in ipairs(doll.hinges) do all[hinge.key] = 99 end
    -- The error names the alphabetically first hinge.
    assert.error_matches(function() doll:pose(all) end, "'left_ankle'")
    near(1.2, doll.left_hip.value, 1e-12)
  end)

  it("takes a pose in a handler too, and moves its bodies after the handler", function()
    local pose = { left_hip = 1.2, left_knee = -1.5, left_ankle = 0.2, waist = -0.5, right_shoulder = 2 }
    for _, event in ipairs { "substep", "step" } do
      local world = impel.world { gravity = { 0, 0 } }
      local doll = impel.rig.ragdoll(world, { angle = 0.3, damping = 0 })
      local once
      once = world:on(event, function()
        doll:pose(pose)
        once:destroy()
      end)
      world:step()
      for _, joint in ipairs(doll.joints) do
        near(0, joint.separation, 1e-9)
        near(pose[joint.name:match "[^ ]+$"] or 0, joint.value, 1e-9)
      end
    end
  end)

  -- Let a figure fall by 3 m. Return the largest separation of its joints [m]: in the whole fall, and from 1 s after
  -- the impact.
  local function fall(angle, substeps)
    local world = impel.world { substeps = substeps, sleep = false }
    ground_of(world)
    local doll = impel.rig.ragdoll(world, { position = { 0, 3 }, angle = angle })
    local landed, peak, late
    world:on("begin_contact", function() landed = landed or world.time end)
    peak, late = 0, 0
    for _ = 1, 360 do
      world:step()
      for _, joint in ipairs(doll.joints) do
        peak = math.max(peak, joint.separation)
        if landed and world.time > landed + 1 then late = math.max(late, joint.separation) end
      end
    end
    return peak, late
  end

  it("opens its joints by less than 40 mm in a fall of 3 m, and less than 10 mm from 1 s after the impact", function()
    -- The figure lands on its front or back.
    for _, angle in ipairs { -1.2, -0.8, 0.8, 1.2 } do
      local peak, late = fall(angle, 4)
      assert(peak < 0.04 and late < 0.01, ("%g: %g, %g m"):format(angle, peak, late))
    end
    -- The figure lands on its feet. Buckling of straight legs is chaotic, so many angles are tested.
    local falls, wide, open = 0, 0, 0
    for angle = -0.4, 0.4, 0.025 do
      local peak, late = fall(angle, 8)
      falls = falls + 1
      wide = wide + (peak < 0.04 and 0 or 1)
      open = open + (late < 0.01 and 0 or 1)
    end
    assert(wide <= falls / 20 and open <= falls / 4, ("%d of %d wide, %d open"):format(wide, falls, open))
  end)

  it("comes to rest and sleeps, its weight on the ground", function()
    local world = impel.world {}
    local ground = ground_of(world)
    local doll = impel.rig.ragdoll(world, { position = { 0, 0.5 }, angle = 0.4, damping = 3 })
    world:step(60 * 12)
    assert.equal(false, doll.torso.awake)
    local _, fy = ground:contact_force()
    near(-75 * G, fy, 0.02 * 75 * G) -- a sleeping figure keeps the force of its last step
  end)
end)

describe("a car", function()
  it("sinks by g / (2 pi f)^2 into springs of natural frequency f, at any mass", function()
    for _, o in ipairs { {}, { mass = 300, hertz = 2 }, { position = { 5, 0 }, wheelbase = 4, hertz = 1 } } do
      local world = impel.world { sleep = false }
      local ground = ground_of(world)
      local car = impel.rig.car(world, o)
      world:step(600)
      local sag = G / (2 * math.pi * (o.hertz or 1.5)) ^ 2
      local expected = math.min(sag, 0.25)
      -- At 1 Hz the springs sag by g / (2 pi f)^2 = 0.2485 m, less than the travel of 0.25 m.
      near(expected, car.rear.value, 1e-4 * expected)
      near(expected, car.front.value, 1e-4 * expected)
      near(0, car.chassis.angle, 1e-5)
      local _, fy = ground:contact_force()
      near(-car:mass() * G, fy, 1e-4 * car:mass() * G)
    end
  end)

  it("drives at the given speed, forward and back, by any axle, and brakes", function()
    for _, drive in ipairs { "rear", "front", "all" } do
      local world = impel.world {}
      ground_of(world)
      local car = impel.rig.car(world, { drive = drive })
      world:step(120)
      car:drive(5)
      world:step(300)
      near(5, car:speed(), 0.01 * 5) -- the wheels slip a little
      car:brake()
      world:step(120)
      near(0, car:speed(), 0.01)
      car:drive(-2)
      world:step(300)
      near(-2, car:speed(), 0.01 * 2)
    end
  end)

  it("accelerates by T / r / (m + 2 I / r^2) with torque T, wheel radius r and wheel inertia I, and coasts", function()
    local world = impel.world { sleep = false }
    ground_of(world)
    local car = impel.rig.car(world, { drive = "all" })
    world:step(240)
    car:throttle(300)
    world:step(30)
    local before = car:speed()
    world:step(120)
    local r = 0.35
    local a = 300 / r / (850 + 2 * 0.5 * 25 * r * r / (r * r)) -- discs: I = m r^2 / 2
    near(a, (car:speed() - before) / 2, 0.01 * a) -- the chassis still oscillates on its springs
    car:coast()
    world:step(30)
    local v = car:speed()
    world:step(300)
    near(v, car:speed(), 0.005 * v) -- the chassis still oscillates
  end)

  it("accelerates by no more than the motors of its driven axles allow, in either direction", function()
    for _, drive in ipairs { "rear", "all" } do
      for _, way in ipairs { 1, -1 } do
        local world = impel.world { sleep = false }
        ground_of(world)
        local car = impel.rig.car(world, { drive = drive, torque = 200 })
        world:step(240)
        car:throttle(way * 1e6)
        world:step(30)
        local before = car:speed()
        world:step(120)
        local r = 0.35
        local a = way * (drive == "all" and 400 or 200) / r / (850 + 2 * 0.5 * 25) -- discs: I = m r^2 / 2
        near(a, (car:speed() - before) / 2, 0.02 * math.abs(a)) -- the chassis still oscillates on its springs
      end
    end
  end)

  it("stops by weak brakes after drive and after throttle, and by drive(0)", function()
    for _, how in ipairs { "drive", "throttle" } do
      local world = impel.world { sleep = false }
      ground_of(world)
      local car = impel.rig.car(world, {})
      car[how](car, how == "drive" and 3 or 500)
      world:step(120)
      assert(car:speed() > 1)
      car:brake(100)
      world:step(480)
      near(0, car:speed(), 0.01)
      car:throttle(600) -- drive(0) must end this throttle
      world:step(60)
      assert(car:speed() > 0.5)
      car:drive(0)
      world:step(240)
      near(0, car:speed(), 0.01)
    end
  end)

  it("has wheels that move up and down by their travel and no farther", function()
    local world = impel.world { sleep = false }
    ground_of(world)
    local car = impel.rig.car(world, { hertz = 1, travel = 0.1 }) -- the springs alone would sag by 0.2485 m
    -- Without limits, the weight of the lifted wheels would extend the springs by 0.17 m.
    local lifted = impel.rig.car(world, { hertz = 0.3, travel = 0.1, position = { 20, 5 } })
    world:weld(world.ground, lifted.chassis, {})
    world:step(600)
    near(0.1, car.rear.value, 0.003) -- the limits of the suspension are soft
    near(0.1, car.front.value, 0.003)
    near(-0.1, lifted.rear.value, 0.003)
    near(-0.1, lifted.front.value, 0.003)
  end)

  it("wakes when it is driven", function()
    for _, how in ipairs { "drive", "throttle" } do
      local world = impel.world {}
      ground_of(world)
      local car = impel.rig.car(world, {})
      world:step(600)
      assert.equal(false, car.chassis.awake)
      car[how](car, how == "drive" and 5 or 300)
      world:step(120)
      assert(car:speed() > 0.5, how)
    end
  end)

  it("reports wrong arguments", function()
    local car = impel.rig.car(impel.world {}, {})
    assert.error_matches(function() car:drive "fast" end, "car:drive: speed must be a finite number, got 'fast'")
    assert.error_matches(function() car:throttle(0 / 0) end, "car:throttle: torque must be a finite number")
    assert.error_matches(function() car:brake(-1) end, "car:brake: torque must be a finite number >= 0")
    assert.error_matches(function() impel.rig.car(impel.world {}, { drive = "both" }) end, "'rear', 'front', 'all'")
  end)
end)

describe("a tracked vehicle", function()
  local function go(speed, seconds, substeps)
    local world = impel.world { substeps = substeps, sleep = false }
    ground_of(world, 1)
    local tank = impel.rig.tracked(world, {})
    tank:drive(speed)
    world:step(180)
    local angle, x = tank.sprocket.value, tank.hull:position()
    world:step(60 * seconds)
    return tank, ((tank.hull:position()) - x) / seconds, -(tank.sprocket.value - angle) / seconds
  end

  it("moves as fast as its sprocket, less the slip of the belt", function()
    for _, speed in ipairs { 2, -1 } do
      local tank, v, spin = go(speed, 10)
      near(speed, spin * tank.pitch_radius, 0.01 * math.abs(speed)) -- the motor keeps the sprocket at the set speed
      -- The sweeps have not converged, so the links slip by 4 % of the speed.
      near(speed, v, 0.06 * math.abs(speed))
      near(0, tank.hull.angle, 0.02)
    end
  end)

  it("has a closed belt, at the pitch given by its wheels", function()
    local tank = impel.rig.tracked(impel.world {}, {})
    for _, joint in ipairs(tank.joints) do near(0, joint.separation, 1e-9) end
    local n = #tank.links
    for i = 1, n do
      local x, y = tank.joints[#tank.joints - n + i]:anchors()
      local nx, ny = tank.joints[#tank.joints - n + i % n + 1]:anchors()
      near(tank.pitch, math.sqrt((nx - x) ^ 2 + (ny - y) ^ 2), 1e-9)
    end
    near(600 + 5 * 30 + 5 * n, tank:mass(), 1e-9)
  end)

  it("has its nominal weight, and brakes", function()
    local world = impel.world { sleep = false }
    local ground = ground_of(world, 1)
    local tank = impel.rig.tracked(world, {})
    tank:drive(2)
    world:step(180)
    tank:drive(0)
    world:step(240)
    near(0, tank:speed(), 0.02) -- the belt still oscillates
    local _, fy = ground:contact_force()
    near(-tank:mass() * G, fy, 0.02 * tank:mass() * G) -- the belt still oscillates
  end)

  it("climbs over rough ground with an intact belt", function()
    for seed = 1, 2 do
      local world = impel.world { sleep = false }
      local rng, points = impel.rng.new(seed), { { 100, 0 } }
      for i = 20, 0, -1 do points[#points + 1] = { 4 + 0.8 * i, 0.35 * rng:random() } end
      points[#points + 1] = { -10, 0 }
      world:body({ type = "static" }):chain { points = points, friction = 1 }
      local tank = impel.rig.tracked(world, {})
      tank:drive(2)
      local open, lean = 0, 0
      for _ = 1, 60 * 14 do
        world:step()
        lean = math.max(lean, math.abs(tank.hull.angle))
        for _, joint in ipairs(tank.joints) do open = math.max(open, joint.separation) end
      end
      assert((tank.hull:position()) > 20, (tank.hull:position()))
      assert(lean < 0.5 and open < 0.05, ("%g rad, %g m"):format(lean, open))
    end
  end)
end)

describe("a robot arm", function()
  it("gives the position of its end: forward equals tip, in any pose", function()
    local world = impel.world { gravity = { 0, 0 } }
    local arm = impel.rig.arm(world, { position = { 1, 2 }, angle = 0.4, links = { 1, 0.7, 0.5 } })
    arm:pose { q1 = 0.3, q2 = -1, q3 = 2 }
    local x, y = arm:tip()
    local fx, fy, phi = arm:forward()
    near(x, fx, 1e-12)
    near(y, fy, 1e-12)
    near(0.4 + 0.3 - 1 + 2, phi, 1e-12)
    fx, fy = arm:forward { 0, 0, 0 }
    near(1 + 2.2 * math.cos(0.4), fx, 1e-12)
    near(2 + 2.2 * math.sin(0.4), fy, 1e-12)
  end)

  it("inverts its forward kinematics, for both bends", function()
    local arm = impel.rig.arm(impel.world {}, { position = { -1, 1 }, angle = -0.3 })
    for _, bend in ipairs { 1, -1 } do
      for _, p in ipairs { { 0.3, 1.5 }, { -0.2, 0.2 }, { -1, 2.2 }, { 0.6, 0.8 } } do
        local q = assert(arm:inverse(p[1], p[2], bend))
        local x, y = arm:forward(q)
        near(p[1], x, 1e-12)
        near(p[2], y, 1e-12)
        assert(q[2] * bend > 0)
      end
    end
    local q, message = arm:inverse(5, 5)
    assert.is_nil(q)
    assert.matches("the arm reaches 0.2 to 1.8 m", message)
    q, message = impel.rig.arm(impel.world {}, { limit = { -1, 1 } }):inverse(0.5, 0.5)
    assert.is_nil(q)
    assert.matches("its limits are %-1 to 1", message)
  end)

  it("reaches points, and holds its load there: the torque is the weight's moment", function()
    local world = impel.world { sleep = false, substeps = 8 }
    local arm = impel.rig.arm(world, { position = { 0, 1 } })
    for _, p in ipairs { { 1.2, 1.9 }, { 0.9, 0.2 }, { -0.3, 2.4 } } do
      arm:move(assert(arm:inverse(p[1], p[2])), 1)
      world:step(150)
      local x, y = arm:tip()
      near(p[1], x, 0.002) -- the weight of the arm bends the compliant hinges [m]
      near(p[2], y, 0.002)
      local moment = 0
      for i = 1, 2 do moment = moment + arm["link" .. i].mass * G * (arm["link" .. i]:position()) end
      near(moment, arm.q1.force, 0.01 * math.abs(moment) + 0.1) -- a small oscillation remains [N m]
    end
  end)

  it("moves with bounded jerk: half way at half time, at 15/8 of the mean speed", function()
    local world = impel.world { sleep = false, gravity = { 0, 0 }, substeps = 8 }
    local arm = impel.rig.arm(world, {})
    arm:move({ 1, 0 }, 2)
    world:step(60)
    near(0.5, arm.q1.value, 1e-4) -- the servo gets the target's rate, so the angle does not lag
    near(15 / 8 * 1 / 2, arm.q1.speed, 1e-3)
    world:step(120)
    near(1, arm.q1.value, 1e-3)
    near(0, arm.q1.speed, 1e-3)
  end)

  it("is limited to the torque of its motors, and has zero torque when it is limp", function()
    local world = impel.world {}
    -- To hold the arm level takes a torque of g (6 kg 0.5 m + 4.8 kg 1.4 m) = 95 N m.
    local weak = impel.rig.arm(world, { torque = 20 })
    weak:move({ 0, 0 }, 1)
    world:step(60)
    near(20, weak.q1.force, 0.1)
    assert(weak.q1.value < -0.2)
    weak:relax()
    world:step(1)
    near(0, weak.q1.force, 1e-9)
  end)

  it("continues its move to the bit after world:restore and arm:load", function()
    local world = impel.world { substeps = 8 }
    local arm = impel.rig.arm(world, {})
    arm:move({ 1, -1 }, 2)
    world:step(60)
    local before, saved = world:snapshot(), arm:save()
    world:step(120)
    local hash = world.hash
    for _, otherwise in ipairs { function() arm:move({ 0, 0.5 }, 0.5) end, function() arm:relax() end,
      function() arm:destroy() end } do
      otherwise()
      world:step(30)
      world:restore(before)
      arm:load(saved)
      world:step(120)
      assert.equal(hash, world.hash)
    end
  end)

  it("moves on command after it was destroyed and restored", function()
    local world = impel.world { substeps = 8 }
    local arm = impel.rig.arm(world, {})
    local before = world:snapshot()
    arm:destroy()
    world:restore(before)
    arm:move({ 1, -1 }, 1)
    world:step(120)
    near(1, arm.q1.value, 0.01) -- the weight of the arm turns the compliant hinges
  end)

  it("stands on another body, and wakes with it", function()
    local world = impel.world {}
    ground_of(world)
    local car = impel.rig.car(world, {})
    local arm = impel.rig.arm(world, { a = car.chassis, position = { 0, 1.5 }, links = { 0.6, 0.5 } })
    arm:move({ 2, -1 }, 1)
    world:step(900)
    car:drive(1)
    world:step(120)
    local x, y = arm:tip()
    local fx, fy = arm:forward()
    near(x, fx, 0.005)
    near(y, fy, 0.005)
    assert((car.chassis:position()) > 1)
  end)

  it("reports wrong arguments", function()
    local arm = impel.rig.arm(impel.world {}, {})
    assert.error_matches(function() arm:move { 1 } end, "arm:move: angles must be 2 numbers, got 1")
    assert.error_matches(function() arm:move { 1, 9 } end, "angles%[2%] must be a finite number in %[%-2.8, 2.8%]")
    assert.error_matches(function() arm:move({ 1, 1 }, 0) end, "seconds must be a finite number > 0")
    assert.error_matches(function() impel.rig.arm(impel.world {}, { links = {} }) end, "field 'links' must be")
    assert.error_matches(function() impel.rig.arm(impel.world {}, { links = { 1, -1 } }) end, "links%[2%] must be")
    assert.error_matches(function() impel.rig.arm(impel.world {}, { limit = { 1, -1 } }) end, "limit%[2%] must be")
    assert.error_matches(function() arm:load(1) end, "arm:load: saved must be a table, got 1")
    assert.error_matches(function() arm:load {} end,
      "arm:load: saved must be a result of save: field 'from' is missing or wrong")
    assert.error_matches(function() arm:load { from = {}, to = {}, way = { elapsed = 0, seconds = 1 } } end,
      "arm:load: saved.from must be %d numbers, got 0")
    assert.error_matches(function() arm:load { from = { "x" }, to = {} } end,
      "arm:load: saved.from%[1%] must be a finite number, got 'x'")
    assert.error_matches(function() impel.rig.arm(impel.world {}, { links = { 1, 1, 1 } }):inverse(1, 1) end,
      "is for two links, this arm has 3")
  end)
end)

describe("powered rigs", function()
  it("stop driving when the rig or a driven body is destroyed", function()
    for _, how in ipairs { "rig", "hook" } do
      local world = impel.world {}
      local crane, arm = impel.rig.crane(world, {}), impel.rig.arm(world, { position = { 30, 0 } })
      crane:hoist(0.5)
      crane:travel(0.5)
      arm:move({ 1, 1 }, 5)
      world:step(10)
      if how == "rig" then
        crane:destroy()
        arm:destroy()
        for _, parts in ipairs { crane, arm } do
          for _, handler in ipairs(parts.handlers) do assert.equal(false, handler:is_valid()) end
        end
      else
        crane.hook:destroy()
        arm.link2:destroy()
      end
      world:step(30)
    end
  end)

  it("make no garbage", function()
    local world = impel.world { sleep = false, gravity = { 0, 0 } }
    local crane = impel.rig.crane(world, {})
    local arm = impel.rig.arm(world, { position = { 30, 0 } })
    local car = impel.rig.car(world, { position = { 60, 0 } })
    crane:hoist(1e-4)
    crane:travel(1e-4)
    arm:move({ 1, -1 }, 1e4)
    local function work()
      car:throttle(1)
      world:step()
      crane:tension()
      arm:tip()
      car:speed()
    end
    -- The first collection frees strings that the next step creates again.
    local once = flat(work, 100)
    assert(once < 1000, once)
    assert.equal(once, flat(work, 10000))
  end)
end)
