-- A change of a drive in a substep handler takes effect in the same substep, under all solvers and in a replay.
local impel = require "impel"

local SOLVERS = require("support.kinds").solvers
local DT, SUBSTEPS = 0.1, 10
local H = DT / SUBSTEPS

-- Tolerance for rounding in ten substeps at speeds of about 1 m/s. The soft solver computes in floats.
local function tolerance(solver) return solver == "soft" and 1e-5 or 1e-10 end

-- Mounts: a mass of 1 kg, or an inertia of 1 kg m^2, that moves along one coordinate. A different part of the soft
-- solver solves each mount: SIMD lanes of locks, SIMD lanes of pins with drives, joints outside lanes (a body with a
-- locked axis), constraints, clusters (a light link and a heavy one).
local mounts = {
  slider = function(world)
    local body = world:body { mass = 1, inertia = 1 }
    return world:prismatic(world.ground, body, { axis = { 1, 0 } }):coordinate "x"
  end,
  hinge = function(world)
    local body = world:body { mass = 1, inertia = 1 }
    return world:revolute(world.ground, body, { anchor = { 0, 0 } }):coordinate "angle"
  end,
  held = function(world)
    local body = world:body { mass = 1, inertia = 1 }
    body.lock_y = true
    return world:prismatic(world.ground, body, { axis = { 1, 0 } }):coordinate "x"
  end,
  constraint = function(world)
    local body = world:body { mass = 1, inertia = 1 }
    world:prismatic(world.ground, body, { axis = { 1, 0 } })
    local c = world:constraint(body, { C = function(b) return b.x end }):coordinate(1)
    c:release()
    return c
  end,
  cluster = function(world)
    local light, heavy = world:body { mass = 0.01, inertia = 1e-4 }, world:body { mass = 0.99, inertia = 1 }
    local joint = world:prismatic(world.ground, light, { axis = { 1, 0 } })
    world:weld(light, heavy, {})
    return joint:coordinate "x"
  end,
}

local function world_of(solver, more)
  local options = { solver = solver, gravity = { 0, 0 }, dt = DT, substeps = SUBSTEPS, sleep = false }
  for k, v in pairs(more or {}) do options[k] = v end
  return impel.world(options)
end

-- Make one step. Call `act` in each substep with the substep's number, from 1.
local function step(world, act)
  local n = 0
  local handler = world:on("substep", function()
    n = n + 1
    act(n)
  end)
  world:step(1)
  handler:destroy()
end

-- Each drive exerts its bound f [N or N m], because its target is far away.
local bounded = {
  force = function(c, f) c:set_force(f) end,
  motor = function(c, f) c:set_motor { speed = f > 0 and 1e3 or -1e3, max_force = math.abs(f) } end,
  servo = function(c, f) c:set_servo { target = f > 0 and 1e3 or -1e3, max_force = math.abs(f) } end,
  spring = function(c, f)
    c:set_spring { stiffness = 10, target = f > 0 and 1e3 or -1e3, max_force = math.abs(f) }
  end,
}

