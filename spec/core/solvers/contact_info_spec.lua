-- Reports of contacts after a step: impulses equal the change of momentum. Forces and hits are computed from the
-- impulses.
local core = require "impel.core"

local SOLVERS = require("support.kinds").solvers
local G = 9.81

-- The soft solver stores velocities and impulses as floats. Relative rounding errors of 6e-8 add up to 2e-5 of the
-- weight's impulse in a step.
local ROUNDING = { soft = 2e-5 }

local scenes = {
  rest = function(world)
    local body = world:body { position = { 0, 0.5 } }
    body:box { 1, 1 }
    return body
  end,
  ["bounce"] = function(world)
    local body = world:body { position = { 0, 1.2 }, velocity = { 0, -2 } }
    body:circle { radius = 0.5, restitution = 0.5, restitution_threshold = 0 }
    return body
  end,
  ["slide"] = function(world)
    local body = world:body { position = { 0, 0.5 }, velocity = { 5, 0 } }
    body:box { 1, 1, friction = 0.5 }
    return body
  end,
  ["tumble"] = function(world)
    local body = world:body { position = { 0, 2 }, velocity = { 3, -1 }, angular_velocity = 3, angle = 0.3 }
    body:box { 1, 0.6, restitution = 0.3 }
    return body
  end,
  ["roll with resistance"] = function(world)
    local body = world:body { position = { 0, 0.5 }, velocity = { 3, 0 }, angular_velocity = -6 }
    body:circle { radius = 0.5, rolling_resistance = 0.02 }
    return body
  end,
}

local function world_of(solver, substeps)
  local world = core.world { solver = solver, substeps = substeps, sleep = false }
  world:body({ type = "static" }):box { 100, 1, center = { 0, -0.5 }, friction = 0.5 }
  return world
end

describe("a contact's impulses", function()
  for _, solver in ipairs(SOLVERS) do
    it("equal the change of momentum less the weight's impulse, at any number of substeps: " .. solver, function()
      for what, make in pairs(scenes) do
        for _, substeps in ipairs { 1, 4 } do
          local world = world_of(solver, substeps)
          local body = make(world)
          local weight, r = body.mass * G * world.dt, 0.5
          local allowed = (ROUNDING[solver] or 1e-9) * weight
          local name = ("%s, %d substeps"):format(what, substeps)
          for _ = 1, 60 do
            local vx, vy = body:velocity()
            local w = body.angular_velocity
            world:step()
            local jn, jt, jr = 0, 0, 0
            for contact in body:contacts() do
              local sum_n, sum_t = 0, 0
              for _, _, _, _, n, t in contact:points() do sum_n, sum_t = sum_n + n, sum_t + t end
              assert.equal(sum_n, contact.normal_impulse)
              assert.equal(sum_t, contact.tangent_impulse)
              assert.is_true(contact.normal_impulse >= 0)
              -- Coulomb's law. The normal impulse may change by 0.1 % after the friction was bounded.
              local bound = contact.friction * contact.normal_impulse
              assert.is_true(math.abs(contact.tangent_impulse) <= bound * 1.001 + allowed)
              local fx, fy = contact:force()
              assert.near(contact.normal_impulse / world.dt, fy, allowed)
              assert.near(contact.tangent_impulse / world.dt, fx, allowed)
              jn, jt, jr = jn + sum_n, jt + sum_t, jr + contact.rolling_impulse
            end
            local vx2, vy2 = body:velocity()
            -- Momenta are up to 5 times `weight`, the impulse of gravity in a step.
            assert.near(body.mass * (vy2 - vy) + weight, jn, allowed * 5, name)
            assert.near(body.mass * (vx2 - vx), jt, allowed * 5, name)
            if what == "roll with resistance" then
              assert.near(body.inertia * (body.angular_velocity - w), jr + r * jt, allowed * 5, name)
            end
            local bx, by = body:contact_force()
            assert.near(jn / world.dt, by, 1e-6)
            assert.near(jt / world.dt, bx, 1e-6)
          end
        end
      end
    end)
  end

  it("of fast bodies at any angle equal the change of momentum, even if a pair collides twice in a step", function()
    for _, solver in ipairs(SOLVERS) do
      for _, substeps in ipairs { 1, 3 } do
        local world = world_of(solver, substeps)
        local walls = world:body { type = "static" }
        for _, x in ipairs { -20.5, 20.5 } do walls:box { 1, 40, center = { x, 19.5 } } end
        local bodies = {}
        for i = 1, 6 do
          local way = i % 2 == 0 and -60 or 60
          bodies[i] = world:body { position = { 2 * i - 7, 3 }, velocity = { way, -20 }, bullet = true, angle = i }
          bodies[i]:box { 0.5, 0.5, restitution = 0.2 }
        end
        for step = 1, 30 do
          local before = {}
          for i, body in ipairs(bodies) do before[i] = { body:velocity() } end
          world:step()
          local sums = {}
          for contact in world:contacts() do
            local fx, fy = contact:force()
            for body, sign in pairs { [contact.body_a] = -1, [contact.body_b] = 1 } do
              local sum = sums[body] or { 0, 0 }
              sums[body] = { sum[1] + sign * fx, sum[2] + sign * fy }
            end
          end
          for i, body in ipairs(bodies) do
            local vx, vy = body:velocity()
            local sum, m = sums[body] or { 0, 0 }, body.mass / world.dt
            local allowed = (ROUNDING[solver] or 1e-9) * m * 60
            local what = ("%s, %d substeps, step %d, body %d"):format(solver, substeps, step, i)
            assert.near(m * (vx - before[i][1]), sum[1], allowed, what)
            assert.near(m * (vy - before[i][2]) + body.mass * G, sum[2], allowed, what)
            local fx, fy = body:contact_force()
            assert.near(sum[1], fx, allowed, what)
            assert.near(sum[2], fy, allowed, what)
          end
        end
      end
    end
  end)

  it("add up to m g dt at rest, also under a stack of ten", function()
    for _, solver in ipairs { "soft", "si", "xpbd", "direct" } do
      local world = world_of(solver)
      local bodies = {}
      for i = 1, 10 do
        bodies[i] = world:body { position = { 0, i - 0.5 } }
        bodies[i]:box { 1, 1 }
      end
      world:step(240)
      local n = 0
      for contact in bodies[1]:contacts() do
        if contact.body_b == bodies[1] then n = n + contact.normal_impulse end
      end
      assert.near(10 * G * world.dt, n, 0.01 * 10 * G * world.dt, solver) -- 1 %: the stack still moves after 4 s
    end
  end)

  it("with and without relax equal the change of momentum", function()
    for _, relax in ipairs { true, false } do
      local world = world_of "soft"
      world.relax = relax
      local body = scenes.tumble(world)
      for _ = 1, 90 do
        local _, vy = body:velocity()
        world:step()
        local n = 0
        for contact in body:contacts() do n = n + contact.normal_impulse end
        local _, vy2 = body:velocity()
        assert.near(vy2 - vy + G * world.dt, n / body.mass, 2e-5 * 5 * G * world.dt)
      end
    end
  end)
end)

