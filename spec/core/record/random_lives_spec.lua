-- Random operations on worlds, outside and inside of steps. A recording of the operations is played to the same bits,
-- and a restored world continues to the same bits. IMPEL_LIVES=FIRST-LAST selects seeds.
local impel = require "impel"
local lives = require "support.lives"

local FIRST, LAST = (os.getenv "IMPEL_LIVES" or "1-40"):match "^(%d+)%-(%d+)$"
local STEPS = 90

describe("a random life", function()
  for seed = tonumber(FIRST), tonumber(LAST) do
    it("is recorded and played back, number " .. seed, function()
      local life = lives.begin(seed)
      local world <close> = life.world
      local dice = life.dice
      local kept = world:record(nil, { keyframe_steps = dice:random(3) == 1 and 7 or 0 })
      local snapshot
      for _ = 1, STEPS do
        if dice:random(4) == 1 then life.act() end
        if dice:random(25) == 1 then snapshot = world:snapshot { state = false } end
        if snapshot and dice:random(40) == 1 then world:restore(snapshot) end
        if dice:random(40) == 1 then world.solver = lives.SOLVERS[dice:random(#lives.SOLVERS)] end
        pcall(world.step, world, dice:random(2))
      end
      local last = world.hash
      kept:close()
      local playback <close> = assert(impel.recording.play(kept:take(), "of life " .. seed))
      repeat
        local same, d = playback:step()
        assert.is_true(same ~= false, d and impel.recording.text(d))
      until same == nil
      assert.equal(last, playback.world.hash)
    end)
  end

  it("continues the same with and without a restore", function()
    for seed = tonumber(FIRST), tonumber(LAST) do
      local life = lives.begin(seed, 2)
      local world <close> = life.world
      for _ = 1, STEPS do world:step() end
      local before = world:snapshot { state = false } -- without handlers, because handlers would draw random numbers
      local plain, restored = impel.world {}, impel.world {}
      plain:restore(before)
      for step = 1, STEPS do
        restored:restore(plain:snapshot())
        plain:step()
        restored:step()
        assert.equal(plain.hash, restored.hash, ("life %d, step %d"):format(seed, step))
      end
      plain:destroy()
      restored:destroy()
    end
  end)

  it("continues the same with and without a restore if a slow bullet touches a fast ordinary body", function()
    for seed = 1, 40 do
      local dice = impel.rng.new(seed)
      local world <close> = impel.world {}
      local other <close> = impel.world {}
      world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 } }
      local thin = world:body { position = { 0, lives.between(dice, 0, 1) },
        angular_velocity = lives.between(dice, -3, 3), velocity = { lives.between(dice, -2, 2), 0 } }
      lives.SHAPES[4](thin)
      local slow = world:body { bullet = true, position = { lives.between(dice, 0, 1), 1.5 } }
      local far = world:body { position = { 3, 1.5 } }
      slow:circle { radius = 0.3 }
      far:circle { radius = 0.3 }
      world:weld(slow, far, { spring = { hertz = 4, damping_ratio = 0.5 } })
      for step = 1, 150 do
        other:restore(world:snapshot())
        world:step()
        other:step()
        assert.equal(world.hash, other.hash, ("%d, step %d"):format(seed, step))
      end
    end
  end)

  it("does not depend on bodies created in the step in which a joint's motor_speed is set", function()
    local worlds = {}
    for k = 1, 2 do
      local world = impel.world { gravity = { 0, 0 } }
      local a, b = world:body {}, world:body { position = { 1, 0 } }
      a:circle { radius = 0.5 }
      b:circle { radius = 0.5 }
      local hinge = world:revolute(a, b, { anchor = { 0.5, 0 }, motor = { speed = 1, max_force = 10 } })
      world:on("substep", function()
        if k == 2 then
          for i = 1, 20 do world:body({ position = { i, 50 } }):circle { radius = 0.1 } end
        end
        hinge.motor_speed = 2 + impel.math.sin(world.time)
      end)
      worlds[k] = { world = world, a = a, b = b }
    end
    for _ = 1, 20 do
      for _, s in ipairs(worlds) do s.world:step() end
      for _, name in ipairs { "a", "b" } do
        local pose = { worlds[1][name].angle, worlds[1][name]:position() }
        assert.same(pose, { worlds[2][name].angle, worlds[2][name]:position() })
      end
    end
  end)
end)