for mount, make in pairs(mounts) do
  for _, solver in ipairs(SOLVERS) do
    describe(("%s under %s:"):format(mount, solver), function()
      for drive, set in pairs(bounded) do
        it(drive .. " set for the first time gives 10 N for half a step", function()
          local world = world_of(solver)
          local c = make(world)
          step(world, function(n) if n == SUBSTEPS / 2 + 1 then set(c, 10) end end)
          assert.near(0.5, c.speed, tolerance(solver))
          assert.is_true(c:drives()[drive] ~= nil)
          world:step(1)
          assert.near(1.5, c.speed, 2 * tolerance(solver))
        end)

        it(drive .. " changed inside a step acts with the new value from that substep", function()
          local world = world_of(solver)
          local c = make(world)
          set(c, 10)
          step(world, function(n) if n == 7 then set(c, -10) end end)
          assert.near(0.2, c.speed, tolerance(solver))
        end)

        it(drive .. " stops in the substep in which it is released", function()
          local world = world_of(solver)
          local c = make(world)
          set(c, 10)
          step(world, function(n) if n == SUBSTEPS / 2 + 1 then c:release() end end)
          assert.near(0.5, c.speed, tolerance(solver))
          assert.same({}, c:drives())
          world:step(1)
          assert.near(0.5, c.speed, 2 * tolerance(solver))
        end)

        it(drive .. " set, released and set again acts exactly while it is set", function()
          local world = world_of(solver)
          local c = make(world)
          step(world, function(n)
            if n % 4 == 1 then set(c, 10) elseif n % 4 == 3 then c:release() end
          end)
          assert.near(6 * H * 10, c.speed, tolerance(solver)) -- substeps 1, 2, 5, 6, 9, 10
        end)
      end

      -- The sweeps of a substep do not converge at the mass ratio 100 of the mount "cluster".
      if mount ~= "cluster" then
        it("a motor without bound reaches its target speed in the substep in which it is set", function()
          local world = world_of(solver)
          local c = make(world)
          step(world, function(n) if n == 4 then c:set_motor { speed = 2 } end end)
          assert.near(2, c.speed, 10 * tolerance(solver)) -- the sweeps add an error
        end)

        it("a limit set within a step stops the body, and ends at once when it is removed", function()
          local world = world_of(solver)
          local c = make(world)
          c:set_force(10)
          step(world, function(n) if n == 2 then c:set_limit(-1, 0) end end)
          -- The body gains 10 H = 0.1 m/s before the limit is set, and moves by up to 10 H^2 = 1 mm.
          assert.is_true(c.speed < 0.11 and c.value < 2e-3)
          local before = c.speed
          step(world, function(n) if n == SUBSTEPS / 2 + 1 then c:set_limit() end end)
          assert.near(before + 0.5, c.speed, 0.06) -- the limit exerts no force
        end)
      end

      it("drives set for the first time act as on a coordinate that already has a drive", function()
        local states = {}
        for i, before in ipairs { true, false } do
          local world = world_of(solver)
          local c = make(world)
          if before then c:set_force(0) end
          step(world, function(n)
            if n == 2 then c:set_motor { speed = 0.1 } end
            if n == 4 then c:set_motor() end
            if n == 5 then c:set_spring { stiffness = 40, damping = 1, target = 0.5 } end
            if n == 7 then c:set_limit(-1, c.value + 1e-3) end
            if n == 9 then c:set_servo { target = 0, max_force = 3 } end
          end)
          world:step(1)
          step(world, function(n)
            if n == 3 then c:release() end
            if n == 5 then c:set_spring { hertz = 1, damping_ratio = 0.2, target = -0.5 } end
          end)
          states[i] = { c.value, c.speed }
        end
        assert.near(states[1][1], states[2][1], tolerance(solver))
        assert.near(states[1][2], states[2][2], 10 * tolerance(solver))
      end)
    end)
  end
end

