-- Walking figures: biped and quadruped as rigs, and scenes of walking, trotting, falling and rising.
local impel = require "impel"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"

local function play(name, options)
  local scene = assert(scenes.load("examples/" .. name .. ".lua"))
  local run = assert(runner.new(scene, options or {}))
  while not run:done() do assert(run:step()) end
  return run
end

describe("biped", function()
  local world, walker
  before_each(function()
    world = impel.world { gravity = { 0, 0 } }
    walker = impel.rig.biped(world, { position = { 3, 1 }, height = 2, mass = 100 })
  end)

  it("has the masses and lengths of Winter's table", function()
    assert.near(100, walker:mass(), 1e-9)
    assert.near(67.8, walker.torso.mass, 1e-9)
    assert.near(10, walker.left_thigh.mass, 1e-9)
    assert.near(4.65, walker.right_shin.mass, 1e-9)
    assert.near(1.45, walker.left_foot.mass, 1e-9)
    local _, hip = walker.left_thigh:position()
    local _, knee = walker.left_shin:position()
    local _, ankle = walker.left_foot:position()
    assert.near(2 * 0.245, hip - knee, 1e-12)
    assert.near(2 * 0.246, knee - ankle, 1e-12)
    assert.near(walker.hip_height + 1, hip, 1e-12)
    -- Inertia: m times the square of the radius of gyration.
    assert.near(10 * (0.323 * 0.49) ^ 2, walker.left_thigh.inertia, 1e-12)
    assert.near(4.65 * (0.302 * 0.492) ^ 2, walker.right_shin.inertia, 1e-12)
    assert.near(1.45 * (0.475 * 0.304) ^ 2, walker.left_foot.inertia, 1e-12)
    -- The distance from hip to shoulder is 0.288 * 2 m. The radius of gyration is 0.496 of this distance.
    assert.near(67.8 * (0.496 * 0.288 * 2) ^ 2, walker.torso.inertia, 1e-12)
    local _, center = walker.torso:center()
    -- The torso's centre is 0.180 of the height of 2 m above the hip.
    assert.near(0.36, center - hip, 0.01)
  end)

  it("bends to a human's joint limits and no farther", function()
    local ranges = { hip = { -0.7, 2.1 }, knee = { -2.4, 0 }, ankle = { -0.8, 0.5 } }
    for name, range in pairs(ranges) do
      for _, side in ipairs { "left_", "right_" } do
        assert.same(range, walker[side .. name]:coordinate("angle"):drives().limit)
      end
    end
  end)

  it("stands on the ground: no gap and no overlap below its soles", function()
    local lowest = math.huge
    for shape in walker.left_foot:shapes() do
      local _, y1 = shape:aabb()
      lowest = math.min(lowest, y1)
    end
    assert.near(1, lowest, 1e-9)
  end)

  it("has hips that swing forward for positive angles, and knees that bend only backward", function()
    walker:pose { left_hip = 0.5, left_knee = -1 }
    local x = walker.left_shin:position()
    assert.near(3 + 0.49 * math.sin(0.5), x, 1e-9)
    local ok, message = pcall(walker.pose, walker, { left_knee = 0.5 })
    assert.is_false(ok)
    assert.truthy(message:find("left_knee", 1, true))
  end)

  it("is destroyed as a whole, and shares no parts with another biped", function()
    local other = impel.rig.biped(world, {})
    assert.are_not.equal(walker.group, other.group)
    walker:destroy()
    assert.equal(7, world:counts().bodies)
    other:destroy()
    assert.equal(0, world:counts().joints)
  end)
end)

