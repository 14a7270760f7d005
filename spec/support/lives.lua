-- Worlds with random operations, between steps and inside of steps. A seed determines all operations:
--   local lives = require "support.lives"
-- `lua5.4 -e 'require("support.lives").print(1, 400)'` prints the hashes of these worlds, for comparison between
-- builds.
local impel = require "impel"

local lives = {}

lives.SOLVERS = { "soft", "soft", "soft", "si", "xpbd", "direct", "ngs", "split", "reduced", "rattle", "acceleration" }

lives.SHAPES = {
  function(body) body:circle { radius = 0.3, restitution = 0.5, rolling_resistance = 0.1 } end,
  function(body) body:box { 0.8, 0.5, surface_speed = 1 } end,
  function(body) body:capsule { from = { -0.4, 0 }, to = { 0.4, 0 }, radius = 0.2 } end,
  function(body) body:polygon { points = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0.5, 0.2 }, { 0, 1 } } } end,
  function(body) body:circle { radius = 0.4, sensor = true } end,
}

local JOINTS = { -- steps call the function C of the first joint in this list
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

function lives.between(dice, low, high) return low + (high - low) * dice:random() end

local FIELDS = {
  function(w, x) return w:field { kind = "uniform", acceleration = { x, 1 } } end,
  function(w) return w:field { kind = "drag", linear = 0.5, quadratic = 0.1 } end,
  function(w, x) return w:field { kind = "vortex", circulation = x, linear = 0.4, region = { -5, 0, 5, 5 } } end,
  function(w, x) return w:field { kind = "wind", velocity = { x, 1 }, gust = 0.4 } end,
  function(w) return w:field { kind = "buoyancy", density = 0.8, level = 1, wave_amplitude = 0.1 } end,
  function(w, x) return w:field { kind = "attractor", strength = x, softening = 0.5, center = { 0, 3 } } end,
  function(w, x, y) -- an explosion that starts within the next five steps
    return w:field { kind = "explosion", impulse = 2, center = { x, 1 }, start = w.time + y / 100, duration = y / 150 }
  end,
}

-- Create a world for random operations. The functions in JOINTS from index `first` (default 1) on create its joints.
-- Return { world, dice: the random number generator of the operations, act: a function that makes one operation }.
function lives.begin(seed, first)
  local dice = impel.rng.new(seed)
  local solver = lives.SOLVERS[dice:random(#lives.SOLVERS)]
  local world = impel.world { seed = seed, solver = solver, threads = dice:random(2) }
  world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 } }
  local life = { dice = dice, world = world, bodies = {}, joints = {}, fields = {}, movers = {} }
  local function number() return lives.between(dice, -10, 10) end
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
      position = { number(), lives.between(dice, 0, 8) }, velocity = { number() / 4, number() / 4 },
      bullet = dice:random(5) == 1 }
    lives.SHAPES[dice:random(#lives.SHAPES)](body)
    table.insert(life.bodies, body)
  end
  local function join()
    local a, b = pick(life.bodies), pick(life.bodies)
    if a and b then table.insert(life.joints, JOINTS[dice:random(first or 1, #JOINTS)](world, a, b, b:position())) end
  end
  local function blow()
    local field = FIELDS[dice:random(#FIELDS)](world, number(), lives.between(dice, 0, 8))
    if #life.fields == 4 then table.remove(life.fields, 1):destroy() end
    table.insert(life.fields, field)
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
    with(life.bodies, function(body) body:set_position(number(), lives.between(dice, 0, 8)) end),
    with(life.bodies, function(body) body:set_velocity(number(), number()) end),
    with(life.bodies, function(body) body.enabled = not body.enabled end),
    with(life.bodies, function(body) body.awake = not body.awake end),
    with(life.bodies, function(body) body.type = TYPES[dice:random(3)] end),
    with(life.bodies, function(body)
      if dice:random(4) == 1 then body:apply_force(9e14, 0) end -- this force makes the body non-finite
    end),
    with(life.bodies, function(body)
      for shape in body:shapes() do
        if dice:random(4) == 1 then shape:destroy() else shape.friction = lives.between(dice, 0, 1) end
      end
    end),
    function() world:set_gravity(number() / 5, -9.8) end,
    function() world:random() end,
    blow, blow,
    with(life.fields, function(field) field.enabled = not field.enabled end),
    function() table.insert(life.movers, world:mover { position = { number(), lives.between(dice, 0, 4) } }) end,
    with(life.movers, function(mover) mover.walk = number() / 3 end),
    with(life.movers, function(mover) mover:jump(3) end),
    with(life.movers, function(mover) mover:destroy() end),
  }
  -- The world rejects some of the random calls.
  function life.act() pcall(acts[dice:random(#acts)]) end
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

--- Print a line for each seed: the seed, then the hashes after every tenth step.
function lives.print(first, last)
  for seed = first, last do
    local life, words = lives.begin(seed), { seed }
    for step = 1, 120 do
      if life.dice:random(3) == 1 then life.act() end
      pcall(life.world.step, life.world)
      if step % 10 == 0 then table.insert(words, life.world.hash) end
    end
    life.world:destroy()
    print(table.concat(words, " "))
  end
end

return lives