describe("a hit", function()
  it("reports the approach speed v and the impulse m (1 + e) v", function()
    for _, solver in ipairs(SOLVERS) do
      for _, e in ipairs { 0, 0.5, 1 } do
        for _, substeps in ipairs { 1, 4 } do
          local world = world_of(solver, substeps)
          world:set_gravity(0, 0)
          local body = world:body { position = { 0, 1 }, velocity = { 0, -3 } }
          body:circle { radius = 0.5, restitution = e, restitution_threshold = 0 }
          local hits = {}
          world:on("hit", function(h) hits[#hits + 1] = { h.speed, h.impulse, h.nx, h.ny, h.x, h.y } end)
          world:step(30)
          assert.equal(1, #hits, solver)
          local hit = hits[1]
          assert.near(3, hit[1], 3e-5, solver) -- the soft solver computes in floats
          -- 0.1 %: the impulse also removes the overlap of one step's motion
          assert.near(body.mass * 3 * (1 + e), hit[2], 0.001 * body.mass * 3 * (1 + e), solver)
          assert.same({ 0, 1 }, { hit[3], hit[4] })
          assert.near(0, hit[5], 1e-9)
        end
      end
    end
  end)

  it("is reported above world.hit_speed only, once for each contact", function()
    local world = world_of "soft"
    local speeds = {}
    world.hit_speed = 2
    for i = 1, 6 do
      local body = world:body { position = { 2 * i, 0.7 }, velocity = { 0, -i * 0.75 }, gravity_scale = 0 }
      body:circle { radius = 0.5 }
    end
    world:on("hit", function(h) speeds[#speeds + 1] = h.speed end)
    world:step(60)
    table.sort(speeds)
    assert.equal(4, #speeds)
    for i, speed in ipairs(speeds) do assert.near(0.75 * (i + 2), speed, 1e-5) end
  end)

  -- Return whether a hit is reported (0 or 1) when the shapes approach each other at 3 m/s. Hit speeds are set on both
  -- shapes or their materials, and on the world.
  local function hits(own, others, world_speed, as_material)
    local world = world_of "soft"
    world.hit_speed = world_speed
    world:set_gravity(0, 0)
    local function option(name, speed)
      if not (as_material and speed) then return { hit_speed = speed } end
      world:material(name, { hit_speed = speed })
      return { material = name }
    end
    local ground, ball = option("ground", others), option("ball", own)
    ground[1], ground[2], ground.center, ball.radius = 9, 1, { 0, 1.5 }, 0.5
    world:body({ type = "static" }):box(ground)
    local body = world:body { position = { 0, 0.4 }, velocity = { 0, 3 } }
    body:circle(ball)
    local count = 0
    world:on("hit", function() count = count + 1 end)
    world:step(30)
    return math.min(count, 1) -- with a hit speed of 0 the resting ball may raise several hits
  end

  it("is reported above the smaller hit_speed that its shapes set; if neither sets one, above the world's", function()
    local cases = { -- hit_speed of ball, other shape, world; number of hits
      { nil, nil, 2, 1 }, { nil, nil, 4, 0 }, { 2, nil, 4, 1 }, { nil, 2, 4, 1 }, { 4, nil, 2, 0 }, { nil, 4, 2, 0 },
      { 2, 4, 5, 1 }, { 4, 2, 5, 1 }, { 4, 5, 1, 0 }, { 0, nil, 4, 1 }, { 1e12, nil, 0, 0 },
    }
    for i, case in ipairs(cases) do
      for _, as_material in ipairs { false, true } do
        assert.equal(case[4], hits(case[1], case[2], case[3], as_material), ("case %d, %s"):format(i, as_material))
      end
    end
  end)

  it("of a shape is nil by default, can be set and reset, and is in its options", function()
    local world = world_of "soft"
    local body = world:body { position = { 0, 0.6 }, velocity = { 0, -3 } }
    local shape = body:circle { radius = 0.5 }
    assert.is_nil(shape.hit_speed)
    assert.is_nil(shape:options().hit_speed)
    shape.hit_speed = 0.5
    assert.equal(0.5, shape.hit_speed)
    assert.equal(0.5, shape:options().hit_speed)
    assert.equal(0.5, world:body({ position = { 9, 9 } }):circle(shape:options()).hit_speed)
    local image = world:snapshot()
    shape.hit_speed = nil
    assert.is_nil(shape.hit_speed)
    world:restore(image)
    assert.equal(0.5, shape.hit_speed)
    shape.hit_speed = 9 -- the new hit speed applies to the existing contact
    local count = 0
    world:on("hit", function() count = count + 1 end)
    world:step(30)
    assert.equal(0, count)
    assert.error_matches(function() shape.hit_speed = -1 end, "hit_speed.*%-1")
    assert.error_matches(function() shape.hit_speed = 0 / 0 end, "hit_speed.*nan")
    assert.error_matches(function() shape.hit_speed = "2" end, "hit_speed")
    assert.error_matches(function() body:circle { radius = 1, hit_speed = 0 / 0 } end, "hit_speed.*nan")
    shape.hit_speed = nil
    shape.hit_speed = 0
    assert.equal(0, shape.hit_speed)
  end)
end)

describe("a restitution threshold", function()
  it("of a shape is the approach speed below which it does not bounce; at 0 every approach bounces", function()
    for _, solver in ipairs(SOLVERS) do
      -- Cases: restitution threshold, speed before, speed after [m/s]. Without a threshold every approach bounces.
      local cases = { { nil, 0.05, 0.025 }, { nil, 1.1, 0.55 }, { 0, 0.05, 0.025 }, { 3, 2.9, 0 }, { 3, 3.1, 1.55 } }
      for _, case in ipairs(cases) do
        local threshold, speed, expected = table.unpack(case)
        -- Baumgarte's bias would turn the overlap into a rebound.
        local world = core.world { solver = solver, sleep = false, baumgarte = 0 }
        world:set_gravity(0, 0)
        -- The smaller threshold of the two shapes applies.
        world:body({ type = "static" }):box { 9, 1, center = { 0, -0.5 }, restitution_threshold = threshold and 5 }
        local body = world:body { position = { 0, 0.52 }, velocity = { 0, -speed } }
        body:circle { radius = 0.5, restitution = 0.5, restitution_threshold = threshold }
        world:step(60)
        local _, vy = body:velocity()
        assert.near(expected, vy, 1e-5 + 1e-5 * speed, solver .. " " .. speed) -- the soft solver computes in floats
      end
    end
  end)
end)

describe("the default restitution threshold", function()
  -- Gravity is 10 m/s^2 along the normal.
  local function dropped(world, speed, threshold)
    world:set_gravity(0, -10)
    local floor = world:body({ type = "static" }):box { 9, 1, center = { 0, -0.5 }, restitution_threshold = threshold }
    local body = world:body { position = { 0, 0.5 }, velocity = { 0, -speed } }
    local ball = body:circle { radius = 0.5, restitution = 0.5 }
    world:step()
    return body, ball, floor
  end

  it("is the speed that the bodies gain in two substeps, and can be read from the contact", function()
    for _, solver in ipairs(SOLVERS) do
      local world = core.world { solver = solver, sleep = false }
      dropped(world, 0)
      for contact in world:contacts() do
        assert.near(2 * 10 * world.dt / world.substeps, contact.restitution_threshold, 1e-12, solver)
      end
    end
  end)

  it("of a body and a wall is the speed that the body gains in one substep, and 0 without gravity", function()
    local world = core.world { sleep = false }
    world:set_gravity(0, -10)
    local wall = world:body { type = "static" }
    wall:box { 1, 9, center = { 1, 0 } }
    local ball = world:body { position = { 0, 0 }, gravity_scale = 1 }
    ball:circle { radius = 0.5 }
    world:step()
    for contact in world:contacts() do assert.near(10 / 240, contact.restitution_threshold, 1e-12) end
    world:set_gravity(0, 0)
    for contact in world:contacts() do assert.equal(0, contact.restitution_threshold) end
  end)

  it("reads as nil, and stays distinct from a number in options, snapshots and the minimum of two shapes", function()
    local world = core.world { sleep = false }
    local _, ball, floor = dropped(world, 0, 2)
    assert.is_nil(ball.restitution_threshold)
    assert.is_nil(ball:options().restitution_threshold)
    assert.equal(2, floor.restitution_threshold)
    for contact in world:contacts() do assert.equal(2, contact.restitution_threshold) end
    local state = world:snapshot()
    ball.restitution_threshold = 0.5
    for contact in world:contacts() do assert.equal(0.5, contact.restitution_threshold) end
    world:restore(state)
    assert.is_nil(ball.restitution_threshold)
    floor.restitution_threshold = nil
    assert.is_nil(floor.restitution_threshold)
    assert.error_matches(function() ball.restitution_threshold = -1 end, "restitution_threshold.*%-1")
  end)
end)

describe("belts and rolling", function()
  it("a belt of 2 m/s carries a box at 2.00 m/s, to 1 %", function()
    for _, solver in ipairs(SOLVERS) do
      local world = core.world { solver = solver }
      world:body({ type = "static" }):box { 100, 1, center = { 0, -0.5 }, surface_speed = 2 }
      local body = world:body { position = { -10, 0.5 } }
      body:box { 1, 1 }
      world:step(120)
      assert.near(2, (body:velocity()), 0.02, solver)
      local x = body:position()
      -- The box reaches the speed v of the belt after v / (mu g) = 0.34 s, so x = v t - v^2 / (2 mu g).
      assert.near(-10 + 4 - 4 / (2 * 0.6 * G), x, 0.01 * 4, solver)
    end
  end)

  it("a disc with c_r = 0.01 stops in 3 v^2 / (4 c_r g), to 2 %", function()
    for _, solver in ipairs(SOLVERS) do
      local world = core.world { solver = solver, sleep = false }
      world:body({ type = "static" }):box { 200, 1, center = { 0, -0.5 } }
      local body = world:body { position = { 0, 0.5 }, velocity = { 1, 0 }, angular_velocity = -2 }
      body:circle { radius = 0.5, rolling_resistance = 0.01 }
      world:step(60 * 20) -- stopping takes 3 v / (2 c_r g) = 15.3 s
      local expected = 3 / (4 * 0.01 * G)
      assert.near(expected, (body:position()), 0.02 * expected, solver)
      assert.near(0, (body:velocity()), 1e-3)
    end
  end)
end)

describe("bodies of a joint", function()
  it("do not collide unless collide = true", function()
    for _, collide in ipairs { false, true } do
      local world = core.world {}
      world:set_gravity(0, 0)
      local a, b = world:body { position = { 0, 0 } }, world:body { position = { 0.5, 0 } }
      a:circle { radius = 0.5 }
      b:circle { radius = 0.5 }
      world:rope(a, b, { length = 9, collide = collide })
      world:step(60)
      local ax, bx = a:position(), b:position()
      assert.equal(collide, bx - ax > 0.9)
      local count = 0
      for _ in world:contacts() do count = count + 1 end
      assert.equal(collide and count or 0, count)
    end
  end)
end)