describe("quadruped", function()
  it("has the masses of its table, and legs that bend like a dog's", function()
    local dog = impel.rig.quadruped(impel.world {}, { mass = 50, height = 0.8 })
    assert.near(50, dog:mass(), 1e-9)
    assert.near(0.8 * 50, dog.trunk.mass, 1e-9)
    local legs = { left_front = { -0.1, 2.4 }, right_front = { -0.1, 2.4 }, left_hind = { -2.4, 0.1 },
      right_hind = { -2.4, 0.1 } }
    for leg, knee in pairs(legs) do
      assert.near(0.035 * 50, dog[leg .. "_upper"].mass, 1e-9)
      assert.near(0.015 * 50, dog[leg .. "_lower"].mass, 1e-9)
      assert.same({ -1.4, 1.4 }, dog[leg .. "_hip"]:coordinate("angle"):drives().limit)
      assert.same(knee, dog[leg .. "_knee"]:coordinate("angle"):drives().limit)
      local _, hip = dog[leg .. "_upper"]:position()
      assert.near(0.8, hip, 1e-12)
    end
    assert.near(0.8, dog.upper + dog.lower, 1e-12)
  end)

  it("puts a foot on its target, or on the line to the target if the target is out of reach", function()
    local world = impel.world { gravity = { 0, 0 } }
    local dog = impel.rig.quadruped(world, { position = { -2, 0.5 }, angle = 0.2 })
    for _, leg in ipairs(dog.legs) do
      for _, wanted in ipairs { { 0.1, -0.5 }, { -0.1, -0.45 }, { 0, -0.55 }, { 0.3, -2 } } do
        local hip, knee = dog:reach(leg, wanted[1], wanted[2])
        assert.is_true(knee * dog.bend[leg] >= 0)
        dog:pose { [leg .. "_hip"] = hip, [leg .. "_knee"] = knee }
        local x, y = dog[leg .. "_lower"]:world_point(0, -dog.lower)
        local hx, hy = dog[leg .. "_upper"]:position()
        local fx, fy = dog.trunk:local_vector(x - hx, y - hy)
        local r = math.sqrt(wanted[1] ^ 2 + wanted[2] ^ 2)
        local scale = math.min(1, (dog.upper + dog.lower) / r)
        -- Rounding: acos(1 - e) is about sqrt(2 e), so an error of 1e-16 becomes 1e-8 rad.
        assert.near(wanted[1] * scale, fx, 1e-7)
        assert.near(wanted[2] * scale, fy, 1e-7)
      end
    end
    assert.near(30, dog:mass(), 1e-9)
  end)
end)

describe("the walker", function()
  it("walks 10 m in gusts without a fall, for twenty of twenty seeds", function()
    for seed = 1, 20 do
      local run = play("biped_walk", { seed = seed })
      local x = run.state.walker.torso:position()
      assert.is_true(x > 10, ("seed %d: %.2f m"):format(seed, x))
      assert.is_true(run.state.lowest > 0.8 * run.state.walker.hip_height, "seed " .. seed .. " fell")
      run:close()
    end
  end)

  it("falls for most seeds without its balance law", function()
    local fell = 0
    for seed = 1, 20 do
      local run = play("biped_walk", { seed = seed, set = { balance = 0 } })
      if run.state.lowest < 0.8 * run.state.walker.hip_height then fell = fell + 1 end
      run:close()
    end
    assert.is_true(fell > 10, fell .. " of 20") -- "most" is more than half
  end)

  it("gives the same bits again", function()
    local first, second = play "biped_walk", play "biped_walk"
    assert.equal(first.world.hash, second.world.hash)
    first:close()
    second:close()
  end)
end)

describe("the trotter", function()
  it("changes its gait during the run and continues", function()
    for gait = 1, 3 do
      local run = play("quadruped_trot", { set = { gait = gait } })
      assert.same({}, (run:check()))
      run:close()
    end
  end)
end)

describe("the figure under impact", function()
  -- `ball`: mass [kg] and speed [m/s].
  it("is limp a step after an impulse over 50 N s, and rises in under 1 s to within 5 degrees of its pose", function()
    for _, ball in ipairs { { 6, 15 }, { 8, 15 }, { 10, 15 }, { 8, 12 }, { 8, 20 } } do
      local scene = assert(scenes.load "examples/ragdoll_recover.lua")
      local run = assert(runner.new(scene, { set = { mass = ball[1], speed = ball[2] } }))
      local s = run.state
      local hit_at, limp_at
      while not run:done() do
        assert(run:step())
        for hit in run.world:events "hit" do
          if hit.impulse > 50 then hit_at = hit_at or run.world.tick end
        end
        if s.machine.state == "limp" then limp_at = limp_at or run.world.tick end
      end
      assert.is_true(hit_at ~= nil and limp_at ~= nil and limp_at - hit_at <= 1)
      assert.is_true(s.stood - s.began < 1, ("%g s"):format(s.stood - s.began))
      assert.is_true(s.free)
      run:close()
    end
  end)

  it("stands through a smaller impulse", function()
    local run = play("ragdoll_recover", { set = { mass = 2, speed = 10 } })
    assert.equal("stand", run.state.machine.state)
    assert.equal(0, run.state.machine.changes)
    run:close()
  end)
end)

describe("a controlled figure", function()
  local histories = require "impel.viewer.history"

  -- The controllers keep all state in the scene's state, so a step back restores it.
  for _, name in ipairs { "biped_walk", "pose_track", "quadruped_trot", "ragdoll_recover" } do
    it("is restored with its world, and gives the same bits again: " .. name, function()
      local run = assert(runner.new(assert(scenes.load("examples/" .. name .. ".lua")), {}))
      local history = histories.new(run, { clock = function() return 0 end })
      for _ = 1, 150 do
        history:keep(run, true)
        assert(run:step())
      end
      local hash = run.world.hash
      local back = history:back(run, 70)
      assert.equal(70, back)
      for _ = 1, back do assert(run:step()) end
      assert.equal(hash, run.world.hash)
      run:close()
    end)
  end
end)
