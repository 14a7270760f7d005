-- Worlds to which random things are done, outside and inside of steps: what was recorded is played again to the same
-- bits, and what follows a restore is what would have followed without. IMPEL_LIVES=FIRST-LAST runs other lives.
local impel = require "impel"

local FIRST, LAST = (os.getenv "IMPEL_LIVES" or "1-40"):match "^(%d+)%-(%d+)$"
local STEPS = 90
local SOLVERS = { "soft", "soft", "soft", "si", "xpbd", "direct", "ngs", "split", "reduced", "rattle", "acceleration" }

local SHAPES = {
  function(body) body:circle { radius = 0.3, restitution = 0.5, rolling_resistance = 0.1 } end,
  function(body) body:box { 0.8, 0.5, surface_speed = 1 } end,
  function(body) body:capsule { from = { -0.4, 0 }, to = { 0.4, 0 }, radius = 0.2 } end,
  function(body) body:polygon { points = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0.5, 0.2 }, { 0, 1 } } } end,
  function(body) body:circle { radius = 0.4, sensor = true } end,
}

local JOINTS = { -- the first has a function that is called inside of steps
  function(w, _, b)
    return w:constraint(b, { dynamic = true, C = function(p) return p.y - 3 end, limit = { 0, math.huge },
      max_force = 100 })
  end,
  function(w, _, b)
    return w:constraint(b, { C = function(p) return p.y - 3 end, limit = { 0, 9 }, max_force = 100 })
  end,
  function(w, a, b, x, y) return w:revolute(a, b, { anchor = { x, y }, limit = { -1, 1 }, break_force = 50 }) end,
  function(w, a, b, x, y) return w:revolute(a, b, { anchor = { x, y }, motor = { speed = 1, max_force = 10 } }) end,
  function(w, a, b) return w:distance(a, b, {}) end,
  function(w, a, b) return w:weld(a, b, { spring = { hertz = 4, damping_ratio = 0.5 } }) end,
  function(w, _, b) return w:prismatic(w.ground, b, { motor = { speed = 1, max_force = 10 } }) end,
  function(w, _, b, x, y) return w:drag(b, { target = { y, x } }) end,
  function(w, a, b, x, y)
    return w:wheel(a, b, { anchor = { x, y }, axis = { 0, 1 }, spring = { hertz = 3, damping_ratio = 0.7 },
      angle = { motor = { speed = 3, max_force = 5 } } })
  end,
}

local function between(dice, low, high) return low + (high - low) * dice:random() end

-- A life: a world, and what is done to it by its own dice; joints from the `first` kind on.
local function begin(seed, first)
  local dice = impel.rng.new(seed)
  local world = impel.world { seed = seed, solver = SOLVERS[dice:random(#SOLVERS)], threads = dice:random(2) }
  world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 } }
  local life = { dice = dice, world = world, bodies = {}, joints = {} }
  local function number() return between(dice, -10, 10) end
  local function pick(list)
    local object = list[dice:random(math.max(#list, 1))]
    return object and object:is_valid() and object or nil
  end
  local function with(list, act)
    return function()
      local object = pick(list)
      if object then act(object) end
    end
  end
  local function add()
    local body = world:body { type = dice:random(12) == 1 and "kinematic" or nil,
      position = { number(), between(dice, 0, 8) }, velocity = { number() / 4, number() / 4 },
      bullet = dice:random(5) == 1 }
    SHAPES[dice:random(#SHAPES)](body)
    table.insert(life.bodies, body)
  end
  local function join()
    local a, b = pick(life.bodies), pick(life.bodies)
    if a and b then table.insert(life.joints, JOINTS[dice:random(first or 1, #JOINTS)](world, a, b, b:position())) end
  end
  local TYPES = { "dynamic", "kinematic", "static" }
  local acts = {
    add, add, join, join,
    with(life.bodies, function(body) body:destroy() end),
    with(life.joints, function(joint) joint:destroy() end),
    with(life.joints, function(joint) joint.motor_speed = number() end),
    with(life.joints, function(joint) joint.motor_speed = number() end),
    with(life.bodies, function(body) body:apply_impulse(number(), number()) end),
    with(life.bodies, function(body) body:apply_force(10 * number(), number()) end),
    with(life.bodies, function(body) body:set_position(number(), between(dice, 0, 8)) end),
    with(life.bodies, function(body) body:set_velocity(number(), number()) end),
    with(life.bodies, function(body) body.enabled = not body.enabled end),
    with(life.bodies, function(body) body.awake = not body.awake end),
    with(life.bodies, function(body) body.type = TYPES[dice:random(3)] end),
    with(life.bodies, function(body)
      if dice:random(4) == 1 then body:apply_force(9e14, 0) end -- it blows up
    end),
    with(life.bodies, function(body)
      for shape in body:shapes() do
        if dice:random(4) == 1 then shape:destroy() else shape.friction = between(dice, 0, 1) end
      end
    end),
    function() world:set_gravity(number() / 5, -9.8) end,
    function() world:random() end,
  }
  function life.act() pcall(acts[dice:random(#acts)]) end -- some of it is refused
  for _ = 1, 12 do add() end
  local rates = { step = 6, substep = 24, begin_contact = 5 }
  for _, name in ipairs { "step", "substep", "begin_contact" } do
    local rate = dice:random(rates[name])
    if dice:random(3) > 1 then
      world:on(name, function()
        if dice:random(rate) == 1 then life.act() end
      end)
    end
  end
  return life
end

describe("a random life", function()
  for seed = tonumber(FIRST), tonumber(LAST) do
    it("is recorded and played, number " .. seed, function()
      local life = begin(seed)
      local world <close> = life.world
      local dice = life.dice
      local kept = world:record(nil, { keyframe_steps = dice:random(3) == 1 and 7 or 0 })
      local snapshot
      for _ = 1, STEPS do
        if dice:random(4) == 1 then life.act() end
        if dice:random(25) == 1 then snapshot = world:snapshot { state = false } end
        if snapshot and dice:random(40) == 1 then world:restore(snapshot) end
        if dice:random(40) == 1 then world.solver = SOLVERS[dice:random(#SOLVERS)] end
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

  it("goes on from a restore as without", function()
    for seed = tonumber(FIRST), tonumber(LAST) do
      local life = begin(seed, 2)
      local world <close> = life.world
      for _ = 1, STEPS do world:step() end
      local before = world:snapshot { state = false } -- for worlds without handlers, which hold the dice
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

  it("goes on from a restore where a slow bullet touches a body that is fast and none", function()
    for seed = 1, 40 do
      local dice = impel.rng.new(seed)
      local world <close> = impel.world {}
      local other <close> = impel.world {}
      world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 } }
      local thin = world:body { position = { 0, between(dice, 0, 1) }, angular_velocity = between(dice, -3, 3),
        velocity = { between(dice, -2, 2), 0 } }
      SHAPES[4](thin)
      local slow = world:body { bullet = true, position = { between(dice, 0, 1), 1.5 } }
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

  it("is the same for a joint whose drive is set where bodies are made, inside of steps", function()
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