-- A world with three joints on each mount, and with handlers that set and release drives.
local function zoo(solver, more)
  local world = world_of(solver, more)
  local coordinates = {}
  for _, name in ipairs { "slider", "hinge", "held", "constraint", "cluster" } do
    for _ = 1, 3 do coordinates[#coordinates + 1] = mounts[name](world) end
  end
  local drives = { "force", "motor", "servo", "spring" }
  local turn = 0
  world:on("substep", function()
    turn = turn + 1
    for i, c in ipairs(coordinates) do
      local what = (7 * turn + 5 * i) % 11
      if what < 4 then
        bounded[drives[what + 1]](c, i % 2 == 0 and 3 or -2)
      elseif what == 4 then
        c:set_limit(-0.1, 0.2)
      elseif what == 5 then
        c:release()
      end
    end
  end)
  return world, coordinates
end

describe("drives of substep handlers", function()
  for _, solver in ipairs(SOLVERS) do
    it("come to the same hash in a replay: " .. solver, function()
      local world = zoo(solver)
      local recording <close> = assert(world:record())
      world:step(12)
      recording:close()
      local playback <close> = assert(impel.playback(recording:take()))
      for _ = 1, 12 do assert.is_true(playback:step()) end
      assert.is_nil(playback:step())
      assert.equal(world.hash, playback.world.hash)
    end)

    it("give the same hash if each step starts from a restored snapshot: " .. solver, function()
      local hashes = {}
      for i = 1, 2 do
        local world = zoo(solver)
        for _ = 1, 6 do
          if i == 2 then world:restore(world:snapshot()) end
          world:step(1)
        end
        hashes[i] = world.hash
      end
      assert.equal(hashes[1], hashes[2])
    end)

    -- After a fault the step is solved again without the faulty body.
    it("are restored if a solve is repeated: " .. solver, function()
      for _, mount in ipairs { "slider", "hinge" } do
        local speeds, kept = {}, nil
        for i, case in ipairs { "no fault", "set in both attempts", "set in the first attempt" } do
          local world = world_of(solver)
          local c = mounts[mount](world)
          local extreme = world:body { mass = 1, inertia = 1 }
          world:prismatic(world.ground, extreme, { axis = { 1, 0 } })
          local n = 0
          world:on("substep", function()
            n = n + 1
            local at = case == "set in the first attempt" and n or (n - 1) % SUBSTEPS + 1
            if at == 3 then c:set_force(10) end
            if at == 5 then c:set_spring { stiffness = 3, target = 1 } end
            if n == SUBSTEPS and i > 1 then extreme:apply_impulse(9e14, 0) end
          end)
          world:step(1)
          assert.equal(i == 1 and SUBSTEPS or 2 * SUBSTEPS, n)
          speeds[i], kept = c.speed, c:drives()
        end
        assert.equal(speeds[1], speeds[2])
        assert.equal(0, speeds[3])
        assert.same({}, kept)
      end
    end)

    it("wake sleeping bodies at the end of the step: " .. solver, function()
      local world = world_of(solver, { sleep = true })
      local c = mounts.slider(world)
      local awake = world:prismatic(world.ground, world:body { mass = 1, inertia = 1 }, { axis = { 1, 0 } })
      awake:coordinate("x"):set_motor { speed = 1 }
      for _ = 1, 100 do world:step(1) end
      assert.is_false(c.joint.body_b.awake)
      step(world, function(n) if n == 1 then c:set_force(10) end end)
      assert.equal(0, c.speed)
      assert.equal(10, c:drives().force)
      world:step(1)
      assert.near(1, c.speed, 10 * tolerance(solver))
    end)

    it("that lock or unlock wait for the end of the step: " .. solver, function()
      local world = world_of(solver)
      local locked, freed = mounts.slider(world), mounts.slider(world)
      locked:set_force(10)
      freed:set_lock(0)
      step(world, function(n)
        if n == 3 then
          locked:set_lock(0)
          freed:set_force(10)
        end
      end)
      assert.near(1, locked.speed, 10 * tolerance(solver))
      assert.near(0, freed.speed, 10 * tolerance(solver))
      assert.same({ 0, 10 }, { locked:drives().lock, freed:drives().force })
      world:step(1)
      assert.near(1, freed.speed, 10 * tolerance(solver))
    end)

    it("are in world:audit(), also after their release: " .. solver, function()
      local world = world_of(solver)
      local c, other = mounts.slider(world), mounts.slider(world)
      other:set_force(3) -- this force does work at the speed of `other`, not of `c`
      world.auditing = true
      step(world, function(n) if n == 4 then c:set_force(10) elseif n == 8 then c:release() end end)
      local audit = world:audit()
      local work = 0.5 * (4 * H * 10) ^ 2 + 0.5 * (DT * 3) ^ 2 -- 0.08 J and 0.045 J
      assert.near(work, audit.after - audit.before, 1e-5)
      -- The soft solver computes the work of each drive with the mean of its speeds at the start and the end of the
      -- step.
      assert.near(work, audit.motor, 1e-5)
    end)
  end

  it("act from the substep in which they are set, also if joints can break", function()
    local world = world_of "soft"
    local c = mounts.slider(world)
    c.joint.break_force = 5 -- the locks of the joint carry no load
    step(world, function(n) if n == 6 then c:set_force(10) end end)
    assert.near(0.5, c.speed, 1e-5)
    assert.is_false(c.joint.broken)
  end)
end)
